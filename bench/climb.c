/*
 * climb.c - what slices cost that fast sums leave open, beside ordinary ones of the same shape
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ordinary ones are constant, and so never open.
 */
#include "climb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "data.h"
#include "jobs.h"
#include "measure.h"
#include "widen.h"

/* Elements of a job, so many that they stay in the second cache of most machines. */
#define ELEMENTS ((size_t)1 << 16)

/*
 * Slices that were made to be open. About a mean of 1, 0, 0, ..., with a divisor of 1, the result of the first element
 * 2^24 + 2 alone is 2^24 + 1, in the middle between two floats; another element b puts it just above.
 */
enum climb_kind {
	CLIMB_CONSTANT,
	CLIMB_NORMAL,   /* standard deviations and means of normal data */
	CLIMB_INTEGERS, /* the same of integers from 0 to 7 */
	CLIMB_TIES,     /* b = 0 */
	CLIMB_NEAR,     /* b = 2^-10: the sum has 69 bits */
	CLIMB_FAR,      /* b = 2^-40: 129 bits */
	CLIMB_WIDE,     /* many small elements, of all sizes from 2^-20 to 2^-120 */
	CLIMB_MEANS,    /* the same about such means: differences have more bits than fit in binary64 */
	CLIMB_INVERSE,  /* reciprocals, about means of 0: see fill_inverse() */
	CLIMB_KINDS,
};

static const char *const kind_names[CLIMB_KINDS] = { "constant", "normal", "integers", "ties",   "near ties",
	                                             "far ties", "wide",   "means",    "inverse" };

/* One kind of slices of n elements: what a contender runs. */
struct climb {
	enum climb_kind kind;
	rstd_dtype dtype;
	bool about_mean, invert;
	size_t n, rows;
	void *x;
	float *mean, *results;
	rstd_plan *plan;
};

static uint32_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

static float of_any_size(uint64_t *state)
{
	return ldexpf((float)(next(state) & 0xffffff), -20 - (int)(next(state) % 100) - 24);
}

static float element(const struct climb *c, size_t i, uint64_t *state)
{
	static const int exponent[CLIMB_KINDS] = { [CLIMB_NEAR] = -10, [CLIMB_FAR] = -40 };

	if (c->kind == CLIMB_CONSTANT)
		return 1;
	if (c->kind == CLIMB_INTEGERS)
		return (float)(next(state) & 7);
	if (i == 0)
		return 0x1p24f + 2;
	if (c->kind == CLIMB_WIDE || c->kind == CLIMB_MEANS)
		return of_any_size(state);
	return i == 1 && c->kind != CLIMB_TIES ? ldexpf(1, exponent[c->kind]) : 0;
}

/* The integer square root. */
static uint64_t root_of(unsigned __int128 v)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 63; bit > 0; bit >>= 1)
		if ((unsigned __int128)(root | bit) * (root | bit) <= v)
			root |= bit;
	return root;
}

/* Elements of a slice whose squares are what 1 / sqrt(S / n) = 1 + 2^-24, a midpoint, asks for, or just below it. */
#define INVERSE_ELEMENTS 4

/*
 * Each takes off what it can of the rest of S = n 2^48 / m^2, m = 2^24 + 1, which is kept as rest / (m 2^exponent)^2. n is
 * a power of 2, or 3.
 */
static void fill_inverse(const struct climb *c)
{
	const uint64_t m = (UINT64_C(1) << 24) + 1;
	unsigned __int128 rest = (unsigned __int128)c->n << 48;
	float element[INVERSE_ELEMENTS];
	int exponent = 0;

	for (size_t i = 0; i < INVERSE_ELEMENTS; i++) {
		uint64_t root;

		for (; root_of(rest) / m < UINT64_C(1) << 23; exponent++)
			rest *= 4;
		root = root_of(rest) / m;
		element[i] = ldexpf((float)root, -exponent);
		rest -= (unsigned __int128)(root * m) * (root * m);
	}
	for (size_t i = 0; i < c->n * c->rows; i++)
		((float *)c->x)[i] = i % c->n < INVERSE_ELEMENTS ? element[i % c->n] : 0;
}

static void fill(struct climb *c)
{
	uint64_t state = 1;

	if (c->kind == CLIMB_INVERSE) {
		fill_inverse(c);
		return;
	}
	if (c->kind == CLIMB_NORMAL) {
		data_fill(c->x, ELEMENTS * dtype_size(c->dtype), c->dtype, DATA_NORMAL);
		return;
	}
	for (size_t i = 0; i < c->n * c->rows; i++) {
		const float v = element(c, i % c->n, &state);

		if (c->dtype == RSTD_F32)
			((float *)c->x)[i] = v;
		else
			((uint16_t *)c->x)[i] = c->dtype == RSTD_F16 ? narrow_f16(v) : narrow_bf16(v);
	}
}

static void fill_means(const struct climb *c)
{
	uint64_t state = 2;

	c->mean[0] = c->invert ? 0 : 1;
	for (size_t i = 1; i < c->n && c->kind == CLIMB_MEANS; i++)
		c->mean[i] = of_any_size(&state);
}

static bool climb_make(struct climb *c)
{
	const int64_t shape[2] = { (int64_t)c->rows, (int64_t)c->n }, dim = 1;
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;
	rstd_tensor x, mean, y;

	c->x = calloc(ELEMENTS, dtype_size(c->dtype));
	c->mean = calloc(c->n, sizeof(float));
	c->results = calloc(2 * c->rows, sizeof(float));
	if (!c->x || !c->mean || !c->results)
		return false;
	fill(c);
	rstd_tensor_contiguous(&x, c->x, c->dtype, 2, shape);
	rstd_tensor_contiguous(&y, c->results, c->dtype, 1, shape);
	if (!c->about_mean)
		return rstd_plan_std_mean(&c->plan, &x, &dim, 1, 0, false, &y, &y) == RSTD_OK;
	fill_means(c);
	rstd_tensor_contiguous(&mean, c->mean, c->dtype, 2, shape);
	mean.strides[0] = 0;
	attrs.dim = &dim;
	attrs.dim_count = 1;
	attrs.correction = (int64_t)c->n - 1;
	attrs.invert = c->invert;
	attrs.epsilon = 0;
	return rstd_plan_reduce_std_with_mean(&c->plan, &x, &mean, &attrs, &y) == RSTD_OK;
}

static void climb_free(struct climb *c)
{
	rstd_plan_destroy(c->plan);
	free(c->results);
	free(c->mean);
	free(c->x);
}

static double sample(void *context, size_t repeat)
{
	const struct climb *c = context;
	const double start = clock_seconds(1);

	for (size_t i = 0; i < repeat; i++)
		if (rstd_plan_run(c->plan, c->x, c->about_mean ? c->mean : NULL, c->results,
		                  c->about_mean ? NULL : c->results + c->rows, NULL) != RSTD_OK)
			return -1;
	return clock_seconds(1) - start;
}

static void print_row(struct climb *c, struct measurement *m)
{
	double ratios[ROUNDS_MAX];
	rstd_level_counts levels;
	struct summary ordinary, open, ratio;
	double all;

	rstd_reset_level_counts();
	sample(c, 1);
	rstd_get_level_counts(&levels);
	all = (double)(levels.fast + levels.precise + levels.exact);
	for (size_t i = 0; i < m->rounds; i++)
		ratios[i] = m->contenders[1].seconds[i] / m->contenders[0].seconds[i];
	ratio = summarise(ratios, m->rounds);
	ordinary = summarise(m->contenders[0].seconds, m->rounds);
	open = summarise(m->contenders[1].seconds, m->rounds);
	printf("%-10s %-5s %8zu %9.1f %9.1f  %5.2f [%.2f..%.2f]  %8.2g %8.2g\n", kind_names[c->kind],
	       dtype_name(c->dtype), c->n, ordinary.median * 1e9 / (double)c->rows, open.median * 1e9 / (double)c->rows,
	       ratio.median, ratio.min, ratio.max, (double)levels.precise / all, (double)levels.exact / all);
	fflush(stdout);
}

static bool run_row(enum climb_kind kind, rstd_dtype dtype, size_t n, const struct effort *effort)
{
	struct climb open = {
		.kind = kind,
		.dtype = dtype,
		.about_mean = kind >= CLIMB_TIES,
		.invert = kind == CLIMB_INVERSE,
		.n = n,
		.rows = ELEMENTS / n,
	};
	struct climb ordinary = open;
	struct measurement measurement = { .count = 2 };
	bool good;

	ordinary.kind = CLIMB_CONSTANT;
	measurement.contenders[0] = (struct contender){ .sample = sample, .context = &ordinary };
	measurement.contenders[1] = (struct contender){ .sample = sample, .context = &open };
	good = climb_make(&ordinary) && climb_make(&open) && measure(&measurement, effort);
	if (good)
		print_row(&open, &measurement);
	climb_free(&ordinary);
	climb_free(&open);
	return good;
}

bool climb_run(const struct effort *effort)
{
	static const rstd_dtype dtypes[] = { RSTD_F32, RSTD_F16, RSTD_BF16 };
	static const size_t lengths[] = { 2, 3, 4, 8, 64, 4096, 65536 };

	printf("%-10s %-5s %8s %9s %9s  %-20s  %8s %8s\n%-10s %-5s %8s %9s %9s  %-20s  %8s %8s\n", "slices", "dtype",
	       "elements", "ordinary", "these", "these / ordinary", "level 1", "level 2", "", "", "", "ns each",
	       "ns each", "median [min..max]", "share", "share");
	for (enum climb_kind kind = CLIMB_NORMAL; kind < CLIMB_KINDS; kind++)
		for (size_t d = 0; d < (kind >= CLIMB_TIES ? 1 : sizeof(dtypes) / sizeof(*dtypes)); d++)
			for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
				if (!run_row(kind, dtypes[d], lengths[i], effort))
					return false;
	return true;
}
