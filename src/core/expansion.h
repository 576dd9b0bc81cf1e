/*
 * expansion.h - exact sums of a few doubles, to find the sign of an expression without rounding
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates, 1997: a sum is kept as
 * terms that do not overlap, by rising magnitude. Exact short of overflow and underflow; the callers say why there is
 * none.
 */
#ifndef RSTD_CORE_EXPANSION_H
#define RSTD_CORE_EXPANSION_H

#include <stddef.h>

#include "kernels/eft.h"

#define RSTD__EXPANSION_MAX 48

struct rstd__expansion {
	size_t terms; /* none of them 0 */
	double term[RSTD__EXPANSION_MAX];
};

/* e += a. Each call adds at most one term. */
static inline void rstd__expansion_add(struct rstd__expansion *e, double a)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->terms; i++) {
		const double s = a + e->term[i], error = rstd__sum_error(a, e->term[i], s);

		if (error != 0)
			e->term[kept++] = error;
		a = s;
	}
	if (a != 0)
		e->term[kept++] = a;
	e->terms = kept;
}

/* e += a * b: at most two terms. */
static inline void rstd__expansion_add_product(struct rstd__expansion *e, double a, double b)
{
	const double p = a * b;

	rstd__expansion_add(e, rstd__product_error(a, b, p));
	rstd__expansion_add(e, p);
}

/* e += a * b * c, for b * c that a double may not hold: at most four terms. */
static inline void rstd__expansion_add_product3(struct rstd__expansion *e, double a, double b, double c)
{
	const double p = b * c;

	rstd__expansion_add_product(e, a, rstd__product_error(b, c, p));
	rstd__expansion_add_product(e, a, p);
}

/* e *= a: at most twice as many terms. */
static inline void rstd__expansion_scale(struct rstd__expansion *e, double a)
{
	const struct rstd__expansion old = *e;

	e->terms = 0;
	for (size_t i = 0; i < old.terms; i++)
		rstd__expansion_add_product(e, a, old.term[i]);
}

/* The value, with a relative error below 2^-50, and of the right sign. */
static inline double rstd__expansion_value(const struct rstd__expansion *e)
{
	double value = 0;

	for (size_t i = 0; i < e->terms; i++)
		value += e->term[i];
	return value;
}

#endif
