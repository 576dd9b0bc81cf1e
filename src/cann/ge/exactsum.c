/*
 * exactsum.c - sums and variances, rounded once
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A state of rstd_moments holds sum x in units of 2^-149 and sum x^2 in units of 2^-298. With n elements the variance
 * is (n sum x^2 - (sum x)^2) / (n divisor), a quotient of integers: it is divided as one, and rounded with the help
 * of what is left over. About a given mean, S = sum x^2 - 2 x mean + mean^2 is summed as an integer of the same unit.
 */
#include "cann/ge/exactsum.h"

#include <math.h>
#include <string.h>

#include "cann/ge/convert.h"
#include "cann/ge/rows.h"
#include "rstd/graph.h"

__extension__ typedef unsigned __int128 uint128;

#define SUM_LIMBS 6
#define SQ_LIMBS  10
#define LIMBS     12 /* of n sum x^2 and of (sum x)^2 */
#define SUM_UNIT  (-149)

/* ---- Rounding ------------------------------------------------------------------------------------------------ */

struct format {
	int precision, least; /* significant bits; the exponent of the least subnormal */
};

static struct format format_of(rstd_dtype dtype)
{
	static const struct format formats[] = {
		[RSTD_F32] = { 24, -149 }, [RSTD_F16] = { 11, -24 }, [RSTD_BF16] = { 8, -133 }
	};

	return formats[dtype];
}

static int bit_length(const uint64_t *limbs, int count)
{
	int length = 0;

	while (count > 0 && limbs[count - 1] == 0)
		count--;
	if (count == 0)
		return 0;
	while (length < 64 && limbs[count - 1] >> length)
		length++;
	return (count - 1) * 64 + length;
}

static bool bit(const uint64_t *limbs, int at)
{
	return limbs[at / 64] >> (at % 64) & 1;
}

static bool any_below(const uint64_t *limbs, int at)
{
	for (int i = 0; i < at / 64; i++)
		if (limbs[i])
			return true;
	return at % 64 && limbs[at / 64] << (64 - at % 64);
}

/*
 * limbs * 2^unit, or a value between that and the next integer's when `more`, rounded to the dtype. unit is at most the
 * exponent of the least subnormal. From 2^128 (2^16) on the result stands for Inf.
 */
static double round_limbs(const uint64_t *limbs, int count, int unit, bool more, rstd_dtype dtype)
{
	const struct format format = format_of(dtype);
	const int length = bit_length(limbs, count);
	const int last =
		length + unit - format.precision > format.least ? length + unit - format.precision : format.least;
	const int drop = last - unit;
	uint64_t mantissa = 0;

	for (int i = length - 1; i >= drop; i--)
		mantissa = mantissa << 1 | bit(limbs, i);
	if (drop > 0 && drop <= length && bit(limbs, drop - 1) && (more || any_below(limbs, drop - 1) || mantissa & 1))
		mantissa++;
	return ldexp((double)mantissa, last);
}

/* ---- Integers of many limbs ---------------------------------------------------------------------------------- */

/* sum = |sum|; returns whether it was negative. Two's complement. */
static bool make_positive(uint64_t sum[SUM_LIMBS])
{
	const bool negative = sum[SUM_LIMBS - 1] >> 63;
	uint64_t carry = 1;

	for (int i = 0; negative && i < SUM_LIMBS; i++) {
		sum[i] = ~sum[i] + carry;
		carry = carry && sum[i] == 0;
	}
	return negative;
}

static void multiply(uint64_t product[LIMBS], const uint64_t *a, int a_limbs, const uint64_t *b, int b_limbs)
{
	memset(product, 0, LIMBS * sizeof(*product));
	for (int i = 0; i < a_limbs; i++) {
		uint64_t carry = 0;

		for (int j = 0; j < b_limbs; j++) {
			const uint128 t = (uint128)a[i] * b[j] + product[i + j] + carry;

			product[i + j] = (uint64_t)t;
			carry = (uint64_t)(t >> 64);
		}
		if (i + b_limbs < LIMBS)
			product[i + b_limbs] = carry;
	}
}

static void subtract(uint64_t a[LIMBS], const uint64_t b[LIMBS])
{
	uint64_t borrow = 0;

	for (int i = 0; i < LIMBS; i++) {
		const uint128 t = (uint128)a[i] - b[i] - borrow;

		a[i] = (uint64_t)t;
		borrow = (uint64_t)(t >> 64) & 1;
	}
}

/* a = a / divisor, divisor > 0; returns whether something is left over. */
static bool divide(uint64_t a[LIMBS], uint64_t divisor)
{
	uint64_t rest = 0;

	for (int i = LIMBS; i-- > 0;) {
		const uint128 t = (uint128)rest << 64 | a[i];

		a[i] = (uint64_t)(t / divisor);
		rest = (uint64_t)(t % divisor);
	}
	return rest != 0;
}

/* ---- Results of a state -------------------------------------------------------------------------------------- */

double rstd__moments_sum(const rstd_moments *m, rstd_dtype dtype)
{
	uint64_t sum[SUM_LIMBS];
	double magnitude;
	bool negative;

	if (m->nan_count > 0 || (m->pos_inf_count > 0 && m->neg_inf_count > 0))
		return (double)NAN;
	if (m->pos_inf_count > 0 || m->neg_inf_count > 0)
		return m->pos_inf_count > 0 ? (double)INFINITY : (double)-INFINITY;
	memcpy(sum, m->sum, sizeof(sum));
	negative = make_positive(sum);
	magnitude = round_limbs(sum, SUM_LIMBS, SUM_UNIT, false, dtype);
	return negative && magnitude > 0 ? -magnitude : magnitude;
}

double rstd__moments_variance(const rstd_moments *m, int64_t correction, rstd_dtype dtype)
{
	const uint64_t n = m->count;
	const uint64_t divisor = n > (uint64_t)correction ? n - (uint64_t)correction : 0;
	uint64_t sum[SUM_LIMBS], square[LIMBS], spread[LIMBS];
	bool more;

	if (n == 0 || m->nan_count > 0 || m->pos_inf_count > 0 || m->neg_inf_count > 0)
		return (double)NAN;
	memcpy(sum, m->sum, sizeof(sum));
	(void)make_positive(sum);
	multiply(square, sum, SUM_LIMBS, sum, SUM_LIMBS);
	multiply(spread, m->sum_sq, SQ_LIMBS, &n, 1);
	subtract(spread, square);
	if (divisor == 0)
		return bit_length(spread, LIMBS) > 0 ? (double)INFINITY : (double)NAN;
	more = divide(spread, n);
	more |= divide(spread, divisor);
	return round_limbs(spread, LIMBS, 2 * SUM_UNIT, more, dtype);
}

/* ---- Slices -------------------------------------------------------------------------------------------------- */

void rstd__slices_init(struct rstd__slices *s, const rstd_tensor *x, uint64_t axes)
{
	memset(s, 0, sizeof(*s));
	s->slice.dtype = x->dtype;
	s->count = 1;
	for (size_t a = 0; a < x->rank; a++) {
		if (axes >> a & 1) {
			s->slice.shape[s->slice.rank] = x->shape[a];
			s->slice.strides[s->slice.rank++] = x->strides[a];
			continue;
		}
		s->dims[s->kept] = x->shape[a];
		s->strides[s->kept++] = x->strides[a];
		s->count *= (size_t)x->shape[a];
	}
}

static size_t size_of(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? 4 : 2;
}

/* Where slice `index` begins, in elements after x. */
static ptrdiff_t slice_offset(const struct rstd__slices *s, size_t index)
{
	ptrdiff_t offset = 0;

	for (size_t a = s->kept; a-- > 0;) {
		offset += (ptrdiff_t)(index % (size_t)s->dims[a]) * (ptrdiff_t)s->strides[a];
		index /= (size_t)s->dims[a];
	}
	return offset;
}

/* The slice with its data, which rstd_tensor has as not const although inputs are only read. */
static rstd_tensor slice_at(const struct rstd__slices *s, const void *x, size_t index)
{
	rstd_tensor slice = s->slice;
	const unsigned char *data = x;

	data += slice_offset(s, index) * (ptrdiff_t)size_of(slice.dtype);
	memcpy(&slice.data, &data, sizeof(slice.data));
	return slice;
}

static int32_t ge_dtype(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? RSTD_DT_FLOAT : dtype == RSTD_F16 ? RSTD_DT_FLOAT16 : RSTD_DT_BF16;
}

static void store(rstd_dtype dtype, void *to, size_t index, double value)
{
	union rstd__block block;

	if (dtype == RSTD_F32)
		block.f[0] = (float)value;
	else
		block.d[0] = value;
	rstd__store_block(ge_dtype(dtype), &block, 1, (unsigned char *)to + index * size_of(dtype));
}

rstd_status rstd__sums(const struct rstd__slices *s, const void *x, void *y)
{
	for (size_t i = 0; i < s->count; i++) {
		const rstd_tensor slice = slice_at(s, x, i);
		rstd_moments moments = { 0 };
		const rstd_status status = rstd_moments_update(&moments, 1, &slice, NULL, 0);

		if (status != RSTD_OK)
			return status;
		store(slice.dtype, y, i, rstd__moments_sum(&moments, slice.dtype));
	}
	return RSTD_OK;
}

rstd_status rstd__variances(const struct rstd__slices *s, const void *x, int64_t correction, void *var, void *mean)
{
	rstd_status status = RSTD_OK;

	for (size_t i = 0; i < s->count && status == RSTD_OK; i++) {
		const rstd_tensor slice = slice_at(s, x, i);
		rstd_moments moments = { 0 };

		status = rstd_moments_update(&moments, 1, &slice, NULL, 0);
		if (status == RSTD_OK && var)
			store(slice.dtype, var, i, rstd__moments_variance(&moments, correction, slice.dtype));
		if (status == RSTD_OK && mean)
			status = rstd_moments_mean(&moments, 1, slice.dtype,
			                           (unsigned char *)mean + i * size_of(slice.dtype));
	}
	return status;
}

/* ---- About a given mean -------------------------------------------------------------------------------------- */

/* S = sum (x - mean)^2 of the finite differences, in units of 2^-298, and whether others were met. */
struct spread {
	uint64_t limbs[LIMBS]; /* two's complement while terms come in; never negative in the end */
	uint64_t count;
	bool nan, inf;
};

/* acc += a * b * 2^twice, or -= when negative; of a and b, finite floats, the magnitudes count. */
static void add_product(uint64_t acc[LIMBS], double a, double b, unsigned twice, bool negative)
{
	int exponent_a, exponent_b;
	const double fraction_a = frexp(fabs(a), &exponent_a), fraction_b = frexp(fabs(b), &exponent_b);
	/* 24 bits each; their product is one of 2^-298, so what a shift to the right drops is zero */
	const uint64_t product = (uint64_t)(fraction_a * 0x1p24) * (uint64_t)(fraction_b * 0x1p24);
	const int shift = exponent_a + exponent_b - 48 + (int)twice - 2 * SUM_UNIT;
	const int limb = shift > 0 ? shift / 64 : 0;
	const uint128 term = shift > 0 ? (uint128)product << (shift % 64) : product >> -shift;
	uint64_t carry = 0;

	for (int i = limb; product > 0 && i < LIMBS; i++) {
		const uint64_t add = i == limb ? (uint64_t)term : i == limb + 1 ? (uint64_t)(term >> 64) : 0;
		const uint128 t = negative ? (uint128)acc[i] - add - carry : (uint128)acc[i] + add + carry;

		acc[i] = (uint64_t)t;
		carry = (uint64_t)(t >> 64) & 1;
	}
}

static void add_difference(struct spread *s, double x, double mean)
{
	const double difference = x - mean; /* of floats: not finite only if one of them is not */

	s->count++;
	if (difference != difference) {
		s->nan = true;
	} else if (difference - difference != 0) {
		s->inf = true;
	} else {
		add_product(s->limbs, x, x, 0, false);
		add_product(s->limbs, mean, mean, 0, false);
		add_product(s->limbs, x, mean, 1, (x < 0) == (mean < 0));
	}
}

static double variance_of(struct spread *s, int64_t correction, rstd_dtype dtype)
{
	const uint64_t divisor = s->count > (uint64_t)correction ? s->count - (uint64_t)correction : 0;
	bool more;

	if (s->nan || s->count == 0)
		return (double)NAN;
	if (s->inf || (divisor == 0 && bit_length(s->limbs, LIMBS) > 0))
		return (double)INFINITY;
	if (divisor == 0)
		return (double)NAN;
	more = divide(s->limbs, divisor);
	return round_limbs(s->limbs, LIMBS, 2 * SUM_UNIT, more, dtype);
}

static double load(const rstd_tensor *t, ptrdiff_t at)
{
	const unsigned char *data = t->data;
	double value;

	rstd__load_doubles(ge_dtype(t->dtype), data + at * (ptrdiff_t)size_of(t->dtype), 1, 1, &value);
	return value;
}

/* Adds a slice, or what is left of it when the axes before `axis` stand at the offsets at_x and at_mean. */
static void add_slice(struct spread *s, const rstd_tensor *x, const rstd_tensor *mean, size_t axis, ptrdiff_t at_x,
                      ptrdiff_t at_mean)
{
	if (axis == x->rank) {
		add_difference(s, load(x, at_x), load(mean, at_mean));
		return;
	}
	for (int64_t i = 0; i < x->shape[axis]; i++)
		add_slice(s, x, mean, axis + 1, at_x + (ptrdiff_t)(i * x->strides[axis]),
		          at_mean + (ptrdiff_t)(i * mean->strides[axis]));
}

void rstd__variances_about(const struct rstd__slices *s, const void *x, const struct rstd__slices *mean_slices,
                           const void *mean, int64_t correction, void *var)
{
	for (size_t i = 0; i < s->count; i++) {
		const rstd_tensor slice = slice_at(s, x, i), mean_slice = slice_at(mean_slices, mean, i);
		struct spread spread = { .count = 0 };

		add_slice(&spread, &slice, &mean_slice, 0, 0, 0);
		store(slice.dtype, var, i, variance_of(&spread, correction, slice.dtype));
	}
}
