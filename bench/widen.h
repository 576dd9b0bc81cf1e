/*
 * widen.h - the three dtypes to and from float, in plain C
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The benchmark keeps conversions of its own, so that what it compares the library with owes nothing to the library.
 */
#ifndef RSTD_BENCH_WIDEN_H
#define RSTD_BENCH_WIDEN_H

#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline float float_of_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline float widen_f32(float value)
{
	return value;
}

static inline float widen_bf16(uint16_t value)
{
	return float_of_bits((uint32_t)value << 16);
}

/* Exponent and fraction moved into place, then scaled by 2^(127 - 15): right for subnormals, too. No branch, so that
 * compilers vectorise it. */
static inline float widen_f16(uint16_t value)
{
	const uint32_t magnitude = ((uint32_t)value & 0x7fff) << 13;
	const uint32_t scaled = float_bits(float_of_bits(magnitude) * 0x1p112f);
	const uint32_t special = magnitude >= 0x0f800000 ? 0x7f800000 : 0; /* Inf and NaN keep their exponent */

	return float_of_bits(scaled | special | ((uint32_t)value & 0x8000) << 16);
}

/* Finite values only, to nearest, ties to even. */
static inline uint16_t narrow_bf16(float value)
{
	const uint32_t bits = float_bits(value);

	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Finite values only, to nearest, ties to even; from 65520 on, infinity. */
static inline uint16_t narrow_f16(float value)
{
	const uint32_t bits = float_bits(value);
	const uint32_t sign = bits >> 16 & 0x8000;
	const uint32_t magnitude = bits & 0x7fffffff;

	if (magnitude >= float_bits(65520.0f))
		return (uint16_t)(sign | 0x7c00);
	if (magnitude < float_bits(0x1p-14f)) /* one unit of 0.5 + x is one unit of a subnormal */
		return (uint16_t)(sign | (float_bits(float_of_bits(magnitude) + 0.5f) - float_bits(0.5f)));
	return (uint16_t)(sign | (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

#endif
