/*
 * op.h - operator objects: what a handle points to
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_OP_H
#define RSTD_CANN_GE_OP_H

#include "cann/ge/value.h"

/* An input or an output. */
struct rstd__port {
	char *name;
	rstd_ir_kind kind;
	struct rstd__desc desc;
	rstd_attrs attrs;
	/* of an input */
	rstd_op *source;
	size_t source_index;
	bool linked_twice;
};

struct rstd__ports {
	struct rstd__port *at;
	size_t count, capacity;
};

/* An output of the operator that feeds an input of another. */
struct rstd__consumer {
	rstd_op *op;
	size_t input, output;
};

struct rstd__ir_item {
	char *name, *symbol;
	rstd_ir_kind kind;
};

struct rstd__ir_items {
	struct rstd__ir_item *at;
	size_t count, capacity;
};

struct rstd__ir_attr {
	char *name, *type;
	bool required;
};

struct rstd__ops {
	rstd_op **at;
	size_t count, capacity;
};

struct rstd__subgraph {
	char *name;
	bool dynamic;
	uint32_t count;
	size_t capacity;
	rstd_graph **instances; /* references, or NULL */
};

struct rstd__attachment {
	char *key;
	void *object;
	void (*destroy)(void *object);
};

struct rstd__island;

struct rstd_op {
	char *name, *type;
	struct rstd__island *island; /* link.c */
	rstd_op *next;               /* on the same island */

	struct rstd__ports inputs, outputs;
	rstd_attrs attrs;
	uint64_t version; /* changes with descs and ports; attrs has its own */

	struct rstd__ir_items ir_inputs, ir_outputs;
	struct rstd__ir_attr *ir_attrs;
	size_t ir_attr_count, ir_attr_capacity;

	struct rstd__consumer *consumers;
	size_t consumer_count, consumer_capacity;
	struct rstd__ops control_inputs, control_outputs;

	struct rstd__subgraph *subgraphs;
	size_t subgraph_count, subgraph_capacity;
	struct rstd__attachment *attachments;
	size_t attachment_count, attachment_capacity;

	void *mark; /* the node that a walk over links has made of it; NULL outside of walks */
};

/* The operator alone, which nothing may point to any more; link.c decides when. */
void rstd__op_free(rstd_op *op);

/* Puts a new operator on an island of its own, with one reference. False when memory runs out. */
bool rstd__island_new(rstd_op *op);

/* A copy without links and attachments: a new reference; NULL when memory runs out. */
rstd_op *rstd__op_copy(const rstd_op *from);

/* Whether an operator of this type holds a value: Const, Constant. */
bool rstd__op_is_const(const rstd_op *op);

#endif
