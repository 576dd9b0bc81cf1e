/*
 * node.c - nodes and the edges between them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "cann/ge/graph.h"
#include "cann/ge/message.h"

/* ---- References ---------------------------------------------------------------------------------------------- */

rstd_node *rstd_node_ref(rstd_node *node)
{
	if (node)
		atomic_fetch_add(&node->references, 1);
	return node;
}

void rstd_node_unref(rstd_node *node)
{
	if (!node || atomic_fetch_sub(&node->references, 1) != 1)
		return;
	free(node->inputs);
	free(node->readers);
	free(node->control_inputs.at);
	free(node->control_outputs.at);
	rstd_op_unref(node->op);
	free(node);
}

/* ---- Reading ------------------------------------------------------------------------------------------------- */

rstd_op *rstd_node_op(const rstd_node *node)
{
	return node ? node->op : NULL;
}

rstd_graph *rstd_node_graph(const rstd_node *node)
{
	return node ? node->graph : NULL;
}

size_t rstd_node_index(const rstd_node *node)
{
	return node && node->graph ? node->index : SIZE_MAX;
}

struct rstd__edge rstd__node_edge(const rstd_node *node, size_t input)
{
	return input < node->input_count ? node->inputs[input] : (struct rstd__edge){ NULL, 0 };
}

rstd_node *rstd_node_input(const rstd_node *node, size_t index, size_t *src_index)
{
	const struct rstd__edge edge = node ? rstd__node_edge(node, index) : (struct rstd__edge){ NULL, 0 };

	if (edge.node && src_index)
		*src_index = edge.index;
	return edge.node;
}

size_t rstd_node_consumer_count(const rstd_node *node, size_t output)
{
	size_t count = 0;

	for (size_t i = 0; node && i < node->reader_count; i++)
		count += node->readers[i].output == output;
	return count;
}

rstd_node *rstd_node_consumer(const rstd_node *node, size_t output, size_t index, size_t *dst_index)
{
	for (size_t i = 0; node && i < node->reader_count; i++) {
		if (node->readers[i].output != output || index-- > 0)
			continue;
		if (dst_index)
			*dst_index = node->readers[i].input;
		return node->readers[i].node;
	}
	return NULL;
}

size_t rstd_node_control_input_count(const rstd_node *node)
{
	return node ? node->control_inputs.count : 0;
}

size_t rstd_node_control_output_count(const rstd_node *node)
{
	return node ? node->control_outputs.count : 0;
}

rstd_node *rstd_node_control_input(const rstd_node *node, size_t index)
{
	return node && index < node->control_inputs.count ? node->control_inputs.at[index] : NULL;
}

rstd_node *rstd_node_control_output(const rstd_node *node, size_t index)
{
	return node && index < node->control_outputs.count ? node->control_outputs.at[index] : NULL;
}

/* ---- Lists of nodes ------------------------------------------------------------------------------------------ */

static bool reserve(struct rstd__nodes *nodes)
{
	rstd_node **grown = rstd__grown(nodes->at, &nodes->capacity, nodes->count + 1, sizeof(rstd_node *));

	if (grown)
		nodes->at = grown;
	return grown != NULL;
}

static size_t find(const struct rstd__nodes *nodes, const rstd_node *node)
{
	size_t i = 0;

	while (i < nodes->count && nodes->at[i] != node)
		i++;
	return i;
}

static void drop(struct rstd__nodes *nodes, const rstd_node *node)
{
	const size_t at = find(nodes, node);

	if (at == nodes->count)
		return;
	nodes->count--;
	memmove(&nodes->at[at], &nodes->at[at + 1], (nodes->count - at) * sizeof(rstd_node *));
}

/* ---- Editing: nodes ------------------------------------------------------------------------------------------ */

static rstd_ge_status invalid(const rstd_graph *graph, const char *text, const char *name)
{
	return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error", "graph %s: %s%s", graph->name, text,
	                        name);
}

rstd_node *rstd_graph_add_node(rstd_graph *graph, rstd_op *op)
{
	if (!graph || !op)
		return NULL;
	if (rstd_graph_find_node(graph, op->name)) {
		(void)invalid(graph, "has a node already that is named ", op->name);
		return NULL;
	}
	return rstd__graph_append(graph, op);
}

rstd_node *rstd__graph_append(rstd_graph *graph, rstd_op *op)
{
	rstd_node *node = calloc(1, sizeof(*node));

	if (!node || !reserve(&graph->nodes) || !rstd__names_add(&graph->node_names, op->name)) {
		free(node);
		(void)rstd__ge_no_memory("a node");
		return NULL;
	}
	atomic_init(&node->references, 1);
	node->graph = graph;
	node->op = rstd_op_ref(op);
	node->index = graph->nodes.count;
	graph->nodes.at[graph->nodes.count++] = node;
	graph->version++;
	return node;
}

static void cut_input(rstd_node *node, size_t input)
{
	rstd_node *source = rstd__node_edge(node, input).node;

	if (!source)
		return;
	node->inputs[input].node = NULL;
	for (size_t i = 0; i < source->reader_count; i++) {
		if (source->readers[i].node != node || source->readers[i].input != input)
			continue;
		source->reader_count--;
		memmove(&source->readers[i], &source->readers[i + 1],
		        (source->reader_count - i) * sizeof(*source->readers));
		return;
	}
}

static void cut_all(rstd_node *node)
{
	for (size_t i = 0; i < node->input_count; i++)
		cut_input(node, i);
	while (node->reader_count > 0)
		cut_input(node->readers[0].node, node->readers[0].input);
	for (size_t i = 0; i < node->control_inputs.count; i++)
		drop(&node->control_inputs.at[i]->control_outputs, node);
	for (size_t i = 0; i < node->control_outputs.count; i++)
		drop(&node->control_outputs.at[i]->control_inputs, node);
	node->control_inputs.count = node->control_outputs.count = 0;
}

static void drop_outputs(rstd_graph *graph, const rstd_node *node)
{
	size_t kept = 0;

	for (size_t i = 0; i < graph->output_count; i++)
		if (graph->outputs[i].node != node)
			graph->outputs[kept++] = graph->outputs[i];
	graph->output_count = kept;
}

rstd_ge_status rstd_graph_remove_node(rstd_graph *graph, rstd_node *node)
{
	if (!graph || !node)
		return RSTD_GE_NULL_PTR;
	if (node->graph != graph)
		return invalid(graph, "does not have the node ", node->op->name);
	cut_all(node);
	drop_outputs(graph, node);
	drop(&graph->inputs, node);
	drop(&graph->targets, node);
	drop(&graph->nodes, node);
	for (size_t i = node->index; i < graph->nodes.count; i++)
		graph->nodes.at[i]->index = i;
	graph->version++;
	node->graph = NULL;
	rstd_node_unref(node);
	return RSTD_GE_SUCCESS;
}

/* ---- Editing: edges ------------------------------------------------------------------------------------------ */

static rstd_ge_status check_nodes(const rstd_graph *graph, const rstd_node *src, const rstd_node *dst)
{
	if (!graph || !src || !dst)
		return RSTD_GE_NULL_PTR;
	if (src->graph != graph)
		return invalid(graph, "does not have the node ", src->op->name);
	if (dst->graph != graph)
		return invalid(graph, "does not have the node ", dst->op->name);
	return RSTD_GE_SUCCESS;
}

static bool reserve_input(rstd_node *node, size_t input)
{
	struct rstd__edge *grown = rstd__grown(node->inputs, &node->input_capacity, input + 1, sizeof(*grown));

	if (!grown)
		return false;
	node->inputs = grown;
	while (node->input_count <= input)
		grown[node->input_count++] = (struct rstd__edge){ NULL, 0 };
	return true;
}

rstd_ge_status rstd_graph_add_data_edge(rstd_graph *graph, rstd_node *src, int32_t src_index, rstd_node *dst,
                                        int32_t dst_index)
{
	const rstd_ge_status status = check_nodes(graph, src, dst);
	struct rstd__reader *grown;

	if (status != RSTD_GE_SUCCESS)
		return status;
	if (src_index < 0 || (size_t)src_index >= src->op->outputs.count)
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "%s(%s): output index is %d, must be in [0, %zu)", src->op->name, src->op->type,
		                        src_index, src->op->outputs.count);
	if (dst_index < 0 || (size_t)dst_index >= dst->op->inputs.count)
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "%s(%s): input index is %d, must be in [0, %zu)", dst->op->name, dst->op->type,
		                        dst_index, dst->op->inputs.count);
	if (rstd__node_edge(dst, (size_t)dst_index).node)
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "%s(%s): input %s has an edge already", dst->op->name, dst->op->type,
		                        dst->op->inputs.at[dst_index].name);
	grown = rstd__grown(src->readers, &src->reader_capacity, src->reader_count + 1, sizeof(*grown));
	if (grown)
		src->readers = grown;
	if (!grown || !reserve_input(dst, (size_t)dst_index))
		return rstd__ge_no_memory("an edge");
	grown[src->reader_count++] = (struct rstd__reader){ dst, (size_t)dst_index, (size_t)src_index };
	dst->inputs[dst_index] = (struct rstd__edge){ src, (size_t)src_index };
	graph->version++;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_graph_add_control_edge(rstd_graph *graph, rstd_node *src, rstd_node *dst)
{
	const rstd_ge_status status = check_nodes(graph, src, dst);

	if (status != RSTD_GE_SUCCESS)
		return status;
	if (find(&dst->control_inputs, src) < dst->control_inputs.count)
		return RSTD_GE_SUCCESS;
	if (!reserve(&dst->control_inputs) || !reserve(&src->control_outputs))
		return rstd__ge_no_memory("an edge");
	dst->control_inputs.at[dst->control_inputs.count++] = src;
	src->control_outputs.at[src->control_outputs.count++] = dst;
	graph->version++;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_graph_remove_edge(rstd_graph *graph, rstd_node *src, int32_t src_index, rstd_node *dst,
                                      int32_t dst_index)
{
	const rstd_ge_status status = check_nodes(graph, src, dst);
	struct rstd__edge edge = { NULL, 0 };

	if (status != RSTD_GE_SUCCESS)
		return status;
	if (src_index == -1 && dst_index == -1) {
		if (find(&dst->control_inputs, src) == dst->control_inputs.count)
			return invalid(graph, "has no such control edge into ", dst->op->name);
		drop(&dst->control_inputs, src);
		drop(&src->control_outputs, dst);
		graph->version++;
		return RSTD_GE_SUCCESS;
	}
	if (dst_index >= 0)
		edge = rstd__node_edge(dst, (size_t)dst_index);
	if (edge.node != src || src_index < 0 || edge.index != (size_t)src_index)
		return invalid(graph, "has no such edge into ", dst->op->name);
	cut_input(dst, (size_t)dst_index);
	graph->version++;
	return RSTD_GE_SUCCESS;
}

void rstd__graph_clear(rstd_graph *graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++) {
		rstd_node *node = graph->nodes.at[i];

		node->input_count = node->reader_count = 0;
		node->control_inputs.count = node->control_outputs.count = 0;
		node->graph = NULL;
		rstd_node_unref(node);
	}
	for (size_t i = 0; i < graph->subgraph_count; i++)
		rstd_graph_unref(graph->subgraphs[i]);
	rstd__names_clear(&graph->node_names);
	graph->nodes.count = graph->inputs.count = graph->targets.count = 0;
	graph->output_count = graph->subgraph_count = 0;
	graph->version++;
}
