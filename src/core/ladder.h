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

/*
 * Settles count <= RSTD__FINISH_MAX outputs, in ascending order: sets y[i] and mean[i] to the exact results of u[i] that
 * are open, rounded to their formats. *levels counts at which level. y and mean have room as RSTD__LANES says; u is
 * changed.
 */
void rstd__settle(const struct rstd_plan *plan, const struct rstd__data *data, struct rstd__unsettled *u, size_t count,
                  double *y, double *mean, rstd_level_counts *levels);

/* Reads n elements of an operand along the run, as floats. */
void rstd__load_run(const struct rstd_plan *plan, enum rstd__operand op, const unsigned char *from, size_t n,
                    float *to);

#endif
