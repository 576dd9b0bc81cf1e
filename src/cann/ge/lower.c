/*
 * lower.c - from a node to steps and views
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/form.h"
#include "cann/ge/message.h"

/* ---- Values -------------------------------------------------------------------------------------------------- */

size_t rstd__value_count(const struct rstd__value *v)
{
	return (size_t)rstd__dims_count(v->dims, v->rank);
}

size_t rstd__value_bytes(const struct rstd__value *v)
{
	return rstd__value_count(v) * (size_t)rstd_ge_dtype_size(v->dtype);
}

/* Where there are no elements the product of the other dims may be beyond all numbers, and strides do not matter. */
static void set_row_major(struct rstd__value *v)
{
	const bool empty = rstd__value_count(v) == 0;
	int64_t stride = 1;

	for (size_t a = v->rank; a-- > 0;) {
		v->strides[a] = stride;
		stride *= empty ? 1 : v->dims[a];
	}
}

bool rstd__value_is_contiguous(const struct rstd__value *v)
{
	int64_t stride = 1;

	if (rstd__value_count(v) == 0)
		return true;
	for (size_t a = v->rank; a-- > 0;) {
		if (v->dims[a] != 1 && v->strides[a] != stride)
			return false;
		stride *= v->dims[a];
	}
	return true;
}

bool rstd__value_is_same(const struct rstd__value *a, const struct rstd__value *b)
{
	if (a->storage != b->storage || a->dtype != b->dtype || a->rank != b->rank)
		return false;
	for (size_t i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i] || (a->dims[i] != 1 && a->strides[i] != b->strides[i]))
			return false;
	return true;
}

/* ---- Steps and storages -------------------------------------------------------------------------------------- */

struct rstd__step *rstd__step_new(struct rstd__builder *b, enum rstd__step_kind kind, const rstd_node *node)
{
	struct rstd__form *form = b->form;
	struct rstd__step *steps;

	steps = rstd__grown(form->steps, &form->step_capacity, form->step_count + 1, sizeof(*steps));
	if (!steps) {
		(void)rstd__ge_no_memory("a step");
		return NULL;
	}
	form->steps = steps;
	steps += form->step_count++;
	memset(steps, 0, sizeof(*steps));
	steps->kind = kind;
	steps->node = node;
	for (size_t k = 0; k < 2; k++)
		steps->in[k].storage = steps->out[k].storage = RSTD__NONE;
	return steps;
}

static rstd_ge_status new_storage(struct rstd__builder *b, const struct rstd__storage *contents, size_t *index)
{
	struct rstd__form *form = b->form;
	struct rstd__storage *storages;

	storages = rstd__grown(form->storages, &form->storage_capacity, form->storage_count + 1, sizeof(*storages));
	if (!storages)
		return rstd__ge_no_memory("a tensor");
	form->storages = storages;
	*index = form->storage_count++;
	storages[*index] = *contents;
	storages[*index].offset = storages[*index].result = RSTD__NONE;
	return RSTD_GE_SUCCESS;
}

/* The bytes of a tensor, checked: at most PTRDIFF_MAX / 4, as rstd.h has it. */
static rstd_ge_status tensor_bytes(const rstd_node *node, const struct rstd__value *v, size_t *bytes)
{
	const int size = rstd_ge_dtype_size(v->dtype);
	const int64_t count = rstd__dims_count(v->dims, v->rank);

	if (size <= 0 || size > 1000)
		return rstd__ge_fail("%s(%s): dtype %s (%d) does not run here", node->op->name, node->op->type,
		                     rstd_ge_dtype_name(v->dtype), v->dtype);
	if (count < 0 || count > PTRDIFF_MAX / 4 / size)
		return rstd__ge_fail("%s(%s): a tensor would have more than PTRDIFF_MAX / 4 bytes", node->op->name,
		                     node->op->type);
	*bytes = (size_t)count * (size_t)size;
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd__step_output(struct rstd__builder *b, size_t step, size_t k, int32_t dtype, size_t rank,
                                 const int64_t *dims)
{
	struct rstd__value *out = &b->form->steps[step].out[k];
	struct rstd__storage storage = { .kind = RSTD__COMPUTED, .step = step };
	rstd_ge_status status;

	out->dtype = dtype;
	out->rank = rank;
	memcpy(out->dims, dims, rank * sizeof(*dims));
	status = tensor_bytes(b->form->steps[step].node, out, &storage.bytes);
	if (status != RSTD_GE_SUCCESS)
		return status;
	set_row_major(out);
	return new_storage(b, &storage, &out->storage);
}

/* ---- Views --------------------------------------------------------------------------------------------------- */

/* The output's dtype and dims, as inferred; its strides and storage are for the caller to say. */
static rstd_ge_status inferred_value(const struct rstd__frame *f, size_t k, struct rstd__value *v)
{
	const struct rstd__shape *shape = &f->out[k];

	if (shape->unknown_rank)
		return rstd__frame_fail(f, "the rank of output %s is not known before it runs",
		                        f->proto->outputs[k].name);
	if (shape->rank > RSTD_MAX_RANK)
		return rstd__frame_fail(f, "output %s has rank %zu, must be at most %d to run",
		                        f->proto->outputs[k].name, shape->rank, RSTD_MAX_RANK);
	for (size_t a = 0; a < shape->rank; a++)
		if (shape->dims[a] < 0)
			return rstd__frame_fail(f, "dim %zu of output %s is not known before it runs", a,
			                        f->proto->outputs[k].name);
	if (rstd__dims_count(shape->dims, shape->rank) < 0)
		return rstd__frame_fail(f, "output %s has more than INT64_MAX elements", f->proto->outputs[k].name);
	v->dtype = shape->dtype;
	v->rank = shape->rank;
	memcpy(v->dims, shape->dims, shape->rank * sizeof(*v->dims));
	return RSTD_GE_SUCCESS;
}

/* The axes of x that are not of length 1. */
static size_t squeezed(const struct rstd__value *x, int64_t *dims, int64_t *strides)
{
	size_t rank = 0;

	for (size_t a = 0; a < x->rank; a++) {
		if (x->dims[a] == 1)
			continue;
		dims[rank] = x->dims[a];
		strides[rank++] = x->strides[a];
	}
	return rank;
}

/*
 * Sets y's strides, over its dims, to walk x's elements in x's order; false where no strides do. Groups of axes with
 * equal products hold the same elements; within each, the axes of x must walk memory as one.
 */
static bool view_as(const struct rstd__value *x, struct rstd__value *y)
{
	int64_t dims[RSTD_MAX_RANK] = { 0 }, strides[RSTD_MAX_RANK] = { 0 };
	const size_t rank = squeezed(x, dims, strides);
	size_t i = 0, j = 0;

	set_row_major(y);
	if (rstd__value_is_contiguous(x))
		return true;
	while (i < rank) {
		int64_t from = dims[i], to = y->dims[j], stride;
		size_t i_end = i + 1, j_end = j + 1;

		while (from != to) {
			if (to < from)
				to *= y->dims[j_end++];
			else
				from *= dims[i_end++];
		}
		for (size_t a = i; a + 1 < i_end; a++)
			if (strides[a] != strides[a + 1] * dims[a + 1])
				return false;
		stride = strides[i_end - 1];
		for (size_t a = j_end; a-- > j;) {
			y->strides[a] = stride;
			stride *= y->dims[a];
		}
		i = i_end;
		j = j_end;
	}
	return true;
}

rstd_ge_status rstd__copy_step(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *v,
                               struct rstd__value *copy)
{
	const size_t step = b->form->step_count;
	struct rstd__step *s = rstd__step_new(b, RSTD__ELEMENTWISE, node);
	rstd_ge_status status;

	if (!s)
		return RSTD_GE_FAILED;
	s->in[0] = *v;
	s->loop = (struct rstd__elementwise){ .op = RSTD__OP_COPY, .from = v->dtype, .to = v->dtype };
	status = rstd__step_output(b, step, RSTD__OUT_Y, v->dtype, v->rank, v->dims);
	if (status == RSTD_GE_SUCCESS)
		*copy = b->form->steps[step].out[RSTD__OUT_Y];
	return status;
}

/* y, whose dims are set, is x in another shape: a view, or where none will do a copy. */
static rstd_ge_status reshape(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *x,
                              struct rstd__value *y)
{
	struct rstd__value copy;

	if (view_as(x, y)) {
		y->storage = x->storage;
		b->form->views++;
		return RSTD_GE_SUCCESS;
	}
	if (rstd__copy_step(b, node, x, &copy) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	(void)view_as(&copy, y);
	y->storage = copy.storage;
	return RSTD_GE_SUCCESS;
}

/* x over the dims of y, which are set: axes of length 1, and those that x lacks in front, get strides of 0. */
static void broadcast(const struct rstd__value *x, struct rstd__value *y)
{
	const size_t leading = y->rank - x->rank;

	y->storage = x->storage;
	for (size_t a = 0; a < y->rank; a++) {
		const bool repeated = a < leading || (x->dims[a - leading] == 1 && y->dims[a] != 1);

		y->strides[a] = repeated ? 0 : x->strides[a - leading];
	}
}

/* ---- Nodes --------------------------------------------------------------------------------------------------- */

/* One node on its way into steps: inputs and outputs in the order of its prototype. */
struct lowering {
	struct rstd__builder *b;
	const rstd_node *node;
	struct rstd__frame f;
	struct rstd__value in[RSTD__MAX_INPUTS], out[RSTD__MAX_OUTPUTS];
};

static rstd_ge_status lower_data(struct lowering *l)
{
	const size_t feed = (size_t)rstd__frame_int(&l->f, "index");
	const struct rstd__storage storage = { .kind = RSTD__FEED,
		                               .feed = feed,
		                               .bytes = l->b->form->feeds[feed].bytes };

	set_row_major(&l->out[0]);
	return new_storage(l->b, &storage, &l->out[0].storage);
}

static rstd_ge_status lower_const(struct lowering *l)
{
	const rstd_value *value = rstd_attrs_get(l->f.attrs, "value");
	struct rstd__storage storage = { .kind = RSTD__CONSTANT };

	if (tensor_bytes(l->node, &l->out[0], &storage.bytes) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	if (storage.bytes > (value ? value->as.tensor->size : 0))
		return rstd__frame_fail(&l->f, "attribute value has %zu bytes, its shape and dtype need %zu",
		                        value ? value->as.tensor->size : 0, storage.bytes);
	storage.data = value ? value->as.tensor->data : NULL;
	set_row_major(&l->out[0]);
	return new_storage(l->b, &storage, &l->out[0].storage);
}

static rstd_ge_status lower_identity(struct lowering *l)
{
	l->out[0] = l->in[0];
	l->b->form->views++;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status lower_reshape(struct lowering *l)
{
	return reshape(l->b, l->node, &l->in[0], &l->out[0]);
}

static rstd_ge_status lower_broadcast(struct lowering *l)
{
	broadcast(&l->in[0], &l->out[0]);
	l->b->form->views++;
	return RSTD_GE_SUCCESS;
}

/* ---- Element-wise operators ---------------------------------------------------------------------------------- */

static rstd_ge_status add_elementwise(struct lowering *l, const struct rstd__elementwise *loop,
                                      const struct rstd__value *a, const struct rstd__value *b, struct rstd__value *y)
{
	const size_t step = l->b->form->step_count;
	struct rstd__step *s;

	if (!rstd__elementwise_supports(loop->op, loop->from, loop->to))
		return rstd__frame_fail(&l->f, "does not run here on dtype %s (%d)%s%s", rstd_ge_dtype_name(loop->from),
		                        loop->from, loop->to != loop->from ? " to " : "",
		                        loop->to != loop->from ? rstd_ge_dtype_name(loop->to) : "");
	s = rstd__step_new(l->b, RSTD__ELEMENTWISE, l->node);
	if (!s)
		return RSTD_GE_FAILED;
	s->loop = *loop;
	s->in[0] = *a;
	if (b)
		s->in[1] = *b;
	if (rstd__step_output(l->b, step, RSTD__OUT_Y, loop->to, y->rank, y->dims) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	*y = l->b->form->steps[step].out[RSTD__OUT_Y];
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status cast_value(struct lowering *l, const struct rstd__value *x, int32_t dtype, struct rstd__value *y)
{
	const struct rstd__elementwise loop = { .op = RSTD__OP_CAST, .from = x->dtype, .to = dtype };

	*y = *x;
	return x->dtype == dtype ? RSTD_GE_SUCCESS : add_elementwise(l, &loop, x, NULL, y);
}

static rstd_ge_status lower_cast(struct lowering *l)
{
	const int32_t dtype = l->out[0].dtype;

	if (dtype == l->in[0].dtype)
		return lower_identity(l);
	if (rstd__fuse_store(l->b, l->node, &l->in[0], dtype, &l->out[0]))
		return RSTD_GE_SUCCESS;
	return cast_value(l, &l->in[0], dtype, &l->out[0]);
}

static rstd_ge_status lower_unary(struct lowering *l, enum rstd__elementwise_op op, float scalar)
{
	const struct rstd__elementwise loop = {
		.op = op, .from = l->in[0].dtype, .to = l->in[0].dtype, .scalar = scalar
	};

	return add_elementwise(l, &loop, &l->in[0], NULL, &l->out[0]);
}

static rstd_ge_status lower_sqrt(struct lowering *l)
{
	return lower_unary(l, RSTD__OP_SQRT, 0);
}

static rstd_ge_status lower_rsqrt(struct lowering *l)
{
	return lower_unary(l, RSTD__OP_RSQRT, 0);
}

static rstd_ge_status lower_adds(struct lowering *l)
{
	return lower_unary(l, RSTD__OP_ADD_SCALAR, rstd__frame_float(&l->f, "value"));
}

static rstd_ge_status lower_muls(struct lowering *l)
{
	return lower_unary(l, RSTD__OP_MUL_SCALAR, rstd__frame_float(&l->f, "value"));
}

static rstd_ge_status lower_binary(struct lowering *l, enum rstd__elementwise_op op)
{
	const int32_t dtype = l->out[0].dtype;
	const struct rstd__elementwise loop = { .op = op, .from = dtype, .to = dtype };
	struct rstd__value wide, operands[2];

	for (size_t k = 0; k < 2; k++) {
		if (cast_value(l, &l->in[k], dtype, &wide) != RSTD_GE_SUCCESS)
			return RSTD_GE_FAILED;
		operands[k] = l->out[0];
		operands[k].dtype = dtype;
		broadcast(&wide, &operands[k]);
	}
	return add_elementwise(l, &loop, &operands[0], &operands[1], &l->out[0]);
}

static rstd_ge_status lower_add(struct lowering *l)
{
	return lower_binary(l, RSTD__OP_ADD);
}

static rstd_ge_status lower_sub(struct lowering *l)
{
	return lower_binary(l, RSTD__OP_SUB);
}

static rstd_ge_status lower_mul(struct lowering *l)
{
	return lower_binary(l, RSTD__OP_MUL);
}

static rstd_ge_status lower_div(struct lowering *l)
{
	return lower_binary(l, RSTD__OP_DIV);
}

/* ---- Reductions ---------------------------------------------------------------------------------------------- */

static bool is_reducible(int32_t dtype)
{
	return dtype == RSTD_DT_FLOAT || dtype == RSTD_DT_FLOAT16 || dtype == RSTD_DT_BF16;
}

/* Starts a reduction's step; *step is its index. */
static rstd_ge_status add_reduction(struct lowering *l, enum rstd__step_kind kind, const struct rstd__value *x,
                                    size_t *step)
{
	struct rstd__step *s;

	*step = l->b->form->step_count;
	if (!is_reducible(x->dtype))
		return rstd__frame_fail(&l->f,
		                        "does not run here on dtype %s (%d), only on DT_FLOAT, DT_FLOAT16 and "
		                        "DT_BFLOAT16",
		                        rstd_ge_dtype_name(x->dtype), x->dtype);
	s = rstd__step_new(l->b, kind, l->node);
	if (!s)
		return RSTD_GE_FAILED;
	s->in[0] = *x;
	s->axes = l->f.axes;
	return RSTD_GE_SUCCESS;
}

/* The dims of x without the reduced axes. */
static size_t kept_dims(const struct rstd__value *x, uint64_t axes, int64_t *dims)
{
	size_t rank = 0;

	for (size_t a = 0; a < x->rank; a++)
		if (!(axes >> a & 1))
			dims[rank++] = x->dims[a];
	return rank;
}

/* Output k of a reduction becomes output `port` of the node, whose dims may have ones where axes were reduced. */
static rstd_ge_status reduction_output(struct lowering *l, size_t step, size_t k, size_t port)
{
	const struct rstd__value *x = &l->b->form->steps[step].in[0];
	int64_t dims[RSTD_MAX_RANK];
	const size_t rank = kept_dims(x, l->f.axes, dims);

	if (rstd__step_output(l->b, step, k, l->out[port].dtype, rank, dims) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	set_row_major(&l->out[port]);
	l->out[port].storage = l->b->form->steps[step].out[k].storage;
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status lower_mean(struct lowering *l)
{
	const struct rstd__value x = rstd__fuse_widening(l->b, l->node, &l->in[0]);
	size_t step;

	if (l->f.axes == 0 && x.rank > 0)
		return lower_identity(l);
	if (add_reduction(l, RSTD__STD_MEAN, &x, &step) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	return reduction_output(l, step, RSTD__OUT_MEAN, 0);
}

static rstd_ge_status lower_sum(struct lowering *l)
{
	size_t step;

	if (l->f.axes == 0 && l->in[0].rank > 0)
		return lower_identity(l);
	if (add_reduction(l, RSTD__SUMS, &l->in[0], &step) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	return reduction_output(l, step, RSTD__OUT_Y, 0);
}

static rstd_ge_status check_correction(struct lowering *l, int64_t *correction)
{
	*correction = rstd__frame_int(&l->f, "correction");
	if (*correction < 0)
		return rstd__frame_fail(&l->f, "attribute correction is %" PRId64 ", must be at least 0", *correction);
	return RSTD_GE_SUCCESS;
}

/* Inference does not look at the axes of a scalar; when it runs, it has one. */
static rstd_ge_status check_scalar_dims(const struct lowering *l)
{
	size_t count;
	const int64_t *dims = rstd__frame_ints(&l->f, "dim", &count);

	for (size_t i = 0; l->in[0].rank == 0 && i < count; i++)
		if (dims[i] != 0 && dims[i] != -1)
			return rstd__frame_fail(&l->f, "dim[%zu]=%" PRId64 " out of range [-1, 1)", i, dims[i]);
	return RSTD_GE_SUCCESS;
}

/* ReduceStdV2 and ReduceVar. */
static rstd_ge_status lower_std_and_mean(struct lowering *l, enum rstd__step_kind kind, const struct rstd__value *x)
{
	int64_t correction;
	size_t step;

	if (check_scalar_dims(l) != RSTD_GE_SUCCESS || check_correction(l, &correction) != RSTD_GE_SUCCESS ||
	    add_reduction(l, kind, x, &step) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	l->b->form->steps[step].correction = correction;
	if (reduction_output(l, step, RSTD__OUT_Y, 0) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	return reduction_output(l, step, RSTD__OUT_MEAN, 1);
}

static rstd_ge_status lower_std(struct lowering *l)
{
	const struct rstd__value x = rstd__fuse_widening(l->b, l->node, &l->in[0]);

	return lower_std_and_mean(l, RSTD__STD_MEAN, &x);
}

static rstd_ge_status lower_var(struct lowering *l)
{
	return lower_std_and_mean(l, RSTD__VARIANCES, &l->in[0]);
}

/* The operators do not broadcast: the mean has x's dtype and shape. */
static rstd_ge_status compare_mean(const struct lowering *l)
{
	const struct rstd__value *x = &l->in[0], *mean = &l->in[1];

	if (mean->dtype != x->dtype)
		return rstd__frame_fail(&l->f, "mean dtype %d != x dtype %d", mean->dtype, x->dtype);
	if (mean->rank != x->rank)
		return rstd__frame_fail(&l->f, "mean rank=%zu != x rank=%zu", mean->rank, x->rank);
	for (size_t a = 0; a < x->rank; a++)
		if (mean->dims[a] != x->dims[a])
			return rstd__frame_fail(&l->f, "mean dim[%zu]=%" PRId64 " != x dim[%zu]=%" PRId64, a,
			                        mean->dims[a], a, x->dims[a]);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status check_mean(const struct lowering *l)
{
	if (compare_mean(l) == RSTD_GE_SUCCESS)
		return RSTD_GE_SUCCESS;
	return rstd__ge_fail("Verifying %s failed", l->f.name);
}

/* What was said of a port's format, not where its elements came from. */
static rstd_ge_status check_nd(const struct lowering *l, const char *port, const struct rstd__ports *ports, size_t at)
{
	const int32_t format = at < ports->count ? ports->at[at].desc.desc.format : RSTD_FORMAT_ND;

	if (format != RSTD_FORMAT_ND)
		return rstd__frame_fail(&l->f, "%s format %d is unsupported; only ND is supported", port, format);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status check_std_update(const struct lowering *l, int64_t *correction)
{
	const rstd_op *op = l->node->op;
	const struct rstd__proto *proto = l->f.proto;

	for (size_t k = 0; k < rstd__proto_input_count(proto); k++)
		if (check_nd(l, proto->inputs[k].name, &op->inputs, rstd__proto_input_of(proto, op, k)))
			return RSTD_GE_FAILED;
	if (check_nd(l, proto->outputs[0].name, &op->outputs, rstd__proto_output_of(proto, op, 0)) ||
	    check_mean(l) != RSTD_GE_SUCCESS || check_scalar_dims(l) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	*correction = rstd__frame_int(&l->f, "correction");
	if (*correction != 0 && *correction != 1)
		return rstd__frame_fail(&l->f, "correction=%" PRId64 ", only 0 or 1 supported", *correction);
	return RSTD_GE_SUCCESS;
}

static rstd_ge_status lower_std_update(struct lowering *l)
{
	const bool unbiased = rstd__frame_bool(&l->f, "unbiased"), root = rstd__frame_bool(&l->f, "if_std");
	int64_t correction;
	size_t step;

	if (check_std_update(l, &correction) != RSTD_GE_SUCCESS)
		return rstd__tiling_failed(&l->f);
	rstd__report_broadcast(l->b, l->node, &l->in[1]);
	if (add_reduction(l, root ? RSTD__STD_ABOUT : RSTD__VARIANCES_ABOUT, &l->in[0], &step) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	l->b->form->steps[step].in[1] = l->in[1];
	l->b->form->steps[step].correction = unbiased ? correction : 0;
	return reduction_output(l, step, RSTD__OUT_Y, 0);
}

static rstd_ge_status lower_std_with_mean(struct lowering *l)
{
	const struct rstd__value *x = &l->in[0], *mean = &l->in[1];
	const bool invert = rstd__frame_bool(&l->f, "invert");
	rstd_ge_status status = check_mean(l);
	struct rstd__step *s;
	struct rstd__value y;
	int64_t correction;
	size_t step;

	if (status != RSTD_GE_SUCCESS || check_correction(l, &correction) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	if (rstd__fuse_std_mean(l->b, l->node, x, mean, l->f.axes, correction, invert, &y, &status)) {
		set_row_major(&l->out[0]);
		l->out[0].storage = y.storage;
		return status;
	}
	rstd__report_broadcast(l->b, l->node, mean);
	if (add_reduction(l, RSTD__STD_ABOUT, x, &step) != RSTD_GE_SUCCESS)
		return RSTD_GE_FAILED;
	s = &l->b->form->steps[step];
	s->in[1] = *mean;
	s->correction = correction;
	s->invert = invert;
	s->epsilon = rstd__frame_float(&l->f, "epsilon");
	if (x->rank == 0)
		s->scalar_dims = rstd__frame_ints(&l->f, "dim", &s->scalar_dim_count);
	return reduction_output(l, step, RSTD__OUT_Y, 0);
}

/* ---- All of it ----------------------------------------------------------------------------------------------- */

static rstd_ge_status (*const rules[])(struct lowering *l) = {
	[RSTD__DATA] = lower_data,
	[RSTD__CONST] = lower_const,
	[RSTD__IDENTITY] = lower_identity,
	[RSTD__CAST] = lower_cast,
	[RSTD__UNSQUEEZE] = lower_reshape,
	[RSTD__SQUEEZE] = lower_reshape,
	[RSTD__RESHAPE] = lower_reshape,
	[RSTD__BROADCAST] = lower_broadcast,
	[RSTD__EXPAND] = lower_broadcast,
	[RSTD__ADD] = lower_add,
	[RSTD__SUB] = lower_sub,
	[RSTD__MUL] = lower_mul,
	[RSTD__DIV] = lower_div,
	[RSTD__SQRT] = lower_sqrt,
	[RSTD__RSQRT] = lower_rsqrt,
	[RSTD__ADD_SCALAR] = lower_adds,
	[RSTD__MUL_SCALAR] = lower_muls,
	[RSTD__MEAN] = lower_mean,
	[RSTD__SUM] = lower_sum,
	[RSTD__STD_WITH_MEAN] = lower_std_with_mean,
	[RSTD__STD] = lower_std,
	[RSTD__VAR] = lower_var,
	[RSTD__STD_UPDATE] = lower_std_update,
};

/* The feed's shape, which a Data takes on. */
static rstd_ge_status shape_of_feed(struct lowering *l)
{
	const int64_t index = rstd__frame_int(&l->f, "index");
	const struct rstd__feed_key *key;

	if (index < 0 || (size_t)index >= l->b->form->feed_count)
		return rstd__frame_fail(&l->f, "attribute index is %" PRId64 ", must be in [0, %zu)", index,
		                        l->b->form->feed_count);
	key = &l->b->form->feeds[index];
	l->f.present[0] = true;
	l->f.in[0].dtype = key->dtype;
	l->f.in[0].unknown_rank = false;
	l->f.in[0].rank = key->rank;
	memcpy(l->f.in[0].dims, key->dims, key->rank * sizeof(*key->dims));
	return RSTD_GE_SUCCESS;
}

/* Notes that the form holds for these elements of a feed only. */
static bool keep_feed_value(struct rstd__builder *b, size_t feed)
{
	struct rstd__feed_key *key = &b->form->feeds[feed];
	const void *data = b->feeds ? b->feeds[feed].data : NULL;

	if (key->by_value || !data)
		return key->by_value;
	key->value = malloc(key->bytes ? key->bytes : 1);
	if (!key->value)
		return false;
	memcpy(key->value, data, key->bytes);
	return key->by_value = true;
}

/*
 * The elements of an input that says axes or a shape, where they are known before anything has run: constants, feeds,
 * and views and Casts of these. Elements that are not known are left for the rule of the operator to complain of.
 */
static void known_ints(struct rstd__builder *b, const struct rstd__value *v, struct rstd__ints *ints)
{
	const struct rstd__storage *storage = &b->form->storages[v->storage];
	const size_t count = rstd__value_count(v);
	struct rstd__value x = *v;

	ints->known = false;
	if (count > RSTD__MAX_DIMS || !rstd__value_is_contiguous(v))
		return;
	while (storage->kind == RSTD__COMPUTED) {
		const struct rstd__step *step = &b->form->steps[storage->step];

		if (step->kind != RSTD__ELEMENTWISE || step->loop.op > RSTD__OP_CAST ||
		    !rstd__value_is_contiguous(&step->in[0]))
			return;
		x = step->in[0];
		storage = &b->form->storages[x.storage];
	}
	if (rstd__value_count(&x) != count)
		return;
	if (storage->kind == RSTD__CONSTANT)
		(void)rstd__ints_from_data(ints, x.dtype, storage->data, count);
	else if (keep_feed_value(b, storage->feed))
		(void)rstd__ints_from_data(ints, x.dtype, b->form->feeds[storage->feed].value, count);
}

static rstd_ge_status gather_inputs(struct lowering *l)
{
	for (size_t k = 0; k < rstd__proto_input_count(l->f.proto); k++) {
		const size_t at = rstd__proto_input_of(l->f.proto, l->node->op, k);
		const struct rstd__edge edge =
			at == SIZE_MAX ? (struct rstd__edge){ NULL, 0 } : rstd__node_edge(l->node, at);

		l->f.present[k] = edge.node != NULL;
		if (!edge.node)
			continue;
		if (edge.index >= RSTD__MAX_OUTPUTS || l->b->values[edge.node->index][edge.index].storage == RSTD__NONE)
			return rstd__frame_fail(&l->f, "input %s is output %zu of %s(%s), which gives nothing there",
			                        l->f.proto->inputs[k].name, edge.index, edge.node->op->name,
			                        edge.node->op->type);
		l->in[k] = l->b->values[edge.node->index][edge.index];
		l->f.in[k].dtype = l->in[k].dtype;
		l->f.in[k].unknown_rank = false;
		l->f.in[k].rank = l->in[k].rank;
		memcpy(l->f.in[k].dims, l->in[k].dims, l->in[k].rank * sizeof(*l->in[k].dims));
		if (k > 0 && l->f.proto->inputs[k].dtypes == (RSTD__DTYPE_BIT(INT32) | RSTD__DTYPE_BIT(INT64)))
			known_ints(l->b, &l->in[k], &l->f.ints[k]);
	}
	return RSTD_GE_SUCCESS;
}

/* Where the node's outputs are, seen from the prototype's. */
static void publish(struct lowering *l)
{
	for (size_t k = 0; k < rstd__proto_output_count(l->f.proto); k++) {
		const size_t at = rstd__proto_output_of(l->f.proto, l->node->op, k);

		if (at < RSTD__MAX_OUTPUTS)
			l->b->values[l->node->index][at] = l->out[k];
	}
}

static rstd_ge_status infer_outputs(struct lowering *l)
{
	rstd_ge_status status;

	status = rstd_op_verify(l->node->op);
	if (status == RSTD_GE_SUCCESS)
		status = l->f.proto->action == RSTD__DATA ? shape_of_feed(l) : gather_inputs(l);
	if (status == RSTD_GE_SUCCESS)
		status = rstd__infer(&l->f);
	for (size_t k = 0; k < rstd__proto_output_count(l->f.proto) && status == RSTD_GE_SUCCESS; k++)
		status = inferred_value(&l->f, k, &l->out[k]);
	if (status != RSTD_GE_SUCCESS)
		return rstd__ge_fail("Call InferShapeAndType for node:%s(%s) failed", l->f.name, l->f.proto->type);
	return RSTD_GE_SUCCESS;
}

rstd_ge_status rstd__lower(struct rstd__builder *b, const rstd_node *node)
{
	struct lowering l = { .b = b, .node = node };
	rstd_ge_status status;

	l.f.proto = rstd__proto_find(node->op->type);
	l.f.name = node->op->name;
	l.f.attrs = &node->op->attrs;
	if (!l.f.proto)
		return rstd__ge_fail_as(RSTD_GE_FAILED, "E10501", "Invalid_Argument_No_Op",
		                        "%s(%s): operator type %s is not one that runs here", node->op->name,
		                        node->op->type, node->op->type);
	status = infer_outputs(&l);
	if (status == RSTD_GE_SUCCESS)
		status = rules[l.f.proto->action](&l);
	if (status == RSTD_GE_SUCCESS)
		publish(&l);
	return status;
}
