/*
 * test_files.c - .air models: what is saved is what is loaded, and what is wrong is refused
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ge_ir.pb-c.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char directory[] = "/tmp/rstd-test-files-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(directory) == NULL || chdir(directory) != 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	char command[sizeof(directory) + 16];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

/* ---- What both ways keep ---------------------------------------------------------------------------------------- */

struct bytes {
	void *at;
	size_t size;
};

static struct bytes save(const rstd_graph *graph)
{
	struct bytes bytes = { NULL, 0 };

	if (rstd_graph_save_memory(graph, &bytes.at, &bytes.size) != RSTD_GE_SUCCESS)
		fail_msg("%s", rstd_ge_take_errors());
	return bytes;
}

static rstd_graph *load(struct bytes bytes)
{
	rstd_graph *graph = rstd_graph_new("to be replaced");

	if (rstd_graph_load_memory(graph, bytes.at, bytes.size) != RSTD_GE_SUCCESS)
		fail_msg("%s", rstd_ge_take_errors());
	assert_string_equal(rstd_ge_take_errors(), "");
	return graph;
}

/* Saves, loads, and saves again: the same bytes. */
static rstd_graph *round_trip(const rstd_graph *graph)
{
	const struct bytes first = save(graph);
	rstd_graph *loaded = load(first);
	const struct bytes second = save(loaded);

	assert_int_equal(first.size, second.size);
	assert_memory_equal(first.at, second.at, first.size);
	rstd_graph_free(first.at);
	rstd_graph_free(second.at);
	return loaded;
}

static rstd_op *op_of(const rstd_graph *graph, const char *name)
{
	rstd_node *node = rstd_graph_find_node(graph, name);

	if (!node)
		fail_msg("no node is named %s", name);
	return rstd_node_op(node);
}

static const rstd_value *attr_of(const rstd_graph *graph, const char *node, const char *name, rstd_value_kind kind)
{
	const rstd_value *value = rstd_attrs_get(rstd_op_attrs(op_of(graph, node)), name);

	if (!value || value->kind != kind)
		fail_msg("%s.%s is of kind %s, must be %s", node, name,
		         value ? rstd_value_kind_name(value->kind) : "none", rstd_value_kind_name(kind));
	return value;
}

static void set(rstd_op *op, const char *name, rstd_value value)
{
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), name, &value), RSTD_GE_SUCCESS);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static const int64_t some_ints[] = { INT64_MIN, -1, 0, 300, INT64_MAX };
static const float some_floats[] = { 0.0F, -0.0F, 1e-45F, 0.1F, -3.4e38F };
static const bool some_bools[] = { true, false, true };
static const int32_t some_dtypes[] = { RSTD_DT_FLOAT, RSTD_DT_BF16, RSTD_DT_INT4, RSTD_DT_HIFLOAT4 };
static const rstd_text some_texts[] = { { "one", 3 }, { NULL, 0 }, { "a\0b\"\\\n\xff", 7 } };
static const int64_t dims_2_3[] = { 2, 3 };
static const unsigned char six_bytes[] = { 0, 1, 2, 0xff, 0x80, 6 };
static const rstd_ge_tensor some_tensors[] = {
	{ { .dtype = RSTD_DT_UINT8, .format = RSTD_FORMAT_NCHW, .rank = 2, .dims = dims_2_3, .name = "t" },
	  six_bytes,
	  6 },
	{ { .dtype = RSTD_DT_FLOAT, .format = RSTD_FORMAT_ND }, NULL, 0 },
};
static const rstd_int_list some_int_lists[] = { { 5, some_ints }, { 0, NULL }, { 1, some_ints } };
static const rstd_float_list some_float_lists[] = { { 0, NULL }, { 5, some_floats } };

/* Every kind of value, and the list kinds once more without elements. */
static void set_every_kind(rstd_op *op)
{
	const rstd_attr inner[] = {
		{ "b", { .kind = RSTD_VALUE_BOOL, .as.b = true } },
		{ "z", { .kind = RSTD_VALUE_LIST_INT, .count = 5, .as.ints = some_ints } },
	};
	const rstd_named_attrs innermost = { "innermost", 2, inner };
	const rstd_attr outer[] = { { "named", { .kind = RSTD_VALUE_NAMED_ATTRS, .as.named = &innermost } } };
	const rstd_named_attrs named[] = { { "outer", 1, outer }, { "empty", 0, NULL } };

	set(op, "int", (rstd_value){ .kind = RSTD_VALUE_INT, .as.i = INT64_MIN });
	set(op, "float", (rstd_value){ .kind = RSTD_VALUE_FLOAT, .as.f = -0.0F });
	set(op, "bool", (rstd_value){ .kind = RSTD_VALUE_BOOL, .as.b = false });
	set(op, "string", (rstd_value){ .kind = RSTD_VALUE_STRING, .as.text = some_texts[2] });
	set(op, "empty string", (rstd_value){ .kind = RSTD_VALUE_STRING });
	set(op, "dtype", (rstd_value){ .kind = RSTD_VALUE_DTYPE, .as.dtype = RSTD_DT_BF16 });
	set(op, "bytes", (rstd_value){ .kind = RSTD_VALUE_BYTES, .as.text = { (const char *)six_bytes, 6 } });
	set(op, "tensor", (rstd_value){ .kind = RSTD_VALUE_TENSOR, .as.tensor = some_tensors });
	set(op, "desc", (rstd_value){ .kind = RSTD_VALUE_DESC, .as.tensor = some_tensors });
	set(op, "named", (rstd_value){ .kind = RSTD_VALUE_NAMED_ATTRS, .as.named = named });
	set(op, "ints", (rstd_value){ .kind = RSTD_VALUE_LIST_INT, .count = 5, .as.ints = some_ints });
	set(op, "floats", (rstd_value){ .kind = RSTD_VALUE_LIST_FLOAT, .count = 5, .as.floats = some_floats });
	set(op, "bools", (rstd_value){ .kind = RSTD_VALUE_LIST_BOOL, .count = 3, .as.bools = some_bools });
	set(op, "strings", (rstd_value){ .kind = RSTD_VALUE_LIST_STRING, .count = 3, .as.texts = some_texts });
	set(op, "dtypes", (rstd_value){ .kind = RSTD_VALUE_LIST_DTYPE, .count = 4, .as.dtypes = some_dtypes });
	set(op, "list of bytes", (rstd_value){ .kind = RSTD_VALUE_LIST_BYTES, .count = 3, .as.texts = some_texts });
	set(op, "tensors", (rstd_value){ .kind = RSTD_VALUE_LIST_TENSOR, .count = 2, .as.tensor = some_tensors });
	set(op, "descs", (rstd_value){ .kind = RSTD_VALUE_LIST_DESC, .count = 2, .as.tensor = some_tensors });
	set(op, "nameds", (rstd_value){ .kind = RSTD_VALUE_LIST_NAMED_ATTRS, .count = 2, .as.named = named });
	set(op, "int lists",
	    (rstd_value){ .kind = RSTD_VALUE_LIST_LIST_INT, .count = 3, .as.int_lists = some_int_lists });
	set(op, "float lists",
	    (rstd_value){ .kind = RSTD_VALUE_LIST_LIST_FLOAT, .count = 2, .as.float_lists = some_float_lists });
	for (int kind = RSTD_VALUE_LIST_INT; kind <= RSTD_VALUE_LIST_LIST_FLOAT; kind++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "no %s", rstd_value_kind_name((rstd_value_kind)kind));
		set(op, name, (rstd_value){ .kind = (rstd_value_kind)kind });
	}
}

static void check_text(rstd_text text, rstd_text expected)
{
	assert_int_equal(text.size, expected.size);
	if (text.size > 0)
		assert_memory_equal(text.data, expected.data, text.size);
}

static void check_scalars(const rstd_graph *graph, const char *node)
{
	const rstd_value *value = attr_of(graph, node, "float", RSTD_VALUE_FLOAT);

	assert_memory_equal(&value->as.f, &some_floats[1], sizeof(float));
	assert_true(attr_of(graph, node, "int", RSTD_VALUE_INT)->as.i == INT64_MIN);
	assert_false(attr_of(graph, node, "bool", RSTD_VALUE_BOOL)->as.b);
	check_text(attr_of(graph, node, "string", RSTD_VALUE_STRING)->as.text, some_texts[2]);
	check_text(attr_of(graph, node, "empty string", RSTD_VALUE_STRING)->as.text, some_texts[1]);
	assert_int_equal(attr_of(graph, node, "dtype", RSTD_VALUE_DTYPE)->as.dtype, RSTD_DT_BF16);
	check_text(attr_of(graph, node, "bytes", RSTD_VALUE_BYTES)->as.text, (rstd_text){ (const char *)six_bytes, 6 });
}

static void check_lists(const rstd_graph *graph, const char *node)
{
	const rstd_value *value = attr_of(graph, node, "ints", RSTD_VALUE_LIST_INT);

	assert_int_equal(value->count, 5);
	assert_memory_equal(value->as.ints, some_ints, sizeof(some_ints));
	value = attr_of(graph, node, "floats", RSTD_VALUE_LIST_FLOAT);
	assert_int_equal(value->count, 5);
	assert_memory_equal(value->as.floats, some_floats, sizeof(some_floats));
	value = attr_of(graph, node, "bools", RSTD_VALUE_LIST_BOOL);
	assert_int_equal(value->count, 3);
	assert_memory_equal(value->as.bools, some_bools, sizeof(some_bools));
	value = attr_of(graph, node, "dtypes", RSTD_VALUE_LIST_DTYPE);
	assert_int_equal(value->count, 4);
	assert_memory_equal(value->as.dtypes, some_dtypes, sizeof(some_dtypes));
	for (size_t i = 0; i < 3; i++) {
		check_text(attr_of(graph, node, "strings", RSTD_VALUE_LIST_STRING)->as.texts[i], some_texts[i]);
		check_text(attr_of(graph, node, "list of bytes", RSTD_VALUE_LIST_BYTES)->as.texts[i], some_texts[i]);
		value = attr_of(graph, node, "int lists", RSTD_VALUE_LIST_LIST_INT);
		assert_int_equal(value->as.int_lists[i].count, some_int_lists[i].count);
	}
	value = attr_of(graph, node, "float lists", RSTD_VALUE_LIST_LIST_FLOAT);
	assert_memory_equal(value->as.float_lists[1].floats, some_floats, sizeof(some_floats));
	for (int kind = RSTD_VALUE_LIST_INT; kind <= RSTD_VALUE_LIST_LIST_FLOAT; kind++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "no %s", rstd_value_kind_name((rstd_value_kind)kind));
		assert_int_equal(attr_of(graph, node, name, (rstd_value_kind)kind)->count, 0);
	}
}

static void check_structures(const rstd_graph *graph, const char *node)
{
	const rstd_ge_tensor *tensor = attr_of(graph, node, "tensor", RSTD_VALUE_TENSOR)->as.tensor;
	const rstd_named_attrs *named = attr_of(graph, node, "named", RSTD_VALUE_NAMED_ATTRS)->as.named;

	assert_int_equal(tensor->desc.dtype, RSTD_DT_UINT8);
	assert_int_equal(tensor->desc.format, RSTD_FORMAT_NCHW);
	assert_int_equal(tensor->desc.rank, 2);
	assert_memory_equal(tensor->desc.dims, dims_2_3, sizeof(dims_2_3));
	assert_string_equal(tensor->desc.name, "t");
	assert_int_equal(tensor->size, 6);
	assert_memory_equal(tensor->data, six_bytes, 6);
	tensor = attr_of(graph, node, "desc", RSTD_VALUE_DESC)->as.tensor;
	assert_int_equal(tensor->desc.dtype, RSTD_DT_UINT8);
	assert_int_equal(attr_of(graph, node, "tensors", RSTD_VALUE_LIST_TENSOR)->count, 2);
	assert_int_equal(attr_of(graph, node, "descs", RSTD_VALUE_LIST_DESC)->count, 2);
	assert_string_equal(named->name, "outer");
	assert_int_equal(named->count, 1);
	assert_int_equal(named->attrs[0].value.kind, RSTD_VALUE_NAMED_ATTRS);
	assert_string_equal(named->attrs[0].value.as.named->name, "innermost");
	assert_int_equal(named->attrs[0].value.as.named->attrs[1].value.as.ints[3], 300);
	assert_int_equal(attr_of(graph, node, "nameds", RSTD_VALUE_LIST_NAMED_ATTRS)->as.named[1].count, 0);
}

static void test_values(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x");
	rstd_graph *graph, *loaded;

	(void)state;
	set_every_kind(x);
	assert_int_equal(rstd_attrs_set(rstd_op_input_attrs(x, 0), "of a desc",
	                                &(rstd_value){ .kind = RSTD_VALUE_INT, .as.i = 7 }),
	                 RSTD_GE_SUCCESS);
	graph = finish(&m, &x, 1);
	assert_int_equal(
		rstd_attrs_set(rstd_graph_attrs(graph), "of the graph",
	                       &(rstd_value){ .kind = RSTD_VALUE_LIST_BOOL, .count = 3, .as.bools = some_bools }),
		RSTD_GE_SUCCESS);
	loaded = round_trip(graph);
	drop(&m);
	check_scalars(loaded, "x");
	check_lists(loaded, "x");
	check_structures(loaded, "x");
	assert_int_equal(rstd_attrs_get(rstd_op_input_attrs(op_of(loaded, "x"), 0), "of a desc")->as.i, 7);
	assert_int_equal(rstd_attrs_get(rstd_graph_attrs(loaded), "of the graph")->count, 3);
	rstd_graph_unref(loaded);
}

/* ---- Descs ------------------------------------------------------------------------------------------------------- */

static void test_descs(void **state)
{
	static const int64_t dims[] = { -1, 8 }, ranges[] = { 1, 64, 8, -1 }, origin[] = { 8 };
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x");
	rstd_desc desc = RSTD_DESC_DEFAULT;
	rstd_graph *loaded;

	(void)state;
	desc.rank = 2;
	desc.dims = dims;
	desc.range_count = 2;
	desc.ranges = ranges;
	desc.has_origin = true;
	desc.origin_rank = 1;
	desc.origin_dims = origin;
	desc.format = RSTD_FORMAT_NHWC;
	desc.origin_format = RSTD_FORMAT_NCHW;
	desc.real_dim_count = 2;
	desc.size = 12345;
	desc.name = "a name";
	for (int32_t dtype = 0; dtype <= RSTD_DT_HIFLOAT4; dtype++) {
		desc.dtype = dtype;
		if (dtype == 5)
			continue; /* there is none */
		assert_int_equal(rstd_op_set_input_desc(x, 0, &desc), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_op_set_output_desc(x, 0, &desc), RSTD_GE_SUCCESS);
		if (!m.graph)
			(void)finish(&m, &x, 1);
		loaded = round_trip(m.graph);
		assert_int_equal(rstd_op_get_output_desc(op_of(loaded, "x"), 0, &desc), RSTD_GE_SUCCESS);
		assert_int_equal(desc.dtype, dtype);
		assert_int_equal(desc.rank, 2);
		assert_memory_equal(desc.dims, dims, sizeof(dims));
		assert_int_equal(desc.range_count, 2);
		assert_memory_equal(desc.ranges, ranges, sizeof(ranges));
		assert_true(desc.has_origin);
		assert_int_equal(desc.origin_rank, 1);
		assert_int_equal(desc.origin_dims[0], 8);
		assert_int_equal(desc.format, RSTD_FORMAT_NHWC);
		assert_int_equal(desc.origin_format, RSTD_FORMAT_NCHW);
		assert_int_equal(desc.size, 12345);
		assert_string_equal(desc.name, "a name");
		desc.dims = dims; /* those of the graph that goes */
		desc.ranges = ranges;
		desc.origin_dims = origin;
		desc.name = "a name";
		desc.expand_dims_rule = "";
		rstd_graph_unref(loaded);
	}
	drop(&m);
}

/* ---- Nodes, edges, prototypes -------------------------------------------------------------------------------------- */

/* Mean and deviation of rows, a control edge, a target, a Const. */
static rstd_graph *make_graph(struct maker *m)
{
	rstd_op *x = make_data(m, "x"), *axes = make_int64s(m, "axes", DIMS(1));
	rstd_op *mean = make(m, "ReduceMean", "mean", x, axes);
	rstd_op *wide = make(m, "BroadcastTo", "wide", mean, make_int64s(m, "shape", DIMS(2, 4)));
	rstd_op *std = make(m, "ReduceStdWithMean", "std", x, wide);
	rstd_op *outputs[] = { std, mean };
	rstd_graph *graph;

	set_out_desc(x, 0, RSTD_DT_FLOAT, DIMS(2, 4));
	set_bool(mean, "keep_dims", true);
	set_ints(std, "dim", DIMS(1));
	assert_int_equal(rstd_op_add_control_input(std, axes), RSTD_GE_SUCCESS);
	graph = finish(m, outputs, 2);
	assert_int_equal(rstd_graph_set_targets(graph, &wide, 1), RSTD_GE_SUCCESS);
	return graph;
}

static const float eight[] = { 1, 2, 3, 4, 2, 4, 6, 8 };
/* sqrt(5/3) and sqrt(20/3), rounded once */
static const float std_of_eight[] = { 0x1.4a7e9cp+0F, 0x1.4a7e9cp+1F };

static void test_run(void **state)
{
	const struct dims dims = DIMS(2, 4);
	const rstd_ge_tensor x = feed(RSTD_DT_FLOAT, &dims, eight);
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m), *loaded = round_trip(graph);

	(void)state;
	assert_string_equal(rstd_graph_name(loaded), "test");
	assert_int_equal(rstd_graph_node_count(loaded), rstd_graph_node_count(graph));
	for (size_t i = 0; i < rstd_graph_node_count(graph); i++)
		assert_string_equal(rstd_op_name(rstd_node_op(rstd_graph_node_at(loaded, i))),
		                    rstd_op_name(rstd_node_op(rstd_graph_node_at(graph, i))));
	assert_int_equal(rstd_node_control_input_count(rstd_graph_find_node(loaded, "std")), 1);
	assert_int_equal(rstd_graph_target_count(loaded), 1);
	assert_ptr_equal(rstd_graph_target_at(loaded, 0), rstd_graph_find_node(loaded, "wide"));
	assert_int_equal(rstd_graph_output_count(loaded), 2);
	assert_ptr_equal(rstd_graph_output_at(loaded, 1, NULL), rstd_graph_find_node(loaded, "mean"));
	assert_int_equal(rstd_graph_input_count(loaded), 1);
	assert_true(rstd_graph_is_valid(loaded));
	assert_null(rstd_attrs_get(rstd_graph_attrs(loaded), "_rstd_targets"));
	expect_result(graph, &x, 1, RSTD_DT_FLOAT, DIMS(2), std_of_eight);
	expect_result(loaded, &x, 1, RSTD_DT_FLOAT, DIMS(2), std_of_eight);
	rstd_graph_unref(loaded);
	drop(&m);
}

/* Of a type that the engine does not know: required, optional and dynamic inputs, dynamic outputs, unlinked ones. */
static rstd_op *new_special(void)
{
	rstd_op *op = rstd_op_new("special", "OfAnotherHouse");

	assert_int_equal(rstd_op_register_input(op, "a", RSTD_IR_REQUIRED, "T"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_input(op, "o", RSTD_IR_OPTIONAL, "T"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_input(op, "d", RSTD_IR_DYNAMIC, "T"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_output(op, "y", RSTD_IR_REQUIRED, "T"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_output(op, "e", RSTD_IR_DYNAMIC, "T"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_attr(op, "axis", "Int", true, NULL), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_add_dynamic_inputs(op, "d", 12, RSTD_AT_END), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_add_dynamic_outputs(op, "e", 3, RSTD_AT_END), RSTD_GE_SUCCESS);
	return op;
}

static void test_prototype(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *special = new_special(), *loaded;
	rstd_ir_item item;
	rstd_graph *graph;
	size_t index;

	(void)state;
	m.ops[m.count++] = special;
	assert_int_equal(rstd_op_set_input(special, "a", x, NULL), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input(special, "d11", x, "y"), RSTD_GE_SUCCESS);
	graph = round_trip(finish(&m, &special, 1));
	loaded = op_of(graph, "special");
	assert_int_equal(rstd_op_ir_input_count(loaded), 3);
	assert_true(rstd_op_ir_input(loaded, 2, &item));
	assert_string_equal(item.name, "d");
	assert_int_equal(item.kind, RSTD_IR_DYNAMIC);
	assert_true(rstd_op_ir_output(loaded, 1, &item));
	assert_int_equal(item.kind, RSTD_IR_DYNAMIC);
	assert_int_equal(rstd_op_dynamic_input_count(loaded, "d"), 12);
	assert_int_equal(rstd_op_dynamic_output_count(loaded, "e"), 3);
	assert_true(rstd_op_input_is_optional(loaded, 1));
	assert_int_equal(rstd_op_ir_attr_count(loaded), 1);
	assert_null(rstd_node_input(rstd_graph_find_node(graph, "special"), 1, &index));
	assert_ptr_equal(rstd_node_input(rstd_graph_find_node(graph, "special"), 13, &index),
	                 rstd_graph_find_node(graph, "x"));
	assert_int_equal(rstd_graph_output_count(graph), 4);
	rstd_graph_unref(graph);
	drop(&m);
}

/* ---- Subgraphs --------------------------------------------------------------------------------------------------- */

static rstd_graph *new_subgraph(const char *name)
{
	rstd_graph *graph = rstd_graph_new(name), *made;
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x");

	made = finish(&m, &x, 1);
	assert_int_equal(rstd_graph_copy_from(graph, made), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_set_name(graph, name), RSTD_GE_SUCCESS);
	drop(&m);
	return graph;
}

/* An operator holds "then" and "else", which both hold "deep"; and "beside" is the graph's alone. */
static rstd_graph *make_family(struct maker *m)
{
	rstd_op *x = make_data(m, "x"), *branch = rstd_op_new("branch", "If"), *inner;
	static const char *const names[] = { "then", "else" };
	rstd_graph *deep = new_subgraph("deep"), *beside = new_subgraph("beside"), *graph;

	m->ops[m->count++] = branch;
	assert_int_equal(rstd_op_register_input(branch, "x", RSTD_IR_REQUIRED, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_output(branch, "y", RSTD_IR_REQUIRED, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input_at(branch, 0, x, 0), RSTD_GE_SUCCESS);
	for (size_t i = 0; i < 2; i++) {
		rstd_graph *held = new_subgraph(names[i]);

		inner = op_of(held, "x");
		assert_int_equal(rstd_op_register_subgraph(inner, "deep", false), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_op_set_subgraph(inner, "deep", 0, deep), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_op_register_subgraph(branch, names[i], false), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_op_set_subgraph(branch, names[i], 0, held), RSTD_GE_SUCCESS);
		rstd_graph_unref(held);
	}
	graph = finish(m, &branch, 1);
	assert_int_equal(rstd_graph_add_subgraph(graph, beside), RSTD_GE_SUCCESS);
	rstd_graph_unref(deep);
	rstd_graph_unref(beside);
	return graph;
}

static void test_subgraphs(void **state)
{
	struct maker m = { 0 };
	rstd_graph *loaded = round_trip(make_family(&m)), *held;

	(void)state;
	assert_int_equal(rstd_graph_subgraph_count(loaded), 4);
	held = rstd_op_subgraph(op_of(loaded, "branch"), "else", 0);
	assert_non_null(held);
	assert_string_equal(rstd_graph_name(held), "else");
	assert_ptr_equal(rstd_op_subgraph(op_of(held, "x"), "deep", 0),
	                 rstd_op_subgraph(op_of(rstd_op_subgraph(op_of(loaded, "branch"), "then", 0), "x"), "deep", 0));
	rstd_graph_unref(loaded);
	drop(&m);
}

static void test_subgraphs_of_one_name(void **state)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_family(&m), *deep = new_subgraph("deep");
	void *bytes;
	size_t size;

	(void)state;
	assert_int_equal(rstd_graph_add_subgraph(graph, deep), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_save_memory(graph, &bytes, &size), RSTD_GE_FAILED);
	expect_error("two of its subgraphs are named deep");
	rstd_graph_unref(deep);
	drop(&m);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void test_files(void **state)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m), *loaded = rstd_graph_new("other");
	const struct bytes bytes = save(graph);
	struct stat about;

	(void)state;
	assert_int_equal(rstd_graph_save_file(graph, "new/deeper/g.air"), RSTD_GE_SUCCESS);
	assert_int_equal(stat("new/deeper/g.air", &about), 0);
	assert_int_equal(about.st_size, bytes.size);
	assert_int_equal(about.st_mode & 0777, 0600);
	assert_int_equal(rstd_graph_load_file(loaded, "new/deeper/g.air"), RSTD_GE_SUCCESS);
	assert_string_equal(rstd_graph_name(loaded), "test");

	assert_int_equal(rstd_graph_save_file(graph, "new/deeper/g.air/h.air"), RSTD_GE_FAILED);
	expect_error("'new/deeper/g.air/h.air' cannot be opened for writing: Not a directory");
	assert_int_equal(rstd_graph_save_file(graph, "new"), RSTD_GE_FAILED);
	expect_error("'new' cannot be opened for writing: Is a directory");
	assert_int_equal(rstd_graph_load_file(loaded, "nothing.air"), RSTD_GE_FAILED);
	expect_error("'nothing.air' cannot be opened: No such file or directory");
	assert_int_equal(rstd_graph_load_file(loaded, "new"), RSTD_GE_FAILED);
	expect_error("'new' is not a regular file");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(rstd_graph_load_file(loaded, "pipe"), RSTD_GE_FAILED); /* and does not wait for a writer */
	expect_error("'pipe' is not a regular file");
	assert_int_equal(rstd_graph_load_file(loaded, NULL), RSTD_GE_NULL_PTR);
	assert_int_equal(rstd_graph_save_file(NULL, "g.air"), RSTD_GE_NULL_PTR);
	assert_string_equal(rstd_graph_name(loaded), "test");
	rstd_graph_unref(loaded);
	rstd_graph_free(bytes.at);
	drop(&m);
}

static void test_not_built(void **state)
{
	rstd_graph *graph = rstd_graph_new("bare");
	void *bytes = NULL;
	size_t size;

	(void)state;
	assert_int_equal(rstd_graph_save_memory(graph, &bytes, &size), RSTD_GE_FAILED);
	expect_error("graph bare: has not been built");
	assert_null(bytes);
	rstd_graph_unref(graph);
}

/* ---- What is wrong ----------------------------------------------------------------------------------------------- */

/* Loading must fail with this word, and leave the graph as it was. */
static void refuse(const void *bytes, size_t size, const char *word)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m);
	const struct bytes before = save(graph);
	struct bytes after;

	(void)rstd_ge_take_errors();
	assert_int_equal(rstd_graph_load_memory(graph, bytes, size), RSTD_GE_FAILED);
	expect_error(word);
	after = save(graph);
	assert_int_equal(before.size, after.size);
	assert_memory_equal(before.at, after.at, before.size);
	rstd_graph_free(before.at);
	rstd_graph_free(after.at);
	drop(&m);
}

/* The model of make_graph() or make_family(), for a test to spoil. */
static Ge__Proto__ModelDef *model_of(rstd_graph *(*make_it)(struct maker *m))
{
	struct maker m = { 0 };
	const struct bytes bytes = save(make_it(&m));
	Ge__Proto__ModelDef *model = ge__proto__model_def__unpack(NULL, bytes.size, bytes.at);

	assert_non_null(model);
	rstd_graph_free(bytes.at);
	drop(&m);
	return model;
}

static Ge__Proto__OpDef *find_op(Ge__Proto__ModelDef *model, const char *name)
{
	for (size_t i = 0; i < model->graph[0]->n_op; i++)
		if (strcmp(model->graph[0]->op[i]->name, name) == 0)
			return model->graph[0]->op[i];
	fail_msg("no operator is named %s", name);
	return NULL;
}

static void rename_to(char **text, const char *name)
{
	free(*text);
	*text = strdup(name);
	assert_non_null(*text);
}

static void source_unknown(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "std")->input[0], "nobody:0");
}

static void source_without_index(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "std")->input[0], "x");
}

static void source_with_letters(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "std")->input[0], "x:0x");
}

static void source_index_past_the_last(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "std")->input[0], "x:1");
}

static void source_index_negative(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "std")->input[0], "x:-2");
}

static void source_index_huge(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "std")->input[0], "x:99999999999999999999");
}

static void more_edges_than_inputs(Ge__Proto__ModelDef *model)
{
	find_op(model, "x")->n_input = 1;
	rename_to(&find_op(model, "std")->input[2], "x:0"); /* was the control edge */
}

static void two_of_a_name(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "mean")->name, "x");
}

static void output_unknown(Ge__Proto__ModelDef *model)
{
	rename_to(&model->graph[0]->output[0], "nobody:0");
}

static void output_past_the_last(Ge__Proto__ModelDef *model)
{
	rename_to(&model->graph[0]->output[0], "x:7");
}

static void output_of_control(Ge__Proto__ModelDef *model)
{
	rename_to(&model->graph[0]->output[0], "x:-1");
}

static void input_unknown(Ge__Proto__ModelDef *model)
{
	rename_to(&model->graph[0]->input[0], "nobody:0");
}

static void target_unknown(Ge__Proto__ModelDef *model)
{
	for (size_t i = 0; i < model->graph[0]->n_attr; i++)
		if (strcmp(model->graph[0]->attr[i]->key, "_rstd_targets") == 0)
			model->graph[0]->attr[i]->value->list->s[0].data[0] = 'W';
}

static void subgraph_unknown(Ge__Proto__ModelDef *model)
{
	rename_to(&find_op(model, "branch")->subgraph_name[0], "nobody");
}

static void subgraph_of_itself(Ge__Proto__ModelDef *model)
{
	Ge__Proto__GraphDef *last = model->graph[model->n_graph - 1];

	last->op[0]->subgraph_name = malloc(sizeof(char *));
	assert_non_null(last->op[0]->subgraph_name);
	last->op[0]->subgraph_name[0] = strdup("then");
	last->op[0]->n_subgraph_name = 1;
	assert_string_equal(last->name, "deep"); /* which "then" holds */
}

static void subgraphs_of_a_name(Ge__Proto__ModelDef *model)
{
	rename_to(&model->graph[1]->name, model->graph[2]->name);
}

static void test_wrong_models(void **state)
{
	static const struct {
		rstd_graph *(*make_it)(struct maker *m);
		void (*spoil)(Ge__Proto__ModelDef *model);
		const char *word;
	} rows[] = {
		{ make_graph, source_unknown, "'nobody:0' names a node that the graph has not" },
		{ make_graph, source_without_index, "'x' is not of the form 'node:index'" },
		{ make_graph, source_with_letters, "'x:0x' is not of the form 'node:index'" },
		{ make_graph, source_index_past_the_last, "x(Data): output index is 1, must be in [0, 1)" },
		{ make_graph, source_index_negative, "'x:-2' is not of the form 'node:index'" },
		{ make_graph, source_index_huge, "is not of the form 'node:index'" },
		{ make_graph, more_edges_than_inputs, "std(ReduceStdWithMean): input index is 2, must be in [0, 2)" },
		{ make_graph, two_of_a_name, "two nodes that are named x" },
		{ make_graph, output_unknown, "'nobody:0' names a node that the graph has not" },
		{ make_graph, output_past_the_last, "x:7 is no output of this graph" },
		{ make_graph, output_of_control, "x:-1 is no output of this graph" },
		{ make_graph, input_unknown, "'nobody:0' names a node that the graph has not" },
		{ make_graph, target_unknown, "'Wide' names a node that the graph has not" },
		{ make_family, subgraph_unknown, "branch(If): subgraph nobody is none of the model's" },
		{ make_family, subgraph_of_itself, "graph then: holds itself as a subgraph" },
		{ make_family, subgraphs_of_a_name, "two subgraphs that are named" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		Ge__Proto__ModelDef *model = model_of(rows[i].make_it);
		uint8_t *packed;
		size_t size;

		rows[i].spoil(model);
		size = ge__proto__model_def__get_packed_size(model);
		packed = malloc(size);
		assert_non_null(packed);
		assert_int_equal(ge__proto__model_def__pack(model, packed), size);
		refuse(packed, size, rows[i].word);
		free(packed);
		ge__proto__model_def__free_unpacked(model, NULL);
	}
}

/* ---- Bytes that are no model ------------------------------------------------------------------------------------- */

/* A message grows from the inside out: each wrap() puts a field around what is there. */
struct nest {
	unsigned char at[65536];
	size_t size;
};

static size_t put_length(unsigned char *to, size_t length)
{
	size_t used = 0;

	for (; length > 127; length >>= 7)
		to[used++] = (unsigned char)((length & 127) | 128);
	to[used++] = (unsigned char)length;
	return used;
}

static void wrap(struct nest *nest, unsigned field)
{
	unsigned char head[16];
	size_t used = put_length(head, field << 3 | 2);

	used += put_length(head + used, nest->size);
	assert_true(nest->size + used <= sizeof(nest->at));
	memmove(nest->at + used, nest->at, nest->size);
	memcpy(nest->at, head, used);
	nest->size += used;
}

/* Attributes of the model, named attributes in named attributes. */
static void nest_named(struct nest *nest, int levels)
{
	nest->size = 0;
	for (int i = 0; i < levels; i++) {
		wrap(nest, 10);                      /* AttrDef.func */
		wrap(nest, 2);                       /* AttrEntry.value */
		wrap(nest, i + 1 < levels ? 2 : 11); /* NamedAttrs.attr, ModelDef.attr */
	}
}

static void test_deep(void **state)
{
	static struct nest nest;

	(void)state;
	nest_named(&nest, 34); /* 102 messages */
	refuse(nest.at, nest.size, "nested more than 100 deep");
	nest_named(&nest, 33);
	refuse(nest.at, nest.size, "the model holds 0 graphs, must hold 1 to 4096");
	nest_named(&nest, 3000);
	refuse(nest.at, nest.size, "nested more than 100 deep");
}

static void test_field_twice(void **state)
{
	static const unsigned char twice[] = { 0x5a, 4, 0x12, 0, 0x12, 0 }; /* ModelDef.attr { value {} value {} } */

	(void)state;
	refuse(twice, sizeof(twice), "or with a field given twice");
}

static void test_rubbish(void **state)
{
	static const char *const rubbish[] = { "a",        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
		                               "\x3a\x7f", "\x0b\x0c",
		                               "\x3f",     "\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f" };

	(void)state;
	refuse("", 0, "the model holds 0 graphs");
	for (size_t i = 0; i < COUNT(rubbish); i++)
		refuse(rubbish[i], strlen(rubbish[i]), "no model: malformed");
}

/* Every beginning of a model is refused, or is a model itself: its last attributes are missing. */
static void test_cut(void **state)
{
	struct maker m = { 0 };
	const struct bytes bytes = save(make_graph(&m));
	rstd_graph *graph = rstd_graph_new("g");

	(void)state;
	for (size_t size = 0; size < bytes.size; size++) {
		unsigned char *copy = malloc(size + 1); /* as long as it is, for sanitizers to see */

		assert_non_null(copy);
		memcpy(copy, bytes.at, size);
		if (rstd_graph_load_memory(graph, copy, size) == RSTD_GE_SUCCESS)
			assert_int_equal(rstd_graph_node_count(graph), rstd_graph_node_count(m.graph));
		free(copy);
	}
	(void)rstd_ge_take_errors();
	rstd_graph_unref(graph);
	rstd_graph_free(bytes.at);
	drop(&m);
}

/* ---- Large numbers ----------------------------------------------------------------------------------------------- */

/* A model of count operators of a type, each with so many empty inputs. */
static Ge__Proto__ModelDef *many(size_t count, size_t inputs)
{
	Ge__Proto__ModelDef *model = calloc(1, sizeof(*model));
	Ge__Proto__GraphDef *graph = calloc(1, sizeof(*graph));

	assert_true(model && graph);
	ge__proto__model_def__init(model);
	ge__proto__graph_def__init(graph);
	model->graph = calloc(1, sizeof(*model->graph));
	model->graph[0] = graph;
	model->n_graph = 1;
	graph->op = calloc(count, sizeof(*graph->op));
	graph->n_op = count;
	for (size_t i = 0; i < count; i++) {
		Ge__Proto__OpDef *op = calloc(1, sizeof(*op));

		ge__proto__op_def__init(op);
		graph->op[i] = op;
		op->name = malloc(24);
		(void)snprintf(op->name, 24, "%zu", count - i);
		op->type = strdup("T");
		op->input_desc = calloc(inputs + 1, sizeof(*op->input_desc));
		op->n_input_desc = inputs;
		for (size_t k = 0; k < inputs; k++) {
			op->input_desc[k] = calloc(1, sizeof(*op->input_desc[k]));
			ge__proto__tensor_descriptor__init(op->input_desc[k]);
		}
	}
	return model;
}

static void load_many(size_t count, size_t inputs, const char *word)
{
	Ge__Proto__ModelDef *model = many(count, inputs);
	const size_t size = ge__proto__model_def__get_packed_size(model);
	uint8_t *packed = malloc(size);
	rstd_graph *graph;

	assert_non_null(packed);
	(void)ge__proto__model_def__pack(model, packed);
	ge__proto__model_def__free_unpacked(model, NULL);
	if (word) {
		refuse(packed, size, word);
	} else {
		graph = load((struct bytes){ packed, size });
		assert_int_equal(rstd_graph_node_count(graph), count);
		rstd_graph_unref(graph);
	}
	free(packed);
}

/* What takes time with the square of the number would take minutes here. */
static void test_many(void **state)
{
	const time_t start = time(NULL);

	(void)state;
	load_many(200000, 0, NULL);
	load_many(20, 4096, NULL);
	load_many(1, 4097, "1(T): has 4097 inputs, may have at most 4096");
	assert_true(time(NULL) - start < 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),       cmocka_unit_test(test_descs),
		cmocka_unit_test(test_run),          cmocka_unit_test(test_prototype),
		cmocka_unit_test(test_subgraphs),    cmocka_unit_test(test_subgraphs_of_one_name),
		cmocka_unit_test(test_files),        cmocka_unit_test(test_not_built),
		cmocka_unit_test(test_wrong_models), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_field_twice),  cmocka_unit_test(test_rubbish),
		cmocka_unit_test(test_cut),          cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
