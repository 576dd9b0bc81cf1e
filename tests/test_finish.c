/*
 * test_finish.c - the rounding test of level 0: never wrong, and never undecided without a cause
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * finish() gets sums t and q that are off by as much as their bounds allow. What it calls settled has to be right for
 * every exact S in [M2 - B, M2 + B], where M2 = q - t^2 / n exactly and B is the bound less the 16 u q that
 * docs/numerics.md, "An own mean", leaves to finish(): rounding is monotone, so the two ends suffice. What it does not
 * settle has to have a midpoint of the format within four times the bound. Both are found by MPFR with so many bits
 * that nothing rounds that matters.
 *
 * RSTD_TEST_SCALE is a percentage of the number of outputs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include <mpfr.h>

#include "case_gen.h"
#include "guard.h"
#include "kernels/kernels.h"
#include "operator.h"
#include "runtime/cpu.h"

#define U          0x1p-53 /* the unit roundoff of binary64 */
#define U_ROUGH    0x1p-24 /* and of binary32 */
#define MPFR_BITS  600
#define BATCHES    20000
#define SLACK      16 /* u q of the bound of S that pays for the roundings of finish() itself */
#define MEAN_SLACK 8  /* likewise, u sqrt(q / n) of the bound of the mean */

static const rstd_dtype dtype_of[RSTD__FORMATS] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

static uint64_t random_state;

static uint64_t next_random(void)
{
	return splitmix64(random_state++);
}

static uint64_t below(uint64_t bound)
{
	return next_random() % bound;
}

static double fraction(void)
{
	return (double)(next_random() >> 11) * 0x1p-53;
}

/* ---- Rounding by MPFR ---------------------------------------------------------------------------------------- */

/*
 * x rounded to nearest even, once, as if the format's exponents went on beyond its largest. Infinities and NaNs stay
 * what they are.
 */
static double rounded(const mpfr_t x, enum rstd__format format)
{
	const struct rstd__format_info *info = &rstd__format_info[format];
	mpfr_exp_t ulp;
	mpfr_t scaled;
	double units;

	if (!mpfr_number_p(x) || mpfr_zero_p(x))
		return mpfr_get_d(x, MPFR_RNDN);
	ulp = mpfr_get_exp(x) - info->precision;
	if (ulp < info->least)
		ulp = info->least;
	mpfr_init2(scaled, MPFR_BITS);
	mpfr_mul_2si(scaled, x, -ulp, MPFR_RNDN);
	mpfr_rint(scaled, scaled, MPFR_RNDN);
	units = mpfr_get_d(scaled, MPFR_RNDN);
	mpfr_clear(scaled);
	return ldexp(units, (int)ulp);
}

static uint32_t bits_of(enum rstd__format format, double v)
{
	const rstd_dtype dtype = dtype_of[format];

	if (isnan(v))
		return dtype_nan(dtype);
	if (fabs(v) >= ldexp(1, rstd__format_info[format].overflow))
		return dtype_inf(dtype) | (v < 0 ? dtype_sign_bit(dtype) : 0);
	return bits_from_double(dtype, v);
}

/* ---- Problems ------------------------------------------------------------------------------------------------ */

/* What one call of finish() gets, beside the struct. n and divisor are exact there, rounded in the struct. */
struct batch {
	struct rstd__finish f;
	uint64_t n, divisor;
	size_t count;
	double shift[RSTD__FINISH_MAX], t[RSTD__FINISH_MAX], q[RSTD__FINISH_MAX];
};

/* A point between two neighbours of a format: anywhere, often at the ends of its range. */
static double random_midpoint(enum rstd__format format)
{
	const rstd_dtype dtype = dtype_of[format];
	const uint32_t inf = dtype_inf(dtype), hidden = UINT32_C(1) << (rstd__format_info[format].precision - 1);
	uint32_t bits = (uint32_t)below(inf);
	double upper;

	switch (below(8)) {
	case 0: /* beside 0, subnormal, at the least normal number, at Inf */
		bits = (uint32_t[]){ 0, 1, (uint32_t)below(hidden), hidden - 1, hidden, inf - 1, inf - 2 }[below(7)];
		break;
	case 1: /* beside a power of two */
		bits = bits / hidden * hidden - (bits >= hidden ? (uint32_t)below(2) : 0);
		break;
	default:
		break;
	}
	upper = bits + 1 == inf ? ldexp(1, rstd__format_info[format].overflow) : bits_to_double(dtype, bits + 1);
	return bits_to_double(dtype, bits) / 2 + upper / 2;
}

/* A factor of 1 + d, |d| from 10^-17 to 10^-1, or of 1 itself. */
static double random_nudge(void)
{
	if (below(8) == 0)
		return 1;
	return 1 + (below(2) ? 1 : -1) * pow(10, -1 - 16 * fraction());
}

static uint64_t random_count(void)
{
	static const uint64_t odd_ones[] = { 1, 2, 3, UINT64_C(1) << 53, (UINT64_C(1) << 62) + 1, INT64_MAX };

	return below(16) ? 1 + (next_random() >> (64 - 1 - below(40))) : odd_ones[below(6)];
}

static enum rstd__format random_format(void)
{
	return (enum rstd__format)below(RSTD__FORMATS);
}

/* An S for which the result is near a midpoint of its format. Sets epsilon: it is part of the way there. */
static double random_deviations(const struct batch *b)
{
	const double y = random_midpoint(b->f.y) * random_nudge(), n = (double)b->n;

	if (b->f.result != RSTD__INVSTD)
		return y * y * (double)b->divisor;
	return fmax(0, (1 / y / y - b->f.epsilon) * n);
}

static float random_epsilon(void)
{
	static const float plain[] = { 0, 1e-5f, 1e-3f, 1, 0x1p-149f, 0x1.fffffep127f, -1e-5f, -1 };

	return below(2) ? plain[below(8)] : (float)ldexp(1 + fraction(), (int)below(270) - 145);
}

/* Sums with S of it, their t chosen for the mean to be near a midpoint, or just so that S is a part of q. */
static void random_sums(struct batch *b, size_t i)
{
	const double s = random_deviations(b), n = (double)b->n;
	double shift, d;

	if (b->f.want_mean && below(2)) {
		const double mean = random_midpoint(b->f.mean) * random_nudge() * (below(2) ? 1 : -1);

		shift = (double)(float)(mean * (1 + (fraction() - 0.5) * pow(2, -30 * fraction())));
		d = isfinite(shift) ? mean - shift : 0;
		shift = isfinite(shift) ? shift : 1;
	} else {
		shift = (double)(float)ldexp(fraction() - 0.5, (int)below(200) - 100);
		d = below(4) ? sqrt(s / n * fraction() * pow(2, 20 * fraction())) : 0;
		d = below(2) ? d : -d;
	}
	b->shift[i] = shift;
	b->t[i] = d * n;
	b->q[i] = s + d * d * n;
}

/* The bounds of sums with some chain, as core/plan.c has them. */
static void random_bounds(struct rstd__finish *f, bool given, bool rough)
{
	const double chain = 1 + (double)below(1200);

	f->mean_error = (2 * chain + 16) * U;
	f->sum_sq_error = ((given ? 2 : 4) * chain + 32) * U;
	f->root_ratio = given ? 1 : 256;
	if (rough) {
		f->sum_sq_error += (given ? RSTD__ROUGH_ROW_CHAIN + 2.5 : 1.5 * RSTD__ROUGH_ROW_CHAIN + 2.5) * U_ROUGH;
		f->mean_sq_error = given ? 0 : (2 * RSTD__ROUGH_ROW_CHAIN + 0.5) * U_ROUGH;
		f->root_ratio = given ? 1 : below(2) ? 8 : 16;
	}
	f->root_error =
		0.5 * (f->root_ratio * f->sum_sq_error + (f->root_ratio - 1) * f->mean_sq_error) * 1.001 + 8 * U;
}

static void batch_make(struct batch *b)
{
	const bool given = below(2), rough = below(4) == 0;

	memset(b, 0, sizeof(*b));
	b->n = random_count();
	b->divisor = b->n > 1 ? b->n - below(2) : 1;
	b->count = 1 + below(RSTD__FINISH_MAX);
	b->f = (struct rstd__finish){
		.inverse_n = 1 / (double)b->n,
		.inverse_divisor = 1 / (double)b->divisor,
		.epsilon = (double)random_epsilon(),
		.result = below(2) ? RSTD__INVSTD : RSTD__STD,
		.want_mean = !given && !rough && below(2),
		.y = random_format(),
		.mean = random_format(),
	};
	random_bounds(&b->f, given, rough);
	if (b->f.want_mean && below(4) == 0)
		b->f.result = RSTD__NO_RESULT;
	for (size_t i = 0; i < b->count; i++) {
		random_sums(b, i);
		if (given) { /* about the mean itself: t means nothing and is 0 */
			b->q[i] = fmax(0, b->q[i] - b->t[i] * b->t[i] / (double)b->n);
			b->t[i] = 0;
		}
	}
}

/* ---- What is right ------------------------------------------------------------------------------------------- */

/* Results at the ends of two intervals: that of the bound, and one four times as wide. */
struct right {
	double low, high;
	bool has_cause; /* for not being settled: a midpoint, or no number, in the wide interval */
};

static void set_u64(mpfr_t x, uint64_t v)
{
	mpfr_set_uj(x, v, MPFR_RNDN);
}

/* (M2 + error q) / count, or 0 if that is negative. */
static void deviations(mpfr_t s, const mpfr_t m2, double error, double q, uint64_t count)
{
	mpfr_t n;

	mpfr_init2(n, MPFR_BITS);
	set_u64(n, count);
	mpfr_set_d(s, error, MPFR_RNDN);
	mpfr_mul_d(s, s, q, MPFR_RNDN);
	mpfr_add(s, s, m2, MPFR_RNDN);
	if (mpfr_sgn(s) < 0)
		mpfr_set_zero(s, 1);
	mpfr_div(s, s, n, MPFR_RNDN);
	mpfr_clear(n);
}

/* The result for S = M2 + error q. With invert, the variance moves on by `slack` of its parts, in the same direction.
 */
static double y_at(const struct batch *b, const mpfr_t m2, double error, double q, double slack)
{
	mpfr_t s, part;
	double y;

	mpfr_inits2(MPFR_BITS, s, part, NULL);
	deviations(s, m2, error, q, b->f.result == RSTD__INVSTD ? b->n : b->divisor);
	if (b->f.result == RSTD__INVSTD) {
		deviations(part, m2, fabs(error), q, b->n);
		mpfr_add_d(part, part, fabs(b->f.epsilon), MPFR_RNDN);
		mpfr_mul_d(part, part, copysign(slack, error), MPFR_RNDN);
		mpfr_add_d(s, s, b->f.epsilon, MPFR_RNDN);
		mpfr_add(s, s, part, MPFR_RNDN);
		mpfr_rec_sqrt(s, s, MPFR_RNDN);
	} else {
		mpfr_sqrt(s, s, MPFR_RNDN);
	}
	y = rounded(s, b->f.y);
	mpfr_clears(s, part, NULL);
	return y;
}

static struct right right_y(const struct batch *b, size_t i)
{
	const double q = b->q[i];
	struct right r;
	mpfr_t m2, n;
	double error, wide, a, z;

	mpfr_inits2(MPFR_BITS, m2, n, NULL);
	set_u64(n, b->n);
	mpfr_set_d(m2, b->t[i], MPFR_RNDN);
	mpfr_sqr(m2, m2, MPFR_RNDN);
	mpfr_div(m2, m2, n, MPFR_RNDN);
	error = b->f.sum_sq_error + (q > 0 ? b->f.mean_sq_error * (mpfr_get_d(m2, MPFR_RNDN) / q) : 0);
	mpfr_d_sub(m2, q, m2, MPFR_RNDN);
	r.low = y_at(b, m2, -(error - SLACK * U), q, 0);
	r.high = y_at(b, m2, error - SLACK * U, q, 0);
	wide = 4 * error;
	a = y_at(b, m2, -wide, q, 4 * 0x1p-48);
	z = y_at(b, m2, wide, q, 4 * 0x1p-48);
	r.has_cause = !(a == z);
	mpfr_clears(m2, n, NULL);
	return r;
}

static double mean_at(const struct batch *b, size_t i, const mpfr_t mean, int sign, double error, double relative)
{
	mpfr_t x, part;
	double m;

	mpfr_inits2(MPFR_BITS, x, part, NULL);
	set_u64(x, b->n);
	mpfr_d_div(x, b->q[i], x, MPFR_RNDN);
	mpfr_sqrt(x, x, MPFR_RNDN);
	mpfr_mul_d(x, x, error, MPFR_RNDN);
	mpfr_abs(part, mean, MPFR_RNDN);
	mpfr_mul_d(part, part, relative, MPFR_RNDN);
	mpfr_add(x, x, part, MPFR_RNDN);
	mpfr_mul_si(x, x, sign, MPFR_RNDN);
	mpfr_add(x, x, mean, MPFR_RNDN);
	m = rounded(x, b->f.mean);
	mpfr_clears(x, part, NULL);
	return m;
}

static struct right right_mean(const struct batch *b, size_t i)
{
	struct right r;
	mpfr_t mean, n;

	mpfr_inits2(MPFR_BITS, mean, n, NULL);
	set_u64(n, b->n);
	mpfr_set_d(mean, b->t[i], MPFR_RNDN);
	mpfr_div(mean, mean, n, MPFR_RNDN);
	mpfr_add_d(mean, mean, b->shift[i], MPFR_RNDN);
	r.low = mean_at(b, i, mean, -1, b->f.mean_error - MEAN_SLACK * U, 0);
	r.high = mean_at(b, i, mean, 1, b->f.mean_error - MEAN_SLACK * U, 0);
	r.has_cause = mean_at(b, i, mean, -1, 4 * b->f.mean_error, 16 * U) !=
	              mean_at(b, i, mean, 1, 4 * b->f.mean_error, 16 * U);
	mpfr_clears(mean, n, NULL);
	return r;
}

/* ---- finish() ------------------------------------------------------------------------------------------------ */

static const struct rstd__isa *next_isa(const struct rstd__isa *isa)
{
	for (isa = isa ? isa + 1 : rstd__isas; isa < rstd__isas + rstd__isa_count; isa++)
		if ((isa->needs & ~rstd__cpu_features()) == 0)
			return isa;
	return NULL;
}

/* The arrays that finish() reads and writes, each next to a page that nobody may touch. */
enum array { SHIFT, T, Q, Y, MEAN, ARRAYS };

static struct guarded memory[ARRAYS];

static int make_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAYS; i++)
		guard_make(&memory[i], RSTD__FINISH_MAX * sizeof(double) + GUARD_MARGIN);
	return 0;
}

static int free_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAYS; i++)
		guard_free(&memory[i]);
	return 0;
}

/* Calls finish() with its arrays at one end of their memory. */
static struct rstd__open finish(const struct rstd__isa *isa, const struct batch *b, enum guard_end end, double *y,
                                double *mean)
{
	const size_t bytes = b->count * sizeof(double),
		     room = (b->count + RSTD__LANES - 1) / RSTD__LANES * RSTD__LANES * sizeof(double);
	const double *const in[] = { b->shift, b->t, b->q };
	double *p[ARRAYS];
	struct rstd__open open;

	for (size_t i = SHIFT; i <= Q; i++)
		p[i] = (double *)(void *)guard_copy(&memory[i], end, in[i], bytes, 0);
	for (size_t i = Y; i <= MEAN; i++)
		p[i] = (double *)(void *)guard_place(&memory[i], end, room, 0);
	open = isa->kernels->finish(&b->f, b->count, p[SHIFT], p[T], p[Q], p[Y], p[MEAN]);
	for (size_t i = SHIFT; i < ARRAYS; i++)
		assert_true(guard_intact(&memory[i], p[i], i < Y ? bytes : room));
	assert_true(b->count == RSTD__FINISH_MAX || (open.y | open.mean) >> b->count == 0);
	memcpy(y, p[Y], bytes);
	memcpy(mean, p[MEAN], bytes);
	return open;
}

static uint64_t any_open(const struct rstd__isa *isa, const struct batch *b, enum guard_end end, double *y,
                         double *mean)
{
	const struct rstd__open open = finish(isa, b, end, y, mean);

	return open.y | open.mean;
}

static void describe(const struct rstd__isa *isa, const struct batch *b, size_t i)
{
	print_error("%s: n %llu divisor %llu epsilon %a result %d y %s mean %s %d errors %a %a shift %a t %a q %a\n",
	            isa->name, (unsigned long long)b->n, (unsigned long long)b->divisor, b->f.epsilon, (int)b->f.result,
	            dtype_name(dtype_of[b->f.y]), dtype_name(dtype_of[b->f.mean]), b->f.want_mean, b->f.sum_sq_error,
	            b->f.mean_error, b->shift[i], b->t[i], b->q[i]);
}

static bool is_right(enum rstd__format format, double got, const struct right *right)
{
	const rstd_dtype dtype = dtype_of[format];
	unsigned char stored[4];

	rstd__store(format, stored, got);
	return bits_match(dtype, bits_load(dtype, stored), bits_of(format, right->low)) &&
	       bits_match(dtype, bits_load(dtype, stored), bits_of(format, right->high));
}

static void check_result(const struct rstd__isa *isa, const struct batch *b, size_t i, const char *what, double got,
                         bool open, const struct right *right)
{
	const bool is_y = what[0] == 'y';

	if (open && !right->has_cause) {
		describe(isa, b, i);
		fail_msg("%s is not settled without a cause", what);
	}
	if (open || (is_y ? b->f.result == RSTD__NO_RESULT : !b->f.want_mean))
		return;
	if (is_right(is_y ? b->f.y : b->f.mean, got, right))
		return;
	describe(isa, b, i);
	fail_msg("%s is settled as %a, right is %a to %a", what, got, right->low, right->high);
}

struct tally {
	size_t outputs, open;
};

static void check_batch(const struct batch *b, struct tally *tally)
{
	static const struct right nothing = { .has_cause = false };
	struct right y_right[RSTD__FINISH_MAX], mean_right[RSTD__FINISH_MAX];

	for (size_t i = 0; i < b->count; i++) {
		y_right[i] = b->f.result != RSTD__NO_RESULT ? right_y(b, i) : nothing;
		mean_right[i] = b->f.want_mean ? right_mean(b, i) : nothing;
	}
	for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa)) {
		double y[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX];
		const struct rstd__open open = finish(isa, b, b->count & 1 ? GUARD_FIRST : GUARD_LAST, y, mean);

		for (size_t i = 0; i < b->count; i++) {
			tally->outputs++;
			tally->open += (open.y | open.mean) >> i & 1;
			check_result(isa, b, i, "y", y[i], open.y >> i & 1, &y_right[i]);
			check_result(isa, b, i, "mean", mean[i], open.mean >> i & 1, &mean_right[i]);
		}
	}
}

static void test_random(void **state)
{
	const size_t batches = BATCHES * test_scale() / 100 + 1;
	struct tally tally = { 0 };

	(void)state;
	for (size_t k = 0; k < batches; k++) {
		struct batch b;

		batch_make(&b);
		check_batch(&b, &tally);
	}
	print_message("%zu outputs, %zu of them not settled\n", tally.outputs, tally.open);
	/* both ways have been taken often */
	assert_true(tally.open > tally.outputs / 10 && tally.open < tally.outputs / 10 * 9);
}

/* ---- Wide intervals across a power of two --------------------------------------------------------------------- */

/* The unit in the last place changes inside of the interval, which has a part of one on each side, or some. */
static void check_across(const struct rstd__isa *isa, enum rstd__format format, double middle, double error)
{
	struct batch b = {
		.f = { .inverse_n = 1,
		       .inverse_divisor = 1,
		       .sum_sq_error = 2 * error,
		       .root_ratio = 1,
		       .root_error = error * 1.001 + 8 * U,
		       .result = RSTD__STD,
		       .y = format },
		.n = 1,
		.divisor = 1,
		.count = 1,
		.q = { middle * middle },
	};
	const struct right right = right_y(&b, 0);
	double y[RSTD__LANES], mean[RSTD__LANES];
	const struct rstd__open open = finish(isa, &b, GUARD_LAST, y, mean);

	check_result(isa, &b, 0, "y", y[0], open.y & 1, &right);
}

static void test_across_binades(void **state)
{
	(void)state;
	for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa))
		for (enum rstd__format format = 0; format < RSTD__FORMATS; format++)
			for (int part = 4; part < 64; part++) /* of a 16th of the unit below the power */
				for (int at = -64; at <= 64; at++) {
					const double unit = ldexp(1, -rstd__format_info[format].precision);

					check_across(isa, format, 1 + at * unit / 32, part * unit / 16);
				}
}

/* ---- Zeros, and what is no number ---------------------------------------------------------------------------- */

/* A batch of one output with plain parameters. */
static struct batch plain(double shift, double t, double q)
{
	return (struct batch){
		.f = { .inverse_n = 0.25,
		       .inverse_divisor = 0.25,
		       .epsilon = 0.25,
		       .sum_sq_error = 100 * U,
		       .root_ratio = 256,
		       .root_error = 12850 * U,
		       .mean_error = 100 * U,
		       .result = RSTD__STD },
		.n = 4,
		.divisor = 4,
		.count = 1,
		.shift = { shift },
		.t = { t },
		.q = { q },
	};
}

static void test_zero(void **state)
{
	(void)state;
	for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa)) {
		struct batch b = plain(3, 0, 0);
		double y, mean;

		b.f.want_mean = true;
		assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 0);
		assert_true(y == 0 && !signbit(y) && mean == 3);
		b.f.result = RSTD__INVSTD;
		assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 0);
		assert_true(y == 2 && mean == 3);
		b.f.epsilon = -0.25;
		assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 1);
	}
}

/* S/0 is Inf, 0/0 is NaN without a flag of the processor's, and the mean is settled beside them. */
static void test_divisor_of_zero(void **state)
{
	(void)state;
	for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa)) {
		struct batch b = plain(3, 0, 0x1p-298);
		double y, mean;

		b.f.result = RSTD__UNDEFINED;
		b.f.want_mean = true;
		b.f.inverse_divisor = HUGE_VAL;
		assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 0);
		assert_true(isinf(y) && y > 0 && mean == 3);
		b.q[0] = 0;
		feclearexcept(FE_ALL_EXCEPT);
		assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 0);
		assert_int_equal(fetestexcept(FE_INVALID | FE_DIVBYZERO), 0);
		assert_true(isnan(y) && mean == 3);
	}
}

/* Sums that are no numbers are never settled, whichever result is wanted. */
static void test_specials(void **state)
{
	const double inf = (double)INFINITY, nan = (double)NAN;
	const double sums[][2] = { { nan, nan }, { 0, nan }, { nan, inf }, { 0, inf }, { inf, inf }, { -inf, inf } };

	(void)state;
	for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa))
		for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
			for (enum rstd__result result = RSTD__NO_RESULT; result <= RSTD__UNDEFINED; result++)
				for (int want_mean = result == RSTD__NO_RESULT; want_mean < 2; want_mean++) {
					struct batch b = plain(1, sums[i][0], sums[i][1]);
					double y, mean;

					b.f.result = result;
					b.f.want_mean = want_mean;
					b.f.inverse_divisor =
						result == RSTD__UNDEFINED ? HUGE_VAL : b.f.inverse_divisor;
					if (any_open(isa, &b, GUARD_FIRST, &y, &mean) == 0)
						fail_msg("%s: settled for t %g and q %g, result %d, mean %d", isa->name,
						         sums[i][0], sums[i][1], (int)result, want_mean);
				}
}

/* Sums of squares too small for the bound are left open, whatever they are. */
static void test_least_q(void **state)
{
	(void)state;
	for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa))
		for (int invert = 0; invert < 2; invert++) {
			struct batch b = plain(0, 0, 0x1p-100);
			double y, mean;

			b.f.result = invert ? RSTD__INVSTD : RSTD__STD;
			b.f.least_q = 0x1p-100;
			assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 0);
			b.q[0] = 0x1.ffp-101;
			assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 1);
			b.q[0] = 0;
			assert_int_equal(any_open(isa, &b, GUARD_LAST, &y, &mean), 1);
		}
}

/* ---- Sums, test and results in one loop ---------------------------------------------------------------------- */

#define ROWS    64
#define FEW     40 /* elements of most rows */
#define LONGEST RSTD__SHORT_MAX

/* Rows for a std kernel: n elements each, `stride` bytes apart. */
struct rows {
	enum rstd__format format;
	size_t n, stride;
	struct rstd__finish f, again;
	bool rough;
	double x[ROWS][LONGEST];
};

static double to_format(enum rstd__format format, double v)
{
	return bits_to_double(dtype_of[format], bits_from_double(dtype_of[format], v));
}

/*
 * A row with a standard deviation beside a midpoint, if its length is even and the divisor: elements of one sign and the
 * other, of half a unit more than a number of the format, one of them off by a little.
 */
static void row_beside(const struct rows *s, double *x)
{
	const int p = rstd__format_info[s->format].precision;
	const double unit = ldexp(1, -p), odd = unit * (double)(2 * below(4) + 1), step = ldexp(unit, -(int)below(22));
	const double big = 2 * to_format(s->format, 1 + fraction() * 0.99);

	for (size_t j = 0; j < s->n; j++)
		x[j] = j % 2 ? 2 * odd : big;
	x[s->n - 1] += (double)((int)below(3) - 1) * step;
}

static void row_make(const struct rows *s, double *x)
{
	const uint64_t kind = below(8);
	const struct rstd__format_info *info = &rstd__format_info[s->format];
	const int edge = below(2) ? info->least + (int)below(30) : info->overflow - 1 - (int)below(30);
	const double scale = ldexp(1, kind == 1 ? edge : 0);
	const double offset = kind == 2 ? pow(2, 6 * fraction()) : 0;

	if (kind >= 4) {
		row_beside(s, x);
	} else {
		for (size_t j = 0; j < s->n; j++)
			x[j] = kind == 3 ? 3 : offset + scale * (fraction() + fraction() + fraction() - 1.5);
		if (below(64) == 0)
			x[below(s->n)] = below(2) ? (double)INFINITY : (double)NAN;
	}
	for (size_t j = 0; j < s->n; j++)
		x[j] = to_format(s->format, x[j]);
}

static void rows_bounds(struct rows *s, const struct rstd__kernels *k)
{
	const double m = (double)s->n / (double)(k->rough_step ? k->rough_step : 1) + RSTD__ROUGH_SHORT_REST;
	struct rstd__finish *f = &s->f;

	f->sum_sq_error = (4 * ((double)s->n + 8) + 32) * U;
	f->mean_sq_error = 0;
	f->root_ratio = 256;
	f->least_q = 0;
	if (s->rough) {
		f->sum_sq_error += (1.5 * m + 2.5) * U_ROUGH;
		f->mean_sq_error = (2 * m + 0.5) * U_ROUGH;
		f->root_ratio = below(2) ? 8 : 16;
		f->least_q = s->format == RSTD__BF16 ? 0x1p-120 * (double)s->n : 0;
	}
	f->root_error =
		0.5 * (f->root_ratio * f->sum_sq_error + (f->root_ratio - 1) * f->mean_sq_error) * 1.001 + 8 * U;
}

/* From half of the elements of the longest rows that a kernel takes, rough sums included, up to all of them. */
static size_t long_length(const struct rstd__kernels *k, enum rstd__format format)
{
	const size_t rough = k->rough_step * RSTD__ROUGH_SHORT_TURNS;
	const bool less = k->rough.short_moments[format] && rough < LONGEST;

	return (less ? rough : LONGEST) - below((less ? rough : LONGEST) / 2);
}

static void rows_make(struct rows *s, const struct rstd__kernels *k, bool is_long)
{
	s->format = random_format();
	s->n = 2 + below(below(2) ? RSTD__DENSE_MAX - 1 : FEW - 1);
	s->n = is_long ? long_length(k, s->format) : below(4) ? s->n : 4 * (1 + below(4));
	s->stride = (s->n + (below(2) ? 0 : below(5))) * rstd__format_info[s->format].size;
	s->f = (struct rstd__finish){
		.n = (double)s->n,
		.inverse_n = 1 / (double)s->n,
		.divisor = (double)(s->n - below(2)),
		.result = RSTD__STD,
		.y = s->format,
	};
	s->f.inverse_divisor = 1 / s->f.divisor;
	if (s->n == 2 && s->f.divisor == 2)
		s->f.result = RSTD__HALF_T;
	s->rough = false;
	rows_bounds(s, k);
	s->again = s->f;
	s->rough = s->format != RSTD__F32 && s->n >= 32 && k->rough.short_moments[s->format];
	rows_bounds(s, k);
	for (size_t r = 0; r < ROWS; r++)
		row_make(s, s->x[r]);
}

/* The exact standard deviation of a row, rounded; NaN if an element is not finite. */
static double row_std(const struct rows *s, const double *x)
{
	mpfr_t t, q, d;
	double y;

	mpfr_inits2(MPFR_BITS, t, q, d, NULL);
	mpfr_set_zero(t, 1);
	mpfr_set_zero(q, 1);
	for (size_t j = 0; j < s->n; j++) {
		mpfr_set_d(d, x[j], MPFR_RNDN);
		mpfr_add(t, t, d, MPFR_RNDN);
		mpfr_fma(q, d, d, q, MPFR_RNDN);
	}
	mpfr_mul_d(q, q, s->f.n, MPFR_RNDN);
	mpfr_fms(q, t, t, q, MPFR_RNDN);
	mpfr_neg(q, q, MPFR_RNDN);
	mpfr_div_d(q, q, s->f.n * s->f.divisor, MPFR_RNDN);
	mpfr_sqrt(q, q, MPFR_RNDN);
	y = rounded(q, s->format);
	mpfr_clears(t, q, d, NULL);
	return y;
}

/* What a std kernel settles of rows has to be right; returns how many it settles. */
static size_t check_rows(const struct rstd__isa *isa, const struct rows *s, struct guarded *x_memory)
{
	const rstd_dtype dtype = dtype_of[s->format];
	const size_t size = rstd__format_info[s->format].size, used = (ROWS - 1) * s->stride + s->n * size;
	static unsigned char raw[ROWS * (LONGEST + 4) * sizeof(float)];
	unsigned char *y = guard_place(&memory[Y], GUARD_LAST, ROWS * size, 0);
	const unsigned char *x;
	size_t settled = 0;

	for (size_t r = 0; r < ROWS; r++)
		for (size_t j = 0; j < s->n; j++)
			bits_store(dtype, raw + r * s->stride + j * size, bits_from_double(dtype, s->x[r][j]));
	x = guard_copy(x_memory, GUARD_LAST, raw, used, 0);
	for (size_t r = 0; r < ROWS; r++) { /* over the first row that is not settled, and on */
		const size_t done = isa->kernels->std[s->format](&s->f, s->rough ? &s->again : NULL, x + r * s->stride,
		                                                 (ptrdiff_t)s->stride, ROWS - r, s->n, y + r * size);

		settled += done;
		for (size_t i = r; i < r + done; i++)
			if (!bits_match(dtype, bits_load(dtype, y + i * size),
			                bits_of(s->format, row_std(s, s->x[i]))) ||
			    isnan(row_std(s, s->x[i])))
				fail_msg("%s %s rows of %zu, divisor %g: %a is wrong, row %a %a %a ..", isa->name,
				         dtype_name(dtype), s->n, s->f.divisor,
				         bits_to_double(dtype, bits_load(dtype, y + i * size)), s->x[i][0], s->x[i][1],
				         s->x[i][2]);
		r += done;
	}
	assert_true(guard_intact(&memory[Y], y, ROWS * size));
	return settled;
}

static void test_rows(void **state)
{
	size_t all = 0, settled = 0;
	struct guarded x_memory;
	static struct rows s;

	(void)state;
	guard_make(&x_memory, ROWS * (LONGEST + 4) * sizeof(float) + GUARD_MARGIN);
	for (size_t k = 0; k < BATCHES * test_scale() / 1000 + 1; k++)
		for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa)) {
			rows_make(&s, isa->kernels, k % 4 == 0);
			settled += check_rows(isa, &s, &x_memory);
			all += ROWS;
		}
	guard_free(&x_memory);
	print_message("%zu rows, %zu of them settled\n", all, settled);
	assert_true(settled > all / 4 && settled < all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),   cmocka_unit_test(test_across_binades),
		cmocka_unit_test(test_zero),     cmocka_unit_test(test_divisor_of_zero),
		cmocka_unit_test(test_specials), cmocka_unit_test(test_least_q),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, make_memory, free_memory);
}
