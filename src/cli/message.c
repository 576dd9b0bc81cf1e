/*
 * message.c - what the command says when it fails
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>

void rstd__complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("rstd: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}
