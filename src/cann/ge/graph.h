/*
 * graph.h - graphs and their nodes, inside the engine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_GRAPH_H
#define RSTD_CANN_GE_GRAPH_H

#include <stdatomic.h>

#include "cann/ge/names.h"
#include "cann/ge/op.h"

struct rstd__edge {
	rstd_node *node;
	size_t index; /* of the output that an input reads */
};

/* The reader of an output. */
struct rstd__reader {
	rstd_node *node;
	size_t input, output;
};

struct rstd__nodes {
	rstd_node **at;
	size_t count, capacity;
};

struct rstd_node {
	atomic_size_t references;
	rstd_graph *graph; /* NULL when it has left its graph */
	rstd_op *op;       /* a reference */
	size_t index;
	struct rstd__edge *inputs; /* as many as the operator had when an edge was last added */
	size_t input_count, input_capacity;
	struct rstd__reader *readers;
	size_t reader_count, reader_capacity;
	struct rstd__nodes control_inputs, control_outputs;
};

struct rstd_graph {
	atomic_size_t references;
	char *name;
	uint32_t id;
	bool built, valid;
	atomic_bool added; /* to a session, once and for ever */
	uint64_t version;  /* changes with nodes, edges, outputs and targets */
	rstd_attrs attrs;
	struct rstd__nodes nodes;                /* references */
	struct rstd__names node_names, op_names; /* of all that nodes and ops have had */
	struct rstd__nodes inputs, targets;
	struct rstd__edge *outputs;
	size_t output_count, output_capacity;
	struct rstd__ops ops; /* rstd_graph_add_op(); references */
	rstd_graph **subgraphs;
	size_t subgraph_count, subgraph_capacity;
};

/* The edge of an input; node is NULL when it has none. */
struct rstd__edge rstd__node_edge(const rstd_node *node, size_t input);

/*
 * order[i]: indexes of the graph's nodes such that each comes behind what it reads and waits for, and otherwise in the
 * graph's order; room for all nodes. Fails with FAILED: a cycle (the message names its nodes), or no memory.
 */
rstd_ge_status rstd__graph_order(const rstd_graph *graph, size_t *order);

/* The Data nodes' `index` attributes become 0 to n - 1 in node order, unless they are these numbers already. */
rstd_ge_status rstd__graph_number_data(rstd_graph *graph);

/* rstd_graph_add_node() for a caller who knows that no node has the name. NULL when memory runs out (with a message). */
rstd_node *rstd__graph_append(rstd_graph *graph, rstd_op *op);

/* Gives the graph all that another holds, its name too, and that one what the graph held. The ids stay. */
void rstd__graph_swap(rstd_graph *a, rstd_graph *b);

/* Lets go of all nodes, outputs, targets and subgraphs. */
void rstd__graph_clear(rstd_graph *graph);

#endif
