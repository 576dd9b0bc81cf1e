/*
 * options.h - the command line as a request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CLI_OPTIONS_H
#define RSTD_CLI_OPTIONS_H

#include "cli/outfile.h"
#include "rstd/rstd.h"

/* The subcommands, as bits, so that each option can say which of them take it. */
enum {
	COMMAND_STD = 1 << 0,
	COMMAND_STD_MEAN = 1 << 1,
	COMMAND_BATCH_NORM_STATS = 1 << 2,
	COMMAND_REDUCE_STD_WITH_MEAN = 1 << 3,
	COMMAND_INFO = 1 << 4,
	COMMAND_GRAPH_SHOW = 1 << 5,
	COMMAND_GRAPH_RUN = 1 << 6,
};

/* What an option that may be given several times names. */
struct files {
	const char *list[OUTFILE_MAX];
	size_t count;
};

struct axes {
	int64_t list[RSTD_MAX_RANK];
	size_t count; /* 0: all */
};

/* What one command line asks for. */
struct request {
	const char *input; /* "-" is standard input */
	const char *mean;  /* NULL where the subcommand takes none */
	bool as_bf16;      /* --dtype bf16 */
	struct axes dim;
	int64_t correction;
	bool keepdim, biased, invert;
	float epsilon;         /* --epsilon */
	double eps;            /* --eps */
	rstd_dtype out_dtype;  /* 0: that of the input */
	const char *output[2]; /* -o and --mean-out; NULL is printed, "-" is standard output */
	bool verbose, help;
	struct files feeds, results; /* --feed and -o of graphs */
	const char *fusion, *format; /* --fusion and --format of graphs */
};

/*
 * Reads the arguments after argv[0], the last word of the subcommand's name. False when something is wrong, which has
 * then been said. With --help nothing after it is looked at.
 */
bool rstd__parse_options(struct request *request, unsigned command, const char *name, int argc, char **argv);

/* The lines of --help for the options that a subcommand takes. */
void rstd__print_options(unsigned command);

#endif
