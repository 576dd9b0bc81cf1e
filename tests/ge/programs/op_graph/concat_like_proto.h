/*
 * concat_like_proto.h - dynamic inputs and outputs, optional ones
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#ifndef OPS_BUILT_IN_OP_PROTO_INC_CONCAT_LIKE_PROTO_H_
#define OPS_BUILT_IN_OP_PROTO_INC_CONCAT_LIKE_PROTO_H_

#include "graph/operator_reg.h"
#include "graph/operator.h"

namespace ge {
REG_OP(ConcatLike)
	.DYNAMIC_INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, BasicType()}))
	.OPTIONAL_INPUT(bias, TensorType{(DT_FLOAT, DT_FLOAT16)})
	.OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
	.DYNAMIC_OUTPUT(parts, TensorType(UnaryDataType))
	.ATTR(N, Int, 1)
	.ATTR(strides, ListInt, {1, 1, 1, 1})
	.OP_END_FACTORY_REG(ConcatLike)
} // namespace ge

#endif
