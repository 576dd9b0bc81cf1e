/*
 * test_update.c - large updates of states, on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The states are those of small updates, slice by slice and piece by piece: whatever the layout, the number of threads,
 * how many callers there are, without memory or threads to be had, and in a child forked in the middle of an update.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "operator.h"
#include "rstd/rstd.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ThreadSanitizer ends a child that starts threads unless told not to; it keeps working there. */
#define TSAN_OPTIONS "die_after_fork=0:atexit_sleep_ms=0"
#include "sanitizers.h"

/* ---- Memory and threads that are not to be had ------------------------------------------------------------------- */

static atomic_bool no_memory;
static atomic_int refused, threads_allowed = INT_MAX;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

void *__wrap_malloc(size_t size)
{
	if (!atomic_load(&no_memory))
		return __real_malloc(size);
	atomic_fetch_add(&refused, 1);
	return NULL;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	if (atomic_fetch_sub(&threads_allowed, 1) <= 0)
		return EAGAIN;
	return __real_pthread_create(thread, attr, start, arg);
}

/* ---- Data and the states to expect ------------------------------------------------------------------------------- */

/* A matrix: n elements of each of some outputs, and strides in elements. */
struct shape {
	const char *name;
	int64_t n, outputs, along, aside;
};

/* Each is 2 MiB of 16-bit elements at least, which is worth threads. */
static const struct shape shapes[] = {
	{ "one output", 1500001, 1, 1, 1 },     { "one output, strided", 1100000, 1, 2, 1 },
	{ "few rows", 400003, 3, 1, 400010 },   { "rows", 5003, 300, 1, 5003 },
	{ "short rows", 16, 70001, 1, 17 },     { "three columns", 400001, 3, 3, 1 },
	{ "some columns", 20011, 65, 70, 1 },   { "wide columns", 1111, 1300, 1300, 1 },
	{ "low columns", 33, 40000, 40000, 1 }, { "neighbours apart", 1203, 1000, 2010, 2 },
	{ "reversed", 5003, 300, -1, -5003 },
};

#define ROOM 3000000

static unsigned char data[ROOM * sizeof(float)];
static rstd_moments before[70001], expected[70001], states[70001];

static int64_t first_of(const struct shape *s)
{
	return (s->along < 0 ? -s->along * (s->n - 1) : 0) + (s->aside < 0 ? -s->aside * (s->outputs - 1) : 0);
}

static rstd_tensor view(const struct shape *s, rstd_dtype dtype)
{
	return (rstd_tensor){ .data = data + (size_t)first_of(s) * dtype_size(dtype),
		              .dtype = dtype,
		              .rank = 2,
		              .shape = { s->n, s->outputs },
		              .strides = { s->along, s->aside } };
}

/* Mostly elements of similar size, and now and then any bits: numbers far apart, NaN and Inf. */
static void fill(rstd_dtype dtype, uint64_t seed)
{
	const size_t size = dtype_size(dtype);

	for (size_t i = 0; i < ROOM; i++) {
		const uint64_t random = splitmix64(seed + i);
		uint32_t bits = (uint32_t)random;

		if (random >> 32 > UINT32_MAX / 50000)
			bits = dtype == RSTD_F32   ? (bits & 0x83FFFFFF) | 0x3C000000
			       : dtype == RSTD_F16 ? (bits & 0x8FFF) | 0x3000
			                           : (bits & 0x83FF) | 0x3C00;
		memcpy(data + i * size, &bits, size); /* little-endian, as every machine of the library */
	}
}

/* States that are not empty, and what small updates make of them. */
static void expect(const struct shape *s, rstd_dtype dtype)
{
	enum { PIECE = 10000 };
	const rstd_tensor all = view(s, dtype);

	for (int64_t i = 0; i < s->outputs; i++) {
		rstd_tensor some = all;

		before[i] = (rstd_moments){ .count = (uint64_t)i + 5, .nan_count = 2, .sum = { 7, (uint64_t)i } };
		expected[i] = before[i];
		some.rank = 1;
		some.strides[0] = s->along;
		for (int64_t at = 0; at < s->n; at += PIECE) {
			some.shape[0] = s->n - at < PIECE ? s->n - at : PIECE;
			some.data =
				(unsigned char *)all.data + (i * s->aside + at * s->along) * (int64_t)dtype_size(dtype);
			assert_int_equal(rstd_moments_update(&expected[i], 1, &some, NULL, 0), RSTD_OK);
		}
	}
}

/* Whether a large update of the states `to` gives what is expected, and its bytes as well. */
static bool agrees(const struct shape *s, rstd_dtype dtype, rstd_moments *to)
{
	const rstd_tensor x = view(s, dtype);
	const size_t outputs = (size_t)s->outputs;
	const int64_t dim = 0;
	unsigned char bytes[2][RSTD_MOMENTS_BYTES];

	memcpy(to, before, outputs * sizeof(*to));
	if (rstd_moments_update(to, outputs, &x, &dim, 1) != RSTD_OK)
		return false;
	for (size_t i = 0; i < outputs; i++) {
		rstd_moments_store(&to[i], bytes[0]);
		rstd_moments_store(&expected[i], bytes[1]);
		if (memcmp(&to[i], &expected[i], sizeof(*to)) != 0 || memcmp(bytes[0], bytes[1], sizeof(bytes[0])) != 0)
			return false;
	}
	return true;
}

static void check(const struct shape *s, rstd_dtype dtype, const char *how)
{
	if (!agrees(s, dtype, states))
		fail_msg("%s, dtype %d, %s", s->name, (int)dtype, how);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* First: no pool exists yet, and then fewer workers than asked for. */
static void test_threads_that_do_not_start(void **state)
{
	static const int allow[] = { 0, 1, INT_MAX };

	(void)state;
	fill(RSTD_F32, 1);
	for (size_t i = 0; i < LENGTH(shapes); i += 3) {
		expect(&shapes[i], RSTD_F32);
		assert_int_equal(rstd_set_num_threads(4), RSTD_OK);
		for (size_t a = 0; a < LENGTH(allow); a++) {
			atomic_store(&threads_allowed, allow[a]);
			check(&shapes[i], RSTD_F32, "some threads do not start");
		}
	}
	rstd_set_num_threads(0);
}

static void test_numbers_of_threads(void **state)
{
	static const int threads[] = { 1, 2, 3, 7 };

	(void)state;
	for (rstd_dtype dtype = RSTD_F32; dtype <= RSTD_BF16; dtype++) {
		fill(dtype, 2);
		for (size_t i = 0; i < LENGTH(shapes); i++) {
			expect(&shapes[i], dtype);
			for (size_t t = 0; t < LENGTH(threads); t++) {
				rstd_set_num_threads(threads[t]);
				check(&shapes[i], dtype, "numbers of threads");
			}
			rstd_set_num_threads(0);
		}
	}
}

static void *call_often(void *agreed)
{
	const struct shape *s = &shapes[3];
	rstd_moments *const own = xmalloc((size_t)s->outputs * sizeof(*own));

	for (int i = 0; i < 10 && *(bool *)agreed; i++)
		*(bool *)agreed = agrees(s, RSTD_F32, own);
	free(own);
	return NULL;
}

static void test_several_callers(void **state)
{
	pthread_t caller[3];
	bool agreed[LENGTH(caller)];

	(void)state;
	fill(RSTD_F32, 3);
	expect(&shapes[3], RSTD_F32);
	rstd_set_num_threads(2);
	for (size_t i = 0; i < LENGTH(caller); i++) {
		agreed[i] = true;
		assert_int_equal(pthread_create(&caller[i], NULL, call_often, &agreed[i]), 0);
	}
	for (size_t i = 0; i < LENGTH(caller); i++) {
		assert_int_equal(pthread_join(caller[i], NULL), 0);
		assert_true(agreed[i]);
	}
	rstd_set_num_threads(0);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Many outputs on several threads take memory; without it there are the same bits. */
static void test_no_memory(void **state)
{
	int all_refused = 0;

	(void)state;
	fill(RSTD_F32, 4);
	rstd_set_num_threads(3);
	for (size_t i = 0; i < LENGTH(shapes); i++) {
		bool agreed;

		expect(&shapes[i], RSTD_F32);
		atomic_store(&refused, 0);
		atomic_store(&no_memory, true);
		agreed = agrees(&shapes[i], RSTD_F32, states);
		atomic_store(&no_memory, false);
		assert_true(agreed);
		assert_true(atomic_load(&refused) <= 1);
		all_refused += atomic_load(&refused);
	}
	assert_true(all_refused > 0);
	rstd_set_num_threads(0);
}

/* ---- Forks ------------------------------------------------------------------------------------------------------- */

#define DEADLINE_S 60 /* of a child */
/* Bytes from one page that may not be read to the next; where pages are larger, from each to the next. */
#define FAULT_STEP 16384

/* Pages of the data may not be read until somebody tries; when the caller has tried that often it forks. */
static struct {
	pthread_t caller;
	volatile int left;
	volatile pid_t child;
} forking;

static void fork_sometime(int signal, siginfo_t *info, void *context)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)info->si_addr & ~(page - 1);

	(void)signal;
	(void)context;
	if (mprotect((void *)at, page, PROT_READ | PROT_WRITE) != 0)
		_exit(2);
	if (!pthread_equal(pthread_self(), forking.caller) || --forking.left != 0)
		return;
	forking.child = fork();
	if (forking.child == 0)
		alarm(DEADLINE_S); /* the default action ends a child that hangs */
}

static void protect(int protection)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)data + page - (uintptr_t)data % page;

	for (uintptr_t at = from; at + page <= (uintptr_t)data + sizeof(data);
	     at += FAULT_STEP > page ? FAULT_STEP : page)
		assert_int_equal(mprotect((void *)at, page, protection), 0);
}

/* The caller forks in the middle of an update, as from a signal handler; parent and child complete it. */
static void fork_in_the_middle(const struct shape *s)
{
	struct sigaction action = { .sa_sigaction = fork_sometime, .sa_flags = SA_SIGINFO }, old;
	bool agreed;
	int status = 0;

	forking.caller = pthread_self();
	forking.left = 20;
	forking.child = -1;
	assert_int_equal(sigaction(SIGSEGV, &action, &old), 0);
	protect(PROT_NONE);
	agreed = agrees(s, RSTD_F32, states);
	if (forking.child == 0)
		_exit(agreed ? 0 : 1);
	protect(PROT_READ | PROT_WRITE);
	sigaction(SIGSEGV, &old, NULL);
	assert_true(agreed);
	if (forking.child < 0)
		return;
	assert_int_equal(waitpid(forking.child, &status, 0), forking.child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s: the child has other states", s->name);
}

static void test_fork_in_the_middle(void **state)
{
	(void)state;
	fill(RSTD_F32, 5);
	rstd_set_num_threads(2);
	for (size_t i = 0; i < LENGTH(shapes); i++) {
		int tries = 0;

		expect(&shapes[i], RSTD_F32);
		do /* until the worker leaves enough pages to the caller */
			fork_in_the_middle(&shapes[i]);
		while (forking.child < 0 && ++tries < 100);
		assert_true(forking.child > 0);
	}
	rstd_set_num_threads(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_that_do_not_start), cmocka_unit_test(test_numbers_of_threads),
		cmocka_unit_test(test_several_callers),           cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_fork_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
