/*
 * object.h - whatever programs name by a handle: how, and how long it lives
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A handle is no address but a number: the kind of the object, the index of a slot, and how often that slot has been
 * used. So a handle that is destroyed already, of the wrong kind, or never was one is told apart without reading
 * through it. An object has references: one for its handle while that is live, and one for whoever uses it; it goes
 * with the last. No lock is taken to look one up.
 */
#ifndef RSTD_CANN_ACL_OBJECT_H
#define RSTD_CANN_ACL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum rstd__object_kind {
	RSTD_OBJECT_CONTEXT,
	RSTD_OBJECT_STREAM,
	RSTD_OBJECT_EVENT,
	RSTD_OBJECT_NOTIFY,
	RSTD_OBJECT_STREAM_CONFIG,
	RSTD_OBJECT_DATA_BUFFER,
	RSTD_OBJECT_TENSOR_DESC,
	RSTD_OBJECT_TENSOR,
	RSTD_OBJECT_SCALAR,
	RSTD_OBJECT_INT_ARRAY,
	RSTD_OBJECT_FLOAT_ARRAY,
	RSTD_OBJECT_BOOL_ARRAY,
	RSTD_OBJECT_TENSOR_LIST,
	RSTD_OBJECT_SCALAR_LIST,
	RSTD_OBJECT_EXECUTOR,
	RSTD_OBJECT_KINDS
} rstd__object_kind;

/* The first member of every object. */
typedef struct rstd__object {
	void *handle;
	void (*release)(void *object); /* frees it; called with the last reference */
} rstd__object;

/* Gives the object a handle and its first reference. False when there is no memory for it or limit objects live. */
bool rstd__object_open(rstd__object_kind kind, uint32_t limit, void *object, void (*release)(void *));

/* The object of a live handle of that kind with one more reference, else NULL. */
void *rstd__object_get(rstd__object_kind kind, const void *handle);

/* The same without a reference, for objects that the program itself keeps while it calls. */
void *rstd__object_find(rstd__object_kind kind, const void *handle);

/* One more reference to an object that has one already. */
void rstd__object_ref(void *object);

/* One reference less. Not under the lock of a stream: the last one releases the object. */
void rstd__object_put(void *object);

/*
 * Ends the handle of an object that the caller has a reference to, and gives up the reference that the handle held.
 * False when it was ended before: of all who try, one ends it.
 */
bool rstd__object_close(void *object);

/* The same for who has the handle alone. */
bool rstd__object_end(rstd__object_kind kind, const void *handle);

/* The next live object of a kind with one more reference, NULL after the last; *cursor is 0 at first. */
void *rstd__object_next(rstd__object_kind kind, uint32_t *cursor);

/* How many handles of a kind are live. */
uint32_t rstd__object_count(rstd__object_kind kind);

/* For fork(): while they are locked no object comes or goes. */
void rstd__objects_lock(void);
void rstd__objects_unlock(void);

#endif
