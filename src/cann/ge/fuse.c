/*
 * fuse.c - steps that do the work of several nodes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every rule looks back from the node at hand at the steps that made its inputs, and changes those in place; what
 * nobody reads afterwards is removed later (compile.c). A rule that keeps every bit is on unless fusion is off; one
 * that leaves out the rounding of an intermediate result is on only when everything may be fused.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/form.h"
#include "cann/ge/message.h"

/* A report that cannot be kept for want of memory is left out: the form is right without it. */
static void report(struct rstd__builder *b, bool keeps_bits, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void report(struct rstd__builder *b, bool keeps_bits, const char *format, ...)
{
	struct rstd__form *form = b->form;
	struct rstd__fusion *grown;
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	grown = rstd__grown(form->fusions, &form->fusion_capacity, form->fusion_count + 1, sizeof(*grown));
	if (!grown)
		return;
	form->fusions = grown;
	grown[form->fusion_count].keeps_bits = keeps_bits;
	grown[form->fusion_count].text = rstd__text_copy(text);
	form->fusion_count += grown[form->fusion_count].text != NULL;
}

/* The step that computed a value; NULL when it is a feed or a constant. */
static struct rstd__step *maker(struct rstd__builder *b, const struct rstd__value *v)
{
	const struct rstd__storage *storage = &b->form->storages[v->storage];

	return storage->kind == RSTD__COMPUTED ? &b->form->steps[storage->step] : NULL;
}

/* ---- A Cast to float before a reduction ---------------------------------------------------------------------- */

/* The step of the Cast that widened x, if x is exactly what one made of 16-bit floats; else NULL. */
static const struct rstd__step *widening(struct rstd__builder *b, const struct rstd__value *x)
{
	const struct rstd__step *cast = maker(b, x);

	if (!cast || cast->kind != RSTD__ELEMENTWISE || cast->loop.op != RSTD__OP_CAST)
		return NULL;
	if (cast->loop.to != RSTD_DT_FLOAT || !rstd__value_is_same(x, &cast->out[RSTD__OUT_Y]))
		return NULL;
	return cast->loop.from == RSTD_DT_FLOAT16 || cast->loop.from == RSTD_DT_BF16 ? cast : NULL;
}

struct rstd__value rstd__fuse_widening(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *x)
{
	const struct rstd__step *cast = b->level == RSTD__FUSE_NONE ? NULL : widening(b, x);

	if (!cast)
		return *x;
	report(b, true, "%s %s and %s %s: the elements are read as they were before the Cast", cast->node->op->type,
	       cast->node->op->name, node->op->type, node->op->name);
	return cast->in[0];
}

/* Whether a step reads x, or what a widening Cast made x of. */
static bool reads(struct rstd__builder *b, const struct rstd__step *step, const struct rstd__value *x)
{
	const struct rstd__step *cast = widening(b, x);

	return rstd__value_is_same(x, &step->in[0]) || (cast && rstd__value_is_same(&cast->in[0], &step->in[0]));
}

/* ---- A mean, and the standard deviation about it ------------------------------------------------------------- */

/* Whether `mean` is the mean of each slice of x, once for each element of the slice. */
static bool repeats_over_slices(const struct rstd__value *x, const struct rstd__value *mean, uint64_t axes)
{
	int64_t stride = 1;

	for (size_t a = x->rank; a-- > 0;) {
		const bool reduced = axes >> a & 1;

		if (mean->dims[a] != 1 && mean->strides[a] != (reduced ? 0 : stride))
			return false;
		stride *= reduced ? 1 : x->dims[a];
	}
	return true;
}

bool rstd__fuse_std_mean(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *x,
                         const struct rstd__value *mean, uint64_t axes, int64_t correction, bool invert,
                         struct rstd__value *y, rstd_ge_status *status)
{
	struct rstd__step *step = maker(b, mean);
	size_t index;

	if (b->level != RSTD__FUSE_ALL || invert || !step || step->kind != RSTD__STD_MEAN)
		return false;
	if (mean->storage != step->out[RSTD__OUT_MEAN].storage || step->axes != axes || x->rank == 0 ||
	    !reads(b, step, x) || !repeats_over_slices(x, mean, axes))
		return false;
	if (step->out[RSTD__OUT_Y].storage != RSTD__NONE && step->correction != correction)
		return false;
	index = (size_t)(step - b->form->steps);
	step->correction = correction;
	report(b, false, "%s %s and %s %s: one pass over x, and the mean between them is not rounded",
	       step->node->op->type, step->node->op->name, node->op->type, node->op->name);
	*status = RSTD_GE_SUCCESS;
	if (step->out[RSTD__OUT_Y].storage == RSTD__NONE) {
		const struct rstd__value own = step->out[RSTD__OUT_MEAN];

		*status = rstd__step_output(b, index, RSTD__OUT_Y, x->dtype, own.rank, own.dims);
	}
	*y = b->form->steps[index].out[RSTD__OUT_Y];
	return true;
}

void rstd__report_broadcast(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *mean)
{
	for (size_t a = 0; a < mean->rank; a++) {
		if (mean->dims[a] < 2 || mean->strides[a] != 0)
			continue;
		report(b, true, "%s %s: the mean is read with strides of 0, not written out", node->op->type,
		       node->op->name);
		return;
	}
}

/* ---- A Cast behind a reduction ------------------------------------------------------------------------------- */

/* Whether the node reads an output that nothing else reads and the graph does not return. */
static bool is_only_reader(const struct rstd__builder *b, const rstd_node *node)
{
	const struct rstd__edge edge = rstd__node_edge(node, 0);

	if (!edge.node || rstd_node_consumer_count(edge.node, edge.index) != 1)
		return false;
	for (size_t i = 0; i < b->graph->output_count; i++)
		if (b->graph->outputs[i].node == edge.node && b->graph->outputs[i].index == edge.index)
			return false;
	return true;
}

bool rstd__fuse_store(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *x, int32_t dtype,
                      struct rstd__value *y)
{
	struct rstd__step *step = maker(b, x);
	struct rstd__value *out;

	if (b->level != RSTD__FUSE_ALL || !step || step->kind != RSTD__STD_MEAN || !is_only_reader(b, node))
		return false;
	if (dtype != RSTD_DT_FLOAT && dtype != RSTD_DT_FLOAT16 && dtype != RSTD_DT_BF16)
		return false;
	if (rstd__node_edge(node, 0).node != step->node)
		return false;
	out = &step->out[x->storage == step->out[RSTD__OUT_Y].storage ? RSTD__OUT_Y : RSTD__OUT_MEAN];
	report(b, false, "%s %s and %s %s: the result is rounded once, to the dtype of the Cast", step->node->op->type,
	       step->node->op->name, node->op->type, node->op->name);
	out->dtype = dtype;
	b->form->storages[out->storage].bytes = rstd__value_bytes(out);
	*y = *x;
	y->dtype = dtype;
	return true;
}
