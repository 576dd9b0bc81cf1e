/*
 * finish_tmpl.h - from sums to rounded results, or the word that the sums do not suffice
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ziv's rounding test (Ziv, Fast evaluation of elementary mathematical functions with correctly rounded last bit,
 * 1991): the bound of the sums gives an interval that holds the exact result; when both ends round to the same value,
 * that value is the answer. Each step is monotone, and outward slack pays for its rounding: docs/numerics.md, "The
 * test".
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h.
 */

#define ROUNDING struct FN(rounding)
#define TEST     struct FN(test)
#define QUICK    struct FN(quick)

/* The constants of rounding to a format, in vectors. */
ROUNDING
{
	V limit;        /* 2^(overflow + 2), for every larger result */
	V least_normal; /* below it the unit in the last place stays the same */
	V to_big;       /* 1.5 * 2^52 units in the last place of 1 */
};

static inline ROUNDING FN(rounding_to)(enum rstd__format format)
{
	const struct rstd__format_info *info = &rstd__format_info[format];

	return (ROUNDING){
		.limit = v_set1(rstd__pow2(info->overflow + 2)),
		.least_normal = v_set1(rstd__pow2(info->least + info->precision - 1)),
		.to_big = v_set1(0x1.8p52 * rstd__pow2(1 - info->precision)),
	};
}

/*
 * 1.5 * 2^52 units in the last place that a format has at x: adding it leaves no room for smaller bits. Inf for Inf.
 */
static inline V FN(rounder)(const ROUNDING *r, V x)
{
	return v_mul(v_max(r->least_normal, v_pow2(x)), r->to_big);
}

/*
 * x rounded to the nearest value of a format, ties to even; exact in binary64. Beyond the finite range the
 * result is 2^overflow or more, and the limit stands for every larger positive x, Inf included. A NaN stays NaN.
 */
static inline V FN(round_to)(const ROUNDING *r, V x)
{
	const V clamped = v_min(r->limit, x), big = FN(rounder)(r, clamped);

	return v_sub(v_add(clamped, big), big);
}

/* What the test of VL outputs needs. */
TEST
{
	V n, inverse_n, minus_inverse_n, inverse_divisor, epsilon, sum_sq_error, mean_sq_error, least_q, mean_error;
	V least_part, least_m2; /* one root does if M2 >= least_part q + least_m2, Inf if it never does, else least_q */
	V below, above;         /* 1 less the relative error of a root, and 1 more it */
	ROUNDING y, mean;
};

static inline TEST FN(test_of)(const struct rstd__finish *f)
{
	/* one rounder serves both ends of an interval that is less than an eighth of an ulp wide on each side */
	const bool one_root = f->root_ratio > 0 && f->root_error < rstd__pow2(-rstd__format_info[f->y].precision - 2);

	return (TEST){
		.n = v_set1(f->n),
		.inverse_n = v_set1(f->inverse_n),
		.minus_inverse_n = v_set1(-f->inverse_n),
		.inverse_divisor = v_set1(f->inverse_divisor),
		.epsilon = v_set1(f->epsilon),
		.sum_sq_error = v_set1(f->sum_sq_error),
		.mean_sq_error = v_set1(f->mean_sq_error),
		.least_q = v_set1(f->least_q),
		.least_part = v_set1(one_root ? 1 / f->root_ratio : 0),
		.least_m2 = v_set1(one_root ? f->least_q : HUGE_VAL),
		.below = v_set1(1 - f->root_error),
		.above = v_set1(1 + f->root_error),
		.mean_error = v_set1(f->mean_error),
		.y = FN(rounding_to)(f->y),
		.mean = FN(rounding_to)(f->mean),
	};
}

/* An interval that holds the result, of VL outputs each, from one that holds S. */
static inline __attribute__((always_inline)) void FN(y_interval)(const TEST *f, bool invert, V s_low, V s_high, V *low,
                                                                 V *high)
{
	if (invert) {
		const V var_low = v_mul(s_low, f->inverse_n), var_high = v_mul(s_high, f->inverse_n);
		const V slack = v_mul(v_add(var_high, v_abs(f->epsilon)), v_set1(0x1p-48));

		*low = v_div(v_set1(1), v_root(v_add(v_add(var_high, f->epsilon), slack)));
		*high = v_div(v_set1(1), v_root(v_sub(v_add(var_low, f->epsilon), slack)));
	} else {
		*low = v_root(v_mul(s_low, f->inverse_divisor));
		*high = v_root(v_mul(s_high, f->inverse_divisor));
	}
}

/*
 * VL standard deviations; false if one of them may have to be another. Where M2 is at least a part of q the error of the
 * root is a part of it, and one root does for both ends: they are rounded by the unit in the last place of the middle,
 * which does no harm where it is not theirs.
 */
static inline bool FN(finish_roots)(const TEST *f, V m2, V q, V *y)
{
	const V middle = v_root(v_mul(m2, f->inverse_divisor)), big = FN(rounder)(&f->y, middle);
	const V high = v_sub(v_fma(middle, f->above, big), big);

	*y = v_sub(v_fma(middle, f->below, big), big);
	return (v_differ(*y, high) | v_less(m2, v_fma(q, f->least_part, f->least_m2))) == 0;
}

/* The same of two elements about one of them; open where q is not finite. */
static inline __attribute__((always_inline)) unsigned FN(finish_half)(const ROUNDING *r, V t, V q, V *y)
{
	*y = FN(round_to)(r, v_mul(v_abs(t), v_set1(0.5)));
	return v_differ(v_sub(q, q), v_set1(0));
}

static inline V FN(finish_m2)(const TEST *f, V t, V q)
{
	return v_fma(v_mul(t, f->minus_inverse_n), t, q);
}

/* VL standard deviations, or with `invert` their reciprocals, by both ends of their interval. */
static inline __attribute__((always_inline)) unsigned FN(finish_ends)(const TEST *f, bool invert, V m2, V q, V *y)
{
	const V bound = v_fma(v_sub(q, m2), f->mean_sq_error, v_mul(q, f->sum_sq_error));
	V low, high;

	FN(y_interval)(f, invert, v_max(v_set1(0), v_sub(m2, bound)), v_add(m2, bound), &low, &high);
	low = FN(round_to)(&f->y, low);
	high = FN(round_to)(&f->y, high);
	*y = low;
	return v_differ(low, high) | v_less(q, f->least_q);
}

/* S / 0. A call, which compilers do not make before they know that it is wanted: it raises a flag for S = 0. */
static __attribute__((noinline)) V FN(finish_by_zero)(V q)
{
	return v_mul(q, v_set1(HUGE_VAL));
}

/* VL results; returns the mask of those that are not settled. */
static inline __attribute__((always_inline)) unsigned FN(finish_y)(const TEST *f, enum rstd__result result, V t, V q,
                                                                   V *y)
{
	const V m2 = FN(finish_m2)(f, t, q);

	if (result == RSTD__HALF_T)
		return FN(finish_half)(&f->y, t, q, y);
	if (result == RSTD__UNDEFINED) {
		/* slices of one element all are 0 / 0, which would raise a flag that the caller's mode has to be reset from */
		*y = v_differ(q, v_set1(0)) == 0 ? v_set1((double)NAN) : FN(finish_by_zero)(q);
		return v_differ(v_sub(q, q), v_set1(0)) | v_less(q, f->least_q); /* open where q is not finite */
	}
	if (result == RSTD__STD && __builtin_expect(FN(finish_roots)(f, m2, q, y), true))
		return 0;
	return FN(finish_ends)(f, result == RSTD__INVSTD, m2, q, y);
}

/* What the quick test of VL standard deviations needs. */
QUICK
{
	V minus_inverse_n, inverse_divisor;
	V least_m2; /* below it results are subnormal, or M2 is not known well enough; Inf if no quick test is possible */
	V minus_part; /* q is at most a known multiple of M2 where M2 / divisor + minus_part q is not below 0, */
	V floor;      /* nor below this, where sums that are 0 need not be so */
	V from, bits; /* a root is beside a midpoint, as v_beside() says */
	enum rstd__format format;
};

static inline QUICK FN(quick_of)(const struct rstd__finish *f)
{
	const struct rstd__format_info *info = &rstd__format_info[f->y];
	const int drop = 53 - info->precision; /* bits of a root that its rounding drops */
	/* results of 16 bits are rounded to binary32 on the way */
	const double error = f->root_error + (f->y == RSTD__F32 ? 0x1p-40 : 0x1p-24);
	uint64_t from, bits;
	double as_from, as_bits;
	int width;

	memcpy(&bits, &error, sizeof(bits));
	width = (int)(bits >> 52) - 1023 + 54; /* the least that makes 2^(width - 53) larger than the error */
	width = width < 0 ? 0 : width < drop ? width : drop;
	from = (UINT64_C(1) << (drop - 1)) - (UINT64_C(1) << width);
	bits = (UINT64_C(1) << drop) - (UINT64_C(2) << width);
	memcpy(&as_from, &from, sizeof(from));
	memcpy(&as_bits, &bits, sizeof(bits));

	const double least = rstd__pow2(2 * (info->least + info->precision)) * f->divisor;

	return (QUICK){
		.minus_inverse_n = v_set1(-f->inverse_n),
		.inverse_divisor = v_set1(f->inverse_divisor),
		.least_m2 = v_set1(f->root_ratio == 0 || width > drop - 3 ? HUGE_VAL
		                   : least > f->least_q                   ? least
		                                                          : f->least_q),
		.minus_part = v_set1(-f->inverse_divisor / f->root_ratio),
		.floor = v_set1(f->least_q * f->inverse_divisor * 0x1p-20),
		.from = v_set1(as_from),
		.bits = v_set1(as_bits),
		.format = f->y,
	};
}

/*
 * Stores the first k standard deviations if this test, the quickest, settles them; else false, and what is stored is of
 * no use. A root off by less than half of the width of the interval that v_beside() looks for rounds to what the exact one does.
 */
static inline __attribute__((always_inline)) bool FN(quick_std)(const QUICK *c, V t, V q, size_t k, void *y)
{
	V square;
	const V m2 = v_fma(v_mul(t, c->minus_inverse_n), t, q);
	const V root = v_near_root(m2, c->least_m2, c->inverse_divisor, &square);
	const unsigned open = v_beside(root, c->from, c->bits) | v_short_of(v_fma(q, c->minus_part, square), c->floor);

	v_store_rounded(c->format, y, root, k);
	return (open & ((1U << k) - 1)) == 0;
}

static inline __attribute__((always_inline)) unsigned FN(finish_mean)(const TEST *f, bool exact, V shift, V t, V q,
                                                                      V *mean)
{
	if (exact) {
		*mean = FN(round_to)(&f->mean, v_div(v_fma(f->n, shift, t), f->n));
		return v_differ(v_sub(q, q), v_set1(0));
	}

	const V m = v_add(shift, v_mul(t, f->inverse_n));
	const V bound = v_fma(v_root(v_mul(q, f->inverse_n)), f->mean_error, v_mul(v_abs(m), v_set1(0x1p-51)));
	const V low = FN(round_to)(&f->mean, v_sub(m, bound)), high = FN(round_to)(&f->mean, v_add(m, bound));

	*mean = low;
	return v_differ(low, high);
}

/* The loop, once for each combination of what is wanted, so that none of it is asked again for each vector. */
static inline __attribute__((always_inline)) struct rstd__open FN(finish_all)(const struct rstd__finish *f,
                                                                              enum rstd__result result, bool want_mean,
                                                                              size_t n, const double *shift,
                                                                              const double *t, const double *q,
                                                                              double *y, double *mean)
{
	const TEST test = FN(test_of)(f);
	const size_t whole = n - n % VL, rest = n % VL;
	struct rstd__open open = { 0, 0 };
	V yv, mv;

	for (size_t i = 0; i < whole; i += VL) {
		const V tv = v_load(t + i), qv = v_load(q + i);

		if (result != RSTD__NO_RESULT) {
			open.y |= (uint64_t)FN(finish_y)(&test, result, tv, qv, &yv) << i;
			v_store(y + i, yv);
		}
		if (want_mean) {
			open.mean |= (uint64_t)FN(finish_mean)(&test, f->exact_mean, v_load(shift + i), tv, qv, &mv)
			             << i;
			v_store(mean + i, mv);
		}
	}
	if (rest > 0) {
		const V tv = v_load_part(t + whole, rest), qv = v_load_part(q + whole, rest);
		const uint64_t lanes = (UINT64_C(1) << rest) - 1;

		if (result != RSTD__NO_RESULT) {
			open.y |= (FN(finish_y)(&test, result, tv, qv, &yv) & lanes) << whole;
			v_store(y + whole, yv);
		}
		if (want_mean) {
			const V sv = v_load_part(shift + whole, rest);

			open.mean |= (FN(finish_mean)(&test, f->exact_mean, sv, tv, qv, &mv) & lanes) << whole;
			v_store(mean + whole, mv);
		}
	}
	return open;
}

static struct rstd__open FN(finish)(const struct rstd__finish *f, size_t n, const double *shift, const double *t,
                                    const double *q, double *y, double *mean)
{
	switch (f->result) {
	case RSTD__NO_RESULT:
		return FN(finish_all)(f, RSTD__NO_RESULT, true, n, shift, t, q, y, mean);
	case RSTD__STD:
		return f->want_mean ? FN(finish_all)(f, RSTD__STD, true, n, shift, t, q, y, mean)
		                    : FN(finish_all)(f, RSTD__STD, false, n, shift, t, q, y, mean);
	case RSTD__INVSTD:
		return f->want_mean ? FN(finish_all)(f, RSTD__INVSTD, true, n, shift, t, q, y, mean)
		                    : FN(finish_all)(f, RSTD__INVSTD, false, n, shift, t, q, y, mean);
	case RSTD__HALF_T:
		return f->want_mean ? FN(finish_all)(f, RSTD__HALF_T, true, n, shift, t, q, y, mean)
		                    : FN(finish_all)(f, RSTD__HALF_T, false, n, shift, t, q, y, mean);
	case RSTD__UNDEFINED:
		break;
	}
	return FN(finish_all)(f, RSTD__UNDEFINED, f->want_mean, n, shift, t, q, y, mean);
}

static inline __attribute__((always_inline)) void FN(narrow)(enum rstd__format format, const double *from, size_t n,
                                                             void *to)
{
	const size_t size = rstd__format_info[format].size, whole = n - n % VL;
	unsigned char *p = to;

	for (size_t i = 0; i < whole; i += VL)
		v_narrow(format, p + i * size, v_load(from + i), VL);
	if (whole < n)
		v_narrow(format, p + whole * size, v_load_part(from + whole, n - whole), n - whole);
}

/* One entry of the table for each format. */
#define NARROW_ENTRY(name, format)                                                                                     \
	static void FN(narrow_##name)(const double *from, size_t n, void *to)                                          \
	{                                                                                                              \
		FN(narrow)(format, from, n, to);                                                                       \
	}
NARROW_ENTRY(f32, RSTD__F32)
NARROW_ENTRY(f16, RSTD__F16)
NARROW_ENTRY(bf16, RSTD__BF16)
#undef NARROW_ENTRY

#undef ROUNDING
#undef TEST
#undef QUICK
