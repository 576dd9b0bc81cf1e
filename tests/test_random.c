/*
 * test_random.c - random slices against the exact reference, and some of those against MPFR
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * At least 10^6 outputs, of all operators and dtypes, on random instruction sets, thread counts and layouts. Every
 * batch has a theme: ordinary numbers, any bit pattern, exact ties and their neighbours, and so on.
 *
 * usage: test_random [SECONDS [SEED]]
 *
 * SECONDS (or the environment variable RSTD_TEST_LONG) asks to go on for that long; SEED (or RSTD_TEST_SEED) repeats a
 * run: batch k of a seed is always the same. RSTD_TEST_SCALE is a percentage of the default number of outputs.
 */
#define _POSIX_C_SOURCE 199309L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "operator.h"
#include "reference.h"

#define DEFAULT_OUTPUTS 2000000
#define DEFAULT_SEED    20240229
#define MAX_FAILURES    20
#define MAX_ELEMENTS    8000 /* in a batch of several slices */
#define MAX_LENGTH      40000
#define MPFR_EVERY      40  /* slices */
#define MPFR_LENGTH     400 /* longer slices are left to the reference */

static uint64_t long_seconds, seed;

static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state += 0x9E3779B97F4A7C15U;
	return splitmix64(random_state);
}

/* From 0 to bound - 1. */
static uint64_t below(uint64_t bound)
{
	return next_random() % bound;
}

static int between(int low, int high)
{
	return low + (int)below((uint64_t)(high - low + 1));
}

static const rstd_dtype dtypes[3] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

static rstd_dtype random_dtype(void)
{
	return dtypes[below(3)];
}

/* ---- Batches ------------------------------------------------------------------------------------------------- */

enum theme {
	THEME_ORDINARY,  /* full precision within a few binades */
	THEME_OFFSET,    /* far from zero, close together */
	THEME_PATTERNS,  /* any finite bit pattern */
	THEME_INTEGERS,  /* small ones: many ties */
	THEME_FEW,       /* two or three different values */
	THEME_NEARLY,    /* constant but for one or two elements, a few ulps off */
	THEME_SUBNORMAL, /* least subnormals and their multiples */
	THEME_HUGE,      /* next to the largest finite number */
	THEME_CANCEL,    /* pairs x, -x and something small */
	THEME_SPECIAL,   /* now and then an Inf or a NaN */
	THEME_TIE,       /* std exactly between two numbers of the format, or beside */
	THEMES
};

/* Slices one after the other: slice i has the n elements from i * n. */
struct batch {
	struct test_case c;
	enum theme theme;
	size_t n, slices;
	uint32_t *x, *mean; /* mean is NULL unless the operator takes one */
	uint32_t *expected[2];
};

static uint32_t random_sign(rstd_dtype dtype)
{
	return next_random() & 1 ? dtype_sign_bit(dtype) : 0;
}

static uint32_t random_finite(rstd_dtype dtype)
{
	return random_sign(dtype) | (uint32_t)below(dtype_inf(dtype));
}

/* A random significand with an exponent from low to high, or what the format makes of it. */
static uint32_t random_normal(rstd_dtype dtype, int low, int high)
{
	const int top = dtype == RSTD_F16 ? 14 : 126;
	int e = between(low, high);

	e = e > top ? top : e;
	return random_sign(dtype) | bits_from_double(dtype, ldexp(1 + (double)below(1U << 24) * 0x1p-24, e));
}

/* bits some ulps away, still finite. */
static uint32_t ulps_away(rstd_dtype dtype, uint32_t bits, int ulps)
{
	const uint32_t sign = bits & dtype_sign_bit(dtype), magnitude = bits ^ sign;
	const int64_t moved = (int64_t)magnitude + ulps;

	if (moved < 0)
		return (sign ^ dtype_sign_bit(dtype)) | (uint32_t)-moved;
	return sign | (moved < dtype_inf(dtype) ? (uint32_t)moved : dtype_inf(dtype) - 1);
}

static void fill_ordinary(rstd_dtype dtype, uint32_t *x, size_t n)
{
	const int range = dtype == RSTD_F16 ? 8 : 60, low = between(-range, range), width = between(0, 6);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = random_normal(dtype, low, low + width);
}

static void fill_offset(rstd_dtype dtype, uint32_t *x, size_t n)
{
	const uint32_t base = random_normal(dtype, -10, 10);
	const int spread = 1 << between(0, 8);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = ulps_away(dtype, base, between(-spread, spread));
}

static void fill_few(rstd_dtype dtype, uint32_t *x, size_t n)
{
	const uint32_t values[3] = { random_normal(dtype, -3, 3), random_normal(dtype, -6, 6), random_finite(dtype) };
	const unsigned kinds = 2 + (unsigned)below(2);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = values[below(kinds)];
}

static void fill_nearly(rstd_dtype dtype, uint32_t *x, size_t n)
{
	const uint32_t value = next_random() & 1 ? random_finite(dtype) : random_normal(dtype, -3, 3);
	int changes = between(0, 3);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = value;
	while (changes-- > 0)
		x[below(n)] = ulps_away(dtype, value, between(-3, 3));
}

static void fill_cancel(rstd_dtype dtype, uint32_t *x, size_t n)
{
	size_t i;

	for (i = 0; i + 1 < n; i += 2) {
		x[i] = random_normal(dtype, 0, 8);
		x[i + 1] = x[i] ^ dtype_sign_bit(dtype);
	}
	if (i < n)
		x[i] = random_finite(dtype);
	x[below(n)] = random_normal(dtype, -20, 0);
}

static void fill_special(rstd_dtype dtype, uint32_t *x, size_t n)
{
	fill_ordinary(dtype, x, n);
	if (below(3) == 0)
		x[below(n)] = random_sign(dtype) | dtype_inf(dtype);
	if (below(6) == 0)
		x[below(n)] = random_sign(dtype) | dtype_inf(dtype);
	if (below(6) == 0)
		x[below(n)] = random_sign(dtype) | (uint32_t)(dtype_inf(dtype) + 1 + below(dtype_inf(dtype) / 512));
}

static void fill(enum theme theme, rstd_dtype dtype, uint32_t *x, size_t n)
{
	const int small = between(1, 12);
	size_t i;

	switch (theme) {
	case THEME_OFFSET:
		fill_offset(dtype, x, n);
		return;
	case THEME_FEW:
		fill_few(dtype, x, n);
		return;
	case THEME_NEARLY:
		fill_nearly(dtype, x, n);
		return;
	case THEME_CANCEL:
		fill_cancel(dtype, x, n);
		return;
	case THEME_SPECIAL:
		fill_special(dtype, x, n);
		return;
	case THEME_ORDINARY:
		fill_ordinary(dtype, x, n);
		return;
	default:
		break;
	}
	for (i = 0; i < n; i++) {
		if (theme == THEME_PATTERNS)
			x[i] = random_finite(dtype);
		else if (theme == THEME_INTEGERS)
			x[i] = bits_from_double(dtype, between(-small, small));
		else if (theme == THEME_SUBNORMAL)
			x[i] = random_sign(dtype) | (uint32_t)below(1U << small);
		else
			x[i] = random_sign(dtype) | (dtype_inf(dtype) - 1 - (uint32_t)below(1U << small));
	}
}

/* Swaps every element with a random one at or before it. */
static void shuffle(uint32_t *x, uint32_t *mean, size_t n)
{
	uint32_t t;
	size_t i, j;

	for (i = n; i-- > 1;) {
		j = below(i + 1);
		t = x[i], x[i] = x[j], x[j] = t;
		if (mean)
			t = mean[i], mean[i] = mean[j], mean[j] = t;
	}
}

/* a^2 + b^2 = c^2 with c odd and of p + 1 bits, a and b of at most p: sqrt(a^2 + b^2) is a midpoint. */
static void random_triple(rstd_dtype dtype, uint64_t *a, uint64_t *b)
{
	const int p = dtype_precision(dtype);
	const uint64_t limit = (uint64_t)1 << p, root = (uint64_t)sqrt((double)(2 * limit));
	uint64_t m, n;

	do {
		m = root / 2 + below(root / 2 + 1);
		n = 1 + below(m - 1);
		*a = m * m - n * n;
		*b = 2 * m * n;
	} while ((m + n) % 2 == 0 || *a >= limit || *b >= 2 * limit || m * m + n * n < limit ||
	         m * m + n * n >= 2 * limit);
}

/* A slice whose std, with the correction that choose_attributes() gave the batch, is a tie or close to one. */
static void fill_tie(const struct batch *b, uint32_t *x, uint32_t *mean)
{
	const rstd_dtype dtype = b->c.dtype;
	const int e = dtype == RSTD_F16 ? between(-2, 2) : between(-40, 40);
	const bool hair = below(3) > 0;
	uint64_t a, c;

	random_triple(dtype, &a, &c);
	memset(x, 0, b->n * sizeof(*x));
	x[0] = bits_from_double(dtype, ldexp((double)a, e));
	x[1] = bits_from_double(dtype, ldexp((double)c, e));
	if (mean) {
		memset(mean, 0, b->n * sizeof(*mean));
		if (hair)
			mean[below(b->n)] = random_sign(dtype) | (uint32_t)(1 + below(3));
	} else {
		x[2] = x[0] ^ dtype_sign_bit(dtype);
		x[3] = x[1] ^ dtype_sign_bit(dtype);
		if (hair && b->n > 4)
			x[4] = random_sign(dtype) | (uint32_t)(1 + below(1000));
	}
	shuffle(x, mean, b->n);
}

/* A given mean: the true one, or close to it, or of no relation; sometimes one for all elements. */
static void fill_mean(const struct batch *b, struct ref_sums *sums, const uint32_t *x, uint32_t *mean)
{
	const unsigned kind = (unsigned)below(6);
	const uint32_t value = random_normal(b->c.dtype, -4, 4);
	uint32_t own = 0;
	size_t i;

	ref_slice(sums, b->c.dtype, x, NULL, b->n);
	own = ref_mean(sums, b->c.dtype);
	if (kind == 1 && bits_is_finite(b->c.dtype, own))
		own = ulps_away(b->c.dtype, own, between(-3, 3));
	for (i = 0; i < b->n; i++) {
		if (kind < 2)
			mean[i] = own;
		else if (kind == 2)
			mean[i] = 0;
		else if (kind == 3)
			mean[i] = value;
		else if (kind == 4)
			mean[i] = below(b->n) < 2 ? random_finite(b->c.dtype) : x[i];
		else
			mean[i] = random_normal(b->c.dtype, -8, 8);
	}
}

static size_t random_length(void)
{
	const uint64_t r = below(100);

	if (r < 60)
		return (size_t)between(1, 20);
	if (r < 90)
		return (size_t)between(20, 200);
	return (size_t)(r < 98 ? between(200, 2000) : between(2000, MAX_LENGTH));
}

static float random_epsilon(void)
{
	static const float values[] = { 0, 0.001F, 1e-5F, 1, 1e-12F, 0x1p-149F, 0x1p100F, -0x1p-149F, -1, -1e-3F };
	float f;
	uint32_t bits;

	if (below(3))
		return values[below(sizeof(values) / sizeof(*values))];
	bits = (uint32_t)next_random();
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void choose_attributes(struct batch *b)
{
	struct test_case *c = &b->c;

	b->theme = (enum theme)below(THEMES);
	c->op = (enum case_op)below(4);
	if (b->theme == THEME_TIE)
		c->op = below(2) ? OP_STD_MEAN : OP_REDUCE_STD_WITH_MEAN;
	c->dtype = c->mean_dtype = random_dtype();
	c->out_dtype[0] = c->out_dtype[1] = c->dtype;
	if ((c->op == OP_STD || c->op == OP_STD_MEAN) && b->theme != THEME_TIE && below(3) == 0) {
		c->out_dtype[0] = random_dtype();
		c->out_dtype[1] = random_dtype();
	}
	if (c->op == OP_BATCH_NORM_STATS)
		c->out_dtype[0] = c->out_dtype[1] = RSTD_F32;
	c->out_count = c->op == OP_STD_MEAN || c->op == OP_BATCH_NORM_STATS ? 2 : 1;
	c->unbiased = below(8) > 0 || b->theme == THEME_TIE;
	c->invert = c->op == OP_REDUCE_STD_WITH_MEAN && b->theme != THEME_TIE && below(2);
	c->epsilon = (double)random_epsilon();
	c->correction = below(8) ? (int64_t)below(2) : (int64_t)below(b->n + 3);
	if (b->theme == THEME_TIE) {
		b->n += 4;
		c->correction = (int64_t)b->n - (c->op == OP_STD_MEAN ? 2 : 1);
	}
}

/* The shape [slices, n] reduced over axis 1, or for BatchNormStats [n, slices] with the slices as channels. */
static void choose_shape(struct batch *b)
{
	struct test_case *c = &b->c;
	const bool bn = c->op == OP_BATCH_NORM_STATS;

	b->slices = 1 + below(1 + MAX_ELEMENTS / b->n / (1 + below(20)));
	c->shape.rank = 2;
	c->shape.len[bn] = (int64_t)b->slices;
	c->shape.len[!bn] = (int64_t)b->n;
	c->dims[0] = 1;
	c->dim_count = 1;
	c->out_shape.rank = 1;
	c->out_shape.len[0] = (int64_t)b->slices;
}

static void expect(const struct batch *b, const struct ref_sums *sums, size_t slice)
{
	const struct test_case *c = &b->c;
	const int64_t correction = c->unbiased || c->op != OP_REDUCE_STD_WITH_MEAN ? c->correction : 0;
	const uint64_t divisor = ref_divisor(b->n, correction);

	if (c->op == OP_BATCH_NORM_STATS) {
		b->expected[0][slice] = ref_mean(sums, RSTD_F32);
		b->expected[1][slice] = ref_invstd(sums, (float)c->epsilon, RSTD_F32);
		return;
	}
	b->expected[0][slice] = c->invert ? ref_invstd(sums, (float)c->epsilon, c->out_dtype[0])
	                                  : ref_std(sums, divisor, c->out_dtype[0]);
	if (c->op == OP_STD_MEAN)
		b->expected[1][slice] = ref_mean(sums, c->out_dtype[1]);
}

/* Whether MPFR has the same answer for a slice. True for slices that are not for it. */
static bool mpfr_agrees(const struct batch *b, size_t slice)
{
	const struct test_case *c = &b->c;
	const uint32_t *x = b->x + slice * b->n, *mean = b->mean ? b->mean + slice * b->n : NULL;
	const float epsilon = (float)c->epsilon;
	const size_t root = c->op == OP_BATCH_NORM_STATS; /* the output that is a root */
	const bool invert = c->invert || c->op == OP_BATCH_NORM_STATS;
	uint32_t bits;
	size_t i;

	if (b->n > MPFR_LENGTH || (invert && !isfinite(epsilon)))
		return true;
	for (i = 0; i < b->n; i++)
		if (!bits_is_finite(c->dtype, x[i]) || (mean && !bits_is_finite(c->dtype, mean[i])))
			return true;
	if (invert)
		bits = ref_mpfr_invstd(c->dtype, x, mean, b->n, epsilon, c->out_dtype[root]);
	else
		bits = ref_mpfr_std(c->dtype, x, mean, b->n,
		                    ref_divisor(b->n, c->unbiased || !mean ? c->correction : 0), c->out_dtype[0]);
	if (!bits_match(c->out_dtype[root], bits, b->expected[root][slice]))
		return false;
	return c->out_count < 2 ||
	       bits_match(c->out_dtype[!root], ref_mpfr_mean(c->dtype, x, b->n, c->out_dtype[!root]),
	                  b->expected[!root][slice]);
}

static void batch_make(struct batch *b, uint64_t batch_seed)
{
	struct ref_sums sums;
	uint32_t *x, *mean;
	size_t i, k;

	random_state = batch_seed;
	memset(b, 0, sizeof(*b));
	b->n = random_length();
	choose_attributes(b);
	choose_shape(b);
	b->x = xmalloc(b->slices * b->n * sizeof(*b->x));
	if (b->c.op == OP_REDUCE_STD_WITH_MEAN)
		b->mean = xmalloc(b->slices * b->n * sizeof(*b->mean));
	for (k = 0; k < 2; k++)
		b->expected[k] = xmalloc(b->slices * sizeof(**b->expected));
	ref_init(&sums);
	for (i = 0; i < b->slices; i++) {
		x = b->x + i * b->n;
		mean = b->mean ? b->mean + i * b->n : NULL;
		if (b->theme == THEME_TIE) {
			fill_tie(b, x, mean);
		} else {
			fill(b->theme, b->c.dtype, x, b->n);
			if (mean)
				fill_mean(b, &sums, x, mean);
		}
		ref_slice(&sums, b->c.dtype, x, mean, b->n);
		expect(b, &sums, i);
	}
	ref_clear(&sums);
}

static void batch_free(struct batch *b)
{
	free(b->x);
	free(b->mean);
	free(b->expected[0]);
	free(b->expected[1]);
}

/* ---- The library's answer ------------------------------------------------------------------------------------ */

/* Slices to a tensor in the row-major order of its shape. */
static void write_slices(const struct batch *b, struct view *v, const uint32_t *bits)
{
	uint32_t *turned;
	size_t i, j;

	if (b->c.op != OP_BATCH_NORM_STATS) {
		view_write(v, bits);
		return;
	}
	turned = xmalloc(b->n * b->slices * sizeof(*turned));
	for (i = 0; i < b->slices; i++)
		for (j = 0; j < b->n; j++)
			turned[j * b->slices + i] = bits[i * b->n + j];
	view_write(v, turned);
	free(turned);
}

static void describe_failure(const struct batch *b, uint64_t batch_seed, size_t k, size_t slice, uint32_t got)
{
	const rstd_dtype dtype = b->c.dtype;
	char text[300];
	size_t i;

	operator_describe(&b->c, text, sizeof(text));
	print_error("batch seed %" PRIu64
	            ", %s, theme %d, %s, %d threads: output %zu of slice %zu: expected %x, got %x\n"
	            "  x:",
	            batch_seed, text, (int)b->theme, rstd_get_isa(), rstd_get_num_threads(), k, slice,
	            b->expected[k][slice], got);
	for (i = 0; i < b->n && i < 12; i++)
		print_error(" %a", bits_to_double(dtype, b->x[slice * b->n + i]));
	if (b->mean) {
		print_error("\n  mean:");
		for (i = 0; i < b->n && i < 12; i++)
			print_error(" %a", bits_to_double(dtype, b->mean[slice * b->n + i]));
	}
	print_error("\n");
}

/* The number of wrong outputs. */
static size_t batch_check(const struct batch *b, uint64_t batch_seed, size_t isas)
{
	static const struct layout layouts[] = {
		{ .name = "contiguous" },
		{ .name = "contiguous" },
		{ .name = "reversed", .order = AXES_REVERSED },
		{ .name = "reversed", .order = AXES_REVERSED },
		{ .name = "padded", .pad = 3 },
		{ .name = "negative", .order = AXES_REVERSED, .negative = ~0U },
		{ .name = "gaps", .gap = 1 },
	};
	const struct layout *layout = &layouts[below(sizeof(layouts) / sizeof(*layouts))];
	struct view x, mean = { 0 }, out[2];
	const rstd_tensor *const outs[2] = { &out[0].tensor, &out[1].tensor };
	uint32_t *got = xmalloc(b->slices * sizeof(*got));
	size_t k, i, wrong = 0;
	rstd_status status;

	rstd_set_isa(rstd_isa_name(below(isas)));
	rstd_set_num_threads(between(1, 3));
	view_make(&x, layout, b->c.dtype, &b->c.shape, 0, INPUT_POISON, 0);
	write_slices(b, &x, b->x);
	if (b->mean) {
		view_make(&mean, layout, b->c.dtype, &b->c.shape, 0, INPUT_POISON, 0);
		write_slices(b, &mean, b->mean);
	}
	for (k = 0; k < b->c.out_count; k++)
		view_make(&out[k], &layouts[0], b->c.out_dtype[k], &b->c.out_shape, 0, OUTPUT_POISON, 0);
	status = operator_call(&b->c, &x.tensor, b->mean ? &mean.tensor : NULL, outs);
	if (status != RSTD_OK) {
		print_error("batch seed %" PRIu64 ": status %d: %s\n", batch_seed, (int)status, rstd_last_error());
		wrong++;
	}
	for (k = 0; status == RSTD_OK && k < b->c.out_count; k++) {
		view_read(&out[k], got);
		for (i = 0; i < b->slices; i++) {
			if (bits_match(b->c.out_dtype[k], got[i], b->expected[k][i]))
				continue;
			if (wrong++ == 0)
				describe_failure(b, batch_seed, k, i, got[i]);
		}
	}
	for (k = 0; k < b->c.out_count; k++)
		view_free(&out[k]);
	view_free(&mean);
	view_free(&x);
	free(got);
	return wrong;
}

/* ---- The test ------------------------------------------------------------------------------------------------ */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void test_random_slices(void **state)
{
	const uint64_t goal = (uint64_t)DEFAULT_OUTPUTS * test_scale() / 100;
	const double start = seconds();
	uint64_t outputs = 0, checked = 0, slices = 0, batches = 0, batch_seed;
	size_t wrong = 0, failures = 0, isas = 0, i;
	rstd_level_counts levels;
	struct batch b;

	(void)state;
	while (rstd_isa_name(isas))
		isas++;
	print_message("seed %" PRIu64 "\n", seed);
	rstd_reset_level_counts();
	while (failures < MAX_FAILURES && (long_seconds ? seconds() - start < (double)long_seconds : outputs < goal)) {
		batch_seed = splitmix64(seed + batches++);
		batch_make(&b, batch_seed);
		for (i = 0; i < b.slices; i++) {
			if (slices++ % MPFR_EVERY)
				continue;
			checked++;
			if (!mpfr_agrees(&b, i)) {
				print_error("batch seed %" PRIu64 ", slice %zu: MPFR has another answer\n", batch_seed,
				            i);
				failures++;
			}
		}
		i = batch_check(&b, batch_seed, isas);
		wrong += i;
		failures += i > 0;
		outputs += b.slices * b.c.out_count;
		batch_free(&b);
	}
	rstd_set_isa(NULL);
	rstd_set_num_threads(0);
	assert_int_equal(rstd_get_level_counts(&levels), RSTD_OK);
	print_message("%" PRIu64 " outputs in %" PRIu64 " batches, %" PRIu64 " slices put to MPFR, %zu wrong, %.1f s; "
	              "settled at levels 0, 1, 2: %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
	              outputs, batches, checked, wrong, seconds() - start, levels.fast, levels.precise, levels.exact);
	assert_int_equal(wrong, 0);
	assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_slices),
	};

	long_seconds = argc > 1 ? strtoull(argv[1], NULL, 10) : test_number("RSTD_TEST_LONG", 0);
	seed = argc > 2 ? strtoull(argv[2], NULL, 10) : test_number("RSTD_TEST_SEED", DEFAULT_SEED);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
