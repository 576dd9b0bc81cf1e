/*
 * api.c - the public calls that compute: plans, and the operators in one call
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "core/plan.h"
#include "runtime/error.h"
#include "runtime/fpmode.h"

/* Workspaces up to this size come from the stack of a one-shot call. */
#define STACK_WORKSPACE 4096

/*
 * Each call computes in the default floating-point mode from its first conversion on; that of an epsilon would already
 * round another way in another mode.
 */

/* A plan made on the stack, moved to the heap. */
static rstd_status publish(rstd_plan **plan, const struct rstd_plan *made)
{
	*plan = malloc(sizeof(**plan));
	if (!*plan)
		return rstd__fail(RSTD_ERROR_NO_MEMORY, "plan: could not allocate its %zu bytes", sizeof(**plan));
	**plan = *made;
	return RSTD_OK;
}

static rstd_status clear_plan(rstd_plan **plan)
{
	if (!plan)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "plan: is NULL, a place for the plan is required");
	*plan = NULL;
	return RSTD_OK;
}

rstd_status rstd_plan_reduce_std_with_mean(rstd_plan **plan, const rstd_tensor *x, const rstd_tensor *mean,
                                           const rstd_reduce_attrs *attrs, const rstd_tensor *y)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	struct rstd_plan made;
	rstd_status status = clear_plan(plan);

	if (status == RSTD_OK)
		status = rstd__plan_reduce(&made, x, mean, attrs, y);
	if (status == RSTD_OK)
		status = publish(plan, &made);
	rstd__fpmode_leave(mode);
	return status;
}

rstd_status rstd_plan_std_mean(rstd_plan **plan, const rstd_tensor *x, const int64_t *dim, size_t dim_count,
                               int64_t correction, bool keepdim, const rstd_tensor *std, const rstd_tensor *mean)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	struct rstd_plan made;
	rstd_status status = clear_plan(plan);

	if (status == RSTD_OK)
		status = rstd__plan_std_mean(&made, x, dim, dim_count, correction, keepdim, std, mean);
	if (status == RSTD_OK)
		status = publish(plan, &made);
	rstd__fpmode_leave(mode);
	return status;
}

rstd_status rstd_plan_batch_norm_stats(rstd_plan **plan, const rstd_tensor *x, double eps, const rstd_tensor *mean,
                                       const rstd_tensor *invstd)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	struct rstd_plan made;
	rstd_status status = clear_plan(plan);

	if (status == RSTD_OK)
		status = rstd__plan_batch_norm(&made, x, eps, mean, invstd);
	if (status == RSTD_OK)
		status = publish(plan, &made);
	rstd__fpmode_leave(mode);
	return status;
}

void rstd_plan_destroy(rstd_plan *plan)
{
	free(plan);
}

rstd_status rstd_plan_run(const rstd_plan *plan, const void *x, const void *given, void *y, void *mean, void *workspace)
{
	struct rstd__data data = { .in = { x, given }, .out = { [RSTD__Y] = y, [RSTD__MEAN] = mean } };
	rstd__fpmode mode;
	rstd_status status;

	if (!plan)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "plan: is NULL, a plan is required");
	if (!workspace && plan->parts > 1)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "workspace: is NULL, %zu bytes are required",
		                  rstd_plan_workspace_size(plan));
	status = rstd__plan_check_data(plan, &data);
	if (status != RSTD_OK)
		return status;
	mode = rstd__fpmode_enter();
	rstd__plan_execute(plan, &data, workspace);
	rstd__fpmode_leave(mode);
	return RSTD_OK;
}

/* Runs a plan once. The workspace is the only thing that may need memory. */
static rstd_status run_once(const struct rstd_plan *plan, const rstd_tensor *x, const rstd_tensor *given,
                            const rstd_tensor *y, const rstd_tensor *mean)
{
	const size_t size = plan->parts > 1 ? rstd_plan_workspace_size(plan) : 0;
	struct rstd__data data = {
		.in = { x->data, given ? given->data : NULL },
		.out = { [RSTD__Y] = y ? y->data : NULL, [RSTD__MEAN] = mean ? mean->data : NULL },
	};
	unsigned char on_stack[STACK_WORKSPACE];
	void *workspace = on_stack;
	rstd_status status = rstd__plan_check_data(plan, &data);

	if (status != RSTD_OK)
		return status;
	if (size > sizeof(on_stack)) {
		workspace = malloc(size);
		if (!workspace)
			return rstd__fail(RSTD_ERROR_NO_MEMORY, "workspace: could not allocate its %zu bytes", size);
	}
	rstd__plan_execute(plan, &data, workspace);
	if (workspace != on_stack)
		free(workspace);
	return RSTD_OK;
}

rstd_status rstd_reduce_std_with_mean(const rstd_tensor *x, const rstd_tensor *mean, const rstd_reduce_attrs *attrs,
                                      const rstd_tensor *y)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	struct rstd_plan plan;
	rstd_status status = rstd__plan_reduce(&plan, x, mean, attrs, y);

	if (status == RSTD_OK)
		status = run_once(&plan, x, mean, y, NULL);
	rstd__fpmode_leave(mode);
	return status;
}

rstd_status rstd_std_mean(const rstd_tensor *x, const int64_t *dim, size_t dim_count, int64_t correction, bool keepdim,
                          const rstd_tensor *std, const rstd_tensor *mean)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	struct rstd_plan plan;
	rstd_status status = rstd__plan_std_mean(&plan, x, dim, dim_count, correction, keepdim, std, mean);

	if (status == RSTD_OK)
		status = run_once(&plan, x, NULL, std, mean);
	rstd__fpmode_leave(mode);
	return status;
}

rstd_status rstd_batch_norm_stats(const rstd_tensor *x, double eps, const rstd_tensor *mean, const rstd_tensor *invstd)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	struct rstd_plan plan;
	rstd_status status = rstd__plan_batch_norm(&plan, x, eps, mean, invstd);

	if (status == RSTD_OK)
		status = run_once(&plan, x, NULL, invstd, mean);
	rstd__fpmode_leave(mode);
	return status;
}
