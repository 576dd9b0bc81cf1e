/*
 * words.c - sums of elements of similar size, in machine words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/words.h"

#include "kernels/binary32.h"
#include "kernels/wide.h"

/* ---- Elements as integers -------------------------------------------------------------------------------------- */

int rstd__range_unit(enum rstd__format format, const struct rstd__range *range)
{
	const unsigned shift = range->largest > 0 ? rstd__shift((uint32_t)range->least + 1) : 0;

	return RSTD__LEAST + (int)shift + (RSTD__FRACTION_BITS + 1 - rstd__format_info[format].precision);
}

/* What follows from the range of the elements, of which the precision is that of a format. */
static void set_width(struct rstd__words *w, enum rstd__format format, const struct rstd__range *range, size_t n)
{
	const int precision = rstd__format_info[format].precision;
	const unsigned top = rstd__shift((uint32_t)range->largest);

	w->n = n;
	w->unit = rstd__range_unit(format, range);
	w->precision = precision;
	w->width =
		top < RSTD__NOT_FINITE - 1 ? RSTD__FRACTION_BITS + 1 + RSTD__LEAST + (int)top - w->unit : INT32_MAX / 2;
}

void rstd__words_measure(struct rstd__words *w, const struct rstd__kernels *kernels, enum rstd__format format,
                         const float *x, const float *mean, size_t n)
{
	struct rstd__range range = { INT32_MAX, 0 };

	kernels->range[RSTD__F32](x, n, &range);
	if (mean)
		kernels->range[RSTD__F32](mean, n, &range);
	w->kernels = kernels;
	w->x = x;
	w->mean = mean;
	set_width(w, format, &range, n);
}

/* ---- Sums ----------------------------------------------------------------------------------------------------- */

/*
 * The widest elements. Differences from given means are then below 2^51, their halves of 25 and 26 bits have products
 * below 2^52, and 2^12 of those a sum below 2^64; that of squares is below 2^(2 * 51 + 12).
 */
#define WIDEST 50

/* In units, of x and x^2, or of differences from given means and their squares. */
struct sums {
	int64_t sum;
	rstd__uint128 squares;
};

/* Sums in binary64 are the fastest. They are exact up to this width; differences have a bit more than elements. */
static bool fits_split(const struct rstd__words *w)
{
	return w->width + (w->mean != NULL) <= RSTD__SPLIT_WIDTH;
}

static struct sums sums_of_split(const struct rstd__split *s)
{
	return (struct sums){ s->sum, (rstd__uint128)((rstd__int128)s->high * (INT64_C(1) << RSTD__SPLIT) + s->low) };
}

static struct sums sums_of(const struct rstd__words *w)
{
	struct rstd__split split;
	struct rstd__halves h;

	if (fits_split(w)) {
		w->kernels->split[RSTD__F32](w->x, w->mean, w->n, w->unit, w->width + (w->mean != NULL), &split);
		return sums_of_split(&split);
	}
	w->kernels->halves(w->x, w->mean, w->n, rstd__pow2(-w->unit), &h);
	return (struct sums){ h.sum, ((rstd__uint128)h.high << 2 * RSTD__HALF) +
		                             ((rstd__uint128)h.cross << (RSTD__HALF + 1)) + h.low };
}

static void add_sums(struct rstd__exact *e, const struct sums *s, int unit)
{
	rstd__exact_add_sums(e, unit, s->sum, (uint64_t)(s->squares >> 64), (uint64_t)s->squares);
}

bool rstd__words_add(const struct rstd__words *w, struct rstd__exact *e)
{
	struct sums s;

	if (w->width > WIDEST)
		return false;
	s = sums_of(w);
	if (w->mean)
		s.sum = 0;
	add_sums(e, &s, w->unit);
	return true;
}

void rstd__words_add_any(struct rstd__exact *e, const struct rstd__kernels *kernels, enum rstd__format format,
                         const void *x, enum rstd__format stored, size_t n)
{
	struct rstd__range range = { INT32_MAX, 0 };
	float widened[RSTD__WORDS_MAX];
	struct rstd__words w = { .kernels = kernels, .x = widened };

	kernels->range[stored](x, n, &range);
	set_width(&w, format, &range, n);
	if (fits_split(&w)) {
		struct rstd__split split;
		struct sums s;

		kernels->split[stored](x, NULL, n, w.unit, w.width, &split);
		s = sums_of_split(&split);
		add_sums(e, &s, w.unit);
		return;
	}
	kernels->widen[stored](x, n, widened);
	if (!rstd__words_add(&w, e))
		rstd__exact_add(e, widened, n);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

/*
 * Rows that integers of 64 bits hold the sums of: 2^8 rows have sums below 2^53 and rests of at most that. The squares
 * are then below 2^(2 * 45 + 17).
 */
#define MOST_ROWS (1 << 17)

/* The most lanes that kernels sum at a time. */
#define MOST_LANES (2 * RSTD__LANES)

/* Columns, and those beyond them that vectors have. */
static size_t lanes_of(const struct rstd__columns *c)
{
	return (c->cols + MOST_LANES - 1) / MOST_LANES * MOST_LANES;
}

static void start_split_cols(struct rstd__columns *c)
{
	const double start = rstd__split_start(c->unit);

	for (size_t i = 0; i < lanes_of(c); i++) {
		c->split.sum[i] = c->split.low[i] = 0;
		c->split.high[i] = start;
	}
	c->split_rows = 0;
}

/* From sums in binary64, which can take no more rows, to integers. */
static void close_split_cols(struct rstd__columns *c)
{
	const double start = rstd__split_start(c->unit), scale = rstd__pow2(-c->unit),
		     scale_high = rstd__pow2(-2 * c->unit - RSTD__SPLIT), scale_low = rstd__pow2(-2 * c->unit);

	for (size_t i = 0; i < c->cols; i++) {
		c->sums[i].sum += (int64_t)(c->split.sum[i] * scale);
		c->sums[i].high += (int64_t)((c->split.high[i] - start) * scale_high);
		c->sums[i].low += (int64_t)(c->split.low[i] * scale_low);
	}
	start_split_cols(c);
}

/* A unit for elements like those of the first rows: most of the bits that are left go to lesser elements. */
static void set_unit(struct rstd__columns *c, const struct rstd__words *w)
{
	const int spare = RSTD__SPLIT_WIDTH - w->width, unit = w->unit - (spare - spare / 4);

	c->unit = unit > RSTD__LEAST ? unit : RSTD__LEAST;
	memset(c->sums, 0, c->cols * sizeof(c->sums[0]));
	start_split_cols(c);
}

void rstd__columns_start(struct rstd__columns *c, const struct rstd__kernels *kernels, enum rstd__format format,
                         size_t cols)
{
	c->kernels = kernels;
	c->format = format;
	c->cols = cols;
	c->rows = 0;
}

static struct rstd__range range_of_rows(const struct rstd__columns *c, const unsigned char *x, ptrdiff_t row_stride,
                                        size_t rows)
{
	const bool dense = row_stride == (ptrdiff_t)(c->cols * rstd__format_info[c->format].size);
	const size_t stretches = dense ? 1 : rows, n = dense ? rows * c->cols : c->cols;
	struct rstd__range range = { INT32_MAX, 0 };

	for (size_t i = 0; i < stretches; i++, x += row_stride)
		c->kernels->range[c->format](x, n, &range);
	return range;
}

bool rstd__columns_add(struct rstd__columns *c, const unsigned char *x, ptrdiff_t row_stride, size_t rows)
{
	struct rstd__words w = { .kernels = c->kernels };
	struct rstd__range range;

	if (c->rows + rows > MOST_ROWS)
		return false;
	range = range_of_rows(c, x, row_stride, rows);
	set_width(&w, c->format, &range, rows);
	if (!fits_split(&w))
		return false;
	if (c->rows == 0)
		set_unit(c, &w);
	if (range.largest > 0 && (w.unit < c->unit || w.unit + w.width > c->unit + RSTD__SPLIT_WIDTH))
		return false;
	if (c->split_rows + rows > RSTD__SPLIT_ROWS)
		close_split_cols(c);
	c->kernels->split_cols[c->format](x, row_stride, rows, c->cols, w.width, &c->split);
	c->split_rows += rows;
	c->rows += rows;
	return true;
}

size_t rstd__columns_close(struct rstd__columns *c)
{
	const size_t rows = c->rows;

	if (rows > 0)
		close_split_cols(c);
	c->rows = 0;
	return rows;
}

void rstd__columns_take(const struct rstd__columns *c, size_t column, struct rstd__exact *e)
{
	const struct sums s = sums_of_split(&c->sums[column]);

	add_sums(e, &s, c->unit);
}

float rstd__words_least(const struct rstd__words *w)
{
	/* as wide as all are now, and as WIDEST would allow, in last places of the least; subnormals all have the same */
	const int last = w->unit + w->width - WIDEST, precision = w->precision;

	return last > RSTD__LEAST ? (float)rstd__pow2(last + precision - 1) : 0;
}
