/*
 * plain_tmpl.h - the loops of plain.c over one dtype
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Includer: T, the element as stored; WIDEN(), from T to float; FN(name), the name with the dtype in it;
 * CLONES; LANES, sums in flight.
 */

CLONES static double FN(sum)(const void *data, size_t n)
{
	const T *x = data;
	double acc[LANES] = { 0 }, sum = 0;
	size_t i = 0;

	for (; n - i >= LANES; i += LANES)
		for (size_t j = 0; j < LANES; j++)
			acc[j] += (double)WIDEN(x[i + j]);
	for (; i < n; i++)
		sum += (double)WIDEN(x[i]);
	for (size_t j = 0; j < LANES && n >= LANES; j++)
		sum += acc[j];
	return sum;
}

CLONES static double FN(squares)(const void *data, size_t n, double mean)
{
	const T *x = data;
	double acc[LANES] = { 0 }, sum = 0;
	size_t i = 0;

	for (; n - i >= LANES; i += LANES)
		for (size_t j = 0; j < LANES; j++) {
			const double d = (double)WIDEN(x[i + j]) - mean;

			acc[j] += d * d;
		}
	for (; i < n; i++) {
		const double d = (double)WIDEN(x[i]) - mean;

		sum += d * d;
	}
	for (size_t j = 0; j < LANES && n >= LANES; j++)
		sum += acc[j];
	return sum;
}

CLONES static double FN(squares_full)(const void *data, const void *means, size_t n)
{
	const T *x = data, *m = means;
	double acc[LANES] = { 0 }, sum = 0;
	size_t i = 0;

	for (; n - i >= LANES; i += LANES)
		for (size_t j = 0; j < LANES; j++) {
			const double d = (double)WIDEN(x[i + j]) - (double)WIDEN(m[i + j]);

			acc[j] += d * d;
		}
	for (; i < n; i++) {
		const double d = (double)WIDEN(x[i]) - (double)WIDEN(m[i]);

		sum += d * d;
	}
	for (size_t j = 0; j < LANES && n >= LANES; j++)
		sum += acc[j];
	return sum;
}

CLONES static void FN(add_row)(const void *data, size_t c, double *restrict sum)
{
	const T *x = data;

	for (size_t i = 0; i < c; i++)
		sum[i] += (double)WIDEN(x[i]);
}

CLONES static void FN(add_row_squares)(const void *data, size_t c, const double *restrict mean, double *restrict sum)
{
	const T *x = data;

	for (size_t i = 0; i < c; i++) {
		const double d = (double)WIDEN(x[i]) - mean[i];

		sum[i] += d * d;
	}
}

static double FN(get)(const void *data, size_t i)
{
	const T *x = data;

	return (double)WIDEN(x[i]);
}

static const struct loops FN(loops) = {
	sizeof(T), FN(sum), FN(squares), FN(squares_full), FN(add_row), FN(add_row_squares), FN(get),
};
