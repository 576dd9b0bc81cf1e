/*
 * aclnn_batch_norm_stats.c - aclnnBatchNormStats: what it checks, and its plan
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "aclnnop/aclnn_batch_norm_stats.h"

#include "cann/acl/error.h"
#include "cann/aclnn/checks.h"

static rstd_status plan(const rstd__call *call, double eps)
{
	const rstd_tensor x = rstd__call_view(call, RSTD_ROLE_X);
	const rstd_tensor mean = rstd__call_view(call, RSTD_ROLE_MEAN);
	const rstd_tensor invstd = rstd__call_view(call, RSTD_ROLE_Y);

	return rstd_plan_batch_norm_stats(&call->executor->plan, &x, eps, &mean, &invstd);
}

static bool check_channels(rstd__call *call)
{
	if (call->tensor[RSTD_ROLE_X]->shape[1] != 0)
		return true;
	call->status = rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
	                              "input: extent of axis 1, the channel, is 0, must be 1 or more");
	return false;
}

static bool check_per_channel(rstd__call *call, rstd__role role)
{
	return rstd__require_shape(call, role, &call->tensor[RSTD_ROLE_X]->shape[1], 1);
}

static bool prepare(rstd__call *call, const aclTensor *input, double eps, const aclTensor *mean,
                    const aclTensor *invstd)
{
	const bool given = rstd__require_tensor(call, RSTD_ROLE_X, input) &&
	                   rstd__require_tensor(call, RSTD_ROLE_MEAN, mean) &&
	                   rstd__require_tensor(call, RSTD_ROLE_Y, invstd);
	const bool dtypes = given && rstd__require_dtype(call, RSTD_ROLE_X) &&
	                    rstd__require_dtype_float(call, RSTD_ROLE_MEAN) &&
	                    rstd__require_dtype_float(call, RSTD_ROLE_Y);
	const bool formats = dtypes && rstd__require_format(call, RSTD_ROLE_X) &&
	                     rstd__require_format(call, RSTD_ROLE_MEAN) && rstd__require_format(call, RSTD_ROLE_Y);
	const bool ranks = formats && rstd__require_rank(call, RSTD_ROLE_X, 2, RSTD_MAX_RANK) &&
	                   rstd__require_rank(call, RSTD_ROLE_MEAN, 1, 1) &&
	                   rstd__require_rank(call, RSTD_ROLE_Y, 1, 1);
	const bool shapes = ranks && check_channels(call) && check_per_channel(call, RSTD_ROLE_MEAN) &&
	                    check_per_channel(call, RSTD_ROLE_Y);
	return shapes && rstd__require_work(call) && rstd__require_plan(call, plan(call, eps));
}

aclnnStatus aclnnBatchNormStatsGetWorkspaceSize(const aclTensor *input, double eps, aclTensor *mean, aclTensor *invstd,
                                                uint64_t *workspaceSize, aclOpExecutor **executor)
{
	rstd__call call;
	const aclnnStatus status = rstd__call_begin(&call, RSTD_INTERFACE_BATCH_NORM_STATS, workspaceSize, executor);

	if (status != ACLNN_SUCCESS)
		return status;
	return rstd__call_end(&call, prepare(&call, input, eps, mean, invstd), workspaceSize, executor);
}

aclnnStatus aclnnBatchNormStats(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                const aclrtStream stream)
{
	return rstd__executor_launch(RSTD_INTERFACE_BATCH_NORM_STATS, workspace, workspaceSize, executor, stream);
}
