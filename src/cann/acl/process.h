/*
 * process.h - what concerns the process as a whole
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_PROCESS_H
#define RSTD_CANN_ACL_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* A setting, of the process or of a context, that may never have been set. */
typedef struct rstd__setting {
	_Atomic int64_t value;
	atomic_bool set;
} rstd__setting;

void rstd__setting_set(rstd__setting *setting, int64_t value);
aclError rstd__setting_get(const rstd__setting *setting, aclSysParamOpt opt, int64_t *value);

/* For fork(). */
void rstd__process_lock(void);
void rstd__process_unlock(void);

#endif
