/*
 * test_engine_random.c - random graphs: sharing memory, views and fusions that keep bits change no bit
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each graph runs as it is, and with every node returned, so that no two tensors share memory; and with fusion off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { GRAPHS = 400, NODES = 20, ROWS = 4, COLUMNS = 6, WANTED = 2 };

/* A tensor of the graph to be: always of rank 2. */
struct tensor {
	rstd_op *op;
	int64_t dims[2];
};

struct generator {
	struct maker m;
	struct tensor at[NODES + 1];
	size_t count;
	uint64_t random;
};

static uint64_t below(struct generator *g, uint64_t bound)
{
	return next_random(&g->random) % bound;
}

static const struct tensor *any(struct generator *g)
{
	return &g->at[below(g, g->count)];
}

static void push(struct generator *g, rstd_op *op, int64_t rows, int64_t columns)
{
	g->at[g->count++] = (struct tensor){ op, { rows, columns } };
}

static char *name_of(struct generator *g, char name[32])
{
	snprintf(name, 32, "n%zu", g->count);
	return name;
}

static bool fits(int64_t a, int64_t b)
{
	return a == b || a == 1 || b == 1;
}

static void add_binary(struct generator *g)
{
	static const char *const types[] = { "Add", "Sub", "Mul", "RealDiv" };
	const struct tensor a = *any(g), b = *any(g);
	char name[32];

	if (!fits(a.dims[0], b.dims[0]) || !fits(a.dims[1], b.dims[1]))
		return;
	push(g, make(&g->m, types[below(g, 4)], name_of(g, name), a.op, b.op),
	     a.dims[0] > b.dims[0] ? a.dims[0] : b.dims[0], a.dims[1] > b.dims[1] ? a.dims[1] : b.dims[1]);
}

static void add_unary(struct generator *g)
{
	static const char *const types[] = { "Sqrt", "Rsqrt", "Identity", "Muls", "Adds" };
	const struct tensor a = *any(g);
	const size_t which = below(g, 5);
	char name[32];
	rstd_op *op = make(&g->m, types[which], name_of(g, name), a.op, NULL);

	if (which >= 3)
		set_float(op, "value", 1.25F);
	push(g, op, a.dims[0], a.dims[1]);
}

static void add_reduction(struct generator *g)
{
	static const char *const types[] = { "ReduceMeanD", "ReduceSumD" };
	const struct tensor a = *any(g);
	const size_t axis = below(g, 2);
	char name[32];
	rstd_op *op = make(&g->m, types[below(g, 2)], name_of(g, name), a.op, NULL);

	set_ints(op, "axes", DIMS((int64_t)axis));
	set_bool(op, "keep_dims", true);
	push(g, op, axis == 0 ? 1 : a.dims[0], axis == 1 ? 1 : a.dims[1]);
}

/* A row or a column becomes as wide as a matrix. */
static void add_broadcast(struct generator *g)
{
	const struct tensor a = *any(g);
	const int64_t rows = a.dims[0] == 1 ? ROWS : a.dims[0], columns = a.dims[1] == 1 ? COLUMNS : a.dims[1];
	char name[32];
	rstd_op *op = make(&g->m, "BroadcastToD", name_of(g, name), a.op, NULL);

	set_ints(op, "shape", DIMS(rows, columns));
	push(g, op, rows, columns);
}

static void add_reshape(struct generator *g)
{
	const struct tensor a = *any(g);
	const int64_t rows = a.dims[0] * a.dims[1] % ROWS == 0 ? ROWS : 1;
	char name[32], shape[40];

	name_of(g, name);
	snprintf(shape, sizeof(shape), "%s_shape", name);
	push(g, make(&g->m, "Reshape", name, a.op, make_int64s(&g->m, shape, DIMS(rows, -1))), rows,
	     a.dims[0] * a.dims[1] / rows);
}

static void add_std(struct generator *g)
{
	const struct tensor a = *any(g), mean = *any(g);
	const size_t axis = below(g, 2);
	char name[32];
	rstd_op *op;

	if (a.dims[0] != mean.dims[0] || a.dims[1] != mean.dims[1])
		return;
	op = make(&g->m, "ReduceStdWithMean", name_of(g, name), a.op, mean.op);
	set_ints(op, "dim", DIMS((int64_t)axis));
	set_bool(op, "keepdim", true);
	set_bool(op, "invert", below(g, 2));
	push(g, op, axis == 0 ? 1 : a.dims[0], axis == 1 ? 1 : a.dims[1]);
}

/* To float and back, so that widening Casts come before reductions. */
static void add_casts(struct generator *g, int32_t dtype)
{
	const struct tensor a = *any(g);
	char name[32], wide[40];
	rstd_op *op, *back;

	name_of(g, name);
	snprintf(wide, sizeof(wide), "%s_wide", name);
	op = make(&g->m, "Cast", wide, a.op, NULL);
	set_int(op, "dst_type", RSTD_DT_FLOAT);
	if (below(g, 2)) {
		snprintf(wide, sizeof(wide), "%s_mean", name);
		op = make(&g->m, "ReduceMeanD", wide, op, NULL);
		set_ints(op, "axes", DIMS(1));
		set_bool(op, "keep_dims", true);
		back = make(&g->m, "Cast", name, op, NULL);
		push(g, back, a.dims[0], 1);
	} else {
		back = make(&g->m, "Cast", name, op, NULL);
		push(g, back, a.dims[0], a.dims[1]);
	}
	set_int(back, "dst_type", dtype);
}

static void generate(struct generator *g, uint64_t seed, int32_t dtype)
{
	*g = (struct generator){ .random = seed * 1000 };
	push(g, make_data(&g->m, "x"), ROWS, COLUMNS);
	while (g->count < NODES && g->m.count + 3 < MOST_NODES)
		switch (below(g, 7)) {
		case 0:
		case 1:
			add_binary(g);
			break;
		case 2:
			add_unary(g);
			break;
		case 3:
			add_reduction(g);
			break;
		case 4:
			add_broadcast(g);
			break;
		case 5:
			add_reshape(g);
			break;
		default:
			if (below(g, 2))
				add_std(g);
			else
				add_casts(g, dtype);
		}
}

/* The first WANTED results, one behind the other; *size their bytes. */
static void run(rstd_graph *graph, const rstd_ge_tensor *x, const char *fusion, unsigned char *bytes, size_t *size,
                rstd_graph_stats *stats)
{
	rstd_session *session = open_session("rstd.fusion", fusion);
	rstd_results *results;
	rstd_ge_tensor y;

	assert_int_equal(rstd_session_add_graph_with_copy(session, 0, graph, NULL, 0), RSTD_GE_SUCCESS);
	if (rstd_session_run(session, 0, x, 1, &results) != RSTD_GE_SUCCESS)
		fail_msg("%s", rstd_ge_take_errors());
	*size = 0;
	for (size_t i = 0; i < WANTED; i++) {
		assert_true(rstd_results_get(results, i, &y));
		memcpy(bytes + *size, y.data, y.size);
		*size += y.size;
	}
	rstd_results_free(results);
	assert_int_equal(rstd_session_stats(session, 0, stats), RSTD_GE_SUCCESS);
	rstd_session_destroy(session);
}

static void check_graph(uint64_t seed, int32_t dtype, size_t *shared, size_t *fused)
{
	unsigned char data[ROWS * COLUMNS * 4], own[4096], apart[4096], unfused[4096];
	const struct dims dims = DIMS(ROWS, COLUMNS);
	const rstd_dtype native = native_of(dtype);
	rstd_graph_output outputs[NODES] = { { 0 } };
	rstd_op *last[WANTED];
	rstd_graph_stats stats;
	struct generator g;
	size_t sizes[3];
	rstd_ge_tensor x;
	rstd_graph *graph;

	generate(&g, seed, dtype);
	memset(data, 0, sizeof(data));
	for (size_t i = 0; i < ROWS * COLUMNS; i++)
		bits_store(native, data + i * dtype_size(native),
		           random_bits(native, &g.random, 2) & (dtype_sign_bit(native) - 1));
	x = feed(dtype, &dims, data);
	for (size_t i = 0; i < WANTED; i++)
		last[i] = g.at[g.count - 1 - i].op;
	graph = finish(&g.m, last, WANTED);
	run(graph, &x, "exact", own, &sizes[0], &stats);
	*shared += stats.workspace < stats.unshared;
	*fused += stats.fusions > 0;
	run(graph, &x, "none", unfused, &sizes[1], &stats);
	for (size_t i = 0; i < g.count; i++)
		outputs[i].op = g.at[g.count - 1 - i].op;
	assert_int_equal(rstd_graph_set_outputs(graph, outputs, g.count), RSTD_GE_SUCCESS);
	run(graph, &x, "none", apart, &sizes[2], &stats);
	if (sizes[0] != sizes[1] || sizes[0] != sizes[2] || memcmp(own, unfused, sizes[0]) != 0 ||
	    memcmp(own, apart, sizes[0]) != 0)
		fail_msg("seed %llu: results differ", (unsigned long long)seed);
	drop(&g.m);
}

static void test_random_graphs(void **state)
{
	static const int32_t dtypes[] = { RSTD_DT_FLOAT, RSTD_DT_FLOAT16, RSTD_DT_BF16 };
	size_t shared = 0, fused = 0;

	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++)
		check_graph(seed, dtypes[seed % 3], &shared, &fused);
	print_message("%d graphs, %zu of them share memory, %zu have fusions\n", GRAPHS, shared, fused);
	assert_true(shared > GRAPHS / 10 && fused > GRAPHS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_graphs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
