/*
 * test_acl_copies.c - copies in batches, copies by addresses in device memory, queued words, kinds of memory
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "acl_case.h"

#define COPIES 3
#define WORDS  16

static const size_t lengths[COPIES] = { 4 * sizeof(uint32_t), 7 * sizeof(uint32_t), 11 * sizeof(uint32_t) };

/* Three buffers of each kind. */
static struct {
	void *in[COPIES], *out[COPIES], *device[COPIES];
	size_t sizes[COPIES];
} area;

static const aclrtMemcpyBatchAttr to_device = { .dstLoc = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
	                                        .srcLoc = { 0, ACL_MEM_LOCATION_TYPE_HOST } };
static const aclrtMemcpyBatchAttr to_host = { .dstLoc = { 0, ACL_MEM_LOCATION_TYPE_HOST },
	                                      .srcLoc = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };

static int set_up(void **state)
{
	if (set_device(state) != 0)
		return -1;
	for (size_t i = 0; i < COPIES; i++) {
		area.sizes[i] = lengths[i];
		expect(ACL_SUCCESS, aclrtMallocHost(&area.in[i], lengths[i]));
		expect(ACL_SUCCESS, aclrtMallocHost(&area.out[i], lengths[i]));
		expect(ACL_SUCCESS, aclrtMalloc(&area.device[i], lengths[i], ACL_MEM_MALLOC_HUGE_FIRST));
		memset(area.in[i], 'a' + (int)i, lengths[i]);
		memset(area.out[i], 0, lengths[i]);
	}
	return 0;
}

static int tear_down(void **state)
{
	for (size_t i = 0; i < COPIES; i++) {
		expect(ACL_SUCCESS, aclrtFreeHost(area.in[i]));
		expect(ACL_SUCCESS, aclrtFreeHost(area.out[i]));
		expect(ACL_SUCCESS, aclrtFree(area.device[i]));
	}
	return reset_device(state);
}

static void check_round_trip(void)
{
	for (size_t i = 0; i < COPIES; i++) {
		assert_memory_equal(area.out[i], area.in[i], lengths[i]);
		memset(area.out[i], 0, lengths[i]);
	}
}

static void test_batches(void **state)
{
	aclrtMemcpyBatchAttr up = to_device, down = to_host;
	size_t first = 0, failed = 0;
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	expect(ACL_SUCCESS,
	       aclrtMemcpyBatch(area.device, area.sizes, area.in, area.sizes, COPIES, &up, &first, 1, &failed));
	assert_true(failed == SIZE_MAX);
	expect(ACL_SUCCESS,
	       aclrtMemcpyBatchV2(area.out, area.sizes, area.device, area.sizes, COPIES, &down, &first, 1));
	check_round_trip();
	failed = 0;
	expect(ACL_SUCCESS, aclrtMemcpyBatchAsync(area.device, area.sizes, area.in, area.sizes, COPIES, &up, &first, 1,
	                                          &failed, stream));
	assert_true(failed == SIZE_MAX);
	expect(ACL_SUCCESS, aclrtMemcpyBatchAsyncV2(area.out, area.sizes, area.device, area.sizes, COPIES, &down,
	                                            &first, 1, stream));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	check_round_trip();
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

/* Each attribute is for the copies from its index on; the first copy that is refused has the blame. */
static void test_attributes(void **state)
{
	aclrtMemcpyBatchAttr attrs[2] = { to_device, to_host };
	size_t firsts[2] = { 0, 1 }, failed = 0;
	void *dsts[COPIES] = { area.device[0], area.out[1], area.out[2] };
	void *srcs[COPIES] = { area.in[0], area.device[1], area.device[2] };
	size_t rooms[COPIES];

	(void)state;
	memset(area.device[1], 'x', lengths[1]);
	memset(area.device[2], 'y', lengths[2]);
	expect(ACL_SUCCESS, aclrtMemcpyBatch(dsts, area.sizes, srcs, area.sizes, COPIES, attrs, firsts, 2, &failed));
	assert_true(failed == SIZE_MAX);
	assert_memory_equal(area.device[0], area.in[0], lengths[0]);
	assert_memory_equal(area.out[1], area.device[1], lengths[1]);
	assert_memory_equal(area.out[2], area.device[2], lengths[2]);

	memset(area.out[2], 0, lengths[2]);
	memcpy(rooms, area.sizes, sizeof(rooms));
	rooms[1]--;
	expect(ACL_ERROR_RT_PARAM_INVALID,
	       aclrtMemcpyBatch(dsts, rooms, srcs, area.sizes, COPIES, attrs, firsts, 2, &failed));
	assert_int_equal(failed, 1);
	assert_int_equal(*(char *)area.out[2], 0); /* nothing behind it */
	firsts[1] = 2;                             /* copy 1 is now one to the device */
	expect(ACL_ERROR_RT_PARAM_INVALID,
	       aclrtMemcpyBatch(dsts, area.sizes, srcs, area.sizes, COPIES, attrs, firsts, 2, &failed));
	assert_int_equal(failed, 1);
	expect(ACL_ERROR_RT_PARAM_INVALID,
	       aclrtMemcpyBatchV2(dsts, area.sizes, srcs, area.sizes, COPIES, attrs, firsts, 2));
}

static void test_batches_that_do_not_fit(void **state)
{
	aclrtMemcpyBatchAttr attrs[2] = { to_device, to_device };
	size_t firsts[2] = { 0, 1 }, failed, *const n = area.sizes;
	void **const d = area.device, **const s = area.in;

	(void)state;
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(NULL, n, s, n, COPIES, attrs, firsts, 1, &failed));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(d, NULL, s, n, COPIES, attrs, firsts, 1, &failed));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(d, n, NULL, n, COPIES, attrs, firsts, 1, &failed));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(d, n, s, NULL, COPIES, attrs, firsts, 1, &failed));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(d, n, s, n, COPIES, NULL, firsts, 1, &failed));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(d, n, s, n, COPIES, attrs, NULL, 1, &failed));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(d, n, s, n, COPIES, attrs, firsts, 1, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatchAsync(d, n, s, n, COPIES, attrs, firsts, 1, NULL, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(d, n, s, n, 0, attrs, firsts, 1, &failed));
	assert_true(failed == SIZE_MAX);
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatchV2(d, n, s, n, COPIES, attrs, firsts, 0));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatchV2(d, n, s, n, 1, attrs, firsts, 2));
	firsts[0] = 1;
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatchV2(d, n, s, n, COPIES, attrs, firsts, 1));
	firsts[0] = firsts[1] = 0;
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatchV2(d, n, s, n, COPIES, attrs, firsts, 2));
	firsts[1] = COPIES;
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatchV2(d, n, s, n, COPIES, attrs, firsts, 2));
	attrs[0].srcLoc.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatchV2(d, n, s, n, COPIES, attrs, firsts, 1));
}

/* The addresses lie in device memory, and count when the copy runs. */
static void test_offsets(void **state)
{
	const size_t bytes = WORDS * sizeof(uint32_t);
	uint32_t *from, *to;
	void **to_slot;
	const void **from_slot;

	(void)state;
	expect(ACL_SUCCESS, aclrtMalloc((void **)&from, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtMalloc((void **)&to, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtMalloc((void **)&to_slot, sizeof(void *), ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtMalloc((void **)&from_slot, sizeof(void *), ACL_MEM_MALLOC_HUGE_FIRST));
	for (uint32_t i = 0; i < WORDS; i++)
		from[i] = 100 + i;
	*to_slot = to, *from_slot = from;
	expect(ACL_SUCCESS, aclrtMemsetD32Async(to, bytes, 0xDEADBEEF, WORDS, NULL));
	expect(ACL_SUCCESS, aclrtMemcpyAsyncWithOffset(to_slot, bytes, 5 * 4, from_slot, 6 * 4, 3 * 4,
	                                               ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
	for (uint32_t i = 0; i < WORDS; i++)
		assert_int_equal(to[i], i >= 5 && i < 11 ? 100 + i - 2 : 0xDEADBEEF);

#define WITH_OFFSET(room, at, count, begin, kind)                                                                      \
	aclrtMemcpyAsyncWithOffset(to_slot, room, at, from_slot, count, begin, kind, NULL)
	const aclrtMemcpyKind inner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
	expect(ACL_SUCCESS, WITH_OFFSET(0, 0, 0, 0, ACL_MEMCPY_HOST_TO_HOST)); /* nothing to do */
	expect(ACL_ERROR_INVALID_PARAM, WITH_OFFSET(bytes, 0, 4, 0, ACL_MEMCPY_DEVICE_TO_DEVICE));
	expect(ACL_ERROR_RT_PARAM_INVALID, WITH_OFFSET(8, 8, 4, 0, inner));
	expect(ACL_ERROR_RT_PARAM_INVALID, WITH_OFFSET(8, 9, 4, 0, inner));
	expect(ACL_ERROR_RT_PARAM_INVALID, WITH_OFFSET(bytes, 0, 4, SIZE_MAX - 3, inner));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithOffset(NULL, 4, 0, from_slot, 4, 0, inner, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithOffset(to_slot, 4, 0, NULL, 4, 0, inner, NULL));
	expect(ACL_ERROR_RT_PARAM_INVALID, /* a slot of the host */
	       aclrtMemcpyAsyncWithOffset(&(void *){ to }, 4, 0, from_slot, 4, 0, inner, NULL));
	/* what leaves an allocation, or is no device memory, is found when the copy runs */
	expect(ACL_SUCCESS, WITH_OFFSET(2 * bytes + 64, bytes + 60, 8, 0, inner));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(NULL));
	*from_slot = area.in[0];
	expect(ACL_SUCCESS, WITH_OFFSET(bytes, 0, 4, 0, inner));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(NULL));
	expect(ACL_SUCCESS, aclrtFree(from));
	expect(ACL_SUCCESS, aclrtFree(to));
	expect(ACL_SUCCESS, aclrtFree(to_slot));
	expect(ACL_SUCCESS, aclrtFree(from_slot));
}

static void test_queued_words(void **state)
{
	uint32_t *const words = area.in[2];

	(void)state;
	expect(ACL_SUCCESS, aclrtMemsetD32Async(words, lengths[2], 0x01020304, 11, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
	for (int i = 0; i < 11; i++)
		assert_int_equal(words[i], 0x01020304);
	expect(ACL_SUCCESS, aclrtMemsetD32Async(NULL, 0, 0, 0, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32Async(NULL, 8, 0, 2, NULL));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32Async(words, 43, 0, 11, NULL));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32Async(area.device[0], SIZE_MAX, 0, SIZE_MAX / 4, NULL));
}

static void test_kinds_of_memory(void **state)
{
	void *mixed[2] = { area.device[0], area.in[0] };
	uint32_t result = 7;

	(void)state;
	expect(ACL_SUCCESS, aclrtCheckMemType(area.device, COPIES, ACL_RT_MEM_TYPE_DEV, &result, 0));
	assert_int_equal(result, 1);
	expect(ACL_SUCCESS, aclrtCheckMemType(mixed, 2, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP, &result, 0));
	assert_int_equal(result, 0);
	expect(ACL_SUCCESS, aclrtCheckMemType(mixed, 1, ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD, &result, 0));
	assert_int_equal(result, 0);
	expect(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType(NULL, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
	expect(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType(mixed, 1, ACL_RT_MEM_TYPE_DEV, NULL, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 0, ACL_RT_MEM_TYPE_DEV, &result, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 1, 0, &result, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 1, 0x4, &result, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtCheckMemType(mixed, 1, ACL_RT_MEM_TYPE_DEV, &result, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_batches, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_attributes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_batches_that_do_not_fit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_offsets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_queued_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kinds_of_memory, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("acl_copies", tests, NULL, NULL);
}
