/*
 * test_engine_alloc.c - every allocation fails once, and nothing leaks; and what a session holds does not grow
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with --wrap for malloc, calloc, realloc, posix_memalign and free, and with the archives of both libraries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "support.h"

/* ---- A program that gives up at the first failure ---------------------------------------------------------------- */

struct program {
	rstd_op *ops[8];
	size_t count;
	rstd_graph *graph, *copy;
	rstd_session *session;
	rstd_results *results;
};

/* NULL when it failed; inputs 0 and 1 are linked. */
static rstd_op *new_op(struct program *p, const char *type, const char *name, rstd_op *x1, rstd_op *x2)
{
	rstd_op *op = rstd_op_create(name, type);

	if (!op)
		return NULL;
	p->ops[p->count++] = op;
	if ((x1 && rstd_op_set_input_at(op, 0, x1, 0) != RSTD_GE_SUCCESS) ||
	    (x2 && rstd_op_set_input_at(op, 1, x2, 0) != RSTD_GE_SUCCESS))
		return NULL;
	return op;
}

static bool set(rstd_op *op, const char *name, const rstd_value *value)
{
	return rstd_attrs_set(rstd_op_attrs(op), name, value) == RSTD_GE_SUCCESS;
}

static bool build(struct program *p)
{
	static const int64_t axis = 1, shape[] = { 2, 4 }, one = 1, two = 2;
	const rstd_ge_tensor axes_value = { { .dtype = RSTD_DT_INT64, .rank = 1, .dims = &one }, &axis, 8 };
	const rstd_ge_tensor shape_value = { { .dtype = RSTD_DT_INT64, .rank = 1, .dims = &two }, shape, 16 };
	const rstd_value axes_attr = { .kind = RSTD_VALUE_TENSOR, .as.tensor = &axes_value };
	const rstd_value shape_attr = { .kind = RSTD_VALUE_TENSOR, .as.tensor = &shape_value };
	const rstd_value dim = { .kind = RSTD_VALUE_LIST_INT, .count = 1, .as.ints = &axis };
	const rstd_value yes = { .kind = RSTD_VALUE_BOOL, .as.b = true };
	rstd_op *x = new_op(p, "Data", "x", NULL, NULL), *axes = new_op(p, "Const", "axes", NULL, NULL);
	rstd_op *wide = new_op(p, "Const", "shape", NULL, NULL), *mean, *to, *std;
	rstd_graph_output outputs[2] = { { 0 } };

	const rstd_desc desc = { .dtype = RSTD_DT_FLOAT, .rank = 2, .dims = shape };

	if (!x || rstd_op_set_output_desc(x, 0, &desc) != RSTD_GE_SUCCESS)
		return false;
	if (!axes || !wide || !set(axes, "value", &axes_attr) || !set(wide, "value", &shape_attr))
		return false;
	mean = new_op(p, "ReduceMean", "mean", x, axes);
	if (!mean || !set(mean, "keep_dims", &yes))
		return false;
	to = new_op(p, "BroadcastTo", "to", mean, wide);
	std = to ? new_op(p, "ReduceStdWithMean", "std", x, to) : NULL;
	if (!std || !set(std, "dim", &dim))
		return false;
	if (rstd_op_add_control_input(std, axes) != RSTD_GE_SUCCESS)
		return false;
	p->graph = rstd_graph_new("g");
	outputs[0].op = std;
	outputs[1].op = mean;
	return p->graph && rstd_graph_set_inputs(p->graph, &x, 1) == RSTD_GE_SUCCESS &&
	       rstd_graph_set_outputs(p->graph, outputs, 2) == RSTD_GE_SUCCESS &&
	       rstd_graph_set_targets(p->graph, &std, 1) == RSTD_GE_SUCCESS &&
	       rstd_graph_add_op(p->graph, std) == RSTD_GE_SUCCESS;
}

static bool run(struct program *p, const char *fusion)
{
	static const float data[] = { 1, 2, 3, 4, 2, 4, 6, 8 };
	static const int64_t dims[] = { 2, 4 };
	const rstd_ge_tensor x = { { .dtype = RSTD_DT_FLOAT, .rank = 2, .dims = dims }, data, sizeof(data) };
	const rstd_option option = { "rstd.fusion", fusion };
	rstd_ge_tensor y;

	p->session = rstd_session_new(&option, 1);
	if (!p->session || rstd_session_add_graph(p->session, 0, p->graph, NULL, 0) != RSTD_GE_SUCCESS)
		return false;
	if (rstd_session_add_graph_with_copy(p->session, 1, p->graph, NULL, 0) != RSTD_GE_SUCCESS)
		return false;
	for (uint32_t id = 0; id < 2; id++) {
		rstd_results_free(p->results);
		if (rstd_session_run(p->session, id, &x, 1, &p->results) != RSTD_GE_SUCCESS)
			return false;
		if (!rstd_results_get(p->results, 0, &y) || y.size != 8)
			fail_msg("a run that succeeded has no result");
	}
	return rstd_graph_infer(p->graph) == RSTD_GE_SUCCESS;
}

static void end(struct program *p)
{
	rstd_results_free(p->results);
	rstd_session_destroy(p->session);
	rstd_graph_unref(p->copy);
	rstd_graph_unref(p->graph);
	for (size_t i = 0; i < p->count; i++)
		rstd_op_unref(p->ops[i]);
}

static void fail_each(const char *fusion)
{
	bool worked = false;
	int attempts = 0;

	assert_int_equal(rstd_set_num_threads(1), RSTD_OK);
	assert_int_equal(rstd_ge_initialize(NULL, 0), RSTD_GE_SUCCESS);
	for (; !worked; attempts++) {
		struct program p = { .count = 0 };
		const char *errors;

		(void)rstd_ge_take_errors();
		allowed = attempts;
		refusals = held = 0;
		watching = true;
		worked = build(&p) && run(&p, fusion);
		end(&p);
		watching = false;
		assert_int_equal(held, 0);
		errors = rstd_ge_take_errors();
		if (!worked && !strstr(errors, "no memory") && !strstr(errors, "allocate"))
			fail_msg("allocation %d: no word of memory in \"%s\"", attempts, errors);
		if (worked && refusals > 0)
			worked = attempts > 100000; /* a report was left out: not the end yet */
	}
	assert_true(attempts > 100);
}

static void test_all(void **state)
{
	(void)state;
	fail_each("all");
}

static void test_exact(void **state)
{
	(void)state;
	fail_each("exact");
}

/* One run on a feed of zeros of this shape. */
static void run_shape(rstd_session *session, int64_t rows, int64_t columns)
{
	static const float zeros[2000];
	const struct dims dims = DIMS(rows, columns);
	const rstd_ge_tensor x = feed(RSTD_DT_FLOAT, &dims, zeros);
	rstd_results *results;

	if (rstd_session_run(session, 0, &x, 1, &results) != RSTD_GE_SUCCESS)
		fail_msg("%s", rstd_ge_take_errors());
	rstd_results_free(results);
}

/* 1000 different shapes: what a session holds after them is what it held after the first 50, and at the end nothing. */
static void test_flat_memory(void **state)
{
	struct maker m = { 0 };
	rstd_op *out = make(&m, "ReduceStdV2", "std", make(&m, "Sqrt", "sqrt", make_data(&m, "x"), NULL), NULL);
	rstd_graph *graph = finish(&m, &out, 1);
	int blocks = 0;
	size_t bytes = 0;
	rstd_session *session;

	(void)state;
	set_ints(out, "dim", DIMS(1));
	assert_int_equal(rstd_set_num_threads(1), RSTD_OK);
	held = 0;
	held_bytes = 0;
	allowed = INT_MAX;
	watching = true;
	session = open_session(NULL, NULL);
	assert_int_equal(rstd_session_add_graph_with_copy(session, 0, graph, NULL, 0), RSTD_GE_SUCCESS);
	run_shape(session, 40, 50); /* the largest: the arena has its size */
	for (int64_t i = 0; i < 1000; i++) {
		run_shape(session, 1 + i % 40, 1 + i / 40);
		if (i < 50) {
			blocks = held;
			bytes = held_bytes;
		}
		assert_true(held <= blocks && held_bytes <= bytes + 64);
	}
	rstd_session_destroy(session);
	watching = false;
	assert_int_equal(held, 0);
	drop(&m);
}

/* Values with lists in lists: one block each, or nothing. */
static void test_values(void **state)
{
	static const int64_t ints[] = { 1, 2 };
	static const rstd_int_list lists[] = { { 2, ints } };
	const rstd_attr inner = { "i", { .kind = RSTD_VALUE_LIST_LIST_INT, .count = 1, .as.int_lists = lists } };
	const rstd_named_attrs named = { "n", 1, &inner };
	const rstd_value value = { .kind = RSTD_VALUE_NAMED_ATTRS, .as.named = &named };
	const rstd_value old = { .kind = RSTD_VALUE_INT, .as.i = 5 };
	rstd_op *op = rstd_op_create("x", "Data");

	(void)state;
	assert_true(set(op, "a", &old));
	allowed = held = 0;
	watching = true;
	assert_false(set(op, "a", &value));
	watching = false;
	assert_int_equal(rstd_attrs_get(rstd_op_attrs(op), "a")->as.i, 5); /* as it was */
	expect_error("no memory for an attribute");
	assert_true(set(op, "a", &value));
	rstd_op_unref(op);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_flat_memory),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
