/*
 * cols_tmpl.h - columns: outputs side by side in memory, one to a lane; the one body that every instruction set
 * compiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h. Bounds: docs/numerics.md, "Level 0".
 */

/*
 * Roundings on the way of one term of a panel of RSTD__PANEL_ROWS rows: half a group in its register, the two halves,
 * then one addition for each group.
 */
#define COL_CHAIN (RSTD__COL_GROUP / 2 + 1 + RSTD__PANEL_ROWS / RSTD__COL_GROUP)

/* Differences of VL columns (k < VL of them in the last vector) of one row from their shifts. */
static inline __attribute__((always_inline)) V FN(col_shifted)(enum rstd__format format, const unsigned char *x,
                                                               V shift, size_t k)
{
	return k == VL ? v_sub(v_widen(format, x), shift) : v_keep(v_sub(v_widen_part(format, x, k), shift), k);
}

/* VL columns, `rows` <= RSTD__COL_GROUP rows. */
static inline __attribute__((always_inline)) void FN(col_moments_group)(enum rstd__format format,
                                                                        const unsigned char *x, ptrdiff_t row_stride,
                                                                        size_t rows, size_t k, V shift, V *t, V *q)
{
	V t0 = v_set1(0), t1 = t0, q0 = t0, q1 = t0;
	size_t r = 0;

#pragma GCC unroll 4
	for (; r + 2 <= rows; r += 2) {
		const V d0 = FN(col_shifted)(format, x, shift, k);
		const V d1 = FN(col_shifted)(format, x + row_stride, shift, k);

		rstd__ask_for(x, RSTD__COL_GROUP * row_stride);
		rstd__ask_for(x + row_stride, RSTD__COL_GROUP * row_stride);

		t0 = v_add(t0, d0);
		q0 = v_fma(d0, d0, q0);
		t1 = v_add(t1, d1);
		q1 = v_fma(d1, d1, q1);
		x += 2 * row_stride;
	}
	if (r < rows) {
		const V d = FN(col_shifted)(format, x, shift, k);

		t0 = v_add(t0, d);
		q0 = v_fma(d, d, q0);
	}
	*t = v_add(*t, v_add(t0, t1));
	*q = v_add(*q, v_add(q0, q1));
}

static inline __attribute__((always_inline)) void FN(col_moments)(enum rstd__format format, const void *x,
                                                                  ptrdiff_t row_stride, size_t rows, size_t cols,
                                                                  const double *shift, double *t, double *q)
{
	const size_t size = rstd__format_info[format].size, whole = cols - cols % VL, k = cols % VL;
	const unsigned char *p = x;

	for (size_t r = 0; r < rows; r += RSTD__COL_GROUP, p += RSTD__COL_GROUP * row_stride) {
		const size_t group = rows - r < RSTD__COL_GROUP ? rows - r : RSTD__COL_GROUP;

		for (size_t c = 0; c < whole; c += VL) {
			V tv = v_load(t + c), qv = v_load(q + c);

			if (group == RSTD__COL_GROUP)
				FN(col_moments_group)
			(format, p + c * size, row_stride, RSTD__COL_GROUP, VL, v_load(shift + c), &tv, &qv);
			else FN(col_moments_group)(format, p + c * size, row_stride, group, VL, v_load(shift + c), &tv,
			                           &qv);
			v_store(t + c, tv);
			v_store(q + c, qv);
		}
		if (k > 0) {
			V tv = v_load_part(t + whole, k), qv = v_load_part(q + whole, k);

			FN(col_moments_group)
			(format, p + whole * size, row_stride, group, k, v_load_part(shift + whole, k), &tv, &qv);
			v_store_part(t + whole, tv, k);
			v_store_part(q + whole, qv, k);
		}
	}
}

/* VL columns about a mean for each element. */
static inline __attribute__((always_inline)) V FN(col_ssd_group)(enum rstd__format format, const unsigned char *x,
                                                                 ptrdiff_t x_row_stride, const unsigned char *mean,
                                                                 ptrdiff_t mean_row_stride, size_t rows, size_t k)
{
	V q0 = v_set1(0), q1 = q0;
	size_t r = 0;

#define COL_DIFFERENCE(row)                                                                                            \
	(k == VL ? v_sub(v_widen(format, x + (row)*x_row_stride), v_widen(format, mean + (row)*mean_row_stride))       \
	         : v_sub(v_widen_part(format, x + (row)*x_row_stride, k),                                              \
	                 v_widen_part(format, mean + (row)*mean_row_stride, k)))
#pragma GCC unroll 4
	for (; r + 2 <= rows; r += 2) {
		const V d0 = COL_DIFFERENCE(0), d1 = COL_DIFFERENCE(1);

		rstd__ask_for(x, RSTD__COL_GROUP * x_row_stride);
		rstd__ask_for(x + x_row_stride, RSTD__COL_GROUP * x_row_stride);

		q0 = v_fma(d0, d0, q0);
		q1 = v_fma(d1, d1, q1);
		x += 2 * x_row_stride;
		mean += 2 * mean_row_stride;
	}
	if (r < rows) {
		const V d = COL_DIFFERENCE(0);

		q0 = v_fma(d, d, q0);
	}
#undef COL_DIFFERENCE
	return v_add(q0, q1);
}

static inline __attribute__((always_inline)) void FN(col_ssd)(enum rstd__format format, const void *x,
                                                              ptrdiff_t x_row_stride, const void *mean,
                                                              ptrdiff_t mean_row_stride, size_t rows, size_t cols,
                                                              double *q)
{
	const size_t size = rstd__format_info[format].size, whole = cols - cols % VL, k = cols % VL;
	const unsigned char *p = x, *m = mean;

	for (size_t r = 0; r < rows; r += RSTD__COL_GROUP) {
		const size_t group = rows - r < RSTD__COL_GROUP ? rows - r : RSTD__COL_GROUP;

		for (size_t c = 0; c < whole; c += VL) {
			const size_t at = c * size;
			const V part = group == RSTD__COL_GROUP
			                       ? FN(col_ssd_group)(format, p + at, x_row_stride, m + at,
			                                           mean_row_stride, RSTD__COL_GROUP, VL)
			                       : FN(col_ssd_group)(format, p + at, x_row_stride, m + at,
			                                           mean_row_stride, group, VL);

			v_store(q + c, v_add(v_load(q + c), part));
		}
		if (k > 0) {
			const size_t at = whole * size;
			const V part =
				FN(col_ssd_group)(format, p + at, x_row_stride, m + at, mean_row_stride, group, k);

			v_store_part(q + whole, v_add(v_load_part(q + whole, k), part), k);
		}
		p += RSTD__COL_GROUP * x_row_stride;
		m += RSTD__COL_GROUP * mean_row_stride;
	}
}

/* One entry of the table for each format. */
#define COL_ENTRIES(name, format)                                                                                      \
	static void FN(col_moments_##name)(const void *x, ptrdiff_t row_stride, size_t rows, size_t cols,              \
	                                   const double *shift, double *t, double *q)                                  \
	{                                                                                                              \
		FN(col_moments)(format, x, row_stride, rows, cols, shift, t, q);                                       \
	}                                                                                                              \
	static void FN(col_ssd_##name)(const void *x, ptrdiff_t x_row_stride, const void *mean,                        \
	                               ptrdiff_t mean_row_stride, size_t rows, size_t cols, double *q)                 \
	{                                                                                                              \
		FN(col_ssd)(format, x, x_row_stride, mean, mean_row_stride, rows, cols, q);                            \
	}
COL_ENTRIES(f32, RSTD__F32)
COL_ENTRIES(f16, RSTD__F16)
COL_ENTRIES(bf16, RSTD__BF16)
#undef COL_ENTRIES
