/*
 * settings.h - the instruction set in force, and the counters of the ladder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_SETTINGS_H
#define RSTD_CORE_SETTINGS_H

#include "kernels/kernels.h"
#include "rstd/rstd.h"

/* The kernels of the instruction set that rstd_get_isa() names. */
const struct rstd__kernels *rstd__current_kernels(void);

/* Adds to the counters that rstd_get_level_counts() reads. */
void rstd__count_levels(const rstd_level_counts *more);

#endif
