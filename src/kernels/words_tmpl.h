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
 * The weight of the least bit that is set in a float: x less x without that bit; x where that is the hidden one. 0 for
 * 0. As bits, which are in the order of the weights.
 */
static inline int32_t FN(least_weight)(float x)
{
	const int32_t magnitude = (int32_t)(rstd__float_to_bits(x) & INT32_MAX);
	const int32_t rest = magnitude & (int32_t)RSTD__FRACTION_MASK ? magnitude & (magnitude - 1) : 0;

	return (int32_t)rstd__float_to_bits(rstd__float_from_bits((uint32_t)magnitude) -
	                                    rstd__float_from_bits((uint32_t)rest));
}

static inline __attribute__((always_inline)) float FN(grain)(enum rstd__format format, const void *x, size_t n,
                                                             float grain)
{
	const unsigned char *p = x;
	int32_t least = (int32_t)rstd__float_to_bits(grain) - 1;

	for (size_t i = 0; i < n; i++) {
		const float element = rstd__load(format, p + i * rstd__format_info[format].size);
		const int32_t weight = (FN(least_weight)(element) - 1) & INT32_MAX; /* 0 becomes the largest */

		least = weight < least ? weight : least;
	}
	return rstd__float_from_bits((uint32_t)least + 1);
}

/* One entry of the table for each format. */
#define GRAIN_ENTRY(name, format)                                                                                      \
	static float FN(grain_##name)(const void *x, size_t n, float grain)                                            \
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
