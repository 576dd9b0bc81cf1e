/*
 * acl_base_rt.h - the basic types of CANN's runtime: error codes, dtypes, formats, handles, data buffers, binary16
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rules that hold for every function of acl/ unless its comment says otherwise:
 *
 *   Errors      aclError is ACL_SUCCESS (0) or a code. After a code nothing has been written or queued, and
 *               aclGetRecentErrMsg() has a sentence that names the argument, what it was and what is allowed. No call
 *               prints, aborts or exits. A NULL handle or output pointer is ACL_ERROR_INVALID_PARAM, a value out of
 *               range ACL_ERROR_RT_PARAM_INVALID, a handle that is not (or no longer) alive
 *               ACL_ERROR_RT_INVALID_HANDLE, a thread without a context ACL_ERROR_RT_CONTEXT_NULL.
 *   Threads     Any function may be called from any thread at any time, but not from a signal handler.
 *   Ownership   What a create function made is ended by its destroy function, once. No pointer to an argument is kept
 *               beyond the call, but for memory that a queued task works on: keep that until the stream is
 *               synchronised.
 */
#ifndef RSTD_CANN_ACL_BASE_RT_H
#define RSTD_CANN_ACL_BASE_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Visible in the library that defines FUNC_VISIBILITY, which is compiled with hidden visibility. */
#ifndef ACL_FUNC_VISIBILITY
#if defined(FUNC_VISIBILITY) && defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif
#endif

/* For declarations of programs; this library's own deprecated functions say so in their comments alone. */
#ifdef __GNUC__
#define ACL_DEPRECATED                  __attribute__((deprecated))
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))
#else
#define ACL_DEPRECATED
#define ACL_DEPRECATED_MESSAGE(message)
#endif

/* ---- Error codes -------------------------------------------------------------------------------------------- */

typedef int aclError;

/* Success, by its two names. */
static const int ACL_ERROR_NONE = 0;
static const int ACL_SUCCESS = 0;

/* 1xxxxx: the caller's arguments, files and order of calls. */
static const int ACL_ERROR_INVALID_PARAM = 100000;
static const int ACL_ERROR_UNINITIALIZE = 100001;
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;
static const int ACL_ERROR_INVALID_FILE = 100003;
static const int ACL_ERROR_WRITE_FILE = 100004;
static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;
static const int ACL_ERROR_PARSE_FILE = 100006;
static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;
static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;
static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;
static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;
static const int ACL_ERROR_INVALID_MODEL_ID = 100011;
static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;
static const int ACL_ERROR_PARSE_MODEL = 100013;
static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;
static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;
static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;
static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;
static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;
static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;
static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;
static const int ACL_ERROR_OP_NOT_FOUND = 100024;
static const int ACL_ERROR_OP_LOAD_FAILED = 100025;
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;
static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;
static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;
static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;
static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;
static const int ACL_ERROR_REPEAT_FINALIZE = 100037;
static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;
static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;
static const int ACL_ERROR_GROUP_NOT_SET = 100040;
static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;
static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;
static const int ACL_ERROR_PROF_NOT_RUN = 100043;
static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;
static const int ACL_ERROR_DUMP_NOT_RUN = 100045;
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;
static const int ACL_ERROR_PROF_API_CONFLICT = 148047;
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;
static const int ACL_ERROR_INVALID_OPP_PATH = 148049;
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051;
static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;

/* 2xxxxx: memory, devices, and what is not supported. */
static const int ACL_ERROR_BAD_ALLOC = 200000;
static const int ACL_ERROR_API_NOT_SUPPORT = 200001;
static const int ACL_ERROR_INVALID_DEVICE = 200002;
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;
static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;
static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007;

/* 3xxxxx: limits. */
static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;

/* 5xxxxx: failures inside. */
static const int ACL_ERROR_INTERNAL_ERROR = 500000;
static const int ACL_ERROR_FAILURE = 500001;
static const int ACL_ERROR_GE_FAILURE = 500002;
static const int ACL_ERROR_RT_FAILURE = 500003;
static const int ACL_ERROR_DRV_FAILURE = 500004;
static const int ACL_ERROR_PROFILING_FAILURE = 500005;

/* ---- Dtypes and formats ------------------------------------------------------------------------------------- */

/* The type of an element. rstd computes with FLOAT, FLOAT16 and BF16; the others can be named and moved. */
typedef enum aclDataType {
	ACL_DT_UNDEFINED = -1,
	ACL_FLOAT = 0,   /* IEEE 754 binary32 */
	ACL_FLOAT16 = 1, /* IEEE 754 binary16 */
	ACL_INT8 = 2,
	ACL_INT32 = 3,
	ACL_UINT8 = 4,
	ACL_INT16 = 6,
	ACL_UINT16 = 7,
	ACL_UINT32 = 8,
	ACL_INT64 = 9,
	ACL_UINT64 = 10,
	ACL_DOUBLE = 11, /* IEEE 754 binary64 */
	ACL_BOOL = 12,
	ACL_STRING = 13,
	ACL_COMPLEX64 = 16,  /* two binary32 */
	ACL_COMPLEX128 = 17, /* two binary64 */
	ACL_BF16 = 27,       /* bfloat16: the upper half of a binary32 */
	ACL_INT4 = 29,       /* half a byte */
	ACL_UINT1 = 30,      /* a bit */
	ACL_COMPLEX32 = 33,  /* two binary16 */
	ACL_HIFLOAT8 = 34,   /* HiFloat8, tapered precision */
	ACL_FLOAT8_E5M2 = 35,
	ACL_FLOAT8_E4M3FN = 36,
	ACL_FLOAT8_E8M0 = 37, /* scales: a power of two */
	ACL_FLOAT6_E3M2 = 38,
	ACL_FLOAT6_E2M3 = 39,
	ACL_FLOAT4_E2M1 = 40,
	ACL_FLOAT4_E1M2 = 41,
} aclDataType;

/*
 * What the axes of a tensor mean. ND: nothing in particular. Names with C0, and FRACTAL, are private layouts of NPUs,
 * which the operators of rstd refuse.
 */
typedef enum aclFormat {
	ACL_FORMAT_UNDEFINED = -1,
	ACL_FORMAT_NCHW = 0,
	ACL_FORMAT_NHWC = 1,
	ACL_FORMAT_ND = 2,
	ACL_FORMAT_NC1HWC0 = 3,
	ACL_FORMAT_FRACTAL_Z = 4,
	ACL_FORMAT_NC1HWC0_C04 = 12,
	ACL_FORMAT_HWCN = 16,
	ACL_FORMAT_NDHWC = 27,
	ACL_FORMAT_FRACTAL_NZ = 29,
	ACL_FORMAT_NCDHW = 30,
	ACL_FORMAT_NDC1HWC0 = 32,
	ACL_FRACTAL_Z_3D = 33,
	ACL_FORMAT_NC = 35,
	ACL_FORMAT_NCL = 47,
	ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
	ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
	ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
	ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
	ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
} aclFormat;

/* ---- Handles ------------------------------------------------------------------------------------------------ */

/*
 * Names of objects of the runtime. Where a function takes a stream, NULL means the default stream of the thread's
 * context.
 */
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;

/* Names of objects that this library does not have. */
typedef void *aclrtNotify;
typedef void *aclrtCntNotify;
typedef void *aclrtLabel;
typedef void *aclrtLabelList;
typedef void *aclrtMbuf;

/* Whose memory a tensor of a compiled operator lies in. */
typedef enum aclMemType {
	ACL_MEMTYPE_DEVICE = 0,
	ACL_MEMTYPE_HOST = 1,
	ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
} aclMemType;

/* ---- Bytes of elements, binary16 ---------------------------------------------------------------------------- */

/* The bits of a binary16. */
typedef uint16_t aclFloat16;

/*
 * The bytes of one element: 1 also for the types of 1 and 4 bits; 0 for STRING and UNDEFINED. As in CANN, 8 for FLOAT6_
 * and FLOAT4_ types and for numbers that name no type.
 */
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

/*
 * Rounds to binary16, to nearest, ties to even. As in CANN it saturates: what overflows, infinities and NaN become
 * 65504 with their sign.
 */
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

/*
 * Widens a binary16. As in CANN the highest exponent is an ordinary one: the bits of infinity give 65536, those of
 * NaN numbers above.
 */
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

/* ---- Data buffers ------------------------------------------------------------------------------------------- */

/* An address and a number of bytes. The memory stays the caller's. */
typedef struct aclDataBuffer aclDataBuffer;

/* Makes a buffer over size bytes at data, which may be NULL. NULL if memory runs out. */
ACL_FUNC_VISIBILITY aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);

/* Frees the buffer, not its data. ACL_ERROR_INVALID_PARAM for NULL. */
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);

/* Gives the buffer another address and size. ACL_ERROR_INVALID_PARAM for NULL. */
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size);

/* The address; NULL for NULL. */
ACL_FUNC_VISIBILITY void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);

/* The bytes; 0 for NULL. */
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/* Deprecated: the low 32 bits of aclGetDataBufferSizeV2(). */
ACL_FUNC_VISIBILITY uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);

/* ---- The chip, the log -------------------------------------------------------------------------------------- */

/*
 * The name of the chip that the library answers for: what the environment variable RSTD_SOC says at the first question,
 * else an Ascend 950PR. NULL, and a sentence in aclGetRecentErrMsg(), if RSTD_SOC names no chip. Static storage.
 */
ACL_FUNC_VISIBILITY const char *aclrtGetSocName(void);

/* How serious a line of the log is. */
typedef enum aclLogLevel {
	ACL_DEBUG = 0,
	ACL_INFO = 1,
	ACL_WARNING = 2,
	ACL_ERROR = 3,
} aclLogLevel;

/*
 * A line of the log: level, function, file, line, and the text that fmt makes as printf() would, cut at 1024 bytes. It
 * goes to standard output if the environment says ASCEND_SLOG_PRINT_TO_STDOUT=1 and the level is not below
 * ASCEND_GLOBAL_LOG_LEVEL (0 to 4, else 3), and nowhere otherwise. It is the one function that prints.
 */
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel level, const char *func, const char *file, uint32_t line,
                                   const char *fmt, ...);

/* ACL_APP_LOG(level, fmt, ...): aclAppLog() from here. */
#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, (uint32_t)__LINE__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
