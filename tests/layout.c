/*
 * layout.c - one logical tensor laid out in memory in many ways, and guarded outputs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

/* The axis that is number i in memory, outermost first. */
static size_t axis_at(const struct layout *layout, size_t rank, size_t i)
{
	switch (layout->order) {
	case AXES_REVERSED:
		return rank - 1 - i;
	case AXES_ROTATED:
		return (i + 1) % rank;
	default:
		return i;
	}
}

void view_make(struct view *v, const struct layout *layout, rstd_dtype dtype, const struct case_shape *shape,
               unsigned broadcast, unsigned char poison, size_t guard)
{
	const size_t size = dtype_size(dtype);
	int64_t stride = 1 + layout->gap, lowest = 0, highest = 0, length;
	size_t i, a;

	memset(v, 0, sizeof(*v));
	v->shape = *shape;
	v->tensor.dtype = dtype;
	v->tensor.rank = shape->rank;
	for (i = shape->rank; i-- > 0;) {
		a = axis_at(layout, shape->rank, i);
		length = shape->len[a];
		v->tensor.shape[a] = length;
		if (layout->wild_ones && length == 1) {
			v->tensor.strides[a] = INT64_C(1) << 60;
			continue;
		}
		if (layout->broadcast && broadcast >> a & 1)
			continue; /* stride 0 */
		v->tensor.strides[a] = layout->negative >> a & 1 ? -stride : stride;
		if (length > 1)
			*(layout->negative >> a & 1 ? &lowest : &highest) += (length - 1) * v->tensor.strides[a];
		stride = stride * (length ? length : 1) + layout->pad;
	}
	v->bytes = 2 * guard + layout->misaligned + (shape_count(shape) ? (size_t)(highest - lowest + 1) * size : 0);
	v->memory = xmalloc(v->bytes);
	memset(v->memory, poison, v->bytes);
	v->tensor.data = v->memory + guard + layout->misaligned + (size_t)-lowest * size;
}

void view_free(struct view *v)
{
	free(v->memory);
	memset(v, 0, sizeof(*v));
}

/* Where element i of the row-major order lies: walks with an index that starts at zeros. */
static unsigned char *next_element(const struct view *v, int64_t *index, unsigned char *at)
{
	const int64_t size = (int64_t)dtype_size(v->tensor.dtype);
	size_t a;

	for (a = v->shape.rank; a-- > 0;) {
		if (v->shape.len[a] == 1)
			continue;
		if (++index[a] < v->shape.len[a])
			return at + v->tensor.strides[a] * size;
		at -= v->tensor.strides[a] * size * (index[a] - 1);
		index[a] = 0;
	}
	return at;
}

void view_write(struct view *v, const uint32_t *bits)
{
	int64_t index[CASE_MAX_RANK] = { 0 };
	const size_t count = shape_count(&v->shape);
	unsigned char *at = v->tensor.data;
	size_t i;

	for (i = 0; i < count; i++) {
		bits_store(v->tensor.dtype, at, bits[i]);
		at = next_element(v, index, at);
	}
}

void view_read(const struct view *v, uint32_t *bits)
{
	int64_t index[CASE_MAX_RANK] = { 0 };
	const size_t count = shape_count(&v->shape);
	unsigned char *at = v->tensor.data;
	size_t i;

	for (i = 0; i < count; i++) {
		bits[i] = bits_load(v->tensor.dtype, at);
		at = next_element(v, index, at);
	}
}

void view_poison(struct view *v, unsigned char poison)
{
	memset(v->memory, poison, v->bytes);
}

bool view_intact(const struct view *v, unsigned char poison, bool elements)
{
	int64_t index[CASE_MAX_RANK] = { 0 };
	const size_t count = shape_count(&v->shape), size = dtype_size(v->tensor.dtype);
	unsigned char *copy = xmalloc(v->bytes), *at = v->tensor.data;
	bool intact = true;
	size_t i;

	memcpy(copy, v->memory, v->bytes);
	for (i = 0; elements && i < count; i++) {
		memset(copy + (at - v->memory), poison, size);
		at = next_element(v, index, at);
	}
	for (i = 0; i < v->bytes; i++)
		intact &= copy[i] == poison;
	free(copy);
	return intact;
}

unsigned constant_axes(const struct case_shape *shape, const uint32_t *bits)
{
	const size_t count = shape_count(shape);
	size_t inner = 1, a, i;
	unsigned mask = 0;
	bool constant;

	for (a = shape->rank; a-- > 0;) {
		constant = shape->len[a] > 1 && count > 0;
		for (i = 0; constant && i < count; i++)
			constant = i / inner % (size_t)shape->len[a] == 0 || bits[i] == bits[i - inner];
		if (constant)
			mask |= 1U << a;
		inner *= (size_t)shape->len[a] ? (size_t)shape->len[a] : 1;
	}
	return mask;
}
