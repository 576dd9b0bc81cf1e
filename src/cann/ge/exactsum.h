/*
 * exactsum.h - sums and variances, rounded once, one slice at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * rstd.h gives means and standard deviations. The variance is not the square of a rounded standard deviation, and a sum
 * is no mean; both come from the exact integers of rstd_moments.
 */
#ifndef RSTD_CANN_GE_EXACTSUM_H
#define RSTD_CANN_GE_EXACTSUM_H

#include "rstd/rstd.h"

/* A reduction of x: where its slices lie, and the axes within one. */
struct rstd__slices {
	rstd_tensor slice; /* the reduced axes; its data is set for each slice in turn */
	size_t kept;       /* number of kept axes */
	int64_t dims[RSTD_MAX_RANK], strides[RSTD_MAX_RANK]; /* of the kept axes */
	size_t count;                                        /* of slices */
};

/* bit a of axes is set when axis a is reduced; x has at most INT64_MAX elements. */
void rstd__slices_init(struct rstd__slices *s, const rstd_tensor *x, uint64_t axes);

/* y: count elements of x's dtype. Without elements a sum is 0. */
rstd_status rstd__sums(const struct rstd__slices *s, const void *x, void *y);

/* var = S / max(0, N - correction), about the own mean; var, mean: count elements of x's dtype; either may be NULL. */
rstd_status rstd__variances(const struct rstd__slices *s, const void *x, int64_t correction, void *var, void *mean);

/*
 * var = S / max(0, N - correction), S = sum (x - mean)^2 about a mean that is given for each element: mean_slices is
 * that of a tensor of x's dtype and shape over the same axes. NaN and Inf follow IEEE, as in the standard deviation.
 */
void rstd__variances_about(const struct rstd__slices *s, const void *x, const struct rstd__slices *mean_slices,
                           const void *mean, int64_t correction, void *var);

/* For tests: the two results from the state of one slice, as doubles that the dtype holds, or NaN, or Inf. */
double rstd__moments_sum(const rstd_moments *m, rstd_dtype dtype);
double rstd__moments_variance(const rstd_moments *m, int64_t correction, rstd_dtype dtype);

#endif
