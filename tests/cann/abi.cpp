/*
 * abi.cpp - sizes, layouts and numbers are those of CANN, as C++11 sees them; checked while compiling
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#include <cstddef>
#include <type_traits>

#define ABI(condition)     static_assert(condition, #condition);
#define ABI_SAME(ours, is) static_assert(std::is_same<ours, is>::value, #ours " is " #is);
#define ABI_SIGN(enumeration, negative)                                                                                \
	static_assert(std::is_signed<std::underlying_type<enumeration>::type>::value == (negative), #enumeration);
#define ABI_VALUE(name, number) static_assert(std::is_same<decltype(name), const int>::value, #name);
#include "abi_cxx.h"
