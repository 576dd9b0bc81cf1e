/*
 * outfile.c - output files that appear whole or not at all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "io/npy.h"

#define NAME_TRIES 100

/* The temporary files that exist, for the signal handler to remove. */
static _Atomic(const char *) pending[OUTFILE_MAX];

static void remove_pending(int signal_number)
{
	size_t i;

	for (i = 0; i < OUTFILE_MAX; i++) {
		const char *name = pending[i];

		if (name != NULL)
			unlink(name);
	}
	raise(signal_number); /* the default action is in force again, see SA_RESETHAND */
}

/* Signals that were ignored when we started, as under nohup, stay so. */
static void catch_signals(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action, old;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = remove_pending;
	action.sa_flags = (int)SA_RESETHAND;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

static void set_pending(const char *from, const char *to)
{
	size_t i;

	for (i = 0; i < OUTFILE_MAX; i++)
		if (pending[i] == from) {
			pending[i] = to;
			return;
		}
}

static bool fail(const struct outfile *file, int error)
{
	complain("%s: cannot be written: %s", file->path, strerror(error));
	return false;
}

/*
 * Creates a file beside the target. The umask has its say; a file that is there passes its permissions on. The name is
 * pending before there is a file, lest a signal in between leaves one.
 */
static bool create_temporary(struct outfile *file, const struct stat *existing)
{
	const mode_t mode = existing ? existing->st_mode & 0777 : 0666;
	const char *slash = strrchr(file->target, '/');
	const int directory = slash ? (int)(slash - file->target) + 1 : 0;
	int i;

	for (i = 0; i < NAME_TRIES; i++) {
		if (snprintf(file->temporary, PATH_MAX, "%.*s.rstd-%ld-%d", directory, file->target, (long)getpid(),
		             i) >= PATH_MAX) {
			file->temporary[0] = '\0';
			return fail(file, ENAMETOOLONG);
		}
		set_pending(NULL, file->temporary);
		file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (file->fd >= 0)
			break;
		set_pending(file->temporary, NULL);
		if (errno != EEXIST)
			break;
	}
	file->open = file->fd >= 0;
	if (!file->open)
		file->temporary[0] = '\0';
	if (!file->open || (existing != NULL && fchmod(file->fd, mode) != 0))
		return fail(file, errno);
	return true;
}

static bool open_directly(struct outfile *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	file->open = file->fd >= 0;
	return file->open || fail(file, errno);
}

bool outfile_begin(struct outfile *file, const char *path)
{
	struct stat status;
	bool exists;

	memset(file, 0, sizeof(*file));
	if (strcmp(path, "-") == 0) {
		file->path = "standard output";
		file->fd = STDOUT_FILENO;
		return true;
	}
	file->path = path;
	exists = stat(path, &status) == 0;
	if (exists && S_ISDIR(status.st_mode))
		return fail(file, EISDIR);
	if (exists && !S_ISREG(status.st_mode))
		return open_directly(file);
	if (exists && (access(path, W_OK) != 0 || realpath(path, file->target) == NULL))
		return fail(file, errno);
	if (!exists && snprintf(file->target, PATH_MAX, "%s", path) >= PATH_MAX)
		return fail(file, ENAMETOOLONG);
	catch_signals();
	return create_temporary(file, exists ? &status : NULL);
}

bool outfile_write(struct outfile *file, const rstd_tensor *tensor)
{
	char reason[NPY_REASON_SIZE];

	if (!npy_write(file->fd, tensor, reason)) {
		complain("%s: %s", file->path, reason);
		return false;
	}
	return true;
}

bool outfile_commit(struct outfile *file)
{
	const bool whole = file->temporary[0] == '\0' || fsync(file->fd) == 0;

	if (!whole)
		return fail(file, errno);
	if (file->open) {
		file->open = false;
		if (close(file->fd) != 0)
			return fail(file, errno);
	}
	if (file->temporary[0] != '\0') {
		if (rename(file->temporary, file->target) != 0)
			return fail(file, errno);
		set_pending(file->temporary, NULL);
		file->temporary[0] = '\0';
	}
	return true;
}

void outfile_discard(struct outfile *file)
{
	if (file->open)
		close(file->fd);
	file->open = false;
	if (file->temporary[0] != '\0') {
		unlink(file->temporary);
		set_pending(file->temporary, NULL);
		file->temporary[0] = '\0';
	}
}
