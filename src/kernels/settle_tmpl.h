/*
 * settle_tmpl.h - results of sums that turn out to be exact
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where all elements are multiples of a grain, a power of two, and the sums are small multiples of it, nothing has been
 * rounded. Then the rounding test's question has an exact answer, too: a root is compared with the midpoint that is
 * nearest, by squares, which binary64 holds. docs/numerics.md, "Sums that turn out to be exact".
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h; finish_tmpl.h.
 */

/* The multiple of half a unit in the last place that is nearest to x, big being the rounder of x. */
static inline V FN(nearest_half)(V x, V big)
{
	const V half = v_mul(big, v_set1(0.5));

	return v_sub(v_add(x, half), half);
}

/*
 * What is near that multiple, on the side of it that the sign of `side` tells, rounded: as after a step to that side of
 * less than an eighth of a unit. No step on a tie, which goes to the even neighbour.
 */
static inline V FN(round_aside)(V near, V big, V side)
{
	const V step = v_mul(big, v_set1(0x1p-56)), push = v_mul(side, v_set1(0x1p700));

	return v_sub(v_add(v_add(near, v_max(v_sub(v_set1(0), step), v_min(step, push))), big), big);
}

/* x in two halves of at most 26 bits (Dekker, A floating-point technique for extending the available precision, 1971). */
static inline void FN(halve)(V x, V *high, V *low)
{
	const V spread = v_mul(x, v_set1(0x1p27 + 1));

	*high = v_sub(spread, v_sub(spread, x));
	*low = v_sub(x, *high);
}

/* sqrt(v / den), rounded; v and den are exact, den is an integer of at most 28 bits and inverse_den its reciprocal. */
static inline V FN(settle_root)(const struct FN(rounding) * r, V v, V den, V inverse_den)
{
	const V root = v_min(r->limit, v_root(v_mul(v, inverse_den)));
	const V big = FN(rounder)(r, root), near = FN(nearest_half)(root, big);
	V high, low;

	/* the sign of v - near^2 den; products of at most 53 bits, as all products are not rounded in plain C either */
	FN(halve)(v_mul(near, den), &high, &low);
	return FN(round_aside)(near, big, v_sub(v_sub(v, v_mul(near, high)), v_mul(near, low)));
}

/*
 * Of at most RSTD__FINISH_MAX outputs those results that are open and in vectors that have such; what is left open is not
 * proved. Nothing has been rounded where q < 2^52 grain^2, and in sums of the elements where n q < 2^104 grain^2.
 */
static struct rstd__open FN(settle)(const struct rstd__finish *f, bool about_mean, struct rstd__open open, size_t n,
                                    const double *shift, const double *t, const double *q, const double *grain,
                                    double *y, double *mean)
{
	const struct FN(rounding) to_y = FN(rounding_to)(f->y), to_mean = FN(rounding_to)(f->mean);
	const double factor = about_mean ? 1 : f->n;
	const V terms = v_set1(factor), den = v_set1(factor * f->divisor), inverse_den = v_div(v_set1(1), den);
	struct rstd__open proved = { 0, 0 };

	for (size_t i = 0; i < n; i += VL) {
		const V tv = v_load(t + i), nq = v_mul(terms, v_load(q + i)), g = v_load(grain + i),
			square = v_mul(g, g);

		if (open.y >> i & ((1u << VL) - 1)) {
			const V t_square = about_mean ? v_set1(0) : v_mul(tv, tv);

			v_store(y + i, FN(settle_root)(&to_y, v_sub(nq, t_square), den, inverse_den));
			proved.y |= (uint64_t)v_less(v_mul(nq, v_set1(0x1p-52)), square) << i;
		}
		if (open.mean >> i & ((1u << VL) - 1)) {
			const V sum = v_fma(terms, v_load(shift + i), tv);

			v_store(mean + i, FN(round_to)(&to_mean, v_div(sum, terms)));
			proved.mean |= (uint64_t)(v_less(v_mul(nq, v_set1(0x1p-104)), square) &
			                          v_less(v_mul(v_abs(sum), v_set1(0x1p-52)), g))
			               << i;
		}
	}
	return (struct rstd__open){ open.y & ~proved.y, open.mean & ~proved.mean };
}
