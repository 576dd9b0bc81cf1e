/*
 * model.h - a graph as the message that .air files and text dumps hold (proto/ge_ir.proto), and back
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_MODEL_H
#define RSTD_CANN_GE_MODEL_H

#include "cann/ge/family.h"
#include "ge_ir.pb-c.h"

/*
 * The message of a graph, the first of its family, in the arena, parts of it in the graphs themselves; NULL when memory
 * runs out. The values of Const and Constant operators are left out on request, as CANN's dumps do.
 */
Ge__Proto__ModelDef *rstd__model_write(const struct rstd__family *family, bool with_values, struct rstd__arena *arena);

/* A new reference to a graph, or NULL with a message: what does not fit together is refused. */
rstd_graph *rstd__model_read(const Ge__Proto__ModelDef *model);

/* Numbers of the message's DataType, which are not those of ge::DataType. */
Ge__Proto__DataType rstd__dtype_to_proto(int32_t dtype);
int32_t rstd__dtype_from_proto(Ge__Proto__DataType dtype);

/* Attributes of an operator in which the message keeps the names of its prototype, inputs and outputs. */
#define RSTD_INPUT_NAMES     "_input_name_key"
#define RSTD_INPUT_INDEXES   "_input_name_value"
#define RSTD_OUTPUT_NAMES    "_output_name_key"
#define RSTD_OUTPUT_INDEXES  "_output_name_value"
#define RSTD_OPTIONAL        "_opt_input"
#define RSTD_IR_ATTRS        "_ir_attr_names"
#define RSTD_IR_INPUTS       "_ir_inputs_key"
#define RSTD_IR_INPUT_KINDS  "_ir_inputs_value"
#define RSTD_IR_OUTPUTS      "_ir_outputs_key"
#define RSTD_IR_OUTPUT_KINDS "_ir_outputs_value"

/* The attribute of a desc that has the lengths which its unknown axes may have. */
#define RSTD_SHAPE_RANGE "shape_range"

/* The attribute of a graph that names its targets; CANN's message has no field for them. */
#define RSTD_TARGETS "_rstd_targets"

#endif
