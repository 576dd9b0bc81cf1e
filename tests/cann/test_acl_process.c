/*
 * test_acl_process.c - the process, errors, versions, attributes, settings, devices and contexts of the runtime
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl_case.h"

/* ---- Beginning and ending ---- */

static void test_finalize_before_init(void **state)
{
	uint64_t left = 7;

	(void)state;
	expect(ACL_SUCCESS, aclFinalize());
	expect(ACL_SUCCESS, aclFinalize());
	expect(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
	assert_int_equal(left, 0);
}

static void test_init_counts(void **state)
{
	uint64_t left;

	(void)state;
	expect(ACL_SUCCESS, aclInit(NULL));
	expect(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
	expect(ACL_ERROR_REPEAT_INITIALIZE, aclInit(""));
	expect(ACL_SUCCESS, aclFinalizeReference(&left));
	assert_int_equal(left, 2);
	expect(ACL_SUCCESS, aclFinalizeReference(NULL));
	expect(ACL_SUCCESS, aclFinalizeReference(&left));
	assert_int_equal(left, 0);
	expect(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
	expect(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
	expect(ACL_SUCCESS, aclInit(NULL));
	expect(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
	expect(ACL_SUCCESS, aclFinalize());
	expect(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

static char config_path[] = "/tmp/acl-config-XXXXXX";

static const char *config(const char *text)
{
	FILE *const file = fopen(config_path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return config_path;
}

static void test_config(void **state)
{
	static const char *const bad[] = {
		"", "x", "[]", "{", "{]", "{}}", "{} x", "{\"a\":\"b}", "{\"a\":[1,2}", "{\"a\":[1,2]", "{\"a\\",
	};

	(void)state;
	const int file = mkstemp(config_path);
	assert_true(file >= 0);
	close(file);
	expect(ACL_ERROR_INVALID_FILE, aclInit("/nowhere/acl.json"));
	expect(ACL_ERROR_INVALID_FILE, aclInit("/"));
	for (size_t i = 0; i < LENGTH(bad); i++)
		expect(ACL_ERROR_INVALID_FILE, aclInit(config(bad[i])));
	expect(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
	/* No settings and an empty object are the same. */
	expect(ACL_SUCCESS, aclInit(config(" { } \n")));
	expect(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclInit(config("{\"dump\": {}}")));
	expect(ACL_SUCCESS, aclFinalize());
	/* White space outside strings does not count. */
	expect(ACL_SUCCESS, aclInit(config("{\"a\": [1, {\"b\": \"} \\\" ]\"}]}")));
	expect(ACL_ERROR_REPEAT_INITIALIZE, aclInit(config("\t{\"a\":[1,{\"b\":\"} \\\" ]\"}]}\n")));
	expect(ACL_ERROR_INVALID_PARAM, aclInit(config("{\"a\":[1,{\"b\":\"}\\\"]\"}]}")));
	expect(ACL_ERROR_INVALID_PARAM, aclInit(NULL));
	expect(ACL_SUCCESS, aclFinalize());
	unlink(config_path);
}

/* ---- Errors ---- */

static void *fail_elsewhere(void *unused)
{
	(void)unused;
	assert_null(aclGetRecentErrMsg());
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
	return NULL;
}

static void test_errors(void **state)
{
	pthread_t thread;

	(void)state;
	aclGetRecentErrMsg();
	assert_null(aclGetRecentErrMsg());
	assert_int_equal(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID);
	assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
	pthread_join(thread, NULL);
	const char *const message = aclGetRecentErrMsg();
	assert_string_equal(message, "[107001] deviceId: is 1, the only device is 0");
	assert_null(aclGetRecentErrMsg());
	assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
	assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
	assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
	assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
	assert_int_equal(aclrtGetLastError((aclrtLastErrLevel)1), ACL_ERROR_INVALID_PARAM);
	assert_int_equal(aclrtPeekAtLastError((aclrtLastErrLevel)2), ACL_ERROR_INVALID_PARAM);
	assert_non_null(aclGetRecentErrMsg());
}

/* A message stays as it was read while further calls fail. */
static void test_message_stays(void **state)
{
	(void)state;
	assert_int_equal(aclrtSetDevice(-5), ACL_ERROR_RT_INVALID_DEVICEID);
	const char *const message = aclGetRecentErrMsg();
	assert_int_equal(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
	assert_string_equal(message, "[107001] deviceId: is -5, the only device is 0");
	assert_string_equal(aclGetRecentErrMsg(), "[100000] devPtr: is null, must not be");
}

/* ---- Versions, attributes, settings ---- */

static void test_versions(void **state)
{
	int32_t major = 0, minor = 0, patch = -1, number = 0;
	aclCANNPackageVersion version;
	char text[ACL_PKG_VERSION_MAX_SIZE], runtime[] = "runtime", unknown[] = "nothing";

	(void)state;
	expect(ACL_SUCCESS, aclrtGetVersion(&major, &minor, &patch));
	assert_int_equal(major, 1);
	assert_int_equal(minor, 17);
	assert_int_equal(patch, 0);
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetVersion(NULL, &minor, &patch));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetVersion(&major, NULL, &patch));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetVersion(&major, &minor, NULL));
	for (int name = ACL_PKG_NAME_CANN; name <= ACL_PKG_NAME_DRIVER; name++) {
		memset(&version, 'x', sizeof(version));
		expect(ACL_SUCCESS, aclsysGetCANNVersion((aclCANNPackageName)name, &version));
		assert_string_equal(version.version, "1.17.0");
		assert_string_equal(version.majorVersion, "1");
		assert_string_equal(version.minorVersion, "17");
		assert_string_equal(version.releaseVersion, "0");
		assert_string_equal(version.patchVersion, "");
	}
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion((aclCANNPackageName)8, &version));
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL));
	expect(ACL_SUCCESS, aclsysGetVersionStr(runtime, text));
	assert_string_equal(text, "1.17.0");
	expect(ACL_SUCCESS, aclsysGetVersionNum(runtime, &number));
	assert_int_equal(number, 11700000);
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(unknown, text));
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(NULL, text));
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(runtime, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(unknown, &number));
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(NULL, &number));
	expect(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(runtime, NULL));
}

static void test_attributes(void **state)
{
	const aclCannAttr *list = NULL;
	size_t count = 0;
	int32_t value;

	(void)state;
	expect(ACL_SUCCESS, aclGetCannAttributeList(&list, &count));
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++) {
		value = -1;
		expect(ACL_SUCCESS, aclGetCannAttribute(list[i], &value));
		assert_int_equal(value, list[i] != ACL_CANN_ATTR_JIT_COMPILE);
	}
	expect(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute((aclCannAttr)3, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(ACL_CANN_ATTR_BF16, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclGetCannAttributeList(NULL, &count));
	expect(ACL_ERROR_INVALID_PARAM, aclGetCannAttributeList(&list, NULL));
}

static void test_settings(void **state)
{
	int64_t value;

	(void)state;
	for (int opt = 0; opt < 4; opt++) {
		value = 5;
		expect(ACL_SUCCESS, aclrtGetSysParamOpt((aclSysParamOpt)opt, &value));
		assert_int_equal(value, 0);
		expect(ACL_SUCCESS, aclrtSetSysParamOpt((aclSysParamOpt)opt, opt + 10));
		expect(ACL_SUCCESS, aclrtGetSysParamOpt((aclSysParamOpt)opt, &value));
		assert_int_equal(value, opt + 10);
	}
	expect(ACL_ERROR_INVALID_PARAM, aclrtSetSysParamOpt((aclSysParamOpt)4, 1));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetSysParamOpt((aclSysParamOpt)-1, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	for (int opt = 0; opt < 3; opt++) {
		expect(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt((aclSysParamOpt)opt, &value));
		expect(ACL_SUCCESS, aclrtCtxSetSysParamOpt((aclSysParamOpt)opt, -opt));
		expect(ACL_SUCCESS, aclrtCtxGetSysParamOpt((aclSysParamOpt)opt, &value));
		assert_int_equal(value, -opt);
	}
	expect(ACL_ERROR_INVALID_PARAM, aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
}

/* Only says that nothing happens: it has no answer, and prints only when it is asked to. */
static void test_log(void **state)
{
	(void)state;
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, "%s", "text");
	aclAppLog((aclLogLevel)9, NULL, NULL, 0, NULL);
	ACL_APP_LOG(ACL_INFO, "%d", 5);
}

/* ---- Devices ---- */

static void test_without_device(void **state)
{
	uint32_t count = 0;
	int32_t id;
	aclrtRunMode mode;
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetDeviceCount(&count));
	assert_int_equal(count, 1);
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount(NULL));
	expect(ACL_SUCCESS, aclrtGetRunMode(&mode));
	assert_int_equal(mode, ACL_HOST);
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetRunMode(NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDevice(NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetCurrentDefaultStream(&stream));
	expect(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
	expect(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDeviceForce(0));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(1));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDeviceForce(-1));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
}

static void test_device_counts(void **state)
{
	int32_t id = 5;
	void *p;

	(void)state;
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	expect(ACL_SUCCESS, aclrtGetDevice(&id));
	assert_int_equal(id, 0);
	expect(ACL_SUCCESS, aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(p)); /* the device's memory went with it */
	expect(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtResetDeviceForce(0));
	expect(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
}

static void *use_default_context(void *context)
{
	aclrtContext mine = NULL;
	int32_t id;

	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&id));
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&mine));
	assert_ptr_equal(mine, context);
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	return NULL;
}

/* The default context is one for all threads; which one is current is each thread's own. */
static void test_threads_share_default_context(void **state)
{
	aclrtContext context, other;
	pthread_t thread;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&context));
	assert_int_equal(pthread_create(&thread, NULL, use_default_context, context), 0);
	pthread_join(thread, NULL);
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&other));
	assert_ptr_equal(other, context);
}

static void test_device_says(void **state)
{
	aclrtUtilizationInfo use = { .cubeUtilization = -1 };
	aclrtDeviceStatus status;
	int64_t value = -1;
	int32_t small = -1;

	(void)state;
	assert_string_equal(aclrtGetSocName(), "Ascend950PR_9599");
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &value));
	assert_int_equal(value, 36);
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value));
	assert_int_equal(value, 36);
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value));
	assert_int_equal(value, 72);
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_L2_CACHE_SIZE, &value));
	assert_int_equal(value, 134217728);
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, &value));
	assert_int_equal(value, 3510);
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value));
	assert_true(value > 0);
	for (int attr = ACL_DEV_ATTR_WARP_SIZE; attr <= ACL_DEV_ATTR_MAX_BLOCK_DIM_Z; attr++)
		expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, (aclrtDevAttr)attr, &value));
	for (int attr = ACL_DEV_ATTR_SMP_ID; attr <= ACL_DEV_ATTR_DEVICE_FORM_FACTOR; attr++)
		expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, (aclrtDevAttr)attr, &value));
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, &value));
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICPU_CORE_NUM, &value));
	assert_true(value >= 1);
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceInfo(1, ACL_DEV_ATTR_CUBE_CORE_NUM, &value));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceInfo(0, (aclrtDevAttr)100, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, NULL));

	expect(ACL_SUCCESS, aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
	assert_int_equal(value, 36);
	expect(ACL_SUCCESS, aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
	assert_int_equal(value, 72);
	expect(ACL_SUCCESS, aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
	assert_int_equal(value, 134217728);
	expect(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(1, ACL_DEVICE_INFO_L2_SIZE, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, (aclDeviceInfo)3, &value));
	expect(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, NULL));

	expect(ACL_SUCCESS, aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &small));
	assert_int_equal(small, ACL_DEV_FEATURE_NOT_SUPPORT);
	expect(ACL_SUCCESS, aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &small));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceCapability(0, (aclrtDevFeatureType)2, &small));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceCapability(1, (aclrtDevFeatureType)1, &small));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCapability(0, (aclrtDevFeatureType)1, NULL));

	expect(ACL_SUCCESS, aclrtQueryDeviceStatus(0, &status));
	assert_int_equal(status, ACL_RT_DEVICE_STATUS_NORMAL);
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtQueryDeviceStatus(1, &status));
	expect(ACL_ERROR_INVALID_PARAM, aclrtQueryDeviceStatus(0, NULL));

	expect(ACL_SUCCESS, aclrtGetDeviceUtilizationRate(0, &use));
	assert_int_equal(use.cubeUtilization, 0);
	assert_in_range(use.memoryUtilization, 0, 100);
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceUtilizationRate(1, &use));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceUtilizationRate(0, NULL));
	use.utilizationExtend = foreign_handle();
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceUtilizationRate(0, &use));
}

static void test_device_settings(void **state)
{
	aclrtFloatOverflowMode mode;
	int32_t can = -1;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetDeviceSatMode(&mode));
	assert_int_equal(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
	expect(ACL_SUCCESS, aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
	expect(ACL_SUCCESS, aclrtGetDeviceSatMode(&mode));
	assert_int_equal(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceSatMode(NULL));
	expect(ACL_SUCCESS, aclrtSetOpWaitTimeout(3));
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOut(0));
	expect(ACL_SUCCESS, aclrtDeviceCanAccessPeer(&can, 0, 0));
	assert_int_equal(can, 0);
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceCanAccessPeer(&can, 1, 0));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceCanAccessPeer(&can, 0, 1));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDeviceCanAccessPeer(NULL, 0, 0));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceEnablePeerAccess(1, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceEnablePeerAccess(0, 1));
	expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtDeviceEnablePeerAccess(0, 0));
}

static void test_synchronize_device(void **state)
{
	(void)state;
	expect(ACL_SUCCESS, aclrtSynchronizeDevice());
	expect(ACL_SUCCESS, aclrtSynchronizeDeviceWithTimeout(-1));
	expect(ACL_SUCCESS, aclrtSynchronizeDeviceWithTimeout(1));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout(0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout(-2));
}

/* ---- Contexts ---- */

static void test_contexts(void **state)
{
	aclrtContext initial, a = NULL, b = NULL, current;
	aclrtStream stream, of_a;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&initial));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetCurrentContext(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateContext(NULL, 0));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtCreateContext(&a, 1));
	expect(ACL_SUCCESS, aclrtCreateContext(&a, 0));
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&current));
	assert_ptr_equal(current, a);
	expect(ACL_SUCCESS, aclrtCreateStream(&of_a));
	expect(ACL_SUCCESS, aclrtCreateContext(&b, 0));
	assert_ptr_not_equal(a, b);
	expect(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSynchronizeStream(of_a));
	expect(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(of_a));
	expect(ACL_SUCCESS, aclrtSetCurrentContext(a));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(of_a));
	expect(ACL_SUCCESS, aclrtSetCurrentContext(b));

	expect(ACL_ERROR_INVALID_PARAM, aclrtSetCurrentContext(NULL));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetCurrentContext(foreign_handle()));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetCurrentContext(of_a));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDestroyContext(NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyContext(initial));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyContext(foreign_handle()));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyContext(of_a));
	expect(ACL_SUCCESS, aclrtDestroyContext(a));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyContext(a));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetCurrentContext(a));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(of_a)); /* went with its context */
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&current));
	assert_ptr_equal(current, b);
	expect(ACL_SUCCESS, aclrtCtxGetCurrentDefaultStream(&stream));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCtxGetCurrentDefaultStream(NULL));
	expect(ACL_SUCCESS, aclrtDestroyContext(b));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&current));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtSetCurrentContext(initial));
}

static atomic_bool in_function, leave_function;

static void linger(void *unused)
{
	(void)unused;
	atomic_store(&in_function, true);
	while (!atomic_load(&leave_function))
		sleep_ms(1);
}

static void *destroy_context(void *context)
{
	expect(ACL_SUCCESS, aclrtDestroyContext(context));
	return NULL;
}

static void test_context_while_it_ends(void **state)
{
	aclrtContext context, initial;
	pthread_t thread;
	aclError code;

	(void)state;
	atomic_store(&in_function, false);
	atomic_store(&leave_function, false);
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&initial));
	expect(ACL_SUCCESS, aclrtCreateContext(&context, 0));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(NULL, linger, NULL));
	while (!atomic_load(&in_function))
		sleep_ms(1);
	assert_int_equal(pthread_create(&thread, NULL, destroy_context, context), 0);
	/* The other thread waits in there for the function, sooner or later. */
	sleep_ms(50);
	code = aclrtDestroyContext(context);
	atomic_store(&leave_function, true);
	pthread_join(thread, NULL);
	assert_int_equal(code, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyContext(context));
	expect(ACL_SUCCESS, aclrtSetCurrentContext(initial));
}

/* An explicit context outlives the default one, and the device's memory with it. */
static void test_context_outlives_reset(void **state)
{
	aclrtContext context;
	char byte;
	void *p;

	(void)state;
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtCreateContext(&context, 0));
	expect(ACL_SUCCESS, aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	expect(ACL_SUCCESS, aclrtMemset(p, 64, 1, 64));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	expect(ACL_SUCCESS, aclrtMemcpy(&byte, 1, p, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(ACL_SUCCESS, aclrtDestroyContext(context));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finalize_before_init),
		cmocka_unit_test(test_init_counts),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_message_stays),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_without_device),
		cmocka_unit_test(test_device_counts),
		cmocka_unit_test_setup_teardown(test_threads_share_default_context, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_device_says, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_device_settings, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_synchronize_device, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_contexts, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_context_while_it_ends, set_device, reset_device),
		cmocka_unit_test(test_context_outlives_reset),
	};

	/* Values below are those of the default chip. */
	unsetenv("RSTD_SOC");
	return cmocka_run_group_tests_name("acl_process", tests, NULL, NULL);
}
