/*
 * ge_error_codes.h - the visibility macro of the graph engine
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * No function of this library returns a code of the graph engine (ACL_ERROR_GE_...), so none is defined here.
 */
#ifndef RSTD_CANN_ACL_GE_ERROR_CODES_H
#define RSTD_CANN_ACL_GE_ERROR_CODES_H

#ifndef GE_FUNC_VISIBILITY
#if defined(FUNC_VISIBILITY) && defined(__GNUC__)
#define GE_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define GE_FUNC_VISIBILITY
#endif
#endif

#endif
