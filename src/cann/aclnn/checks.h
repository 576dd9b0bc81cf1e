/*
 * checks.h - phase 1: one call of it, and the checks that the interfaces put together in CANN's order
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A requirement returns true, or false after it has said why with rstd__acl_fail() and kept the code in call->status, so that
 * an interface is a list of them joined by &&.
 */
#ifndef RSTD_CANN_ACLNN_CHECKS_H
#define RSTD_CANN_ACLNN_CHECKS_H

#include "cann/aclnn/array.h"
#include "cann/aclnn/executor.h"
#include "cann/aclnn/tensor.h"

typedef struct rstd__call {
	aclnnStatus status;
	const rstd__product *product;
	rstd__executor *executor;
	const char *const *name; /* of each operand */
	const rstd__acl_tensor *tensor[RSTD_ROLES];
	const int64_t *dim; /* set by rstd__require_dim() */
	size_t dim_count;
	int64_t shape[RSTD_MAX_RANK]; /* of the outputs; set by rstd__require_inferred() */
	size_t rank;
} rstd__call;

/* Steps 1 and 2 of every interface: both pointers (161001), then an executor (561101). */
aclnnStatus rstd__call_begin(rstd__call *call, rstd__interface interface, const uint64_t *workspace_size,
                             aclOpExecutor *const *executor);

/* Gives the caller what it asked for, or when good is false frees all and returns call->status. */
aclnnStatus rstd__call_end(const rstd__call *call, bool good, uint64_t *workspace_size, aclOpExecutor **executor);

/* Not null (161001), and alive (161002). It is the operand of that role from now on. */
bool rstd__require_tensor(rstd__call *call, rstd__role role, const aclTensor *tensor);

/* The product's dtypes for this interface; the dtype of x; float32. */
bool rstd__require_dtype(rstd__call *call, rstd__role role);
bool rstd__require_dtype_of_x(rstd__call *call, rstd__role role);
bool rstd__require_dtype_float(rstd__call *call, rstd__role role);

/* No private format: their elements lie in another order than their shapes say. */
bool rstd__require_format(rstd__call *call, rstd__role role);

/* Axes in [-rank, rank - 1] of x, with 1 for rank 0, none twice. NULL is empty. */
bool rstd__require_dim(rstd__call *call, const aclIntArray *dim);

/* low <= rank <= high, and no negative extent. */
bool rstd__require_rank(rstd__call *call, rstd__role role, uint64_t low, uint64_t high);

/* Exactly this shape. */
bool rstd__require_shape(rstd__call *call, rstd__role role, const int64_t *shape, size_t rank);

/* That the outputs of the reduction have a shape; then, that an output has it. */
bool rstd__require_inferred(rstd__call *call, bool keepdim);
bool rstd__require_output(rstd__call *call, rstd__role role);

/* 0 or more. CANN lets negative ones pass; a divisor above N is nothing that anybody means. */
bool rstd__require_correction(rstd__call *call, int64_t correction);

/* What CANN finds out when it sets up the kernels (561103): the product has none; a view leaves its storage. */
bool rstd__require_work(rstd__call *call);

/* That the plan was made; its failures as codes of aclnn. */
bool rstd__require_plan(rstd__call *call, rstd_status status);

/* An operand as rstd.h has it, without data; an output of a reduction, in the inferred shape. */
rstd_tensor rstd__call_view(const rstd__call *call, rstd__role role);
rstd_tensor rstd__call_output(const rstd__call *call, rstd__role role);

#endif
