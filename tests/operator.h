/*
 * operator.h - call the operator that a case names, by its one-shot function or by a plan
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_TESTS_OPERATOR_H
#define RSTD_TESTS_OPERATOR_H

#include "case_gen.h"
#include "layout.h"

#define OUTPUT_POISON 0xA5
#define INPUT_POISON  0xFF /* a NaN in every dtype, so that an element read from a gap shows in the result */
#define GUARD         64

/*
 * The one-shot call of a case: its operator and attributes on the tensors given. mean is that of ReduceStdWithMean;
 * out holds y; std and mean; or mean and invstd. An output may be NULL where the operator allows it.
 */
rstd_status operator_call(const struct test_case *c, const rstd_tensor *x, const rstd_tensor *mean,
                          const rstd_tensor *const out[2]);
/* A plan for the same. The tensors' data pointers are replaced by NULL first: plans do not look at them. */
rstd_status operator_plan(rstd_plan **plan, const struct test_case *c, const rstd_tensor *x, const rstd_tensor *mean,
                          const rstd_tensor *const out[2]);
/*
 * Plans, runs with a workspace of exactly the size that the plan states, at an odd address, and destroys the plan.
 * *workspace_intact is false when the run wrote beside its workspace.
 */
rstd_status operator_plan_and_run(const struct test_case *c, const rstd_tensor *x, const rstd_tensor *mean,
                                  const rstd_tensor *const out[2], bool *workspace_intact);

/* "StdMean f32 [3,4] dims [0] ...", for messages; text has size bytes. */
void operator_describe(const struct test_case *c, char *text, size_t size);

/* A percentage from the environment variable RSTD_TEST_SCALE, 1 to 10000; 100 without it. */
unsigned test_scale(void);
/* A number from the environment; fallback when the variable is not set. */
uint64_t test_number(const char *variable, uint64_t fallback);

#endif
