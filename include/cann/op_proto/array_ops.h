/*
 * array_ops.h - prototypes of feeds, constants and operators on shapes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_ARRAY_OPS_H
#define RSTD_CANN_OP_PROTO_ARRAY_OPS_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_DATA
#define OPS_PROTO_DEF_DATA
namespace ge {
/* A feed of the graph: the index-th tensor that RunGraph() is given. */
REG_OP(Data)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(index, Int, 0)
	.OP_END_FACTORY_REG(Data)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_CONST
#define OPS_PROTO_DEF_CONST
namespace ge {
/* A tensor that is part of the graph. */
REG_OP(Const)
	.OUTPUT(y, TensorType::ALL())
	.ATTR(value, Tensor, Tensor())
	.OP_END_FACTORY_REG(Const)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_CONSTANT
#define OPS_PROTO_DEF_CONSTANT
namespace ge {
/* Const under another name. */
REG_OP(Constant)
	.OUTPUT(y, TensorType::ALL())
	.ATTR(value, Tensor, Tensor())
	.OP_END_FACTORY_REG(Constant)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_IDENTITY
#define OPS_PROTO_DEF_IDENTITY
namespace ge {
/* y = x. */
REG_OP(Identity)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(Identity)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_IDENTITYN
#define OPS_PROTO_DEF_IDENTITYN
namespace ge {
/* Each y is the x of the same place. */
REG_OP(IdentityN)
	.DYNAMIC_INPUT(x, TensorType::ALL())
	.DYNAMIC_OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(IdentityN)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_RESHAPE
#define OPS_PROTO_DEF_RESHAPE
namespace ge {
/* The elements of x in another shape, which replaces num_axes axes from axis on. One length may be -1: what is left. */
REG_OP(Reshape)
	.INPUT(x, TensorType::ALL())
	.INPUT(shape, TensorType({DT_INT32, DT_INT64}))
	.OUTPUT(y, TensorType::ALL())
	.ATTR(axis, Int, 0)
	.ATTR(num_axes, Int, -1)
	.OP_END_FACTORY_REG(Reshape)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_SQUEEZE
#define OPS_PROTO_DEF_SQUEEZE
namespace ge {
/* x without the axes of length 1 that are named; without all of them when none is. */
REG_OP(Squeeze)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(axis, ListInt, {})
	.OP_END_FACTORY_REG(Squeeze)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_SQUEEZEV2
#define OPS_PROTO_DEF_SQUEEZEV2
namespace ge {
/* Squeeze. */
REG_OP(SqueezeV2)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(axis, ListInt, {})
	.OP_END_FACTORY_REG(SqueezeV2)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_SQUEEZEV3
#define OPS_PROTO_DEF_SQUEEZEV3
namespace ge {
/* Squeeze whose axes are an input. */
REG_OP(SqueezeV3)
	.INPUT(x, TensorType::ALL())
	.OPTIONAL_INPUT(axes, TensorType({DT_INT64}))
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(SqueezeV3)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_UNSQUEEZE
#define OPS_PROTO_DEF_UNSQUEEZE
namespace ge {
/* x with axes of length 1 inserted; the axes count in the rank of y. */
REG_OP(Unsqueeze)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(axes, ListInt, {})
	.OP_END_FACTORY_REG(Unsqueeze)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_UNSQUEEZEV2
#define OPS_PROTO_DEF_UNSQUEEZEV2
namespace ge {
/* Unsqueeze. */
REG_OP(UnsqueezeV2)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(axis, ListInt, {})
	.OP_END_FACTORY_REG(UnsqueezeV2)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_UNSQUEEZEV3
#define OPS_PROTO_DEF_UNSQUEEZEV3
namespace ge {
/* Unsqueeze whose axes are an input. */
REG_OP(UnsqueezeV3)
	.INPUT(x, TensorType::ALL())
	.INPUT(axes, TensorType({DT_INT64}))
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(UnsqueezeV3)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_SHAPE
#define OPS_PROTO_DEF_SHAPE
namespace ge {
/* The lengths of the axes of x. */
REG_OP(Shape)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType({DT_INT32, DT_INT64}))
	.ATTR(dtype, Int, DT_INT32)
	.OP_END_FACTORY_REG(Shape)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_SHAPEN
#define OPS_PROTO_DEF_SHAPEN
namespace ge {
/* The lengths of the axes of each x. */
REG_OP(ShapeN)
	.DYNAMIC_INPUT(x, TensorType::ALL())
	.DYNAMIC_OUTPUT(y, TensorType({DT_INT32, DT_INT64}))
	.ATTR(dtype, Int, DT_INT32)
	.OP_END_FACTORY_REG(ShapeN)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_RANK
#define OPS_PROTO_DEF_RANK
namespace ge {
/* The number of axes of x. */
REG_OP(Rank)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType({DT_INT32}))
	.OP_END_FACTORY_REG(Rank)
} /* namespace ge */
#endif

#ifndef OPS_PROTO_DEF_GETSHAPE
#define OPS_PROTO_DEF_GETSHAPE
namespace ge {
/* The lengths of the axes of every x, one after the other. */
REG_OP(GetShape)
	.DYNAMIC_INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType({DT_INT32}))
	.OP_END_FACTORY_REG(GetShape)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_ARRAY_OPS_H */
