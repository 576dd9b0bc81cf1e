/*
 * acl_rt.h - the runtime: process, devices, contexts, streams, events, memory, host callbacks, versions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The device is the CPU: device memory is ordinary memory, streams are queues with threads of their own. The rules on
 * errors, threads and ownership at the top of acl/acl_base_rt.h hold here. Functions that queue work return before it
 * is done; what fails in it comes back from the synchronisation. A child of fork() may go on using the library.
 */
#ifndef RSTD_CANN_ACL_RT_H
#define RSTD_CANN_ACL_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt_allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ----------------------------------------------------------------------------------------------- */

/* Of the interface that these headers declare. */
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

/* The bytes of texts that name versions, the terminator included. */
#define ACL_PKG_VERSION_MAX_SIZE       128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/* The packages that a version may be asked of. rstd answers for all of them. */
typedef enum aclCANNPackageName {
	ACL_PKG_NAME_CANN = 0,
	ACL_PKG_NAME_RUNTIME = 1,
	ACL_PKG_NAME_COMPILER = 2,
	ACL_PKG_NAME_HCCL = 3,
	ACL_PKG_NAME_TOOLKIT = 4,
	ACL_PKG_NAME_OPP = 5,
	ACL_PKG_NAME_OPP_KERNEL = 6,
	ACL_PKG_NAME_DRIVER = 7,
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
	char version[ACL_PKG_VERSION_MAX_SIZE];
	char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/* Deprecated: the version of the interface, 1.17.0. */
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);

/* Deprecated: the version of a package, as a whole and in parts. ACL_ERROR_INVALID_PARAM for an unknown name. */
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);

/* The version of a package as a text, into the caller's ACL_PKG_VERSION_MAX_SIZE bytes. */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/*
 * The version of a package as a number that grows with it: major * 10000000 + minor * 100000 + patch * 1000, and for
 * the n-th alpha, beta or candidate n - 300, n - 200 or n - 100 more.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

/* ---- Process ------------------------------------------------------------------------------------------------ */

/*
 * aclInit() - begins the use of the runtime.
 *
 * configPath names a JSON file with settings, or is NULL. Settings are for NPUs: the file is only looked at.
 * ACL_ERROR_REPEAT_INITIALIZE if it has begun already, which counts one more use and may be ignored;
 * ACL_ERROR_INVALID_PARAM if a repeated call names a file with another content; ACL_ERROR_INVALID_FILE if the file
 * cannot be read or is no JSON. After aclFinalize() it may be called again.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/*
 * Ends the use of the runtime, whatever the count. ACL_ERROR_REPEAT_FINALIZE if it has ended already; ACL_SUCCESS if it
 * never began.
 */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/* Counts one use down and writes how many remain; refCount may be NULL. ACL_ERROR_REPEAT_FINALIZE if there is none. */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/*
 * What the last failing call of this thread complained about, one sentence; NULL if none failed since the last
 * question. The text stays valid until the next call of this function on the same thread.
 */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/* Whose last error is meant. */
typedef enum aclrtLastErrLevel {
	ACL_RT_THREAD_LEVEL = 0, /* the calling thread's */
} aclrtLastErrLevel;

/* The last code of the runtime on this thread, which becomes ACL_SUCCESS. ACL_ERROR_INVALID_PARAM for another level. */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/* The same, but the code stays. */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/* What a platform may be able to do. */
typedef enum aclCannAttr {
	ACL_CANN_ATTR_UNDEFINED = -1,
	ACL_CANN_ATTR_INF_NAN = 0,     /* infinities and NaN as IEEE 754 has them */
	ACL_CANN_ATTR_BF16 = 1,        /* bfloat16 */
	ACL_CANN_ATTR_JIT_COMPILE = 2, /* operators compiled while the program runs */
} aclCannAttr;

/* The attributes that can be asked for. The list is static storage. */
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);

/* 1 if the chip of aclrtGetSocName() has it, else 0. ACL_ERROR_INVALID_PARAM for an unknown attribute. */
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);

/* Settings of computations. They are kept and answered; results are reproducible without them. */
typedef enum aclSysParamOpt {
	ACL_OPT_DETERMINISTIC = 0,
	ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
	ACL_OPT_STRONG_CONSISTENCY = 2, /* deprecated: ACL_OPT_DETERMINISTIC with the value 2 */
	ACL_OPT_ENABLE_KERNEL_EARLY_START = 3,
} aclSysParamOpt;

/* A setting for the process. ACL_ERROR_INVALID_PARAM for an unknown one. */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/* The setting of the process, 0 if it was never set; a context answers ACL_ERROR_RT_SYSPARAMOPT_NOT_SET then. */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* The same for the thread's context, and for the first three settings only. */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* ---- Devices ------------------------------------------------------------------------------------------------ */

/*
 * Makes the default context of the device, and its default stream, the thread's own; counted in the process.
 * ACL_ERROR_RT_INVALID_DEVICEID for a device that there is not.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/*
 * Counts one aclrtSetDevice() down; at 0 it waits for the work of the device and releases its contexts, streams, events
 * and memory. ACL_ERROR_RT_CONTEXT_RELEASE_ERROR if the device is not set, ACL_ERROR_RT_INVALID_DEVICEID if there is
 * none.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/* Releases at once, whatever the count; queued work that has not begun is dropped. The same errors. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/* The device of the thread's context. ACL_ERROR_RT_CONTEXT_NULL if there is none. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);

/* How many devices there are; needs no context. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);

/* Where the program runs. */
typedef enum aclrtRunMode {
	ACL_DEVICE = 0, /* on the device itself */
	ACL_HOST = 1,   /* on a host beside it */
} aclrtRunMode;

/* Always ACL_HOST. */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);

/* Waits for every stream of the thread's device, and answers the first error of their work. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/*
 * The same for timeout milliseconds at most, -1 for ever. ACL_ERROR_RT_STREAM_SYNC_TIMEOUT when they have passed; the
 * work goes on. ACL_ERROR_RT_PARAM_INVALID for 0 and below -1.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* How a device is. */
typedef enum aclrtDeviceStatus {
	ACL_RT_DEVICE_STATUS_NORMAL = 0,
	ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
	ACL_RT_DEVICE_STATUS_END = 65535,
} aclrtDeviceStatus;

/* Always ACL_RT_DEVICE_STATUS_NORMAL for a device that there is. */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus);

/* Properties of a device; two have an older spelling of the same number. */
typedef enum aclrtDevAttr {
	ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
	ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
	ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
	ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
	ACL_DEV_ATTR_WARP_SIZE = 202,
	ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
	ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
	ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
	ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
	ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
	ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
	ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
	ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
	ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
	ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
	ACL_DEV_ATTR_SMP_ID = 401,
	ACL_DEV_ATTR_PHY_CHIP_ID = 402,
	ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
	ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
	ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
	ACL_DEV_ATTR_SUPER_POD_ID = 405,
	ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
	ACL_DEV_ATTR_MAINBOARD_ID = 407,
	ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
	ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
	ACL_DEV_ATTR_IS_VIRTUAL = 501,
	ACL_DEV_ATTR_NPU_ARCH = 601,
} aclrtDevAttr;

/* A property of the chip of aclrtGetSocName(). ACL_ERROR_RT_PARAM_INVALID for an unknown device or property. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);

/* Sizes of a device. */
typedef enum aclDeviceInfo {
	ACL_DEVICE_INFO_UNDEFINED = -1,
	ACL_DEVICE_INFO_AI_CORE_NUM = 0,
	ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
	ACL_DEVICE_INFO_L2_SIZE = 2,
} aclDeviceInfo;

/* A size of the chip of aclrtGetSocName(). ACL_ERROR_INVALID_PARAM for an unknown device or size. */
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value);

/* Features of a device, and the two answers. */
typedef enum aclrtDevFeatureType {
	ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
	ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
} aclrtDevFeatureType;
#define ACL_DEV_FEATURE_SUPPORT     1
#define ACL_DEV_FEATURE_NOT_SUPPORT 0

/* Whether the device has a feature of NPUs. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
                                                      int32_t *value);

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

typedef struct aclrtUtilizationInfo {
	int32_t cubeUtilization; /* all in percent */
	int32_t vectorUtilization;
	int32_t aicpuUtilization;
	int32_t memoryUtilization;
	aclrtUtilizationExtendInfo *utilizationExtend; /* must be NULL */
} aclrtUtilizationInfo;

/* The share of memory that is in use; the others are 0. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo);

/* What becomes of results that overflow. It is kept and answered; rstd always computes as IEEE 754 says. */
typedef enum aclrtFloatOverflowMode {
	ACL_RT_OVERFLOW_MODE_SATURATION = 0,
	ACL_RT_OVERFLOW_MODE_INFNAN = 1,
	ACL_RT_OVERFLOW_MODE_UNDEF = 2,
} aclrtFloatOverflowMode;

/* The mode of the thread's device. */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/* How long, in seconds, an operator may wait for an event, and may compute. Kept; no work is ever cut short here. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/*
 * The same in milliseconds and in microseconds. What is kept is a whole number of intervals, 1 to 254, rounded up; 0 is
 * 254. V2 answers it; the other two ask for it, in milliseconds, and for the interval, in microseconds.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs);
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/* Cores of a chip. */
typedef enum aclrtDevResLimitType {
	ACL_RT_DEV_RES_CUBE_CORE = 0,
	ACL_RT_DEV_RES_VECTOR_CORE = 1,
} aclrtDevResLimitType;

/*
 * How many cores work may use: of a device, at first as many as the chip of aclrtGetSocName() has, and of a stream, at
 * first as many as of the device. Kept and answered; the threads of rstd are not concerned. ACL_ERROR_RT_PARAM_INVALID
 * for 0 and for more than the chip has. Reset returns to the first state.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/* Which stream's limits the calling thread works with, no more, and what they are; without one the device's. */
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/* Whether operators for the chip of that name run on the chip of aclrtGetSocName(): 1 or 0. */
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible);

/* Faults of NPUs. */
typedef enum aclrtErrorType {
	ACL_RT_NO_ERROR = 0,
	ACL_RT_ERROR_MEMORY = 1,
	ACL_RT_ERROR_L2 = 2,
	ACL_RT_ERROR_AICORE = 3,
	ACL_RT_ERROR_LINK = 4,
	ACL_RT_ERROR_OTHERS = 0xFFFF,
} aclrtErrorType;

typedef enum aclrtAicoreErrorType {
	ACL_RT_AICORE_ERROR_UNKNOWN = 0,
	ACL_RT_AICORE_ERROR_SW = 1,
	ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
} aclrtAicoreErrorType;

#define UCE_INFO_RESERVED_SIZE      14
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20

typedef struct aclrtMemUceInfo {
	void *addr;
	size_t len;
	size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

typedef struct aclrtMemUceInfoArray {
	size_t arraySize;
	aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

typedef union aclrtErrorInfoDetail {
	aclrtMemUceInfoArray uceInfo;
	aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

typedef struct aclrtErrorInfo {
	uint8_t tryRepair; /* 1: it could be repaired */
	uint8_t hasDetail; /* 1: detail says more */
	uint8_t reserved[2];
	aclrtErrorType errorType;
	aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

/* The fault of the device, which here is always ACL_RT_NO_ERROR. */
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo);

/* Whether deviceId may use the memory of peerDeviceId: 1 or 0. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/* Lets the thread's device use the memory of another. flags is 0. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/* ---- Contexts ----------------------------------------------------------------------------------------------- */

/* Makes a context of the device, which becomes the thread's own. ACL_ERROR_RT_INVALID_DEVICEID for a bad device. */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/*
 * Ends a context and the streams that are left in it. ACL_ERROR_RT_CONTEXT_NULL for the default context and for one
 * that has ended, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR while another thread ends it.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/* Makes a context the thread's own. ACL_ERROR_RT_PARAM_INVALID for one that is not alive. */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/* The thread's context. ACL_ERROR_RT_CONTEXT_NULL if it has none. */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/* Whether the default context of the device is there: 1 or 0. flags must be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active);

/* The default stream of the thread's context, which lives as long as the context. */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/* ---- Streams ------------------------------------------------------------------------------------------------ */

/* Bits for aclrtCreateStreamWithConfig(). */
#define ACL_STREAM_FAST_LAUNCH     0x00000001U
#define ACL_STREAM_FAST_SYNC       0x00000002U
#define ACL_STREAM_PERSISTENT      0x00000004U
#define ACL_STREAM_HUGE            0x00000008U
#define ACL_STREAM_CPU_SCHEDULE    0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

/* For aclrtSetStreamFailureMode(). */
#define ACL_CONTINUE_ON_FAILURE 0x00000000U
#define ACL_STOP_ON_FAILURE     0x00000001U

/* Whether a stream has work left. */
typedef enum aclrtStreamStatus {
	ACL_STREAM_STATUS_COMPLETE = 0,
	ACL_STREAM_STATUS_NOT_READY = 1,
	ACL_STREAM_STATUS_RESERVED = 65535,
} aclrtStreamStatus;

/* Properties of a stream. */
typedef enum aclrtStreamAttr {
	ACL_STREAM_ATTR_FAILURE_MODE = 1,
	ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
	ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
	ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
	ACL_STREAM_ATTR_PRIORITY = 5,
} aclrtStreamAttr;

/*
 * Makes a stream of the thread's context: a queue whose tasks run one after another, beside those of other streams.
 * ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/* The same with a priority, which is clamped, and ACL_STREAM_ bits; unknown bits are ignored. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);

/* What a stream shall be like. */
typedef struct aclrtStreamConfigHandle aclrtStreamConfigHandle;

typedef enum aclrtStreamConfigAttr {
	ACL_RT_STREAM_WORK_ADDR_PTR = 0, /* memory for models; not used here */
	ACL_RT_STREAM_WORK_SIZE = 1,
	ACL_RT_STREAM_FLAG = 2,     /* ACL_STREAM_ bits */
	ACL_RT_STREAM_PRIORITY = 3, /* at first the least */
} aclrtStreamConfigAttr;

/* Makes a configuration, NULL without memory; ends one; sets a property of 4 or 8 bytes; makes a stream like that. */
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr,
                                                     const void *attrValue, size_t valueSize);
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle);

/* Waits for the tasks of the stream and ends it. The default stream is refused: ACL_ERROR_RT_PARAM_INVALID. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/* Ends a stream; tasks that have not begun are dropped. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/*
 * Waits until the stream is empty, and answers the first error of its work. A stream made with PERSISTENT,
 * DEVICE_USE_ONLY or CPU_SCHEDULE answers ACL_SUCCESS at once; a host function that waits for its own stream gets
 * ACL_ERROR_RT_PARAM_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/*
 * The same for timeout milliseconds at most, -1 for ever. ACL_ERROR_RT_STREAM_SYNC_TIMEOUT when they have passed; the
 * work goes on. ACL_ERROR_RT_PARAM_INVALID for 0 and below -1.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/* Whether the stream has work left. */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/*
 * Later work of the stream waits for the event as it is recorded now. An event that was never recorded:
 * ACL_ERROR_RT_PARAM_INVALID for a plain one, no wait for one of aclrtCreateEventExWithFlag(), a wait for the record to
 * come for one of aclrtCreateEventWithFlag(). An event with flags but without ACL_EVENT_SYNC:
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/* The same for timeout seconds at most, 0 for ever; after them the stream has an error. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

/* The same with an ACL_EVENT_WAIT_ flag. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout,
                                                          uint32_t flag);

/* Number, priority and ACL_STREAM_ bits of a stream. */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/* Whether a failing task stops the tasks behind it: ACL_CONTINUE_ON_FAILURE, as at first, or ACL_STOP_ON_FAILURE. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/* How many more streams can be made. */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/* The numbers of the least and the greatest priority. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority);

/* Drops the tasks of the stream that have not begun. */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/* The number, counted from 0 in its stream, of the last task that the calling thread gave to a stream. */
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/* ---- Notifies ----------------------------------------------------------------------------------------------- */

/* Makes a notify of the thread's device: one bit, clear at first. flag is 0, or says how an NPU keeps it. */
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/* Ends a notify; streams that wait for it go on. ACL_ERROR_RT_INVALID_HANDLE for one that is not alive. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/* Queues the setting of the bit. */
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/*
 * Later work of the stream waits until the bit is set, and clears it; for timeout milliseconds at most, 0 for ever;
 * after them the stream has an error. Records and waits are paired in the order of the calls.
 */
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/* The number of a notify. */
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/* ---- Events ------------------------------------------------------------------------------------------------- */

/* Bits for the WithFlag functions. */
#define ACL_EVENT_SYNC                    0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE               0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY         0x00000010U
#define ACL_EVENT_EXTERNAL                0x00000020U
#define ACL_EVENT_IPC                     0x00000040U

/* For aclrtRecordEventWithFlag() and aclrtStreamWaitEventWithFlag(). */
#define ACL_EVENT_RECORD_DEFAULT  0x00000000U
#define ACL_EVENT_RECORD_EXTERNAL 0x00000001U
#define ACL_EVENT_WAIT_DEFAULT    0x00000000U
#define ACL_EVENT_WAIT_EXTERNAL   0x00000001U

/* The answers of aclrtQueryEvent(). */
typedef enum aclrtEventStatus {
	ACL_EVENT_STATUS_COMPLETE = 0,
	ACL_EVENT_STATUS_NOT_READY = 1,
	ACL_EVENT_STATUS_RESERVED = 2,
} aclrtEventStatus;

/* Whether the work that an event was recorded behind is done. */
typedef enum aclrtEventRecordedStatus {
	ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
	ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

/* Whether the streams that wait for an event have gone on. */
typedef enum aclrtEventWaitStatus {
	ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
	ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
	ACL_EVENT_WAIT_STATUS_RESERVED = 65535,
} aclrtEventWaitStatus;

/* Makes a plain event, which orders streams and measures time. ACL_ERROR_RT_CONTEXT_NULL without a context. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/*
 * Makes an event for the uses that the bits name. ACL_ERROR_RT_PARAM_INVALID for no bit, an unknown bit, or another bit
 * beside DEVICE_USE_ONLY or EXTERNAL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/*
 * Makes an event of the newer kind: any of SYNC, CAPTURE_STREAM_PROGRESS and TIME_LINE, or IPC alone; else
 * ACL_ERROR_RT_PARAM_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/* Ends an event. Never waits; tasks that are queued with it still do their work. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/* Queues the record of an event behind the work of the stream; a later record replaces it. The event comes first. */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/* The same with an ACL_EVENT_RECORD_ flag. */
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);

/*
 * Queues the return of an event to the state in which it was never recorded. ACL_ERROR_RT_FEATURE_NOT_SUPPORT unless it
 * was made by aclrtCreateEventWithFlag() with ACL_EVENT_SYNC.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/* Whether the recorded work is done. Never recorded: COMPLETE for events of the newer kind, NOT_READY for others. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);

/* Deprecated: the same by other numbers. ACL_ERROR_RT_FEATURE_NOT_SUPPORT for events of the newer kind. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);

/* Whether all waiting streams have gone on. ACL_ERROR_RT_FEATURE_NOT_SUPPORT for events of the newer kind. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);

/* Waits until the recorded work is done; returns at once if the event was never recorded. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/*
 * The same for timeout milliseconds at most, -1 for ever. ACL_ERROR_RT_EVENT_SYNC_TIMEOUT when they have passed,
 * ACL_ERROR_RT_PARAM_INVALID for 0 and below -1.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/*
 * The milliseconds between two recorded events, negative if startEvent came later. ACL_ERROR_RT_INTERNAL_ERROR if one
 * was never recorded, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID if one has no time: no TIME_LINE bit, or not reached yet.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);

/* The time of a recorded event in microseconds of a clock that only runs forward. Errors as above. */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/* The number of an event, and how many more events can be made. */
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId);
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* Which pages device memory should have. All the same here. */
typedef enum aclrtMemMallocPolicy {
	ACL_MEM_MALLOC_HUGE_FIRST = 0,
	ACL_MEM_MALLOC_HUGE_ONLY = 1,
	ACL_MEM_MALLOC_NORMAL_ONLY = 2,
	ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
	ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
	ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
	ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
	ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
	ACL_MEM_TYPE_LOW_BAND_WIDTH = 256,
	ACL_MEM_TYPE_HIGH_BAND_WIDTH = 4096,
	ACL_MEM_ACCESS_USER_SPACE_READONLY = 1048576,
} aclrtMemMallocPolicy;

/* What an attribute of an allocation sets. */
typedef enum aclrtMallocAttrType {
	ACL_RT_MEM_ATTR_RSV = 0,
	ACL_RT_MEM_ATTR_MODULE_ID = 1,
	ACL_RT_MEM_ATTR_DEVICE_ID = 2,
	ACL_RT_MEM_ATTR_VA_FLAG = 3,
} aclrtMallocAttrType;

typedef union aclrtMallocAttrValue {
	uint16_t moduleId;
	uint32_t deviceId;
	uint32_t vaFlag;
	uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
	aclrtMallocAttrType attr;
	aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct aclrtMallocConfig {
	aclrtMallocAttribute *attrs; /* numAttrs of them; may be NULL if there are none */
	size_t numAttrs;
} aclrtMallocConfig;

/*
 * Allocates size bytes of device memory, aligned to 64 bytes and not cleared; the caller ends it with aclrtFree(). The
 * size is rounded up to a multiple of 32 as on the chip. ACL_ERROR_INVALID_PARAM for size 0 and sizes that overflow,
 * ACL_ERROR_RT_CONTEXT_NULL without a context, ACL_ERROR_RT_MEMORY_ALLOCATION without memory. An unknown policy is the
 * default one.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* The same; there are no kinds of device memory here. */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* The same with attributes, which change nothing. cfg may be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig *cfg);

/*
 * Frees device memory; needs no context. ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for what is not
 * the start of an allocation that is alive. Work that is queued with it must be done.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/* Waits for the work of the device, then frees. */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/* Allocates host memory that asynchronous copies may use; ended by aclrtFreeHost(). Errors as of aclrtMalloc(). */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/* The same with attributes, which change nothing. cfg may be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg);

/* Frees host memory. ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for another pointer. */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/* Waits for the work of the device, then frees. */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/* From where to where a copy goes. DEFAULT finds out by the addresses. */
typedef enum aclrtMemcpyKind {
	ACL_MEMCPY_HOST_TO_HOST = 0,
	ACL_MEMCPY_HOST_TO_DEVICE = 1,
	ACL_MEMCPY_DEVICE_TO_HOST = 2,
	ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
	ACL_MEMCPY_DEFAULT = 4,
	ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
	ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
	ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
} aclrtMemcpyKind;

/*
 * Copies count bytes; the areas may overlap. The checks, in this order: count 0 is ACL_SUCCESS; NULL, and a kind
 * outside 0 to 5, are ACL_ERROR_INVALID_PARAM; count above destMax is ACL_ERROR_RT_PARAM_INVALID; no context is
 * ACL_ERROR_RT_CONTEXT_NULL. Memory that is not of the kind, and a copy that would leave an allocation, are
 * ACL_ERROR_RT_PARAM_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                                         aclrtMemcpyKind kind);

/*
 * Queues a copy. Host to host is ACL_ERROR_RT_FEATURE_NOT_SUPPORT. With host memory that is not of aclrtMallocHost()
 * the copy is done before the call returns.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                              aclrtMemcpyKind kind, aclrtStream stream);

/* Sets count bytes, of host or device memory, to value; count above maxCount is ACL_ERROR_RT_PARAM_INVALID. */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);

/* Queues the same. */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                              aclrtStream stream);

/* Sets N words of 32 bits to value; memSize is the bytes that there are. The other queues the same. */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N);
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N,
                                                 aclrtStream stream);

/*
 * Queues a copy from *src + srcDataOffset to *dst + dstDataOffset, offsets in bytes, within the device. *src and *dst lie
 * in device memory and are read when the copy runs; then it is checked that it stays in their allocations. kind is
 * ACL_MEMCPY_INNER_DEVICE_TO_DEVICE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset,
                                                        const void **src, size_t count, size_t srcDataOffset,
                                                        aclrtMemcpyKind kind, aclrtStream stream);

/*
 * Copies height rows of width bytes whose starts lie dpitch and spitch bytes apart. width or height 0 is ACL_SUCCESS; a
 * width above a pitch, and a kind outside 1 to 4, are ACL_ERROR_INVALID_PARAM.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                           size_t height, aclrtMemcpyKind kind);

/* Queues the same. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                                size_t height, aclrtMemcpyKind kind, aclrtStream stream);

/* Kinds of device memory. All the same here. */
typedef enum aclrtMemAttr {
	ACL_DDR_MEM = 0,
	ACL_HBM_MEM = 1,
	ACL_DDR_MEM_HUGE = 2,
	ACL_DDR_MEM_NORMAL = 3,
	ACL_HBM_MEM_HUGE = 4,
	ACL_HBM_MEM_NORMAL = 5,
	ACL_DDR_MEM_P2P_HUGE = 6,
	ACL_DDR_MEM_P2P_NORMAL = 7,
	ACL_HBM_MEM_P2P_HUGE = 8,
	ACL_HBM_MEM_P2P_NORMAL = 9,
	ACL_HBM_MEM_HUGE1G = 10,
	ACL_HBM_MEM_P2P_HUGE1G = 11,
	ACL_MEM_NORMAL = 12,
	ACL_MEM_HUGE = 13,
	ACL_MEM_HUGE1G = 14,
	ACL_MEM_P2P_NORMAL = 15,
	ACL_MEM_P2P_HUGE = 16,
	ACL_MEM_P2P_HUGE1G = 17,
} aclrtMemAttr;

/* The free and all bytes of a kind of memory. ACL_ERROR_RT_INVALID_MEMORY_TYPE for an unknown kind. */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/* Whose memory an address lies in. */
typedef enum aclrtMemLocationType {
	ACL_MEM_LOCATION_TYPE_HOST = 0,
	ACL_MEM_LOCATION_TYPE_DEVICE = 1,
	ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2, /* memory that the runtime did not allocate */
	ACL_MEM_LOCATION_TYPE_MANAGED = 3,
	ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
} aclrtMemLocationType;

typedef struct aclrtMemLocation {
	uint32_t id; /* the device */
	aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
	aclrtMemLocation location;
	uint32_t pageSize;
	uint32_t rsv[4];
} aclrtPtrAttributes;

/* What the runtime knows about an address. */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes);

/* Kinds of device memory that an address can be asked about. There is only the first here. */
#define ACL_RT_MEM_TYPE_DEV  0x2U
#define ACL_RT_MEM_TYPE_DVPP 0x8U
#define ACL_RT_MEM_TYPE_RSVD 0x10U

/* Whether size addresses all lie in device memory of some of the kinds whose bits are set: 1 or 0. reserve is 0. */
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult,
                                               uint32_t reserve);

/* From where to where copies of a batch go; id is that of a device. */
typedef struct aclrtMemcpyBatchAttr {
	aclrtMemLocation dstLoc;
	aclrtMemLocation srcLoc;
	uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/*
 * numBatches copies, of sizes[i] bytes each, as by aclrtMemcpy(), or queued as by aclrtMemcpyAsync(). attrs[k] is for the
 * copies from attrsIndexes[k] on up to those of the next; the first is 0. The first copy that is refused ends the batch;
 * its index goes to *failIndex, SIZE_MAX when there is none. ACL_ERROR_INVALID_PARAM for lists that do not fit.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                              size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                              size_t numAttrs, size_t *failIndex);
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                                size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                                size_t numAttrs);
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                                   size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                                   size_t numAttrs, size_t *failIndex, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                                     size_t numBatches, aclrtMemcpyBatchAttr *attrs,
                                                     size_t *attrsIndexes, size_t numAttrs, aclrtStream stream);

typedef struct aclrtMemUsageInfo {
	char name[32];
	uint64_t curMemSize;
	uint64_t memPeakSize;
	size_t reserved[8];
} aclrtMemUsageInfo;

/* Makes what one side wrote visible to the other. Memory is coherent here: the area is only checked. */
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void *devPtr, size_t size);
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void *devPtr, size_t size);

/* ---- Host callbacks ----------------------------------------------------------------------------------------- */

typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);

/* Whether the stream waits until a callback has run. */
typedef enum aclrtCallbackBlockType {
	ACL_CALLBACK_NO_BLOCK = 0,
	ACL_CALLBACK_BLOCK = 1,
} aclrtCallbackBlockType;

/*
 * Queues a function, which a thread of the runtime calls in stream order; later work of the stream waits for it. It
 * must not wait for the stream itself. ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_RT_STREAM_SUBSCRIBE if the stream
 * has a thread of aclrtSubscribeReport().
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/*
 * Makes the thread of that number, as of pthread_self(), the one that runs the callbacks of the stream; a thread may
 * serve many. ACL_ERROR_RT_STREAM_SUBSCRIBE if the stream has one.
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/*
 * Queues a callback for the subscribed thread. ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_RT_STREAM_NO_CB_REG if no
 * thread is subscribed, ACL_ERROR_INVALID_PARAM for an unknown blockType.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

/*
 * Waits up to timeout milliseconds, -1 for ever, for callbacks of the calling thread and runs them.
 * ACL_ERROR_RT_REPORT_TIMEOUT when none came, ACL_ERROR_RT_THREAD_SUBSCRIBE if the thread serves no stream,
 * ACL_ERROR_INVALID_PARAM for 0 and below -1.
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/* Ends a subscription. ACL_ERROR_RT_STREAM_SUBSCRIBE or ACL_ERROR_RT_THREAD_SUBSCRIBE if there is no such. */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/* The same three for operators of models that run on the CPU; the stream must not be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/* ---- Kernels and recorded models of NPUs --------------------------------------------------------------------- */

/*
 * Programs that use these build; each answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT (ACL_ERROR_INVALID_PARAM for a NULL
 * output pointer), with a sentence in aclGetRecentErrMsg(), and writes nothing.
 */
typedef void *aclrtTaskGrp;
typedef void *aclrtDrvMemHandle;
typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;
typedef void *aclmdlRI;
typedef void *aclmdlRITask;

typedef struct aclrtBinaryLoadOptions aclrtBinaryLoadOptions;
typedef struct aclrtLaunchKernelCfg aclrtLaunchKernelCfg;

/* The schedulers of a chip. */
typedef enum aclrtTsId {
	ACL_TS_ID_AICORE = 0,
	ACL_TS_ID_AIVECTOR = 1,
	ACL_TS_ID_RESERVED = 2,
} aclrtTsId;

/* The size of a grid or block of a kernel. */
struct dim3 {
	uint32_t x;
	uint32_t y;
	uint32_t z;
#ifdef __cplusplus
	dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_)
	{
	}
#endif
};

/* A compiled kernel: load, find a function, launch it, unload. */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                                     const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                                    aclrtFuncHandle *funcHandle);
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream,
                                                            aclrtLaunchKernelCfg *cfg, void **args);
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/*
 * What a kernel did that failed. Work of rstd raises no exceptions: the callback is never called, the numbers are
 * 0xFFFFFFFF, and the last two functions refuse as those above do.
 */
typedef struct rtExceptionInfo aclrtExceptionInfo;
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);

ACL_FUNC_VISIBILITY aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr,
                                                           uint32_t *devArgsLen);
ACL_FUNC_VISIBILITY aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func);

/* Which calls end a recording in an error. */
typedef enum aclmdlRICaptureMode {
	ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
	ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
	ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
} aclmdlRICaptureMode;

/* Recording the work of a stream: begin, end, print, free. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags);
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

#ifdef __cplusplus
}
#endif

#endif
