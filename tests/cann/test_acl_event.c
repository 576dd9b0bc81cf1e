/*
 * test_acl_event.c - events of the three kinds: flags, order of streams, waiting, time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "acl_case.h"

static aclrtStream a, b;

static int set_up(void **state)
{
	return set_device(state) != ACL_SUCCESS || aclrtCreateStream(&a) != ACL_SUCCESS ||
	       aclrtCreateStream(&b) != ACL_SUCCESS;
}

static int tear_down(void **state)
{
	return aclrtDestroyStream(a) != ACL_SUCCESS || aclrtDestroyStream(b) != ACL_SUCCESS ||
	       reset_device(state) != ACL_SUCCESS;
}

struct latch {
	atomic_bool open;
};

static void wait_at(void *latch)
{
	while (!atomic_load(&((struct latch *)latch)->open))
		sleep_ms(1);
}

static void set_flag(void *flag)
{
	atomic_store((atomic_bool *)flag, true);
}

/* Makes a stream busy until the latch is open. */
static void block(aclrtStream stream, struct latch *latch)
{
	atomic_store(&latch->open, false);
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, latch));
}

static void unblock(struct latch *latch)
{
	atomic_store(&latch->open, true);
}

/* The three kinds, with all that they can do. */
enum { KINDS = 3 };

static aclrtEvent make(int kind)
{
	const uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;
	aclrtEvent event = NULL;

	if (kind == 0)
		expect(ACL_SUCCESS, aclrtCreateEvent(&event));
	else if (kind == 1)
		expect(ACL_SUCCESS, aclrtCreateEventWithFlag(&event, flags));
	else
		expect(ACL_SUCCESS, aclrtCreateEventExWithFlag(&event, flags));
	return event;
}

static aclrtEventRecordedStatus status_of(aclrtEvent event)
{
	aclrtEventRecordedStatus status = (aclrtEventRecordedStatus)77;

	expect(ACL_SUCCESS, aclrtQueryEventStatus(event, &status));
	return status;
}

/* ---- Coming and going ---- */

static void test_flags(void **state)
{
	aclrtEvent event;

	(void)state;
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateEvent(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateEventWithFlag(NULL, ACL_EVENT_SYNC));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateEventExWithFlag(NULL, ACL_EVENT_SYNC));
	for (uint32_t flag = 0; flag < 0x100; flag++) {
		const bool lone = (flag & (ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL)) != 0;
		const bool single = (flag & (flag - 1)) == 0;
		const bool fine = flag != 0 && flag <= 0x3f && (!lone || single);
		const bool fine_ex = flag != 0 && (flag & ~0xbu) == 0;

		if (fine) {
			expect(ACL_SUCCESS, aclrtCreateEventWithFlag(&event, flag));
			expect(ACL_SUCCESS, aclrtDestroyEvent(event));
		} else {
			expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag(&event, flag));
		}
		if (fine_ex) {
			expect(ACL_SUCCESS, aclrtCreateEventExWithFlag(&event, flag));
			expect(ACL_SUCCESS, aclrtDestroyEvent(event));
		} else {
			expect(flag == ACL_EVENT_IPC ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID,
			       aclrtCreateEventExWithFlag(&event, flag));
		}
	}
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag(&event, 0x80000001u));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventExWithFlag(&event, 0x80000001u));
}

static void test_without_context(void **state)
{
	aclrtEvent event;

	(void)state;
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEvent(&event));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
}

static void test_handles(void **state)
{
	aclrtEventRecordedStatus recorded;
	aclrtEventWaitStatus wait;
	aclrtEventStatus status;
	aclrtEvent event, good;
	uint64_t time;
	uint32_t id;
	float ms;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateEvent(&event));
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	expect(ACL_SUCCESS, aclrtCreateEvent(&good));
	expect(ACL_SUCCESS, aclrtRecordEvent(good, a));
	expect(ACL_SUCCESS, aclrtSynchronizeEvent(good));
	void *const bad[] = { NULL, event, a, foreign_handle(), (void *)(uintptr_t)UINT64_MAX };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		const aclError code = bad[i] == NULL ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_INVALID_HANDLE;

		expect(code, aclrtDestroyEvent(bad[i]));
		expect(code, aclrtRecordEvent(bad[i], a));
		expect(code, aclrtRecordEventWithFlag(bad[i], a, 0));
		expect(code, aclrtResetEvent(bad[i], a));
		expect(code, aclrtStreamWaitEvent(a, bad[i]));
		expect(code, aclrtStreamWaitEventWithTimeout(a, bad[i], 1));
		expect(code, aclrtStreamWaitEventWithFlag(a, bad[i], 1, 0));
		expect(code, aclrtQueryEventStatus(bad[i], &recorded));
		expect(code, aclrtQueryEvent(bad[i], &status));
		expect(code, aclrtQueryEventWaitStatus(bad[i], &wait));
		expect(code, aclrtSynchronizeEvent(bad[i]));
		expect(code, aclrtSynchronizeEventWithTimeout(bad[i], 1));
		expect(code, aclrtEventElapsedTime(&ms, bad[i], good));
		expect(code, aclrtEventElapsedTime(&ms, good, bad[i]));
		expect(code, aclrtEventGetTimestamp(bad[i], &time));
		expect(code, aclrtGetEventId(bad[i], &id));
	}
	expect(ACL_ERROR_INVALID_PARAM, aclrtQueryEventStatus(good, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtQueryEvent(good, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtQueryEventWaitStatus(good, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtEventElapsedTime(NULL, good, good));
	expect(ACL_ERROR_INVALID_PARAM, aclrtEventGetTimestamp(good, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetEventId(good, NULL));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordEvent(good, good));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamWaitEvent(good, good));
	expect(ACL_SUCCESS, aclrtDestroyEvent(good));
}

static void test_numbers(void **state)
{
	aclrtEvent x, y;
	uint32_t id_x, id_y, before, after;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetEventAvailNum(&before));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetEventAvailNum(NULL));
	expect(ACL_SUCCESS, aclrtCreateEvent(&x));
	expect(ACL_SUCCESS, aclrtCreateEvent(&y));
	expect(ACL_SUCCESS, aclrtGetEventId(x, &id_x));
	expect(ACL_SUCCESS, aclrtGetEventId(y, &id_y));
	assert_int_not_equal(id_x, id_y);
	expect(ACL_SUCCESS, aclrtGetEventAvailNum(&after));
	assert_int_equal(after, before - 2);
	expect(ACL_SUCCESS, aclrtDestroyEvent(x));
	expect(ACL_SUCCESS, aclrtDestroyEvent(y));
}

static void test_all_events(void **state)
{
	static aclrtEvent events[65536];
	size_t n = 0;

	(void)state;
	while (n < LENGTH(events))
		expect(ACL_SUCCESS, aclrtCreateEvent(&events[n++]));
	aclrtEvent more;
	expect(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtCreateEvent(&more));
	while (n > 1)
		expect(ACL_SUCCESS, aclrtDestroyEvent(events[--n]));
	/* The last one goes with the device. */
}

/* ---- Recording and waiting on the host ---- */

static void test_never_recorded(void **state)
{
	aclrtEventStatus status;

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		const aclrtEvent event = make(kind), other = make(kind);
		uint64_t time;
		float ms;

		assert_int_equal(status_of(event),
		                 kind == 2 ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY);
		if (kind == 2) {
			expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtQueryEvent(event, &status));
		} else {
			expect(ACL_SUCCESS, aclrtQueryEvent(event, &status));
			assert_int_equal(status, ACL_EVENT_STATUS_NOT_READY);
		}
		expect(ACL_SUCCESS, aclrtSynchronizeEvent(event));
		expect(ACL_SUCCESS, aclrtSynchronizeEventWithTimeout(event, 1));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(event, 0));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(event, -2));
		expect(ACL_ERROR_RT_INTERNAL_ERROR, aclrtEventElapsedTime(&ms, event, other));
		expect(ACL_ERROR_RT_INTERNAL_ERROR, aclrtEventGetTimestamp(event, &time));
		expect(ACL_SUCCESS, aclrtDestroyEvent(event));
		expect(ACL_SUCCESS, aclrtDestroyEvent(other));
	}
}

static void test_record(void **state)
{
	struct latch latch;
	aclrtEventStatus status;

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		const aclrtEvent event = make(kind);
		uint64_t time;

		block(a, &latch);
		expect(ACL_SUCCESS, aclrtRecordEvent(event, a));
		assert_int_equal(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
		expect(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 10));
		expect(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(event, &time));
		unblock(&latch);
		expect(ACL_SUCCESS, aclrtSynchronizeEvent(event));
		assert_int_equal(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		if (kind != 2) {
			expect(ACL_SUCCESS, aclrtQueryEvent(event, &status));
			assert_int_equal(status, ACL_EVENT_STATUS_COMPLETE);
		}
		expect(ACL_SUCCESS, aclrtEventGetTimestamp(event, &time));
		/* A later record replaces it. */
		block(a, &latch);
		expect(ACL_SUCCESS, aclrtRecordEvent(event, a));
		assert_int_equal(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
		unblock(&latch);
		expect(ACL_SUCCESS, aclrtSynchronizeEventWithTimeout(event, 20000));
		assert_int_equal(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		expect(ACL_SUCCESS, aclrtRecordEvent(event, NULL));
		expect(ACL_SUCCESS, aclrtRecordEventWithFlag(event, b, ACL_EVENT_RECORD_DEFAULT));
		expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtRecordEventWithFlag(event, b, ACL_EVENT_RECORD_EXTERNAL));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(event, b, 2));
		expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	}
}

/* ---- Streams that wait ---- */

static void test_wait_orders_streams(void **state)
{
	struct latch latch;

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		const aclrtEvent event = make(kind);
		aclrtEventWaitStatus wait;
		atomic_bool passed = false;

		block(a, &latch);
		expect(ACL_SUCCESS, aclrtRecordEvent(event, a));
		expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, event));
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(b, set_flag, &passed));
		/* What is recorded later, here by an idle stream, is no concern of who waits already. */
		expect(ACL_SUCCESS, aclrtRecordEvent(event, NULL));
		expect(ACL_SUCCESS, aclrtSynchronizeEvent(event));
		expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(b, 20));
		assert_false(atomic_load(&passed));
		if (kind == 2) {
			expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtQueryEventWaitStatus(event, &wait));
		} else {
			expect(ACL_SUCCESS, aclrtQueryEventWaitStatus(event, &wait));
			assert_int_equal(wait, ACL_EVENT_WAIT_STATUS_NOT_READY);
		}
		/* The event may go before it is reached. */
		if (kind == 1)
			expect(ACL_SUCCESS, aclrtDestroyEvent(event));
		unblock(&latch);
		expect(ACL_SUCCESS, aclrtSynchronizeStream(b));
		assert_true(atomic_load(&passed));
		if (kind == 0) {
			expect(ACL_SUCCESS, aclrtQueryEventWaitStatus(event, &wait));
			assert_int_equal(wait, ACL_EVENT_WAIT_STATUS_COMPLETE);
		}
		if (kind != 1)
			expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	}
}

static void test_wait_for_never_recorded(void **state)
{
	aclrtEvent plain = make(0), flagged = make(1), ex = make(2);
	atomic_bool passed = false;

	(void)state;
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(b, plain));
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, ex));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(b));
	/* The record may come later, also from another stream. */
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, flagged));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(b, set_flag, &passed));
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(b, 20));
	assert_false(atomic_load(&passed));
	assert_int_equal(status_of(flagged), ACL_EVENT_RECORDED_STATUS_NOT_READY);
	expect(ACL_SUCCESS, aclrtSynchronizeEvent(flagged)); /* the host does not wait for what was not recorded */
	expect(ACL_SUCCESS, aclrtRecordEvent(flagged, a));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(b));
	assert_true(atomic_load(&passed));
	expect(ACL_SUCCESS, aclrtDestroyEvent(plain));
	expect(ACL_SUCCESS, aclrtDestroyEvent(flagged));
	expect(ACL_SUCCESS, aclrtDestroyEvent(ex));
}

static void test_wait_needs_sync(void **state)
{
	aclrtEvent flagged, ex;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateEventWithFlag(&flagged, ACL_EVENT_TIME_LINE));
	expect(ACL_SUCCESS, aclrtCreateEventExWithFlag(&ex, ACL_EVENT_CAPTURE_STREAM_PROGRESS));
	for (int recorded = 0; recorded < 2; recorded++) {
		expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtStreamWaitEvent(b, flagged));
		expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtStreamWaitEvent(b, ex));
		expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtStreamWaitEventWithTimeout(b, ex, 1));
		expect(ACL_SUCCESS, aclrtRecordEvent(flagged, a));
		expect(ACL_SUCCESS, aclrtRecordEvent(ex, a));
	}
	expect(ACL_SUCCESS, aclrtDestroyEvent(flagged));
	expect(ACL_SUCCESS, aclrtDestroyEvent(ex));
}

static void test_wait_with_timeout(void **state)
{
	const aclrtEvent event = make(1);
	atomic_bool passed = false;
	struct latch latch;

	(void)state;
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout(b, event, -1));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithFlag(b, event, 1, 2));
	expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtStreamWaitEventWithFlag(b, event, 1, ACL_EVENT_WAIT_EXTERNAL));
	/* Nobody synchronises at first: the stream gives up by itself. */
	expect(ACL_SUCCESS, aclrtStreamWaitEventWithTimeout(b, event, 1));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(b, set_flag, &passed));
	const double start = now_ms();
	while (!atomic_load(&passed))
		sleep_ms(1);
	assert_true(now_ms() - start >= 900);
	expect(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(b));
	/* Somebody does. */
	expect(ACL_SUCCESS, aclrtStreamWaitEventWithFlag(b, event, 1, ACL_EVENT_WAIT_DEFAULT));
	expect(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(b));
	/* It comes in time; 0 is for ever. */
	block(a, &latch);
	expect(ACL_SUCCESS, aclrtRecordEvent(event, a));
	expect(ACL_SUCCESS, aclrtStreamWaitEventWithTimeout(b, event, 3600));
	expect(ACL_SUCCESS, aclrtStreamWaitEventWithTimeout(b, event, 0));
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(b, 10));
	unblock(&latch);
	expect(ACL_SUCCESS, aclrtSynchronizeStream(b));
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
}

static void test_reset(void **state)
{
	aclrtEvent plain = make(0), flagged = make(1), ex = make(2), time_only;
	aclrtEventStatus status;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateEventWithFlag(&time_only, ACL_EVENT_TIME_LINE));
	expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtResetEvent(plain, a));
	expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtResetEvent(ex, a));
	expect(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtResetEvent(time_only, a));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtResetEvent(flagged, flagged));
	/* A ping-pong of two streams, each round with a record, a wait and a reset. */
	for (int i = 0; i < 100; i++) {
		atomic_bool passed = false;

		expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, flagged));
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(b, set_flag, &passed));
		assert_false(atomic_load(&passed));
		expect(ACL_SUCCESS, aclrtRecordEvent(flagged, a));
		expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, flagged));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(b));
		assert_true(atomic_load(&passed));
		expect(ACL_SUCCESS, aclrtResetEvent(flagged, b));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(b));
		expect(ACL_SUCCESS, aclrtQueryEvent(flagged, &status));
		assert_int_equal(status, ACL_EVENT_STATUS_NOT_READY);
	}
	expect(ACL_SUCCESS, aclrtDestroyEvent(plain));
	expect(ACL_SUCCESS, aclrtDestroyEvent(flagged));
	expect(ACL_SUCCESS, aclrtDestroyEvent(ex));
	expect(ACL_SUCCESS, aclrtDestroyEvent(time_only));
}

/* ---- What goes while somebody waits ---- */

static void test_destroyed_promise(void **state)
{
	const aclrtEvent event = make(1);

	(void)state;
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, event));
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(b, 10));
	expect(ACL_SUCCESS, aclrtDestroyEvent(event)); /* no record can come any more */
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(b, 20000));
}

static void test_dropped_record(void **state)
{
	const aclrtEvent event = make(0), forever = make(1);
	aclrtStream stream;
	uint64_t time;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(stream, forever));
	expect(ACL_SUCCESS, aclrtRecordEvent(event, stream));
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, event));
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(b, 10));
	expect(ACL_SUCCESS, aclrtDestroyStreamForce(stream));
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(b, 20000));
	expect(ACL_SUCCESS, aclrtSynchronizeEvent(event));
	expect(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(event, &time));
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	expect(ACL_SUCCESS, aclrtDestroyEvent(forever));
}

static void test_destroyed_recorder(void **state)
{
	const aclrtEvent event = make(0);
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtRecordEvent(event, stream));
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	assert_int_equal(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
	expect(ACL_SUCCESS, aclrtSynchronizeEvent(event));
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(b, event));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(b));
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
}

/* Whoever leaves an event to the device finds it gone. */
static void test_events_go_with_device(void **state)
{
	aclrtEvent event;

	(void)state;
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtCreateEvent(&event));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyEvent(event));
}

/* ---- Time ---- */

static void sleep_20(void *unused)
{
	(void)unused;
	sleep_ms(20);
}

static void test_time(void **state)
{
	uint64_t t_start, t_end;
	float ms = 0;

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		const aclrtEvent start = make(kind), end = make(kind);

		expect(ACL_SUCCESS, aclrtRecordEvent(start, a));
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(a, sleep_20, NULL));
		expect(ACL_SUCCESS, aclrtRecordEvent(end, a));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(a));
		expect(ACL_SUCCESS, aclrtEventElapsedTime(&ms, start, end));
		assert_true(ms >= 20 && ms < 20000);
		expect(ACL_SUCCESS, aclrtEventGetTimestamp(start, &t_start));
		expect(ACL_SUCCESS, aclrtEventGetTimestamp(end, &t_end));
		assert_true(t_end - t_start >= 19999);
		expect(ACL_SUCCESS, aclrtEventElapsedTime(&ms, end, start));
		assert_true(ms <= -20);
		expect(ACL_SUCCESS, aclrtEventElapsedTime(&ms, start, start));
		assert_true(ms <= 0 && ms >= 0);
		expect(ACL_SUCCESS, aclrtDestroyEvent(start));
		expect(ACL_SUCCESS, aclrtDestroyEvent(end));
	}
}

static void test_time_needs_flag(void **state)
{
	aclrtEvent flagged, ex, timed = make(0);
	uint64_t time;
	float ms;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
	expect(ACL_SUCCESS, aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC));
	expect(ACL_SUCCESS, aclrtRecordEvent(flagged, a));
	expect(ACL_SUCCESS, aclrtRecordEvent(ex, a));
	expect(ACL_SUCCESS, aclrtRecordEvent(timed, a));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(a));
	expect(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(flagged, &time));
	expect(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(ex, &time));
	expect(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, timed, flagged));
	expect(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, ex, timed));
	expect(ACL_SUCCESS, aclrtDestroyEvent(flagged));
	expect(ACL_SUCCESS, aclrtDestroyEvent(ex));
	expect(ACL_SUCCESS, aclrtDestroyEvent(timed));
}

/* ---- Many threads ---- */

enum { THREADS = 8 };

static aclrtEvent shared_events[4];

static void *hammer(void *seed)
{
	unsigned state = (unsigned)(uintptr_t)seed * 2654435761u + 1;
	aclrtEventRecordedStatus recorded;
	aclrtStream mine;

	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtCreateStream(&mine));
	for (int i = 0; i < 2000; i++) {
		state = state * 1664525u + 1013904223u;
		const aclrtEvent event = shared_events[state >> 30];
		const aclrtStream stream = state & 0x10000 ? mine : a;
		aclrtEvent brief;

		switch (state >> 26 & 7) {
		case 0:
		case 1:
			expect(ACL_SUCCESS, aclrtRecordEvent(event, stream));
			break;
		case 2:
		case 3:
			expect(ACL_SUCCESS, aclrtStreamWaitEvent(stream, event));
			break;
		case 4:
			expect(ACL_SUCCESS, aclrtSynchronizeEvent(event));
			break;
		case 5:
			expect(ACL_SUCCESS, aclrtQueryEventStatus(event, &recorded));
			break;
		case 6:
			brief = make((int)(state >> 16 & 1));
			expect(ACL_SUCCESS, aclrtRecordEvent(brief, stream));
			expect(ACL_SUCCESS, aclrtStreamWaitEvent(mine, brief));
			expect(ACL_SUCCESS, aclrtDestroyEvent(brief));
			break;
		default:
			expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
		}
	}
	expect(ACL_SUCCESS, aclrtDestroyStream(mine));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	for (size_t i = 0; i < LENGTH(shared_events); i++) {
		shared_events[i] = make((int)(i % KINDS));
		expect(ACL_SUCCESS, aclrtRecordEvent(shared_events[i], a));
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer, (void *)i), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < LENGTH(shared_events); i++)
		expect(ACL_SUCCESS, aclrtDestroyEvent(shared_events[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_context),
		cmocka_unit_test_setup_teardown(test_flags, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_handles, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_all_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_never_recorded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_record, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wait_orders_streams, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wait_for_never_recorded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wait_needs_sync, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wait_with_timeout, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_reset, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_destroyed_promise, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dropped_record, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_destroyed_recorder, set_up, tear_down),
		cmocka_unit_test(test_events_go_with_device),
		cmocka_unit_test_setup_teardown(test_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_time_needs_flag, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("acl_event", tests, NULL, NULL);
}
