/*
 * rows.h - rows of elements to and from blocks of numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_ROWS_H
#define RSTD_CANN_GE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSTD__BLOCK 512 /* elements at a time: blocks stay in the first cache */

/* What elements become: floats stay floats, shorter floats and doubles become doubles, integers and bools int64_t. */
enum rstd__number { RSTD__NO_NUMBER, RSTD__FLOATS, RSTD__DOUBLES, RSTD__INTS };

union rstd__block {
	float f[RSTD__BLOCK];
	double d[RSTD__BLOCK];
	int64_t i[RSTD__BLOCK];
};

/* NO_NUMBER for a dtype that has no arithmetic here. */
enum rstd__number rstd__number_of(int32_t dtype);

/* n <= RSTD__BLOCK elements, `stride` elements apart, at any alignment. A UINT64 becomes the int64_t of its bits. */
void rstd__load_block(int32_t dtype, const unsigned char *from, ptrdiff_t stride, size_t n, union rstd__block *to);

/* The same, but 16-bit floats become floats; or all floats become doubles. */
void rstd__load_floats(int32_t dtype, const unsigned char *from, ptrdiff_t stride, size_t n, float *to);
void rstd__load_doubles(int32_t dtype, const unsigned char *from, ptrdiff_t stride, size_t n, double *to);

/* n elements side by side, from the numbers of their dtype. Integers keep their lowest bits; doubles are rounded. */
void rstd__store_block(int32_t dtype, const union rstd__block *from, size_t n, unsigned char *to);

/* n elements of a 16-bit float or a float, rounded from floats. */
void rstd__store_floats(int32_t dtype, const float *from, size_t n, unsigned char *to);

#endif
