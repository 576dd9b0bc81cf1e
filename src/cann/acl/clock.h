/*
 * clock.h - a clock that only runs forward, and waiting by it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_CLOCK_H
#define RSTD_CANN_ACL_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define RSTD_FOREVER INT64_MAX

/* Nanoseconds since some moment. */
int64_t rstd__now(void);

/* The moment that lies so many milliseconds ahead; for -1 RSTD_FOREVER. */
int64_t rstd__deadline(int32_t milliseconds);

/* A condition that rstd__cond_wait() can wait for. False when the system has no room for it. */
bool rstd__cond_init(pthread_cond_t *cond);

/* Waits, as pthread_cond_wait(), until the deadline at the latest; false when that has passed. */
bool rstd__cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t deadline);

/* Whether to look again instead of sleeping: true for a few microseconds, and never when there is only one CPU. */
typedef struct rstd__spin {
	int64_t end;
	unsigned turns;
} rstd__spin;

bool rstd__spin_on(rstd__spin *spin);

/* The CPUs that this process may use, as of the first call. */
int rstd__cpus(void);

#endif
