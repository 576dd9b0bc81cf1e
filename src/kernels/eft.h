/*
 * eft.h - error-free transformations: the rounding error of one operation, exactly
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Knuth, The Art of Computer Programming 2, 4.2.2 (the sum); Dekker, A floating-point technique for extending the
 * available precision, 1971 (the product). Exact in round-to-nearest, short of overflow and underflow.
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

/* a * b - p, for p = a * b rounded. Each factor is split into halves of 26 bits, whose products are exact. */
static inline double rstd__product_error(double a, double b, double p)
{
	const double splitter = 0x1p27 + 1;
	const double ca = splitter * a, a_high = ca - (ca - a), a_low = a - a_high;
	const double cb = splitter * b, b_high = cb - (cb - b), b_low = b - b_high;

	return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

#endif
