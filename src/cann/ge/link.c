/*
 * link.c - links between operators, and how long linked operators live
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Links hold in both directions: from a Data one finds what reads it, from a result what it comes from. So operators
 * that are, or once were, linked form an island. The references of all its operators are counted together, and the
 * island goes when nobody holds any of them. One lock serves all islands: it is held for a few instructions.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/message.h"
#include "cann/ge/op.h"

struct rstd__island {
	size_t references;
	size_t count;   /* operators */
	rstd_op *first; /* their list, by next */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Islands ------------------------------------------------------------------------------------------------- */

bool rstd__island_new(rstd_op *op)
{
	struct rstd__island *island = malloc(sizeof(*island));

	if (!island)
		return false;
	*island = (struct rstd__island){ .references = 1, .count = 1, .first = op };
	op->island = island;
	return true;
}

static void join(rstd_op *a, rstd_op *b)
{
	struct rstd__island *into, *from;
	rstd_op *last;

	(void)pthread_mutex_lock(&lock);
	into = a->island->count < b->island->count ? b->island : a->island;
	from = into == a->island ? b->island : a->island;
	if (into != from) {
		for (last = from->first; last->next; last = last->next)
			last->island = into;
		last->island = into;
		last->next = into->first;
		into->first = from->first;
		into->count += from->count;
		into->references += from->references;
	}
	(void)pthread_mutex_unlock(&lock);
	if (into != from)
		free(from);
}

rstd_op *rstd_op_ref(rstd_op *op)
{
	if (!op)
		return NULL;
	(void)pthread_mutex_lock(&lock);
	op->island->references++;
	(void)pthread_mutex_unlock(&lock);
	return op;
}

void rstd_op_unref(rstd_op *op)
{
	struct rstd__island *island;
	rstd_op *next;
	bool last;

	if (!op)
		return;
	(void)pthread_mutex_lock(&lock);
	island = op->island;
	last = --island->references == 0;
	(void)pthread_mutex_unlock(&lock);
	if (!last)
		return;
	for (op = island->first; op; op = next) {
		next = op->next;
		rstd__op_free(op);
	}
	free(island);
}

/* ---- Links --------------------------------------------------------------------------------------------------- */

static rstd_ge_status copy_source_desc(struct rstd__port *to, const struct rstd__port *from)
{
	rstd_desc copy = from->desc.desc;

	copy.format = to->desc.desc.format;
	return rstd__desc_set(&to->desc, &copy) ? RSTD_GE_SUCCESS : rstd__ge_no_memory("a desc");
}

rstd_ge_status rstd_op_set_input_at(rstd_op *dst, size_t dst_index, rstd_op *src, size_t src_index)
{
	struct rstd__consumer *grown;
	struct rstd__port *port;

	if (!dst || !src)
		return RSTD_GE_NULL_PTR;
	if (dst_index >= dst->inputs.count)
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "%s(%s): input index is %zu, must be below %zu", dst->name, dst->type,
		                        dst_index, dst->inputs.count);
	if (src_index >= src->outputs.count)
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "%s(%s): output index is %zu, must be below %zu", src->name, src->type,
		                        src_index, src->outputs.count);
	port = &dst->inputs.at[dst_index];
	if (port->source) {
		port->linked_twice = true;
		return RSTD_GE_SUCCESS;
	}
	grown = rstd__grown(src->consumers, &src->consumer_capacity, src->consumer_count + 1, sizeof(*grown));
	if (!grown)
		return rstd__ge_no_memory("a link");
	src->consumers = grown;
	if (copy_source_desc(port, &src->outputs.at[src_index]) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	src->consumers[src->consumer_count++] = (struct rstd__consumer){ dst, dst_index, src_index };
	port->source = src;
	port->source_index = src_index;
	dst->version++;
	join(dst, src);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status no_such_port(const rstd_op *op, const char *what, const char *name)
{
	return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error", "%s(%s): has no %s named %s", op->name,
	                        op->type, what, rstd__name(name));
}

rstd_ge_status rstd_op_set_input(rstd_op *dst, const char *dst_input, rstd_op *src, const char *src_output)
{
	int32_t input, output = 0;

	if (!dst || !src)
		return RSTD_GE_NULL_PTR;
	input = rstd_op_find_input(dst, dst_input);
	if (input < 0)
		return no_such_port(dst, "input", dst_input);
	if (!src_output && src->outputs.count != 1)
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "%s(%s): has %zu outputs; which one goes to input %s of %s(%s) must be said",
		                        src->name, src->type, src->outputs.count, dst_input, dst->name, dst->type);
	if (src_output)
		output = rstd_op_find_output(src, src_output);
	if (output < 0)
		return no_such_port(src, "output", src_output);
	return rstd_op_set_input_at(dst, (size_t)input, src, (size_t)output);
}

rstd_op *rstd_op_input_source(const rstd_op *op, size_t index, size_t *src_index)
{
	if (!op || index >= op->inputs.count || !op->inputs.at[index].source)
		return NULL;
	if (src_index)
		*src_index = op->inputs.at[index].source_index;
	return op->inputs.at[index].source;
}

/* ---- Control links ------------------------------------------------------------------------------------------- */

static size_t find_op(const struct rstd__ops *ops, const rstd_op *op)
{
	size_t i = 0;

	while (i < ops->count && ops->at[i] != op)
		i++;
	return i;
}

/* Room for one more. */
static bool reserve(struct rstd__ops *ops)
{
	rstd_op **grown = rstd__grown(ops->at, &ops->capacity, ops->count + 1, sizeof(rstd_op *));

	if (grown)
		ops->at = grown;
	return grown != NULL;
}

static void remove_op(struct rstd__ops *ops, const rstd_op *op)
{
	const size_t at = find_op(ops, op);

	if (at == ops->count)
		return;
	ops->count--;
	memmove(&ops->at[at], &ops->at[at + 1], (ops->count - at) * sizeof(rstd_op *));
}

rstd_ge_status rstd_op_add_control_input(rstd_op *dst, rstd_op *src)
{
	if (!dst || !src)
		return RSTD_GE_NULL_PTR;
	if (find_op(&dst->control_inputs, src) < dst->control_inputs.count)
		return RSTD_GE_SUCCESS;
	if (!reserve(&dst->control_inputs) || !reserve(&src->control_outputs))
		return rstd__ge_no_memory("a control link");
	dst->control_inputs.at[dst->control_inputs.count++] = src;
	src->control_outputs.at[src->control_outputs.count++] = dst;
	dst->version++;
	join(dst, src);
	return RSTD_GE_SUCCESS;
}

size_t rstd_op_control_input_count(const rstd_op *op)
{
	return op ? op->control_inputs.count : 0;
}

rstd_op *rstd_op_control_input(const rstd_op *op, size_t index)
{
	return op && index < op->control_inputs.count ? op->control_inputs.at[index] : NULL;
}

/* ---- Cutting ------------------------------------------------------------------------------------------------- */

static void cut_input(rstd_op *op, size_t index)
{
	struct rstd__port *port = &op->inputs.at[index];
	rstd_op *source = port->source;
	size_t i;

	port->linked_twice = false;
	port->source = NULL;
	if (!source)
		return;
	/* From the last: a graph that goes cuts its links in about the reverse of the order in which they were made. */
	i = source->consumer_count;
	while (i > 0 && (source->consumers[i - 1].op != op || source->consumers[i - 1].input != index))
		i--;
	if (i-- == 0)
		return;
	source->consumer_count--;
	memmove(&source->consumers[i], &source->consumers[i + 1],
	        (source->consumer_count - i) * sizeof(*source->consumers));
}

void rstd_op_break_connect(rstd_op *op)
{
	if (!op)
		return;
	for (size_t i = 0; i < op->inputs.count; i++)
		cut_input(op, i);
	while (op->consumer_count > 0) {
		const struct rstd__consumer last = op->consumers[op->consumer_count - 1];

		cut_input(last.op, last.input);
	}
	for (size_t i = 0; i < op->control_inputs.count; i++)
		remove_op(&op->control_inputs.at[i]->control_outputs, op);
	for (size_t i = 0; i < op->control_outputs.count; i++)
		remove_op(&op->control_outputs.at[i]->control_inputs, op);
	op->control_inputs.count = op->control_outputs.count = 0;
	op->version++;
}
