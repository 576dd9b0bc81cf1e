/*
 * aclnn_std_mean_correction.h - the standard deviation and the mean over some axes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNNOP_STD_MEAN_CORRECTION_H
#define RSTD_CANN_ACLNNOP_STD_MEAN_CORRECTION_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * aclnnStdMeanCorrectionGetWorkspaceSize() - phase 1; the two phases are explained in aclnnop/aclnn_std.h
 *
 * self, dim, correction, keepdim   in:  as of aclnnStdGetWorkspaceSize()
 * stdOut                           out: as out there; of self's dtype where the product asks for it
 * meanOut                          out: the mean of each slice; the same
 *
 * Errors as of aclnnStdGetWorkspaceSize().
 */
ACLNN_API aclnnStatus aclnnStdMeanCorrectionGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim,
                                                             int64_t correction, bool keepdim, aclTensor *stdOut,
                                                             aclTensor *meanOut, uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2. Errors as of aclnnStd(). */
ACLNN_API aclnnStatus aclnnStdMeanCorrection(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                             const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
