/*
 * cols_tmpl.h - columns: outputs side by side in memory, one to a lane; the one body that every instruction set
 * compiles, once for fine sums and once for rough ones
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Groups of RSTD__COL_GROUP rows are summed in registers, as many columns at a time as a line of memory has, or a part
 * of that, before the sums in memory are touched. Columns that are left over go by single vectors.
 *
 * Includer: SUMS(name); X, the vector in which a group of rows is summed, XL, its lanes, and X_(word), its words. They
 * are V, VL and v_word for fine sums, F, FL and f_word for rough ones: those of a simd_*.h and of vectors.h. Bounds:
 * docs/numerics.md, "Level 0" and "Rough sums".
 */

/* Columns of this many vectors are summed together. */
#define COLS_VECTORS(size) (RSTD__LINE / (size) / XL < COLS_MOST ? RSTD__LINE / (size) / XL : COLS_MOST)

/* One row of `vectors` vectors of columns; a single one may be of k < XL. */
static inline __attribute__((always_inline)) void SUMS(col_widen)(enum rstd__format format, const unsigned char *p,
                                                                  size_t vectors, size_t k, X *x)
{
	if (vectors == 1) {
		x[0] = k == XL ? X_(widen)(format, p) : X_(widen_part)(format, p, k);
		return;
	}
	for (size_t j = 0; j < vectors; j += 2)
		X_(widen_two)(format, p + j * XL * rstd__format_info[format].size, x + j);
}

/* The differences of such a row. */
static inline __attribute__((always_inline)) void SUMS(col_differences)(enum rstd__format format, enum about about,
                                                                        const unsigned char *x,
                                                                        const unsigned char *mean, const X *shift,
                                                                        size_t vectors, size_t k, X *d)
{
	X m[COLS_MOST];

	SUMS(col_widen)(format, x, vectors, k, d);
	if (about == ABOUT_EACH)
		SUMS(col_widen)(format, mean, vectors, k, m);
	for (size_t j = 0; j < vectors && about != ABOUT_ZERO; j++)
		d[j] = X_(sub)(d[j], about == ABOUT_EACH ? m[j] : shift[j]);
	if (k < XL && about == ABOUT_SHIFT)
		d[0] = X_(keep)(d[0], k);
}

/* Sums of at most RSTD__COL_PART rows of columns from the bytes at x and mean on, whose shifts are s. */
static inline __attribute__((always_inline)) void SUMS(col_part)(enum rstd__format format, enum about about,
                                                                 const struct cols *cols, const unsigned char *x,
                                                                 const unsigned char *mean, const X *s, size_t rows,
                                                                 size_t vectors, size_t k, X *t, X *q)
{
	X d[COLS_MOST];

	SUMS(col_differences)(format, about, x, mean, s, vectors, k, t);
	for (size_t j = 0; j < vectors; j++)
		q[j] = X_(fma)(t[j], t[j], X_(set1)(0));
	cols_ask_for(cols, x, cols->x_ahead);
	if (about == ABOUT_EACH)
		cols_ask_for(cols, mean, cols->mean_ahead);
#pragma GCC unroll 1 /* unrolled, the places of all rows want more registers than there are */
	for (size_t r = 1; r < rows; r++) {
		x += cols->x_stride;
		cols_ask_for(cols, x, cols->x_ahead);
		if (about == ABOUT_EACH) {
			mean += cols->mean_stride;
			cols_ask_for(cols, mean, cols->mean_ahead);
		}
		SUMS(col_differences)(format, about, x, mean, s, vectors, k, d);
		for (size_t j = 0; j < vectors; j++) {
			t[j] = X_(add)(t[j], d[j]);
			q[j] = X_(fma)(d[j], d[j], q[j]);
		}
	}
}

/* Adds the sums of a group of rows, of the columns from number c on, to those in memory. */
static inline __attribute__((always_inline)) void SUMS(col_group)(enum rstd__format format, enum about about,
                                                                  bool want_t, const struct cols *cols, size_t c,
                                                                  size_t rows, size_t vectors, size_t k)
{
	const size_t size = rstd__format_info[format].size, part = rows < RSTD__COL_PART ? rows : RSTD__COL_PART;
	const unsigned char *x = cols->x + c * size, *mean = cols->mean + c * size;
	X s[COLS_MOST], t[COLS_MOST], q[COLS_MOST], t1[COLS_MOST], q1[COLS_MOST];

	for (size_t j = 0; j < vectors && about == ABOUT_SHIFT; j++)
		s[j] = X_(near)(cols->shift + c + j * XL, k);
	for (size_t j = 0; j + 1 < vectors && about == ABOUT_SHIFT; j += 2)
		X_(deal)(format, s + j);
	SUMS(col_part)(format, about, cols, x, mean, s, part, vectors, k, t, q);
	if (rows > RSTD__COL_PART) {
		SUMS(col_part)
		(format, about, cols, x + RSTD__COL_PART * cols->x_stride, mean + RSTD__COL_PART * cols->mean_stride, s,
		 rows - RSTD__COL_PART, vectors, k, t1, q1);
		for (size_t j = 0; j < vectors; j++) {
			t[j] = X_(add)(t[j], t1[j]);
			q[j] = X_(add)(q[j], q1[j]);
		}
	}
	for (size_t j = 0; j + 1 < vectors; j += 2) {
		X_(undeal)(format, t + j);
		X_(undeal)(format, q + j);
	}
	for (size_t j = 0; j < vectors; j++) {
		if (want_t)
			X_(pour)(cols->t + c + j * XL, t[j], k);
		X_(pour)(cols->q + c + j * XL, q[j], k);
	}
}

/* All columns of all rows. */
static inline __attribute__((always_inline)) void SUMS(col_sums)(enum rstd__format format, enum about about,
                                                                 bool want_t, struct cols cols, size_t rows,
                                                                 size_t count)
{
	const size_t vectors = COLS_VECTORS(rstd__format_info[format].size);
	const size_t bytes = count * rstd__format_info[format].size;
	const bool narrow = bytes < RSTD__CHUNK && cols.x_stride == (ptrdiff_t)bytes; /* rows are one stream */

	cols.soon = RSTD__COL_GROUP * bytes <= COLS_SOON;
	for (size_t now; rows > 0; rows -= now) {
		size_t c = 0;

		now = rows < RSTD__COL_GROUP ? rows : RSTD__COL_GROUP;
		if (narrow)
			rstd__ask_for_bytes(cols.x, now * bytes, false);
		for (; count - c >= vectors * XL; c += vectors * XL)
			SUMS(col_group)(format, about, want_t, &cols, c, now, vectors, XL);
		for (; count - c >= XL; c += XL)
			SUMS(col_group)(format, about, want_t, &cols, c, now, 1, XL);
		if (c < count)
			SUMS(col_group)(format, about, want_t, &cols, c, now, 1, count - c);
		cols.x += RSTD__COL_GROUP * cols.x_stride;
		cols.mean += RSTD__COL_GROUP * cols.mean_stride;
	}
}

/* About 0 there is nothing to subtract, and about means that are given no sum of differences. */
static inline __attribute__((always_inline)) void SUMS(col_moments)(enum rstd__format format, const void *x,
                                                                    ptrdiff_t row_stride, size_t rows, size_t count,
                                                                    const double *shift, double *t, double *q)
{
	const struct cols cols = {
		.x = x,
		.mean = x,
		.x_stride = row_stride,
		.x_ahead = rstd__group_ahead(row_stride, rows),
		.shift = shift,
		.t = t,
		.q = q,
	};

	if (!shift) {
		SUMS(col_sums)(format, ABOUT_ZERO, true, cols, rows, count);
	} else if (t) {
		SUMS(col_sums)(format, ABOUT_SHIFT, true, cols, rows, count);
	} else
		SUMS(col_sums)(format, ABOUT_SHIFT, false, cols, rows, count);
}

/* The same about a mean for each element. */
static inline __attribute__((always_inline)) void SUMS(col_ssd)(enum rstd__format format, const void *x,
                                                                ptrdiff_t x_row_stride, const void *mean,
                                                                ptrdiff_t mean_row_stride, size_t rows, size_t count,
                                                                double *q)
{
	const struct cols cols = {
		.x = x,
		.mean = mean,
		.x_stride = x_row_stride,
		.mean_stride = mean_row_stride,
		.x_ahead = rstd__group_ahead(x_row_stride, rows),
		.mean_ahead = rstd__group_ahead(mean_row_stride, rows),
		.q = q,
	};

	SUMS(col_sums)(format, ABOUT_EACH, false, cols, rows, count);
}

/* One entry of the table for each format. */
#define COL_ENTRIES(name, format)                                                                                      \
	static void SUMS(col_moments_##name)(const void *x, ptrdiff_t row_stride, size_t rows, size_t count,           \
	                                     const double *shift, double *t, double *q)                                \
	{                                                                                                              \
		SUMS(col_moments)(format, x, row_stride, rows, count, shift, t, q);                                    \
	}                                                                                                              \
	static void SUMS(col_ssd_##name)(const void *x, ptrdiff_t x_row_stride, const void *mean,                      \
	                                 ptrdiff_t mean_row_stride, size_t rows, size_t count, double *q)              \
	{                                                                                                              \
		SUMS(col_ssd)(format, x, x_row_stride, mean, mean_row_stride, rows, count, q);                         \
	}
COL_ENTRIES(f16, RSTD__F16)
COL_ENTRIES(bf16, RSTD__BF16)
#ifdef SUMS_F32
COL_ENTRIES(f32, RSTD__F32)
#endif
#undef COL_ENTRIES
#undef COLS_VECTORS
