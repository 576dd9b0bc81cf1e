/*
 * kernels_avx512.c - the kernels in AVX-512
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/simd_avx512.h"

#define FN(name) name##_avx512

#include "kernels/table_tmpl.h"
