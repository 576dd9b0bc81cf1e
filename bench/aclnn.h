/*
 * aclnn.h - the same call by the CANN face: both phases and the wait for the result
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_ACLNN_H
#define RSTD_BENCH_ACLNN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this program was built with the CANN face. */
extern const bool aclnn_built;

struct aclnn_calls;

/* aclnnStd over the last axis of a 2x4 array of floats; NULL on failure, or when the face is not there. */
struct aclnn_calls *aclnn_make(const float data[8]);
void aclnn_free(struct aclnn_calls *calls);

/*
 * Seconds by the wall clock, because a worker may do a part; below 0 on failure. context is a struct aclnn_calls.
 * one_shot: phase 1, phase 2, synchronise; repeated: phase 2 of an executor that is there, synchronise.
 */
double aclnn_sample_one_shot(void *context, size_t repeat);
double aclnn_sample_repeated(void *context, size_t repeat);

#endif
