/*
 * threads.h - one loop shared by several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_RUNTIME_THREADS_H
#define RSTD_RUNTIME_THREADS_H

#include <stddef.h>

/* Called once for each index of a loop, on any thread, in any order; calls for different indices may overlap. */
typedef void rstd__loop_body(void *context, size_t index);

/*
 * Calls body(context, i) for every i in [0, count) on the calling thread and on at most threads - 1 workers, and
 * returns when all calls have returned. Everything that the calls wrote is then visible to the caller. Never fails:
 * with no worker to be had (none could be started, another caller is using them, a forked child) the caller does all.
 */
void rstd__parallel_for(int threads, size_t count, rstd__loop_body *body, void *context);

/* The number that rstd_get_num_threads() reports: set, from the environment, or the CPUs allowed to this process. */
int rstd__num_threads(void);

#endif
