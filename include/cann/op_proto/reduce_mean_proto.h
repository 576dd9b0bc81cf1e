/*
 * reduce_mean_proto.h - the prototype of ReduceMean
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_REDUCE_MEAN_PROTO_H
#define RSTD_CANN_OP_PROTO_REDUCE_MEAN_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_REDUCEMEAN
#define OPS_PROTO_DEF_REDUCEMEAN
namespace ge {
/* Mean over axes. */
REG_OP(ReduceMean)
	.INPUT(x, TensorType::NumberType())
	.INPUT(axes, TensorType::IndexNumberType())
	.OUTPUT(y, TensorType::NumberType())
	.ATTR(keep_dims, Bool, false)
	.ATTR(noop_with_empty_axes, Bool, true)
	.OP_END_FACTORY_REG(ReduceMean)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_REDUCE_MEAN_PROTO_H */
