/*
 * short_tmpl.h - short contiguous rows, VL of them at a time; the one body that every instruction set compiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One row alone would spend its time on adding up lanes. Here each row gets its own vector of sums, and VL such vectors
 * are added up together, so that lane i of the result is the sum of row i.
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h. A row has at most RSTD__SHORT_MAX elements, so its chain
 * is shorter than that of rows_tmpl.h: RSTD__SHORT_MAX / VL + 1 additions in its vector, and at most VL to add up the
 * lanes.
 */

/* The vectors of sums of one row. */
static inline __attribute__((always_inline)) void FN(short_row)(enum rstd__format format, const unsigned char *x,
                                                                size_t n, V shift, V *t, V *q)
{
	const size_t size = rstd__format_info[format].size;
	size_t i = 0;

	*t = *q = v_set1(0);
	for (; n - i >= VL; i += VL) {
		const V d = v_sub(v_widen(format, x + i * size), shift);

		*t = v_add(*t, d);
		*q = v_fma(d, d, *q);
	}
	if (i < n) {
		const V d = v_keep(v_sub(v_widen_part(format, x + i * size, n - i), shift), n - i);

		*t = v_add(*t, d);
		*q = v_fma(d, d, *q);
	}
}

/* The sums of `rows` <= VL rows, 0 in the other lanes. About their first elements, or about shifts that are given. */
static inline __attribute__((always_inline)) void FN(short_group)(enum rstd__format format, const unsigned char *x,
                                                                  const ptrdiff_t *row, size_t rows, size_t n,
                                                                  bool about_first, double *shift, V *t, V *q)
{
	V tv[VL], qv[VL];

#pragma GCC unroll 8
	for (size_t i = 0; i < VL; i++) {
		V k;

		tv[i] = qv[i] = v_set1(0);
		if (i >= rows)
			continue;
		rstd__ask_for_row(x + row[i], n * rstd__format_info[format].size);
		k = about_first ? v_widen_one(format, x + row[i]) : v_set1(shift[i]);
		if (about_first)
			shift[i] = v_first(k);
		FN(short_row)(format, x + row[i], n, k, &tv[i], &qv[i]);
	}
	*t = v_row_sums(tv);
	*q = v_row_sums(qv);
}

static inline __attribute__((always_inline)) void FN(short_moments_all)(enum rstd__format format, const void *x,
                                                                        const ptrdiff_t *row, size_t rows, size_t n,
                                                                        bool about_first, double *shift, double *t,
                                                                        double *q)
{
	const size_t whole = rows - rows % VL, rest = rows % VL;
	V tv, qv;

	for (size_t r = 0; r < whole; r += VL) {
		FN(short_group)(format, x, row + r, VL, n, about_first, shift + r, &tv, &qv);
		v_store(t + r, tv);
		v_store(q + r, qv);
	}
	if (rest > 0) {
		FN(short_group)(format, x, row + whole, rest, n, about_first, shift + whole, &tv, &qv);
		v_store(t + whole, tv);
		v_store(q + whole, qv);
	}
}

static inline __attribute__((always_inline)) void FN(short_moments)(enum rstd__format format, const void *x,
                                                                    const ptrdiff_t *row, size_t rows, size_t n,
                                                                    bool about_first, double *shift, double *t,
                                                                    double *q)
{
	if (about_first)
		FN(short_moments_all)(format, x, row, rows, n, true, shift, t, q);
	else
		FN(short_moments_all)(format, x, row, rows, n, false, shift, t, q);
}

static inline __attribute__((always_inline)) V FN(short_row_ssd)(enum rstd__format format, const unsigned char *x,
                                                                 const unsigned char *mean, size_t n)
{
	const size_t size = rstd__format_info[format].size;
	V q = v_set1(0);
	size_t i = 0;

	for (; n - i >= VL; i += VL) {
		const V d = v_sub(v_widen(format, x + i * size), v_widen(format, mean + i * size));

		q = v_fma(d, d, q);
	}
	if (i < n) {
		const V d =
			v_sub(v_widen_part(format, x + i * size, n - i), v_widen_part(format, mean + i * size, n - i));

		q = v_fma(d, d, q);
	}
	return q;
}

static inline __attribute__((always_inline)) V FN(short_group_ssd)(enum rstd__format format, const unsigned char *x,
                                                                   const ptrdiff_t *row, const unsigned char *mean,
                                                                   const ptrdiff_t *mean_row, size_t rows, size_t n)
{
	V qv[VL];

#pragma GCC unroll 8
	for (size_t i = 0; i < VL; i++)
		qv[i] = i < rows ? FN(short_row_ssd)(format, x + row[i], mean + mean_row[i], n) : v_set1(0);
	return v_row_sums(qv);
}

static inline __attribute__((always_inline)) void FN(short_ssd)(enum rstd__format format, const void *x,
                                                                const ptrdiff_t *row, const void *mean,
                                                                const ptrdiff_t *mean_row, size_t rows, size_t n,
                                                                double *q)
{
	const size_t whole = rows - rows % VL, rest = rows % VL;

	for (size_t r = 0; r < whole; r += VL)
		v_store(q + r, FN(short_group_ssd)(format, x, row + r, mean, mean_row + r, VL, n));
	if (rest > 0)
		v_store(q + whole, FN(short_group_ssd)(format, x, row + whole, mean, mean_row + whole, rest, n));
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
