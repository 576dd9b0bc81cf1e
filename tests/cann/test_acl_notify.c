/*
 * test_acl_notify.c - notifies: pairs of records and waits, in either order, and what ends before its time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "acl_case.h"

/* What host functions of two streams write down, one after another. */
struct trace {
	atomic_uint length;
	char letters[64];
};

struct entry {
	struct trace *trace;
	char letter;
	int pause; /* milliseconds before it is written */
};

static void write_down(void *argument)
{
	struct entry *const e = argument;

	sleep_ms(e->pause);
	e->trace->letters[atomic_fetch_add(&e->trace->length, 1)] = e->letter;
}

static aclrtStream one, two;
static aclrtNotify notify;

static int set_up(void **state)
{
	if (set_device(state) != 0)
		return -1;
	expect(ACL_SUCCESS, aclrtCreateStream(&one));
	expect(ACL_SUCCESS, aclrtCreateStream(&two));
	expect(ACL_SUCCESS, aclrtCreateNotify(&notify, 0));
	return 0;
}

static int tear_down(void **state)
{
	expect(ACL_SUCCESS, aclrtDestroyStream(one));
	expect(ACL_SUCCESS, aclrtDestroyStream(two));
	return reset_device(state);
}

static void settle(void)
{
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(one, 10000));
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(two, 10000));
}

/* Ping, pong: each stream waits for the other, and the bit is clear again after every wait. */
static void test_turns(void **state)
{
	enum { ROUNDS = 8 };
	struct trace trace = { 0 };
	struct entry ping = { &trace, 'a', 2 }, pong = { &trace, 'b', 0 };
	aclrtNotify back;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateNotify(&back, 1));
	for (int i = 0; i < ROUNDS; i++) {
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(one, write_down, &ping));
		expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
		expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 0));
		expect(ACL_SUCCESS, aclrtLaunchHostFunc(two, write_down, &pong));
		expect(ACL_SUCCESS, aclrtRecordNotify(back, two));
		expect(ACL_SUCCESS, aclrtWaitAndResetNotify(back, one, 10000));
	}
	settle();
	for (int i = 0; i < 2 * ROUNDS; i++)
		assert_int_equal(trace.letters[i], i % 2 ? 'b' : 'a');
	expect(ACL_SUCCESS, aclrtDestroyNotify(back));
	expect(ACL_SUCCESS, aclrtDestroyNotify(notify));
}

/* A wait before its record; and one record for two waits lets the older one go on alone. */
static void test_wait_first(void **state)
{
	struct trace trace = { 0 };
	struct entry before = { &trace, 'a', 20 }, after = { &trace, 'b', 0 };
	aclrtStream three;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&three));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 0));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(two, write_down, &after));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, three, 0));
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(two, 10));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(one, write_down, &before));
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
	settle();
	assert_memory_equal(trace.letters, "ab", 2);
	expect(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(three, 10));
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(three, 10000));
	expect(ACL_SUCCESS, aclrtDestroyStream(three));
	expect(ACL_SUCCESS, aclrtDestroyNotify(notify));
}

/* Two records before a wait are one. */
static void test_records_count_once(void **state)
{
	(void)state;
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 0));
	settle();
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 20));
	expect(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStreamWithTimeout(two, 10000));
	/* that wait is over: the next record is for the next wait */
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 0));
	settle();
	/* the first record is enough, whatever holds the second up */
	struct trace trace = { 0 };
	struct entry late = { &trace, 'b', 100 };
	aclrtStream three;
	expect(ACL_SUCCESS, aclrtCreateStream(&three));
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(three, write_down, &late));
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, three));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 0));
	settle();
	assert_int_equal(atomic_load(&trace.length), 0);
	expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(three, 10000));
	expect(ACL_SUCCESS, aclrtDestroyStream(three));
	expect(ACL_SUCCESS, aclrtDestroyNotify(notify));
}

/* One thread waits, another records: mostly of use with a sanitizer. */
static atomic_bool enough;

static void *record_on_and_on(void *unused)
{
	(void)unused;
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	while (!atomic_load(&enough)) {
		expect(ACL_SUCCESS, aclrtRecordNotify(notify, one));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(one));
	}
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t recorder;

	(void)state;
	atomic_store(&enough, false);
	assert_int_equal(pthread_create(&recorder, NULL, record_on_and_on, NULL), 0);
	for (int i = 0; i < 1000; i++) {
		expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 0));
		expect(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(two, 10000));
	}
	atomic_store(&enough, true);
	pthread_join(recorder, NULL);
	expect(ACL_SUCCESS, aclrtDestroyNotify(notify));
}

/* Who waits for a notify, or a stream, that ends is not left waiting. */
static void test_ends(void **state)
{
	aclrtStream three;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&three));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, two, 0));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, three, 0));
	expect(ACL_SUCCESS, aclrtDestroyStreamForce(three)); /* with its wait */
	expect(ACL_SUCCESS, aclrtDestroyNotify(notify));
	settle();
	expect(ACL_SUCCESS, aclrtCreateNotify(&notify, 0));
	expect(ACL_SUCCESS, aclrtRecordNotify(notify, NULL));
	expect(ACL_SUCCESS, aclrtWaitAndResetNotify(notify, NULL, 0));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
}

/* Notifies end with their device, and there is an end to how many there can be. */
static void test_number(void **state)
{
	enum { MOST = 8192 };
	aclrtNotify last = notify, more;
	uint32_t id;

	for (int i = 1; i < MOST; i++)
		expect(ACL_SUCCESS, aclrtCreateNotify(&last, 0));
	expect(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, aclrtCreateNotify(&more, 0));
	reset_device(state);
	set_device(state);
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetNotifyId(notify, &id));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetNotifyId(last, &id));
	expect(ACL_SUCCESS, aclrtCreateNotify(&last, 0));
	expect(ACL_SUCCESS, aclrtGetNotifyId(last, &id));
	expect(ACL_SUCCESS, aclrtCreateStream(&one)); /* for the end of the test */
	expect(ACL_SUCCESS, aclrtCreateStream(&two));
}

static void test_misuse(void **state)
{
	aclrtNotify other = notify;
	uint32_t id, next;

	(void)state;
	expect(ACL_ERROR_INVALID_PARAM, aclrtCreateNotify(NULL, 0));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetNotifyId(notify, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetNotifyId(NULL, &id));
	expect(ACL_SUCCESS, aclrtGetNotifyId(notify, &id));
	expect(ACL_SUCCESS, aclrtCreateNotify(&other, 0));
	expect(ACL_SUCCESS, aclrtGetNotifyId(other, &next));
	assert_int_not_equal(id, next);
	expect(ACL_SUCCESS, aclrtDestroyNotify(other));
	aclrtNotify const dead[] = { other, foreign_handle(), one };
	for (size_t i = 0; i < LENGTH(dead); i++) {
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyNotify(dead[i]));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordNotify(dead[i], one));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtWaitAndResetNotify(dead[i], one, 0));
		expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtGetNotifyId(dead[i], &id));
	}
	expect(ACL_ERROR_INVALID_PARAM, aclrtDestroyNotify(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtRecordNotify(NULL, one));
	expect(ACL_ERROR_INVALID_PARAM, aclrtWaitAndResetNotify(NULL, one, 0));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordNotify(notify, notify));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtWaitAndResetNotify(notify, notify, 0));
	expect(ACL_SUCCESS, aclrtDestroyNotify(notify));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_turns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wait_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_records_count_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_number, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_misuse, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("acl_notify", tests, NULL, NULL);
}
