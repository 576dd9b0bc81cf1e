/*
 * queue.h - tasks in the order of their arrival
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_QUEUE_H
#define RSTD_CANN_ACL_QUEUE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cann/acl/mark.h"
#include "cann/acl/stream.h"

typedef struct rstd__task {
	const rstd__task_kind *kind;
	rstd__mark *gate; /* it may begin when this is passed; NULL: at once */
	int64_t patience; /* nanoseconds that it waits for it; 0: no end */
	alignas(max_align_t) unsigned char payload[RSTD_TASK_BYTES];
} rstd__task;

struct rstd__block;

/* All zeros is an empty queue. Tasks stay where they are from push to pop. */
typedef struct rstd__queue {
	struct rstd__block *head, *tail, *spare;
	size_t first; /* of the tasks in head */
	size_t end;   /* of the tasks in tail */
	size_t count;
} rstd__queue;

/* Room for a task behind the last one, or NULL without memory. */
rstd__task *rstd__queue_push(rstd__queue *queue);

/* Takes the last push back, when the next one has failed. */
void rstd__queue_unpush(rstd__queue *queue);

/* The first task, or NULL. */
rstd__task *rstd__queue_front(const rstd__queue *queue);

/* Removes the first task. */
void rstd__queue_pop(rstd__queue *queue);

/* Frees the memory of an empty queue. */
void rstd__queue_free(rstd__queue *queue);

#endif
