/*
 * aclnn_lists.cpp - a C++ program frees the lists that getters made, as CANN has it; sanitizers watch how
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cstdint>
#include <cstdio>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

typedef aclnnStatus (*getter)(const aclTensor *, int64_t **, uint64_t *);

static bool gives(getter get, const aclTensor *tensor, int64_t first, uint64_t count)
{
	int64_t *list = nullptr;
	uint64_t number = 0;

	if (get(tensor, &list, &number) != ACLNN_SUCCESS || number != count)
		return false;
	const bool right = count == 0 || list[0] == first;
	delete[] list;
	return right;
}

int main()
{
	const int64_t shape[2] = { 6, 5 };
	const int64_t strides[2] = { 10, 1 };
	const int64_t storage[1] = { 100 };
	const aclTensor *const t =
		aclCreateTensor(shape, 2, ACL_FLOAT, strides, 22, ACL_FORMAT_ND, storage, 1, nullptr);
	const aclTensor *const scalar = aclCreateTensor(nullptr, 0, aclDataType::ACL_FLOAT, nullptr, 0,
	                                                aclFormat::ACL_FORMAT_ND, nullptr, 0, nullptr);

	const bool right = gives(aclGetViewShape, t, 6, 2) && gives(aclGetViewStrides, t, 10, 2) &&
	                   gives(aclGetStorageShape, t, 100, 1) && gives(aclGetViewShape, scalar, 0, 0);
	aclDestroyTensor(t);
	aclDestroyTensor(scalar);
	std::puts(right ? "as described" : "not as described");
	return right ? 0 : 1;
}
