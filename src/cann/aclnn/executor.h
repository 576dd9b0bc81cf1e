/*
 * executor.h - what an aclOpExecutor stands for, and phase 2
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNN_EXECUTOR_H
#define RSTD_CANN_ACLNN_EXECUTOR_H

#include <stddef.h>

#include "aclnn/aclnn_base.h"
#include "cann/acl/object.h"
#include "cann/product.h"

/* The operands of rstd_plan_run(), in its order: inputs, then outputs. */
typedef enum rstd__role { RSTD_ROLE_X, RSTD_ROLE_GIVEN, RSTD_ROLE_Y, RSTD_ROLE_MEAN, RSTD_ROLES } rstd__role;

typedef struct rstd__operand {
	const aclTensor *tensor; /* NULL: the interface has no operand in this role */
	uint64_t version;        /* of the tensor that the plan was made for */
	ptrdiff_t offset_bytes;  /* from the address of the tensor to its first element */
	size_t end_bytes;        /* likewise to the end of the highest one */
	bool empty;
} rstd__operand;

typedef struct rstd__executor {
	rstd__object object; /* each queued run has a reference */
	rstd__interface interface;
	bool repeatable;
	rstd_plan *plan; /* NULL until phase 1 has come to it */
	rstd__operand operand[RSTD_ROLES];
} rstd__executor;

/* The names of an interface and of its operands, as its prototype has them. */
typedef struct rstd__interface_names {
	const char *interface;
	const char *operand[RSTD_ROLES];
} rstd__interface_names;

extern const rstd__interface_names rstd__interface_names_of[RSTD_INTERFACE_COUNT];

/* An executor without operands and plan; NULL without memory. */
rstd__executor *rstd__executor_create(rstd__interface interface);

/*
 * Phase 2: takes the addresses of the operands, queues a run on the stream, and ends the executor unless it is
 * repeatable. Fails with
 *	161001  executor null; workspace null although workspace_size is not 0; an operand with elements has no address
 *	161002  workspace_size below what phase 1 told; executor of another interface; an operand that was destroyed, or
 *	        described anew by aclInitTensor(), after phase 1; a workspace or an operand that goes past the end of memory
 *	        that the runtime has allocated
 *	361001  the stream does not take the task
 *	561000  no executor, or a spent or destroyed one
 */
aclnnStatus rstd__executor_launch(rstd__interface interface, void *workspace, uint64_t workspace_size,
                                  aclOpExecutor *handle, aclrtStream stream);

#endif
