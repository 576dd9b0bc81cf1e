/*
 * files.c - graphs in memory and files: .air models, and dumps as text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names of files are those of CANN (ge, aclgrphDumpGraph and Graph::DumpToFile).
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cann/ge/message.h"
#include "cann/ge/model.h"
#include "cann/ge/onnx.h"
#include "cann/ge/prototext.h"
#include "cann/ge/readable.h"

/* What protobuf's own readers allow. */
#define MAX_DEPTH 100
/* A protobuf message is never larger. */
#define MAX_BYTES ((size_t)INT32_MAX)

/* ---- .air in memory ------------------------------------------------------------------------------------------- */

/* Operators name their subgraphs. */
static rstd_ge_status check_names(const struct rstd__family *family)
{
	for (size_t i = 1; i < family->count; i++)
		for (size_t k = 1; k < i; k++)
			if (strcmp(family->at[i]->name, family->at[k]->name) == 0)
				return rstd__ge_fail("graph %s: two of its subgraphs are named %s, and cannot be saved",
				                     family->at[0]->name, family->at[i]->name);
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_graph_save_memory(const rstd_graph *graph, void **bytes, size_t *size)
{
	struct rstd__arena arena = { NULL, 0 };
	const Ge__Proto__ModelDef *model = NULL;
	struct rstd__family family;
	uint8_t *packed = NULL;
	size_t length = 0;
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (!graph || !bytes || !size)
		return RSTD_GE_NULL_PTR;
	if (!graph->valid)
		return rstd__ge_fail("graph %s: has not been built, and cannot be saved", graph->name);
	if (rstd__family_of(graph, &family, &arena)) {
		status = check_names(&family);
		if (status == RSTD_GE_SUCCESS)
			model = rstd__model_write(&family, true, &arena);
	}
	if (model) {
		length = ge__proto__model_def__get_packed_size(model);
		packed = length <= MAX_BYTES ? malloc(length > 0 ? length : 1) : NULL;
	}
	if (packed)
		(void)ge__proto__model_def__pack(model, packed);
	rstd__arena_free(&arena);
	if (status != RSTD_GE_SUCCESS)
		return status;
	if (length > MAX_BYTES)
		return rstd__ge_fail("graph %s: its model has %zu bytes, must have at most %zu", graph->name, length,
		                     MAX_BYTES);
	if (!packed)
		return rstd__ge_no_memory("a model");
	*bytes = packed;
	*size = length;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_graph_load_memory(rstd_graph *graph, const void *bytes, size_t size)
{
	Ge__Proto__ModelDef *model;
	rstd_graph *read;

	if (!graph || !bytes)
		return RSTD_GE_NULL_PTR;
	if (size > MAX_BYTES || !rstd__proto_is_plain(&ge__proto__model_def__descriptor, bytes, size, MAX_DEPTH))
		return rstd__ge_fail("the %zu bytes are no model: malformed, nested more than %d deep, or with a field "
		                     "given twice",
		                     size, MAX_DEPTH);
	model = ge__proto__model_def__unpack(NULL, size, bytes);
	if (!model)
		return rstd__ge_fail("the %zu bytes are no model: malformed, or too large for the memory", size);
	read = rstd__model_read(model);
	ge__proto__model_def__free_unpacked(model, NULL);
	if (!read)
		return RSTD_GE_FAILED;
	rstd__graph_swap(graph, read);
	rstd_graph_unref(read);
	return RSTD_GE_SUCCESS;
}

/* ---- Files ---------------------------------------------------------------------------------------------------- */

static rstd_ge_status fail_with_errno(const char *path, const char *what)
{
	return rstd__ge_fail("'%s' %s: %s", path, what, strerror(errno));
}

static bool write_all(int file, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t written = write(file, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

/* Only the owner may read it, as with CANN. */
static rstd_ge_status write_file(const char *path, const char *bytes, size_t size)
{
	const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	bool ok;

	if (file < 0)
		return fail_with_errno(path, "cannot be opened for writing");
	ok = write_all(file, bytes, size);
	ok = close(file) == 0 && ok;
	return ok ? RSTD_GE_SUCCESS : fail_with_errno(path, "cannot be written");
}

/* Makes the directories of a path. */
static rstd_ge_status make_directories(const char *path)
{
	char *copy = rstd__text_copy(path);
	rstd_ge_status status = copy ? RSTD_GE_SUCCESS : rstd__ge_no_memory("a path");

	for (char *c = copy; c && *c && status == RSTD_GE_SUCCESS; c++) {
		if (*c != '/' || c == copy)
			continue;
		*c = '\0';
		if (mkdir(copy, S_IRWXU | S_IRGRP | S_IXGRP) != 0 && errno != EEXIST)
			status = fail_with_errno(copy, "cannot be made as a directory");
		*c = '/';
	}
	free(copy);
	return status;
}

rstd_ge_status rstd_graph_save_file(const rstd_graph *graph, const char *path)
{
	void *bytes = NULL;
	size_t size = 0;
	rstd_ge_status status;

	if (!graph || !path)
		return RSTD_GE_NULL_PTR;
	status = rstd_graph_save_memory(graph, &bytes, &size);
	if (status == RSTD_GE_SUCCESS)
		status = make_directories(path);
	if (status == RSTD_GE_SUCCESS)
		status = write_file(path, bytes, size);
	free(bytes);
	return status;
}

static rstd_ge_status read_all(int file, const char *path, size_t size, unsigned char *bytes)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t got = read(file, bytes + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_with_errno(path, "cannot be read");
		if (got == 0)
			return rstd__ge_fail("'%s' became shorter while it was read", path);
		done += (size_t)got;
	}
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status load_open_file(rstd_graph *graph, int file, const char *path)
{
	struct stat about;
	unsigned char *bytes;
	rstd_ge_status status;

	if (fstat(file, &about) != 0)
		return fail_with_errno(path, "cannot be looked at");
	if (!S_ISREG(about.st_mode))
		return rstd__ge_fail("'%s' is not a regular file", path);
	if ((uintmax_t)about.st_size > MAX_BYTES)
		return rstd__ge_fail("'%s' has %jd bytes, a model has at most %zu", path, (intmax_t)about.st_size,
		                     MAX_BYTES);
	bytes = malloc(about.st_size > 0 ? (size_t)about.st_size : 1);
	if (!bytes)
		return rstd__ge_no_memory("a file");
	status = read_all(file, path, (size_t)about.st_size, bytes);
	if (status == RSTD_GE_SUCCESS)
		status = rstd_graph_load_memory(graph, bytes, (size_t)about.st_size);
	free(bytes);
	return status;
}

rstd_ge_status rstd_graph_load_file(rstd_graph *graph, const char *path)
{
	rstd_ge_status status;
	int file;

	if (!graph || !path)
		return RSTD_GE_NULL_PTR;
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* which a named pipe without a writer would wait at */
	if (file < 0)
		return fail_with_errno(path, "cannot be opened");
	status = load_open_file(graph, file, path);
	(void)close(file);
	return status;
}

/* ---- Text ----------------------------------------------------------------------------------------------------- */

/* CANN's switch for how much a dump holds: 1 is all. */
static bool dumps_all(void)
{
	const char *level = getenv("DUMP_GE_GRAPH");

	return level && strcmp(level, "1") == 0;
}

static bool print_model(struct rstd__text *text, const struct rstd__family *family, struct rstd__arena *arena)
{
	const Ge__Proto__ModelDef *model = rstd__model_write(family, false, arena);

	if (model)
		rstd__prototext(text, &model->base, &ge__proto__attr_entry__descriptor);
	return model != NULL;
}

static bool print_onnx(struct rstd__text *text, const struct rstd__family *family, struct rstd__arena *arena)
{
	const Ge__Onnx__ModelProto *model = rstd__onnx_write(family, dumps_all(), arena);

	if (model)
		rstd__prototext(text, &model->base, NULL);
	return model != NULL;
}

static void print_graph(struct rstd__text *text, const rstd_graph *graph, rstd_dump_format format)
{
	struct rstd__arena arena = { NULL, 0 };
	struct rstd__family family;
	bool ok = rstd__family_of(graph, &family, &arena);

	if (ok && format == RSTD_DUMP_TXT)
		ok = print_model(text, &family, &arena);
	else if (ok && format == RSTD_DUMP_ONNX)
		ok = print_onnx(text, &family, &arena);
	for (size_t i = 0; ok && format == RSTD_DUMP_READABLE && i < family.count; i++) {
		rstd__text_print(text, "%s", i > 0 ? "\n" : "");
		rstd__readable(text, family.at[i]);
	}
	text->failed |= !ok;
	rstd__arena_free(&arena);
}

rstd_ge_status rstd_graph_dump_memory(const rstd_graph *graph, rstd_dump_format format, char **text, size_t *size)
{
	struct rstd__text printed = { NULL, 0, 0, false };

	if (!graph || !text || !size)
		return RSTD_GE_NULL_PTR;
	if (format != RSTD_DUMP_ONNX && format != RSTD_DUMP_TXT && format != RSTD_DUMP_READABLE)
		return rstd__ge_fail_as(
			RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
			"graph %s: the format of a dump is %d, must be 0 (onnx), 1 (txt) or 2 (readable)", graph->name,
			(int)format);
	rstd__text_add(&printed, "", 0);
	print_graph(&printed, graph, format);
	if (printed.failed) {
		free(printed.bytes);
		return rstd__ge_no_memory("a dump");
	}
	*text = printed.bytes;
	*size = printed.size;
	return RSTD_GE_SUCCESS;
}

/* In a suffix, what would be another directory, or what shells and other systems refuse, becomes '_'. */
static void clean_suffix(char *suffix)
{
	for (; *suffix; suffix++)
		if (strchr("/\\:*?\"<>|", *suffix))
			*suffix = '_';
}

static rstd_ge_status dump_to(const rstd_graph *graph, rstd_dump_format format, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	rstd_ge_status status = rstd_graph_dump_memory(graph, format, &text, &size);

	if (status == RSTD_GE_SUCCESS)
		status = write_file(path, text, size);
	free(text);
	return status;
}

static const char *const format_names[] = { "onnx", "proto", "readable" };
static const char *const format_endings[] = { "pbtxt", "txt", "txt" };

/* Where files without a directory go: CANN's variables, else the working directory. */
static const char *dump_directory(void)
{
	static const char *const variables[] = { "NPU_COLLECT_PATH", "DUMP_GRAPH_PATH", "ASCEND_WORK_PATH" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *directory = getenv(variables[i]);

		if (directory && *directory)
			return directory;
	}
	return ".";
}

rstd_ge_status rstd_graph_dump_file(const rstd_graph *graph, rstd_dump_format format, const char *suffix)
{
	static atomic_uint files;
	struct rstd__arena arena = { NULL, 0 };
	rstd_ge_status status;
	char *clean, *path = NULL;

	if (!graph)
		return RSTD_GE_NULL_PTR;
	if (format != RSTD_DUMP_ONNX && format != RSTD_DUMP_TXT && format != RSTD_DUMP_READABLE)
		return dump_to(graph, format, "");
	clean = rstd__arena_print(&arena, "%s", rstd__name(suffix));
	if (clean) {
		clean_suffix(clean);
		path = rstd__arena_print(&arena, "%s/ge_%s_%08u_graph_%u_%s.%s", dump_directory(), format_names[format],
		                         atomic_fetch_add(&files, 1), graph->id, clean, format_endings[format]);
	}
	status = path ? dump_to(graph, format, path) : rstd__ge_no_memory("a path");
	rstd__arena_free(&arena);
	return status;
}

/* ---- aclgrphDumpGraph ----------------------------------------------------------------------------------------- */

/* The pair of files of one graph. Numbers count the files of either kind. */
static rstd_ge_status dump_pair(const rstd_graph *graph, uint32_t id, const char *directory, const char *suffix)
{
	static atomic_uint protos, onnxs;
	struct rstd__arena arena = { NULL, 0 };
	char *proto = rstd__arena_print(&arena, "%sge_proto_%05u_graph_%u_%s.txt", directory,
	                                atomic_fetch_add(&protos, 1), id, suffix);
	char *name =
		rstd__arena_print(&arena, "ge_onnx_%05u_graph_%u_%s.pbtxt", atomic_fetch_add(&onnxs, 1), id, suffix);
	/* The name alone is limited, to what file systems take. */
	char *onnx = name ? rstd__arena_print(&arena, "%s%.*s", directory, NAME_MAX, name) : NULL;
	rstd_ge_status status = proto && onnx ? RSTD_GE_SUCCESS : rstd__ge_no_memory("a path");

	if (status == RSTD_GE_SUCCESS)
		status = dump_to(graph, RSTD_DUMP_TXT, proto);
	if (status == RSTD_GE_SUCCESS)
		status = dump_to(graph, RSTD_DUMP_ONNX, onnx);
	rstd__arena_free(&arena);
	return status;
}

static rstd_ge_status dump_all(const rstd_graph *graph, const char *directory, const char *suffix)
{
	struct rstd__arena arena = { NULL, 0 };
	struct rstd__family family;
	rstd_ge_status status = dump_pair(graph, graph->id, directory, suffix);

	if (status == RSTD_GE_SUCCESS && !rstd__family_of(graph, &family, &arena))
		status = rstd__ge_no_memory("a list of graphs");
	for (size_t i = 1; status == RSTD_GE_SUCCESS && i < family.count; i++) {
		const char *name = rstd__arena_print(&arena, "%s_sub_graph_%zu", suffix, i - 1);

		status = name ? dump_pair(family.at[i], graph->id, directory, name) : rstd__ge_no_memory("a path");
	}
	rstd__arena_free(&arena);
	return status;
}

static rstd_ge_status refuse(const char *format, const char *file)
{
	return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error", format, file ? file : "NULL");
}

rstd_ge_status rstd_graph_dump(const rstd_graph *graph, const char *file, size_t length)
{
	struct rstd__arena arena = { NULL, 0 };
	char *path, *slash, *suffix;
	const char *directory = "./";
	rstd_ge_status status;
	struct stat about;

	if (!graph)
		return RSTD_GE_NULL_PTR;
	if (!file || !*file || length != strlen(file) || length > PATH_MAX)
		return refuse(
			"aclgrphDumpGraph: file is '%.200s', must be a name of at most PATH_MAX characters, and len "
			"their number",
			file);
	if (!graph->valid)
		return rstd__ge_fail("graph %s: has not been built, and cannot be dumped", graph->name);
	path = rstd__arena_print(&arena, "%s", file);
	if (!path)
		return rstd__ge_no_memory("a path");
	for (char *c = path; *c; c++)
		if (*c == '\\')
			*c = '/';
	slash = strrchr(path, '/');
	suffix = slash ? rstd__arena_print(&arena, "%s", slash + 1) : path;
	if (slash) {
		slash[1] = '\0';
		directory = path;
	}
	if (suffix && !*suffix)
		suffix = rstd__arena_print(&arena, "%s", *graph->name ? graph->name : "graph");
	if (!suffix) {
		status = rstd__ge_no_memory("a path");
	} else if (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode)) {
		status = refuse("aclgrphDumpGraph: '%.200s' is no directory", directory);
	} else {
		clean_suffix(suffix);
		status = dump_all(graph, directory, suffix);
	}
	rstd__arena_free(&arena);
	return status;
}
