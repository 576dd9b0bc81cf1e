/*
 * outfile.c - output files that appear whole or not at all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* renameat2 */
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

static const int ending_signals[] = { SIGHUP, SIGINT, SIGTERM };

#define ENDING_SIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

static void remove_pending(int signal_number)
{
	for (size_t i = 0; i < OUTFILE_MAX; i++) {
		const char *name = pending[i];

		if (name)
			unlink(name);
	}
	raise(signal_number); /* the default action is in force again, see SA_RESETHAND */
}

/* Signals that were ignored when we started, as under nohup, stay so. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = remove_pending, .sa_flags = (int)SA_RESETHAND }, old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ENDING_SIGNALS; i++)
		if (sigaction(ending_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(ending_signals[i], &action, NULL);
}

/* The same signals wait until sigprocmask() restores *before. */
static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < ENDING_SIGNALS; i++)
		sigaddset(&held, ending_signals[i]);
	sigprocmask(SIG_BLOCK, &held, before);
}

static void set_pending(const char *from, const char *to)
{
	for (size_t i = 0; i < OUTFILE_MAX; i++)
		if (pending[i] == from) {
			pending[i] = to;
			return;
		}
}

static bool fail(const struct outfile *file, int error)
{
	rstd__complain("%s: cannot be written: %s", file->path, strerror(error));
	return false;
}

/* The bytes of a path before its last part. */
static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The path with symbolic links followed, or as it is where nothing is there yet. Sets errno. */
static bool resolve(const char *path, char target[PATH_MAX])
{
	const size_t length = strlen(path);

	if (realpath(path, target))
		return true;
	if (errno != ENOENT)
		return false;
	if (length >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(target, path, length + 1);
	return true;
}

/* Finds the directory that a resolved path is in. */
static bool stat_directory(const char *target, struct stat *status)
{
	char directory[PATH_MAX + 1];

	snprintf(directory, sizeof(directory), "%.*s.", (int)directory_length(target), target);
	return stat(directory, status) == 0;
}

bool rstd__outfile_same(const char *path, const char *other)
{
	char target[2][PATH_MAX];
	struct stat directory[2];

	if (strcmp(path, other) == 0)
		return true;
	if (strcmp(path, "-") == 0 || strcmp(other, "-") == 0 || !resolve(path, target[0]) ||
	    !resolve(other, target[1]) || !stat_directory(target[0], &directory[0]) ||
	    !stat_directory(target[1], &directory[1]))
		return false;
	return directory[0].st_dev == directory[1].st_dev && directory[0].st_ino == directory[1].st_ino &&
	       strcmp(target[0] + directory_length(target[0]), target[1] + directory_length(target[1])) == 0;
}

/*
 * Creates a file beside the target. The umask has its say; a file that is there passes its permissions on. The name is
 * pending before there is a file, lest a signal in between leaves one.
 */
static bool create_temporary(struct outfile *file, const struct stat *existing)
{
	const mode_t mode = existing ? existing->st_mode & 0777 : 0666;
	const int directory = (int)directory_length(file->target);

	for (int i = 0; i < NAME_TRIES; i++) {
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
	if (!file->open || (existing && fchmod(file->fd, mode) != 0))
		return fail(file, errno);
	return true;
}

static bool open_directly(struct outfile *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	file->open = file->fd >= 0;
	return file->open || fail(file, errno);
}

bool rstd__outfile_begin(struct outfile *file, const char *path)
{
	struct stat status;
	bool exists;

	*file = (struct outfile){ .path = path };
	if (strcmp(path, "-") == 0) {
		file->path = "standard output";
		file->fd = STDOUT_FILENO;
		return true;
	}
	exists = stat(path, &status) == 0;
	if (exists && S_ISDIR(status.st_mode))
		return fail(file, EISDIR);
	if (exists && !S_ISREG(status.st_mode))
		return open_directly(file);
	if ((exists && access(path, W_OK) != 0) || !resolve(path, file->target))
		return fail(file, errno);
	catch_signals();
	return create_temporary(file, exists ? &status : NULL);
}

bool rstd__outfile_write(struct outfile *file, const rstd_tensor *tensor)
{
	char reason[NPY_REASON_SIZE];

	if (rstd__npy_write(file->fd, tensor, reason))
		return true;
	rstd__complain("%s: %s", file->path, reason);
	return false;
}

bool rstd__outfile_finish(struct outfile *file)
{
	if (file->temporary[0] != '\0' && fsync(file->fd) != 0)
		return fail(file, errno);
	if (!file->open)
		return true;
	file->open = false;
	return close(file->fd) == 0 || fail(file, errno);
}

/* Gives a finished file its name; with may_undo in such a way that undo() can take it away again, if there is one. */
static bool place(struct outfile *file, bool may_undo)
{
	file->undo = OUTFILE_FINAL;
	if (file->temporary[0] == '\0')
		return true;
	if (may_undo && renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->target, RENAME_EXCHANGE) == 0) {
		file->undo = OUTFILE_EXCHANGED;
		return true;
	}
	if (may_undo && errno == ENOENT)
		file->undo = OUTFILE_NEW;
	return rename(file->temporary, file->target) == 0 || fail(file, errno);
}

static void undo(struct outfile *file)
{
	if (file->undo == OUTFILE_EXCHANGED)
		renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->target, RENAME_EXCHANGE);
	else if (file->undo == OUTFILE_NEW)
		rename(file->target, file->temporary);
}

bool rstd__outfile_commit(struct outfile *files, size_t count)
{
	size_t placed = 0;
	sigset_t before;
	bool ok;

	hold_signals(&before);
	while (placed < count && place(&files[placed], placed + 1 < count))
		placed++;
	ok = placed == count;
	while (!ok && placed > 0)
		undo(&files[--placed]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok;
}

void rstd__outfile_discard(struct outfile *file)
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

bool rstd__outfile_save(const char *const *paths, const rstd_tensor *tensors, size_t count)
{
	struct outfile files[OUTFILE_MAX] = { { .open = false } };
	bool ok = true;

	while (count > 1 && !paths[count - 1])
		count--;
	for (size_t i = 0; ok && i < count; i++)
		ok = !paths[i] || rstd__outfile_begin(&files[i], paths[i]);
	for (size_t i = 0; ok && i < count; i++)
		ok = !paths[i] || rstd__outfile_write(&files[i], &tensors[i]);
	for (size_t i = 0; ok && i < count; i++)
		ok = !paths[i] || rstd__outfile_finish(&files[i]);
	ok = ok && rstd__outfile_commit(files, count);
	for (size_t i = 0; i < count; i++)
		rstd__outfile_discard(&files[i]);
	return ok;
}
