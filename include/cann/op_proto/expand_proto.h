/*
 * expand_proto.h - the prototype of Expand
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_EXPAND_PROTO_H
#define RSTD_CANN_OP_PROTO_EXPAND_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_EXPAND
#define OPS_PROTO_DEF_EXPAND
namespace ge {
/* BroadcastTo in which a length of 1 keeps that of x. */
REG_OP(Expand)
	.INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_INT64, DT_INT8, DT_UINT8, DT_BOOL, DT_BF16}))
	.INPUT(shape, TensorType({DT_INT32, DT_INT64}))
	.OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_INT64, DT_INT8, DT_UINT8, DT_BOOL, DT_BF16}))
	.OP_END_FACTORY_REG(Expand)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_EXPAND_PROTO_H */
