/*
 * face.h - what the tests of the C++ face share: checks that count, and go on
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_TESTS_GE_FACE_H
#define RSTD_TESTS_GE_FACE_H

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static int failed_checks;

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                    \
			failed_checks++;                                                                               \
		}                                                                                                      \
	} while (false)

/* The text must have this part. */
static inline bool contains(const std::string &text, const char *part)
{
	if (text.find(part) != std::string::npos)
		return true;
	std::printf("there is no \"%s\" in \"%s\"\n", part, text.c_str());
	return false;
}

/* The exit status of the test. */
static inline int verdict()
{
	std::printf(failed_checks == 0 ? "passed\n" : "%d checks failed\n", failed_checks);
	return failed_checks == 0 ? 0 : 1;
}

#endif
