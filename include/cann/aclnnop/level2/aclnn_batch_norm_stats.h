/*
 * aclnn_batch_norm_stats.h - the operator under its other path
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNNOP_LEVEL2_BATCH_NORM_STATS_H
#define RSTD_CANN_ACLNNOP_LEVEL2_BATCH_NORM_STATS_H

#include "../aclnn_batch_norm_stats.h"

#endif
