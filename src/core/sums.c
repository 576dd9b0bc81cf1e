/*
 * sums.c - level 0: the sums of a tile of outputs, one function for each loop shape
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/sums.h"

#include <stdalign.h>

_Static_assert(RSTD__TILE_PACKED *RSTD__COL_PART <= RSTD__PACK_ELEMENTS, "a group of packed rows must fit");

static const struct rstd__axis *run_axis(const struct rstd_plan *plan)
{
	return &plan->reduced[plan->reduced_rank - 1];
}

static const struct rstd__axis *side_axis(const struct rstd_plan *plan)
{
	return &plan->kept[plan->kept_rank - 1];
}

/* Whether the run goes through contiguous memory. */
static bool is_contiguous(const struct rstd_plan *plan)
{
	const struct rstd__axis *run = run_axis(plan);
	const ptrdiff_t size = (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;

	return run->stride[RSTD__X] == size && (run->stride[RSTD__GIVEN] == size || run->stride[RSTD__GIVEN] == 0);
}

/* How many of `left` outputs are in the same group (plan->grouped) as the first, which is number `index` of it. */
static size_t group_length(const struct rstd_plan *plan, size_t index, size_t left)
{
	const uint64_t length = (uint64_t)side_axis(plan)->count - index;

	return length < left ? (size_t)length : left;
}

/* How many offsets of the outputs of a tile are kept: those of columns follow from the first. */
static size_t offset_count(const struct rstd_plan *plan, size_t outputs)
{
	return plan->loop == RSTD__COLS ? 1 : outputs;
}

/* The byte offsets of an operand for n outputs from number `first` on. */
static void fill_offsets(const struct rstd_plan *plan, enum rstd__operand op, uint64_t first, size_t n,
                         ptrdiff_t *offset)
{
	const struct rstd__axis *side = side_axis(plan);
	const uint64_t count = (uint64_t)side->count;
	struct rstd__walk outer;
	uint64_t index;

	if (plan->in_line[op]) {
		for (size_t i = 0; i < n; i++)
			offset[i] = (ptrdiff_t)(first + i) * side->stride[op];
		return;
	}
	rstd__walk_start(&outer, plan->kept, plan->kept_rank - 1, rstd__divide(first, count, &index));
	for (size_t i = 0; i < n; rstd__walk_next(&outer), index = 0) {
		const size_t now = count - index < n - i ? (size_t)(count - index) : n - i;
		const ptrdiff_t at = outer.offset[op] + (ptrdiff_t)index * side->stride[op];

		for (size_t j = 0; j < now; j++)
			offset[i + j] = at + (ptrdiff_t)j * side->stride[op];
		i += now;
	}
}

/* ---- Runs ---------------------------------------------------------------------------------------------------- */

/* The pieces of a slice: every outer position of the reduced axes, times the pieces of the run. */
struct runs {
	const struct rstd_plan *plan;
	struct rstd__walk outer;
	int64_t at;     /* where on the run axis the piece starts, in elements */
	int64_t length; /* of the piece */
};

static void set_length(struct runs *runs)
{
	const int64_t left = run_axis(runs->plan)->count - runs->at;

	runs->length = left < runs->plan->run_length ? left : runs->plan->run_length;
}

static void runs_start(struct runs *runs, const struct rstd_plan *plan, uint64_t number)
{
	uint64_t piece;

	runs->plan = plan;
	rstd__walk_start(&runs->outer, plan->reduced, plan->reduced_rank - 1,
	                 rstd__divide(number, plan->pieces, &piece));
	runs->at = (int64_t)piece * plan->run_length;
	set_length(runs);
}

static void runs_next(struct runs *runs)
{
	runs->at += runs->length;
	if (runs->at == run_axis(runs->plan)->count) {
		runs->at = 0;
		rstd__walk_next(&runs->outer);
	}
	set_length(runs);
}

/* The byte offset of the piece for an operand. */
static ptrdiff_t run_offset(const struct runs *runs, enum rstd__operand op)
{
	return runs->outer.offset[op] + runs->at * run_axis(runs->plan)->stride[op];
}

/* ---- Packing ------------------------------------------------------------------------------------------------- */

/* n elements, `stride` bytes apart, to consecutive ones. */
static void pack_row(size_t size, const unsigned char *from, ptrdiff_t stride, size_t n, unsigned char *to)
{
	if (size == sizeof(uint32_t))
		for (size_t i = 0; i < n; i++, from += stride)
			memcpy(to + i * sizeof(uint32_t), from, sizeof(uint32_t));
	else
		for (size_t i = 0; i < n; i++, from += stride)
			memcpy(to + i * sizeof(uint16_t), from, sizeof(uint16_t));
}

/* A block of `rows` elements, `stride` bytes apart, of each of `cols` columns to consecutive rows. */
static void pack_block(size_t size, const unsigned char *from, const ptrdiff_t *column, ptrdiff_t stride, size_t rows,
                       size_t cols, unsigned char *to)
{
	if (size == sizeof(uint32_t))
		for (size_t r = 0; r < rows; r++, from += stride)
			for (size_t c = 0; c < cols; c++, to += sizeof(uint32_t))
				memcpy(to, from + column[c], sizeof(uint32_t));
	else
		for (size_t r = 0; r < rows; r++, from += stride)
			for (size_t c = 0; c < cols; c++, to += sizeof(uint16_t))
				memcpy(to, from + column[c], sizeof(uint16_t));
}

/* Elements that are loaded together. */
#define LOAD_BLOCK 64

/* n elements of x, or of given means, side by side in memory. */
static void load_side(const struct rstd_plan *plan, const unsigned char *from, size_t n, double *to)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const size_t size = rstd__format_info[format].size;
	float element[LOAD_BLOCK];

	for (size_t i = 0; i < n; i += LOAD_BLOCK) {
		const size_t now = n - i < LOAD_BLOCK ? n - i : LOAD_BLOCK;

		plan->kernels->widen[format](from + i * size, now, element);
		for (size_t j = 0; j < now; j++)
			to[i + j] = (double)element[j];
	}
}

/*
 * One shift for each output of a tile, from the elements of x or of given means at these offsets, repeated for each of
 * the folded rows. Columns lie side by side, and of their offsets there is only the first. index is that of the first
 * output in its group (plan->grouped).
 */
static void load_shifts(const struct rstd_plan *plan, enum rstd__operand op, const unsigned char *from,
                        const ptrdiff_t *offset, size_t index, size_t cols, double *shift)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const ptrdiff_t stride = side_axis(plan)->stride[op];
	const bool together = stride == (ptrdiff_t)rstd__format_info[format].size;

	if (plan->loop == RSTD__COLS && together)
		load_side(plan, from + offset[0], cols, shift);
	else if (plan->grouped && together)
		for (size_t c = 0, n; c < cols; c += n, index = 0) {
			n = group_length(plan, index, cols - c);
			load_side(plan, from + offset[c], n, shift + c);
		}
	else
		for (size_t c = 0; c < cols; c++)
			shift[c] = (double)rstd__load(
				format,
				from + (plan->loop == RSTD__COLS ? offset[0] + (ptrdiff_t)c * stride : offset[c]));
	for (size_t c = cols; c < cols * plan->fold; c++)
		shift[c] = shift[c - cols];
}

/* Slices with fewer elements are not worth a guess. */
#define GUESS_MIN 1024

/* Elements that are looked at for it. */
#define GUESS_FROM 16

/* Whether the first elements of a slice have a mean of at most twice their standard deviation. */
static bool is_near_zero(double sum, double sum_sq)
{
	return sum * sum <= 4 * (GUESS_FROM * sum_sq - sum * sum);
}

/* Where the divisor is 0 the results need the first element (special_y() in ladder.c). */
static bool is_worth_a_guess(const struct rstd_plan *plan)
{
	return plan->n >= GUESS_MIN && run_axis(plan)->count >= GUESS_FROM && plan->divisor != 0;
}

/*
 * Sums about 0 are the fastest (rows_tmpl.h), and where the mean is at most twice the standard deviation they have lost
 * less than three bits. So 0 is the shift of a long row if its first elements look like that, else the first element
 * is. A wrong guess costs time, not bits.
 */
static double guess_shift(const struct rstd_plan *plan, const unsigned char *x)
{
	const struct rstd__axis *run = run_axis(plan);
	const double first = (double)rstd__load(plan->format[RSTD__X], x);
	float element[GUESS_FROM];
	double sum = 0, sum_sq = 0;

	if (!is_worth_a_guess(plan))
		return first;
	if (is_contiguous(plan))
		plan->kernels->widen[plan->format[RSTD__X]](x, GUESS_FROM, element);
	else
		rstd__load_row(plan->format[RSTD__X], x, run->stride[RSTD__X], GUESS_FROM, element);
	for (size_t i = 0; i < GUESS_FROM; i++) {
		sum += (double)element[i];
		sum_sq += (double)element[i] * (double)element[i];
	}
	return is_near_zero(sum, sum_sq) ? 0 : first;
}

/* The same for columns or short rows, all of a tile alike, whose t and q are for the sums of their first elements. */
static bool guess_zero(const struct rstd_plan *plan, const unsigned char *x, const ptrdiff_t *offset,
                       struct rstd__tile *tile)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const struct rstd__sums *k = &plan->kernels->fine;
	const struct rstd__axis *run = run_axis(plan);
	const size_t cols = tile->outputs;

	if (!is_worth_a_guess(plan) || plan->loop == RSTD__PACKED)
		return false;
	if (plan->loop == RSTD__SHORT) {
		k->short_moments[format](x, offset, cols, GUESS_FROM, false, NULL, tile->t, tile->q);
	} else {
		memset(tile->t, 0, cols * sizeof(*tile->t));
		memset(tile->q, 0, cols * sizeof(*tile->q));
		k->col_moments[format](x + offset[0], run->stride[RSTD__X], GUESS_FROM, cols, NULL, tile->t, tile->q);
	}
	for (size_t c = 0; c < cols; c++)
		if (!is_near_zero(tile->t[c], tile->q[c]))
			return false;
	return true;
}

/* The shifts of a tile about own means, of any loop but that of rows, which takes them up one by one. */
static void set_shifts(const struct rstd_plan *plan, const unsigned char *x, const ptrdiff_t *offset,
                       struct rstd__tile *tile)
{
	tile->about_zero = guess_zero(plan, x, offset, tile);
	if (tile->about_zero)
		memset(tile->shift, 0, tile->outputs * sizeof(*tile->shift));
	else
		load_shifts(plan, RSTD__X, x, offset, tile->index, tile->outputs, tile->shift);
}

/* ---- One output at a time ------------------------------------------------------------------------------------ */

/* The sums of one output, each in two parts (rstd__sum_add). */
struct row_sums {
	double t, t_low, q, q_low;
};

/* Adds n contiguous elements. g is NULL when the mean does not vary along the run; if it is given, t is of no use. */
static void add_row(const struct rstd_plan *plan, const unsigned char *x, const unsigned char *g, size_t n,
                    double shift, struct row_sums *sums)
{
	const enum rstd__format format = plan->format[RSTD__X];
	double t = 0, q;

	if (g)
		plan->sums->row_ssd[format](x, g, n, &q);
	else
		plan->sums->row_moments[format](x, n, shift, plan->present[RSTD__GIVEN] ? NULL : &t, &q);
	rstd__sum_add(&sums->t, &sums->t_low, t);
	rstd__sum_add(&sums->q, &sums->q_low, q);
}

/* The same for elements apart from each other. */
static __attribute__((noinline)) void add_packed_row(const struct rstd_plan *plan, const unsigned char *x,
                                                     const unsigned char *g, size_t n, double shift,
                                                     struct row_sums *sums)
{
	const size_t size = rstd__format_info[plan->format[RSTD__X]].size;
	const ptrdiff_t x_stride = run_axis(plan)->stride[RSTD__X], g_stride = run_axis(plan)->stride[RSTD__GIVEN];
	alignas(64) unsigned char x_block[RSTD__PACK_ELEMENTS * sizeof(float)],
		g_block[RSTD__PACK_ELEMENTS * sizeof(float)];

	while (n > 0) {
		const size_t now = n < RSTD__PACK_ELEMENTS ? n : RSTD__PACK_ELEMENTS;

		pack_row(size, x, x_stride, now, x_block);
		if (g) {
			pack_row(size, g, g_stride, now, g_block);
			g += (ptrdiff_t)now * g_stride;
		}
		add_row(plan, x_block, g ? g_block : NULL, now, shift, sums);
		x += (ptrdiff_t)now * x_stride;
		n -= now;
	}
}

/* Adds some pieces of the slice that starts at x, its means at g, NULL for an own mean. */
static void add_pieces(const struct rstd_plan *plan, const unsigned char *x, const unsigned char *g,
                       const struct runs *start, uint64_t pieces, double shift, struct row_sums *sums)
{
	const bool varies = run_axis(plan)->stride[RSTD__GIVEN] != 0, contiguous = is_contiguous(plan);
	struct runs runs = *start;

	for (uint64_t i = 0; i < pieces; i++, runs_next(&runs)) {
		const unsigned char *x_run = x + run_offset(&runs, RSTD__X);
		const unsigned char *g_run = g ? g + run_offset(&runs, RSTD__GIVEN) : NULL;

		if (g_run && !varies)
			shift = (double)rstd__load(plan->format[RSTD__X], g_run);
		(contiguous ? add_row : add_packed_row)(plan, x_run, varies ? g_run : NULL, (size_t)runs.length, shift,
		                                        sums);
	}
}

static void close_row(const struct row_sums *sums, double *t, double *q)
{
	*t = rstd__sum_close(sums->t, sums->t_low);
	*q = rstd__sum_close(sums->q, sums->q_low);
}

/*
 * How many pieces an output adds before the others of its tile do. In the order of memory, where the next rows of one
 * slice lie behind all rows of the others, these are those of one row.
 */
static uint64_t pieces_at_once(const struct rstd_plan *plan, const struct runs *runs, uint64_t pieces)
{
	const struct rstd__axis *outer = run_axis(plan) - 1;
	const uint64_t left = (uint64_t)(run_axis(plan)->count - runs->at), length = (uint64_t)plan->run_length;

	if (plan->reduced_rank < 2 || outer->stride[RSTD__X] <= side_axis(plan)->stride[RSTD__X])
		return pieces;
	return pieces * length < left ? pieces : left / length + (left % length != 0);
}

/* The sums of a contiguous row that is one piece, its means at g, NULL for an own mean: there is nothing to add up. */
static void sum_whole_row(const struct rstd_plan *plan, const unsigned char *x, const unsigned char *g, double *shift,
                          double *t, double *q)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const double k = g ? (double)rstd__load(format, g) : guess_shift(plan, x);

	*shift = g ? 0 : k;
	if (g && run_axis(plan)->stride[RSTD__GIVEN] != 0)
		plan->sums->row_ssd[format](x, g, plan->n, q);
	else
		plan->sums->row_moments[format](x, plan->n, k, g ? NULL : t, q);
	if (g) /* about means that are given, t has no meaning */
		*t = 0;
}

/*
 * The sums of rows, over several pieces of each. The start of a row is looked at just before the rest of it is summed,
 * when the row before it has asked for it.
 */
static void sum_rows(const struct rstd_plan *plan, const struct rstd__data *data, const ptrdiff_t *x_offset,
                     const ptrdiff_t *g_offset, struct runs *runs, uint64_t pieces, struct rstd__tile *tile)
{
	const bool given = plan->present[RSTD__GIVEN];
	struct row_sums sums[RSTD__FINISH_MAX];
	bool at_start = true;

	if (plan->runs == 1 && is_contiguous(plan)) {
		for (size_t i = 0; i < tile->outputs; i++)
			sum_whole_row(plan, data->in[RSTD__X] + x_offset[i],
			              given ? data->in[RSTD__GIVEN] + g_offset[i] : NULL, &tile->shift[i], &tile->t[i],
			              &tile->q[i]);
		return;
	}
	memset(sums, 0, tile->outputs * sizeof(*sums));
	for (uint64_t now; pieces > 0; pieces -= now, at_start = false) {
		now = pieces_at_once(plan, runs, pieces);
		for (size_t i = 0; i < tile->outputs; i++) {
			const unsigned char *x = data->in[RSTD__X] + x_offset[i];

			if (at_start && !given)
				tile->shift[i] = guess_shift(plan, x);
			add_pieces(plan, x, given ? data->in[RSTD__GIVEN] + g_offset[i] : NULL, runs, now,
			           tile->shift[i], &sums[i]);
		}
		for (uint64_t i = 0; i < now && now < pieces; i++)
			runs_next(runs);
	}
	for (size_t i = 0; i < tile->outputs; i++)
		close_row(&sums[i], &tile->t[i], &tile->q[i]);
}

/* ---- Many outputs side by side ------------------------------------------------------------------------------- */

/*
 * The columns of a tile: where they lie, and their sums over one piece of the run. shift, t and q have room for
 * plan->fold rows side by side. Below, g is NULL when the mean does not vary along the run.
 */
struct panel {
	const struct rstd__sums *sums;
	const ptrdiff_t *x_offset, *g_offset; /* bytes, of each column */
	size_t cols;
	size_t index;     /* of the first in its group (plan->grouped) */
	bool about_first; /* the shifts are the elements that the run starts with; of SHORT loops only */
	bool about_zero;  /* the shifts are 0; of COLS and SHORT loops only */
	double *shift, *t, *q;
};

/* Columns side by side in memory: adds `rows` rows to the sums. */
static void add_rows(const struct rstd_plan *plan, const struct panel *p, const unsigned char *x, ptrdiff_t x_stride,
                     const unsigned char *g, ptrdiff_t g_stride, size_t rows)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const struct rstd__sums *k = p->sums;
	const double *shift = p->about_zero ? NULL : p->shift;
	double *t = plan->present[RSTD__GIVEN] ? NULL : p->t; /* about given means it has no meaning */
	const ptrdiff_t fold = (ptrdiff_t)plan->fold;
	const size_t wide = rows / plan->fold, rest = rows % plan->fold;
	const ptrdiff_t done = (ptrdiff_t)(rows - rest);

	if (g) {
		k->col_ssd[format](x, fold * x_stride, g, fold * g_stride, wide, plan->fold * p->cols, p->q);
		k->col_ssd[format](x + done * x_stride, x_stride, g + done * g_stride, g_stride, rest, p->cols, p->q);
	} else {
		k->col_moments[format](x, fold * x_stride, wide, plan->fold * p->cols, shift, t, p->q);
		k->col_moments[format](x + done * x_stride, x_stride, rest, p->cols, shift, t, p->q);
	}
}

/* The same for columns side by side in groups. */
static void add_groups(const struct rstd_plan *plan, const struct panel *p, const unsigned char *x,
                       const unsigned char *g, size_t rows)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const ptrdiff_t x_stride = run_axis(plan)->stride[RSTD__X], g_stride = run_axis(plan)->stride[RSTD__GIVEN];

	for (size_t c = 0, index = p->index, n; c < p->cols; c += n, index = 0) {
		n = group_length(plan, index, p->cols - c);
		if (g)
			p->sums->col_ssd[format](x + p->x_offset[c], x_stride, g + p->g_offset[c], g_stride, rows, n,
			                         p->q + c);
		else
			p->sums->col_moments[format](x + p->x_offset[c], x_stride, rows, n, p->shift + c,
			                             plan->present[RSTD__GIVEN] ? NULL : p->t + c, p->q + c);
	}
}

/* The same for columns anywhere. */
static __attribute__((noinline)) void add_packed_rows(const struct rstd_plan *plan, const struct panel *p,
                                                      const unsigned char *x, const unsigned char *g, size_t rows)
{
	const size_t size = rstd__format_info[plan->format[RSTD__X]].size;
	const ptrdiff_t x_stride = run_axis(plan)->stride[RSTD__X], g_stride = run_axis(plan)->stride[RSTD__GIVEN];
	const ptrdiff_t packed = (ptrdiff_t)(p->cols * size);
	/* whole parts of groups of folded rows, so that only the last block has rows left over */
	const size_t unit = RSTD__COL_PART * plan->fold, most = RSTD__PACK_ELEMENTS / (p->cols * unit) * unit;
	alignas(64) unsigned char x_block[RSTD__PACK_ELEMENTS * sizeof(float)],
		g_block[RSTD__PACK_ELEMENTS * sizeof(float)];

	while (rows > 0) {
		const size_t n = rows < most ? rows : most;

		pack_block(size, x, p->x_offset, x_stride, n, p->cols, x_block);
		x += (ptrdiff_t)n * x_stride;
		if (g) {
			pack_block(size, g, p->g_offset, g_stride, n, p->cols, g_block);
			g += (ptrdiff_t)n * g_stride;
		}
		add_rows(plan, p, x_block, packed, g ? g_block : NULL, packed, n);
		rows -= n;
	}
}

/* The sums of one piece, about p->shift, or about the means at g. */
static void sum_panel(const struct rstd_plan *plan, const struct panel *p, const unsigned char *x,
                      const unsigned char *g, size_t length)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const size_t wide = plan->fold * p->cols;

	if (plan->loop == RSTD__SHORT) {
		if (g)
			p->sums->short_ssd[format](x, p->x_offset, g, p->g_offset, p->cols, length, p->q);
		else
			p->sums->short_moments[format](x, p->x_offset, p->cols, length, p->about_first,
			                               p->about_zero ? NULL : p->shift, p->t, p->q);
		return;
	}
	memset(p->t, 0, wide * sizeof(double));
	memset(p->q, 0, wide * sizeof(double));
	if (plan->loop == RSTD__COLS)
		add_rows(plan, p, x + p->x_offset[0], run_axis(plan)->stride[RSTD__X], g ? g + p->g_offset[0] : NULL,
		         run_axis(plan)->stride[RSTD__GIVEN], length);
	else if (plan->grouped)
		add_groups(plan, p, x, g, length);
	else
		add_packed_rows(plan, p, x, g, length);
	for (size_t row = p->cols; row < wide; row += p->cols) /* the folded rows together */
		for (size_t c = 0; c < p->cols; c++) {
			p->t[c] += p->t[row + c];
			p->q[c] += p->q[row + c];
		}
}

/* The sums of one piece of the run, `length` elements long; x and g are where it starts, g NULL for an own mean. */
static void sum_piece(const struct rstd_plan *plan, const struct panel *p, const unsigned char *x,
                      const unsigned char *g, size_t length)
{
	const bool varies = run_axis(plan)->stride[RSTD__GIVEN] != 0;

	if (g && !varies)
		load_shifts(plan, RSTD__GIVEN, g, p->g_offset, p->index, p->cols, p->shift);
	sum_panel(plan, p, x, varies ? g : NULL, length);
}

/* The sums of the piece that `runs` stands at. */
static void sum_run(const struct rstd_plan *plan, const struct rstd__data *data, const struct panel *p,
                    const struct runs *runs)
{
	const unsigned char *g =
		plan->present[RSTD__GIVEN] ? data->in[RSTD__GIVEN] + run_offset(runs, RSTD__GIVEN) : NULL;

	sum_piece(plan, p, data->in[RSTD__X] + run_offset(runs, RSTD__X), g, (size_t)runs->length);
}

/* Room for the sums of one piece, and for what those of all pieces round away. q_low may be NULL: see set_bounds(). */
struct piece_sums {
	double *t, *q, *t_low, *q_low;
};

static void sum_pieces(const struct rstd_plan *plan, const struct rstd__data *data, struct panel *p, struct runs *runs,
                       uint64_t pieces, const struct piece_sums *piece, struct rstd__tile *tile)
{
	const size_t bytes = p->cols * sizeof(double);

	p->t = piece->t;
	p->q = piece->q;
	memset(tile->t, 0, bytes);
	memset(tile->q, 0, bytes);
	memset(piece->t_low, 0, bytes);
	if (piece->q_low)
		memset(piece->q_low, 0, bytes);
	for (uint64_t i = 0; i < pieces; i++, runs_next(runs)) {
		sum_run(plan, data, p, runs);
		plan->kernels->merge(tile->t, piece->t_low, p->t, p->cols);
		if (piece->q_low)
			plan->kernels->merge(tile->q, piece->q_low, p->q, p->cols);
		for (size_t c = 0; c < p->cols && !piece->q_low; c++)
			tile->q[c] += p->q[c];
	}
	for (size_t c = 0; c < p->cols; c++)
		tile->t[c] = rstd__sum_close(tile->t[c], piece->t_low[c]);
	for (size_t c = 0; c < p->cols && piece->q_low; c++)
		tile->q[c] = rstd__sum_close(tile->q[c], piece->q_low[c]);
}

/*
 * The sums of several pieces. Apart, as much of what they need is on the stack: what is packed, of few outputs, or the
 * sums of many.
 */
static __attribute__((noinline)) void sum_few_pieces(const struct rstd_plan *plan, const struct rstd__data *data,
                                                     struct panel *p, struct runs *runs, uint64_t pieces,
                                                     struct rstd__tile *tile)
{
	alignas(64) double t[RSTD__TILE_PACKED], q[RSTD__TILE_PACKED], t_low[RSTD__TILE_PACKED],
		q_low[RSTD__TILE_PACKED];
	const struct piece_sums piece = { t, q, t_low, q_low };

	sum_pieces(plan, data, p, runs, pieces, &piece, tile);
}

static __attribute__((noinline)) void sum_many_pieces(const struct rstd_plan *plan, const struct rstd__data *data,
                                                      struct panel *p, struct runs *runs, uint64_t pieces,
                                                      struct rstd__tile *tile)
{
	alignas(64) double t[RSTD__TILE], q[RSTD__TILE], t_low[RSTD__TILE];
	const struct piece_sums piece = { t, q, t_low, NULL };

	sum_pieces(plan, data, p, runs, pieces, &piece, tile);
}

/* ---- Short rows without gaps --------------------------------------------------------------------------------- */

static bool are_dense(const struct rstd_plan *plan)
{
	const struct rstd__axis *side = &plan->kept[0], *run = run_axis(plan);
	const ptrdiff_t row = run->count * (ptrdiff_t)rstd__format_info[plan->format[RSTD__X]].size;

	return plan->loop == RSTD__SHORT && plan->n <= RSTD__DENSE_MAX && plan->runs == 1 && plan->kept_rank == 1 &&
	       side->stride[RSTD__X] == row && run->stride[RSTD__GIVEN] == 0;
}

/* The sums of `outputs` such rows from number `first` on. */
static void sum_dense(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t outputs,
                      double *shift, double *t, double *q)
{
	const enum rstd__format format = plan->format[RSTD__X];
	const ptrdiff_t *stride = plan->kept[0].stride;
	const bool given = plan->present[RSTD__GIVEN];
	const unsigned char *g = given ? data->in[RSTD__GIVEN] + (ptrdiff_t)first * stride[RSTD__GIVEN] : NULL;

	for (size_t i = 0; i < outputs && given; i++, g += stride[RSTD__GIVEN])
		shift[i] = (double)rstd__load(format, g);
	plan->sums->dense_moments[format](data->in[RSTD__X] + (ptrdiff_t)first * stride[RSTD__X], outputs,
	                                  (size_t)plan->n, !given, shift, t, q);
	if (given) /* about means that are given, t has no meaning */
		memset(t, 0, outputs * sizeof(double));
}

/* ---- All ----------------------------------------------------------------------------------------------------- */

static void start_tile(const struct rstd_plan *plan, uint64_t first, size_t outputs, struct rstd__tile *tile)
{
	uint64_t index = 0;

	if (plan->grouped)
		rstd__divide(first, (uint64_t)side_axis(plan)->count, &index);
	tile->outputs = outputs;
	tile->index = (size_t)index;
}

/* The sums of the outputs of a tile, which are at these offsets. */
static void sum_at(const struct rstd_plan *plan, const struct rstd__data *data, const ptrdiff_t *x_offset,
                   const ptrdiff_t *g_offset, uint64_t run, uint64_t run_end, struct rstd__tile *tile)
{
	/* first elements are best read just before the rest of their rows */
	const bool about_first = plan->loop == RSTD__SHORT && plan->runs == 1 && !plan->present[RSTD__GIVEN];
	const size_t outputs = tile->outputs;
	struct panel p = { plan->sums,  x_offset, g_offset,    outputs, tile->index,
		           about_first, false,    tile->shift, tile->t, tile->q };
	struct runs runs;

	tile->about_zero = false;
	if (plan->present[RSTD__GIVEN])
		memset(tile->shift, 0, outputs * sizeof(*tile->shift)); /* of no use */
	else if (!about_first && plan->loop != RSTD__ROWS)
		set_shifts(plan, data->in[RSTD__X], x_offset, tile);
	p.about_zero = tile->about_zero;
	runs_start(&runs, plan, run);
	if (plan->loop == RSTD__ROWS)
		sum_rows(plan, data, x_offset, g_offset, &runs, run_end - run, tile);
	else if (run_end - run == 1)
		sum_run(plan, data, &p, &runs);
	else if (outputs <= RSTD__TILE_PACKED)
		sum_few_pieces(plan, data, &p, &runs, run_end - run, tile);
	else
		sum_many_pieces(plan, data, &p, &runs, run_end - run, tile);
	if (plan->present[RSTD__GIVEN]) /* about means that are given, t has no meaning */
		memset(tile->t, 0, outputs * sizeof(double));
}

void rstd__sum_tile(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t outputs,
                    uint64_t run, uint64_t run_end, struct rstd__tile *tile)
{
	ptrdiff_t x_offset[RSTD__TILE_PACKED], g_offset[RSTD__TILE_PACKED];

	start_tile(plan, first, outputs, tile);
	if (are_dense(plan)) {
		sum_dense(plan, data, first, outputs, tile->shift, tile->t, tile->q);
		return;
	}
	fill_offsets(plan, RSTD__X, first, offset_count(plan, outputs), x_offset);
	if (plan->present[RSTD__GIVEN])
		fill_offsets(plan, RSTD__GIVEN, first, offset_count(plan, outputs), g_offset);
	sum_at(plan, data, x_offset, g_offset, run, run_end, tile);
}

void rstd__sum_some(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t count,
                    const size_t *place, struct rstd__tile *tile)
{
	ptrdiff_t x_offset[RSTD__FINISH_MAX], g_offset[RSTD__FINISH_MAX];
	struct rstd__walk at;

	for (size_t i = 0; i < count; i++) {
		rstd__walk_start(&at, plan->kept, plan->kept_rank, first + place[i]);
		x_offset[i] = at.offset[RSTD__X];
		g_offset[i] = at.offset[RSTD__GIVEN];
	}
	tile->outputs = count;
	tile->index = 0;
	sum_at(plan, data, x_offset, g_offset, 0, plan->runs, tile);
}

void rstd__sum_few(const struct rstd_plan *plan, const struct rstd__data *data, double *shift, double *t, double *q)
{
	const ptrdiff_t *stride = plan->kept[0].stride;
	const size_t outputs = (size_t)plan->outputs;
	ptrdiff_t x_offset[RSTD__FINISH_MAX], g_offset[RSTD__FINISH_MAX];
	const struct panel p = { plan->sums, x_offset, g_offset, outputs, 0, !plan->present[RSTD__GIVEN],
		                 false,      shift,    t,        q };

	if (plan->loop == RSTD__ROWS) {
		const unsigned char *x = data->in[RSTD__X], *g = data->in[RSTD__GIVEN];

		for (size_t i = 0; i < outputs; i++)
			sum_whole_row(plan, x + (ptrdiff_t)i * stride[RSTD__X],
			              g ? g + (ptrdiff_t)i * stride[RSTD__GIVEN] : NULL, &shift[i], &t[i], &q[i]);
		return;
	}
	if (outputs >= RSTD__LANES && are_dense(plan)) { /* fewer are not worth turning a square of lanes */
		sum_dense(plan, data, 0, outputs, shift, t, q);
		return;
	}
	for (size_t i = 0; i < outputs; i++) {
		x_offset[i] = (ptrdiff_t)i * stride[RSTD__X];
		g_offset[i] = (ptrdiff_t)i * stride[RSTD__GIVEN];
		shift[i] = 0;
	}
	sum_piece(plan, &p, data->in[RSTD__X], data->in[RSTD__GIVEN], (size_t)plan->n);
	for (size_t i = 0; i < outputs && plan->present[RSTD__GIVEN]; i++)
		t[i] = 0;
}

size_t rstd__sum_again(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, uint64_t which,
                       double *shift, double *t, double *q)
{
	ptrdiff_t x_offset[RSTD__FINISH_MAX], g_offset[RSTD__FINISH_MAX];
	const bool given = plan->present[RSTD__GIVEN];
	const size_t span = RSTD__FINISH_MAX - (size_t)__builtin_clzll(which);
	struct panel p = { &plan->kernels->fine, x_offset, g_offset, 0, 0, !given, false, shift, t, q };

	fill_offsets(plan, RSTD__X, first, span, x_offset);
	if (given)
		fill_offsets(plan, RSTD__GIVEN, first, span, g_offset);
	do { /* one of them, or more */
		const size_t i = (size_t)__builtin_ctzll(which);

		x_offset[p.cols] = x_offset[i];
		if (given)
			g_offset[p.cols] = g_offset[i];
		p.cols++;
		which &= which - 1;
	} while (which);
	memset(shift, 0, p.cols * sizeof(*shift));
	sum_piece(plan, &p, data->in[RSTD__X], data->in[RSTD__GIVEN], (size_t)plan->n);
	if (given)
		memset(t, 0, p.cols * sizeof(*t));
	return p.cols;
}

void rstd__set_shifts(const struct rstd_plan *plan, const struct rstd__data *data, uint64_t first, size_t outputs,
                      struct rstd__tile *tile)
{
	ptrdiff_t offset[RSTD__TILE_PACKED];

	start_tile(plan, first, outputs, tile);
	fill_offsets(plan, RSTD__X, first, offset_count(plan, outputs), offset);
	if (plan->loop != RSTD__ROWS)
		set_shifts(plan, data->in[RSTD__X], offset, tile);
	for (size_t i = 0; i < outputs && plan->loop == RSTD__ROWS; i++)
		tile->shift[i] = guess_shift(plan, data->in[RSTD__X] + offset[i]);
}
