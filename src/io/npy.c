/*
 * npy.c - arrays in numpy's .npy format: read as views, written whole
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_SIZE  6
#define LENGTH_AT   8 /* the header's length follows the magic and two bytes of version */
#define FIRST_CHUNK ((size_t)1 << 16)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_ORDER '<'
#else
#define NATIVE_ORDER '>'
#endif

static bool refuse(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

static bool refuse(char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, NPY_REASON_SIZE, format, args);
	va_end(args);
	return false;
}

static size_t size_of(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? 4 : 2;
}

char *rstd__npy_format_shape(char text[NPY_SHAPE_SIZE], const int64_t *shape, size_t rank)
{
	size_t used = 0;

	text[used++] = '(';
	for (size_t i = 0; i < rank; i++)
		used += (size_t)snprintf(text + used, NPY_SHAPE_SIZE - used, "%s%lld", i ? ", " : "",
		                         (long long)shape[i]);
	snprintf(text + used, NPY_SHAPE_SIZE - used, rank == 1 ? ",)" : ")");
	return text;
}

/* ---- The header: a dictionary of three keys, in the syntax of Python ---------------------------------------- */

struct parser {
	const char *start, *at, *end;
	char *reason;
};

#define EXCERPT_SIZE 48

/* Text from a file, fit to be shown: cut to size, with ? for whatever is not printable ASCII. Returns out. */
static char *excerpt(char out[EXCERPT_SIZE], const char *text, size_t length)
{
	const size_t shown = length < EXCERPT_SIZE - 4 ? length : EXCERPT_SIZE - 4;

	for (size_t i = 0; i < shown; i++)
		out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	snprintf(out + shown, EXCERPT_SIZE - shown, "%s", shown < length ? "..." : "");
	return out;
}

static bool malformed(const struct parser *p, const char *expected)
{
	return refuse(p->reason, "header is malformed at byte %zu: expected %s", (size_t)(p->at - p->start), expected);
}

static void skip_space(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r')))
		p->at++;
}

static bool accept(struct parser *p, char c)
{
	skip_space(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool accept_word(struct parser *p, const char *word)
{
	const size_t length = strlen(word);

	skip_space(p);
	if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
		return false;
	p->at += length;
	return true;
}

/* A string in either kind of quotes. Escapes occur in no valid header. */
static bool parse_string(struct parser *p, const char **text, size_t *length)
{
	char quote;

	if (!accept(p, quote = '\'') && !accept(p, quote = '"'))
		return malformed(p, "a string");
	*text = p->at;
	while (p->at < p->end && *p->at != quote && *p->at != '\\' && *p->at != '\n')
		p->at++;
	if (p->at == p->end || *p->at != quote)
		return malformed(p, "the end of a string");
	*length = (size_t)(p->at++ - *text);
	return true;
}

/* Order, kind and size, as '<f4'. */
static bool decode_descr(const char *text, size_t length, bool as_bf16, struct npy_header *header, char *reason)
{
	const bool plain = length == 3 && memchr("<>=|", text[0], 4);
	const char kind = plain ? text[1] : '\0', size = plain ? text[2] : '\0';
	char shown[EXCERPT_SIZE];

	excerpt(shown, text, length);
	header->swapped = plain && text[0] != NATIVE_ORDER && (text[0] == '<' || text[0] == '>');
	if (as_bf16) {
		header->dtype = RSTD_BF16;
		if (plain && size == '2' && memchr("Vuif", kind, 4))
			return true;
		return refuse(reason, "descr '%s' is no type of two bytes, which bfloat16 needs", shown);
	}
	if (plain && kind == 'f' && text[0] != '|' && (size == '4' || size == '2')) {
		header->dtype = size == '4' ? RSTD_F32 : RSTD_F16;
		return true;
	}
	if (plain && kind == 'V' && size == '2')
		return refuse(reason, "descr '%s' is of unknown type (--dtype bf16 reads it as bfloat16)", shown);
	if (length >= 2 && text[1] == 'O')
		return refuse(reason, "descr '%s' means Python objects, which are not read", shown);
	return refuse(reason, "descr '%s' is not supported, float32 ('<f4', '>f4') and float16 ('<f2', '>f2') are",
	              shown);
}

/* A structured type is a list or a tuple; the message shows it up to the first bracket that closes. */
static bool refuse_structure(const struct parser *p)
{
	const size_t left = (size_t)(p->end - p->at);
	const char *last = memchr(p->at, *p->at == '[' ? ']' : ')', left);
	char shown[EXCERPT_SIZE];

	return refuse(p->reason, "descr %s is a structured type, which is not read",
	              excerpt(shown, p->at, last ? (size_t)(last + 1 - p->at) : left));
}

static bool parse_descr(struct parser *p, bool as_bf16, struct npy_header *header)
{
	const char *text;
	size_t length;

	skip_space(p);
	if (p->at < p->end && (*p->at == '[' || *p->at == '('))
		return refuse_structure(p);
	return parse_string(p, &text, &length) && decode_descr(text, length, as_bf16, header, p->reason);
}

static bool parse_fortran_order(struct parser *p, bool as_bf16, struct npy_header *header)
{
	(void)as_bf16;
	header->fortran_order = accept_word(p, "True");
	if (!header->fortran_order && !accept_word(p, "False"))
		return malformed(p, "True or False");
	return true;
}

/* A length: decimal, without leading zeros; Python 2 may have written 3L. */
static bool parse_length(struct parser *p, int64_t *length)
{
	const char *first;
	int64_t n = 0;

	if (accept(p, '-'))
		return refuse(p->reason, "shape has a negative length");
	for (first = p->at; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
		const int digit = *p->at - '0';

		if (n > (INT64_MAX - digit) / 10)
			return refuse(p->reason, "shape has a length of more than 2^63 - 1");
		n = n * 10 + digit;
	}
	if (p->at == first || (*first == '0' && p->at - first > 1))
		return malformed(p, "a length");
	if (p->at < p->end && *p->at == 'L')
		p->at++;
	*length = n;
	return true;
}

/* A tuple: (), (3,), (2, 3), (2, 3,), but not (3), which Python takes for a number. */
static bool parse_shape(struct parser *p, bool as_bf16, struct npy_header *header)
{
	bool comma = true;

	(void)as_bf16;
	header->rank = 0;
	if (!accept(p, '('))
		return malformed(p, "a tuple");
	while (!accept(p, ')')) {
		if (!comma)
			return malformed(p, "',' or ')'");
		if (header->rank == RSTD_MAX_RANK)
			return refuse(p->reason, "shape has more than %d axes", RSTD_MAX_RANK);
		if (!parse_length(p, &header->shape[header->rank++]))
			return false;
		comma = accept(p, ',');
	}
	if (header->rank == 1 && !comma)
		return refuse(p->reason, "shape (%lld) is a number, not a tuple", (long long)header->shape[0]);
	return true;
}

static const struct {
	const char *name;
	bool (*parse_value)(struct parser *p, bool as_bf16, struct npy_header *header);
} header_keys[] = {
	{ "descr", parse_descr },
	{ "fortran_order", parse_fortran_order },
	{ "shape", parse_shape },
};

#define KEY_COUNT (sizeof(header_keys) / sizeof(header_keys[0]))

static bool parse_item(struct parser *p, bool as_bf16, bool seen[KEY_COUNT], struct npy_header *header)
{
	char shown[EXCERPT_SIZE];
	const char *name;
	size_t length, i;

	if (!parse_string(p, &name, &length))
		return false;
	for (i = 0; i < KEY_COUNT; i++)
		if (strlen(header_keys[i].name) == length && memcmp(header_keys[i].name, name, length) == 0)
			break;
	if (i == KEY_COUNT)
		return refuse(p->reason, "header has the unknown key '%s'", excerpt(shown, name, length));
	if (seen[i])
		return refuse(p->reason, "header has the key '%s' twice", header_keys[i].name);
	seen[i] = true;
	if (!accept(p, ':'))
		return malformed(p, "':'");
	return header_keys[i].parse_value(p, as_bf16, header);
}

bool rstd__npy_parse_header(const char *text, size_t length, bool as_bf16, struct npy_header *header,
                            char reason[NPY_REASON_SIZE])
{
	struct parser p = { text, text, text + length, reason };
	bool seen[KEY_COUNT] = { false }, comma = true;

	*header = (struct npy_header){ .rank = 0 };
	if (length == 0 || text[length - 1] != '\n')
		return refuse(reason, "header does not end with a newline");
	if (!accept(&p, '{'))
		return malformed(&p, "'{'");
	while (!accept(&p, '}')) {
		if (!comma)
			return malformed(&p, "',' or '}'");
		if (!parse_item(&p, as_bf16, seen, header))
			return false;
		comma = accept(&p, ',');
	}
	skip_space(&p);
	if (p.at != p.end)
		return malformed(&p, "nothing after the dictionary");
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (!seen[i])
			return refuse(reason, "header lacks the key '%s'", header_keys[i].name);
	return true;
}

/* The bytes of data that a shape needs. Lengths of 0 do not hide others that are too large; nor do they for numpy. */
static bool data_size(const struct npy_header *header, size_t *size, char *reason)
{
	int64_t bytes = (int64_t)size_of(header->dtype);
	char shape[NPY_SHAPE_SIZE];
	bool empty = false;

	for (size_t i = 0; i < header->rank; i++) {
		if (header->shape[i] == 0)
			empty = true;
		else if (bytes > INT64_MAX / header->shape[i])
			return refuse(reason, "shape %s is too large",
			              rstd__npy_format_shape(shape, header->shape, header->rank));
		else
			bytes *= header->shape[i];
	}
	*size = empty ? 0 : (size_t)bytes;
	return true;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/*
 * Maps what a regular file holds from the descriptor's position on. Without a mapping the file will be read: it is a
 * pipe, or has no size (as in /proc), or its file system maps nothing.
 */
static void map_file(struct npy_array *array, int fd)
{
	const off_t start = lseek(fd, 0, SEEK_CUR);
	struct stat status;
	void *mapping;

	if (start < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= start)
		return;
	mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapping == MAP_FAILED)
		return;
	array->mapping = mapping;
	array->mapping_size = (size_t)status.st_size;
	array->bytes = (unsigned char *)mapping + start;
	array->size = (size_t)(status.st_size - start);
}

/* Makes room: twice what has arrived, or a chunk to begin with, but never more than total. */
static bool grow(struct npy_array *array, size_t total, size_t *capacity, char *reason)
{
	size_t wanted = array->size < FIRST_CHUNK / 2 ? FIRST_CHUNK : array->size * 2;
	unsigned char *bytes;

	if (wanted > total)
		wanted = total;
	bytes = realloc(array->bytes, wanted);
	if (!bytes)
		return refuse(reason, "no memory for %zu bytes", wanted);
	array->bytes = bytes;
	*capacity = wanted;
	return true;
}

/* Reads until the first total bytes are there, or the file ends. False only when reading fails. */
static bool fill(struct npy_array *array, int fd, size_t total, char *reason)
{
	size_t capacity = array->size;

	if (array->mapping)
		return true;
	while (array->size < total) {
		ssize_t got;

		if (array->size == capacity && !grow(array, total, &capacity, reason))
			return false;
		got = read(fd, array->bytes + array->size, capacity - array->size);
		if (got == 0)
			return true;
		if (got > 0)
			array->size += (size_t)got;
		else if (errno != EINTR)
			return refuse(reason, "cannot be read: %s", strerror(errno));
	}
	return true;
}

/* Magic, version and length: *data_at is where the data begins, *text_at where the dictionary does. */
static bool read_preamble(struct npy_array *array, int fd, size_t *text_at, size_t *data_at, char *reason)
{
	size_t length = 0;
	unsigned major, minor;

	if (!fill(array, fd, LENGTH_AT, reason))
		return false;
	if (array->size == 0)
		return refuse(reason, "is empty");
	if (array->size < MAGIC_SIZE || memcmp(array->bytes, MAGIC, MAGIC_SIZE) != 0)
		return refuse(reason, "is not a .npy file: it does not begin with \\x93NUMPY");
	if (array->size < LENGTH_AT)
		return refuse(reason, "ends within the header, after %zu bytes", array->size);
	major = array->bytes[MAGIC_SIZE];
	minor = array->bytes[MAGIC_SIZE + 1];
	if (major < 1 || major > 3 || minor != 0)
		return refuse(reason, ".npy version is %u.%u, known are 1.0, 2.0 and 3.0", major, minor);
	*text_at = LENGTH_AT + (major == 1 ? 2 : 4);
	if (!fill(array, fd, *text_at, reason))
		return false;
	if (array->size < *text_at)
		return refuse(reason, "ends within the header, after %zu bytes", array->size);
	for (size_t i = *text_at; i-- > LENGTH_AT;)
		length = length << 8 | array->bytes[i];
	*data_at = *text_at + length;
	if (!fill(array, fd, *data_at, reason))
		return false;
	if (array->size < *data_at)
		return refuse(reason,
		              "header of %zu bytes runs past the end of the file, which has %zu after its start",
		              length, array->size - *text_at);
	return true;
}

/* Turns the bytes of each element round, in our own copy of the pages. */
static bool swap_bytes(struct npy_array *array, unsigned char *data, size_t size, size_t element, char *reason)
{
	if (array->mapping && mprotect(array->mapping, array->mapping_size, PROT_READ | PROT_WRITE) != 0)
		return refuse(reason, "no memory to swap the byte order: %s", strerror(errno));
	if (element == 4)
		for (size_t i = 0; i < size; i += 4) {
			uint32_t word;

			memcpy(&word, data + i, 4);
			word = __builtin_bswap32(word);
			memcpy(data + i, &word, 4);
		}
	else
		for (size_t i = 0; i < size; i += 2) {
			uint16_t word;

			memcpy(&word, data + i, 2);
			word = __builtin_bswap16(word);
			memcpy(data + i, &word, 2);
		}
	return true;
}

/* The view of an array whose size data_size() has found to fit. */
static void make_view(rstd_tensor *view, void *data, const struct npy_header *header)
{
	int64_t stride = 1;

	*view = (rstd_tensor){ .data = data, .dtype = header->dtype, .rank = header->rank };
	for (size_t i = 0; i < header->rank; i++) {
		const size_t axis = header->fortran_order ? i : header->rank - 1 - i;

		view->shape[axis] = header->shape[axis];
		view->strides[axis] = stride;
		stride *= header->shape[axis] > 0 ? header->shape[axis] : 1;
	}
}

static bool read_array(struct npy_array *array, int fd, bool as_bf16, char *reason)
{
	char shape[NPY_SHAPE_SIZE];
	struct npy_header header;
	size_t text_at = 0, data_at = 0, size = 0;

	map_file(array, fd);
	if (!read_preamble(array, fd, &text_at, &data_at, reason) ||
	    !rstd__npy_parse_header((const char *)array->bytes + text_at, data_at - text_at, as_bf16, &header,
	                            reason) ||
	    !data_size(&header, &size, reason) || !fill(array, fd, data_at + size, reason))
		return false;
	if (array->size - data_at < size)
		return refuse(reason, "shape %s needs %zu bytes of data, the file has %zu",
		              rstd__npy_format_shape(shape, header.shape, header.rank), size, array->size - data_at);
	if (header.swapped && !swap_bytes(array, array->bytes + data_at, size, size_of(header.dtype), reason))
		return false;
	make_view(&array->view, array->bytes + data_at, &header);
	return true;
}

bool rstd__npy_open(struct npy_array *array, const char *path, bool as_bf16, char reason[NPY_REASON_SIZE])
{
	const bool standard = strcmp(path, "-") == 0;
	const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool ok;

	*array = (struct npy_array){ .bytes = NULL };
	if (fd < 0)
		return refuse(reason, "cannot be opened: %s", strerror(errno));
	ok = read_array(array, fd, as_bf16, reason);
	if (!standard)
		close(fd);
	if (!ok)
		rstd__npy_close(array);
	return ok;
}

void rstd__npy_close(struct npy_array *array)
{
	if (array->mapping)
		munmap(array->mapping, array->mapping_size);
	else
		free(array->bytes);
	*array = (struct npy_array){ .bytes = NULL };
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static bool write_all(int fd, const void *data, size_t size, char *reason)
{
	const char *at = data;

	while (size > 0) {
		const ssize_t written = write(fd, at, size);

		if (written >= 0) {
			at += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			return refuse(reason, "cannot be written: %s", strerror(errno));
		}
	}
	return true;
}

bool rstd__npy_write(int fd, const rstd_tensor *tensor, char reason[NPY_REASON_SIZE])
{
	static const char *const types[] = { [RSTD_F32] = "f4", [RSTD_F16] = "f2", [RSTD_BF16] = "V2" };
	enum { TEXT_AT = LENGTH_AT + 2, ALIGNMENT = 64 };
	char header[TEXT_AT + 128 + NPY_SHAPE_SIZE], shape[NPY_SHAPE_SIZE];
	size_t size = size_of(tensor->dtype), used, end;

	for (size_t i = 0; i < tensor->rank; i++)
		size *= (size_t)tensor->shape[i];
	used = TEXT_AT + (size_t)snprintf(header + TEXT_AT, sizeof(header) - TEXT_AT,
	                                  "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }", NATIVE_ORDER,
	                                  types[tensor->dtype],
	                                  rstd__npy_format_shape(shape, tensor->shape, tensor->rank));
	/* Spaces, then a newline, so that the data begins at a multiple of 64 bytes. */
	end = (used + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	memset(header + used, ' ', end - used);
	header[end - 1] = '\n';
	memcpy(header, MAGIC "\x01\x00", LENGTH_AT);
	header[LENGTH_AT] = (char)((end - TEXT_AT) & 0xFF);
	header[LENGTH_AT + 1] = (char)((end - TEXT_AT) >> 8);
	return write_all(fd, header, end, reason) && write_all(fd, tensor->data, size, reason);
}
