/*
 * device.h - the device, which is the CPU
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_DEVICE_H
#define RSTD_CANN_ACL_DEVICE_H

#include <stdint.h>

#include "acl/acl_rt.h"

#define RSTD_DEVICES 1

struct rstd__product;

/* The chip that RSTD_SOC names; fails when it names none. */
aclError rstd__device_product(const struct rstd__product **product);

/* ACL_SUCCESS, or ACL_ERROR_RT_INVALID_DEVICEID with a sentence that names the argument. */
aclError rstd__device_check(int32_t id, const char *argument);

/* A context of the device has ended: with the last one goes what else the device has. */
void rstd__device_left(int32_t id);

/* Contexts come under this lock, and the device is released under it. */
void rstd__devices_lock(void);
void rstd__devices_unlock(void);

#endif
