/*
 * context.c - contexts, and the one that is current in a thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A context is a number of streams. A thread keeps the handle of its current context, not the context: when that has
 * been ended by another thread, there is none.
 */
#include "cann/acl/context.h"

#include <stdlib.h>

#include "cann/acl/device.h"
#include "cann/acl/error.h"
#include "cann/acl/fork.h"

#define MAX_CONTEXTS 4096

static _Thread_local aclrtContext current;

aclrtContext rstd__context_handle(void)
{
	return current;
}

void rstd__context_set(aclrtContext handle)
{
	current = handle;
}

aclError rstd__context_current(rstd__context **context)
{
	*context = rstd__object_get(RSTD_OBJECT_CONTEXT, current);
	if (*context != NULL)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
	                      "context: this thread has none; aclrtSetDevice(), "
	                      "aclrtCreateContext() or aclrtSetCurrentContext() gives it one");
}

void rstd__context_put(rstd__context *context)
{
	rstd__object_put(context);
}

aclError rstd__context_check(void)
{
	rstd__context *context;
	const aclError code = rstd__context_current(&context);

	if (code == ACL_SUCCESS)
		rstd__object_put(context);
	return code;
}

static void release(void *context)
{
	rstd__context *const c = context;

	if (c->default_stream != NULL)
		rstd__stream_put(c->default_stream);
	free(c);
}

static aclError refuse_new(void)
{
	if (rstd__object_count(RSTD_OBJECT_CONTEXT) >= MAX_CONTEXTS)
		return rstd__acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
		                      "there are %d contexts, which is all that can be", MAX_CONTEXTS);
	return rstd__acl_no_memory("a context");
}

aclError rstd__context_new(int32_t device, bool is_default, rstd__context **context)
{
	rstd__context *const c = rstd__fork_prepare() ? calloc(1, sizeof(*c)) : NULL;

	if (c == NULL)
		return rstd__acl_no_memory("a context");
	c->device = device;
	c->is_default = is_default;
	if (!rstd__object_open(RSTD_OBJECT_CONTEXT, MAX_CONTEXTS, c, release)) {
		free(c);
		return refuse_new();
	}
	rstd__object_ref(c);
	const aclError code = rstd__stream_new(c, true, 0, 0, &c->default_stream);
	if (code != ACL_SUCCESS) {
		rstd__object_close(c);
		rstd__object_put(c);
		return code;
	}
	*context = c;
	return ACL_SUCCESS;
}

void rstd__context_end(rstd__context *context, bool force)
{
	rstd__streams_end(context->object.handle, force);
	rstd__object_close(context);
}

/* ---- The interface ---- */

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
	rstd__context *c;

	if (context == NULL)
		return rstd__acl_null("context");
	aclError code = rstd__device_check(deviceId, "deviceId");
	if (code != ACL_SUCCESS)
		return code;
	rstd__devices_lock();
	code = rstd__context_new(deviceId, false, &c);
	rstd__devices_unlock();
	if (code != ACL_SUCCESS)
		return code;
	*context = current = c->object.handle;
	rstd__object_put(c);
	return ACL_SUCCESS;
}

static aclError destroy(rstd__context *context, aclrtContext handle)
{
	if (context->is_default)
		return rstd__acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
		                      "context: %p is the default one of a device, which aclrtResetDevice() ends",
		                      handle);
	if (rstd__streams_run_here(handle))
		return rstd__acl_fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
		                      "context: a function that one of its streams runs cannot end it");
	if (atomic_exchange(&context->ending, true))
		return rstd__acl_fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "context: %p is being destroyed", handle);
	rstd__context_end(context, false);
	if (current == handle)
		current = NULL;
	rstd__device_left(context->device);
	return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context)
{
	if (context == NULL)
		return rstd__acl_null("context");
	rstd__context *const c = rstd__object_get(RSTD_OBJECT_CONTEXT, context);
	if (c == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_CONTEXT_NULL, "context: %p is no context, or one that was destroyed",
		                      context);
	const aclError code = destroy(c, context);
	rstd__object_put(c);
	return code;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
	if (context == NULL)
		return rstd__acl_null("context");
	rstd__context *const c = rstd__object_get(RSTD_OBJECT_CONTEXT, context);
	if (c == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "context: %p is no context, or one that was destroyed", context);
	current = context;
	rstd__object_put(c);
	return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
	if (context == NULL)
		return rstd__acl_null("context");
	const aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		*context = current;
	return code;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
	rstd__stream *s;

	if (stream == NULL)
		return rstd__acl_null("stream");
	const aclError code = rstd__stream_find(NULL, &s);
	if (code != ACL_SUCCESS)
		return code;
	*stream = rstd__stream_handle(s);
	rstd__stream_put(s);
	return ACL_SUCCESS;
}

static aclError check_setting(aclSysParamOpt opt)
{
	if ((unsigned)opt < RSTD_CONTEXT_SETTINGS)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "opt: is %d, allowed for a context are 0 to %d", (int)opt,
	                      RSTD_CONTEXT_SETTINGS - 1);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	rstd__context *context;
	aclError code = check_setting(opt);

	if (code != ACL_SUCCESS)
		return code;
	code = rstd__context_current(&context);
	if (code != ACL_SUCCESS)
		return code;
	rstd__setting_set(&context->settings[opt], value);
	rstd__object_put(context);
	return ACL_SUCCESS;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	rstd__context *context;

	if (value == NULL)
		return rstd__acl_null("value");
	aclError code = check_setting(opt);
	if (code != ACL_SUCCESS)
		return code;
	code = rstd__context_current(&context);
	if (code != ACL_SUCCESS)
		return code;
	code = rstd__setting_get(&context->settings[opt], opt, value);
	rstd__object_put(context);
	return code;
}
