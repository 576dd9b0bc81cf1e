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

void rstd__ge_warn(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
