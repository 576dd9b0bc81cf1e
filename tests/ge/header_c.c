/*
 * header_c.c - the header of the graph engine compiles alone as C11
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rstd/graph.h"

/* The macros are used too: they must expand without help. */
const rstd_desc rstd_test_desc = RSTD_DESC_DEFAULT;
