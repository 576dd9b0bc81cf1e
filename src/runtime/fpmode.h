/*
 * fpmode.h - run in the default floating-point mode, leave the caller's as it was
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The proofs need round-to-nearest, subnormals and no traps. A host program may have changed any of these (a library
 * linked with -ffast-math sets flush-to-zero at start-up), so each entry that computes brackets itself with
 * rstd__fpmode_enter() and rstd__fpmode_leave(). The exception flags come back as they were, too. A compiler may move
 * arithmetic across these two, since it does not know what they do to it; so what they bracket is a call of a function
 * that is RSTD__FP_BODY, and nothing else.
 */
#ifndef RSTD_RUNTIME_FPMODE_H
#define RSTD_RUNTIME_FPMODE_H

#include <stdint.h>

#define RSTD__FP_BODY __attribute__((noinline))

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef uint32_t rstd__fpmode;

#define RSTD__FPMODE_DEFAULT 0x1F80 /* all exceptions masked, nearest, no FTZ, no DAZ; and no flags */
#define RSTD__FPMODE_FLAGS   0x003F

/* The register is only written where that changes something: it costs tens of nanoseconds. */
static inline rstd__fpmode rstd__fpmode_enter(void)
{
	const rstd__fpmode old = _mm_getcsr();

	if ((old & ~(rstd__fpmode)RSTD__FPMODE_FLAGS) != RSTD__FPMODE_DEFAULT)
		_mm_setcsr(RSTD__FPMODE_DEFAULT);
	return old;
}

static inline void rstd__fpmode_leave(rstd__fpmode old)
{
	if (_mm_getcsr() != old)
		_mm_setcsr(old);
}

#elif defined(__aarch64__)

typedef struct {
	uint64_t control, status;
} rstd__fpmode;

static inline rstd__fpmode rstd__fpmode_enter(void)
{
	rstd__fpmode old;
	const uint64_t zero = 0; /* FPCR 0: nearest, no flush-to-zero, no traps */

	__asm__ volatile("mrs %0, fpcr" : "=r"(old.control));
	__asm__ volatile("mrs %0, fpsr" : "=r"(old.status));
	__asm__ volatile("msr fpcr, %0" : : "r"(zero) : "memory");
	return old;
}

static inline void rstd__fpmode_leave(rstd__fpmode old)
{
	__asm__ volatile("msr fpsr, %0" : : "r"(old.status) : "memory");
	__asm__ volatile("msr fpcr, %0" : : "r"(old.control) : "memory");
}

#else
#error "rstd supports x86-64 and AArch64"
#endif

#endif
