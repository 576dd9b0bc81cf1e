/*
 * exact.c - level 2 of the ladder: sums as integers, and results rounded by exact comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two halves. The sums split each element into a mantissa, an integer, and an exponent, and add mantissas of equal
 * exponents, or of neighbouring ones if the elements are few, in 64-bit bins before they meet the limbs; what words.c
 * has summed already meets them at once. The results compare the square of the answer, a quotient of two integers, with
 * the square of the midpoint between two neighbours of the format, so that no root is ever rounded.
 */
#include "kernels/exact.h"

#include <math.h>

#include "kernels/binary32.h"
#include "kernels/wide.h"

/* ---- Sums of x and x^2 ----------------------------------------------------------------------------------------- */

static void count_not_finite(struct rstd__exact *e, uint32_t bits)
{
	if (bits & RSTD__FRACTION_MASK)
		e->nan_count++;
	else if (bits >> 31)
		e->neg_inf_count++;
	else
		e->pos_inf_count++;
}

static void add_signed(uint64_t sum[RSTD__SUM_LIMBS], bool negative, uint64_t value, unsigned shift)
{
	if (negative)
		rstd__limbs_sub(sum, RSTD__SUM_LIMBS, value, shift);
	else
		rstd__limbs_add(sum, RSTD__SUM_LIMBS, value, shift);
}

/*
 * A few elements: bins of four neighbouring exponents, and a word that knows which of them are in use, since emptying
 * all bins of a block would take longer than filling them. Elements have at most 24 + 3 bits then, and FEW of their
 * squares are below 2^64.
 */
struct few_bin {
	int64_t sum;
	uint64_t squares;
};

#define FEW      ((size_t)1 << 8)
#define FEW_BINS (RSTD__EXPONENTS / 4)

static void add_few(struct rstd__exact *e, const float *x, size_t n)
{
	struct few_bin bins[FEW_BINS] = { 0 };
	uint64_t used = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t bits = rstd__float_to_bits(x[i]);
		const unsigned shift = rstd__shift(bits);
		const uint64_t m = rstd__mantissa(bits) << shift % 4;
		struct few_bin *bin = &bins[shift / 4];

		if (rstd__exponent_field(bits) == RSTD__NOT_FINITE) {
			count_not_finite(e, bits);
			continue;
		}
		bin->sum += rstd__with_sign_of(bits, (int64_t)m);
		bin->squares += m * m;
		used |= UINT64_C(1) << shift / 4;
	}
	for (; used; used &= used - 1) {
		const unsigned b = (unsigned)__builtin_ctzll(used);
		const int64_t sum = bins[b].sum;

		add_signed(e->sum, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), 4 * b);
		rstd__limbs_add(e->sum_sq, RSTD__SQ_LIMBS, bins[b].squares, 8 * b);
	}
}

/*
 * One bin for each sign and exponent. The loop adds the fraction f without its hidden bit, 1 to the count of elements
 * in the upper bits of the same word, and f^2; the hidden bits h = 2^23 come in when the bin is emptied:
 * sum (h + f) = h count + sum f, sum (h + f)^2 = h^2 count + 2 h sum f + sum f^2. The bin of exponent 255 tells that
 * there are elements that are not finite. Neighbouring elements go to different sets of bins: most data has few
 * exponents, and an addition to a bin just written would wait for that write.
 */
struct bin {
	uint64_t packed;  /* sum of f + count * 2^40 */
	uint64_t squares; /* sum of f^2 */
};

#define BINS      (2 * RSTD__EXPONENTS)
#define BIN_SETS  2
#define BIN_COUNT (UINT64_C(1) << 40)

/* Per bin: sum of f < 2^16 * 2^23 < 2^40, and sum of (h + f)^2 < 2^16 * 2^48 = 2^64. */
#define BLOCK ((size_t)1 << 16)

/*
 * Bytes from the elements to those fetched early. Without that the processor looks too little ahead, as the stores to
 * the bins hold it up: data beyond its caches takes twice as long.
 */
#define PREFETCH 2048

static inline void bin_add(struct bin bins[BINS], float x)
{
	const uint32_t bits = rstd__float_to_bits(x);
	const uint64_t f = bits & RSTD__FRACTION_MASK;
	struct bin *bin = &bins[bits >> RSTD__FRACTION_BITS];

	bin->packed += f | BIN_COUNT;
	bin->squares += f * f;
}

static void flush_bin(struct rstd__exact *e, size_t index, uint64_t packed, uint64_t squares)
{
	const unsigned exponent = index & (RSTD__EXPONENTS - 1), shift = exponent - (exponent != 0);
	uint64_t sum = packed & (BIN_COUNT - 1);

	if (exponent != 0) {
		const uint64_t count = packed / BIN_COUNT;

		squares += (sum << (RSTD__FRACTION_BITS + 1)) + (count << 2 * RSTD__FRACTION_BITS);
		sum += count << RSTD__FRACTION_BITS;
	}
	add_signed(e->sum, index >= RSTD__EXPONENTS, sum, shift);
	rstd__limbs_add(e->sum_sq, RSTD__SQ_LIMBS, squares, 2 * shift);
}

static void add_block(struct rstd__exact *e, const float *x, size_t n)
{
	struct bin bins[BIN_SETS][BINS] = { 0 };
	bool not_finite = false;
	size_t i;

	for (i = 0; n - i >= BIN_SETS; i += BIN_SETS) {
		__builtin_prefetch((const void *)((uintptr_t)(x + i) + PREFETCH));
		for (size_t set = 0; set < BIN_SETS; set++)
			bin_add(bins[set], x[i + set]);
	}
	for (; i < n; i++)
		bin_add(bins[0], x[i]);

	for (size_t b = 0; b < BINS; b++) {
		uint64_t packed = 0, squares = 0;

		for (size_t set = 0; set < BIN_SETS; set++) {
			packed += bins[set][b].packed;
			squares += bins[set][b].squares;
		}
		if (packed == 0)
			continue;
		if ((b & (RSTD__EXPONENTS - 1)) == RSTD__NOT_FINITE)
			not_finite = true;
		else
			flush_bin(e, b, packed, squares);
	}
	for (i = 0; i < n && not_finite; i++)
		if (rstd__exponent_field(rstd__float_to_bits(x[i])) == RSTD__NOT_FINITE)
			count_not_finite(e, rstd__float_to_bits(x[i]));
}

void rstd__exact_add(struct rstd__exact *e, const float *x, size_t n)
{
	while (n > FEW) {
		const size_t step = n < BLOCK ? n : BLOCK;

		add_block(e, x, step);
		x += step;
		n -= step;
	}
	add_few(e, x, n);
}

/* ---- Sums of (x - mean)^2 -------------------------------------------------------------------------------------- */

/* Bins of products by the sum of two shifts, at most 506. Those are 508 where one is not finite, still in reach. */
#define PRODUCT_BINS 512
#define PRODUCT_SETS 2

/*
 * One element adds the three terms of x^2 - 2 x m + m^2. All three fall into one bin only where the shifts of x and m
 * agree, and their sum is then (X - M)^2 < 2^50 with signed mantissas |X|, |M| < 2^24; otherwise each bin gets less:
 * 2^49 for 2 X M. So a bin stays below 2^13 * 2^50 = 2^63.
 */
#define PRODUCT_BLOCK ((size_t)1 << 13)

/* Emptying the bins costs about as much as this many elements one by one. */
#define PRODUCT_SHORT 100

static void add_product(uint64_t sum_sq[RSTD__SQ_LIMBS], int64_t product, unsigned shift)
{
	if (product < 0)
		rstd__limbs_sub(sum_sq, RSTD__SQ_LIMBS, (uint64_t)-product, shift);
	else
		rstd__limbs_add(sum_sq, RSTD__SQ_LIMBS, (uint64_t)product, shift);
}

static void add_ssd_one_by_one(struct rstd__exact *e, const float *x, const float *mean, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t x_bits = rstd__float_to_bits(x[i]), m_bits = rstd__float_to_bits(mean[i]);
		const int64_t xi = rstd__with_sign_of(x_bits, (int64_t)rstd__mantissa(x_bits)),
			      mi = rstd__with_sign_of(m_bits, (int64_t)rstd__mantissa(m_bits));
		const unsigned px = rstd__shift(x_bits), pm = rstd__shift(m_bits);

		if (px == pm) {
			add_product(e->sum_sq, (xi - mi) * (xi - mi), 2 * px);
			continue;
		}
		add_product(e->sum_sq, xi * xi, 2 * px);
		add_product(e->sum_sq, mi * mi, 2 * pm);
		add_product(e->sum_sq, -2 * xi * mi, px + pm);
	}
}

static inline void product_bins_add(int64_t bins[PRODUCT_BINS], float x, float mean)
{
	const uint32_t x_bits = rstd__float_to_bits(x), m_bits = rstd__float_to_bits(mean);
	const int64_t xi = rstd__with_sign_of(x_bits, (int64_t)rstd__mantissa(x_bits)),
		      mi = rstd__with_sign_of(m_bits, (int64_t)rstd__mantissa(m_bits));
	const unsigned px = rstd__shift(x_bits), pm = rstd__shift(m_bits);

	bins[2 * px] += xi * xi;
	bins[px + pm] -= 2 * xi * mi;
	bins[2 * pm] += mi * mi;
}

static void add_ssd_block(struct rstd__exact *e, const float *x, const float *mean, size_t n)
{
	int64_t bins[PRODUCT_SETS][PRODUCT_BINS] = { 0 };
	size_t i;

	for (i = 0; n - i >= PRODUCT_SETS; i += PRODUCT_SETS)
		for (size_t set = 0; set < PRODUCT_SETS; set++)
			product_bins_add(bins[set], x[i + set], mean[i + set]);
	for (; i < n; i++)
		product_bins_add(bins[0], x[i], mean[i]);

	for (unsigned b = 0; b < PRODUCT_BINS; b++) {
		int64_t product = 0;

		for (size_t set = 0; set < PRODUCT_SETS; set++)
			product += bins[set][b];
		if (product != 0)
			add_product(e->sum_sq, product, b);
	}
}

void rstd__exact_add_ssd(struct rstd__exact *e, const float *x, const float *mean, size_t n)
{
	while (n > PRODUCT_SHORT) {
		const size_t step = n < PRODUCT_BLOCK ? n : PRODUCT_BLOCK;

		add_ssd_block(e, x, mean, step);
		x += step;
		mean += step;
		n -= step;
	}
	add_ssd_one_by_one(e, x, mean, n);
}

/* What is 0 may be far above the limbs; what is not 0 is below 2^(2 * 129 + 64) in its real value, so it fits. */
void rstd__exact_add_sums(struct rstd__exact *e, int unit, int64_t sum, uint64_t squares_high, uint64_t squares_low)
{
	const unsigned shift = (unsigned)(unit - RSTD__LEAST);

	if (sum != 0)
		add_signed(e->sum, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), shift);
	if (squares_low != 0)
		rstd__limbs_add(e->sum_sq, RSTD__SQ_LIMBS, squares_low, 2 * shift);
	if (squares_high != 0)
		rstd__limbs_add(e->sum_sq, RSTD__SQ_LIMBS, squares_high, 2 * shift + 64);
}

void rstd__exact_merge(struct rstd__exact *into, const struct rstd__exact *from)
{
	into->nan_count += from->nan_count;
	into->pos_inf_count += from->pos_inf_count;
	into->neg_inf_count += from->neg_inf_count;
	rstd__limbs_merge(into->sum, from->sum, RSTD__SUM_LIMBS);
	rstd__limbs_merge(into->sum_sq, from->sum_sq, RSTD__SQ_LIMBS);
}

/* ---- Rounding -------------------------------------------------------------------------------------------------- */

/*
 * The power-th power of a positive result, power 1 or 2: num / den * 2^exponent.
 *
 * Twelve limbs suffice for n, divisor < 2^64, even for states that no data has made, as forged bytes may hold them:
 *	|sum| <= 2^383, so sum^2 < 2^768: 12 limbs
 *	sum_sq < 2^640, so n sum_sq <= (2^64 - 1) (2^640 - 1) < 2^704 - 2^639: 11 limbs
 *	n^2 epsilon < 2^(128 + 24) << 402 = 2^554
 *	num, one of n, n^2, S, n S and |sum|: 11 limbs
 *	den, one of n, n^2 and S or n S, plus the term in epsilon: less than 2^704, 11 limbs
 *	den times a power of a midpoint, which is an integer below 2^50: 12 limbs
 */
struct quotient {
	struct rstd__wide num, den;
	int exponent, power;
};

/* About x / 2^*exponent, within 2^-52 of it relatively, in [2^63, 2^64]. */
static double leading_bits(const struct rstd__wide *a, int *exponent)
{
	*exponent = rstd__wide_bits(a) - 64;
	return (double)rstd__wide_window(a, *exponent);
}

/* The result, as mantissa * 2^*exponent, 2^52 <= mantissa < 2^53, with a relative error below 2^-49. */
static uint64_t approximate(const struct quotient *q, int *exponent)
{
	int num_exponent, den_exponent;
	double r = leading_bits(&q->num, &num_exponent) / leading_bits(&q->den, &den_exponent);
	uint64_t bits;
	int e = num_exponent - den_exponent + q->exponent;

	if (q->power == 2) {
		if (e & 1) {
			r *= 2;
			e--;
		}
		r = sqrt(r);
		e /= 2;
	}
	memcpy(&bits, &r, sizeof(bits)); /* 1/2 <= r < 4: a normal number */
	*exponent = e + (int)(bits >> 52) - 1023 - 52;
	return (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
}

/* The sign of result - k * 2^exponent, exactly. */
static int compare_result(const struct quotient *q, uint64_t k, int exponent)
{
	const uint64_t k_power = q->power == 2 ? k * k : k;
	const struct rstd__wide factor = rstd__wide_from(&k_power, 1);
	const struct rstd__wide bound = rstd__wide_product(&q->den, &factor);

	return rstd__wide_compare(&q->num, &bound, q->power * exponent - q->exponent);
}

/*
 * The result, rounded to nearest, ties to even.
 *
 * With ulp = 2^u the spacing of the format around the approximation (that of the subnormals where that is larger) and
 * j = floor(approximation / ulp) < 2^24, the approximation is off by less than 2^-25 ulp. So either j ulp <= result <=
 * (j + 1) ulp, and the midpoint (2j + 1) ulp / 2 decides between the two ends; or the result lies outside by less than
 * 2^-25 ulp, rounds to the end that it is close to, and that is what the same comparison chooses. This holds also where
 * the end is a power of two, beyond which the spacing changes to at least ulp / 2, and where j = 0, the underflow.
 * The exponent of the result is not bounded above until the end, which is how IEEE 754 defines overflow.
 */
static double round_result(const struct quotient *q, enum rstd__format to)
{
	const struct rstd__format_info *format = &rstd__format_info[to];
	double result;
	uint64_t j;
	int exponent, u, side;

	if (q->num.length == 0)
		return 0;
	j = approximate(q, &exponent);
	u = exponent + 53 - format->precision;
	if (u < format->least)
		u = format->least;
	j = u - exponent < 64 ? j >> (u - exponent) : 0;

	side = compare_result(q, 2 * j + 1, u - 1);
	if (side > 0 || (side == 0 && j & 1))
		j++;
	result = (double)j * rstd__pow2(u);
	return result < rstd__pow2(format->overflow) ? result : HUGE_VAL;
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

/* What to divide deviations(), below, by to have the variance S / n. */
static struct rstd__wide variance_divisor(uint64_t n, bool about_mean)
{
	const struct rstd__wide one_n = rstd__wide_from(&n, 1);

	return about_mean ? one_n : rstd__wide_product(&one_n, &one_n);
}

/*
 * S about a given mean, else n S = n sum_sq - sum^2; unit 2^-298. False if that is negative, which no data can cause
 * (by the Cauchy-Schwarz inequality), only a state made up by hand.
 */
static bool deviations(struct rstd__wide *s, const struct rstd__exact *e, uint64_t n, bool about_mean)
{
	const struct rstd__wide sum_sq = rstd__wide_from(e->sum_sq, RSTD__SQ_LIMBS);

	if (about_mean) {
		*s = sum_sq;
		return true;
	}

	const struct rstd__wide one_n = rstd__wide_from(&n, 1), sum = rstd__wide_magnitude(e->sum, RSTD__SUM_LIMBS);
	const struct rstd__wide minuend = rstd__wide_product(&sum_sq, &one_n),
				subtrahend = rstd__wide_product(&sum, &sum);

	if (rstd__wide_compare(&minuend, &subtrahend, 0) < 0)
		return false;
	*s = rstd__wide_difference(&minuend, &subtrahend);
	return true;
}

double rstd__exact_std(const struct rstd__exact *e, uint64_t n, bool about_mean, uint64_t divisor, enum rstd__format to)
{
	const struct rstd__wide one_divisor = rstd__wide_from(&divisor, 1), one_n = rstd__wide_from(&n, 1);
	struct quotient q = { .exponent = -298, .power = 2 };

	if (!deviations(&q.num, e, n, about_mean))
		return (double)NAN;
	q.den = about_mean ? one_divisor : rstd__wide_product(&one_n, &one_divisor);
	return round_result(&q, to);
}

double rstd__exact_invstd(const struct rstd__exact *e, uint64_t n, bool about_mean, float epsilon, enum rstd__format to)
{
	const uint32_t bits = rstd__float_to_bits(epsilon);
	const uint64_t epsilon_mantissa = rstd__mantissa(bits);
	const struct rstd__wide factor = rstd__wide_from(&epsilon_mantissa, 1);
	struct quotient q = { .num = variance_divisor(n, about_mean), .exponent = 298, .power = 2 };
	struct rstd__wide s, added;

	if (!deviations(&s, e, n, about_mean))
		return (double)NAN;
	added = rstd__wide_product(&q.num, &factor);
	added = rstd__wide_shifted_left(&added, 298 - 149 + (int)rstd__shift(bits));
	if (bits >> 31) {
		if (rstd__wide_compare(&s, &added, 0) < 0)
			return (double)NAN;
		q.den = rstd__wide_difference(&s, &added);
	} else {
		q.den = rstd__wide_sum(&s, &added);
	}
	return q.den.length == 0 ? HUGE_VAL : round_result(&q, to);
}

double rstd__exact_mean(const struct rstd__exact *e, uint64_t n, enum rstd__format to)
{
	const struct quotient q = {
		.num = rstd__wide_magnitude(e->sum, RSTD__SUM_LIMBS),
		.den = rstd__wide_from(&n, 1),
		.exponent = -149,
		.power = 1,
	};
	const double result = round_result(&q, to);

	return e->sum[RSTD__SUM_LIMBS - 1] >> 63 ? -result : result;
}

bool rstd__exact_is_constant(const struct rstd__exact *e, uint64_t n, bool about_mean)
{
	struct rstd__wide s;

	return deviations(&s, e, n, about_mean) && s.length == 0;
}
