/*
 * eft.h - an error-free transformation: the rounding error of an addition, exactly
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Knuth, The Art of Computer Programming 2, 4.2.2. Exact in round-to-nearest, short of overflow.
 */
#ifndef RSTD_KERNELS_EFT_H
#define RSTD_KERNELS_EFT_H

/* a + b - s, for s = a + b rounded. */
static inline double rstd__sum_error(double a, double b, double s)
{
	const double b_seen = s - a, a_seen = s - b_seen;

	return (a - a_seen) + (b - b_seen);
}

/*
 * A sum in two parts (Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974): *sum as
 * ordinary addition gives it, *low what that rounded away.
 */
static inline void rstd__sum_add(double *sum, double *low, double part)
{
	const double s = *sum + part;

	*low += rstd__sum_error(*sum, part, s);
	*sum = s;
}

/* The two parts in one. low is NaN when sum is Inf, which then is the answer. */
static inline double rstd__sum_close(double sum, double low)
{
	const double s = sum + low;

	return s == s ? s : sum;
}

#endif
