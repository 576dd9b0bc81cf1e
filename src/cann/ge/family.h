/*
 * family.h - a graph with all graphs that belong to it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_FAMILY_H
#define RSTD_CANN_GE_FAMILY_H

#include "cann/ge/arena.h"
#include "cann/ge/graph.h"

struct rstd__family {
	const rstd_graph **at; /* the graph itself first */
	size_t count, capacity;
};

/*
 * The graph, its subgraphs, those that its operators hold, and theirs, each once, however they hold each other. The list
 * is in the arena. False when memory runs out.
 */
bool rstd__family_of(const rstd_graph *graph, struct rstd__family *family, struct rstd__arena *arena);

#endif
