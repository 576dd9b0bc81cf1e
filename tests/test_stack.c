/*
 * test_stack.c - how much stack the calls that compute need, on the caller and on workers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Hosts call from threads with small stacks: musl gives 128 KiB. Each call is made by a thread of its own on a painted
 * stack, and so are the library's workers; where the paint has gone, the stack was used.
 *
 * Link with -Wl,--wrap=pthread_create. Not for sanitizers, which have stacks of their own and widen ours.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_gen.h"
#include "core/plan.h"
#include "guard.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define STACK_SIZE    ((size_t)512 << 10)
#define STACK_LIMIT   ((size_t)128 << 10)
#define PAINT         0xA5
#define THREADS       4

/* ---- Painted stacks ------------------------------------------------------------------------------------------ */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

static struct guarded own_stack, worker_stack[THREADS];
static size_t workers;

static void paint(const struct guarded *stack)
{
	memset(stack->map + stack->page, PAINT, stack->size);
}

/* Stacks grow down, so the first byte that is not painted is the last that was reached. */
static size_t used(const struct guarded *stack)
{
	const unsigned char *const memory = stack->map + stack->page;
	size_t at = 0;

	while (at < stack->size && memory[at] == PAINT)
		at++;
	return stack->size - at;
}

static int create_on(const struct guarded *stack, pthread_t *thread, void *(*start)(void *), void *arg)
{
	pthread_attr_t attr;
	int error;

	pthread_attr_init(&attr);
	error = pthread_attr_setstack(&attr, stack->map + stack->page, stack->size);
	if (error == 0)
		error = __real_pthread_create(thread, &attr, start, arg);
	pthread_attr_destroy(&attr);
	return error;
}

/* Only the library comes here, for its workers, which stay. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct guarded *stack = &worker_stack[workers++];

	(void)attr;
	guard_make(stack, STACK_SIZE);
	paint(stack);
	return create_on(stack, thread, start, arg);
}

/* ---- Slices -------------------------------------------------------------------------------------------------- */

/* Axis 0 is reduced, axis 1 kept. Strides are in elements. */
static const struct shape {
	const char *name;
	int64_t n, outputs, along, aside;
	enum rstd__loop loop;
	uint64_t runs; /* at least */
	bool split;    /* into parts of slices, by several threads; takes 2 MiB */
} shapes[] = {
	{ "rows", 3000, 70, 1, 3000, RSTD__ROWS, 1, false },
	{ "rows of two runs", 70000, 2, 1, 70000, RSTD__ROWS, 2, false },
	{ "few rows of several runs", 400000, 3, 1, 400000, RSTD__ROWS, 7, true },
	{ "one row", 1100000, 1, 1, 1, RSTD__ROWS, 16, true },
	{ "strided rows", 3000, 200, 2, 6000, RSTD__ROWS, 1, false },
	{ "strided rows of several runs", 200000, 6, 3, 600000, RSTD__ROWS, 4, true },
	{ "short rows", 9, 2000, 1, 9, RSTD__SHORT, 1, false },
	{ "columns", 4096, 100, 100, 1, RSTD__COLS, 16, false },
	{ "few columns of many runs", 100000, 16, 16, 1, RSTD__COLS, 20, true },
	{ "wide columns", 600, 1100, 1100, 1, RSTD__COLS, 3, false },
	{ "packed", 20, 1000, 3, 60, RSTD__PACKED, 1, false },
	{ "packed, of several runs", 60000, 20, 40, 2, RSTD__PACKED, 20, true },
};

enum op { STD, STD_MEAN, BATCH_NORM, GIVEN_STD, GIVEN_INVSTD, MOMENTS, OPERATORS };

static const char *const op_name[OPERATORS] = { "std",          "std and mean",     "batch norm",
	                                        "about a mean", "invstd about one", "moments" };

/* Which slices have a tie for their standard deviation, which fast sums leave open. */
enum ties { FEW_TIES, ALL_TIES, TIES };

/* A call, and what it found. */
struct call {
	enum op op;
	bool forced; /* a plan whose bounds leave everything open, which stands for data beside a midpoint */
	rstd_tensor x, mean, y, y_mean;
	rstd_plan *plan;
	void *workspace;
	rstd_moments *moments;
	rstd_status status;
};

/*
 * With M between two numbers of the format and M^2 = a^2 + b^2, elements a, -a, b, -b and zeros have the sum of squares
 * 2 M^2, and with a divisor of 2 the standard deviation M.
 */
static void put_tie(rstd_dtype dtype, unsigned char *slice, size_t step)
{
	const double halves[2] = { 1475, 1428 }, singles[2] = { 0x1p24 - 1, 8192 };

	for (size_t i = 0; i < 4; i++) {
		const double value = dtype == RSTD_F32 ? singles[i / 2] : halves[i / 2];

		bits_store(dtype, slice + i * step, bits_from_double(dtype, i % 2 ? -value : value));
	}
}

/* Of memory, gaps included. */
static size_t elements_of(const struct shape *s)
{
	return (size_t)((s->n - 1) * s->along + (s->outputs - 1) * s->aside + 1);
}

static void fill(unsigned char *data, const struct shape *shape, rstd_dtype dtype, enum ties ties)
{
	const size_t size = dtype_size(dtype);

	memset(data, 0, elements_of(shape) * size);
	for (int64_t output = 0; output < shape->outputs; output++) {
		unsigned char *const slice = data + (size_t)(output * shape->aside) * size;
		const size_t step = (size_t)shape->along * size;

		if (ties == ALL_TIES || output % 40 == 1 % shape->outputs)
			put_tie(dtype, slice, step);
		else
			for (size_t i = 0; i < 7; i++)
				bits_store(dtype, slice + i * step,
				           bits_from_double(dtype, (double)(splitmix64((uint64_t)output + i) % 30)));
	}
}

static rstd_tensor view(void *data, rstd_dtype dtype, const struct shape *shape)
{
	return (rstd_tensor){ .data = data,
		              .dtype = dtype,
		              .rank = 2,
		              .shape = { shape->n, shape->outputs },
		              .strides = { shape->along, shape->aside } };
}

/* ---- Calls --------------------------------------------------------------------------------------------------- */

static const int64_t axis = 0;

static rstd_reduce_attrs attributes(const struct call *c)
{
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;

	attrs.dim = &axis;
	attrs.dim_count = 1;
	attrs.correction = c->x.shape[0] - 2;
	attrs.invert = c->op == GIVEN_INVSTD;
	attrs.epsilon = -0x1p-100F; /* level 1 takes none that is negative */
	return attrs;
}

static rstd_status call_moments(const struct call *c)
{
	const size_t count = (size_t)c->x.shape[1];
	rstd_status status = rstd_moments_update(c->moments, count, &c->x, &axis, 1);

	if (status == RSTD_OK)
		status = rstd_moments_merge(c->moments, c->moments, count);
	if (status == RSTD_OK)
		status = rstd_moments_std(c->moments, count, 1, c->y.dtype, c->y.data);
	if (status == RSTD_OK)
		status = rstd_moments_mean(c->moments, count, c->y.dtype, c->y.data);
	if (status == RSTD_OK)
		status = rstd_moments_invstd(c->moments, count, 1e-3, c->y.dtype, c->y.data);
	return status;
}

static rstd_status call_operator(const struct call *c)
{
	const rstd_reduce_attrs attrs = attributes(c);

	switch (c->op) {
	case STD:
		return rstd_std_mean(&c->x, &axis, 1, attrs.correction, false, &c->y, NULL);
	case STD_MEAN:
		return rstd_std_mean(&c->x, &axis, 1, attrs.correction, false, &c->y, &c->y_mean);
	case BATCH_NORM:
		return rstd_batch_norm_stats(&c->x, 1e-5, &c->y_mean, &c->y);
	case MOMENTS:
		return call_moments(c);
	default:
		return rstd_reduce_std_with_mean(&c->x, &c->mean, &attrs, &c->y);
	}
}

static rstd_status make_plan(struct call *c)
{
	const rstd_reduce_attrs attrs = attributes(c);

	switch (c->op) {
	case STD:
		return rstd_plan_std_mean(&c->plan, &c->x, &axis, 1, attrs.correction, false, &c->y, NULL);
	case STD_MEAN:
		return rstd_plan_std_mean(&c->plan, &c->x, &axis, 1, attrs.correction, false, &c->y, &c->y_mean);
	case BATCH_NORM:
		return rstd_plan_batch_norm_stats(&c->plan, &c->x, 1e-5, &c->y_mean, &c->y);
	default:
		return rstd_plan_reduce_std_with_mean(&c->plan, &c->x, &c->mean, &attrs, &c->y);
	}
}

static void *make_call(void *context)
{
	struct call *c = context;
	const bool given = c->op == GIVEN_STD || c->op == GIVEN_INVSTD;

	c->status = c->forced ? rstd_plan_run(c->plan, c->x.data, given ? c->mean.data : NULL, c->y.data,
	                                      c->plan->present[RSTD__MEAN] ? c->y_mean.data : NULL, c->workspace)
	                      : call_operator(c);
	return NULL;
}

/* The most that anything used, and by what. */
static struct {
	size_t bytes;
	char what[160];
} deepest[LENGTH(shapes)];

static uint64_t settled[LENGTH(shapes)][3]; /* outputs by level, over all calls */
static size_t rough_plans;
static bool rough_known; /* to an instruction set of this machine */

static void measure(struct call *c, size_t shape, const char *what)
{
	rstd_level_counts counts;
	pthread_t thread;
	size_t bytes;

	paint(&own_stack);
	rstd_reset_level_counts();
	assert_int_equal(create_on(&own_stack, &thread, make_call, c), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	if (c->status != RSTD_OK)
		fail_msg("%s: %s", what, rstd_status_string(c->status));
	rstd_get_level_counts(&counts);
	settled[shape][0] += counts.fast;
	settled[shape][1] += counts.precise;
	settled[shape][2] += counts.exact;
	bytes = used(&own_stack);
	if (bytes > deepest[shape].bytes) {
		deepest[shape].bytes = bytes;
		snprintf(deepest[shape].what, sizeof(deepest[shape].what), "%s", what);
	}
}

/* A plan is what the table says, or the call that it stands for tests something else. */
static void check_plan(const struct rstd_plan *plan, const struct shape *shape)
{
	assert_int_equal(plan->loop, shape->loop);
	assert_true(plan->runs >= shape->runs);
	assert_true((plan->parts > 1) == shape->split);
	rough_known = rough_known || plan->kernels->rough.row_moments[RSTD__F16];
	rough_plans += plan->sums == &plan->kernels->rough;
}

static void leave_open(struct rstd_plan *plan)
{
	plan->finish.sum_sq_error = plan->finish.root_error = plan->finish.mean_error = 1;
}

static void test_operator(struct call *c, size_t shape, const char *what)
{
	char forced[160];

	c->forced = false;
	measure(c, shape, what);
	if (c->op == MOMENTS)
		return;
	assert_int_equal(make_plan(c), RSTD_OK);
	check_plan(c->plan, &shapes[shape]);
	leave_open(c->plan);
	c->workspace = xmalloc(rstd_plan_workspace_size(c->plan) + 1);
	c->forced = true;
	snprintf(forced, sizeof(forced), "%s, left open", what);
	measure(c, shape, forced);
	free(c->workspace);
	rstd_plan_destroy(c->plan);
}

/* Every operator on data of one shape. */
static void test_operators(size_t shape, rstd_dtype dtype, enum ties ties)
{
	static const char *const ties_name[TIES] = { "few ties", "ties" };
	const struct shape *s = &shapes[shape];
	const size_t elements = elements_of(s), outputs = (size_t)s->outputs;
	unsigned char *const x = xmalloc(elements * dtype_size(dtype));
	unsigned char *const mean = calloc(elements, dtype_size(dtype));
	float *const y = xmalloc(outputs * sizeof(*y)), *const y_mean = xmalloc(outputs * sizeof(*y_mean));
	rstd_moments *const moments = xmalloc(outputs * sizeof(*moments));

	assert_non_null(mean);
	fill(x, s, dtype, ties);
	for (enum op op = STD; op < OPERATORS; op++) {
		struct call c = { .op = op, .moments = moments };
		const rstd_dtype to = op == BATCH_NORM ? RSTD_F32 : dtype;
		char what[128];

		c.x = view(x, dtype, s);
		c.mean = view(mean, dtype, s);
		rstd_tensor_contiguous(&c.y, y, to, 1, &s->outputs);
		rstd_tensor_contiguous(&c.y_mean, y_mean, to, 1, &s->outputs);
		memset(moments, 0, outputs * sizeof(*moments));
		snprintf(what, sizeof(what), "%s, %s, %s, %s", op_name[op], dtype_name(dtype), ties_name[ties],
		         rstd_get_isa());
		test_operator(&c, shape, what);
	}
	free(moments);
	free(y_mean);
	free(y);
	free(mean);
	free(x);
}

static void test_shapes(void **state)
{
	static const rstd_dtype dtypes[] = { RSTD_F32, RSTD_F16 };

	(void)state;
	for (size_t isa = 0; rstd_isa_name(isa); isa++) {
		assert_int_equal(rstd_set_isa(rstd_isa_name(isa)), RSTD_OK);
		for (size_t shape = 0; shape < LENGTH(shapes); shape++)
			for (size_t i = 0; i < LENGTH(dtypes); i++) {
				assert_int_equal(rstd_set_num_threads(shapes[shape].split ? THREADS : 1), RSTD_OK);
				test_operators(shape, dtypes[i], FEW_TIES);
				if (!shapes[shape].split)
					test_operators(shape, dtypes[i], ALL_TIES);
			}
	}
	/* what the above is there for has happened: every level in every shape, rough sums, parts on workers */
	for (size_t shape = 0; shape < LENGTH(shapes); shape++)
		for (size_t level = 0; level < 3; level++)
			if (settled[shape][level] == 0)
				fail_msg("%s: level %zu was not reached", shapes[shape].name, level);
	assert_true(rough_plans > 0 || !rough_known);
	assert_int_equal(workers, THREADS - 1);
}

static void test_depth(void **state)
{
	bool within = true;

	(void)state;
	for (size_t shape = 0; shape < LENGTH(shapes); shape++) {
		print_message("%6zu bytes: %s (%s)\n", deepest[shape].bytes, shapes[shape].name, deepest[shape].what);
		within = within && deepest[shape].bytes <= STACK_LIMIT;
	}
	for (size_t i = 0; i < workers; i++) {
		print_message("%6zu bytes: worker %zu\n", used(&worker_stack[i]), i);
		within = within && used(&worker_stack[i]) <= STACK_LIMIT;
	}
	assert_true(within);
}

static int set_up(void **state)
{
	(void)state;
	guard_make(&own_stack, STACK_SIZE);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
