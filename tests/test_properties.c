/*
 * test_properties.c - what the numerics contract promises, and the faults of other libraries
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Results are a function of the multiset of values alone: not of order, split, batch, scale by a power of two, threads,
 * instruction set, entry point, or floating-point mode. The second half holds reports about other libraries, each
 * with the right value.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "operator.h"
#include "reference.h"

/* ThreadSanitizer ends a child that starts threads unless told not to; it keeps working there. */
#define TSAN_OPTIONS "die_after_fork=0:atexit_sleep_ms=0"
#include "sanitizers.h"

#define DEADLINE_S 60 /* far more than any forked child needs, also under a sanitizer on a busy machine */

static const rstd_dtype dtypes[3] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

static uint64_t random_state;

static uint64_t next_random(void)
{
	return random_state = splitmix64(random_state);
}

/* A contiguous view of data that must not be written through it. */
static rstd_tensor tensor(const void *data, rstd_dtype dtype, size_t rank, const int64_t *shape)
{
	rstd_tensor t;

	assert_int_equal(rstd_tensor_contiguous(&t, (void *)(uintptr_t)data, dtype, rank, shape), RSTD_OK);
	return t;
}

static rstd_tensor vector(const void *data, rstd_dtype dtype, size_t n)
{
	const int64_t length = (int64_t)n;

	return tensor(data, dtype, 1, &length);
}

static uint32_t f32_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

#define assert_f32(got, expected) assert_int_equal(f32_bits(got), f32_bits(expected))

/* Elements of kind k, packed as the dtype stores them. */
static void random_data(rstd_dtype dtype, void *data, size_t n, unsigned k)
{
	static const char *const specs[] = {
		"uniform:%llu:-0x1p+0:0x1p+0",  "offset:%llu:0x1.388p+13:0x1p+0", "wide:%llu:-20:14", "wide:%llu:-24:3",
		"uniform:%llu:0x1p-2:0x1.8p+1",
	};
	uint32_t *bits = xmalloc(n * sizeof(*bits));
	char spec[100];
	size_t i;

	snprintf(spec, sizeof(spec), specs[k % (sizeof(specs) / sizeof(*specs))],
	         (unsigned long long)(next_random() >> 20));
	assert_true(gen_fill(spec, dtype, n, NULL, bits));
	for (i = 0; i < n; i++)
		bits_store(dtype, (unsigned char *)data + i * dtype_size(dtype), bits[i]);
	free(bits);
}

/* Bits of the std and mean of n elements, in their own dtype. */
struct answer {
	uint32_t std, mean;
};

static struct answer std_mean_of(const void *data, rstd_dtype dtype, size_t n)
{
	const rstd_tensor x = vector(data, dtype, n);
	unsigned char std[4], mean[4];
	const rstd_tensor s = tensor(std, dtype, 0, NULL), m = tensor(mean, dtype, 0, NULL);
	struct answer a;

	assert_int_equal(rstd_std_mean(&x, NULL, 0, 1, false, &s, &m), RSTD_OK);
	a.std = bits_load(dtype, std);
	a.mean = bits_load(dtype, mean);
	return a;
}

static uint32_t std_about(const void *data, const void *mean, rstd_dtype dtype, size_t n)
{
	const rstd_tensor x = vector(data, dtype, n), m = vector(mean, dtype, n);
	unsigned char y[4];
	const rstd_tensor out = tensor(y, dtype, 0, NULL);

	assert_int_equal(rstd_reduce_std_with_mean(&x, &m, NULL, &out), RSTD_OK);
	return bits_load(dtype, y);
}

/* ---- Order --------------------------------------------------------------------------------------------------- */

static void swap_elements(unsigned char *data, size_t size, size_t i, size_t j)
{
	unsigned char t[4];

	memcpy(t, data + i * size, size);
	memcpy(data + i * size, data + j * size, size);
	memcpy(data + j * size, t, size);
}

static void test_permuted(void **state)
{
	enum { N = 1357 };
	unsigned char x[4 * N], mean[4 * N];
	struct answer first, again;
	uint32_t about;
	size_t d, i, j;
	unsigned k, round;

	(void)state;
	random_state = 21;
	for (d = 0; d < 3; d++) {
		for (k = 0; k < 5; k++) {
			random_data(dtypes[d], x, N, k);
			random_data(dtypes[d], mean, N, k + 3);
			first = std_mean_of(x, dtypes[d], N);
			about = std_about(x, mean, dtypes[d], N);
			for (round = 0; round < 10; round++) {
				for (i = N; i-- > 1;) {
					j = next_random() % (i + 1);
					swap_elements(x, dtype_size(dtypes[d]), i, j);
					swap_elements(mean, dtype_size(dtypes[d]), i, j);
				}
				again = std_mean_of(x, dtypes[d], N);
				assert_int_equal(again.std, first.std);
				assert_int_equal(again.mean, first.mean);
				assert_int_equal(std_about(x, mean, dtypes[d], N), about);
			}
		}
	}
}

/* Every order of a few numbers (Heap's algorithm). */
static void every_order(float *x, size_t k, size_t n, struct answer expected)
{
	struct answer got;
	size_t i;

	if (k == 1) {
		got = std_mean_of(x, RSTD_F32, n);
		assert_int_equal(got.std, expected.std);
		assert_int_equal(got.mean, expected.mean);
		return;
	}
	for (i = 0; i < k; i++) {
		every_order(x, k - 1, n, expected);
		swap_elements((unsigned char *)x, sizeof(*x), k % 2 ? 0 : i, k - 1);
	}
}

/* ---- Split --------------------------------------------------------------------------------------------------- */

/* x in pieces of random lengths, each a state of its own, merged in random order. */
static rstd_moments moments_in_pieces(const unsigned char *x, rstd_dtype dtype, size_t n)
{
	enum { MAX_PIECES = 40 };
	rstd_moments pieces[MAX_PIECES];
	unsigned char bytes[RSTD_MOMENTS_BYTES];
	size_t count = 0, at = 0, length, i, j;
	rstd_tensor t;

	memset(pieces, 0, sizeof(pieces));
	while (at < n) {
		length = count == MAX_PIECES - 1 ? n - at : next_random() % (n / 8 + 1); /* 0 too */
		length = length < n - at ? length : n - at;
		t = vector(x + at * dtype_size(dtype), dtype, length);
		assert_int_equal(rstd_moments_update(&pieces[count++], 1, &t, NULL, 0), RSTD_OK);
		at += length;
	}
	while (count > 1) {
		i = next_random() % count;
		j = (i + 1 + next_random() % (count - 1)) % count;
		assert_int_equal(rstd_moments_store(&pieces[j], bytes), RSTD_OK);
		assert_int_equal(rstd_moments_load(&pieces[j], bytes, sizeof(bytes)), RSTD_OK);
		assert_int_equal(rstd_moments_merge(&pieces[i], &pieces[j], 1), RSTD_OK);
		pieces[j] = pieces[--count];
	}
	return pieces[0];
}

static void test_split(void **state)
{
	enum { N = 2048 };
	unsigned char x[4 * N], std[4], mean[4], invstd[4], bn_mean[4], bn_invstd[4];
	const int64_t channel[2] = { N, 1 }, one = 1;
	const rstd_tensor m = tensor(bn_mean, RSTD_F32, 1, &one), v = tensor(bn_invstd, RSTD_F32, 1, &one);
	struct answer whole;
	rstd_moments moments;
	rstd_tensor t;
	size_t d, n;
	unsigned k, round;

	(void)state;
	random_state = 22;
	for (d = 0; d < 3; d++) {
		for (k = 0; k < 5; k++) {
			n = 1 + next_random() % N;
			random_data(dtypes[d], x, n, k);
			whole = std_mean_of(x, dtypes[d], n);
			t = tensor(x, dtypes[d], 2, channel);
			t.shape[0] = (int64_t)n;
			assert_int_equal(rstd_batch_norm_stats(&t, 1e-5, &m, &v), RSTD_OK);
			for (round = 0; round < 10; round++) {
				moments = moments_in_pieces(x, dtypes[d], n);
				assert_int_equal(moments.count, n);
				assert_int_equal(rstd_moments_std(&moments, 1, 1, dtypes[d], std), RSTD_OK);
				assert_int_equal(rstd_moments_mean(&moments, 1, dtypes[d], mean), RSTD_OK);
				assert_int_equal(rstd_moments_invstd(&moments, 1, 1e-5, RSTD_F32, invstd), RSTD_OK);
				assert_true(bits_match(dtypes[d], bits_load(dtypes[d], std), whole.std));
				assert_true(bits_match(dtypes[d], bits_load(dtypes[d], mean), whole.mean));
				assert_memory_equal(invstd, bn_invstd, sizeof(invstd));
			}
		}
	}
}

/* One state for each output: rows of a matrix arrive in pieces, columns are the slices. */
static void test_split_matrix(void **state)
{
	enum { ROWS = 300, COLS = 37 };
	static float x[ROWS][COLS];
	float std[COLS], mean[COLS], got[COLS];
	const int64_t shape[2] = { ROWS, COLS }, cols = COLS, dim = 0;
	const rstd_tensor s = tensor(std, RSTD_F32, 1, &cols), m = tensor(mean, RSTD_F32, 1, &cols);
	rstd_tensor t = tensor(x, RSTD_F32, 2, shape);
	rstd_moments moments[COLS];
	size_t row, rows;

	(void)state;
	random_state = 23;
	random_data(RSTD_F32, x, ROWS * COLS, 2);
	assert_int_equal(rstd_std_mean(&t, &dim, 1, 0, false, &s, &m), RSTD_OK);
	memset(moments, 0, sizeof(moments));
	for (row = 0; row < ROWS; row += rows) {
		rows = 1 + next_random() % 50;
		rows = rows < ROWS - row ? rows : ROWS - row;
		t.data = x[row];
		t.shape[0] = (int64_t)rows;
		assert_int_equal(rstd_moments_update(moments, COLS, &t, &dim, 1), RSTD_OK);
	}
	assert_int_equal(rstd_moments_std(moments, COLS, 0, RSTD_F32, got), RSTD_OK);
	assert_memory_equal(got, std, sizeof(std));
	assert_int_equal(rstd_moments_mean(moments, COLS, RSTD_F32, got), RSTD_OK);
	assert_memory_equal(got, mean, sizeof(mean));
}

/* ---- Scale --------------------------------------------------------------------------------------------------- */

static void test_scaled(void **state)
{
	enum { N = 777 };
	static const int exponents[] = { -90, -31, -1, 1, 7, 64, 100 };
	float x[N], mean[N], sx[N], sm[N], y = 0, scaled = 0;
	rstd_reduce_attrs inverse = RSTD_REDUCE_ATTRS_DEFAULT;
	const rstd_tensor tx = vector(x, RSTD_F32, N), tm = vector(mean, RSTD_F32, N), tsx = vector(sx, RSTD_F32, N),
			  tsm = vector(sm, RSTD_F32, N), ty = tensor(&y, RSTD_F32, 0, NULL),
			  tscaled = tensor(&scaled, RSTD_F32, 0, NULL);
	struct answer a, b;
	float about;
	uint32_t about_bits;
	size_t e, i;
	unsigned k;

	(void)state;
	random_state = 24;
	inverse.invert = true;
	inverse.epsilon = 0;
	for (k = 0; k < 5; k++) {
		random_data(RSTD_F32, x, N, k);
		random_data(RSTD_F32, mean, N, k + 4);
		a = std_mean_of(x, RSTD_F32, N);
		about_bits = std_about(x, mean, RSTD_F32, N);
		memcpy(&about, &about_bits, sizeof(about));
		assert_int_equal(rstd_reduce_std_with_mean(&tx, &tm, &inverse, &ty), RSTD_OK);
		for (e = 0; e < sizeof(exponents) / sizeof(*exponents); e++) {
			for (i = 0; i < N; i++) {
				sx[i] = ldexpf(x[i], exponents[e]);
				sm[i] = ldexpf(mean[i], exponents[e]);
			}
			b = std_mean_of(sx, RSTD_F32, N);
			/* a normal number times 2^e: e more in the field of the exponent */
			assert_int_equal(b.std, a.std + (uint32_t)exponents[e] * 0x800000);
			assert_int_equal(b.mean, a.mean + (uint32_t)exponents[e] * 0x800000);
			assert_int_equal(std_about(sx, sm, RSTD_F32, N), f32_bits(ldexpf(about, exponents[e])));
			assert_int_equal(rstd_reduce_std_with_mean(&tsx, &tsm, &inverse, &tscaled), RSTD_OK);
			assert_f32(scaled, ldexpf(y, -exponents[e]));
		}
	}
}

/* ---- Batch --------------------------------------------------------------------------------------------------- */

static void test_batch_of_one_or_many(void **state)
{
	enum { ROWS = 1000, MAX_COLS = 70 };
	static const int64_t lengths[] = { 1, 2, 3, 7, 16, 33, 70 };
	static unsigned char x[ROWS * MAX_COLS * 4], turned[ROWS * MAX_COLS * 4];
	unsigned char std[ROWS * 4], mean[ROWS * 4];
	const int64_t rows = ROWS, row_dim = 1, col_dim = 0;
	int64_t shape[2] = { ROWS, 0 }, turned_shape[2] = { 0, ROWS };
	rstd_tensor t, s, m;
	struct answer alone;
	size_t l, d, i, j, size;
	unsigned way;

	(void)state;
	random_state = 25;
	for (l = 0; l < sizeof(lengths) / sizeof(*lengths); l++) {
		for (d = 0; d < 3; d++) {
			size = dtype_size(dtypes[d]);
			shape[1] = turned_shape[0] = lengths[l];
			random_data(dtypes[d], x, (size_t)(ROWS * lengths[l]), (unsigned)(l + d));
			for (i = 0; i < ROWS; i++)
				for (j = 0; j < (size_t)lengths[l]; j++)
					memcpy(turned + (j * ROWS + i) * size, x + (i * (size_t)lengths[l] + j) * size,
					       size);
			s = tensor(std, dtypes[d], 1, &rows);
			m = tensor(mean, dtypes[d], 1, &rows);
			for (way = 0; way < 2; way++) {
				t = way ? tensor(turned, dtypes[d], 2, turned_shape) : tensor(x, dtypes[d], 2, shape);
				assert_int_equal(rstd_std_mean(&t, way ? &col_dim : &row_dim, 1, 1, false, &s, &m),
				                 RSTD_OK);
				for (i = 0; i < ROWS; i++) {
					alone = std_mean_of(x + i * (size_t)lengths[l] * size, dtypes[d],
					                    (size_t)lengths[l]);
					assert_true(
						bits_match(dtypes[d], bits_load(dtypes[d], std + i * size), alone.std));
					assert_true(bits_match(dtypes[d], bits_load(dtypes[d], mean + i * size),
					                       alone.mean));
				}
			}
		}
	}
}

/* ---- Threads, instruction sets, entry points ------------------------------------------------------------------ */

static void test_threads_and_isas(void **state)
{
	enum { N = 300007 };
	static const int threads[] = { 1, 2, 3, 4, 7, 16, 64 };
	static unsigned char x[4 * N], mean[4 * N];
	struct answer first = { 0, 0 }, got;
	uint32_t about = 0, again;
	size_t d, i, t;

	(void)state;
	random_state = 26;
	for (d = 0; d < 3; d++) {
		random_data(dtypes[d], x, N, (unsigned)d);
		random_data(dtypes[d], mean, N, 4);
		for (i = 0; rstd_isa_name(i); i++) {
			assert_int_equal(rstd_set_isa(rstd_isa_name(i)), RSTD_OK);
			for (t = 0; t < sizeof(threads) / sizeof(*threads); t++) {
				assert_int_equal(rstd_set_num_threads(threads[t]), RSTD_OK);
				got = std_mean_of(x, dtypes[d], N);
				again = std_about(x, mean, dtypes[d], N);
				if (i == 0 && t == 0) {
					first = got;
					about = again;
				}
				assert_int_equal(got.std, first.std);
				assert_int_equal(got.mean, first.mean);
				assert_int_equal(again, about);
			}
		}
	}
	rstd_set_isa(NULL);
	rstd_set_num_threads(0);
}

/* The two outputs asked for together or one at a time. */
static void test_halves(void **state)
{
	enum { ROWS = 50, COLS = 301 };
	static float x[ROWS][COLS];
	float std[ROWS], mean[ROWS], alone[ROWS];
	const int64_t shape[2] = { ROWS, COLS }, rows = ROWS, turned_shape[2] = { COLS, ROWS }, dim = 1;
	const rstd_tensor t = tensor(x, RSTD_F32, 2, shape), b = tensor(x, RSTD_F32, 2, turned_shape);
	const rstd_tensor s = tensor(std, RSTD_F32, 1, &rows), m = tensor(mean, RSTD_F32, 1, &rows),
			  a = tensor(alone, RSTD_F32, 1, &rows);

	(void)state;
	random_state = 27;
	random_data(RSTD_F32, x, ROWS * COLS, 1);
	assert_int_equal(rstd_std_mean(&t, &dim, 1, 1, false, &s, &m), RSTD_OK);
	assert_int_equal(rstd_std_mean(&t, &dim, 1, 1, false, &a, NULL), RSTD_OK);
	assert_memory_equal(alone, std, sizeof(std));
	assert_int_equal(rstd_std_mean(&t, &dim, 1, 1, false, NULL, &a), RSTD_OK);
	assert_memory_equal(alone, mean, sizeof(mean));
	assert_int_equal(rstd_batch_norm_stats(&b, 1e-3, &m, &s), RSTD_OK);
	assert_int_equal(rstd_batch_norm_stats(&b, 1e-3, NULL, &a), RSTD_OK);
	assert_memory_equal(alone, std, sizeof(std));
	assert_int_equal(rstd_batch_norm_stats(&b, 1e-3, &a, NULL), RSTD_OK);
	assert_memory_equal(alone, mean, sizeof(mean));
}

/* Where the exact mean is a number of the format, the given-mean operator and std_mean say the same. */
static void test_given_exact_mean(void **state)
{
	enum { N = 1024 };
	float x[N], mean;
	rstd_tensor m = vector(&mean, RSTD_F32, 1);
	const rstd_tensor t = vector(x, RSTD_F32, N);
	float y = 0;
	const rstd_tensor out = tensor(&y, RSTD_F32, 0, NULL);
	struct answer own;
	size_t i;

	(void)state;
	random_state = 28;
	for (i = 0; i < N; i++)
		x[i] = (float)(int)(next_random() % 2001) - 1000;
	own = std_mean_of(x, RSTD_F32, N);
	memcpy(&mean, &own.mean, sizeof(mean));
	m.shape[0] = N;
	m.strides[0] = 0;
	assert_int_equal(rstd_reduce_std_with_mean(&t, &m, NULL, &out), RSTD_OK);
	assert_int_equal(f32_bits(y), own.std);
}

struct runner {
	const rstd_plan *plan;
	const float *x;
	float std[64], mean[64];
	rstd_status status;
};

static void *run_plan(void *arg)
{
	struct runner *r = arg;
	void *workspace = xmalloc(rstd_plan_workspace_size(r->plan));
	int i;

	for (i = 0; i < 20 && r->status == RSTD_OK; i++)
		r->status = rstd_plan_run(r->plan, r->x, NULL, r->std, r->mean,
		                          rstd_plan_workspace_size(r->plan) ? workspace : NULL);
	free(workspace);
	return NULL;
}

/* One plan, run by several threads at once, each of which asks for more threads. */
static void test_plan_shared_by_threads(void **state)
{
	enum { RUNNERS = 4, ROWS = 3, COLS = 40000 };
	static float x[ROWS * COLS];
	static struct runner runners[RUNNERS];
	const int64_t shape[2] = { ROWS, COLS }, rows = ROWS, dim = 1;
	float std[ROWS], mean[ROWS];
	const rstd_tensor t = tensor(x, RSTD_F32, 2, shape), s = tensor(std, RSTD_F32, 1, &rows),
			  m = tensor(mean, RSTD_F32, 1, &rows);
	pthread_t threads[RUNNERS];
	rstd_plan *plan;
	size_t i;

	(void)state;
	random_state = 29;
	random_data(RSTD_F32, x, ROWS * COLS, 1);
	rstd_set_num_threads(3);
	assert_int_equal(rstd_std_mean(&t, &dim, 1, 1, false, &s, &m), RSTD_OK);
	assert_int_equal(rstd_plan_std_mean(&plan, &t, &dim, 1, 1, false, &s, &m), RSTD_OK);
	for (i = 0; i < RUNNERS; i++) {
		runners[i].plan = plan;
		runners[i].x = x;
		assert_int_equal(pthread_create(&threads[i], NULL, run_plan, &runners[i]), 0);
	}
	for (i = 0; i < RUNNERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(runners[i].status, RSTD_OK);
		assert_memory_equal(runners[i].std, std, sizeof(std));
		assert_memory_equal(runners[i].mean, mean, sizeof(mean));
	}
	rstd_plan_destroy(plan);
	rstd_set_num_threads(0);
}

/* ---- The caller's floating-point mode ------------------------------------------------------------------------- */

/* Everything that computes, on data with subnormals, NaN and Inf; the bits of all outputs one after another. */
struct everything {
	uint32_t bits[12];
	rstd_moments moments;
};

enum { MODE_N = 4001 };
static float mode_data[MODE_N], mode_mean[MODE_N];

/* No arithmetic of its own: the mode in force would change it. */
static void compute_everything(struct everything *e, double epsilon)
{
	static const rstd_reduce_attrs inverse = { NULL, 0, true, false, true, 0x1.0624dep-10F, 1 };
	static const int64_t columns[2] = { MODE_N - 1, 1 }, one = 1;
	rstd_tensor x, m, out[12], channel, c0, c1;
	rstd_plan *plan = NULL;
	size_t i;

	memset(e, 0, sizeof(*e));
	for (i = 0; i < 12; i++)
		out[i] = tensor(&e->bits[i], RSTD_F32, 0, NULL);
	out[3].dtype = out[4].dtype = RSTD_F16;
	x = vector(mode_data, RSTD_F32, MODE_N - 1);
	m = vector(mode_mean, RSTD_F32, MODE_N - 1);
	channel = tensor(mode_data, RSTD_F32, 2, columns);
	c0 = tensor(&e->bits[5], RSTD_F32, 1, &one);
	c1 = tensor(&e->bits[6], RSTD_F32, 1, &one);
	assert_int_equal(rstd_reduce_std_with_mean(&x, &m, NULL, &out[0]), RSTD_OK);
	assert_int_equal(rstd_reduce_std_with_mean(&x, &m, &inverse, &out[1]), RSTD_OK);
	assert_int_equal(rstd_std_mean(&x, NULL, 0, 1, false, &out[2], &out[3]), RSTD_OK);
	assert_int_equal(rstd_std_mean(&x, NULL, 0, 0, false, &out[4], NULL), RSTD_OK);
	assert_int_equal(rstd_batch_norm_stats(&channel, epsilon, &c0, &c1), RSTD_OK);
	assert_int_equal(rstd_plan_std_mean(&plan, &x, NULL, 0, 1, false, &out[7], NULL), RSTD_OK);
	assert_int_equal(rstd_plan_workspace_size(plan), 0); /* short enough for one thread */
	assert_int_equal(rstd_plan_run(plan, x.data, NULL, out[7].data, NULL, NULL), RSTD_OK);
	rstd_plan_destroy(plan);
	assert_int_equal(rstd_moments_update(&e->moments, 1, &x, NULL, 0), RSTD_OK);
	assert_int_equal(rstd_moments_std(&e->moments, 1, 1, RSTD_F32, &e->bits[8]), RSTD_OK);
	assert_int_equal(rstd_moments_mean(&e->moments, 1, RSTD_F32, &e->bits[9]), RSTD_OK);
	assert_int_equal(rstd_moments_invstd(&e->moments, 1, epsilon, RSTD_F32, &e->bits[10]), RSTD_OK);
	x.shape[0] = MODE_N; /* with the NaN at the end */
	assert_int_equal(rstd_std_mean(&x, NULL, 0, 1, false, &out[11], NULL), RSTD_OK);
	e->bits[11] = bits_is_nan(RSTD_F32, e->bits[11]);
}

/* Three kinds of data: ordinary, subnormal, and huge. All with a NaN that only the last computation sees. */
static void mode_fill(unsigned kind)
{
	size_t i;
	uint32_t bits;

	random_data(RSTD_F32, mode_data, MODE_N, kind);
	random_data(RSTD_F32, mode_mean, MODE_N, 3);
	for (i = 0; i < MODE_N && kind; i++) {
		bits = (uint32_t)(next_random() & 0x807FFFFF) | (kind == 1 ? 0 : 0x7F000000);
		memcpy(&mode_data[i], &bits, sizeof(bits));
	}
	mode_data[MODE_N - 1] = NAN;
}

static void test_rounding_modes(void **state)
{
	static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
	/* 1 / 3 and such, whose conversions to float depend on the mode in force */
	static const double epsilons[] = { 1e-5, 0x1.5555555555555p-2, 0x1.000001p+0 };
	struct everything usual, got;
	unsigned kind;
	size_t m, e, i;

	(void)state;
	random_state = 30;
	for (kind = 0; kind < 3; kind++) {
		mode_fill(kind);
		for (e = 0; e < 3; e++) {
			compute_everything(&usual, epsilons[e]);
			for (i = 0; rstd_isa_name(i); i++) {
				rstd_set_isa(rstd_isa_name(i));
				for (m = 0; m < sizeof(modes) / sizeof(*modes); m++) {
					feclearexcept(FE_ALL_EXCEPT);
					feraiseexcept(FE_DIVBYZERO);
					assert_int_equal(fesetround(modes[m]), 0);
					compute_everything(&got, epsilons[e]);
					assert_int_equal(fegetround(), modes[m]);
					fesetround(FE_TONEAREST);
					assert_int_equal(fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO);
					feclearexcept(FE_ALL_EXCEPT);
					assert_memory_equal(&got, &usual, sizeof(got));
				}
			}
			rstd_set_isa(NULL);
		}
	}
}

#if defined(__x86_64__)
#define FTZ          0x8000U
#define DAZ          0x0040U
#define UNMASK_ALL   0x0000U
#define MASK_ALL     0x1F80U
#define ROUND_DOWN   0x2000U
#define FLAG_INEXACT 0x0020U

/* Flush-to-zero, denormals-are-zero, traps on: none reaches the results, and the register comes back as it was. */
static void test_mxcsr(void **state)
{
	static const uint32_t modes[] = { MASK_ALL | FTZ | DAZ, MASK_ALL | FTZ | FLAG_INEXACT,
		                          MASK_ALL | DAZ,       MASK_ALL | ROUND_DOWN | FTZ,
		                          UNMASK_ALL,           UNMASK_ALL | FTZ | DAZ | ROUND_DOWN };
	const uint32_t before = _mm_getcsr();
	struct everything usual, got;
	uint32_t after;
	unsigned kind;
	size_t m, i;

	(void)state;
	random_state = 31;
	for (kind = 0; kind < 3; kind++) {
		mode_fill(kind);
		compute_everything(&usual, 1e-5);
		for (i = 0; rstd_isa_name(i); i++) {
			rstd_set_isa(rstd_isa_name(i));
			for (m = 0; m < sizeof(modes) / sizeof(*modes); m++) {
				_mm_setcsr(modes[m]);
				compute_everything(&got, 1e-5);
				after = _mm_getcsr();
				_mm_setcsr(before);
				assert_int_equal(after, modes[m]);
				assert_memory_equal(&got, &usual, sizeof(got));
			}
		}
		rstd_set_isa(NULL);
	}
}
#endif

/* ---- Forks --------------------------------------------------------------------------------------------------- */

enum { FORK_ROWS = 4, FORK_COLS = 1 << 20 };
static float fork_data[FORK_ROWS * FORK_COLS];

struct fork_result {
	float std[FORK_ROWS], mean[FORK_ROWS];
};

static struct fork_result fork_compute(void)
{
	const int64_t shape[2] = { FORK_ROWS, FORK_COLS }, rows = FORK_ROWS, dim = 1;
	struct fork_result r;
	const rstd_tensor t = tensor(fork_data, RSTD_F32, 2, shape), s = tensor(r.std, RSTD_F32, 1, &rows),
			  m = tensor(r.mean, RSTD_F32, 1, &rows);

	assert_int_equal(rstd_std_mean(&t, &dim, 1, 0, false, &s, &m), RSTD_OK);
	return r;
}

/* Runs body in a child; whether it returned true before the deadline. */
static bool in_child(bool (*body)(const void *), const void *arg)
{
	pid_t pid;
	int status = 0;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(DEADLINE_S); /* the default action ends a child that hangs */
		_exit(body(arg) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool child_agrees(const void *expected)
{
	const struct fork_result r = fork_compute();

	return memcmp(&r, expected, sizeof(r)) == 0;
}

/* The first parallel call of the process happens in a child: its workers start under the child's own mode. */
static bool child_starts_workers(const void *arg)
{
	struct fork_result one, many;

	(void)arg;
	rstd_set_num_threads(1);
	one = fork_compute();
	rstd_set_num_threads(4);
#if defined(__x86_64__)
	_mm_setcsr(MASK_ALL | FTZ | DAZ | ROUND_DOWN);
#else
	fesetround(FE_DOWNWARD);
#endif
	many = fork_compute();
	return memcmp(&one, &many, sizeof(one)) == 0;
}

/* Must be the first test of this program, before any other starts threads. */
static void test_first_parallel_call_in_child(void **state)
{
	const size_t n = FORK_ROWS * FORK_COLS;
	size_t i;
	uint32_t bits;

	(void)state;
	random_state = 32;
	for (i = 0; i < n; i++) { /* subnormals in one half, ordinary numbers in the other */
		bits = (uint32_t)next_random() & (i < n / 2 ? 0x807FFFFF : 0xBFFFFFFF);
		memcpy(&fork_data[i], &bits, sizeof(bits));
	}
	assert_true(in_child(child_starts_workers, NULL));
}

/* B27: the parent has used its threads, a child forks and computes too; then the parent again. */
static void test_child_after_parent(void **state)
{
	struct fork_result parent, again;

	(void)state;
	random_state = 33;
	random_data(RSTD_F32, fork_data, FORK_ROWS * FORK_COLS, 0);
	rstd_set_num_threads(4);
	parent = fork_compute();
	assert_true(in_child(child_agrees, &parent));
	assert_true(in_child(child_agrees, &parent));
	again = fork_compute();
	assert_memory_equal(&again, &parent, sizeof(again));
	rstd_set_num_threads(0);
}

/* ---- Reports about other libraries ----------------------------------------------------------------------------- */

/* std_mean of all of n float32 elements. */
static void check_std_mean(const float *x, size_t n, int64_t correction, float std, float mean)
{
	const rstd_tensor t = vector(x, RSTD_F32, n);
	float got_std = 0, got_mean = 0;
	const rstd_tensor s = tensor(&got_std, RSTD_F32, 0, NULL), m = tensor(&got_mean, RSTD_F32, 0, NULL);

	assert_int_equal(rstd_std_mean(&t, NULL, 0, correction, false, &s, &m), RSTD_OK);
	if (isnan(std))
		assert_true(isnan(got_std));
	else
		assert_f32(got_std, std);
	if (isnan(mean))
		assert_true(isnan(got_mean));
	else
		assert_f32(got_mean, mean);
}

/* B01: a sum along the outer axis that drifts gives constant columns a std. */
static void test_report_constant_columns(void **state)
{
	enum { ROWS = 1000000 };
	const int64_t shape[2] = { ROWS, 2 }, two = 2, dim = 0;
	float *x = xmalloc(2 * ROWS * sizeof(*x)), std[2], mean[2];
	const rstd_tensor t = tensor(x, RSTD_F32, 2, shape), s = tensor(std, RSTD_F32, 1, &two),
			  m = tensor(mean, RSTD_F32, 1, &two);
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		x[2 * i] = 100;
		x[2 * i + 1] = -100;
	}
	assert_int_equal(rstd_std_mean(&t, &dim, 1, 0, false, &s, &m), RSTD_OK);
	assert_f32(std[0], 0.0F);
	assert_f32(std[1], 0.0F);
	assert_f32(mean[0], 100.0F);
	assert_f32(mean[1], -100.0F);
	free(x);
}

/* B03: identical values have no std, whichever entry is asked. */
static void test_report_constant(void **state)
{
	const float x[6] = { 0.525F, 0.525F, 0.525F, 0.525F, 0.525F, 0.525F };
	float std = 0;
	const rstd_tensor t = vector(x, RSTD_F32, 6), s = tensor(&std, RSTD_F32, 0, NULL);

	(void)state;
	check_std_mean(x, 6, 1, 0.0F, 0x1.0ccccc0p-1F);
	assert_int_equal(rstd_std_mean(&t, NULL, 0, 1, false, &s, NULL), RSTD_OK);
	assert_f32(std, 0.0F);
	assert_int_equal(rstd_reduce_std_with_mean(&t, &t, NULL, &s), RSTD_OK);
	assert_f32(std, 0.0F);
}

/* B05: squares next to the largest number overflow, the std does not. */
static void test_report_overflow(void **state)
{
	const float big = 0x1.fffffep+127F;
	const float x[16] = { -big, -big, big, 1, 1, 1, 1, 1, 1, 1, big, 1, 1, 1, 1, 1 };

	(void)state;
	check_std_mean(x, 16, 0, 0x1.fffffe0p+126F, 0.75F);
	check_std_mean(x, 16, 1, 0x1.08654a0p+127F, 0.75F);
}

/* B07: more elements than a half can count. */
static void test_report_half_count(void **state)
{
	static const size_t lengths[] = { 65519, 65520, 1000000 };
	uint16_t *x = xmalloc(1000000 * sizeof(*x));
	struct answer a;
	size_t l, i;

	(void)state;
	for (l = 0; l < 3; l++) {
		for (i = 0; i < lengths[l]; i++)
			x[i] = i < lengths[l] / 2 ? 0 : 0x3C00;
		a = std_mean_of(x, RSTD_F16, lengths[l]);
		assert_int_equal(a.std, 0x3800);
		assert_int_equal(a.mean, 0x3800);
	}
	free(x);
}

/* B09: squares of small numbers underflow, the std does not. */
static void test_report_underflow(void **state)
{
	const float a[4] = { 1e-30F, 2e-30F, 3e-30F, 4e-30F };
	const float b[4] = { 0x1p-149F, 0x2p-149F, 0x3p-149F, 0x4p-149F };

	(void)state;
	check_std_mean(a, 4, 1, 0x1.a2f3a00p-100F, 2.5e-30F);
	check_std_mean(b, 4, 1, 0x1p-149F, 0x1p-148F);
}

/* B11: NaN and Inf give a result, and only to their own slice. */
static void test_report_nan_and_inf(void **state)
{
	const float a[4] = { 123, NAN, INFINITY, -INFINITY }, b[3] = { 1, 2, INFINITY }, minus[3] = { 1, 2, -INFINITY },
		    both[3] = { 1, INFINITY, -INFINITY };
	float c[3][4] = { { 1, 2, 3, 4 }, { 1, INFINITY, 3, 4 }, { 5, 6, 7, 8 } }, std[3], mean[3], first;
	const int64_t shape[2] = { 3, 4 }, three = 3, dim = 1;
	const rstd_tensor t = tensor(c, RSTD_F32, 2, shape), s = tensor(std, RSTD_F32, 1, &three),
			  m = tensor(mean, RSTD_F32, 1, &three);

	(void)state;
	check_std_mean(a, 4, 0, NAN, NAN);
	check_std_mean(b, 3, 0, NAN, INFINITY);
	check_std_mean(minus, 3, 0, NAN, -INFINITY);
	check_std_mean(both, 3, 0, NAN, NAN);
	assert_int_equal(rstd_std_mean(&t, &dim, 1, 0, false, &s, &m), RSTD_OK);
	first = 0x1.1e3779ap+0F; /* sqrt(1.25) */
	assert_f32(std[0], first);
	assert_true(isnan(std[1]));
	assert_f32(std[2], first);
	assert_f32(mean[0], 2.5F);
	assert_f32(mean[1], INFINITY);
	assert_f32(mean[2], 6.5F);
}

/* NaN and Inf in one of many slices, at every place, in rows and in columns: the others stay as they were. */
static void test_containment(void **state)
{
	enum { SLICES = 40, N = 37 };
	static const uint32_t specials[] = { 0x7FC00000, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF };
	static float x[SLICES * N];
	const int64_t rows_shape[2] = { SLICES, N }, cols_shape[2] = { N, SLICES }, slices = SLICES;
	float std[SLICES], mean[SLICES], clean_std[SLICES], clean_mean[SLICES], saved;
	const rstd_tensor s = tensor(std, RSTD_F32, 1, &slices), m = tensor(mean, RSTD_F32, 1, &slices),
			  cs = tensor(clean_std, RSTD_F32, 1, &slices), cm = tensor(clean_mean, RSTD_F32, 1, &slices);
	rstd_tensor t;
	int64_t dim;
	size_t place, at, bad, i, isa;

	(void)state;
	random_state = 34;
	random_data(RSTD_F32, x, SLICES * N, 0);
	for (dim = 0; dim < 2; dim++) {
		t = tensor(x, RSTD_F32, 2, dim ? rows_shape : cols_shape);
		assert_int_equal(rstd_std_mean(&t, &dim, 1, 0, false, &cs, &cm), RSTD_OK);
		for (isa = 0; rstd_isa_name(isa); isa++) {
			rstd_set_isa(rstd_isa_name(isa));
			for (place = 0; place < SLICES * N; place += 7) {
				at = place;
				bad = dim ? at / N : at % SLICES;
				saved = x[at];
				memcpy(&x[at], &specials[place % 5], sizeof(float));
				assert_int_equal(rstd_std_mean(&t, &dim, 1, 0, false, &s, &m), RSTD_OK);
				x[at] = saved;
				assert_true(isnan(std[bad]));
				for (i = 0; i < SLICES; i++) {
					if (i == bad)
						continue;
					assert_f32(std[i], clean_std[i]);
					assert_f32(mean[i], clean_mean[i]);
				}
			}
		}
		rstd_set_isa(NULL);
	}
}

/* B13, B35: a correction of N or more divides by max(0, N - correction) = 0. */
static void test_report_correction_beyond_count(void **state)
{
	float x[12], std[6], mean[6];
	const float ones[4] = { 1, 1, 1, 1 }, pair[2] = { 1, 3 };
	const int64_t shape[4] = { 1, 3, 2, 2 }, out_shape[3] = { 1, 3, 2 }, square[2] = { 2, 2 }, two = 2, dim = 2,
		      dim0 = 0;
	const rstd_tensor t = tensor(x, RSTD_F32, 4, shape), s = tensor(std, RSTD_F32, 3, out_shape),
			  m = tensor(mean, RSTD_F32, 3, out_shape), t1 = tensor(ones, RSTD_F32, 2, square),
			  s1 = tensor(std, RSTD_F32, 1, &two);
	static const float means[6] = { 1, 2, 5, 6, 9, 10 };
	int64_t c;
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++)
		x[i] = (float)i;
	for (c = 2; c <= 3; c++) {
		assert_int_equal(rstd_std_mean(&t, &dim, 1, c, false, &s, &m), RSTD_OK);
		for (i = 0; i < 6; i++) {
			assert_f32(std[i], INFINITY);
			assert_f32(mean[i], means[i]);
		}
	}
	assert_int_equal(rstd_std_mean(&t1, &dim0, 1, 3, false, &s1, NULL), RSTD_OK);
	assert_true(isnan(std[0]) && isnan(std[1]));
	assert_int_equal(rstd_std_mean(&t, &dim, 1, -1, false, &s, &m), RSTD_ERROR_CORRECTION);
	check_std_mean(pair, 2, 3, INFINITY, 2);
	check_std_mean(pair, 2, INT64_MAX, INFINITY, 2);
}

/* B15: reduced axes of length 0 give NaN, kept ones nothing. */
static void test_report_empty(void **state)
{
	const int64_t shape[3] = { 3, 0, 4 }, kept[3] = { 3, 1, 4 }, none[2] = { 0, 4 }, dim1 = 1, dim0 = 0;
	float std[12], mean[12], untouched = 7;
	rstd_tensor t = tensor(NULL, RSTD_F32, 3, shape), s = tensor(std, RSTD_F32, 3, kept),
		    m = tensor(mean, RSTD_F32, 3, kept);
	size_t i;

	(void)state;
	memset(std, 0, sizeof(std));
	memset(mean, 0, sizeof(mean));
	assert_int_equal(rstd_std_mean(&t, &dim1, 1, 1, true, &s, &m), RSTD_OK);
	for (i = 0; i < 12; i++)
		assert_true(isnan(std[i]) && isnan(mean[i]));
	s = tensor(&untouched, RSTD_F32, 2, none);
	assert_int_equal(rstd_std_mean(&t, &dim0, 1, 1, false, &s, NULL), RSTD_OK);
	assert_f32(untouched, 7.0F);
	s.data = NULL; /* no elements, no memory */
	assert_int_equal(rstd_std_mean(&t, &dim0, 1, 1, false, &s, NULL), RSTD_OK);
	s = tensor(std, RSTD_F32, 0, NULL);
	std[0] = 0;
	assert_int_equal(rstd_std_mean(&t, NULL, 0, 1, false, &s, NULL), RSTD_OK);
	assert_true(isnan(std[0]));
	assert_int_equal(rstd_reduce_std_with_mean(&t, &t, NULL, &s), RSTD_OK);
	assert_true(isnan(std[0]));
}

/* B17: a negative axis counts from the last; one out of range is refused. */
static void test_report_negative_axis(void **state)
{
	float x[12], std[2] = { 7, 7 }, mean[2] = { 7, 7 };
	const int64_t shape[2] = { 2, 6 }, two = 2, good[2] = { -1, 1 }, bad[2] = { 2, -3 };
	const rstd_tensor t = tensor(x, RSTD_F32, 2, shape), s = tensor(std, RSTD_F32, 1, &two),
			  m = tensor(mean, RSTD_F32, 1, &two);
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++)
		x[i] = (float)i;
	for (i = 0; i < 2; i++) {
		assert_int_equal(rstd_std_mean(&t, &bad[i], 1, 0, false, &s, &m), RSTD_ERROR_DIM);
		assert_f32(std[0], 7.0F);
		assert_f32(mean[1], 7.0F);
	}
	for (i = 0; i < 2; i++) {
		std[0] = std[1] = mean[0] = mean[1] = 7;
		assert_int_equal(rstd_std_mean(&t, &good[i], 1, 0, false, &s, &m), RSTD_OK);
		assert_f32(std[0], 0x1.b534080p+0F);
		assert_f32(std[1], 0x1.b534080p+0F);
		assert_f32(mean[0], 2.5F);
		assert_f32(mean[1], 8.5F);
	}
}

/* B19: the same row in C and in Fortran order and alone. */
static void test_report_memory_order(void **state)
{
	enum { N = 200000 };
	float *c_order = xmalloc(2 * N * sizeof(float)), *f_order = xmalloc(2 * N * sizeof(float));
	const int64_t shape[2] = { 2, N }, two = 2, dim = 1;
	float std[2], mean[2];
	const rstd_tensor s = tensor(std, RSTD_F32, 1, &two), m = tensor(mean, RSTD_F32, 1, &two);
	rstd_tensor t = tensor(c_order, RSTD_F32, 2, shape);
	struct answer alone;
	size_t i;
	unsigned way;

	(void)state;
	for (i = 0; i < N; i++) {
		c_order[i] = f_order[2 * i] = (float)((uint32_t)i * 2654435761U) * 0x1p-32F;
		c_order[N + i] = f_order[2 * i + 1] = 0;
	}
	alone = std_mean_of(c_order, RSTD_F32, N);
	for (way = 0; way < 2; way++) {
		if (way) {
			t.data = f_order;
			t.strides[0] = 1;
			t.strides[1] = 2;
		}
		assert_int_equal(rstd_std_mean(&t, &dim, 1, 1, false, &s, &m), RSTD_OK);
		assert_int_equal(f32_bits(std[0]), alone.std);
		assert_int_equal(f32_bits(mean[0]), alone.mean);
		assert_f32(std[1], 0.0F);
	}
	free(f_order);
	free(c_order);
}

/* B23: every order of the rows gives the same last digit. */
static void test_report_every_order(void **state)
{
	float integers[6], tenths[7];
	uint32_t bits[7];
	struct answer expected = { f32_bits(1.8708287F), f32_bits(2.5F) };
	struct ref_sums r;
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++)
		integers[i] = (float)i;
	for (i = 0; i < 7; i++) {
		tenths[i] = (float)(i + 1) / 10;
		bits[i] = f32_bits(tenths[i]);
	}
	every_order(integers, 6, 6, expected); /* sqrt(3.5) */
	ref_init(&r);
	ref_slice(&r, RSTD_F32, bits, NULL, 7);
	expected.std = ref_std(&r, 6, RSTD_F32);
	expected.mean = ref_mean(&r, RSTD_F32);
	ref_clear(&r);
	every_order(tenths, 7, 7, expected);
}

/* B33: eps arrives. */
static void test_report_epsilon(void **state)
{
	const float x[2] = { 1, -1 };
	const int64_t shape[2] = { 2, 1 }, one = 1;
	float mean = 0, invstd = 0;
	const rstd_tensor t = tensor(x, RSTD_F32, 2, shape), m = tensor(&mean, RSTD_F32, 1, &one),
			  v = tensor(&invstd, RSTD_F32, 1, &one);

	(void)state;
	assert_int_equal(rstd_batch_norm_stats(&t, 3, &m, &v), RSTD_OK);
	assert_f32(invstd, 0.5F);
	assert_f32(mean, 0.0F);
	assert_int_equal(rstd_batch_norm_stats(&t, 15, &m, &v), RSTD_OK);
	assert_f32(invstd, 0.25F);
}

static rstd_moments moments_of(const float *x, size_t n)
{
	const rstd_tensor t = vector(x, RSTD_F32, n);
	rstd_moments moments;

	memset(&moments, 0, sizeof(moments));
	assert_int_equal(rstd_moments_update(&moments, 1, &t, NULL, 0), RSTD_OK);
	return moments;
}

/* B37: parts with different counts, and B39: parts without elements. */
static void test_report_parts(void **state)
{
	const float part0[2] = { 1, 3 }, part1[6] = { 2, 2, 2, 8, 8, 8 }, whole[3] = { 1, 2, 4 };
	rstd_moments a = moments_of(part0, 2), b = moments_of(part1, 6), c = moments_of(NULL, 0),
		     d = moments_of(whole, 3), e = c;
	float y;

	(void)state;
	assert_int_equal(rstd_moments_merge(&a, &b, 1), RSTD_OK);
	assert_int_equal(rstd_moments_mean(&a, 1, RSTD_F32, &y), RSTD_OK);
	assert_f32(y, 4.25F);
	assert_int_equal(rstd_moments_invstd(&a, 1, 1e-5, RSTD_F32, &y), RSTD_OK);
	assert_f32(y, 0x1.5b6b020p-2F);
	assert_int_equal(rstd_moments_merge(&c, &d, 1), RSTD_OK);
	assert_int_equal(rstd_moments_merge(&c, &e, 1), RSTD_OK);
	assert_int_equal(rstd_moments_mean(&c, 1, RSTD_F32, &y), RSTD_OK);
	assert_f32(y, 2.3333333F);
	assert_int_equal(rstd_moments_std(&c, 1, 0, RSTD_F32, &y), RSTD_OK);
	assert_f32(y, 1.2472191F);
	assert_int_equal(rstd_moments_invstd(&c, 1, 1e-5, RSTD_F32, &y), RSTD_OK);
	assert_f32(y, 0.8017812F);
	assert_int_equal(rstd_moments_merge(&e, &e, 1), RSTD_OK);
	assert_int_equal(rstd_moments_mean(&e, 1, RSTD_F32, &y), RSTD_OK);
	assert_true(isnan(y));
	assert_int_equal(rstd_moments_std(&e, 1, 0, RSTD_F32, &y), RSTD_OK);
	assert_true(isnan(y));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_parallel_call_in_child),
		cmocka_unit_test(test_permuted),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_matrix),
		cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_batch_of_one_or_many),
		cmocka_unit_test(test_threads_and_isas),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_given_exact_mean),
		cmocka_unit_test(test_plan_shared_by_threads),
		cmocka_unit_test(test_rounding_modes),
#if defined(__x86_64__)
		cmocka_unit_test(test_mxcsr),
#endif
		cmocka_unit_test(test_child_after_parent),
		cmocka_unit_test(test_report_constant_columns),
		cmocka_unit_test(test_report_constant),
		cmocka_unit_test(test_report_overflow),
		cmocka_unit_test(test_report_half_count),
		cmocka_unit_test(test_report_underflow),
		cmocka_unit_test(test_report_nan_and_inf),
		cmocka_unit_test(test_containment),
		cmocka_unit_test(test_report_correction_beyond_count),
		cmocka_unit_test(test_report_empty),
		cmocka_unit_test(test_report_negative_axis),
		cmocka_unit_test(test_report_memory_order),
		cmocka_unit_test(test_report_every_order),
		cmocka_unit_test(test_report_epsilon),
		cmocka_unit_test(test_report_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
