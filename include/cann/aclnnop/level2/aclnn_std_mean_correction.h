/*
 * aclnn_std_mean_correction.h - the operator under its other path
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNNOP_LEVEL2_STD_MEAN_CORRECTION_H
#define RSTD_CANN_ACLNNOP_LEVEL2_STD_MEAN_CORRECTION_H

#include "../aclnn_std_mean_correction.h"

#endif
