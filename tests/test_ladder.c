/*
 * test_ladder.c - each level of the ladder, reached on purpose and proved by the counters
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A slice here is built so that a certain level has to settle it: beside a midpoint of the output's format, nearer than
 * the level below can see, or on it. Its result is compared with the exact reference, and where the construction says
 * what it is, with that.
 *
 * RSTD_TEST_SCALE is a percentage of the number of ordinary slices.
 */
#define _POSIX_C_SOURCE 199309L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpfr.h>

#include "kernels/kernels.h"
#include "operator.h"
#include "reference.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define MPFR_BITS     1000

static const rstd_dtype dtypes[] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

static uint64_t random_state;

static uint64_t next_random(void)
{
	return splitmix64(random_state++);
}

static double fraction(void)
{
	return (double)(next_random() >> 11) * 0x1p-53;
}

static int between(int low, int high)
{
	return low + (int)(next_random() % (uint64_t)(high - low + 1));
}

/* ---- One slice ----------------------------------------------------------------------------------------------- */

enum result { STD, INVSTD, MEAN, GIVEN_STD, GIVEN_INVSTD, RESULTS };

static const char *const result_name[RESULTS] = { "std", "invstd", "mean", "std about a mean", "invstd about a mean" };

enum level { FAST, PRECISE, EXACT, LEVELS, CLIMBS = LEVELS /* level 1 or 2 */ };

/* What is asked for, and a slice of n elements to compute it of. INVSTD gives float32, GIVEN_* the dtype of x. */
struct problem {
	enum result result;
	rstd_dtype dtype, to;
	int64_t correction;
	float epsilon;
	size_t n;
	uint32_t *x, *mean; /* bits */
};

/* n zeros about zeros. */
static struct problem problem_make(enum result result, rstd_dtype dtype, rstd_dtype to, size_t n)
{
	struct problem p = { .result = result, .dtype = dtype, .to = to, .n = n };

	p.x = xmalloc(n * sizeof(uint32_t));
	p.mean = xmalloc(n * sizeof(uint32_t));
	memset(p.x, 0, n * sizeof(uint32_t));
	memset(p.mean, 0, n * sizeof(uint32_t));
	return p;
}

static void problem_free(struct problem *p)
{
	free(p->x);
	free(p->mean);
}

static bool is_given(const struct problem *p)
{
	return p->result == GIVEN_STD || p->result == GIVEN_INVSTD;
}

static void set(struct problem *p, size_t i, double value)
{
	p->x[i] = bits_from_double(p->dtype, value);
	assert_true(bits_to_double(p->dtype, p->x[i]) == value); /* the constructions need it exactly */
}

/* The operator on `rows` rows, each the slice, into out. */
static rstd_status call(const struct problem *p, const rstd_tensor *x, const rstd_tensor *mean, const rstd_tensor *out)
{
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;
	const int64_t last = 1;

	attrs.dim = &last;
	attrs.dim_count = 1;
	attrs.correction = p->correction;
	attrs.epsilon = p->epsilon;
	attrs.invert = p->result == GIVEN_INVSTD;
	switch (p->result) {
	case STD:
		return rstd_std_mean(x, &last, 1, p->correction, false, out, NULL);
	case MEAN:
		return rstd_std_mean(x, &last, 1, p->correction, false, NULL, out);
	case INVSTD:
		return rstd_batch_norm_stats(x, (double)p->epsilon, NULL, out);
	default:
		return rstd_reduce_std_with_mean(x, mean, &attrs, out);
	}
}

static rstd_level_counts counts_since_reset(void)
{
	rstd_level_counts counts;

	assert_int_equal(rstd_get_level_counts(&counts), RSTD_OK);
	return counts;
}

/* Solves the problem, rows times over; the bits of the first output, which all others have to have. */
static uint32_t solve(const struct problem *p, size_t rows, rstd_level_counts *counts)
{
	const size_t size = dtype_size(p->dtype), out_size = dtype_size(p->to), count = rows * p->n;
	const bool channels = p->result == INVSTD; /* those are columns */
	const int64_t shape[2] = { (int64_t)(channels ? p->n : rows), (int64_t)(channels ? rows : p->n) };
	const int64_t out_shape[1] = { (int64_t)rows };
	unsigned char *const x = xmalloc(count * size), *const mean = xmalloc(count * size);
	unsigned char *const out = xmalloc(rows * out_size);
	rstd_tensor tx, tm, to;
	uint32_t bits;

	for (size_t i = 0; i < count; i++) {
		const size_t j = channels ? i / rows : i % p->n;

		bits_store(p->dtype, x + i * size, p->x[j]);
		bits_store(p->dtype, mean + i * size, p->mean[j]);
	}
	assert_int_equal(rstd_tensor_contiguous(&tx, x, p->dtype, 2, shape), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&tm, mean, p->dtype, 2, shape), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&to, out, p->to, 1, out_shape), RSTD_OK);
	rstd_reset_level_counts();
	assert_int_equal(call(p, &tx, &tm, &to), RSTD_OK);
	*counts = counts_since_reset();
	bits = bits_load(p->to, out);
	for (size_t i = 1; i < rows; i++)
		assert_int_equal(bits_load(p->to, out + i * out_size), bits);
	free(out);
	free(mean);
	free(x);
	return bits;
}

static uint32_t right(const struct problem *p)
{
	struct ref_sums sums;
	uint32_t bits;

	ref_init(&sums);
	ref_slice(&sums, p->dtype, p->x, is_given(p) ? p->mean : NULL, p->n);
	switch (p->result) {
	case STD:
	case GIVEN_STD:
		bits = ref_std(&sums, ref_divisor(p->n, p->correction), p->to);
		break;
	case MEAN:
		bits = ref_mean(&sums, p->to);
		break;
	default:
		bits = ref_invstd(&sums, p->epsilon, p->to);
	}
	ref_clear(&sums);
	return bits;
}

/* The slice has the exact result and is settled at this level, on every instruction set; which it is. */
static enum level check(const struct problem *p, enum level level, const char *what)
{
	const uint32_t expected = right(p);
	enum level reached = FAST;

	for (size_t i = 0; rstd_isa_name(i); i++) {
		rstd_level_counts counts;
		uint64_t by_level[LEVELS];
		uint32_t bits;

		assert_int_equal(rstd_set_isa(rstd_isa_name(i)), RSTD_OK);
		bits = solve(p, 1, &counts);
		by_level[FAST] = counts.fast;
		by_level[PRECISE] = counts.precise;
		by_level[EXACT] = counts.exact;
		if (!bits_match(p->to, bits, expected))
			fail_msg("%s, %s of %s to %s by %s: got %08" PRIx32 ", right is %08" PRIx32, what,
			         result_name[p->result], dtype_name(p->dtype), dtype_name(p->to), rstd_isa_name(i),
			         bits, expected);
		reached = counts.fast ? FAST : counts.precise ? PRECISE : EXACT;
		if (counts.fast + counts.precise + counts.exact != 1 ||
		    (level == CLIMBS ? by_level[FAST] != 0 : by_level[level] != 1))
			fail_msg("%s, %s of %s to %s by %s: settled by levels %" PRIu64 " %" PRIu64 " %" PRIu64
			         ", not by level %d",
			         what, result_name[p->result], dtype_name(p->dtype), dtype_name(p->to),
			         rstd_isa_name(i), counts.fast, counts.precise, counts.exact, (int)level);
	}
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
	return reached;
}

/*
 * Whether sums are proved to be exact: about the first element, or about given means, they are small multiples of the
 * least bit that is set in an element.
 */
static bool sums_are_exact(const struct problem *p)
{
	double grain = HUGE_VAL, q = 0, sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		const double v = bits_to_double(p->dtype, p->x[i]), m = bits_to_double(p->dtype, p->mean[i]);
		const double d = v - (is_given(p) ? m : bits_to_double(p->dtype, p->x[0]));
		const double operands[] = { v, is_given(p) ? m : 0 };

		for (size_t k = 0; k < LENGTH(operands); k++) {
			const double a = fabs(operands[k]);

			while (a != 0 && fmod(a, grain) != 0)
				grain = grain == HUGE_VAL ? ldexp(1, ilogb(a)) : grain / 2;
		}
		q += d * d;
		sum += v;
	}
	if (p->result == MEAN)
		return (double)p->n * q < 0x1p104 * grain * grain && fabs(sum) < 0x1p52 * grain;
	if (p->result == INVSTD || p->result == GIVEN_INVSTD)
		return false;
	return (is_given(p) ? 1 : (double)p->n) * q < 0x1p52 * grain * grain;
}

/*
 * Who settles a slice that level 0 leaves open, unless its sums are exact: level 1 does it for up to 4096 elements that
 * are integers of 48 bits in some unit, and mostly for others, and for reciprocals with an epsilon that is not negative.
 */
static enum level open_level(const struct problem *p)
{
	const struct {
		const uint32_t *bits;
		bool used;
	} operands[] = { { p->x, true }, { p->mean, is_given(p) } };
	int least = INT_MAX, largest = INT_MIN;

	for (size_t k = 0; k < LENGTH(operands); k++)
		for (size_t i = 0; i < p->n && operands[k].used; i++) {
			const double v = bits_to_double(p->dtype, operands[k].bits[i]);
			const int e = v != 0 ? ilogb(v) < -126 ? -126 : ilogb(v) : 0;

			if (v != 0 && e < least)
				least = e;
			if (v != 0 && e > largest)
				largest = e;
		}
	if (sums_are_exact(p))
		return FAST;
	if (p->result == INVSTD || p->result == GIVEN_INVSTD)
		return p->epsilon < 0 ? EXACT : CLIMBS;
	return largest - least + dtype_precision(p->dtype) <= 48 || largest == INT_MIN ? PRECISE : CLIMBS;
}

/* check(), and the result is this number. */
static enum level check_value(const struct problem *p, enum level level, double value, const char *what)
{
	assert_true(bits_match(p->to, right(p), bits_from_double(p->to, value)));
	return check(p, level, what);
}

/* ---- Level 0 ------------------------------------------------------------------------------------------------- */

/* The dtypes that a result may have. */
static bool may_give(enum result result, rstd_dtype dtype, rstd_dtype to)
{
	if (result == INVSTD)
		return to == RSTD_F32;
	return result == STD || result == MEAN || dtype == to;
}

typedef void combination_test(enum result result, rstd_dtype dtype, rstd_dtype to);

static void for_each_combination(combination_test *test)
{
	for (enum result result = STD; result < RESULTS; result++)
		for (size_t i = 0; i < LENGTH(dtypes); i++)
			for (size_t j = 0; j < LENGTH(dtypes); j++)
				if (may_give(result, dtypes[i], dtypes[j]))
					test(result, dtypes[i], dtypes[j]);
}

static void check_plain(enum result result, rstd_dtype dtype, rstd_dtype to)
{
	static const size_t lengths[] = { 3, 10, 50, 1000 };

	for (size_t k = 0; k < LENGTH(lengths); k++) {
		struct problem p = problem_make(result, dtype, to, lengths[k]);

		/* thirds are near no midpoint of any format */
		for (size_t i = 0; i < p.n; i++)
			set(&p, i, (double)(i % 3 == 0 ? 1 : i % 7));
		p.correction = 1;
		p.epsilon = 1e-3f;
		check(&p, FAST, "plain numbers");
		problem_free(&p);
	}
}

static void test_plain(void **state)
{
	(void)state;
	for_each_combination(check_plain);
}

/* Equal elements: S is 0, and the mean is the element. */
static void check_constant(enum result result, rstd_dtype dtype, rstd_dtype to)
{
	struct problem p = problem_make(result, dtype, to, 77);

	for (size_t i = 0; i < p.n; i++) {
		set(&p, i, 1.5);
		p.mean[i] = p.x[i];
	}
	p.epsilon = 0.0625f;
	check_value(&p, FAST, result == MEAN ? 1.5 : result == STD || result == GIVEN_STD ? 0 : 4, "equal elements");
	problem_free(&p);
}

static void test_constant(void **state)
{
	(void)state;
	for_each_combination(check_constant);
}

/* ---- Ties ---------------------------------------------------------------------------------------------------- */

/*
 * In a format of p bits, 2^p + 1 lies in the middle of 2^p, which is even, and 2^p + 2; 2^p + 3 in the middle of that
 * and 2^p + 4, which is even. Nothing rounds in the sums of a few integers, and level 0 sees that.
 */
static void test_ties_of_std(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++) {
		const double two_p = ldexp(1, dtype_precision(dtypes[i]));
		struct problem p = problem_make(STD, dtypes[i], dtypes[i], 2);

		/* sqrt(S / 2) is half the difference of the two */
		set(&p, 0, 2 * two_p);
		set(&p, 1, -2);
		check_value(&p, FAST, two_p, "tie of two integers");
		set(&p, 0, 2 * two_p + 4);
		check_value(&p, FAST, two_p + 4, "tie of two integers");
		problem_free(&p);

		/* the format of the result does not hold the elements */
		p = problem_make(STD, RSTD_F32, dtypes[i], 2);
		set(&p, 0, 2 * two_p + 4);
		set(&p, 1, 2);
		check_value(&p, FAST, two_p, "tie of two floats");
		problem_free(&p);

		p = problem_make(GIVEN_STD, dtypes[i], dtypes[i], 5);
		p.correction = 4;
		set(&p, 3, two_p + 2);
		p.mean[3] = bits_from_double(dtypes[i], 1);
		check_value(&p, FAST, two_p, "tie of one difference");
		problem_free(&p);
	}
}

static void test_ties_of_mean(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++) {
		const double two_p = ldexp(1, dtype_precision(dtypes[i]));
		struct problem p = problem_make(MEAN, dtypes[i], dtypes[i], 2);

		set(&p, 0, 2 * two_p);
		set(&p, 1, 2);
		check_value(&p, FAST, two_p, "tie of two integers");
		set(&p, 0, -2 * two_p);
		set(&p, 1, -6);
		check_value(&p, FAST, -(two_p + 4), "tie of two integers");
		problem_free(&p);

		p = problem_make(MEAN, dtypes[i], dtypes[i], 4);
		set(&p, 0, 4 * two_p);
		set(&p, 1, 4);
		check_value(&p, FAST, two_p, "tie of four integers");
		set(&p, 2, -8 * two_p);
		set(&p, 1, -12);
		check_value(&p, FAST, -(two_p + 4), "tie of four integers");
		problem_free(&p);
	}
}

/* Means of more elements than level 1 takes: of `n` ones but for a 2 and a small one, half a unit above 1, or beside it. */
static struct problem long_mean(rstd_dtype dtype, size_t n, size_t kind)
{
	static const double small[] = { 1, 1 + 0x1p-7, 1 - 0x1p-8 };
	struct problem p = problem_make(MEAN, dtype, RSTD_F32, n);

	for (size_t i = 0; i < n; i++)
		set(&p, i, i == n / 3 ? 2 : i == n / 2 ? ldexp((double)n, -24) * small[kind] : 1);
	return p;
}

static const double long_means[] = { 1, 1 + 0x1p-23, 1 };

#define LONG_GROUPS  3
#define LONG_COLUMNS 70

/* All columns of the first group of them have a tiny element, too, so that what is a tie is not; the last of the second. */
static bool has_tiny(rstd_dtype dtype, size_t c)
{
	return dtype != RSTD_F16 && (c < LONG_COLUMNS || (c >= LONG_COLUMNS + 64 && c < 2 * LONG_COLUMNS));
}

/* As columns, in groups. */
static void check_long_means(rstd_dtype dtype, size_t n)
{
	const size_t size = dtype_size(dtype);
	const int64_t shape[3] = { LONG_GROUPS, (int64_t)n, LONG_COLUMNS },
		      out_shape[2] = { LONG_GROUPS, LONG_COLUMNS };
	const int64_t middle = 1;
	unsigned char *const x = xmalloc(LONG_GROUPS * n * LONG_COLUMNS * size);
	float mean[LONG_GROUPS * LONG_COLUMNS];
	uint64_t not_ties = 0;
	rstd_tensor tx, tm;

	for (size_t c = 0; c < LONG_GROUPS * LONG_COLUMNS; c++) {
		struct problem p = long_mean(dtype, n, c % 3);

		if (has_tiny(dtype, c)) {
			set(&p, 0, 0x1p-100);
			set(&p, 1, 2);
			not_ties += c % 3 == 0;
		}
		for (size_t i = 0; i < n; i++)
			bits_store(dtype, x + ((c / LONG_COLUMNS * n + i) * LONG_COLUMNS + c % LONG_COLUMNS) * size,
			           p.x[i]);
		problem_free(&p);
	}
	assert_int_equal(rstd_tensor_contiguous(&tx, x, dtype, 3, shape), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&tm, mean, RSTD_F32, 2, out_shape), RSTD_OK);
	for (size_t i = 0; rstd_isa_name(i); i++) {
		assert_int_equal(rstd_set_isa(rstd_isa_name(i)), RSTD_OK);
		memset(mean, 0, sizeof(mean));
		rstd_reset_level_counts();
		assert_int_equal(rstd_std_mean(&tx, &middle, 1, 0, false, NULL, &tm), RSTD_OK);
		for (size_t c = 0; c < LONG_GROUPS * LONG_COLUMNS; c++)
			assert_true((double)mean[c] == long_means[c % 3 == 0 && has_tiny(dtype, c) ? 1 : c % 3]);
		assert_int_equal(counts_since_reset().fast, LONG_GROUPS * LONG_COLUMNS - not_ties);
	}
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
	free(x);
}

/* The same between elements so large that sums of binary16 are rounded. */
static void check_long_means_of_large(void)
{
	const size_t n = 1 << 17;

	for (int aside = -1; aside <= 1; aside++) {
		const double few[] = { 65504, 65504, 64, 0x1p-7, aside * 0x1p-24, 0 };
		struct problem p = problem_make(MEAN, RSTD_F16, RSTD_F32, n);

		for (size_t i = 0; i < n; i++)
			set(&p, i, i < LENGTH(few) ? few[i] : i < n / 2 + LENGTH(few) / 2 ? 0x1p15 : -0x1p15);
		check_value(&p, PRECISE, aside > 0 ? 1 + 0x1p-23 : 1, "mean of many between large ones");
		problem_free(&p);
	}
}

static void test_ties_of_long_means(void **state)
{
	static const size_t lengths[] = { 1024, 8192, 1 << 17 };

	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++) {
		for (size_t k = 0; k < LENGTH(lengths); k++)
			for (size_t kind = 0; kind < LENGTH(long_means); kind++) {
				struct problem p = long_mean(dtypes[i], lengths[k], kind);

				check_value(&p, FAST, long_means[kind], "mean of many");
				problem_free(&p);
			}
		check_long_means(dtypes[i], 1024);
		check_long_means(dtypes[i], 8192);
	}
	check_long_means_of_large();
}

/* Two elements at all distances: their mean and half of their difference, beside midpoints and on them. */
static void check_two(rstd_dtype dtype, rstd_dtype to, int gap)
{
	const int p = dtype_precision(dtype);
	/* all bits, the last one, half of those, and none */
	const double large[] = { ldexp(1, p) - 1, ldexp(1, p - 1) + 1, ldexp(1, p - 1) + ldexp(1, p / 2),
		                 ldexp(1, p - 1) };

	for (size_t i = 0; i < 16; i++)
		for (int minus = 0; minus < 2; minus++) {
			struct problem problem = problem_make(minus ? STD : MEAN, dtype, to, 2);

			set(&problem, i & 1, large[i / 4]);
			set(&problem, !(i & 1),
			    ldexp(i & 2 ? -large[(i + (size_t)gap) % 4] : large[(i + (size_t)gap) % 4], -gap));
			check(&problem, FAST, "two elements");
			problem_free(&problem);
		}
}

static void test_two_elements(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++)
		for (size_t j = 0; j < LENGTH(dtypes); j++) {
			const bool half = dtypes[i] == RSTD_F16;

			if (!half && dtypes[j] != dtypes[i] && dtypes[j] != RSTD_F32)
				continue;
			for (int gap = 0; gap < (half ? 24 : 80); gap++)
				check_two(dtypes[i], dtypes[j], gap);
		}
}

/* What is too small for binary64 to see still tells on which side of a midpoint of a shorter range a mean is. */
static void test_two_of_longer_range(void **state)
{
	struct problem p = problem_make(MEAN, RSTD_BF16, RSTD_F16, 2);

	(void)state;
	set(&p, 0, 0x3p-24);
	set(&p, 1, -0x1p-60);
	check_value(&p, FAST, 0x1p-24, "beside a midpoint of subnormals");
	set(&p, 1, -0x1p-100);
	check_value(&p, PRECISE, 0x1p-24, "beside a midpoint of subnormals");
	problem_free(&p);
}

/* Of three the two larger ones may cancel, and leave the one that rounding has taken. */
static void test_three_elements(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++) {
		struct problem p = problem_make(MEAN, dtypes[i], dtypes[i], 3);
		const bool half = dtypes[i] == RSTD_F16;

		set(&p, 0, half ? 0x1p15 : 0x1p60);
		set(&p, 1, half ? -0x1p15 : -0x1p60);
		set(&p, 2, 3);
		check_value(&p, half ? FAST : PRECISE, 1, "three elements");
		problem_free(&p);
	}
}

/* As many halves as are summed without rounding, of the largest and the least: means on midpoints and beside them. */
static void test_many_halves(void **state)
{
	static const size_t lengths[] = { 3, 5, 64, 1000, 4095, 4096 };

	(void)state;
	for (size_t j = 0; j < LENGTH(dtypes); j++)
		for (size_t k = 0; k < LENGTH(lengths); k++)
			for (int least = 0; least < 4; least++) {
				struct problem p = problem_make(MEAN, RSTD_F16, dtypes[j], lengths[k]);

				for (size_t i = 0; i < p.n; i++)
					set(&p, i, i % 3 == 1 && least & 2 ? -65504 : 65504 - 32 * (double)(i % 2));
				set(&p, p.n / 2, least & 1 ? 0x1p-24 : -0x1p-24);
				check(&p, FAST, "many halves");
				problem_free(&p);
			}
}

/* 1 / sqrt(1 / m^2) for one 1 among m^2 elements: m is an integer of p + 1 bits, so that bfloat16 has to do. */
static void test_ties_of_invstd(void **state)
{
	(void)state;
	for (int m = 257; m <= 259; m += 2) {
		struct problem p = problem_make(GIVEN_INVSTD, RSTD_BF16, RSTD_BF16, (size_t)(m * m));

		set(&p, (size_t)m, 1);
		check_value(&p, PRECISE, m == 257 ? 256 : 260, "tie of a reciprocal");
		problem_free(&p);
	}
}

/*
 * Nine integers with a sum of 3 and a sum of squares of 36 M^2 + 1: sqrt(S / 9) is 2 M = 2 (2^p + 1), a midpoint. Their
 * mean is 1/3, which no binary number is, but n S = n Q - T^2 needs no mean.
 */
static void test_ties_about_a_third(void **state)
{
	static const int largest[3][3] = {
		{ 50333084, 50329976, 156063 },
		{ 6176, 5996, 1215 },
		{ 796, 728, 159 },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++) {
		struct problem p = problem_make(STD, dtypes[i], dtypes[i], 9);

		for (size_t k = 0; k < 3; k++) {
			set(&p, 2 * k, largest[i][k]);
			set(&p, 2 * k + 1, -largest[i][k]);
			set(&p, 6 + k, 1);
		}
		/* the squares of these floats are too large for binary64 to be sure */
		check_value(&p, dtypes[i] == RSTD_F32 ? PRECISE : FAST, ldexp(2, dtype_precision(dtypes[i])),
		            "tie about a third");
		problem_free(&p);
	}
}

/* A tie of the mean whose differences round, since two elements are huge. They cancel. */
static void test_ties_beside_huge_elements(void **state)
{
	/* not of binary16: sums of its differences never round, so that level 1 always has the mean exactly */
	static const rstd_dtype wide[] = { RSTD_F32, RSTD_BF16 };

	(void)state;
	for (size_t i = 0; i < LENGTH(wide); i++)
		for (size_t j = 0; j < LENGTH(dtypes); j++) {
			const int precision = dtype_precision(dtypes[j]);
			struct problem p = problem_make(MEAN, wide[i], dtypes[j], 4);

			set(&p, 0, ldexp(4, precision));
			set(&p, 1, 4);
			set(&p, 2, 0x1p100);
			set(&p, 3, -0x1p100);
			check_value(&p, EXACT, ldexp(1, precision), "tie beside huge elements");
			problem_free(&p);
		}
}

/* ---- Beside a midpoint --------------------------------------------------------------------------------------- */

/*
 * Differences of 2^p + 1, a midpoint, and of b: sqrt(S) is b^2 / (2^p + 1)^2 / 2 above it. Level 0 sees that down to
 * about 2^-46 of S, and further where its sums are exact; level 1 sees all, as nothing else is so small.
 */
static void test_beside_a_difference(void **state)
{
	size_t reached[LEVELS] = { 0 };

	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++)
		for (int exponent = -3; exponent >= -149; exponent--) { /* of b / 2^p */
			const int precision = dtype_precision(dtypes[i]), e = precision + exponent;
			struct problem p;
			enum level level;

			if (e < dtype_least(dtypes[i]) || (exponent < -20 && exponent > -25))
				continue;
			p = problem_make(GIVEN_STD, dtypes[i], dtypes[i], 7);
			p.correction = 6;
			set(&p, 0, ldexp(1, precision) + 2);
			p.mean[0] = bits_from_double(dtypes[i], 1);
			set(&p, 6, ldexp(1, e));
			level = exponent >= -20 || open_level(&p) == FAST ? FAST : PRECISE;
			reached[level]++;
			if (exponent < -precision)
				check_value(&p, level, ldexp(1, precision) + 2, "beside a midpoint");
			else
				check(&p, level, "beside a midpoint");
			problem_free(&p);
		}
	assert_true(reached[FAST] > 10 && reached[PRECISE] > 10);
}

/* The mean of 2^(p + 2), 4, 0 and b is b / 4 above a midpoint. */
static void test_beside_a_mean(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++)
		for (size_t j = 0; j < LENGTH(dtypes); j++) {
			const int precision = dtype_precision(dtypes[j]);
			struct problem p = problem_make(MEAN, dtypes[i], dtypes[j], 4);

			if (precision + 2 >= 15 && dtypes[i] == RSTD_F16) {
				problem_free(&p);
				continue;
			}
			set(&p, 0, ldexp(4, precision));
			set(&p, 1, 4);
			set(&p, 3, ldexp(1, precision - 24));
			check_value(&p, FAST, ldexp(1, precision) + 2, "beside a midpoint");
			for (int e = precision - 55; e >= dtype_least(dtypes[i]); e -= 25) {
				set(&p, 3, ldexp(1, e));
				check_value(&p, open_level(&p), ldexp(1, precision) + 2, "beside a midpoint");
				set(&p, 3, -ldexp(1, e));
				check_value(&p, open_level(&p), ldexp(1, precision), "beside a midpoint");
			}
			problem_free(&p);
		}
}

/* The largest number of a dtype that is not above v > 0. */
static double at_most(rstd_dtype dtype, double v)
{
	uint32_t bits = bits_from_double(dtype, v);

	if (bits_to_double(dtype, bits) > v)
		bits--;
	return bits_to_double(dtype, bits);
}

/*
 * Elements whose squares sum up to S, or slightly less: each square takes off as much as it can of what is left, until
 * that is below 2^-closeness of S. About their own mean, the elements come in pairs of both signs. false if the dtype
 * is not fine enough.
 */
static bool fill_squares(struct problem *p, const mpfr_t s, int closeness)
{
	const size_t step = is_given(p) ? 1 : 2;
	mpfr_t left, square, end;
	bool done = false;

	mpfr_inits2(MPFR_BITS, left, square, end, NULL);
	mpfr_div_ui(left, s, step, MPFR_RNDN);
	mpfr_mul_2si(end, left, -closeness, MPFR_RNDN);
	for (size_t i = 0; i + step <= p->n && !(done = mpfr_cmp(left, end) < 0); i += step) {
		double element;

		mpfr_sqrt(square, left, MPFR_RNDD);
		element = at_most(p->dtype, mpfr_get_d(square, MPFR_RNDD));
		if (element == 0)
			break;
		set(p, i, element);
		if (step == 2)
			set(p, i + 1, -element);
		mpfr_set_d(square, element, MPFR_RNDN);
		mpfr_sqr(square, square, MPFR_RNDN);
		mpfr_sub(left, left, square, MPFR_RNDN);
	}
	done = done && mpfr_sgn(left) > 0;
	mpfr_clears(left, square, end, NULL);
	return done;
}

/* S for a result of exactly y. */
static void deviations_of(const struct problem *p, double y, mpfr_t s)
{
	mpfr_set_d(s, y, MPFR_RNDN);
	mpfr_sqr(s, s, MPFR_RNDN);
	if (p->result == STD || p->result == GIVEN_STD) {
		mpfr_mul_d(s, s, (double)p->n - (double)p->correction, MPFR_RNDN);
		return;
	}
	mpfr_ui_div(s, 1, s, MPFR_RNDN);
	mpfr_sub_d(s, s, (double)p->epsilon, MPFR_RNDN);
	mpfr_mul_d(s, s, (double)p->n, MPFR_RNDN);
}

/* How near to the midpoint S is: 2^-this of it. Level 0 sees the first one. */
static const int distances[] = { 20, 48, 60, 112, 130, 250 };

static size_t beside_midpoints[RESULTS][LEVELS];

/* Slices with S just below what a midpoint of the output's format has. */
static void check_beside_midpoint(enum result result, rstd_dtype dtype, rstd_dtype to)
{
	mpfr_t s;

	if (result == MEAN)
		return;
	mpfr_init2(s, MPFR_BITS);
	for (int k = 0; k < 120; k++) {
		const size_t d = (size_t)k % LENGTH(distances);
		struct problem p = problem_make(result, dtype, to, 48);
		/* binary16 has little room below: S as large as it can be */
		const int e = dtype != RSTD_F16 ? between(-8, 8) : result == STD || result == GIVEN_STD ? 11 : -8;
		const double significand = 1 + (floor(ldexp(fraction(), dtype_precision(to) - 1)) + 0.5) *
		                                       ldexp(1, 1 - dtype_precision(to));

		p.correction = (int64_t)(k / 4 % 2);
		p.epsilon = k / 8 % 2 ? 1e-6f : 0;
		if (k / 8 % 3 == 0 && d > 0 && dtype != RSTD_F16) /* S is much more than what is left */
			p.epsilon = -ldexpf(1, 12 - 2 * e);
		deviations_of(&p, ldexp(significand, e), s);
		if (fill_squares(&p, s, distances[d])) {
			const enum level level = d == 0 ? FAST : open_level(&p);

			beside_midpoints[result][check(&p, level, "just below a midpoint")]++;
		}
		problem_free(&p);
	}
	mpfr_clear(s);
}

/*
 * Rows that are long enough for rough sums, which leave open what is nearer than 2^-19; binary64 sees down to 2^-43. It
 * is level 0 that has settled it then.
 */
static void check_beside_roughly(enum result result, rstd_dtype dtype, rstd_dtype to)
{
	static const int steps[] = { 12, 22, 30, 48, 112 }; /* level 0 sees up to here: */
	const size_t seen = 3;
	mpfr_t s;

	if ((result != GIVEN_STD && result != GIVEN_INVSTD) || dtype == RSTD_F32)
		return;
	mpfr_init2(s, MPFR_BITS);
	for (int k = 0; k < 50; k++) {
		const size_t d = (size_t)k % LENGTH(steps);
		const int fraction_bits = dtype_precision(to) - 1,
			  odd = 2 * between(1 << fraction_bits, (2 << fraction_bits) - 1) + 1;
		struct problem p = problem_make(result, dtype, to, 300);

		deviations_of(&p, ldexp(odd, (result == GIVEN_STD ? 9 : -8) - fraction_bits), s);
		if (fill_squares(&p, s, steps[d]))
			check(&p, d < seen ? FAST : open_level(&p), "just below a midpoint, roughly");
		problem_free(&p);
	}
	mpfr_clear(s);
}

static void test_beside_midpoints_roughly(void **state)
{
	(void)state;
	for_each_combination(check_beside_roughly);
}

static void test_beside_midpoints(void **state)
{
	(void)state;
	for_each_combination(check_beside_midpoint);
	for (enum result result = STD; result < RESULTS; result++)
		for (enum level level = FAST; level < LEVELS; level++)
			assert_true(result == MEAN || beside_midpoints[result][level] >= 20);
}

/*
 * Few or many small elements beside one that is much larger, and whose square epsilon takes away: the result is that of
 * the small ones alone, each of which counts.
 */
static void test_small_beside_large(void **state)
{
	static const rstd_dtype wide[] = { RSTD_F32, RSTD_BF16 };
	static const size_t small[] = { 1, 5, 31, 127, 128, 129, 1000, SIZE_MAX };

	(void)state;
	for (size_t i = 0; i < LENGTH(wide); i++)
		for (size_t n = 32; n <= 8192; n *= 4)
			for (size_t k = 0; k < LENGTH(small); k++) {
				struct problem p = problem_make(GIVEN_INVSTD, wide[i], wide[i], n);
				const size_t large = next_random() % n;

				for (size_t j = 0; j < n && j < small[k]; j++) {
					const size_t at = small[k] == SIZE_MAX ? j : next_random() % n;

					p.x[at] = bits_from_double(wide[i], ldexp(fraction() - 0.5, -30));
					if (next_random() & 1)
						p.mean[at] = bits_from_double(wide[i], ldexp(fraction() - 0.5, -30));
				}
				set(&p, (large + 1) % n, 0x1p-35); /* something is left */
				set(&p, large, 0x1p40);
				p.mean[large] = 0;
				p.epsilon = -(float)(0x1p80 / (double)n);
				check(&p, EXACT, "small beside large");
				problem_free(&p);
			}
}

/* ---- Many open slices ------------------------------------------------------------------------------------------ */

#define OPEN_ROWS 150

/* Slice number r: next to a midpoint, more or less near, and about means of its own; some are plain. */
static struct problem open_row(enum result result, rstd_dtype dtype, size_t n, size_t r)
{
	const int precision = dtype_precision(dtype), exponent = precision - between(40, 100);
	const bool given = result == GIVEN_STD;
	struct problem p = problem_make(result, dtype, dtype, n);

	p.correction = given ? (int64_t)n - 1 : 0;
	if (r % 7 == 3) {
		set(&p, 0, (double)(r % 5));
		return p;
	}
	/* differences of 2^p + 1 and b about given means; else a sum of 4 (2^p + 1) and b, or half of a difference */
	set(&p, 0, given ? ldexp(1, precision) + 2 : ldexp(r % 2 ? 2 : 4, precision));
	if (given)
		p.mean[0] = bits_from_double(dtype, 1);
	else
		set(&p, 1, r % 2 ? -2 : 4);
	if (given && r % 3 == 1) {
		p.mean[n - 1] = p.x[0];
		p.x[n - 1] = p.mean[0];
		set(&p, 0, ldexp(1, exponent));
		p.mean[0] = 0;
	} else if (r % 4 > 0 && n > 2) {
		set(&p, n - 1, r % 4 == 1 ? ldexp(1, exponent) : -ldexp(1, exponent));
	}
	return p;
}

/* All rows at once, side by side (columns) or one after the other; each has its result, whatever the others are. */
static void check_open_rows(enum result result, rstd_dtype dtype, size_t n, bool columns)
{
	const size_t size = dtype_size(dtype);
	const int64_t shape[2] = { OPEN_ROWS, (int64_t)n }, out_shape[1] = { OPEN_ROWS };
	unsigned char *const x = xmalloc(OPEN_ROWS * n * size), *const mean = xmalloc(OPEN_ROWS * n * size),
			     *const out = xmalloc(OPEN_ROWS * size);
	uint32_t expected[OPEN_ROWS];
	rstd_tensor tx, tm, ty;
	rstd_level_counts counts;
	struct problem p;

	for (size_t r = 0; r < OPEN_ROWS; r++) {
		p = open_row(result, dtype, n, r);
		for (size_t i = 0; i < n; i++) {
			const size_t at = (columns ? i * OPEN_ROWS + r : r * n + i) * size;

			bits_store(dtype, x + at, p.x[i]);
			bits_store(dtype, mean + at, p.mean[i]);
		}
		expected[r] = right(&p);
		problem_free(&p);
	}
	p = (struct problem){ .result = result, .correction = result == GIVEN_STD ? (int64_t)n - 1 : 0 };
	assert_int_equal(rstd_tensor_contiguous(&tx, x, dtype, 2, shape), RSTD_OK);
	if (columns) {
		tx.strides[0] = 1;
		tx.strides[1] = OPEN_ROWS;
	}
	tm = tx;
	tm.data = mean;
	assert_int_equal(rstd_tensor_contiguous(&ty, out, dtype, 1, out_shape), RSTD_OK);
	for (size_t i = 0; rstd_isa_name(i); i++) {
		assert_int_equal(rstd_set_isa(rstd_isa_name(i)), RSTD_OK);
		rstd_reset_level_counts();
		assert_int_equal(call(&p, &tx, &tm, &ty), RSTD_OK);
		counts = counts_since_reset();
		for (size_t r = 0; r < OPEN_ROWS; r++)
			if (!bits_match(dtype, bits_load(dtype, out + r * size), expected[r]))
				fail_msg("%s of %s, slice %zu of %zu elements by %s: got %08" PRIx32
				         ", right is %08" PRIx32,
				         result_name[result], dtype_name(dtype), r, n, rstd_isa_name(i),
				         bits_load(dtype, out + r * size), expected[r]);
		assert_true(result != GIVEN_STD || n == 2 || counts.precise > OPEN_ROWS / 4);
		assert_true(result != MEAN || n != 4 || counts.precise > OPEN_ROWS / 4);
	}
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
	free(out);
	free(mean);
	free(x);
}

static void test_many_open_slices(void **state)
{
	static const enum result results[] = { STD, MEAN, GIVEN_STD };
	static const size_t lengths[] = { 2, 3, 4, 8, 23, 24, 100 };

	(void)state;
	for (size_t k = 0; k < LENGTH(results); k++)
		for (size_t i = 0; i < LENGTH(lengths); i++)
			for (int columns = 0; columns < 2; columns++) {
				check_open_rows(results[k], RSTD_F32, lengths[i], columns);
				check_open_rows(results[k], RSTD_BF16, lengths[i], columns);
			}
}

/* ---- Bad shifts ---------------------------------------------------------------------------------------------- */

/*
 * A first element so far from all the others that level 0 has no bits left; integers need no shift. Rows
 * of 8 elements with gaps, for long rows without might be summed about 0.
 */
static void test_bad_shift(void **state)
{
	static const struct {
		double first;
		size_t n;
		enum level level;
	} cases[] = { { 1, 1 << 18, FAST }, { 1e6, 1 << 20, PRECISE }, { 0x1p100, 1 << 20, PRECISE } };

	(void)state;
	for (size_t k = 0; k < LENGTH(cases); k++) {
		struct problem p = problem_make(STD, RSTD_F32, RSTD_F32, cases[k].n);
		uint32_t *const x = malloc(p.n / 8 * 9 * sizeof(*x)), expected;
		rstd_tensor tx = { x, RSTD_F32, 2, { (int64_t)p.n / 8, 8 }, { 9, 1 } }, ty;
		uint32_t y;

		assert_non_null(x);
		for (size_t i = 0; i < p.n; i++)
			p.x[i] = bits_from_double(RSTD_F32, i > 0 ? fraction() * 2 - 1 : cases[k].first);
		for (size_t i = 0; i < p.n; i++)
			x[i / 8 * 9 + i % 8] = p.x[i];
		expected = right(&p);
		assert_int_equal(rstd_tensor_contiguous(&ty, &y, RSTD_F32, 0, NULL), RSTD_OK);
		for (size_t i = 0; rstd_isa_name(i); i++) {
			rstd_level_counts counts;

			assert_int_equal(rstd_set_isa(rstd_isa_name(i)), RSTD_OK);
			rstd_reset_level_counts();
			assert_int_equal(rstd_std_mean(&tx, NULL, 0, p.correction, false, &ty, NULL), RSTD_OK);
			counts = counts_since_reset();
			assert_true(bits_match(RSTD_F32, y, expected));
			assert_int_equal(counts.fast, cases[k].level == FAST);
			assert_int_equal(counts.precise, cases[k].level == PRECISE);
			assert_int_equal(counts.exact, cases[k].level == EXACT);
		}
		assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
		free(x);
		problem_free(&p);
	}
}

/* ---- NaN, Inf, 0 / 0 ----------------------------------------------------------------------------------------- */

static void check_special(enum result result, rstd_dtype dtype, const double *x, int64_t correction, float epsilon,
                          double value, enum level level)
{
	const rstd_dtype to = result == INVSTD ? RSTD_F32 : dtype;
	struct problem p = problem_make(result, dtype, to, 2);
	uint32_t expected;

	for (size_t i = 0; i < 2; i++)
		p.x[i] = isnan(x[i])   ? dtype_nan(dtype)
		         : isinf(x[i]) ? dtype_inf(dtype) | (x[i] < 0 ? dtype_sign_bit(dtype) : 0)
		                       : bits_from_double(dtype, x[i]);
	p.correction = correction;
	p.epsilon = epsilon;
	expected = isnan(value)   ? dtype_nan(to)
	           : isinf(value) ? dtype_inf(to) | (value < 0 ? dtype_sign_bit(to) : 0)
	                          : bits_from_double(to, value);
	assert_true(bits_match(to, right(&p), expected));
	check(&p, level, "special");
	problem_free(&p);
}

/* What arithmetic settles counts as level 0; a variance that is 0 or negative only with epsilon needs level 2. */
static void test_specials(void **state)
{
	const double inf = (double)INFINITY, nan = (double)NAN;
	const struct {
		double x[2];
		enum result result;
		int64_t correction;
		double epsilon, value;
		enum level level;
	} cases[] = {
		{ { 1, nan }, STD, 1, 0, nan, FAST },
		{ { 1, inf }, STD, 1, 0, nan, FAST },
		{ { nan, 1 }, MEAN, 1, 0, nan, FAST },
		{ { 1, inf }, MEAN, 1, 0, inf, FAST },
		{ { -inf, 1 }, MEAN, 1, 0, -inf, FAST },
		{ { -inf, inf }, MEAN, 1, 0, nan, FAST },
		{ { 1, -inf }, INVSTD, 1, 1, nan, FAST },
		{ { 1, nan }, INVSTD, 1, 1, nan, FAST },
		{ { 1, -inf }, GIVEN_STD, 1, 0, inf, FAST },
		{ { 1, nan }, GIVEN_STD, 1, 0, nan, FAST },
		{ { inf, nan }, GIVEN_STD, 1, 0, nan, FAST },
		{ { 1, -inf }, GIVEN_INVSTD, 1, 1, 0, FAST },
		{ { 1, nan }, GIVEN_INVSTD, 1, 1, nan, FAST },
		/* divisor 0 */
		{ { 1, 3 }, STD, 2, 0, inf, FAST },
		{ { 3, 3 }, STD, 2, 0, nan, FAST },
		{ { 0, 3 }, GIVEN_STD, 9, 0, inf, FAST },
		{ { 0, 0 }, GIVEN_STD, 9, 0, nan, FAST },
		/* variances of 1 and 1/2 */
		{ { 1, 3 }, INVSTD, 1, nan, nan, FAST },
		{ { 1, 3 }, INVSTD, 1, inf, 0, FAST },
		{ { 1, 3 }, INVSTD, 1, -inf, nan, FAST },
		{ { 1, 3 }, INVSTD, 1, -1, inf, EXACT },
		{ { 1, 3 }, INVSTD, 1, -2, nan, EXACT },
		{ { 1, 3 }, INVSTD, 1, -0.75, 2, FAST },
		{ { 3, 3 }, INVSTD, 1, 0, inf, FAST },
		{ { 3, 3 }, INVSTD, 1, -1, nan, EXACT },
		{ { 0, 1 }, GIVEN_INVSTD, 1, -0.5, inf, EXACT },
		{ { 0, 1 }, GIVEN_INVSTD, 1, -0.75, nan, EXACT },
		{ { 0, 1 }, GIVEN_INVSTD, 1, nan, nan, FAST },
		{ { 0, 1 }, GIVEN_INVSTD, 1, -0.25, 2, FAST },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++)
		for (size_t k = 0; k < LENGTH(cases); k++)
			check_special(cases[k].result, dtypes[i], cases[k].x, cases[k].correction,
			              (float)cases[k].epsilon, cases[k].value, cases[k].level);
}

/* Both results at once are settled by the level that the harder one needs, and counted once. */
static void test_both_results(void **state)
{
	static const struct {
		float x[9];
		int64_t n, correction;
		float mean;
		enum level level;
	} cases[] = {
		{ { 1, 4 }, 2, 1, 2.5f, FAST },
		{ { 0x1p25f, -2 }, 2, 0, 16777215, FAST },     /* std is a tie */
		{ { 0x1p25f, 2 }, 2, 1, 0x1p24f, FAST },       /* mean is a tie */
		{ { 0x1p26f, 4, 0, 0 }, 4, 1, 0x1p24f, FAST }, /* again, of four */
		{ { 50333084, -50333084, 50329976, -50329976, 156063, -156063, 1, 1,
		    1 }, /* test_ties_about_a_third() */
		  9,
		  0,
		  0x1.555556p-2f,
		  PRECISE },
		{ { 7, 7 }, 2, 2, 7, FAST }, /* std is 0 / 0, and the mean is settled beside it */
		{ { 0x1p127f, 0x1p127f }, 2, 2, 0x1p127f, FAST },
	};

	(void)state;
	for (size_t i = 0; rstd_isa_name(i); i++)
		for (size_t k = 0; k < LENGTH(cases); k++) {
			float x[9], std, mean;
			rstd_tensor t[3];
			rstd_level_counts counts;

			memcpy(x, cases[k].x, sizeof(x));
			assert_int_equal(rstd_set_isa(rstd_isa_name(i)), RSTD_OK);
			assert_int_equal(rstd_tensor_contiguous(&t[0], x, RSTD_F32, 1, &cases[k].n), RSTD_OK);
			assert_int_equal(rstd_tensor_contiguous(&t[1], &std, RSTD_F32, 0, NULL), RSTD_OK);
			assert_int_equal(rstd_tensor_contiguous(&t[2], &mean, RSTD_F32, 0, NULL), RSTD_OK);
			rstd_reset_level_counts();
			assert_int_equal(rstd_std_mean(&t[0], NULL, 0, cases[k].correction, false, &t[1], &t[2]),
			                 RSTD_OK);
			counts = counts_since_reset();
			assert_true(mean == cases[k].mean);
			assert_int_equal(counts.fast, cases[k].level == FAST);
			assert_int_equal(counts.precise, cases[k].level == PRECISE);
			assert_int_equal(counts.exact, 0);
		}
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
}

/* ---- Ordinary data ------------------------------------------------------------------------------------------- */

enum data { NORMAL, UNIFORM, OFFSET, RELU, DATA };

static double ordinary(enum data data)
{
	/* the sum of 12 uniform numbers, less 6, is normal enough */
	double normal = -6;

	if (data == UNIFORM)
		return fraction();
	for (int i = 0; i < 12; i++)
		normal += fraction();
	return data == OFFSET ? 1e4 + 100 * normal : data == RELU ? fmax(normal, 0) : normal;
}

/* Few slices of ordinary data climb: what is on a midpoint, as means are more often than not, has exact sums. */
static void check_share_of(enum result result, rstd_dtype dtype, rstd_dtype to, size_t n)
{
	static const char *const name[DATA] = { "normal", "uniform", "offset", "ReLU" };
	const size_t rows = 40 * test_scale() + 1000;

	for (enum data data = NORMAL; data < DATA; data++) {
		const size_t size = dtype_size(dtype);
		const bool channels = result == INVSTD;
		const int64_t shape[2] = { (int64_t)(channels ? n : rows), (int64_t)(channels ? rows : n) };
		const int64_t out_shape[1] = { (int64_t)rows };
		const struct problem p = {
			.result = result, .dtype = dtype, .to = to, .correction = 1, .epsilon = 1e-5f
		};
		unsigned char *const x = xmalloc(rows * n * size), *const mean = xmalloc(size),
				     *const out = xmalloc(rows * 4);
		rstd_tensor tx, tm, ty;
		rstd_level_counts counts;

		for (size_t i = 0; i < rows * n; i++)
			bits_store(dtype, x + i * size, bits_from_double(dtype, ordinary(data)));
		bits_store(dtype, mean, bits_from_double(dtype, data == OFFSET ? 1e4 : 0.25));
		assert_int_equal(rstd_tensor_contiguous(&tx, x, dtype, 2, shape), RSTD_OK);
		assert_int_equal(rstd_tensor_contiguous(&tm, mean, dtype, 2, shape), RSTD_OK);
		tm.strides[0] = tm.strides[1] = 0;
		assert_int_equal(rstd_tensor_contiguous(&ty, out, to, 1, out_shape), RSTD_OK);
		rstd_reset_level_counts();
		assert_int_equal(call(&p, &tx, &tm, &ty), RSTD_OK);
		counts = counts_since_reset();
		assert_int_equal(counts.fast + counts.precise + counts.exact, rows);
		if ((counts.precise + counts.exact) * 1000 > rows)
			fail_msg("%s of %zu %s, %s: %" PRIu64 " and %" PRIu64 " of %zu slices climb",
			         result_name[result], n, dtype_name(dtype), name[data], counts.precise, counts.exact,
			         rows);
		free(out);
		free(mean);
		free(x);
	}
}

static void check_share(enum result result, rstd_dtype dtype, rstd_dtype to)
{
	static const size_t lengths[] = { 2, 3, 4, 8, 64, 201 };

	for (size_t i = 0; i < LENGTH(lengths) && (dtype == to || result == INVSTD); i++)
		check_share_of(result, dtype, to, lengths[i]);
}

static void test_share(void **state)
{
	(void)state;
	for_each_combination(check_share);
}

/* ---- What a level costs -------------------------------------------------------------------------------------- */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A slice with a standard deviation beside 2^24 + 1, about means, that this level settles. */
static struct problem costly(size_t n, enum level level)
{
	struct problem p = problem_make(GIVEN_STD, RSTD_F32, RSTD_F32, n);

	p.correction = (int64_t)n - 1;
	if (level == EXACT) {
		mpfr_t s;

		mpfr_init2(s, MPFR_BITS);
		deviations_of(&p, 0x1p24 + 1, s);
		assert_true(fill_squares(&p, s, 250));
		mpfr_clear(s);
		return p;
	}
	p.mean[0] = bits_from_double(RSTD_F32, 1);
	set(&p, 0, 0x1p24 + 2);
	set(&p, 1, ldexp(1, level == FAST ? 20 : -40));
	return p;
}

/* Prints it: time is no test. */
static void test_cost(void **state)
{
	static const size_t lengths[] = { 16, 64, 4096 };

	(void)state;
	for (size_t k = 0; k < LENGTH(lengths); k++)
		for (enum level level = FAST; level < LEVELS; level++) {
			const size_t rows = 400000 / lengths[k] * test_scale() / 100 + 1;
			struct problem p = costly(lengths[k], level);
			const int64_t shape[2] = { (int64_t)rows, (int64_t)p.n };
			uint32_t *const x = xmalloc(rows * p.n * sizeof(*x));
			float *const y = xmalloc(rows * sizeof(float));
			rstd_tensor tx, tm, ty;
			rstd_level_counts counts;
			double start;

			for (size_t r = 0; r < rows; r++)
				memcpy(x + r * p.n, p.x, p.n * sizeof(*x));
			assert_int_equal(rstd_tensor_contiguous(&tx, x, RSTD_F32, 2, shape), RSTD_OK);
			assert_int_equal(rstd_tensor_contiguous(&tm, p.mean, RSTD_F32, 2, shape), RSTD_OK);
			tm.strides[0] = 0;
			assert_int_equal(rstd_tensor_contiguous(&ty, y, RSTD_F32, 1, shape), RSTD_OK);
			assert_int_equal(rstd_set_num_threads(1), RSTD_OK);
			assert_int_equal(call(&p, &tx, &tm, &ty), RSTD_OK);
			rstd_reset_level_counts();
			start = seconds();
			assert_int_equal(call(&p, &tx, &tm, &ty), RSTD_OK);
			start = seconds() - start;
			counts = counts_since_reset();
			assert_true((level == FAST      ? counts.fast
			             : level == PRECISE ? counts.precise
			                                : counts.exact) == rows);
			print_message("level %d, %zu elements: %.0f ns a slice\n", (int)level, p.n,
			              start * 1e9 / (double)rows);
			free(y);
			free(x);
			problem_free(&p);
		}
	assert_int_equal(rstd_set_num_threads(0), RSTD_OK);
}

/* ---- Zero ---------------------------------------------------------------------------------------------------- */

/* A NaN has the same bits whatever makes it. */
static void test_bits_of_nan(void **state)
{
	const uint32_t payload = 0xFFC12345;
	float x[6] = { 1, 2, 3, 4, 5, 6 }, y[2];
	const int64_t n = 6, none = 0, one = 1, channel[2] = { 6, 1 };
	rstd_tensor tx, ty, tc, c0, c1;
	uint32_t bits[2];

	(void)state;
	assert_int_equal(rstd_tensor_contiguous(&ty, y, RSTD_F32, 0, NULL), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&tc, x, RSTD_F32, 2, channel), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&c0, &y[0], RSTD_F32, 1, &one), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&c1, &y[1], RSTD_F32, 1, &one), RSTD_OK);
	for (size_t i = 0; rstd_isa_name(i); i++) {
		assert_int_equal(rstd_set_isa(rstd_isa_name(i)), RSTD_OK);
		/* no elements, 0 / 0, a negative variance with epsilon, and NaN in the data */
		assert_int_equal(rstd_tensor_contiguous(&tx, x, RSTD_F32, 1, &none), RSTD_OK);
		assert_int_equal(rstd_std_mean(&tx, NULL, 0, 1, false, &ty, NULL), RSTD_OK);
		memcpy(bits, y, sizeof(bits[0]));
		assert_int_equal(bits[0], 0x7FC00000);
		assert_int_equal(rstd_tensor_contiguous(&tx, x, RSTD_F32, 1, &one), RSTD_OK);
		assert_int_equal(rstd_std_mean(&tx, NULL, 0, 1, false, &ty, NULL), RSTD_OK);
		memcpy(bits, y, sizeof(bits[0]));
		assert_int_equal(bits[0], 0x7FC00000);
		assert_int_equal(rstd_batch_norm_stats(&tc, -1e9, &c0, &c1), RSTD_OK);
		memcpy(bits, y, sizeof(bits));
		assert_int_equal(bits[1], 0x7FC00000);
		memcpy(&x[3], &payload, sizeof(payload));
		assert_int_equal(rstd_tensor_contiguous(&tx, x, RSTD_F32, 1, &n), RSTD_OK);
		assert_int_equal(rstd_reduce_std_with_mean(&tx, &tx, NULL, &ty), RSTD_OK);
		memcpy(bits, y, sizeof(bits[0]));
		assert_int_equal(bits[0], 0x7FC00000);
		x[3] = 4;
	}
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
}

/* A mean that rounds to zero has the same bits from every level and from moments. */
static void test_sign_of_zero(void **state)
{
	static const struct {
		float x[3];
		int64_t n;
	} slices[] = { { { -0x1p-149f, 0, 0 }, 3 }, { { -0x1p-149f, 0, 0 }, 2 }, { { -0.0f, -0.0f, -0.0f }, 3 } };

	(void)state;
	for (size_t k = 0; k < LENGTH(slices); k++) {
		float x[3], mean, from_moments;
		rstd_moments moments = { 0 };
		rstd_tensor tx, tm;

		memcpy(x, slices[k].x, sizeof(x));
		assert_int_equal(rstd_tensor_contiguous(&tx, x, RSTD_F32, 1, &slices[k].n), RSTD_OK);
		assert_int_equal(rstd_tensor_contiguous(&tm, &mean, RSTD_F32, 0, NULL), RSTD_OK);
		assert_int_equal(rstd_std_mean(&tx, NULL, 0, 1, false, NULL, &tm), RSTD_OK);
		assert_int_equal(rstd_moments_update(&moments, 1, &tx, NULL, 0), RSTD_OK);
		assert_int_equal(rstd_moments_mean(&moments, 1, RSTD_F32, &from_moments), RSTD_OK);
		assert_memory_equal(&mean, &from_moments, sizeof(mean));
		assert_false(signbit(mean));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_sign_of_zero),
		cmocka_unit_test(test_bits_of_nan),
		cmocka_unit_test(test_ties_of_std),
		cmocka_unit_test(test_ties_of_mean),
		cmocka_unit_test(test_ties_of_long_means),
		cmocka_unit_test(test_two_elements),
		cmocka_unit_test(test_two_of_longer_range),
		cmocka_unit_test(test_three_elements),
		cmocka_unit_test(test_many_halves),
		cmocka_unit_test(test_ties_of_invstd),
		cmocka_unit_test(test_ties_about_a_third),
		cmocka_unit_test(test_ties_beside_huge_elements),
		cmocka_unit_test(test_beside_a_difference),
		cmocka_unit_test(test_beside_a_mean),
		cmocka_unit_test(test_beside_midpoints),
		cmocka_unit_test(test_beside_midpoints_roughly),
		cmocka_unit_test(test_small_beside_large),
		cmocka_unit_test(test_many_open_slices),
		cmocka_unit_test(test_bad_shift),
		cmocka_unit_test(test_specials),
		cmocka_unit_test(test_both_results),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
