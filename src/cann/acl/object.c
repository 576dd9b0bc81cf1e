/*
 * object.c - whatever programs name by a handle: how, and how long it lives
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/acl/object.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * A handle, from the lowest bit: kind, index, uses of the slot, and 01, which no address of a program has at the top.
 */
#define KIND_BITS  4
#define INDEX_BITS 22
#define USE_BITS   36
#define MARK       (UINT64_C(1) << 62)

_Static_assert(KIND_BITS + INDEX_BITS + USE_BITS + 2 == 64, "a handle fills 64 bits");
_Static_assert(RSTD_OBJECT_KINDS <= 1 << KIND_BITS, "kinds fit their bits");

/* Slots come in chunks, which stay where they are until the process ends: whoever reads an old slot reads a slot. */
#define CHUNK_BITS 10
#define CHUNK_SIZE (1u << CHUNK_BITS)
#define CHUNKS     (1u << (INDEX_BITS - CHUNK_BITS))

/*
 * The state of a slot: uses above, then LIVE, then the number of references; one word, so that a look-up is one step.
 * 27 bits of references, and as many of the uses as are left: 36.
 */
#define REF_BITS 27
#define LIVE     (UINT64_C(1) << REF_BITS)
#define REFS     (LIVE - 1)

_Static_assert(USE_BITS + 1 + REF_BITS == 64, "a state fills 64 bits");

struct slot {
	_Atomic uint64_t state;
	rstd__object *object;
	struct slot *next_free; /* guarded by the table's lock */
	uint32_t index;
};

static struct table {
	pthread_mutex_t lock;
	struct slot *_Atomic chunks[CHUNKS]; /* written under the lock, read without */
	uint32_t chunk_count;
	struct slot *free_slots;
	_Atomic uint32_t live;
} tables[RSTD_OBJECT_KINDS] = {
	[RSTD_OBJECT_CONTEXT] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_STREAM] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_EVENT] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_NOTIFY] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_STREAM_CONFIG] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_DATA_BUFFER] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_TENSOR_DESC] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_TENSOR] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_SCALAR] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_INT_ARRAY] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_FLOAT_ARRAY] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_BOOL_ARRAY] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_TENSOR_LIST] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_SCALAR_LIST] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[RSTD_OBJECT_EXECUTOR] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

static uint32_t handle_kind(uint64_t handle)
{
	return (uint32_t)handle & ((1u << KIND_BITS) - 1);
}

static uint32_t handle_index(uint64_t handle)
{
	return (uint32_t)(handle >> KIND_BITS) & ((1u << INDEX_BITS) - 1);
}

static uint64_t handle_use(uint64_t handle)
{
	return handle >> (KIND_BITS + INDEX_BITS) & ((UINT64_C(1) << USE_BITS) - 1);
}

static struct slot *slot_at(struct table *table, uint32_t index)
{
	struct slot *const chunk = atomic_load_explicit(&table->chunks[index >> CHUNK_BITS], memory_order_acquire);

	return chunk != NULL ? &chunk[index & (CHUNK_SIZE - 1)] : NULL;
}

/* The slot of an object that the caller has a reference to. */
static struct slot *slot_of(const rstd__object *object)
{
	const uint64_t handle = (uintptr_t)object->handle;

	return slot_at(&tables[handle_kind(handle)], handle_index(handle));
}

/* Under the table's lock. */
static bool add_chunk(struct table *table)
{
	if (table->chunk_count == CHUNKS)
		return false;
	struct slot *const chunk = calloc(CHUNK_SIZE, sizeof(*chunk));
	if (chunk == NULL)
		return false;
	for (uint32_t i = CHUNK_SIZE; i-- > 0;) {
		chunk[i].index = table->chunk_count * CHUNK_SIZE + i;
		chunk[i].next_free = table->free_slots;
		table->free_slots = &chunk[i];
	}
	atomic_store_explicit(&table->chunks[table->chunk_count++], chunk, memory_order_release);
	return true;
}

static struct slot *take_slot(struct table *table, uint32_t limit)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&table->lock);
	if (atomic_load(&table->live) < limit && (table->free_slots != NULL || add_chunk(table))) {
		slot = table->free_slots;
		table->free_slots = slot->next_free;
		atomic_fetch_add(&table->live, 1);
	}
	pthread_mutex_unlock(&table->lock);
	return slot;
}

static void free_slot(struct table *table, struct slot *slot)
{
	pthread_mutex_lock(&table->lock);
	slot->next_free = table->free_slots;
	table->free_slots = slot;
	pthread_mutex_unlock(&table->lock);
}

bool rstd__object_open(rstd__object_kind kind, uint32_t limit, void *object, void (*release)(void *))
{
	struct table *const table = &tables[kind];
	struct slot *const slot = take_slot(table, limit);
	rstd__object *const header = object;

	if (slot == NULL)
		return false;
	const uint64_t use = (atomic_load(&slot->state) >> (REF_BITS + 1)) + 1;
	header->release = release;
	header->handle =
		(void *)(uintptr_t)(MARK | (use & ((UINT64_C(1) << USE_BITS) - 1)) << (KIND_BITS + INDEX_BITS) |
	                            (uint64_t)slot->index << KIND_BITS | (uint64_t)kind);
	slot->object = header;
	atomic_store_explicit(&slot->state, use << (REF_BITS + 1) | LIVE | 1, memory_order_release);
	return true;
}

/* One more reference if the slot is live and, unless use is UINT64_MAX, in that use. */
static bool take_reference(struct slot *slot, uint64_t use)
{
	uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

	do {
		if ((state & LIVE) == 0 || (use != UINT64_MAX && state >> (REF_BITS + 1) != use))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1, memory_order_acquire,
	                                                memory_order_acquire));
	return true;
}

/* The slot that a number names if it has the form of a handle of that kind. */
static struct slot *slot_named(rstd__object_kind kind, uint64_t bits)
{
	if (bits >> 62 != MARK >> 62 || handle_kind(bits) != (uint32_t)kind)
		return NULL;
	return slot_at(&tables[kind], handle_index(bits));
}

void *rstd__object_get(rstd__object_kind kind, const void *handle)
{
	const uint64_t bits = (uintptr_t)handle;
	struct slot *const slot = slot_named(kind, bits);

	return slot != NULL && take_reference(slot, handle_use(bits)) ? slot->object : NULL;
}

void *rstd__object_find(rstd__object_kind kind, const void *handle)
{
	const uint64_t bits = (uintptr_t)handle;
	const struct slot *const slot = slot_named(kind, bits);

	if (slot == NULL)
		return NULL;
	const uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	return (state & LIVE) != 0 && state >> (REF_BITS + 1) == handle_use(bits) ? slot->object : NULL;
}

void rstd__object_ref(void *object)
{
	atomic_fetch_add_explicit(&slot_of(object)->state, 1, memory_order_relaxed);
}

void rstd__object_put(void *object)
{
	rstd__object *const header = object;
	struct slot *const slot = slot_of(header);
	struct table *const table = &tables[handle_kind((uintptr_t)header->handle)];
	const uint64_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);

	if ((before & REFS) == 1) {
		header->release(header);
		free_slot(table, slot);
	}
}

bool rstd__object_close(void *object)
{
	const rstd__object *const header = object;
	struct slot *const slot = slot_of(header);

	if ((atomic_fetch_and(&slot->state, ~LIVE) & LIVE) == 0)
		return false;
	atomic_fetch_sub(&tables[handle_kind((uintptr_t)header->handle)].live, 1);
	rstd__object_put(object);
	return true;
}

bool rstd__object_end(rstd__object_kind kind, const void *handle)
{
	void *const object = rstd__object_get(kind, handle);

	if (object == NULL)
		return false;
	const bool ended = rstd__object_close(object);
	rstd__object_put(object);
	return ended;
}

void *rstd__object_next(rstd__object_kind kind, uint32_t *cursor)
{
	struct slot *slot;

	while (*cursor < CHUNKS * CHUNK_SIZE && (slot = slot_at(&tables[kind], *cursor)) != NULL) {
		++*cursor;
		if (take_reference(slot, UINT64_MAX))
			return slot->object;
	}
	return NULL;
}

uint32_t rstd__object_count(rstd__object_kind kind)
{
	return atomic_load(&tables[kind].live);
}

void rstd__objects_lock(void)
{
	for (int kind = 0; kind < RSTD_OBJECT_KINDS; kind++)
		pthread_mutex_lock(&tables[kind].lock);
}

void rstd__objects_unlock(void)
{
	for (int kind = RSTD_OBJECT_KINDS; kind-- > 0;)
		pthread_mutex_unlock(&tables[kind].lock);
}
