/*
 * test_moments.c - states of data in pieces: any split, order and layout gives the same bits
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sums themselves and the rounding are tested against GMP by test_exact.c. Values named B05, B07, ... come from
 * public bug reports of other libraries, with the right result for each.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rstd/rstd.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Steps that tests share -------------------------------------------------------------------------------------- */

/* xorshift64*, Vigna 2016 */
static uint64_t random_state = 0x9E3779B97F4A7C15;

static uint64_t random_below(uint64_t bound)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (random_state * UINT64_C(0x2545F4914F6CDD1D) >> 11) % bound;
}

static void random_floats(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t bits = (uint32_t)(random_below(2) << 31 | random_below(UINT64_C(255) << 23));

		memcpy(&x[i], &bits, sizeof(bits));
	}
}

static size_t size_of(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? 4 : 2;
}

static const rstd_dtype dtypes[] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

static rstd_tensor vector(const void *data, rstd_dtype dtype, int64_t n)
{
	void *address; /* views have no const, also of inputs */
	rstd_tensor t;

	memcpy(&address, &data, sizeof(address));
	assert_int_equal(rstd_tensor_contiguous(&t, address, dtype, 1, &n), RSTD_OK);
	return t;
}

static void add(rstd_moments *m, const void *data, rstd_dtype dtype, size_t n)
{
	const rstd_tensor t = vector(data, dtype, (int64_t)n);

	assert_int_equal(rstd_moments_update(m, 1, &t, NULL, 0), RSTD_OK);
}

static rstd_moments moments_of(const float *x, size_t n)
{
	rstd_moments m = { 0 };

	add(&m, x, RSTD_F32, n);
	return m;
}

static float std_of(const rstd_moments *m, int64_t correction)
{
	float y;

	assert_int_equal(rstd_moments_std(m, 1, correction, RSTD_F32, &y), RSTD_OK);
	return y;
}

static float mean_of(const rstd_moments *m)
{
	float y;

	assert_int_equal(rstd_moments_mean(m, 1, RSTD_F32, &y), RSTD_OK);
	return y;
}

static float invstd_of(const rstd_moments *m, double epsilon)
{
	float y;

	assert_int_equal(rstd_moments_invstd(m, 1, epsilon, RSTD_F32, &y), RSTD_OK);
	return y;
}

static void assert_float(float actual, float expected)
{
	if (isnan(expected) ? !isnan(actual) : memcmp(&actual, &expected, sizeof(actual)) != 0)
		fail_msg("%a instead of %a", (double)actual, (double)expected);
}

static void assert_error(rstd_status status, rstd_status expected, const char *message)
{
	assert_int_equal(status, expected);
	assert_string_equal(rstd_last_error(), message);
}

/* ---- Splits and orders ------------------------------------------------------------------------------------------- */

static void test_any_split_and_order(void **state)
{
	float *x = malloc(4000 * sizeof(*x));

	(void)state;
	assert_non_null(x);
	for (int round = 0; round < 300; round++) {
		const size_t n = 1 + random_below(4000);
		rstd_moments part[9] = { 0 }, whole;

		random_floats(x, n);
		if (round % 3 == 0)
			x[random_below(n)] = random_below(2) ? INFINITY : NAN;
		whole = moments_of(x, n);
		for (size_t at = 0; at < n;) { /* pieces go to any state */
			const size_t step = 1 + random_below(n - at);

			add(&part[random_below(LENGTH(part))], x + at, RSTD_F32, step);
			at += step;
		}
		for (size_t left = LENGTH(part); left > 1; left--) { /* and any two states are merged */
			const size_t from = random_below(left), into = (from + 1 + random_below(left - 1)) % left;

			assert_int_equal(rstd_moments_merge(&part[into], &part[from], 1), RSTD_OK);
			part[from] = part[left - 1];
		}
		assert_memory_equal(&part[0], &whole, sizeof(whole));
	}
	free(x);
}

/* B23 */
static void permute(float *x, size_t fixed, size_t n, const rstd_moments *expected)
{
	if (fixed == n) {
		const rstd_moments m = moments_of(x, n);

		assert_memory_equal(&m, expected, sizeof(m));
		return;
	}
	for (size_t i = fixed; i < n; i++) {
		const float a = x[fixed], b = x[i];

		x[fixed] = b;
		x[i] = a;
		permute(x, fixed + 1, n, expected);
		x[fixed] = a;
		x[i] = b;
	}
}

static void test_all_orders(void **state)
{
	float integers[] = { 0, 1, 2, 3, 4, 5 }, tenths[] = { 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F };
	rstd_moments m = moments_of(integers, LENGTH(integers));

	(void)state;
	assert_float(std_of(&m, 0), 0x1.b53408p+0F);
	permute(integers, 0, LENGTH(integers), &m);
	m = moments_of(tenths, LENGTH(tenths));
	assert_float(std_of(&m, 0), 0.2F);
	permute(tenths, 0, LENGTH(tenths), &m);
}

/* B37: ranks that hold different numbers of elements */
static void test_uneven_ranks(void **state)
{
	static const float a[] = { 1, 3 }, b[] = { 2, 2, 2, 8, 8, 8 };
	rstd_moments m[2] = { moments_of(a, 2), moments_of(b, 6) }, none = { 0 };

	(void)state;
	assert_int_equal(rstd_moments_merge(&m[0], &m[1], 1), RSTD_OK);
	assert_int_equal(rstd_moments_merge(&m[0], &none, 1), RSTD_OK);
	assert_int_equal(m[0].count, 8);
	assert_float(mean_of(&m[0]), 4.25F);
	assert_float(invstd_of(&m[0], 1e-5), 0x1.5b6b02p-2F);
	assert_float(std_of(&m[0], 0), 0x1.794642p+1F); /* sqrt(8.6875) */
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* B05 and B09: neither overflow nor underflow on the way */
static void test_extreme_values(void **state)
{
	const float big = 0x1.fffffep127F;
	const float huge[] = { -big, -big, big, 1, 1, 1, 1, 1, 1, 1, big, 1, 1, 1, 1, 1 };
	static const float small[] = { 1e-30F, 2e-30F, 3e-30F, 4e-30F };
	static const float least[] = { 0x1p-149F, 0x2p-149F, 0x3p-149F, 0x4p-149F };
	rstd_moments m = moments_of(huge, LENGTH(huge));

	(void)state;
	assert_float(std_of(&m, 0), 0x1.fffffep+126F);
	assert_float(std_of(&m, 1), 0x1.08654ap+127F);
	assert_float(mean_of(&m), 0.75F);
	m = moments_of(small, LENGTH(small));
	assert_float(std_of(&m, 1), 0x1.a2f3ap-100F);
	m = moments_of(least, LENGTH(least));
	assert_float(std_of(&m, 1), 0x1p-149F);
	assert_float(mean_of(&m), 0x1p-148F);
}

/* B07: counts that float16 cannot hold */
static void test_long_float16(void **state)
{
	static const size_t lengths[] = { 65519, 65520, 1000000 };
	uint16_t *x = malloc(1000000 * sizeof(*x));

	(void)state;
	assert_non_null(x);
	for (size_t i = 0; i < LENGTH(lengths); i++) {
		const size_t n = lengths[i];
		rstd_moments m = { 0 };
		uint16_t y;

		for (size_t j = 0; j < n; j++)
			x[j] = j < n / 2 ? 0 : 0x3C00; /* 1 */
		add(&m, x, RSTD_F16, n);
		assert_int_equal(rstd_moments_std(&m, 1, 1, RSTD_F16, &y), RSTD_OK);
		assert_int_equal(y, 0x3800); /* 0.5 */
		assert_int_equal(rstd_moments_mean(&m, 1, RSTD_F16, &y), RSTD_OK);
		assert_int_equal(y, 0x3800);
	}
	free(x);
}

/* B11 */
static void test_not_finite(void **state)
{
	static const float rows[][4] = {
		{ 123, NAN, INFINITY, -INFINITY }, { 1, 2, INFINITY, 3 }, { 1, -INFINITY, -INFINITY, 3 },
		{ 1, INFINITY, 2, -INFINITY },     { 0, -NAN, 1, 2 },     { 1, 2, 3, 4 },
	};
	static const float means[] = { NAN, INFINITY, -INFINITY, NAN, NAN, 2.5F };
	const int64_t shape[] = { LENGTH(rows), 4 }, dim = 1;
	rstd_moments m[LENGTH(rows)] = { 0 };
	float mean[LENGTH(rows)], std[LENGTH(rows)], invstd[LENGTH(rows)];
	rstd_tensor t = vector(rows, RSTD_F32, 4);

	(void)state;
	assert_int_equal(rstd_tensor_contiguous(&t, t.data, RSTD_F32, 2, shape), RSTD_OK);
	assert_int_equal(rstd_moments_update(m, LENGTH(m), &t, &dim, 1), RSTD_OK);
	assert_int_equal(rstd_moments_mean(m, LENGTH(m), RSTD_F32, mean), RSTD_OK);
	assert_int_equal(rstd_moments_std(m, LENGTH(m), 0, RSTD_F32, std), RSTD_OK);
	assert_int_equal(rstd_moments_invstd(m, LENGTH(m), 1, RSTD_F32, invstd), RSTD_OK);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const bool finite = i + 1 == LENGTH(rows);

		assert_int_equal(m[i].count, 4);
		assert_float(mean[i], means[i]);
		assert_float(std[i], finite ? 0x1.1e377ap+0F : NAN);    /* sqrt(1.25) */
		assert_float(invstd[i], finite ? 0x1.555556p-1F : NAN); /* 1 / sqrt(2.25) */
	}
	assert_int_equal(m[0].nan_count, 1);
	assert_int_equal(m[0].pos_inf_count, 1);
	assert_int_equal(m[0].neg_inf_count, 1);
	assert_int_equal(m[2].neg_inf_count, 2);
	assert_int_equal(m[5].nan_count + m[5].pos_inf_count + m[5].neg_inf_count, 0);
}

/* B13 and B15 */
static void test_few_elements(void **state)
{
	static const float x[] = { 1, 3 }, same[] = { 0.525F, 0.525F, 0.525F };
	const int64_t shape[] = { 3, 0, 4 }, dims[] = { 1, 0 };
	rstd_moments m = moments_of(x, 2), none[12] = { 0 };
	rstd_tensor t;

	(void)state;
	assert_float(std_of(&m, 1), 0x1.6a09e6p+0F);
	assert_float(std_of(&m, 2), INFINITY);
	assert_float(std_of(&m, INT64_MAX), INFINITY);
	m = moments_of(same, 3);
	assert_float(std_of(&m, 1), 0);
	assert_float(mean_of(&m), 0.525F);
	assert_float(std_of(&m, 3), NAN);
	assert_float(std_of(&m, 4), NAN);
	assert_float(invstd_of(&m, 0), INFINITY);

	assert_int_equal(rstd_tensor_contiguous(&t, NULL, RSTD_F32, 3, shape), RSTD_OK);
	assert_int_equal(rstd_moments_update(none, 12, &t, &dims[0], 1), RSTD_OK);
	assert_int_equal(rstd_moments_update(none, 0, &t, &dims[1], 1), RSTD_OK);
	assert_int_equal(rstd_moments_update(NULL, 0, &t, &dims[1], 1), RSTD_OK);
	assert_int_equal(rstd_moments_update(none, 1, &t, NULL, 0), RSTD_OK);
	for (size_t i = 0; i < LENGTH(none); i++) {
		assert_int_equal(none[i].count, 0);
		assert_float(std_of(&none[i], 0), NAN);
		assert_float(std_of(&none[i], 1), NAN);
		assert_float(mean_of(&none[i]), NAN);
		assert_float(invstd_of(&none[i], 1), NAN);
	}
}

static void test_any_epsilon(void **state)
{
	static const float x[] = { 1, -1 };
	const rstd_moments m = moments_of(x, 2);

	(void)state;
	assert_float(invstd_of(&m, 3), 0.5F);
	assert_float(invstd_of(&m, 15), 0.25F);
	assert_float(invstd_of(&m, -1), INFINITY);
	assert_float(invstd_of(&m, (double)nextafterf(-1, -2)), NAN);
	assert_float(invstd_of(&m, (double)nextafterf(-1, 0)), 0x1p12F);
	assert_float(invstd_of(&m, -1 - 0x1p-30), INFINITY); /* to float first */
	assert_float(invstd_of(&m, (double)NAN), NAN);
	assert_float(invstd_of(&m, (double)INFINITY), 0);
	assert_float(invstd_of(&m, (double)-INFINITY), NAN);
}

/* Results in every dtype, and in memory of any alignment. */
static void test_dtypes_of_results(void **state)
{
	static const float x[] = { 1, 3 };
	static const uint32_t invstd[] = { 0x3EE4F92E, 0x3728, 0x3EE5 }; /* 1 / sqrt(5) */
	const rstd_moments m[] = { moments_of(x, 2), { 0 } };

	(void)state;
	for (size_t i = 0; i < LENGTH(dtypes); i++) {
		const size_t size = size_of(dtypes[i]);
		unsigned char out[2 * 4 + 1];
		uint32_t bits = 0;

		memset(out, 0xEE, sizeof(out));
		assert_int_equal(rstd_moments_invstd(m, 2, 4, dtypes[i], out + 1), RSTD_OK);
		memcpy(&bits, out + 1, size); /* little-endian machines */
		assert_int_equal(bits, invstd[i]);
		assert_int_equal(out[0], 0xEE);
		for (size_t j = 1 + 2 * size; j < sizeof(out); j++)
			assert_int_equal(out[j], 0xEE);
	}
}

/* ---- Views ------------------------------------------------------------------------------------------------------- */

/* A random view into memory of `room` elements, any order of axes, signs, gaps and repeats. */
static rstd_tensor random_view(unsigned char *memory, size_t room, rstd_dtype dtype, const int64_t *shape, size_t rank)
{
	rstd_tensor t = { .dtype = dtype, .rank = rank };
	size_t order[RSTD_MAX_RANK] = { 0 };
	int64_t stride = 1 + (int64_t)random_below(2), first = 0;

	for (size_t i = 0; i < rank; i++) {
		const size_t j = random_below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; i < rank; i++) {
		const size_t axis = order[i];

		t.shape[axis] = shape[axis];
		if (random_below(8) == 0)
			continue; /* stride 0 */
		t.strides[axis] = random_below(3) ? stride : -stride;
		if (t.strides[axis] < 0 && shape[axis] > 0)
			first += stride * (shape[axis] - 1);
		stride = stride * (shape[axis] + (random_below(4) == 0));
	}
	assert_true((size_t)stride <= room);
	t.data = memory + (size_t)first * size_of(dtype);
	return t;
}

/* One element at a time, in row-major order. */
static void update_one_by_one(rstd_moments *moments, const rstd_tensor *t, const bool *reduced)
{
	int64_t index[RSTD_MAX_RANK] = { 0 };
	size_t i;

	for (i = 0; i < t->rank; i++)
		if (t->shape[i] == 0)
			return;
	do {
		const unsigned char *p = t->data;
		size_t output = 0;

		for (i = 0; i < t->rank; i++) {
			p += index[i] * t->strides[i] * (int64_t)size_of(t->dtype);
			if (!reduced[i])
				output = output * (size_t)t->shape[i] + (size_t)index[i];
		}
		add(&moments[output], p, t->dtype, 1);
		for (i = t->rank; i-- > 0;) {
			if (++index[i] < t->shape[i])
				break;
			index[i] = 0;
		}
	} while (i < t->rank);
}

/* A random dtype, alignment and view of the shape, reduced over the axes of a mask; 0 means all. */
static void check_view(unsigned char *memory, size_t room, const int64_t *shape, size_t rank, unsigned axes)
{
	const rstd_dtype dtype = dtypes[random_below(LENGTH(dtypes))];
	const rstd_tensor t = random_view(memory + random_below(2), room, dtype, shape, rank);
	bool reduced[RSTD_MAX_RANK];
	int64_t dim[RSTD_MAX_RANK];
	size_t dims = 0, outputs = 1;
	rstd_moments *expected, *actual;

	for (size_t i = 0; i < rank; i++) {
		reduced[i] = axes == 0 || (axes >> i & 1);
		if (axes >> i & 1)
			dim[dims++] = (int64_t)i - (random_below(2) ? (int64_t)rank : 0);
		if (!reduced[i])
			outputs *= (size_t)shape[i];
	}
	expected = calloc(outputs + 1, sizeof(*expected));
	actual = calloc(outputs + 1, sizeof(*actual));
	assert_true(expected && actual);
	update_one_by_one(expected, &t, reduced);
	assert_int_equal(rstd_moments_update(actual, outputs, &t, dim, dims), RSTD_OK);
	assert_memory_equal(actual, expected, (outputs + 1) * sizeof(*actual));
	free(expected);
	free(actual);
}

static void test_views(void **state)
{
	static const int64_t shapes[][4] = {
		{ 600, 33, 1, 1 }, { 33, 1100, 1, 1 }, { 1, 1, 1, 5000 }, { 40, 3, 5, 31 },
		{ 2, 700, 2, 2 },  { 1500, 2, 1, 1 },  { 3, 0, 2, 1 },    { 7, 5, 3, 64 }
	};
	const size_t room = 400000;
	unsigned char *memory = malloc(room * 4 + 1);

	(void)state;
	assert_non_null(memory);
	for (size_t i = 0; i < room * 4 + 1; i++)
		memory[i] = (unsigned char)random_below(256);
	for (int round = 0; round < 1500; round++) { /* small, of any rank */
		const size_t rank = random_below(6);
		int64_t shape[RSTD_MAX_RANK];

		for (size_t i = 0; i < rank; i++)
			shape[i] = (int64_t)random_below(20) ? 1 + (int64_t)random_below(4) : 0;
		check_view(memory, room, shape, rank, (unsigned)random_below(1u << rank));
	}
	for (size_t i = 0; i < LENGTH(shapes); i++)
		for (unsigned axes = 0; axes < 16; axes++)
			check_view(memory, room, shapes[i], 4, axes);
	free(memory);
}

/* ---- The same bits as the operators ------------------------------------------------------------------------------ */

static void check_operators(const rstd_tensor *x, size_t channels)
{
	const int64_t dim[] = { 0, 2 }, c = (int64_t)channels;
	rstd_moments m[40] = { 0 };
	float std[2][40] = { 0 }, mean[2][40] = { 0 }, invstd[2][40] = { 0 };
	rstd_tensor out[3];

	for (size_t i = 0; i < 3; i++)
		out[i] = vector(i == 0 ? std[0] : i == 1 ? mean[0] : invstd[0], RSTD_F32, c);
	assert_int_equal(rstd_moments_update(m, channels, x, dim, 2), RSTD_OK);
	assert_int_equal(rstd_moments_std(m, channels, 1, RSTD_F32, std[1]), RSTD_OK);
	assert_int_equal(rstd_moments_mean(m, channels, RSTD_F32, mean[1]), RSTD_OK);
	assert_int_equal(rstd_moments_invstd(m, channels, 1e-5, RSTD_F32, invstd[1]), RSTD_OK);
	assert_int_equal(rstd_std_mean(x, dim, 2, 1, false, &out[0], &out[1]), RSTD_OK);
	assert_memory_equal(std[0], std[1], channels * sizeof(float));
	assert_memory_equal(mean[0], mean[1], channels * sizeof(float));
	assert_int_equal(rstd_batch_norm_stats(x, 1e-5, &out[1], &out[2]), RSTD_OK);
	assert_memory_equal(invstd[0], invstd[1], channels * sizeof(float));
}

static void test_same_as_operators(void **state)
{
	const int64_t shape[] = { 9, 40, 21 };
	float *x = malloc(9 * 40 * 21 * sizeof(*x));
	rstd_tensor t;

	(void)state;
	assert_non_null(x);
	for (int round = 0; round < 20; round++) {
		random_floats(x, 9 * 40 * 21);
		if (round & 1) /* small integers have ties */
			for (size_t i = 0; i < 9 * 40 * 21; i++)
				x[i] = (float)random_below(5);
		assert_int_equal(rstd_tensor_contiguous(&t, x, RSTD_F32, 3, shape), RSTD_OK);
		check_operators(&t, 40);
	}
	free(x);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static void test_bytes(void **state)
{
	static const float x[] = { 1, -2, INFINITY, -INFINITY, -INFINITY, NAN };
	const rstd_moments m = moments_of(x, 6);
	unsigned char bytes[RSTD_MOMENTS_BYTES],
		expected[RSTD_MOMENTS_BYTES] = { 'r', 's', 't', 'd', 'm', 'o', 'm', 1 };
	rstd_moments again;

	(void)state;
	expected[8] = 6;
	expected[16] = 1;
	expected[24] = 1;
	expected[32] = 2;
	memset(expected + 40, 0xFF, 48); /* -2^149 */
	memset(expected + 40, 0, 18);
	expected[40 + 18] = 0xE0;
	expected[88 + 37] = 0x14; /* 5 * 2^298 */
	assert_int_equal(rstd_moments_store(&m, bytes), RSTD_OK);
	assert_memory_equal(bytes, expected, sizeof(bytes));
	assert_int_equal(rstd_moments_load(&again, bytes, sizeof(bytes)), RSTD_OK);
	assert_memory_equal(&again, &m, sizeof(m));

	for (int round = 0; round < 100; round++) { /* every bit of a state goes there and back */
		rstd_moments any;
		unsigned char *p = (unsigned char *)&any;

		for (size_t i = 0; i < sizeof(any); i++)
			p[i] = (unsigned char)random_below(256);
		any.count = INT64_MAX - random_below(100);
		any.nan_count >>= 3;
		any.pos_inf_count >>= 3;
		any.neg_inf_count >>= 3;
		assert_int_equal(rstd_moments_store(&any, bytes), RSTD_OK);
		assert_int_equal(rstd_moments_load(&again, bytes, sizeof(bytes)), RSTD_OK);
		assert_memory_equal(&again, &any, sizeof(any));
	}
}

static void assert_malformed(const unsigned char *bytes, size_t size, const char *message)
{
	rstd_moments m, before;

	memset(&m, 0x5A, sizeof(m));
	before = m;
	assert_error(rstd_moments_load(&m, bytes, size), RSTD_ERROR_FORMAT, message);
	assert_memory_equal(&m, &before, sizeof(m));
}

/* The state of 5 elements with one count, at byte `at`, changed to value. */
static void assert_malformed_count(size_t at, uint64_t value, const char *message)
{
	static const float x[] = { 1, 2, NAN, INFINITY, -INFINITY };
	const rstd_moments m = moments_of(x, 5);
	unsigned char bytes[RSTD_MOMENTS_BYTES];

	assert_int_equal(rstd_moments_store(&m, bytes), RSTD_OK);
	for (size_t i = 0; i < 8; i++)
		bytes[at + i] = (unsigned char)(value >> 8 * i);
	assert_malformed(bytes, sizeof(bytes), message);
}

static void test_malformed_bytes(void **state)
{
	static const float x[] = { 1, 2 };
	const rstd_moments m = moments_of(x, 2);
	unsigned char bytes[RSTD_MOMENTS_BYTES];

	(void)state;
	assert_int_equal(rstd_moments_store(&m, bytes), RSTD_OK);
	for (size_t size = 0; size <= 2 * RSTD_MOMENTS_BYTES; size++) {
		unsigned char *exact_size = malloc(size + 1); /* at its end, where AddressSanitizer watches */
		rstd_moments again;

		assert_non_null(exact_size);
		memcpy(exact_size + 1, bytes, size < sizeof(bytes) ? size : sizeof(bytes));
		if (size != sizeof(bytes))
			assert_int_equal(rstd_moments_load(&again, exact_size + 1, size), RSTD_ERROR_FORMAT);
		free(exact_size);
	}
	assert_malformed(bytes, 167, "size: is 167, allowed is 168");
	for (size_t i = 0; i < 7; i++) {
		bytes[i] ^= 0x20;
		assert_malformed(bytes, sizeof(bytes), "bytes: do not start with \"rstdmom\", as those of a state do");
		bytes[i] ^= 0x20;
	}
	bytes[7] = 0;
	assert_malformed(bytes, sizeof(bytes), "bytes: version is 0, allowed is 1");
	bytes[7] = 2;
	assert_malformed(bytes, sizeof(bytes), "bytes: version is 2, allowed is 1");

	assert_malformed_count(8, UINT64_C(1) << 63,
	                       "bytes: count is 9223372036854775808, allowed are 0 to 9223372036854775807");
	assert_malformed_count(8, 2, "bytes: 1 NaNs, 1 +Inf and 1 -Inf are counted, allowed are 2 elements in all");
	assert_malformed_count(16, 4, "bytes: 4 NaNs, 1 +Inf and 1 -Inf are counted, allowed are 5 elements in all");
	assert_malformed_count(24, UINT64_MAX,
	                       "bytes: 1 NaNs, 18446744073709551615 +Inf and 1 -Inf are counted, allowed are 5 "
	                       "elements in all");
	assert_malformed_count(32, UINT64_MAX - 1,
	                       "bytes: 1 NaNs, 1 +Inf and 18446744073709551614 -Inf are counted, allowed are 5 "
	                       "elements in all");
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void test_too_many_elements(void **state)
{
	static const float x[] = { 1, 2, 3, 4 };
	rstd_moments into[2] = { moments_of(x, 4), moments_of(x, 3) }, from[2] = { moments_of(x, 2), moments_of(x, 1) };
	rstd_moments before[2];
	const int64_t shape[] = { 2, 2 }, dim = 1;
	rstd_tensor t = vector(x, RSTD_F32, 4);

	(void)state;
	assert_int_equal(rstd_tensor_contiguous(&t, t.data, RSTD_F32, 2, shape), RSTD_OK);
	into[1].count = INT64_MAX - 1;
	assert_int_equal(rstd_moments_merge(into, from, 2), RSTD_OK);
	assert_int_equal(into[1].count, INT64_MAX);
	memcpy(before, into, sizeof(before));
	assert_error(rstd_moments_merge(into, from, 2), RSTD_ERROR_OVERFLOW,
	             "into: state 1 has counted 9223372036854775807 elements and would count 1 more, allowed are "
	             "9223372036854775807 in all");
	assert_memory_equal(into, before, sizeof(before));
	assert_error(rstd_moments_update(into, 2, &t, &dim, 1), RSTD_ERROR_OVERFLOW,
	             "moments: state 1 has counted 9223372036854775807 elements and would count 2 more, allowed are "
	             "9223372036854775807 in all");
	assert_memory_equal(into, before, sizeof(before));
	from[0].count = UINT64_MAX; /* a state that no call makes */
	assert_int_equal(rstd_moments_merge(into, from, 1), RSTD_ERROR_OVERFLOW);
	assert_int_equal(rstd_moments_merge(from, into, 1), RSTD_ERROR_OVERFLOW);
	assert_memory_equal(into, before, sizeof(before));
}

static void test_refusals(void **state)
{
	static const float x[] = { 1, 2, 3, 4 };
	const int64_t twice[] = { 0, -1 }, out = 1;
	rstd_moments m[2] = { 0 };
	const rstd_moments before[2] = { 0 };
	unsigned char bytes[RSTD_MOMENTS_BYTES] = { 0 };
	rstd_tensor t = vector(x, RSTD_F32, 4);
	float y = 42;

	(void)state;
	assert_error(rstd_moments_update(m, 2, &t, NULL, 0), RSTD_ERROR_SHAPE,
	             "moments_count: is 2, allowed is 1, one for each output");
	assert_error(rstd_moments_update(m, 0, &t, NULL, 0), RSTD_ERROR_SHAPE,
	             "moments_count: is 0, allowed is 1, one for each output");
	assert_error(rstd_moments_update(NULL, 1, &t, NULL, 0), RSTD_ERROR_NULL_POINTER,
	             "moments: is NULL, 1 states are required");
	assert_int_equal(rstd_moments_update(m, 1, NULL, NULL, 0), RSTD_ERROR_NULL_POINTER);
	assert_int_equal(rstd_moments_update(m, 1, &t, NULL, 1), RSTD_ERROR_NULL_POINTER);
	assert_int_equal(rstd_moments_update(m, 1, &t, twice, 2), RSTD_ERROR_DIM);
	assert_int_equal(rstd_moments_update(m, 1, &t, &out, 1), RSTD_ERROR_DIM);
	t.data = NULL;
	assert_error(rstd_moments_update(m, 1, &t, NULL, 0), RSTD_ERROR_NULL_POINTER,
	             "x: the data pointer is NULL, data are required");
	t.dtype = 0;
	assert_int_equal(rstd_moments_update(m, 1, &t, NULL, 0), RSTD_ERROR_DTYPE);
	t = (rstd_tensor){ .dtype = RSTD_F32, .rank = 9 };
	assert_int_equal(rstd_moments_update(m, 1, &t, NULL, 0), RSTD_ERROR_RANK);
	t = (rstd_tensor){ .dtype = RSTD_F32, .rank = 1, .shape = { -1 } };
	assert_int_equal(rstd_moments_update(m, 1, &t, NULL, 0), RSTD_ERROR_SHAPE);
	assert_memory_equal(m, before, sizeof(m));

	assert_error(rstd_moments_merge(NULL, m, 1), RSTD_ERROR_NULL_POINTER, "into: is NULL, 1 states are required");
	assert_error(rstd_moments_merge(m, NULL, 1), RSTD_ERROR_NULL_POINTER, "from: is NULL, 1 states are required");
	assert_int_equal(rstd_moments_merge(NULL, NULL, 0), RSTD_OK);

	assert_error(rstd_moments_std(m, 1, -1, RSTD_F32, &y), RSTD_ERROR_CORRECTION,
	             "correction: is -1, allowed are 0 and more");
	assert_error(rstd_moments_std(m, 1, 0, RSTD_F32, NULL), RSTD_ERROR_NULL_POINTER,
	             "std: is NULL, room for 1 elements is required");
	assert_error(rstd_moments_mean(NULL, 1, RSTD_F32, &y), RSTD_ERROR_NULL_POINTER,
	             "moments: is NULL, 1 states are required");
	assert_error(rstd_moments_mean(m, 1, RSTD_F32, NULL), RSTD_ERROR_NULL_POINTER,
	             "mean: is NULL, room for 1 elements is required");
	assert_error(rstd_moments_invstd(m, 1, 0, RSTD_F32, NULL), RSTD_ERROR_NULL_POINTER,
	             "invstd: is NULL, room for 1 elements is required");
	assert_int_equal(rstd_moments_invstd(m, 1, 0, (rstd_dtype)4, &y), RSTD_ERROR_DTYPE);
	assert_int_equal(rstd_moments_mean(NULL, 0, RSTD_F32, NULL), RSTD_OK);
	assert_float(y, 42);

	assert_int_equal(rstd_moments_store(NULL, bytes), RSTD_ERROR_NULL_POINTER);
	assert_error(rstd_moments_store(m, NULL), RSTD_ERROR_NULL_POINTER,
	             "bytes: is NULL, room for 168 bytes is required");
	assert_int_equal(rstd_moments_load(NULL, bytes, sizeof(bytes)), RSTD_ERROR_NULL_POINTER);
	assert_error(rstd_moments_load(m, NULL, 0), RSTD_ERROR_NULL_POINTER, "bytes: is NULL, 168 bytes are required");
}

/* ---- The caller's floating-point mode ---------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define FLUSH_TO_ZERO UINT64_C(0x8040) /* and subnormal inputs, too */

static uint64_t get_mode(void)
{
	return __builtin_ia32_stmxcsr();
}

static void set_mode(uint64_t mode)
{
	__builtin_ia32_ldmxcsr((unsigned)mode);
}
#elif defined(__aarch64__)
#define FLUSH_TO_ZERO UINT64_C(0x1000000)

static uint64_t get_mode(void)
{
	uint64_t mode;

	__asm__ volatile("mrs %0, fpcr" : "=r"(mode));
	return mode;
}

static void set_mode(uint64_t mode)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory");
}
#endif

static void test_floating_point_mode(void **state)
{
	static const uint16_t halves[] = { 1, 3 }; /* subnormals: 2^-24 and 3 * 2^-24 */
	static const float x[] = { 0x1p-149F, 0x3p-149F };
	static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	(void)state;
	for (size_t i = 0; i < 2 * LENGTH(modes); i++) {
		rstd_moments half = { 0 }, m = { 0 }, none = { 0 };
		const uint64_t before = get_mode();
		const rstd_tensor t[2] = { vector(halves, RSTD_F16, 2), vector(x, RSTD_F32, 2) };
		uint64_t during[2];
		float std, invstd;
		uint16_t y;

		assert_int_equal(fesetround(modes[i % LENGTH(modes)]), 0);
		if (i >= LENGTH(modes))
			set_mode(get_mode() | FLUSH_TO_ZERO);
		during[0] = get_mode();
		(void)rstd_moments_update(&half, 1, &t[0], NULL, 0);
		(void)rstd_moments_update(&m, 1, &t[1], NULL, 0);
		none.count = 1;
		(void)rstd_moments_std(&half, 1, 0, RSTD_F16, &y);
		(void)rstd_moments_std(&m, 1, 0, RSTD_F32, &std);
		(void)rstd_moments_invstd(&none, 1, 0x1p-149 * 0.75, RSTD_F32, &invstd);
		during[1] = get_mode();
		set_mode(before);
		assert_int_equal(during[1], during[0]);
		assert_int_equal(y, 1);
		assert_float(std, 0x1p-149F);
		assert_float(invstd, 0x1.6a09e6p74F); /* 1 / sqrt(2^-149) */
	}
}

/*
 * Blocks go through sums of another kind according to how far their elements are apart. Full mantissas at both ends of
 * each distance, all together and one by one, which is always the closest.
 */
static void check_distance(rstd_dtype dtype, int fraction_bits, unsigned least, unsigned largest, int64_t n)
{
	static unsigned char x[5000 * sizeof(float)];
	const size_t size = size_of(dtype);
	rstd_moments one_by_one = { 0 };
	rstd_moments together = { 0 };

	for (int64_t i = 0; i < n; i++) {
		const unsigned field = i % 7 == 0 ? least : i % 7 < 5 ? largest : least + (largest - least) / 2;
		uint32_t bits = field << fraction_bits | ((UINT32_C(1) << fraction_bits) - 1);

		if (i % 3 == 0)
			bits ^= (uint32_t)random_below(UINT64_C(1) << fraction_bits);
		if (i % 11 == 0)
			bits |= UINT32_C(1) << (8 * size - 1);
		memcpy(x + (size_t)i * size, &bits, size); /* little-endian, as every machine of the library */
		add(&one_by_one, x + (size_t)i * size, dtype, 1);
	}
	add(&together, x, dtype, (size_t)n);
	assert_memory_equal(&together, &one_by_one, sizeof(together));
}

static void test_distances(void **state)
{
	static const int fraction_bits[] = { 23, 10, 7 };
	static const unsigned fields[] = { 254, 30, 254 };
	static const int64_t lengths[] = { 1, 3, 8, 255, 256, 257, 513, 4095, 4096, 4999 };

	(void)state;
	for (size_t isa = 0; rstd_isa_name(isa); isa++) {
		assert_int_equal(rstd_set_isa(rstd_isa_name(isa)), RSTD_OK);
		for (size_t d = 0; d < LENGTH(dtypes); d++)
			for (unsigned apart = 0; apart < fields[d] && apart < 60; apart++) {
				const unsigned least = (unsigned)random_below(fields[d] - apart);
				const int64_t n = lengths[random_below(LENGTH(lengths))];

				check_distance(dtypes[d], fraction_bits[d], least, least + apart, n);
			}
	}
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
}

/* Columns that lie side by side, which are added together, against each of them alone. One may have any elements. */
static void check_columns(rstd_dtype dtype, unsigned apart, size_t rows, size_t cols)
{
	static unsigned char x[1300 * 310 * sizeof(float)], column[1300 * sizeof(float)];
	static rstd_moments m[300];
	static const int fraction_bits[] = { 23, 10, 7 };
	const int shift = fraction_bits[dtype - RSTD_F32];
	const size_t size = size_of(dtype), pad = random_below(2) ? 0 : 1 + random_below(9), stride = cols + pad;
	/* some rows are of another size, few or many in a row: they do not fit the sums of those before them */
	const unsigned drift = dtype == RSTD_F16 ? 0 : (unsigned)random_below(3) * 15, turn = 2 + drift * 4;
	const unsigned least = dtype == RSTD_F16 ? 0 : (unsigned)random_below(254 - apart - drift);
	const size_t odd = random_below(2) ? cols : random_below(cols);
	const int64_t shape[2] = { (int64_t)rows, (int64_t)cols }, dim = 0;
	rstd_tensor t;

	for (size_t i = 0; i < rows * stride; i++) {
		const unsigned field = least + (i % 3 == 0 ? apart : (unsigned)random_below(apart + 1));
		const unsigned up = i / stride / turn % 2 * drift;
		uint32_t bits = (field + up) << shift | ((UINT32_C(1) << shift) - 1);

		if (i % 2 == 0)
			bits ^= (uint32_t)random_below(UINT64_C(1) << shift);
		if (random_below(3) == 0 && i % 3 != 0)
			bits |= UINT32_C(1) << (8 * size - 1);
		if (i % stride == odd)
			bits = (uint32_t)random_below(UINT64_C(1) << 8 * size);
		memcpy(x + i * size, &bits, size);
	}
	memset(m, 0, sizeof(m));
	assert_int_equal(rstd_tensor_contiguous(&t, x, dtype, 2, shape), RSTD_OK);
	t.strides[0] = (int64_t)stride;
	assert_int_equal(rstd_moments_update(m, cols, &t, &dim, 1), RSTD_OK);
	for (size_t c = 0; c < cols; c++) {
		rstd_moments alone = { 0 };

		for (size_t r = 0; r < rows; r++)
			memcpy(column + r * size, x + (r * stride + c) * size, size);
		add(&alone, column, dtype, rows);
		assert_memory_equal(&m[c], &alone, sizeof(alone));
	}
}

static void test_columns(void **state)
{
	static const unsigned apart[] = { 0, 5, 20, 21, 22, 23, 29, 36, 37, 38, 60 };
	static const size_t rows[] = { 31, 32, 255, 256, 257, 1024, 1281 }, cols[] = { 7, 8, 15, 16, 17, 63, 65, 300 };

	(void)state;
	for (size_t isa = 0; rstd_isa_name(isa); isa++) {
		assert_int_equal(rstd_set_isa(rstd_isa_name(isa)), RSTD_OK);
		for (size_t d = 0; d < LENGTH(dtypes); d++)
			for (size_t i = 0; i < LENGTH(apart); i++)
				for (int twice = 0; twice < 2; twice++)
					check_columns(dtypes[d], dtypes[d] == RSTD_F16 ? apart[i] % 30 : apart[i],
					              rows[random_below(LENGTH(rows))],
					              cols[random_below(LENGTH(cols))]);
	}
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
}

/* An odd row, and then the largest elements of a width: as many squares as binary64 adds without rounding, and more. */
static void test_full_columns(void **state)
{
	enum { ROWS = 300, COLS = 16 };
	static const unsigned bits[] = { 10, 7 };
	static uint16_t x[ROWS * COLS];
	const int64_t shape[2] = { ROWS, COLS }, dim = 0;

	(void)state;
	for (size_t d = 0; d < 2; d++)
		for (unsigned apart = 8; apart < 20; apart++) {
			const unsigned full = (1U << bits[d]) - 1, least = 5;
			rstd_moments m[COLS] = { 0 }, alone = { 0 };
			rstd_tensor t;

			for (size_t i = 0; i < (size_t)ROWS * COLS; i++)
				x[i] = (uint16_t)((i < COLS ? least : least + apart) << bits[d] | full);
			assert_int_equal(rstd_tensor_contiguous(&t, x, dtypes[d + 1], 2, shape), RSTD_OK);
			assert_int_equal(rstd_moments_update(m, COLS, &t, &dim, 1), RSTD_OK);
			for (size_t r = 0; r < ROWS; r++)
				add(&alone, &x[r * COLS], dtypes[d + 1], 1);
			for (size_t c = 0; c < COLS; c++)
				assert_memory_equal(&m[c], &alone, sizeof(alone));
		}
}

/* Columns of more rows than integers of 64 bits hold the sums of, as wide as they may be, against each alone. */
static void test_long_columns(void **state)
{
	const size_t rows = 300000, cols = 8;
	const int64_t shape[2] = { (int64_t)rows, (int64_t)cols }, dim = 0;
	float *x = malloc(rows * cols * sizeof(*x)), *column = malloc(rows * sizeof(*column));
	rstd_moments m[8] = { 0 };
	rstd_tensor t;

	(void)state;
	assert_true(x && column);
	for (size_t i = 0; i < rows * cols; i++)
		x[i] = i < cols ? 1 : i / cols % 5 == 0 ? 0x1.000002p0F : 0x1.fffffep21F;
	assert_int_equal(rstd_tensor_contiguous(&t, x, RSTD_F32, 2, shape), RSTD_OK);
	assert_int_equal(rstd_moments_update(m, cols, &t, &dim, 1), RSTD_OK);
	for (size_t c = 0; c < cols; c++) {
		rstd_moments alone;

		for (size_t r = 0; r < rows; r++)
			column[r] = x[r * cols + c];
		alone = moments_of(column, rows);
		assert_memory_equal(&m[c], &alone, sizeof(alone));
	}
	free(column);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_full_columns),
		cmocka_unit_test(test_long_columns),
		cmocka_unit_test(test_any_split_and_order),
		cmocka_unit_test(test_all_orders),
		cmocka_unit_test(test_uneven_ranks),
		cmocka_unit_test(test_extreme_values),
		cmocka_unit_test(test_long_float16),
		cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_few_elements),
		cmocka_unit_test(test_any_epsilon),
		cmocka_unit_test(test_dtypes_of_results),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_same_as_operators),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_malformed_bytes),
		cmocka_unit_test(test_too_many_elements),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_floating_point_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
