/*
 * test_acl_callback.c - host functions, callbacks and the threads that serve them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "acl_case.h"

static aclrtStream stream;
static uint64_t self;

static int set_up(void **state)
{
	self = (uint64_t)pthread_self();
	return set_device(state) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS;
}

static int tear_down(void **state)
{
	return aclrtDestroyStream(stream) != ACL_SUCCESS || reset_device(state) != ACL_SUCCESS;
}

/* What a function of the program sees. */
struct call {
	atomic_int count;
	pthread_t thread;
	aclError code;
	int32_t device;
};

static void note(void *call)
{
	struct call *const c = call;

	c->thread = pthread_self();
	c->code = aclrtGetDevice(&c->device);
	atomic_fetch_add(&c->count, 1);
}

/* ---- Host functions ---- */

static void test_host_func(void **state)
{
	struct call call = { .device = -1 };

	(void)state;
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchHostFunc(stream, NULL, &call));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchHostFunc(foreign_handle(), note, &call));
	for (int i = 1; i <= 100; i++) {
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(i % 2 ? stream : NULL, note, &call));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(i % 2 ? stream : NULL));
		assert_int_equal(atomic_load(&call.count), i);
		assert_false(pthread_equal(call.thread, pthread_self())); /* however idle this thread is */
		assert_int_equal(call.code, ACL_SUCCESS);                 /* it has the context of the stream */
		assert_int_equal(call.device, 0);
	}
}

static void fail_inside(void *unused)
{
	(void)unused;
	aclrtFree(NULL);
}

/* What a function does wrong is no failure of the stream. */
static void test_host_func_errors(void **state)
{
	(void)state;
	aclrtGetLastError(ACL_RT_THREAD_LEVEL);
	aclGetRecentErrMsg();
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, fail_inside, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
	assert_null(aclGetRecentErrMsg());
}

static void test_subscribed_stream_takes_no_host_func(void **state)
{
	struct call call = { 0 };

	(void)state;
	expect(ACL_SUCCESS, aclrtSubscribeReport(self, stream));
	expect(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtLaunchHostFunc(stream, note, &call));
	expect(ACL_SUCCESS, aclrtUnSubscribeReport(self, stream));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, note, &call));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	assert_int_equal(atomic_load(&call.count), 1);
}

/* ---- Subscribing ---- */

typedef aclError subscribe(uint64_t, aclrtStream);
typedef aclError process(int32_t);

static const struct {
	subscribe *subscribe, *unsubscribe;
	process *process;
} services[] = {
	{ aclrtSubscribeReport, aclrtUnSubscribeReport, aclrtProcessReport },
	{ aclrtSubscribeHostFunc, aclrtUnSubscribeHostFunc, aclrtProcessHostFunc },
};

static void test_subscribing(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(services); i++) {
		aclrtStream other;

		expect(ACL_SUCCESS, aclrtCreateStream(&other));
		expect(ACL_ERROR_RT_INVALID_HANDLE, services[i].subscribe(self, foreign_handle()));
		expect(ACL_ERROR_RT_INVALID_HANDLE, services[i].unsubscribe(self, foreign_handle()));
		expect(ACL_ERROR_RT_STREAM_SUBSCRIBE, services[i].unsubscribe(self, stream));
		expect(ACL_ERROR_RT_THREAD_SUBSCRIBE, services[i].process(1));
		expect(ACL_SUCCESS, services[i].subscribe(self, stream));
		expect(ACL_ERROR_RT_STREAM_SUBSCRIBE, services[i].subscribe(self, stream));
		expect(ACL_ERROR_RT_STREAM_SUBSCRIBE, services[i].subscribe(self + 1, stream));
		expect(ACL_SUCCESS, services[i].subscribe(self, other)); /* a thread may serve many */
		expect(ACL_ERROR_RT_THREAD_SUBSCRIBE, services[i].unsubscribe(self + 1, stream));
		expect(ACL_ERROR_INVALID_PARAM, services[i].process(0));
		expect(ACL_ERROR_INVALID_PARAM, services[i].process(-2));
		const double start = now_ms();
		expect(ACL_ERROR_RT_REPORT_TIMEOUT, services[i].process(20));
		assert_true(now_ms() - start >= 19);
		expect(ACL_SUCCESS, services[i].unsubscribe(self, stream));
		expect(ACL_ERROR_RT_REPORT_TIMEOUT, services[i].process(1)); /* still the other stream's */
		expect(ACL_SUCCESS, aclrtDestroyStream(other));              /* which ends its subscription */
		expect(ACL_ERROR_RT_THREAD_SUBSCRIBE, services[i].process(1));
		expect(ACL_ERROR_RT_STREAM_SUBSCRIBE, services[i].unsubscribe(self, stream));
	}
	/* The default stream has callbacks, but no operators of models. */
	expect(ACL_SUCCESS, aclrtSubscribeReport(self, NULL));
	expect(ACL_SUCCESS, aclrtUnSubscribeReport(self, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtSubscribeHostFunc(self, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtUnSubscribeHostFunc(self, NULL));
}

/* ---- Callbacks ---- */

static void test_launch_checks(void **state)
{
	struct call call = { 0 };

	(void)state;
	expect(ACL_ERROR_INVALID_PARAM, aclrtLaunchCallback(NULL, &call, (aclrtCallbackBlockType)2, stream));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchCallback(NULL, &call, ACL_CALLBACK_BLOCK, stream));
	expect(ACL_ERROR_RT_STREAM_NO_CB_REG, aclrtLaunchCallback(note, &call, ACL_CALLBACK_BLOCK, stream));
	expect(ACL_ERROR_RT_STREAM_NO_CB_REG, aclrtLaunchCallback(note, &call, ACL_CALLBACK_NO_BLOCK, NULL));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchCallback(note, &call, ACL_CALLBACK_BLOCK, foreign_handle()));
	expect(ACL_SUCCESS, aclrtSubscribeHostFunc(self, stream)); /* the other service is no help */
	expect(ACL_ERROR_RT_STREAM_NO_CB_REG, aclrtLaunchCallback(note, &call, ACL_CALLBACK_BLOCK, stream));
	expect(ACL_SUCCESS, aclrtUnSubscribeHostFunc(self, stream));
}

static void set_flag(void *flag)
{
	atomic_store((atomic_bool *)flag, true);
}

static void test_block_or_not(void **state)
{
	void *byte;

	(void)state;
	expect(ACL_SUCCESS, aclrtMalloc(&byte, 1, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtSubscribeReport(self, stream));
	for (int block = 0; block < 2; block++) {
		struct call call = { 0 };

		expect(ACL_SUCCESS, aclrtMemset(byte, 1, 0, 1));
		expect(ACL_SUCCESS, aclrtLaunchCallback(note, &call, (aclrtCallbackBlockType)block, stream));
		expect(ACL_SUCCESS, aclrtMemsetAsync(byte, 1, 1, 1, stream));
		/* Nobody serves yet: only a callback that blocks stops the stream. */
		expect(block ? ACL_ERROR_RT_STREAM_SYNC_TIMEOUT : ACL_SUCCESS,
		       aclrtSynchronizeStreamWithTimeout(stream, block ? 20 : 20000));
		assert_int_equal(*(unsigned char *)byte, !block);
		assert_int_equal(atomic_load(&call.count), 0);
		expect(ACL_SUCCESS, aclrtProcessReport(20000));
		assert_int_equal(atomic_load(&call.count), 1);
		assert_true(pthread_equal(call.thread, pthread_self()));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
		assert_int_equal(*(unsigned char *)byte, 1);
		expect(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport(1));
	}
	/* All that are due are run at once. */
	struct call call = { 0 };
	for (int i = 0; i < 10; i++)
		expect(ACL_SUCCESS, aclrtLaunchCallback(note, &call, ACL_CALLBACK_NO_BLOCK, stream));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	expect(ACL_SUCCESS, aclrtProcessReport(-1));
	assert_int_equal(atomic_load(&call.count), 10);
	expect(ACL_SUCCESS, aclrtUnSubscribeReport(self, stream));
	expect(ACL_SUCCESS, aclrtFree(byte));
}

/* A subscription that ends lets the stream go on; its callbacks are not run. */
static void test_unsubscribed_before_it_ran(void **state)
{
	struct call call = { 0 };

	(void)state;
	for (int posted = 0; posted < 2; posted++) {
		expect(ACL_SUCCESS, aclrtSubscribeReport(self, stream));
		expect(ACL_SUCCESS, aclrtLaunchCallback(note, &call, ACL_CALLBACK_NO_BLOCK, stream));
		for (int i = 0; i < 3; i++)
			expect(ACL_SUCCESS, aclrtLaunchCallback(note, &call, ACL_CALLBACK_BLOCK, stream));
		if (posted)
			expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 10));
		expect(ACL_SUCCESS, aclrtUnSubscribeReport(self, stream));
		expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(stream, 20000));
		assert_int_equal(atomic_load(&call.count), 0);
	}
	/* So does a stream that is dropped. */
	aclrtStream dropped;
	expect(ACL_SUCCESS, aclrtCreateStream(&dropped));
	expect(ACL_SUCCESS, aclrtSubscribeReport(self, dropped));
	for (int i = 0; i < 3; i++)
		expect(ACL_SUCCESS, aclrtLaunchCallback(note, &call, ACL_CALLBACK_BLOCK, dropped));
	expect(ACL_SUCCESS, aclrtDestroyStreamForce(dropped));
	assert_int_equal(atomic_load(&call.count), 0);
	expect(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(1));
}

/* ---- A thread that serves, as programs have it ---- */

static atomic_bool stop_serving;

static void *serve(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop_serving)) {
		const aclError code = aclrtProcessReport(20);

		assert_true(code == ACL_SUCCESS || code == ACL_ERROR_RT_REPORT_TIMEOUT ||
		            code == ACL_ERROR_RT_THREAD_SUBSCRIBE);
	}
	return NULL;
}

struct ordered {
	int *next;
	int number;
};

static void check_order(void *ordered)
{
	const struct ordered *const o = ordered;

	assert_int_equal(*o->next, o->number);
	(*o->next)++;
}

enum { STREAMS = 4, CALLS = 500 };

static void test_server_thread(void **state)
{
	static struct ordered calls[STREAMS][CALLS];
	aclrtStream streams[STREAMS];
	int next[STREAMS] = { 0 };
	pthread_t server;

	(void)state;
	atomic_store(&stop_serving, false);
	assert_int_equal(pthread_create(&server, NULL, serve, NULL), 0);
	for (size_t s = 0; s < STREAMS; s++) {
		expect(ACL_SUCCESS, aclrtCreateStream(&streams[s]));
		expect(ACL_SUCCESS, aclrtSubscribeReport((uint64_t)server, streams[s]));
	}
	for (int i = 0; i < CALLS; i++) {
		for (size_t s = 0; s < STREAMS; s++) {
			calls[s][i] = (struct ordered){ .next = &next[s], .number = i };
			expect(ACL_SUCCESS, aclrtLaunchCallback(check_order, &calls[s][i],
			                                        (aclrtCallbackBlockType)(i % 3 != 0), streams[s]));
		}
	}
	for (size_t s = 0; s < STREAMS; s++) {
		atomic_bool last = false;

		expect(ACL_SUCCESS, aclrtLaunchCallback(set_flag, &last, ACL_CALLBACK_BLOCK, streams[s]));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(streams[s]));
		assert_true(atomic_load(&last));
		assert_int_equal(next[s], CALLS);
		expect(ACL_SUCCESS, aclrtUnSubscribeReport((uint64_t)server, streams[s]));
		expect(ACL_SUCCESS, aclrtDestroyStream(streams[s]));
	}
	atomic_store(&stop_serving, true);
	pthread_join(server, NULL);
}

static atomic_bool waiting;

static void *wait_for_ever(void *unused)
{
	(void)unused;
	while (!atomic_load(&waiting))
		sleep_ms(1);
	assert_int_equal(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
	return NULL;
}

/* A thread that waits without end for callbacks is let go when nothing can come any more. */
static void test_unsubscribed_while_waiting(void **state)
{
	pthread_t server;

	(void)state;
	atomic_store(&waiting, false);
	assert_int_equal(pthread_create(&server, NULL, wait_for_ever, NULL), 0);
	expect(ACL_SUCCESS, aclrtSubscribeReport((uint64_t)server, stream));
	atomic_store(&waiting, true);
	sleep_ms(20);
	expect(ACL_SUCCESS, aclrtUnSubscribeReport((uint64_t)server, stream));
	pthread_join(server, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_host_func, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_host_func_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_subscribed_stream_takes_no_host_func, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_subscribing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_launch_checks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_block_or_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unsubscribed_before_it_ran, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_server_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unsubscribed_while_waiting, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("acl_callback", tests, NULL, NULL);
}
