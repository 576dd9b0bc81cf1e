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
#define OUTFILE_MAX 2

/*
 * One output: begin, write, and then either commit or discard. Each says what went wrong and returns false on failure,
 * after which discard is what is left to do; discard also takes a struct of zeros, and one that was committed.
 *
 * A regular file is written under another name in the same directory, and takes its own name when it is complete, so
 * the input may be replaced by the output. A file that is there keeps its permissions, a symbolic link stays and its
 * target is replaced. Standard output ("-"), devices and pipes are written to directly.
 */
struct outfile {
	const char *path;
	int fd;
	bool open;
	char target[PATH_MAX];    /* path, with symbolic links followed */
	char temporary[PATH_MAX]; /* the name it has until it is complete; "" where it is written to directly */
};

bool outfile_begin(struct outfile *file, const char *path);
bool outfile_write(struct outfile *file, const rstd_tensor *tensor);
bool outfile_commit(struct outfile *file);
void outfile_discard(struct outfile *file);

#endif
