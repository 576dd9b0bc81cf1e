/*
 * test_acl_data.c - sizes of dtypes, binary16, data buffers, descriptions of tensors, and what is not supported
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acl/acl.h"

#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_compile.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

/* ---- malloc() that fails on request ------------------------------------------------------------------------- */

static bool out_of_memory;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	return out_of_memory ? NULL : __real_malloc(size);
}

/* The last call complained, with this code in front and a sentence that has the word. */
static void assert_message(int code, const char *word)
{
	const char *const message = aclGetRecentErrMsg();
	char start[16];

	snprintf(start, sizeof(start), "[%d]", code);
	assert_non_null(message);
	assert_int_equal(strncmp(message, start, strlen(start)), 0);
	if (strstr(message, word) == NULL)
		fail_msg("'%s' does not speak of %s", message, word);
}

/* ---- Dtypes ------------------------------------------------------------------------------------------------- */

static void sizes_of_dtypes(void **state)
{
	static const int sizes[][18] = {
		/* bytes, then dtypes up to -2 */
		{ 0, ACL_STRING, ACL_DT_UNDEFINED, -2 },
		{ 1, ACL_UINT1, ACL_INT4, ACL_BOOL, ACL_INT8, ACL_UINT8, ACL_HIFLOAT8, ACL_FLOAT8_E5M2,
		  ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0, -2 },
		{ 2, ACL_FLOAT16, ACL_BF16, ACL_INT16, ACL_UINT16, -2 },
		{ 4, ACL_FLOAT, ACL_INT32, ACL_UINT32, ACL_COMPLEX32, -2 },
		{ 8, ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_COMPLEX64, ACL_FLOAT6_E3M2, ACL_FLOAT6_E2M3,
		  ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2, 5, 14, 28, 42, 1000, -2 },
		{ 16, ACL_COMPLEX128, -2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t j = 1; sizes[i][j] != -2; j++)
			assert_int_equal(aclDataTypeSize((aclDataType)sizes[i][j]), sizes[i][0]);
}

/* ---- binary16 ----------------------------------------------------------------------------------------------- */

static void every_half_widens(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
		const int exponent = (int)(bits >> 10 & 31);
		const int mantissa = (int)(bits & 1023);
		/* The definition, the highest exponent included. */
		float expected =
			exponent == 0 ? ldexpf((float)mantissa, -24) : ldexpf((float)(mantissa + 1024), exponent - 25);
		if (bits & 0x8000)
			expected = -expected;
		const float got = aclFloat16ToFloat((aclFloat16)bits);
		assert_memory_equal(&got, &expected, sizeof(got));
	}
	assert_true(aclFloat16ToFloat(0x7C00) == 65536.0F);
	assert_true(aclFloat16ToFloat(0x7E00) == 98304.0F);
}

static void assert_narrows(float value, unsigned expected)
{
	const aclFloat16 got = aclFloatToFloat16(value);

	if (got != expected)
		fail_msg("%a became %04x, not %04x", (double)value, got, expected);
	assert_int_equal(aclFloatToFloat16(-value), expected | 0x8000);
}

/* Every finite half comes back; half way to the next one the even one wins; beside that, the nearer. */
static void floats_round_to_nearest_even(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 0x7BFF; bits++) {
		const float low = aclFloat16ToFloat((aclFloat16)bits);
		const float high = aclFloat16ToFloat((aclFloat16)(bits + 1));
		const float half_way = low + (high - low) / 2;
		assert_narrows(low, bits);
		assert_narrows(nextafterf(low, high), bits);
		assert_narrows(nextafterf(half_way, low), bits);
		assert_narrows(half_way, bits + (bits & 1));
		assert_narrows(nextafterf(half_way, high), bits + 1);
		assert_narrows(nextafterf(high, low), bits + 1);
	}
}

static void what_overflows_saturates(void **state)
{
	static const float large[] = { 65504, 65519.996F, 65520, 65536, 1e30F, INFINITY };
	const uint32_t signed_nan = 0xFFC00000;
	float negative_nan;

	(void)state;
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		assert_narrows(large[i], 0x7BFF);
	memcpy(&negative_nan, &signed_nan, sizeof(negative_nan));
	assert_int_equal(aclFloatToFloat16(-negative_nan), 0x7BFF);
	assert_int_equal(aclFloatToFloat16(negative_nan), 0xFBFF);
	assert_narrows(0x1p-149F, 0);
	assert_narrows(0x1p-127F, 0);
}

/* ---- Data buffers ------------------------------------------------------------------------------------------- */

static void buffers_hold_address_and_size(void **state)
{
	const size_t large = (size_t)5 << 32;
	char memory[8];
	aclDataBuffer *const buffer = aclCreateDataBuffer(memory, sizeof(memory));

	(void)state;
	assert_non_null(buffer);
	assert_ptr_equal(aclGetDataBufferAddr(buffer), memory);
	assert_int_equal(aclGetDataBufferSizeV2(buffer), 8);
	assert_int_equal(aclUpdateDataBuffer(buffer, memory + 1, large + 3), ACL_SUCCESS);
	assert_ptr_equal(aclGetDataBufferAddr(buffer), memory + 1);
	assert_true(aclGetDataBufferSizeV2(buffer) == large + 3);
	assert_int_equal(aclGetDataBufferSize(buffer), 3);
	assert_int_equal(aclDestroyDataBuffer(buffer), ACL_SUCCESS);

	aclDataBuffer *const empty = aclCreateDataBuffer(NULL, 0);
	assert_non_null(empty);
	assert_null(aclGetDataBufferAddr(empty));
	assert_int_equal(aclDestroyDataBuffer(empty), ACL_SUCCESS);
}

/* NULL, something else, and a buffer that was destroyed already. */
static void assert_no_buffer(aclDataBuffer *buffer)
{
	assert_int_equal(aclUpdateDataBuffer(buffer, NULL, 0), ACL_ERROR_INVALID_PARAM);
	assert_message(ACL_ERROR_INVALID_PARAM, "dataBuffer");
	assert_int_equal(aclDestroyDataBuffer(buffer), ACL_ERROR_INVALID_PARAM);
	assert_message(ACL_ERROR_INVALID_PARAM, "dataBuffer");
	assert_null(aclGetDataBufferAddr(buffer));
	assert_int_equal(aclGetDataBufferSizeV2(buffer), 0);
	assert_int_equal(aclGetDataBufferSize(buffer), 0);
}

static void what_is_no_buffer_is_refused(void **state)
{
	int64_t other = 0;
	aclDataBuffer *const buffer = aclCreateDataBuffer(&other, sizeof(other));
	aclTensorDesc *const desc = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);

	(void)state;
	assert_int_equal(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
	assert_no_buffer(NULL);
	assert_no_buffer((aclDataBuffer *)&other);
	assert_no_buffer((aclDataBuffer *)desc);
	assert_no_buffer(buffer);
	aclDestroyTensorDesc(desc);
}

/* ---- Descriptions of tensors -------------------------------------------------------------------------------- */

static void descriptions_tell_what_they_were_told(void **state)
{
	int64_t dims[3] = { 2, 3, 5 };
	aclTensorDesc *const desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_NCL);
	int64_t dim = 0;

	(void)state;
	assert_non_null(desc);
	dims[1] = 7; /* the dims were copied */
	assert_int_equal(aclGetTensorDescType(desc), ACL_FLOAT16);
	assert_int_equal(aclGetTensorDescFormat(desc), ACL_FORMAT_NCL);
	assert_int_equal(aclGetTensorDescNumDims(desc), 3);
	assert_int_equal(aclGetTensorDescElementCount(desc), 30);
	assert_int_equal(aclGetTensorDescSize(desc), 60);
	assert_int_equal(aclGetTensorDescDimV2(desc, 1, &dim), ACL_SUCCESS);
	assert_int_equal(dim, 3);
	assert_int_equal(aclGetTensorDescDimV2(desc, 3, &dim), ACL_ERROR_INVALID_PARAM);
	assert_message(ACL_ERROR_INVALID_PARAM, "index");
	assert_int_equal(aclGetTensorDescDimV2(desc, 1, NULL), ACL_ERROR_INVALID_PARAM);
	assert_message(ACL_ERROR_INVALID_PARAM, "dimSize");
	assert_int_equal(dim, 3);
	aclDestroyTensorDesc(desc);
}

static void assert_count_and_size(aclDataType dtype, int rank, const int64_t *dims, size_t count, size_t size)
{
	aclTensorDesc *const desc = aclCreateTensorDesc(dtype, rank, dims, ACL_FORMAT_ND);

	assert_non_null(desc);
	assert_true(aclGetTensorDescElementCount(desc) == count);
	assert_true(aclGetTensorDescSize(desc) == size);
	aclDestroyTensorDesc(desc);
}

static void counts_and_sizes(void **state)
{
	const int64_t huge = INT64_C(1) << 62;

	(void)state;
	assert_count_and_size(ACL_FLOAT, 0, NULL, 1, 4);
	assert_count_and_size(ACL_FLOAT, 2, (const int64_t[]){ 4, 0 }, 0, 0);
	assert_count_and_size(ACL_INT8, 1, (const int64_t[]){ -1 }, 0, 0);
	assert_count_and_size(ACL_FLOAT, 2, (const int64_t[]){ 4, -1 }, 0, 0);
	assert_count_and_size(ACL_FLOAT, 2, (const int64_t[]){ -4, -1 }, 0, 0);
	assert_count_and_size(ACL_STRING, 1, (const int64_t[]){ 4 }, 4, 0);
	assert_count_and_size(ACL_FLOAT, 1, &huge, (size_t)huge, 0);
	assert_count_and_size(ACL_FLOAT, 1, (const int64_t[]){ huge + 1 }, (size_t)huge + 1, 0);
	assert_count_and_size(ACL_INT8, 2, (const int64_t[]){ huge, 3 }, (size_t)huge * 3, (size_t)huge * 3);
	assert_count_and_size(ACL_INT8, 2, (const int64_t[]){ huge, 4 }, 0, 0);
	assert_count_and_size(ACL_INT8, 2, (const int64_t[]){ huge, 5 }, 0, 0);
	assert_count_and_size(ACL_INT8, 3, (const int64_t[]){ huge, 4, 3 }, 0, 0);
	assert_count_and_size(ACL_INT8, 3, (const int64_t[]){ huge, 4, 0 }, 0, 0);
}

static void assert_no_desc(const aclTensorDesc *desc)
{
	int64_t dim = 1;

	assert_int_equal(aclGetTensorDescType(desc), ACL_DT_UNDEFINED);
	assert_int_equal(aclGetTensorDescFormat(desc), ACL_FORMAT_UNDEFINED);
	assert_int_equal(aclGetTensorDescNumDims(desc), 0);
	assert_int_equal(aclGetTensorDescElementCount(desc), 0);
	assert_int_equal(aclGetTensorDescSize(desc), 0);
	assert_int_equal(aclGetTensorDescDimV2(desc, 0, &dim), ACL_ERROR_INVALID_PARAM);
	assert_message(ACL_ERROR_INVALID_PARAM, "desc");
	assert_int_equal(dim, 1);
	aclDestroyTensorDesc(desc);
}

static void what_is_no_description_is_refused(void **state)
{
	const int64_t other[4] = { 1, 1, 1, 1 };
	aclTensorDesc *const desc = aclCreateTensorDesc(ACL_FLOAT, 4, other, ACL_FORMAT_ND);

	(void)state;
	aclDestroyTensorDesc(desc);
	assert_no_desc(NULL);
	assert_no_desc((const aclTensorDesc *)other);
	assert_no_desc(desc);
	assert_null(aclCreateTensorDesc(ACL_FLOAT, -1, other, ACL_FORMAT_ND));
	assert_message(ACL_ERROR_INVALID_PARAM, "numDims");
	assert_null(aclCreateTensorDesc(ACL_FLOAT, 2, NULL, ACL_FORMAT_ND));
	assert_message(ACL_ERROR_INVALID_PARAM, "dims");
}

static void without_memory_there_is_null(void **state)
{
	(void)state;
	out_of_memory = true;
	const aclDataBuffer *const buffer = aclCreateDataBuffer(NULL, 0);
	const aclTensorDesc *const desc = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);
	out_of_memory = false;
	assert_null(buffer);
	assert_null(desc);
	assert_message(ACL_ERROR_RT_MEMORY_ALLOCATION, "tensor");
}

/* ---- What needs an NPU -------------------------------------------------------------------------------------- */

/* Each answers with the same code, a sentence that names the function, and nothing written. */
static void what_needs_an_npu_says_so(void **state)
{
	const aclError no = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	void *const something = &out_of_memory;
	void *answer = something;
	size_t size = 77;
	char text[4] = "abc";

	(void)state;
#define REFUSED(name, ...)                                                                                             \
	do {                                                                                                           \
		assert_int_equal(name(__VA_ARGS__), no);                                                               \
		assert_message(no, #name);                                                                             \
	} while (0)
	REFUSED(aclopCompileAndExecute, "Add", 0, NULL, NULL, 0, NULL, NULL, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
	        NULL, NULL);
	REFUSED(aclmdlAddDatasetBuffer, something, NULL);
	REFUSED(aclmdlDestroyDataset, something);
	REFUSED(aclmdlRICaptureBegin, NULL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	REFUSED(aclmdlRICaptureEnd, NULL, &answer);
	REFUSED(aclmdlRIDebugJsonPrint, something, "path", 0);
	REFUSED(aclmdlRIDestroy, something);
	REFUSED(aclrtBinaryLoadFromData, text, 1, NULL, &answer);
	REFUSED(aclrtBinaryGetFunction, something, "name", &answer);
	REFUSED(aclrtLaunchKernelWithArgsArray, something, 1, NULL, NULL, NULL);
	REFUSED(aclrtBinaryUnLoad, something);
	REFUSED(aclrtcCreateProg, &answer, "source", "name", 0, NULL, NULL);
	REFUSED(aclrtcCompileProg, something, 0, NULL);
	REFUSED(aclrtcGetBinDataSize, something, &size);
	REFUSED(aclrtcGetBinData, something, text);
	REFUSED(aclrtcDestroyProg, &answer);
#undef REFUSED
	assert_ptr_equal(answer, something);
	assert_int_equal(size, 77);
	assert_string_equal(text, "abc");

	assert_null(aclopCreateAttr());
	assert_message(no, "aclopCreateAttr");
	aclopDestroyAttr(NULL);
	assert_null(aclmdlCreateDataset());
	assert_message(no, "aclmdlCreateDataset");
	assert_true(aclprofStr2Id("text") == UINT64_MAX);
	assert_message(no, "aclprofStr2Id");
}

static void null_comes_first(void **state)
{
	(void)state;
#define NULL_REFUSED(argument, name, ...)                                                                              \
	do {                                                                                                           \
		assert_int_equal(name(__VA_ARGS__), ACL_ERROR_INVALID_PARAM);                                          \
		assert_message(ACL_ERROR_INVALID_PARAM, argument);                                                     \
	} while (0)
	NULL_REFUSED("dataset", aclmdlAddDatasetBuffer, NULL, NULL);
	NULL_REFUSED("dataset", aclmdlDestroyDataset, NULL);
	NULL_REFUSED("modelRI", aclmdlRICaptureEnd, NULL, NULL);
	NULL_REFUSED("modelRI", aclmdlRIDestroy, NULL);
	NULL_REFUSED("binHandle", aclrtBinaryLoadFromData, NULL, 0, NULL, NULL);
	NULL_REFUSED("funcHandle", aclrtBinaryGetFunction, NULL, NULL, NULL);
	NULL_REFUSED("prog", aclrtcCreateProg, NULL, NULL, NULL, 0, NULL, NULL);
	NULL_REFUSED("binDataSize", aclrtcGetBinDataSize, NULL, NULL);
#undef NULL_REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_dtypes),
		cmocka_unit_test(every_half_widens),
		cmocka_unit_test(floats_round_to_nearest_even),
		cmocka_unit_test(what_overflows_saturates),
		cmocka_unit_test(buffers_hold_address_and_size),
		cmocka_unit_test(what_is_no_buffer_is_refused),
		cmocka_unit_test(descriptions_tell_what_they_were_told),
		cmocka_unit_test(counts_and_sizes),
		cmocka_unit_test(what_is_no_description_is_refused),
		cmocka_unit_test(without_memory_there_is_null),
		cmocka_unit_test(what_needs_an_npu_says_so),
		cmocka_unit_test(null_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
