/*
 * report.c - the table on standard output, and the JSON file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aclnn.h"
#include "onednn.h"

#define MIB ((double)(1 << 20))

/* The first line of a file that begins with key, from what follows ": "; "" where there is none. */
static void read_field(const char *path, const char *key, char *value, size_t size)
{
	FILE *file = fopen(path, "r");
	char line[256];
	const char *text;

	value[0] = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		text = strstr(line, ": ");
		snprintf(value, size, "%s", text ? text + 2 : line);
		break;
	}
	if (file)
		fclose(file);
}

/* The state of transparent huge pages, in brackets among the others. */
static void huge_pages(char *value, size_t size)
{
	char line[256];
	char *from;

	read_field("/sys/kernel/mm/transparent_hugepage/enabled", "", line, sizeof(line));
	from = strchr(line, '[');
	snprintf(value, size, "%s", from ? from + 1 : "unknown");
	value[strcspn(value, "]")] = '\0';
}

/* In MiB; 0 where the system does not tell. */
static double cache(int name)
{
	const long bytes = sysconf(name);

	return bytes > 0 ? (double)bytes / MIB : 0;
}

struct machine {
	char cpu[256];
	char pages[256]; /* the state of transparent huge pages */
};

static void describe(struct machine *machine)
{
	read_field("/proc/cpuinfo", "model name", machine->cpu, sizeof(machine->cpu));
	huge_pages(machine->pages, sizeof(machine->pages));
}

void report_machine(const struct conditions *conditions)
{
	struct machine machine;
	double load = 0;
	const double l3 = cache(_SC_LEVEL3_CACHE_SIZE), large = (double)conditions->large / MIB;

	describe(&machine);
	getloadavg(&load, 1);
	printf("rstd %s, %s, %d thread%s; data %s; transparent huge pages %s%s\n", rstd_version(), rstd_get_isa(),
	       conditions->threads, conditions->threads == 1 ? " (CPU time)" : "s (wall time)",
	       data_kind_names[conditions->data], machine.pages, conditions->huge ? ", asked for" : "");
	printf("%s, %ld CPUs, L1d %.0f KiB, L2 %.2g MiB, L3 %.0f MiB; load average at the start %.2f\n", machine.cpu,
	       sysconf(_SC_NPROCESSORS_ONLN), cache(_SC_LEVEL1_DCACHE_SIZE) * 1024, cache(_SC_LEVEL2_CACHE_SIZE), l3,
	       load);
	if (load > 0.5)
		printf("note: other programs are busy; the medians below are those of a shared machine\n");
	if (l3 > large / 2)
		printf("note: the last cache holds much of the %.0f MiB of the large jobs; --mib N makes them larger\n",
		       large);
}

void report_heading(void)
{
	printf("\n%-28s %-5s %7s %7s %7s %6s  %-18s %7s  %-20s %8s %8s\n", "job", "dtype", "MiB", "limit", "rstd",
	       "G el", "rstd / limit", "plain C", "rstd / plain C", "level 1", "level 2");
	printf("%-28s %-5s %7s %7s %7s %6s  %-18s %7s  %-20s %8s %8s\n", "", "", "", "GB/s", "GB/s", "/s",
	       "median [min..max]", "GB/s", "median [min..max]", "share", "share");
}

static void print_share(uint64_t part, uint64_t all)
{
	if (part == 0 || all == 0)
		printf(" %8s", part || !all ? "-" : "0");
	else
		printf(" %8.1e", (double)part / (double)all);
}

static uint64_t slices(const rstd_level_counts *levels)
{
	return levels->fast + levels->precise + levels->exact;
}

static void print_spread(const struct summary *summary, int width)
{
	char spread[64];

	snprintf(spread, sizeof(spread), "%.2f [%.2f..%.2f]", summary->median, summary->min, summary->max);
	printf("  %-*s", width, spread);
}

void report_row(const struct job *job, const struct result *result)
{
	printf("%-28s %-5s %7.2f %7.1f %7.1f %6.2f", job->name, dtype_name(job->x.dtype), (double)job->bytes_read / MIB,
	       result->limit.median, result->rstd.median,
	       result->rstd.median * (double)job->elements / (double)job->bytes_read);
	print_spread(&result->of_limit, 18);
	if (result->has_plain) {
		printf(" %7.1f", result->plain.median);
		print_spread(&result->of_plain, 20);
	} else {
		printf(" %7s  %-20s", "-", "-");
	}
	print_share(result->levels.precise, slices(&result->levels));
	print_share(result->levels.exact, slices(&result->levels));
	putchar('\n');
	fflush(stdout);
}

static void print_call(const char *what, const struct summary *cost)
{
	printf("%-28s %8.1f [%.1f..%.1f]\n", what, cost->median, cost->min, cost->max);
}

void report_calls(const struct call_costs *costs)
{
	printf("\n%-28s %8s [min..max]\n", "std of a 2x4 f32 array", "ns");
	print_call("one-shot call", &costs->one_shot);
	print_call("run of a plan", &costs->run);
	print_call("make and destroy a plan", &costs->plan);
	print_call("plain C", &costs->plain);
	if (!aclnn_built)
		return;
	print_call("aclnnStd, both phases", &costs->aclnn_one_shot);
	print_call("aclnnStd, repeated phase 2", &costs->aclnn_repeated);
}

static void report_onednn_row(const struct job *job, const struct result *result)
{
	printf("%-28s %-5s %7.1f %7.1f", job->name, dtype_name(job->x.dtype), result->rstd.median,
	       result->training.median);
	print_spread(&result->of_training, 20);
	print_spread(&result->of_statistics, 20);
	printf("  %.1e\n", result->training_difference);
}

void report_onednn(const struct outcome *outcomes, size_t count)
{
	bool any = false;

	if (!onednn_version) {
		printf("\noneDNN is not part of this build; where its version 2 is installed (Debian: libdnnl-dev), it "
		       "is "
		       "measured, too\n");
		return;
	}
	for (size_t i = 0; i < count; i++)
		any = any || outcomes[i].result.has_onednn;
	if (!any)
		return;
	printf("\noneDNN %s, batch and layer norm: training computes statistics and normalises; statistics = training "
	       "- "
	       "forward with given ones\n",
	       onednn_version);
	printf("%-28s %-5s %7s %7s  %-20s  %-20s  %s\n", "job", "dtype", "rstd", "train", "rstd / training",
	       "rstd / statistics", "differs");
	printf("%-28s %-5s %7s %7s  %-20s  %-20s  %s\n", "", "", "GB/s", "GB/s", "median [min..max]",
	       "median [min..max]", "by");
	for (size_t i = 0; i < count; i++)
		if (outcomes[i].result.has_onednn)
			report_onednn_row(outcomes[i].job, &outcomes[i].result);
}

void report_memory(const struct outcome *outcomes, size_t count)
{
	const struct outcome *workspace = outcomes, *growth = outcomes;

	for (size_t i = 1; i < count; i++) {
		if (outcomes[i].result.workspace > workspace->result.workspace)
			workspace = &outcomes[i];
		if (outcomes[i].result.peak_growth > growth->result.peak_growth)
			growth = &outcomes[i];
	}
	printf("\nmemory: largest workspace of a plan %zu bytes (%s %s, outputs: %zu); "
	       "the first run of a plan adds at most %zu KiB to the peak of the process (%s %s)\n",
	       workspace->result.workspace, workspace->job->name, dtype_name(workspace->job->x.dtype),
	       workspace->job->outputs, growth->result.peak_growth >> 10, growth->job->name,
	       dtype_name(growth->job->x.dtype));
}

/* Where less is read, calls and the ends of loops count, and the read limit says nothing. */
#define LARGE_FROM ((size_t)64 << 10)
#define WORST      12

/* What a table of worst cells is sorted by; HUGE_VAL keeps a cell out of it. */
typedef double key_fn(const struct outcome *outcome);

static double limit_key(const struct outcome *outcome)
{
	return outcome->job->bytes_read >= LARGE_FROM ? outcome->result.of_limit.median : HUGE_VAL;
}

static double plain_key(const struct outcome *outcome)
{
	return outcome->job->bytes_read >= LARGE_FROM ? outcome->result.of_plain.median : HUGE_VAL;
}

static double small_key(const struct outcome *outcome)
{
	return outcome->job->bytes_read < LARGE_FROM ? outcome->result.of_plain.median : HUGE_VAL;
}

static int compare_limit(const void *left, const void *right)
{
	const double a = limit_key(left), b = limit_key(right);

	return (a > b) - (a < b);
}

static int compare_plain(const void *left, const void *right)
{
	const double a = plain_key(left), b = plain_key(right);

	return (a > b) - (a < b);
}

static int compare_small(const void *left, const void *right)
{
	const double a = small_key(left), b = small_key(right);

	return (a > b) - (a < b);
}

static void report_worst(struct outcome *outcomes, size_t count, const char *what, key_fn *key,
                         int compare(const void *, const void *))
{
	size_t keyed = 0;

	qsort(outcomes, count, sizeof(*outcomes), compare);
	while (keyed < count && key(&outcomes[keyed]) < HUGE_VAL)
		keyed++;
	if (keyed == 0)
		return;
	printf("\n%s, %zu cells: least %.2f, a tenth of them below %.2f, half of them below %.2f. The worst:", what,
	       keyed, key(&outcomes[0]), key(&outcomes[keyed / 10]), key(&outcomes[keyed / 2]));
	report_heading();
	for (size_t i = 0; i < WORST && i < keyed; i++)
		report_row(outcomes[i].job, &outcomes[i].result);
}

void report_sweep(struct outcome *outcomes, size_t count)
{
	report_worst(outcomes, count, "rstd / limit, from 64 KiB up", limit_key, compare_limit);
	report_worst(outcomes, count, "rstd / plain C, from 64 KiB up", plain_key, compare_plain);
	report_worst(outcomes, count, "rstd / plain C, below 64 KiB", small_key, compare_small);
}

static void json_string(FILE *file, const char *key, const char *value)
{
	fprintf(file, "\"%s\": \"", key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', file);
		if ((unsigned char)*value >= ' ')
			fputc(*value, file);
	}
	fputc('"', file);
}

static void json_summary(FILE *file, const char *key, const struct summary *summary)
{
	fprintf(file, ", \"%s\": {\"median\": %.5g, \"min\": %.5g, \"max\": %.5g}", key, summary->median, summary->min,
	        summary->max);
}

static void json_shape(FILE *file, const struct job *job)
{
	fputs(", \"shape\": [", file);
	for (size_t i = 0; i < job->x.rank; i++)
		fprintf(file, "%s%lld", i ? ", " : "", (long long)job->x.shape[i]);
	fputs("]", file);
}

void json_begin(FILE *file, const struct conditions *conditions)
{
	struct machine machine;
	const time_t now = time(NULL);
	char date[16];

	strftime(date, sizeof(date), "%Y-%m-%d", localtime(&now));
	describe(&machine);
	fputs("{", file);
	json_string(file, "version", rstd_version());
	fputs(", ", file);
	json_string(file, "date", date);
	fputs(", ", file);
	json_string(file, "isa", rstd_get_isa());
	fputs(", ", file);
	json_string(file, "cpu", machine.cpu);
	fputs(", ", file);
	json_string(file, "huge_pages", conditions->huge ? "asked for" : machine.pages);
	fputs(", ", file);
	json_string(file, "data", data_kind_names[conditions->data]);
	fprintf(file, ", \"threads\": %d, \"large_bytes\": %zu,\n\"jobs\": [", conditions->threads, conditions->large);
}

void json_job(FILE *file, const struct job *job, const struct result *result, bool first)
{
	fputs(first ? "\n{" : ",\n{", file);
	json_string(file, "job", job->name);
	fputs(", ", file);
	json_string(file, "dtype", dtype_name(job->x.dtype));
	fputs(", ", file);
	json_string(file, "out_dtype", dtype_name(job->y.dtype));
	fputs(", ", file);
	json_string(file, "best_load", result->best_loop);
	fprintf(file,
	        ", \"bytes\": %zu, \"elements\": %zu, \"outputs\": %zu, \"rounds\": %zu, \"workspace_bytes\": %zu"
	        ", \"peak_growth_bytes\": %zu",
	        job->bytes_read, job->elements, job->outputs, result->rounds, result->workspace, result->peak_growth);
	json_shape(file, job);
	fprintf(file, ", \"level_0\": %llu, \"level_1\": %llu, \"level_2\": %llu",
	        (unsigned long long)result->levels.fast, (unsigned long long)result->levels.precise,
	        (unsigned long long)result->levels.exact);
	json_summary(file, "limit_gbs", &result->limit);
	json_summary(file, "rstd_gbs", &result->rstd);
	json_summary(file, "rstd_over_limit", &result->of_limit);
	if (result->has_plain) {
		json_summary(file, "plain_gbs", &result->plain);
		json_summary(file, "rstd_over_plain", &result->of_plain);
		fprintf(file, ", \"largest_difference\": %.3g", result->difference);
	}
	if (result->has_onednn) {
		json_summary(file, "onednn_training_gbs", &result->training);
		json_summary(file, "rstd_over_onednn_training", &result->of_training);
		json_summary(file, "rstd_over_onednn_statistics", &result->of_statistics);
		fprintf(file, ", \"onednn_difference\": %.3g", result->training_difference);
	}
	fputc('}', file);
}

void json_end(FILE *file, const struct call_costs *costs)
{
	fputs("\n]", file);
	if (costs) {
		fputs(",\n\"call_2x4_ns\": {\"shape\": [2, 4]", file);
		json_summary(file, "one_shot", &costs->one_shot);
		json_summary(file, "run", &costs->run);
		json_summary(file, "plan", &costs->plan);
		json_summary(file, "plain", &costs->plain);
		if (aclnn_built) {
			json_summary(file, "aclnn_one_shot", &costs->aclnn_one_shot);
			json_summary(file, "aclnn_repeated", &costs->aclnn_repeated);
		}
		fputc('}', file);
	}
	fputs("}\n", file);
}
