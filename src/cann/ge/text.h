/*
 * text.h - text that grows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_TEXT_H
#define RSTD_CANN_GE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A struct of zeros is an empty text. What is added after memory ran out is lost, and `failed` says so. */
struct rstd__text {
	char *bytes; /* with a zero behind them, once there are any */
	size_t size, capacity;
	bool failed;
};

void rstd__text_add(struct rstd__text *text, const char *bytes, size_t size);
void rstd__text_print(struct rstd__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
