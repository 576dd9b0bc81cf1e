/*
 * names.c - which names have been given, so that a new one need not be compared with all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/names.h"

#include <stdlib.h>

#define LEAST 64 /* a power of 2, as every capacity */

/* FNV-1a, and never 0. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
	return hash ? hash : 1;
}

/* Where the hash is, or where it would go. There is a free place. */
static size_t place_of(const struct rstd__names *names, uint64_t hash)
{
	size_t at = (size_t)hash & (names->capacity - 1);

	while (names->hashes[at] && names->hashes[at] != hash)
		at = (at + 1) & (names->capacity - 1);
	return at;
}

/* At most half of the places are taken. */
static bool reserve(struct rstd__names *names)
{
	struct rstd__names grown = { NULL, names->count, names->capacity ? 2 * names->capacity : LEAST };

	if (2 * names->count < names->capacity)
		return true;
	if (grown.capacity < SIZE_MAX / 2 / sizeof(*grown.hashes))
		grown.hashes = calloc(grown.capacity, sizeof(*grown.hashes));
	if (!grown.hashes)
		return false;
	for (size_t i = 0; i < names->capacity; i++)
		if (names->hashes[i])
			grown.hashes[place_of(&grown, names->hashes[i])] = names->hashes[i];
	free(names->hashes);
	*names = grown;
	return true;
}

bool rstd__names_add(struct rstd__names *names, const char *name)
{
	const uint64_t hash = hash_of(name);
	size_t at;

	if (!reserve(names))
		return false;
	at = place_of(names, hash);
	names->count += names->hashes[at] == 0;
	names->hashes[at] = hash;
	return true;
}

bool rstd__names_may_have(const struct rstd__names *names, const char *name)
{
	const uint64_t hash = hash_of(name);

	return names->capacity > 0 && names->hashes[place_of(names, hash)] == hash;
}

void rstd__names_clear(struct rstd__names *names)
{
	free(names->hashes);
	*names = (struct rstd__names){ NULL, 0, 0 };
}
