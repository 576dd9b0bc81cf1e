/*
 * model_read.c - the graph of a message
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A message comes from a file that anybody may have written: every name, index and count in it is checked against the
 * others before it is used. Limits are far beyond what graphs have; they are there because sets of attributes and lists
 * of inputs are searched one by one.
 */
#include "cann/ge/model.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/message.h"
#include "cann/ge/prototype.h"

#define MOST_GRAPHS 4096
#define MOST_NODES  1048576
#define MOST_PORTS  4096 /* inputs, or outputs, of an operator */
#define MOST_ATTRS  4096 /* of an operator, a desc, a graph */

int32_t rstd__dtype_from_proto(Ge__Proto__DataType dtype)
{
	for (int32_t i = 0; i <= RSTD_DT_HIFLOAT4 && dtype != GE__PROTO__DATA_TYPE__DT_UNDEFINED; i++)
		if (rstd__dtype_to_proto(i) == dtype)
			return i;
	return RSTD_DT_UNDEFINED;
}

/* ---- Attributes ----------------------------------------------------------------------------------------------- */

static bool read_value(struct rstd__arena *arena, const Ge__Proto__AttrDef *from, rstd_value *to);
static bool read_desc(struct rstd__arena *arena, const Ge__Proto__TensorDescriptor *from, rstd_desc *to);

static const Ge__Proto__AttrDef *find_attr(Ge__Proto__AttrEntry *const *attrs, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(attrs[i]->key, name) == 0)
			return attrs[i]->value;
	return NULL;
}

static rstd_text read_text(const ProtobufCBinaryData *from)
{
	return (rstd_text){ (const char *)from->data, from->len };
}

static bool read_tensor(struct rstd__arena *arena, const Ge__Proto__TensorDef *from, rstd_ge_tensor *to)
{
	to->data = from->data.data;
	to->size = from->data.len;
	if (from->desc)
		return read_desc(arena, from->desc, &to->desc);
	to->desc = (rstd_desc)RSTD_DESC_DEFAULT;
	return true;
}

static bool read_named(struct rstd__arena *arena, const Ge__Proto__NamedAttrs *from, rstd_named_attrs *to)
{
	rstd_attr *attrs = rstd__arena_new(arena, from->n_attr, sizeof(*attrs));

	if (!attrs)
		return false;
	to->name = from->name;
	to->attrs = attrs;
	to->count = 0;
	for (size_t i = 0; i < from->n_attr; i++) {
		rstd_attr *attr = &attrs[to->count];

		if (!from->attr[i]->value)
			continue;
		attr->name = from->attr[i]->key;
		if (!read_value(arena, from->attr[i]->value, &attr->value))
			return false;
		to->count += attr->value.kind != RSTD_VALUE_NONE;
	}
	return true;
}

static bool read_texts(struct rstd__arena *arena, const ProtobufCBinaryData *from, size_t count, rstd_value *to)
{
	rstd_text *texts = rstd__arena_new(arena, count, sizeof(*texts));

	for (size_t i = 0; texts && i < count; i++)
		texts[i] = read_text(&from[i]);
	to->count = count;
	to->as.texts = texts;
	return texts != NULL;
}

static bool read_bools(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListValue *from, rstd_value *to)
{
	bool *bools = rstd__arena_new(arena, from->n_b, sizeof(*bools));

	for (size_t i = 0; bools && i < from->n_b; i++)
		bools[i] = from->b[i] != 0;
	to->count = from->n_b;
	to->as.bools = bools;
	return bools != NULL;
}

static bool read_dtypes(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListValue *from, rstd_value *to)
{
	int32_t *dtypes = rstd__arena_new(arena, from->n_dt, sizeof(*dtypes));

	for (size_t i = 0; dtypes && i < from->n_dt; i++)
		dtypes[i] =
			from->dt[i] >= 0 && from->dt[i] <= RSTD_DT_HIFLOAT4 ? (int32_t)from->dt[i] : RSTD_DT_UNDEFINED;
	to->count = from->n_dt;
	to->as.dtypes = dtypes;
	return dtypes != NULL;
}

static bool read_tensors(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListValue *from, rstd_value *to)
{
	rstd_ge_tensor *tensors = rstd__arena_new(arena, from->n_t, sizeof(*tensors));

	for (size_t i = 0; tensors && i < from->n_t; i++)
		if (!read_tensor(arena, from->t[i], &tensors[i]))
			return false;
	to->count = from->n_t;
	to->as.tensor = tensors;
	return tensors != NULL;
}

static bool read_descs(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListValue *from, rstd_value *to)
{
	rstd_ge_tensor *tensors = rstd__arena_new(arena, from->n_td, sizeof(*tensors));

	for (size_t i = 0; tensors && i < from->n_td; i++)
		if (!read_desc(arena, from->td[i], &tensors[i].desc))
			return false;
	to->count = from->n_td;
	to->as.tensor = tensors;
	return tensors != NULL;
}

static bool read_named_list(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListValue *from, rstd_value *to)
{
	rstd_named_attrs *named = rstd__arena_new(arena, from->n_na, sizeof(*named));

	for (size_t i = 0; named && i < from->n_na; i++)
		if (!read_named(arena, from->na[i], &named[i]))
			return false;
	to->count = from->n_na;
	to->as.named = named;
	return named != NULL;
}

/* A list that does not say its kind is dropped, as CANN does. */
static bool read_list(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListValue *from, rstd_value *to)
{
	switch (from->val_type) {
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_STRING:
		to->kind = RSTD_VALUE_LIST_STRING;
		return read_texts(arena, from->s, from->n_s, to);
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_BYTES:
		to->kind = RSTD_VALUE_LIST_BYTES;
		return read_texts(arena, from->bt, from->n_bt, to);
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_INT:
		to->kind = RSTD_VALUE_LIST_INT;
		to->count = from->n_i;
		to->as.ints = from->i;
		return true;
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_FLOAT:
		to->kind = RSTD_VALUE_LIST_FLOAT;
		to->count = from->n_f;
		to->as.floats = from->f;
		return true;
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_BOOL:
		to->kind = RSTD_VALUE_LIST_BOOL;
		return read_bools(arena, from, to);
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_DATA_TYPE:
		to->kind = RSTD_VALUE_LIST_DTYPE;
		return read_dtypes(arena, from, to);
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_TENSOR:
		to->kind = RSTD_VALUE_LIST_TENSOR;
		return read_tensors(arena, from, to);
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_TENSOR_DESC:
		to->kind = RSTD_VALUE_LIST_DESC;
		return read_descs(arena, from, to);
	case GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_NAMED_ATTRS:
		to->kind = RSTD_VALUE_LIST_NAMED_ATTRS;
		return read_named_list(arena, from, to);
	default:
		return true;
	}
}

static bool read_int_lists(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListListInt *from, rstd_value *to)
{
	rstd_int_list *lists = rstd__arena_new(arena, from->n_list_list_i, sizeof(*lists));

	for (size_t i = 0; lists && i < from->n_list_list_i; i++)
		lists[i] = (rstd_int_list){ from->list_list_i[i]->n_list_i, from->list_list_i[i]->list_i };
	to->kind = RSTD_VALUE_LIST_LIST_INT;
	to->count = from->n_list_list_i;
	to->as.int_lists = lists;
	return lists != NULL;
}

static bool read_float_lists(struct rstd__arena *arena, const Ge__Proto__AttrDef__ListListFloat *from, rstd_value *to)
{
	rstd_float_list *lists = rstd__arena_new(arena, from->n_list_list_f, sizeof(*lists));

	for (size_t i = 0; lists && i < from->n_list_list_f; i++)
		lists[i] = (rstd_float_list){ from->list_list_f[i]->n_list_f, from->list_list_f[i]->list_f };
	to->kind = RSTD_VALUE_LIST_LIST_FLOAT;
	to->count = from->n_list_list_f;
	to->as.float_lists = lists;
	return lists != NULL;
}

/* A tensor, a desc, or named attributes: one of them, where lists have several. */
static bool read_single(struct rstd__arena *arena, const Ge__Proto__AttrDef *from, rstd_value *to)
{
	rstd_ge_tensor *tensor = rstd__arena_new(arena, 1, sizeof(*tensor));
	rstd_named_attrs *named = rstd__arena_new(arena, 1, sizeof(*named));

	if (!tensor || !named)
		return false;
	switch (from->value_case) {
	case GE__PROTO__ATTR_DEF__VALUE_T:
		to->kind = RSTD_VALUE_TENSOR;
		to->as.tensor = tensor;
		return read_tensor(arena, from->t, tensor);
	case GE__PROTO__ATTR_DEF__VALUE_TD:
		to->kind = RSTD_VALUE_DESC;
		to->as.tensor = tensor;
		return read_desc(arena, from->td, &tensor->desc);
	default:
		to->kind = RSTD_VALUE_NAMED_ATTRS;
		to->as.named = named;
		return read_named(arena, from->func, named);
	}
}

/* *to points into the message and the arena. Of kind NONE: what has no value, or one that an attribute cannot have. */
static bool read_value(struct rstd__arena *arena, const Ge__Proto__AttrDef *from, rstd_value *to)
{
	*to = (rstd_value){ .kind = RSTD_VALUE_NONE };
	switch (from->value_case) {
	case GE__PROTO__ATTR_DEF__VALUE_I:
		to->kind = RSTD_VALUE_INT;
		to->as.i = from->i;
		return true;
	case GE__PROTO__ATTR_DEF__VALUE_F:
		to->kind = RSTD_VALUE_FLOAT;
		to->as.f = from->f;
		return true;
	case GE__PROTO__ATTR_DEF__VALUE_B:
		to->kind = RSTD_VALUE_BOOL;
		to->as.b = from->b != 0;
		return true;
	case GE__PROTO__ATTR_DEF__VALUE_DT:
		to->kind = RSTD_VALUE_DTYPE;
		to->as.dtype = from->dt >= 0 && from->dt <= RSTD_DT_HIFLOAT4 ? (int32_t)from->dt : RSTD_DT_UNDEFINED;
		return true;
	case GE__PROTO__ATTR_DEF__VALUE_S:
		to->kind = RSTD_VALUE_STRING;
		to->as.text = read_text(&from->s);
		return true;
	case GE__PROTO__ATTR_DEF__VALUE_BT:
		to->kind = RSTD_VALUE_BYTES;
		to->as.text = read_text(&from->bt);
		return true;
	case GE__PROTO__ATTR_DEF__VALUE_LIST:
		return read_list(arena, from->list, to);
	case GE__PROTO__ATTR_DEF__VALUE_LIST_LIST_INT:
		return read_int_lists(arena, from->list_list_int, to);
	case GE__PROTO__ATTR_DEF__VALUE_LIST_LIST_FLOAT:
		return read_float_lists(arena, from->list_list_float, to);
	case GE__PROTO__ATTR_DEF__VALUE_T:
	case GE__PROTO__ATTR_DEF__VALUE_TD:
	case GE__PROTO__ATTR_DEF__VALUE_FUNC:
		return read_single(arena, from, to);
	default:
		return true;
	}
}

/* Attributes of an operator by which the message says something else than an attribute. */
static bool is_table(const char *name)
{
	static const char *const tables[] = { RSTD_INPUT_NAMES,    RSTD_INPUT_INDEXES,  RSTD_OUTPUT_NAMES,
		                              RSTD_OUTPUT_INDEXES, RSTD_OPTIONAL,       RSTD_IR_ATTRS,
		                              RSTD_IR_INPUTS,      RSTD_IR_INPUT_KINDS, RSTD_IR_OUTPUTS,
		                              RSTD_IR_OUTPUT_KINDS };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (strcmp(name, tables[i]) == 0)
			return true;
	return false;
}

/* Attributes of a desc that are fields of rstd_desc. */
static bool is_desc_field(const char *name)
{
	static const char *const fields[] = { "format_for_int",           "origin_format", "origin_format_for_int",
		                              "origin_shape_initialized", "origin_shape",  RSTD_SHAPE_RANGE };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strcmp(name, fields[i]) == 0)
			return true;
	return false;
}

static bool is_nothing(const char *name)
{
	(void)name;
	return false;
}

/* All but those that are skipped. */
static rstd_ge_status read_attrs(rstd_attrs *to, Ge__Proto__AttrEntry *const *from, size_t count,
                                 bool (*is_skipped)(const char *name))
{
	struct rstd__arena arena = { NULL, 0 };
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (count > MOST_ATTRS)
		return rstd__ge_fail("an operator, desc or graph has %zu attributes, may have at most %d", count,
		                     MOST_ATTRS);
	for (size_t i = 0; i < count && status == RSTD_GE_SUCCESS; i++) {
		rstd_value value = { .kind = RSTD_VALUE_NONE };

		if (!from[i]->value || is_skipped(from[i]->key))
			continue;
		if (!read_value(&arena, from[i]->value, &value))
			status = rstd__ge_no_memory("an attribute");
		else if (value.kind != RSTD_VALUE_NONE)
			status = rstd_attrs_set(to, from[i]->key, &value);
	}
	rstd__arena_free(&arena);
	return status;
}

/* ---- Descs ---------------------------------------------------------------------------------------------------- */

static void read_origin(const Ge__Proto__TensorDescriptor *from, rstd_desc *to)
{
	const Ge__Proto__AttrDef *format = find_attr(from->attr, from->n_attr, "origin_format_for_int");
	const Ge__Proto__AttrDef *shape = find_attr(from->attr, from->n_attr, "origin_shape");

	if (format && format->value_case == GE__PROTO__ATTR_DEF__VALUE_I && format->i >= 0 && format->i <= INT32_MAX)
		to->origin_format = (int32_t)format->i;
	if (shape && shape->value_case == GE__PROTO__ATTR_DEF__VALUE_LIST) {
		to->has_origin = true;
		to->origin_rank = shape->list->n_i;
		to->origin_dims = shape->list->i;
	}
}

/* Pairs, or nothing. */
static bool read_ranges(struct rstd__arena *arena, const Ge__Proto__TensorDescriptor *from, rstd_desc *to)
{
	const Ge__Proto__AttrDef *attr = find_attr(from->attr, from->n_attr, RSTD_SHAPE_RANGE);
	const Ge__Proto__AttrDef__ListListInt *lists;
	int64_t *ranges;

	if (!attr || attr->value_case != GE__PROTO__ATTR_DEF__VALUE_LIST_LIST_INT)
		return true;
	lists = attr->list_list_int;
	ranges = rstd__arena_new(arena, lists->n_list_list_i, 2 * sizeof(*ranges));
	if (!ranges)
		return false;
	for (size_t i = 0; i < lists->n_list_list_i; i++) {
		if (lists->list_list_i[i]->n_list_i != 2)
			return true;
		memcpy(&ranges[2 * i], lists->list_list_i[i]->list_i, 2 * sizeof(*ranges));
	}
	to->ranges = ranges;
	to->range_count = lists->n_list_list_i;
	return true;
}

static bool read_desc(struct rstd__arena *arena, const Ge__Proto__TensorDescriptor *from, rstd_desc *to)
{
	*to = (rstd_desc)RSTD_DESC_DEFAULT;
	to->has_shape = true;
	to->dtype = rstd__dtype_from_proto(from->dtype);
	to->format = rstd_ge_format_from_name(from->layout);
	if (from->shape) {
		to->rank = from->shape->n_dim;
		to->dims = from->shape->dim;
	}
	to->real_dim_count = from->real_dim_cnt;
	to->size = from->size;
	to->name = from->name;
	to->has_reuse_input = from->reuse_input != 0;
	if (from->reuse_input_index >= 0 && from->reuse_input_index <= UINT32_MAX)
		to->reuse_input = (uint32_t)from->reuse_input_index;
	read_origin(from, to);
	return read_ranges(arena, from, to);
}

/* ---- Operators: inputs, outputs, prototype --------------------------------------------------------------------- */

/* The strings of a table of names; 0 when there is none. */
static size_t table_of(const Ge__Proto__OpDef *def, const char *key, const ProtobufCBinaryData **names)
{
	const Ge__Proto__AttrDef *attr = find_attr(def->attr, def->n_attr, key);

	if (!attr || attr->value_case != GE__PROTO__ATTR_DEF__VALUE_LIST)
		return 0;
	*names = attr->list->s;
	return attr->list->n_s;
}

static size_t numbers_of(const Ge__Proto__OpDef *def, const char *key, const int64_t **numbers)
{
	const Ge__Proto__AttrDef *attr = find_attr(def->attr, def->n_attr, key);

	if (!attr || attr->value_case != GE__PROTO__ATTR_DEF__VALUE_LIST)
		return 0;
	*numbers = attr->list->i;
	return attr->list->n_i;
}

/*
 * Names of the inputs (outputs), in the order of their indexes: those of the table where it has one for each, else
 * those of the prototype that the engine knows, else "x0", "x1", ... NULL when memory runs out.
 */
static const char **port_names(struct rstd__arena *arena, const Ge__Proto__OpDef *def, size_t count, bool outputs)
{
	const struct rstd__proto *proto = rstd__proto_find(def->type);
	const ProtobufCBinaryData *keys = NULL;
	const int64_t *indexes = NULL;
	const size_t key_count = table_of(def, outputs ? RSTD_OUTPUT_NAMES : RSTD_INPUT_NAMES, &keys);
	const size_t index_count = numbers_of(def, outputs ? RSTD_OUTPUT_INDEXES : RSTD_INPUT_INDEXES, &indexes);
	const char **names = rstd__arena_new(arena, count, sizeof(*names));

	for (size_t i = 0; names && key_count == count && index_count == count && i < count; i++) {
		const char *name = rstd__arena_print(arena, "%.*s", (int)keys[i].len, (const char *)keys[i].data);

		if (!name)
			return NULL;
		if (indexes[i] >= 0 && (uint64_t)indexes[i] < count)
			names[indexes[i]] = name;
	}
	for (size_t i = 0; names && i < count; i++) {
		if (names[i])
			continue;
		if (proto && i < (outputs ? rstd__proto_output_count(proto) : rstd__proto_input_count(proto)))
			names[i] = (outputs ? proto->outputs : proto->inputs)[i].name;
		else
			names[i] = rstd__arena_print(arena, "%s%zu", outputs ? "y" : "x", i);
		if (!names[i])
			return NULL;
	}
	return names;
}

/* Whether name is prefix followed by a number: an element of the dynamic input or output `prefix`. */
static bool is_element(const char *name, const char *prefix)
{
	const size_t length = strlen(prefix);

	if (strncmp(name, prefix, length) != 0 || name[length] == '\0')
		return false;
	for (const char *c = name + length; *c; c++)
		if (!isdigit((unsigned char)*c))
			return false;
	return true;
}

/* Registers what the message's own table says of the inputs (outputs). */
static rstd_ge_status register_table(rstd_op *op, const Ge__Proto__OpDef *def, const char *const *names, size_t count,
                                     bool outputs)
{
	const ProtobufCBinaryData *keys = NULL;
	const int64_t *kinds = NULL;
	const size_t key_count = table_of(def, outputs ? RSTD_IR_OUTPUTS : RSTD_IR_INPUTS, &keys);
	const size_t kind_count = numbers_of(def, outputs ? RSTD_IR_OUTPUT_KINDS : RSTD_IR_INPUT_KINDS, &kinds);
	struct rstd__arena arena = { NULL, 0 };
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < key_count && i < kind_count && status == RSTD_GE_SUCCESS; i++) {
		const char *name = rstd__arena_print(&arena, "%.*s", (int)keys[i].len, (const char *)keys[i].data);
		const bool dynamic = kinds[i] == (outputs ? 1 : RSTD_IR_DYNAMIC);
		const rstd_ir_kind kind = dynamic                                    ? RSTD_IR_DYNAMIC
		                          : !outputs && kinds[i] == RSTD_IR_OPTIONAL ? RSTD_IR_OPTIONAL
		                                                                     : RSTD_IR_REQUIRED;
		uint32_t elements = 0;

		if (!name) {
			status = rstd__ge_no_memory("a name");
			break;
		}
		status = outputs ? rstd_op_register_output(op, name, kind, "")
		                 : rstd_op_register_input(op, name, kind, "");
		for (size_t k = 0; dynamic && k < count; k++)
			elements += is_element(names[k], name);
		if (status == RSTD_GE_SUCCESS && elements > 0)
			status = outputs ? rstd_op_add_dynamic_outputs(op, name, elements, RSTD_AT_END)
			                 : rstd_op_add_dynamic_inputs(op, name, elements, RSTD_AT_END);
	}
	rstd__arena_free(&arena);
	return status;
}

static rstd_ge_status register_ir_attrs(rstd_op *op, const Ge__Proto__OpDef *def)
{
	const ProtobufCBinaryData *names = NULL;
	const size_t count = table_of(def, RSTD_IR_ATTRS, &names);
	struct rstd__arena arena = { NULL, 0 };
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < count && status == RSTD_GE_SUCCESS; i++) {
		const char *name = rstd__arena_print(&arena, "%.*s", (int)names[i].len, (const char *)names[i].data);

		status = name ? rstd_op_register_attr(op, name, "", false, NULL) : rstd__ge_no_memory("a name");
	}
	rstd__arena_free(&arena);
	return status;
}

static bool ports_are(const struct rstd__ports *ports, const char *const *names, size_t count)
{
	if (ports->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(ports->at[i].name, names[i]) != 0)
			return false;
	return true;
}

struct ports {
	const char **inputs, **outputs;
	size_t input_count, output_count;
};

static bool fits(const rstd_op *op, const struct ports *ports)
{
	return ports_are(&op->inputs, ports->inputs, ports->input_count) &&
	       ports_are(&op->outputs, ports->outputs, ports->output_count);
}

/* One input (output) for each name, and nothing else. */
static rstd_op *plain_op(const Ge__Proto__OpDef *def, const struct ports *ports)
{
	rstd_op *op = rstd_op_new(def->name, def->type);
	rstd_ge_status status = op ? RSTD_GE_SUCCESS : RSTD_GE_FAILED;

	for (size_t i = 0; i < ports->input_count && status == RSTD_GE_SUCCESS; i++)
		status = rstd_op_register_input(op, ports->inputs[i], RSTD_IR_REQUIRED, "");
	for (size_t i = 0; i < ports->output_count && status == RSTD_GE_SUCCESS; i++)
		status = rstd_op_register_output(op, ports->outputs[i], RSTD_IR_REQUIRED, "");
	if (status == RSTD_GE_SUCCESS && !fits(op, ports))
		status = rstd__ge_fail("%s(%s): two inputs or two outputs have one name", def->name, def->type);
	if (status != RSTD_GE_SUCCESS) {
		rstd_op_unref(op);
		return NULL;
	}
	return op;
}

/* With the prototype that the message has, or that the engine knows, where its inputs and outputs are the message's. */
static rstd_op *op_with_prototype(const Ge__Proto__OpDef *def, const struct ports *ports)
{
	rstd_op *op = rstd__proto_find(def->type) ? rstd_op_create(def->name, def->type) : NULL;

	if (op && fits(op, ports))
		return op;
	rstd_op_unref(op);
	op = rstd_op_new(def->name, def->type);
	if (op && register_table(op, def, ports->inputs, ports->input_count, false) == RSTD_GE_SUCCESS &&
	    register_table(op, def, ports->outputs, ports->output_count, true) == RSTD_GE_SUCCESS &&
	    register_ir_attrs(op, def) == RSTD_GE_SUCCESS && fits(op, ports))
		return op;
	rstd_op_unref(op);
	return NULL;
}

static rstd_op *new_op(const Ge__Proto__OpDef *def)
{
	struct rstd__arena arena = { NULL, 0 };
	struct ports ports = { .input_count = def->n_input_desc, .output_count = def->n_output_desc };
	rstd_op *op = NULL;

	ports.inputs = port_names(&arena, def, ports.input_count, false);
	ports.outputs = port_names(&arena, def, ports.output_count, true);
	if (!ports.inputs || !ports.outputs) {
		(void)rstd__ge_no_memory("the names of inputs and outputs");
	} else {
		op = op_with_prototype(def, &ports);
		if (!op)
			op = plain_op(def, &ports);
	}
	rstd__arena_free(&arena);
	return op;
}

typedef rstd_ge_status set_desc_function(rstd_op *op, size_t index, const rstd_desc *desc);

static rstd_ge_status read_port(rstd_op *op, size_t index, const Ge__Proto__TensorDescriptor *from, rstd_attrs *attrs,
                                set_desc_function *set_desc)
{
	struct rstd__arena arena = { NULL, 0 };
	rstd_ge_status status;
	rstd_desc desc;

	if (read_desc(&arena, from, &desc))
		status = set_desc(op, index, &desc);
	else
		status = rstd__ge_no_memory("a desc");
	rstd__arena_free(&arena);
	return status == RSTD_GE_SUCCESS ? read_attrs(attrs, from->attr, from->n_attr, is_desc_field) : status;
}

static rstd_ge_status read_ports(rstd_op *op, const Ge__Proto__OpDef *def)
{
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < def->n_input_desc && status == RSTD_GE_SUCCESS; i++)
		status = read_port(op, i, def->input_desc[i], rstd_op_input_attrs(op, i), rstd_op_set_input_desc);
	for (size_t i = 0; i < def->n_output_desc && status == RSTD_GE_SUCCESS; i++)
		status = read_port(op, i, def->output_desc[i], rstd_op_output_attrs(op, i), rstd_op_set_output_desc);
	return status;
}

static rstd_ge_status check_count(const Ge__Proto__OpDef *def, const char *what, size_t count, size_t most)
{
	return count <= most ? RSTD_GE_SUCCESS
	                     : rstd__ge_fail("%.200s(%.200s): has %zu %s, may have at most %zu", def->name, def->type,
	                                     count, what, most);
}

static rstd_ge_status check_counts(const Ge__Proto__OpDef *def)
{
	static const char *const tables[] = { RSTD_IR_ATTRS, RSTD_IR_INPUTS, RSTD_IR_OUTPUTS };
	rstd_ge_status status = check_count(def, "inputs", def->n_input_desc, MOST_PORTS);

	if (status == RSTD_GE_SUCCESS)
		status = check_count(def, "outputs", def->n_output_desc, MOST_PORTS);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && status == RSTD_GE_SUCCESS; i++) {
		const ProtobufCBinaryData *names;

		status = check_count(def, tables[i], table_of(def, tables[i], &names), MOST_PORTS);
	}
	return status;
}

static rstd_ge_status read_op(rstd_graph *graph, const Ge__Proto__OpDef *def)
{
	rstd_ge_status status = check_counts(def);
	rstd_op *op = status == RSTD_GE_SUCCESS ? new_op(def) : NULL;

	if (!op)
		return RSTD_GE_FAILED;
	status = read_attrs(rstd_op_attrs(op), def->attr, def->n_attr, is_table);
	if (status == RSTD_GE_SUCCESS)
		status = read_ports(op, def);
	if (status == RSTD_GE_SUCCESS && !rstd__graph_append(graph, op))
		status = RSTD_GE_FAILED;
	rstd_op_unref(op);
	return status;
}

/* ---- Names ---------------------------------------------------------------------------------------------------- */

struct name {
	const char *text;
	size_t index;
};

/* In alphabetical order, to be looked up. */
struct names {
	struct name *at;
	size_t count;
};

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Sorts them. All must differ. */
static rstd_ge_status sort_names(struct names *names, const char *what)
{
	qsort(names->at, names->count, sizeof(*names->at), compare_names);
	for (size_t i = 1; i < names->count; i++)
		if (strcmp(names->at[i - 1].text, names->at[i].text) == 0)
			return rstd__ge_fail("the model has two %s that are named %.200s, names must differ", what,
			                     names->at[i].text);
	return RSTD_GE_SUCCESS;
}

static const struct name *find_name(const struct names *names, const char *text)
{
	const struct name key = { text, 0 };

	return bsearch(&key, names->at, names->count, sizeof(key), compare_names);
}

/* ---- Graphs --------------------------------------------------------------------------------------------------- */

/* A graph and the message that it is read from. */
struct reader {
	const Ge__Proto__GraphDef *def;
	rstd_graph *graph;
	struct names nodes;
};

static rstd_ge_status no_such_node(const struct reader *reader, const char *text)
{
	return rstd__ge_fail("graph %s: '%.200s' names a node that the graph has not", reader->graph->name, text);
}

/* Takes "node:index" apart: the node, and the index, -1 being that of a control edge. */
static rstd_ge_status find_end(const struct reader *reader, const char *text, rstd_node **node, int32_t *index)
{
	const char *colon = strrchr(text, ':');
	const struct name *found;
	char *name, *end = NULL;
	long number = -2;

	if (colon)
		number = strtol(colon + 1, &end, 10);
	if (!colon || end == colon + 1 || *end != '\0' || number < -1 || number > INT32_MAX)
		return rstd__ge_fail("graph %s: '%.200s' is not of the form 'node:index'", reader->graph->name, text);
	name = rstd__text_copy(text);
	if (!name)
		return rstd__ge_no_memory("a name");
	name[colon - text] = '\0';
	found = find_name(&reader->nodes, name);
	free(name);
	if (!found)
		return no_such_node(reader, text);
	*node = reader->graph->nodes.at[found->index];
	*index = (int32_t)number;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status read_edges(const struct reader *reader, rstd_node *node, const Ge__Proto__OpDef *def)
{
	rstd_ge_status status = RSTD_GE_SUCCESS;
	int32_t input = 0;

	for (size_t i = 0; i < def->n_input && status == RSTD_GE_SUCCESS; i++) {
		rstd_node *src = NULL;
		int32_t index = 0;

		if (def->input[i][0] == '\0') {
			input++;
			continue;
		}
		status = find_end(reader, def->input[i], &src, &index);
		if (status != RSTD_GE_SUCCESS)
			return status;
		if (index < 0)
			status = rstd_graph_add_control_edge(reader->graph, src, node);
		else
			status = rstd_graph_add_data_edge(reader->graph, src, index, node, input++);
	}
	return status;
}

static rstd_ge_status read_outputs(const struct reader *reader)
{
	const size_t count = reader->def->n_output;
	struct rstd__arena arena = { NULL, 0 };
	rstd_node **nodes = rstd__arena_new(&arena, count, sizeof(*nodes));
	int32_t *indexes = rstd__arena_new(&arena, count, sizeof(*indexes));
	rstd_ge_status status = nodes && indexes ? RSTD_GE_SUCCESS : rstd__ge_no_memory("outputs");

	for (size_t i = 0; i < count && status == RSTD_GE_SUCCESS; i++)
		status = find_end(reader, reader->def->output[i], &nodes[i], &indexes[i]);
	if (status == RSTD_GE_SUCCESS)
		status = rstd_graph_set_output_nodes(reader->graph, nodes, indexes, count);
	rstd__arena_free(&arena);
	return status;
}

/* Adds nodes to a list of the graph that has no reference to them. */
static rstd_ge_status append(struct rstd__nodes *list, rstd_node *node)
{
	rstd_node **grown = rstd__grown(list->at, &list->capacity, list->count + 1, sizeof(*grown));

	if (!grown)
		return rstd__ge_no_memory("a list of nodes");
	list->at = grown;
	list->at[list->count++] = node;
	return RSTD_GE_SUCCESS;
}

/* Without a list of inputs: the Data nodes. */
static rstd_ge_status read_inputs(const struct reader *reader)
{
	rstd_graph *const graph = reader->graph;
	const size_t count = reader->def->n_input;
	rstd_ge_status status = RSTD_GE_SUCCESS;
	rstd_node *node = NULL;
	int32_t index;

	for (size_t i = 0; i < count && status == RSTD_GE_SUCCESS; i++) {
		status = find_end(reader, reader->def->input[i], &node, &index);
		if (status == RSTD_GE_SUCCESS)
			status = append(&graph->inputs, node);
	}
	for (size_t i = 0; count == 0 && i < graph->nodes.count && status == RSTD_GE_SUCCESS; i++)
		if (strcmp(graph->nodes.at[i]->op->type, "Data") == 0)
			status = append(&graph->inputs, graph->nodes.at[i]);
	return status;
}

static rstd_ge_status read_targets(const struct reader *reader)
{
	rstd_graph *const graph = reader->graph;
	const rstd_value *names = rstd_attrs_get(&graph->attrs, RSTD_TARGETS);
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (!names || names->kind != RSTD_VALUE_LIST_STRING)
		return RSTD_GE_SUCCESS;
	for (size_t i = 0; i < names->count && status == RSTD_GE_SUCCESS; i++) {
		const struct name *found = find_name(&reader->nodes, names->as.texts[i].data);

		status = found ? append(&graph->targets, graph->nodes.at[found->index])
		               : no_such_node(reader, names->as.texts[i].data);
	}
	(void)rstd_attrs_remove(&graph->attrs, RSTD_TARGETS);
	return status;
}

static rstd_ge_status read_nodes(struct reader *reader, struct rstd__arena *arena)
{
	const Ge__Proto__GraphDef *const def = reader->def;
	rstd_ge_status status;

	if (def->n_op > MOST_NODES)
		return rstd__ge_fail("graph %.200s: has %zu nodes, may have at most %d", def->name, def->n_op,
		                     MOST_NODES);
	reader->nodes.count = def->n_op;
	reader->nodes.at = rstd__arena_new(arena, def->n_op, sizeof(*reader->nodes.at));
	if (!reader->nodes.at)
		return rstd__ge_no_memory("names of nodes");
	for (size_t i = 0; i < def->n_op; i++)
		reader->nodes.at[i] = (struct name){ def->op[i]->name, i };
	status = sort_names(&reader->nodes, "nodes");
	for (size_t i = 0; i < def->n_op && status == RSTD_GE_SUCCESS; i++)
		status = read_op(reader->graph, def->op[i]);
	for (size_t i = 0; i < def->n_op && status == RSTD_GE_SUCCESS; i++)
		status = read_edges(reader, reader->graph->nodes.at[i], def->op[i]);
	return status;
}

static rstd_graph *read_graph(const Ge__Proto__GraphDef *def)
{
	struct reader reader = { .def = def, .graph = rstd_graph_new(def->name) };
	struct rstd__arena arena = { NULL, 0 };
	rstd_ge_status status = reader.graph ? read_nodes(&reader, &arena) : RSTD_GE_FAILED;

	if (status == RSTD_GE_SUCCESS)
		status = read_attrs(&reader.graph->attrs, def->attr, def->n_attr, is_nothing);
	if (status == RSTD_GE_SUCCESS)
		status = read_inputs(&reader);
	if (status == RSTD_GE_SUCCESS)
		status = read_outputs(&reader);
	if (status == RSTD_GE_SUCCESS)
		status = read_targets(&reader);
	rstd__arena_free(&arena);
	if (status != RSTD_GE_SUCCESS) {
		rstd_graph_unref(reader.graph);
		return NULL;
	}
	reader.graph->built = reader.graph->valid = true;
	return reader.graph;
}

/* ---- Graphs that operators hold ------------------------------------------------------------------------------- */

/* The graphs of a model, and their names but for the first's. */
struct graphs {
	const Ge__Proto__ModelDef *model;
	rstd_graph **at;
	struct names names;
	enum { UNSEEN, OPEN, DONE } * state;
};

/* A graph must not hold itself through operators of others: it would never go. Graphs are few, and so are the calls. */
static rstd_ge_status check_holds(struct graphs *graphs, size_t index)
{
	const Ge__Proto__GraphDef *const def = graphs->model->graph[index];
	rstd_ge_status status = RSTD_GE_SUCCESS;

	if (graphs->state[index] == OPEN)
		return rstd__ge_fail("graph %.200s: holds itself as a subgraph", def->name);
	if (graphs->state[index] == DONE)
		return RSTD_GE_SUCCESS;
	graphs->state[index] = OPEN;
	for (size_t i = 0; i < def->n_op; i++) {
		const Ge__Proto__OpDef *const op = def->op[i];

		for (size_t k = 0; k < op->n_subgraph_name && status == RSTD_GE_SUCCESS; k++) {
			const struct name *found = find_name(&graphs->names, op->subgraph_name[k]);

			status = found ? check_holds(graphs, found->index)
			               : rstd__ge_fail("%.200s(%.200s): subgraph %.200s is none of the model's",
			                               op->name, op->type, op->subgraph_name[k]);
		}
	}
	graphs->state[index] = DONE;
	return status;
}

/* The message names the graphs alone, so each is the instance of a name of its own. */
static rstd_ge_status read_holds(const struct graphs *graphs, rstd_op *op, const Ge__Proto__OpDef *def)
{
	rstd_ge_status status = check_count(def, "subgraphs", def->n_subgraph_name, MOST_PORTS);

	for (size_t i = 0; i < def->n_subgraph_name && status == RSTD_GE_SUCCESS; i++) {
		const char *name = def->subgraph_name[i];

		status = rstd_op_register_subgraph(op, name, false);
		if (status == RSTD_GE_SUCCESS)
			status = rstd_op_set_subgraph(op, name, 0, graphs->at[find_name(&graphs->names, name)->index]);
	}
	return status;
}

static rstd_ge_status link_graphs(struct graphs *graphs)
{
	const Ge__Proto__ModelDef *const model = graphs->model;
	rstd_ge_status status = RSTD_GE_SUCCESS;

	for (size_t i = 0; i < model->n_graph && status == RSTD_GE_SUCCESS; i++)
		status = check_holds(graphs, i);
	for (size_t i = 0; i < model->n_graph && status == RSTD_GE_SUCCESS; i++)
		for (size_t k = 0; k < model->graph[i]->n_op && status == RSTD_GE_SUCCESS; k++)
			status = read_holds(graphs, graphs->at[i]->nodes.at[k]->op, model->graph[i]->op[k]);
	for (size_t i = 1; i < model->n_graph && status == RSTD_GE_SUCCESS; i++)
		status = rstd_graph_add_subgraph(graphs->at[0], graphs->at[i]);
	return status;
}

static rstd_ge_status read_graphs(struct graphs *graphs)
{
	const Ge__Proto__ModelDef *const model = graphs->model;
	rstd_ge_status status;

	for (size_t i = 1; i < model->n_graph; i++)
		graphs->names.at[i - 1] = (struct name){ model->graph[i]->name, i };
	graphs->names.count = model->n_graph - 1;
	status = sort_names(&graphs->names, "subgraphs");
	for (size_t i = 0; i < model->n_graph && status == RSTD_GE_SUCCESS; i++) {
		graphs->at[i] = read_graph(model->graph[i]);
		status = graphs->at[i] ? RSTD_GE_SUCCESS : RSTD_GE_FAILED;
	}
	return status == RSTD_GE_SUCCESS ? link_graphs(graphs) : status;
}

rstd_graph *rstd__model_read(const Ge__Proto__ModelDef *model)
{
	struct rstd__arena arena = { NULL, 0 };
	struct graphs graphs = { .model = model };
	rstd_graph *root = NULL;

	if (model->n_graph == 0 || model->n_graph > MOST_GRAPHS) {
		(void)rstd__ge_fail("the model holds %zu graphs, must hold 1 to %d", model->n_graph, MOST_GRAPHS);
		return NULL;
	}
	graphs.at = rstd__arena_new(&arena, model->n_graph, sizeof(*graphs.at));
	graphs.names.at = rstd__arena_new(&arena, model->n_graph, sizeof(*graphs.names.at));
	graphs.state = rstd__arena_new(&arena, model->n_graph, sizeof(*graphs.state));
	if (!graphs.at || !graphs.names.at || !graphs.state)
		(void)rstd__ge_no_memory("graphs");
	else if (read_graphs(&graphs) == RSTD_GE_SUCCESS)
		root = rstd_graph_ref(graphs.at[0]);
	for (size_t i = 0; graphs.at && i < model->n_graph; i++)
		rstd_graph_unref(graphs.at[i]);
	rstd__arena_free(&arena);
	return root;
}
