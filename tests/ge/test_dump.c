/*
 * test_dump.c - graphs as text: names and numbers of files, and what is in them
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
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

static char directory[] = "/tmp/rstd-test-dump-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	(void)unsetenv("DUMP_GE_GRAPH");
	(void)unsetenv("NPU_COLLECT_PATH");
	(void)unsetenv("DUMP_GRAPH_PATH");
	(void)unsetenv("ASCEND_WORK_PATH");
	return mkdtemp(directory) == NULL || chdir(directory) != 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	char command[sizeof(directory) + 16];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

static int count_files(const char *where)
{
	DIR *stream = opendir(where);
	struct dirent *entry;
	int count = 0;

	assert_non_null(stream);
	while ((entry = readdir(stream)) != NULL)
		count += strncmp(entry->d_name, "ge_", 3) == 0;
	(void)closedir(stream);
	return count;
}

/* The file must be there, be for its owner alone, and begin so. It is removed. */
static void expect_file(const char *name, const char *beginning)
{
	char text[64] = "";
	struct stat about;
	FILE *stream = fopen(name, "r");

	if (!stream)
		fail_msg("there is no %s", name);
	assert_int_equal(fstat(fileno(stream), &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	assert_int_equal(fread(text, 1, strlen(beginning), stream), strlen(beginning));
	assert_string_equal(text, beginning);
	assert_int_equal(fclose(stream), 0);
	assert_int_equal(unlink(name), 0);
}

#define PROTO "graph {\n"
#define ONNX  "ir_version: 6\nproducer_name: \"GE\"\ngraph {\n"

/* ---- aclgrphDumpGraph -------------------------------------------------------------------------------------------- */

static rstd_graph *make_graph(struct maker *m)
{
	rstd_op *x = make_data(m, "x"), *mean = make_data(m, "mean"),
		*std = make(m, "ReduceStdWithMean", "rsm", x, mean);
	float value = 2.5F;
	rstd_op *scaled = make(m, "Mul", "scaled", std, make_const(m, "two", RSTD_DT_FLOAT, SCALAR, &value));

	set_out_desc(x, 0, RSTD_DT_BF16, DIMS(2, 4));
	set_out_desc(scaled, 0, RSTD_DT_BF16, DIMS(2));
	set_ints(std, "dim", DIMS(1));
	return finish(m, &scaled, 1);
}

static rstd_ge_status dump(const rstd_graph *graph, const char *file)
{
	return rstd_graph_dump(graph, file, strlen(file));
}

/* The first test of the process: numbers begin at 0. */
static void test_names(void **state)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m), *part = rstd_graph_new("part");
	rstd_session *session = open_session(NULL, NULL);

	(void)state;
	assert_int_equal(dump(graph, "./dump"), RSTD_GE_SUCCESS);
	expect_file("ge_proto_00000_graph_0_dump.txt", PROTO);
	expect_file("ge_onnx_00000_graph_0_dump.pbtxt", ONNX);

	assert_int_equal(rstd_session_add_graph(session, 42, graph, NULL, 0), RSTD_GE_SUCCESS);
	assert_int_equal(mkdir("deeper", 0700), 0);
	assert_int_equal(dump(graph, "deeper/"), RSTD_GE_SUCCESS);
	expect_file("deeper/ge_proto_00001_graph_42_test.txt", PROTO);
	expect_file("deeper/ge_onnx_00001_graph_42_test.pbtxt", ONNX);
	assert_int_equal(dump(graph, ".\\deeper\\a:b*c?d\"e<f>g|h"), RSTD_GE_SUCCESS);
	expect_file("deeper/ge_proto_00002_graph_42_a_b_c_d_e_f_g_h.txt", PROTO);
	expect_file("deeper/ge_onnx_00002_graph_42_a_b_c_d_e_f_g_h.pbtxt", ONNX);

	assert_int_equal(rstd_graph_copy_from(part, graph), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_add_subgraph(graph, part), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_set_name(graph, ""), RSTD_GE_SUCCESS);
	assert_int_equal(dump(graph, "./"), RSTD_GE_SUCCESS);
	expect_file("ge_proto_00003_graph_42_graph.txt", PROTO);
	expect_file("ge_onnx_00003_graph_42_graph.pbtxt", ONNX);
	expect_file("ge_proto_00004_graph_42_graph_sub_graph_0.txt", PROTO);
	expect_file("ge_onnx_00004_graph_42_graph_sub_graph_0.pbtxt", ONNX);
	assert_int_equal(count_files(".") + count_files("deeper"), 0);
	rstd_graph_unref(part);
	rstd_session_destroy(session);
	drop(&m);
}

static void test_long_name(void **state)
{
	char name[NAME_MAX + 1] = "", found[NAME_MAX + 16];
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m);
	FILE *stream;

	(void)state;
	/* the longest suffix that ge_proto_ takes: the name with ge_onnx_ has one character more, in its end, and is cut */
	memset(name, 'n', NAME_MAX - strlen("ge_proto_00000_graph_0_.txt"));
	assert_int_equal(dump(graph, name), RSTD_GE_SUCCESS);
	(void)snprintf(found, sizeof(found), "ge_onnx_00005_graph_0_%s.pbtx", name);
	assert_int_equal(strlen(found), NAME_MAX);
	stream = fopen(found, "r");
	assert_non_null(stream);
	(void)fclose(stream);
	assert_int_equal(unlink(found), 0);
	(void)snprintf(found, sizeof(found), "ge_proto_00005_graph_0_%s.txt", name);
	assert_int_equal(unlink(found), 0);
	drop(&m);
}

static void test_refused(void **state)
{
	static char longer[PATH_MAX + 2];
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m), *bare = rstd_graph_new("bare");

	(void)state;
	memset(longer, 'n', PATH_MAX + 1);
	assert_int_equal(rstd_graph_dump(NULL, "./dump", 6), RSTD_GE_NULL_PTR);
	assert_int_equal(rstd_graph_dump(graph, NULL, 0), RSTD_GE_PARAM_INVALID);
	expect_error("file is 'NULL'");
	assert_int_equal(rstd_graph_dump(graph, "", 0), RSTD_GE_PARAM_INVALID);
	assert_int_equal(rstd_graph_dump(graph, "./dump", 5), RSTD_GE_PARAM_INVALID);
	expect_error("file is './dump', must be a name of at most PATH_MAX characters, and len their number");
	assert_int_equal(dump(graph, longer), RSTD_GE_PARAM_INVALID);
	assert_int_equal(dump(graph, "nowhere/dump"), RSTD_GE_PARAM_INVALID);
	expect_error("'nowhere/' is no directory");
	assert_int_equal(dump(bare, "./dump"), RSTD_GE_FAILED);
	expect_error("graph bare: has not been built");
	assert_int_equal(count_files("."), 0);
	rstd_graph_unref(bare);
	drop(&m);
}

/* ---- DumpToFile ---------------------------------------------------------------------------------------------------- */

static void test_dump_file(void **state)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m);

	(void)state;
	assert_int_equal(rstd_graph_dump_file(graph, RSTD_DUMP_ONNX, "a/b"), RSTD_GE_SUCCESS);
	expect_file("ge_onnx_00000000_graph_0_a_b.pbtxt", ONNX);
	assert_int_equal(rstd_graph_dump_file(graph, RSTD_DUMP_TXT, ""), RSTD_GE_SUCCESS);
	expect_file("ge_proto_00000001_graph_0_.txt", PROTO);
	assert_int_equal(setenv("DUMP_GRAPH_PATH", "deeper", 1), 0);
	assert_int_equal(rstd_graph_dump_file(graph, RSTD_DUMP_READABLE, "r"), RSTD_GE_SUCCESS);
	expect_file("deeper/ge_readable_00000002_graph_0_r.txt", "graph(\"test\"):\n");
	assert_int_equal(setenv("NPU_COLLECT_PATH", "nowhere", 1), 0); /* goes before */
	assert_int_equal(rstd_graph_dump_file(graph, RSTD_DUMP_READABLE, "r"), RSTD_GE_FAILED);
	expect_error("'nowhere/ge_readable_00000003_graph_0_r.txt' cannot be opened for writing");
	assert_int_equal(unsetenv("DUMP_GRAPH_PATH") + unsetenv("NPU_COLLECT_PATH"), 0);
	assert_int_equal(rstd_graph_dump_file(graph, (rstd_dump_format)3, "r"), RSTD_GE_PARAM_INVALID);
	expect_error("format of a dump is 3, must be 0 (onnx), 1 (txt) or 2 (readable)");
	assert_int_equal(count_files("."), 0);
	drop(&m);
}

/* ---- Texts --------------------------------------------------------------------------------------------------------- */

static char *text_of(const rstd_graph *graph, rstd_dump_format format)
{
	char *text;
	size_t size;

	assert_int_equal(rstd_graph_dump_memory(graph, format, &text, &size), RSTD_GE_SUCCESS);
	assert_int_equal(strlen(text), size);
	return text;
}

static void expect_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("there is no\n%s\nin\n%s", part, text);
}

static void test_readable(void **state)
{
	struct maker m = { 0 };
	char *text = text_of(make_graph(&m), RSTD_DUMP_READABLE);

	(void)state;
	assert_string_equal(
		text,
		"graph(\"test\"):\n"
		"  %x : [#users=1] = Node[type=Data] (inputs = (), attrs = {index: 0})\n"
		"  %mean : [#users=1] = Node[type=Data] (inputs = (), attrs = {index: 1})\n"
		"  %rsm : [#users=1] = Node[type=ReduceStdWithMean] (inputs = (x=%x, mean=%mean), attrs = {dim: {1}, "
		"unbiased: true, keepdim: false, invert: false, epsilon: 0.001, correction: 1})\n"
		"  %scaled : [#users=0] = Node[type=Mul] (inputs = (x1=%rsm, x2=%two))\n"
		"  %two : [#users=1] = Node[type=Const] (inputs = (), attrs = {value: <tensor DT_FLOAT {}>})\n"
		"  return (%scaled)\n");
	rstd_graph_free(text);
	drop(&m);
}

/* What viewers need, and that bfloat16 is ONNX's 16. */
static void test_onnx(void **state)
{
	struct maker m = { 0 };
	char *text = text_of(make_graph(&m), RSTD_DUMP_ONNX);

	(void)state;
	expect_text(text, ONNX);
	expect_text(text,
	            "  node {\n    input: \"\"\n    output: \"x:0\"\n    name: \"x\"\n    op_type: \"ge:Data\"\n");
	expect_text(text,
	            "  node {\n    input: \"x:0\"\n    input: \"mean:0\"\n    output: \"rsm:0\"\n    name: \"rsm\"\n"
	            "    op_type: \"ge:ReduceStdWithMean\"\n");
	expect_text(text, "    attribute {\n      name: \"dim\"\n      ints: 1\n      type: INTS\n    }\n");
	expect_text(text, "    attribute {\n      name: \"epsilon\"\n      f: 0.001\n      type: FLOAT\n    }\n");
	expect_text(text, "    attribute {\n      name: \"index\"\n      type: INT\n    }\n");
	expect_text(text, "  name: \"test\"\n  output {\n    name: \"scaled\"\n    type {\n      tensor_type {\n"
	                  "        elem_type: 16\n        shape {\n          dim {\n            dim_value: 2\n");
	expect_text(text, "name: \"value_desc_dtype\"");
	assert_null(strstr(text, "initializer"));
	rstd_graph_free(text);
	drop(&m);
}

static void test_txt(void **state)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m);
	char *text = text_of(graph, RSTD_DUMP_TXT);

	(void)state;
	expect_text(text,
	            "graph {\n  name: \"test\"\n  input: \"x:0\"\n  input: \"mean:0\"\n  output: \"scaled:0\"\n  op {\n"
	            "    name: \"x\"\n    type: \"Data\"\n    input: \"\"\n");
	expect_text(text, "    attr {\n      key: \"dim\"\n      value {\n        list {\n          i: 1\n"
	                  "          val_type: VT_LIST_INT\n        }\n      }\n    }\n");
	expect_text(
		text,
		"    attr {\n      key: \"index\"\n      value {\n        i: 0\n      }\n    }\n"); /* zero in a oneof */
	expect_text(text, "      dtype: DT_BF16\n");
	expect_text(text, "attr {\n  key: \"target_type\"\n  value {\n    s: \"MINI\"\n  }\n}\n");
	assert_null(strstr(text, "key: \"value\"")); /* no weights */
	assert_null(strstr(text, "version"));
	rstd_graph_free(text);
	drop(&m);
}

/* Strings of operators are for DUMP_GE_GRAPH=1 alone; what is not printable is escaped. */
static void test_strings(void **state)
{
	const rstd_value value = { .kind = RSTD_VALUE_STRING, .as.text = { "a\"b\\c\n\x01\xff", 8 } };
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m);
	char *text;

	(void)state;
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(m.ops[0]), "label", &value), RSTD_GE_SUCCESS);
	text = text_of(graph, RSTD_DUMP_ONNX);
	assert_null(strstr(text, "label"));
	rstd_graph_free(text);
	assert_int_equal(setenv("DUMP_GE_GRAPH", "1", 1), 0);
	text = text_of(graph, RSTD_DUMP_ONNX);
	expect_text(text, "      name: \"label\"\n      s: \"a\\\"b\\\\c\\n\\001\\377\"\n      type: STRING\n");
	assert_int_equal(unsetenv("DUMP_GE_GRAPH"), 0);
	rstd_graph_free(text);
	drop(&m);
}

/* A graph that has itself as subgraph is shown once. */
static void test_own_subgraph(void **state)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_graph(&m);
	char *text;

	(void)state;
	assert_int_equal(rstd_graph_add_subgraph(graph, graph), RSTD_GE_SUCCESS);
	text = text_of(graph, RSTD_DUMP_READABLE);
	assert_null(strstr(text + 1, "graph("));
	rstd_graph_free(text);
	rstd_graph_free(text_of(graph, RSTD_DUMP_ONNX));
	assert_int_equal(rstd_graph_remove_subgraph(graph, "test"), RSTD_GE_SUCCESS);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),     cmocka_unit_test(test_long_name), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_dump_file), cmocka_unit_test(test_readable),  cmocka_unit_test(test_onnx),
		cmocka_unit_test(test_txt),       cmocka_unit_test(test_strings),   cmocka_unit_test(test_own_subgraph),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
