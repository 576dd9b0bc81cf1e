/*
 * elewise_calculation_ops.h - prototypes of element-wise operators
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_ELEWISE_CALCULATION_OPS_H
#define RSTD_CANN_OP_PROTO_ELEWISE_CALCULATION_OPS_H

#include "cast_proto.h"
#include "sqrt_proto.h"

#endif /* RSTD_CANN_OP_PROTO_ELEWISE_CALCULATION_OPS_H */
