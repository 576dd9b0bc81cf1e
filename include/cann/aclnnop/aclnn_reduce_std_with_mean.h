/*
 * aclnn_reduce_std_with_mean.h - an addition of rstd, which CANN does not have: the base operator, about a given mean
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * CANN keeps ReduceStdWithMean to itself: only its graphs and its own operators reach it. Here a program can call it
 * like any other. A program that does so does not build against CANN.
 */
#ifndef RSTD_CANN_ACLNNOP_REDUCE_STD_WITH_MEAN_H
#define RSTD_CANN_ACLNNOP_REDUCE_STD_WITH_MEAN_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * aclnnReduceStdWithMeanGetWorkspaceSize() - phase 1; the two phases are explained in aclnnop/aclnn_std.h
 *
 * x           in:  FLOAT, FLOAT16 or BF16 where the product has it, rank 0 to 8, any strides
 * mean        in:  shape and dtype of x; strides of 0 broadcast it; need not be the mean of x
 * dim         in:  axes to reduce, each in [-rank, rank - 1], none twice; NULL or empty for all
 * unbiased    in:  false means the divisor N, true N - correction (CANN's default: true)
 * keepdim     in:  whether reduced axes stay with extent 1 (false)
 * invert      in:  whether the result is 1 / sqrt(S / N + epsilon) (false)
 * epsilon     in:  any value; only with invert (0.001)
 * correction  in:  0 or more; not with invert (1)
 * y           out: dtype of x, the inferred shape (with all axes reduced also {} and all ones)
 *
 * y = sqrt(S / max(0, N - correction)) over each slice of N elements, S = sum (x - mean)^2; S / 0 is +Inf, 0 / 0 and
 * N = 0 give NaN. Errors as of aclnnStdGetWorkspaceSize().
 */
ACLNN_API aclnnStatus aclnnReduceStdWithMeanGetWorkspaceSize(const aclTensor *x, const aclTensor *mean,
                                                             const aclIntArray *dim, bool unbiased, bool keepdim,
                                                             bool invert, float epsilon, int64_t correction,
                                                             aclTensor *y, uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2. Errors as of aclnnStd(). */
ACLNN_API aclnnStatus aclnnReduceStdWithMean(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                             const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
