/*
 * rows_tmpl.h - contiguous rows: the one body that every instruction set compiles, once for fine sums and once for
 * rough ones
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Includer: SUMS(name); X, the vector of the sums, XL, its lanes, X_(word), its words, and X_BLOCK, the elements after
 * which the sums are emptied into binary64 ones. They are V, VL and v_word for fine sums, F, FL and f_word for rough
 * ones: those of a simd_*.h, and, of vectors.h, near_one and empty. Bounds: docs/numerics.md, "Level 0" and "Rough
 * sums".
 */

#ifndef ROW_STEP
#define ROW_STEP (ROW_ACCS * XL) /* elements that are added at a time */

/*
 * In a loop that memory is the limit of, several pages at a time are more streams for it to answer than one. A loop that
 * is bound by arithmetic has no use for that, and rather finds the next line on its way.
 */
#define ROW_BY_PAGES(format) ((format) == RSTD__F32 || XL > VL)
#define ROW_AHEAD            (RSTD__REGION / 2)
#endif

/* ROW_STEP elements, two vectors at a time. About given means the sum of the differences is not wanted. */
static inline __attribute__((always_inline)) void SUMS(row_step)(enum rstd__format format, enum about about,
                                                                 bool want_t, const unsigned char *x,
                                                                 const unsigned char *mean, X k, X *t, X *q)
{
	const size_t two = 2 * XL * rstd__format_info[format].size;
	X d[ROW_ACCS], m[2];

	if (!ROW_BY_PAGES(format))
		rstd__ask_for(x, ROW_AHEAD);
	if (!ROW_BY_PAGES(format) && about == ABOUT_EACH)
		rstd__ask_for(mean, ROW_AHEAD);
#pragma GCC unroll 4
	for (size_t j = 0; j < ROW_ACCS; j += 2) {
		X_(widen_two)(format, x + j / 2 * two, &d[j]);
		if (about == ABOUT_EACH) {
			X_(widen_two)(format, mean + j / 2 * two, m);
			d[j] = X_(sub)(d[j], m[0]);
			d[j + 1] = X_(sub)(d[j + 1], m[1]);
		}
	}
#pragma GCC unroll 4
	for (size_t j = 0; j < ROW_ACCS; j++) {
		if (about == ABOUT_SHIFT)
			d[j] = X_(sub)(d[j], k);
		if (want_t)
			t[j] = X_(add)(t[j], d[j]);
		q[j] = X_(fma)(d[j], d[j], q[j]);
	}
}

/* A vector of them, or n < XL. */
static inline __attribute__((always_inline)) void SUMS(row_rest)(enum rstd__format format, enum about about,
                                                                 const unsigned char *x, const unsigned char *mean,
                                                                 size_t n, X k, X *t, X *q)
{
	const bool whole = n == XL;
	X d = whole ? X_(widen)(format, x) : X_(widen_part)(format, x, n);

	if (about == ABOUT_EACH)
		k = whole ? X_(widen)(format, mean) : X_(widen_part)(format, mean, n);
	if (about != ABOUT_ZERO)
		d = X_(sub)(d, k);
	if (!whole)
		d = X_(keep)(d, n);
	*t = X_(add)(*t, d);
	*q = X_(fma)(d, d, *q);
}

static inline void SUMS(row_ask)(enum rstd__format format, enum about about, const unsigned char *x,
                                 const unsigned char *mean)
{
	if (ROW_BY_PAGES(format))
		rstd__ask_for_chunk((uintptr_t)x, false);
	if (ROW_BY_PAGES(format) && about == ABOUT_EACH)
		rstd__ask_for_chunk((uintptr_t)mean, false);
}

/* The sums of at most X_BLOCK elements. */
static inline __attribute__((always_inline)) void SUMS(row_block)(enum rstd__format format, enum about about,
                                                                  bool want_t, const unsigned char *x,
                                                                  const unsigned char *mean, size_t n, X k, V *t_sum,
                                                                  V *q_sum)
{
	const size_t size = rstd__format_info[format].size, turn = RSTD__CHUNK / size;
	X t[ROW_ACCS], q[ROW_ACCS];
	size_t i = 0;

	for (size_t j = 0; j < ROW_ACCS; j++)
		t[j] = q[j] = X_(set1)(0);
	for (; n - i >= turn; i += turn) {
		SUMS(row_ask)(format, about, x + i * size, mean + i * size);
#pragma GCC unroll 4
		for (size_t j = i; j < i + turn; j += ROW_STEP)
			SUMS(row_step)(format, about, want_t, x + j * size, mean + j * size, k, t, q);
	}
	if (i < n)
		SUMS(row_ask)(format, about, x + i * size, mean + i * size);
	for (; n - i >= ROW_STEP; i += ROW_STEP)
		SUMS(row_step)(format, about, want_t, x + i * size, mean + i * size, k, t, q);
	for (size_t j = 0; i < n; i += XL, j++) {
		const size_t now = n - i < XL ? n - i : XL;

		SUMS(row_rest)(format, about, x + i * size, mean + i * size, now, k, &t[j], &q[j]);
	}
	X_(empty)(t, t_sum);
	X_(empty)(q, q_sum);
}

/* mean is used only if there is one for each element, shift only if there is one for all. */
static inline __attribute__((always_inline)) void SUMS(row_sums)(enum rstd__format format, enum about about,
                                                                 bool want_t, const unsigned char *x,
                                                                 const unsigned char *mean, size_t n, double shift,
                                                                 double *t, double *q)
{
	const size_t size = rstd__format_info[format].size;
	const X k = X_(near_one)(shift);
	V t_sum[2] = { v_set1(0), v_set1(0) }, q_sum[2] = { v_set1(0), v_set1(0) };

	for (size_t i = 0; i < n; i += X_BLOCK) {
		const size_t now = n - i < X_BLOCK ? n - i : X_BLOCK;

		SUMS(row_block)(format, about, want_t, x + i * size, mean + i * size, now, k, t_sum, q_sum);
	}
	if (want_t)
		*t = v_total(t_sum);
	*q = v_total(q_sum);
}

static inline __attribute__((always_inline)) void SUMS(row_moments)(enum rstd__format format, const void *x, size_t n,
                                                                    double shift, double *t, double *q)
{
	if (!t) {
		SUMS(row_sums)(format, ABOUT_SHIFT, false, x, x, n, shift, NULL, q);
	} else if (shift == 0) {
		SUMS(row_sums)(format, ABOUT_ZERO, true, x, x, n, 0, t, q);
	} else {
		SUMS(row_sums)(format, ABOUT_SHIFT, true, x, x, n, shift, t, q);
	}
}

/* One entry of the table for each format. */
#define ROW_ENTRIES(name, format)                                                                                      \
	static void SUMS(row_moments_##name)(const void *x, size_t n, double shift, double *t, double *q)              \
	{                                                                                                              \
		SUMS(row_moments)(format, x, n, shift, t, q);                                                          \
	}                                                                                                              \
	static void SUMS(row_ssd_##name)(const void *x, const void *mean, size_t n, double *q)                         \
	{                                                                                                              \
		SUMS(row_sums)(format, ABOUT_EACH, false, x, mean, n, 0, NULL, q);                                     \
	}
ROW_ENTRIES(f16, RSTD__F16)
ROW_ENTRIES(bf16, RSTD__BF16)
#ifdef SUMS_F32
ROW_ENTRIES(f32, RSTD__F32)
#endif
#undef ROW_ENTRIES
