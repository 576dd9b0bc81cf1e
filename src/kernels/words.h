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

/* All finite elements of a format that are in this range are multiples of 2 to this power. */
int rstd__range_unit(enum rstd__format format, const struct rstd__range *range);

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

/* Sums of cols <= RSTD__SPLIT_COLS columns that lie side by side, while all elements fit one unit. */
struct rstd__columns {
	const struct rstd__kernels *kernels;
	enum rstd__format format;
	size_t cols, rows; /* that have been added */
	int unit;
	size_t split_rows; /* of these, those that are not in sums yet */
	struct rstd__split_cols split;
	struct rstd__split sums[RSTD__SPLIT_COLS];
};

void rstd__columns_start(struct rstd__columns *c, const struct rstd__kernels *kernels, enum rstd__format format,
                         size_t cols);

/*
 * Adds rows <= RSTD__SPLIT_ROWS, row_stride bytes apart, which are read twice, and asks the memory for as many after
 * them. false, and nothing is added, where they do not fit beside those that have been added, or among themselves if
 * none have.
 */
bool rstd__columns_add(struct rstd__columns *c, const unsigned char *x, ptrdiff_t row_stride, size_t rows);

/* The rows that have been added; then none have. Their sums can be taken until rows are added again. */
size_t rstd__columns_close(struct rstd__columns *c);

/* Adds the sums of a column to e. */
void rstd__columns_take(const struct rstd__columns *c, size_t column, struct rstd__exact *e);

/* Elements that are not 0, and are not below this in magnitude, fit beside the largest. */
float rstd__words_least(const struct rstd__words *w);

#endif
