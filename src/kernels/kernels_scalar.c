/*
 * kernels_scalar.c - the kernels in plain C
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/simd_scalar.h"

#define FN(name) name##_scalar

#include "kernels/table_tmpl.h"
