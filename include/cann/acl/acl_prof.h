/*
 * acl_prof.h - profiling
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_PROF_H
#define RSTD_CANN_ACL_PROF_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A number for a message of the profiler, the same for equal texts. There is no profiler here: always UINT64_MAX, with
 * a sentence in aclGetRecentErrMsg(). Safe on any thread.
 */
ACL_FUNC_VISIBILITY uint64_t aclprofStr2Id(const char *message);

#ifdef __cplusplus
}
#endif

#endif
