/*
 * cli_faults.c - calls that fail when the command makes them, linked into a second build of it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with --wrap for malloc, fsync, rename and renameat2. The environment variable RSTD_TEST_FAULTS names, with blanks
 * between them, which call of which fails, the first being 1: "fsync=2 malloc=1". A fault of renameat2 is that of a file
 * system that cannot exchange names, and is every call from that one on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);

void *__wrap_malloc(size_t size);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);

/* The number of the call of this function that is to fail; 0: none. */
static int faulty_call(const char *key)
{
	const char *faults = getenv("RSTD_TEST_FAULTS"), *found = faults ? strstr(faults, key) : NULL;

	return found ? atoi(found + strlen(key)) : 0;
}

void *__wrap_malloc(size_t size)
{
	static int calls;

	if (++calls == faulty_call("malloc=")) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_malloc(size);
}

int __wrap_fsync(int fd)
{
	static int calls;

	if (++calls == faulty_call("fsync=")) {
		errno = EIO;
		return -1;
	}
	return __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
	static int calls;

	if (++calls == faulty_call("rename=")) {
		errno = EBUSY;
		return -1;
	}
	return __real_rename(from, to);
}

int __wrap_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
	static int calls;
	const int faulty = faulty_call("renameat2=");

	if (++calls >= faulty && faulty > 0) {
		errno = EINVAL;
		return -1;
	}
	return __real_renameat2(from_directory, from, to_directory, to, flags);
}
