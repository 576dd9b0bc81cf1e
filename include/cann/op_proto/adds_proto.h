/*
 * adds_proto.h - the prototype of Adds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_ADDS_PROTO_H
#define RSTD_CANN_OP_PROTO_ADDS_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_ADDS
#define OPS_PROTO_DEF_ADDS
namespace ge {
/* x plus a number. */
REG_OP(Adds)
	.INPUT(x, TensorType({DT_FLOAT, DT_INT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_BF16}))
	.OUTPUT(y, TensorType({DT_FLOAT, DT_INT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_BF16}))
	.REQUIRED_ATTR(value, Float)
	.OP_END_FACTORY_REG(Adds)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_ADDS_PROTO_H */
