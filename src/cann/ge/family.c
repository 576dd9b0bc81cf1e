/*
 * family.c - a graph with all graphs that belong to it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/family.h"

#include <string.h>

/* Adds a graph that is not there yet. */
static bool add(struct rstd__family *family, const rstd_graph *graph, struct rstd__arena *arena)
{
	for (size_t i = 0; i < family->count; i++)
		if (family->at[i] == graph)
			return true;
	if (family->count == family->capacity) {
		const size_t capacity = family->capacity ? 2 * family->capacity : 8;
		const rstd_graph **grown = rstd__arena_new(arena, capacity, sizeof(*grown));

		if (!grown)
			return false;
		if (family->count > 0)
			memcpy(grown, family->at, family->count * sizeof(*grown));
		family->at = grown;
		family->capacity = capacity;
	}
	family->at[family->count++] = graph;
	return true;
}

static bool add_instances(struct rstd__family *family, const rstd_op *op, struct rstd__arena *arena)
{
	for (size_t i = 0; i < op->subgraph_count; i++)
		for (uint32_t k = 0; k < op->subgraphs[i].count; k++)
			if (op->subgraphs[i].instances[k] && !add(family, op->subgraphs[i].instances[k], arena))
				return false;
	return true;
}

bool rstd__family_of(const rstd_graph *graph, struct rstd__family *family, struct rstd__arena *arena)
{
	*family = (struct rstd__family){ NULL, 0, 0 };
	if (!add(family, graph, arena))
		return false;
	for (size_t next = 0; next < family->count; next++) {
		const rstd_graph *member = family->at[next];

		for (size_t i = 0; i < member->subgraph_count; i++)
			if (!add(family, member->subgraphs[i], arena))
				return false;
		for (size_t i = 0; i < member->nodes.count; i++)
			if (!add_instances(family, member->nodes.at[i]->op, arena))
				return false;
	}
	return true;
}
