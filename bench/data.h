/*
 * data.h - the memory that jobs read, and the random values in it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_BENCH_DATA_H
#define RSTD_BENCH_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "rstd/rstd.h"

enum data_kind {
	DATA_NORMAL,  /* mean 0, deviation 1 */
	DATA_UNIFORM, /* between 0 and 1 */
	DATA_OFFSET,  /* normal, plus 10000 */
	DATA_RELU,    /* normal, negative values made 0: half of the elements */
	DATA_KINDS,
};

extern const char *const data_kind_names[DATA_KINDS];

/* Pages of their own, all touched, or NULL. With huge, the kernel is asked for huge ones. Freed by data_free(). */
void *data_alloc(size_t bytes, bool huge);
void data_free(void *data, size_t bytes);

/* Fills bytes at data with values of one kind, the same at each call. */
void data_fill(void *data, size_t bytes, rstd_dtype dtype, enum data_kind kind);

#endif
