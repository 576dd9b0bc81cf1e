/*
 * onnx.h - a graph as the message that viewers of ONNX open (proto/ge_onnx.proto)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_ONNX_H
#define RSTD_CANN_GE_ONNX_H

#include "cann/ge/arena.h"
#include "cann/ge/graph.h"
#include "ge_onnx.pb-c.h"

/*
 * The message of a graph, in the arena, parts of it in the graph itself; NULL when memory runs out. Attributes that are
 * strings are written on request only: they may be large.
 */
Ge__Onnx__ModelProto *rstd__onnx_write(const rstd_graph *graph, bool with_strings, struct rstd__arena *arena);

#endif
