/*
 * sums_tmpl.h - compensated sums: merging the parts of level 0
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ogita, Rump and Oishi, Accurate sum and dot product, 2005: the rounding errors of a sum are found exactly and summed
 * on the side.
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h.
 */

/* a + b - s, for s = a + b rounded (Knuth). */
static inline V FN(sum_error)(V a, V b, V s)
{
	const V b_seen = v_sub(s, a), a_seen = v_sub(s, b_seen);

	return v_add(v_sub(a, a_seen), v_sub(b, b_seen));
}

static void FN(merge)(double *sum, double *low, const double *part, size_t n)
{
	const size_t whole = n - n % VL;

	for (size_t i = 0; i < whole; i += VL) {
		const V a = v_load(sum + i), b = v_load(part + i), s = v_add(a, b);

		v_store(low + i, v_add(v_load(low + i), FN(sum_error)(a, b, s)));
		v_store(sum + i, s);
	}
	for (size_t i = whole; i < n; i++) {
		const double s = sum[i] + part[i];

		low[i] += rstd__sum_error(sum[i], part[i], s);
		sum[i] = s;
	}
}
