/*
 * acl_meta.h - the objects that operators take: tensors, scalars, arrays, lists; and executors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rules that hold for every function here unless its comment says otherwise:
 *
 *   Errors      aclnnStatus is ACLNN_SUCCESS (0) or a code of aclnn/opdev/op_errno.h. After a code nothing has been
 *               written, and aclGetRecentErrMsg() has a sentence that names the argument, what it was and what is
 *               allowed. A NULL pointer is ACLNN_ERR_PARAM_NULLPTR. A create function returns NULL instead.
 *   Threads     Any function may be called from any thread at any time. Objects are not locked: one must not be written
 *               or destroyed while another thread uses it.
 *   Ownership   What a create function made is ended by its destroy function, which also takes NULL. Arrays that are
 *               handed in are copied; the memory of elements stays the caller's. Objects that phase 1 of an operator
 *               got stay until phase 2 has returned.
 */
#ifndef RSTD_CANN_ACLNN_ACL_META_H
#define RSTD_CANN_ACLNN_ACL_META_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ACLNN_META
#define ACLNN_META

typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

typedef int32_t aclnnStatus;

/* Success. A macro of that name which the program has defined before stands. */
#ifndef OK
#ifdef __cplusplus
constexpr aclnnStatus OK = 0;
#else
enum { OK = 0 };
#endif
#endif

#endif

/* ---- Tensors ------------------------------------------------------------------------------------------------ */

/*
 * aclCreateTensor() - describes a tensor in memory of the caller.
 *
 * viewDims      viewDimsNum extents, as the operator sees them
 * stride        viewDimsNum strides in elements, 0 and negative ones allowed; NULL for row-major order without gaps
 * offset        the first element, in elements from tensorData
 * storageDims   storageDimsNum extents of the whole memory, whose product bounds what a view may reach
 * tensorData    device memory, or NULL until aclSetRawTensorAddr()
 *
 * Element (i0, i1, ...) lies (offset + sum of i * stride) elements after tensorData. Signs, bounds and the dtype are
 * checked by the operators. NULL if viewDims or storageDims is NULL although its number is not 0, or without memory.
 */
ACL_FUNC_VISIBILITY aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                               const int64_t *stride, int64_t offset, aclFormat format,
                                               const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);

/* Frees the description, not its memory. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor *tensor);

/* Fills a tensor anew. Dims that are NULL or empty, and an address that is NULL, leave the old ones. */
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                                              aclDataType dataType, const int64_t *stride, int64_t offset,
                                              aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                                              void *tensorDataAddr);

/*
 * Copies extents or strides into a new array, which the caller frees with delete[] of C++ (in C: free()).
 * ACLNN_ERR_INNER_NULLPTR without memory.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                                                   uint64_t *storageDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                                                  uint64_t *stridesNum);

/* Offset in elements, format of the view, dtype. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format);
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);

/* The address of the memory; not to be changed between the two phases of an operator. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr);

/* ---- Scalars and arrays ------------------------------------------------------------------------------------- */

/* Copies one value of the dtype. NULL for a NULL value, a dtype without a size, or without memory. */
ACL_FUNC_VISIBILITY aclScalar *aclCreateScalar(void *value, aclDataType dataType);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar *scalar);

/* Copies size values; NULL or size 0 makes an empty array. NULL without memory. */
ACL_FUNC_VISIBILITY aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
ACL_FUNC_VISIBILITY aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
ACL_FUNC_VISIBILITY aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);

/* How many values there are. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size);

/* ---- Lists -------------------------------------------------------------------------------------------------- */

/* A list of objects that it owns from now on: destroying it destroys them. NULL without memory. */
ACL_FUNC_VISIBILITY aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
ACL_FUNC_VISIBILITY aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList *array);

/* How many objects there are. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size);

/* ---- Executors ---------------------------------------------------------------------------------------------- */

/*
 * Lets an executor that phase 1 has just made run any number of times; the caller ends it with
 * aclDestroyAclOpExecutor(). ACLNN_ERR_INNER_NULLPTR for NULL, ACLNN_ERR_INNER for what is no executor.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);

/* Ends a repeatable executor, or one that never ran. ACLNN_ERR_INNER_NULLPTR for NULL, ACLNN_ERR_INNER for others. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);

/*
 * Gives input, output or tensor number index of a repeatable executor another address, between two runs; the tensor is
 * the one that phase 1 was given, and keeps the address too. ACLNN_ERR_INNER_NULLPTR for a NULL executor or tensor,
 * ACLNN_ERR_PARAM_INVALID for an index out of range.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                      void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                       void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                 void *addr);

/* The same for tensor number relativeIndex of a list that is parameter number irIndex. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList *tensors,
                                                             void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList *tensors,
                                                              void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList *tensors, void *addr);

/* The six by their older names. */
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                      void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                       void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                 void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList *tensors,
                                                             void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList *tensors,
                                                              void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList *tensors, void *addr);

/*
 * Hands the tensors of an operator to the dump tool of NPUs, which there is not here: the pointers are checked, nothing
 * is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors,
                                                 size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
