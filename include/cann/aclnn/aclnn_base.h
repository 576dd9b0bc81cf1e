/*
 * aclnn_base.h - what every operator's header includes: the meta objects, the codes, and begin and end
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNN_BASE_H
#define RSTD_CANN_ACLNN_BASE_H

#include <stdint.h>
#include <stdlib.h>

#include "aclnn/acl_meta.h"
#include "aclnn/opdev/op_errno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins the use of operators, beside aclInit() and as optional. configPath may be NULL. Safe on any thread. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);

/* Ends the use of operators. Safe on any thread. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
