/*
 * handle.c - what programs hold in place of pointers to tensors, arrays, lists and executors
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/aclnn/handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "aclnn/opdev/op_errno.h"
#include "cann/acl/error.h"

/*
 * From the lowest bit: kind, index, uses of the slot, and a 1 which no address of a program has there. A slot would
 * have to be used 2^37 times before it repeats a handle.
 */
#define KIND_BITS  4
#define INDEX_BITS 22
#define USE_BITS   37
#define TOP_BIT    (UINT64_C(1) << 63)

/* Slots come in chunks, which stay where they are until the process ends: whoever reads an old slot reads a slot. */
#define CHUNK_BITS 10
#define CHUNK_SIZE (1u << CHUNK_BITS)
#define CHUNKS     (1u << (INDEX_BITS - CHUNK_BITS))

_Static_assert(KIND_BITS + INDEX_BITS + USE_BITS + 1 == 64, "a handle fills 64 bits");
_Static_assert(sizeof(void *) == sizeof(uint64_t), "a handle is passed as a pointer");
_Static_assert(RSTD_HANDLE_KINDS <= 1 << KIND_BITS, "kinds fit their bits");

struct slot {
	_Atomic uint64_t handle; /* 0: free */
	void *object;
	uint64_t uses;          /* so far; guarded by the lock */
	struct slot *next_free; /* guarded by the lock */
	uint32_t index;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *_Atomic chunks[CHUNKS]; /* written under the lock, read without */
static uint32_t chunk_count;                /* guarded by the lock, as is what follows */
static struct slot *free_slots;

static void lock_slots(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_slots(void)
{
	pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static bool add_chunk(void)
{
	if (chunk_count == CHUNKS)
		return false;
	/* A child of fork() must not find the lock held by a thread that it has not. */
	if (chunk_count == 0 && pthread_atfork(lock_slots, unlock_slots, unlock_slots) != 0)
		return false;
	struct slot *const chunk = calloc(CHUNK_SIZE, sizeof(*chunk));
	if (chunk == NULL)
		return false;
	for (uint32_t i = CHUNK_SIZE; i-- > 0;) {
		chunk[i].index = chunk_count * CHUNK_SIZE + i;
		chunk[i].next_free = free_slots;
		free_slots = &chunk[i];
	}
	atomic_store_explicit(&chunks[chunk_count++], chunk, memory_order_release);
	return true;
}

void *rstd__handle_open(rstd__handle_kind kind, void *object)
{
	lock_slots();
	if (free_slots == NULL && !add_chunk()) {
		unlock_slots();
		return NULL;
	}
	struct slot *const slot = free_slots;
	free_slots = slot->next_free;
	const uint64_t use = slot->uses++ & ((UINT64_C(1) << USE_BITS) - 1);
	unlock_slots();

	const uint64_t handle =
		TOP_BIT | use << (KIND_BITS + INDEX_BITS) | (uint64_t)slot->index << KIND_BITS | (uint64_t)kind;
	slot->object = object;
	atomic_store_explicit(&slot->handle, handle, memory_order_release);
	return (void *)(uintptr_t)handle;
}

/* The slot that a handle names, when the handle is live and of that kind. */
static struct slot *find(rstd__handle_kind kind, const void *handle)
{
	const uint64_t bits = (uintptr_t)handle;
	const uint32_t index = (uint32_t)(bits >> KIND_BITS) & ((1u << INDEX_BITS) - 1);

	if ((bits & TOP_BIT) == 0 || (bits & ((1u << KIND_BITS) - 1)) != (uint64_t)kind)
		return NULL;
	struct slot *const chunk = atomic_load_explicit(&chunks[index >> CHUNK_BITS], memory_order_acquire);
	if (chunk == NULL)
		return NULL;
	struct slot *const slot = &chunk[index & (CHUNK_SIZE - 1)];
	return atomic_load_explicit(&slot->handle, memory_order_acquire) == bits ? slot : NULL;
}

void *rstd__handle_find(rstd__handle_kind kind, const void *handle)
{
	const struct slot *const slot = find(kind, handle);

	return slot != NULL ? slot->object : NULL;
}

void *rstd__handle_close(rstd__handle_kind kind, const void *handle)
{
	struct slot *const slot = find(kind, handle);
	uint64_t bits = (uintptr_t)handle;

	if (slot == NULL || !atomic_compare_exchange_strong(&slot->handle, &bits, 0))
		return NULL;
	void *const object = slot->object;
	lock_slots();
	slot->next_free = free_slots;
	free_slots = slot;
	unlock_slots();
	return object;
}

static aclnnStatus judge(rstd__handle_kind kind, const void *handle, const char *argument, const void *object)
{
	static const char *const names[RSTD_HANDLE_KINDS] = {
		[RSTD_HANDLE_TENSOR] = "aclTensor",          [RSTD_HANDLE_SCALAR] = "aclScalar",
		[RSTD_HANDLE_INT_ARRAY] = "aclIntArray",     [RSTD_HANDLE_FLOAT_ARRAY] = "aclFloatArray",
		[RSTD_HANDLE_BOOL_ARRAY] = "aclBoolArray",   [RSTD_HANDLE_TENSOR_LIST] = "aclTensorList",
		[RSTD_HANDLE_SCALAR_LIST] = "aclScalarList", [RSTD_HANDLE_EXECUTOR] = "aclOpExecutor",
		[RSTD_HANDLE_DATA_BUFFER] = "aclDataBuffer", [RSTD_HANDLE_TENSOR_DESC] = "aclTensorDesc",
	};

	if (handle == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: is null, must be an %s", argument, names[kind]);
	if (object == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: %p is no %s, or one that was destroyed", argument,
		                      handle, names[kind]);
	return ACLNN_SUCCESS;
}

aclnnStatus rstd__handle_get(rstd__handle_kind kind, const void *handle, const char *argument, void **object)
{
	*object = rstd__handle_find(kind, handle);
	return judge(kind, handle, argument, *object);
}

aclnnStatus rstd__handle_take(rstd__handle_kind kind, const void *handle, const char *argument, void **object)
{
	*object = rstd__handle_close(kind, handle);
	return judge(kind, handle, argument, *object);
}
