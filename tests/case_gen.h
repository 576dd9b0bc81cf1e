/*
 * case_gen.h - case files: the generators of their inputs, and their reader
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * cases/README.md defines the format. Elements of every dtype are held here as bit patterns in a uint32_t each.
 */
#ifndef RSTD_TESTS_CASE_GEN_H
#define RSTD_TESTS_CASE_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rstd/rstd.h"

#define CASE_MAX_RANK 9 /* one more than is allowed, for cases that must be refused */
#define CASE_MAX_DIMS 16

/* ---- Elements ------------------------------------------------------------------------------------------------ */

size_t dtype_size(rstd_dtype dtype);
const char *dtype_name(rstd_dtype dtype);
int dtype_precision(rstd_dtype dtype); /* significant bits */
int dtype_least(rstd_dtype dtype);     /* exponent of the least subnormal */
uint32_t dtype_inf(rstd_dtype dtype);  /* bits of +Inf */
uint32_t dtype_nan(rstd_dtype dtype);  /* bits of the quiet NaN */
uint32_t dtype_sign_bit(rstd_dtype dtype);

bool bits_is_nan(rstd_dtype dtype, uint32_t bits);
bool bits_is_finite(rstd_dtype dtype, uint32_t bits);
/* Whether an output is as expected: NaN matches any NaN, the zeros match each other, all else is compared exactly. */
bool bits_match(rstd_dtype dtype, uint32_t a, uint32_t b);
double bits_to_double(rstd_dtype dtype, uint32_t bits);
/* Bits of a finite double, rounded to float32 and from there to the dtype. */
uint32_t bits_from_double(rstd_dtype dtype, double value);
uint32_t bits_load(rstd_dtype dtype, const void *p);
void bits_store(rstd_dtype dtype, void *p, uint32_t bits);

/* ---- Shapes -------------------------------------------------------------------------------------------------- */

struct case_shape {
	size_t rank;
	int64_t len[CASE_MAX_RANK];
};

size_t shape_count(const struct case_shape *shape);
/* A mask with bit a set when axis a is reduced; dims as an operator takes them and in range, none given: all. */
unsigned dims_mask(size_t rank, const int64_t *dims, size_t dim_count);
/* of[i] = the row-major index of the output slice that element i belongs to. */
void slice_map(const struct case_shape *shape, unsigned mask, size_t *of);
size_t slice_count(const struct case_shape *shape, unsigned mask);

/* ---- Generators ---------------------------------------------------------------------------------------------- */

uint64_t splitmix64(uint64_t x);
/*
 * Fills bits with count elements by a generator spec. slice_of maps elements to output slices, for slice: specs; NULL
 * where those do not occur. False when the spec is malformed.
 */
bool gen_fill(const char *spec, rstd_dtype dtype, size_t count, const size_t *slice_of, uint32_t *bits);
uint64_t gen_hash(const uint32_t *bits, size_t count);

/* ---- Case files ---------------------------------------------------------------------------------------------- */

enum case_op { OP_REDUCE_STD_WITH_MEAN, OP_STD, OP_STD_MEAN, OP_BATCH_NORM_STATS };

#define DTYPE_UNKNOWN ((rstd_dtype)99) /* stands for a dtype that rstd does not have */

struct test_case {
	char *line; /* owns the text that the pointers below look into */
	const char *id;
	enum case_op op;
	rstd_dtype dtype, mean_dtype, out_dtype[2];
	size_t out_count; /* outputs: 1 or 2 */
	struct case_shape shape, mean_shape, out_shape;
	int64_t dims[CASE_MAX_DIMS];
	size_t dim_count;
	bool unbiased, keepdim, invert;
	double epsilon;
	int64_t correction;
	const char *x, *mean;
	bool valid;
	const char *fault;
	const char *out[2]; /* as in the file */
	uint64_t x_hash, mean_hash;
};

struct case_list {
	struct test_case *cases;
	size_t count;
};

/* Reads a case file whole. On failure returns false with the reason on standard error. */
bool case_list_read(struct case_list *list, const char *path);
void case_list_free(struct case_list *list);
/* Parses the expected elements of output k; false unless there are exactly count of them. */
bool case_expected(const struct test_case *c, size_t k, size_t count, uint32_t *bits);
/* The axes that the operator of a case reduces: for BatchNormStats all but axis 1. */
unsigned case_mask(const struct test_case *c);

void *xmalloc(size_t size); /* malloc that ends the test program when there is no memory; never NULL */

#endif
