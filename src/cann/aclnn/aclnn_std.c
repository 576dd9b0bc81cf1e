/*
 * aclnn_std.c - aclnnStd: what it checks, and its plan
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "aclnnop/aclnn_std.h"

#include "cann/aclnn/checks.h"

static rstd_status plan(const rstd__call *call, int64_t correction, bool keepdim)
{
	const rstd_tensor x = rstd__call_view(call, RSTD_ROLE_X);
	const rstd_tensor std = rstd__call_output(call, RSTD_ROLE_Y);

	return rstd_plan_std_mean(&call->executor->plan, &x, call->dim, call->dim_count, correction, keepdim, &std,
	                          NULL);
}

static bool prepare(rstd__call *call, const aclTensor *self, const aclIntArray *dim, int64_t correction, bool keepdim,
                    const aclTensor *out)
{
	const bool given =
		rstd__require_tensor(call, RSTD_ROLE_X, self) && rstd__require_tensor(call, RSTD_ROLE_Y, out);
	const bool dtypes = given && rstd__require_dtype(call, RSTD_ROLE_X) && rstd__require_dtype(call, RSTD_ROLE_Y);
	const bool formats =
		dtypes && rstd__require_format(call, RSTD_ROLE_X) && rstd__require_format(call, RSTD_ROLE_Y);
	const bool axes = formats && rstd__require_dim(call, dim);
	const bool ranks = axes && rstd__require_rank(call, RSTD_ROLE_X, 0, RSTD_MAX_RANK) &&
	                   rstd__require_rank(call, RSTD_ROLE_Y, 0, RSTD_MAX_RANK);
	const bool shapes = ranks && rstd__require_inferred(call, keepdim) && rstd__require_output(call, RSTD_ROLE_Y);
	const bool good = shapes && rstd__require_correction(call, correction) && rstd__require_work(call);
	return good && rstd__require_plan(call, plan(call, correction, keepdim));
}

aclnnStatus aclnnStdGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, const int64_t correction,
                                     bool keepdim, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	rstd__call call;
	const aclnnStatus status = rstd__call_begin(&call, RSTD_INTERFACE_STD, workspaceSize, executor);

	if (status != ACLNN_SUCCESS)
		return status;
	return rstd__call_end(&call, prepare(&call, self, dim, correction, keepdim, out), workspaceSize, executor);
}

aclnnStatus aclnnStd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)
{
	return rstd__executor_launch(RSTD_INTERFACE_STD, workspace, workspaceSize, executor, stream);
}
