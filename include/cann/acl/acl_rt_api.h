/*
 * acl_rt_api.h - shorter forms of some functions, for C++
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Not included by acl/acl.h. Each calls the function of acl/acl_rt.h that its comment names; sizes are in bytes.
 */
#ifndef RSTD_CANN_ACL_RT_API_H
#define RSTD_CANN_ACL_RT_API_H

#include "acl/acl_rt.h"

#ifdef __cplusplus

/* aclrtSynchronizeDeviceWithTimeout() */
static inline aclError aclrtSynchronizeDevice(int32_t timeout)
{
	return aclrtSynchronizeDeviceWithTimeout(timeout);
}

/* aclrtSynchronizeStreamWithTimeout() */
static inline aclError aclrtSynchronizeStream(aclrtStream stream, int32_t timeout)
{
	return aclrtSynchronizeStreamWithTimeout(stream, timeout);
}

/* aclrtSynchronizeEventWithTimeout() */
static inline aclError aclrtSynchronizeEvent(aclrtEvent event, int32_t timeout)
{
	return aclrtSynchronizeEventWithTimeout(event, timeout);
}

/* aclrtStreamWaitEventWithTimeout() */
static inline aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
	return aclrtStreamWaitEventWithTimeout(stream, event, timeout);
}

/* aclrtCreateStreamWithConfig() */
static inline aclError aclrtCreateStream(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
	return aclrtCreateStreamWithConfig(stream, priority, flag);
}

/* aclrtCreateEventExWithFlag() */
static inline aclError aclrtCreateEvent(aclrtEvent *event, uint32_t flag)
{
	return aclrtCreateEventExWithFlag(event, flag);
}

/* aclrtMallocWithCfg() */
template <typename T>
static inline aclError aclrtMalloc(T **devPtr, size_t size, aclrtMemMallocPolicy policy,
                                   aclrtMallocConfig *cfg = nullptr)
{
	void *memory = nullptr;
	const aclError error = aclrtMallocWithCfg(devPtr == nullptr ? nullptr : &memory, size, policy, cfg);

	if (error == ACL_SUCCESS)
		*devPtr = static_cast<T *>(memory);
	return error;
}

/* aclrtMallocWithCfg(), huge pages first */
template <typename T> static inline aclError aclrtMalloc(T **devPtr, size_t size, aclrtMallocConfig *cfg = nullptr)
{
	return aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST, cfg);
}

/* aclrtMallocHostWithCfg() */
template <typename T> static inline aclError aclrtMallocHost(T **hostPtr, size_t size, aclrtMallocConfig *cfg = nullptr)
{
	void *memory = nullptr;
	const aclError error = aclrtMallocHostWithCfg(hostPtr == nullptr ? nullptr : &memory, size, cfg);

	if (error == ACL_SUCCESS)
		*hostPtr = static_cast<T *>(memory);
	return error;
}

/* aclrtMemcpy() */
template <typename T, typename U>
static inline aclError aclrtMemcpy(T *dst, size_t destMax, const U *src, size_t count, aclrtMemcpyKind kind)
{
	return aclrtMemcpy(static_cast<void *>(dst), destMax, static_cast<const void *>(src), count, kind);
}

#endif

#endif
