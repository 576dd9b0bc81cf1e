/*
 * shape.h - which axes are reduced, and the shape that is left
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_SHAPE_H
#define RSTD_CORE_SHAPE_H

#include "rstd/rstd.h"

/*
 * Resolves dim: reduced[i] says whether axis i is reduced, for i in [0, rank). Fails with NULL_POINTER or DIM, reduced
 * then holds anything.
 */
rstd_status rstd__reduced_axes(size_t rank, const int64_t *dim, size_t dim_count, bool reduced[RSTD_MAX_RANK]);

/* The shape after the reduction; returns its rank. */
size_t rstd__reduced_shape(const int64_t *shape, size_t rank, const bool reduced[RSTD_MAX_RANK], bool keepdim,
                           int64_t out_shape[RSTD_MAX_RANK]);

#endif
