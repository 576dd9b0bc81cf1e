/*
 * support.c - what the tests of the graph engine share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Graphs -------------------------------------------------------------------------------------------------- */

static void succeed(rstd_ge_status status, const char *what)
{
	if (status != RSTD_GE_SUCCESS)
		fail_msg("%s: status %u: %s", what, status, rstd_ge_take_errors());
}

rstd_op *make(struct maker *m, const char *type, const char *name, rstd_op *x1, rstd_op *x2)
{
	rstd_op *op = rstd_op_create(name, type);

	assert_non_null(op);
	assert_true(m->count < MOST_NODES);
	m->ops[m->count++] = op;
	if (x1)
		succeed(rstd_op_set_input_at(op, 0, x1, 0), name);
	if (x2)
		succeed(rstd_op_set_input_at(op, 1, x2, 0), name);
	return op;
}

rstd_op *make_data(struct maker *m, const char *name)
{
	rstd_op *op = make(m, "Data", name, NULL, NULL);

	set_int(op, "index", (int64_t)m->input_count);
	m->inputs[m->input_count++] = op;
	return op;
}

rstd_op *make_const(struct maker *m, const char *name, int32_t dtype, struct dims dims, const void *data)
{
	rstd_op *op = make(m, "Const", name, NULL, NULL);
	const rstd_ge_tensor tensor = feed(dtype, &dims, data);
	const rstd_value value = { .kind = RSTD_VALUE_TENSOR, .as.tensor = &tensor };

	succeed(rstd_attrs_set(rstd_op_attrs(op), "value", &value), name);
	return op;
}

rstd_op *make_int64s(struct maker *m, const char *name, struct dims values)
{
	return make_const(m, name, RSTD_DT_INT64, DIMS((int64_t)values.count), values.at);
}

void set_ints(rstd_op *op, const char *attr, struct dims values)
{
	const rstd_value value = { .kind = RSTD_VALUE_LIST_INT, .count = values.count, .as.ints = values.at };

	succeed(rstd_attrs_set(rstd_op_attrs(op), attr, &value), attr);
}

void set_int(rstd_op *op, const char *attr, int64_t number)
{
	const rstd_value value = { .kind = RSTD_VALUE_INT, .as.i = number };

	succeed(rstd_attrs_set(rstd_op_attrs(op), attr, &value), attr);
}

void set_bool(rstd_op *op, const char *attr, bool truth)
{
	const rstd_value value = { .kind = RSTD_VALUE_BOOL, .as.b = truth };

	succeed(rstd_attrs_set(rstd_op_attrs(op), attr, &value), attr);
}

void set_float(rstd_op *op, const char *attr, float number)
{
	const rstd_value value = { .kind = RSTD_VALUE_FLOAT, .as.f = number };

	succeed(rstd_attrs_set(rstd_op_attrs(op), attr, &value), attr);
}

static rstd_desc desc_of(int32_t dtype, const struct dims *dims)
{
	rstd_desc desc = RSTD_DESC_DEFAULT;

	desc.dtype = dtype;
	desc.rank = dims->count;
	desc.dims = dims->at;
	return desc;
}

void set_in_desc(rstd_op *op, size_t input, int32_t dtype, struct dims dims)
{
	const rstd_desc desc = desc_of(dtype, &dims);

	succeed(rstd_op_set_input_desc(op, input, &desc), "an input desc");
}

void set_out_desc(rstd_op *op, size_t output, int32_t dtype, struct dims dims)
{
	const rstd_desc desc = desc_of(dtype, &dims);

	succeed(rstd_op_set_output_desc(op, output, &desc), "an output desc");
}

rstd_graph *finish(struct maker *m, rstd_op *const *outputs, size_t count)
{
	rstd_graph_output list[8] = { { 0 } };

	m->graph = rstd_graph_new("test");
	assert_non_null(m->graph);
	assert_true(count <= 8);
	succeed(rstd_graph_set_inputs(m->graph, m->inputs, m->input_count), "inputs");
	for (size_t i = 0; i < count; i++)
		list[i].op = outputs[i];
	succeed(rstd_graph_set_outputs(m->graph, list, count), "outputs");
	return m->graph;
}

void drop(struct maker *m)
{
	for (size_t i = 0; i < m->count; i++)
		rstd_op_unref(m->ops[i]);
	rstd_graph_unref(m->graph);
	memset(m, 0, sizeof(*m));
}

size_t tensor_size(int32_t dtype, const struct dims *dims)
{
	size_t size = (size_t)rstd_ge_dtype_size(dtype);

	for (size_t i = 0; i < dims->count; i++)
		size *= (size_t)dims->at[i];
	return size;
}

rstd_ge_tensor feed(int32_t dtype, const struct dims *dims, const void *data)
{
	return (rstd_ge_tensor){ desc_of(dtype, dims), data, tensor_size(dtype, dims) };
}

/* ---- Running ------------------------------------------------------------------------------------------------- */

rstd_session *open_session(const char *key, const char *value)
{
	const rstd_option option = { key, value };
	rstd_session *session;

	succeed(rstd_ge_initialize(NULL, 0), "initialize");
	session = rstd_session_new(&option, key ? 1 : 0);
	assert_non_null(session);
	return session;
}

static void expect_bytes(const unsigned char *got, const unsigned char *expected, size_t size, size_t element)
{
	for (size_t i = 0; i < size; i += element) {
		uint64_t a = 0, b = 0;

		if (memcmp(got + i, expected + i, element) == 0)
			continue;
		memcpy(&a, got + i, element < 8 ? element : 8);
		memcpy(&b, expected + i, element < 8 ? element : 8);
		fail_msg("element %zu is %llx, must be %llx", i / element, (unsigned long long)a,
		         (unsigned long long)b);
	}
}

void expect_result(rstd_graph *graph, const rstd_ge_tensor *feeds, size_t count, int32_t dtype, struct dims dims,
                   const void *expected)
{
	rstd_session *session = open_session(NULL, NULL);
	rstd_results *results = NULL;
	rstd_ge_tensor tensor;

	succeed(rstd_session_add_graph_with_copy(session, 0, graph, NULL, 0), "add");
	succeed(rstd_session_run(session, 0, feeds, count, &results), "run");
	assert_true(rstd_results_get(results, 0, &tensor));
	assert_int_equal(tensor.desc.dtype, dtype);
	assert_int_equal(tensor.desc.rank, dims.count);
	for (size_t i = 0; i < dims.count; i++)
		assert_int_equal(tensor.desc.dims[i], dims.at[i]);
	assert_int_equal(tensor.size, tensor_size(dtype, &dims));
	expect_bytes(tensor.data, expected, tensor.size, (size_t)rstd_ge_dtype_size(dtype));
	rstd_results_free(results);
	rstd_session_destroy(session);
}

void expect_error(const char *text)
{
	const char *errors = rstd_ge_take_errors();

	if (!strstr(errors, text))
		fail_msg("the errors do not say \"%s\" but \"%s\"", text, errors);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------- */

rstd_dtype native_of(int32_t dtype)
{
	return dtype == RSTD_DT_FLOAT ? RSTD_F32 : dtype == RSTD_DT_FLOAT16 ? RSTD_F16 : RSTD_BF16;
}

uint32_t bits_of_mpfr(rstd_dtype dtype, const mpfr_t value)
{
	const long least = dtype_least(dtype), precision = dtype_precision(dtype);
	const double most = dtype == RSTD_F16 ? 65504 : dtype == RSTD_F32 ? 0x1.fffffep127 : 0x1.fep127;
	long last;
	mpfr_t scaled;
	double d;

	if (mpfr_zero_p(value))
		return mpfr_signbit(value) ? dtype_sign_bit(dtype) : 0;
	last = (long)mpfr_get_exp(value) - precision;
	if (last < least)
		last = least;
	if (last > 200)
		return dtype_inf(dtype) | (mpfr_signbit(value) ? dtype_sign_bit(dtype) : 0);
	mpfr_init2(scaled, mpfr_get_prec(value));
	mpfr_mul_2si(scaled, value, -last, MPFR_RNDN);
	mpfr_roundeven(scaled, scaled);
	d = ldexp(mpfr_get_d(scaled, MPFR_RNDN), (int)last);
	mpfr_clear(scaled);
	if (fabs(d) > most)
		return dtype_inf(dtype) | (d < 0 ? dtype_sign_bit(dtype) : 0);
	return bits_from_double(dtype, d);
}

uint64_t next_random(uint64_t *state)
{
	return splitmix64((*state)++);
}

uint32_t random_bits(rstd_dtype dtype, uint64_t *state, int spread)
{
	const uint64_t random = next_random(state);
	const int exponent = (int)(random >> 40) % (2 * spread + 1) - spread;
	const double significand = 1 + (double)(random & 0xFFFFFF) * 0x1p-24;

	return bits_from_double(dtype, ldexp(random >> 39 & 1 ? -significand : significand, exponent));
}
