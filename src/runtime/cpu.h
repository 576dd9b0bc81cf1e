/*
 * cpu.h - what the CPUs that this process may use can do, and how many they are
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_RUNTIME_CPU_H
#define RSTD_RUNTIME_CPU_H

#include <stdint.h>

enum {
	RSTD__CPU_AVX2 = 1 << 0,   /* AVX2, and the system saves the YMM registers */
	RSTD__CPU_FMA = 1 << 1,    /* FMA3, likewise */
	RSTD__CPU_F16C = 1 << 2,   /* conversions between binary16 and binary32, likewise */
	RSTD__CPU_AVX512 = 1 << 3, /* AVX-512 F, BW, DQ and VL, and the system saves the ZMM and mask registers */
	RSTD__CPU_NEON = 1 << 4,   /* Advanced SIMD with binary64, part of every AArch64 */
};

/* The register words that the answer is made from, so that recorded machines can be replayed in tests. */
struct rstd__cpu_words {
	uint32_t max_leaf;  /* CPUID leaf 0, EAX */
	uint32_t leaf1_ecx; /* CPUID leaf 1, ECX */
	uint32_t leaf7_ebx; /* CPUID leaf 7, subleaf 0, EBX; ignored when max_leaf is below 7 */
	uint64_t xcr0;      /* XGETBV(0); ignored where leaf 1 lacks OSXSAVE */
};

/* A mask of RSTD__CPU_* for these words of an x86 machine. */
unsigned rstd__cpu_decode(const struct rstd__cpu_words *words);

/* A mask of RSTD__CPU_* for this machine. Asked once; safe from any thread. */
unsigned rstd__cpu_features(void);

/*
 * How many CPUs the calling thread can keep busy, at least 1: those of its affinity mask, or fewer where a control
 * group (a container's CPU limit) grants less time than that. Reads files each time; keep the answer.
 */
int rstd__cpu_count(void);

/*
 * The CPU limit of this process's control group and all above it, in whole CPUs rounded up; INT_MAX without one.
 * root is put before the paths of /proc and /sys: "" for this machine, a directory with copies of them in tests.
 */
int rstd__cpu_quota(const char *root);

#endif
