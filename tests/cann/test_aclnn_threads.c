/*
 * test_aclnn_threads.c - many threads with streams of their own, many calls in one, and forked children
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"
#include "sanitizers.h"

/* ThreadSanitizer dies in a child whose threads get the addresses of threads that the parent had. */
#ifdef UNDER_TSAN
#define CHILDREN_HAVE_THREADS false
#else
#define CHILDREN_HAVE_THREADS true
#endif

/* Sanitizers keep memory of their own for what is allocated and freed. */
#if defined(UNDER_TSAN) || defined(UNDER_ASAN)
#define MEMORY_TELLS false
#else
#define MEMORY_TELLS true
#endif

#define THREADS 8

#define ROWS    3
#define COLS    4

/* What a thread works on. */
struct work {
	aclrtStream stream;
	void *x, *std, *mean;
	aclTensor *x_tensor, *std_tensor, *mean_tensor, *channels_tensor;
	aclIntArray *dim;
	float std_expected, mean_expected; /* of every row */
};

/* Rows m - s, m + s, m - s, m + s: mean m, population deviation s, both exact. Other m and s for each seed. */
static int work_make(struct work *w, int seed)
{
	static const int64_t shape[2] = { ROWS, COLS }, rows = ROWS, cols = COLS, axis = 1;
	const float m = (float)(seed * 1000), s = (float)(seed + 1);
	float x[ROWS][COLS];
	int i, j, status;

	for (i = 0; i < ROWS; i++)
		for (j = 0; j < COLS; j++)
			x[i][j] = j % 2 ? m + s : m - s;
	w->std_expected = s;
	w->mean_expected = m;
	status = aclrtCreateStream(&w->stream);
	status |= aclrtMalloc(&w->x, sizeof(x), ACL_MEM_MALLOC_HUGE_FIRST);
	status |= aclrtMalloc(&w->std, COLS * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
	status |= aclrtMalloc(&w->mean, COLS * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
	if (status != 0)
		return status;
	status = aclrtMemcpy(w->x, sizeof(x), x, sizeof(x), ACL_MEMCPY_HOST_TO_DEVICE);
	w->x_tensor = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, w->x);
	w->std_tensor = aclCreateTensor(&rows, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &rows, 1, w->std);
	w->mean_tensor = aclCreateTensor(&rows, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &rows, 1, w->mean);
	w->channels_tensor = aclCreateTensor(&cols, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &cols, 1, w->mean);
	w->dim = aclCreateIntArray(&axis, 1);
	return status | !w->x_tensor | !w->std_tensor | !w->mean_tensor | !w->channels_tensor | !w->dim;
}

static int work_free(struct work *w)
{
	int status = aclDestroyTensor(w->x_tensor) | aclDestroyTensor(w->std_tensor);

	status |= aclDestroyTensor(w->mean_tensor) | aclDestroyTensor(w->channels_tensor) | aclDestroyIntArray(w->dim);
	status |= aclrtFree(w->x) | aclrtFree(w->std) | aclrtFree(w->mean);
	return status | aclrtDestroyStream(w->stream);
}

/* How many of a tensor's rows are not as expected; all of them when it cannot be read. */
static int wrong_rows(const void *address, float expected)
{
	float got[ROWS];
	int wrong = 0, i;

	if (aclrtMemcpy(got, sizeof(got), address, sizeof(got), ACL_MEMCPY_DEVICE_TO_HOST) != 0)
		return ROWS;
	for (i = 0; i < ROWS; i++)
		wrong += got[i] != expected;
	return wrong;
}

static int call_std(const struct work *w)
{
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	int status;

	status = aclnnStdGetWorkspaceSize(w->x_tensor, w->dim, 0, false, w->std_tensor, &size, &executor);
	if (status != 0 || size != 0)
		return 1;
	status = aclnnStd(NULL, 0, executor, w->stream);
	status |= aclrtSynchronizeStream(w->stream);
	return status | wrong_rows(w->std, w->std_expected);
}

static int call_std_mean(const struct work *w)
{
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	int status;

	status = aclnnStdMeanCorrectionGetWorkspaceSize(w->x_tensor, w->dim, 0, false, w->std_tensor, w->mean_tensor,
	                                                &size, &executor);
	if (status != 0 || size != 0)
		return 1;
	status = aclnnStdMeanCorrection(NULL, 0, executor, w->stream);
	status |= aclrtSynchronizeStream(w->stream);
	return status | wrong_rows(w->std, w->std_expected) | wrong_rows(w->mean, w->mean_expected);
}

/* Columns are constant: with eps 1 their reciprocal deviation is 1. */
static int call_batch_norm_stats(const struct work *w)
{
	static const int64_t cols = COLS;
	aclTensor *invstd = aclCreateTensor(&cols, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &cols, 1, w->std);
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	int status;

	if (!invstd)
		return 1;
	status = aclnnBatchNormStatsGetWorkspaceSize(w->x_tensor, 1, w->channels_tensor, invstd, &size, &executor);
	if (status == 0 && size == 0) {
		status = aclnnBatchNormStats(NULL, 0, executor, w->stream);
		status |= aclrtSynchronizeStream(w->stream);
		status |= wrong_rows(w->std, 1);
	}
	return status | aclDestroyTensor(invstd);
}

static int call_any(const struct work *w, int which)
{
	switch (which % 3) {
	case 0:
		return call_std(w);
	case 1:
		return call_std_mean(w);
	default:
		return call_batch_norm_stats(w);
	}
}

/* Phase 2 of one executor, again and again. */
static int call_repeatedly(const struct work *w, int count)
{
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	int status, i;

	status = aclnnStdGetWorkspaceSize(w->x_tensor, w->dim, 0, false, w->std_tensor, &size, &executor);
	if (status != 0 || size != 0)
		return 1;
	status = aclSetAclOpExecutorRepeatable(executor);
	for (i = 0; i < count && status == 0; i++) {
		status = aclnnStd(NULL, 0, executor, w->stream);
		if (i % 8 == 7)
			status |= aclrtSynchronizeStream(w->stream) | wrong_rows(w->std, w->std_expected);
	}
	status |= aclrtSynchronizeStream(w->stream) | wrong_rows(w->std, w->std_expected);
	return status | aclDestroyAclOpExecutor(executor);
}

/* ---- Threads ------------------------------------------------------------------------------------------------- */

struct thread {
	pthread_t id;
	int number, calls, failures;
};

static void *thread_main(void *argument)
{
	struct thread *t = argument;
	struct work w;
	int i;

	t->failures = 1;
	if (aclrtSetDevice(0) != 0 || work_make(&w, t->number) != 0)
		return NULL;
	t->failures = 0;
	for (i = 0; i < t->calls / 2; i++)
		t->failures += call_any(&w, i) != 0;
	t->failures += call_repeatedly(&w, t->calls - t->calls / 2) != 0;
	t->failures += work_free(&w) != 0;
	t->failures += aclrtResetDevice(0) != 0;
	return NULL;
}

static void test_threads(void **state)
{
	struct thread threads[THREADS];
	int i;

	(void)state;
	for (i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .number = i, .calls = 10000 };
		assert_int_equal(pthread_create(&threads[i].id, NULL, thread_main, &threads[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i].id, NULL), 0);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(threads[i].failures, 0);
}

/* A stream per thread, but the threads share one stream here: its tasks are in the order of the calls. */
static void *shared_stream_main(void *argument)
{
	const struct work *w = argument;
	int i, failures = aclrtSetDevice(0) != 0;

	for (i = 0; i < 1000; i++)
		failures += call_any(w, i) != 0;
	failures += aclrtResetDevice(0) != 0;
	return failures ? argument : NULL;
}

static void test_shared_stream(void **state)
{
	struct work works[2];
	pthread_t ids[2];
	aclrtStream own;
	void *failed;
	int i;

	(void)state;
	for (i = 0; i < 2; i++)
		assert_int_equal(work_make(&works[i], i), 0);
	own = works[1].stream;
	works[1].stream = works[0].stream;
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&ids[i], NULL, shared_stream_main, &works[i]), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(ids[i], &failed), 0);
		assert_null(failed);
	}
	works[1].stream = own;
	for (i = 0; i < 2; i++)
		assert_int_equal(work_free(&works[i]), 0);
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

static size_t resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t total, resident;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu %zu", &total, &resident), 2);
	fclose(file);
	return resident;
}

static void do_calls(int count)
{
	struct work w;
	int i;

	for (i = 0; i < count; i++) {
		if (i % 1000 == 0)
			assert_int_equal(work_make(&w, i % 7), 0);
		assert_int_equal(call_any(&w, i), 0);
		if (i % 1000 == 999)
			assert_int_equal(work_free(&w), 0);
	}
}

/* After a tenth of the calls, the rest takes no more memory than a few pages of bookkeeping. */
static void test_memory(void **state)
{
	struct mallinfo2 before, after;
	size_t pages;

	(void)state;
	do_calls(10000);
	before = mallinfo2();
	pages = resident_pages();
	do_calls(100000);
	after = mallinfo2();
	if (!MEMORY_TELLS)
		return;
	assert_in_range(after.uordblks, 0, before.uordblks + 16384);
	assert_in_range(resident_pages(), 0, pages + 64);
}

/* Of a repeatable executor the second and later calls allocate nothing. */
static void test_repeatable_allocates_nothing(void **state)
{
	aclOpExecutor *executor = NULL;
	struct mallinfo2 before, after;
	struct work w;
	uint64_t size;
	int i;

	(void)state;
	assert_int_equal(work_make(&w, 3), 0);
	assert_int_equal(aclnnStdGetWorkspaceSize(w.x_tensor, w.dim, 0, false, w.std_tensor, &size, &executor), 0);
	assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
	for (i = 0; i < 1000; i++) {
		if (i == 1)
			before = mallinfo2();
		assert_int_equal(aclnnStd(NULL, 0, executor, w.stream), 0);
		assert_int_equal(aclrtSynchronizeStream(w.stream), 0);
	}
	after = mallinfo2();
	assert_int_equal(after.uordblks, before.uordblks);
	assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
	assert_int_equal(work_free(&w), 0);
}

/* ---- Children ------------------------------------------------------------------------------------------------ */

/* Runs function in a child, which has 20 seconds for it; whether it returned 0. */
static bool in_child(int (*function)(const struct work *), const struct work *w)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		alarm(20);
		_exit(function(w) == 0 ? 0 : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status != 0)
		print_error("child: status 0x%x\n", (unsigned)status);
	return status == 0;
}

/* A stream of its own serves a child as it does the parent. */
static int child_with_own_stream(const struct work *parent)
{
	struct work w;

	(void)parent;
	return work_make(&w, 5) | call_any(&w, 0) | call_any(&w, 1) | call_any(&w, 2) | call_repeatedly(&w, 100) |
	       work_free(&w);
}

/* With the parent's stream it computes, or is told that it cannot. */
static int child_with_parents_stream(const struct work *w)
{
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	int status;

	status = aclnnStdGetWorkspaceSize(w->x_tensor, w->dim, 0, false, w->std_tensor, &size, &executor);
	if (status == 0)
		status = aclnnStd(NULL, 0, executor, w->stream);
	if (status == 0)
		status = aclrtSynchronizeStream(w->stream);
	if (status != 0)
		return aclGetRecentErrMsg() ? 0 : 1;
	return wrong_rows(w->std, w->std_expected);
}

/* Ending in order does not wait for threads that there are not. */
static int child_that_ends(const struct work *w)
{
	(void)w;
	return aclrtSynchronizeDevice() | aclrtResetDevice(0) | aclFinalize();
}

static void test_children(void **state)
{
	struct work w;

	(void)state;
	if (!CHILDREN_HAVE_THREADS)
		skip();
	assert_int_equal(work_make(&w, 4), 0);
	assert_int_equal(call_repeatedly(&w, 100), 0);
	assert_true(in_child(child_with_own_stream, &w));
	assert_true(in_child(child_with_parents_stream, &w));
	assert_true(in_child(child_that_ends, &w));
	assert_int_equal(call_any(&w, 0), 0);
	assert_int_equal(work_free(&w), 0);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void wait_at_gate(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
}

/* The parent's stream is in the middle of a host function, with more behind it. */
static void test_children_of_a_busy_parent(void **state)
{
	bool launched, went_on;
	struct work w;

	(void)state;
	if (!CHILDREN_HAVE_THREADS)
		skip();
	assert_int_equal(work_make(&w, 6), 0);
	pthread_mutex_lock(&gate);
	launched = aclrtLaunchHostFunc(w.stream, wait_at_gate, NULL) == 0;
	went_on = in_child(child_with_own_stream, &w);
	pthread_mutex_unlock(&gate);
	assert_true(launched && went_on);
	assert_int_equal(aclrtSynchronizeStream(w.stream), 0);
	assert_int_equal(call_any(&w, 1), 0);
	assert_int_equal(work_free(&w), 0);
}

static int open_device(void **state)
{
	(void)state;
	return aclInit(NULL) || aclrtSetDevice(0);
}

static int close_device(void **state)
{
	(void)state;
	return aclrtResetDevice(0) || aclFinalize();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),  cmocka_unit_test(test_shared_stream),
		cmocka_unit_test(test_memory),   cmocka_unit_test(test_repeatable_allocates_nothing),
		cmocka_unit_test(test_children), cmocka_unit_test(test_children_of_a_busy_parent),
	};

	return cmocka_run_group_tests_name("aclnn threads", tests, open_device, close_device);
}
