/*
 * arena.h - memory that is freed all at once, for the many small objects of a message
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_ARENA_H
#define RSTD_CANN_GE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct rstd__arena_block;

/* A struct of zeros is an empty arena. */
struct rstd__arena {
	struct rstd__arena_block *blocks;
	size_t used; /* of the first block */
};

/* count zeroed objects of `size` bytes, aligned for any type; not NULL for none. NULL when memory runs out. */
void *rstd__arena_new(struct rstd__arena *arena, size_t count, size_t size);

/* A copy of the text that a printf format makes. NULL when memory runs out. */
char *rstd__arena_print(struct rstd__arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

void rstd__arena_free(struct rstd__arena *arena);

#endif
