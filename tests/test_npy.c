/*
 * test_npy.c - .npy files: what is read and as what, what is refused and why, what is written
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Link with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/npy.h"
#include "rstd/rstd.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILE_MAX     4096 /* also fits into a pipe that nobody reads */

/* ---- malloc() and its kin as the tests want them ---- */

static size_t allocations_allowed = SIZE_MAX, largest_allocation;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool may_allocate(size_t size)
{
	if (allocations_allowed == 0)
		return false;
	allocations_allowed--;
	if (size > largest_allocation)
		largest_allocation = size;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate(size) ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate(count * size) ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate(size) ? __real_realloc(old, size) : NULL;
}

/* ---- Files ---- */

static char directory[] = "/tmp/rstd-test-npy-XXXXXX", path[sizeof(directory) + 8];
static int standard_input;

static int set_up(void **state)
{
	(void)state;
	if (mkdtemp(directory) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/x.npy", directory);
	standard_input = dup(STDIN_FILENO);
	return standard_input < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

struct bytes {
	unsigned char at[FILE_MAX];
	size_t size;
};

/* A file with this dictionary, a newline after it, and data. */
static struct bytes make_file(unsigned major, const char *dictionary, const void *data, size_t size)
{
	struct bytes file = { .size = 8 };
	const size_t length = strlen(dictionary) + 1;
	size_t i;

	memcpy(file.at, "\x93NUMPY", 6);
	file.at[6] = (unsigned char)major;
	for (i = 0; i < (major == 1 ? 2U : 4U); i++)
		file.at[file.size++] = (unsigned char)(length >> (8 * i));
	assert_true(file.size + length + size <= FILE_MAX);
	memcpy(file.at + file.size, dictionary, length - 1);
	file.at[file.size + length - 1] = '\n';
	if (size > 0)
		memcpy(file.at + file.size + length, data, size);
	file.size += length + size;
	return file;
}

static void write_file(const void *bytes, size_t size)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	assert_int_equal(fclose(stream), 0);
}

/* Puts the bytes into a pipe that becomes standard input. */
static void feed_pipe(const void *bytes, size_t size)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, size), size);
	close(ends[1]);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	close(ends[0]);
}

static void restore_input(void)
{
	assert_true(dup2(standard_input, STDIN_FILENO) >= 0);
}

enum way { BY_FILE, BY_PIPE, WAYS };

static bool open_bytes(enum way way, struct npy_array *array, const void *bytes, size_t size, bool as_bf16,
                       char reason[NPY_REASON_SIZE])
{
	bool ok;

	memset(reason, 0, NPY_REASON_SIZE);
	if (way == BY_FILE) {
		write_file(bytes, size);
		return rstd__npy_open(array, path, as_bf16, reason);
	}
	feed_pipe(bytes, size);
	ok = rstd__npy_open(array, "-", as_bf16, reason);
	restore_input();
	return ok;
}

/* Opens what must be accepted. */
static struct npy_array open_good(enum way way, const struct bytes *file, bool as_bf16)
{
	struct npy_array array;
	char reason[NPY_REASON_SIZE];

	if (!open_bytes(way, &array, file->at, file->size, as_bf16, reason))
		fail_msg("refused: %s", reason);
	return array;
}

static void check_refused(const void *bytes, size_t size, bool as_bf16, const char *expected)
{
	enum way way;

	for (way = BY_FILE; way < WAYS; way++) {
		struct npy_array array;
		char reason[NPY_REASON_SIZE];

		assert_false(open_bytes(way, &array, bytes, size, as_bf16, reason));
		assert_string_equal(reason, expected);
		assert_null(array.view.data);
		assert_null(array.bytes);
		rstd__npy_close(&array);
	}
}

#define DICT(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

/* ---- What is read ---- */

static void test_headers(void **state)
{
	static const struct {
		const char *text;
		bool as_bf16;
		struct npy_header header;
	} rows[] = {
		{ DICT("'<f4'", "False", "(3,)"), false, { RSTD_F32, false, false, 1, { 3 } } },
		{ DICT("'>f4'", "True", "(2, 3)"), false, { RSTD_F32, true, true, 2, { 2, 3 } } },
		{ DICT("'=f4'", "False", "()"), false, { RSTD_F32, false, false, 0, { 0 } } },
		{ DICT("'<f2'", "False", "(0, 7)"), false, { RSTD_F16, false, false, 2, { 0, 7 } } },
		{ DICT("'>f2'", "False", "(3,)"), false, { RSTD_F16, true, false, 1, { 3 } } },
		{ DICT("'<V2'", "False", "(4,)"), true, { RSTD_BF16, false, false, 1, { 4 } } },
		{ DICT("'|V2'", "False", "(4,)"), true, { RSTD_BF16, false, false, 1, { 4 } } },
		{ DICT("'<u2'", "False", "(4,)"), true, { RSTD_BF16, false, false, 1, { 4 } } },
		{ DICT("'>u2'", "False", "(4,)"), true, { RSTD_BF16, true, false, 1, { 4 } } },
		{ DICT("'>i2'", "False", "(4,)"), true, { RSTD_BF16, true, false, 1, { 4 } } },
		{ DICT("'<f2'", "False", "(4,)"), true, { RSTD_BF16, false, false, 1, { 4 } } },
		{ "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
		  false,
		  { RSTD_F32, false, false, 2, { 2, 3 } } },
		{ " {\t'shape' : ( 2 , 3 , ) ,\n 'fortran_order':True,'descr':\"<f4\" } \t ",
		  false,
		  { RSTD_F32, false, true, 2, { 2, 3 } } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 4L)}",
		  false,
		  { RSTD_F32, false, false, 2, { 3, 4 } } },
		{ DICT("'<f4'", "False", "(1, 2, 3, 4, 5, 6, 7, 8)"),
		  false,
		  { RSTD_F32, false, false, 8, { 1, 2, 3, 4, 5, 6, 7, 8 } } },
		{ DICT("'<f4'", "False", "(9223372036854775807,)"),
		  false,
		  { RSTD_F32, false, false, 1, { INT64_MAX } } },
	};
	char text[256], reason[NPY_REASON_SIZE];
	struct npy_header header;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const struct npy_header *want = &rows[i].header;

		snprintf(text, sizeof(text), "%s\n", rows[i].text);
		if (!rstd__npy_parse_header(text, strlen(text), rows[i].as_bf16, &header, reason))
			fail_msg("%s refused: %s", rows[i].text, reason);
		assert_int_equal(header.dtype, want->dtype);
		assert_int_equal(header.swapped, want->swapped);
		assert_int_equal(header.fortran_order, want->fortran_order);
		assert_int_equal(header.rank, want->rank);
		assert_memory_equal(header.shape, want->shape, sizeof(header.shape));
	}
}

/* Element i of the view's buffer, by its bits. */
static uint32_t bits_at(const rstd_tensor *view, int64_t i)
{
	uint16_t half;
	uint32_t word;

	if (view->dtype == RSTD_F32) {
		memcpy(&word, (const char *)view->data + 4 * i, 4);
		return word;
	}
	memcpy(&half, (const char *)view->data + 2 * i, 2);
	return half;
}

static void test_data(void **state)
{
	static const unsigned char data[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const struct {
		const char *dictionary;
		bool as_bf16;
		rstd_tensor view;
		uint32_t first, last;
	} rows[] = {
		{ DICT("'<f4'", "False", "(3,)"), false, { NULL, RSTD_F32, 1, { 3 }, { 1 } }, 0x04030201, 0x0C0B0A09 },
		{ DICT("'>f4'", "False", "(3,)"), false, { NULL, RSTD_F32, 1, { 3 }, { 1 } }, 0x01020304, 0x090A0B0C },
		{ DICT("'<f2'", "False", "(2, 3)"), false, { NULL, RSTD_F16, 2, { 2, 3 }, { 3, 1 } }, 0x0201, 0x0C0B },
		{ DICT("'>f2'", "True", "(2, 3)"), false, { NULL, RSTD_F16, 2, { 2, 3 }, { 1, 2 } }, 0x0102, 0x0B0C },
		{ DICT("'<V2'", "True", "(3, 2)"), true, { NULL, RSTD_BF16, 2, { 3, 2 }, { 1, 3 } }, 0x0201, 0x0C0B },
		{ DICT("'>u2'", "False", "(6,)"), true, { NULL, RSTD_BF16, 1, { 6 }, { 1 } }, 0x0102, 0x0B0C },
		{ DICT("'<f4'", "True", "(1, 3, 1)"),
		  false,
		  { NULL, RSTD_F32, 3, { 1, 3, 1 }, { 1, 1, 3 } },
		  0x04030201,
		  0x0C0B0A09 },
	};
	unsigned major;
	enum way way;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		for (major = 1; major <= 3; major++)
			for (way = BY_FILE; way < WAYS; way++) {
				const struct bytes file = make_file(major, rows[i].dictionary, data, sizeof(data));
				const rstd_tensor *want = &rows[i].view;
				struct npy_array array = open_good(way, &file, rows[i].as_bf16);

				assert_int_equal(array.view.dtype, want->dtype);
				assert_int_equal(array.view.rank, want->rank);
				assert_memory_equal(array.view.shape, want->shape, sizeof(want->shape));
				assert_memory_equal(array.view.strides, want->strides, sizeof(want->strides));
				assert_int_equal(bits_at(&array.view, 0), rows[i].first);
				assert_int_equal(bits_at(&array.view, want->dtype == RSTD_F32 ? 2 : 5), rows[i].last);
				rstd__npy_close(&array);
			}
}

static void test_swapping_leaves_the_file(void **state)
{
	static const unsigned char data[4] = { 1, 2, 3, 4 };
	const struct bytes file = make_file(1, DICT("'>f4'", "False", "(1,)"), data, sizeof(data));
	struct npy_array array = open_good(BY_FILE, &file, false);
	unsigned char after[FILE_MAX];
	FILE *stream;

	(void)state;
	assert_int_equal(bits_at(&array.view, 0), 0x01020304);
	stream = fopen(path, "rb");
	assert_non_null(stream);
	assert_int_equal(fread(after, 1, sizeof(after), stream), file.size);
	fclose(stream);
	assert_memory_equal(after, file.at, file.size);
	rstd__npy_close(&array);
}

static void test_empty_and_scalar(void **state)
{
	static const float one = 1;
	struct bytes file;
	struct npy_array array;
	enum way way;

	(void)state;
	for (way = BY_FILE; way < WAYS; way++) {
		file = make_file(1, DICT("'<f4'", "False", "()"), &one, sizeof(one));
		array = open_good(way, &file, false);
		assert_int_equal(array.view.rank, 0);
		assert_int_equal(bits_at(&array.view, 0), 0x3F800000);
		rstd__npy_close(&array);

		file = make_file(1, DICT("'<f4'", "True", "(5, 0, 3)"), NULL, 0);
		array = open_good(way, &file, false);
		assert_int_equal(array.view.rank, 3);
		assert_int_equal(array.view.shape[1], 0);
		rstd__npy_close(&array);
	}
}

/* As numpy does, so that several arrays may follow one another in a pipe. */
static void test_bytes_after_the_array(void **state)
{
	static const float data[3] = { 1, 2, 3 };
	struct bytes file = make_file(1, DICT("'<f4'", "False", "(2,)"), data, sizeof(data));
	struct npy_array array = open_good(BY_FILE, &file, false);
	char reason[NPY_REASON_SIZE];
	float rest;

	(void)state;
	assert_int_equal(bits_at(&array.view, 1), 0x40000000);
	rstd__npy_close(&array);

	feed_pipe(file.at, file.size);
	assert_true(rstd__npy_open(&array, "-", false, reason));
	assert_int_equal(read(STDIN_FILENO, &rest, sizeof(rest)), sizeof(rest));
	assert_true(rest == 3.0F);
	rstd__npy_close(&array);
	restore_input();
}

/* A redirected file is mapped, from where the descriptor stands. */
static void test_redirected_file(void **state)
{
	static const float data[1] = { 2 };
	const struct bytes file = make_file(1, DICT("'<f4'", "False", "(1,)"), data, sizeof(data));
	unsigned char shifted[FILE_MAX];
	struct npy_array array;
	char reason[NPY_REASON_SIZE];
	int fd;

	(void)state;
	memset(shifted, '#', 7);
	memcpy(shifted + 7, file.at, file.size);
	write_file(shifted, file.size + 7);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && lseek(fd, 7, SEEK_SET) == 7 && dup2(fd, STDIN_FILENO) >= 0);
	close(fd);
	assert_true(rstd__npy_open(&array, "-", false, reason));
	restore_input();
	assert_non_null(array.mapping);
	assert_int_equal(bits_at(&array.view, 0), 0x40000000);
	rstd__npy_close(&array);
}

static void test_named_pipe(void **state)
{
	static const float data[1] = { 2 };
	const struct bytes file = make_file(1, DICT("'<f4'", "False", "(1,)"), data, sizeof(data));
	struct npy_array array;
	char reason[NPY_REASON_SIZE];
	pid_t child;
	int status;

	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		const int fd = open(path, O_WRONLY);

		_exit(fd < 0 || write(fd, file.at, file.size) != (ssize_t)file.size);
	}
	assert_true(rstd__npy_open(&array, path, false, reason));
	assert_int_equal(bits_at(&array.view, 0), 0x40000000);
	rstd__npy_close(&array);
	assert_true(waitpid(child, &status, 0) == child && status == 0);
	unlink(path);
}

/* ---- What is refused ---- */

static void test_malformed_headers(void **state)
{
	static const struct {
		const char *text;
		bool as_bf16;
		const char *reason;
	} rows[] = {
		/* types */
		{ DICT("'<V2'", "False", "(4,)"), false,
		  "descr '<V2' is of unknown type (--dtype bf16 reads it as bfloat16)" },
		{ DICT("'|V2'", "False", "(4,)"), false,
		  "descr '|V2' is of unknown type (--dtype bf16 reads it as bfloat16)" },
		{ DICT("'<f8'", "False", "(4,)"), false,
		  "descr '<f8' is not supported, float32 ('<f4', '>f4') and float16 ('<f2', '>f2') are" },
		{ DICT("'<u2'", "False", "(4,)"), false,
		  "descr '<u2' is not supported, float32 ('<f4', '>f4') and float16 ('<f2', '>f2') are" },
		{ DICT("'|f4'", "False", "(4,)"), false,
		  "descr '|f4' is not supported, float32 ('<f4', '>f4') and float16 ('<f2', '>f2') are" },
		{ DICT("'<f42'", "False", "(4,)"), false,
		  "descr '<f42' is not supported, float32 ('<f4', '>f4') and float16 ('<f2', '>f2') are" },
		{ DICT("''", "False", "(4,)"), false,
		  "descr '' is not supported, float32 ('<f4', '>f4') and float16 ('<f2', '>f2') are" },
		{ DICT("'|O'", "False", "(4,)"), false, "descr '|O' means Python objects, which are not read" },
		{ DICT("[('a', '<f4')]", "False", "(4,)"), false,
		  "descr [('a', '<f4')] is a structured type, which is not read" },
		{ DICT("'<f4'", "False", "(4,)"), true, "descr '<f4' is no type of two bytes, which bfloat16 needs" },
		{ DICT("'|S2'", "False", "(4,)"), true, "descr '|S2' is no type of two bytes, which bfloat16 needs" },
		{ DICT("[('a name that is longer than anyone would read', '<f4')]", "False", "(4,)"), false,
		  "descr [('a name that is longer than anyone would r... is a structured type, which is not read" },
		{ DICT("4", "False", "(4,)"), false, "header is malformed at byte 10: expected a string" },
		/* order */
		{ DICT("'<f4'", "0", "(4,)"), false, "header is malformed at byte 34: expected True or False" },
		{ DICT("'<f4'", "Falsehood", "(4,)"), false, "header is malformed at byte 39: expected ',' or '}'" },
		/* shapes */
		{ DICT("'<f4'", "False", "(-1,)"), false, "shape has a negative length" },
		{ DICT("'<f4'", "False", "(2, -3)"), false, "shape has a negative length" },
		{ DICT("'<f4'", "False", "(9223372036854775808,)"), false, "shape has a length of more than 2^63 - 1" },
		{ DICT("'<f4'", "False", "(99999999999999999999999,)"), false,
		  "shape has a length of more than 2^63 - 1" },
		{ DICT("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), false, "shape has more than 8 axes" },
		{ DICT("'<f4'", "False", "(3)"), false, "shape (3) is a number, not a tuple" },
		{ DICT("'<f4'", "False", "3"), false, "header is malformed at byte 50: expected a tuple" },
		{ DICT("'<f4'", "False", "[3]"), false, "header is malformed at byte 50: expected a tuple" },
		{ DICT("'<f4'", "False", "(,)"), false, "header is malformed at byte 51: expected a length" },
		{ DICT("'<f4'", "False", "(3,,)"), false, "header is malformed at byte 53: expected a length" },
		{ DICT("'<f4'", "False", "(3 4)"), false, "header is malformed at byte 53: expected ',' or ')'" },
		{ DICT("'<f4'", "False", "(3.5,)"), false, "header is malformed at byte 52: expected ',' or ')'" },
		{ DICT("'<f4'", "False", "(007,)"), false, "header is malformed at byte 54: expected a length" },
		{ DICT("'<f4'", "False", "(+7,)"), false, "header is malformed at byte 51: expected a length" },
		/* keys */
		{ "{'descr': '<f4', 'fortran_order': False}", false, "header lacks the key 'shape'" },
		{ "{'descr': '<f4', 'shape': (3,)}", false, "header lacks the key 'fortran_order'" },
		{ "{'fortran_order': False, 'shape': (3,)}", false, "header lacks the key 'descr'" },
		{ "{}", false, "header lacks the key 'descr'" },
		{ "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", false,
		  "header has the key 'descr' twice" },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}", false,
		  "header has the unknown key 'more'" },
		{ "{'desc': '<f4', 'fortran_order': False, 'shape': (3,)}", false,
		  "header has the unknown key 'desc'" },
		{ "{'\x1B[2Jx\xFF': 1}", false, "header has the unknown key '?[2Jx?'" },
		/* syntax */
		{ "", false, "header is malformed at byte 1: expected '{'" },
		{ "['descr']", false, "header is malformed at byte 0: expected '{'" },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", false,
		  "header is malformed at byte 55: expected ',' or '}'" },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,", false,
		  "header is malformed at byte 54: expected a length" },
		{ "{'descr' '<f4'}", false, "header is malformed at byte 9: expected ':'" },
		{ "{'descr': '<f4' 'shape': (3,)}", false, "header is malformed at byte 16: expected ',' or '}'" },
		{ "{,}", false, "header is malformed at byte 1: expected a string" },
		{ "{'descr", false, "header is malformed at byte 7: expected the end of a string" },
		{ "{'de\\x73cr': '<f4'}", false, "header is malformed at byte 4: expected the end of a string" },
		{ DICT("'<f4'", "False", "(3,)") " x", false,
		  "header is malformed at byte 58: expected nothing after the dictionary" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const struct bytes file = make_file(1, rows[i].text, "0123456789abcdef", 16);

		check_refused(file.at, file.size, rows[i].as_bf16, rows[i].reason);
	}
}

static void test_malformed_files(void **state)
{
	static const float data[3] = { 1, 2, 3 };
	static const char dictionary[] = DICT("'<f4'", "False", "(3,)");
	struct bytes file;

	(void)state;
	check_refused("", 0, false, "is empty");
	check_refused("PK\003\004 a zip file", 14, false, "is not a .npy file: it does not begin with \\x93NUMPY");
	check_refused("\x93NUMP", 5, false, "is not a .npy file: it does not begin with \\x93NUMPY");

	file = make_file(4, dictionary, data, sizeof(data));
	check_refused(file.at, file.size, false, ".npy version is 4.0, known are 1.0, 2.0 and 3.0");
	file = make_file(1, dictionary, data, sizeof(data));
	file.at[7] = 1;
	check_refused(file.at, file.size, false, ".npy version is 1.1, known are 1.0, 2.0 and 3.0");
	file.at[6] = file.at[7] = 0;
	check_refused(file.at, file.size, false, ".npy version is 0.0, known are 1.0, 2.0 and 3.0");

	file = make_file(1, dictionary, data, sizeof(data));
	file.at[8] = file.at[9] = 0xFF;
	check_refused(file.at, file.size, false,
	              "header of 65535 bytes runs past the end of the file, which has 70 after its start");
	file = make_file(2, dictionary, data, sizeof(data));
	memset(file.at + 8, 0xFF, 4);
	check_refused(file.at, file.size, false,
	              "header of 4294967295 bytes runs past the end of the file, which has 70 after its start");
	file = make_file(1, dictionary, data, sizeof(data));
	file.at[8] = 0;
	check_refused(file.at, file.size, false, "header does not end with a newline");
	file.at[8] = (unsigned char)(strlen(dictionary));
	check_refused(file.at, file.size, false, "header does not end with a newline");

	file = make_file(1, DICT("'<f4'", "False", "(3, 2)"), data, sizeof(data));
	check_refused(file.at, file.size, false, "shape (3, 2) needs 24 bytes of data, the file has 12");
	file = make_file(1, DICT("'>f4'", "True", "(2305843009213693951,)"), data, sizeof(data));
	check_refused(file.at, file.size, false,
	              "shape (2305843009213693951,) needs 9223372036854775804 bytes of data, the file has 12");
	file = make_file(1, DICT("'<f4'", "False", "(2305843009213693952,)"), data, sizeof(data));
	check_refused(file.at, file.size, false, "shape (2305843009213693952,) is too large");
	file = make_file(1, DICT("'<f2'", "False", "(4294967296, 4294967296)"), data, sizeof(data));
	check_refused(file.at, file.size, false, "shape (4294967296, 4294967296) is too large");
	file = make_file(1, DICT("'<f2'", "False", "(0, 4294967296, 4294967296)"), NULL, 0);
	check_refused(file.at, file.size, false, "shape (0, 4294967296, 4294967296) is too large");
}

/* Whatever a header asks for, memory is taken as bytes arrive. */
static void test_memory_follows_the_file(void **state)
{
	static const float data[3] = { 1, 2, 3 };
	struct bytes file = make_file(1, DICT("'<f4'", "False", "(1000000000000,)"), data, sizeof(data));

	(void)state;
	largest_allocation = 0;
	check_refused(file.at, file.size, false,
	              "shape (1000000000000,) needs 4000000000000 bytes of data, the file has 12");
	file = make_file(2, DICT("'<f4'", "False", "(3,)"), data, sizeof(data));
	memset(file.at + 8, 0xFF, 4);
	check_refused(file.at, file.size, false,
	              "header of 4294967295 bytes runs past the end of the file, which has 70 after its start");
	assert_in_range(largest_allocation, 1, 1 << 16);
}

static void test_every_truncation(void **state)
{
	static const float data[3] = { 1, 2, 3 };
	unsigned major;
	enum way way;
	size_t size;

	(void)state;
	for (major = 1; major <= 3; major++) {
		const struct bytes file = make_file(major, DICT("'<f4'", "False", "(3,)"), data, sizeof(data));

		for (size = 0; size <= file.size; size++)
			for (way = BY_FILE; way < WAYS; way++) {
				struct npy_array array;
				char reason[NPY_REASON_SIZE];
				const bool ok = open_bytes(way, &array, file.at, size, false, reason);

				assert_int_equal(ok, size == file.size);
				assert_int_equal(reason[0] == '\0', ok);
				rstd__npy_close(&array);
			}
	}
}

static void test_unreadable(void **state)
{
	struct npy_array array;
	char reason[NPY_REASON_SIZE];

	(void)state;
	unlink(path);
	assert_false(rstd__npy_open(&array, path, false, reason));
	assert_string_equal(reason, "cannot be opened: No such file or directory");
	assert_false(rstd__npy_open(&array, directory, false, reason));
	assert_string_equal(reason, "cannot be read: Is a directory");
	close(STDIN_FILENO);
	assert_false(rstd__npy_open(&array, "-", false, reason));
	restore_input();
	assert_string_equal(reason, "cannot be read: Bad file descriptor");
}

/* A pipe of 200 KB, more than one buffer and more than the pipe holds. */
static bool read_large_pipe(struct npy_array *array, char reason[NPY_REASON_SIZE])
{
	static float data[50000];
	rstd_tensor tensor = { data, RSTD_F32, 1, { 50000 }, { 1 } };
	int ends[2], status;
	pid_t child;
	bool ok;

	data[49999] = 7;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		char why[NPY_REASON_SIZE];

		close(ends[0]);
		rstd__npy_write(ends[1], &tensor, why); /* dies of SIGPIPE where the reader gives up */
		_exit(0);
	}
	close(ends[1]);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	close(ends[0]);
	ok = rstd__npy_open(array, "-", false, reason);
	restore_input();
	assert_int_equal(waitpid(child, &status, 0), child);
	return ok;
}

static void test_failing_allocations(void **state)
{
	struct npy_array array;
	char reason[NPY_REASON_SIZE];
	size_t allowed;

	(void)state;
	for (allowed = 0;; allowed++) {
		bool ok;

		allocations_allowed = allowed;
		ok = read_large_pipe(&array, reason);
		allocations_allowed = SIZE_MAX;
		if (ok)
			break;
		assert_int_equal(strncmp(reason, "no memory for ", 14), 0);
		assert_null(array.bytes);
	}
	assert_in_range(allowed, 3, 100);
	assert_int_equal(bits_at(&array.view, 49999), 0x40E00000);
	rstd__npy_close(&array);
}

/* ---- Mutations ---- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15U;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
	return z ^ (z >> 31);
}

/* A byte replaced, removed, put in, or a piece copied from elsewhere. */
static size_t mutate(char *text, size_t length, size_t room, uint64_t *state)
{
	static const char alphabet[] = "'\"{}()[],: \n\\0123456789-LTFalserudcpotn_h<>=|Vifu\x80";
	const size_t at = next_random(state) % length, from = next_random(state) % length;
	const char c = alphabet[next_random(state) % sizeof(alphabet)];
	size_t piece;

	switch (next_random(state) % 4) {
	case 0:
		text[at] = c;
		return length;
	case 1:
		memmove(text + at, text + at + 1, length - at - 1);
		return length > 1 ? length - 1 : length;
	case 2:
		if (length == room)
			return length;
		memmove(text + at + 1, text + at, length - at);
		text[at] = c;
		return length + 1;
	default:
		piece = next_random(state) % 8;
		if (from + piece <= length && at + piece <= length)
			memmove(text + at, text + from, piece);
		return length;
	}
}

/* Each text lies in memory of just its size, so that a sanitizer sees a read past its end. */
static void test_mutated_headers(void **state)
{
	static const char *const seeds[] = {
		DICT("'<f4'", "False", "(3, 4, 50)") "   \n",
		"{\"shape\": (1L,), \"fortran_order\": True, \"descr\": \">f2\"}\n",
		DICT("[('a', '<f4')]", "False", "()") "\n",
	};
	uint64_t random = 1;
	size_t accepted = 0, i, j;

	(void)state;
	for (i = 0; i < 60000; i++) {
		const char *seed = seeds[i % COUNT(seeds)];
		const size_t room = 128, mutations = 1 + next_random(&random) % 6;
		size_t length = strlen(seed);
		char draft[128], reason[NPY_REASON_SIZE] = "", *text;
		struct npy_header header;

		memcpy(draft, seed, length);
		for (j = 0; j < mutations; j++)
			length = mutate(draft, length, room, &random);
		text = malloc(length);
		assert_non_null(text);
		memcpy(text, draft, length);
		if (rstd__npy_parse_header(text, length, i & 1, &header, reason)) {
			accepted++;
			assert_in_range(header.dtype, RSTD_F32, RSTD_BF16);
			assert_in_range(header.rank, 0, RSTD_MAX_RANK);
			for (j = 0; j < header.rank; j++)
				assert_true(header.shape[j] >= 0);
		} else {
			assert_in_range(strlen(reason), 1, NPY_REASON_SIZE - 1);
		}
		free(text);
	}
	assert_in_range(accepted, 300, 30000); /* so that both ways were taken often */
}

/* ---- What is written ---- */

static size_t written_bytes(const rstd_tensor *tensor, unsigned char bytes[FILE_MAX])
{
	char reason[NPY_REASON_SIZE];
	const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ssize_t size;

	assert_true(fd >= 0);
	assert_true(rstd__npy_write(fd, tensor, reason));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	size = read(fd, bytes, FILE_MAX);
	assert_true(size >= 0);
	close(fd);
	return (size_t)size;
}

static void test_written_bytes(void **state)
{
	static const char header[] =
		"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
	float data[6] = { 1, 2, 3, 4, 5, 6 };
	const rstd_tensor tensor = { data, RSTD_F32, 2, { 2, 3 }, { 3, 1 } };
	unsigned char bytes[FILE_MAX], expected[128 + sizeof(data)];

	(void)state;
	memset(expected, ' ', 127);
	memcpy(expected, header, sizeof(header) - 1);
	expected[127] = '\n';
	memcpy(expected + 128, data, sizeof(data));
	assert_int_equal(written_bytes(&tensor, bytes), sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
}

/* Every dtype and rank comes back as it was, from data that begins at a multiple of 64 bytes. */
static void test_written_and_read(void **state)
{
	static const int64_t long_shape[RSTD_MAX_RANK] = {
		0, INT64_MAX / 4, 1, 1000000000000, 1, 123456789, 1, 1234567
	};
	unsigned char bytes[FILE_MAX];
	uint32_t data[4] = { 0x7F800001, 0x80000001, 0x3F800000, 0xFFFFFFFF };
	struct npy_header header;
	char reason[NPY_REASON_SIZE];
	rstd_dtype dtype;
	size_t rank, size;

	(void)state;
	for (dtype = RSTD_F32; dtype <= RSTD_BF16; dtype++)
		for (rank = 0; rank <= RSTD_MAX_RANK; rank++) {
			const rstd_tensor tensor = { data, dtype, rank, { 1, 2, 1, 1, 1, 1, 2, 1 }, { 0 } };
			struct npy_array array;

			size = written_bytes(&tensor, bytes);
			assert_true(rstd__npy_open(&array, path, dtype == RSTD_BF16, reason));
			assert_int_equal(array.view.dtype, dtype);
			assert_int_equal(array.view.rank, rank);
			assert_memory_equal(array.view.shape, tensor.shape, rank * sizeof(tensor.shape[0]));
			assert_int_equal((size_t)((unsigned char *)array.view.data - array.bytes) % 64, 0);
			size -= (size_t)((unsigned char *)array.view.data - array.bytes);
			assert_memory_equal(array.view.data, data, size);
			rstd__npy_close(&array);
		}
	for (rank = 1; rank <= RSTD_MAX_RANK; rank++) {
		rstd_tensor tensor = { NULL, RSTD_F32, rank, { 0 }, { 0 } };

		memcpy(tensor.shape, long_shape, sizeof(long_shape));
		size = written_bytes(&tensor, bytes);
		assert_int_equal(size % 64, 0);
		assert_true(rstd__npy_parse_header((char *)bytes + 10, size - 10, false, &header, reason));
		assert_memory_equal(header.shape, long_shape, rank * sizeof(long_shape[0]));
	}
}

static void test_failing_writes(void **state)
{
	float one = 1;
	const rstd_tensor tensor = { &one, RSTD_F32, 0, { 0 }, { 0 } };
	char reason[NPY_REASON_SIZE];
	const int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_true(fd >= 0);
	assert_false(rstd__npy_write(fd, &tensor, reason));
	assert_string_equal(reason, "cannot be written: No space left on device");
	close(fd);
	assert_false(rstd__npy_write(fd, &tensor, reason));
	assert_string_equal(reason, "cannot be written: Bad file descriptor");
}

static void test_shapes_as_text(void **state)
{
	static const int64_t longest[RSTD_MAX_RANK] = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN,
		                                        INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
	char text[NPY_SHAPE_SIZE];

	(void)state;
	assert_string_equal(rstd__npy_format_shape(text, longest, 0), "()");
	assert_string_equal(rstd__npy_format_shape(text, (const int64_t[]){ 3 }, 1), "(3,)");
	assert_string_equal(rstd__npy_format_shape(text, (const int64_t[]){ 2, 0, 3 }, 3), "(2, 0, 3)");
	assert_int_equal(strlen(rstd__npy_format_shape(text, longest, 8)), 8 * 20 + 7 * 2 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_swapping_leaves_the_file),
		cmocka_unit_test(test_empty_and_scalar),
		cmocka_unit_test(test_bytes_after_the_array),
		cmocka_unit_test(test_redirected_file),
		cmocka_unit_test(test_named_pipe),
		cmocka_unit_test(test_malformed_headers),
		cmocka_unit_test(test_malformed_files),
		cmocka_unit_test(test_memory_follows_the_file),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_failing_allocations),
		cmocka_unit_test(test_mutated_headers),
		cmocka_unit_test(test_written_bytes),
		cmocka_unit_test(test_written_and_read),
		cmocka_unit_test(test_failing_writes),
		cmocka_unit_test(test_shapes_as_text),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
