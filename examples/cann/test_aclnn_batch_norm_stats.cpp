/*
 * test_aclnn_batch_norm_stats.cpp - aclnnBatchNormStats on float16 batches, with one executor for all of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acl/acl.h"
#include "aclnnop/aclnn_batch_norm_stats.h"

#include <cstdint>
#include <cstdio>
#include <vector>

/* Ends the function with the code of a call that failed, and says why. */
#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		const int check_code = (call);                                                                         \
		if (check_code != 0) {                                                                                 \
			const char *why = aclGetRecentErrMsg();                                                        \
			std::fprintf(stderr, "%s: %d, %s\n", #call, check_code, why ? why : "no message");             \
			return check_code;                                                                             \
		}                                                                                                      \
	} while (0)

static int init(int32_t device, aclrtStream *stream)
{
	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(device));
	CHECK(aclrtCreateStream(stream));
	return 0;
}

/* Room on the device for a row-major tensor of this shape, and the tensor. */
static int create_tensor(const std::vector<int64_t> &shape, aclDataType dtype, aclFormat format, void **address,
                         aclTensor **tensor)
{
	std::vector<int64_t> strides(shape.size(), 1);
	size_t bytes = aclDataTypeSize(dtype);

	for (int64_t length : shape)
		bytes *= static_cast<size_t>(length);
	for (size_t axis = shape.size(); axis-- > 1;)
		strides[axis - 1] = strides[axis] * shape[axis];
	CHECK(aclrtMalloc(address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	*tensor = aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0, format, shape.data(),
	                          shape.size(), *address);
	return *tensor ? 0 : 1;
}

/* Values as float16 into the memory of a tensor. */
static int fill(void *address, const std::vector<float> &values)
{
	std::vector<aclFloat16> halves;
	const size_t bytes = values.size() * sizeof(aclFloat16);

	for (float value : values)
		halves.push_back(aclFloatToFloat16(value));
	CHECK(aclrtMemcpy(address, bytes, halves.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	return 0;
}

/* Reads a result back, prints it beside what is right, and tells whether they are the same. */
static int check(const char *name, const void *address, const std::vector<float> &expected)
{
	std::vector<float> result(expected.size());
	const size_t bytes = result.size() * sizeof(float);
	int wrong = 0;

	CHECK(aclrtMemcpy(result.data(), bytes, address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	for (size_t i = 0; i < result.size(); i++) {
		std::printf("%s[%zu] = %.9g, expected %.9g\n", name, i, static_cast<double>(result[i]),
		            static_cast<double>(expected[i]));
		wrong += result[i] != expected[i];
	}
	return wrong;
}

/* One batch: data in, phase 2 again, results out. */
static int run_batch(aclOpExecutor *executor, void *workspace, uint64_t workspace_size, aclrtStream stream, void *input,
                     const std::vector<float> &batch)
{
	CHECK(fill(input, batch));
	CHECK(aclnnBatchNormStats(workspace, workspace_size, executor, stream));
	CHECK(aclrtSynchronizeStream(stream));
	return 0;
}

int main()
{
	const int32_t device = 0;
	const double eps = 0;
	const std::vector<int64_t> input_shape = { 2, 2, 1, 2 }, channels = { 2 };
	/* Channel 0 and channel 1 of one image, then of the next. */
	const std::vector<float> batch_1 = { 1, 3, 10, 10, 1, 3, 12, 12 };
	const std::vector<float> batch_2 = { 0, 0, -2, 0, 4, 4, 0, 2 };
	aclrtStream stream = nullptr;
	void *input_address = nullptr, *mean_address = nullptr, *invstd_address = nullptr, *workspace = nullptr;
	aclTensor *input = nullptr, *mean = nullptr, *invstd = nullptr;
	uint64_t workspace_size = 0;
	aclOpExecutor *executor = nullptr;
	int wrong = 0;

	CHECK(init(device, &stream));
	CHECK(create_tensor(input_shape, ACL_FLOAT16, ACL_FORMAT_NCHW, &input_address, &input));
	CHECK(create_tensor(channels, ACL_FLOAT, ACL_FORMAT_ND, &mean_address, &mean));
	CHECK(create_tensor(channels, ACL_FLOAT, ACL_FORMAT_ND, &invstd_address, &invstd));

	CHECK(aclnnBatchNormStatsGetWorkspaceSize(input, eps, mean, invstd, &workspace_size, &executor));
	CHECK(aclSetAclOpExecutorRepeatable(executor));
	if (workspace_size > 0)
		CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));

	CHECK(run_batch(executor, workspace, workspace_size, stream, input_address, batch_1));
	wrong += check("mean of batch 1", mean_address, { 2, 11 });
	wrong += check("invstd of batch 1", invstd_address, { 1, 1 });
	CHECK(run_batch(executor, workspace, workspace_size, stream, input_address, batch_2));
	wrong += check("mean of batch 2", mean_address, { 2, 0 });
	wrong += check("invstd of batch 2", invstd_address, { 0.5F, 0.707106769F }); /* 1 / sqrt(4), 1 / sqrt(2) */

	CHECK(aclDestroyAclOpExecutor(executor));
	aclDestroyTensor(input);
	aclDestroyTensor(mean);
	aclDestroyTensor(invstd);
	if (workspace)
		CHECK(aclrtFree(workspace));
	CHECK(aclrtFree(input_address));
	CHECK(aclrtFree(mean_address));
	CHECK(aclrtFree(invstd_address));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(device));
	CHECK(aclFinalize());
	return wrong ? 1 : 0;
}
