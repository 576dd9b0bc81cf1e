/*
 * message.c - the errors and warnings of each thread, until somebody takes them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The store is of fixed size, so that running out of memory can be reported too.
 */
#define _POSIX_C_SOURCE 200809L /* localtime_r, getpid */
#include "cann/ge/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Not as the analyzer sees them elsewhere. */
#undef rstd__ge_fail
#undef rstd__ge_fail_as
#undef rstd__ge_no_memory

#define STORE_BYTES    4096
#define SENTENCE_BYTES 1024

struct store {
	size_t count; /* messages in text */
	bool taken;   /* text belongs to the reader of take(); the next message starts anew */
	char text[STORE_BYTES];
};

static _Thread_local struct store errors, warnings;

static void append(struct store *store, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct store *store, const char *format, ...)
{
	const size_t used = strlen(store->text);
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(store->text + used, sizeof(store->text) - used, format, arguments);
	va_end(arguments);
}

static void clear(struct store *store)
{
	store->count = 0;
	store->taken = false;
	store->text[0] = '\0';
}

static void add(struct store *store, const char *code, const char *title, const char *message)
{
	const time_t now = time(NULL);
	struct tm calendar;
	char when[32] = "";

	if (store->taken)
		clear(store);
	if (store->count++ == 0) {
		if (localtime_r(&now, &calendar))
			(void)strftime(when, sizeof(when), "%Y-%m-%d-%H:%M:%S", &calendar);
		append(store, "[PID: %ld] %s %s(%s): %s\n", (long)getpid(), when, title, code, message);
		return;
	}
	if (store->count == 2)
		append(store, "        TraceBack (most recent call last):\n");
	append(store, "        %s\n", message);
}

static const char *take(struct store *store)
{
	if (store->taken)
		clear(store);
	store->taken = true;
	return store->text;
}

const char *rstd_ge_take_errors(void)
{
	return take(&errors);
}

const char *rstd_ge_take_warnings(void)
{
	return take(&warnings);
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

void rstd_ge_add_error(const char *code, const char *title, const char *message)
{
	add(&errors, or_empty(code), or_empty(title), or_empty(message));
}

void rstd_ge_add_warning(const char *code, const char *title, const char *message)
{
	add(&warnings, or_empty(code), or_empty(title), or_empty(message));
}

rstd_ge_status rstd__ge_fail(const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	add(&errors, "E19999", "Inner_Error", sentence);
	return RSTD_GE_FAILED;
}

rstd_ge_status rstd__ge_fail_as(rstd_ge_status status, const char *code, const char *title, const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	add(&errors, code, title, sentence);
	return status;
}

rstd_ge_status rstd__ge_no_memory(const char *what)
{
	return rstd__ge_fail("no memory for %s", what);
}

void rstd__ge_warn(const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	add(&warnings, "W19999", "Inner_Warning", sentence);
}
