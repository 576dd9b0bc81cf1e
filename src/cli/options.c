/*
 * options.c - the command line as a request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* getopt_long */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/outfile.h"

#define REDUCTIONS (COMMAND_STD | COMMAND_STD_MEAN | COMMAND_REDUCE_STD_WITH_MEAN)
#define COMPUTING  (REDUCTIONS | COMMAND_BATCH_NORM_STATS)
#define GRAPHS     (COMMAND_GRAPH_SHOW | COMMAND_GRAPH_RUN)
#define ALL        (COMPUTING | COMMAND_INFO | GRAPHS)

/* ---- Values: each is the whole of the text ------------------------------------------------------------------- */

/* Decimal digits, perhaps after a minus. Leaves *text behind them. */
static bool parse_integer(const char **text, int64_t *value)
{
	const char *first = *text + (**text == '-');
	char *end;

	if (!isdigit((unsigned char)*first))
		return false;
	errno = 0;
	*value = strtoll(*text, &end, 10);
	*text = end;
	return errno == 0;
}

static bool set_integer(void *field, const char *name, const char *text)
{
	const char *at = text;

	if (parse_integer(&at, field) && *at == '\0')
		return true;
	rstd__complain("--%s: '%s' is not an integer of 64 bits", name, text);
	return false;
}

static bool set_axes(void *field, const char *name, const char *text)
{
	struct axes *axes = field;
	const char *at = text;

	axes->count = 0;
	if (*text == '\0')
		return true;
	while (axes->count < RSTD_MAX_RANK && parse_integer(&at, &axes->list[axes->count])) {
		axes->count++;
		if (*at == '\0')
			return true;
		if (*at++ != ',')
			break;
	}
	rstd__complain("--%s: '%s' is not a list of at most %d integers, as 0,2", name, text, RSTD_MAX_RANK);
	return false;
}

/*
 * Says what is wrong with a number that strtof() or strtod() left at end. These take hexadecimal, inf and nan, which
 * are welcome, and blanks in front, which are not. A number that is too small becomes 0 or subnormal, as anywhere.
 */
static bool check_number(const char *name, const char *text, const char *end, bool overflow)
{
	if (end == text || *end != '\0' || isspace((unsigned char)*text))
		rstd__complain("--%s: '%s' is not a number", name, text);
	else if (overflow)
		rstd__complain("--%s: '%s' is too large", name, text);
	else
		return true;
	return false;
}

/* Straight to float: by way of double it would be rounded twice. */
static bool set_float(void *field, const char *name, const char *text)
{
	float *value = field;
	char *end;

	errno = 0;
	*value = strtof(text, &end);
	return check_number(name, text, end, errno == ERANGE && isinf(*value));
}

static bool set_double(void *field, const char *name, const char *text)
{
	double *value = field;
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return check_number(name, text, end, errno == ERANGE && isinf(*value));
}

static bool set_flag(void *field, const char *name, const char *text)
{
	bool *flag = field;

	(void)name;
	(void)text;
	return *flag = true;
}

static bool set_text(void *field, const char *name, const char *text)
{
	const char **value = field;

	(void)name;
	*value = text;
	return true;
}

/* /dev/stdout may lead to a file, which is then to be written on where it stands, not to be replaced. */
static bool set_output(void *field, const char *name, const char *text)
{
	return set_text(field, name, strcmp(text, "/dev/stdout") == 0 ? "-" : text);
}

static bool add_name(void *field, const char *name, const char *text)
{
	struct files *files = field;

	if (files->count == OUTFILE_MAX) {
		rstd__complain("--%s: '%s' is one file too many, %d are allowed", name, text, OUTFILE_MAX);
		return false;
	}
	files->list[files->count++] = text;
	return true;
}

static bool add_output(void *field, const char *name, const char *text)
{
	return add_name(field, name, strcmp(text, "/dev/stdout") == 0 ? "-" : text);
}

/* One of the words, which end with NULL. */
static bool set_word(void *field, const char *name, const char *text, const char *const *words)
{
	for (const char *const *word = words; *word; word++)
		if (strcmp(text, *word) == 0)
			return set_text(field, name, text);
	rstd__complain("--%s: '%s' is not %s, %s or %s", name, text, words[0], words[1], words[2]);
	return false;
}

static bool set_fusion(void *field, const char *name, const char *text)
{
	static const char *const levels[] = { "exact", "none", "all", NULL };

	return set_word(field, name, text, levels);
}

static bool set_format(void *field, const char *name, const char *text)
{
	static const char *const formats[] = { "readable", "onnx", "txt", NULL };

	return set_word(field, name, text, formats);
}

static bool set_as_bf16(void *field, const char *name, const char *text)
{
	if (strcmp(text, "bf16") == 0)
		return set_flag(field, name, text);
	rstd__complain("--%s: '%s' is not bf16; any other dtype is named by the file", name, text);
	return false;
}

static bool set_out_dtype(void *field, const char *name, const char *text)
{
	static const char *const names[] = { [RSTD_F32] = "f32", [RSTD_F16] = "f16", [RSTD_BF16] = "bf16" };
	rstd_dtype *dtype = field;

	for (*dtype = RSTD_F32; *dtype <= RSTD_BF16; (*dtype)++)
		if (strcmp(text, names[*dtype]) == 0)
			return true;
	rstd__complain("--%s: '%s' is not f32, f16 or bf16", name, text);
	return false;
}

static bool set_threads(void *field, const char *name, const char *text)
{
	const char *at = text;
	int64_t threads;

	(void)field;
	if (parse_integer(&at, &threads) && *at == '\0' && threads >= 1 && threads <= INT_MAX &&
	    rstd_set_num_threads((int)threads) == RSTD_OK)
		return true;
	rstd__complain("--%s: '%s' is not an integer from 1 to 1024", name, text);
	return false;
}

static bool set_isa(void *field, const char *name, const char *text)
{
	(void)field;
	if (rstd_set_isa(text) == RSTD_OK)
		return true;
	rstd__complain("--%s: '%s' is no instruction set of this machine; 'rstd info' lists them", name, text);
	return false;
}

/* ---- The table ------------------------------------------------------------------------------------------------ */

#define FIELD(name) offsetof(struct request, name)

/* clang-format off: one option a line reads better */
static const struct {
	const char *name;
	int letter;           /* 0: has none */
	const char *argument; /* NULL: takes none */
	unsigned commands;
	bool (*set)(void *field, const char *name, const char *text);
	size_t field;
	const char *help;
} options[] = {
	{ "dim", 0, "LIST", REDUCTIONS, set_axes, FIELD(dim), "axes to reduce, as 0,2 or -1 (all)" },
	{ "keepdim", 0, NULL, REDUCTIONS, set_flag, FIELD(keepdim), "keep reduced axes, with length 1" },
	{ "correction", 0, "N", REDUCTIONS, set_integer, FIELD(correction),
	  "divide by the number of elements less N (1)" },
	{ "mean", 0, "FILE", COMMAND_REDUCE_STD_WITH_MEAN, set_text, FIELD(mean),
	  "the mean, of the input's shape or as --keepdim writes it" },
	{ "biased", 0, NULL, COMMAND_REDUCE_STD_WITH_MEAN, set_flag, FIELD(biased),
	  "divide by the number of elements" },
	{ "invert", 0, NULL, COMMAND_REDUCE_STD_WITH_MEAN, set_flag, FIELD(invert),
	  "give 1 / sqrt(biased variance + epsilon)" },
	{ "epsilon", 0, "X", COMMAND_REDUCE_STD_WITH_MEAN, set_float, FIELD(epsilon), "with --invert (0.001)" },
	{ "eps", 0, "X", COMMAND_BATCH_NORM_STATS, set_double, FIELD(eps), "added to the variance (1e-5)" },
	{ "feed", 0, "FILE", COMMAND_GRAPH_RUN, add_name, FIELD(feeds), "the next input of the graph; once for each" },
	{ "fusion", 0, "LEVEL", GRAPHS, set_fusion, FIELD(fusion),
	  "exact: what leaves every bit as it was (default); none; all" },
	{ "format", 0, "FORMAT", COMMAND_GRAPH_SHOW, set_format, FIELD(format),
	  "readable (default); onnx, for viewers; txt: CANN's dump" },
	{ "dtype", 0, "bf16", COMPUTING | COMMAND_GRAPH_RUN, set_as_bf16, FIELD(as_bf16),
	  "read elements of two bytes as bfloat16" },
	{ "out-dtype", 0, "TYPE", COMMAND_STD | COMMAND_STD_MEAN, set_out_dtype, FIELD(out_dtype),
	  "f32, f16 or bf16 (as the input)" },
	{ "output", 'o', "FILE", COMPUTING, set_output, FIELD(output[0]), "write the result as .npy, do not print it" },
	{ "mean-out", 0, "FILE", COMMAND_STD_MEAN | COMMAND_BATCH_NORM_STATS, set_output, FIELD(output[1]),
	  "the same for the mean" },
	{ "output", 'o', "FILE", COMMAND_GRAPH_RUN, add_output, FIELD(results),
	  "write the next result as .npy, do not print it" },
	{ "threads", 0, "N", ALL, set_threads, 0, "use at most N threads" },
	{ "isa", 0, "NAME", ALL, set_isa, 0, "use an instruction set that 'rstd info' lists" },
	{ "verbose", 'v', NULL, COMPUTING | COMMAND_GRAPH_RUN, set_flag, FIELD(verbose),
	  "say on standard error how it was computed" },
	{ "help", 'h', NULL, ALL, set_flag, FIELD(help), "print this" },
};
/* clang-format on */

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))
#define LONG_BASE    (UCHAR_MAX + 1) /* what getopt_long() returns for a long option: this and its index */

void rstd__print_options(unsigned command)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		char letter[8] = "", text[32];

		if (!(options[i].commands & command))
			continue;
		if (options[i].letter)
			snprintf(letter, sizeof(letter), "-%c,", options[i].letter);
		snprintf(text, sizeof(text), "--%s %s", options[i].name,
		         options[i].argument ? options[i].argument : "");
		printf("  %-4s%-18s%s\n", letter, text, options[i].help);
	}
}

static void fill_getopt(unsigned command, struct option longs[OPTION_COUNT + 1], char shorts[2 * OPTION_COUNT + 3])
{
	/* '-': files come in their places, wherever they stand. ':': a missing value is told from an unknown option. */
	*shorts++ = '-';
	*shorts++ = ':';
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (!(options[i].commands & command))
			continue;
		*longs++ = (struct option){ options[i].name, options[i].argument ? required_argument : no_argument,
			                    NULL, LONG_BASE + (int)i };
		if (options[i].letter)
			*shorts++ = (char)options[i].letter;
		if (options[i].letter && options[i].argument)
			*shorts++ = ':';
	}
	*longs = (struct option){ NULL, 0, NULL, 0 };
	*shorts = '\0';
}

/* The row of the table for a value that getopt_long() returned. */
static size_t option_index(int value, unsigned command)
{
	size_t i = 0;

	if (value >= LONG_BASE)
		return (size_t)(value - LONG_BASE);
	while (options[i].letter != value || !(options[i].commands & command))
		i++;
	return i;
}

static bool add_file(struct request *request, unsigned command, const char *text)
{
	if (command == COMMAND_INFO || request->input) {
		rstd__complain("'%s' is one file too many", text);
		return false;
	}
	request->input = text;
	return true;
}

/* What getopt_long() did not like: optopt is a letter, or a long option's value, or 0 for an unknown name. */
static bool complain_option(const char *name, unsigned command, const char *argument, bool lacks_value)
{
	if (lacks_value)
		rstd__complain("%s--%s: needs a value", optopt < LONG_BASE ? "-o, " : "",
		               options[option_index(optopt, command)].name);
	else if (optopt >= LONG_BASE)
		rstd__complain("--%s: takes no value", options[option_index(optopt, command)].name);
	else if (optopt != 0)
		rstd__complain("-%c: is no option of '%s', see 'rstd %s --help'", optopt, name, name);
	else
		rstd__complain("%s: is no option of '%s', see 'rstd %s --help'", argument, name, name);
	return false;
}

/* A file is written once, and standard input is read once. */
static bool check_files(const struct request *r)
{
	int inputs = strcmp(r->input, "-") == 0;

	for (size_t i = 0; i < r->feeds.count; i++) {
		inputs += strcmp(r->feeds.list[i], "-") == 0;
		if (inputs > 1) {
			rstd__complain("--feed: standard input is an input already");
			return false;
		}
	}
	for (size_t i = 0; i < r->results.count; i++)
		for (size_t k = 0; k < i; k++)
			if (rstd__outfile_same(r->results.list[k], r->results.list[i])) {
				rstd__complain("--output: '%s' is an output file already", r->results.list[i]);
				return false;
			}
	return true;
}

/* What the options must be together. */
static bool check_request(const struct request *r, unsigned command)
{
	if (command != COMMAND_INFO && !r->input)
		rstd__complain("no input file is given");
	else if (command == COMMAND_REDUCE_STD_WITH_MEAN && !r->mean)
		rstd__complain("--mean: is missing");
	else if (r->mean && strcmp(r->mean, "-") == 0 && strcmp(r->input, "-") == 0)
		rstd__complain("--mean: standard input is the input file already");
	else if (command & GRAPHS)
		return check_files(r);
	else if (r->output[0] && r->output[1] && rstd__outfile_same(r->output[0], r->output[1]))
		rstd__complain("--mean-out: '%s' is the output file already", r->output[1]);
	else
		return true;
	return false;
}

bool rstd__parse_options(struct request *request, unsigned command, const char *name, int argc, char **argv)
{
	struct option longs[OPTION_COUNT + 1];
	char shorts[2 * OPTION_COUNT + 3];
	int value;

	*request = (struct request){ .correction = 1, .epsilon = 0.001F, .eps = 1e-5, .fusion = "exact" };
	fill_getopt(command, longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		size_t i;

		if (value == '?' || value == ':')
			return complain_option(name, command, argv[optind - 1], value == ':');
		if (value == 1) {
			if (!add_file(request, command, optarg))
				return false;
			continue;
		}
		i = option_index(value, command);
		if (!options[i].set((char *)request + options[i].field, options[i].name, optarg))
			return false;
		if (request->help)
			return true;
	}
	for (; optind < argc; optind++)
		if (!add_file(request, command, argv[optind]))
			return false;
	return check_request(request, command);
}
