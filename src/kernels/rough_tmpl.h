/*
 * rough_tmpl.h - sums of 16-bit data for 16-bit results: binary32 arithmetic over short chains
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A result of 11 or 8 bits rarely needs sums that are better than binary32, and these are twice as fast: memory is then
 * the limit again. The same loops as rows_tmpl.h and cols_tmpl.h, with F in place of V, emptied into binary64 sums
 * before a term has gone through more than RSTD__ROUGH_ROW_CHAIN or RSTD__ROUGH_COL_CHAIN additions. What their bound
 * leaves open is summed again in binary64. Bounds: docs/numerics.md, "Rough sums".
 *
 * Includer: FN(name); F with 2 VL lanes and the f_* words, V and the v_* words, from a simd_*.h.
 */

#define ROUGH_ACCS  4
#define ROUGH_STEP  (ROUGH_ACCS * FL)
#define ROUGH_TURNS 16 /* of the loop between two emptyings */
#define ROUGH_BLOCK (ROUGH_TURNS * ROUGH_STEP)

/* Turns, one for the last partial vector, and the tree over ROUGH_ACCS sums. */
_Static_assert(ROUGH_TURNS + 1 + 2 <= RSTD__ROUGH_ROW_CHAIN, "a chain of rough row sums is too long");
_Static_assert(RSTD__ROW_RUN / ROUGH_BLOCK + 2 + VL <= ROW_CHAIN, "the binary64 chain of rough row sums is too long");
_Static_assert(RSTD__COL_GROUP / 2 + 1 <= RSTD__ROUGH_COL_CHAIN, "a chain of rough column sums is too long");

/* Adds ROUGH_ACCS vectors to a pair of vectors of binary64 sums. */
static inline void FN(rough_empty)(const F *acc, V *sum)
{
	const F total = f_add(f_add(acc[0], acc[1]), f_add(acc[2], acc[3]));

	sum[0] = v_add(sum[0], f_low(total));
	sum[1] = v_add(sum[1], f_high(total));
}

static inline double FN(rough_total)(const V *sum)
{
	double lanes[VL], total = 0;

	v_store(lanes, v_add(sum[0], sum[1]));
	for (size_t i = 0; i < VL; i++)
		total += lanes[i];
	return total;
}

static inline __attribute__((always_inline)) void FN(rough_row_about)(enum rstd__format format, const void *x, size_t n,
                                                                      double shift, bool is_zero, double *t, double *q)
{
	const unsigned char *p = x;
	const F k = f_set1((float)shift);
	V ts[2] = { v_set1(0), v_set1(0) }, qs[2] = { v_set1(0), v_set1(0) };

	while (n > 0) {
		const size_t block = n < ROUGH_BLOCK ? n : ROUGH_BLOCK;
		F ta[ROUGH_ACCS], qa[ROUGH_ACCS];
		size_t i = 0;

		for (size_t j = 0; j < ROUGH_ACCS; j++)
			ta[j] = qa[j] = f_set1(0);
		for (; block - i >= ROUGH_STEP; i += ROUGH_STEP) {
			F d[ROUGH_ACCS];

			rstd__ask_for_pages(p + 2 * i, 2 * ROUGH_STEP);
#pragma GCC unroll 4
			for (size_t j = 0; j < ROUGH_ACCS; j += 2)
				f_widen_two(format, p + 2 * (i + j * FL), &d[j]);
#pragma GCC unroll 4
			for (size_t j = 0; j < ROUGH_ACCS; j++) {
				if (!is_zero)
					d[j] = f_sub(d[j], k);
				ta[j] = f_add(ta[j], d[j]);
				qa[j] = f_fma(d[j], d[j], qa[j]);
			}
		}
		for (size_t j = 0; block - i >= FL; i += FL, j++) {
			const F d = f_sub(f_widen(format, p + 2 * i), k);

			ta[j] = f_add(ta[j], d);
			qa[j] = f_fma(d, d, qa[j]);
		}
		if (i < block) {
			const F d = f_keep(f_sub(f_widen_part(format, p + 2 * i, block - i), k), block - i);

			ta[ROUGH_ACCS - 1] = f_add(ta[ROUGH_ACCS - 1], d);
			qa[ROUGH_ACCS - 1] = f_fma(d, d, qa[ROUGH_ACCS - 1]);
		}
		FN(rough_empty)(ta, ts);
		FN(rough_empty)(qa, qs);
		p += 2 * block;
		n -= block;
	}
	*t = FN(rough_total)(ts);
	*q = FN(rough_total)(qs);
}

/* As row_moments(). */
static inline __attribute__((always_inline)) void FN(rough_row_moments)(enum rstd__format format, const void *x,
                                                                        size_t n, double shift, double *t, double *q)
{
	if (shift == 0)
		FN(rough_row_about)(format, x, n, 0, true, t, q);
	else
		FN(rough_row_about)(format, x, n, shift, false, t, q);
}

static inline __attribute__((always_inline)) void FN(rough_row_ssd)(enum rstd__format format, const void *x,
                                                                    const void *mean, size_t n, double *q)
{
	const unsigned char *p = x, *m = mean;
	V qs[2] = { v_set1(0), v_set1(0) };

	while (n > 0) {
		const size_t block = n < ROUGH_BLOCK ? n : ROUGH_BLOCK;
		F qa[ROUGH_ACCS];
		size_t i = 0;

		for (size_t j = 0; j < ROUGH_ACCS; j++)
			qa[j] = f_set1(0);
		for (; block - i >= ROUGH_STEP; i += ROUGH_STEP) {
			rstd__ask_for_pages(p + 2 * i, 2 * ROUGH_STEP);
			rstd__ask_for_pages(m + 2 * i, 2 * ROUGH_STEP);
#pragma GCC unroll 4
			for (size_t j = 0; j < ROUGH_ACCS; j++) {
				const size_t at = 2 * (i + j * FL);
				const F d = f_sub(f_widen(format, p + at), f_widen(format, m + at));

				qa[j] = f_fma(d, d, qa[j]);
			}
		}
		for (size_t j = 0; block - i >= FL; i += FL, j++) {
			const F d = f_sub(f_widen(format, p + 2 * i), f_widen(format, m + 2 * i));

			qa[j] = f_fma(d, d, qa[j]);
		}
		if (i < block) {
			const F d = f_sub(f_widen_part(format, p + 2 * i, block - i),
			                  f_widen_part(format, m + 2 * i, block - i));

			qa[ROUGH_ACCS - 1] = f_fma(d, d, qa[ROUGH_ACCS - 1]);
		}
		FN(rough_empty)(qa, qs);
		p += 2 * block;
		m += 2 * block;
		n -= block;
	}
	*q = FN(rough_total)(qs);
}

/* One entry of the table for each 16-bit format. */
#define ROUGH_ENTRIES(name, format)                                                                                    \
	static void FN(rough_row_moments_##name)(const void *x, size_t n, double shift, double *t, double *q)          \
	{                                                                                                              \
		FN(rough_row_moments)(format, x, n, shift, t, q);                                                      \
	}                                                                                                              \
	static void FN(rough_row_ssd_##name)(const void *x, const void *mean, size_t n, double *q)                     \
	{                                                                                                              \
		FN(rough_row_ssd)(format, x, mean, n, q);                                                              \
	}
ROUGH_ENTRIES(f16, RSTD__F16)
ROUGH_ENTRIES(bf16, RSTD__BF16)
#undef ROUGH_ENTRIES
