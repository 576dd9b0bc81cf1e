/*
 * prototype.c - the table of operators that the engine knows
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source: CANN's prototypes (ops-math, ops-nn). dtypes are those of the prototype; lower.c says which of them run here.
 */
#include "cann/ge/prototype.h"

#include <string.h>

#include "cann/ge/message.h"
#include "cann/ge/op.h"

#define D(name)      RSTD__DTYPE_BIT(name)

#define INDEX_DTYPES (D(INT32) | D(INT64))
#define FLOATS       (D(FLOAT) | D(FLOAT16) | D(BF16))
#define REALS                                                                                                          \
	(D(INT8) | D(INT16) | D(INT32) | D(INT64) | D(UINT8) | D(UINT16) | D(UINT32) | D(UINT64) | FLOATS | D(DOUBLE))
#define COMPLEXES  (D(COMPLEX32) | D(COMPLEX64) | D(COMPLEX128))
#define QUANTIFIED (D(QINT8) | D(QINT16) | D(QINT32) | D(QUINT8) | D(QUINT16))
#define NUMBERS    (REALS | COMPLEXES | D(QINT8) | D(QINT32) | D(QUINT8))
#define BASIC      (REALS | COMPLEXES | QUANTIFIED)
#define SUB_DTYPES                                                                                                     \
	(FLOATS | D(DOUBLE) | D(UINT8) | D(INT8) | D(UINT16) | D(INT16) | D(INT32) | D(INT64) | D(BOOL) | COMPLEXES)
#define ADD_DTYPES (SUB_DTYPES | D(STRING))
#define DIV_DTYPES                                                                                                     \
	(FLOATS | D(DOUBLE) | D(UINT8) | D(INT8) | D(UINT16) | D(INT16) | D(INT32) | D(INT64) | D(BOOL) |              \
	 D(COMPLEX64) | D(COMPLEX128))
#define UNARY_DTYPES  (COMPLEXES | D(DOUBLE) | FLOATS)
#define SCALAR_DTYPES (D(FLOAT) | D(INT16) | D(INT32) | D(INT64) | D(FLOAT16) | D(BF16))
#define CAST_DTYPES                                                                                                    \
	(REALS | COMPLEXES | QUANTIFIED | D(BOOL) | D(UINT1) | D(INT4) | D(HIFLOAT8) | D(FLOAT8_E5M2) |                \
	 D(FLOAT8_E4M3FN) | D(FLOAT4_E1M2) | D(FLOAT4_E2M1))
#define ANY UINT64_MAX

#define IN(name, dtypes)                                                                                               \
	{                                                                                                              \
		name, RSTD_IR_REQUIRED, dtypes                                                                         \
	}
#define OPTIONAL(name, dtypes)                                                                                         \
	{                                                                                                              \
		name, RSTD_IR_OPTIONAL, dtypes                                                                         \
	}
#define OUT(name, dtypes)                                                                                              \
	{                                                                                                              \
		name, RSTD_IR_REQUIRED, dtypes                                                                         \
	}

#define INT(name, number)                                                                                              \
	{                                                                                                              \
		name, "Int", false,                                                                                    \
		{                                                                                                      \
			.kind = RSTD_VALUE_INT, .as.i = (number)                                                       \
		}                                                                                                      \
	}
#define FLOAT(name, number)                                                                                            \
	{                                                                                                              \
		name, "Float", false,                                                                                  \
		{                                                                                                      \
			.kind = RSTD_VALUE_FLOAT, .as.f = (number)                                                     \
		}                                                                                                      \
	}
#define BOOL(name, truth)                                                                                              \
	{                                                                                                              \
		name, "Bool", false,                                                                                   \
		{                                                                                                      \
			.kind = RSTD_VALUE_BOOL, .as.b = (truth)                                                       \
		}                                                                                                      \
	}
#define INTS(name)                                                                                                     \
	{                                                                                                              \
		name, "ListInt", false,                                                                                \
		{                                                                                                      \
			.kind = RSTD_VALUE_LIST_INT                                                                    \
		}                                                                                                      \
	}
#define REQUIRED_INT(name)                                                                                             \
	{                                                                                                              \
		name, "Int", true,                                                                                     \
		{                                                                                                      \
			.kind = RSTD_VALUE_INT                                                                         \
		}                                                                                                      \
	}
#define REQUIRED_FLOAT(name)                                                                                           \
	{                                                                                                              \
		name, "Float", true,                                                                                   \
		{                                                                                                      \
			.kind = RSTD_VALUE_FLOAT                                                                       \
		}                                                                                                      \
	}
#define REQUIRED_INTS(name)                                                                                            \
	{                                                                                                              \
		name, "ListInt", true,                                                                                 \
		{                                                                                                      \
			.kind = RSTD_VALUE_LIST_INT                                                                    \
		}                                                                                                      \
	}

static const rstd_ge_tensor empty_tensor = { .desc = RSTD_DESC_DEFAULT };

#define TENSOR(name)                                                                                                   \
	{                                                                                                              \
		name, "Tensor", false,                                                                                 \
		{                                                                                                      \
			.kind = RSTD_VALUE_TENSOR, .as.tensor = &empty_tensor                                          \
		}                                                                                                      \
	}

#define STD_V2_ATTRS                                                                                                   \
	{                                                                                                              \
		INTS("dim"), INT("correction", 1), BOOL("keepdim", false), BOOL("is_mean_out", true)                   \
	}

/* In alphabetical order. */
/* clang-format off */
static const struct rstd__proto prototypes[] = {
	{ "Add", RSTD__ADD, { IN("x1", ADD_DTYPES), IN("x2", ADD_DTYPES) }, { OUT("y", ADD_DTYPES) }, { { 0 } } },
	{ "Adds", RSTD__ADD_SCALAR, { IN("x", SCALAR_DTYPES) }, { OUT("y", SCALAR_DTYPES) }, { REQUIRED_FLOAT("value") } },
	{ "BroadcastTo", RSTD__BROADCAST, { IN("x", ANY), IN("shape", INDEX_DTYPES) }, { OUT("y", ANY) }, { { 0 } } },
	{ "BroadcastToD", RSTD__BROADCAST, { IN("x", BASIC) }, { OUT("y", BASIC) }, { REQUIRED_INTS("shape") } },
	{ "Cast", RSTD__CAST, { IN("x", CAST_DTYPES) }, { OUT("y", CAST_DTYPES) }, { REQUIRED_INT("dst_type") } },
	{ "Const", RSTD__CONST, { { 0 } }, { OUT("y", ANY) }, { TENSOR("value") } },
	{ "Constant", RSTD__CONST, { { 0 } }, { OUT("y", ANY) }, { TENSOR("value") } },
	{ "Data", RSTD__DATA, { IN("x", ANY) }, { OUT("y", ANY) }, { INT("index", 0) } },
	{ "Expand", RSTD__EXPAND, { IN("x", ANY), IN("shape", INDEX_DTYPES) }, { OUT("y", ANY) }, { { 0 } } },
	{ "ExpandD", RSTD__EXPAND, { IN("x", ANY) }, { OUT("y", ANY) }, { REQUIRED_INTS("shape") } },
	{ "ExpandDims", RSTD__UNSQUEEZE, { IN("x", ANY), IN("axis", INDEX_DTYPES) }, { OUT("y", ANY) }, { { 0 } } },
	{ "Identity", RSTD__IDENTITY, { IN("x", ANY) }, { OUT("y", ANY) }, { { 0 } } },
	{ "Mul", RSTD__MUL, { IN("x1", SUB_DTYPES), IN("x2", SUB_DTYPES) }, { OUT("y", SUB_DTYPES) }, { { 0 } } },
	{ "Muls", RSTD__MUL_SCALAR, { IN("x", SCALAR_DTYPES) }, { OUT("y", SCALAR_DTYPES) }, { REQUIRED_FLOAT("value") } },
	{ "RealDiv", RSTD__DIV, { IN("x1", DIV_DTYPES), IN("x2", DIV_DTYPES) }, { OUT("y", DIV_DTYPES) }, { { 0 } } },
	{ "ReduceMean", RSTD__MEAN, { IN("x", NUMBERS), IN("axes", INDEX_DTYPES) }, { OUT("y", NUMBERS) },
	  { BOOL("keep_dims", false), BOOL("noop_with_empty_axes", true) } },
	{ "ReduceMeanD", RSTD__MEAN, { IN("x", FLOATS) }, { OUT("y", FLOATS) },
	  { REQUIRED_INTS("axes"), BOOL("keep_dims", false), BOOL("noop_with_empty_axes", false) } },
	{ "ReduceStdV2", RSTD__STD, { IN("x", FLOATS) }, { OUT("std", FLOATS), OUT("mean", FLOATS) }, STD_V2_ATTRS },
	{ "ReduceStdV2Update", RSTD__STD_UPDATE, { IN("x", FLOATS), IN("mean", FLOATS) }, { OUT("output_var", FLOATS) },
	  { REQUIRED_INTS("dim"), BOOL("if_std", false), BOOL("unbiased", true), BOOL("keepdim", false),
	    INT("correction", 1) } },
	{ "ReduceStdWithMean", RSTD__STD_WITH_MEAN, { IN("x", FLOATS), IN("mean", FLOATS) }, { OUT("y", FLOATS) },
	  { INTS("dim"), BOOL("unbiased", true), BOOL("keepdim", false), BOOL("invert", false), FLOAT("epsilon", 0.001F),
	    INT("correction", 1) } },
	{ "ReduceSum", RSTD__SUM, { IN("x", NUMBERS), IN("axes", INDEX_DTYPES) }, { OUT("y", NUMBERS) },
	  { BOOL("keep_dims", false), BOOL("noop_with_empty_axes", true) } },
	{ "ReduceSumD", RSTD__SUM, { IN("x", FLOATS) }, { OUT("y", FLOATS) },
	  { REQUIRED_INTS("axes"), BOOL("keep_dims", false) } },
	{ "ReduceVar", RSTD__VAR, { IN("x", FLOATS) }, { OUT("var", FLOATS), OUT("mean", FLOATS) }, STD_V2_ATTRS },
	{ "Reshape", RSTD__RESHAPE, { IN("x", ANY), IN("shape", INDEX_DTYPES) }, { OUT("y", ANY) },
	  { INT("axis", 0), INT("num_axes", -1) } },
	{ "Rsqrt", RSTD__RSQRT, { IN("x", UNARY_DTYPES) }, { OUT("y", UNARY_DTYPES) }, { { 0 } } },
	{ "Sqrt", RSTD__SQRT, { IN("x", UNARY_DTYPES) }, { OUT("y", UNARY_DTYPES) }, { { 0 } } },
	{ "Squeeze", RSTD__SQUEEZE, { IN("x", ANY) }, { OUT("y", ANY) }, { INTS("axis") } },
	{ "SqueezeV2", RSTD__SQUEEZE, { IN("x", ANY) }, { OUT("y", ANY) }, { INTS("axis") } },
	{ "SqueezeV3", RSTD__SQUEEZE, { IN("x", ANY), OPTIONAL("axes", INDEX_DTYPES) }, { OUT("y", ANY) }, { { 0 } } },
	{ "Sub", RSTD__SUB, { IN("x1", SUB_DTYPES), IN("x2", SUB_DTYPES) }, { OUT("y", SUB_DTYPES) }, { { 0 } } },
	{ "Unsqueeze", RSTD__UNSQUEEZE, { IN("x", ANY) }, { OUT("y", ANY) }, { INTS("axes") } },
	{ "UnsqueezeV2", RSTD__UNSQUEEZE, { IN("x", ANY) }, { OUT("y", ANY) }, { INTS("axis") } },
	{ "UnsqueezeV3", RSTD__UNSQUEEZE, { IN("x", ANY), IN("axes", INDEX_DTYPES) }, { OUT("y", ANY) }, { { 0 } } },
};
/* clang-format on */

#define PROTOTYPES (sizeof(prototypes) / sizeof(*prototypes))

const struct rstd__proto *rstd__proto_find(const char *type)
{
	for (size_t i = 0; i < PROTOTYPES; i++)
		if (strcmp(prototypes[i].type, type) == 0)
			return &prototypes[i];
	return NULL;
}

const char *rstd_ge_op_type(size_t index)
{
	return index < PROTOTYPES ? prototypes[index].type : NULL;
}

size_t rstd__proto_input_count(const struct rstd__proto *proto)
{
	size_t count = 0;

	while (count < RSTD__MAX_INPUTS && proto->inputs[count].name)
		count++;
	return count;
}

size_t rstd__proto_output_count(const struct rstd__proto *proto)
{
	size_t count = 0;

	while (count < RSTD__MAX_OUTPUTS && proto->outputs[count].name)
		count++;
	return count;
}

const struct rstd__proto_attr *rstd__proto_attr(const struct rstd__proto *proto, const char *name)
{
	for (size_t i = 0; i < RSTD__MAX_ATTRS && proto->attrs[i].name; i++)
		if (strcmp(proto->attrs[i].name, name) == 0)
			return &proto->attrs[i];
	return NULL;
}

/* ---- Operators from the table -------------------------------------------------------------------------------- */

static rstd_ge_status register_all(rstd_op *op, const struct rstd__proto *proto)
{
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < rstd__proto_input_count(proto) && status == RSTD_GE_SUCCESS; i++)
		status = rstd_op_register_input(op, proto->inputs[i].name, proto->inputs[i].kind, "");
	for (size_t i = 0; i < rstd__proto_output_count(proto) && status == RSTD_GE_SUCCESS; i++)
		status = rstd_op_register_output(op, proto->outputs[i].name, proto->outputs[i].kind, "");
	for (size_t i = 0; i < RSTD__MAX_ATTRS && proto->attrs[i].name && status == RSTD_GE_SUCCESS; i++) {
		const struct rstd__proto_attr *attr = &proto->attrs[i];

		status = rstd_op_register_attr(op, attr->name, attr->type, attr->required,
		                               attr->required ? NULL : &attr->value);
	}
	return status;
}

rstd_op *rstd_op_create(const char *name, const char *type)
{
	const struct rstd__proto *proto = rstd__proto_find(rstd__name(type));
	rstd_op *op;

	if (!proto) {
		(void)rstd__ge_fail("type %s is not known; rstd_ge_op_type() lists those that are", rstd__name(type));
		return NULL;
	}
	op = rstd_op_new(name, type);
	if (op && register_all(op, proto) == RSTD_GE_SUCCESS)
		return op;
	rstd_op_unref(op);
	return NULL;
}
