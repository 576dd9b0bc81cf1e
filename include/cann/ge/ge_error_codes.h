/*
 * ge_error_codes.h - the numbers by which acl functions report errors of the graph engine
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * None is returned by a function of rstd.
 */
#ifndef RSTD_CANN_GE_GE_ERROR_CODES_H
#define RSTD_CANN_GE_GE_ERROR_CODES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t ACL_ERROR_GE_PARAM_INVALID = 145000U;
static const uint32_t ACL_ERROR_GE_EXEC_NOT_INIT = 145001U;
static const uint32_t ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID = 145002U;
static const uint32_t ACL_ERROR_GE_EXEC_MODEL_ID_INVALID = 145003U;
static const uint32_t ACL_ERROR_GE_MEMORY_ALLOCATION = 245000U;
static const uint32_t ACL_ERROR_GE_INTERNAL_ERROR = 545000U;
static const uint32_t ACL_ERROR_GE_LOAD_MODEL = 545001U;

#ifdef __cplusplus
}
#endif

#endif /* RSTD_CANN_GE_GE_ERROR_CODES_H */
