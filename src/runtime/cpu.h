/*
 * cpu.h - which instructions this machine, and its operating system, let us use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_RUNTIME_CPU_H
#define RSTD_RUNTIME_CPU_H

#include <stdint.h>

enum {
	RSTD__CPU_AVX2 = 1 << 0,   /* AVX2, and the system saves the YMM registers */
	RSTD__CPU_FMA = 1 << 1,    /* FMA3 */
	RSTD__CPU_F16C = 1 << 2,   /* conversions between binary16 and binary32 */
	RSTD__CPU_AVX512 = 1 << 3, /* AVX-512 F, BW, DQ and VL, and the system saves the ZMM and mask registers */
	RSTD__CPU_NEON = 1 << 4,   /* Advanced SIMD with binary64, part of every AArch64 */
};

/* The register words that the answer is made from, so that recorded machines can be replayed in tests. */
struct rstd__cpu_words {
	uint32_t max_leaf;  /* CPUID leaf 0, EAX */
	uint32_t leaf1_ecx; /* CPUID leaf 1, ECX */
	uint32_t leaf7_ebx; /* CPUID leaf 7, subleaf 0, EBX */
	uint64_t xcr0;      /* XGETBV(0); 0 where leaf 1 lacks OSXSAVE */
};

/* A mask of RSTD__CPU_* for these words. */
unsigned rstd__cpu_decode(const struct rstd__cpu_words *words);

/* A mask of RSTD__CPU_* for this machine. Asked once; safe from any thread. */
unsigned rstd__cpu_features(void);

#endif
