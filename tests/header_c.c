/*
 * header_c.c - the public header compiles alone as C11
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rstd/rstd.h"

/* The macros are used too: they must expand without help. */
const rstd_reduce_attrs rstd_test_attrs = RSTD_REDUCE_ATTRS_DEFAULT;
