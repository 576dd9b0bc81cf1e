/*
 * state_ops.h - prototypes of operators with a state
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_STATE_OPS_H
#define RSTD_CANN_OP_PROTO_STATE_OPS_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_VARIABLE
#define OPS_PROTO_DEF_VARIABLE
namespace ge {
/* A tensor that keeps its value from run to run. rstd declares it so that programs compile; it does not run. */
REG_OP(Variable)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(index, Int, 0)
	.ATTR(value, Tensor, Tensor())
	.ATTR(container, String, "")
	.ATTR(shared_name, String, "")
	.OP_END_FACTORY_REG(Variable)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_ASSIGN
#define OPS_PROTO_DEF_ASSIGN
namespace ge {
/* Gives a Variable a value. rstd declares it so that programs compile; it does not run. */
REG_OP(Assign)
	.INPUT(ref, TensorType({BasicType(), DT_BOOL, DT_STRING}))
	.INPUT(value, TensorType({BasicType(), DT_BOOL, DT_STRING}))
	.OUTPUT(ref, TensorType({BasicType(), DT_BOOL, DT_STRING}))
	.ATTR(validate_shape, Bool, true)
	.ATTR(use_locking, Bool, false)
	.OP_END_FACTORY_REG(Assign)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_STATE_OPS_H */
