/*
 * test_engine_infer.c - the shape and dtype rule of every operator, case by case, and its refusals
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
#include <string.h>

#include "support.h"

#define ANY_RANK DIMS(-2)

/* Infers an operator whose input 0 has this desc; the output must be y, or the error must say `error`. */
static void check(rstd_op *op, int32_t dtype, struct dims x, const char *error, struct dims y)
{
	rstd_desc desc;

	set_in_desc(op, 0, dtype, x);
	if (error) {
		assert_int_equal(rstd_op_infer(op), RSTD_GE_FAILED);
		expect_error(error);
		return;
	}
	if (rstd_op_infer(op) != RSTD_GE_SUCCESS)
		fail_msg("%s: %s", rstd_op_type(op), rstd_ge_take_errors());
	assert_int_equal(rstd_op_get_output_desc(op, 0, &desc), RSTD_GE_SUCCESS);
	assert_int_equal(desc.rank, y.count);
	for (size_t i = 0; i < y.count; i++)
		assert_int_equal(desc.dims[i], y.at[i]);
}

static int32_t output_dtype(rstd_op *op)
{
	rstd_desc desc;

	assert_int_equal(rstd_op_get_output_desc(op, 0, &desc), RSTD_GE_SUCCESS);
	return desc.dtype;
}

/* ---- ReduceStdWithMean: the table of CANN's own unit tests ------------------------------------------------------- */

static void test_reduce_std_with_mean(void **state)
{
	static const struct {
		int32_t dtype;
		struct dims x, dim;
		bool keepdim;
		const char *error;
		struct dims y;
	} cases[] = {
		{ RSTD_DT_FLOAT, { 2, { 4, 8 } }, { 1, { 1 } }, false, NULL, { 1, { 4 } } },
		{ RSTD_DT_FLOAT, { 2, { 4, 8 } }, { 1, { 1 } }, true, NULL, { 2, { 4, 1 } } },
		{ RSTD_DT_FLOAT16, { 2, { 4, 8 } }, { 0, { 0 } }, false, NULL, { 0, { 0 } } },
		{ RSTD_DT_BF16, { 2, { 4, 8 } }, { 1, { -1 } }, false, NULL, { 1, { 4 } } },
		{ RSTD_DT_FLOAT, { 3, { 2, 3, 4 } }, { 2, { 0, 2 } }, true, NULL, { 3, { 1, 3, 1 } } },
		{ RSTD_DT_FLOAT, { 1, { 8 } }, { 1, { 0 } }, false, NULL, { 0, { 0 } } },
		{ RSTD_DT_FLOAT, { 0, { 0 } }, { 0, { 0 } }, false, NULL, { 0, { 0 } } },
		{ RSTD_DT_FLOAT, { 0, { 0 } }, { 0, { 0 } }, true, NULL, { 1, { 1 } } },
		{ RSTD_DT_FLOAT, { 0, { 0 } }, { 1, { 5 } }, false, NULL, { 0, { 0 } } }, /* looked at when it runs */
		{ RSTD_DT_FLOAT, { 1, { -2 } }, { 1, { 0 } }, false, NULL, { 1, { -2 } } },
		{ RSTD_DT_FLOAT, { 1, { -2 } }, { 1, { 77 } }, true, NULL, { 1, { -2 } } },
		{ RSTD_DT_FLOAT, { 2, { -1, 8 } }, { 1, { 1 } }, false, NULL, { 1, { -1 } } },
		{ RSTD_DT_FLOAT, { 2, { -1, 8 } }, { 1, { 0 } }, true, NULL, { 2, { 1, 8 } } },
		{ RSTD_DT_FLOAT, { 2, { 4, 8 } }, { 1, { 2 } }, false, "dim[0]=2 out of range [-2, 2)", { 0, { 0 } } },
		{ RSTD_DT_FLOAT,
		  { 2, { 4, 8 } },
		  { 1, { -3 } },
		  false,
		  "dim[0]=-3 out of range [-2, 2)",
		  { 0, { 0 } } },
		{ RSTD_DT_FLOAT, { 1, { 4 } }, { 1, { 1 } }, false, "dim[0]=1 out of range [-1, 1)", { 0, { 0 } } },
		{ RSTD_DT_FLOAT, { 2, { 4, 8 } }, { 2, { 1, -1 } }, false, "duplicate dim -1 (idx=1)", { 0, { 0 } } },
		{ RSTD_DT_FLOAT,
		  { 9, { 1, 1, 1, 1, 1, 1, 1, 1, 2 } },
		  { 1, { 8 } },
		  false,
		  "xRank=9 exceeds max supported rank 8",
		  { 0, { 0 } } },
		{ RSTD_DT_INT32, { 2, { 4, 8 } }, { 1, { 1 } }, false, "input x has dtype DT_INT32 (3)", { 0, { 0 } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct maker m = { 0 };
		rstd_op *op = make(&m, "ReduceStdWithMean", "rsm", NULL, NULL);

		set_ints(op, "dim", cases[i].dim);
		set_bool(op, "keepdim", cases[i].keepdim);
		set_in_desc(op, 1, cases[i].dtype, cases[i].x);
		check(op, cases[i].dtype, cases[i].x, cases[i].error, cases[i].y);
		if (!cases[i].error)
			assert_int_equal(output_dtype(op), cases[i].dtype);
		drop(&m);
	}
}

static void test_reduce_std_with_mean_messages(void **state)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, "ReduceStdWithMean", "rsm", NULL, NULL);

	(void)state;
	set_ints(op, "dim", DIMS(7));
	set_in_desc(op, 0, RSTD_DT_FLOAT, DIMS(4, 8));
	assert_int_equal(rstd_op_infer(op), RSTD_GE_FAILED);
	expect_error("Call InferShapeAndType for node:rsm(ReduceStdWithMean) failed");
	drop(&m);
}

/* ---- Its neighbours ---------------------------------------------------------------------------------------------- */

static void test_std_and_var(void **state)
{
	static const char *const types[] = { "ReduceStdV2", "ReduceVar" };
	rstd_desc mean;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct maker m = { 0 };
		rstd_op *op = make(&m, types[i], "op", NULL, NULL);

		set_ints(op, "dim", DIMS(1, -1, 1)); /* repeats are allowed */
		check(op, RSTD_DT_FLOAT16, DIMS(4, 8), NULL, DIMS(4));
		set_bool(op, "keepdim", true);
		check(op, RSTD_DT_FLOAT16, DIMS(4, 8), NULL, DIMS(4, 1));
		assert_int_equal(rstd_op_get_output_desc(op, 1, &mean), RSTD_GE_SUCCESS);
		assert_int_equal(mean.rank, 2);
		assert_int_equal(mean.dtype, RSTD_DT_FLOAT16);
		check(op, RSTD_DT_FLOAT, SCALAR, NULL, SCALAR); /* a scalar stays one */
		check(op, RSTD_DT_FLOAT, DIMS(4), "dim[0]=1 out of range [-1, 1)", SCALAR);
		drop(&m);
	}
}

static void test_std_update(void **state)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, "ReduceStdV2Update", "op", NULL, NULL);

	(void)state;
	check(op, RSTD_DT_FLOAT, DIMS(4, 8), "attribute dim is required and has no value", SCALAR);
	set_ints(op, "dim", DIMS(1));
	check(op, RSTD_DT_FLOAT, DIMS(4, 8), NULL, DIMS(4));
	check(op, RSTD_DT_FLOAT, DIMS(4), "dim[0]=1 out of range [-1, 1)", SCALAR);
	drop(&m);
}

static void reduce_case(const char *type, struct dims x, const struct dims *axes, int keep, int noop, const char *error,
                        struct dims y)
{
	struct maker m = { 0 };
	rstd_op *values = axes ? make_int64s(&m, "axes", *axes) : NULL;
	rstd_op *op = make(&m, type, "op", NULL, values);

	set_bool(op, "keep_dims", keep);
	if (noop >= 0)
		set_bool(op, "noop_with_empty_axes", noop);
	if (!axes)
		set_in_desc(op, 1, RSTD_DT_INT32, DIMS(1));
	check(op, RSTD_DT_FLOAT, x, error, y);
	drop(&m);
}

static void test_reduce_mean(void **state)
{
	static const char *const types[] = { "ReduceMean", "ReduceSum" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		reduce_case(types[i], DIMS(2, 3, 4), &DIMS(1), 0, -1, NULL, DIMS(2, 4));
		reduce_case(types[i], DIMS(2, 3, 4), &DIMS(0, -1, 0), 1, -1, NULL, DIMS(1, 3, 1));
		reduce_case(types[i], DIMS(2, 3), &SCALAR, 0, 1, NULL, DIMS(2, 3));
		reduce_case(types[i], DIMS(2, 3), &SCALAR, 0, 0, NULL, SCALAR);
		reduce_case(types[i], DIMS(2, 3), &SCALAR, 1, 0, NULL, DIMS(1, 1));
		reduce_case(types[i], DIMS(2, 3), &DIMS(2), 0, -1, "axes[0]=2 out of range [-2, 2)", SCALAR);
		reduce_case(types[i], DIMS(2, 3), NULL, 1, -1, NULL, DIMS(-1, -1));
		reduce_case(types[i], DIMS(2, 3), NULL, 0, -1, NULL, DIMS(-1));
		reduce_case(types[i], ANY_RANK, &DIMS(0), 0, -1, NULL, ANY_RANK);
		reduce_case(types[i], DIMS(-1, 3), &DIMS(1), 1, -1, NULL, DIMS(-1, 1));
		reduce_case(types[i], SCALAR, &SCALAR, 1, 0, NULL, SCALAR);
	}
}

static void test_reduce_with_attribute(void **state)
{
	struct maker m = { 0 };
	rstd_op *mean = make(&m, "ReduceMeanD", "mean", NULL, NULL), *sum = make(&m, "ReduceSumD", "sum", NULL, NULL);

	(void)state;
	check(mean, RSTD_DT_FLOAT, DIMS(2, 3), "attribute axes is required and has no value", SCALAR);
	set_ints(mean, "axes", DIMS(-1));
	set_ints(sum, "axes", SCALAR);
	check(mean, RSTD_DT_FLOAT, DIMS(2, 3), NULL, DIMS(2));
	check(sum, RSTD_DT_FLOAT, DIMS(2, 3), NULL, SCALAR);
	drop(&m);
}

static void broadcast_case(const char *type, struct dims x, const struct dims *shape, const char *error, struct dims y)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, type, "op", NULL, shape ? make_int64s(&m, "shape", *shape) : NULL);

	if (!shape)
		set_in_desc(op, 1, RSTD_DT_INT64, DIMS(3));
	check(op, RSTD_DT_FLOAT, x, error, y);
	drop(&m);
}

static void test_broadcast(void **state)
{
	static const char *const types[] = { "BroadcastTo", "Expand" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		broadcast_case(types[i], DIMS(2, 1), &DIMS(2, 4), NULL, DIMS(2, 4));
		broadcast_case(types[i], DIMS(3), &DIMS(-1, 2, -1), NULL, DIMS(1, 2, 3));
		broadcast_case(types[i], SCALAR, &DIMS(2, 2), NULL, DIMS(2, 2));
		broadcast_case(types[i], DIMS(1), &DIMS(0), NULL, DIMS(0));
		broadcast_case(types[i], DIMS(2, 3), &DIMS(3), "shape has 1 dims", SCALAR);
		broadcast_case(types[i], DIMS(2, 3), &DIMS(2, 4), "shape[1]=4 does not fit x", SCALAR);
		broadcast_case(types[i], DIMS(1, 3), &DIMS(-3, 3), "shape[0]=-3 does not fit x", SCALAR);
		broadcast_case(types[i], DIMS(2, 3), NULL, NULL, DIMS(-1, -1, -1));
		broadcast_case(types[i], DIMS(-1), &DIMS(5), NULL, DIMS(5));
		broadcast_case(types[i], ANY_RANK, &DIMS(5, 6), NULL, DIMS(5, 6));
	}
	broadcast_case("Expand", DIMS(2, 3), &DIMS(1, 3), NULL, DIMS(2, 3));
	broadcast_case("BroadcastTo", DIMS(2, 3), &DIMS(1, 3), "shape[0]=1 does not fit x", SCALAR);
}

static void test_broadcast_with_attribute(void **state)
{
	struct maker m = { 0 };
	rstd_op *to = make(&m, "BroadcastToD", "to", NULL, NULL), *expand = make(&m, "ExpandD", "expand", NULL, NULL);

	(void)state;
	set_ints(to, "shape", DIMS(4, 2));
	set_ints(expand, "shape", DIMS(1, 2));
	check(to, RSTD_DT_FLOAT, DIMS(2), NULL, DIMS(4, 2));
	check(expand, RSTD_DT_FLOAT, DIMS(4, 2), NULL, DIMS(4, 2));
	drop(&m);
}

static void test_unsqueeze(void **state)
{
	struct maker m = { 0 };
	rstd_op *attr = make(&m, "Unsqueeze", "a", NULL, NULL), *v2 = make(&m, "UnsqueezeV2", "b", NULL, NULL);
	rstd_op *v3 = make(&m, "UnsqueezeV3", "c", NULL, make_int64s(&m, "axes", DIMS(0)));
	rstd_op *dims = make(&m, "ExpandDims", "d", NULL, make_int64s(&m, "axis", DIMS(-1)));

	(void)state;
	set_ints(attr, "axes", DIMS(0, 2, -1));
	set_ints(v2, "axis", DIMS(1));
	check(attr, RSTD_DT_BOOL, DIMS(5, 6), NULL, DIMS(1, 5, 1, 6, 1));
	check(v2, RSTD_DT_FLOAT, DIMS(5, -1), NULL, DIMS(5, 1, -1));
	check(v3, RSTD_DT_FLOAT, DIMS(5), NULL, DIMS(1, 5));
	check(dims, RSTD_DT_FLOAT, DIMS(5), NULL, DIMS(5, 1));
	check(attr, RSTD_DT_FLOAT, ANY_RANK, NULL, ANY_RANK);
	set_ints(attr, "axes", DIMS(1, 1));
	check(attr, RSTD_DT_FLOAT, DIMS(5), "duplicate axes 1 (idx=1)", SCALAR);
	set_ints(attr, "axes", DIMS(3));
	check(attr, RSTD_DT_FLOAT, DIMS(5), "axes[0]=3 out of range [-2, 2)", SCALAR);
	drop(&m);
}

static void test_squeeze(void **state)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, "Squeeze", "a", NULL, NULL);
	rstd_op *v3 = make(&m, "SqueezeV3", "b", NULL, NULL);
	rstd_op *given = make(&m, "SqueezeV3", "c", NULL, make_int64s(&m, "axes", DIMS(0)));

	(void)state;
	check(op, RSTD_DT_FLOAT, DIMS(1, 5, 1), NULL, DIMS(5));
	check(v3, RSTD_DT_FLOAT, DIMS(1, 5, 1), NULL, DIMS(5));
	check(given, RSTD_DT_FLOAT, DIMS(1, 5, 1), NULL, DIMS(5, 1));
	check(op, RSTD_DT_FLOAT, DIMS(-1, 5), NULL, ANY_RANK);
	set_ints(op, "axis", DIMS(-1));
	check(op, RSTD_DT_FLOAT, DIMS(1, 5, 1), NULL, DIMS(1, 5));
	check(op, RSTD_DT_FLOAT, DIMS(1, -1), NULL, DIMS(1));
	check(op, RSTD_DT_FLOAT, DIMS(1, 5), "axis names dim 1, which is 5, must be 1", SCALAR);
	set_ints(op, "axis", DIMS(2));
	check(op, RSTD_DT_FLOAT, DIMS(1, 1), "axis[0]=2 out of range [-2, 2)", SCALAR);
	drop(&m);
}

static void reshape_case(struct dims x, struct dims shape, int64_t axis, int64_t num_axes, const char *error,
                         struct dims y)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, "Reshape", "op", NULL, make_int64s(&m, "shape", shape));

	set_int(op, "axis", axis);
	set_int(op, "num_axes", num_axes);
	check(op, RSTD_DT_FLOAT, x, error, y);
	drop(&m);
}

static void test_reshape(void **state)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, "Reshape", "op", NULL, NULL);

	(void)state;
	reshape_case(DIMS(2, 6), DIMS(3, -1), 0, -1, NULL, DIMS(3, 4));
	reshape_case(DIMS(2, 6), SCALAR, 0, -1, "shape holds 1 elements, x has 12", SCALAR);
	reshape_case(DIMS(1, 1), SCALAR, 0, -1, NULL, SCALAR);
	reshape_case(DIMS(0, 3), DIMS(5, 0), 0, -1, NULL, DIMS(5, 0));
	reshape_case(DIMS(2, 6), DIMS(5, -1), 0, -1, "shape holds 5 elements beside its -1, x has 12", SCALAR);
	reshape_case(DIMS(2, 6), DIMS(-1, -1), 0, -1, "shape has more than one -1, at 0 and 1", SCALAR);
	reshape_case(DIMS(2, 6), DIMS(-2, 3), 0, -1, "shape[0]=-2 must be at least -1", SCALAR);
	reshape_case(DIMS(2, -1), DIMS(3, -1), 0, -1, NULL, DIMS(3, -1));
	reshape_case(DIMS(2, 3, 4), DIMS(-1), 1, 2, NULL, DIMS(2, 12));
	reshape_case(DIMS(2, 3, 4), DIMS(1, 1), -1, 0, NULL, DIMS(2, 3, 4, 1, 1));
	reshape_case(DIMS(2, 3), DIMS(6), 3, -1, "attribute axis is 3, must be in [-3, 2]", SCALAR);
	set_in_desc(op, 1, RSTD_DT_INT64, DIMS(2));
	check(op, RSTD_DT_FLOAT, DIMS(2, 3), NULL, DIMS(-1, -1));
	drop(&m);
}

static void binary_case(const char *type, int32_t a, struct dims x1, int32_t b, struct dims x2, const char *error,
                        struct dims y)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, type, "op", NULL, NULL);

	set_in_desc(op, 1, b, x2);
	check(op, a, x1, error, y);
	drop(&m);
}

static void test_elementwise(void **state)
{
	static const char *const types[] = { "Add", "Sub", "Mul", "RealDiv" };
	const int32_t f = RSTD_DT_FLOAT, h = RSTD_DT_FLOAT16;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		binary_case(types[i], f, DIMS(2, 1, 3), f, DIMS(4, 1), NULL, DIMS(2, 4, 3));
		binary_case(types[i], f, SCALAR, f, DIMS(4, 1), NULL, DIMS(4, 1));
		binary_case(types[i], f, DIMS(-1, 3), f, DIMS(5, -1), NULL, DIMS(5, 3));
		binary_case(types[i], f, DIMS(-1), f, DIMS(1), NULL, DIMS(-1));
		binary_case(types[i], f, ANY_RANK, f, DIMS(1), NULL, ANY_RANK);
		binary_case(types[i], f, DIMS(0), f, DIMS(1), NULL, DIMS(0));
		binary_case(types[i], f, DIMS(2, 3), f, DIMS(2, 4), "dim 0 from the last is 3 in x1 and 4 in x2",
		            SCALAR);
		if (strcmp(types[i], "Mul") != 0)
			binary_case(types[i], f, DIMS(2), h, DIMS(2), "x2 dtype 1 != x1 dtype 0", SCALAR);
		binary_case(types[i], RSTD_DT_QINT8, DIMS(2), f, DIMS(2), "input x1 has dtype DT_QINT8", SCALAR);
	}
}

static void test_mul_promotes(void **state)
{
	static const int32_t cases[][3] = {
		{ RSTD_DT_FLOAT, RSTD_DT_FLOAT16, RSTD_DT_FLOAT }, { RSTD_DT_BF16, RSTD_DT_FLOAT, RSTD_DT_FLOAT },
		{ RSTD_DT_BF16, RSTD_DT_FLOAT16, RSTD_DT_FLOAT },  { RSTD_DT_INT8, RSTD_DT_UINT8, RSTD_DT_INT16 },
		{ RSTD_DT_INT8, RSTD_DT_UINT16, RSTD_DT_INT32 },   { RSTD_DT_INT32, RSTD_DT_INT64, RSTD_DT_INT64 },
		{ RSTD_DT_DOUBLE, RSTD_DT_FLOAT, RSTD_DT_DOUBLE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct maker m = { 0 };
		rstd_op *op = make(&m, "Mul", "op", NULL, NULL);

		set_in_desc(op, 1, cases[i][1], DIMS(2));
		check(op, cases[i][0], DIMS(2), NULL, DIMS(2));
		assert_int_equal(output_dtype(op), cases[i][2]);
		drop(&m);
	}
	binary_case("Mul", RSTD_DT_INT32, DIMS(2), RSTD_DT_FLOAT, DIMS(2), "have no dtype here that holds both",
	            SCALAR);
}

static void test_shape_keepers(void **state)
{
	static const char *const types[] = { "Identity", "Sqrt", "Rsqrt", "Data", "Muls", "Adds" };
	struct maker m = { 0 };
	rstd_op *cast = make(&m, "Cast", "cast", NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		rstd_op *op = make(&m, types[i], types[i], NULL, NULL);

		if (strcmp(types[i], "Muls") == 0 || strcmp(types[i], "Adds") == 0) {
			check(op, RSTD_DT_FLOAT, DIMS(2), "attribute value is required and has no value", SCALAR);
			set_float(op, "value", 2);
		}
		check(op, RSTD_DT_BF16, DIMS(2, -1), NULL, DIMS(2, -1));
		assert_int_equal(output_dtype(op), RSTD_DT_BF16);
		check(op, RSTD_DT_BF16, ANY_RANK, NULL, ANY_RANK);
	}
	check(cast, RSTD_DT_FLOAT, DIMS(2), "attribute dst_type is required", SCALAR);
	set_int(cast, "dst_type", RSTD_DT_INT32);
	check(cast, RSTD_DT_FLOAT, DIMS(2), NULL, DIMS(2));
	assert_int_equal(output_dtype(cast), RSTD_DT_INT32);
	set_int(cast, "dst_type", 99);
	check(cast, RSTD_DT_FLOAT, DIMS(2), "attribute dst_type is 99", SCALAR);
	drop(&m);
}

static void test_wrong_kind(void **state)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, "ReduceStdWithMean", "rsm", NULL, NULL);

	(void)state;
	set_int(op, "dim", 1);
	assert_int_equal(rstd_op_verify(op), RSTD_GE_FAILED);
	expect_error("attribute dim is a VT_INT, must be a VT_LIST_INT");
	assert_int_equal(rstd_op_verify(op), RSTD_GE_FAILED);
	expect_error("Verifying rsm failed");
	drop(&m);
}

/* ---- Types of others, and whole graphs --------------------------------------------------------------------------- */

static rstd_ge_status infer_twice(rstd_op *op, void *context)
{
	rstd_desc desc;

	++*(int *)context;
	(void)rstd_op_get_input_desc(op, 0, &desc);
	return *(int *)context > 1 ? RSTD_GE_FAILED : rstd_op_set_output_desc(op, 0, &desc);
}

static void test_registered_functions(void **state)
{
	static int calls;
	rstd_op *op = rstd_op_new("own", "TypeOfATest");

	(void)state;
	calls = 0;
	assert_int_equal(rstd_op_register_input(op, "x", RSTD_IR_REQUIRED, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_output(op, "y", RSTD_IR_REQUIRED, ""), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_infer(op), RSTD_GE_SUCCESS); /* nobody knows it: nothing happens */
	assert_int_equal(rstd_ge_register_functions("TypeOfATest", infer_twice, NULL, &calls), RSTD_GE_SUCCESS);
	check(op, RSTD_DT_INT8, DIMS(3, 4), NULL, DIMS(3, 4));
	check(op, RSTD_DT_INT8, DIMS(3, 4), "Call InferShapeAndType for node:own(TypeOfATest) failed", SCALAR);
	assert_int_equal(rstd_op_verify(op), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_register_attr(op, "must", "Int", true, NULL), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_verify(op), RSTD_GE_FAILED);
	expect_error("own(TypeOfATest): attribute must is required and has no value");
	rstd_op_unref(op);
}

static void test_whole_graph(void **state)
{
	struct maker m = { 0 };
	rstd_op *x = make_data(&m, "x"), *axes = make_int64s(&m, "axes", DIMS(1));
	rstd_op *mean = make(&m, "ReduceMean", "mean", x, axes), *root = make(&m, "Sqrt", "root", mean, NULL);
	rstd_graph *graph;
	rstd_desc desc;

	(void)state;
	set_in_desc(x, 0, RSTD_DT_BF16, DIMS(-1, 7)); /* said of the input alone */
	graph = finish(&m, &root, 1);
	assert_int_equal(rstd_graph_infer(graph), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_get_output_desc(root, 0, &desc), RSTD_GE_SUCCESS);
	assert_int_equal(desc.dtype, RSTD_DT_BF16);
	assert_int_equal(desc.rank, 1);
	assert_int_equal(desc.dims[0], -1);
	set_out_desc(x, 0, RSTD_DT_BF16, DIMS(7));
	assert_int_equal(rstd_graph_infer(graph), RSTD_GE_FAILED);
	expect_error("mean(ReduceMean): axes[0]=1 out of range [-1, 1)");
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reduce_std_with_mean),
		cmocka_unit_test(test_reduce_std_with_mean_messages),
		cmocka_unit_test(test_std_and_var),
		cmocka_unit_test(test_std_update),
		cmocka_unit_test(test_reduce_mean),
		cmocka_unit_test(test_reduce_with_attribute),
		cmocka_unit_test(test_broadcast),
		cmocka_unit_test(test_broadcast_with_attribute),
		cmocka_unit_test(test_unsqueeze),
		cmocka_unit_test(test_squeeze),
		cmocka_unit_test(test_reshape),
		cmocka_unit_test(test_elementwise),
		cmocka_unit_test(test_mul_promotes),
		cmocka_unit_test(test_shape_keepers),
		cmocka_unit_test(test_wrong_kind),
		cmocka_unit_test(test_registered_functions),
		cmocka_unit_test(test_whole_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
