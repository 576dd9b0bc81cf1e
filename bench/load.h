/*
 * load.h - how fast this machine reads memory: loops that load and do nothing else
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_LOAD_H
#define RSTD_BENCH_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Reads every 64-byte line of bytes (a multiple of LOAD_STEP) at data (64-byte aligned). */
typedef void load_fn(const unsigned char *data, size_t bytes);

#define LOAD_STEP 256

struct load_loop {
	const char *name;
	load_fn *run;
	bool (*has)(void); /* whether this machine has the instructions; NULL: always */
};

/*
 * No single loop is the limit everywhere: full-rate wide loads are the fastest from a cache; from memory it is narrow
 * or paced ones on some machines, prefetching or several streams at once on others. The limit of a round is the best of
 * all. Ends with a NULL name.
 */
extern const struct load_loop load_loops[];

#define LOAD_LOOPS_MAX 8

/* Seconds to read bytes at data repeat times with one loop on so many threads; the time to start them not counted. */
double load_sample(const struct load_loop *loop, const void *data, size_t bytes, int threads, size_t repeat);

#endif
