/*
 * support.h - what the tests of the graph engine share: building small graphs, running them, references in MPFR
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_TESTS_GE_SUPPORT_H
#define RSTD_TESTS_GE_SUPPORT_H

#include <mpfr.h>

#include "case_gen.h"
#include "rstd/graph.h"

#define MOST_NODES 64

/* Lists in parameters: dims(3, 4), and none. */
struct dims {
	size_t count;
	int64_t at[12];
};
#define DIMS(...) ((struct dims){ sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), { __VA_ARGS__ } })
#define SCALAR    ((struct dims){ 0, { 0 } })

/* Operators of a graph to be, with the references that the test holds. */
struct maker {
	rstd_op *ops[MOST_NODES], *inputs[MOST_NODES];
	size_t count, input_count;
	rstd_graph *graph;
};

/* Adds an operator of a known type; x1 and x2 (may be NULL) are linked to its inputs 0 and 1, output 0 each. */
rstd_op *make(struct maker *m, const char *type, const char *name, rstd_op *x1, rstd_op *x2);
/* An input of the graph; its index is that of the call. */
rstd_op *make_data(struct maker *m, const char *name);
rstd_op *make_const(struct maker *m, const char *name, int32_t dtype, struct dims dims, const void *data);
rstd_op *make_int64s(struct maker *m, const char *name, struct dims values);

void set_ints(rstd_op *op, const char *attr, struct dims values);
void set_int(rstd_op *op, const char *attr, int64_t number);
void set_bool(rstd_op *op, const char *attr, bool truth);
void set_float(rstd_op *op, const char *attr, float number);
void set_in_desc(rstd_op *op, size_t input, int32_t dtype, struct dims dims);
void set_out_desc(rstd_op *op, size_t output, int32_t dtype, struct dims dims);

/* Builds the graph that returns all outputs of count operators. */
rstd_graph *finish(struct maker *m, rstd_op *const *outputs, size_t count);
/* The references of the maker; the graph lives on with whoever has it. */
void drop(struct maker *m);

/* A feed; dims must live on. */
rstd_ge_tensor feed(int32_t dtype, const struct dims *dims, const void *data);
/* The bytes of such a tensor. */
size_t tensor_size(int32_t dtype, const struct dims *dims);

/* A session with one option (key NULL: none); the engine is initialised. */
rstd_session *open_session(const char *key, const char *value);

/*
 * Runs the graph in a session of its own, and checks that result 0 has this dtype, shape, and bits; prints what differs.
 * The whole message is printed when the run fails.
 */
void expect_result(rstd_graph *graph, const rstd_ge_tensor *feeds, size_t count, int32_t dtype, struct dims dims,
                   const void *expected);

/* Fails the test unless the thread's errors contain the text; clears them. */
void expect_error(const char *text);

/* Bits of a number, rounded once to a dtype of rstd; finite numbers, and what overflows gives Inf. */
uint32_t bits_of_mpfr(rstd_dtype dtype, const mpfr_t value);
rstd_dtype native_of(int32_t dtype);
/* Deterministic pseudo-random numbers. */
uint64_t next_random(uint64_t *state);
/* Random bits of a finite element, exponents within `spread` of that of 1. */
uint32_t random_bits(rstd_dtype dtype, uint64_t *state, int spread);

#endif
