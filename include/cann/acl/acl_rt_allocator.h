/*
 * acl_rt_allocator.h - the handles of allocators that a program brings along
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Included by acl/acl_rt.h. No function of this library takes them yet.
 */
#ifndef RSTD_CANN_ACL_RT_ALLOCATOR_H
#define RSTD_CANN_ACL_RT_ALLOCATOR_H

#include "acl/acl_base.h"

typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;

#endif
