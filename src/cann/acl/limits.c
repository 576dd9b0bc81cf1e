/*
 * limits.c - how much of a chip operators may use, and for how long
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs share out the cores of NPUs and bound the time of kernels with these. They are kept and answered, and change
 * nothing here: rstd's own threads are set by RSTD_NUM_THREADS, and no work is ever cut short.
 */
#include <inttypes.h>
#include <stdatomic.h>

#include "acl/acl_rt.h"
#include "cann/acl/context.h"
#include "cann/acl/device.h"
#include "cann/acl/error.h"
#include "cann/acl/stream.h"
#include "cann/product.h"

/* ---- Cores; a limit of 0 is none ---- */

static rstd__limits device_limits;              /* of the only device */
static _Thread_local aclrtStream limits_stream; /* whose limits this thread uses, NULL: those of the device */

static aclError cores(aclrtDevResLimitType type, uint32_t *value)
{
	const rstd__product *product;

	if (type != ACL_RT_DEV_RES_CUBE_CORE && type != ACL_RT_DEV_RES_VECTOR_CORE)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "type: is %d, allowed are 0 and 1", (int)type);
	const aclError code = rstd__device_product(&product);
	if (code == ACL_SUCCESS)
		*value = type == ACL_RT_DEV_RES_CUBE_CORE ? product->cube_cores : product->vector_cores;
	return code;
}

/* The limit: of the stream if it has one, else of the device, else what the chip has. */
static aclError get_limit(rstd__limits *stream, aclrtDevResLimitType type, uint32_t *value)
{
	uint32_t limit = 0;

	if (value == NULL)
		return rstd__acl_null("value");
	const aclError code = cores(type, value);
	if (code != ACL_SUCCESS)
		return code;
	if (stream != NULL)
		limit = atomic_load(&stream->cores[type]);
	if (limit == 0)
		limit = atomic_load(&device_limits.cores[type]);
	if (limit != 0)
		*value = limit;
	return ACL_SUCCESS;
}

static aclError set_limit(rstd__limits *limits, aclrtDevResLimitType type, uint32_t value)
{
	uint32_t most = 0;
	const aclError code = cores(type, &most);

	if (code != ACL_SUCCESS)
		return code;
	if (value == 0 || value > most)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "value: is %" PRIu32 ", allowed are 1 to %" PRIu32,
		                      value, most);
	atomic_store(&limits->cores[type], value);
	return ACL_SUCCESS;
}

static void reset_limits(rstd__limits *limits)
{
	atomic_store(&limits->cores[ACL_RT_DEV_RES_CUBE_CORE], 0);
	atomic_store(&limits->cores[ACL_RT_DEV_RES_VECTOR_CORE], 0);
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
	const aclError code = rstd__device_check(deviceId, "deviceId");

	return code != ACL_SUCCESS ? code : get_limit(NULL, type, value);
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
	const aclError code = rstd__device_check(deviceId, "deviceId");

	return code != ACL_SUCCESS ? code : set_limit(&device_limits, type, value);
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
	const aclError code = rstd__device_check(deviceId, "deviceId");

	if (code == ACL_SUCCESS)
		reset_limits(&device_limits);
	return code;
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
	rstd__stream *s;
	aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	code = get_limit(rstd__stream_limits(s), type, value);
	rstd__stream_put(s);
	return code;
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
	rstd__stream *s;
	aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	code = set_limit(rstd__stream_limits(s), type, value);
	rstd__stream_put(s);
	return code;
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
	rstd__stream *s;
	const aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	reset_limits(rstd__stream_limits(s));
	rstd__stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
	rstd__stream *s;
	const aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	limits_stream = rstd__stream_handle(s);
	rstd__stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
	rstd__stream *s;
	const aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	if (limits_stream == rstd__stream_handle(s))
		limits_stream = NULL;
	rstd__stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
	const aclError code = rstd__context_check();

	if (code != ACL_SUCCESS)
		return code;
	if (limits_stream == NULL)
		return get_limit(NULL, type, value);
	return aclrtGetStreamResLimit(limits_stream, type, value);
}

/* ---- Time ---- */

/* Bounds are whole numbers of intervals, rounded up; longer ones are the longest. */
#define INTERVAL_US   UINT64_C(1000000)
#define MAX_INTERVALS 254

static _Atomic uint64_t execute_timeout_us = MAX_INTERVALS * INTERVAL_US;

/* 0: as long as can be. What is kept of it goes to *actual unless that is NULL. */
static aclError set_execute_timeout(uint64_t us, uint64_t *actual)
{
	const aclError code = rstd__context_check();
	uint64_t intervals = us / INTERVAL_US + (us % INTERVAL_US != 0);

	if (code != ACL_SUCCESS)
		return code;
	if (intervals == 0 || intervals > MAX_INTERVALS)
		intervals = MAX_INTERVALS;
	atomic_store(&execute_timeout_us, intervals * INTERVAL_US);
	if (actual != NULL)
		*actual = intervals * INTERVAL_US;
	return ACL_SUCCESS;
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
	(void)timeout;
	return rstd__context_check();
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
	return set_execute_timeout(timeout * UINT64_C(1000000), NULL);
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
	return set_execute_timeout(timeout * UINT64_C(1000), NULL);
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
	if (actualTimeout == NULL)
		return rstd__acl_null("actualTimeout");
	return set_execute_timeout(timeout, actualTimeout);
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
	if (timeoutMs == NULL)
		return rstd__acl_null("timeoutMs");
	const aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		*timeoutMs = (uint32_t)(atomic_load(&execute_timeout_us) / 1000);
	return code;
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
	if (interval == NULL)
		return rstd__acl_null("interval");
	const aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		*interval = INTERVAL_US;
	return code;
}
