/*
 * test_aclnn_cases.c - every case of every case file by every CANN interface that can express it, bit for bit
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each case runs on contiguous tensors and on views with strides and offsets, with a one-shot executor and with a
 * repeatable one that runs twice. Cases that must be refused must be refused by phase 1, with the code for a bad
 * parameter, a message, and nothing written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn/opdev/op_errno.h"
#include "aclnn_case.h"

#define POISON            0xA5
#define GUARD             64
#define MAX_FAILURE_LINES 40

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
	{ .name = "padded", .x = { .pad = 5 }, .mean = { .pad = 3 }, .out = { .pad = 2 } },
	{ .name = "negative", .x = { .negative = ~0U }, .mean = { .negative = ~0U }, .out = { .negative = ~0U } },
	{ .name = "rotated", .x = { .order = AXES_ROTATED, .pad = 1 }, .out = { .order = AXES_ROTATED, .pad = 3 } },
	{ .name = "wild-ones",
	  .x = { .wild_ones = true },
	  .mean = { .wild_ones = true },
	  .out = { .wild_ones = true } },
	{ .name = "broadcast", .x = { .broadcast = true }, .mean = { .broadcast = true } },
};

#define ARRANGEMENTS (sizeof(arrangements) / sizeof(*arrangements))

struct tally {
	size_t cases, runs, refused, failures;
};

static aclrtStream stream;

__attribute__((format(printf, 4, 5))) static void report(struct tally *t, const struct test_case *c, const char *how,
                                                         const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (t->failures++ < MAX_FAILURE_LINES)
		print_error("%s %s: %s\n", c->id, how, text);
}

static const char *recent_message(void)
{
	const char *message = aclGetRecentErrMsg();

	return message ? message : "no message";
}

/* ---- Valid cases --------------------------------------------------------------------------------------------- */

struct subject {
	const struct test_case *c;
	struct tally *tally;
	uint32_t *x_bits, *mean_bits, *expected[2], *got;
	size_t slices;
	enum aclnn_interface interface;
	size_t out_count; /* outputs of the interface */
	struct view x, mean, out[2];
	struct operands operands;
};

static void compare(struct subject *s, const char *how)
{
	const struct test_case *c = s->c;
	size_t k, i;

	s->tally->runs++;
	for (k = 0; k < s->out_count; k++) {
		operand_read(&s->operands.out[k], &s->out[k]);
		if (!view_intact(&s->out[k], POISON, true))
			report(s->tally, c, how, "wrote beside the elements of output %zu", k);
		view_read(&s->out[k], s->got);
		for (i = 0; s->expected[k] && i < s->slices; i++) {
			if (bits_match(c->out_dtype[k], s->got[i], s->expected[k][i]))
				continue;
			report(s->tally, c, how, "output %zu [%zu]: expected %0*x, got %0*x", k, i,
			       (int)(2 * dtype_size(c->out_dtype[k])), s->expected[k][i],
			       (int)(2 * dtype_size(c->out_dtype[k])), s->got[i]);
			break; /* one element of an output tells enough */
		}
	}
}

/* Phase 2 and the wait, into poisoned outputs; the code of what failed. */
static int run_once(struct subject *s, void *workspace, uint64_t size, aclOpExecutor *executor)
{
	int status;
	size_t k;

	for (k = 0; k < s->out_count; k++) {
		view_poison(&s->out[k], POISON);
		operand_write(&s->operands.out[k], &s->out[k]);
	}
	status = aclnn_phase_2(s->interface, workspace, size, executor, stream);
	return status ? status : aclrtSynchronizeStream(stream);
}

static void run_executor(struct subject *s, bool repeatable, const char *how)
{
	aclOpExecutor *executor = NULL;
	uint64_t size = UINT64_MAX;
	void *workspace = NULL;
	int status, run;

	status = aclnn_phase_1(s->interface, s->c, &s->operands, &size, &executor);
	if (status != ACLNN_SUCCESS) {
		report(s->tally, s->c, how, "phase 1: %d, %s", status, recent_message());
		return;
	}
	if (repeatable)
		assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
	if (size > 0)
		assert_int_equal(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
	for (run = 0; run < 1 + repeatable; run++) {
		status = run_once(s, workspace, size, executor);
		if (status == 0)
			compare(s, how);
		else
			report(s->tally, s->c, how, "phase 2: %d, %s", status, recent_message());
	}
	if (workspace)
		assert_int_equal(aclrtFree(workspace), ACL_SUCCESS);
	if (repeatable)
		assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}

static void run_arrangement(struct subject *s, const struct arrangement *a)
{
	const struct test_case *c = s->c;
	const unsigned x_constant = a->x.broadcast ? constant_axes(&c->shape, s->x_bits) : 0;
	const unsigned mean_constant = a->mean.broadcast && s->mean_bits ? constant_axes(&c->shape, s->mean_bits) : 0;
	char how[120];
	size_t k;

	view_make(&s->x, &a->x, c->dtype, &c->shape, x_constant, 0xFF, GUARD);
	view_write(&s->x, s->x_bits);
	operand_make(&s->operands.x, &s->x);
	if (s->mean_bits) {
		view_make(&s->mean, &a->mean, c->mean_dtype, &c->shape, mean_constant, 0xFF, GUARD);
		view_write(&s->mean, s->mean_bits);
		operand_make(&s->operands.mean, &s->mean);
	}
	for (k = 0; k < s->out_count; k++) {
		view_make(&s->out[k], &a->out, c->out_dtype[k], &c->out_shape, 0, POISON, GUARD);
		operand_make(&s->operands.out[k], &s->out[k]);
	}

	snprintf(how, sizeof(how), "%s %s one-shot", aclnn_interface_name(s->interface), a->name);
	run_executor(s, false, how);
	snprintf(how, sizeof(how), "%s %s repeatable", aclnn_interface_name(s->interface), a->name);
	run_executor(s, true, how);

	operand_free(&s->operands.x);
	operand_free(&s->operands.mean);
	view_free(&s->x);
	view_free(&s->mean);
	for (k = 0; k < s->out_count; k++) {
		operand_free(&s->operands.out[k]);
		view_free(&s->out[k]);
	}
}

static void run_interface(struct subject *s, enum aclnn_interface interface, size_t out_count)
{
	size_t a;

	s->interface = interface;
	s->out_count = out_count;
	for (a = 0; a < ARRANGEMENTS; a++)
		run_arrangement(s, &arrangements[a]);
}

/* Elements from a spec, with their hash checked; NULL and a report when that fails. */
static uint32_t *generate(const struct test_case *c, struct tally *tally, const char *spec, rstd_dtype dtype,
                          const size_t *slice_of, uint64_t hash)
{
	const size_t count = shape_count(&c->shape);
	uint32_t *bits = xmalloc(count * sizeof(*bits));

	if (!gen_fill(spec, dtype, count, slice_of, bits) || gen_hash(bits, count) != hash) {
		report(tally, c, "generator", "the input has not the hash that the case states");
		free(bits);
		return NULL;
	}
	return bits;
}

/* Std and StdMean cases go through both interfaces: either can give the standard deviation alone. */
static void run_interfaces(struct subject *s)
{
	switch (s->c->op) {
	case OP_STD:
		run_interface(s, ACLNN_STD, 1);
		break;
	case OP_STD_MEAN:
		run_interface(s, ACLNN_STD_MEAN_CORRECTION, 2);
		run_interface(s, ACLNN_STD, 1);
		break;
	case OP_BATCH_NORM_STATS:
		run_interface(s, ACLNN_BATCH_NORM_STATS, 2);
		break;
	default:
		run_interface(s, ACLNN_REDUCE_STD_WITH_MEAN, 1);
	}
}

static void run_valid(const struct test_case *c, struct tally *tally)
{
	const bool given = c->op == OP_REDUCE_STD_WITH_MEAN;
	const unsigned mask = case_mask(c);
	struct subject s = { .c = c, .tally = tally, .slices = slice_count(&c->shape, mask) };
	size_t *slice_of = xmalloc(shape_count(&c->shape) * sizeof(*slice_of)), k;
	bool sound = true;

	slice_map(&c->shape, mask, slice_of);
	s.x_bits = generate(c, tally, c->x, c->dtype, NULL, c->x_hash);
	s.mean_bits = given ? generate(c, tally, c->mean, c->mean_dtype, slice_of, c->mean_hash) : NULL;
	s.got = xmalloc(s.slices * sizeof(*s.got));
	for (k = 0; k < c->out_count; k++) {
		s.expected[k] = xmalloc(s.slices * sizeof(**s.expected));
		sound &= case_expected(c, k, s.slices, s.expected[k]);
	}
	s.operands.dim = aclCreateIntArray(c->dims, c->dim_count);
	assert_non_null(s.operands.dim);
	if (!sound)
		report(tally, c, "file", "the expected elements are not as many as the outputs");
	else if (s.x_bits && (s.mean_bits || !given))
		run_interfaces(&s);
	assert_int_equal(aclDestroyIntArray(s.operands.dim), ACLNN_SUCCESS);
	for (k = 0; k < c->out_count; k++)
		free(s.expected[k]);
	free(s.got);
	free(s.mean_bits);
	free(s.x_bits);
	free(slice_of);
}

/* ---- Cases that must be refused ------------------------------------------------------------------------------ */

/* A row-major tensor of any rank and dtype, in memory that is large enough for all of them. */
static aclTensor *plain_tensor(const struct case_shape *shape, rstd_dtype dtype, void *data)
{
	return aclCreateTensor(shape->len, shape->rank, aclnn_dtype(dtype), NULL, 0, ACL_FORMAT_ND, shape->len,
	                       shape->rank, data);
}

static enum aclnn_interface interface_of(const struct test_case *c)
{
	static const enum aclnn_interface map[] = {
		[OP_REDUCE_STD_WITH_MEAN] = ACLNN_REDUCE_STD_WITH_MEAN,
		[OP_STD] = ACLNN_STD,
		[OP_STD_MEAN] = ACLNN_STD_MEAN_CORRECTION,
		[OP_BATCH_NORM_STATS] = ACLNN_BATCH_NORM_STATS,
	};

	return map[c->op];
}

static void run_invalid(const struct test_case *c, struct tally *tally)
{
	const size_t room = 4 * 4096;
	unsigned char *host = xmalloc(room), untouched;
	aclOpExecutor *const nowhere = (aclOpExecutor *)(void *)&untouched, *executor = nowhere;
	struct operands o = { .dim = aclCreateIntArray(c->dims, c->dim_count) };
	void *memory[4];
	uint64_t size = 4711;
	aclnnStatus status;
	bool intact = true;
	size_t i, k;

	memset(host, POISON, room);
	for (k = 0; k < 4; k++) {
		assert_int_equal(aclrtMalloc(&memory[k], room, ACL_MEM_MALLOC_HUGE_FIRST), 0);
		assert_int_equal(aclrtMemcpy(memory[k], room, host, room, ACL_MEMCPY_HOST_TO_DEVICE), 0);
	}
	o.x.tensor = plain_tensor(&c->shape, c->dtype, memory[0]);
	o.mean.tensor = plain_tensor(&c->mean_shape, c->mean_dtype, memory[1]);
	o.out[0].tensor = plain_tensor(&c->out_shape, c->out_dtype[0], memory[2]);
	o.out[1].tensor = plain_tensor(&c->out_shape, c->out_dtype[1], memory[3]);

	tally->refused++;
	aclGetRecentErrMsg(); /* forget what came before */
	status = aclnn_phase_1(interface_of(c), c, &o, &size, &executor);
	if (status != ACLNN_ERR_PARAM_INVALID)
		report(tally, c, c->fault, "expected %d, got %d, %s", ACLNN_ERR_PARAM_INVALID, status,
		       recent_message());
	else if (!aclGetRecentErrMsg())
		report(tally, c, c->fault, "no message");
	if (size != 4711 || executor != nowhere)
		report(tally, c, c->fault, "wrote the workspace size or the executor");
	for (k = 2; k < 4; k++) {
		assert_int_equal(aclrtMemcpy(host, room, memory[k], room, ACL_MEMCPY_DEVICE_TO_HOST), 0);
		for (i = 0; i < room; i++)
			intact &= host[i] == POISON;
	}
	if (!intact)
		report(tally, c, c->fault, "wrote to an output");

	aclDestroyTensor(o.x.tensor);
	aclDestroyTensor(o.mean.tensor);
	aclDestroyTensor(o.out[0].tensor);
	aclDestroyTensor(o.out[1].tensor);
	aclDestroyIntArray(o.dim);
	for (k = 0; k < 4; k++)
		assert_int_equal(aclrtFree(memory[k]), 0);
	free(host);
}

/* ---- Files --------------------------------------------------------------------------------------------------- */

static void test_file(void **state)
{
	const char *path = *state;
	struct tally tally = { 0 };
	struct case_list list;
	size_t i;

	assert_true(case_list_read(&list, path));
	assert_true(list.count > 0);
	for (i = 0; i < list.count; i++) {
		tally.cases++;
		if (list.cases[i].valid)
			run_valid(&list.cases[i], &tally);
		else
			run_invalid(&list.cases[i], &tally);
	}
	case_list_free(&list);
	print_message("%s: %zu cases (%zu to be refused), %zu runs, %zu failures\n", path, tally.cases, tally.refused,
	              tally.runs, tally.failures);
	assert_int_equal(tally.failures, 0);
}

static int open_device(void **state)
{
	(void)state;
	return aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&stream);
}

static int close_device(void **state)
{
	(void)state;
	return aclrtDestroyStream(stream) || aclrtResetDevice(0) || aclFinalize();
}

int main(void)
{
	static char public_cases[] = RSTD_CASES_DIR "/public.tsv", own_cases[] = RSTD_CASES_DIR "/own.tsv";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_file, public_cases),
		cmocka_unit_test_prestate(test_file, own_cases),
	};

	return cmocka_run_group_tests_name("aclnn cases", tests, open_device, close_device);
}
