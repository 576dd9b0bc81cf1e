/*
 * base.c - begin and end of the use of operators, and the dump of tensors
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "aclnn/aclnn_base.h"

#include "cann/acl/error.h"
#include "cann/aclnn/tensor.h"
#include "cann/product.h"

/* There is nothing to configure and nothing to prepare; it is a good moment to say that RSTD_SOC is misspelt. */
aclnnStatus aclnnInit(const char *configPath)
{
	(void)configPath;
	if (rstd__product_current() == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER, "%s", rstd__product_complaint());
	return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize(void)
{
	return ACLNN_SUCCESS;
}

aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors, size_t inputTensorNum,
                             size_t outputTensorNum, aclrtStream stream)
{
	if (opType == NULL || opName == NULL || tensors == NULL || stream == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR,
		                      "opType, opName, tensors, stream: one is null, none may be");
	for (size_t i = 0; i < inputTensorNum + outputTensorNum; i++) {
		rstd__acl_tensor *t;
		const aclnnStatus status = rstd__tensor_get(tensors[i], "tensors", &t);

		if (status != ACLNN_SUCCESS)
			return status;
	}
	return ACLNN_SUCCESS;
}
