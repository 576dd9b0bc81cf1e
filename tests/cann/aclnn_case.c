/*
 * aclnn_case.c - the calls of a case by the interfaces of CANN, and its tensors on the device
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "aclnn_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the first four first */
#include <cmocka.h>

#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_reduce_std_with_mean.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"

const char *aclnn_interface_name(enum aclnn_interface interface)
{
	static const char *const names[] = { "aclnnStd", "aclnnStdMeanCorrection", "aclnnBatchNormStats",
		                             "aclnnReduceStdWithMean" };

	return names[interface];
}

aclDataType aclnn_dtype(rstd_dtype dtype)
{
	switch (dtype) {
	case RSTD_F32:
		return ACL_FLOAT;
	case RSTD_F16:
		return ACL_FLOAT16;
	case RSTD_BF16:
		return ACL_BF16;
	default:
		return ACL_INT32;
	}
}

void operand_make(struct operand *o, const struct view *v)
{
	const size_t size = dtype_size(v->tensor.dtype);
	const int64_t storage = (int64_t)(v->bytes / size);
	const int64_t offset = ((unsigned char *)v->tensor.data - v->memory) / (int64_t)size;

	memset(o, 0, sizeof(*o));
	o->bytes = v->bytes;
	if (o->bytes > 0) {
		assert_int_equal(aclrtMalloc(&o->device, o->bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
		operand_write(o, v);
	}
	o->tensor = aclCreateTensor(v->tensor.shape, v->tensor.rank, aclnn_dtype(v->tensor.dtype), v->tensor.strides,
	                            offset, ACL_FORMAT_ND, &storage, 1, o->device);
	assert_non_null(o->tensor);
}

void operand_write(const struct operand *o, const struct view *v)
{
	assert_int_equal(aclrtMemcpy(o->device, o->bytes, v->memory, o->bytes, ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

void operand_read(const struct operand *o, struct view *v)
{
	assert_int_equal(aclrtMemcpy(v->memory, o->bytes, o->device, o->bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
}

void operand_free(struct operand *o)
{
	if (o->tensor)
		assert_int_equal(aclDestroyTensor(o->tensor), 0);
	if (o->device)
		assert_int_equal(aclrtFree(o->device), 0);
	memset(o, 0, sizeof(*o));
}

aclnnStatus aclnn_phase_1(enum aclnn_interface interface, const struct test_case *c, const struct operands *o,
                          uint64_t *workspace_size, aclOpExecutor **executor)
{
	switch (interface) {
	case ACLNN_STD:
		return aclnnStdGetWorkspaceSize(o->x.tensor, o->dim, c->correction, c->keepdim, o->out[0].tensor,
		                                workspace_size, executor);
	case ACLNN_STD_MEAN_CORRECTION:
		return aclnnStdMeanCorrectionGetWorkspaceSize(o->x.tensor, o->dim, c->correction, c->keepdim,
		                                              o->out[0].tensor, o->out[1].tensor, workspace_size,
		                                              executor);
	case ACLNN_BATCH_NORM_STATS:
		return aclnnBatchNormStatsGetWorkspaceSize(o->x.tensor, c->epsilon, o->out[0].tensor, o->out[1].tensor,
		                                           workspace_size, executor);
	default:
		return aclnnReduceStdWithMeanGetWorkspaceSize(o->x.tensor, o->mean.tensor, o->dim, c->unbiased,
		                                              c->keepdim, c->invert, (float)c->epsilon, c->correction,
		                                              o->out[0].tensor, workspace_size, executor);
	}
}

aclnnStatus aclnn_phase_2(enum aclnn_interface interface, void *workspace, uint64_t workspace_size,
                          aclOpExecutor *executor, aclrtStream stream)
{
	switch (interface) {
	case ACLNN_STD:
		return aclnnStd(workspace, workspace_size, executor, stream);
	case ACLNN_STD_MEAN_CORRECTION:
		return aclnnStdMeanCorrection(workspace, workspace_size, executor, stream);
	case ACLNN_BATCH_NORM_STATS:
		return aclnnBatchNormStats(workspace, workspace_size, executor, stream);
	default:
		return aclnnReduceStdWithMean(workspace, workspace_size, executor, stream);
	}
}
