/*
 * aclnn_batch_norm_stats.h - the mean and the reciprocal standard deviation of each channel
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNNOP_BATCH_NORM_STATS_H
#define RSTD_CANN_ACLNNOP_BATCH_NORM_STATS_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * aclnnBatchNormStatsGetWorkspaceSize() - phase 1; the two phases are explained in aclnnop/aclnn_std.h
 *
 * input    in:  FLOAT, FLOAT16 or BF16 where the product has it, rank 2 to 8, any strides; axis 1 is the channel, of
 *               extent C > 0
 * eps      in:  added to the variance, as a float; any value
 * mean     out: FLOAT, shape {C}: the mean of each channel
 * invstd   out: FLOAT, shape {C}: 1 / sqrt(sum (x - m)^2 / N + eps)
 *
 * An empty input with channels gives mean 0 and invstd NaN. Errors as of aclnnStdGetWorkspaceSize().
 */
ACLNN_API aclnnStatus aclnnBatchNormStatsGetWorkspaceSize(const aclTensor *input, double eps, aclTensor *mean,
                                                          aclTensor *invstd, uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2. Errors as of aclnnStd(). */
ACLNN_API aclnnStatus aclnnBatchNormStats(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                          const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
