/*
 * run.c - running a plan: tiles of sums over threads, then finish, then store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdalign.h>

#include "core/ladder.h"
#include "core/plan.h"
#include "core/settings.h"
#include "core/sums.h"
#include "runtime/threads.h"

/*
 * To sum a column again, apart from the others of its tile, costs about as much as this many with their tile: of each
 * line of memory it uses only one element.
 */
#define ALONE_COST 64

_Static_assert(RSTD__TILE / ALONE_COST <= RSTD__FINISH_MAX, "a list of columns must have room");

/* What one part of a split slice hands on to the finish. */
struct part_sums {
	double t, q;
};

struct job {
	const struct rstd_plan *plan;
	const struct rstd__data *data;
	struct part_sums *partials; /* [unit][output of the unit][part], tiles apart */
};

/* ---- Finish -------------------------------------------------------------------------------------------------- */

/* n results of an output operand, `stride` bytes apart. */
static void store_side(const struct rstd_plan *plan, enum rstd__operand op, unsigned char *to, ptrdiff_t stride,
                       size_t n, const double *result)
{
	const enum rstd__format format = plan->format[op];

	if (stride == (ptrdiff_t)rstd__format_info[format].size)
		plan->kernels->narrow[format](result, n, to);
	else
		for (size_t i = 0; i < n; i++, to += stride)
			rstd__store(format, to, result[i]);
}

/* Stores n results of an output operand from number `first` on, if the plan has it. */
static void store_results(const struct rstd_plan *plan, const struct rstd__data *data, enum rstd__operand op,
                          uint64_t first, size_t n, const double *result)
{
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	const uint64_t count = (uint64_t)side->count;
	struct rstd__walk outer;
	uint64_t index;

	if (!plan->present[op])
		return;
	if (plan->in_line[op]) {
		store_side(plan, op, data->out[op] + (ptrdiff_t)first * side->stride[op], side->stride[op], n, result);
		return;
	}
	rstd__walk_start(&outer, plan->kept, plan->kept_rank - 1, rstd__divide(first, count, &index));
	for (size_t i = 0; i < n; rstd__walk_next(&outer), index = 0) {
		const size_t now = count - index < n - i ? (size_t)(count - index) : n - i;

		store_side(plan, op, data->out[op] + outer.offset[op] + (ptrdiff_t)index * side->stride[op],
		           side->stride[op], now, result + i);
		i += now;
	}
}

/* Finishes the outputs that rough sums of short rows, which have no mean, leave open, after fine sums of all of these. */
static __attribute__((noinline)) void finish_again(const struct rstd_plan *plan, const struct rstd__data *data,
                                                   uint64_t first, uint64_t which, double *y, rstd_level_counts *levels)
{
	double shift[RSTD__FINISH_MAX], t[RSTD__FINISH_MAX], q[RSTD__FINISH_MAX];
	double again[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX] = { 0 };
	size_t place[RSTD__FINISH_MAX];
	const size_t n = rstd__sum_again(plan, data, first, which, shift, t, q);
	const struct rstd__open open = plan->kernels->finish(&plan->again, n, shift, t, q, again, NULL);

	for (size_t i = 0; i < n; i++, which &= which - 1)
		place[i] = (size_t)__builtin_ctzll(which);
	if (open.y)
		rstd__settle(plan, data, &(struct rstd__unsettled){ first, place, n, shift, t, q, open, NULL }, again,
		             mean, levels);
	for (size_t i = 0; i < n; i++)
		y[place[i]] = again[i];
}

/* Rounds n <= RSTD__FINISH_MAX sums, of outputs from number `first` on, settles what they leave open, and stores. */
static void finish_some(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t n,
                        const double *shift, const double *t, const double *q, struct rstd__look *look,
                        rstd_level_counts *levels)
{
	alignas(64) double y[RSTD__FINISH_MAX];
	alignas(64) double mean[RSTD__FINISH_MAX];
	const struct rstd__open open = plan->kernels->finish(&plan->finish, n, shift, t, q, y, mean);

	levels->fast += n;
	if (__builtin_expect((open.y | open.mean) != 0, false)) {
		if (plan->sums == &plan->kernels->rough && plan->loop == RSTD__SHORT)
			finish_again(plan, data, first, open.y, y, levels);
		else
			rstd__settle(plan, data, &(struct rstd__unsettled){ first, NULL, n, shift, t, q, open, look },
			             y, mean, levels);
	}
	store_results(plan, data, RSTD__Y, first, n, y);
	store_results(plan, data, RSTD__MEAN, first, n, mean);
}

static void finish_sums(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first,
                        const struct rstd__tile *tile)
{
	rstd_level_counts levels = { 0 };
	struct rstd__look look = { .tile = tile, .first = first };

	for (size_t i = 0; i < tile->outputs; i += RSTD__FINISH_MAX) {
		const size_t left = tile->outputs - i, n = left < RSTD__FINISH_MAX ? left : RSTD__FINISH_MAX;

		finish_some(plan, data, first + i, n, tile->shift + i, tile->t + i, tile->q + i, &look, &levels);
	}
	rstd__count_levels(&levels);
}

/*
 * The same for rough sums, which have no mean, but for the outputs that these leave open. Returns how many they are, and
 * lists the first `most` of them by their place in the tile.
 */
static size_t finish_roughly(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first,
                             const struct rstd__tile *tile, size_t most, size_t *open)
{
	alignas(64) double y[RSTD__FINISH_MAX];
	size_t count = 0;

	for (size_t i = 0; i < tile->outputs; i += RSTD__FINISH_MAX) {
		const size_t left = tile->outputs - i, n = left < RSTD__FINISH_MAX ? left : RSTD__FINISH_MAX;
		struct rstd__open some =
			plan->kernels->finish(&plan->finish, n, tile->shift + i, tile->t + i, tile->q + i, y, NULL);

		for (; some.y; some.y &= some.y - 1, count++)
			if (count < most)
				open[count] = i + (size_t)__builtin_ctzll(some.y);
		store_results(plan, data, RSTD__Y, first + i, n, y);
	}
	return count;
}

/* Sums some outputs of a tile again, finely, finishes and stores them. */
static void finish_listed(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t count,
                          const size_t *place, struct rstd__tile *tile, rstd_level_counts *levels)
{
	double y[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX] = { 0 };
	struct rstd__open open;
	struct rstd_plan fine;

	rstd__plan_some_finely(&fine, plan, count);
	rstd__sum_some(&fine, data, first, count, place, tile);
	open = fine.kernels->finish(&fine.finish, count, tile->shift, tile->t, tile->q, y, NULL);
	if (open.y)
		rstd__settle(
			&fine, data,
			&(struct rstd__unsettled){ first, place, count, tile->shift, tile->t, tile->q, open, NULL }, y,
			mean, levels);
	for (size_t i = 0; i < count; i++)
		store_results(plan, data, RSTD__Y, first + place[i], 1, &y[i]);
}

/* Finishes a tile of rough sums, which it uses up. */
static void finish_rough_tile(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first,
                              struct rstd__tile *tile)
{
	const size_t share = tile->outputs / ALONE_COST;
	const size_t most = plan->loop == RSTD__ROWS ? RSTD__FINISH_MAX : share > 0 ? share : 1;
	size_t open[RSTD__FINISH_MAX];
	const size_t count = finish_roughly(plan, data, first, tile, most, open);
	rstd_level_counts levels = { .fast = tile->outputs };
	struct rstd_plan fine;

	if (count > most) {
		rstd__plan_finely(&fine, plan);
		rstd__sum_tile(&fine, data, first, tile->outputs, 0, fine.runs, tile);
		finish_sums(&fine, data, first, tile);
		return;
	}
	if (count > 0)
		finish_listed(plan, data, first, count, open, tile, &levels);
	rstd__count_levels(&levels);
}

static void finish_tile(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first,
                        struct rstd__tile *tile)
{
	if (plan->sums == &plan->kernels->rough && plan->loop != RSTD__SHORT)
		finish_rough_tile(plan, data, first, tile);
	else
		finish_sums(plan, data, first, tile);
}

/* ---- Units of work ------------------------------------------------------------------------------------------- */

/* A unit of a plan that is `quick`: what the kernel does not settle as other plans do all. */
static void run_quickly(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t outputs)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const ptrdiff_t *stride = plan->kept[0].stride;
	const struct rstd__finish *again = plan->sums == &plan->kernels->rough ? &plan->again : NULL;
	struct rstd__tile tile;

	for (;;) {
		const size_t done = plan->kernels->std[format](
			&plan->finish, again, data->in[RSTD__X] + (ptrdiff_t)first * stride[RSTD__X], stride[RSTD__X],
			outputs, (size_t)plan->n, data->out[RSTD__Y] + (ptrdiff_t)first * stride[RSTD__Y]);
		const size_t left = outputs - done, now = left < RSTD__FINISH_MAX ? left : RSTD__FINISH_MAX;

		rstd__count_levels(&(rstd_level_counts){ .fast = done });
		first += done;
		if (left == 0)
			return;
		rstd__sum_tile(plan, data, first, now, 0, plan->runs, &tile);
		finish_sums(plan, data, first, &tile);
		first += now;
		outputs = left - now;
	}
}

static void run_unit(void *context, size_t unit)
{
	const struct job *job = context;
	uint64_t first;
	const size_t outputs = rstd__unit_outputs(job->plan, unit, &first);
	struct rstd__tile tile;

	if (job->plan->quick) {
		run_quickly(job->plan, job->data, first, outputs);
		return;
	}
	rstd__sum_tile(job->plan, job->data, first, outputs, 0, job->plan->runs, &tile);
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
	uint64_t part;
	const uint64_t unit = rstd__divide(index, plan->parts, &part);
	const uint64_t from = rstd__part_start(plan->runs, plan->parts, part),
		       to = rstd__part_start(plan->runs, plan->parts, part + 1);
	struct part_sums *sums = partials_of(job, unit);
	uint64_t first;
	const size_t outputs = rstd__unit_outputs(plan, unit, &first);
	struct rstd__tile tile;

	rstd__sum_tile(plan, job->data, first, outputs, from, to, &tile);
	for (size_t i = 0; i < outputs; i++)
		sums[i * plan->parts + part] = (struct part_sums){ tile.t[i], tile.q[i] };
}

/* Adds the parts of a unit and finishes it. */
static void join_parts(void *context, size_t unit)
{
	const struct job *job = context;
	const struct rstd_plan *plan = job->plan;
	const struct part_sums *sums = partials_of(job, unit);
	uint64_t first;
	const size_t outputs = rstd__unit_outputs(plan, unit, &first);
	struct rstd__tile tile;

	rstd__set_shifts(plan, job->data, first, outputs, &tile);
	for (size_t i = 0; i < outputs; i++) {
		double t = 0, t_low = 0, q = 0, q_low = 0;

		for (uint64_t part = 0; part < plan->parts; part++, sums++) {
			rstd__sum_add(&t, &t_low, sums->t);
			rstd__sum_add(&q, &q_low, sums->q);
		}
		tile.t[i] = rstd__sum_close(t, t_low);
		tile.q[i] = rstd__sum_close(q, q_low);
	}
	finish_tile(plan, job->data, first, &tile);
}

/* All of a plan that is `few`: what run_unit() does, without its loops, which would have one turn each. */
static void run_few(const struct rstd_plan *plan, const struct rstd__data *data)
{
	double shift[RSTD__FINISH_MAX], t[RSTD__FINISH_MAX], q[RSTD__FINISH_MAX];
	rstd_level_counts levels = { 0 };

	rstd__sum_few(plan, data, shift, t, q);
	finish_some(plan, data, 0, (size_t)plan->outputs, shift, t, q, NULL, &levels);
	rstd__count_levels(&levels);
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
	if (plan->few) {
		run_few(plan, data);
		return;
	}

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
		rstd__parallel_for(plan->threads, plan->units, run_unit, &job);
		return;
	}
	rstd__parallel_for(plan->threads, plan->units * plan->parts, run_part, &job);
	rstd__parallel_for(plan->threads, plan->units, join_parts, &job);
}
