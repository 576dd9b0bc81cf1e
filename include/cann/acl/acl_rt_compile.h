/*
 * acl_rt_compile.h - compiling kernels at run time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernels are compiled for an NPU, which this library cannot. A program that uses this builds; each call answers
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ACL_ERROR_INVALID_PARAM for a NULL output pointer), with a sentence in
 * aclGetRecentErrMsg(), and writes nothing. Safe on any thread.
 */
#ifndef RSTD_CANN_ACL_RT_COMPILE_H
#define RSTD_CANN_ACL_RT_COMPILE_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtcProg;

/* A program of one source text and the headers that it includes. */
ACL_FUNC_VISIBILITY aclError aclrtcCreateProg(aclrtcProg *prog, const char *source, const char *name, int numHeaders,
                                              const char **headers, const char **includeNames);

/* Compiles a program. */
ACL_FUNC_VISIBILITY aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char **options);

/* The bytes of the compiled program. */
ACL_FUNC_VISIBILITY aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSize);

/* Copies the compiled program into the caller's memory. */
ACL_FUNC_VISIBILITY aclError aclrtcGetBinData(aclrtcProg prog, char *binData);

/* Frees a program. */
ACL_FUNC_VISIBILITY aclError aclrtcDestroyProg(aclrtcProg *prog);

#ifdef __cplusplus
}
#endif

#endif
