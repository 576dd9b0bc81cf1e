/*
 * print.h - arrays for a person to read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CLI_PRINT_H
#define RSTD_CLI_PRINT_H

#include <stdio.h>

#include "rstd/rstd.h"

/*
 * Prints an array and a newline as numpy does with floatmode "unique": brackets, columns aligned at the point, lines
 * of 75 columns, scientific notation where magnitudes differ by more than 1000 or leave 1e-4 to 1e8, and the three
 * outermost elements of each axis when there are more than 1000 elements. Each number has the fewest digits that
 * tell it from its neighbours in its own dtype, but all of those before the point.
 *
 * Errors of writing are left in the stream.
 */
void rstd__print_tensor(FILE *stream, const rstd_tensor *tensor);

#endif
