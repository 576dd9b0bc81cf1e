/*
 * acl_base_mdl.h - descriptions of tensors: dtype, shape and format, without data
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Included by acl/acl_base.h. An object may be read by any number of threads at once; it is created and destroyed by
 * one.
 */
#ifndef RSTD_CANN_ACL_BASE_MDL_H
#define RSTD_CANN_ACL_BASE_MDL_H

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensorDesc aclTensorDesc;

/*
 * Describes a tensor of numDims extents, which are copied. The caller ends it with aclDestroyTensorDesc().
 * NULL, and a sentence in aclGetRecentErrMsg(), if numDims is negative, dims is NULL although numDims is not 0, or
 * memory runs out.
 */
ACL_FUNC_VISIBILITY aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                                       aclFormat format);

/* Frees a description. NULL is allowed. */
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc *desc);

/* The dtype; ACL_DT_UNDEFINED for NULL. */
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc *desc);

/* The format; ACL_FORMAT_UNDEFINED for NULL. */
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);

/* The bytes of all elements, each of aclDataTypeSize() bytes; 0 for NULL and for what does not fit in a size_t. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc *desc);

/* The number of elements, 1 at rank 0; 0 for NULL, if an extent is negative, and for what does not fit in a size_t. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);

/* The rank; 0 for NULL. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);

/* Writes extent number index. ACL_ERROR_INVALID_PARAM for NULL and for an index that is not below the rank. */
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize);

#ifdef __cplusplus
}
#endif

#endif
