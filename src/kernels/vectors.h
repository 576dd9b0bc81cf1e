/*
 * vectors.h - what rows_tmpl.h, short_rows_tmpl.h and cols_tmpl.h need of V and of F beside the words of a simd_*.h
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   near      the shifts of all lanes, or of the first k, from doubles; for F they are 16-bit elements, which it holds
 *   near_one  the same shift in all lanes, likewise
 *   pour      adds all lanes, or the first k, to binary64 sums in memory
 *   empty     adds ROW_ACCS vectors to the lanes of a pair of binary64 vectors
 *
 * and what the kernels of rows and of columns sum.
 */
#ifndef RSTD_KERNELS_VECTORS_H
#define RSTD_KERNELS_VECTORS_H

/* What the differences are from: nothing, a shift for each row or column, or a mean for each element. */
enum about { ABOUT_ZERO, ABOUT_SHIFT, ABOUT_EACH };

/* The most vectors of columns that are summed together. */
#define COLS_MOST 4

/* The rows that come next, how far on those are that are to be asked for, and the shifts and the sums of the columns. */
struct cols {
	const unsigned char *x, *mean;
	ptrdiff_t x_stride, mean_stride, x_ahead, mean_ahead;
	bool soon; /* a group of rows is small enough for the next one to wait in the first cache */
	const double *shift;
	double *t, *q;
};

/* The most bytes of such a group. */
#define COLS_SOON 16384

static inline void cols_ask_for(const struct cols *cols, const unsigned char *p, ptrdiff_t ahead)
{
	if (cols->soon)
		rstd__ask_for_soon(p, ahead);
	else
		rstd__ask_for(p, ahead);
}

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

/* The sums of a long row that are in flight, to cover the latency of an addition. */
#define ROW_ACCS 4

/* The elements of a long row after which they are emptied, so that chains stay short. */
#define ROW_BLOCK 4096

static inline void v_empty(const V *acc, V *sum)
{
	sum[0] = v_add(sum[0], v_add(v_add(acc[0], acc[1]), v_add(acc[2], acc[3])));
}

/* The sum of such a pair. */
static inline double v_total(const V *sum)
{
	double lanes[VL], total = 0;

	v_store(lanes, v_add(sum[0], sum[1]));
	for (size_t i = 0; i < VL; i++)
		total += lanes[i];
	return total;
}

#if V_ROUGH
#define FL          (2 * VL)
#define ROUGH_TURNS 16 /* of vectors, between two emptyings of rough sums */
#define ROUGH_BLOCK (ROUGH_TURNS * ROW_ACCS * FL)

static inline void f_empty(const F *acc, V *sum)
{
	const F total = f_add(f_add(acc[0], acc[1]), f_add(acc[2], acc[3]));

	sum[0] = v_add(sum[0], f_low(total));
	sum[1] = v_add(sum[1], f_high(total));
}

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
