/*
 * contest.c - the contenders of a job, and what their times and outputs say
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn.h"
#include "clock.h"
#include "load.h"
#include "memory.h"
#include "onednn.h"
#include "widen.h"

/* Everything that the contenders of one job share. */
struct arena {
	const struct job *job;
	const struct conditions *conditions;
	const unsigned char *data;
	rstd_plan *plan; /* NULL for moments */
	rstd_tensor x;   /* with data */
	void *y;
	float *mean; /* what batch norm gives beside invstd */
	void *workspace;
	rstd_moments *moments; /* each run adds to them, as to those of data in pieces */
	struct plain_job plain;
	struct onednn *onednn; /* NULL where it has nothing for the job */
};

struct loader {
	const struct arena *arena;
	const struct load_loop *loop;
};

static size_t load_bytes(const struct job *job)
{
	return (job->bytes_read + LOAD_STEP - 1) / LOAD_STEP * LOAD_STEP;
}

static double sample_load(void *context, size_t repeat)
{
	const struct loader *loader = context;
	const struct arena *arena = loader->arena;
	return load_sample(loader->loop, arena->data, load_bytes(arena->job), arena->conditions->threads, repeat);
}

static rstd_status run_once(struct arena *arena)
{
	const struct job *job = arena->job;

	if (job->op == JOB_MOMENTS)
		return rstd_moments_update(arena->moments, job->outputs, &arena->x, job->dim, job->dim_count);
	return rstd_plan_run(arena->plan, arena->data, job->op == JOB_GIVEN_MEAN ? arena->data + job->mean_at : NULL,
	                     arena->y, job->op == JOB_BATCH_NORM ? arena->mean : NULL, arena->workspace);
}

static double sample_rstd(void *context, size_t repeat)
{
	struct arena *arena = context;
	const int threads = arena->conditions->threads;
	const double start = clock_seconds(threads);

	for (size_t i = 0; i < repeat; i++)
		if (run_once(arena) != RSTD_OK)
			return -1;
	return clock_seconds(threads) - start;
}

static double sample_plain(void *context, size_t repeat)
{
	struct arena *arena = context;
	const double start = clock_seconds(arena->plain.threads);

	for (size_t i = 0; i < repeat; i++)
		if (!plain_run(&arena->plain))
			return -1;
	return clock_seconds(arena->plain.threads) - start;
}

static rstd_status make_plan(struct arena *arena)
{
	const struct job *job = arena->job;
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;
	rstd_tensor mean = job->y;

	switch (job->op) {
	case JOB_STD:
		return rstd_plan_std_mean(&arena->plan, &job->x, job->dim, job->dim_count, 1, false, &job->y, NULL);
	case JOB_GIVEN_MEAN:
		attrs.dim = job->dim;
		attrs.dim_count = job->dim_count;
		return rstd_plan_reduce_std_with_mean(&arena->plan, &job->x, &job->mean, &attrs, &job->y);
	case JOB_BATCH_NORM:
		return rstd_plan_batch_norm_stats(&arena->plan, &job->x, JOB_EPSILON, &mean, &job->y);
	case JOB_MOMENTS:
		break;
	}
	return RSTD_OK;
}

static bool say(char *problem, const char *what)
{
	snprintf(problem, PROBLEM_BYTES, "%s", what);
	return false;
}

static size_t states_bytes(const struct job *job)
{
	return (job->op == JOB_MOMENTS ? job->outputs : 1) * sizeof(rstd_moments);
}

/* data is only read; the interface has one tensor type for inputs and outputs. */
static bool arena_make(struct arena *arena, const struct job *job, const struct conditions *conditions, void *data,
                       char problem[PROBLEM_BYTES])
{
	*arena = (struct arena){ .job = job, .conditions = conditions, .data = data, .x = job->x };
	arena->x.data = data;
	if (make_plan(arena) != RSTD_OK)
		return say(problem, rstd_last_error());
	arena->y = malloc(job->outputs * dtype_size(job->y.dtype));
	arena->mean = malloc(job->outputs * sizeof(float));
	arena->workspace = malloc(rstd_plan_workspace_size(arena->plan) + 1);
	arena->moments = malloc(states_bytes(job));
	arena->plain = (struct plain_job){
		.shape = job->plain,
		.dtype = job->x.dtype,
		.kind = job->plain_mean,
		.x = data,
		.mean = arena->data + job->mean_at,
		.mean_stride = job->plain_mean_stride,
		.invert = job->op == JOB_BATCH_NORM,
		.epsilon = JOB_EPSILON,
		.out = malloc(job->outputs * sizeof(float)),
		.threads = conditions->threads,
	};
	if (!arena->y || !arena->mean || !arena->workspace || !arena->moments || !arena->plain.out)
		return say(problem, "out of memory");
	arena->onednn = onednn_make(job, data, conditions->threads);
	/* The pages of the outputs are there before a run, whose own memory is measured. */
	memset(arena->y, 0, job->outputs * dtype_size(job->y.dtype));
	memset(arena->mean, 0, job->outputs * sizeof(float));
	memset(arena->moments, 0, states_bytes(job));
	return true;
}

static void arena_free(struct arena *arena)
{
	onednn_free(arena->onednn);
	rstd_plan_destroy(arena->plan);
	free(arena->y);
	free(arena->mean);
	free(arena->workspace);
	free(arena->moments);
	free(arena->plain.out);
}

static double output(const struct arena *arena, size_t i)
{
	const uint16_t *b16 = arena->y;
	const float *f32 = arena->y;

	switch (arena->job->y.dtype) {
	case RSTD_F16:
		return (double)widen_f16(b16[i]);
	case RSTD_BF16:
		return (double)widen_bf16(b16[i]);
	case RSTD_F32:
		break;
	}
	return (double)f32[i];
}

/*
 * Not a test of exactness, for which the tests are: it shows that both contenders did the same work. What they may
 * differ by: the errors of plain C, and half a unit of a 16-bit output, which is absolute where that is subnormal.
 */
static bool compare(const struct arena *arena, struct result *result, char problem[PROBLEM_BYTES])
{
	const rstd_dtype dtype = arena->job->y.dtype;
	const double relative = 1e-5 + (dtype == RSTD_F32 ? 0 : dtype == RSTD_F16 ? 0x1p-11 : 0x1p-8);
	const double absolute = dtype == RSTD_F16 ? 0x1p-25 : 1e-11;

	for (size_t i = 0; i < arena->job->outputs; i++) {
		const double got = output(arena, i), plain = (double)arena->plain.out[i];
		const double difference = fabs(got - plain);

		if (isnan(got) && isnan(plain))
			continue;
		if (difference <= relative * fabs(plain) + absolute) {
			result->difference = fmax(result->difference, difference / fmax(fabs(plain), absolute));
			continue;
		}
		snprintf(problem, PROBLEM_BYTES, "output %zu is %.9g, plain C has %.9g", i, got, plain);
		return false;
	}
	return true;
}

/* One run of each outside the contest: levels, memory, and the check of the outputs. */
static bool try_once(struct arena *arena, struct result *result, char problem[PROBLEM_BYTES])
{
	size_t before;

	rstd_reset_level_counts();
	memory_peak_reset();
	before = memory_peak();
	if (run_once(arena) != RSTD_OK)
		return say(problem, rstd_last_error());
	result->peak_growth = memory_peak() - before;
	rstd_get_level_counts(&result->levels);
	result->workspace = rstd_plan_workspace_size(arena->plan);
	if (!result->has_plain)
		return true;
	if (!plain_run(&arena->plain))
		return say(problem, "plain C ran out of memory");
	return compare(arena, result, problem);
}

static struct summary summarise_rates(const double *seconds, size_t rounds, size_t bytes)
{
	double rates[ROUNDS_MAX];

	for (size_t i = 0; i < rounds; i++)
		rates[i] = 1e-9 * (double)bytes / seconds[i];
	return summarise(rates, rounds);
}

/* Of the times of one contender over those of another, round by round. */
static struct summary summarise_ratios(const double *over, const double *under, size_t rounds)
{
	double ratios[ROUNDS_MAX];

	for (size_t i = 0; i < rounds; i++)
		ratios[i] = over[i] / under[i];
	return summarise(ratios, rounds);
}

/* The time of training less that of normalising with given statistics is that of the statistics. */
static void evaluate_onednn(const struct arena *arena, const struct measurement *measurement, size_t training,
                            const double *rstd, struct result *result)
{
	const size_t rounds = measurement->rounds;
	const double *trained = measurement->contenders[training].seconds;
	double statistics[ROUNDS_MAX];

	for (size_t i = 0; i < rounds; i++)
		statistics[i] = trained[i] - measurement->contenders[training + 1].seconds[i];
	result->has_onednn = true;
	result->training = summarise_rates(trained, rounds, arena->job->bytes_read);
	result->of_training = summarise_ratios(trained, rstd, rounds);
	result->of_statistics = summarise_ratios(statistics, rstd, rounds);
	for (size_t i = 0; i < arena->job->outputs; i++) {
		const double got = output(arena, i);

		result->training_difference =
			fmax(result->training_difference,
		             fabs(onednn_output(arena->onednn, i) - got) / fmax(fabs(got), 1e-30));
	}
}

/* The first loops of the measurement's contenders are the load loops. */
static void evaluate(struct measurement *measurement, const struct loader *loaders, size_t loops, const struct job *job,
                     struct result *result)
{
	const size_t rounds = measurement->rounds;
	const double *rstd = measurement->contenders[loops].seconds;
	double limit[ROUNDS_MAX];
	size_t wins[LOAD_LOOPS_MAX] = { 0 }, most = 0;

	for (size_t round = 0; round < rounds; round++) {
		size_t best = 0;

		for (size_t i = 1; i < loops; i++)
			if (measurement->contenders[i].seconds[round] < measurement->contenders[best].seconds[round])
				best = i;
		limit[round] = measurement->contenders[best].seconds[round];
		wins[best]++;
	}
	for (size_t i = 1; i < loops; i++)
		most = wins[i] > wins[most] ? i : most;
	result->best_loop = loaders[most].loop->name;
	result->rounds = rounds;
	result->limit = summarise_rates(limit, rounds, load_bytes(job));
	result->rstd = summarise_rates(rstd, rounds, job->bytes_read);
	result->of_limit = summarise_ratios(limit, rstd, rounds);
	if (!result->has_plain)
		return;
	result->plain = summarise_rates(measurement->contenders[loops + 1].seconds, rounds, job->bytes_read);
	result->of_plain = summarise_ratios(measurement->contenders[loops + 1].seconds, rstd, rounds);
}

static void enter(struct measurement *measurement, double (*sample)(void *, size_t), void *context)
{
	measurement->contenders[measurement->count].sample = sample;
	measurement->contenders[measurement->count++].context = context;
}

static bool contest_arena(struct arena *arena, struct result *result, char problem[PROBLEM_BYTES])
{
	struct measurement measurement;
	struct loader loaders[LOAD_LOOPS_MAX] = { { arena, load_loops } };
	size_t loops;

	measurement.count = 0;
	for (const struct load_loop *loop = load_loops; loop->name; loop++) {
		if (loop->has && !loop->has())
			continue;
		loaders[measurement.count] = (struct loader){ arena, loop };
		enter(&measurement, sample_load, &loaders[measurement.count]);
	}
	loops = measurement.count;
	enter(&measurement, sample_rstd, arena);
	if (result->has_plain)
		enter(&measurement, sample_plain, arena);
	if (arena->onednn) {
		enter(&measurement, onednn_sample_training, arena->onednn);
		enter(&measurement, onednn_sample_given, arena->onednn);
	}
	if (!measure(&measurement, &arena->conditions->effort))
		return say(problem, rstd_last_error());
	evaluate(&measurement, loaders, loops, arena->job, result);
	if (arena->onednn)
		evaluate_onednn(arena, &measurement, measurement.count - 2, measurement.contenders[loops].seconds,
		                result);
	return true;
}

bool contest_run(const struct job *job, const struct conditions *conditions, void *data, struct result *result,
                 char problem[PROBLEM_BYTES])
{
	struct arena arena;
	bool good = arena_make(&arena, job, conditions, data, problem);

	memset(result, 0, sizeof(*result));
	result->has_plain = job->op != JOB_MOMENTS;
	good = good && try_once(&arena, result, problem) && contest_arena(&arena, result, problem);
	arena_free(&arena);
	return good;
}

/* ---- Calls --------------------------------------------------------------------------------------------------- */

struct calls {
	float data[8], std[2], plain_std[2];
	rstd_tensor x, y;
	rstd_plan *plan;
	struct plain_job plain;
};

static const int64_t last_axis = -1;

static double sample_one_shot(void *context, size_t repeat)
{
	struct calls *calls = context;
	const double start = clock_seconds(1);

	for (size_t i = 0; i < repeat; i++)
		if (rstd_std_mean(&calls->x, &last_axis, 1, 1, false, &calls->y, NULL) != RSTD_OK)
			return -1;
	return clock_seconds(1) - start;
}

static double sample_run(void *context, size_t repeat)
{
	struct calls *calls = context;
	const double start = clock_seconds(1);

	for (size_t i = 0; i < repeat; i++)
		if (rstd_plan_run(calls->plan, calls->data, NULL, calls->std, NULL, NULL) != RSTD_OK)
			return -1;
	return clock_seconds(1) - start;
}

static double sample_plan(void *context, size_t repeat)
{
	struct calls *calls = context;
	const double start = clock_seconds(1);
	rstd_plan *plan;

	for (size_t i = 0; i < repeat; i++) {
		if (rstd_plan_std_mean(&plan, &calls->x, &last_axis, 1, 1, false, &calls->y, NULL) != RSTD_OK)
			return -1;
		rstd_plan_destroy(plan);
	}
	return clock_seconds(1) - start;
}

static double sample_plain_call(void *context, size_t repeat)
{
	struct calls *calls = context;
	const double start = clock_seconds(1);

	for (size_t i = 0; i < repeat; i++)
		plain_run(&calls->plain);
	return clock_seconds(1) - start;
}

/* Enters the CANN face where it is part of this build; false when it fails. */
static bool enter_aclnn(struct measurement *measurement, struct aclnn_calls **aclnn, const float data[8])
{
	if (!aclnn_built)
		return true;
	*aclnn = aclnn_make(data);
	if (!*aclnn)
		return false;
	enter(measurement, aclnn_sample_one_shot, *aclnn);
	enter(measurement, aclnn_sample_repeated, *aclnn);
	return true;
}

static struct summary nanoseconds(const struct contender *contender, size_t rounds)
{
	double values[ROUNDS_MAX];

	for (size_t i = 0; i < rounds; i++)
		values[i] = 1e9 * contender->seconds[i];
	return summarise(values, rounds);
}

bool contest_calls(const struct effort *effort, struct call_costs *costs, char problem[PROBLEM_BYTES])
{
	struct measurement measurement = { .count = 0 };
	struct calls calls = { .plan = NULL };
	struct aclnn_calls *aclnn = NULL;
	bool good;

	data_fill(calls.data, sizeof(calls.data), RSTD_F32, DATA_NORMAL);
	rstd_tensor_contiguous(&calls.x, calls.data, RSTD_F32, 2, (int64_t[2]){ 2, 4 });
	rstd_tensor_contiguous(&calls.y, calls.std, RSTD_F32, 1, (int64_t[1]){ 2 });
	calls.plain = (struct plain_job){ .shape = { .n = 1, .c = 2, .s = 4, .stride_c = 4 },
		                          .dtype = RSTD_F32,
		                          .x = calls.data,
		                          .out = calls.plain_std,
		                          .threads = 1 };
	enter(&measurement, sample_one_shot, &calls);
	enter(&measurement, sample_run, &calls);
	enter(&measurement, sample_plan, &calls);
	enter(&measurement, sample_plain_call, &calls);
	if (!enter_aclnn(&measurement, &aclnn, calls.data))
		return say(problem, "the CANN face could not be opened");
	good = rstd_plan_std_mean(&calls.plan, &calls.x, &last_axis, 1, 1, false, &calls.y, NULL) == RSTD_OK &&
	       measure(&measurement, effort);
	rstd_plan_destroy(calls.plan);
	aclnn_free(aclnn);
	if (!good)
		return say(problem, rstd_last_error());
	costs->one_shot = nanoseconds(&measurement.contenders[0], measurement.rounds);
	costs->run = nanoseconds(&measurement.contenders[1], measurement.rounds);
	costs->plan = nanoseconds(&measurement.contenders[2], measurement.rounds);
	costs->plain = nanoseconds(&measurement.contenders[3], measurement.rounds);
	if (!aclnn_built)
		return true;
	costs->aclnn_one_shot = nanoseconds(&measurement.contenders[4], measurement.rounds);
	costs->aclnn_repeated = nanoseconds(&measurement.contenders[5], measurement.rounds);
	return true;
}
