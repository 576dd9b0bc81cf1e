/*
 * tensor.h - what an aclTensor stands for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNN_TENSOR_H
#define RSTD_CANN_ACLNN_TENSOR_H

#include "aclnn/aclnn_base.h"
#include "cann/acl/object.h"

/* As the program described it, unchecked. Ranks, strides and offset count elements. */
typedef struct rstd__acl_tensor {
	rstd__object object;
	aclDataType dtype;
	aclFormat format;
	uint64_t rank;
	uint64_t storage_rank;
	int64_t *shape;   /* one block: rank extents, rank strides, storage_rank extents of the storage */
	int64_t *strides; /* in the block of shape */
	int64_t *storage; /* likewise */
	int64_t offset;
	void *data;
	uint64_t version; /* how often it was described anew */
} rstd__acl_tensor;

/* Fails as rstd__handle_get() does. */
aclnnStatus rstd__tensor_get(const aclTensor *handle, const char *argument, rstd__acl_tensor **tensor);

#endif
