/*
 * reference.h - what the operators must give, from exact integers and, as a check of that, from MPFR
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shares no code with the library. Sums are GMP integers in units of the last place of the smallest element; a result
 * is an integer square root or quotient with more bits than the format, and whether something is left over.
 */
#ifndef RSTD_TESTS_REFERENCE_H
#define RSTD_TESTS_REFERENCE_H

#include <gmp.h>

#include "case_gen.h"

struct ref_sums {
	uint64_t n;
	bool given;                    /* s2 is about a given mean */
	bool has_nan;                  /* a NaN, also one from Inf - Inf about a given mean */
	bool has_pos_inf, has_neg_inf; /* about a given mean: x - mean is infinite */
	long unit;                     /* s1 is in units of 2^unit, s2 in units of 2^(2 unit) */
	mpz_t s1, s2;                  /* sum of x (own mean only), sum of x^2 or (x - mean)^2, of the finite terms */
};

void ref_init(struct ref_sums *r);
void ref_clear(struct ref_sums *r);
/* The sums of a slice of n elements about mean, or about its own mean when that is NULL. */
void ref_slice(struct ref_sums *r, rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n);

/* max(0, n - correction), without overflow. */
uint64_t ref_divisor(uint64_t n, int64_t correction);
/* Bits of the results, rounded once to the dtype; NaN for n = 0. */
uint32_t ref_std(const struct ref_sums *r, uint64_t divisor, rstd_dtype to);
uint32_t ref_invstd(const struct ref_sums *r, float epsilon, rstd_dtype to);
uint32_t ref_mean(const struct ref_sums *r, rstd_dtype to);

/* The same from the elements by MPFR, with thousands of bits; all elements finite and n > 0. */
uint32_t ref_mpfr_std(rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n, uint64_t divisor,
                      rstd_dtype to);
uint32_t ref_mpfr_invstd(rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n, float epsilon,
                         rstd_dtype to);
uint32_t ref_mpfr_mean(rstd_dtype dtype, const uint32_t *x, size_t n, rstd_dtype to);

/*
 * The outputs of a case, computed: out[k] has as many elements as there are slices. x and mean are the elements as
 * generated; mean is NULL unless the operator takes it.
 */
void ref_case(const struct test_case *c, const uint32_t *x, const uint32_t *mean, uint32_t *const out[2]);

#endif
