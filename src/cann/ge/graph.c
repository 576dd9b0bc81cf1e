/*
 * graph.c - graphs: building them from linked operators, what they return, copies
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/graph.h"

#include <stdlib.h>
#include <string.h>

#include "cann/ge/message.h"

/* ---- Life ---------------------------------------------------------------------------------------------------- */

rstd_graph *rstd_graph_new(const char *name)
{
	rstd_graph *graph = calloc(1, sizeof(*graph));

	if (graph)
		graph->name = rstd__text_copy(name);
	if (!graph || !graph->name) {
		free(graph);
		(void)rstd__ge_no_memory("a graph");
		return NULL;
	}
	atomic_init(&graph->references, 1);
	atomic_init(&graph->added, false);
	return graph;
}

rstd_graph *rstd_graph_ref(rstd_graph *graph)
{
	if (graph)
		atomic_fetch_add(&graph->references, 1);
	return graph;
}

void rstd_graph_unref(rstd_graph *graph)
{
	if (!graph || atomic_fetch_sub(&graph->references, 1) != 1)
		return;
	for (size_t i = graph->nodes.count; i-- > 0;)
		rstd_op_break_connect(graph->nodes.at[i]->op);
	for (size_t i = graph->ops.count; i-- > 0;) {
		rstd_op_break_connect(graph->ops.at[i]);
		rstd_op_unref(graph->ops.at[i]);
	}
	rstd__graph_clear(graph);
	free(graph->nodes.at);
	free(graph->inputs.at);
	free(graph->targets.at);
	free(graph->outputs);
	free(graph->ops.at);
	rstd__names_clear(&graph->op_names);
	free(graph->subgraphs);
	rstd__attrs_clear(&graph->attrs);
	free(graph->name);
	free(graph);
}

const char *rstd_graph_name(const rstd_graph *graph)
{
	return graph ? graph->name : "";
}

rstd_ge_status rstd_graph_set_name(rstd_graph *graph, const char *name)
{
	char *copy = graph ? rstd__text_copy(name) : NULL;

	if (!graph)
		return RSTD_GE_NULL_PTR;
	if (!copy)
		return rstd__ge_no_memory("a name");
	free(graph->name);
	graph->name = copy;
	return RSTD_GE_SUCCESS;
}

uint32_t rstd_graph_id(const rstd_graph *graph)
{
	return graph ? graph->id : 0;
}

rstd_attrs *rstd_graph_attrs(rstd_graph *graph)
{
	return graph ? &graph->attrs : NULL;
}

bool rstd_graph_is_valid(const rstd_graph *graph)
{
	return graph && graph->valid;
}

rstd_ge_status rstd_graph_set_valid(rstd_graph *graph)
{
	if (!graph)
		return RSTD_GE_NULL_PTR;
	graph->valid = true;
	return RSTD_GE_SUCCESS;
}

/* ---- The list of operators to find --------------------------------------------------------------------------- */

rstd_ge_status rstd_graph_add_op(rstd_graph *graph, rstd_op *op)
{
	rstd_op **grown;

	if (!graph || !op)
		return RSTD_GE_NULL_PTR;
	if (rstd_graph_find_op(graph, op->name))
		return RSTD_GE_SUCCESS;
	grown = rstd__grown(graph->ops.at, &graph->ops.capacity, graph->ops.count + 1, sizeof(rstd_op *));
	if (grown)
		graph->ops.at = grown;
	if (!grown || !rstd__names_add(&graph->op_names, op->name))
		return rstd__ge_no_memory("the list of operators");
	graph->ops.at[graph->ops.count++] = rstd_op_ref(op);
	return RSTD_GE_SUCCESS;
}

size_t rstd_graph_op_count(const rstd_graph *graph)
{
	return graph ? graph->ops.count : 0;
}

rstd_op *rstd_graph_op_at(const rstd_graph *graph, size_t index)
{
	return graph && index < graph->ops.count ? graph->ops.at[index] : NULL;
}

rstd_op *rstd_graph_find_op(const rstd_graph *graph, const char *name)
{
	if (!graph || !rstd__names_may_have(&graph->op_names, rstd__name(name)))
		return NULL;
	for (size_t i = 0; i < graph->ops.count; i++)
		if (strcmp(graph->ops.at[i]->name, rstd__name(name)) == 0)
			return graph->ops.at[i];
	return NULL;
}

/* ---- Building ------------------------------------------------------------------------------------------------ */

/* The operators that a walk has found, in order; those before `next` have had their neighbours looked at. */
struct walk {
	const rstd_graph *graph;
	struct rstd__ops found;
	size_t next;
};

static bool is_input(const rstd_op *op)
{
	return strcmp(op->type, "Data") == 0 || strcmp(op->type, "Variable") == 0 ||
	       (op->inputs.count == 0 && op->outputs.count > 0);
}

/* mark says that it has been found. */
static bool visit(struct walk *walk, rstd_op *op)
{
	rstd_op **grown;

	if (!op || op->mark)
		return true;
	grown = rstd__grown(walk->found.at, &walk->found.capacity, walk->found.count + 1, sizeof(rstd_op *));
	if (!grown)
		return false;
	walk->found.at = grown;
	walk->found.at[walk->found.count++] = op;
	op->mark = op;
	return true;
}

/* Readers output by output, then where the inputs come from, then control links. */
static bool visit_neighbours(struct walk *walk, const rstd_op *op)
{
	bool ok = true;

	for (size_t output = 0; output < op->outputs.count; output++)
		for (size_t i = 0; i < op->consumer_count; i++)
			if (op->consumers[i].output == output)
				ok &= visit(walk, op->consumers[i].op);
	for (size_t i = 0; i < op->inputs.count; i++)
		ok &= visit(walk, op->inputs.at[i].source);
	for (size_t i = 0; i < op->control_outputs.count; i++)
		ok &= visit(walk, op->control_outputs.at[i]);
	for (size_t i = 0; i < op->control_inputs.count; i++)
		ok &= visit(walk, op->control_inputs.at[i]);
	return ok;
}

static int compare_names(const void *a, const void *b)
{
	const rstd_op *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static rstd_ge_status check_names(const struct walk *walk)
{
	const size_t count = walk->found.count;
	rstd_op **sorted = malloc(count * sizeof(rstd_op *));
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (!sorted)
		return rstd__ge_no_memory("names");
	for (size_t i = 0; i < count; i++)
		sorted[i] = walk->found.at[i];
	qsort(sorted, count, sizeof(rstd_op *), compare_names);
	for (size_t i = 1; i < count && status == RSTD_GE_SUCCESS; i++)
		if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
			status =
				rstd__ge_fail("graph %s: two nodes are named %s (types %s and %s); names must differ",
			                      walk->graph->name, sorted[i]->name, sorted[i - 1]->type, sorted[i]->type);
	free(sorted);
	return status;
}

static rstd_ge_status check_links(const struct walk *walk)
{
	for (size_t i = 0; i < walk->found.count; i++) {
		const rstd_op *op = walk->found.at[i];

		for (size_t j = 0; j < op->inputs.count; j++)
			if (op->inputs.at[j].linked_twice)
				return rstd__ge_fail("%s(%s): input %s was linked more than once", op->name, op->type,
				                     op->inputs.at[j].name);
	}
	return RSTD_GE_SUCCESS;
}

/* All that is linked to the inputs, in order. Marks are left on what was found. */
static rstd_ge_status walk_links(struct walk *walk, rstd_op *const *inputs, size_t count)
{
	bool ok = true;

	for (size_t i = 0; i < count; i++) {
		if (inputs[i] && is_input(inputs[i]))
			ok &= visit(walk, inputs[i]);
		else if (inputs[i])
			rstd__ge_warn(
				"graph %s: input %s(%s) is skipped: it must be a Data, a Variable, or have outputs "
				"and no inputs",
				walk->graph->name, inputs[i]->name, inputs[i]->type);
	}
	while (walk->next < walk->found.count)
		ok &= visit_neighbours(walk, walk->found.at[walk->next++]);
	if (!ok)
		return rstd__ge_no_memory("a graph");
	if (walk->found.count == 0)
		return rstd__ge_fail("graph %s: has no input left of %zu, must have at least one", walk->graph->name,
		                     count);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status add_edges(rstd_graph *graph, const rstd_op *op)
{
	rstd_node *node = op->mark;
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < op->inputs.count && status == RSTD_GE_SUCCESS; i++)
		if (op->inputs.at[i].source)
			status = rstd_graph_add_data_edge(graph, op->inputs.at[i].source->mark,
			                                  (int32_t)op->inputs.at[i].source_index, node, (int32_t)i);
	for (size_t i = 0; i < op->control_inputs.count && status == RSTD_GE_SUCCESS; i++)
		status = rstd_graph_add_control_edge(graph, op->control_inputs.at[i]->mark, node);
	return status;
}

/* Names have been checked, which rstd_graph_add_node() would do in quadratic time. */
static rstd_ge_status add_nodes(rstd_graph *graph, const struct walk *walk)
{
	rstd_node **nodes;

	nodes = rstd__grown(graph->nodes.at, &graph->nodes.capacity, walk->found.count, sizeof(rstd_node *));
	if (!nodes)
		return rstd__ge_no_memory("nodes");
	graph->nodes.at = nodes;
	for (size_t i = 0; i < walk->found.count; i++) {
		rstd_node *node = calloc(1, sizeof(*node));

		if (!node || !rstd__names_add(&graph->node_names, walk->found.at[i]->name)) {
			free(node);
			return rstd__ge_no_memory("nodes");
		}
		atomic_init(&node->references, 1);
		node->graph = graph;
		node->op = rstd_op_ref(walk->found.at[i]);
		node->index = i;
		node->op->mark = node;
		nodes[i] = node;
		graph->nodes.count++;
	}
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status list_inputs(rstd_graph *graph, rstd_op *const *inputs, size_t count)
{
	rstd_node **grown = rstd__grown(graph->inputs.at, &graph->inputs.capacity, count, sizeof(rstd_node *));

	if (!grown)
		return rstd__ge_no_memory("the inputs");
	graph->inputs.at = grown;
	for (size_t i = 0; i < count; i++)
		if (inputs[i] && is_input(inputs[i]))
			grown[graph->inputs.count++] = inputs[i]->mark;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status build(rstd_graph *graph, struct walk *walk, rstd_op *const *inputs, size_t count)
{
	rstd_ge_status status = walk_links(walk, inputs, count);

	if (status == RSTD_GE_SUCCESS)
		status = check_names(walk);
	if (status == RSTD_GE_SUCCESS)
		status = check_links(walk);
	if (status == RSTD_GE_SUCCESS)
		status = add_nodes(graph, walk);
	for (size_t i = 0; i < walk->found.count && status == RSTD_GE_SUCCESS; i++)
		status = add_edges(graph, walk->found.at[i]);
	if (status == RSTD_GE_SUCCESS)
		status = list_inputs(graph, inputs, count);
	return status;
}

rstd_ge_status rstd_graph_set_inputs(rstd_graph *graph, rstd_op *const *inputs, size_t count)
{
	struct walk walk = { .graph = graph };
	rstd_ge_status status;

	if (!graph || (count > 0 && !inputs))
		return RSTD_GE_NULL_PTR;
	if (graph->built || graph->nodes.count > 0)
		return rstd__ge_fail("graph %s: has been built already; SetInputs is for once", graph->name);
	if (count == 0)
		return rstd__ge_fail("graph %s: the list of inputs is empty, must have at least one", graph->name);
	status = build(graph, &walk, inputs, count);
	for (size_t i = 0; i < walk.found.count; i++)
		walk.found.at[i]->mark = NULL;
	free(walk.found.at);
	if (status != RSTD_GE_SUCCESS) {
		rstd__graph_clear(graph);
		return status;
	}
	graph->built = graph->valid = true;
	graph->version++;
	return RSTD_GE_SUCCESS;
}

/* ---- Outputs and targets ------------------------------------------------------------------------------------- */

/* A list that replaces the graph's when all went well. */
struct output_list {
	struct rstd__edge *at;
	size_t count, capacity;
};

/* Marks the operators of a graph with their nodes, so that node_of() need not search; and takes the marks back. */
static void mark_ops(const rstd_graph *graph)
{
	for (size_t i = graph->nodes.count; i-- > 0;)
		graph->nodes.at[i]->op->mark = graph->nodes.at[i];
}

static void unmark_ops(const rstd_graph *graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		graph->nodes.at[i]->op->mark = NULL;
}

/* While they are marked. */
static rstd_node *node_of(const rstd_op *op)
{
	return op ? op->mark : NULL;
}

static rstd_ge_status add_output(struct output_list *list, rstd_node *node, size_t index)
{
	struct rstd__edge *grown = rstd__grown(list->at, &list->capacity, list->count + 1, sizeof(*grown));

	if (!grown)
		return rstd__ge_no_memory("outputs");
	list->at = grown;
	list->at[list->count++] = (struct rstd__edge){ node, index };
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status add_all_outputs(struct output_list *list, rstd_node *node)
{
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < node->op->outputs.count && status == RSTD_GE_SUCCESS; i++)
		status = add_output(list, node, i);
	return status;
}

static rstd_ge_status add_named_output(const rstd_graph *graph, struct output_list *list, rstd_node *node,
                                       const char *name)
{
	const int32_t index = rstd_op_find_output(node->op, name);

	if (*name == '\0')
		return add_all_outputs(list, node);
	if (index < 0)
		return rstd__ge_fail("graph %s: %s(%s) has no output named %s", graph->name, node->op->name,
		                     node->op->type, name);
	return add_output(list, node, (size_t)index);
}

static rstd_ge_status add_entry(const rstd_graph *graph, struct output_list *list, const rstd_graph_output *entry)
{
	rstd_node *node = node_of(entry->op);
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (!node && entry->name)
		return rstd__ge_fail("graph %s: output %s is not of this graph", graph->name, rstd_op_name(entry->op));
	if (!node) {
		rstd__ge_warn("graph %s: output %s is skipped: it is not of this graph", graph->name,
		              rstd_op_name(entry->op));
		return RSTD_GE_SUCCESS;
	}
	if (entry->name)
		return add_named_output(graph, list, node, entry->name);
	if (entry->index_count == 0)
		return add_all_outputs(list, node);
	for (size_t i = 0; i < entry->index_count && status == RSTD_GE_SUCCESS; i++) {
		if (entry->indexes[i] < node->op->outputs.count)
			status = add_output(list, node, entry->indexes[i]);
		else
			rstd__ge_warn("graph %s: output %zu of %s(%s) is skipped: it has %zu", graph->name,
			              entry->indexes[i], node->op->name, node->op->type, node->op->outputs.count);
	}
	return status;
}

static rstd_ge_status replace_outputs(rstd_graph *graph, struct output_list *list, rstd_ge_status status)
{
	if (status != RSTD_GE_SUCCESS) {
		free(list->at);
		return status;
	}
	free(graph->outputs);
	graph->outputs = list->at;
	graph->output_count = list->count;
	graph->output_capacity = list->capacity;
	graph->version++;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_graph_set_outputs(rstd_graph *graph, const rstd_graph_output *outputs, size_t count)
{
	struct output_list list = { NULL, 0, 0 };
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (!graph || (count > 0 && !outputs))
		return RSTD_GE_NULL_PTR;
	if (!graph->valid)
		return rstd__ge_fail("graph %s: outputs come after SetInputs, which has not succeeded", graph->name);
	mark_ops(graph);
	for (size_t i = 0; i < count && status == RSTD_GE_SUCCESS; i++)
		status = add_entry(graph, &list, &outputs[i]);
	unmark_ops(graph);
	return replace_outputs(graph, &list, status);
}

rstd_ge_status rstd_graph_set_output_nodes(rstd_graph *graph, rstd_node *const *nodes, const int32_t *indexes,
                                           size_t count)
{
	struct output_list list = { NULL, 0, 0 };
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (!graph || (count > 0 && (!nodes || !indexes)))
		return RSTD_GE_NULL_PTR;
	for (size_t i = 0; i < count && status == RSTD_GE_SUCCESS; i++) {
		if (!nodes[i] || nodes[i]->graph != graph || indexes[i] < 0 ||
		    (size_t)indexes[i] >= nodes[i]->op->outputs.count)
			status = rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
			                          "graph %s: outputs[%zu]: %s:%d is no output of this graph",
			                          graph->name, i, rstd_op_name(rstd_node_op(nodes[i])), indexes[i]);
		else
			status = add_output(&list, nodes[i], (size_t)indexes[i]);
	}
	return replace_outputs(graph, &list, status);
}

rstd_ge_status rstd_graph_set_targets(rstd_graph *graph, rstd_op *const *targets, size_t count)
{
	rstd_node **grown;

	if (!graph || (count > 0 && !targets))
		return RSTD_GE_NULL_PTR;
	if (!graph->valid)
		return rstd__ge_fail("graph %s: targets come after SetInputs, which has not succeeded", graph->name);
	grown = rstd__grown(graph->targets.at, &graph->targets.capacity, count, sizeof(rstd_node *));
	if (!grown)
		return rstd__ge_no_memory("targets");
	graph->targets.at = grown;
	graph->targets.count = 0;
	graph->version++;
	mark_ops(graph);
	for (size_t i = 0; i < count; i++) {
		rstd_node *node = node_of(targets[i]);

		if (node)
			grown[graph->targets.count++] = node;
		else
			rstd__ge_warn("graph %s: target %s is skipped: it is not of this graph", graph->name,
			              rstd_op_name(targets[i]));
	}
	unmark_ops(graph);
	return RSTD_GE_SUCCESS;
}

size_t rstd_graph_output_count(const rstd_graph *graph)
{
	return graph ? graph->output_count : 0;
}

rstd_node *rstd_graph_output_at(const rstd_graph *graph, size_t index, size_t *output)
{
	if (!graph || index >= graph->output_count)
		return NULL;
	if (output)
		*output = graph->outputs[index].index;
	return graph->outputs[index].node;
}

static rstd_node *node_at(const struct rstd__nodes *nodes, size_t index)
{
	return index < nodes->count ? nodes->at[index] : NULL;
}

size_t rstd_graph_input_count(const rstd_graph *graph)
{
	return graph ? graph->inputs.count : 0;
}

rstd_node *rstd_graph_input_at(const rstd_graph *graph, size_t index)
{
	return graph ? node_at(&graph->inputs, index) : NULL;
}

size_t rstd_graph_target_count(const rstd_graph *graph)
{
	return graph ? graph->targets.count : 0;
}

rstd_node *rstd_graph_target_at(const rstd_graph *graph, size_t index)
{
	return graph ? node_at(&graph->targets, index) : NULL;
}

size_t rstd_graph_node_count(const rstd_graph *graph)
{
	return graph ? graph->nodes.count : 0;
}

rstd_node *rstd_graph_node_at(const rstd_graph *graph, size_t index)
{
	return graph ? node_at(&graph->nodes, index) : NULL;
}

rstd_node *rstd_graph_find_node(const rstd_graph *graph, const char *name)
{
	if (!graph || !rstd__names_may_have(&graph->node_names, rstd__name(name)))
		return NULL;
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (strcmp(graph->nodes.at[i]->op->name, rstd__name(name)) == 0)
			return graph->nodes.at[i];
	return NULL;
}

/* ---- Subgraphs ----------------------------------------------------------------------------------------------- */

static size_t find_subgraph(const rstd_graph *graph, const char *name)
{
	size_t i = 0;

	while (i < graph->subgraph_count && strcmp(graph->subgraphs[i]->name, rstd__name(name)) != 0)
		i++;
	return i;
}

rstd_ge_status rstd_graph_add_subgraph(rstd_graph *graph, rstd_graph *subgraph)
{
	rstd_graph **grown;

	if (!graph || !subgraph)
		return RSTD_GE_NULL_PTR;
	if (find_subgraph(graph, subgraph->name) < graph->subgraph_count)
		return rstd__ge_fail("graph %s: has a subgraph already that is named %s", graph->name, subgraph->name);
	grown = rstd__grown(graph->subgraphs, &graph->subgraph_capacity, graph->subgraph_count + 1,
	                    sizeof(rstd_graph *));
	if (!grown)
		return rstd__ge_no_memory("a subgraph");
	graph->subgraphs = grown;
	grown[graph->subgraph_count++] = rstd_graph_ref(subgraph);
	graph->version++;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_graph_remove_subgraph(rstd_graph *graph, const char *name)
{
	const size_t at = graph ? find_subgraph(graph, name) : 0;

	if (!graph)
		return RSTD_GE_NULL_PTR;
	if (at == graph->subgraph_count)
		return rstd__ge_fail("graph %s: has no subgraph named %s", graph->name, rstd__name(name));
	rstd_graph_unref(graph->subgraphs[at]);
	graph->subgraph_count--;
	memmove(&graph->subgraphs[at], &graph->subgraphs[at + 1], (graph->subgraph_count - at) * sizeof(rstd_graph *));
	graph->version++;
	return RSTD_GE_SUCCESS;
}

size_t rstd_graph_subgraph_count(const rstd_graph *graph)
{
	return graph ? graph->subgraph_count : 0;
}

rstd_graph *rstd_graph_subgraph_at(const rstd_graph *graph, size_t index)
{
	return graph && index < graph->subgraph_count ? graph->subgraphs[index] : NULL;
}

/* ---- Copies -------------------------------------------------------------------------------------------------- */

static rstd_ge_status copy_node_edges(rstd_graph *to, const rstd_node *from)
{
	rstd_node *node = to->nodes.at[from->index];
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < from->input_count && status == RSTD_GE_SUCCESS; i++)
		if (from->inputs[i].node)
			status = rstd_graph_add_data_edge(to, to->nodes.at[from->inputs[i].node->index],
			                                  (int32_t)from->inputs[i].index, node, (int32_t)i);
	for (size_t i = 0; i < from->control_inputs.count && status == RSTD_GE_SUCCESS; i++)
		status = rstd_graph_add_control_edge(to, to->nodes.at[from->control_inputs.at[i]->index], node);
	return status;
}

static bool copy_list(const rstd_graph *to, struct rstd__nodes *list, const struct rstd__nodes *from)
{
	rstd_node **grown = rstd__grown(list->at, &list->capacity, from->count, sizeof(rstd_node *));

	if (!grown)
		return false;
	list->at = grown;
	for (size_t i = 0; i < from->count; i++)
		grown[list->count++] = to->nodes.at[from->at[i]->index];
	return true;
}

static rstd_ge_status copy_into(rstd_graph *to, const rstd_graph *from)
{
	struct output_list outputs = { NULL, 0, 0 };
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < from->nodes.count && status == RSTD_GE_SUCCESS; i++) {
		rstd_op *op = rstd__op_copy(from->nodes.at[i]->op);

		if (!op)
			status = rstd__ge_no_memory("a copy");
		else if (!rstd__graph_append(to, op))
			status = RSTD_GE_FAILED;
		rstd_op_unref(op);
	}
	for (size_t i = 0; i < from->nodes.count && status == RSTD_GE_SUCCESS; i++)
		status = copy_node_edges(to, from->nodes.at[i]);
	for (size_t i = 0; i < from->output_count && status == RSTD_GE_SUCCESS; i++)
		status = add_output(&outputs, to->nodes.at[from->outputs[i].node->index], from->outputs[i].index);
	status = replace_outputs(to, &outputs, status);
	for (size_t i = 0; i < from->subgraph_count && status == RSTD_GE_SUCCESS; i++)
		status = rstd_graph_add_subgraph(to, from->subgraphs[i]);
	if (status == RSTD_GE_SUCCESS &&
	    (!copy_list(to, &to->inputs, &from->inputs) || !copy_list(to, &to->targets, &from->targets) ||
	     !rstd__attrs_copy(&to->attrs, &from->attrs)))
		status = rstd__ge_no_memory("a copy");
	to->built = from->built;
	to->valid = from->valid;
	return status;
}

/* Everything but the identity of the object: references, id, mark. */
void rstd__graph_swap(rstd_graph *a, rstd_graph *b)
{
	struct rstd_graph *const both[] = { a, b };
	char *name = a->name;
	const bool built = a->built, valid = a->valid;
	const rstd_attrs attrs = a->attrs;
	const struct rstd__nodes nodes = a->nodes, inputs = a->inputs, targets = a->targets;
	const struct rstd__names node_names = a->node_names;
	struct rstd__edge *outputs = a->outputs;
	const size_t output_count = a->output_count, output_capacity = a->output_capacity;
	rstd_graph **subgraphs = a->subgraphs;
	const size_t subgraph_count = a->subgraph_count, subgraph_capacity = a->subgraph_capacity;

	a->name = b->name, b->name = name;
	a->built = b->built, b->built = built;
	a->valid = b->valid, b->valid = valid;
	a->attrs = b->attrs, b->attrs = attrs;
	a->nodes = b->nodes, b->nodes = nodes;
	a->node_names = b->node_names, b->node_names = node_names;
	a->inputs = b->inputs, b->inputs = inputs;
	a->targets = b->targets, b->targets = targets;
	a->outputs = b->outputs, b->outputs = outputs;
	a->output_count = b->output_count, b->output_count = output_count;
	a->output_capacity = b->output_capacity, b->output_capacity = output_capacity;
	a->subgraphs = b->subgraphs, b->subgraphs = subgraphs;
	a->subgraph_count = b->subgraph_count, b->subgraph_count = subgraph_count;
	a->subgraph_capacity = b->subgraph_capacity, b->subgraph_capacity = subgraph_capacity;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < both[k]->nodes.count; i++)
			both[k]->nodes.at[i]->graph = both[k];
		both[k]->version++;
		both[k]->attrs.version++;
	}
}

rstd_ge_status rstd_graph_copy_from(rstd_graph *graph, const rstd_graph *from)
{
	rstd_graph *copy;
	rstd_ge_status status;

	if (!graph || !from)
		return RSTD_GE_NULL_PTR;
	copy = rstd_graph_new(from->name);
	if (!copy)
		return RSTD_GE_FAILED;
	status = copy_into(copy, from);
	if (status == RSTD_GE_SUCCESS)
		rstd__graph_swap(graph, copy);
	rstd_graph_unref(copy);
	return status;
}

/* ---- Order --------------------------------------------------------------------------------------------------- */

/* How many edges into a node come from nodes that are not done. */
static size_t count_waits(const rstd_node *node)
{
	size_t count = node->control_inputs.count;

	for (size_t i = 0; i < node->input_count; i++)
		count += node->inputs[i].node != NULL;
	return count;
}

static const rstd_node *first_waiting_for(const rstd_node *node, const size_t *waits)
{
	for (size_t i = 0; i < node->input_count; i++)
		if (node->inputs[i].node && waits[node->inputs[i].node->index] > 0)
			return node->inputs[i].node;
	for (size_t i = 0; i < node->control_inputs.count; i++)
		if (waits[node->control_inputs.at[i]->index] > 0)
			return node->control_inputs.at[i];
	return NULL;
}

/* Walks back from a node that waits, as many steps as there are nodes: it is on the cycle then. */
static rstd_ge_status fail_with_cycle(const rstd_graph *graph, const size_t *waits)
{
	const rstd_node *node = NULL, *start;
	char text[512] = "";

	for (size_t i = 0; i < graph->nodes.count && !node; i++)
		node = waits[i] > 0 ? graph->nodes.at[i] : NULL;
	for (size_t i = 0; i < graph->nodes.count && node; i++)
		node = first_waiting_for(node, waits);
	start = node;
	do {
		const char *const names[] = { node->op->name, "(", node->op->type, ") <- " };

		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			strncat(text, names[i], sizeof(text) - strlen(text) - 1);
		node = first_waiting_for(node, waits);
	} while (node != start);
	return rstd__ge_fail("graph %s: has a cycle: %s%s", graph->name, text, start->op->name);
}

/* One more of what a node waits for is done. */
static void release(const rstd_node *node, size_t *waits, size_t *order, size_t *count)
{
	if (--waits[node->index] == 0)
		order[(*count)++] = node->index;
}

rstd_ge_status rstd__graph_order(const rstd_graph *graph, size_t *order)
{
	const size_t nodes = graph->nodes.count;
	size_t *waits = calloc(nodes ? nodes : 1, sizeof(*waits)), count = 0;
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (!waits)
		return rstd__ge_no_memory("an order of nodes");
	for (size_t i = 0; i < nodes; i++) {
		waits[i] = count_waits(graph->nodes.at[i]);
		if (waits[i] == 0)
			order[count++] = i;
	}
	for (size_t done = 0; done < count; done++) {
		const rstd_node *node = graph->nodes.at[order[done]];

		for (size_t i = 0; i < node->reader_count; i++)
			release(node->readers[i].node, waits, order, &count);
		for (size_t i = 0; i < node->control_outputs.count; i++)
			release(node->control_outputs.at[i], waits, order, &count);
	}
	if (count < nodes)
		status = fail_with_cycle(graph, waits);
	free(waits);
	return status;
}

/* ---- Data ---------------------------------------------------------------------------------------------------- */

static bool is_data(const rstd_node *node)
{
	return strcmp(node->op->type, "Data") == 0;
}

static int64_t data_index(rstd_node *node)
{
	const rstd_value *value = rstd_attrs_get(&node->op->attrs, "index");

	return value && value->kind == RSTD_VALUE_INT ? value->as.i : 0;
}

rstd_ge_status rstd__graph_number_data(rstd_graph *graph)
{
	const size_t nodes = graph->nodes.count;
	unsigned char *seen = calloc(nodes ? nodes : 1, 1);
	rstd_ge_status status = RSTD_GE_SUCCESS;
	size_t count = 0;
	bool right = true;

	if (!seen)
		return rstd__ge_no_memory("the indexes of Data nodes");
	for (size_t i = 0; i < nodes; i++)
		count += is_data(graph->nodes.at[i]);
	for (size_t i = 0; i < nodes; i++) {
		const int64_t index = is_data(graph->nodes.at[i]) ? data_index(graph->nodes.at[i]) : -1;

		if (!is_data(graph->nodes.at[i]))
			continue;
		right &= index >= 0 && (size_t)index < count && !seen[index];
		if (right)
			seen[index] = 1;
	}
	free(seen);
	count = 0;
	for (size_t i = 0; i < nodes && !right && status == RSTD_GE_SUCCESS; i++) {
		const rstd_value value = { .kind = RSTD_VALUE_INT, .as.i = (int64_t)count };

		if (!is_data(graph->nodes.at[i]))
			continue;
		status = rstd_attrs_set(&graph->nodes.at[i]->op->attrs, "index", &value);
		count++;
	}
	return status;
}
