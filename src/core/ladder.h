/*
 * ladder.h - the levels above the first, for the few outputs that fast sums do not settle
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_LADDER_H
#define RSTD_CORE_LADDER_H

#include "core/plan.h"

/*
 * Settles output number `output`, whose level 0 sums about shift are t and q. y and mean get the
 * exact results, rounded to their formats, for the outputs that the plan has; *levels counts who settled them.
 */
void rstd__settle(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t output, double shift, double t,
                  double q, double *y, double *mean, rstd_level_counts *levels);

#endif
