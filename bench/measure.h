/*
 * measure.h - contenders measured in turns, so that whatever disturbs one disturbs all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_MEASURE_H
#define RSTD_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#define ROUNDS_MAX     200
#define CONTENDERS_MAX 12

struct contender {
	/* Does its work repeat times and returns the seconds that this took; below 0 on failure. */
	double (*sample)(void *context, size_t repeat);
	void *context;
	size_t repeat;              /* work in a sample */
	double seconds[ROUNDS_MAX]; /* for one piece of work, in each round */
};

struct measurement {
	struct contender contenders[CONTENDERS_MAX];
	size_t count;
	size_t rounds;
};

struct effort {
	double seconds;        /* to spend on all rounds */
	double sample_seconds; /* a sample lasts at least this long */
	size_t rounds_min;     /* even when that takes longer */
};

/*
 * First finds each contender's repeat, which also warms it up, then runs rounds: each contender once in each, starting
 * with another one each time. False when a sample failed.
 */
bool measure(struct measurement *measurement, const struct effort *effort);

struct summary {
	double median, min, max;
};

/* Of count values, count > 0; reorders them. */
struct summary summarise(double *values, size_t count);

#endif
