/*
 * data.c - sizes of dtypes, binary16 as CANN converts it, data buffers, descriptions of tensors
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acl/acl_base.h"

#include <stdlib.h>
#include <string.h>

#include "cann/acl/error.h"
#include "cann/aclnn/handle.h"

/* ---- Dtypes ------------------------------------------------------------------------------------------------- */

size_t aclDataTypeSize(aclDataType dataType)
{
	switch ((int)dataType) {
	case ACL_STRING:
	case ACL_DT_UNDEFINED:
		return 0;
	case ACL_UINT1:
	case ACL_INT4:
	case ACL_BOOL:
	case ACL_INT8:
	case ACL_UINT8:
	case ACL_HIFLOAT8:
	case ACL_FLOAT8_E5M2:
	case ACL_FLOAT8_E4M3FN:
	case ACL_FLOAT8_E8M0:
		return 1;
	case ACL_FLOAT16:
	case ACL_BF16:
	case ACL_INT16:
	case ACL_UINT16:
		return 2;
	case ACL_FLOAT:
	case ACL_INT32:
	case ACL_UINT32:
	case ACL_COMPLEX32:
		return 4;
	case ACL_COMPLEX128:
		return 16;
	default: /* INT64, UINT64, DOUBLE, COMPLEX64; and, in CANN too, FLOAT6, FLOAT4 and what has no name */
		return 8;
	}
}

/* ---- binary16 ----------------------------------------------------------------------------------------------- */

#define F32_MANTISSA_BITS 23
#define F16_MANTISSA_BITS 10
#define F16_SIGN          0x8000u
#define F16_MAX           0x7BFFu /* 65504 */

aclFloat16 aclFloatToFloat16(float value)
{
	/* Below half of the smallest normal binary16 the results are subnormal, multiples of 2^-24. */
	static const uint32_t f32_overflow = 0x477FF000u; /* 65520, half way beyond 65504 */
	static const uint32_t f32_normal = 0x38800000u;   /* 2^-14 */
	static const int bias = 127 - 15;
	uint32_t bits, shift, mantissa;

	memcpy(&bits, &value, sizeof(bits));
	const aclFloat16 sign = (aclFloat16)(bits >> 16 & F16_SIGN);
	bits &= 0x7FFFFFFFu;
	if (bits >= f32_overflow) /* infinities and NaN too */
		return sign | F16_MAX;
	if (bits >= f32_normal) {
		shift = F32_MANTISSA_BITS - F16_MANTISSA_BITS;
		mantissa = bits - ((uint32_t)bias << F32_MANTISSA_BITS); /* with the exponent, which a carry raises */
	} else {
		/* 2^-24 is the unit: the significand 1.m * 2^(e - 127) moves right by 126 - e. */
		const uint32_t exponent = bits >> F32_MANTISSA_BITS;
		if (exponent < 102) /* below 2^-25, half a unit */
			return sign;
		shift = 126 - exponent;
		mantissa = (bits & 0x7FFFFFu) | 0x800000u;
	}
	const uint32_t half = 1u << (shift - 1);
	const uint32_t odd = mantissa >> shift & 1;
	return sign | (aclFloat16)((mantissa + half - 1 + odd) >> shift);
}

float aclFloat16ToFloat(aclFloat16 value)
{
	const uint32_t exponent = value >> F16_MANTISSA_BITS & 0x1F;
	const uint32_t mantissa = value & 0x3FFu;
	float result;

	if (exponent == 0) {
		result = (float)mantissa * 0x1p-24f;
	} else {
		const uint32_t bits = (exponent + 127 - 15) << F32_MANTISSA_BITS |
		                      mantissa << (F32_MANTISSA_BITS - F16_MANTISSA_BITS);
		memcpy(&result, &bits, sizeof(result));
	}
	return value & F16_SIGN ? -result : result;
}

/* ---- Data buffers ------------------------------------------------------------------------------------------- */

struct buffer {
	rstd__object object;
	void *data;
	size_t size;
};

/* The object of a handle; NULL, after a complaint, if there is none. */
static void *live(rstd__object_kind kind, const void *handle, const char *argument)
{
	void *const object = rstd__object_find(kind, handle);

	if (handle == NULL)
		rstd__acl_null(argument);
	else if (object == NULL)
		rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "%s: %p was not created, or is destroyed already", argument,
		               handle);
	return object;
}

/* Ends a handle and its object. */
static aclError destroy(rstd__object_kind kind, const void *handle, const char *argument)
{
	if (rstd__object_end(kind, handle))
		return ACL_SUCCESS;
	live(kind, handle, argument);
	return ACL_ERROR_INVALID_PARAM;
}

/* A handle for a new object, which begins with a header and is freed if there is no memory for the handle. */
static void *open_handle(rstd__object_kind kind, void *object, const char *what)
{
	if (object != NULL && rstd__handle_open(kind, object, free))
		return ((const rstd__object *)object)->handle;
	free(object);
	rstd__acl_no_memory(what);
	return NULL;
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
	struct buffer *const buffer = malloc(sizeof(*buffer));

	if (buffer != NULL)
		*buffer = (struct buffer){ .data = data, .size = size };
	return open_handle(RSTD_OBJECT_DATA_BUFFER, buffer, "a data buffer");
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
	return destroy(RSTD_OBJECT_DATA_BUFFER, dataBuffer, "dataBuffer");
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
	struct buffer *const buffer = live(RSTD_OBJECT_DATA_BUFFER, dataBuffer, "dataBuffer");

	if (buffer == NULL)
		return ACL_ERROR_INVALID_PARAM;
	buffer->data = data;
	buffer->size = size;
	return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
	const struct buffer *const buffer = live(RSTD_OBJECT_DATA_BUFFER, dataBuffer, "dataBuffer");

	return buffer == NULL ? NULL : buffer->data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
	const struct buffer *const buffer = live(RSTD_OBJECT_DATA_BUFFER, dataBuffer, "dataBuffer");

	return buffer == NULL ? 0 : buffer->size;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
	return (uint32_t)aclGetDataBufferSizeV2(dataBuffer);
}

/* ---- Descriptions of tensors -------------------------------------------------------------------------------- */

struct desc {
	rstd__object object;
	aclDataType dtype;
	aclFormat format;
	size_t rank;
	int64_t shape[];
};

aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims, aclFormat format)
{
	if (numDims < 0) {
		rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "numDims: is %d, must be 0 or more", numDims);
		return NULL;
	}
	if (dims == NULL && numDims > 0) {
		rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "dims: is null, must be %d extents", numDims);
		return NULL;
	}
	const size_t rank = (size_t)numDims;
	struct desc *const desc = malloc(sizeof(*desc) + rank * sizeof(desc->shape[0]));
	if (desc != NULL) {
		*desc = (struct desc){ .dtype = dataType, .format = format, .rank = rank };
		if (rank > 0)
			memcpy(desc->shape, dims, rank * sizeof(desc->shape[0]));
	}
	return open_handle(RSTD_OBJECT_TENSOR_DESC, desc, "a description of a tensor");
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
	if (desc != NULL)
		destroy(RSTD_OBJECT_TENSOR_DESC, desc, "desc");
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
	const struct desc *const d = live(RSTD_OBJECT_TENSOR_DESC, desc, "desc");

	return d == NULL ? ACL_DT_UNDEFINED : d->dtype;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
	const struct desc *const d = live(RSTD_OBJECT_TENSOR_DESC, desc, "desc");

	return d == NULL ? ACL_FORMAT_UNDEFINED : d->format;
}

/* The product of the extents; 0 if one is negative or it does not fit. */
static size_t element_count(const struct desc *d)
{
	size_t count = 1;

	for (size_t i = 0; i < d->rank; i++)
		if (d->shape[i] < 0 || __builtin_mul_overflow(count, (size_t)d->shape[i], &count))
			return 0;
	return count;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
	const struct desc *const d = live(RSTD_OBJECT_TENSOR_DESC, desc, "desc");

	return d == NULL ? 0 : element_count(d);
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
	const struct desc *const d = live(RSTD_OBJECT_TENSOR_DESC, desc, "desc");
	size_t size;

	if (d == NULL || __builtin_mul_overflow(element_count(d), aclDataTypeSize(d->dtype), &size))
		return 0;
	return size;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
	const struct desc *const d = live(RSTD_OBJECT_TENSOR_DESC, desc, "desc");

	return d == NULL ? 0 : d->rank;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize)
{
	const struct desc *const d = live(RSTD_OBJECT_TENSOR_DESC, desc, "desc");

	if (d == NULL)
		return ACL_ERROR_INVALID_PARAM;
	if (dimSize == NULL)
		return rstd__acl_null("dimSize");
	if (index >= d->rank)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "index: is %zu, the rank is %zu", index, d->rank);
	*dimSize = d->shape[index];
	return ACL_SUCCESS;
}
