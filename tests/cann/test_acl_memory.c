/*
 * test_acl_memory.c - memory: allocating, freeing, copying, setting, and every refusal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "acl_case.h"

static unsigned char *device_a, *device_b, *pinned, plain[4096];

enum { SIZE = 1024 };

static int set_up(void **state)
{
	void *p, *q, *r;

	if (set_device(state) != ACL_SUCCESS || aclrtMalloc(&p, SIZE, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
	    aclrtMalloc(&q, SIZE, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS || aclrtMallocHost(&r, SIZE) != ACL_SUCCESS)
		return -1;
	device_a = p;
	device_b = q;
	pinned = r;
	return 0;
}

static int tear_down(void **state)
{
	return aclrtFree(device_a) != ACL_SUCCESS || aclrtFree(device_b) != ACL_SUCCESS ||
	       aclrtFreeHost(pinned) != ACL_SUCCESS || reset_device(state) != ACL_SUCCESS;
}

/* ---- Allocating and freeing ---- */

static void test_allocating(void **state)
{
	typedef aclError allocate(void **, size_t, aclrtMemMallocPolicy);
	static allocate *const functions[] = { aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached };

	(void)state;
	for (size_t f = 0; f < LENGTH(functions); f++) {
		for (size_t size = 1; size < 200; size++) {
			void *p = NULL;

			expect(ACL_SUCCESS, functions[f](&p, size, (aclrtMemMallocPolicy)(size * 7919)));
			assert_int_equal((uintptr_t)p % 64, 0);
			/* All of the rounded size is there. */
			const size_t rounded = (size + 31) / 32 * 32;
			expect(ACL_SUCCESS, aclrtMemset(p, rounded, 1, rounded));
			expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(p, rounded + 1, 1, rounded + 1));
			expect(ACL_SUCCESS, aclrtFree(p));
			expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(p));
		}
		void *p;
		expect(ACL_ERROR_INVALID_PARAM, functions[f](&p, 0, ACL_MEM_MALLOC_HUGE_FIRST));
		expect(ACL_ERROR_INVALID_PARAM, functions[f](NULL, 5, ACL_MEM_MALLOC_HUGE_FIRST));
		expect(ACL_ERROR_INVALID_PARAM, functions[f](&p, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST));
		expect(ACL_ERROR_INVALID_PARAM, functions[f](&p, SIZE_MAX - 31, ACL_MEM_MALLOC_HUGE_FIRST));
		expect(ACL_ERROR_RT_MEMORY_ALLOCATION, functions[f](&p, SIZE_MAX / 2, ACL_MEM_MALLOC_HUGE_FIRST));
	}
}

static void test_malloc_with_config(void **state)
{
	aclrtMallocAttribute attributes[] = { { .attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = 3 },
		                              { .attr = ACL_RT_MEM_ATTR_DEVICE_ID, .value.deviceId = 0 } };
	aclrtMallocConfig config = { .attrs = attributes, .numAttrs = LENGTH(attributes) };
	void *p;

	(void)state;
	expect(ACL_SUCCESS, aclrtMallocWithCfg(&p, 10, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
	expect(ACL_SUCCESS, aclrtFree(p));
	expect(ACL_SUCCESS, aclrtMallocWithCfg(&p, 10, ACL_MEM_MALLOC_HUGE_FIRST, &config));
	expect(ACL_SUCCESS, aclrtFree(p));
	expect(ACL_SUCCESS, aclrtMallocHostWithCfg(&p, 10, &config));
	expect(ACL_SUCCESS, aclrtFreeHost(p));
	attributes[1].value.deviceId = 1;
	expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMallocWithCfg(&p, 10, ACL_MEM_MALLOC_HUGE_FIRST, &config));
	attributes[1].attr = (aclrtMallocAttrType)4;
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocWithCfg(&p, 10, ACL_MEM_MALLOC_HUGE_FIRST, &config));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocHostWithCfg(&p, 10, &config));
	config.attrs = NULL;
	expect(ACL_ERROR_INVALID_PARAM, aclrtMallocWithCfg(&p, 10, ACL_MEM_MALLOC_HUGE_FIRST, &config));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(&p, 10, &config));
	config.numAttrs = 0;
	expect(ACL_SUCCESS, aclrtMallocHostWithCfg(&p, 10, &config));
	expect(ACL_SUCCESS, aclrtFreeHostWithDevSync(p));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(NULL, 10, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(&p, 0, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMallocHostWithCfg(&p, UINT64_MAX, NULL));
	expect(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocHostWithCfg(&p, UINT64_MAX / 2, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(NULL, 10));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&p, 0));
}

static void test_freeing(void **state)
{
	(void)state;
	void *const not_device[] = { device_a + 1, device_a + 64, pinned, plain, &state, (void *)(uintptr_t)8 };
	for (size_t i = 0; i < LENGTH(not_device); i++) {
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(not_device[i]));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(not_device[i]));
	}
	void *const not_host[] = { pinned + 1, device_a, plain, &state, (void *)(uintptr_t)8 };
	for (size_t i = 0; i < LENGTH(not_host); i++) {
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(not_host[i]));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHostWithDevSync(not_host[i]));
	}
	expect(ACL_ERROR_INVALID_PARAM, aclrtFree(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtFreeWithDevSync(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtFreeHost(NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtFreeHostWithDevSync(NULL));
}

static void test_without_context(void **state)
{
	size_t free_bytes, total;
	void *p;

	(void)state;
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&p, 10, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocHost(&p, 10));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpy(plain, 5, plain + 9, 5, ACL_MEMCPY_HOST_TO_HOST));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpyAsync(plain, 5, plain + 9, 5, ACL_MEMCPY_DEFAULT, NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemset(plain, 5, 0, 5));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemsetAsync(plain, 5, 0, 5, NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemsetD32(plain, 8, 0, 2));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpy2d(plain, 5, plain + 9, 5, 5, 1, ACL_MEMCPY_DEFAULT));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpy2dAsync(plain, 5, plain + 9, 5, 5, 1, ACL_MEMCPY_DEFAULT, NULL));
	expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
	expect(ACL_SUCCESS, aclrtSetDevice(0));
	expect(ACL_SUCCESS, aclrtMallocHost(&p, 10));
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	/* Host memory outlives the device, and needs no context to be freed. */
	memset(p, 1, 10);
	expect(ACL_SUCCESS, aclrtFreeHost(p));
}

/* Freeing needs no context. */
static void *free_elsewhere(void *p)
{
	expect(ACL_SUCCESS, aclrtFree(p));
	return NULL;
}

static void test_free_without_context(void **state)
{
	pthread_t thread;
	void *p;

	(void)state;
	expect(ACL_SUCCESS, aclrtMalloc(&p, 10, ACL_MEM_MALLOC_HUGE_FIRST));
	assert_int_equal(pthread_create(&thread, NULL, free_elsewhere, p), 0);
	pthread_join(thread, NULL);
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(p));
}

/* ---- Copying ---- */

struct direction {
	aclrtMemcpyKind kind;
	bool from_device, to_device;
};

static const struct direction directions[] = {
	{ ACL_MEMCPY_HOST_TO_HOST, false, false },         { ACL_MEMCPY_HOST_TO_DEVICE, false, true },
	{ ACL_MEMCPY_DEVICE_TO_HOST, true, false },        { ACL_MEMCPY_DEVICE_TO_DEVICE, true, true },
	{ ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, false, true },
};

static void fill(unsigned char *p, size_t n, unsigned char first)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(first + i);
}

/* Every kind with every pair of memories: it copies where it fits, and is refused where it does not. */
static void test_copy_kinds(void **state)
{
	unsigned char *const places[][2] = { { device_a, device_b }, { pinned, pinned + 512 }, { plain, plain + 512 } };
	aclrtStream stream;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	for (size_t from = 0; from < 3; from++) {
		for (size_t to = 0; to < 3; to++) {
			unsigned char *const src = places[from][0], *const dst = places[to][1];

			for (size_t k = 0; k < LENGTH(directions); k++) {
				const struct direction *const d = &directions[k];
				const bool fits = d->from_device == (from == 0) && d->to_device == (to == 0);
				const aclError code = fits ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
				const bool both_host = d->kind == ACL_MEMCPY_HOST_TO_HOST;

				fill(src, 64, (unsigned char)k);
				memset(dst, 0, 64);
				expect(code, aclrtMemcpy(dst, 64, src, 64, d->kind));
				assert_int_equal(memcmp(dst, src, 64) == 0, fits);
				memset(dst, 0, 64);
				expect(both_host ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : code,
				       aclrtMemcpyAsync(dst, 64, src, 64, d->kind, stream));
				expect(ACL_SUCCESS, aclrtSynchronizeStream(stream));
				assert_int_equal(memcmp(dst, src, 64) == 0, fits && !both_host);
			}
			fill(src, 64, 99);
			memset(dst, 0, 64);
			expect(ACL_SUCCESS, aclrtMemcpy(dst, 64, src, 64, ACL_MEMCPY_DEFAULT));
			assert_memory_equal(dst, src, 64);
		}
	}
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

/* The checks in their order: each call below is wrong in all that comes after, too. */
static void test_copy_checks(void **state)
{
	const aclrtMemcpyKind h2d = ACL_MEMCPY_HOST_TO_DEVICE, bad = (aclrtMemcpyKind)6;

	(void)state;
	expect(ACL_SUCCESS, aclrtMemcpy(NULL, 0, NULL, 0, bad));
	expect(ACL_SUCCESS, aclrtMemcpyAsync(NULL, 0, NULL, 0, bad, foreign_handle()));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(NULL, 0, plain, 1, bad));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(device_a, 0, NULL, 1, bad));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(plain, 0, plain, 1, bad));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(plain, 0, plain, 1, (aclrtMemcpyKind)-1));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(plain, 0, plain, 1, h2d));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(device_a, 4, plain, 5, h2d));
	expect(ACL_SUCCESS, aclrtMemcpy(device_a, 5, device_a, 5, h2d)); /* the same place: nothing to copy */
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync(NULL, 0, plain, 1, bad, foreign_handle()));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync(plain, 0, NULL, 1, bad, foreign_handle()));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync(device_a, 0, plain, 1, bad, foreign_handle()));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(device_a, 0, plain, 1, h2d, foreign_handle()));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemcpyAsync(device_a, 1, plain, 1, h2d, foreign_handle()));
}

/* A program that says more room than there is does not get it. */
static void test_copy_beyond(void **state)
{
	static const size_t offsets[] = { 0, 1, 64, SIZE - 1 };

	(void)state;
	for (size_t i = 0; i < LENGTH(offsets); i++) {
		const size_t at = offsets[i], fits = SIZE - at;

		expect(ACL_SUCCESS, aclrtMemcpy(device_a + at, fits, plain, fits, ACL_MEMCPY_HOST_TO_DEVICE));
		expect(ACL_ERROR_RT_PARAM_INVALID,
		       aclrtMemcpy(device_a + at, 4096, plain, fits + 1, ACL_MEMCPY_HOST_TO_DEVICE));
		expect(ACL_ERROR_RT_PARAM_INVALID,
		       aclrtMemcpyAsync(device_a + at, 4096, plain, fits + 1, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
		expect(ACL_SUCCESS, aclrtMemcpy(plain, 4096, device_a + at, fits, ACL_MEMCPY_DEVICE_TO_HOST));
		expect(ACL_ERROR_RT_PARAM_INVALID,
		       aclrtMemcpy(plain, 4096, device_a + at, fits + 1, ACL_MEMCPY_DEVICE_TO_HOST));
		expect(ACL_ERROR_RT_PARAM_INVALID,
		       aclrtMemcpy(plain, 4096, pinned + at, fits + 1, ACL_MEMCPY_HOST_TO_HOST));
		expect(ACL_SUCCESS, aclrtMemset(device_a + at, 4096, 1, fits));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(device_a + at, 4096, 1, fits + 1));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(device_a + at, 4096, 1, fits + 1, NULL));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(pinned + at, 4096, 1, fits + 1));
		expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemFlush(device_a + at, fits + 1));
	}
	/* Memory that is gone is no device memory. */
	void *gone;
	expect(ACL_SUCCESS, aclrtMalloc(&gone, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtFree(gone));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(gone, 64, plain, 64, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void test_overlapping_copy(void **state)
{
	(void)state;
	fill(device_a, 256, 3);
	expect(ACL_SUCCESS, aclrtMemcpy(device_a + 8, 256, device_a, 200, ACL_MEMCPY_DEVICE_TO_DEVICE));
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(device_a[8 + i], (unsigned char)(3 + i));
}

static void wait_at(void *latch)
{
	while (!atomic_load((atomic_bool *)latch))
		sleep_ms(1);
}

static void *open_soon(void *latch)
{
	sleep_ms(30);
	atomic_store((atomic_bool *)latch, true);
	return NULL;
}

/* Pinned memory is copied in the order of the stream; other host memory before the call returns. */
static void test_async(void **state)
{
	atomic_bool latch = false;
	aclrtStream stream;
	pthread_t thread;

	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&stream));
	memset(device_a, 0, SIZE);
	memset(pinned, 5, SIZE);
	memset(plain, 7, SIZE);
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(stream, wait_at, &latch));
	expect(ACL_SUCCESS, aclrtMemcpyAsync(device_a, SIZE, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	expect(ACL_SUCCESS, aclrtMemsetAsync(device_a + 64, SIZE - 64, 6, 64, stream));
	expect(ACL_SUCCESS, aclrtMemcpyAsync(device_b, SIZE, device_a, 128, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	assert_int_equal(device_a[0], 0);
	assert_int_equal(device_a[64], 0);
	memset(pinned, 8, SIZE); /* read when its turn comes */
	assert_int_equal(pthread_create(&thread, NULL, open_soon, &latch), 0);
	expect(ACL_SUCCESS, aclrtMemcpyAsync(device_a, SIZE, plain, 32, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	assert_int_equal(device_b[0], 8);
	assert_int_equal(device_b[64], 6);
	assert_int_equal(device_a[0], 7);
	assert_int_equal(device_a[32], 8);
	pthread_join(thread, NULL);
	expect(ACL_SUCCESS, aclrtDestroyStream(stream));
}

static aclrtStream own;
static aclError inner;

static void copy_inside(void *unused)
{
	(void)unused;
	inner = aclrtMemcpyAsync(device_a, SIZE, plain, 32, ACL_MEMCPY_HOST_TO_DEVICE, own);
}

static void test_async_from_inside(void **state)
{
	(void)state;
	expect(ACL_SUCCESS, aclrtCreateStream(&own));
	expect(ACL_SUCCESS, aclrtLaunchHostFunc(own, copy_inside, NULL));
	expect(ACL_SUCCESS, aclrtSynchronizeStream(own));
	assert_int_equal(inner, ACL_ERROR_RT_PARAM_INVALID);
	expect(ACL_SUCCESS, aclrtDestroyStream(own));
}

static void test_copy_2d(void **state)
{
	const aclrtMemcpyKind h2d = ACL_MEMCPY_HOST_TO_DEVICE;

	(void)state;
	fill(plain, SIZE, 0);
	for (int async = 0; async < 2; async++) {
		memset(device_a, 0xff, SIZE);
		if (async) {
			expect(ACL_SUCCESS, aclrtMemcpy2dAsync(device_a, 20, plain, 30, 10, 5, h2d, NULL));
			expect(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
		} else {
			expect(ACL_SUCCESS, aclrtMemcpy2d(device_a, 20, plain, 30, 10, 5, h2d));
		}
		for (size_t i = 0; i < 5; i++) {
			for (size_t j = 0; j < 20; j++)
				assert_int_equal(device_a[20 * i + j], j < 10 ? plain[30 * i + j] : 0xff);
		}
	}
	expect(ACL_SUCCESS, aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 5, (aclrtMemcpyKind)9));
	expect(ACL_SUCCESS, aclrtMemcpy2d(NULL, 0, NULL, 0, 5, 0, (aclrtMemcpyKind)9));
	expect(ACL_SUCCESS, aclrtMemcpy2dAsync(NULL, 0, NULL, 0, 5, 0, (aclrtMemcpyKind)9, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(NULL, 20, plain, 30, 10, 5, h2d));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(device_a, 20, NULL, 30, 10, 5, h2d));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(device_a, 9, plain, 30, 10, 5, h2d));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(device_a, 20, plain, 9, 10, 5, h2d));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(pinned, 20, plain, 30, 10, 5, ACL_MEMCPY_HOST_TO_HOST));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(device_a, 20, plain, 30, 10, 5, (aclrtMemcpyKind)5));
	expect(ACL_SUCCESS, aclrtMemcpy2d(pinned, 20, plain, 30, 10, 5, ACL_MEMCPY_DEFAULT));
	/* The last row ends with its width, not with its pitch. */
	expect(ACL_SUCCESS, aclrtMemcpy2d(device_a, 100, plain, 30, 24, 11, h2d));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d(device_a, 100, plain, 30, 25, 11, h2d));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2dAsync(device_a, 100, plain, 30, 25, 11, h2d, NULL));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d(device_a, SIZE_MAX / 2, plain, 30, 1, 4, h2d));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d(device_a, 20, device_b, 30, 10, 5, h2d));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemcpy2dAsync(device_a, 20, plain, 30, 10, 5, h2d, foreign_handle()));
}

/* ---- Setting ---- */

static void test_memset(void **state)
{
	(void)state;
	unsigned char *const places[] = { device_a, pinned, plain };
	for (size_t i = 0; i < LENGTH(places); i++) {
		unsigned char *const p = places[i];

		memset(p, 0, 64);
		expect(ACL_SUCCESS, aclrtMemset(p, 64, 0x1ff, 10));
		assert_int_equal(p[9], 0xff);
		assert_int_equal(p[10], 0);
		expect(ACL_SUCCESS, aclrtMemsetAsync(p, 64, 3, 11, NULL));
		expect(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
		assert_int_equal(p[10], 3);
		assert_int_equal(p[11], 0);
		expect(ACL_SUCCESS, aclrtMemsetD32(p + 1, 63, 0x04030201, 3));
		assert_memory_equal(p + 1, "\1\2\3\4\1\2\3\4\1\2\3\4\0", 13);
	}
	expect(ACL_SUCCESS, aclrtMemset(NULL, 0, 0, 0));
	expect(ACL_SUCCESS, aclrtMemsetAsync(NULL, 0, 0, 0, foreign_handle()));
	expect(ACL_SUCCESS, aclrtMemsetD32(NULL, 0, 0, 0));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemset(NULL, 5, 0, 5));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemsetAsync(NULL, 5, 0, 5, NULL));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemsetD32(NULL, 8, 0, 2));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(device_a, 4, 0, 5));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(device_a, 4, 0, 5, NULL));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32(device_a, 7, 0, 2));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32(device_a, SIZE_MAX, 0, SIZE_MAX / 4));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32(device_a, SIZE_MAX, 0, SIZE_MAX));
	expect(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemsetAsync(device_a, 5, 0, 5, foreign_handle()));
}

/* ---- What is known about memory ---- */

static void test_info(void **state)
{
	size_t free_bytes, total, after;
	aclrtPtrAttributes attributes;
	int64_t said;
	void *p;

	(void)state;
	for (int attr = ACL_DDR_MEM; attr <= ACL_MEM_P2P_HUGE1G; attr++) {
		expect(ACL_SUCCESS, aclrtGetMemInfo((aclrtMemAttr)attr, &free_bytes, &total));
		assert_true(free_bytes < total);
	}
	expect(ACL_SUCCESS, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &said));
	assert_int_equal(said, total);
	expect(ACL_SUCCESS, aclrtMalloc(&p, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_SUCCESS, aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
	assert_int_equal(after, free_bytes - (1 << 20));
	expect(ACL_SUCCESS, aclrtFree(p));
	expect(ACL_SUCCESS, aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
	assert_int_equal(after, free_bytes);
	expect(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&p, total, ACL_MEM_MALLOC_HUGE_FIRST));
	expect(ACL_ERROR_RT_INVALID_MEMORY_TYPE, aclrtGetMemInfo((aclrtMemAttr)18, &free_bytes, &total));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total));
	expect(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, NULL));

	expect(ACL_SUCCESS, aclrtPointerGetAttributes(device_a + 5, &attributes));
	assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
	assert_int_equal(attributes.location.id, 0);
	expect(ACL_SUCCESS, aclrtPointerGetAttributes(pinned + SIZE - 1, &attributes));
	assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
	expect(ACL_SUCCESS, aclrtPointerGetAttributes(plain, &attributes));
	assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
	expect(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes(NULL, &attributes));
	expect(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes(plain, NULL));

	expect(ACL_SUCCESS, aclrtMemFlush(device_a, SIZE));
	expect(ACL_SUCCESS, aclrtMemInvalidate(device_a, SIZE));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemFlush(NULL, 5));
	expect(ACL_ERROR_INVALID_PARAM, aclrtMemInvalidate(NULL, 5));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemFlush(device_a, 0));
	expect(ACL_ERROR_RT_PARAM_INVALID, aclrtMemInvalidate(device_a, 0));
}

/* ---- Many allocations, many threads ---- */

enum { THREADS = 8, HELD = 64 };

static void *hammer(void *seed)
{
	unsigned state = (unsigned)(uintptr_t)seed * 2654435761u + 1;
	void *held[HELD] = { NULL };
	size_t sizes[HELD];

	expect(ACL_SUCCESS, aclrtSetDevice(0));
	for (int i = 0; i < 5000; i++) {
		state = state * 1664525u + 1013904223u;
		const size_t slot = state >> 26;

		if (held[slot] == NULL) {
			sizes[slot] = (state >> 10 & 0xfff) / 32 * 32 + 32;
			expect(ACL_SUCCESS, aclrtMalloc(&held[slot], sizes[slot], ACL_MEM_MALLOC_HUGE_FIRST));
			expect(ACL_SUCCESS, aclrtMemset(held[slot], sizes[slot], (int)slot, sizes[slot]));
		} else {
			unsigned char last;

			expect(ACL_SUCCESS, aclrtMemcpy(&last, 1, (char *)held[slot] + sizes[slot] - 1, 1,
			                                ACL_MEMCPY_DEVICE_TO_HOST));
			assert_int_equal(last, slot);
			expect(ACL_SUCCESS, aclrtFree(held[slot]));
			held[slot] = NULL;
		}
	}
	for (size_t slot = 0; slot < HELD; slot++) {
		if (held[slot] != NULL)
			expect(ACL_SUCCESS, aclrtFree(held[slot]));
	}
	expect(ACL_SUCCESS, aclrtResetDevice(0));
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer, (void *)i), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_context),
		cmocka_unit_test_setup_teardown(test_allocating, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_malloc_with_config, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_freeing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_free_without_context, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copy_kinds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copy_checks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copy_beyond, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_overlapping_copy, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_async, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_async_from_inside, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copy_2d, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_memset, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_info, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
	};

	/* Sizes below are those of the default chip. */
	unsetenv("RSTD_SOC");
	return cmocka_run_group_tests_name("acl_memory", tests, NULL, NULL);
}
