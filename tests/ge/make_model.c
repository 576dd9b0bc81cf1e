/*
 * make_model.c - writes an .air model: a graph with values of many kinds and two subgraphs
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

#include "support.h"

static void set(rstd_op *op, const char *name, rstd_value value)
{
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), name, &value), RSTD_GE_SUCCESS);
}

static void set_values(rstd_op *op)
{
	static const float floats[] = { 0.1F, -0.0F, 1e-20F, 3e38F, 1 };
	static const bool bools[] = { true, false };
	static const int64_t ints[] = { INT64_MIN, 0, 7 };
	static const int32_t dtypes[] = { RSTD_DT_BF16, RSTD_DT_INT4 };
	static const rstd_text texts[] = { { "a\"b\\'\n\t\x01\xff", 9 }, { NULL, 0 } };
	static const rstd_int_list lists[] = { { 3, ints }, { 0, NULL } };
	const rstd_attr inner = { "floats", { .kind = RSTD_VALUE_LIST_FLOAT, .count = 5, .as.floats = floats } };
	const rstd_named_attrs named = { "n", 1, &inner };

	set(op, "bools", (rstd_value){ .kind = RSTD_VALUE_LIST_BOOL, .count = 2, .as.bools = bools });
	set(op, "bytes", (rstd_value){ .kind = RSTD_VALUE_BYTES, .as.text = texts[0] });
	set(op, "dtypes", (rstd_value){ .kind = RSTD_VALUE_LIST_DTYPE, .count = 2, .as.dtypes = dtypes });
	set(op, "empty", (rstd_value){ .kind = RSTD_VALUE_LIST_INT });
	set(op, "float", (rstd_value){ .kind = RSTD_VALUE_FLOAT, .as.f = 1e10F });
	set(op, "ints", (rstd_value){ .kind = RSTD_VALUE_LIST_INT, .count = 3, .as.ints = ints });
	set(op, "lists", (rstd_value){ .kind = RSTD_VALUE_LIST_LIST_INT, .count = 2, .as.int_lists = lists });
	set(op, "named", (rstd_value){ .kind = RSTD_VALUE_NAMED_ATTRS, .as.named = &named });
	set(op, "texts", (rstd_value){ .kind = RSTD_VALUE_LIST_STRING, .count = 2, .as.texts = texts });
}

int main(int argc, char **argv)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *axes = make_int64s(&m, "axes", DIMS(1));
	rstd_op *mean = make(&m, "ReduceMean", "mean", x, axes), *y = make(&m, "Sub", "y", x, mean);
	rstd_graph *graph, *part;

	if (argc != 2)
		return 2;
	set_out_desc(x, 0, RSTD_DT_BF16, DIMS(2, 4));
	set_bool(mean, "keep_dims", true);
	set_values(y);
	assert_int_equal(rstd_op_add_control_input(y, axes), RSTD_GE_SUCCESS);
	graph = finish(&m, &y, 1);
	for (int i = 0; i < 2; i++) {
		part = rstd_graph_new("");
		assert_int_equal(rstd_graph_copy_from(part, graph), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_graph_set_name(part, i == 0 ? "first" : "second"), RSTD_GE_SUCCESS);
		while (rstd_graph_subgraph_count(part) > 0)
			(void)rstd_graph_remove_subgraph(part, "first");
		assert_int_equal(rstd_graph_add_subgraph(graph, part), RSTD_GE_SUCCESS);
		rstd_graph_unref(part);
	}
	if (rstd_graph_save_file(graph, argv[1]) != RSTD_GE_SUCCESS) {
		fputs(rstd_ge_take_errors(), stderr);
		return 1;
	}
	drop(&m);
	return 0;
}
