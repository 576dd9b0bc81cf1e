/*
 * event.c - events: they order streams and measure time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An event holds the mark of its latest record. Who waits takes that mark, and is not concerned by later records. An
 * event for which streams wait before it is recorded holds a promised mark, which the next record passes.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "cann/acl/clock.h"
#include "cann/acl/context.h"
#include "cann/acl/error.h"
#include "cann/acl/event.h"
#include "cann/acl/mark.h"
#include "cann/acl/object.h"
#include "cann/acl/stream.h"

#define MAX_EVENTS 65536

#define NS_PER_S   INT64_C(1000000000)

/* Bits that the WithFlag function takes, and those of them that stand alone. */
#define FLAGS       0x3fu
#define FLAGS_ALONE (ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL)

/* Bits that the ExWithFlag function takes. */
#define FLAGS_EX (ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE)

enum event_kind {
	EVENT_PLAIN,
	EVENT_WITH_FLAG,
	EVENT_EX,
};

struct event {
	rstd__object object;
	int32_t device;
	uint32_t id;
	enum event_kind kind;
	uint32_t flags;
	atomic_uint waiting; /* tasks of streams that wait for it */

	/* guarded by the lock */
	rstd__mark *mark;     /* of the latest record, NULL: never recorded */
	bool promised;        /* the mark is for a record to come */
	rstd__stream *stream; /* that has the latest record, with a reference; NULL with promised or without a mark */
	uint64_t number;      /* of the record among its tasks */
	bool ended;           /* none will come */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of other locks only that of the marks is taken under it */

void rstd__events_lock(void)
{
	pthread_mutex_lock(&lock);
}

void rstd__events_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static aclError find_event(aclrtEvent handle, const char *argument, struct event **event)
{
	if (handle == NULL)
		return rstd__acl_null(argument);
	*event = rstd__object_get(RSTD_OBJECT_EVENT, handle);
	if (*event == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is no event, or one that was destroyed",
		                      argument, handle);
	return ACL_SUCCESS;
}

static bool has_sync(const struct event *event)
{
	return event->kind == EVENT_PLAIN || (event->flags & ACL_EVENT_SYNC) != 0;
}

static bool has_time(const struct event *event)
{
	return event->kind == EVENT_PLAIN || (event->flags & ACL_EVENT_TIME_LINE) != 0;
}

/* The mark of the latest record with a reference, NULL: never recorded. */
static rstd__mark *recorded_mark(struct event *event)
{
	pthread_mutex_lock(&lock);
	rstd__mark *const mark = event->promised ? NULL : event->mark;
	if (mark != NULL)
		rstd__mark_ref(mark);
	pthread_mutex_unlock(&lock);
	return mark;
}

/* ---- Coming and going ---- */

static void release(void *object)
{
	struct event *const event = object;

	rstd__mark_put(event->mark);
	if (event->stream != NULL)
		rstd__stream_put(event->stream);
	free(event);
}

static aclError refuse_new(void)
{
	if (rstd__object_count(RSTD_OBJECT_EVENT) >= MAX_EVENTS)
		return rstd__acl_fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "there are %d events, which is all that can be",
		                      MAX_EVENTS);
	return rstd__acl_no_memory("an event");
}

static aclError new_event(aclrtEvent *handle, const rstd__context *context, enum event_kind kind, uint32_t flags)
{
	static _Atomic uint32_t ids;
	struct event *const event = calloc(1, sizeof(*event));

	if (event == NULL)
		return rstd__acl_no_memory("an event");
	event->device = context->device;
	event->id = atomic_fetch_add(&ids, 1);
	event->kind = kind;
	event->flags = flags;
	if (!rstd__object_open(RSTD_OBJECT_EVENT, MAX_EVENTS, event, release)) {
		release(event);
		return refuse_new();
	}
	*handle = event->object.handle;
	return ACL_SUCCESS;
}

static aclError create(aclrtEvent *event, enum event_kind kind, uint32_t flags)
{
	rstd__context *context;
	aclError code = rstd__context_current(&context);

	if (code != ACL_SUCCESS)
		return code;
	code = new_event(event, context, kind, flags);
	rstd__context_put(context);
	return code;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
	if (event == NULL)
		return rstd__acl_null("event");
	return create(event, EVENT_PLAIN, 0);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
	if (event == NULL)
		return rstd__acl_null("event");
	if (flag == 0 || (flag & ~FLAGS) != 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "flag: is 0x%" PRIx32 ", must have some of the bits 0x%x "
		                      "and no other",
		                      flag, FLAGS);
	if ((flag & FLAGS_ALONE) != 0 && (flag & (flag - 1)) != 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "flag: is 0x%" PRIx32 ", but DEVICE_USE_ONLY and EXTERNAL "
		                      "must be alone",
		                      flag);
	return create(event, EVENT_WITH_FLAG, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
	if (event == NULL)
		return rstd__acl_null("event");
	if (flag == ACL_EVENT_IPC)
		return rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		                      "flag: is IPC; processes do not share events here");
	if (flag == 0 || (flag & ~FLAGS_EX) != 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "flag: is 0x%" PRIx32 ", must have some of the bits 0x%x "
		                      "and no other",
		                      flag, FLAGS_EX);
	return create(event, EVENT_EX, flag);
}

/*
 * Ends an event and gives up a reference to it. False when it was ended before. Streams that wait for a record which
 * now cannot come go on.
 */
static bool end_event(struct event *event)
{
	const bool ended = rstd__object_close(event);

	pthread_mutex_lock(&lock);
	event->ended = true;
	rstd__mark *const promised = event->promised ? event->mark : NULL;
	if (promised != NULL)
		rstd__mark_ref(promised);
	pthread_mutex_unlock(&lock);
	if (promised != NULL) {
		rstd__mark_pass(promised, 0);
		rstd__mark_put(promised);
	}
	rstd__object_put(event);
	return ended;
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
	struct event *e;
	const aclError code = find_event(event, "event", &e);

	if (code != ACL_SUCCESS)
		return code;
	if (!end_event(e))
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "event: %p was destroyed", event);
	return ACL_SUCCESS;
}

void rstd__events_end(int32_t device)
{
	uint32_t cursor = 0;
	struct event *event;

	while ((event = rstd__object_next(RSTD_OBJECT_EVENT, &cursor)) != NULL) {
		if (event->device == device)
			end_event(event);
		else
			rstd__object_put(event);
	}
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
	struct event *e;

	if (eventId == NULL)
		return rstd__acl_null("eventId");
	const aclError code = find_event(event, "event", &e);
	if (code != ACL_SUCCESS)
		return code;
	*eventId = e->id;
	rstd__object_put(e);
	return ACL_SUCCESS;
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
	if (eventCount == NULL)
		return rstd__acl_null("eventCount");
	const uint32_t live = rstd__object_count(RSTD_OBJECT_EVENT);
	*eventCount = live < MAX_EVENTS ? MAX_EVENTS - live : 0;
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

	rstd__mark_pass(record->mark, rstd__now());
	return ACL_SUCCESS;
}

/* A record that is dropped passes its mark too, without a time: nobody shall wait for it for ever. */
static void drop_record(void *payload)
{
	const struct record *const record = payload;

	rstd__mark_pass(record->mark, 0);
	rstd__mark_put(record->mark);
}

static const rstd__task_kind record_kind = { .run = run_record, .drop = drop_record, .any_thread = true };

/* The mark for the next record: one that was promised, or a new one. NULL without memory. */
static rstd__mark *next_mark(struct event *event)
{
	rstd__mark *mark = NULL;

	pthread_mutex_lock(&lock);
	if (event->promised) {
		mark = event->mark;
		rstd__mark_ref(mark);
	}
	pthread_mutex_unlock(&lock);
	return mark != NULL ? mark : rstd__mark_new();
}

/* The record of an event is now that task of the stream; without a stream one that is to come. */
static void set_mark(struct event *event, rstd__mark *mark, rstd__stream *stream, uint64_t number)
{
	rstd__mark_ref(mark);
	if (stream != NULL)
		rstd__object_ref(stream);
	pthread_mutex_lock(&lock);
	rstd__mark *const old_mark = event->mark;
	rstd__stream *const old_stream = event->stream;
	event->mark = mark;
	event->promised = stream == NULL;
	event->stream = stream;
	event->number = number;
	pthread_mutex_unlock(&lock);
	rstd__mark_put(old_mark);
	if (old_stream != NULL)
		rstd__stream_put(old_stream);
}

static aclError record(struct event *event, rstd__stream *stream)
{
	const struct record payload = { .mark = next_mark(event) };
	uint64_t number;

	if (payload.mark == NULL)
		return rstd__acl_no_memory("the record of an event");
	rstd__mark_ref(payload.mark); /* the stream's; this call has the other */
	const rstd__order order = { .kind = &record_kind, .payload = &payload, .size = sizeof(payload) };
	const aclError code = rstd__stream_append(stream, &order, 1, &number);
	if (code == ACL_SUCCESS)
		set_mark(event, payload.mark, stream, number);
	else
		rstd__mark_put(payload.mark);
	rstd__mark_put(payload.mark);
	return code;
}

static aclError check_flag(uint32_t flag)
{
	if (flag == ACL_EVENT_RECORD_DEFAULT)
		return ACL_SUCCESS;
	if (flag == ACL_EVENT_RECORD_EXTERNAL)
		return rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		                      "flag: is EXTERNAL, but streams are not recorded here");
	return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "flag: is 0x%" PRIx32 ", allowed are 0 and 1", flag);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
	struct event *e;
	rstd__stream *s;
	aclError code = find_event(event, "event", &e);

	if (code != ACL_SUCCESS)
		return code;
	code = check_flag(flag);
	if (code == ACL_SUCCESS)
		code = rstd__stream_find(stream, &s);
	if (code == ACL_SUCCESS) {
		code = record(e, s);
		rstd__stream_put(s);
	}
	rstd__object_put(e);
	return code;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	return aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_DEFAULT);
}

/* From here on the event was never recorded: who waits for it next waits for a record that comes after this call. */
static aclError forget_record(struct event *event)
{
	rstd__mark *const mark = rstd__mark_new();

	if (mark == NULL)
		return rstd__acl_no_memory("an event");
	set_mark(event, mark, NULL, 0);
	rstd__mark_put(mark);
	return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
	struct event *e;
	rstd__stream *s;
	aclError code = find_event(event, "event", &e);

	if (code != ACL_SUCCESS)
		return code;
	if (e->kind != EVENT_WITH_FLAG || !has_sync(e))
		code = rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		                      "event: %p was not made by aclrtCreateEventWithFlag() with ACL_EVENT_SYNC",
		                      event);
	else
		code = rstd__stream_find(stream, &s);
	if (code == ACL_SUCCESS) {
		/* Nothing is queued: tasks that were given to streams before have the mark of the old record. */
		rstd__stream_put(s);
		code = forget_record(e);
	}
	rstd__object_put(e);
	return code;
}

/* ---- Streams that wait ---- */

/* What a wait leaves in the stream. */
struct wait {
	struct event *event; /* with a reference */
};

static aclError run_wait(void *payload)
{
	(void)payload;
	return ACL_SUCCESS;
}

static void forget_wait(struct event *event)
{
	atomic_fetch_sub(&event->waiting, 1);
	rstd__object_put(event);
}

static void drop_wait(void *payload)
{
	const struct wait *const wait = payload;

	forget_wait(wait->event);
}

static const rstd__task_kind wait_kind = { .run = run_wait, .drop = drop_wait, .any_thread = true };

/* The mark of the record to come, with a reference: an earlier one, or the fresh one. NULL: none will come. */
static rstd__mark *promise(struct event *event, rstd__mark *fresh)
{
	rstd__mark *mark = NULL;

	pthread_mutex_lock(&lock);
	if (event->mark == NULL && !event->ended) {
		event->mark = fresh;
		event->promised = true;
		rstd__mark_ref(fresh);
	}
	if (!event->ended) {
		mark = event->mark;
		rstd__mark_ref(mark);
	}
	pthread_mutex_unlock(&lock);
	return mark;
}

/* The mark that a wait which is queued now waits for, with a reference; NULL: it does not have to wait. */
static aclError awaited_mark(struct event *event, rstd__mark **mark)
{
	*mark = recorded_mark(event);
	if (*mark != NULL || event->kind == EVENT_EX)
		return ACL_SUCCESS;
	if (event->kind == EVENT_PLAIN)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "event: %p was never recorded", event->object.handle);
	rstd__mark *const fresh = rstd__mark_new();
	if (fresh == NULL)
		return rstd__acl_no_memory("an event");
	*mark = promise(event, fresh);
	rstd__mark_put(fresh);
	return ACL_SUCCESS;
}

static aclError append_wait(rstd__stream *stream, struct event *event, rstd__mark *mark, int64_t patience)
{
	const struct wait payload = { .event = event };
	const rstd__order order = {
		.kind = &wait_kind, .payload = &payload, .size = sizeof(payload), .gate = mark, .patience = patience
	};

	rstd__object_ref(event);
	atomic_fetch_add(&event->waiting, 1);
	const aclError code = rstd__stream_append(stream, &order, 1, NULL);
	if (code != ACL_SUCCESS)
		forget_wait(event);
	return code;
}

static aclError wait_event(aclrtStream stream, aclrtEvent event, int64_t patience)
{
	struct event *e;
	rstd__stream *s;
	rstd__mark *mark = NULL;
	aclError code = find_event(event, "event", &e);

	if (code != ACL_SUCCESS)
		return code;
	if (!has_sync(e))
		code = rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event: %p was made without ACL_EVENT_SYNC",
		                      event);
	if (code == ACL_SUCCESS)
		code = rstd__stream_find(stream, &s);
	if (code == ACL_SUCCESS) {
		code = awaited_mark(e, &mark);
		if (mark != NULL)
			code = append_wait(s, e, mark, patience);
		rstd__mark_put(mark);
		rstd__stream_put(s);
	}
	rstd__object_put(e);
	return code;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	return wait_event(stream, event, 0);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
	if (event == NULL)
		return rstd__acl_null("event");
	if (timeout < 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "timeout: is %" PRId32 ", allowed are 0 and more",
		                      timeout);
	return wait_event(stream, event, timeout * NS_PER_S);
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
	if (event == NULL)
		return rstd__acl_null("event");
	const aclError code = check_flag(flag);
	return code != ACL_SUCCESS ? code : wait_event(stream, event, timeout * NS_PER_S);
}

/* ---- Asking and waiting ---- */

static bool is_complete(struct event *event)
{
	rstd__mark *const mark = recorded_mark(event);
	int64_t time;

	if (mark == NULL)
		return event->kind == EVENT_EX;
	const bool complete = rstd__mark_passed(mark, &time);
	rstd__mark_put(mark);
	return complete;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
	struct event *e;

	if (status == NULL)
		return rstd__acl_null("status");
	const aclError code = find_event(event, "event", &e);
	if (code != ACL_SUCCESS)
		return code;
	rstd__streams_revive();
	*status = is_complete(e) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
	rstd__object_put(e);
	return ACL_SUCCESS;
}

static aclError refuse_ex(struct event *event)
{
	if (event->kind != EVENT_EX)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event: %p was made by aclrtCreateEventExWithFlag()",
	                      event->object.handle);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
	struct event *e;

	if (status == NULL)
		return rstd__acl_null("status");
	aclError code = find_event(event, "event", &e);
	if (code != ACL_SUCCESS)
		return code;
	rstd__streams_revive();
	code = refuse_ex(e);
	if (code == ACL_SUCCESS)
		*status = is_complete(e) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
	rstd__object_put(e);
	return code;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
	struct event *e;

	if (status == NULL)
		return rstd__acl_null("status");
	aclError code = find_event(event, "event", &e);
	if (code != ACL_SUCCESS)
		return code;
	rstd__streams_revive();
	code = refuse_ex(e);
	if (code == ACL_SUCCESS)
		*status = atomic_load(&e->waiting) == 0 ? ACL_EVENT_WAIT_STATUS_COMPLETE
		                                        : ACL_EVENT_WAIT_STATUS_NOT_READY;
	rstd__object_put(e);
	return code;
}

/* Waits for the stream to come to the record, which it helps to do. */
static aclError await_record(struct event *event, int32_t timeout)
{
	pthread_mutex_lock(&lock);
	rstd__stream *const stream = event->stream;
	const uint64_t number = event->number;
	if (stream != NULL)
		rstd__object_ref(stream);
	pthread_mutex_unlock(&lock);
	if (stream == NULL)
		return ACL_SUCCESS;
	const aclError code = rstd__stream_settle(stream, number, rstd__deadline(timeout));
	rstd__stream_put(stream);
	if (code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
		return code;
	return rstd__acl_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "event: %p is not reached within %" PRId32 " ms",
	                      event->object.handle, timeout);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
	struct event *e;
	aclError code = find_event(event, "event", &e);

	if (code != ACL_SUCCESS)
		return code;
	rstd__streams_revive();
	if (timeout == 0 || timeout < -1)
		code = rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "timeout: is %" PRId32 ", allowed are -1 and more than 0", timeout);
	else
		code = await_record(e, timeout);
	rstd__object_put(e);
	return code;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
	return aclrtSynchronizeEventWithTimeout(event, -1);
}

/* ---- Time ---- */

/* When an event was reached, in nanoseconds. */
static aclError reached_at(struct event *event, const char *argument, int64_t *time)
{
	rstd__mark *const mark = recorded_mark(event);

	if (mark == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s: %p was never recorded", argument,
		                      event->object.handle);
	const bool passed = rstd__mark_passed(mark, time);
	rstd__mark_put(mark);
	if (!has_time(event))
		return rstd__acl_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
		                      "%s: %p was made without ACL_EVENT_TIME_LINE", argument, event->object.handle);
	if (!passed || *time == 0)
		return rstd__acl_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s: %p is not reached yet", argument,
		                      event->object.handle);
	return ACL_SUCCESS;
}

static aclError time_of(aclrtEvent handle, const char *argument, int64_t *time)
{
	struct event *event;
	aclError code = find_event(handle, argument, &event);

	if (code != ACL_SUCCESS)
		return code;
	code = reached_at(event, argument, time);
	rstd__object_put(event);
	return code;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
	int64_t start, end;

	if (ms == NULL)
		return rstd__acl_null("ms");
	if (startEvent == NULL)
		return rstd__acl_null("startEvent");
	if (endEvent == NULL)
		return rstd__acl_null("endEvent");
	aclError code = time_of(startEvent, "startEvent", &start);
	if (code == ACL_SUCCESS)
		code = time_of(endEvent, "endEvent", &end);
	if (code == ACL_SUCCESS)
		*ms = (float)((double)(end - start) / 1e6);
	return code;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
	int64_t time;

	if (timestamp == NULL)
		return rstd__acl_null("timestamp");
	const aclError code = time_of(event, "event", &time);
	if (code == ACL_SUCCESS)
		*timestamp = (uint64_t)time / 1000;
	return code;
}
