/*
 * test_files_alloc.c - every allocation of saving, loading and dumping fails once: a message, nothing leaks
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
#include <unistd.h>

#include "allocator.h"
#include "support.h"

/* What is saved: values of several kinds, a Const, a subgraph, a control edge, a target. */
static rstd_graph *make_graph(struct maker *m)
{
	static const char text[] = "a text";
	static const int64_t ints[] = { 1, 2, 3 };
	static const rstd_text texts[] = { { text, 6 }, { text, 1 } };
	static const rstd_int_list lists[] = { { 3, ints }, { 1, ints } };
	const rstd_attr inner = { "i", { .kind = RSTD_VALUE_LIST_INT, .count = 3, .as.ints = ints } };
	const rstd_named_attrs named = { "n", 1, &inner };
	const struct {
		const char *name;
		rstd_value value;
	} attrs[] = {
		{ "texts", { .kind = RSTD_VALUE_LIST_STRING, .count = 2, .as.texts = texts } },
		{ "lists", { .kind = RSTD_VALUE_LIST_LIST_INT, .count = 2, .as.int_lists = lists } },
		{ "named", { .kind = RSTD_VALUE_LIST_NAMED_ATTRS, .count = 1, .as.named = &named } },
	};
	rstd_op *x = make_data(m, "x"), *axes = make_int64s(m, "axes", DIMS(1)),
		*y = make(m, "ReduceSum", "y", x, axes);
	rstd_graph *graph, *part = rstd_graph_new("part");

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		assert_int_equal(rstd_attrs_set(rstd_op_attrs(x), attrs[i].name, &attrs[i].value), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_add_control_input(y, axes), RSTD_GE_SUCCESS);
	graph = finish(m, &y, 1);
	assert_int_equal(rstd_graph_set_targets(graph, &y, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_subgraph(y, "part", false), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_copy_from(part, graph), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_set_name(part, "part"), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_subgraph(y, "part", 0, part), RSTD_GE_SUCCESS);
	rstd_graph_unref(part);
	return graph;
}

/* ---- What fails -------------------------------------------------------------------------------------------------- */

static void *model;
static size_t model_size;

static bool save_memory(rstd_graph *graph)
{
	void *bytes;
	size_t size;

	if (rstd_graph_save_memory(graph, &bytes, &size) != RSTD_GE_SUCCESS)
		return false;
	rstd_graph_free(bytes);
	return true;
}

static bool load_memory(rstd_graph *graph)
{
	rstd_graph *into = rstd_graph_new("into");
	bool ok;

	(void)graph;
	if (!into)
		return false;
	ok = rstd_graph_load_memory(into, model, model_size) == RSTD_GE_SUCCESS;
	if (rstd_graph_node_count(into) != (ok ? 3 : 0))
		fail_msg("a load that %s left %zu nodes", ok ? "worked" : "failed", rstd_graph_node_count(into));
	rstd_graph_unref(into);
	return ok;
}

static bool use_file(rstd_graph *graph)
{
	rstd_graph *into;
	bool ok;

	if (rstd_graph_save_file(graph, "a/b.air") != RSTD_GE_SUCCESS)
		return false;
	into = rstd_graph_new("into");
	ok = into && rstd_graph_load_file(into, "a/b.air") == RSTD_GE_SUCCESS;
	rstd_graph_unref(into);
	return ok;
}

static bool dump_memory(rstd_graph *graph)
{
	for (int format = RSTD_DUMP_ONNX; format <= RSTD_DUMP_READABLE; format++) {
		char *text;
		size_t size;

		if (rstd_graph_dump_memory(graph, (rstd_dump_format)format, &text, &size) != RSTD_GE_SUCCESS)
			return false;
		rstd_graph_free(text);
	}
	return true;
}

static bool dump_files(rstd_graph *graph)
{
	return rstd_graph_dump(graph, "./dump", 6) == RSTD_GE_SUCCESS &&
	       rstd_graph_dump_file(graph, RSTD_DUMP_ONNX, "dump") == RSTD_GE_SUCCESS;
}

/* Does it with 0, 1, 2, ... allocations allowed, until it works. */
static void fail_each(bool (*act)(rstd_graph *graph))
{
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m);
	bool worked = false;
	int attempts = 0;

	for (; !worked; attempts++) {
		const char *errors;

		(void)rstd_ge_take_errors();
		allowed = attempts;
		refusals = held = 0;
		watching = true;
		worked = act(graph);
		watching = false;
		errors = rstd_ge_take_errors();
		if (held != 0)
			fail_msg("allocation %d: %d blocks leak", attempts, held);
		if (worked == (refusals > 0))
			fail_msg("allocation %d: %s", attempts, worked ? "its failure passed unseen" : errors);
		if (!worked && !strstr(errors, "memory"))
			fail_msg("allocation %d: no word of memory in \"%s\"", attempts, errors);
	}
	assert_true(attempts > 2);
	drop(&m);
}

static void test_save(void **state)
{
	(void)state;
	fail_each(save_memory);
}

static void test_load(void **state)
{
	struct maker m = { 0 };

	(void)state;
	assert_int_equal(rstd_graph_save_memory(make_graph(&m), &model, &model_size), RSTD_GE_SUCCESS);
	drop(&m);
	fail_each(load_memory);
	rstd_graph_free(model);
}

static void test_file(void **state)
{
	(void)state;
	fail_each(use_file);
}

static void test_dump(void **state)
{
	(void)state;
	fail_each(dump_memory);
}

static void test_dump_files(void **state)
{
	(void)state;
	fail_each(dump_files);
}

static char directory[] = "/tmp/rstd-test-files-alloc-XXXXXX";

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_save), cmocka_unit_test(test_load),       cmocka_unit_test(test_file),
		cmocka_unit_test(test_dump), cmocka_unit_test(test_dump_files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
