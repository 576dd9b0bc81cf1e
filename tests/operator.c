/*
 * operator.c - call the operator that a case names, by its one-shot function or by a plan
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rstd_reduce_attrs attributes(const struct test_case *c)
{
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;

	attrs.dim = c->dims;
	attrs.dim_count = c->dim_count;
	attrs.unbiased = c->unbiased;
	attrs.keepdim = c->keepdim;
	attrs.invert = c->invert;
	attrs.epsilon = (float)c->epsilon;
	attrs.correction = c->correction;
	return attrs;
}

rstd_status operator_call(const struct test_case *c, const rstd_tensor *x, const rstd_tensor *mean,
                          const rstd_tensor *const out[2])
{
	const rstd_reduce_attrs attrs = attributes(c);

	switch (c->op) {
	case OP_REDUCE_STD_WITH_MEAN:
		return rstd_reduce_std_with_mean(x, mean, &attrs, out[0]);
	case OP_BATCH_NORM_STATS:
		return rstd_batch_norm_stats(x, c->epsilon, out[0], out[1]);
	case OP_STD_MEAN:
		return rstd_std_mean(x, c->dims, c->dim_count, c->correction, c->keepdim, out[0], out[1]);
	default:
		return rstd_std_mean(x, c->dims, c->dim_count, c->correction, c->keepdim, out[0], NULL);
	}
}

static const rstd_tensor *without_data(rstd_tensor *copy, const rstd_tensor *t)
{
	if (!t)
		return NULL;
	*copy = *t;
	copy->data = NULL;
	return copy;
}

rstd_status operator_plan(rstd_plan **plan, const struct test_case *c, const rstd_tensor *x, const rstd_tensor *mean,
                          const rstd_tensor *const out[2])
{
	const rstd_reduce_attrs attrs = attributes(c);
	rstd_tensor copy[4];
	const rstd_tensor *out0 = without_data(&copy[0], out[0]), *out1 = without_data(&copy[1], out[1]);

	x = without_data(&copy[2], x);
	mean = without_data(&copy[3], mean);
	switch (c->op) {
	case OP_REDUCE_STD_WITH_MEAN:
		return rstd_plan_reduce_std_with_mean(plan, x, mean, &attrs, out0);
	case OP_BATCH_NORM_STATS:
		return rstd_plan_batch_norm_stats(plan, x, c->epsilon, out0, out1);
	case OP_STD_MEAN:
		return rstd_plan_std_mean(plan, x, c->dims, c->dim_count, c->correction, c->keepdim, out0, out1);
	default:
		return rstd_plan_std_mean(plan, x, c->dims, c->dim_count, c->correction, c->keepdim, out0, NULL);
	}
}

rstd_status operator_plan_and_run(const struct test_case *c, const rstd_tensor *x, const rstd_tensor *mean,
                                  const rstd_tensor *const out[2], bool *workspace_intact)
{
	const bool bn = c->op == OP_BATCH_NORM_STATS, two = bn || c->op == OP_STD_MEAN;
	const rstd_tensor *y = out[bn], *own_mean = two ? out[!bn] : NULL;
	rstd_plan *plan = NULL;
	const rstd_status planned = operator_plan(&plan, c, x, mean, out);
	unsigned char *workspace, *at;
	rstd_status status;
	size_t size, i;

	*workspace_intact = true;
	if (planned != RSTD_OK)
		return planned;
	size = rstd_plan_workspace_size(plan);
	workspace = xmalloc(size + 2 * GUARD + 1);
	memset(workspace, OUTPUT_POISON, size + 2 * GUARD + 1);
	at = workspace + GUARD + 1;
	status = rstd_plan_run(plan, x->data, mean ? mean->data : NULL, y ? y->data : NULL,
	                       own_mean ? own_mean->data : NULL, size ? at : NULL);
	for (i = 0; i < GUARD; i++)
		*workspace_intact &= workspace[i] == OUTPUT_POISON && at[size + i] == OUTPUT_POISON;
	free(workspace);
	rstd_plan_destroy(plan);
	return status;
}

/* Appends to text like snprintf, and stops quietly at its end. */
static void append(char *text, size_t size, const char *name, const int64_t *list, size_t count)
{
	size_t used = strlen(text), i;

	snprintf(text + used, size - used, " %s[", name);
	for (i = 0; i < count; i++) {
		used = strlen(text);
		snprintf(text + used, size - used, "%s%" PRId64, i ? "," : "", list[i]);
	}
	used = strlen(text);
	snprintf(text + used, size - used, "]");
}

void operator_describe(const struct test_case *c, char *text, size_t size)
{
	static const char *const names[] = { "ReduceStdWithMean", "Std", "StdMean", "BatchNormStats" };
	size_t used;

	snprintf(text, size, "%s %s to %s,%s", names[c->op], dtype_name(c->dtype), dtype_name(c->out_dtype[0]),
	         c->out_count > 1 ? dtype_name(c->out_dtype[1]) : "-");
	append(text, size, "", c->shape.len, c->shape.rank);
	append(text, size, "dims ", c->dims, c->dim_count);
	used = strlen(text);
	snprintf(text + used, size - used, " unbiased %d invert %d epsilon %a correction %" PRId64, c->unbiased,
	         c->invert, c->epsilon, c->correction);
}

uint64_t test_number(const char *variable, uint64_t fallback)
{
	const char *s = getenv(variable);

	return s && *s ? strtoull(s, NULL, 10) : fallback;
}

unsigned test_scale(void)
{
	const uint64_t scale = test_number("RSTD_TEST_SCALE", 100);

	return scale < 1 ? 1 : scale > 10000 ? 10000 : (unsigned)scale;
}
