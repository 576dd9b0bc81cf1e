/*
 * names.h - which names have been given, so that a new one need not be compared with all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_NAMES_H
#define RSTD_CANN_GE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is an empty set. Names are never taken out. */
struct rstd__names {
	uint64_t *hashes; /* open addressing; 0: free */
	size_t count, capacity;
};

/* False when memory runs out. */
bool rstd__names_add(struct rstd__names *names, const char *name);

/* False: the name was not added. True: it was, or another one with its hash. */
bool rstd__names_may_have(const struct rstd__names *names, const char *name);

void rstd__names_clear(struct rstd__names *names);

#endif
