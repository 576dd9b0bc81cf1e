/*
 * binary32.h - a binary32 as an integer times a power of two
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_KERNELS_BINARY32_H
#define RSTD_KERNELS_BINARY32_H

#include <stdint.h>

#define RSTD__FRACTION_BITS 23
#define RSTD__FRACTION_MASK ((UINT32_C(1) << RSTD__FRACTION_BITS) - 1)
#define RSTD__EXPONENTS     256
#define RSTD__NOT_FINITE    (RSTD__EXPONENTS - 1) /* the exponent field of Inf and NaN */
#define RSTD__LEAST         (-149)                /* the exponent of the least subnormal */

static inline unsigned rstd__exponent_field(uint32_t bits)
{
	return bits >> RSTD__FRACTION_BITS & (RSTD__EXPONENTS - 1);
}

/* |x| = mantissa * 2^(shift - 149). Subnormals lack the hidden bit and share the shift of exponent field 1. */
static inline uint64_t rstd__mantissa(uint32_t bits)
{
	return (bits & RSTD__FRACTION_MASK) | (uint32_t)(rstd__exponent_field(bits) != 0) << RSTD__FRACTION_BITS;
}

static inline unsigned rstd__shift(uint32_t bits)
{
	return rstd__exponent_field(bits) - (rstd__exponent_field(bits) != 0);
}

/* Without a branch, which the signs of most data would make hard to predict. */
static inline int64_t rstd__with_sign_of(uint32_t bits, int64_t magnitude)
{
	const int64_t minus = -(int64_t)(bits >> 31);

	return (magnitude ^ minus) - minus;
}

#endif
