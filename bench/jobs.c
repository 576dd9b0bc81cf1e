/*
 * jobs.c - the list of jobs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jobs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* Sizes that stay in the first, second and third cache of most machines. */
#define L1_BYTES (16 * KIB)
#define L2_BYTES (512 * KIB)
#define L3_BYTES (8 * MIB)

/* Elements between the end of a padded row and the next: rows then start at any place in a line. */
#define PAD 24

/* A second array starts this much past a page, so that two streams do not meet in the same sets of the caches. */
#define STAGGER (4 * KIB + 320)

enum view {
	VIEW_PLAIN,
	VIEW_TRANSPOSED, /* the same memory, seen with its axes swapped: Fortran order */
	VIEW_PADDED,     /* rows of a wider matrix */
};

static const rstd_dtype dtypes[] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

static const char *const view_suffix[] = { "", " transposed", " padded" };

struct list {
	struct job *jobs;
	size_t count;
};

const char *dtype_name(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? "f32" : dtype == RSTD_F16 ? "f16" : "bf16";
}

size_t dtype_size(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? 4 : 2;
}

static rstd_tensor matrix(rstd_dtype dtype, size_t rows, size_t cols, size_t stride)
{
	return (rstd_tensor){
		.dtype = dtype, .rank = 2, .shape = { (int64_t)rows, (int64_t)cols }, .strides = { (int64_t)stride, 1 }
	};
}

/* How far a view of non-negative strides reaches, in bytes. */
static size_t span(const rstd_tensor *tensor)
{
	int64_t last = 0;

	for (size_t i = 0; i < tensor->rank; i++)
		last += (tensor->shape[i] - 1) * tensor->strides[i];
	return (size_t)(last + 1) * dtype_size(tensor->dtype);
}

static void contiguous_strides(rstd_tensor *tensor)
{
	int64_t stride = 1;

	for (size_t i = tensor->rank; i-- > 0;) {
		tensor->strides[i] = stride;
		stride *= tensor->shape[i];
	}
}

/* What follows from x, dim and the dtypes: the shape of y, counts, sizes. */
static void complete(struct job *job)
{
	job->y.rank = 0;
	job->outputs = job->elements = 1;
	for (size_t i = 0; i < job->x.rank; i++) {
		bool reduced = job->dim_count == 0;

		for (size_t j = 0; j < job->dim_count; j++)
			reduced = reduced || (size_t)job->dim[j] == i;
		job->elements *= (size_t)job->x.shape[i];
		if (reduced)
			continue;
		job->outputs *= (size_t)job->x.shape[i];
		job->y.shape[job->y.rank++] = job->x.shape[i];
	}
	contiguous_strides(&job->y);
	job->bytes_read = job->elements * dtype_size(job->x.dtype);
	job->bytes_span = span(&job->x);
}

__attribute__((format(printf, 5, 6))) static struct job *add(struct list *list, enum job_op op, rstd_tensor x,
                                                             rstd_dtype out, const char *name, ...)
{
	struct job *job = &list->jobs[list->count++];
	va_list args;

	memset(job, 0, sizeof(*job));
	va_start(args, name);
	vsnprintf(job->name, sizeof(job->name), name, args);
	va_end(args);
	job->op = op;
	job->x = x;
	job->y.dtype = out;
	return job;
}

static struct job *add_all(struct list *list, const char *name, enum job_op op, rstd_dtype dtype, rstd_dtype out,
                           size_t bytes)
{
	const size_t n = bytes / dtype_size(dtype);
	struct job *job =
		add(list, op, (rstd_tensor){ .dtype = dtype, .rank = 1, .shape = { (int64_t)n }, .strides = { 1 } },
	            out, "%s", name);

	job->plain = (struct plain_shape){ .n = 1, .c = 1, .s = n, .stride_n = n, .stride_c = n };
	complete(job);
	return job;
}

static void swap_axes(rstd_tensor *tensor)
{
	const int64_t length = tensor->shape[0], stride = tensor->strides[0];

	tensor->shape[0] = tensor->shape[1];
	tensor->strides[0] = tensor->strides[1];
	tensor->shape[1] = length;
	tensor->strides[1] = stride;
}

/* A matrix of so many bytes and this width, one of its axes reduced: along memory (rows) or across it (columns). */
static struct job *add_matrix(struct list *list, enum job_op op, bool rows, rstd_dtype dtype, size_t width,
                              size_t bytes, enum view view)
{
	const size_t height = bytes / dtype_size(dtype) / width;
	const size_t stride = view == VIEW_PADDED ? width + PAD : width;
	struct job *job = add(list, op, matrix(dtype, height, width, stride), dtype, "%s %zu%s", rows ? "rows" : "cols",
	                      width, view_suffix[view]);

	job->dim[0] = rows;
	job->dim_count = 1;
	if (rows)
		job->plain = (struct plain_shape){ .n = 1, .c = height, .s = width, .stride_c = stride };
	else
		job->plain = (struct plain_shape){ .n = height, .c = width, .s = 1, .stride_n = stride, .stride_c = 1 };
	if (view == VIEW_TRANSPOSED) {
		swap_axes(&job->x);
		job->dim[0] = !rows;
	}
	complete(job);
	return job;
}

static void rename_job(struct job *job, const char *name)
{
	snprintf(job->name, sizeof(job->name), "%s", name);
}

/* States of columns, from a whole matrix. They have no y. */
static void add_moments(struct list *list, rstd_dtype dtype, size_t width, size_t bytes)
{
	struct job *job = add_matrix(list, JOB_MOMENTS, false, dtype, width, bytes, VIEW_PLAIN);
	char name[sizeof(job->name)];

	snprintf(name, sizeof(name), "moments cols %zu", width);
	rename_job(job, name);
}

static void add_batch_norm(struct list *list, bool nhwc, rstd_dtype dtype, size_t n, size_t c, size_t h, size_t w)
{
	struct job *job = add(list, JOB_BATCH_NORM, (rstd_tensor){ .dtype = dtype, .rank = 4 }, RSTD_F32,
	                      "bn %s %zux%zux%zux%zu", nhwc ? "nhwc" : "nchw", n, c, h, w);
	rstd_tensor *x = &job->x;

	memcpy(x->shape, (int64_t[4]){ (int64_t)n, (int64_t)c, (int64_t)h, (int64_t)w }, 4 * sizeof(int64_t));
	contiguous_strides(x);
	if (nhwc)
		memcpy(x->strides, (int64_t[4]){ (int64_t)(h * w * c), 1, (int64_t)(w * c), (int64_t)c },
		       4 * sizeof(int64_t));
	memcpy(job->dim, (int64_t[3]){ 0, 2, 3 }, 3 * sizeof(int64_t));
	job->dim_count = 3;
	if (nhwc)
		job->plain = (struct plain_shape){ .n = n * h * w, .c = c, .s = 1, .stride_n = c, .stride_c = 1 };
	else
		job->plain =
			(struct plain_shape){ .n = n, .c = c, .s = h * w, .stride_n = c * h * w, .stride_c = h * w };
	complete(job);
}

/* Where the mean lies: after x, not at the same place in a page. */
static void place_mean(struct job *job)
{
	job->mean_at = (job->bytes_span + 63) / 64 * 64 + STAGGER;
	job->bytes_span = job->mean_at + span(&job->mean);
}

static void add_given_full(struct list *list, rstd_dtype dtype, size_t bytes)
{
	struct job *job = add_all(list, "given full", JOB_GIVEN_MEAN, dtype, dtype, bytes / 2);

	job->mean = job->x;
	job->plain_mean = PLAIN_FULL;
	job->bytes_read *= 2;
	place_mean(job);
}

/* A mean of stride 0 along every reduced axis. */
static void broadcast_mean(struct job *job, const char *name)
{
	rename_job(job, name);
	job->mean = job->x;
	for (size_t i = 0; i < job->x.rank; i++)
		job->mean.strides[i] = job->dim_count && (size_t)job->dim[0] != i;
	job->plain_mean = PLAIN_CHANNEL;
	job->plain_mean_stride = 1;
	place_mean(job);
}

static void add_given(struct list *list, rstd_dtype dtype, size_t large)
{
	add_given_full(list, dtype, large);
	broadcast_mean(add_all(list, "", JOB_GIVEN_MEAN, dtype, dtype, large), "given scalar");
	broadcast_mean(add_matrix(list, JOB_GIVEN_MEAN, true, dtype, 4096, large, VIEW_PLAIN), "given rows 4096");
	broadcast_mean(add_matrix(list, JOB_GIVEN_MEAN, false, dtype, 4096, large, VIEW_PLAIN), "given cols 4096");
}

static void add_whole(struct list *list, rstd_dtype dtype, size_t large)
{
	add_all(list, "all", JOB_STD, dtype, dtype, large);
	if (dtype != RSTD_F32)
		add_all(list, "all, f32 out", JOB_STD, dtype, RSTD_F32, large);
	add_all(list, "all L3", JOB_STD, dtype, dtype, L3_BYTES);
	add_all(list, "all L2", JOB_STD, dtype, dtype, L2_BYTES);
	add_all(list, "all L1", JOB_STD, dtype, dtype, L1_BYTES);
}

static void add_matrices(struct list *list, rstd_dtype dtype, size_t large)
{
	static const size_t row_widths[] = { 65536, 4096, 768, 64, 16, 8, 3 };
	static const size_t col_widths[] = { 4096, 64, 3 };

	for (size_t i = 0; i < sizeof(row_widths) / sizeof(*row_widths); i++)
		add_matrix(list, JOB_STD, true, dtype, row_widths[i], large, VIEW_PLAIN);
	for (size_t i = 0; i < sizeof(col_widths) / sizeof(*col_widths); i++)
		add_matrix(list, JOB_STD, false, dtype, col_widths[i], large, VIEW_PLAIN);
	rename_job(add_matrix(list, JOB_STD, true, dtype, 3, L3_BYTES, VIEW_PLAIN), "rows 3 L3");
	rename_job(add_matrix(list, JOB_STD, false, dtype, 64, L3_BYTES, VIEW_PLAIN), "cols 64 L3");
	rename_job(add_matrix(list, JOB_STD, false, dtype, 3, L3_BYTES, VIEW_PLAIN), "cols 3 L3");
	for (int view = VIEW_TRANSPOSED; view <= VIEW_PADDED; view++) {
		add_matrix(list, JOB_STD, true, dtype, 4096, large, (enum view)view);
		add_matrix(list, JOB_STD, false, dtype, 4096, large, (enum view)view);
	}
}

size_t jobs_make(struct job jobs[JOBS_MAX], size_t large)
{
	struct list list = { jobs, 0 };

	for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++) {
		const rstd_dtype dtype = dtypes[i];

		add_whole(&list, dtype, large);
		add_matrices(&list, dtype, large);
		for (int nhwc = 0; nhwc < 2; nhwc++) {
			add_batch_norm(&list, nhwc, dtype, 32, 64, 112, 112);
			add_batch_norm(&list, nhwc, dtype, 8, 256, 14, 14);
		}
		add_given(&list, dtype, large);
		add_all(&list, "moments all", JOB_MOMENTS, dtype, dtype, large);
		add_moments(&list, dtype, 4096, large);
		add_moments(&list, dtype, 64, large);
	}
	return list.count;
}

static void add_middle(struct list *list, rstd_dtype dtype, size_t outer, size_t reduced, size_t inner)
{
	const rstd_tensor x = { .dtype = dtype,
		                .rank = 3,
		                .shape = { (int64_t)outer, (int64_t)reduced, (int64_t)inner } };
	struct job *job = add(list, JOB_STD, x, dtype, "%zux%zux%zu", outer, reduced, inner);

	contiguous_strides(&job->x);
	job->dim[0] = 1;
	job->dim_count = 1;
	if (inner == 1)
		job->plain = (struct plain_shape){ .n = 1, .c = outer, .s = reduced, .stride_c = reduced };
	else
		job->plain = (struct plain_shape){ .n = reduced, .c = inner, .s = 1, .stride_n = inner, .stride_c = 1 };
	if (inner > 1 && outer > 1)
		job->plain.outer = outer;
	complete(job);
}

static void add_sweep(struct list *list, rstd_dtype dtype, const size_t *lengths, size_t count)
{
	for (size_t outer = 0; outer < count; outer++)
		for (size_t reduced = 0; reduced < count; reduced++)
			for (size_t inner = 0; inner < count; inner++)
				if (lengths[outer] * lengths[reduced] <= SWEEP_ELEMENTS / lengths[inner])
					add_middle(list, dtype, lengths[outer], lengths[reduced], lengths[inner]);
}

size_t jobs_make_sweep(struct job jobs[JOBS_MAX], bool few)
{
	static const size_t every[] = {
		1, 2, 3, 5, 8, 17, 64, 255, 1024, 4097, 32768, 262143, 2097152, SWEEP_ELEMENTS
	};
	static const size_t second[] = { 1, 3, 8, 64, 1025, 32768, 2097151 };
	struct list list = { jobs, 0 };

	for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++) {
		if (few)
			add_sweep(&list, dtypes[i], second, sizeof(second) / sizeof(*second));
		else
			add_sweep(&list, dtypes[i], every, sizeof(every) / sizeof(*every));
	}
	return list.count;
}

size_t jobs_make_shape(struct job jobs[JOBS_MAX], const size_t shape[3])
{
	struct list list = { jobs, 0 };

	for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++)
		add_middle(&list, dtypes[i], shape[0], shape[1], shape[2]);
	return list.count;
}
