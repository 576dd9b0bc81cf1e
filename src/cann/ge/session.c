/*
 * session.c - sessions: graphs by id, their compiled forms, and runs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L /* posix_memalign */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/form.h"
#include "cann/ge/message.h"

#define DEFAULT_SHAPES  8
#define MOST_SHAPES     1024
#define ARENA_ALIGNMENT 64

struct settings {
	enum rstd__fusion_level fusion;
	size_t shapes; /* forms that a graph keeps */
	bool dynamic;  /* "ge.jit_compile" is "0" or "2": dims that a Data declares must be those of its feed */
};

/* A graph of a session. */
struct entry {
	uint32_t id;
	rstd_graph *graph; /* a reference */
	struct settings settings;
	struct rstd__form **forms; /* most recently used first */
	size_t form_count, form_capacity;
	uint64_t compilations, runs;
};

struct rstd_session {
	pthread_mutex_t lock;
	pthread_cond_t idle; /* running has become false */
	bool dead, running;
	uint64_t id;
	struct settings settings;
	struct entry **entries;
	size_t entry_count, entry_capacity;
	unsigned char *arena; /* belongs to the run in progress */
	size_t arena_size;
	rstd_session *next, *previous;
};

/* All sessions that rstd_ge_finalize() must end. */
static struct {
	pthread_mutex_t lock;
	bool initialized;
	uint64_t last_id;
	struct settings settings;
	rstd_session *first;
} engine = { .lock = PTHREAD_MUTEX_INITIALIZER, .settings = { .fusion = RSTD__FUSE_EXACT, .shapes = DEFAULT_SHAPES } };

/* ---- Options ------------------------------------------------------------------------------------------------- */

static rstd_ge_status check_keys(const rstd_option *options, size_t count)
{
	if (count > 0 && !options)
		return RSTD_GE_NULL_PTR;
	for (size_t i = 0; i < count; i++)
		if (*rstd__name(options[i].key) == '\0')
			return rstd__ge_fail("options[%zu]: the key is empty", i);
	return RSTD_GE_SUCCESS;
}

static void ignored(const rstd_option *option, const char *allowed)
{
	rstd__ge_warn("option %s is %s, must be %s; it is ignored", option->key, rstd__name(option->value), allowed);
}

static void read_fusion(const rstd_option *option, struct settings *settings)
{
	static const char *const levels[] = {
		[RSTD__FUSE_NONE] = "none", [RSTD__FUSE_EXACT] = "exact", [RSTD__FUSE_ALL] = "all"
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		if (strcmp(rstd__name(option->value), levels[i]) != 0)
			continue;
		settings->fusion = (enum rstd__fusion_level)i;
		return;
	}
	ignored(option, "none, exact or all");
}

static void read_shapes(const rstd_option *option, struct settings *settings)
{
	char *end;
	const long shapes = strtol(rstd__name(option->value), &end, 10);

	if (*rstd__name(option->value) == '\0' || *end != '\0' || shapes < 1 || shapes > MOST_SHAPES)
		ignored(option, "a number from 1 to 1024");
	else
		settings->shapes = (size_t)shapes;
}

static void read_options(const rstd_option *options, size_t count, struct settings *settings)
{
	for (size_t i = 0; i < count; i++) {
		const char *key = rstd__name(options[i].key), *value = rstd__name(options[i].value);

		if (strcmp(key, "rstd.fusion") == 0)
			read_fusion(&options[i], settings);
		else if (strcmp(key, "rstd.shapes") == 0)
			read_shapes(&options[i], settings);
		else if (strcmp(key, "ge.jit_compile") == 0)
			settings->dynamic = strcmp(value, "0") == 0 || strcmp(value, "2") == 0;
		else if (strncmp(key, "ge.", 3) != 0)
			rstd__ge_warn("option %s is not known; it is ignored", key);
	}
}

/* ---- The engine ---------------------------------------------------------------------------------------------- */

rstd_ge_status rstd_ge_initialize(const rstd_option *options, size_t count)
{
	const rstd_ge_status status = check_keys(options, count);

	if (status != RSTD_GE_SUCCESS)
		return status;
	(void)pthread_mutex_lock(&engine.lock);
	if (!engine.initialized) {
		engine.settings = (struct settings){ .fusion = RSTD__FUSE_EXACT, .shapes = DEFAULT_SHAPES };
		read_options(options, count, &engine.settings);
	}
	engine.initialized = true;
	(void)pthread_mutex_unlock(&engine.lock);
	return RSTD_GE_SUCCESS;
}

bool rstd_ge_is_initialized(void)
{
	bool initialized;

	(void)pthread_mutex_lock(&engine.lock);
	initialized = engine.initialized;
	(void)pthread_mutex_unlock(&engine.lock);
	return initialized;
}

static void drop_forms(struct entry *entry)
{
	for (size_t i = 0; i < entry->form_count; i++)
		rstd__form_free(entry->forms[i]);
	entry->form_count = 0;
}

static void free_entry(struct entry *entry)
{
	drop_forms(entry);
	free(entry->forms);
	rstd_graph_unref(entry->graph);
	free(entry);
}

/* What a session holds, while its lock is held or nobody else can have it. */
static void free_contents(rstd_session *session)
{
	for (size_t i = 0; i < session->entry_count; i++)
		free_entry(session->entries[i]);
	free(session->entries);
	free(session->arena);
	session->entries = NULL;
	session->arena = NULL;
	session->entry_count = session->entry_capacity = session->arena_size = 0;
}

static void end_session(rstd_session *session)
{
	(void)pthread_mutex_lock(&session->lock);
	session->dead = true;
	while (session->running)
		(void)pthread_cond_wait(&session->idle, &session->lock);
	free_contents(session);
	(void)pthread_mutex_unlock(&session->lock);
}

rstd_ge_status rstd_ge_finalize(void)
{
	(void)pthread_mutex_lock(&engine.lock);
	engine.initialized = false;
	for (rstd_session *session = engine.first; session; session = session->next)
		end_session(session);
	(void)pthread_mutex_unlock(&engine.lock);
	return RSTD_GE_SUCCESS;
}

/* ---- Sessions ------------------------------------------------------------------------------------------------ */

static rstd_session *new_session(void)
{
	rstd_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	if (pthread_mutex_init(&session->lock, NULL) != 0) {
		free(session);
		return NULL;
	}
	if (pthread_cond_init(&session->idle, NULL) != 0) {
		(void)pthread_mutex_destroy(&session->lock);
		free(session);
		return NULL;
	}
	return session;
}

rstd_session *rstd_session_new(const rstd_option *options, size_t count)
{
	rstd_session *session = new_session();

	if (!session) {
		(void)rstd__ge_no_memory("a session");
		return NULL;
	}
	(void)pthread_mutex_lock(&engine.lock);
	session->dead = !engine.initialized || check_keys(options, count) != RSTD_GE_SUCCESS;
	if (!engine.initialized)
		(void)rstd__ge_fail("a session before GEInitialize, or after GEFinalize: its calls will fail");
	session->settings = engine.settings;
	if (!session->dead)
		read_options(options, count, &session->settings);
	session->id = engine.last_id++;
	session->next = engine.first;
	if (engine.first)
		engine.first->previous = session;
	engine.first = session;
	(void)pthread_mutex_unlock(&engine.lock);
	return session;
}

void rstd_session_destroy(rstd_session *session)
{
	if (!session)
		return;
	(void)pthread_mutex_lock(&engine.lock);
	if (session->previous)
		session->previous->next = session->next;
	else
		engine.first = session->next;
	if (session->next)
		session->next->previous = session->previous;
	(void)pthread_mutex_unlock(&engine.lock);
	free_contents(session);
	(void)pthread_cond_destroy(&session->idle);
	(void)pthread_mutex_destroy(&session->lock);
	free(session);
}

uint64_t rstd_session_id(const rstd_session *session)
{
	return session ? session->id : 0;
}

/* Takes the lock of a live session; else it is not held. */
static rstd_ge_status enter(rstd_session *session)
{
	if (!session)
		return RSTD_GE_NULL_PTR;
	(void)pthread_mutex_lock(&session->lock);
	if (!session->dead)
		return RSTD_GE_SUCCESS;
	(void)pthread_mutex_unlock(&session->lock);
	return rstd__ge_fail("session %" PRIu64 ": is dead: GEInitialize was not called before it, or GEFinalize was "
	                     "called after it",
	                     session->id);
}

static rstd_ge_status leave(rstd_session *session, rstd_ge_status status)
{
	(void)pthread_mutex_unlock(&session->lock);
	return status;
}

static struct entry *find_entry(const rstd_session *session, uint32_t id)
{
	for (size_t i = 0; i < session->entry_count; i++)
		if (session->entries[i]->id == id)
			return session->entries[i];
	return NULL;
}

static rstd_ge_status no_such_graph(uint32_t id)
{
	return rstd__ge_fail_as(RSTD_GE_GRAPH_NOT_EXIST, "E10062", "Invalid_Argument_Graph_Id",
	                        "the graph (graph_id=%" PRIu32 ") does not exist", id);
}

static rstd_ge_status busy(const rstd_session *session)
{
	return rstd__ge_fail("session %" PRIu64 ": a graph is running; a session runs one at a time", session->id);
}

/* ---- Graphs -------------------------------------------------------------------------------------------------- */

/* What GE writes on a graph that it has taken. */
static rstd_ge_status mark_graph(rstd_graph *graph, uint64_t session, uint32_t id)
{
	const rstd_value added = { .kind = RSTD_VALUE_BOOL, .as.b = true };
	rstd_value name = { .kind = RSTD_VALUE_STRING };
	char text[64];
	rstd_ge_status status;

	name.as.text.size = (size_t)snprintf(text, sizeof(text), "%" PRIu64 "_%" PRIu32, session, id);
	name.as.text.data = text;
	status = rstd__graph_number_data(graph);
	if (status == RSTD_GE_SUCCESS)
		status = rstd_attrs_set(&graph->attrs, "_session_graph_id", &name);
	if (status == RSTD_GE_SUCCESS)
		status = rstd_attrs_set(&graph->attrs, "_graph_has_been_added", &added);
	if (status == RSTD_GE_SUCCESS)
		graph->id = id;
	return status;
}

/* The session's lock is held, and id is free. */
static rstd_ge_status add_entry(rstd_session *session, uint32_t id, rstd_graph *graph, const struct settings *settings)
{
	struct entry **grown, *entry = calloc(1, sizeof(*entry));
	rstd_ge_status status;

	grown = rstd__grown(session->entries, &session->entry_capacity, session->entry_count + 1,
	                    sizeof(struct entry *));
	if (grown)
		session->entries = grown;
	if (!entry || !grown) {
		free(entry);
		return rstd__ge_no_memory("a graph of a session");
	}
	if (atomic_exchange(&graph->added, true)) {
		free(entry);
		return rstd__ge_fail("graph %s: has been added to a session already, as graph %" PRIu32, graph->name,
		                     graph->id);
	}
	status = mark_graph(graph, session->id, id);
	if (status != RSTD_GE_SUCCESS) {
		atomic_store(&graph->added, false);
		free(entry);
		return status;
	}
	entry->id = id;
	entry->graph = rstd_graph_ref(graph);
	entry->settings = *settings;
	session->entries[session->entry_count++] = entry;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status check_graph(const rstd_graph *graph)
{
	if (!graph)
		return RSTD_GE_NULL_PTR;
	if (!graph->valid || graph->nodes.count == 0)
		return rstd__ge_fail("graph %s: has not been built: SetInputs failed or was not called", graph->name);
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_session_add_graph(rstd_session *session, uint32_t id, rstd_graph *graph, const rstd_option *options,
                                      size_t count)
{
	struct settings settings;
	rstd_ge_status status = enter(session);

	if (status != RSTD_GE_SUCCESS)
		return status;
	if (find_entry(session, id)) {
		rstd__ge_warn("session %" PRIu64 ": graph %" PRIu32 " is there already; the new one is ignored",
		              session->id, id);
		return leave(session, RSTD_GE_SUCCESS);
	}
	status = check_graph(graph);
	if (status == RSTD_GE_SUCCESS)
		status = check_keys(options, count);
	if (status != RSTD_GE_SUCCESS)
		return leave(session, status == RSTD_GE_NULL_PTR ? status : RSTD_GE_FAILED);
	settings = session->settings;
	read_options(options, count, &settings);
	return leave(session, add_entry(session, id, graph, &settings));
}

rstd_ge_status rstd_session_add_graph_with_copy(rstd_session *session, uint32_t id, const rstd_graph *graph,
                                                const rstd_option *options, size_t count)
{
	rstd_ge_status status = enter(session);
	rstd_graph *copy;
	bool taken;

	if (status != RSTD_GE_SUCCESS)
		return status;
	taken = find_entry(session, id) != NULL;
	(void)leave(session, RSTD_GE_SUCCESS);
	if (taken)
		return rstd__ge_fail("session %" PRIu64 ": graph %" PRIu32 " is there already", session->id, id);
	status = check_graph(graph);
	if (status != RSTD_GE_SUCCESS)
		return status;
	copy = rstd_graph_new(graph->name);
	status = copy ? rstd_graph_copy_from(copy, graph) : RSTD_GE_FAILED;
	if (status == RSTD_GE_SUCCESS)
		status = rstd_session_add_graph(session, id, copy, options, count);
	rstd_graph_unref(copy);
	return status;
}

rstd_ge_status rstd_session_remove_graph(rstd_session *session, uint32_t id)
{
	rstd_ge_status status = enter(session);
	size_t i = 0;

	if (status != RSTD_GE_SUCCESS)
		return status;
	if (session->running)
		return leave(session, busy(session));
	while (i < session->entry_count && session->entries[i]->id != id)
		i++;
	if (i == session->entry_count) {
		(void)no_such_graph(id);
		return leave(session, RSTD_GE_FAILED);
	}
	free_entry(session->entries[i]);
	session->entry_count--;
	memmove(&session->entries[i], &session->entries[i + 1], (session->entry_count - i) * sizeof(struct entry *));
	return leave(session, RSTD_GE_SUCCESS);
}

/* ---- Feeds --------------------------------------------------------------------------------------------------- */

static bool is_data(const rstd_node *node)
{
	return strcmp(node->op->type, "Data") == 0;
}

static const rstd_desc *declared(const rstd_op *op)
{
	if (op->outputs.count > 0 && op->outputs.at[0].desc.desc.has_shape)
		return &op->outputs.at[0].desc.desc;
	return op->inputs.count > 0 ? &op->inputs.at[0].desc.desc : NULL;
}

/* With dynamic shapes, a Data keeps the dims that it declares. */
static rstd_ge_status check_declared(const rstd_op *op, const rstd_desc *feed)
{
	const rstd_desc *desc = declared(op);
	bool has_unknown = false;

	for (size_t i = 0; desc && i < desc->rank; i++) {
		has_unknown |= desc->dims[i] < 0;
		if (desc->dims[i] == -2)
			return RSTD_GE_SUCCESS;
	}
	if (!has_unknown)
		return RSTD_GE_SUCCESS;
	if (desc->rank != feed->rank)
		return rstd__ge_fail("%s(Data): feed has rank %zu, declared is rank %zu", op->name, feed->rank,
		                     desc->rank);
	for (size_t i = 0; i < desc->rank; i++)
		if (desc->dims[i] >= 0 && desc->dims[i] != feed->dims[i])
			return rstd__ge_fail("%s(Data): feed has dim[%zu]=%" PRId64 ", declared is %" PRId64, op->name,
			                     i, feed->dims[i], desc->dims[i]);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status read_shape(const rstd_op *op, const rstd_desc *feed, struct rstd__feed_key *key)
{
	const int size = rstd_ge_dtype_size(feed->dtype);
	int64_t count;

	if (feed->rank > 0 && !feed->dims)
		return rstd__ge_fail("%s(Data): feed has rank %zu, but its dims are NULL", op->name, feed->rank);
	if (size <= 0 || size > 1000)
		return rstd__ge_fail("%s(Data): feed has dtype %s (%d), must be one with whole bytes", op->name,
		                     rstd_ge_dtype_name(feed->dtype), feed->dtype);
	if (feed->rank > RSTD_MAX_RANK)
		return rstd__ge_fail(
			"%s(Data): feed has rank %zu, must be at most %d (as num of dimensions, x rank=%zu "
			"exceeds supported range [0, %d])",
			op->name, feed->rank, RSTD_MAX_RANK, feed->rank, RSTD_MAX_RANK);
	for (size_t i = 0; i < feed->rank; i++)
		if (feed->dims[i] < 0)
			return rstd__ge_fail("%s(Data): feed has dim[%zu]=%" PRId64 ", must be at least 0", op->name, i,
			                     feed->dims[i]);
	count = rstd__dims_count(feed->dims, feed->rank);
	if (count < 0 || count > PTRDIFF_MAX / 4 / size)
		return rstd__ge_fail("%s(Data): feed has more than PTRDIFF_MAX / 4 bytes", op->name);
	key->used = true;
	key->dtype = feed->dtype;
	key->rank = feed->rank;
	if (feed->rank > 0)
		memcpy(key->dims, feed->dims, feed->rank * sizeof(*key->dims));
	key->bytes = (size_t)count * (size_t)size;
	return RSTD_GE_SUCCESS;
}

/* feeds[index] for one Data. without_data: the elements are not looked at. */
static rstd_ge_status read_feed(const struct entry *entry, const rstd_node *node, const rstd_ge_tensor *feeds,
                                size_t count, bool without_data, struct rstd__feed_key *keys, size_t key_count)
{
	const rstd_value *index = rstd_attrs_get(&node->op->attrs, "index");
	const int64_t at = index && index->kind == RSTD_VALUE_INT ? index->as.i : 0;
	struct rstd__feed_key *key;
	rstd_ge_status status;

	if (at < 0 || (size_t)at >= key_count)
		return rstd__ge_fail("%s(Data): attribute index is %" PRId64 ", must be in [0, %zu)", node->op->name,
		                     at, key_count);
	if ((size_t)at >= count)
		return rstd__ge_fail_as(RSTD_GE_FAILED, "E13025", "Invalid_Argument_Input",
		                        "%s(Data): index is %" PRId64 ", but there are %zu feeds", node->op->name, at,
		                        count);
	key = &keys[at];
	status = read_shape(node->op, &feeds[at].desc, key);
	if (status == RSTD_GE_SUCCESS && entry->settings.dynamic)
		status = check_declared(node->op, &feeds[at].desc);
	if (status != RSTD_GE_SUCCESS || without_data)
		return status;
	if (feeds[at].size < key->bytes || (key->bytes > 0 && !feeds[at].data))
		return rstd__ge_fail_as(RSTD_GE_FAILED, "E13025", "Invalid_Argument_Input",
		                        "%s(Data): feed %" PRId64 " has %zu bytes, its shape and dtype need %zu",
		                        node->op->name, at, feeds[at].data ? feeds[at].size : 0, key->bytes);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status read_feeds(const struct entry *entry, const rstd_ge_tensor *feeds, size_t count,
                                 bool without_data, struct rstd__feed_key **keys, size_t *key_count)
{
	const struct rstd__nodes *nodes = &entry->graph->nodes;
	rstd_ge_status status = RSTD_GE_SUCCESS;

	*key_count = 0;
	for (size_t i = 0; i < nodes->count; i++)
		*key_count += is_data(nodes->at[i]);
	*keys = calloc(*key_count + 1, sizeof(**keys));
	if (!*keys)
		return rstd__ge_no_memory("the shapes of feeds");
	for (size_t i = 0; i < nodes->count && status == RSTD_GE_SUCCESS; i++)
		if (is_data(nodes->at[i]))
			status = read_feed(entry, nodes->at[i], feeds, count, without_data, *keys, *key_count);
	return status;
}

/* ---- Forms --------------------------------------------------------------------------------------------------- */

static bool is_current(const struct rstd__form *form, const rstd_graph *graph)
{
	return form->graph_version == graph->version && form->attrs_version == rstd__attrs_version(graph);
}

/* feeds NULL: their elements are not known. */
static bool fits(const struct rstd__form *form, const rstd_ge_tensor *feeds, const struct rstd__feed_key *keys)
{
	for (size_t i = 0; i < form->feed_count; i++) {
		const struct rstd__feed_key *own = &form->feeds[i], *other = &keys[i];

		if (own->used != other->used || own->dtype != other->dtype || own->rank != other->rank ||
		    memcmp(own->dims, other->dims, sizeof(own->dims)) != 0)
			return false;
		if (own->by_value && (!feeds || !feeds[i].data || memcmp(own->value, feeds[i].data, own->bytes) != 0))
			return false;
	}
	return true;
}

/* The form becomes the most recently used; `at` is where it lies. */
static struct rstd__form *move_to_front(struct entry *entry, size_t at)
{
	struct rstd__form *form = entry->forms[at];

	memmove(&entry->forms[1], &entry->forms[0], at * sizeof(struct rstd__form *));
	entry->forms[0] = form;
	return form;
}

static struct rstd__form *add_form(struct entry *entry, struct rstd__form *form)
{
	struct rstd__form **grown;

	if (entry->form_count == entry->settings.shapes)
		rstd__form_free(entry->forms[--entry->form_count]);
	grown = rstd__grown(entry->forms, &entry->form_capacity, entry->form_count + 1, sizeof(struct rstd__form *));
	if (!grown) {
		rstd__form_free(form);
		(void)rstd__ge_no_memory("a compiled form");
		return NULL;
	}
	entry->forms = grown;
	entry->compilations++;
	entry->forms[entry->form_count++] = form;
	return move_to_front(entry, entry->form_count - 1);
}

/* The form for these feeds, made if need be; NULL with messages. */
static struct rstd__form *get_form(struct entry *entry, const rstd_ge_tensor *feeds, size_t count, bool without_data)
{
	struct rstd__feed_key *keys;
	struct rstd__form *form;
	size_t key_count;

	if (read_feeds(entry, feeds, count, without_data, &keys, &key_count) != RSTD_GE_SUCCESS) {
		free(keys);
		return NULL;
	}
	if (entry->form_count > 0 && !is_current(entry->forms[0], entry->graph))
		drop_forms(entry);
	for (size_t i = 0; i < entry->form_count; i++)
		if (fits(entry->forms[i], without_data ? NULL : feeds, keys)) {
			free(keys);
			return move_to_front(entry, i);
		}
	form = rstd__compile(entry->graph, without_data ? NULL : feeds, keys, key_count, entry->settings.fusion);
	return form ? add_form(entry, form) : NULL;
}

/* ---- Results ------------------------------------------------------------------------------------------------- */

struct result {
	int32_t dtype;
	size_t rank, bytes;
	int64_t dims[RSTD_MAX_RANK];
};

struct rstd_results {
	size_t count;
	struct result *at;
	void **data; /* NULL when it has been taken */
};

static rstd_results *new_results(const struct rstd__form *form)
{
	rstd_results *results = calloc(1, sizeof(*results));

	if (!results)
		return NULL;
	results->count = form->result_count;
	results->at = calloc(results->count + 1, sizeof(*results->at));
	results->data = calloc(results->count + 1, sizeof(void *));
	for (size_t i = 0; results->at && results->data && i < results->count; i++) {
		const struct rstd__value *v = &form->results[i];
		struct result *result = &results->at[i];

		*result = (struct result){ v->dtype, v->rank, rstd__value_bytes(v), { 0 } };
		memcpy(result->dims, v->dims, sizeof(result->dims));
		results->data[i] = malloc(result->bytes > 0 ? result->bytes : 1);
		if (!results->data[i])
			break;
	}
	if (results->at && results->data && (results->count == 0 || results->data[results->count - 1]))
		return results;
	rstd_results_free(results);
	return NULL;
}

size_t rstd_results_count(const rstd_results *results)
{
	return results ? results->count : 0;
}

bool rstd_results_get(const rstd_results *results, size_t index, rstd_ge_tensor *tensor)
{
	const struct result *result;

	if (!results || !tensor || index >= results->count || !results->data[index])
		return false;
	result = &results->at[index];
	*tensor = (rstd_ge_tensor){ .desc = RSTD_DESC_DEFAULT, .data = results->data[index], .size = result->bytes };
	tensor->desc.dtype = result->dtype;
	tensor->desc.rank = tensor->desc.origin_rank = result->rank;
	tensor->desc.dims = tensor->desc.origin_dims = result->dims;
	tensor->desc.has_shape = tensor->desc.has_origin = true;
	tensor->desc.real_dim_count = (int64_t)result->rank;
	tensor->desc.size = (int64_t)result->bytes;
	return true;
}

void *rstd_results_take(rstd_results *results, size_t index)
{
	void *data;

	if (!results || index >= results->count)
		return NULL;
	data = results->data[index];
	results->data[index] = NULL;
	return data;
}

void rstd_results_free(rstd_results *results)
{
	if (!results)
		return;
	for (size_t i = 0; results->data && i < results->count; i++)
		free(results->data[i]);
	free(results->data);
	free(results->at);
	free(results);
}

/* ---- Runs ---------------------------------------------------------------------------------------------------- */

/* Takes the session for a run of graph id. What is returned stays where it is until end_run(); NULL: *status. */
static struct entry *begin_run(rstd_session *session, uint32_t id, rstd_ge_status *status)
{
	struct entry *entry;

	*status = enter(session);
	if (*status != RSTD_GE_SUCCESS)
		return NULL;
	entry = find_entry(session, id);
	if (session->running)
		*status = busy(session);
	else if (!entry)
		*status = no_such_graph(id);
	if (*status != RSTD_GE_SUCCESS)
		entry = NULL;
	session->running |= entry != NULL;
	(void)leave(session, *status);
	return entry;
}

static void end_run(rstd_session *session)
{
	(void)pthread_mutex_lock(&session->lock);
	session->running = false;
	(void)pthread_cond_broadcast(&session->idle);
	(void)pthread_mutex_unlock(&session->lock);
}

static rstd_ge_status reserve_arena(rstd_session *session, size_t bytes)
{
	void *arena;

	if (bytes <= session->arena_size)
		return RSTD_GE_SUCCESS;
	if (posix_memalign(&arena, ARENA_ALIGNMENT, bytes) != 0)
		return rstd__ge_no_memory("intermediate results");
	free(session->arena);
	session->arena = arena;
	session->arena_size = bytes;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status run_form(rstd_session *session, struct rstd__form *form, const rstd_ge_tensor *feeds,
                               rstd_results **results)
{
	rstd_ge_status status = reserve_arena(session, form->arena);
	rstd_results *made;

	if (status != RSTD_GE_SUCCESS)
		return status;
	made = new_results(form);
	if (!made)
		return rstd__ge_no_memory("results");
	status = rstd__form_run(form, feeds, session->arena, made->data);
	if (status == RSTD_GE_SUCCESS)
		*results = made;
	else
		rstd_results_free(made);
	return status;
}

rstd_ge_status rstd_session_run(rstd_session *session, uint32_t id, const rstd_ge_tensor *feeds, size_t count,
                                rstd_results **results)
{
	struct entry *entry;
	struct rstd__form *form;
	rstd_ge_status status;

	if (!results || (count > 0 && !feeds))
		return RSTD_GE_NULL_PTR;
	*results = NULL;
	entry = begin_run(session, id, &status);
	if (!entry)
		return status;
	form = get_form(entry, feeds, count, false);
	status = form ? run_form(session, form, feeds, results) : RSTD_GE_FAILED;
	entry->runs += status == RSTD_GE_SUCCESS;
	end_run(session);
	return status;
}

rstd_ge_status rstd_session_build(rstd_session *session, uint32_t id, const rstd_ge_tensor *feeds, size_t count)
{
	struct entry *entry;
	rstd_ge_status status;

	if (count > 0 && !feeds)
		return RSTD_GE_NULL_PTR;
	entry = begin_run(session, id, &status);
	if (!entry)
		return status;
	status = get_form(entry, feeds, count, true) ? RSTD_GE_SUCCESS : RSTD_GE_FAILED;
	end_run(session);
	return status;
}

bool rstd_session_needs_rebuild(rstd_session *session, uint32_t id)
{
	const struct entry *entry;
	bool needs;

	if (enter(session) != RSTD_GE_SUCCESS)
		return true;
	entry = session->running ? NULL : find_entry(session, id);
	needs = !entry || entry->form_count == 0 || !is_current(entry->forms[0], entry->graph);
	(void)leave(session, RSTD_GE_SUCCESS);
	return needs;
}

/* ---- What was done ------------------------------------------------------------------------------------------- */

/* The entry of a session that is not running, with the lock held; NULL, and the lock free: *status. */
static const struct entry *enter_entry(rstd_session *session, uint32_t id, rstd_ge_status *status)
{
	const struct entry *entry;

	*status = enter(session);
	if (*status != RSTD_GE_SUCCESS)
		return NULL;
	entry = find_entry(session, id);
	if (session->running)
		*status = busy(session);
	else if (!entry)
		*status = no_such_graph(id);
	if (*status == RSTD_GE_SUCCESS)
		return entry;
	(void)leave(session, *status);
	return NULL;
}

rstd_ge_status rstd_session_stats(rstd_session *session, uint32_t id, rstd_graph_stats *stats)
{
	const struct entry *entry;
	rstd_ge_status status;

	if (!stats)
		return RSTD_GE_NULL_PTR;
	entry = enter_entry(session, id, &status);
	if (!entry)
		return status;
	*stats = (rstd_graph_stats){ .nodes = entry->graph->nodes.count,
		                     .compiled_forms = entry->form_count,
		                     .compilations = entry->compilations,
		                     .runs = entry->runs };
	if (entry->form_count > 0) {
		const struct rstd__form *form = entry->forms[0];

		stats->steps = form->step_count;
		stats->views = form->views;
		stats->fusions = form->fusion_count;
		stats->workspace = form->arena;
		stats->unshared = form->unshared;
	}
	return leave(session, RSTD_GE_SUCCESS);
}

char *rstd_session_fusion(rstd_session *session, uint32_t id, size_t index, bool *keeps_bits)
{
	const struct rstd__form *form;
	rstd_ge_status status;
	const struct entry *entry = enter_entry(session, id, &status);
	char *text = NULL;

	if (!entry)
		return NULL;
	form = entry->form_count > 0 ? entry->forms[0] : NULL;
	if (form && index < form->fusion_count) {
		text = rstd__text_copy(form->fusions[index].text);
		if (keeps_bits)
			*keeps_bits = form->fusions[index].keeps_bits;
	}
	(void)leave(session, RSTD_GE_SUCCESS);
	return text;
}
