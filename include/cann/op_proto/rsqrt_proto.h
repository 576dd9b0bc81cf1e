/*
 * rsqrt_proto.h - the prototype of Rsqrt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_RSQRT_PROTO_H
#define RSTD_CANN_OP_PROTO_RSQRT_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_RSQRT
#define OPS_PROTO_DEF_RSQRT
namespace ge {
/* 1 / sqrt(x). */
REG_OP(Rsqrt)
	.INPUT(x, TensorType(UnaryDataType))
	.OUTPUT(y, TensorType(UnaryDataType))
	.OP_END_FACTORY_REG(Rsqrt)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_RSQRT_PROTO_H */
