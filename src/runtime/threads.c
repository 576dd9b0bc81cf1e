/*
 * threads.c - the number of threads, and the pool of workers that share one loop at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The caller opens its loop to the workers, takes indices itself until none is left, closes the loop again and waits
 * only for workers that are inside. A worker that is late finds the loop closed and costs nothing; so a machine under
 * load, or a pool without workers, means less speed but never a wait.
 *
 * There is one pool and one loop at a time; a second caller runs its loop alone, at no loss when each CPU has a caller.
 * No lock is ever held: all state is in atomic words, or belongs to the caller that has set pool.busy. Hence a child
 * can be forked at any moment, and only has to forget workers that it does not have. If the caller itself forks in the
 * middle of a loop, from a signal handler say, its child does the loop again: what workers had taken is lost to it.
 */
#define _GNU_SOURCE
#include "runtime/threads.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rstd/rstd.h"
#include "runtime/cpu.h"
#include "runtime/error.h"
#include "runtime/fpmode.h"

#define MAX_WORKERS (RSTD__MAX_THREADS - 1)
#define CACHE_LINE  64
#define SPIN_NS     20000 /* look for work, or for the last worker, this long before a sleep that costs as much */

/* The gate is one word, so that joining, leaving and closing are each one atomic step. */
#define GATE_INSIDE 0x00007fffu /* workers inside the loop */
#define GATE_ASLEEP 0x00008000u /* the caller sleeps until they have left */
#define GATE_PLACE  0x00010000u /* unit of the upper half: how many more may come in; 0 when the loop is closed */

static struct {
	alignas(CACHE_LINE) atomic_uint ticket; /* grows with each loop; idle workers watch it, then sleep on it */
	atomic_uint sleepers;                   /* workers that sleep on it */
	atomic_bool stopping;                   /* workers shall return */
	atomic_bool may_spin;                   /* each worker has a CPU besides the caller's */

	alignas(CACHE_LINE) atomic_uint gate;
	alignas(CACHE_LINE) atomic_size_t next; /* the first index that nobody has taken */

	/* The loop: written by the caller before it opens the gate, only read until all have left. */
	alignas(CACHE_LINE) size_t count;
	rstd__loop_body *body;
	void *context;

	alignas(CACHE_LINE) atomic_bool busy; /* a caller owns the pool and what follows */
	bool fork_handled;                    /* reset_in_child() is registered */
	unsigned forks;                       /* of this process from the one that first used the pool */
	pid_t pid;                            /* the process that has the workers */
	size_t workers;
	size_t placed; /* of these, kept off avoided_cpu */
	int avoided_cpu;
	pthread_t threads[MAX_WORKERS];
} pool;

static void futex_wait(atomic_uint *word, unsigned seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, int waiters)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause");
#else
	__asm__ volatile("yield");
#endif
}

/* Watches a word for a short while: whether it differs from what was seen. */
static bool changes_soon(const atomic_uint *word, unsigned seen)
{
	int64_t end;

	if (!atomic_load_explicit(&pool.may_spin, memory_order_relaxed))
		return false;
	end = now_ns() + SPIN_NS;
	do {
		for (int i = 0; i < 16; i++) {
			if (atomic_load_explicit(word, memory_order_acquire) != seen)
				return true;
			relax();
		}
	} while (now_ns() < end);
	return false;
}

/* ---- Both sides: the loop ---- */

static void run_alone(size_t count, rstd__loop_body *body, void *context)
{
	for (size_t i = 0; i < count; i++)
		body(context, i);
}

static void run_share(void)
{
	const size_t count = pool.count;
	rstd__loop_body *const body = pool.body;
	void *const context = pool.context;
	size_t i;

	while ((i = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed)) < count)
		body(context, i);
}

/* ---- The worker's side ---- */

static bool join_loop(void)
{
	unsigned gate = atomic_load_explicit(&pool.gate, memory_order_relaxed);

	while (gate >= GATE_PLACE) {
		/* The gate may have closed and opened for another loop meanwhile: that one is as good. */
		if (atomic_compare_exchange_weak_explicit(&pool.gate, &gate, gate - GATE_PLACE + 1,
		                                          memory_order_acquire, memory_order_relaxed))
			return true;
	}
	return false;
}

static void leave_loop(void)
{
	const unsigned before = atomic_fetch_sub_explicit(&pool.gate, 1, memory_order_release);

	if (before == (GATE_ASLEEP | 1))
		futex_wake(&pool.gate, 1);
}

static void await_ticket(unsigned seen)
{
	if (changes_soon(&pool.ticket, seen))
		return;
	/* Counted before the last look at the ticket; the caller changes the ticket, then looks at the count. */
	atomic_fetch_add(&pool.sleepers, 1);
	while (atomic_load(&pool.ticket) == seen)
		futex_wait(&pool.ticket, seen);
	atomic_fetch_sub(&pool.sleepers, 1);
}

static void *worker_main(void *unused)
{
	(void)unused;
	(void)rstd__fpmode_enter(); /* a new thread starts with its creator's mode */
	pthread_setname_np(pthread_self(), "rstd-worker");
	for (;;) {
		/* Read first: what happens after it, a new loop or the end, shows as a change of the ticket. */
		const unsigned seen = atomic_load(&pool.ticket);

		if (atomic_load(&pool.stopping))
			return NULL;
		if (join_loop()) {
			run_share();
			leave_loop();
		}
		await_ticket(seen);
	}
}

/* ---- The caller's side; all but take_pool() need the pool taken ---- */

static bool take_pool(void)
{
	return !atomic_load_explicit(&pool.busy, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&pool.busy, true, memory_order_acquire);
}

static void release_pool(void)
{
	atomic_store_explicit(&pool.busy, false, memory_order_release);
}

/* In a forked child there is no worker, nor the thread that may have been in the middle of a loop. */
static void reset_in_child(void)
{
	pool.forks++;
	pool.workers = 0;
	pool.placed = 0;
	atomic_store(&pool.sleepers, 0);
	atomic_store(&pool.gate, 0);
	atomic_store(&pool.busy, false);
}

static bool handle_forks(void)
{
	if (!pool.fork_handled)
		pool.fork_handled = pthread_atfork(NULL, NULL, reset_in_child) == 0;
	return pool.fork_handled;
}

/*
 * Signals go to the host's own threads. Those that report a fault of the running thread stay open, so that the host's
 * crash handler, or its handler for a truncated mapped file, works on a worker as it does on the caller.
 */
static void block_signals(sigset_t *old)
{
	static const int faults[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, old);
}

/*
 * Enough for every loop body of the library, whatever the host has made the default: 128 KiB (docs/design.md), and as
 * much for what the C library and thread-local variables of the host put there.
 */
#define WORKER_STACK ((size_t)256 << 10)

/* With the default stack if this one is too small for the thread-local variables of the host. */
static bool start_worker(pthread_t *thread)
{
	pthread_attr_t attr;
	int error;

	if (pthread_attr_init(&attr) != 0)
		return false;
	pthread_attr_setstacksize(&attr, WORKER_STACK);
	error = pthread_create(thread, &attr, worker_main, NULL);
	pthread_attr_destroy(&attr);
	if (error == EINVAL)
		error = pthread_create(thread, NULL, worker_main, NULL);
	return error == 0;
}

/* Starts workers until there are wanted, or as many as the system grants. */
static void start_workers(size_t wanted)
{
	sigset_t old;

	if (pool.workers >= wanted || !handle_forks())
		return;
	pool.pid = getpid();
	block_signals(&old);
	while (pool.workers < wanted) {
		if (!start_worker(&pool.threads[pool.workers]))
			break;
		pool.workers++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/*
 * Keeps the workers off the CPU that the caller runs on. Left alone, the scheduler woke the worker there in each of
 * 1300 loops on an otherwise idle virtual machine of two CPUs, where it waits for the caller: two threads took longer
 * than one, and with this 0.55 of the time (64 MiB, Linux 6.18). Which of the other CPUs a worker takes is the
 * scheduler's choice, so that it can give way to the rest of the machine. The CPUs are those that the caller may use at
 * the time.
 */
static void place_workers(void)
{
	const int cpu = sched_getcpu();
	cpu_set_t others[8];
	size_t count;

	if (cpu < 0 || (pool.placed == pool.workers && pool.avoided_cpu == cpu))
		return;
	if (pool.pid != getpid() || sched_getaffinity(0, sizeof(others), others) != 0)
		return;
	CPU_CLR_S((size_t)cpu, sizeof(others), others);
	count = (size_t)CPU_COUNT_S(sizeof(others), others);
	atomic_store_explicit(&pool.may_spin, count >= pool.workers, memory_order_relaxed);
	for (size_t i = 0; i < pool.workers && count > 0; i++)
		pthread_setaffinity_np(pool.threads[i], sizeof(others), others);
	pool.placed = pool.workers;
	pool.avoided_cpu = cpu;
}

static void open_loop(size_t wanted, size_t count, rstd__loop_body *body, void *context)
{
	pool.count = count;
	pool.body = body;
	pool.context = context;
	atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
	atomic_store_explicit(&pool.gate, (unsigned)wanted * GATE_PLACE, memory_order_release);
	atomic_fetch_add(&pool.ticket, 1);
	if (atomic_load(&pool.sleepers) > 0)
		futex_wake(&pool.ticket, (int)wanted);
}

static void close_loop(void)
{
	unsigned gate = atomic_fetch_and_explicit(&pool.gate, GATE_INSIDE, memory_order_acquire) & GATE_INSIDE;

	while (gate & GATE_INSIDE) {
		if (!changes_soon(&pool.gate, gate)) {
			gate = atomic_fetch_or(&pool.gate, GATE_ASLEEP) | GATE_ASLEEP;
			if (gate & GATE_INSIDE)
				futex_wait(&pool.gate, gate);
		}
		gate = atomic_load_explicit(&pool.gate, memory_order_acquire);
	}
}

void rstd__parallel_for(int threads, size_t count, rstd__loop_body *body, void *context)
{
	size_t wanted = threads > 1 ? (size_t)threads - 1 : 0;
	unsigned forks;

	if (wanted > MAX_WORKERS)
		wanted = MAX_WORKERS;
	if (count > 0 && wanted > count - 1)
		wanted = count - 1;
	if (wanted == 0 || count == 0 || !take_pool()) {
		run_alone(count, body, context);
		return;
	}
	start_workers(wanted);
	place_workers();
	forks = pool.forks;
	open_loop(wanted, count, body, context);
	run_share();
	close_loop();
	if (pool.forks != forks)
		run_alone(count, body, context);
	release_pool();
}

/*
 * When the process ends or the library is unloaded. The pool stays taken: later calls, from other destructors say, run
 * alone. It is in use when another thread computes while the process exits; the kernel then ends the workers. A child
 * that was forked without the handler (_Fork(), clone()) has no workers to join, which only pool.pid tells.
 */
__attribute__((destructor)) static void stop_workers(void)
{
	if (!take_pool() || pool.pid != getpid())
		return;
	atomic_store(&pool.stopping, true);
	atomic_fetch_add(&pool.ticket, 1);
	futex_wake(&pool.ticket, INT_MAX);
	for (size_t i = 0; i < pool.workers; i++)
		pthread_join(pool.threads[i], NULL);
}

/* ---- The number of threads ---- */

static atomic_int chosen_threads; /* 0: none chosen */

/* A decimal number from 1 to RSTD__MAX_THREADS and nothing else; 0 for any other text. */
static int parse_threads(const char *text)
{
	int value = 0;

	for (; *text >= '0' && *text <= '9' && value <= RSTD__MAX_THREADS; text++)
		value = value * 10 + (*text - '0');
	return *text == '\0' && value <= RSTD__MAX_THREADS ? value : 0;
}

static int ask_default_threads(void)
{
	const char *text = getenv("RSTD_NUM_THREADS");
	const int wish = text ? parse_threads(text) : 0;
	int cpus;

	if (wish > 0)
		return wish;
	cpus = rstd__cpu_count();
	return cpus < RSTD__MAX_THREADS ? cpus : RSTD__MAX_THREADS;
}

/* Asked at first need; when threads ask at once, the first answer stands for all. */
static int default_threads(void)
{
	static atomic_int answer;
	int known = atomic_load_explicit(&answer, memory_order_relaxed);

	if (known == 0) {
		const int asked = ask_default_threads();

		if (atomic_compare_exchange_strong_explicit(&answer, &known, asked, memory_order_relaxed,
		                                            memory_order_relaxed))
			known = asked;
	}
	return known;
}

int rstd__num_threads(void)
{
	const int chosen = atomic_load_explicit(&chosen_threads, memory_order_relaxed);

	return chosen > 0 ? chosen : default_threads();
}

rstd_status rstd_set_num_threads(int threads)
{
	if (threads < 0 || threads > RSTD__MAX_THREADS)
		return rstd__fail(RSTD_ERROR_ARGUMENT, "threads: is %d, allowed are 0 to %d", threads,
		                  RSTD__MAX_THREADS);
	atomic_store_explicit(&chosen_threads, threads, memory_order_relaxed);
	return RSTD_OK;
}

int rstd_get_num_threads(void)
{
	return rstd__num_threads();
}
