/*
 * test_aclnn_checks.c - phase 1 of each interface: every check, its code, its sentence, and which of two wins
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A request is what a call takes, all of it right. A fault makes one thing wrong. Each interface lists its faults in
 * the order in which CANN finds them; every fault is tried alone and with every later one.
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

#include "acl/acl.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_reduce_std_with_mean.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"

#define HIGH    9 /* a rank too many */

#define NULLPTR ACLNN_ERR_PARAM_NULLPTR
#define INVALID ACLNN_ERR_PARAM_INVALID
#define INNER   ACLNN_ERR_INNER_NULLPTR

/* ---- Requests ------------------------------------------------------------------------------------------------ */

enum interface { STD, STD_MEAN_CORRECTION, BATCH_NORM_STATS, REDUCE_STD_WITH_MEAN, INTERFACES };

enum operand { X, GIVEN, OUT, MEAN, OPERANDS };

struct description {
	bool missing; /* NULL is passed */
	bool dead;    /* destroyed before the call */
	aclDataType dtype;
	aclFormat format;
	uint64_t rank;
	int64_t shape[HIGH];
	bool has_strides;
	int64_t strides[HIGH];
	int64_t offset;
	uint64_t storage_rank;
	int64_t storage[HIGH];
};

struct request {
	enum interface interface;
	struct description operand[OPERANDS];
	bool no_dim; /* NULL is passed */
	bool dead_dim;
	uint64_t dim_count;
	int64_t dim[HIGH];
	int64_t correction;
	bool keepdim;
	bool no_workspace_size, no_executor;
};

static const char *const names[INTERFACES][OPERANDS] = {
	[STD] = { "self", NULL, "out", NULL },
	[STD_MEAN_CORRECTION] = { "self", NULL, "stdOut", "meanOut" },
	[BATCH_NORM_STATS] = { "input", NULL, "invstd", "mean" },
	[REDUCE_STD_WITH_MEAN] = { "x", "mean", "y", NULL },
};

static struct description describe(uint64_t rank, const int64_t *shape)
{
	struct description d = { .dtype = ACL_FLOAT, .format = ACL_FORMAT_ND, .rank = rank, .storage_rank = rank };

	if (rank > 0) {
		memcpy(d.shape, shape, rank * sizeof(*shape));
		memcpy(d.storage, shape, rank * sizeof(*shape));
	}
	for (uint64_t i = rank; i < HIGH; i++)
		d.shape[i] = d.storage[i] = 1;
	return d;
}

/* Two by three, the first axis reduced; for BatchNormStats all but the second are. */
static struct request right(enum interface interface)
{
	static const int64_t shape[2] = { 2, 3 };
	struct request r = { .interface = interface, .dim_count = 1, .correction = 1 };

	r.operand[X] = r.operand[GIVEN] = describe(2, shape);
	r.operand[OUT] = r.operand[MEAN] = describe(1, &shape[1]);
	return r;
}

static aclTensor *make(const struct description *d)
{
	if (d->missing)
		return NULL;
	aclTensor *const t = aclCreateTensor(d->shape, d->rank, d->dtype, d->has_strides ? d->strides : NULL, d->offset,
	                                     d->format, d->storage, d->storage_rank, NULL);
	assert_non_null(t);
	if (d->dead)
		aclDestroyTensor(t);
	return t;
}

static aclnnStatus phase_1(const struct request *r, aclTensor *const t[OPERANDS], const aclIntArray *dim,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
	switch (r->interface) {
	case STD:
		return aclnnStdGetWorkspaceSize(t[X], dim, r->correction, r->keepdim, t[OUT], workspace_size, executor);
	case STD_MEAN_CORRECTION:
		return aclnnStdMeanCorrectionGetWorkspaceSize(t[X], dim, r->correction, r->keepdim, t[OUT], t[MEAN],
		                                              workspace_size, executor);
	case BATCH_NORM_STATS:
		return aclnnBatchNormStatsGetWorkspaceSize(t[X], 1e-5, t[MEAN], t[OUT], workspace_size, executor);
	default:
		return aclnnReduceStdWithMeanGetWorkspaceSize(t[X], t[GIVEN], dim, true, r->keepdim, false, 0,
		                                              r->correction, t[OUT], workspace_size, executor);
	}
}

/* The status of a request; what phase 1 should leave alone when it fails is looked at, what it makes is destroyed. */
static aclnnStatus ask(const struct request *r)
{
	aclOpExecutor *const untouched = (aclOpExecutor *)(uintptr_t)0x1234;
	aclOpExecutor *executor = untouched;
	uint64_t workspace_size = 0x5678;
	aclTensor *t[OPERANDS];

	for (int i = 0; i < OPERANDS; i++)
		t[i] = make(&r->operand[i]);
	aclIntArray *const dim = aclCreateIntArray(r->dim, r->dim_count);
	if (r->dead_dim)
		aclDestroyIntArray(dim);
	const aclnnStatus status = phase_1(r, t, r->no_dim ? NULL : dim, r->no_workspace_size ? NULL : &workspace_size,
	                                   r->no_executor ? NULL : &executor);
	if (status == ACLNN_SUCCESS) {
		assert_int_equal(workspace_size, 0); /* two by three need none */
		assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
	} else {
		assert_int_equal(workspace_size, 0x5678);
		assert_ptr_equal(executor, untouched);
	}
	for (int i = 0; i < OPERANDS; i++) {
		if (!r->operand[i].missing && !r->operand[i].dead)
			assert_int_equal(aclDestroyTensor(t[i]), ACLNN_SUCCESS);
	}
	if (!r->dead_dim)
		assert_int_equal(aclDestroyIntArray(dim), ACLNN_SUCCESS);
	return status;
}

static void assert_accepted(const struct request *r, const char *what)
{
	const aclnnStatus status = ask(r);

	if (status != ACLNN_SUCCESS)
		fail_msg("%s of %s: %d, %s", what, names[r->interface][OUT], status, aclGetRecentErrMsg());
}

/* The message is "[code] argument: ...", or "[code] interface: ..." where the plan has refused. */
static void assert_refused(const struct request *r, int code, const char *argument, const char *what)
{
	const aclnnStatus status = ask(r);
	const char *const message = aclGetRecentErrMsg();
	char begin[64];

	snprintf(begin, sizeof(begin), "[%d] %s", code, argument);
	if (status != code || message == NULL || strncmp(message, begin, strlen(begin)) != 0)
		fail_msg("%s of %s: %d, \"%s\", expected %s", what, names[r->interface][OUT], status,
		         message ? message : "no message", begin);
}

/* ---- Faults -------------------------------------------------------------------------------------------------- */

enum fault_kind {
	NO_WORKSPACE_SIZE,
	NO_EXECUTOR,
	NO_TENSOR,
	DTYPE,       /* none of the three */
	DTYPE_OTHER, /* one of the three, but not the one */
	FORMAT,
	DIM_RANGE,
	DIM_TWICE,
	RANK_HIGH,
	RANK_LOW,
	EXTENT,
	CHANNELS,
	SHAPE,
	CORRECTION,
	STORAGE,
	OVERLAP,
};

struct fault {
	enum fault_kind kind;
	enum operand operand; /* where it means one */
};

/* Each leaves what the others change as it is, so that any two are both there. */
static void make_wrong(struct request *r, const struct fault *f)
{
	struct description *const d = &r->operand[f->operand];

	switch (f->kind) {
	case NO_WORKSPACE_SIZE:
		r->no_workspace_size = true;
		return;
	case NO_EXECUTOR:
		r->no_executor = true;
		return;
	case NO_TENSOR:
		d->missing = true;
		return;
	case DTYPE:
		d->dtype = ACL_DOUBLE;
		return;
	case DTYPE_OTHER:
		d->dtype = ACL_FLOAT16;
		return;
	case FORMAT:
		d->format = ACL_FORMAT_FRACTAL_NZ;
		return;
	case DIM_RANGE:
		r->dim[0] = 100;
		return;
	case DIM_TWICE:
		r->dim_count = 2;
		return;
	case RANK_HIGH:
		d->rank = HIGH;
		return;
	case RANK_LOW:
		d->rank -= 1;
		return;
	case EXTENT:
		d->shape[0] = -1;
		return;
	case CHANNELS:
		d->shape[1] = 0;
		return;
	case SHAPE:
		d->shape[0] = 4;
		d->storage[0] = 4;
		return;
	case CORRECTION:
		r->correction = -1;
		return;
	case STORAGE:
		d->offset = 1000;
		return;
	case OVERLAP:
		d->has_strides = true; /* of 0 */
		return;
	}
}

static int code_of(const struct fault *f)
{
	switch (f->kind) {
	case NO_WORKSPACE_SIZE:
	case NO_EXECUTOR:
	case NO_TENSOR:
		return NULLPTR;
	case STORAGE:
		return INNER;
	default:
		return INVALID;
	}
}

static const char *argument_of(enum interface interface, const struct fault *f)
{
	switch (f->kind) {
	case NO_WORKSPACE_SIZE:
		return "workspaceSize:";
	case NO_EXECUTOR:
		return "executor:";
	case DIM_RANGE:
	case DIM_TWICE:
		return "dim:";
	case CORRECTION:
		return "correction:";
	case OVERLAP:
		return "aclnn";
	default:
		return names[interface][f->operand];
	}
}

static void check_order(enum interface interface, const struct fault *faults, size_t count)
{
	const struct request base = right(interface);
	char what[64];

	assert_accepted(&base, "what is right");
	for (size_t i = 0; i < count; i++) {
		struct request alone = base;

		make_wrong(&alone, &faults[i]);
		snprintf(what, sizeof(what), "fault %zu", i);
		assert_refused(&alone, code_of(&faults[i]), argument_of(interface, &faults[i]), what);
		for (size_t j = i + 1; j < count; j++) {
			struct request both = alone;

			make_wrong(&both, &faults[j]);
			snprintf(what, sizeof(what), "faults %zu and %zu", i, j);
			assert_refused(&both, code_of(&faults[i]), argument_of(interface, &faults[i]), what);
		}
	}
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void test_std(void **state)
{
	static const struct fault faults[] = {
		{ NO_WORKSPACE_SIZE, X },
		{ NO_EXECUTOR, X }, /* step 1 */
		{ NO_TENSOR, X },
		{ NO_TENSOR, OUT }, /* 3 */
		{ DTYPE, X },
		{ DTYPE, OUT }, /* 4 */
		{ FORMAT, X },
		{ FORMAT, OUT }, /* CANN lets these pass */
		{ DIM_RANGE, X },
		{ DIM_TWICE, X }, /* 5 */
		{ RANK_HIGH, X },
		{ EXTENT, X },
		{ RANK_HIGH, OUT }, /* 6 */
		{ SHAPE, OUT },     /* 7 */
		{ CORRECTION, X },  /* CANN lets it pass */
		{ STORAGE, X },
		{ STORAGE, OUT },
		{ OVERLAP, OUT }, /* 9 */
	};

	(void)state;
	check_order(STD, faults, COUNT(faults));
}

static void test_std_mean_correction(void **state)
{
	static const struct fault faults[] = {
		{ NO_WORKSPACE_SIZE, X }, { NO_EXECUTOR, X },  { NO_TENSOR, X },
		{ NO_TENSOR, OUT },       { NO_TENSOR, MEAN }, { DTYPE, X },
		{ DTYPE, OUT },           { DTYPE, MEAN },     { FORMAT, X },
		{ FORMAT, OUT },          { FORMAT, MEAN },    { DIM_RANGE, X },
		{ DIM_TWICE, X },         { RANK_HIGH, X },    { RANK_HIGH, OUT },
		{ RANK_HIGH, MEAN },      { SHAPE, OUT },      { SHAPE, MEAN },
		{ CORRECTION, X },        { STORAGE, X },      { STORAGE, OUT },
		{ STORAGE, MEAN },        { OVERLAP, OUT },    { OVERLAP, MEAN },
	};

	(void)state;
	check_order(STD_MEAN_CORRECTION, faults, COUNT(faults));
}

static void test_batch_norm_stats(void **state)
{
	static const struct fault faults[] = {
		{ NO_WORKSPACE_SIZE, X },
		{ NO_EXECUTOR, X }, /* step 1 */
		{ NO_TENSOR, X },
		{ NO_TENSOR, MEAN },
		{ NO_TENSOR, OUT }, /* 3 */
		{ DTYPE, X },
		{ DTYPE_OTHER, MEAN },
		{ DTYPE_OTHER, OUT }, /* 4 */
		{ FORMAT, X },
		{ FORMAT, MEAN },
		{ FORMAT, OUT }, /* 5 */
		{ RANK_HIGH, X },
		{ EXTENT, X },
		{ RANK_HIGH, MEAN },
		{ RANK_HIGH, OUT }, /* 6 */
		{ CHANNELS, X },    /* 7 */
		{ SHAPE, MEAN },
		{ SHAPE, OUT }, /* 8 */
		{ STORAGE, X },
		{ STORAGE, OUT },
		{ STORAGE, MEAN },
		{ OVERLAP, MEAN },
		{ OVERLAP, OUT },
	};
	static const struct fault low[] = { { RANK_LOW, X }, { RANK_LOW, MEAN }, { RANK_LOW, OUT }, { SHAPE, MEAN } };

	(void)state;
	check_order(BATCH_NORM_STATS, faults, COUNT(faults));
	check_order(BATCH_NORM_STATS, low, 3);
}

static void test_reduce_std_with_mean(void **state)
{
	static const struct fault faults[] = {
		{ NO_WORKSPACE_SIZE, X }, { NO_EXECUTOR, X }, { NO_TENSOR, X },
		{ NO_TENSOR, GIVEN },     { NO_TENSOR, OUT }, { DTYPE, X },
		{ DTYPE, GIVEN },         { DTYPE, OUT },     { FORMAT, X },
		{ FORMAT, GIVEN },        { FORMAT, OUT },    { DIM_RANGE, X },
		{ DIM_TWICE, X },         { RANK_HIGH, X },   { RANK_HIGH, GIVEN },
		{ RANK_HIGH, OUT },       { SHAPE, GIVEN },   { SHAPE, OUT },
		{ CORRECTION, X },        { STORAGE, X },     { STORAGE, GIVEN },
		{ STORAGE, OUT },         { OVERLAP, OUT },
	};
	static const struct fault other[] = { { DTYPE_OTHER, GIVEN }, { DTYPE_OTHER, OUT } };

	(void)state;
	check_order(REDUCE_STD_WITH_MEAN, faults, COUNT(faults));
	check_order(REDUCE_STD_WITH_MEAN, other, COUNT(other));
}

/* ---- More of single checks ----------------------------------------------------------------------------------- */

static void test_dead_handles(void **state)
{
	(void)state;
	for (enum interface interface = STD; interface < INTERFACES; interface++) {
		for (enum operand operand = X; operand < OPERANDS; operand++) {
			struct request r = right(interface);

			if (names[interface][operand] == NULL)
				continue;
			r.operand[operand].dead = true;
			assert_refused(&r, INVALID, names[interface][operand], "a destroyed tensor");
		}
		if (interface == BATCH_NORM_STATS)
			continue;
		struct request r = right(interface);
		r.dead_dim = true;
		assert_refused(&r, INVALID, "dim:", "a destroyed dim");
	}
}

static void test_axes(void **state)
{
	static const struct {
		uint64_t rank, count;
		int64_t dim[4];
		bool right;
	} rows[] = {
		{ 2, 1, { 1 }, true },          { 2, 1, { -2 }, true },       { 2, 1, { 2 }, false },
		{ 2, 1, { -3 }, false },        { 2, 2, { 0, 1 }, true },     { 2, 2, { 1, -1 }, false },
		{ 2, 2, { -2, 0 }, false },     { 2, 2, { 1, 1 }, false },    { 2, 2, { -1, -1 }, false },
		{ 2, 2, { -1, -2 }, true },     { 2, 3, { 0, 1, 0 }, false }, { 0, 1, { 0 }, true },
		{ 0, 1, { -1 }, true },         { 0, 1, { 1 }, false },       { 0, 1, { -2 }, false },
		{ 0, 2, { 0, -1 }, false },     { 1, 2, { 0, 0 }, false },    { 2, 1, { INT64_MIN }, false },
		{ 2, 1, { INT64_MAX }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		static const int64_t ones[HIGH] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
		struct request r = right(STD);

		r.operand[X] = describe(rows[i].rank, ones);
		r.operand[OUT] = describe(rows[i].rank, ones);
		r.keepdim = true;
		r.dim_count = rows[i].count;
		memcpy(r.dim, rows[i].dim, sizeof(rows[i].dim));
		if (rows[i].right)
			assert_accepted(&r, "axes");
		else
			assert_refused(&r, INVALID, "dim:", "axes");
	}
}

static void test_formats(void **state)
{
	static const aclFormat plain[] = { ACL_FORMAT_NCHW,  ACL_FORMAT_NHWC,  ACL_FORMAT_ND, ACL_FORMAT_HWCN,
		                           ACL_FORMAT_NDHWC, ACL_FORMAT_NCDHW, ACL_FORMAT_NC, ACL_FORMAT_NCL };
	static const aclFormat private[] = { ACL_FORMAT_NC1HWC0,         ACL_FORMAT_FRACTAL_Z,
		                             ACL_FORMAT_NC1HWC0_C04,     ACL_FORMAT_FRACTAL_NZ,
		                             ACL_FORMAT_NDC1HWC0,        ACL_FRACTAL_Z_3D,
		                             ACL_FORMAT_FRACTAL_NZ_C0_2, ACL_FORMAT_FRACTAL_NZ_C0_4,
		                             ACL_FORMAT_FRACTAL_NZ_C0_8, ACL_FORMAT_FRACTAL_NZ_C0_16,
		                             ACL_FORMAT_FRACTAL_NZ_C0_32 };

	(void)state;
	for (enum interface interface = STD; interface < INTERFACES; interface++) {
		for (enum operand operand = X; operand < OPERANDS; operand++) {
			struct request r = right(interface);

			if (names[interface][operand] == NULL)
				continue;
			for (size_t i = 0; i < COUNT(plain); i++) {
				r.operand[operand].format = plain[i];
				assert_accepted(&r, "a plain format");
			}
			for (size_t i = 0; i < COUNT(private); i++) {
				r.operand[operand].format = private[i];
				assert_refused(&r, INVALID, names[interface][operand], "a private format");
			}
		}
	}
}

/* On the default product, which takes all three wherever the interface does not fix one. */
static void test_dtypes(void **state)
{
	static const aclDataType right_ones[3] = { ACL_FLOAT, ACL_FLOAT16, ACL_BF16 };

	(void)state;
	for (int a = 0; a < 3; a++) {
		for (int b = 0; b < 3; b++) {
			struct request r = right(STD_MEAN_CORRECTION);

			r.operand[X].dtype = right_ones[a];
			r.operand[OUT].dtype = right_ones[b];
			r.operand[MEAN].dtype = right_ones[(a + b) % 3];
			assert_accepted(&r, "mixed dtypes");
			r.interface = STD;
			assert_accepted(&r, "mixed dtypes");
		}
		struct request r = right(BATCH_NORM_STATS);
		r.operand[X].dtype = right_ones[a];
		assert_accepted(&r, "dtypes");
		r = right(REDUCE_STD_WITH_MEAN);
		r.operand[X].dtype = r.operand[GIVEN].dtype = r.operand[OUT].dtype = right_ones[a];
		assert_accepted(&r, "dtypes");
	}
	for (int dtype = -1; dtype < 42; dtype++) {
		struct request r = right(STD);

		r.operand[X].dtype = (aclDataType)dtype;
		if (dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16)
			assert_accepted(&r, "a dtype");
		else
			assert_refused(&r, INVALID, "self:", "a dtype");
	}
}

/* Interfaces, shapes of x and of the outputs, axes (NULL: no dim), keepdim, and whether that is right. */
static void test_output_shapes(void **state)
{
	static const struct {
		int64_t x[4];
		int64_t out[9];
		int rank, out_rank, dim_count;
		int64_t dim[3];
		bool keepdim, right;
	} rows[] = {
		/* no axes: one element in any rank, keepdim or not */
		{ { 2, 3 }, { 0 }, 2, 0, -1, { 0 }, false, true },
		{ { 2, 3 }, { 0 }, 2, 0, -1, { 0 }, true, true },
		{ { 2, 3 }, { 0 }, 2, 0, 0, { 0 }, true, true },
		{ { 2, 3 }, { 1 }, 2, 1, -1, { 0 }, false, true },
		{ { 2, 3 }, { 1, 1 }, 2, 2, 0, { 0 }, false, true },
		{ { 2, 3 }, { 1, 1, 1, 1, 1, 1, 1, 1 }, 2, 8, 0, { 0 }, true, true },
		{ { 2, 3 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 2, 9, 0, { 0 }, true, false },
		{ { 2, 3 }, { 2 }, 2, 1, -1, { 0 }, false, false },
		{ { 2, 3 }, { 3 }, 2, 1, 0, { 0 }, true, false },
		{ { 2, 3 }, { 0 }, 2, 1, 0, { 0 }, true, false },
		{ { 0, 3 }, { 5 }, 2, 1, -1, { 0 }, false, false }, /* CANN fills it with NaN */
		{ { 0, 3 }, { 1 }, 2, 1, -1, { 0 }, false, true },
		/* axes */
		{ { 2, 3 }, { 3 }, 2, 1, 1, { 0 }, false, true },
		{ { 2, 3 }, { 1, 3 }, 2, 2, 1, { 0 }, true, true },
		{ { 2, 3 }, { 2, 1 }, 2, 2, 1, { -1 }, true, true },
		{ { 2, 3 }, { 1, 3 }, 2, 2, 1, { 0 }, false, false },
		{ { 2, 3 }, { 3 }, 2, 1, 1, { 0 }, true, false },
		{ { 2, 3 }, { 0 }, 2, 0, 2, { 0, 1 }, false, true },
		{ { 2, 3 }, { 1, 1 }, 2, 2, 2, { 0, 1 }, true, true },
		{ { 2, 3 }, { 1 }, 2, 1, 2, { 0, 1 }, false, false },
		{ { 2, 3 }, { 1 }, 2, 1, 2, { 0, 1 }, true, false },
		{ { 2, 0 }, { 2 }, 2, 1, 1, { 1 }, false, true },
		{ { 2, 0 }, { 0 }, 2, 1, 1, { 0 }, false, true },
		{ { 2, 0 }, { 1 }, 2, 1, 1, { 0 }, false, false },
		/* rank 0 */
		{ { 0 }, { 0 }, 0, 0, -1, { 0 }, false, true },
		{ { 0 }, { 0 }, 0, 0, 1, { 0 }, true, true },
		{ { 0 }, { 1 }, 0, 1, 1, { -1 }, false, true },
		{ { 0 }, { 1 }, 0, 1, 1, { 0 }, true, true },
		{ { 0 }, { 1, 1 }, 0, 2, 1, { 0 }, true, false },
		{ { 0 }, { 1, 1 }, 0, 2, 0, { 0 }, true, true },
		{ { 0 }, { 2 }, 0, 1, 1, { 0 }, true, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (enum interface interface = STD; interface < INTERFACES; interface++) {
			char what[32];
			struct request r = right(interface);

			if (interface == BATCH_NORM_STATS)
				continue;
			snprintf(what, sizeof(what), "shape, row %zu,", i);
			r.operand[X] = r.operand[GIVEN] = describe((uint64_t)rows[i].rank, rows[i].x);
			r.operand[OUT] = r.operand[MEAN] = describe((uint64_t)rows[i].out_rank, rows[i].out);
			r.keepdim = rows[i].keepdim;
			r.no_dim = rows[i].dim_count < 0;
			r.dim_count = r.no_dim ? 0 : (uint64_t)rows[i].dim_count;
			memcpy(r.dim, rows[i].dim, sizeof(rows[i].dim));
			if (rows[i].right)
				assert_accepted(&r, what);
			else
				assert_refused(&r, INVALID, names[interface][OUT], what);
		}
	}
}

/* Shape, strides, offset and storage of x, and whether the view stays in its storage. */
static void test_storage(void **state)
{
	static const struct {
		uint64_t rank, storage_rank;
		int64_t shape[3], strides[3], offset, storage[3];
		bool right;
	} rows[] = {
		/* CANN's documents: in ten by ten */
		{ 2, 2, { 6, 5 }, { 10, 1 }, 22, { 10, 10 }, true },
		{ 2, 2, { 4, 3 }, { 20, 2 }, 22, { 10, 10 }, true },
		{ 2, 2, { 4, 3 }, { 20, 2 }, 35, { 10, 10 }, true },
		{ 2, 2, { 4, 3 }, { 20, 2 }, 36, { 10, 10 }, false },
		{ 2, 1, { 4, 3 }, { 20, 2 }, 35, { 99 }, false },
		{ 2, 2, { 4, 3 }, { 20, 2 }, -1, { 10, 10 }, false },
		/* backwards, standing still */
		{ 2, 2, { 4, 3 }, { -20, -2 }, 64, { 10, 10 }, true },
		{ 2, 2, { 4, 3 }, { -20, -2 }, 63, { 10, 10 }, false },
		{ 2, 2, { 4, 3 }, { 20, -2 }, 4, { 8, 8 }, false },
		{ 2, 2, { 4, 3 }, { 20, -2 }, 3, { 8, 8 }, false },
		{ 2, 1, { 400, 300 }, { 0, 0 }, 7, { 8 }, true },
		{ 2, 1, { 400, 300 }, { 0, 0 }, 8, { 8 }, false },
		/* row-major, where CANN does not look */
		{ 2, 2, { 2, 3 }, { 3, 1 }, 0, { 2, 3 }, true },
		{ 2, 1, { 2, 3 }, { 3, 1 }, 0, { 6 }, true },
		{ 2, 1, { 2, 3 }, { 3, 1 }, 0, { 5 }, false },
		{ 2, 1, { 2, 3 }, { 3, 1 }, 1, { 6 }, false },
		{ 2, 0, { 2, 3 }, { 3, 1 }, 0, { 0 }, true }, /* storage left out */
		{ 2, 0, { 2, 3 }, { 3, 1 }, 7, { 0 }, true },
		{ 2, 0, { 2, 3 }, { 3, 1 }, -1, { 0 }, false },
		{ 2, 0, { 2, 3 }, { 3, 1 }, INT64_MAX / 2, { 0 }, false },
		{ 2, 0, { 2, 3 }, { 6, 2 }, 0, { 0 }, false },
		{ 3, 0, { 2, 1, 3 }, { 3, 77, 1 }, 0, { 0 }, true },
		/* one element, none */
		{ 0, 0, { 0 }, { 0 }, 0, { 0 }, true },
		{ 1, 1, { 1 }, { 1000 }, 4, { 5 }, true },
		{ 1, 1, { 1 }, { INT64_MIN }, 5, { 5 }, false },
		{ 2, 1, { 0, 3 }, { 1000, 1000 }, -99, { 1 }, true },
		/* beyond all numbers */
		{ 1, 2, { 3 }, { INT64_MAX }, 0, { INT64_MAX, INT64_MAX }, false },
		{ 1, 2, { 3 }, { INT64_MIN }, 0, { INT64_MAX, 9 }, false },
		{ 2, 2, { 2, 2 }, { INT64_MAX, INT64_MAX }, 5, { INT64_MAX, 9 }, false },
		{ 1, 1, { 3 }, { 1 }, INT64_MAX - 1, { INT64_MAX }, false },
		{ 1, 2, { 3 }, { 1 }, 0, { INT64_MAX, INT64_MAX }, true },
		{ 1, 2, { 3 }, { 1 }, 0, { -3, -3 }, false },
		{ 1, 2, { 3 }, { 1 }, 0, { 0, 3 }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct request r = right(STD);
		struct description *const x = &r.operand[X];
		char what[32];

		snprintf(what, sizeof(what), "storage, row %zu,", i);
		*x = describe(rows[i].rank, rows[i].shape);
		x->has_strides = true;
		memcpy(x->strides, rows[i].strides, sizeof(rows[i].strides));
		x->offset = rows[i].offset;
		x->storage_rank = rows[i].storage_rank;
		memcpy(x->storage, rows[i].storage, sizeof(rows[i].storage));
		r.operand[OUT] = describe(0, NULL);
		r.dim_count = 0;
		if (rows[i].right)
			assert_accepted(&r, what);
		else
			assert_refused(&r, INNER, "self:", what);
	}
}

/* Shapes that no memory holds are refused, not computed with. */
static void test_sizes_beyond_all_numbers(void **state)
{
	static const int64_t huge[3] = { INT64_C(1) << 31, INT64_C(1) << 31, 16 };
	struct request r = right(STD);

	(void)state;
	r.operand[X] = describe(3, huge);
	r.operand[X].has_strides = true; /* of 0: it reaches one element */
	r.operand[OUT] = describe(0, NULL);
	r.dim_count = 0;
	assert_refused(&r, INVALID, "aclnnStd:", "2^66 elements");
	r.operand[X] = describe(2, huge);
	assert_refused(&r, INNER, "self:", "2^62 elements");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_std),
		cmocka_unit_test(test_std_mean_correction),
		cmocka_unit_test(test_batch_norm_stats),
		cmocka_unit_test(test_reduce_std_with_mean),
		cmocka_unit_test(test_dead_handles),
		cmocka_unit_test(test_axes),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_dtypes),
		cmocka_unit_test(test_output_shapes),
		cmocka_unit_test(test_storage),
		cmocka_unit_test(test_sizes_beyond_all_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
