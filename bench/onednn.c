/*
 * onednn.c - the two primitives, trained and with given statistics, of one job
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onednn.h"

#ifdef RSTD_BENCH_ONEDNN
#include <math.h>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define TEXT(x)               #x
#define VERSION(major, minor) TEXT(major) "." TEXT(minor)

const char *const onednn_version = VERSION(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR);

#define ARGUMENTS 4

/* Short rows of bfloat16 have only its reference code, a hundred times slower: they would take minutes. */
#define SECONDS_MAX 0.5

struct onednn {
	const struct job *job;
	int threads;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_t training, given;
	dnnl_exec_arg_t arguments[ARGUMENTS]; /* the same for both */
	void *normalised;
	float *mean, *variance;
};

/* Descriptors of x and of its statistics. False when oneDNN has no operation for the job. */
static bool describe(const struct job *job, dnnl_memory_desc_t *x, dnnl_memory_desc_t *stats)
{
	const dnnl_data_type_t type = job->x.dtype == RSTD_F32 ? dnnl_f32 : dnnl_bf16;
	const dnnl_dims_t outputs = { (dnnl_dim_t)job->outputs };
	dnnl_dims_t shape = { 0 }, strides = { 0 };
	const bool rows = job->op == JOB_STD && job->x.rank == 2 && job->dim_count == 1 && job->dim[0] == 1 &&
	                  job->x.strides[0] == job->x.shape[1];

	if (job->x.dtype == RSTD_F16 || (!rows && job->op != JOB_BATCH_NORM))
		return false;
	memcpy(shape, job->x.shape, sizeof(job->x.shape));
	memcpy(strides, job->x.strides, sizeof(job->x.strides));
	return dnnl_memory_desc_init_by_strides(x, (int)job->x.rank, shape, type, strides) == dnnl_success &&
	       dnnl_memory_desc_init_by_tag(stats, 1, outputs, dnnl_f32, dnnl_a) == dnnl_success;
}

static bool make_primitive(const struct onednn *onednn, const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *stats,
                           unsigned flags, dnnl_primitive_t *primitive)
{
	dnnl_batch_normalization_desc_t batch;
	dnnl_layer_normalization_desc_t layer;
	const bool is_batch = onednn->job->op == JOB_BATCH_NORM;
	const float epsilon = (float)JOB_EPSILON;
	dnnl_primitive_desc_t made;
	dnnl_status_t status;

	if (is_batch)
		status = dnnl_batch_normalization_forward_desc_init(&batch, dnnl_forward_training, x, epsilon, flags);
	else
		status = dnnl_layer_normalization_forward_desc_init(&layer, dnnl_forward_training, x, stats, epsilon,
		                                                    flags);
	if (status != dnnl_success || dnnl_primitive_desc_create(&made, is_batch ? (const void *)&batch : &layer, NULL,
	                                                         onednn->engine, NULL) != dnnl_success)
		return false;
	status = dnnl_primitive_create(primitive, made);
	dnnl_primitive_desc_destroy(made);
	return status == dnnl_success;
}

static bool add_argument(struct onednn *onednn, size_t i, int name, const dnnl_memory_desc_t *desc, void *data)
{
	onednn->arguments[i].arg = name;
	return data && dnnl_memory_create(&onednn->arguments[i].memory, desc, onednn->engine, data) == dnnl_success;
}

static bool make(struct onednn *onednn, void *data)
{
	dnnl_memory_desc_t x, stats;

	if (!describe(onednn->job, &x, &stats))
		return false;
	onednn->normalised = malloc(onednn->job->bytes_read);
	onednn->mean = malloc(onednn->job->outputs * sizeof(float));
	onednn->variance = malloc(onednn->job->outputs * sizeof(float));
	return dnnl_engine_create(&onednn->engine, dnnl_cpu, 0) == dnnl_success &&
	       dnnl_stream_create(&onednn->stream, onednn->engine, dnnl_stream_default_flags) == dnnl_success &&
	       make_primitive(onednn, &x, &stats, dnnl_normalization_flags_none, &onednn->training) &&
	       make_primitive(onednn, &x, &stats, dnnl_use_global_stats, &onednn->given) &&
	       add_argument(onednn, 0, DNNL_ARG_SRC, &x, data) &&
	       add_argument(onednn, 1, DNNL_ARG_DST, &x, onednn->normalised) &&
	       add_argument(onednn, 2, DNNL_ARG_MEAN, &stats, onednn->mean) &&
	       add_argument(onednn, 3, DNNL_ARG_VARIANCE, &stats, onednn->variance);
}

struct onednn *onednn_make(const struct job *job, void *data, int threads)
{
	struct onednn *onednn = calloc(1, sizeof(*onednn));

	if (!onednn)
		return NULL;
	onednn->job = job;
	onednn->threads = threads;
	omp_set_num_threads(threads);
	if (make(onednn, data)) {
		const double seconds = onednn_sample_training(onednn, 1);

		if (seconds >= 0 && seconds <= SECONDS_MAX)
			return onednn;
	}
	onednn_free(onednn);
	return NULL;
}

void onednn_free(struct onednn *onednn)
{
	if (!onednn)
		return;
	for (size_t i = 0; i < ARGUMENTS; i++)
		dnnl_memory_destroy(onednn->arguments[i].memory);
	dnnl_primitive_destroy(onednn->training);
	dnnl_primitive_destroy(onednn->given);
	dnnl_stream_destroy(onednn->stream);
	dnnl_engine_destroy(onednn->engine);
	free(onednn->normalised);
	free(onednn->mean);
	free(onednn->variance);
	free(onednn);
}

static double sample(const struct onednn *onednn, dnnl_primitive_t primitive, size_t repeat)
{
	const double start = clock_seconds(onednn->threads);

	for (size_t i = 0; i < repeat; i++)
		if (dnnl_primitive_execute(primitive, onednn->stream, ARGUMENTS, onednn->arguments) != dnnl_success ||
		    dnnl_stream_wait(onednn->stream) != dnnl_success)
			return -1;
	return clock_seconds(onednn->threads) - start;
}

double onednn_sample_training(void *context, size_t repeat)
{
	const struct onednn *onednn = context;

	return sample(onednn, onednn->training, repeat);
}

double onednn_sample_given(void *context, size_t repeat)
{
	const struct onednn *onednn = context;

	return sample(onednn, onednn->given, repeat);
}

double onednn_output(const struct onednn *onednn, size_t i)
{
	const struct job *job = onednn->job;
	const double n = (double)(job->elements / job->outputs), variance = (double)onednn->variance[i];

	return job->op == JOB_BATCH_NORM ? 1 / sqrt(variance + JOB_EPSILON) : sqrt(variance * n / (n - 1));
}

#else /* not there when this was built */

const char *const onednn_version = NULL;

struct onednn *onednn_make(const struct job *job, void *data, int threads)
{
	(void)job, (void)data, (void)threads;
	return NULL;
}

void onednn_free(struct onednn *onednn)
{
	(void)onednn;
}

double onednn_sample_training(void *context, size_t repeat)
{
	(void)context, (void)repeat;
	return -1;
}

double onednn_sample_given(void *context, size_t repeat)
{
	(void)context, (void)repeat;
	return -1;
}

double onednn_output(const struct onednn *onednn, size_t i)
{
	(void)onednn, (void)i;
	return 0;
}

#endif
