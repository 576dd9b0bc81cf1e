/*
 * threads.h - one loop shared by several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_RUNTIME_THREADS_H
#define RSTD_RUNTIME_THREADS_H

#include <stddef.h>

#define RSTD__MAX_THREADS 1024 /* the calling thread included */

/*
 * Called once for each index of a loop, on any thread, in any order; calls for different indices may overlap. It must
 * return (no longjmp, no thread exit). Workers run it with the default floating-point mode and with
 * all signals blocked but those that report a fault of their own.
 */
typedef void rstd__loop_body(void *context, size_t index);

/*
 * Calls body(context, i) for every i in [0, count) on the calling thread and on at most threads - 1 workers, and
 * returns when all calls have returned. Everything that the calls wrote is then visible to the caller. In a child that
 * was forked in the middle of the loop all calls are made again. Never fails: with no worker to be had (none could be
 * started, another caller is using them, a call from inside a body) the caller does all. Works in a forked child.
 *
 * A sleeping worker joins after 25 to 50 us, one that has just left another loop within 1 us; a loop shorter than about
 * 100 us is best done with threads 1.
 */
void rstd__parallel_for(int threads, size_t count, rstd__loop_body *body, void *context);

/* The number that rstd_get_num_threads() reports: set, from the environment, or the CPUs allowed to this process. */
int rstd__num_threads(void);

#endif
