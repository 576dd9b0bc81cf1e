/*
 * words.c - results of slices whose exact sums fit machine words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/words.h"

#include <math.h>

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
	w->count_width = n == 1 ? 0 : 64 - __builtin_clzll(n - 1);
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

/* ---- Rounding -------------------------------------------------------------------------------------------------- */

/* x rounded to the nearest value of a format, ties to even; 2^overflow or more where the format has none. */
static double round_to(enum rstd__format format, double x)
{
	const struct rstd__format_info *info = &rstd__format_info[format];
	uint64_t bits;
	int last;
	double big;

	memcpy(&bits, &x, sizeof(bits));
	last = (int)(bits >> 52 & 0x7FF) - 1023 - (info->precision - 1); /* the last place */
	if (last < info->least)
		last = info->least;
	big = 1.5 * rstd__pow2(52 + last);
	return (x + big) - big;
}

/* The sign of a - b * 2^shift, for b > 0. */
static int compare(rstd__uint128 a, rstd__uint128 b, int shift)
{
	rstd__uint128 whole;

	if (shift >= 128 || (shift > 0 && b >> (128 - shift)))
		return -1;
	if (shift >= 0)
		return (a > b << shift) - (a < b << shift);
	whole = shift > -128 ? b >> -shift : 0;
	if (a != whole)
		return a > whole ? 1 : -1;
	return shift <= -128 || whole << -shift != b ? -1 : 0;
}

/* num / den * 2^(power unit), den <= 2^24, is the power-th power of a result that is not 0; power is 1 or 2. */
struct ratio {
	rstd__uint128 num;
	uint64_t den;
	int power, unit;
};

/*
 * The result, rounded to nearest, ties to even: round_result() of exact.c, where the reasons are, in words. The
 * approximation is good to 2^-50 of it.
 */
static double round_ratio(const struct ratio *ratio, enum rstd__format to)
{
	const struct rstd__format_info *format = &rstd__format_info[to];
	const double quotient =
		((double)(uint64_t)(ratio->num >> 64) * 0x1p64 + (double)(uint64_t)ratio->num) / (double)ratio->den;
	const double r = ratio->power == 2 ? sqrt(quotient) : quotient;
	uint64_t bits, j, middle;
	int u, side;

	memcpy(&bits, &r, sizeof(bits));
	u = (int)(bits >> 52) - 1023 + ratio->unit - (format->precision - 1);
	if (u < format->least)
		u = format->least;
	j = (uint64_t)(r * rstd__pow2(ratio->unit - u));
	middle = 2 * j + 1; /* times 2^(u - 1) */
	side = compare(ratio->num, (rstd__uint128)(ratio->power == 2 ? middle * middle : middle) * ratio->den,
	               ratio->power * (u - 1 - ratio->unit));
	if (side > 0 || (side == 0 && j & 1))
		j++;
	return (double)j * rstd__pow2(u);
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

/* A difference d of which the result is |d|, about a given mean, or |d| / 2. Just these are ties in ordinary data. */
static bool is_one_difference(const struct rstd__words *w, uint64_t divisor)
{
	return w->n == (w->mean ? 1U : 2U) && w->n == divisor;
}

static double round_difference(const struct rstd__words *w, enum rstd__format to)
{
	if (w->mean)
		return round_to(to, fabs((double)w->x[0] - (double)w->mean[0]));
	return round_to(to, fabs((double)w->x[0] - (double)w->x[1]) / 2);
}

/*
 * The widest elements. Differences from given means are then below 2^51, their halves of 25 and 26 bits have products
 * below 2^52, and 2^12 of those a sum below 2^64. n^2 squares of elements are below 2^(2 * 50 + 2 * 12).
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

/* n S about an own mean, S about a given one. */
static rstd__uint128 deviations(const struct rstd__words *w)
{
	const struct sums s = sums_of(w);

	return w->mean ? s.squares : s.squares * w->n - (rstd__uint128)((rstd__int128)s.sum * s.sum);
}

bool rstd__words_std(const struct rstd__words *w, uint64_t divisor, enum rstd__format to, double *y)
{
	struct ratio ratio = { .power = 2, .unit = w->unit };

	if (w->width > WIDEST)
		return false;
	if (is_one_difference(w, divisor)) {
		*y = round_difference(w, to);
		return true;
	}
	ratio.num = deviations(w);
	ratio.den = w->mean ? divisor : w->n * divisor;
	*y = ratio.num ? round_ratio(&ratio, to) : 0;
	return true;
}

/* The sum of x where nothing rounds, and the order is free. */
static double sum_in_doubles(const struct rstd__words *w)
{
	double sum[4] = { 0 };
	size_t i = 0;

	for (; w->n - i >= 4; i += 4)
		for (size_t j = 0; j < 4; j++)
			sum[j] += (double)w->x[i + j];
	for (; i < w->n; i++)
		sum[0] += (double)w->x[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool rstd__words_mean(const struct rstd__words *w, enum rstd__format to, double *mean)
{
	struct ratio ratio = { .den = w->n, .power = 1, .unit = w->unit };
	int64_t t;

	/*
	 * Doubles hold all sums T, and the quotient is on the same side of every midpoint as T / n: in units, these differ
	 * by 0 or at least 1 / n, or by a 2^25th of the midpoint over n; rounding moves T / n by less than
	 * 2^(width - 53) <= 1 / n, and by at most 2^-53 of itself.
	 */
	if (w->width + w->count_width <= 53) {
		*mean = round_to(to, sum_in_doubles(w) / (double)w->n);
		return true;
	}
	if (w->width > WIDEST)
		return false;
	t = sums_of(w).sum;
	ratio.num = (uint64_t)(t < 0 ? -t : t);
	*mean = t == 0 ? 0 : t < 0 ? -round_ratio(&ratio, to) : round_ratio(&ratio, to);
	return true;
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
