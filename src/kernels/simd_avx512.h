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
#define VL      8
#define V_SPLIT 0
#define V_ROUGH 1

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

static inline V v_fma(V a, V b, V c)
{
	return _mm512_fmadd_pd(a, b, c);
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

static inline unsigned v_less(V a, V b)
{
	return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

static inline V v_widen_one(enum rstd__format format, const void *p)
{
	uint16_t half;

	if (format != RSTD__F16)
		return v_set1((double)rstd__load(format, p));
	memcpy(&half, p, sizeof(half));
	return v_set1((double)_mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half))));
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

/* Sums of neighbouring lanes of a and b, in turn. */
static inline V v_pair_sums(V a, V b)
{
	return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}

/* Sums of neighbouring pairs of lanes: those of a, then those of b. */
static inline V v_quarter_sums(V a, V b)
{
	return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xDD));
}

static inline V v_row_sums(const V *a)
{
	return v_quarter_sums(v_quarter_sums(v_pair_sums(a[0], a[1]), v_pair_sums(a[2], a[3])),
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

#endif
