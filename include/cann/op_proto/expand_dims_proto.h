/*
 * expand_dims_proto.h - the prototype of ExpandDims
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_EXPAND_DIMS_PROTO_H
#define RSTD_CANN_OP_PROTO_EXPAND_DIMS_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_EXPANDDIMS
#define OPS_PROTO_DEF_EXPANDDIMS
namespace ge {
/* x with one axis of length 1 inserted. */
REG_OP(ExpandDims)
	.INPUT(x, TensorType::ALL())
	.INPUT(axis, TensorType({DT_INT32, DT_INT64}))
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(ExpandDims)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_EXPAND_DIMS_PROTO_H */
