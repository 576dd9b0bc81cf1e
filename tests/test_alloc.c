/*
 * test_alloc.c - every allocation fails once, and threads that cannot be started
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with --wrap for malloc, calloc, realloc, aligned_alloc, posix_memalign, free and pthread_create, and with the
 * static library, so that its calls come here.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

/* ---- The allocator as the tests want it ------------------------------------------------------------------------ */

static atomic_bool watching;      /* count, and fail when no more is allowed */
static atomic_int allowed;        /* allocations that still succeed */
static atomic_int attempts, held; /* while watching: allocations tried; blocks not yet freed */
static atomic_int threads_allowed = INT_MAX;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **p, size_t alignment, size_t size);
void __real_free(void *p);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **p, size_t alignment, size_t size);
void __wrap_free(void *p);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

/* Whether one more block may be had. */
static bool grant(void)
{
	if (!atomic_load(&watching))
		return true;
	atomic_fetch_add(&attempts, 1);
	return atomic_fetch_sub(&allowed, 1) > 0;
}

static void *got(void *p)
{
	if (p && atomic_load(&watching))
		atomic_fetch_add(&held, 1);
	return p;
}

void *__wrap_malloc(size_t size)
{
	return grant() ? got(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return grant() ? got(__real_calloc(count, size)) : NULL;
}

void *__wrap_realloc(void *p, size_t size)
{
	if (!grant())
		return NULL;
	if (p)
		return __real_realloc(p, size); /* as many blocks as before */
	return got(__real_realloc(p, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return grant() ? got(__real_aligned_alloc(alignment, size)) : NULL;
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t size)
{
	int error;

	if (!grant())
		return ENOMEM;
	error = __real_posix_memalign(p, alignment, size);
	if (error == 0)
		got(*p);
	return error;
}

void __wrap_free(void *p)
{
	if (p && atomic_load(&watching))
		atomic_fetch_sub(&held, 1);
	__real_free(p);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	if (atomic_fetch_sub(&threads_allowed, 1) <= 0)
		return EAGAIN;
	return __real_pthread_create(thread, attr, start, arg);
}

static void watch(int allow)
{
	atomic_store(&attempts, 0);
	atomic_store(&held, 0);
	atomic_store(&allowed, allow);
	atomic_store(&watching, true);
}

static void watch_no_more(void)
{
	atomic_store(&watching, false);
}

/* ---- Calls ----------------------------------------------------------------------------------------------------- */

enum { MAX_OUTPUTS = 3000 };

/* A loop shape: x is [rows, cols], reduced over one axis or both. */
static const struct scenario {
	const char *name;
	int64_t rows, cols;
	int64_t dims[2];
	size_t dim_count;
	int threads;
	bool gaps;  /* between the elements of x */
	bool small; /* must not allocate in one call */
} scenarios[] = {
	{ "one row", 1, 100, { 1 }, 1, 4, false, true },
	{ "short rows", 50, 5, { 1 }, 1, 4, false, true },
	{ "rows", 20, 200, { 1 }, 1, 4, false, true },
	{ "columns", 200, 20, { 0 }, 1, 4, false, true },
	{ "one column", 200, 1, { 0 }, 1, 4, false, true },
	{ "gaps", 60, 60, { 0 }, 1, 4, true, true },
	{ "all", 50, 60, { 0, 1 }, 2, 4, true, true },
	{ "large, one thread", 20000, 40, { 0 }, 1, 1, false, true },
	{ "large rows", 3, 300000, { 1 }, 1, 4, false, false },
	{ "large columns", 30000, 32, { 0 }, 1, 4, false, false },
	{ "large columns, many threads", 30000, 32, { 0 }, 1, 64, false, false },
	{ "large short rows", 3000, 300, { 1 }, 1, 7, false, false },
	{ "large packed", 1000000, 3, { 0 }, 1, 7, true, false },
	{ "large, all", 1000, 1000, { 0, 1 }, 2, 64, false, false },
};

#define SCENARIOS (sizeof(scenarios) / sizeof(*scenarios))

struct subject {
	struct test_case c;
	rstd_tensor x, out[2];
	const rstd_tensor *mean_at, *out_at[2];
	float *data, results[2][MAX_OUTPUTS], expected[2][MAX_OUTPUTS];
};

static void subject_make(struct subject *s, const struct scenario *how, enum case_op op)
{
	const size_t count = (size_t)(how->rows * how->cols) * (how->gaps ? 2 : 1);
	int64_t outputs = 1;
	size_t i, k;

	memset(s, 0, sizeof(*s));
	memset(s->results, OUTPUT_POISON, sizeof(s->results));
	s->c.op = op;
	memcpy(s->c.dims, how->dims, sizeof(how->dims));
	s->c.dim_count = how->dim_count;
	s->c.unbiased = true;
	s->c.correction = 1;
	s->c.epsilon = 0.5;
	s->data = xmalloc(count * sizeof(*s->data));
	for (i = 0; i < count; i++)
		s->data[i] = (float)(splitmix64(i) >> 44) * 0x1p-10F;
	s->x = (rstd_tensor){ s->data, RSTD_F32, 2, { how->rows, how->cols }, { how->cols, 1 } };
	if (how->gaps)
		s->x.strides[0] *= 2, s->x.strides[1] *= 2;
	s->mean_at = op == OP_REDUCE_STD_WITH_MEAN ? &s->x : NULL;
	if (op == OP_BATCH_NORM_STATS && how->dims[0] == 1) { /* the rows are the channels, on axis 1 */
		s->x.shape[0] = how->cols;
		s->x.shape[1] = how->rows;
		s->x.strides[1] = s->x.strides[0];
		s->x.strides[0] = how->gaps ? 2 : 1;
	}
	if (op == OP_BATCH_NORM_STATS)
		outputs = s->x.shape[1];
	else if (how->dim_count == 1)
		outputs = how->dims[0] == 0 ? how->cols : how->rows;
	assert_true(outputs <= MAX_OUTPUTS);
	for (k = 0; k < 2; k++) {
		s->out[k] = (rstd_tensor){ s->results[k], RSTD_F32, 1, { outputs }, { 1 } };
		if (how->dim_count == 2 && op != OP_BATCH_NORM_STATS)
			s->out[k].rank = 0;
		s->out_at[k] = op == OP_STD_MEAN || op == OP_BATCH_NORM_STATS || k == 0 ? &s->out[k] : NULL;
	}
	rstd_set_num_threads(1);
	assert_int_equal(operator_call(&s->c, &s->x, s->mean_at, s->out_at), RSTD_OK);
	memcpy(s->expected, s->results, sizeof(s->expected));
	memset(s->results, OUTPUT_POISON, sizeof(s->results));
	rstd_set_num_threads(how->threads);
}

static void subject_free(struct subject *s)
{
	free(s->data);
	rstd_set_num_threads(0);
}

static void check_results(struct subject *s)
{
	assert_memory_equal(s->results, s->expected, sizeof(s->expected));
	memset(s->results, OUTPUT_POISON, sizeof(s->results));
}

static void check_failure(const struct subject *s, rstd_status status)
{
	const unsigned char *p = (const unsigned char *)s->results;
	size_t i;

	assert_int_equal(status, RSTD_ERROR_NO_MEMORY);
	assert_non_null(strstr(rstd_last_error(), "allocate"));
	for (i = 0; i < sizeof(s->results); i++)
		assert_int_equal(p[i], OUTPUT_POISON);
}

/* Allows 0, 1, 2, ... allocations until the one-shot call succeeds; returns how many that took. */
static int fail_calls(struct subject *s)
{
	rstd_status status;
	int allow;

	for (allow = 0;; allow++) {
		assert_true(allow < 100);
		watch(allow);
		status = operator_call(&s->c, &s->x, s->mean_at, s->out_at);
		watch_no_more();
		assert_int_equal(atomic_load(&held), 0);
		if (status == RSTD_OK)
			break;
		check_failure(s, status);
	}
	check_results(s);
	return allow;
}

/* The same for the constructor of a plan; then the plan runs, and is destroyed, without allocating. */
static int fail_plans(struct subject *s)
{
	const bool bn = s->c.op == OP_BATCH_NORM_STATS;
	rstd_plan *plan = NULL;
	void *workspace;
	rstd_status status;
	int allow;

	for (allow = 0;; allow++) {
		assert_true(allow < 100);
		watch(allow);
		status = operator_plan(&plan, &s->c, &s->x, s->mean_at, s->out_at);
		watch_no_more();
		if (status == RSTD_OK)
			break;
		assert_int_equal(atomic_load(&held), 0);
		assert_null(plan);
		check_failure(s, status);
	}
	workspace = rstd_plan_workspace_size(plan) ? xmalloc(rstd_plan_workspace_size(plan)) : NULL;
	watch(0);
	status = rstd_plan_run(plan, s->data, s->mean_at ? s->data : NULL, s->results[bn],
	                       s->out_at[1] ? s->results[!bn] : NULL, workspace);
	watch_no_more();
	assert_int_equal(status, RSTD_OK);
	assert_int_equal(atomic_load(&attempts), 0);
	check_results(s);
	free(workspace);
	watch(0);
	atomic_store(&held, allow); /* what the constructor got, a successful destructor gives back */
	rstd_plan_destroy(plan);
	watch_no_more();
	assert_int_equal(atomic_load(&attempts), 0);
	assert_int_equal(atomic_load(&held), 0);
	return allow;
}

static void test_allocations(void **state)
{
	static struct subject s;
	enum case_op op;
	int in_calls = 0, in_plans = 0, in_call;
	size_t k;

	(void)state;
	for (k = 0; k < SCENARIOS; k++) {
		for (op = OP_REDUCE_STD_WITH_MEAN; op <= OP_BATCH_NORM_STATS; op++) {
			subject_make(&s, &scenarios[k], op);
			in_call = fail_calls(&s);
			if (scenarios[k].small && in_call > 0)
				fail_msg("%s: a small call allocates", scenarios[k].name);
			in_calls += in_call;
			in_plans += fail_plans(&s);
			subject_free(&s);
		}
	}
	/* the failures that this test is about happened */
	assert_true(in_calls > 0);
	assert_int_equal(in_plans, SCENARIOS * 4);
}

/* Moments, settings, shapes and messages never allocate. */
static void test_what_never_allocates(void **state)
{
	enum { ROWS = 300, COLS = 40 };
	static float data[ROWS][COLS];
	static rstd_moments moments[COLS];
	const int64_t dim = 0;
	const rstd_tensor x = { data, RSTD_F32, 2, { ROWS, COLS }, { COLS, 1 } };
	unsigned char bytes[RSTD_MOMENTS_BYTES];
	float std[COLS];
	rstd_level_counts counts;
	int64_t shape[RSTD_MAX_RANK];
	size_t rank;
	rstd_status status[8];
	size_t i;

	(void)state;
	watch(0);
	status[0] = rstd_moments_update(moments, COLS, &x, &dim, 1);
	status[1] = rstd_moments_merge(moments, moments + 1, COLS - 1);
	status[2] = rstd_moments_std(moments, COLS, 1, RSTD_F32, std);
	status[3] = rstd_moments_mean(moments, COLS, RSTD_F32, std);
	status[4] = rstd_moments_invstd(moments, COLS, 1, RSTD_F32, std);
	status[5] = rstd_moments_store(moments, bytes);
	status[6] = rstd_infer_shape(x.shape, x.rank, &dim, 1, true, shape, &rank);
	status[7] = rstd_get_level_counts(&counts);
	rstd_set_isa("none such");
	rstd_set_isa(NULL);
	rstd_set_num_threads(-1);
	rstd_set_num_threads(0);
	watch_no_more();
	assert_int_equal(atomic_load(&attempts), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(status[i], RSTD_OK);
}

/* Without threads, or with fewer than asked for, the bits are the same. First, before a pool exists. */
static void test_threads_that_do_not_start(void **state)
{
	static struct subject s;
	static const int allow[] = { 0, 0, 1, 2, INT_MAX };
	size_t a, k;

	(void)state;
	for (a = 0; a < sizeof(allow) / sizeof(*allow); a++) {
		for (k = 0; k < SCENARIOS; k++) {
			subject_make(&s, &scenarios[k], OP_STD_MEAN);
			atomic_store(&threads_allowed, allow[a]);
			assert_int_equal(operator_call(&s.c, &s.x, s.mean_at, s.out_at), RSTD_OK);
			check_results(&s);
			atomic_store(&threads_allowed, INT_MAX);
			subject_free(&s);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_that_do_not_start),
		cmocka_unit_test(test_allocations),
		cmocka_unit_test(test_what_never_allocates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
