/*
 * graph.c - the subcommands for graphs: models to graphs, graphs to text, feeds to results
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "cli/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/outfile.h"
#include "cli/print.h"
#include "io/npy.h"
#include "rstd/graph.h"

#define CHUNK ((size_t)1 << 16)

/* ---- Models --------------------------------------------------------------------------------------------------- */

static const char *display_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* What the engine found wrong, in one line: its messages without their head and line ends. */
static enum exit_status complain_engine(const char *about)
{
	const char *errors = rstd_ge_take_errors(), *head = strstr(errors, "): ");
	char line[1024];
	size_t used = 0;

	for (const char *c = head ? head + 3 : errors; *c && used + 3 < sizeof(line);) {
		const size_t length = strcspn(c, "\n"), blanks = strspn(c, " ");
		const char *text = c + (blanks < length ? blanks : length);

		if (length > blanks && strncmp(text, "TraceBack", 9) != 0)
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%.*s", used > 0 ? "; " : "",
			                         (int)(length - blanks), text);
		if (used >= sizeof(line))
			used = sizeof(line) - 1;
		c += length + (c[length] == '\n');
	}
	line[used] = '\0';
	rstd__complain("%s: %s", display_name(about), line);
	return STATUS_DATA;
}

/* All of standard input; NULL when that fails, which has then been said. A model has at most INT32_MAX bytes. */
static unsigned char *read_input(size_t *size)
{
	size_t capacity = 0;
	unsigned char *bytes = NULL;
	ssize_t got;

	*size = 0;
	do {
		if (*size == capacity) {
			unsigned char *grown;

			capacity = capacity > 0 ? 2 * capacity : CHUNK;
			grown = capacity <= (size_t)INT32_MAX + 1 ? realloc(bytes, capacity) : NULL;
			if (!grown) {
				free(bytes);
				rstd__complain("standard input: no memory for what is read");
				return NULL;
			}
			bytes = grown;
		}
		got = read(STDIN_FILENO, bytes + *size, capacity - *size);
		if (got > 0)
			*size += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		rstd__complain("standard input: cannot be read: %s", strerror(errno));
		free(bytes);
		return NULL;
	}
	return bytes;
}

static enum exit_status load_input(rstd_graph *graph)
{
	size_t size;
	unsigned char *bytes = read_input(&size);
	rstd_ge_status status;

	if (!bytes)
		return STATUS_DATA;
	status = rstd_graph_load_memory(graph, bytes, size);
	free(bytes);
	return status == RSTD_GE_SUCCESS ? STATUS_OK : complain_engine("-");
}

/* *graph: a new reference, also when the model does not load; NULL when there is no memory for any. */
static enum exit_status load(const char *path, rstd_graph **graph)
{
	*graph = rstd_graph_new("");
	if (!*graph)
		return complain_engine(path);
	if (strcmp(path, "-") == 0)
		return load_input(*graph);
	return rstd_graph_load_file(*graph, path) == RSTD_GE_SUCCESS ? STATUS_OK : complain_engine(path);
}

/* ---- Sessions ------------------------------------------------------------------------------------------------- */

/* A session that has the graph as number 0; NULL when that fails, which has then been said. */
static rstd_session *open_session(const struct request *r, rstd_graph *graph)
{
	const rstd_option fusion = { "rstd.fusion", r->fusion };
	rstd_session *session = NULL;

	if (rstd_ge_initialize(NULL, 0) == RSTD_GE_SUCCESS)
		session = rstd_session_new(&fusion, 1);
	if (session && rstd_session_add_graph(session, 0, graph, NULL, 0) == RSTD_GE_SUCCESS)
		return session;
	(void)complain_engine(r->input);
	rstd_session_destroy(session);
	return NULL;
}

/* The node that takes the feed of an index; NULL when there is none. A session has numbered them. */
static rstd_op *find_data(const rstd_graph *graph, size_t index)
{
	for (size_t i = 0; i < rstd_graph_node_count(graph); i++) {
		rstd_op *op = rstd_node_op(rstd_graph_node_at(graph, i));
		const rstd_value *value = rstd_attrs_get(rstd_op_attrs(op), "index");

		if (strcmp(rstd_op_type(op), "Data") == 0 &&
		    (value && value->kind == RSTD_VALUE_INT ? value->as.i : 0) == (int64_t)index)
			return op;
	}
	return NULL;
}

static size_t count_data(const rstd_graph *graph)
{
	size_t count = 0;

	while (find_data(graph, count))
		count++;
	return count;
}

/* ---- graph show ----------------------------------------------------------------------------------------------- */

static void print_dims(const int64_t *dims, size_t rank)
{
	putchar('{');
	for (size_t i = 0; i < rank; i++)
		printf("%s%" PRId64, i > 0 ? ", " : "", dims[i]);
	putchar('}');
}

/* Output 0 has the name of its node, as in the readable form. */
static void print_output_name(const rstd_op *op, size_t output)
{
	printf("%s", rstd_op_name(op));
	if (output > 0)
		printf("_%zu", output);
}

/* A desc that nobody has set, nor inference, says nothing. */
static void print_shapes(const rstd_graph *graph)
{
	printf("\nShapes:\n");
	for (size_t i = 0; i < rstd_graph_node_count(graph); i++) {
		const rstd_op *op = rstd_node_op(rstd_graph_node_at(graph, i));

		for (size_t k = 0; k < rstd_op_output_count(op); k++) {
			rstd_desc desc;

			if (rstd_op_get_output_desc(op, k, &desc) != RSTD_GE_SUCCESS)
				continue;
			printf("  %%");
			print_output_name(op, k);
			printf(" : ");
			if (!desc.has_shape) {
				printf("unknown\n");
				continue;
			}
			printf("%s ", rstd_ge_dtype_name(desc.dtype));
			print_dims(desc.dims, desc.rank);
			putchar('\n');
		}
	}
}

static bool is_known(const rstd_desc *desc)
{
	for (size_t i = 0; i < desc->rank; i++)
		if (desc->dims[i] < 0)
			return false;
	return desc->has_shape;
}

static void print_fusions(rstd_session *session)
{
	char *fusion;
	bool keeps_bits;

	size_t count = 0;

	while ((fusion = rstd_session_fusion(session, 0, count, &keeps_bits))) {
		printf("%s  %s%s\n", count++ > 0 ? "" : "\nFused:\n", fusion,
		       keeps_bits ? "" : " (not bit for bit what the nodes alone give)");
		rstd_graph_free(fusion);
	}
	if (count == 0)
		printf("\nFused: nothing\n");
}

/* Compiles the graph for the shapes that its Data nodes declare, where they declare all. */
static enum exit_status show_fusions(const struct request *r, rstd_graph *graph)
{
	rstd_session *session = open_session(r, graph);
	enum exit_status exit_status = session ? STATUS_OK : STATUS_DATA;
	const size_t count = session ? count_data(graph) : 0;
	rstd_ge_tensor *feeds = calloc(count + 1, sizeof(*feeds));
	bool known = true;

	for (size_t i = 0; feeds && i < count; i++) {
		feeds[i] = (rstd_ge_tensor){ RSTD_DESC_DEFAULT, NULL, 0 };
		known &= rstd_op_get_output_desc(find_data(graph, i), 0, &feeds[i].desc) == RSTD_GE_SUCCESS &&
		         is_known(&feeds[i].desc);
	}
	if (!feeds) {
		rstd__complain("%s: no memory for %zu feeds", display_name(r->input), count);
		exit_status = STATUS_DATA;
	} else if (session && !known) {
		printf("\nFused: depends on the shapes of the feeds\n");
	} else if (session && rstd_session_build(session, 0, feeds, count) != RSTD_GE_SUCCESS) {
		exit_status = complain_engine(r->input);
	} else if (session) {
		print_fusions(session);
	}
	free(feeds);
	rstd_session_destroy(session);
	return exit_status;
}

static enum exit_status print_graph(const struct request *r, const rstd_graph *graph)
{
	const bool readable = !r->format || strcmp(r->format, "readable") == 0;
	const rstd_dump_format format = readable                         ? RSTD_DUMP_READABLE
	                                : strcmp(r->format, "onnx") == 0 ? RSTD_DUMP_ONNX
	                                                                 : RSTD_DUMP_TXT;
	char *text;
	size_t size;

	if (rstd_graph_dump_memory(graph, format, &text, &size) != RSTD_GE_SUCCESS)
		return complain_engine(r->input);
	(void)fwrite(text, 1, size, stdout);
	rstd_graph_free(text);
	if (readable)
		print_shapes(graph);
	return STATUS_OK;
}

enum exit_status rstd__graph_show(const struct request *request)
{
	const bool readable = !request->format || strcmp(request->format, "readable") == 0;
	rstd_graph *graph;
	enum exit_status exit_status = load(request->input, &graph);

	if (exit_status == STATUS_OK && rstd_graph_infer(graph) != RSTD_GE_SUCCESS) {
		(void)print_graph(request, graph); /* as far as it goes */
		exit_status = complain_engine(request->input);
	} else if (exit_status == STATUS_OK) {
		exit_status = print_graph(request, graph);
		if (exit_status == STATUS_OK && readable)
			exit_status = show_fusions(request, graph);
	}
	rstd_graph_unref(graph);
	return exit_status;
}

/* ---- graph run: feeds ----------------------------------------------------------------------------------------- */

/* All that a run holds. */
struct run {
	const struct request *request;
	rstd_graph *graph;
	rstd_session *session;
	struct npy_array arrays[OUTFILE_MAX];
	void *copies[OUTFILE_MAX]; /* of arrays that are not row-major; NULL of others */
	rstd_ge_tensor feeds[OUTFILE_MAX];
	rstd_results *results;
	rstd_tensor outputs[OUTFILE_MAX];
};

static int32_t engine_dtype(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? RSTD_DT_FLOAT : dtype == RSTD_F16 ? RSTD_DT_FLOAT16 : RSTD_DT_BF16;
}

static size_t count_elements(const rstd_tensor *tensor)
{
	size_t count = 1;

	for (size_t i = 0; i < tensor->rank; i++)
		count *= (size_t)tensor->shape[i];
	return count;
}

/* Copies the elements of a view one by one, in row-major order. */
static void copy_elements(const rstd_tensor *from, size_t size, unsigned char *to)
{
	const size_t count = count_elements(from);
	int64_t at[RSTD_MAX_RANK] = { 0 };

	for (size_t i = 0; i < count; i++) {
		int64_t offset = 0;

		for (size_t a = 0; a < from->rank; a++)
			offset += at[a] * from->strides[a];
		memcpy(to + i * size, (const unsigned char *)from->data + offset * (int64_t)size, size);
		for (size_t a = from->rank; a-- > 0 && ++at[a] == from->shape[a];)
			at[a] = 0;
	}
}

static bool is_row_major(const rstd_tensor *tensor)
{
	int64_t stride = 1;

	for (size_t a = tensor->rank; a-- > 0; stride *= tensor->shape[a])
		if (tensor->strides[a] != stride && tensor->shape[a] != 1)
			return false;
	return true;
}

/* An array as the engine takes it: row-major. */
static enum exit_status make_feed(struct run *run, size_t i)
{
	const rstd_tensor *view = &run->arrays[i].view;
	const size_t element = view->dtype == RSTD_F32 ? 4 : 2, size = count_elements(view) * element;
	rstd_ge_tensor *feed = &run->feeds[i];

	*feed = (rstd_ge_tensor){ RSTD_DESC_DEFAULT, view->data, size };
	feed->desc.dtype = engine_dtype(view->dtype);
	feed->desc.rank = view->rank;
	feed->desc.dims = view->shape;
	if (size == 0 || is_row_major(view))
		return STATUS_OK;
	run->copies[i] = malloc(size);
	if (!run->copies[i]) {
		rstd__complain("%s: no memory for a copy of %zu bytes", display_name(run->request->feeds.list[i]),
		               size);
		return STATUS_DATA;
	}
	copy_elements(view, element, run->copies[i]);
	feed->data = run->copies[i];
	return STATUS_OK;
}

static enum exit_status open_feed(struct run *run, size_t i)
{
	const char *path = run->request->feeds.list[i];
	char reason[NPY_REASON_SIZE], again[NPY_REASON_SIZE];

	if (rstd__npy_open(&run->arrays[i], path, run->request->as_bf16, reason))
		return make_feed(run, i);
	/* With --dtype bf16, feeds of float32 are what they are. */
	if (run->request->as_bf16 && strcmp(path, "-") != 0 && rstd__npy_open(&run->arrays[i], path, false, again)) {
		if (run->arrays[i].view.dtype == RSTD_F32)
			return make_feed(run, i);
		rstd__npy_close(&run->arrays[i]);
	}
	rstd__complain("%s: %s", display_name(path), reason);
	return STATUS_DATA;
}

/* The graph must want as many as there are. */
static enum exit_status check_feeds(const struct run *run)
{
	const size_t wanted = count_data(run->graph), given = run->request->feeds.count;
	char names[512] = "";

	if (wanted == given)
		return STATUS_OK;
	for (size_t i = 0, used = 0; i < wanted && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : ": ",
		                         rstd_op_name(find_data(run->graph, i)));
	rstd__complain("--feed: %zu given, the graph takes %zu%s", given, wanted, names);
	return STATUS_USAGE;
}

/* ---- graph run: results --------------------------------------------------------------------------------------- */

static rstd_dtype file_dtype(int32_t dtype)
{
	return dtype == RSTD_DT_FLOAT     ? RSTD_F32
	       : dtype == RSTD_DT_FLOAT16 ? RSTD_F16
	       : dtype == RSTD_DT_BF16    ? RSTD_BF16
	                                  : (rstd_dtype)0;
}

static enum exit_status take_output(struct run *run, size_t i)
{
	union {
		const void *in;
		void *out;
	} data;
	rstd_ge_tensor tensor;

	if (!rstd_results_get(run->results, i, &tensor))
		return STATUS_OK;
	data.in = tensor.data;
	if (file_dtype(tensor.desc.dtype) &&
	    rstd_tensor_contiguous(&run->outputs[i], data.out, file_dtype(tensor.desc.dtype), tensor.desc.rank,
	                           tensor.desc.dims) == RSTD_OK)
		return STATUS_OK;
	rstd__complain("%s: result %zu is %s, which can be neither printed nor written",
	               display_name(run->request->input), i, rstd_ge_dtype_name(tensor.desc.dtype));
	return STATUS_DATA;
}

static enum exit_status check_outputs(const struct run *run)
{
	const size_t returned = rstd_graph_output_count(run->graph), named = run->request->results.count;

	if (returned > OUTFILE_MAX) {
		rstd__complain("%s: returns %zu results, at most %d are allowed here",
		               display_name(run->request->input), returned, OUTFILE_MAX);
		return STATUS_DATA;
	}
	if (named <= returned)
		return STATUS_OK;
	rstd__complain("--output: given %zu times, the graph returns %zu", named, returned);
	return STATUS_USAGE;
}

/* Those without a file, unless an array goes to standard output. */
static void print_outputs(const struct run *run)
{
	const struct files *files = &run->request->results;
	const size_t count = rstd_graph_output_count(run->graph);

	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->list[i], "-") == 0)
			return;
	for (size_t i = files->count; i < count; i++) {
		size_t output = 0;
		const rstd_node *node = rstd_graph_output_at(run->graph, i, &output);

		if (count > 1) {
			print_output_name(rstd_node_op(node), output);
			printf(":\n");
		}
		rstd__print_tensor(stdout, &run->outputs[i]);
	}
}

static void report(const struct run *run, double seconds)
{
	rstd_graph_stats stats;

	rstd__report(seconds);
	if (rstd_session_stats(run->session, 0, &stats) == RSTD_GE_SUCCESS)
		rstd__complain("nodes %zu, steps %zu, views %zu, fusions %zu, workspace %zu bytes", stats.nodes,
		               stats.steps, stats.views, stats.fusions, stats.workspace);
}

static enum exit_status compute(struct run *run)
{
	const double start = rstd__now();
	enum exit_status exit_status = STATUS_OK;

	if (rstd_session_run(run->session, 0, run->feeds, run->request->feeds.count, &run->results) != RSTD_GE_SUCCESS)
		return complain_engine(run->request->input);
	if (run->request->verbose)
		report(run, rstd__now() - start);
	for (size_t i = 0; i < rstd_results_count(run->results) && exit_status == STATUS_OK; i++)
		exit_status = take_output(run, i);
	return exit_status;
}

static enum exit_status run_steps(struct run *run)
{
	const struct request *r = run->request;
	enum exit_status exit_status = load(r->input, &run->graph);

	if (exit_status != STATUS_OK)
		return exit_status;
	run->session = open_session(r, run->graph);
	if (!run->session)
		return STATUS_DATA;
	exit_status = check_feeds(run);
	if (exit_status == STATUS_OK)
		exit_status = check_outputs(run);
	for (size_t i = 0; i < r->feeds.count && exit_status == STATUS_OK; i++)
		exit_status = open_feed(run, i);
	if (exit_status == STATUS_OK)
		exit_status = compute(run);
	if (exit_status == STATUS_OK && !rstd__outfile_save(r->results.list, run->outputs, r->results.count))
		exit_status = STATUS_DATA;
	if (exit_status == STATUS_OK)
		print_outputs(run);
	return exit_status;
}

enum exit_status rstd__graph_run(const struct request *request)
{
	struct run run = { .request = request };
	const enum exit_status exit_status = run_steps(&run);

	rstd_results_free(run.results);
	rstd_session_destroy(run.session);
	rstd_graph_unref(run.graph);
	for (size_t i = 0; i < OUTFILE_MAX; i++) {
		rstd__npy_close(&run.arrays[i]);
		free(run.copies[i]);
	}
	return exit_status;
}
