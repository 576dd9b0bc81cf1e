/*
 * clock.h - what a sample is timed by
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_CLOCK_H
#define RSTD_BENCH_CLOCK_H

#include <time.h>

/*
 * One thread: its own CPU time, which other processes disturb less than they disturb the wall clock. Several threads:
 * wall time, because what counts is when the last one is done.
 */
static inline double clock_seconds(int threads)
{
	struct timespec now;

	clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
