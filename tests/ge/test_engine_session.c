/*
 * test_engine_session.c - sessions: codes on misuse, feeds, shapes that change, memory, threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L /* pthread_barrier_t */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* x - ReduceMean(x) over the last axis of two, as dims of feeds come. */
static rstd_graph *centred(struct maker *m)
{
	rstd_op *x = make_data(m, "x"), *mean = make(m, "ReduceMean", "mean", x, make_int64s(m, "axes", DIMS(1)));
	rstd_op *out;

	set_bool(mean, "keep_dims", true);
	out = make(m, "Sub", "out", x, mean);
	return finish(m, &out, 1);
}

static rstd_ge_status add(rstd_session *session, uint32_t id, rstd_graph *graph)
{
	return rstd_session_add_graph(session, id, graph, NULL, 0);
}

/* Runs with one float feed whose rows are 1, 2, 3, ...; checks the result of centred(). */
static void run_centred(rstd_session *session, uint32_t id, int64_t rows, int64_t columns)
{
	const size_t count = (size_t)(rows * columns);
	const struct dims dims = DIMS(rows, columns);
	float *x = calloc(count + 1, sizeof(*x));
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, x);
	rstd_results *results;
	rstd_ge_tensor y;

	assert_non_null(x);
	for (size_t i = 0; i < count; i++)
		x[i] = (float)(i % (size_t)columns);
	if (rstd_session_run(session, id, &tensor, 1, &results) != RSTD_GE_SUCCESS)
		fail_msg("%s", rstd_ge_take_errors());
	assert_int_equal(rstd_results_count(results), 1);
	assert_true(rstd_results_get(results, 0, &y));
	assert_int_equal(y.desc.rank, 2);
	assert_int_equal(y.desc.dims[0], rows);
	assert_int_equal(y.size, count * sizeof(*x));
	for (size_t i = 0; i < count; i++)
		assert_true(((const float *)y.data)[i] == x[i] - (float)(columns - 1) / 2);
	rstd_results_free(results);
	free(x);
}

/* ---- Life and misuse --------------------------------------------------------------------------------------------- */

static void test_before_and_after(void **state)
{
	const rstd_option empty_key = { "", "1" }, known = { "ge.exec.deviceId", "0" }, unknown = { "what", "1" };
	rstd_session *early, *session;
	struct maker m = { 0 };
	rstd_graph *graph = centred(&m);

	(void)state;
	assert_int_equal(rstd_ge_finalize(), RSTD_GE_SUCCESS);
	assert_false(rstd_ge_is_initialized());
	early = rstd_session_new(NULL, 0);
	expect_error("a session before GEInitialize");
	assert_int_equal(rstd_ge_initialize(&empty_key, 1), RSTD_GE_FAILED);
	expect_error("options[0]: the key is empty");
	assert_false(rstd_ge_is_initialized());
	assert_int_equal(rstd_ge_initialize(&known, 1), RSTD_GE_SUCCESS);
	assert_string_equal(rstd_ge_take_warnings(), "");
	assert_int_equal(rstd_ge_initialize(NULL, 0), RSTD_GE_SUCCESS);
	assert_int_equal(add(early, 0, graph), RSTD_GE_FAILED); /* a dead one stays dead */
	expect_error("is dead");
	session = rstd_session_new(&unknown, 1);
	assert_non_null(strstr(rstd_ge_take_warnings(), "option what is not known"));
	assert_true(rstd_session_id(session) != rstd_session_id(early));
	assert_int_equal(add(session, 0, graph), RSTD_GE_SUCCESS);
	run_centred(session, 0, 2, 3);
	assert_int_equal(rstd_ge_finalize(), RSTD_GE_SUCCESS);
	assert_int_equal(add(session, 1, graph), RSTD_GE_FAILED);
	expect_error("is dead");
	assert_int_equal(rstd_session_remove_graph(session, 0), RSTD_GE_FAILED);
	rstd_session_destroy(session); /* after the end of everything */
	rstd_session_destroy(early);
	rstd_session_destroy(NULL);
	drop(&m);
}

static void test_codes(void **state)
{
	const rstd_option empty_key = { "", "1" }, bad_value = { "rstd.fusion", "some" },
			  bad_number = { "rstd.shapes", "0" };
	rstd_session *session = open_session(NULL, NULL), *other = open_session(NULL, NULL);
	struct maker m = { 0 }, n = { 0 };
	rstd_graph *graph = centred(&m), *second = centred(&n), *empty = rstd_graph_new("empty");
	rstd_results *results = NULL;

	(void)state;
	assert_int_equal(add(session, 0, empty), RSTD_GE_FAILED);
	expect_error("graph empty: has not been built");
	assert_int_equal(rstd_session_add_graph(session, 0, graph, &empty_key, 1), RSTD_GE_FAILED);
	expect_error("options[0]: the key is empty");
	assert_int_equal(rstd_session_add_graph(session, 3, graph, &bad_value, 1), RSTD_GE_SUCCESS);
	assert_non_null(strstr(rstd_ge_take_warnings(), "option rstd.fusion is some, must be none, exact or all"));
	assert_int_equal(rstd_graph_id(graph), 3);
	assert_int_equal(add(session, 3, second), RSTD_GE_SUCCESS); /* ignored */
	assert_int_equal(add(session, 4, graph), RSTD_GE_FAILED);
	expect_error("graph test: has been added to a session already, as graph 3");
	assert_int_equal(add(other, 3, graph), RSTD_GE_FAILED);
	assert_int_equal(rstd_session_add_graph(other, 3, second, &bad_number, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_add_graph_with_copy(session, 3, second, NULL, 0), RSTD_GE_FAILED);
	assert_int_equal(rstd_session_add_graph_with_copy(session, 5, second, NULL, 0), RSTD_GE_SUCCESS);
	run_centred(session, 5, 2, 2);
	(void)rstd_ge_take_errors();
	assert_int_equal(rstd_session_run(session, 9, NULL, 0, &results), RSTD_GE_GRAPH_NOT_EXIST);
	expect_error("(E10062): the graph (graph_id=9) does not exist");
	assert_null(results);
	assert_int_equal(rstd_session_remove_graph(session, 9), RSTD_GE_FAILED);
	assert_int_equal(rstd_session_remove_graph(session, 3), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_remove_graph(session, 3), RSTD_GE_FAILED);
	assert_int_equal(add(session, 3, graph), RSTD_GE_FAILED); /* the mark stays */
	assert_int_equal(rstd_session_run(session, 5, NULL, 0, NULL), RSTD_GE_NULL_PTR);
	assert_int_equal(rstd_session_run(NULL, 5, NULL, 0, &results), RSTD_GE_NULL_PTR);
	rstd_session_destroy(session);
	rstd_session_destroy(other);
	rstd_graph_unref(empty);
	drop(&m);
	drop(&n);
}

static void refuse_feed(rstd_session *session, const rstd_ge_tensor *feeds, size_t count, const char *error)
{
	rstd_results *results;

	(void)rstd_ge_take_errors();
	assert_int_equal(rstd_session_run(session, 0, feeds, count, &results), RSTD_GE_FAILED);
	assert_null(results);
	expect_error(error);
}

static void test_feeds(void **state)
{
	static const float data[16] = { 0 };
	const struct dims two = DIMS(2, 3), negative = DIMS(2, -1), nine = { 9, { 1, 1, 1, 1, 1, 1, 1, 1, 1 } };
	const struct dims huge = DIMS(INT64_MAX, INT64_MAX);
	rstd_session *session = open_session(NULL, NULL);
	struct maker m = { 0 };
	rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &two, data);

	(void)state;
	assert_int_equal(add(session, 0, centred(&m)), RSTD_GE_SUCCESS);
	refuse_feed(session, NULL, 0, "(E13025): x(Data): index is 0, but there are 0 feeds");
	tensor.size = 23;
	refuse_feed(session, &tensor, 1, "(E13025): x(Data): feed 0 has 23 bytes, its shape and dtype need 24");
	tensor.size = 64; /* more is fine */
	tensor.data = NULL;
	refuse_feed(session, &tensor, 1, "feed 0 has 0 bytes");
	tensor.data = data;
	tensor.desc.dims = negative.at;
	refuse_feed(session, &tensor, 1, "x(Data): feed has dim[1]=-1, must be at least 0");
	tensor.desc.dims = huge.at;
	refuse_feed(session, &tensor, 1, "x(Data): feed has more than PTRDIFF_MAX / 4 bytes");
	tensor.desc.dims = nine.at;
	tensor.desc.rank = 9;
	refuse_feed(session, &tensor, 1, "x rank=9 exceeds supported range [0, 8]");
	tensor.desc.dims = NULL;
	refuse_feed(session, &tensor, 1, "x(Data): feed has rank 9, but its dims are NULL");
	tensor.desc = feed(RSTD_DT_FLOAT, &two, data).desc;
	tensor.desc.dtype = RSTD_DT_INT4;
	refuse_feed(session, &tensor, 1, "x(Data): feed has dtype DT_INT4 (29)");
	tensor.desc.dtype = RSTD_DT_INT32;
	refuse_feed(session, &tensor, 1, "mean(ReduceMean): does not run here on dtype DT_INT32 (3)");
	run_centred(session, 0, 2, 3); /* after all that */
	rstd_session_destroy(session);
	drop(&m);
}

/* "ge.jit_compile" 0: what a Data declares holds. Without it the feed's desc does. */
static void test_declared_dims(void **state)
{
	static const float data[24] = { 0 };
	const struct dims fits = DIMS(2, 3), longer = DIMS(2, 4), deeper = DIMS(2, 3, 1);
	struct maker m = { 0 }, n = { 0 };
	rstd_session *session = open_session("ge.jit_compile", "0"), *loose = open_session(NULL, NULL);
	rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &fits, data);
	rstd_results *results;

	(void)state;
	assert_int_equal(add(session, 0, centred(&m)), RSTD_GE_SUCCESS);
	assert_int_equal(add(loose, 0, centred(&n)), RSTD_GE_SUCCESS);
	set_out_desc(m.inputs[0], 0, RSTD_DT_FLOAT, DIMS(-1, 3));
	set_out_desc(n.inputs[0], 0, RSTD_DT_FLOAT, DIMS(-1, 3));
	assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
	rstd_results_free(results);
	tensor = feed(RSTD_DT_FLOAT, &longer, data);
	refuse_feed(session, &tensor, 1, "x(Data): feed has dim[1]=4, declared is 3");
	assert_int_equal(rstd_session_run(loose, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
	rstd_results_free(results);
	tensor = feed(RSTD_DT_FLOAT, &deeper, data);
	refuse_feed(session, &tensor, 1, "x(Data): feed has rank 3, declared is rank 2");
	set_out_desc(m.inputs[0], 0, RSTD_DT_FLOAT, DIMS(-2));
	tensor = feed(RSTD_DT_FLOAT, &longer, data);
	assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
	rstd_results_free(results);
	rstd_session_destroy(session);
	rstd_session_destroy(loose);
	drop(&m);
	drop(&n);
}

/* ---- Graphs that cannot run -------------------------------------------------------------------------------------- */

/* The graph of one operator `out`, two Data before it, must not run on feeds of [2]. */
static void refuse_graph(struct maker *m, rstd_op *out, const rstd_ge_tensor *feeds, const char *error)
{
	rstd_session *session = open_session(NULL, NULL);
	rstd_results *results;

	assert_int_equal(add(session, 0, finish(m, &out, 1)), RSTD_GE_SUCCESS);
	for (int i = 0; i < 2; i++) { /* and fails again, the same way */
		assert_int_equal(rstd_session_run(session, 0, feeds, 2, &results), RSTD_GE_FAILED);
		expect_error(error);
	}
	assert_true(rstd_session_needs_rebuild(session, 0));
	rstd_session_destroy(session);
	drop(m);
}

static void test_graphs_that_cannot_run(void **state)
{
	static const float data[8] = { 0 };
	const struct dims two = DIMS(2), three = DIMS(3), pair = DIMS(2, 1);
	const rstd_ge_tensor same[] = { feed(RSTD_DT_FLOAT, &two, data), feed(RSTD_DT_FLOAT, &two, data) };
	const rstd_ge_tensor lengths[] = { same[0], feed(RSTD_DT_FLOAT, &three, data) };
	const rstd_ge_tensor ranks[] = { same[0], feed(RSTD_DT_FLOAT, &pair, data) };
	const rstd_ge_tensor dtypes[] = { same[0], feed(RSTD_DT_FLOAT16, &two, data) };
	struct maker m = { 0 };
	rstd_op *op, *x, *y;

	(void)state;
	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = rstd_op_new("mystery", "NobodyKnows");
	m.ops[m.count++] = op;
	assert_int_equal(rstd_op_register_input(op, "x", RSTD_IR_REQUIRED, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_output(op, "y", RSTD_IR_REQUIRED, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input_at(op, 0, x, 0), RSTD_GE_SUCCESS);
	refuse_graph(&m, op, same, "mystery(NobodyKnows): operator type NobodyKnows is not one that runs here");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	refuse_graph(&m, make(&m, "Add", "sum", x, NULL), same, "sum(Add): input x2 is missing");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = make(&m, "Add", "sum", x, NULL);
	assert_int_equal(rstd_op_set_input(op, "x2", op, NULL), RSTD_GE_SUCCESS);
	refuse_graph(&m, op, same, "has a cycle: sum(Add) <- sum");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	refuse_graph(&m, make(&m, "Add", "sum", x, y), lengths, "sum(Add): dim 0 from the last is 2 in x1 and 3 in x2");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	refuse_graph(&m, make(&m, "Add", "sum", x, y), dtypes, "sum(Add): x2 dtype 1 != x1 dtype 0");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = make(&m, "BroadcastTo", "wide", x, make_int64s(&m, "wide_shape", DIMS(INT64_C(1) << 62, 2)));
	op = make(&m, "Reshape", "flat", op, make_int64s(&m, "flat_shape", DIMS(INT64_C(1) << 61, 4)));
	refuse_graph(&m, op, same, "wide(BroadcastTo): output y has more than INT64_MAX elements");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = make(&m, "ReduceStdV2Update", "u", x, y);
	set_ints(op, "dim", DIMS(0));
	refuse_graph(&m, op, ranks, "Verifying u failed");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	refuse_graph(&m, make(&m, "ReduceStdWithMean", "s", x, y), ranks,
	             "s(ReduceStdWithMean): mean rank=2 != x rank=1");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	refuse_graph(&m, make(&m, "ReduceStdWithMean", "s", x, y), dtypes,
	             "s(ReduceStdWithMean): mean dtype 1 != x dtype 0");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	refuse_graph(&m, make(&m, "ReduceStdWithMean", "s", x, y), lengths,
	             "s(ReduceStdWithMean): mean dim[0]=3 != x dim[0]=2");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = make(&m, "ReduceStdWithMean", "s", x, y);
	set_int(op, "correction", -1);
	refuse_graph(&m, op, same, "s(ReduceStdWithMean): attribute correction is -1, must be at least 0");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = make(&m, "ReduceStdWithMean", "s", x, y);
	set_ints(op, "dim", DIMS(1));
	refuse_graph(&m, op, same, "Call InferShapeAndType for node:s(ReduceStdWithMean) failed");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = make(&m, "Cast", "c", x, NULL);
	refuse_graph(&m, op, same, "Verifying c failed");

	x = make_data(&m, "x"), y = make_data(&m, "y");
	op = make(&m, "Const", "k", NULL, NULL);
	refuse_graph(&m, make(&m, "Add", "sum", x, op), same, "k(Const): attribute value has 0 bytes");
}

/* What one ReduceStdV2Update over axis 0 of two feeds of 4 elements says, with its attributes and descs changed. */
static void refuse_update(struct maker *m, rstd_op *op, const char *const *texts)
{
	static const float data[4] = { 0 };
	const struct dims four = DIMS(4);
	const rstd_ge_tensor feeds[] = { feed(RSTD_DT_FLOAT, &four, data), feed(RSTD_DT_FLOAT, &four, data) };
	rstd_session *session = open_session(NULL, NULL);
	rstd_results *results;
	const char *errors;

	assert_int_equal(add(session, 0, finish(m, &op, 1)), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_run(session, 0, feeds, 2, &results), RSTD_GE_FAILED);
	errors = rstd_ge_take_errors();
	for (; *texts; texts++)
		if (!strstr(errors, *texts))
			fail_msg("no \"%s\" in:\n%s", *texts, errors);
	rstd_session_destroy(session);
	drop(m);
}

static rstd_op *make_update(struct maker *m)
{
	rstd_op *x = make_data(m, "x"), *mean = make_data(m, "mean"), *op = make(m, "ReduceStdV2Update", "u", x, mean);

	set_ints(op, "dim", DIMS(0));
	return op;
}

/* CANN refuses these where it tiles, and its programs read the message: only ND, only corrections 0 and 1. */
static void test_updates_that_cannot_be_tiled(void **state)
{
	static const char *const correction[] = { "u(ReduceStdV2Update): correction=2, only 0 or 1 supported",
		                                  "Tiling func of u(ReduceStdV2Update) failed", NULL };
	static const char *const negative[] = { "correction=-1, only 0 or 1 supported", NULL };
	static const char *const axis[] = { "dim[0]=1 out of range [-1, 1)", "Tiling func of u", NULL };
	static const char *const x[] = { "x format 0 is unsupported; only ND is supported", "Tiling func of u", NULL };
	static const char *const mean[] = { "mean format 1 is unsupported", "Tiling func of u", NULL };
	static const char *const y[] = { "output_var format 0 is unsupported", "Tiling func of u", NULL };
	rstd_desc desc = RSTD_DESC_DEFAULT;
	struct maker m = { 0 };
	rstd_op *op;

	(void)state;
	op = make_update(&m);
	set_int(op, "correction", 2);
	refuse_update(&m, op, correction);
	op = make_update(&m);
	set_bool(op, "unbiased", false);
	set_int(op, "correction", -1);
	refuse_update(&m, op, negative);
	op = make_update(&m);
	set_ints(op, "dim", DIMS(1));
	refuse_update(&m, op, axis);

	desc.format = RSTD_FORMAT_NCHW;
	op = make_update(&m);
	assert_int_equal(rstd_op_set_input_desc(op, 0, &desc), RSTD_GE_SUCCESS);
	refuse_update(&m, op, x);
	op = make_update(&m);
	assert_int_equal(rstd_op_set_output_desc(op, 0, &desc), RSTD_GE_SUCCESS);
	refuse_update(&m, op, y);
	desc.format = RSTD_FORMAT_NHWC;
	op = make_update(&m);
	assert_int_equal(rstd_op_set_input_desc(op, 1, &desc), RSTD_GE_SUCCESS);
	refuse_update(&m, op, mean);
}

/* A dtype that the prototype does not have is a failed verification, whatever else is said. */
static void test_dtypes_fail_verification(void **state)
{
	static const int8_t data[2] = { 1, 2 };
	const struct dims two = DIMS(2);
	const rstd_ge_tensor bytes[] = { feed(RSTD_DT_INT8, &two, data), feed(RSTD_DT_INT8, &two, data) };
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *mean = make_data(&m, "mean");

	(void)state;
	refuse_graph(&m, make(&m, "ReduceStdWithMean", "s", x, mean), bytes, "Verifying s failed");
}

/* ---- Shapes and memory ------------------------------------------------------------------------------------------- */

static void test_shapes_come_and_go(void **state)
{
	rstd_session *session = open_session("rstd.shapes", "3");
	struct maker m = { 0 };
	rstd_graph_stats stats;
	rstd_graph *graph = centred(&m);

	(void)state;
	assert_int_equal(add(session, 0, graph), RSTD_GE_SUCCESS);
	assert_true(rstd_session_needs_rebuild(session, 0));
	for (int round = 0; round < 3; round++)
		for (int64_t n = 1; n <= 3; n++)
			run_centred(session, 0, n, 2 * n);
	assert_false(rstd_session_needs_rebuild(session, 0));
	assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
	assert_int_equal(stats.compilations, 3); /* once a shape */
	assert_int_equal(stats.runs, 9);
	assert_int_equal(stats.compiled_forms, 3);
	assert_int_equal(stats.nodes, 4);
	assert_int_equal(stats.steps, 2);
	run_centred(session, 0, 4, 4); /* the oldest goes: 1 */
	run_centred(session, 0, 2, 4);
	run_centred(session, 0, 1, 2);
	assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
	assert_int_equal(stats.compilations, 5);
	assert_int_equal(stats.compiled_forms, 3);
	/* an attribute that changes is seen */
	set_bool(rstd_node_op(rstd_graph_find_node(graph, "mean")), "keep_dims", false);
	assert_true(rstd_session_needs_rebuild(session, 0));
	set_bool(rstd_node_op(rstd_graph_find_node(graph, "mean")), "keep_dims", true);
	run_centred(session, 0, 1, 2);
	assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
	assert_int_equal(stats.compiled_forms, 1);
	rstd_session_destroy(session);
	drop(&m);
}

/* Dims whose product is beyond all numbers, but for one that is 0. */
static void test_no_elements_of_huge_rows(void **state)
{
	const struct dims dims = DIMS(INT64_C(1) << 40, INT64_C(1) << 40, 0);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, NULL);
	struct maker m = { 0 };
	rstd_op *op = make(&m, "Sqrt", "y", make_data(&m, "x"), NULL);

	(void)state;
	expect_result(finish(&m, &op, 1), &tensor, 1, RSTD_DT_FLOAT, dims, NULL);
	drop(&m);
}

/* In long graphs too, where tensors are placed in the order of time, a chain needs two buffers. */
static void test_long_chain(void **state)
{
	enum { LONG = 5000, BUFFER = 64 };
	static const float one[] = { 1 };
	const struct dims dims = DIMS(1);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, one);
	rstd_session *session = open_session(NULL, NULL);
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *last = rstd_op_ref(x);
	rstd_results *results;
	rstd_ge_tensor y;
	rstd_graph_stats stats;
	float sum;
	char name[32];

	(void)state;
	for (int i = 0; i < LONG; i++) {
		rstd_op *op;

		snprintf(name, sizeof(name), "add%d", i);
		op = rstd_op_create(name, "Add");
		assert_int_equal(rstd_op_set_input_at(op, 0, last, 0), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_op_set_input_at(op, 1, x, 0), RSTD_GE_SUCCESS);
		rstd_op_unref(last); /* linked operators live together */
		last = op;
	}
	assert_int_equal(add(session, 0, finish(&m, &last, 1)), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
	assert_true(rstd_results_get(results, 0, &y));
	memcpy(&sum, y.data, sizeof(sum));
	assert_true(sum == LONG + 1);
	assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
	assert_int_equal(stats.steps, LONG);
	assert_int_equal(stats.workspace, 2 * BUFFER);
	assert_int_equal(stats.unshared, (LONG - 1) * BUFFER);
	rstd_results_free(results);
	rstd_session_destroy(session);
	rstd_op_unref(last);
	drop(&m);
}

/* A chain of element-wise operators with views between them needs two buffers, however long it is. */
static void test_memory_is_shared(void **state)
{
	enum { LENGTH = 12, BUFFER = 4032 }; /* 4000 bytes and what alignment adds */
	static float data[1000];
	const struct dims dims = DIMS(1000);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, data);
	rstd_session *session = open_session(NULL, NULL);
	struct maker m = { 0 };
	rstd_op *op = make_data(&m, "x");
	rstd_results *results;
	rstd_ge_tensor y;
	rstd_graph_stats stats;
	char name[32];

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		data[i] = (float)i;
	for (int i = 0; i < LENGTH; i++) {
		rstd_op *shape;

		snprintf(name, sizeof(name), "muls%d", i);
		op = make(&m, "Muls", name, op, NULL);
		set_float(op, "value", i % 2 ? 0.5F : 2.0F);
		snprintf(name, sizeof(name), "shape%d", i);
		shape = make_int64s(&m, name, i % 2 ? DIMS(-1) : DIMS(10, 100));
		snprintf(name, sizeof(name), "reshape%d", i);
		op = make(&m, "Reshape", name, op, shape);
	}
	assert_int_equal(add(session, 0, finish(&m, &op, 1)), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
	assert_true(rstd_results_get(results, 0, &y));
	assert_memory_equal(y.data, data, sizeof(data));
	assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
	assert_int_equal(stats.steps, LENGTH);
	assert_int_equal(stats.views, LENGTH);
	assert_int_equal(stats.workspace, 2 * BUFFER);
	assert_int_equal(stats.unshared, (LENGTH - 1) * BUFFER); /* the last one is the result */
	rstd_results_free(results);
	rstd_session_destroy(session);
	drop(&m);
}

/* A result that is a view, one that is returned twice, one that others read, a feed and a constant as results. */
static void test_kinds_of_results(void **state)
{
	static const float data[] = { 4, 9, 16 }, root[] = { 2, 3, 4 }, wide[] = { 2, 3, 4, 2, 3, 4 };
	static const int64_t shape[] = { 2, 3 };
	const struct dims dims = DIMS(3);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, data);
	rstd_session *session = open_session(NULL, NULL);
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *sqrt = make(&m, "Sqrt", "sqrt", x, NULL);
	rstd_op *constant = make_int64s(&m, "shape", DIMS(2, 3));
	rstd_op *view = make(&m, "BroadcastTo", "view", sqrt, constant);
	rstd_op *same = make(&m, "Identity", "same", sqrt, NULL);
	rstd_op *outputs[] = { view, sqrt, sqrt, x, constant, same };
	const void *const expected[] = { wide, root, root, data, shape, root };
	rstd_results *results;
	rstd_ge_tensor y;
	void *taken;

	(void)state;
	assert_int_equal(add(session, 0, finish(&m, outputs, COUNT(outputs))), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_results_count(results), COUNT(outputs));
	for (size_t i = 0; i < COUNT(outputs); i++) {
		assert_true(rstd_results_get(results, i, &y));
		assert_memory_equal(y.data, expected[i], y.size);
	}
	assert_false(rstd_results_get(results, COUNT(outputs), &y));
	taken = rstd_results_take(results, 1);
	assert_memory_equal(taken, root, sizeof(root));
	assert_null(rstd_results_take(results, 1));
	assert_false(rstd_results_get(results, 1, &y));
	rstd_results_free(results);
	rstd_graph_free(taken);
	rstd_session_destroy(session);
	drop(&m);
}

/* Reshape of a repeated row: splitting an axis is a view; joining what does not walk memory as one is a copy. */
static void test_reshape_of_a_view(void **state)
{
	static const float data[] = { 1, 2, 3 }, expected[] = { 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3 };
	const struct dims column = DIMS(3, 1);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &column, data);

	(void)state;
	for (size_t joined = 0; joined < 2; joined++) {
		rstd_session *session = open_session(NULL, NULL);
		struct maker m = { 0 };
		rstd_op *x = make_data(&m, "x"), *shape = make_int64s(&m, "wide", DIMS(3, 4));
		rstd_op *wide = make(&m, "BroadcastTo", "to", x, shape), *out;
		rstd_results *results;
		rstd_graph_stats stats;
		rstd_ge_tensor y;

		shape = make_int64s(&m, "shape", joined ? DIMS(2, 6) : DIMS(3, 2, 1, 2));
		out = make(&m, "Muls", "out", make(&m, "Reshape", "reshape", wide, shape), NULL);
		set_float(out, "value", 1);
		assert_int_equal(add(session, 0, finish(&m, &out, 1)), RSTD_GE_SUCCESS);
		assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
		assert_true(rstd_results_get(results, 0, &y));
		assert_int_equal(y.size, sizeof(expected));
		assert_memory_equal(y.data, expected, sizeof(expected));
		assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
		assert_int_equal(stats.steps, 1 + joined);
		rstd_results_free(results);
		rstd_session_destroy(session);
		drop(&m);
	}
}

/* Axes that come as a feed: the form is for their values. */
static void test_axes_from_a_feed(void **state)
{
	static const float data[] = { 1, 2, 3, 5 };
	const struct dims square = DIMS(2, 2), one = DIMS(1);
	static const float rows[] = { 1.5F, 4 }, columns[] = { 2, 3.5F };
	int32_t axis = 1;
	const rstd_ge_tensor feeds[] = { feed(RSTD_DT_FLOAT, &square, data), feed(RSTD_DT_INT32, &one, &axis) };
	rstd_session *session = open_session(NULL, NULL);
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *axes = make_data(&m, "axes"), *wide = make(&m, "Cast", "wide", axes, NULL);
	rstd_op *mean;
	rstd_results *results;
	rstd_ge_tensor y;
	rstd_graph_stats stats;

	(void)state;
	set_int(wide, "dst_type", RSTD_DT_INT64);
	mean = make(&m, "ReduceMean", "mean", x, wide);
	assert_int_equal(add(session, 0, finish(&m, &mean, 1)), RSTD_GE_SUCCESS);
	for (int i = 0; i < 4; i++) {
		axis = i % 2;
		assert_int_equal(rstd_session_run(session, 0, feeds, 2, &results), RSTD_GE_SUCCESS);
		assert_true(rstd_results_get(results, 0, &y));
		assert_memory_equal(y.data, axis ? rows : columns, y.size);
		rstd_results_free(results);
	}
	assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
	assert_int_equal(stats.compilations, 2);
	assert_int_equal(rstd_session_build(session, 0, feeds, 2), RSTD_GE_FAILED); /* without looking at elements */
	expect_error("output y is not known before it runs");
	axis = 5;
	assert_int_equal(rstd_session_run(session, 0, feeds, 2, &results), RSTD_GE_FAILED);
	expect_error("axes[0]=5 out of range [-2, 2)");
	rstd_session_destroy(session);
	drop(&m);
}

static void test_build(void **state)
{
	const struct dims dims = DIMS(3, 4);
	const rstd_ge_tensor tensor = { feed(RSTD_DT_FLOAT, &dims, NULL).desc, NULL, 0 };
	rstd_session *session = open_session(NULL, NULL);
	struct maker m = { 0 };
	rstd_graph_stats stats;

	(void)state;
	assert_int_equal(add(session, 0, centred(&m)), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_build(session, 0, &tensor, 1), RSTD_GE_SUCCESS);
	run_centred(session, 0, 3, 4);
	assert_int_equal(rstd_session_stats(session, 0, &stats), RSTD_GE_SUCCESS);
	assert_int_equal(stats.compilations, 1);
	assert_int_equal(stats.runs, 1);
	assert_int_equal(rstd_session_build(session, 1, &tensor, 1), RSTD_GE_GRAPH_NOT_EXIST);
	assert_int_equal(rstd_session_stats(session, 1, &stats), RSTD_GE_GRAPH_NOT_EXIST);
	assert_null(rstd_session_fusion(session, 1, 0, NULL));
	rstd_session_destroy(session);
	drop(&m);
}

/* Data that all have index 0 are numbered in the order of SetInputs. */
static void test_data_without_indexes(void **state)
{
	static const float a = 7, b = 5, expected = 2;
	const struct dims scalar = SCALAR;
	const rstd_ge_tensor feeds[] = { feed(RSTD_DT_FLOAT, &scalar, &a), feed(RSTD_DT_FLOAT, &scalar, &b) };
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *y = make_data(&m, "y"), *out = make(&m, "Sub", "out", x, y);

	(void)state;
	set_int(x, "index", 0);
	set_int(y, "index", 0);
	expect_result(finish(&m, &out, 1), feeds, 2, RSTD_DT_FLOAT, SCALAR, &expected);
	drop(&m);
}

/* Targets run, and give nothing back; without outputs and targets every node is looked at. */
static void test_targets(void **state)
{
	static const float data[] = { 1, 2 };
	const struct dims dims = DIMS(2);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, data);
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *bad = make(&m, "Cast", "bad", x, NULL),
		*good = make(&m, "Sqrt", "good", x, NULL);
	rstd_graph *graph = finish(&m, &good, 1);
	rstd_session *session = open_session(NULL, NULL);
	rstd_results *results;

	(void)state;
	assert_int_equal(add(session, 0, graph), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS); /* bad is not needed */
	rstd_results_free(results);
	assert_int_equal(rstd_graph_set_targets(graph, &bad, 1), RSTD_GE_SUCCESS);
	refuse_feed(session, &tensor, 1, "Verifying bad failed");
	assert_int_equal(rstd_graph_set_targets(graph, &good, 1), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_set_outputs(graph, NULL, 0), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_run(session, 0, &tensor, 1, &results), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_results_count(results), 0);
	rstd_results_free(results);
	assert_int_equal(rstd_graph_set_targets(graph, NULL, 0), RSTD_GE_SUCCESS);
	refuse_feed(session, &tensor, 1, "Verifying bad failed");
	rstd_session_destroy(session);
	drop(&m);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* A session of its own, with a graph of its own, on changing shapes; and its own messages. */
static void *own_session(void *argument)
{
	const int64_t first = *(const int64_t *)argument;
	const rstd_option option = { "rstd.shapes", "2" };
	rstd_session *session = rstd_session_new(&option, 1);
	struct maker m = { 0 };
	rstd_results *results;

	if (add(session, 0, centred(&m)) != RSTD_GE_SUCCESS)
		return argument;
	for (int64_t i = 0; i < 30; i++) {
		run_centred(session, 0, first + i % 4, 5);
		if (rstd_session_run(session, 1, NULL, 0, &results) == RSTD_GE_SUCCESS ||
		    !strstr(rstd_ge_take_errors(), "(graph_id=1)"))
			return argument;
	}
	rstd_session_destroy(session);
	drop(&m);
	return NULL;
}

static void test_sessions_in_threads(void **state)
{
	int64_t first[4] = { 1, 2, 3, 4 };
	pthread_t threads[4];

	(void)state;
	assert_int_equal(rstd_ge_initialize(NULL, 0), RSTD_GE_SUCCESS);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, own_session, &first[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
}

struct shared {
	rstd_session *session;
	pthread_barrier_t barrier;
	const rstd_ge_tensor *tensor;
	bool worked[2], refused[2];
};

struct runner {
	struct shared *shared;
	int which;
};

static void *run_on_shared(void *argument)
{
	const struct runner *runner = argument;
	struct shared *shared = runner->shared;
	rstd_results *results;

	(void)pthread_barrier_wait(&shared->barrier);
	if (rstd_session_run(shared->session, 0, shared->tensor, 1, &results) == RSTD_GE_SUCCESS)
		shared->worked[runner->which] = true;
	else
		shared->refused[runner->which] = strstr(rstd_ge_take_errors(), "a graph is running") != NULL;
	rstd_results_free(results);
	return NULL;
}

/* Two runs of one session at once: one of them is refused, and says why; the session goes on. */
static void test_two_runs_of_one_session(void **state)
{
	enum { SIDE = 1000 };
	float *data = calloc(SIDE * SIDE, sizeof(*data));
	const struct dims dims = DIMS(SIDE, SIDE);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, data);
	struct maker m = { 0 };
	bool refused = false;

	(void)state;
	assert_non_null(data);
	struct shared shared = { .session = open_session(NULL, NULL), .tensor = &tensor };

	assert_int_equal(pthread_barrier_init(&shared.barrier, NULL, 2), 0);
	assert_int_equal(add(shared.session, 0, centred(&m)), RSTD_GE_SUCCESS);
	for (int round = 0; round < 100 && !refused; round++) {
		struct runner runners[2] = { { &shared, 0 }, { &shared, 1 } };
		pthread_t threads[2];

		memset(shared.worked, 0, sizeof(shared.worked));
		memset(shared.refused, 0, sizeof(shared.refused));
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, run_on_shared, &runners[i]), 0);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		for (size_t i = 0; i < 2; i++)
			assert_true(shared.worked[i] != shared.refused[i]);
		assert_true(shared.worked[0] || shared.worked[1]);
		refused = shared.refused[0] || shared.refused[1];
	}
	assert_true(refused);
	run_centred(shared.session, 0, 2, 3);
	(void)pthread_barrier_destroy(&shared.barrier);
	rstd_session_destroy(shared.session);
	drop(&m);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_and_after),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_feeds),
		cmocka_unit_test(test_declared_dims),
		cmocka_unit_test(test_graphs_that_cannot_run),
		cmocka_unit_test(test_updates_that_cannot_be_tiled),
		cmocka_unit_test(test_dtypes_fail_verification),
		cmocka_unit_test(test_shapes_come_and_go),

		cmocka_unit_test(test_no_elements_of_huge_rows),
		cmocka_unit_test(test_memory_is_shared),
		cmocka_unit_test(test_long_chain),
		cmocka_unit_test(test_kinds_of_results),
		cmocka_unit_test(test_reshape_of_a_view),
		cmocka_unit_test(test_axes_from_a_feed),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_data_without_indexes),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_sessions_in_threads),
		cmocka_unit_test(test_two_runs_of_one_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
