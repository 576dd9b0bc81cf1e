/*
 * reduce_std_v2_proto.h - the prototype of ReduceStdV2
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_REDUCE_STD_V2_PROTO_H
#define RSTD_CANN_OP_PROTO_REDUCE_STD_V2_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_REDUCESTDV2
#define OPS_PROTO_DEF_REDUCESTDV2
namespace ge {
/* Standard deviation and mean over dim. */
REG_OP(ReduceStdV2)
	.INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.OUTPUT(std, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.OUTPUT(mean, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.ATTR(dim, ListInt, {})
	.ATTR(correction, Int, 1)
	.ATTR(keepdim, Bool, false)
	.ATTR(is_mean_out, Bool, true)
	.OP_END_FACTORY_REG(ReduceStdV2)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_REDUCE_STD_V2_PROTO_H */
