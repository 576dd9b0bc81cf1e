/*
 * kernels_neon.c - the kernels in AArch64 Advanced SIMD
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/simd_neon.h"

#define FN(name) name##_neon

#include "kernels/table_tmpl.h"
