/*
 * finish_tmpl.h - from sums to rounded results, or the word that the sums do not suffice
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ziv's rounding test (Ziv, Fast evaluation of elementary mathematical functions with correctly rounded last bit,
 * 1991): the bound of the sums gives an interval that holds the exact result; when both ends round to the same value,
 * that value is the answer. Each step is monotone, and outward slack pays for its rounding: docs/numerics.md, "The
 * test".
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h.
 */

/* The constants of rounding to a format, in vectors. */
struct FN(rounding) {
	V limit;        /* 2^(overflow + 2), for every larger result */
	V least_normal; /* below it the unit in the last place stays the same */
	V to_big;       /* 1.5 * 2^52 units in the last place of 1 */
};

static inline struct FN(rounding) FN(rounding_to)(enum rstd__format format)
{
	const struct rstd__format_info *info = &rstd__format_info[format];

	return (struct FN(rounding)){
		.limit = v_set1(rstd__pow2(info->overflow + 2)),
		.least_normal = v_set1(rstd__pow2(info->least + info->precision - 1)),
		.to_big = v_set1(0x1.8p52 * rstd__pow2(1 - info->precision)),
	};
}

/*
 * x rounded to the nearest value of a format, ties to even; exact in binary64. Adding 1.5 * 2^52 units in the last
 * place of the format leaves no room for smaller bits. Beyond the finite range the result is 2^overflow or more, and
 * the limit stands for every larger positive x, Inf included. A NaN stays NaN.
 */
static inline V FN(round_to)(const struct FN(rounding) * r, V x)
{
	const V clamped = v_min(r->limit, x);
	const V big = v_mul(v_max(r->least_normal, v_pow2(clamped)), r->to_big);

	return v_sub(v_add(clamped, big), big);
}

/* What the test of VL outputs needs. */
struct FN(test) {
	V inverse_n, inverse_divisor, epsilon, sum_sq_error, mean_error;
	struct FN(rounding) y, mean;
};

/* VL standard deviations, or with `invert` their reciprocals; returns the mask of those that are not settled. */
static inline __attribute__((always_inline)) unsigned FN(finish_y)(const struct FN(test) * f, bool invert, V t, V q,
                                                                   double *y)
{
	const V m2 = v_sub(q, v_mul(v_mul(t, t), f->inverse_n)), bound = v_mul(q, f->sum_sq_error);
	const V s_low = v_max(v_set1(0), v_sub(m2, bound)), s_high = v_add(m2, bound);
	V low, high;

	if (invert) {
		const V var_low = v_mul(s_low, f->inverse_n), var_high = v_mul(s_high, f->inverse_n);
		const V slack = v_mul(v_add(var_high, v_abs(f->epsilon)), v_set1(0x1p-48));

		low = v_div(v_set1(1), v_sqrt(v_add(v_add(var_high, f->epsilon), slack)));
		high = v_div(v_set1(1), v_sqrt(v_sub(v_add(var_low, f->epsilon), slack)));
	} else {
		low = v_sqrt(v_mul(s_low, f->inverse_divisor));
		high = v_sqrt(v_mul(s_high, f->inverse_divisor));
	}
	low = FN(round_to)(&f->y, low);
	high = FN(round_to)(&f->y, high);
	v_store(y, low);
	return v_differ(low, high);
}

static inline unsigned FN(finish_mean)(const struct FN(test) * f, V shift, V t, V q, double *mean)
{
	const V m = v_add(shift, v_mul(t, f->inverse_n));
	const V bound = v_fma(v_sqrt(v_mul(q, f->inverse_n)), f->mean_error, v_mul(v_abs(m), v_set1(0x1p-51)));
	const V low = FN(round_to)(&f->mean, v_sub(m, bound)), high = FN(round_to)(&f->mean, v_add(m, bound));

	v_store(mean, low);
	return v_differ(low, high);
}

/* The loop, once for each combination of what is wanted, so that none of it is asked again for each vector. */
static inline __attribute__((always_inline)) uint64_t FN(finish_all)(const struct rstd__finish *f, bool want_y,
                                                                     bool invert, bool want_mean, size_t n,
                                                                     const double *shift, const double *t,
                                                                     const double *q, double *y, double *mean)
{
	const struct FN(test) test = {
		.inverse_n = v_set1(f->inverse_n),
		.inverse_divisor = v_set1(f->inverse_divisor),
		.epsilon = v_set1(f->epsilon),
		.sum_sq_error = v_set1(f->sum_sq_error),
		.mean_error = v_set1(f->mean_error),
		.y = FN(rounding_to)(f->y),
		.mean = FN(rounding_to)(f->mean),
	};
	const size_t whole = n - n % VL, rest = n % VL;
	uint64_t open = 0;

	for (size_t i = 0; i < whole; i += VL) {
		const V tv = v_load(t + i), qv = v_load(q + i);

		if (want_y)
			open |= (uint64_t)FN(finish_y)(&test, invert, tv, qv, y + i) << i;
		if (want_mean)
			open |= (uint64_t)FN(finish_mean)(&test, v_load(shift + i), tv, qv, mean + i) << i;
	}
	if (rest > 0) { /* the last, partial vector goes through copies */
		double in[3][VL] = { { 0 } }, out[2][VL] = { { 0 } };
		const size_t bytes = rest * sizeof(double);
		unsigned more = 0;

		memcpy(in[0], shift + whole, bytes);
		memcpy(in[1], t + whole, bytes);
		memcpy(in[2], q + whole, bytes);
		if (want_y)
			more |= FN(finish_y)(&test, invert, v_load(in[1]), v_load(in[2]), out[0]);
		if (want_mean)
			more |= FN(finish_mean)(&test, v_load(in[0]), v_load(in[1]), v_load(in[2]), out[1]);
		open |= (uint64_t)(more & ((1u << rest) - 1)) << whole;
		memcpy(y + whole, out[0], bytes);
		memcpy(mean + whole, out[1], bytes);
	}
	return open;
}

static uint64_t FN(finish)(const struct rstd__finish *f, size_t n, const double *shift, const double *t,
                           const double *q, double *y, double *mean)
{
	if (!f->want_y)
		return FN(finish_all)(f, false, false, true, n, shift, t, q, y, mean);
	if (f->invert)
		return f->want_mean ? FN(finish_all)(f, true, true, true, n, shift, t, q, y, mean)
		                    : FN(finish_all)(f, true, true, false, n, shift, t, q, y, mean);
	return f->want_mean ? FN(finish_all)(f, true, false, true, n, shift, t, q, y, mean)
	                    : FN(finish_all)(f, true, false, false, n, shift, t, q, y, mean);
}
