/*
 * broadcast_to_proto.h - the prototype of BroadcastTo
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_BROADCAST_TO_PROTO_H
#define RSTD_CANN_OP_PROTO_BROADCAST_TO_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_BROADCASTTO
#define OPS_PROTO_DEF_BROADCASTTO
namespace ge {
/* x repeated along axes until it has the given shape. */
REG_OP(BroadcastTo)
	.INPUT(x, TensorType({BasicType(), DT_BOOL, DT_STRING, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
	.INPUT(shape, TensorType({DT_INT32, DT_INT64}))
	.OUTPUT(y, TensorType({BasicType(), DT_BOOL, DT_STRING, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN}))
	.OP_END_FACTORY_REG(BroadcastTo)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_BROADCAST_TO_PROTO_H */
