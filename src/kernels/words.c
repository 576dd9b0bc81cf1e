/*
 * words.c - sums of elements of similar size, in machine words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/words.h"

#include "kernels/binary32.h"
#include "kernels/wide.h"

/* ---- Elements as integers -------------------------------------------------------------------------------------- */

/* What follows from the range of the elements, of which the precision is that of a format. */
static void set_width(struct rstd__words *w, enum rstd__format format, const struct rstd__range *range, size_t n)
{
	const int precision = rstd__format_info[format].precision;
	const unsigned top = rstd__shift((uint32_t)range->largest);
	const unsigned shift = range->largest > 0 ? rstd__shift((uint32_t)range->least + 1) : top;

	w->n = n;
	w->unit = RSTD__LEAST + (int)shift + (RSTD__FRACTION_BITS + 1 - precision);
	w->precision = precision;
	w->width = top < RSTD__NOT_FINITE - 1 ? precision + (int)(top - shift) : INT32_MAX / 2;
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
	const rstd__int128 high = (rstd__int128)s->high * (INT64_C(1) << 2 * RSTD__SPLIT),
			   cross = (rstd__int128)s->cross * (INT64_C(1) << (RSTD__SPLIT + 1));

	return (struct sums){ s->sum, (rstd__uint128)(high + cross + s->low) };
}

static struct sums sums_of(const struct rstd__words *w)
{
	struct rstd__split split;
	struct rstd__halves h;

	if (fits_split(w)) {
		w->kernels->split[RSTD__F32](w->x, w->mean, w->n, w->unit, &split);
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

		kernels->split[stored](x, NULL, n, w.unit, &split);
		s = sums_of_split(&split);
		add_sums(e, &s, w.unit);
		return;
	}
	kernels->widen[stored](x, n, widened);
	if (!rstd__words_add(&w, e))
		rstd__exact_add(e, widened, n);
}

/* Rows that are fetched early: their places in memory are too far apart for the processor to foresee. */
#define ROWS_AHEAD 8

/* The range of the rows of a block. */
static void range_of_rows(struct rstd__range *range, const struct rstd__kernels *kernels, enum rstd__format format,
                          const unsigned char *x, ptrdiff_t row_stride, size_t rows, size_t cols)
{
	const size_t bytes = cols * rstd__format_info[format].size;

	if (row_stride == (ptrdiff_t)bytes) {
		kernels->range[format](x, rows * cols, range);
		return;
	}
	for (size_t r = 0; r < rows; r++, x += row_stride) {
		for (size_t i = 0; i < bytes; i += RSTD__LINE)
			rstd__ask_for(x, ROWS_AHEAD * row_stride + (ptrdiff_t)i);
		kernels->range[format](x, cols, range);
	}
}

bool rstd__words_add_columns(struct rstd__exact *e, const struct rstd__kernels *kernels, enum rstd__format format,
                             const unsigned char *x, ptrdiff_t row_stride, size_t rows, size_t cols)
{
	struct rstd__range range = { INT32_MAX, 0 };
	struct rstd__split split[RSTD__WORDS_COLS];
	struct rstd__words w = { .kernels = kernels };

	range_of_rows(&range, kernels, format, x, row_stride, rows, cols);
	set_width(&w, format, &range, rows);
	if (!fits_split(&w))
		return false;
	kernels->split_cols[format](x, row_stride, rows, cols, w.unit, split);
	for (size_t c = 0; c < cols; c++) {
		const struct sums s = sums_of_split(&split[c]);

		add_sums(&e[c], &s, w.unit);
	}
	return true;
}

float rstd__words_least(const struct rstd__words *w)
{
	/* as wide as all are now, and as WIDEST would allow, in last places of the least; subnormals all have the same */
	const int last = w->unit + w->width - WIDEST, precision = w->precision;

	return last > RSTD__LEAST ? (float)rstd__pow2(last + precision - 1) : 0;
}
