/*
 * format.h - the three element formats: their parameters, and exact conversions one element at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_KERNELS_FORMAT_H
#define RSTD_KERNELS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Index into every table of kernels. */
enum rstd__format { RSTD__F32, RSTD__F16, RSTD__BF16, RSTD__FORMATS };

/* Finite values are integers of at most `precision` bits times a power of two, 2^least or more. */
struct rstd__format_info {
	size_t size;   /* bytes */
	int precision; /* significant bits, the hidden one included */
	int least;     /* exponent of the least subnormal: 2^least */
	int overflow;  /* the least power of two beyond the finite range: 2^overflow */
};

static const struct rstd__format_info rstd__format_info[RSTD__FORMATS] = {
	[RSTD__F32] = { 4, 24, -149, 128 },
	[RSTD__F16] = { 2, 11, -24, 16 },
	[RSTD__BF16] = { 2, 8, -133, 128 },
};

static inline float rstd__float_from_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t rstd__float_to_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* 2^e as a normal binary64. */
static inline double rstd__pow2(int e)
{
	const uint64_t bits = (uint64_t)(e + 1023) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return power;
}

/* Exact: every binary16 value is a binary32 value. NaNs stay NaNs. Without a branch, so that loops of it are fast. */
static inline float rstd__float_from_f16(uint16_t h)
{
	const uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7FFF;
	/* normal: move the exponent bias from 15 to 127; Inf and NaN: to the end of the range */
	const uint32_t bias = (magnitude >= 0x7C00 ? 2 * (127U - 15) : 127U - 15) << 23;
	/* subnormal: an integer times 2^-24, which is the unit in the last place of 1/2 */
	const float subnormal = rstd__float_from_bits(0x3F000000 + magnitude) - 0.5F;
	const uint32_t bits = magnitude >= 0x0400 ? (magnitude << 13) + bias : rstd__float_to_bits(subnormal);

	return rstd__float_from_bits(sign | bits);
}

/* The element at p, any alignment, as a float: exact for every format. */
static inline float rstd__load(enum rstd__format format, const void *p)
{
	uint16_t half;
	float f;

	if (format == RSTD__F32) {
		memcpy(&f, p, sizeof(f));
		return f;
	}
	memcpy(&half, p, sizeof(half));
	return format == RSTD__F16 ? rstd__float_from_f16(half) : rstd__float_from_bits((uint32_t)half << 16);
}

/* n elements, `stride` bytes apart, to floats. Each format, and contiguous elements, in loops that compilers know. */
static inline void rstd__load_row(enum rstd__format format, const unsigned char *p, ptrdiff_t stride, size_t n,
                                  float *to)
{
	const bool contiguous = stride == (ptrdiff_t)rstd__format_info[format].size;

	if (format == RSTD__F32 && contiguous)
		memcpy(to, p, n * sizeof(float));
	else if (format == RSTD__F32)
		for (size_t i = 0; i < n; i++, p += stride)
			to[i] = rstd__load(RSTD__F32, p);
	else if (format == RSTD__F16 && contiguous)
		for (size_t i = 0; i < n; i++)
			to[i] = rstd__load(RSTD__F16, p + i * sizeof(uint16_t));
	else if (format == RSTD__F16)
		for (size_t i = 0; i < n; i++, p += stride)
			to[i] = rstd__load(RSTD__F16, p);
	else if (contiguous)
		for (size_t i = 0; i < n; i++)
			to[i] = rstd__load(RSTD__BF16, p + i * sizeof(uint16_t));
	else
		for (size_t i = 0; i < n; i++, p += stride)
			to[i] = rstd__load(RSTD__BF16, p);
}

/* The bits of a value that binary16 holds exactly, or of Inf from 2^16 on, or of a NaN. Without a branch, as above. */
static inline uint16_t rstd__f16_from_float(float f)
{
	const uint32_t bits = rstd__float_to_bits(f), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
	const uint32_t normal = (magnitude - ((127U - 15) << 23)) >> 13;
	/* below 2^-14 an integer times 2^-24; the minimum keeps the conversion in range elsewhere */
	const float small = rstd__float_from_bits(magnitude < 0x38800000 ? magnitude : 0);
	const uint32_t subnormal = (uint32_t)(int32_t)(small * 0x1p24F);
	uint32_t half = sign | (magnitude < 0x38800000 ? subnormal : normal);

	half = magnitude >= 0x47800000 ? sign | 0x7C00 : half;
	return (uint16_t)(magnitude > 0x7F800000 ? 0x7E00 : half);
}

static inline uint16_t rstd__bf16_from_float(float f)
{
	const uint32_t bits = rstd__float_to_bits(f);

	return (uint16_t)((bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC0 : bits >> 16);
}

/*
 * Stores a value that the format holds exactly, or one of magnitude 2^overflow or more as Inf, or a NaN as the
 * format's quiet NaN. The value has been rounded before; nothing is rounded here. Zero is stored without a sign, which
 * sums would give it now and then.
 */
static inline void rstd__store(enum rstd__format format, void *p, double value)
{
	const float f = value != value ? rstd__float_from_bits(0x7FC00000) : (float)value + 0.0F;
	const uint16_t half = format == RSTD__F16 ? rstd__f16_from_float(f) : rstd__bf16_from_float(f);

	if (format == RSTD__F32)
		memcpy(p, &f, sizeof(f));
	else
		memcpy(p, &half, sizeof(half));
}

#endif
