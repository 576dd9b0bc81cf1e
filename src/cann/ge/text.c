/*
 * text.c - text that grows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and a zero. */
static bool reserve(struct rstd__text *text, size_t more)
{
	size_t capacity = text->capacity < 256 ? 256 : text->capacity;
	char *grown;

	if (text->failed || more >= SIZE_MAX / 2 - text->size)
		text->failed = true;
	if (text->failed)
		return false;
	if (text->size + more < text->capacity)
		return true;
	while (capacity <= text->size + more)
		capacity *= 2;
	grown = realloc(text->bytes, capacity);
	if (!grown) {
		text->failed = true;
		return false;
	}
	text->bytes = grown;
	text->capacity = capacity;
	return true;
}

void rstd__text_add(struct rstd__text *text, const char *bytes, size_t size)
{
	if (!reserve(text, size))
		return;
	if (size > 0)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

void rstd__text_print(struct rstd__text *text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0 || !reserve(text, (size_t)length)) {
		text->failed = true;
		return;
	}
	va_start(arguments, format);
	(void)vsnprintf(text->bytes + text->size, (size_t)length + 1, format, arguments);
	va_end(arguments);
	text->size += (size_t)length;
}
