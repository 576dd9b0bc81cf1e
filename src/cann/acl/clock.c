/*
 * clock.c - a clock that only runs forward, and waiting by it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "cann/acl/clock.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define SPIN_NS   20000 /* to sleep and to be woken costs about as much */
#define SPIN_ROW  16    /* looks between two looks at the clock */

int64_t rstd__now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t rstd__deadline(int32_t milliseconds)
{
	return milliseconds < 0 ? RSTD_FOREVER : rstd__now() + milliseconds * NS_PER_MS;
}

bool rstd__cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	if (pthread_condattr_init(&attr) != 0)
		return false;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	const int error = pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
	return error == 0;
}

bool rstd__cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t deadline)
{
	if (deadline == RSTD_FOREVER) {
		pthread_cond_wait(cond, lock);
		return true;
	}
	const struct timespec t = { .tv_sec = (time_t)(deadline / NS_PER_S), .tv_nsec = (long)(deadline % NS_PER_S) };
	return pthread_cond_timedwait(cond, lock, &t) != ETIMEDOUT;
}

int rstd__cpus(void)
{
	static atomic_int known;
	int count = atomic_load_explicit(&known, memory_order_relaxed);

	if (count == 0) {
		cpu_set_t sets[8]; /* 8192 CPUs */

		count = sched_getaffinity(0, sizeof(sets), sets) == 0 ? CPU_COUNT_S(sizeof(sets), sets) : 1;
		atomic_store_explicit(&known, count, memory_order_relaxed);
	}
	return count;
}

static void relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause");
#else
	__asm__ volatile("yield");
#endif
}

bool rstd__spin_on(rstd__spin *spin)
{
	relax();
	if (++spin->turns % SPIN_ROW != 1)
		return true;
	if (rstd__cpus() < 2)
		return false;
	/* Who is waited for may have been put on this very CPU. */
	sched_yield();
	const int64_t now = rstd__now();
	if (spin->end == 0)
		spin->end = now + SPIN_NS;
	return now < spin->end;
}
