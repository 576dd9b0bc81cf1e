/*
 * readable.h - a graph as lines for people, one a node
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_READABLE_H
#define RSTD_CANN_GE_READABLE_H

#include "cann/ge/graph.h"
#include "cann/ge/text.h"

/* The graph itself, without its subgraphs. */
void rstd__readable(struct rstd__text *text, const rstd_graph *graph);

#endif
