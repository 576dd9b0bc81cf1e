/*
 * measure.c - repeats, rounds, medians
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>

#define REPEAT_MAX ((size_t)1 << 30)

/* Doubles repeat until a sample is long enough to tell, then scales it; the first sample only warms up. */
static double calibrate(struct contender *contender, double sample_seconds)
{
	double seconds = contender->sample(contender->context, 1);

	for (contender->repeat = 1; contender->repeat < REPEAT_MAX; contender->repeat *= 2) {
		seconds = contender->sample(contender->context, contender->repeat);
		if (seconds < 0 || seconds >= sample_seconds)
			return seconds;
		if (seconds >= sample_seconds / 8)
			break;
	}
	contender->repeat = (size_t)ceil((double)contender->repeat * sample_seconds / seconds);
	return sample_seconds;
}

bool measure(struct measurement *measurement, const struct effort *effort)
{
	double round_seconds = 0;

	for (size_t i = 0; i < measurement->count; i++) {
		const double seconds = calibrate(&measurement->contenders[i], effort->sample_seconds);

		if (seconds < 0)
			return false;
		round_seconds += seconds;
	}
	measurement->rounds = (size_t)fmin(effort->seconds / round_seconds, ROUNDS_MAX);
	if (measurement->rounds < effort->rounds_min)
		measurement->rounds = effort->rounds_min;
	for (size_t round = 0; round < measurement->rounds; round++) {
		for (size_t i = 0; i < measurement->count; i++) {
			struct contender *contender = &measurement->contenders[(round + i) % measurement->count];
			const double seconds = contender->sample(contender->context, contender->repeat);

			if (seconds < 0)
				return false;
			contender->seconds[round] = seconds / (double)contender->repeat;
		}
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

struct summary summarise(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return (struct summary){ (values[(count - 1) / 2] + values[count / 2]) / 2, values[0], values[count - 1] };
}
