/*
 * test_aclnn_std.cpp - aclnnStd: the sample standard deviation of each row of a 2x4 matrix
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acl/acl.h"
#include "aclnnop/aclnn_std.h"

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

static int64_t element_count(const std::vector<int64_t> &shape)
{
	int64_t count = 1;

	for (int64_t length : shape)
		count *= length;
	return count;
}

/* A row-major float tensor on the device, filled with data. */
static int create_tensor(const std::vector<float> &data, const std::vector<int64_t> &shape, void **address,
                         aclTensor **tensor)
{
	const size_t bytes = data.size() * sizeof(float);
	std::vector<int64_t> strides(shape.size(), 1);

	CHECK(aclrtMalloc(address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemcpy(*address, bytes, data.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	for (size_t axis = shape.size(); axis-- > 1;)
		strides[axis - 1] = strides[axis] * shape[axis];
	*tensor = aclCreateTensor(shape.data(), shape.size(), aclDataType::ACL_FLOAT, strides.data(), 0,
	                          aclFormat::ACL_FORMAT_ND, shape.data(), shape.size(), *address);
	return *tensor ? 0 : 1;
}

/* Both phases of aclnnStd, and the wait for the result. */
static int run_std(const aclTensor *self, const aclIntArray *dim, aclTensor *out, aclrtStream stream)
{
	const int64_t correction = 1;
	const bool keepdim = false;
	uint64_t workspace_size = 0;
	aclOpExecutor *executor = nullptr;
	void *workspace = nullptr;

	CHECK(aclnnStdGetWorkspaceSize(self, dim, correction, keepdim, out, &workspace_size, &executor));
	if (workspace_size > 0)
		CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclnnStd(workspace, workspace_size, executor, stream));
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
	const std::vector<int64_t> self_shape = { 2, 4 }, out_shape = { 2 }, axes = { 1 };
	/* The second row is the first one, moved far from zero: its deviation is the same. */
	const std::vector<float> data = { 1, 2, 3, 4, 10000001, 10000002, 10000003, 10000004 };
	const std::vector<float> expected = { 1.29099441F, 1.29099441F }; /* sqrt(5 / 3) */
	const std::vector<float> zeros(static_cast<size_t>(element_count(out_shape)));
	aclrtStream stream = nullptr;
	void *self_address = nullptr, *out_address = nullptr;
	aclTensor *self = nullptr, *out = nullptr;

	CHECK(init(device, &stream));
	CHECK(create_tensor(data, self_shape, &self_address, &self));
	CHECK(create_tensor(zeros, out_shape, &out_address, &out));
	aclIntArray *dim = aclCreateIntArray(axes.data(), axes.size());

	CHECK(run_std(self, dim, out, stream));
	const int wrong = check("std", out_address, expected);

	aclDestroyIntArray(dim);
	aclDestroyTensor(self);
	aclDestroyTensor(out);
	CHECK(aclrtFree(self_address));
	CHECK(aclrtFree(out_address));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(device));
	CHECK(aclFinalize());
	return wrong ? 1 : 0;
}
