/*
 * wide.h - unsigned integers of up to 768 bits, and sums in limbs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Schoolbook arithmetic in limbs of 64 bits, least first. Nothing allocates and nothing checks for overflow: exact.c
 * shows that its values fit.
 */
#ifndef RSTD_KERNELS_WIDE_H
#define RSTD_KERNELS_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSTD__WIDE_LIMBS 12

__extension__ typedef unsigned __int128 rstd__uint128;
__extension__ typedef __int128 rstd__int128;

/* limb[length - 1] is not 0, the limbs from length on are; length 0 is the value 0. */
struct rstd__wide {
	size_t length;
	uint64_t limb[RSTD__WIDE_LIMBS];
};

/* ---- Sums: arrays of `limbs` limbs, modulo 2^(64 limbs) --------------------------------------------------------- */

/* sum += value << shift; shift / 64 + 1 < limbs. Carries rarely go far, so the loop ends early. */
static inline void rstd__limbs_add(uint64_t *sum, size_t limbs, uint64_t value, unsigned shift)
{
	const rstd__uint128 shifted = (rstd__uint128)value << (shift & 63);
	size_t i = shift >> 6;
	rstd__uint128 t = (rstd__uint128)sum[i] + (uint64_t)shifted;

	sum[i] = (uint64_t)t;
	t = (t >> 64) + (shifted >> 64) + sum[++i];
	sum[i] = (uint64_t)t;
	for (bool carry = t >> 64; carry && ++i < limbs;)
		carry = ++sum[i] == 0;
}

/* sum -= value << shift; as above. */
static inline void rstd__limbs_sub(uint64_t *sum, size_t limbs, uint64_t value, unsigned shift)
{
	const rstd__uint128 shifted = (rstd__uint128)value << (shift & 63);
	size_t i = shift >> 6;
	rstd__uint128 t = (rstd__uint128)sum[i] - (uint64_t)shifted;

	sum[i] = (uint64_t)t;
	t = (rstd__uint128)sum[i + 1] - (uint64_t)(shifted >> 64) - (t >> 64 ? 1 : 0);
	sum[++i] = (uint64_t)t;
	for (bool borrow = t >> 64; borrow && ++i < limbs;)
		borrow = sum[i]-- == 0;
}

/* into += from. */
static inline void rstd__limbs_merge(uint64_t *into, const uint64_t *from, size_t limbs)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < limbs; i++) {
		const rstd__uint128 t = (rstd__uint128)into[i] + from[i] + carry;

		into[i] = (uint64_t)t;
		carry = (uint64_t)(t >> 64);
	}
}

/* ---- Wide integers ------------------------------------------------------------------------------------------- */

static inline void rstd__wide_trim(struct rstd__wide *a, size_t length)
{
	while (length > 0 && a->limb[length - 1] == 0)
		length--;
	a->length = length;
}

static inline struct rstd__wide rstd__wide_from(const uint64_t *limb, size_t length)
{
	struct rstd__wide a = { 0 };

	for (size_t i = 0; i < length; i++)
		a.limb[i] = limb[i];
	rstd__wide_trim(&a, length);
	return a;
}

/* The magnitude of a two's complement number. */
static inline struct rstd__wide rstd__wide_magnitude(const uint64_t *limb, size_t length)
{
	const uint64_t flip = limb[length - 1] >> 63 ? UINT64_MAX : 0;
	uint64_t carry = flip & 1;
	struct rstd__wide a = { 0 };

	for (size_t i = 0; i < length; i++) {
		a.limb[i] = (limb[i] ^ flip) + carry;
		carry = carry && a.limb[i] == 0;
	}
	rstd__wide_trim(&a, length);
	return a;
}

static inline struct rstd__wide rstd__wide_product(const struct rstd__wide *a, const struct rstd__wide *b)
{
	struct rstd__wide p = { 0 };

	for (size_t j = 0; j < b->length; j++) {
		uint64_t carry = 0;

		for (size_t i = 0; i < a->length; i++) {
			const rstd__uint128 t = (rstd__uint128)a->limb[i] * b->limb[j] + p.limb[i + j] + carry;

			p.limb[i + j] = (uint64_t)t;
			carry = (uint64_t)(t >> 64);
		}
		p.limb[a->length + j] = carry;
	}
	rstd__wide_trim(&p, a->length + b->length);
	return p;
}

static inline int rstd__wide_bits(const struct rstd__wide *a)
{
	return a->length == 0 ? 0 : (int)a->length * 64 - __builtin_clzll(a->limb[a->length - 1]);
}

/* floor(a / 2^position) mod 2^64: the 64 bits from a position on, which may be negative or past the end. */
static inline uint64_t rstd__wide_window(const struct rstd__wide *a, int position)
{
	const int first = position >> 6; /* rounds down */
	const unsigned shift = (unsigned)position & 63;
	const uint64_t low = first >= 0 && first < RSTD__WIDE_LIMBS ? a->limb[first] : 0;
	const uint64_t high = first >= -1 && first < RSTD__WIDE_LIMBS - 1 ? a->limb[first + 1] : 0;

	return shift ? low >> shift | high << (64 - shift) : low;
}

static inline struct rstd__wide rstd__wide_shifted_left(const struct rstd__wide *a, int shift)
{
	const int length = (rstd__wide_bits(a) + shift + 63) / 64;
	struct rstd__wide s = { 0 };

	for (int i = 0; i < length; i++)
		s.limb[i] = rstd__wide_window(a, i * 64 - shift);
	rstd__wide_trim(&s, (size_t)length);
	return s;
}

/* The sign of a - b * 2^shift, for any shift. */
static inline int rstd__wide_compare(const struct rstd__wide *a, const struct rstd__wide *b, int shift)
{
	const int a_bits = rstd__wide_bits(a), b_bits = b->length ? rstd__wide_bits(b) + shift : 0;

	if (a->length == 0 || b->length == 0)
		return (a->length > 0) - (b->length > 0);
	if (a_bits != b_bits)
		return a_bits > b_bits ? 1 : -1;
	for (int position = a_bits - 64; position > -64 || position - shift > -64; position -= 64) {
		const uint64_t x = rstd__wide_window(a, position), y = rstd__wide_window(b, position - shift);

		if (x != y)
			return x > y ? 1 : -1;
	}
	return 0;
}

static inline struct rstd__wide rstd__wide_sum(const struct rstd__wide *a, const struct rstd__wide *b)
{
	const size_t length = a->length > b->length ? a->length : b->length;
	struct rstd__wide s = { 0 };
	uint64_t carry = 0;

	for (size_t i = 0; i < length; i++) {
		const rstd__uint128 t = (rstd__uint128)a->limb[i] + b->limb[i] + carry;

		s.limb[i] = (uint64_t)t;
		carry = (uint64_t)(t >> 64);
	}
	s.limb[length] = carry;
	rstd__wide_trim(&s, length + 1);
	return s;
}

/* a - b, for a >= b. */
static inline struct rstd__wide rstd__wide_difference(const struct rstd__wide *a, const struct rstd__wide *b)
{
	struct rstd__wide d = { 0 };
	uint64_t borrow = 0;

	for (size_t i = 0; i < a->length; i++) {
		const rstd__uint128 t = (rstd__uint128)a->limb[i] - b->limb[i] - borrow;

		d.limb[i] = (uint64_t)t;
		borrow = t >> 64 ? 1 : 0;
	}
	rstd__wide_trim(&d, a->length);
	return d;
}

#endif
