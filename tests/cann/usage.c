/*
 * usage.c - what C programs for CANN do with the headers; it must compile without a warning
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* Their own definitions, before and after, must not clash with the same in the headers. */
#define OK                      0
#define ACLNN_ERR_PARAM_NULLPTR 161001

#include "acl/acl.h"
#include "aclnnop/aclnn_std.h"

#define ACLNN_ERR_PARAM_INVALID    161002
#define ACL_ERROR_RT_PARAM_INVALID 107000
#define CHECK(condition, ...)                                                                                          \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			ACL_APP_LOG(ACL_ERROR, __VA_ARGS__);                                                           \
			return ACLNN_ERR_PARAM_NULLPTR;                                                                \
		}                                                                                                      \
	} while (0)

aclnnStatus rstd_test_usage(aclrtStream stream, const aclTensor *self, aclTensor *out);

/* The runtime and one operator are included, and ACLNN_SUCCESS is there. */
aclnnStatus rstd_test_usage(aclrtStream stream, const aclTensor *self, aclTensor *out)
{
	aclError (*const release)(void *) = aclrtFree;
	const struct dim3 grid = { 1, 2, 3 };
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	void *workspace = NULL;

	CHECK(self != NULL, "no self");
	CHECK(out != NULL, "no out for %u", (unsigned)grid.x);
	aclnnStatus status = aclnnStdGetWorkspaceSize(self, NULL, 1, false, out, &size, &executor);
	if (status == ACLNN_SUCCESS && size > 0 &&
	    aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
		status = ACLNN_ERR_INNER;
	if (status == OK)
		status = aclnnStd(workspace, size, executor, stream);
	if (aclrtSynchronizeStream(stream) != ACL_ERROR_NONE)
		status = ACLNN_ERR_RUNTIME_ERROR;
	if (workspace != NULL)
		release(workspace);
	return status;
}
