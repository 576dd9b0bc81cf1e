/*
 * std_tmpl.h - standard deviations of short rows: sums, rounding test and results of VL of them at a time, in one loop
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * While one group of rows waits for memory or for its root, the sums of the next ones go on, and nothing but results is
 * stored. These loops are for what is common: they end before the first group that the quick test, or for rough sums the
 * slower tests, do not settle, and the caller does that one at leisure.
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

static inline struct FN(std_group)
	FN(std_group_of)(const struct rstd__finish *f, const struct rstd__finish *again, ptrdiff_t stride)
{
	struct FN(std_group) g;

	g.f = f;
	g.quick = FN(quick_of)(f);
	g.to_y = FN(rounding_to)(f->y);
	if (again) {
		g.rough = FN(test_of)(f);
		g.fine = FN(test_of)(again);
	}
	for (size_t i = 0; i < VL; i++)
		g.row[i] = (ptrdiff_t)i * stride;
	return g;
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
	v_narrow(g->f->y, narrow, result);
	for (unsigned i = 0, left = which; left; left &= left - 1, i++)
		memcpy(y + (size_t)__builtin_ctz(left) * size, narrow + i * size, size);
	return true;
}

/* What the quick test leaves open of rough sums: by the test of both ends, then by fine sums of what that leaves open. */
static inline __attribute__((always_inline)) bool FN(std_again)(const struct FN(std_group) * g,
                                                                enum rstd__format format, const unsigned char *x,
                                                                size_t n, V t, V q, unsigned char *y)
{
	V result;
	const unsigned open = FN(finish_ends)(&g->rough, false, FN(finish_m2)(&g->rough, t, q), q, &result);

	v_narrow(g->f->y, y, result);
	return open == 0 || FN(std_finely)(g, format, x, n, open, y);
}
#endif

/* VL rows; false if a result is not settled. */
static inline __attribute__((always_inline)) bool FN(std_rows_group)(const struct FN(std_group) * g,
                                                                     enum FN(short_way) way, enum rstd__format format,
                                                                     const unsigned char *x, size_t n, unsigned char *y)
{
	double shift[VL];
	V t, q, half;

	if (way == FN(DENSE))
		FN(dense_group)(format, x, n, true, shift, &t, &q);
	else
		FN(short_sums)(way, format, x, g->row, VL, n, true, shift, &t, &q);
	if (way == FN(DENSE) && n == 2 && g->f->result == RSTD__HALF_T) {
		if (FN(finish_half)(&g->to_y, t, q, &half) != 0)
			return false;
		v_narrow(g->f->y, y, half);
		return true;
	}
	if (FN(quick_std)(&g->quick, t, q, y))
		return true;
#if V_ROUGH
	if (way == FN(ROUGH))
		return FN(std_again)(g, format, x, n, t, q, y);
#endif
	return false;
}

/* As many groups as fit a chunk of memory before the next one is asked for, so that no branch has to look for it. */
static inline __attribute__((always_inline)) size_t FN(std_rows)(enum FN(short_way) way, enum rstd__format format,
                                                                 const struct rstd__finish *f,
                                                                 const struct rstd__finish *again,
                                                                 const unsigned char *x, ptrdiff_t stride, size_t rows,
                                                                 size_t n, unsigned char *y)
{
	const struct FN(std_group) g = FN(std_group_of)(f, again, stride);
	const size_t bytes = n * rstd__format_info[format].size, size = rstd__format_info[f->y].size;
	size_t r = 0;

	while (rows - r >= VL) {
		size_t done = 0;

		if (bytes <= RSTD__LINE) /* longer rows ask for themselves */
			rstd__ask_for_chunk((uintptr_t)(x + (ptrdiff_t)r * stride));
		do {
			if (!FN(std_rows_group)(&g, way, format, x + (ptrdiff_t)r * stride, n, y + r * size))
				return r;
			r += VL;
			done += VL * bytes;
		} while (done + VL * bytes <= RSTD__CHUNK && rows - r >= VL);
	}
	return r;
}

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

static inline __attribute__((always_inline)) size_t FN(std)(enum rstd__format format, const struct rstd__finish *f,
                                                            const struct rstd__finish *again, const void *x,
                                                            ptrdiff_t stride, size_t rows, size_t n, void *y)
{
	const bool dense = stride == (ptrdiff_t)(n * rstd__format_info[format].size);

#if V_ROUGH
	if (format != RSTD__F32 && again)
		return FN(std_rows)(FN(ROUGH), format, f, again, x, stride, rows, n, y);
#endif
	if (dense && n >= 2 && n <= RSTD__DENSE_MAX)
		return FN(std_dense)(format, f, x, stride, rows, n, y);
	if (FN(are_dealt)(format, n))
		return FN(std_rows)(FN(DEALT), format, f, again, x, stride, rows, n, y);
	return FN(std_rows)(FN(FINE), format, f, again, x, stride, rows, n, y);
}

/* One entry of the table for each format. */
#define STD_ENTRY(name, format)                                                                                        \
	static size_t FN(std_##name)(const struct rstd__finish *f, const struct rstd__finish *again, const void *x,    \
	                             ptrdiff_t stride, size_t rows, size_t n, void *y)                                 \
	{                                                                                                              \
		return FN(std)(format, f, again, x, stride, rows, n, y);                                               \
	}
STD_ENTRY(f32, RSTD__F32)
STD_ENTRY(f16, RSTD__F16)
STD_ENTRY(bf16, RSTD__BF16)
#undef STD_ENTRY
