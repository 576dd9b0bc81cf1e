/*
 * test_aclnn_std_mean_correction.cpp - aclnnStdMeanCorrection on a window of a larger matrix, without a copy
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acl/acl.h"
#include "aclnnop/aclnn_std_mean_correction.h"

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

/* Part of a buffer on the device: rows and columns of it, as strides and an offset say. */
struct view {
	std::vector<int64_t> shape, strides;
	int64_t offset;
	std::vector<int64_t> storage;
};

static int init(int32_t device, aclrtStream *stream)
{
	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(device));
	CHECK(aclrtCreateStream(stream));
	return 0;
}

/* A buffer on the device with these elements, and a view of it. */
static int create_tensor(const std::vector<float> &data, const view &v, void **address, aclTensor **tensor)
{
	const size_t bytes = data.size() * sizeof(float);

	CHECK(aclrtMalloc(address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemcpy(*address, bytes, data.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	*tensor = aclCreateTensor(v.shape.data(), v.shape.size(), aclDataType::ACL_FLOAT, v.strides.data(), v.offset,
	                          aclFormat::ACL_FORMAT_ND, v.storage.data(), v.storage.size(), *address);
	return *tensor ? 0 : 1;
}

/* Both phases, and the wait for the results. */
static int run_std_mean(const aclTensor *self, const aclIntArray *dim, aclTensor *std_out, aclTensor *mean_out,
                        aclrtStream stream)
{
	const int64_t correction = 0;
	const bool keepdim = true;
	uint64_t workspace_size = 0;
	aclOpExecutor *executor = nullptr;
	void *workspace = nullptr;

	CHECK(aclnnStdMeanCorrectionGetWorkspaceSize(self, dim, correction, keepdim, std_out, mean_out, &workspace_size,
	                                             &executor));
	if (workspace_size > 0)
		CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclnnStdMeanCorrection(workspace, workspace_size, executor, stream));
	CHECK(aclrtSynchronizeStream(stream));
	if (workspace)
		CHECK(aclrtFree(workspace));
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

int main()
{
	const int32_t device = 0;
	/* A 5x6 matrix, and in it the 3x2 window from row 1, column 2 on. */
	const view window = { { 3, 2 }, { 6, 1 }, 1 * 6 + 2, { 5, 6 } };
	const view row = { { 1, 2 }, { 2, 1 }, 0, { 1, 2 } };
	const std::vector<int64_t> axes = { 0 };
	const float first[3] = { 1, 3, 5 }, second[3] = { -2, -1, -12 };
	const std::vector<float> zeros(2), std_expected = { 1.63299322F, 4.96655464F }; /* sqrt(8 / 3), sqrt(74 / 3) */
	const std::vector<float> mean_expected = { 3, -5 };
	std::vector<float> data(30, 1e30F); /* what lies beside the window must not count */
	aclrtStream stream = nullptr;
	void *self_address = nullptr, *std_address = nullptr, *mean_address = nullptr;
	aclTensor *self = nullptr, *std_out = nullptr, *mean_out = nullptr;

	for (int64_t i = 0; i < 3; i++) {
		data[static_cast<size_t>(window.offset + i * window.strides[0])] = first[i];
		data[static_cast<size_t>(window.offset + i * window.strides[0] + 1)] = second[i];
	}

	CHECK(init(device, &stream));
	CHECK(create_tensor(data, window, &self_address, &self));
	CHECK(create_tensor(zeros, row, &std_address, &std_out));
	CHECK(create_tensor(zeros, row, &mean_address, &mean_out));
	aclIntArray *dim = aclCreateIntArray(axes.data(), axes.size());

	CHECK(run_std_mean(self, dim, std_out, mean_out, stream));
	int wrong = check("std", std_address, std_expected);
	wrong += check("mean", mean_address, mean_expected);

	aclDestroyIntArray(dim);
	aclDestroyTensor(self);
	aclDestroyTensor(std_out);
	aclDestroyTensor(mean_out);
	CHECK(aclrtFree(self_address));
	CHECK(aclrtFree(std_address));
	CHECK(aclrtFree(mean_address));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(device));
	CHECK(aclFinalize());
	return wrong ? 1 : 0;
}
