/*
 * unsupported.c - what CANN does with NPUs alone: compiled operators, models, kernels, recorded work, profiling
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The functions are here so that programs link. Each says what it cannot do, so that a program which goes this way learns
 * it at the first call.
 */
#include "acl/acl.h"

#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_compile.h"

#include "cann/acl/error.h"

static aclError refuse(const char *function, const char *what)
{
	return rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	                      "%s: %s need an NPU; rstd computes on the CPU, and has the functions of aclnnop/",
	                      function, what);
}

/* The same for a function that would write an answer: the pointer to it is checked first, as everywhere. */
static aclError refuse_answer(const char *function, const char *what, const char *argument, const void *pointer)
{
	if (pointer == NULL)
		return rstd__acl_null(argument);
	return refuse(function, what);
}

/* ---- Operators by name -------------------------------------------------------------------------------------- */

static const char operators[] = "operators called by name";

aclopAttr *aclopCreateAttr(void)
{
	refuse(__func__, operators);
	return NULL;
}

void aclopDestroyAttr(const aclopAttr *attr)
{
	(void)attr;
}

aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs,
                                const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                                const aclopAttr *attr, aclopEngineType engineType, aclopCompileType compileFlag,
                                const char *opPath, aclrtStream stream)
{
	(void)numInputs, (void)inputDesc, (void)inputs, (void)numOutputs, (void)outputDesc, (void)outputs;
	(void)attr, (void)engineType, (void)compileFlag, (void)opPath, (void)stream;
	return refuse_answer(__func__, operators, "opType", opType);
}

/* ---- Models ------------------------------------------------------------------------------------------------- */

static const char models[] = "compiled models";

aclmdlDataset *aclmdlCreateDataset(void)
{
	refuse(__func__, models);
	return NULL;
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer)
{
	(void)dataBuffer;
	return refuse_answer(__func__, models, "dataset", dataset);
}

aclError aclmdlDestroyDataset(const aclmdlDataset *dataset)
{
	return refuse_answer(__func__, models, "dataset", dataset);
}

/* ---- Recorded work ------------------------------------------------------------------------------------------ */

static const char recordings[] = "recordings of streams";

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	(void)stream, (void)mode;
	return refuse(__func__, recordings);
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
	(void)stream;
	return refuse_answer(__func__, recordings, "modelRI", modelRI);
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
	(void)path, (void)flags;
	return refuse_answer(__func__, recordings, "modelRI", modelRI);
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	return refuse_answer(__func__, recordings, "modelRI", modelRI);
}

/* ---- Kernels ------------------------------------------------------------------------------------------------ */

static const char kernels[] = "kernels of Ascend C";

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle)
{
	(void)data, (void)length, (void)options;
	return refuse_answer(__func__, kernels, "binHandle", binHandle);
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
	(void)binHandle, (void)kernelName;
	return refuse_answer(__func__, kernels, "funcHandle", funcHandle);
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                        void **args)
{
	(void)numBlocks, (void)stream, (void)cfg, (void)args;
	return refuse_answer(__func__, kernels, "func", func);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
	return refuse_answer(__func__, kernels, "binHandle", binHandle);
}

aclError aclrtcCreateProg(aclrtcProg *prog, const char *source, const char *name, int numHeaders, const char **headers,
                          const char **includeNames)
{
	(void)source, (void)name, (void)numHeaders, (void)headers, (void)includeNames;
	return refuse_answer(__func__, kernels, "prog", prog);
}

aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char **options)
{
	(void)numOptions, (void)options;
	return refuse_answer(__func__, kernels, "prog", prog);
}

aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSize)
{
	(void)prog;
	return refuse_answer(__func__, kernels, "binDataSize", binDataSize);
}

aclError aclrtcGetBinData(aclrtcProg prog, char *binData)
{
	(void)prog;
	return refuse_answer(__func__, kernels, "binData", binData);
}

aclError aclrtcDestroyProg(aclrtcProg *prog)
{
	return refuse_answer(__func__, kernels, "prog", prog);
}

/* ---- Profiling ---------------------------------------------------------------------------------------------- */

uint64_t aclprofStr2Id(const char *message)
{
	(void)message;
	refuse(__func__, "measurements of the profiler");
	return UINT64_MAX;
}

/* ---- Exceptions, which kernels raise and computations on the CPU do not ---- */

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	(void)callback; /* there will be nothing to call it for */
	return ACL_SUCCESS;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	(void)info;
	return UINT32_MAX;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	(void)info;
	return UINT32_MAX;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	(void)info;
	return UINT32_MAX;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	(void)info;
	return UINT32_MAX;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
	(void)info;
	return UINT32_MAX;
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr, uint32_t *devArgsLen)
{
	(void)info, (void)devArgsLen;
	return refuse_answer(__func__, kernels, "devArgsPtr", devArgsPtr);
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
	(void)info;
	return refuse_answer(__func__, kernels, "func", func);
}
