/*
 * climb.h - what slices cost that fast sums leave open
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_CLIMB_H
#define RSTD_BENCH_CLIMB_H

#include <stdbool.h>

#include "measure.h"

/* Measures kinds of slices beside ordinary ones and prints a table. False when a call of the library has failed. */
bool climb_run(const struct effort *effort);

#endif
