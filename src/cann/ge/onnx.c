/*
 * onnx.c - a graph for viewers of ONNX
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which attributes a node gets, and their names, are those of CANN's dumps (ge, graph_metadef). One thing differs: the
 * type of a bfloat16 output is ONNX's 16, where CANN writes 0. Every function answers false when memory has run out.
 */
#include "cann/ge/onnx.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IR_VERSION 6

/* The attributes of a node while they are collected. */
struct attr_list {
	Ge__Onnx__AttributeProto **at;
	size_t count, capacity;
	struct rstd__arena *arena;
	bool with_strings;
};

static char *borrow(const char *text)
{
	union {
		const char *in;
		char *out;
	} pointer = { text ? text : "" };

	return pointer.out;
}

static ProtobufCBinaryData bytes_of(const char *text, size_t size)
{
	return (ProtobufCBinaryData){ .len = size, .data = (uint8_t *)borrow(text) };
}

/* ---- One attribute -------------------------------------------------------------------------------------------- */

static Ge__Onnx__AttributeProto *add(struct attr_list *list, const char *name,
                                     Ge__Onnx__AttributeProto__AttributeType type)
{
	Ge__Onnx__AttributeProto *attr = rstd__arena_new(list->arena, 1, sizeof(*attr));

	if (!attr || !name)
		return NULL;
	if (list->count == list->capacity) {
		const size_t capacity = list->capacity ? 2 * list->capacity : 64;
		Ge__Onnx__AttributeProto **grown = rstd__arena_new(list->arena, capacity, sizeof(*grown));

		if (!grown)
			return NULL;
		if (list->count > 0)
			memcpy(grown, list->at, list->count * sizeof(*grown));
		list->at = grown;
		list->capacity = capacity;
	}
	ge__onnx__attribute_proto__init(attr);
	attr->name = borrow(name);
	attr->type = type;
	list->at[list->count++] = attr;
	return attr;
}

static bool add_int(struct attr_list *list, const char *name, int64_t value)
{
	Ge__Onnx__AttributeProto *attr = add(list, name, GE__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	if (attr)
		attr->i = value;
	return attr != NULL;
}

static bool add_float(struct attr_list *list, const char *name, float value)
{
	Ge__Onnx__AttributeProto *attr = add(list, name, GE__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

	if (attr)
		attr->f = value;
	return attr != NULL;
}

static bool add_string(struct attr_list *list, const char *name, const char *value, size_t size)
{
	Ge__Onnx__AttributeProto *attr = add(list, name, GE__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);

	if (attr)
		attr->s = bytes_of(value, size);
	return attr != NULL;
}

static bool add_name(struct attr_list *list, const char *name, const char *value)
{
	return add_string(list, name, value, strlen(value));
}

/* Empty lists are left out. */
static bool add_ints(struct attr_list *list, const char *name, const int64_t *values, size_t count)
{
	Ge__Onnx__AttributeProto *attr;

	if (count == 0)
		return true;
	attr = add(list, name, GE__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
	if (!attr)
		return false;
	attr->ints = rstd__arena_new(list->arena, count, sizeof(*attr->ints));
	if (!attr->ints)
		return false;
	memcpy(attr->ints, values, count * sizeof(*values));
	attr->n_ints = count;
	return true;
}

static bool add_floats(struct attr_list *list, const char *name, const float *values, size_t count)
{
	Ge__Onnx__AttributeProto *attr;

	if (count == 0)
		return true;
	attr = add(list, name, GE__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
	if (!attr)
		return false;
	attr->floats = rstd__arena_new(list->arena, count, sizeof(*attr->floats));
	if (!attr->floats)
		return false;
	memcpy(attr->floats, values, count * sizeof(*values));
	attr->n_floats = count;
	return true;
}

static bool add_bools(struct attr_list *list, const char *name, const bool *values, size_t count)
{
	int64_t *ints = rstd__arena_new(list->arena, count, sizeof(*ints));

	for (size_t i = 0; ints && i < count; i++)
		ints[i] = values[i];
	return ints && add_ints(list, name, ints, count);
}

static bool add_strings(struct attr_list *list, const char *name, const rstd_text *values, size_t count)
{
	Ge__Onnx__AttributeProto *attr;

	if (count == 0)
		return true;
	attr = add(list, name, GE__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
	if (!attr)
		return false;
	attr->strings = rstd__arena_new(list->arena, count, sizeof(*attr->strings));
	if (!attr->strings)
		return false;
	for (size_t i = 0; i < count; i++)
		attr->strings[i] = bytes_of(values[i].data, values[i].size);
	attr->n_strings = count;
	return true;
}

/* ---- The operator's own --------------------------------------------------------------------------------------- */

static bool add_tensor(struct attr_list *list, const char *name, const rstd_desc *desc)
{
	struct rstd__arena *arena = list->arena;

	return add_name(list, rstd__arena_print(arena, "%s_desc_dtype", name), rstd_ge_dtype_name(desc->dtype)) &&
	       add_ints(list, rstd__arena_print(arena, "%s_desc_shape", name), desc->dims, desc->rank) &&
	       add_name(list, rstd__arena_print(arena, "%s_desc_layout", name), rstd_ge_format_name(desc->format)) &&
	       add_name(list, rstd__arena_print(arena, "%s_desc_device_type", name), "NPU");
}

/* Kinds that have no form here are left out, as CANN does. */
static bool add_own(struct attr_list *list, const rstd_attr *attr)
{
	const rstd_value *value = &attr->value;

	switch (value->kind) {
	case RSTD_VALUE_INT:
		return add_int(list, attr->name, value->as.i);
	case RSTD_VALUE_BOOL:
		return add_int(list, attr->name, value->as.b);
	case RSTD_VALUE_FLOAT:
		return add_float(list, attr->name, value->as.f);
	case RSTD_VALUE_LIST_INT:
		return add_ints(list, attr->name, value->as.ints, value->count);
	case RSTD_VALUE_LIST_FLOAT:
		return add_floats(list, attr->name, value->as.floats, value->count);
	case RSTD_VALUE_LIST_BOOL:
		return add_bools(list, attr->name, value->as.bools, value->count);
	case RSTD_VALUE_TENSOR:
		return add_tensor(list, attr->name, &value->as.tensor->desc);
	case RSTD_VALUE_STRING:
		return !list->with_strings || add_string(list, attr->name, value->as.text.data, value->as.text.size);
	case RSTD_VALUE_LIST_STRING:
		return !list->with_strings || add_strings(list, attr->name, value->as.texts, value->count);
	default:
		return true;
	}
}

/* ---- Inputs and outputs --------------------------------------------------------------------------------------- */

static bool add_desc(struct attr_list *list, const char *which, size_t index, const rstd_desc *desc)
{
	struct rstd__arena *arena = list->arena;
	const struct {
		const char *name;
		int64_t value;
	} numbers[] = { { "size", desc->size }, { "weight_size", 0 },  { "reuse_input", desc->has_reuse_input },
		        { "output_tensor", 0 }, { "input_tensor", 0 }, { "real_dim_cnt", desc->real_dim_count },
		        { "data_offset", 0 },   { "cmps_size", 0 },    { "cmps_tab_offset", 0 } };
	const struct {
		const char *name, *value;
	} texts[] = { { "dtype", rstd_ge_dtype_name(desc->dtype) },
		      { "origin_dtype", rstd_ge_dtype_name(desc->dtype) },
		      { "layout", rstd_ge_format_name(desc->format) },
		      { "origin_layout", rstd_ge_format_name(desc->origin_format) },
		      { "device_type", "NPU" },
		      { "cmps_tab", "" } };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!add_int(list, rstd__arena_print(arena, "%s_desc_%s:%zu", which, numbers[i].name, index),
		             numbers[i].value))
			return false;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!add_name(list, rstd__arena_print(arena, "%s_desc_%s:%zu", which, texts[i].name, index),
		              texts[i].value))
			return false;
	return add_ints(list, rstd__arena_print(arena, "%s_desc_shape:%zu", which, index), desc->dims, desc->rank) &&
	       add_ints(list, rstd__arena_print(arena, "%s_desc_origin_shape:%zu", which, index), desc->origin_dims,
	                desc->origin_rank);
}

static bool add_descs(struct attr_list *list, const char *which, const struct rstd__ports *ports)
{
	if (!add_int(list, rstd__arena_print(list->arena, "%s_desc_nums", which), (int64_t)ports->count))
		return false;
	for (size_t i = 0; i < ports->count; i++)
		if (!add_desc(list, which, i, &ports->at[i].desc.desc))
			return false;
	return true;
}

static rstd_text text_of(const char *text)
{
	return (rstd_text){ text, strlen(text) };
}

/* Where inputs come from and outputs go. */
static bool add_ends(struct attr_list *list, const rstd_node *node)
{
	const size_t inputs = node->op->inputs.count, readers = node->reader_count;
	rstd_text *names = rstd__arena_new(list->arena, inputs, sizeof(*names));
	rstd_text *sources = rstd__arena_new(list->arena, inputs, sizeof(*sources));
	int64_t *source_indexes = rstd__arena_new(list->arena, inputs, sizeof(*source_indexes));
	int64_t *positions = rstd__arena_new(list->arena, inputs, sizeof(*positions));
	rstd_text *targets = rstd__arena_new(list->arena, readers, sizeof(*targets));
	int64_t *target_indexes = rstd__arena_new(list->arena, readers, sizeof(*target_indexes));
	size_t linked = 0;

	if (!names || !sources || !source_indexes || !positions || !targets || !target_indexes)
		return false;
	for (size_t i = 0; i < inputs; i++) {
		const struct rstd__edge edge = rstd__node_edge(node, i);

		names[i] = text_of(node->op->inputs.at[i].name);
		positions[i] = (int64_t)i;
		if (!edge.node)
			continue;
		sources[linked] = text_of(edge.node->op->name);
		source_indexes[linked++] = (int64_t)edge.index;
	}
	for (size_t i = 0; i < readers; i++) {
		targets[i] = text_of(node->readers[i].node->op->name);
		target_indexes[i] = (int64_t)node->readers[i].input;
	}
	return add_strings(list, "input_name", names, inputs) && add_strings(list, "src_name", sources, linked) &&
	       add_ints(list, "src_index", source_indexes, linked) && add_strings(list, "dst_name", targets, readers) &&
	       add_ints(list, "dst_index", target_indexes, readers) &&
	       add_strings(list, "_input_name_key", names, inputs) &&
	       add_ints(list, "_input_name_value", positions, inputs);
}

/* ---- Nodes ---------------------------------------------------------------------------------------------------- */

static int compare_attrs(const void *a, const void *b)
{
	const Ge__Onnx__AttributeProto *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static bool write_attrs(Ge__Onnx__NodeProto *to, const rstd_node *node, bool with_strings, struct rstd__arena *arena)
{
	struct attr_list list = { .arena = arena, .with_strings = with_strings };

	for (size_t i = 0; i < rstd_attrs_count(&node->op->attrs); i++)
		if (!add_own(&list, rstd_attrs_at(&node->op->attrs, i)))
			return false;
	if (!add_int(&list, "id", (int64_t)node->index) || !add_int(&list, "stream_id", 0) || !add_ends(&list, node) ||
	    !add_descs(&list, "input", &node->op->inputs) || !add_descs(&list, "output", &node->op->outputs))
		return false;
	qsort(list.at, list.count, sizeof(*list.at), compare_attrs);
	to->attribute = list.at;
	to->n_attribute = list.count;
	return true;
}

/* An input is the output that it reads, "" without an edge; control edges follow, as "node:-1". */
static bool write_inputs(Ge__Onnx__NodeProto *to, const rstd_node *node, struct rstd__arena *arena)
{
	const size_t inputs = node->op->inputs.count, controls = node->control_inputs.count;

	to->input = rstd__arena_new(arena, inputs + controls, sizeof(*to->input));
	for (size_t i = 0; to->input && i < inputs; i++) {
		const struct rstd__edge edge = rstd__node_edge(node, i);

		to->input[i] =
			edge.node ? rstd__arena_print(arena, "%s:%zu", edge.node->op->name, edge.index) : borrow("");
		if (!to->input[i])
			return false;
	}
	for (size_t i = 0; to->input && i < controls; i++) {
		to->input[inputs + i] = rstd__arena_print(arena, "%s:-1", node->control_inputs.at[i]->op->name);
		if (!to->input[inputs + i])
			return false;
	}
	to->n_input = inputs + controls;
	return to->input != NULL;
}

/* Outputs that somebody reads. */
static bool write_outputs(Ge__Onnx__NodeProto *to, const rstd_node *node, struct rstd__arena *arena)
{
	to->output = rstd__arena_new(arena, node->op->outputs.count, sizeof(*to->output));
	for (size_t i = 0; to->output && i < node->op->outputs.count; i++) {
		if (rstd_node_consumer_count(node, i) == 0)
			continue;
		to->output[to->n_output] = rstd__arena_print(arena, "%s:%zu", node->op->name, i);
		if (!to->output[to->n_output++])
			return false;
	}
	return to->output != NULL;
}

static Ge__Onnx__NodeProto *write_node(const rstd_node *node, bool with_strings, struct rstd__arena *arena)
{
	Ge__Onnx__NodeProto *to = rstd__arena_new(arena, 1, sizeof(*to));

	if (!to)
		return NULL;
	ge__onnx__node_proto__init(to);
	to->name = node->op->name;
	to->op_type = rstd__arena_print(arena, "ge:%s", node->op->type);
	if (!to->op_type || !write_inputs(to, node, arena) || !write_outputs(to, node, arena) ||
	    !write_attrs(to, node, with_strings, arena))
		return NULL;
	return to;
}

/* ---- Graphs --------------------------------------------------------------------------------------------------- */

/* ONNX's numbers; 0 for what it has no type for. */
static int32_t element_type(int32_t dtype)
{
	switch (dtype) {
	case RSTD_DT_FLOAT:
		return 1;
	case RSTD_DT_UINT8:
		return 2;
	case RSTD_DT_INT8:
		return 3;
	case RSTD_DT_UINT16:
		return 4;
	case RSTD_DT_INT16:
		return 5;
	case RSTD_DT_INT32:
		return 6;
	case RSTD_DT_INT64:
		return 7;
	case RSTD_DT_BOOL:
		return 9;
	case RSTD_DT_FLOAT16:
		return 10;
	case RSTD_DT_DOUBLE:
		return 11;
	case RSTD_DT_UINT32:
		return 12;
	case RSTD_DT_UINT64:
		return 13;
	case RSTD_DT_BF16:
		return 16;
	case RSTD_DT_FLOAT8_E4M3FN:
		return 17;
	case RSTD_DT_FLOAT8_E5M2:
		return 19;
	default:
		return 0;
	}
}

static bool write_shape(Ge__Onnx__TensorShapeProto *to, const rstd_desc *desc, struct rstd__arena *arena)
{
	to->dim = rstd__arena_new(arena, desc->rank, sizeof(*to->dim));
	for (size_t i = 0; to->dim && i < desc->rank; i++) {
		to->dim[i] = rstd__arena_new(arena, 1, sizeof(*to->dim[i]));
		if (!to->dim[i])
			return false;
		ge__onnx__tensor_shape_proto__dimension__init(to->dim[i]);
		to->dim[i]->value_case = GE__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		to->dim[i]->dim_value = desc->dims[i];
	}
	to->n_dim = desc->rank;
	return to->dim != NULL;
}

static Ge__Onnx__ValueInfoProto *write_output(const struct rstd__edge *output, struct rstd__arena *arena)
{
	const rstd_desc *desc = &output->node->op->outputs.at[output->index].desc.desc;
	struct {
		Ge__Onnx__ValueInfoProto info;
		Ge__Onnx__TypeProto type;
		Ge__Onnx__TypeProto__Tensor tensor;
		Ge__Onnx__TensorShapeProto shape;
	} *to = rstd__arena_new(arena, 1, sizeof(*to));

	if (!to)
		return NULL;
	ge__onnx__value_info_proto__init(&to->info);
	ge__onnx__type_proto__init(&to->type);
	ge__onnx__type_proto__tensor__init(&to->tensor);
	ge__onnx__tensor_shape_proto__init(&to->shape);
	to->info.name = output->node->op->name;
	to->info.type = &to->type;
	to->type.value_case = GE__ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	to->type.tensor_type = &to->tensor;
	to->tensor.elem_type = element_type(desc->dtype);
	to->tensor.shape = &to->shape;
	return write_shape(&to->shape, desc, arena) ? &to->info : NULL;
}

/* Its nodes and outputs; `others` is the room for nodes behind them. */
static Ge__Onnx__GraphProto *write_graph(const rstd_graph *graph, size_t others, bool with_strings,
                                         struct rstd__arena *arena)
{
	Ge__Onnx__GraphProto *to = rstd__arena_new(arena, 1, sizeof(*to));

	if (!to)
		return NULL;
	ge__onnx__graph_proto__init(to);
	to->name = graph->name;
	to->node = rstd__arena_new(arena, graph->nodes.count + others, sizeof(*to->node));
	to->output = rstd__arena_new(arena, graph->output_count, sizeof(*to->output));
	if (!to->node || !to->output)
		return NULL;
	for (size_t i = 0; i < graph->nodes.count; i++) {
		to->node[i] = write_node(graph->nodes.at[i], with_strings, arena);
		if (!to->node[i])
			return NULL;
	}
	for (size_t i = 0; i < graph->output_count; i++) {
		to->output[i] = write_output(&graph->outputs[i], arena);
		if (!to->output[i])
			return NULL;
	}
	to->n_node = graph->nodes.count;
	to->n_output = graph->output_count;
	return to;
}

/* A subgraph is a node with one attribute. */
static Ge__Onnx__NodeProto *write_subgraph(const rstd_graph *subgraph, bool with_strings, struct rstd__arena *arena)
{
	Ge__Onnx__NodeProto *to = rstd__arena_new(arena, 1, sizeof(*to));
	struct attr_list list = { .arena = arena };
	Ge__Onnx__AttributeProto *attr = add(&list, "graph", GE__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH);

	if (!to || !attr)
		return NULL;
	ge__onnx__node_proto__init(to);
	to->name = subgraph->name;
	to->op_type = borrow("subgraph");
	to->attribute = list.at;
	to->n_attribute = list.count;
	attr->g = write_graph(subgraph, 0, with_strings, arena);
	return attr->g ? to : NULL;
}

Ge__Onnx__ModelProto *rstd__onnx_write(const struct rstd__family *family, bool with_strings, struct rstd__arena *arena)
{
	Ge__Onnx__ModelProto *model = rstd__arena_new(arena, 1, sizeof(*model));
	Ge__Onnx__GraphProto *root = write_graph(family->at[0], family->count - 1, with_strings, arena);

	if (!model || !root)
		return NULL;
	for (size_t i = 1; i < family->count; i++) {
		root->node[root->n_node] = write_subgraph(family->at[i], with_strings, arena);
		if (!root->node[root->n_node++])
			return NULL;
	}
	ge__onnx__model_proto__init(model);
	model->ir_version = IR_VERSION;
	model->producer_name = borrow("GE");
	model->graph = root;
	return model;
}
