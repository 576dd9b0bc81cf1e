/*
 * prototext.h - protobuf messages as text, and a check of bytes that are to become one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_PROTOTEXT_H
#define RSTD_CANN_GE_PROTOTEXT_H

#include <protobuf-c/protobuf-c.h>

#include "cann/ge/text.h"

/*
 * Appends a message in the text format of protobuf (protobuf.dev, "Text Format Language"): fields in the order of their
 * numbers, zeros left out but within a oneof. The fields of always_complete are written also when they are zero (NULL:
 * none): that is how entries of maps look.
 */
void rstd__prototext(struct rstd__text *text, const ProtobufCMessage *message,
                     const ProtobufCMessageDescriptor *always_complete);

/*
 * Whether bytes could be a message in which messages nest at most `depth` deep, counting this one, and no field that
 * holds one message is given twice. protobuf-c itself follows any depth, until the stack is used up, and puts the two
 * together, which takes quadratic time if there are many. Malformed bytes are refused too.
 */
bool rstd__proto_is_plain(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size, int depth);

#endif
