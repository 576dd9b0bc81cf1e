/*
 * contest.h - one job: the read limit, the library and plain C, measured in turns and compared
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_CONTEST_H
#define RSTD_BENCH_CONTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "data.h"
#include "jobs.h"
#include "measure.h"

struct conditions {
	int threads;
	enum data_kind data;
	bool huge;
	size_t large; /* bytes of a job of "memory size" */
	struct effort effort;
};

#define PROBLEM_BYTES 160 /* room for a sentence */

struct result {
	struct summary limit, rstd, plain; /* GB/s: 10^9 bytes of input in a second */
	struct summary of_limit, of_plain; /* rstd divided by the other, of the same round */
	bool has_plain;
	const char *best_loop; /* the loop that the limit comes from, in most rounds */
	size_t rounds;
	rstd_level_counts levels; /* of one run */
	size_t workspace;         /* bytes */
	size_t peak_growth;       /* bytes that the first run added to the peak of the resident set */
	double difference;        /* the largest relative one between an output of rstd and of plain C */
	bool has_onednn;
	struct summary training; /* GB/s of input of oneDNN's training, which normalises, too */
	struct summary of_training,
		of_statistics;      /* time of training, and of its statistics alone, over that of rstd */
	double training_difference; /* as difference, of oneDNN */
};

/* A job that was measured. */
struct outcome {
	const struct job *job;
	struct result result;
};

/* data holds job->bytes_span bytes, rounded up to LOAD_STEP. On failure returns false, and problem is a sentence. */
bool contest_run(const struct job *job, const struct conditions *conditions, void *data, struct result *result,
                 char problem[PROBLEM_BYTES]);

/* What a call on a 2x4 array costs, in nanoseconds: arithmetic hardly counts, everything around it does. */
struct call_costs {
	struct summary one_shot; /* rstd_std_mean(), std over the last axis */
	struct summary run;      /* rstd_plan_run() of the same */
	struct summary plan;     /* making that plan and destroying it */
	struct summary plain;
	struct summary aclnn_one_shot; /* both phases and the wait; only where aclnn_built, as the next */
	struct summary aclnn_repeated; /* phase 2 of a repeatable executor and the wait */
};

bool contest_calls(const struct effort *effort, struct call_costs *costs, char problem[PROBLEM_BYTES]);

#endif
