/*
 * test_aclnn_alloc.c - every allocation of the operators' side fails once: a code, nothing written, nothing leaked
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with --wrap for malloc, calloc and free, and with the static libraries, so that their calls come here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_reduce_std_with_mean.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"

/* ---- The allocator as the tests want it ------------------------------------------------------------------------ */

static bool watching; /* this thread alone allocates here */
static int allowed;   /* allocations that still succeed */
static int held;      /* while watching: blocks not yet freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *p);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *p);

static void *got(void *p)
{
	held += watching && p != NULL;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return watching && allowed-- <= 0 ? NULL : got(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return watching && allowed-- <= 0 ? NULL : got(__real_calloc(count, size));
}

void __wrap_free(void *p)
{
	held -= watching && p != NULL;
	__real_free(p);
}

/* operator delete[] of C++, where a C++ runtime is loaded, whose new[] the getters use and which does not come here. */
extern void delete_array(void *array) __asm__("_ZdaPv") __attribute__((weak));

/* ---- Trials -------------------------------------------------------------------------------------------------- */

/*
 * Calls with 0, 1, 2, ... allocations allowed until that is enough; the function undoes what it did, then says so. The
 * first call is for the slots of handles of this kind, which stay.
 */
static void try_all(const char *name, int (*call)(void), int code)
{
	assert_int_equal(call(), ACLNN_SUCCESS);
	for (int n = 0;; n++) {
		assert_in_range(n, 0, 20);
		held = 0;
		allowed = n;
		watching = true;
		const int status = call();
		watching = false;
		const char *const message = aclGetRecentErrMsg();
		if (held != 0)
			fail_msg("%s, %d allocations allowed: %d blocks are left", name, n, held);
		if (status == ACLNN_SUCCESS) {
			assert_true(n > 0 || delete_array != NULL);
			return;
		}
		if (status != code || message == NULL || strstr(message, "memory") == NULL)
			fail_msg("%s, %d allocations allowed: %d, %s", name, n, status,
			         message != NULL ? message : "no message");
	}
}

static const int64_t shape[2] = { 2, 3 };
static float x[6], y[3], z[3];
static aclTensor *self, *given, *out, *mean;
static aclIntArray *dim;

/* A create function says NULL where others have a code. */
static int judge(bool made)
{
	return made ? ACLNN_SUCCESS : ACLNN_ERR_INNER_NULLPTR;
}

static int create_tensor(void)
{
	aclTensor *const t = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, x);

	aclDestroyTensor(t);
	return judge(t != NULL);
}

static int create_int_array(void)
{
	aclIntArray *const a = aclCreateIntArray(shape, 2);

	aclDestroyIntArray(a);
	return judge(a != NULL);
}

static int create_float_array(void)
{
	aclFloatArray *const a = aclCreateFloatArray(x, 2);

	aclDestroyFloatArray(a);
	return judge(a != NULL);
}

static int create_bool_array(void)
{
	static const bool values[2] = { true, false };
	aclBoolArray *const a = aclCreateBoolArray(values, 2);

	aclDestroyBoolArray(a);
	return judge(a != NULL);
}

static int create_scalar(void)
{
	aclScalar *const s = aclCreateScalar(x, ACL_FLOAT);

	aclDestroyScalar(s);
	return judge(s != NULL);
}

static int create_tensor_list(void)
{
	aclTensorList *const list = aclCreateTensorList(NULL, 0);

	aclDestroyTensorList(list);
	return judge(list != NULL);
}

static int create_scalar_list(void)
{
	aclScalarList *const list = aclCreateScalarList(NULL, 0);

	aclDestroyScalarList(list);
	return judge(list != NULL);
}

static int get_list(aclnnStatus (*get)(const aclTensor *, int64_t **, uint64_t *))
{
	int64_t mark = 0;
	int64_t *list = &mark;
	uint64_t number = 77;
	const aclnnStatus status = get(self, &list, &number);

	if (status != ACLNN_SUCCESS)
		return list == &mark && number == 77 ? status : -1;
	if (delete_array != NULL)
		delete_array(list);
	else
		free(list);
	return ACLNN_SUCCESS;
}

static int get_view_shape(void)
{
	return get_list(aclGetViewShape);
}

static int get_storage_shape(void)
{
	return get_list(aclGetStorageShape);
}

static int get_view_strides(void)
{
	return get_list(aclGetViewStrides);
}

/* When a tensor cannot be described anew it is as it was. */
static int init_tensor(void)
{
	int64_t before;
	int64_t after;

	aclGetViewOffset(self, &before);
	const aclnnStatus status =
		aclInitTensor(self, shape, 2, ACL_FLOAT, NULL, before + 1, ACL_FORMAT_ND, shape, 2, x);
	aclGetViewOffset(self, &after);
	return status == ACLNN_SUCCESS || after == before ? status : -1;
}

/* What phase 1 made goes; what it must not touch when it fails is looked at. */
static int finish(aclnnStatus status, uint64_t size, aclOpExecutor *executor)
{
	if (status != ACLNN_SUCCESS)
		return size == 77 && executor == NULL ? status : -1;
	return aclDestroyAclOpExecutor(executor);
}

static int phase_1_std(void)
{
	aclOpExecutor *e = NULL;
	uint64_t size = 77;
	const aclnnStatus status = aclnnStdGetWorkspaceSize(self, dim, 1, false, out, &size, &e);

	return finish(status, size, e);
}

static int phase_1_std_mean_correction(void)
{
	aclOpExecutor *e = NULL;
	uint64_t size = 77;
	const aclnnStatus status = aclnnStdMeanCorrectionGetWorkspaceSize(self, dim, 1, false, out, mean, &size, &e);

	return finish(status, size, e);
}

static int phase_1_batch_norm_stats(void)
{
	aclOpExecutor *e = NULL;
	uint64_t size = 77;
	const aclnnStatus status = aclnnBatchNormStatsGetWorkspaceSize(self, 0, mean, out, &size, &e);

	return finish(status, size, e);
}

static int phase_1_reduce_std_with_mean(void)
{
	aclOpExecutor *e = NULL;
	uint64_t size = 77;
	const aclnnStatus status =
		aclnnReduceStdWithMeanGetWorkspaceSize(self, given, dim, true, false, false, 0, 1, out, &size, &e);

	return finish(status, size, e);
}

/* ---- Tests --------------------------------------------------------------------------------------------------- */

/* The first object of a kind also needs the first slots for handles, which stay. */
static void test_first_object(void **state)
{
	int n = 0;
	aclTensor *t;

	(void)state;
	do {
		assert_in_range(n, 0, 9);
		held = 0;
		allowed = n++;
		watching = true;
		t = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, x);
		watching = false;
		assert_int_equal(held, t == NULL ? 0 : 3);
	} while (t == NULL);
	assert_int_equal(n - 1, 3);
	aclDestroyTensor(t);
}

static void test_objects(void **state)
{
	const int inner = ACLNN_ERR_INNER_NULLPTR;

	(void)state;
	try_all("aclCreateTensor", create_tensor, inner);
	try_all("aclCreateIntArray", create_int_array, inner);
	try_all("aclCreateFloatArray", create_float_array, inner);
	try_all("aclCreateBoolArray", create_bool_array, inner);
	try_all("aclCreateScalar", create_scalar, inner);
	try_all("aclCreateTensorList", create_tensor_list, inner);
	try_all("aclCreateScalarList", create_scalar_list, inner);
	self = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, x);
	try_all("aclGetViewShape", get_view_shape, inner);
	try_all("aclGetStorageShape", get_storage_shape, inner);
	try_all("aclGetViewStrides", get_view_strides, inner);
	try_all("aclInitTensor", init_tensor, inner);
	aclDestroyTensor(self);
}

/* The executor comes first, then the plan. */
static void test_phase_1(void **state)
{
	static int (*const calls[4])(void) = { phase_1_std, phase_1_std_mean_correction, phase_1_batch_norm_stats,
		                               phase_1_reduce_std_with_mean };
	const int64_t axis = 0;

	(void)state;
	self = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, x);
	given = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, x);
	out = aclCreateTensor(&shape[1], 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &shape[1], 1, y);
	mean = aclCreateTensor(&shape[1], 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &shape[1], 1, z);
	dim = aclCreateIntArray(&axis, 1);
	for (int i = 0; i < 4; i++) {
		static const int codes[3] = { ACLNN_ERR_INNER_CREATE_EXECUTOR, ACLNN_ERR_INNER_NULLPTR, ACLNN_SUCCESS };

		assert_int_equal(calls[i](), ACLNN_SUCCESS); /* slots of handles */
		for (int n = 0; n < 3; n++) {
			held = 0;
			allowed = n;
			watching = true;
			const int status = calls[i]();
			watching = false;
			const char *const message = aclGetRecentErrMsg();
			assert_int_equal(status, codes[n]);
			assert_int_equal(held, 0);
			assert_true(n == 2 ||
			            (message != NULL && strstr(message, n == 0 ? "memory" : "allocate") != NULL));
		}
	}
	aclDestroyTensor(self);
	aclDestroyTensor(given);
	aclDestroyTensor(out);
	aclDestroyTensor(mean);
	aclDestroyIntArray(dim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_object),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_phase_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
