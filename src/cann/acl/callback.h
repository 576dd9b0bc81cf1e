/*
 * callback.h - functions of the program in the order of a stream
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_CALLBACK_H
#define RSTD_CANN_ACL_CALLBACK_H

#include <stdbool.h>

#include "cann/acl/stream.h"

/* Ends the subscriptions of a stream that is being destroyed. */
void rstd__servers_leave(rstd__stream *stream);

/* For fork(). */
bool rstd__servers_init(void);
void rstd__servers_lock(void);
void rstd__servers_unlock(void);
void rstd__servers_reset_in_child(void);

#endif
