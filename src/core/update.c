/*
 * update.c - adding the elements of tensors to states
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads sum pieces, some outputs and a part of their elements each, into sums of their own, of which the calling thread
 * alone makes new states. So a loop can be done again, which a child needs that is forked in the middle of one.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/ladder.h"
#include "core/moments.h"
#include "core/tensor.h"
#include "kernels/words.h"
#include "runtime/error.h"
#include "runtime/threads.h"

/* The elements from `from` to `to` of some outputs, and their sums, one for each output. */
struct piece {
	const struct rstd_plan *plan;
	const unsigned char *x; /* where its loops start */
	uint64_t first, from, to;
	size_t outputs;
	struct rstd__exact *sums;
};

/* A position in a slice: that of the outer loops, and that in the innermost one, the run. */
struct cursor {
	struct rstd__walk outer;
	int64_t at;
};

static const struct rstd__axis *run_of(const struct rstd_plan *plan)
{
	return &plan->reduced[plan->reduced_rank - 1];
}

static void cursor_start(struct cursor *cursor, const struct rstd_plan *plan, uint64_t position)
{
	uint64_t at;
	const uint64_t outer = rstd__divide(position, (uint64_t)run_of(plan)->count, &at);

	rstd__walk_start(&cursor->outer, plan->reduced, plan->reduced_rank - 1, outer);
	cursor->at = (int64_t)at;
}

/* How many elements of at most n lie along the run. */
static uint64_t cursor_ahead(const struct cursor *cursor, const struct rstd_plan *plan, uint64_t n)
{
	const uint64_t ahead = (uint64_t)(run_of(plan)->count - cursor->at);

	return ahead < n ? ahead : n;
}

static ptrdiff_t cursor_offset(const struct cursor *cursor, const struct rstd_plan *plan)
{
	return cursor->outer.offset[RSTD__X] + cursor->at * run_of(plan)->stride[RSTD__X];
}

/* Moves on along the run. */
static void cursor_move(struct cursor *cursor, const struct rstd_plan *plan, uint64_t n)
{
	cursor->at += (int64_t)n;
	if (cursor->at == run_of(plan)->count) {
		cursor->at = 0;
		rstd__walk_next(&cursor->outer);
	}
}

/* ---- Slices ------------------------------------------------------------------------------------------------------ */

/* Elements that are summed together, gathered on the stack where they do not lie together. */
#define GATHER RSTD__WORDS_MAX

/* Elements of each slice at a time where slices are neighbours. */
#define TURN 512

/* Adds the next n elements of a slice, which has as many; slice points to its first element. */
static void add_elements(struct rstd__exact *e, const struct rstd_plan *plan, const unsigned char *slice,
                         struct cursor *cursor, uint64_t n)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const bool contiguous = run_of(plan)->stride[RSTD__X] == (ptrdiff_t)rstd__format_info[format].size;
	float gathered[GATHER];
	size_t held = 0;

	while (n > 0) {
		const unsigned char *from = slice + cursor_offset(cursor, plan);
		const size_t step = (size_t)cursor_ahead(cursor, plan, n < GATHER - held ? n : GATHER - held);

		if (contiguous && held == 0 && (step == GATHER || step == n)) {
			rstd__words_add_any(e, plan->kernels, format, from, format, step);
		} else {
			rstd__load_run(plan, RSTD__X, from, step, gathered + held);
			held += step;
		}
		n -= step;
		if (held == GATHER || (held > 0 && n == 0)) {
			rstd__words_add_any(e, plan->kernels, format, gathered, RSTD__F32, held);
			held = 0;
		}
		cursor_move(cursor, plan, step);
	}
}

/* Whether the elements of a slice lie close together. Else slices are neighbours in memory. */
static bool has_rows(const struct rstd_plan *plan)
{
	return plan->loop == RSTD__ROWS || plan->loop == RSTD__SHORT;
}

/*
 * Slice by slice, where these are not neighbours. Else all get a few elements before any gets more, so that each line
 * of memory is used while it is in the cache.
 */
static void add_slices(const struct piece *p)
{
	const uint64_t most = has_rows(p->plan) ? p->to - p->from : TURN;
	struct cursor start, cursor;

	cursor_start(&start, p->plan, p->from);
	for (uint64_t left = p->to - p->from; left > 0;) {
		const uint64_t n = left < most ? left : most;
		struct rstd__walk output;

		rstd__walk_start(&output, p->plan->kept, p->plan->kept_rank, p->first);
		for (size_t i = 0; i < p->outputs; i++, rstd__walk_next(&output)) {
			cursor = start;
			add_elements(&p->sums[i], p->plan, p->x + output.offset[RSTD__X], &cursor, n);
		}
		start = cursor;
		left -= n;
	}
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

/* How many and how long columns are for that to pay. */
#define COLUMNS_MIN 8
#define ROWS_MIN    32

/* Elements that the first cache holds until they are read again, and rows that memory of wide ones is asked for at once. */
#define BLOCK      2048
#define BLOCK_ROWS 8

/* The most rows of which each column is added alone, where they have no unit in common. */
#define ODD_ROWS RSTD__SPLIT_ROWS

/* How often that is cheaper than new sums, which each column pays for, too. */
#define MISSES 2

struct columns {
	const struct piece *piece;
	ptrdiff_t row_stride;
	struct rstd__columns sums;
	unsigned misses; /* times in a row that rows did not fit there */
};

/* Moves the sums to those of the piece. Returns of how many rows they were. */
static size_t close_sums(struct columns *columns)
{
	const size_t rows = rstd__columns_close(&columns->sums);

	for (size_t c = 0; c < columns->sums.cols && rows > 0; c++)
		rstd__columns_take(&columns->sums, c, &columns->piece->sums[c]);
	return rows;
}

static void add_odd_rows(struct columns *columns, const unsigned char *x, size_t rows)
{
	const struct rstd_plan *plan = columns->piece->plan;
	const enum rstd__format format = plan->format[RSTD__X];
	float column[ODD_ROWS];

	for (size_t c = 0; c < columns->sums.cols; c++, x += rstd__format_info[format].size) {
		rstd__load_row(format, x, columns->row_stride, rows, column);
		rstd__words_add_any(&columns->piece->sums[c], plan->kernels, format, column, RSTD__F32, rows);
	}
}

static size_t block_rows(size_t cols)
{
	const size_t rows = BLOCK / cols;

	return rows < BLOCK_ROWS ? BLOCK_ROWS : rows;
}

/*
 * Adds the first of some rows, and returns how many. Rows that do not fit beside others are added alone, unless that
 * goes on: then new sums start from them.
 */
static size_t add_rows(struct columns *columns, const unsigned char *x, uint64_t left)
{
	const size_t block = block_rows(columns->sums.cols), many = left < ODD_ROWS ? (size_t)left : ODD_ROWS;
	const size_t few = left < block ? (size_t)left : block;

	if (rstd__columns_add(&columns->sums, x, columns->row_stride, few)) {
		columns->misses = 0;
		return few;
	}
	if (columns->sums.rows > 0 && columns->misses++ < MISSES) {
		add_odd_rows(columns, x, few);
		return few;
	}
	columns->misses = 0;
	if (close_sums(columns) > 0 && rstd__columns_add(&columns->sums, x, columns->row_stride, few))
		return few;
	add_odd_rows(columns, x, many);
	return many;
}

static bool has_columns(const struct rstd_plan *plan)
{
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;

	return side->stride[RSTD__X] == size && side->count >= COLUMNS_MIN && run_of(plan)->count >= ROWS_MIN;
}

/* Outputs that lie side by side. */
static void add_columns(const struct piece *p)
{
	struct columns columns;
	struct cursor cursor;
	struct rstd__walk output;

	/* one by one: to clear the sums, too, would take longer than some updates */
	columns.piece = p;
	columns.row_stride = run_of(p->plan)->stride[RSTD__X];
	columns.misses = 0;
	rstd__walk_start(&output, p->plan->kept, p->plan->kept_rank, p->first);
	rstd__columns_start(&columns.sums, p->plan->kernels, p->plan->format[RSTD__X], p->outputs);
	cursor_start(&cursor, p->plan, p->from);
	for (uint64_t left = p->to - p->from; left > 0;) {
		const size_t rows = add_rows(&columns, p->x + output.offset[RSTD__X] + cursor_offset(&cursor, p->plan),
		                             cursor_ahead(&cursor, p->plan, left));

		cursor_move(&cursor, p->plan, rows);
		left -= rows;
	}
	close_sums(&columns);
}

/* ---- Units of work ----------------------------------------------------------------------------------------------- */

#define UNITS_PER_THREAD 4    /* so that a thread that starts late or runs slowly costs little */
#define PART_MIN         4096 /* elements of an output that a part of it has at least */

/* The most outputs of a unit: what the stack has room for. Columns of many elements are wide if there is memory. */
#define TILE         128
#define TILE_COLUMNS RSTD__SPLIT_COLS
#define WIDE_MIN     ((uint64_t)1 << 18)

/* Some units, and the sums of each of their parts: [unit][part][output of the unit], tiles apart. */
struct batch {
	const struct rstd_plan *plan;
	rstd_moments *moments;
	const unsigned char *x;
	uint64_t first, units;
	struct rstd__exact *sums;
};

static uint64_t wanted_units(const struct rstd_plan *plan)
{
	return plan->threads > 1 ? (uint64_t)plan->threads * UNITS_PER_THREAD : 1;
}

/* Tiles of outputs, neighbours together, and parts of these where they are fewer than the threads can share. */
static void set_units(struct rstd_plan *plan, uint64_t most)
{
	const uint64_t wanted = wanted_units(plan), share = plan->outputs / wanted + 1;
	const uint64_t most_parts = rstd__divide_up(plan->n, PART_MIN);

	plan->span = has_columns(plan) ? (uint64_t)plan->kept[plan->kept_rank - 1].count : plan->outputs;
	if (has_rows(plan) && !has_columns(plan) && most > share)
		most = share;
	plan->tile = (size_t)rstd__divide_up(plan->span, rstd__divide_up(plan->span, most));
	plan->tiles = rstd__divide_up(plan->span, plan->tile);
	plan->units = plan->outputs / plan->span * plan->tiles;
	plan->parts = rstd__divide_up(wanted, plan->units);
	if (plan->parts > most_parts)
		plan->parts = most_parts;
}

static rstd_moments *state_of(const struct batch *batch, const struct rstd__walk *output)
{
	/* the output that the plan was made for is an array of float: its offsets tell the state */
	const ptrdiff_t offset = batch->plan->origin[RSTD__Y] + output->offset[RSTD__Y];

	return &batch->moments[offset / (ptrdiff_t)sizeof(float)];
}

/* The first part of the elements is added to what the states have summed so far, the others to 0. */
static void start_sums(const struct batch *batch, const struct piece *p)
{
	struct rstd__walk output;

	if (p->from > 0) {
		memset(p->sums, 0, p->outputs * sizeof(*p->sums));
		return;
	}
	rstd__walk_start(&output, p->plan->kept, p->plan->kept_rank, p->first);
	for (size_t i = 0; i < p->outputs; i++, rstd__walk_next(&output))
		rstd__get_exact(&p->sums[i], state_of(batch, &output));
}

/* Index = unit of the batch * parts + part. */
static void sum_piece(void *context, size_t index)
{
	const struct batch *batch = context;
	const struct rstd_plan *plan = batch->plan;
	uint64_t part;
	const uint64_t unit = rstd__divide(index, plan->parts, &part);
	struct piece p = {
		.plan = plan,
		.x = batch->x + plan->origin[RSTD__X],
		.from = rstd__part_start(plan->n, plan->parts, part),
		.to = rstd__part_start(plan->n, plan->parts, part + 1),
		.sums = batch->sums + index * plan->tile,
	};

	p.outputs = rstd__unit_outputs(plan, batch->first + unit, &p.first);
	start_sums(batch, &p);
	if (has_columns(plan))
		add_columns(&p);
	else
		add_slices(&p);
}

/* The new states of a unit, from its parts. */
static void set_states(const struct batch *batch, uint64_t unit)
{
	const struct rstd_plan *plan = batch->plan;
	struct rstd__exact *sums = batch->sums + unit * plan->parts * plan->tile;
	uint64_t first;
	const size_t outputs = rstd__unit_outputs(plan, batch->first + unit, &first);
	struct rstd__walk output;

	rstd__walk_start(&output, plan->kept, plan->kept_rank, first);
	for (size_t i = 0; i < outputs; i++, rstd__walk_next(&output)) {
		rstd_moments *m = state_of(batch, &output);

		for (uint64_t part = 1; part < plan->parts; part++)
			rstd__exact_merge(&sums[i], &sums[part * plan->tile + i]);
		rstd__set_exact(m, &sums[i]);
		m->count += plan->n;
	}
}

static void run_batches(struct batch *batch)
{
	const struct rstd_plan *plan = batch->plan;

	for (batch->first = 0; batch->first < plan->units; batch->first += batch->units) {
		const uint64_t left = plan->units - batch->first, now = left < batch->units ? left : batch->units;

		rstd__parallel_for(plan->threads, now * plan->parts, sum_piece, batch);
		for (uint64_t unit = 0; unit < now; unit++)
			set_states(batch, unit);
	}
}

/* Memory for more sums than the stack has room for; without it one thread does all. */
static void add_tensor(rstd_moments *moments, struct rstd_plan *plan, const unsigned char *x)
{
	struct rstd__exact on_stack[TILE];
	struct batch batch = { .plan = plan, .moments = moments, .x = x, .sums = on_stack };
	void *memory = NULL;
	uint64_t sums;

	set_units(plan, has_columns(plan) && plan->n >= WIDE_MIN / plan->outputs ? TILE_COLUMNS : TILE);
	batch.units = rstd__divide_up(wanted_units(plan), plan->parts);
	if (batch.units > plan->units)
		batch.units = plan->units;
	sums = batch.units * plan->parts * plan->tile;
	if (sums > TILE) {
		memory = malloc(sums * sizeof(*batch.sums));
		batch.sums = memory;
	}
	if (!batch.sums) {
		plan->threads = 1;
		set_units(plan, TILE);
		batch.units = 1;
		batch.sums = on_stack;
	}
	run_batches(&batch);
	free(memory);
}

/* ---- Update ------------------------------------------------------------------------------------------------------ */

/* A plan for the standard deviation walks x as it is to be walked; its output, an array, stands for the states. */
static rstd_status plan_update(struct rstd_plan *plan, const rstd_tensor *x, const int64_t *dim, size_t dim_count)
{
	int64_t shape[RSTD_MAX_RANK];
	size_t rank;
	rstd_tensor states;
	rstd_status status;

	if ((status = rstd__check_view("x", x)) != RSTD_OK ||
	    (status = rstd_infer_shape(x->shape, x->rank, dim, dim_count, false, shape, &rank)) != RSTD_OK ||
	    (status = rstd_tensor_contiguous(&states, NULL, RSTD_F32, rank, shape)) != RSTD_OK)
		return status;
	return rstd__plan_std_mean(plan, x, dim, dim_count, 0, false, &states, NULL);
}

static RSTD__FP_BODY rstd_status update(rstd_moments *moments, size_t moments_count, const rstd_tensor *x,
                                        const int64_t *dim, size_t dim_count)
{
	struct rstd_plan plan;
	rstd_status status = plan_update(&plan, x, dim, dim_count);

	if (status != RSTD_OK)
		return status;
	if (moments_count != plan.outputs)
		return rstd__fail(RSTD_ERROR_SHAPE,
		                  "moments_count: is %zu, allowed is %" PRIu64 ", one for each output", moments_count,
		                  plan.outputs);
	status = rstd__check_states("moments", moments, moments_count);
	if (status != RSTD_OK)
		return status;
	if (plan.outputs == 0 || plan.n == 0)
		return RSTD_OK;
	if (!x->data)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "x: the data pointer is NULL, data are required");
	for (size_t i = 0; i < moments_count; i++) {
		status = rstd__check_count("moments", i, moments[i].count, plan.n);
		if (status != RSTD_OK)
			return status;
	}
	add_tensor(moments, &plan, x->data);
	return RSTD_OK;
}

rstd_status rstd_moments_update(rstd_moments *moments, size_t moments_count, const rstd_tensor *x, const int64_t *dim,
                                size_t dim_count)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	const rstd_status status = update(moments, moments_count, x, dim, dim_count);

	rstd__fpmode_leave(mode);
	return status;
}
