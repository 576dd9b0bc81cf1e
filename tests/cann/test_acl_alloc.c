/*
 * test_acl_alloc.c - the runtime without memory, and memory over many rounds
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each call is tried with no allocation granted, then one, two and so on until it succeeds. Whenever it fails it says
 * ACL_ERROR_RT_MEMORY_ALLOCATION, and when it has failed often enough in the same way it holds no more than before.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl_case.h"
#include "cann/acl/queue.h"
#include "cann/acl/stream.h"

/* ---- The allocator as the tests want it ---- */

static atomic_int allowed = INT_MAX; /* allocations that still succeed */
static atomic_int held, attempts;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__real_tsearch(const void *key, void **root, int (*compare)(const void *, const void *));

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);
void *__wrap_tsearch(const void *key, void **root, int (*compare)(const void *, const void *));

static bool grant(void)
{
	atomic_fetch_add(&attempts, 1);
	return atomic_fetch_sub(&allowed, 1) > 0;
}

static void *got(void *p)
{
	atomic_fetch_add(&held, p != NULL);
	return p;
}

void *__wrap_malloc(size_t size)
{
	return grant() ? got(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return grant() ? got(__real_calloc(count, size)) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return grant() ? got(__real_aligned_alloc(alignment, size)) : NULL;
}

void __wrap_free(void *p)
{
	atomic_fetch_sub(&held, p != NULL);
	__real_free(p);
}

/* Allocates inside the C library, where no wrapper reaches. */
void *__wrap_tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	return grant() ? __real_tsearch(key, root, compare) : NULL;
}

/* ---- Calls ---- */

static aclrtStream stream;
static aclrtEvent event, flagged;
static void *made;

static void nothing(void *unused)
{
	(void)unused;
}

static aclError try_set_device(void)
{
	return aclrtSetDevice(0);
}

static void undo_set_device(void)
{
	expect(ACL_SUCCESS, aclrtResetDevice(0));
}

static aclError try_context(void)
{
	return aclrtCreateContext(&made, 0);
}

static void undo_context(void)
{
	expect(ACL_SUCCESS, aclrtDestroyContext(made));
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
}

static aclError try_stream(void)
{
	return aclrtCreateStream(&made);
}

static void undo_stream(void)
{
	expect(ACL_SUCCESS, aclrtDestroyStream(made));
}

static aclError try_event(void)
{
	return aclrtCreateEvent(&made);
}

static void undo_event(void)
{
	expect(ACL_SUCCESS, aclrtDestroyEvent(made));
}

static aclError try_malloc(void)
{
	return aclrtMalloc(&made, 100, ACL_MEM_MALLOC_HUGE_FIRST);
}

static void undo_malloc(void)
{
	expect(ACL_SUCCESS, aclrtFree(made));
}

static aclError try_malloc_host(void)
{
	return aclrtMallocHost(&made, 100);
}

static void undo_malloc_host(void)
{
	expect(ACL_SUCCESS, aclrtFreeHost(made));
}

static aclError try_host_func(void)
{
	return aclrtLaunchHostFunc(stream, nothing, NULL);
}

static aclError try_record(void)
{
	return aclrtRecordEvent(event, stream);
}

static aclError try_wait(void)
{
	return aclrtStreamWaitEvent(stream, flagged);
}

static void undo_wait(void)
{
	expect(ACL_SUCCESS, aclrtRecordEvent(flagged, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
}

static aclError try_reset_event(void)
{
	return aclrtResetEvent(flagged, stream);
}

static aclError try_subscribe(void)
{
	return aclrtSubscribeReport((uint64_t)pthread_self(), stream);
}

static void undo_subscribe(void)
{
	expect(ACL_SUCCESS, aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
}

static aclError try_callback(void)
{
	return aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream);
}

static void undo_callback(void)
{
	expect(ACL_SUCCESS, aclrtProcessReport(20000));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
}

static aclError try_memset(void)
{
	static char bytes[4];

	return aclrtMemsetAsync(bytes, 4, 0, 4, stream);
}

static aclError try_copy(void)
{
	static char bytes[8];

	return aclrtMemcpyAsync(bytes, 4, bytes + 4, 4, ACL_MEMCPY_DEFAULT, stream);
}

/* ---- The rounds ---- */

static void grant_more_and_more(aclError (*attempt)(void), void (*undo)(void), bool must_fail)
{
	int fails = 0, before = -1;

	for (int tries = 0; tries < 100; tries++) {
		atomic_store(&allowed, fails);
		const aclError code = attempt();
		atomic_store(&allowed, INT_MAX);
		if (code == ACL_SUCCESS)
			break;
		expect(ACL_ERROR_RT_MEMORY_ALLOCATION, code);
		/* What a try keeps for later, room for handles say, the next one finds; soon nothing more is kept. */
		fails += atomic_load(&held) == before;
		before = atomic_load(&held);
		assert_true(tries < 99);
	}
	assert_true(before >= 0 || !must_fail);
	if (undo != NULL)
		undo();
}

/* Before anything else, so that nothing has been kept for reuse. */
static void test_first_calls(void **state)
{
	(void)state;
	grant_more_and_more(try_set_device, undo_set_device, true);
	grant_more_and_more(try_context, undo_context, true);
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	grant_more_and_more(try_stream, undo_stream, true);
	grant_more_and_more(try_event, undo_event, true);
	grant_more_and_more(try_malloc, undo_malloc, true);
	grant_more_and_more(try_malloc_host, undo_malloc_host, true);
	expect(ACL_SUCCESS, aclrtCreateEvent(&event));
	expect(ACL_SUCCESS, aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
	struct {
		aclError (*attempt)(void);
		void (*undo)(void);
	} const calls[] = {
		{ try_host_func, NULL },
		{ try_record, NULL },
		{ try_wait, undo_wait },
		{ try_reset_event, NULL },
		{ try_subscribe, undo_subscribe },
		{ try_memset, NULL },
		{ try_copy, NULL },
	};
	for (size_t i = 0; i < LENGTH(calls); i++) {
		/* A fresh stream has no room for tasks yet. */
		expect(ACL_SUCCESS, aclrtCreateStream(&stream));
		grant_more_and_more(calls[i].attempt, calls[i].undo, calls[i].attempt != try_reset_event);
		expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	}
	/* The second task of a callback finds no room when the first one has taken the last. */
	for (int tasks = 0; tasks < 60; tasks++) {
		expect(ACL_SUCCESS, aclrtCreateStream(&stream));
		expect(ACL_SUCCESS, aclrtSubscribeReport((uint64_t)pthread_self(), stream));
		expect(ACL_SUCCESS, aclrtStreamWaitEvent(stream, flagged));
		for (int i = 0; i < tasks; i++)
			expect(ACL_SUCCESS, aclrtRecordEvent(event, stream));
		grant_more_and_more(try_callback, NULL, true);
		expect(ACL_SUCCESS, aclrtRecordEvent(flagged, NULL));
		undo_callback();
		expect(ACL_SUCCESS, aclrtResetEvent(flagged, NULL));
		undo_subscribe();
		expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	}
	expect(ACL_SUCCESS, aclrtDestroyEvent(event));
	expect(ACL_SUCCESS, aclrtDestroyEvent(flagged));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
}

static void test_init(void **state)
{
	char path[] = "/tmp/acl-alloc-XXXXXX";
	const int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(write(file, "{\"a\":1}", 7), 7);
	close(file);
	atomic_store(&allowed, 0);
	const aclError code = aclInit(path);
	atomic_store(&allowed, INT_MAX);
	expect(ACL_ERROR_RT_MEMORY_ALLOCATION, code);
	expect(ACL_SUCCESS, aclInit(path));
	expect(ACL_SUCCESS, aclFinalize());
	unlink(path);
}

/* ---- Nothing grows, and a stream in use allocates nothing ---- */

static void everything_once(void)
{
	aclrtContext context;
	aclrtEvent e;
	void *p, *q;

	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtCreateContext(&context, 0));
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtCreateEvent(&e));
	expect(ACL_SUCCESS, aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtMallocHost(&q, 64));
	expect(ACL_SUCCESS, aclrtMemcpyAsync(p, 64, q, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	expect(ACL_SUCCESS, aclrtRecordEvent(e, stream));
	expect(ACL_SUCCESS, aclrtStreamWaitEvent(NULL, e));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, nothing, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeDevice());
	expect(ACL_SUCCESS, aclrtFreeHost(q));
	expect(ACL_SUCCESS, aclrtDestroyContext(context));
	/* The rest goes with the device. */
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
}

static void test_nothing_grows(void **state)
{
	(void)state;
	everything_once();
	const int before = atomic_load(&held);
	for (int i = 0; i < 300; i++)
		everything_once();
	assert_int_equal(atomic_load(&held), before);
}

static void test_steady_state(void **state)
{
	aclrtEvent e;
	void *p;

	(void)state;
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS, aclrtCreateEvent(&e));
	expect(ACL_SUCCESS, aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	for (int round = 0; round < 3; round++) {
		const int before = atomic_load(&attempts);

		for (int i = 0; i < 1000; i++) {
			for (int j = 0; j < 10; j++)
				expect(ACL_SUCCESS, aclrtMemsetAsync(p, 64, 1, 64, stream));
			expect(ACL_SUCCESS, aclrtRecordEvent(e, stream));
			expect(ACL_SUCCESS, aclrtStreamWaitEvent(NULL, e));
			expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, nothing, NULL));
			expect(ACL_SUCCESS, aclrtSynchronizeDevice());
		}
		if (round > 0)
			assert_int_equal(atomic_load(&attempts), before);
	}
	expect(ACL_SUCCESS, aclrtDestroyEvent(e));
	expect(ACL_SUCCESS, aclrtFree(p));
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
}

/* A queue of steady length, which wanders through its blocks. */
static void test_queue(void **state)
{
	rstd__queue queue = { 0 };
	int64_t pushed = 0, popped = 0;
	int before = 0;

	(void)state;
	while (popped < 10000) {
		if (pushed < popped + 100) {
			rstd__task *const task = rstd__queue_push(&queue);

			assert_non_null(task);
			task->patience = pushed++;
			continue;
		}
		assert_int_equal(rstd__queue_front(&queue)->patience, popped++);
		rstd__queue_pop(&queue);
		if (popped == 100)
			before = atomic_load(&attempts);
	}
	assert_int_equal(atomic_load(&attempts), before);
	for (; popped < pushed; popped++) {
		assert_int_equal(rstd__queue_front(&queue)->patience, popped);
		rstd__queue_pop(&queue);
	}
	assert_null(rstd__queue_front(&queue));
	before = atomic_load(&held);
	rstd__queue_free(&queue);
	assert_true(atomic_load(&held) < before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_calls),  cmocka_unit_test(test_init),  cmocka_unit_test(test_nothing_grows),
		cmocka_unit_test(test_steady_state), cmocka_unit_test(test_queue),
	};

	return cmocka_run_group_tests_name("acl_alloc", tests, NULL, NULL);
}
