/*
 * prototype.h - the operators that the engine knows: inputs, outputs, attributes, dtypes, and what each does
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_PROTOTYPE_H
#define RSTD_CANN_GE_PROTOTYPE_H

#include "cann/ge/value.h"

#define RSTD__MAX_INPUTS      3
#define RSTD__MAX_OUTPUTS     2
#define RSTD__MAX_ATTRS       6

#define RSTD__DTYPE_BIT(name) (UINT64_C(1) << RSTD_DT_##name)

/* What an operator does; infer.c and lower.c have a function for each. */
enum rstd__action {
	RSTD__DATA,
	RSTD__CONST,
	RSTD__IDENTITY,
	RSTD__CAST,
	RSTD__UNSQUEEZE,
	RSTD__SQUEEZE,
	RSTD__RESHAPE,
	RSTD__BROADCAST, /* BroadcastTo: a target of 1 is 1 */
	RSTD__EXPAND,    /* the same, but a target of 1 keeps the length */
	RSTD__ADD,
	RSTD__SUB,
	RSTD__MUL,
	RSTD__DIV,
	RSTD__SQRT,
	RSTD__RSQRT,
	RSTD__ADD_SCALAR,
	RSTD__MUL_SCALAR,
	RSTD__MEAN,
	RSTD__SUM,
	RSTD__STD_WITH_MEAN,
	RSTD__STD,
	RSTD__VAR,
	RSTD__STD_UPDATE, /* ReduceStdV2Update: variance or standard deviation about a given mean */
};

struct rstd__proto_port {
	const char *name; /* NULL past the last */
	rstd_ir_kind kind;
	uint64_t dtypes; /* bits by dtype */
};

struct rstd__proto_attr {
	const char *name; /* NULL past the last */
	const char *type;
	bool required;
	rstd_value value; /* the default; its kind is that of every value */
};

struct rstd__proto {
	const char *type;
	enum rstd__action action;
	struct rstd__proto_port inputs[RSTD__MAX_INPUTS], outputs[RSTD__MAX_OUTPUTS];
	struct rstd__proto_attr attrs[RSTD__MAX_ATTRS];
};

/* NULL for a type that the engine does not know. */
const struct rstd__proto *rstd__proto_find(const char *type);

size_t rstd__proto_input_count(const struct rstd__proto *proto);
size_t rstd__proto_output_count(const struct rstd__proto *proto);

/* An attribute's entry; NULL when the prototype has none of that name. */
const struct rstd__proto_attr *rstd__proto_attr(const struct rstd__proto *proto, const char *name);

#endif
