/*
 * rows_tmpl.h - contiguous rows: the one body that every instruction set compiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h. Bounds: docs/numerics.md, "Level 0".
 */

#define ROW_ACCS  4               /* sums in flight, to cover the latency of an addition */
#define ROW_STEP  (ROW_ACCS * VL) /* elements of one turn of the loop */
#define ROW_BLOCK 4096            /* elements that share one set of sums, so that long rows keep short chains */

/*
 * Roundings on the way of one term: additions in the loop and for the last partial vector, the tree over the sums, the
 * lanes, the compensated sum over the blocks (3) and its last addition.
 */
#define ROW_CHAIN (ROW_BLOCK / ROW_STEP + 1 + 2 + VL + 3 + 1)

/* The sum of ROW_ACCS vectors. */
static inline double FN(row_total)(const V *acc)
{
	double lanes[VL], total = 0;

	v_store(lanes, v_add(v_add(acc[0], acc[1]), v_add(acc[2], acc[3])));
	for (size_t i = 0; i < VL; i++)
		total += lanes[i];
	return total;
}

static inline __attribute__((always_inline)) void FN(row_moments_about)(enum rstd__format format, const void *x,
                                                                        size_t n, double shift, bool is_zero, double *t,
                                                                        double *q)
{
	const size_t size = rstd__format_info[format].size;
	const unsigned char *p = x;
	const V k = v_set1(shift);
	double t_low = 0, q_low = 0;

	*t = 0;
	*q = 0;
	while (n > 0) {
		const size_t block = n < ROW_BLOCK ? n : ROW_BLOCK;
		V ta[ROW_ACCS], qa[ROW_ACCS];
		size_t i = 0;

		for (size_t j = 0; j < ROW_ACCS; j++)
			ta[j] = qa[j] = v_set1(0);
		for (; block - i >= ROW_STEP; i += ROW_STEP) {
			V d[ROW_ACCS];

			rstd__ask_for_pages(p + i * size, ROW_STEP * size);
#pragma GCC unroll 4
			for (size_t j = 0; j < ROW_ACCS; j += 2)
				v_widen_two(format, p + (i + j * VL) * size, &d[j]);
#pragma GCC unroll 4
			for (size_t j = 0; j < ROW_ACCS; j++) {
				if (!is_zero)
					d[j] = v_sub(d[j], k);
				ta[j] = v_add(ta[j], d[j]);
				qa[j] = v_fma(d[j], d[j], qa[j]);
			}
		}
		for (size_t j = 0; block - i >= VL; i += VL, j++) {
			const V d = v_sub(v_widen(format, p + i * size), k);

			ta[j] = v_add(ta[j], d);
			qa[j] = v_fma(d, d, qa[j]);
		}
		if (i < block) {
			const V d = v_keep(v_sub(v_widen_part(format, p + i * size, block - i), k), block - i);

			ta[0] = v_add(ta[0], d);
			qa[0] = v_fma(d, d, qa[0]);
		}
		rstd__sum_add(t, &t_low, FN(row_total)(ta));
		rstd__sum_add(q, &q_low, FN(row_total)(qa));
		p += block * size;
		n -= block;
	}
	*t = rstd__sum_close(*t, t_low);
	*q = rstd__sum_close(*q, q_low);
}

/* About 0 there is nothing to subtract, which is worth a body of its own. */
static inline __attribute__((always_inline)) void FN(row_moments)(enum rstd__format format, const void *x, size_t n,
                                                                  double shift, double *t, double *q)
{
	if (shift == 0)
		FN(row_moments_about)(format, x, n, 0, true, t, q);
	else
		FN(row_moments_about)(format, x, n, shift, false, t, q);
}

static inline __attribute__((always_inline)) void FN(row_ssd)(enum rstd__format format, const void *x, const void *mean,
                                                              size_t n, double *q)
{
	const size_t size = rstd__format_info[format].size;
	const unsigned char *p = x, *m = mean;
	double q_low = 0;

	*q = 0;
	while (n > 0) {
		const size_t block = n < ROW_BLOCK ? n : ROW_BLOCK;
		V qa[ROW_ACCS];
		size_t i = 0;

		for (size_t j = 0; j < ROW_ACCS; j++)
			qa[j] = v_set1(0);
		for (; block - i >= ROW_STEP; i += ROW_STEP) {
			rstd__ask_for_pages(p + i * size, ROW_STEP * size);
			rstd__ask_for_pages(m + i * size, ROW_STEP * size);
#pragma GCC unroll 4
			for (size_t j = 0; j < ROW_ACCS; j++) {
				const size_t at = (i + j * VL) * size;
				const V d = v_sub(v_widen(format, p + at), v_widen(format, m + at));

				qa[j] = v_fma(d, d, qa[j]);
			}
		}
		for (size_t j = 0; block - i >= VL; i += VL, j++) {
			const V d = v_sub(v_widen(format, p + i * size), v_widen(format, m + i * size));

			qa[j] = v_fma(d, d, qa[j]);
		}
		if (i < block) {
			const size_t rest = block - i;
			const V d = v_sub(v_widen_part(format, p + i * size, rest),
			                  v_widen_part(format, m + i * size, rest));

			qa[0] = v_fma(d, d, qa[0]);
		}
		rstd__sum_add(q, &q_low, FN(row_total)(qa));
		p += block * size;
		m += block * size;
		n -= block;
	}
	*q = rstd__sum_close(*q, q_low);
}

/* One entry of the table for each format. */
#define ROW_ENTRIES(name, format)                                                                                      \
	static void FN(row_moments_##name)(const void *x, size_t n, double shift, double *t, double *q)                \
	{                                                                                                              \
		FN(row_moments)(format, x, n, shift, t, q);                                                            \
	}                                                                                                              \
	static void FN(row_ssd_##name)(const void *x, const void *mean, size_t n, double *q)                           \
	{                                                                                                              \
		FN(row_ssd)(format, x, mean, n, q);                                                                    \
	}
ROW_ENTRIES(f32, RSTD__F32)
ROW_ENTRIES(f16, RSTD__F16)
ROW_ENTRIES(bf16, RSTD__BF16)
#undef ROW_ENTRIES
