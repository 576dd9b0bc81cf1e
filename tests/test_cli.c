/*
 * test_cli.c - the command: exit statuses, messages, what it prints, and the files it leaves
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * RSTD_COMMAND is the path of the command, RSTD_FAULTY_COMMAND that of one whose calls of the system fail on request.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/npy.h"
#include "rstd/rstd.h"
#ifdef RSTD_WITH_GRAPH
#include "rstd/graph.h"
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ARGS_MAX     24
#define DEADLINE_S   30 /* far more than any run takes, also under a sanitizer on a busy machine */

/* ---- Running the command ---- */

/* The working directory is a new one, what the command prints goes to another. */
static char top[] = "/tmp/rstd-test-cli-XXXXXX";
static int captures;

static int set_up(void **state)
{
	(void)state;
	if (mkdtemp(top) == NULL || chdir(top) != 0 || mkdir("captures", 0700) != 0 || mkdir("files", 0700) != 0)
		return -1;
	captures = open("captures", O_RDONLY | O_DIRECTORY);
	umask(022);
	return captures < 0 || chdir("files") != 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	char command[sizeof(top) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

/* What differs from an ordinary run. */
struct setting {
	const char *input;  /* file to be standard input */
	const char *output; /* file to be standard output; "" closes it */
	int output_fd;      /* or descriptor, if not 0 */
	rlim_t file_limit;  /* bytes that a file may have, if not 0 */
	const char *faults; /* calls that fail, see cli_faults.c */
};

struct outcome {
	int status; /* exit status, or 128 and the signal */
	char out[8192], err[1024];
	size_t out_size;
};

static void become(int fd, const char *name, int flags)
{
	const int opened = name[0] == '/' ? open(name, flags) : openat(captures, name, flags, 0600);

	if (opened < 0 || dup2(opened, fd) < 0)
		_exit(99);
	close(opened);
}

/* line: arguments with blanks between them; '' is an empty one. */
static void execute(const char *line, const struct setting *setting)
{
	char copy[1024], *arguments[ARGS_MAX + 1] = { NULL }, *word, *rest = copy, nothing[] = "";
	char usual[] = RSTD_COMMAND, faulty[] = RSTD_FAULTY_COMMAND, *const command = setting->faults ? faulty : usual;
	const struct rlimit limit = { setting->file_limit, setting->file_limit };
	size_t count = 0;

	arguments[count++] = command;
	snprintf(copy, sizeof(copy), "%s", line);
	while (count < ARGS_MAX && (word = strtok_r(rest, " ", &rest)) != NULL)
		arguments[count++] = strcmp(word, "''") == 0 ? nothing : word;
	become(STDOUT_FILENO, "out", O_WRONLY | O_CREAT | O_TRUNC);
	become(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
	become(STDIN_FILENO, "/dev/null", O_RDONLY);
	if (setting->input != NULL) {
		const int fd = open(setting->input, O_RDONLY);

		if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
			_exit(99);
	}
	if (setting->output != NULL && setting->output[0] == '\0')
		close(STDOUT_FILENO);
	else if (setting->output != NULL)
		become(STDOUT_FILENO, setting->output, O_WRONLY);
	else if (setting->output_fd != 0)
		dup2(setting->output_fd, STDOUT_FILENO);
	if (setting->file_limit != 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0)
		_exit(99);
	if (setting->faults && setenv("RSTD_TEST_FAULTS", setting->faults, 1) != 0)
		_exit(99);
	alarm(DEADLINE_S);
	execv(command, arguments);
	_exit(99);
}

static pid_t start(const char *line, const struct setting *setting)
{
	const pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		execute(line, setting);
	return child;
}

static size_t read_capture(const char *name, char *text, size_t room)
{
	const int fd = openat(captures, name, O_RDONLY);
	ssize_t size;

	assert_true(fd >= 0);
	size = read(fd, text, room - 1);
	assert_true(size >= 0);
	close(fd);
	text[size] = '\0';
	return (size_t)size;
}

static struct outcome finish(pid_t child)
{
	struct outcome outcome;
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	outcome.out_size = read_capture("out", outcome.out, sizeof(outcome.out));
	read_capture("err", outcome.err, sizeof(outcome.err));
	return outcome;
}

static struct outcome run_with(const struct setting *setting, const char *line)
{
	return finish(start(line, setting));
}

static struct outcome run(const char *line)
{
	return run_with(&(struct setting){ .input = NULL }, line);
}

/* Runs what must succeed and print this, and nothing on standard error. */
static void check_prints(const char *line, const char *expected)
{
	const struct outcome outcome = run(line);

	assert_string_equal(outcome.err, "");
	assert_string_equal(outcome.out, expected);
	assert_int_equal(outcome.status, 0);
}

/* Runs what must fail and say why in this one line. */
static void check_fails(const char *line, int status, const char *message)
{
	const struct outcome outcome = run(line);
	char expected[sizeof(outcome.err)];

	snprintf(expected, sizeof(expected), "rstd: %s\n", message);
	assert_string_equal(outcome.err, expected);
	assert_string_equal(outcome.out, "");
	assert_int_equal(outcome.status, status);
}

/* ---- Files ---- */

static void save_bytes(const char *name, const void *bytes, size_t size)
{
	FILE *stream = fopen(name, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	assert_int_equal(fclose(stream), 0);
}

/* A shape is up to four lengths, ended by -1. */
struct shape {
	int64_t lengths[4];
};

static void save(const char *name, rstd_dtype dtype, struct shape shape, const void *data)
{
	rstd_tensor tensor = { NULL, dtype, 0, { 0 }, { 0 } };
	char reason[NPY_REASON_SIZE];
	size_t bytes = dtype == RSTD_F32 ? 4 : 2;
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	for (; tensor.rank < 4 && shape.lengths[tensor.rank] >= 0; tensor.rank++) {
		tensor.shape[tensor.rank] = shape.lengths[tensor.rank];
		bytes *= (size_t)shape.lengths[tensor.rank];
	}
	tensor.data = malloc(bytes + 1); /* a copy, since that of a tensor is not const */
	assert_non_null(tensor.data);
	memcpy(tensor.data, data, bytes);
	assert_true(fd >= 0);
	assert_true(rstd__npy_write(fd, &tensor, reason));
	close(fd);
	free(tensor.data);
}

#define SHAPE(...) ((struct shape){ { __VA_ARGS__, -1 } })

/* The file must hold a contiguous array of this dtype, shape and bits. */
static void check_file(const char *name, rstd_dtype dtype, struct shape shape, const void *data)
{
	struct npy_array array;
	char reason[NPY_REASON_SIZE];
	size_t bytes = dtype == RSTD_F32 ? 4 : 2, rank;

	if (!rstd__npy_open(&array, name, dtype == RSTD_BF16, reason))
		fail_msg("%s: %s", name, reason);
	for (rank = 0; rank < 4 && shape.lengths[rank] >= 0; rank++)
		bytes *= (size_t)shape.lengths[rank];
	assert_int_equal(array.view.dtype, dtype);
	assert_int_equal(array.view.rank, rank);
	assert_memory_equal(array.view.shape, shape.lengths, rank * sizeof(shape.lengths[0]));
	assert_memory_equal(array.view.data, data, bytes);
	rstd__npy_close(&array);
}

/* Names in the working directory that begin so. */
static int count_files(const char *prefix)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	int count = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL)
		count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	closedir(directory);
	return count;
}

#define TEMPORARY ".rstd-"

static bool exists(const char *name)
{
	return access(name, F_OK) == 0;
}

/* Two rows, of std 1 and 2, and mean 2 and 6. */
static const float two_rows[6] = { 1, 2, 3, 4, 6, 8 };
static const float std_rows[2] = { 1, 2 }, mean_rows[2] = { 2, 6 };

static void save_two_rows(const char *name)
{
	save(name, RSTD_F32, SHAPE(2, 3), two_rows);
}

/* ---- Words ---- */

static void test_help(void **state)
{
	static const char *const names[] = { "std", "std-mean", "batch-norm-stats", "reduce-std-with-mean", "info" };
	struct outcome outcome = run("--help");
	char line[64];
	size_t i;

	(void)state;
	assert_int_equal(outcome.status, 0);
	assert_string_equal(outcome.err, "");
	for (i = 0; i < COUNT(names); i++) {
		snprintf(line, sizeof(line), "\n  %s ", names[i]);
		assert_non_null(strstr(outcome.out, line));
	}
	for (i = 0; i < COUNT(names); i++) {
		snprintf(line, sizeof(line), "%s --help --never-seen", names[i]);
		outcome = run(line);
		assert_int_equal(outcome.status, 0);
		assert_string_equal(outcome.err, "");
		snprintf(line, sizeof(line), "Usage: rstd %s [OPTION]...", names[i]);
		assert_int_equal(strncmp(outcome.out, line, strlen(line)), 0);
		assert_non_null(strstr(outcome.out, "  -h, --help "));
		assert_int_equal(strstr(outcome.out, " --dim LIST ") != NULL,
		                 strcmp(names[i], "batch-norm-stats") != 0 && strcmp(names[i], "info") != 0);
	}
}

static void test_version_and_info(void **state)
{
	char expected[256];
	struct outcome outcome;
	const char *name;
	size_t used, i;

	(void)state;
	snprintf(expected, sizeof(expected), "rstd %s\n", rstd_version());
	check_prints("--version", expected);

	used = (size_t)snprintf(expected, sizeof(expected), "version %s\ninstruction sets", rstd_version());
	for (i = 0; (name = rstd_isa_name(i)) != NULL; i++)
		used += (size_t)snprintf(expected + used, sizeof(expected) - used, " %s", name);
	snprintf(expected + used, sizeof(expected) - used, "\nchosen scalar\nthreads 3\n");
	check_prints("info --isa scalar --threads 3", expected);

	save_two_rows("x.npy");
	outcome = run("std x.npy --dim 1 --isa scalar --threads 1 --verbose");
	assert_string_equal(outcome.out, "[1. 2.]\n");
	assert_int_equal(strncmp(outcome.err, "rstd: isa scalar, threads 1, 0.", 31), 0);
	assert_non_null(strstr(outcome.err, " s, outputs settled: fast "));
}

static void test_bad_usage(void **state)
{
	static const struct {
		const char *line, *message;
	} rows[] = {
		{ "average", "'average' is not a command, see 'rstd --help'" },
		{ "std", "no input file is given" },
		{ "std x.npy y.npy", "'y.npy' is one file too many" },
		{ "std x.npy -- y.npy", "'y.npy' is one file too many" },
		{ "info x.npy", "'x.npy' is one file too many" },
		{ "std x.npy --axis 0", "--axis: is no option of 'std', see 'rstd std --help'" },
		{ "std x.npy --invert", "--invert: is no option of 'std', see 'rstd std --help'" },
		{ "std x.npy -q", "-q: is no option of 'std', see 'rstd std --help'" },
		{ "batch-norm-stats x.npy --dim 0",
		  "--dim: is no option of 'batch-norm-stats', see 'rstd batch-norm-stats --help'" },
		{ "std x.npy --keepdim=1", "--keepdim: takes no value" },
		{ "std x.npy --dim", "--dim: needs a value" },
		{ "std x.npy -o", "-o, --output: needs a value" },
		{ "std x.npy --output", "--output: needs a value" },
		{ "std x.npy --dim 0,", "--dim: '0,' is not a list of at most 8 integers, as 0,2" },
		{ "std x.npy --dim ,0", "--dim: ',0' is not a list of at most 8 integers, as 0,2" },
		{ "std x.npy --dim 0;1", "--dim: '0;1' is not a list of at most 8 integers, as 0,2" },
		{ "std x.npy --dim 1.0", "--dim: '1.0' is not a list of at most 8 integers, as 0,2" },
		{ "std x.npy --dim +1", "--dim: '+1' is not a list of at most 8 integers, as 0,2" },
		{ "std x.npy --dim 0,1,2,3,4,5,6,7,8",
		  "--dim: '0,1,2,3,4,5,6,7,8' is not a list of at most 8 integers, as 0,2" },
		{ "std x.npy --dim 9223372036854775808",
		  "--dim: '9223372036854775808' is not a list of at most 8 integers, as 0,2" },
		{ "std x.npy --dim 2", "--dim: axis 2 is out of range, allowed are -2 to 1" },
		{ "std x.npy --dim 0,-2", "--dim: axis 0 is named twice, allowed is once" },
		{ "std x.npy --correction one", "--correction: 'one' is not an integer of 64 bits" },
		{ "std x.npy --correction 1x", "--correction: '1x' is not an integer of 64 bits" },
		{ "std x.npy --correction ''", "--correction: '' is not an integer of 64 bits" },
		{ "std x.npy --correction -1", "--correction: is -1, allowed are 0 and more" },
		{ "batch-norm-stats x.npy --eps 1e-5x", "--eps: '1e-5x' is not a number" },
		{ "batch-norm-stats x.npy --eps ''", "--eps: '' is not a number" },
		{ "batch-norm-stats x.npy --eps \t1", "--eps: '\t1' is not a number" },
		{ "batch-norm-stats x.npy --eps 1e999", "--eps: '1e999' is too large" },
		{ "reduce-std-with-mean x.npy", "--mean: is missing" },
		{ "reduce-std-with-mean - --mean -", "--mean: standard input is the input file already" },
		{ "reduce-std-with-mean x.npy --mean x.npy --epsilon 1e39", "--epsilon: '1e39' is too large" },
		{ "reduce-std-with-mean x.npy --mean x.npy --epsilon epsilon", "--epsilon: 'epsilon' is not a number" },
		{ "reduce-std-with-mean x.npy --mean x.npy --dim 2",
		  "--dim: axis 2 is out of range, allowed are -2 to 1" },
		{ "std x.npy --dtype f16", "--dtype: 'f16' is not bf16; any other dtype is named by the file" },
		{ "std x.npy --out-dtype f64", "--out-dtype: 'f64' is not f32, f16 or bf16" },
		{ "std x.npy --threads 0", "--threads: '0' is not an integer from 1 to 1024" },
		{ "std x.npy --threads 1025", "--threads: '1025' is not an integer from 1 to 1024" },
		{ "std x.npy --threads 4294967297", "--threads: '4294967297' is not an integer from 1 to 1024" },
		{ "std x.npy --isa mmx", "--isa: 'mmx' is no instruction set of this machine; 'rstd info' lists them" },
		{ "std-mean x.npy -o y.npy --mean-out y.npy", "--mean-out: 'y.npy' is the output file already" },
		{ "std-mean x.npy -o y.npy --mean-out ./y.npy", "--mean-out: './y.npy' is the output file already" },
		{ "std-mean x.npy -o y.npy --mean-out ../files/y.npy",
		  "--mean-out: '../files/y.npy' is the output file already" },
		{ "std-mean x.npy -o x.npy --mean-out other.npy",
		  "--mean-out: 'other.npy' is the output file already" },
		{ "std-mean x.npy -o - --mean-out -", "--mean-out: '-' is the output file already" },
		{ "info -v", "-v: is no option of 'info', see 'rstd info --help'" },
	};
	struct outcome outcome;
	size_t i;

	(void)state;
	save_two_rows("x.npy");
	assert_int_equal(symlink("x.npy", "other.npy"), 0);
	for (i = 0; i < COUNT(rows); i++)
		check_fails(rows[i].line, 2, rows[i].message);
	assert_int_equal(unlink("other.npy"), 0);
	outcome = run("");
	assert_int_equal(outcome.status, 2);
	assert_string_equal(outcome.out, "");
	assert_int_equal(strncmp(outcome.err, "Usage: rstd COMMAND", 19), 0);
}

static void test_bad_data(void **state)
{
	static const uint16_t bf16[4] = { 0, 0x3F80, 0x4000, 0x4040 };
	static const struct {
		const char *line, *message;
	} rows[] = {
		{ "std nothing.npy", "nothing.npy: cannot be opened: No such file or directory" },
		{ "std .", ".: cannot be read: Is a directory" },
		{ "std -", "standard input: is empty" },
		{ "std text.npy", "text.npy: is not a .npy file: it does not begin with \\x93NUMPY" },
		{ "std short.npy", "short.npy: shape (2, 3) needs 24 bytes of data, the file has 23" },
		{ "std bf16.npy", "bf16.npy: descr '<V2' is of unknown type (--dtype bf16 reads it as bfloat16)" },
		{ "std x.npy --dtype bf16", "x.npy: descr '<f4' is no type of two bytes, which bfloat16 needs" },
		{ "batch-norm-stats bf16.npy --dtype bf16", "bf16.npy: x: rank is 1, allowed are 2 to 8" },
		{ "reduce-std-with-mean x.npy --mean nothing.npy",
		  "nothing.npy: cannot be opened: No such file or directory" },
		{ "reduce-std-with-mean x.npy --mean one.npy --dim 1",
		  "one.npy: shape (1, 3) of the mean is neither that of the input, (2, 3), nor 1 along just the "
		  "reduced axes" },
		{ "reduce-std-with-mean x.npy --mean flat.npy --dim 0",
		  "flat.npy: shape (3,) of the mean is neither that of the input, (2, 3), nor 1 along just the "
		  "reduced axes" },
		{ "reduce-std-with-mean x.npy --mean half.npy", "half.npy: the mean is f16, the input f32" },
		{ "std x.npy -o nowhere/y.npy", "nowhere/y.npy: cannot be written: No such file or directory" },
		{ "std x.npy -o .", ".: cannot be written: Is a directory" },
	};
	static const uint16_t halves[6] = { 0 };
	struct stat status;
	size_t i;

	(void)state;
	save_two_rows("x.npy");
	save_two_rows("short.npy");
	assert_int_equal(stat("short.npy", &status), 0);
	assert_int_equal(truncate("short.npy", status.st_size - 1), 0);
	save_bytes("text.npy", "1 2 3\n", 6);
	save("bf16.npy", RSTD_BF16, SHAPE(4), bf16);
	save("one.npy", RSTD_F32, SHAPE(1, 3), two_rows);
	save("flat.npy", RSTD_F32, SHAPE(3), two_rows);
	save("half.npy", RSTD_F16, SHAPE(2, 3), halves);
	for (i = 0; i < COUNT(rows); i++)
		check_fails(rows[i].line, 1, rows[i].message);
	assert_int_equal(count_files(TEMPORARY), 0);
}

/* ---- Results ---- */

static void test_operators(void **state)
{
	static const float mean[2] = { 2, 6 }, zeros[6] = { 0 };
	static const uint16_t bf16[4] = { 0, 0x3F80, 0x4000, 0x4040 }, halves[2] = { 0x3C00, 0x4200 };
	static const struct {
		const char *line, *out;
	} rows[] = {
		{ "std x.npy --dim 1", "[1. 2.]\n" },
		{ "std --dim -1 x.npy", "[1. 2.]\n" },
		{ "std x.npy --dim 1 --keepdim", "[[1.]\n [2.]]\n" },
		{ "std x.npy --dim 0 --correction 0", "[1.5 2.  2.5]\n" },
		{ "std x.npy --dim ''", "2.607681\n" },
		{ "std x.npy --dim 0,1 --out-dtype bf16", "2.61\n" },
		{ "std x.npy --dim 0,1 --out-dtype f16", "2.607\n" },
		{ "std-mean x.npy --dim 1", "std:\n[1. 2.]\nmean:\n[2. 6.]\n" },
		{ "std-mean x.npy", "std:\n2.607681\nmean:\n4.0\n" },
		{ "std bf16.npy --dtype bf16", "1.29\n" },
		{ "std-mean bf16.npy --dtype bf16 --correction 0", "std:\n1.12\nmean:\n1.5\n" },
		{ "std half.npy --correction 0", "1.0\n" },
		{ "std x.npy --correction 6", "inf\n" },
		{ "std empty.npy", "nan\n" },
		{ "std empty.npy --dim 1", "[]\n" },
		{ "std-mean empty.npy --dim 0", "std:\n[nan nan nan]\nmean:\n[nan nan nan]\n" },
		{ "batch-norm-stats columns.npy --eps 0", "invstd:\n[1.  0.5]\nmean:\n[1. 2.]\n" },
		{ "batch-norm-stats columns.npy", "invstd:\n[0.999995   0.49999937]\nmean:\n[1. 2.]\n" },
		{ "batch-norm-stats columns.npy --eps 0x1.8p+1", "invstd:\n[0.5        0.37796447]\nmean:\n[1. 2.]\n" },
		{ "batch-norm-stats columns.npy --eps nan", "invstd:\n[nan nan]\nmean:\n[1. 2.]\n" },
		{ "batch-norm-stats columns.npy --eps inf", "invstd:\n[0. 0.]\nmean:\n[1. 2.]\n" },
		{ "reduce-std-with-mean x.npy --mean mean.npy --dim 1", "[1. 2.]\n" },
		{ "reduce-std-with-mean x.npy --mean zeros.npy --dim 1 --biased", "[2.1602468 6.2182527]\n" },
		{ "reduce-std-with-mean x.npy --mean mean.npy --dim 1 --invert --epsilon 0 --keepdim",
		  "[[1.2247449 ]\n [0.61237246]]\n" },
		{ "reduce-std-with-mean x.npy --mean mean.npy --dim 1 --invert", "[1.2238274  0.61225766]\n" },
		{ "reduce-std-with-mean x.npy --mean mean.npy --dim 1 --invert --epsilon -inf", "[nan nan]\n" },
		{ "reduce-std-with-mean x.npy --mean mean.npy --dim 1 --correction 0", "[0.8164966 1.6329932]\n" },
	};
	static const float columns[4] = { 0, 0, 2, 4 };
	size_t i;

	(void)state;
	save_two_rows("x.npy");
	save("mean.npy", RSTD_F32, SHAPE(2, 1), mean);
	save("zeros.npy", RSTD_F32, SHAPE(2, 3), zeros);
	save("bf16.npy", RSTD_BF16, SHAPE(4), bf16);
	save("half.npy", RSTD_F16, SHAPE(2), halves);
	save("empty.npy", RSTD_F32, SHAPE(0, 3), zeros);
	save("columns.npy", RSTD_F32, SHAPE(2, 2), columns);
	for (i = 0; i < COUNT(rows); i++)
		check_prints(rows[i].line, rows[i].out);
}

/* Prints values by way of a mean over an axis of length 1. */
static void check_printed(const float *values, int64_t rows, int64_t columns, const char *expected)
{
	struct outcome outcome;
	const char *mean;

	save("v.npy", RSTD_F32, SHAPE(rows, columns, 1), values);
	outcome = run("std-mean v.npy --dim 2");
	mean = strstr(outcome.out, "mean:\n");
	assert_non_null(mean);
	assert_string_equal(mean + 6, expected);
}

static void test_printing(void **state)
{
	static const float mixed[4] = { 1.0F, -20.25F, 0.1F, 16777216.0F };
	static const float close[4] = { -0.5F, 300, 12.125F, 1 };
	static const float special[3] = { -INFINITY, NAN, 1.5F };
	float many[1601];
	size_t i;

	(void)state;
	check_printed(mixed, 2, 2, "[[ 1.0000000e+00 -2.0250000e+01]\n [ 1.0000000e-01  1.6777216e+07]]\n");
	check_printed(close, 2, 2, "[[ -0.5   300.   ]\n [ 12.125   1.   ]]\n");
	check_printed(special, 1, 3, "[[-inf  nan  1.5]]\n");
	for (i = 0; i < COUNT(many); i++)
		many[i] = (float)i;
	check_printed(many, 1, 20,
	              "[[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n"
	              "  18. 19.]]\n");
	check_printed(many + 1, 40, 40,
	              "[[1.000e+00 2.000e+00 3.000e+00 ... 3.800e+01 3.900e+01 4.000e+01]\n"
	              " [4.100e+01 4.200e+01 4.300e+01 ... 7.800e+01 7.900e+01 8.000e+01]\n"
	              " [8.100e+01 8.200e+01 8.300e+01 ... 1.180e+02 1.190e+02 1.200e+02]\n"
	              " ...\n"
	              " [1.481e+03 1.482e+03 1.483e+03 ... 1.518e+03 1.519e+03 1.520e+03]\n"
	              " [1.521e+03 1.522e+03 1.523e+03 ... 1.558e+03 1.559e+03 1.560e+03]\n"
	              " [1.561e+03 1.562e+03 1.563e+03 ... 1.598e+03 1.599e+03 1.600e+03]]\n");
	check_printed(many + 500, 1, 1001, "[[ 500.  501.  502. ... 1498. 1499. 1500.]]\n");
	save("v.npy", RSTD_F32, SHAPE(15, 1), many + 100); /* lines have 75 columns, one kept for the bracket */
	check_prints("std-mean v.npy --dim 1",
	             "std:\n[nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan]\n"
	             "mean:\n[100. 101. 102. 103. 104. 105. 106. 107. 108. 109. 110. 111. 112. 113.\n 114.]\n");
	save("v.npy", RSTD_F32, SHAPE(1000, 1), many); /* the most that is printed whole */
	assert_null(strstr(run("std v.npy --dim 1").out, "..."));
	save("v.npy", RSTD_F32, SHAPE(1001, 1), many);
	check_prints("std v.npy --dim 1", "[nan nan nan ... nan nan nan]\n");
}

/* ---- Files ---- */

static void test_output_files(void **state)
{
	static const uint16_t bf16_rows[2] = { 0x3F80, 0x4000 };

	(void)state;
	save_two_rows("x.npy");
	check_prints("std x.npy --dim 1 -o s.npy", "");
	check_file("s.npy", RSTD_F32, SHAPE(2), std_rows);
	check_prints("std-mean x.npy --dim 1 -o s.npy --mean-out m.npy --keepdim", "");
	check_file("s.npy", RSTD_F32, SHAPE(2, 1), std_rows);
	check_file("m.npy", RSTD_F32, SHAPE(2, 1), mean_rows);
	check_prints("std x.npy --dim 1 --out-dtype bf16 --output=b.npy", "");
	check_file("b.npy", RSTD_BF16, SHAPE(2), bf16_rows);
	assert_true(mkdir("s.npy-beside", 0700) == 0 && symlink("s.npy-beside", "way") == 0);
	check_prints("std-mean x.npy --dim 1 -o s.npy --mean-out way/s.npy", ""); /* of one name, but apart */
	check_file("s.npy", RSTD_F32, SHAPE(2), std_rows);
	check_file("s.npy-beside/s.npy", RSTD_F32, SHAPE(2), mean_rows);
	check_prints("std-mean x.npy --dim 1 -o s.npy", "mean:\n[2. 6.]\n");
	check_prints("std-mean x.npy --dim 1 --mean-out m.npy", "std:\n[1. 2.]\n");
	check_prints("reduce-std-with-mean x.npy --mean x.npy -o s.npy", "");
	check_file("s.npy", RSTD_F32, ((struct shape){ { -1 } }), (float[]){ 0 });
	assert_int_equal(count_files(TEMPORARY), 0);
}

static void test_standard_streams(void **state)
{
	struct outcome outcome;

	(void)state;
	save_two_rows("x.npy");
	outcome = run_with(&(struct setting){ .input = "x.npy" }, "std --dim 1 -o - -");
	assert_int_equal(outcome.status, 0);
	assert_string_equal(outcome.err, "");
	save_bytes("y.npy", outcome.out, outcome.out_size);
	check_file("y.npy", RSTD_F32, SHAPE(2), std_rows);

	outcome = run("std-mean x.npy --dim 1 -o s.npy --mean-out -");
	assert_int_equal(outcome.status, 0);
	save_bytes("y.npy", outcome.out, outcome.out_size);
	check_file("y.npy", RSTD_F32, SHAPE(2), mean_rows);
	check_file("s.npy", RSTD_F32, SHAPE(2), std_rows);

	outcome = run("std-mean x.npy --dim 1 -o -"); /* the mean has no place */
	assert_int_equal(outcome.status, 0);
	assert_int_equal(outcome.out_size, 128 + sizeof(std_rows));
	save_bytes("y.npy", outcome.out, outcome.out_size);
	check_file("y.npy", RSTD_F32, SHAPE(2), std_rows);
}

static void test_replaced_files(void **state)
{
	struct stat status;

	(void)state;
	save_two_rows("x.npy");
	check_prints("std x.npy --dim 1 -o x.npy", ""); /* input and output are one file */
	check_file("x.npy", RSTD_F32, SHAPE(2), std_rows);

	save_two_rows("x.npy");
	umask(027);
	unlink("new.npy");
	check_prints("std x.npy --dim 1 -o new.npy", "");
	umask(022);
	assert_int_equal(stat("new.npy", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);

	assert_int_equal(chmod("new.npy", 0606), 0);
	check_prints("std x.npy --dim 1 -o new.npy", "");
	assert_int_equal(stat("new.npy", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0606);

	save_bytes("target.npy", "old", 3);
	assert_int_equal(symlink("target.npy", "link.npy"), 0);
	check_prints("std x.npy --dim 1 -o link.npy", "");
	assert_true(lstat("link.npy", &status) == 0 && S_ISLNK(status.st_mode));
	check_file("target.npy", RSTD_F32, SHAPE(2), std_rows);
}

static void check_old(const char *name)
{
	char text[8] = "";
	FILE *stream = fopen(name, "rb");

	assert_non_null(stream);
	assert_int_equal(fread(text, 1, sizeof(text), stream), 3);
	fclose(stream);
	assert_string_equal(text, "old");
}

/* The file that /dev/stdout leads to is written on, not replaced. */
static void test_output_to_dev_stdout(void **state)
{
	const int fd = open("log", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct outcome outcome;
	char log[256];
	ssize_t size;

	(void)state;
	assert_true(fd >= 0);
	save_two_rows("x.npy");
	assert_int_equal(write(fd, "first", 5), 5);
	outcome = run_with(&(struct setting){ .output_fd = fd }, "std x.npy --dim 1 -o /dev/stdout");
	assert_int_equal(outcome.status, 0);
	assert_int_equal(write(fd, "last", 4), 4);
	size = pread(fd, log, sizeof(log), 0);
	close(fd);
	assert_int_equal(size, 5 + 128 + 2 * sizeof(float) + 4);
	assert_memory_equal(log, "first\x93NUMPY", 11);
	assert_memory_equal(log + size - 4, "last", 4);
}

/* Whole or not at all: a file that cannot be completed leaves the old one, and nothing besides. */
static void test_failing_writes(void **state)
{
	struct outcome outcome;

	(void)state;
	save_two_rows("x.npy");
	save_bytes("kept.npy", "old", 3);
	unlink("s.npy");
	outcome =
		run_with(&(struct setting){ .file_limit = 100 }, "std-mean x.npy --dim 1 -o s.npy --mean-out kept.npy");
	assert_int_equal(outcome.status, 1);
	assert_string_equal(outcome.err, "rstd: s.npy: cannot be written: File too large\n");
	assert_false(exists("s.npy"));

	/* the first is complete when the second fails */
	check_fails("std-mean x.npy --dim 1 -o kept.npy --mean-out nowhere/m.npy", 1,
	            "nowhere/m.npy: cannot be written: No such file or directory");
	outcome =
		run_with(&(struct setting){ .output = "/dev/full" }, "std-mean x.npy --dim 1 -o kept.npy --mean-out -");
	assert_int_equal(outcome.status, 1);
	assert_string_equal(outcome.err, "rstd: standard output: cannot be written: No space left on device\n");
	check_old("kept.npy");
	assert_int_equal(count_files(TEMPORARY), 0);
}

/* One call of the system fails, of which only the second file knows: neither appears, and a file that was there stays. */
static void test_one_of_two_files(void **state)
{
	static const char *const calls[] = { "fsync=1", "fsync=2", "rename=1", "rename=2" };
	static const char line[] = "std-mean x.npy --dim 1 -o two-s.npy --mean-out two-m.npy";
	struct outcome outcome;

	(void)state;
	save_two_rows("x.npy");
	for (int there = 0; there <= 1; there++)
		for (size_t i = 0; i < COUNT(calls); i++) {
			/* an exchange takes the place of the first rename */
			const char *faults = there && strcmp(calls[i], "rename=2") == 0 ? "rename=1" : calls[i];

			unlink("two-m.npy");
			unlink("two-s.npy");
			if (there)
				save_bytes("two-s.npy", "old", 3);
			outcome = run_with(&(struct setting){ .faults = faults }, line);
			assert_int_equal(outcome.status, 1);
			assert_int_equal(strncmp(outcome.err, "rstd: two-", 10), 0);
			assert_non_null(
				strstr(outcome.err, strncmp(faults, "f", 1) == 0
			                                    ? ".npy: cannot be written: Input/output error\n"
			                                    : ".npy: cannot be written: Device or resource busy\n"));
			assert_int_equal(exists("two-s.npy"), there);
			if (there)
				check_old("two-s.npy");
			assert_false(exists("two-m.npy"));
			assert_int_equal(count_files(TEMPORARY), 0);
		}

	/* without an exchange a file that is replaced is gone, and the new one stays */
	outcome = run_with(&(struct setting){ .faults = "renameat2=1 rename=2" }, line);
	assert_int_equal(outcome.status, 1);
	assert_string_equal(outcome.err, "rstd: two-m.npy: cannot be written: Device or resource busy\n");
	check_file("two-s.npy", RSTD_F32, SHAPE(2), std_rows);
	assert_false(exists("two-m.npy"));
	assert_int_equal(count_files(TEMPORARY), 0);

	outcome = run_with(&(struct setting){ .faults = "" }, line); /* replaces the first */
	assert_int_equal(outcome.status, 0);
	check_file("two-s.npy", RSTD_F32, SHAPE(2), std_rows);
	check_file("two-m.npy", RSTD_F32, SHAPE(2), mean_rows);
	assert_int_equal(count_files(TEMPORARY), 0);
}

/* Room for each result, and the workspace of columns that several threads share. */
static void test_no_memory(void **state)
{
	static const char small[] = "std-mean x.npy --dim 1 -o less-s.npy --mean-out less-m.npy";
	static const char large[] = "std columns.npy --dim 0 --threads 4 -o less-s.npy";
	static const float zeros[3000 * 256];
	static const struct {
		const char *faults, *line, *message;
	} rows[] = {
		{ "malloc=1", small, "rstd: x.npy: no memory for a result of 2 elements\n" },
		{ "malloc=2", small, "rstd: x.npy: no memory for a result of 2 elements\n" },
		{ "malloc=1", large, "rstd: columns.npy: no memory for a result of 256 elements\n" },
		{ "malloc=2", large, "rstd: columns.npy: workspace: could not allocate its " },
	};

	(void)state;
	save_two_rows("x.npy");
	save("columns.npy", RSTD_F32, SHAPE(3000, 256), zeros);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct outcome outcome = run_with(&(struct setting){ .faults = rows[i].faults }, rows[i].line);

		assert_int_equal(strncmp(outcome.err, rows[i].message, strlen(rows[i].message)), 0);
		assert_string_equal(outcome.out, "");
		assert_int_equal(outcome.status, 1);
		assert_int_equal(count_files("less-"), 0);
		assert_int_equal(count_files(TEMPORARY), 0);
	}
	/* those are all */
	assert_int_equal(run_with(&(struct setting){ .faults = "malloc=3" }, small).status, 0);
	assert_int_equal(run_with(&(struct setting){ .faults = "malloc=3" }, large).status, 0);
}

static void test_failing_standard_output(void **state)
{
	static const char *const lines[] = { "std x.npy", "std x.npy -o -", "--help", "info" };
	struct outcome outcome;
	size_t i;

	(void)state;
	save_two_rows("x.npy");
	for (i = 0; i < COUNT(lines); i++) {
		outcome = run_with(&(struct setting){ .output = "/dev/full" }, lines[i]);
		assert_int_equal(outcome.status, 1);
		assert_string_equal(outcome.err, "rstd: standard output: cannot be written: No space left on device\n");
		outcome = run_with(&(struct setting){ .output = "" }, lines[i]);
		assert_int_equal(outcome.status, 1);
		assert_string_equal(outcome.err, "rstd: standard output: cannot be written: Bad file descriptor\n");
	}
	/* the file must not take the place of the closed stream, and what was meant for that */
	unlink("m.npy");
	outcome = run_with(&(struct setting){ .output = "" }, "std-mean x.npy --dim 1 -o - --mean-out m.npy");
	assert_int_equal(outcome.status, 1);
	assert_string_equal(outcome.err, "rstd: standard output: cannot be written: Bad file descriptor\n");
	assert_false(exists("m.npy"));

	outcome = run_with(&(struct setting){ .output = "" }, "std x.npy --dim 1 -o s.npy");
	assert_int_equal(outcome.status, 0);
	check_file("s.npy", RSTD_F32, SHAPE(2), std_rows);
}

static void test_closed_pipe(void **state)
{
	static const char *const lines[] = { "std x.npy", "std x.npy -o -" };
	struct outcome outcome;
	int ends[2];
	size_t i;

	(void)state;
	save_two_rows("x.npy");
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	for (i = 0; i < COUNT(lines); i++) {
		outcome = run_with(&(struct setting){ .output_fd = ends[1] }, lines[i]);
		assert_int_equal(outcome.status, 1);
		assert_string_equal(outcome.err, "rstd: standard output: cannot be written: Broken pipe\n");
	}
	close(ends[1]);
}

/* What is no regular file is written to, never replaced. No test names a device: a fault would replace that. */
static void test_named_pipe(void **state)
{
	struct stat status;
	char bytes[256];
	ssize_t size;
	int fd;

	(void)state;
	save_two_rows("x.npy");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	fd = open("fifo", O_RDWR);
	assert_true(fd >= 0);
	check_prints("std x.npy --dim 1 -o fifo", "");
	assert_true(lstat("fifo", &status) == 0 && S_ISFIFO(status.st_mode));
	assert_int_equal(count_files(TEMPORARY), 0);
	size = read(fd, bytes, sizeof(bytes));
	assert_true(size > 0);
	save_bytes("y.npy", bytes, (size_t)size);
	check_file("y.npy", RSTD_F32, SHAPE(2), std_rows);
	close(fd);
}

/* The second output is a pipe that nobody reads, where the command waits with a temporary file of the first. */
static void test_interrupted(void **state)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
	const struct timespec pause = { 0, 10000000 };
	size_t i;

	(void)state;
	save_two_rows("x.npy");
	assert_int_equal(mkfifo("unread", 0600), 0);
	for (i = 0; i < COUNT(signals); i++) {
		const pid_t child =
			start("std-mean x.npy -o never.npy --mean-out unread", &(struct setting){ .input = NULL });
		int tries;

		for (tries = 0; tries < 100 * DEADLINE_S && count_files(TEMPORARY) == 0; tries++)
			nanosleep(&pause, NULL);
		assert_int_equal(count_files(TEMPORARY), 1);
		assert_int_equal(kill(child, signals[i]), 0);
		assert_int_equal(finish(child).status, 128 + signals[i]);
		assert_int_equal(count_files(TEMPORARY), 0);
		assert_false(exists("never.npy"));
	}
}

#ifdef RSTD_WITH_GRAPH

/* ---- Graphs ---- */

/* Operators of a graph to be. */
struct maker {
	rstd_op *ops[8];
	size_t count;
};

static rstd_op *make(struct maker *m, const char *type, const char *name, rstd_op *x1, rstd_op *x2)
{
	rstd_op *op = rstd_op_create(name, type);

	assert_non_null(op);
	assert_true(!x1 || rstd_op_set_input_at(op, 0, x1, 0) == RSTD_GE_SUCCESS);
	assert_true(!x2 || rstd_op_set_input_at(op, 1, x2, 0) == RSTD_GE_SUCCESS);
	return m->ops[m->count++] = op;
}

static rstd_op *make_data(struct maker *m, const char *name, int64_t index, int64_t rows)
{
	const int64_t dims[] = { rows, 3 };
	const rstd_value value = { .kind = RSTD_VALUE_INT, .as.i = index };
	rstd_op *op = make(m, "Data", name, NULL, NULL);
	rstd_desc desc = RSTD_DESC_DEFAULT;

	desc.rank = 2;
	desc.dims = dims;
	assert_int_equal(rstd_op_set_output_desc(op, 0, &desc), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "index", &value), RSTD_GE_SUCCESS);
	return op;
}

static rstd_op *make_ints(struct maker *m, const char *name, const int64_t *ints, int64_t count)
{
	const rstd_ge_tensor tensor = { { .dtype = RSTD_DT_INT64, .rank = 1, .dims = &count },
		                        ints,
		                        (size_t)count * 8 };
	const rstd_value value = { .kind = RSTD_VALUE_TENSOR, .as.tensor = &tensor };
	rstd_op *op = make(m, "Const", name, NULL, NULL);

	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "value", &value), RSTD_GE_SUCCESS);
	return op;
}

static void set_dim(rstd_op *op, int64_t axis)
{
	const rstd_value value = { .kind = RSTD_VALUE_LIST_INT, .count = 1, .as.ints = &axis };

	assert_int_equal(rstd_attrs_set(rstd_op_attrs(op), "dim", &value), RSTD_GE_SUCCESS);
}

/* Saves the graph of all that is made, which has these inputs and outputs. */
static void save_graph(struct maker *m, const char *file, rstd_op *const *inputs, size_t input_count,
                       rstd_op *const *outputs, size_t output_count)
{
	rstd_graph_output list[2] = { { .op = outputs[0] }, { .op = outputs[output_count - 1] } };
	rstd_graph *graph = rstd_graph_new("g");

	assert_int_equal(rstd_graph_set_inputs(graph, inputs, input_count), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_set_outputs(graph, list, output_count), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_graph_save_file(graph, file), RSTD_GE_SUCCESS);
	rstd_graph_unref(graph);
	while (m->count > 0)
		rstd_op_unref(m->ops[--m->count]);
}

/* Rows of x about a mean that is fed; -1 rows: any number. */
static void save_given(const char *file, int64_t rows, int64_t axis)
{
	struct maker m = { .count = 0 };
	rstd_op *x = make_data(&m, "x", 0, rows), *mean = make_data(&m, "mean", 1, rows);
	rstd_op *std = make(&m, "ReduceStdWithMean", "std", x, mean), *inputs[] = { x, mean };

	set_dim(std, axis);
	save_graph(&m, file, inputs, 2, &std, 1);
}

/* Rows of x about their own mean, and that mean. */
static void save_own(const char *file)
{
	static const int64_t axis = 1, dims[] = { 2, 3 };
	const rstd_value yes = { .kind = RSTD_VALUE_BOOL, .as.b = true };
	struct maker m = { .count = 0 };
	rstd_op *x = make_data(&m, "x", 0, 2);
	rstd_op *mean = make(&m, "ReduceMean", "mean", x, make_ints(&m, "axes", &axis, 1));
	rstd_op *wide = make(&m, "BroadcastTo", "wide", mean, make_ints(&m, "shape", dims, 2));
	rstd_op *std = make(&m, "ReduceStdWithMean", "std", x, wide), *outputs[] = { std, mean };

	assert_int_equal(rstd_attrs_set(rstd_op_attrs(mean), "keep_dims", &yes), RSTD_GE_SUCCESS);
	set_dim(std, 1);
	save_graph(&m, file, &x, 1, outputs, 2);
}

static void save_graphs(void)
{
	static const float means[6] = { 2, 2, 2, 6, 6, 6 };

	save_two_rows("x.npy");
	save("means.npy", RSTD_F32, SHAPE(2, 3), means);
	save("rows.npy", RSTD_F32, SHAPE(2), std_rows);
	save_given("given.air", 2, 1);
	save_given("any.air", -1, 1);
	save_given("wrong.air", 2, 2);
	save_own("own.air");
	save_bytes("text.air", "text\n", 5);
}

/* The file says that its array is in Fortran order. */
static void turn(const char *name)
{
	char header[128];
	FILE *stream = fopen(name, "r+b");
	char *order;

	assert_non_null(stream);
	assert_int_equal(fread(header, 1, sizeof(header), stream), sizeof(header));
	order = memmem(header, sizeof(header), "False,", 6);
	assert_non_null(order);
	memcpy(order, "True, ", 6);
	rewind(stream);
	assert_int_equal(fwrite(header, 1, sizeof(header), stream), sizeof(header));
	assert_int_equal(fclose(stream), 0);
}

static void test_graph_run(void **state)
{
	static const uint16_t bf16[6] = { 0x3F80, 0x4000, 0x4040, 0x4080, 0x40C0, 0x4100 };
	static const uint16_t bf16_means[6] = { 0x4000, 0x4000, 0x4000, 0x40C0, 0x40C0, 0x40C0 };
	static const float turned[6] = { 1, 4, 2, 6, 3, 8 };
	struct outcome outcome;

	(void)state;
	save_graphs();
	check_prints("graph run given.air --feed x.npy --feed means.npy", "[1. 2.]\n");
	check_prints("graph run --feed x.npy any.air --feed means.npy --fusion none", "[1. 2.]\n");
	check_prints("graph run own.air --feed x.npy", "std:\n[1. 2.]\nmean:\n[[2.]\n [6.]]\n");
	check_prints("graph run own.air --feed x.npy --fusion all -o std.npy", "mean:\n[[2.]\n [6.]]\n");
	check_file("std.npy", RSTD_F32, SHAPE(2), std_rows);
	check_prints("graph run own.air --feed x.npy -o std.npy -o mean.npy --fusion none", "");
	check_file("mean.npy", RSTD_F32, SHAPE(2, 1), mean_rows);
	assert_int_equal(unlink("std.npy") + unlink("mean.npy"), 0);

	/* bfloat16 is said; a file in Fortran order is read as it is */
	save("x.bf16", RSTD_BF16, SHAPE(2, 3), bf16);
	save("means.bf16", RSTD_BF16, SHAPE(2, 3), bf16_means);
	check_prints("graph run given.air --feed x.bf16 --feed means.bf16 --dtype bf16", "[1. 2.]\n");
	check_prints("graph run given.air --feed x.npy --feed means.npy --dtype bf16", "[1. 2.]\n");
	save("turned.npy", RSTD_F32, SHAPE(2, 3), turned);
	turn("turned.npy");
	check_prints("graph run own.air --feed turned.npy", "std:\n[1. 2.]\nmean:\n[[2.]\n [6.]]\n");

	outcome =
		run_with(&(struct setting){ .input = "own.air" }, "graph run - --feed x.npy -o std.npy -o mean.npy -v");
	assert_int_equal(outcome.status, 0);
	assert_non_null(strstr(outcome.err, "rstd: nodes 6, steps "));
	check_file("std.npy", RSTD_F32, SHAPE(2), std_rows);
	outcome = run_with(&(struct setting){ .input = "x.npy" }, "graph run own.air --feed - -o -");
	assert_int_equal(outcome.status, 0);
	assert_int_equal(memcmp(outcome.out, "\x93NUMPY", 6), 0); /* the first result alone */
}

static void test_graph_show(void **state)
{
	struct outcome outcome;

	(void)state;
	save_graphs();
	check_prints(
		"graph show given.air",
		"graph(\"g\"):\n"
		"  %x : [#users=1] = Node[type=Data] (inputs = (), attrs = {index: 0})\n"
		"  %mean : [#users=1] = Node[type=Data] (inputs = (), attrs = {index: 1})\n"
		"  %std : [#users=0] = Node[type=ReduceStdWithMean] (inputs = (x=%x, mean=%mean), attrs = {dim: {1}, "
		"unbiased: true, keepdim: false, invert: false, epsilon: 0.001, correction: 1})\n"
		"  return (%std)\n"
		"\nShapes:\n  %x : DT_FLOAT {2, 3}\n  %mean : DT_FLOAT {2, 3}\n  %std : DT_FLOAT {2}\n"
		"\nFused: nothing\n");
	outcome = run("graph show own.air --format readable");
	assert_int_equal(outcome.status, 0);
	assert_non_null(strstr(outcome.out, "  %wide : DT_FLOAT {2, 3}\n"));
	assert_non_null(strstr(outcome.out, "\nFused:\n  ReduceStdWithMean std: the mean is read with strides of 0"));
	outcome = run("graph show own.air --fusion all");
	assert_non_null(strstr(outcome.out, "ReduceMean mean and"));
	assert_non_null(strstr(outcome.out, "(not bit for bit what the nodes alone give)\n"));
	outcome = run("graph show own.air --fusion none");
	assert_null(strstr(outcome.out, "ReduceMean mean and"));
	outcome = run("graph show any.air");
	assert_non_null(strstr(outcome.out, "  %std : DT_FLOAT {-1}\n"));
	assert_non_null(strstr(outcome.out, "\nFused: depends on the shapes of the feeds\n"));
	outcome = run("graph show given.air --format onnx");
	assert_int_equal(strncmp(outcome.out, "ir_version: 6\nproducer_name: \"GE\"\n", 34), 0);
	outcome = run("graph show given.air --format txt");
	assert_int_equal(strncmp(outcome.out, "graph {\n  name: \"g\"\n", 20), 0);
	outcome = run_with(&(struct setting){ .input = "given.air" }, "graph show -");
	assert_int_equal(outcome.status, 0);

	outcome = run("graph show wrong.air");
	assert_int_equal(outcome.status, 1);
	assert_non_null(strstr(outcome.out, "%std : [#users=0]"));
	assert_non_null(strstr(outcome.err, "rstd: wrong.air: "));
	assert_non_null(strstr(outcome.err, "dim[0]=2 out of range [-2, 2)"));
}

static void test_graph_fails(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *message;
	} rows[] = {
		{ "graph", 2, "'graph' is not a command, see 'rstd --help'" },
		{ "graph draw", 2, "'graph draw' is not a command, see 'rstd --help'" },
		{ "graph show", 2, "no input file is given" },
		{ "graph show a.air b.air", 2, "'b.air' is one file too many" },
		{ "graph show given.air -o y", 2, "-o: is no option of 'graph show', see 'rstd graph show --help'" },
		{ "graph show given.air --format dot", 2, "--format: 'dot' is not readable, onnx or txt" },
		{ "graph run given.air --fusion some", 2, "--fusion: 'some' is not exact, none or all" },
		{ "graph run given.air --feed", 2, "--feed: needs a value" },
		{ "graph run given.air -o", 2, "-o, --output: needs a value" },
		{ "graph run given.air", 2, "--feed: 0 given, the graph takes 2: x, mean" },
		{ "graph run given.air --feed x.npy", 2, "--feed: 1 given, the graph takes 2: x, mean" },
		{ "graph run own.air --feed x.npy --feed x.npy", 2, "--feed: 2 given, the graph takes 1: x" },
		{ "graph run given.air --feed x.npy --feed x.npy -o a -o b", 2,
		  "--output: given 2 times, the graph returns 1" },
		{ "graph run own.air --feed x.npy -o y.npy -o ./y.npy", 2,
		  "--output: './y.npy' is an output file already" },
		{ "graph run - --feed -", 2, "--feed: standard input is an input already" },
		{ "graph run given.air --feed - --feed -", 2, "--feed: standard input is an input already" },
		{ "graph show nothing.air", 1,
		  "nothing.air: 'nothing.air' cannot be opened: No such file or directory" },
		{ "graph show text.air", 1,
		  "text.air: the 5 bytes are no model: malformed, nested more than 100 deep, or with a field given "
		  "twice" },
		{ "graph run given.air --feed x.npy --feed nothing.npy", 1,
		  "nothing.npy: cannot be opened: No such file or directory" },
		{ "graph run own.air --feed x.npy -o nowhere/y.npy", 1,
		  "nowhere/y.npy: cannot be written: No such file or directory" },
	};
	struct outcome outcome;

	(void)state;
	save_graphs();
	for (size_t i = 0; i < COUNT(rows); i++)
		check_fails(rows[i].line, rows[i].status, rows[i].message);
	outcome = run("graph run given.air --feed x.npy --feed rows.npy");
	assert_int_equal(outcome.status, 1);
	assert_int_equal(strncmp(outcome.err, "rstd: given.air: ", 17), 0);
	assert_non_null(strstr(outcome.err, "mean rank=1 != x rank=2"));
	assert_string_equal(strchr(outcome.err, '\n'), "\n"); /* one line */
	outcome = run("graph run --help");
	assert_int_equal(strncmp(outcome.out, "Usage: rstd graph run [OPTION]... FILE.air --feed FILE ...\n", 59), 0);
	assert_non_null(strstr(outcome.out, "  -o, --output FILE "));
	assert_int_equal(count_files(TEMPORARY), 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help),           cmocka_unit_test(test_version_and_info),
		cmocka_unit_test(test_bad_usage),      cmocka_unit_test(test_bad_data),
		cmocka_unit_test(test_operators),      cmocka_unit_test(test_printing),
		cmocka_unit_test(test_output_files),   cmocka_unit_test(test_standard_streams),
		cmocka_unit_test(test_replaced_files), cmocka_unit_test(test_output_to_dev_stdout),
		cmocka_unit_test(test_failing_writes), cmocka_unit_test(test_one_of_two_files),
		cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_failing_standard_output),
		cmocka_unit_test(test_closed_pipe),    cmocka_unit_test(test_named_pipe),
		cmocka_unit_test(test_interrupted),
#ifdef RSTD_WITH_GRAPH
		cmocka_unit_test(test_graph_run),      cmocka_unit_test(test_graph_show),
		cmocka_unit_test(test_graph_fails),
#endif
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
