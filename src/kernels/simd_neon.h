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
#define VL      2
#define V_SPLIT 0
#define V_ROUGH 1

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

static inline void v_narrow(enum rstd__format format, void *p, V a)
{
	const float32x2_t sum = vadd_f32(vcvt_f32_f64(a), vdup_n_f32(0));
	const float32x2_t f = vbsl_f32(vceq_f32(sum, sum), sum, vdup_n_f32(rstd__float_from_bits(0x7FC00000)));
	uint32_t pair = vget_lane_u32(vreinterpret_u32_f16(vcvt_f16_f32(vcombine_f32(f, f))), 0);

	if (format == RSTD__F32) {
		vst1_f32(p, f);
		return;
	}
	if (format == RSTD__BF16)
		pair = vget_lane_u32(vreinterpret_u32_u16(vshrn_n_u32(vreinterpretq_u32_f32(vcombine_f32(f, f)), 16)),
		                     0);
	memcpy(p, &pair, sizeof(pair));
}

static inline unsigned v_less(V a, V b)
{
	const uint64x2_t less = vcltq_f64(a, b);

	return (unsigned)(vgetq_lane_u64(less, 0) & 1) | (unsigned)(vgetq_lane_u64(less, 1) & 2);
}

static inline V v_keep(V a, size_t k)
{
	return k > 1 ? a : k > 0 ? vsetq_lane_f64(0, a, 1) : vdupq_n_f64(0);
}

static inline V v_row_sums(const V *a)
{
	return vpaddq_f64(a[0], a[1]);
}

static inline unsigned v_differ(V a, V b)
{
	const uint64x2_t same = vceqq_f64(a, b);

	return (unsigned)(~vgetq_lane_u64(same, 0) & 1) | (unsigned)(~vgetq_lane_u64(same, 1) & 2);
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

/* ---- Rows to columns ---- */

/* 16-bit elements j and j + 1 of two rows of n elements, which follow each other: those of column j first. */
static inline uint16x4_t f_column_halves(size_t n, size_t j, const unsigned char *p)
{
	uint32_t pair[2];
	uint16x4_t rows;

	memcpy(&pair[0], p + 2 * j, sizeof(pair[0]));
	memcpy(&pair[1], p + 2 * (n + j), sizeof(pair[1]));
	rows = vcreate_u16((uint64_t)pair[1] << 32 | pair[0]);
	return vreinterpret_u16_u32(
		vzip1_u32(vreinterpret_u32_u16(vuzp1_u16(rows, rows)), vreinterpret_u32_u16(vuzp2_u16(rows, rows))));
}

/* The last column of an odd number is loaded with the one before it, as nothing beyond the rows is read. */
static inline void f_deal(enum rstd__format format, size_t n, const unsigned char *p, F *c)
{
	for (size_t j = 0; j + 2 <= n; j += 2)
		c[j / 2] = f_from_halves(format, f_column_halves(n, j, p));
	if (n % 2 > 0)
		c[n / 2] = f_from_halves(format, vext_u16(f_column_halves(n, n - 2, p), vdup_n_u16(0), 2));
}

static inline void v_deal(enum rstd__format format, size_t n, const unsigned char *p, V *c)
{
	for (size_t j = 0; j < n; j += 2) {
		const size_t from = j + 2 <= n ? j : n - 2;

		if (format == RSTD__F32) {
			float32x2_t a, b;

			memcpy(&a, p + 4 * from, sizeof(a));
			memcpy(&b, p + 4 * (n + from), sizeof(b));
			c[from] = vcvt_f64_f32(vzip1_f32(a, b));
			c[from + 1] = vcvt_f64_f32(vzip2_f32(a, b));
		} else {
			const F pair = f_from_halves(format, f_column_halves(n, from, p));

			c[from] = f_low(pair);
			c[from + 1] = f_high(pair);
		}
	}
}

#endif
