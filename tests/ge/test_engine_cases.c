/*
 * test_engine_cases.c - every case of every case file through a graph, bit for bit
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * ReduceStdWithMean is one node; Std and StdMean are ReduceStdV2, through their first or both outputs, where a graph
 * can say the case: outputs have the dtype of x there. BatchNormStats has no operator of a graph and is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define MOST_FAILURES 20

struct tally {
	size_t ran, refused, left_out, failures;
};

static int32_t ge_dtype(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? RSTD_DT_FLOAT : dtype == RSTD_F16 ? RSTD_DT_FLOAT16 : RSTD_DT_BF16;
}

static void report(struct tally *t, const struct test_case *c, const char *text)
{
	if (t->failures++ < MOST_FAILURES)
		print_error("%s: %s\n", c->id, text);
}

static struct dims dims_of(const struct case_shape *shape)
{
	struct dims dims = { .count = shape->rank };

	memcpy(dims.at, shape->len, shape->rank * sizeof(*dims.at));
	return dims;
}

/* Whether a graph can say what the case asks. */
static bool can_say(const struct test_case *c)
{
	if (c->op == OP_BATCH_NORM_STATS || c->dtype == DTYPE_UNKNOWN)
		return false;
	if (!c->valid && (strcmp(c->fault, "out-shape") == 0 || strcmp(c->fault, "out-dtype") == 0))
		return false; /* outputs are inferred */
	if (!c->valid && strcmp(c->fault, "dim-dup") == 0 && c->op != OP_REDUCE_STD_WITH_MEAN)
		return false;                 /* ReduceStdV2 allows it */
	if (c->op == OP_REDUCE_STD_WITH_MEAN) /* the node has no switch unbiased */
		return (c->unbiased || c->invert || c->correction == 0) && c->mean_dtype != DTYPE_UNKNOWN;
	for (size_t k = 0; k < c->out_count; k++)
		if (c->out_dtype[k] != c->dtype)
			return false;
	return true;
}

static rstd_op *make_node(struct maker *m, const struct test_case *c)
{
	const bool given = c->op == OP_REDUCE_STD_WITH_MEAN;
	rstd_op *x = make_data(m, "x"), *mean = given ? make_data(m, "mean") : NULL;
	rstd_op *op = make(m, given ? "ReduceStdWithMean" : "ReduceStdV2", "node", x, mean);
	struct dims dims = { .count = c->dim_count };

	assert_true(c->dim_count <= sizeof(dims.at) / sizeof(*dims.at));
	memcpy(dims.at, c->dims, c->dim_count * sizeof(*dims.at));
	set_ints(op, "dim", dims);
	set_bool(op, "keepdim", c->keepdim);
	set_int(op, "correction", c->correction);
	if (given) {
		set_bool(op, "invert", c->invert);
		set_float(op, "epsilon", (float)c->epsilon);
	}
	return op;
}

static unsigned char *store_all(rstd_dtype dtype, const uint32_t *bits, size_t count)
{
	unsigned char *data = xmalloc(count * dtype_size(dtype));

	for (size_t i = 0; i < count; i++)
		bits_store(dtype, data + i * dtype_size(dtype), bits[i]);
	return data;
}

static void compare(struct tally *t, const struct test_case *c, const rstd_results *results)
{
	const size_t slices = slice_count(&c->shape, case_mask(c));
	uint32_t *expected = xmalloc(slices * sizeof(*expected));
	rstd_ge_tensor y;

	for (size_t k = 0; k < c->out_count; k++) {
		if (!case_expected(c, k, slices, expected) || !rstd_results_get(results, k, &y) ||
		    y.size != slices * dtype_size(c->dtype) || y.desc.dtype != ge_dtype(c->dtype)) {
			report(t, c, "a result of another size or dtype");
			break;
		}
		for (size_t i = 0; i < slices; i++) {
			const uint32_t got =
				bits_load(c->dtype, (const unsigned char *)y.data + i * dtype_size(c->dtype));

			if (bits_match(c->dtype, got, expected[i]))
				continue;
			print_error("%s: out%zu[%zu] is %x, must be %x\n", c->id, k, i, got, expected[i]);
			report(t, c, "wrong bits");
			break;
		}
	}
	free(expected);
}

/* The first outputs of the node, as many as the case has. */
static rstd_graph *graph_of(struct maker *m, const struct test_case *c)
{
	static const size_t indexes[] = { 0, 1 };
	rstd_op *op = make_node(m, c);
	rstd_graph *graph = finish(m, &op, 1);
	const rstd_graph_output output = { op, NULL, indexes, c->out_count };

	assert_int_equal(rstd_graph_set_outputs(graph, &output, 1), RSTD_GE_SUCCESS);
	return graph;
}

static void run_case(struct tally *t, const struct test_case *c, rstd_session *session)
{
	const size_t count = shape_count(&c->shape);
	const bool given = c->op == OP_REDUCE_STD_WITH_MEAN;
	const struct dims x_dims = dims_of(&c->shape), mean_dims = dims_of(&c->mean_shape);
	const size_t mean_count = given ? shape_count(&c->mean_shape) : 0,
		     most = count > mean_count ? count : mean_count;
	uint32_t *bits = xmalloc(most * sizeof(*bits));
	size_t *slice_of = xmalloc(most * sizeof(*slice_of));
	unsigned char *x, *mean;
	rstd_ge_tensor feeds[2];
	struct maker m = { 0 };
	rstd_results *results;
	rstd_ge_status status;

	memset(bits, 0, most * sizeof(*bits));
	if (c->valid && !gen_fill(c->x, c->dtype, count, NULL, bits))
		report(t, c, "generator");
	x = store_all(c->dtype, bits, count);
	if (c->valid)
		slice_map(&c->shape, case_mask(c), slice_of);
	if (c->valid && given && !gen_fill(c->mean, c->mean_dtype, count, slice_of, bits))
		report(t, c, "generator");
	mean = given ? store_all(c->mean_dtype, bits, mean_count) : NULL;
	feeds[0] = feed(ge_dtype(c->dtype), &x_dims, x);
	if (given)
		feeds[1] = feed(ge_dtype(c->mean_dtype), &mean_dims, mean);
	assert_int_equal(rstd_session_add_graph(session, 0, graph_of(&m, c), NULL, 0), RSTD_GE_SUCCESS);
	status = rstd_session_run(session, 0, feeds, given ? 2 : 1, &results);
	if ((status == RSTD_GE_SUCCESS) != c->valid)
		report(t, c, c->valid ? rstd_ge_take_errors() : "was not refused");
	else if (c->valid)
		compare(t, c, results);
	t->ran += c->valid;
	t->refused += !c->valid;
	(void)rstd_ge_take_errors();
	rstd_results_free(results);
	assert_int_equal(rstd_session_remove_graph(session, 0), RSTD_GE_SUCCESS);
	drop(&m);
	free(mean);
	free(x);
	free(slice_of);
	free(bits);
}

static void run_file(struct tally *t, const char *path, rstd_session *session)
{
	struct case_list list;

	assert_true(case_list_read(&list, path));
	for (size_t i = 0; i < list.count; i++) {
		if (can_say(&list.cases[i]))
			run_case(t, &list.cases[i], session);
		else
			t->left_out++;
	}
	case_list_free(&list);
}

static void test_cases(void **state)
{
	rstd_session *session = open_session(NULL, NULL);
	DIR *directory = opendir(RSTD_CASES_DIR);
	const struct dirent *entry;
	struct tally t = { 0 };
	char path[1024];

	(void)state;
	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		const size_t length = strlen(entry->d_name);

		if (length < 4 || strcmp(entry->d_name + length - 4, ".tsv") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", RSTD_CASES_DIR, entry->d_name);
		run_file(&t, path, session);
	}
	(void)closedir(directory);
	rstd_session_destroy(session);
	print_message("%zu cases ran, %zu were refused as they must, %zu cannot be said in a graph\n", t.ran, t.refused,
	              t.left_out);
	assert_int_equal(t.failures, 0);
	assert_true(t.ran > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
