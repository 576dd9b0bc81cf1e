/*
 * test_engine_reduce.c - reductions through graphs, bit for bit against MPFR and the exact references
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

#include "cann/ge/exactsum.h"
#include "reference.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define PRECISION    3000 /* bits: sums of squares of binary32 are exact in it */

static const int32_t dtypes[] = { RSTD_DT_FLOAT, RSTD_DT_FLOAT16, RSTD_DT_BF16 };

/* ---- Sum and variance of one slice, against MPFR ----------------------------------------------------------------- */

static uint32_t reference_sum(rstd_dtype dtype, const uint32_t *x, size_t n)
{
	mpfr_t sum, element;
	uint32_t bits;

	mpfr_init2(sum, PRECISION);
	mpfr_init2(element, PRECISION);
	mpfr_set_zero(sum, 1);
	for (size_t i = 0; i < n; i++) {
		mpfr_set_d(element, bits_to_double(dtype, x[i]), MPFR_RNDN);
		mpfr_add(sum, sum, element, MPFR_RNDN);
	}
	bits = mpfr_zero_p(sum) ? 0 : bits_of_mpfr(dtype, sum);
	mpfr_clear(sum);
	mpfr_clear(element);
	return bits == dtype_sign_bit(dtype) ? 0 : bits; /* what underflows is +0; sums do not */
}

/* (n sum x^2 - (sum x)^2) / (n divisor), the numerator exact. */
static uint32_t reference_variance(rstd_dtype dtype, const uint32_t *x, size_t n, uint64_t divisor)
{
	mpfr_t sum, squares, element;
	uint32_t bits;

	mpfr_init2(sum, PRECISION);
	mpfr_init2(squares, PRECISION);
	mpfr_init2(element, PRECISION);
	mpfr_set_zero(sum, 1);
	mpfr_set_zero(squares, 1);
	for (size_t i = 0; i < n; i++) {
		mpfr_set_d(element, bits_to_double(dtype, x[i]), MPFR_RNDN);
		mpfr_add(sum, sum, element, MPFR_RNDN);
		mpfr_sqr(element, element, MPFR_RNDN);
		mpfr_add(squares, squares, element, MPFR_RNDN);
	}
	mpfr_mul_ui(squares, squares, n, MPFR_RNDN);
	mpfr_sqr(sum, sum, MPFR_RNDN);
	mpfr_sub(squares, squares, sum, MPFR_RNDN);
	if (divisor == 0) {
		bits = mpfr_zero_p(squares) ? dtype_nan(dtype) : dtype_inf(dtype);
	} else {
		mpfr_div_ui(squares, squares, n, MPFR_RNDN);
		mpfr_div_ui(squares, squares, divisor, MPFR_RNDN);
		bits = bits_of_mpfr(dtype, squares);
	}
	mpfr_clear(sum);
	mpfr_clear(squares);
	mpfr_clear(element);
	return bits;
}

static uint32_t stored(rstd_dtype dtype, double value)
{
	if (value != value)
		return dtype_nan(dtype);
	if (fabs(value) >= (dtype == RSTD_F16 ? 65536.0 : 0x1p128))
		return dtype_inf(dtype) | (value < 0 ? dtype_sign_bit(dtype) : 0);
	return bits_from_double(dtype, value);
}

static void check_slice(rstd_dtype dtype, const uint32_t *x, size_t n, int64_t correction)
{
	unsigned char *data = xmalloc(n * dtype_size(dtype));
	const int64_t shape[] = { (int64_t)n };
	rstd_moments m = { 0 };
	rstd_tensor t;
	uint32_t got, expected;

	for (size_t i = 0; i < n; i++)
		bits_store(dtype, data + i * dtype_size(dtype), x[i]);
	assert_int_equal(rstd_tensor_contiguous(&t, data, dtype, 1, shape), RSTD_OK);
	assert_int_equal(rstd_moments_update(&m, 1, &t, NULL, 0), RSTD_OK);
	got = stored(dtype, rstd__moments_sum(&m, dtype));
	expected = reference_sum(dtype, x, n);
	if (got != expected)
		fail_msg("%s: sum of %zu elements is %x, must be %x", dtype_name(dtype), n, got, expected);
	got = stored(dtype, rstd__moments_variance(&m, correction, dtype));
	expected = reference_variance(dtype, x, n, ref_divisor(n, correction));
	if (got != expected)
		fail_msg("%s: variance of %zu elements is %x, must be %x", dtype_name(dtype), n, got, expected);
	free(data);
}

static void test_slices(void **state)
{
	static const int spreads[] = { 0, 1, 6, 14 };
	uint32_t x[40];
	uint64_t random = 11;

	(void)state;
	for (int round = 0; round < 6000; round++) {
		const rstd_dtype dtype = (rstd_dtype)(1 + round % 3);
		const size_t n = 1 + next_random(&random) % COUNT(x);
		int spread = spreads[(size_t)round / 3 % COUNT(spreads)];

		if (dtype != RSTD_F16 && round % 5 == 0)
			spread = 120;
		for (size_t i = 0; i < n; i++) {
			x[i] = random_bits(dtype, &random, spread);
			if (round % 7 == 0) /* small integers: exact ties, exact zeros */
				x[i] = bits_from_double(dtype, (double)(next_random(&random) % 4));
			if (round % 7 == 1) /* subnormal */
				x[i] &= dtype_sign_bit(dtype) | 0x7F;
			if (round % 7 == 2 && i % 2 == 1) /* cancels */
				x[i] = x[i - 1] ^ dtype_sign_bit(dtype);
		}
		check_slice(dtype, x, n, (int64_t)(next_random(&random) % 3));
	}
}

/*
 * { A, -A, t, 0, 0 } has variance (10 A^2 + 4 t^2) / 25. With A = 5 m 2^j that is 10 m^2 4^j and a little more: 5 m^2
 * is an odd number of 25 bits, so what decides is t, 2^-149, which only the rest of the division shows.
 */
static void test_variance_beside_a_midpoint(void **state)
{
	(void)state;
	for (uint32_t m = 1833; m < 2590; m += 2) {
		const uint32_t a = bits_from_double(RSTD_F32, 5 * m * 0x1p-70);
		const uint32_t x[] = { a, a | 0x80000000, 1, 0, 0 };

		check_slice(RSTD_F32, x, COUNT(x), 0);
	}
}

static void test_special_slices(void **state)
{
	rstd_moments m = { 0 };

	(void)state;
	assert_true(rstd__moments_sum(&m, RSTD_F32) == 0);
	assert_true(isnan(rstd__moments_variance(&m, 0, RSTD_F32)));
	m.count = 2;
	m.pos_inf_count = 1;
	assert_true(rstd__moments_sum(&m, RSTD_F32) > 0x1p1000);
	assert_true(isnan(rstd__moments_variance(&m, 0, RSTD_F32)));
	m.neg_inf_count = 1;
	assert_true(isnan(rstd__moments_sum(&m, RSTD_F32)));
	m.pos_inf_count = 0;
	assert_true(rstd__moments_sum(&m, RSTD_F32) < -0x1p1000);
	m.nan_count = 1;
	assert_true(isnan(rstd__moments_sum(&m, RSTD_F32)));
}

/* ---- Through graphs ---------------------------------------------------------------------------------------------- */

struct subject {
	int32_t dtype;
	rstd_dtype native;
	struct case_shape shape;
	struct dims dims; /* the same */
	size_t count;
	uint32_t *bits;
	unsigned char *data;
};

static struct subject new_subject(int32_t dtype, struct dims dims, uint64_t seed)
{
	struct subject s = { .dtype = dtype, .native = native_of(dtype), .dims = dims };

	s.shape.rank = dims.count;
	memcpy(s.shape.len, dims.at, dims.count * sizeof(*dims.at));
	s.count = shape_count(&s.shape);
	s.bits = xmalloc(s.count * sizeof(*s.bits));
	s.data = xmalloc(s.count * dtype_size(s.native));
	for (size_t i = 0; i < s.count; i++) {
		s.bits[i] = random_bits(s.native, &seed, 3);
		bits_store(s.native, s.data + i * dtype_size(s.native), s.bits[i]);
	}
	return s;
}

static void free_subject(struct subject *s)
{
	free(s->bits);
	free(s->data);
}

enum what { MEAN, SUM, STD, VAR };

/* The results of all slices, as elements of the dtype. */
static unsigned char *expected_of(const struct subject *s, unsigned mask, int64_t correction, enum what what,
                                  size_t *slices)
{
	size_t *of = xmalloc(s->count * sizeof(*of)), n;
	uint32_t *slice = xmalloc(s->count * sizeof(*slice)), bits = 0;
	unsigned char *expected;
	struct ref_sums r;

	*slices = slice_count(&s->shape, mask);
	expected = xmalloc(*slices * dtype_size(s->native));
	slice_map(&s->shape, mask, of);
	ref_init(&r);
	for (size_t k = 0; k < *slices; k++) {
		n = 0;
		for (size_t i = 0; i < s->count; i++)
			if (of[i] == k)
				slice[n++] = s->bits[i];
		ref_slice(&r, s->native, slice, NULL, n);
		if (what == MEAN)
			bits = ref_mean(&r, s->native);
		else if (what == STD)
			bits = ref_std(&r, ref_divisor(n, correction), s->native);
		else if (what == SUM)
			bits = reference_sum(s->native, slice, n);
		else
			bits = reference_variance(s->native, slice, n, ref_divisor(n, correction));
		bits_store(s->native, expected + k * dtype_size(s->native), bits);
	}
	ref_clear(&r);
	free(slice);
	free(of);
	return expected;
}

/* Checks output k of one operator on x alone. */
static void check_output(struct maker *m, rstd_op *op, size_t k, const struct subject *s, struct dims y,
                         const void *expected)
{
	const rstd_ge_tensor x = feed(s->dtype, &s->dims, s->data);
	const rstd_graph_output output = { op, NULL, &k, 1 };
	rstd_graph *graph = finish(m, &op, 1);

	assert_int_equal(rstd_graph_set_outputs(graph, &output, 1), RSTD_GE_SUCCESS);
	expect_result(graph, &x, 1, s->dtype, y, expected);
}

static void check_reduction(const char *type, size_t k, enum what what, int64_t correction, bool keep)
{
	static const struct {
		struct dims x, axes, kept, kept_ones;
	} cases[] = {
		{ { 3, { 3, 4, 5 } }, { 1, { 1 } }, { 2, { 3, 5 } }, { 3, { 3, 1, 5 } } },
		{ { 3, { 3, 4, 5 } }, { 2, { 0, -1 } }, { 1, { 4 } }, { 3, { 1, 4, 1 } } },
		{ { 2, { 7, 300 } }, { 1, { 1 } }, { 1, { 7 } }, { 2, { 7, 1 } } },
		{ { 2, { 300, 7 } }, { 1, { 0 } }, { 1, { 7 } }, { 2, { 1, 7 } } },
		{ { 1, { 1000 } }, { 1, { 0 } }, { 0, { 0 } }, { 1, { 1 } } },
		{ { 0, { 0 } }, { 0, { 0 } }, { 0, { 0 } }, { 0, { 0 } } },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t d = 0; d < COUNT(dtypes); d++) {
			const bool v2 = what == STD || what == VAR || k == 1;
			struct subject s = new_subject(dtypes[d], cases[i].x, 99 + i);
			struct maker m = { 0 };
			rstd_op *x = make_data(&m, "x");
			rstd_op *op = make(&m, type, "op", x, v2 ? NULL : make_int64s(&m, "axes", cases[i].axes));
			size_t slices;
			unsigned char *expected;

			if (v2) {
				set_ints(op, "dim", cases[i].axes);
				set_int(op, "correction", correction);
			} else {
				set_bool(op, "noop_with_empty_axes", false);
			}
			set_bool(op, v2 ? "keepdim" : "keep_dims", keep);
			expected = expected_of(&s, dims_mask(s.shape.rank, cases[i].axes.at, cases[i].axes.count),
			                       correction, what, &slices);
			check_output(&m, op, k, &s, keep ? cases[i].kept_ones : cases[i].kept, expected);
			free(expected);
			drop(&m);
			free_subject(&s);
		}
}

static void test_mean(void **state)
{
	(void)state;
	check_reduction("ReduceMean", 0, MEAN, 0, false);
	check_reduction("ReduceMean", 0, MEAN, 0, true);
}

static void test_sum(void **state)
{
	(void)state;
	check_reduction("ReduceSum", 0, SUM, 0, false);
	check_reduction("ReduceSum", 0, SUM, 0, true);
}

static void test_std(void **state)
{
	(void)state;
	check_reduction("ReduceStdV2", 0, STD, 1, false);
	check_reduction("ReduceStdV2", 0, STD, 0, true);
	check_reduction("ReduceStdV2", 1, MEAN, 0, true);
}

static void test_var(void **state)
{
	(void)state;
	check_reduction("ReduceVar", 0, VAR, 1, false);
	check_reduction("ReduceVar", 0, VAR, 0, true);
	check_reduction("ReduceVar", 1, MEAN, 0, false);
}

/* ---- ReduceStdV2Update: about a given mean ----------------------------------------------------------------------- */

/* sum (x - mean)^2 / divisor; what is not finite as in binary64. */
static uint32_t reference_about(rstd_dtype dtype, const uint32_t *x, const uint32_t *mean, size_t n, uint64_t divisor)
{
	mpfr_t sum, a, b;
	uint32_t bits;
	bool inf = false, nan = false;

	mpfr_init2(sum, PRECISION);
	mpfr_init2(a, PRECISION);
	mpfr_init2(b, PRECISION);
	mpfr_set_zero(sum, 1);
	for (size_t i = 0; i < n; i++) {
		const double difference = bits_to_double(dtype, x[i]) - bits_to_double(dtype, mean[i]);

		inf |= isinf(difference) != 0;
		nan |= isnan(difference) != 0;
		mpfr_set_d(a, bits_to_double(dtype, x[i]), MPFR_RNDN);
		mpfr_set_d(b, bits_to_double(dtype, mean[i]), MPFR_RNDN);
		mpfr_sub(a, a, b, MPFR_RNDN);
		mpfr_sqr(a, a, MPFR_RNDN);
		mpfr_add(sum, sum, a, MPFR_RNDN);
	}
	if (nan || (divisor == 0 && !inf && mpfr_zero_p(sum))) {
		bits = dtype_nan(dtype);
	} else if (inf || divisor == 0) {
		bits = dtype_inf(dtype);
	} else {
		mpfr_div_ui(sum, sum, divisor, MPFR_RNDN);
		bits = bits_of_mpfr(dtype, sum);
	}
	mpfr_clear(sum);
	mpfr_clear(a);
	mpfr_clear(b);
	return bits;
}

/* One slice of n elements through a graph; root: the standard deviation. */
static void check_about(int32_t dtype, const uint32_t *x, const uint32_t *mean, size_t n, int64_t correction,
                        bool unbiased, bool root)
{
	const rstd_dtype native = native_of(dtype);
	const size_t size = dtype_size(native);
	const struct dims dims = DIMS(1, (int64_t)n);
	const uint64_t divisor = ref_divisor(n, unbiased ? correction : 0);
	unsigned char *x_data = xmalloc(n * size), *mean_data = xmalloc(n * size), expected[4];
	const rstd_ge_tensor feeds[] = { feed(dtype, &dims, x_data), feed(dtype, &dims, mean_data) };
	struct maker m = { 0 };
	rstd_op *a = make_data(&m, "x"), *b = make_data(&m, "mean"), *op = make(&m, "ReduceStdV2Update", "u", a, b);
	struct ref_sums r;

	for (size_t i = 0; i < n; i++) {
		bits_store(native, x_data + i * size, x[i]);
		bits_store(native, mean_data + i * size, mean[i]);
	}
	set_ints(op, "dim", DIMS(-1));
	set_int(op, "correction", correction);
	set_bool(op, "unbiased", unbiased);
	set_bool(op, "if_std", root);
	ref_init(&r);
	ref_slice(&r, native, x, mean, n);
	bits_store(native, expected,
	           root ? ref_std(&r, divisor, native) : reference_about(native, x, mean, n, divisor));
	ref_clear(&r);
	expect_result(finish(&m, &op, 1), feeds, 2, dtype, DIMS(1), expected);
	drop(&m);
	free(x_data);
	free(mean_data);
}

static void test_about_a_mean(void **state)
{
	uint32_t x[20], mean[20];
	uint64_t random = 21;

	(void)state;
	for (int round = 0; round < 1500; round++) {
		const int32_t dtype = dtypes[(size_t)round % COUNT(dtypes)];
		const rstd_dtype native = native_of(dtype);
		const size_t n = 1 + next_random(&random) % COUNT(x);
		const int spread = native != RSTD_F16 && round % 5 == 0 ? 120 : 4;

		for (size_t i = 0; i < n; i++) {
			x[i] = random_bits(native, &random, spread);
			mean[i] = random_bits(native, &random, spread);
			if (round % 7 == 0) /* zeros, and x that is its mean */
				mean[i] = x[i] = next_random(&random) % 2 ? x[i] : 0;
			if (round % 7 == 1) /* subnormal */
				x[i] &= dtype_sign_bit(native) | 0x3F;
			if (round % 50 == 2 && i == 0)
				x[i] = round % 100 == 2 ? dtype_inf(native) : dtype_nan(native);
			if (round % 200 == 102 && i == 0)
				mean[i] = x[i];
		}
		check_about(dtype, x, mean, n, round % 2, round % 4 != 0, round % 11 == 0);
	}
}

/* Slices without elements, and without slices. */
static void test_empty(void **state)
{
	static const struct {
		const char *type;
		bool nan;
	} cases[] = { { "ReduceMean", true }, { "ReduceSum", false } };
	const struct dims dims = DIMS(2, 0);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int64_t axis = 0; axis < 2; axis++) {
			const rstd_ge_tensor x = feed(RSTD_DT_FLOAT, &dims, NULL);
			const uint32_t bits = cases[i].nan ? dtype_nan(RSTD_F32) : 0, expected[] = { bits, bits };
			struct maker m = { 0 };
			rstd_op *data = make_data(&m, "x");
			rstd_op *op = make(&m, cases[i].type, "op", data, make_int64s(&m, "axes", DIMS(axis)));

			expect_result(finish(&m, &op, 1), &x, 1, RSTD_DT_FLOAT, axis ? DIMS(2) : DIMS(0), expected);
			drop(&m);
		}
}

/* No axes and the permission to do nothing: x itself. */
static void test_no_reduction(void **state)
{
	static const float x[] = { 1, 2, 3 };
	const struct dims dims = DIMS(3);
	const rstd_ge_tensor tensor = feed(RSTD_DT_FLOAT, &dims, x);
	struct maker m = { 0 };
	rstd_op *data = make_data(&m, "x"), *op = make(&m, "ReduceSum", "op", data, make_int64s(&m, "axes", SCALAR));

	(void)state;
	expect_result(finish(&m, &op, 1), &tensor, 1, RSTD_DT_FLOAT, DIMS(3), x);
	drop(&m);
}

/* ---- A scalar in ReduceStdWithMean ------------------------------------------------------------------------------- */

static void test_scalar(void **state)
{
	static const float x = 3, mean = 1, expected = 2;
	const struct dims scalar = SCALAR;
	const rstd_ge_tensor feeds[] = { feed(RSTD_DT_FLOAT, &scalar, &x), feed(RSTD_DT_FLOAT, &scalar, &mean) };
	struct maker m = { 0 };
	rstd_op *a = make_data(&m, "x"), *b = make_data(&m, "mean");
	rstd_op *op = make(&m, "ReduceStdWithMean", "rsm", a, b);
	rstd_session *session;
	rstd_results *results;
	rstd_graph *graph;

	(void)state;
	set_int(op, "correction", 0);
	set_bool(op, "keepdim", true);
	graph = finish(&m, &op, 1);
	expect_result(graph, feeds, 2, RSTD_DT_FLOAT, DIMS(1), &expected);
	set_ints(op, "dim", DIMS(-1));
	expect_result(graph, feeds, 2, RSTD_DT_FLOAT, DIMS(1), &expected);
	set_ints(op, "dim", DIMS(1)); /* at run time a scalar has one axis */
	session = open_session(NULL, NULL);
	assert_int_equal(rstd_session_add_graph(session, 0, graph, NULL, 0), RSTD_GE_SUCCESS);
	assert_int_equal(rstd_session_run(session, 0, feeds, 2, &results), RSTD_GE_FAILED);
	expect_error("rsm(ReduceStdWithMean): ");
	rstd_session_destroy(session);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_variance_beside_a_midpoint),
		cmocka_unit_test(test_special_slices),
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_std),
		cmocka_unit_test(test_var),
		cmocka_unit_test(test_about_a_mean),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_no_reduction),
		cmocka_unit_test(test_scalar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
