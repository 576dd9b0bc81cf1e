/*
 * acl_op.h - single operators by name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operators called by name are compiled for an NPU, which this library cannot. A program that uses them builds; each
 * call answers that the feature is not supported, with a sentence in aclGetRecentErrMsg(). Safe on any thread.
 */
#ifndef RSTD_CANN_ACL_OP_H
#define RSTD_CANN_ACL_OP_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclopAttr aclopAttr;

/* The attributes of an operator. Always NULL here. */
ACL_FUNC_VISIBILITY aclopAttr *aclopCreateAttr(void);

/* Frees attributes; since there are none, only NULL is allowed and nothing happens. */
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr *attr);

#ifdef __cplusplus
}
#endif

#endif
