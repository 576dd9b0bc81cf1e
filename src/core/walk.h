/*
 * walk.h - where the elements of all operands lie, loop by loop
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_WALK_H
#define RSTD_CORE_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "rstd/rstd.h"

/* The tensors of a call. GIVEN is the mean of ReduceStdWithMean, MEAN the one that the others give. */
enum rstd__operand { RSTD__X, RSTD__GIVEN, RSTD__Y, RSTD__MEAN, RSTD__OPERANDS };

/* One loop over all operands at once. */
struct rstd__axis {
	int64_t count;
	ptrdiff_t stride[RSTD__OPERANDS]; /* bytes; 0 for operands that are absent or do not have the axis */
};

/* An odometer over some axes, the last one fastest, with the byte offset of every operand. */
struct rstd__walk {
	const struct rstd__axis *axes;
	size_t rank;
	int64_t index[RSTD_MAX_RANK];
	ptrdiff_t offset[RSTD__OPERANDS];
};

/* a / b, and what is left over. Small calls have many of these and mostly a < b, where no division is needed. */
static inline uint64_t rstd__divide(uint64_t a, uint64_t b, uint64_t *rest)
{
	if (a == 0 || a < b) {
		*rest = a;
		return 0;
	}
	*rest = a % b;
	return a / b;
}

static inline uint64_t rstd__divide_up(uint64_t a, uint64_t b)
{
	uint64_t rest;
	const uint64_t quotient = rstd__divide(a, b, &rest);

	return quotient + (rest != 0);
}

/* At position number `position`, row-major. No axis is empty. */
static inline void rstd__walk_start(struct rstd__walk *walk, const struct rstd__axis *axes, size_t rank,
                                    uint64_t position)
{
	walk->axes = axes;
	walk->rank = rank;
	for (int op = 0; op < RSTD__OPERANDS; op++)
		walk->offset[op] = 0;
	for (size_t i = rank; i-- > 0;) {
		uint64_t index;

		position = rstd__divide(position, (uint64_t)axes[i].count, &index);
		walk->index[i] = (int64_t)index;
		for (int op = 0; op < RSTD__OPERANDS; op++)
			walk->offset[op] += axes[i].stride[op] * walk->index[i];
	}
}

/* To the next position; from the last one to the first. */
static inline void rstd__walk_next(struct rstd__walk *walk)
{
	for (size_t i = walk->rank; i-- > 0;) {
		const struct rstd__axis *axis = &walk->axes[i];

		for (int op = 0; op < RSTD__OPERANDS; op++)
			walk->offset[op] += axis->stride[op];
		if (++walk->index[i] < axis->count)
			return;
		for (int op = 0; op < RSTD__OPERANDS; op++)
			walk->offset[op] -= axis->stride[op] * axis->count;
		walk->index[i] = 0;
	}
}

#endif
