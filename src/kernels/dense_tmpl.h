/*
 * dense_tmpl.h - very short rows that follow each other, VL of them at a time, one in each lane
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * VL rows of n elements are n vectors of memory. Permutations deal them out, so that vector j has element j of each row
 * (c_deal), and no lanes are added up. Each length has a body of its own, in which all indices are constants.
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h. At most RSTD__DENSE_MAX additions follow each other.
 */

/* Up to VL rows, about their first elements or about shifts that are given; other lanes are of no use. */
static inline __attribute__((always_inline)) void FN(dense_group)(enum rstd__format format, const unsigned char *x,
                                                                  size_t rows, size_t n, bool about_first,
                                                                  double *shift, V *t, V *q)
{
	alignas(64) float c[C_COLUMNS * VL];
	V k, d;
	size_t j = 0;

	c_deal(format, n, rows, x, c);
	if (about_first) {
		k = v_widen(RSTD__F32, c);
		v_store(shift, k);
		j++;
	} else {
		k = v_load(shift);
	}
	d = v_sub(v_widen(RSTD__F32, c + j * VL), k);
	*t = d;
	*q = v_mul(d, d);
	for (j++; j < n; j++) {
		d = v_sub(v_widen(RSTD__F32, c + j * VL), k);
		*t = v_add(*t, d);
		*q = v_fma(d, d, *q);
	}
}

static inline __attribute__((always_inline)) void FN(dense_store)(enum rstd__format format, const unsigned char *x,
                                                                  size_t rows, size_t n, bool about_first,
                                                                  double *shift, double *t, double *q)
{
	V tv, qv;

	FN(dense_group)(format, x, rows, n, about_first, shift, &tv, &qv);
	v_store(t, tv);
	v_store(q, qv);
}

/* The rows that are left. */
static inline __attribute__((always_inline)) void FN(dense_rest)(enum rstd__format format, const unsigned char *x,
                                                                 size_t rows, size_t n, bool about_first, double *shift,
                                                                 double *t, double *q)
{
	double shifts[VL];

	if (!about_first)
		v_store(shifts, v_load_part(shift, rows));
	FN(dense_store)(format, x, rows, n, about_first, shifts, t, q);
	if (about_first)
		v_store_part(shift, v_load(shifts), rows);
}

static inline __attribute__((always_inline)) void FN(dense_rows)(enum rstd__format format, const unsigned char *x,
                                                                 size_t rows, size_t n, bool about_first, double *shift,
                                                                 double *t, double *q)
{
	const size_t row = n * rstd__format_info[format].size;
	size_t r = 0;

	while (rows - r >= VL) { /* as many groups as fit a chunk, so that no branch has to look for its start */
		size_t done = 0;

		rstd__ask_for_chunk((uintptr_t)(x + r * row), true);
		do {
			FN(dense_store)(format, x + r * row, VL, n, about_first, shift + r, t + r, q + r);
			r += VL;
			done += VL * row;
		} while (done + VL * row <= RSTD__CHUNK && rows - r >= VL);
	}
	if (r < rows)
		FN(dense_rest)(format, x + r * row, rows - r, n, about_first, shift + r, t + r, q + r);
}

#define DENSE_CASE(n)                                                                                                  \
	case n:                                                                                                        \
		if (about_first)                                                                                       \
			FN(dense_rows)(format, x, rows, n, true, shift, t, q);                                         \
		else                                                                                                   \
			FN(dense_rows)(format, x, rows, n, false, shift, t, q);                                        \
		break;

static inline __attribute__((always_inline)) void FN(dense_moments)(enum rstd__format format, const void *x,
                                                                    size_t rows, size_t n, bool about_first,
                                                                    double *shift, double *t, double *q)
{
	switch (n) {
		DENSE_CASE(2)
		DENSE_CASE(3)
		DENSE_CASE(4)
		DENSE_CASE(5)
		DENSE_CASE(6)
		DENSE_CASE(7)
		DENSE_CASE(8)
	}
}

#undef DENSE_CASE

/* One entry of the table for each format. */
#define DENSE_ENTRY(name, format)                                                                                      \
	static void FN(dense_moments_##name)(const void *x, size_t rows, size_t n, bool about_first, double *shift,    \
	                                     double *t, double *q)                                                     \
	{                                                                                                              \
		FN(dense_moments)(format, x, rows, n, about_first, shift, t, q);                                       \
	}
DENSE_ENTRY(f32, RSTD__F32)
DENSE_ENTRY(f16, RSTD__F16)
DENSE_ENTRY(bf16, RSTD__BF16)
#undef DENSE_ENTRY
