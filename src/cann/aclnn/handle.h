/*
 * handle.h - what programs hold in place of pointers to tensors, arrays, lists and executors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A handle is a number: the kind of the object, the index of a slot, and how often that slot has been used. It is no
 * address, so that a handle which is destroyed already, is used for the wrong kind, or never was one is told apart
 * without reading through it, and does not come to life again when its memory is used for something else.
 *
 * All functions may be called from any thread, and from a child of fork(). Finding an object takes no lock.
 */
#ifndef RSTD_CANN_ACLNN_HANDLE_H
#define RSTD_CANN_ACLNN_HANDLE_H

#include "aclnn/aclnn_base.h"

typedef enum rstd__handle_kind {
	RSTD_HANDLE_TENSOR = 1,
	RSTD_HANDLE_SCALAR,
	RSTD_HANDLE_INT_ARRAY,
	RSTD_HANDLE_FLOAT_ARRAY,
	RSTD_HANDLE_BOOL_ARRAY,
	RSTD_HANDLE_TENSOR_LIST,
	RSTD_HANDLE_SCALAR_LIST,
	RSTD_HANDLE_EXECUTOR,
	RSTD_HANDLE_DATA_BUFFER,
	RSTD_HANDLE_TENSOR_DESC,
	RSTD_HANDLE_KINDS
} rstd__handle_kind;

/* A new handle for an object that is not NULL; NULL when there is no memory for it. */
void *rstd__handle_open(rstd__handle_kind kind, void *object);

/* The object of a live handle of that kind, else NULL. */
void *rstd__handle_find(rstd__handle_kind kind, const void *handle);

/* Ends a handle and returns its object: to one caller only, whoever else tries it, even at the same time, gets NULL. */
void *rstd__handle_close(rstd__handle_kind kind, const void *handle);

/*
 * The same two as checks of an argument: 161001 when the handle is null, 161002 when it is not live, each with a
 * sentence that begins with the argument's name.
 */
aclnnStatus rstd__handle_get(rstd__handle_kind kind, const void *handle, const char *argument, void **object);
aclnnStatus rstd__handle_take(rstd__handle_kind kind, const void *handle, const char *argument, void **object);

#endif
