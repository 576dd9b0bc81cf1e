/*
 * cast_proto.h - the prototype of Cast
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_CAST_PROTO_H
#define RSTD_CANN_OP_PROTO_CAST_PROTO_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_CAST
#define OPS_PROTO_DEF_CAST
namespace ge {
/* x in the data type dst_type. */
REG_OP(Cast)
	.INPUT(x, TensorType({RealNumberType(), ComplexDataType(), QuantifiedType(), DT_BOOL, DT_UINT1, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_FLOAT4_E1M2, DT_FLOAT4_E2M1}))
	.OUTPUT(y, TensorType({RealNumberType(), ComplexDataType(), QuantifiedType(), DT_BOOL, DT_INT4, DT_HIFLOAT8, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_FLOAT4_E1M2, DT_FLOAT4_E2M1}))
	.REQUIRED_ATTR(dst_type, Int)
	.OP_END_FACTORY_REG(Cast)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_CAST_PROTO_H */
