/*
 * callback.c - functions of the program in the order of a stream
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A host function is a task like others, which only the stream's own thread may run. A callback is run by a thread of
 * the program, the server that is subscribed to the stream: the task hands the call over to it; if the stream shall
 * wait, a second task waits for the mark that the server passes when it has run the call.
 */
#include "cann/acl/callback.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "cann/acl/clock.h"
#include "cann/acl/error.h"
#include "cann/acl/mark.h"

/* Of a stream, each has one server. */
enum service { SERVICE_REPORT, SERVICE_HOST_FUNC, SERVICES };

_Static_assert(SERVICES == RSTD_STREAM_SERVICES, "a stream has a place for each server");

/* A callback on its way. */
struct call {
	struct call *next;
	const rstd__stream *stream; /* only compared */
	aclrtCallback fn;
	void *user_data;
	rstd__mark *mark; /* passed when it has run or never will; NULL: nobody waits */
};

struct rstd__server {
	struct rstd__server *next;
	uint64_t thread;
	unsigned streams;    /* subscribed */
	unsigned processing; /* calls of the program's thread that wait or run callbacks */
	struct call *first, **end;
};

static struct {
	pthread_mutex_t
		lock; /* guards what follows, and where streams note their servers; no other is taken under it */
	pthread_cond_t change;
	bool ready;
	struct rstd__server *of[SERVICES];
} servers = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool rstd__servers_init(void)
{
	pthread_mutex_lock(&servers.lock);
	if (!servers.ready)
		servers.ready = rstd__cond_init(&servers.change);
	const bool ready = servers.ready;
	pthread_mutex_unlock(&servers.lock);
	return ready;
}

void rstd__servers_lock(void)
{
	pthread_mutex_lock(&servers.lock);
}

void rstd__servers_unlock(void)
{
	pthread_mutex_unlock(&servers.lock);
}

void rstd__servers_reset_in_child(void)
{
	servers.ready = rstd__cond_init(&servers.change);
	pthread_mutex_unlock(&servers.lock);
}

/* ---- Host functions ---- */

struct host_func {
	aclrtHostFunc fn;
	void *args;
};

/* What the function does wrong with the runtime is its own, not the stream's. */
static aclError run_host_func(void *payload)
{
	const struct host_func *const host_func = payload;
	rstd__failure *const before = rstd__acl_redirect(NULL);

	host_func->fn(host_func->args);
	rstd__acl_redirect(before);
	return ACL_SUCCESS;
}

static const rstd__task_kind host_func_kind = { .run = run_host_func };

static bool is_subscribed(rstd__stream *stream, enum service service)
{
	rstd__servers_lock();
	const bool subscribed = rstd__stream_servers(stream)[service] != NULL;
	rstd__servers_unlock();
	return subscribed;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
	const struct host_func payload = { .fn = fn, .args = args };
	const rstd__order order = { .kind = &host_func_kind, .payload = &payload, .size = sizeof(payload) };
	rstd__stream *s;

	if (fn == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "fn: is null, must be a function");
	aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	if (is_subscribed(s, SERVICE_REPORT))
		code = rstd__acl_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE,
		                      "stream: %p is subscribed by aclrtSubscribeReport()", rstd__stream_handle(s));
	else
		code = rstd__stream_append(s, &order, 1, NULL);
	rstd__stream_put(s);
	return code;
}

/* ---- Calls ---- */

/* Whether it ran or will not run. Not under the lock. */
static void finish_call(struct call *call)
{
	if (call->mark != NULL) {
		rstd__mark_pass(call->mark, 0);
		rstd__mark_put(call->mark);
	}
	free(call);
}

static void finish_calls(struct call *call)
{
	while (call != NULL) {
		struct call *const next = call->next;

		finish_call(call);
		call = next;
	}
}

struct handover {
	rstd__stream *stream; /* whose task this is */
	struct call *call;    /* NULL: handed over */
};

/* Hands the call over, unless nobody serves the stream any more, or a process that was forked then had done it. */
static aclError run_handover(void *payload)
{
	struct handover *const handover = payload;

	rstd__servers_lock();
	struct rstd__server *const server = rstd__stream_servers(handover->stream)[SERVICE_REPORT];
	struct call *const call = handover->call;
	if (server != NULL && call != NULL) {
		call->next = NULL;
		*server->end = call;
		server->end = &call->next;
		handover->call = NULL;
		pthread_cond_broadcast(&servers.change);
	}
	rstd__servers_unlock();
	return ACL_SUCCESS;
}

static void drop_handover(void *payload)
{
	const struct handover *const handover = payload;

	if (handover->call != NULL)
		finish_call(handover->call);
}

static const rstd__task_kind handover_kind = { .run = run_handover, .drop = drop_handover, .any_thread = true };

static aclError run_nothing(void *payload)
{
	(void)payload;
	return ACL_SUCCESS;
}

static const rstd__task_kind wait_kind = { .run = run_nothing, .any_thread = true };

/* NULL without memory. */
static struct call *new_call(const rstd__stream *stream, aclrtCallback fn, void *user_data, bool block)
{
	struct call *const call = malloc(sizeof(*call));

	if (call == NULL)
		return NULL;
	*call = (struct call){ .stream = stream, .fn = fn, .user_data = user_data };
	if (!block)
		return call;
	call->mark = rstd__mark_new();
	if (call->mark != NULL)
		return call;
	free(call);
	return NULL;
}

static aclError launch(rstd__stream *stream, aclrtCallback fn, void *user_data, bool block)
{
	if (!is_subscribed(stream, SERVICE_REPORT))
		return rstd__acl_fail(ACL_ERROR_RT_STREAM_NO_CB_REG,
		                      "stream: %p is not subscribed by aclrtSubscribeReport()",
		                      rstd__stream_handle(stream));
	struct call *const call = new_call(stream, fn, user_data, block);
	if (call == NULL)
		return rstd__acl_no_memory("a callback");
	const struct handover handover = { .stream = stream, .call = call };
	const rstd__order orders[] = {
		{ .kind = &handover_kind, .payload = &handover, .size = sizeof(handover) },
		{ .kind = &wait_kind, .gate = call->mark },
	};
	const aclError code = rstd__stream_append(stream, orders, block ? 2 : 1, NULL);
	if (code != ACL_SUCCESS)
		finish_call(call);
	return code;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
	rstd__stream *s;

	if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "blockType: is %d, allowed are 0 and 1", (int)blockType);
	if (fn == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_PARAM_INVALID, "fn: is null, must be a function");
	aclError code = rstd__stream_find(stream, &s);
	if (code != ACL_SUCCESS)
		return code;
	code = launch(s, fn, userData, blockType == ACL_CALLBACK_BLOCK);
	rstd__stream_put(s);
	return code;
}

/* ---- Servers; under the lock ---- */

static struct rstd__server *find_server(enum service service, uint64_t thread)
{
	struct rstd__server *server = servers.of[service];

	while (server != NULL && server->thread != thread)
		server = server->next;
	return server;
}

/* The server of that thread, a new one if need be; NULL without memory. */
static struct rstd__server *need_server(enum service service, uint64_t thread)
{
	struct rstd__server *server = find_server(service, thread);

	if (server != NULL)
		return server;
	server = calloc(1, sizeof(*server));
	if (server == NULL)
		return NULL;
	server->thread = thread;
	server->end = &server->first;
	server->next = servers.of[service];
	servers.of[service] = server;
	return server;
}

/* A server goes when it has no streams and its thread is not in it. */
static void drop_idle(enum service service, struct rstd__server *server)
{
	struct rstd__server **place = &servers.of[service];

	if (server->streams > 0 || server->processing > 0)
		return;
	while (*place != server)
		place = &(*place)->next;
	*place = server->next;
	free(server);
}

/* Takes the calls of a stream away from its server. */
static struct call *take_calls(struct rstd__server *server, const rstd__stream *stream)
{
	struct call *taken = NULL, **place = &server->first;

	while (*place != NULL) {
		struct call *const call = *place;

		if (call->stream == stream) {
			*place = call->next;
			call->next = taken;
			taken = call;
		} else {
			place = &call->next;
		}
	}
	server->end = place;
	return taken;
}

/* Ends a subscription. The calls that are left of it. */
static struct call *leave(rstd__stream *stream, enum service service)
{
	struct rstd__server **const place = &rstd__stream_servers(stream)[service];
	struct rstd__server *const server = *place;

	if (server == NULL)
		return NULL;
	struct call *const calls = take_calls(server, stream);
	*place = NULL;
	server->streams--;
	pthread_cond_broadcast(&servers.change);
	drop_idle(service, server);
	return calls;
}

void rstd__servers_leave(rstd__stream *stream)
{
	for (int service = 0; service < SERVICES; service++) {
		rstd__servers_lock();
		struct call *const calls = leave(stream, (enum service)service);
		rstd__servers_unlock();
		finish_calls(calls);
	}
}

/* ---- Subscribing and serving ---- */

static aclError join(rstd__stream *stream, enum service service, uint64_t thread)
{
	aclError code = ACL_SUCCESS;

	rstd__servers_lock();
	struct rstd__server **const place = &rstd__stream_servers(stream)[service];
	struct rstd__server *const server = *place == NULL ? need_server(service, thread) : NULL;
	if (server != NULL) {
		*place = server;
		server->streams++;
	} else if (*place != NULL) {
		code = rstd__acl_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE,
		                      "stream: %p is subscribed already, by thread %" PRIu64,
		                      rstd__stream_handle(stream), (*place)->thread);
	} else {
		code = rstd__acl_no_memory("a subscription");
	}
	rstd__servers_unlock();
	return code;
}

static aclError subscribe(uint64_t thread, aclrtStream stream, enum service service)
{
	rstd__stream *s;
	aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	code = join(s, service, thread);
	rstd__stream_put(s);
	return code;
}

static aclError check_leave(rstd__stream *stream, enum service service, uint64_t thread)
{
	const struct rstd__server *const server = rstd__stream_servers(stream)[service];

	if (server == NULL)
		return rstd__acl_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "stream: %p is not subscribed",
		                      rstd__stream_handle(stream));
	if (server->thread != thread)
		return rstd__acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
		                      "threadId: is %" PRIu64 ", the stream is subscribed by %" PRIu64, thread,
		                      server->thread);
	return ACL_SUCCESS;
}

static aclError unsubscribe(uint64_t thread, aclrtStream stream, enum service service)
{
	struct call *calls = NULL;
	rstd__stream *s;
	aclError code = rstd__stream_find(stream, &s);

	if (code != ACL_SUCCESS)
		return code;
	rstd__servers_lock();
	code = check_leave(s, service, thread);
	if (code == ACL_SUCCESS)
		calls = leave(s, service);
	rstd__servers_unlock();
	finish_calls(calls);
	rstd__stream_put(s);
	return code;
}

/* Runs the calls that are due; gives up the lock meanwhile. */
static void serve(struct rstd__server *server)
{
	struct call *call;

	while ((call = server->first) != NULL) {
		server->first = call->next;
		if (server->first == NULL)
			server->end = &server->first;
		rstd__servers_unlock();
		call->fn(call->user_data);
		finish_call(call);
		rstd__servers_lock();
	}
}

static aclError process(int32_t timeout, enum service service)
{
	const uint64_t self = (uint64_t)pthread_self();
	const int64_t deadline = rstd__deadline(timeout);
	bool in_time = true;
	aclError code = ACL_SUCCESS;

	if (timeout == 0 || timeout < -1)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM,
		                      "timeout: is %" PRId32 ", allowed are -1 and more than 0", timeout);
	rstd__servers_lock();
	struct rstd__server *const server = find_server(service, self);
	if (server != NULL) {
		server->processing++;
		while (server->first == NULL && server->streams > 0 && in_time)
			in_time = rstd__cond_wait(&servers.change, &servers.lock, deadline);
	}
	if (server != NULL && server->first != NULL)
		serve(server);
	else if (server != NULL && server->streams > 0)
		code = rstd__acl_fail(ACL_ERROR_RT_REPORT_TIMEOUT, "timeout: nothing came within %" PRId32 " ms",
		                      timeout);
	else
		code = rstd__acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, "the calling thread is subscribed to no stream");
	if (server != NULL) {
		server->processing--;
		drop_idle(service, server);
	}
	rstd__servers_unlock();
	return code;
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	return subscribe(threadId, stream, SERVICE_REPORT);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	return unsubscribe(threadId, stream, SERVICE_REPORT);
}

aclError aclrtProcessReport(int32_t timeout)
{
	return process(timeout, SERVICE_REPORT);
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	if (exeStream == NULL)
		return rstd__acl_null("exeStream");
	return subscribe(hostFuncThreadId, exeStream, SERVICE_HOST_FUNC);
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	if (exeStream == NULL)
		return rstd__acl_null("exeStream");
	return unsubscribe(hostFuncThreadId, exeStream, SERVICE_HOST_FUNC);
}

aclError aclrtProcessHostFunc(int32_t timeout)
{
	return process(timeout, SERVICE_HOST_FUNC);
}
