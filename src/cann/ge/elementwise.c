/*
 * elementwise.c - the loop of element-wise operators, and the arithmetic on blocks of numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * binary32 is computed in binary32, but for the reciprocal square root. 16-bit floats are computed in binary32, too,
 * and rounded from there: for + - * / and square roots of operands of p bits that is as good as one rounding, because 24 >=
 * 2 p + 2 (Figueroa, "When is double rounding innocuous?", 1995). That needs results that binary32 does not make
 * subnormal; those of bfloat16 that it does are exact (sums, and products from half the least subnormal on) or far from
 * midpoints: a quotient of two numbers of 8 bits is off one of j bits by at least 2^-(8 + j) of itself, which near
 * 2^(-134 + j) is more than binary32's 2^-150. Sums and products with a scalar, which has 24 bits, are computed in
 * binary64; sums are rounded to odd there. 1 / sqrt(x) is computed in binary64, off by less than 2^-51 of itself;
 * tests/ge tries all significands of all dtypes and finds none that this rounds the wrong way.
 */
#include "cann/ge/elementwise.h"

#include <math.h>
#include <string.h>

#include "cann/ge/convert.h"
#include "cann/ge/rows.h"
#include "rstd/graph.h"

bool rstd__elementwise_supports(enum rstd__elementwise_op op, int32_t from, int32_t to)
{
	const enum rstd__number number = rstd__number_of(from);

	switch (op) {
	case RSTD__OP_COPY:
		return rstd_ge_dtype_size(from) > 0 && rstd_ge_dtype_size(from) < 1000;
	case RSTD__OP_CAST:
		return number != RSTD__NO_NUMBER && rstd__number_of(to) != RSTD__NO_NUMBER;
	case RSTD__OP_SQRT:
		return number == RSTD__FLOATS || number == RSTD__DOUBLES;
	case RSTD__OP_RSQRT:
		return (number == RSTD__FLOATS || number == RSTD__DOUBLES) && from != RSTD_DT_DOUBLE;
	default:
		return number != RSTD__NO_NUMBER && from != RSTD_DT_BOOL && from != RSTD_DT_UINT32 &&
		       from != RSTD_DT_UINT64;
	}
}

/* ---- Shapes -------------------------------------------------------------------------------------------------- */

void rstd__elementwise_prepare(struct rstd__elementwise *e, size_t rank, const int64_t *dims, const int64_t *a,
                               const int64_t *b)
{
	size_t r = 0;

	for (size_t i = 0; i < rank; i++) {
		if (dims[i] == 1)
			continue;
		if (r > 0 && e->strides[0][r - 1] == a[i] * dims[i] && e->strides[1][r - 1] == b[i] * dims[i]) {
			r--; /* the axis before walks memory as one with this */
			e->dims[r] *= dims[i];
		} else {
			e->dims[r] = dims[i];
		}
		e->strides[0][r] = a[i];
		e->strides[1][r] = b[i];
		r++;
	}
	if (r == 0) {
		e->dims[0] = 1;
		e->strides[0][0] = e->strides[1][0] = 1;
		r = 1;
	}
	e->rank = r;
}

/* ---- Copies -------------------------------------------------------------------------------------------------- */

#define COPIER(size)                                                                                                   \
	static void copy_##size(const unsigned char *from, ptrdiff_t stride, size_t n, unsigned char *to)              \
	{                                                                                                              \
		for (size_t i = 0; i < n; i++, from += stride * (size))                                                \
			memcpy(to + i * (size), from, (size));                                                         \
	}

COPIER(1)
COPIER(2)
COPIER(4)
COPIER(8)

static void copy_row(size_t size, const unsigned char *from, ptrdiff_t stride, size_t n, unsigned char *to)
{
	if (stride == 1)
		memcpy(to, from, n * size);
	else if (size == 1)
		copy_1(from, stride, n, to);
	else if (size == 2)
		copy_2(from, stride, n, to);
	else if (size == 4)
		copy_4(from, stride, n, to);
	else if (size == 8)
		copy_8(from, stride, n, to);
	else
		for (size_t i = 0; i < n; i++, from += stride * (ptrdiff_t)size)
			memcpy(to + i * size, from, size);
}

/* ---- Arithmetic on blocks ------------------------------------------------------------------------------------ */

#define EACH(statement)                                                                                                \
	for (size_t i = 0; i < n; i++)                                                                                 \
	statement

static void compute_floats(const struct rstd__elementwise *e, float *a, const float *b, size_t n)
{
	const float scalar = e->scalar;

	switch (e->op) {
	case RSTD__OP_ADD:
		EACH(a[i] += b[i];)
		return;
	case RSTD__OP_SUB:
		EACH(a[i] -= b[i];)
		return;
	case RSTD__OP_MUL:
		EACH(a[i] *= b[i];)
		return;
	case RSTD__OP_DIV:
		EACH(a[i] /= b[i];)
		return;
	case RSTD__OP_SQRT:
		EACH(a[i] = sqrtf(a[i]);)
		return;
	case RSTD__OP_RSQRT:
		EACH(a[i] = (float)(1 / sqrt((double)a[i]));)
		return;
	case RSTD__OP_ADD_SCALAR:
		EACH(a[i] += scalar;)
		return;
	default:
		EACH(a[i] *= scalar;)
	}
}

/* a + b rounded to odd: the sum, and the error of it, which Knuth's TwoSum gives exactly. */
static double add_odd(double a, double b)
{
	const double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
	uint64_t bits;
	double odd;

	memcpy(&bits, &sum, sizeof(bits));
	if (!(error > 0 || error < 0) || bits & 1)
		return sum;
	bits += (error > 0) == (sum > 0) ? UINT64_C(1) : UINT64_MAX;
	memcpy(&odd, &bits, sizeof(odd));
	return odd;
}

/* Doubles, and 16-bit floats with a scalar. */
static void compute_doubles(const struct rstd__elementwise *e, double *a, const double *b, size_t n)
{
	const double scalar = (double)e->scalar;

	switch (e->op) {
	case RSTD__OP_ADD:
		EACH(a[i] += b[i];)
		return;
	case RSTD__OP_SUB:
		EACH(a[i] -= b[i];)
		return;
	case RSTD__OP_MUL:
		EACH(a[i] *= b[i];)
		return;
	case RSTD__OP_DIV:
		EACH(a[i] /= b[i];)
		return;
	case RSTD__OP_SQRT:
		EACH(a[i] = sqrt(a[i]);)
		return;
	case RSTD__OP_ADD_SCALAR:
		if (e->from == RSTD_DT_DOUBLE)
			EACH(a[i] += scalar;)
		else
			EACH(a[i] = add_odd(a[i], scalar);)
		return;
	default:
		EACH(a[i] *= scalar;)
	}
}

/* Truncated, and the nearest int64_t where there is no such; 0 for NaN. */
static int64_t int_of_double(double d)
{
	if (d >= 0x1p63)
		return INT64_MAX;
	if (d < -0x1p63)
		return INT64_MIN;
	return d != d ? 0 : (int64_t)d;
}

/* Wraps around, as unsigned integers do. */
#define WRAPPED(x, op, y) ((int64_t)((uint64_t)(x)op(uint64_t)(y)))

static int64_t quotient(int64_t a, int64_t b)
{
	if (b == 0)
		return 0;
	return b == -1 ? WRAPPED(0, -, a) : a / b;
}

static void compute_ints(const struct rstd__elementwise *e, int64_t *a, const int64_t *b, size_t n)
{
	const int64_t scalar = int_of_double((double)e->scalar);

	switch (e->op) {
	case RSTD__OP_ADD:
		EACH(a[i] = WRAPPED(a[i], +, b[i]);)
		return;
	case RSTD__OP_SUB:
		EACH(a[i] = WRAPPED(a[i], -, b[i]);)
		return;
	case RSTD__OP_MUL:
		EACH(a[i] = WRAPPED(a[i], *, b[i]);)
		return;
	case RSTD__OP_DIV:
		EACH(a[i] = quotient(a[i], b[i]);)
		return;
	case RSTD__OP_ADD_SCALAR:
		EACH(a[i] = WRAPPED(a[i], +, scalar);)
		return;
	default:
		EACH(a[i] = WRAPPED(a[i], *, scalar);)
	}
}

/* ---- Cast ---------------------------------------------------------------------------------------------------- */

/* The least and greatest value of an integer dtype of at most 64 bits, as far as int64_t reaches. */
static void int_range(int32_t dtype, int64_t *least, int64_t *most)
{
	const int bits = 8 * rstd_ge_dtype_size(dtype);
	const bool is_unsigned =
		dtype == RSTD_DT_UINT8 || dtype == RSTD_DT_UINT16 || dtype == RSTD_DT_UINT32 || dtype == RSTD_DT_UINT64;

	*least = is_unsigned ? 0 : -(INT64_MAX >> (64 - bits)) - 1;
	*most = is_unsigned && bits < 64 ? INT64_MAX >> (63 - bits) : INT64_MAX >> (64 - (is_unsigned ? 64 : bits));
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static void doubles_to_ints(int32_t to, const double *from, size_t n, int64_t *out)
{
	int64_t least, most;

	if (to == RSTD_DT_BOOL) {
		EACH(out[i] = from[i] < 0 || from[i] > 0 || from[i] != from[i];)
		return;
	}
	int_range(to, &least, &most);
	if (to == RSTD_DT_UINT64)
		EACH(out[i] = from[i] >= 0x1p64   ? -1 /* all bits: the greatest */
		              : from[i] >= 0x1p63 ? (int64_t)(uint64_t)from[i]
		                                  : clamp(int_of_double(from[i]), 0, INT64_MAX);)
	else
		EACH(out[i] = clamp(int_of_double(from[i]), least, most);)
}

/*
 * An integer as a double whose rounding to 24 bits or fewer is that of the integer: exact below 2^53, else the lowest
 * 11 bits are gathered in one that says whether any was set.
 */
static double odd_double_of_int(uint64_t magnitude, bool negative)
{
	double d;

	if (magnitude >> 53)
		magnitude = (magnitude & ~UINT64_C(0x7FF)) | (uint64_t)((magnitude & 0x7FF) != 0) << 11;
	d = (double)magnitude;
	return negative ? -d : d;
}

static void ints_to_doubles(int32_t from, int32_t to, const int64_t *in, size_t n, double *out)
{
	const bool is_unsigned = from == RSTD_DT_UINT64;

	for (size_t i = 0; i < n; i++) {
		const bool negative = in[i] < 0 && !is_unsigned;
		const uint64_t magnitude = negative ? 0 - (uint64_t)in[i] : (uint64_t)in[i];
		const double nearest = negative ? -(double)magnitude : (double)magnitude;

		out[i] = to == RSTD_DT_DOUBLE ? nearest : odd_double_of_int(magnitude, negative);
	}
}

static void ints_to_ints(int32_t from, int32_t to, const int64_t *in, size_t n, int64_t *out)
{
	int64_t least, most;

	int_range(to, &least, &most);
	for (size_t i = 0; i < n; i++) {
		const bool huge = from == RSTD_DT_UINT64 && in[i] < 0; /* 2^63 or more */

		if (to == RSTD_DT_BOOL)
			out[i] = in[i] != 0;
		else if (huge)
			out[i] = to == RSTD_DT_UINT64 ? in[i] : most;
		else
			out[i] = clamp(in[i], least, most);
	}
}

static void cast_block(const struct rstd__elementwise *e, const unsigned char *from, ptrdiff_t stride, size_t n,
                       unsigned char *to)
{
	const bool to_ints = rstd__number_of(e->to) == RSTD__INTS;
	union rstd__block in, out;

	if (rstd__number_of(e->from) == RSTD__INTS) {
		rstd__load_block(e->from, from, stride, n, &in);
		if (to_ints)
			ints_to_ints(e->from, e->to, in.i, n, out.i);
		else
			ints_to_doubles(e->from, e->to, in.i, n, out.d);
	} else {
		rstd__load_doubles(e->from, from, stride, n, to_ints ? in.d : out.d);
		if (to_ints)
			doubles_to_ints(e->to, in.d, n, out.i);
	}
	if (e->to == RSTD_DT_FLOAT) {
		EACH(in.f[i] = (float)out.d[i];)
		rstd__store_block(e->to, &in, n, to);
		return;
	}
	rstd__store_block(e->to, &out, n, to);
}

/* Between floats of 32 and 16 bits. */
static bool is_float_cast(const struct rstd__elementwise *e)
{
	return e->from != RSTD_DT_DOUBLE && e->to != RSTD_DT_DOUBLE && rstd__number_of(e->from) != RSTD__INTS &&
	       rstd__number_of(e->to) != RSTD__INTS;
}

/* ---- The loop ------------------------------------------------------------------------------------------------ */

/* Whether it is computed in binary32: see above. */
static bool in_floats(const struct rstd__elementwise *e)
{
	const bool short_float = e->from == RSTD_DT_FLOAT16 || e->from == RSTD_DT_BF16;

	if (e->op == RSTD__OP_CAST)
		return is_float_cast(e);
	return e->from == RSTD_DT_FLOAT || (short_float && e->op <= RSTD__OP_RSQRT);
}

static void run_block(const struct rstd__elementwise *e, const unsigned char *a, const unsigned char *b, size_t n,
                      unsigned char *y)
{
	const ptrdiff_t stride_a = (ptrdiff_t)e->strides[0][e->rank - 1];
	const ptrdiff_t stride_b = (ptrdiff_t)e->strides[1][e->rank - 1];
	const bool binary = e->op >= RSTD__OP_ADD && e->op <= RSTD__OP_DIV;
	union rstd__block left, right;

	if (in_floats(e)) {
		rstd__load_floats(e->from, a, stride_a, n, left.f);
		if (binary)
			rstd__load_floats(e->from, b, stride_b, n, right.f);
		if (e->op != RSTD__OP_CAST)
			compute_floats(e, left.f, right.f, n);
		rstd__store_floats(e->to, left.f, n, y);
		return;
	}
	if (e->op == RSTD__OP_CAST) {
		cast_block(e, a, stride_a, n, y);
		return;
	}
	rstd__load_block(e->from, a, stride_a, n, &left);
	if (binary)
		rstd__load_block(e->from, b, stride_b, n, &right);
	if (rstd__number_of(e->from) == RSTD__DOUBLES)
		compute_doubles(e, left.d, right.d, n);
	else
		compute_ints(e, left.i, right.i, n);
	rstd__store_block(e->to, &left, n, y);
}

/* The innermost axis. */
static void run_row(const struct rstd__elementwise *e, const unsigned char *a, const unsigned char *b, unsigned char *y)
{
	const size_t length = (size_t)e->dims[e->rank - 1];
	const ptrdiff_t from_size = rstd_ge_dtype_size(e->from), to_size = rstd_ge_dtype_size(e->to);

	if (e->op == RSTD__OP_COPY) {
		copy_row((size_t)from_size, a, (ptrdiff_t)e->strides[0][e->rank - 1], length, y);
		return;
	}
	for (size_t done = 0; done < length; done += RSTD__BLOCK) {
		const size_t n = length - done < RSTD__BLOCK ? length - done : RSTD__BLOCK;
		const ptrdiff_t at = (ptrdiff_t)done;

		run_block(e, a + at * (ptrdiff_t)e->strides[0][e->rank - 1] * from_size,
		          b ? b + at * (ptrdiff_t)e->strides[1][e->rank - 1] * from_size : NULL, n, y + at * to_size);
	}
}

void rstd__elementwise_run(const struct rstd__elementwise *e, const void *a, const void *b, void *y)
{
	const ptrdiff_t from_size = rstd_ge_dtype_size(e->from), to_size = rstd_ge_dtype_size(e->to);
	const size_t outer = e->rank - 1;
	int64_t index[RSTD_MAX_RANK] = { 0 };
	ptrdiff_t at_a = 0, at_b = 0, at_y = 0;

	for (size_t i = 0; i < e->rank; i++)
		if (e->dims[i] == 0)
			return;
	for (;;) {
		size_t i = outer;

		run_row(e, (const unsigned char *)a + at_a * from_size,
		        b ? (const unsigned char *)b + at_b * from_size : NULL, (unsigned char *)y + at_y * to_size);
		at_y += (ptrdiff_t)e->dims[outer];
		while (i > 0) {
			i--;
			at_a += (ptrdiff_t)e->strides[0][i];
			at_b += (ptrdiff_t)e->strides[1][i];
			if (++index[i] < e->dims[i])
				break;
			at_a -= (ptrdiff_t)(e->strides[0][i] * e->dims[i]);
			at_b -= (ptrdiff_t)(e->strides[1][i] * e->dims[i]);
			index[i] = 0;
			if (i == 0)
				return;
		}
		if (outer == 0)
			return;
	}
}
