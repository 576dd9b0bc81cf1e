/*
 * guarded_proto.h - two prototypes with guards, one of which rstd has too
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#ifndef OPS_BUILT_IN_OP_PROTO_INC_GUARDED_PROTO_H_
#define OPS_BUILT_IN_OP_PROTO_INC_GUARDED_PROTO_H_

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_REDUCESTDWITHMEAN
#define OPS_PROTO_DEF_REDUCESTDWITHMEAN
namespace ge {
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
} // namespace ge
#endif

#ifndef OPS_PROTO_DEF_GUARDEDALONE
#define OPS_PROTO_DEF_GUARDEDALONE
namespace ge {
REG_OP(GuardedAlone)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(GuardedAlone)
} // namespace ge
#endif

#endif
