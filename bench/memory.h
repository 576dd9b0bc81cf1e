/*
 * memory.h - how much memory this process has used at most
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_MEMORY_H
#define RSTD_BENCH_MEMORY_H

#include <stddef.h>

/*
 * Bytes of the largest resident set since memory_peak_reset(); 0 where the system does not tell. The kernel counts in
 * batches of some dozen pages.
 */
size_t memory_peak(void);
void memory_peak_reset(void);

#endif
