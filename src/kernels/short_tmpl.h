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

static inline __attribute__((always_inline)) void FN(short_moments)(enum rstd__format format, const void *x,
                                                                    const ptrdiff_t *row, size_t rows, size_t n,
                                                                    const double *shift, double *t, double *q)
{
	const unsigned char *p = x;
	const size_t whole = rows - rows % VL;
	V tv[VL], qv[VL];

	for (size_t r = 0; r < whole; r += VL) {
#pragma GCC unroll 8
		for (size_t i = 0; i < VL; i++)
			FN(short_row)(format, p + row[r + i], n, v_set1(shift[r + i]), &tv[i], &qv[i]);
		v_store(t + r, v_row_sums(tv));
		v_store(q + r, v_row_sums(qv));
	}
	if (whole < rows) {
		double t_last[VL], q_last[VL];

		for (size_t i = 0; i < VL; i++)
			tv[i] = qv[i] = v_set1(0);
		for (size_t i = 0; i < rows - whole; i++)
			FN(short_row)(format, p + row[whole + i], n, v_set1(shift[whole + i]), &tv[i], &qv[i]);
		v_store(t_last, v_row_sums(tv));
		v_store(q_last, v_row_sums(qv));
		memcpy(t + whole, t_last, (rows - whole) * sizeof(double));
		memcpy(q + whole, q_last, (rows - whole) * sizeof(double));
	}
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

static inline __attribute__((always_inline)) void FN(short_ssd)(enum rstd__format format, const void *x,
                                                                const ptrdiff_t *row, const void *mean,
                                                                const ptrdiff_t *mean_row, size_t rows, size_t n,
                                                                double *q)
{
	const unsigned char *p = x, *m = mean;
	const size_t whole = rows - rows % VL;
	V qv[VL];

	for (size_t r = 0; r < whole; r += VL) {
#pragma GCC unroll 8
		for (size_t i = 0; i < VL; i++)
			qv[i] = FN(short_row_ssd)(format, p + row[r + i], m + mean_row[r + i], n);
		v_store(q + r, v_row_sums(qv));
	}
	if (whole < rows) {
		double q_last[VL];

		for (size_t i = 0; i < VL; i++)
			qv[i] = v_set1(0);
		for (size_t i = 0; i < rows - whole; i++)
			qv[i] = FN(short_row_ssd)(format, p + row[whole + i], m + mean_row[whole + i], n);
		v_store(q_last, v_row_sums(qv));
		memcpy(q + whole, q_last, (rows - whole) * sizeof(double));
	}
}

/* One entry of the table for each format. */
#define SHORT_ENTRIES(name, format)                                                                                    \
	static void FN(short_moments_##name)(const void *x, const ptrdiff_t *row, size_t rows, size_t n,               \
	                                     const double *shift, double *t, double *q)                                \
	{                                                                                                              \
		FN(short_moments)(format, x, row, rows, n, shift, t, q);                                               \
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
