/*
 * aclnn_std.h - the standard deviation over some axes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two phases, here as for every operator:
 *
 *   Phase 1     checks everything, makes an executor and tells the bytes of workspace. On a failure neither is written;
 *               aclGetRecentErrMsg() says why. The executor refers to the tensors and to dim: keep them until phase 2
 *               has returned.
 *   Phase 2     queues the work on the stream (NULL: the default stream of the thread's context) and returns. The
 *               results are there after aclrtSynchronizeStream(); keep data and workspace until then. workspace is
 *               device memory of at least the bytes told, and may be NULL if they are 0. An executor is spent by
 *               phase 2, whether it succeeds or not, unless aclSetAclOpExecutorRepeatable() made it last.
 *   Threads     Any thread may call any function; one executor is used by one thread at a time.
 *   Results     The exact real-number result of the stored values, rounded once to the output's dtype.
 */
#ifndef RSTD_CANN_ACLNNOP_STD_H
#define RSTD_CANN_ACLNNOP_STD_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * aclnnStdGetWorkspaceSize() - phase 1 of sqrt(sum (x - m)^2 / max(0, N - correction)), m the mean of each slice of N
 *
 * self in: FLOAT, FLOAT16 or BF16 where the product has it, rank 0 to 8, any strides dim in: axes to reduce, each in
 * [-rank, rank - 1], none twice; NULL or empty for all correction in: 0 or more; S / 0 is +Inf, 0 / 0 NaN keepdim in:
 * whether reduced axes stay with extent 1 out out: the result, any of the dtypes, any strides without overlap, the
 * inferred shape (with all axes reduced
 *                  also {} and all ones)
 *
 * ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID (dtype, format, axis, rank, shape, correction, an output that
 * overlaps itself), ACLNN_ERR_INNER_CREATE_EXECUTOR without memory, ACLNN_ERR_INNER_NULLPTR on a product that has no
 * Std, for a view that leaves its storage, and without memory for the plan.
 */
ACLNN_API aclnnStatus aclnnStdGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, const int64_t correction,
                                               bool keepdim, aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/*
 * Phase 2. ACLNN_ERR_PARAM_NULLPTR for a NULL executor, a NULL workspace with a workspaceSize above 0, and a tensor with
 * elements but no address; ACLNN_ERR_INNER for an executor that was run or destroyed; ACLNN_ERR_PARAM_INVALID for a
 * workspace that is too small, memory of the device that ends within a tensor, a tensor that was destroyed or described
 * anew, or the executor of another operator; ACLNN_ERR_RUNTIME_ERROR for a stream that takes no work. The executor is
 * spent in all these cases too.
 */
ACLNN_API aclnnStatus aclnnStd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
