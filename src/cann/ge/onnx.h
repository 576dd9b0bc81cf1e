/*
 * onnx.h - a graph as the message that viewers of ONNX open (proto/ge_onnx.proto)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_ONNX_H
#define RSTD_CANN_GE_ONNX_H

#include "cann/ge/family.h"
#include "ge_onnx.pb-c.h"

/*
 * The message of a graph, the first of its family, in the arena, parts of it in the graphs themselves; NULL when memory
 * runs out. Attributes that are strings are written on request only: they may be large.
 */
Ge__Onnx__ModelProto *rstd__onnx_write(const struct rstd__family *family, bool with_strings, struct rstd__arena *arena);

#endif
