/*
 * cols_tmpl.h - columns: outputs side by side in memory, one to a lane; the one body that every instruction set
 * compiles, once for fine sums and once for rough ones
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Includer: COLS(name); X, the vector in which a group of rows is summed, XL, its lanes, and X_(word), its words. They
 * are V, VL and v_word for fine sums, F, FL and f_word for rough ones: those of a simd_*.h, and, of columns.h, near and
 * pour. Bounds: docs/numerics.md, "Level 0" and "Rough sums".
 */

/* XL columns, or k < XL, of `rows` <= RSTD__COL_GROUP rows. */
static inline __attribute__((always_inline)) void COLS(col_moments_group)(enum rstd__format format,
                                                                          const unsigned char *x, ptrdiff_t row_stride,
                                                                          size_t rows, size_t k, bool about_zero,
                                                                          const double *shift, double *t, double *q)
{
	const X s = about_zero ? X_(set1)(0) : X_(near)(shift, k);
	X t0 = X_(set1)(0), t1 = t0, q0 = t0, q1 = t0;
	size_t r = 0;

#define DIFFERENCE(p)                                                                                                  \
	(k == XL      ? about_zero ? X_(widen)(format, p) : X_(sub)(X_(widen)(format, p), s)                           \
	      : about_zero ? X_(widen_part)(format, p, k)                                                              \
	              : X_(keep)(X_(sub)(X_(widen_part)(format, p, k), s), k))
#pragma GCC unroll 4
	for (; r + 2 <= rows; r += 2) {
		const X d0 = DIFFERENCE(x + (ptrdiff_t)r * row_stride);
		const X d1 = DIFFERENCE(x + (ptrdiff_t)(r + 1) * row_stride);

		t0 = X_(add)(t0, d0);
		q0 = X_(fma)(d0, d0, q0);
		t1 = X_(add)(t1, d1);
		q1 = X_(fma)(d1, d1, q1);
	}
	if (r < rows) {
		const X d = DIFFERENCE(x + (ptrdiff_t)r * row_stride);

		t0 = X_(add)(t0, d);
		q0 = X_(fma)(d, d, q0);
	}
#undef DIFFERENCE
	X_(pour)(t, X_(add)(t0, t1), k);
	X_(pour)(q, X_(add)(q0, q1), k);
}

/* All columns of these rows; whole groups ask for memory `ahead` of them, a line of each row at a time. */
static inline __attribute__((always_inline)) void COLS(col_moments_rows)(enum rstd__format format,
                                                                         const unsigned char *x, ptrdiff_t row_stride,
                                                                         ptrdiff_t ahead, size_t rows, size_t cols,
                                                                         bool about_zero, const double *shift,
                                                                         double *t, double *q)
{
	const size_t size = rstd__format_info[format].size, line = RSTD__LINE / size;
	size_t c = 0;

	for (; rows == RSTD__COL_GROUP && cols - c >= line; c += line) {
		rstd__ask_for_rows(x + c * size, row_stride, ahead);
		for (size_t i = c; i < c + line; i += XL) {
			COLS(col_moments_group)
			(format, x + i * size, row_stride, rows, XL, about_zero, shift + i, t + i, q + i);
		}
	}
	for (; cols - c >= XL; c += XL) {
		COLS(col_moments_group)
		(format, x + c * size, row_stride, rows, XL, about_zero, shift + c, t + c, q + c);
	}
	if (c < cols) {
		COLS(col_moments_group)
		(format, x + c * size, row_stride, rows, cols - c, about_zero, shift + c, t + c, q + c);
	}
}

static inline __attribute__((always_inline)) void COLS(col_moments_about)(enum rstd__format format,
                                                                          const unsigned char *x, ptrdiff_t row_stride,
                                                                          size_t rows, size_t cols, bool about_zero,
                                                                          const double *shift, double *t, double *q)
{
	const ptrdiff_t ahead = rstd__group_ahead(row_stride);

	for (; rows >= RSTD__COL_GROUP; rows -= RSTD__COL_GROUP, x += RSTD__COL_GROUP * row_stride) {
		COLS(col_moments_rows)(format, x, row_stride, ahead, RSTD__COL_GROUP, cols, about_zero, shift, t, q);
	}
	if (rows > 0) {
		COLS(col_moments_rows)(format, x, row_stride, ahead, rows, cols, about_zero, shift, t, q);
	}
}

/* About 0 there is nothing to subtract, which is worth a body of its own. */
static inline __attribute__((always_inline)) void COLS(col_moments)(enum rstd__format format, const void *x,
                                                                    ptrdiff_t row_stride, size_t rows, size_t cols,
                                                                    const double *shift, double *t, double *q)
{
	if (shift) {
		COLS(col_moments_about)(format, x, row_stride, rows, cols, false, shift, t, q);
	} else
		COLS(col_moments_about)(format, x, row_stride, rows, cols, true, t, t, q); /* any pointer for a shift */
}

/* The same about a mean for each element. */
static inline __attribute__((always_inline)) void COLS(col_ssd_group)(enum rstd__format format, const unsigned char *x,
                                                                      ptrdiff_t x_row_stride, const unsigned char *mean,
                                                                      ptrdiff_t mean_row_stride, size_t rows, size_t k,
                                                                      double *q)
{
	X q0 = X_(set1)(0), q1 = q0;
	size_t r = 0;

#define DIFFERENCE(p, m)                                                                                               \
	(k == XL ? X_(sub)(X_(widen)(format, p), X_(widen)(format, m))                                                 \
	         : X_(sub)(X_(widen_part)(format, p, k), X_(widen_part)(format, m, k)))
#pragma GCC unroll 4
	for (; r + 2 <= rows; r += 2) {
		const X d0 = DIFFERENCE(x, mean), d1 = DIFFERENCE(x + x_row_stride, mean + mean_row_stride);

		q0 = X_(fma)(d0, d0, q0);
		q1 = X_(fma)(d1, d1, q1);
		x += 2 * x_row_stride;
		mean += 2 * mean_row_stride;
	}
	if (r < rows) {
		const X d = DIFFERENCE(x, mean);

		q0 = X_(fma)(d, d, q0);
	}
#undef DIFFERENCE
	X_(pour)(q, X_(add)(q0, q1), k);
}

static inline __attribute__((always_inline)) void COLS(col_ssd_rows)(enum rstd__format format, const unsigned char *x,
                                                                     ptrdiff_t x_row_stride, ptrdiff_t x_ahead,
                                                                     const unsigned char *mean,
                                                                     ptrdiff_t mean_row_stride, ptrdiff_t mean_ahead,
                                                                     size_t rows, size_t cols, double *q)
{
	const size_t size = rstd__format_info[format].size, line = RSTD__LINE / size;
	size_t c = 0;

	for (; rows == RSTD__COL_GROUP && cols - c >= line; c += line) {
		rstd__ask_for_rows(x + c * size, x_row_stride, x_ahead);
		rstd__ask_for_rows(mean + c * size, mean_row_stride, mean_ahead);
		for (size_t i = c; i < c + line; i += XL) {
			COLS(col_ssd_group)
			(format, x + i * size, x_row_stride, mean + i * size, mean_row_stride, rows, XL, q + i);
		}
	}
	for (; cols - c >= XL; c += XL) {
		COLS(col_ssd_group)
		(format, x + c * size, x_row_stride, mean + c * size, mean_row_stride, rows, XL, q + c);
	}
	if (c < cols) {
		COLS(col_ssd_group)
		(format, x + c * size, x_row_stride, mean + c * size, mean_row_stride, rows, cols - c, q + c);
	}
}

static inline __attribute__((always_inline)) void COLS(col_ssd)(enum rstd__format format, const void *x,
                                                                ptrdiff_t x_row_stride, const void *mean,
                                                                ptrdiff_t mean_row_stride, size_t rows, size_t cols,
                                                                double *q)
{
	const ptrdiff_t x_ahead = rstd__group_ahead(x_row_stride), mean_ahead = rstd__group_ahead(mean_row_stride);
	const unsigned char *p = x, *m = mean;

	for (; rows >= RSTD__COL_GROUP; rows -= RSTD__COL_GROUP) {
		COLS(col_ssd_rows)
		(format, p, x_row_stride, x_ahead, m, mean_row_stride, mean_ahead, RSTD__COL_GROUP, cols, q);
		p += RSTD__COL_GROUP * x_row_stride;
		m += RSTD__COL_GROUP * mean_row_stride;
	}
	if (rows > 0) {
		COLS(col_ssd_rows)(format, p, x_row_stride, x_ahead, m, mean_row_stride, mean_ahead, rows, cols, q);
	}
}

/* One entry of the table for each format. */
#define COL_ENTRIES(name, format)                                                                                      \
	static void COLS(col_moments_##name)(const void *x, ptrdiff_t row_stride, size_t rows, size_t cols,            \
	                                     const double *shift, double *t, double *q)                                \
	{                                                                                                              \
		COLS(col_moments)(format, x, row_stride, rows, cols, shift, t, q);                                     \
	}                                                                                                              \
	static void COLS(col_ssd_##name)(const void *x, ptrdiff_t x_row_stride, const void *mean,                      \
	                                 ptrdiff_t mean_row_stride, size_t rows, size_t cols, double *q)               \
	{                                                                                                              \
		COLS(col_ssd)(format, x, x_row_stride, mean, mean_row_stride, rows, cols, q);                          \
	}
COL_ENTRIES(f16, RSTD__F16)
COL_ENTRIES(bf16, RSTD__BF16)
#ifdef COLS_F32
COL_ENTRIES(f32, RSTD__F32)
#endif
#undef COL_ENTRIES
