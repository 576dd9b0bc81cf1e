/*
 * opinfer.c - inference on operator objects and on whole graphs, from the descs that they hold
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/graph.h"
#include "cann/ge/infer.h"
#include "cann/ge/message.h"

/* ---- Functions of types that the engine does not know -------------------------------------------------------- */

struct functions {
	char *type;
	rstd_op_function *infer, *verify;
	void *context;
};

/* They are registered for as long as the process runs. */
static struct {
	pthread_mutex_t lock;
	struct functions *at;
	size_t count, capacity;
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct functions *find_locked(const char *type)
{
	for (size_t i = 0; i < registry.count; i++)
		if (strcmp(registry.at[i].type, type) == 0)
			return &registry.at[i];
	return NULL;
}

static bool add_locked(const struct functions *functions)
{
	struct functions *grown, *old = find_locked(functions->type);

	if (old) {
		free(functions->type);
		old->infer = functions->infer;
		old->verify = functions->verify;
		old->context = functions->context;
		return true;
	}
	grown = rstd__grown(registry.at, &registry.capacity, registry.count + 1, sizeof(*grown));
	if (!grown)
		return false;
	registry.at = grown;
	registry.at[registry.count++] = *functions;
	return true;
}

rstd_ge_status rstd_ge_register_functions(const char *type, rstd_op_function *infer, rstd_op_function *verify,
                                          void *context)
{
	const struct functions functions = { rstd__text_copy(type), infer, verify, context };
	bool ok = functions.type != NULL;

	if (ok) {
		(void)pthread_mutex_lock(&registry.lock);
		ok = add_locked(&functions);
		(void)pthread_mutex_unlock(&registry.lock);
	}
	if (ok)
		return RSTD_GE_SUCCESS;
	free(functions.type);
	return rstd__ge_no_memory("the functions of an operator type");
}

/* All NULL where there are none. */
static struct functions functions_of(const rstd_op *op)
{
	struct functions result = { NULL, NULL, NULL, NULL };
	const struct functions *found;

	(void)pthread_mutex_lock(&registry.lock);
	found = find_locked(op->type);
	if (found)
		result = *found;
	(void)pthread_mutex_unlock(&registry.lock);
	return result;
}

/* ---- One operator -------------------------------------------------------------------------------------------- */

/* Where the operator that feeds each input is found: by links, or by the edges of a node. */
struct sources {
	const rstd_op *op;
	const rstd_node *node; /* NULL: by links */
};

static const rstd_op *source_of(const struct sources *sources, size_t input)
{
	const rstd_node *node = sources->node ? rstd__node_edge(sources->node, input).node : NULL;

	if (!sources->node)
		return sources->op->inputs.at[input].source;
	return node ? node->op : NULL;
}

static const rstd_ge_tensor *const_value(const rstd_op *op)
{
	const rstd_value *value = op && rstd__op_is_const(op) ? rstd_attrs_get(&op->attrs, "value") : NULL;

	return value && value->kind == RSTD_VALUE_TENSOR ? value->as.tensor : NULL;
}

static void read_ints(struct rstd__ints *ints, const rstd_ge_tensor *value)
{
	const int size = value ? rstd_ge_dtype_size(value->desc.dtype) : 0;

	ints->known = false;
	if (size > 0 && size <= 8)
		(void)rstd__ints_from_data(ints, value->desc.dtype, value->data, value->size / (size_t)size);
}

/* What is known of an input: a Const that is linked to it knows best, whatever was said of its output. */
static const rstd_desc *input_desc(const struct sources *sources, size_t input)
{
	const rstd_ge_tensor *value = const_value(source_of(sources, input));

	return value ? &value->desc : &sources->op->inputs.at[input].desc.desc;
}

static rstd_ge_status fill_frame(struct rstd__frame *f, const struct sources *sources)
{
	for (size_t k = 0; k < rstd__proto_input_count(f->proto); k++) {
		const size_t at = rstd__proto_input_of(f->proto, sources->op, k);
		const rstd_desc *desc;

		f->present[k] = at != SIZE_MAX &&
		                (f->proto->inputs[k].kind == RSTD_IR_REQUIRED || source_of(sources, at) != NULL);
		if (!f->present[k])
			continue;
		desc = input_desc(sources, at);
		if (!rstd__shape_from_desc(&f->in[k], desc))
			return rstd__frame_fail(f, "input %s has rank %zu, must be at most %d",
			                        f->proto->inputs[k].name, desc->rank, RSTD__MAX_DIMS);
		read_ints(&f->ints[k], const_value(source_of(sources, at)));
	}
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status store_output(rstd_op *op, size_t output, const struct rstd__shape *shape)
{
	static const int64_t unknown[] = { -2 };
	rstd_desc desc = op->outputs.at[output].desc.desc;

	desc.dtype = shape->dtype;
	desc.rank = shape->unknown_rank ? 1 : shape->rank;
	desc.dims = shape->unknown_rank ? unknown : shape->dims;
	desc.real_dim_count = (int64_t)shape->rank;
	return rstd_op_set_output_desc(op, output, &desc);
}

static rstd_ge_status infer_known(rstd_op *op, const struct sources *sources, const struct rstd__proto *proto)
{
	struct rstd__frame f = { .proto = proto, .name = op->name, .attrs = &op->attrs };
	rstd_ge_status status = rstd__verify(proto, op->name, &op->attrs);

	if (status == RSTD_GE_SUCCESS)
		status = fill_frame(&f, sources);
	if (status == RSTD_GE_SUCCESS)
		status = rstd__infer(&f);
	for (size_t k = 0; k < rstd__proto_output_count(proto) && status == RSTD_GE_SUCCESS; k++) {
		const size_t output = rstd__proto_output_of(proto, op, k);

		if (output != SIZE_MAX)
			status = store_output(op, output, &f.out[k]);
	}
	return status;
}

static rstd_ge_status infer_op(const struct sources *sources, rstd_op *op)
{
	const struct rstd__proto *proto = rstd__proto_find(op->type);
	const struct functions functions = functions_of(op);
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (proto)
		status = infer_known(op, sources, proto);
	else if (functions.infer)
		status = functions.infer(op, functions.context);
	if (status != RSTD_GE_SUCCESS)
		return rstd__ge_fail("Call InferShapeAndType for node:%s(%s) failed", op->name, op->type);
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_op_infer(rstd_op *op)
{
	const struct sources sources = { op, NULL };

	return op ? infer_op(&sources, op) : RSTD_GE_NULL_PTR;
}

static rstd_ge_status verify_registered(const rstd_op *op)
{
	for (size_t i = 0; i < op->ir_attr_count; i++)
		if (op->ir_attrs[i].required && !rstd_attrs_get(&op->attrs, op->ir_attrs[i].name))
			return rstd__ge_fail("%s(%s): attribute %s is required and has no value", op->name, op->type,
			                     op->ir_attrs[i].name);
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_op_verify(rstd_op *op)
{
	const struct rstd__proto *proto = op ? rstd__proto_find(op->type) : NULL;
	struct functions functions;
	rstd_ge_status status;

	if (!op)
		return RSTD_GE_NULL_PTR;
	functions = functions_of(op);
	status = verify_registered(op);
	if (status == RSTD_GE_SUCCESS && proto)
		status = rstd__verify(proto, op->name, &op->attrs);
	else if (status == RSTD_GE_SUCCESS && functions.verify)
		status = functions.verify(op, functions.context);
	if (status != RSTD_GE_SUCCESS)
		return rstd__ge_fail("Verifying %s failed", op->name);
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_op_input_const(const rstd_op *op, size_t index, rstd_ge_tensor *tensor)
{
	const rstd_ge_tensor *value;

	if (!op || !tensor)
		return RSTD_GE_NULL_PTR;
	value = index < op->inputs.count ? const_value(op->inputs.at[index].source) : NULL;
	if (!value)
		return RSTD_GE_WITHOUT_CONST_INPUT;
	*tensor = *value;
	return RSTD_GE_SUCCESS;
}

/* ---- Whole graphs -------------------------------------------------------------------------------------------- */

/* A Data gives what was said of its output, or else of its input. */
static rstd_ge_status settle_data(rstd_op *op)
{
	if (op->inputs.count == 0 || op->outputs.count == 0)
		return RSTD_GE_SUCCESS;
	if (!op->outputs.at[0].desc.desc.has_shape)
		return rstd_op_set_output_desc(op, 0, &op->inputs.at[0].desc.desc);
	return rstd_op_set_input_desc(op, 0, &op->outputs.at[0].desc.desc);
}

static rstd_ge_status pull_inputs(const rstd_node *node)
{
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < node->input_count && status == RSTD_GE_SUCCESS; i++) {
		const struct rstd__edge edge = node->inputs[i];
		rstd_desc desc;

		if (!edge.node)
			continue;
		desc = edge.node->op->outputs.at[edge.index].desc.desc;
		desc.format = node->op->inputs.at[i].desc.desc.format;
		status = rstd_op_set_input_desc(node->op, i, &desc);
	}
	return status;
}

static rstd_ge_status infer_node(const rstd_node *node)
{
	const struct sources sources = { node->op, node };
	rstd_ge_status status = pull_inputs(node);

	if (status == RSTD_GE_SUCCESS && strcmp(node->op->type, "Data") == 0)
		status = settle_data(node->op);
	if (status == RSTD_GE_SUCCESS)
		status = rstd_op_verify(node->op);
	if (status == RSTD_GE_SUCCESS)
		status = infer_op(&sources, node->op);
	return status;
}

rstd_ge_status rstd_graph_infer(rstd_graph *graph)
{
	rstd_ge_status status;
	size_t *order;

	if (!graph)
		return RSTD_GE_NULL_PTR;
	order = malloc((graph->nodes.count + 1) * sizeof(*order));
	if (!order)
		return rstd__ge_no_memory("an order of nodes");
	status = rstd__graph_order(graph, order);
	for (size_t i = 0; i < graph->nodes.count && status == RSTD_GE_SUCCESS; i++)
		status = infer_node(graph->nodes.at[order[i]]);
	free(order);
	return status;
}
