/*
 * device.c - the device, which is the CPU
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * aclrtSetDevice() is counted for the process. The default context is there while the count is not 0. Device memory,
 * events and notifies belong to the device; they are released when its last context ends, default or not.
 */
#include "cann/acl/device.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cann/acl/clock.h"
#include "cann/acl/context.h"
#include "cann/acl/error.h"
#include "cann/acl/event.h"
#include "cann/acl/memory.h"
#include "cann/acl/notify.h"
#include "cann/acl/stream.h"
#include "cann/product.h"

static struct {
	pthread_mutex_t lock;
	uint64_t set;                   /* calls of aclrtSetDevice() that were not taken back */
	rstd__context *context;         /* the default one, while set is not 0 */
	_Atomic uint32_t overflow_mode; /* aclrtFloatOverflowMode + 1; 0: the chip's own */
} device = { .lock = PTHREAD_MUTEX_INITIALIZER };

void rstd__devices_lock(void)
{
	pthread_mutex_lock(&device.lock);
}

void rstd__devices_unlock(void)
{
	pthread_mutex_unlock(&device.lock);
}

aclError rstd__device_check(int32_t id, const char *argument)
{
	if (id >= 0 && id < RSTD_DEVICES)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: is %" PRId32 ", the only device is 0", argument, id);
}

aclError rstd__device_product(const rstd__product **product)
{
	*product = rstd__product_current();
	if (*product != NULL)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_RT_SOC_VERSION, "%s", rstd__product_complaint());
}

/* ---- Setting and releasing ---- */

void rstd__device_left(int32_t id)
{
	rstd__devices_lock();
	if (rstd__object_count(RSTD_OBJECT_CONTEXT) == 0) {
		rstd__events_end(id);
		rstd__notifies_end(id);
		rstd__memory_release(id);
	}
	rstd__devices_unlock();
}

aclError aclrtSetDevice(int32_t deviceId)
{
	aclError code = rstd__device_check(deviceId, "deviceId");

	if (code != ACL_SUCCESS)
		return code;
	rstd__devices_lock();
	if (device.context == NULL)
		code = rstd__context_new(deviceId, true, &device.context);
	if (code == ACL_SUCCESS) {
		device.set++;
		rstd__context_set(device.context->object.handle);
	}
	rstd__devices_unlock();
	return code;
}

/* Takes back one setting, or all. The default context when that was the last, with its reference; else NULL. */
static aclError take_back(bool all, rstd__context **context)
{
	aclError code = ACL_SUCCESS;

	*context = NULL;
	rstd__devices_lock();
	if (device.set == 0) {
		code = rstd__acl_fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "deviceId: the device is not set");
	} else if (rstd__streams_run_here(device.context->object.handle)) {
		code = rstd__acl_fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
		                      "deviceId: a function that a stream of the device runs cannot release it");
	} else {
		device.set = all ? 0 : device.set - 1;
		if (device.set == 0) {
			*context = device.context;
			device.context = NULL;
		}
	}
	rstd__devices_unlock();
	return code;
}

static aclError reset(int32_t id, bool force)
{
	rstd__context *context = NULL;
	aclError code = rstd__device_check(id, "deviceId");

	if (code == ACL_SUCCESS)
		code = take_back(force, &context);
	if (code != ACL_SUCCESS || context == NULL)
		return code;
	/* Not under the lock: functions of the program, which it waits for, may take it. */
	const aclrtContext handle = context->object.handle;
	rstd__context_end(context, force);
	rstd__context_put(context);
	if (rstd__context_handle() == handle)
		rstd__context_set(NULL);
	rstd__device_left(id);
	return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
	return reset(deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
	return reset(deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
	rstd__context *context;

	if (deviceId == NULL)
		return rstd__acl_null("deviceId");
	const aclError code = rstd__context_current(&context);
	if (code != ACL_SUCCESS)
		return code;
	*deviceId = context->device;
	rstd__context_put(context);
	return ACL_SUCCESS;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
	if (flags != NULL)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "flags: must be null");
	if (active == NULL)
		return rstd__acl_null("active");
	const aclError code = rstd__device_check(deviceId, "deviceId");
	if (code != ACL_SUCCESS)
		return code;
	rstd__devices_lock();
	*active = device.context != NULL;
	rstd__devices_unlock();
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
	if (count == NULL)
		return rstd__acl_null("count");
	*count = RSTD_DEVICES;
	return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
	if (runMode == NULL)
		return rstd__acl_null("runMode");
	*runMode = ACL_HOST;
	return ACL_SUCCESS;
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
	int32_t id;

	if (timeout == 0 || timeout < -1)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "timeout: is %" PRId32 ", allowed are -1 and more than 0", timeout);
	const aclError code = aclrtGetDevice(&id);
	return code != ACL_SUCCESS ? code : rstd__streams_synchronize(id, rstd__deadline(timeout));
}

aclError aclrtSynchronizeDevice(void)
{
	return aclrtSynchronizeDeviceWithTimeout(-1);
}

/* ---- What the device says about itself ---- */

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
	if (deviceStatus == NULL)
		return rstd__acl_null("deviceStatus");
	const aclError code = rstd__device_check(deviceId, "deviceId");
	if (code == ACL_SUCCESS)
		*deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
	return code;
}

const char *aclrtGetSocName(void)
{
	const rstd__product *product;

	return rstd__device_product(&product) == ACL_SUCCESS ? product->soc : NULL;
}

aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible)
{
	const rstd__product *product;

	if (socVersion == NULL)
		return rstd__acl_null("socVersion");
	if (canCompatible == NULL)
		return rstd__acl_null("canCompatible");
	const aclError code = rstd__device_product(&product);
	if (code != ACL_SUCCESS)
		return code;
	const rstd__product *const other = rstd__product_find(socVersion);
	if (other == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "socVersion: %.64s is no chip that is known",
		                      socVersion);
	*canCompatible = other->family->arch == product->family->arch;
	return ACL_SUCCESS;
}

/* The device is the CPU: it has no faults of its own to tell of. */
aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
{
	if (errorInfo == NULL)
		return rstd__acl_null("errorInfo");
	const aclError code = rstd__device_check(deviceId, "deviceId");
	if (code == ACL_SUCCESS)
		*errorInfo = (aclrtErrorInfo){ .errorType = ACL_RT_NO_ERROR };
	return code;
}

/* Whether the attribute is known, and its value. What CPUs have no answer for is 0, or 1 where there must be one. */
static bool device_info(const rstd__product *product, aclrtDevAttr attr, int64_t *value)
{
	switch (attr) {
	case ACL_DEV_ATTR_AICPU_CORE_NUM:
		*value = rstd__cpus();
		return true;
	case ACL_DEV_ATTR_AICORE_CORE_NUM:
	case ACL_DEV_ATTR_CUBE_CORE_NUM:
		*value = product->cube_cores;
		return true;
	case ACL_DEV_ATTR_VECTOR_CORE_NUM:
		*value = product->vector_cores;
		return true;
	case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
		*value = (int64_t)rstd__memory_total();
		return true;
	case ACL_DEV_ATTR_L2_CACHE_SIZE:
		*value = (int64_t)product->l2_bytes;
		return true;
	case ACL_DEV_ATTR_NPU_ARCH:
		*value = product->family->arch;
		return true;
	case ACL_DEV_ATTR_WARP_SIZE:
	case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
	case ACL_DEV_ATTR_MAX_GRID_DIM_X:
	case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
	case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
	case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
	case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK:
	case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
	case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
	case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z:
		*value = 1;
		return true;
	case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
	case ACL_DEV_ATTR_SMP_ID:
	case ACL_DEV_ATTR_PHY_CHIP_ID:
	case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
	case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
	case ACL_DEV_ATTR_SUPER_POD_ID:
	case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
	case ACL_DEV_ATTR_MAINBOARD_ID:
	case ACL_DEV_ATTR_HD_CONNECT_TYPE:
	case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
	case ACL_DEV_ATTR_IS_VIRTUAL:
		*value = 0;
		return true;
	}
	return false;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
	const rstd__product *product;

	if (value == NULL)
		return rstd__acl_null("value");
	if (deviceId >= RSTD_DEVICES)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "deviceId: is %" PRIu32 ", the only device is 0",
		                      deviceId);
	const aclError code = rstd__device_product(&product);
	if (code != ACL_SUCCESS)
		return code;
	if (!device_info(product, attr, value))
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "attr: is %d, which no attribute has", (int)attr);
	return ACL_SUCCESS;
}

static bool capability(const rstd__product *product, aclDeviceInfo info, int64_t *value)
{
	switch (info) {
	case ACL_DEVICE_INFO_AI_CORE_NUM:
		*value = product->cube_cores;
		return true;
	case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
		*value = product->vector_cores;
		return true;
	case ACL_DEVICE_INFO_L2_SIZE:
		*value = (int64_t)product->l2_bytes;
		return true;
	case ACL_DEVICE_INFO_UNDEFINED:
		break;
	}
	return false;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
	const rstd__product *product;

	if (value == NULL)
		return rstd__acl_null("value");
	if (deviceId >= RSTD_DEVICES)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "deviceId: is %" PRIu32 ", the only device is 0",
		                      deviceId);
	const aclError code = rstd__device_product(&product);
	if (code != ACL_SUCCESS)
		return code;
	if (!capability(product, deviceInfo, value))
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "deviceInfo: is %d, allowed are 0 to 2",
		                      (int)deviceInfo);
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t *value)
{
	if (value == NULL)
		return rstd__acl_null("value");
	const aclError code = rstd__device_check(deviceId, "deviceId");
	if (code != ACL_SUCCESS)
		return code;
	if (devFeatureType != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
	    devFeatureType != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "devFeatureType: is %d, allowed are 1 and 21",
		                      (int)devFeatureType);
	*value = ACL_DEV_FEATURE_NOT_SUPPORT;
	return ACL_SUCCESS;
}

/* There is no NPU that could be busy; memory in use is what aclrtGetMemInfo() says. */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
	if (utilizationInfo == NULL)
		return rstd__acl_null("utilizationInfo");
	if (utilizationInfo->utilizationExtend != NULL)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "utilizationInfo->utilizationExtend: must be null");
	const aclError code = rstd__device_check(deviceId, "deviceId");
	if (code != ACL_SUCCESS)
		return code;
	const uint64_t total = rstd__memory_total();
	utilizationInfo->cubeUtilization = 0;
	utilizationInfo->vectorUtilization = 0;
	utilizationInfo->aicpuUtilization = 0;
	utilizationInfo->memoryUtilization = (int32_t)((total - rstd__memory_free()) / (total / 100 + 1));
	return ACL_SUCCESS;
}

/* ---- Settings, which change nothing: results are always what IEEE 754 says ---- */

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
	if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "mode: is %d, allowed are 0 and 1", (int)mode);
	const aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		atomic_store(&device.overflow_mode, (uint32_t)mode + 1);
	return code;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
	const rstd__product *product;

	if (mode == NULL)
		return rstd__acl_null("mode");
	aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		code = rstd__device_product(&product);
	if (code != ACL_SUCCESS)
		return code;
	const uint32_t chosen = atomic_load(&device.overflow_mode);
	if (chosen != 0)
		*mode = (aclrtFloatOverflowMode)(chosen - 1);
	else
		*mode = product->family->bf16 ? ACL_RT_OVERFLOW_MODE_INFNAN : ACL_RT_OVERFLOW_MODE_SATURATION;
	return ACL_SUCCESS;
}

/* ---- Other devices, of which there are none ---- */

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
	if (canAccessPeer == NULL)
		return rstd__acl_null("canAccessPeer");
	aclError code = rstd__device_check(deviceId, "deviceId");
	if (code == ACL_SUCCESS)
		code = rstd__device_check(peerDeviceId, "peerDeviceId");
	if (code == ACL_SUCCESS)
		*canAccessPeer = 0;
	return code;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
	if (flags != 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "flags: is %" PRIu32 ", must be 0", flags);
	aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		code = rstd__device_check(peerDeviceId, "peerDeviceId");
	if (code != ACL_SUCCESS)
		return code;
	return rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "peerDeviceId: is %" PRId32 ", the thread's own device",
	                      peerDeviceId);
}
