/*
 * array.h - what arrays of numbers, scalars and lists stand for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACLNN_ARRAY_H
#define RSTD_CANN_ACLNN_ARRAY_H

#include <stdalign.h>
#include <stddef.h>

#include "aclnn/aclnn_base.h"
#include "cann/acl/object.h"

/* size values of any type, one after the other; those of a list are handles. */
typedef struct rstd__array {
	rstd__object object;
	uint64_t size;
	alignas(max_align_t) unsigned char values[];
} rstd__array;

#endif
