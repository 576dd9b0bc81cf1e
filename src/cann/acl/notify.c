/*
 * notify.c - notifies: a stream tells one other stream to go on, as often as they like
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A notify is one bit, which a record sets and a wait clears. Records and waits are paired in the order in which the
 * program gives them to streams: each pair shares a mark, which the first of the two makes. So a wait may come before
 * its record; a record before which nobody waited is kept for the next wait, and more of them count as one.
 */
#include "cann/acl/notify.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "cann/acl/context.h"
#include "cann/acl/error.h"
#include "cann/acl/event.h"
#include "cann/acl/mark.h"
#include "cann/acl/object.h"
#include "cann/acl/stream.h"

#define MAX_NOTIFIES 8192

#define NS_PER_MS    INT64_C(1000000)

/* A wait whose record did not come yet. */
struct awaited {
	rstd__mark *mark; /* with a reference */
	struct awaited *next;
};

struct notify {
	rstd__object object;
	int32_t device;
	uint32_t id;

	/* guarded by the lock of the events */
	rstd__mark *recorded; /* that the next wait takes, NULL: the bit is clear */
	struct awaited *first;
	bool ended; /* nobody shall wait any more */
};

static aclError find_notify(aclrtNotify handle, struct notify **notify)
{
	if (handle == NULL)
		return rstd__acl_null("notify");
	*notify = rstd__object_get(RSTD_OBJECT_NOTIFY, handle);
	if (*notify == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "notify: %p is no notify, or one that was destroyed",
		                      handle);
	return ACL_SUCCESS;
}

/* ---- Coming and going ---- */

static void release(void *object)
{
	struct notify *const notify = object;

	rstd__mark_put(notify->recorded);
	free(notify);
}

static aclError new_notify(aclrtNotify *handle, int32_t device)
{
	static _Atomic uint32_t ids;
	struct notify *const notify = calloc(1, sizeof(*notify));

	if (notify == NULL)
		return rstd__acl_no_memory("a notify");
	notify->device = device;
	notify->id = atomic_fetch_add(&ids, 1);
	if (!rstd__object_open(RSTD_OBJECT_NOTIFY, MAX_NOTIFIES, notify, release)) {
		release(notify);
		if (rstd__object_count(RSTD_OBJECT_NOTIFY) >= MAX_NOTIFIES)
			return rstd__acl_fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE,
			                      "there are %d notifies, which is all that can be", MAX_NOTIFIES);
		return rstd__acl_no_memory("a notify");
	}
	*handle = notify->object.handle;
	return ACL_SUCCESS;
}

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
	rstd__context *context;

	if (notify == NULL)
		return rstd__acl_null("notify");
	(void)flag; /* how NPUs keep it */
	aclError code = rstd__context_current(&context);
	if (code != ACL_SUCCESS)
		return code;
	code = new_notify(notify, context->device);
	rstd__context_put(context);
	return code;
}

/* Ends a notify and gives up a reference to it; streams that wait for it go on. False when it was ended before. */
static bool end_notify(struct notify *notify)
{
	const bool ended = rstd__object_close(notify);

	rstd__events_lock();
	struct awaited *at = notify->first;
	notify->first = NULL;
	notify->ended = true;
	rstd__events_unlock();
	while (at != NULL) {
		struct awaited *const next = at->next;

		rstd__mark_pass(at->mark, 0);
		rstd__mark_put(at->mark);
		free(at);
		at = next;
	}
	rstd__object_put(notify);
	return ended;
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
	struct notify *n;
	const aclError code = find_notify(notify, &n);

	if (code != ACL_SUCCESS)
		return code;
	if (!end_notify(n))
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "notify: %p was destroyed", notify);
	return ACL_SUCCESS;
}

void rstd__notifies_end(int32_t device)
{
	uint32_t cursor = 0;
	struct notify *notify;

	while ((notify = rstd__object_next(RSTD_OBJECT_NOTIFY, &cursor)) != NULL) {
		if (notify->device == device)
			end_notify(notify);
		else
			rstd__object_put(notify);
	}
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
	struct notify *n;

	if (notifyId == NULL)
		return rstd__acl_null("notifyId");
	const aclError code = find_notify(notify, &n);
	if (code != ACL_SUCCESS)
		return code;
	*notifyId = n->id;
	rstd__object_put(n);
	return ACL_SUCCESS;
}

/* ---- Recording ---- */

/* What a record leaves in the stream. */
struct record {
	rstd__mark *mark; /* with a reference */
};

static aclError run_record(void *payload)
{
	const struct record *const record = payload;

	rstd__mark_pass(record->mark, 0);
	return ACL_SUCCESS;
}

/* A record that is dropped lets the other stream go on too: it shall not wait for ever. */
static void drop_record(void *payload)
{
	const struct record *const record = payload;

	rstd__mark_pass(record->mark, 0);
	rstd__mark_put(record->mark);
}

static const rstd__task_kind record_kind = { .run = run_record, .drop = drop_record, .any_thread = true };

/* The mark that a record which comes now passes, with a reference: that of the oldest wait, or the bit's. */
static rstd__mark *mark_to_pass(struct notify *notify, rstd__mark *fresh)
{
	rstd__mark *mark;

	rstd__events_lock();
	struct awaited *const oldest = notify->first;
	if (oldest != NULL) {
		notify->first = oldest->next;
		mark = oldest->mark;
	} else {
		if (notify->recorded == NULL) {
			rstd__mark_ref(fresh);
			notify->recorded = fresh;
		}
		mark = notify->recorded;
		rstd__mark_ref(mark);
	}
	rstd__events_unlock();
	free(oldest);
	return mark;
}

static aclError record(struct notify *notify, rstd__stream *stream)
{
	rstd__mark *const fresh = rstd__mark_new();

	if (fresh == NULL)
		return rstd__acl_no_memory("the record of a notify");
	const struct record payload = { .mark = mark_to_pass(notify, fresh) };
	const rstd__order order = { .kind = &record_kind, .payload = &payload, .size = sizeof(payload) };
	const aclError code = rstd__stream_append(stream, &order, 1, NULL);
	if (code != ACL_SUCCESS)
		drop_record(&(struct record){ payload.mark });
	rstd__mark_put(fresh);
	return code;
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
	struct notify *n;
	rstd__stream *s;
	aclError code = find_notify(notify, &n);

	if (code != ACL_SUCCESS)
		return code;
	code = rstd__stream_find(stream, &s);
	if (code == ACL_SUCCESS) {
		code = record(n, s);
		rstd__stream_put(s);
	}
	rstd__object_put(n);
	return code;
}

/* ---- Waiting ---- */

/* What a wait leaves in the stream. */
struct wait {
	struct notify *notify; /* with a reference */
	rstd__mark *mark;      /* with a reference */
};

static aclError run_wait(void *payload)
{
	(void)payload;
	return ACL_SUCCESS;
}

/* The wait is over. If that was without its record, the next record is for the next wait. */
static void drop_wait(void *payload)
{
	const struct wait *const wait = payload;
	struct awaited *unused = NULL;

	rstd__events_lock();
	for (struct awaited **at = &wait->notify->first; *at != NULL; at = &(*at)->next) {
		if ((*at)->mark != wait->mark)
			continue;
		unused = *at;
		*at = unused->next;
		break;
	}
	rstd__events_unlock();
	if (unused != NULL) {
		rstd__mark_put(unused->mark);
		free(unused);
	}
	rstd__mark_put(wait->mark);
	rstd__object_put(wait->notify);
}

static const rstd__task_kind wait_kind = { .run = run_wait, .drop = drop_wait, .any_thread = true };

/*
 * The mark that a wait which comes now waits for, with a reference. Takes over node: it is the notify's then, and a record
 * may have freed it already, unless a record was there before and it is not needed.
 */
static rstd__mark *mark_to_await(struct notify *notify, struct awaited *node)
{
	rstd__mark *mark;

	rstd__events_lock();
	const bool ended = notify->ended;
	if (notify->recorded != NULL) {
		mark = notify->recorded; /* and its reference */
		notify->recorded = NULL;
		rstd__mark_put(node->mark);
		free(node);
	} else {
		struct awaited **last = &notify->first;

		while (*last != NULL)
			last = &(*last)->next;
		*last = node;
		mark = node->mark;
		rstd__mark_ref(mark);
	}
	rstd__events_unlock();
	if (ended)
		rstd__mark_pass(mark, 0);
	return mark;
}

static aclError wait(struct notify *notify, rstd__stream *stream, uint32_t milliseconds)
{
	struct awaited *const node = calloc(1, sizeof(*node));

	if (node == NULL || (node->mark = rstd__mark_new()) == NULL) {
		free(node);
		return rstd__acl_no_memory("a wait for a notify");
	}
	struct wait payload = { .notify = notify, .mark = mark_to_await(notify, node) };
	const rstd__order order = { .kind = &wait_kind,
		                    .payload = &payload,
		                    .size = sizeof(payload),
		                    .gate = payload.mark,
		                    .patience = milliseconds * NS_PER_MS };
	rstd__object_ref(notify);
	const aclError code = rstd__stream_append(stream, &order, 1, NULL);
	if (code != ACL_SUCCESS)
		drop_wait(&payload);
	return code;
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
	struct notify *n;
	rstd__stream *s;
	aclError code = find_notify(notify, &n);

	if (code != ACL_SUCCESS)
		return code;
	code = rstd__stream_find(stream, &s);
	if (code == ACL_SUCCESS) {
		code = wait(n, s, timeout);
		rstd__stream_put(s);
	}
	rstd__object_put(n);
	return code;
}
