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

static void FN(range_f32)(const void *x, size_t n, struct rstd__range *range)
{
	const unsigned char *p = x;
	int32_t least = range->least, largest = range->largest;

	for (size_t i = 0; i < n; i++) {
		const float element = rstd__load(RSTD__F32, p + i * sizeof(float));
		const int32_t magnitude = (int32_t)(rstd__float_to_bits(element) & INT32_MAX);
		const int32_t not_zero = (magnitude - 1) & INT32_MAX; /* 0 becomes the largest */

		least = not_zero < least ? not_zero : least;
		largest = magnitude > largest ? magnitude : largest;
	}
	range->least = least;
	range->largest = largest;
}

/* Magnitudes of 16 bits, which are in the order of their bits; then as floats. */
static inline void FN(range_16)(enum rstd__format format, const void *x, size_t n, struct rstd__range *range)
{
	const unsigned char *p = x;
	uint16_t least = UINT16_MAX, largest = 0;

	for (size_t i = 0; i < n; i++) {
		uint16_t bits;

		memcpy(&bits, p + i * sizeof(bits), sizeof(bits));
		bits &= INT16_MAX;
		largest = bits > largest ? bits : largest;
		bits = (uint16_t)(bits - 1); /* 0 becomes the largest */
		least = bits < least ? bits : least;
	}
	if (largest == 0)
		return;
	least++;

	const int32_t low = (int32_t)rstd__float_to_bits(rstd__load(format, &least)) - 1;
	const int32_t high = (int32_t)rstd__float_to_bits(rstd__load(format, &largest));

	range->least = low < range->least ? low : range->least;
	range->largest = high > range->largest ? high : range->largest;
}

static void FN(range_f16)(const void *x, size_t n, struct rstd__range *range)
{
	FN(range_16)(RSTD__F16, x, n, range);
}

static void FN(range_bf16)(const void *x, size_t n, struct rstd__range *range)
{
	FN(range_16)(RSTD__BF16, x, n, range);
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
