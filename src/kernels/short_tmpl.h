/*
 * short_tmpl.h - short contiguous rows, VL of them at a time; the one body that every instruction set compiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One row alone would spend its time on adding up lanes. Here each row gets its own vector of sums, and VL such vectors
 * are added up together, so that lane i of the result is the sum of row i. The rows are still read one after the other,
 * in the order of memory, whose prefetchers lose track of eight at once.
 *
 * Includer: FN(name); V, VL and the v_* words, F and the f_* words, from a simd_*.h. A row has at most RSTD__SHORT_MAX
 * elements, so its chain is shorter than that of rows_tmpl.h: RSTD__SHORT_MAX / (2 VL) + 2 additions in its two vectors,
 * and at most VL to add up the lanes.
 */

#include "kernels/vectors.h"

#define SHORT(name) FN(name)
#define X           V
#define XL          VL
#define X_(word)    v_##word
#include "kernels/short_rows_tmpl.h"
#if V_ROUGH
#undef SHORT
#undef X
#undef XL
#undef X_
#define SHORT(name) FN(rough_##name)
#define X           F
#define XL          FL
#define X_(word)    f_##word
#include "kernels/short_rows_tmpl.h"
#endif
#undef SHORT
#undef X
#undef XL
#undef X_

/* Adds the columns from number `first` on of C_BLOCK to sums about k, of even and of odd columns. */
static inline __attribute__((always_inline)) void FN(block_add)(const float *c, size_t first, size_t columns, V k, V *t,
                                                                V *q)
{
#pragma GCC unroll 8
	for (size_t j = first; j < columns; j++) {
		const V d = v_sub(v_widen(RSTD__F32, c + j * VL), k);

		t[j % 2] = v_add(t[j % 2], d);
		q[j % 2] = v_fma(d, d, q[j % 2]);
	}
}

/* The same for rows of at least C_BLOCK elements that are so short that lanes are better dealt out than added up. */
static inline __attribute__((always_inline)) void FN(block_group)(enum rstd__format format, const unsigned char *x,
                                                                  const ptrdiff_t *row, size_t n, bool about_first,
                                                                  double *shift, V *t, V *q)
{
	const size_t size = rstd__format_info[format].size, columns = C_BLOCK(size), rest = n % columns;
	alignas(64) float c[C_COLUMNS * VL];
	V k, ts[2], qs[2];

	ts[0] = ts[1] = qs[0] = qs[1] = v_set1(0);
	c_block(format, x, row, c);
	if (about_first) {
		k = v_widen(RSTD__F32, c);
		v_store(shift, k);
	} else {
		k = v_load(shift);
	}
	FN(block_add)(c, 0, columns, k, ts, qs);
	for (size_t i = columns; n - i >= columns; i += columns) {
		c_block(format, x + i * size, row, c);
		FN(block_add)(c, 0, columns, k, ts, qs);
	}
	if (rest > 0) { /* the last block of the row has them at its end */
		c_block(format, x + (n - columns) * size, row, c);
		for (size_t j = columns - rest; j < columns; j++)
			FN(block_add)(c + j * VL, 0, 1, k, ts + j % 2, qs + j % 2);
	}
	*t = v_add(ts[0], ts[1]);
	*q = v_add(qs[0], qs[1]);
}

#if V_TURNED
/*
 * The sums of VL rows of 16 floats about 0: half of the permutations are done with 16 lanes, the last one with sums only.
 */
static inline __attribute__((always_inline)) void FN(turned_group)(const unsigned char *x, const ptrdiff_t *row, V *t,
                                                                   V *q)
{
	alignas(64) float c[C_COLUMNS * VL];
	V ts[2], qs[2];

#pragma GCC unroll 2
	for (size_t i = 0; i < 2; i++) {
		c_turn(x, row + i * VL / 2, c);
		ts[i] = v_widen(RSTD__F32, c);
		qs[i] = v_mul(ts[i], ts[i]);
#pragma GCC unroll 8
		for (size_t j = 1; j < C_COLUMNS; j++) {
			const V d = v_widen(RSTD__F32, c + j * VL);

			ts[i] = v_add(ts[i], d);
			qs[i] = v_fma(d, d, qs[i]);
		}
	}
	*t = v_half_sums(ts[0], ts[1]);
	*q = v_half_sums(qs[0], qs[1]);
}
#endif

/* How the sums of rows are made; DENSE and those of LONG rows in std_short_tmpl.h only. */
enum FN(short_way) { FN(DENSE), FN(DEALT), FN(FINE), FN(ROUGH), FN(LONG_FINE), FN(LONG_ROUGH) };

static inline __attribute__((always_inline)) void FN(short_sums)(enum FN(short_way) way, enum rstd__format format,
                                                                 const unsigned char *x, const ptrdiff_t *row,
                                                                 size_t rows, size_t n, bool about_first, double *shift,
                                                                 V *t, V *q)
{
	if (way == FN(DEALT))
		FN(block_group)(format, x, row, n, about_first, shift, t, q);
#if V_ROUGH
	else if (way == FN(ROUGH) || way == FN(LONG_ROUGH))
		FN(rough_short_group)(format, x, row, rows, n, way == FN(LONG_ROUGH), about_first, shift, t, q);
#endif
	else
		FN(short_group)(format, x, row, rows, n, way == FN(LONG_FINE), about_first, shift, t, q);
}

static inline __attribute__((always_inline)) void FN(short_store)(enum FN(short_way) way, enum rstd__format format,
                                                                  const unsigned char *x, const ptrdiff_t *row,
                                                                  size_t rows, size_t n, bool about_first,
                                                                  double *shift, double *t, double *q)
{
	double zero[VL] = { 0 };
	V tv, qv;

	FN(short_sums)(way, format, x, row, rows, n, about_first, shift ? shift : zero, &tv, &qv);
	v_store(t, tv);
	v_store(q, qv);
}

/* The rows that are left: those that are not there are the first of them again, or nothing. */
static inline __attribute__((always_inline)) void FN(short_rest)(enum FN(short_way) way, enum rstd__format format,
                                                                 const unsigned char *x, const ptrdiff_t *row,
                                                                 size_t rows, size_t n, bool about_first, double *shift,
                                                                 double *t, double *q)
{
	ptrdiff_t rest[VL];
	alignas(64) double shifts[VL];

	if (way != FN(DEALT)) {
		FN(short_store)(way, format, x, row, rows, n, about_first, shift, t, q);
		return;
	}
	for (size_t i = 0; i < VL; i++)
		rest[i] = row[i < rows ? i : 0];
	if (!about_first && shift)
		v_store(shifts, v_load_part(shift, rows));
	FN(short_store)(way, format, x, rest, VL, n, about_first, shift ? shifts : NULL, t, q);
	if (about_first)
		v_store_part(shift, v_load(shifts), rows);
}

static inline __attribute__((always_inline)) void FN(short_all)(enum FN(short_way) way, enum rstd__format format,
                                                                const unsigned char *x, const ptrdiff_t *row,
                                                                size_t rows, size_t n, bool about_first, double *shift,
                                                                double *t, double *q)
{
	const size_t bytes = n * rstd__format_info[format].size;
	size_t r = 0;

	while (rows - r >= VL) {
		size_t done = 0;

		if (bytes <= RSTD__LINE) /* longer rows ask for themselves */
			rstd__ask_for_chunk((uintptr_t)(x + row[r]), true);
		do {
			FN(short_store)
			(way, format, x, row + r, VL, n, about_first, shift ? shift + r : NULL, t + r, q + r);
			r += VL;
			done += VL * bytes;
		} while (done + VL * bytes <= RSTD__CHUNK && rows - r >= VL);
	}
	if (r < rows)
		FN(short_rest)
	(way, format, x, row + r, rows - r, n, about_first, shift ? shift + r : NULL, t + r, q + r);
}

static inline __attribute__((always_inline)) void FN(short_moments)(enum FN(short_way) way, enum rstd__format format,
                                                                    const void *x, const ptrdiff_t *row, size_t rows,
                                                                    size_t n, bool about_first, double *shift,
                                                                    double *t, double *q)
{
	if (about_first)
		FN(short_all)(way, format, x, row, rows, n, true, shift, t, q);
	else if (way != FN(ROUGH) && !shift) /* about 0, without a subtraction for each element */
		FN(short_all)(way, format, x, row, rows, n, false, NULL, t, q);
	else
		FN(short_all)(way, format, x, row, rows, n, false, shift, t, q);
}

/* Whether lanes of such rows are dealt out rather than added up. */
static inline bool FN(are_dealt)(enum rstd__format format, size_t n)
{
	return n >= C_BLOCK(rstd__format_info[format].size) && n <= V_DEALT_MAX(format);
}

static inline __attribute__((always_inline)) void FN(short_fine)(enum rstd__format format, const void *x,
                                                                 const ptrdiff_t *row, size_t rows, size_t n,
                                                                 bool about_first, double *shift, double *t, double *q)
{
	if (FN(are_dealt)(format, n))
		FN(short_moments)(FN(DEALT), format, x, row, rows, n, about_first, shift, t, q);
	else
		FN(short_moments)(FN(FINE), format, x, row, rows, n, about_first, shift, t, q);
}

/* The same about means that are given for each element. */
static inline __attribute__((always_inline)) V FN(short_row_ssd)(enum rstd__format format, const unsigned char *x,
                                                                 const unsigned char *mean, size_t n)
{
	const size_t size = rstd__format_info[format].size, rest = n % VL;
	V q = v_set1(0);

	for (size_t i = 0; n - i >= VL; i += VL) {
		const V d = v_sub(v_widen(format, x + i * size), v_widen(format, mean + i * size));

		q = v_fma(d, d, q);
	}
	if (rest > 0) {
		const size_t at = n >= VL ? (n - VL) * size : 0;
		const V d =
			n >= VL ? v_keep_last(v_sub(v_widen(format, x + at), v_widen(format, mean + at)), rest)
				: v_keep(v_sub(v_widen_part(format, x, rest), v_widen_part(format, mean, rest)), rest);

		q = v_fma(d, d, q);
	}
	return q;
}

static inline __attribute__((always_inline)) V FN(short_group_ssd)(enum rstd__format format, const unsigned char *x,
                                                                   const ptrdiff_t *row, const unsigned char *mean,
                                                                   const ptrdiff_t *mean_row, size_t n)
{
	V qv[VL];

#pragma GCC unroll 8
	for (size_t r = 0; r < VL; r++)
		qv[r] = FN(short_row_ssd)(format, x + row[r], mean + mean_row[r], n);
	return v_row_sums(qv);
}

static inline __attribute__((always_inline)) void FN(short_ssd)(enum rstd__format format, const void *x,
                                                                const ptrdiff_t *row, const void *mean,
                                                                const ptrdiff_t *mean_row, size_t rows, size_t n,
                                                                double *q)
{
	size_t r = 0;

	for (; rows - r >= VL; r += VL)
		v_store(q + r, FN(short_group_ssd)(format, x, row + r, mean, mean_row + r, n));
	if (r < rows) {
		ptrdiff_t rest[VL], mean_rest[VL];

		for (size_t i = 0; i < VL; i++) {
			rest[i] = row[r + i < rows ? r + i : r];
			mean_rest[i] = mean_row[r + i < rows ? r + i : r];
		}
		v_store(q + r, FN(short_group_ssd)(format, x, rest, mean, mean_rest, n));
	}
}

/* One entry of the table for each format. */
#define SHORT_ENTRIES(name, format)                                                                                    \
	static void FN(short_moments_##name)(const void *x, const ptrdiff_t *row, size_t rows, size_t n,               \
	                                     bool about_first, double *shift, double *t, double *q)                    \
	{                                                                                                              \
		FN(short_fine)(format, x, row, rows, n, about_first, shift, t, q);                                     \
	}                                                                                                              \
	static void FN(short_ssd_##name)(const void *x, const ptrdiff_t *row, const void *mean,                        \
	                                 const ptrdiff_t *mean_row, size_t rows, size_t n, double *q)                  \
	{                                                                                                              \
		FN(short_ssd)(format, x, row, mean, mean_row, rows, n, q);                                             \
	}
SHORT_ENTRIES(f32, RSTD__F32)
SHORT_ENTRIES(f16, RSTD__F16)
SHORT_ENTRIES(bf16, RSTD__BF16)
#undef SHORT_ENTRIES

#if V_ROUGH
#define ROUGH_SHORT_ENTRY(name, format)                                                                                \
	static void FN(rough_short_moments_##name)(const void *x, const ptrdiff_t *row, size_t rows, size_t n,         \
	                                           bool about_first, double *shift, double *t, double *q)              \
	{                                                                                                              \
		FN(short_moments)(FN(ROUGH), format, x, row, rows, n, about_first, shift, t, q);                       \
	}
ROUGH_SHORT_ENTRY(f16, RSTD__F16)
ROUGH_SHORT_ENTRY(bf16, RSTD__BF16)
#undef ROUGH_SHORT_ENTRY
#endif
