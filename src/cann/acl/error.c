/*
 * error.c - the last error of a thread, and its sentence
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/acl/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt.h"

static _Thread_local rstd__failure own;      /* of the calls of this thread */
static _Thread_local rstd__failure *current; /* where failures go; NULL: own */
static _Thread_local char told[sizeof(own.text)];

static rstd__failure *place(void)
{
	return current != NULL ? current : &own;
}

/* Not as the analyzer sees them elsewhere. */
#undef rstd__acl_fail
#undef rstd__acl_null
#undef rstd__acl_no_memory

aclError rstd__acl_fail(aclError code, const char *format, ...)
{
	rstd__failure *const failure = place();
	va_list args;
	int length;

	va_start(args, format);
	length = snprintf(failure->text, sizeof(failure->text), "[%d] ", code);
	vsnprintf(failure->text + length, sizeof(failure->text) - (size_t)length, format, args);
	va_end(args);
	failure->code = code;
	return code;
}

aclError rstd__acl_null(const char *argument)
{
	return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "%s: is null, must not be", argument);
}

aclError rstd__acl_no_memory(const char *what)
{
	return rstd__acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for %s", what);
}

aclError rstd__acl_repeat(const rstd__failure *failure)
{
	rstd__failure *const here = place();

	if (here != failure)
		*here = *failure;
	return failure->code;
}

rstd__failure *rstd__acl_redirect(rstd__failure *failure)
{
	rstd__failure *const before = current;

	current = failure;
	return before;
}

const char *aclGetRecentErrMsg(void)
{
	if (own.text[0] == '\0')
		return NULL;
	memcpy(told, own.text, sizeof(told));
	own.text[0] = '\0';
	return told;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
	if (level != ACL_RT_THREAD_LEVEL)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "level: is %d, must be %d", (int)level,
		                      (int)ACL_RT_THREAD_LEVEL);
	return own.code;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
	const aclError code = aclrtPeekAtLastError(level);

	if (level == ACL_RT_THREAD_LEVEL)
		own.code = ACL_SUCCESS;
	return code;
}
