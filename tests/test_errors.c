/*
 * test_errors.c - what is refused: its status, its message, and that nothing was written
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

/* ---- Messages ------------------------------------------------------------------------------------------------ */

/*
 * Fails unless status is as expected and the message starts with "argument: " or "argument is ", says what is allowed,
 * and contains all parts, a NULL-terminated list.
 */
static void check_message(rstd_status status, rstd_status expected, const char *argument, va_list parts)
{
	const char *message = rstd_last_error(), *part;
	const size_t length = strlen(argument);

	if (status != expected)
		fail_msg("status %d (%s) in place of %d; last message: %s", (int)status, rstd_status_string(status),
		         (int)expected, message);
	if (strncmp(message, argument, length) != 0 ||
	    (strncmp(message + length, ": ", 2) != 0 && strncmp(message + length, " is ", 4) != 0))
		fail_msg("\"%s\" does not start with the argument %s", message, argument);
	if (!strstr(message, "allowed") && !strstr(message, "required") && expected != RSTD_ERROR_FORMAT)
		fail_msg("\"%s\" does not say what is allowed", message);
	if (strchr(message, '\n') || message[strlen(message) - 1] == ' ')
		fail_msg("\"%s\" is not one line", message);
	while ((part = va_arg(parts, const char *)) != NULL)
		if (!strstr(message + length, part))
			fail_msg("\"%s\" does not contain \"%s\"", message, part);
}

/* A failed call without outputs to look at. */
static void refused(rstd_status status, rstd_status expected, const char *argument, ...)
{
	va_list parts;

	va_start(parts, argument);
	check_message(status, expected, argument, parts);
	va_end(parts);
}

/* ---- A call that can be spoiled ------------------------------------------------------------------------------- */

enum { ROOM = 64 }; /* elements of each buffer */

/* A valid call of an operator on x of shape [3, 4], f32, reduced over axis 1. */
struct call {
	struct test_case c;
	rstd_tensor x, mean, out[2];
	const rstd_tensor *x_at, *mean_at, *out_at[2]; /* may be set to NULL */
	float x_data[ROOM], mean_data[ROOM], out_data[2][ROOM];
};

static rstd_tensor f32_tensor(float *data, size_t rank, int64_t a, int64_t b)
{
	const int64_t shape[2] = { a, b };
	rstd_tensor t;

	assert_int_equal(rstd_tensor_contiguous(&t, data, RSTD_F32, rank, shape), RSTD_OK);
	return t;
}

static void call_make(struct call *f, enum case_op op)
{
	const int64_t outputs = op == OP_BATCH_NORM_STATS ? 4 : 3;
	size_t i;

	memset(f, 0, sizeof(*f));
	memset(f->out_data, OUTPUT_POISON, sizeof(f->out_data));
	f->c.op = op;
	f->c.dims[0] = 1;
	f->c.dim_count = 1;
	f->c.unbiased = true;
	f->c.correction = 1;
	f->c.epsilon = 0.5;
	for (i = 0; i < ROOM; i++)
		f->x_data[i] = (float)(i * i);
	f->x = f32_tensor(f->x_data, 2, 3, 4);
	f->mean = f32_tensor(f->mean_data, 2, 3, 4);
	f->x_at = &f->x;
	f->mean_at = op == OP_REDUCE_STD_WITH_MEAN ? &f->mean : NULL;
	for (i = 0; i < 2; i++) {
		f->out[i] = f32_tensor(f->out_data[i], 1, outputs, 0);
		f->out_at[i] = op == OP_STD_MEAN || op == OP_BATCH_NORM_STATS || i == 0 ? &f->out[i] : NULL;
	}
}

static void check_untouched(const struct call *f)
{
	const unsigned char *p = (const unsigned char *)f->out_data;
	size_t i;

	for (i = 0; i < sizeof(f->out_data); i++)
		assert_int_equal(p[i], OUTPUT_POISON);
	for (i = 0; i < ROOM; i++) {
		assert_true(f->x_data[i] == (float)(i * i));
		assert_true(f->mean_data[i] == 0);
	}
}

/* The one-shot call and the plan's constructor both refuse. */
static void refuses(const struct call *f, rstd_status expected, const char *argument, ...)
{
	rstd_plan *plan = (rstd_plan *)(uintptr_t)1;
	va_list parts;
	rstd_status status;

	va_start(parts, argument);
	status = operator_call(&f->c, f->x_at, f->mean_at, f->out_at);
	check_message(status, expected, argument, parts);
	va_end(parts);
	va_start(parts, argument);
	status = operator_plan(&plan, &f->c, f->x_at, f->mean_at, f->out_at);
	check_message(status, expected, argument, parts);
	va_end(parts);
	assert_null(plan);
	check_untouched(f);
}

/* What only data can show: the one-shot call and the run of a plan refuse. */
static void refuses_data(const struct call *f, rstd_status expected, const char *argument, ...)
{
	va_list parts;
	rstd_status status;
	bool intact;

	va_start(parts, argument);
	status = operator_call(&f->c, f->x_at, f->mean_at, f->out_at);
	check_message(status, expected, argument, parts);
	va_end(parts);
	va_start(parts, argument);
	status = operator_plan_and_run(&f->c, f->x_at, f->mean_at, f->out_at, &intact);
	check_message(status, expected, argument, parts);
	va_end(parts);
	assert_true(intact);
}

static void accepts(const struct call *f)
{
	bool intact;

	if (operator_call(&f->c, f->x_at, f->mean_at, f->out_at) != RSTD_OK)
		fail_msg("refused: %s", rstd_last_error());
	if (operator_plan_and_run(&f->c, f->x_at, f->mean_at, f->out_at, &intact) != RSTD_OK)
		fail_msg("refused by a plan: %s", rstd_last_error());
	assert_true(intact);
}

/* The name that output k of an operator has in messages. */
static const char *output_name(enum case_op op, size_t k)
{
	if (op == OP_REDUCE_STD_WITH_MEAN)
		return "y";
	if (op == OP_BATCH_NORM_STATS)
		return k ? "invstd" : "mean";
	return k ? "mean" : "std";
}

static size_t output_count(enum case_op op)
{
	return op == OP_STD_MEAN || op == OP_BATCH_NORM_STATS ? 2 : 1;
}

#define FOR_EACH_OP(op) for (op = OP_REDUCE_STD_WITH_MEAN; op <= OP_BATCH_NORM_STATS; op++)

/* ---- The operators ------------------------------------------------------------------------------------------- */

static void test_null_tensors(void **state)
{
	struct call f;
	enum case_op op;

	(void)state;
	FOR_EACH_OP(op)
	{
		call_make(&f, op);
		accepts(&f);
		call_make(&f, op);
		f.x_at = NULL;
		refuses(&f, RSTD_ERROR_NULL_POINTER, "x", "NULL", NULL);
	}
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.mean_at = NULL;
	refuses(&f, RSTD_ERROR_NULL_POINTER, "mean", "NULL", NULL);
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.out_at[0] = NULL;
	refuses(&f, RSTD_ERROR_NULL_POINTER, "y", "NULL", NULL);
	/* one of two outputs may be absent, but not both */
	for (op = OP_STD_MEAN; op <= OP_BATCH_NORM_STATS; op++) {
		call_make(&f, op);
		f.out_at[0] = NULL;
		accepts(&f);
		f.out_at[0] = &f.out[0];
		f.out_at[1] = NULL;
		accepts(&f);
		call_make(&f, op);
		f.out_at[0] = f.out_at[1] = NULL;
		refuses(&f, RSTD_ERROR_NULL_POINTER, op == OP_STD_MEAN ? "std" : "invstd", "NULL", "mean", NULL);
	}
}

static void test_null_data(void **state)
{
	struct call f;
	enum case_op op;
	size_t k;

	(void)state;
	FOR_EACH_OP(op)
	{
		call_make(&f, op);
		f.x.data = NULL;
		refuses_data(&f, RSTD_ERROR_NULL_POINTER, "x", "data", "NULL", NULL);
		for (k = 0; k < output_count(op); k++) {
			call_make(&f, op);
			f.out[k].data = NULL;
			refuses_data(&f, RSTD_ERROR_NULL_POINTER, output_name(op, k), "data", "NULL", NULL);
			check_untouched(&f);
		}
	}
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.mean.data = NULL;
	refuses_data(&f, RSTD_ERROR_NULL_POINTER, "mean", "data", "NULL", NULL);
	/* NULL is fine where there are no elements */
	call_make(&f, OP_STD_MEAN);
	f.x = f32_tensor(NULL, 2, 3, 0);
	accepts(&f);
	f.x = f32_tensor(NULL, 2, 0, 4);
	f.out[0] = f.out[1] = f32_tensor(NULL, 1, 0, 0);
	accepts(&f);
}

static void test_dtype(void **state)
{
	static const int bad[] = { 0, 4, -1, 99, 1 << 20 };
	struct call f;
	enum case_op op;
	char number[20];
	size_t b, k;

	(void)state;
	for (b = 0; b < sizeof(bad) / sizeof(*bad); b++) {
		snprintf(number, sizeof(number), "%d", bad[b]);
		FOR_EACH_OP(op)
		{
			call_make(&f, op);
			f.x.dtype = (rstd_dtype)bad[b];
			refuses(&f, RSTD_ERROR_DTYPE, "x", number, "RSTD_F32", "RSTD_F16", "RSTD_BF16", NULL);
			for (k = 0; k < output_count(op); k++) {
				call_make(&f, op);
				f.out[k].dtype = (rstd_dtype)bad[b];
				refuses(&f, RSTD_ERROR_DTYPE, output_name(op, k), number, NULL);
			}
		}
		call_make(&f, OP_REDUCE_STD_WITH_MEAN);
		f.mean.dtype = (rstd_dtype)bad[b];
		refuses(&f, RSTD_ERROR_DTYPE, "mean", number, NULL);
	}
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.mean.dtype = RSTD_F16;
	refuses(&f, RSTD_ERROR_DTYPE, "mean", "float16", "float32", NULL);
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.out[0].dtype = RSTD_BF16;
	refuses(&f, RSTD_ERROR_DTYPE, "y", "bfloat16", "float32", NULL);
	for (k = 0; k < 2; k++) {
		call_make(&f, OP_BATCH_NORM_STATS);
		f.out[k].dtype = RSTD_F16;
		refuses(&f, RSTD_ERROR_DTYPE, output_name(OP_BATCH_NORM_STATS, k), "float16", "float32", NULL);
	}
}

static void test_rank(void **state)
{
	static const size_t bad[] = { 9, 100, SIZE_MAX };
	struct call f;
	enum case_op op;
	char number[30];
	size_t b, k;

	(void)state;
	for (b = 0; b < sizeof(bad) / sizeof(*bad); b++) {
		snprintf(number, sizeof(number), "rank is %zu,", bad[b]);
		FOR_EACH_OP(op)
		{
			call_make(&f, op);
			f.x.rank = bad[b];
			refuses(&f, RSTD_ERROR_RANK, "x", number, "0 to 8", NULL);
			for (k = 0; k < output_count(op); k++) {
				call_make(&f, op);
				f.out[k].rank = bad[b];
				refuses(&f, RSTD_ERROR_RANK, output_name(op, k), number, "0 to 8", NULL);
			}
		}
		call_make(&f, OP_REDUCE_STD_WITH_MEAN);
		f.mean.rank = bad[b];
		refuses(&f, RSTD_ERROR_RANK, "mean", number, "0 to 8", NULL);
	}
	for (k = 0; k < 2; k++) {
		call_make(&f, OP_BATCH_NORM_STATS);
		f.x.rank = k;
		refuses(&f, RSTD_ERROR_RANK, "x", k ? "rank is 1" : "rank is 0", "2 to 8", NULL);
	}
}

static void test_shape(void **state)
{
	struct call f;
	enum case_op op;
	size_t k;

	(void)state;
	FOR_EACH_OP(op)
	{
		call_make(&f, op);
		f.x.shape[1] = -1;
		refuses(&f, RSTD_ERROR_SHAPE, "x", "axis 1", "-1", NULL);
		call_make(&f, op);
		f.x.shape[0] = INT64_MIN;
		refuses(&f, RSTD_ERROR_SHAPE, "x", "axis 0", "-9223372036854775808", NULL);
		for (k = 0; k < output_count(op); k++) {
			call_make(&f, op);
			f.out[k].shape[0] = 5;
			refuses(&f, RSTD_ERROR_SHAPE, output_name(op, k), "[5]",
			        op == OP_BATCH_NORM_STATS ? "[4]" : "[3]", NULL);
			f.out[k].shape[0] = -3;
			refuses(&f, RSTD_ERROR_SHAPE, output_name(op, k), "-3", NULL);
			call_make(&f, op);
			f.out[k] = f32_tensor(f.out_data[k], 0, 0, 0);
			refuses(&f, RSTD_ERROR_SHAPE, output_name(op, k), "[]", NULL);
			call_make(&f, op);
			f.out[k] = f32_tensor(f.out_data[k], 2, 3, 1); /* as with keepdim */
			refuses(&f, RSTD_ERROR_SHAPE, output_name(op, k), "[3, 1]", NULL);
			if (op == OP_BATCH_NORM_STATS)
				continue;
			call_make(&f, op);
			f.c.keepdim = true;
			refuses(&f, RSTD_ERROR_SHAPE, output_name(op, 0), "[3]", "[3, 1]", NULL);
		}
	}
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.mean.shape[1] = 1; /* would broadcast elsewhere; here strides of 0 say so */
	refuses(&f, RSTD_ERROR_SHAPE, "mean", "[3, 1]", "[3, 4]", NULL);
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.mean.rank = 1;
	refuses(&f, RSTD_ERROR_SHAPE, "mean", "[3]", "[3, 4]", NULL);
	call_make(&f, OP_BATCH_NORM_STATS);
	f.x.shape[1] = 0;
	f.out[0].shape[0] = f.out[1].shape[0] = 0;
	refuses(&f, RSTD_ERROR_SHAPE, "x", "channel", "0", NULL);
}

static void test_dims(void **state)
{
	static const struct {
		int64_t dims[3];
		size_t count;
		const char *says;
	} bad[] = {
		{ { 2 }, 1, "axis 2 " },
		{ { -3 }, 1, "axis -3 " },
		{ { 0, 7 }, 2, "axis 7 " },
		{ { INT64_MAX }, 1, "9223372036854775807" },
		{ { INT64_MIN }, 1, "-9223372036854775808" },
		{ { (int64_t)1 << 32 }, 1, "4294967296" },
	},
	  twice[] = {
		  { { 1, 1 }, 2, "axis 1 " },
		  { { 0, -2 }, 2, "axis 0 " },
		  { { -1, 0, 1 }, 3, "axis 1 " },
	  };
	struct call f;
	enum case_op op;
	size_t b;

	(void)state;
	for (op = OP_REDUCE_STD_WITH_MEAN; op < OP_BATCH_NORM_STATS; op++) {
		for (b = 0; b < sizeof(bad) / sizeof(*bad); b++) {
			call_make(&f, op);
			memcpy(f.c.dims, bad[b].dims, sizeof(bad[b].dims));
			f.c.dim_count = bad[b].count;
			refuses(&f, RSTD_ERROR_DIM, "dim", bad[b].says, "-2 to 1", NULL);
		}
		for (b = 0; b < sizeof(twice) / sizeof(*twice); b++) {
			call_make(&f, op);
			memcpy(f.c.dims, twice[b].dims, sizeof(twice[b].dims));
			f.c.dim_count = twice[b].count;
			refuses(&f, RSTD_ERROR_DIM, "dim", twice[b].says, "twice", NULL);
		}
		/* rank 0 has an axis 0, and no other */
		call_make(&f, op);
		f.x.rank = f.mean.rank = f.out[0].rank = f.out[1].rank = 0;
		f.c.dims[0] = 1;
		refuses(&f, RSTD_ERROR_DIM, "dim", "axis 1 ", "-1 to 0", NULL);
		f.c.dims[0] = -2;
		refuses(&f, RSTD_ERROR_DIM, "dim", "axis -2 ", "-1 to 0", NULL);
		f.c.dims[0] = 0;
		f.c.dims[1] = -1;
		f.c.dim_count = 2;
		refuses(&f, RSTD_ERROR_DIM, "dim", "axis 0 ", "twice", NULL);
		f.c.dim_count = 1;
		accepts(&f);
	}
}

static void test_null_dims(void **state)
{
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;
	rstd_plan *plan;
	struct call f;

	(void)state;
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	attrs.dim_count = 1;
	refused(rstd_reduce_std_with_mean(&f.x, &f.mean, &attrs, &f.out[0]), RSTD_ERROR_NULL_POINTER, "dim", "NULL",
	        NULL);
	refused(rstd_std_mean(&f.x, NULL, 1, 1, false, &f.out[0], NULL), RSTD_ERROR_NULL_POINTER, "dim", "NULL", NULL);
	refused(rstd_plan_reduce_std_with_mean(&plan, &f.x, &f.mean, &attrs, &f.out[0]), RSTD_ERROR_NULL_POINTER, "dim",
	        "NULL", NULL);
	refused(rstd_plan_std_mean(&plan, &f.x, NULL, 1, 1, false, &f.out[0], NULL), RSTD_ERROR_NULL_POINTER, "dim",
	        "NULL", NULL);
	check_untouched(&f);
	/* no attributes are the default ones: all axes */
	f.out[0].rank = 0;
	assert_int_equal(rstd_reduce_std_with_mean(&f.x, &f.mean, NULL, &f.out[0]), RSTD_OK);
}

static void test_correction(void **state)
{
	struct call f;
	enum case_op op;

	(void)state;
	for (op = OP_REDUCE_STD_WITH_MEAN; op < OP_BATCH_NORM_STATS; op++) {
		call_make(&f, op);
		f.c.correction = -1;
		refuses(&f, RSTD_ERROR_CORRECTION, "correction", "-1", "0", NULL);
		f.c.correction = INT64_MIN;
		refuses(&f, RSTD_ERROR_CORRECTION, "correction", "-9223372036854775808", "0", NULL);
		f.c.correction = INT64_MAX;
		accepts(&f);
	}
	/* also where it would not be used */
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.c.correction = -1;
	f.c.invert = true;
	refuses(&f, RSTD_ERROR_CORRECTION, "correction", "-1", NULL);
	f.c.invert = false;
	f.c.unbiased = false;
	refuses(&f, RSTD_ERROR_CORRECTION, "correction", "-1", NULL);
}

static void test_overflow(void **state)
{
	const int64_t large = (int64_t)1 << 32;
	struct call f;
	enum case_op op;

	(void)state;
	FOR_EACH_OP(op)
	{
		call_make(&f, op);
		f.x.shape[0] = f.x.shape[1] = f.mean.shape[0] = f.mean.shape[1] = large;
		f.x.strides[0] = f.x.strides[1] = 0;
		refuses(&f, RSTD_ERROR_OVERFLOW, "x", "4294967296", NULL);
		/* the elements can be counted, their addresses cannot */
		call_make(&f, op);
		f.x.strides[0] = INT64_MAX / 2;
		refuses(&f, RSTD_ERROR_OVERFLOW, "x", "strides", NULL);
		f.x.strides[0] = INT64_MIN;
		refuses(&f, RSTD_ERROR_OVERFLOW, "x", "strides", NULL);
		f.x.strides[0] = INT64_MIN / 8;
		refuses(&f, RSTD_ERROR_OVERFLOW, "x", "strides", NULL);
		call_make(&f, op);
		f.out[0].strides[0] = INT64_MAX;
		refuses(&f, RSTD_ERROR_OVERFLOW, output_name(op, 0), "strides", NULL);
	}
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.mean.strides[1] = INT64_MIN;
	refuses(&f, RSTD_ERROR_OVERFLOW, "mean", "strides", NULL);
	/* an empty input does not hide outputs that cannot be counted */
	call_make(&f, OP_STD);
	f.x.rank = 3;
	f.x.shape[0] = f.x.shape[2] = large;
	f.x.shape[1] = 0;
	f.out[0].rank = 2;
	f.out[0].shape[0] = f.out[0].shape[1] = large;
	refuses(&f, RSTD_ERROR_OVERFLOW, "std", "4294967296", NULL);
}

/* Strides of axes that are never walked mean nothing, whatever they are. */
static void test_unused_strides(void **state)
{
	static const int64_t strides[] = { INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_MAX / 2, 0, -1 };
	struct call f;
	enum case_op op;
	size_t s;

	(void)state;
	for (s = 0; s < sizeof(strides) / sizeof(*strides); s++) {
		FOR_EACH_OP(op)
		{
			call_make(&f, op); /* one row; or, for BatchNormStats, one channel */
			f.x.shape[op == OP_BATCH_NORM_STATS] = f.mean.shape[0] = 1;
			f.out[0].shape[0] = f.out[1].shape[0] = 1;
			f.x.strides[op == OP_BATCH_NORM_STATS] = f.mean.strides[0] = strides[s];
			f.out[0].strides[0] = f.out[1].strides[0] = strides[s];
			accepts(&f);
			call_make(&f, op); /* no elements, but outputs */
			f.x.shape[op != OP_BATCH_NORM_STATS] = f.mean.shape[1] = 0;
			f.x.strides[0] = f.x.strides[1] = f.mean.strides[0] = f.mean.strides[1] = strides[s];
			accepts(&f);
		}
	}
}

/* ---- Overlap ------------------------------------------------------------------------------------------------- */

static void test_output_overlaps_itself(void **state)
{
	static const struct {
		int64_t shape[2], strides[2];
		bool apart;
	} views[] = {
		{ { 2, 3 }, { 3, 2 }, true },  /* 0 2 4, 3 5 7: interleaved */
		{ { 2, 3 }, { 2, 1 }, false }, /* 0 1 2, 2 3 4 */
		{ { 2, 3 }, { 1, 2 }, true },  /* transposed */
		{ { 2, 3 }, { 1, 1 }, false },  { { 2, 3 }, { 0, 1 }, false },
		{ { 1, 3 }, { 0, 1 }, true }, /* the 0 is never used */
		{ { 2, 1 }, { 5, 0 }, true },   { { 3, 3 }, { 3, 2 }, true },
		{ { 3, 4 }, { 3, 2 }, false }, /* 6 is reached as 2 * 3 and as 3 * 2 */
		{ { 2, 3 }, { 4, 2 }, false },  { { 2, 3 }, { 5, 2 }, true },
		{ { 3, 2 }, { -3, 2 }, true },  { { 3, 4 }, { -2, 6 }, true },
		{ { 4, 4 }, { -2, 6 }, false }, /* 0 is reached as 6 - 6 too */
	};
	struct call f;
	size_t v, k;

	(void)state;
	for (v = 0; v < sizeof(views) / sizeof(*views); v++) {
		for (k = 0; k < 2; k++) {
			call_make(&f, OP_STD_MEAN);
			f.x.rank = 3;
			f.out[0] = f32_tensor(f.out_data[0], 2, views[v].shape[0], views[v].shape[1]);
			f.out[1] = f32_tensor(f.out_data[1], 2, views[v].shape[0], views[v].shape[1]);
			f.out[k].data = f.out_data[k] + ROOM / 2; /* room for negative strides */
			memcpy(f.x.shape, views[v].shape, sizeof(views[v].shape));
			f.x.shape[2] = 5;
			f.x.strides[0] = 15;
			f.x.strides[1] = 5;
			f.x.strides[2] = 1;
			f.c.dims[0] = 2;
			memcpy(f.out[k].strides, views[v].strides, sizeof(views[v].strides));
			if (views[v].apart)
				accepts(&f);
			else
				refuses(&f, RSTD_ERROR_OVERLAP, output_name(OP_STD_MEAN, k), "strides", NULL);
		}
	}
}

static void test_output_overlaps_input(void **state)
{
	struct call f;
	enum case_op op;
	size_t k;

	(void)state;
	FOR_EACH_OP(op)
	{
		for (k = 0; k < output_count(op); k++) {
			call_make(&f, op);
			f.out[k].data = f.x_data; /* the very start */
			refuses_data(&f, RSTD_ERROR_OVERLAP, output_name(op, k), "x", NULL);
			f.out[k].data = f.x_data + 11; /* the last element */
			refuses_data(&f, RSTD_ERROR_OVERLAP, output_name(op, k), "x", NULL);
			f.out[k].data = (unsigned char *)(f.x_data + 12) - 1; /* the last byte */
			refuses_data(&f, RSTD_ERROR_OVERLAP, output_name(op, k), "x", NULL);
			check_untouched(&f);
			f.out[k].data = f.x_data + 12; /* right behind */
			accepts(&f);
		}
	}
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	f.out[0].data = f.mean_data + 3;
	refuses_data(&f, RSTD_ERROR_OVERLAP, "y", "mean", NULL);
	f.mean.strides[0] = 16; /* in the gap between two rows of the mean */
	f.out[0].data = f.mean_data + 4;
	accepts(&f);
	f.out[0].strides[0] = 8; /* 4, 12 and 20, and row 1 is 16 to 19 */
	accepts(&f);
	f.out[0].strides[0] = 6; /* 4, 10 and 16 */
	refuses_data(&f, RSTD_ERROR_OVERLAP, "y", "mean", NULL);
}

static void test_outputs_overlap(void **state)
{
	struct call f;
	enum case_op op;

	(void)state;
	for (op = OP_STD_MEAN; op <= OP_BATCH_NORM_STATS; op++) {
		const char *const second = "mean", *const first = op == OP_STD_MEAN ? "std" : "invstd";

		call_make(&f, op);
		f.out[1].data = f.out[0].data;
		refuses_data(&f, RSTD_ERROR_OVERLAP, second, first, NULL);
		f.out[1].data = f.out_data[0] + 2;
		refuses_data(&f, RSTD_ERROR_OVERLAP, second, first, NULL);
		check_untouched(&f);
		f.out[0].strides[0] = f.out[1].strides[0] = 2;
		refuses_data(&f, RSTD_ERROR_OVERLAP, second, first, NULL);
		f.out[1].data = (unsigned char *)(f.out_data[0] + 1) + 1; /* one byte into the next element */
		refuses_data(&f, RSTD_ERROR_OVERLAP, second, first, NULL);
		check_untouched(&f);
		f.out[1].data = f.out_data[0] + 1; /* interleaved */
		accepts(&f);
	}
	/* a half in the gaps between floats */
	call_make(&f, OP_STD_MEAN);
	f.out[0].strides[0] = 2;
	f.out[1].dtype = RSTD_F16;
	f.out[1].strides[0] = 4;
	f.out[1].data = f.out_data[0] + 1;
	accepts(&f);
	f.out[1].strides[0] = 2;
	refuses_data(&f, RSTD_ERROR_OVERLAP, "mean", "std", NULL);
}

/* Whether a view of small strides reaches an element twice, or reaches one that is marked; marks what it reaches. */
static bool reaches_twice(const rstd_tensor *t, unsigned char *marks, size_t origin, unsigned char mark,
                          unsigned char refuse)
{
	int64_t index[RSTD_MAX_RANK] = { 0 }, at;
	bool twice = false;
	size_t a;

	for (;;) {
		at = (int64_t)origin;
		for (a = 0; a < t->rank; a++)
			at += index[a] * t->strides[a];
		twice |= (marks[at] & refuse) != 0;
		marks[at] |= mark;
		for (a = t->rank; a-- > 0;) {
			if (++index[a] < t->shape[a])
				break;
			index[a] = 0;
		}
		if (a == (size_t)-1)
			return twice;
	}
}

/* Random views within one buffer, against marks for every element: nothing wrong is let through, nothing right refused.
 */
static void test_overlap_by_marks(void **state)
{
	enum { BUFFER = 2000, MIDDLE = 1000 };
	static float buffer[BUFFER];
	static unsigned char marks[BUFFER];
	uint64_t random = 5;
	struct call f;
	bool self, with_x;
	size_t origin[2], rank, a, accepted = 0, refusals = 0;
	rstd_status status;
	int round;

	(void)state;
	for (round = 0; round < 20000; round++) {
		call_make(&f, OP_STD);
		random = splitmix64(random);
		rank = 1 + random % 3;
		f.x.rank = rank + 1;
		f.out[0].rank = rank;
		f.c.dims[0] = (int64_t)rank;
		for (a = 0; a <= rank; a++) {
			random = splitmix64(random);
			f.x.shape[a] = f.out[0].shape[a] = 1 + (int64_t)(random % 4);
			f.x.strides[a] = (int64_t)(random >> 8) % 25 - (random >> 16 & 1 ? 12 : 0);
			f.out[0].strides[a] = (int64_t)(random >> 24 & 0x1F) - (random >> 32 & 1 ? 15 : 0);
		}
		random = splitmix64(random);
		origin[0] = MIDDLE;
		origin[1] = MIDDLE - 60 + random % 120;
		f.x.data = buffer + origin[0];
		f.out[0].data = buffer + origin[1];
		memset(marks, 0, sizeof(marks));
		reaches_twice(&f.x, marks, origin[0], 1, 0);
		with_x = reaches_twice(&f.out[0], marks, origin[1], 0, 1);
		self = reaches_twice(&f.out[0], marks, origin[1], 2, 2);
		status = operator_call(&f.c, &f.x, NULL, f.out_at);
		if (status != (self || with_x ? RSTD_ERROR_OVERLAP : RSTD_OK))
			fail_msg("round %d: status %d, but overlap with itself is %d and with x %d", round, (int)status,
			         self, with_x);
		accepted += status == RSTD_OK;
		refusals += status != RSTD_OK;
	}
	/* both kinds occurred often */
	assert_true(accepted > 1000);
	assert_true(refusals > 1000);
}

/* Columns of one large table: to see that they are apart must not take a search through its rows. */
static void test_columns_of_a_table(void **state)
{
	enum { ROWS = 3000000, COLS = 4 };
	uint16_t *table = calloc(ROWS, COLS * sizeof(*table));
	const int64_t dim = 1;
	const rstd_tensor x = { table, RSTD_F16, 2, { ROWS, 2 }, { COLS, 1 } };
	rstd_tensor std = { table + 2, RSTD_F16, 1, { ROWS }, { COLS } };
	const rstd_tensor mean = { table + 3, RSTD_F16, 1, { ROWS }, { COLS } };

	(void)state;
	assert_non_null(table);
	if (rstd_std_mean(&x, &dim, 1, 1, false, &std, &mean) != RSTD_OK)
		fail_msg("refused: %s", rstd_last_error());
	std.data = table + 1;
	refused(rstd_std_mean(&x, &dim, 1, 1, false, &std, &mean), RSTD_ERROR_OVERLAP, "std", "x", NULL);
	std.data = table + 3;
	refused(rstd_std_mean(&x, &dim, 1, 1, false, &std, &mean), RSTD_ERROR_OVERLAP, "mean", "std", NULL);
	free(table);
}

/* ---- Plans --------------------------------------------------------------------------------------------------- */

static void test_plan_pointers(void **state)
{
	struct call f;
	rstd_plan *plan;
	float *const spare = f.out_data[1];

	(void)state;
	call_make(&f, OP_REDUCE_STD_WITH_MEAN);
	refused(rstd_plan_reduce_std_with_mean(NULL, &f.x, &f.mean, NULL, &f.out[0]), RSTD_ERROR_NULL_POINTER, "plan",
	        "NULL", NULL);
	refused(rstd_plan_std_mean(NULL, &f.x, NULL, 0, 1, false, &f.out[0], NULL), RSTD_ERROR_NULL_POINTER, "plan",
	        "NULL", NULL);
	refused(rstd_plan_batch_norm_stats(NULL, &f.x, 1, &f.out[0], NULL), RSTD_ERROR_NULL_POINTER, "plan", "NULL",
	        NULL);
	assert_int_equal(rstd_plan_workspace_size(NULL), 0);
	rstd_plan_destroy(NULL);
	refused(rstd_plan_run(NULL, f.x_data, NULL, spare, NULL, NULL), RSTD_ERROR_NULL_POINTER, "plan", "NULL", NULL);

	assert_int_equal(operator_plan(&plan, &f.c, &f.x, &f.mean, f.out_at), RSTD_OK);
	refused(rstd_plan_run(plan, NULL, f.mean_data, f.out_data[0], NULL, NULL), RSTD_ERROR_NULL_POINTER, "x", "NULL",
	        NULL);
	refused(rstd_plan_run(plan, f.x_data, NULL, f.out_data[0], NULL, NULL), RSTD_ERROR_NULL_POINTER, "mean", "NULL",
	        NULL);
	refused(rstd_plan_run(plan, f.x_data, f.mean_data, NULL, NULL, NULL), RSTD_ERROR_NULL_POINTER, "y", "NULL",
	        NULL);
	refused(rstd_plan_run(plan, f.x_data, f.mean_data, f.out_data[0], spare, NULL), RSTD_ERROR_ARGUMENT, "mean",
	        NULL);
	refused(rstd_plan_run(plan, f.x_data, f.mean_data, f.mean_data + 1, NULL, NULL), RSTD_ERROR_OVERLAP, "y",
	        "mean", NULL);
	rstd_plan_destroy(plan);

	f.c.op = OP_STD;
	assert_int_equal(operator_plan(&plan, &f.c, &f.x, NULL, f.out_at), RSTD_OK);
	refused(rstd_plan_run(plan, f.x_data, f.mean_data, f.out_data[0], NULL, NULL), RSTD_ERROR_ARGUMENT, "given",
	        NULL);
	refused(rstd_plan_run(plan, f.x_data, NULL, f.out_data[0], spare, NULL), RSTD_ERROR_ARGUMENT, "mean", NULL);
	refused(rstd_plan_run(plan, f.x_data, NULL, NULL, NULL, NULL), RSTD_ERROR_NULL_POINTER, "std", "NULL", NULL);
	rstd_plan_destroy(plan);
	check_untouched(&f);
}

/* A plan that needs a workspace says so. */
static void test_workspace_required(void **state)
{
	const int64_t n = 4000000;
	static float one;
	float y = 7;
	const rstd_tensor x = { &one, RSTD_F32, 1, { n }, { 0 } }, out = { &y, RSTD_F32, 0, { 0 }, { 0 } };
	rstd_plan *plan;
	char bytes[40];

	(void)state;
	rstd_set_num_threads(4);
	assert_int_equal(rstd_plan_std_mean(&plan, &x, NULL, 0, 1, false, &out, NULL), RSTD_OK);
	assert_true(rstd_plan_workspace_size(plan) > 0);
	snprintf(bytes, sizeof(bytes), "%zu bytes", rstd_plan_workspace_size(plan));
	refused(rstd_plan_run(plan, &one, NULL, &y, NULL, NULL), RSTD_ERROR_NULL_POINTER, "workspace", "NULL", bytes,
	        NULL);
	assert_true(y == 7);
	rstd_plan_destroy(plan);
	rstd_set_num_threads(0);
}

/* ---- Shapes and views ------------------------------------------------------------------------------------------ */

static void test_infer_shape(void **state)
{
	const int64_t shape[9] = { 2, 3, 4, 1, 1, 1, 1, 1, 1 }, negative[2] = { 2, -5 },
		      large[2] = { (int64_t)1 << 40, (int64_t)1 << 40 }, dims[2] = { 1, -1 };
	int64_t out[RSTD_MAX_RANK] = { 77 }, bad;
	size_t rank = 77;

	(void)state;
	refused(rstd_infer_shape(NULL, 1, NULL, 0, false, out, &rank), RSTD_ERROR_NULL_POINTER, "shape", "NULL", NULL);
	refused(rstd_infer_shape(shape, 3, NULL, 1, false, out, &rank), RSTD_ERROR_NULL_POINTER, "dim", "NULL", NULL);
	refused(rstd_infer_shape(shape, 3, NULL, 0, false, NULL, &rank), RSTD_ERROR_NULL_POINTER, "out_shape", "NULL",
	        NULL);
	refused(rstd_infer_shape(shape, 3, NULL, 0, false, out, NULL), RSTD_ERROR_NULL_POINTER, "out_rank", "NULL",
	        NULL);
	refused(rstd_infer_shape(shape, 9, NULL, 0, false, out, &rank), RSTD_ERROR_RANK, "shape", "9", "0 to 8", NULL);
	refused(rstd_infer_shape(negative, 2, NULL, 0, false, out, &rank), RSTD_ERROR_SHAPE, "shape", "axis 1", "-5",
	        NULL);
	refused(rstd_infer_shape(large, 2, NULL, 0, false, out, &rank), RSTD_ERROR_OVERFLOW, "shape", "1099511627776",
	        NULL);
	bad = 3;
	refused(rstd_infer_shape(shape, 3, &bad, 1, false, out, &rank), RSTD_ERROR_DIM, "dim", "axis 3 ", "-3 to 2",
	        NULL);
	bad = 0;
	refused(rstd_infer_shape(shape, 0, &dims[0], 1, false, out, &rank), RSTD_ERROR_DIM, "dim", "axis 1 ", "-1 to 0",
	        NULL);
	assert_int_equal(rank, 77);
	assert_int_equal(out[0], 77);
	assert_int_equal(rstd_infer_shape(shape, 3, dims, 2, false, out, &rank), RSTD_OK);
	assert_int_equal(rank, 1);
	assert_int_equal(out[0], 2);
	assert_int_equal(rstd_infer_shape(shape, 3, dims, 2, true, out, &rank), RSTD_OK);
	assert_int_equal(rank, 3);
	assert_true(out[0] == 2 && out[1] == 1 && out[2] == 1);
	assert_int_equal(rstd_infer_shape(shape, 3, NULL, 0, false, out, &rank), RSTD_OK);
	assert_int_equal(rank, 0);
	assert_int_equal(rstd_infer_shape(NULL, 0, &bad, 1, true, out, &rank), RSTD_OK);
	assert_int_equal(rank, 0);
}

static void test_tensor_contiguous(void **state)
{
	const int64_t shape[9] = { 2, 3, 4, 5, 1, 1, 1, 1, 1 }, negative[2] = { -1, 0 }, large[2] = { INT64_MAX, 2 },
		      bytes[1] = { INT64_MAX / 2 }, empty[3] = { INT64_MAX, 0, INT64_MAX };
	float data[1];
	rstd_tensor t;

	(void)state;
	memset(&t, 0x33, sizeof(t));
	refused(rstd_tensor_contiguous(NULL, data, RSTD_F32, 2, shape), RSTD_ERROR_NULL_POINTER, "tensor", "NULL",
	        NULL);
	refused(rstd_tensor_contiguous(&t, data, RSTD_F32, 2, NULL), RSTD_ERROR_NULL_POINTER, "shape", "NULL", NULL);
	refused(rstd_tensor_contiguous(&t, data, RSTD_F32, 9, shape), RSTD_ERROR_RANK, "shape", "9", "0 to 8", NULL);
	refused(rstd_tensor_contiguous(&t, data, RSTD_F32, 2, negative), RSTD_ERROR_SHAPE, "shape", "axis 0", "-1",
	        NULL);
	refused(rstd_tensor_contiguous(&t, data, RSTD_F32, 2, large), RSTD_ERROR_OVERFLOW, "shape",
	        "9223372036854775807", NULL);
	assert_int_equal(rstd_tensor_contiguous(&t, data, RSTD_F32, 1, bytes), RSTD_ERROR_OVERFLOW);
	assert_int_equal(rstd_tensor_contiguous(&t, data, (rstd_dtype)7, 1, shape), RSTD_ERROR_DTYPE);
	assert_non_null(strstr(rstd_last_error(), "dtype is 7"));
	assert_int_equal(t.rank, (size_t)0x3333333333333333); /* untouched all the while */
	assert_int_equal(rstd_tensor_contiguous(&t, data, RSTD_F32, 4, shape), RSTD_OK);
	assert_ptr_equal(t.data, data);
	assert_int_equal(t.dtype, RSTD_F32);
	assert_int_equal(t.rank, 4);
	assert_memory_equal(t.shape, shape, 4 * sizeof(*shape));
	assert_true(t.strides[0] == 60 && t.strides[1] == 20 && t.strides[2] == 5 && t.strides[3] == 1);
	assert_int_equal(rstd_tensor_contiguous(&t, NULL, RSTD_BF16, 3, empty), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&t, data, RSTD_F16, 0, NULL), RSTD_OK);
	assert_int_equal(t.rank, 0);
}

/* ---- Moments --------------------------------------------------------------------------------------------------- */

static void test_moments(void **state)
{
	struct call f;
	rstd_moments m[5], before[5];
	unsigned char bytes[RSTD_MOMENTS_BYTES];
	const int64_t dim = 1, bad = 2;
	float y = 7;

	(void)state;
	call_make(&f, OP_STD);
	memset(m, 0, sizeof(m));
	assert_int_equal(rstd_moments_update(m, 3, &f.x, &dim, 1), RSTD_OK);
	memcpy(before, m, sizeof(m));
	refused(rstd_moments_update(NULL, 3, &f.x, &dim, 1), RSTD_ERROR_NULL_POINTER, "moments", "NULL", NULL);
	refused(rstd_moments_update(m, 3, NULL, &dim, 1), RSTD_ERROR_NULL_POINTER, "x", "NULL", NULL);
	refused(rstd_moments_update(m, 3, &f.x, NULL, 1), RSTD_ERROR_NULL_POINTER, "dim", "NULL", NULL);
	refused(rstd_moments_update(m, 3, &f.x, &bad, 1), RSTD_ERROR_DIM, "dim", "axis 2 ", "-2 to 1", NULL);
	refused(rstd_moments_update(m, 4, &f.x, &dim, 1), RSTD_ERROR_SHAPE, "moments_count", "4", "3", NULL);
	refused(rstd_moments_update(m, 3, &f.x, NULL, 0), RSTD_ERROR_SHAPE, "moments_count", "3", "1", NULL);
	f.x.dtype = (rstd_dtype)12;
	refused(rstd_moments_update(m, 3, &f.x, &dim, 1), RSTD_ERROR_DTYPE, "x", "12", NULL);
	f.x.dtype = RSTD_F32;
	f.x.rank = 9;
	refused(rstd_moments_update(m, 3, &f.x, &dim, 1), RSTD_ERROR_RANK, "x", "9", "0 to 8", NULL);
	f.x.rank = 2;
	f.x.data = NULL;
	refused(rstd_moments_update(m, 3, &f.x, &dim, 1), RSTD_ERROR_NULL_POINTER, "x", "NULL", NULL);
	f.x.data = f.x_data;
	m[2].count = before[2].count = INT64_MAX - 3; /* the last of the three would pass the limit */
	refused(rstd_moments_update(m, 3, &f.x, &dim, 1), RSTD_ERROR_OVERFLOW, "moments", "9223372036854775804", NULL);
	refused(rstd_moments_merge(m, before, 3), RSTD_ERROR_OVERFLOW, "into", NULL);
	refused(rstd_moments_merge(NULL, m, 3), RSTD_ERROR_NULL_POINTER, "into", "NULL", NULL);
	refused(rstd_moments_merge(m, NULL, 3), RSTD_ERROR_NULL_POINTER, "from", "NULL", NULL);
	assert_memory_equal(m, before, sizeof(m));

	refused(rstd_moments_std(NULL, 1, 0, RSTD_F32, &y), RSTD_ERROR_NULL_POINTER, "moments", "NULL", NULL);
	refused(rstd_moments_std(m, 1, 0, RSTD_F32, NULL), RSTD_ERROR_NULL_POINTER, "std", "NULL", NULL);
	refused(rstd_moments_std(m, 1, -1, RSTD_F32, &y), RSTD_ERROR_CORRECTION, "correction", "-1", NULL);
	refused(rstd_moments_std(m, 1, 0, (rstd_dtype)8, &y), RSTD_ERROR_DTYPE, "dtype", "8", NULL);
	refused(rstd_moments_mean(NULL, 1, RSTD_F32, &y), RSTD_ERROR_NULL_POINTER, "moments", "NULL", NULL);
	refused(rstd_moments_mean(m, 1, RSTD_F32, NULL), RSTD_ERROR_NULL_POINTER, "mean", "NULL", NULL);
	refused(rstd_moments_mean(m, 1, (rstd_dtype)0, &y), RSTD_ERROR_DTYPE, "dtype", "0", NULL);
	refused(rstd_moments_invstd(NULL, 1, 1, RSTD_F32, &y), RSTD_ERROR_NULL_POINTER, "moments", "NULL", NULL);
	refused(rstd_moments_invstd(m, 1, 1, RSTD_F32, NULL), RSTD_ERROR_NULL_POINTER, "invstd", "NULL", NULL);
	refused(rstd_moments_invstd(m, 1, 1, (rstd_dtype)-5, &y), RSTD_ERROR_DTYPE, "dtype", "-5", NULL);
	assert_true(y == 7);

	refused(rstd_moments_store(NULL, bytes), RSTD_ERROR_NULL_POINTER, "moments", "NULL", NULL);
	refused(rstd_moments_store(m, NULL), RSTD_ERROR_NULL_POINTER, "bytes", "NULL", NULL);
	assert_int_equal(rstd_moments_store(m, bytes), RSTD_OK);
	refused(rstd_moments_load(NULL, bytes, sizeof(bytes)), RSTD_ERROR_NULL_POINTER, "moments", "NULL", NULL);
	refused(rstd_moments_load(m, NULL, sizeof(bytes)), RSTD_ERROR_NULL_POINTER, "bytes", "NULL", NULL);
	refused(rstd_moments_load(m, bytes, 167), RSTD_ERROR_FORMAT, "size", "167", "168", NULL);
	bytes[7] = 2;
	refused(rstd_moments_load(m, bytes, sizeof(bytes)), RSTD_ERROR_FORMAT, "bytes", "version", "2", NULL);
	bytes[0] = 'R';
	refused(rstd_moments_load(m, bytes, sizeof(bytes)), RSTD_ERROR_FORMAT, "bytes", "rstdmom", NULL);
	assert_memory_equal(m, before, sizeof(m));
}

/* ---- Settings, statuses, threads -------------------------------------------------------------------------------- */

static void test_settings(void **state)
{
	const char *isa = rstd_get_isa();
	const int threads = rstd_get_num_threads();

	(void)state;
	refused(rstd_set_num_threads(-1), RSTD_ERROR_ARGUMENT, "threads", "-1", "0 to 1024", NULL);
	refused(rstd_set_num_threads(1025), RSTD_ERROR_ARGUMENT, "threads", "1025", "0 to 1024", NULL);
	assert_int_equal(rstd_get_num_threads(), threads);
	refused(rstd_set_isa("avx9000"), RSTD_ERROR_ARGUMENT, "name", "avx9000", "scalar", NULL);
	refused(rstd_set_isa(""), RSTD_ERROR_ARGUMENT, "name", "scalar", NULL);
	assert_string_equal(rstd_get_isa(), isa);
	refused(rstd_get_level_counts(NULL), RSTD_ERROR_NULL_POINTER, "counts", "NULL", NULL);
}

static void test_status_strings(void **state)
{
	(void)state;
#define CHECK_TEXT(name, number, text) assert_string_equal(rstd_status_string((rstd_status)(number)), text);
	RSTD_STATUS_MAP(CHECK_TEXT)
#undef CHECK_TEXT
	assert_string_equal(rstd_status_string((rstd_status)12), "unknown status");
	assert_string_equal(rstd_status_string((rstd_status)-1), "unknown status");
}

/* Another thread's view of its last error: before and after a failure of its own. */
struct other_thread {
	bool empty_at_first, own_afterwards;
};

static void *fail_elsewhere(void *arg)
{
	struct other_thread *o = arg;

	o->empty_at_first = rstd_last_error()[0] == '\0';
	rstd_set_num_threads(-77);
	o->own_afterwards = strstr(rstd_last_error(), "-77") != NULL;
	return NULL;
}

static void test_last_error_is_per_thread(void **state)
{
	struct other_thread other = { false, false };
	pthread_t thread;
	char before[600];

	(void)state;
	refused(rstd_set_num_threads(-5), RSTD_ERROR_ARGUMENT, "threads", "-5", NULL);
	snprintf(before, sizeof(before), "%s", rstd_last_error());
	assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &other), 0);
	pthread_join(thread, NULL);
	assert_true(other.empty_at_first);
	assert_true(other.own_afterwards);
	assert_string_equal(rstd_last_error(), before);
	assert_int_equal(rstd_set_num_threads(0), RSTD_OK); /* success leaves the message */
	assert_string_equal(rstd_last_error(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null_tensors),
		cmocka_unit_test(test_null_data),
		cmocka_unit_test(test_dtype),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_dims),
		cmocka_unit_test(test_null_dims),
		cmocka_unit_test(test_correction),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_unused_strides),
		cmocka_unit_test(test_output_overlaps_itself),
		cmocka_unit_test(test_output_overlaps_input),
		cmocka_unit_test(test_outputs_overlap),
		cmocka_unit_test(test_overlap_by_marks),
		cmocka_unit_test(test_columns_of_a_table),
		cmocka_unit_test(test_plan_pointers),
		cmocka_unit_test(test_workspace_required),
		cmocka_unit_test(test_infer_shape),
		cmocka_unit_test(test_tensor_contiguous),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_status_strings),
		cmocka_unit_test(test_last_error_is_per_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
