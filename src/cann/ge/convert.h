/*
 * convert.h - elements of each dtype to and from numbers that the machine computes with
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything here is exact or rounds once, to nearest, ties to even, in the default floating-point mode. NaNs that are
 * stored are the quiet one without sign or payload.
 */
#ifndef RSTD_CANN_GE_CONVERT_H
#define RSTD_CANN_GE_CONVERT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t rstd__bits_of_float(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline float rstd__float_of_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* a where `take` is set, else b: without a branch, so that loops of it become vectors. */
static inline uint32_t rstd__select(bool take, uint32_t a, uint32_t b)
{
	const uint32_t mask = 0 - (uint32_t)take;

	return (a & mask) | (b & ~mask);
}

/* Exact. The exponent moves from bias 15 to 127 by a product, which takes subnormals along. */
static inline float rstd__float_of_f16(uint16_t half)
{
	const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = (uint32_t)(half & 0x7FFF) << 13;
	const uint32_t finite = rstd__bits_of_float(rstd__float_of_bits(magnitude) * 0x1p112F);

	return rstd__float_of_bits(sign | rstd__select(magnitude >= 0x0F800000, magnitude | 0x7F800000, finite));
}

static inline float rstd__float_of_bf16(uint16_t half)
{
	return rstd__float_of_bits((uint32_t)half << 16);
}

static inline uint16_t rstd__f16_of_float(float f)
{
	const uint32_t bits = rstd__bits_of_float(f), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
	const bool is_small = magnitude < 0x38800000; /* 2^-14 */
	/* the unit in the last place of 1/2 is that of subnormals, 2^-24, so the sum rounds there */
	const float sum = rstd__float_of_bits(rstd__select(is_small, magnitude, 0)) + 0.5F;
	const uint32_t subnormal = rstd__bits_of_float(sum) - 0x3F000000;
	const uint32_t normal = (magnitude - 0x38000000 + 0x0FFF + (magnitude >> 13 & 1)) >> 13;
	const uint32_t finite = rstd__select(is_small, subnormal, normal);
	const uint32_t special = rstd__select(magnitude > 0x7F800000, 0x7E00, sign | 0x7C00);

	return (uint16_t)rstd__select(magnitude >= 0x47800000, special, sign | finite);
}

static inline uint16_t rstd__bf16_of_float(float f)
{
	const uint32_t bits = rstd__bits_of_float(f), half = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;

	return (uint16_t)((bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC0 : half);
}

/*
 * A binary64 rounded to odd: to the float beside it whose last bit is set, unless it is a float itself. Rounding that
 * to a format of 22 bits or fewer gives what rounding the binary64 at once gives (Boldo and Melquiond, "Emulation of a
 * FMA and correctly rounded sums", 2008).
 */
static inline float rstd__odd_float(double d)
{
	const float f = (float)d;
	const uint32_t bits = rstd__bits_of_float(f);
	const double back = (double)f, magnitude = d < 0 ? -d : d, got = back < 0 ? -back : back;

	if (back == d || d != d || bits & 1)
		return f;
	return rstd__float_of_bits(got > magnitude ? bits - 1 : bits + 1);
}

static inline float rstd__quiet_float(float f)
{
	return f != f ? rstd__float_of_bits(0x7FC00000) : f;
}

static inline double rstd__quiet_double(double d)
{
	const uint64_t quiet = UINT64_C(0x7FF8000000000000);
	double nan;

	memcpy(&nan, &quiet, sizeof(nan));
	return d != d ? nan : d;
}

#endif
