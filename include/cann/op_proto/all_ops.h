/*
 * all_ops.h - all collective prototype headers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_ALL_OPS_H
#define RSTD_CANN_OP_PROTO_ALL_OPS_H

#include "array_ops.h"
#include "elewise_calculation_ops.h"
#include "nn_training_ops.h"
#include "reduce_ops.h"
#include "state_ops.h"
#include "transformation_ops.h"

#endif /* RSTD_CANN_OP_PROTO_ALL_OPS_H */
