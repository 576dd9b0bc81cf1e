/*
 * run.c - running a plan: sums for a tile of outputs, then finish, then store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdalign.h>

#include "core/ladder.h"
#include "core/plan.h"
#include "core/settings.h"
#include "runtime/threads.h"

/* Elements that are packed at a time: 16 KiB of float32 for x and as much for a mean. */
#define PACK_ELEMENTS 4096

/* The sums of a tile of outputs, each sum in two parts (kernels->merge). About 10 KiB. */
struct tile {
	size_t outputs;
	double shift[RSTD__TILE];
	double t[RSTD__TILE], t_low[RSTD__TILE];
	double q[RSTD__TILE], q_low[RSTD__TILE];
};

/* What one part of a split slice hands on to the finish. */
struct part_sums {
	double t, q;
};

struct job {
	const struct rstd_plan *plan;
	const struct rstd__data *data;
	struct part_sums *partials; /* [unit][output of the unit][part], tiles apart */
};

size_t rstd__unit(const struct rstd_plan *plan, uint64_t unit, uint64_t *first)
{
	const uint64_t per_span = plan->span / plan->tile + (plan->span % plan->tile != 0);
	const uint64_t begin = unit % per_span * plan->tile, left = plan->span - begin;

	*first = unit / per_span * plan->span + begin;
	return left < plan->tile ? (size_t)left : plan->tile;
}

void rstd__walk_start(struct rstd__walk *walk, const struct rstd__axis *axes, size_t rank, uint64_t position)
{
	*walk = (struct rstd__walk){ .axes = axes, .rank = rank };
	for (size_t i = rank; i-- > 0;) {
		const uint64_t count = (uint64_t)axes[i].count;

		walk->index[i] = (int64_t)(position % count);
		position /= count;
		for (int op = 0; op < RSTD__OPERANDS; op++)
			walk->offset[op] += axes[i].stride[op] * walk->index[i];
	}
}

/* ---- Runs ---------------------------------------------------------------------------------------------------- */

/* The pieces of a slice: every outer position of the reduced axes, times the pieces of the run. */
struct runs {
	const struct rstd_plan *plan;
	struct rstd__walk outer;
	int64_t at;     /* where on the run axis the piece starts, in elements */
	int64_t length; /* of the piece */
};

static const struct rstd__axis *run_axis(const struct rstd_plan *plan)
{
	return &plan->reduced[plan->reduced_rank - 1];
}

static void set_length(struct runs *runs)
{
	const int64_t left = run_axis(runs->plan)->count - runs->at;

	runs->length = left < runs->plan->run_length ? left : runs->plan->run_length;
}

static void runs_start(struct runs *runs, const struct rstd_plan *plan, uint64_t number)
{
	const int64_t count = run_axis(plan)->count;
	const uint64_t pieces = (uint64_t)(count / plan->run_length + (count % plan->run_length != 0));

	runs->plan = plan;
	rstd__walk_start(&runs->outer, plan->reduced, plan->reduced_rank - 1, number / pieces);
	runs->at = (int64_t)(number % pieces) * plan->run_length;
	set_length(runs);
}

static void runs_next(struct runs *runs)
{
	runs->at += runs->length;
	if (runs->at == run_axis(runs->plan)->count) {
		runs->at = 0;
		rstd__walk_next(&runs->outer);
	}
	set_length(runs);
}

/* The byte offset of the piece for an operand. */
static ptrdiff_t run_offset(const struct runs *runs, enum rstd__operand op)
{
	return runs->outer.offset[op] + runs->at * run_axis(runs->plan)->stride[op];
}

/* ---- Offsets ------------------------------------------------------------------------------------------------- */

/* The byte offsets of an operand for n outputs from number `first` on. */
static void fill_offsets(const struct rstd_plan *plan, enum rstd__operand op, uint64_t first, size_t n,
                         ptrdiff_t *offset)
{
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	const uint64_t count = (uint64_t)side->count;
	struct rstd__walk outer;
	uint64_t index = first % count;

	rstd__walk_start(&outer, plan->kept, plan->kept_rank - 1, first / count);
	for (size_t i = 0; i < n; rstd__walk_next(&outer), index = 0)
		for (; i < n && index < count; i++, index++)
			offset[i] = outer.offset[op] + (ptrdiff_t)index * side->stride[op];
}

/* ---- Packing ------------------------------------------------------------------------------------------------- */

/* n elements, `stride` bytes apart, to consecutive ones. */
static void pack_row(size_t size, const unsigned char *from, ptrdiff_t stride, size_t n, unsigned char *to)
{
	if (size == sizeof(uint32_t))
		for (size_t i = 0; i < n; i++, from += stride)
			memcpy(to + i * sizeof(uint32_t), from, sizeof(uint32_t));
	else
		for (size_t i = 0; i < n; i++, from += stride)
			memcpy(to + i * sizeof(uint16_t), from, sizeof(uint16_t));
}

/* A block of `rows` elements, `stride` bytes apart, of each of `cols` columns to consecutive rows. */
static void pack_block(size_t size, const unsigned char *from, const ptrdiff_t *column, ptrdiff_t stride, size_t rows,
                       size_t cols, unsigned char *to)
{
	if (size == sizeof(uint32_t))
		for (size_t r = 0; r < rows; r++, from += stride)
			for (size_t c = 0; c < cols; c++, to += sizeof(uint32_t))
				memcpy(to, from + column[c], sizeof(uint32_t));
	else
		for (size_t r = 0; r < rows; r++, from += stride)
			for (size_t c = 0; c < cols; c++, to += sizeof(uint16_t))
				memcpy(to, from + column[c], sizeof(uint16_t));
}

/* ---- Rows ---------------------------------------------------------------------------------------------------- */

/* Adds n contiguous elements to output i of a tile. g is NULL when the mean does not vary along the run. */
static void add_row(const struct rstd_plan *plan, const unsigned char *x, const unsigned char *g, size_t n,
                    struct tile *tile, size_t i)
{
	const enum rstd__format format = plan->format[RSTD__X];
	double t = 0, q;

	if (g)
		plan->kernels->row_ssd[format](x, g, n, &q);
	else
		plan->kernels->row_moments[format](x, n, tile->shift[i], &t, &q);
	if (!plan->present[RSTD__GIVEN]) /* else t means nothing and stays 0 */
		rstd__sum_add(&tile->t[i], &tile->t_low[i], t);
	rstd__sum_add(&tile->q[i], &tile->q_low[i], q);
}

/* The same for elements apart from each other. */
static __attribute__((noinline)) void add_packed_row(const struct rstd_plan *plan, const unsigned char *x,
                                                     const unsigned char *g, size_t n, struct tile *tile, size_t i)
{
	const size_t size = rstd__format_info[plan->format[RSTD__X]].size;
	const ptrdiff_t x_stride = run_axis(plan)->stride[RSTD__X], g_stride = run_axis(plan)->stride[RSTD__GIVEN];
	alignas(64) unsigned char x_block[PACK_ELEMENTS * sizeof(float)], g_block[PACK_ELEMENTS * sizeof(float)];

	while (n > 0) {
		const size_t now = n < PACK_ELEMENTS ? n : PACK_ELEMENTS;

		pack_row(size, x, x_stride, now, x_block);
		if (g) {
			pack_row(size, g, g_stride, now, g_block);
			g += (ptrdiff_t)now * g_stride;
		}
		add_row(plan, x_block, g ? g_block : NULL, now, tile, i);
		x += (ptrdiff_t)now * x_stride;
		n -= now;
	}
}

/* Whether the run goes through contiguous memory. */
static bool is_contiguous(const struct rstd_plan *plan)
{
	const struct rstd__axis *run = run_axis(plan);
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;

	return run->stride[RSTD__X] == size && (run->stride[RSTD__GIVEN] == size || run->stride[RSTD__GIVEN] == 0);
}

static void sum_rows(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, uint64_t run,
                     uint64_t run_end, struct tile *tile)
{
	const bool given = plan->present[RSTD__GIVEN], varies = run_axis(plan)->stride[RSTD__GIVEN] != 0;
	const bool contiguous = is_contiguous(plan);
	struct rstd__walk walk;

	rstd__walk_start(&walk, plan->kept, plan->kept_rank, first);
	for (size_t i = 0; i < tile->outputs; i++, rstd__walk_next(&walk)) {
		const unsigned char *x = data->in[RSTD__X] + walk.offset[RSTD__X];
		const unsigned char *g = given ? data->in[RSTD__GIVEN] + walk.offset[RSTD__GIVEN] : NULL;
		struct runs runs;

		tile->shift[i] = (double)rstd__load(plan->format[RSTD__X], x);
		runs_start(&runs, plan, run);
		for (uint64_t u = run; u < run_end; u++, runs_next(&runs)) {
			const unsigned char *mean = given ? g + run_offset(&runs, RSTD__GIVEN) : NULL;

			if (given && !varies) {
				tile->shift[i] = (double)rstd__load(plan->format[RSTD__X], mean);
				mean = NULL;
			}
			if (contiguous)
				add_row(plan, x + run_offset(&runs, RSTD__X), mean, (size_t)runs.length, tile, i);
			else
				add_packed_row(plan, x + run_offset(&runs, RSTD__X), mean, (size_t)runs.length, tile,
				               i);
		}
	}
}

/* ---- Tiles side by side -------------------------------------------------------------------------------------- */

/* The sums of one piece of the run, for each column of plan->fold rows side by side. */
struct panel {
	double shift[RSTD__TILE];
	double t[RSTD__TILE], q[RSTD__TILE];
};

/* Columns side by side in memory: adds `rows` rows to the panel. g is NULL when the mean does not vary down them. */
static void add_rows(const struct rstd_plan *plan, const unsigned char *x, ptrdiff_t x_stride, const unsigned char *g,
                     ptrdiff_t g_stride, size_t rows, size_t cols, struct panel *panel)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const ptrdiff_t fold = (ptrdiff_t)plan->fold;
	const size_t wide = rows / plan->fold, rest = rows % plan->fold, done = wide * plan->fold;

	if (g) {
		plan->kernels->col_ssd[format](x, fold * x_stride, g, fold * g_stride, wide, plan->fold * cols,
		                               panel->q);
		if (rest > 0)
			plan->kernels->col_ssd[format](x + (ptrdiff_t)done * x_stride, x_stride,
			                               g + (ptrdiff_t)done * g_stride, g_stride, rest, cols, panel->q);
	} else {
		plan->kernels->col_moments[format](x, fold * x_stride, wide, plan->fold * cols, panel->shift, panel->t,
		                                   panel->q);
		if (rest > 0)
			plan->kernels->col_moments[format](x + (ptrdiff_t)done * x_stride, x_stride, rest, cols,
			                                   panel->shift, panel->t, panel->q);
	}
}

/* As add_rows(), for columns anywhere: x_column and g_column hold their byte offsets. */
static void add_packed(const struct rstd_plan *plan, const unsigned char *x, const ptrdiff_t *x_column,
                       const unsigned char *g, const ptrdiff_t *g_column, size_t rows, size_t cols, struct panel *panel)
{
	const size_t size = rstd__format_info[plan->format[RSTD__X]].size;
	const ptrdiff_t x_stride = run_axis(plan)->stride[RSTD__X], g_stride = run_axis(plan)->stride[RSTD__GIVEN];
	const size_t unit = 8 * plan->fold, most = PACK_ELEMENTS / (cols * unit) * unit;
	alignas(64) unsigned char x_block[PACK_ELEMENTS * sizeof(float)], g_block[PACK_ELEMENTS * sizeof(float)];

	while (rows > 0) {
		const size_t n = rows < most ? rows : most;

		pack_block(size, x, x_column, x_stride, n, cols, x_block);
		x += (ptrdiff_t)n * x_stride;
		if (g) {
			pack_block(size, g, g_column, g_stride, n, cols, g_block);
			g += (ptrdiff_t)n * g_stride;
		}
		add_rows(plan, x_block, (ptrdiff_t)(cols * size), g ? g_block : NULL, (ptrdiff_t)(cols * size), n, cols,
		         panel);
		rows -= n;
	}
}

/* The shift of each column, repeated for each of the folded rows. */
static void set_shifts(const struct rstd_plan *plan, const unsigned char *from, const ptrdiff_t *column, size_t cols,
                       struct panel *panel)
{
	for (size_t c = 0; c < cols; c++)
		panel->shift[c] = (double)rstd__load(plan->format[RSTD__X], from + column[c]);
	for (size_t c = cols; c < cols * plan->fold; c++)
		panel->shift[c] = panel->shift[c - cols];
}

/* Adds the folded rows together, then the panel to the tile. With a given mean t means nothing and stays 0. */
static void merge_panel(const struct rstd_plan *plan, struct panel *panel, size_t cols, struct tile *tile)
{
	for (size_t c = cols; c < cols * plan->fold; c++) {
		panel->t[c % cols] += panel->t[c];
		panel->q[c % cols] += panel->q[c];
	}
	if (!plan->present[RSTD__GIVEN])
		plan->kernels->merge(tile->t, tile->t_low, panel->t, cols);
	plan->kernels->merge(tile->q, tile->q_low, panel->q, cols);
}

/* The sums of one piece of the run for a tile, into a panel. g is NULL when the mean does not vary along the run. */
static void sum_panel(const struct rstd_plan *plan, const unsigned char *x, const ptrdiff_t *x_offset,
                      const unsigned char *g, const ptrdiff_t *g_offset, size_t length, size_t cols,
                      struct panel *panel)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const size_t wide = cols * plan->fold * sizeof(double);

	if (plan->loop == RSTD__SHORT) {
		if (g)
			plan->kernels->short_ssd[format](x, x_offset, g, g_offset, cols, length, panel->q);
		else
			plan->kernels->short_moments[format](x, x_offset, cols, length, panel->shift, panel->t,
			                                     panel->q);
		return;
	}
	memset(panel->t, 0, wide);
	memset(panel->q, 0, wide);
	if (plan->loop == RSTD__COLS)
		add_rows(plan, x + x_offset[0], run_axis(plan)->stride[RSTD__X], g ? g + g_offset[0] : NULL,
		         run_axis(plan)->stride[RSTD__GIVEN], length, cols, panel);
	else
		add_packed(plan, x, x_offset, g, g_offset, length, cols, panel);
}

static void sum_tile(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, uint64_t run,
                     uint64_t run_end, struct tile *tile)
{
	const bool given = plan->present[RSTD__GIVEN], varies = run_axis(plan)->stride[RSTD__GIVEN] != 0;
	const size_t cols = tile->outputs;
	ptrdiff_t x_offset[RSTD__TILE], g_offset[RSTD__TILE];
	struct panel panel;
	struct runs runs;

	fill_offsets(plan, RSTD__X, first, cols, x_offset);
	if (given)
		fill_offsets(plan, RSTD__GIVEN, first, cols, g_offset);
	set_shifts(plan, data->in[RSTD__X], x_offset, cols, &panel);
	memcpy(tile->shift, panel.shift, cols * sizeof(double));

	runs_start(&runs, plan, run);
	for (uint64_t u = run; u < run_end; u++, runs_next(&runs)) {
		const unsigned char *x = data->in[RSTD__X] + run_offset(&runs, RSTD__X);
		const unsigned char *g = given ? data->in[RSTD__GIVEN] + run_offset(&runs, RSTD__GIVEN) : NULL;

		if (given && !varies)
			set_shifts(plan, g, g_offset, cols, &panel);
		sum_panel(plan, x, x_offset, varies ? g : NULL, g_offset, (size_t)runs.length, cols, &panel);
		merge_panel(plan, &panel, cols, tile);
	}
}

/* ---- Finish -------------------------------------------------------------------------------------------------- */

/* Stores n results of an output operand from number `first` on, if the plan has it. */
static void store_results(const struct rstd_plan *plan, const struct rstd__data *data, enum rstd__operand op,
                          uint64_t first, size_t n, const double *result)
{
	ptrdiff_t offset[RSTD__FINISH_MAX];

	if (!plan->present[op])
		return;
	fill_offsets(plan, op, first, n, offset);
	switch (plan->format[op]) {
	case RSTD__F16:
		for (size_t i = 0; i < n; i++)
			rstd__store(RSTD__F16, data->out[op] + offset[i], result[i]);
		break;
	case RSTD__BF16:
		for (size_t i = 0; i < n; i++)
			rstd__store(RSTD__BF16, data->out[op] + offset[i], result[i]);
		break;
	default:
		for (size_t i = 0; i < n; i++)
			rstd__store(RSTD__F32, data->out[op] + offset[i], result[i]);
	}
}

/* Rounds the sums of a tile, sends up the ladder what they do not settle, and stores. */
static void finish_tile(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first,
                        const struct tile *tile)
{
	double y[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX];
	rstd_level_counts levels = { 0 };

	for (size_t i = 0; i < tile->outputs; i += RSTD__FINISH_MAX) {
		const size_t left = tile->outputs - i, n = left < RSTD__FINISH_MAX ? left : RSTD__FINISH_MAX;
		uint64_t open =
			plan->kernels->finish(&plan->finish, n, tile->shift + i, tile->t + i, tile->q + i, y, mean);

		levels.fast += n;
		for (; open; open &= open - 1) {
			const size_t j = (size_t)__builtin_ctzll(open);

			levels.fast--;
			rstd__settle(plan, data, first + i + j, tile->shift[i + j], tile->t[i + j], tile->q[i + j],
			             &y[j], &mean[j], &levels);
		}
		store_results(plan, data, RSTD__Y, first + i, n, y);
		store_results(plan, data, RSTD__MEAN, first + i, n, mean);
	}
	rstd__count_levels(&levels);
}

/* The two parts of each sum in one. */
static void close_sums(struct tile *tile)
{
	for (size_t i = 0; i < tile->outputs; i++) {
		tile->t[i] = rstd__sum_close(tile->t[i], tile->t_low[i]);
		tile->q[i] = rstd__sum_close(tile->q[i], tile->q_low[i]);
	}
}

static void clear_sums(struct tile *tile)
{
	const size_t bytes = tile->outputs * sizeof(double);

	memset(tile->t, 0, bytes);
	memset(tile->t_low, 0, bytes);
	memset(tile->q, 0, bytes);
	memset(tile->q_low, 0, bytes);
}

/* The sums of the outputs of a unit over runs [run, run_end). */
static void sum_unit(const struct job *job, uint64_t unit, uint64_t run, uint64_t run_end, struct tile *tile)
{
	uint64_t first;

	tile->outputs = rstd__unit(job->plan, unit, &first);
	clear_sums(tile);
	if (job->plan->loop == RSTD__ROWS)
		sum_rows(job->plan, job->data, first, run, run_end, tile);
	else
		sum_tile(job->plan, job->data, first, run, run_end, tile);
	close_sums(tile);
}

static void run_whole_unit(void *context, size_t unit)
{
	const struct job *job = context;
	struct tile tile;
	uint64_t first;

	sum_unit(job, unit, 0, job->plan->runs, &tile);
	rstd__unit(job->plan, unit, &first);
	finish_tile(job->plan, job->data, first, &tile);
}

static struct part_sums *partials_of(const struct job *job, uint64_t unit)
{
	return job->partials + unit * job->plan->tile * job->plan->parts;
}

/* One part of the runs of one unit: index = unit * parts + part. */
static void run_part(void *context, size_t index)
{
	const struct job *job = context;
	const struct rstd_plan *plan = job->plan;
	const uint64_t unit = index / plan->parts, part = index % plan->parts;
	const uint64_t share = plan->runs / plan->parts, longer = plan->runs % plan->parts;
	const uint64_t run = part * share + (part < longer ? part : longer);
	struct part_sums *sums = partials_of(job, unit);
	struct tile tile;

	sum_unit(job, unit, run, run + share + (part < longer), &tile);
	for (size_t i = 0; i < tile.outputs; i++)
		sums[i * plan->parts + part] = (struct part_sums){ tile.t[i], tile.q[i] };
}

/* Adds the parts of a unit and finishes it. */
static void join_parts(void *context, size_t unit)
{
	const struct job *job = context;
	const struct rstd_plan *plan = job->plan;
	const struct part_sums *sums = partials_of(job, unit);
	struct rstd__walk walk;
	struct tile tile;
	uint64_t first;

	tile.outputs = rstd__unit(plan, unit, &first);
	clear_sums(&tile);
	rstd__walk_start(&walk, plan->kept, plan->kept_rank, first);
	for (size_t i = 0; i < tile.outputs; i++, rstd__walk_next(&walk)) {
		tile.shift[i] =
			(double)rstd__load(plan->format[RSTD__X], job->data->in[RSTD__X] + walk.offset[RSTD__X]);
		for (uint64_t part = 0; part < plan->parts; part++, sums++) {
			rstd__sum_add(&tile.t[i], &tile.t_low[i], sums->t);
			rstd__sum_add(&tile.q[i], &tile.q_low[i], sums->q);
		}
	}
	close_sums(&tile);
	finish_tile(plan, job->data, first, &tile);
}

/* ---- Execute ------------------------------------------------------------------------------------------------- */

/* Slices without elements: NaN, but for the own mean that the operator says. */
static void fill_empty(const struct rstd_plan *plan, const struct rstd__data *data)
{
	struct rstd__walk walk;

	rstd__walk_start(&walk, plan->kept, plan->kept_rank, 0);
	for (uint64_t i = 0; i < plan->outputs; i++, rstd__walk_next(&walk)) {
		if (plan->present[RSTD__Y])
			rstd__store(plan->format[RSTD__Y], data->out[RSTD__Y] + walk.offset[RSTD__Y], (double)NAN);
		if (plan->present[RSTD__MEAN])
			rstd__store(plan->format[RSTD__MEAN], data->out[RSTD__MEAN] + walk.offset[RSTD__MEAN],
			            plan->empty_mean);
	}
}

size_t rstd_plan_workspace_size(const rstd_plan *plan)
{
	if (!plan || plan->parts <= 1)
		return 0;
	return plan->units * plan->tile * plan->parts * sizeof(struct part_sums) + alignof(struct part_sums);
}

void rstd__plan_execute(const struct rstd_plan *plan, const struct rstd__data *data, void *workspace)
{
	const uintptr_t misfit = (uintptr_t)workspace % alignof(struct part_sums);
	unsigned char *const aligned = (unsigned char *)workspace + (misfit ? alignof(struct part_sums) - misfit : 0);
	struct job job = { .plan = plan, .data = data, .partials = (struct part_sums *)(void *)aligned };

	if (plan->outputs == 0)
		return;
	if (plan->n == 0) {
		fill_empty(plan, data);
		return;
	}
	if (plan->parts == 1) {
		rstd__parallel_for(plan->threads, plan->units, run_whole_unit, &job);
		return;
	}
	rstd__parallel_for(plan->threads, plan->units * plan->parts, run_part, &job);
	rstd__parallel_for(plan->threads, plan->units, join_parts, &job);
}
