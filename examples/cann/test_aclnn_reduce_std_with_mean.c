/*
 * test_aclnn_reduce_std_with_mean.c - in C: the deviation of rows about a mean that is given, broadcast by a stride of 0
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * aclnnReduceStdWithMean is rstd's addition: CANN has the operator, but no such interface to it.
 */
#include "acl/acl.h"
#include "aclnnop/aclnn_reduce_std_with_mean.h"

#include <stdint.h>
#include <stdio.h>

#define ROWS 2
#define COLS 4

struct device {
	int32_t id;
	aclrtStream stream;
	aclrtEvent start, end;
};

/* What the program has on the device. */
struct operands {
	void *x_data, *mean_data, *y_data;
	aclTensor *x, *mean, *y;
	aclIntArray *dim;
};

/* Prints what failed; returns the code. */
static int complain(const char *what, int code)
{
	const char *why = aclGetRecentErrMsg();

	if (code != 0)
		fprintf(stderr, "%s: %d, %s\n", what, code, why ? why : "no message");
	return code;
}

#define TRY(call)                                                                                                      \
	do {                                                                                                           \
		const int try_code = complain(#call, (call));                                                          \
		if (try_code != 0)                                                                                     \
			return try_code;                                                                               \
	} while (0)

static int device_open(struct device *device)
{
	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(device->id));
	TRY(aclrtCreateStream(&device->stream));
	TRY(aclrtCreateEvent(&device->start));
	TRY(aclrtCreateEvent(&device->end));
	return 0;
}

static int device_close(struct device *device)
{
	TRY(aclrtDestroyEvent(device->start));
	TRY(aclrtDestroyEvent(device->end));
	TRY(aclrtDestroyStream(device->stream));
	TRY(aclrtResetDevice(device->id));
	TRY(aclFinalize());
	return 0;
}

static int upload(void **address, const void *data, size_t bytes)
{
	TRY(aclrtMalloc(address, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
	TRY(aclrtMemcpy(*address, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	return 0;
}

static int operands_make(struct operands *o)
{
	static const float x[ROWS][COLS] = { { 7, 9, 5, 7 }, { 103, 97, 100, 100 } };
	static const float mean[ROWS] = { 7, 100 };
	static const float y[ROWS] = { 0 };
	static const int64_t shape[2] = { ROWS, COLS }, strides[2] = { COLS, 1 }, repeated[2] = { 1, 0 };
	static const int64_t rows = ROWS, last_axis = -1;

	TRY(upload(&o->x_data, x, sizeof(x)));
	TRY(upload(&o->mean_data, mean, sizeof(mean)));
	TRY(upload(&o->y_data, y, sizeof(y)));
	o->x = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, o->x_data);
	/* Of the shape of x, but each of its ROWS elements serves a whole row. */
	o->mean = aclCreateTensor(shape, 2, ACL_FLOAT, repeated, 0, ACL_FORMAT_ND, &rows, 1, o->mean_data);
	o->y = aclCreateTensor(&rows, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &rows, 1, o->y_data);
	o->dim = aclCreateIntArray(&last_axis, 1);
	return o->x && o->mean && o->y && o->dim ? 0 : 1;
}

static int operands_free(struct operands *o)
{
	aclDestroyIntArray(o->dim);
	aclDestroyTensor(o->x);
	aclDestroyTensor(o->mean);
	aclDestroyTensor(o->y);
	TRY(aclrtFree(o->x_data));
	TRY(aclrtFree(o->mean_data));
	TRY(aclrtFree(o->y_data));
	return 0;
}

/* Both phases, timed on the stream. */
static int run(const struct device *device, const struct operands *o, bool invert)
{
	const bool unbiased = true, keepdim = false;
	const float epsilon = 0.25F;
	const int64_t correction = 1;
	aclOpExecutor *executor = NULL;
	void *workspace = NULL;
	uint64_t size = 0;
	float milliseconds = 0;

	TRY(aclnnReduceStdWithMeanGetWorkspaceSize(o->x, o->mean, o->dim, unbiased, keepdim, invert, epsilon,
	                                           correction, o->y, &size, &executor));
	if (size > 0)
		TRY(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	TRY(aclrtRecordEvent(device->start, device->stream));
	TRY(aclnnReduceStdWithMean(workspace, size, executor, device->stream));
	TRY(aclrtRecordEvent(device->end, device->stream));
	TRY(aclrtSynchronizeStream(device->stream));
	TRY(aclrtEventElapsedTime(&milliseconds, device->start, device->end));
	if (workspace)
		TRY(aclrtFree(workspace));
	printf("%s took %.3f ms\n", invert ? "the reciprocal" : "the deviation", (double)milliseconds);
	return 0;
}

/* How many elements of y are not as expected; below 0: y could not be read. */
static int check(const struct operands *o, const float expected[ROWS])
{
	float y[ROWS];
	int wrong = 0;

	if (complain("read y", aclrtMemcpy(y, sizeof(y), o->y_data, sizeof(y), ACL_MEMCPY_DEVICE_TO_HOST)) != 0)
		return -1;
	for (int i = 0; i < ROWS; i++) {
		printf("y[%d] = %.9g, expected %.9g\n", i, (double)y[i], (double)expected[i]);
		wrong += y[i] != expected[i];
	}
	return wrong;
}

int main(void)
{
	/* sqrt(8 / 3), sqrt(18 / 3); 1 / sqrt(8 / 4 + 0.25), 1 / sqrt(18 / 4 + 0.25) */
	static const float deviation[ROWS] = { 1.63299322F, 2.44948983F },
			   reciprocal[ROWS] = { 0.666666687F, 0.458831459F };
	struct device device = { 0 };
	struct operands operands = { 0 };
	int wrong = 0;

	TRY(device_open(&device));
	TRY(operands_make(&operands));
	TRY(run(&device, &operands, false));
	wrong |= check(&operands, deviation);
	TRY(run(&device, &operands, true));
	wrong |= check(&operands, reciprocal);
	TRY(operands_free(&operands));
	TRY(device_close(&device));
	return wrong ? 1 : 0;
}
