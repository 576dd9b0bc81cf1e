/*
 * executor.c - executors: what phase 1 makes and phase 2 runs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/aclnn/executor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "cann/acl/error.h"
#include "cann/acl/memory.h"
#include "cann/acl/stream.h"
#include "cann/aclnn/array.h"
#include "cann/aclnn/handle.h"
#include "cann/aclnn/tensor.h"

const rstd__interface_names rstd__interface_names_of[RSTD_INTERFACE_COUNT] = {
	[RSTD_INTERFACE_STD] = { "aclnnStd", { "self", NULL, "out", NULL } },
	[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { "aclnnStdMeanCorrection", { "self", NULL, "stdOut", "meanOut" } },
	[RSTD_INTERFACE_BATCH_NORM_STATS] = { "aclnnBatchNormStats", { "input", NULL, "invstd", "mean" } },
	[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { "aclnnReduceStdWithMean", { "x", "mean", "y", NULL } },
};

/* What a run needs, in the stream's queue. */
struct run {
	rstd__executor *executor; /* a reference */
	void *address[RSTD_ROLES];
	void *workspace;
};

static void release(void *executor)
{
	rstd__executor *const e = executor;

	rstd_plan_destroy(e->plan);
	free(e);
}

rstd__executor *rstd__executor_create(rstd__interface interface)
{
	rstd__executor *const e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->interface = interface;
	if (rstd__handle_open(RSTD_OBJECT_EXECUTOR, e, release))
		return e;
	free(e);
	return NULL;
}

static aclnnStatus not_alive(const aclOpExecutor *handle)
{
	return rstd__acl_fail(ACLNN_ERR_INNER, "executor: %p is no executor, or one that was run or destroyed",
	                      (const void *)handle);
}

/* The executor of a handle, with the codes that all but phase 2 have. */
static aclnnStatus get(const aclOpExecutor *handle, rstd__executor **e)
{
	if (handle == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "executor: is null, must be an aclOpExecutor");
	*e = rstd__object_find(RSTD_OBJECT_EXECUTOR, handle);
	return *e != NULL ? ACLNN_SUCCESS : not_alive(handle);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
	rstd__executor *e;
	const aclnnStatus status = get(executor, &e);

	if (status == ACLNN_SUCCESS)
		e->repeatable = true;
	return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
	rstd__executor *e;
	const aclnnStatus status = get(executor, &e);

	if (status != ACLNN_SUCCESS)
		return status;
	return rstd__object_end(RSTD_OBJECT_EXECUTOR, executor) ? ACLNN_SUCCESS : not_alive(executor);
}

/* ---- Phase 2 ------------------------------------------------------------------------------------------------ */

static aclError run(void *payload)
{
	const struct run *const r = payload;
	const rstd_status status =
		rstd_plan_run(r->executor->plan, r->address[RSTD_ROLE_X], r->address[RSTD_ROLE_GIVEN],
	                      r->address[RSTD_ROLE_Y], r->address[RSTD_ROLE_MEAN], r->workspace);

	/* Only now is it known whether operands overlap. An NPU would say of a kernel that failed: */
	if (status != RSTD_OK)
		return rstd__acl_fail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: %s",
		                      rstd__interface_names_of[r->executor->interface].interface, rstd_last_error());
	return ACL_SUCCESS;
}

static void drop(void *payload)
{
	rstd__object_put(((struct run *)payload)->executor);
}

/* Whether some bytes end in the memory of the runtime in which they begin. What the program has itself is its matter. */
static aclnnStatus check_memory(const char *argument, const void *address, size_t bytes)
{
	size_t available;

	rstd__memory_find(address, &available);
	if (bytes <= available)
		return ACLNN_SUCCESS;
	return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: reaches over %zu bytes, its memory ends after %zu",
	                      argument, bytes, available);
}

static aclnnStatus check_workspace(const rstd__executor *e, const void *workspace, uint64_t workspace_size)
{
	const uint64_t needed = rstd_plan_workspace_size(e->plan);

	if (workspace == NULL && workspace_size > 0)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR,
		                      "workspace: is null, must have workspaceSize = %" PRIu64 " bytes",
		                      workspace_size);
	if (workspace_size < needed)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                      "workspaceSize: is %" PRIu64 ", phase 1 asked for %" PRIu64, workspace_size,
		                      needed);
	return needed > 0 ? check_memory("workspace", workspace, needed) : ACLNN_SUCCESS;
}

/* Where the elements of an operand begin at this moment. */
static aclnnStatus take_address(const rstd__executor *e, rstd__role role, void **address)
{
	const rstd__operand *const operand = &e->operand[role];
	const char *const name = rstd__interface_names_of[e->interface].operand[role];
	rstd__acl_tensor *t;

	*address = NULL;
	if (operand->tensor == NULL)
		return ACLNN_SUCCESS;
	const aclnnStatus status = rstd__tensor_get(operand->tensor, name, &t);
	if (status != ACLNN_SUCCESS)
		return status;
	if (t->version != operand->version)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                      "%s: was described anew by aclInitTensor() after phase 1, must stay as it was",
		                      name);
	if (operand->empty)
		return ACLNN_SUCCESS;
	if (t->data == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: its data is null, must be memory for its elements",
		                      name);
	*address = (char *)t->data + operand->offset_bytes;
	return check_memory(name, t->data, operand->end_bytes);
}

static aclnnStatus push(struct run *r, aclrtStream stream)
{
	static const rstd__task_kind kind = { run, drop, true };

	_Static_assert(sizeof(*r) <= RSTD_TASK_BYTES, "a run fits the queue");
	const aclError error = rstd__stream_push(stream, &kind, r, sizeof(*r));
	if (error == ACL_SUCCESS)
		return ACLNN_SUCCESS;
	const char *const why = aclGetRecentErrMsg();
	char text[256]; /* the next failure would write over it */
	snprintf(text, sizeof(text), "%s", why != NULL ? why : "");
	return rstd__acl_fail(ACLNN_ERR_RUNTIME_ERROR, "stream: the run could not be queued: %s", text);
}

static aclnnStatus check_and_push(rstd__executor *e, rstd__interface interface, void *workspace,
                                  uint64_t workspace_size, aclrtStream stream)
{
	struct run r = { .executor = e, .workspace = workspace };

	if (e->interface != interface)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "executor: was made for %s, this is %s",
		                      rstd__interface_names_of[e->interface].interface,
		                      rstd__interface_names_of[interface].interface);
	aclnnStatus status = check_workspace(e, workspace, workspace_size);
	for (rstd__role role = RSTD_ROLE_X; role < RSTD_ROLES && status == ACLNN_SUCCESS; role++)
		status = take_address(e, role, &r.address[role]);
	return status == ACLNN_SUCCESS ? push(&r, stream) : status;
}

aclnnStatus rstd__executor_launch(rstd__interface interface, void *workspace, uint64_t workspace_size,
                                  aclOpExecutor *handle, aclrtStream stream)
{
	if (handle == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "executor: is null, must be what phase 1 gave");
	rstd__executor *const e = rstd__object_get(RSTD_OBJECT_EXECUTOR, handle);
	if (e == NULL)
		return not_alive(handle);
	const bool mine = e->repeatable || rstd__object_close(e);
	const aclnnStatus status =
		mine ? check_and_push(e, interface, workspace, workspace_size, stream) : not_alive(handle);
	if (status != ACLNN_SUCCESS)
		rstd__object_put(e); /* else the run has this reference */
	return status;
}

/* ---- Other addresses for a repeatable executor -------------------------------------------------------------- */

/*
 * Stores the address first, as CANN does, and then looks at the rest. The index is only held to its range: CANN ignores
 * it for these interfaces, so programs may count operands as they like; the tensor says which one is meant.
 */
static aclnnStatus set_address(aclOpExecutor *executor, rstd__role first, rstd__role end, size_t index,
                               aclTensor *tensor, void *addr)
{
	rstd__acl_tensor *t;
	rstd__executor *e;
	size_t count = 0;
	bool found = false;

	if (tensor == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "tensor: is null, must be an operand of the executor");
	aclnnStatus status = rstd__tensor_get(tensor, "tensor", &t);
	if (status != ACLNN_SUCCESS)
		return status;
	t->data = addr;
	status = get(executor, &e);
	if (status != ACLNN_SUCCESS)
		return status;
	for (rstd__role role = first; role < end; role++) {
		count += e->operand[role].tensor != NULL;
		found |= e->operand[role].tensor == tensor;
	}
	if (index >= count)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "index: is %zu, the executor has %zu of them", index,
		                      count);
	if (!found)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                      "tensor: is no such operand of the executor, which has %zu", count);
	return ACLNN_SUCCESS;
}

/* For operands that are lists, which these interfaces do not have: the element of the list gets its address. */
static aclnnStatus set_list_address(aclOpExecutor *executor, size_t index, aclTensorList *tensors, void *addr)
{
	void *object;
	rstd__executor *e;

	if (tensors == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "tensors: is null, must be an aclTensorList");
	aclnnStatus status = rstd__handle_get(RSTD_OBJECT_TENSOR_LIST, tensors, "tensors", &object);
	if (status != ACLNN_SUCCESS)
		return status;
	const rstd__array *const list = object;
	if (index >= list->size)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                      "relativeIndex: is %zu, the list has %" PRIu64 " tensors", index, list->size);
	status = aclSetRawTensorAddr(((aclTensor *const *)(const void *)list->values)[index], addr);
	return status == ACLNN_SUCCESS ? get(executor, &e) : status;
}

/* The two names of each setter. */
#define SETTER(name, first, end)                                                                                       \
	aclnnStatus acl##name(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)              \
	{                                                                                                              \
		return set_address(executor, first, end, index, tensor, addr);                                         \
	}                                                                                                              \
	aclnnStatus Acl##name(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)              \
	{                                                                                                              \
		return set_address(executor, first, end, index, tensor, addr);                                         \
	}

#define LIST_SETTER(name)                                                                                              \
	aclnnStatus acl##name(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,                     \
	                      aclTensorList *tensors, void *addr)                                                      \
	{                                                                                                              \
		(void)irIndex;                                                                                         \
		return set_list_address(executor, relativeIndex, tensors, addr);                                       \
	}                                                                                                              \
	aclnnStatus Acl##name(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,                     \
	                      aclTensorList *tensors, void *addr)                                                      \
	{                                                                                                              \
		(void)irIndex;                                                                                         \
		return set_list_address(executor, relativeIndex, tensors, addr);                                       \
	}

SETTER(SetInputTensorAddr, RSTD_ROLE_X, RSTD_ROLE_Y)
SETTER(SetOutputTensorAddr, RSTD_ROLE_Y, RSTD_ROLES)
SETTER(SetTensorAddr, RSTD_ROLE_X, RSTD_ROLES)
LIST_SETTER(SetDynamicInputTensorAddr)
LIST_SETTER(SetDynamicOutputTensorAddr)
LIST_SETTER(SetDynamicTensorAddr)
