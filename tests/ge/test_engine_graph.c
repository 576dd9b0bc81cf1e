/*
 * test_engine_graph.c - graphs: building, outputs, editing, order and cycles, copies
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cann/ge/graph.h"
#include "support.h"

static const char *node_name(const rstd_graph *graph, size_t index)
{
	return rstd_op_name(rstd_node_op(rstd_graph_node_at(graph, index)));
}

static void expect_nodes(const rstd_graph *graph, const char *const *names, size_t count)
{
	assert_int_equal(rstd_graph_node_count(graph), count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(node_name(graph, i), names[i]);
}

/* x -> a -> c -> out, y -> c, k -> out */
static rstd_graph *diamond(struct maker *m, rstd_op **out)
{
	rstd_op *x = make_data(m, "x"), *y = make_data(m, "y");
	rstd_op *a = make(m, "Sqrt", "a", x, NULL), *c = make(m, "Add", "c", a, y);
	rstd_op *k = make_const(m, "k", RSTD_DT_FLOAT, SCALAR, (const float[]){ 2 });

	*out = make(m, "Mul", "out", c, k);
	return finish(m, out, 1);
}

static void test_build(void **state)
{
	static const char *const order[] = { "x", "y", "a", "c", "out", "k" };
	struct maker m = { 0 };
	rstd_op *out;
	rstd_graph *graph = diamond(&m, &out);
	rstd_node *node, *c;
	size_t index;

	(void)state;
	expect_nodes(graph, order, 6); /* breadth-first, and backwards to k */
	assert_true(rstd_graph_is_valid(graph));
	assert_int_equal(rstd_graph_input_count(graph), 2);
	assert_int_equal(rstd_graph_output_count(graph), 1);
	node = rstd_graph_output_at(graph, 0, &index);
	assert_ptr_equal(rstd_node_op(node), out);
	assert_int_equal(index, 0);
	c = rstd_node_input(node, 0, &index);
	assert_string_equal(rstd_op_name(rstd_node_op(c)), "c");
	assert_int_equal(rstd_node_index(c), 3);
	assert_int_equal(rstd_node_consumer_count(c, 0), 1);
	assert_ptr_equal(rstd_node_consumer(c, 0, 0, &index), node);
	assert_int_equal(index, 0);
	assert_null(rstd_node_consumer(c, 0, 1, &index));
	assert_null(rstd_node_input(node, 5, &index));
	assert_ptr_equal(rstd_graph_find_node(graph, "c"), c);
	assert_null(rstd_graph_find_node(graph, "nobody"));
	assert_int_equal(rstd_graph_set_inputs(graph, m.inputs, 2), RSTD_GE_FAILED);
	expect_error("graph test: has been built already");
	drop(&m);
}

static void test_build_along_control_links(void **state)
{
	static const char *const order[] = { "x", "later", "before" };
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *later = make(&m, "Sqrt", "later", x, NULL);
	rstd_op *before = make_int64s(&m, "before", DIMS(1));
	rstd_graph *graph;
	rstd_node *node;

	(void)state;
	assert_int_equal(rstd_op_add_control_input(later, before), RSTD_GE_SUCCESS);
	graph = finish(&m, &later, 1);
	expect_nodes(graph, order, 3);
	node = rstd_graph_node_at(graph, 1);
	assert_int_equal(rstd_node_control_input_count(node), 1);
	assert_string_equal(rstd_op_name(rstd_node_op(rstd_node_control_input(node, 0))), "before");
	node = rstd_graph_node_at(graph, 2);
	assert_int_equal(rstd_node_control_output_count(node), 1);
	assert_ptr_equal(rstd_node_control_output(node, 0), rstd_graph_node_at(graph, 1));
	drop(&m);
}

/* SetInputs must fail with this text, and leave the graph without nodes. */
static void refuse(rstd_op *const *inputs, size_t count, const char *error)
{
	rstd_graph *graph = rstd_graph_new("bad");

	assert_int_equal(rstd_graph_set_inputs(graph, inputs, count), RSTD_GE_FAILED);
	expect_error(error);
	assert_false(rstd_graph_is_valid(graph));
	assert_int_equal(rstd_graph_node_count(graph), 0);
	assert_int_equal(rstd_graph_set_outputs(graph, NULL, 0), RSTD_GE_FAILED);
	expect_error("outputs come after SetInputs");
	assert_int_equal(rstd_graph_set_targets(graph, NULL, 0), RSTD_GE_FAILED);
	rstd_graph_unref(graph);
}

static void test_refused_builds(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *y = make(&m, "Data", "x", NULL, NULL), *root = make(&m, "Sqrt", "r", x, NULL);
	rstd_op *twins[] = { x, y };

	(void)state;
	refuse(&x, 0, "the list of inputs is empty");
	refuse(&root, 1, "has no input left of 1");
	assert_non_null(strstr(rstd_ge_take_warnings(), "input r(Sqrt) is skipped"));
	refuse(twins, 2, "two nodes are named x (types Data and Data)");
	assert_int_equal(rstd_op_set_input_at(root, 0, y, 0), RSTD_GE_SUCCESS); /* a second link is taken ... */
	refuse(&x, 1, "r(Sqrt): input x was linked more than once");            /* ... and found here */
	drop(&m);
}

static void test_outputs(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *std = make(&m, "ReduceStdV2", "s", x, NULL);
	rstd_op *stranger = make(&m, "Data", "stranger", NULL, NULL);
	const size_t indexes[] = { 1, 7, 0, 1 };
	const rstd_graph_output by_index = { std, NULL, indexes, 4 }, by_name = { std, "mean", NULL, 0 };
	const rstd_graph_output all_by_name = { std, "", NULL, 0 }, wrong_name = { std, "zz", NULL, 0 };
	const rstd_graph_output foreign[] = { { stranger, NULL, NULL, 0 }, { std, NULL, NULL, 0 } };
	const rstd_graph_output foreign_by_name = { stranger, "", NULL, 0 };
	rstd_graph *graph = finish(&m, &std, 1);
	rstd_node *node = rstd_graph_find_node(graph, "s");
	const int32_t one = 1, two = 2;
	size_t index;

	(void)state;
	assert_int_equal(rstd_graph_output_count(graph), 2); /* all outputs of an operator */
	assert_int_equal(rstd_graph_set_outputs(graph, &by_index, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_output_count(graph), 3);
	assert_non_null(strstr(rstd_ge_take_warnings(), "output 7 of s(ReduceStdV2) is skipped: it has 2"));
	assert_non_null(rstd_graph_output_at(graph, 1, &index));
	assert_int_equal(index, 0);
	assert_int_equal(rstd_graph_set_outputs(graph, &by_name, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_output_count(graph), 1);
	assert_ptr_equal(rstd_graph_output_at(graph, 0, &index), node);
	assert_int_equal(index, 1);
	assert_int_equal(rstd_graph_set_outputs(graph, &all_by_name, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_output_count(graph), 2);
	assert_int_equal(rstd_graph_set_outputs(graph, &wrong_name, 1), RSTD_GE_FAILED);
	expect_error("s(ReduceStdV2) has no output named zz");
	assert_int_equal(rstd_graph_set_outputs(graph, &foreign_by_name, 1), RSTD_GE_FAILED);
	expect_error("output stranger is not of this graph");
	assert_int_equal(rstd_graph_output_count(graph), 2); /* as it was */
	assert_int_equal(rstd_graph_set_outputs(graph, foreign, 2), RSTD_GE_SUCCESS);
	assert_non_null(strstr(rstd_ge_take_warnings(), "output stranger is skipped"));
	assert_int_equal(rstd_graph_output_count(graph), 2);
	assert_int_equal(rstd_graph_set_output_nodes(graph, &node, &one, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_output_count(graph), 1);
	assert_int_equal(rstd_graph_set_output_nodes(graph, &node, &two, 1), RSTD_GE_PARAM_INVALID);
	expect_error("outputs[0]: s:2 is no output of this graph");
	assert_int_equal(rstd_graph_set_targets(graph, (rstd_op *[]){ std, stranger }, 2), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_target_count(graph), 1);
	assert_ptr_equal(rstd_graph_target_at(graph, 0), node);
	assert_int_equal(rstd_graph_remove_node(graph, node), RSTD_GE_SUCCESS); /* takes all that with it */
	assert_int_equal(rstd_graph_target_count(graph), 0);
	assert_int_equal(rstd_graph_output_count(graph), 0);
	drop(&m);
}

static void test_edit(void **state)
{
	struct maker m = { 0 };
	rstd_graph *graph = rstd_graph_new("edited"), *other = rstd_graph_new("other");
	rstd_op *op = make(&m, "Sqrt", "a", NULL, NULL);
	rstd_node *x = rstd_graph_add_node(graph, make(&m, "Data", "x", NULL, NULL)),
		  *a = rstd_graph_add_node(graph, op);
	rstd_node *b = rstd_graph_add_node(graph, make(&m, "Add", "b", NULL, NULL));
	rstd_node *foreign = rstd_graph_add_node(other, op);

	(void)state;
	m.graph = other;
	assert_true(x && a && b && foreign);
	assert_null(rstd_graph_add_node(graph, op));
	expect_error("has a node already that is named a");
	assert_int_equal(rstd_graph_add_data_edge(graph, x, 0, a, 0), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_add_data_edge(graph, a, 0, b, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_add_data_edge(graph, x, 0, b, 0), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_add_data_edge(graph, x, 0, b, 0), RSTD_GE_PARAM_INVALID);
	expect_error("b(Add): input x1 has an edge already");
	assert_int_equal(rstd_graph_add_data_edge(graph, x, 1, b, 0), RSTD_GE_PARAM_INVALID);
	expect_error("x(Data): output index is 1, must be in [0, 1)");
	assert_int_equal(rstd_graph_add_data_edge(graph, x, 0, b, -1), RSTD_GE_PARAM_INVALID);
	expect_error("b(Add): input index is -1, must be in [0, 2)");
	assert_int_equal(rstd_graph_add_data_edge(graph, x, 0, foreign, 0), RSTD_GE_PARAM_INVALID);
	expect_error("graph edited: does not have the node a");
	assert_int_equal(rstd_graph_add_control_edge(graph, x, b), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_add_control_edge(graph, x, b), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_node_control_input_count(b), 1);
	assert_int_equal(rstd_graph_remove_edge(graph, x, -1, b, -1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_remove_edge(graph, x, -1, b, -1), RSTD_GE_PARAM_INVALID);
	assert_int_equal(rstd_graph_remove_edge(graph, a, 0, b, 0), RSTD_GE_PARAM_INVALID);
	expect_error("graph edited: has no such edge into b");
	assert_int_equal(rstd_graph_remove_edge(graph, x, 0, b, 0), RSTD_GE_SUCCESS);
	assert_null(rstd_node_input(b, 0, NULL));

	rstd_node_ref(a);
	assert_int_equal(rstd_graph_remove_node(graph, a), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_remove_node(graph, a), RSTD_GE_PARAM_INVALID);
	assert_null(rstd_node_graph(a));
	assert_null(rstd_node_input(a, 0, NULL));
	assert_string_equal(rstd_op_name(rstd_node_op(a)), "a");
	assert_int_equal(rstd_node_index(a), SIZE_MAX);
	assert_int_equal(rstd_node_index(b), 1);
	assert_null(rstd_node_input(b, 1, NULL));
	rstd_node_unref(a);
	rstd_node_ref(b);
	rstd_graph_unref(graph);
	assert_null(rstd_node_graph(b)); /* it outlives its graph */
	rstd_node_unref(b);
	drop(&m);
}

static void test_cycle(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *a = make(&m, "Add", "a", x, NULL), *b = make(&m, "Sqrt", "b", a, NULL);
	rstd_op *c = make(&m, "Sqrt", "c", b, NULL), *tail = make(&m, "Sqrt", "tail", c, NULL);
	rstd_graph *graph;
	size_t order[8];

	(void)state;
	assert_int_equal(rstd_op_set_input(a, "x2", c, NULL), RSTD_GE_SUCCESS);
	graph = finish(&m, &tail, 1); /* building does not mind */
	assert_int_equal(rstd__graph_order(graph, order), RSTD_GE_FAILED);
	expect_error("graph test: has a cycle: ");
	assert_int_equal(rstd_graph_infer(graph), RSTD_GE_FAILED);
	expect_error("b(Sqrt) <- a(Add) <- c(Sqrt) <- b");
	drop(&m);
}

static void test_order(void **state)
{
	struct maker m = { 0 };
	rstd_op *out;
	const rstd_graph *graph = diamond(&m, &out);
	size_t order[8], place[8];

	(void)state;
	assert_int_equal(rstd__graph_order(graph, order), RSTD_GE_SUCCESS);
	for (size_t i = 0; i < 6; i++)
		place[order[i]] = i;
	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < 2; k++) {
			const rstd_node *node = rstd_graph_node_at(graph, i), *source = rstd_node_input(node, k, NULL);

			assert_true(!source || place[rstd_node_index(source)] < place[i]);
		}
	drop(&m);
}

static void test_copy(void **state)
{
	static const char *const order[] = { "x", "y", "a", "c", "out", "k" };
	struct maker m = { 0 };
	rstd_op *out;
	rstd_graph *graph = diamond(&m, &out), *copy = rstd_graph_new("copy");

	(void)state;
	set_int(rstd_node_op(rstd_graph_node_at(graph, 0)), "mark", 7);
	assert_int_equal(rstd_graph_copy_from(copy, graph), RSTD_GE_SUCCESS);
	expect_nodes(copy, order, 6);
	assert_string_equal(rstd_graph_name(copy), "test");
	assert_true(rstd_graph_is_valid(copy));
	for (size_t i = 0; i < 6; i++) {
		const rstd_node *from = rstd_graph_node_at(graph, i), *to = rstd_graph_node_at(copy, i);

		assert_ptr_equal(rstd_node_graph(to), copy);
		assert_ptr_not_equal(rstd_node_op(from), rstd_node_op(to));
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(rstd_node_index(rstd_node_input(from, k, NULL)),
			                 rstd_node_index(rstd_node_input(to, k, NULL)));
	}
	assert_int_equal(rstd_attrs_get(rstd_op_attrs(rstd_node_op(rstd_graph_node_at(copy, 0))), "mark")->as.i, 7);
	assert_int_equal(rstd_graph_output_count(copy), 1);
	rstd_graph_unref(copy);
	assert_non_null(rstd_op_input_source(out, 0, NULL)); /* the original keeps its links */
	drop(&m);
}

static void test_lists(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *twin = make(&m, "Sqrt", "x", NULL, NULL);
	rstd_graph *graph = rstd_graph_new("g"), *sub = rstd_graph_new("sub");

	(void)state;
	m.graph = graph;
	assert_int_equal(rstd_graph_add_op(graph, x), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_add_op(graph, twin), RSTD_GE_SUCCESS); /* the name is there: ignored */
	assert_int_equal(rstd_graph_op_count(graph), 1);
	assert_ptr_equal(rstd_graph_find_op(graph, "x"), x);
	assert_ptr_equal(rstd_graph_op_at(graph, 0), x);
	assert_null(rstd_graph_op_at(graph, 1));
	assert_int_equal(rstd_graph_node_count(graph), 0);
	assert_int_equal(rstd_graph_add_subgraph(graph, sub), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_add_subgraph(graph, sub), RSTD_GE_FAILED);
	expect_error("graph g: has a subgraph already that is named sub");
	assert_ptr_equal(rstd_graph_subgraph_at(graph, 0), sub);
	assert_int_equal(rstd_graph_remove_subgraph(graph, "sub"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_remove_subgraph(graph, "sub"), RSTD_GE_FAILED);
	assert_int_equal(rstd_graph_set_name(graph, "renamed"), RSTD_GE_SUCCESS);
	assert_string_equal(rstd_graph_name(graph), "renamed");
	assert_false(rstd_graph_is_valid(graph));
	assert_int_equal(rstd_graph_set_valid(graph), RSTD_GE_SUCCESS);
	assert_true(rstd_graph_is_valid(graph));
	rstd_graph_unref(sub);
	drop(&m);
}

/* What was cut off is not found any more, from either side. */
static void test_cut_links_are_gone(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *data = make(&m, "Sqrt", "data", x, NULL);
	rstd_op *control = make(&m, "Const", "control", NULL, NULL);

	(void)state;
	assert_int_equal(rstd_op_add_control_input(control, x), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_add_control_input(x, control), RSTD_GE_SUCCESS);
	rstd_op_break_connect(control);
	rstd_op_break_connect(data);
	assert_int_equal(rstd_graph_node_count(finish(&m, &x, 1)), 1);
	drop(&m);
}

/* The end of a graph cuts its operators' links. */
static void test_end_cuts_links(void **state)
{
	struct maker m = { 0 };
	rstd_op *out;

	(void)state;
	(void)diamond(&m, &out);
	assert_non_null(rstd_op_input_source(out, 0, NULL));
	rstd_graph_unref(m.graph);
	m.graph = NULL;
	assert_null(rstd_op_input_source(out, 0, NULL));
	drop(&m);
}

static void test_data_indexes(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *y = make_data(&m, "y"), *sum = make(&m, "Add", "sum", x, y);
	rstd_graph *graph = finish(&m, &sum, 1);

	(void)state;
	set_int(x, "index", 1);
	set_int(y, "index", 0);
	assert_int_equal(rstd__graph_number_data(graph), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_attrs_get(rstd_op_attrs(x), "index")->as.i, 1); /* 0 and 1 in any order are right */
	set_int(x, "index", 0);
	assert_int_equal(rstd__graph_number_data(graph), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_attrs_get(rstd_op_attrs(x), "index")->as.i, 0);
	assert_int_equal(rstd_attrs_get(rstd_op_attrs(y), "index")->as.i, 1);
	drop(&m);
}

/* Many nodes are found by their names, one that is removed is not, and its name is free again. */
static void test_many_names(void **state)
{
	enum { MANY = 3000 };
	rstd_graph *graph = rstd_graph_new("g");
	rstd_op *op;
	char name[32];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_null(rstd_graph_find_op(graph, name));
		op = rstd_op_create(name, "Sqrt");
		assert_int_equal(rstd_graph_add_op(graph, op), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_graph_add_op(graph, op), RSTD_GE_SUCCESS);
		assert_non_null(rstd_graph_add_node(graph, op));
		assert_null(rstd_graph_add_node(graph, op));
		expect_error("has a node already that is named");
		rstd_op_unref(op);
	}
	assert_int_equal(rstd_graph_op_count(graph), MANY);
	assert_int_equal(rstd_graph_node_count(graph), MANY);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_string_equal(rstd_op_name(rstd_graph_find_op(graph, name)), name);
		assert_int_equal(rstd_node_index(rstd_graph_find_node(graph, name)), i);
	}
	op = rstd_op_ref(rstd_node_op(rstd_graph_node_at(graph, 7)));
	assert_int_equal(rstd_graph_remove_node(graph, rstd_graph_node_at(graph, 7)), RSTD_GE_SUCCESS);
	assert_null(rstd_graph_find_node(graph, "n7"));
	assert_int_equal(rstd_node_index(rstd_graph_add_node(graph, op)), MANY - 1);
	assert_int_equal(rstd_node_index(rstd_graph_find_node(graph, "n7")), MANY - 1);
	assert_null(rstd_graph_find_node(graph, "n3000"));
	assert_null(rstd_graph_find_op(graph, NULL));
	rstd_op_unref(op);
	rstd_graph_unref(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build),          cmocka_unit_test(test_build_along_control_links),
		cmocka_unit_test(test_refused_builds), cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_edit),           cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_order),          cmocka_unit_test(test_copy),
		cmocka_unit_test(test_lists),          cmocka_unit_test(test_cut_links_are_gone),
		cmocka_unit_test(test_end_cuts_links), cmocka_unit_test(test_data_indexes),
		cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
