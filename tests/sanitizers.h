/*
 * sanitizers.h - which sanitizer a test runs under: UNDER_ASAN or UNDER_TSAN, or neither, is defined
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where TSAN_OPTIONS is defined before, it is what ThreadSanitizer starts with.
 */
#ifndef RSTD_TESTS_SANITIZERS_H
#define RSTD_TESTS_SANITIZERS_H

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN
#elif defined(__SANITIZE_THREAD__)
#define UNDER_TSAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN
#elif __has_feature(thread_sanitizer)
#define UNDER_TSAN
#endif
#endif

#if defined(UNDER_TSAN) && defined(TSAN_OPTIONS)
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return TSAN_OPTIONS;
}
#endif

#endif
