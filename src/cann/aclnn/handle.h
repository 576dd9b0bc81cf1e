/*
 * handle.h - tensors, arrays, lists and executors as arguments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNN_HANDLE_H
#define RSTD_CANN_ACLNN_HANDLE_H

#include "aclnn/aclnn_base.h"
#include "cann/acl/object.h"

/* Gives an object a handle, which is object->handle from then on. False when there is no memory for it. */
bool rstd__handle_open(rstd__object_kind kind, void *object, void (*release)(void *object));

/*
 * The object of a handle, for as long as the caller's caller keeps it. Fails with 161001 when the handle is null and
 * with 161002 when it is not live, each with a sentence that begins with the argument's name.
 */
aclnnStatus rstd__handle_get(rstd__object_kind kind, const void *handle, const char *argument, void **object);

/* The same, and ends the handle: the object is the caller's, who gives it up by rstd__object_put(). */
aclnnStatus rstd__handle_take(rstd__object_kind kind, const void *handle, const char *argument, void **object);

/* Ends a handle and its object; a null handle is none. */
aclnnStatus rstd__handle_destroy(rstd__object_kind kind, const void *handle, const char *argument);

#endif
