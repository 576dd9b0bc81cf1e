/*
 * plain.h - what a good C programmer writes in an hour: the rival that every job is also measured against
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two passes (mean, then squared differences), accumulators in double, several of them so that compilers vectorise
 * without -ffast-math, threads by pthread_create() for arrays that are worth it. Accurate to about 1e-7 on ordinary
 * data; overflows, cancels and rounds twice where the library does not.
 */
#ifndef RSTD_BENCH_PLAIN_H
#define RSTD_BENCH_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "rstd/rstd.h"

/*
 * A reduction over the first and the last axis of an array [n][c][s]. Either s walks memory one by one (rows, whole
 * arrays, NCHW), or s is 1 and c does (columns, NHWC). With outer, so many contiguous arrays [n][c], each about the
 * columns' own means.
 */
struct plain_shape {
	size_t n, c, s;
	size_t stride_n, stride_c; /* in elements */
	size_t outer;
};

enum plain_mean {
	PLAIN_OWN,     /* the slice's own */
	PLAIN_CHANNEL, /* given, one for each of c */
	PLAIN_FULL,    /* given, laid out as x is; only for shapes whose s walks memory */
};

struct plain_job {
	struct plain_shape shape;
	rstd_dtype dtype;
	enum plain_mean kind;
	const void *x;
	const void *mean;   /* of dtype; unused with PLAIN_OWN */
	size_t mean_stride; /* in elements, between channels, with PLAIN_CHANNEL */
	bool invert;        /* 1 / sqrt(variance + epsilon), biased; else sqrt(S / (N - 1)) */
	double epsilon;
	float *out; /* c values, of each outer array */
	int threads;
};

/* Whether memory allowed it. */
bool plain_run(const struct plain_job *job);

#endif
