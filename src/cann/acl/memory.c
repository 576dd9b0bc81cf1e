/*
 * memory.c - memory of the device and of the host: allocating, copying, setting
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both are ordinary memory. Every allocation is kept in a tree by address (tsearch(), the C library's), so that a wrong
 * pointer, a wrong direction of a copy and a size beyond the allocation are found before anything is touched. Host
 * memory stays until it is freed, even when the device is released: the program may still read it.
 */
#define _GNU_SOURCE
#include "cann/acl/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "cann/acl/clock.h"
#include "cann/acl/context.h"
#include "cann/acl/device.h"
#include "cann/acl/error.h"
#include "cann/acl/stream.h"
#include "cann/product.h"

#define ALIGNMENT 64
#define ROUNDING  32 /* sizes are multiples of it */
#define ARCH_950  3510

/* The key of a tree: an area of memory. Of two areas the lower one is less; areas that overlap are equal. */
struct area {
	uintptr_t start;
	size_t size;
};

/* Memory of one kind. */
struct pool {
	void *areas;    /* the tree of struct area */
	uint64_t bytes; /* in these, and in those that are being allocated */
};

static struct {
	pthread_mutex_t lock; /* guards what follows; no other is taken under it */
	struct pool device;
	struct pool host;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

void rstd__memory_lock(void)
{
	pthread_mutex_lock(&memory.lock);
}

void rstd__memory_unlock(void)
{
	pthread_mutex_unlock(&memory.lock);
}

static int compare(const void *a, const void *b)
{
	const struct area *const x = a;
	const struct area *const y = b;

	if (x->start + x->size <= y->start)
		return -1;
	return x->start >= y->start + y->size;
}

static struct area *find_area(const struct pool *pool, const void *address)
{
	const struct area key = { .start = (uintptr_t)address, .size = 1 };
	struct area *const *const node = tfind(&key, &pool->areas, compare);

	return node != NULL ? *node : NULL;
}

rstd__memory_kind rstd__memory_find(const void *address, size_t *bytes)
{
	rstd__memory_kind kind = RSTD_MEMORY_DEVICE;

	*bytes = SIZE_MAX;
	rstd__memory_lock();
	const struct area *area = find_area(&memory.device, address);
	if (area == NULL) {
		kind = RSTD_MEMORY_HOST;
		area = find_area(&memory.host, address);
	}
	if (area != NULL)
		*bytes = area->size - ((uintptr_t)address - area->start);
	else
		kind = RSTD_MEMORY_UNKNOWN;
	rstd__memory_unlock();
	return kind;
}

/* The machine's memory, or the chip's where that is less. The system is asked once. */
uint64_t rstd__memory_total(void)
{
	static _Atomic uint64_t known;
	const rstd__product *const product = rstd__product_current();
	uint64_t machine = atomic_load_explicit(&known, memory_order_relaxed);

	if (machine == 0) {
		machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
		atomic_store_explicit(&known, machine, memory_order_relaxed);
	}
	if (product != NULL && product->memory_bytes != 0 && product->memory_bytes < machine)
		return product->memory_bytes;
	return machine;
}

uint64_t rstd__memory_free(void)
{
	const uint64_t total = rstd__memory_total();

	rstd__memory_lock();
	const uint64_t used = memory.device.bytes;
	rstd__memory_unlock();
	return used < total ? total - used : 0;
}

/* ---- Allocating ---- */

static void free_area(struct area *area)
{
	free((void *)area->start);
	free(area);
}

/* An area that is in no tree, or NULL. */
static struct area *new_area(size_t size)
{
	struct area *const area = malloc(sizeof(*area));

	if (area == NULL)
		return NULL;
	/* aligned_alloc() wants a multiple of the alignment. */
	area->start = (uintptr_t)aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	area->size = size;
	if (area->start != 0)
		return area;
	free(area);
	return NULL;
}

/* Whether there are so many bytes, which then are taken. */
static bool reserve(struct pool *pool, size_t size)
{
	const uint64_t limit = rstd__memory_total();

	rstd__memory_lock();
	const bool fits = size <= limit && pool->bytes <= limit - size;
	pool->bytes += fits ? size : 0;
	rstd__memory_unlock();
	return fits;
}

/* A new area in a pool, for bytes that are reserved; NULL without memory. */
static struct area *add_area(struct pool *pool, size_t size)
{
	struct area *const area = new_area(size);

	rstd__memory_lock();
	const bool added = area != NULL && tsearch(area, &pool->areas, compare) != NULL;
	pool->bytes -= added ? 0 : size;
	rstd__memory_unlock();
	if (area != NULL && !added)
		free_area(area);
	return added ? area : NULL;
}

static aclError allocate(void **address, size_t size, struct pool *pool)
{
	/* Asked first: a system that lends more memory than it has would only fail when it is written. */
	const struct area *const area = reserve(pool, size) ? add_area(pool, size) : NULL;

	if (area == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "size: there are no %zu bytes", size);
	*address = (void *)area->start;
	return ACL_SUCCESS;
}

/* Chips round up to a multiple of 32; those before the 950 add 32 bytes more. 0 when that overflows. */
static size_t rounded_size(size_t size)
{
	const rstd__product *const product = rstd__product_current();
	const size_t more = product != NULL && product->family->arch == ARCH_950 ? 0 : ROUNDING;

	if (size > SIZE_MAX - (ROUNDING - 1) - more - ALIGNMENT)
		return 0;
	return (size + ROUNDING - 1) / ROUNDING * ROUNDING + more;
}

static aclError check_config(const aclrtMallocConfig *cfg)
{
	if (cfg == NULL || cfg->numAttrs == 0)
		return ACL_SUCCESS;
	if (cfg->attrs == NULL)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "cfg->attrs: is null, must have %zu attributes",
		                      cfg->numAttrs);
	for (size_t i = 0; i < cfg->numAttrs; i++) {
		const aclrtMallocAttribute *const attribute = &cfg->attrs[i];

		if ((unsigned)attribute->attr > ACL_RT_MEM_ATTR_VA_FLAG)
			return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			                      "cfg->attrs[%zu].attr: is %d, allowed are 0 to %d", i,
			                      (int)attribute->attr, (int)ACL_RT_MEM_ATTR_VA_FLAG);
		if (attribute->attr == ACL_RT_MEM_ATTR_DEVICE_ID) {
			const aclError code =
				rstd__device_check((int32_t)attribute->value.deviceId, "cfg->attrs: device id");

			if (code != ACL_SUCCESS)
				return code;
		}
	}
	return ACL_SUCCESS;
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
	(void)policy;
	if (devPtr == NULL)
		return rstd__acl_null("devPtr");
	const size_t rounded = rounded_size(size);
	if (size == 0 || rounded == 0)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "size: is %zu, must be more than 0 and not overflow",
		                      size);
	aclError code = check_config(cfg);
	if (code == ACL_SUCCESS)
		code = rstd__context_check();
	if (code != ACL_SUCCESS)
		return code;
	return allocate(devPtr, rounded, &memory.device);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return aclrtMallocWithCfg(devPtr, size, policy, NULL);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return aclrtMallocWithCfg(devPtr, size, policy, NULL);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return aclrtMallocWithCfg(devPtr, size, policy, NULL);
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
	if (ptr == NULL)
		return rstd__acl_null("ptr");
	if (size == 0 || size > SIZE_MAX - ALIGNMENT)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM,
		                      "size: is %" PRIu64 ", must be more than 0 and not overflow", size);
	aclError code = check_config(cfg);
	if (code == ACL_SUCCESS)
		code = rstd__context_check();
	if (code != ACL_SUCCESS)
		return code;
	return allocate(ptr, (size_t)size, &memory.host);
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
	return aclrtMallocHostWithCfg(hostPtr, size, NULL);
}

/* ---- Freeing ---- */

/* Takes the allocation that starts at an address out of a pool; NULL when none does. */
static struct area *take_area(struct pool *pool, const void *address)
{
	rstd__memory_lock();
	struct area *area = find_area(pool, address);
	if (area != NULL && area->start != (uintptr_t)address)
		area = NULL;
	if (area != NULL) {
		tdelete(area, &pool->areas, compare);
		pool->bytes -= area->size;
	}
	rstd__memory_unlock();
	return area;
}

static aclError free_memory(struct pool *pool, void *address, const char *argument, const char *allocators)
{
	if (address == NULL)
		return rstd__acl_null(argument);
	struct area *const area = take_area(pool, address);
	if (area == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "%s: %p is not the start of memory from %s, or was freed", argument, address,
		                      allocators);
	free_area(area);
	return ACL_SUCCESS;
}

aclError aclrtFree(void *devPtr)
{
	return free_memory(&memory.device, devPtr, "devPtr", "aclrtMalloc()");
}

aclError aclrtFreeHost(void *hostPtr)
{
	return free_memory(&memory.host, hostPtr, "hostPtr", "aclrtMallocHost()");
}

/* Waits for the device, if the thread has one. What failed there surfaces elsewhere. */
static aclError settle_device(void)
{
	int32_t id;

	if (rstd__context_handle() == NULL || aclrtGetDevice(&id) != ACL_SUCCESS)
		return ACL_SUCCESS;
	return rstd__streams_settle(id);
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
	if (devPtr == NULL)
		return rstd__acl_null("devPtr");
	const aclError code = settle_device();
	return code != ACL_SUCCESS ? code : aclrtFree(devPtr);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
	if (hostPtr == NULL)
		return rstd__acl_null("hostPtr");
	const aclError code = settle_device();
	return code != ACL_SUCCESS ? code : aclrtFreeHost(hostPtr);
}

void rstd__memory_release(int32_t device)
{
	(void)device; /* the only one */
	rstd__memory_lock();
	while (memory.device.areas != NULL) {
		struct area *const area = *(struct area **)memory.device.areas;

		tdelete(area, &memory.device.areas, compare);
		memory.device.bytes -= area->size;
		free_area(area);
	}
	rstd__memory_unlock();
}

/* ---- Checks of copies ---- */

/* An area of a call, as its arguments name it. */
struct operand {
	const char *name;
	const void *address;
	size_t bytes;            /* from the address on, that the call touches */
	rstd__memory_kind found; /* set by check_operand() */
};

static const char *kind_name(rstd__memory_kind kind)
{
	return kind == RSTD_MEMORY_DEVICE ? "device" : "host";
}

/* The operand must lie in memory of that kind (UNKNOWN: of any), and must not leave its allocation. */
static aclError check_operand(struct operand *operand, rstd__memory_kind wanted)
{
	size_t bytes;

	operand->found = rstd__memory_find(operand->address, &bytes);
	const bool is_device = operand->found == RSTD_MEMORY_DEVICE;
	if (wanted != RSTD_MEMORY_UNKNOWN && is_device != (wanted == RSTD_MEMORY_DEVICE))
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is %s memory, kind wants %s memory",
		                      operand->name, operand->address, is_device ? "device" : "no device",
		                      kind_name(wanted));
	if (operand->bytes > bytes)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "%s: %zu bytes are wanted, the allocation has %zu from %p on", operand->name,
		                      operand->bytes, bytes, operand->address);
	return ACL_SUCCESS;
}

static rstd__memory_kind wanted_source(aclrtMemcpyKind kind)
{
	switch (kind) {
	case ACL_MEMCPY_HOST_TO_HOST:
	case ACL_MEMCPY_HOST_TO_DEVICE:
	case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
		return RSTD_MEMORY_HOST;
	case ACL_MEMCPY_DEVICE_TO_HOST:
	case ACL_MEMCPY_DEVICE_TO_DEVICE:
	case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
	case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
		return RSTD_MEMORY_DEVICE;
	case ACL_MEMCPY_DEFAULT:
		break;
	}
	return RSTD_MEMORY_UNKNOWN;
}

static rstd__memory_kind wanted_target(aclrtMemcpyKind kind)
{
	switch (kind) {
	case ACL_MEMCPY_HOST_TO_HOST:
	case ACL_MEMCPY_DEVICE_TO_HOST:
		return RSTD_MEMORY_HOST;
	case ACL_MEMCPY_HOST_TO_DEVICE:
	case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
	case ACL_MEMCPY_DEVICE_TO_DEVICE:
	case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
	case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
		return RSTD_MEMORY_DEVICE;
	case ACL_MEMCPY_DEFAULT:
		break;
	}
	return RSTD_MEMORY_UNKNOWN;
}

/* A copy of rows; one row is the whole copy. */
struct copy {
	unsigned char *dst;
	const unsigned char *src;
	size_t dst_pitch, src_pitch;
	size_t width, height;
};

/* The bytes from the first row's start to the last row's end; false when that overflows. */
static bool span(size_t pitch, size_t width, size_t height, size_t *bytes)
{
	if (height > 1 && pitch > (SIZE_MAX - width) / (height - 1))
		return false;
	*bytes = pitch * (height - 1) + width;
	return true;
}

/* Checks context, memory and sizes. pageable: the copy touches host memory that the runtime did not allocate. */
static aclError check_copy(const struct copy *copy, aclrtMemcpyKind kind, bool *pageable)
{
	struct operand dst = { .name = "dst", .address = copy->dst };
	struct operand src = { .name = "src", .address = copy->src };
	aclError code = rstd__context_check();

	if (code != ACL_SUCCESS)
		return code;
	if (!span(copy->dst_pitch, copy->width, copy->height, &dst.bytes) ||
	    !span(copy->src_pitch, copy->width, copy->height, &src.bytes))
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "height: %zu rows are more than memory can have",
		                      copy->height);
	code = check_operand(&dst, wanted_target(kind));
	if (code == ACL_SUCCESS)
		code = check_operand(&src, wanted_source(kind));
	*pageable = dst.found == RSTD_MEMORY_UNKNOWN || src.found == RSTD_MEMORY_UNKNOWN;
	return code;
}

/* ---- Copying and setting ---- */

static void run_copy(const struct copy *copy)
{
	for (size_t i = 0; i < copy->height; i++)
		memmove(copy->dst + i * copy->dst_pitch, copy->src + i * copy->src_pitch, copy->width);
}

static aclError run_copy_task(void *payload)
{
	run_copy(payload);
	return ACL_SUCCESS;
}

static const rstd__task_kind copy_kind = { .run = run_copy_task, .any_thread = true };

/* Queues a copy; with pageable memory it is waited for, so that the program may reuse that at once. */
static aclError queue_copy(const struct copy *copy, bool pageable, aclrtStream stream)
{
	const rstd__order order = { .kind = &copy_kind, .payload = copy, .size = sizeof(*copy) };
	rstd__stream *s;
	aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	if (pageable)
		code = rstd__stream_check_wait(s);
	if (code == ACL_SUCCESS)
		code = rstd__stream_append(s, &order, 1, NULL);
	if (code == ACL_SUCCESS && pageable)
		code = rstd__stream_settle(s, RSTD_ALL_TASKS, RSTD_FOREVER);
	rstd__stream_put(s);
	return code;
}

static aclError check_kind(aclrtMemcpyKind kind, int first, int last)
{
	if ((int)kind >= first && (int)kind <= last)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "kind: is %d, allowed are %d to %d", (int)kind, first, last);
}

static aclError check_arguments(const void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
	if (dst == NULL)
		return rstd__acl_null("dst");
	if (src == NULL)
		return rstd__acl_null("src");
	const aclError code = check_kind(kind, ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE);
	if (code == ACL_SUCCESS && count > destMax)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "count: is %zu, destMax allows %zu", count, destMax);
	return code;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
	const struct copy copy = { .dst = dst, .src = src, .width = count, .height = 1 };
	bool pageable = false;

	if (count == 0)
		return ACL_SUCCESS;
	aclError code = check_arguments(dst, destMax, src, count, kind);
	if (code == ACL_SUCCESS)
		code = dst == src ? rstd__context_check() : check_copy(&copy, kind, &pageable);
	if (code == ACL_SUCCESS && dst != src)
		run_copy(&copy);
	return code;
}

static aclError refuse_host_to_host(aclrtMemcpyKind kind)
{
	if (kind != ACL_MEMCPY_HOST_TO_HOST)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "kind: is 0, but only the host itself copies there");
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream)
{
	const struct copy copy = { .dst = dst, .src = src, .width = count, .height = 1 };
	bool pageable = false;

	if (count == 0)
		return ACL_SUCCESS;
	aclError code = check_arguments(dst, destMax, src, count, kind);
	if (code == ACL_SUCCESS)
		code = refuse_host_to_host(kind);
	if (code == ACL_SUCCESS)
		code = check_copy(&copy, kind, &pageable);
	return code != ACL_SUCCESS ? code : queue_copy(&copy, pageable, stream);
}

static aclError check_2d(const struct copy *copy, aclrtMemcpyKind kind, bool *pageable)
{
	if (copy->dst == NULL)
		return rstd__acl_null("dst");
	if (copy->src == NULL)
		return rstd__acl_null("src");
	const aclError code = check_kind(kind, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEFAULT);
	if (code != ACL_SUCCESS)
		return code;
	if (copy->width > copy->dst_pitch || copy->width > copy->src_pitch)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "width: is %zu, dpitch allows %zu, spitch %zu",
		                      copy->width, copy->dst_pitch, copy->src_pitch);
	return check_copy(copy, kind, pageable);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind)
{
	const struct copy copy = {
		.dst = dst, .src = src, .dst_pitch = dpitch, .src_pitch = spitch, .width = width, .height = height
	};
	bool pageable = false;

	if (width == 0 || height == 0)
		return ACL_SUCCESS;
	const aclError code = check_2d(&copy, kind, &pageable);
	if (code == ACL_SUCCESS)
		run_copy(&copy);
	return code;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream)
{
	const struct copy copy = {
		.dst = dst, .src = src, .dst_pitch = dpitch, .src_pitch = spitch, .width = width, .height = height
	};
	bool pageable = false;

	if (width == 0 || height == 0)
		return ACL_SUCCESS;
	const aclError code = check_2d(&copy, kind, &pageable);
	return code != ACL_SUCCESS ? code : queue_copy(&copy, pageable, stream);
}

/* Bytes that are set to a value. */
struct fill {
	void *dst;
	size_t count;
	unsigned char value;
};

static aclError run_fill_task(void *payload)
{
	const struct fill *const fill = payload;

	memset(fill->dst, fill->value, fill->count);
	return ACL_SUCCESS;
}

static const rstd__task_kind fill_kind = { .run = run_fill_task, .any_thread = true };

static aclError check_fill(const char *argument, const void *dst, size_t room, size_t count)
{
	struct operand operand = { .name = argument, .address = dst, .bytes = count };

	if (dst == NULL)
		return rstd__acl_null(argument);
	if (count > room)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: has %zu bytes, %zu are to be set", argument,
		                      room, count);
	const aclError code = rstd__context_check();
	return code != ACL_SUCCESS ? code : check_operand(&operand, RSTD_MEMORY_UNKNOWN);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
	if (count == 0)
		return ACL_SUCCESS;
	const aclError code = check_fill("devPtr", devPtr, maxCount, count);
	if (code == ACL_SUCCESS)
		memset(devPtr, value, count);
	return code;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
	const struct fill fill = { .dst = devPtr, .count = count, .value = (unsigned char)value };

	if (count == 0)
		return ACL_SUCCESS;
	const aclError code = check_fill("devPtr", devPtr, maxCount, count);
	return code != ACL_SUCCESS ? code : rstd__stream_push(stream, &fill_kind, &fill, sizeof(fill));
}

/* Words that are set to a value. */
struct fill_words {
	unsigned char *dst;
	size_t count;
	uint32_t value;
};

static aclError run_fill_words(void *payload)
{
	const struct fill_words *const fill = payload;

	for (size_t i = 0; i < fill->count; i++)
		memcpy(fill->dst + i * sizeof(fill->value), &fill->value, sizeof(fill->value));
	return ACL_SUCCESS;
}

static const rstd__task_kind fill_words_kind = { .run = run_fill_words, .any_thread = true };

static aclError check_fill_words(const void *ptr, size_t memSize, size_t N)
{
	if (ptr != NULL && N > memSize / sizeof(uint32_t))
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "N: is %zu, memSize allows %zu", N,
		                      memSize / sizeof(uint32_t));
	return check_fill("ptr", ptr, memSize, N * sizeof(uint32_t));
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
	struct fill_words fill = { .dst = ptr, .count = N, .value = value };

	if (N == 0)
		return ACL_SUCCESS;
	const aclError code = check_fill_words(ptr, memSize, N);
	return code != ACL_SUCCESS ? code : run_fill_words(&fill);
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream)
{
	const struct fill_words fill = { .dst = ptr, .count = N, .value = value };

	if (N == 0)
		return ACL_SUCCESS;
	const aclError code = check_fill_words(ptr, memSize, N);
	return code != ACL_SUCCESS ? code : rstd__stream_push(stream, &fill_words_kind, &fill, sizeof(fill));
}

/* ---- Copies whose addresses lie in memory of the device when they run ---- */

struct indirect {
	void *const *dst;
	const void *const *src;
	size_t room, dst_offset, src_offset, count;
};

static aclError run_indirect(void *payload)
{
	const struct indirect *const p = payload;
	struct operand dst = { .name = "dst", .address = *p->dst, .bytes = p->dst_offset + p->count };
	struct operand src = { .name = "src", .address = *p->src, .bytes = p->src_offset + p->count };
	aclError code = check_operand(&dst, RSTD_MEMORY_DEVICE);

	if (code == ACL_SUCCESS)
		code = check_operand(&src, RSTD_MEMORY_DEVICE);
	if (code == ACL_SUCCESS)
		memmove((unsigned char *)*p->dst + p->dst_offset, (const unsigned char *)*p->src + p->src_offset,
		        p->count);
	return code;
}

static const rstd__task_kind indirect_kind = { .run = run_indirect, .any_thread = true };

static aclError check_indirect(const struct indirect *p, aclrtMemcpyKind kind)
{
	struct operand dst = { .name = "dst", .address = p->dst, .bytes = sizeof(*p->dst) };
	struct operand src = { .name = "src", .address = p->src, .bytes = sizeof(*p->src) };

	if (p->dst == NULL)
		return rstd__acl_null("dst");
	if (p->src == NULL)
		return rstd__acl_null("src");
	if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "kind: is %d, allowed is %d", (int)kind,
		                      (int)ACL_MEMCPY_INNER_DEVICE_TO_DEVICE);
	if (p->dst_offset > p->room || p->count > p->room - p->dst_offset)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "count: is %zu, destMax allows %zu behind the offset",
		                      p->count, p->dst_offset > p->room ? 0 : p->room - p->dst_offset);
	if (p->src_offset > SIZE_MAX - p->count)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "srcDataOffset: %zu is more than memory can have",
		                      p->src_offset);
	aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		code = check_operand(&dst, RSTD_MEMORY_DEVICE);
	return code != ACL_SUCCESS ? code : check_operand(&src, RSTD_MEMORY_DEVICE);
}

aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset, const void **src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream)
{
	const struct indirect indirect = { .dst = dst,
		                           .src = src,
		                           .room = destMax,
		                           .dst_offset = dstDataOffset,
		                           .src_offset = srcDataOffset,
		                           .count = count };

	if (count == 0)
		return ACL_SUCCESS;
	const aclError code = check_indirect(&indirect, kind);
	return code != ACL_SUCCESS ? code : rstd__stream_push(stream, &indirect_kind, &indirect, sizeof(indirect));
}

/* ---- Many copies in one call ---- */

struct batch {
	void **dsts, **srcs;
	const size_t *rooms, *sizes;
	size_t count;
	const aclrtMemcpyBatchAttr *attrs;
	const size_t *firsts; /* of the copies that an attribute is for; up to the first of the next */
	size_t attr_count;
};

static aclError check_location(const char *argument, const aclrtMemLocation *location)
{
	if (location->type != ACL_MEM_LOCATION_TYPE_HOST && location->type != ACL_MEM_LOCATION_TYPE_DEVICE)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "%s: has type %d, allowed are 0 and 1", argument,
		                      (int)location->type);
	return ACL_SUCCESS;
}

static aclError check_batch(const struct batch *batch)
{
	const struct {
		const char *name;
		const void *pointer;
	} arguments[] = { { "dsts", batch->dsts },   { "destMaxs", batch->rooms }, { "srcs", batch->srcs },
		          { "sizes", batch->sizes }, { "attrs", batch->attrs },    { "attrsIndexes", batch->firsts } };

	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		if (arguments[i].pointer == NULL)
			return rstd__acl_null(arguments[i].name);
	if (batch->count == 0)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "numBatches: is 0, must be more");
	if (batch->attr_count == 0 || batch->attr_count > batch->count)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "numAttrs: is %zu, allowed are 1 to %zu",
		                      batch->attr_count, batch->count);
	for (size_t i = 0; i < batch->attr_count; i++) {
		const size_t first = batch->firsts[i];
		aclError code = check_location("attrs->srcLoc", &batch->attrs[i].srcLoc);

		if (code == ACL_SUCCESS)
			code = check_location("attrs->dstLoc", &batch->attrs[i].dstLoc);
		if (code != ACL_SUCCESS)
			return code;
		if (first >= batch->count || (i == 0 ? first != 0 : first <= batch->firsts[i - 1]))
			return rstd__acl_fail(ACL_ERROR_INVALID_PARAM,
			                      "attrsIndexes[%zu]: is %zu, must begin with 0 and grow below %zu", i,
			                      first, batch->count);
	}
	return ACL_SUCCESS;
}

static aclrtMemcpyKind kind_of(const aclrtMemcpyBatchAttr *attr)
{
	const bool from_device = attr->srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;

	if (attr->dstLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE)
		return from_device ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE;
	return from_device ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_HOST;
}

/* The copies up to one that fails, whose index goes to *failed; SIZE_MAX: none, or none can be blamed. */
static aclError copy_batch(const struct batch *batch, bool queued, aclrtStream stream, size_t *failed)
{
	aclError code = check_batch(batch);
	size_t attr = 0;

	*failed = SIZE_MAX;
	for (size_t i = 0; code == ACL_SUCCESS && i < batch->count; i++) {
		if (attr + 1 < batch->attr_count && batch->firsts[attr + 1] == i)
			attr++;
		const aclrtMemcpyKind kind = kind_of(&batch->attrs[attr]);
		if (queued)
			code = aclrtMemcpyAsync(batch->dsts[i], batch->rooms[i], batch->srcs[i], batch->sizes[i], kind,
			                        stream);
		else
			code = aclrtMemcpy(batch->dsts[i], batch->rooms[i], batch->srcs[i], batch->sizes[i], kind);
		if (code != ACL_SUCCESS)
			*failed = i;
	}
	return code;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)
{
	const struct batch batch = { dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs };

	if (failIndex == NULL)
		return rstd__acl_null("failIndex");
	return copy_batch(&batch, false, NULL, failIndex);
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs)
{
	const struct batch batch = { dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs };
	size_t failed;

	return copy_batch(&batch, false, NULL, &failed);
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex,
                               aclrtStream stream)
{
	const struct batch batch = { dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs };

	if (failIndex == NULL)
		return rstd__acl_null("failIndex");
	return copy_batch(&batch, true, stream, failIndex);
}

aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, aclrtStream stream)
{
	const struct batch batch = { dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs };
	size_t failed;

	return copy_batch(&batch, true, stream, &failed);
}

/* ---- What is known about memory ---- */

#define MEMORY_TYPES (ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD)

aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult, uint32_t reserve)
{
	size_t bytes;

	if (addrList == NULL)
		return rstd__acl_null("addrList");
	if (checkResult == NULL)
		return rstd__acl_null("checkResult");
	if (size == 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "size: is 0, must be more");
	if (memType == 0 || (memType & ~MEMORY_TYPES) != 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID,
		                      "memType: is 0x%x, must have some of the bits 0x%x and no other", memType,
		                      MEMORY_TYPES);
	if (reserve != 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "reserve: is %u, must be 0", reserve);
	*checkResult = (memType & ACL_RT_MEM_TYPE_DEV) != 0; /* there is no other device memory */
	for (uint32_t i = 0; i < size; i++)
		if (rstd__memory_find(addrList[i], &bytes) != RSTD_MEMORY_DEVICE)
			*checkResult = 0;
	return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free_bytes, size_t *total)
{
	if (free_bytes == NULL)
		return rstd__acl_null("free");
	if (total == NULL)
		return rstd__acl_null("total");
	if ((unsigned)attr > ACL_MEM_P2P_HUGE1G)
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "attr: is %d, allowed are 0 to %d", (int)attr,
		                      (int)ACL_MEM_P2P_HUGE1G);
	const aclError code = rstd__context_check();
	if (code != ACL_SUCCESS)
		return code;
	*total = (size_t)rstd__memory_total();
	*free_bytes = (size_t)rstd__memory_free();
	return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
	size_t bytes;

	if (ptr == NULL)
		return rstd__acl_null("ptr");
	if (attributes == NULL)
		return rstd__acl_null("attributes");
	const rstd__memory_kind kind = rstd__memory_find(ptr, &bytes);
	*attributes = (aclrtPtrAttributes){ .pageSize = (uint32_t)sysconf(_SC_PAGESIZE) };
	attributes->location.type = kind == RSTD_MEMORY_DEVICE ? ACL_MEM_LOCATION_TYPE_DEVICE
	                            : kind == RSTD_MEMORY_HOST ? ACL_MEM_LOCATION_TYPE_HOST
	                                                       : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	return ACL_SUCCESS;
}

static aclError check_coherence(void *devPtr, size_t size)
{
	struct operand operand = { .name = "devPtr", .address = devPtr, .bytes = size };

	if (devPtr == NULL)
		return rstd__acl_null("devPtr");
	if (size == 0)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "size: is 0, must be more");
	return check_operand(&operand, RSTD_MEMORY_UNKNOWN);
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
	return check_coherence(devPtr, size);
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
	return check_coherence(devPtr, size);
}
