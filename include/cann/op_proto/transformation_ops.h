/*
 * transformation_ops.h - prototypes of operators that move elements
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_TRANSFORMATION_OPS_H
#define RSTD_CANN_OP_PROTO_TRANSFORMATION_OPS_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_PERMUTE
#define OPS_PROTO_DEF_PERMUTE
namespace ge {
/* x with its axes in another order. rstd declares it so that programs compile; it does not run. */
REG_OP(Permute)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(order, ListInt, {0})
	.OP_END_FACTORY_REG(Permute)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_TRANSFORMATION_OPS_H */
