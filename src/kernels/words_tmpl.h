/*
 * words_tmpl.h - elements as floats and as integers, and sums of these: the loops of words.c
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plain loops, which the compiler makes vectors of for each instruction set.
 *
 * Includer: FN(name).
 */

static void FN(widen_f32)(const void *x, size_t n, float *to)
{
	memcpy(to, x, n * sizeof(float));
}

static void FN(widen_f16)(const void *x, size_t n, float *to)
{
	const unsigned char *p = x;

	for (size_t i = 0; i < n; i++)
		to[i] = rstd__load(RSTD__F16, p + i * sizeof(uint16_t));
}

static void FN(widen_bf16)(const void *x, size_t n, float *to)
{
	const unsigned char *p = x;

	for (size_t i = 0; i < n; i++)
		to[i] = rstd__load(RSTD__BF16, p + i * sizeof(uint16_t));
}

/* Magnitudes, the lesser ones less 1: that makes 0 the largest integer without a sign. */
static inline void FN(range_32)(const unsigned char *x, uint32_t *least, int32_t *largest)
{
	uint32_t bits;

	memcpy(&bits, x, sizeof(bits));
	bits &= INT32_MAX;
	*largest = (int32_t)bits > *largest ? (int32_t)bits : *largest;
	bits--;
	*least = bits < *least ? bits : *least;
}

/* Widens a range to one of these. */
static inline void FN(range_join_32)(uint32_t least, int32_t largest, struct rstd__range *range)
{
	const int32_t low = (int32_t)(least & INT32_MAX);

	range->least = low < range->least ? low : range->least;
	range->largest = largest > range->largest ? largest : range->largest;
}

static void FN(range_f32)(const void *x, size_t n, struct rstd__range *range)
{
	const unsigned char *p = x;
	uint32_t least = UINT32_MAX;
	int32_t largest = -1;

	for (size_t i = 0; i < n; i++)
		FN(range_32)(p + i * sizeof(float), &least, &largest);
	FN(range_join_32)(least, largest, range);
}

/* Magnitudes of 16 bits are in the order of their bits, too. */
static inline void FN(range_16)(const unsigned char *x, uint16_t *least, int16_t *largest)
{
	uint16_t bits;

	memcpy(&bits, x, sizeof(bits));
	bits &= INT16_MAX;
	*largest = (int16_t)bits > *largest ? (int16_t)bits : *largest;
	bits = (uint16_t)(bits - 1);
	*least = bits < *least ? bits : *least;
}

/* Widens a range to one of 16 bits. */
static inline void FN(range_join)(enum rstd__format format, uint16_t least, int16_t largest, struct rstd__range *range)
{
	if (largest <= 0)
		return;
	least++;

	const int32_t low = (int32_t)rstd__float_to_bits(rstd__load(format, &least)) - 1;
	const int32_t high = (int32_t)rstd__float_to_bits(rstd__load(format, &largest));

	range->least = low < range->least ? low : range->least;
	range->largest = high > range->largest ? high : range->largest;
}

static inline void FN(range_halves)(enum rstd__format format, const void *x, size_t n, struct rstd__range *range)
{
	const unsigned char *p = x;
	uint16_t least = UINT16_MAX;
	int16_t largest = -1;

	for (size_t i = 0; i < n; i++)
		FN(range_16)(p + i * sizeof(uint16_t), &least, &largest);
	FN(range_join)(format, least, largest, range);
}

static void FN(range_f16)(const void *x, size_t n, struct rstd__range *range)
{
	FN(range_halves)(RSTD__F16, x, n, range);
}

static void FN(range_bf16)(const void *x, size_t n, struct rstd__range *range)
{
	FN(range_halves)(RSTD__BF16, x, n, range);
}

/*
 * The exponent of the least bit that is set in a float, above RSTD__LEAST, plus 128, times 2^23; UINT32_MAX for 0. Of the
 * mantissa that bit alone is made a float, whose exponent tells where it is: no subnormal takes part, which would take
 * long. The hidden bit that subnormals have not does no harm, as they have another one.
 */
static inline uint32_t FN(least_bit)(float x)
{
	const uint32_t one = UINT32_C(1) << RSTD__FRACTION_BITS, bits = rstd__float_to_bits(x) & INT32_MAX;
	const uint32_t field = bits & ~RSTD__FRACTION_MASK, exponent = field > one ? field : one;
	const int32_t mantissa = (int32_t)((bits & RSTD__FRACTION_MASK) | one);
	const uint32_t none = bits == 0 ? UINT32_MAX : 0;

	return (exponent + rstd__float_to_bits((float)(mantissa & -mantissa))) | none;
}

static inline __attribute__((always_inline)) int FN(grain)(enum rstd__format format, const void *x, size_t n, int grain)
{
	const unsigned char *p = x;
	uint32_t least = (uint32_t)(grain + 128) << RSTD__FRACTION_BITS;

	for (size_t i = 0; i < n; i++) {
		const uint32_t bit = FN(least_bit)(rstd__load(format, p + i * rstd__format_info[format].size));

		least = bit < least ? bit : least;
	}
	return (int)(least >> RSTD__FRACTION_BITS) - 128;
}

/* One entry of the table for each format. */
#define GRAIN_ENTRY(name, format)                                                                                      \
	static int FN(grain_##name)(const void *x, size_t n, int grain)                                                \
	{                                                                                                              \
		return FN(grain)(format, x, n, grain);                                                                 \
	}
GRAIN_ENTRY(f32, RSTD__F32)
GRAIN_ENTRY(f16, RSTD__F16)
GRAIN_ENTRY(bf16, RSTD__BF16)
#undef GRAIN_ENTRY

/* An integer below 2^51 in magnitude: by so much the bits of the sum are more than those of 1.5 * 2^52. */
static inline int64_t FN(to_integer)(double x)
{
	const double sum = x + 0x1.8p52;
	int64_t bits;

	memcpy(&bits, &sum, sizeof(bits));
	return bits - INT64_C(0x4338000000000000);
}

/* The factors are below 2^32, and the compiler gets to know. */
static inline uint64_t FN(product)(uint64_t a, uint64_t b)
{
	return (a & UINT32_MAX) * (b & UINT32_MAX);
}

static inline __attribute__((always_inline)) void FN(halves_of)(const float *x, const float *mean, size_t n,
                                                                double scale, struct rstd__halves *sums)
{
	uint64_t high = 0, cross = 0, low = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const double v = (mean ? (double)x[i] - (double)mean[i] : (double)x[i]) * scale;
		const uint64_t magnitude = (uint64_t)FN(to_integer)(fabs(v));
		const uint64_t h = magnitude >> RSTD__HALF, l = magnitude & ((UINT64_C(1) << RSTD__HALF) - 1);

		sum += FN(to_integer)(v);
		high += FN(product)(h, h);
		cross += FN(product)(h, l);
		low += FN(product)(l, l);
	}
	*sums = (struct rstd__halves){ sum, high, cross, low };
}

static void FN(halves)(const float *x, const float *mean, size_t n, double scale, struct rstd__halves *sums)
{
	if (mean)
		FN(halves_of)(x, mean, n, scale, sums);
	else
		FN(halves_of)(x, NULL, n, scale, sums);
}
