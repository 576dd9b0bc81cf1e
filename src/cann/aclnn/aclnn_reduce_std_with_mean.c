/*
 * aclnn_reduce_std_with_mean.c - aclnnReduceStdWithMean: what it checks, and its plan
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "aclnnop/aclnn_reduce_std_with_mean.h"

#include "cann/aclnn/checks.h"

static rstd_status plan(const rstd__call *call, const rstd_reduce_attrs *attrs)
{
	const rstd_tensor x = rstd__call_view(call, RSTD_ROLE_X);
	const rstd_tensor mean = rstd__call_view(call, RSTD_ROLE_GIVEN);
	const rstd_tensor y = rstd__call_output(call, RSTD_ROLE_Y);
	rstd_reduce_attrs with_dim = *attrs;

	with_dim.dim = call->dim;
	with_dim.dim_count = call->dim_count;
	return rstd_plan_reduce_std_with_mean(&call->executor->plan, &x, &mean, &with_dim, &y);
}

static bool check_mean_shape(rstd__call *call)
{
	const rstd__acl_tensor *const x = call->tensor[RSTD_ROLE_X];

	return rstd__require_shape(call, RSTD_ROLE_GIVEN, x->shape, x->rank);
}

static bool prepare(rstd__call *call, const aclTensor *x, const aclTensor *mean, const aclIntArray *dim,
                    const rstd_reduce_attrs *attrs, const aclTensor *y)
{
	const bool given = rstd__require_tensor(call, RSTD_ROLE_X, x) &&
	                   rstd__require_tensor(call, RSTD_ROLE_GIVEN, mean) &&
	                   rstd__require_tensor(call, RSTD_ROLE_Y, y);
	const bool dtypes = given && rstd__require_dtype(call, RSTD_ROLE_X) &&
	                    rstd__require_dtype(call, RSTD_ROLE_GIVEN) && rstd__require_dtype(call, RSTD_ROLE_Y) &&
	                    rstd__require_dtype_of_x(call, RSTD_ROLE_GIVEN) &&
	                    rstd__require_dtype_of_x(call, RSTD_ROLE_Y);
	const bool formats = dtypes && rstd__require_format(call, RSTD_ROLE_X) &&
	                     rstd__require_format(call, RSTD_ROLE_GIVEN) && rstd__require_format(call, RSTD_ROLE_Y);
	const bool axes = formats && rstd__require_dim(call, dim);
	const bool ranks = axes && rstd__require_rank(call, RSTD_ROLE_X, 0, RSTD_MAX_RANK) &&
	                   rstd__require_rank(call, RSTD_ROLE_GIVEN, 0, RSTD_MAX_RANK) &&
	                   rstd__require_rank(call, RSTD_ROLE_Y, 0, RSTD_MAX_RANK);
	const bool shapes = ranks && check_mean_shape(call) && rstd__require_inferred(call, attrs->keepdim) &&
	                    rstd__require_output(call, RSTD_ROLE_Y);
	const bool good = shapes && rstd__require_correction(call, attrs->correction) && rstd__require_work(call);
	return good && rstd__require_plan(call, plan(call, attrs));
}

aclnnStatus aclnnReduceStdWithMeanGetWorkspaceSize(const aclTensor *x, const aclTensor *mean, const aclIntArray *dim,
                                                   bool unbiased, bool keepdim, bool invert, float epsilon,
                                                   int64_t correction, aclTensor *y, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
	const rstd_reduce_attrs attrs = {
		.unbiased = unbiased,
		.keepdim = keepdim,
		.invert = invert,
		.epsilon = epsilon,
		.correction = correction,
	};
	rstd__call call;
	const aclnnStatus status =
		rstd__call_begin(&call, RSTD_INTERFACE_REDUCE_STD_WITH_MEAN, workspaceSize, executor);

	if (status != ACLNN_SUCCESS)
		return status;
	return rstd__call_end(&call, prepare(&call, x, mean, dim, &attrs, y), workspaceSize, executor);
}

aclnnStatus aclnnReduceStdWithMean(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   const aclrtStream stream)
{
	return rstd__executor_launch(RSTD_INTERFACE_REDUCE_STD_WITH_MEAN, workspace, workspaceSize, executor, stream);
}
