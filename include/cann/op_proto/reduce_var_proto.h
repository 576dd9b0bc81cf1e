/*
 * reduce_var_proto.h - the prototype of ReduceVar
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_REDUCE_VAR_PROTO_H
#define RSTD_CANN_OP_PROTO_REDUCE_VAR_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_REDUCEVAR
#define OPS_PROTO_DEF_REDUCEVAR
namespace ge {
/* Variance and mean over dim. */
REG_OP(ReduceVar)
	.INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.OUTPUT(var, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.OUTPUT(mean, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.ATTR(dim, ListInt, {})
	.ATTR(correction, Int, 1)
	.ATTR(keepdim, Bool, false)
	.ATTR(is_mean_out, Bool, true)
	.OP_END_FACTORY_REG(ReduceVar)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_REDUCE_VAR_PROTO_H */
