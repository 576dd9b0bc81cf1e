/*
 * shape.c - which axes are reduced, and the shape that is left
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/shape.h"

#include <inttypes.h>
#include <string.h>

#include "core/tensor.h"
#include "runtime/error.h"

rstd_status rstd__reduced_axes(size_t rank, const int64_t *dim, size_t dim_count, bool reduced[RSTD_MAX_RANK])
{
	/* rank 0 takes the axes 0 and -1, as numpy and torch do: it has one element, so they mean nothing */
	const int64_t axes = rank > 0 ? (int64_t)rank : 1;

	if (!dim && dim_count > 0)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "dim: is NULL, %zu axes are required", dim_count);
	for (size_t i = 0; i < RSTD_MAX_RANK; i++)
		reduced[i] = dim_count == 0;
	for (size_t i = 0; i < dim_count; i++) {
		if (dim[i] < -axes || dim[i] >= axes)
			return rstd__fail(RSTD_ERROR_DIM,
			                  "dim: axis %" PRId64 " is out of range, allowed are %" PRId64 " to %" PRId64,
			                  dim[i], -axes, axes - 1);

		const int64_t axis = dim[i] < 0 ? dim[i] + axes : dim[i];

		if (reduced[axis])
			return rstd__fail(RSTD_ERROR_DIM, "dim: axis %" PRId64 " is named twice, allowed is once",
			                  axis);
		reduced[axis] = true;
	}
	return RSTD_OK;
}

size_t rstd__reduced_shape(const int64_t *shape, size_t rank, const bool reduced[RSTD_MAX_RANK], bool keepdim,
                           int64_t out_shape[RSTD_MAX_RANK])
{
	size_t out_rank = 0;

	for (size_t i = 0; i < rank; i++) {
		if (!reduced[i])
			out_shape[out_rank++] = shape[i];
		else if (keepdim)
			out_shape[out_rank++] = 1;
	}
	return out_rank;
}

rstd_status rstd_infer_shape(const int64_t *shape, size_t rank, const int64_t *dim, size_t dim_count, bool keepdim,
                             int64_t *out_shape, size_t *out_rank)
{
	int64_t left[RSTD_MAX_RANK];
	bool reduced[RSTD_MAX_RANK];
	rstd_status status;
	size_t left_rank;

	if (!shape && rank > 0)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "shape: is NULL, %zu lengths are required", rank);
	if (!out_shape)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "out_shape: is NULL, room for %d lengths is required",
		                  RSTD_MAX_RANK);
	if (!out_rank)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "out_rank: is NULL, a place for the rank is required");
	status = rstd__check_shape("shape", shape, rank, NULL);
	if (status != RSTD_OK)
		return status;
	status = rstd__reduced_axes(rank, dim, dim_count, reduced);
	if (status != RSTD_OK)
		return status;
	left_rank = rstd__reduced_shape(shape, rank, reduced, keepdim, left);
	status = rstd__check_shape("out_shape", left, left_rank, NULL); /* an axis of length 0 may have gone */
	if (status != RSTD_OK)
		return status;
	memcpy(out_shape, left, left_rank * sizeof(*left));
	*out_rank = left_rank;
	return RSTD_OK;
}
