/*
 * model_write.c - the message of a graph
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which attributes CANN adds to operators, descs, graphs and models, and their names, is its ModelSerialize (ge,
 * graph_metadef). Every function answers false when memory has run out.
 */
#include "cann/ge/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	struct rstd__arena *arena;
	bool with_values;
};

/* Declares a new message of the arena in `to`, initialised. */
#define NEW(writer, to, init)                                                                                          \
	(((to) = rstd__arena_new((writer)->arena, 1, sizeof(*(to)))) != NULL ? (init(to), true) : false)

static void *rows(const struct writer *writer, size_t count, size_t size)
{
	return rstd__arena_new(writer->arena, count, size);
}

/* Strings of messages are not const, though nothing here writes to them. */
static char *borrow(const char *text)
{
	union {
		const char *in;
		char *out;
	} pointer = { text ? text : "" };

	return pointer.out;
}

static ProtobufCBinaryData bytes_of(const void *data, size_t size)
{
	union {
		const void *in;
		uint8_t *out;
	} pointer = { data };

	return (ProtobufCBinaryData){ .len = size, .data = pointer.out };
}

Ge__Proto__DataType rstd__dtype_to_proto(int32_t dtype)
{
	static const Ge__Proto__DataType first[] = {
		[RSTD_DT_FLOAT] = GE__PROTO__DATA_TYPE__DT_FLOAT,
		[RSTD_DT_FLOAT16] = GE__PROTO__DATA_TYPE__DT_FLOAT16,
		[RSTD_DT_INT8] = GE__PROTO__DATA_TYPE__DT_INT8,
		[RSTD_DT_INT32] = GE__PROTO__DATA_TYPE__DT_INT32,
		[RSTD_DT_UINT8] = GE__PROTO__DATA_TYPE__DT_UINT8,
		[RSTD_DT_INT16] = GE__PROTO__DATA_TYPE__DT_INT16,
		[RSTD_DT_UINT16] = GE__PROTO__DATA_TYPE__DT_UINT16,
		[RSTD_DT_UINT32] = GE__PROTO__DATA_TYPE__DT_UINT32,
		[RSTD_DT_INT64] = GE__PROTO__DATA_TYPE__DT_INT64,
		[RSTD_DT_UINT64] = GE__PROTO__DATA_TYPE__DT_UINT64,
		[RSTD_DT_DOUBLE] = GE__PROTO__DATA_TYPE__DT_DOUBLE,
		[RSTD_DT_BOOL] = GE__PROTO__DATA_TYPE__DT_BOOL,
	};

	if (dtype < 0 || dtype > RSTD_DT_HIFLOAT4 || dtype == RSTD_DT_UNDEFINED)
		return GE__PROTO__DATA_TYPE__DT_UNDEFINED;
	if (dtype <= RSTD_DT_BOOL)
		return first[dtype];
	return (Ge__Proto__DataType)(dtype > RSTD_DT_UNDEFINED ? dtype - 1 : dtype);
}

/* ---- Attributes ----------------------------------------------------------------------------------------------- */

static bool write_value(const struct writer *writer, Ge__Proto__AttrDef *to, const rstd_value *from);
static bool write_desc(const struct writer *writer, Ge__Proto__TensorDescriptor *to, const rstd_desc *from,
                       const rstd_attrs *attrs);

struct attr_list {
	Ge__Proto__AttrEntry **at;
	size_t count;
};

static bool new_list(const struct writer *writer, struct attr_list *list, size_t capacity)
{
	list->at = rows(writer, capacity, sizeof(*list->at));
	list->count = 0;
	return list->at != NULL;
}

/* Adds an entry of a list that has room for it. */
static bool add_attr(const struct writer *writer, struct attr_list *list, const char *name, const rstd_value *value)
{
	Ge__Proto__AttrEntry *entry;

	if (!NEW(writer, entry, ge__proto__attr_entry__init) || !NEW(writer, entry->value, ge__proto__attr_def__init))
		return false;
	entry->key = borrow(name);
	list->at[list->count++] = entry;
	return write_value(writer, entry->value, value);
}

static bool add_int(const struct writer *writer, struct attr_list *list, const char *name, int64_t value)
{
	return add_attr(writer, list, name, &(rstd_value){ .kind = RSTD_VALUE_INT, .as.i = value });
}

static bool add_text(const struct writer *writer, struct attr_list *list, const char *name, const char *value)
{
	return add_attr(writer, list, name,
	                &(rstd_value){ .kind = RSTD_VALUE_STRING, .as.text = { value, strlen(value) } });
}

static int compare_entries(const void *a, const void *b)
{
	const Ge__Proto__AttrEntry *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

/* By name, as a reader of a text expects them. */
static void sort_list(struct attr_list *list)
{
	qsort(list->at, list->count, sizeof(*list->at), compare_entries);
}

static bool write_attrs(const struct writer *writer, struct attr_list *list, const rstd_attrs *attrs)
{
	for (size_t i = 0; i < rstd_attrs_count(attrs); i++) {
		const rstd_attr *attr = rstd_attrs_at(attrs, i);

		if (!add_attr(writer, list, attr->name, &attr->value))
			return false;
	}
	return true;
}

static bool write_named(const struct writer *writer, Ge__Proto__NamedAttrs **to, const rstd_named_attrs *from)
{
	struct attr_list list;

	if (!NEW(writer, *to, ge__proto__named_attrs__init) || !new_list(writer, &list, from->count))
		return false;
	for (size_t i = 0; i < from->count; i++) {
		if (!add_attr(writer, &list, from->attrs[i].name, &from->attrs[i].value))
			return false;
	}
	sort_list(&list);
	(*to)->name = borrow(from->name);
	(*to)->attr = list.at;
	(*to)->n_attr = list.count;
	return true;
}

static bool write_tensor(const struct writer *writer, Ge__Proto__TensorDef **to, const rstd_ge_tensor *from)
{
	if (!NEW(writer, *to, ge__proto__tensor_def__init) ||
	    !NEW(writer, (*to)->desc, ge__proto__tensor_descriptor__init))
		return false;
	(*to)->data = bytes_of(from->data, from->size);
	return write_desc(writer, (*to)->desc, &from->desc, NULL);
}

static bool write_texts(const struct writer *writer, ProtobufCBinaryData **to, size_t *to_count, const rstd_text *from,
                        size_t count)
{
	*to = rows(writer, count, sizeof(**to));
	if (!*to)
		return false;
	for (size_t i = 0; i < count; i++)
		(*to)[i] = bytes_of(from[i].data, from[i].size);
	*to_count = count;
	return true;
}

/* A copy of scalars. */
static bool write_row(const struct writer *writer, void **to, size_t *to_count, const void *from, size_t count,
                      size_t size)
{
	*to = rows(writer, count, size);
	if (!*to)
		return false;
	if (count > 0)
		memcpy(*to, from, count * size);
	*to_count = count;
	return true;
}

static bool write_ints(const struct writer *writer, int64_t **to, size_t *to_count, const int64_t *from, size_t count)
{
	void *row;

	if (!write_row(writer, &row, to_count, from, count, sizeof(*from)))
		return false;
	*to = row;
	return true;
}

static bool write_floats(const struct writer *writer, float **to, size_t *to_count, const float *from, size_t count)
{
	void *row;

	if (!write_row(writer, &row, to_count, from, count, sizeof(*from)))
		return false;
	*to = row;
	return true;
}

static bool write_bools(const struct writer *writer, Ge__Proto__AttrDef__ListValue *list, const rstd_value *from)
{
	list->b = rows(writer, from->count, sizeof(*list->b));
	if (!list->b)
		return false;
	for (size_t i = 0; i < from->count; i++)
		list->b[i] = from->as.bools[i];
	list->n_b = from->count;
	return true;
}

static bool write_dtypes(const struct writer *writer, Ge__Proto__AttrDef__ListValue *list, const rstd_value *from)
{
	list->dt = rows(writer, from->count, sizeof(*list->dt));
	if (!list->dt)
		return false;
	for (size_t i = 0; i < from->count; i++)
		list->dt[i] = from->as.dtypes[i];
	list->n_dt = from->count;
	return true;
}

static bool write_tensors(const struct writer *writer, Ge__Proto__AttrDef__ListValue *list, const rstd_value *from)
{
	list->t = rows(writer, from->count, sizeof(*list->t));
	for (size_t i = 0; list->t && i < from->count; i++) {
		if (!write_tensor(writer, &list->t[i], &from->as.tensor[i]))
			return false;
	}
	list->n_t = from->count;
	return list->t != NULL;
}

static bool write_descs(const struct writer *writer, Ge__Proto__AttrDef__ListValue *list, const rstd_value *from)
{
	list->td = rows(writer, from->count, sizeof(*list->td));
	for (size_t i = 0; list->td && i < from->count; i++) {
		if (!NEW(writer, list->td[i], ge__proto__tensor_descriptor__init) ||
		    !write_desc(writer, list->td[i], &from->as.tensor[i].desc, NULL))
			return false;
	}
	list->n_td = from->count;
	return list->td != NULL;
}

static bool write_named_list(const struct writer *writer, Ge__Proto__AttrDef__ListValue *list, const rstd_value *from)
{
	list->na = rows(writer, from->count, sizeof(*list->na));
	for (size_t i = 0; list->na && i < from->count; i++) {
		if (!write_named(writer, &list->na[i], &from->as.named[i]))
			return false;
	}
	list->n_na = from->count;
	return list->na != NULL;
}

static bool write_list(const struct writer *writer, Ge__Proto__AttrDef *to, const rstd_value *from)
{
	Ge__Proto__AttrDef__ListValue *list;

	if (!NEW(writer, list, ge__proto__attr_def__list_value__init))
		return false;
	to->value_case = GE__PROTO__ATTR_DEF__VALUE_LIST;
	to->list = list;
	switch (from->kind) {
	case RSTD_VALUE_LIST_INT:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_INT;
		return write_ints(writer, &list->i, &list->n_i, from->as.ints, from->count);
	case RSTD_VALUE_LIST_FLOAT:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_FLOAT;
		return write_floats(writer, &list->f, &list->n_f, from->as.floats, from->count);
	case RSTD_VALUE_LIST_BOOL:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_BOOL;
		return write_bools(writer, list, from);
	case RSTD_VALUE_LIST_STRING:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_STRING;
		return write_texts(writer, &list->s, &list->n_s, from->as.texts, from->count);
	case RSTD_VALUE_LIST_BYTES:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_BYTES;
		return write_texts(writer, &list->bt, &list->n_bt, from->as.texts, from->count);
	case RSTD_VALUE_LIST_DTYPE:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_DATA_TYPE;
		return write_dtypes(writer, list, from);
	case RSTD_VALUE_LIST_TENSOR:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_TENSOR;
		return write_tensors(writer, list, from);
	case RSTD_VALUE_LIST_DESC:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_TENSOR_DESC;
		return write_descs(writer, list, from);
	default:
		list->val_type = GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_NAMED_ATTRS;
		return write_named_list(writer, list, from);
	}
}

static bool write_int_lists(const struct writer *writer, Ge__Proto__AttrDef *to, const rstd_value *from)
{
	Ge__Proto__AttrDef__ListListInt *lists;

	if (!NEW(writer, lists, ge__proto__attr_def__list_list_int__init))
		return false;
	lists->list_list_i = rows(writer, from->count, sizeof(*lists->list_list_i));
	for (size_t i = 0; lists->list_list_i && i < from->count; i++) {
		const rstd_int_list *list = &from->as.int_lists[i];
		Ge__Proto__AttrDef__ListListInt__ListInt *row;

		if (!NEW(writer, row, ge__proto__attr_def__list_list_int__list_int__init) ||
		    !write_ints(writer, &row->list_i, &row->n_list_i, list->ints, list->count))
			return false;
		lists->list_list_i[i] = row;
	}
	lists->n_list_list_i = from->count;
	to->value_case = GE__PROTO__ATTR_DEF__VALUE_LIST_LIST_INT;
	to->list_list_int = lists;
	return lists->list_list_i != NULL;
}

static bool write_float_lists(const struct writer *writer, Ge__Proto__AttrDef *to, const rstd_value *from)
{
	Ge__Proto__AttrDef__ListListFloat *lists;

	if (!NEW(writer, lists, ge__proto__attr_def__list_list_float__init))
		return false;
	lists->list_list_f = rows(writer, from->count, sizeof(*lists->list_list_f));
	for (size_t i = 0; lists->list_list_f && i < from->count; i++) {
		const rstd_float_list *list = &from->as.float_lists[i];
		Ge__Proto__AttrDef__ListListFloat__ListFloat *row;

		if (!NEW(writer, row, ge__proto__attr_def__list_list_float__list_float__init) ||
		    !write_floats(writer, &row->list_f, &row->n_list_f, list->floats, list->count))
			return false;
		lists->list_list_f[i] = row;
	}
	lists->n_list_list_f = from->count;
	to->value_case = GE__PROTO__ATTR_DEF__VALUE_LIST_LIST_FLOAT;
	to->list_list_float = lists;
	return lists->list_list_f != NULL;
}

static bool write_value(const struct writer *writer, Ge__Proto__AttrDef *to, const rstd_value *from)
{
	switch (from->kind) {
	case RSTD_VALUE_NONE:
		return true;
	case RSTD_VALUE_INT:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_I;
		to->i = from->as.i;
		return true;
	case RSTD_VALUE_FLOAT:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_F;
		to->f = from->as.f;
		return true;
	case RSTD_VALUE_BOOL:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_B;
		to->b = from->as.b;
		return true;
	case RSTD_VALUE_DTYPE:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_DT;
		to->dt = from->as.dtype;
		return true;
	case RSTD_VALUE_STRING:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_S;
		to->s = bytes_of(from->as.text.data, from->as.text.size);
		return true;
	case RSTD_VALUE_BYTES:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_BT;
		to->bt = bytes_of(from->as.text.data, from->as.text.size);
		return true;
	case RSTD_VALUE_TENSOR:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_T;
		return write_tensor(writer, &to->t, from->as.tensor);
	case RSTD_VALUE_DESC:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_TD;
		return NEW(writer, to->td, ge__proto__tensor_descriptor__init) &&
		       write_desc(writer, to->td, &from->as.tensor->desc, NULL);
	case RSTD_VALUE_NAMED_ATTRS:
		to->value_case = GE__PROTO__ATTR_DEF__VALUE_FUNC;
		return write_named(writer, &to->func, from->as.named);
	case RSTD_VALUE_LIST_LIST_INT:
		return write_int_lists(writer, to, from);
	case RSTD_VALUE_LIST_LIST_FLOAT:
		return write_float_lists(writer, to, from);
	default:
		return write_list(writer, to, from);
	}
}

/* ---- Descs ---------------------------------------------------------------------------------------------------- */

/* The most attributes that write_desc_attrs() adds to those that are there. */
#define DESC_ATTRS 6

/* A list of pairs: the least and the greatest length of each axis. */
static bool add_ranges(const struct writer *writer, struct attr_list *list, const rstd_desc *from)
{
	rstd_int_list *pairs = rows(writer, from->range_count, sizeof(*pairs));
	const rstd_value value = { .kind = RSTD_VALUE_LIST_LIST_INT,
		                   .count = from->range_count,
		                   .as.int_lists = pairs };

	for (size_t i = 0; pairs && i < from->range_count; i++)
		pairs[i] = (rstd_int_list){ 2, from->ranges + 2 * i };
	return pairs && (from->range_count == 0 || add_attr(writer, list, RSTD_SHAPE_RANGE, &value));
}

static bool write_desc_attrs(const struct writer *writer, Ge__Proto__TensorDescriptor *to, const rstd_desc *from,
                             const rstd_attrs *attrs)
{
	const rstd_value origin = { .kind = RSTD_VALUE_LIST_INT,
		                    .count = from->origin_rank,
		                    .as.ints = from->origin_dims };
	const rstd_value has_origin = { .kind = RSTD_VALUE_BOOL, .as.b = from->has_origin };
	struct attr_list list;

	if (!new_list(writer, &list, rstd_attrs_count(attrs) + DESC_ATTRS) || !write_attrs(writer, &list, attrs) ||
	    !add_int(writer, &list, "format_for_int", from->format) ||
	    !add_text(writer, &list, "origin_format", rstd_ge_format_name(from->origin_format)) ||
	    !add_int(writer, &list, "origin_format_for_int", from->origin_format) ||
	    !add_attr(writer, &list, "origin_shape_initialized", &has_origin) ||
	    (from->has_origin && !add_attr(writer, &list, "origin_shape", &origin)) || !add_ranges(writer, &list, from))
		return false;
	sort_list(&list);
	to->attr = list.at;
	to->n_attr = list.count;
	return true;
}

static bool write_desc(const struct writer *writer, Ge__Proto__TensorDescriptor *to, const rstd_desc *from,
                       const rstd_attrs *attrs)
{
	to->name = borrow(from->name);
	to->dtype = rstd__dtype_to_proto(from->dtype);
	to->layout = borrow(rstd_ge_format_name(from->format));
	to->device_type = borrow("NPU");
	to->has_out_attr = true;
	to->size = from->size;
	to->real_dim_cnt = from->real_dim_count;
	to->reuse_input = from->has_reuse_input;
	to->reuse_input_index = from->reuse_input;
	return NEW(writer, to->shape, ge__proto__shape_def__init) &&
	       write_ints(writer, &to->shape->dim, &to->shape->n_dim, from->dims, from->rank) &&
	       write_desc_attrs(writer, to, from, attrs);
}

/* ---- Operators ------------------------------------------------------------------------------------------------ */

/* A list of names without its kind, as CANN writes its tables. */
static bool add_name_table(const struct writer *writer, struct attr_list *list, const char *name,
                           const rstd_value *names)
{
	if (!add_attr(writer, list, name, names))
		return false;
	list->at[list->count - 1]->value->list->val_type =
		GE__PROTO__ATTR_DEF__LIST_VALUE__LIST_VALUE_TYPE__VT_LIST_NONE;
	return true;
}

/* Names under `key`, numbers under `numbers`, unless there are none. */
static bool add_table(const struct writer *writer, struct attr_list *list, const char *key, const char *numbers,
                      const rstd_text *names, const int64_t *values, size_t count)
{
	const rstd_value key_value = { .kind = RSTD_VALUE_LIST_STRING, .count = count, .as.texts = names };
	const rstd_value number_value = { .kind = RSTD_VALUE_LIST_INT, .count = count, .as.ints = values };

	return count == 0 || (add_name_table(writer, list, key, &key_value) &&
	                      (!numbers || add_name_table(writer, list, numbers, &number_value)));
}

static rstd_text text_of(const char *text)
{
	return (rstd_text){ text, strlen(text) };
}

static bool add_port_table(const struct writer *writer, struct attr_list *list, const struct rstd__ports *ports,
                           const char *key, const char *numbers)
{
	rstd_text *names = rows(writer, ports->count, sizeof(*names));
	int64_t *indexes = rows(writer, ports->count, sizeof(*indexes));

	if (!names || !indexes)
		return false;
	for (size_t i = 0; i < ports->count; i++) {
		names[i] = text_of(ports->at[i].name);
		indexes[i] = (int64_t)i;
	}
	return add_table(writer, list, key, numbers, names, indexes, ports->count);
}

static bool add_optional_table(const struct writer *writer, struct attr_list *list, const struct rstd__ports *ports)
{
	rstd_text *names = rows(writer, ports->count, sizeof(*names));
	size_t count = 0;

	if (!names)
		return false;
	for (size_t i = 0; i < ports->count; i++)
		if (ports->at[i].kind == RSTD_IR_OPTIONAL)
			names[count++] = text_of(ports->at[i].name);
	return add_table(writer, list, RSTD_OPTIONAL, NULL, names, NULL, count);
}

static bool add_ir_table(const struct writer *writer, struct attr_list *list, const struct rstd__ir_items *items,
                         const char *key, const char *numbers, bool outputs)
{
	rstd_text *names = rows(writer, items->count, sizeof(*names));
	int64_t *kinds = rows(writer, items->count, sizeof(*kinds));

	if (!names || !kinds)
		return false;
	for (size_t i = 0; i < items->count; i++) {
		names[i] = text_of(items->at[i].name);
		/* an output is required, 0, or dynamic, 1 */
		kinds[i] = outputs ? items->at[i].kind == RSTD_IR_DYNAMIC : (int64_t)items->at[i].kind;
	}
	return add_table(writer, list, key, numbers, names, kinds, items->count);
}

static bool add_ir_attr_table(const struct writer *writer, struct attr_list *list, const rstd_op *op)
{
	rstd_text *names = rows(writer, op->ir_attr_count, sizeof(*names));

	if (!names)
		return false;
	for (size_t i = 0; i < op->ir_attr_count; i++)
		names[i] = text_of(op->ir_attrs[i].name);
	return add_table(writer, list, RSTD_IR_ATTRS, NULL, names, NULL, op->ir_attr_count);
}

/* The tables above are at most ten attributes. */
#define OP_TABLES 10

static bool write_op_attrs(const struct writer *writer, Ge__Proto__OpDef *to, const rstd_op *op)
{
	struct attr_list list;

	if (!new_list(writer, &list, rstd_attrs_count(&op->attrs) + OP_TABLES))
		return false;
	for (size_t i = 0; i < rstd_attrs_count(&op->attrs); i++) {
		const rstd_attr *attr = rstd_attrs_at(&op->attrs, i);

		if (!writer->with_values && rstd__op_is_const(op) && strcmp(attr->name, "value") == 0)
			continue;
		if (!add_attr(writer, &list, attr->name, &attr->value))
			return false;
	}
	if (!add_port_table(writer, &list, &op->inputs, RSTD_INPUT_NAMES, RSTD_INPUT_INDEXES) ||
	    !add_port_table(writer, &list, &op->outputs, RSTD_OUTPUT_NAMES, RSTD_OUTPUT_INDEXES) ||
	    !add_optional_table(writer, &list, &op->inputs) || !add_ir_attr_table(writer, &list, op) ||
	    !add_ir_table(writer, &list, &op->ir_inputs, RSTD_IR_INPUTS, RSTD_IR_INPUT_KINDS, false) ||
	    !add_ir_table(writer, &list, &op->ir_outputs, RSTD_IR_OUTPUTS, RSTD_IR_OUTPUT_KINDS, true))
		return false;
	sort_list(&list);
	to->attr = list.at;
	to->n_attr = list.count;
	return true;
}

static bool write_ports(const struct writer *writer, Ge__Proto__TensorDescriptor ***to, size_t *to_count,
                        const struct rstd__ports *ports)
{
	*to = rows(writer, ports->count, sizeof(**to));
	for (size_t i = 0; *to && i < ports->count; i++) {
		if (!NEW(writer, (*to)[i], ge__proto__tensor_descriptor__init) ||
		    !write_desc(writer, (*to)[i], &ports->at[i].desc.desc, &ports->at[i].attrs))
			return false;
	}
	*to_count = ports->count;
	return *to != NULL;
}

/* "node:index" for each input, "" for one without an edge, then "node:-1" for each control edge. */
static bool write_inputs(const struct writer *writer, Ge__Proto__OpDef *to, const rstd_node *node)
{
	const size_t inputs = node->op->inputs.count, controls = node->control_inputs.count;

	to->input = rows(writer, inputs + controls, sizeof(*to->input));
	if (!to->input)
		return false;
	for (size_t i = 0; i < inputs; i++) {
		const struct rstd__edge edge = rstd__node_edge(node, i);

		to->input[i] = edge.node ? rstd__arena_print(writer->arena, "%s:%zu", edge.node->op->name, edge.index)
		                         : borrow("");
		if (!to->input[i])
			return false;
	}
	for (size_t i = 0; i < controls; i++) {
		to->input[inputs + i] = rstd__arena_print(writer->arena, "%s:-1", node->control_inputs.at[i]->op->name);
		if (!to->input[inputs + i])
			return false;
	}
	to->n_input = inputs + controls;
	return true;
}

/* Where inputs come from and outputs go, once more, for tools that look there. */
static bool write_ends(const struct writer *writer, Ge__Proto__OpDef *to, const rstd_node *node)
{
	const size_t inputs = node->op->inputs.count;

	to->input_name = rows(writer, inputs, sizeof(*to->input_name));
	to->src_name = rows(writer, inputs, sizeof(*to->src_name));
	to->src_index = rows(writer, inputs, sizeof(*to->src_index));
	to->dst_name = rows(writer, node->reader_count, sizeof(*to->dst_name));
	to->dst_index = rows(writer, node->reader_count, sizeof(*to->dst_index));
	if (!to->input_name || !to->src_name || !to->src_index || !to->dst_name || !to->dst_index)
		return false;
	for (size_t i = 0; i < inputs; i++) {
		const struct rstd__edge edge = rstd__node_edge(node, i);

		if (!edge.node)
			continue;
		to->input_name[to->n_input_name++] = node->op->inputs.at[i].name;
		to->src_name[to->n_src_name++] = edge.node->op->name;
		to->src_index[to->n_src_index++] = (int64_t)edge.index;
	}
	for (size_t i = 0; i < node->reader_count; i++) {
		to->dst_name[to->n_dst_name++] = node->readers[i].node->op->name;
		to->dst_index[to->n_dst_index++] = (int64_t)node->readers[i].input;
	}
	return true;
}

static bool write_subgraph_names(const struct writer *writer, Ge__Proto__OpDef *to, const rstd_op *op)
{
	size_t count = 0;

	for (size_t i = 0; i < op->subgraph_count; i++)
		count += op->subgraphs[i].count;
	to->subgraph_name = rows(writer, count, sizeof(*to->subgraph_name));
	for (size_t i = 0; to->subgraph_name && i < op->subgraph_count; i++)
		for (uint32_t k = 0; k < op->subgraphs[i].count; k++)
			if (op->subgraphs[i].instances[k])
				to->subgraph_name[to->n_subgraph_name++] = op->subgraphs[i].instances[k]->name;
	return to->subgraph_name != NULL;
}

static bool write_node(const struct writer *writer, Ge__Proto__OpDef **to, const rstd_node *node)
{
	if (!NEW(writer, *to, ge__proto__op_def__init))
		return false;
	(*to)->name = node->op->name;
	(*to)->type = node->op->type;
	(*to)->id = (int64_t)node->index;
	(*to)->has_out_attr = true;
	return write_inputs(writer, *to, node) && write_ends(writer, *to, node) &&
	       write_op_attrs(writer, *to, node->op) && write_subgraph_names(writer, *to, node->op) &&
	       write_ports(writer, &(*to)->input_desc, &(*to)->n_input_desc, &node->op->inputs) &&
	       write_ports(writer, &(*to)->output_desc, &(*to)->n_output_desc, &node->op->outputs);
}

/* ---- Graphs --------------------------------------------------------------------------------------------------- */

/* Inputs and outputs of the graph, "node:index". */
static bool write_graph_ends(const struct writer *writer, Ge__Proto__GraphDef *to, const rstd_graph *graph)
{
	to->input = rows(writer, graph->inputs.count, sizeof(*to->input));
	to->output = rows(writer, graph->output_count, sizeof(*to->output));
	if (!to->input || !to->output)
		return false;
	for (size_t i = 0; i < graph->inputs.count; i++) {
		to->input[i] = rstd__arena_print(writer->arena, "%s:0", graph->inputs.at[i]->op->name);
		if (!to->input[i])
			return false;
	}
	for (size_t i = 0; i < graph->output_count; i++) {
		to->output[i] = rstd__arena_print(writer->arena, "%s:%zu", graph->outputs[i].node->op->name,
		                                  graph->outputs[i].index);
		if (!to->output[i])
			return false;
	}
	to->n_input = graph->inputs.count;
	to->n_output = graph->output_count;
	return true;
}

/* Operators that must run and return nothing have no place in CANN's message: an attribute of our own keeps them. */
static bool add_targets(const struct writer *writer, struct attr_list *list, const rstd_graph *graph)
{
	rstd_text *names = rows(writer, graph->targets.count, sizeof(*names));
	const rstd_value value = { .kind = RSTD_VALUE_LIST_STRING, .count = graph->targets.count, .as.texts = names };

	for (size_t i = 0; names && i < graph->targets.count; i++)
		names[i] = text_of(graph->targets.at[i]->op->name);
	return names && (graph->targets.count == 0 || add_attr(writer, list, RSTD_TARGETS, &value));
}

static Ge__Proto__GraphDef *write_graph(const struct writer *writer, const rstd_graph *graph)
{
	struct attr_list list;
	Ge__Proto__GraphDef *to;

	if (!NEW(writer, to, ge__proto__graph_def__init) || !write_graph_ends(writer, to, graph) ||
	    !new_list(writer, &list, rstd_attrs_count(&graph->attrs) + 1) ||
	    !write_attrs(writer, &list, &graph->attrs) || !add_targets(writer, &list, graph))
		return NULL;
	sort_list(&list);
	to->name = graph->name;
	to->attr = list.at;
	to->n_attr = list.count;
	to->op = rows(writer, graph->nodes.count, sizeof(*to->op));
	for (size_t i = 0; to->op && i < graph->nodes.count; i++) {
		if (!write_node(writer, &to->op[i], graph->nodes.at[i]))
			return NULL;
	}
	to->n_op = graph->nodes.count;
	return to->op ? to : NULL;
}

static bool write_model_attrs(const struct writer *writer, Ge__Proto__ModelDef *model)
{
	static const char *const zeros[] = { "event_num",       "label_num",  "memory_size",
		                             "p2p_memory_size", "stream_num", "weight_size" };
	const size_t count = sizeof(zeros) / sizeof(zeros[0]);
	struct attr_list list;

	if (!new_list(writer, &list, count + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!add_int(writer, &list, zeros[i], 0))
			return false;
	}
	if (!add_text(writer, &list, "target_type", "MINI"))
		return false;
	sort_list(&list);
	model->attr = list.at;
	model->n_attr = list.count;
	return true;
}

Ge__Proto__ModelDef *rstd__model_write(const struct rstd__family *family, bool with_values, struct rstd__arena *arena)
{
	const struct writer writer = { .arena = arena, .with_values = with_values };
	Ge__Proto__ModelDef *model;

	if (!NEW(&writer, model, ge__proto__model_def__init) || !write_model_attrs(&writer, model))
		return NULL;
	model->graph = rows(&writer, family->count, sizeof(*model->graph));
	for (size_t i = 0; model->graph && i < family->count; i++) {
		model->graph[i] = write_graph(&writer, family->at[i]);
		if (!model->graph[i])
			return NULL;
	}
	model->n_graph = family->count;
	return model->graph ? model : NULL;
}
