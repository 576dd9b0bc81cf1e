/*
 * branch_proto.h - a prototype with subgraphs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#ifndef OPS_BUILT_IN_OP_PROTO_INC_BRANCH_PROTO_H_
#define OPS_BUILT_IN_OP_PROTO_INC_BRANCH_PROTO_H_

#include "graph/operator_reg.h"

namespace ge {
REG_OP(BranchLike)
	.INPUT(cond, TensorType::ALL())
	.DYNAMIC_INPUT(input, TensorType::ALL())
	.DYNAMIC_OUTPUT(output, TensorType::ALL())
	.GRAPH(then_branch)
	.DYNAMIC_GRAPH(branches)
	.OP_END_FACTORY_REG(BranchLike)
} // namespace ge

#endif
