/*
 * columns.h - what cols_tmpl.h and short_rows_tmpl.h need of V and of F beside the words of a simd_*.h
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   near      the shifts of all lanes, or of the first k, from doubles; for F they are 16-bit elements, which it holds
 *   near_one  the same shift in all lanes, likewise
 *   pour      adds all lanes, or the first k, to binary64 sums in memory
 */
#ifndef RSTD_KERNELS_COLUMNS_H
#define RSTD_KERNELS_COLUMNS_H

static inline __attribute__((always_inline)) V v_near(const double *shift, size_t k)
{
	return k == VL ? v_load(shift) : v_load_part(shift, k);
}

static inline __attribute__((always_inline)) void v_pour(double *sum, V part, size_t k)
{
	if (k == VL)
		v_store(sum, v_add(v_load(sum), part));
	else
		v_store_part(sum, v_add(v_load_part(sum, k), part), k);
}

static inline V v_near_one(double shift)
{
	return v_set1(shift);
}

#if V_ROUGH
#define FL (2 * VL)

static inline F f_near_one(double shift)
{
	return f_set1((float)shift);
}

static inline __attribute__((always_inline)) F f_near(const double *shift, size_t k)
{
	const V low = v_near(shift, k < VL ? k : VL);
	const V high = k > VL ? v_near(shift + VL, k - VL) : v_set1(0);

	return f_join(low, high);
}

static inline __attribute__((always_inline)) void f_pour(double *sum, F part, size_t k)
{
	v_pour(sum, f_low(part), k < VL ? k : VL);
	if (k > VL)
		v_pour(sum + VL, f_high(part), k - VL);
}
#endif

#endif
