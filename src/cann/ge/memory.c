/*
 * memory.c - which intermediate tensors share memory
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A tensor occupies its place from the step that computes it to the last step that reads it. The largest are placed
 * first, each at the lowest offset where nothing that lives at the same time lies (greedy by size: Pisarchyk and Lee,
 * "Efficient memory management for deep neural net inference", 2020). Each looks at all that were placed before it; in
 * graphs of thousands of nodes tensors are placed in the order of time instead, and look at those that are alive.
 */
#include <stdlib.h>

#include "cann/ge/form.h"
#include "cann/ge/message.h"

#define ALIGNMENT    64
#define MOST_BY_SIZE 2048 /* blocks that are placed largest first */

/* A tensor, or the workspace of a step. */
struct block {
	size_t bytes, first, last;
	size_t *offset; /* where the result goes */
	size_t at;
};

static size_t aligned(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int larger_first(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int earlier_first(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return larger_first(a, b);
}

/* The lowest offset that is free of those of blocks[0..count) that live at the same time. They are in `by_offset`. */
static size_t lowest_gap(const struct block *const *by_offset, size_t count, const struct block *block)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		const struct block *other = by_offset[i];

		if (other->last < block->first || block->last < other->first)
			continue;
		if (other->at >= at + block->bytes)
			break;
		if (other->at + other->bytes > at)
			at = other->at + other->bytes;
	}
	return at;
}

/* Keeps the blocks that live at a step or later; returns how many these are. */
static size_t drop_dead(const struct block **by_offset, size_t count, size_t step)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (by_offset[i]->last >= step)
			by_offset[kept++] = by_offset[i];
	return kept;
}

/* Places all blocks; returns the size of the whole. by_offset: room for all. */
static size_t place(struct block *blocks, size_t count, const struct block **by_offset)
{
	const bool by_size = count <= MOST_BY_SIZE;
	size_t end = 0, placed = 0;

	qsort(blocks, count, sizeof(*blocks), by_size ? larger_first : earlier_first);
	for (size_t i = 0; i < count; i++) {
		size_t at;

		if (!by_size)
			placed = drop_dead(by_offset, placed, blocks[i].first);
		at = placed++;
		blocks[i].at = lowest_gap(by_offset, at, &blocks[i]);
		*blocks[i].offset = blocks[i].at;
		if (blocks[i].at + blocks[i].bytes > end)
			end = blocks[i].at + blocks[i].bytes;
		while (at > 0 && by_offset[at - 1]->at > blocks[i].at) {
			by_offset[at] = by_offset[at - 1];
			at--;
		}
		by_offset[at] = &blocks[i];
	}
	return end;
}

static size_t gather(struct rstd__form *form, struct block *blocks)
{
	size_t count = 0;

	for (size_t i = 0; i < form->storage_count; i++) {
		struct rstd__storage *s = &form->storages[i];

		if (s->kind != RSTD__COMPUTED || !s->used || s->result != RSTD__NONE)
			continue;
		blocks[count++] = (struct block){ aligned(s->bytes), s->first, s->last, &s->offset, 0 };
		form->unshared += aligned(s->bytes);
	}
	for (size_t i = 0; i < form->step_count; i++)
		if (form->steps[i].workspace > 0)
			blocks[count++] = (struct block){ aligned(form->steps[i].workspace), i, i,
				                          &form->steps[i].workspace_offset, 0 };
	return count;
}

rstd_ge_status rstd__plan_memory(struct rstd__form *form)
{
	const size_t most = form->storage_count + form->step_count + 1;
	struct block *blocks = malloc(most * sizeof(*blocks));
	const struct block **by_offset = malloc(most * sizeof(struct block *));
	const bool ok = blocks && by_offset;

	form->unshared = 0;
	if (ok)
		form->arena = place(blocks, gather(form, blocks), by_offset);
	free(by_offset);
	free(blocks);
	return ok ? RSTD_GE_SUCCESS : rstd__ge_no_memory("a plan of memory");
}
