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

#define LANES         16                   /* sums in flight */
#define COLUMNS       64                   /* sums of columns beside each other */
#define THREADS_MAX   64                   /* more gain nothing here */
#define WORTH_THREADS ((size_t)256 * 1024) /* elements: some 100 us of work, twice what making a thread costs */

/* One thread's share of the work. */
struct share {
	const struct plain_job *job;
	double elements;    /* of one channel */
	size_t from, to;    /* of channels, of s, of n or of outer, as the function that runs says */
	const double *mean; /* of each channel; NULL in the pass that sums for the mean */
	double *sum;        /* of each channel, this thread's part */
};

/* The loops over one dtype. Those that threads run take a struct share and return NULL. */
struct loops {
	double (*given_mean)(const struct plain_job *job, size_t c);
	void *(*channels)(void *share);
	void *(*pieces)(void *share);
	void *(*rows)(void *share);
	void *(*arrays)(void *share);
};

static inline float finish(const struct plain_job *job, double squares, double elements)
{
	if (job->invert)
		return (float)(1 / sqrt(squares / elements + job->epsilon));
	return (float)sqrt(squares / (elements - 1));
}

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

/* Runs work on every share, the last on this thread; a share that gets no thread of its own runs here, too. */
static void fork_join(void *(*work)(void *), struct share *shares, size_t count)
{
	pthread_t ids[THREADS_MAX];
	bool started[THREADS_MAX] = { false };

	for (size_t t = 0; t + 1 < count; t++)
		started[t] = pthread_create(&ids[t], NULL, work, &shares[t]) == 0;
	for (size_t t = 0; t < count; t++)
		if (!started[t])
			work(&shares[t]);
	for (size_t t = 0; t < count; t++)
		if (started[t])
			pthread_join(ids[t], NULL);
}

/* Cuts length things among the threads, for work that says which; partial, if any, has room for c sums for each. */
static void split(void *(*work)(void *), const struct plain_job *job, size_t length, size_t count, const double *mean,
                  double *partial)
{
	struct share shares[THREADS_MAX];

	for (size_t t = 0; t < count; t++) {
		shares[t].job = job;
		shares[t].elements = (double)job->shape.n * (double)job->shape.s;
		shares[t].from = length * t / count;
		shares[t].to = length * (t + 1) / count;
		shares[t].mean = mean;
		shares[t].sum = partial ? partial + t * job->shape.c : NULL;
	}
	fork_join(work, shares, count);
}

/* One pass whose sums, of every channel, are added up from those of the threads. */
static void pass(void *(*work)(void *), const struct plain_job *job, size_t length, size_t count, const double *mean,
                 double *partial, double *total)
{
	const size_t c = job->shape.c;

	for (size_t i = 0; i < c * count; i++)
		partial[i] = 0;
	split(work, job, length, count, mean, partial);
	for (size_t i = 0; i < c; i++) {
		total[i] = 0;
		for (size_t t = 0; t < count; t++)
			total[i] += partial[t * c + i];
	}
}

static bool by_sums(void *(*work)(void *), const struct plain_job *job, size_t length, size_t count)
{
	const size_t c = job->shape.c;
	const double elements = (double)job->shape.n * (double)job->shape.s;
	double *partial = calloc((count + 2) * c, sizeof(*partial));
	double *mean, *squares;

	if (!partial)
		return false;
	mean = partial + count * c;
	squares = mean + c;
	if (job->kind == PLAIN_OWN)
		pass(work, job, length, count, NULL, partial, mean);
	for (size_t i = 0; i < c; i++)
		mean[i] = job->kind == PLAIN_OWN       ? mean[i] / elements
		          : job->kind == PLAIN_CHANNEL ? loops_of(job->dtype)->given_mean(job, i)
		                                       : 0;
	pass(work, job, length, count, mean, partial, squares);
	for (size_t i = 0; i < c; i++)
		job->out[i] = finish(job, squares[i], elements);
	free(partial);
	return true;
}

bool plain_run(const struct plain_job *job)
{
	const struct plain_shape *shape = &job->shape;
	const struct loops *loops = loops_of(job->dtype);
	size_t count = job->threads > THREADS_MAX ? THREADS_MAX : (size_t)job->threads;

	if ((shape->outer ? shape->outer : 1) * shape->n * shape->c * shape->s < WORTH_THREADS)
		count = 1;
	if (shape->outer) {
		split(loops->arrays, job, shape->outer, count, NULL, NULL);
		return true;
	}
	if (shape->s == 1)
		return by_sums(loops->rows, job, shape->n, count);
	if (count > shape->c)
		return by_sums(loops->pieces, job, shape->s, count);
	split(loops->channels, job, shape->c, count, NULL, NULL);
	return true;
}
