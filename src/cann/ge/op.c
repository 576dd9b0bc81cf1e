/*
 * op.c - operator objects: identity, prototype, inputs, outputs, attributes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/ge/op.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/message.h"

/* ---- Life ---------------------------------------------------------------------------------------------------- */

static char *numbered_name(const char *type)
{
	static atomic_uint_fast64_t count;
	const uint64_t number = atomic_fetch_add(&count, 1);
	const int length = snprintf(NULL, 0, "%s_%" PRIu64, type, number);
	char *name = malloc((size_t)length + 1);

	if (name)
		(void)snprintf(name, (size_t)length + 1, "%s_%" PRIu64, type, number);
	return name;
}

static rstd_op *new_op(const char *name, const char *type)
{
	rstd_op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	op->type = rstd__text_copy(type);
	op->name = name ? rstd__text_copy(name) : numbered_name(rstd__name(type));
	if (op->type && op->name && rstd__island_new(op))
		return op;
	rstd__op_free(op);
	return NULL;
}

rstd_op *rstd_op_new(const char *name, const char *type)
{
	rstd_op *op = new_op(name, type);

	if (!op)
		(void)rstd__ge_no_memory("an operator");
	return op;
}

static void free_ports(struct rstd__ports *ports)
{
	for (size_t i = 0; i < ports->count; i++) {
		free(ports->at[i].name);
		rstd__desc_clear(&ports->at[i].desc);
		rstd__attrs_clear(&ports->at[i].attrs);
	}
	free(ports->at);
}

static void free_items(struct rstd__ir_items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		free(items->at[i].name);
		free(items->at[i].symbol);
	}
	free(items->at);
}

static void free_subgraphs(rstd_op *op)
{
	for (size_t i = 0; i < op->subgraph_count; i++) {
		struct rstd__subgraph *subgraph = &op->subgraphs[i];

		for (uint32_t j = 0; j < subgraph->count; j++)
			rstd_graph_unref(subgraph->instances[j]);
		free(subgraph->instances);
		free(subgraph->name);
	}
	free(op->subgraphs);
}

static void free_attachments(rstd_op *op)
{
	for (size_t i = 0; i < op->attachment_count; i++) {
		struct rstd__attachment *attachment = &op->attachments[i];

		if (attachment->destroy)
			attachment->destroy(attachment->object);
		free(attachment->key);
	}
	free(op->attachments);
}

void rstd__op_free(rstd_op *op)
{
	free_ports(&op->inputs);
	free_ports(&op->outputs);
	rstd__attrs_clear(&op->attrs);
	free_items(&op->ir_inputs);
	free_items(&op->ir_outputs);
	for (size_t i = 0; i < op->ir_attr_count; i++) {
		free(op->ir_attrs[i].name);
		free(op->ir_attrs[i].type);
	}
	free(op->ir_attrs);
	free(op->consumers);
	free(op->control_inputs.at);
	free(op->control_outputs.at);
	free_subgraphs(op);
	free_attachments(op);
	free(op->name);
	free(op->type);
	free(op);
}

const char *rstd_op_name(const rstd_op *op)
{
	return op ? op->name : "";
}

const char *rstd_op_type(const rstd_op *op)
{
	return op ? op->type : "";
}

bool rstd__op_is_const(const rstd_op *op)
{
	return strcmp(op->type, "Const") == 0 || strcmp(op->type, "Constant") == 0;
}

/* ---- Attachments --------------------------------------------------------------------------------------------- */

static struct rstd__attachment *find_attachment(const rstd_op *op, const char *key)
{
	for (size_t i = 0; i < op->attachment_count; i++)
		if (strcmp(op->attachments[i].key, rstd__name(key)) == 0)
			return &op->attachments[i];
	return NULL;
}

rstd_ge_status rstd_op_attach(rstd_op *op, const char *key, void *object, void (*destroy)(void *object))
{
	struct rstd__attachment *at = op ? find_attachment(op, key) : NULL, *grown;
	char *copy;

	if (!op)
		return RSTD_GE_NULL_PTR;
	if (at) {
		if (at->destroy)
			at->destroy(at->object);
		at->object = object;
		at->destroy = destroy;
		return RSTD_GE_SUCCESS;
	}
	grown = rstd__grown(op->attachments, &op->attachment_capacity, op->attachment_count + 1, sizeof(*grown));
	if (!grown)
		return rstd__ge_no_memory("an attachment");
	op->attachments = grown;
	copy = rstd__text_copy(key);
	if (!copy)
		return rstd__ge_no_memory("an attachment");
	op->attachments[op->attachment_count++] = (struct rstd__attachment){ copy, object, destroy };
	return RSTD_GE_SUCCESS;
}

void *rstd_op_attached(const rstd_op *op, const char *key)
{
	const struct rstd__attachment *at = op ? find_attachment(op, key) : NULL;

	return at ? at->object : NULL;
}

/* ---- Ports --------------------------------------------------------------------------------------------------- */

/* Opens a gap of one port at `at`; takes over the name, which is freed on failure. */
static bool insert_port(struct rstd__ports *ports, size_t at, char *name, rstd_ir_kind kind)
{
	struct rstd__port *grown = rstd__grown(ports->at, &ports->capacity, ports->count + 1, sizeof(*grown));

	if (grown)
		ports->at = grown;
	if (!grown || !name) {
		free(name);
		return false;
	}
	memmove(&grown[at + 1], &grown[at], (ports->count - at) * sizeof(*grown));
	grown[at] = (struct rstd__port){ .name = name, .kind = kind };
	rstd__desc_init(&grown[at].desc);
	ports->count++;
	return true;
}

static size_t find_port(const struct rstd__ports *ports, const char *name)
{
	size_t i = 0;

	while (i < ports->count && strcmp(ports->at[i].name, rstd__name(name)) != 0)
		i++;
	return i;
}

/* Inputs from `at` on have moved up by one: those who link to them learn it. */
static void inputs_moved(rstd_op *op, size_t at)
{
	for (size_t i = at + 1; i < op->inputs.count; i++) {
		rstd_op *source = op->inputs.at[i].source;

		for (size_t j = 0; source && j < source->consumer_count; j++)
			if (source->consumers[j].op == op && source->consumers[j].input == i - 1 &&
			    source->consumers[j].output == op->inputs.at[i].source_index) {
				source->consumers[j].input = i;
				break;
			}
	}
}

static void outputs_moved(rstd_op *op, size_t at)
{
	for (size_t j = 0; j < op->consumer_count; j++) {
		struct rstd__consumer *consumer = &op->consumers[j];

		if (consumer->output < at)
			continue;
		consumer->output++;
		consumer->op->inputs.at[consumer->input].source_index++;
	}
}

/* ---- The prototype ------------------------------------------------------------------------------------------- */

static struct rstd__ir_item *find_item(const struct rstd__ir_items *items, const char *name)
{
	for (size_t i = 0; i < items->count; i++)
		if (strcmp(items->at[i].name, rstd__name(name)) == 0)
			return &items->at[i];
	return NULL;
}

static bool add_item(struct rstd__ir_items *items, const char *name, rstd_ir_kind kind, const char *symbol)
{
	struct rstd__ir_item *grown = rstd__grown(items->at, &items->capacity, items->count + 1, sizeof(*grown));
	struct rstd__ir_item item = { NULL, NULL, kind };

	if (!grown)
		return false;
	items->at = grown;
	item.name = rstd__text_copy(name);
	item.symbol = rstd__text_copy(symbol);
	if (!item.name || !item.symbol) {
		free(item.name);
		free(item.symbol);
		return false;
	}
	items->at[items->count++] = item;
	return true;
}

static void drop_last_item(struct rstd__ir_items *items)
{
	struct rstd__ir_item *last = &items->at[--items->count];

	free(last->name);
	free(last->symbol);
}

static rstd_ge_status register_item(rstd_op *op, struct rstd__ir_items *items, struct rstd__ports *ports,
                                    const char *name, rstd_ir_kind kind, const char *symbol)
{
	if (find_item(items, name))
		return RSTD_GE_SUCCESS;
	if (!add_item(items, name, kind, symbol))
		return rstd__ge_no_memory("a prototype");
	op->version++;
	if (kind == RSTD_IR_DYNAMIC || insert_port(ports, ports->count, rstd__text_copy(name), kind))
		return RSTD_GE_SUCCESS;
	drop_last_item(items);
	return rstd__ge_no_memory("a prototype");
}

rstd_ge_status rstd_op_register_input(rstd_op *op, const char *name, rstd_ir_kind kind, const char *symbol)
{
	return op ? register_item(op, &op->ir_inputs, &op->inputs, name, kind, symbol) : RSTD_GE_NULL_PTR;
}

rstd_ge_status rstd_op_register_output(rstd_op *op, const char *name, rstd_ir_kind kind, const char *symbol)
{
	return op ? register_item(op, &op->ir_outputs, &op->outputs, name, kind, symbol) : RSTD_GE_NULL_PTR;
}

static bool has_ir_attr(const rstd_op *op, const char *name)
{
	for (size_t i = 0; i < op->ir_attr_count; i++)
		if (strcmp(op->ir_attrs[i].name, rstd__name(name)) == 0)
			return true;
	return false;
}

static bool add_ir_attr(rstd_op *op, const char *name, const char *type, bool required)
{
	struct rstd__ir_attr *grown, attr = { NULL, NULL, required };

	grown = rstd__grown(op->ir_attrs, &op->ir_attr_capacity, op->ir_attr_count + 1, sizeof(*grown));
	if (!grown)
		return false;
	op->ir_attrs = grown;
	attr.name = rstd__text_copy(name);
	attr.type = rstd__text_copy(type);
	if (!attr.name || !attr.type) {
		free(attr.name);
		free(attr.type);
		return false;
	}
	op->ir_attrs[op->ir_attr_count++] = attr;
	return true;
}

rstd_ge_status rstd_op_register_attr(rstd_op *op, const char *name, const char *type, bool required,
                                     const rstd_value *default_value)
{
	rstd_ge_status status;

	if (!op)
		return RSTD_GE_NULL_PTR;
	if (has_ir_attr(op, name))
		return RSTD_GE_SUCCESS;
	if (!add_ir_attr(op, name, type, required))
		return rstd__ge_no_memory("a prototype");
	if (!default_value)
		return RSTD_GE_SUCCESS;
	status = rstd_attrs_set(&op->attrs, name, default_value);
	if (status == RSTD_GE_SUCCESS)
		return status;
	op->ir_attr_count--;
	free(op->ir_attrs[op->ir_attr_count].name);
	free(op->ir_attrs[op->ir_attr_count].type);
	return status;
}

size_t rstd_op_ir_input_count(const rstd_op *op)
{
	return op ? op->ir_inputs.count : 0;
}

size_t rstd_op_ir_output_count(const rstd_op *op)
{
	return op ? op->ir_outputs.count : 0;
}

size_t rstd_op_ir_attr_count(const rstd_op *op)
{
	return op ? op->ir_attr_count : 0;
}

static bool read_item(const struct rstd__ir_items *items, size_t index, rstd_ir_item *item)
{
	if (index >= items->count)
		return false;
	*item = (rstd_ir_item){ items->at[index].name, items->at[index].symbol, items->at[index].kind };
	return true;
}

bool rstd_op_ir_input(const rstd_op *op, size_t index, rstd_ir_item *item)
{
	return op && item && read_item(&op->ir_inputs, index, item);
}

bool rstd_op_ir_output(const rstd_op *op, size_t index, rstd_ir_item *item)
{
	return op && item && read_item(&op->ir_outputs, index, item);
}

bool rstd_op_ir_attr(const rstd_op *op, size_t index, rstd_ir_attr *item)
{
	if (!op || !item || index >= op->ir_attr_count)
		return false;
	*item = (rstd_ir_attr){ op->ir_attrs[index].name, op->ir_attrs[index].type, op->ir_attrs[index].required };
	return true;
}

/* ---- Dynamic inputs and outputs ------------------------------------------------------------------------------ */

/* `<name><number>` on the heap; NULL when memory runs out. */
static char *indexed_name(const char *name, uint32_t number)
{
	const int length = snprintf(NULL, 0, "%s%" PRIu32, rstd__name(name), number);
	char *text = malloc((size_t)length + 1);

	if (text)
		(void)snprintf(text, (size_t)length + 1, "%s%" PRIu32, rstd__name(name), number);
	return text;
}

static bool is_indexed_name(const char *text, const char *name, uint32_t number)
{
	const size_t length = strlen(name);
	char digits[16];

	(void)snprintf(digits, sizeof(digits), "%" PRIu32, number);
	return strncmp(text, name, length) == 0 && strcmp(text + length, digits) == 0;
}

/* How many of `<name>0`, `<name>1`, ... there are. */
static uint32_t count_dynamic(const struct rstd__ports *ports, const char *name)
{
	uint32_t count = 0;

	/* Usually each is behind the one before. */
	for (size_t i = 0, passed = 0; passed < ports->count; i = i + 1 < ports->count ? i + 1 : 0) {
		const struct rstd__port *port = &ports->at[i];
		const bool next = port->kind == RSTD_IR_DYNAMIC && is_indexed_name(port->name, name, count);

		count += next;
		passed = next ? 0 : passed + 1;
	}
	return count;
}

static rstd_ge_status add_dynamic(rstd_op *op, struct rstd__ports *ports, void (*moved)(rstd_op *op, size_t at),
                                  const char *name, uint32_t count, size_t position)
{
	const uint32_t first = count_dynamic(ports, rstd__name(name));

	if (position > ports->count && position != RSTD_AT_END)
		return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error",
		                        "%s(%s): position of %s is %zu, must be at most %zu", op->name, op->type,
		                        rstd__name(name), position, ports->count);
	if (position == RSTD_AT_END)
		position = ports->count;
	for (uint32_t i = 0; i < count; i++) {
		if (!insert_port(ports, position + i, indexed_name(name, first + i), RSTD_IR_DYNAMIC))
			return rstd__ge_no_memory("dynamic inputs or outputs");
		moved(op, position + i);
	}
	op->version++;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_op_add_dynamic_inputs(rstd_op *op, const char *name, uint32_t count, size_t position)
{
	return op ? add_dynamic(op, &op->inputs, inputs_moved, name, count, position) : RSTD_GE_NULL_PTR;
}

rstd_ge_status rstd_op_add_dynamic_outputs(rstd_op *op, const char *name, uint32_t count, size_t position)
{
	return op ? add_dynamic(op, &op->outputs, outputs_moved, name, count, position) : RSTD_GE_NULL_PTR;
}

static int32_t dynamic_count(const struct rstd__ir_items *items, const struct rstd__ports *ports, const char *name)
{
	const struct rstd__ir_item *item = find_item(items, name);

	return item && item->kind == RSTD_IR_DYNAMIC ? (int32_t)count_dynamic(ports, name) : -1;
}

int32_t rstd_op_dynamic_input_count(const rstd_op *op, const char *name)
{
	return op ? dynamic_count(&op->ir_inputs, &op->inputs, name) : -1;
}

int32_t rstd_op_dynamic_output_count(const rstd_op *op, const char *name)
{
	return op ? dynamic_count(&op->ir_outputs, &op->outputs, name) : -1;
}

/* ---- Inputs and outputs -------------------------------------------------------------------------------------- */

size_t rstd_op_input_count(const rstd_op *op)
{
	return op ? op->inputs.count : 0;
}

size_t rstd_op_output_count(const rstd_op *op)
{
	return op ? op->outputs.count : 0;
}

const char *rstd_op_input_name(const rstd_op *op, size_t index)
{
	return op && index < op->inputs.count ? op->inputs.at[index].name : NULL;
}

const char *rstd_op_output_name(const rstd_op *op, size_t index)
{
	return op && index < op->outputs.count ? op->outputs.at[index].name : NULL;
}

bool rstd_op_input_is_optional(const rstd_op *op, size_t index)
{
	return op && index < op->inputs.count && op->inputs.at[index].kind == RSTD_IR_OPTIONAL;
}

static int32_t find_index(const struct rstd__ports *ports, const char *name)
{
	const size_t at = find_port(ports, name);

	return at < ports->count ? (int32_t)at : -1;
}

int32_t rstd_op_find_input(const rstd_op *op, const char *name)
{
	return op ? find_index(&op->inputs, name) : -1;
}

int32_t rstd_op_find_output(const rstd_op *op, const char *name)
{
	return op ? find_index(&op->outputs, name) : -1;
}

static rstd_ge_status past_the_last(const rstd_op *op, const char *what, size_t index, size_t count)
{
	return rstd__ge_fail("%s(%s): %s index is %zu, must be below %zu", op->name, op->type, what, index, count);
}

rstd_ge_status rstd_op_get_input_desc(const rstd_op *op, size_t index, rstd_desc *desc)
{
	if (!op || !desc)
		return RSTD_GE_NULL_PTR;
	if (index >= op->inputs.count)
		return past_the_last(op, "input", index, op->inputs.count);
	*desc = op->inputs.at[index].desc.desc;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_op_get_output_desc(const rstd_op *op, size_t index, rstd_desc *desc)
{
	if (!op || !desc)
		return RSTD_GE_NULL_PTR;
	if (index >= op->outputs.count)
		return past_the_last(op, "output", index, op->outputs.count);
	*desc = op->outputs.at[index].desc.desc;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status set_desc(rstd_op *op, struct rstd__port *port, const rstd_desc *desc)
{
	if (!rstd__desc_set(&port->desc, desc))
		return rstd__ge_no_memory("a desc");
	port->desc.desc.has_shape = true;
	op->version++;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd_op_set_input_desc(rstd_op *op, size_t index, const rstd_desc *desc)
{
	if (!op || !desc || !rstd__desc_is_whole(desc))
		return RSTD_GE_NULL_PTR;
	if (index >= op->inputs.count)
		return past_the_last(op, "input", index, op->inputs.count);
	return set_desc(op, &op->inputs.at[index], desc);
}

rstd_ge_status rstd_op_set_output_desc(rstd_op *op, size_t index, const rstd_desc *desc)
{
	rstd_ge_status status;

	if (!op || !desc || !rstd__desc_is_whole(desc))
		return RSTD_GE_NULL_PTR;
	if (index >= op->outputs.count)
		return past_the_last(op, "output", index, op->outputs.count);
	status = set_desc(op, &op->outputs.at[index], desc);
	for (size_t i = 0; i < op->consumer_count && status == RSTD_GE_SUCCESS; i++) {
		const struct rstd__consumer *consumer = &op->consumers[i];
		struct rstd__port *port = &consumer->op->inputs.at[consumer->input];
		rstd_desc copy = op->outputs.at[index].desc.desc;

		copy.format = port->desc.desc.format;
		if (consumer->output == index)
			status = set_desc(consumer->op, port, &copy);
	}
	return status;
}

rstd_attrs *rstd_op_attrs(rstd_op *op)
{
	return op ? &op->attrs : NULL;
}

rstd_attrs *rstd_op_input_attrs(rstd_op *op, size_t index)
{
	return op && index < op->inputs.count ? &op->inputs.at[index].attrs : NULL;
}

rstd_attrs *rstd_op_output_attrs(rstd_op *op, size_t index)
{
	return op && index < op->outputs.count ? &op->outputs.at[index].attrs : NULL;
}

/* ---- Subgraphs ----------------------------------------------------------------------------------------------- */

static struct rstd__subgraph *find_subgraph(const rstd_op *op, const char *name)
{
	for (size_t i = 0; i < op->subgraph_count; i++)
		if (strcmp(op->subgraphs[i].name, rstd__name(name)) == 0)
			return &op->subgraphs[i];
	return NULL;
}

static bool resize_subgraph(struct rstd__subgraph *subgraph, uint32_t count)
{
	rstd_graph **grown;

	grown = rstd__grown(subgraph->instances, &subgraph->capacity, count, sizeof(rstd_graph *));
	if (!grown)
		return false;
	subgraph->instances = grown;
	for (uint32_t i = count; i < subgraph->count; i++)
		rstd_graph_unref(grown[i]);
	for (uint32_t i = subgraph->count; i < count; i++)
		grown[i] = NULL;
	subgraph->count = count;
	return true;
}

rstd_ge_status rstd_op_register_subgraph(rstd_op *op, const char *name, bool dynamic)
{
	struct rstd__subgraph *grown, subgraph = { .dynamic = dynamic };

	if (!op)
		return RSTD_GE_NULL_PTR;
	if (find_subgraph(op, name))
		return RSTD_GE_SUCCESS;
	grown = rstd__grown(op->subgraphs, &op->subgraph_capacity, op->subgraph_count + 1, sizeof(*grown));
	if (!grown)
		return rstd__ge_no_memory("a subgraph");
	op->subgraphs = grown;
	subgraph.name = rstd__text_copy(name);
	if (!subgraph.name || !resize_subgraph(&subgraph, dynamic ? 0 : 1)) {
		free(subgraph.name);
		return rstd__ge_no_memory("a subgraph");
	}
	op->subgraphs[op->subgraph_count++] = subgraph;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status no_such_subgraph(const rstd_op *op, const char *name, const char *allowed)
{
	return rstd__ge_fail_as(RSTD_GE_PARAM_INVALID, "E19999", "Inner_Error", "%s(%s): subgraph %s, must be %s",
	                        op->name, op->type, rstd__name(name), allowed);
}

rstd_ge_status rstd_op_set_subgraph_count(rstd_op *op, const char *name, uint32_t count)
{
	struct rstd__subgraph *subgraph = op ? find_subgraph(op, name) : NULL;

	if (!op)
		return RSTD_GE_NULL_PTR;
	if (!subgraph || !subgraph->dynamic)
		return no_such_subgraph(op, name, "a dynamic one of the prototype");
	return resize_subgraph(subgraph, count) ? RSTD_GE_SUCCESS : rstd__ge_no_memory("subgraphs");
}

size_t rstd_op_subgraph_name_count(const rstd_op *op)
{
	return op ? op->subgraph_count : 0;
}

const char *rstd_op_subgraph_name(const rstd_op *op, size_t index, bool *dynamic, uint32_t *count)
{
	if (!op || index >= op->subgraph_count)
		return NULL;
	if (dynamic)
		*dynamic = op->subgraphs[index].dynamic;
	if (count)
		*count = op->subgraphs[index].count;
	return op->subgraphs[index].name;
}

rstd_ge_status rstd_op_set_subgraph(rstd_op *op, const char *name, uint32_t index, rstd_graph *graph)
{
	struct rstd__subgraph *subgraph = op ? find_subgraph(op, name) : NULL;
	rstd_graph *old;

	if (!op)
		return RSTD_GE_NULL_PTR;
	if (!subgraph || index >= subgraph->count)
		return no_such_subgraph(op, name, "one of the prototype, and its index below its count");
	old = subgraph->instances[index];
	subgraph->instances[index] = rstd_graph_ref(graph);
	rstd_graph_unref(old);
	return RSTD_GE_SUCCESS;
}

rstd_graph *rstd_op_subgraph(const rstd_op *op, const char *name, uint32_t index)
{
	const struct rstd__subgraph *subgraph = op ? find_subgraph(op, name) : NULL;

	return subgraph && index < subgraph->count ? subgraph->instances[index] : NULL;
}

/* ---- Copies -------------------------------------------------------------------------------------------------- */

static bool copy_ports(struct rstd__ports *to, const struct rstd__ports *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct rstd__port *port = &from->at[i];

		if (!insert_port(to, i, rstd__text_copy(port->name), port->kind) ||
		    !rstd__desc_set(&to->at[i].desc, &port->desc.desc) ||
		    !rstd__attrs_copy(&to->at[i].attrs, &port->attrs))
			return false;
	}
	return true;
}

static bool copy_items(struct rstd__ir_items *to, const struct rstd__ir_items *from)
{
	for (size_t i = 0; i < from->count; i++)
		if (!add_item(to, from->at[i].name, from->at[i].kind, from->at[i].symbol))
			return false;
	return true;
}

static bool copy_subgraphs(rstd_op *to, const rstd_op *from)
{
	for (size_t i = 0; i < from->subgraph_count; i++) {
		const struct rstd__subgraph *subgraph = &from->subgraphs[i];

		if (rstd_op_register_subgraph(to, subgraph->name, subgraph->dynamic) != RSTD_GE_SUCCESS ||
		    !resize_subgraph(&to->subgraphs[i], subgraph->count))
			return false;
		for (uint32_t j = 0; j < subgraph->count; j++)
			to->subgraphs[i].instances[j] = rstd_graph_ref(subgraph->instances[j]);
	}
	return true;
}

static bool copy_contents(rstd_op *to, const rstd_op *from)
{
	for (size_t i = 0; i < from->ir_attr_count; i++)
		if (!add_ir_attr(to, from->ir_attrs[i].name, from->ir_attrs[i].type, from->ir_attrs[i].required))
			return false;
	return copy_ports(&to->inputs, &from->inputs) && copy_ports(&to->outputs, &from->outputs) &&
	       copy_items(&to->ir_inputs, &from->ir_inputs) && copy_items(&to->ir_outputs, &from->ir_outputs) &&
	       rstd__attrs_copy(&to->attrs, &from->attrs) && copy_subgraphs(to, from);
}

rstd_op *rstd__op_copy(const rstd_op *from)
{
	rstd_op *to = new_op(from->name, from->type);

	if (to && copy_contents(to, from))
		return to;
	rstd_op_unref(to);
	return NULL;
}
