/*
 * short_tmpl.h - short contiguous rows, VL of them at a time; the one body that every instruction set compiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One row alone would spend its time on adding up lanes. Here each row gets its own vector of sums, and VL such vectors
 * are added up together, so that lane i of the result is the sum of row i. The rows are still read one after the other,
 * in the order of memory, whose prefetchers lose track of eight at once.
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h. A row has at most RSTD__SHORT_MAX elements, so its chain
 * is shorter than that of rows_tmpl.h: RSTD__SHORT_MAX / VL + 1 additions in its vector, and at most VL to add up the
 * lanes.
 */

/*
 * The last k of n elements less something that v_widen gives from the same place, 0 < k < VL, and 0 in other lanes. Of a
 * row that fills a vector they are the last lanes of one that ends where the row does, which is faster than to load a
 * part of a vector.
 */
#define SHORT_LAST(format, x, n, k, less_whole, less_part)                                                             \
	((n) >= VL ? v_keep_last(v_sub(v_widen(format, (x) + ((n)-VL) * size), less_whole), k)                         \
	           : v_keep(v_sub(v_widen_part(format, x, k), less_part), k))

/* The vectors of sums of one row. */
static inline __attribute__((always_inline)) void FN(short_row)(enum rstd__format format, const unsigned char *x,
                                                                size_t n, V k, V *t, V *q)
{
	const size_t size = rstd__format_info[format].size, rest = n % VL;

	*t = *q = v_set1(0);
	for (size_t i = 0; n - i >= VL; i += VL) {
		const V d = v_sub(v_widen(format, x + i * size), k);

		*t = v_add(*t, d);
		*q = v_fma(d, d, *q);
	}
	if (rest > 0) {
		const V d = SHORT_LAST(format, x, n, rest, k, k);

		*t = v_add(*t, d);
		*q = v_fma(d, d, *q);
	}
}

/* The sums of VL rows, about their first elements or about shifts that are given. */
static inline __attribute__((always_inline)) void FN(short_group)(enum rstd__format format, const unsigned char *x,
                                                                  const ptrdiff_t *row, size_t n, bool about_first,
                                                                  double *shift, V *t, V *q)
{
	V tv[VL], qv[VL];

#pragma GCC unroll 8
	for (size_t r = 0; r < VL; r++) {
		V k;

		rstd__ask_for_row(x + row[r], n * rstd__format_info[format].size);
		k = about_first ? v_widen_one(format, x + row[r]) : v_set1(shift[r]);
		if (about_first)
			shift[r] = v_first(k);
		FN(short_row)(format, x + row[r], n, k, &tv[r], &qv[r]);
	}
	*t = v_row_sums(tv);
	*q = v_row_sums(qv);
}

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
	for (size_t r = 0; r < VL; r++)
		rstd__ask_for_row(x + row[r], n * size);
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

/* The rows that are left, by a group that has the first of them several times. */
static inline __attribute__((always_inline)) void FN(short_rest)(enum rstd__format format, const unsigned char *x,
                                                                 const ptrdiff_t *row, size_t rows, size_t n,
                                                                 bool is_dealt, bool about_first, double *shift,
                                                                 double *t, double *q)
{
	ptrdiff_t rest[VL];
	double shifts[VL];
	V tv, qv;

	for (size_t i = 0; i < VL; i++) {
		rest[i] = row[i < rows ? i : 0];
		shifts[i] = shift[i < rows ? i : 0];
	}
	if (is_dealt)
		FN(block_group)(format, x, rest, n, about_first, shifts, &tv, &qv);
	else
		FN(short_group)(format, x, rest, n, about_first, shifts, &tv, &qv);
	if (about_first)
		v_store_part(shift, v_load(shifts), rows);
	v_store(t, tv);
	v_store(q, qv);
}

static inline __attribute__((always_inline)) void FN(short_moments_all)(enum rstd__format format, const void *x,
                                                                        const ptrdiff_t *row, size_t rows, size_t n,
                                                                        bool is_dealt, bool about_first, double *shift,
                                                                        double *t, double *q)
{
	size_t r = 0;

	for (; rows - r >= VL; r += VL) {
		V tv, qv;

		if (is_dealt)
			FN(block_group)(format, x, row + r, n, about_first, shift + r, &tv, &qv);
		else
			FN(short_group)(format, x, row + r, n, about_first, shift + r, &tv, &qv);
		v_store(t + r, tv);
		v_store(q + r, qv);
	}
	if (r < rows)
		FN(short_rest)(format, x, row + r, rows - r, n, is_dealt, about_first, shift + r, t + r, q + r);
}

static inline __attribute__((always_inline)) void FN(short_moments)(enum rstd__format format, const void *x,
                                                                    const ptrdiff_t *row, size_t rows, size_t n,
                                                                    bool about_first, double *shift, double *t,
                                                                    double *q)
{
	const bool is_dealt = n >= C_BLOCK(rstd__format_info[format].size) && n <= V_DEALT_MAX(format);

	if (is_dealt && about_first)
		FN(short_moments_all)(format, x, row, rows, n, true, true, shift, t, q);
	else if (is_dealt)
		FN(short_moments_all)(format, x, row, rows, n, true, false, shift, t, q);
	else if (about_first)
		FN(short_moments_all)(format, x, row, rows, n, false, true, shift, t, q);
	else
		FN(short_moments_all)(format, x, row, rows, n, false, false, shift, t, q);
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
		const V d = SHORT_LAST(format, x, n, rest, v_widen(format, mean + (n - VL) * size),
		                       v_widen_part(format, mean, rest));

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

#undef SHORT_LAST

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
		FN(short_moments)(format, x, row, rows, n, about_first, shift, t, q);                                  \
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
