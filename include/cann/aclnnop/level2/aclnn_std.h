/*
 * aclnn_std.h - the operator under its other path
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNNOP_LEVEL2_STD_H
#define RSTD_CANN_ACLNNOP_LEVEL2_STD_H

#include "../aclnn_std.h"

#endif
