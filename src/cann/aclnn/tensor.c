/*
 * tensor.c - aclTensor: a description of a tensor in the program's memory
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/aclnn/tensor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cann/acl/error.h"
#include "cann/aclnn/handle.h"

#define MAX_RANK 4096 /* far above any rank; keeps sizes of blocks away from overflow */

/*
 * The nothrow operator new[] of C++, where a C++ runtime is loaded: arrays that the getters return are freed by delete[],
 * which a program may have replaced, and which sanitizers pair with new[]. Elsewhere malloc() serves, and free() frees.
 */
extern void *new_array(size_t size, const void *nothrow) __asm__("_ZnamRKSt9nothrow_t") __attribute__((weak));

aclnnStatus rstd__tensor_get(const aclTensor *handle, const char *argument, rstd__acl_tensor **tensor)
{
	void *object;
	const aclnnStatus status = rstd__handle_get(RSTD_OBJECT_TENSOR, handle, argument, &object);

	*tensor = object;
	return status;
}

static void row_major(int64_t *strides, const int64_t *shape, uint64_t rank)
{
	uint64_t stride = 1; /* wraps where the number of elements does, which operators refuse */

	for (uint64_t i = rank; i-- > 0;) {
		strides[i] = (int64_t)stride;
		stride *= (uint64_t)shape[i];
	}
}

static void copy(int64_t *to, const int64_t *from, uint64_t count)
{
	if (count > 0)
		memcpy(to, from, count * sizeof(*to));
}

/* Describes a tensor, new or old; lists and addresses that are null or empty leave what was there. */
static aclnnStatus describe(rstd__acl_tensor *t, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dtype,
                            const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
                            uint64_t storageDimsNum, void *data)
{
	const bool new_shape = viewDims != NULL && viewDimsNum > 0;
	const bool new_storage = storageDims != NULL && storageDimsNum > 0;
	const uint64_t rank = new_shape ? viewDimsNum : t->rank;
	const uint64_t storage_rank = new_storage ? storageDimsNum : t->storage_rank;

	if (rank > MAX_RANK || storage_rank > MAX_RANK)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                      "viewDimsNum, storageDimsNum: are %" PRIu64 " and %" PRIu64
		                      ", at most %d are allowed",
		                      viewDimsNum, storageDimsNum, MAX_RANK);
	int64_t *const block = malloc((2 * rank + storage_rank + 1) * sizeof(*block));
	if (block == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "tensor: no memory for %" PRIu64 " extents",
		                      rank + storage_rank);
	copy(block, new_shape ? viewDims : t->shape, rank);
	if (stride != NULL && viewDimsNum == rank)
		copy(block + rank, stride, rank);
	else
		row_major(block + rank, block, rank);
	copy(block + 2 * rank, new_storage ? storageDims : t->storage, storage_rank);
	free(t->shape);
	t->shape = block;
	t->strides = block + rank;
	t->storage = block + 2 * rank;
	t->rank = rank;
	t->storage_rank = storage_rank;
	t->dtype = dtype;
	t->format = format;
	t->offset = offset;
	t->data = data != NULL ? data : t->data;
	t->version++;
	return ACLNN_SUCCESS;
}

static void release(void *tensor)
{
	rstd__acl_tensor *const t = tensor;

	free(t->shape);
	free(t);
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
                           int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                           void *tensorData)
{
	if ((viewDims == NULL && viewDimsNum != 0) || (storageDims == NULL && storageDimsNum != 0)) {
		rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: is null, must have %" PRIu64 " extents",
		               viewDims == NULL && viewDimsNum != 0 ? "viewDims" : "storageDims",
		               viewDims == NULL && viewDimsNum != 0 ? viewDimsNum : storageDimsNum);
		return NULL;
	}
	rstd__acl_tensor *const t = calloc(1, sizeof(*t));
	if (t == NULL) {
		rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "tensor: no memory for it");
		return NULL;
	}
	if (describe(t, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
	             tensorData) != ACLNN_SUCCESS) {
		release(t);
		return NULL;
	}
	if (!rstd__handle_open(RSTD_OBJECT_TENSOR, t, release)) {
		release(t);
		rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "tensor: no memory for its handle");
		return NULL;
	}
	return t->object.handle;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
	return rstd__handle_destroy(RSTD_OBJECT_TENSOR, tensor, "tensor");
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
                          uint64_t storageDimsNum, void *tensorDataAddr)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = rstd__tensor_get(tensor, "tensor", &t);

	if (status != ACLNN_SUCCESS)
		return status;
	return describe(t, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
	                tensorDataAddr);
}

/* The tensor that a getter asks, when there is a place for its answer. */
static aclnnStatus ask(const aclTensor *tensor, const char *argument, const void *answer, rstd__acl_tensor **t)
{
	const aclnnStatus status = rstd__tensor_get(tensor, "tensor", t);

	if (status == ACLNN_SUCCESS && answer == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: is null, must point to where the answer goes",
		                      argument);
	return status;
}

/* A new array for the program. */
static aclnnStatus give(const int64_t *list, uint64_t count, int64_t **array, uint64_t *number, const char *argument)
{
	const char nothrow = 0; /* stands for std::nothrow, an empty object that nobody reads */
	const size_t bytes = count * sizeof(*list);

	if (number == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: is null, must point to where the count goes",
		                      argument);
	int64_t *const given = new_array != NULL ? new_array(bytes, &nothrow) : malloc(bytes > 0 ? bytes : 1);
	if (given == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "tensor: no memory for a list of %" PRIu64 " numbers",
		                      count);
	copy(given, list, count);
	*array = given;
	*number = count;
	return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = ask(tensor, "viewDims", viewDims, &t);

	return status == ACLNN_SUCCESS ? give(t->shape, t->rank, viewDims, viewDimsNum, "viewDimsNum") : status;
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = ask(tensor, "storageDims", storageDims, &t);

	return status == ACLNN_SUCCESS
	               ? give(t->storage, t->storage_rank, storageDims, storageDimsNum, "storageDimsNum")
	               : status;
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = ask(tensor, "stridesValue", stridesValue, &t);

	return status == ACLNN_SUCCESS ? give(t->strides, t->rank, stridesValue, stridesNum, "stridesNum") : status;
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = ask(tensor, "offset", offset, &t);

	if (status == ACLNN_SUCCESS)
		*offset = t->offset;
	return status;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = ask(tensor, "format", format, &t);

	if (status == ACLNN_SUCCESS)
		*format = t->format;
	return status;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = ask(tensor, "dataType", dataType, &t);

	if (status == ACLNN_SUCCESS)
		*dataType = t->dtype;
	return status;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = ask(tensor, "addr", addr, &t);

	if (status == ACLNN_SUCCESS)
		*addr = t->data;
	return status;
}

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
	rstd__acl_tensor *t;
	const aclnnStatus status = rstd__tensor_get(tensor, "tensor", &t);

	if (status == ACLNN_SUCCESS)
		t->data = addr;
	return status;
}
