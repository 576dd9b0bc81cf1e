/*
 * test_engine_fuse.c - fusions: which there are, what they report, and which bits they keep
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

enum { ROWS = 6, COLUMNS = 50 };

/* What a run left: the first result's bytes, the statistics, and the fusions' texts. */
struct outcome {
	unsigned char bytes[ROWS * COLUMNS * 8];
	size_t size, kept_bits;
	rstd_graph_stats stats;
	char texts[2000];
};

static void read_fusions(rstd_session *session, struct outcome *o)
{
	o->texts[0] = '\0';
	o->kept_bits = 0;
	for (size_t i = 0; i < o->stats.fusions; i++) {
		bool keeps_bits;
		char *text = rstd_session_fusion(session, 0, i, &keeps_bits);

		assert_non_null(text);
		strncat(o->texts, text, sizeof(o->texts) - strlen(o->texts) - 1);
		strncat(o->texts, "\n", sizeof(o->texts) - strlen(o->texts) - 1);
		o->kept_bits += keeps_bits;
		rstd_graph_free(text);
	}
	assert_null(rstd_session_fusion(session, 0, o->stats.fusions, NULL));
}

/* All results one behind the other. */
static void run(rstd_graph *graph, const rstd_ge_tensor *feeds, size_t count, const char *fusion, struct outcome *o)
{
	rstd_session *session = open_session("rstd.fusion", fusion);
	rstd_results *results;
	rstd_ge_tensor tensor;

	assert_int_equal(rstd_session_add_graph_with_copy(session, 0, graph, NULL, 0), RSTD_GE_SUCCESS);
	if (rstd_session_run(session, 0, feeds, count, &results) != RSTD_GE_SUCCESS)
		fail_msg("%s", rstd_ge_take_errors());
	o->size = 0;
	for (size_t i = 0; i < rstd_results_count(results); i++) {
		assert_true(rstd_results_get(results, i, &tensor));
		assert_true(o->size + tensor.size <= sizeof(o->bytes));
		memcpy(o->bytes + o->size, tensor.data, tensor.size);
		o->size += tensor.size;
	}
	rstd_results_free(results);
	assert_int_equal(rstd_session_stats(session, 0, &o->stats), RSTD_GE_SUCCESS);
	read_fusions(session, o);
	rstd_session_destroy(session);
}

static void expect_same_bits(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->bytes, b->bytes, a->size);
}

static void fill(rstd_dtype dtype, uint32_t *bits, unsigned char *data, uint64_t seed)
{
	for (size_t i = 0; i < ROWS * COLUMNS; i++) {
		bits[i] = random_bits(dtype, &seed, 2);
		bits_store(dtype, data + i * dtype_size(dtype), bits[i]);
	}
}

/* ---- Fusions that keep bits -------------------------------------------------------------------------------------- */

/* half x -> Cast to float -> ReduceMean and ReduceStdV2, in float. */
static void test_widening(void **state)
{
	static const int32_t from[] = { RSTD_DT_FLOAT16, RSTD_DT_BF16 };
	uint32_t bits[ROWS * COLUMNS];
	unsigned char data[ROWS * COLUMNS * 2] = { 0 };
	const struct dims dims = DIMS(ROWS, COLUMNS);

	(void)state;
	for (size_t i = 0; i < COUNT(from); i++) {
		const rstd_ge_tensor x = feed(from[i], &dims, data);
		struct maker m = { 0 };
		rstd_op *cast = make(&m, "Cast", "cast", make_data(&m, "x"), NULL);
		rstd_op *out[] = { make(&m, "ReduceMean", "mean", cast, make_int64s(&m, "axes", DIMS(1))),
			           make(&m, "ReduceStdV2", "std", cast, NULL) };
		struct outcome exact, none;
		rstd_graph *graph;

		set_int(cast, "dst_type", RSTD_DT_FLOAT);
		set_ints(out[1], "dim", DIMS(1));
		graph = finish(&m, out, 2);
		fill(native_of(from[i]), bits, data, 8);
		run(graph, &x, 1, "exact", &exact);
		run(graph, &x, 1, "none", &none);
		expect_same_bits(&exact, &none);
		assert_int_equal(exact.stats.steps, 2); /* the Cast is gone */
		assert_int_equal(none.stats.steps, 3);
		assert_int_equal(exact.stats.fusions, 2);
		assert_int_equal(exact.kept_bits, 2);
		assert_int_equal(none.stats.fusions, 0);
		assert_non_null(
			strstr(exact.texts, "Cast cast and ReduceMean mean: the elements are read as they were"));
		assert_true(exact.stats.workspace < none.stats.workspace);
		drop(&m);
	}
}

/* x -> ReduceMean -> Unsqueeze -> BroadcastTo -> ReduceStdWithMean of x. `dtype` of all; axis 0 or 1. */
static rstd_graph *mean_and_std(struct maker *m, int64_t axis, int64_t mean_axis, bool invert, rstd_op **std)
{
	rstd_op *x = make_data(m, "x"), *out[2];
	rstd_op *mean = make(m, "ReduceMean", "mean", x, make_int64s(m, "axes", DIMS(mean_axis)));
	rstd_op *column = make(m, "Unsqueeze", "column", mean, NULL);
	rstd_op *wide = make(m, "BroadcastTo", "wide", column, make_int64s(m, "shape", DIMS(ROWS, COLUMNS)));

	set_ints(column, "axes", DIMS(mean_axis));
	*std = make(m, "ReduceStdWithMean", "std", x, wide);
	set_ints(*std, "dim", DIMS(axis));
	set_bool(*std, "invert", invert);
	out[0] = *std;
	out[1] = mean;
	return finish(m, out, 2);
}

/* The mean is a view: nothing is written out, and the bits are those of the operators one by one. */
static void test_broadcast_is_a_view(void **state)
{
	uint32_t bits[ROWS * COLUMNS], means[ROWS * COLUMNS], expected;
	unsigned char data[ROWS * COLUMNS * 4] = { 0 };
	const struct dims dims = DIMS(ROWS, COLUMNS);
	const rstd_ge_tensor x = feed(RSTD_DT_FLOAT, &dims, data);
	struct maker m = { 0 };
	struct outcome o;
	struct ref_sums r;
	rstd_op *std;
	rstd_graph *graph = mean_and_std(&m, 1, 1, false, &std);

	(void)state;
	fill(RSTD_F32, bits, data, 9);
	run(graph, &x, 1, "exact", &o);
	assert_int_equal(o.stats.steps, 2);
	assert_int_equal(o.stats.views, 2);
	assert_non_null(strstr(o.texts, "ReduceStdWithMean std: the mean is read with strides of 0"));
	assert_int_equal(o.kept_bits, 1);
	ref_init(&r);
	for (size_t i = 0; i < ROWS; i++) {
		ref_slice(&r, RSTD_F32, bits + i * COLUMNS, NULL, COLUMNS);
		for (size_t j = 0; j < COLUMNS; j++)
			means[i * COLUMNS + j] = ref_mean(&r, RSTD_F32);
		ref_slice(&r, RSTD_F32, bits + i * COLUMNS, means + i * COLUMNS, COLUMNS);
		expected = ref_std(&r, COLUMNS - 1, RSTD_F32);
		assert_memory_equal(o.bytes + 4 * i, &expected, 4);
	}
	ref_clear(&r);
	drop(&m);
}

/* Far from zero: what rounding does to the mean is seen in the standard deviation of short floats. */
static void fill_far(rstd_dtype dtype, uint32_t *bits, unsigned char *data, uint64_t seed)
{
	for (size_t i = 0; i < ROWS * COLUMNS; i++) {
		bits[i] = bits_from_double(dtype, 64 + (double)(next_random(&seed) % 32) / 8);
		bits_store(dtype, data + i * dtype_size(dtype), bits[i]);
	}
}

/* ---- Fusions that do not ----------------------------------------------------------------------------------------- */

static void test_std_mean(void **state)
{
	static const int32_t dtypes[] = { RSTD_DT_FLOAT, RSTD_DT_FLOAT16, RSTD_DT_BF16 };
	uint32_t bits[ROWS * COLUMNS];
	unsigned char data[ROWS * COLUMNS * 4] = { 0 };
	const struct dims dims = DIMS(ROWS, COLUMNS);
	size_t differences = 0;

	(void)state;
	for (size_t d = 0; d < COUNT(dtypes); d++) {
		const rstd_dtype native = native_of(dtypes[d]);
		const size_t size = dtype_size(native);
		const rstd_ge_tensor x = feed(dtypes[d], &dims, data);
		struct maker m = { 0 };
		struct outcome all, exact;
		struct ref_sums r;
		rstd_op *std;
		rstd_graph *graph = mean_and_std(&m, -1, 1, false, &std);

		fill_far(native, bits, data, 10 + d);
		run(graph, &x, 1, "all", &all);
		run(graph, &x, 1, "exact", &exact);
		assert_int_equal(all.stats.steps, 1);
		assert_int_equal(all.stats.fusions, 1);
		assert_int_equal(all.kept_bits, 0);
		assert_non_null(strstr(all.texts, "ReduceMean mean and ReduceStdWithMean std: one pass over x"));
		ref_init(&r);
		for (size_t i = 0; i < ROWS; i++) {
			ref_slice(&r, native, bits + i * COLUMNS, NULL, COLUMNS);
			assert_int_equal(bits_load(native, all.bytes + i * size), ref_std(&r, COLUMNS - 1, native));
			assert_int_equal(bits_load(native, all.bytes + (ROWS + i) * size), ref_mean(&r, native));
		}
		ref_clear(&r);
		differences += memcmp(all.bytes, exact.bytes, ROWS * size) != 0;
		drop(&m);
	}
	assert_true(differences > 0); /* the roundings of the mean are seen: that is why this is not the default */
}

/* Where the mean is another one, or 1 / sqrt is wanted, nothing is fused. */
static void test_other_means_stay(void **state)
{
	uint32_t bits[ROWS * COLUMNS];
	unsigned char data[ROWS * COLUMNS * 4] = { 0 };
	const struct dims dims = DIMS(ROWS, COLUMNS);
	const rstd_ge_tensor x = feed(RSTD_DT_FLOAT, &dims, data);

	(void)state;
	fill(RSTD_F32, bits, data, 12);
	for (int i = 0; i < 2; i++) {
		struct maker m = { 0 };
		struct outcome all, none;
		rstd_op *std;
		rstd_graph *graph = mean_and_std(&m, 1, i, i == 1, &std);

		run(graph, &x, 1, "all", &all);
		run(graph, &x, 1, "none", &none);
		assert_int_equal(all.stats.steps, 2);
		expect_same_bits(&all, &none);
		drop(&m);
	}
}

/* The means of a square's rows, but laid along its columns: not the means of what is reduced. */
static void test_means_along_the_wrong_axis(void **state)
{
	uint32_t bits[ROWS * COLUMNS];
	unsigned char data[ROWS * COLUMNS * 4] = { 0 };
	const struct dims dims = DIMS(ROWS, ROWS);
	const rstd_ge_tensor x = feed(RSTD_DT_FLOAT, &dims, data);
	struct maker m = { 0 };
	rstd_op *in = make_data(&m, "x"), *mean = make(&m, "ReduceMean", "mean", in, make_int64s(&m, "axes", DIMS(1)));
	rstd_op *wide = make(&m, "BroadcastTo", "wide", mean, make_int64s(&m, "shape", DIMS(ROWS, ROWS)));
	rstd_op *std = make(&m, "ReduceStdWithMean", "std", in, wide);
	struct outcome all, none;
	rstd_graph *graph;

	(void)state;
	set_ints(std, "dim", DIMS(1));
	fill(RSTD_F32, bits, data, 13);
	graph = finish(&m, &std, 1);
	run(graph, &x, 1, "all", &all);
	run(graph, &x, 1, "none", &none);
	assert_int_equal(all.stats.steps, 2);
	expect_same_bits(&all, &none);
	drop(&m);
}

/* half -> Cast to bfloat16 -> ReduceMean: the Cast rounds, so the mean must be that of what it gives. */
static void test_narrowing_stays(void **state)
{
	uint32_t bits[ROWS * COLUMNS];
	unsigned char data[ROWS * COLUMNS * 2] = { 0 };
	const struct dims dims = DIMS(ROWS, COLUMNS);
	const rstd_ge_tensor x = feed(RSTD_DT_FLOAT16, &dims, data);
	struct maker m = { 0 };
	rstd_op *cast = make(&m, "Cast", "cast", make_data(&m, "x"), NULL);
	rstd_op *mean = make(&m, "ReduceMean", "mean", cast, make_int64s(&m, "axes", DIMS(1)));
	struct outcome exact, none;
	rstd_graph *graph;

	(void)state;
	set_int(cast, "dst_type", RSTD_DT_BF16);
	fill_far(RSTD_F16, bits, data, 14);
	graph = finish(&m, &mean, 1);
	run(graph, &x, 1, "exact", &exact);
	run(graph, &x, 1, "none", &none);
	assert_int_equal(exact.stats.steps, 2);
	expect_same_bits(&exact, &none);
	drop(&m);
}

/* float x -> ReduceMean -> Cast to half: rounded once with "all", twice without. */
static void test_cast_behind(void **state)
{
	/* the mean is just above a midpoint of binary16, and its float just on it */
	static const float x[] = { 1, 1 + 0x1p-10F, 1 + 0x1p-11F, 1 + 0x1p-11F + 0x1p-23F };
	const struct dims dims = DIMS(4);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, x);
	static const uint16_t twice = 0x3C00, once = 0x3C01;
	struct maker m = { 0 };
	rstd_op *axes = make_int64s(&m, "axes", DIMS(0)),
		*mean = make(&m, "ReduceMean", "mean", make_data(&m, "x"), axes);
	rstd_op *cast = make(&m, "Cast", "cast", mean, NULL);
	rstd_op *both[] = { cast, mean }, *reader = make(&m, "Identity", "reader", mean, NULL);
	struct outcome all, exact;
	rstd_graph *graph;

	(void)state;
	set_int(cast, "dst_type", RSTD_DT_FLOAT16);
	rstd_op_break_connect(reader);
	graph = finish(&m, &cast, 1);
	run(graph, &tensor, 1, "all", &all);
	run(graph, &tensor, 1, "exact", &exact);
	assert_memory_equal(all.bytes, &once, 2);
	assert_memory_equal(exact.bytes, &twice, 2);
	assert_int_equal(all.stats.steps, 1);
	assert_non_null(strstr(all.texts, "ReduceMean mean and Cast cast: the result is rounded once"));
	/* a mean that is wanted as it is keeps its dtype */
	assert_int_equal(
		rstd_graph_set_outputs(
			graph, (rstd_graph_output[]){ { both[0], NULL, NULL, 0 }, { both[1], NULL, NULL, 0 } }, 2),
		RSTD_GE_SUCCESS);
	run(graph, &tensor, 1, "all", &all);
	assert_int_equal(all.stats.steps, 2);
	assert_memory_equal(all.bytes, &twice, 2);
	/* and one that others read does, too */
	rstd_graph_unref(graph);
	assert_int_equal(rstd_op_set_input(mean, "x", m.inputs[0], NULL), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input_at(mean, 1, axes, 0), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input(cast, "x", mean, NULL), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_set_input(reader, "x", mean, NULL), RSTD_GE_SUCCESS);
	both[1] = reader;
	graph = finish(&m, both, 2);
	run(graph, &tensor, 1, "all", &all);
	assert_int_equal(all.stats.fusions, 0);
	assert_memory_equal(all.bytes, &twice, 2);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widening),        cmocka_unit_test(test_broadcast_is_a_view),
		cmocka_unit_test(test_std_mean),        cmocka_unit_test(test_other_means_stay),
		cmocka_unit_test(test_cast_behind),     cmocka_unit_test(test_means_along_the_wrong_axis),
		cmocka_unit_test(test_narrowing_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
