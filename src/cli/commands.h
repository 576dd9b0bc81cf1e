/*
 * commands.h - the subcommands
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CLI_COMMANDS_H
#define RSTD_CLI_COMMANDS_H

#include "cli/message.h"
#include "cli/options.h"

struct command {
	const char *name;
	unsigned bit;           /* COMMAND_* */
	const char *usage;      /* what follows the name */
	const char *summary;    /* one line */
	const char *results[2]; /* what -o and --mean-out name; NULL: there is no such result */

	/* Makes the results; either tensor may be NULL when it is not wanted. */
	rstd_status (*compute)(const struct request *request, const rstd_tensor *x, const rstd_tensor *mean,
	                       const rstd_tensor *result, const rstd_tensor *result_mean);
};

/* Ends with a row of NULLs. */
extern const struct command rstd__commands[];

/* Says on standard error how the results were computed. */
void rstd__report(double seconds);
double rstd__now(void);

enum exit_status rstd__run_command(const struct command *command, const struct request *request);

#endif
