/*
 * acl_case.h - what the tests of the runtime share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_TESTS_ACL_CASE_H
#define RSTD_TESTS_ACL_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A handle that no function made: the address of something of the program. */
static inline void *foreign_handle(void)
{
	static long something[64];

	return &something[32];
}

/*
 * A call must answer that code. If it is an error, it is the thread's last one, and the message says it in brackets and
 * then a sentence.
 */
#define expect(code, call) expect_at((code), (call), #call, __FILE__, __LINE__)

static inline void expect_at(aclError code, aclError got, const char *call, const char *file, int line)
{
	char begin[32];

	if (got != code) {
		print_error("%s\n\tanswers %d, not %d: %s\n", call, got, code, aclGetRecentErrMsg());
		_fail(file, line);
	}
	if (code == ACL_SUCCESS)
		return;
	const char *const message = aclGetRecentErrMsg();
	snprintf(begin, sizeof(begin), "[%d] ", code);
	if (message == NULL || strncmp(message, begin, strlen(begin)) != 0 || strlen(message) < strlen(begin) + 10) {
		print_error("%s\n\tsays \"%s\"\n", call, message);
		_fail(file, line);
	}
	if (aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) != code) {
		print_error("%s\n\tis not the last error\n", call);
		_fail(file, line);
	}
}

/* Before and after a test: device 0 is set and its default context current, and then nothing is left. */
static inline int set_device(void **state)
{
	(void)state;
	return aclrtSetDevice(0);
}

static inline int reset_device(void **state)
{
	(void)state;
	return aclrtResetDevice(0);
}

static inline void sleep_ms(long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static inline double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#endif
