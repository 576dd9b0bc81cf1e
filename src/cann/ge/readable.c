/*
 * readable.c - a graph as lines for people
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * graph("name"):
 *   %add_0 : [#users=1] = Node[type=Add] (inputs = (x1=%a, x2=%b), attrs = {axis: 0})
 */
#include "cann/ge/readable.h"

#include <inttypes.h>

static void print_ints(struct rstd__text *text, const int64_t *ints, size_t count)
{
	rstd__text_print(text, "{");
	for (size_t i = 0; i < count; i++)
		rstd__text_print(text, "%s%" PRId64, i > 0 ? ", " : "", ints[i]);
	rstd__text_print(text, "}");
}

static void print_tensor(struct rstd__text *text, const rstd_ge_tensor *tensor)
{
	rstd__text_print(text, "<tensor %s ", rstd_ge_dtype_name(tensor->desc.dtype));
	print_ints(text, tensor->desc.dims, tensor->desc.rank);
	rstd__text_print(text, ">");
}

static void print_quoted(struct rstd__text *text, const rstd_text *value)
{
	rstd__text_print(text, "\"");
	rstd__text_add(text, value->data, value->size);
	rstd__text_print(text, "\"");
}

static void print_list(struct rstd__text *text, const rstd_value *value)
{
	rstd__text_print(text, "{");
	for (size_t i = 0; i < value->count; i++) {
		rstd__text_print(text, "%s", i > 0 ? ", " : "");
		switch (value->kind) {
		case RSTD_VALUE_LIST_FLOAT:
			rstd__text_print(text, "%g", (double)value->as.floats[i]);
			break;
		case RSTD_VALUE_LIST_BOOL:
			rstd__text_print(text, "%s", value->as.bools[i] ? "true" : "false");
			break;
		case RSTD_VALUE_LIST_STRING:
			print_quoted(text, &value->as.texts[i]);
			break;
		case RSTD_VALUE_LIST_DTYPE:
			rstd__text_print(text, "%s", rstd_ge_dtype_name(value->as.dtypes[i]));
			break;
		case RSTD_VALUE_LIST_LIST_INT:
			print_ints(text, value->as.int_lists[i].ints, value->as.int_lists[i].count);
			break;
		case RSTD_VALUE_LIST_TENSOR:
			print_tensor(text, &value->as.tensor[i]);
			break;
		default:
			rstd__text_print(text, "...");
			break;
		}
	}
	rstd__text_print(text, "}");
}

static void print_value(struct rstd__text *text, const rstd_value *value)
{
	switch (value->kind) {
	case RSTD_VALUE_INT:
		rstd__text_print(text, "%" PRId64, value->as.i);
		return;
	case RSTD_VALUE_FLOAT:
		rstd__text_print(text, "%g", (double)value->as.f);
		return;
	case RSTD_VALUE_BOOL:
		rstd__text_print(text, "%s", value->as.b ? "true" : "false");
		return;
	case RSTD_VALUE_STRING:
		print_quoted(text, &value->as.text);
		return;
	case RSTD_VALUE_DTYPE:
		rstd__text_print(text, "%s", rstd_ge_dtype_name(value->as.dtype));
		return;
	case RSTD_VALUE_TENSOR:
		print_tensor(text, value->as.tensor);
		return;
	case RSTD_VALUE_LIST_INT:
		print_ints(text, value->as.ints, value->count);
		return;
	case RSTD_VALUE_BYTES:
		rstd__text_print(text, "<%zu bytes>", value->as.text.size);
		return;
	default:
		print_list(text, value);
		return;
	}
}

/* Output 0 has the node's name; the others are taken from it, and have names of their own. */
static void print_source(struct rstd__text *text, const struct rstd__edge *source)
{
	rstd__text_print(text, "%%%s", source->node->op->name);
	if (source->index > 0)
		rstd__text_print(text, "_%zu", source->index);
}

static void print_inputs(struct rstd__text *text, const rstd_node *node)
{
	bool first = true;

	rstd__text_print(text, "inputs = (");
	for (size_t i = 0; i < node->op->inputs.count; i++) {
		const struct rstd__edge source = rstd__node_edge(node, i);

		if (!source.node)
			continue;
		rstd__text_print(text, "%s%s=", first ? "" : ", ", node->op->inputs.at[i].name);
		print_source(text, &source);
		first = false;
	}
	rstd__text_print(text, ")");
}

static void print_attrs(struct rstd__text *text, const rstd_attrs *attrs)
{
	if (rstd_attrs_count(attrs) == 0)
		return;
	rstd__text_print(text, ", attrs = {");
	for (size_t i = 0; i < rstd_attrs_count(attrs); i++) {
		const rstd_attr *attr = rstd_attrs_at(attrs, i);

		rstd__text_print(text, "%s%s: ", i > 0 ? ", " : "", attr->name);
		print_value(text, &attr->value);
	}
	rstd__text_print(text, "}");
}

static void print_node(struct rstd__text *text, const rstd_node *node)
{
	rstd__text_print(text, "  %%%s : [#users=%zu] = Node[type=%s] (", node->op->name,
	                 rstd_node_consumer_count(node, 0), node->op->type);
	print_inputs(text, node);
	print_attrs(text, &node->op->attrs);
	rstd__text_print(text, ")\n");
	for (size_t i = 1; i < node->op->outputs.count; i++)
		rstd__text_print(text, "  %%%s_%zu : [#users=%zu] = get_element[node=%%%s](%zu)\n", node->op->name, i,
		                 rstd_node_consumer_count(node, i), node->op->name, i);
}

void rstd__readable(struct rstd__text *text, const rstd_graph *graph)
{
	rstd__text_print(text, "graph(\"%s\"):\n", graph->name);
	for (size_t i = 0; i < graph->nodes.count; i++)
		print_node(text, graph->nodes.at[i]);
	if (graph->output_count > 0)
		rstd__text_print(text, "  return (");
	for (size_t i = 0; i < graph->output_count; i++) {
		rstd__text_print(text, "%s", i > 0 ? ", " : "");
		print_source(text, &graph->outputs[i]);
	}
	if (graph->output_count > 0)
		rstd__text_print(text, ")\n");
}
