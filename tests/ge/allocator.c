/*
 * allocator.c - the allocator as a test wants it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "allocator.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

bool watching;
int allowed, refusals, held;
size_t held_bytes;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **p, size_t alignment, size_t size);
void __real_free(void *p);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **p, size_t alignment, size_t size);
void __wrap_free(void *p);

static bool grant(void)
{
	if (!watching || allowed-- > 0)
		return true;
	refusals++;
	return false;
}

static void *got(void *p)
{
	held += watching && p;
	held_bytes += watching && p ? malloc_usable_size(p) : 0;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return grant() ? got(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return grant() ? got(__real_calloc(count, size)) : NULL;
}

void *__wrap_realloc(void *p, size_t size)
{
	const size_t before = watching && p ? malloc_usable_size(p) : 0;
	void *moved = grant() ? __real_realloc(p, size) : NULL;

	if (!moved)
		return NULL;
	held -= watching && p;
	held_bytes -= before;
	return got(moved);
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t size)
{
	const int error = grant() ? __real_posix_memalign(p, alignment, size) : ENOMEM;

	if (error == 0)
		(void)got(*p);
	return error;
}

void __wrap_free(void *p)
{
	held -= watching && p;
	held_bytes -= watching && p ? malloc_usable_size(p) : 0;
	__real_free(p);
}
