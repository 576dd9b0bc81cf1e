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

/*
 * x rounded to the nearest value of a format, ties to even; exact in binary64. Adding 1.5 * 2^52 units in the last
 * place of the format leaves no room for smaller bits. Beyond the finite range the result is 2^overflow or more, and
 * 2^(overflow + 2) stands for every larger positive x, Inf included. A NaN stays NaN.
 */
static inline __attribute__((always_inline)) V FN(round_to)(const struct rstd__format_info *format, V x)
{
	const V limit = v_set1(rstd__pow2(format->overflow + 2));
	const V least_normal = v_set1(rstd__pow2(format->least + format->precision - 1));
	const V clamped = v_min(limit, x);
	const V big = v_mul(v_max(least_normal, v_pow2(clamped)), v_set1(0x1.8p52 * rstd__pow2(1 - format->precision)));

	return v_sub(v_add(clamped, big), big);
}

/* VL outputs; returns the mask of those that are not settled. */
static inline unsigned FN(finish_y)(const struct rstd__finish *f, V t, V q, double *y)
{
	const struct rstd__format_info *format = &rstd__format_info[f->y];
	const V inverse_n = v_set1(f->inverse_n), one = v_set1(1);
	const V m2 = v_sub(q, v_mul(v_mul(t, t), inverse_n)), bound = v_mul(q, v_set1(f->sum_sq_error));
	const V s_low = v_max(v_set1(0), v_sub(m2, bound)), s_high = v_add(m2, bound);
	V low, high;

	if (f->invert) {
		const V epsilon = v_set1(f->epsilon);
		const V var_low = v_mul(s_low, inverse_n), var_high = v_mul(s_high, inverse_n);
		const V slack = v_mul(v_add(var_high, v_abs(epsilon)), v_set1(0x1p-48));

		low = v_div(one, v_sqrt(v_add(v_add(var_high, epsilon), slack)));
		high = v_div(one, v_sqrt(v_sub(v_add(var_low, epsilon), slack)));
	} else {
		const V inverse_divisor = v_set1(f->inverse_divisor);

		low = v_sqrt(v_mul(s_low, inverse_divisor));
		high = v_sqrt(v_mul(s_high, inverse_divisor));
	}
	low = FN(round_to)(format, low);
	high = FN(round_to)(format, high);
	v_store(y, low);
	return v_differ(low, high);
}

static inline unsigned FN(finish_mean)(const struct rstd__finish *f, V shift, V t, V q, double *mean)
{
	const struct rstd__format_info *format = &rstd__format_info[f->mean];
	const V inverse_n = v_set1(f->inverse_n), m = v_add(shift, v_mul(t, inverse_n));
	const V bound = v_fma(v_sqrt(v_mul(q, inverse_n)), v_set1(f->mean_error), v_mul(v_abs(m), v_set1(0x1p-51)));
	const V low = FN(round_to)(format, v_sub(m, bound)), high = FN(round_to)(format, v_add(m, bound));

	v_store(mean, low);
	return v_differ(low, high);
}

static inline unsigned FN(finish_vector)(const struct rstd__finish *f, const double *shift, const double *t,
                                         const double *q, double *y, double *mean)
{
	const V tv = v_load(t), qv = v_load(q);
	unsigned open = 0;

	if (f->want_y)
		open |= FN(finish_y)(f, tv, qv, y);
	if (f->want_mean)
		open |= FN(finish_mean)(f, v_load(shift), tv, qv, mean);
	return open;
}

static uint64_t FN(finish)(const struct rstd__finish *f, size_t n, const double *shift, const double *t,
                           const double *q, double *y, double *mean)
{
	const size_t whole = n - n % VL, k = n % VL;
	uint64_t open = 0;

	for (size_t i = 0; i < whole; i += VL)
		open |= (uint64_t)FN(finish_vector)(f, shift + i, t + i, q + i, y + i, mean + i) << i;
	if (k > 0) { /* the last, partial vector goes through copies */
		double in[3][VL] = { { 0 } }, out[2][VL] = { { 0 } };
		const size_t bytes = k * sizeof(double);

		memcpy(in[0], shift + whole, bytes);
		memcpy(in[1], t + whole, bytes);
		memcpy(in[2], q + whole, bytes);
		open |= (uint64_t)(FN(finish_vector)(f, in[0], in[1], in[2], out[0], out[1]) & ((1u << k) - 1))
		        << whole;
		memcpy(y + whole, out[0], bytes);
		memcpy(mean + whole, out[1], bytes);
	}
	return open;
}
