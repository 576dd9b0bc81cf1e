/*
 * rstd_bench.c - rstd-bench: how fast the library is, beside what the machine can read and what plain C reaches
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "climb.h"
#include "contest.h"
#include "data.h"
#include "jobs.h"
#include "load.h"
#include "report.h"

static const char help[] =
	"usage: rstd-bench [OPTION..]\n"
	"\n"
	"Measures each job in turns: loops that only load (the fastest of them is the limit), rstd, and plain C in "
	"two\n"
	"passes. Prints GB/s of input and the ratios of the same turn, median [min..max] over all turns.\n"
	"\n"
	"  --job PATTERN    only jobs whose \"name dtype\" has PATTERN in it, or matches it if it has one of *?[\n"
	"  --sweep          in place of the jobs: std over the middle axis of [outer][reduced][inner], thousands of "
	"shapes;\n"
	"                   prints the worst cells, some minutes\n"
	"  --shape OxRxI    in place of the jobs: std over the middle axis of this shape alone\n"
	"  --climb          in place of the jobs: what slices cost that fast sums leave open, beside ordinary ones\n"
	"  --list           print the names of the jobs, measure nothing\n"
	"  --quick          an eighth of the memory, a fifth of the time, a ninth of a sweep: a look, not a "
	"measurement\n"
	"  --threads N      threads of each contender; 0: every CPU that this process may use (default 1)\n"
	"  --isa NAME       instruction set of rstd (default the best)\n"
	"  --seconds S      time to spend on each job, at least five turns (default 1.5), or cell, at least three "
	"(0.02)\n"
	"  --mib N          size of the large jobs in MiB (default 256)\n"
	"  --data KIND      normal, uniform, offset (normal + 10000) or relu (half zeros) (default normal)\n"
	"  --huge           ask the system for huge pages\n"
	"  --pin CPU        stay on this CPU; with one thread only\n"
	"  --json FILE      also write the results there\n"
	"  --help           this text\n"
	"\n"
	"Exit status: 0, 1 when a job failed or its output differs from that of plain C, 2 for bad usage.\n";

struct options {
	struct conditions conditions;
	const char *pattern;
	const char *json;
	const char *isa;
	int pin; /* -1: nowhere */
	bool list, sweep, climb, quick;
	size_t shape[3]; /* 0 in front: none */
};

static void refuse(const char *why)
{
	fprintf(stderr, "rstd-bench: %s\n", why);
	exit(2);
}

static void usage_error(const char *option, const char *value, const char *allowed)
{
	fprintf(stderr, "rstd-bench: --%s: '%s', allowed: %s\n", option, value, allowed);
	exit(2);
}

static long number(const char *option, const char *value, long min, long max)
{
	char *end, allowed[64];
	long result;

	errno = 0;
	result = strtol(value, &end, 10);
	if (errno == 0 && end != value && *end == '\0' && result >= min && result <= max)
		return result;
	snprintf(allowed, sizeof(allowed), "%ld to %ld", min, max);
	usage_error(option, value, allowed);
	return 0;
}

static double parse_seconds(const char *value)
{
	char *end;
	const double result = strtod(value, &end);

	if (end == value || *end != '\0' || !(result > 0 && result <= 3600))
		usage_error("seconds", value, "more than 0, up to 3600");
	return result;
}

#define SHAPE_ELEMENTS ((size_t)1 << 32)

static void parse_shape(const char *value, size_t shape[3])
{
	const char *at = value;
	size_t elements = 1;

	for (size_t i = 0; i < 3; i++) {
		char *end = NULL;
		const unsigned long length = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;

		if (length < 1 || length > SHAPE_ELEMENTS / elements || *end != (i < 2 ? 'x' : '\0'))
			usage_error("shape", value, "OxRxI, three lengths from 1 up, with 2^32 elements at most");
		elements *= length;
		shape[i] = length;
		at = end + 1;
	}
}

static enum data_kind data_kind(const char *value)
{
	for (int kind = 0; kind < DATA_KINDS; kind++)
		if (strcmp(value, data_kind_names[kind]) == 0)
			return (enum data_kind)kind;
	usage_error("data", value, "normal, uniform, offset, relu");
	return DATA_NORMAL;
}

static void make_quick(struct conditions *conditions)
{
	conditions->large /= 8;
	conditions->effort.seconds /= 5;
	conditions->effort.rounds_min = 3;
}

/* The measurement that is no job, as --job sees it. */
#define CALL_NAME  "call 2x4"
#define CALL_DTYPE "f32"

enum {
	OPT_JOB,
	OPT_LIST,
	OPT_SWEEP,
	OPT_SHAPE,
	OPT_CLIMB,
	OPT_QUICK,
	OPT_THREADS,
	OPT_ISA,
	OPT_SECONDS,
	OPT_MIBS,
	OPT_DATA,
	OPT_HUGE,
	OPT_PIN,
	OPT_JSON,
	OPT_HELP
};

static struct options parse(int argc, char **argv)
{
	static const struct option table[] = {
		{ "job", required_argument, NULL, OPT_JOB },
		{ "list", no_argument, NULL, OPT_LIST },
		{ "sweep", no_argument, NULL, OPT_SWEEP },
		{ "shape", required_argument, NULL, OPT_SHAPE },
		{ "climb", no_argument, NULL, OPT_CLIMB },
		{ "quick", no_argument, NULL, OPT_QUICK },
		{ "threads", required_argument, NULL, OPT_THREADS },
		{ "isa", required_argument, NULL, OPT_ISA },
		{ "seconds", required_argument, NULL, OPT_SECONDS },
		{ "mib", required_argument, NULL, OPT_MIBS },
		{ "data", required_argument, NULL, OPT_DATA },
		{ "huge", no_argument, NULL, OPT_HUGE },
		{ "pin", required_argument, NULL, OPT_PIN },
		{ "json", required_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, OPT_HELP },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { .conditions = { .threads = 1,
		                                   .data = DATA_NORMAL,
		                                   .large = (size_t)256 << 20,
		                                   .effort = { 1.5, 2e-3, 5 } },
		                   .pin = -1 };
	double seconds = 0;
	int key;

	while ((key = getopt_long(argc, argv, "", table, NULL)) != -1) {
		switch (key) {
		case OPT_JOB:
			options.pattern = optarg;
			break;
		case OPT_LIST:
			options.list = true;
			break;
		case OPT_SWEEP:
			options.sweep = true;
			break;
		case OPT_SHAPE:
			parse_shape(optarg, options.shape);
			break;
		case OPT_CLIMB:
			options.climb = true;
			break;
		case OPT_QUICK:
			options.quick = true;
			break;
		case OPT_THREADS:
			options.conditions.threads = (int)number("threads", optarg, 0, 1024);
			break;
		case OPT_ISA:
			options.isa = optarg;
			break;
		case OPT_SECONDS:
			seconds = parse_seconds(optarg);
			break;
		case OPT_MIBS:
			options.conditions.large = (size_t)number("mib", optarg, 8, 1 << 16) << 20;
			break;
		case OPT_DATA:
			options.conditions.data = data_kind(optarg);
			break;
		case OPT_HUGE:
			options.conditions.huge = true;
			break;
		case OPT_PIN:
			options.pin = (int)number("pin", optarg, 0, CPU_SETSIZE - 1);
			break;
		case OPT_JSON:
			options.json = optarg;
			break;
		case OPT_HELP:
			fputs(help, stdout);
			exit(0);
		default: /* getopt_long() has said what is wrong */
			exit(2);
		}
	}
	if (optind < argc)
		refuse("only options are taken; see --help");
	if (options.sweep)
		options.conditions.effort = (struct effort){ 0.02, 2e-4, 3 };
	if (seconds > 0)
		options.conditions.effort.seconds = seconds;
	if (options.quick && !options.sweep)
		make_quick(&options.conditions);
	return options;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		return;
	fprintf(stderr, "rstd-bench: --pin %d: %s\n", cpu, strerror(errno));
	exit(2);
}

/* Makes the process and the library be what the options ask for. */
static void apply(struct options *options)
{
	if (rstd_set_isa(options->isa) != RSTD_OK || rstd_set_num_threads(options->conditions.threads) != RSTD_OK) {
		fprintf(stderr, "rstd-bench: %s\n", rstd_last_error());
		exit(2);
	}
	options->conditions.threads = rstd_get_num_threads();
	if (options->pin < 0)
		return;
	if (options->conditions.threads > 1)
		refuse("--pin needs one thread");
	pin(options->pin);
}

static bool wanted(const struct options *options, const char *name, const char *dtype)
{
	char full[64];

	snprintf(full, sizeof(full), "%s %s", name, dtype);
	if (!options->pattern)
		return true;
	if (strpbrk(options->pattern, "*?["))
		return fnmatch(options->pattern, full, 0) == 0;
	return strstr(full, options->pattern) != NULL;
}

/* They are one of the jobs, not one of the shapes. */
static bool wants_calls(const struct options *options)
{
	return !options->sweep && options->shape[0] == 0 && wanted(options, CALL_NAME, CALL_DTYPE);
}

static size_t make_jobs(const struct options *options, struct job *jobs)
{
	if (options->sweep)
		return jobs_make_sweep(jobs, options->quick);
	if (options->shape[0] > 0)
		return jobs_make_shape(jobs, options->shape);
	return jobs_make(jobs, options->conditions.large);
}

static size_t select_jobs(struct job *jobs, size_t count, const struct options *options)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (wanted(options, jobs[i].name, dtype_name(jobs[i].x.dtype)))
			jobs[kept++] = jobs[i];
	return kept;
}

static size_t largest_span(const struct job *jobs, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes = jobs[i].bytes_span > bytes ? jobs[i].bytes_span : bytes;
	return (bytes + LOAD_STEP - 1) / LOAD_STEP * LOAD_STEP;
}

/* One line that the next one replaces, for a person who waits; nothing when standard error is a file. */
static void progress(size_t index, size_t count, const char *name, const char *dtype)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (name)
		fprintf(stderr, "\r\033[K[%zu/%zu] %s %s ", index + 1, count, name, dtype);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

struct bench {
	struct options options;
	struct job jobs[JOBS_MAX];
	size_t count;
	struct outcome outcomes[JOBS_MAX];
	size_t measured;
	void *data;
	size_t bytes;
	FILE *json; /* NULL: none wanted */
	bool failed;
};

#define BAD 0.9 /* rstd / plain C */

/* A cell of a sweep that looks bad is measured again, five times as long: among thousands, some were only disturbed. */
static bool run_job(struct bench *bench, const struct job *job, struct result *result, char problem[PROBLEM_BYTES])
{
	struct conditions conditions = bench->options.conditions;

	if (!contest_run(job, &conditions, bench->data, result, problem))
		return false;
	if (!bench->options.sweep || result->of_plain.median > BAD)
		return true;
	conditions.effort.seconds *= 5;
	conditions.effort.rounds_min = 5;
	return contest_run(job, &conditions, bench->data, result, problem);
}

static void run_jobs(struct bench *bench)
{
	const struct conditions *conditions = &bench->options.conditions;
	rstd_dtype filled = (rstd_dtype)0;

	if (!bench->options.sweep)
		report_heading();
	for (size_t i = 0; i < bench->count; i++) {
		const struct job *job = &bench->jobs[i];
		const rstd_dtype dtype = job->x.dtype;
		struct outcome *outcome = &bench->outcomes[bench->measured];
		char problem[PROBLEM_BYTES];

		progress(i, bench->count, dtype == filled ? job->name : "making data of", dtype_name(dtype));
		if (dtype != filled)
			data_fill(bench->data, bench->bytes, dtype, conditions->data);
		filled = dtype;
		progress(i, bench->count, job->name, dtype_name(dtype));
		if (!run_job(bench, job, &outcome->result, problem)) {
			progress(i, bench->count, NULL, NULL);
			fprintf(stderr, "rstd-bench: %s %s: %s\n", job->name, dtype_name(dtype), problem);
			bench->failed = true;
			continue;
		}
		progress(i, bench->count, NULL, NULL);
		outcome->job = job;
		if (!bench->options.sweep)
			report_row(job, &outcome->result);
		if (bench->json)
			json_job(bench->json, job, &outcome->result, bench->measured == 0);
		bench->measured++;
	}
	if (bench->measured && bench->options.sweep)
		report_sweep(bench->outcomes, bench->measured);
	if (!bench->options.sweep)
		report_onednn(bench->outcomes, bench->measured);
	if (bench->measured)
		report_memory(bench->outcomes, bench->measured);
}

static bool run_calls(struct bench *bench, struct call_costs *costs)
{
	char problem[PROBLEM_BYTES];

	if (!wants_calls(&bench->options))
		return false;
	if (contest_calls(&bench->options.conditions.effort, costs, problem)) {
		report_calls(costs);
		return true;
	}
	fprintf(stderr, "rstd-bench: call 2x4: %s\n", problem);
	bench->failed = true;
	return false;
}

static void open_files(struct bench *bench)
{
	bench->bytes = largest_span(bench->jobs, bench->count);
	bench->data = data_alloc(bench->bytes + LOAD_STEP, bench->options.conditions.huge);
	if (!bench->data) {
		fprintf(stderr, "rstd-bench: no memory for %zu MiB of data\n", bench->bytes >> 20);
		exit(1);
	}
	if (!bench->options.json)
		return;
	bench->json = fopen(bench->options.json, "w");
	if (!bench->json) {
		fprintf(stderr, "rstd-bench: %s: %s\n", bench->options.json, strerror(errno));
		exit(1);
	}
}

static void close_files(struct bench *bench)
{
	data_free(bench->data, bench->bytes + LOAD_STEP);
	if (!bench->json)
		return;
	if (ferror(bench->json) | fclose(bench->json)) {
		fprintf(stderr, "rstd-bench: %s: could not be written\n", bench->options.json);
		bench->failed = true;
	}
}

int main(int argc, char **argv)
{
	static struct bench bench;
	struct call_costs costs;
	bool calls;

	bench.options = parse(argc, argv);
	bench.count = select_jobs(bench.jobs, make_jobs(&bench.options, bench.jobs), &bench.options);
	for (size_t i = 0; i < bench.count && bench.options.list; i++)
		printf("%s %s\n", bench.jobs[i].name, dtype_name(bench.jobs[i].x.dtype));
	if (bench.options.list) {
		if (wants_calls(&bench.options))
			puts(CALL_NAME " " CALL_DTYPE);
		return 0;
	}
	apply(&bench.options);
	if (bench.options.climb) {
		report_machine(&bench.options.conditions);
		return climb_run(&bench.options.conditions.effort) ? 0 : 1;
	}
	if (bench.count == 0 && !wants_calls(&bench.options))
		refuse("no job has that name; see --list");
	open_files(&bench);
	report_machine(&bench.options.conditions);
	if (bench.json)
		json_begin(bench.json, &bench.options.conditions);
	if (bench.count)
		run_jobs(&bench);
	calls = run_calls(&bench, &costs);
	if (bench.json)
		json_end(bench.json, calls ? &costs : NULL);
	close_files(&bench);
	return bench.failed;
}
