/*
 * reduce_std_with_mean_proto.h - the prototype of ReduceStdWithMean
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_REDUCE_STD_WITH_MEAN_PROTO_H
#define RSTD_CANN_OP_PROTO_REDUCE_STD_WITH_MEAN_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_REDUCESTDWITHMEAN
#define OPS_PROTO_DEF_REDUCESTDWITHMEAN
namespace ge {
/* Standard deviation over dim about a given mean, or 1 / sqrt(variance + epsilon) with invert. */
REG_OP(ReduceStdWithMean)
	.INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.INPUT(mean, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
	.ATTR(dim, ListInt, {})
	.ATTR(unbiased, Bool, true)
	.ATTR(keepdim, Bool, false)
	.ATTR(invert, Bool, false)
	.ATTR(epsilon, Float, 0.001)
	.ATTR(correction, Int, 1)
	.OP_END_FACTORY_REG(ReduceStdWithMean)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_REDUCE_STD_WITH_MEAN_PROTO_H */
