/*
 * test_aclnn_dlopen.c - the libraries by their names at run time, as frameworks open them; this program links none
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_std.h"

static void *library(const char *name)
{
	char path[1024];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s", RSTD_CANN_LIB_DIR, name);
	handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!handle)
		fail_msg("%s", dlerror());
	return handle;
}

/* POSIX lets a pointer to an object become one to a function only through memory. */
static void find(void *handle, const char *name, void *function)
{
	*(void **)function = dlsym(handle, name);
	if (!*(void **)function)
		fail_msg("no %s", name);
}

/* As torch_npu does it: meta functions from libnnopbase.so, phases from libopapi.so, the runtime from libascendcl.so. */
static void test_phases(void **state)
{
	void *const acl = library("libascendcl.so"), *const base = library("libnnopbase.so");
	void *const op = library("libopapi.so");
	const int64_t shape[2] = { 2, 4 }, rows = 2, axis = 1;
	const float data[8] = { 1, 3, 1, 3, -5, 5, -5, 5 };
	float result[2] = { 0, 0 };
	__typeof__(aclInit) *init;
	__typeof__(aclFinalize) *finalize;
	__typeof__(aclrtSetDevice) *set_device;
	__typeof__(aclrtResetDevice) *reset_device;
	__typeof__(aclrtMalloc) *device_malloc;
	__typeof__(aclrtFree) *device_free;
	__typeof__(aclrtMemcpy) *device_copy;
	__typeof__(aclrtSynchronizeStream) *synchronize;
	__typeof__(aclCreateTensor) *create_tensor;
	__typeof__(aclDestroyTensor) *destroy_tensor;
	__typeof__(aclCreateIntArray) *create_int_array;
	__typeof__(aclDestroyIntArray) *destroy_int_array;
	__typeof__(aclnnStdGetWorkspaceSize) *phase_1;
	__typeof__(aclnnStd) *phase_2;
	void *x_data, *y_data;
	aclTensor *x, *y;
	aclIntArray *dim;
	aclOpExecutor *executor;
	uint64_t size;

	(void)state;
	find(acl, "aclInit", &init);
	find(acl, "aclFinalize", &finalize);
	find(acl, "aclrtSetDevice", &set_device);
	find(acl, "aclrtResetDevice", &reset_device);
	find(acl, "aclrtMalloc", &device_malloc);
	find(acl, "aclrtFree", &device_free);
	find(acl, "aclrtMemcpy", &device_copy);
	find(acl, "aclrtSynchronizeStream", &synchronize);
	find(base, "aclCreateTensor", &create_tensor);
	find(base, "aclDestroyTensor", &destroy_tensor);
	find(base, "aclCreateIntArray", &create_int_array);
	find(base, "aclDestroyIntArray", &destroy_int_array);
	find(op, "aclnnStdGetWorkspaceSize", &phase_1);
	find(op, "aclnnStd", &phase_2);

	assert_int_equal(init(NULL), 0);
	assert_int_equal(set_device(0), 0);
	assert_int_equal(device_malloc(&x_data, sizeof(data), ACL_MEM_MALLOC_HUGE_FIRST), 0);
	assert_int_equal(device_malloc(&y_data, sizeof(result), ACL_MEM_MALLOC_HUGE_FIRST), 0);
	assert_int_equal(device_copy(x_data, sizeof(data), data, sizeof(data), ACL_MEMCPY_HOST_TO_DEVICE), 0);
	x = create_tensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, x_data);
	y = create_tensor(&rows, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &rows, 1, y_data);
	dim = create_int_array(&axis, 1);
	assert_int_equal(phase_1(x, dim, 0, false, y, &size, &executor), 0);
	assert_int_equal(size, 0);
	assert_int_equal(phase_2(NULL, 0, executor, NULL), 0);
	assert_int_equal(synchronize(NULL), 0);
	assert_int_equal(device_copy(result, sizeof(result), y_data, sizeof(result), ACL_MEMCPY_DEVICE_TO_HOST), 0);
	assert_true(result[0] == 1 && result[1] == 5);
	assert_int_equal(destroy_int_array(dim), 0);
	assert_int_equal(destroy_tensor(y), 0);
	assert_int_equal(destroy_tensor(x), 0);
	assert_int_equal(device_free(y_data), 0);
	assert_int_equal(device_free(x_data), 0);
	assert_int_equal(reset_device(0), 0);
	assert_int_equal(finalize(), 0);
}

/* Every interface is where frameworks look for it. */
static void test_names(void **state)
{
	static const char *const libraries[] = { "libopapi.so", "libopapi_math.so" };
	static const char *const names[] = {
		"aclnnStdGetWorkspaceSize",
		"aclnnStd",
		"aclnnStdMeanCorrectionGetWorkspaceSize",
		"aclnnStdMeanCorrection",
		"aclnnBatchNormStatsGetWorkspaceSize",
		"aclnnBatchNormStats",
		"aclnnReduceStdWithMeanGetWorkspaceSize",
		"aclnnReduceStdWithMean",
	};
	void *handle, *symbol;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		handle = library(libraries[i]);
		for (k = 0; k < sizeof(names) / sizeof(*names); k++)
			find(handle, names[k], &symbol);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_phases),
	};

	return cmocka_run_group_tests_name("aclnn dlopen", tests, NULL, NULL);
}
