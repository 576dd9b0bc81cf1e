/*
 * simd_neon.h - the vector vocabulary in AArch64 Advanced SIMD: two lanes. simd_scalar.h defines the words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_KERNELS_SIMD_NEON_H
#define RSTD_KERNELS_SIMD_NEON_H

#include <arm_neon.h>

#include "kernels/kernels.h"

typedef float64x2_t V;
#define VL                  2
#define V_SPLIT             0
#define V_ROUGH             1
#define F_DEALT             0
#define V_TURNED            0
#define V_DEALT_MAX(format) 0

static inline V v_set1(double a)
{
	return vdupq_n_f64(a);
}

static inline V v_load(const double *p)
{
	return vld1q_f64(p);
}

static inline void v_store(double *p, V a)
{
	vst1q_f64(p, a);
}

static inline V v_add(V a, V b)
{
	return vaddq_f64(a, b);
}

static inline V v_sub(V a, V b)
{
	return vsubq_f64(a, b);
}

static inline V v_mul(V a, V b)
{
	return vmulq_f64(a, b);
}

static inline V v_div(V a, V b)
{
	return vdivq_f64(a, b);
}

static inline V v_sqrt(V a)
{
	return vsqrtq_f64(a);
}

static inline V v_root(V a)
{
	return vsqrtq_f64(a);
}

static inline V v_fma(V a, V b, V c)
{
	return vfmaq_f64(c, a, b);
}

static inline V v_product_error(V a, V b, V p)
{
	return vfmaq_f64(vnegq_f64(p), a, b);
}

static inline V v_abs(V a)
{
	return vabsq_f64(a);
}

/* The compare-and-select forms, since FMIN and FMAX give NaN when either lane is one. */
static inline V v_min(V a, V b)
{
	return vbslq_f64(vcltq_f64(a, b), a, b);
}

static inline V v_max(V a, V b)
{
	return vbslq_f64(vcgtq_f64(a, b), a, b);
}

static inline V v_pow2(V a)
{
	return vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), vdupq_n_u64(0x7FF0000000000000)));
}

static inline V v_widen(enum rstd__format format, const void *p)
{
	float32x2_t single;
	uint32_t pair;
	uint16x4_t halves;

	if (format == RSTD__F32) {
		memcpy(&single, p, sizeof(single));
		return vcvt_f64_f32(single);
	}
	memcpy(&pair, p, sizeof(pair));
	halves = vreinterpret_u16_u32(vdup_n_u32(pair));
	if (format == RSTD__F16)
		return vcvt_f64_f32(vget_low_f32(vcvt_f32_f16(vreinterpret_f16_u16(halves))));
	return vcvt_f64_f32(vreinterpret_f32_u32(vget_low_u32(vshlq_n_u32(vmovl_u16(halves), 16))));
}

static inline V v_widen_one(enum rstd__format format, const void *p)
{
	return vdupq_n_f64((double)rstd__load(format, p));
}

static inline double v_first(V a)
{
	return vgetq_lane_f64(a, 0);
}

/* k is 0 or 1. */
static inline V v_widen_part(enum rstd__format format, const void *p, size_t k)
{
	return k > 0 ? vsetq_lane_f64((double)rstd__load(format, p), vdupq_n_f64(0), 0) : vdupq_n_f64(0);
}

static inline V v_load_part(const double *p, size_t k)
{
	return k > 0 ? vsetq_lane_f64(*p, vdupq_n_f64(0), 0) : vdupq_n_f64(0);
}

static inline void v_store_part(double *p, V a, size_t k)
{
	if (k > 0)
		*p = vgetq_lane_f64(a, 0);
}

static inline void v_narrow(enum rstd__format format, void *p, V a, size_t k)
{
	const float32x2_t sum = vadd_f32(vcvt_f32_f64(a), vdup_n_f32(0));
	const float32x2_t f = vbsl_f32(vceq_f32(sum, sum), sum, vdup_n_f32(rstd__float_from_bits(0x7FC00000)));
	uint32_t pair = vget_lane_u32(vreinterpret_u32_f16(vcvt_f16_f32(vcombine_f32(f, f))), 0);

	if (format == RSTD__F32) {
		memcpy(p, &f, k == VL ? sizeof(f) : sizeof(float));
		return;
	}
	if (format == RSTD__BF16)
		pair = vget_lane_u32(vreinterpret_u32_u16(vshrn_n_u32(vreinterpretq_u32_f32(vcombine_f32(f, f)), 16)),
		                     0);
	memcpy(p, &pair, k == VL ? sizeof(pair) : sizeof(uint16_t));
}

static inline unsigned v_mask(uint64x2_t lanes)
{
	return (unsigned)(vgetq_lane_u64(lanes, 0) & 1) | (unsigned)(vgetq_lane_u64(lanes, 1) & 2);
}

static inline void v_store_rounded(enum rstd__format format, void *p, V a, size_t k)
{
	const float32x2_t f = vcvt_f32_f64(a);
	const uint32x4_t both = vreinterpretq_u32_f32(vcombine_f32(f, f));
	uint32_t pair;

	if (format == RSTD__F32) {
		memcpy(p, &f, k == VL ? sizeof(f) : sizeof(float));
		return;
	}
	if (format == RSTD__F16)
		pair = vget_lane_u32(vreinterpret_u32_f16(vcvt_f16_f32(vreinterpretq_f32_u32(both))), 0);
	else
		pair = vget_lane_u32(vreinterpret_u32_u16(vshrn_n_u32(vaddq_u32(both, vdupq_n_u32(0x8000)), 16)), 0);
	memcpy(p, &pair, k == VL ? sizeof(pair) : sizeof(uint16_t));
}

static inline V v_near_root(V a, V least, V factor, V *product)
{
	const uint64x2_t some = vcgeq_f64(a, least);

	*product = vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(vmulq_f64(a, factor)), some));
	return vsqrtq_f64(*product);
}

static inline unsigned v_short_of(V a, V b)
{
	return v_mask(vcgeq_f64(a, b)) ^ 3;
}

static inline unsigned v_beside(V a, V from, V bits)
{
	const uint64x2_t far = vsubq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(from));

	return v_mask(vtstq_u64(far, vreinterpretq_u64_f64(bits))) ^ 3;
}

static inline unsigned v_less(V a, V b)
{
	return v_mask(vcltq_f64(a, b));
}

static inline V v_keep(V a, size_t k)
{
	return k > 1 ? a : k > 0 ? vsetq_lane_f64(0, a, 1) : vdupq_n_f64(0);
}

static inline V v_keep_last(V a, size_t k)
{
	return k > 1 ? a : k > 0 ? vsetq_lane_f64(0, a, 0) : vdupq_n_f64(0);
}

static inline V v_row_sums(const V *a)
{
	return vpaddq_f64(a[0], a[1]);
}

static inline unsigned v_differ(V a, V b)
{
	return v_mask(vceqq_f64(a, b)) ^ 3;
}

/* ---- binary32 ---- */

typedef float32x4_t F;

static inline F f_set1(float a)
{
	return vdupq_n_f32(a);
}

static inline F f_add(F a, F b)
{
	return vaddq_f32(a, b);
}

static inline F f_sub(F a, F b)
{
	return vsubq_f32(a, b);
}

static inline F f_fma(F a, F b, F c)
{
	return vfmaq_f32(c, a, b);
}

static inline F f_from_halves(enum rstd__format format, uint16x4_t h)
{
	return format == RSTD__F16 ? vcvt_f32_f16(vreinterpret_f16_u16(h))
	                           : vreinterpretq_f32_u32(vshlq_n_u32(vmovl_u16(h), 16));
}

static inline F f_widen(enum rstd__format format, const void *p)
{
	uint16x4_t h;

	memcpy(&h, p, sizeof(h));
	return f_from_halves(format, h);
}

static inline void v_widen_two(enum rstd__format format, const unsigned char *p, V *two)
{
	F x;

	if (format == RSTD__F32)
		memcpy(&x, p, sizeof(x));
	else
		x = f_widen(format, p);
	two[0] = vcvt_f64_f32(vget_low_f32(x));
	two[1] = vcvt_high_f64_f32(x);
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

/* bfloat16 needs no moves where the even elements and the odd ones may go apart. */
static inline void f_widen_two(enum rstd__format format, const unsigned char *p, F *two)
{
	uint32x4_t h;

	if (format == RSTD__BF16) {
		memcpy(&h, p, sizeof(h));
		two[0] = vreinterpretq_f32_u32(vshlq_n_u32(h, 16));
		two[1] = vreinterpretq_f32_u32(vandq_u32(h, vdupq_n_u32(0xFFFF0000)));
	} else {
		two[0] = f_widen(format, p);
		two[1] = f_widen(format, p + sizeof(uint16x4_t));
	}
}

static inline void f_deal(enum rstd__format format, F *two)
{
	const F a = two[0], b = two[1];

	if (format == RSTD__BF16) {
		two[0] = vuzp1q_f32(a, b);
		two[1] = vuzp2q_f32(a, b);
	}
}

static inline void f_undeal(enum rstd__format format, F *two)
{
	const F even = two[0], odd = two[1];

	if (format == RSTD__BF16) {
		two[0] = vzip1q_f32(even, odd);
		two[1] = vzip2q_f32(even, odd);
	}
}

static inline F f_widen_part(enum rstd__format format, const void *p, size_t k)
{
	uint16x4_t h = vdup_n_u16(0);

	memcpy(&h, p, k * sizeof(uint16_t));
	return f_from_halves(format, h);
}

static inline F f_keep(F a, size_t k)
{
	static const uint32_t masks[7] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, 0, 0, 0 };

	return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), vld1q_u32(masks + 3 - k)));
}

static inline V f_low(F a)
{
	return vcvt_f64_f32(vget_low_f32(a));
}

static inline V f_high(F a)
{
	return vcvt_high_f64_f32(a);
}

static inline F f_join(V low, V high)
{
	return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
}

static inline F f_load(const float *p)
{
	return vld1q_f32(p);
}

static inline F f_keep_last(F a, size_t k)
{
	static const uint32_t masks[7] = { 0, 0, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

	return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), vld1q_u32(masks + k - 1)));
}

static inline F f_widen_one(enum rstd__format format, const void *p)
{
	uint16_t half;

	memcpy(&half, p, sizeof(half));
	return f_from_halves(format, vdup_n_u16(half));
}

static inline double f_first(F a)
{
	return (double)vgetq_lane_f32(a, 0);
}

static inline V f_row_sums(const F *a)
{
	const F b = vpaddq_f32(a[0], a[1]);

	return vcvt_f64_f32(vget_low_f32(vpaddq_f32(b, b)));
}

/* ---- Rows to columns ---- */

/* Elements j and j + 1 of two rows. */
static inline F c_pair(enum rstd__format format, const unsigned char *a, const unsigned char *b)
{
	uint16x4_t h0 = vdup_n_u16(0), h1 = h0;
	float32x2_t f0, f1;

	if (format == RSTD__F32) {
		memcpy(&f0, a, sizeof(f0));
		memcpy(&f1, b, sizeof(f1));
		return vcombine_f32(vzip1_f32(f0, f1), vzip2_f32(f0, f1));
	}
	memcpy(&h0, a, 2 * sizeof(uint16_t));
	memcpy(&h1, b, 2 * sizeof(uint16_t));
	return f_from_halves(format, vzip1_u16(h0, h1));
}

/* The last column of an odd number is loaded with the one before it, as nothing beyond the rows is read. */
static inline void c_deal(enum rstd__format format, size_t n, size_t rows, const unsigned char *p, float *c)
{
	const size_t size = rstd__format_info[format].size;
	const unsigned char *const next = rows > 1 ? p + n * size : p;

	for (size_t j = 0; j < n; j += 2) {
		const size_t from = j + 2 <= n ? j : n - 2;

		vst1q_f32(c + 2 * from, c_pair(format, p + from * size, next + from * size));
	}
}

static inline void c_block(enum rstd__format format, const unsigned char *x, const ptrdiff_t *row, float *c)
{
	const size_t size = rstd__format_info[format].size;

	for (size_t j = 0; j < C_BLOCK(size); j += 2)
		vst1q_f32(c + 2 * j, c_pair(format, x + row[0] + j * size, x + row[1] + j * size));
}

#endif
