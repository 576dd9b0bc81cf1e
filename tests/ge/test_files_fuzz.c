/*
 * test_files_fuzz.c - models that load and lie, and models with bytes changed: messages, never a crash
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * RSTD_TEST_SCALE is a percentage of the number of changed models.
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
#include <time.h>

#include "ge_ir.pb-c.h"
#include "operator.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CASES        4000
#define SECONDS      30 /* and no more, on a slow machine */
#define MOST_FEEDS   16

struct bytes {
	unsigned char *at;
	size_t size;
};

/* ---- Seeds ------------------------------------------------------------------------------------------------------- */

/* (x - mean) / std over the rows of x, the mean by way of BroadcastTo. */
static rstd_graph *make_norm(struct maker *m)
{
	rstd_op *x = make_data(m, "x"), *axes = make_int64s(m, "axes", DIMS(1));
	rstd_op *mean = make(m, "ReduceMean", "mean", x, axes);
	rstd_op *wide = make(m, "BroadcastTo", "wide", mean, make_int64s(m, "shape", DIMS(2, 4)));
	rstd_op *std = make(m, "ReduceStdWithMean", "std", x, wide);
	rstd_op *y = make(m, "Mul", "y", make(m, "Sub", "centred", x, wide), std);
	rstd_op *outputs[] = { y, mean };
	rstd_graph *graph;

	set_out_desc(x, 0, RSTD_DT_FLOAT, DIMS(2, 4));
	set_bool(mean, "keep_dims", true);
	set_bool(std, "keepdim", true);
	set_bool(std, "invert", true);
	set_ints(std, "dim", DIMS(1));
	assert_int_equal(rstd_op_add_control_input(y, axes), RSTD_GE_SUCCESS);
	graph = finish(m, outputs, 2);
	assert_int_equal(rstd_graph_set_targets(graph, &wide, 1), RSTD_GE_SUCCESS);
	return graph;
}

/* Shapes that change, casts, two feeds. */
static rstd_graph *make_shapes(struct maker *m)
{
	rstd_op *x = make_data(m, "x"), *z = make_data(m, "z");
	rstd_op *half = make(m, "Cast", "half", x, NULL), *wide = make(m, "Unsqueeze", "wide", half, NULL);
	rstd_op *flat = make(m, "Reshape", "flat", wide, make_int64s(m, "shape", DIMS(4, -1)));
	rstd_op *stats = make(m, "ReduceStdV2", "stats", flat, NULL);
	rstd_op *sum = make(m, "Add", "sum", make(m, "Squeeze", "thin", wide, NULL), z);
	rstd_op *outputs[] = { stats, sum };

	set_out_desc(x, 0, RSTD_DT_FLOAT, DIMS(2, 4));
	set_out_desc(z, 0, RSTD_DT_FLOAT16, DIMS(4));
	set_int(half, "dst_type", RSTD_DT_FLOAT16);
	set_ints(wide, "axes", DIMS(0));
	set_ints(stats, "dim", DIMS(0));
	return finish(m, outputs, 2);
}

typedef rstd_graph *maker_function(struct maker *m);

static struct bytes bytes_of(maker_function *make_it)
{
	struct maker m = { 0 };
	rstd_graph *graph = make_it(&m);
	struct bytes bytes;
	void *at;

	assert_int_equal(rstd_graph_save_memory(graph, &at, &bytes.size), RSTD_GE_SUCCESS);
	bytes.at = at;
	drop(&m);
	return bytes;
}

/* ---- What a program does with a model ------------------------------------------------------------------------------ */

/* Fills in the feed of a Data node, where its desc is small and all known. */
static bool feed_of(const rstd_op *data, rstd_ge_tensor *to)
{
	static unsigned char zeros[65536];
	size_t size;

	*to = (rstd_ge_tensor){ RSTD_DESC_DEFAULT, zeros, 0 };
	if (rstd_op_get_output_desc(data, 0, &to->desc) != RSTD_GE_SUCCESS || rstd_ge_dtype_size(to->desc.dtype) < 0 ||
	    rstd_ge_dtype_size(to->desc.dtype) > 1000)
		return false;
	size = (size_t)rstd_ge_dtype_size(to->desc.dtype);
	for (size_t i = 0; i < to->desc.rank; i++) {
		if (to->desc.dims[i] < 0 || to->desc.dims[i] > 1024)
			return false;
		size *= (size_t)to->desc.dims[i];
		if (size > sizeof(zeros))
			return false;
	}
	to->size = size;
	return true;
}

/* Whether running is a matter of a moment: every output that inference knows is small. */
static bool is_small(const rstd_graph *graph)
{
	for (size_t i = 0; i < rstd_graph_node_count(graph); i++) {
		const rstd_op *op = rstd_node_op(rstd_graph_node_at(graph, i));

		for (size_t k = 0; k < rstd_op_output_count(op); k++) {
			rstd_desc desc;
			double count = 1;

			assert_int_equal(rstd_op_get_output_desc(op, k, &desc), RSTD_GE_SUCCESS);
			for (size_t d = 0; d < desc.rank; d++)
				count *= (double)desc.dims[d];
			if (count < 0 || count > 1e6)
				return false;
		}
	}
	return true;
}

/* Runs it; whether that worked. Without success there are errors. */
static bool run(rstd_session *session, rstd_graph *graph)
{
	rstd_ge_tensor feeds[MOST_FEEDS];
	rstd_results *results = NULL;
	size_t count = 0;
	bool worked;

	for (size_t i = 0; i < rstd_graph_node_count(graph) && count < MOST_FEEDS; i++) {
		const rstd_op *op = rstd_node_op(rstd_graph_node_at(graph, i));

		if (strcmp(rstd_op_type(op), "Data") == 0 && feed_of(op, &feeds[count]))
			count++;
	}
	(void)rstd_ge_take_errors();
	worked = rstd_session_add_graph(session, 0, graph, NULL, 0) == RSTD_GE_SUCCESS &&
	         rstd_session_run(session, 0, feeds, count, &results) == RSTD_GE_SUCCESS;
	if (worked == (*rstd_ge_take_errors() != '\0'))
		fail_msg("%s", worked ? "a run that worked left errors" : "a run failed without a word");
	rstd_results_free(results);
	(void)rstd_session_remove_graph(session, 0);
	(void)rstd_ge_take_errors();
	return worked;
}

static void dump_all(const rstd_graph *graph)
{
	for (int format = RSTD_DUMP_ONNX; format <= RSTD_DUMP_READABLE; format++) {
		char *text;
		size_t size;

		assert_int_equal(rstd_graph_dump_memory(graph, (rstd_dump_format)format, &text, &size),
		                 RSTD_GE_SUCCESS);
		assert_int_equal(text[size], '\0');
		rstd_graph_free(text);
	}
}

/* What loads can be saved, and loaded again, and saved to the same bytes. */
static void save_again(const rstd_graph *graph)
{
	rstd_graph *loaded = rstd_graph_new("");
	void *first, *second;
	size_t first_size, second_size;

	assert_int_equal(rstd_graph_save_memory(graph, &first, &first_size), RSTD_GE_SUCCESS);
	if (rstd_graph_load_memory(loaded, first, first_size) != RSTD_GE_SUCCESS)
		fail_msg("what was saved does not load: %s", rstd_ge_take_errors());
	assert_int_equal(rstd_graph_save_memory(loaded, &second, &second_size), RSTD_GE_SUCCESS);
	assert_int_equal(first_size, second_size);
	assert_memory_equal(first, second, first_size);
	rstd_graph_free(first);
	rstd_graph_free(second);
	rstd_graph_unref(loaded);
}

/* ---- Models that lie --------------------------------------------------------------------------------------------- */

static Ge__Proto__OpDef *find_op(Ge__Proto__ModelDef *model, const char *name)
{
	for (size_t i = 0; i < model->graph[0]->n_op; i++)
		if (strcmp(model->graph[0]->op[i]->name, name) == 0)
			return model->graph[0]->op[i];
	fail_msg("no operator is named %s", name);
	return NULL;
}

static Ge__Proto__AttrDef *find_attr(Ge__Proto__OpDef *op, const char *name)
{
	for (size_t i = 0; i < op->n_attr; i++)
		if (strcmp(op->attr[i]->key, name) == 0)
			return op->attr[i]->value;
	fail_msg("%s has no attribute %s", op->name, name);
	return NULL;
}

static Ge__Proto__TensorDef *constant(Ge__Proto__ModelDef *model, const char *name)
{
	return find_attr(find_op(model, name), "value")->t;
}

static void set_dims(Ge__Proto__ShapeDef *shape, size_t count, int64_t dim)
{
	free(shape->dim);
	shape->dim = malloc((count + 1) * sizeof(*shape->dim));
	assert_non_null(shape->dim);
	shape->n_dim = count;
	for (size_t i = 0; i < count; i++)
		shape->dim[i] = dim;
}

static void short_constant(Ge__Proto__ModelDef *model)
{
	constant(model, "axes")->data.len = 7;
}

static void empty_constant(Ge__Proto__ModelDef *model)
{
	constant(model, "axes")->data.len = 0;
}

static void negative_constant(Ge__Proto__ModelDef *model)
{
	set_dims(constant(model, "axes")->desc->shape, 1, -1);
}

static void huge_constant(Ge__Proto__ModelDef *model)
{
	set_dims(constant(model, "axes")->desc->shape, 3, INT64_C(1) << 31);
}

static void constant_of_many_axes(Ge__Proto__ModelDef *model)
{
	set_dims(constant(model, "axes")->desc->shape, 1000, 1);
}

static void constant_of_another_type(Ge__Proto__ModelDef *model)
{
	constant(model, "axes")->desc->dtype = GE__PROTO__DATA_TYPE__DT_STRING;
}

static void constant_without_value(Ge__Proto__ModelDef *model)
{
	Ge__Proto__AttrDef *value = find_attr(find_op(model, "axes"), "value");

	ge__proto__tensor_def__free_unpacked(value->t, NULL);
	value->value_case = GE__PROTO__ATTR_DEF__VALUE__NOT_SET;
}

static void constant_of_another_kind(Ge__Proto__ModelDef *model)
{
	Ge__Proto__AttrDef *value = find_attr(find_op(model, "axes"), "value");

	ge__proto__tensor_def__free_unpacked(value->t, NULL);
	value->value_case = GE__PROTO__ATTR_DEF__VALUE_I;
	value->i = 1;
}

static void axis_out_of_range(Ge__Proto__ModelDef *model)
{
	constant(model, "axes")->data.data[0] = 2;
}

static void shape_with_a_huge_length(Ge__Proto__ModelDef *model)
{
	memset(constant(model, "shape")->data.data, 0x7f, 8);
}

static void feed_of_many_axes(Ge__Proto__ModelDef *model)
{
	set_dims(find_op(model, "x")->output_desc[0]->shape, 1000, 1);
}

static void cycle(Ge__Proto__ModelDef *model)
{
	free(find_op(model, "mean")->input[0]);
	find_op(model, "mean")->input[0] = strdup("y:0");
}

static void loop(Ge__Proto__ModelDef *model)
{
	free(find_op(model, "mean")->input[0]);
	find_op(model, "mean")->input[0] = strdup("mean:0");
}

static void missing_input(Ge__Proto__ModelDef *model)
{
	find_op(model, "std")->input[1][0] = '\0';
}

static void attribute_of_another_kind(Ge__Proto__ModelDef *model)
{
	Ge__Proto__AttrDef *value = find_attr(find_op(model, "std"), "dim");

	protobuf_c_message_free_unpacked(&value->list->base, NULL);
	value->value_case = GE__PROTO__ATTR_DEF__VALUE_F;
	value->f = 1;
}

static void huge_axis(Ge__Proto__ModelDef *model)
{
	find_attr(find_op(model, "std"), "dim")->list->i[0] = INT64_MIN;
}

static void unknown_type(Ge__Proto__ModelDef *model)
{
	find_op(model, "std")->type[0] = 'X';
}

static void another_type(Ge__Proto__ModelDef *model)
{
	strcpy(find_op(model, "std")->type, "Cast"); /* without a dst_type */
}

static void cast_to_nothing(Ge__Proto__ModelDef *model)
{
	find_attr(find_op(model, "half"), "dst_type")->i = INT64_C(1) << 40;
}

static void test_liars(void **state)
{
	static const struct {
		maker_function *make_it;
		void (*spoil)(Ge__Proto__ModelDef *model);
	} rows[] = {
		{ make_norm, short_constant },
		{ make_norm, empty_constant },
		{ make_norm, negative_constant },
		{ make_norm, huge_constant },
		{ make_norm, constant_of_many_axes },
		{ make_norm, constant_of_another_type },
		{ make_norm, constant_without_value },
		{ make_norm, constant_of_another_kind },
		{ make_norm, axis_out_of_range },
		{ make_norm, shape_with_a_huge_length },
		{ make_norm, feed_of_many_axes },
		{ make_norm, cycle },
		{ make_norm, loop },
		{ make_norm, missing_input },
		{ make_norm, attribute_of_another_kind },
		{ make_norm, huge_axis },
		{ make_norm, unknown_type },
		{ make_norm, another_type },
		{ make_shapes, cast_to_nothing },
	};
	rstd_session *session = open_session(NULL, NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct bytes bytes = bytes_of(rows[i].make_it);
		Ge__Proto__ModelDef *model = ge__proto__model_def__unpack(NULL, bytes.size, bytes.at);
		rstd_graph *graph = rstd_graph_new("");
		uint8_t *packed;
		size_t size;

		assert_non_null(model);
		rows[i].spoil(model);
		size = ge__proto__model_def__get_packed_size(model);
		packed = malloc(size);
		assert_non_null(packed);
		(void)ge__proto__model_def__pack(model, packed);
		ge__proto__model_def__free_unpacked(model, NULL);
		if (rstd_graph_load_memory(graph, packed, size) != RSTD_GE_SUCCESS)
			fail_msg("row %zu does not load: %s", i, rstd_ge_take_errors());
		if (run(session, graph))
			fail_msg("row %zu runs", i);
		dump_all(graph);
		save_again(graph);
		rstd_graph_unref(graph);
		free(packed);
		free(bytes.at);
	}
	rstd_session_destroy(session);
}

/* What was not changed runs. */
static void test_honest(void **state)
{
	static maker_function *const makers[] = { make_norm, make_shapes };
	rstd_session *session = open_session(NULL, NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(makers); i++) {
		const struct bytes bytes = bytes_of(makers[i]);
		rstd_graph *graph = rstd_graph_new("");

		assert_int_equal(rstd_graph_load_memory(graph, bytes.at, bytes.size), RSTD_GE_SUCCESS);
		assert_true(run(session, graph));
		save_again(graph);
		rstd_graph_unref(graph);
		free(bytes.at);
	}
	rstd_session_destroy(session);
}

/* ---- Models with bytes changed ------------------------------------------------------------------------------------ */

static size_t below(uint64_t *random, size_t limit)
{
	return limit == 0 ? 0 : next_random(random) % limit;
}

/* One change: a bit, a byte, a run of bytes that goes, comes twice, or is copied over another. */
static void change(struct bytes *bytes, uint64_t *random)
{
	const size_t at = below(random, bytes->size), run = 1 + below(random, 16);
	const size_t from = below(random, bytes->size), room = bytes->size - (at > from ? at : from);
	const size_t length = run < room ? run : room;

	switch (below(random, 5)) {
	case 0:
		bytes->at[at] ^= (unsigned char)(1 << below(random, 8));
		return;
	case 1:
		bytes->at[at] = (unsigned char)next_random(random);
		return;
	case 2:
		memmove(bytes->at + at, bytes->at + at + length, bytes->size - at - length);
		bytes->size -= length;
		return;
	case 3:
		memmove(bytes->at + at + length, bytes->at + at, bytes->size - at);
		bytes->size += length;
		return;
	default:
		memmove(bytes->at + at, bytes->at + from, length);
		return;
	}
}

static bool try_changed(rstd_session *session, const struct bytes *seed, uint64_t *random)
{
	const size_t changes = 1 + below(random, 4);
	struct bytes bytes = { malloc(seed->size + 64), seed->size };
	rstd_graph *graph = rstd_graph_new("g");
	bool loaded;

	assert_non_null(bytes.at);
	memcpy(bytes.at, seed->at, seed->size);
	for (size_t i = 0; i < changes; i++)
		change(&bytes, random);
	bytes.at = realloc(bytes.at, bytes.size + 1);
	(void)rstd_ge_take_errors();
	loaded = rstd_graph_load_memory(graph, bytes.at, bytes.size) == RSTD_GE_SUCCESS;
	if (loaded == (*rstd_ge_take_errors() != '\0'))
		fail_msg("%s", loaded ? "a model that loads left errors" : "a model was refused without a word");
	if (loaded) {
		dump_all(graph);
		save_again(graph);
		if (rstd_graph_infer(graph) == RSTD_GE_SUCCESS && is_small(graph))
			(void)run(session, graph);
	}
	rstd_graph_unref(graph);
	free(bytes.at);
	return loaded;
}

static void test_changed(void **state)
{
	static maker_function *const makers[] = { make_norm, make_shapes };
	const uint64_t cases = CASES * test_number("RSTD_TEST_SCALE", 100) / 100;
	const time_t start = time(NULL);
	rstd_session *session = open_session(NULL, NULL);
	struct bytes seeds[2];
	uint64_t random = 5, done, loaded = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(makers); i++)
		seeds[i] = bytes_of(makers[i]);
	for (done = 0; done < cases && time(NULL) - start < SECONDS; done++)
		loaded += try_changed(session, &seeds[done % COUNT(seeds)], &random);
	print_message("%llu changed models, %llu of them loaded\n", (unsigned long long)done,
	              (unsigned long long)loaded);
	assert_in_range(loaded, 1, done - 1);
	for (size_t i = 0; i < COUNT(makers); i++)
		free(seeds[i].at);
	rstd_session_destroy(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest),
		cmocka_unit_test(test_liars),
		cmocka_unit_test(test_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
