/*
 * kernels_avx2.c - the kernels in AVX2, FMA and F16C
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/simd_avx2.h"

#define FN(name) name##_avx2

#include "kernels/table_tmpl.h"
