/*
 * test_views.c - the layout of inputs and outputs in memory never changes a bit
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "operator.h"
#include "reference.h"

static const rstd_dtype dtypes[3] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

/* A question with the exact answer to it. */
struct question {
	struct test_case c;
	uint32_t *x, *mean, *expected[2]; /* mean is NULL unless the operator takes one */
	size_t slices;
};

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	return random_state = splitmix64(random_state);
}

/* Values without structure, a few zeros among them. */
static void random_elements(rstd_dtype dtype, uint32_t *bits, size_t count)
{
	uint64_t r;
	size_t i;

	for (i = 0; i < count; i++) {
		r = next_random();
		bits[i] = r % 64 == 0 ? 0 : bits_from_double(dtype, (double)(int32_t)(r >> 32) * 0x1p-28 + 0.75);
	}
}

static void question_make(struct question *q, enum case_op op, rstd_dtype dtype, const struct case_shape *shape,
                          unsigned mask)
{
	size_t count, a, k;

	memset(q, 0, sizeof(*q));
	q->c.op = op;
	q->c.dtype = q->c.mean_dtype = dtype;
	q->c.out_dtype[0] = q->c.out_dtype[1] = op == OP_BATCH_NORM_STATS ? RSTD_F32 : dtype;
	q->c.out_count = op == OP_STD_MEAN || op == OP_BATCH_NORM_STATS ? 2 : 1;
	q->c.unbiased = true;
	q->c.epsilon = 0.001;
	q->c.correction = 1;
	q->c.shape = *shape;
	if (op == OP_BATCH_NORM_STATS)
		mask = case_mask(&q->c);
	for (a = 0; a < shape->rank; a++) {
		if (mask >> a & 1)
			q->c.dims[q->c.dim_count++] = (int64_t)a;
		else
			q->c.out_shape.len[q->c.out_shape.rank++] = shape->len[a];
	}
	count = shape_count(shape);
	q->slices = slice_count(shape, mask);
	q->x = xmalloc(count * sizeof(*q->x));
	random_elements(dtype, q->x, count);
	if (op == OP_REDUCE_STD_WITH_MEAN) {
		q->mean = xmalloc(count * sizeof(*q->mean));
		random_elements(dtype, q->mean, count);
	}
	for (k = 0; k < 2; k++)
		q->expected[k] = xmalloc(q->slices * sizeof(**q->expected));
	ref_case(&q->c, q->x, q->mean, q->expected);
}

static void question_free(struct question *q)
{
	free(q->x);
	free(q->mean);
	free(q->expected[0]);
	free(q->expected[1]);
}

/* Fails the test unless the outputs are as expected and nothing beside them was written. */
static void check_outputs(const struct question *q, const struct view *out, const char *how)
{
	uint32_t *got = xmalloc(q->slices * sizeof(*got));
	char text[300];
	size_t k, i;

	for (k = 0; k < q->c.out_count; k++) {
		if (!view_intact(&out[k], OUTPUT_POISON, true))
			fail_msg("%s: wrote beside output %zu", how, k);
		view_read(&out[k], got);
		for (i = 0; i < q->slices; i++) {
			if (bits_match(q->c.out_dtype[k], got[i], q->expected[k][i]))
				continue;
			operator_describe(&q->c, text, sizeof(text));
			fail_msg("%s, %s: output %zu[%zu] is %x, not %x", text, how, k, i, got[i], q->expected[k][i]);
		}
	}
	free(got);
}

/* Asks on every instruction set, in one call and by a plan. */
static void ask(const struct question *q, const struct layout *lx, const struct layout *lm, const struct layout *ly)
{
	const unsigned mean_constant = q->mean ? constant_axes(&q->c.shape, q->mean) : 0;
	struct view x, mean = { 0 }, out[2];
	const rstd_tensor *const outs[2] = { &out[0].tensor, &out[1].tensor };
	char how[200];
	rstd_status status;
	bool intact = true;
	size_t isa, way, k;

	view_make(&x, lx, q->c.dtype, &q->c.shape, constant_axes(&q->c.shape, q->x), INPUT_POISON, 0);
	view_write(&x, q->x);
	if (q->mean) {
		view_make(&mean, lm, q->c.dtype, &q->c.shape, mean_constant, INPUT_POISON, 0);
		view_write(&mean, q->mean);
	}
	for (k = 0; k < q->c.out_count; k++)
		view_make(&out[k], ly, q->c.out_dtype[k], &q->c.out_shape, 0, OUTPUT_POISON, GUARD);
	for (isa = 0; rstd_isa_name(isa); isa++) {
		rstd_set_isa(rstd_isa_name(isa));
		for (way = 0; way < 2; way++) {
			snprintf(how, sizeof(how), "x %s, mean %s, out %s, %s, %d threads, %s", lx->name, lm->name,
			         ly->name, rstd_get_isa(), rstd_get_num_threads(), way ? "plan" : "call");
			for (k = 0; k < q->c.out_count; k++)
				view_poison(&out[k], OUTPUT_POISON);
			if (way == 0)
				status = operator_call(&q->c, &x.tensor, q->mean ? &mean.tensor : NULL, outs);
			else
				status = operator_plan_and_run(&q->c, &x.tensor, q->mean ? &mean.tensor : NULL, outs,
				                               &intact);
			if (status != RSTD_OK || !intact)
				fail_msg("%s: status %d: %s", how, (int)status, rstd_last_error());
			check_outputs(q, out, how);
		}
	}
	rstd_set_isa(NULL);
	for (k = 0; k < q->c.out_count; k++)
		view_free(&out[k]);
	view_free(&mean);
	view_free(&x);
}

static const struct layout layouts[] = {
	{ .name = "contiguous" },
	{ .name = "gaps", .gap = 1 },
	{ .name = "wide gaps", .gap = 15 },
	{ .name = "reversed order", .order = AXES_REVERSED },
	{ .name = "rotated order", .order = AXES_ROTATED },
	{ .name = "padded", .pad = 1 },
	{ .name = "reversed order, padded", .order = AXES_REVERSED, .pad = 7 },
	{ .name = "negative", .negative = ~0U },
	{ .name = "negative every other", .negative = 0x55, .order = AXES_ROTATED, .gap = 2 },
	{ .name = "misaligned", .misaligned = true },
	{ .name = "misaligned, reversed, gaps", .misaligned = true, .order = AXES_REVERSED, .gap = 1 },
	{ .name = "wild ones", .wild_ones = true, .pad = 3 },
};

#define LAYOUTS (sizeof(layouts) / sizeof(*layouts))

/* The layout of x is layout i; those of the others follow at random. */
static void ask_in_layout(const struct question *q, size_t i)
{
	static const struct layout broadcast = { .name = "broadcast", .broadcast = true };
	const bool constant = q->mean && constant_axes(&q->c.shape, q->mean);
	const struct layout *lm = &layouts[next_random() % LAYOUTS];

	if (constant && next_random() % 2)
		lm = &broadcast;
	ask(q, &layouts[i], lm, &layouts[next_random() % LAYOUTS]);
}

/* Makes the given mean constant over the reduced axes, and the answer with it. */
static void use_slice_mean(struct question *q)
{
	const size_t count = shape_count(&q->c.shape);
	size_t *of = xmalloc(count * sizeof(*of)), i;
	uint32_t *mean = xmalloc(q->slices * sizeof(*mean));

	slice_map(&q->c.shape, case_mask(&q->c), of);
	random_elements(q->c.dtype, mean, q->slices);
	for (i = 0; i < count; i++)
		q->mean[i] = mean[of[i]];
	ref_case(&q->c, q->x, q->mean, q->expected);
	free(mean);
	free(of);
}

/* Whether to ask in layout i: always in the first, in others by the scale. */
static bool chosen(size_t i)
{
	return i == 0 || next_random() % 100 < test_scale();
}

/* ---- Every subset of the axes, every layout ------------------------------------------------------------------ */

static void test_every_subset(void **state)
{
	static const struct case_shape shapes[] = {
		{ 0, { 0 } },
		{ 1, { 37 } },
		{ 2, { 5, 70 } },
		{ 2, { 70, 5 } },
		{ 3, { 4, 9, 17 } },
		{ 3, { 1, 33, 1 } },
		{ 4, { 3, 4, 2, 5 } },
		{ 5, { 2, 3, 1, 4, 3 } },
		{ 6, { 2, 2, 3, 2, 2, 2 } },
		{ 8, { 2, 1, 2, 2, 1, 2, 3, 2 } },
		{ 3, { 3, 0, 4 } },
	};
	struct question q;
	unsigned mask, k = 0;
	bool batch_norm;
	size_t s, l;

	(void)state;
	random_state = 11;
	for (s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		/* Of the 255 subsets of eight axes every third will do. */
		for (mask = 1; mask < 1U << shapes[s].rank || mask == 1; mask += shapes[s].rank > 6 ? 3 : 1, k++) {
			batch_norm = shapes[s].rank > 1 && shapes[s].len[1] > 0;
			question_make(&q, (enum case_op)(k % (batch_norm ? 4 : 3)), dtypes[k / 4 % 3], &shapes[s],
			              mask);
			if (q.mean && k % 8 < 4)
				use_slice_mean(&q);
			for (l = 0; l < LAYOUTS; l++)
				if (chosen(l))
					ask_in_layout(&q, l);
			question_free(&q);
		}
	}
}

/* ---- Large enough for threads -------------------------------------------------------------------------------- */

static void test_large(void **state)
{
	static const struct {
		struct case_shape shape;
		unsigned mask;
	} sizes[] = {
		{ { 1, { 400001 } }, 1 },       { { 2, { 3, 150001 } }, 2 },     { { 2, { 150001, 3 } }, 1 },
		{ { 2, { 3000, 101 } }, 2 },    { { 2, { 101, 3000 } }, 1 },     { { 2, { 90001, 4 } }, 2 },
		{ { 3, { 40, 300, 31 } }, 2 },  { { 3, { 40, 31, 300 } }, 5 },   { { 3, { 40, 31, 300 } }, 7 },
		{ { 4, { 8, 50, 9, 90 } }, 5 }, { { 4, { 8, 50, 9, 90 } }, 10 }, { { 3, { 7, 3, 20001 } }, 5 },
	};
	static const size_t some[] = { 0, 1, 3, 6, 8, 10 };
	struct question q;
	size_t s, l, t, op;

	(void)state;
	random_state = 12;
	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		for (op = 0; op < 2; op++) {
			question_make(&q, op ? OP_STD_MEAN : OP_REDUCE_STD_WITH_MEAN, dtypes[(s + op) % 3],
			              &sizes[s].shape, sizes[s].mask);
			if (q.mean && s % 2)
				use_slice_mean(&q);
			for (l = 0; l < sizeof(some) / sizeof(*some); l++) {
				for (t = 1; t <= 7 && chosen(l); t += 3) {
					rstd_set_num_threads((int)t);
					ask_in_layout(&q, some[l]);
				}
			}
			question_free(&q);
		}
	}
	rstd_set_num_threads(0);
}

/* ---- Memory that tensors share ------------------------------------------------------------------------------- */

static uint32_t f32_at(const float *p)
{
	return bits_load(RSTD_F32, p);
}

/* Windows that slide over a series: elements of x that share memory. */
static void test_sliding_windows(void **state)
{
	enum { LENGTH = 500, WINDOW = 60, WINDOWS = LENGTH - WINDOW + 1 };
	uint32_t bits[LENGTH];
	float series[LENGTH], std[WINDOWS];
	const int64_t dim = 1;
	const rstd_tensor x = { series, RSTD_F32, 2, { WINDOWS, WINDOW }, { 1, 1 } };
	const rstd_tensor y = { std, RSTD_F32, 1, { WINDOWS }, { 1 } };
	struct ref_sums r;
	size_t i;

	(void)state;
	random_state = 13;
	random_elements(RSTD_F32, bits, LENGTH);
	memcpy(series, bits, sizeof(series));
	assert_int_equal(rstd_std_mean(&x, &dim, 1, 1, false, &y, NULL), RSTD_OK);
	ref_init(&r);
	for (i = 0; i < WINDOWS; i++) {
		ref_slice(&r, RSTD_F32, bits + i, NULL, WINDOW);
		assert_int_equal(f32_at(std + i), ref_std(&r, WINDOW - 1, RSTD_F32));
	}
	ref_clear(&r);
}

/* x is its own mean: S = 0. And each element about the one before it. */
static void test_x_and_mean_share_memory(void **state)
{
	enum { N = 301 };
	uint32_t bits[N];
	float data[N], y;
	rstd_tensor x = { data, RSTD_F32, 1, { N }, { 1 } }, mean = x;
	const rstd_tensor out = { &y, RSTD_F32, 0, { 0 }, { 0 } };
	struct ref_sums r;

	(void)state;
	random_state = 14;
	random_elements(RSTD_F32, bits, N);
	memcpy(data, bits, sizeof(data));
	assert_int_equal(rstd_reduce_std_with_mean(&x, &x, NULL, &out), RSTD_OK);
	assert_int_equal(f32_at(&y), 0);
	x.data = data + 1;
	x.shape[0] = mean.shape[0] = N - 1;
	assert_int_equal(rstd_reduce_std_with_mean(&x, &mean, NULL, &out), RSTD_OK);
	ref_init(&r);
	ref_slice(&r, RSTD_F32, bits + 1, bits, N - 1);
	assert_int_equal(f32_at(&y), ref_std(&r, N - 2, RSTD_F32));
	ref_clear(&r);
}

/* x, its std and its mean interleaved in one buffer: disjoint, so allowed. */
static void test_interleaved(void **state)
{
	enum { ROWS = 9, COLS = 33 };
	uint32_t bits[ROWS * COLS];
	float buffer[ROWS * COLS][3];
	const int64_t dim = -1;
	const rstd_tensor x = { &buffer[0][0], RSTD_F32, 2, { ROWS, COLS }, { 3 * COLS, 3 } };
	const rstd_tensor std = { &buffer[0][1], RSTD_F32, 1, { ROWS }, { 3 * COLS } };
	const rstd_tensor mean = { &buffer[ROWS - 1][2], RSTD_F32, 1, { ROWS }, { -3 } };
	struct ref_sums r;
	size_t i;

	(void)state;
	random_state = 15;
	random_elements(RSTD_F32, bits, ROWS * COLS);
	memset(buffer, 0, sizeof(buffer));
	for (i = 0; i < ROWS * COLS; i++)
		memcpy(&buffer[i][0], &bits[i], sizeof(float));
	assert_int_equal(rstd_std_mean(&x, &dim, 1, 1, false, &std, &mean), RSTD_OK);
	ref_init(&r);
	for (i = 0; i < ROWS; i++) {
		ref_slice(&r, RSTD_F32, bits + i * COLS, NULL, COLS);
		assert_int_equal(f32_at(&buffer[i * COLS][1]), ref_std(&r, COLS - 1, RSTD_F32));
		assert_int_equal(f32_at(&buffer[ROWS - 1 - i][2]), ref_mean(&r, RSTD_F32));
	}
	for (i = 0; i < ROWS * COLS; i++)
		assert_int_equal(f32_at(&buffer[i][0]), bits[i]); /* inputs are only read */
	ref_clear(&r);
}

/* ---- Nothing outside the views is touched -------------------------------------------------------------------- */

/* Pages with an unreadable one before and after. */
struct fenced {
	unsigned char *map, *start;
	size_t size, bytes;
};

static void fenced_make(struct fenced *f, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	f->bytes = (bytes + page - 1) / page * page;
	f->size = f->bytes + 2 * page;
	f->map = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(f->map != MAP_FAILED);
	f->start = f->map + page;
	assert_int_equal(mprotect(f->map, page, PROT_NONE), 0);
	assert_int_equal(mprotect(f->start + f->bytes, page, PROT_NONE), 0);
}

/* Data that ends (or starts) at the fence, reduced over one axis; the outputs lie at fences too. */
static void ask_at_fence(const struct question *q, struct fenced *fences, bool at_end)
{
	const size_t size = dtype_size(q->c.dtype), count = shape_count(&q->c.shape);
	rstd_tensor t[4];
	const rstd_tensor *const out[2] = { &t[2], &t[3] };
	const unsigned char *at;
	rstd_dtype dtype;
	size_t i, k, isa, bytes;

	for (k = 0; k < 4; k++) {
		dtype = k < 2 ? q->c.dtype : q->c.out_dtype[k - 2];
		bytes = (k < 2 ? count : q->slices) * dtype_size(dtype);
		assert_int_equal(rstd_tensor_contiguous(&t[k], fences[k].start + (at_end ? fences[k].bytes - bytes : 0),
		                                        dtype, k < 2 ? q->c.shape.rank : q->c.out_shape.rank,
		                                        k < 2 ? q->c.shape.len : q->c.out_shape.len),
		                 RSTD_OK);
	}
	for (i = 0; i < count; i++) {
		bits_store(q->c.dtype, (unsigned char *)t[0].data + i * size, q->x[i]);
		if (q->mean)
			bits_store(q->c.dtype, (unsigned char *)t[1].data + i * size, q->mean[i]);
	}
	for (isa = 0; rstd_isa_name(isa); isa++) {
		rstd_set_isa(rstd_isa_name(isa));
		assert_int_equal(operator_call(&q->c, &t[0], q->mean ? &t[1] : NULL, out), RSTD_OK);
		for (k = 0; k < q->c.out_count; k++) {
			dtype = q->c.out_dtype[k];
			for (i = 0; i < q->slices; i++) {
				at = (unsigned char *)t[2 + k].data + i * dtype_size(dtype);
				assert_true(bits_match(dtype, bits_load(dtype, at), q->expected[k][i]));
			}
		}
		/* the next one starts from other bits */
		for (k = 0; k < q->c.out_count; k++)
			memset(t[2 + k].data, OUTPUT_POISON, q->slices * dtype_size(q->c.out_dtype[k]));
	}
	rstd_set_isa(NULL);
}

static void test_fences(void **state)
{
	struct fenced fences[4];
	struct case_shape shape = { 2, { 0, 0 } };
	struct question q;
	unsigned k = 0;
	size_t f;
	int n;

	(void)state;
	random_state = 16;
	for (f = 0; f < 4; f++)
		fenced_make(&fences[f], 1 << 16);
	for (n = 1; n <= 130; n++) {
		for (k = 0; k < 12; k++) {
			shape.len[0] = k % 2 ? n : 3 + n % 7;
			shape.len[1] = k % 2 ? 3 + n % 5 : n;
			question_make(&q, k / 6 ? OP_STD_MEAN : OP_REDUCE_STD_WITH_MEAN, dtypes[k / 2 % 3], &shape,
			              1 + (unsigned)n % 2);
			ask_at_fence(&q, fences, true);
			ask_at_fence(&q, fences, false);
			question_free(&q);
		}
	}
	for (f = 0; f < 4; f++)
		munmap(fences[f].map, fences[f].size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_subset),    cmocka_unit_test(test_large),
		cmocka_unit_test(test_sliding_windows), cmocka_unit_test(test_x_and_mean_share_memory),
		cmocka_unit_test(test_interleaved),     cmocka_unit_test(test_fences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
