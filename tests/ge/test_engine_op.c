/*
 * test_engine_op.c - operators: identity, prototype, dynamic inputs, links and how long they live, subgraphs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "support.h"

/* An operator with inputs a, b and outputs p, q. */
static rstd_op *new_op(const char *name)
{
	rstd_op *op = rstd_op_new(name, "Own");

	assert_int_equal(rstd_op_register_input(op, "a", RSTD_IR_REQUIRED, "T1"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_input(op, "b", RSTD_IR_OPTIONAL, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_output(op, "p", RSTD_IR_REQUIRED, "T1"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_output(op, "q", RSTD_IR_REQUIRED, NULL), RSTD_GE_SUCCESS);
	return op;
}

static void test_identity(void **state)
{
	rstd_op *first = rstd_op_new(NULL, "Own"), *second = rstd_op_new(NULL, "Own"), *empty = rstd_op_new("", NULL);

	(void)state;
	assert_string_equal(rstd_op_type(first), "Own");
	assert_true(strncmp(rstd_op_name(first), "Own_", 4) == 0);
	assert_string_not_equal(rstd_op_name(first), rstd_op_name(second));
	assert_string_equal(rstd_op_name(empty), "");
	assert_string_equal(rstd_op_type(empty), "");
	assert_null(rstd_op_create("x", "NoSuchType"));
	expect_error("type NoSuchType is not known");
	assert_string_equal(rstd_ge_op_type(0), "Add");
	for (size_t i = 1; rstd_ge_op_type(i); i++)
		assert_true(strcmp(rstd_ge_op_type(i - 1), rstd_ge_op_type(i)) < 0);
	rstd_op_unref(first);
	rstd_op_unref(second);
	rstd_op_unref(empty);
	assert_null(rstd_op_ref(NULL));
	rstd_op_unref(NULL);
}

static void test_prototype(void **state)
{
	const rstd_value one = { .kind = RSTD_VALUE_INT, .as.i = 1 };
	rstd_op *op = new_op("op");
	rstd_ir_item item;
	rstd_ir_attr attr;

	(void)state;
	assert_int_equal(rstd_op_register_input(op, "a", RSTD_IR_DYNAMIC, "T9"), RSTD_GE_SUCCESS); /* there already */
	assert_int_equal(rstd_op_register_input(op, "many", RSTD_IR_DYNAMIC, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_attr(op, "n", "Int", false, &one), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_attr(op, "m", "Bool", true, NULL), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_ir_input_count(op), 3);
	assert_int_equal(rstd_op_ir_output_count(op), 2);
	assert_int_equal(rstd_op_ir_attr_count(op), 2);
	assert_true(rstd_op_ir_input(op, 0, &item));
	assert_string_equal(item.name, "a");
	assert_string_equal(item.symbol, "T1");
	assert_int_equal(item.kind, RSTD_IR_REQUIRED);
	assert_true(rstd_op_ir_input(op, 2, &item));
	assert_int_equal(item.kind, RSTD_IR_DYNAMIC);
	assert_false(rstd_op_ir_input(op, 3, &item));
	assert_true(rstd_op_ir_output(op, 1, &item));
	assert_string_equal(item.symbol, "");
	assert_true(rstd_op_ir_attr(op, 1, &attr));
	assert_string_equal(attr.name, "m");
	assert_string_equal(attr.type, "Bool");
	assert_true(attr.required);
	assert_int_equal(rstd_attrs_get(rstd_op_attrs(op), "n")->as.i, 1);
	assert_null(rstd_attrs_get(rstd_op_attrs(op), "m"));
	assert_int_equal(rstd_op_input_count(op), 2);
	assert_true(rstd_op_input_is_optional(op, 1));
	assert_int_equal(rstd_op_find_input(op, "b"), 1);
	assert_int_equal(rstd_op_find_input(op, "many"), -1);
	assert_string_equal(rstd_op_output_name(op, 1), "q");
	assert_null(rstd_op_output_name(op, 2));
	rstd_op_unref(op);
}

static void test_dynamic(void **state)
{
	rstd_op *op = new_op("op"), *src = new_op("src");
	size_t index;

	(void)state;
	assert_int_equal(rstd_op_register_input(op, "d", RSTD_IR_DYNAMIC, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_dynamic_input_count(op, "d"), 0);
	assert_int_equal(rstd_op_dynamic_input_count(op, "a"), -1);
	assert_int_equal(rstd_op_set_input(op, "b", src, "q"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_add_dynamic_inputs(op, "d", 2, RSTD_AT_END), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_add_dynamic_inputs(op, "d", 1, 0), RSTD_GE_SUCCESS); /* in front: links move along */
	assert_int_equal(rstd_op_dynamic_input_count(op, "d"), 3);
	assert_int_equal(rstd_op_input_count(op), 5);
	assert_string_equal(rstd_op_input_name(op, 0), "d2");
	assert_string_equal(rstd_op_input_name(op, 4), "d1");
	assert_ptr_equal(rstd_op_input_source(op, 2, &index), src);
	assert_int_equal(index, 1);
	assert_int_equal(rstd_op_add_dynamic_outputs(src, "e", 1, 0), RSTD_GE_SUCCESS);
	assert_ptr_equal(rstd_op_input_source(op, 2, &index), src);
	assert_int_equal(index, 2);
	assert_int_equal(rstd_op_set_input(op, "d0", src, "p"), RSTD_GE_SUCCESS);
	rstd_op_break_connect(op); /* finds all of them, wherever they moved */
	assert_null(rstd_op_input_source(op, 2, NULL));
	assert_int_equal(rstd_op_add_dynamic_inputs(op, "d", 1, 9), RSTD_GE_PARAM_INVALID);
	expect_error("position of d is 9, must be at most 5");
	rstd_op_unref(op);
	rstd_op_unref(src);
}

static void test_links(void **state)
{
	rstd_op *src = new_op("src"), *dst = new_op("dst");
	rstd_desc desc = RSTD_DESC_DEFAULT;
	size_t index = 9;

	(void)state;
	set_out_desc(src, 1, RSTD_DT_BF16, DIMS(2, 3));
	desc.format = RSTD_FORMAT_NHWC;
	assert_int_equal(rstd_op_set_input_desc(dst, 0, &desc), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input(dst, "a", src, "q"), RSTD_GE_SUCCESS);
	assert_ptr_equal(rstd_op_input_source(dst, 0, &index), src);
	assert_int_equal(index, 1);
	assert_int_equal(rstd_op_get_input_desc(dst, 0, &desc), RSTD_GE_SUCCESS);
	assert_int_equal(desc.dtype, RSTD_DT_BF16); /* comes along */
	assert_int_equal(desc.rank, 2);
	assert_int_equal(desc.format, RSTD_FORMAT_NHWC); /* stays */
	set_out_desc(src, 1, RSTD_DT_INT8, DIMS(7));
	assert_int_equal(rstd_op_get_input_desc(dst, 0, &desc), RSTD_GE_SUCCESS);
	assert_int_equal(desc.dtype, RSTD_DT_INT8); /* follows */
	assert_int_equal(desc.format, RSTD_FORMAT_NHWC);

	assert_int_equal(rstd_op_set_input(dst, "zz", src, "q"), RSTD_GE_PARAM_INVALID);
	expect_error("dst(Own): has no input named zz");
	assert_int_equal(rstd_op_set_input(dst, "b", src, "zz"), RSTD_GE_PARAM_INVALID);
	expect_error("src(Own): has no output named zz");
	assert_int_equal(rstd_op_set_input(dst, "b", src, NULL), RSTD_GE_PARAM_INVALID);
	expect_error("src(Own): has 2 outputs");
	assert_int_equal(rstd_op_set_input_at(dst, 2, src, 0), RSTD_GE_PARAM_INVALID);
	expect_error("dst(Own): input index is 2, must be below 2");
	assert_int_equal(rstd_op_set_input_at(dst, 1, src, 2), RSTD_GE_PARAM_INVALID);
	expect_error("src(Own): output index is 2, must be below 2");
	assert_int_equal(rstd_op_set_input_at(dst, 1, NULL, 2), RSTD_GE_NULL_PTR);
	assert_null(rstd_op_input_source(dst, 1, NULL));

	assert_int_equal(rstd_op_add_control_input(dst, src), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_add_control_input(dst, src), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_control_input_count(dst), 1);
	assert_ptr_equal(rstd_op_control_input(dst, 0), src);
	rstd_op_break_connect(src);
	assert_int_equal(rstd_op_control_input_count(dst), 0);
	assert_null(rstd_op_input_source(dst, 0, NULL));
	rstd_op_unref(src);
	rstd_op_unref(dst);
}

static void count_destroyed(void *object)
{
	++*(int *)object;
}

/* Operators that are linked live together, whichever of them is held, also in rings. */
static void test_lifetime(void **state)
{
	int destroyed = 0;
	rstd_op *a = new_op("a"), *b = new_op("b"), *c = new_op("c");

	(void)state;
	assert_int_equal(rstd_op_attach(a, "key", &destroyed, count_destroyed), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_attach(b, "key", &destroyed, count_destroyed), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_attach(c, "key", &destroyed, count_destroyed), RSTD_GE_SUCCESS);
	assert_ptr_equal(rstd_op_attached(a, "key"), &destroyed);
	assert_null(rstd_op_attached(a, "other"));
	assert_int_equal(rstd_op_set_input(b, "a", a, "p"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input(a, "a", b, "p"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input(c, "a", b, "q"), RSTD_GE_SUCCESS);
	rstd_op_unref(a);
	rstd_op_unref(b);
	assert_int_equal(destroyed, 0);
	assert_string_equal(rstd_op_name(rstd_op_input_source(c, 0, NULL)), "b");
	assert_int_equal(rstd_op_attach(c, "key", NULL, NULL), RSTD_GE_SUCCESS); /* replaces: the old one goes */
	assert_int_equal(destroyed, 1);
	rstd_op_unref(c);
	assert_int_equal(destroyed, 3);
}

static void test_subgraphs(void **state)
{
	rstd_op *op = new_op("op");
	rstd_graph *graph = rstd_graph_new("g");
	bool dynamic;
	uint32_t count;

	(void)state;
	assert_int_equal(rstd_op_register_subgraph(op, "then", false), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_subgraph(op, "cases", true), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_subgraph(op, "cases", true), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_subgraph_name_count(op), 2);
	assert_string_equal(rstd_op_subgraph_name(op, 1, &dynamic, &count), "cases");
	assert_true(dynamic && count == 0);
	assert_int_equal(rstd_op_set_subgraph(op, "cases", 0, graph), RSTD_GE_PARAM_INVALID);
	expect_error("op(Own): subgraph cases");
	assert_int_equal(rstd_op_set_subgraph_count(op, "then", 2), RSTD_GE_PARAM_INVALID);
	assert_int_equal(rstd_op_set_subgraph_count(op, "cases", 2), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_subgraph(op, "cases", 1, graph), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_subgraph(op, "then", 0, graph), RSTD_GE_SUCCESS);
	rstd_graph_unref(graph);
	assert_ptr_equal(rstd_op_subgraph(op, "cases", 1), graph);
	assert_null(rstd_op_subgraph(op, "cases", 0));
	assert_int_equal(rstd_op_set_subgraph_count(op, "cases", 1), RSTD_GE_SUCCESS);
	assert_null(rstd_op_subgraph(op, "cases", 1));
	assert_string_equal(rstd_graph_name(rstd_op_subgraph(op, "then", 0)), "g");
	rstd_op_unref(op);
}

static void test_const_input(void **state)
{
	struct maker m = { 0 };
	rstd_op *axes = make_int64s(&m, "axes", DIMS(4, 5)), *x = make_data(&m, "x");
	rstd_op *mean = make(&m, "ReduceMean", "mean", x, axes);
	rstd_ge_tensor tensor;

	(void)state;
	assert_int_equal(rstd_op_input_const(mean, 1, &tensor), RSTD_GE_SUCCESS);
	assert_int_equal(tensor.size, 16);
	assert_int_equal(rstd_op_input_const(mean, 0, &tensor), RSTD_GE_WITHOUT_CONST_INPUT);
	assert_int_equal(rstd_op_input_const(mean, 7, &tensor), RSTD_GE_WITHOUT_CONST_INPUT);
	drop(&m);
}

/* Handles of one operator in several threads. */
static void *hold_and_let_go(void *op)
{
	for (int i = 0; i < 20000; i++)
		rstd_op_unref(rstd_op_ref(op));
	return NULL;
}

static void test_references_in_threads(void **state)
{
	rstd_op *op = new_op("op");
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hold_and_let_go, op), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	rstd_op_unref(op);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity),    cmocka_unit_test(test_prototype),
		cmocka_unit_test(test_dynamic),     cmocka_unit_test(test_links),
		cmocka_unit_test(test_lifetime),    cmocka_unit_test(test_subgraphs),
		cmocka_unit_test(test_const_input), cmocka_unit_test(test_references_in_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
