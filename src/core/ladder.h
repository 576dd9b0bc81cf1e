/*
 * ladder.h - the levels above the first, for the few outputs that fast sums do not settle
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_LADDER_H
#define RSTD_CORE_LADDER_H

#include "core/plan.h"

/* An output that level 0 has left open, its sums about shift, and which of its results are to be settled. */
struct rstd__unsettled {
	uint64_t output;
	double shift, t, q;
	bool y, mean;
};

/* Sets the open ones of *y and *mean to the exact results, rounded to their formats; *levels counts at which level. */
void rstd__settle(const struct rstd_plan *plan, const struct rstd__data *data, const struct rstd__unsettled *u,
                  double *y, double *mean, rstd_level_counts *levels);

/* Reads n elements of an operand along the run, as floats. */
void rstd__load_run(const struct rstd_plan *plan, enum rstd__operand op, const unsigned char *from, size_t n,
                    float *to);

#endif
