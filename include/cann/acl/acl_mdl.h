/*
 * acl_mdl.h - compiled models and their data sets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models are compiled for an NPU, which this library cannot. A program that uses them builds; each call answers that
 * the feature is not supported, with a sentence in aclGetRecentErrMsg(). Safe on any thread.
 */
#ifndef RSTD_CANN_ACL_MDL_H
#define RSTD_CANN_ACL_MDL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclmdlDataset aclmdlDataset;

/* The inputs or outputs of a model. Always NULL here. */
ACL_FUNC_VISIBILITY aclmdlDataset *aclmdlCreateDataset(void);

/* Adds a buffer to a data set. ACL_ERROR_INVALID_PARAM for NULL, else ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
ACL_FUNC_VISIBILITY aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer);

/* Frees a data set. ACL_ERROR_INVALID_PARAM for NULL, else ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
ACL_FUNC_VISIBILITY aclError aclmdlDestroyDataset(const aclmdlDataset *dataset);

#ifdef __cplusplus
}
#endif

#endif
