/*
 * onednn.h - oneDNN's batch and layer norm, a rival where it is installed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * oneDNN has no function for statistics alone. What they cost is estimated as forward training, which computes them and
 * normalises, less forward with given statistics, which only normalises.
 */
#ifndef RSTD_BENCH_ONEDNN_H
#define RSTD_BENCH_ONEDNN_H

#include <stddef.h>

#include "jobs.h"

/* Version of the library that this program was built with; NULL: without. */
extern const char *const onednn_version;

struct onednn;

/* NULL where oneDNN has nothing for a job, is very slow, or is not there. data holds x. */
struct onednn *onednn_make(const struct job *job, void *data, int threads);
void onednn_free(struct onednn *onednn);

/* Seconds; below 0 on failure. context is a struct onednn. */
double onednn_sample_training(void *context, size_t repeat);
double onednn_sample_given(void *context, size_t repeat);

/* Of output i, after training: the job's result from its biased variance. */
double onednn_output(const struct onednn *onednn, size_t i);

#endif
