/*
 * std_short_tmpl.h - standard deviations of short rows: sums, rounding test and results of VL of them at a time, in one
 * loop
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * While one group of rows waits for memory or for its root, the sums of the next ones go on, and nothing but results is
 * stored. The last group may have fewer rows. These loops are for what is common: they end before the first group that
 * the quick test, or for rough sums the slower tests, do not settle, and the caller does that one at leisure.
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h; dense_tmpl.h, finish_tmpl.h, short_tmpl.h.
 */

/* The rows of a group, and how they are rounded. */
struct FN(std_group) {
	const struct rstd__finish *f;
	struct FN(quick) quick;
	struct FN(rounding) to_y;
	struct FN(test) rough, fine; /* set for rough sums only */
	ptrdiff_t row[VL];
};

static inline void FN(std_group_make)(struct FN(std_group) * g, const struct rstd__finish *f,
                                      const struct rstd__finish *again, ptrdiff_t stride)
{
	g->f = f;
	g->quick = FN(quick_of)(f);
	g->to_y = FN(rounding_to)(f->y);
	if (again) {
		g->rough = FN(test_of)(f);
		g->fine = FN(test_of)(again);
	}
	for (size_t i = 0; i < VL; i++)
		g->row[i] = (ptrdiff_t)i * stride;
}

#if V_ROUGH
/* The rows whose bits are set in `which`, by fine sums. */
static __attribute__((noinline)) bool FN(std_finely)(const struct FN(std_group) * g, enum rstd__format format,
                                                     const unsigned char *x, size_t n, unsigned which, unsigned char *y)
{
	const size_t size = rstd__format_info[g->f->y].size;
	const size_t rows = (size_t)__builtin_popcount(which);
	const unsigned lanes = (1U << rows) - 1;
	unsigned char narrow[VL * sizeof(float)];
	ptrdiff_t row[VL];
	double shift[VL];
	V t, q, result;

	for (unsigned i = 0, left = which; left; left &= left - 1)
		row[i++] = g->row[__builtin_ctz(left)];
	FN(short_sums)(FN(FINE), format, x, row, rows, n, true, shift, &t, &q);
	if (FN(finish_y)(&g->fine, RSTD__STD, t, q, &result) & lanes)
		return false;
	v_narrow(g->f->y, narrow, result, VL);
	for (unsigned i = 0, left = which; left; left &= left - 1, i++)
		memcpy(y + (size_t)__builtin_ctz(left) * size, narrow + i * size, size);
	return true;
}

/* What the quick test leaves open of rough sums: by the test of both ends, then by fine sums of what that leaves open. */
static inline __attribute__((always_inline)) bool FN(std_again)(const struct FN(std_group) * g,
                                                                enum rstd__format format, const unsigned char *x,
                                                                size_t rows, size_t n, V t, V q, unsigned char *y)
{
	const unsigned lanes = (1U << rows) - 1;
	V result;
	const unsigned open = FN(finish_ends)(&g->rough, false, FN(finish_m2)(&g->rough, t, q), q, &result) & lanes;

	v_narrow(g->f->y, y, result, rows);
	return open == 0 || FN(std_finely)(g, format, x, n, open, y);
}
#endif

/* Up to VL rows; false if a result is not settled. */
static inline __attribute__((always_inline)) bool FN(std_rows_group)(const struct FN(std_group) * g,
                                                                     enum FN(short_way) way, enum rstd__format format,
                                                                     bool zero, const unsigned char *x, size_t rows,
                                                                     size_t n, unsigned char *y)
{
	double shift[VL] = { 0 };
	V t, q, half;

	if (way == FN(DENSE))
		FN(dense_group)(format, x, rows, n, !zero, shift, &t, &q);
#if V_TURNED
	else if (way == FN(DEALT) && zero && n == 16)
		FN(turned_group)(x, g->row, &t, &q);
#endif
	else
		FN(short_sums)(way, format, x, g->row, rows, n, !zero, shift, &t, &q);
	if (way == FN(DENSE) && n == 2 && g->f->result == RSTD__HALF_T) {
		if ((FN(finish_half)(&g->to_y, t, q, &half) & ((1U << rows) - 1)) != 0)
			return false;
		v_narrow(g->f->y, y, half, rows);
		return true;
	}
	if (FN(quick_std)(&g->quick, t, q, rows, y))
		return true;
#if V_ROUGH
	if (way == FN(ROUGH) || way == FN(LONG_ROUGH))
		return FN(std_again)(g, format, x, rows, n, t, q, y);
#endif
	return false;
}

/* As many groups as fit a chunk of memory before the next one is asked for, so that no branch has to look for it. */
static inline __attribute__((always_inline)) size_t FN(std_whole)(const struct FN(std_group) * g,
                                                                  enum FN(short_way) way, enum rstd__format format,
                                                                  bool zero, const unsigned char *x, ptrdiff_t stride,
                                                                  size_t rows, size_t n, unsigned char *y)
{
	const size_t bytes = n * rstd__format_info[format].size, size = rstd__format_info[g->f->y].size;
	size_t r = 0;

	while (rows - r >= VL) {
		size_t done = 0;

		if (bytes <= RSTD__LINE) /* longer rows ask for themselves */
			rstd__ask_for_chunk((uintptr_t)(x + (ptrdiff_t)r * stride), true);
		do {
			rstd__ask_to_write(y + r * size);
			if (!FN(std_rows_group)(g, way, format, zero, x + (ptrdiff_t)r * stride, VL, n, y + r * size))
				return r;
			r += VL;
			done += VL * bytes;
		} while (done + VL * bytes <= RSTD__CHUNK && rows - r >= VL);
	}
	return r;
}

/* All groups, and the rows that are left, but for long ones: a few of those do not pay for code of their own. */
static inline __attribute__((always_inline)) size_t FN(std_all)(struct FN(std_group) * g, enum FN(short_way) way,
                                                                enum rstd__format format, const unsigned char *x,
                                                                ptrdiff_t stride, size_t rows, size_t n,
                                                                unsigned char *y)
{
	const size_t r = FN(std_whole)(g, way, format, false, x, stride, rows, n, y), rest = rows - r;

	if (rest == 0 || rest >= VL || way == FN(LONG_FINE) || way == FN(LONG_ROUGH))
		return r;
	for (size_t i = rest; i < VL && way == FN(DEALT); i++) /* the first row again for each that is not there */
		g->row[i] = 0;
	y += r * rstd__format_info[g->f->y].size;
	return FN(std_rows_group)(g, way, format, false, x + (ptrdiff_t)r * stride, rest, n, y) ? rows : r;
}

/*
 * Groups of rows of binary32 about 0 first, without a subtraction for each element. Where one is not settled so, its rows
 * may be far from 0, and it and the rest are summed about first elements.
 */
static inline __attribute__((always_inline)) size_t FN(std_rows)(enum FN(short_way) way, enum rstd__format format,
                                                                 const struct rstd__finish *f,
                                                                 const struct rstd__finish *again,
                                                                 const unsigned char *x, ptrdiff_t stride, size_t rows,
                                                                 size_t n, unsigned char *y)
{
	const size_t size = rstd__format_info[f->y].size;
	struct FN(std_group) g;
	size_t r = 0;

	FN(std_group_make)(&g, f, again, stride);
	if (format == RSTD__F32 && n > 3)
		r = FN(std_whole)(&g, way, format, true, x, stride, rows, n, y);
	return r + FN(std_all)(&g, way, format, x + (ptrdiff_t)r * stride, stride, rows - r, n, y + r * size);
}

#if F_DEALT
/*
 * Rough sums of 16-bit rows of 4 to 16 elements, a multiple of 4: FL rows at a time, each in two lanes, the test in
 * binary32, too. docs/numerics.md, "Very short rows".
 */
struct FN(deal) {
	F minus_inverse_n, inverse_divisor, least, largest;
	F of_q, of_m2; /* the bound of S, over 2 D: of_q q + of_m2 M2 */
};

static inline struct FN(deal) FN(deal_of)(enum rstd__format format, const struct rstd__finish *f, size_t n)
{
	const double v = 0x1p-24, half = 0.5 * 1.001 * v * f->inverse_divisor;
	const double sums = 0.75 * (double)n + 4, means = (double)n + 5, roots = 8;

	return (struct FN(deal)){
		.minus_inverse_n = f_set1((float)-f->inverse_n),
		.inverse_divisor = f_set1((float)f->inverse_divisor),
		.least = f_set1(format == RSTD__F16 ? 0 : 0x1p-90F),
		.largest = f_set1(0x1p100F),
		.of_q = f_set1((float)((sums + means) * half)),
		.of_m2 = f_set1((float)((roots - means) * half)),
	};
}

/* The sums of VL rows, each in two lanes; n is a constant where this is called. */
static inline __attribute__((always_inline)) void FN(deal_sums)(enum rstd__format format, const unsigned char *x,
                                                                size_t n, F *t, F *q)
{
	alignas(64) float c[C_COLUMNS * VL];
	F two[2], k, d[2];

	c_deal(RSTD__F32, n / 2, VL, x, c);
	f_widen_two(format, (const unsigned char *)c, two);
	k = f_firsts(format, two[0]);
	d[0] = f_sub(two[0], k);
	d[1] = f_sub(two[1], k);
	*t = f_add(d[0], d[1]);
	*q = f_fma(d[1], d[1], f_mul(d[0], d[0]));
	for (size_t j = 2; j < n / 2; j += 2) {
		f_widen_two(format, (const unsigned char *)(c + j * VL), two);
		d[0] = f_sub(two[0], k);
		d[1] = f_sub(two[1], k);
		*t = f_add(f_add(*t, d[0]), d[1]);
		*q = f_fma(d[1], d[1], f_fma(d[0], d[0], *q));
	}
}

/* FL rows; bits of those that are not settled are set. */
static inline __attribute__((always_inline)) unsigned FN(deal_group)(const struct FN(deal) * g,
                                                                     enum rstd__format format,
                                                                     enum rstd__format y_format, const unsigned char *x,
                                                                     size_t n, unsigned char *y)
{
	F t[2], q[2];

	FN(deal_sums)(format, x, n, &t[0], &q[0]);
	FN(deal_sums)(format, x + VL * n * rstd__format_info[format].size, n, &t[1], &q[1]);

	const F sum = f_join_rows(format, t[0], t[1]), squares = f_join_rows(format, q[0], q[1]);
	const F m2 = f_fma(f_mul(sum, g->minus_inverse_n), sum, squares);
	const F a = f_mul(m2, g->inverse_divisor), inverse = f_inverse_root(a), root = f_mul(a, inverse);
	const F minus_e = f_fma(root, inverse, f_set1(-1)); /* two terms of a series, as in v_root() */
	const F middle = f_fma(f_mul(root, f_set1(-0.5F)), minus_e, root);
	const F bound = f_mul(f_fma(m2, g->of_m2, f_mul(squares, g->of_q)), inverse);

	return f_outside(m2, g->least, g->largest) |
	       f_store_agreed(y_format, y, f_sub(middle, bound), f_add(middle, bound));
}

static inline __attribute__((always_inline)) size_t FN(deal_rows)(enum rstd__format format,
                                                                  const struct rstd__finish *f, const unsigned char *x,
                                                                  size_t rows, size_t n, unsigned char *y)
{
	const struct FN(deal) g = FN(deal_of)(format, f, n);
	const size_t size = rstd__format_info[format].size, bytes = n * size;
	const enum FN(short_way) way = n <= RSTD__DENSE_MAX ? FN(DENSE) : FN(DEALT);
	struct FN(std_group) fine;
	size_t r = 0;

	FN(std_group_make)(&fine, f, NULL, (ptrdiff_t)bytes);
	while (rows - r >= FL) {
		size_t done = 0;

		rstd__ask_for_chunk((uintptr_t)(x + r * bytes), true);
		do {
			unsigned open;

			rstd__ask_to_write(y + r * size);
			open = FN(deal_group)(&g, format, f->y, x + r * bytes, n, y + r * size);

			for (size_t i = 0; __builtin_expect(open != 0, false) && i < FL; i += VL)
				if ((open >> i & ((1U << VL) - 1)) != 0 &&
				    !FN(std_rows_group)(&fine, way, format, false, x + (r + i) * bytes, VL, n,
				                        y + (r + i) * size))
					return r + i;
			r += FL;
			done += FL * bytes;
		} while (done + FL * bytes <= RSTD__CHUNK && rows - r >= FL);
	}
	return r + FN(std_all)(&fine, way, format, x + r * bytes, (ptrdiff_t)bytes, rows - r, n, y + r * size);
}
#endif

#define STD_CASE(n)                                                                                                    \
	case n:                                                                                                        \
		return FN(std_rows)(FN(DENSE), format, f, again, x, stride, rows, n, y);

static inline __attribute__((always_inline)) size_t FN(std_dense)(enum rstd__format format,
                                                                  const struct rstd__finish *f, const void *x,
                                                                  ptrdiff_t stride, size_t rows, size_t n, void *y)
{
	const struct rstd__finish *const again = NULL;

	switch (n) {
		STD_CASE(2)
		STD_CASE(3)
		STD_CASE(4)
		STD_CASE(5)
		STD_CASE(6)
		STD_CASE(7)
		STD_CASE(8)
	}
	return 0;
}

#undef STD_CASE

#if F_DEALT
#define DEAL_CASE(n)                                                                                                   \
	case n:                                                                                                        \
		return FN(deal_rows)(format, f, x, rows, n, y);

static inline __attribute__((always_inline)) size_t FN(std_deal)(enum rstd__format format, const struct rstd__finish *f,
                                                                 const void *x, size_t rows, size_t n, void *y)
{
	switch (n) {
		DEAL_CASE(4)
		DEAL_CASE(8)
		DEAL_CASE(12)
		DEAL_CASE(16)
	}
	return 0;
}

#undef DEAL_CASE
#endif

static inline __attribute__((always_inline)) size_t FN(std)(enum rstd__format format, const struct rstd__finish *f,
                                                            const struct rstd__finish *again, const void *x,
                                                            ptrdiff_t stride, size_t rows, size_t n, void *y)
{
	const bool dense = stride == (ptrdiff_t)(n * rstd__format_info[format].size);

#if V_ROUGH
	if (format != RSTD__F32 && again)
		return FN(std_rows)(FN(ROUGH), format, f, again, x, stride, rows, n, y);
#endif
#if F_DEALT
	if (format != RSTD__F32 && f->y != RSTD__F32 && dense && n % 4 == 0 && n <= 16)
		return FN(std_deal)(format, f, x, rows, n, y);
#endif
	if (dense && n >= 2 && n <= RSTD__DENSE_MAX)
		return FN(std_dense)(format, f, x, stride, rows, n, y);
	if (FN(are_dealt)(format, 16) && n == 16)
		return FN(std_rows)(FN(DEALT), format, f, again, x, stride, rows, 16, y);
	if (FN(are_dealt)(format, n))
		return FN(std_rows)(FN(DEALT), format, f, again, x, stride, rows, n, y);
	return FN(std_rows)(FN(FINE), format, f, again, x, stride, rows, n, y);
}

/* Rows of several chunks of memory. */
static inline __attribute__((always_inline)) size_t FN(std_long)(enum rstd__format format, const struct rstd__finish *f,
                                                                 const struct rstd__finish *again, const void *x,
                                                                 ptrdiff_t stride, size_t rows, size_t n, void *y)
{
#if V_ROUGH
	if (format != RSTD__F32 && again)
		return FN(std_rows)(FN(LONG_ROUGH), format, f, again, x, stride, rows, n, y);
#endif
	return FN(std_rows)(FN(LONG_FINE), format, f, again, x, stride, rows, n, y);
}

/* One entry of the table for each format; that compilers keep apart what long rows need makes the others no slower. */
#define STD_ENTRY(name, format)                                                                                        \
	static __attribute__((noinline)) size_t FN(std_long_##name)(const struct rstd__finish *f,                      \
	                                                            const struct rstd__finish *again, const void *x,   \
	                                                            ptrdiff_t stride, size_t rows, size_t n, void *y)  \
	{                                                                                                              \
		return FN(std_long)(format, f, again, x, stride, rows, n, y);                                          \
	}                                                                                                              \
	static size_t FN(std_##name)(const struct rstd__finish *f, const struct rstd__finish *again, const void *x,    \
	                             ptrdiff_t stride, size_t rows, size_t n, void *y)                                 \
	{                                                                                                              \
		if (n * rstd__format_info[format].size >= 3 * RSTD__CHUNK)                                             \
			return FN(std_long_##name)(f, again, x, stride, rows, n, y);                                   \
		return FN(std)(format, f, again, x, stride, rows, n, y);                                               \
	}
STD_ENTRY(f32, RSTD__F32)
STD_ENTRY(f16, RSTD__F16)
STD_ENTRY(bf16, RSTD__BF16)
#undef STD_ENTRY
