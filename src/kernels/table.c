/*
 * table.c - the instruction sets of this build, best first
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/kernels.h"
#include "runtime/cpu.h"

const struct rstd__isa rstd__isas[] = {
#if defined(__x86_64__)
	{ "avx512", RSTD__CPU_AVX512 | RSTD__CPU_AVX2 | RSTD__CPU_FMA | RSTD__CPU_F16C, &rstd__kernels_avx512 },
	{ "avx2", RSTD__CPU_AVX2 | RSTD__CPU_FMA | RSTD__CPU_F16C, &rstd__kernels_avx2 },
#elif defined(__aarch64__)
	{ "neon", RSTD__CPU_NEON, &rstd__kernels_neon },
#endif
	{ "scalar", 0, &rstd__kernels_scalar },
};

const size_t rstd__isa_count = sizeof(rstd__isas) / sizeof(rstd__isas[0]);
