/*
 * test_aclnn_meta.c - tensors, arrays, scalars and lists: what they keep, and what becomes of misuse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L

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

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#define MANY 5000 /* more objects than one chunk of handles */

/* operator delete[] of C++, where a C++ runtime is loaded, as sanitizers do: the arrays of the getters are for it. */
extern void delete_array(void *array) __asm__("_ZdaPv") __attribute__((weak));

/* The last failure of this thread began with its code and names the argument. */
static void assert_told(int code, const char *argument)
{
	const char *const message = aclGetRecentErrMsg();
	char begin[32];

	assert_non_null(message);
	snprintf(begin, sizeof(begin), "[%d] ", code);
	if (strncmp(message, begin, strlen(begin)) != 0 || strstr(message, argument) == NULL)
		fail_msg("\"%s\" does not begin with %s or does not name %s", message, begin, argument);
}

#define assert_refused(code, argument, call)                                                                           \
	do {                                                                                                           \
		assert_int_equal(call, code);                                                                          \
		assert_told(code, argument);                                                                           \
	} while (0)

static void assert_list(aclnnStatus (*get)(const aclTensor *, int64_t **, uint64_t *), const aclTensor *tensor,
                        const int64_t *expected, uint64_t count)
{
	int64_t *list = NULL;
	uint64_t number = UINT64_MAX;

	assert_int_equal(get(tensor, &list, &number), ACLNN_SUCCESS);
	assert_int_equal(number, count);
	assert_non_null(list);
	if (count > 0)
		assert_memory_equal(list, expected, count * sizeof(*expected));
	if (delete_array != NULL)
		delete_array(list);
	else
		free(list);
}

/* ---- Tensors ------------------------------------------------------------------------------------------------- */

static void test_tensor_keeps_its_description(void **state)
{
	const int64_t shape[3] = { 4, 1, 3 };
	const int64_t strides[3] = { -20, 0, 2 };
	const int64_t storage[2] = { 10, 10 };
	float memory[1];
	int64_t offset = 0;
	aclFormat format = ACL_FORMAT_UNDEFINED;
	aclDataType dtype = ACL_DT_UNDEFINED;
	void *address = NULL;

	(void)state;
	int64_t s[3] = { 4, 1, 3 };
	aclTensor *const t = aclCreateTensor(s, 3, ACL_BF16, strides, 82, ACL_FORMAT_NCL, storage, 2, memory);
	memset(s, 0, sizeof(s)); /* it has copies */
	assert_non_null(t);
	assert_list(aclGetViewShape, t, shape, 3);
	assert_list(aclGetViewStrides, t, strides, 3);
	assert_list(aclGetStorageShape, t, storage, 2);
	assert_int_equal(aclGetViewOffset(t, &offset), ACLNN_SUCCESS);
	assert_int_equal(offset, 82);
	assert_int_equal(aclGetFormat(t, &format), ACLNN_SUCCESS);
	assert_int_equal(format, ACL_FORMAT_NCL);
	assert_int_equal(aclGetDataType(t, &dtype), ACLNN_SUCCESS);
	assert_int_equal(dtype, ACL_BF16);
	assert_int_equal(aclGetRawTensorAddr(t, &address), ACLNN_SUCCESS);
	assert_ptr_equal(address, memory);
	assert_int_equal(aclSetRawTensorAddr(t, s), ACLNN_SUCCESS);
	assert_int_equal(aclGetRawTensorAddr(t, &address), ACLNN_SUCCESS);
	assert_ptr_equal(address, s);
	assert_int_equal(aclSetRawTensorAddr(t, NULL), ACLNN_SUCCESS);
	assert_int_equal(aclGetRawTensorAddr(t, &address), ACLNN_SUCCESS);
	assert_null(address);
	assert_int_equal(aclDestroyTensor(t), ACLNN_SUCCESS);
}

static void test_tensor_without_strides_is_row_major(void **state)
{
	const int64_t shape[4] = { 2, 3, 4, 5 };
	const int64_t strides[4] = { 60, 20, 5, 1 };
	int64_t high[25];

	(void)state;
	aclTensor *t = aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 4, NULL);
	assert_list(aclGetViewStrides, t, strides, 4);
	aclDestroyTensor(t);

	/* no rank, no memory, no storage */
	t = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
	assert_non_null(t);
	assert_list(aclGetViewShape, t, NULL, 0);
	assert_list(aclGetViewStrides, t, NULL, 0);
	assert_list(aclGetStorageShape, t, NULL, 0);
	aclDestroyTensor(t);

	/* ranks that no operator takes, extents and dtypes that mean nothing, and products beyond all numbers */
	for (int i = 0; i < 25; i++)
		high[i] = INT64_MAX - i;
	high[24] = -7;
	t = aclCreateTensor(high, 25, ACL_STRING, NULL, -1, ACL_FORMAT_FRACTAL_NZ, high, 25, NULL);
	assert_non_null(t);
	assert_list(aclGetViewShape, t, high, 25);
	assert_list(aclGetStorageShape, t, high, 25);
	aclDestroyTensor(t);
}

static void test_tensor_null_dims(void **state)
{
	const int64_t shape[1] = { 3 };

	(void)state;
	assert_null(aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, NULL));
	assert_told(ACLNN_ERR_PARAM_NULLPTR, "viewDims");
	assert_null(aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 2, NULL));
	assert_told(ACLNN_ERR_PARAM_NULLPTR, "storageDims");
	assert_null(aclCreateTensor(shape, UINT64_MAX, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, NULL));
	assert_told(ACLNN_ERR_PARAM_INVALID, "viewDimsNum");
}

static void test_init_tensor(void **state)
{
	const int64_t shape[2] = { 2, 3 };
	const int64_t strides[2] = { 1, 2 };
	const int64_t other[3] = { 5, 6, 7 };
	const int64_t other_strides[3] = { 42, 7, 1 };
	int memory[2];
	void *address;
	aclDataType dtype;
	int64_t offset;

	(void)state;
	aclTensor *const t = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 9, ACL_FORMAT_ND, shape, 2, &memory[0]);
	assert_int_equal(aclInitTensor(t, other, 3, ACL_BF16, NULL, 4, ACL_FORMAT_NCL, other, 3, &memory[1]),
	                 ACLNN_SUCCESS);
	assert_list(aclGetViewShape, t, other, 3);
	assert_list(aclGetViewStrides, t, other_strides, 3);
	assert_list(aclGetStorageShape, t, other, 3);
	aclGetDataType(t, &dtype);
	assert_int_equal(dtype, ACL_BF16);
	aclGetViewOffset(t, &offset);
	assert_int_equal(offset, 4);
	aclGetRawTensorAddr(t, &address);
	assert_ptr_equal(address, &memory[1]);

	/* what is null or empty stays */
	assert_int_equal(aclInitTensor(t, NULL, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 0, NULL), ACLNN_SUCCESS);
	assert_list(aclGetViewShape, t, other, 3);
	assert_list(aclGetStorageShape, t, other, 3);
	aclGetDataType(t, &dtype);
	assert_int_equal(dtype, ACL_FLOAT);
	aclGetRawTensorAddr(t, &address);
	assert_ptr_equal(address, &memory[1]);

	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "tensor",
	               aclInitTensor(NULL, shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, NULL));
	aclDestroyTensor(t);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "tensor",
	               aclInitTensor(t, shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, NULL));
}

static void test_getters_refuse_null(void **state)
{
	const int64_t shape[1] = { 3 };
	int64_t *list = NULL;
	uint64_t number = 77;
	int64_t offset;
	aclFormat format;
	aclDataType dtype;
	void *address;

	(void)state;
	aclTensor *const t = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, NULL);
	const int null = ACLNN_ERR_PARAM_NULLPTR;
	assert_refused(null, "tensor", aclGetViewShape(NULL, &list, &number));
	assert_refused(null, "viewDims", aclGetViewShape(t, NULL, &number));
	assert_refused(null, "viewDimsNum", aclGetViewShape(t, &list, NULL));
	assert_refused(null, "tensor", aclGetStorageShape(NULL, &list, &number));
	assert_refused(null, "storageDims", aclGetStorageShape(t, NULL, &number));
	assert_refused(null, "storageDimsNum", aclGetStorageShape(t, &list, NULL));
	assert_refused(null, "tensor", aclGetViewStrides(NULL, &list, &number));
	assert_refused(null, "stridesValue", aclGetViewStrides(t, NULL, &number));
	assert_refused(null, "stridesNum", aclGetViewStrides(t, &list, NULL));
	assert_null(list);
	assert_int_equal(number, 77);
	assert_refused(null, "tensor", aclGetViewOffset(NULL, &offset));
	assert_refused(null, "offset", aclGetViewOffset(t, NULL));
	assert_refused(null, "tensor", aclGetFormat(NULL, &format));
	assert_refused(null, "format", aclGetFormat(t, NULL));
	assert_refused(null, "tensor", aclGetDataType(NULL, &dtype));
	assert_refused(null, "dataType", aclGetDataType(t, NULL));
	assert_refused(null, "tensor", aclGetRawTensorAddr(NULL, &address));
	assert_refused(null, "addr", aclGetRawTensorAddr(t, NULL));
	assert_refused(null, "tensor", aclSetRawTensorAddr(NULL, &address));
	aclDestroyTensor(t);
}

/* ---- Arrays, scalars, lists ---------------------------------------------------------------------------------- */

static void test_arrays(void **state)
{
	const int64_t ints[3] = { 1, 2, 3 };
	const float floats[2] = { 1, 2 };
	const bool bools[4] = { true, false, true, false };
	uint64_t size = 0;

	(void)state;
	aclIntArray *i = aclCreateIntArray(ints, 3);
	aclFloatArray *f = aclCreateFloatArray(floats, 2);
	aclBoolArray *b = aclCreateBoolArray(bools, 4);
	assert_int_equal(aclGetIntArraySize(i, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 3);
	assert_int_equal(aclGetFloatArraySize(f, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 2);
	assert_int_equal(aclGetBoolArraySize(b, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 4);
	const int null = ACLNN_ERR_PARAM_NULLPTR;
	assert_refused(null, "array", aclGetIntArraySize(NULL, &size));
	assert_refused(null, "size", aclGetIntArraySize(i, NULL));
	assert_refused(null, "array", aclGetFloatArraySize(NULL, &size));
	assert_refused(null, "size", aclGetFloatArraySize(f, NULL));
	assert_refused(null, "array", aclGetBoolArraySize(NULL, &size));
	assert_refused(null, "size", aclGetBoolArraySize(b, NULL));
	assert_int_equal(aclDestroyIntArray(i), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyFloatArray(f), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyBoolArray(b), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "aclIntArray", aclDestroyIntArray(i));
	assert_refused(ACLNN_ERR_PARAM_INVALID, "aclFloatArray", aclDestroyFloatArray(f));
	assert_refused(ACLNN_ERR_PARAM_INVALID, "aclBoolArray", aclDestroyBoolArray(b));

	/* null or no values make an empty array */
	i = aclCreateIntArray(NULL, 3);
	assert_int_equal(aclGetIntArraySize(i, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 0);
	aclDestroyIntArray(i);
	f = aclCreateFloatArray(floats, 0);
	assert_int_equal(aclGetFloatArraySize(f, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 0);
	aclDestroyFloatArray(f);
	b = aclCreateBoolArray(NULL, 0);
	assert_int_equal(aclGetBoolArraySize(b, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 0);
	aclDestroyBoolArray(b);
	assert_null(aclCreateIntArray(ints, UINT64_MAX / 8));
	assert_told(ACLNN_ERR_INNER_NULLPTR, "size");
}

static void test_scalars(void **state)
{
	double value = 1;

	(void)state;
	aclScalar *const s = aclCreateScalar(&value, ACL_DOUBLE);
	assert_non_null(s);
	assert_int_equal(aclDestroyScalar(s), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "aclScalar", aclDestroyScalar(s));
	assert_null(aclCreateScalar(NULL, ACL_DOUBLE));
	assert_told(ACLNN_ERR_PARAM_NULLPTR, "value");
	assert_null(aclCreateScalar(&value, ACL_DT_UNDEFINED));
	assert_told(ACLNN_ERR_PARAM_INVALID, "dataType");
}

static void test_lists_own_their_elements(void **state)
{
	const int64_t shape[1] = { 3 };
	float value = 1;
	uint64_t size = 9;
	aclTensor *t[3];
	aclScalar *s[2];

	(void)state;
	for (int i = 0; i < 3; i++)
		t[i] = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, NULL);
	for (int i = 0; i < 2; i++)
		s[i] = aclCreateScalar(&value, ACL_FLOAT);
	aclTensorList *const tensors = aclCreateTensorList((const aclTensor *const *)t, 3);
	aclScalarList *const scalars = aclCreateScalarList((const aclScalar *const *)s, 2);
	assert_int_equal(aclGetTensorListSize(tensors, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 3);
	assert_int_equal(aclGetScalarListSize(scalars, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 2);
	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "array", aclGetTensorListSize(NULL, &size));
	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "size", aclGetTensorListSize(tensors, NULL));
	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "array", aclGetScalarListSize(NULL, &size));
	assert_refused(ACLNN_ERR_PARAM_NULLPTR, "size", aclGetScalarListSize(scalars, NULL));
	assert_int_equal(aclDestroyScalarList(scalars), ACLNN_SUCCESS);
	for (int i = 0; i < 2; i++)
		assert_refused(ACLNN_ERR_PARAM_INVALID, "scalar", aclDestroyScalar(s[i]));

	/* one that went on its own is told; the others go all the same */
	assert_int_equal(aclDestroyTensor(t[0]), ACLNN_SUCCESS);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "tensor", aclDestroyTensorList(tensors));
	for (int i = 1; i < 3; i++)
		assert_refused(ACLNN_ERR_PARAM_INVALID, "tensor", aclDestroyTensor(t[i]));
	assert_refused(ACLNN_ERR_PARAM_INVALID, "array", aclDestroyTensorList(tensors));

	aclTensorList *const empty = aclCreateTensorList(NULL, 4);
	assert_int_equal(aclGetTensorListSize(empty, &size), ACLNN_SUCCESS);
	assert_int_equal(size, 0);
	assert_int_equal(aclDestroyTensorList(empty), ACLNN_SUCCESS);
}

/* ---- Handles ------------------------------------------------------------------------------------------------- */

static void test_destroying_null_is_no_failure(void **state)
{
	(void)state;
	assert_int_equal(aclDestroyTensor(NULL), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyScalar(NULL), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyIntArray(NULL), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyFloatArray(NULL), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyBoolArray(NULL), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyTensorList(NULL), ACLNN_SUCCESS);
	assert_int_equal(aclDestroyScalarList(NULL), ACLNN_SUCCESS);
}

static void test_foreign_handles(void **state)
{
	const int64_t shape[1] = { 3 };
	uint64_t size = 5;
	int64_t memory[64] = { 0 };
	void *const foreign[] = { memory, (void *)1, (void *)UINTPTR_MAX, (void *)(UINTPTR_MAX << 1) };

	(void)state;
	aclTensor *const t = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, NULL);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
		assert_refused(ACLNN_ERR_PARAM_INVALID, "tensor", aclDestroyTensor(foreign[i]));
		assert_refused(ACLNN_ERR_PARAM_INVALID, "array", aclGetIntArraySize(foreign[i], &size));
		assert_refused(ACLNN_ERR_PARAM_INVALID, "array", aclDestroyTensorList(foreign[i]));
	}
	/* live, but of another kind */
	assert_refused(ACLNN_ERR_PARAM_INVALID, "array", aclGetIntArraySize((const aclIntArray *)t, &size));
	assert_refused(ACLNN_ERR_PARAM_INVALID, "scalar", aclDestroyScalar((const aclScalar *)t));
	/* numbers near a live one */
	for (uint64_t bit = 0; bit < 64; bit++)
		assert_int_equal(aclDestroyTensor((aclTensor *)((uintptr_t)t ^ (UINT64_C(1) << bit))),
		                 ACLNN_ERR_PARAM_INVALID);
	assert_int_equal(aclDestroyTensor(t), ACLNN_SUCCESS);
	assert_int_equal(size, 5);
}

/* The place of a destroyed object is used again, its handle is not. */
static void test_old_handles_stay_dead(void **state)
{
	const int64_t values[1] = { 3 };
	uint64_t size;

	(void)state;
	aclIntArray *const first = aclCreateIntArray(values, 1);
	aclDestroyIntArray(first);
	for (int i = 0; i < 1000; i++) {
		aclIntArray *const next = aclCreateIntArray(values, 1);

		assert_ptr_not_equal(next, first);
		assert_int_equal(aclDestroyIntArray(first), ACLNN_ERR_PARAM_INVALID);
		assert_int_equal(aclGetIntArraySize(first, &size), ACLNN_ERR_PARAM_INVALID);
		assert_int_equal(aclGetIntArraySize(next, &size), ACLNN_SUCCESS);
		aclDestroyIntArray(next);
	}
}

static void *make_and_destroy(void *argument)
{
	static _Thread_local aclIntArray *arrays[MANY];
	size_t *const failures = argument;

	for (int64_t i = 0; i < MANY; i++)
		arrays[i] = aclCreateIntArray(&i, 1);
	for (int64_t i = 0; i < MANY; i++)
		*failures += aclDestroyIntArray(arrays[i]) != ACLNN_SUCCESS;
	for (int64_t i = 0; i < MANY; i++)
		*failures += aclDestroyIntArray(arrays[i]) != ACLNN_ERR_PARAM_INVALID;
	return NULL;
}

static void test_many_objects_on_many_threads(void **state)
{
	pthread_t thread[4];
	size_t failures[4] = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, make_and_destroy, &failures[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(failures[i], 0);
	}
}

/* Several threads destroy one object: one of them does it. */
static pthread_barrier_t barrier;
static aclIntArray *contested;

static void *destroy_contested(void *argument)
{
	size_t *const successes = argument;

	for (int round = 0; round < 500; round++) {
		pthread_barrier_wait(&barrier);
		*successes += aclDestroyIntArray(contested) == ACLNN_SUCCESS;
		if (pthread_barrier_wait(&barrier) != 0) /* one of the threads */
			contested = aclCreateIntArray(NULL, 0);
	}
	return NULL;
}

static void test_one_of_many_destroys(void **state)
{
	pthread_t thread[3];
	size_t successes[3] = { 0 };

	(void)state;
	contested = aclCreateIntArray(NULL, 0);
	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, destroy_contested, &successes[i]), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&barrier);
	assert_int_equal(successes[0] + successes[1] + successes[2], 500);
	aclDestroyIntArray(contested);
}

/* ---- The rest ------------------------------------------------------------------------------------------------ */

static void test_begin_and_end(void **state)
{
	(void)state;
	assert_int_equal(aclnnInit(NULL), ACLNN_SUCCESS);
	assert_int_equal(aclnnFinalize(), ACLNN_SUCCESS);
}

static void test_dump(void **state)
{
	const int64_t shape[1] = { 3 };
	int stream;

	(void)state;
	aclTensor *t[2];
	for (int i = 0; i < 2; i++)
		t[i] = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, NULL);
	const int null = ACLNN_ERR_PARAM_NULLPTR;
	assert_int_equal(aclDumpOpTensors("Std", "std", t, 1, 1, &stream), ACLNN_SUCCESS);
	assert_refused(null, "opType", aclDumpOpTensors(NULL, "std", t, 1, 1, &stream));
	assert_refused(null, "opName", aclDumpOpTensors("Std", NULL, t, 1, 1, &stream));
	assert_refused(null, "tensors", aclDumpOpTensors("Std", "std", NULL, 1, 1, &stream));
	assert_refused(null, "stream", aclDumpOpTensors("Std", "std", t, 1, 1, NULL));
	aclDestroyTensor(t[1]);
	assert_refused(ACLNN_ERR_PARAM_INVALID, "tensors", aclDumpOpTensors("Std", "std", t, 1, 1, &stream));
	t[1] = NULL;
	assert_refused(null, "tensors", aclDumpOpTensors("Std", "std", t, 1, 1, &stream));
	aclDestroyTensor(t[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tensor_keeps_its_description),
		cmocka_unit_test(test_tensor_without_strides_is_row_major),
		cmocka_unit_test(test_tensor_null_dims),
		cmocka_unit_test(test_init_tensor),
		cmocka_unit_test(test_getters_refuse_null),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_lists_own_their_elements),
		cmocka_unit_test(test_destroying_null_is_no_failure),
		cmocka_unit_test(test_foreign_handles),
		cmocka_unit_test(test_old_handles_stay_dead),
		cmocka_unit_test(test_many_objects_on_many_threads),
		cmocka_unit_test(test_one_of_many_destroys),
		cmocka_unit_test(test_begin_and_end),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
