/*
 * overlap.h - whether strided views share memory, decided exactly unless that takes too long
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_OVERLAP_H
#define RSTD_CORE_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rstd/rstd.h"

/* A set of byte addresses: start + i0 * stride[0] + i1 * stride[1] + ... + [0, size), each i below its count >= 1. */
struct rstd__region {
	uintptr_t start;
	size_t size; /* bytes of an element */
	size_t rank;
	int64_t count[RSTD_MAX_RANK];
	int64_t stride[RSTD_MAX_RANK]; /* bytes, any sign */
};

/* Whether two different elements of the region share a byte. Both say yes, too, where a million steps do not tell. */
bool rstd__overlaps_itself(const struct rstd__region *r);

/* Whether the regions share a byte. */
bool rstd__overlap(const struct rstd__region *a, const struct rstd__region *b);

#endif
