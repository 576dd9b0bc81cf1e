/*
 * ge_error_codes.h - another name for graph/error_codes.h
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_GE_ERROR_CODES_H
#define RSTD_CANN_GRAPH_GE_ERROR_CODES_H

#include "./error_codes.h"

#endif /* RSTD_CANN_GRAPH_GE_ERROR_CODES_H */
