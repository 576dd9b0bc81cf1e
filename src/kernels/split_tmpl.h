/*
 * split_tmpl.h - exact sums in binary64 of elements that are small multiples of one power of two
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Squares of elements, or of their differences from given means, go to a sum that starts so high that its last place
 * stays where it is: what it takes of each square is a multiple of that place, and the rest is a small one (Rump, Ogita,
 * Oishi, Accurate floating-point summation I, 2008, section 3). Neither rounds in sums of SPLIT_CHAIN of them, nor do
 * sums of elements. docs/numerics.md, "Level 2".
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h.
 */

#define SPLIT_SETS  2 /* of sums in flight */
#define SPLIT_STEP  (SPLIT_SETS * VL)
#define SPLIT_CHAIN (256 >> V_SPLIT) /* the most additions to a lane; rests are larger where squares round first */

#define SPLIT       struct FN(split)

SPLIT
{
	V sum, high, low;
};

/* d^2 + t, which binary64 holds. Without a fused operation by Dekker's product of two halves of d. */
static inline V FN(split_rest)(V d, V t)
{
	if (V_SPLIT) {
		const V c = v_mul(d, v_set1(0x1p27 + 1)), a = v_sub(c, v_sub(c, d)), b = v_sub(d, a);
		const V ab = v_mul(a, b);

		return v_add(v_add(v_add(v_mul(a, a), t), v_add(ab, ab)), v_mul(b, b));
	}
	return v_fma(d, d, t);
}

static inline __attribute__((always_inline)) void FN(split_add)(SPLIT *s, V d)
{
	const V high = v_fma(d, d, s->high);

	s->low = v_add(s->low, FN(split_rest)(d, v_sub(s->high, high)));
	s->high = high;
	s->sum = v_add(s->sum, d);
}

/*
 * How many squares of integers below 2^width are added as they are, which binary64 holds, before their sum meets that
 * which splits it. Two or four are not worth a loop, and floats have too many bits.
 */
static inline size_t FN(split_few)(enum rstd__format format, int width)
{
	const int spare = 53 - 2 * width;

	return format == RSTD__F32 || spare < 3 ? 1 : (size_t)1 << (spare < 8 ? spare : 8);
}

/* Rows of SPLIT_STEP columns, of which so many squares are added as they are. */
static inline __attribute__((always_inline)) void FN(split_panel_few)(enum rstd__format format, const unsigned char *x,
                                                                      ptrdiff_t row_stride, size_t rows, size_t few,
                                                                      ptrdiff_t ahead, SPLIT *set)
{
	for (size_t r = 0, end; r < rows; r = end) {
		V squares[SPLIT_SETS];

		end = rows - r < few ? rows : r + few;
		for (size_t s = 0; s < SPLIT_SETS; s++)
			squares[s] = v_set1(0);
		for (size_t i = r; i < end; i++, x += row_stride) {
			rstd__ask_for(x, ahead);
			for (size_t s = 0; s < SPLIT_SETS; s++) {
				const V v = v_widen(format, x + s * VL * rstd__format_info[format].size);

				set[s].sum = v_add(set[s].sum, v);
				squares[s] = v_fma(v, v, squares[s]);
			}
		}
		for (size_t s = 0; s < SPLIT_SETS; s++) {
			const V high = v_add(set[s].high, squares[s]);

			set[s].low = v_add(set[s].low, v_add(squares[s], v_sub(set[s].high, high)));
			set[s].high = high;
		}
	}
}

/* Rows of up to SPLIT_STEP columns. Sums of lanes beyond cols get zeros. */
static inline __attribute__((always_inline)) void FN(split_panel)(enum rstd__format format, const unsigned char *x,
                                                                  ptrdiff_t row_stride, size_t rows, size_t cols,
                                                                  size_t few, ptrdiff_t ahead, SPLIT *set)
{
	const size_t size = rstd__format_info[format].size;

	if (cols == SPLIT_STEP && few > 1) {
		FN(split_panel_few)(format, x, row_stride, rows, few, ahead, set);
		return;
	}
	for (size_t r = 0; r < rows; r++, x += row_stride) {
		rstd__ask_for(x, ahead);
		if (cols == SPLIT_STEP) {
			for (size_t s = 0; s < SPLIT_SETS; s++)
				FN(split_add)(&set[s], v_widen(format, x + s * VL * size));
			continue;
		}
		FN(split_add)(&set[0], cols < VL ? v_widen_part(format, x, cols) : v_widen(format, x));
		if (cols > VL)
			FN(split_add)(&set[1], v_widen_part(format, x + VL * size, cols - VL));
	}
}

/* Vectors for the three sums, a multiple of VL. sums and scales below are in the order of SPLIT. */
#define SPLIT_VECTORS (VL > 3 ? VL : 4)

/* Closes the sums of at most SPLIT_CHAIN elements, which are exact in binary64 to the end. */
static inline void FN(split_close_few)(const SPLIT *s, V start, const double *scale, int64_t *sums)
{
	V v[SPLIT_VECTORS];
	double total[SPLIT_VECTORS];

	for (size_t i = 3; i < SPLIT_VECTORS; i++)
		v[i] = v_set1(0);
	v[0] = v_add(s[0].sum, s[1].sum);
	v[1] = v_add(v_sub(s[0].high, start), v_sub(s[1].high, start));
	v[2] = v_add(s[0].low, s[1].low);
	for (size_t i = 0; i < SPLIT_VECTORS; i += VL)
		v_store(total + i, v_row_sums(v + i));
	for (size_t i = 0; i < 3; i++)
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

static inline void FN(split_close)(const SPLIT *s, V start, const double *scale, int64_t *sums)
{
	FN(split_lanes)(s[0].sum, s[1].sum, scale[0], &sums[0]);
	FN(split_lanes)(v_sub(s[0].high, start), v_sub(s[1].high, start), scale[1], &sums[1]);
	FN(split_lanes)(s[0].low, s[1].low, scale[2], &sums[2]);
}

/*
 * Adds up to SPLIT_CHAIN * SPLIT_STEP elements, as rows of SPLIT_STEP columns where they have no means, for each of
 * which a line of each of eight pages is asked for.
 */
static inline __attribute__((always_inline)) void FN(split_block)(enum rstd__format format, const unsigned char *x,
                                                                  const float *mean, size_t n, int unit, size_t few,
                                                                  int64_t *sums)
{
	const size_t size = rstd__format_info[format].size, chunk = RSTD__CHUNK / size;
	const double scale[] = { rstd__pow2(-unit), rstd__pow2(-2 * unit - RSTD__SPLIT), rstd__pow2(-2 * unit) };
	const ptrdiff_t row = (ptrdiff_t)(SPLIT_STEP * size);
	const V start = v_set1(rstd__split_start(unit));
	SPLIT set[SPLIT_SETS];
	size_t i = 0;

	for (size_t s = 0; s < SPLIT_SETS; s++)
		set[s] = (SPLIT){ v_set1(0), start, v_set1(0) };
	for (; !mean && n - i >= chunk; i += chunk) {
		rstd__ask_for_chunk((uintptr_t)(x + i * size), format == RSTD__F32);
		FN(split_panel)(format, x + i * size, row, chunk / SPLIT_STEP, SPLIT_STEP, few, 0, set);
	}
	for (; n - i >= SPLIT_STEP; i += SPLIT_STEP) {
		if (i * size % RSTD__CHUNK == 0)
			rstd__ask_for_chunk((uintptr_t)(x + i * size), format == RSTD__F32);
		for (size_t s = 0; s < SPLIT_SETS; s++) {
			const size_t at = i + s * VL;
			const V v = v_widen(format, x + at * size);

			FN(split_add)(&set[s], mean ? v_sub(v, v_widen(RSTD__F32, mean + at)) : v);
		}
	}
	if (n - i >= VL) {
		const V v = v_widen(format, x + i * size);

		FN(split_add)(&set[0], mean ? v_sub(v, v_widen(RSTD__F32, mean + i)) : v);
		i += VL;
	}
	if (i < n) {
		const V v = v_widen_part(format, x + i * size, n - i);

		FN(split_add)(&set[1], mean ? v_sub(v, v_widen_part(RSTD__F32, mean + i, n - i)) : v);
	}
	(n <= SPLIT_CHAIN ? FN(split_close_few) : FN(split_close))(set, start, scale, sums);
}

static inline __attribute__((always_inline)) void FN(split)(enum rstd__format format, const unsigned char *x,
                                                            const float *mean, size_t n, int unit, int width,
                                                            struct rstd__split *sums)
{
	const size_t most = SPLIT_CHAIN * SPLIT_STEP, size = rstd__format_info[format].size;
	const size_t few = FN(split_few)(format, width);
	int64_t sum[3] = { 0 };

	for (size_t i = 0; i < n; i += most) {
		const float *m = mean ? mean + i : NULL;

		FN(split_block)(format, x + i * size, m, n - i < most ? n - i : most, unit, few, sum);
	}
	*sums = (struct rstd__split){ sum[0], sum[1], sum[2] };
}

static void FN(split_f32)(const void *x, const float *mean, size_t n, int unit, int width, struct rstd__split *sums)
{
	if (mean)
		FN(split)(RSTD__F32, x, mean, n, unit, width, sums);
	else
		FN(split)(RSTD__F32, x, NULL, n, unit, width, sums);
}

static void FN(split_f16)(const void *x, const float *mean, size_t n, int unit, int width, struct rstd__split *sums)
{
	(void)mean;
	FN(split)(RSTD__F16, x, NULL, n, unit, width, sums);
}

static void FN(split_bf16)(const void *x, const float *mean, size_t n, int unit, int width, struct rstd__split *sums)
{
	(void)mean;
	FN(split)(RSTD__BF16, x, NULL, n, unit, width, sums);
}

/*
 * Of rows that lie apart each panel asks for its part of those that come next; of dense ones, which are one stretch of
 * memory, for as much of the next stretch, as long rows do.
 */
static inline __attribute__((always_inline)) void FN(split_cols)(enum rstd__format format, const unsigned char *x,
                                                                 ptrdiff_t row_stride, size_t rows, size_t cols,
                                                                 int width, struct rstd__split_cols *sums)
{
	const size_t size = rstd__format_info[format].size;
	const bool dense = row_stride == (ptrdiff_t)(cols * size);
	const ptrdiff_t ahead = dense ? 0 : (ptrdiff_t)rows * row_stride;
	const size_t few = FN(split_few)(format, width);

	for (size_t c = 0; c < cols; c += SPLIT_STEP) {
		const size_t left = cols - c, now = left < SPLIT_STEP ? left : SPLIT_STEP;
		SPLIT set[SPLIT_SETS];

		for (size_t s = 0; s < SPLIT_SETS; s++) {
			const size_t at = c + s * VL;

			set[s] = (SPLIT){ v_load(sums->sum + at), v_load(sums->high + at), v_load(sums->low + at) };
		}
		if (dense)
			rstd__ask_for_bytes(x + c * rows * size, now * rows * size, true);
		if (now == SPLIT_STEP)
			FN(split_panel)(format, x + c * size, row_stride, rows, SPLIT_STEP, few, ahead, set);
		else
			FN(split_panel)(format, x + c * size, row_stride, rows, now, few, ahead, set);
		for (size_t s = 0; s < SPLIT_SETS; s++) {
			v_store(sums->sum + c + s * VL, set[s].sum);
			v_store(sums->high + c + s * VL, set[s].high);
			v_store(sums->low + c + s * VL, set[s].low);
		}
	}
}

/* One entry of the table for each format. */
#define SPLIT_COLS_ENTRY(name, format)                                                                                 \
	static void FN(split_cols_##name)(const void *x, ptrdiff_t row_stride, size_t rows, size_t cols, int width,    \
	                                  struct rstd__split_cols *sums)                                               \
	{                                                                                                              \
		FN(split_cols)(format, x, row_stride, rows, cols, width, sums);                                        \
	}
SPLIT_COLS_ENTRY(f32, RSTD__F32)
SPLIT_COLS_ENTRY(f16, RSTD__F16)
SPLIT_COLS_ENTRY(bf16, RSTD__BF16)
#undef SPLIT_COLS_ENTRY

#undef SPLIT
