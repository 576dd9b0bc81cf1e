/*
 * report.h - results for a person (a table) and for programs (JSON)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_REPORT_H
#define RSTD_BENCH_REPORT_H

#include <stdio.h>

#include "contest.h"

/* What was measured on what: a few lines before the table. */
void report_machine(const struct conditions *conditions);

void report_heading(void);
void report_row(const struct job *job, const struct result *result);
void report_calls(const struct call_costs *costs);

/* The jobs that oneDNN was measured in, or how to get it. */
void report_onednn(const struct outcome *outcomes, size_t count);

/* The largest workspace and the largest growth of memory over all jobs. count > 0. */
void report_memory(const struct outcome *outcomes, size_t count);

/* Of a sweep: how the ratios are spread, and tables of the worst cells. Reorders outcomes. */
void report_sweep(struct outcome *outcomes, size_t count);

/* A JSON object of the conditions and, in "jobs", one object for each job; costs comes last and may be NULL. */
void json_begin(FILE *file, const struct conditions *conditions);
void json_job(FILE *file, const struct job *job, const struct result *result, bool first);
void json_end(FILE *file, const struct call_costs *costs);

#endif
