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

static inline V v_product_error(V a, V b, V p)
{
	return vfmaq_f64(vnegq_f64(p), a, b);
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

static inline int v_any_less(V a, V b)
{
	const uint64x2_t less = vcltq_f64(a, b);

	return (vgetq_lane_u64(less, 0) | vgetq_lane_u64(less, 1)) != 0;
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

#endif
