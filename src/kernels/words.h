/*
 * words.h - sums of elements of similar size, in machine words
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Elements of similar magnitude are small multiples of one power of two, and their sums are exact in a few machine
 * words. Level 2 and moments add blocks of such elements this way. See docs/numerics.md, "Level 2".
 */
#ifndef RSTD_KERNELS_WORDS_H
#define RSTD_KERNELS_WORDS_H

#include "kernels/exact.h"
#include "kernels/kernels.h"

/* n elements about n given means, or about their own if mean is NULL: integers below 2^width, times 2^unit. */
struct rstd__words {
	const struct rstd__kernels *kernels;
	const float *x, *mean;
	size_t n;
	int unit, width, precision;
};

/* Takes 1 <= n <= RSTD__WORDS_MAX elements of a format, as floats. No sums fit where one of them is not finite. */
void rstd__words_measure(struct rstd__words *w, const struct rstd__kernels *kernels, enum rstd__format format,
                         const float *x, const float *mean, size_t n);

/* Adds the elements to e, as rstd__exact_add() or rstd__exact_add_ssd() does; false where the sums do not fit. */
bool rstd__words_add(const struct rstd__words *w, struct rstd__exact *e);

/*
 * Adds 1 <= n <= RSTD__WORDS_MAX elements of a format to e, whatever they are, as rstd__exact_add() does. They are
 * stored, at any address, in that format or as floats.
 */
void rstd__words_add_any(struct rstd__exact *e, const struct rstd__kernels *kernels, enum rstd__format format,
                         const void *x, enum rstd__format stored, size_t n);

/*
 * Adds the columns of rows <= RSTD__WORDS_ROWS rows of cols <= RSTD__WORDS_COLS elements, row_stride bytes apart, column
 * c to e[c]; false where the sums do not fit.
 */
#define RSTD__WORDS_ROWS 1024
#define RSTD__WORDS_COLS 128
bool rstd__words_add_columns(struct rstd__exact *e, const struct rstd__kernels *kernels, enum rstd__format format,
                             const unsigned char *x, ptrdiff_t row_stride, size_t rows, size_t cols);

/* Elements that are not 0, and are not below this in magnitude, fit beside the largest. */
float rstd__words_least(const struct rstd__words *w);

#endif
