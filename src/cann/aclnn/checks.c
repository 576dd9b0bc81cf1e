/*
 * checks.c - phase 1: what the interfaces check
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cann/aclnn/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cann/acl/error.h"
#include "cann/aclnn/handle.h"

/* ---- A call ------------------------------------------------------------------------------------------------- */

aclnnStatus rstd__call_begin(rstd__call *call, rstd__interface interface, const uint64_t *workspace_size,
                             aclOpExecutor *const *executor)
{
	if (workspace_size == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR,
		                      "workspaceSize: is null, must point to where the size goes");
	if (executor == NULL)
		return rstd__acl_fail(ACLNN_ERR_PARAM_NULLPTR,
		                      "executor: is null, must point to where the executor goes");
	*call = (rstd__call){ .name = rstd__interface_names_of[interface].operand };
	call->product = rstd__product_current();
	if (call->product == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s", rstd__product_complaint());
	call->executor = rstd__executor_create(interface);
	if (call->executor == NULL)
		return rstd__acl_fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "executor: no memory for it");
	return ACLNN_SUCCESS;
}

aclnnStatus rstd__call_end(const rstd__call *call, bool good, uint64_t *workspace_size, aclOpExecutor **executor)
{
	if (!good) {
		aclDestroyAclOpExecutor(call->executor->object.handle);
		return call->status;
	}
	*workspace_size = rstd_plan_workspace_size(call->executor->plan);
	*executor = call->executor->object.handle;
	return ACLNN_SUCCESS;
}

/* ---- Operands ----------------------------------------------------------------------------------------------- */

static bool is_empty(const rstd__acl_tensor *t)
{
	for (uint64_t i = 0; i < t->rank; i++) {
		if (t->shape[i] == 0)
			return true;
	}
	return false;
}

bool rstd__require_tensor(rstd__call *call, rstd__role role, const aclTensor *tensor)
{
	rstd__acl_tensor *t;

	call->status = rstd__tensor_get(tensor, call->name[role], &t);
	if (call->status != ACLNN_SUCCESS)
		return false;
	call->tensor[role] = t;
	call->executor->operand[role] =
		(rstd__operand){ .tensor = tensor, .version = t->version, .empty = is_empty(t) };
	return true;
}

/* The dtype that rstd.h has for one of CANN's; 0 for those that it has not. */
static rstd_dtype to_rstd(aclDataType dtype)
{
	switch (dtype) {
	case ACL_FLOAT:
		return RSTD_F32;
	case ACL_FLOAT16:
		return RSTD_F16;
	case ACL_BF16:
		return RSTD_BF16;
	default:
		return (rstd_dtype)0;
	}
}

static int64_t element_bytes(aclDataType dtype)
{
	return dtype == ACL_FLOAT ? 4 : 2;
}

bool rstd__require_dtype(rstd__call *call, rstd__role role)
{
	const rstd__family *const family = call->product->family;
	const unsigned dtypes = family->interface[call->executor->interface].dtypes;
	const aclDataType dtype = call->tensor[role]->dtype;
	const rstd_dtype mine = to_rstd(dtype);

	if (mine != 0 && (dtypes & RSTD_DTYPE_BIT(mine)) != 0)
		return true;
	call->status =
		rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: dtype is %d, %s allows ACL_FLOAT (%d), ACL_FLOAT16 (%d)%s",
	                       call->name[role], (int)dtype, call->product->soc, (int)ACL_FLOAT, (int)ACL_FLOAT16,
	                       dtypes & RSTD_DTYPE_BIT(RSTD_BF16) ? ", ACL_BF16 (27)" : "");
	return false;
}

bool rstd__require_dtype_of_x(rstd__call *call, rstd__role role)
{
	const aclDataType dtype = call->tensor[role]->dtype;
	const aclDataType of_x = call->tensor[RSTD_ROLE_X]->dtype;

	if (dtype == of_x)
		return true;
	call->status = rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: dtype is %d, must be that of %s, %d",
	                              call->name[role], (int)dtype, call->name[RSTD_ROLE_X], (int)of_x);
	return false;
}

bool rstd__require_dtype_float(rstd__call *call, rstd__role role)
{
	const aclDataType dtype = call->tensor[role]->dtype;

	if (dtype == ACL_FLOAT)
		return true;
	call->status = rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: dtype is %d, must be ACL_FLOAT (%d)",
	                              call->name[role], (int)dtype, (int)ACL_FLOAT);
	return false;
}

bool rstd__require_format(rstd__call *call, rstd__role role)
{
	const aclFormat format = call->tensor[role]->format;

	switch (format) {
	case ACL_FORMAT_NC1HWC0:
	case ACL_FORMAT_FRACTAL_Z:
	case ACL_FORMAT_NC1HWC0_C04:
	case ACL_FORMAT_FRACTAL_NZ:
	case ACL_FORMAT_NDC1HWC0:
	case ACL_FRACTAL_Z_3D:
	case ACL_FORMAT_FRACTAL_NZ_C0_16:
	case ACL_FORMAT_FRACTAL_NZ_C0_32:
	case ACL_FORMAT_FRACTAL_NZ_C0_2:
	case ACL_FORMAT_FRACTAL_NZ_C0_4:
	case ACL_FORMAT_FRACTAL_NZ_C0_8:
		call->status =
			rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                       "%s: format is %d, a private one; ACL_FORMAT_ND (%d) and its kin are allowed",
		                       call->name[role], (int)format, (int)ACL_FORMAT_ND);
		return false;
	default:
		return true;
	}
}

bool rstd__require_dim(rstd__call *call, const aclIntArray *dim)
{
	const uint64_t rank = call->tensor[RSTD_ROLE_X]->rank;
	const int64_t r = rank > 0 ? (int64_t)rank : 1;
	void *object;

	if (dim == NULL)
		return true;
	call->status = rstd__handle_get(RSTD_OBJECT_INT_ARRAY, dim, "dim", &object);
	if (call->status != ACLNN_SUCCESS)
		return false;
	const rstd__array *const array = object;
	const int64_t *const axis = (const int64_t *)(const void *)array->values;
	/* Of more than r entries one is out of range or there already: this takes r^2 steps at most. */
	for (uint64_t i = 0; i < array->size; i++) {
		if (axis[i] < -r || axis[i] >= r) {
			call->status = rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
			                              "dim: entry %" PRIu64 " is %" PRId64 ", allowed are %" PRId64
			                              " to %" PRId64,
			                              i, axis[i], -r, r - 1);
			return false;
		}
		for (uint64_t j = 0; j < i; j++) {
			if (axis[i] != axis[j] && axis[i] - axis[j] != r && axis[j] - axis[i] != r)
				continue;
			call->status =
				rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
			                       "dim: entries %" PRIu64 " and %" PRIu64 " name the same axis (%" PRId64
			                       " and %" PRId64 "), none may be named twice",
			                       j, i, axis[j], axis[i]);
			return false;
		}
	}
	call->dim = axis;
	call->dim_count = array->size;
	return true;
}

bool rstd__require_rank(rstd__call *call, rstd__role role, uint64_t low, uint64_t high)
{
	const rstd__acl_tensor *const t = call->tensor[role];

	if (t->rank < low || t->rank > high) {
		call->status = rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                              "%s: rank is %" PRIu64 ", allowed are %" PRIu64 " to %" PRIu64,
		                              call->name[role], t->rank, low, high);
		return false;
	}
	for (uint64_t i = 0; i < t->rank; i++) {
		if (t->shape[i] >= 0)
			continue;
		call->status = rstd__acl_fail(ACLNN_ERR_PARAM_INVALID,
		                              "%s: extent of axis %" PRIu64 " is %" PRId64 ", must be 0 or more",
		                              call->name[role], i, t->shape[i]);
		return false;
	}
	return true;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

#define SHAPE_TEXT (RSTD_MAX_RANK * 22 + 3) /* bytes of "[2, 3]" */

static const char *shape_text(char text[SHAPE_TEXT], const int64_t *shape, size_t rank)
{
	size_t length = 0;

	text[length++] = '[';
	for (size_t i = 0; i < rank; i++)
		length +=
			(size_t)snprintf(text + length, SHAPE_TEXT - length, "%s%" PRId64, i > 0 ? ", " : "", shape[i]);
	text[length++] = ']';
	text[length] = '\0';
	return text;
}

static bool has_shape(const rstd__acl_tensor *t, const int64_t *shape, size_t rank)
{
	return t->rank == rank && (rank == 0 || memcmp(t->shape, shape, rank * sizeof(*shape)) == 0);
}

static bool all_ones(const rstd__acl_tensor *t)
{
	for (uint64_t i = 0; i < t->rank; i++) {
		if (t->shape[i] != 1)
			return false;
	}
	return true;
}

bool rstd__require_shape(rstd__call *call, rstd__role role, const int64_t *shape, size_t rank)
{
	const rstd__acl_tensor *const t = call->tensor[role];
	char is[SHAPE_TEXT];
	char must_be[SHAPE_TEXT];

	if (has_shape(t, shape, rank))
		return true;
	call->status = rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: shape is %s, must be %s", call->name[role],
	                              shape_text(is, t->shape, t->rank), shape_text(must_be, shape, rank));
	return false;
}

bool rstd__require_inferred(rstd__call *call, bool keepdim)
{
	const rstd__acl_tensor *const x = call->tensor[RSTD_ROLE_X];

	return rstd__require_plan(call, rstd_infer_shape(x->shape, x->rank, call->dim, call->dim_count, keepdim,
	                                                 call->shape, &call->rank));
}

/*
 * When no axis is named, an output with one element will do, whatever its rank and keepdim, as CANN has it. Rank 0 counts
 * as shape [1] there, so it may give that shape too.
 */
bool rstd__require_output(rstd__call *call, rstd__role role)
{
	static const int64_t one = 1;
	const rstd__acl_tensor *const t = call->tensor[role];

	if (call->dim_count == 0 && all_ones(t))
		return true;
	if (call->tensor[RSTD_ROLE_X]->rank == 0 && has_shape(t, &one, 1))
		return true;
	return rstd__require_shape(call, role, call->shape, call->rank);
}

bool rstd__require_correction(rstd__call *call, int64_t correction)
{
	if (correction >= 0)
		return true;
	call->status =
		rstd__acl_fail(ACLNN_ERR_PARAM_INVALID, "correction: is %" PRId64 ", must be 0 or more", correction);
	return false;
}

/* ---- Storage ------------------------------------------------------------------------------------------------ */

#define OFFSET_MAX (PTRDIFF_MAX / 4) /* in elements of up to 4 bytes; memory is smaller */

/* Whether strides are those of row-major order without gaps; axes of extent 1 may have any. */
static bool is_row_major(const rstd__acl_tensor *t)
{
	int64_t stride = 1;

	for (uint64_t i = t->rank; i-- > 0;) {
		if (t->shape[i] == 1)
			continue;
		if (t->strides[i] != stride || __builtin_mul_overflow(stride, t->shape[i], &stride))
			return false;
	}
	return true;
}

/* How many elements the storage has, at most OFFSET_MAX. */
static int64_t storage_elements(const rstd__acl_tensor *t)
{
	int64_t product = 1;

	/* A program that describes whole tensors alone may leave the storage out. */
	if (t->storage_rank == 0 && is_row_major(t))
		return OFFSET_MAX;
	for (uint64_t i = 0; i < t->storage_rank; i++) {
		if (t->storage[i] <= 0)
			return 0;
		if (__builtin_mul_overflow(product, t->storage[i], &product))
			product = OFFSET_MAX;
	}
	return product < OFFSET_MAX ? product : OFFSET_MAX;
}

/* The lowest and the highest element that a view with elements reaches; false when they are beyond all numbers. */
static bool reach(const rstd__acl_tensor *t, int64_t *low, int64_t *high)
{
	*low = *high = t->offset;
	for (uint64_t i = 0; i < t->rank; i++) {
		int64_t *const end = t->strides[i] < 0 ? low : high;
		int64_t way;

		if (__builtin_mul_overflow(t->shape[i] - 1, t->strides[i], &way) ||
		    __builtin_add_overflow(*end, way, end))
			return false;
	}
	return true;
}

static bool check_storage(rstd__call *call, rstd__role role)
{
	const rstd__acl_tensor *const t = call->tensor[role];
	rstd__operand *const operand = &call->executor->operand[role];
	int64_t low;
	int64_t high;

	if (t == NULL || operand->empty)
		return true;
	const int64_t elements = storage_elements(t);
	if (!reach(t, &low, &high)) {
		call->status =
			rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR,
		                       "%s: its strides lead out of memory, its storage has %" PRId64 " elements",
		                       call->name[role], elements);
		return false;
	}
	if (low < 0 || high >= elements) {
		call->status = rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR,
		                              "%s: the view reaches from element %" PRId64 " to %" PRId64
		                              ", its storage has %" PRId64 " elements",
		                              call->name[role], low, high, elements);
		return false;
	}
	operand->offset_bytes = t->offset * element_bytes(t->dtype);
	operand->end_bytes = (size_t)((high + 1) * element_bytes(t->dtype));
	return true;
}

/* ---- The work ----------------------------------------------------------------------------------------------- */

bool rstd__require_work(rstd__call *call)
{
	const rstd__interface interface = call->executor->interface;

	if (!call->product->family->interface[interface].available) {
		call->status = rstd__acl_fail(ACLNN_ERR_INNER_NULLPTR, "%s: %s (%s) does not have this interface",
		                              rstd__interface_names_of[interface].interface, call->product->soc,
		                              call->product->family->title);
		return false;
	}
	for (rstd__role role = RSTD_ROLE_X; role < RSTD_ROLES; role++) {
		if (!check_storage(call, role))
			return false;
	}
	return true;
}

bool rstd__require_plan(rstd__call *call, rstd_status status)
{
	if (status == RSTD_OK)
		return true;
	call->status = rstd__acl_fail(
		status == RSTD_ERROR_NO_MEMORY ? ACLNN_ERR_INNER_NULLPTR : ACLNN_ERR_PARAM_INVALID, "%s: %s",
		rstd__interface_names_of[call->executor->interface].interface, rstd_last_error());
	return false;
}

rstd_tensor rstd__call_view(const rstd__call *call, rstd__role role)
{
	const rstd__acl_tensor *const t = call->tensor[role];
	rstd_tensor view = { .dtype = to_rstd(t->dtype), .rank = t->rank };

	if (t->rank > 0) {
		memcpy(view.shape, t->shape, t->rank * sizeof(*t->shape));
		memcpy(view.strides, t->strides, t->rank * sizeof(*t->strides));
	}
	return view;
}

rstd_tensor rstd__call_output(const rstd__call *call, rstd__role role)
{
	rstd_tensor view = rstd__call_view(call, role);

	/* Where the ranks differ there is one element, and strides do not matter. */
	view.rank = call->rank;
	if (call->rank > 0)
		memcpy(view.shape, call->shape, call->rank * sizeof(*call->shape));
	return view;
}
