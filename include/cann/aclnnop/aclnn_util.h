/*
 * aclnn_util.h - the visibility of operators
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNNOP_UTIL_H
#define RSTD_CANN_ACLNNOP_UTIL_H

#ifndef ACLNN_API
#ifdef __GNUC__
#define ACLNN_API __attribute__((visibility("default")))
#else
#define ACLNN_API
#endif
#endif

#endif
