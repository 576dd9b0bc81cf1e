/*
 * reduce_sum_proto.h - the prototype of ReduceSum
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_REDUCE_SUM_PROTO_H
#define RSTD_CANN_OP_PROTO_REDUCE_SUM_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_REDUCESUM
#define OPS_PROTO_DEF_REDUCESUM
namespace ge {
/* Sum over axes. */
REG_OP(ReduceSum)
	.INPUT(x, TensorType::NumberType())
	.INPUT(axes, TensorType::IndexNumberType())
	.OUTPUT(y, TensorType::NumberType())
	.ATTR(keep_dims, Bool, false)
	.ATTR(noop_with_empty_axes, Bool, true)
	.OP_END_FACTORY_REG(ReduceSum)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_REDUCE_SUM_PROTO_H */
