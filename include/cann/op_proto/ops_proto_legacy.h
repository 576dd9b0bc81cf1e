/*
 * ops_proto_legacy.h - prototypes under a former collective name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_OP_PROTO_OPS_PROTO_LEGACY_H
#define RSTD_CANN_OP_PROTO_OPS_PROTO_LEGACY_H

#include "array_ops.h"

#endif /* RSTD_CANN_OP_PROTO_OPS_PROTO_LEGACY_H */
