/*
 * context.h - contexts, and the one that is current in a thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_CONTEXT_H
#define RSTD_CANN_ACL_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "cann/acl/object.h"
#include "cann/acl/process.h"
#include "cann/acl/stream.h"

#define RSTD_CONTEXT_SETTINGS 3 /* the first of aclSysParamOpt */

typedef struct rstd__context {
	rstd__object object;
	int32_t device;
	bool is_default;    /* of its device; ends when that is released */
	atomic_bool ending; /* somebody ends it */
	rstd__stream *default_stream;
	rstd__setting settings[RSTD_CONTEXT_SETTINGS];
} rstd__context;

/* A new context with a reference for the caller, who holds the lock of the devices. */
aclError rstd__context_new(int32_t device, bool is_default, rstd__context **context);

/* Ends a context that the caller has a reference to, and its streams, after their work or instead of it. */
void rstd__context_end(rstd__context *context, bool force);

/* The handle that is current in this thread, live or not; NULL: none. */
aclrtContext rstd__context_handle(void);
void rstd__context_set(aclrtContext handle);

/* The current context with a reference; fails when there is none. */
aclError rstd__context_current(rstd__context **context);
void rstd__context_put(rstd__context *context);

/* Whether there is a current context, as a check: ACL_SUCCESS, or rstd__acl_fail(). */
aclError rstd__context_check(void);

#endif
