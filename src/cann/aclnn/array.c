/*
 * array.c - arrays of numbers; scalars, which are arrays of one; and lists, which are arrays of handles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/aclnn/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cann/acl/error.h"
#include "cann/aclnn/handle.h"

/* A handle for a copy of some values; NULL with the reason given. */
static void *create(rstd__object_kind kind, const void *values, uint64_t size, size_t value_bytes)
{
	rstd__array *array = NULL;

	if (size <= (SIZE_MAX - sizeof(*array)) / value_bytes)
		array = malloc(sizeof(*array) + size * value_bytes);
	if (array != NULL) {
		array->size = size;
		if (size > 0)
			memcpy(array->values, values, size * value_bytes);
		if (rstd__handle_open(kind, array, free))
			return array->object.handle;
	}
	free(array);
	rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "size: no memory for %" PRIu64 " values", size);
	return NULL;
}

static aclnnStatus get_size(rstd__object_kind kind, const void *handle, uint64_t *size)
{
	void *object;
	const aclnnStatus status = rstd__handle_get(kind, handle, "array", &object);

	if (status != ACLNN_SUCCESS)
		return status;
	if (size == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "size: is null, must point to where the answer goes");
	*size = ((const rstd__array *)object)->size;
	return ACLNN_SUCCESS;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
	return create(RSTD_OBJECT_INT_ARRAY, value, value != NULL ? size : 0, sizeof(*value));
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
	return create(RSTD_OBJECT_FLOAT_ARRAY, value, value != NULL ? size : 0, sizeof(*value));
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
	return create(RSTD_OBJECT_BOOL_ARRAY, value, value != NULL ? size : 0, sizeof(*value));
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
	const size_t bytes = aclDataTypeSize(dataType);

	if (value == NULL || bytes == 0) {
		rstd__acl_fail(value == NULL ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID,
		               "value, dataType: are %p and %d, must be an address and a dtype that has a size", value,
		               (int)dataType);
		return NULL;
	}
	return create(RSTD_OBJECT_SCALAR, value, 1, bytes);
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
	return rstd__handle_destroy(RSTD_OBJECT_INT_ARRAY, array, "array");
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
	return rstd__handle_destroy(RSTD_OBJECT_FLOAT_ARRAY, array, "array");
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
	return rstd__handle_destroy(RSTD_OBJECT_BOOL_ARRAY, array, "array");
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
	return rstd__handle_destroy(RSTD_OBJECT_SCALAR, scalar, "scalar");
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
	return get_size(RSTD_OBJECT_INT_ARRAY, array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
{
	return get_size(RSTD_OBJECT_FLOAT_ARRAY, array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
{
	return get_size(RSTD_OBJECT_BOOL_ARRAY, array, size);
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
	return create(RSTD_OBJECT_TENSOR_LIST, value, value != NULL ? size : 0, sizeof(void *));
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
	return create(RSTD_OBJECT_SCALAR_LIST, value, value != NULL ? size : 0, sizeof(void *));
}

static aclnnStatus destroy_tensor(const void *element)
{
	return aclDestroyTensor(element);
}

static aclnnStatus destroy_scalar(const void *element)
{
	return aclDestroyScalar(element);
}

/* All elements go, whatever becomes of one; that one was destroyed on its own is the failure that is told. */
static aclnnStatus destroy_list(rstd__object_kind kind, const void *handle,
                                aclnnStatus (*destroy_element)(const void *element))
{
	aclnnStatus first = ACLNN_SUCCESS;
	void *object;

	if (handle == NULL)
		return ACLNN_SUCCESS;
	const aclnnStatus status = rstd__handle_take(kind, handle, "array", &object);
	if (status != ACLNN_SUCCESS)
		return status;
	rstd__array *const list = object;
	const void *const *const elements = (const void *const *)list->values;
	for (uint64_t i = 0; i < list->size; i++) {
		const aclnnStatus destroyed = destroy_element(elements[i]);

		first = first == ACLNN_SUCCESS ? destroyed : first;
	}
	rstd__object_put(list);
	return first;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
	return destroy_list(RSTD_OBJECT_TENSOR_LIST, array, destroy_tensor);
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
	return destroy_list(RSTD_OBJECT_SCALAR_LIST, array, destroy_scalar);
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
	return get_size(RSTD_OBJECT_TENSOR_LIST, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)
{
	return get_size(RSTD_OBJECT_SCALAR_LIST, scalarList, size);
}
