/*
 * ladder.c - the levels above the first, for the few outputs that fast sums do not settle
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both levels compare the result with the midpoint between two neighbours of the format. Level 1 does it for many slices
 * at a time, with sums of numbers that are cut into windows; level 2, with integers, always has an answer.
 * Derivations: docs/numerics.md.
 */
#include "core/ladder.h"

#include <math.h>

#include "kernels/binary32.h"
#include "kernels/exact.h"
#include "kernels/words.h"

/* Elements that are read at a time, as floats: 16 KiB for x and as much for the means. */
#define BLOCK RSTD__WORDS_MAX

/* An output on its way up. */
struct slice {
	const struct rstd_plan *plan;
	const unsigned char *x, *given; /* where the slice starts; given is NULL for an own mean */
	bool want_y, want_mean;         /* what is still to be settled */
};

/* ---- Reading a slice ----------------------------------------------------------------------------------------- */

void rstd__load_run(const struct rstd_plan *plan, enum rstd__operand op, const unsigned char *from, size_t n, float *to)
{
	const enum rstd__format format = plan->format[op];
	const ptrdiff_t stride = plan->reduced[plan->reduced_rank - 1].stride[op];

	if (stride == (ptrdiff_t)rstd__format_info[format].size)
		plan->kernels->widen[format](from, n, to);
	else
		rstd__load_row(format, from, stride, n, to);
}

/* Where the reading of a slice stands. */
struct reader {
	const struct slice *slice;
	struct rstd__walk walk; /* over the runs */
	int64_t at;             /* on the run */
	uint64_t left;          /* elements that are still to be read */
};

static void reader_start(struct reader *r, const struct slice *slice)
{
	const struct rstd_plan *plan = slice->plan;

	r->slice = slice;
	r->at = 0;
	r->left = plan->n;
	rstd__walk_start(&r->walk, plan->reduced, plan->reduced_rank - 1, 0);
}

/* The next elements, at most BLOCK, and their given means if there are any; 0 at the end. */
static size_t read_block(struct reader *r, float *x, float *given)
{
	const struct slice *slice = r->slice;
	const struct rstd_plan *plan = slice->plan;
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const size_t block = r->left < BLOCK ? (size_t)r->left : BLOCK;

	for (size_t filled = 0; filled < block;) {
		const int64_t ahead = run->count - r->at;
		const size_t room = block - filled, n = ahead < (int64_t)room ? (size_t)ahead : room;

		rstd__load_run(plan, RSTD__X, slice->x + r->walk.offset[RSTD__X] + r->at * run->stride[RSTD__X], n,
		               x + filled);
		if (slice->given)
			rstd__load_run(plan, RSTD__GIVEN,
			               slice->given + r->walk.offset[RSTD__GIVEN] + r->at * run->stride[RSTD__GIVEN], n,
			               given + filled);
		filled += n;
		r->at += (int64_t)n;
		if (r->at == run->count) {
			r->at = 0;
			rstd__walk_next(&r->walk);
		}
	}
	r->left -= block;
	return block;
}

/* A block of finite elements, and their given means or NULL. */
struct block {
	float *x, *given;
	size_t n;
};

/* ---- Level 2 ------------------------------------------------------------------------------------------------- */

/* The most elements that are taken out of a block for the sake of the others, and how many are looked at together. */
#define SMALL    128
#define TOGETHER 32

/* Whether x is small, but not 0; as integers, which compilers make vectors of. */
static inline int is_small(float x, float least)
{
	const int32_t magnitude = (int32_t)(rstd__float_to_bits(x) & INT32_MAX);

	return ((magnitude - 1) & INT32_MAX) < (int32_t)rstd__float_to_bits(least) - 1;
}

static bool has_small(const float *x, const float *given, size_t n, float least)
{
	int any = 0;

	for (size_t i = 0; i < n; i++)
		any |= is_small(x[i], least) | is_small(given[i], least);
	return any;
}

/* Adds elements that are too small for words, and makes them 0: as many as there is room for. */
static void take_small(struct rstd__exact *sums, const struct block *b, float least)
{
	float x[SMALL], given[SMALL];
	size_t taken = 0;

	for (size_t at = 0; at < b->n; at += TOGETHER) {
		const size_t left = b->n - at, n = left < TOGETHER ? left : TOGETHER;

		if (!has_small(b->x + at, b->given + at, n, least))
			continue;
		for (size_t i = at; i < at + n && taken < SMALL; i++) {
			if (!is_small(b->x[i], least) && !is_small(b->given[i], least))
				continue;
			x[taken] = b->x[i];
			given[taken++] = b->given[i];
			b->x[i] = b->given[i] = 0;
		}
	}
	rstd__exact_add_ssd(sums, x, given, taken);
}

static struct rstd__words measure(const struct rstd_plan *plan, const struct block *b)
{
	struct rstd__words words;

	rstd__words_measure(&words, plan->kernels, plan->format[RSTD__X], b->x, b->given, b->n);
	return words;
}

/*
 * Adds a block, by way of words if it fits. About given means, where that is much faster than the bins of wide elements,
 * a few small elements are not let stand in the way.
 */
static void add_block(struct rstd__exact *sums, const struct rstd_plan *plan, const struct block *b)
{
	struct rstd__words words = measure(plan, b);

	if (rstd__words_add(&words, sums))
		return;
	if (!b->given) {
		rstd__exact_add(sums, b->x, b->n);
		return;
	}
	take_small(sums, b, rstd__words_least(&words));
	words = measure(plan, b);
	if (!rstd__words_add(&words, sums))
		rstd__exact_add_ssd(sums, b->x, b->given, b->n);
}

/* The results of a slice from its sums. */
static void settle_exactly(const struct slice *slice, const struct rstd__exact *sums, double *y, double *mean)
{
	const struct rstd_plan *plan = slice->plan;
	const bool about_mean = slice->given != NULL;

	if (slice->want_y)
		*y = plan->invert ? rstd__exact_invstd(sums, plan->n, about_mean, plan->epsilon, plan->format[RSTD__Y])
		                  : rstd__exact_std(sums, plan->n, about_mean, plan->divisor, plan->format[RSTD__Y]);
	if (slice->want_mean)
		*mean = rstd__exact_mean(sums, plan->n, plan->format[RSTD__MEAN]);
}

/* Settles a slice at level 2. */
static __attribute__((noinline)) void climb(const struct slice *slice, double *y, double *mean)
{
	float x[BLOCK], given[BLOCK];
	struct block b = { x, slice->given ? given : NULL, 0 };
	struct rstd__exact sums = { 0 };
	struct reader reader;

	reader_start(&reader, slice);
	while ((b.n = read_block(&reader, b.x, b.given)) > 0)
		add_block(&sums, slice->plan, &b);
	settle_exactly(slice, &sums, y, mean);
}

/* ---- What sums settle that turn out to be exact ---------------------------------------------------------------- */

/* Several times the same loop over an operand: `count` turns, `stride` bytes apart. */
struct turns {
	uint64_t count;
	ptrdiff_t stride;
};

static struct turns turns_of(const struct rstd__axis *axis, enum rstd__operand op, uint64_t count)
{
	return (struct turns){ axis->stride[op] == 0 ? 1 : count, axis->stride[op] };
}

/* Rows that are asked for before they are looked at. */
#define ROWS_AHEAD 16

/* Elements that are gathered together. */
#define GATHER 64

static int grain_of_row(const struct rstd__kernels *kernels, enum rstd__format format, const unsigned char *p,
                        struct turns row, int grain)
{
	float element[GATHER];

	if (row.count == 1 || row.stride == (ptrdiff_t)rstd__format_info[format].size)
		return kernels->grain[format](p, (size_t)row.count, grain);
	for (uint64_t left = row.count; left > 0;) {
		const size_t n = left < GATHER ? (size_t)left : GATHER;

		rstd__load_row(format, p, row.stride, n, element);
		grain = kernels->grain[RSTD__F32](element, n, grain);
		p += (ptrdiff_t)n * row.stride;
		left -= n;
	}
	return grain;
}

/* Of the rows of a matrix, which are joined where they follow each other. */
static int grain_of_matrix(const struct rstd__kernels *kernels, enum rstd__format format, const unsigned char *p,
                           struct turns rows, struct turns columns, int grain)
{
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[format].size;

	if (columns.stride != size && rows.stride == size)
		return grain_of_matrix(kernels, format, p, columns, rows, grain);
	if (rows.stride == (ptrdiff_t)columns.count * columns.stride) {
		columns.count *= rows.count;
		rows.count = 1;
	}
	for (uint64_t r = 0; r < rows.count; r++, p += rows.stride) {
		for (ptrdiff_t i = 0; columns.stride == size && i < (ptrdiff_t)columns.count * size; i += RSTD__LINE)
			rstd__ask_for(p + i, ROWS_AHEAD * rows.stride);
		grain = grain_of_row(kernels, format, p, columns, grain);
	}
	return grain;
}

/* The largest power of two of which the elements and given means of an output are multiples. */
static double grain_of_output(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t output)
{
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const struct turns once = { 1, 0 };
	const uint64_t runs = plan->n / (uint64_t)run->count;
	int grain = RSTD__NO_GRAIN;
	struct rstd__walk at, outer;

	rstd__walk_start(&at, plan->kept, plan->kept_rank, output);
	rstd__walk_start(&outer, plan->reduced, plan->reduced_rank - 1, 0);
	for (uint64_t i = 0; i < runs; i++, rstd__walk_next(&outer))
		for (enum rstd__operand op = RSTD__X; op <= RSTD__GIVEN; op++)
			if (plan->present[op])
				grain = grain_of_matrix(plan->kernels, plan->format[op],
				                        data->in[op] + at.offset[op] + outer.offset[op], once,
				                        turns_of(run, op, (uint64_t)run->count), grain);
	return rstd__pow2(RSTD__LEAST + grain);
}

/* The same of all outputs from one to another of those that lie along one axis. */
static double grain_of_outputs(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first,
                               uint64_t last)
{
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1], *run = &plan->reduced[0];
	int grain = RSTD__NO_GRAIN;
	struct rstd__walk at;

	rstd__walk_start(&at, plan->kept, plan->kept_rank, first);
	for (enum rstd__operand op = RSTD__X; op <= RSTD__GIVEN; op++)
		if (plan->present[op])
			grain = grain_of_matrix(plan->kernels, plan->format[op], data->in[op] + at.offset[op],
			                        turns_of(side, op, last - first + 1),
			                        turns_of(run, op, (uint64_t)run->count), grain);
	return rstd__pow2(RSTD__LEAST + grain);
}

/* Columns that are looked at together, row after row: a few lines of each, of many pages. */
#define PIECE 512

/* What all elements of a tile of columns are multiples of, judged by the least of them. */
static double grain_of_tile(const struct rstd_plan *plan, const struct rstd__data *data, const struct rstd__look *look)
{
	const struct rstd__axis *run = &plan->reduced[0];
	const enum rstd__format format = plan->format[RSTD__X];
	const ptrdiff_t stride = run->stride[RSTD__X];
	const size_t size = rstd__format_info[format].size, columns = look->tile->outputs;
	struct rstd__range range = { INT32_MAX, 0 };
	struct rstd__walk at;

	rstd__walk_start(&at, plan->kept, plan->kept_rank, look->first);
	for (int64_t first = 0; first < run->count; first += ROWS_AHEAD)
		for (size_t c = 0; c < columns; c += PIECE) {
			const unsigned char *p = data->in[RSTD__X] + at.offset[RSTD__X] + first * stride + c * size;
			const size_t now = columns - c < PIECE ? columns - c : PIECE;

			for (int64_t r = first; r < run->count && r < first + ROWS_AHEAD; r++, p += stride) {
				for (size_t i = 0; i < now * size; i += RSTD__LINE)
					rstd__ask_for(p + i, ROWS_AHEAD * stride);
				plan->kernels->range[format](p, now, &range);
			}
		}
	return rstd__pow2(rstd__range_unit(format, &range));
}

/* Where the means of one in so many groups of outputs of a tile are open, or of more, the whole tile is looked at. */
#define GROUPS_OPEN 4

/* Whether it is worth it, from this group of outputs on, which is open. */
static bool are_many_open(const struct rstd_plan *plan, const struct rstd__tile *tile, size_t from)
{
	double y[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX];
	size_t groups = 0, open = 0;

	for (size_t i = from; i < tile->outputs; i += RSTD__FINISH_MAX, groups++) {
		const size_t left = tile->outputs - i, n = left < RSTD__FINISH_MAX ? left : RSTD__FINISH_MAX;

		open += plan->kernels->finish(&plan->finish, n, tile->shift + i, tile->t + i, tile->q + i, y, mean)
		                .mean > 0;
	}
	return open * GROUPS_OPEN >= groups;
}

/* A look at an output alone costs about as much as one at this many elements more with others. */
#define LOOK_COST 128

/* To measure as many columns alone, an element here and there, costs more than all that lie between them. */
#define COLUMNS_MIN 4

/* All elements of binary16 are multiples of it. */
#define GRAIN_F16 0x1p-24

/* The most elements of a slice of which a mean is proved by grains, and the largest divisor of V of standard deviations. */
#define MEAN_MAX    (UINT64_C(1) << 26)
#define DIVISOR_MAX (UINT64_C(1) << 28)

/* The number of an output, and of all of those that are open. */
static uint64_t output_of(const struct rstd__unsettled *u, size_t i)
{
	return u->first + (u->place ? u->place[i] : i);
}

static uint64_t any_open(const struct rstd__unsettled *u)
{
	return u->open.y | u->open.mean;
}

static size_t count_open(const struct rstd__unsettled *u)
{
	return (size_t)__builtin_popcountll(any_open(u));
}

/* Results, and which of them are not proved. */
struct proof {
	struct rstd__open open;
	double y[RSTD__FINISH_MAX], mean[RSTD__FINISH_MAX];
};

/* Those of `which` become results. */
static void take(uint64_t which, const double *proved, double *result)
{
	for (; which; which &= which - 1) {
		const size_t i = (size_t)__builtin_ctzll(which);

		result[i] = proved[i];
	}
}

static void take_proof(struct rstd__unsettled *u, const struct proof *proof, double *y, double *mean)
{
	take(u->open.y & ~proof->open.y, proof->y, y);
	take(u->open.mean & ~proof->open.mean, proof->mean, mean);
	u->open.y &= proof->open.y;
	u->open.mean &= proof->open.mean;
}

/* What grains may prove: of reciprocals nothing. V is S about given means, n S about own ones. */
static struct rstd__open provable(const struct rstd_plan *plan, const struct rstd__unsettled *u)
{
	const uint64_t factor = plan->present[RSTD__GIVEN] ? 1 : plan->n;

	return (struct rstd__open){
		.y = plan->finish.result == RSTD__STD && plan->divisor <= DIVISOR_MAX / factor ? u->open.y : 0,
		.mean = plan->n <= MEAN_MAX ? u->open.mean : 0,
	};
}

/* Settles what grains prove, one for each output. */
static void prove(const struct rstd_plan *plan, const double *grain, struct rstd__unsettled *u, double *y, double *mean)
{
	const struct rstd__open asked = provable(plan, u);
	struct proof proof;

	proof.open = plan->kernels->settle(&plan->finish, plan->present[RSTD__GIVEN], asked, u->count, u->shift, u->t,
	                                   u->q, grain, proof.y, proof.mean);
	proof.open.y |= ~asked.y;
	proof.open.mean |= ~asked.mean;
	take_proof(u, &proof, y, mean);
}

/* Settles outputs by a common grain. */
static void prove_together(const struct rstd_plan *plan, double common, struct rstd__unsettled *u, double *y,
                           double *mean)
{
	double grain[RSTD__FINISH_MAX];

	for (size_t i = 0; i < RSTD__FINISH_MAX; i++)
		grain[i] = common;
	prove(plan, grain, u, y, mean);
}

/* Whether the outputs from one to another, of which some are open, lie so that their common grain is soon found. */
static bool are_close(const struct rstd_plan *plan, uint64_t first, uint64_t last, size_t open)
{
	const struct rstd__axis *side = &plan->kept[plan->kept_rank - 1];
	const uint64_t span = last - first + 1;

	if (plan->reduced_rank > 1 || first / (uint64_t)side->count != last / (uint64_t)side->count)
		return false;
	if (plan->n > LOOK_COST)
		return side->stride[RSTD__X] == (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size &&
		       open >= COLUMNS_MIN;
	return span * plan->n <= open * (LOOK_COST + plan->n);
}

/* Settles outputs by a common grain, if they lie so that it is soon found; false if not. */
static bool settle_together(const struct rstd_plan *plan, const struct rstd__data *data, struct rstd__unsettled *u,
                            double *y, double *mean)
{
	const uint64_t any = any_open(u);
	const uint64_t first = output_of(u, (size_t)__builtin_ctzll(any)),
		       last = output_of(u, 63 - (size_t)__builtin_clzll(any));

	if (!are_close(plan, first, last, count_open(u)))
		return false;
	prove_together(plan, grain_of_outputs(plan, data, first, last), u, y, mean);
	return true;
}

/* Settles means of long columns by a grain of their tile, which is looked for once, and only if many are open. */
static void settle_by_tile(const struct rstd_plan *plan, const struct rstd__data *data, struct rstd__unsettled *u,
                           double *y, double *mean)
{
	struct rstd__look *look = u->look;

	if (!look->done && are_many_open(plan, look->tile, (size_t)(u->first - look->first)))
		look->grain = grain_of_tile(plan, data, look);
	look->done = true;
	if (look->grain > 0)
		prove_together(plan, look->grain, u, y, mean);
}

/*
 * Settles outputs whose sums are exact: by a common grain, then each by its own. Level 1 takes about as long for several
 * short slices, or columns, as for one, and is as good for many of them.
 */
static void settle_by_grains(const struct rstd_plan *plan, const struct rstd__data *data, struct rstd__unsettled *u,
                             double *y, double *mean)
{
	const struct rstd__open asked = provable(plan, u);
	const size_t count = count_open(u);
	double grain[RSTD__FINISH_MAX] = { 0 };

	if ((asked.y | asked.mean) == 0)
		return;
	if (asked.mean && plan->format[RSTD__X] == RSTD__F16) { /* nothing to look for */
		prove_together(plan, GRAIN_F16, u, y, mean);
		if ((u->open.y & asked.y) == 0)
			return;
	}
	if (u->look && asked.mean && plan->loop == RSTD__COLS && plan->reduced_rank == 1 && plan->n > LOOK_COST)
		settle_by_tile(plan, data, u, y, mean);
	if (any_open(u) == 0)
		return;
	if (settle_together(plan, data, u, y, mean) && (count == 1 || plan->n > LOOK_COST))
		return;
	if (count_open(u) >= RSTD__LANES && plan->n <= LOOK_COST)
		return;
	for (uint64_t any = any_open(u); any; any &= any - 1) {
		const size_t i = (size_t)__builtin_ctzll(any);

		grain[i] = grain_of_output(plan, data, output_of(u, i));
	}
	prove(plan, grain, u, y, mean);
}

/* ---- Level 1 ------------------------------------------------------------------------------------------------- */

/* Slices that are summed in windows, side by side: `wide` of them, the last ones being one of the others again. */
struct group {
	const struct rstd_plan *plan;
	enum rstd__about about;
	size_t slices, wide;
	const unsigned char *x[RSTD__FINISH_MAX], *given[RSTD__FINISH_MAX]; /* where they start */
	double shift[RSTD__FINISH_MAX], q[RSTD__FINISH_MAX];                /* of level 0 */
	bool one_given;                                                     /* all start at the same given mean */
	struct rstd__windows windows;
};

static enum rstd__about about_of(const struct rstd_plan *plan)
{
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];

	if (!plan->present[RSTD__GIVEN])
		return RSTD__ABOUT_OWN;
	return run->stride[RSTD__GIVEN] == 0 ? RSTD__ABOUT_ONE : RSTD__ABOUT_EACH;
}

/* Adds elements of a run that lie side by side, as given means do that vary. */
static void add_run(struct group *g, const struct rstd__walk *at)
{
	const struct rstd_plan *plan = g->plan;
	const unsigned char *x[RSTD__FINISH_MAX], *given[RSTD__FINISH_MAX];

	for (size_t i = 0; i < g->slices; i++) {
		x[i] = g->x[i] + at->offset[RSTD__X];
		given[i] = g->about == RSTD__ABOUT_OWN ? NULL : g->given[i] + at->offset[RSTD__GIVEN];
	}
	plan->kernels->window_rows[plan->format[RSTD__X]](&g->windows, g->about, g->slices, x, given,
	                                                  (size_t)plan->reduced[plan->reduced_rank - 1].count);
}

/* One element of each of some slices to a row. */
static inline __attribute__((always_inline)) void gather_one(enum rstd__format format, const unsigned char *const *from,
                                                             ptrdiff_t at, size_t slices, float *to)
{
	for (size_t s = 0; s < slices; s++)
		to[s] = rstd__load(format, from[s] + at);
}

/* n elements, from stride to stride, of each slice to columns. All slices are the same if there is one start. */
static void gather(enum rstd__format format, const unsigned char *const *from, bool one_start, ptrdiff_t at,
                   ptrdiff_t stride, size_t slices, size_t n, float (*to)[RSTD__FINISH_MAX])
{
	for (size_t i = 0; i < n; i++, at += stride) {
		if (one_start) {
			const float element = rstd__load(format, from[0] + at);

			for (size_t s = 0; s < slices; s++)
				to[i][s] = element;
		} else if (format == RSTD__F32) {
			gather_one(RSTD__F32, from, at, slices, to[i]);
		} else {
			gather_one(format, from, at, slices, to[i]);
		}
	}
}

/* Elements of each slice that are gathered together. */
#define GATHER_COLUMNS 16

/* The same of short runs, or of elements apart from each other, a few at a time. */
static void add_gathered_run(struct group *g, const struct rstd__walk *at)
{
	const struct rstd_plan *plan = g->plan;
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const enum rstd__format format = plan->format[RSTD__X];
	float x[GATHER_COLUMNS][RSTD__FINISH_MAX], given[GATHER_COLUMNS][RSTD__FINISH_MAX];

	for (int64_t i = 0; i < run->count; i += GATHER_COLUMNS) {
		const size_t n = run->count - i < GATHER_COLUMNS ? (size_t)(run->count - i) : GATHER_COLUMNS;

		gather(format, g->x, false, at->offset[RSTD__X] + i * run->stride[RSTD__X], run->stride[RSTD__X],
		       g->wide, n, x);
		if (g->about != RSTD__ABOUT_OWN)
			gather(format, g->given, g->one_given, at->offset[RSTD__GIVEN] + i * run->stride[RSTD__GIVEN],
			       run->stride[RSTD__GIVEN], g->wide, g->about == RSTD__ABOUT_ONE ? 1 : n, given);
		plan->kernels->window_columns(&g->windows, g->about, g->slices, x, given, n);
	}
}

/* Shorter runs are summed side by side. */
#define ROW_MIN 24

/* The sums in windows. */
static void sum_in_windows(struct group *g)
{
	const struct rstd_plan *plan = g->plan;
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;
	const bool rows = run->count >= ROW_MIN && run->stride[RSTD__X] == size &&
	                  (g->about != RSTD__ABOUT_EACH || run->stride[RSTD__GIVEN] == size);
	const uint64_t runs = plan->n / (uint64_t)run->count;
	struct rstd__walk at;

	plan->kernels->place_windows(&g->windows, g->about, g->slices, (size_t)plan->n, g->shift, g->q);
	rstd__walk_start(&at, plan->reduced, plan->reduced_rank - 1, 0);
	for (uint64_t i = 0; i < runs; i++, rstd__walk_next(&at))
		(rows ? add_run : add_gathered_run)(g, &at);
}

/* Output number i becomes the next slice of a group. */
static void set_slice(struct group *g, const struct rstd__data *data, const struct rstd__unsettled *u, size_t i)
{
	const size_t s = g->wide++;
	struct rstd__walk at;

	rstd__walk_start(&at, g->plan->kept, g->plan->kept_rank, output_of(u, i));
	g->shift[s] = u->shift[i];
	g->q[s] = u->q[i];
	g->x[s] = data->in[RSTD__X] + at.offset[RSTD__X];
	if (g->about == RSTD__ABOUT_OWN)
		return;
	g->given[s] = data->in[RSTD__GIVEN] + at.offset[RSTD__GIVEN];
	g->one_given = g->one_given && g->given[s] == g->given[0];
}

/* The most elements of a slice that is summed in windows. */
#define WINDOWS_MAX (UINT64_C(1) << 24)

/* Whether windows may settle standard deviations, or reciprocals. */
static bool fits_windows(const struct rstd_plan *plan)
{
	const enum rstd__result result = plan->finish.result;

	return result == RSTD__STD || result == RSTD__HALF_T ||
	       (result == RSTD__INVSTD && plan->epsilon >= 0 && isfinite(plan->epsilon));
}

/* Outputs that windows may settle: not what a NaN, an Inf or a divisor of 0 decides. */
static uint64_t fit_windows(const struct rstd_plan *plan, const struct rstd__unsettled *u)
{
	uint64_t fit = any_open(u);

	if (plan->n > WINDOWS_MAX)
		return 0;
	if (!fits_windows(plan))
		fit &= ~u->open.y;
	for (uint64_t any = fit; any; any &= any - 1) {
		const size_t i = (size_t)__builtin_ctzll(any);

		if (!isfinite(u->q[i]))
			fit &= ~(UINT64_C(1) << i);
	}
	return fit;
}

/* The results of a group are those of the outputs that fit. */
static void spread(const struct proof *packed, uint64_t fit, struct proof *proof)
{
	proof->open = (struct rstd__open){ UINT64_MAX, UINT64_MAX };
	for (size_t s = 0; fit; s++, fit &= fit - 1) {
		const size_t i = (size_t)__builtin_ctzll(fit);

		proof->open.y ^= (~packed->open.y >> s & 1) << i;
		proof->open.mean ^= (~packed->open.mean >> s & 1) << i;
		proof->y[i] = packed->y[s];
		proof->mean[i] = packed->mean[s];
	}
}

/* Settles what it can of the outputs in windows. */
static __attribute__((noinline)) void settle_in_windows(const struct rstd_plan *plan, const struct rstd__data *data,
                                                        struct rstd__unsettled *u, double *y, double *mean)
{
	const uint64_t fit = fit_windows(plan, u);
	struct proof packed, proof;
	struct group g;

	if (fit == 0)
		return;
	g.plan = plan;
	g.about = about_of(plan);
	g.wide = 0;
	g.one_given = true;
	for (uint64_t any = fit; any; any &= any - 1)
		set_slice(&g, data, u, (size_t)__builtin_ctzll(any));
	for (g.slices = g.wide; g.wide % RSTD__LANES != 0;)
		set_slice(&g, data, u, (size_t)__builtin_ctzll(fit));
	sum_in_windows(&g);
	packed.open =
		plan->kernels->settle_windows(&g.windows, &plan->finish, g.about, g.slices, packed.y, packed.mean);
	if (fit + 1 == 0) {
		take_proof(u, &packed, y, mean);
		return;
	}
	spread(&packed, fit, &proof);
	take_proof(u, &proof, y, mean);
}

/* ---- What arithmetic settles --------------------------------------------------------------------------------- */

/* The mean of a slice with a NaN or an Inf in it. Apart, so that what climbs does not carry its blocks on the stack. */
static __attribute__((noinline)) double mean_of_specials(const struct slice *slice)
{
	float x[BLOCK], given[BLOCK];
	struct rstd__exact sums = { 0 };
	struct reader reader;

	reader_start(&reader, slice);
	for (size_t n; (n = read_block(&reader, x, given)) > 0;)
		rstd__exact_add(&sums, x, n);
	if (sums.nan_count > 0 || (sums.pos_inf_count > 0 && sums.neg_inf_count > 0))
		return (double)NAN;
	return sums.pos_inf_count > 0 ? HUGE_VAL : -HUGE_VAL;
}

/*
 * Results that are 0, Inf or NaN because of what goes in: a NaN or Inf in the data, an epsilon that is one, a divisor
 * of 0. q is then as good as S: it is 0 just where S is, and not finite just where an element is not.
 */
static double special_y(const struct rstd_plan *plan, double q)
{
	if (!plan->present[RSTD__GIVEN] && !isfinite(q))
		return (double)NAN;
	return plan->invert ? 1 / sqrt(q / (double)plan->n + (double)plan->epsilon) : sqrt(q / (double)plan->divisor);
}

/* What arithmetic settles, or level 2, for output number i. */
static void settle_one(const struct rstd_plan *plan, const struct rstd__data *data, const struct rstd__unsettled *u,
                       size_t i, double *y, double *mean, rstd_level_counts *levels)
{
	const bool want_y = u->open.y >> i & 1, want_mean = u->open.mean >> i & 1;
	const bool special_data = !isfinite(u->q[i]);
	const bool special = special_data || (plan->invert ? !isfinite(plan->epsilon) : plan->divisor == 0);
	struct slice slice = {
		.plan = plan,
		.x = data->in[RSTD__X],
		.given = data->in[RSTD__GIVEN],
		.want_y = want_y && !special,
		.want_mean = want_mean && !special_data,
	};
	struct rstd__walk at;

	rstd__walk_start(&at, plan->kept, plan->kept_rank, output_of(u, i));
	slice.x += at.offset[RSTD__X];
	if (slice.given)
		slice.given += at.offset[RSTD__GIVEN];
	if (special && want_y)
		*y = special_y(plan, u->q[i]);
	if (special_data && want_mean)
		*mean = mean_of_specials(&slice);
	if (!slice.want_y && !slice.want_mean)
		return;
	climb(&slice, y, mean);
	levels->fast--;
	levels->exact++;
}

void rstd__settle(const struct rstd_plan *plan, const struct rstd__data *data, struct rstd__unsettled *u, double *y,
                  double *mean, rstd_level_counts *levels)
{
	size_t open;

	settle_by_grains(plan, data, u, y, mean);
	open = count_open(u);
	if (open == 0)
		return;
	settle_in_windows(plan, data, u, y, mean);
	open -= count_open(u);
	levels->fast -= open;
	levels->precise += open;
	for (uint64_t any = any_open(u); any; any &= any - 1) {
		const size_t i = (size_t)__builtin_ctzll(any);

		settle_one(plan, data, u, i, &y[i], &mean[i], levels);
	}
}
