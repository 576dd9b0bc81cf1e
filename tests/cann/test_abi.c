/*
 * test_abi.c - sizes, layouts and numbers are those of CANN, as C sees them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most is checked while compiling; what C calls no constant, when the test runs. abi.awk makes both of abi.tsv.
 */
#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#define ABI(condition)     _Static_assert(condition, #condition);
#define ABI_SAME(ours, is) ABI(__builtin_types_compatible_p(ours, is))
/* 0 - 1 in the type of an enum: halved it stays above 0 only where it wrapped. */
#define ABI_SIGN(enumeration, negative) ABI((((enumeration)0 - 1) / 2 > 0) != (negative))
#define ABI_VALUE(name, number)
#include "abi_c.h"
#undef ABI
#undef ABI_SAME
#undef ABI_SIGN
#undef ABI_VALUE

#define ABI(condition)
#define ABI_SAME(ours, is)
#define ABI_SIGN(enumeration, negative)
#define ABI_VALUE(name, number)                                                                                        \
	assert_int_equal(name, number);                                                                                \
	assert_true(__builtin_types_compatible_p(const int, __typeof__(name)));

static void constants_have_their_numbers(void **state)
{
	(void)state;
#include "abi_c.h"
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_have_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
