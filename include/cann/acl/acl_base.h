/*
 * acl_base.h - what every other header of CANN's interface stands on: types, error codes, descriptions of data
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_BASE_H
#define RSTD_CANN_ACL_BASE_H

#include "acl/acl_base_rt.h"

#include "acl/acl_base_mdl.h"
#include "acl/error_codes/ge_error_codes.h"
#include "acl/error_codes/rt_error_codes.h"

#endif
