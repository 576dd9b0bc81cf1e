/*
 * plan.h - what a plan holds: decisions, no data
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_PLAN_H
#define RSTD_CORE_PLAN_H

#include "core/walk.h"
#include "kernels/kernels.h"
#include "rstd/rstd.h"
#include "runtime/fpmode.h"

/*
 * The loop shapes. "Run" is the inner loop over reduced elements, the last axis of plan->reduced.
 *   ROWS    one output at a time, the run along contiguous memory (or packed, a few KiB at a time, on the stack)
 *   SHORT   a tile of outputs, each with a short contiguous run, several side by side
 *   COLS    a tile of outputs that lie side by side in x, the run from row to row
 *   PACKED  a tile of any outputs, the run packed into rows a few KiB at a time, then summed as COLS; or, grouped,
 *           summed as COLS where they are, one group of outputs side by side after the other
 */
enum rstd__loop { RSTD__ROWS, RSTD__SHORT, RSTD__COLS, RSTD__PACKED };

/*
 * The most outputs that a tile has: many for columns, which then read long stretches of each row, and where one loop of
 * the kernels does all of it (`quick`); else enough.
 */
#define RSTD__TILE        2048
#define RSTD__TILE_PACKED 256

/* Elements that are packed at a time: 8 KiB of float32 for x and as much for a mean. */
#define RSTD__PACK_ELEMENTS 2048

struct rstd_plan {
	const struct rstd__kernels *kernels;
	const struct rstd__sums *sums; /* of these, the fine or the rough ones */
	int threads;

	/* what is computed */
	const char *const *name; /* of the operands, in messages */
	bool present[RSTD__OPERANDS];
	enum rstd__format format[RSTD__OPERANDS]; /* of the operands that are present */
	uint64_t n;                               /* elements in a slice */
	uint64_t divisor;                         /* of S, for a standard deviation */
	bool invert;
	float epsilon;
	double empty_mean; /* the own mean of a slice without elements */

	/* where the operands lie: kept axes first, then reduced ones, each from the outermost to the innermost */
	uint64_t outputs;
	size_t kept_rank, reduced_rank; /* >= 1 unless there is nothing to sum; the run is the last reduced axis */
	struct rstd__axis kept[RSTD_MAX_RANK], reduced[RSTD_MAX_RANK];
	ptrdiff_t origin[RSTD__OPERANDS]; /* bytes from an operand's data to where its loops start */
	bool in_line[RSTD__OPERANDS];     /* all outputs lie as far apart as those of the innermost kept axis */
	ptrdiff_t below[RSTD__OPERANDS];  /* from there down to its lowest byte, */
	ptrdiff_t above[RSTD__OPERANDS];  /* and up to the one past its highest byte */

	/* how it is computed */
	enum rstd__loop loop;
	int64_t run_length; /* the most elements of the run that are summed at a time */
	uint64_t pieces;    /* of at most run_length that the run axis consists of, */
	uint64_t runs;      /* and those that a whole slice consists of */
	bool grouped;       /* a PACKED loop goes from one innermost kept axis to the next, and packs nothing */
	size_t fold;        /* rows that count as one wider row, to fill vectors when there are few columns */
	size_t tile;        /* outputs in a unit of work */
	uint64_t span;      /* outputs that tiles divide: all, or those of the innermost kept axis */
	uint64_t tiles;     /* that a span consists of */
	uint64_t units;     /* tiles in all */
	uint64_t parts;     /* pieces that the runs of each unit are divided into, for more threads than units */
	bool quick;         /* standard deviations of short rows a stride apart, each one run, side by side in y */
	bool few; /* not quick, but at once: RSTD__FINISH_MAX contiguous rows or fewer, each one run, a stride apart */
	struct rstd__finish finish;
	struct rstd__finish again; /* the same for fine sums, of short rows whose sums are rough */
};

rstd_status rstd__check_correction(int64_t correction);

/* max(0, n - correction), for a correction that has been checked. */
static inline uint64_t rstd__divisor(uint64_t n, int64_t correction)
{
	return n > (uint64_t)correction ? n - (uint64_t)correction : 0;
}

/*
 * The three constructors, on a plan that the caller provides. They check everything but data. Like the execution, they
 * calculate, and so are called in the default floating-point mode.
 */
RSTD__FP_BODY rstd_status rstd__plan_reduce(struct rstd_plan *plan, const rstd_tensor *x, const rstd_tensor *mean,
                                            const rstd_reduce_attrs *attrs, const rstd_tensor *y);
RSTD__FP_BODY rstd_status rstd__plan_std_mean(struct rstd_plan *plan, const rstd_tensor *x, const int64_t *dim,
                                              size_t dim_count, int64_t correction, bool keepdim,
                                              const rstd_tensor *std, const rstd_tensor *mean);
RSTD__FP_BODY rstd_status rstd__plan_batch_norm(struct rstd_plan *plan, const rstd_tensor *x, double eps,
                                                const rstd_tensor *mean, const rstd_tensor *invstd);

/*
 * The data pointers of the operands, as the caller gave them. They are checked, and moved to where the loops start, by
 * rstd__plan_check_data(), which fails with NULL_POINTER, ARGUMENT or OVERLAP.
 */
struct rstd__data {
	const unsigned char *in[RSTD__Y];   /* X and GIVEN */
	unsigned char *out[RSTD__OPERANDS]; /* Y and MEAN */
};
rstd_status rstd__plan_check_data(const struct rstd_plan *plan, struct rstd__data *data);

/*
 * For outputs that rough sums leave open: the same plan with fine sums; and one for rstd__sum_some(), which sums so many
 * outputs of a tile, wherever they lie, without the rest of it.
 */
void rstd__plan_finely(struct rstd_plan *fine, const struct rstd_plan *plan);
void rstd__plan_some_finely(struct rstd_plan *fine, const struct rstd_plan *plan, size_t outputs);

/* How many outputs a unit has, and the first of them. */
static inline size_t rstd__unit_outputs(const struct rstd_plan *plan, uint64_t unit, uint64_t *first)
{
	uint64_t tile;
	const uint64_t span = rstd__divide(unit, plan->tiles, &tile), left = plan->span - tile * plan->tile;

	*first = span * plan->span + tile * plan->tile;
	return left < plan->tile ? (size_t)left : plan->tile;
}

/* Where a part of a range begins that is divided into equal ones, as far as it goes. */
static inline uint64_t rstd__part_start(uint64_t length, uint64_t parts, uint64_t part)
{
	uint64_t longer;
	const uint64_t share = rstd__divide(length, parts, &longer);

	return share * part + (part < longer ? part : longer);
}

/* Does the arithmetic, on checked data; workspace as rstd_plan_workspace_size() says. */
RSTD__FP_BODY void rstd__plan_execute(const struct rstd_plan *plan, const struct rstd__data *data, void *workspace);

#endif
