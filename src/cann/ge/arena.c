/*
 * arena.c - memory that is freed all at once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct rstd__arena_block {
	struct rstd__arena_block *next;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

#define BLOCK_BYTES ((size_t)16384)

static bool add_block(struct rstd__arena *arena, size_t needed)
{
	const size_t size = needed > BLOCK_BYTES ? needed : BLOCK_BYTES;
	struct rstd__arena_block *block;

	if (size > SIZE_MAX - sizeof(*block))
		return false;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return false;
	block->next = arena->blocks;
	block->size = size;
	arena->blocks = block;
	arena->used = 0;
	return true;
}

void *rstd__arena_new(struct rstd__arena *arena, size_t count, size_t size)
{
	const size_t align = alignof(max_align_t);
	size_t bytes;
	void *object;

	if (size != 0 && count > (SIZE_MAX - align) / size)
		return NULL;
	bytes = (count * size + align - 1) / align * align;
	if (!arena->blocks || bytes > arena->blocks->size - arena->used) {
		if (!add_block(arena, bytes))
			return NULL;
	}
	object = arena->blocks->bytes + arena->used;
	arena->used += bytes;
	return object;
}

char *rstd__arena_print(struct rstd__arena *arena, const char *format, ...)
{
	va_list arguments, again;
	char *text = NULL;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	if (length >= 0)
		text = rstd__arena_new(arena, (size_t)length + 1, 1);
	if (text)
		(void)vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(arguments);
	return text;
}

void rstd__arena_free(struct rstd__arena *arena)
{
	while (arena->blocks) {
		struct rstd__arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->used = 0;
}
