/*
 * words.c - results of slices whose exact sums fit machine words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/words.h"

#include <math.h>

#include "kernels/binary32.h"
#include "kernels/eft.h"
#include "kernels/wide.h"

/* ---- Elements as integers -------------------------------------------------------------------------------------- */

/* The magnitudes, as bits, of the least element that is not 0, and of the largest. */
struct range {
	int32_t least, largest;
};

static void widen_range(struct range *range, const float *x, size_t n)
{
	int32_t least = range->least, largest = range->largest;

	for (size_t i = 0; i < n; i++) {
		const int32_t magnitude = (int32_t)(rstd__float_to_bits(x[i]) & INT32_MAX);
		const int32_t not_zero = magnitude ? magnitude : INT32_MAX;

		least = not_zero < least ? not_zero : least;
		largest = magnitude > largest ? magnitude : largest;
	}
	range->least = least;
	range->largest = largest;
}

struct rstd__words rstd__words(enum rstd__format format, const float *x, const float *mean, size_t n)
{
	const int precision = rstd__format_info[format].precision, dropped = RSTD__FRACTION_BITS + 1 - precision;
	struct range range = { INT32_MAX, 0 };
	unsigned shift, top;

	widen_range(&range, x, n);
	if (mean)
		widen_range(&range, mean, n);
	top = rstd__shift((uint32_t)range.largest);
	shift = range.largest > 0 ? rstd__shift((uint32_t)range.least) : top;
	return (struct rstd__words){
		.x = x,
		.mean = mean,
		.n = n,
		.shift = shift,
		.dropped = dropped,
		.unit = RSTD__LEAST + (int)shift + dropped,
		.width = precision + (int)(top - shift),
		.count_width = n == 1 ? 0 : 64 - __builtin_clzll(n - 1),
	};
}

/* An element in units, for a width below 64. */
static inline int64_t element(const struct rstd__words *w, float x)
{
	const uint32_t bits = rstd__float_to_bits(x);
	const uint64_t mantissa = rstd__mantissa(bits) >> w->dropped;

	return mantissa ? rstd__with_sign_of(bits, (int64_t)(mantissa << (rstd__shift(bits) - w->shift))) : 0;
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

/* num / den * 2^(power unit), den < 2^24, is the power-th power of a result that is not 0; power is 1 or 2. */
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
	return w->n == (w->mean ? 1 : 2) && w->n == divisor && w->width < 53;
}

static double round_difference(const struct rstd__words *w, enum rstd__format to)
{
	if (w->mean)
		return round_to(to, fabs((double)w->x[0] - (double)w->mean[0]));
	return round_to(to, fabs((double)w->x[0] - (double)w->x[1]) / 2);
}

/* n S about an own mean, S about a given one. */
static rstd__uint128 deviations(const struct rstd__words *w)
{
	rstd__uint128 q = 0;
	int64_t t = 0;

	if (w->mean) {
		for (size_t i = 0; i < w->n; i++) {
			const int64_t d = element(w, w->x[i]) - element(w, w->mean[i]);
			const uint64_t magnitude = (uint64_t)(d < 0 ? -d : d);

			q += (rstd__uint128)magnitude * magnitude;
		}
		return q;
	}
	for (size_t i = 0; i < w->n; i++) {
		const int64_t v = element(w, w->x[i]);
		const uint64_t magnitude = (uint64_t)(v < 0 ? -v : v);

		t += v;
		q += (rstd__uint128)magnitude * magnitude;
	}
	return q * w->n - (rstd__uint128)((rstd__int128)t * t);
}

/*
 * With elements below 2^width and n <= 2^c: the differences from given means are below 2^(width + 1), their S is below
 * 2^(2 width + 2 + c); T is below 2^(width + c), n Q and T^2 below 2^(2 width + 2 c). width + c <= 62 is enough for
 * all.
 */
bool rstd__words_std(const struct rstd__words *w, uint64_t divisor, enum rstd__format to, double *y)
{
	struct ratio ratio = { .power = 2, .unit = w->unit };

	if (is_one_difference(w, divisor)) {
		*y = round_difference(w, to);
		return true;
	}
	if (w->width + w->count_width > 62)
		return false;
	ratio.num = deviations(w);
	ratio.den = w->mean ? divisor : w->n * divisor;
	*y = ratio.num ? round_ratio(&ratio, to) : 0;
	return true;
}

/*
 * t / n rounded once to the format. The quotient is rounded to odd first: where bits are left over, its last bit
 * becomes
 * 1. Other formats have so many bits less that rounding that once more gives what rounding the exact quotient gives
 * (Boldo and Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd, 2008).
 */
static double round_quotient(double t, double n, enum rstd__format to)
{
	double r = t / n;
	const double product = r * n, rest = (t - product) - rstd__product_error(r, n, product);
	uint64_t bits;

	if (rest != 0) {
		memcpy(&bits, &r, sizeof(bits));
		bits -= (rest < 0) != (t < 0); /* the one that is nearer to 0 */
		bits |= 1;
		memcpy(&r, &bits, sizeof(r));
	}
	return round_to(to, r);
}

bool rstd__words_mean(const struct rstd__words *w, enum rstd__format to, double *mean)
{
	int64_t t = 0;

	if (w->width + w->count_width <= 53) { /* doubles hold all sums */
		double sum = 0;

		for (size_t i = 0; i < w->n; i++)
			sum += (double)w->x[i];
		*mean = round_quotient(sum, (double)w->n, to);
		return true;
	}
	if (w->width + w->count_width > 62)
		return false;
	for (size_t i = 0; i < w->n; i++)
		t += element(w, w->x[i]);

	const struct ratio ratio = {
		.num = (uint64_t)(t < 0 ? -t : t),
		.den = w->n,
		.power = 1,
		.unit = w->unit,
	};

	*mean = t == 0 ? 0 : t < 0 ? -round_ratio(&ratio, to) : round_ratio(&ratio, to);
	return true;
}
