/*
 * jobs.h - what is measured: shapes, layouts, dtypes, operators
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_JOBS_H
#define RSTD_BENCH_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "plain.h"
#include "rstd/rstd.h"

enum job_op {
	JOB_STD,        /* rstd_plan_std_mean(), std only */
	JOB_GIVEN_MEAN, /* rstd_plan_reduce_std_with_mean() */
	JOB_BATCH_NORM, /* rstd_plan_batch_norm_stats(), both outputs */
	JOB_MOMENTS,    /* rstd_moments_update(), a state for each output */
};

struct job {
	char name[40];
	enum job_op op;
	/* Views without data: x starts at byte 0 of the data, mean at byte mean_at, y at byte 0 of the results. */
	rstd_tensor x, mean, y;
	size_t mean_at;
	int64_t dim[RSTD_MAX_RANK];
	size_t dim_count;
	size_t outputs;
	size_t elements;   /* of x */
	size_t bytes_read; /* of x, and of mean where it is as large */
	size_t bytes_span; /* from the first byte of x to the last of x or mean */
	/* The same for plain_run(), pointers unset. */
	struct plain_shape plain;
	enum plain_mean plain_mean;
	size_t plain_mean_stride;
};

#define JOBS_MAX    4096
#define JOB_EPSILON 1e-5

/* Fills jobs with every job, arrays of "memory size" being large bytes; returns how many. */
size_t jobs_make(struct job jobs[JOBS_MAX], size_t large);

/*
 * The same with a sweep: std of [outer][reduced][inner] over the middle axis, every length a power of two or odd, up to
 * SWEEP_ELEMENTS in all. With few, only every second length.
 */
size_t jobs_make_sweep(struct job jobs[JOBS_MAX], bool few);
#define SWEEP_ELEMENTS ((size_t)10 * 1000 * 1000)

/* The same with one such shape. */
size_t jobs_make_shape(struct job jobs[JOBS_MAX], const size_t shape[3]);

/* "f32", "f16" or "bf16", and the bytes of one element. */
const char *dtype_name(rstd_dtype dtype);
size_t dtype_size(rstd_dtype dtype);

#endif
