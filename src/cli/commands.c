/*
 * commands.c - the subcommands: files to tensors, tensors to results, results to files or the screen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/graph.h"
#include "cli/outfile.h"
#include "cli/print.h"
#include "io/npy.h"

/* ---- What each subcommand computes ---------------------------------------------------------------------------- */

static rstd_status compute_std_mean(const struct request *r, const rstd_tensor *x, const rstd_tensor *mean,
                                    const rstd_tensor *result, const rstd_tensor *result_mean)
{
	(void)mean;
	return rstd_std_mean(x, r->dim.list, r->dim.count, r->correction, r->keepdim, result, result_mean);
}

static rstd_status compute_batch_norm_stats(const struct request *r, const rstd_tensor *x, const rstd_tensor *mean,
                                            const rstd_tensor *result, const rstd_tensor *result_mean)
{
	(void)mean;
	return rstd_batch_norm_stats(x, r->eps, result_mean, result);
}

static rstd_status compute_reduce_std_with_mean(const struct request *r, const rstd_tensor *x, const rstd_tensor *mean,
                                                const rstd_tensor *result, const rstd_tensor *result_mean)
{
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;

	(void)result_mean;
	attrs.dim = r->dim.list;
	attrs.dim_count = r->dim.count;
	attrs.unbiased = !r->biased;
	attrs.keepdim = r->keepdim;
	attrs.invert = r->invert;
	attrs.epsilon = r->epsilon;
	attrs.correction = r->correction;
	return rstd_reduce_std_with_mean(x, mean, &attrs, result);
}

const struct command rstd__commands[] = {
	{ "std", COMMAND_STD, "FILE", "standard deviation over some axes", { "std", NULL }, compute_std_mean },
	{ "std-mean",
	  COMMAND_STD_MEAN,
	  "FILE",
	  "standard deviation and mean over some axes",
	  { "std", "mean" },
	  compute_std_mean },
	{ "batch-norm-stats",
	  COMMAND_BATCH_NORM_STATS,
	  "FILE",
	  "1 / sqrt(variance + eps) and mean of each channel (axis 1)",
	  { "invstd", "mean" },
	  compute_batch_norm_stats },
	{ "reduce-std-with-mean",
	  COMMAND_REDUCE_STD_WITH_MEAN,
	  "FILE --mean FILE",
	  "standard deviation about a given mean",
	  { "std", NULL },
	  compute_reduce_std_with_mean },
	{ "info", COMMAND_INFO, "", "what this machine has, what was chosen, how many threads", { NULL, NULL }, NULL },
#ifdef RSTD_WITH_GRAPH
	{ "graph show",
	  COMMAND_GRAPH_SHOW,
	  "FILE.air",
	  "print a graph with inferred shapes, and what is fused",
	  { NULL, NULL },
	  NULL },
	{ "graph run", COMMAND_GRAPH_RUN, "FILE.air --feed FILE ...", "run a graph", { NULL, NULL }, NULL },
#endif
	{ NULL, 0, NULL, NULL, { NULL, NULL }, NULL },
};

/* ---- One run -------------------------------------------------------------------------------------------------- */

/* All that a run holds. */
struct run {
	const struct command *command;
	const struct request *request;
	struct npy_array x, mean;
	rstd_tensor result[2];
	bool wanted[2];
};

static const char *display_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/*
 * What the library found wrong. Its sentence begins with the name of the argument, which for an option's value is the
 * option's name, too, and that is bad usage; all else is about the data.
 */
static enum exit_status complain_status(const struct run *run, rstd_status status)
{
	if (status == RSTD_ERROR_DIM || status == RSTD_ERROR_CORRECTION) {
		rstd__complain("--%s", rstd_last_error());
		return STATUS_USAGE;
	}
	rstd__complain("%s: %s", display_name(run->request->input), rstd_last_error());
	return STATUS_DATA;
}

static enum exit_status open_array(struct npy_array *array, const char *path, bool as_bf16)
{
	char reason[NPY_REASON_SIZE];

	if (rstd__npy_open(array, path, as_bf16, reason))
		return STATUS_OK;
	rstd__complain("%s: %s", display_name(path), reason);
	return STATUS_DATA;
}

/*
 * Gives the mean the shape of x, by strides of 0 along the axes that are reduced. It may have that shape already, or
 * length 1 along each reduced axis, as std-mean --keepdim writes it. Any other shape is taken for a mistake.
 */
static enum exit_status spread_mean(struct run *run)
{
	const struct request *r = run->request;
	const rstd_tensor *x = &run->x.view;
	char shape[2][NPY_SHAPE_SIZE];
	rstd_tensor *mean = &run->mean.view;
	int64_t kept[RSTD_MAX_RANK];
	rstd_status status;
	size_t rank;

	if (mean->rank == x->rank && memcmp(mean->shape, x->shape, sizeof(x->shape)) == 0)
		return STATUS_OK;
	status = rstd_infer_shape(x->shape, x->rank, r->dim.list, r->dim.count, true, kept, &rank);
	if (status != RSTD_OK)
		return complain_status(run, status);
	if (mean->rank != rank || memcmp(mean->shape, kept, rank * sizeof(kept[0])) != 0) {
		rstd__complain(
			"%s: shape %s of the mean is neither that of the input, %s, nor 1 along just the reduced axes",
			display_name(r->mean), rstd__npy_format_shape(shape[0], mean->shape, mean->rank),
			rstd__npy_format_shape(shape[1], x->shape, x->rank));
		return STATUS_DATA;
	}
	for (size_t i = 0; i < rank; i++)
		if (mean->shape[i] != x->shape[i]) {
			mean->shape[i] = x->shape[i];
			mean->strides[i] = 0;
		}
	return STATUS_OK;
}

static enum exit_status open_inputs(struct run *run)
{
	static const char *const dtypes[] = { [RSTD_F32] = "f32", [RSTD_F16] = "f16", [RSTD_BF16] = "bf16" };
	const struct request *r = run->request;
	enum exit_status exit_status = open_array(&run->x, r->input, r->as_bf16);

	if (exit_status != STATUS_OK || !r->mean)
		return exit_status;
	exit_status = open_array(&run->mean, r->mean, r->as_bf16);
	if (exit_status != STATUS_OK)
		return exit_status;
	if (run->mean.view.dtype != run->x.view.dtype) {
		rstd__complain("%s: the mean is %s, the input %s", display_name(r->mean), dtypes[run->mean.view.dtype],
		               dtypes[run->x.view.dtype]);
		return STATUS_DATA;
	}
	return spread_mean(run);
}

/* The shape of every result. BatchNormStats keeps axis 1; where there is none, the library says so later. */
static rstd_status result_shape(const struct run *run, int64_t shape[RSTD_MAX_RANK], size_t *rank)
{
	const struct request *r = run->request;
	const rstd_tensor *x = &run->x.view;

	if (run->command->bit != COMMAND_BATCH_NORM_STATS)
		return rstd_infer_shape(x->shape, x->rank, r->dim.list, r->dim.count, r->keepdim, shape, rank);
	shape[0] = x->rank >= 2 ? x->shape[1] : 0;
	*rank = 1;
	return RSTD_OK;
}

static rstd_dtype result_dtype(const struct run *run)
{
	if (run->command->bit == COMMAND_BATCH_NORM_STATS)
		return RSTD_F32;
	return run->request->out_dtype ? run->request->out_dtype : run->x.view.dtype;
}

/* Room for the results that are wanted. */
static enum exit_status make_results(struct run *run)
{
	const size_t element = result_dtype(run) == RSTD_F32 ? 4 : 2;
	int64_t shape[RSTD_MAX_RANK];
	size_t rank;
	rstd_status status = result_shape(run, shape, &rank);

	for (size_t i = 0; status == RSTD_OK && i < 2; i++) {
		rstd_tensor *result = &run->result[i];
		size_t count = 1;

		if (!run->wanted[i])
			continue;
		status = rstd_tensor_contiguous(result, NULL, result_dtype(run), rank, shape);
		if (status != RSTD_OK)
			break;
		for (size_t j = 0; j < rank; j++)
			count *= (size_t)shape[j];
		result->data = malloc(count > 0 ? count * element : 1);
		if (!result->data) {
			rstd__complain("%s: no memory for a result of %zu elements", display_name(run->request->input),
			               count);
			return STATUS_DATA;
		}
	}
	return status == RSTD_OK ? STATUS_OK : complain_status(run, status);
}

void rstd__report(double seconds)
{
	rstd_level_counts counts;

	rstd_get_level_counts(&counts);
	rstd__complain("isa %s, threads %d, %.6f s, outputs settled: fast %llu, precise %llu, exact %llu",
	               rstd_get_isa(), rstd_get_num_threads(), seconds, (unsigned long long)counts.fast,
	               (unsigned long long)counts.precise, (unsigned long long)counts.exact);
}

double rstd__now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static enum exit_status compute(struct run *run)
{
	const double start = rstd__now();
	const rstd_status status =
		run->command->compute(run->request, &run->x.view, &run->mean.view,
	                              run->wanted[0] ? &run->result[0] : NULL, run->wanted[1] ? &run->result[1] : NULL);

	if (status != RSTD_OK)
		return complain_status(run, status);
	if (run->request->verbose)
		rstd__report(rstd__now() - start);
	return STATUS_OK;
}

static enum exit_status save(const struct run *run)
{
	return rstd__outfile_save(run->request->output, run->result, 2) ? STATUS_OK : STATUS_DATA;
}

static void print(const struct run *run)
{
	for (size_t i = 0; i < 2; i++) {
		if (!run->wanted[i] || run->request->output[i])
			continue;
		if (run->command->results[1])
			printf("%s:\n", run->command->results[i]);
		rstd__print_tensor(stdout, &run->result[i]);
	}
}

/* A result is wanted if it goes to a file, or can be printed because no array goes to standard output. */
static void choose_results(struct run *run)
{
	const char *const *output = run->request->output;
	const bool printing =
		!(output[0] && strcmp(output[0], "-") == 0) && !(output[1] && strcmp(output[1], "-") == 0);

	for (size_t i = 0; i < 2; i++)
		run->wanted[i] = run->command->results[i] && (output[i] || printing);
}

static enum exit_status run_operator(const struct command *command, const struct request *request)
{
	struct run run = { .command = command, .request = request };
	enum exit_status exit_status;

	choose_results(&run);
	exit_status = open_inputs(&run);
	if (exit_status == STATUS_OK)
		exit_status = make_results(&run);
	if (exit_status == STATUS_OK)
		exit_status = compute(&run);
	if (exit_status == STATUS_OK)
		exit_status = save(&run);
	if (exit_status == STATUS_OK)
		print(&run);
	free(run.result[0].data);
	free(run.result[1].data);
	rstd__npy_close(&run.x);
	rstd__npy_close(&run.mean);
	return exit_status;
}

static enum exit_status run_info(void)
{
	const char *name;

	printf("version %s\n", rstd_version());
	printf("instruction sets");
	for (size_t i = 0; (name = rstd_isa_name(i)); i++)
		printf(" %s", name);
	printf("\nchosen %s\n", rstd_get_isa());
	printf("threads %d\n", rstd_get_num_threads());
	return STATUS_OK;
}

enum exit_status rstd__run_command(const struct command *command, const struct request *request)
{
	switch (command->bit) {
	case COMMAND_INFO:
		return run_info();
#ifdef RSTD_WITH_GRAPH
	case COMMAND_GRAPH_SHOW:
		return rstd__graph_show(request);
	case COMMAND_GRAPH_RUN:
		return rstd__graph_run(request);
#endif
	default:
		return run_operator(command, request);
	}
}
