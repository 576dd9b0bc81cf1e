/*
 * main.c - the rstd command
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

/* How many words of the command line the name of a command takes; 0 when it is another. */
static int words_of(const char *name, int argc, char **argv)
{
	const size_t first = strcspn(name, " ");

	if (strncmp(name, argv[1], first) != 0 || argv[1][first] != '\0')
		return 0;
	if (name[first] == '\0')
		return 1;
	return argc > 2 && strcmp(name + first + 1, argv[2]) == 0 ? 2 : 0;
}

static const struct command *find_command(int argc, char **argv, int *words)
{
	for (const struct command *command = rstd__commands; command->name; command++) {
		*words = words_of(command->name, argc, argv);
		if (*words > 0)
			return command;
	}
	return NULL;
}

/* Whether a word is the first of two that name a command. */
static bool begins_name(const char *word)
{
	for (const struct command *command = rstd__commands; command->name; command++) {
		const size_t first = strcspn(command->name, " ");

		if (command->name[first] == ' ' && strlen(word) == first && strncmp(command->name, word, first) == 0)
			return true;
	}
	return false;
}

static void print_usage(FILE *stream)
{
	fputs("Usage: rstd COMMAND ...\n\n"
	      "Exact standard deviation of the arrays in .npy files: the true result, rounded once.\n\n",
	      stream);
	for (const struct command *command = rstd__commands; command->name; command++)
		fprintf(stream, "  %-22s%s\n", command->name, command->summary);
	fputs("\n'rstd COMMAND --help' lists the options of a command, 'rstd --version' says which rstd this is.\n"
	      "'-' in place of a file is standard input or output.\n",
	      stream);
}

static void print_help(const struct command *command)
{
	printf("Usage: rstd %s [OPTION]...%s%s\n\n%s\n\n", command->name, *command->usage ? " " : "", command->usage,
	       command->summary);
	rstd__print_options(command->bit);
}

static enum exit_status dispatch(int argc, char **argv)
{
	const struct command *command;
	struct request request;
	int words;

	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return STATUS_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("rstd %s\n", rstd_version());
		return STATUS_OK;
	}
	command = find_command(argc, argv, &words);
	if (!command) {
		/* the name of a command may have two words, of which the second may be wrong */
		rstd__complain("'%s%s%s' is not a command, see 'rstd --help'", argv[1],
		               begins_name(argv[1]) && argc > 2 ? " " : "",
		               begins_name(argv[1]) && argc > 2 ? argv[2] : "");
		return STATUS_USAGE;
	}
	if (!rstd__parse_options(&request, command->bit, command->name, argc - words, argv + words))
		return STATUS_USAGE;
	if (request.help) {
		print_help(command);
		return STATUS_OK;
	}
	return rstd__run_command(command, &request);
}

/* A closed standard stream would be the number of the next file that is opened, which must not be written to then. */
static void occupy_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	enum exit_status exit_status;

	occupy_standard_streams();
	signal(SIGPIPE, SIG_IGN); /* a write that fails is an error with a message, not an end */
	signal(SIGXFSZ, SIG_IGN);
	exit_status = dispatch(argc, argv);
	if (ferror(stdout) || fflush(stdout) != 0) {
		rstd__complain("standard output: cannot be written: %s", strerror(errno));
		return STATUS_DATA;
	}
	return (int)exit_status;
}
