/*
 * ladder.h - the levels above the first, for the few outputs that fast sums do not settle
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_LADDER_H
#define RSTD_CORE_LADDER_H

#include "core/sums.h"

/*
 * A power of two of which all elements of a tile are multiples, for outputs whose sums turn out to be exact: it is
 * looked for where many of them are open. first is the number of the tile's first output.
 */
struct rstd__look {
	const struct rstd__tile *tile;
	uint64_t first;
	bool done;
	double grain; /* that was found; 0 if none was */
};

/*
 * Outputs that level 0 has summed about shift, count <= RSTD__FINISH_MAX from number `first` on, or at these places from
 * there, in ascending order, and which of their results it has left open. The arrays have room as RSTD__LANES says.
 */
struct rstd__unsettled {
	uint64_t first;
	const size_t *place; /* NULL: one after the other */
	size_t count;
	const double *shift, *t, *q;
	struct rstd__open open;
	struct rstd__look *look; /* at the tile that the sums are of; NULL if they are of no tile */
};

/*
 * Settles these: sets y[i] and mean[i] to the exact results of output i that are open, rounded to their formats. *levels,
 * where they count as level 0, counts at which level. u is changed.
 */
void rstd__settle(const struct rstd_plan *plan, const struct rstd__data *data, struct rstd__unsettled *u, double *y,
                  double *mean, rstd_level_counts *levels);

/* Reads n elements of an operand along the run, as floats. */
void rstd__load_run(const struct rstd_plan *plan, enum rstd__operand op, const unsigned char *from, size_t n,
                    float *to);

#endif
