/*
 * acl_op_compiler.h - compiling single operators
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operators are compiled for an NPU, which this library cannot: the call answers that the feature is not supported,
 * with a sentence in aclGetRecentErrMsg(). Safe on any thread.
 */
#ifndef RSTD_CANN_ACL_OP_COMPILER_H
#define RSTD_CANN_ACL_OP_COMPILER_H

#include "acl/acl_base.h"
#include "acl/acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which engine an operator is meant for. */
typedef enum aclopEngineType {
	ACL_ENGINE_SYS = 0,
	ACL_ENGINE_AICORE = 1,
	ACL_ENGINE_VECTOR = 2,
} aclopEngineType;

/* Where the operator comes from: CANN's own library, or opPath. */
typedef enum aclopCompileType {
	ACL_COMPILE_SYS = 0,
	ACL_COMPILE_UNREGISTERED = 1,
} aclopCompileType;

/* Compiles an operator and queues it. ACL_ERROR_INVALID_PARAM without opType, else ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(
	const char *opType, int numInputs, const aclTensorDesc *const inputDesc[], const aclDataBuffer *const inputs[],
	int numOutputs, const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[], const aclopAttr *attr,
	aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
