/*
 * plain_tmpl.h - the loops of plain.c over one dtype
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Includer: T, the element as stored; WIDEN(), from T to float; FN(name), the name with the dtype in it; CLONES;
 * LANES, sums in flight; COLUMNS, columns at a time; struct share.
 */

static inline double FN(sum)(const T *x, size_t n)
{
	double acc[LANES] = { 0 }, sum = 0;
	size_t i = 0;

	for (; n - i >= LANES; i += LANES)
		for (size_t j = 0; j < LANES; j++)
			acc[j] += (double)WIDEN(x[i + j]);
	for (size_t j = 0; j < LANES && n >= LANES; j++)
		sum += acc[j];
	for (; i < n; i++)
		sum += (double)WIDEN(x[i]);
	return sum;
}

static inline double FN(squares)(const T *x, size_t n, double mean)
{
	double acc[LANES] = { 0 }, sum = 0;
	size_t i = 0;

	for (; n - i >= LANES; i += LANES)
		for (size_t j = 0; j < LANES; j++) {
			const double d = (double)WIDEN(x[i + j]) - mean;

			acc[j] += d * d;
		}
	for (size_t j = 0; j < LANES && n >= LANES; j++)
		sum += acc[j];
	for (; i < n; i++) {
		const double d = (double)WIDEN(x[i]) - mean;

		sum += d * d;
	}
	return sum;
}

static inline double FN(squares_full)(const T *x, const T *m, size_t n)
{
	double acc[LANES] = { 0 }, sum = 0;
	size_t i = 0;

	for (; n - i >= LANES; i += LANES)
		for (size_t j = 0; j < LANES; j++) {
			const double d = (double)WIDEN(x[i + j]) - (double)WIDEN(m[i + j]);

			acc[j] += d * d;
		}
	for (size_t j = 0; j < LANES && n >= LANES; j++)
		sum += acc[j];
	for (; i < n; i++) {
		const double d = (double)WIDEN(x[i]) - (double)WIDEN(m[i]);

		sum += d * d;
	}
	return sum;
}

static double FN(given_mean)(const struct plain_job *job, size_t c)
{
	const T *mean = job->mean;

	return (double)WIDEN(mean[c * job->mean_stride]);
}

/* Channels from to to, whose elements lie in one run each: both passes over one while it is in the cache. */
CLONES static void *FN(channels)(void *context)
{
	const struct share *share = context;
	const struct plain_job *job = share->job;
	const struct plain_shape shape = job->shape;
	const T *x = job->x, *m = job->mean;

	for (size_t c = share->from; c < share->to; c++) {
		double mean = 0, squares = 0;

		if (job->kind == PLAIN_CHANNEL)
			mean = FN(given_mean)(job, c);
		for (size_t i = 0; i < shape.n && job->kind == PLAIN_OWN; i++)
			mean += FN(sum)(x + i * shape.stride_n + c * shape.stride_c, shape.s) / share->elements;
		for (size_t i = 0; i < shape.n; i++) {
			const size_t at = i * shape.stride_n + c * shape.stride_c;

			squares += job->kind == PLAIN_FULL ? FN(squares_full)(x + at, m + at, shape.s)
			                                   : FN(squares)(x + at, shape.s, mean);
		}
		job->out[c] = finish(job, squares, share->elements);
	}
	return NULL;
}

/* Elements from to to of every run, one pass. */
CLONES static void *FN(pieces)(void *context)
{
	const struct share *share = context;
	const struct plain_job *job = share->job;
	const struct plain_shape shape = job->shape;
	const T *x = job->x, *m = job->mean;
	const size_t s = share->to - share->from;

	for (size_t c = 0; c < shape.c; c++)
		for (size_t i = 0; i < shape.n; i++) {
			const size_t at = i * shape.stride_n + c * shape.stride_c + share->from;

			if (job->kind == PLAIN_FULL)
				share->sum[c] += FN(squares_full)(x + at, m + at, s);
			else if (share->mean)
				share->sum[c] += FN(squares)(x + at, s, share->mean[c]);
			else
				share->sum[c] += FN(sum)(x + at, s);
		}
	return NULL;
}

/* Rows from to to of a matrix whose columns are reduced, one pass. */
CLONES static void *FN(rows)(void *context)
{
	const struct share *share = context;
	const struct plain_shape shape = share->job->shape;
	const double *restrict mean = share->mean;
	double *restrict sum = share->sum;

	for (size_t i = share->from; i < share->to; i++) {
		const T *x = (const T *)share->job->x + i * shape.stride_n;

		for (size_t c = 0; c < shape.c && !mean; c++)
			sum[c] += (double)WIDEN(x[c]);
		for (size_t c = 0; c < shape.c && mean; c++) {
			const double d = (double)WIDEN(x[c]) - mean[c];

			sum[c] += d * d;
		}
	}
	return NULL;
}

/* Arrays from to to of those with columns to reduce: both passes over a few columns while these are in the cache. */
CLONES static void *FN(arrays)(void *context)
{
	const struct share *share = context;
	const struct plain_job *job = share->job;
	const size_t n = job->shape.n, c = job->shape.c;

	for (size_t at = share->from * c, width; at < share->to * c; at += width) {
		const T *x = (const T *)job->x + at / c * n * c + at % c;
		double mean[COLUMNS] = { 0 }, squares[COLUMNS] = { 0 };

		width = c - at % c < COLUMNS ? c - at % c : COLUMNS;
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < width; j++)
				mean[j] += (double)WIDEN(x[i * c + j]);
		for (size_t j = 0; j < width; j++)
			mean[j] /= share->elements;
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < width; j++) {
				const double d = (double)WIDEN(x[i * c + j]) - mean[j];

				squares[j] += d * d;
			}
		for (size_t j = 0; j < width; j++)
			job->out[at + j] = finish(job, squares[j], share->elements);
	}
	return NULL;
}

static const struct loops FN(loops) = { FN(given_mean), FN(channels), FN(pieces), FN(rows), FN(arrays) };
