/*
 * windows_tmpl.h - exact sums in binary64 by cutting each number at fixed places, and results from them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A window is a range of bits of all numbers of a slice. A number is rounded to the unit of the first window, which is
 * exact, and so is what remains; that is rounded to the unit of the next one, and so on (Rump, Ogita, Oishi, Accurate
 * floating-point summation I, 2008, section 3; Demmel and Nguyen, Fast reproducible floating-point summation, 2013).
 * The sums of a window are integers of at most 53 bits in its unit: nothing rounds, in any order. What is left over
 * after the last window is 0 more often than not; its sum is rounded, and that of its magnitudes tells by how much at
 * most. docs/numerics.md, "Level 1".
 *
 * Includer: FN(name); V, VL and the v_* words from a simd_*.h; finish_tmpl.h, settle_tmpl.h.
 */

#define WINDOWS struct FN(windows)
#define GRIDS   struct FN(grids)

/* Sums of squares and of elements, as struct rstd__windows has them. */
WINDOWS
{
	V sum[RSTD__WINDOW_SUMS];
};

/* 1.5 * 2^52 units of each window: to add and to subtract it rounds to a multiple of the unit. */
GRIDS
{
	V square[RSTD__SQUARE_WINDOWS], sum[RSTD__SUM_WINDOWS];
};

static inline __attribute__((always_inline)) GRIDS FN(grids_of)(V square, V sum, V finer)
{
	GRIDS g;

	g.square[0] = square;
	for (size_t k = 1; k < RSTD__SQUARE_WINDOWS; k++)
		g.square[k] = v_mul(g.square[k - 1], finer);
	g.sum[0] = sum;
	for (size_t k = 1; k < RSTD__SUM_WINDOWS; k++)
		g.sum[k] = v_mul(g.sum[k - 1], finer);
	return g;
}

/* Adds p to the sums of windows, and to those of what is left over, which follow them. */
static inline __attribute__((always_inline)) void FN(cut)(V p, const V *big, size_t windows, V *sum)
{
	for (size_t k = 0; k < windows; k++) {
		const V part = v_sub(v_add(p, big[k]), big[k]);

		sum[k] = v_add(sum[k], part);
		p = v_sub(p, part);
	}
	sum[windows] = v_add(sum[windows], p);
	sum[windows + 1] = v_add(sum[windows + 1], v_abs(p));
}

static inline __attribute__((always_inline)) void FN(cut_square)(V p, const GRIDS *g, WINDOWS *w)
{
	FN(cut)(p, g->square, RSTD__SQUARE_WINDOWS, w->sum);
}

/*
 * (d + error)^2 in three squares or products that do not round: d is split in two halves, of which the lower one has
 * room for the error. Its square is too small for the first window.
 */
static inline __attribute__((always_inline)) void FN(cut_long_square)(V d, V error, const GRIDS *g, WINDOWS *w)
{
	V high, low;

	FN(halve)(d, &high, &low);
	low = v_add(low, error);
	FN(cut_square)(v_mul(high, high), g, w);
	FN(cut_square)(v_mul(v_add(high, high), low), g, w);
	FN(cut)(v_mul(low, low), g->square + 1, RSTD__SQUARE_WINDOWS - 1, w->sum + 1);
}

/* (x - mean)^2: differences of few bits, as most are, have no errors, and neither have their squares. */
static inline __attribute__((always_inline)) void FN(cut_deviation)(V x, V mean, const GRIDS *g, WINDOWS *w)
{
	const V d = v_sub(x, mean), mean_seen = v_sub(x, d), x_seen = v_add(d, mean_seen);
	const V error = v_sub(v_sub(x, x_seen), v_sub(mean, mean_seen));
	const V square = v_mul(d, d), rounded = v_product_error(d, d, square), zero = v_set1(0);

	if (__builtin_expect(v_differ(rounded, zero) | v_differ(error, zero), false))
		FN(cut_long_square)(d, error, g, w);
	else
		FN(cut_square)(square, g, w);
}

/* x and x^2, which has 48 bits. */
static inline __attribute__((always_inline)) void FN(cut_element)(V x, const GRIDS *g, WINDOWS *w)
{
	FN(cut_square)(v_mul(x, x), g, w);
	FN(cut)(x, g->sum, RSTD__SUM_WINDOWS, w->sum + RSTD__SUMS);
}

static inline __attribute__((always_inline)) V FN(some)(enum rstd__format format, const unsigned char *p, size_t n)
{
	return n < VL ? v_widen_part(format, p, n) : v_widen(format, p);
}

/* The sums of one slice. */
static inline __attribute__((always_inline)) void FN(cut_slice)(enum rstd__format format, enum rstd__about about,
                                                                const unsigned char *x, const unsigned char *mean,
                                                                size_t n, const GRIDS *g, WINDOWS *w)
{
	const size_t size = rstd__format_info[format].size;
	const V one = about == RSTD__ABOUT_ONE ? v_widen_one(format, mean) : v_set1(0);

	for (size_t i = 0; i < n; i += VL) {
		const size_t left = n - i;
		const V v = FN(some)(format, x + i * size, left);

		if (about == RSTD__ABOUT_OWN)
			FN(cut_element)(v, g, w);
		else if (about == RSTD__ABOUT_EACH)
			FN(cut_deviation)(v, FN(some)(format, mean + i * size, left), g, w);
		else
			FN(cut_deviation)(v, left < VL ? v_keep(one, left) : one, g, w);
	}
}

/* How many sums there are: those of squares come first. */
static inline size_t FN(sums_about)(enum rstd__about about)
{
	return about == RSTD__ABOUT_OWN ? RSTD__WINDOW_SUMS : RSTD__SUMS;
}

/* Adds the lanes of each sum of a slice. */
static inline __attribute__((always_inline)) void FN(add_lanes)(struct rstd__windows *to, enum rstd__about about,
                                                                size_t slice, const WINDOWS *w)
{
	const size_t sums = FN(sums_about)(about);

	for (size_t first = 0; first < sums; first += VL) {
		V v[VL];
		double total[VL];

		for (size_t i = 0; i < VL; i++)
			v[i] = first + i < sums ? w->sum[first + i] : v_set1(0);
		v_store(total, v_row_sums(v));
		for (size_t i = 0; i < VL && first + i < sums; i++)
			to->sum[first + i][slice] += total[i];
	}
}

static inline __attribute__((always_inline)) void FN(add_rows)(enum rstd__format format, enum rstd__about about,
                                                               struct rstd__windows *to, size_t slices,
                                                               const unsigned char *const *x,
                                                               const unsigned char *const *mean, size_t n)
{
	for (size_t s = 0; s < slices; s++) {
		const GRIDS g = FN(grids_of)(v_set1(to->square_grid[s]), v_set1(to->sum_grid[s]), v_set1(to->finer));
		WINDOWS w;

		for (size_t i = 0; i < RSTD__WINDOW_SUMS; i++)
			w.sum[i] = v_set1(0);
		FN(cut_slice)(format, about, x[s], about == RSTD__ABOUT_OWN ? NULL : mean[s], n, &g, &w);
		FN(add_lanes)(to, about, s, &w);
	}
}

/* Element i of slice s is x[i][s]: a lane each. */
static inline __attribute__((always_inline)) void FN(add_columns)(enum rstd__about about, struct rstd__windows *to,
                                                                  size_t slices, const float (*x)[RSTD__FINISH_MAX],
                                                                  const float (*mean)[RSTD__FINISH_MAX], size_t n)
{
	const size_t sums = FN(sums_about)(about);

	for (size_t s = 0; s < slices; s += VL) {
		const GRIDS g = FN(grids_of)(v_load(to->square_grid + s), v_load(to->sum_grid + s), v_set1(to->finer));
		WINDOWS w;

		for (size_t k = 0; k < sums; k++)
			w.sum[k] = v_load(to->sum[k] + s);
		for (size_t i = 0; i < n; i++) {
			const V v = v_widen(RSTD__F32, x[i] + s);

			if (about == RSTD__ABOUT_OWN) {
				FN(cut_element)(v, &g, &w);
			} else {
				const float *m = mean[about == RSTD__ABOUT_EACH ? i : 0];

				FN(cut_deviation)(v, v_widen(RSTD__F32, m + s), &g, &w);
			}
		}
		for (size_t k = 0; k < sums; k++)
			v_store(to->sum[k] + s, w.sum[k]);
	}
}

static void FN(window_columns)(struct rstd__windows *to, enum rstd__about about, size_t slices,
                               const float (*x)[RSTD__FINISH_MAX], const float (*mean)[RSTD__FINISH_MAX], size_t n)
{
	if (about == RSTD__ABOUT_OWN)
		FN(add_columns)(RSTD__ABOUT_OWN, to, slices, x, mean, n);
	else if (about == RSTD__ABOUT_EACH)
		FN(add_columns)(RSTD__ABOUT_EACH, to, slices, x, mean, n);
	else
		FN(add_columns)(RSTD__ABOUT_ONE, to, slices, x, mean, n);
}

/* One entry of the table for each format. */
#define WINDOWS_ENTRY(name, format)                                                                                    \
	static void FN(window_rows_##name)(struct rstd__windows * to, enum rstd__about about, size_t slices,           \
	                                   const unsigned char *const *x, const unsigned char *const *mean, size_t n)  \
	{                                                                                                              \
		if (about == RSTD__ABOUT_OWN)                                                                          \
			FN(add_rows)(format, RSTD__ABOUT_OWN, to, slices, x, mean, n);                                 \
		else if (about == RSTD__ABOUT_EACH)                                                                    \
			FN(add_rows)(format, RSTD__ABOUT_EACH, to, slices, x, mean, n);                                \
		else                                                                                                   \
			FN(add_rows)(format, RSTD__ABOUT_ONE, to, slices, x, mean, n);                                 \
	}
WINDOWS_ENTRY(f32, RSTD__F32)
WINDOWS_ENTRY(f16, RSTD__F16)
WINDOWS_ENTRY(bf16, RSTD__BF16)
#undef WINDOWS_ENTRY

/*
 * Places the windows of up to RSTD__FINISH_MAX slices of n elements, with sums of squares q about shift, and clears their
 * sums. The first window of squares ends at twice their sum, that of elements at the root of it, or above.
 */
static void FN(place_windows)(struct rstd__windows *to, enum rstd__about about, size_t slices, size_t n,
                              const double *shift, const double *q)
{
	const int bits = RSTD__WINDOW_BITS - (n > 1 ? 32 - __builtin_clz((unsigned)(n - 1)) : 0);
	const double big = 0x1.8p52 * rstd__pow2(-bits);

	to->finer = rstd__pow2(-bits);
	for (size_t s = 0; s < slices; s += VL) {
		const V k = v_load(shift + s), about_shift = v_load(q + s);
		const V about_zero = v_add(about_shift, v_mul(v_mul(k, k), v_set1((double)n)));
		const V squares = about == RSTD__ABOUT_OWN ? v_add(about_zero, about_zero) : about_shift;

		v_store(to->square_grid + s, v_mul(v_pow2(squares), v_set1(4 * big)));
		v_store(to->sum_grid + s, v_mul(v_pow2(v_root(squares)), v_set1(2 * big)));
	}
	for (size_t i = 0; i < FN(sums_about)(about); i++)
		memset(to->sum[i], 0, (slices + VL - 1) / VL * VL * sizeof(double));
}

/*
 * Carries, so that the sum of each window but the first is at most half a unit of the one before, and the first that is
 * not 0 has the sign of all of them. Returns these and what is left over added up.
 */
static inline __attribute__((always_inline)) V FN(carry)(const V *big, size_t windows, V *sum)
{
	V total = sum[windows];

	for (size_t k = windows - 1; k > 0; k--) {
		const V carry = v_sub(v_add(sum[k], big[k - 1]), big[k - 1]);

		sum[k] = v_sub(sum[k], carry);
		sum[k - 1] = v_add(sum[k - 1], carry);
	}
	for (size_t k = windows; k > 0; k--)
		total = v_add(total, sum[k - 1]);
	return total;
}

/* Subtracts a b. */
static inline __attribute__((always_inline)) void FN(cut_minus)(V a, V b, const GRIDS *g, WINDOWS *w)
{
	const V product = v_mul(a, b);

	FN(cut_square)(v_sub(v_set1(0), product), g, w);
	FN(cut_square)(v_sub(v_set1(0), v_product_error(a, b, product)), g, w);
}

/*
 * Subtracts the square of the sum of the elements, which has been carried; about is that sum. What is left of it, t[2], is
 * rounded, and the square of that as well as its product with t[1] count as errors.
 */
static inline __attribute__((always_inline)) void FN(cut_minus_square)(V about, const GRIDS *g, WINDOWS *w)
{
	const V *t = w->sum + RSTD__SUMS, twice = v_add(t[0], t[0]), zero = v_set1(0);
	V error;

	FN(cut_minus)(t[0], t[0], g, w);
	if ((v_differ(t[1], zero) | v_differ(t[3], zero)) == 0)
		return;
	FN(cut_minus)(twice, t[1], g, w);
	FN(cut_minus)(twice, t[2], g, w);
	FN(cut_minus)(t[1], t[1], g, w);
	error = v_fma(v_add(v_abs(t[1]), t[3]), v_set1(0x1p40), v_add(v_abs(about), v_abs(about)));
	w->sum[RSTD__SQUARE_LEFT] = v_fma(error, t[3], w->sum[RSTD__SQUARE_LEFT]);
}

/*
 * Whether what is left over, of these magnitudes, and rounded, by less than a sixth of a part of it, cannot change on which
 * side of a midpoint a result is.
 */
static inline unsigned FN(is_proved)(V left, V part, V side)
{
	const unsigned exact = ~v_differ(left, v_set1(0)) & ((1u << VL) - 1);

	return exact | v_less(v_mul(left, part), v_abs(side));
}

/* sqrt(V / den), rounded, of windows that have V; the mask of those that are proved. */
static inline unsigned FN(root_in_windows)(const struct FN(rounding) * r, V den, V inverse_den, V part, const GRIDS *g,
                                           WINDOWS *w, V *y)
{
	const V v = FN(carry)(g->square, RSTD__SQUARE_WINDOWS, w->sum);
	const V root = v_min(r->limit, v_root(v_mul(v, inverse_den))), big = FN(rounder)(r, root);
	const V near = FN(nearest_half)(root, big);
	V side;

	FN(cut_minus)(v_mul(near, near), den, g, w);
	side = FN(carry)(g->square, RSTD__SQUARE_WINDOWS, w->sum);
	*y = FN(round_aside)(near, big, side);
	return FN(is_proved)(w->sum[RSTD__SQUARE_LEFT], part, side);
}

/*
 * 1 / sqrt(V / den + epsilon) likewise: den - h^2 (V + den epsilon) tells on which side of h it is, in windows of its own.
 * No term of that is above 11 den.
 */
static inline unsigned FN(reciprocal_in_windows)(const struct FN(rounding) * r, V den, V epsilon, V part,
                                                 const GRIDS *g, WINDOWS *w, V *y)
{
	const V rest = v_mul(den, epsilon);
	const V sum = v_add(FN(carry)(g->square, RSTD__SQUARE_WINDOWS, w->sum), rest);
	const V result = v_min(r->limit, v_root(v_div(den, sum))), big = FN(rounder)(r, result);
	const V near = FN(nearest_half)(result, big), square = v_mul(near, near);
	const V grid = v_mul(v_pow2(den), v_set1(8 * 0x1.8p52 * 0x1p-46));
	const GRIDS own = FN(grids_of)(grid, grid, v_set1(0x1p-46));
	WINDOWS to;
	V side;

	for (size_t i = 0; i < RSTD__SUMS; i++)
		to.sum[i] = v_set1(0);
	FN(cut_square)(den, &own, &to);
	FN(cut_minus)(square, rest, &own, &to);
	FN(cut_minus)(square, v_product_error(den, epsilon, rest), &own, &to);
	for (size_t i = 0; i <= RSTD__SQUARE_WINDOWS; i++)
		FN(cut_minus)(square, w->sum[i], &own, &to);
	to.sum[RSTD__SQUARE_LEFT] = v_fma(square, w->sum[RSTD__SQUARE_LEFT], to.sum[RSTD__SQUARE_LEFT]);
	side = FN(carry)(own.square, RSTD__SQUARE_WINDOWS, to.sum);
	*y = FN(round_aside)(near, big, side);
	return FN(is_proved)(to.sum[RSTD__SQUARE_LEFT], part, side);
}

/* The mean of n elements, the sum of which is about `about`; the same mask. */
static inline unsigned FN(mean_in_windows)(const struct FN(rounding) * r, V n, V about, V part, const GRIDS *g,
                                           WINDOWS *w, V *mean)
{
	const V m = v_min(r->limit, v_div(about, n)), big = FN(rounder)(r, m), near = FN(nearest_half)(m, big);
	V side;

	FN(cut)(v_sub(v_set1(0), v_mul(near, n)), g->sum, RSTD__SUM_WINDOWS, w->sum + RSTD__SUMS);
	side = FN(carry)(g->sum, RSTD__SUM_WINDOWS, w->sum + RSTD__SUMS);
	*mean = FN(round_aside)(near, big, side);
	return FN(is_proved)(w->sum[RSTD__SUM_LEFT], part, side);
}

/*
 * The results of standard deviations, or of reciprocals with an epsilon >= 0, and of own means; bits of those that are not
 * proved are set.
 */
static struct rstd__open FN(settle_windows)(const struct rstd__windows *from, const struct rstd__finish *f,
                                            enum rstd__about about, size_t slices, double *y, double *mean)
{
	const struct FN(rounding) to_y = FN(rounding_to)(f->y), to_mean = FN(rounding_to)(f->mean);
	const bool own = about == RSTD__ABOUT_OWN, invert = f->result == RSTD__INVSTD;
	const double factor = own ? f->n : 1, parts = factor * (invert ? f->n : f->divisor);
	const V terms = v_set1(factor), den = v_set1(parts), inverse_den = v_div(v_set1(1), den);
	const V epsilon = v_set1(f->epsilon), part = v_set1((f->n > 0x1p12 ? f->n : 0x1p12) * 0x1p-48);
	struct rstd__open proved = { 0, 0 };

	for (size_t s = 0; s < slices; s += VL) {
		const GRIDS g =
			FN(grids_of)(v_load(from->square_grid + s), v_load(from->sum_grid + s), v_set1(from->finer));
		WINDOWS w;
		V result, sum = v_set1(0);

		for (size_t i = 0; i < RSTD__SUMS; i++)
			w.sum[i] = v_load(from->sum[i] + s);
		for (size_t i = RSTD__SUMS; own && i < RSTD__WINDOW_SUMS; i++)
			w.sum[i] = v_load(from->sum[i] + s);
		FN(carry)(g.square, RSTD__SQUARE_WINDOWS, w.sum);
		for (size_t i = 0; i < RSTD__SUMS; i++)
			w.sum[i] = v_mul(terms, w.sum[i]);
		if (own) {
			sum = FN(carry)(g.sum, RSTD__SUM_WINDOWS, w.sum + RSTD__SUMS);
			FN(cut_minus_square)(sum, &g, &w);
		}
		proved.y |= (uint64_t)(invert ? FN(reciprocal_in_windows)(&to_y, den, epsilon, part, &g, &w, &result)
		                              : FN(root_in_windows)(&to_y, den, inverse_den, part, &g, &w, &result))
		            << s;
		v_store(y + s, result);
		if (own && f->want_mean) {
			proved.mean |= (uint64_t)FN(mean_in_windows)(&to_mean, terms, sum, part, &g, &w, &result) << s;
			v_store(mean + s, result);
		}
	}
	return (struct rstd__open){ ~proved.y, ~proved.mean };
}

#undef WINDOWS
#undef GRIDS
