/*
 * test_aclnn_products.c - what each product of RSTD_SOC says of itself, and what it accepts and refuses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process is one product from its first call on, so each is tried in a child of its own; the parent never calls the
 * library.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_reduce_std_with_mean.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"

#define OK   ACLNN_SUCCESS
#define BAD  ACLNN_ERR_PARAM_INVALID
#define NONE ACLNN_ERR_INNER_NULLPTR

/* Phase 1 with everything float32, float16 or bfloat16; and StdMean and Std of float32 into float16. */
struct expectation {
	const char *soc;
	int std[3], std_mean[3], batch_norm_stats[3], reduce_std_with_mean[3];
	int std_mean_mixed, std_mixed;
};

static const struct expectation products[] = {
	{ "Ascend950PR_9599", { OK, OK, OK }, { OK, OK, OK }, { OK, OK, OK }, { OK, OK, OK }, OK, OK },
	{ "Ascend950DT_95A2", { OK, OK, OK }, { OK, OK, OK }, { OK, OK, OK }, { OK, OK, OK }, OK, OK },
	{ "Ascend910_9391", { OK, OK, OK }, { OK, OK, OK }, { OK, OK, BAD }, { OK, OK, OK }, BAD, OK },
	{ "Ascend910B1", { OK, OK, OK }, { OK, OK, OK }, { OK, OK, BAD }, { OK, OK, OK }, BAD, OK },
	{ "Ascend910B4-1", { OK, OK, OK }, { OK, OK, OK }, { OK, OK, BAD }, { OK, OK, OK }, BAD, OK },
	{ "Ascend310B1",
	  { NONE, NONE, BAD },
	  { NONE, NONE, BAD },
	  { NONE, NONE, BAD },
	  { NONE, NONE, BAD },
	  BAD,
	  NONE },
	{ "Ascend310P3", { OK, OK, BAD }, { NONE, NONE, BAD }, { NONE, NONE, BAD }, { OK, OK, BAD }, BAD, OK },
	{ "Ascend910A", { OK, OK, BAD }, { OK, OK, BAD }, { OK, OK, BAD }, { OK, OK, BAD }, BAD, OK },
	/* without a digit it is the training series, not A2 */
	{ "Ascend910B", { OK, OK, BAD }, { OK, OK, BAD }, { OK, OK, BAD }, { OK, OK, BAD }, BAD, OK },
};

static const aclDataType dtypes[3] = { ACL_FLOAT, ACL_FLOAT16, ACL_BF16 };

struct tensors {
	aclTensor *x, *mean, *y, *z;
};

/* x and mean of 2x3, y of 3 and z of 3, without data: phase 1 does not look at it. */
static struct tensors make(aclDataType dtype, aclDataType out)
{
	static const int64_t shape[2] = { 2, 3 }, columns = 3;

	return (struct tensors){
		.x = aclCreateTensor(shape, 2, dtype, NULL, 0, ACL_FORMAT_ND, shape, 2, NULL),
		.mean = aclCreateTensor(shape, 2, dtype, NULL, 0, ACL_FORMAT_ND, shape, 2, NULL),
		.y = aclCreateTensor(&columns, 1, out, NULL, 0, ACL_FORMAT_ND, &columns, 1, NULL),
		.z = aclCreateTensor(&columns, 1, out, NULL, 0, ACL_FORMAT_ND, &columns, 1, NULL),
	};
}

static void destroy(struct tensors *t)
{
	aclDestroyTensor(t->x);
	aclDestroyTensor(t->mean);
	aclDestroyTensor(t->y);
	aclDestroyTensor(t->z);
}

/* Compares the status of a phase 1, and lets go of its executor. */
static int differs(const struct expectation *e, const char *what, size_t dtype, int expected, int status,
                   aclOpExecutor *executor)
{
	const char *message = aclGetRecentErrMsg();

	if (status == OK)
		aclDestroyAclOpExecutor(executor);
	if (status == expected && (status == OK || message))
		return 0;
	printf("%s, %s, dtype %zu: expected %d, got %d, %s\n", e->soc, what, dtype, expected, status,
	       message ? message : "no message");
	return 1;
}

static int check_product(const struct expectation *e)
{
	const int64_t axis = 0;
	const char *soc = aclrtGetSocName();
	aclOpExecutor *executor = NULL;
	aclIntArray *dim;
	struct tensors t;
	uint64_t size;
	int failures = 0, status;
	size_t i;

	if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || !soc || strcmp(soc, e->soc) != 0) {
		printf("%s: calls itself %s\n", e->soc, soc ? soc : "nothing");
		return 1;
	}
	dim = aclCreateIntArray(&axis, 1);
	for (i = 0; i < 3; i++) {
		t = make(dtypes[i], dtypes[i]);
		status = aclnnStdGetWorkspaceSize(t.x, dim, 1, false, t.y, &size, &executor);
		failures += differs(e, "Std", i, e->std[i], status, executor);
		status = aclnnStdMeanCorrectionGetWorkspaceSize(t.x, dim, 1, false, t.y, t.z, &size, &executor);
		failures += differs(e, "StdMeanCorrection", i, e->std_mean[i], status, executor);
		status = aclnnReduceStdWithMeanGetWorkspaceSize(t.x, t.mean, dim, true, false, false, 0, 1, t.y, &size,
		                                                &executor);
		failures += differs(e, "ReduceStdWithMean", i, e->reduce_std_with_mean[i], status, executor);
		destroy(&t);
		t = make(dtypes[i], ACL_FLOAT);
		status = aclnnBatchNormStatsGetWorkspaceSize(t.x, 1e-5, t.y, t.z, &size, &executor);
		failures += differs(e, "BatchNormStats", i, e->batch_norm_stats[i], status, executor);
		destroy(&t);
	}
	t = make(ACL_FLOAT, ACL_FLOAT16);
	status = aclnnStdGetWorkspaceSize(t.x, dim, 1, false, t.y, &size, &executor);
	failures += differs(e, "Std to float16", 0, e->std_mixed, status, executor);
	status = aclnnStdMeanCorrectionGetWorkspaceSize(t.x, dim, 1, false, t.y, t.z, &size, &executor);
	failures += differs(e, "StdMeanCorrection to float16", 0, e->std_mean_mixed, status, executor);
	destroy(&t);
	aclDestroyIntArray(dim);
	return failures | aclrtResetDevice(0) | aclFinalize();
}

/* No product of this name: initialising fails, and says which there are. */
static int check_unknown(const struct expectation *e)
{
	const char *message;

	if (aclrtGetSocName() || aclInit(NULL) == 0)
		return 1;
	message = aclGetRecentErrMsg();
	return !message || !strstr(message, e->soc) || !strstr(message, "Ascend910B1");
}

/* In a child that has RSTD_SOC as told; NULL: not at all. */
static bool in_child(const char *soc, int (*function)(const struct expectation *), const struct expectation *e)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		if (soc)
			setenv("RSTD_SOC", soc, 1);
		else
			unsetenv("RSTD_SOC");
		status = function(e);
		fflush(NULL);
		_exit(status == 0 ? 0 : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status == 0;
}

static void test_products(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(products) / sizeof(*products); i++)
		if (!in_child(products[i].soc, check_product, &products[i]))
			fail_msg("%s", products[i].soc);
}

static void test_default(void **state)
{
	(void)state;
	assert_true(in_child(NULL, check_product, &products[0]));
	assert_true(in_child("", check_product, &products[0]));
}

static void test_unknown(void **state)
{
	static const struct expectation unknown = { .soc = "Ascend42" }, almost = { .soc = "Ascend910b1" };

	(void)state;
	assert_true(in_child(unknown.soc, check_unknown, &unknown));
	assert_true(in_child(almost.soc, check_unknown, &almost));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("aclnn products", tests, NULL, NULL);
}
