/*
 * tensor.c - checks of tensor views, and the element formats behind dtypes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/tensor.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/error.h"

const char *rstd__dtype_name(rstd_dtype dtype)
{
	switch (dtype) {
	case RSTD_F32:
		return "float32";
	case RSTD_F16:
		return "float16";
	case RSTD_BF16:
		return "bfloat16";
	}
	return "unknown";
}

rstd_status rstd__check_dtype(const char *name, rstd_dtype dtype)
{
	switch (dtype) {
	case RSTD_F32:
	case RSTD_F16:
	case RSTD_BF16:
		return RSTD_OK;
	}
	return rstd__fail(RSTD_ERROR_DTYPE, "%s: dtype is %d, allowed are RSTD_F32 (1), RSTD_F16 (2) and RSTD_BF16 (3)",
	                  name, (int)dtype);
}

const char *rstd__shape_text(struct rstd__shape_text *buffer, const int64_t *shape, size_t rank)
{
	char *p = buffer->text;
	char *const end = p + sizeof(buffer->text);

	*p++ = '[';
	for (size_t i = 0; i < rank; i++)
		p += snprintf(p, (size_t)(end - p), "%s%" PRId64, i ? ", " : "", shape[i]);
	*p++ = ']';
	*p = '\0';
	return buffer->text;
}

rstd_status rstd__check_shape(const char *name, const int64_t *shape, size_t rank, int64_t *count)
{
	int64_t product = 1;
	bool empty = false, too_many = false;
	struct rstd__shape_text text;

	if (rank > RSTD_MAX_RANK)
		return rstd__fail(RSTD_ERROR_RANK, "%s: rank is %zu, allowed are 0 to %d", name, rank, RSTD_MAX_RANK);
	for (size_t i = 0; i < rank; i++) {
		if (shape[i] < 0)
			return rstd__fail(RSTD_ERROR_SHAPE,
			                  "%s: length of axis %zu is %" PRId64 ", allowed are 0 and more", name, i,
			                  shape[i]);
		empty |= shape[i] == 0;
		too_many |= __builtin_mul_overflow(product, shape[i], &product);
	}
	if (too_many && !empty)
		return rstd__fail(RSTD_ERROR_OVERFLOW,
		                  "%s: shape %s has more elements than the %" PRId64 " that are allowed", name,
		                  rstd__shape_text(&text, shape, rank), INT64_MAX);
	if (count)
		*count = empty ? 0 : product;
	return RSTD_OK;
}

/* A quarter of the address space that a ptrdiff_t spans: sums of two reaches, and twice one, still fit (overlap.c). */
#define MAX_REACH (PTRDIFF_MAX / 4)

/* Whether the bytes from the lowest to the highest address of the view are few enough to calculate with. */
static bool reach_fits(const rstd_tensor *t)
{
	int64_t reach = 1;

	for (size_t i = 0; i < t->rank; i++) {
		int64_t elements;

		if (t->shape[i] == 1) /* its stride leads nowhere */
			continue;
		if (t->strides[i] == INT64_MIN ||
		    __builtin_mul_overflow(t->strides[i] < 0 ? -t->strides[i] : t->strides[i], t->shape[i] - 1,
		                           &elements) ||
		    __builtin_add_overflow(reach, elements, &reach))
			return false;
	}
	return !__builtin_mul_overflow(reach, (int64_t)rstd__format_info[rstd__format_of(t->dtype)].size, &reach) &&
	       reach <= MAX_REACH;
}

rstd_status rstd__check_view(const char *name, const rstd_tensor *t)
{
	int64_t elements;
	rstd_status status;

	if (!t)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "%s: is NULL, a tensor is required", name);
	status = rstd__check_dtype(name, t->dtype);
	if (status != RSTD_OK)
		return status;
	status = rstd__check_shape(name, t->shape, t->rank, &elements);
	if (status != RSTD_OK)
		return status;
	if (elements > 0 && !reach_fits(t))
		return rstd__fail(RSTD_ERROR_OVERFLOW,
		                  "%s: strides reach over more bytes than the %td that are allowed", name,
		                  (ptrdiff_t)MAX_REACH);
	return RSTD_OK;
}

rstd_status rstd_tensor_contiguous(rstd_tensor *tensor, void *data, rstd_dtype dtype, size_t rank, const int64_t *shape)
{
	rstd_tensor t = { .data = data, .dtype = dtype, .rank = rank };
	rstd_status status;
	int64_t stride = 1;

	if (!tensor)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "tensor: is NULL, a tensor is required");
	if (!shape && rank > 0)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "shape: is NULL, %zu lengths are required", rank);
	status = rstd__check_shape("shape", shape, rank, NULL);
	if (status != RSTD_OK)
		return status;
	for (size_t i = rank; i-- > 0;) {
		t.shape[i] = shape[i];
		t.strides[i] = stride;
		/* an empty view has no addresses, so its strides may be anything that does not overflow */
		if (shape[i] > 0 && __builtin_mul_overflow(stride, shape[i], &stride))
			stride = 0;
	}
	status = rstd__check_view("tensor", &t);
	if (status == RSTD_OK)
		*tensor = t;
	return status;
}
