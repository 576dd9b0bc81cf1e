/*
 * queue.c - tasks in the order of their arrival
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A list of blocks. A block that has been emptied is kept for the next one that is needed, so that a queue of steady
 * length allocates nothing.
 */
#include "cann/acl/queue.h"

#include <stdlib.h>

#define BLOCK_TASKS 24

struct rstd__block {
	struct rstd__block *next;
	rstd__task tasks[BLOCK_TASKS];
};

static bool add_block(rstd__queue *queue)
{
	struct rstd__block *const block = queue->spare != NULL ? queue->spare : malloc(sizeof(*block));

	if (block == NULL)
		return false;
	queue->spare = NULL;
	block->next = NULL;
	if (queue->tail != NULL)
		queue->tail->next = block;
	else
		queue->head = block;
	queue->tail = block;
	queue->end = 0;
	return true;
}

rstd__task *rstd__queue_push(rstd__queue *queue)
{
	if ((queue->tail == NULL || queue->end == BLOCK_TASKS) && !add_block(queue))
		return NULL;
	queue->count++;
	return &queue->tail->tasks[queue->end++];
}

void rstd__queue_unpush(rstd__queue *queue)
{
	queue->count--;
	queue->end--;
}

rstd__task *rstd__queue_front(const rstd__queue *queue)
{
	return queue->count > 0 ? &queue->head->tasks[queue->first] : NULL;
}

static void drop_head(rstd__queue *queue)
{
	struct rstd__block *const block = queue->head;

	queue->head = block->next;
	queue->first = 0;
	if (queue->spare == NULL)
		queue->spare = block;
	else
		free(block);
}

void rstd__queue_pop(rstd__queue *queue)
{
	queue->count--;
	queue->first++;
	if (queue->count == 0)
		queue->first = queue->end = 0; /* one block is left, and empty */
	else if (queue->first == BLOCK_TASKS)
		drop_head(queue);
}

void rstd__queue_free(rstd__queue *queue)
{
	free(queue->head);
	free(queue->spare);
	*queue = (rstd__queue){ 0 };
}
