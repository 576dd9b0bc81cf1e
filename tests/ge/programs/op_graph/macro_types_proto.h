/*
 * macro_types_proto.h - a list of types behind a macro, and attributes of every kind that prototypes have
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#ifndef OPS_BUILT_IN_OP_PROTO_INC_MACRO_TYPES_PROTO_H_
#define OPS_BUILT_IN_OP_PROTO_INC_MACRO_TYPES_PROTO_H_

#include "graph/operator_reg.h"

#define POW_TYPES DT_FLOAT, DT_FLOAT16, DT_INT8

namespace ge {
REG_OP(MacroTypes)
	.INPUT(base, TensorType({POW_TYPES}))
	.OUTPUT(y, TensorType({POW_TYPES}))
	.ATTR(dst_type, Type, DT_FLOAT)
	.ATTR(mode, String, "mean")
	.ATTR(empty, String, "")
	.ATTR(scales, ListFloat, {0.0f, 0.0f})
	.ATTR(flags, ListBool, {true, false, false})
	.ATTR(axes, ListInt, {-1})
	.ATTR(names, ListString, {})
	.ATTR(types, ListType, {})
	.ATTR(value, Tensor, Tensor())
	.ATTR(eps, Float, 1e-5f)
	.ATTR(type, Int, DT_INT8)
	.REQUIRED_ATTR(groups, ListListInt)
	.REQUIRED_ATTR(flag, Bool)
	.OP_END_FACTORY_REG(MacroTypes)
} // namespace ge
#undef POW_TYPES

#endif
