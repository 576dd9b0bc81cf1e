/*
 * header_cxx.cpp - the public header compiles alone as C++17
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rstd/rstd.h"

/* The macros are used too: they must expand without help. */
extern const rstd_reduce_attrs rstd_test_attrs;
const rstd_reduce_attrs rstd_test_attrs = RSTD_REDUCE_ATTRS_DEFAULT;
