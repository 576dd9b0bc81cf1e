/*
 * bare_proto.h - a prototype that leaves the includes to the program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#ifndef OPS_BUILT_IN_OP_PROTO_INC_BARE_PROTO_H_
#define OPS_BUILT_IN_OP_PROTO_INC_BARE_PROTO_H_

namespace ge {
REG_OP(Bare)
	.INPUT(x, TensorType({DT_FLOAT}))
	.OUTPUT(y, TensorType({DT_FLOAT}))
	.OP_END_FACTORY_REG(Bare)
} // namespace ge

#endif
