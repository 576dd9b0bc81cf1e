/*
 * error.h - the one way to fail: a status, and a sentence for rstd_last_error()
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_RUNTIME_ERROR_H
#define RSTD_RUNTIME_ERROR_H

#include "rstd/rstd.h"

/*
 * Formats the sentence into this thread's buffer (cut at its end if need be) and returns status, so that a check reads
 *	return rstd__fail(RSTD_ERROR_RANK, "x: rank is %zu, allowed are 0 to 8", rank);
 * The sentence names the argument, what it was, and what is allowed.
 */
rstd_status rstd__fail(rstd_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

#endif
