/*
 * test_acl_stream.c - streams: order, errors of work, waiting, ending, threads, forks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linked with the archive, so that it can push tasks of its own and make threads fail to start.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl_case.h"
#include "cann/acl/error.h"
#include "cann/acl/stream.h"
#include "sanitizers.h"

static atomic_bool no_threads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	return atomic_load(&no_threads) ? EAGAIN : __real_pthread_create(thread, attr, start, arg);
}

/* ---- Tasks of the tests ---- */

/* Work that lasts until somebody opens the latch. */
struct latch {
	atomic_bool entered, open;
};

static void wait_at(void *latch)
{
	struct latch *const l = latch;

	atomic_store(&l->entered, true);
	while (!atomic_load(&l->open))
		sleep_ms(1);
}

static void await_entered(struct latch *l)
{
	while (!atomic_load(&l->entered))
		sleep_ms(1);
}

static void *open_main(void *latch)
{
	struct latch *const l = latch;

	sleep_ms(30);
	atomic_store(&l->open, true);
	return NULL;
}

static pthread_t opener;

/* Opens it a little later. */
static void open_soon(struct latch *l)
{
	assert_int_equal(pthread_create(&opener, NULL, open_main, l), 0);
}

/* A computation, as operators push it. */
struct work {
	atomic_int *runs, *drops;
	aclError code;
	const char *text;
};

static aclError run_work(void *payload)
{
	const struct work *const work = payload;

	atomic_fetch_add(work->runs, 1);
	return work->text != NULL ? rstd__acl_fail(work->code, "%s", work->text) : work->code;
}

static void drop_work(void *payload)
{
	const struct work *const work = payload;

	atomic_fetch_add(work->drops, 1);
}

static const rstd__task_kind work_kind = { .run = run_work, .drop = drop_work, .any_thread = true };

static atomic_int runs, drops;

static aclError push(aclrtStream stream, aclError code, const char *text)
{
	const struct work work = { .runs = &runs, .drops = &drops, .code = code, .text = text };

	return rstd__stream_push(stream, &work_kind, &work, sizeof(work));
}

static void count(void *counter)
{
	atomic_fetch_add((atomic_int *)counter, 1);
}

static int set_up(void **state)
{
	atomic_store(&runs, 0);
	atomic_store(&drops, 0);
	atomic_store(&no_threads, false);
	return set_device(state);
}

/* ---- Coming and going ---- */

static void test_handles(void **state)
{
	aclrtStream a, b;
	aclrtEvent event;
	int32_t id;

	(void)state;
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateStream(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamWithConfig(NULL, 0, 0));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamForce(NULL));
	expect(ACL_SUCCESS, aclrtCreateStream(&a));
	expect(ACL_SUCCESS, aclrtDestroyStream(a));
	expect(ACL_SUCCESS, aclrtCreateStream(&b));
	assert_ptr_not_equal(a, b); /* although it may lie where the other one lay */
	expect(ACL_SUCCESS, aclrtCreateEvent(&event));
	void *const bad[] = { a, event, foreign_handle(), (void *)(uintptr_t)1, (void *)(uintptr_t)UINT64_MAX };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		uint32_t word;
		aclrtStreamStatus status;

		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(bad[i]));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStreamForce(bad[i]));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(bad[i]));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStreamWithTimeout(bad[i], 5));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamQuery(bad[i], &status));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamGetId(bad[i], &id));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamGetPriority(bad[i], &word));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamGetFlags(bad[i], &word));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtSetStreamFailureMode(bad[i], 1));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtStreamAbort(bad[i]));
		expect(ACL_ERROR_RT_INVALID_HANDLE, push(bad[i], ACL_SUCCESS, NULL));
	}
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	expect(ACL_SUCCESS, aclrtDestroyStreamForce(b));
	assert_int_equal(atomic_load(&drops), 0);
}

/* Handles of events with all numbers that handles of streams have: only the kind tells them apart. */
static void test_kinds_of_handles(void **state)
{
	aclrtEvent event;

	(void)state;
	for (int i = 0; i < 200; i++) {
		expect(ACL_SUCCESS, aclrtCreateEvent(&event));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(event));
		expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	}
}

static void test_properties(void **state)
{
	aclrtStream a, b;
	int32_t id_a, id_b, least = -1, greatest = -1;
	uint32_t word, before, after;
	aclrtStreamStatus status;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetStreamAvailableNum(&before));
	expect(ACL_SUCCESS, aclrtCreateStreamWithConfig(&a, 3, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | 0x100));
	expect(ACL_SUCCESS, aclrtCreateStreamWithConfig(&b, 1000, 0));
	expect(ACL_SUCCESS, aclrtGetStreamAvailableNum(&after));
	assert_int_equal(after, before - 2);
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetStreamAvailableNum(NULL));
	expect(ACL_SUCCESS, aclrtDeviceGetStreamPriorityRange(&least, &greatest));
	assert_int_equal(least, 7);
	assert_int_equal(greatest, 0);
	expect(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetStreamPriorityRange(NULL, &greatest));
	expect(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetStreamPriorityRange(&least, NULL));
	expect(ACL_SUCCESS, aclrtStreamGetPriority(a, &word));
	assert_int_equal(word, 3);
	expect(ACL_SUCCESS, aclrtStreamGetPriority(b, &word));
	assert_int_equal(word, 7);
	expect(ACL_ERROR_INVALID_PARAM, aclrtStreamGetPriority(a, NULL));
	expect(ACL_SUCCESS, aclrtStreamGetFlags(a, &word));
	assert_int_equal(word, 3);
	expect(ACL_ERROR_INVALID_PARAM, aclrtStreamGetFlags(a, NULL));
	expect(ACL_SUCCESS, aclrtStreamGetId(a, &id_a));
	expect(ACL_SUCCESS, aclrtStreamGetId(b, &id_b));
	assert_int_not_equal(id_a, id_b);
	expect(ACL_SUCCESS, aclrtStreamGetId(NULL, &id_a));
	expect(ACL_ERROR_INVALID_PARAM, aclrtStreamGetId(a, NULL));
	expect(ACL_SUCCESS, aclrtStreamQuery(a, &status));
	assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
	expect(ACL_ERROR_INVALID_PARAM, aclrtStreamQuery(a, NULL));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(a, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(a, -2));
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(a, -1));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(a, 2));
	expect(ACL_SUCCESS, aclrtDestroyStream(a));
	expect(ACL_SUCCESS, aclrtDestroyStream(b));
}

/* There are 2048; the default stream is one. */
static void test_all_streams(void **state)
{
	static aclrtStream streams[2048];
	uint32_t free_streams;
	size_t n = 0;

	(void)state;
	expect(ACL_SUCCESS, aclrtGetStreamAvailableNum(&free_streams));
	assert_int_equal(free_streams, 2047);
	while (n < free_streams)
		expect(ACL_SUCCESS, aclrtCreateStream(&streams[n++]));
	expect(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtCreateStream(&streams[n]));
	while (n > 0)
		expect(ACL_SUCCESS, aclrtDestroyStream(streams[--n]));
}

/* ---- Order ---- */

struct sequence {
	int next;
	bool broken;
};

struct step {
	struct sequence *sequence;
	int number;
};

static aclError run_step(void *payload)
{
	const struct step *const step = payload;

	step->sequence->broken |= step->sequence->next != step->number;
	step->sequence->next = step->number + 1;
	return ACL_SUCCESS;
}

static const rstd__task_kind kinds[] = {
	{ .run = run_step, .any_thread = true },
	{ .run = run_step, .any_thread = false },
};

/* Tasks that any thread may run and tasks of the worker, mixed: all run, one after another, in order. */
static void test_order(void **state)
{
	struct sequence sequence = { 0 };
	aclrtStream stream;
	const int n = 20000;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	for (int i = 0; i < n; i++) {
		const struct step step = { .sequence = &sequence, .number = i };

		expect(ACL_SUCCESS, rstd__stream_push(stream, &kinds[i / 7 % 2], &step, sizeof(step)));
		if (i % 1000 == 0)
			expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	}
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	assert_int_equal(sequence.next, n);
	assert_false(sequence.broken);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

/* Nobody synchronises, yet the work is done. */
static void test_progress_without_waiting(void **state)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	for (int i = 0; i < 3; i++) {
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
		while (atomic_load(&runs) <= i)
			sleep_ms(1);
	}
	while (status != ACL_STREAM_STATUS_COMPLETE) {
		expect(ACL_SUCCESS, aclrtStreamQuery(stream, &status));
		sleep_ms(1);
	}
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

static struct latch meet_a, meet_b;

static void meet_as_a(void *unused)
{
	(void)unused;
	atomic_store(&meet_a.open, true);
	wait_at(&meet_b);
}

static void meet_as_b(void *unused)
{
	(void)unused;
	atomic_store(&meet_b.open, true);
	wait_at(&meet_a);
}

/* Functions of two streams wait for each other. */
static void test_streams_run_at_once(void **state)
{
	aclrtStream a, b;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&a));
	expect(ACL_SUCCESS, aclrtCreateStream(&b));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(a, meet_as_a, NULL));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(b, meet_as_b, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(a, 20000));
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(b, 20000));
	expect(ACL_SUCCESS, aclrtDestroyStream(a));
	expect(ACL_SUCCESS, aclrtDestroyStream(b));
}

static void test_null_stream_is_default(void **state)
{
	struct latch latch = { 0 };
	aclrtStreamStatus status;
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCtxGetCurrentDefaultStream(&stream));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(NULL, wait_at, &latch));
	expect(ACL_SUCCESS, aclrtStreamQuery(stream, &status));
	assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 10));
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(10));
	atomic_store(&latch.open, true);
	expect(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
	expect(ACL_SUCCESS, aclrtStreamQuery(NULL, &status));
	assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
}

/* ---- Waiting ---- */

static void test_timeout(void **state)
{
	struct latch latch = { 0 };
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
	for (int i = 0; i < 100; i++)
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	const double start = now_ms();
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 40));
	assert_true(now_ms() - start >= 39);
	assert_int_equal(atomic_load(&runs), 0);
	open_soon(&latch);
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(stream, 60000));
	assert_int_equal(atomic_load(&runs), 100);
	assert_int_equal(atomic_load(&drops), 100);
	pthread_join(opener, NULL);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

/* For three flags nobody waits. */
static void test_streams_without_waiting(void **state)
{
	static const uint32_t flags[] = { ACL_STREAM_PERSISTENT, ACL_STREAM_DEVICE_USE_ONLY, ACL_STREAM_CPU_SCHEDULE };

	(void)state;
	for (size_t i = 0; i < LENGTH(flags); i++) {
		struct latch latch = { 0 };
		aclrtStream stream;

		expect(ACL_SUCCESS, aclrtCreateStreamWithConfig(&stream, 0, flags[i]));
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
		expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(stream, 1000));
		expect(ACL_SUCCESS, aclrtSynchronizeDevice());
		assert_false(atomic_load(&latch.open));
		atomic_store(&latch.open, true);
		expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	}
}

static void test_destroy_waits(void **state)
{
	struct latch latch = { 0 };
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
	for (int i = 0; i < 1000; i++)
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	open_soon(&latch);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	pthread_join(opener, NULL);
	assert_int_equal(atomic_load(&runs), 1000);
	assert_int_equal(atomic_load(&drops), 1000);
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(stream));
}

static void test_force_drops(void **state)
{
	struct latch latch = { 0 };
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
	for (int i = 0; i < 1000; i++)
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	await_entered(&latch);
	open_soon(&latch);
	expect(ACL_SUCCESS, aclrtDestroyStreamForce(stream));
	pthread_join(opener, NULL);
	assert_int_equal(atomic_load(&runs), 0);
	assert_int_equal(atomic_load(&drops), 1000);
}

static void test_abort_drops(void **state)
{
	struct latch latch = { 0 };
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
	for (int i = 0; i < 10; i++)
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	await_entered(&latch);
	open_soon(&latch);
	expect(ACL_SUCCESS, aclrtStreamAbort(stream));
	pthread_join(opener, NULL);
	assert_int_equal(atomic_load(&runs), 0);
	assert_int_equal(atomic_load(&drops), 10);
	expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	assert_int_equal(atomic_load(&runs), 1);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

static void test_reset_waits_or_drops(void **state)
{
	(void)state;
	for (int force = 0; force < 2; force++) {
		struct latch latch = { 0 };
		aclrtStream stream;

		atomic_store(&runs, 0);
		expect(ACL_SUCCESS, aclrtCreateStream(&stream));
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
		expect(ACL_SUCCESS, push(NULL, ACL_SUCCESS, NULL));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
		await_entered(&latch);
		open_soon(&latch);
		expect(ACL_SUCCESS, force ? aclrtResetDeviceForce(0) : aclrtResetDevice(0));
		pthread_join(opener, NULL);
		assert_int_equal(atomic_load(&runs), force ? 1 : 2);
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(stream));
		expect(ACL_SUCCESS, aclrtSetDevice(0));
	}
}

static aclError codes[8];
static aclrtStream own;

static void call_from_inside(void *unused)
{
	size_t i = 0;

	(void)unused;
	codes[i++] = aclrtSynchronizeStream(own);
	codes[i++] = aclrtDestroyStream(own);
	codes[i++] = aclrtStreamAbort(own);
	codes[i++] = aclrtSynchronizeDevice();
	codes[i++] = aclrtResetDevice(0);
	codes[i++] = push(own, ACL_SUCCESS, NULL);
}

/* A function cannot wait for the stream that runs it, which it is told; it may give it more work. */
static void test_calls_from_inside(void **state)
{
	static const aclError wanted[] = {
		ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID,         ACL_ERROR_RT_PARAM_INVALID,
		ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, ACL_SUCCESS,
	};

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&own));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(own, call_from_inside, NULL));
	while (atomic_load(&runs) == 0)
		sleep_ms(1);
	expect(ACL_SUCCESS, aclrtSynchronizeStream(own));
	for (size_t i = 0; i < LENGTH(wanted); i++)
		assert_int_equal(codes[i], wanted[i]);
	expect(ACL_SUCCESS, aclrtDestroyStream(own));
}

/* ---- Errors of work ---- */

static void test_error_surfaces_once(void **state)
{
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	for (int worker = 0; worker < 2; worker++) {
		atomic_store(&runs, 0);
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
		expect(ACL_SUCCESS, push(stream, 561000, "first: is wrong, must be right"));
		expect(ACL_SUCCESS, push(stream, 561001, "second: is wrong too"));
		expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
		while (worker && atomic_load(&runs) < 4)
			sleep_ms(1);
		assert_int_equal(aclrtSynchronizeStream(stream), 561000);
		assert_string_equal(aclGetRecentErrMsg(), "[561000] first: is wrong, must be right");
		assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 561000);
		assert_int_equal(atomic_load(&runs), 4); /* the rest ran all the same */
		expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	}
	/* An error without a sentence gets one. */
	expect(ACL_SUCCESS, push(stream, 507899, NULL));
	expect(507899, aclrtSynchronizeStream(stream));
	/* It surfaces where the device is waited for, too. */
	expect(ACL_SUCCESS, push(stream, 561000, "third: is wrong"));
	expect(561000, aclrtSynchronizeDevice());
	expect(ACL_SUCCESS, aclrtSynchronizeDevice());
	/* An event does not tell, nor does the end of the stream. */
	expect(ACL_SUCCESS, push(stream, 561000, "fourth: is wrong"));
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

/* A failure of work is not one of the thread that happens to run it. */
static void test_error_is_no_ones_else(void **state)
{
	aclrtStream stream;
	aclrtEvent event;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtCreateEvent(&event));
	for (int i = 0; i < 200; i++) {
		aclrtGetLastError(ACL_RT_THREAD_LEVEL);
		aclGetRecentErrMsg();
		expect(ACL_SUCCESS, push(stream, 561000, "task: fails"));
		expect(ACL_SUCCESS, aclrtRecordEvent(event, stream));
		expect(ACL_SUCCESS, aclrtSynchronizeEvent(event));
		assert_null(aclGetRecentErrMsg());
		assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
		expect(561000, aclrtSynchronizeStream(stream));
	}
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

static void test_stop_on_failure(void **state)
{
	struct latch latch = { 0 };
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
	expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	expect(ACL_SUCCESS, push(stream, 561000, "task: fails"));
	expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	atomic_store(&latch.open, true);
	expect(561000, aclrtSynchronizeStream(stream));
	assert_int_equal(atomic_load(&runs), 2);
	assert_int_equal(atomic_load(&drops), 4);
	/* For good: it takes no more work, and says so again. */
	expect(561000, push(stream, ACL_SUCCESS, NULL));
	expect(561000, aclrtSynchronizeStream(stream));
	assert_int_equal(atomic_load(&drops), 4);
	/* Until the program wants it otherwise. */
	expect(ACL_SUCCESS, aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE));
	expect(561000, aclrtSynchronizeStream(stream));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	assert_int_equal(atomic_load(&runs), 3);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

/* ---- Many threads ---- */

enum { THREADS = 8 };

static aclrtStream shared;

static void *hammer(void *seed)
{
	aclrtStream mine;
	unsigned state = (unsigned)(uintptr_t)seed * 2654435761u + 1;
	atomic_int done = 0;

	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtCreateStream(&mine));
	for (int i = 0; i < 2000; i++) {
		state = state * 1664525u + 1013904223u;
		const aclrtStream stream = state >> 31 ? mine : shared;

		switch (state >> 28 & 7) {
		case 0:
			expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, count, &done));
			break;
		case 1:
		case 2:
			expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
			break;
		case 3: {
			aclrtStream brief;

			expect(ACL_SUCCESS, aclrtCreateStream(&brief));
			expect(ACL_SUCCESS, push(brief, ACL_SUCCESS, NULL));
			expect(ACL_SUCCESS, state & 64 ? aclrtDestroyStream(brief) : aclrtDestroyStreamForce(brief));
			expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(brief));
			break;
		}
		default:
			expect(ACL_SUCCESS, push(stream, ACL_SUCCESS, NULL));
		}
	}
	expect(ACL_SUCCESS, aclrtSynchronizeStream(shared));
	expect(ACL_SUCCESS, aclrtDestroyStream(mine));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&shared));
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer, (void *)i), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	expect(ACL_SUCCESS, aclrtDestroyStream(shared));
}

static atomic_int destroyed;

static void *destroy_shared(void *unused)
{
	(void)unused;
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	for (int i = 0; i < 20; i++)
		push(shared, ACL_SUCCESS, NULL); /* taken until the stream is being destroyed */
	const aclError code = aclrtDestroyStream(shared);
	if (code == ACL_SUCCESS)
		atomic_fetch_add(&destroyed, 1);
	else
		assert_int_equal(code, ACL_ERROR_RT_INVALID_HANDLE);
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	return NULL;
}

/* Of all who destroy one stream at once, one does. */
static void test_destroyed_once(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		pthread_t threads[THREADS];

		atomic_store(&destroyed, 0);
		expect(ACL_SUCCESS, aclrtCreateStream(&shared));
		for (size_t i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, destroy_shared, NULL), 0);
		for (size_t i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		assert_int_equal(atomic_load(&destroyed), 1);
		assert_int_equal(atomic_load(&runs), atomic_load(&drops));
	}
}

/* ---- Without threads ---- */

static void test_no_worker(void **state)
{
	atomic_int done = 0;
	aclrtStream a, b;
	aclrtEvent event;

	(void)state;
	atomic_store(&no_threads, true);
	expect(ACL_SUCCESS, aclrtCreateStream(&a));
	expect(ACL_SUCCESS, aclrtCreateStream(&b));
	expect(ACL_SUCCESS, aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(a, count, &done));
	assert_int_equal(atomic_load(&done), 1); /* done by who appended it */
	/* One stream waits for the other, which is asked for nothing itself. */
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(a, event));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(a, count, &done));
	assert_int_equal(atomic_load(&done), 1);
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(a, 20));
	expect(ACL_SUCCESS, push(b, ACL_SUCCESS, NULL));
	expect(ACL_SUCCESS, aclrtRecordEvent(event, b));
	assert_int_equal(atomic_load(&done), 2);
	expect(ACL_SUCCESS, aclrtSynchronizeStream(a));
	/* A wait with an end ends. */
	expect(ACL_SUCCESS, aclrtResetEvent(event, a));
	expect(ACL_SUCCESS, aclrtStreamWaitEventWithTimeout(a, event, 1));
	expect(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(a));
	/* Threads may come later. */
	atomic_store(&no_threads, false);
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(a, count, &done));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(a));
	assert_int_equal(atomic_load(&done), 3);
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	expect(ACL_SUCCESS, aclrtDestroyStream(a));
	expect(ACL_SUCCESS, aclrtDestroyStream(b));
}

#ifndef UNDER_TSAN

/* ---- Forks ---- */

/* Whether a child, which runs body, ends well within a minute. */
static void fork_and_run(void (*body)(void))
{
	int status;
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(60);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define child_check(condition)                                                                                         \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "child: %s:%d: %s\n", __FILE__, __LINE__, #condition);                         \
			_exit(1);                                                                                      \
		}                                                                                                      \
	} while (0)

static aclrtStream waiting, behind;
static aclrtEvent gate;
static struct latch fork_latch;

static void use_in_child(void)
{
	atomic_int done = 0;
	aclrtStream fresh;

	/* Work that was queued at the fork and had not begun is done. */
	child_check(aclrtSynchronizeStream(behind) == ACL_SUCCESS);
	child_check(atomic_load(&runs) >= 2);
	/* A function that was running is an error, once; what was behind it is done. */
	child_check(aclrtSynchronizeStream(waiting) == ACL_ERROR_RT_DEVICE_TASK_ABORT);
	child_check(atomic_load(&runs) == 3);
	child_check(aclrtSynchronizeStream(waiting) == ACL_SUCCESS);
	/* Old and new streams have threads. */
	child_check(aclrtLaunchHostFunc(waiting, count, &done) == ACL_SUCCESS);
	child_check(aclrtSynchronizeStream(waiting) == ACL_SUCCESS);
	child_check(aclrtCreateStream(&fresh) == ACL_SUCCESS);
	child_check(aclrtLaunchHostFunc(fresh, count, &done) == ACL_SUCCESS);
	child_check(aclrtSynchronizeEvent(gate) == ACL_SUCCESS);
	child_check(aclrtSynchronizeDevice() == ACL_SUCCESS);
	child_check(atomic_load(&done) == 2);
	child_check(aclrtDestroyStream(fresh) == ACL_SUCCESS);
	child_check(aclrtDestroyStream(waiting) == ACL_SUCCESS);
	child_check(aclrtResetDevice(0) == ACL_SUCCESS);
}

/* A child is made while one stream runs a function and another one waits for it. */
static void test_fork(void **state)
{
	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&waiting));
	expect(ACL_SUCCESS, aclrtCreateStream(&behind));
	expect(ACL_SUCCESS, aclrtCreateEvent(&gate));
	atomic_store(&fork_latch.entered, false);
	atomic_store(&fork_latch.open, false);
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(waiting, wait_at, &fork_latch));
	expect(ACL_SUCCESS, aclrtRecordEvent(gate, waiting));
	expect(ACL_SUCCESS, push(waiting, ACL_SUCCESS, NULL));
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(behind, gate));
	expect(ACL_SUCCESS, push(behind, ACL_SUCCESS, NULL));
	expect(ACL_SUCCESS, push(behind, ACL_SUCCESS, NULL));
	await_entered(&fork_latch);
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(behind, 10));
	fork_and_run(use_in_child);
	atomic_store(&fork_latch.open, true);
	expect(ACL_SUCCESS, aclrtSynchronizeDevice());
	assert_int_equal(atomic_load(&runs), 3);
	expect(ACL_SUCCESS, aclrtDestroyEvent(gate));
	expect(ACL_SUCCESS, aclrtDestroyStream(waiting));
	expect(ACL_SUCCESS, aclrtDestroyStream(behind));
}

static struct latch late_latch;
static atomic_bool hold_fork;

static aclError run_late(void *payload)
{
	wait_at(&late_latch);
	return run_work(payload);
}

/*
 * What fork() calls before it copies the process: handlers that were registered first come last, so that the runtime has
 * taken its locks. A task that runs ends now, and its thread waits for the lock of its stream.
 */
static void end_late_task(void)
{
	if (!atomic_load(&hold_fork))
		return;
	atomic_store(&late_latch.open, true);
	while (atomic_load(&drops) == 0)
		sleep_ms(1);
}

static void find_it_done(void)
{
	child_check(aclrtSynchronizeStream(shared) == ACL_SUCCESS);
	child_check(atomic_load(&runs) == 2);
	child_check(atomic_load(&drops) == 2);
	child_check(aclrtDestroyStream(shared) == ACL_SUCCESS);
}

/* A task that has ended when the child is made, but is in its queue still, is not run again there, nor dropped. */
static void test_fork_behind_a_task(void **state)
{
	static const rstd__task_kind late_kind = { .run = run_late, .drop = drop_work, .any_thread = true };
	const struct work work = { .runs = &runs, .drops = &drops, .code = ACL_SUCCESS };

	(void)state;
	atomic_store(&late_latch.entered, false);
	atomic_store(&late_latch.open, false);
	expect(ACL_SUCCESS, aclrtCreateStream(&shared));
	expect(ACL_SUCCESS, rstd__stream_push(shared, &late_kind, &work, sizeof(work)));
	expect(ACL_SUCCESS, push(shared, ACL_SUCCESS, NULL));
	await_entered(&late_latch);
	atomic_store(&hold_fork, true);
	fork_and_run(find_it_done);
	atomic_store(&hold_fork, false);
	expect(ACL_SUCCESS, aclrtSynchronizeStream(shared));
	assert_int_equal(atomic_load(&runs), 2);
	assert_int_equal(atomic_load(&drops), 2);
	expect(ACL_SUCCESS, aclrtDestroyStream(shared));
}

static atomic_bool stop_forking;

static void use_briefly(void)
{
	aclrtStream stream;

	child_check(aclrtSynchronizeStream(shared) == ACL_SUCCESS);
	child_check(aclrtCreateStream(&stream) == ACL_SUCCESS);
	child_check(push(stream, ACL_SUCCESS, NULL) == ACL_SUCCESS);
	child_check(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
	child_check(aclrtDestroyStream(stream) == ACL_SUCCESS);
}

static void *keep_busy(void *unused)
{
	(void)unused;
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	while (!atomic_load(&stop_forking)) {
		void *p;

		expect(ACL_SUCCESS, push(shared, ACL_SUCCESS, NULL));
		expect(ACL_SUCCESS, aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
		expect(ACL_SUCCESS, aclrtMemsetAsync(p, 64, 0, 64, shared));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(shared));
		expect(ACL_SUCCESS, aclrtFree(p));
	}
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	return NULL;
}

/* Children are made at any moment of other threads' calls. */
static void test_forks_at_any_moment(void **state)
{
	pthread_t threads[2];

	(void)state;
#ifdef UNDER_ASAN
	skip(); /* a child hangs where another thread was in the middle of AddressSanitizer's own allocator */
#endif
	atomic_store(&stop_forking, false);
	expect(ACL_SUCCESS, aclrtCreateStream(&shared));
	for (size_t i = 0; i < LENGTH(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, keep_busy, NULL), 0);
	for (int i = 0; i < 50; i++)
		fork_and_run(use_briefly);
	atomic_store(&stop_forking, true);
	for (size_t i = 0; i < LENGTH(threads); i++)
		pthread_join(threads[i], NULL);
	expect(ACL_SUCCESS, aclrtDestroyStream(shared));
}

/* ---- The end of the process ---- */

static void sleep_long(void *unused)
{
	(void)unused;
	sleep_ms(1000000);
}

static void leave_everything(void)
{
	aclrtStream stream;

	alarm(60);
	child_check(aclrtCreateStream(&stream) == ACL_SUCCESS);
	child_check(aclrtLaunchHostFunc(stream, sleep_long, NULL) == ACL_SUCCESS);
	for (int i = 0; i < 100; i++) {
		child_check(push(stream, ACL_SUCCESS, NULL) == ACL_SUCCESS);
		child_check(push(NULL, ACL_SUCCESS, NULL) == ACL_SUCCESS);
	}
	exit(0); /* with destructors */
}

static void test_exit_with_live_streams(void **state)
{
	int status;

	(void)state;
	fflush(stdout);
	const pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* What cmocka has buffered is the parent's to print. */
		if (freopen("/dev/null", "w", stdout) != NULL)
			leave_everything();
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_handles, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_kinds_of_handles, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_properties, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_all_streams, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_order, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_progress_without_waiting, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_streams_run_at_once, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_null_stream_is_default, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_timeout, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_streams_without_waiting, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_destroy_waits, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_force_drops, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_abort_drops, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_reset_waits_or_drops, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_calls_from_inside, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_error_surfaces_once, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_error_is_no_ones_else, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_stop_on_failure, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_threads, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_destroyed_once, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_no_worker, set_up, reset_device),
#ifndef UNDER_TSAN /* which cannot start a thread in a child where the parent has one */
		cmocka_unit_test_setup_teardown(test_fork, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_fork_behind_a_task, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_forks_at_any_moment, set_up, reset_device),
		cmocka_unit_test_setup_teardown(test_exit_with_live_streams, set_up, reset_device),
#endif
	};

#ifndef UNDER_TSAN
	if (pthread_atfork(end_late_task, NULL, NULL) != 0) /* before the runtime does */
		return 1;
#endif
	return cmocka_run_group_tests_name("acl_stream", tests, NULL, NULL);
}
