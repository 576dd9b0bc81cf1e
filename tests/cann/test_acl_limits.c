/*
 * test_acl_limits.c - limits that are kept and answered, configurations of streams, and what a device says of itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "acl_case.h"

#define VECTOR ACL_RT_DEV_RES_VECTOR_CORE
#define CUBE   ACL_RT_DEV_RES_CUBE_CORE

static uint32_t in_thread(aclrtDevResLimitType type)
{
	uint32_t value = 0;

	expect(ACL_SUCCESS, aclrtGetResInCurrentThread(type, &value));
	return value;
}

static uint32_t of_stream(aclrtStream stream, aclrtDevResLimitType type)
{
	uint32_t value = 0;

	expect(ACL_SUCCESS, aclrtGetStreamResLimit(stream, type, &value));
	return value;
}

static void test_cores(void **state)
{
	aclrtStream stream;
	uint32_t value;
	int64_t cores;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores));
	expect(ACL_SUCCESS, aclrtGetDeviceResLimit(0, VECTOR, &value));
	assert_int_equal(value, cores);
	assert_int_equal(of_stream(stream, VECTOR), cores);
	assert_int_equal(in_thread(VECTOR), cores);

	expect(ACL_SUCCESS, aclrtSetDeviceResLimit(0, VECTOR, 5));
	assert_int_equal(of_stream(stream, VECTOR), 5);
	expect(ACL_SUCCESS, aclrtSetStreamResLimit(stream, VECTOR, 3));
	assert_int_equal(of_stream(stream, VECTOR), 3);
	assert_int_equal(of_stream(NULL, VECTOR), 5);
	assert_int_equal(in_thread(VECTOR), 5);
	expect(ACL_SUCCESS, aclrtUseStreamResInCurrentThread(stream));
	assert_int_equal(in_thread(VECTOR), 3);
	expect(ACL_SUCCESS, aclrtUnuseStreamResInCurrentThread(NULL)); /* another one: nothing changes */
	assert_int_equal(in_thread(VECTOR), 3);
	expect(ACL_SUCCESS, aclrtUnuseStreamResInCurrentThread(stream));
	assert_int_equal(in_thread(VECTOR), 5);
	expect(ACL_SUCCESS, aclrtResetStreamResLimit(stream));
	assert_int_equal(of_stream(stream, VECTOR), 5);
	expect(ACL_SUCCESS, aclrtResetDeviceResLimit(0));
	assert_int_equal(of_stream(stream, VECTOR), cores);
	assert_int_not_equal(of_stream(stream, CUBE), cores); /* a chip with twice as many vector cores */

	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceResLimit(0, VECTOR, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceResLimit(0, VECTOR, (uint32_t)cores + 1));
	expect(ACL_SUCCESS, aclrtSetDeviceResLimit(0, VECTOR, (uint32_t)cores));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamResLimit(stream, (aclrtDevResLimitType)2, 1));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceResLimit(0, (aclrtDevResLimitType)7, &value));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceResLimit(1, VECTOR, &value));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDeviceResLimit(-1, VECTOR, 1));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDeviceResLimit(1));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceResLimit(0, VECTOR, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetStreamResLimit(stream, VECTOR, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetResInCurrentThread(VECTOR, NULL));

	expect(ACL_SUCCESS, aclrtUseStreamResInCurrentThread(stream));
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetResInCurrentThread(VECTOR, &value));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtUseStreamResInCurrentThread(stream));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtUnuseStreamResInCurrentThread(stream));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtResetStreamResLimit(stream));
	expect(ACL_SUCCESS, aclrtUseStreamResInCurrentThread(NULL)); /* the default one */
	assert_int_equal(in_thread(VECTOR), cores);
	expect(ACL_SUCCESS, aclrtUnuseStreamResInCurrentThread(NULL));
}

static uint32_t timeout_ms(void)
{
	uint32_t ms = 0;

	expect(ACL_SUCCESS, aclrtGetOpExecuteTimeout(&ms));
	return ms;
}

/* Whole intervals, rounded up; 254 of them at most. */
static void test_time(void **state)
{
	uint64_t interval, actual;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetOpTimeOutInterval(&interval));
	assert_true(interval >= 1000 && interval % 1000 == 0);
	assert_int_equal(timeout_ms(), 254 * interval / 1000);
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOutV2(interval, &actual));
	assert_int_equal(actual, interval);
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOutV2(interval + 1, &actual));
	assert_int_equal(actual, 2 * interval);
	assert_int_equal(timeout_ms(), 2 * interval / 1000);
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOutV2(UINT64_MAX, &actual));
	assert_int_equal(actual, 254 * interval);
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOutWithMs((uint32_t)(3 * interval / 1000)));
	assert_int_equal(timeout_ms(), 3 * interval / 1000);
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOutV2(0, &actual));
	assert_int_equal(actual, 254 * interval);
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOut(1));
	assert_true(timeout_ms() >= 1000 && timeout_ms() < 1000 + interval / 1000);
	expect(ACL_SUCCESS, aclrtSetOpExecuteTimeOut(0));
	assert_int_equal(timeout_ms(), 254 * interval / 1000);
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetOpTimeOutInterval(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetOpExecuteTimeout(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtSetOpExecuteTimeOutV2(1, NULL));
}

static void test_stream_configurations(void **state)
{
	const uint32_t priority = 2;
	const uint64_t flags = ACL_STREAM_FAST_LAUNCH, too_much = UINT64_C(1) << 40;
	aclrtStreamConfigHandle *const handle = aclrtCreateStreamConfigHandle();
	aclrtStream stream, plain;
	uint32_t value, least;

	(void)state;
	assert_non_null(handle);
	expect(ACL_SUCCESS, aclrtCreateStream(&plain));
	expect(ACL_SUCCESS, aclrtStreamGetPriority(plain, &least));
	expect(ACL_SUCCESS, aclrtCreateStreamV2(&stream, handle)); /* as it is at first */
	expect(ACL_SUCCESS, aclrtStreamGetPriority(stream, &value));
	assert_int_equal(value, least);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	expect(ACL_SUCCESS, aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)));
	expect(ACL_SUCCESS, aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flags, sizeof(flags)));
	expect(ACL_SUCCESS, aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_SIZE, &flags, sizeof(flags)));
	expect(ACL_SUCCESS, aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_ADDR_PTR, &flags, sizeof(flags)));
	expect(ACL_SUCCESS, aclrtCreateStreamV2(&stream, handle));
	expect(ACL_SUCCESS, aclrtStreamGetPriority(stream, &value));
	assert_int_equal(value, priority);
	expect(ACL_SUCCESS, aclrtStreamGetFlags(stream, &value));
	assert_int_equal(value, flags);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	expect(ACL_SUCCESS, aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &too_much, sizeof(too_much)));
	expect(ACL_SUCCESS, aclrtCreateStreamV2(&stream, handle));
	expect(ACL_SUCCESS, aclrtStreamGetPriority(stream, &value));
	assert_int_equal(value, least);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));

	expect(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flags, 0));
	expect(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, NULL, sizeof(flags)));
	expect(ACL_ERROR_INVALID_PARAM,
	       aclrtSetStreamConfigOpt(handle, (aclrtStreamConfigAttr)4, &flags, sizeof(flags)));
	expect(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt(NULL, ACL_RT_STREAM_FLAG, &flags, sizeof(flags)));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamV2(NULL, handle));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamV2(&stream, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamConfigHandle(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamConfigHandle(foreign_handle()));
	expect(ACL_SUCCESS, aclrtDestroyStreamConfigHandle(handle));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamConfigHandle(handle));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamV2(&stream, handle));
	expect(ACL_SUCCESS, aclrtDestroyStream(plain));
}

static void nothing(void *argument)
{
	(void)argument;
}

static void *last_of_another_thread(void *context)
{
	static uint32_t id;

	expect(ACL_SUCCESS, aclrtSetCurrentContext(context));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(NULL, nothing, NULL));
	expect(ACL_SUCCESS, aclrtGetThreadLastTaskId(&id));
	return &id;
}

static void test_last_task(void **state)
{
	aclrtStream stream;
	aclrtContext context;
	pthread_t thread;
	uint32_t id;
	void *other;

	(void)state;
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetThreadLastTaskId(NULL));
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	for (uint32_t i = 0; i < 5; i++) {
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, nothing, NULL));
		expect(ACL_SUCCESS, aclrtGetThreadLastTaskId(&id));
		assert_int_equal(id, i);
	}
	expect(ACL_SUCCESS, aclrtGetCurrentContext(&context));
	assert_int_equal(pthread_create(&thread, NULL, last_of_another_thread, context), 0);
	assert_int_equal(pthread_join(thread, &other), 0);
	assert_int_equal(*(uint32_t *)other, 0);
	expect(ACL_SUCCESS, aclrtGetThreadLastTaskId(&id));
	assert_int_equal(id, 4);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

static void test_device_says(void **state)
{
	aclrtErrorInfo info = { .tryRepair = 1, .errorType = ACL_RT_ERROR_L2 };
	int32_t active, same, other;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetPrimaryCtxState(0, NULL, &active));
	assert_int_equal(active, 1);
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	expect(ACL_SUCCESS, aclrtGetPrimaryCtxState(0, NULL, &active));
	assert_int_equal(active, 0);
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(0, &(uint32_t){ 0 }, &active));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(0, NULL, NULL));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetPrimaryCtxState(1, NULL, &active));

	expect(ACL_SUCCESS, aclrtCheckArchCompatibility(aclrtGetSocName(), &same));
	expect(ACL_SUCCESS, aclrtCheckArchCompatibility("Ascend310P3", &other));
	assert_int_equal(same, 1);
	assert_int_equal(other, 0);
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckArchCompatibility("Ascend1", &other));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCheckArchCompatibility(NULL, &other));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCheckArchCompatibility("Ascend310P3", NULL));

	expect(ACL_SUCCESS, aclrtGetErrorVerbose(0, &info));
	assert_int_equal(info.errorType, ACL_RT_NO_ERROR);
	assert_int_equal(info.tryRepair + info.hasDetail, 0);
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetErrorVerbose(0, NULL));
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetErrorVerbose(7, &info));
}

/* There are no exceptions; programs that would look at one get no answer, and no crash. */
static void test_exceptions(void **state)
{
	aclrtFuncHandle function = NULL;
	void *arguments = NULL;
	uint32_t length = 3;

	(void)state;
	expect(ACL_SUCCESS, aclrtSetExceptionInfoCallback(NULL));
	assert_int_equal(aclrtGetTaskIdFromExceptionInfo(NULL), UINT32_MAX);
	assert_int_equal(aclrtGetStreamIdFromExceptionInfo(NULL), UINT32_MAX);
	assert_int_equal(aclrtGetThreadIdFromExceptionInfo(NULL), UINT32_MAX);
	assert_int_equal(aclrtGetDeviceIdFromExceptionInfo(NULL), UINT32_MAX);
	assert_int_equal(aclrtGetErrorCodeFromExceptionInfo(NULL), UINT32_MAX);
	expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetArgsFromExceptionInfo(NULL, &arguments, &length));
	expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetFuncHandleFromExceptionInfo(NULL, &function));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetArgsFromExceptionInfo(NULL, NULL, &length));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetFuncHandleFromExceptionInfo(NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cores, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_time, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_stream_configurations, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_last_task, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_device_says, set_device, reset_device),
		cmocka_unit_test_setup_teardown(test_exceptions, set_device, reset_device),
	};

	return cmocka_run_group_tests_name("acl_limits", tests, NULL, NULL);
}
