/*
 * nn_training_ops.h - prototypes of operators for training
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_NN_TRAINING_OPS_H
#define RSTD_CANN_OP_PROTO_NN_TRAINING_OPS_H

#include "graph/operator_reg.h"

#ifndef OPS_PROTO_DEF_BNTRAININGREDUCE
#define OPS_PROTO_DEF_BNTRAININGREDUCE
namespace ge {
/* Sums and sums of squares per channel. rstd declares it so that programs compile; it does not run. */
REG_OP(BNTrainingReduce)
	.INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
	.OUTPUT(sum, TensorType({DT_FLOAT}))
	.OUTPUT(square_sum, TensorType({DT_FLOAT}))
	.OP_END_FACTORY_REG(BNTrainingReduce)
} /* namespace ge */
#endif

#endif /* RSTD_CANN_OP_PROTO_NN_TRAINING_OPS_H */
