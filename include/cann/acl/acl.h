/*
 * acl.h - CANN's runtime: everything but the meta objects of aclnn/acl_meta.h
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interface is Huawei's (CANN, runtime 1.17.0); these headers and the library behind them are rstd's, and run on
 * the CPU. docs/cann.md says what is covered.
 */
#ifndef RSTD_CANN_ACL_H
#define RSTD_CANN_ACL_H

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"

#endif
