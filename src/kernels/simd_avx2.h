/*
 * simd_avx2.h - the vector vocabulary in AVX2, FMA and F16C: four lanes. simd_scalar.h defines the words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_KERNELS_SIMD_AVX2_H
#define RSTD_KERNELS_SIMD_AVX2_H

#include <immintrin.h>

#include "kernels/kernels.h"

typedef __m256d V;
#define VL                  4
#define V_SPLIT             0
#define V_ROUGH             1
#define F_DEALT             0
#define V_TURNED            0
#define V_DEALT_MAX(format) ((format) == RSTD__F32 ? 0 : 16)

static inline V v_set1(double a)
{
	return _mm256_set1_pd(a);
}

static inline V v_load(const double *p)
{
	return _mm256_loadu_pd(p);
}

static inline void v_store(double *p, V a)
{
	_mm256_storeu_pd(p, a);
}

static inline V v_add(V a, V b)
{
	return _mm256_add_pd(a, b);
}

static inline V v_sub(V a, V b)
{
	return _mm256_sub_pd(a, b);
}

static inline V v_mul(V a, V b)
{
	return _mm256_mul_pd(a, b);
}

static inline V v_div(V a, V b)
{
	return _mm256_div_pd(a, b);
}

static inline V v_sqrt(V a)
{
	return _mm256_sqrt_pd(a);
}

static inline V v_root(V a)
{
	return _mm256_sqrt_pd(a);
}

static inline V v_fma(V a, V b, V c)
{
	return _mm256_fmadd_pd(a, b, c);
}

static inline V v_product_error(V a, V b, V p)
{
	return _mm256_fmsub_pd(a, b, p);
}

static inline V v_abs(V a)
{
	return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

static inline V v_min(V a, V b)
{
	return _mm256_min_pd(a, b);
}

static inline V v_max(V a, V b)
{
	return _mm256_max_pd(a, b);
}

static inline V v_pow2(V a)
{
	return _mm256_and_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(0x7FF0000000000000)));
}

/* Four 16-bit elements, in the low half of h, to floats. */
static inline __m128 v_halves(enum rstd__format format, __m128i h)
{
	return format == RSTD__F16 ? _mm_cvtph_ps(h) : _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), h));
}

static inline V v_widen(enum rstd__format format, const void *p)
{
	return _mm256_cvtps_pd(format == RSTD__F32 ? _mm_loadu_ps(p) : v_halves(format, _mm_loadl_epi64(p)));
}

/* bfloat16 needs no shuffle where the even elements and the odd ones may go apart. */
static inline void v_widen_two(enum rstd__format format, const unsigned char *p, V *two)
{
	if (format == RSTD__BF16) {
		const __m128i h = _mm_loadu_si128((const __m128i *)(const void *)p);

		two[0] = _mm256_cvtps_pd(_mm_castsi128_ps(_mm_slli_epi32(h, 16)));
		two[1] = _mm256_cvtps_pd(_mm_castsi128_ps(_mm_and_si128(h, _mm_set1_epi32(-65536))));
	} else {
		two[0] = v_widen(format, p);
		two[1] = v_widen(format, p + VL * rstd__format_info[format].size);
	}
}

static inline void v_deal(enum rstd__format format, V *two)
{
	const V low = _mm256_permute2f128_pd(two[0], two[1], 0x20), high = _mm256_permute2f128_pd(two[0], two[1], 0x31);

	if (format == RSTD__BF16) {
		two[0] = _mm256_unpacklo_pd(low, high);
		two[1] = _mm256_unpackhi_pd(low, high);
	}
}

static inline void v_undeal(enum rstd__format format, V *two)
{
	const V low = _mm256_unpacklo_pd(two[0], two[1]), high = _mm256_unpackhi_pd(two[0], two[1]);

	if (format == RSTD__BF16) {
		two[0] = _mm256_permute2f128_pd(low, high, 0x20);
		two[1] = _mm256_permute2f128_pd(low, high, 0x31);
	}
}

/* Lane i of the mask that starts at v_masks + 3 - k is all ones for i < k. */
static const int64_t v_masks[7] = { -1, -1, -1, 0, 0, 0, 0 };

static inline __m256i v_part_mask(size_t k)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)(v_masks + 3 - k));
}

/* The same of four 32-bit lanes. */
static inline __attribute__((always_inline)) __m128i v_part_mask_words(size_t k)
{
	return _mm256_castsi256_si128(
		_mm256_permutevar8x32_epi32(v_part_mask(k), _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0)));
}

static inline V v_load_part(const double *p, size_t k)
{
	return _mm256_maskload_pd(p, v_part_mask(k));
}

static inline void v_store_part(double *p, V a, size_t k)
{
	_mm256_maskstore_pd(p, v_part_mask(k), a);
}

/* The first k <= 4 of 16-bit elements, by stores that do not overlap. */
static inline __attribute__((always_inline)) void v_store_halves(unsigned char *p, __m128i halves, size_t k)
{
	uint64_t all = (uint64_t)_mm_cvtsi128_si64(halves);

	if (k == 4) {
		memcpy(p, &all, sizeof(all));
		return;
	}
	if (k >= 2) {
		memcpy(p, &all, sizeof(uint32_t));
		p += sizeof(uint32_t);
		all >>= 32;
	}
	if (k % 2 > 0)
		memcpy(p, &all, sizeof(uint16_t));
}

/* Floats that are rounded to bfloat16 if that is the format. */
static inline __attribute__((always_inline)) void v_store_floats(enum rstd__format format, void *p, __m128 f, size_t k)
{
	const __m128i high = _mm_srli_epi32(_mm_castps_si128(f), 16);

	if (format == RSTD__F16)
		v_store_halves(p, _mm_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT), k);
	else if (format == RSTD__BF16)
		v_store_halves(p, _mm_packus_epi32(high, high), k);
	else if (k == VL)
		_mm_storeu_ps(p, f);
	else
		_mm_maskstore_ps(p, v_part_mask_words(k), f);
}

static inline __attribute__((always_inline)) void v_narrow(enum rstd__format format, void *p, V a, size_t k)
{
	const __m128 sum = _mm_add_ps(_mm256_cvtpd_ps(a), _mm_setzero_ps());

	v_store_floats(format, p,
	               _mm_blendv_ps(sum, _mm_set1_ps(rstd__float_from_bits(0x7FC00000)), _mm_cmpunord_ps(sum, sum)),
	               k);
}

static inline __attribute__((always_inline)) void v_store_rounded(enum rstd__format format, void *p, V a, size_t k)
{
	const __m128 f = _mm256_cvtpd_ps(a);
	const __m128i up = _mm_add_epi32(_mm_castps_si128(f), _mm_set1_epi32(0x8000));

	v_store_floats(format, p, format == RSTD__BF16 ? _mm_castsi128_ps(up) : f, k);
}

static inline V v_near_root(V a, V least, V factor, V *product)
{
	*product = _mm256_and_pd(_mm256_mul_pd(a, factor), _mm256_cmp_pd(a, least, _CMP_GE_OQ));
	return _mm256_sqrt_pd(*product);
}

static inline unsigned v_short_of(V a, V b)
{
	return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_NGE_UQ));
}

static inline unsigned v_beside(V a, V from, V bits)
{
	const __m256i far = _mm256_sub_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(from));
	const __m256i none = _mm256_and_si256(far, _mm256_castpd_si256(bits));

	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(none, _mm256_setzero_si256())));
}

static inline unsigned v_less(V a, V b)
{
	return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ));
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
	return _mm256_cvtsd_f64(a);
}

/* k <= 4 16-bit elements, 0 after them: by loads that overlap, since what is put together in memory waits to be read. */
static inline uint64_t v_load_halves(const unsigned char *p, size_t k)
{
	uint64_t all = 0;
	uint32_t first, last;
	uint16_t half;

	if (k == 4) {
		memcpy(&all, p, sizeof(all));
	} else if (k >= 2) {
		memcpy(&first, p, sizeof(first));
		memcpy(&last, p + 2 * (k - 2), sizeof(last));
		all = first | (uint64_t)last << 16 * (k - 2);
	} else if (k == 1) {
		memcpy(&half, p, sizeof(half));
		all = half;
	}
	return all;
}

static inline V v_widen_part(enum rstd__format format, const void *p, size_t k)
{
	if (format == RSTD__F32)
		return _mm256_cvtps_pd(_mm_maskload_ps(p, v_part_mask_words(k)));
	return _mm256_cvtps_pd(v_halves(format, _mm_cvtsi64_si128((long long)v_load_halves(p, k))));
}

static inline V v_keep(V a, size_t k)
{
	return _mm256_and_pd(a, _mm256_castsi256_pd(v_part_mask(k)));
}

static inline V v_keep_last(V a, size_t k)
{
	return _mm256_andnot_pd(_mm256_castsi256_pd(v_part_mask(VL - k)), a);
}

static inline V v_row_sums(const V *a)
{
	const V b0 = _mm256_hadd_pd(a[0], a[1]), b1 = _mm256_hadd_pd(a[2], a[3]); /* by halves: rows 0, 1 and 2, 3 */

	return _mm256_add_pd(_mm256_permute2f128_pd(b0, b1, 0x20), _mm256_permute2f128_pd(b0, b1, 0x31));
}

static inline unsigned v_differ(V a, V b)
{
	return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_NEQ_UQ));
}

/* ---- binary32 ---- */

typedef __m256 F;

static inline F f_set1(float a)
{
	return _mm256_set1_ps(a);
}

static inline F f_add(F a, F b)
{
	return _mm256_add_ps(a, b);
}

static inline F f_sub(F a, F b)
{
	return _mm256_sub_ps(a, b);
}

static inline F f_fma(F a, F b, F c)
{
	return _mm256_fmadd_ps(a, b, c);
}

static inline F f_from_halves(enum rstd__format format, __m128i h)
{
	return format == RSTD__F16 ? _mm256_cvtph_ps(h)
	                           : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}

static inline F f_widen(enum rstd__format format, const void *p)
{
	return f_from_halves(format, _mm_loadu_si128(p));
}

static inline void f_widen_two(enum rstd__format format, const unsigned char *p, F *two)
{
	if (format == RSTD__BF16) {
		const __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)p);

		two[0] = _mm256_castsi256_ps(_mm256_slli_epi32(h, 16));
		two[1] = _mm256_castsi256_ps(_mm256_and_si256(h, _mm256_set1_epi32(-65536)));
	} else {
		two[0] = f_widen(format, p);
		two[1] = f_widen(format, p + sizeof(__m128i));
	}
}

static inline void f_deal(enum rstd__format format, F *two)
{
	const F low = _mm256_permute2f128_ps(two[0], two[1], 0x20), high = _mm256_permute2f128_ps(two[0], two[1], 0x31);

	if (format == RSTD__BF16) {
		two[0] = _mm256_shuffle_ps(low, high, 0x88);
		two[1] = _mm256_shuffle_ps(low, high, 0xDD);
	}
}

static inline void f_undeal(enum rstd__format format, F *two)
{
	const F low = _mm256_unpacklo_ps(two[0], two[1]), high = _mm256_unpackhi_ps(two[0], two[1]);

	if (format == RSTD__BF16) {
		two[0] = _mm256_permute2f128_ps(low, high, 0x20);
		two[1] = _mm256_permute2f128_ps(low, high, 0x31);
	}
}

static inline F f_widen_part(enum rstd__format format, const void *p, size_t k)
{
	const uint64_t low = v_load_halves(p, k < 4 ? k : 4);
	const uint64_t high = k > 4 ? v_load_halves((const unsigned char *)p + 8, k - 4) : 0;

	return f_from_halves(format, _mm_set_epi64x((long long)high, (long long)low));
}

static inline F f_keep(F a, size_t k)
{
	static const int32_t masks[15] = { -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0 };

	return _mm256_and_ps(a, _mm256_loadu_ps((const float *)(const void *)(masks + 7 - k)));
}

static inline V f_low(F a)
{
	return _mm256_cvtps_pd(_mm256_castps256_ps128(a));
}

static inline V f_high(F a)
{
	return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
}

static inline F f_join(V low, V high)
{
	return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}

static inline F f_load(const float *p)
{
	return _mm256_loadu_ps(p);
}

static inline F f_keep_last(F a, size_t k)
{
	static const int32_t masks[15] = { 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 };

	return _mm256_and_ps(a, _mm256_loadu_ps((const float *)(const void *)(masks + k - 1)));
}

static inline F f_widen_one(enum rstd__format format, const void *p)
{
	uint16_t half;

	memcpy(&half, p, sizeof(half));
	return f_from_halves(format, _mm_set1_epi16((short)half));
}

static inline double f_first(F a)
{
	return (double)_mm256_cvtss_f32(a);
}

static inline V f_row_sums(const F *a)
{
	const F b0 = _mm256_hadd_ps(a[0], a[1]), b1 = _mm256_hadd_ps(a[2], a[3]);
	const F c = _mm256_hadd_ps(b0, b1); /* by halves: all four rows in each */

	return _mm256_add_pd(f_low(c), f_high(c));
}

/* ---- Rows to columns ---- */

/* Two floats of each of four rows, in two columns of four. */
static inline __attribute__((always_inline)) void c_words(const unsigned char *const *row, size_t at, float *c)
{
	int64_t pair[4];

	for (size_t i = 0; i < 4; i++)
		memcpy(&pair[i], row[i] + at, sizeof(pair[i]));
	const __m128 a = _mm_castsi128_ps(_mm_set_epi64x(pair[1], pair[0]));
	const __m128 b = _mm_castsi128_ps(_mm_set_epi64x(pair[3], pair[2]));

	_mm_storeu_ps(c, _mm_shuffle_ps(a, b, 0x88));
	_mm_storeu_ps(c + 4, _mm_shuffle_ps(a, b, 0xDD));
}

/* Two 16-bit elements of each of four rows. */
static inline __attribute__((always_inline)) void c_halves(enum rstd__format format, const unsigned char *const *row,
                                                           size_t at, float *c)
{
	int32_t pair[4];

	for (size_t i = 0; i < 4; i++)
		memcpy(&pair[i], row[i] + at, sizeof(pair[i]));
	_mm256_storeu_ps(c, f_from_halves(format, _mm_shuffle_epi8(_mm_setr_epi32(pair[0], pair[1], pair[2], pair[3]),
	                                                           _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7,
	                                                                         10, 11, 14, 15))));
}

/* The last column of an odd number is loaded with the one before it, as nothing beyond the rows is read. */
static inline __attribute__((always_inline)) void c_deal(enum rstd__format format, size_t n, size_t rows,
                                                         const unsigned char *p, float *c)
{
	const size_t size = rstd__format_info[format].size;
	const unsigned char *const row[4] = { p, rows > 1 ? p + n * size : p, rows > 2 ? p + 2 * n * size : p,
		                              rows > 3 ? p + 3 * n * size : p };

	for (size_t j = 0; j < n; j += 2) {
		const size_t from = j + 2 <= n ? j : n - 2;

		if (format == RSTD__F32)
			c_words(row, from * size, c + 4 * from);
		else
			c_halves(format, row, from * size, c + 4 * from);
	}
}

static inline __attribute__((always_inline)) void c_block(enum rstd__format format, const unsigned char *x,
                                                          const ptrdiff_t *row, float *c)
{
	const __m128i r0 = _mm_loadu_si128((const void *)(x + row[0])),
		      r1 = _mm_loadu_si128((const void *)(x + row[1]));
	const __m128i r2 = _mm_loadu_si128((const void *)(x + row[2])),
		      r3 = _mm_loadu_si128((const void *)(x + row[3]));

	if (format == RSTD__F32) {
		__m128 c0 = _mm_castsi128_ps(r0), c1 = _mm_castsi128_ps(r1), c2 = _mm_castsi128_ps(r2),
		       c3 = _mm_castsi128_ps(r3);

		_MM_TRANSPOSE4_PS(c0, c1, c2, c3);
		_mm_storeu_ps(c, c0);
		_mm_storeu_ps(c + 4, c1);
		_mm_storeu_ps(c + 8, c2);
		_mm_storeu_ps(c + 12, c3);
	} else {
		const __m128i a = _mm_unpacklo_epi16(r0, r1), b = _mm_unpackhi_epi16(r0, r1);
		const __m128i d = _mm_unpacklo_epi16(r2, r3), e = _mm_unpackhi_epi16(r2, r3);

		_mm256_storeu_ps(c, f_from_halves(format, _mm_unpacklo_epi32(a, d)));
		_mm256_storeu_ps(c + 8, f_from_halves(format, _mm_unpackhi_epi32(a, d)));
		_mm256_storeu_ps(c + 16, f_from_halves(format, _mm_unpacklo_epi32(b, e)));
		_mm256_storeu_ps(c + 24, f_from_halves(format, _mm_unpackhi_epi32(b, e)));
	}
}

#endif
