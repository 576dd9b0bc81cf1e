/*
 * axpy_proto.h - a prototype with symbols, promoted
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#ifndef OPS_BUILT_IN_OP_PROTO_INC_AXPY_PROTO_H_
#define OPS_BUILT_IN_OP_PROTO_INC_AXPY_PROTO_H_

#include "graph/operator_reg.h"
#include "graph/types.h"

namespace ge {
REG_OP(Axpy)
	.INPUT(x1, "T1")
	.INPUT(x2, "T2")
	.OUTPUT(y, "T3")
	.REQUIRED_ATTR(alpha, Float)
	.DATATYPE(T1, TensorType({DT_FLOAT, DT_INT32, DT_FLOAT16, DT_BF16}))
	.DATATYPE(T2, TensorType({DT_FLOAT, DT_INT32, DT_FLOAT16, DT_BF16}))
	.DATATYPE(T3, Promote({"T1", "T2"}))
	.OP_END_FACTORY_REG(Axpy)
} // namespace ge

#endif
