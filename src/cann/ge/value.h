/*
 * value.h - copies of descs, tensors and attribute values, and sets of attributes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_VALUE_H
#define RSTD_CANN_GE_VALUE_H

#include "rstd/graph.h"

/* A desc with everything that it points to in one block. A struct of zeros with desc = RSTD_DESC_DEFAULT is empty. */
struct rstd__desc {
	rstd_desc desc;
	void *block;
};

void rstd__desc_init(struct rstd__desc *to);

/* Whether there is a pointer wherever counts say that there are dims, ranges or bytes. */
bool rstd__desc_is_whole(const rstd_desc *desc);

/* Replaces what was there. False, and nothing changed, when memory runs out. `from` is whole. */
bool rstd__desc_set(struct rstd__desc *to, const rstd_desc *from);
void rstd__desc_clear(struct rstd__desc *desc);

/* A set of attributes: entries are blocks of their own, so that values stay where they are while others come and go. */
struct rstd_attrs {
	struct rstd__attr_entry **entries;
	size_t count, capacity;
	uint64_t version; /* changes with every change */
};

void rstd__attrs_clear(rstd_attrs *attrs);
bool rstd__attrs_copy(rstd_attrs *to, const rstd_attrs *from);

/* ---- Small helpers of all files here ------------------------------------------------------------------------- */

/*
 * Makes room for `needed` elements: returns the array, moved if need be, with *capacity the new room; NULL, and the
 * old array as it was, when memory runs out.
 */
void *rstd__grown(void *array, size_t *capacity, size_t needed, size_t element);

/* A copy on the heap; "" for NULL. NULL when memory runs out. */
char *rstd__text_copy(const char *text);

static inline const char *rstd__name(const char *name)
{
	return name ? name : "";
}

#endif
