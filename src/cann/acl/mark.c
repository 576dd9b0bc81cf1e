/*
 * mark.c - moments in the work of streams, which other streams can wait for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/acl/mark.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "cann/acl/object.h"

struct rstd__mark {
	atomic_bool passed; /* set under the lock, read without by who asks again and again */
	unsigned refs;
	int64_t time;
	rstd__waiter *waiters;
	rstd__mark *next_free;
};

#define MAX_FREE 64 /* marks kept for the next records */

static struct {
	pthread_mutex_t lock; /* guards what follows and all marks; nothing else is locked under it */
	rstd__mark *free;
	unsigned free_count;
} marks = { .lock = PTHREAD_MUTEX_INITIALIZER };

rstd__mark *rstd__mark_new(void)
{
	pthread_mutex_lock(&marks.lock);
	rstd__mark *mark = marks.free;
	if (mark != NULL) {
		marks.free = mark->next_free;
		marks.free_count--;
	}
	pthread_mutex_unlock(&marks.lock);
	if (mark == NULL)
		mark = malloc(sizeof(*mark));
	if (mark == NULL)
		return NULL;
	atomic_init(&mark->passed, false);
	mark->refs = 1;
	mark->time = 0;
	mark->waiters = NULL;
	mark->next_free = NULL;
	return mark;
}

void rstd__mark_ref(rstd__mark *mark)
{
	pthread_mutex_lock(&marks.lock);
	mark->refs++;
	pthread_mutex_unlock(&marks.lock);
}

void rstd__mark_put(rstd__mark *mark)
{
	if (mark == NULL)
		return;
	pthread_mutex_lock(&marks.lock);
	const bool last = --mark->refs == 0;
	const bool keep = last && marks.free_count < MAX_FREE;
	if (keep) {
		mark->next_free = marks.free;
		marks.free = mark;
		marks.free_count++;
	}
	pthread_mutex_unlock(&marks.lock);
	if (last && !keep)
		free(mark);
}

/* Under the lock. */
static rstd__waiter *take_waiter(rstd__mark *mark)
{
	rstd__waiter *const waiter = mark->waiters;

	if (waiter != NULL) {
		mark->waiters = waiter->next;
		waiter->mark = NULL;
	}
	return waiter;
}

void rstd__mark_pass(rstd__mark *mark, int64_t time)
{
	rstd__waiter *waiter;

	pthread_mutex_lock(&marks.lock);
	if (!atomic_load_explicit(&mark->passed, memory_order_relaxed)) {
		mark->time = time;
		atomic_store_explicit(&mark->passed, true, memory_order_release);
	}
	/* One at a time, for a stream that is no longer here may already wait elsewhere. */
	while ((waiter = take_waiter(mark)) != NULL) {
		pthread_mutex_unlock(&marks.lock);
		waiter->wake(waiter->owner);
		pthread_mutex_lock(&marks.lock);
	}
	pthread_mutex_unlock(&marks.lock);
}

bool rstd__mark_passed(rstd__mark *mark, int64_t *time)
{
	pthread_mutex_lock(&marks.lock);
	const bool passed = atomic_load_explicit(&mark->passed, memory_order_relaxed);
	*time = mark->time;
	pthread_mutex_unlock(&marks.lock);
	return passed;
}

bool rstd__mark_await(rstd__mark *mark, rstd__waiter *waiter)
{
	if (atomic_load_explicit(&mark->passed, memory_order_acquire))
		return true;
	pthread_mutex_lock(&marks.lock);
	const bool passed = atomic_load_explicit(&mark->passed, memory_order_relaxed);
	if (!passed && waiter->mark == NULL) {
		rstd__object_ref(waiter->owner);
		waiter->mark = mark;
		waiter->next = mark->waiters;
		mark->waiters = waiter;
	}
	pthread_mutex_unlock(&marks.lock);
	return passed;
}

void rstd__mark_leave(rstd__waiter *waiter)
{
	pthread_mutex_lock(&marks.lock);
	const bool waited = waiter->mark != NULL;
	if (waited) {
		rstd__waiter **place = &waiter->mark->waiters;

		while (*place != waiter)
			place = &(*place)->next;
		*place = waiter->next;
		waiter->mark = NULL;
	}
	pthread_mutex_unlock(&marks.lock);
	if (waited)
		rstd__object_put(waiter->owner); /* not the last: the caller has one */
}

void rstd__marks_lock(void)
{
	pthread_mutex_lock(&marks.lock);
}

void rstd__marks_unlock(void)
{
	pthread_mutex_unlock(&marks.lock);
}
