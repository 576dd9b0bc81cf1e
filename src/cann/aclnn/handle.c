/*
 * handle.c - tensors, arrays, lists and executors as arguments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/aclnn/handle.h"

#include "aclnn/opdev/op_errno.h"
#include "cann/acl/error.h"
#include "cann/acl/fork.h"

bool rstd__handle_open(rstd__object_kind kind, void *object, void (*release)(void *object))
{
	return rstd__fork_prepare() && rstd__object_open(kind, UINT32_MAX, object, release);
}

static aclnnStatus refuse(rstd__object_kind kind, const void *handle, const char *argument)
{
	static const char *const names[RSTD_OBJECT_KINDS] = {
		[RSTD_OBJECT_TENSOR] = "aclTensor",          [RSTD_OBJECT_SCALAR] = "aclScalar",
		[RSTD_OBJECT_INT_ARRAY] = "aclIntArray",     [RSTD_OBJECT_FLOAT_ARRAY] = "aclFloatArray",
		[RSTD_OBJECT_BOOL_ARRAY] = "aclBoolArray",   [RSTD_OBJECT_TENSOR_LIST] = "aclTensorList",
		[RSTD_OBJECT_SCALAR_LIST] = "aclScalarList",
	};

	if (handle == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: is null, must be an %s", argument, names[kind]);
	return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: %p is no %s, or one that was destroyed", argument, handle,
	                      names[kind]);
}

aclnnStatus rstd__handle_get(rstd__object_kind kind, const void *handle, const char *argument, void **object)
{
	*object = rstd__object_find(kind, handle);
	return *object != NULL ? ACLNN_SUCCESS : refuse(kind, handle, argument);
}

aclnnStatus rstd__handle_take(rstd__object_kind kind, const void *handle, const char *argument, void **object)
{
	*object = rstd__object_get(kind, handle);
	if (*object == NULL)
		return refuse(kind, handle, argument);
	if (rstd__object_close(*object))
		return ACLNN_SUCCESS;
	rstd__object_put(*object); /* another thread was faster */
	return refuse(kind, handle, argument);
}

aclnnStatus rstd__handle_destroy(rstd__object_kind kind, const void *handle, const char *argument)
{
	if (handle == NULL || rstd__object_end(kind, handle))
		return ACLNN_SUCCESS;
	return refuse(kind, handle, argument);
}
