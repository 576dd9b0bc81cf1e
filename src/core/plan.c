/*
 * plan.c - making a plan: check everything, collapse the axes, choose the loop shape and the split over threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/plan.h"

#include <inttypes.h>
#include <math.h>

#include "core/overlap.h"
#include "core/settings.h"
#include "core/shape.h"
#include "core/tensor.h"
#include "runtime/error.h"
#include "runtime/threads.h"

/* ---- Check --------------------------------------------------------------------------------------------------- */

/* A call on its way to a plan: its tensors, by operand, and the names they have in messages. */
struct request {
	const rstd_tensor *tensor[RSTD__OPERANDS]; /* NULL: absent */
	const char *const *name;
	bool keepdim;
	bool reduced[RSTD_MAX_RANK]; /* set by the checks */
};

/* The names that the operands of each operator have. */
static const char *const reduce_names[RSTD__OPERANDS] = { "x", "mean", "y", "mean" };
static const char *const std_mean_names[RSTD__OPERANDS] = { "x", "given", "std", "mean" };
static const char *const batch_norm_names[RSTD__OPERANDS] = { "x", "given", "invstd", "mean" };

static rstd_status check_same_dtype(const struct request *r, enum rstd__operand op)
{
	const rstd_dtype dtype = r->tensor[op]->dtype, wanted = r->tensor[RSTD__X]->dtype;

	if (dtype == wanted)
		return RSTD_OK;
	return rstd__fail(RSTD_ERROR_DTYPE, "%s: dtype is %s, allowed is that of %s, %s", r->name[op],
	                  rstd__dtype_name(dtype), r->name[RSTD__X], rstd__dtype_name(wanted));
}

static rstd_status check_same_shape(const struct request *r, enum rstd__operand op, const int64_t *shape, size_t rank)
{
	const rstd_tensor *t = r->tensor[op];
	struct rstd__shape_text is, allowed;
	bool same = t->rank == rank;

	for (size_t i = 0; i < rank && same; i++)
		same = t->shape[i] == shape[i];
	if (same)
		return RSTD_OK;
	return rstd__fail(RSTD_ERROR_SHAPE, "%s: shape is %s, allowed is %s", r->name[op],
	                  rstd__shape_text(&is, t->shape, t->rank), rstd__shape_text(&allowed, shape, rank));
}

rstd_status rstd__check_correction(int64_t correction)
{
	if (correction >= 0)
		return RSTD_OK;
	return rstd__fail(RSTD_ERROR_CORRECTION, "correction: is %" PRId64 ", allowed are 0 and more", correction);
}

static void add_axes(struct rstd__region *r, const struct rstd__axis *axes, size_t rank, enum rstd__operand op)
{
	for (size_t i = 0; i < rank; i++) {
		if (axes[i].count == 1) /* put in for the loops, not one of the tensor's */
			continue;
		r->count[r->rank] = axes[i].count;
		r->stride[r->rank++] = axes[i].stride[op];
	}
}

/* The region of memory of an operand, once its loops are known. */
static void set_region(struct rstd__region *r, const struct rstd_plan *plan, enum rstd__operand op, uintptr_t start)
{
	r->start = start;
	r->size = rstd__format_info[plan->format[op]].size;
	r->rank = 0;
	add_axes(r, plan->kept, plan->kept_rank, op);
	if (op < RSTD__Y)
		add_axes(r, plan->reduced, plan->reduced_rank, op);
}

/*
 * Whether each kept axis of an output steps over all that the axes inside of it reach. Most outputs do, and then no two of
 * their elements share a byte.
 */
static bool steps_over_itself(const struct rstd_plan *plan, enum rstd__operand op)
{
	ptrdiff_t reach = (ptrdiff_t)rstd__format_info[plan->format[op]].size;

	for (size_t i = plan->kept_rank; i-- > 0;) {
		const ptrdiff_t stride = plan->kept[i].stride[op], step = stride < 0 ? -stride : stride;

		if (plan->kept[i].count > 1 && step < reach)
			return false;
		reach += step * (plan->kept[i].count - 1);
	}
	return true;
}

static rstd_status check_outputs_apart(const struct rstd_plan *plan)
{
	for (enum rstd__operand op = RSTD__Y; op < RSTD__OPERANDS; op++) {
		struct rstd__region region;

		if (!plan->present[op] || plan->outputs == 0 || steps_over_itself(plan, op))
			continue;
		set_region(&region, plan, op, 0);
		if (rstd__overlaps_itself(&region))
			return rstd__fail(
				RSTD_ERROR_OVERLAP,
				"%s: its strides put two elements in the same place, allowed are strides that do "
				"not",
				plan->name[op]);
	}
	return RSTD_OK;
}

/* ---- Collapse ------------------------------------------------------------------------------------------------ */

/*
 * The loops over x, one for each axis that is not of length 1, kept and reduced ones apart, each operand with its own
 * stride. The strides of an empty view may be anything, and are not used; so the product may wrap.
 */
static void collect_axes(struct rstd_plan *plan, const struct request *r)
{
	const rstd_tensor *x = r->tensor[RSTD__X];
	size_t out_axis = 0;

	for (size_t i = 0; i < x->rank; i++) {
		size_t *rank = r->reduced[i] ? &plan->reduced_rank : &plan->kept_rank;
		struct rstd__axis *axis = r->reduced[i] ? &plan->reduced[*rank] : &plan->kept[*rank];

		axis->count = x->shape[i];
		for (enum rstd__operand op = RSTD__X; op < RSTD__OPERANDS; op++) {
			const size_t at = op < RSTD__Y ? i : out_axis, size = rstd__format_info[plan->format[op]].size;

			axis->stride[op] = r->tensor[op] && (op < RSTD__Y || !r->reduced[i])
			                           ? (ptrdiff_t)((size_t)r->tensor[op]->strides[at] * size)
			                           : 0;
		}
		*rank += axis->count != 1;
		out_axis += !r->reduced[i] || r->keepdim;
	}
}

/* Walks each axis so that x goes up in memory: the order of elements is free, and so is that of outputs. */
static void flip_axes(struct rstd_plan *plan, struct rstd__axis *axes, size_t rank)
{
	for (size_t i = 0; i < rank; i++) {
		struct rstd__axis *axis = &axes[i];
		const ptrdiff_t *stride = axis->stride;

		if (stride[RSTD__X] > 0 || (stride[RSTD__X] == 0 && stride[RSTD__GIVEN] >= 0))
			continue;
		for (int op = 0; op < RSTD__OPERANDS; op++) {
			plan->origin[op] += axis->stride[op] * (axis->count - 1);
			axis->stride[op] = -axis->stride[op];
		}
	}
}

static bool is_outer(const struct rstd__axis *a, const struct rstd__axis *b)
{
	if (a->stride[RSTD__X] != b->stride[RSTD__X])
		return a->stride[RSTD__X] > b->stride[RSTD__X];
	return a->stride[RSTD__GIVEN] > b->stride[RSTD__GIVEN];
}

/* By falling stride of x, so that the innermost loop is the one that stays closest in memory. */
static void sort_axes(struct rstd__axis *axes, size_t rank)
{
	for (size_t i = 1; i < rank; i++) {
		const struct rstd__axis axis = axes[i];
		size_t j = i;

		for (; j > 0 && is_outer(&axis, &axes[j - 1]); j--)
			axes[j] = axes[j - 1];
		axes[j] = axis;
	}
}

static bool walks_as_one(const struct rstd__axis *outer, const struct rstd__axis *inner)
{
	for (int op = 0; op < RSTD__OPERANDS; op++)
		if (outer->stride[op] != inner->stride[op] * inner->count)
			return false;
	return true;
}

/* Merges neighbours that walk memory as one; returns the rank that is left. */
static size_t merge_axes(struct rstd__axis *axes, size_t rank)
{
	size_t left = 0;

	for (size_t i = 0; i < rank; i++) {
		if (left > 0 && walks_as_one(&axes[left - 1], &axes[i])) {
			const int64_t count = axes[left - 1].count * axes[i].count;

			axes[left - 1] = axes[i];
			axes[left - 1].count = count;
		} else {
			if (left < i)
				axes[left] = axes[i];
			left++;
		}
	}
	return left;
}

static void collapse(struct rstd_plan *plan)
{
	flip_axes(plan, plan->kept, plan->kept_rank);
	flip_axes(plan, plan->reduced, plan->reduced_rank);
	sort_axes(plan->kept, plan->kept_rank);
	sort_axes(plan->reduced, plan->reduced_rank);
	plan->kept_rank = merge_axes(plan->kept, plan->kept_rank);
	plan->reduced_rank = merge_axes(plan->reduced, plan->reduced_rank);
	if (plan->kept_rank == 0) /* one output, or slices of one element, still are a loop */
		plan->kept[plan->kept_rank++] = (struct rstd__axis){ .count = 1 };
	if (plan->reduced_rank == 0)
		plan->reduced[plan->reduced_rank++] = (struct rstd__axis){
			.count = 1,
			.stride = { [RSTD__X] = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size },
		};
}

/* Whether an operand of the plan has elements; outputs have some where there is one. */
static bool has_elements(const struct rstd_plan *plan, enum rstd__operand op)
{
	return plan->present[op] && plan->outputs > 0 && (op >= RSTD__Y || plan->n > 0);
}

static void add_reach(const struct rstd__axis *axes, size_t rank, enum rstd__operand op, ptrdiff_t *below,
                      ptrdiff_t *above)
{
	for (size_t i = 0; i < rank; i++) {
		const ptrdiff_t reach = axes[i].stride[op] * (axes[i].count - 1);

		if (reach < 0)
			*below -= reach;
		else
			*above += reach;
	}
}

/* Whether all outputs are steps of the innermost kept axis apart in an operand. */
static bool lie_in_line(const struct rstd_plan *plan, enum rstd__operand op)
{
	for (size_t i = 0; i + 1 < plan->kept_rank; i++)
		if (plan->kept[i].stride[op] != plan->kept[i + 1].stride[op] * plan->kept[i + 1].count)
			return false;
	return true;
}

/* How far the operands that have elements reach from where their loops start. */
static void measure_reach(struct rstd_plan *plan)
{
	for (enum rstd__operand op = RSTD__X; op < RSTD__OPERANDS; op++) {
		ptrdiff_t below = 0, above = (ptrdiff_t)rstd__format_info[plan->format[op]].size;

		if (!plan->present[op])
			continue;
		if (has_elements(plan, op)) {
			add_reach(plan->kept, plan->kept_rank, op, &below, &above);
			add_reach(plan->reduced, plan->reduced_rank, op, &below, &above);
		}
		plan->in_line[op] = lie_in_line(plan, op);
		plan->below[op] = below;
		plan->above[op] = above;
	}
}

/* ---- Choose -------------------------------------------------------------------------------------------------- */

#define ROW_MIN          32               /* shorter strided runs are packed side by side, one to a lane */
#define ONE_SHORT        64               /* a single row is summed as a short one, whose calls cost less, up to this */
#define SHORT_FEW        256              /* and rows that do not fill a vector of them, or have means of their own */
#define SHORT_FINE       511              /* longer ones gain by it where sums are rough, or plans quick */
#define ROW_TILE         RSTD__FINISH_MAX /* rows that are finished together */
#define COLS_MIN         16               /* fewer outputs side by side are packed, unless the rows are dense; */
#define COLS_WIDE        64               /* fewer than these are packed, too, if the run is shorter than */
#define COLS_LONG        128              /* this, since a tile that small spends its time on itself */
#define COLS_RUN_MIN     8                /* shorter runs give way to a longer axis */
#define COLS_FOLD        48               /* fewer columns are folded: several rows count as one wider row, */
#define COLS_FOLD_MAX    128              /* of this width at most, a multiple of VECTOR where it can be */
#define FOLD_TURNS       8                /* if there are so many of these wider rows at least */
#define GROUP_MIN        4                /* as many outputs side by side, and */
#define GROUP_ELEMENTS   32               /* so many of their elements, are worth a call of their own */
#define VECTOR           16               /* columns that every vector divides */
#define PARALLEL_BYTES   (2u << 20)       /* with less input than this one thread is faster than waking another */
#define UNITS_PER_THREAD 4                /* so that a thread that starts late or runs slowly costs little */

static void move_to_end(struct rstd__axis *axes, size_t rank, size_t i)
{
	const struct rstd__axis axis = axes[i];

	for (; i + 1 < rank; i++)
		axes[i] = axes[i + 1];
	axes[rank - 1] = axis;
}

/* Columns want long runs: if the innermost reduced axis is short, the longest one runs. */
static void choose_column_run(struct rstd_plan *plan)
{
	size_t longest = plan->reduced_rank - 1;

	if (plan->reduced[longest].count >= COLS_RUN_MIN)
		return;
	for (size_t i = 0; i < plan->reduced_rank; i++)
		if (plan->reduced[i].count > plan->reduced[longest].count)
			longest = i;
	move_to_end(plan->reduced, plan->reduced_rank, longest);
}

/* Whether the given mean differs between the elements of a slice. */
static bool mean_varies(const struct rstd_plan *plan)
{
	for (size_t i = 0; i < plan->reduced_rank; i++)
		if (plan->reduced[i].stride[RSTD__GIVEN] != 0)
			return true;
	return false;
}

/* Whether outputs along an axis are next to each other in x, and in a mean that varies. */
static bool lie_together(const struct rstd_plan *plan, const struct rstd__axis *side)
{
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;

	return side->stride[RSTD__X] == size && (!mean_varies(plan) || side->stride[RSTD__GIVEN] == size);
}

/* Whether rows of x, and of a mean that varies, follow each other without a gap. */
static bool is_dense(const struct rstd_plan *plan, const struct rstd__axis *run, const struct rstd__axis *side)
{
	const ptrdiff_t row = side->count * (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;

	return run->stride[RSTD__X] == row && (!mean_varies(plan) || run->stride[RSTD__GIVEN] == row);
}

/* Shorter slices cost more to sum again, where rough sums leave them open, than rough sums save. */
#define ROUGH_MIN 32

/* Rough sums do for 16-bit results of 16-bit data, but not for a mean, which may be small beside the elements. */
static bool may_be_rough(const struct rstd_plan *plan)
{
	return plan->n >= ROUGH_MIN && plan->format[RSTD__Y] != RSTD__F32 && !plan->present[RSTD__MEAN] &&
	       plan->kernels->rough.row_moments[plan->format[RSTD__X]];
}

/* Short rows may have them if they are all of their slices, so that what is left open can be summed at once. */
static bool may_be_rough_and_short(const struct rstd_plan *plan)
{
	return may_be_rough(plan) && plan->reduced_rank == 1 && !mean_varies(plan);
}

/* Whether the kernels have a loop for all of a plan, if its loop is SHORT: std in kernels.h. */
static bool may_be_quick(const struct rstd_plan *plan)
{
	return plan->kept_rank == 1 && plan->reduced_rank == 1 && plan->divisor > 0 && !plan->invert &&
	       !plan->present[RSTD__GIVEN] && !plan->present[RSTD__MEAN] &&
	       (plan->outputs == 1 ||
	        plan->kept[0].stride[RSTD__Y] == (ptrdiff_t)rstd__format_info[plan->format[RSTD__Y]].size);
}

/* The most elements of a contiguous run whose rows are better summed side by side than one by one. */
static int64_t short_max(const struct rstd_plan *plan)
{
	const int64_t rough = (int64_t)plan->kernels->rough_step * RSTD__ROUGH_SHORT_TURNS;

	if (plan->outputs < RSTD__LANES || mean_varies(plan))
		return SHORT_FEW;
	if (!may_be_rough(plan))
		return may_be_quick(plan) ? RSTD__SHORT_MAX : SHORT_FINE;
	if (!may_be_rough_and_short(plan))
		return SHORT_FEW;
	return rough < RSTD__SHORT_MAX ? rough : RSTD__SHORT_MAX;
}

static enum rstd__loop choose_loop(const struct rstd_plan *plan)
{
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	const bool contiguous = run->count > 1 && run->stride[RSTD__X] == size &&
	                        (run->stride[RSTD__GIVEN] == size || run->stride[RSTD__GIVEN] == 0);

	if (plan->outputs == 1)
		return contiguous && plan->n <= ONE_SHORT ? RSTD__SHORT : RSTD__ROWS;
	if (contiguous)
		return run->count <= short_max(plan) ? RSTD__SHORT : RSTD__ROWS;
	if (lie_together(plan, side) &&
	    (side->count >= COLS_WIDE ||
	     (run->count >= COLS_LONG && (side->count >= COLS_MIN || is_dense(plan, run, side)))))
		return RSTD__COLS;
	if (run->count >= ROW_MIN && run->stride[RSTD__X] <= side->stride[RSTD__X])
		return RSTD__ROWS;
	return RSTD__PACKED;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	return b == 0 ? a : common_divisor(b, a % b);
}

/*
 * Whether a plan is `few`. Long rows are summed where they are, and so have to be contiguous; and not by rough sums, which
 * leave more open than can be settled one by one.
 */
static bool is_few(const struct rstd_plan *plan)
{
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size,
			given = run->stride[RSTD__GIVEN];

	if (plan->quick || plan->outputs > RSTD__FINISH_MAX || plan->kept_rank > 1 || plan->runs > 1 ||
	    plan->threads > 1)
		return false;
	return plan->loop == RSTD__SHORT || (plan->loop == RSTD__ROWS && plan->sums == &plan->kernels->fine &&
	                                     run->stride[RSTD__X] == size && (given == 0 || given == size));
}

/* How many rows of `cols` columns count as one: as few as make whole vectors, or as many as there is room for. */
static size_t choose_fold(size_t cols)
{
	const size_t whole = VECTOR / (size_t)common_divisor(VECTOR, cols);
	const size_t fold = (size_t)rstd__divide_up(COLS_FOLD, cols * whole) * whole;

	if (cols >= COLS_FOLD)
		return 1;
	return fold * cols <= COLS_FOLD_MAX ? fold : COLS_FOLD_MAX / cols;
}

/*
 * Whether the columns of a PACKED loop lie side by side in groups for which a call each costs less than to pack them.
 */
static bool are_grouped(const struct rstd_plan *plan, const struct rstd__axis *run, const struct rstd__axis *side)
{
	return lie_together(plan, side) && side->count >= GROUP_MIN && run->count * side->count >= GROUP_ELEMENTS;
}

/* The same for columns that are packed, if the run has enough of the wider rows. */
static size_t choose_packed_fold(const struct rstd_plan *plan, size_t cols)
{
	const size_t fold = choose_fold(cols);

	return plan->reduced[plan->reduced_rank - 1].count < (int64_t)(fold * FOLD_TURNS) ? 1 : fold;
}

/* How slices are divided into runs of at most `length` elements, or folded rows. */
static void choose_runs(struct rstd_plan *plan, int64_t length)
{
	plan->run_length = length * (int64_t)plan->fold;
	plan->pieces =
		rstd__divide_up((uint64_t)plan->reduced[plan->reduced_rank - 1].count, (uint64_t)plan->run_length);
	plan->runs = plan->pieces;
	for (size_t i = 0; i + 1 < plan->reduced_rank; i++)
		plan->runs *= (uint64_t)plan->reduced[i].count;
}

/* How outputs are grouped into tiles, and slices into runs. */
static void choose_tiles(struct rstd_plan *plan)
{
	const uint64_t share = plan->threads > 1 ? most(plan->outputs / ((uint64_t)plan->threads * UNITS_PER_THREAD), 1)
	                                         : plan->outputs;
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	int64_t length = RSTD__PANEL_ROWS;

	plan->span = plan->outputs;
	plan->fold = 1;
	plan->grouped = false;
	switch (plan->loop) {
	case RSTD__ROWS:
		plan->tile = (size_t)least(share, ROW_TILE);
		length = RSTD__ROW_RUN;
		break;
	case RSTD__SHORT:
		plan->tile = (size_t)least(share, plan->quick ? RSTD__TILE : RSTD__TILE_PACKED);
		length = RSTD__SHORT_MAX;
		break;
	case RSTD__COLS:
		plan->span = (uint64_t)side->count;
		plan->tile = (size_t)least(plan->span, RSTD__TILE);
		if (is_dense(plan, run, side))
			plan->fold = choose_fold(plan->tile);
		break;
	case RSTD__PACKED:
		plan->tile = (size_t)least(least(most(share, COLS_FOLD_MAX), RSTD__TILE_PACKED), plan->outputs);
		plan->grouped = are_grouped(plan, run, side);
		if (!plan->grouped)
			plan->fold = choose_packed_fold(plan, plan->tile);
		break;
	}
	plan->tiles = rstd__divide_up(plan->span, plan->tile);
	plan->units = plan->outputs / plan->span * plan->tiles;
	choose_runs(plan, length);
}

static void choose_split(struct rstd_plan *plan)
{
	const uint64_t wanted = (uint64_t)plan->threads * UNITS_PER_THREAD;

	plan->parts = 1;
	if (plan->threads > 1 && plan->units < wanted)
		plan->parts = least(plan->runs, rstd__divide_up(wanted, plan->units));
}

/* The most binary32 additions on the way of a term of a rough sum. */
static double rough_chain(const struct rstd_plan *plan)
{
	switch (plan->loop) {
	case RSTD__ROWS:
		return RSTD__ROUGH_ROW_CHAIN;
	case RSTD__SHORT:
		return plan->kernels->rough_step > 0
		               ? (double)(plan->n / plan->kernels->rough_step + RSTD__ROUGH_SHORT_REST)
		               : 0;
	case RSTD__COLS:
	case RSTD__PACKED:
		break;
	}
	return RSTD__ROUGH_COL_CHAIN;
}

/*
 * How much larger than M2 a rough sum of squares may be where one root is tried for both ends of the test: larger ratios
 * make it fail more often on slices that start near to their mean, smaller ones on others. One slice in 125, or in
 * 10000, of normal data starts so far from it that its ratio is larger.
 */
#define ROUGH_RATIO_F16  8
#define ROUGH_RATIO_BF16 16

/*
 * The bounds of the sums, from the most roundings that a term goes through: those of its kernel, of a fold (its turn in
 * the fold, and a last group of its own), and of the compensated sums over runs and parts. docs/numerics.md, "Level 0"
 * and "Rough sums", derives the factors.
 */
static void set_bounds(const struct rstd_plan *plan, const struct rstd__sums *sums, struct rstd__finish *f)
{
	const double u = 0x1p-53, u_rough = 0x1p-24;
	/* what compensated sums are made of: the runs, or for packed rows the blocks of each */
	const double parts = (double)plan->runs * (RSTD__ROW_RUN / RSTD__PACK_ELEMENTS);
	const bool rows = plan->loop == RSTD__ROWS || plan->loop == RSTD__SHORT, given = plan->present[RSTD__GIVEN];
	const size_t kernel = rows ? plan->kernels->row_chain : plan->kernels->col_chain;
	const size_t fold = plan->fold > 1 ? 2 * COLS_FOLD : 0;
	/* wide tiles add the runs of q plainly (sum_many_pieces() in sums.c) */
	const double plain = plan->loop == RSTD__COLS && plan->tile > RSTD__TILE_PACKED ? (double)plan->runs : 0;
	/* n terms have at most n - 1 additions between them that round at all, and the first product of a fused sum does */
	const double chain = (double)(least(kernel + fold, plan->n) + 8) + parts * parts * u;

	f->mean_error = (2 * chain + 16) * u;
	f->sum_sq_error = ((given ? 2 : 4) * (chain + plain) + 32) * u;
	f->mean_sq_error = 0;
	f->root_ratio = given ? 1 : 256;
	f->least_q = 0;
	if (sums == &plan->kernels->rough) {
		const double m = rough_chain(plan);

		f->sum_sq_error += (given ? m + 2.5 : 1.5 * m + 2.5) * u_rough;
		f->mean_sq_error = given ? 0 : (2 * m + 0.5) * u_rough;
		f->root_ratio = given ? 1 : plan->format[RSTD__Y] == RSTD__F16 ? ROUGH_RATIO_F16 : ROUGH_RATIO_BF16;
		/* the squares of binary16 differences are normal binary32 numbers, those of bfloat16 need not be */
		f->least_q = plan->format[RSTD__X] == RSTD__BF16 ? 0x1p-120 * (double)plan->n : 0;
	}
	f->root_error =
		0.5 * (f->root_ratio * f->sum_sq_error + (f->root_ratio - 1) * f->mean_sq_error) * 1.001 + 8 * u;
}

/* The most elements of binary16, below 2^16, for which sums of differences stay below 2^29: 53 bits. */
#define EXACT_MAX 4096

/*
 * Whether all sums of x - K are exact in binary64, K being 0 or an element: those of binary16 are small multiples of
 * 2^-24. Of two elements they are, too, or the smaller one is too small to matter to a result of a format that holds
 * the larger. docs/numerics.md, "Exact sums".
 */
static bool sums_are_exact(const struct rstd_plan *plan, enum rstd__operand result)
{
	const enum rstd__format x = plan->format[RSTD__X], y = plan->format[result];

	if (plan->present[RSTD__GIVEN])
		return false;
	if (x == RSTD__F16)
		return plan->n <= EXACT_MAX;
	return plan->n <= 2 && (y == x || y == RSTD__F32);
}

/* The rest of what finish needs to know. */
static void set_finish(struct rstd_plan *plan)
{
	struct rstd__finish *const f = &plan->finish;

	/* one by one: to clear all first would take longer than all of this; set_bounds() has the rest */
	f->n = (double)plan->n;
	f->inverse_n = 1 / (double)plan->n;
	f->divisor = (double)plan->divisor;
	f->inverse_divisor = plan->divisor > 0 ? 1 / (double)plan->divisor : HUGE_VAL;
	f->epsilon = (double)plan->epsilon;
	f->result = !plan->present[RSTD__Y] ? RSTD__NO_RESULT
	            : plan->invert          ? RSTD__INVSTD
	            : plan->divisor > 0     ? RSTD__STD
	                                    : RSTD__UNDEFINED;
	f->want_mean = plan->present[RSTD__MEAN];
	f->exact_mean = sums_are_exact(plan, RSTD__MEAN);
	f->y = plan->format[RSTD__Y];
	f->mean = plan->format[RSTD__MEAN];
	/* short rows are about their first elements, so that t is a difference */
	if (f->result == RSTD__STD && plan->n == 2 && plan->divisor == 2 && plan->loop == RSTD__SHORT &&
	    sums_are_exact(plan, RSTD__Y))
		f->result = RSTD__HALF_T;
}

static const struct rstd__sums *choose_sums(const struct rstd_plan *plan)
{
	const bool rough = plan->loop == RSTD__SHORT ? may_be_rough_and_short(plan) : may_be_rough(plan);

	return rough ? &plan->kernels->rough : &plan->kernels->fine;
}

void rstd__plan_finely(struct rstd_plan *fine, const struct rstd_plan *plan)
{
	*fine = *plan;
	fine->sums = &fine->kernels->fine;
	set_bounds(fine, fine->sums, &fine->finish);
}

void rstd__plan_some_finely(struct rstd_plan *fine, const struct rstd_plan *plan, size_t outputs)
{
	*fine = *plan;
	fine->sums = &fine->kernels->fine;
	if (fine->loop != RSTD__ROWS) {
		fine->loop = RSTD__PACKED;
		fine->tile = outputs;
		fine->grouped = false;
		fine->fold = choose_packed_fold(fine, outputs);
		choose_runs(fine, RSTD__PANEL_ROWS);
	}
	set_bounds(fine, fine->sums, &fine->finish);
}

/*
 * The plan of no axes. Not by a struct of zeros: most of a plan is room for axes that it does not have, and to clear
 * that would be a tenth of a small call.
 */
static void start_plan(struct rstd_plan *plan)
{
	plan->invert = false;
	plan->epsilon = 0;
	plan->empty_mean = (double)NAN;
	plan->kept_rank = plan->reduced_rank = 0;
	plan->parts = 1;
	plan->few = false;
}

/* From a checked request to a plan. The caller has set divisor, invert, epsilon and empty_mean. */
static rstd_status build(struct rstd_plan *plan, const struct request *r)
{
	size_t bytes;

	plan->kernels = rstd__current_kernels();
	plan->name = r->name;
	for (enum rstd__operand op = RSTD__X; op < RSTD__OPERANDS; op++) {
		plan->present[op] = r->tensor[op] != NULL;
		plan->format[op] = plan->present[op] ? rstd__format_of(r->tensor[op]->dtype) : RSTD__F32;
		plan->origin[op] = 0;
	}
	collect_axes(plan, r);
	if (plan->n > 0 && plan->outputs > 0)
		collapse(plan);
	measure_reach(plan);
	if (plan->n == 0 || plan->outputs == 0)
		return check_outputs_apart(plan);

	/* at most INT64_MAX elements; broadcast ones may be more bytes than there are */
	if (__builtin_mul_overflow(plan->n * plan->outputs, rstd__format_info[plan->format[RSTD__X]].size, &bytes))
		bytes = SIZE_MAX;
	plan->threads = bytes < PARALLEL_BYTES ? 1 : rstd__num_threads();
	plan->loop = choose_loop(plan);
	if (plan->loop == RSTD__COLS || plan->loop == RSTD__PACKED)
		choose_column_run(plan);
	plan->quick = plan->loop == RSTD__SHORT && may_be_quick(plan);
	choose_tiles(plan);
	choose_split(plan);
	plan->sums = choose_sums(plan);
	plan->few = is_few(plan);
	set_finish(plan);
	set_bounds(plan, plan->sums, &plan->finish);
	if (plan->sums == &plan->kernels->rough && plan->loop == RSTD__SHORT) {
		plan->again = plan->finish;
		set_bounds(plan, &plan->kernels->fine, &plan->again);
	}
	return check_outputs_apart(plan);
}

/* ---- The three operators ------------------------------------------------------------------------------------- */

/* Counts the slices and their elements. The number of all elements has been checked, so nothing overflows. */
static void count_slices(struct rstd_plan *plan, const struct request *r)
{
	const rstd_tensor *x = r->tensor[RSTD__X];

	plan->outputs = plan->n = 1;
	for (size_t i = 0; i < x->rank; i++)
		*(r->reduced[i] ? &plan->n : &plan->outputs) *= (uint64_t)x->shape[i];
}

rstd_status rstd__plan_reduce(struct rstd_plan *plan, const rstd_tensor *x, const rstd_tensor *mean,
                              const rstd_reduce_attrs *attrs, const rstd_tensor *y)
{
	static const rstd_reduce_attrs defaults = RSTD_REDUCE_ATTRS_DEFAULT;
	const rstd_reduce_attrs *a = attrs ? attrs : &defaults;
	struct request r = {
		.tensor = { [RSTD__X] = x, [RSTD__GIVEN] = mean, [RSTD__Y] = y },
		.name = reduce_names,
		.keepdim = a->keepdim,
	};
	int64_t shape[RSTD_MAX_RANK];
	size_t rank;
	rstd_status status;

	start_plan(plan);
	plan->invert = a->invert;
	plan->epsilon = a->epsilon;
	if ((status = rstd__check_view("x", x)) != RSTD_OK || (status = rstd__check_view("mean", mean)) != RSTD_OK ||
	    (status = check_same_dtype(&r, RSTD__GIVEN)) != RSTD_OK ||
	    (status = check_same_shape(&r, RSTD__GIVEN, x->shape, x->rank)) != RSTD_OK ||
	    (status = rstd__reduced_axes(x->rank, a->dim, a->dim_count, r.reduced)) != RSTD_OK ||
	    (status = rstd__check_correction(a->correction)) != RSTD_OK ||
	    (status = rstd__check_view("y", y)) != RSTD_OK || (status = check_same_dtype(&r, RSTD__Y)) != RSTD_OK)
		return status;
	rank = rstd__reduced_shape(x->shape, x->rank, r.reduced, r.keepdim, shape);
	status = check_same_shape(&r, RSTD__Y, shape, rank);
	if (status != RSTD_OK)
		return status;
	count_slices(plan, &r);
	plan->divisor = rstd__divisor(plan->n, a->unbiased ? a->correction : 0);
	return build(plan, &r);
}

/* The checks that Std, StdMean and BatchNormStats share for their outputs, either of which may be absent. */
static rstd_status check_own_mean_outputs(const struct request *r)
{
	const rstd_tensor *x = r->tensor[RSTD__X];
	int64_t shape[RSTD_MAX_RANK];
	const size_t rank = rstd__reduced_shape(x->shape, x->rank, r->reduced, r->keepdim, shape);

	if (!r->tensor[RSTD__Y] && !r->tensor[RSTD__MEAN])
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "%s: is NULL and so is %s, at least one is required",
		                  r->name[RSTD__Y], r->name[RSTD__MEAN]);
	for (enum rstd__operand op = RSTD__Y; op <= RSTD__MEAN; op++) {
		rstd_status status;

		if (!r->tensor[op])
			continue;
		if ((status = rstd__check_view(r->name[op], r->tensor[op])) != RSTD_OK ||
		    (status = check_same_shape(r, op, shape, rank)) != RSTD_OK)
			return status;
	}
	return RSTD_OK;
}

rstd_status rstd__plan_std_mean(struct rstd_plan *plan, const rstd_tensor *x, const int64_t *dim, size_t dim_count,
                                int64_t correction, bool keepdim, const rstd_tensor *std, const rstd_tensor *mean)
{
	struct request r = {
		.tensor = { [RSTD__X] = x, [RSTD__Y] = std, [RSTD__MEAN] = mean },
		.name = std_mean_names,
		.keepdim = keepdim,
	};
	rstd_status status;

	start_plan(plan);
	if ((status = rstd__check_view("x", x)) != RSTD_OK ||
	    (status = rstd__reduced_axes(x->rank, dim, dim_count, r.reduced)) != RSTD_OK ||
	    (status = rstd__check_correction(correction)) != RSTD_OK ||
	    (status = check_own_mean_outputs(&r)) != RSTD_OK)
		return status;
	count_slices(plan, &r);
	plan->divisor = rstd__divisor(plan->n, correction);
	return build(plan, &r);
}

rstd_status rstd__plan_batch_norm(struct rstd_plan *plan, const rstd_tensor *x, double eps, const rstd_tensor *mean,
                                  const rstd_tensor *invstd)
{
	struct request r = {
		.tensor = { [RSTD__X] = x, [RSTD__Y] = invstd, [RSTD__MEAN] = mean },
		.name = batch_norm_names,
	};
	rstd_status status;

	start_plan(plan);
	plan->invert = true;
	plan->epsilon = (float)eps;
	plan->empty_mean = 0;
	status = rstd__check_view("x", x);
	if (status != RSTD_OK)
		return status;
	if (x->rank < 2)
		return rstd__fail(RSTD_ERROR_RANK, "x: rank is %zu, allowed are 2 to %d", x->rank, RSTD_MAX_RANK);
	if (x->shape[1] == 0)
		return rstd__fail(RSTD_ERROR_SHAPE, "x: length of the channel axis 1 is 0, allowed are 1 and more");
	for (size_t i = 0; i < x->rank; i++)
		r.reduced[i] = i != 1;
	status = check_own_mean_outputs(&r);
	if (status != RSTD_OK)
		return status;
	for (enum rstd__operand op = RSTD__Y; op <= RSTD__MEAN; op++)
		if (r.tensor[op] && r.tensor[op]->dtype != RSTD_F32)
			return rstd__fail(RSTD_ERROR_DTYPE, "%s: dtype is %s, allowed is float32", r.name[op],
			                  rstd__dtype_name(r.tensor[op]->dtype));
	count_slices(plan, &r);
	plan->divisor = plan->n;
	return build(plan, &r);
}

/* ---- Data ---------------------------------------------------------------------------------------------------- */

/* Where an operand starts, as a number: overlap is about addresses. */
static uintptr_t address_of(const struct rstd__data *data, enum rstd__operand op)
{
	return op < RSTD__Y ? (uintptr_t)data->in[op] : (uintptr_t)data->out[op];
}

/* What is wrong with the data pointer of an operand. */
static __attribute__((noinline)) rstd_status refuse_pointer(const struct rstd_plan *plan, enum rstd__operand op,
                                                            uintptr_t address)
{
	if (plan->present[op])
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "%s: the data pointer is NULL, data are required",
		                  plan->name[op]);
	return rstd__fail(RSTD_ERROR_ARGUMENT,
	                  "%s: the data pointer is 0x%" PRIxPTR ", allowed is NULL: the plan has no such tensor",
	                  plan->name[op], address);
}

/* Whether an output and another operand, whose address ranges cross, have a byte in common. */
static __attribute__((noinline)) bool share_memory(const struct rstd_plan *plan, const struct rstd__data *data,
                                                   enum rstd__operand out, enum rstd__operand other)
{
	struct rstd__region ours, theirs;

	if (!has_elements(plan, out) || !has_elements(plan, other))
		return false;
	set_region(&ours, plan, out, address_of(data, out));
	set_region(&theirs, plan, other, address_of(data, other));
	return rstd__overlap(&ours, &theirs);
}

/* Whether all bytes of an operand, which is there, are below those of another. */
static bool is_below(const struct rstd_plan *plan, const struct rstd__data *data, enum rstd__operand op,
                     enum rstd__operand other)
{
	return address_of(data, op) + (uintptr_t)plan->above[op] <=
	       address_of(data, other) - (uintptr_t)plan->below[other];
}

static rstd_status check_apart(const struct rstd_plan *plan, const struct rstd__data *data)
{
	for (enum rstd__operand out = RSTD__Y; out < RSTD__OPERANDS; out++) {
		if (!plan->present[out])
			continue;
		for (enum rstd__operand other = RSTD__X; other < out; other++)
			if (plan->present[other] && !is_below(plan, data, out, other) &&
			    !is_below(plan, data, other, out) && share_memory(plan, data, out, other))
				return rstd__fail(RSTD_ERROR_OVERLAP,
				                  "%s: shares memory with %s, allowed is memory of its own",
				                  plan->name[out], plan->name[other]);
	}
	return RSTD_OK;
}

rstd_status rstd__plan_check_data(const struct rstd_plan *plan, struct rstd__data *data)
{
	for (enum rstd__operand op = RSTD__X; op < RSTD__OPERANDS; op++) {
		const uintptr_t address = address_of(data, op);

		if (address == 0 ? has_elements(plan, op) : !plan->present[op])
			return refuse_pointer(plan, op, address);
		if (address == 0)
			continue;
		if (op < RSTD__Y)
			data->in[op] += plan->origin[op];
		else
			data->out[op] += plan->origin[op];
	}
	return check_apart(plan, data);
}
