/*
 * stream.h - tasks of a stream
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_STREAM_H
#define RSTD_CANN_ACL_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- For the rest of the runtime ---- */

typedef struct rstd__stream rstd__stream;
struct rstd__mark;
struct rstd__context;
struct rstd__server;

/* A new stream of a context, with a reference for the caller. */
aclError rstd__stream_new(const struct rstd__context *context, bool is_default, uint32_t priority, uint32_t flags,
                          rstd__stream **stream);

/*
 * The stream that a handle names, NULL being the default one of the current context, with a reference that
 * rstd__stream_put() gives up; NULL with an error. Fails for a handle that is not live and for a stream of another context.
 */
aclError rstd__stream_find(aclrtStream handle, rstd__stream **stream);
void rstd__stream_put(rstd__stream *stream);
aclrtStream rstd__stream_handle(const rstd__stream *stream);

/* A task to be. */
typedef struct rstd__order {
	const rstd__task_kind *kind;
	const void *payload;
	size_t size;
	struct rstd__mark *gate; /* it begins when this is passed; NULL: at once */
	int64_t patience;        /* nanoseconds; then the task is dropped, and the stream has an error; 0: no end */
} rstd__order;

/*
 * rstd__stream_push() for a stream that was found, and for several tasks: all of them are taken or none. *number, if
 * that is not NULL, is the number of the last one.
 */
aclError rstd__stream_append(rstd__stream *stream, const rstd__order *orders, size_t count, uint64_t *number);

/* Fails if the calling thread runs a task of the stream, and so cannot wait for it. */
aclError rstd__stream_check_wait(rstd__stream *stream);

#define RSTD_ALL_TASKS UINT64_MAX

/* Waits for the task of that number, or for all that the stream has so far. Errors of the work stay where they are. */
aclError rstd__stream_settle(rstd__stream *stream, uint64_t number, int64_t deadline);

/* The same for all streams of a device. */
aclError rstd__streams_settle(int32_t device);

/* And with the errors of the work: the first one is answered. */
aclError rstd__streams_synchronize(int32_t device, int64_t deadline);

/* Ends a stream, after its work or instead of it. */
aclError rstd__stream_end(rstd__stream *stream, bool force);

/* Ends all streams of a context. */
void rstd__streams_end(aclrtContext context, bool force);

/* Whether the calling thread runs a task of a stream of that context (NULL: of any): it cannot wait for that. */
bool rstd__streams_run_here(aclrtContext context);

#define RSTD_STREAM_SERVICES 2

/* Where callback.c notes who serves a stream, one place for each service. */
struct rstd__server **rstd__stream_servers(rstd__stream *stream);

/* Of the cores of the chip, which limits.c keeps; 0: none. */
typedef struct rstd__limits {
	_Atomic uint32_t cores[2]; /* by aclrtDevResLimitType */
} rstd__limits;

rstd__limits *rstd__stream_limits(rstd__stream *stream);

/* After a fork streams have no threads; whoever is about to wait for one calls this. */
void rstd__streams_revive(void);

/* For fork(). */
void rstd__streams_lock(void);
void rstd__streams_unlock(void);
void rstd__streams_reset_in_child(void);

#endif
