/*
 * simd_scalar.h - the vector vocabulary in plain C: one lane, no fused multiply-add
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every simd_*.h defines the same words; this one, being plain C, is also their definition. Words of x86 that gcc would
 * not always inline by itself have to be told to: where it calls one with vectors, gcc 12 leaves VZEROUPPER out at the
 * end of the caller, and the next SSE instructions wait for 150 ns.
 *
 *   V, VL             a vector of VL binary64 lanes
 *   V_ROUGH           1 when there is also F, a vector of 2 VL binary32 lanes (not here: it would gain nothing)
 *   F_DEALT           1 when rough sums of rows of 8 or 16 are dealt out to lanes, 0 when they would gain nothing
 *   V_TURNED          1 when rows of 16 floats are better turned into columns by four rows at a time than by VL
 *   V_DEALT_MAX       the most elements of short rows that are faster dealt out to lanes than summed along the row
 *   V_SPLIT           1 when v_fma() rounds twice, 0 when it is one operation
 *   v_set1, v_load, v_store, v_add, v_sub, v_mul, v_div, v_sqrt, v_fma (a * b + c), v_abs
 *   v_root            the square root with a relative error below 2.5 u, and of 0 it is 0; otherwise as v_sqrt
 *   v_product_error   a b - p, exactly, for p = a b rounded
 *   v_min, v_max      b where the lanes are unordered, so that v_min(limit, x) keeps a NaN in x
 *   v_pow2            the power of two in the exponent field: 2^e for 2^e <= |x| < 2^(e + 1); 0 for 0
 *   v_widen           VL elements of a format at any address; exact
 *   v_widen_two       2 VL elements, dealt to two vectors in any order
 *   v_deal, v_undeal  deals 2 VL lanes that are in the order of their elements to two vectors as v_widen_two does; and back
 *   v_widen_part      the first k < VL of them, nothing read beyond; the other lanes are 0
 *   v_widen_one       the element at any address, in every lane
 *   v_first           lane 0
 *   v_load_part       the first k < VL doubles, nothing read beyond; the other lanes are 0
 *   v_store_part      the first k < VL lanes, nothing written beyond
 *   v_narrow          stores the first k lanes as elements of a format that holds them, as rstd__store() does
 *   v_store_rounded   the same of lanes that are not rounded yet, if none is negative, a NaN, or so near to a midpoint
 *                     between two elements that a rounding to binary32 reaches it, and none needs subnormal elements
 *   v_near_root       the square root of a * factor, which is stored, or 0 where a is not at least `least`; off by
 *                     2^-40 of itself at most
 *   v_short_of        bit i says that lane i of a is less than that of b, or one of them a NaN
 *   v_beside          bit i says that (a - from) & bits is 0 in lane i, all of them taken as integers
 *   v_keep            lane i for i < k, 0 in the others
 *   c_deal            n columns of VL floats: element j of `rows` <= VL rows of n elements, 2 <= n <= RSTD__DENSE_MAX, that
 *                     follow each other at p, in the order of the rows, 0 or elements of the first in the other lanes;
 *                     c has room for C_COLUMNS
 *   c_block           C_BLOCK(size) columns of VL floats: the first elements of VL rows, which start row[i] bytes from x
 *   v_keep_last       lane i for i >= VL - k, 0 in the others
 *   v_row_sums        lane i is the sum of the lanes of a[i], for VL vectors a
 *   v_less            bit i says that lane i of a is less than that of b
 *   v_differ          bit i says that lane i of a and b differ or are unordered
 *
 * With V_TURNED, where VL is 8:
 *   c_turn            the 16 floats of each of four rows, which start row[i] bytes from x, as 8 vectors of VL: in each half of
 *                     a vector one column
 *   v_half_sums       lane i is the sum of lanes i and i + 4 of a, lane i + 4 the same of b, i < 4
 *
 * And for binary32, with the meaning of the same words above: f_set1, f_add, f_sub, f_fma, f_widen, f_widen_two,
 * f_deal, f_undeal and f_widen_part (of 16-bit formats), f_keep; f_low and f_high widen half of the lanes; f_join rounds two V to one F.
 * f_load takes two columns from c_deal or c_block; f_keep_last, f_widen_one and f_first are as those of V. f_row_sums is
 * of VL vectors F, the sums of their lanes a V: up to four of its additions follow each other in binary32.
 *
 * With F_DEALT, of pairs of 16-bit elements that c_deal has dealt out as if they were floats and f_widen_two widened:
 *   f_firsts          the first element of each row, in all lanes that have elements of the row, from the first pairs
 *   f_join_rows       lane i is the sum of the lanes of row i, VL of them in a, those after them in b
 *   f_inverse_root    1 / sqrt(a), off by at most 2^-14 of it, for a >= 2^-100, and what that is for less
 *   f_outside         bit i says that lane i is not from low to high
 *   f_store_agreed    stores the lanes of high rounded to a 16-bit format; bit i says that lane i of low is another then
 */
#ifndef RSTD_KERNELS_SIMD_SCALAR_H
#define RSTD_KERNELS_SIMD_SCALAR_H

#include <math.h>

#include "kernels/kernels.h"

typedef double V;
#define VL                  1
#define V_SPLIT             1
#define V_ROUGH             0
#define F_DEALT             0
#define V_TURNED            0
#define V_DEALT_MAX(format) 0

static inline V v_set1(double a)
{
	return a;
}

static inline V v_load(const double *p)
{
	return *p;
}

static inline void v_store(double *p, V a)
{
	*p = a;
}

static inline V v_add(V a, V b)
{
	return a + b;
}

static inline V v_sub(V a, V b)
{
	return a - b;
}

static inline V v_mul(V a, V b)
{
	return a * b;
}

static inline V v_div(V a, V b)
{
	return a / b;
}

static inline V v_sqrt(V a)
{
	return sqrt(a);
}

static inline V v_root(V a)
{
	return sqrt(a);
}

static inline V v_fma(V a, V b, V c)
{
	return a * b + c;
}

/* Halves of 26 and 27 bits have exact products (Dekker, 1971). */
static inline V v_product_error(V a, V b, V p)
{
	const V a_spread = a * (0x1p27 + 1), b_spread = b * (0x1p27 + 1);
	const V a_high = a_spread - (a_spread - a), a_low = a - a_high;
	const V b_high = b_spread - (b_spread - b), b_low = b - b_high;

	return a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low);
}

static inline V v_abs(V a)
{
	return fabs(a);
}

static inline V v_min(V a, V b)
{
	return a < b ? a : b;
}

static inline V v_max(V a, V b)
{
	return a > b ? a : b;
}

static inline V v_pow2(V a)
{
	uint64_t bits;

	memcpy(&bits, &a, sizeof(bits));
	bits &= 0x7FF0000000000000;
	memcpy(&a, &bits, sizeof(a));
	return a;
}

static inline V v_widen(enum rstd__format format, const void *p)
{
	return (double)rstd__load(format, p);
}

static inline void v_widen_two(enum rstd__format format, const unsigned char *p, V *two)
{
	two[0] = v_widen(format, p);
	two[1] = v_widen(format, p + rstd__format_info[format].size);
}

static inline void v_deal(enum rstd__format format, V *two)
{
	(void)format; /* in order */
	(void)two;
}

static inline void v_undeal(enum rstd__format format, V *two)
{
	(void)format;
	(void)two;
}

static inline V v_widen_one(enum rstd__format format, const void *p)
{
	return (double)rstd__load(format, p);
}

static inline double v_first(V a)
{
	return a;
}

static inline V v_widen_part(enum rstd__format format, const void *p, size_t k)
{
	(void)format;
	(void)p;
	(void)k; /* one lane: k is 0 */
	return 0;
}

static inline V v_load_part(const double *p, size_t k)
{
	(void)p;
	(void)k;
	return 0;
}

static inline void v_store_part(double *p, V a, size_t k)
{
	(void)p;
	(void)a;
	(void)k;
}

static inline void v_narrow(enum rstd__format format, void *p, V a, size_t k)
{
	(void)k; /* one lane: k is 1 */
	rstd__store(format, p, a);
}

static inline void v_store_rounded(enum rstd__format format, void *p, V a, size_t k)
{
	const int drop = 24 - rstd__format_info[format].precision;
	const uint32_t half = drop > 0 ? UINT32_C(1) << (drop - 1) : 0;

	(void)k;
	rstd__store(format, p, (double)rstd__float_from_bits((rstd__float_to_bits((float)a) + half) >> drop << drop));
}

static inline V v_near_root(V a, V least, V factor, V *product)
{
	*product = a >= least ? a * factor : 0;
	return sqrt(*product);
}

static inline unsigned v_short_of(V a, V b)
{
	return !(a >= b);
}

static inline unsigned v_beside(V a, V from, V bits)
{
	uint64_t word, start, mask;

	memcpy(&word, &a, sizeof(word));
	memcpy(&start, &from, sizeof(start));
	memcpy(&mask, &bits, sizeof(mask));
	return ((word - start) & mask) == 0;
}

static inline unsigned v_less(V a, V b)
{
	return a < b;
}

static inline V v_keep(V a, size_t k)
{
	return k > 0 ? a : 0;
}

static inline void c_deal(enum rstd__format format, size_t n, size_t rows, const unsigned char *p, float *c)
{
	(void)rows;
	for (size_t j = 0; j < n; j++)
		c[j] = rstd__load(format, p + j * rstd__format_info[format].size);
}

static inline void c_block(enum rstd__format format, const unsigned char *x, const ptrdiff_t *row, float *c)
{
	c_deal(format, C_BLOCK(rstd__format_info[format].size), 1, x + row[0], c);
}

static inline V v_keep_last(V a, size_t k)
{
	return v_keep(a, k);
}

static inline V v_row_sums(const V *a)
{
	return a[0];
}

static inline unsigned v_differ(V a, V b)
{
	return !(a == b);
}

#endif
