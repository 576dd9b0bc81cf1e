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

void rstd__words_measure(struct rstd__words *w, const struct rstd__kernels *kernels, enum rstd__format format,
                         const float *x, const float *mean, size_t n)
{
	const int precision = rstd__format_info[format].precision;
	struct rstd__range range = { INT32_MAX, 0 };
	unsigned shift, top;

	kernels->range(x, n, &range);
	if (mean)
		kernels->range(mean, n, &range);
	top = rstd__shift((uint32_t)range.largest);
	shift = range.largest > 0 ? rstd__shift((uint32_t)range.least + 1) : top;
	w->kernels = kernels;
	w->x = x;
	w->mean = mean;
	w->n = n;
	w->unit = RSTD__LEAST + (int)shift + (RSTD__FRACTION_BITS + 1 - precision);
	w->precision = precision;
	w->width = precision + (int)(top - shift);
	w->count_width = n == 1 ? 0 : 64 - __builtin_clzll(n - 1);
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

static struct rstd__halves halves_of(const struct rstd__words *w)
{
	struct rstd__halves h;

	w->kernels->halves(w->x, w->mean, w->n, rstd__pow2(-w->unit), &h);
	return h;
}

static rstd__uint128 squares_of(const struct rstd__halves *h)
{
	return ((rstd__uint128)h->high << 2 * RSTD__HALF) + ((rstd__uint128)h->cross << (RSTD__HALF + 1)) + h->low;
}

/* n S about an own mean, S about a given one. */
static rstd__uint128 deviations(const struct rstd__words *w)
{
	const struct rstd__halves h = halves_of(w);
	const rstd__uint128 q = squares_of(&h);

	return w->mean ? q : q * w->n - (rstd__uint128)((rstd__int128)h.sum * h.sum);
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
	t = halves_of(w).sum;
	ratio.num = (uint64_t)(t < 0 ? -t : t);
	*mean = t == 0 ? 0 : t < 0 ? -round_ratio(&ratio, to) : round_ratio(&ratio, to);
	return true;
}

bool rstd__words_add(const struct rstd__words *w, struct rstd__exact *e)
{
	struct rstd__halves h;
	rstd__uint128 squares;

	if (w->width > WIDEST)
		return false;
	h = halves_of(w);
	squares = squares_of(&h);
	rstd__exact_add_sums(e, w->unit, w->mean ? 0 : h.sum, (uint64_t)(squares >> 64), (uint64_t)squares);
	return true;
}

float rstd__words_least(const struct rstd__words *w)
{
	/* as wide as all are now, and as WIDEST would allow, in last places of the least; subnormals all have the same */
	const int last = w->unit + w->width - WIDEST, precision = w->precision;

	return last > RSTD__LEAST ? (float)rstd__pow2(last + precision - 1) : 0;
}
