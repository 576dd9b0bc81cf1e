/*
 * sqrt_proto.h - the prototype of Sqrt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_SQRT_PROTO_H
#define RSTD_CANN_OP_PROTO_SQRT_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_SQRT
#define OPS_PROTO_DEF_SQRT
namespace ge {
/* The square root of x. */
REG_OP(Sqrt)
	.INPUT(x, TensorType({DT_BF16, DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128}))
	.OUTPUT(y, TensorType({DT_BF16, DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128}))
	.OP_END_FACTORY_REG(Sqrt)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_SQRT_PROTO_H */
