/*
 * error.h - the one way to fail in the CANN face: a code, and a sentence for aclGetRecentErrMsg()
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_ERROR_H
#define RSTD_CANN_ACL_ERROR_H

#include "acl/acl_base.h"

/*
 * Makes code this thread's last error, and "[code] " with the formatted sentence behind it this thread's message (cut
 * at its end if need be), and returns code, so that a check reads
 *	return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "count: is %zu, destMax allows %zu", count, destMax);
 * The sentence names the argument, what it was, and what is allowed. aclnn uses it with its own codes.
 */
aclError rstd__acl_fail(aclError code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The usual failure for a null pointer: ACL_ERROR_INVALID_PARAM and a sentence that names the argument. */
aclError rstd__acl_null(const char *argument) __attribute__((cold));

/* The usual failure when memory runs out: ACL_ERROR_RT_MEMORY_ALLOCATION; what: what it was for. */
aclError rstd__acl_no_memory(const char *what) __attribute__((cold));

#ifdef __clang_analyzer__
/* It looks at one file at a time, and has to be told that what failed has a code. */
static inline aclError rstd__acl_known(aclError code, aclError told)
{
	(void)told;
	return code;
}
#define rstd__acl_fail(code, ...) rstd__acl_known(code, (rstd__acl_fail)(code, __VA_ARGS__))
#define rstd__acl_null(argument)  rstd__acl_known(ACL_ERROR_INVALID_PARAM, (rstd__acl_null)(argument))
#define rstd__acl_no_memory(what) rstd__acl_known(ACL_ERROR_RT_MEMORY_ALLOCATION, (rstd__acl_no_memory)(what))
#endif

/* A failure on its way from the thread that ran a task to the one that synchronises. */
typedef struct rstd__failure {
	aclError code;
	char text[1536]; /* room for a list of all chips */
} rstd__failure;

/* Makes a failure this thread's own, and returns its code. */
aclError rstd__acl_repeat(const rstd__failure *failure);

/* From now on failures of this thread are written there; NULL: they are its own again. Returns where they went before. */
rstd__failure *rstd__acl_redirect(rstd__failure *failure);

#endif
