/*
 * reduce_ops.h - prototypes of reductions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_REDUCE_OPS_H
#define RSTD_CANN_OP_PROTO_REDUCE_OPS_H

#include "reduce_std_v2_update_proto.h"

#endif /* RSTD_CANN_OP_PROTO_REDUCE_OPS_H */
