/*
 * guard.c - memory between two pages that nobody may touch, so that a read or write beside a buffer is a fault
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void guard_make(struct guarded *g, size_t size)
{
	g->page = (size_t)sysconf(_SC_PAGESIZE);
	g->size = (size + g->page - 1) / g->page * g->page;
	g->map = mmap(NULL, g->size + 2 * g->page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g->map == MAP_FAILED || mprotect(g->map + g->page, g->size, PROT_READ | PROT_WRITE) != 0) {
		perror("guard_make");
		exit(EXIT_FAILURE);
	}
}

void guard_free(struct guarded *g)
{
	munmap(g->map, g->size + 2 * g->page);
}

/* From margin bytes before p to margin bytes after p + size, cut to the memory. */
static void margins(const struct guarded *g, const unsigned char *p, size_t size, size_t margin, size_t *from,
                    size_t *to)
{
	const size_t at = (size_t)(p - (g->map + g->page));

	*from = at > margin ? at - margin : 0;
	*to = g->size - at - size > margin ? at + size + margin : g->size;
}

unsigned char *guard_place(const struct guarded *g, enum guard_end end, size_t size, size_t gap)
{
	unsigned char *const memory = g->map + g->page;
	unsigned char *const p = end == GUARD_FIRST ? memory + gap : memory + g->size - gap - size;
	size_t from, to;

	if (size + gap > g->size) {
		fprintf(stderr, "guard_place: %zu bytes in %zu\n", size + gap, g->size);
		exit(EXIT_FAILURE);
	}
	margins(g, p, size, gap + GUARD_MARGIN, &from, &to);
	memset(memory + from, GUARD_POISON, to - from);
	return p;
}

unsigned char *guard_copy(const struct guarded *g, enum guard_end end, const void *bytes, size_t size, size_t gap)
{
	return memcpy(guard_place(g, end, size, gap), bytes, size);
}

bool guard_intact(const struct guarded *g, const void *p, size_t size)
{
	const unsigned char *const memory = g->map + g->page, *const inside = p;
	size_t from, to;

	margins(g, inside, size, GUARD_MARGIN, &from, &to);
	for (size_t i = from; i < to; i++)
		if ((memory + i < inside || memory + i >= inside + size) && memory[i] != GUARD_POISON)
			return false;
	return true;
}
