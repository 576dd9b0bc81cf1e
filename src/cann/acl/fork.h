/*
 * fork.h - the runtime in a child process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_FORK_H
#define RSTD_CANN_ACL_FORK_H

#include <stdbool.h>

/*
 * Sees to it that a child of fork() finds the runtime with its locks free and all that they guard whole. Called before
 * the first context is made, under the lock of the devices. False when the system has no room for it.
 */
bool rstd__fork_prepare(void);

#endif
