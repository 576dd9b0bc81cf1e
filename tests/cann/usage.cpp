/*
 * usage.cpp - what C++ programs for CANN do with the headers; and the overloads of acl_rt_api.h, called
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define ACLNN_ERR_PARAM_NULLPTR 161001

#include "acl/acl.h"
#include "acl/acl_rt_api.h"
#include "aclnnop/level2/aclnn_batch_norm_stats.h"

#include <cstdio>
#include <memory>
#include <type_traits>
#include <vector>

#define ACL_ERROR_RT_PARAM_INVALID 107000

/* Enumerators by the name of their enum and without, constants where the language asks for one, blocks of kernels. */
static_assert(aclDataType::ACL_FLOAT == ACL_FLOAT, "enumerators of dtypes");
static_assert(aclFormat::ACL_FORMAT_ND == ACL_FORMAT_ND, "enumerators of formats");
static_assert(std::is_convertible<aclFormat, int>::value, "enums are unscoped");
static_assert(OK == ACLNN_SUCCESS && ACL_SUCCESS == 0, "constants");
static_assert(std::is_same<decltype(OK), const aclnnStatus>::value, "the type of OK");

static bool failed;

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, aclGetRecentErrMsg());          \
			failed = true;                                                                                 \
		}                                                                                                      \
	} while (0)

static bool blocks_default_to_one()
{
	const dim3 one;
	const dim3 row(7);
	const dim3 all{ 2, 3, 4 };

	return one.x == 1 && one.y == 1 && one.z == 1 && row.x == 7 && row.y == 1 && all.z == 4;
}

/* Destroy functions as deleters, as examples have them. */
static void objects_in_smart_pointers()
{
	const std::vector<int64_t> shape = { 2, 3 };
	std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)> tensor(
		aclCreateTensor(shape.data(), shape.size(), aclDataType::ACL_FLOAT16, nullptr, 0,
	                        aclFormat::ACL_FORMAT_ND, shape.data(), shape.size(), nullptr),
		aclDestroyTensor);
	void *memory = nullptr;

	CHECK(tensor != nullptr);
	CHECK(aclrtMalloc(&memory, 24, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
	const std::unique_ptr<void, aclError (*)(void *)> owner(memory, aclrtFree);
	CHECK(aclSetRawTensorAddr(tensor.get(), memory) == OK);

	/* The caller frees what a getter made with delete[]. */
	int64_t *dims = nullptr;
	uint64_t rank = 0;
	CHECK(aclGetViewShape(tensor.get(), &dims, &rank) == OK);
	CHECK(rank == 2 && dims != nullptr && dims[1] == 3);
	delete[] dims;
}

static void overloads_call_what_they_say()
{
	float *device = nullptr;
	double *host = nullptr;
	aclrtStream stream = nullptr;
	aclrtEvent event = nullptr;

	CHECK(aclrtCreateStream(&stream, 0, ACL_STREAM_FAST_LAUNCH) == ACL_SUCCESS);
	CHECK(aclrtCreateEvent(&event, ACL_EVENT_SYNC) == ACL_SUCCESS);
	CHECK(aclrtMalloc(&device, 64) == ACL_SUCCESS);
	CHECK(aclrtMallocHost(&host, 64) == ACL_SUCCESS);
	if (failed)
		return;
	for (int i = 0; i < 8; i++)
		host[i] = i;
	CHECK(aclrtMemcpy(device, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
	host[5] = 0;
	CHECK(aclrtMemcpy(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
	CHECK(host[5] == 5);
	CHECK(aclrtRecordEvent(event, stream) == ACL_SUCCESS);
	CHECK(aclrtStreamWaitEvent(stream, event, 10) == ACL_SUCCESS);
	CHECK(aclrtStreamWaitEvent(stream, event, -1) == ACL_ERROR_RT_PARAM_INVALID);
	CHECK(aclrtSynchronizeEvent(event, 10000) == ACL_SUCCESS);
	CHECK(aclrtSynchronizeEvent(event, 0) == ACL_ERROR_RT_PARAM_INVALID);
	CHECK(aclrtSynchronizeStream(stream, 10000) == ACL_SUCCESS);
	CHECK(aclrtSynchronizeStream(stream, 0) == ACL_ERROR_RT_PARAM_INVALID);
	CHECK(aclrtSynchronizeDevice(10000) == ACL_SUCCESS);
	CHECK(aclrtSynchronizeDevice(-2) == ACL_ERROR_RT_PARAM_INVALID);
	CHECK(aclrtFree(device) == ACL_SUCCESS);

	/* With a policy and with attributes, and without a place for the answer. */
	aclrtMallocConfig config = { nullptr, 1 };
	CHECK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS);
	CHECK(aclrtFree(device) == ACL_SUCCESS);
	device = nullptr;
	CHECK(aclrtMalloc(&device, 64, &config) == ACL_ERROR_INVALID_PARAM && device == nullptr);
	CHECK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_NORMAL_ONLY, &config) == ACL_ERROR_INVALID_PARAM);
	CHECK(aclrtMalloc(static_cast<float **>(nullptr), 64) == ACL_ERROR_INVALID_PARAM);
	CHECK(aclrtMallocHost(static_cast<float **>(nullptr), 64) == ACL_ERROR_INVALID_PARAM);

	CHECK(aclrtFreeHost(host) == ACL_SUCCESS);
	CHECK(aclrtDestroyEvent(event) == ACL_SUCCESS);
	CHECK(aclrtDestroyStream(stream) == ACL_SUCCESS);
}

int main()
{
	CHECK(blocks_default_to_one());
	CHECK(aclInit(nullptr) == ACL_SUCCESS);
	CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
	objects_in_smart_pointers();
	overloads_call_what_they_say();
	ACL_APP_LOG(ACL_INFO, "done");
	ACL_APP_LOG(ACL_INFO, "done: %s", failed ? "failed" : "passed");
	CHECK(aclrtResetDevice(0) == ACL_SUCCESS);
	CHECK(aclFinalize() == ACL_SUCCESS);
	return failed ? 1 : 0;
}
