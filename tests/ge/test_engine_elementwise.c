/*
 * test_engine_elementwise.c - element-wise operators, bit for bit against MPFR and integers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cann/ge/convert.h"
#include "cann/ge/elementwise.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define PRECISION    600 /* bits: sums and products of floats are exact in it */

__extension__ typedef unsigned __int128 uint128;

static const int32_t float_dtypes[] = { RSTD_DT_FLOAT, RSTD_DT_FLOAT16, RSTD_DT_BF16 };

static void run(enum rstd__elementwise_op op, int32_t from, int32_t to, float scalar, size_t n, const void *a,
                const void *b, void *y)
{
	struct rstd__elementwise e = { .op = op, .from = from, .to = to, .scalar = scalar };
	const int64_t dims[] = { (int64_t)n }, strides[] = { 1 };

	assert_true(rstd__elementwise_supports(op, from, to));
	rstd__elementwise_prepare(&e, 1, dims, strides, strides);
	rstd__elementwise_run(&e, a, b, y);
}

/* ---- Floats ------------------------------------------------------------------------------------------------------ */

static double in_double(enum rstd__elementwise_op op, double a, double b)
{
	switch (op) {
	case RSTD__OP_ADD:
	case RSTD__OP_ADD_SCALAR:
		return a + b;
	case RSTD__OP_SUB:
		return a - b;
	case RSTD__OP_DIV:
		return a / b;
	case RSTD__OP_SQRT:
		return sqrt(a);
	case RSTD__OP_RSQRT:
		return 1 / sqrt(a);
	default:
		return a * b;
	}
}

/* The exact result, or one with hundreds of bits, rounded once. */
static uint32_t reference(enum rstd__elementwise_op op, rstd_dtype dtype, double a, double b)
{
	const double special = in_double(op, a, b);
	mpfr_t x, y;
	uint32_t bits;

	if (special != special)
		return dtype_nan(dtype);
	if (isinf(a) || isinf(b) || (op == RSTD__OP_DIV && b == 0) || (op == RSTD__OP_RSQRT && a == 0))
		return isinf(special) ? dtype_inf(dtype) | (special < 0 ? dtype_sign_bit(dtype) : 0)
		                      : (signbit(special) ? dtype_sign_bit(dtype) : 0);
	mpfr_init2(x, PRECISION);
	mpfr_init2(y, PRECISION);
	mpfr_set_d(x, a, MPFR_RNDN);
	mpfr_set_d(y, b, MPFR_RNDN);
	if (op == RSTD__OP_ADD || op == RSTD__OP_ADD_SCALAR)
		mpfr_add(x, x, y, MPFR_RNDN);
	else if (op == RSTD__OP_SUB)
		mpfr_sub(x, x, y, MPFR_RNDN);
	else if (op == RSTD__OP_DIV)
		mpfr_div(x, x, y, MPFR_RNDN);
	else if (op == RSTD__OP_SQRT)
		mpfr_sqrt(x, x, MPFR_RNDN);
	else if (op == RSTD__OP_RSQRT)
		mpfr_rec_sqrt(x, x, MPFR_RNDN);
	else
		mpfr_mul(x, x, y, MPFR_RNDN);
	bits = bits_of_mpfr(dtype, x);
	mpfr_clear(x);
	mpfr_clear(y);
	return bits;
}

/* Any bit pattern, or one near 1, or one that shares its exponent with others. */
static uint32_t operand(rstd_dtype dtype, uint64_t *state)
{
	const uint64_t random = next_random(state);
	const uint32_t all = dtype == RSTD_F32 ? UINT32_MAX : UINT16_MAX;

	if (random % 4 < 2)
		return (uint32_t)(random >> 8) & all;
	if (random % 4 == 2)
		return random_bits(dtype, state, 12);
	return (uint32_t)(random >> 8) & (dtype_sign_bit(dtype) | 0xFF); /* subnormal */
}

static void check_floats(enum rstd__elementwise_op op, int32_t dtype, bool scalar)
{
	enum { N = 20000 };
	const rstd_dtype native = native_of(dtype);
	const size_t size = dtype_size(native);
	unsigned char *a = xmalloc(N * size), *b = xmalloc(N * size), *y = xmalloc(N * size);
	uint64_t state = 1000U * (uint64_t)op + (uint64_t)dtype;
	const bool unary = op == RSTD__OP_SQRT || op == RSTD__OP_RSQRT;
	float s = 0;

	for (size_t i = 0; i < N; i++) {
		bits_store(native, a + i * size, operand(native, &state));
		bits_store(native, b + i * size, operand(native, &state));
	}
	for (size_t from = 0; from < N; from += scalar ? 100 : N) { /* a new scalar for every hundred */
		const size_t n = scalar ? 100 : N;

		if (scalar) {
			const uint32_t bits = operand(RSTD_F32, &state);

			memcpy(&s, &bits, sizeof(s));
		}
		run(op, dtype, dtype, s, n, a + from * size, b + from * size, y + from * size);
		for (size_t i = from; i < from + n; i++) {
			const double left = bits_to_double(native, bits_load(native, a + i * size));
			const double other = bits_to_double(native, bits_load(native, b + i * size));
			const double right = scalar ? (double)s : unary ? 1 : other;
			const uint32_t expected = reference(op, native, left, right);
			const uint32_t got = bits_load(native, y + i * size);

			if (got != expected)
				fail_msg("op %d %s: %a, %a gives %x, must be %x", (int)op, dtype_name(native), left,
				         right, got, expected);
		}
	}
	free(a);
	free(b);
	free(y);
}

static void test_floats(void **state)
{
	static const enum rstd__elementwise_op ops[] = { RSTD__OP_ADD, RSTD__OP_SUB,  RSTD__OP_MUL,
		                                         RSTD__OP_DIV, RSTD__OP_SQRT, RSTD__OP_RSQRT };

	(void)state;
	for (size_t i = 0; i < COUNT(ops); i++)
		for (size_t j = 0; j < COUNT(float_dtypes); j++)
			check_floats(ops[i], float_dtypes[j], false);
	for (size_t j = 0; j < COUNT(float_dtypes); j++) {
		check_floats(RSTD__OP_ADD_SCALAR, float_dtypes[j], true);
		check_floats(RSTD__OP_MUL_SCALAR, float_dtypes[j], true);
	}
}

/* The scalar is a midpoint of bfloat16, and x far below its last bit decides: a sum in binary64 would be a tie. */
static void test_sum_beyond_binary64(void **state)
{
	static const uint16_t x[] = { 0x0001, 0x8001, 0x0000 };
	static const uint16_t expected[] = { 0x3F81, 0x3F80, 0x3F80 };
	uint16_t y[3];

	(void)state;
	run(RSTD__OP_ADD_SCALAR, RSTD_DT_BF16, RSTD_DT_BF16, 1 + 0x1p-8F, 3, x, NULL, y);
	assert_memory_equal(y, expected, sizeof(y));
}

static void test_all_halves(void **state)
{
	static const enum rstd__elementwise_op ops[] = { RSTD__OP_SQRT, RSTD__OP_RSQRT };
	uint16_t *x = xmalloc(65536 * sizeof(*x)), *y = xmalloc(65536 * sizeof(*y));

	(void)state;
	for (size_t i = 0; i < 65536; i++)
		x[i] = (uint16_t)i;
	for (size_t i = 0; i < COUNT(ops); i++)
		for (size_t j = 1; j < COUNT(float_dtypes); j++) {
			const rstd_dtype native = native_of(float_dtypes[j]);

			run(ops[i], float_dtypes[j], float_dtypes[j], 0, 65536, x, NULL, y);
			for (size_t k = 0; k < 65536; k++)
				assert_int_equal(y[k], reference(ops[i], native, bits_to_double(native, x[k]), 0));
		}
	for (size_t k = 0; k < 65536; k++) { /* and what a half is as a float */
		assert_true(isnan(rstd__float_of_f16(x[k])) ||
		            (double)rstd__float_of_f16(x[k]) == bits_to_double(RSTD_F16, x[k]));
		if (!bits_is_nan(RSTD_F16, x[k]))
			assert_int_equal(rstd__f16_of_float(rstd__float_of_f16(x[k])), x[k]);
	}
	free(x);
	free(y);
}

/*
 * Every significand of a binary32, at an even and at an odd exponent; others are these times a power of 4. y = Y * 2^e
 * is 1 / sqrt(X) rounded once if (2 Y - 1)^2 X <= 2^k <= (2 Y + 1)^2 X, where 2^k is 4 * 2^(-2e); equality does not
 * occur, but for powers of two.
 */
static void test_all_rsqrt(void **state)
{
	enum { N = 1 << 16 };
	float *x = xmalloc(N * sizeof(*x)), *y = xmalloc(N * sizeof(*y));

	(void)state;
	for (int odd = 0; odd < 2; odd++)
		for (uint32_t first = 1U << 23; first < 1U << 24; first += N) {
			for (uint32_t i = 0; i < N; i++)
				x[i] = (float)(first + i) * (odd ? 2.0F : 1.0F);
			run(RSTD__OP_RSQRT, RSTD_DT_FLOAT, RSTD_DT_FLOAT, 0, N, x, NULL, y);
			for (uint32_t i = 0; i < N; i++) {
				int e;
				const uint64_t Y = (uint64_t)ldexpf(frexpf(y[i], &e), 24), X = first + i;
				const uint128 one = (uint128)1 << (50 - 2 * e - odd);
				const bool power = Y == 1U << 23; /* where the neighbour below is half as far */

				if (power)
					assert_true((uint128)((4 * Y - 1) * (4 * Y - 1)) * X <= one << 2);
				else
					assert_true((uint128)((2 * Y - 1) * (2 * Y - 1)) * X < one);
				assert_true(one < (uint128)((2 * Y + 1) * (2 * Y + 1)) * X);
			}
		}
	free(x);
	free(y);
}

static void test_double(void **state)
{
	static const double a[] = { 0.1, -3, 1e308, 0 }, b[] = { 0.2, 7, 1e308, -0.0 };
	double y[4];

	(void)state;
	for (enum rstd__elementwise_op op = RSTD__OP_ADD; op <= RSTD__OP_DIV; op++) {
		run(op, RSTD_DT_DOUBLE, RSTD_DT_DOUBLE, 0, 4, a, b, y);
		for (size_t i = 0; i < 4; i++) {
			const double expected = in_double(op, a[i], b[i]);

			assert_true(isnan(expected) ? isnan(y[i]) && !signbit(y[i])
			                            : memcmp(&y[i], &expected, sizeof(expected)) == 0);
		}
	}
	assert_false(rstd__elementwise_supports(RSTD__OP_RSQRT, RSTD_DT_DOUBLE, RSTD_DT_DOUBLE));
	assert_false(rstd__elementwise_supports(RSTD__OP_ADD, RSTD_DT_BOOL, RSTD_DT_BOOL));
	assert_false(rstd__elementwise_supports(RSTD__OP_SQRT, RSTD_DT_INT32, RSTD_DT_INT32));
	assert_false(rstd__elementwise_supports(RSTD__OP_CAST, RSTD_DT_FLOAT, RSTD_DT_COMPLEX64));
	assert_false(rstd__elementwise_supports(RSTD__OP_COPY, RSTD_DT_INT4, RSTD_DT_INT4));
}

/* ---- Integers ---------------------------------------------------------------------------------------------------- */

/* The value of an integer element of any dtype, as its lowest 64 bits. */
static int64_t int_at(int32_t dtype, const void *data, size_t i)
{
	switch (dtype) {
	case RSTD_DT_INT8:
		return ((const int8_t *)data)[i];
	case RSTD_DT_UINT8:
	case RSTD_DT_BOOL:
		return ((const uint8_t *)data)[i];
	case RSTD_DT_INT16:
		return ((const int16_t *)data)[i];
	case RSTD_DT_UINT16:
		return ((const uint16_t *)data)[i];
	case RSTD_DT_INT32:
		return ((const int32_t *)data)[i];
	case RSTD_DT_UINT32:
		return ((const uint32_t *)data)[i];
	default:
		return ((const int64_t *)data)[i];
	}
}

static void test_ints(void **state)
{
	static const int32_t dtypes[] = { RSTD_DT_INT8,   RSTD_DT_UINT8, RSTD_DT_INT16,
		                          RSTD_DT_UINT16, RSTD_DT_INT32, RSTD_DT_INT64 };
	enum { N = 1000 };
	int64_t a[N], b[N], y[N], expected[N];
	uint64_t random = 5;

	(void)state;
	for (size_t d = 0; d < COUNT(dtypes); d++) {
		const size_t size = (size_t)rstd_ge_dtype_size(dtypes[d]);

		for (size_t i = 0; i < N; i++) {
			a[i] = (int64_t)next_random(&random);
			b[i] = (int64_t)(next_random(&random) & (i % 2 ? UINT64_MAX : UINT64_C(0x0303030303030303)));
		}
		for (enum rstd__elementwise_op op = RSTD__OP_ADD; op <= RSTD__OP_DIV; op++) {
			const size_t n = N * sizeof(*a) / size;

			for (size_t i = 0; i < n; i++) {
				const int64_t l = int_at(dtypes[d], a, i), r = int_at(dtypes[d], b, i);
				const uint64_t lu = (uint64_t)l, ru = (uint64_t)r;
				uint64_t result = op == RSTD__OP_ADD ? lu + ru : op == RSTD__OP_SUB ? lu - ru : lu * ru;

				if (op == RSTD__OP_DIV)
					result = r == 0 ? 0 : r == -1 ? 0 - lu : (uint64_t)(l / r);
				memcpy((unsigned char *)expected + i * size, &result,
				       size); /* little-endian, as here */
			}
			run(op, dtypes[d], dtypes[d], 0, n, a, b, y);
			assert_memory_equal(y, expected, sizeof(y));
		}
	}
	run(RSTD__OP_MUL_SCALAR, RSTD_DT_INT64, RSTD_DT_INT64, -2.7F, 2, a, NULL, y); /* truncated: -2 */
	assert_int_equal(y[1], (int64_t)(0 - 2 * (uint64_t)a[1]));
	run(RSTD__OP_ADD_SCALAR, RSTD_DT_INT64, RSTD_DT_INT64, 3, 2, a, NULL, y);
	assert_int_equal(y[1], (int64_t)((uint64_t)a[1] + 3));
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

static const int32_t cast_dtypes[] = { RSTD_DT_FLOAT,  RSTD_DT_FLOAT16, RSTD_DT_BF16,  RSTD_DT_DOUBLE, RSTD_DT_INT8,
	                               RSTD_DT_INT16,  RSTD_DT_INT32,   RSTD_DT_INT64, RSTD_DT_UINT8,  RSTD_DT_UINT16,
	                               RSTD_DT_UINT32, RSTD_DT_UINT64,  RSTD_DT_BOOL };

static bool is_half_or_float(int32_t dtype)
{
	return dtype == RSTD_DT_FLOAT || dtype == RSTD_DT_FLOAT16 || dtype == RSTD_DT_BF16;
}

/* The exact value of an element; NaN and Inf as such. */
static void exact_value(int32_t dtype, const unsigned char *p, mpfr_t value)
{
	double d;

	if (is_half_or_float(dtype)) {
		mpfr_set_d(value, bits_to_double(native_of(dtype), bits_load(native_of(dtype), p)), MPFR_RNDN);
	} else if (dtype == RSTD_DT_DOUBLE) {
		memcpy(&d, p, sizeof(d));
		mpfr_set_d(value, d, MPFR_RNDN);
	} else if (dtype == RSTD_DT_UINT64) {
		uint64_t u;

		memcpy(&u, p, sizeof(u));
		mpfr_set_ui(value, u, MPFR_RNDN);
	} else {
		mpfr_set_si(value, dtype == RSTD_DT_BOOL ? *p != 0 : int_at(dtype, p, 0), MPFR_RNDN);
	}
}

/* Truncated and saturated, as the dtype's bytes. */
static void expected_int(int32_t dtype, const mpfr_t value, unsigned char *p)
{
	const size_t size = (size_t)rstd_ge_dtype_size(dtype);
	const bool is_unsigned = dtype >= RSTD_DT_UINT16 ? dtype != RSTD_DT_INT64 : dtype == RSTD_DT_UINT8;
	const uint64_t most = UINT64_MAX >> (64 - 8 * size + !is_unsigned);
	uint64_t result;

	if (dtype == RSTD_DT_BOOL)
		result = mpfr_nan_p(value) || !mpfr_zero_p(value);
	else if (mpfr_nan_p(value))
		result = 0;
	else if (mpfr_cmp_ui(value, most) > 0)
		result = most;
	else if (is_unsigned)
		result = mpfr_sgn(value) < 0 ? 0 : mpfr_get_ui(value, MPFR_RNDZ);
	else if (mpfr_cmp_si(value, -(int64_t)most - 1) < 0)
		result = (uint64_t)(-(int64_t)most - 1);
	else
		result = (uint64_t)mpfr_get_si(value, MPFR_RNDZ);
	memcpy(p, &result, size);
}

static void expected_cast(int32_t to, const mpfr_t value, unsigned char *p)
{
	double d;

	if (is_half_or_float(to)) {
		const rstd_dtype native = native_of(to);

		if (mpfr_nan_p(value))
			bits_store(native, p, dtype_nan(native));
		else if (mpfr_inf_p(value))
			bits_store(native, p, dtype_inf(native) | (mpfr_signbit(value) ? dtype_sign_bit(native) : 0));
		else
			bits_store(native, p, bits_of_mpfr(native, value));
	} else if (to == RSTD_DT_DOUBLE) {
		d = mpfr_nan_p(value) ? rstd__quiet_double((double)NAN) : mpfr_get_d(value, MPFR_RNDN);
		memcpy(p, &d, sizeof(d));
	} else {
		expected_int(to, value, p);
	}
}

/* Bits that reach every range: any, or a number of few bits, or one close to a power of two. */
static uint64_t cast_bits(int32_t from, uint64_t *state)
{
	const uint64_t random = next_random(state);
	const double d = ldexp((double)(1 + (random >> 50)), (int)(random >> 20 & 127) - 60) * (random & 4 ? -1 : 1);
	uint64_t bits = next_random(state);

	if (random % 3 == 0 && from == RSTD_DT_DOUBLE)
		memcpy(&bits, &d, sizeof(bits));
	else if (random % 3 == 0 && is_half_or_float(from))
		bits = bits_from_double(native_of(from), d);
	else if (random % 3 == 1)
		bits = (UINT64_C(1) << (random >> 8) % 64) + (random >> 16) % 5 - 2;
	if (from == RSTD_DT_BOOL)
		bits &= 1;
	return bits;
}

static void test_casts(void **state)
{
	enum { N = 3000 };
	unsigned char *x = xmalloc(N * 8), *y = xmalloc(N * 8), expected[8];
	uint64_t random = 77;
	mpfr_t value;

	(void)state;
	mpfr_init2(value, 200);
	for (size_t i = 0; i < COUNT(cast_dtypes); i++)
		for (size_t j = 0; j < COUNT(cast_dtypes); j++) {
			const int32_t from = cast_dtypes[i], to = cast_dtypes[j];
			const size_t from_size = (size_t)rstd_ge_dtype_size(from),
				     to_size = (size_t)rstd_ge_dtype_size(to);

			for (size_t k = 0; k < N; k++) {
				const uint64_t bits = cast_bits(from, &random);

				memcpy(x + k * from_size, &bits, from_size);
			}
			run(RSTD__OP_CAST, from, to, 0, N, x, NULL, y);
			for (size_t k = 0; k < N; k++) {
				exact_value(from, x + k * from_size, value);
				expected_cast(to, value, expected);
				if (memcmp(expected, y + k * to_size, to_size) != 0)
					fail_msg("%s to %s: element %zu, %g", rstd_ge_dtype_name(from),
					         rstd_ge_dtype_name(to), k, mpfr_get_d(value, MPFR_RNDN));
			}
		}
	mpfr_clear(value);
	free(x);
	free(y);
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* Strides of every kind, against the sum over indexes. */
static void test_strides(void **state)
{
	enum { RANK = 4, SIZE = 4000 };
	static float a[SIZE], b[SIZE], y[SIZE];
	uint64_t random = 3;

	(void)state;
	for (size_t i = 0; i < SIZE; i++) {
		a[i] = (float)i;
		b[i] = (float)(i * i % 1013);
	}
	for (int round = 0; round < 500; round++) {
		struct rstd__elementwise e = { .op = round % 2 ? RSTD__OP_SUB : RSTD__OP_COPY,
			                       .from = RSTD_DT_FLOAT,
			                       .to = RSTD_DT_FLOAT };
		int64_t dims[RANK], sa[RANK], sb[RANK], index[RANK] = { 0 };
		size_t count = 1, at = 0;

		for (size_t i = 0; i < RANK; i++)
			dims[i] = 1 + (int64_t)(next_random(&random) % 5);
		sa[3] = 1, sa[2] = dims[3], sa[1] = sa[2] * dims[2], sa[0] = sa[1] * dims[1];
		for (size_t i = 0; i < RANK; i++) {
			count *= (size_t)dims[i];
			sb[i] = next_random(&random) % 3 ? (int64_t)(next_random(&random) % 7) : 0;
			if (next_random(&random) % 4 == 0)
				sa[i] = 0;
		}
		rstd__elementwise_prepare(&e, RANK, dims, sa, sb);
		rstd__elementwise_run(&e, a, e.op == RSTD__OP_COPY ? NULL : b, y);
		for (at = 0; at < count; at++) {
			int64_t i = 0, j = 0;

			for (size_t r = 0; r < RANK; r++) {
				i += index[r] * sa[r];
				j += index[r] * sb[r];
			}
			assert_true(y[at] == (e.op == RSTD__OP_COPY ? a[i] : a[i] - b[j]));
			for (size_t r = RANK; r-- > 0 && ++index[r] == dims[r];)
				index[r] = 0;
		}
	}
}

/* Through a graph: x1 [2,1,3] + x2 [4,1]. */
static void test_broadcast_in_graph(void **state)
{
	static const float x1[] = { 1, 2, 3, 4, 5, 6 }, x2[] = { 10, 20, 30, 40 };
	const struct dims d1 = DIMS(2, 1, 3), d2 = DIMS(4, 1);
	const rstd_ge_tensor feeds[] = { feed(RSTD_DT_FLOAT, &d1, x1), feed(RSTD_DT_FLOAT, &d2, x2) };
	struct maker m = { 0 };
	rstd_op *a = make_data(&m, "a"), *b = make_data(&m, "b"), *sum = make(&m, "Add", "sum", a, b);
	float expected[24];

	(void)state;
	for (size_t i = 0; i < 24; i++)
		expected[i] = x1[i / 12 * 3 + i % 3] + x2[i / 3 % 4];
	expect_result(finish(&m, &sum, 1), feeds, 2, RSTD_DT_FLOAT, DIMS(2, 4, 3), expected);
	drop(&m);
}

/* Mul of a half and a bfloat16 is a float. */
static void test_mixed_mul_in_graph(void **state)
{
	static const uint16_t half[] = { 0x3C01, 0xBC00 }, brain[] = { 0x3F81, 0x4000 };
	const struct dims dims = DIMS(2);
	const rstd_ge_tensor feeds[] = { feed(RSTD_DT_FLOAT16, &dims, half), feed(RSTD_DT_BF16, &dims, brain) };
	const float expected[] = { (1 + 0x1p-10F) * (1 + 0x1p-7F), -2 };
	struct maker m = { 0 };
	rstd_op *a = make_data(&m, "a"), *b = make_data(&m, "b"), *product = make(&m, "Mul", "product", a, b);

	(void)state;
	expect_result(finish(&m, &product, 1), feeds, 2, RSTD_DT_FLOAT, DIMS(2), expected);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_sum_beyond_binary64),
		cmocka_unit_test(test_all_halves),
		cmocka_unit_test(test_all_rsqrt),
		cmocka_unit_test(test_double),
		cmocka_unit_test(test_ints),
		cmocka_unit_test(test_casts),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_broadcast_in_graph),
		cmocka_unit_test(test_mixed_mul_in_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
