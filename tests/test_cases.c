/*
 * test_cases.c - every case of every case file, bit for bit, in every way to ask for it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each case runs on every instruction set of the machine, on 1, 2 and 7 threads, in one call and by a plan, on every
 * view of the table below. RSTD_TEST_SCALE, a percentage below 100, thins out the views but never a case: the
 * contiguous view always runs, and what was left out is counted and printed.
 *
 * usage: test_cases [FILE.tsv...]; without arguments, every .tsv in the directory of the cases
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

#define MAX_FILES         64
#define MAX_ISAS          8
#define MAX_FAILURE_LINES 40

/* One way to lay out the tensors of a case. */
struct arrangement {
	const char *name;
	struct layout x, mean, out;
};

static const struct arrangement arrangements[] = {
	{ .name = "contiguous" },
	{ .name = "strided", .x = { .gap = 1 }, .mean = { .gap = 2 }, .out = { .gap = 2 } },
	{ .name = "transposed",
	  .x = { .order = AXES_REVERSED },
	  .mean = { .order = AXES_REVERSED },
	  .out = { .order = AXES_REVERSED } },
	{ .name = "rotated", .x = { .order = AXES_ROTATED, .pad = 1 }, .out = { .order = AXES_ROTATED, .pad = 3 } },
	{ .name = "padded", .x = { .pad = 5 }, .mean = { .pad = 3 }, .out = { .pad = 2 } },
	{ .name = "negative", .x = { .negative = ~0U }, .mean = { .negative = ~0U }, .out = { .negative = ~0U } },
	{ .name = "half-negative",
	  .x = { .order = AXES_REVERSED, .negative = 0x55, .pad = 1 },
	  .mean = { .negative = 0xAA, .gap = 1 },
	  .out = { .negative = 0x66, .gap = 1, .order = AXES_REVERSED } },
	{ .name = "misaligned",
	  .x = { .misaligned = true },
	  .mean = { .misaligned = true, .pad = 1 },
	  .out = { .misaligned = true } },
	{ .name = "mean-transposed", .mean = { .order = AXES_REVERSED, .pad = 1 } },
	{ .name = "wild-ones",
	  .x = { .wild_ones = true },
	  .mean = { .wild_ones = true, .order = AXES_REVERSED },
	  .out = { .wild_ones = true, .negative = ~0U } },
	{ .name = "broadcast", .x = { .broadcast = true }, .mean = { .broadcast = true } },
	{ .name = "broadcast-mean",
	  .x = { .order = AXES_REVERSED },
	  .mean = { .broadcast = true, .negative = ~0U, .gap = 1 } },
};

#define ARRANGEMENTS (sizeof(arrangements) / sizeof(*arrangements))

static const int thread_counts[] = { 1, 2, 7 };

/* What a run over a file met. */
struct tally {
	size_t cases, invalid, runs, thinned, inapplicable, failures;
};

static void report(struct tally *t, const char *id, const char *how, const char *what)
{
	if (t->failures++ < MAX_FAILURE_LINES)
		print_error("%s %s: %s\n", id, how, what);
}

/* ---- Valid cases --------------------------------------------------------------------------------------------- */

/* A case with its data, and the tensors of the arrangement at hand. */
struct subject {
	const struct test_case *c;
	struct tally *tally;
	uint32_t *x_bits, *mean_bits, *expected[2], *got;
	size_t slices;
	struct view x, mean, out[2];
};

static void compare(const struct subject *s, rstd_status status, bool workspace_intact, const char *how)
{
	char text[200];
	size_t k, i;

	s->tally->runs++;
	if (status != RSTD_OK) {
		snprintf(text, sizeof(text), "status %d: %s", (int)status, rstd_last_error());
		report(s->tally, s->c->id, how, text);
		return;
	}
	if (!workspace_intact)
		report(s->tally, s->c->id, how, "wrote beside the workspace");
	for (k = 0; k < s->c->out_count; k++) {
		if (!view_intact(&s->out[k], OUTPUT_POISON, true))
			report(s->tally, s->c->id, how, "wrote beside the elements of an output");
		view_read(&s->out[k], s->got);
		for (i = 0; i < s->slices; i++) {
			if (bits_match(s->c->out_dtype[k], s->got[i], s->expected[k][i]))
				continue;
			snprintf(text, sizeof(text), "out%zu[%zu]: expected %0*x, got %0*x", k, i,
			         (int)(2 * dtype_size(s->c->out_dtype[k])), s->expected[k][i],
			         (int)(2 * dtype_size(s->c->out_dtype[k])), s->got[i]);
			report(s->tally, s->c->id, how, text);
			break; /* one element of an output tells enough */
		}
	}
}

/* One call and one plan on the tensors at hand, with the instruction set and threads in force. */
static void run_both_ways(const struct subject *s, const char *how)
{
	const rstd_tensor *const out[2] = { &s->out[0].tensor, &s->out[1].tensor };
	const rstd_tensor *mean = s->mean_bits ? &s->mean.tensor : NULL;
	struct view outputs[2] = { s->out[0], s->out[1] };
	char text[160];
	rstd_status status;
	bool intact = true;
	size_t way, k;

	for (way = 0; way < 2; way++) {
		for (k = 0; k < s->c->out_count; k++)
			view_poison(&outputs[k], OUTPUT_POISON);
		if (way == 0)
			status = operator_call(s->c, &s->x.tensor, mean, out);
		else
			status = operator_plan_and_run(s->c, &s->x.tensor, mean, out, &intact);
		snprintf(text, sizeof(text), "%s %s", how, way == 0 ? "call" : "plan");
		compare(s, status, intact, text);
	}
}

static void run_arrangement(struct subject *s, const struct arrangement *a, const char *const *isas)
{
	const struct test_case *c = s->c;
	const unsigned x_constant = a->x.broadcast ? constant_axes(&c->shape, s->x_bits) : 0;
	const unsigned mean_constant = a->mean.broadcast && s->mean_bits ? constant_axes(&c->shape, s->mean_bits) : 0;
	char how[120];
	size_t i, t, k;

	if ((a->x.broadcast || a->mean.broadcast) && !x_constant && !mean_constant) {
		s->tally->inapplicable++; /* nothing to broadcast */
		return;
	}
	view_make(&s->x, &a->x, c->dtype, &c->shape, x_constant, INPUT_POISON, 0);
	view_write(&s->x, s->x_bits);
	if (s->mean_bits) {
		view_make(&s->mean, &a->mean, c->mean_dtype, &c->shape, mean_constant, INPUT_POISON, 0);
		view_write(&s->mean, s->mean_bits);
	}
	for (k = 0; k < c->out_count; k++)
		view_make(&s->out[k], &a->out, c->out_dtype[k], &c->out_shape, 0, OUTPUT_POISON, GUARD);
	for (i = 0; isas[i]; i++) {
		assert_int_equal(rstd_set_isa(isas[i]), RSTD_OK);
		for (t = 0; t < sizeof(thread_counts) / sizeof(*thread_counts); t++) {
			assert_int_equal(rstd_set_num_threads(thread_counts[t]), RSTD_OK);
			snprintf(how, sizeof(how), "%s %s threads %d", a->name, isas[i], thread_counts[t]);
			run_both_ways(s, how);
		}
	}
	view_free(&s->x);
	view_free(&s->mean);
	for (k = 0; k < c->out_count; k++)
		view_free(&s->out[k]);
}

/* Elements from a spec, with their hash checked; NULL and a report when that fails. */
static uint32_t *generate(const struct test_case *c, struct tally *tally, const char *spec, rstd_dtype dtype,
                          const size_t *slice_of, uint64_t hash)
{
	const size_t count = shape_count(&c->shape);
	uint32_t *bits = xmalloc(count * sizeof(*bits));

	if (!gen_fill(spec, dtype, count, slice_of, bits) || gen_hash(bits, count) != hash) {
		report(tally, c->id, "generator", "the input has not the hash that the case states");
		free(bits);
		return NULL;
	}
	return bits;
}

static bool chosen(const struct test_case *c, size_t arrangement, unsigned scale)
{
	return arrangement == 0 || splitmix64(c->x_hash + arrangement) % 100 < scale;
}

static void run_valid(const struct test_case *c, struct tally *tally, const char *const *isas)
{
	const unsigned mask = case_mask(c), scale = test_scale();
	const bool given = c->op == OP_REDUCE_STD_WITH_MEAN;
	struct subject s = { .c = c, .tally = tally, .slices = slice_count(&c->shape, mask) };
	size_t *slice_of = xmalloc(shape_count(&c->shape) * sizeof(*slice_of)), k, a;
	bool sound = true;

	slice_map(&c->shape, mask, slice_of);
	s.x_bits = generate(c, tally, c->x, c->dtype, NULL, c->x_hash);
	s.mean_bits = given ? generate(c, tally, c->mean, c->mean_dtype, slice_of, c->mean_hash) : NULL;
	s.got = xmalloc(s.slices * sizeof(*s.got));
	for (k = 0; k < c->out_count; k++) {
		s.expected[k] = xmalloc(s.slices * sizeof(**s.expected));
		sound &= case_expected(c, k, s.slices, s.expected[k]);
	}
	if (!sound)
		report(tally, c->id, "file", "the expected elements are not as many as the outputs");
	for (a = 0; sound && s.x_bits && (s.mean_bits || !given) && a < ARRANGEMENTS; a++) {
		if (chosen(c, a, scale))
			run_arrangement(&s, &arrangements[a], isas);
		else
			tally->thinned++;
	}
	for (k = 0; k < c->out_count; k++)
		free(s.expected[k]);
	free(s.got);
	free(s.mean_bits);
	free(s.x_bits);
	free(slice_of);
}

/* ---- Cases that must be refused ------------------------------------------------------------------------------ */

static rstd_status fault_status(const char *fault)
{
	static const struct {
		const char *fault;
		rstd_status status;
	} map[] = {
		{ "dtype", RSTD_ERROR_DTYPE },           { "rank", RSTD_ERROR_RANK },
		{ "dim-range", RSTD_ERROR_DIM },         { "dim-dup", RSTD_ERROR_DIM },
		{ "mean-shape", RSTD_ERROR_SHAPE },      { "mean-dtype", RSTD_ERROR_DTYPE },
		{ "out-shape", RSTD_ERROR_SHAPE },       { "out-dtype", RSTD_ERROR_DTYPE },
		{ "correction", RSTD_ERROR_CORRECTION }, { "channels", RSTD_ERROR_SHAPE },
	};
	size_t i;

	for (i = 0; i < sizeof(map) / sizeof(*map); i++)
		if (strcmp(map[i].fault, fault) == 0)
			return map[i].status;
	return RSTD_OK;
}

/* A row-major tensor of any rank up to CASE_MAX_RANK; of rank 9, what fits of it. */
static rstd_tensor plain_tensor(const struct case_shape *shape, rstd_dtype dtype, void *data)
{
	rstd_tensor t = { .data = data, .dtype = dtype, .rank = shape->rank };
	int64_t stride = 1;
	size_t a;

	for (a = shape->rank < RSTD_MAX_RANK ? shape->rank : RSTD_MAX_RANK; a-- > 0;) {
		t.shape[a] = shape->len[a];
		t.strides[a] = stride;
		stride *= shape->len[a] ? shape->len[a] : 1;
	}
	return t;
}

static void check_refusal(const struct test_case *c, struct tally *tally, rstd_status status, const char *how)
{
	char text[300];

	tally->runs++;
	if (status != fault_status(c->fault)) {
		snprintf(text, sizeof(text), "%s: expected status %d, got %d (%s)", c->fault,
		         (int)fault_status(c->fault), (int)status, rstd_last_error());
		report(tally, c->id, how, text);
	} else if (rstd_last_error()[0] == '\0') {
		report(tally, c->id, how, "no message");
	}
}

static void run_invalid(const struct test_case *c, struct tally *tally)
{
	const size_t room = 4 * 4096;
	unsigned char *inputs = xmalloc(2 * room), *outputs = xmalloc(2 * room);
	const rstd_tensor x = plain_tensor(&c->shape, c->dtype, inputs);
	const rstd_tensor mean = plain_tensor(&c->mean_shape, c->mean_dtype, inputs + room);
	const rstd_tensor y = plain_tensor(&c->out_shape, c->out_dtype[0], outputs);
	const rstd_tensor z = plain_tensor(&c->out_shape, c->out_dtype[1], outputs + room);
	const rstd_tensor *const out[2] = { &y, &z };
	rstd_plan *plan = (rstd_plan *)(void *)outputs; /* must become NULL */
	bool intact = true;
	size_t i;

	memset(inputs, 0, 2 * room);
	memset(outputs, OUTPUT_POISON, 2 * room);
	if (fault_status(c->fault) == RSTD_OK)
		report(tally, c->id, "file", "unknown fault");
	check_refusal(c, tally, operator_call(c, &x, &mean, out), "call");
	check_refusal(c, tally, operator_plan(&plan, c, &x, &mean, out), "plan");
	if (plan)
		report(tally, c->id, "plan", "a failed constructor left the plan other than NULL");
	for (i = 0; i < 2 * room; i++)
		intact &= outputs[i] == OUTPUT_POISON;
	if (!intact)
		report(tally, c->id, "call", "wrote to an output");
	free(outputs);
	free(inputs);
}

/* ---- Files --------------------------------------------------------------------------------------------------- */

static void test_file(void **state)
{
	const char *path = *state;
	const char *isas[MAX_ISAS + 1] = { NULL };
	struct tally tally = { 0 };
	struct case_list list;
	size_t i;

	for (i = 0; i < MAX_ISAS && rstd_isa_name(i); i++)
		isas[i] = rstd_isa_name(i);
	assert_true(i > 0);
	assert_true(case_list_read(&list, path));
	assert_true(list.count > 0);
	for (i = 0; i < list.count; i++) {
		tally.cases++;
		if (list.cases[i].valid) {
			run_valid(&list.cases[i], &tally, isas);
		} else {
			tally.invalid++;
			run_invalid(&list.cases[i], &tally);
		}
	}
	case_list_free(&list);
	rstd_set_isa(NULL);
	rstd_set_num_threads(0);
	print_message(
		"%s: %zu cases (%zu to be refused), %zu runs, %zu failures; views: %zu left out by the scale, %zu "
		"with nothing to broadcast\n",
		path, tally.cases, tally.invalid, tally.runs, tally.failures, tally.thinned, tally.inapplicable);
	assert_int_equal(tally.failures, 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The .tsv files of a directory, sorted; how many. The names are allocated. */
static size_t find_files(const char *directory, char **files)
{
	DIR *d = opendir(directory);
	const struct dirent *entry;
	size_t n = 0, length;

	if (!d) {
		perror(directory);
		return 0;
	}
	while (n < MAX_FILES && (entry = readdir(d)) != NULL) {
		length = strlen(entry->d_name);
		if (length < 5 || strcmp(entry->d_name + length - 4, ".tsv") != 0)
			continue;
		files[n] = xmalloc(strlen(directory) + length + 2);
		sprintf(files[n++], "%s/%s", directory, entry->d_name);
	}
	closedir(d);
	qsort(files, n, sizeof(*files), by_name);
	return n;
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[MAX_FILES];
	char *files[MAX_FILES], **names = argv + 1;
	size_t n = (size_t)(argc - 1), found = 0, i;
	int failed;

	if (n == 0) {
		n = found = find_files(RSTD_CASES_DIR, files);
		names = files;
	}
	if (n == 0 || n > MAX_FILES)
		return EXIT_FAILURE;
	memset(tests, 0, sizeof(tests));
	for (i = 0; i < n; i++) {
		tests[i].name = names[i];
		tests[i].test_func = test_file;
		tests[i].initial_state = names[i];
	}
	failed = _cmocka_run_group_tests("cases", tests, n, NULL, NULL);
	for (i = 0; i < found; i++)
		free(files[i]);
	return failed;
}
