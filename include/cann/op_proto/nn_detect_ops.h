/*
 * nn_detect_ops.h - no prototypes: programs include it, none needs anything of it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_NN_DETECT_OPS_H
#define RSTD_CANN_OP_PROTO_NN_DETECT_OPS_H

#include "graph/operator_reg.h"

#endif /* RSTD_CANN_OP_PROTO_NN_DETECT_OPS_H */
