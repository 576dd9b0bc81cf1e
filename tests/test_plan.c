/*
 * test_plan.c - what a plan is made of: overlap, collapsed axes, units of work, and the bound of its sums
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Overlap is compared with marking bytes; the loops of a plan with the indices of its tensors, one by one; the sums of
 * whole plans with GMP integers.
 *
 * RSTD_TEST_SCALE is a percentage of the number of random cases.
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
#include <time.h>

#include <gmp.h>

#include "case_gen.h"
#include "core/overlap.h"
#include "core/plan.h"
#include "core/sums.h"
#include "operator.h"

#define U       0x1p-53 /* the unit roundoff of binary64 */
#define U_ROUGH 0x1p-24 /* and of binary32 */

static uint64_t random_state;

static uint64_t next_random(void)
{
	return splitmix64(random_state++);
}

static uint64_t below(uint64_t bound)
{
	return next_random() % bound;
}

static int between(int low, int high)
{
	return low + (int)below((uint64_t)(high - low + 1));
}

static size_t cases(size_t n)
{
	return n * test_scale() / 100 + 1;
}

/* ---- Overlap ------------------------------------------------------------------------------------------------- */

#define SPAN 1024 /* bytes of the memory that regions are marked in; the random ones reach less far than half of it */

/* Marks the bytes of a region in memory, as often as an element covers them; returns the most that one has. */
static unsigned mark(const struct rstd__region *r, unsigned char *memory)
{
	int64_t index[RSTD_MAX_RANK] = { 0 };
	unsigned most = 0;

	for (;;) {
		int64_t at = (int64_t)r->start;
		size_t i;

		for (i = 0; i < r->rank; i++)
			at += index[i] * r->stride[i];
		for (size_t byte = 0; byte < r->size; byte++)
			if (++memory[at + (int64_t)byte] > most)
				most = memory[at + (int64_t)byte];
		for (i = r->rank; i-- > 0;) {
			if (++index[i] < r->count[i])
				break;
			index[i] = 0;
		}
		if (i == SIZE_MAX)
			return most;
	}
}

static struct rstd__region random_region(void)
{
	const size_t rank = below(4) ? (size_t)below(4) : (size_t)below(RSTD_MAX_RANK + 1);
	struct rstd__region r = { .start = SPAN / 2 + below(40), .size = below(2) ? 2 : 4, .rank = rank };
	const int most = rank > 4 ? 2 : 4, far = rank > 4 ? 24 : 9;
	const bool aligned = below(2); /* strides in elements, so that gaps are common */

	for (size_t i = 0; i < rank; i++) {
		r.count[i] = between(1, most);
		r.stride[i] = between(-far, far) * (aligned ? (int64_t)r.size : 1);
	}
	return r;
}

/* The region of a random view without overlap: axes one inside the other, with gaps. */
static struct rstd__region random_layout(void)
{
	struct rstd__region r = random_region();
	int64_t step = (int64_t)r.size;

	if (r.rank > 3)
		r.rank = 3;
	for (size_t i = 0; i < r.rank; i++) {
		r.stride[i] = below(2) ? step : -step;
		step = step * r.count[i] + between(0, 2) * (int64_t)r.size;
	}
	return r;
}

static void test_overlap(void **state)
{
	const size_t n = cases(300000);
	size_t itself = 0, both = 0;

	(void)state;
	for (size_t k = 0; k < n; k++) {
		const struct rstd__region a = below(2) ? random_layout() : random_region();
		const struct rstd__region b = below(2) ? random_layout() : random_region();
		unsigned char a_memory[SPAN] = { 0 }, b_memory[SPAN] = { 0 };
		const bool twice = mark(&a, a_memory) > 1;
		bool meet = false;

		mark(&b, b_memory);
		for (size_t i = 0; i < SPAN && !meet; i++)
			meet = a_memory[i] && b_memory[i];
		assert_int_equal(rstd__overlaps_itself(&a), twice);
		assert_int_equal(rstd__overlap(&a, &b), meet);
		assert_int_equal(rstd__overlap(&b, &a), meet);
		itself += twice;
		both += meet;
	}
	print_message("%zu pairs: %zu overlap, %zu overlap themselves\n", n, both, itself);
	assert_true(both > n / 5 && both < n / 5 * 4 && itself > n / 10 && itself < n / 10 * 9);
}

/*
 * All strides are multiples of 8 and the elements half of that, so nothing overlaps; that no sum of indices hits the
 * other half takes too long to find out. The answer is then the safe one, and comes soon.
 */
static void test_overlap_gives_up(void **state)
{
	struct rstd__region a = { .start = 1u << 30, .size = 4, .rank = RSTD_MAX_RANK }, b;
	const clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < RSTD_MAX_RANK; i++) {
		a.count[i] = 1000;
		a.stride[i] = 8 * (1009 + 2 * (int64_t)i);
	}
	b = a;
	b.start += 4;
	assert_true(rstd__overlap(&a, &b));
	assert_true(clock() - start < 20 * CLOCKS_PER_SEC); /* it takes milliseconds, without an emulator */
	/* a little of that is decided */
	a.rank = b.rank = 1;
	assert_false(rstd__overlap(&a, &b));
}

/* ---- Collapsed axes ------------------------------------------------------------------------------------------ */

/* One visit of an element: byte offsets from the data pointers of all operands. */
struct visit {
	ptrdiff_t offset[RSTD__OPERANDS];
};

static int compare_visits(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct visit));
}

#define MOST_VISITS 4096

static struct visit expected[MOST_VISITS], visited[MOST_VISITS];

/* A call of an operator on random tensors without data. */
struct call {
	bool given; /* ReduceStdWithMean, else StdMean */
	int64_t dim[RSTD_MAX_RANK];
	size_t dim_count;
	bool reduced[RSTD_MAX_RANK], keepdim;
	rstd_tensor tensor[RSTD__OPERANDS]; /* X, GIVEN, Y, MEAN */
};

/* Strides for all axes of a shape, in random order and with gaps, so that no two elements meet. */
static void random_strides(rstd_tensor *t)
{
	size_t order[RSTD_MAX_RANK];
	int64_t step = 1;

	for (size_t i = 0; i < t->rank; i++)
		order[i] = i;
	for (size_t i = t->rank; i-- > 1;) {
		const size_t j = below(2) ? i : (size_t)below(i + 1), k = order[i];

		order[i] = order[j];
		order[j] = k;
	}
	for (size_t i = t->rank; i-- > 0;) {
		const size_t axis = order[i];

		t->strides[axis] = below(4) ? step : -step;
		step = step * t->shape[axis] + (below(3) ? 0 : between(0, 3));
	}
}

static rstd_dtype random_dtype(void)
{
	return (rstd_dtype)between(RSTD_F32, RSTD_BF16);
}

static void call_make(struct call *c, size_t most)
{
	rstd_tensor *x = &c->tensor[RSTD__X];
	int64_t shape[RSTD_MAX_RANK];
	size_t count = 1, rank;

	memset(c, 0, sizeof(*c));
	c->given = below(2);
	c->keepdim = below(2);
	x->dtype = random_dtype();
	x->rank = (size_t)below(RSTD_MAX_RANK + 1);
	for (size_t i = 0; i < x->rank; i++) {
		x->shape[i] = below(3) ? between(1, 4) : between(1, 40);
		if (count * (size_t)x->shape[i] > most)
			x->shape[i] = 1;
		count *= (size_t)x->shape[i];
		c->reduced[i] = below(2);
		if (c->reduced[i])
			c->dim[c->dim_count++] = (int64_t)i - (below(2) ? (int64_t)x->rank : 0);
	}
	for (size_t i = 0; i < x->rank && c->dim_count == 0; i++)
		c->reduced[i] = true;
	random_strides(x);
	c->tensor[RSTD__GIVEN] = *x;
	random_strides(&c->tensor[RSTD__GIVEN]);
	for (size_t i = 0; i < x->rank; i++) { /* inputs may repeat elements */
		if (below(8) == 0)
			x->strides[i] = 0;
		if (below(3) == 0)
			c->tensor[RSTD__GIVEN].strides[i] = 0;
	}
	assert_int_equal(rstd_infer_shape(x->shape, x->rank, c->dim, c->dim_count, c->keepdim, shape, &rank), RSTD_OK);
	for (enum rstd__operand op = RSTD__Y; op < RSTD__OPERANDS; op++) {
		rstd_tensor *t = &c->tensor[op];

		t->dtype = c->given ? x->dtype : random_dtype();
		t->rank = rank;
		memcpy(t->shape, shape, sizeof(shape));
		random_strides(t);
	}
}

static void call_plan(const struct call *c, struct rstd_plan *plan)
{
	const rstd_tensor *t = c->tensor;
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;

	attrs.dim = c->dim;
	attrs.dim_count = c->dim_count;
	attrs.keepdim = c->keepdim;
	if (c->given)
		assert_int_equal(rstd__plan_reduce(plan, &t[RSTD__X], &t[RSTD__GIVEN], &attrs, &t[RSTD__Y]), RSTD_OK);
	else
		assert_int_equal(rstd__plan_std_mean(plan, &t[RSTD__X], c->dim, c->dim_count, 1, c->keepdim,
		                                     &t[RSTD__Y], &t[RSTD__MEAN]),
		                 RSTD_OK);
}

static ptrdiff_t element_size(const rstd_tensor *t)
{
	return (ptrdiff_t)dtype_size(t->dtype);
}

/* Every index of x, with the offsets of what belongs to it. Returns how many. */
static size_t visit_tensors(const struct call *c)
{
	const rstd_tensor *x = &c->tensor[RSTD__X];
	int64_t index[RSTD_MAX_RANK] = { 0 };
	size_t n = 0;

	for (;;) {
		struct visit *v = &expected[n++];
		size_t i, out = 0;

		memset(v, 0, sizeof(*v));
		for (i = 0; i < x->rank; i++) {
			for (enum rstd__operand op = RSTD__X; op < RSTD__OPERANDS; op++) {
				const rstd_tensor *t = &c->tensor[op];
				const bool present = op == RSTD__GIVEN ? c->given : op == RSTD__MEAN ? !c->given : true;

				if (present && (op < RSTD__Y || !c->reduced[i]))
					v->offset[op] +=
						index[i] * t->strides[op < RSTD__Y ? i : out] * element_size(t);
			}
			if (!c->reduced[i] || c->keepdim)
				out++;
		}
		for (i = x->rank; i-- > 0;) {
			if (++index[i] < x->shape[i])
				break;
			index[i] = 0;
		}
		if (i == SIZE_MAX)
			return n;
	}
}

/* Every step of the loops of a plan. */
static size_t visit_plan(const struct rstd_plan *plan)
{
	struct rstd__walk kept, reduced;
	size_t n = 0;

	rstd__walk_start(&kept, plan->kept, plan->kept_rank, 0);
	for (uint64_t k = 0; k < plan->outputs; k++, rstd__walk_next(&kept)) {
		rstd__walk_start(&reduced, plan->reduced, plan->reduced_rank, 0);
		for (uint64_t r = 0; r < plan->n; r++, rstd__walk_next(&reduced), n++)
			for (enum rstd__operand op = RSTD__X; op < RSTD__OPERANDS; op++)
				visited[n].offset[op] = plan->origin[op] + kept.offset[op] + reduced.offset[op];
	}
	return n;
}

/* What must hold of the fields that cut the work into pieces. */
static void check_pieces(const struct rstd_plan *plan)
{
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	uint64_t pieces = (uint64_t)(run->count / plan->run_length + (run->count % plan->run_length != 0));

	assert_in_range(plan->tile, 1, RSTD__TILE);
	assert_in_range(plan->fold, 1, RSTD__TILE / plan->tile);
	assert_true(plan->outputs % plan->span == 0);
	assert_true(plan->units == plan->outputs / plan->span * ((plan->span + plan->tile - 1) / plan->tile));
	for (size_t i = 0; i + 1 < plan->reduced_rank; i++)
		pieces *= (uint64_t)plan->reduced[i].count;
	assert_true(plan->runs == pieces);
	assert_true(plan->parts >= 1 && plan->parts <= plan->runs);
	assert_true(plan->loop != RSTD__SHORT || run->count <= RSTD__SHORT_MAX);
}

static void test_collapse(void **state)
{
	size_t loops[RSTD__PACKED + 1] = { 0 };

	(void)state;
	for (size_t k = cases(20000); k > 0; k--) {
		struct rstd_plan plan;
		struct call c;
		size_t n;

		call_make(&c, MOST_VISITS);
		call_plan(&c, &plan);
		n = visit_tensors(&c);
		assert_int_equal(plan.n * plan.outputs, n);
		assert_int_equal(visit_plan(&plan), n);
		qsort(expected, n, sizeof(expected[0]), compare_visits);
		qsort(visited, n, sizeof(visited[0]), compare_visits);
		assert_memory_equal(expected, visited, n * sizeof(expected[0]));
		check_pieces(&plan);
		loops[plan.loop]++;
	}
	for (size_t i = 0; i <= RSTD__PACKED; i++)
		assert_true(loops[i] > 0);
}

/* Neighbours that walk memory as one become one, whatever the order of axes and the signs of strides. */
static void test_collapse_to_one(void **state)
{
	static const int64_t shape[4] = { 3, 4, 1, 5 }, orders[][4] = { { 20, 5, 7, 1 }, { -20, 5, 0, -1 } };
	rstd_tensor y, mean;

	(void)state;
	assert_int_equal(rstd_tensor_contiguous(&y, NULL, RSTD_F32, 0, NULL), RSTD_OK);
	mean = y;
	for (size_t i = 0; i < 2; i++) {
		rstd_tensor x;
		struct rstd_plan plan;

		assert_int_equal(rstd_tensor_contiguous(&x, NULL, RSTD_F32, 4, shape), RSTD_OK);
		memcpy(x.strides, orders[i], sizeof(orders[i]));
		assert_int_equal(rstd__plan_std_mean(&plan, &x, NULL, 0, 1, false, &y, &mean), RSTD_OK);
		assert_int_equal(plan.kept_rank, 1);
		assert_int_equal(plan.kept[0].count, 1);
		assert_int_equal(plan.reduced_rank, 1);
		assert_int_equal(plan.reduced[0].count, 60);
		assert_int_equal(plan.reduced[0].stride[RSTD__X], sizeof(float));
		assert_int_equal(plan.origin[RSTD__X], i ? -(20 * 2 + 4) * (int)sizeof(float) : 0);
	}
}

/* Large tensors, no data: pieces for any number of threads. */
static void test_pieces(void **state)
{
	static const int threads[] = { 1, 2, 7, 64, 1024 };

	(void)state;
	for (size_t k = cases(20000); k > 0; k--) {
		struct rstd_plan plan;
		struct call c;
		size_t axis;

		call_make(&c, 64);
		for (axis = 0; axis < c.tensor[RSTD__X].rank; axis++) {
			const int64_t longer = (int64_t)(next_random() >> (64 - 1 - below(18)));

			c.tensor[RSTD__X].shape[axis] += longer;
			c.tensor[RSTD__GIVEN].shape[axis] += longer;
			if (axis == 2)
				break;
		}
		for (enum rstd__operand op = RSTD__Y; op < RSTD__OPERANDS; op++) {
			rstd_tensor *t = &c.tensor[op];
			const rstd_tensor *x = &c.tensor[RSTD__X];

			assert_int_equal(
				rstd_infer_shape(x->shape, x->rank, c.dim, c.dim_count, c.keepdim, t->shape, &t->rank),
				RSTD_OK);
			random_strides(t);
		}
		random_strides(&c.tensor[RSTD__X]);
		assert_int_equal(rstd_set_num_threads(threads[below(5)]), RSTD_OK);
		call_plan(&c, &plan);
		check_pieces(&plan);
	}
	assert_int_equal(rstd_set_num_threads(0), RSTD_OK);
}

/* ---- The bound of whole sums --------------------------------------------------------------------------------- */

#define UNIT 149 /* elements are integers times 2^-UNIT */

/* Elements of some dtype. */
struct elements {
	rstd_dtype dtype;
	unsigned char *bytes;
};

static double get(const struct elements *x, uint64_t i)
{
	return bits_to_double(x->dtype, bits_load(x->dtype, x->bytes + i * dtype_size(x->dtype)));
}

static void put(const struct elements *x, uint64_t i, double v)
{
	bits_store(x->dtype, x->bytes + i * dtype_size(x->dtype), bits_from_double(x->dtype, v));
}

/*
 * The largest fraction that the sums of a tile use of the plan's bounds, those of M2 and of the mean, less what
 * finish() needs of them. The exact sums are GMP integers.
 */
static double used_by(const struct rstd_plan *plan, const struct elements *x, const uint64_t *index, double shift,
                      double t, double q)
{
	double used, bound;
	mpz_t d, sum, squares, e;

	mpz_inits(d, sum, squares, e, NULL);
	for (uint64_t i = 0; i < plan->n; i++) {
		mpz_set_d(d, ldexp(get(x, index[i]), UNIT));
		mpz_set_d(e, ldexp(shift, UNIT));
		mpz_sub(d, d, e);
		mpz_add(sum, sum, d);
		mpz_addmul(squares, d, d);
	}
	/* |(n q - t^2) - (n squares - sum^2)| in units of 2^-2UNIT */
	mpz_set_d(d, ldexp(t, UNIT));
	mpz_mul(d, d, d);
	mpz_set_d(e, ldexp(q, 2 * UNIT));
	mpz_sub(e, e, squares);
	mpz_mul_ui(e, e, plan->n);
	mpz_sub(e, e, d);
	mpz_addmul(e, sum, sum);
	bound = ((plan->finish.sum_sq_error - 16 * U) * q * (double)plan->n + plan->finish.mean_sq_error * t * t) *
	        ldexp(1, 2 * UNIT);
	used = mpz_sgn(e) ? fabs(mpz_get_d(e)) / bound : 0;
	/* |t - sum| */
	mpz_set_d(e, ldexp(t, UNIT));
	mpz_sub(e, e, sum);
	bound = (plan->finish.mean_error - 8 * U) * ldexp(sqrt(q * (double)plan->n), UNIT);
	if (plan->finish.want_mean && mpz_sgn(e))
		used = fmax(used, fabs(mpz_get_d(e)) / bound);
	mpz_clears(d, sum, squares, e, NULL);
	return used;
}

/*
 * Elements that are just too small to count beside `mass`, alone or in squares: all of them, or one in a few and zeros.
 * So that rounding errors go one way, slices get a mass among their first ones; the very first is the shift.
 */
static void fill_hostile(const struct elements *x, uint64_t count, double mass, bool rough)
{
	const double u = rough ? U_ROUGH : U, tiny = mass * (below(2) ? sqrt(u) : u) * 0.998;
	const uint64_t period = UINT64_C(1) << below(7);

	for (uint64_t i = 0; i < count; i++)
		put(x, i, i % period ? 0 : tiny);
}

/* The numbers of the elements of an output, in the order of the plan's loops. */
static void slice_of(const struct rstd_plan *plan, uint64_t output, uint64_t *index)
{
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;
	struct rstd__walk kept, reduced;

	rstd__walk_start(&kept, plan->kept, plan->kept_rank, output);
	rstd__walk_start(&reduced, plan->reduced, plan->reduced_rank, 0);
	for (uint64_t j = 0; j < plan->n; j++, rstd__walk_next(&reduced))
		index[j] = (uint64_t)((kept.offset[RSTD__X] + reduced.offset[RSTD__X]) / size);
}

/* A random cube of at most `most` elements, the last two axes of which may have changed places. */
static rstd_tensor random_cube(rstd_dtype dtype, uint64_t most)
{
	const int64_t a = 1 + (int64_t)(next_random() >> (64 - 1 - below(6)));
	const int64_t b = 1 + (int64_t)(next_random() >> (64 - 1 - below(11)));
	const uint64_t left = most / (uint64_t)(a * b);
	const int64_t c = 1 + (int64_t)below(left < 400 ? left : 400);
	rstd_tensor x;

	assert_int_equal(rstd_tensor_contiguous(&x, NULL, dtype, 3, (const int64_t[]){ a, b, c }), RSTD_OK);
	if (below(2)) {
		x.shape[1] = c;
		x.shape[2] = b;
		x.strides[1] = 1;
		x.strides[2] = c;
	}
	return x;
}

/* A plan for some axes of x, on some instruction set; without a mean, it may be one of rough sums. */
static void random_plan(struct rstd_plan *plan, const rstd_tensor *x)
{
	int64_t dim[3], shape[RSTD_MAX_RANK];
	size_t dim_count = 0, rank, isas = 1;
	rstd_tensor y;

	for (int64_t i = 0; i < 3; i++)
		if (below(2))
			dim[dim_count++] = i;
	while (rstd_isa_name(isas))
		isas++;
	assert_int_equal(rstd_set_isa(rstd_isa_name((size_t)below(isas))), RSTD_OK);
	assert_int_equal(rstd_infer_shape(x->shape, 3, dim, dim_count, false, shape, &rank), RSTD_OK);
	assert_int_equal(rstd_tensor_contiguous(&y, NULL, x->dtype, rank, shape), RSTD_OK);
	assert_int_equal(rstd__plan_std_mean(plan, x, dim, dim_count, 1, false, &y, below(3) ? NULL : &y), RSTD_OK);
}

/* Where one root is tried, its error covers the bound of the largest and of the least sum of squares about the mean. */
static void check_root_error(const struct rstd__finish *f)
{
	const double e = f->sum_sq_error * f->root_ratio + f->mean_sq_error * (f->root_ratio - 1);

	if (f->root_error > 0x1p-10) /* no format has so few bits that it would be tried */
		return;
	assert_true(1 - sqrt(1 - e) <= f->root_error - 7 * U);
	assert_true(sqrt(1 + e) - 1 <= f->root_error - 7 * U);
}

/* The loops whose bounds are told apart: grouped columns are not packed. */
enum { GROUPED = RSTD__PACKED + 1, WAYS };

/* The largest fraction that a tile of a random plan's sums uses; *rough and *way say which they are. */
static double sum_random_plan(const struct elements *x, uint64_t most, uint64_t *index, bool *rough, size_t *way)
{
	const rstd_tensor t = random_cube(x->dtype, most);
	const struct rstd__data data = { .in = { x->bytes } };
	const double mass = x->dtype == RSTD_F16 ? 0x1p14 : 1;
	struct rstd_plan plan;
	struct rstd__tile tile;
	double used = 0;
	uint64_t first;
	size_t outputs;

	random_plan(&plan, &t);
	*rough = plan.sums == &plan.kernels->rough;
	check_root_error(&plan.finish);
	*way = plan.grouped ? GROUPED : (size_t)plan.loop;
	first = below(plan.tiles) * plan.tile;
	outputs = (size_t)(plan.span - first < plan.tile ? plan.span - first : plan.tile);
	if (plan.quick && outputs > RSTD__TILE_PACKED) /* which has a tile for its kernel */
		outputs = RSTD__TILE_PACKED;
	fill_hostile(x, plan.n * plan.outputs, mass, *rough);
	for (size_t i = 0; i < outputs && plan.n > 1; i++) {
		slice_of(&plan, first + i, index);
		put(x, index[0], 0);
		for (uint64_t j = 1; j < plan.n; j += *rough ? 16 : plan.n)
			put(x, index[j], mass);
	}
	memset(&tile, 0xE0, sizeof(tile)); /* what was there before does not count */
	rstd__sum_tile(&plan, &data, first, outputs, 0, plan.runs, &tile);
	for (size_t i = 0; i < outputs; i += 1 + outputs / 8) {
		slice_of(&plan, first + i, index);
		used = fmax(used, used_by(&plan, x, index, tile.shift[i], tile.t[i], tile.q[i]));
	}
	if (!(used <= 1))
		fail_msg("loop %d of %s %s%s, [%d, %d, %d]: error is %g of the bound", (int)plan.loop, rstd_get_isa(),
		         dtype_name(x->dtype), *rough ? " rough" : "", (int)t.shape[0], (int)t.shape[1],
		         (int)t.shape[2], used);
	return used;
}

static void test_sums_of_plans(void **state)
{
	static const char *const name[] = { "rows", "short rows", "columns", "packed columns", "grouped columns" };
	enum { MOST = 1 << 17 };
	struct elements x = { .bytes = xmalloc(MOST * sizeof(float)) };
	uint64_t *const index = xmalloc(MOST * sizeof(uint64_t));
	double most[2][WAYS] = { { 0 } };

	(void)state;
	for (size_t k = cases(2000); k > 0; k--) {
		size_t way;
		double used;
		bool rough;

		x.dtype = random_dtype();
		used = sum_random_plan(&x, MOST, index, &rough, &way);
		if (used > most[rough][way])
			most[rough][way] = used;
	}
	for (size_t way = 0; way < WAYS; way++)
		print_message("%s use %.3f of their bounds, rough ones %.3f\n", name[way], most[0][way], most[1][way]);
	/* sums of squares alone can use a quarter: the rest is for those of differences, which are small here */
	for (size_t way = 0; way < WAYS && test_scale() >= 100; way++)
		assert_true(most[0][way] > 0.02);
	assert_int_equal(rstd_set_isa(NULL), RSTD_OK);
	free(index);
	free(x.bytes);
}

/* The most binary32 additions on the way of a term of a rough sum. */
static double rough_chain(const struct rstd_plan *plan)
{
	if (plan->loop == RSTD__ROWS)
		return RSTD__ROUGH_ROW_CHAIN;
	if (plan->loop == RSTD__SHORT)
		return (double)(plan->n / plan->kernels->rough_step + RSTD__ROUGH_SHORT_REST);
	return RSTD__ROUGH_COL_CHAIN;
}

/*
 * What a plan promises of M2, for Q = 1 and T^2 / N from 0 to 1, pays for what test_kernels.c holds rough sums to, which
 * is (M + 2) v Q and M v sqrt(N Q), and for the terms of second order.
 */
static void check_rough_bounds(const struct rstd_plan *plan, bool given)
{
	const double m = rough_chain(plan), q = (m + 2) * U_ROUGH, t = given ? 0 : m * U_ROUGH;

	for (int i = 0; i <= 64; i++) {
		const double mean_sq = i / 64.;
		const double wanted = (q + 2 * t * sqrt(mean_sq) + t * t) * (1 + 0x1p-17) + 0x1p-6 * U_ROUGH;

		assert_true(plan->finish.sum_sq_error + plan->finish.mean_sq_error * mean_sq >= wanted);
	}
}

static void test_bounds_of_rough_sums(void **state)
{
	static const struct {
		int64_t shape[2], dim;
	} cases[] = { { { 4096, 64 }, 0 }, { { 64, 100 }, 1 }, { { 64, 1000 }, 1 }, { { 64, 5000 }, 1 } };
	size_t rough = 0;

	(void)state;
	for (size_t i = 0; i < 4 * sizeof(cases) / sizeof(*cases); i++) {
		const bool given = i % 2 > 0;
		const rstd_dtype dtype = i / 2 % 2 > 0 ? RSTD_F16 : RSTD_BF16;
		const int64_t *const shape = cases[i / 4].shape, *const dim = &cases[i / 4].dim, kept = shape[1 - *dim];
		const rstd_reduce_attrs attrs = { .dim = dim, .dim_count = 1, .correction = 1 };
		rstd_tensor x, mean, y;
		struct rstd_plan plan;

		assert_int_equal(rstd_tensor_contiguous(&x, NULL, dtype, 2, shape), RSTD_OK);
		assert_int_equal(rstd_tensor_contiguous(&y, NULL, dtype, 1, &kept), RSTD_OK);
		mean = x;
		mean.strides[0] = mean.strides[1] = 0;
		if (given)
			assert_int_equal(rstd__plan_reduce(&plan, &x, &mean, &attrs, &y), RSTD_OK);
		else
			assert_int_equal(rstd__plan_std_mean(&plan, &x, dim, 1, 1, false, &y, NULL), RSTD_OK);
		if (plan.sums != &plan.kernels->rough)
			continue;
		check_rough_bounds(&plan, given);
		rough++;
	}
	assert_true(rough > 0 || strcmp(rstd_get_isa(), "scalar") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_overlap_gives_up),
		cmocka_unit_test(test_collapse),
		cmocka_unit_test(test_collapse_to_one),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_sums_of_plans),
		cmocka_unit_test(test_bounds_of_rough_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
