/*
 * allocator.h - the allocator as a test wants it: counting, and failing when no more is allowed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with --wrap for malloc, calloc, realloc, posix_memalign and free.
 */
#ifndef RSTD_TESTS_GE_ALLOCATOR_H
#define RSTD_TESTS_GE_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

extern bool watching;         /* count, and fail when no more is allowed */
extern int allowed, refusals; /* allocations that still succeed; how many failed */
extern int held;              /* blocks not yet freed */
extern size_t held_bytes;     /* theirs */

#endif
