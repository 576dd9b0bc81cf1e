/*
 * muls_proto.h - the prototype of Muls
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_MULS_PROTO_H
#define RSTD_CANN_OP_PROTO_MULS_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_MULS
#define OPS_PROTO_DEF_MULS
namespace ge {
/* x times a number. */
REG_OP(Muls)
	.INPUT(x, TensorType({DT_FLOAT, DT_INT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_BF16, DT_COMPLEX32, DT_COMPLEX64}))
	.OUTPUT(y, TensorType({DT_FLOAT, DT_INT16, DT_INT32, DT_INT64, DT_FLOAT16, DT_BF16, DT_COMPLEX32, DT_COMPLEX64}))
	.REQUIRED_ATTR(value, Float)
	.OP_END_FACTORY_REG(Muls)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_MULS_PROTO_H */
