/*
 * message.h - how functions of the graph engine fail: a status, and a sentence in the calling thread's messages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_MESSAGE_H
#define RSTD_CANN_GE_MESSAGE_H

#include "rstd/graph.h"

/*
 * Adds an error to the thread's messages and returns RSTD_GE_FAILED, so that a check reads
 *	return rstd__ge_fail("%s: dim[%zu]=%" PRId64 " out of range", ...);
 */
rstd_ge_status rstd__ge_fail(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* The same with a status and a code of GE of its own. */
rstd_ge_status rstd__ge_fail_as(rstd_ge_status status, const char *code, const char *title, const char *format, ...)
	__attribute__((format(printf, 4, 5), cold));

rstd_ge_status rstd__ge_no_memory(const char *what) __attribute__((cold));

#ifdef __clang_analyzer__
/* It looks at one file at a time, and has to be told that what failed has a status. */
static inline rstd_ge_status rstd__ge_known(rstd_ge_status status, rstd_ge_status told)
{
	(void)told;
	return status;
}
#define rstd__ge_fail(...)            rstd__ge_known(RSTD_GE_FAILED, (rstd__ge_fail)(__VA_ARGS__))
#define rstd__ge_fail_as(status, ...) rstd__ge_known(status, (rstd__ge_fail_as)(status, __VA_ARGS__))
#define rstd__ge_no_memory(what)      rstd__ge_known(RSTD_GE_FAILED, (rstd__ge_no_memory)(what))
#endif

void rstd__ge_warn(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
