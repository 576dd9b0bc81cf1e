/*
 * fork.c - the runtime in a child process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Before a fork all locks are taken, in the order in which they may be nested; so no other thread is in the middle of a
 * change, and the child only has to free them and to forget the threads that it has not.
 */
#include "cann/acl/fork.h"

#include <pthread.h>

#include "cann/acl/callback.h"
#include "cann/acl/device.h"
#include "cann/acl/event.h"
#include "cann/acl/mark.h"
#include "cann/acl/memory.h"
#include "cann/acl/object.h"
#include "cann/acl/process.h"
#include "cann/acl/stream.h"

static void lock_all(void)
{
	rstd__process_lock();
	rstd__devices_lock();
	rstd__objects_lock();
	rstd__streams_lock();
	rstd__servers_lock();
	rstd__events_lock();
	rstd__marks_lock();
	rstd__memory_lock();
}

static void unlock_in_parent(void)
{
	rstd__memory_unlock();
	rstd__marks_unlock();
	rstd__events_unlock();
	rstd__servers_unlock();
	rstd__objects_unlock();
	rstd__streams_unlock(); /* gives up references, which takes locks of its own */
	rstd__devices_unlock();
	rstd__process_unlock();
}

static void unlock_in_child(void)
{
	rstd__memory_unlock();
	rstd__marks_unlock();
	rstd__events_unlock();
	rstd__servers_reset_in_child();
	rstd__objects_unlock();
	rstd__streams_reset_in_child();
	rstd__devices_unlock();
	rstd__process_unlock();
}

static pthread_once_t prepare_once = PTHREAD_ONCE_INIT;
static bool prepared;

static void prepare(void)
{
	prepared = rstd__servers_init() && pthread_atfork(lock_all, unlock_in_parent, unlock_in_child) == 0;
}

bool rstd__fork_prepare(void)
{
	pthread_once(&prepare_once, prepare);
	return prepared;
}
