/*
 * guard.h - memory between two pages that nobody may touch, so that a read or write beside a buffer is a fault
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_TESTS_GUARD_H
#define RSTD_TESTS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define GUARD_POISON 0xFF /* bytes of a NaN in every format, and in binary64 */
#define GUARD_MARGIN 64   /* bytes of poison around a buffer, where there is memory */

struct guarded {
	unsigned char *map; /* page, memory, page */
	size_t page, size;  /* bytes of each page and of the memory between them, a multiple of it */
};

/* Which end of the memory a buffer lies at. */
enum guard_end { GUARD_FIRST, GUARD_LAST };

/* At least size bytes between two such pages. */
void guard_make(struct guarded *g, size_t size);
void guard_free(struct guarded *g);
/*
 * Where a buffer of size bytes lies at an end of the memory, or gap bytes away from it. The buffer, the gap and a
 * margin are filled with poison. The memory has room for all of them.
 */
unsigned char *guard_place(const struct guarded *g, enum guard_end end, size_t size, size_t gap);
/* guard_place(), with the bytes of a buffer put there. */
unsigned char *guard_copy(const struct guarded *g, enum guard_end end, const void *bytes, size_t size, size_t gap);
/* Whether the margin around a buffer of size bytes, as far as there is memory, is poison still. */
bool guard_intact(const struct guarded *g, const void *p, size_t size);

#endif
