/*
 * value.c - copies of descs, tensors and attribute values, and sets of attributes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A copy is one block of memory: each copy_*() function is run twice, first to measure, then to write. Where `to` is
 * NULL it only measures.
 */
#include "cann/ge/value.h"

#include <stdlib.h>
#include <string.h>

#include "cann/ge/message.h"

/* ---- Blocks -------------------------------------------------------------------------------------------------- */

#define BLOCK_ALIGNMENT 16

struct block {
	unsigned char *base; /* NULL while measuring */
	size_t used;
	bool overflow;
	bool missing; /* elements are said to be where there is no pointer */
};

/* Room for count elements; NULL while measuring. */
static void *take(struct block *b, size_t count, size_t element)
{
	const size_t start = b->used;
	size_t bytes;

	if (count > (SIZE_MAX / 2 - start - BLOCK_ALIGNMENT) / element) {
		b->overflow = true;
		return NULL;
	}
	bytes = (count * element + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
	b->used = start + bytes;
	return b->base ? b->base + start : NULL;
}

/* Whether there is an array that is said to have count elements. */
static bool is_given(struct block *b, const void *array, size_t count)
{
	b->missing |= count > 0 && !array;
	return !b->missing;
}

static const void *copy_array(struct block *b, const void *from, size_t count, size_t element)
{
	void *to = take(b, count, element);

	if (is_given(b, from, count) && to && count > 0)
		memcpy(to, from, count * element);
	return to;
}

static const char *copy_string(struct block *b, const char *from)
{
	from = rstd__name(from);
	return copy_array(b, from, strlen(from) + 1, 1);
}

static void copy_text(struct block *b, const rstd_text *from, rstd_text *to)
{
	char *data = take(b, from->size < SIZE_MAX ? from->size + 1 : from->size, 1);

	if (!is_given(b, from->data, from->size) || !to || !data)
		return;
	if (from->size > 0)
		memcpy(data, from->data, from->size);
	data[from->size] = '\0';
	to->data = data;
	to->size = from->size;
}

/* ---- Descs and tensors --------------------------------------------------------------------------------------- */

/* GE has it that a rank is unknown if any dim says so. */
static bool has_unknown_rank(const int64_t *dims, size_t rank)
{
	for (size_t i = 0; i < rank; i++)
		if (dims[i] == -2)
			return true;
	return false;
}

static void copy_desc(struct block *b, const rstd_desc *from, rstd_desc *to)
{
	static const int64_t unknown[] = { -2 };
	rstd_desc copy = *from;

	if (is_given(b, from->dims, from->rank) && has_unknown_rank(from->dims, from->rank)) {
		copy.rank = 1;
		copy.dims = unknown;
	}
	copy.dims = copy_array(b, copy.dims, copy.rank, sizeof(*copy.dims));
	copy.origin_dims = copy_array(b, from->origin_dims, from->origin_rank, sizeof(*from->origin_dims));
	copy.ranges = copy_array(b, from->ranges, from->range_count, 2 * sizeof(*from->ranges));
	copy.name = copy_string(b, from->name);
	copy.expand_dims_rule = copy_string(b, from->expand_dims_rule);
	copy.const_data = copy_array(b, from->const_data, from->const_size, 1);
	if (to)
		*to = copy;
}

static void copy_tensor(struct block *b, const rstd_ge_tensor *from, rstd_ge_tensor *to)
{
	copy_desc(b, &from->desc, to ? &to->desc : NULL);
	if (to)
		to->size = from->size;
	if (to)
		to->data = copy_array(b, from->data, from->size, 1);
	else
		(void)copy_array(b, from->data, from->size, 1);
}

bool rstd__desc_is_whole(const rstd_desc *desc)
{
	struct block b = { NULL, 0, false, false };

	copy_desc(&b, desc, NULL);
	return !b.missing;
}

void rstd__desc_init(struct rstd__desc *to)
{
	*to = (struct rstd__desc){ .desc = RSTD_DESC_DEFAULT };
}

bool rstd__desc_set(struct rstd__desc *to, const rstd_desc *from)
{
	struct block b = { NULL, 0, false, false };
	rstd_desc copy;

	copy_desc(&b, from, NULL);
	if (b.overflow || !(b.base = malloc(b.used)))
		return false;
	b.used = 0;
	copy_desc(&b, from, &copy);
	rstd__desc_clear(to);
	to->desc = copy;
	to->block = b.base;
	return true;
}

void rstd__desc_clear(struct rstd__desc *desc)
{
	free(desc->block);
	rstd__desc_init(desc);
}

/* ---- Values -------------------------------------------------------------------------------------------------- */

static void copy_value(struct block *b, const rstd_value *from, rstd_value *to);

/* `to` is written where there is one: a list of them behind `from`. */
static const rstd_named_attrs *copy_named(struct block *b, const rstd_named_attrs *from, size_t count)
{
	rstd_named_attrs *to = take(b, count, sizeof(*to));

	for (size_t i = 0; is_given(b, from, count) && i < count; i++) {
		rstd_attr *attrs = take(b, from[i].count, sizeof(*attrs));
		const char *name = copy_string(b, from[i].name);

		if (to)
			to[i] = (rstd_named_attrs){ name, from[i].count, attrs };
		for (size_t j = 0; is_given(b, from[i].attrs, from[i].count) && j < from[i].count; j++) {
			const char *attr = copy_string(b, from[i].attrs[j].name);

			if (attrs)
				attrs[j].name = attr;
			copy_value(b, &from[i].attrs[j].value, attrs ? &attrs[j].value : NULL);
		}
	}
	return to;
}

static const rstd_ge_tensor *copy_tensors(struct block *b, const rstd_ge_tensor *from, size_t count)
{
	rstd_ge_tensor *to = take(b, count, sizeof(*to));

	for (size_t i = 0; is_given(b, from, count) && i < count; i++)
		copy_tensor(b, &from[i], to ? &to[i] : NULL);
	return to;
}

/* A DESC is a tensor whose data does not count. */
static const rstd_ge_tensor *copy_descs(struct block *b, const rstd_ge_tensor *from, size_t count)
{
	rstd_ge_tensor *to = take(b, count, sizeof(*to));

	for (size_t i = 0; is_given(b, from, count) && i < count; i++) {
		copy_desc(b, &from[i].desc, to ? &to[i].desc : NULL);
		if (to) {
			to[i].data = NULL;
			to[i].size = 0;
		}
	}
	return to;
}

static const rstd_text *copy_texts(struct block *b, const rstd_text *from, size_t count)
{
	rstd_text *to = take(b, count, sizeof(*to));

	for (size_t i = 0; is_given(b, from, count) && i < count; i++)
		copy_text(b, &from[i], to ? &to[i] : NULL);
	return to;
}

static const rstd_int_list *copy_int_lists(struct block *b, const rstd_int_list *from, size_t count)
{
	rstd_int_list *to = take(b, count, sizeof(*to));

	for (size_t i = 0; is_given(b, from, count) && i < count; i++) {
		const int64_t *ints = copy_array(b, from[i].ints, from[i].count, sizeof(*ints));

		if (to)
			to[i] = (rstd_int_list){ from[i].count, ints };
	}
	return to;
}

static const rstd_float_list *copy_float_lists(struct block *b, const rstd_float_list *from, size_t count)
{
	rstd_float_list *to = take(b, count, sizeof(*to));

	for (size_t i = 0; is_given(b, from, count) && i < count; i++) {
		const float *floats = copy_array(b, from[i].floats, from[i].count, sizeof(*floats));

		if (to)
			to[i] = (rstd_float_list){ from[i].count, floats };
	}
	return to;
}

static void copy_value(struct block *b, const rstd_value *from, rstd_value *to)
{
	const size_t count = from->count;
	rstd_value copy = *from;

	switch (from->kind) {
	case RSTD_VALUE_NONE:
	case RSTD_VALUE_INT:
	case RSTD_VALUE_FLOAT:
	case RSTD_VALUE_BOOL:
	case RSTD_VALUE_DTYPE:
		break;
	case RSTD_VALUE_STRING:
	case RSTD_VALUE_BYTES:
		copy_text(b, &from->as.text, b->base ? &copy.as.text : NULL);
		break;
	case RSTD_VALUE_TENSOR:
		copy.as.tensor = copy_tensors(b, from->as.tensor, 1);
		break;
	case RSTD_VALUE_LIST_TENSOR:
		copy.as.tensor = copy_tensors(b, from->as.tensor, count);
		break;
	case RSTD_VALUE_DESC:
		copy.as.tensor = copy_descs(b, from->as.tensor, 1);
		break;
	case RSTD_VALUE_LIST_DESC:
		copy.as.tensor = copy_descs(b, from->as.tensor, count);
		break;
	case RSTD_VALUE_NAMED_ATTRS:
		copy.as.named = copy_named(b, from->as.named, 1);
		break;
	case RSTD_VALUE_LIST_NAMED_ATTRS:
		copy.as.named = copy_named(b, from->as.named, count);
		break;
	case RSTD_VALUE_LIST_INT:
		copy.as.ints = copy_array(b, from->as.ints, count, sizeof(*copy.as.ints));
		break;
	case RSTD_VALUE_LIST_FLOAT:
		copy.as.floats = copy_array(b, from->as.floats, count, sizeof(*copy.as.floats));
		break;
	case RSTD_VALUE_LIST_BOOL:
		copy.as.bools = copy_array(b, from->as.bools, count, sizeof(*copy.as.bools));
		break;
	case RSTD_VALUE_LIST_DTYPE:
		copy.as.dtypes = copy_array(b, from->as.dtypes, count, sizeof(*copy.as.dtypes));
		break;
	case RSTD_VALUE_LIST_STRING:
	case RSTD_VALUE_LIST_BYTES:
		copy.as.texts = copy_texts(b, from->as.texts, count);
		break;
	case RSTD_VALUE_LIST_LIST_INT:
		copy.as.int_lists = copy_int_lists(b, from->as.int_lists, count);
		break;
	case RSTD_VALUE_LIST_LIST_FLOAT:
		copy.as.float_lists = copy_float_lists(b, from->as.float_lists, count);
		break;
	}
	if (to)
		*to = copy;
}

/* Whether there is a pointer wherever counts and sizes say that there are elements. */
static bool is_whole(const rstd_value *value)
{
	struct block b = { NULL, 0, false, false };

	copy_value(&b, value, NULL);
	return !b.missing;
}

static bool is_kind(rstd_value_kind kind)
{
	switch (kind) {
#define KIND(name, number, text) case RSTD_VALUE_##name:
		RSTD_VALUE_MAP(KIND)
#undef KIND
		return true;
	}
	return false;
}

/* ---- Sets of attributes -------------------------------------------------------------------------------------- */

/* The beginning of the block that holds all that attr points to. */
struct rstd__attr_entry {
	rstd_attr attr;
};

static struct rstd__attr_entry *new_entry(const char *name, const rstd_value *value)
{
	struct block b = { NULL, 0, false, false };
	struct rstd__attr_entry *entry;

	(void)take(&b, 1, sizeof(*entry));
	(void)copy_string(&b, name);
	copy_value(&b, value, NULL);
	if (b.overflow || !(b.base = malloc(b.used)))
		return NULL;
	b.used = 0;
	entry = take(&b, 1, sizeof(*entry));
	entry->attr.name = copy_string(&b, name);
	copy_value(&b, value, &entry->attr.value);
	return entry;
}

static size_t find(const rstd_attrs *attrs, const char *name)
{
	size_t i = 0;

	while (i < attrs->count && strcmp(attrs->entries[i]->attr.name, name) != 0)
		i++;
	return i;
}

static bool set(rstd_attrs *attrs, const char *name, const rstd_value *value)
{
	const size_t at = find(attrs, name);
	struct rstd__attr_entry **entries, *entry;

	entries = rstd__grown(attrs->entries, &attrs->capacity, at + 1, sizeof(struct rstd__attr_entry *));
	if (!entries)
		return false;
	attrs->entries = entries;
	entry = new_entry(name, value);
	if (!entry)
		return false;
	if (at == attrs->count)
		attrs->count++;
	else
		free(attrs->entries[at]);
	attrs->entries[at] = entry;
	attrs->version++;
	return true;
}

rstd_ge_status rstd_attrs_set(rstd_attrs *attrs, const char *name, const rstd_value *value)
{
	if (!attrs || !value)
		return RSTD_GE_NULL_PTR;
	if (!is_kind(value->kind))
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "attribute %s: kind is %d, must be one of rstd_value_kind", rstd__name(name),
		                        (int)value->kind);
	if (!is_whole(value))
		return RSTD_GE_NULL_PTR;
	if (!set(attrs, rstd__name(name), value))
		return rstd__ge_no_memory("an attribute");
	return RSTD_GE_SUCCESS;
}

const rstd_value *rstd_attrs_get(const rstd_attrs *attrs, const char *name)
{
	const size_t at = attrs ? find(attrs, rstd__name(name)) : 0;

	return attrs && at < attrs->count ? &attrs->entries[at]->attr.value : NULL;
}

bool rstd_attrs_remove(rstd_attrs *attrs, const char *name)
{
	const size_t at = attrs ? find(attrs, rstd__name(name)) : 0;

	if (!attrs || at == attrs->count)
		return false;
	free(attrs->entries[at]);
	attrs->count--;
	memmove(&attrs->entries[at], &attrs->entries[at + 1], (attrs->count - at) * sizeof(struct rstd__attr_entry *));
	attrs->version++;
	return true;
}

size_t rstd_attrs_count(const rstd_attrs *attrs)
{
	return attrs ? attrs->count : 0;
}

const rstd_attr *rstd_attrs_at(const rstd_attrs *attrs, size_t index)
{
	return attrs && index < attrs->count ? &attrs->entries[index]->attr : NULL;
}

void rstd__attrs_clear(rstd_attrs *attrs)
{
	for (size_t i = 0; i < attrs->count; i++)
		free(attrs->entries[i]);
	free(attrs->entries);
	attrs->entries = NULL;
	attrs->count = attrs->capacity = 0;
	attrs->version++;
}

bool rstd__attrs_copy(rstd_attrs *to, const rstd_attrs *from)
{
	for (size_t i = 0; i < from->count; i++)
		if (!set(to, from->entries[i]->attr.name, &from->entries[i]->attr.value))
			return false;
	return true;
}

/* ---- Helpers ------------------------------------------------------------------------------------------------- */

void *rstd__grown(void *array, size_t *capacity, size_t needed, size_t element)
{
	size_t room = *capacity;
	void *moved;

	if (needed <= room && array)
		return array;
	if (needed < 4)
		needed = 4;
	if (needed > SIZE_MAX / 4 / element)
		return NULL;
	while (room < needed)
		room = room < 4 ? 4 : room * 2;
	moved = realloc(array, room * element);
	if (moved)
		*capacity = room;
	return moved;
}

char *rstd__text_copy(const char *text)
{
	const size_t size = strlen(rstd__name(text)) + 1;
	char *copy = malloc(size);

	if (copy)
		memcpy(copy, rstd__name(text), size);
	return copy;
}

void rstd_graph_free(void *bytes)
{
	free(bytes);
}
