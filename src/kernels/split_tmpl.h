/*
 * split_tmpl.h - exact sums in binary64 of elements that are small multiples of one power of two
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An element, or its difference from a given mean, is split into a + b without an error, a being the nearest multiple
 * of 2^RSTD__SPLIT units (Rump, Ogita, Oishi, Accurate floating-point summation I, 2008, section 3). The elements, and
 * a^2, a b and b^2, are then so small that binary64 holds every sum of SPLIT_CHAIN of them: nothing rounds, and it does
 * not matter whether products are fused. docs/numerics.md, "Level 2".
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h.
 */

#define SPLIT_SETS  2 /* of sums in flight */
#define SPLIT_STEP  (SPLIT_SETS * VL)
#define SPLIT_CHAIN 256 /* the most additions to a lane: 256 elements below 2^RSTD__SPLIT_WIDTH are at most 2^53 */

#define SPLIT       struct FN(split)

SPLIT
{
	V sum, high, cross, low;
};

static inline __attribute__((always_inline)) void FN(split_add)(SPLIT *s, V d, V big)
{
	const V a = v_sub(v_add(d, big), big), b = v_sub(d, a);

	s->sum = v_add(s->sum, d);
	s->high = v_fma(a, a, s->high);
	s->cross = v_fma(a, b, s->cross);
	s->low = v_fma(b, b, s->low);
}

/* Vectors for the four sums, a multiple of VL. sums and scales below are in the order of SPLIT. */
#define SPLIT_VECTORS (VL > 4 ? VL : 4)

/* Closes the sums of at most SPLIT_CHAIN elements, which are exact in binary64 to the end. */
static inline void FN(split_close_few)(const SPLIT *s, const double *scale, int64_t *sums)
{
	V v[SPLIT_VECTORS];
	double total[SPLIT_VECTORS];

	for (size_t i = 4; i < SPLIT_VECTORS; i++)
		v[i] = v_set1(0);
	v[0] = v_add(s[0].sum, s[1].sum);
	v[1] = v_add(s[0].high, s[1].high);
	v[2] = v_add(s[0].cross, s[1].cross);
	v[3] = v_add(s[0].low, s[1].low);
	for (size_t i = 0; i < SPLIT_VECTORS; i += VL)
		v_store(total + i, v_row_sums(v + i));
	for (size_t i = 0; i < 4; i++)
		sums[i] += (int64_t)(total[i] * scale[i]);
}

/* Adds the lanes of both sets, which are integers over scale. */
static inline void FN(split_lanes)(V first, V second, double scale, int64_t *sum)
{
	double lane[SPLIT_STEP];

	v_store(lane, first);
	v_store(lane + VL, second);
	for (size_t i = 0; i < SPLIT_STEP; i++)
		*sum += (int64_t)(lane[i] * scale);
}

static inline void FN(split_close)(const SPLIT *s, const double *scale, int64_t *sums)
{
	FN(split_lanes)(s[0].sum, s[1].sum, scale[0], &sums[0]);
	FN(split_lanes)(s[0].high, s[1].high, scale[1], &sums[1]);
	FN(split_lanes)(s[0].cross, s[1].cross, scale[2], &sums[2]);
	FN(split_lanes)(s[0].low, s[1].low, scale[3], &sums[3]);
}

/*
 * Adds up to SPLIT_CHAIN * SPLIT_STEP elements. Blocks of RSTD__WORDS_MAX are summed one after the other: the next one
 * is what to ask the memory for.
 */
static inline __attribute__((always_inline)) void FN(split_block)(enum rstd__format format, const unsigned char *x,
                                                                  const float *mean, size_t n, int unit, int64_t *sums)
{
	const size_t size = rstd__format_info[format].size;
	const double scale[] = { rstd__pow2(-unit), rstd__pow2(-2 * (unit + RSTD__SPLIT)),
		                 rstd__pow2(-2 * unit - RSTD__SPLIT), rstd__pow2(-2 * unit) };
	const V big = v_set1(0x1.8p52 * rstd__pow2(unit + RSTD__SPLIT));
	SPLIT set[SPLIT_SETS];
	size_t i = 0;

	for (size_t s = 0; s < SPLIT_SETS; s++)
		set[s].sum = set[s].high = set[s].cross = set[s].low = v_set1(0);
	for (; n - i >= SPLIT_STEP; i += SPLIT_STEP) {
		rstd__ask_for(x + i * size, (ptrdiff_t)(RSTD__WORDS_MAX * size));
		for (size_t s = 0; s < SPLIT_SETS; s++) {
			const size_t at = i + s * VL;
			const V v = v_widen(format, x + at * size);

			FN(split_add)(&set[s], mean ? v_sub(v, v_widen(RSTD__F32, mean + at)) : v, big);
		}
	}
	if (n - i >= VL) {
		const V v = v_widen(format, x + i * size);

		FN(split_add)(&set[0], mean ? v_sub(v, v_widen(RSTD__F32, mean + i)) : v, big);
		i += VL;
	}
	if (i < n) {
		const V v = v_widen_part(format, x + i * size, n - i);

		FN(split_add)(&set[1], mean ? v_sub(v, v_widen_part(RSTD__F32, mean + i, n - i)) : v, big);
	}
	(n <= SPLIT_CHAIN ? FN(split_close_few) : FN(split_close))(set, scale, sums);
}

static inline __attribute__((always_inline)) void FN(split)(enum rstd__format format, const unsigned char *x,
                                                            const float *mean, size_t n, int unit,
                                                            struct rstd__split *sums)
{
	const size_t most = SPLIT_CHAIN * SPLIT_STEP, size = rstd__format_info[format].size;
	int64_t sum[4] = { 0 };

	for (size_t i = 0; i < n; i += most) {
		const float *m = mean ? mean + i : NULL;

		FN(split_block)(format, x + i * size, m, n - i < most ? n - i : most, unit, sum);
	}
	*sums = (struct rstd__split){ sum[0], sum[1], sum[2], sum[3] };
}

static void FN(split_f32)(const void *x, const float *mean, size_t n, int unit, struct rstd__split *sums)
{
	if (mean)
		FN(split)(RSTD__F32, x, mean, n, unit, sums);
	else
		FN(split)(RSTD__F32, x, NULL, n, unit, sums);
}

static void FN(split_f16)(const void *x, const float *mean, size_t n, int unit, struct rstd__split *sums)
{
	(void)mean;
	FN(split)(RSTD__F16, x, NULL, n, unit, sums);
}

static void FN(split_bf16)(const void *x, const float *mean, size_t n, int unit, struct rstd__split *sums)
{
	(void)mean;
	FN(split)(RSTD__BF16, x, NULL, n, unit, sums);
}

/* Up to SPLIT_STEP columns: each lane has the sums of a column, which are exact for SPLIT_CHAIN rows. */
static inline __attribute__((always_inline)) void FN(split_panel)(enum rstd__format format, const unsigned char *x,
                                                                  ptrdiff_t row_stride, size_t rows, size_t cols, V big,
                                                                  SPLIT *set)
{
	const size_t size = rstd__format_info[format].size;

	for (size_t s = 0; s < SPLIT_SETS; s++)
		set[s].sum = set[s].high = set[s].cross = set[s].low = v_set1(0);
	if (cols == SPLIT_STEP) {
		for (size_t r = 0; r < rows; r++, x += row_stride)
			for (size_t s = 0; s < SPLIT_SETS; s++)
				FN(split_add)(&set[s], v_widen(format, x + s * VL * size), big);
		return;
	}
	for (size_t r = 0; r < rows; r++, x += row_stride) {
		FN(split_add)
		(&set[0], cols < VL ? v_widen_part(format, x, cols) : v_widen(format, x), big);
		if (cols > VL)
			FN(split_add)(&set[1], v_widen_part(format, x + VL * size, cols - VL), big);
	}
}

/* Adds the sums of up to SPLIT_CHAIN rows. */
static inline __attribute__((always_inline)) void FN(split_rows)(enum rstd__format format, const unsigned char *x,
                                                                 ptrdiff_t row_stride, size_t rows, size_t cols,
                                                                 int unit, struct rstd__split *sums)
{
	const size_t size = rstd__format_info[format].size;
	const double scale = rstd__pow2(-unit), scale_high = rstd__pow2(-2 * (unit + RSTD__SPLIT)),
		     scale_cross = rstd__pow2(-2 * unit - RSTD__SPLIT), scale_low = rstd__pow2(-2 * unit);
	const V big = v_set1(0x1.8p52 * rstd__pow2(unit + RSTD__SPLIT));

	for (size_t c = 0; c < cols; c += SPLIT_STEP) {
		const size_t left = cols - c, now = left < SPLIT_STEP ? left : SPLIT_STEP;
		double lane[4][SPLIT_STEP];
		SPLIT set[SPLIT_SETS];

		FN(split_panel)(format, x + c * size, row_stride, rows, now, big, set);
		for (size_t s = 0; s < SPLIT_SETS; s++) {
			v_store(lane[0] + s * VL, set[s].sum);
			v_store(lane[1] + s * VL, set[s].high);
			v_store(lane[2] + s * VL, set[s].cross);
			v_store(lane[3] + s * VL, set[s].low);
		}
		for (size_t i = 0; i < now; i++) {
			sums[c + i].sum += (int64_t)(lane[0][i] * scale);
			sums[c + i].high += (int64_t)(lane[1][i] * scale_high);
			sums[c + i].cross += (int64_t)(lane[2][i] * scale_cross);
			sums[c + i].low += (int64_t)(lane[3][i] * scale_low);
		}
	}
}

static inline __attribute__((always_inline)) void FN(split_cols)(enum rstd__format format, const unsigned char *x,
                                                                 ptrdiff_t row_stride, size_t rows, size_t cols,
                                                                 int unit, struct rstd__split *sums)
{
	memset(sums, 0, cols * sizeof(*sums));
	for (size_t r = 0; r < rows; r += SPLIT_CHAIN) {
		const size_t left = rows - r, now = left < SPLIT_CHAIN ? left : SPLIT_CHAIN;

		FN(split_rows)(format, x + (ptrdiff_t)r * row_stride, row_stride, now, cols, unit, sums);
	}
}

/* One entry of the table for each format. */
#define SPLIT_COLS_ENTRY(name, format)                                                                                 \
	static void FN(split_cols_##name)(const void *x, ptrdiff_t row_stride, size_t rows, size_t cols, int unit,     \
	                                  struct rstd__split *sums)                                                    \
	{                                                                                                              \
		FN(split_cols)(format, x, row_stride, rows, cols, unit, sums);                                         \
	}
SPLIT_COLS_ENTRY(f32, RSTD__F32)
SPLIT_COLS_ENTRY(f16, RSTD__F16)
SPLIT_COLS_ENTRY(bf16, RSTD__BF16)
#undef SPLIT_COLS_ENTRY

#undef SPLIT
