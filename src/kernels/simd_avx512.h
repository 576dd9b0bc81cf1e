/*
 * simd_avx512.h - the vector vocabulary in AVX-512 F, BW, DQ, VL: eight lanes. simd_scalar.h defines the words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_KERNELS_SIMD_AVX512_H
#define RSTD_KERNELS_SIMD_AVX512_H

#include <immintrin.h>

#include "kernels/kernels.h"

typedef __m512d V;
#define VL                  8
#define V_SPLIT             0
#define V_ROUGH             1
#define F_DEALT             1
#define V_TURNED            1
#define V_DEALT_MAX(format) ((format) == RSTD__F32 ? 16 : 24)

static inline V v_set1(double a)
{
	return _mm512_set1_pd(a);
}

static inline V v_load(const double *p)
{
	return _mm512_loadu_pd(p);
}

static inline void v_store(double *p, V a)
{
	_mm512_storeu_pd(p, a);
}

static inline V v_add(V a, V b)
{
	return _mm512_add_pd(a, b);
}

static inline V v_sub(V a, V b)
{
	return _mm512_sub_pd(a, b);
}

static inline V v_mul(V a, V b)
{
	return _mm512_mul_pd(a, b);
}

static inline V v_div(V a, V b)
{
	return _mm512_div_pd(a, b);
}

static inline V v_sqrt(V a)
{
	return _mm512_sqrt_pd(a);
}

/*
 * From an approximation y of 1 / sqrt(a), off by at most 2^-14, by four terms of the series of (1 - e)^(-1/2) for
 * e = 1 - a y^2, |e| < 2^-12.9. Root and division take several times as long. docs/numerics.md, "Roots".
 */
static inline V v_root(V a)
{
	const __mmask8 some = _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NEQ_UQ);
	const V y = _mm512_maskz_rsqrt14_pd(some, a), g = _mm512_mul_pd(a, y);
	const V e = _mm512_fnmadd_pd(g, y, _mm512_set1_pd(1));
	const V p = _mm512_fmadd_pd(_mm512_fmadd_pd(e, _mm512_set1_pd(5. / 16), _mm512_set1_pd(3. / 8)), e,
	                            _mm512_set1_pd(1. / 2));

	return _mm512_fmadd_pd(_mm512_mul_pd(p, e), g, g);
}

static inline V v_fma(V a, V b, V c)
{
	return _mm512_fmadd_pd(a, b, c);
}

static inline V v_product_error(V a, V b, V p)
{
	return _mm512_fmsub_pd(a, b, p);
}

static inline V v_abs(V a)
{
	return _mm512_abs_pd(a);
}

static inline V v_min(V a, V b)
{
	return _mm512_min_pd(a, b);
}

static inline V v_max(V a, V b)
{
	return _mm512_max_pd(a, b);
}

static inline V v_pow2(V a)
{
	return _mm512_and_pd(a, _mm512_castsi512_pd(_mm512_set1_epi64(0x7FF0000000000000)));
}

/* Eight 16-bit elements to floats. */
static inline __m256 v_halves(enum rstd__format format, __m128i h)
{
	return format == RSTD__F16 ? _mm256_cvtph_ps(h)
	                           : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}

static inline V v_widen(enum rstd__format format, const void *p)
{
	return _mm512_cvtps_pd(format == RSTD__F32 ? _mm256_loadu_ps(p) : v_halves(format, _mm_loadu_si128(p)));
}

/* bfloat16 needs no shuffle where the even elements and the odd ones may go apart. */
static inline void v_widen_two(enum rstd__format format, const unsigned char *p, V *two)
{
	if (format == RSTD__BF16) {
		const __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)p);

		two[0] = _mm512_cvtps_pd(_mm256_castsi256_ps(_mm256_slli_epi32(h, 16)));
		two[1] = _mm512_cvtps_pd(_mm256_castsi256_ps(_mm256_and_si256(h, _mm256_set1_epi32(-65536))));
	} else {
		two[0] = v_widen(format, p);
		two[1] = v_widen(format, p + VL * rstd__format_info[format].size);
	}
}

static inline void v_deal(enum rstd__format format, V *two)
{
	const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
	const V a = two[0], b = two[1];

	if (format == RSTD__BF16) {
		two[0] = _mm512_permutex2var_pd(a, even, b);
		two[1] = _mm512_permutex2var_pd(a, _mm512_add_epi64(even, _mm512_set1_epi64(1)), b);
	}
}

static inline void v_undeal(enum rstd__format format, V *two)
{
	const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
	const V even = two[0], odd = two[1];

	if (format == RSTD__BF16) {
		two[0] = _mm512_permutex2var_pd(even, low, odd);
		two[1] = _mm512_permutex2var_pd(even, _mm512_add_epi64(low, _mm512_set1_epi64(4)), odd);
	}
}

static inline __mmask8 v_part_mask(size_t k)
{
	return (__mmask8)((1u << k) - 1);
}

static inline V v_load_part(const double *p, size_t k)
{
	return _mm512_maskz_loadu_pd(v_part_mask(k), p);
}

static inline void v_store_part(double *p, V a, size_t k)
{
	_mm512_mask_storeu_pd(p, v_part_mask(k), a);
}

/* Floats that are rounded to bfloat16 if that is the format. */
static inline __attribute__((always_inline)) void v_store_floats(enum rstd__format format, void *p, __m256 f, size_t k)
{
	const __mmask8 mask = v_part_mask(k);

	if (format == RSTD__F32)
		_mm256_mask_storeu_ps(p, mask, f);
	else if (format == RSTD__F16)
		_mm_mask_storeu_epi16(p, mask, _mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
	else
		_mm_mask_storeu_epi16(p, mask, _mm256_cvtepi32_epi16(_mm256_srli_epi32(_mm256_castps_si256(f), 16)));
}

static inline __attribute__((always_inline)) void v_narrow(enum rstd__format format, void *p, V a, size_t k)
{
	const __m256 sum = _mm256_add_ps(_mm512_cvtpd_ps(a), _mm256_setzero_ps());

	v_store_floats(format, p,
	               _mm256_mask_mov_ps(sum, _mm256_cmp_ps_mask(sum, sum, _CMP_UNORD_Q),
	                                  _mm256_set1_ps(rstd__float_from_bits(0x7FC00000))),
	               k);
}

static inline __attribute__((always_inline)) void v_store_rounded(enum rstd__format format, void *p, V a, size_t k)
{
	const __m256 f = _mm512_cvtpd_ps(a);
	const __m256i up = _mm256_add_epi32(_mm256_castps_si256(f), _mm256_set1_epi32(0x8000));

	v_store_floats(format, p, format == RSTD__BF16 ? _mm256_castsi256_ps(up) : f, k);
}

/* As v_root, by a term of the series less. */
static inline __attribute__((always_inline)) V v_near_root(V a, V least, V factor, V *product)
{
	const __mmask8 some = _mm512_cmp_pd_mask(a, least, _CMP_GE_OQ);
	const V b = _mm512_maskz_mul_pd(some, a, factor), y = _mm512_maskz_rsqrt14_pd(some, b);
	const V g = _mm512_mul_pd(b, y), e = _mm512_fnmadd_pd(g, y, _mm512_set1_pd(1));
	const V p = _mm512_fmadd_pd(e, _mm512_set1_pd(3. / 8), _mm512_set1_pd(1. / 2));

	*product = b;
	return _mm512_fmadd_pd(_mm512_mul_pd(p, e), g, g);
}

static inline unsigned v_short_of(V a, V b)
{
	return _mm512_cmp_pd_mask(a, b, _CMP_NGE_UQ);
}

static inline unsigned v_beside(V a, V from, V bits)
{
	return _mm512_testn_epi64_mask(_mm512_sub_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(from)),
	                               _mm512_castpd_si512(bits));
}

static inline unsigned v_less(V a, V b)
{
	return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

static inline V v_widen_one(enum rstd__format format, const void *p)
{
	float f;
	uint16_t half;

	if (format == RSTD__F32) {
		memcpy(&f, p, sizeof(f));
		return _mm512_cvtps_pd(_mm256_set1_ps(f));
	}
	memcpy(&half, p, sizeof(half));
	return _mm512_cvtps_pd(v_halves(format, _mm_set1_epi16((short)half)));
}

static inline double v_first(V a)
{
	return _mm512_cvtsd_f64(a);
}

static inline V v_widen_part(enum rstd__format format, const void *p, size_t k)
{
	const __mmask8 mask = v_part_mask(k);

	return _mm512_cvtps_pd(format == RSTD__F32 ? _mm256_maskz_loadu_ps(mask, p)
	                                           : v_halves(format, _mm_maskz_loadu_epi16(mask, p)));
}

static inline V v_keep(V a, size_t k)
{
	return _mm512_maskz_mov_pd(v_part_mask(k), a);
}

static inline V v_keep_last(V a, size_t k)
{
	return _mm512_maskz_mov_pd((__mmask8)(0xFF00u >> k), a);
}

/*
 * Eight vectors become four, two and one: each time one half of the lanes of two is blended, the other half is permuted
 * to where their partners are, which takes a permutation less than to sort them out first.
 */
static inline V v_pair_sums(V a, V b)
{
	return _mm512_add_pd(_mm512_mask_blend_pd(0xAA, a, b), _mm512_shuffle_pd(a, b, 0x55));
}

static inline V v_quarter_sums(V a, V b)
{
	const __m512i swap = _mm512_setr_epi64(2, 3, 8, 9, 6, 7, 12, 13);

	return _mm512_add_pd(_mm512_mask_blend_pd(0xCC, a, b), _mm512_permutex2var_pd(a, swap, b));
}

static inline V v_half_sums(V a, V b)
{
	return _mm512_add_pd(_mm512_mask_blend_pd(0xF0, a, b), _mm512_shuffle_f64x2(a, b, 0x4E));
}

static inline V v_row_sums(const V *a)
{
	return v_half_sums(v_quarter_sums(v_pair_sums(a[0], a[1]), v_pair_sums(a[2], a[3])),
	                   v_quarter_sums(v_pair_sums(a[4], a[5]), v_pair_sums(a[6], a[7])));
}

static inline unsigned v_differ(V a, V b)
{
	return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ);
}

/* ---- binary32 ---- */

typedef __m512 F;

static inline F f_set1(float a)
{
	return _mm512_set1_ps(a);
}

static inline F f_add(F a, F b)
{
	return _mm512_add_ps(a, b);
}

static inline F f_sub(F a, F b)
{
	return _mm512_sub_ps(a, b);
}

static inline F f_fma(F a, F b, F c)
{
	return _mm512_fmadd_ps(a, b, c);
}

static inline F f_from_halves(enum rstd__format format, __m256i h)
{
	return format == RSTD__F16 ? _mm512_cvtph_ps(h)
	                           : _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}

static inline F f_widen(enum rstd__format format, const void *p)
{
	return f_from_halves(format, _mm256_loadu_si256(p));
}

static inline void f_widen_two(enum rstd__format format, const unsigned char *p, F *two)
{
	if (format == RSTD__BF16) {
		const __m512i h = _mm512_loadu_si512(p);

		two[0] = _mm512_castsi512_ps(_mm512_slli_epi32(h, 16));
		two[1] = _mm512_castsi512_ps(_mm512_and_si512(h, _mm512_set1_epi32(-65536)));
	} else {
		two[0] = f_widen(format, p);
		two[1] = f_widen(format, p + sizeof(__m256i));
	}
}

static inline void f_deal(enum rstd__format format, F *two)
{
	const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	const F a = two[0], b = two[1];

	if (format == RSTD__BF16) {
		two[0] = _mm512_permutex2var_ps(a, even, b);
		two[1] = _mm512_permutex2var_ps(a, _mm512_add_epi32(even, _mm512_set1_epi32(1)), b);
	}
}

static inline void f_undeal(enum rstd__format format, F *two)
{
	const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
	const F even = two[0], odd = two[1];

	if (format == RSTD__BF16) {
		two[0] = _mm512_permutex2var_ps(even, low, odd);
		two[1] = _mm512_permutex2var_ps(even, _mm512_add_epi32(low, _mm512_set1_epi32(8)), odd);
	}
}

static inline F f_widen_part(enum rstd__format format, const void *p, size_t k)
{
	return f_from_halves(format, _mm256_maskz_loadu_epi16((__mmask16)((1u << k) - 1), p));
}

static inline F f_keep(F a, size_t k)
{
	return _mm512_maskz_mov_ps((__mmask16)((1u << k) - 1), a);
}

static inline V f_low(F a)
{
	return _mm512_cvtps_pd(_mm512_castps512_ps256(a));
}

static inline V f_high(F a)
{
	return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1));
}

static inline F f_join(V low, V high)
{
	return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}

static inline F f_load(const float *p)
{
	return _mm512_loadu_ps(p);
}

static inline F f_keep_last(F a, size_t k)
{
	return _mm512_maskz_mov_ps((__mmask16)(0xFFFF0000u >> k), a);
}

static inline F f_widen_one(enum rstd__format format, const void *p)
{
	uint16_t half;

	memcpy(&half, p, sizeof(half));
	return f_from_halves(format, _mm256_set1_epi16((short)half));
}

static inline double f_first(F a)
{
	return (double)_mm512_cvtss_f32(a);
}

/* As v_row_sums, from quarters on: each step adds up one half of what is left of two vectors and the other half. */
static inline F f_half_sums(F a, F b)
{
	return _mm512_add_ps(_mm512_mask_blend_ps(0xFF00, a, b), _mm512_shuffle_f32x4(a, b, 0x4E));
}

static inline F f_quarter_sums(F a, F b)
{
	const __m512i swap = _mm512_setr_epi64(2, 3, 8, 9, 6, 7, 12, 13);
	const F other = _mm512_castpd_ps(_mm512_permutex2var_pd(_mm512_castps_pd(a), swap, _mm512_castps_pd(b)));

	return _mm512_add_ps(_mm512_mask_blend_ps(0xF0F0, a, b), other);
}

static inline V f_row_sums(const F *a)
{
	const F b0 = f_quarter_sums(f_half_sums(a[0], a[4]), f_half_sums(a[2], a[6]));
	const F b1 = f_quarter_sums(f_half_sums(a[1], a[5]), f_half_sums(a[3], a[7]));
	const F c = _mm512_add_ps(_mm512_mask_blend_ps(0xCCCC, b0, b1), _mm512_shuffle_ps(b0, b1, 0x4E));
	const F d = _mm512_add_ps(c, _mm512_permute_ps(c, 0xB1)); /* each sum twice */

	return _mm512_cvtps_pd(_mm256_castsi256_ps(_mm512_cvtepi64_epi32(_mm512_castps_si512(d))));
}

static inline F f_mul(F a, F b)
{
	return _mm512_mul_ps(a, b);
}

static inline F f_firsts(enum rstd__format format, F pairs)
{
	return format == RSTD__F16 ? _mm512_moveldup_ps(pairs) : _mm512_shuffle_f32x4(pairs, pairs, 0x44);
}

static inline F f_join_rows(enum rstd__format format, F a, F b)
{
	const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);

	if (format == RSTD__BF16)
		return f_half_sums(a, b);
	return _mm512_add_ps(_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b));
}

static inline F f_inverse_root(F a)
{
	return _mm512_rsqrt14_ps(_mm512_max_ps(a, _mm512_set1_ps(0x1p-100F)));
}

static inline unsigned f_outside(F a, F low, F high)
{
	const __mmask16 above = _mm512_cmp_ps_mask(a, low, _CMP_GE_OQ);

	return (unsigned)_mm512_mask_cmp_ps_mask(above, a, high, _CMP_LE_OQ) ^ 0xFFFF;
}

static inline unsigned f_store_agreed(enum rstd__format format, void *p, F low, F high)
{
	const __m512i half = _mm512_set1_epi32(0x8000), top = _mm512_set1_epi32(-65536);

	if (format == RSTD__F16) {
		const __m256i a = _mm512_cvtps_ph(low, _MM_FROUND_TO_NEAREST_INT);
		const __m256i b = _mm512_cvtps_ph(high, _MM_FROUND_TO_NEAREST_INT);

		_mm256_storeu_si256(p, b);
		return _mm256_cmpneq_epi16_mask(a, b);
	}

	/* a tie goes up, which does no harm: low and high differ then, or neither is near to one */
	const __m512i a = _mm512_add_epi32(_mm512_castps_si512(low), half);
	const __m512i b = _mm512_add_epi32(_mm512_castps_si512(high), half);

	_mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(b, 16)));
	return _mm512_test_epi32_mask(_mm512_xor_si512(a, b), top);
}

/* ---- Rows to columns ---- */

/* The indices of a permutation, at(i) being that of lane i. */
#define C_LANES_16(at)                                                                                                 \
	_mm512_setr_epi32(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11),        \
	                  at(12), at(13), at(14), at(15))
#define C_LANES_8(at, i) at(i + 7), at(i + 6), at(i + 5), at(i + 4), at(i + 3), at(i + 2), at(i + 1), at(i)
#define C_LANES_32(at)   _mm512_set_epi16(C_LANES_8(at, 24), C_LANES_8(at, 16), C_LANES_8(at, 8), C_LANES_8(at, 0))

/* Four columns of eight 16-bit elements. */
static inline __attribute__((always_inline)) void c_store_four(enum rstd__format format, __m512i four, float *c)
{
	_mm512_storeu_ps(c, f_from_halves(format, _mm512_castsi512_si256(four)));
	_mm512_storeu_ps(c + 16, f_from_halves(format, _mm512_extracti64x4_epi64(four, 1)));
}

/*
 * Eight rows of n elements are n vectors of eight. A permutation takes its lanes from two vectors of up to four of
 * these, and has no use for the higher bits of an index.
 */
static inline __attribute__((always_inline)) void c_deal_words(size_t n, uint64_t there, const unsigned char *p,
                                                               float *c)
{
	__m512i z[4] = { _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
		         _mm512_setzero_si512() };

	for (size_t i = 0; i < n / 2; i++)
		z[i] = _mm512_maskz_loadu_epi32((__mmask16)(there >> 16 * i), p + 64 * i);
	if (n % 2 > 0)
		z[n / 2] = _mm512_zextsi256_si512(
			_mm256_maskz_loadu_epi32((__mmask8)(there >> 16 * (n / 2)), p + 64 * (n / 2)));
	for (size_t o = 0; 2 * o < n; o++) {
#define AT(i) ((i) % 8 * (int)n + 2 * (int)o + (i) / 8)
		const __m512i at = C_LANES_16(AT);
		__m512i pair = _mm512_permutex2var_epi32(z[0], at, z[1]);
		unsigned beyond = 0;

		for (int i = 0; i < 16; i++)
			beyond |= (unsigned)(AT(i) >= 32) << i;
		if (n > 4)
			pair = _mm512_mask_blend_epi32((__mmask16)beyond, pair,
			                               _mm512_permutex2var_epi32(z[2], at, z[3]));
		_mm512_storeu_si512(c + 16 * o, pair);
#undef AT
	}
}

static inline __attribute__((always_inline)) void c_deal_halves(enum rstd__format format, size_t n, uint64_t there,
                                                                const unsigned char *p, float *c)
{
	__m512i z[2] = { _mm512_setzero_si512(), _mm512_setzero_si512() };

	for (size_t i = 0; i < n / 4; i++)
		z[i] = _mm512_maskz_loadu_epi16((__mmask32)(there >> 32 * i), p + 64 * i);
	if (n % 4 > 0)
		z[n / 4] = _mm512_maskz_loadu_epi16(
			(__mmask32)(there >> 32 * (n / 4)) & ((UINT32_C(1) << 8 * (n % 4)) - 1), p + 64 * (n / 4));
	for (size_t o = 0; 4 * o < n; o++) {
#define AT(i) (short)((i) % 8 * (int)n + 4 * (int)o + (i) / 8)
		const __m512i at = C_LANES_32(AT);
#undef AT

		c_store_four(format,
		             n > 4 ? _mm512_permutex2var_epi16(z[0], at, z[1]) : _mm512_permutexvar_epi16(at, z[0]),
		             c + 32 * o);
	}
}

static inline __attribute__((always_inline)) void c_deal(enum rstd__format format, size_t n, size_t rows,
                                                         const unsigned char *p, float *c)
{
	/* bit i says that element i is one of the rows */
	const uint64_t there = rows < VL ? (UINT64_C(1) << rows * n) - 1 : UINT64_MAX;

	if (format == RSTD__F32)
		c_deal_words(n, there, p, c);
	else
		c_deal_halves(format, n, there, p, c);
}

/* 16 bytes of each of four rows. */
static inline __attribute__((always_inline)) __m512i c_load_rows(const unsigned char *x, const ptrdiff_t *row)
{
	__m512i z = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(x + row[0])));

	z = _mm512_inserti32x4(z, _mm_loadu_si128((const void *)(x + row[1])), 1);
	z = _mm512_inserti32x4(z, _mm_loadu_si128((const void *)(x + row[2])), 2);
	return _mm512_inserti32x4(z, _mm_loadu_si128((const void *)(x + row[3])), 3);
}

static inline __attribute__((always_inline)) void c_block(enum rstd__format format, const unsigned char *x,
                                                          const ptrdiff_t *row, float *c)
{
	const __m512i a = c_load_rows(x, row), b = c_load_rows(x, row + 4);

	if (format == RSTD__F32) {
#define AT(i) ((i) % 8 * 4 + (i) / 8)
		const __m512i at = C_LANES_16(AT);
#undef AT

		_mm512_storeu_si512(c, _mm512_permutex2var_epi32(a, at, b));
		_mm512_storeu_si512(c + 16,
		                    _mm512_permutex2var_epi32(a, _mm512_add_epi32(at, _mm512_set1_epi32(2)), b));
	} else {
#define AT(i) (short)((i) % 8 * 8 + (i) / 8)
		const __m512i at = C_LANES_32(AT);
#undef AT

		c_store_four(format, _mm512_permutex2var_epi16(a, at, b), c);
		c_store_four(format, _mm512_permutex2var_epi16(a, _mm512_add_epi16(at, _mm512_set1_epi16(4)), b),
		             c + 32);
	}
}

/* Each lane of 128 bits, four columns of four rows, is transposed. */
static inline void c_turn(const unsigned char *x, const ptrdiff_t *row, float *c)
{
	__m512d low[2], high[2];

	for (size_t i = 0; i < 2; i++) {
		const __m512 a = _mm512_loadu_ps(x + row[2 * i]), b = _mm512_loadu_ps(x + row[2 * i + 1]);

		low[i] = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
		high[i] = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
	}
	_mm512_store_pd(c, _mm512_unpacklo_pd(low[0], low[1]));
	_mm512_store_pd(c + 16, _mm512_unpackhi_pd(low[0], low[1]));
	_mm512_store_pd(c + 32, _mm512_unpacklo_pd(high[0], high[1]));
	_mm512_store_pd(c + 48, _mm512_unpackhi_pd(high[0], high[1]));
	/* compilers would not load these again, and take the upper half of a register by a shuffle, which loads do not need */
	__asm__("" : "+m"(*(float(*)[64])(void *)c));
}

#undef C_LANES_16
#undef C_LANES_32
#undef C_LANES_8

#endif
