/*
 * compile.c - a form from a graph and its feeds, and running it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/form.h"
#include "cann/ge/message.h"
#include "runtime/fpmode.h"

/* ---- Which nodes --------------------------------------------------------------------------------------------- */

static void need(const rstd_node *node, unsigned char *needed, size_t *stack, size_t *depth)
{
	if (!node || needed[node->index])
		return;
	needed[node->index] = 1;
	stack[(*depth)++] = node->index;
}

/* needed[i] becomes 1 for the nodes that outputs and targets come from; for all when there are neither. */
static void mark_needed(const rstd_graph *graph, unsigned char *needed, size_t *stack)
{
	size_t depth = 0;

	for (size_t i = 0; i < graph->output_count; i++)
		need(graph->outputs[i].node, needed, stack, &depth);
	for (size_t i = 0; i < graph->targets.count; i++)
		need(graph->targets.at[i], needed, stack, &depth);
	if (depth == 0)
		memset(needed, 1, graph->nodes.count);
	while (depth > 0) {
		const rstd_node *node = graph->nodes.at[stack[--depth]];

		for (size_t i = 0; i < node->input_count; i++)
			need(node->inputs[i].node, needed, stack, &depth);
		for (size_t i = 0; i < node->control_inputs.count; i++)
			need(node->control_inputs.at[i], needed, stack, &depth);
	}
}

static rstd_ge_status lower_nodes(struct rstd__builder *b)
{
	const size_t count = b->graph->nodes.count;
	size_t *order = malloc((count + 1) * sizeof(*order)), *stack = malloc((count + 1) * sizeof(*stack));
	unsigned char *needed = calloc(count + 1, 1);
	const bool ok = order && stack && needed;
	rstd_ge_status status = ok ? rstd__graph_order(b->graph, order) : rstd__ge_no_memory("an order of nodes");

	if (ok && status == RSTD_GE_SUCCESS)
		mark_needed(b->graph, needed, stack);
	for (size_t i = 0; ok && i < count && status == RSTD_GE_SUCCESS; i++)
		if (needed[order[i]])
			status = rstd__lower(b, b->graph->nodes.at[order[i]]);
	free(needed);
	free(stack);
	free(order);
	return status;
}

/* ---- Results ------------------------------------------------------------------------------------------------- */

/* Whether a value is all of a storage that may lie where a result is wanted. */
static bool can_be_result(const struct rstd__storage *storage, const struct rstd__value *v)
{
	return storage->kind == RSTD__COMPUTED && storage->result == RSTD__NONE && rstd__value_is_contiguous(v) &&
	       rstd__value_bytes(v) == storage->bytes;
}

static rstd_ge_status add_results(struct rstd__builder *b)
{
	struct rstd__form *form = b->form;
	rstd_ge_status status = RSTD_GE_SUCCESS;

	form->results = calloc(b->graph->output_count + 1, sizeof(*form->results));
	if (!form->results)
		return rstd__ge_no_memory("results");
	for (size_t i = 0; i < b->graph->output_count && status == RSTD_GE_SUCCESS; i++) {
		const struct rstd__edge *output = &b->graph->outputs[i];
		struct rstd__value *v = &form->results[i];

		*v = (struct rstd__value){ .storage = RSTD__NONE };
		if (output->index < RSTD__MAX_OUTPUTS)
			*v = b->values[output->node->index][output->index];
		if (v->storage >= form->storage_count) /* also RSTD__NONE */
			return rstd__ge_fail("%s(%s): output %zu is to be returned, but gives nothing",
			                     output->node->op->name, output->node->op->type, output->index);
		if (!can_be_result(&form->storages[v->storage], v)) {
			const struct rstd__value from = *v;

			status = rstd__copy_step(b, output->node, &from, v);
		}
		if (status == RSTD_GE_SUCCESS)
			form->storages[v->storage].result = i;
		form->result_count++;
	}
	return status;
}

/* ---- Steps that nobody reads --------------------------------------------------------------------------------- */

static void use(struct rstd__form *form, const struct rstd__value *v, size_t step)
{
	struct rstd__storage *storage = v->storage == RSTD__NONE ? NULL : &form->storages[v->storage];

	if (!storage)
		return;
	if (!storage->used)
		storage->last = step;
	storage->used = true;
}

/* From the last step to the first: what is read by a step that lives, or returned, is used. */
static void drop_dead_steps(struct rstd__form *form)
{
	size_t kept = 0;

	for (size_t i = 0; i < form->result_count; i++)
		form->storages[form->results[i].storage].used = true;
	for (size_t i = form->step_count; i-- > 0;) {
		struct rstd__step *step = &form->steps[i];

		for (size_t k = 0; k < 2; k++)
			if (step->out[k].storage != RSTD__NONE && !form->storages[step->out[k].storage].used)
				step->out[k].storage = RSTD__NONE;
		step->dead = step->out[0].storage == RSTD__NONE && step->out[1].storage == RSTD__NONE;
		for (size_t k = 0; k < 2 && !step->dead; k++)
			use(form, &step->in[k], i);
	}
	for (size_t i = 0; i < form->storage_count; i++)
		form->storages[i].first = form->storages[i].last = RSTD__NONE;
	for (size_t i = 0; i < form->step_count; i++)
		if (!form->steps[i].dead)
			form->steps[kept++] = form->steps[i];
	form->step_count = kept;
}

/* When each storage comes to life, and when it is read for the last time. */
static void set_lifetimes(struct rstd__form *form)
{
	for (size_t i = 0; i < form->step_count; i++) {
		const struct rstd__step *step = &form->steps[i];

		for (size_t k = 0; k < 2; k++) {
			if (step->out[k].storage != RSTD__NONE) {
				form->storages[step->out[k].storage].first = i;
				form->storages[step->out[k].storage].last = i;
			}
			if (step->in[k].storage != RSTD__NONE)
				form->storages[step->in[k].storage].last = i;
		}
	}
}

/* ---- Plans --------------------------------------------------------------------------------------------------- */

static rstd_dtype native_dtype(int32_t dtype)
{
	return dtype == RSTD_DT_FLOAT ? RSTD_F32 : dtype == RSTD_DT_FLOAT16 ? RSTD_F16 : RSTD_BF16;
}

static rstd_tensor native_tensor(const struct rstd__value *v)
{
	rstd_tensor t = { .dtype = native_dtype(v->dtype), .rank = v->rank };

	memcpy(t.shape, v->dims, sizeof(t.shape));
	memcpy(t.strides, v->strides, sizeof(t.strides));
	return t;
}

static size_t list_axes(uint64_t axes, int64_t list[RSTD_MAX_RANK])
{
	size_t count = 0;

	for (int a = 0; a < RSTD_MAX_RANK; a++)
		if (axes >> a & 1)
			list[count++] = a;
	return count;
}

static rstd_status plan_std_mean(struct rstd__step *step)
{
	const bool wants_std = step->out[RSTD__OUT_Y].storage != RSTD__NONE;
	const bool wants_mean = step->out[RSTD__OUT_MEAN].storage != RSTD__NONE;
	const rstd_tensor x = native_tensor(&step->in[0]);
	const rstd_tensor std = native_tensor(&step->out[RSTD__OUT_Y]);
	const rstd_tensor mean = native_tensor(&step->out[RSTD__OUT_MEAN]);
	int64_t dims[RSTD_MAX_RANK];

	return rstd_plan_std_mean(&step->plan, &x, dims, list_axes(step->axes, dims), step->correction, false,
	                          wants_std ? &std : NULL, wants_mean ? &mean : NULL);
}

static rstd_status plan_std_about(struct rstd__step *step)
{
	const rstd_tensor x = native_tensor(&step->in[0]), mean = native_tensor(&step->in[1]);
	const rstd_tensor y = native_tensor(&step->out[RSTD__OUT_Y]);
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;
	int64_t dims[RSTD_MAX_RANK];

	attrs.dim = step->scalar_dims ? step->scalar_dims : dims;
	attrs.dim_count = step->scalar_dims ? step->scalar_dim_count : list_axes(step->axes, dims);
	attrs.correction = step->correction;
	attrs.invert = step->invert;
	attrs.epsilon = step->epsilon;
	return rstd_plan_reduce_std_with_mean(&step->plan, &x, &mean, &attrs, &y);
}

static void plan_elementwise(struct rstd__step *step)
{
	const struct rstd__value *y = &step->out[RSTD__OUT_Y], *a = &step->in[0];
	const struct rstd__value *b = step->in[1].storage != RSTD__NONE ? &step->in[1] : a;

	rstd__elementwise_prepare(&step->loop, y->rank, y->dims, a->strides, b->strides);
}

static rstd_ge_status make_plan(struct rstd__step *step)
{
	rstd_status status = RSTD_OK;
	rstd_tensor x;

	switch (step->kind) {
	case RSTD__ELEMENTWISE:
		plan_elementwise(step);
		break;
	case RSTD__STD_MEAN:
		status = plan_std_mean(step);
		break;
	case RSTD__STD_ABOUT:
		status = plan_std_about(step);
		break;
	case RSTD__SUMS:
	case RSTD__VARIANCES:
		x = native_tensor(&step->in[0]);
		rstd__slices_init(&step->slices, &x, step->axes);
		break;
	case RSTD__VARIANCES_ABOUT:
		x = native_tensor(&step->in[0]);
		rstd__slices_init(&step->slices, &x, step->axes);
		x = native_tensor(&step->in[1]);
		rstd__slices_init(&step->mean_slices, &x, step->axes);
		break;
	}
	step->workspace = rstd_plan_workspace_size(step->plan);
	if (status == RSTD_OK)
		return RSTD_GE_SUCCESS;
	return rstd__ge_fail("%s(%s): %s", step->node->op->name, step->node->op->type, rstd_last_error());
}

static rstd_ge_status make_plans(struct rstd__form *form)
{
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < form->step_count && status == RSTD_GE_SUCCESS; i++)
		status = make_plan(&form->steps[i]);
	return status;
}

/* ---- Forms --------------------------------------------------------------------------------------------------- */

void rstd__form_free(struct rstd__form *form)
{
	if (!form)
		return;
	for (size_t i = 0; i < form->step_count; i++)
		rstd_plan_destroy(form->steps[i].plan);
	for (size_t i = 0; i < form->feed_count; i++)
		free(form->feeds[i].value);
	for (size_t i = 0; i < form->fusion_count; i++)
		free(form->fusions[i].text);
	free(form->steps);
	free(form->storages);
	free(form->results);
	free(form->feeds);
	free(form->fusions);
	free(form);
}

uint64_t rstd__attrs_version(const rstd_graph *graph)
{
	uint64_t version = 0;

	for (size_t i = 0; i < graph->nodes.count; i++)
		version += graph->nodes.at[i]->op->attrs.version;
	return version;
}

static rstd_ge_status fill(struct rstd__builder *b)
{
	const size_t count = b->graph->nodes.count;
	rstd_ge_status status;

	b->values = malloc((count + 1) * sizeof(*b->values));
	if (!b->values)
		return rstd__ge_no_memory("values");
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < RSTD__MAX_OUTPUTS; k++)
			b->values[i][k].storage = RSTD__NONE;
	status = lower_nodes(b);
	if (status == RSTD_GE_SUCCESS)
		status = add_results(b);
	free(b->values);
	if (status != RSTD_GE_SUCCESS)
		return status;
	drop_dead_steps(b->form);
	set_lifetimes(b->form);
	status = make_plans(b->form);
	return status == RSTD_GE_SUCCESS ? rstd__plan_memory(b->form) : status;
}

struct rstd__form *rstd__compile(const rstd_graph *graph, const rstd_ge_tensor *feeds, struct rstd__feed_key *keys,
                                 size_t key_count, enum rstd__fusion_level level)
{
	struct rstd__builder b = { .graph = graph, .feeds = feeds, .level = level };

	b.form = calloc(1, sizeof(*b.form));
	if (!b.form) {
		free(keys);
		(void)rstd__ge_no_memory("a compiled form");
		return NULL;
	}
	b.form->feeds = keys;
	b.form->feed_count = key_count;
	b.form->graph_version = graph->version;
	b.form->attrs_version = rstd__attrs_version(graph);
	if (fill(&b) == RSTD_GE_SUCCESS)
		return b.form;
	rstd__form_free(b.form);
	return NULL;
}

/* ---- Running ------------------------------------------------------------------------------------------------- */

/* Where an input's elements are; NULL for an input that is not there. */
static const void *data_of(const struct rstd__form *form, const struct rstd__value *v)
{
	const struct rstd__storage *storage = v->storage == RSTD__NONE ? NULL : &form->storages[v->storage];

	if (!storage)
		return NULL;
	return storage->kind == RSTD__COMPUTED ? storage->out : storage->data;
}

static void *place_of(const struct rstd__form *form, const struct rstd__value *v)
{
	return v->storage == RSTD__NONE ? NULL : form->storages[v->storage].out;
}

static void bind(struct rstd__form *form, const rstd_ge_tensor *feeds, unsigned char *arena, void *const *results)
{
	for (size_t i = 0; i < form->storage_count; i++) {
		struct rstd__storage *storage = &form->storages[i];

		if (storage->kind == RSTD__FEED)
			storage->data = feeds[storage->feed].data;
		else if (storage->kind == RSTD__COMPUTED && storage->result != RSTD__NONE)
			storage->out = results[storage->result];
		else if (storage->kind == RSTD__COMPUTED && storage->offset != RSTD__NONE)
			storage->out = arena + storage->offset;
	}
}

static rstd_status run_step(const struct rstd__form *form, const struct rstd__step *step, unsigned char *arena)
{
	const void *a = data_of(form, &step->in[0]), *b = data_of(form, &step->in[1]);
	void *y = place_of(form, &step->out[RSTD__OUT_Y]), *mean = place_of(form, &step->out[RSTD__OUT_MEAN]);

	switch (step->kind) {
	case RSTD__ELEMENTWISE:
		rstd__elementwise_run(&step->loop, a, b, y);
		return RSTD_OK;
	case RSTD__SUMS:
		return rstd__sums(&step->slices, a, y);
	case RSTD__VARIANCES:
		return rstd__variances(&step->slices, a, step->correction, y, mean);
	case RSTD__VARIANCES_ABOUT:
		rstd__variances_about(&step->slices, a, &step->mean_slices, b, step->correction, y);
		return RSTD_OK;
	default:
		return rstd_plan_run(step->plan, a, b, y, mean,
		                     step->workspace > 0 ? arena + step->workspace_offset : NULL);
	}
}

RSTD__FP_BODY static rstd_ge_status run_steps(const struct rstd__form *form, unsigned char *arena)
{
	for (size_t i = 0; i < form->step_count; i++) {
		const struct rstd__step *step = &form->steps[i];

		if (run_step(form, step, arena) != RSTD_OK)
			return rstd__ge_fail("%s(%s): %s", step->node->op->name, step->node->op->type,
			                     rstd_last_error());
	}
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd__form_run(struct rstd__form *form, const rstd_ge_tensor *feeds, void *arena, void *const *results)
{
	rstd_ge_status status;
	rstd__fpmode mode;

	bind(form, feeds, arena, results);
	mode = rstd__fpmode_enter();
	status = run_steps(form, arena);
	rstd__fpmode_leave(mode);
	return status;
}
