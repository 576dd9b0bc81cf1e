/*
 * outfile.h - output files that appear whole or not at all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CLI_OUTFILE_H
#define RSTD_CLI_OUTFILE_H

#include <limits.h>

#include "rstd/rstd.h"

/* Open at any one time. */
#define OUTFILE_MAX 16

/*
 * Outputs: begin each, write each, finish each, then commit all of them at once; discard each whatever happens. Every
 * function says what went wrong and returns false on failure, after which discard is what is left to do; discard also
 * takes a struct of zeros.
 *
 * A regular file is written under another name in the same directory, and takes its own name when all files are
 * complete, so the input may be replaced by the output. A file that is there keeps its permissions, a symbolic link
 * stays and its target is replaced. Standard output ("-"), devices and pipes are written to directly.
 */
struct outfile {
	const char *path;
	int fd;
	bool open;
	char target[PATH_MAX];    /* path, with symbolic links followed */
	char temporary[PATH_MAX]; /* the name it has until it is complete; "" where it is written to directly */
	enum {
		OUTFILE_FINAL,     /* the target's name is its own, or not yet, and stays so */
		OUTFILE_NEW,       /* nothing had that name before */
		OUTFILE_EXCHANGED, /* what had it has the temporary name */
	} undo;
};

bool rstd__outfile_begin(struct outfile *file, const char *path);
bool rstd__outfile_write(struct outfile *file, const rstd_tensor *tensor);

/* Nothing that fails later than this concerns the contents. */
bool rstd__outfile_finish(struct outfile *file);

/*
 * Renames all files. When a later one fails, earlier ones are taken back, except where one replaced a file and the
 * file system cannot exchange two names: there the new file stays. SIGHUP, SIGINT and SIGTERM wait meanwhile.
 */
bool rstd__outfile_commit(struct outfile *files, size_t count);
void rstd__outfile_discard(struct outfile *file);

/*
 * All of that for `count` tensors, at most OUTFILE_MAX, those whose path is not NULL. All files are begun, all written,
 * all finished before the first gets its name, so that one failure leaves none.
 */
bool rstd__outfile_save(const char *const *paths, const rstd_tensor *tensors, size_t count);

/* Whether two paths, of files that need not be there, name the same one. */
bool rstd__outfile_same(const char *path, const char *other);

#endif
