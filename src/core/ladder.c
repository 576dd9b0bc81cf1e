/*
 * ladder.c - the levels above the first, for the few outputs that fast sums do not settle
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Level 1 sums again about a better centre, with every rounding error found, and compares the result with the midpoint
 * between two neighbours of the format: an expression of a few doubles whose sign is found without rounding. Level 2
 * does the same in integers. Derivations: docs/numerics.md.
 */
#include "core/ladder.h"

#include <math.h>

#include "core/expansion.h"
#include "kernels/exact.h"
#include "kernels/words.h"

/* Elements that are read at a time, as floats: 16 KiB for x and as much for the means. */
#define BLOCK RSTD__WORDS_MAX

/* The largest integer below which every integer is a double. */
#define DOUBLE_INTEGERS (UINT64_C(1) << 53)

/* An output on its way up. */
struct slice {
	const struct rstd_plan *plan;
	const unsigned char *x, *given; /* where the slice starts; given is NULL for an own mean */
	bool want_y, want_mean;         /* what is still to be settled */
};

/* ---- Reading a slice ----------------------------------------------------------------------------------------- */

typedef void take_block(void *context, const float *x, const float *mean, size_t n);

/* Hands the slice to take() in blocks; mean has the given means, or `centre` for each element. */
static __attribute__((noinline)) void read_slice(const struct slice *slice, float centre, take_block *take,
                                                 void *context)
{
	const struct rstd_plan *plan = slice->plan;
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const enum rstd__format format = plan->format[RSTD__X];
	const uint64_t rows = plan->n / (uint64_t)run->count;
	float x[BLOCK], mean[BLOCK];
	struct rstd__walk walk;
	size_t filled = 0;

	for (size_t i = 0; i < BLOCK && !slice->given; i++)
		mean[i] = centre;
	rstd__walk_start(&walk, plan->reduced, plan->reduced_rank - 1, 0);
	for (uint64_t row = 0; row < rows; row++, rstd__walk_next(&walk)) {
		const unsigned char *px = slice->x + walk.offset[RSTD__X];
		const unsigned char *pg = slice->given ? slice->given + walk.offset[RSTD__GIVEN] : NULL;

		for (int64_t left = run->count; left > 0;) {
			const size_t room = BLOCK - filled, n = left < (int64_t)room ? (size_t)left : room;

			rstd__load_row(format, px, run->stride[RSTD__X], n, x + filled);
			px += (ptrdiff_t)n * run->stride[RSTD__X];
			if (pg) {
				rstd__load_row(format, pg, run->stride[RSTD__GIVEN], n, mean + filled);
				pg += (ptrdiff_t)n * run->stride[RSTD__GIVEN];
			}
			filled += n;
			left -= (int64_t)n;
			if (filled == BLOCK) {
				take(context, x, mean, filled);
				filled = 0;
			}
		}
	}
	if (filled > 0)
		take(context, x, mean, filled);
}

/* ---- Midpoints ----------------------------------------------------------------------------------------------- */

/* Two neighbours of a format, the first of which is even or not, and the point where the rounding changes sides. */
struct gap {
	double lower, middle, upper;
	bool lower_is_even;
};

/*
 * The gap that holds r >= 0, or the last one before Inf. When r is off by much less than the gap's width, the exact
 * value is on the same side of all other midpoints: it lies in the gap, or so near to one of its ends that it rounds to
 * it.
 */
static struct gap gap_at(double r, const struct rstd__format_info *format)
{
	const double overflow = rstd__pow2(format->overflow);
	const double least_normal = rstd__pow2(format->least + format->precision - 1);
	const double ulp_below = rstd__pow2(format->overflow - format->precision);
	double ulp, units;
	int e;

	if (r >= overflow)
		r = overflow - ulp_below;
	if (r < least_normal) {
		ulp = rstd__pow2(format->least);
	} else {
		frexp(r, &e); /* 2^(e - 1) <= r < 2^e */
		ulp = rstd__pow2(e - format->precision);
	}
	units = floor(r / ulp); /* exact: at most `precision` bits are left */
	return (struct gap){
		.lower = units * ulp,
		.middle = (units + 0.5) * ulp,
		.upper = (units + 1) * ulp,
		.lower_is_even = fmod(units, 2) == 0,
	};
}

/* The end of the gap for a result that lies `side` (negative, 0, positive) of its middle. */
static double gap_end(const struct gap *gap, double side)
{
	if (side == 0)
		return gap->lower_is_even ? gap->lower : gap->upper;
	return side < 0 ? gap->lower : gap->upper;
}

/* ---- Level 1, in words --------------------------------------------------------------------------------------- */

/* One operand of a slice of at most BLOCK elements. */
static void load_slice(const struct rstd_plan *plan, enum rstd__operand op, const unsigned char *from, float *to)
{
	const struct rstd__axis *run = &plan->reduced[plan->reduced_rank - 1];
	const size_t count = (size_t)run->count;
	struct rstd__walk walk;

	rstd__walk_start(&walk, plan->reduced, plan->reduced_rank - 1, 0);
	for (size_t done = 0; done < plan->n; done += count, rstd__walk_next(&walk))
		rstd__load_row(plan->format[op], from + walk.offset[op], run->stride[op], count, to + done);
}

/* false if the sums do not fit, or it is not worth the try. A reciprocal is never a tie here (docs/numerics.md). */
static bool settle_in_words(const struct slice *slice, double *y, double *mean)
{
	const struct rstd_plan *plan = slice->plan;
	float x[BLOCK], given[BLOCK];
	struct rstd__words words;

	if (plan->n > BLOCK || (slice->want_y && plan->invert))
		return false;
	load_slice(plan, RSTD__X, slice->x, x);
	if (slice->given)
		load_slice(plan, RSTD__GIVEN, slice->given, given);
	words = rstd__words(plan->format[RSTD__X], x, slice->given ? given : NULL, (size_t)plan->n);
	return (!slice->want_y || rstd__words_std(&words, plan->divisor, plan->format[RSTD__Y], y)) &&
	       (!slice->want_mean || rstd__words_mean(&words, plan->format[RSTD__MEAN], mean));
}

/* ---- Level 1 ------------------------------------------------------------------------------------------------- */

struct precise_sums {
	const struct rstd__kernels *kernels;
	struct rstd__precise s;
	float centre;
	double t_error, q_error; /* bounds of |t + t_low - T| and |q + q_low - Q| */
};

static void take_precise(void *context, const float *x, const float *mean, size_t n)
{
	struct precise_sums *sums = context;

	sums->kernels->precise(&sums->s, x, mean, n);
}

static void sum_precisely(const struct slice *slice, float centre, struct precise_sums *sums)
{
	const double u = 0x1p-53;
	/* roundings of an error on its way: in its block, over the lanes and blocks, and a few of its own */
	const double chain = BLOCK + (double)(slice->plan->n / BLOCK) + 64;

	*sums = (struct precise_sums){ .kernels = slice->plan->kernels, .centre = centre };
	read_slice(slice, centre, take_precise, sums);
	sums->t_error = 2 * chain * u * sums->s.t_abs;
	sums->q_error = 2 * chain * u * sums->s.q_abs;
	if (sums->s.q_abs > 0) /* else every difference was exact, and so was its square */
		sums->q_error += 4 * u * u * sums->s.q;
}

/* Whether the sign of e is known though its inputs are off by enough to change it by `error`; 0 is a sign, too. */
static bool is_certain(const struct rstd__expansion *e, double error)
{
	return error == 0 || fabs(rstd__expansion_value(e)) > 1.01 * error;
}

/*
 * n S as an expansion: n Q - T^2, or n Q about given means. At most 10 terms. *error bounds what the errors of Q and T
 * do to it. The terms are multiples of 2^-298 below 2^450.
 */
static struct rstd__expansion scaled_deviations(const struct slice *slice, const struct precise_sums *sums,
                                                double *error)
{
	const double n = (double)slice->plan->n, t = sums->s.t, t_low = sums->s.t_low;
	struct rstd__expansion e = { 0 };

	rstd__expansion_add_product(&e, n, sums->s.q);
	rstd__expansion_add_product(&e, n, sums->s.q_low);
	*error = n * sums->q_error;
	if (!slice->given) {
		rstd__expansion_add_product(&e, -t, t);
		rstd__expansion_add_product(&e, -2 * t, t_low);
		rstd__expansion_add_product(&e, -t_low, t_low);
		*error += sums->t_error * (2 * fabs(t) + 2 * fabs(t_low) + sums->t_error);
	}
	return e;
}

/*
 * How much nearer than its sign an expression has to be known before a midpoint is chosen by it: 2^-30 of it is far
 * less than the width of any gap.
 */
#define TO_CHOOSE 0x1p30

/* y = sqrt(S / divisor) against the middle m of a gap: the sign of n S - m^2 n divisor. */
static bool settle_std(const struct slice *slice, const struct precise_sums *sums, double *y)
{
	const struct rstd_plan *plan = slice->plan;
	const double n = (double)plan->n, divisor = (double)plan->divisor;
	double error;
	struct rstd__expansion e = scaled_deviations(slice, sums, &error);
	struct gap gap;

	if (!is_certain(&e, TO_CHOOSE * error))
		return false;
	gap = gap_at(sqrt(rstd__expansion_value(&e) / n / divisor), &rstd__format_info[plan->format[RSTD__Y]]);
	rstd__expansion_add_product3(&e, -gap.middle * gap.middle, n, divisor);
	*y = gap_end(&gap, rstd__expansion_value(&e));
	return is_certain(&e, error);
}

/* y = 1 / sqrt(S / n + epsilon) against m: the sign of n^2 - (n S + n^2 epsilon) m^2. */
static bool settle_invstd(const struct slice *slice, const struct precise_sums *sums, double *y)
{
	const struct rstd_plan *plan = slice->plan;
	const double n = (double)plan->n;
	double error;
	struct rstd__expansion e = scaled_deviations(slice, sums, &error);
	double value, m2;
	struct gap gap;

	rstd__expansion_add_product3(&e, (double)plan->epsilon, n, n);
	if (!is_certain(&e, TO_CHOOSE * error))
		return false;
	value = rstd__expansion_value(&e) / n / n;
	if (value <= 0) {
		*y = value < 0 ? (double)NAN : HUGE_VAL;
		return true;
	}
	gap = gap_at(1 / sqrt(value), &rstd__format_info[plan->format[RSTD__Y]]);
	m2 = gap.middle * gap.middle;
	rstd__expansion_scale(&e, -m2);
	rstd__expansion_add_product(&e, n, n);
	*y = gap_end(&gap, rstd__expansion_value(&e));
	return is_certain(&e, error * m2);
}

/* mean = centre + T / n against m: the sign of n centre + T - n m. */
static bool settle_mean(const struct slice *slice, const struct precise_sums *sums, double *mean)
{
	const double n = (double)slice->plan->n;
	struct rstd__expansion e = { 0 };
	double value, sign;
	struct gap gap;

	rstd__expansion_add_product(&e, n, (double)sums->centre);
	rstd__expansion_add(&e, sums->s.t);
	rstd__expansion_add(&e, sums->s.t_low);
	if (!is_certain(&e, TO_CHOOSE * sums->t_error))
		return false;
	value = rstd__expansion_value(&e) / n;
	sign = value < 0 ? -1 : 1;
	gap = gap_at(fabs(value), &rstd__format_info[slice->plan->format[RSTD__MEAN]]);
	rstd__expansion_add_product(&e, -sign * gap.middle, n);
	*mean = sign * gap_end(&gap, sign * rstd__expansion_value(&e));
	return is_certain(&e, sums->t_error);
}

/* The centre of level 1: the mean of level 0, if it is a float. */
static float centre_of(const struct rstd_plan *plan, const struct rstd__unsettled *u)
{
	const float near = (float)(u->shift + u->t / (double)plan->n);

	return isfinite(near) ? near : (float)u->shift;
}

static bool settle_precisely(const struct slice *slice, float centre, double *y, double *mean)
{
	const struct rstd_plan *plan = slice->plan;
	struct precise_sums sums;

	if (plan->n >= DOUBLE_INTEGERS) /* n would not be exact */
		return false;
	sum_precisely(slice, centre, &sums);
	if (slice->want_y && !(plan->invert ? settle_invstd(slice, &sums, y) : settle_std(slice, &sums, y)))
		return false;
	return !slice->want_mean || settle_mean(slice, &sums, mean);
}

/* ---- Level 2 ------------------------------------------------------------------------------------------------- */

static void take_exact(void *context, const float *x, const float *mean, size_t n)
{
	(void)mean;
	rstd__exact_add(context, x, n);
}

static void take_exact_ssd(void *context, const float *x, const float *mean, size_t n)
{
	rstd__exact_add_ssd(context, x, mean, n);
}

static void settle_exactly(const struct slice *slice, double *y, double *mean)
{
	const struct rstd_plan *plan = slice->plan;
	const bool about_mean = slice->given != NULL;
	struct rstd__exact sums = { 0 };

	read_slice(slice, 0, about_mean ? take_exact_ssd : take_exact, &sums);
	if (slice->want_y)
		*y = plan->invert ? rstd__exact_invstd(&sums, plan->n, about_mean, plan->epsilon, plan->format[RSTD__Y])
		                  : rstd__exact_std(&sums, plan->n, about_mean, plan->divisor, plan->format[RSTD__Y]);
	if (slice->want_mean)
		*mean = rstd__exact_mean(&sums, plan->n, plan->format[RSTD__MEAN]);
}

/* ---- What arithmetic settles --------------------------------------------------------------------------------- */

/* The mean of a slice with a NaN or an Inf in it. */
static double mean_of_specials(const struct slice *slice)
{
	struct rstd__exact sums = { 0 };

	read_slice(slice, 0, take_exact, &sums);
	if (sums.nan_count > 0 || (sums.pos_inf_count > 0 && sums.neg_inf_count > 0))
		return (double)NAN;
	return sums.pos_inf_count > 0 ? HUGE_VAL : -HUGE_VAL;
}

/*
 * Results that are 0, Inf or NaN because of what goes in: a NaN or Inf in the data, an epsilon that is one, a divisor
 * of 0. q is then as good as S: it is 0 just where S is, and not finite just where an element is not.
 */
static double special_y(const struct rstd_plan *plan, double q)
{
	if (!plan->present[RSTD__GIVEN] && !isfinite(q))
		return (double)NAN;
	return plan->invert ? 1 / sqrt(q / (double)plan->n + (double)plan->epsilon) : sqrt(q / (double)plan->divisor);
}

void rstd__settle(const struct rstd_plan *plan, const struct rstd__data *data, const struct rstd__unsettled *u,
                  double *y, double *mean, rstd_level_counts *levels)
{
	const bool special_data = !isfinite(u->q);
	const bool special = special_data || (plan->invert ? !isfinite(plan->epsilon) : plan->divisor == 0);
	struct slice slice = {
		.plan = plan,
		.x = data->in[RSTD__X],
		.given = data->in[RSTD__GIVEN],
		.want_y = u->y && !special,
		.want_mean = u->mean && !special_data,
	};
	struct rstd__walk at;

	rstd__walk_start(&at, plan->kept, plan->kept_rank, u->output);
	slice.x += at.offset[RSTD__X];
	if (slice.given)
		slice.given += at.offset[RSTD__GIVEN];
	if (special && u->y)
		*y = special_y(plan, u->q);
	if (special_data && u->mean)
		*mean = mean_of_specials(&slice);
	if (!slice.want_y && !slice.want_mean) {
		levels->fast++;
	} else if (settle_in_words(&slice, y, mean) || settle_precisely(&slice, centre_of(plan, u), y, mean)) {
		levels->precise++;
	} else {
		settle_exactly(&slice, y, mean);
		levels->exact++;
	}
}
