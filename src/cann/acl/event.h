/*
 * event.h - events
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_EVENT_H
#define RSTD_CANN_ACL_EVENT_H

#include <stdint.h>

/* Ends all events of a device. */
void rstd__events_end(int32_t device);

/* The lock of events and notifies; of other locks only that of the marks is taken under it. Also for fork(). */
void rstd__events_lock(void);
void rstd__events_unlock(void);

#endif
