/*
 * aclnn_case.h - the calls of a case by the interfaces of CANN, and its tensors on the device
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_TESTS_ACLNN_CASE_H
#define RSTD_TESTS_ACLNN_CASE_H

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "case_gen.h"
#include "layout.h"

enum aclnn_interface { ACLNN_STD, ACLNN_STD_MEAN_CORRECTION, ACLNN_BATCH_NORM_STATS, ACLNN_REDUCE_STD_WITH_MEAN };

const char *aclnn_interface_name(enum aclnn_interface interface);

/* A tensor with memory of its own on the device. */
struct operand {
	aclTensor *tensor;
	void *device; /* NULL when there are no bytes */
	size_t bytes;
};

/* What a call takes. */
struct operands {
	struct operand x, mean, out[2]; /* those that the interface has not are zeros */
	aclIntArray *dim;
};

aclDataType aclnn_dtype(rstd_dtype dtype);

/*
 * A tensor on the device that lies there as v does here, guards included: its offset leads to the first element, and
 * its storage is all of v's memory. The elements of v must be aligned to their size.
 */
void operand_make(struct operand *o, const struct view *v);
/* All bytes of v to the device, or from it. */
void operand_write(const struct operand *o, const struct view *v);
void operand_read(const struct operand *o, struct view *v);
void operand_free(struct operand *o);

aclnnStatus aclnn_phase_1(enum aclnn_interface interface, const struct test_case *c, const struct operands *o,
                          uint64_t *workspace_size, aclOpExecutor **executor);
aclnnStatus aclnn_phase_2(enum aclnn_interface interface, void *workspace, uint64_t workspace_size,
                          aclOpExecutor *executor, aclrtStream stream);

#endif
