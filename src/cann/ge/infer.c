/*
 * infer.c - the rule of each operator's dtype and shape
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rules and the wording of some messages are those of CANN's infer functions, which programs look for.
 */
#include "cann/ge/infer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cann/ge/message.h"

/* ---- Frames -------------------------------------------------------------------------------------------------- */

rstd_ge_status rstd__frame_fail(const struct rstd__frame *f, const char *format, ...)
{
	char text[700];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return rstd__ge_fail("%s(%s): %s", f->name, f->proto->type, text);
}

static const rstd_value *attr_value(const struct rstd__frame *f, const char *name)
{
	const rstd_value *value = rstd_attrs_get(f->attrs, name);

	return value ? value : &rstd__proto_attr(f->proto, name)->value;
}

int64_t rstd__frame_int(const struct rstd__frame *f, const char *name)
{
	return attr_value(f, name)->as.i;
}

float rstd__frame_float(const struct rstd__frame *f, const char *name)
{
	return attr_value(f, name)->as.f;
}

bool rstd__frame_bool(const struct rstd__frame *f, const char *name)
{
	return attr_value(f, name)->as.b;
}

const int64_t *rstd__frame_ints(const struct rstd__frame *f, const char *name, size_t *count)
{
	const rstd_value *value = attr_value(f, name);

	*count = value->count;
	return value->as.ints;
}

bool rstd__shape_from_desc(struct rstd__shape *shape, const rstd_desc *desc)
{
	if (desc->rank > RSTD__MAX_DIMS)
		return false;
	shape->dtype = desc->dtype;
	shape->unknown_rank = desc->rank > 0 && desc->dims[0] == -2;
	shape->rank = shape->unknown_rank ? 0 : desc->rank;
	if (shape->rank > 0)
		memcpy(shape->dims, desc->dims, shape->rank * sizeof(*shape->dims));
	return true;
}

bool rstd__ints_from_data(struct rstd__ints *ints, int32_t dtype, const void *data, size_t count)
{
	const unsigned char *bytes = data;

	if (count > RSTD__MAX_DIMS || (dtype != RSTD_DT_INT32 && dtype != RSTD_DT_INT64))
		return false;
	for (size_t i = 0; i < count; i++) {
		int32_t narrow;

		if (dtype == RSTD_DT_INT64) {
			memcpy(&ints->at[i], bytes + i * sizeof(int64_t), sizeof(int64_t));
			continue;
		}
		memcpy(&narrow, bytes + i * sizeof(narrow), sizeof(narrow));
		ints->at[i] = narrow;
	}
	ints->count = count;
	ints->known = true;
	return true;
}

int64_t rstd__dims_count(const int64_t *dims, size_t rank)
{
	int64_t count = 1;

	for (size_t i = 0; i < rank; i++)
		if (dims[i] == 0)
			return 0;
	for (size_t i = 0; i < rank; i++) {
		if (count > INT64_MAX / dims[i])
			return -1;
		count *= dims[i];
	}
	return count;
}

size_t rstd__proto_input_of(const struct rstd__proto *proto, const rstd_op *op, size_t k)
{
	const int32_t at = rstd_op_find_input(op, proto->inputs[k].name);

	if (at >= 0)
		return (size_t)at;
	return k < rstd_op_input_count(op) ? k : SIZE_MAX;
}

size_t rstd__proto_output_of(const struct rstd__proto *proto, const rstd_op *op, size_t k)
{
	const int32_t at = rstd_op_find_output(op, proto->outputs[k].name);

	if (at >= 0)
		return (size_t)at;
	return k < rstd_op_output_count(op) ? k : SIZE_MAX;
}

/* ---- Verification -------------------------------------------------------------------------------------------- */

rstd_ge_status rstd__verify(const struct rstd__proto *proto, const char *name, const rstd_attrs *attrs)
{
	for (size_t i = 0; i < RSTD__MAX_ATTRS && proto->attrs[i].name; i++) {
		const struct rstd__proto_attr *attr = &proto->attrs[i];
		const rstd_value *value = rstd_attrs_get(attrs, attr->name);

		if (!value && attr->required)
			return rstd__ge_fail("%s(%s): attribute %s is required and has no value", name, proto->type,
			                     attr->name);
		if (value && value->kind != attr->value.kind)
			return rstd__ge_fail("%s(%s): attribute %s is a %s, must be a %s", name, proto->type,
			                     attr->name, rstd_value_kind_name(value->kind),
			                     rstd_value_kind_name(attr->value.kind));
	}
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status check_inputs(const struct rstd__frame *f)
{
	for (size_t k = 0; k < rstd__proto_input_count(f->proto); k++) {
		const struct rstd__proto_port *port = &f->proto->inputs[k];
		const int32_t dtype = f->in[k].dtype;

		if (!f->present[k] && port->kind == RSTD_IR_REQUIRED)
			return rstd__frame_fail(f, "input %s is missing: nothing is linked to it", port->name);
		if (!f->present[k])
			continue;
		if (dtype < 0 || dtype >= 64 || !(port->dtypes >> dtype & 1)) {
			rstd__frame_fail(f, "input %s has dtype %s (%d), which the prototype does not allow",
			                 port->name, rstd_ge_dtype_name(dtype), dtype);
			return rstd__ge_fail("Verifying %s failed", f->name);
		}
	}
	return RSTD_GE_SUCCESS;
}

/* ---- Axes ---------------------------------------------------------------------------------------------------- */

/* A list of axes and what messages call it. */
struct axes {
	const char *name;
	const int64_t *at;
	size_t count;
	bool may_repeat;
};

/* *mask: bit a is set for axis a of `rank`, at most 64. */
static rstd_ge_status axes_mask(const struct rstd__frame *f, const struct axes *axes, size_t rank, uint64_t *mask)
{
	const int64_t r = (int64_t)rank;

	*mask = 0;
	for (size_t i = 0; i < axes->count; i++) {
		const int64_t axis = axes->at[i], from_first = axis < 0 ? axis + r : axis;

		if (axis < -r || axis >= r)
			return rstd__frame_fail(f, "%s[%zu]=%" PRId64 " out of range [-%zu, %zu)", axes->name, i, axis,
			                        rank, rank);
		if (!axes->may_repeat && *mask >> from_first & 1)
			return rstd__frame_fail(f, "duplicate %s %" PRId64 " (idx=%zu)", axes->name, axis, i);
		*mask |= UINT64_C(1) << from_first;
	}
	return RSTD_GE_SUCCESS;
}

static void reduce_dims(const struct rstd__shape *x, uint64_t mask, bool keep, struct rstd__shape *y)
{
	y->dtype = x->dtype;
	y->unknown_rank = false;
	y->rank = 0;
	for (size_t a = 0; a < x->rank; a++) {
		if (!(mask >> a & 1))
			y->dims[y->rank++] = x->dims[a];
		else if (keep)
			y->dims[y->rank++] = 1;
	}
}

static uint64_t all_axes(size_t rank)
{
	return (UINT64_C(1) << rank) - 1;
}

/* ---- Rules --------------------------------------------------------------------------------------------------- */

static rstd_ge_status infer_same(struct rstd__frame *f)
{
	f->out[0] = f->in[0];
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status infer_const(struct rstd__frame *f)
{
	const rstd_ge_tensor *value = attr_value(f, "value")->as.tensor;

	if (!rstd__shape_from_desc(&f->out[0], &value->desc))
		return rstd__frame_fail(f, "attribute value has rank %zu, must be at most %d", value->desc.rank,
		                        RSTD__MAX_DIMS);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status infer_cast(struct rstd__frame *f)
{
	const int64_t dtype = rstd__frame_int(f, "dst_type");

	if (dtype < 0 || dtype >= 64 || !(f->proto->outputs[0].dtypes >> dtype & 1))
		return rstd__frame_fail(f, "attribute dst_type is %" PRId64 ", which the prototype does not allow",
		                        dtype);
	f->out[0] = f->in[0];
	f->out[0].dtype = (int32_t)dtype;
	return RSTD_GE_SUCCESS;
}

/* *known is false when an input says the axes and its elements are not known. */
static struct axes given_axes(const struct rstd__frame *f, const char *attr, bool *known)
{
	static const int64_t none = 0;
	struct axes axes = { .name = attr, .at = &none };

	*known = true;
	if (!f->proto->inputs[1].name) {
		axes.at = rstd__frame_ints(f, attr, &axes.count);
		return axes;
	}
	axes.name = f->proto->inputs[1].name;
	if (!f->present[1])
		return axes;
	*known = f->ints[1].known;
	axes.at = f->ints[1].at;
	axes.count = f->ints[1].count;
	return axes;
}

static const char *first_attr(const struct rstd__frame *f)
{
	return f->proto->attrs[0].name;
}

/* How many elements the second input has; -1 when that is not known. */
static int64_t second_input_count(const struct rstd__frame *f)
{
	const struct rstd__shape *s = &f->in[1];

	if (s->unknown_rank)
		return -1;
	for (size_t a = 0; a < s->rank; a++)
		if (s->dims[a] < 0)
			return -1;
	return rstd__dims_count(s->dims, s->rank);
}

static void make_unknown(struct rstd__shape *y, int64_t rank)
{
	y->unknown_rank = rank < 0 || rank > RSTD__MAX_DIMS;
	y->rank = y->unknown_rank ? 0 : (size_t)rank;
	for (size_t a = 0; a < y->rank; a++)
		y->dims[a] = -1;
}

static rstd_ge_status infer_unsqueeze(struct rstd__frame *f)
{
	bool known;
	const struct axes axes = given_axes(f, first_attr(f), &known);
	const struct rstd__shape *x = &f->in[0];
	struct rstd__shape *y = &f->out[0];
	const int64_t new_axes = known ? (int64_t)axes.count : second_input_count(f);
	size_t from = 0;
	uint64_t mask;

	y->dtype = x->dtype;
	if (x->unknown_rank || !known) {
		make_unknown(y, x->unknown_rank || new_axes < 0 ? -1 : (int64_t)x->rank + new_axes);
		return RSTD_GE_SUCCESS;
	}
	if (axes.count > RSTD__MAX_DIMS - x->rank)
		return rstd__frame_fail(f, "%s has %zu axes for rank %zu; the output's rank must be at most %d",
		                        axes.name, axes.count, x->rank, RSTD__MAX_DIMS);
	y->unknown_rank = false;
	y->rank = x->rank + axes.count;
	if (axes_mask(f, &axes, y->rank, &mask) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	for (size_t a = 0; a < y->rank; a++)
		y->dims[a] = mask >> a & 1 ? 1 : x->dims[from++];
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status infer_squeeze(struct rstd__frame *f)
{
	bool known;
	struct axes axes = given_axes(f, first_attr(f) ? first_attr(f) : "", &known);
	const struct rstd__shape *x = &f->in[0];
	struct rstd__shape *y = &f->out[0];
	uint64_t mask = 0;

	y->dtype = x->dtype;
	make_unknown(y, -1);
	if (x->unknown_rank || !known)
		return RSTD_GE_SUCCESS;
	axes.may_repeat = true;
	if (axes_mask(f, &axes, x->rank, &mask) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	for (size_t a = 0; a < x->rank; a++) {
		if (axes.count == 0 && x->dims[a] == -1)
			return RSTD_GE_SUCCESS; /* whether it goes is not known: nor is the rank */
		if (axes.count == 0 && x->dims[a] == 1)
			mask |= UINT64_C(1) << a;
		if (mask >> a & 1 && x->dims[a] != 1 && x->dims[a] != -1)
			return rstd__frame_fail(f, "%s names dim %zu, which is %" PRId64 ", must be 1", axes.name, a,
			                        x->dims[a]);
	}
	reduce_dims(x, mask, false, y);
	return RSTD_GE_SUCCESS;
}

/* The one -1 of a new shape, from the number of elements of x. */
static rstd_ge_status fill_missing_dim(const struct rstd__frame *f, struct rstd__shape *y)
{
	const struct rstd__shape *x = &f->in[0];
	size_t missing = SIZE_MAX;
	int64_t count, known = 1;

	for (size_t a = 0; a < y->rank; a++) {
		if (y->dims[a] == -1 && missing != SIZE_MAX)
			return rstd__frame_fail(f, "shape has more than one -1, at %zu and %zu", missing, a);
		if (y->dims[a] < -1)
			return rstd__frame_fail(f, "shape[%zu]=%" PRId64 " must be at least -1", a, y->dims[a]);
		if (y->dims[a] == -1)
			missing = a;
	}
	for (size_t a = 0; a < x->rank; a++)
		if (x->dims[a] < 0)
			return RSTD_GE_SUCCESS; /* some length of x is not known: -1 stays */
	if (x->unknown_rank)
		return RSTD_GE_SUCCESS;
	count = rstd__dims_count(x->dims, x->rank);
	if (count < 0)
		return rstd__frame_fail(f, "x has more than INT64_MAX elements");
	for (size_t a = 0; a < y->rank && known >= 0; a++) {
		if (a != missing && y->dims[a] != 0 && known > INT64_MAX / y->dims[a])
			known = -1;
		else if (a != missing)
			known *= y->dims[a];
	}
	if (missing != SIZE_MAX && known > 0 && count % known == 0)
		y->dims[missing] = count / known;
	else if (missing != SIZE_MAX || known != count)
		return rstd__frame_fail(f, "shape holds %" PRId64 " elements%s, x has %" PRId64, known,
		                        missing != SIZE_MAX ? " beside its -1" : "", count);
	return RSTD_GE_SUCCESS;
}

/* The new shape stands in place of the dims [first, first + replaced) of x. */
static rstd_ge_status infer_reshape(struct rstd__frame *f)
{
	const struct rstd__shape *x = &f->in[0];
	struct rstd__shape *y = &f->out[0];
	int64_t first = rstd__frame_int(f, "axis"), replaced = rstd__frame_int(f, "num_axes");
	const int64_t rank = (int64_t)x->rank;
	size_t kept, tail;

	y->dtype = x->dtype;
	if (!f->ints[1].known) {
		make_unknown(y, first == 0 && replaced == -1 ? second_input_count(f) : -1);
		return RSTD_GE_SUCCESS;
	}
	if (x->unknown_rank && (first != 0 || replaced != -1)) {
		make_unknown(y, -1);
		return RSTD_GE_SUCCESS;
	}
	first += first < 0 ? rank + 1 : 0;
	if (first < 0 || first > rank)
		return rstd__frame_fail(f, "attribute axis is %" PRId64 ", must be in [-%" PRId64 ", %" PRId64 "]",
		                        rstd__frame_int(f, "axis"), rank + 1, rank);
	replaced = replaced == -1 ? rank - first : replaced;
	if (replaced < 0 || replaced > rank - first)
		return rstd__frame_fail(f, "attribute num_axes is %" PRId64 ", must be in [-1, %" PRId64 "]",
		                        rstd__frame_int(f, "num_axes"), rank - first);
	kept = (size_t)first;
	tail = (size_t)(rank - first - replaced);
	if (kept + f->ints[1].count + tail > RSTD__MAX_DIMS)
		return rstd__frame_fail(f, "the output's rank would be %zu, must be at most %d",
		                        kept + f->ints[1].count + tail, RSTD__MAX_DIMS);
	y->unknown_rank = false;
	y->rank = kept + f->ints[1].count + tail;
	memcpy(y->dims, x->dims, kept * sizeof(*y->dims));
	memcpy(y->dims + kept, f->ints[1].at, f->ints[1].count * sizeof(*y->dims));
	memcpy(y->dims + kept + f->ints[1].count, x->dims + rank - (int64_t)tail, tail * sizeof(*y->dims));
	return fill_missing_dim(f, y);
}

static rstd_ge_status infer_broadcast_to(struct rstd__frame *f, bool ones_keep)
{
	bool known;
	const struct axes target = given_axes(f, "shape", &known);
	const struct rstd__shape *x = &f->in[0];
	struct rstd__shape *y = &f->out[0];

	y->dtype = x->dtype;
	if (!known || x->unknown_rank) {
		make_unknown(y, known ? (int64_t)target.count : second_input_count(f));
		for (size_t a = 0; known && a < y->rank; a++)
			y->dims[a] = target.at[a] == 1 && ones_keep ? -1 : target.at[a];
		return RSTD_GE_SUCCESS;
	}
	if (target.count < x->rank || target.count > RSTD__MAX_DIMS)
		return rstd__frame_fail(f, "shape has %zu dims, must have at least the %zu of x and at most %d",
		                        target.count, x->rank, RSTD__MAX_DIMS);
	y->unknown_rank = false;
	y->rank = target.count;
	for (size_t a = 0; a < y->rank; a++) {
		const size_t leading = y->rank - x->rank;
		const int64_t from = a < leading ? 1 : x->dims[a - leading];
		const int64_t to = target.at[a];

		if (to == -1 || (to == 1 && ones_keep))
			y->dims[a] = from;
		else if (to >= 0 && (from == 1 || from == -1 || from == to))
			y->dims[a] = to;
		else
			return rstd__frame_fail(f,
			                        "shape[%zu]=%" PRId64 " does not fit x, whose length there is %" PRId64
			                        ": must be that length, -1, or any where it is 1",
			                        a, to, from);
	}
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status infer_broadcast(struct rstd__frame *f)
{
	return infer_broadcast_to(f, false);
}

static rstd_ge_status infer_expand(struct rstd__frame *f)
{
	return infer_broadcast_to(f, true);
}

/* The dim, counted from the last, of a shape that is padded with ones in front. */
static int64_t padded_dim(const struct rstd__shape *s, size_t from_last)
{
	return from_last < s->rank ? s->dims[s->rank - 1 - from_last] : 1;
}

static rstd_ge_status broadcast_shapes(struct rstd__frame *f)
{
	const struct rstd__shape *a = &f->in[0], *b = &f->in[1];
	struct rstd__shape *y = &f->out[0];

	make_unknown(y, -1);
	if (a->unknown_rank || b->unknown_rank)
		return RSTD_GE_SUCCESS;
	make_unknown(y, (int64_t)(a->rank > b->rank ? a->rank : b->rank));
	for (size_t i = 0; i < y->rank; i++) {
		const int64_t m = padded_dim(a, i), n = padded_dim(b, i);
		int64_t *to = &y->dims[y->rank - 1 - i];

		if (m == n || n == 1)
			*to = m;
		else if (m == 1)
			*to = n;
		else if (m == -1 || n == -1)
			*to = m == -1 ? n : m;
		else
			return rstd__frame_fail(f,
			                        "dim %zu from the last is %" PRId64 " in x1 and %" PRId64
			                        " in x2; they must be equal, or one of them 1",
			                        i, m, n);
	}
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status infer_elementwise(struct rstd__frame *f)
{
	f->out[0].dtype = f->in[0].dtype;
	if (f->in[1].dtype != f->in[0].dtype)
		return rstd__frame_fail(f, "x2 dtype %d != x1 dtype %d", f->in[1].dtype, f->in[0].dtype);
	return broadcast_shapes(f);
}

/* Whether every value of one dtype is a value of the other. */
static bool is_wider(int32_t wide, int32_t narrow)
{
	static const struct {
		int32_t dtype;
		uint64_t holds;
	} wider[] = {
		{ RSTD_DT_INT16, RSTD__DTYPE_BIT(INT8) | RSTD__DTYPE_BIT(UINT8) },
		{ RSTD_DT_UINT16, RSTD__DTYPE_BIT(UINT8) },
		{ RSTD_DT_INT32,
		  RSTD__DTYPE_BIT(INT8) | RSTD__DTYPE_BIT(UINT8) | RSTD__DTYPE_BIT(INT16) | RSTD__DTYPE_BIT(UINT16) },
		{ RSTD_DT_INT64, RSTD__DTYPE_BIT(INT8) | RSTD__DTYPE_BIT(UINT8) | RSTD__DTYPE_BIT(INT16) |
		                         RSTD__DTYPE_BIT(UINT16) | RSTD__DTYPE_BIT(INT32) },
		{ RSTD_DT_FLOAT, RSTD__DTYPE_BIT(FLOAT16) | RSTD__DTYPE_BIT(BF16) },
		{ RSTD_DT_DOUBLE, RSTD__DTYPE_BIT(FLOAT16) | RSTD__DTYPE_BIT(BF16) | RSTD__DTYPE_BIT(FLOAT) },
	};

	for (size_t i = 0; i < sizeof(wider) / sizeof(*wider); i++)
		if (wider[i].dtype == wide)
			return wider[i].holds >> narrow & 1;
	return false;
}

/* The least dtype that holds the values of both. */
static rstd_ge_status infer_mul(struct rstd__frame *f)
{
	const int32_t a = f->in[0].dtype, b = f->in[1].dtype;

	if (a == b || is_wider(a, b))
		f->out[0].dtype = a;
	else if (is_wider(b, a))
		f->out[0].dtype = b;
	else if (is_wider(RSTD_DT_INT16, a) && is_wider(RSTD_DT_INT16, b))
		f->out[0].dtype = RSTD_DT_INT16;
	else if (is_wider(RSTD_DT_INT32, a) && is_wider(RSTD_DT_INT32, b))
		f->out[0].dtype = RSTD_DT_INT32;
	else if (is_wider(RSTD_DT_FLOAT, a) && is_wider(RSTD_DT_FLOAT, b))
		f->out[0].dtype = RSTD_DT_FLOAT;
	else
		return rstd__frame_fail(f, "x1 dtype %d and x2 dtype %d have no dtype here that holds both", a, b);
	return broadcast_shapes(f);
}

/* ReduceMean, ReduceSum and their forms with an attribute. */
static rstd_ge_status infer_reduce(struct rstd__frame *f)
{
	const struct rstd__shape *x = &f->in[0];
	const bool keep = rstd__frame_bool(f, "keep_dims");
	const struct rstd__proto_attr *noop = rstd__proto_attr(f->proto, "noop_with_empty_axes");
	bool known;
	struct axes axes = given_axes(f, "axes", &known);

	f->out[0].dtype = x->dtype;
	make_unknown(&f->out[0], -1);
	if (x->unknown_rank)
		return RSTD_GE_SUCCESS;
	if (!known) {
		const int64_t count = keep ? 0 : second_input_count(f);

		make_unknown(&f->out[0], count < 0 || count > (int64_t)x->rank ? -1 : (int64_t)x->rank - count);
		return RSTD_GE_SUCCESS;
	}
	axes.may_repeat = true;
	/* a scalar counts as one axis */
	if (axes_mask(f, &axes, x->rank ? x->rank : 1, &f->axes) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	if (axes.count == 0 && !(noop && rstd__frame_bool(f, "noop_with_empty_axes")))
		f->axes = all_axes(x->rank);
	f->axes &= all_axes(x->rank);
	reduce_dims(x, f->axes, keep, &f->out[0]);
	return RSTD_GE_SUCCESS;
}

/* ReduceStdWithMean, ReduceStdV2, ReduceVar, ReduceStdV2Update: the shape of every output. */
static rstd_ge_status infer_std_shape(struct rstd__frame *f, bool may_repeat, struct rstd__shape *y)
{
	const struct rstd__shape *x = &f->in[0];
	struct axes axes = { .name = "dim", .may_repeat = may_repeat };

	y->dtype = x->dtype;
	make_unknown(y, -1);
	if (x->unknown_rank)
		return RSTD_GE_SUCCESS;
	if (x->rank > 8)
		return rstd__frame_fail(f, "xRank=%zu exceeds max supported rank 8", x->rank);
	axes.at = rstd__frame_ints(f, "dim", &axes.count);
	if (x->rank > 0 && axes_mask(f, &axes, x->rank, &f->axes) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	if (axes.count == 0)
		f->axes = all_axes(x->rank);
	reduce_dims(x, f->axes, rstd__frame_bool(f, "keepdim"), y);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status infer_std_with_mean(struct rstd__frame *f)
{
	struct rstd__shape *y = &f->out[0];

	if (infer_std_shape(f, false, y) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	/* a scalar with keepdim becomes one element of rank 1 */
	if (!f->in[0].unknown_rank && f->in[0].rank == 0 && rstd__frame_bool(f, "keepdim")) {
		y->rank = 1;
		y->dims[0] = 1;
	}
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status infer_std(struct rstd__frame *f)
{
	const rstd_ge_status status = infer_std_shape(f, true, &f->out[0]);

	f->out[1] = f->out[0];
	return status;
}

rstd_ge_status rstd__tiling_failed(const struct rstd__frame *f)
{
	return rstd__ge_fail("Tiling func of %s(%s) failed", f->name, f->proto->type);
}

static rstd_ge_status infer_std_update(struct rstd__frame *f)
{
	if (infer_std_shape(f, true, &f->out[0]) != RSTD_GE_SUCCESS)
		return rstd__tiling_failed(f);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status (*const rules[])(struct rstd__frame *f) = {
	[RSTD__DATA] = infer_same,
	[RSTD__CONST] = infer_const,
	[RSTD__IDENTITY] = infer_same,
	[RSTD__CAST] = infer_cast,
	[RSTD__UNSQUEEZE] = infer_unsqueeze,
	[RSTD__SQUEEZE] = infer_squeeze,
	[RSTD__RESHAPE] = infer_reshape,
	[RSTD__BROADCAST] = infer_broadcast,
	[RSTD__EXPAND] = infer_expand,
	[RSTD__ADD] = infer_elementwise,
	[RSTD__SUB] = infer_elementwise,
	[RSTD__MUL] = infer_mul,
	[RSTD__DIV] = infer_elementwise,
	[RSTD__SQRT] = infer_same,
	[RSTD__RSQRT] = infer_same,
	[RSTD__ADD_SCALAR] = infer_same,
	[RSTD__MUL_SCALAR] = infer_same,
	[RSTD__MEAN] = infer_reduce,
	[RSTD__SUM] = infer_reduce,
	[RSTD__STD_WITH_MEAN] = infer_std_with_mean,
	[RSTD__STD] = infer_std,
	[RSTD__VAR] = infer_std,
	[RSTD__STD_UPDATE] = infer_std_update,
};

rstd_ge_status rstd__infer(struct rstd__frame *f)
{
	if (check_inputs(f) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	f->axes = 0;
	return rules[f->proto->action](f);
}
