/*
 * test_exact.c - level 2 against GMP: sums limb by limb, results bit by bit
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reference takes another way than the code: it makes the elements integers by ldexp(), sums them as mpz, and
 * rounds the integer square root of the quotient, scaled so far that every midpoint is an integer, with its remainder
 * as a sticky bit.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gmp.h>

#include "kernels/words.h"
#include "runtime/cpu.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Random numbers: xorshift64*, Vigna 2016 ----------------------------------------------------------------------
 */

static uint64_t random_state = 0x9E3779B97F4A7C15;

static uint64_t random_bits(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static uint64_t random_below(uint64_t bound)
{
	return (random_bits() >> 11) % bound;
}

static int random_between(int low, int high)
{
	return low + (int)random_below((uint64_t)(high - low + 1));
}

static float random_sign(float x)
{
	return random_bits() >> 63 ? -x : x;
}

static float random_with_exponents(unsigned low, unsigned high)
{
	const uint32_t exponent = (uint32_t)random_between((int)low, (int)high);

	return random_sign(rstd__float_from_bits(exponent << 23 | (uint32_t)(random_bits() >> 41)));
}

enum kind { WIDE, SUBNORMAL, HUGE_VALUES, CONSTANT, SMALL_INTEGERS, OFFSET, HALVES, EXTREMES, COUNTABLE, KINDS };

/* Finite elements; mean is what they lie about, for kinds that have one. */
static void fill(float *x, size_t n, enum kind kind)
{
	const float constant = random_with_exponents(0, 254), offset = random_with_exponents(127, 150);

	for (size_t i = 0; i < n; i++) {
		switch (kind) {
		case WIDE:
			x[i] = random_with_exponents(0, 254);
			break;
		case SUBNORMAL:
			x[i] = random_with_exponents(0, 2);
			break;
		case HUGE_VALUES:
			x[i] = random_with_exponents(252, 254);
			break;
		case CONSTANT:
			x[i] = constant;
			break;
		case SMALL_INTEGERS:
			x[i] = (float)random_between(-3, 3);
			break;
		case OFFSET:
			x[i] = offset + random_with_exponents(120, 126);
			break;
		case HALVES:
			x[i] = rstd__float_from_f16((uint16_t)(random_bits() & 0xFBFF));
			break;
		case EXTREMES:
			x[i] = random_bits() >> 63 ? random_with_exponents(254, 254) : random_with_exponents(0, 0);
			break;
		case COUNTABLE: /* bfloat16 near 1 */
		case KINDS:
			x[i] = rstd__float_from_bits((uint32_t)random_between(0x3F00, 0x4080) << 16);
			break;
		}
	}
}

/* ---- The reference ----------------------------------------------------------------------------------------------- */

struct reference {
	mpz_t sum, sq; /* units 2^-149 and 2^-298 */
};

static void reference_init(struct reference *r)
{
	mpz_inits(r->sum, r->sq, NULL);
}

static void reference_clear(struct reference *r)
{
	mpz_clears(r->sum, r->sq, NULL);
}

static void mpz_from_float(mpz_t z, float x)
{
	mpz_set_d(z, ldexp((double)x, 149));
}

/* Adds the deviations from mean, or from 0 where mean is NULL, and sums without a mean. */
static void reference_add(struct reference *r, const float *x, const float *mean, size_t n)
{
	mpz_t d, m;

	mpz_inits(d, m, NULL);
	for (size_t i = 0; i < n; i++) {
		mpz_from_float(d, x[i]);
		if (mean) {
			mpz_from_float(m, mean[i]);
			mpz_sub(d, d, m);
		} else {
			mpz_add(r->sum, r->sum, d);
		}
		mpz_addmul(r->sq, d, d);
	}
	mpz_clears(d, m, NULL);
}

static void mpz_set_u64(mpz_t z, uint64_t value)
{
	mpz_import(z, 1, -1, sizeof(value), 0, 0, &value);
}

/* More than any midpoint needs: results are compared in units of 2^-SCALE. */
#define SCALE 420

/* The power-th root of num / den, num >= 0, den > 0, rounded to nearest even. */
static double reference_round(const mpz_t num, const mpz_t den, int power, enum rstd__format to)
{
	const struct rstd__format_info *format = &rstd__format_info[to];
	mpz_t root, rest, half;
	bool sticky;
	int bits, ulp, side;
	double result;

	mpz_inits(root, rest, half, NULL);
	mpz_mul_2exp(root, num, (mp_bitcnt_t)(SCALE * power));
	mpz_fdiv_qr(root, rest, root, den);
	sticky = mpz_sgn(rest) != 0;
	if (power == 2) {
		mpz_sqrtrem(root, rest, root);
		sticky |= mpz_sgn(rest) != 0;
	}
	bits = mpz_sgn(root) ? (int)mpz_sizeinbase(root, 2) : 0;
	ulp = bits - format->precision;
	if (ulp < format->least + SCALE)
		ulp = format->least + SCALE;
	mpz_fdiv_r_2exp(rest, root, (mp_bitcnt_t)ulp);
	mpz_fdiv_q_2exp(root, root, (mp_bitcnt_t)ulp);
	mpz_setbit(half, (mp_bitcnt_t)(ulp - 1));
	side = mpz_cmp(rest, half);
	if (side > 0 || (side == 0 && (sticky || mpz_odd_p(root))))
		mpz_add_ui(root, root, 1);
	result = ldexp(mpz_get_d(root), ulp - SCALE);
	mpz_clears(root, rest, half, NULL);
	return result < ldexp(1, format->overflow) ? result : HUGE_VAL;
}

/* n S, or S about a mean; unit 2^-298. */
static void reference_deviations(mpz_t s, const struct reference *r, uint64_t n, bool about_mean)
{
	mpz_t factor;

	if (about_mean) {
		mpz_set(s, r->sq);
		return;
	}
	mpz_init(factor);
	mpz_set_u64(factor, n);
	mpz_mul(s, r->sq, factor);
	mpz_submul(s, r->sum, r->sum);
	mpz_clear(factor);
}

static double reference_std(const struct reference *r, uint64_t n, bool about_mean, uint64_t divisor,
                            enum rstd__format to)
{
	mpz_t num, den, factor;
	double result;

	mpz_inits(num, den, factor, NULL);
	reference_deviations(num, r, n, about_mean);
	mpz_set_u64(den, divisor);
	mpz_set_u64(factor, n);
	if (!about_mean)
		mpz_mul(den, den, factor);
	mpz_mul_2exp(den, den, 298);
	result = reference_round(num, den, 2, to);
	mpz_clears(num, den, factor, NULL);
	return result;
}

static double reference_invstd(const struct reference *r, uint64_t n, bool about_mean, float epsilon,
                               enum rstd__format to)
{
	mpz_t num, den, factor;
	double result;

	mpz_inits(num, den, factor, NULL);
	reference_deviations(den, r, n, about_mean);
	mpz_set_u64(num, n);
	if (!about_mean)
		mpz_mul(num, num, num);
	mpz_from_float(factor, epsilon);
	mpz_mul_2exp(factor, factor, 149);
	mpz_addmul(den, num, factor);
	mpz_mul_2exp(num, num, 298);
	if (mpz_sgn(den) < 0)
		result = (double)NAN;
	else
		result = mpz_sgn(den) == 0 ? HUGE_VAL : reference_round(num, den, 2, to);
	mpz_clears(num, den, factor, NULL);
	return result;
}

static double reference_mean(const struct reference *r, uint64_t n, enum rstd__format to)
{
	mpz_t num, den;
	double result;

	mpz_inits(num, den, NULL);
	mpz_abs(num, r->sum);
	mpz_set_u64(den, n);
	mpz_mul_2exp(den, den, 149);
	result = reference_round(num, den, 1, to);
	result = mpz_sgn(r->sum) < 0 ? -result : result;
	mpz_clears(num, den, NULL);
	return result;
}

static bool reference_is_constant(const struct reference *r, uint64_t n, bool about_mean)
{
	mpz_t s;
	bool constant;

	mpz_init(s);
	reference_deviations(s, r, n, about_mean);
	constant = mpz_sgn(s) == 0;
	mpz_clear(s);
	return constant;
}

/* ---- Comparisons ------------------------------------------------------------------------------------------------- */

static void assert_limbs(const uint64_t *limb, size_t limbs, const mpz_t expected)
{
	mpz_t value, modulus;

	mpz_inits(value, modulus, NULL);
	mpz_import(value, limbs, -1, sizeof(*limb), 0, 0, limb);
	mpz_setbit(modulus, 64 * limbs);
	mpz_fdiv_r(modulus, expected, modulus);
	if (mpz_cmp(value, modulus) != 0)
		fail_msg("%s instead of %s", mpz_get_str(NULL, 16, value), mpz_get_str(NULL, 16, modulus));
	mpz_clears(value, modulus, NULL);
}

static unsigned long decisions;

static void assert_double(double actual, double expected, const char *what, uint64_t n, enum rstd__format to)
{
	decisions++;
	if (isnan(expected) ? !isnan(actual) : memcmp(&actual, &expected, sizeof(actual)) != 0)
		fail_msg("%s of %llu elements to format %d is %a, not %a", what, (unsigned long long)n, (int)to, actual,
		         expected);
}

static void check_std(const struct rstd__exact *e, const struct reference *r, uint64_t n, bool about_mean,
                      uint64_t divisor)
{
	for (enum rstd__format to = 0; to < RSTD__FORMATS; to++)
		assert_double(rstd__exact_std(e, n, about_mean, divisor, to),
		              reference_std(r, n, about_mean, divisor, to), "std", n, to);
	assert_int_equal(rstd__exact_is_constant(e, n, about_mean), reference_is_constant(r, n, about_mean));
}

static void check_invstd(const struct rstd__exact *e, const struct reference *r, uint64_t n, bool about_mean,
                         float epsilon)
{
	for (enum rstd__format to = 0; to < RSTD__FORMATS; to++)
		assert_double(rstd__exact_invstd(e, n, about_mean, epsilon, to),
		              reference_invstd(r, n, about_mean, epsilon, to), "invstd", n, to);
}

static void check_mean(const struct rstd__exact *e, const struct reference *r, uint64_t n)
{
	for (enum rstd__format to = 0; to < RSTD__FORMATS; to++)
		assert_double(rstd__exact_mean(e, n, to), reference_mean(r, n, to), "mean", n, to);
}

#define MOST_KEPT (1 << 16)

/* Elements, or elements and means, added to both sides; so many of them are kept for windows. */
struct both {
	struct rstd__exact e;
	struct reference r;
	uint64_t n;
	bool about_mean;
	size_t kept;
	float x[MOST_KEPT], mean[MOST_KEPT];
};

static void both_init(struct both *b, bool about_mean)
{
	b->e = (struct rstd__exact){ 0 };
	b->n = 0;
	b->kept = 0;
	b->about_mean = about_mean;
	reference_init(&b->r);
}

static void both_clear(struct both *b)
{
	reference_clear(&b->r);
}

static void both_add(struct both *b, const float *x, const float *mean, size_t n)
{
	if (b->about_mean)
		rstd__exact_add_ssd(&b->e, x, mean, n);
	else
		rstd__exact_add(&b->e, x, n);
	reference_add(&b->r, x, b->about_mean ? mean : NULL, n);
	for (size_t i = 0; i < n && b->kept < MOST_KEPT; i++, b->kept++) {
		b->x[b->kept] = x[i];
		b->mean[b->kept] = mean ? mean[i] : 0;
	}
	b->n += n;
}

static void both_add_one(struct both *b, double x, double mean)
{
	const float fx = (float)x, fm = (float)mean;

	assert_true((double)fx == x && (double)fm == mean);
	both_add(b, &fx, &fm, 1);
}

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

/* The sums in windows of so many slices that are all the same, about means that are the same if one_mean says so. */
struct window_sums {
	struct rstd__windows windows;
	enum rstd__about about;
	size_t slices;
};

/* Sums of squares about shift, as level 0 has them. */
static double squares_about(const struct both *b, double shift)
{
	double q = 0;

	for (size_t i = 0; i < b->n; i++) {
		const double d = (double)b->x[i] - (b->about_mean ? (double)b->mean[i] : shift);

		q += d * d;
	}
	return q;
}

static void place_windows(struct window_sums *w, const struct both *b, const struct rstd__kernels *k)
{
	const double shift = !b->about_mean && random_bits() >> 63 ? (double)b->x[random_below(b->n)] : 0;
	double shifts[RSTD__FINISH_MAX], q[RSTD__FINISH_MAX];

	for (size_t s = 0; s < RSTD__FINISH_MAX; s++) {
		shifts[s] = shift;
		q[s] = squares_about(b, shift);
	}
	k->place_windows(&w->windows, w->about, w->slices, (size_t)b->n, shifts, q);
}

/* Some of the elements as rows, others as columns. */
static void add_to_windows(struct window_sums *w, const struct both *b, const struct rstd__kernels *k)
{
	enum { COLUMNS = 16 };
	float x[COLUMNS][RSTD__FINISH_MAX], mean[COLUMNS][RSTD__FINISH_MAX];
	const unsigned char *x_row[RSTD__FINISH_MAX], *mean_row[RSTD__FINISH_MAX];

	for (size_t i = 0, n; i < b->n; i += n) {
		const bool rows = random_bits() >> 63;

		n = 1 + random_below(rows ? b->n - i : COLUMNS);
		n = n < b->n - i ? n : (size_t)b->n - i;
		for (size_t s = 0; s < RSTD__FINISH_MAX; s++) {
			x_row[s] = (const unsigned char *)(b->x + i);
			mean_row[s] = (const unsigned char *)(b->mean + i);
			for (size_t c = 0; c < n && !rows; c++) {
				x[c][s] = b->x[i + c];
				mean[c][s] = b->mean[i + c];
			}
		}
		if (rows)
			k->window_rows[RSTD__F32](&w->windows, w->about, w->slices, x_row, mean_row, n);
		else
			k->window_columns(&w->windows, w->about, w->slices, x, mean, n);
	}
}

static bool has_one_mean(const struct both *b)
{
	for (size_t i = 1; i < b->n; i++)
		if (b->mean[i] != b->mean[0])
			return false;
	return true;
}

/* Results of windows, how many of them have been proved, and how many reciprocals. */
static size_t window_results, window_proofs, reciprocal_proofs;

/* What windows give, stored. */
static double stored(double y, enum rstd__format to)
{
	return fabs(y) < ldexp(1, rstd__format_info[to].overflow) ? y + 0.0 : copysign(HUGE_VAL, y);
}

/* The same sums, for reciprocals; whether all are proved. */
static bool check_reciprocals(const struct window_sums *w, const struct both *b, float epsilon, enum rstd__format to,
                              const struct rstd__kernels *k)
{
	const struct rstd__finish f = {
		.n = (double)b->n, .epsilon = (double)epsilon, .result = RSTD__INVSTD, .y = to, .mean = to
	};
	const double invstd = reference_invstd(&b->r, b->n, b->about_mean, epsilon, to);
	double y[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX];
	const struct rstd__open open = k->settle_windows(&w->windows, &f, w->about, w->slices, y, mean);

	for (size_t s = 0; s < w->slices; s++)
		if (!(open.y >> s & 1))
			assert_double(stored(y[s], to), invstd, "windows, invstd", b->n, to);
	return (open.y & ((UINT64_C(1) << w->slices) - 1)) == 0;
}

/* By one instruction set: what windows prove is right, for all slices; whether they do, for all formats. */
static bool check_windows_of(const struct both *b, uint64_t divisor, float epsilon, const struct rstd__kernels *k,
                             bool *reciprocals)
{
	struct window_sums w = { .about = !b->about_mean                           ? RSTD__ABOUT_OWN
		                          : has_one_mean(b) && random_bits() >> 63 ? RSTD__ABOUT_ONE
		                                                                   : RSTD__ABOUT_EACH,
		                 .slices = 1 + random_below(11) };
	bool all = true;

	place_windows(&w, b, k);
	add_to_windows(&w, b, k);
	for (enum rstd__format to = 0; to < RSTD__FORMATS; to++) {
		const struct rstd__finish f = {
			.n = (double)b->n, .divisor = (double)divisor, .want_mean = true, .y = to, .mean = to
		};
		const double std = reference_std(&b->r, b->n, b->about_mean, divisor, to),
			     of_all = b->about_mean ? 0 : reference_mean(&b->r, b->n, to);
		double y[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX];
		const struct rstd__open open = k->settle_windows(&w.windows, &f, w.about, w.slices, y, mean);

		for (size_t s = 0; s < w.slices; s++) {
			const bool y_proved = !(open.y >> s & 1), mean_proved = !(open.mean >> s & 1);

			if (y_proved)
				assert_double(stored(y[s], to), std, "windows, std", b->n, to);
			if (mean_proved)
				assert_double(stored(mean[s], to), of_all + 0.0, "windows, mean", b->n, to);
			all = all && y_proved && (mean_proved || b->about_mean);
		}
		*reciprocals &= check_reciprocals(&w, b, epsilon, to, k);
	}
	return all;
}

/* By every instruction set; whether all are proved. */
static bool check_windows(const struct both *b, uint64_t divisor, float epsilon)
{
	bool all = true, reciprocals = true;

	if (b->n != b->kept)
		return false;
	for (size_t k = 0; k < rstd__isa_count; k++)
		if ((rstd__isas[k].needs & ~rstd__cpu_features()) == 0)
			all &= check_windows_of(b, divisor, epsilon, rstd__isas[k].kernels, &reciprocals);
	window_results++;
	window_proofs += all;
	reciprocal_proofs += reciprocals;
	return all;
}

static float random_epsilon(void)
{
	static const float usual[] = { 0.001F, 1e-5F, 0, -0.0F, 0x1p-149F, -0x1p-149F, 3.4028235e38F, -3.4028235e38F };
	const uint64_t which = random_below(2 * LENGTH(usual));

	return which < LENGTH(usual) ? usual[which] : random_with_exponents(0, 254);
}

/* -S / n rounded to a float: exact often enough, else next to where invstd turns into NaN. */
static float critical_epsilon(const struct both *b)
{
	const double s = rstd__exact_std(&b->e, b->n, b->about_mean, b->n, RSTD__F32);

	return s * s < 0x1p127 ? -(float)(s * s) : -0x1p127F;
}

static void check_all(const struct both *b)
{
	check_std(&b->e, &b->r, b->n, b->about_mean, b->n);
	if (b->n > 1)
		check_std(&b->e, &b->r, b->n, b->about_mean, b->n - 1);
	check_std(&b->e, &b->r, b->n, b->about_mean, 1 + random_below(b->n));
	check_windows(b, 1 + random_below(b->n), fabsf(random_epsilon()));
	check_invstd(&b->e, &b->r, b->n, b->about_mean, random_epsilon());
	check_invstd(&b->e, &b->r, b->n, b->about_mean, critical_epsilon(b));
	if (!b->about_mean)
		check_mean(&b->e, &b->r, b->n);
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static const size_t lengths[] = { 0,   1,   2,   3,   99,   100,  101,  102,   159,   160,   161,   162,
	                          200, 201, 500, 999, 8191, 8192, 8193, 16500, 65535, 65536, 65537, 131072 + 165 };

#define LONGEST (131072 + 165)

static float *new_floats(void)
{
	float *x = malloc(LONGEST * sizeof(*x));

	assert_non_null(x);
	return x;
}

static void test_sums(void **state)
{
	float *x = new_floats(), *mean = new_floats();

	(void)state;
	for (size_t i = 0; i < LENGTH(lengths); i++) {
		for (enum kind kind = 0; kind < KINDS; kind++) {
			const size_t n = lengths[i], cut = random_below(n + 1);
			struct both own, about;

			fill(x, n, kind);
			fill(mean, n, random_bits() >> 63 ? kind : WIDE);
			both_init(&own, false);
			both_init(&about, true);
			both_add(&own, x, NULL, cut);
			both_add(&own, x + cut, NULL, n - cut);
			both_add(&about, x, mean, n);
			assert_limbs(own.e.sum, RSTD__SUM_LIMBS, own.r.sum);
			assert_limbs(own.e.sum_sq, RSTD__SQ_LIMBS, own.r.sq);
			assert_limbs(about.e.sum_sq, RSTD__SQ_LIMBS, about.r.sq);
			both_clear(&own);
			both_clear(&about);
		}
	}
	free(x);
	free(mean);
}

/* The largest magnitudes fill the bins to their limits, and every exponent has a bin of its own. */
static void test_sums_at_the_limits(void **state)
{
	static const float extremes[] = { 0x1.FFFFFEp127F, -0x1.FFFFFEp127F, 0x1.FFFFFCp-127F, 0x1.FFFFFEp-126F, 0 };
	float *x = new_floats(), *mean = new_floats();

	(void)state;
	for (size_t i = 0; i < LENGTH(extremes); i++) {
		struct both own, about;

		for (size_t j = 0; j < LONGEST; j++) {
			x[j] = extremes[i];
			mean[j] = -extremes[i];
		}
		both_init(&own, false);
		both_init(&about, true);
		both_add(&own, x, NULL, LONGEST);
		both_add(&about, x, mean, LONGEST);
		assert_limbs(own.e.sum, RSTD__SUM_LIMBS, own.r.sum);
		assert_limbs(own.e.sum_sq, RSTD__SQ_LIMBS, own.r.sq);
		assert_limbs(about.e.sum_sq, RSTD__SQ_LIMBS, about.r.sq);
		check_all(&own);
		check_all(&about);
		both_clear(&own);
		both_clear(&about);
	}
	free(x);
	free(mean);
}

static void test_not_finite(void **state)
{
	static const float others[] = { INFINITY, -INFINITY, NAN };
	float *x = new_floats();

	(void)state;
	for (size_t i = 0; i < LENGTH(lengths); i++) {
		const size_t n = lengths[i];
		uint64_t counts[LENGTH(others)] = { 0 };
		struct rstd__exact e = { 0 }, finite = { 0 };

		fill(x, n, WIDE);
		for (size_t j = 0; j < n; j += 1 + random_below(50)) {
			const size_t which = random_below(LENGTH(others));

			x[j] = which == 2 ? random_sign(rstd__float_from_bits(0x7F800001 +
			                                                      (uint32_t)random_below(0x7FFFFF)))
			                  : others[which];
			counts[which]++;
		}
		rstd__exact_add(&e, x, n);
		assert_int_equal(e.pos_inf_count, counts[0]);
		assert_int_equal(e.neg_inf_count, counts[1]);
		assert_int_equal(e.nan_count, counts[2]);
		for (size_t j = 0; j < n; j++)
			if (isfinite(x[j]))
				rstd__exact_add(&finite, &x[j], 1);
		assert_memory_equal(e.sum, finite.sum, sizeof(e.sum));
		assert_memory_equal(e.sum_sq, finite.sum_sq, sizeof(e.sum_sq));
		rstd__exact_merge(&finite, &e);
		assert_int_equal(finite.nan_count, counts[2]);
		assert_int_equal(finite.pos_inf_count, counts[0]);
		assert_int_equal(finite.neg_inf_count, counts[1]);
	}
	free(x);
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

static void random_slices(size_t slices, size_t longest)
{
	float *x = new_floats(), *mean = new_floats();

	for (size_t i = 0; i < slices; i++) {
		const size_t n = 1 + random_below(longest);
		struct both b;

		fill(x, n, (enum kind)random_below(KINDS));
		fill(mean, n, (enum kind)random_below(KINDS));
		both_init(&b, random_bits() >> 63);
		both_add(&b, x, mean, n);
		check_all(&b);
		both_clear(&b);
	}
	free(x);
	free(mean);
}

static void test_random_slices(void **state)
{
	(void)state;
	decisions = window_results = window_proofs = 0;
	random_slices(6000, 4);
	random_slices(4000, 100);
	random_slices(150, 4000);
	random_slices(20, MOST_KEPT);
	assert_true(decisions > 100000);
	/* about numbers that are far from all midpoints, windows leave none of these open but the widest */
	assert_true(window_proofs > window_results - window_results / 100);
}

/* Only the approximation is floating point, so the rounding mode changes nothing. */
static void test_rounding_modes(void **state)
{
	static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	struct both b;

	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		float x[8], mean[8];
		double expected[RSTD__FORMATS];

		fill(x, LENGTH(x), (enum kind)random_below(KINDS));
		fill(mean, LENGTH(mean), (enum kind)random_below(KINDS));
		both_init(&b, random_bits() >> 63);
		both_add(&b, x, mean, LENGTH(x));
		for (enum rstd__format to = 0; to < RSTD__FORMATS; to++)
			expected[to] = reference_std(&b.r, b.n, b.about_mean, b.n, to);
		for (size_t j = 0; j < LENGTH(modes); j++) {
			double actual[RSTD__FORMATS];

			assert_int_equal(fesetround(modes[j]), 0);
			for (enum rstd__format to = 0; to < RSTD__FORMATS; to++)
				actual[to] = rstd__exact_std(&b.e, b.n, b.about_mean, b.n, to);
			assert_int_equal(fesetround(FE_TONEAREST), 0);
			assert_memory_equal(actual, expected, sizeof(actual));
		}
		both_clear(&b);
	}
}

/* A state merged with itself doubles: up to 2^62 elements and more without reading them. */
static void test_huge_counts(void **state)
{
	float x[9], mean[9];

	(void)state;
	for (int i = 0; i < 400; i++) {
		const size_t n = 1 + random_below(LENGTH(x));
		struct both b;

		fill(x, n, (enum kind)random_below(KINDS));
		fill(mean, n, (enum kind)random_below(KINDS));
		both_init(&b, random_bits() >> 63);
		both_add(&b, x, mean, n);
		while (b.n < UINT64_C(1) << 62) {
			rstd__exact_merge(&b.e, &b.e);
			mpz_mul_2exp(b.r.sum, b.r.sum, 1);
			mpz_mul_2exp(b.r.sq, b.r.sq, 1);
			b.n *= 2;
			if (random_below(8) == 0 || b.n >= UINT64_C(1) << 62)
				check_all(&b);
		}
		assert_limbs(b.e.sum_sq, RSTD__SQ_LIMBS, b.r.sq);
		both_clear(&b);
	}
}

/* ---- Ties, and as close to ties as data can come ----------------------------------------------------------------- */

/* An odd k and an exponent so that k * 2^exponent is a midpoint of the format; *exponent >= lowest. */
static uint64_t random_midpoint(enum rstd__format to, int *exponent)
{
	const struct rstd__format_info *format = &rstd__format_info[to];
	const int precision = format->precision;

	switch (random_below(6)) {
	case 0: /* half of the least subnormal */
		*exponent = format->least - 1;
		return 1;
	case 1: /* beyond the largest finite number */
		*exponent = format->overflow - precision - 1;
		return (UINT64_C(2) << precision) - 1;
	case 2: /* between subnormals */
		*exponent = format->least - 1;
		return random_below(UINT64_C(1) << precision) | 1;
	case 3: /* below a power of two, where the spacing changes */
		*exponent = random_between(format->least - 1, format->overflow - precision - 1);
		return (UINT64_C(2) << precision) - 1;
	default:
		*exponent = random_between(format->least - 1, format->overflow - precision - 1);
		return (UINT64_C(1) << precision) | random_below(UINT64_C(1) << precision) | 1;
	}
}

/* The largest root with root^2 <= z, at most `largest`; taken off z. */
static uint64_t take_square(mpz_t z, uint64_t largest)
{
	mpz_t root, cap;
	uint64_t result;

	mpz_inits(root, cap, NULL);
	mpz_set_u64(cap, largest);
	mpz_sqrt(root, z);
	if (mpz_cmp(root, cap) > 0)
		mpz_set(root, cap);
	mpz_submul(z, root, root);
	result = mpz_get_ui(root);
	mpz_clears(root, cap, NULL);
	return result;
}

/*
 * Adds elements with S = (k^2 4^finer + off) * 4^(exponent - finer), as a sum of squares of differences; or, for the
 * own mean, which stays 0, pairs of opposite elements with twice that S.
 */
static void add_squares(struct both *b, uint64_t k, int exponent, int finer, int off)
{
	mpz_t rest;

	mpz_init(rest);
	mpz_set_u64(rest, k << finer);
	mpz_mul(rest, rest, rest);
	if (off < 0)
		mpz_sub_ui(rest, rest, (unsigned long)-off);
	else
		mpz_add_ui(rest, rest, (unsigned long)off);
	while (mpz_sgn(rest) > 0) {
		const uint64_t root = take_square(rest, (UINT64_C(1) << (b->about_mean ? 48 : 24)) - 1);
		const uint64_t low = root & 0xFFFFFF;

		if (b->about_mean) {
			both_add_one(b, ldexp((double)(root - low), exponent - finer),
			             -ldexp((double)low, exponent - finer));
		} else {
			both_add_one(b, ldexp((double)root, exponent - finer), 0);
			both_add_one(b, -ldexp((double)root, exponent - finer), 0);
		}
	}
	mpz_clear(rest);
}

/* The even neighbour of the midpoint k * 2^exponent. */
static double tie_result(uint64_t k, int exponent, enum rstd__format to)
{
	const double even = ldexp((double)((k + 1) / 2 & ~UINT64_C(1)), exponent + 1);

	return even < ldexp(1, rstd__format_info[to].overflow) ? even : HUGE_VAL;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static void test_std_near_midpoints(void **state)
{
	int ties = 0;

	(void)state;
	window_results = window_proofs = 0;
	for (int i = 0; i < 6000; i++) {
		const enum rstd__format to = (enum rstd__format)random_below(RSTD__FORMATS);
		const bool about_mean = random_bits() >> 63;
		const int off = random_between(-2, 2);
		int exponent, quarters = 0, finer;
		const uint64_t k = random_midpoint(to, &exponent);
		const double expected = tie_result(k, exponent, to);
		uint64_t divisor;
		double tiny;
		struct both b;

		/* what no float can be, a quarter of S can; and other divisors are as good */
		while (exponent < -149 || (quarters < 20 && exponent < 80 && random_bits() >> 63)) {
			exponent++;
			quarters++;
		}
		divisor = UINT64_C(1) << (2 * quarters + !about_mean);
		/* keeps differences below 2^48, and elements of own means, which are at most 2^24, few */
		finer = about_mean ? 20 : 25 - rstd__format_info[to].precision;
		finer = random_between(0, smaller(finer, exponent + 149));
		tiny = random_bits() >> 63 ? 0 : ldexp(1, random_between(-149, exponent));

		both_init(&b, about_mean);
		add_squares(&b, k, exponent, finer, off);
		both_add_one(&b, tiny, 0);
		both_add_one(&b, -tiny, 0);
		check_std(&b.e, &b.r, b.n, about_mean, divisor);
		check_windows(&b, divisor, 0);
		if (off == 0 && tiny == 0) {
			assert_double(rstd__exact_std(&b.e, b.n, about_mean, divisor, to), expected, "tie", b.n, to);
			ties++;
		}
		both_clear(&b);
	}
	assert_true(ties > 100);
}

/* Takes the square of the largest float that is not above its root off z, or of the next one; returns that float. */
static double take_float(mpz_t z, bool above)
{
	mpz_t root;
	mp_bitcnt_t low;
	double result;

	mpz_init(root);
	mpz_sqrt(root, z);
	low = mpz_sizeinbase(root, 2) > 24 ? mpz_sizeinbase(root, 2) - 24 : 0;
	mpz_fdiv_q_2exp(root, root, low);
	mpz_add_ui(root, root, above);
	mpz_mul_2exp(root, root, low);
	mpz_submul(z, root, root);
	result = ldexp(mpz_get_d(root), -149);
	mpz_clear(root);
	return result;
}

/* A number with 24 random bits below 2^exponent. */
static double random_below_power(int exponent)
{
	return ldexp((double)(int64_t)(random_bits() >> 40) * (random_bits() >> 63 ? -1 : 1), exponent - 24);
}

/*
 * n elements, the first few of all sizes, about means or with a sum that has more bits than a window. Floats whose squares
 * take off what is missing bring S next to that of a midpoint, which is n S or S = `target` in units of 2^-298: 2^-bits of
 * that below it, or above.
 */
static void fill_beside(struct both *b, uint64_t n, const mpz_t target, int exponent, int bits)
{
	const bool above = random_bits() >> 63;
	mpz_t rest, end;

	mpz_inits(rest, end, NULL);
	for (int i = 0; i < 3; i++)
		both_add_one(b, random_below_power(exponent - random_between(0, i == 0 ? 0 : 60)),
		             b->about_mean ? random_below_power(exponent - random_between(0, 60)) : 0);
	reference_deviations(rest, &b->r, n, b->about_mean);
	mpz_sub(rest, target, rest);
	assert_true(mpz_sgn(rest) > 0);
	if (!b->about_mean)
		mpz_fdiv_q_ui(rest, rest, 2 * n); /* pairs of both signs */
	mpz_fdiv_q_2exp(end, rest, (mp_bitcnt_t)bits);
	while (b->n + 2 <= n && mpz_cmp(rest, end) > 0) {
		const bool last = b->n + 4 > n || mpz_sizeinbase(rest, 2) < mpz_sizeinbase(end, 2) + 24;
		const double element = take_float(rest, last && above);

		both_add_one(b, element, 0);
		if (!b->about_mean)
			both_add_one(b, -element, 0);
	}
	while (b->n < n)
		both_add_one(b, 0, 0);
	mpz_clears(rest, end, NULL);
}

/* n S or S, in units of 2^-298, for 1 / sqrt(S / n + epsilon) = k * 2^exponent, or just below it. */
static void target_of_reciprocal(mpz_t target, uint64_t k, int exponent, uint64_t n, bool about_mean, float epsilon)
{
	mpz_t part;

	mpz_init(part);
	mpz_set_u64(target, 1);
	mpz_mul_2exp(target, target, (mp_bitcnt_t)(298 - 2 * exponent));
	mpz_set_u64(part, k * k);
	mpz_fdiv_q(target, target, part);
	mpz_from_float(part, epsilon);
	mpz_mul_2exp(part, part, 149);
	mpz_sub(target, target, part);
	mpz_mul_ui(target, target, about_mean ? n : n * n);
	mpz_clear(part);
}

/* What windows prove of slices that are as near to a midpoint as they see, and nearer, is right. */
static void check_near_midpoints(bool reciprocals)
{
	static struct both b;

	window_results = window_proofs = reciprocal_proofs = 0;
	for (int i = 0; i < 8000; i++) {
		const enum rstd__format to = (enum rstd__format)random_below(RSTD__FORMATS);
		const int precision = rstd__format_info[to].precision, exponent = random_between(0, 10) - precision;
		const uint64_t k = (UINT64_C(1) << precision) | random_below(UINT64_C(1) << precision) | 1;
		const uint64_t n = (uint64_t)random_between(24, i % 40 == 0 ? MOST_KEPT : 40),
			       divisor = n - random_below(2);
		const float epsilon = random_bits() >> 63 ? 0
		                                          : ldexpf((float)random_below(1 << 22),
		                                                   -24 - 2 * (exponent + precision + 1));
		mpz_t target;

		both_init(&b, random_bits() >> 63);
		mpz_init(target);
		if (reciprocals) {
			target_of_reciprocal(target, k, exponent, n, b.about_mean, epsilon);
			fill_beside(&b, n, target, -exponent - precision - 1, random_between(50, 190));
		} else {
			mpz_set_u64(target, k * k);
			mpz_mul_ui(target, target, divisor * (b.about_mean ? 1 : n));
			mpz_mul_2exp(target, target, (mp_bitcnt_t)(2 * exponent + 298));
			fill_beside(&b, n, target, exponent + precision, random_between(50, 190));
		}
		check_windows(&b, divisor, epsilon);
		mpz_clear(target);
		both_clear(&b);
	}
}

static void test_windows_near_midpoints(void **state)
{
	(void)state;
	check_near_midpoints(false);
	assert_true(window_proofs > window_results / 2 && window_proofs < window_results - window_results / 10);
	check_near_midpoints(true);
	assert_true(reciprocal_proofs > window_results / 2 && reciprocal_proofs < window_results - window_results / 10);
}

/*
 * Sums of squares about means that are integers next to (k 2^-shift)^2 D, k 2^-shift being a midpoint of binary32: the
 * divisor D has up to 28 bits, and the product more than binary64 holds.
 */
static void test_exact_sums_near_midpoints(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		const uint64_t k = (UINT64_C(1) << 24) | random_below(UINT64_C(1) << 24) | 1,
			       divisor = 1 + random_below(UINT64_C(1) << random_between(1, 28));
		const unsigned __int128 square = (unsigned __int128)(k * k) * divisor;
		int shift = 0;

		while (square >> 2 * shift >= UINT64_C(1) << 51)
			shift++;

		const uint64_t down = (uint64_t)(square >> 2 * shift), q = down + (random_bits() >> 63);
		const bool tie = (unsigned __int128)q << 2 * shift == square;
		const uint64_t right = tie ? (k + 1) / 4 * 4 : q > down ? k + 1 : k - 1;

		for (size_t s = 0; s < rstd__isa_count; s++) {
			const struct rstd__finish f = { .n = 3,
				                        .divisor = (double)divisor,
				                        .result = RSTD__STD,
				                        .y = RSTD__F32,
				                        .mean = RSTD__F32 };
			const double sum[RSTD__LANES] = { (double)q }, t[RSTD__LANES] = { 0 },
				     grain[RSTD__LANES] = { 1 };
			const struct rstd__open open = { 1, 0 };
			double y[RSTD__LANES], mean[RSTD__LANES];

			if ((rstd__isas[s].needs & ~rstd__cpu_features()) != 0)
				continue;
			assert_int_equal(rstd__isas[s].kernels->settle(&f, true, open, 1, t, t, sum, grain, y, mean).y,
			                 0);
			assert_double(y[0], ldexp((double)right, -shift), "exact sums, std", 3, RSTD__F32);
		}
	}
}

static void test_mean_near_midpoints(void **state)
{
	(void)state;
	window_results = window_proofs = 0;
	for (int i = 0; i < 6000; i++) {
		const enum rstd__format to = (enum rstd__format)random_below(RSTD__FORMATS);
		const double sign = random_bits() >> 63 ? -1 : 1;
		const double tiny = random_bits() >> 63 ? 0 : ldexp(1, random_between(-149, -100));
		int exponent;
		const uint64_t k = random_midpoint(to, &exponent);
		const double expected = tie_result(k, exponent, to);
		uint64_t n = 4;
		struct both b;

		for (; exponent < -149; exponent++)
			n *= 2;
		both_init(&b, false); /* the sum is 4 k * 2^exponent, of elements that have a bit less than k */
		for (int j = 0; j < 2; j++) {
			both_add_one(&b, sign * ldexp((double)(k - 1), exponent), 0);
			both_add_one(&b, sign * ldexp((double)((k + 1) / 2), exponent), 0);
			both_add_one(&b, sign * ldexp((double)((k + 1) / 2), exponent), 0);
		}
		if (tiny == 0)
			assert_double(rstd__exact_mean(&b.e, n, to), sign * expected, "tie", n, to);
		both_add_one(&b, random_bits() >> 63 ? tiny : -tiny, 0);
		check_mean(&b.e, &b.r, n);
		check_windows(&b, b.n, 0);
		both_clear(&b);
	}
	assert_true(window_proofs > window_results / 2);
}

/* 1 / sqrt(4^-exponent / k^2) is k * 2^exponent. */
static void test_invstd_near_midpoints(void **state)
{
	int ties = 0;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		const enum rstd__format to = (enum rstd__format)random_below(RSTD__FORMATS);
		const bool about_mean = random_bits() >> 63;
		int exponent, doublings = 0;
		const uint64_t k = random_midpoint(to, &exponent);
		const double expected = tie_result(k, exponent, to);
		const int off = random_between(-1, 1), a = random_between(-74, 63);
		const bool cancel = random_bits() >> 63 && (about_mean || k < UINT64_C(1) << 24);
		const float tiny = random_bits() >> 63 ? 0 : random_with_exponents(0, 3);
		uint64_t n = about_mean ? k * k : 2 * k * k;
		struct both b;

		for (; exponent < -127; exponent++)
			doublings += 2;
		both_init(&b, about_mean);
		both_add_one(&b, ldexp(1, -exponent), 0);
		if (!about_mean)
			both_add_one(&b, -ldexp(1, -exponent), 0);
		for (int j = 0; j < doublings; j++) {
			rstd__exact_merge(&b.e, &b.e);
			mpz_mul_2exp(b.r.sq, b.r.sq, 1);
		}
		if (cancel) /* S grows by n 4^a */
			add_squares(&b, k, a, 0, 0);
		n += off < 0 && n == 1 ? 0 : (uint64_t)off;
		check_invstd(&b.e, &b.r, n, about_mean, cancel ? -(float)ldexp(1, 2 * a) : tiny);
		if (off == 0 && (cancel || tiny == 0)) {
			assert_double(rstd__exact_invstd(&b.e, n, about_mean, cancel ? -(float)ldexp(1, 2 * a) : 0, to),
			              expected, "tie", n, to);
			ties++;
		}
		both_clear(&b);
	}
	assert_true(ties > 100);
}

/* S / n + epsilon = 0 gives Inf, one step of epsilon below gives NaN, one above a finite value. */
static void test_invstd_at_zero(void **state)
{
	(void)state;
	for (int exponent = -74; exponent <= 63; exponent++) {
		for (int about_mean = 0; about_mean < 2; about_mean++) {
			const float epsilon = -(float)ldexp(1, 2 * exponent);
			const float above = nextafterf(epsilon, 0), below = nextafterf(epsilon, -INFINITY);
			struct both b;

			both_init(&b, about_mean);
			both_add_one(&b, ldexp(1, exponent), 0);
			both_add_one(&b, -ldexp(1, exponent), 0);
			assert_double(rstd__exact_invstd(&b.e, 2, about_mean, epsilon, RSTD__F32), HUGE_VAL, "0", 2, 0);
			assert_double(rstd__exact_invstd(&b.e, 2, about_mean, below, RSTD__F32), (double)NAN, "<0", 2,
			              0);
			check_invstd(&b.e, &b.r, 2, about_mean, epsilon);
			check_invstd(&b.e, &b.r, 2, about_mean, above);
			check_invstd(&b.e, &b.r, 2, about_mean, below);
			both_clear(&b);
		}
	}
}

/* ---- Words --------------------------------------------------------------------------------------------------- */

/* The elements of a slice of words, about means or not, and their width as words.h has it. */
struct narrow {
	enum rstd__format format;
	size_t n;
	bool about_mean;
	int width;
	float x[RSTD__WORDS_MAX], mean[RSTD__WORDS_MAX];
};

/* A number of all the bits that the format has, or of few, `above` the least exponent of them. */
static float narrow_element(enum rstd__format format, int least, int above)
{
	const int precision = rstd__format_info[format].precision, few = random_between(1, precision);
	uint64_t m = (random_bits() >> (64 - few)) << (precision - few);

	m |= UINT64_C(1) << (precision - 1);
	return random_sign((float)ldexp((double)m, least + above));
}

/*
 * Integers of exactly `width` bits, from the bottom of the format to its top, with zeros among them; small ones and equal
 * ones, so that there are ties and constant slices.
 */
static void narrow_make(struct narrow *s)
{
	static const size_t counts[] = { 1, 2, 2, 3, 4, 5, 8, 16, 63, 64, 200, 4095, RSTD__WORDS_MAX };
	const enum rstd__format format = (enum rstd__format)random_below(RSTD__FORMATS);
	const struct rstd__format_info *info = &rstd__format_info[format];
	const int most = info->overflow - info->least - info->precision;
	int spread = random_below(3) ? random_between(0, 6) : random_between(46, 53) - info->precision, least;

	if (spread > most)
		spread = most;
	least = random_below(4)   ? random_between(info->least, info->overflow - info->precision - spread)
	        : random_below(2) ? info->least
	                          : info->overflow - info->precision - spread;
	s->format = format;
	s->n = counts[random_below(random_below(8) ? LENGTH(counts) - 3 : LENGTH(counts))];
	s->about_mean = random_bits() >> 63;
	for (size_t i = 0; i < s->n; i++) {
		s->x[i] = random_below(8) ? narrow_element(format, least, random_between(0, spread)) : 0;
		s->mean[i] = random_below(8) ? narrow_element(format, least, random_between(0, spread)) : 0;
		if (random_below(8) == 0)
			s->mean[i] = s->x[i];
		if (random_below(8) == 0 && least == info->least && format != RSTD__F16)
			s->x[i] = (float)ldexp(1, least); /* subnormals have the unit of the least normal numbers */
	}
	s->x[0] = narrow_element(format, least, 0);
	s->mean[0] = s->about_mean ? narrow_element(format, least, spread) : 0;
	if (!s->about_mean)
		s->x[s->n - 1] = narrow_element(format, least, spread);
	s->width = s->n > 1 || s->about_mean ? info->precision + spread : info->precision;
}

/* What the sums of one instruction set give, against GMP. */
static void check_narrow(const struct narrow *s, const struct both *b, const struct rstd__kernels *kernels)
{
	const bool fits = s->width <= 50;
	struct rstd__exact e = { 0 };
	struct rstd__words w;

	rstd__words_measure(&w, kernels, s->format, s->x, s->about_mean ? s->mean : NULL, s->n);
	assert_int_equal(w.width, s->width);
	assert_true(rstd__words_add(&w, &e) == fits);
	if (!fits)
		return;
	assert_limbs(e.sum_sq, RSTD__SQ_LIMBS, b->r.sq);
	assert_limbs(e.sum, RSTD__SUM_LIMBS, b->r.sum); /* 0 about means, of which no sum is made */
}

/* Words have all sums of such elements, and windows settle everything. */
static void test_words(void **state)
{
	static struct narrow s;
	static struct both b;
	size_t slices = 0, fitting = 0;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		bool settled;

		narrow_make(&s);
		both_init(&b, s.about_mean);
		both_add(&b, s.x, s.mean, s.n);
		settled = check_windows(&b, s.n - (s.n > 1 && random_bits() >> 63), fabsf(random_epsilon()));
		if (s.width <= 48 && !settled)
			fail_msg("%zu elements of %d bits are left open", s.n, s.width);
		for (size_t k = 0; k < rstd__isa_count; k++)
			if ((rstd__isas[k].needs & ~rstd__cpu_features()) == 0)
				check_narrow(&s, &b, rstd__isas[k].kernels);
		slices++;
		fitting += s.width <= 50;
		both_clear(&b);
	}
	assert_true(fitting > slices / 2 && fitting < slices - slices / 20);
}

/*
 * Means of n elements that are n midpoints and 1, 0 or -1 unit in all, with as many bits as two windows of sums hold, and
 * some more. All elements have 24 bits: the unit is the last place of the least.
 */
static void test_means_in_windows(void **state)
{
	const int64_t k = (INT64_C(1) << 24) + 1, full = INT64_C(1) << 23;
	static struct both b;

	(void)state;
	for (int64_t n = 6; n <= 16; n++)
		for (int width = 26; width <= 100; width++)
			for (int off = -1; off <= 1; off++) {
				/* n k = (n - 3) a + b, times 2^(width - 25) */
				const int64_t a = (n * k - full) / (n - 3) / 2 * 2, rest = n * k - (n - 3) * a;
				const double mean = ldexp((double)(k + (off > 0 ? 1 : -1)), width - 25);
				bool settled;

				both_init(&b, false);
				both_add_one(&b, (double)(full + off + (off < 0 ? full : 0)), 0);
				both_add_one(&b, (double)(-full - (off < 0 ? full : 0)), 0);
				both_add_one(&b, ldexp((double)rest, width - 25), 0);
				for (int64_t i = 3; i < n; i++)
					both_add_one(&b, ldexp((double)a, width - 25), 0);
				assert_true(reference_mean(&b.r, b.n, RSTD__F32) == mean);
				settled = check_windows(&b, b.n, 0);
				assert_true(settled || width > 90);
				both_clear(&b);
			}
}

/* Sums that no data has, as serialised bytes may hold them: nothing out of bounds, and the sums taken at their word. */
static void test_forged_sums(void **state)
{
	(void)state;
	for (int i = 0; i < 4000; i++) {
		const bool about_mean = random_bits() >> 63, negative = random_bits() >> 63;
		const unsigned bits = 1 + (unsigned)random_below(64);
		const uint64_t n = random_bits() >> (64 - bits) | 1;
		const size_t sum_limbs = random_below(RSTD__SUM_LIMBS + 1);
		struct rstd__exact e = { 0 };
		struct reference r;
		mpz_t s;

		for (size_t j = 0; j < sum_limbs; j++)
			e.sum[j] = random_bits();
		for (size_t j = 0; j < RSTD__SQ_LIMBS; j++)
			e.sum_sq[j] = random_below(4) ? UINT64_MAX : random_bits();
		if (negative)
			e.sum[RSTD__SUM_LIMBS - 1] |= UINT64_C(1) << 63;
		reference_init(&r);
		mpz_import(r.sum, RSTD__SUM_LIMBS, -1, sizeof(uint64_t), 0, 0, e.sum);
		mpz_import(r.sq, RSTD__SQ_LIMBS, -1, sizeof(uint64_t), 0, 0, e.sum_sq);
		if (e.sum[RSTD__SUM_LIMBS - 1] >> 63) {
			mpz_init_set_ui(s, 1);
			mpz_mul_2exp(s, s, 64 * RSTD__SUM_LIMBS);
			mpz_sub(r.sum, r.sum, s);
			mpz_clear(s);
		}
		mpz_init(s);
		reference_deviations(s, &r, n, about_mean);
		check_mean(&e, &r, n);
		if (mpz_sgn(s) >= 0) {
			check_std(&e, &r, n, about_mean, n);
			check_invstd(&e, &r, n, about_mean, random_epsilon());
		} else {
			assert_double(rstd__exact_std(&e, n, about_mean, n, RSTD__F32), (double)NAN, "std", n, 0);
			assert_double(rstd__exact_invstd(&e, n, about_mean, 1, RSTD__F32), (double)NAN, "invstd", n, 0);
			assert_false(rstd__exact_is_constant(&e, n, about_mean));
		}
		mpz_clear(s);
		reference_clear(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_sums_at_the_limits),
		cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_random_slices),
		cmocka_unit_test(test_rounding_modes),
		cmocka_unit_test(test_huge_counts),
		cmocka_unit_test(test_std_near_midpoints),
		cmocka_unit_test(test_windows_near_midpoints),
		cmocka_unit_test(test_exact_sums_near_midpoints),
		cmocka_unit_test(test_mean_near_midpoints),
		cmocka_unit_test(test_invstd_near_midpoints),
		cmocka_unit_test(test_invstd_at_zero),
		cmocka_unit_test(test_forged_sums),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_means_in_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
