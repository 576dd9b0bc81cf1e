/*
 * error.c - status texts and the thread's last error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[512];

rstd_status rstd__fail(rstd_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof(last_error), format, args);
	va_end(args);
	return status;
}

const char *rstd_last_error(void)
{
	return last_error;
}

const char *rstd_status_string(rstd_status status)
{
	switch (status) {
#define STATUS_CASE(name, number, text)                                                                                \
	case name:                                                                                                     \
		return text;
		RSTD_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
	}
	return "unknown status";
}
