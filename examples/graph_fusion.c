/*
 * graph_fusion.c - a graph in C: the standard deviation of each row about its mean, node by node and in one pass
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <rstd/graph.h>

#include <stdio.h>
#include <stdlib.h>

#define ROWS 2
#define COLS 2

/* Ends the program when a call of the engine fails, and says why. */
static void try(rstd_ge_status status)
{
	if (status == RSTD_GE_SUCCESS)
		return;
	fprintf(stderr, "status %u\n%s", (unsigned)status, rstd_ge_take_errors());
	exit(1);
}

/* A reference for the graph's owner to give back; without memory the program ends. */
static rstd_op *op_new(const char *name, const char *type)
{
	rstd_op *op = rstd_op_create(name, type);

	try(op ? RSTD_GE_SUCCESS : RSTD_GE_FAILED);
	return op;
}

static rstd_op *constant_new(const char *name, size_t count, const int64_t *numbers)
{
	const int64_t dims[] = { (int64_t)count };
	rstd_ge_tensor tensor = { RSTD_DESC_DEFAULT, numbers, count * sizeof(*numbers) };
	const rstd_value value = { .kind = RSTD_VALUE_TENSOR, .as.tensor = &tensor };
	rstd_op *op = op_new(name, "Const");

	tensor.desc.dtype = RSTD_DT_INT64;
	tensor.desc.rank = 1;
	tensor.desc.dims = dims;
	try(rstd_attrs_set(rstd_op_attrs(op), "value", &value));
	return op;
}

/* mean = ReduceMean(x), spread = ReduceStdWithMean(x, mean repeated along the rows) */
static rstd_graph *graph_new(void)
{
	static const int64_t last[] = { -1 }, shape[] = { ROWS, COLS };
	const rstd_value yes = { .kind = RSTD_VALUE_BOOL, .as.b = true };
	const rstd_value dim = { .kind = RSTD_VALUE_LIST_INT, .count = 1, .as.ints = last };
	rstd_op *x = op_new("x", "Data"), *axes = constant_new("axes", 1, last), *mean = op_new("mean", "ReduceMean");
	rstd_op *dims = constant_new("dims", 2, shape), *repeated = op_new("repeated", "BroadcastTo");
	rstd_op *spread = op_new("spread", "ReduceStdWithMean");
	rstd_op *const inputs[] = { x, axes, dims }, *const all[] = { x, axes, mean, dims, repeated, spread };
	const rstd_graph_output output = { .op = spread };
	rstd_graph *graph = rstd_graph_new("spread_of_rows");

	try(rstd_op_set_input(mean, "x", x, NULL));
	try(rstd_op_set_input(mean, "axes", axes, NULL));
	try(rstd_attrs_set(rstd_op_attrs(mean), "keep_dims", &yes));
	try(rstd_op_set_input(repeated, "x", mean, NULL));
	try(rstd_op_set_input(repeated, "shape", dims, NULL));
	try(rstd_op_set_input(spread, "x", x, NULL));
	try(rstd_op_set_input(spread, "mean", repeated, NULL));
	try(rstd_attrs_set(rstd_op_attrs(spread), "dim", &dim));
	try(rstd_graph_set_inputs(graph, inputs, 3));
	try(rstd_graph_set_outputs(graph, &output, 1));
	for (size_t i = 0; i < 6; i++)
		rstd_op_unref(all[i]); /* the graph holds them */
	return graph;
}

static void report(rstd_session *session)
{
	rstd_graph_stats stats;
	bool keeps_bits;
	char *what;

	try(rstd_session_stats(session, 0, &stats));
	printf("  %zu nodes, %zu steps, %zu views, %zu bytes of workspace\n", stats.nodes, stats.steps, stats.views,
	       stats.workspace);
	for (size_t i = 0; (what = rstd_session_fusion(session, 0, i, &keeps_bits)) != NULL; i++) {
		printf("  %s%s\n", what, keeps_bits ? "" : " (changes bits)");
		rstd_graph_free(what);
	}
}

static void run(const char *fusion)
{
	static const float data[ROWS][COLS] = { { 1, 3 }, { 16777216, 16777218 } };
	static const int64_t shape[] = { ROWS, COLS };
	const rstd_option option = { "rstd.fusion", fusion };
	rstd_session *session = rstd_session_new(&option, 1);
	rstd_graph *graph = graph_new();
	rstd_ge_tensor x = { RSTD_DESC_DEFAULT, data, sizeof(data) }, y;
	rstd_results *results;

	x.desc.rank = 2;
	x.desc.dims = shape;
	try(rstd_session_add_graph(session, 0, graph, NULL, 0));
	rstd_graph_unref(graph); /* the session holds it */
	try(rstd_session_run(session, 0, &x, 1, &results));
	if (rstd_results_get(results, 0, &y))
		printf("rstd.fusion %s: %.9g %.9g\n", fusion, (double)((const float *)y.data)[0],
		       (double)((const float *)y.data)[1]);
	rstd_results_free(results);
	report(session);
	rstd_session_destroy(session);
}

int main(void)
{
	try(rstd_ge_initialize(NULL, 0));
	run("none");
	run("exact");
	run("all");
	try(rstd_ge_finalize());
	return 0;
}
