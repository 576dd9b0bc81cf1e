/*
 * exact.h - level 2 of the ladder: sums as integers, and results rounded by exact comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A finite binary32 value is an integer times 2^-149, a product of two an integer times 2^-298, so their sums are
 * integers of bounded size: |sum| < 2^(277 + 63) and sum of squares < 2^(556 + 63) for up to 2^63 - 1 terms. Nothing
 * here rounds before the one rounding of the result, and nothing allocates. See docs/numerics.md, "Level 2".
 */
#ifndef RSTD_KERNELS_EXACT_H
#define RSTD_KERNELS_EXACT_H

#include <stdbool.h>

#include "kernels/format.h"

#define RSTD__SUM_LIMBS 6
#define RSTD__SQ_LIMBS  10

/* The sums of the finite elements and the number of the others. A struct of zeros is the empty sum. */
struct rstd__exact {
	uint64_t nan_count, pos_inf_count, neg_inf_count;
	uint64_t sum[RSTD__SUM_LIMBS];   /* sum of x, two's complement, least limb first, unit 2^-149 */
	uint64_t sum_sq[RSTD__SQ_LIMBS]; /* sum of x^2, or of (x - mean)^2; least limb first, unit 2^-298 */
};

/* Adds n elements x to sum and sum_sq, and counts those that are not finite. */
void rstd__exact_add(struct rstd__exact *e, const float *x, size_t n);

/* Adds (x[i] - mean[i])^2 to sum_sq for n elements, all finite. Leaves the rest alone. */
void rstd__exact_add_ssd(struct rstd__exact *e, const float *x, const float *mean, size_t n);

/* Adds sum * 2^unit to sum, and (squares_high * 2^64 + squares_low) * 2^(2 unit) to sum_sq; elements have such sums. */
void rstd__exact_add_sums(struct rstd__exact *e, int unit, int64_t sum, uint64_t squares_high, uint64_t squares_low);

/* into += from. */
void rstd__exact_merge(struct rstd__exact *into, const struct rstd__exact *from);

/*
 * The exact results, rounded once to the format, as a double that the format holds (or 2^overflow and more for Inf).
 * n >= 1 is the number of terms; about_mean says that sum_sq is about a given mean, so that S = sum_sq and sum is not
 * used; otherwise S = sum_sq - sum^2 / n. Only finite elements have been added.
 *
 * rstd__exact_std     sqrt(S / divisor), divisor >= 1
 * rstd__exact_invstd  1 / sqrt(S / n + epsilon), epsilon finite; NaN where S / n + epsilon < 0, +Inf where it is 0
 * rstd__exact_mean    sum / n
 */
double rstd__exact_std(const struct rstd__exact *e, uint64_t n, bool about_mean, uint64_t divisor,
                       enum rstd__format to);
double rstd__exact_invstd(const struct rstd__exact *e, uint64_t n, bool about_mean, float epsilon,
                          enum rstd__format to);
double rstd__exact_mean(const struct rstd__exact *e, uint64_t n, enum rstd__format to);

/* Whether S = 0, that is whether all elements equal their mean. */
bool rstd__exact_is_constant(const struct rstd__exact *e, uint64_t n, bool about_mean);

#endif
