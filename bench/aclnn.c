/*
 * aclnn.c - aclnnStd on a 2x4 array, as a program for CANN calls it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "aclnn.h"

#ifdef RSTD_BENCH_CANN
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_std.h"
#include "clock.h"

const bool aclnn_built = true;

struct aclnn_calls {
	aclrtStream stream;
	void *x, *y;
	aclTensor *x_tensor, *y_tensor;
	aclIntArray *dim;
	aclOpExecutor *repeatable;
};

static double wall_seconds(void)
{
	return clock_seconds(2);
}

static bool phase_1(const struct aclnn_calls *calls, aclOpExecutor **executor)
{
	uint64_t size;

	return aclnnStdGetWorkspaceSize(calls->x_tensor, calls->dim, 1, false, calls->y_tensor, &size, executor) == 0 &&
	       size == 0;
}

static bool phase_2(const struct aclnn_calls *calls, aclOpExecutor *executor)
{
	return aclnnStd(NULL, 0, executor, calls->stream) == 0 && aclrtSynchronizeStream(calls->stream) == 0;
}

static bool fill(struct aclnn_calls *calls, const float data[8])
{
	static const int64_t shape[2] = { 2, 4 }, rows = 2, last_axis = -1;
	const size_t x_bytes = 8 * sizeof(float), y_bytes = 2 * sizeof(float);

	if (aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&calls->stream) ||
	    aclrtMalloc(&calls->x, x_bytes, ACL_MEM_MALLOC_HUGE_FIRST) ||
	    aclrtMalloc(&calls->y, y_bytes, ACL_MEM_MALLOC_HUGE_FIRST) ||
	    aclrtMemcpy(calls->x, x_bytes, data, x_bytes, ACL_MEMCPY_HOST_TO_DEVICE))
		return false;
	calls->x_tensor = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, calls->x);
	calls->y_tensor = aclCreateTensor(&rows, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &rows, 1, calls->y);
	calls->dim = aclCreateIntArray(&last_axis, 1);
	return calls->x_tensor && calls->y_tensor && calls->dim && phase_1(calls, &calls->repeatable) &&
	       aclSetAclOpExecutorRepeatable(calls->repeatable) == 0;
}

struct aclnn_calls *aclnn_make(const float data[8])
{
	struct aclnn_calls *calls = calloc(1, sizeof(*calls));

	if (calls && !fill(calls, data)) {
		aclnn_free(calls);
		return NULL;
	}
	return calls;
}

void aclnn_free(struct aclnn_calls *calls)
{
	if (!calls)
		return;
	if (calls->repeatable)
		aclDestroyAclOpExecutor(calls->repeatable);
	aclDestroyIntArray(calls->dim);
	aclDestroyTensor(calls->y_tensor);
	aclDestroyTensor(calls->x_tensor);
	if (calls->y)
		aclrtFree(calls->y);
	if (calls->x)
		aclrtFree(calls->x);
	if (calls->stream)
		aclrtDestroyStream(calls->stream);
	aclrtResetDevice(0);
	aclFinalize();
	free(calls);
}

double aclnn_sample_one_shot(void *context, size_t repeat)
{
	const struct aclnn_calls *calls = context;
	const double start = wall_seconds();
	aclOpExecutor *executor;

	for (size_t i = 0; i < repeat; i++)
		if (!phase_1(calls, &executor) || !phase_2(calls, executor))
			return -1;
	return wall_seconds() - start;
}

double aclnn_sample_repeated(void *context, size_t repeat)
{
	const struct aclnn_calls *calls = context;
	const double start = wall_seconds();

	for (size_t i = 0; i < repeat; i++)
		if (!phase_2(calls, calls->repeatable))
			return -1;
	return wall_seconds() - start;
}

#else

const bool aclnn_built = false;

struct aclnn_calls *aclnn_make(const float data[8])
{
	(void)data;
	return NULL;
}

void aclnn_free(struct aclnn_calls *calls)
{
	(void)calls;
}

double aclnn_sample_one_shot(void *context, size_t repeat)
{
	(void)context, (void)repeat;
	return -1;
}

double aclnn_sample_repeated(void *context, size_t repeat)
{
	(void)context, (void)repeat;
	return -1;
}

#endif
