/*
 * ops_proto_nn.h - no prototypes: programs include it, none needs anything of it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_OPS_PROTO_NN_H
#define RSTD_CANN_OP_PROTO_OPS_PROTO_NN_H

#include "graph/operator_reg.h"

#endif /* RSTD_CANN_OP_PROTO_OPS_PROTO_NN_H */
