/*
 * reference.c - what the operators must give, from exact integers and, as a check of that, from MPFR
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reference.h"

#include <limits.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* ---- Elements as integers ------------------------------------------------------------------------------------ */

/* A finite element is m * 2^e; zero has m = 0. Trailing zero bits of m are not removed. */
struct integer {
	int32_t m;
	int e;
};

static struct integer decode(rstd_dtype dtype, uint32_t bits)
{
	const int p = dtype_precision(dtype);
	const uint32_t mag = bits & (dtype_sign_bit(dtype) - 1);
	uint32_t exponent = mag >> (p - 1), m = mag;
	struct integer v;

	if (exponent)
		m -= (exponent - 1) << (p - 1);
	else
		exponent = 1;
	v.m = bits & dtype_sign_bit(dtype) ? -(int32_t)m : (int32_t)m;
	v.e = dtype_least(dtype) + (int)exponent - 1;
	return v;
}

/* The range of exponents that the non-zero elements use. */
struct span {
	int least, top;
};

static void widen(struct span *span, struct integer v)
{
	if (v.m == 0)
		return;
	if (v.e < span->least)
		span->least = v.e;
	if (v.e > span->top)
		span->top = v.e;
}

/* ---- Sums ---------------------------------------------------------------------------------------------------- */

void ref_init(struct ref_sums *r)
{
	memset(r, 0, sizeof(*r));
	mpz_init(r->s1);
	mpz_init(r->s2);
}

void ref_clear(struct ref_sums *r)
{
	mpz_clear(r->s1);
	mpz_clear(r->s2);
}

static void set_u128(mpz_t z, unsigned __int128 v)
{
	mpz_set_ui(z, (unsigned long)(v >> 64));
	mpz_mul_2exp(z, z, 64);
	mpz_add_ui(z, z, (unsigned long)v);
}

static void set_s128(mpz_t z, __int128 v)
{
	set_u128(z, v < 0 ? -(unsigned __int128)v : (unsigned __int128)v);
	if (v < 0)
		mpz_neg(z, z);
}

/* Notes a term that is not finite; returns whether it was one. */
static bool note_special(struct ref_sums *r, rstd_dtype dtype, uint32_t x, uint32_t mean)
{
	double d;

	if (bits_is_finite(dtype, x) && bits_is_finite(dtype, mean))
		return false;
	d = bits_to_double(dtype, x) - bits_to_double(dtype, mean);
	if (isnan(d))
		r->has_nan = true;
	else if (d > 0)
		r->has_pos_inf = true;
	else
		r->has_neg_inf = true;
	return true;
}

static int64_t scaled(struct integer v, int unit)
{
	return v.m ? (int64_t)v.m * ((int64_t)1 << (v.e - unit)) : 0;
}

static void set_scaled(mpz_t z, struct integer v, int unit)
{
	mpz_set_si(z, v.m);
	if (v.m)
		mpz_mul_2exp(z, z, (mp_bitcnt_t)(v.e - unit));
}

/* Elements that span few exponents: the sums fit in 128 bits. */
static void sum_narrow(struct ref_sums *r, rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n,
                       int unit)
{
	unsigned __int128 s2 = 0;
	__int128 s1 = 0, d;
	size_t i;

	for (i = 0; i < n; i++) {
		if (note_special(r, dtype, x[i], mean ? mean[i] : 0))
			continue;
		d = scaled(decode(dtype, x[i]), unit);
		if (mean)
			d -= scaled(decode(dtype, mean[i]), unit);
		s1 += d;
		s2 += (unsigned __int128)(d * d);
	}
	set_s128(r->s1, s1);
	set_u128(r->s2, s2);
}

static void sum_wide(struct ref_sums *r, rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n, int unit)
{
	mpz_t d, m;
	size_t i;

	mpz_init(d);
	mpz_init(m);
	mpz_set_ui(r->s1, 0);
	mpz_set_ui(r->s2, 0);
	for (i = 0; i < n; i++) {
		if (note_special(r, dtype, x[i], mean ? mean[i] : 0))
			continue;
		set_scaled(d, decode(dtype, x[i]), unit);
		if (mean) {
			set_scaled(m, decode(dtype, mean[i]), unit);
			mpz_sub(d, d, m);
		}
		mpz_add(r->s1, r->s1, d);
		mpz_addmul(r->s2, d, d);
	}
	mpz_clear(m);
	mpz_clear(d);
}

void ref_slice(struct ref_sums *r, rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n)
{
	struct span span = { INT_MAX, INT_MIN };
	int count_bits = 0;
	size_t i;

	r->n = n;
	r->given = mean != NULL;
	r->has_nan = r->has_pos_inf = r->has_neg_inf = false;
	for (i = 0; i < n; i++) {
		if (bits_is_finite(dtype, x[i]))
			widen(&span, decode(dtype, x[i]));
		if (mean && bits_is_finite(dtype, mean[i]))
			widen(&span, decode(dtype, mean[i]));
	}
	if (span.least > span.top)
		span.least = span.top = 0;
	r->unit = span.least;
	while (n >> count_bits)
		count_bits++;
	/* |x - mean| < 2^(top - least + 25) units, so the sum of squares is below 2^(2 * that + count_bits). */
	if (2 * (span.top - span.least + 25) + count_bits <= 127)
		sum_narrow(r, dtype, x, mean, n, span.least);
	else
		sum_wide(r, dtype, x, mean, n, span.least);
}

/* ---- Rounding ------------------------------------------------------------------------------------------------ */

/* Bits of m * 2^e, or of a value strictly between that and (m + 1) * 2^e when sticky; m has bits to spare then. */
static uint32_t round_magnitude(const mpz_t m, long e, bool sticky, rstd_dtype to)
{
	const int p = dtype_precision(to);
	long unit, shift;
	mpz_t q, rest;
	int beside; /* of the midpoint: < 0, 0, > 0 */
	uint64_t bits;

	if (mpz_sgn(m) == 0)
		return 0; /* sticky values have bits to spare, so this is a true zero */
	unit = (long)mpz_sizeinbase(m, 2) + e - p;
	if (unit > 200)
		return dtype_inf(to);
	if (unit < dtype_least(to))
		unit = dtype_least(to);
	shift = unit - e;
	mpz_init(q);
	mpz_init(rest);
	if (shift <= 0) {
		mpz_mul_2exp(q, m, (mp_bitcnt_t)-shift);
	} else {
		mpz_fdiv_q_2exp(q, m, (mp_bitcnt_t)shift);
		mpz_fdiv_r_2exp(rest, m, (mp_bitcnt_t)shift);
		if (mpz_sizeinbase(rest, 2) < (size_t)shift || mpz_sgn(rest) == 0)
			beside = -1;
		else
			beside = mpz_scan1(rest, 0) == (mp_bitcnt_t)(shift - 1) && !sticky ? 0 : 1;
		if (beside > 0 || (beside == 0 && mpz_odd_p(q)))
			mpz_add_ui(q, q, 1);
	}
	/* One more unit past the largest significand is the first of the next exponent, and past the last is Inf. */
	bits = ((uint64_t)(unit - dtype_least(to)) << (p - 1)) + mpz_get_ui(q);
	mpz_clear(rest);
	mpz_clear(q);
	return bits < dtype_inf(to) ? (uint32_t)bits : dtype_inf(to);
}

/* Bits of sqrt(num / den * 2^k), num >= 0, den > 0. */
static uint32_t round_root(const mpz_t num, const mpz_t den, long k, rstd_dtype to)
{
	const long have = (long)mpz_sizeinbase(num, 2) - (long)mpz_sizeinbase(den, 2);
	long shift = have < 90 ? 90 - have : 0;
	bool sticky;
	uint32_t bits;
	mpz_t q, rest;

	if ((k - shift) % 2)
		shift++;
	mpz_init(q);
	mpz_init(rest);
	mpz_mul_2exp(q, num, (mp_bitcnt_t)shift);
	mpz_tdiv_qr(q, rest, q, den);
	sticky = mpz_sgn(rest) != 0;
	mpz_sqrtrem(q, rest, q);
	sticky |= mpz_sgn(rest) != 0;
	bits = round_magnitude(q, (k - shift) / 2, sticky, to);
	mpz_clear(rest);
	mpz_clear(q);
	return bits;
}

/* ---- Results ------------------------------------------------------------------------------------------------- */

uint64_t ref_divisor(uint64_t n, int64_t correction)
{
	return correction >= 0 && (uint64_t)correction >= n ? 0 : n - (uint64_t)correction;
}

static void set_u64(mpz_t z, uint64_t v)
{
	mpz_set_ui(z, v); /* GMP's unsigned long has 64 bits on every machine that rstd supports */
}

/* S = num / den, in units of 2^(2 unit). */
static void ssd(const struct ref_sums *r, mpz_t num, mpz_t den)
{
	if (r->given) {
		mpz_set(num, r->s2);
		mpz_set_ui(den, 1);
		return;
	}
	set_u64(den, r->n);
	mpz_mul(num, r->s2, den);
	mpz_submul(num, r->s1, r->s1);
}

static bool is_infinite(const struct ref_sums *r)
{
	return r->has_pos_inf || r->has_neg_inf;
}

uint32_t ref_std(const struct ref_sums *r, uint64_t divisor, rstd_dtype to)
{
	mpz_t num, den, d;
	uint32_t bits;

	if (r->n == 0 || r->has_nan || (!r->given && is_infinite(r)))
		return dtype_nan(to);
	if (is_infinite(r))
		return dtype_inf(to);
	mpz_init(num);
	mpz_init(den);
	mpz_init(d);
	ssd(r, num, den);
	if (divisor == 0) {
		bits = mpz_sgn(num) ? dtype_inf(to) : dtype_nan(to);
	} else {
		set_u64(d, divisor);
		mpz_mul(den, den, d);
		bits = round_root(num, den, 2 * r->unit, to);
	}
	mpz_clear(d);
	mpz_clear(den);
	mpz_clear(num);
	return bits;
}

uint32_t ref_invstd(const struct ref_sums *r, float epsilon, rstd_dtype to)
{
	mpz_t num, den, n, e;
	int exponent;
	long common;
	uint32_t bits;

	if (r->n == 0 || r->has_nan || isnan(epsilon) || (!r->given && is_infinite(r)))
		return dtype_nan(to);
	if (isinf(epsilon) || is_infinite(r))
		return isinf(epsilon) && epsilon < 0 ? dtype_nan(to) : 0;
	mpz_init(num);
	mpz_init(den);
	mpz_init(n);
	mpz_init(e);
	ssd(r, num, den);
	set_u64(n, r->n);
	mpz_mul(den, den, n);
	/* num / den * 2^(2 unit) + epsilon, over the smaller of the two units */
	mpz_set_d(e, ldexp(frexp((double)epsilon, &exponent), 24));
	exponent -= 24;
	common = 2 * r->unit < exponent ? 2 * r->unit : exponent;
	mpz_mul_2exp(num, num, (mp_bitcnt_t)(2 * r->unit - common));
	mpz_mul_2exp(e, e, (mp_bitcnt_t)(exponent - common));
	mpz_addmul(num, e, den);
	if (mpz_sgn(num) < 0)
		bits = dtype_nan(to);
	else if (mpz_sgn(num) == 0)
		bits = dtype_inf(to);
	else
		bits = round_root(den, num, -common, to);
	mpz_clear(e);
	mpz_clear(n);
	mpz_clear(den);
	mpz_clear(num);
	return bits;
}

uint32_t ref_mean(const struct ref_sums *r, rstd_dtype to)
{
	const uint32_t sign = mpz_sgn(r->s1) < 0 ? dtype_sign_bit(to) : 0;
	const mp_bitcnt_t shift = 128; /* more than n has, and a format */
	mpz_t q, rest, n;
	uint32_t bits;

	if (r->n == 0 || r->has_nan || (r->has_pos_inf && r->has_neg_inf))
		return dtype_nan(to);
	if (is_infinite(r))
		return dtype_inf(to) | (r->has_neg_inf ? dtype_sign_bit(to) : 0);
	mpz_init(q);
	mpz_init(rest);
	mpz_init(n);
	set_u64(n, r->n);
	mpz_abs(q, r->s1);
	mpz_mul_2exp(q, q, shift);
	mpz_tdiv_qr(q, rest, q, n);
	bits = sign | round_magnitude(q, r->unit - (long)shift, mpz_sgn(rest) != 0, to);
	mpz_clear(n);
	mpz_clear(rest);
	mpz_clear(q);
	return bits;
}

/* ---- MPFR ---------------------------------------------------------------------------------------------------- */

/*
 * Sums of finite elements are exact in SUM_BITS: an x^2 lies between 2^-298 and 2^256, with 63 bits for the count
 * twice over. A quotient or root that is not exact in WORK_BITS cannot be so close to a midpoint of 24 bits that
 * rounding it again goes wrong: numerator and denominator of its square have fewer than WORK_BITS / 4 bits, and
 * different fractions with such denominators differ by more.
 */
#define SUM_BITS  1024
#define WORK_BITS 8192

/* The value rounded to the dtype, as bits. */
static uint32_t mpfr_to_bits(const mpfr_t v, rstd_dtype to)
{
	const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_t r;
	int inexact;
	double d;
	uint32_t bits;

	mpfr_set_emin(dtype_least(to) + 1); /* MPFR's significands lie in [1/2, 1) */
	mpfr_set_emax(to == RSTD_F16 ? 16 : 128);
	mpfr_init2(r, dtype_precision(to));
	inexact = mpfr_set(r, v, MPFR_RNDN);
	inexact = mpfr_check_range(r, inexact, MPFR_RNDN);
	mpfr_subnormalize(r, inexact, MPFR_RNDN);
	d = mpfr_get_d(r, MPFR_RNDN);
	mpfr_clear(r);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	if (isinf(d))
		bits = dtype_inf(to) | (d < 0 ? dtype_sign_bit(to) : 0);
	else
		bits = bits_from_double(to, d);
	return bits;
}

/* mean = sum x / n, ss = sum x^2 or sum (x - given)^2 */
static void mpfr_sums(mpfr_t sum, mpfr_t ss, rstd_dtype dtype, const uint32_t *x, const uint32_t *given, size_t n)
{
	mpfr_t d;
	size_t i;

	mpfr_init2(d, SUM_BITS);
	mpfr_set_ui(sum, 0, MPFR_RNDN);
	mpfr_set_ui(ss, 0, MPFR_RNDN);
	for (i = 0; i < n; i++) {
		mpfr_set_d(d, bits_to_double(dtype, x[i]), MPFR_RNDN);
		if (given)
			mpfr_sub_d(d, d, bits_to_double(dtype, given[i]), MPFR_RNDN);
		mpfr_add(sum, sum, d, MPFR_RNDN);
		mpfr_sqr(d, d, MPFR_RNDN);
		mpfr_add(ss, ss, d, MPFR_RNDN);
	}
	mpfr_clear(d);
}

/* v = S * n * factor: an integer multiple of S, so that it is exact */
static void mpfr_ssd_times_n(mpfr_t v, rstd_dtype dtype, const uint32_t *x, const uint32_t *given, size_t n)
{
	mpfr_t sum;

	mpfr_init2(sum, SUM_BITS);
	mpfr_sums(sum, v, dtype, x, given, n);
	mpfr_mul_ui(v, v, n, MPFR_RNDN);
	mpfr_sqr(sum, sum, MPFR_RNDN);
	if (!given)
		mpfr_sub(v, v, sum, MPFR_RNDN);
	mpfr_clear(sum);
}

uint32_t ref_mpfr_std(rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n, uint64_t divisor,
                      rstd_dtype to)
{
	mpfr_t v;
	uint32_t bits;

	mpfr_init2(v, WORK_BITS);
	mpfr_ssd_times_n(v, dtype, x, mean, n);
	if (divisor == 0) {
		bits = mpfr_zero_p(v) ? dtype_nan(to) : dtype_inf(to);
	} else {
		mpfr_div_ui(v, v, n, MPFR_RNDN);
		mpfr_div_ui(v, v, divisor, MPFR_RNDN);
		mpfr_sqrt(v, v, MPFR_RNDN);
		bits = mpfr_to_bits(v, to);
	}
	mpfr_clear(v);
	return bits;
}

uint32_t ref_mpfr_invstd(rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n, float epsilon,
                         rstd_dtype to)
{
	mpfr_t v, e;
	uint32_t bits;

	mpfr_init2(v, WORK_BITS);
	mpfr_init2(e, WORK_BITS);
	mpfr_ssd_times_n(v, dtype, x, mean, n);
	/* (n S + n^2 epsilon) / n^2, so that only the last division rounds */
	mpfr_set_d(e, (double)epsilon, MPFR_RNDN);
	mpfr_mul_ui(e, e, n, MPFR_RNDN);
	mpfr_mul_ui(e, e, n, MPFR_RNDN);
	mpfr_add(v, v, e, MPFR_RNDN);
	if (mpfr_nan_p(v) || mpfr_sgn(v) < 0) {
		bits = dtype_nan(to);
	} else if (mpfr_zero_p(v)) {
		bits = dtype_inf(to);
	} else {
		/* n^2 / v first: a square that is exact stays so, which 1 / sqrt(v) would not */
		mpfr_set_ui(e, n, MPFR_RNDN);
		mpfr_sqr(e, e, MPFR_RNDN);
		mpfr_div(v, e, v, MPFR_RNDN);
		mpfr_sqrt(v, v, MPFR_RNDN);
		bits = mpfr_to_bits(v, to);
	}
	mpfr_clear(e);
	mpfr_clear(v);
	return bits;
}

uint32_t ref_mpfr_mean(rstd_dtype dtype, const uint32_t *x, size_t n, rstd_dtype to)
{
	mpfr_t sum, ss;
	uint32_t bits;

	mpfr_init2(sum, WORK_BITS);
	mpfr_init2(ss, SUM_BITS);
	mpfr_sums(sum, ss, dtype, x, NULL, n);
	mpfr_div_ui(sum, sum, n, MPFR_RNDN);
	bits = mpfr_to_bits(sum, to);
	mpfr_clear(ss);
	mpfr_clear(sum);
	return bits;
}

/* ---- Cases --------------------------------------------------------------------------------------------------- */

static void case_slice(const struct test_case *c, const struct ref_sums *r, size_t slice, uint32_t *const out[2])
{
	const int64_t correction = c->op == OP_REDUCE_STD_WITH_MEAN && !c->unbiased ? 0 : c->correction;
	const float epsilon = (float)c->epsilon;

	if (c->op == OP_BATCH_NORM_STATS) {
		out[0][slice] = r->n ? ref_mean(r, c->out_dtype[0]) : 0;
		out[1][slice] = ref_invstd(r, epsilon, c->out_dtype[1]);
		return;
	}
	if (c->op == OP_REDUCE_STD_WITH_MEAN && c->invert)
		out[0][slice] = ref_invstd(r, epsilon, c->out_dtype[0]);
	else
		out[0][slice] = ref_std(r, ref_divisor(r->n, correction), c->out_dtype[0]);
	if (c->op == OP_STD_MEAN)
		out[1][slice] = ref_mean(r, c->out_dtype[1]);
}

void ref_case(const struct test_case *c, const uint32_t *x, const uint32_t *mean, uint32_t *const out[2])
{
	const unsigned mask = case_mask(c);
	const size_t count = shape_count(&c->shape), slices = slice_count(&c->shape, mask);
	const size_t n = count ? count / slices : 0;
	size_t *of = xmalloc(count * sizeof(*of)), *fill = xmalloc(slices * sizeof(*fill)), i, at;
	uint32_t *gx = xmalloc(count * sizeof(*gx)), *gm = mean ? xmalloc(count * sizeof(*gm)) : NULL;
	struct ref_sums r;

	memset(fill, 0, slices * sizeof(*fill));
	slice_map(&c->shape, mask, of);
	for (i = 0; i < count; i++) {
		at = of[i] * n + fill[of[i]]++;
		gx[at] = x[i];
		if (gm)
			gm[at] = mean[i];
	}
	ref_init(&r);
	for (i = 0; i < slices; i++) {
		ref_slice(&r, c->dtype, gx + i * n, gm ? gm + i * n : NULL, n);
		case_slice(c, &r, i, out);
	}
	ref_clear(&r);
	free(gm);
	free(gx);
	free(fill);
	free(of);
}
