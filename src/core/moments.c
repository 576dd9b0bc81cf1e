/*
 * moments.c - exact states of slices whose data come in pieces
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>

#include "core/ladder.h"
#include "core/tensor.h"
#include "kernels/words.h"
#include "runtime/error.h"
#include "runtime/fpmode.h"

/* ---- The public state and the kernels' one ----------------------------------------------------------------------- */

static struct rstd__exact exact_of(const rstd_moments *m)
{
	struct rstd__exact e = {
		.nan_count = m->nan_count,
		.pos_inf_count = m->pos_inf_count,
		.neg_inf_count = m->neg_inf_count,
	};

	_Static_assert(sizeof(e.sum) == sizeof(m->sum) && sizeof(e.sum_sq) == sizeof(m->sum_sq), "the same sums");
	memcpy(e.sum, m->sum, sizeof(e.sum));
	memcpy(e.sum_sq, m->sum_sq, sizeof(e.sum_sq));
	return e;
}

static void set_exact(rstd_moments *m, const struct rstd__exact *e)
{
	m->nan_count = e->nan_count;
	m->pos_inf_count = e->pos_inf_count;
	m->neg_inf_count = e->neg_inf_count;
	memcpy(m->sum, e->sum, sizeof(m->sum));
	memcpy(m->sum_sq, e->sum_sq, sizeof(m->sum_sq));
}

/* Both count and more come from callers, so either may be anything. */
static rstd_status check_count(const char *name, size_t index, uint64_t count, uint64_t more)
{
	if (count <= INT64_MAX && more <= INT64_MAX - count)
		return RSTD_OK;
	return rstd__fail(RSTD_ERROR_OVERFLOW,
	                  "%s: state %zu has counted %" PRIu64 " elements and would count %" PRIu64
	                  " more, allowed are %" PRId64 " in all",
	                  name, index, count, more, INT64_MAX);
}

static rstd_status check_states(const char *name, const rstd_moments *moments, size_t count)
{
	if (moments || count == 0)
		return RSTD_OK;
	return rstd__fail(RSTD_ERROR_NULL_POINTER, "%s: is NULL, %zu states are required", name, count);
}

/* ---- Update ------------------------------------------------------------------------------------------------------ */

/* Elements that are summed together, gathered on the stack where they do not lie together. */
#define GATHER RSTD__WORDS_MAX

/* Elements of each slice at a time where slices are neighbours. */
#define TURN 512

/* A position in a slice: that of the outer loops, and that in the innermost one, the run. */
struct cursor {
	struct rstd__walk outer;
	int64_t at;
};

/* Adds the next n elements of a slice, which has as many; slice points to its first element. */
static void add_elements(struct rstd__exact *e, const struct rstd_plan *plan, const unsigned char *slice,
                         struct cursor *cursor, uint64_t n)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const bool contiguous = run->stride[RSTD__X] == (ptrdiff_t)rstd__format_info[format].size;
	float gathered[GATHER];
	size_t held = 0;

	while (n > 0) {
		const unsigned char *from = slice + cursor->outer.offset[RSTD__X] + cursor->at * run->stride[RSTD__X];
		const uint64_t ahead = (uint64_t)(run->count - cursor->at), left = ahead < n ? ahead : n;
		const size_t room = GATHER - held, step = left < room ? (size_t)left : room;

		if (contiguous && held == 0 && (step == GATHER || step == n)) {
			rstd__words_add_any(e, plan->kernels, format, from, format, step);
		} else {
			rstd__load_run(plan, RSTD__X, from, step, gathered + held);
			held += step;
		}
		n -= step;
		if (held == GATHER || (held > 0 && n == 0)) {
			rstd__words_add_any(e, plan->kernels, format, gathered, RSTD__F32, held);
			held = 0;
		}
		cursor->at += (int64_t)step;
		if (cursor->at == run->count) {
			cursor->at = 0;
			rstd__walk_next(&cursor->outer);
		}
	}
}

/* Columns that are added together, and how many and how long they are for that to pay. */
#define COLUMNS     RSTD__SPLIT_COLS
#define COLUMNS_MIN 8
#define ROWS_MIN    32

/* The most rows of which each column is added alone, where they have no unit in common. */
#define ODD_ROWS RSTD__SPLIT_ROWS

/* How often that is cheaper than new sums, which each column pays for, too. */
#define MISSES 2

/* The columns of a matrix; the state of the next one is `step` states on. */
struct columns {
	const struct rstd_plan *plan;
	rstd_moments *m;
	ptrdiff_t step, row_stride;
	struct rstd__columns sums;
	unsigned misses; /* times in a row that rows did not fit there */
};

/* Moves the sums to the states. Returns of how many rows they were. */
static size_t close_sums(struct columns *columns)
{
	const size_t rows = rstd__columns_close(&columns->sums);

	for (size_t c = 0; c < columns->sums.cols && rows > 0; c++) {
		rstd_moments *m = columns->m + (ptrdiff_t)c * columns->step;
		struct rstd__exact e = exact_of(m);

		rstd__columns_take(&columns->sums, c, &e);
		set_exact(m, &e);
	}
	return rows;
}

static void add_odd_rows(struct columns *columns, const unsigned char *x, size_t rows)
{
	const enum rstd__format format = columns->plan->format[RSTD__X];
	float column[ODD_ROWS];

	for (size_t c = 0; c < columns->sums.cols; c++, x += rstd__format_info[format].size) {
		rstd_moments *m = columns->m + (ptrdiff_t)c * columns->step;
		struct rstd__exact e = exact_of(m);

		rstd__load_row(format, x, columns->row_stride, rows, column);
		rstd__words_add_any(&e, columns->plan->kernels, format, column, RSTD__F32, rows);
		set_exact(m, &e);
	}
}

/*
 * Adds the first of some rows, and returns how many: as many as the first cache holds, where they are read twice. Rows
 * that do not fit beside others are added alone, unless that goes on: then new sums start from them.
 */
static size_t add_rows(struct columns *columns, const unsigned char *x, uint64_t left)
{
	const size_t block = RSTD__COLUMNS_BLOCK / columns->sums.cols, most = block < ODD_ROWS ? block : ODD_ROWS;
	const size_t few = left < most ? (size_t)left : most, many = left < ODD_ROWS ? (size_t)left : ODD_ROWS;

	if (rstd__columns_add(&columns->sums, x, columns->row_stride, few)) {
		columns->misses = 0;
		return few;
	}
	if (columns->sums.rows > 0 && columns->misses++ < MISSES) {
		add_odd_rows(columns, x, few);
		return few;
	}
	columns->misses = 0;
	if (close_sums(columns) > 0 && rstd__columns_add(&columns->sums, x, columns->row_stride, few))
		return few;
	add_odd_rows(columns, x, many);
	return many;
}

/* The whole of columns that lie side by side, and start at x. */
static void add_columns(struct columns *columns, const unsigned char *x)
{
	const struct rstd_plan *plan = columns->plan;
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	struct rstd__walk outer;

	rstd__walk_start(&outer, plan->reduced, plan->reduced_rank - 1, 0);
	for (uint64_t left = plan->n; left > 0; left -= (uint64_t)run->count, rstd__walk_next(&outer))
		for (uint64_t at = 0; at < (uint64_t)run->count;)
			at += add_rows(columns, x + outer.offset[RSTD__X] + (ptrdiff_t)at * columns->row_stride,
			               (uint64_t)run->count - at);
	close_sums(columns);
	for (size_t c = 0; c < columns->sums.cols; c++)
		columns->m[(ptrdiff_t)c * columns->step].count += plan->n;
}

static bool has_columns(const struct rstd_plan *plan)
{
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;

	return side->stride[RSTD__X] == size && side->count >= COLUMNS_MIN &&
	       plan->reduced[plan->reduced_rank - 1].count >= ROWS_MIN;
}

/* Columns, some of them at a time. */
static void add_all_columns(rstd_moments *moments, const struct rstd_plan *plan, const unsigned char *x)
{
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	struct columns columns = { .plan = plan,
		                   .step = side->stride[RSTD__Y] / (ptrdiff_t)sizeof(float),
		                   .row_stride = plan->reduced[plan->reduced_rank - 1].stride[RSTD__X] };
	const uint64_t groups = plan->outputs / (uint64_t)side->count;
	struct rstd__walk outer;

	rstd__walk_start(&outer, plan->kept, plan->kept_rank - 1, 0);
	for (uint64_t i = 0; i < groups; i++, rstd__walk_next(&outer)) {
		const ptrdiff_t first = (plan->origin[RSTD__Y] + outer.offset[RSTD__Y]) / (ptrdiff_t)sizeof(float);

		for (int64_t c = 0; c < side->count; c += COLUMNS) {
			const int64_t left = side->count - c;

			columns.m = moments + first + c * columns.step;
			columns.misses = 0;
			rstd__columns_start(&columns.sums, plan->kernels, plan->format[RSTD__X],
			                    left < COLUMNS ? (size_t)left : COLUMNS);
			add_columns(&columns,
			            x + plan->origin[RSTD__X] + outer.offset[RSTD__X] + c * side->stride[RSTD__X]);
		}
	}
}

/* Adds n elements of every slice, from the position `start` on, and moves start past them. */
static void add_to_all(rstd_moments *moments, const struct rstd_plan *plan, const unsigned char *x,
                       struct cursor *start, uint64_t n)
{
	struct rstd__walk output;
	struct cursor cursor = *start;

	rstd__walk_start(&output, plan->kept, plan->kept_rank, 0);
	for (uint64_t i = 0; i < plan->outputs; i++) {
		/* the output that the plan was made for is an array of float: its offsets tell the state */
		const ptrdiff_t offset = plan->origin[RSTD__Y] + output.offset[RSTD__Y];
		rstd_moments *m = &moments[offset / (ptrdiff_t)sizeof(float)];
		struct rstd__exact e = exact_of(m);

		cursor = *start;
		add_elements(&e, plan, x + plan->origin[RSTD__X] + output.offset[RSTD__X], &cursor, n);
		set_exact(m, &e);
		m->count += n;
		rstd__walk_next(&output);
	}
	*start = cursor;
}

/*
 * Slice by slice where their elements lie close together. Else the slices are neighbours in memory, so all get a few
 * elements before any gets more, and each line of memory is used while it is in the cache.
 */
static void add_tensor(rstd_moments *moments, const struct rstd_plan *plan, const unsigned char *x)
{
	const uint64_t most = plan->loop == RSTD__ROWS || plan->loop == RSTD__SHORT ? plan->n : TURN;
	struct cursor cursor = { .at = 0 };

	if (has_columns(plan)) {
		add_all_columns(moments, plan, x);
		return;
	}
	rstd__walk_start(&cursor.outer, plan->reduced, plan->reduced_rank - 1, 0);
	for (uint64_t left = plan->n; left > 0;) {
		const uint64_t n = left < most ? left : most;

		add_to_all(moments, plan, x, &cursor, n);
		left -= n;
	}
}

/* A plan for the standard deviation walks x as it is to be walked; its output, an array, stands for the states. */
static rstd_status plan_update(struct rstd_plan *plan, const rstd_tensor *x, const int64_t *dim, size_t dim_count)
{
	int64_t shape[RSTD_MAX_RANK];
	size_t rank;
	rstd_tensor states;
	rstd_status status;

	if ((status = rstd__check_view("x", x)) != RSTD_OK ||
	    (status = rstd_infer_shape(x->shape, x->rank, dim, dim_count, false, shape, &rank)) != RSTD_OK ||
	    (status = rstd_tensor_contiguous(&states, NULL, RSTD_F32, rank, shape)) != RSTD_OK)
		return status;
	return rstd__plan_std_mean(plan, x, dim, dim_count, 0, false, &states, NULL);
}

static RSTD__FP_BODY rstd_status update(rstd_moments *moments, size_t moments_count, const rstd_tensor *x,
                                        const int64_t *dim, size_t dim_count)
{
	struct rstd_plan plan;
	rstd_status status = plan_update(&plan, x, dim, dim_count);

	if (status != RSTD_OK)
		return status;
	if (moments_count != plan.outputs)
		return rstd__fail(RSTD_ERROR_SHAPE,
		                  "moments_count: is %zu, allowed is %" PRIu64 ", one for each output", moments_count,
		                  plan.outputs);
	status = check_states("moments", moments, moments_count);
	if (status != RSTD_OK)
		return status;
	if (plan.outputs == 0 || plan.n == 0)
		return RSTD_OK;
	if (!x->data)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "x: the data pointer is NULL, data are required");
	for (size_t i = 0; i < moments_count; i++) {
		status = check_count("moments", i, moments[i].count, plan.n);
		if (status != RSTD_OK)
			return status;
	}
	add_tensor(moments, &plan, x->data);
	return RSTD_OK;
}

rstd_status rstd_moments_update(rstd_moments *moments, size_t moments_count, const rstd_tensor *x, const int64_t *dim,
                                size_t dim_count)
{
	const rstd__fpmode mode = rstd__fpmode_enter();
	const rstd_status status = update(moments, moments_count, x, dim, dim_count);

	rstd__fpmode_leave(mode);
	return status;
}

rstd_status rstd_moments_merge(rstd_moments *into, const rstd_moments *from, size_t count)
{
	rstd_status status;

	if ((status = check_states("into", into, count)) != RSTD_OK ||
	    (status = check_states("from", from, count)) != RSTD_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		status = check_count("into", i, into[i].count, from[i].count);
		if (status != RSTD_OK)
			return status;
	}
	for (size_t i = 0; i < count; i++) {
		const struct rstd__exact more = exact_of(&from[i]);
		struct rstd__exact e = exact_of(&into[i]);

		rstd__exact_merge(&e, &more);
		into[i].count += from[i].count;
		set_exact(&into[i], &e);
	}
	return RSTD_OK;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* A result that is asked of some states. */
struct request {
	enum { STD, MEAN, INVSTD } what;
	const char *name; /* of the output array, in messages */
	int64_t correction;
	double epsilon;
};

static bool all_finite(const rstd_moments *m)
{
	return (m->nan_count | m->pos_inf_count | m->neg_inf_count) == 0;
}

static double std_of(const rstd_moments *m, int64_t correction, enum rstd__format to)
{
	const struct rstd__exact e = exact_of(m);
	const uint64_t divisor = rstd__divisor(m->count, correction);

	if (m->count == 0 || !all_finite(m))
		return (double)NAN;
	if (divisor > 0)
		return rstd__exact_std(&e, m->count, false, divisor, to);
	return rstd__exact_is_constant(&e, m->count, false) ? (double)NAN : HUGE_VAL;
}

static double mean_of(const rstd_moments *m, enum rstd__format to)
{
	const struct rstd__exact e = exact_of(m);

	if (m->count == 0 || m->nan_count > 0 || (m->pos_inf_count > 0 && m->neg_inf_count > 0))
		return (double)NAN;
	if (!all_finite(m))
		return m->pos_inf_count > 0 ? HUGE_VAL : -HUGE_VAL;
	return rstd__exact_mean(&e, m->count, to);
}

static double invstd_of(const rstd_moments *m, float epsilon, enum rstd__format to)
{
	const struct rstd__exact e = exact_of(m);

	if (m->count == 0 || !all_finite(m))
		return (double)NAN;
	if (!isfinite(epsilon)) /* 1 / sqrt(+Inf) is 0 */
		return epsilon > 0 ? 0 : (double)NAN;
	return rstd__exact_invstd(&e, m->count, false, epsilon, to);
}

static double result_of(const rstd_moments *m, const struct request *r, enum rstd__format to)
{
	if (r->what == STD)
		return std_of(m, r->correction, to);
	if (r->what == MEAN)
		return mean_of(m, to);
	return invstd_of(m, (float)r->epsilon, to);
}

static RSTD__FP_BODY void store_results(const rstd_moments *moments, size_t count, const struct request *r,
                                        enum rstd__format to, unsigned char *out)
{
	for (size_t i = 0; i < count; i++)
		rstd__store(to, out + i * rstd__format_info[to].size, result_of(&moments[i], r, to));
}

static rstd_status give_results(const rstd_moments *moments, size_t count, const struct request *r, rstd_dtype dtype,
                                void *out)
{
	rstd__fpmode mode;
	rstd_status status;

	if ((status = check_states("moments", moments, count)) != RSTD_OK ||
	    (status = rstd__check_dtype("dtype", dtype)) != RSTD_OK)
		return status;
	if (!out && count > 0)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "%s: is NULL, room for %zu elements is required", r->name,
		                  count);

	mode = rstd__fpmode_enter();
	store_results(moments, count, r, rstd__format_of(dtype), out);
	rstd__fpmode_leave(mode);
	return RSTD_OK;
}

rstd_status rstd_moments_std(const rstd_moments *moments, size_t count, int64_t correction, rstd_dtype dtype, void *std)
{
	const struct request r = { .what = STD, .name = "std", .correction = correction };
	const rstd_status status = rstd__check_correction(correction);

	return status == RSTD_OK ? give_results(moments, count, &r, dtype, std) : status;
}

rstd_status rstd_moments_mean(const rstd_moments *moments, size_t count, rstd_dtype dtype, void *mean)
{
	const struct request r = { .what = MEAN, .name = "mean" };

	return give_results(moments, count, &r, dtype, mean);
}

rstd_status rstd_moments_invstd(const rstd_moments *moments, size_t count, double epsilon, rstd_dtype dtype,
                                void *invstd)
{
	const struct request r = { .what = INVSTD, .name = "invstd", .epsilon = epsilon };

	return give_results(moments, count, &r, dtype, invstd);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static const unsigned char magic[] = { 'r', 's', 't', 'd', 'm', 'o', 'm' };

#define VERSION 1
#define HEADER  (sizeof(magic) + 1) /* bytes */

_Static_assert(HEADER + 8 * (4 + RSTD__SUM_LIMBS + RSTD__SQ_LIMBS) == RSTD_MOMENTS_BYTES, "the layout in rstd.h");

/* Both return the place after the integers. */
static unsigned char *put_integers(unsigned char *p, const uint64_t *value, size_t count)
{
	for (size_t i = 0; i < 8 * count; i++)
		*p++ = (unsigned char)(value[i / 8] >> (i % 8 * 8));
	return p;
}

static const unsigned char *get_integers(const unsigned char *p, uint64_t *value, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		value[i] = 0;
		for (unsigned shift = 0; shift < 64; shift += 8)
			value[i] |= (uint64_t)*p++ << shift;
	}
	return p;
}

rstd_status rstd_moments_store(const rstd_moments *moments, unsigned char bytes[RSTD_MOMENTS_BYTES])
{
	unsigned char *p;
	const rstd_status status = check_states("moments", moments, 1);

	if (status != RSTD_OK)
		return status;
	if (!bytes)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "bytes: is NULL, room for %d bytes is required",
		                  RSTD_MOMENTS_BYTES);
	memcpy(bytes, magic, sizeof(magic));
	bytes[sizeof(magic)] = VERSION;
	p = put_integers(bytes + HEADER, &moments->count, 1);
	p = put_integers(p, &moments->nan_count, 1);
	p = put_integers(p, &moments->pos_inf_count, 1);
	p = put_integers(p, &moments->neg_inf_count, 1);
	p = put_integers(p, moments->sum, RSTD__SUM_LIMBS);
	put_integers(p, moments->sum_sq, RSTD__SQ_LIMBS);
	return RSTD_OK;
}

static rstd_status check_header(const unsigned char *bytes, size_t size)
{
	if (size != RSTD_MOMENTS_BYTES)
		return rstd__fail(RSTD_ERROR_FORMAT, "size: is %zu, allowed is %d", size, RSTD_MOMENTS_BYTES);
	if (memcmp(bytes, magic, sizeof(magic)) != 0)
		return rstd__fail(RSTD_ERROR_FORMAT, "bytes: do not start with \"rstdmom\", as those of a state do");
	if (bytes[sizeof(magic)] != VERSION)
		return rstd__fail(RSTD_ERROR_FORMAT, "bytes: version is %d, allowed is %d", bytes[sizeof(magic)],
		                  VERSION);
	return RSTD_OK;
}

static rstd_status check_loaded_counts(const rstd_moments *m)
{
	uint64_t others;

	if (m->count > INT64_MAX)
		return rstd__fail(RSTD_ERROR_FORMAT, "bytes: count is %" PRIu64 ", allowed are 0 to %" PRId64, m->count,
		                  INT64_MAX);
	if (__builtin_add_overflow(m->nan_count, m->pos_inf_count, &others) ||
	    __builtin_add_overflow(others, m->neg_inf_count, &others) || others > m->count)
		return rstd__fail(RSTD_ERROR_FORMAT,
		                  "bytes: %" PRIu64 " NaNs, %" PRIu64 " +Inf and %" PRIu64
		                  " -Inf are counted, allowed are %" PRIu64 " elements in all",
		                  m->nan_count, m->pos_inf_count, m->neg_inf_count, m->count);
	return RSTD_OK;
}

rstd_status rstd_moments_load(rstd_moments *moments, const unsigned char *bytes, size_t size)
{
	rstd_moments m;
	const unsigned char *p;
	rstd_status status = check_states("moments", moments, 1);

	if (status != RSTD_OK)
		return status;
	if (!bytes)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "bytes: is NULL, %d bytes are required", RSTD_MOMENTS_BYTES);
	status = check_header(bytes, size);
	if (status != RSTD_OK)
		return status;
	p = get_integers(bytes + HEADER, &m.count, 1);
	p = get_integers(p, &m.nan_count, 1);
	p = get_integers(p, &m.pos_inf_count, 1);
	p = get_integers(p, &m.neg_inf_count, 1);
	p = get_integers(p, m.sum, RSTD__SUM_LIMBS);
	get_integers(p, m.sum_sq, RSTD__SQ_LIMBS);
	status = check_loaded_counts(&m);
	if (status == RSTD_OK)
		*moments = m;
	return status;
}
