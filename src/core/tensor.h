/*
 * tensor.h - checks of tensor views, and the element formats behind dtypes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_TENSOR_H
#define RSTD_CORE_TENSOR_H

#include "kernels/format.h"
#include "rstd/rstd.h"

/* Only for a dtype that rstd__check_dtype() has passed. */
static inline enum rstd__format rstd__format_of(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? RSTD__F32 : dtype == RSTD_F16 ? RSTD__F16 : RSTD__BF16;
}

/* "float32", "float16", "bfloat16", or "unknown": for messages. */
const char *rstd__dtype_name(rstd_dtype dtype);

rstd_status rstd__check_dtype(const char *name, rstd_dtype dtype);

/*
 * Checks rank and lengths, and that their product fits in int64_t; the product goes to *count unless count is NULL.
 * `name` is the argument's name in messages.
 */
rstd_status rstd__check_shape(const char *name, const int64_t *shape, size_t rank, int64_t *count);

/*
 * Checks everything about a view but its data: not NULL, dtype, rank, shape, and that its strides reach over no more
 * bytes than the addresses can be calculated with.
 */
rstd_status rstd__check_view(const char *name, const rstd_tensor *t);

/* "[2, 3, 4]", cut to the buffer: for messages. Returns the buffer. */
struct rstd__shape_text {
	char text[RSTD_MAX_RANK * 22 + 3];
};
const char *rstd__shape_text(struct rstd__shape_text *buffer, const int64_t *shape, size_t rank);

#endif
