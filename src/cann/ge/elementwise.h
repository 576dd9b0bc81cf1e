/*
 * elementwise.h - operators that make each element of the output from one element of each input
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_ELEMENTWISE_H
#define RSTD_CANN_GE_ELEMENTWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rstd/rstd.h"

enum rstd__elementwise_op {
	RSTD__OP_COPY, /* of any dtype with whole bytes */
	RSTD__OP_CAST,
	RSTD__OP_ADD,
	RSTD__OP_SUB,
	RSTD__OP_MUL,
	RSTD__OP_DIV,
	RSTD__OP_SQRT,
	RSTD__OP_RSQRT,
	RSTD__OP_ADD_SCALAR,
	RSTD__OP_MUL_SCALAR,
};

/* One loop over an output without gaps, and inputs with any strides. */
struct rstd__elementwise {
	enum rstd__elementwise_op op;
	int32_t from, to; /* dtypes of the inputs and of the output; they differ for CAST alone */
	float scalar;
	/* set by rstd__elementwise_prepare() */
	size_t rank;
	int64_t dims[RSTD_MAX_RANK];
	int64_t strides[2][RSTD_MAX_RANK]; /* of the inputs, in elements */
};

/* Whether op computes on dtype `from` (and, for CAST, gives `to`). */
bool rstd__elementwise_supports(enum rstd__elementwise_op op, int32_t from, int32_t to);

/* Takes the output's dims and the inputs' strides on them (those of one input twice), and merges what walks as one. */
void rstd__elementwise_prepare(struct rstd__elementwise *e, size_t rank, const int64_t *dims, const int64_t *a,
                               const int64_t *b);

/*
 * Every result is that of the stored inputs, rounded once to the dtype of the output. Integers wrap around; an integer
 * quotient is truncated, and 0 where the divisor is 0; Cast to an integer truncates and saturates, NaN giving 0.
 * b is not read by operators of one input. y overlaps no input.
 */
void rstd__elementwise_run(const struct rstd__elementwise *e, const void *a, const void *b, void *y);

#endif
