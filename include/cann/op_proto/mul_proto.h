/*
 * mul_proto.h - the prototype of Mul
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_MUL_PROTO_H
#define RSTD_CANN_OP_PROTO_MUL_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_MUL
#define OPS_PROTO_DEF_MUL
namespace ge {
/* x1 * x2. */
REG_OP(Mul)
	.INPUT(x1, "T1")
	.INPUT(x2, "T2")
	.OUTPUT(y, "T3")
	.DATATYPE(T1, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_UINT8, DT_INT8, DT_UINT16, DT_INT16, DT_INT32, DT_INT64, DT_BOOL, DT_COMPLEX64, DT_COMPLEX128, DT_BF16, DT_COMPLEX32}))
	.DATATYPE(T2, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_UINT8, DT_INT8, DT_UINT16, DT_INT16, DT_INT32, DT_INT64, DT_BOOL, DT_COMPLEX64, DT_COMPLEX128, DT_BF16, DT_COMPLEX32}))
	.DATATYPE(T3, Promote({"T1", "T2"}))
	.OP_END_FACTORY_REG(Mul)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_MUL_PROTO_H */
