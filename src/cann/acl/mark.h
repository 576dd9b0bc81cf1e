/*
 * mark.h - moments in the work of streams, which other streams can wait for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A mark is passed once. Recording an event puts a new mark into a stream, so that whoever waits keeps to the record
 * that he saw, whatever becomes of the event. Marks have references.
 */
#ifndef RSTD_CANN_ACL_MARK_H
#define RSTD_CANN_ACL_MARK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rstd__mark rstd__mark;

/* A stream that waits: it can be at one mark at a time. */
typedef struct rstd__waiter {
	struct rstd__waiter *next;
	rstd__mark *mark; /* that it waits for, NULL: for none */
	void *owner;      /* an object; it is held while the waiter waits */
	void (*wake)(void *owner);
} rstd__waiter;

/* A mark with one reference, or NULL without memory. In the long run no memory is allocated. */
rstd__mark *rstd__mark_new(void);

void rstd__mark_ref(rstd__mark *mark);
void rstd__mark_put(rstd__mark *mark); /* may be NULL */

/* Passes the mark at a time, 0: no time that counts. Wakes all who wait for it. Once is enough, more does nothing. */
void rstd__mark_pass(rstd__mark *mark, int64_t time);

/* Whether it is passed, and when. */
bool rstd__mark_passed(rstd__mark *mark, int64_t *time);

/* True when the mark is passed; otherwise the waiter will be woken, with a reference to its owner that it has to put. */
bool rstd__mark_await(rstd__mark *mark, rstd__waiter *waiter);

/* The waiter waits no more. */
void rstd__mark_leave(rstd__waiter *waiter);

/* For fork(). */
void rstd__marks_lock(void);
void rstd__marks_unlock(void);

#endif
