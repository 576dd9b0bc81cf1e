/*
 * plain.c - two passes in simple loops, on threads made for the call
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plain.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "widen.h"

/* As good as building for the machine at hand: the compiler makes one version of each loop for each of these. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

#define LANES       16 /* sums in flight */
#define THREADS_MAX 64 /* more gain nothing here */

/* The loops over one dtype; data points to the first element. */
struct loops {
	size_t size; /* bytes of an element */
	double (*sum)(const void *data, size_t n);
	double (*squares)(const void *data, size_t n, double mean);
	double (*squares_full)(const void *data, const void *means, size_t n);
	void (*add_row)(const void *data, size_t c, double *restrict sum);
	void (*add_row_squares)(const void *data, size_t c, const double *restrict mean, double *restrict sum);
	double (*get)(const void *data, size_t i);
};

#define T            float
#define WIDEN(value) widen_f32(value)
#define FN(name)     name##_f32
#include "plain_tmpl.h"
#undef T
#undef WIDEN
#undef FN
#define T            uint16_t
#define WIDEN(value) widen_f16(value)
#define FN(name)     name##_f16
#include "plain_tmpl.h"
#undef WIDEN
#undef FN
#define WIDEN(value) widen_bf16(value)
#define FN(name)     name##_bf16
#include "plain_tmpl.h"

static const struct loops *loops_of(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? &loops_f32 : dtype == RSTD_F16 ? &loops_f16 : &loops_bf16;
}

/* One thread's share of one pass. */
struct share {
	const struct plain_job *job;
	const struct loops *loops;
	size_t from, to;    /* of channels, of s, or of n, as the function that runs says */
	const double *mean; /* of each channel; NULL in the pass that sums for the mean */
	double *sum;        /* of each channel, this thread's part */
};

static const void *at(const struct share *share, const void *data, size_t n, size_t c)
{
	const struct plain_shape *shape = &share->job->shape;

	return (const char *)data + (n * shape->stride_n + c * shape->stride_c) * share->loops->size;
}

static float finish(const struct plain_job *job, double squares)
{
	const double count = (double)job->shape.n * (double)job->shape.s;

	if (job->invert)
		return (float)(1 / sqrt(squares / count + job->epsilon));
	return (float)sqrt(squares / (count - 1));
}

static double given_mean(const struct plain_job *job, const struct loops *loops, size_t c)
{
	return loops->get(job->mean, c * job->mean_stride);
}

/* Channels from to to, both passes over one while it is still in the cache. */
static void *channels(void *context)
{
	const struct share *share = context;
	const struct plain_job *job = share->job;
	const struct loops *loops = share->loops;
	const size_t n = job->shape.n, s = job->shape.s;

	for (size_t c = share->from; c < share->to; c++) {
		double mean = 0, squares = 0;

		if (job->kind == PLAIN_CHANNEL)
			mean = given_mean(job, loops, c);
		for (size_t i = 0; i < n && job->kind == PLAIN_OWN; i++)
			mean += loops->sum(at(share, job->x, i, c), s);
		if (job->kind == PLAIN_OWN)
			mean /= (double)n * (double)s;
		for (size_t i = 0; i < n; i++)
			squares += job->kind == PLAIN_FULL
			                   ? loops->squares_full(at(share, job->x, i, c), at(share, job->mean, i, c), s)
			                   : loops->squares(at(share, job->x, i, c), s, mean);
		job->out[c] = finish(job, squares);
	}
	return NULL;
}

/* Elements from to to of every run of s, one pass. */
static void *pieces(void *context)
{
	const struct share *share = context;
	const struct plain_job *job = share->job;
	const struct loops *loops = share->loops;
	const size_t skip = share->from * loops->size, s = share->to - share->from;

	for (size_t c = 0; c < job->shape.c; c++) {
		for (size_t i = 0; i < job->shape.n; i++) {
			const char *x = (const char *)at(share, job->x, i, c) + skip;

			if (job->kind == PLAIN_FULL)
				share->sum[c] +=
					loops->squares_full(x, (const char *)at(share, job->mean, i, c) + skip, s);
			else if (share->mean)
				share->sum[c] += loops->squares(x, s, share->mean[c]);
			else
				share->sum[c] += loops->sum(x, s);
		}
	}
	return NULL;
}

/* Rows from to to of a matrix whose columns are reduced, one pass. */
static void *rows(void *context)
{
	const struct share *share = context;
	const struct plain_job *job = share->job;

	for (size_t i = share->from; i < share->to; i++) {
		if (share->mean)
			share->loops->add_row_squares(at(share, job->x, i, 0), job->shape.c, share->mean, share->sum);
		else
			share->loops->add_row(at(share, job->x, i, 0), job->shape.c, share->sum);
	}
	return NULL;
}

/* Runs work on every share, the last on this thread; a share that gets no thread of its own runs here, too. */
static void fork_join(void *(*work)(void *), struct share *shares, size_t count)
{
	pthread_t ids[THREADS_MAX];
	bool started[THREADS_MAX] = { false };

	for (size_t t = 0; t + 1 < count; t++)
		started[t] = pthread_create(&ids[t], NULL, work, &shares[t]) == 0;
	for (size_t t = 0; t < count; t++)
		if (t + 1 == count || !started[t])
			work(&shares[t]);
	for (size_t t = 0; t + 1 < count; t++)
		if (started[t])
			pthread_join(ids[t], NULL);
}

/* One pass over length things (s or n) cut among the threads; total becomes the sum of what each found. */
static void pass(void *(*work)(void *), const struct plain_job *job, size_t length, size_t count, double *partial,
                 const double *mean, double *total)
{
	struct share shares[THREADS_MAX];
	const size_t c = job->shape.c;

	for (size_t i = 0; i < c * count; i++)
		partial[i] = 0;
	for (size_t t = 0; t < count; t++)
		shares[t] = (struct share){ job,  loops_of(job->dtype), length * t / count, length * (t + 1) / count,
			                    mean, partial + t * c };
	fork_join(work, shares, count);
	for (size_t i = 0; i < c; i++) {
		total[i] = 0;
		for (size_t t = 0; t < count; t++)
			total[i] += partial[t * c + i];
	}
}

/* Two passes with the sums of every channel in memory. */
static bool by_sums(void *(*work)(void *), const struct plain_job *job, size_t length, size_t count)
{
	const size_t c = job->shape.c;
	const double elements = (double)job->shape.n * (double)job->shape.s;
	double *partial = malloc((count + 2) * c * sizeof(*partial));
	double *mean = partial + count * c, *squares = mean + c;

	if (!partial)
		return false;
	if (job->kind == PLAIN_OWN) {
		pass(work, job, length, count, partial, NULL, mean);
		for (size_t i = 0; i < c; i++)
			mean[i] /= elements;
	}
	for (size_t i = 0; i < c && job->kind == PLAIN_CHANNEL; i++)
		mean[i] = given_mean(job, loops_of(job->dtype), i);
	pass(work, job, length, count, partial, mean, squares);
	for (size_t i = 0; i < c; i++)
		job->out[i] = finish(job, squares[i]);
	free(partial);
	return true;
}

static void by_channels(const struct plain_job *job, size_t count)
{
	struct share shares[THREADS_MAX];
	const size_t c = job->shape.c;

	for (size_t t = 0; t < count; t++)
		shares[t] = (struct share){ job, loops_of(job->dtype), c * t / count, c * (t + 1) / count, NULL, NULL };
	fork_join(channels, shares, count);
}

#define WORTH_THREADS ((size_t)1 << 18) /* elements: some 100 us of work, twice what making a thread costs */

bool plain_run(const struct plain_job *job)
{
	const struct plain_shape *shape = &job->shape;
	size_t count = job->threads > THREADS_MAX ? THREADS_MAX : (size_t)job->threads;

	if (shape->n * shape->c * shape->s < WORTH_THREADS)
		count = 1;
	if (shape->s == 1)
		return by_sums(rows, job, shape->n, count);
	if (count > shape->c)
		return by_sums(pieces, job, shape->s, count);
	by_channels(job, count);
	return true;
}
