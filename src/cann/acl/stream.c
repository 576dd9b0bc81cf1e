/*
 * stream.c - streams: tasks run one after another, beside those of other streams
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each stream has a thread of its own, the worker, from its first task on. A thread that synchronises helps: it runs
 * tasks itself while the worker does not, so that a short task costs no change of threads. Whoever runs a task sets
 * `running`, gives up the lock, runs it where it lies in the queue, and takes the lock again; so tasks never overlap.
 *
 * Waiting for an event blocks no thread. A task may have a gate, a mark that must be passed first; while it is not,
 * nobody can run the task, and who passes the mark wakes the worker. So a stream that waits can still be dropped,
 * and waiting with a time-out ends in time.
 *
 * If no worker can be started, the thread that appends a task, or passes the mark of one, runs it. If a process is
 * forked, the child has the queues but no workers; they are started again when the child uses its streams. A task that
 * the parent was running is run again from its start if it is a computation, and is an error if it is a function of the
 * program, which may be half done. One that had run, and waited for the lock, is done.
 */
#define _GNU_SOURCE
#include "cann/acl/stream.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cann/acl/callback.h"
#include "cann/acl/clock.h"
#include "cann/acl/context.h"
#include "cann/acl/error.h"
#include "cann/acl/mark.h"
#include "cann/acl/object.h"
#include "cann/acl/queue.h"

#define MAX_STREAMS        2048
#define LEAST_PRIORITY     7
#define GREATEST_PRIORITY  0
#define KNOWN_STREAM_FLAGS 0x3fu

/* Nobody waits for these, says aclrtSynchronizeStream(). */
#define FLAGS_WITHOUT_WAITING (ACL_STREAM_PERSISTENT | ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_CPU_SCHEDULE)

struct rstd__stream {
	rstd__object object;
	aclrtContext context;
	int32_t device;
	int32_t id;
	uint32_t priority;
	uint32_t flags;
	bool is_default;

	pthread_mutex_t lock; /* guards what follows; of locks only that of the marks is taken under it */
	rstd__queue queue;
	uint64_t pushed;           /* tasks so far */
	_Atomic uint64_t done;     /* of these, run or dropped; written under the lock, read without by who spins */
	_Atomic unsigned signal;   /* changes whenever the worker should look; likewise */
	pthread_cond_t progress;   /* done has reached wake_at */
	uint64_t wake_at;          /* the least that somebody sleeps for, else UINT64_MAX */
	const rstd__task *running; /* by some thread, NULL: none */
	atomic_bool spent;         /* that task has run, if it had to, and is being dropped; set without the lock */
	pthread_t runner;          /* that thread */
	rstd__waiter waiter;       /* at the gate of the first task */
	int64_t give_up;           /* when the first task has waited enough, 0: not known yet */
	bool closed;               /* takes no more tasks */
	unsigned dropping;         /* so many callers want tasks dropped instead of run */
	bool stop_on_failure;      /* then a failure is for good, and tasks behind it are dropped */
	bool lost;                 /* the first task was begun by a thread that this process has not */
	rstd__failure failure;     /* the first that did not surface yet */
	rstd__failure attempt;     /* of the running task; belongs to the runner */
	struct rstd__server *servers[RSTD_STREAM_SERVICES]; /* guarded by callback.c */
	rstd__limits limits;

	pthread_t worker;
	bool has_worker;
	bool alone;  /* no worker could be started */
	bool asleep; /* the worker is, at the condition */
	bool quit;   /* the worker shall end */
	pthread_cond_t work;

	rstd__stream *next_locked; /* during a fork */
};

static _Thread_local uint32_t last_task; /* the number, within its stream, of the last task that this thread gave */
static atomic_int spinners;              /* workers that look out for work; fewer than there are CPUs */
static atomic_bool revive;               /* this is a child in which streams may have work and no worker */

/* ---- Running tasks; all under the lock of the stream ---- */

static bool is_stopped(const rstd__stream *s)
{
	return s->stop_on_failure && s->failure.code != ACL_SUCCESS;
}

static bool drops(const rstd__stream *s)
{
	return s->dropping > 0 || is_stopped(s);
}

/* Whether the first task may begin, or has waited long enough for that. */
static bool gate_is_open(rstd__stream *s, const rstd__task *task, bool *expired)
{
	*expired = false;
	if (task->gate == NULL)
		return true;
	if (drops(s)) {
		rstd__mark_leave(&s->waiter);
		return true;
	}
	if (rstd__mark_await(task->gate, &s->waiter))
		return true;
	if (task->patience == 0)
		return false;
	if (s->give_up == 0)
		s->give_up = rstd__now() + task->patience;
	*expired = rstd__now() >= s->give_up;
	if (*expired)
		rstd__mark_leave(&s->waiter);
	return *expired;
}

/* Runs a task, and notes in s->attempt whether and why it failed. Not under the lock. */
static void run_task(rstd__stream *s, rstd__task *task, bool expired, bool lost)
{
	rstd__failure *const before = rstd__acl_redirect(&s->attempt);
	aclError code;

	if (expired)
		code = rstd__acl_fail(ACL_ERROR_RT_WAIT_TIMEOUT, "stream %d: waited too long for an event", s->id);
	else if (lost)
		code = rstd__acl_fail(ACL_ERROR_RT_DEVICE_TASK_ABORT,
		                      "stream %d: a function was running when the process was forked", s->id);
	else
		code = task->kind->run(task->payload);
	if (code != ACL_SUCCESS && s->attempt.code != code)
		rstd__acl_fail(code, "stream %d: a task failed", s->id);
	rstd__acl_redirect(before);
	s->attempt.code = code;
}

static void finish_task(rstd__stream *s)
{
	if (s->attempt.code != ACL_SUCCESS && s->failure.code == ACL_SUCCESS)
		s->failure = s->attempt;
	const uint64_t done = atomic_load_explicit(&s->done, memory_order_relaxed) + 1;

	rstd__queue_pop(&s->queue);
	s->running = NULL;
	atomic_store_explicit(&s->spent, false, memory_order_relaxed);
	s->give_up = 0;
	s->lost = false;
	atomic_store_explicit(&s->done, done, memory_order_release);
	if (done >= s->wake_at) {
		s->wake_at = UINT64_MAX;
		pthread_cond_broadcast(&s->progress);
	}
}

/*
 * Runs or drops the first task, if somebody may and the caller may; gives up the lock meanwhile. False when there was
 * nothing to do.
 */
static bool step(rstd__stream *s, bool as_worker)
{
	rstd__task *const task = rstd__queue_front(&s->queue);
	bool expired;

	if (task == NULL || s->running != NULL)
		return false;
	const bool drop = drops(s);
	const bool lost = s->lost;
	if (!as_worker && !drop && !task->kind->any_thread)
		return false;
	if (!gate_is_open(s, task, &expired))
		return false;
	s->running = task;
	s->runner = pthread_self();
	s->attempt.code = ACL_SUCCESS;
	pthread_mutex_unlock(&s->lock);
	if (!drop)
		run_task(s, task, expired, lost);
	atomic_store(&s->spent, true); /* before anything is given up: a fork may come in between */
	if (task->kind->drop != NULL)
		task->kind->drop(task->payload);
	rstd__mark_put(task->gate);
	pthread_mutex_lock(&s->lock);
	finish_task(s);
	return true;
}

static bool runs_here(const rstd__stream *s)
{
	return s->running != NULL && pthread_equal(s->runner, pthread_self());
}

/* ---- The worker ---- */

/* Gives up the lock and looks out for a signal for a short while. Whether one came. */
static bool signal_comes(rstd__stream *s)
{
	const unsigned seen = atomic_load_explicit(&s->signal, memory_order_relaxed);
	rstd__spin spin = { 0 };

	pthread_mutex_unlock(&s->lock);
	if (atomic_fetch_add_explicit(&spinners, 1, memory_order_relaxed) < rstd__cpus() - 1) {
		while (atomic_load_explicit(&s->signal, memory_order_acquire) == seen && rstd__spin_on(&spin))
			continue;
	}
	atomic_fetch_sub_explicit(&spinners, 1, memory_order_relaxed);
	pthread_mutex_lock(&s->lock);
	return atomic_load_explicit(&s->signal, memory_order_relaxed) != seen;
}

static int64_t gate_deadline(const rstd__stream *s)
{
	return s->give_up != 0 ? s->give_up : RSTD_FOREVER;
}

static void *worker_main(void *stream)
{
	rstd__stream *const s = stream;

	pthread_setname_np(pthread_self(), "acl-stream");
	rstd__context_set(s->context);
	pthread_mutex_lock(&s->lock);
	while (!s->quit) {
		if (step(s, true) || signal_comes(s))
			continue;
		s->asleep = true;
		while (s->asleep && rstd__cond_wait(&s->work, &s->lock, gate_deadline(s)))
			continue;
		s->asleep = false;
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Signals go to the threads of the program, save those that report a fault of the running thread. */
static void block_signals(sigset_t *old)
{
	static const int faults[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, old);
}

static void start_worker(rstd__stream *s)
{
	sigset_t old;

	block_signals(&old);
	s->has_worker = pthread_create(&s->worker, NULL, worker_main, s) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->alone = !s->has_worker;
}

/* Makes the worker look, under the lock. True when wake_worker() has to follow, better without the lock. */
static bool call_worker(rstd__stream *s)
{
	atomic_store_explicit(&s->signal, atomic_load_explicit(&s->signal, memory_order_relaxed) + 1,
	                      memory_order_release);
	if (!s->has_worker && !s->closed)
		start_worker(s);
	const bool slept = s->asleep;
	s->asleep = false;
	return slept;
}

static void wake_worker(rstd__stream *s)
{
	pthread_cond_signal(&s->work);
}

/* Somebody has to see to the first task, under the lock: the worker, or the caller if there is none. */
static void attend(rstd__stream *s)
{
	if (s->queue.count == 0 || s->running != NULL)
		return;
	if (call_worker(s))
		wake_worker(s);
	while (s->alone && step(s, true))
		continue;
}

/* What who passes a mark does to a stream that waits for it; gives up the waiter's reference. */
static void pass_gate(void *stream)
{
	rstd__stream *const s = stream;

	pthread_mutex_lock(&s->lock);
	attend(s);
	pthread_mutex_unlock(&s->lock);
	rstd__object_put(s);
}

/* ---- Waiting; under the lock ---- */

/* Looks out without the lock for the task of that number for a short while. */
static bool done_comes(rstd__stream *s, uint64_t number)
{
	rstd__spin spin = { 0 };

	pthread_mutex_unlock(&s->lock);
	while (atomic_load_explicit(&s->done, memory_order_acquire) < number && rstd__spin_on(&spin))
		continue;
	pthread_mutex_lock(&s->lock);
	return atomic_load_explicit(&s->done, memory_order_relaxed) >= number;
}

static bool sleep_until(rstd__stream *s, uint64_t number, int64_t deadline)
{
	const int64_t gate = s->alone ? gate_deadline(s) : RSTD_FOREVER;

	if (s->wake_at > number)
		s->wake_at = number;
	return rstd__cond_wait(&s->progress, &s->lock, gate < deadline ? gate : deadline) || rstd__now() < deadline;
}

/* Waits until that many tasks are done. False when the deadline has passed first. */
static bool await_done(rstd__stream *s, uint64_t number, int64_t deadline)
{
	bool in_time = true;

	while (in_time && atomic_load_explicit(&s->done, memory_order_relaxed) < number) {
		if (step(s, s->alone))
			continue;
		attend(s);
		if (!done_comes(s, number))
			in_time = sleep_until(s, number, deadline);
	}
	attend(s);
	return atomic_load_explicit(&s->done, memory_order_relaxed) >= number;
}

static aclError refuse_own_stream(const rstd__stream *s)
{
	return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "stream %d: a function that it runs cannot wait for it",
	                      s->id);
}

aclError rstd__stream_check_wait(rstd__stream *s)
{
	pthread_mutex_lock(&s->lock);
	const bool here = runs_here(s);
	pthread_mutex_unlock(&s->lock);
	return here ? refuse_own_stream(s) : ACL_SUCCESS;
}

aclError rstd__stream_settle(rstd__stream *s, uint64_t number, int64_t deadline)
{
	pthread_mutex_lock(&s->lock);
	if (runs_here(s)) {
		pthread_mutex_unlock(&s->lock);
		return refuse_own_stream(s);
	}
	const bool done = await_done(s, number < s->pushed ? number : s->pushed, deadline);
	pthread_mutex_unlock(&s->lock);
	if (!done)
		return rstd__acl_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "stream %d: is not done within the time-out",
		                      s->id);
	return ACL_SUCCESS;
}

/* The first failure of the work, which is told once unless the stream has stopped for it. */
static aclError surface(rstd__stream *s)
{
	aclError code = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	if (s->failure.code != ACL_SUCCESS)
		code = rstd__acl_repeat(&s->failure);
	if (!s->stop_on_failure)
		s->failure.code = ACL_SUCCESS;
	pthread_mutex_unlock(&s->lock);
	return code;
}

static aclError synchronize(rstd__stream *s, int64_t deadline)
{
	const aclError code = rstd__stream_settle(s, RSTD_ALL_TASKS, deadline);

	return code != ACL_SUCCESS ? code : surface(s);
}

aclError rstd__streams_settle(int32_t device)
{
	aclError first = ACL_SUCCESS;
	uint32_t cursor = 0;
	rstd__stream *s;

	rstd__streams_revive();
	while (first == ACL_SUCCESS && (s = rstd__object_next(RSTD_OBJECT_STREAM, &cursor)) != NULL) {
		if (s->device == device && (s->flags & FLAGS_WITHOUT_WAITING) == 0)
			first = rstd__stream_settle(s, RSTD_ALL_TASKS, RSTD_FOREVER);
		rstd__object_put(s);
	}
	return first;
}

aclError rstd__streams_synchronize(int32_t device, int64_t deadline)
{
	aclError first = ACL_SUCCESS;
	uint32_t cursor = 0;
	rstd__stream *s;

	rstd__streams_revive();
	while ((s = rstd__object_next(RSTD_OBJECT_STREAM, &cursor)) != NULL) {
		if (s->device == device && (s->flags & FLAGS_WITHOUT_WAITING) == 0) {
			const aclError code = synchronize(s, deadline);

			if (first == ACL_SUCCESS)
				first = code;
		}
		rstd__object_put(s);
	}
	return first;
}

/* ---- Appending ---- */

/* Under the lock. False without memory. */
static bool add_task(rstd__stream *s, const rstd__order *order)
{
	rstd__task *const task = rstd__queue_push(&s->queue);

	if (task == NULL)
		return false;
	task->kind = order->kind;
	task->gate = order->gate;
	task->patience = order->patience;
	if (order->size > 0)
		memcpy(task->payload, order->payload, order->size);
	return true;
}

static aclError add_tasks(rstd__stream *s, const rstd__order *orders, size_t count)
{
	if (s->closed)
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "stream: %p is being destroyed", s->object.handle);
	if (is_stopped(s))
		return rstd__acl_repeat(&s->failure);
	for (size_t i = 0; i < count; i++) {
		if (add_task(s, &orders[i]))
			continue;
		while (i-- > 0)
			rstd__queue_unpush(&s->queue);
		return rstd__acl_no_memory("the queue of a stream");
	}
	for (size_t i = 0; i < count; i++) {
		if (orders[i].gate != NULL)
			rstd__mark_ref(orders[i].gate);
	}
	s->pushed += count;
	return ACL_SUCCESS;
}

aclError rstd__stream_append(rstd__stream *s, const rstd__order *orders, size_t count, uint64_t *number)
{
	bool slept = false;

	pthread_mutex_lock(&s->lock);
	const aclError code = add_tasks(s, orders, count);
	if (number != NULL)
		*number = s->pushed;
	if (code == ACL_SUCCESS)
		last_task = (uint32_t)s->pushed - 1;
	if (code == ACL_SUCCESS && s->running == NULL)
		slept = call_worker(s);
	while (s->alone && step(s, true))
		continue;
	pthread_mutex_unlock(&s->lock);
	if (slept)
		wake_worker(s);
	return code;
}

aclError rstd__stream_push(aclrtStream stream, const rstd__task_kind *kind, const void *payload, size_t size)
{
	const rstd__order order = { .kind = kind, .payload = payload, .size = size };
	rstd__stream *s;
	aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	code = rstd__stream_append(s, &order, 1, NULL);
	rstd__object_put(s);
	return code;
}

/* ---- Coming and going ---- */

static void release(void *stream)
{
	rstd__stream *const s = stream;

	rstd__queue_free(&s->queue);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->progress);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* A thread that finds the lock taken looks again a few times before it sleeps: it is never held for long. */
static bool init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	if (pthread_mutexattr_init(&attr) != 0)
		return false;
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
	const int error = pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return error == 0;
}

static bool init_waiting(rstd__stream *s)
{
	if (!init_lock(&s->lock))
		return false;
	if (rstd__cond_init(&s->progress)) {
		if (rstd__cond_init(&s->work))
			return true;
		pthread_cond_destroy(&s->progress);
	}
	pthread_mutex_destroy(&s->lock);
	return false;
}

static aclError refuse_new(void)
{
	if (rstd__object_count(RSTD_OBJECT_STREAM) >= MAX_STREAMS)
		return rstd__acl_fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "there are %d streams, which is all that can be",
		                      MAX_STREAMS);
	return rstd__acl_no_memory("a stream");
}

aclError rstd__stream_new(const rstd__context *context, bool is_default, uint32_t priority, uint32_t flags,
                          rstd__stream **stream)
{
	static atomic_int ids;
	rstd__stream *const s = calloc(1, sizeof(*s));

	if (s == NULL || !init_waiting(s)) {
		free(s);
		return rstd__acl_no_memory("a stream");
	}
	s->context = context->object.handle;
	s->device = context->device;
	s->id = atomic_fetch_add(&ids, 1) & INT32_MAX;
	s->priority = priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority;
	s->flags = flags & KNOWN_STREAM_FLAGS;
	s->is_default = is_default;
	s->wake_at = UINT64_MAX;
	s->waiter.owner = s;
	s->waiter.wake = pass_gate;
	if (!rstd__object_open(RSTD_OBJECT_STREAM, MAX_STREAMS, s, release)) {
		release(s);
		return refuse_new();
	}
	rstd__object_ref(s);
	*stream = s;
	return ACL_SUCCESS;
}

void rstd__stream_put(rstd__stream *s)
{
	rstd__object_put(s);
}

aclrtStream rstd__stream_handle(const rstd__stream *s)
{
	return s->object.handle;
}

/* Waits for the work and the worker. */
static void wind_up(rstd__stream *s, bool force)
{
	pthread_mutex_lock(&s->lock);
	s->dropping += force;
	attend(s); /* with a worker where one is needed: a closed stream starts none */
	s->closed = true;
	await_done(s, s->pushed, RSTD_FOREVER);
	s->quit = true;
	const bool join = s->has_worker;
	s->has_worker = false;
	if (call_worker(s))
		wake_worker(s);
	pthread_mutex_unlock(&s->lock);
	if (join)
		pthread_join(s->worker, NULL);
}

aclError rstd__stream_end(rstd__stream *s, bool force)
{
	const aclError code = rstd__stream_check_wait(s);

	if (code != ACL_SUCCESS)
		return code;
	rstd__object_ref(s);
	if (!rstd__object_close(s)) {
		rstd__object_put(s);
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "stream: %p was destroyed", s->object.handle);
	}
	wind_up(s, force);
	rstd__servers_leave(s);
	rstd__object_put(s);
	return ACL_SUCCESS;
}

void rstd__streams_end(aclrtContext context, bool force)
{
	uint32_t cursor = 0;
	rstd__stream *s;

	while ((s = rstd__object_next(RSTD_OBJECT_STREAM, &cursor)) != NULL) {
		if (s->context == context)
			rstd__stream_end(s, force);
		rstd__object_put(s);
	}
}

bool rstd__streams_run_here(aclrtContext context)
{
	bool found = false;
	uint32_t cursor = 0;
	rstd__stream *s;

	while (!found && (s = rstd__object_next(RSTD_OBJECT_STREAM, &cursor)) != NULL) {
		pthread_mutex_lock(&s->lock);
		found = (context == NULL || s->context == context) && runs_here(s);
		pthread_mutex_unlock(&s->lock);
		rstd__object_put(s);
	}
	return found;
}

struct rstd__server **rstd__stream_servers(rstd__stream *s)
{
	return s->servers;
}

rstd__limits *rstd__stream_limits(rstd__stream *s)
{
	return &s->limits;
}

static aclError find_default(rstd__stream **stream)
{
	rstd__context *context;
	const aclError code = rstd__context_current(&context);

	if (code != ACL_SUCCESS)
		return code;
	*stream = context->default_stream;
	rstd__object_ref(*stream);
	rstd__context_put(context);
	return ACL_SUCCESS;
}

aclError rstd__stream_find(aclrtStream handle, rstd__stream **stream)
{
	*stream = NULL;
	rstd__streams_revive();
	if (handle == NULL)
		return find_default(stream);
	rstd__stream *const s = rstd__object_get(RSTD_OBJECT_STREAM, handle);
	if (s == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "stream: %p is no stream, or one that was destroyed",
		                      handle);
	if (s->context == rstd__context_handle()) {
		*stream = s;
		return ACL_SUCCESS;
	}
	rstd__object_put(s);
	const aclError code = rstd__context_check();
	if (code != ACL_SUCCESS)
		return code;
	return rstd__acl_fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream: %p belongs to another context than the current one",
	                      handle);
}

/* ---- Forks ---- */

static rstd__stream *locked; /* from before a fork until after it */

void rstd__streams_lock(void)
{
	uint32_t cursor = 0;
	rstd__stream *s;

	while ((s = rstd__object_next(RSTD_OBJECT_STREAM, &cursor)) != NULL) {
		pthread_mutex_lock(&s->lock);
		s->next_locked = locked;
		locked = s;
	}
}

/* The streams keep their references, for the last one of one may be among them, until nothing else is locked. */
void rstd__streams_unlock(void)
{
	rstd__stream *s = locked;

	locked = NULL;
	while (s != NULL) {
		rstd__stream *const next = s->next_locked;

		pthread_mutex_unlock(&s->lock);
		rstd__object_put(s);
		s = next;
	}
}

/* Only this thread is left of all that used the stream. */
static void reset_in_child(rstd__stream *s)
{
	init_lock(&s->lock);
	rstd__cond_init(&s->progress);
	s->wake_at = UINT64_MAX;
	if (runs_here(s)) {
		s->has_worker = s->has_worker && pthread_equal(s->worker, pthread_self());
	} else {
		/* What a spent task held may be given up already, or not: it is not touched. */
		if (s->running != NULL && atomic_load(&s->spent))
			finish_task(s);
		s->lost = s->running != NULL && !s->running->kind->any_thread;
		s->running = NULL;
		s->has_worker = false;
	}
	s->asleep = false;
	rstd__cond_init(&s->work);
}

void rstd__streams_reset_in_child(void)
{
	rstd__stream *s = locked;

	locked = NULL;
	while (s != NULL) {
		rstd__stream *const next = s->next_locked;

		reset_in_child(s);
		rstd__object_put(s);
		s = next;
	}
	atomic_store(&spinners, 0);
	atomic_store(&revive, true);
}

void rstd__streams_revive(void)
{
	uint32_t cursor = 0;
	rstd__stream *s;

	if (!atomic_load_explicit(&revive, memory_order_relaxed) || !atomic_exchange(&revive, false))
		return;
	while ((s = rstd__object_next(RSTD_OBJECT_STREAM, &cursor)) != NULL) {
		pthread_mutex_lock(&s->lock);
		attend(s);
		pthread_mutex_unlock(&s->lock);
		rstd__object_put(s);
	}
}

/* ---- When the process ends ---- */

/*
 * Nothing begins any more, and a computation that runs is waited for, lest it use what the process takes down. A
 * function of the program is not: it may never end.
 */
__attribute__((destructor)) static void stop_streams(void)
{
	uint32_t cursor = 0;
	rstd__stream *s;

	while ((s = rstd__object_next(RSTD_OBJECT_STREAM, &cursor)) != NULL) {
		pthread_mutex_lock(&s->lock);
		s->closed = true;
		s->dropping++;
		if (s->running != NULL && s->running->kind->any_thread && !runs_here(s))
			await_done(s, atomic_load_explicit(&s->done, memory_order_relaxed) + 1, RSTD_FOREVER);
		pthread_mutex_unlock(&s->lock);
		rstd__object_put(s);
	}
}

/* ---- The interface ---- */

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
	rstd__context *context;
	rstd__stream *s;

	if (stream == NULL)
		return rstd__acl_null("stream");
	aclError code = rstd__context_current(&context);
	if (code != ACL_SUCCESS)
		return code;
	code = rstd__stream_new(context, false, priority, flag, &s);
	rstd__context_put(context);
	if (code != ACL_SUCCESS)
		return code;
	*stream = s->object.handle;
	rstd__object_put(s);
	return ACL_SUCCESS;
}

/* What a stream shall be like. */
struct config {
	rstd__object object;
	_Atomic uint32_t flags;
	_Atomic uint32_t priority;
};

static aclError find_config(const void *handle, struct config **config)
{
	if (handle == NULL)
		return rstd__acl_null("handle");
	*config = rstd__object_get(RSTD_OBJECT_STREAM_CONFIG, handle);
	if (*config == NULL)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM,
		                      "handle: %p is no configuration, or one that was destroyed", handle);
	return ACL_SUCCESS;
}

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
	struct config *const config = calloc(1, sizeof(*config));

	if (config == NULL || !rstd__object_open(RSTD_OBJECT_STREAM_CONFIG, UINT32_MAX, config, free)) {
		free(config);
		rstd__acl_no_memory("the configuration of a stream");
		return NULL;
	}
	config->priority = LEAST_PRIORITY;
	return config->object.handle;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
	struct config *config;
	const aclError code = find_config(handle, &config);

	if (code != ACL_SUCCESS)
		return code;
	const bool ended = rstd__object_close(config);
	rstd__object_put(config);
	if (!ended)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "handle: %p was destroyed", (void *)handle);
	return ACL_SUCCESS;
}

/* Reads an unsigned number of 4 or 8 bytes, which programs give either of; what is above 32 bits is too much anyway. */
static aclError read_number(const void *value, size_t size, uint32_t *number)
{
	uint64_t wide;

	if (size == sizeof(*number)) {
		memcpy(number, value, size);
	} else if (size == sizeof(wide)) {
		memcpy(&wide, value, size);
		*number = wide > UINT32_MAX ? UINT32_MAX : (uint32_t)wide;
	} else {
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "valueSize: is %zu, allowed are 4 and 8", size);
	}
	return ACL_SUCCESS;
}

static aclError set_option(struct config *config, aclrtStreamConfigAttr attr, const void *value, size_t size)
{
	uint32_t number = 0;
	const aclError code = read_number(value, size, &number);

	if (code != ACL_SUCCESS)
		return code;
	if (attr == ACL_RT_STREAM_FLAG)
		config->flags = number;
	else if (attr == ACL_RT_STREAM_PRIORITY)
		config->priority = number;
	else if (attr != ACL_RT_STREAM_WORK_ADDR_PTR && attr != ACL_RT_STREAM_WORK_SIZE) /* which are for models */
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "attr: is %d, allowed are 0 to 3", (int)attr);
	return ACL_SUCCESS;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr, const void *attrValue,
                                 size_t valueSize)
{
	struct config *config;

	if (attrValue == NULL)
		return rstd__acl_null("attrValue");
	aclError code = find_config(handle, &config);
	if (code != ACL_SUCCESS)
		return code;
	code = set_option(config, attr, attrValue, valueSize);
	rstd__object_put(config);
	return code;
}

aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
	struct config *config;
	aclError code = find_config(handle, &config);

	if (code != ACL_SUCCESS)
		return code;
	code = aclrtCreateStreamWithConfig(stream, config->priority, config->flags);
	rstd__object_put(config);
	return code;
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
	if (taskId == NULL)
		return rstd__acl_null("taskId");
	const aclError code = rstd__context_check();
	if (code == ACL_SUCCESS)
		*taskId = last_task;
	return code;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	return aclrtCreateStreamWithConfig(stream, LEAST_PRIORITY, 0);
}

static aclError destroy(aclrtStream stream, bool force)
{
	rstd__stream *s;

	if (stream == NULL)
		return rstd__acl_null("stream");
	aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	if (s->is_default)
		code = rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "stream: %p is the default stream of a context",
		                      stream);
	else
		code = rstd__stream_end(s, force);
	rstd__object_put(s);
	return code;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	return destroy(stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
	return destroy(stream, true);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
	rstd__stream *s;

	if (timeout == 0 || timeout < -1)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "timeout: is %d, allowed are -1 and more than 0",
		                      timeout);
	aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	if ((s->flags & FLAGS_WITHOUT_WAITING) == 0)
		code = synchronize(s, rstd__deadline(timeout));
	rstd__object_put(s);
	return code;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	return aclrtSynchronizeStreamWithTimeout(stream, -1);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
	rstd__stream *s;

	if (status == NULL)
		return rstd__acl_null("status");
	const aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	pthread_mutex_lock(&s->lock);
	*status = s->queue.count == 0 ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
	pthread_mutex_unlock(&s->lock);
	rstd__object_put(s);
	return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
	rstd__stream *s;

	if (streamId == NULL)
		return rstd__acl_null("streamId");
	const aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	*streamId = s->id;
	rstd__object_put(s);
	return ACL_SUCCESS;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
	rstd__stream *s;

	if (priority == NULL)
		return rstd__acl_null("priority");
	const aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	*priority = s->priority;
	rstd__object_put(s);
	return ACL_SUCCESS;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
	rstd__stream *s;

	if (flags == NULL)
		return rstd__acl_null("flags");
	const aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	*flags = s->flags;
	rstd__object_put(s);
	return ACL_SUCCESS;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
	rstd__stream *s;

	if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "mode: is %llu, allowed are 0 and 1",
		                      (unsigned long long)mode);
	const aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	pthread_mutex_lock(&s->lock);
	s->stop_on_failure = mode == ACL_STOP_ON_FAILURE;
	pthread_mutex_unlock(&s->lock);
	rstd__object_put(s);
	return ACL_SUCCESS;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
	if (streamCount == NULL)
		return rstd__acl_null("streamCount");
	const uint32_t live = rstd__object_count(RSTD_OBJECT_STREAM);
	*streamCount = live < MAX_STREAMS ? MAX_STREAMS - live : 0;
	return ACL_SUCCESS;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)
{
	if (leastPriority == NULL)
		return rstd__acl_null("leastPriority");
	if (greatestPriority == NULL)
		return rstd__acl_null("greatestPriority");
	*leastPriority = LEAST_PRIORITY;
	*greatestPriority = GREATEST_PRIORITY;
	return ACL_SUCCESS;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
	rstd__stream *s;
	aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	pthread_mutex_lock(&s->lock);
	if (runs_here(s)) {
		code = refuse_own_stream(s);
	} else {
		s->dropping++;
		await_done(s, s->pushed, RSTD_FOREVER);
		s->dropping--;
	}
	pthread_mutex_unlock(&s->lock);
	rstd__object_put(s);
	return code;
}
