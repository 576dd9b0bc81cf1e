/*
 * prototext.c - protobuf messages as text, and a check of bytes that are to become one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/prototext.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ----------------------------------------------------------------------------------------------------- */

struct printer {
	struct rstd__text *text;
	const ProtobufCMessageDescriptor *complete;
	int indent;
};

static void print_message(struct printer *printer, const ProtobufCMessage *message);

/* In quotes; what is not printable ASCII in octal, as C has it. */
static void print_quoted(struct printer *printer, const char *bytes, size_t size)
{
	struct rstd__text *text = printer->text;

	rstd__text_add(text, "\"", 1);
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)bytes[i];

		if (c == '"' || c == '\\' || c == '\'')
			rstd__text_print(text, "\\%c", c);
		else if (c == '\n')
			rstd__text_print(text, "\\n");
		else if (c == '\r')
			rstd__text_print(text, "\\r");
		else if (c == '\t')
			rstd__text_print(text, "\\t");
		else if (c < 0x20 || c >= 0x7f)
			rstd__text_print(text, "\\%03o", c);
		else
			rstd__text_add(text, (const char *)&bytes[i], 1);
	}
	rstd__text_add(text, "\"", 1);
}

/* The shorter of 6 and 9 digits that gives the same number; a point in any locale. */
static void print_float(struct printer *printer, float value)
{
	char digits[32];

	if (isnan(value)) {
		rstd__text_print(printer->text, "nan");
		return;
	}
	(void)snprintf(digits, sizeof(digits), "%.6g", (double)value);
	if (strtof(digits, NULL) != value)
		(void)snprintf(digits, sizeof(digits), "%.9g", (double)value);
	for (char *c = digits; *c; c++)
		if (!strchr("+-0123456789einf", *c))
			*c = '.';
	rstd__text_print(printer->text, "%s", digits);
}

/* Bytes that one element of a field takes in the struct of its message. */
static size_t element_size(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_INT64:
		return sizeof(int64_t);
	case PROTOBUF_C_TYPE_FLOAT:
		return sizeof(float);
	case PROTOBUF_C_TYPE_BOOL:
		return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_STRING:
		return sizeof(char *);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_MESSAGE:
		return sizeof(ProtobufCMessage *);
	default: /* int32, uint32, enum: there are no others in our messages */
		return sizeof(int32_t);
	}
}

static void print_scalar(struct printer *printer, const ProtobufCFieldDescriptor *field, const void *at)
{
	const ProtobufCEnumValue *name;

	switch (field->type) {
	case PROTOBUF_C_TYPE_INT64:
		rstd__text_print(printer->text, "%" PRId64, *(const int64_t *)at);
		return;
	case PROTOBUF_C_TYPE_UINT32:
		rstd__text_print(printer->text, "%" PRIu32, *(const uint32_t *)at);
		return;
	case PROTOBUF_C_TYPE_FLOAT:
		print_float(printer, *(const float *)at);
		return;
	case PROTOBUF_C_TYPE_BOOL:
		rstd__text_print(printer->text, *(const protobuf_c_boolean *)at ? "true" : "false");
		return;
	case PROTOBUF_C_TYPE_STRING:
		print_quoted(printer, *(const char *const *)at, strlen(*(const char *const *)at));
		return;
	case PROTOBUF_C_TYPE_BYTES:
		print_quoted(printer, (const char *)((const ProtobufCBinaryData *)at)->data,
		             ((const ProtobufCBinaryData *)at)->len);
		return;
	case PROTOBUF_C_TYPE_ENUM:
		name = protobuf_c_enum_descriptor_get_value(field->descriptor, *(const int *)at);
		if (name)
			rstd__text_print(printer->text, "%s", name->name);
		else
			rstd__text_print(printer->text, "%d", *(const int *)at);
		return;
	default:
		rstd__text_print(printer->text, "%" PRId32, *(const int32_t *)at);
		return;
	}
}

static void print_element(struct printer *printer, const ProtobufCFieldDescriptor *field, const void *at)
{
	rstd__text_print(printer->text, "%*s%s", printer->indent, "", field->name);
	if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
		rstd__text_print(printer->text, ": ");
		print_scalar(printer, field, at);
		rstd__text_print(printer->text, "\n");
		return;
	}
	rstd__text_print(printer->text, " {\n");
	printer->indent += 2;
	print_message(printer, *(const ProtobufCMessage *const *)at);
	printer->indent -= 2;
	rstd__text_print(printer->text, "%*s}\n", printer->indent, "");
}

static bool is_zero(const ProtobufCFieldDescriptor *field, const void *at)
{
	static const unsigned char zeros[sizeof(int64_t)] = { 0 };

	switch (field->type) {
	case PROTOBUF_C_TYPE_STRING:
		return *(const char *const *)at == NULL || **(const char *const *)at == '\0';
	case PROTOBUF_C_TYPE_BYTES:
		return ((const ProtobufCBinaryData *)at)->len == 0;
	case PROTOBUF_C_TYPE_MESSAGE:
		return *(const ProtobufCMessage *const *)at == NULL;
	default:
		return memcmp(at, zeros, element_size(field->type)) == 0;
	}
}

static bool is_present(const struct printer *printer, const ProtobufCMessage *message,
                       const ProtobufCFieldDescriptor *field)
{
	const char *const base = (const char *)message;

	if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
		return *(const uint32_t *)(const void *)(base + field->quantifier_offset) == field->id;
	return !is_zero(field, base + field->offset) ||
	       (message->descriptor == printer->complete && field->type != PROTOBUF_C_TYPE_MESSAGE);
}

static void print_field(struct printer *printer, const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
	const char *const base = (const char *)message;

	if (field->label == PROTOBUF_C_LABEL_REPEATED) {
		const size_t count = *(const size_t *)(const void *)(base + field->quantifier_offset);
		const char *const elements = *(const char *const *)(const void *)(base + field->offset);

		for (size_t i = 0; i < count; i++)
			print_element(printer, field, elements + i * element_size(field->type));
		return;
	}
	if (is_present(printer, message, field))
		print_element(printer, field, base + field->offset);
}

/* The fields of a descriptor are in the order of their numbers. */
static void print_message(struct printer *printer, const ProtobufCMessage *message)
{
	for (unsigned i = 0; i < message->descriptor->n_fields; i++)
		print_field(printer, message, &message->descriptor->fields[i]);
}

void rstd__prototext(struct rstd__text *text, const ProtobufCMessage *message,
                     const ProtobufCMessageDescriptor *always_complete)
{
	struct printer printer = { .text = text, .complete = always_complete };

	print_message(&printer, message);
}

/* ---- A check -------------------------------------------------------------------------------------------------- */

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* Takes a varint off the front. */
static bool take_varint(const uint8_t **bytes, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && *bytes < end; shift += 7) {
		const uint8_t byte = *(*bytes)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The bytes behind a key that belong to its field, beginning with those of a length, which are taken off. */
static bool take_length(const uint8_t **bytes, const uint8_t *end, unsigned wire, uint64_t *length)
{
	uint64_t number;

	*length = 0;
	switch (wire) {
	case WIRE_VARINT:
		return take_varint(bytes, end, &number);
	case WIRE_64:
		*length = 8;
		break;
	case WIRE_32:
		*length = 4;
		break;
	case WIRE_BYTES:
		if (!take_varint(bytes, end, length))
			return false;
		break;
	default:
		return false;
	}
	return *length <= (uint64_t)(end - *bytes);
}

bool rstd__proto_is_plain(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size, int depth)
{
	const uint8_t *const end = bytes + size;
	uint64_t seen = 0; /* a bit a field: our messages have far fewer than 64 */

	if (depth == 0)
		return false;
	while (bytes < end) {
		const ProtobufCFieldDescriptor *field;
		uint64_t key, length, bit;

		if (!take_varint(&bytes, end, &key) || key >> 3 > UINT32_MAX ||
		    !take_length(&bytes, end, key & 7, &length))
			return false;
		field = protobuf_c_message_descriptor_get_field(descriptor, (unsigned)(key >> 3));
		if ((key & 7) == WIRE_BYTES && field && field->type == PROTOBUF_C_TYPE_MESSAGE) {
			bit = UINT64_C(1) << (field - descriptor->fields);
			if ((field->label != PROTOBUF_C_LABEL_REPEATED && (seen & bit)) ||
			    !rstd__proto_is_plain(field->descriptor, bytes, (size_t)length, depth - 1))
				return false;
			seen |= bit;
		}
		bytes += length;
	}
	return true;
}
