/*
 * test_runtime.c - the thread pool, the number of threads, CPU features and CPU limits
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with -Wl,--wrap=pthread_create. What needs a pool without workers, or may hang, runs in a forked child with a
 * deadline: a child starts without workers.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rstd/rstd.h"
#include "runtime/cpu.h"
#include "runtime/fpmode.h"
#include "runtime/threads.h"

#define DEADLINE_S 30 /* far more than any child needs, also under a sanitizer on a busy machine */

/* Else each exit of a child that lists threads takes a second. */
#define TSAN_OPTIONS "atexit_sleep_ms=0"
#include "sanitizers.h"

static bool in_child;

#ifdef UNDER_ASAN
/* A child still lists the threads of its parent; the search for leaks would complain that it cannot stop them. */
int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return in_child;
}
#endif

/* ---- pthread_create() as the tests want it ---- */

static atomic_int creations_allowed = INT_MAX; /* then it fails with EAGAIN */
static atomic_bool hold_threads;               /* new threads wait until this is false */

struct start {
	void *(*routine)(void *);
	void *argument;
};

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *argument);

static void *start_late(void *argument)
{
	const struct start start = *(struct start *)argument;

	free(argument);
	while (atomic_load(&hold_threads))
		sched_yield();
	return start.routine(start.argument);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	struct start *start;
	int error;

	if (atomic_fetch_sub(&creations_allowed, 1) <= 0)
		return EAGAIN;
	start = malloc(sizeof(*start));
	if (!start)
		return EAGAIN;
	*start = (struct start){ routine, argument };
	error = __real_pthread_create(thread, attr, start_late, start);
	if (error)
		free(start);
	return error;
}

/* ---- Children ---- */

/* The wait status of a child that runs test() and exits with 0 if it is true, or is killed at the deadline. */
static int child_status(bool (*test)(void), bool run_destructors)
{
	pid_t pid;
	int status = 0;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int code;

		in_child = true;
		alarm(DEADLINE_S);
		code = test() ? 0 : 1;
		if (run_destructors)
			exit(code);
		_exit(code);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void assert_child(bool (*test)(void))
{
	assert_int_equal(child_status(test, false), 0);
}

/* ---- Loops ---- */

#define MAX_COUNT 10007

struct hits {
	size_t count;
	atomic_bool stray;            /* an index past the end came */
	unsigned char hit[MAX_COUNT]; /* not atomic: one call for each, and ThreadSanitizer looks on */
};

static void hit_body(void *context, size_t index)
{
	struct hits *const hits = context;

	if (index < hits->count)
		hits->hit[index]++;
	else
		atomic_store(&hits->stray, true);
}

static bool each_index_once(int threads, size_t count)
{
	struct hits hits = { .count = count };

	rstd__parallel_for(threads, count, hit_body, &hits);
	for (size_t i = 0; i < MAX_COUNT; i++)
		if (hits.hit[i] != (i < count))
			return false;
	return !hits.stray;
}

static void test_every_index_once(void **state)
{
	static const int threads[] = { -1, 0, 1, 2, 3, 7, 40, 2000 };
	static const size_t counts[] = { 0, 1, 2, 3, 7, 8, 64, 1000, MAX_COUNT };

	(void)state;
	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
			if (threads[t] <= 40 || counts[c] <= 64) /* else it would start a thousand threads */
				assert_true(each_index_once(threads[t], counts[c]));
}

/* Loops that are over before a worker comes, one after the other with and without a pause for the workers to sleep. */
static void test_many_short_loops(void **state)
{
	const struct timespec pause = { 0, 50000 };

	(void)state;
	for (int round = 0; round < 3000; round++) {
		assert_true(each_index_once(2 + round % 3, (size_t)(2 + round % 5)));
		if (round % 10 == 0)
			nanosleep(&pause, NULL);
	}
}

/* A meeting ends when as many calls are in progress at once as it has members, which proves as many threads. */
struct meeting {
	int members;
	atomic_int present;
	atomic_bool missed;
	pthread_t caller;
	void (*on_worker)(void); /* called by the workers among the members; may be NULL */
};

static void meeting_body(void *context, size_t index)
{
	struct meeting *const meeting = context;
	const time_t end = time(NULL) + DEADLINE_S / 2;

	(void)index;
	if (meeting->on_worker && !pthread_equal(pthread_self(), meeting->caller))
		meeting->on_worker();
	atomic_fetch_add(&meeting->present, 1);
	while (atomic_load(&meeting->present) < meeting->members && !atomic_load(&meeting->missed)) {
		if (time(NULL) > end)
			atomic_store(&meeting->missed, true);
		sched_yield();
	}
}

static bool threads_meet(int threads, void (*on_worker)(void))
{
	struct meeting meeting = { .members = threads, .caller = pthread_self(), .on_worker = on_worker };

	rstd__parallel_for(threads, (size_t)threads, meeting_body, &meeting);
	return !meeting.missed;
}

static void test_workers_take_part(void **state)
{
	const struct timespec pause = { 0, 2000000 };

	(void)state;
	for (int threads = 2; threads <= 9; threads++) {
		assert_true(threads_meet(threads, NULL));
		nanosleep(&pause, NULL); /* they sleep now, and must be woken */
		assert_true(threads_meet(threads, NULL));
	}
	assert_true(threads_meet(2, NULL)); /* fewer than there are */
}

/* Two calls: the worker's takes long, the caller's ends when the worker's has begun. */
struct slow {
	pthread_t caller;
	atomic_bool begun;
	int result; /* not atomic: the caller must see it all the same */
};

static void slow_body(void *context, size_t index)
{
	const struct timespec pause = { 0, 3000000 };
	struct slow *const slow = context;

	(void)index;
	if (pthread_equal(pthread_self(), slow->caller)) {
		while (!atomic_load(&slow->begun))
			sched_yield();
		return;
	}
	atomic_store(&slow->begun, true);
	nanosleep(&pause, NULL);
	slow->result = 42;
}

static void test_slow_worker_is_awaited(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct slow slow = { .caller = pthread_self() };

		alarm(DEADLINE_S);
		rstd__parallel_for(2, 2, slow_body, &slow);
		alarm(0);
		assert_int_equal(slow.result, 42);
	}
}

struct who {
	pthread_t caller;
	atomic_int others;
};

static void who_body(void *context, size_t index)
{
	struct who *const who = context;

	(void)index;
	if (!pthread_equal(pthread_self(), who->caller))
		atomic_fetch_add(&who->others, 1);
}

static bool caller_is_alone(int threads)
{
	struct who who = { .caller = pthread_self() };

	rstd__parallel_for(threads, 1000, who_body, &who);
	return who.others == 0;
}

static void nested_body(void *context, size_t index)
{
	atomic_int *const failures = context;

	if (!caller_is_alone(4) || !each_index_once(4, 10 + index))
		atomic_fetch_add(failures, 1);
}

static void test_nested_loop_runs_alone(void **state)
{
	atomic_int failures = 0;

	(void)state;
	rstd__parallel_for(4, 50, nested_body, &failures);
	assert_int_equal(failures, 0);
	assert_true(threads_meet(4, NULL)); /* the pool is free again */
}

static void *caller_main(void *argument)
{
	atomic_int *const failures = argument;

	for (int i = 0; i < 300; i++)
		if (!each_index_once(3, 500))
			atomic_fetch_add(failures, 1);
	return NULL;
}

static void test_several_callers(void **state)
{
	pthread_t callers[4];
	atomic_int failures = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&callers[i], NULL, caller_main, &failures), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(callers[i], NULL);
	assert_int_equal(failures, 0);
}

static bool late_worker_is_not_awaited(void)
{
	bool done;

	atomic_store(&hold_threads, true);
	done = each_index_once(3, 1000) && caller_is_alone(3);
	atomic_store(&hold_threads, false);
	return done && threads_meet(3, NULL);
}

static void test_late_worker_is_not_awaited(void **state)
{
	(void)state;
	assert_child(late_worker_is_not_awaited);
}

/* ---- Threads that cannot be had ---- */

static bool without_workers(void)
{
	atomic_store(&creations_allowed, 0);
	if (!each_index_once(4, 1000) || !caller_is_alone(4))
		return false;
	atomic_store(&creations_allowed, 2);
	if (!each_index_once(9, 1000) || !threads_meet(3, NULL))
		return false;
	atomic_store(&creations_allowed, INT_MAX);
	return threads_meet(9, NULL);
}

static void test_no_threads_to_be_had(void **state)
{
	(void)state;
	assert_child(without_workers);
}

/* ---- fork ---- */

static bool use_four_threads(void)
{
	return each_index_once(4, 1000) && threads_meet(4, NULL);
}

/* In the child of a process that has workers. ThreadSanitizer cannot start threads there: the caller alone, then. */
static bool use_pool_again(void)
{
#ifdef UNDER_TSAN
	atomic_store(&creations_allowed, 0);
	return each_index_once(4, 1000);
#else
	return use_four_threads();
#endif
}

static bool fork_again(void)
{
	return use_pool_again() && child_status(use_pool_again, true) == 0;
}

static void test_fork_before_first_use(void **state)
{
	(void)state;
	assert_child(use_four_threads);
	assert_int_equal(child_status(use_four_threads, true), 0); /* ends its workers */
}

static void test_fork_after_use(void **state)
{
	(void)state;
	assert_true(use_four_threads());
	assert_child(use_pool_again);
	assert_int_equal(child_status(use_pool_again, true), 0); /* ends its own workers only */
	assert_child(fork_again);
	assert_true(use_four_threads());
}

static atomic_bool keep_running;

static void *loops_main(void *unused)
{
	(void)unused;
	while (atomic_load(&keep_running))
		(void)each_index_once(4, 200);
	return NULL;
}

static void test_fork_while_others_compute(void **state)
{
	pthread_t thread;

	(void)state;
	atomic_store(&keep_running, true);
	assert_int_equal(pthread_create(&thread, NULL, loops_main, NULL), 0);
	for (int i = 0; i < 40; i++) {
		assert_child(use_pool_again);
		assert_int_equal(child_status(use_pool_again, true), 0);
	}
	atomic_store(&keep_running, false);
	pthread_join(thread, NULL);
	assert_true(use_four_threads());
}

/* A loop whose caller forks in the middle of it, as from a signal handler, while a worker holds an index. */
struct forking_loop {
	pthread_t caller;
	atomic_bool held, forked;
	pid_t child; /* 0 in the child */
	atomic_uchar done[8];
};

static void forking_body(void *context, size_t index)
{
	struct forking_loop *const loop = context;

	if (!pthread_equal(pthread_self(), loop->caller)) {
		atomic_store(&loop->held, true);
		while (!atomic_load(&loop->forked))
			sched_yield();
	} else if (!atomic_load(&loop->forked)) {
		while (!atomic_load(&loop->held))
			sched_yield();
		loop->child = fork();
		atomic_store(&loop->forked, true);
	}
	atomic_store(&loop->done[index], 1);
}

static bool fork_in_the_middle(void)
{
	struct forking_loop loop = { .caller = pthread_self(), .child = -1 };
	bool complete = true;
	int status;

	rstd__parallel_for(2, sizeof(loop.done), forking_body, &loop);
	for (size_t i = 0; i < sizeof(loop.done); i++)
		complete = complete && atomic_load(&loop.done[i]) == 1;
	if (loop.child == 0)
		_exit(complete ? 0 : 1);
	return complete && loop.child > 0 && waitpid(loop.child, &status, 0) == loop.child && status == 0;
}

static void test_fork_in_the_middle(void **state)
{
	(void)state;
	assert_child(fork_in_the_middle);
}

/* A fork around the handlers, as runtimes of other languages make: works, alone if need be. */
static bool fork_without_handlers(void)
{
	pid_t pid;
	int status;

	if (!use_four_threads())
		return false;
	pid = _Fork();
	if (pid == 0) {
		alarm(DEADLINE_S);
		exit(each_index_once(4, 1000) ? 0 : 1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void test_fork_without_handlers(void **state)
{
	(void)state;
	assert_child(fork_without_handlers);
}

static void endless_body(void *context, size_t index)
{
	(void)index;
	atomic_store((atomic_bool *)context, true);
	while (atomic_load(&keep_running))
		sched_yield();
}

static void *endless_main(void *begun)
{
	rstd__parallel_for(4, 8, endless_body, begun);
	return NULL;
}

static bool leave_a_thread_computing(void)
{
	static atomic_bool begun;
	pthread_t thread;

	atomic_store(&keep_running, true);
	if (pthread_create(&thread, NULL, endless_main, &begun) != 0)
		return false;
	while (!atomic_load(&begun))
		sched_yield();
	return true;
}

static void test_exit_while_others_compute(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(child_status(leave_a_thread_computing, true), 0);
}

/* ---- What belongs to the host ---- */

static atomic_bool worker_wrong;

static void check_worker_signals(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (!sigismember(&mask, SIGTERM) || !sigismember(&mask, SIGUSR1) || !sigismember(&mask, SIGPROF) ||
	    sigismember(&mask, SIGSEGV) || sigismember(&mask, SIGBUS))
		atomic_store(&worker_wrong, true);
}

static bool signal_mask_is_kept(void)
{
	sigset_t wanted, before, after;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	if (!threads_meet(4, check_worker_signals))
		return false;
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int signal = 1; signal < SIGRTMAX; signal++)
		if (sigismember(&before, signal) != sigismember(&after, signal))
			return false;
	return !worker_wrong;
}

static void test_signal_mask(void **state)
{
	(void)state;
	assert_child(signal_mask_is_kept);
}

static cpu_set_t caller_cpus;

/* A worker may run where its caller may, except on the CPU where the caller runs. */
static void check_worker_cpus(void)
{
	cpu_set_t cpus, common;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	CPU_AND(&common, &cpus, &caller_cpus);
	if (!CPU_EQUAL(&common, &cpus) || CPU_COUNT(&cpus) != CPU_COUNT(&caller_cpus) - 1)
		atomic_store(&worker_wrong, true);
}

static bool affinity_is_kept(void)
{
	cpu_set_t after;

	sched_getaffinity(0, sizeof(caller_cpus), &caller_cpus);
	if (!threads_meet(4, CPU_COUNT(&caller_cpus) > 1 ? check_worker_cpus : NULL))
		return false;
	sched_getaffinity(0, sizeof(after), &after);
	return CPU_EQUAL(&caller_cpus, &after) && !worker_wrong;
}

static bool one_cpu_is_enough(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	return rstd__cpu_count() == 1 && use_four_threads();
}

static void test_affinity(void **state)
{
	(void)state;
	assert_child(affinity_is_kept);
	assert_child(one_cpu_is_enough);
}

#if defined(__x86_64__)
#define FLUSH_TO_ZERO 0x8040u /* FTZ and DAZ */

static uint64_t fp_control(void)
{
	return _mm_getcsr() & ~0x3Fu; /* without the flags */
}

static void set_fp_control(uint64_t control)
{
	_mm_setcsr((uint32_t)control);
}
#else
#define FLUSH_TO_ZERO (UINT64_C(1) << 24) /* FZ */

static uint64_t fp_control(void)
{
	uint64_t control;

	__asm__ volatile("mrs %0, fpcr" : "=r"(control));
	return control;
}

static void set_fp_control(uint64_t control)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}
#endif

static uint64_t default_control;

static void check_worker_fpmode(void)
{
	if (fp_control() != default_control)
		atomic_store(&worker_wrong, true);
}

static bool fpmode_is_default_on_workers(void)
{
	uint64_t changed;

	default_control = fp_control();
	changed = default_control | FLUSH_TO_ZERO;
	set_fp_control(changed);
	return threads_meet(4, check_worker_fpmode) && !worker_wrong && fp_control() == changed;
}

static void test_fpmode(void **state)
{
	(void)state;
	assert_child(fpmode_is_default_on_workers);
}

/* ---- The number of threads ---- */

static const char *wanted_text; /* of RSTD_NUM_THREADS; NULL: not set */
static int wanted_threads;      /* 0: the number of CPUs */

static bool environment_is_read(void)
{
	const int cpus = rstd__cpu_count();

	if (wanted_text ? setenv("RSTD_NUM_THREADS", wanted_text, 1) : unsetenv("RSTD_NUM_THREADS"))
		return false;
	if (rstd_get_num_threads() != (wanted_threads ? wanted_threads : cpus))
		return false;
	/* Asked once: a later change is not seen, also after another choice. */
	setenv("RSTD_NUM_THREADS", "13", 1);
	return rstd_set_num_threads(5) == RSTD_OK && rstd_get_num_threads() == 5 &&
	       rstd_set_num_threads(0) == RSTD_OK && rstd_get_num_threads() == (wanted_threads ? wanted_threads : cpus);
}

static void test_environment(void **state)
{
	static const struct {
		const char *text;
		int threads;
	} cases[] = {
		{ NULL, 0 },  { "1", 1 },   { "7", 7 },    { "1024", 1024 },    { "0012", 12 },
		{ "", 0 },    { "0", 0 },   { "1025", 0 }, { "4294967297", 0 }, { "18446744073709551617", 0 },
		{ "-1", 0 },  { "+4", 0 },  { " 4", 0 },   { "4 ", 0 },         { "4x", 0 },
		{ "0x4", 0 }, { "4.0", 0 }, { "two", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wanted_text = cases[i].text;
		wanted_threads = cases[i].threads;
		assert_child(environment_is_read);
	}
}

static void test_set_num_threads(void **state)
{
	(void)state;
	assert_int_equal(rstd_set_num_threads(1), RSTD_OK);
	assert_int_equal(rstd_get_num_threads(), 1);
	assert_int_equal(rstd_set_num_threads(1024), RSTD_OK);
	assert_int_equal(rstd_get_num_threads(), 1024);
	assert_int_equal(rstd_set_num_threads(1025), RSTD_ERROR_ARGUMENT);
	assert_string_equal(rstd_last_error(), "threads: is 1025, allowed are 0 to 1024");
	assert_int_equal(rstd_set_num_threads(-1), RSTD_ERROR_ARGUMENT);
	assert_string_equal(rstd_last_error(), "threads: is -1, allowed are 0 to 1024");
	assert_int_equal(rstd_get_num_threads(), 1024); /* a refused number changes nothing */
	assert_int_equal(rstd_set_num_threads(0), RSTD_OK);
	assert_in_range(rstd_get_num_threads(), 1, 1024);
}

/* ---- CPUs ---- */

static void test_cpu_decode(void **state)
{
	enum {
		AVX2 = RSTD__CPU_AVX2 | RSTD__CPU_FMA | RSTD__CPU_F16C,
		AVX512 = AVX2 | RSTD__CPU_AVX512,
	};
	/* CPUID words from the InstLatx64 collection, the Xeon's from the machine; XCR0 as Linux sets it on them. */
	static const struct {
		const char *machine;
		struct rstd__cpu_words words;
		unsigned features;
	} cases[] = {
		{ "no words at all", { 0 }, 0 },
		{ "AMD Griffin: before AVX", { 0x01, 0x00002001, 0, 0 }, 0 },
		{ "Intel Sandy Bridge: AVX alone", { 0x0D, 0x1F9AE3BF, 0, 0x7 }, 0 },
		{ "AMD Opteron 6376: AVX, FMA, F16C",
		  { 0x0D, 0x3E98320B, 0x00000008, 0x7 },
		  RSTD__CPU_FMA | RSTD__CPU_F16C },
		{ "AMD Zen 2", { 0x10, 0x7ED8320B, 0x219C91A9, 0x207 }, AVX2 },
		{ "Intel i7-6500U", { 0x16, 0x7FFAFBBF, 0x029C67AF, 0x1F }, AVX2 },
		{ "- system without XSAVE", { 0x16, 0x77FAFBBF, 0x029C67AF, 0x1F }, 0 },
		{ "- system without YMM", { 0x16, 0x7FFAFBBF, 0x029C67AF, 0x1B }, 0 },
		{ "- system without XMM", { 0x16, 0x7FFAFBBF, 0x029C67AF, 0x1D }, 0 },
		{ "- AVX masked by a hypervisor", { 0x16, 0x6FFAFBBF, 0x029C67AF, 0x1F }, 0 },
		{ "- FMA masked", { 0x16, 0x7FFAEBBF, 0x029C67AF, 0x1F }, RSTD__CPU_AVX2 | RSTD__CPU_F16C },
		{ "- F16C masked", { 0x16, 0x5FFAFBBF, 0x029C67AF, 0x1F }, RSTD__CPU_AVX2 | RSTD__CPU_FMA },
		{ "- leaves limited to 3 by firmware",
		  { 0x03, 0x7FFAFBBF, 0x029C67AF, 0x1F },
		  RSTD__CPU_FMA | RSTD__CPU_F16C },
		{ "Intel Xeon, model 167", { 0x24, 0xFFFA3203, 0xF1BF2FFB, 0x600E7 }, AVX512 },
		{ "- system without ZMM", { 0x24, 0xFFFA3203, 0xF1BF2FFB, 0x60007 }, AVX2 },
		{ "- system without mask registers", { 0x24, 0xFFFA3203, 0xF1BF2FFB, 0x600C7 }, AVX2 },
		{ "- system without ZMM0-15", { 0x24, 0xFFFA3203, 0xF1BF2FFB, 0x600A7 }, AVX2 },
		{ "- system without ZMM16-31", { 0x24, 0xFFFA3203, 0xF1BF2FFB, 0x60067 }, AVX2 },
		{ "- system without YMM", { 0x24, 0xFFFA3203, 0xF1BF2FFB, 0x600E3 }, 0 },
		{ "- AVX512F masked", { 0x24, 0xFFFA3203, 0xF1BE2FFB, 0x600E7 }, AVX2 },
		{ "- AVX512DQ masked", { 0x24, 0xFFFA3203, 0xF1BD2FFB, 0x600E7 }, AVX2 },
		{ "- AVX512BW masked", { 0x24, 0xFFFA3203, 0xB1BF2FFB, 0x600E7 }, AVX2 },
		{ "- AVX512VL masked", { 0x24, 0xFFFA3203, 0x71BF2FFB, 0x600E7 }, AVX2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (rstd__cpu_decode(&cases[i].words) != cases[i].features)
			print_error("%s\n", cases[i].machine);
		assert_int_equal(rstd__cpu_decode(&cases[i].words), cases[i].features);
	}
}

static void test_cpu_features(void **state)
{
	const unsigned features = rstd__cpu_features();

	(void)state;
#if defined(__x86_64__)
	/* The compiler's own detection is the independent witness. */
	assert_int_equal((features & RSTD__CPU_AVX2) != 0, __builtin_cpu_supports("avx2") != 0);
	assert_int_equal((features & RSTD__CPU_FMA) != 0, __builtin_cpu_supports("fma") != 0);
	assert_int_equal((features & RSTD__CPU_AVX512) != 0,
	                 __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	                         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
	assert_int_equal(features & RSTD__CPU_NEON, 0);
#else
	assert_int_equal(features, RSTD__CPU_NEON);
#endif
	assert_int_equal(rstd__cpu_features(), features);
}

static void test_cpu_count(void **state)
{
	cpu_set_t allowed;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	assert_in_range(rstd__cpu_count(), 1, CPU_COUNT(&allowed));
	assert_true(rstd__cpu_quota("") >= 1);
}

/* ---- CPU limits of control groups, on copies of the kernel's files ---- */

struct fake_file {
	const char *path; /* directories first; one without text ends in '/' */
	const char *text;
};

#define MAX_FILES 12

static int quota_of(const struct fake_file *files)
{
	char root[] = "/tmp/test_runtime.XXXXXX";
	char path[PATH_MAX];
	size_t n = 0;
	int quota;

	assert_non_null(mkdtemp(root));
	for (; n < MAX_FILES && files[n].path; n++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s%s", root, files[n].path);
		if (!files[n].text) {
			assert_int_equal(mkdir(path, 0700), 0);
			continue;
		}
		file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(files[n].text, file) >= 0);
		assert_int_equal(fclose(file), 0);
	}
	quota = rstd__cpu_quota(root);
	while (n-- > 0) {
		snprintf(path, sizeof(path), "%s%s", root, files[n].path);
		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(rmdir(root), 0);
	return quota;
}

#define PROC                                                                                                           \
	{ "/proc/", NULL },                                                                                            \
	{                                                                                                              \
		"/proc/self/", NULL                                                                                    \
	}
#define SELF(text)                                                                                                     \
	{                                                                                                              \
		"/proc/self/cgroup", text                                                                              \
	}
#define SYS                                                                                                            \
	{ "/sys/", NULL }, { "/sys/fs/", NULL },                                                                       \
	{                                                                                                              \
		"/sys/fs/cgroup/", NULL                                                                                \
	}
#define GROUP(dir)                                                                                                     \
	{                                                                                                              \
		"/sys/fs/cgroup/" dir, NULL                                                                            \
	}
#define FILE_(path, text)                                                                                              \
	{                                                                                                              \
		"/sys/fs/cgroup/" path, text                                                                           \
	}

static void test_cpu_quota(void **state)
{
	static const struct {
		const char *what;
		struct fake_file files[MAX_FILES];
		int quota;
	} cases[] = {
		{ "no files", { { NULL, NULL } }, INT_MAX },
		{ "no control groups", { PROC, SELF("") }, INT_MAX },
		{ "v2, none", { PROC, SELF("0::/\n"), SYS, FILE_("cpu.max", "max 100000\n") }, INT_MAX },
		{ "v2, two CPUs", { PROC, SELF("0::/\n"), SYS, FILE_("cpu.max", "200000 100000\n") }, 2 },
		{ "v2, half a CPU", { PROC, SELF("0::/\n"), SYS, FILE_("cpu.max", "50000 100000\n") }, 1 },
		{ "v2, 2.5 CPUs", { PROC, SELF("0::/\n"), SYS, FILE_("cpu.max", "250000 100000\n") }, 3 },
		{ "v2, deep",
		  { PROC, SELF("0::/a/b\n"), SYS, GROUP("a/"), GROUP("a/b/"), FILE_("a/cpu.max", "max 100000\n"),
		    FILE_("a/b/cpu.max", "300000 100000\n") },
		  3 },
		{ "v2, parent is smaller",
		  { PROC, SELF("0::/a/b\n"), SYS, GROUP("a/"), GROUP("a/b/"), FILE_("a/cpu.max", "100000 50000\n"),
		    FILE_("a/b/cpu.max", "300000 100000\n") },
		  2 },
		{ "v2, the host's path in a container",
		  { PROC, SELF("0::/docker/12ab\n"), SYS, FILE_("cpu.max", "400000 100000\n") },
		  4 },
		{ "v2, another group's limit",
		  { PROC, SELF("0::/a\n"), SYS, GROUP("a/"), GROUP("b/"), FILE_("b/cpu.max", "100000 100000\n") },
		  INT_MAX },
		{ "v2, malformed", { PROC, SELF("0::/\n"), SYS, FILE_("cpu.max", "200000\n") }, INT_MAX },
		{ "v2, period of 0", { PROC, SELF("0::/\n"), SYS, FILE_("cpu.max", "200000 0\n") }, INT_MAX },
		{ "v1, none",
		  { PROC, SELF("3:cpu,cpuacct:/\n"), SYS, GROUP("cpu/"), FILE_("cpu/cpu.cfs_quota_us", "-1\n"),
		    FILE_("cpu/cpu.cfs_period_us", "100000\n") },
		  INT_MAX },
		{ "v1, 1.5 CPUs",
		  { PROC, SELF("4:cpuset:/x\n3:cpuacct,cpu:/a\n0::/\n"), SYS, GROUP("cpu/"), GROUP("cpu/a/"),
		    FILE_("cpu/a/cpu.cfs_quota_us", "150000\n"), FILE_("cpu/a/cpu.cfs_period_us", "100000\n") },
		  2 },
		{ "v1, not the cpu controller's path",
		  { PROC, SELF("4:cpuset,cpuacct:/a\n1:name=cpu:/a\n"), SYS, GROUP("cpu/"), GROUP("cpu/a/"),
		    FILE_("cpu/a/cpu.cfs_quota_us", "150000\n"), FILE_("cpu/a/cpu.cfs_period_us", "100000\n") },
		  INT_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int quota = quota_of(cases[i].files);

		if (quota != cases[i].quota)
			print_error("%s\n", cases[i].what);
		assert_int_equal(quota, cases[i].quota);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* In children of a process that has neither workers nor a default number of threads yet. */
		cmocka_unit_test(test_fork_before_first_use),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_late_worker_is_not_awaited),
		cmocka_unit_test(test_no_threads_to_be_had),
		cmocka_unit_test(test_fork_without_handlers),
		cmocka_unit_test(test_fork_in_the_middle),
		cmocka_unit_test(test_exit_while_others_compute),
		cmocka_unit_test(test_signal_mask),
		cmocka_unit_test(test_affinity),
		cmocka_unit_test(test_fpmode),
		/* In this process. */
		cmocka_unit_test(test_every_index_once),
		cmocka_unit_test(test_many_short_loops),
		cmocka_unit_test(test_workers_take_part),
		cmocka_unit_test(test_slow_worker_is_awaited),
		cmocka_unit_test(test_nested_loop_runs_alone),
		cmocka_unit_test(test_several_callers),
		cmocka_unit_test(test_fork_after_use),
		cmocka_unit_test(test_fork_while_others_compute),
		cmocka_unit_test(test_set_num_threads),
		cmocka_unit_test(test_cpu_decode),
		cmocka_unit_test(test_cpu_features),
		cmocka_unit_test(test_cpu_count),
		cmocka_unit_test(test_cpu_quota),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
