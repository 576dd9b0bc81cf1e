/*
 * reduce_std_v2_update_proto.h - the prototype of ReduceStdV2Update
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_REDUCE_STD_V2_UPDATE_PROTO_H
#define RSTD_CANN_OP_PROTO_REDUCE_STD_V2_UPDATE_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_REDUCESTDV2UPDATE
#define OPS_PROTO_DEF_REDUCESTDV2UPDATE
namespace ge {
/* Variance over dim about a given mean, or its root with if_std. */
REG_OP(ReduceStdV2Update)
	.INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.INPUT(mean, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.OUTPUT(output_var, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.REQUIRED_ATTR(dim, ListInt)
	.ATTR(if_std, Bool, false)
	.ATTR(unbiased, Bool, true)
	.ATTR(keepdim, Bool, false)
	.ATTR(correction, Int, 1)
	.OP_END_FACTORY_REG(ReduceStdV2Update)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_REDUCE_STD_V2_UPDATE_PROTO_H */
