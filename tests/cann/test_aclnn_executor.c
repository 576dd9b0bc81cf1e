/*
 * test_aclnn_executor.c - phase 2: when it runs, what it refuses, how long an executor lives, and other addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with --wrap for malloc, calloc, realloc and aligned_alloc: allocations of the steady state are counted.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <math.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_reduce_std_with_mean.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"
#include "rstd/rstd.h"

#define ROWS 2
#define COLS 4
#define FAR  5 /* rows between two results in memory */

static aclrtStream stream;

/* ---- Allocations --------------------------------------------------------------------------------------------- */

static atomic_int allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_aligned_alloc(alignment, size);
}

/* ---- Work: the standard deviation of the rows of a small matrix ---------------------------------------------- */

struct work {
	float x[ROWS * COLS];
	float given[ROWS * COLS];
	float out[ROWS];
	float mean[ROWS];
	aclTensor *x_tensor, *given_tensor, *out_tensor, *mean_tensor;
	aclIntArray *dim;
	float expected; /* of both rows */
};

static const int64_t matrix[2] = { ROWS, COLS };
static const int64_t rows[1] = { ROWS };

/* m - s, m + s, m - s, m + s: about m, the population deviation is s. */
static void fill(float *x, float m, float s)
{
	for (int i = 0; i < ROWS * COLS; i++)
		x[i] = i % 2 == 0 ? m - s : m + s;
}

static aclTensor *row_major(uint64_t rank, const int64_t *shape, void *data)
{
	aclTensor *const t = aclCreateTensor(shape, rank, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, rank, data);

	assert_non_null(t);
	return t;
}

static void begin(struct work *w, float s)
{
	const int64_t axis = 1;

	fill(w->x, 100, s);
	for (int i = 0; i < ROWS * COLS; i++)
		w->given[i] = 100;
	for (int i = 0; i < ROWS; i++)
		w->out[i] = w->mean[i] = -1;
	w->expected = s;
	w->x_tensor = row_major(2, matrix, w->x);
	w->given_tensor = row_major(2, matrix, w->given);
	w->out_tensor = row_major(1, rows, w->out);
	w->mean_tensor = row_major(1, rows, w->mean);
	w->dim = aclCreateIntArray(&axis, 1);
	assert_non_null(w->dim);
}

static void end(struct work *w)
{
	aclDestroyTensor(w->x_tensor);
	aclDestroyTensor(w->given_tensor);
	aclDestroyTensor(w->out_tensor);
	aclDestroyTensor(w->mean_tensor);
	aclDestroyIntArray(w->dim);
}

static aclOpExecutor *prepare(const struct work *w)
{
	aclOpExecutor *executor = NULL;
	uint64_t size = 1;

	if (aclnnStdGetWorkspaceSize(w->x_tensor, w->dim, 0, false, w->out_tensor, &size, &executor) != ACLNN_SUCCESS)
		fail_msg("%s", aclGetRecentErrMsg());
	assert_int_equal(size, 0);
	return executor;
}

static void synchronize(void)
{
	const aclError error = aclrtSynchronizeStream(stream);

	if (error != ACL_SUCCESS)
		fail_msg("%d, %s", error, aclGetRecentErrMsg());
}

static void assert_rows(const float *out, float expected)
{
	for (int i = 0; i < ROWS; i++) {
		if (out[i] != expected)
			fail_msg("row %d: %a, expected %a", i, (double)out[i], (double)expected);
	}
}

/* The code, and a sentence that begins with it and has the word. */
static void assert_told(int code, const char *word)
{
	const char *const message = aclGetRecentErrMsg();
	char begins[32];

	assert_non_null(message);
	snprintf(begins, sizeof(begins), "[%d] ", code);
	if (strncmp(message, begins, strlen(begins)) != 0 || strstr(message, word) == NULL)
		fail_msg("\"%s\" does not begin with %s or does not have %s", message, begins, word);
}

#define assert_refused(code, word, call)                                                                               \
	do {                                                                                                           \
		assert_int_equal(call, code);                                                                          \
		assert_told(code, word);                                                                               \
	} while (0)

/* ---- A stream that stands still ------------------------------------------------------------------------------ */

static sem_t gate;

static void wait_at_gate(void *argument)
{
	(void)argument;
	while (sem_wait(&gate) != 0)
		;
}

static void close_gate(void)
{
	assert_int_equal(sem_init(&gate, 0, 0), 0);
	assert_int_equal(aclrtLaunchHostFunc(stream, wait_at_gate, NULL), ACL_SUCCESS);
}

static void open_gate(void)
{
	sem_post(&gate);
}

/* ---- One-shot executors -------------------------------------------------------------------------------------- */

static void test_all_interfaces(void **state)
{
	struct work w;
	aclOpExecutor *e = NULL;
	uint64_t size = 1;

	(void)state;
	begin(&w, 3);
	assert_int_equal(aclnnStd(NULL, 0, prepare(&w), stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.out, 3);

	w.out[0] = w.out[1] = -1;
	assert_int_equal(aclnnStdMeanCorrectionGetWorkspaceSize(w.x_tensor, w.dim, 0, false, w.out_tensor,
	                                                        w.mean_tensor, &size, &e),
	                 ACLNN_SUCCESS);
	assert_int_equal(aclnnStdMeanCorrection(NULL, size, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.out, 3);
	assert_rows(w.mean, 100);

	w.out[0] = w.out[1] = -1;
	assert_int_equal(aclnnReduceStdWithMeanGetWorkspaceSize(w.x_tensor, w.given_tensor, w.dim, true, false, true, 7,
	                                                        1, w.out_tensor, &size, &e),
	                 ACLNN_SUCCESS);
	assert_int_equal(aclnnReduceStdWithMean(NULL, size, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.out, 0.25F); /* 1 / sqrt(9 + 7) */

	/* the channels of two columns by two rows: transposed, in place */
	const int64_t shape[2] = { COLS, ROWS };
	const int64_t strides[2] = { 1, COLS };
	aclTensor *const t = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_NC, matrix, 2, w.x);
	w.out[0] = w.out[1] = w.mean[0] = w.mean[1] = -1;
	assert_int_equal(aclnnBatchNormStatsGetWorkspaceSize(t, 7, w.mean_tensor, w.out_tensor, &size, &e),
	                 ACLNN_SUCCESS);
	assert_int_equal(aclnnBatchNormStats(NULL, size, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.mean, 100);
	assert_rows(w.out, 0.25F);
	aclDestroyTensor(t);
	end(&w);
}

static void test_default_stream(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 4);
	assert_int_equal(aclnnStd(NULL, 0, prepare(&w), NULL), ACLNN_SUCCESS);
	assert_int_equal(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
	assert_rows(w.out, 4);
	end(&w);
}

static void test_spent_executor(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	aclOpExecutor *const e = prepare(&w);
	assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	const int inner = ACLNN_ERR_INNER;
	assert_refused(inner, "executor", aclnnStd(NULL, 0, e, stream));
	assert_refused(inner, "executor", aclSetAclOpExecutorRepeatable(e));
	assert_refused(inner, "executor", aclDestroyAclOpExecutor(e));
	assert_refused(inner, "executor", aclSetTensorAddr(e, 0, w.x_tensor, w.x));
	synchronize();
	assert_refused(inner, "executor", aclnnStd(NULL, 0, e, stream));

	/* another executor in its place does not bring it to life */
	aclOpExecutor *const other = prepare(&w);
	assert_refused(inner, "executor", aclnnStd(NULL, 0, e, stream));
	assert_int_equal(aclnnStd(NULL, 0, other, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.out, 3);
	end(&w);
}

static void test_executor_that_never_runs(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	aclOpExecutor *const e = prepare(&w);
	assert_int_equal(aclDestroyAclOpExecutor(e), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_INNER, "executor", aclDestroyAclOpExecutor(e));
	assert_refused(ACLNN_ERR_INNER, "executor", aclnnStd(NULL, 0, e, stream));
	end(&w);
}

static void test_what_is_no_executor(void **state)
{
	struct work w;
	int64_t memory[8] = { 0 };

	(void)state;
	begin(&w, 3);
	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "executor", aclnnStd(NULL, 0, NULL, stream));
	assert_refused(ACLNN_ERR_INNER_NULLPTR, "executor", aclSetAclOpExecutorRepeatable(NULL));
	assert_refused(ACLNN_ERR_INNER_NULLPTR, "executor", aclDestroyAclOpExecutor(NULL));
	aclOpExecutor *const foreign[2] = { (aclOpExecutor *)memory, (aclOpExecutor *)w.x_tensor };
	for (int i = 0; i < 2; i++) {
		assert_refused(ACLNN_ERR_INNER, "executor", aclnnStd(NULL, 0, foreign[i], stream));
		assert_refused(ACLNN_ERR_INNER, "executor", aclSetAclOpExecutorRepeatable(foreign[i]));
		assert_refused(ACLNN_ERR_INNER, "executor", aclDestroyAclOpExecutor(foreign[i]));
	}
	end(&w);
}

static void test_executor_of_another_interface(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "aclnnBatchNormStats",
	               aclnnBatchNormStats(NULL, 0, prepare(&w), stream));
	assert_refused(ACLNN_ERR_PARAM_INVALID, "aclnnReduceStdWithMean",
	               aclnnReduceStdWithMean(NULL, 0, prepare(&w), stream));
	assert_refused(ACLNN_ERR_PARAM_INVALID, "aclnnStdMeanCorrection",
	               aclnnStdMeanCorrection(NULL, 0, prepare(&w), stream));
	end(&w);
}

/* A failing phase 2 ends a one-shot executor, and leaves a repeatable one. */
static void test_no_stream(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	aclrtStream dead;
	assert_int_equal(aclrtCreateStream(&dead), ACL_SUCCESS);
	assert_int_equal(aclrtDestroyStream(dead), ACL_SUCCESS);
	aclOpExecutor *e = prepare(&w);
	assert_refused(ACLNN_ERR_RUNTIME_ERROR, "stream", aclnnStd(NULL, 0, e, dead));
	assert_refused(ACLNN_ERR_INNER, "executor", aclnnStd(NULL, 0, e, stream));
	e = prepare(&w);
	assert_int_equal(aclSetAclOpExecutorRepeatable(e), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_RUNTIME_ERROR, "stream", aclnnStd(NULL, 0, e, dead));
	assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.out, 3);
	assert_int_equal(aclDestroyAclOpExecutor(e), ACLNN_SUCCESS);
	end(&w);
}

/* Phase 2 returns before the work is done, and has then no more use for tensors, dim, or what they say. */
static void test_phase_2_does_not_wait(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 5);
	close_gate();
	assert_int_equal(aclnnStd(NULL, 0, prepare(&w), stream), ACLNN_SUCCESS);
	aclSetRawTensorAddr(w.out_tensor, NULL);
	end(&w);
	assert_rows(w.out, -1);
	open_gate();
	synchronize();
	assert_rows(w.out, 5);
}

/* ---- Operands at the moment of phase 2 ----------------------------------------------------------------------- */

static void test_addresses_are_taken_by_phase_2(void **state)
{
	struct work w;
	float elsewhere[ROWS] = { -1, -1 };

	(void)state;
	begin(&w, 3);
	aclOpExecutor *const e = prepare(&w);
	aclSetRawTensorAddr(w.out_tensor, elsewhere);
	assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(elsewhere, 3);
	assert_rows(w.out, -1);
	end(&w);
}

static void test_no_address(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	aclOpExecutor *e = prepare(&w);
	aclSetRawTensorAddr(w.x_tensor, NULL);
	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "self", aclnnStd(NULL, 0, e, stream));
	assert_refused(ACLNN_ERR_INNER, "executor", aclnnStd(NULL, 0, e, stream));
	aclSetRawTensorAddr(w.x_tensor, w.x);
	aclSetRawTensorAddr(w.out_tensor, NULL);
	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "out", aclnnStd(NULL, 0, prepare(&w), stream));
	end(&w);

	/* without elements there need be none: nothing to write, or NaN */
	const int64_t shape[2] = { 0, 3 };
	uint64_t size;
	begin(&w, 3);
	aclTensor *const empty = row_major(2, shape, NULL);
	aclTensor *const nothing = row_major(1, shape, NULL);
	assert_int_equal(aclnnStdGetWorkspaceSize(empty, w.dim, 0, false, nothing, &size, &e), ACLNN_SUCCESS);
	assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	aclTensor *const one = row_major(0, NULL, w.out);
	assert_int_equal(aclnnStdGetWorkspaceSize(empty, NULL, 0, true, one, &size, &e), ACLNN_SUCCESS);
	assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_true(isnan(w.out[0]));
	assert_true(w.out[1] == -1);
	aclDestroyTensor(empty);
	aclDestroyTensor(nothing);
	aclDestroyTensor(one);
	end(&w);
}

/* Views that go past the end of device memory, forwards and backwards; its 32 bytes may be rounded up to 64. */
static void test_memory_that_is_too_small(void **state)
{
	const int64_t backwards[2] = { -COLS, -1 };
	const int64_t far[1] = { 17 };
	const int64_t storage[1] = { 24 };
	struct work w;
	void *memory;
	aclOpExecutor *e;
	uint64_t size;

	(void)state;
	begin(&w, 3);
	assert_int_equal(aclrtMalloc(&memory, sizeof(w.x), ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
	memcpy(memory, w.x, sizeof(w.x));
	aclTensor *t = aclCreateTensor(matrix, 2, ACL_FLOAT, backwards, 7, ACL_FORMAT_ND, storage, 1, memory);
	assert_int_equal(aclnnStdGetWorkspaceSize(t, w.dim, 0, false, w.out_tensor, &size, &e), ACLNN_SUCCESS);
	assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.out, 3);
	aclDestroyTensor(t);

	t = aclCreateTensor(matrix, 2, ACL_FLOAT, backwards, 23, ACL_FORMAT_ND, storage, 1, memory);
	assert_int_equal(aclnnStdGetWorkspaceSize(t, w.dim, 0, false, w.out_tensor, &size, &e), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "self", aclnnStd(NULL, 0, e, stream));
	aclDestroyTensor(t);

	t = aclCreateTensor(rows, 1, ACL_FLOAT, far, 0, ACL_FORMAT_ND, storage, 1, memory);
	assert_int_equal(aclnnStdGetWorkspaceSize(w.x_tensor, w.dim, 0, false, t, &size, &e), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "out", aclnnStd(NULL, 0, e, stream));
	aclDestroyTensor(t);
	assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
	end(&w);
}

static void test_operands_that_changed(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	aclOpExecutor *e = prepare(&w);
	aclDestroyTensor(w.x_tensor);
	w.x_tensor = row_major(2, matrix, w.x); /* in the same place, perhaps, but another one */
	assert_refused(ACLNN_ERR_PARAM_INVALID, "self", aclnnStd(NULL, 0, e, stream));
	e = prepare(&w);
	assert_int_equal(aclInitTensor(w.out_tensor, matrix, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, matrix, 2, w.x),
	                 ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "out", aclnnStd(NULL, 0, e, stream));
	end(&w);
}

/* What nobody can see before addresses are known surfaces when the stream is waited for. */
static void test_overlap_surfaces_at_synchronisation(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	aclSetRawTensorAddr(w.out_tensor, &w.x[1]);
	assert_int_equal(aclnnStd(NULL, 0, prepare(&w), stream), ACLNN_SUCCESS);
	assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	assert_non_null(aclGetRecentErrMsg());
	assert_true(w.x[1] == 103);
	end(&w);
	assert_int_equal(aclrtDestroyStream(stream), ACL_SUCCESS);
	assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
}

/* ---- Workspace ----------------------------------------------------------------------------------------------- */

static void test_workspace(void **state)
{
	enum { N = 1 << 20 };
	const int64_t shape[1] = { N };
	float result = -1;
	float *const x = malloc(N * sizeof(*x));
	aclOpExecutor *e;
	uint64_t size = 0;

	(void)state;
	assert_non_null(x);
	for (int i = 0; i < N; i++)
		x[i] = i % 2 == 0 ? -2 : 2;
	assert_int_equal(rstd_set_num_threads(4), RSTD_OK);
	aclTensor *const self = row_major(1, shape, x);
	aclTensor *const out = row_major(0, NULL, &result);
	const int null = ACLNN_ERR_PARAM_NULLPTR;
	const int invalid = ACLNN_ERR_PARAM_INVALID;
#define PREPARE() assert_int_equal(aclnnStdGetWorkspaceSize(self, NULL, 0, false, out, &size, &e), ACLNN_SUCCESS)
	PREPARE();
	assert_true(size > 0);
	void *const workspace = malloc(size);
	assert_non_null(workspace);
	assert_refused(null, "workspace", aclnnStd(NULL, size, e, stream));
	assert_refused(ACLNN_ERR_INNER, "executor", aclnnStd(workspace, size, e, stream));
	PREPARE();
	assert_refused(invalid, "workspaceSize", aclnnStd(NULL, 0, e, stream));
	assert_refused(ACLNN_ERR_INNER, "executor", aclnnStd(workspace, size, e, stream));
	PREPARE();
	assert_refused(invalid, "workspaceSize", aclnnStd(workspace, size - 1, e, stream));
	void *device;
	assert_int_equal(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
	PREPARE();
	assert_refused(invalid, "workspace", aclnnStd((char *)device + 65, size, e, stream));
	assert_int_equal(aclrtFree(device), ACL_SUCCESS);
	PREPARE();
	assert_int_equal(aclSetAclOpExecutorRepeatable(e), ACLNN_SUCCESS);
	assert_refused(null, "workspace", aclnnStd(NULL, size, e, stream));
	assert_refused(invalid, "workspaceSize", aclnnStd(workspace, size - 1, e, stream));
	assert_int_equal(aclnnStd(workspace, size, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_true(result == 2);
	assert_int_equal(aclDestroyAclOpExecutor(e), ACLNN_SUCCESS);
#undef PREPARE
	assert_int_equal(rstd_set_num_threads(0), RSTD_OK);
	aclDestroyTensor(self);
	aclDestroyTensor(out);
	free(workspace);
	free(x);
}

/* ---- Repeatable executors ------------------------------------------------------------------------------------ */

static void test_repeatable(void **state)
{
	struct work w;

	(void)state;
	begin(&w, 3);
	aclOpExecutor *const e = prepare(&w);
	assert_int_equal(aclSetAclOpExecutorRepeatable(e), ACLNN_SUCCESS);
	assert_int_equal(aclSetAclOpExecutorRepeatable(e), ACLNN_SUCCESS);
	for (int i = 0; i < 200; i++) {
		/* the first runs start threads and fill caches of whoever has some */
		const int before = atomic_load(&allocations);

		fill(w.x, 100, (float)i);
		assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
		synchronize();
		assert_rows(w.out, (float)i);
		if (i > 0)
			assert_int_equal(atomic_load(&allocations), before);
	}
	assert_int_equal(aclDestroyAclOpExecutor(e), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_INNER, "executor", aclnnStd(NULL, 0, e, stream));
	end(&w);
}

static void test_destroyed_while_queued(void **state)
{
	struct work w[8];

	(void)state;
	for (int i = 0; i < 8; i++)
		begin(&w[i], (float)i);
	aclOpExecutor *const e = prepare(&w[0]);
	assert_int_equal(aclSetAclOpExecutorRepeatable(e), ACLNN_SUCCESS);
	close_gate();
	for (int i = 0; i < 8; i++) {
		assert_int_equal(aclSetInputTensorAddr(e, 0, w[0].x_tensor, w[i].x), ACLNN_SUCCESS);
		assert_int_equal(aclSetOutputTensorAddr(e, 0, w[0].out_tensor, w[i].out), ACLNN_SUCCESS);
		assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	}
	assert_int_equal(aclDestroyAclOpExecutor(e), ACLNN_SUCCESS);
	for (int i = 0; i < 8; i++)
		assert_rows(w[i].out, -1);
	open_gate();
	synchronize();
	for (int i = 0; i < 8; i++) {
		assert_rows(w[i].out, (float)i);
		end(&w[i]);
	}
}

/* Runs that are dropped give back what they hold; a leak would show under AddressSanitizer. */
static void test_dropped_runs(void **state)
{
	struct work w;
	aclrtStream other;

	(void)state;
	begin(&w, 3);
	assert_int_equal(aclrtCreateStream(&other), ACL_SUCCESS);
	assert_int_equal(sem_init(&gate, 0, 0), 0);
	assert_int_equal(aclrtLaunchHostFunc(other, wait_at_gate, NULL), ACL_SUCCESS);
	for (int i = 0; i < 3; i++)
		assert_int_equal(aclnnStd(NULL, 0, prepare(&w), other), ACLNN_SUCCESS);
	open_gate();
	assert_int_equal(aclrtDestroyStreamForce(other), ACL_SUCCESS);
	end(&w);
}

typedef aclnnStatus setter(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
typedef aclnnStatus list_setter(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                aclTensorList *tensors, void *addr);

static void test_address_setters(void **state)
{
	static setter *const setters[6] = { aclSetInputTensorAddr, aclSetOutputTensorAddr, aclSetTensorAddr,
		                            AclSetInputTensorAddr, AclSetOutputTensorAddr, AclSetTensorAddr };
	struct work w;
	float elsewhere[ROWS * COLS];
	void *address;

	(void)state;
	begin(&w, 3);
	aclOpExecutor *const e = prepare(&w);
	assert_int_equal(aclSetAclOpExecutorRepeatable(e), ACLNN_SUCCESS);
	for (int i = 0; i < 6; i++) {
		aclTensor *const mine = i % 3 == 1 ? w.out_tensor : w.x_tensor;
		aclTensor *const not_mine = w.mean_tensor;
		const size_t count = i % 3 == 2 ? 2 : 1;

		for (size_t index = 0; index < count; index++) {
			assert_int_equal(setters[i](e, index, mine, elsewhere), ACLNN_SUCCESS);
			aclGetRawTensorAddr(mine, &address);
			assert_ptr_equal(address, elsewhere);
			aclSetRawTensorAddr(mine, w.x);
		}
		assert_refused(ACLNN_ERR_PARAM_INVALID, "index", setters[i](e, count, mine, elsewhere));
		assert_refused(ACLNN_ERR_PARAM_INVALID, "tensor", setters[i](e, 0, not_mine, elsewhere));
		assert_refused(ACLNN_ERR_INNER_NULLPTR, "tensor", setters[i](e, 0, NULL, elsewhere));
		aclSetRawTensorAddr(mine, w.x);
		assert_refused(ACLNN_ERR_INNER_NULLPTR, "executor", setters[i](NULL, 0, mine, elsewhere));
		aclGetRawTensorAddr(mine, &address);
		assert_ptr_equal(address, elsewhere); /* stored by then, as CANN does */
	}
	/* an input is no output */
	assert_refused(ACLNN_ERR_PARAM_INVALID, "tensor", aclSetOutputTensorAddr(e, 0, w.x_tensor, elsewhere));
	assert_refused(ACLNN_ERR_PARAM_INVALID, "tensor", aclSetInputTensorAddr(e, 0, w.out_tensor, elsewhere));

	fill(elsewhere, -7, 2);
	assert_int_equal(aclSetTensorAddr(e, 0, w.x_tensor, elsewhere), ACLNN_SUCCESS);
	assert_int_equal(aclSetTensorAddr(e, 1, w.out_tensor, w.mean), ACLNN_SUCCESS);
	assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(w.mean, 2);
	assert_rows(w.out, -1);
	assert_int_equal(aclDestroyAclOpExecutor(e), ACLNN_SUCCESS);
	end(&w);
}

static void test_list_address_setters(void **state)
{
	static list_setter *const setters[6] = { aclSetDynamicInputTensorAddr,  aclSetDynamicOutputTensorAddr,
		                                 aclSetDynamicTensorAddr,       AclSetDynamicInputTensorAddr,
		                                 AclSetDynamicOutputTensorAddr, AclSetDynamicTensorAddr };
	struct work w;
	void *address;
	aclTensor *t[2];

	(void)state;
	begin(&w, 3);
	aclOpExecutor *const e = prepare(&w);
	for (int i = 0; i < 2; i++)
		t[i] = row_major(1, rows, NULL);
	aclTensorList *const list = aclCreateTensorList((const aclTensor *const *)t, 2);
	for (int i = 0; i < 6; i++) {
		float target;

		assert_int_equal(setters[i](e, 0, 1, list, &target), ACLNN_SUCCESS);
		aclGetRawTensorAddr(t[1], &address);
		assert_ptr_equal(address, &target);
		assert_refused(ACLNN_ERR_PARAM_INVALID, "relativeIndex", setters[i](e, 0, 2, list, &target));
		assert_refused(ACLNN_ERR_INNER_NULLPTR, "tensors", setters[i](e, 0, 0, NULL, &target));
		assert_refused(ACLNN_ERR_INNER_NULLPTR, "executor", setters[i](NULL, 0, 0, list, &target));
	}
	assert_int_equal(aclDestroyTensorList(list), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "tensors", aclSetDynamicTensorAddr(e, 0, 0, list, w.x));
	assert_int_equal(aclDestroyAclOpExecutor(e), ACLNN_SUCCESS);
	end(&w);
}

/* ---- Views --------------------------------------------------------------------------------------------------- */

/* The two views that CANN's documents show, in a buffer of ten by ten; results in every fifth element, backwards. */
static void test_views_of_the_documents(void **state)
{
	static const struct {
		int64_t shape[2], strides[2];
	} views[] = { { { 6, 5 }, { 10, 1 } }, { { 4, 3 }, { 20, 2 } } };
	const int64_t ten[2] = { 10, 10 };
	float x[100];
	float y[6 * FAR];
	aclOpExecutor *e;
	uint64_t size;

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		const int64_t count = views[v].shape[0];
		const int64_t backwards = -FAR;
		const int64_t storage = 6 * FAR;
		const int64_t axis = 1;
		float expected[6];

		for (int i = 0; i < 100; i++)
			x[i] = NAN;
		for (int i = 0; i < 6 * FAR; i++)
			y[i] = -1;
		for (int64_t i = 0; i < count; i++) {
			for (int64_t j = 0; j < views[v].shape[1]; j++)
				x[22 + i * views[v].strides[0] + j * views[v].strides[1]] = (float)(i * i * j * 3 + j);
		}
		rstd_tensor tx = { x + 22, RSTD_F32, 2, { 0 }, { 0 } };
		memcpy(tx.shape, views[v].shape, sizeof(views[v].shape));
		memcpy(tx.strides, views[v].strides, sizeof(views[v].strides));
		rstd_tensor ty;
		assert_int_equal(rstd_tensor_contiguous(&ty, expected, RSTD_F32, 1, &count), RSTD_OK);
		assert_int_equal(rstd_std_mean(&tx, &axis, 1, 1, false, &ty, NULL), RSTD_OK);

		aclTensor *const self =
			aclCreateTensor(views[v].shape, 2, ACL_FLOAT, views[v].strides, 22, ACL_FORMAT_ND, ten, 2, x);
		aclTensor *const out = aclCreateTensor(&count, 1, ACL_FLOAT, &backwards, (count - 1) * FAR,
		                                       ACL_FORMAT_ND, &storage, 1, y);
		aclIntArray *const dim = aclCreateIntArray(&axis, 1);
		assert_int_equal(aclnnStdGetWorkspaceSize(self, dim, 1, false, out, &size, &e), ACLNN_SUCCESS);
		assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
		synchronize();
		for (int i = 0; i < 6 * FAR; i++) {
			const int64_t row = count - 1 - i / FAR;
			const bool result = i % FAR == 0 && row >= 0;

			assert_true(result ? y[i] == expected[row] : y[i] == -1);
		}
		aclDestroyTensor(self);
		aclDestroyTensor(out);
		aclDestroyIntArray(dim);
	}
}

/* One row of two floats: results for N and correction, as IEEE division has them. */
static void test_divisors(void **state)
{
	static const struct {
		float x[2];
		int64_t n, correction;
		float expected; /* -1: NaN */
	} cases[] = {
		{ { 1, 3 }, 2, 0, 1 },  { { 1, 3 }, 2, 2, INFINITY },  { { 1, 3 }, 2, INT64_MAX, INFINITY },
		{ { 5, 5 }, 2, 2, -1 }, { { 5, 5 }, 2, 0, 0 },         { { 5, 0 }, 1, 1, -1 },
		{ { 5, 0 }, 1, 0, 0 },  { { INFINITY, 0 }, 1, 0, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		float x[2];
		float y = -2;
		aclOpExecutor *e;
		uint64_t size;

		memcpy(x, cases[i].x, sizeof(x));
		aclTensor *const self = row_major(1, &cases[i].n, x);
		aclTensor *const out = row_major(0, NULL, &y);
		assert_int_equal(aclnnStdGetWorkspaceSize(self, NULL, cases[i].correction, false, out, &size, &e),
		                 ACLNN_SUCCESS);
		assert_int_equal(aclnnStd(NULL, 0, e, stream), ACLNN_SUCCESS);
		synchronize();
		assert_true(cases[i].expected == -1 ? isnan(y) : y == cases[i].expected);
		aclDestroyTensor(self);
		aclDestroyTensor(out);
	}
}

/* C channels and nothing in them; one element in each. */
static void test_channels_without_elements(void **state)
{
	const int64_t shape[3] = { 0, 2, 5 };
	const int64_t single[2] = { 1, 2 };
	float x[2] = { 8, 9 };
	float mean[2] = { -1, -1 };
	float invstd[2] = { -1, -1 };
	aclOpExecutor *e;
	uint64_t size;

	(void)state;
	aclTensor *const empty = row_major(3, shape, NULL);
	aclTensor *const one = row_major(2, single, x);
	aclTensor *const m = row_major(1, rows, mean);
	aclTensor *const v = row_major(1, rows, invstd);
	assert_int_equal(aclnnBatchNormStatsGetWorkspaceSize(empty, 1e-5, m, v, &size, &e), ACLNN_SUCCESS);
	assert_int_equal(aclnnBatchNormStats(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(mean, 0);
	assert_true(isnan(invstd[0]) && isnan(invstd[1]));
	assert_int_equal(aclnnBatchNormStatsGetWorkspaceSize(one, 0.0625, m, v, &size, &e), ACLNN_SUCCESS);
	assert_int_equal(aclnnBatchNormStats(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_true(mean[0] == 8 && mean[1] == 9);
	assert_rows(invstd, 4);
	assert_int_equal(aclnnBatchNormStatsGetWorkspaceSize(one, 0, m, v, &size, &e), ACLNN_SUCCESS);
	assert_int_equal(aclnnBatchNormStats(NULL, 0, e, stream), ACLNN_SUCCESS);
	synchronize();
	assert_rows(invstd, INFINITY);
	aclDestroyTensor(empty);
	aclDestroyTensor(one);
	aclDestroyTensor(m);
	aclDestroyTensor(v);
}

static int setup(void **state)
{
	(void)state;
	return aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&stream);
}

static int teardown(void **state)
{
	(void)state;
	return aclrtDestroyStream(stream) || aclrtResetDevice(0) || aclFinalize();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_interfaces),
		cmocka_unit_test(test_default_stream),
		cmocka_unit_test(test_spent_executor),
		cmocka_unit_test(test_executor_that_never_runs),
		cmocka_unit_test(test_what_is_no_executor),
		cmocka_unit_test(test_executor_of_another_interface),
		cmocka_unit_test(test_no_stream),
		cmocka_unit_test(test_phase_2_does_not_wait),
		cmocka_unit_test(test_addresses_are_taken_by_phase_2),
		cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_memory_that_is_too_small),
		cmocka_unit_test(test_operands_that_changed),
		cmocka_unit_test(test_overlap_surfaces_at_synchronisation),
		cmocka_unit_test(test_workspace),
		cmocka_unit_test(test_repeatable),
		cmocka_unit_test(test_destroyed_while_queued),
		cmocka_unit_test(test_dropped_runs),
		cmocka_unit_test(test_address_setters),
		cmocka_unit_test(test_list_address_setters),
		cmocka_unit_test(test_views_of_the_documents),
		cmocka_unit_test(test_divisors),
		cmocka_unit_test(test_channels_without_elements),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
