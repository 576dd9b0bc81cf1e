/*
 * sums.h - level 0: the sums of a tile of outputs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_SUMS_H
#define RSTD_CORE_SUMS_H

#include <stdalign.h>

#include "core/plan.h"

/* Sums of d = x - shift and of d^2 for each output; with a given mean, t is 0 and q is S. 48 KiB. */
struct rstd__tile {
	size_t outputs;
	size_t index;    /* of the first output in its group (plan->grouped) */
	bool about_zero; /* the shifts of columns or short rows about own means are 0 */
	alignas(64) double shift[RSTD__TILE];
	alignas(64) double t[RSTD__TILE];
	alignas(64) double q[RSTD__TILE];
};

/* Fills tile->outputs and index, and tile->shift as rstd__sum_tile() does for own means. */
void rstd__set_shifts(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t outputs,
                      struct rstd__tile *tile);

/*
 * Fills tile for `outputs` outputs from number `first` on, over runs [run, run_end) of each, run < run_end. They are at
 * most RSTD__TILE for columns, RSTD__TILE_PACKED for other loops.
 */
void rstd__sum_tile(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t outputs,
                    uint64_t run, uint64_t run_end, struct rstd__tile *tile);

/* The same for a plan that is `few`, whole, to arrays of RSTD__FINISH_MAX. */
void rstd__sum_few(const struct rstd_plan *plan, const struct rstd__data *data, double *shift, double *t, double *q);

/*
 * The same, by fine sums, for those outputs from number `first` on that bits of `which` name, side by side in arrays of
 * RSTD__FINISH_MAX; for a plan whose loop is SHORT and whose slices are one run each. Returns how many they are.
 */
size_t rstd__sum_again(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, uint64_t which,
                       double *shift, double *t, double *q);

/*
 * As rstd__sum_tile() over all runs, for those at most RSTD__FINISH_MAX outputs whose places, counted from number
 * `first` on, are listed; for a plan of rstd__plan_some_finely().
 */
void rstd__sum_some(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t count,
                    const size_t *place, struct rstd__tile *tile);

#endif
