/*
 * notify.h - notifies
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_NOTIFY_H
#define RSTD_CANN_ACL_NOTIFY_H

#include <stdint.h>

/* Ends all notifies of a device. */
void rstd__notifies_end(int32_t device);

#endif
