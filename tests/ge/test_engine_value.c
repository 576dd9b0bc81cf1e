/*
 * test_engine_value.c - attributes of every kind, descs, numbers and names, messages
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

/* ---- Attributes -------------------------------------------------------------------------------------------------- */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool same_text(rstd_text a, rstd_text b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0 && a.data[a.size] == '\0' && a.data != b.data;
}

static bool same_dims(const int64_t *a, const int64_t *b, size_t count)
{
	return count == 0 || (a != b && memcmp(a, b, count * sizeof(*a)) == 0);
}

static bool same_tensor(const rstd_ge_tensor *a, const rstd_ge_tensor *b, bool data)
{
	return a != b && a->desc.dtype == b->desc.dtype && a->desc.rank == b->desc.rank &&
	       same_dims(a->desc.dims, b->desc.dims, a->desc.rank) && strcmp(a->desc.name, b->desc.name) == 0 &&
	       (!data || (a->size == b->size && memcmp(a->data, b->data, a->size) == 0));
}

static bool same_value(const rstd_value *a, const rstd_value *b);

static bool same_named(const rstd_named_attrs *a, const rstd_named_attrs *b)
{
	bool same = a != b && strcmp(a->name, b->name) == 0 && a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = strcmp(a->attrs[i].name, b->attrs[i].name) == 0 &&
		       same_value(&a->attrs[i].value, &b->attrs[i].value);
	return same;
}

/* Equal, and not sharing memory. */
static bool same_value(const rstd_value *a, const rstd_value *b)
{
	bool same = a->kind == b->kind && a->count == b->count;
	const size_t count = a->kind < RSTD_VALUE_LIST_INT ? 1 : a->count;

	for (size_t i = 0; same && i < count; i++)
		switch (a->kind) {
		case RSTD_VALUE_NONE:
			break;
		case RSTD_VALUE_INT:
			same = a->as.i == b->as.i;
			break;
		case RSTD_VALUE_FLOAT:
			same = !(a->as.f < b->as.f) && !(a->as.f > b->as.f);
			break;
		case RSTD_VALUE_BOOL:
			same = a->as.b == b->as.b;
			break;
		case RSTD_VALUE_DTYPE:
			same = a->as.dtype == b->as.dtype;
			break;
		case RSTD_VALUE_STRING:
		case RSTD_VALUE_BYTES:
			same = same_text(a->as.text, b->as.text);
			break;
		case RSTD_VALUE_TENSOR:
		case RSTD_VALUE_LIST_TENSOR:
			same = same_tensor(&a->as.tensor[i], &b->as.tensor[i], true);
			break;
		case RSTD_VALUE_DESC:
		case RSTD_VALUE_LIST_DESC:
			same = same_tensor(&a->as.tensor[i], &b->as.tensor[i], false);
			break;
		case RSTD_VALUE_NAMED_ATTRS:
		case RSTD_VALUE_LIST_NAMED_ATTRS:
			same = same_named(&a->as.named[i], &b->as.named[i]);
			break;
		case RSTD_VALUE_LIST_INT:
			same = same_dims(a->as.ints, b->as.ints, count);
			break;
		case RSTD_VALUE_LIST_FLOAT:
			same = memcmp(a->as.floats, b->as.floats, count * sizeof(float)) == 0;
			break;
		case RSTD_VALUE_LIST_BOOL:
			same = a->as.bools[i] == b->as.bools[i];
			break;
		case RSTD_VALUE_LIST_DTYPE:
			same = a->as.dtypes[i] == b->as.dtypes[i];
			break;
		case RSTD_VALUE_LIST_STRING:
		case RSTD_VALUE_LIST_BYTES:
			same = same_text(a->as.texts[i], b->as.texts[i]);
			break;
		case RSTD_VALUE_LIST_LIST_INT:
			same = a->as.int_lists[i].count == b->as.int_lists[i].count &&
			       same_dims(a->as.int_lists[i].ints, b->as.int_lists[i].ints, a->as.int_lists[i].count);
			break;
		case RSTD_VALUE_LIST_LIST_FLOAT:
			same = a->as.float_lists[i].count == b->as.float_lists[i].count &&
			       memcmp(a->as.float_lists[i].floats, b->as.float_lists[i].floats,
			              a->as.float_lists[i].count * sizeof(float)) == 0;
			break;
		}
	return same;
}

static const int64_t ints[] = { -1, INT64_MAX, 3 };
static const float floats[] = { 0.5F, -2 };
static const bool bools[] = { true, false, true };
static const int32_t dtypes[] = { RSTD_DT_BF16, RSTD_DT_INT4 };
static const rstd_text texts[] = { { "one", 3 }, { "with\0zero", 9 } };
static const rstd_int_list int_lists[] = { { 3, ints }, { 0, NULL }, { 1, ints } };
static const rstd_float_list float_lists[] = { { 2, floats }, { 1, floats } };

static void test_every_kind(void **state)
{
	struct maker m = { 0 };
	const struct dims dims = DIMS(3, 2);
	const rstd_ge_tensor tensors[] = { feed(RSTD_DT_INT32, &dims, ints), feed(RSTD_DT_INT8, &dims, ints) };
	const rstd_attr inner[] = { { "a", { .kind = RSTD_VALUE_LIST_INT, .count = 3, .as.ints = ints } },
		                    { "b", { .kind = RSTD_VALUE_STRING, .as.text = { "text", 4 } } } };
	const rstd_named_attrs named[] = { { "n", 2, inner }, { "empty", 0, NULL } };
	const rstd_attr outer[] = { { "o", { .kind = RSTD_VALUE_LIST_NAMED_ATTRS, .count = 2, .as.named = named } } };
	const rstd_named_attrs nested = { "nested", 1, outer };
	const rstd_value values[] = {
		{ .kind = RSTD_VALUE_NONE },
		{ .kind = RSTD_VALUE_INT, .as.i = INT64_MIN },
		{ .kind = RSTD_VALUE_FLOAT, .as.f = 0.001F },
		{ .kind = RSTD_VALUE_BOOL, .as.b = true },
		{ .kind = RSTD_VALUE_STRING, .as.text = { "text", 4 } },
		{ .kind = RSTD_VALUE_DTYPE, .as.dtype = RSTD_DT_FLOAT16 },
		{ .kind = RSTD_VALUE_BYTES, .as.text = { "\0\1\2", 3 } },
		{ .kind = RSTD_VALUE_TENSOR, .as.tensor = &tensors[0] },
		{ .kind = RSTD_VALUE_DESC, .as.tensor = &tensors[0] },
		{ .kind = RSTD_VALUE_NAMED_ATTRS, .as.named = &nested },
		{ .kind = RSTD_VALUE_LIST_INT, .count = 3, .as.ints = ints },
		{ .kind = RSTD_VALUE_LIST_FLOAT, .count = 2, .as.floats = floats },
		{ .kind = RSTD_VALUE_LIST_BOOL, .count = 3, .as.bools = bools },
		{ .kind = RSTD_VALUE_LIST_STRING, .count = 2, .as.texts = texts },
		{ .kind = RSTD_VALUE_LIST_DTYPE, .count = 2, .as.dtypes = dtypes },
		{ .kind = RSTD_VALUE_LIST_BYTES, .count = 2, .as.texts = texts },
		{ .kind = RSTD_VALUE_LIST_TENSOR, .count = 2, .as.tensor = tensors },
		{ .kind = RSTD_VALUE_LIST_DESC, .count = 2, .as.tensor = tensors },
		{ .kind = RSTD_VALUE_LIST_NAMED_ATTRS, .count = 2, .as.named = named },
		{ .kind = RSTD_VALUE_LIST_LIST_INT, .count = 3, .as.int_lists = int_lists },
		{ .kind = RSTD_VALUE_LIST_LIST_FLOAT, .count = 2, .as.float_lists = float_lists },
		{ .kind = RSTD_VALUE_LIST_INT },
		{ .kind = RSTD_VALUE_LIST_STRING },
	};
	rstd_attrs *attrs = rstd_op_attrs(make(&m, "Data", "x", NULL, NULL));
	const size_t before = rstd_attrs_count(attrs);
	char name[16];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		snprintf(name, sizeof(name), "attr%zu", i);
		assert_int_equal(rstd_attrs_set(attrs, name, &values[i]), RSTD_GE_SUCCESS);
	}
	assert_int_equal(rstd_attrs_count(attrs), before + COUNT(values));
	for (size_t i = 0; i < COUNT(values); i++) {
		snprintf(name, sizeof(name), "attr%zu", i);
		assert_true(same_value(rstd_attrs_get(attrs, name), &values[i]));
		assert_string_equal(rstd_attrs_at(attrs, before + i)->name, name);
	}
	drop(&m);
}

static void test_replace_and_remove(void **state)
{
	struct maker m = { 0 };
	rstd_op *op = make(&m, "Data", "x", NULL, NULL);
	rstd_attrs *attrs = rstd_op_attrs(op);
	const rstd_value bad = { .kind = (rstd_value_kind)99 };
	const rstd_value *kept;

	(void)state;
	set_int(op, "a", 1);
	set_int(op, "b", 2);
	kept = rstd_attrs_get(attrs, "b");
	set_ints(op, "a", DIMS(1, 2));
	assert_int_equal(rstd_attrs_get(attrs, "a")->kind, RSTD_VALUE_LIST_INT);
	assert_true(rstd_attrs_remove(attrs, "a"));
	assert_false(rstd_attrs_remove(attrs, "a"));
	assert_null(rstd_attrs_get(attrs, "a"));
	assert_ptr_equal(rstd_attrs_get(attrs, "b"), kept); /* values stay where they are */
	assert_int_equal(rstd_attrs_count(attrs), 2);       /* index, b */
	assert_null(rstd_attrs_at(attrs, 2));
	assert_int_equal(rstd_attrs_set(attrs, "c", &bad), RSTD_GE_PARAM_INVALID);
	expect_error("attribute c: kind is 99");
	assert_int_equal(rstd_attrs_set(attrs, "c", NULL), RSTD_GE_NULL_PTR);
	assert_int_equal(rstd_attrs_set(NULL, "c", &bad), RSTD_GE_NULL_PTR);
	assert_null(rstd_attrs_get(NULL, "c"));
	drop(&m);
}

/* ---- Descs ------------------------------------------------------------------------------------------------------- */

/* Counts and sizes without the elements that they promise. */
static void test_elements_that_are_missing(void **state)
{
	static const rstd_value_kind kinds[] = {
		RSTD_VALUE_TENSOR,        RSTD_VALUE_DESC,
		RSTD_VALUE_NAMED_ATTRS,   RSTD_VALUE_LIST_INT,
		RSTD_VALUE_LIST_FLOAT,    RSTD_VALUE_LIST_BOOL,
		RSTD_VALUE_LIST_STRING,   RSTD_VALUE_LIST_DTYPE,
		RSTD_VALUE_LIST_BYTES,    RSTD_VALUE_LIST_TENSOR,
		RSTD_VALUE_LIST_DESC,     RSTD_VALUE_LIST_NAMED_ATTRS,
		RSTD_VALUE_LIST_LIST_INT, RSTD_VALUE_LIST_LIST_FLOAT,
	};
	const rstd_ge_tensor tensors[] = { { .desc = RSTD_DESC_DEFAULT }, { .desc = RSTD_DESC_DEFAULT, .size = 4 } };
	const rstd_int_list lists[] = { { 0, NULL }, { 1, NULL } };
	const rstd_attr inner = { "inner", { .kind = RSTD_VALUE_LIST_INT, .count = 1 } };
	const rstd_named_attrs named[] = { { "outer", 1, &inner } };
	struct maker m = { 0 };
	rstd_op *op = make_data(&m, "x");
	const size_t before = rstd_attrs_count(rstd_op_attrs(op));
	rstd_desc desc = RSTD_DESC_DEFAULT;
	rstd_value value = { .kind = RSTD_VALUE_STRING, .as.text = { NULL, 1 } };

	(void)state;
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "a", &value), RSTD_GE_NULL_PTR);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		value = (rstd_value){ .kind = kinds[i], .count = 3 };
		assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "a", &value), RSTD_GE_NULL_PTR);
	}
	value = (rstd_value){ .kind = RSTD_VALUE_LIST_TENSOR, .count = 2, .as.tensor = tensors };
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "a", &value), RSTD_GE_NULL_PTR);
	value = (rstd_value){ .kind = RSTD_VALUE_LIST_LIST_INT, .count = 2, .as.int_lists = lists };
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "a", &value), RSTD_GE_NULL_PTR);
	value = (rstd_value){ .kind = RSTD_VALUE_LIST_NAMED_ATTRS, .count = 1, .as.named = named };
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "a", &value), RSTD_GE_NULL_PTR);
	desc.rank = 2;
	assert_int_equal(rstd_op_set_input_desc(op, 0, &desc), RSTD_GE_NULL_PTR);
	assert_int_equal(rstd_op_set_output_desc(op, 0, &desc), RSTD_GE_NULL_PTR);
	assert_int_equal(rstd_attrs_count(rstd_op_attrs(op)), before);
	drop(&m);
}

static void test_desc_keeps_everything(void **state)
{
	static const int64_t dims[] = { 2, -1 }, origin[] = { 2, 1, 3 }, ranges[] = { 1, 2, 0, -1 };
	const rstd_desc desc = { .dtype = RSTD_DT_BF16,
		                 .format = 3,
		                 .origin_format = RSTD_FORMAT_NCHW,
		                 .placement = RSTD_PLACEMENT_DEVICE,
		                 .rank = 2,
		                 .dims = dims,
		                 .origin_rank = 3,
		                 .origin_dims = origin,
		                 .has_origin = true,
		                 .real_dim_count = 4,
		                 .size = 77,
		                 .range_count = 2,
		                 .ranges = ranges,
		                 .name = "desc",
		                 .expand_dims_rule = "rule",
		                 .const_size = 3,
		                 .const_data = "abc",
		                 .has_reuse_input = true,
		                 .reuse_input = 5 };
	struct maker m = { 0 };
	rstd_op *op = make(&m, "Data", "x", NULL, NULL);
	rstd_desc got;

	(void)state;
	assert_int_equal(rstd_op_get_input_desc(op, 0, &got), RSTD_GE_SUCCESS);
	assert_false(got.has_shape);
	assert_int_equal(got.format, RSTD_FORMAT_ND);
	assert_string_equal(got.name, "");
	assert_int_equal(rstd_op_set_input_desc(op, 0, &desc), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_op_get_input_desc(op, 0, &got), RSTD_GE_SUCCESS);
	assert_true(got.has_shape && got.has_origin && got.has_reuse_input);
	assert_int_equal(got.dtype, RSTD_DT_BF16);
	assert_int_equal(got.format, 3);
	assert_int_equal(got.origin_format, RSTD_FORMAT_NCHW);
	assert_int_equal(got.placement, RSTD_PLACEMENT_DEVICE);
	assert_true(got.rank == 2 && same_dims(got.dims, dims, 2));
	assert_true(got.origin_rank == 3 && same_dims(got.origin_dims, origin, 3));
	assert_true(got.range_count == 2 && same_dims(got.ranges, ranges, 4));
	assert_int_equal(got.real_dim_count, 4);
	assert_int_equal(got.size, 77);
	assert_string_equal(got.name, "desc");
	assert_string_equal(got.expand_dims_rule, "rule");
	assert_true(got.const_size == 3 && memcmp(got.const_data, "abc", 3) == 0);
	assert_int_equal(got.reuse_input, 5);
	/* what was read may be written back */
	assert_int_equal(rstd_op_set_input_desc(op, 0, &got), RSTD_GE_SUCCESS);
	set_in_desc(op, 0, RSTD_DT_FLOAT, DIMS(4, -2, 3));
	assert_int_equal(rstd_op_get_input_desc(op, 0, &got), RSTD_GE_SUCCESS);
	assert_true(got.rank == 1 && got.dims[0] == -2);
	assert_int_equal(rstd_op_get_input_desc(op, 1, &got), RSTD_GE_FAILED);
	expect_error("x(Data): input index is 1, must be below 1");
	drop(&m);
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(rstd_ge_dtype_size(RSTD_DT_FLOAT), 4);
	assert_int_equal(rstd_ge_dtype_size(RSTD_DT_COMPLEX128), 16);
	assert_int_equal(rstd_ge_dtype_size(RSTD_DT_DUAL), 5);
	assert_int_equal(rstd_ge_dtype_size(RSTD_DT_INT4), 1004);
	assert_int_equal(rstd_ge_dtype_size(RSTD_DT_UINT1), 1001);
	assert_int_equal(rstd_ge_dtype_size(RSTD_DT_STRING), -1);
	assert_int_equal(rstd_ge_dtype_size(5), -1);
	assert_int_equal(rstd_ge_dtype_size(-1), -1);
	assert_int_equal(rstd_ge_dtype_size(43), -1);
	assert_string_equal(rstd_ge_dtype_name(RSTD_DT_BF16), "DT_BFLOAT16");
	assert_string_equal(rstd_ge_dtype_name(5), "DT_UNDEFINED");
	assert_string_equal(rstd_ge_dtype_name(500), "DT_UNDEFINED");
	for (int32_t i = 0; i < 43; i++)
		if (i != 5)
			assert_int_equal(rstd_ge_dtype_from_name(rstd_ge_dtype_name(i)), i);
	assert_int_equal(rstd_ge_dtype_from_name("DT_WHAT"), RSTD_DT_UNDEFINED);
	assert_string_equal(rstd_ge_format_name(RSTD_FORMAT_ND), "ND");
	assert_string_equal(rstd_ge_format_name(RSTD_FORMAT_RESERVED), "FORMAT_RESERVED");
	assert_string_equal(rstd_ge_format_name(15), "DECONV_SP_STRIDE8_TRANS");
	assert_string_equal(rstd_ge_format_name(24), "LOOKUP_HITS");
	assert_string_equal(rstd_ge_format_name(54), "FRACTAL_NZ_C0_8");
	assert_string_equal(rstd_ge_format_name(255), "FORMAT_RESERVED");
	for (int32_t i = 0; i < 55; i++)
		if (i != 28)
			assert_int_equal(rstd_ge_format_from_name(rstd_ge_format_name(i)), i);
	assert_int_equal(rstd_ge_format_from_name(""), RSTD_FORMAT_RESERVED);
	assert_string_equal(rstd_value_kind_name(RSTD_VALUE_LIST_DTYPE), "VT_LIST_DATA_TYPE");
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void test_messages(void **state)
{
	const char *text;

	(void)state;
	(void)rstd_ge_take_errors();
	assert_string_equal(rstd_ge_take_errors(), "");
	rstd_ge_add_error("E1", "Title", "first");
	text = rstd_ge_take_errors();
	assert_non_null(strstr(text, "[PID: "));
	assert_non_null(strstr(text, " Title(E1): first\n"));
	assert_null(strstr(text, "TraceBack"));
	assert_string_equal(rstd_ge_take_errors(), "");
	rstd_ge_add_error("E1", "Title", "first");
	rstd_ge_add_error("E2", "Other", "second");
	rstd_ge_add_error("E3", NULL, "third");
	rstd_ge_add_warning("W1", "Title", "careful");
	text = rstd_ge_take_errors();
	assert_non_null(strstr(text, "Title(E1): first\n        TraceBack (most recent call last):\n        second\n"));
	assert_non_null(strstr(text, "        third\n"));
	assert_non_null(strstr(rstd_ge_take_warnings(), "Title(W1): careful\n"));
	assert_string_equal(rstd_ge_take_warnings(), "");
	for (int i = 0; i < 1000; i++)
		rstd_ge_add_error("E1", "Title", "a sentence that comes again and again");
	assert_true(strlen(rstd_ge_take_errors()) < 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_replace_and_remove),
		cmocka_unit_test(test_elements_that_are_missing),
		cmocka_unit_test(test_desc_keeps_everything),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
