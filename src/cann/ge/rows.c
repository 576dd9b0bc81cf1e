/*
 * rows.c - rows of elements to and from blocks of numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/rows.h"

#include "cann/ge/convert.h"
#include "rstd/graph.h"

enum rstd__number rstd__number_of(int32_t dtype)
{
	switch (dtype) {
	case RSTD_DT_FLOAT:
		return RSTD__FLOATS;
	case RSTD_DT_FLOAT16:
	case RSTD_DT_BF16:
	case RSTD_DT_DOUBLE:
		return RSTD__DOUBLES;
	case RSTD_DT_INT8:
	case RSTD_DT_INT16:
	case RSTD_DT_INT32:
	case RSTD_DT_INT64:
	case RSTD_DT_UINT8:
	case RSTD_DT_UINT16:
	case RSTD_DT_UINT32:
	case RSTD_DT_UINT64:
	case RSTD_DT_BOOL:
		return RSTD__INTS;
	default:
		return RSTD__NO_NUMBER;
	}
}

/* One loop that compilers make vectors of, where elements are side by side, and one for the rest. */
#define LOADER(name, element, number, convert)                                                                         \
	static void load_##name(const unsigned char *from, ptrdiff_t stride, size_t n, number *to)                     \
	{                                                                                                              \
		if (stride == 1) {                                                                                     \
			for (size_t i = 0; i < n; i++) {                                                               \
				element e;                                                                             \
                                                                                                                       \
				memcpy(&e, from + i * sizeof(e), sizeof(e));                                           \
				to[i] = (number)convert(e);                                                            \
			}                                                                                              \
			return;                                                                                        \
		}                                                                                                      \
		for (size_t i = 0; i < n; i++, from += stride * (ptrdiff_t)sizeof(element)) {                          \
			element e;                                                                                     \
                                                                                                                       \
			memcpy(&e, from, sizeof(e));                                                                   \
			to[i] = (number)convert(e);                                                                    \
		}                                                                                                      \
	}

#define AS_IT_IS(e) (e)
#define TRUTH(e)    ((e) != 0)

LOADER(float, float, float, AS_IT_IS)
LOADER(f16_as_float, uint16_t, float, rstd__float_of_f16)
LOADER(bf16_as_float, uint16_t, float, rstd__float_of_bf16)
LOADER(float_as_double, float, double, AS_IT_IS)
LOADER(f16, uint16_t, double, rstd__float_of_f16)
LOADER(bf16, uint16_t, double, rstd__float_of_bf16)
LOADER(double, double, double, AS_IT_IS)
LOADER(int8, int8_t, int64_t, AS_IT_IS)
LOADER(int16, int16_t, int64_t, AS_IT_IS)
LOADER(int32, int32_t, int64_t, AS_IT_IS)
LOADER(int64, int64_t, int64_t, AS_IT_IS)
LOADER(uint8, uint8_t, int64_t, AS_IT_IS)
LOADER(uint16, uint16_t, int64_t, AS_IT_IS)
LOADER(uint32, uint32_t, int64_t, AS_IT_IS)
LOADER(bool, uint8_t, int64_t, TRUTH)

void rstd__load_floats(int32_t dtype, const unsigned char *from, ptrdiff_t stride, size_t n, float *to)
{
	if (dtype == RSTD_DT_FLOAT)
		load_float(from, stride, n, to);
	else if (dtype == RSTD_DT_FLOAT16)
		load_f16_as_float(from, stride, n, to);
	else
		load_bf16_as_float(from, stride, n, to);
}

void rstd__load_doubles(int32_t dtype, const unsigned char *from, ptrdiff_t stride, size_t n, double *to)
{
	if (dtype == RSTD_DT_FLOAT)
		load_float_as_double(from, stride, n, to);
	else if (dtype == RSTD_DT_FLOAT16)
		load_f16(from, stride, n, to);
	else if (dtype == RSTD_DT_BF16)
		load_bf16(from, stride, n, to);
	else
		load_double(from, stride, n, to);
}

static void load_ints(int32_t dtype, const unsigned char *from, ptrdiff_t stride, size_t n, int64_t *to)
{
	if (dtype == RSTD_DT_INT8)
		load_int8(from, stride, n, to);
	else if (dtype == RSTD_DT_INT16)
		load_int16(from, stride, n, to);
	else if (dtype == RSTD_DT_INT32)
		load_int32(from, stride, n, to);
	else if (dtype == RSTD_DT_UINT8)
		load_uint8(from, stride, n, to);
	else if (dtype == RSTD_DT_UINT16)
		load_uint16(from, stride, n, to);
	else if (dtype == RSTD_DT_UINT32)
		load_uint32(from, stride, n, to);
	else if (dtype == RSTD_DT_BOOL)
		load_bool(from, stride, n, to);
	else
		load_int64(from, stride, n, to);
}

void rstd__load_block(int32_t dtype, const unsigned char *from, ptrdiff_t stride, size_t n, union rstd__block *to)
{
	if (dtype == RSTD_DT_FLOAT)
		load_float(from, stride, n, to->f);
	else if (rstd__number_of(dtype) == RSTD__DOUBLES)
		rstd__load_doubles(dtype, from, stride, n, to->d);
	else
		load_ints(dtype, from, stride, n, to->i);
}

#define STORER(name, element, number, convert)                                                                         \
	static void store_##name(const number *from, size_t n, unsigned char *to)                                      \
	{                                                                                                              \
		for (size_t i = 0; i < n; i++) {                                                                       \
			const element e = (element)convert(from[i]);                                                   \
                                                                                                                       \
			memcpy(to + i * sizeof(e), &e, sizeof(e));                                                     \
		}                                                                                                      \
	}

#define TO_F16(d)  rstd__f16_of_float(rstd__odd_float(d))
#define TO_BF16(d) rstd__bf16_of_float(rstd__odd_float(d))

STORER(float, float, float, rstd__quiet_float)
STORER(float_as_f16, uint16_t, float, rstd__f16_of_float)
STORER(float_as_bf16, uint16_t, float, rstd__bf16_of_float)
STORER(f16, uint16_t, double, TO_F16)
STORER(bf16, uint16_t, double, TO_BF16)
STORER(double, double, double, rstd__quiet_double)
STORER(int8, uint8_t, int64_t, AS_IT_IS)
STORER(int16, uint16_t, int64_t, AS_IT_IS)
STORER(int32, uint32_t, int64_t, AS_IT_IS)
STORER(int64, int64_t, int64_t, AS_IT_IS)
STORER(bool, uint8_t, int64_t, TRUTH)

void rstd__store_block(int32_t dtype, const union rstd__block *from, size_t n, unsigned char *to)
{
	switch (dtype) {
	case RSTD_DT_FLOAT:
		store_float(from->f, n, to);
		return;
	case RSTD_DT_FLOAT16:
		store_f16(from->d, n, to);
		return;
	case RSTD_DT_BF16:
		store_bf16(from->d, n, to);
		return;
	case RSTD_DT_DOUBLE:
		store_double(from->d, n, to);
		return;
	case RSTD_DT_BOOL:
		store_bool(from->i, n, to);
		return;
	default:
		break;
	}
	switch (rstd_ge_dtype_size(dtype)) {
	case 1:
		store_int8(from->i, n, to);
		return;
	case 2:
		store_int16(from->i, n, to);
		return;
	case 4:
		store_int32(from->i, n, to);
		return;
	default:
		store_int64(from->i, n, to);
	}
}

void rstd__store_floats(int32_t dtype, const float *from, size_t n, unsigned char *to)
{
	if (dtype == RSTD_DT_FLOAT)
		store_float(from, n, to);
	else if (dtype == RSTD_DT_FLOAT16)
		store_float_as_f16(from, n, to);
	else
		store_float_as_bf16(from, n, to);
}
