/*
 * ladder.h - the levels above the first, for the few outputs that fast sums do not settle
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_LADDER_H
#define RSTD_CORE_LADDER_H

#include "core/plan.h"

/*
 * Settles one output. `at` has the offsets of its slice, t and q are the level 0 sums about shift. y and mean get the
 * exact results, rounded to their formats, for the outputs that the plan has; *levels counts who settled them.
 */
void rstd__settle(const struct rstd_plan *plan, const struct rstd__data *data, const struct rstd__walk *at,
                  double shift, double t, double q, double *y, double *mean, rstd_level_counts *levels);

#endif
