/*
 * sums_tmpl.h - compensated sums: merging the parts of level 0, and the sums of level 1
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ogita, Rump and Oishi, Accurate sum and dot product, 2005: the rounding errors of a sum and its products are found
 * exactly and summed on the side. Level 1 also sums their sizes, which bounds what is left a posteriori; a sum of 0 of
 * them proves that nothing was rounded. Bounds: docs/numerics.md, "Level 1".
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

/* The sums of VL lanes. */
struct FN(precise_lanes) {
	V t, t_low, t_abs, q, q_low, q_abs;
};

static inline void FN(precise_add)(struct FN(precise_lanes) * s, V x, V mean)
{
	const V d = v_sub(x, mean), d_low = FN(sum_error)(x, v_sub(v_set1(0), mean), d);
	const V t = v_add(s->t, d), t_error = FN(sum_error)(s->t, d, t);
	const V p = v_mul(d, d), p_error = v_product_error(d, d, p);
	const V cross = v_mul(v_add(d, d), d_low); /* of (d + d_low)^2; d_low^2 is in the bound */
	const V q = v_add(s->q, p), q_error = FN(sum_error)(s->q, p, q);

	s->t = t;
	s->t_low = v_add(s->t_low, v_add(t_error, d_low));
	s->t_abs = v_add(s->t_abs, v_add(v_abs(t_error), v_abs(d_low)));
	s->q = q;
	s->q_low = v_add(s->q_low, v_add(v_add(q_error, p_error), cross));
	s->q_abs = v_add(s->q_abs, v_add(v_add(v_abs(q_error), v_abs(p_error)), v_abs(cross)));
}

/* sum + low += the lanes, whose errors join low and abs. */
static inline void FN(precise_total)(V lanes, V lanes_low, V lanes_abs, double *sum, double *low, double *abs)
{
	double part[VL], part_low[VL], part_abs[VL];

	v_store(part, lanes);
	v_store(part_low, lanes_low);
	v_store(part_abs, lanes_abs);
	for (size_t i = 0; i < VL; i++) {
		const double s = *sum + part[i], error = rstd__sum_error(*sum, part[i], s);

		*sum = s;
		*low += error + part_low[i];
		*abs += fabs(error) + part_abs[i];
	}
}

static void FN(precise)(struct rstd__precise *s, const float *x, const float *mean, size_t n)
{
	const V zero = v_set1(0);
	struct FN(precise_lanes) lanes = { zero, zero, zero, zero, zero, zero };
	size_t i = 0;

	for (; n - i >= VL; i += VL)
		FN(precise_add)(&lanes, v_widen(RSTD__F32, x + i), v_widen(RSTD__F32, mean + i));
	if (i < n)
		FN(precise_add)
	(&lanes, v_widen_part(RSTD__F32, x + i, n - i), v_widen_part(RSTD__F32, mean + i, n - i));
	FN(precise_total)(lanes.t, lanes.t_low, lanes.t_abs, &s->t, &s->t_low, &s->t_abs);
	FN(precise_total)(lanes.q, lanes.q_low, lanes.q_abs, &s->q, &s->q_low, &s->q_abs);
}
