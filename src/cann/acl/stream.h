/*
 * stream.h - tasks of a stream
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_STREAM_H
#define RSTD_CANN_ACL_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"

#define RSTD_TASK_BYTES 128 /* the largest payload */

/* What a task does. One constant object for all tasks of a kind. */
typedef struct rstd__task_kind {
	aclError (*run)(void *payload); /* its error is kept by the stream and surfaces at synchronisation */
	void (*drop)(void *payload);    /* once after run, or instead of it when the task is dropped; may be NULL */
	bool any_thread;                /* a thread that synchronises may run it itself */
} rstd__task_kind;

/*
 * Appends a task to a stream (NULL: the default stream of the current context). Copies size bytes of payload, at most
 * RSTD_TASK_BYTES, into the queue, aligned for any type. Allocates only while the queue grows.
 *
 * When it fails (no current context, stream unknown or of another context, no memory) it has said why with
 * rstd__acl_fail(), nothing was taken, and drop is not called.
 */
aclError rstd__stream_push(aclrtStream stream, const rstd__task_kind *kind, const void *payload, size_t size);

#endif
