/*
 * layout.h - one logical tensor laid out in memory in many ways, and guarded outputs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_TESTS_LAYOUT_H
#define RSTD_TESTS_LAYOUT_H

#include "case_gen.h"

enum axis_order { AXES_AS_GIVEN, AXES_REVERSED, AXES_ROTATED };

/* How a tensor lies in memory. {0} with a name is contiguous and row-major. */
struct layout {
	const char *name;
	enum axis_order order; /* of the axes in memory, outermost first */
	int gap;               /* elements of nothing after each element */
	int pad;               /* elements of nothing after each run along an axis */
	unsigned negative;     /* mask of axes whose stride is negative */
	bool misaligned;       /* data one byte off its natural alignment */
	bool broadcast;        /* stride 0 along every axis that the data are constant along */
	bool wild_ones;        /* meaningless huge strides on axes of length 1 */
};

/* A tensor in memory of its own, which is exactly as large as the layout needs plus guards. */
struct view {
	rstd_tensor tensor;
	struct case_shape shape;
	unsigned char *memory;
	size_t bytes;
};

/*
 * Makes a view of shape (rank at most RSTD_MAX_RANK) with all memory, the elements too, set to the byte poison.
 * broadcast is the mask of axes that get stride 0 where the layout broadcasts. guard is the number of bytes of poison
 * before and after: 0 for inputs, so that AddressSanitizer sees a read beside them.
 */
void view_make(struct view *v, const struct layout *layout, rstd_dtype dtype, const struct case_shape *shape,
               unsigned broadcast, unsigned char poison, size_t guard);
void view_free(struct view *v);
/* Elements to and from row-major bits. */
void view_write(struct view *v, const uint32_t *bits);
void view_read(const struct view *v, uint32_t *bits);
void view_poison(struct view *v, unsigned char poison);
/* Whether every byte that belongs to no element is still poison; elements = false: every byte at all. */
bool view_intact(const struct view *v, unsigned char poison, bool elements);

/* The mask of axes of length 2 or more along which row-major data are constant. */
unsigned constant_axes(const struct case_shape *shape, const uint32_t *bits);

#endif
