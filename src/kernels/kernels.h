/*
 * kernels.h - what every instruction set provides, and the table that they are chosen from
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kernel knows pointers, counts and strides, no tensors. Pointers to elements have any alignment; strides are bytes.
 * Nothing outside the described elements is read. A kernel's bound, as row_chain or col_chain, is the most roundings
 * that a term of one of its sums goes through; docs/numerics.md has the proofs.
 */
#ifndef RSTD_KERNELS_KERNELS_H
#define RSTD_KERNELS_KERNELS_H

#include <stdbool.h>

#include "kernels/eft.h"
#include "kernels/format.h"

/* The rows that a column kernel sums in registers before it touches the sums in memory, in two parts, for short chains. */
#define RSTD__COL_PART  8
#define RSTD__COL_GROUP (2 * RSTD__COL_PART)

/*
 * Kernels ask for memory before they read it, into the second cache. Those of columns ask for the same columns of
 * a later group of rows, at least RSTD__AHEAD bytes on where rows are short; those of rows, and narrow columns too, for
 * the next region, or half of it, those of short rows also for what is RSTD__AHEAD bytes on, into the first cache. Left to
 * themselves some processors look too little ahead, and at one page at a time (docs/performance.md). Asking for what is
 * not there does no harm.
 */
#define RSTD__AHEAD     2048
#define RSTD__AHEAD_OUT 2048
#define RSTD__LINE      64
#define RSTD__PAGE      4096
#define RSTD__REGION    32768
#define RSTD__CHUNK     (RSTD__REGION / RSTD__PAGE * RSTD__LINE) /* of a region: a line of each of its pages */

static inline void rstd__ask_for(const void *p, ptrdiff_t ahead)
{
	__builtin_prefetch((const void *)((uintptr_t)p + (uintptr_t)ahead), 0, 2);
}

/* The same into the first cache, for what is read soon. */
static inline void rstd__ask_for_soon(const void *p, ptrdiff_t ahead)
{
	__builtin_prefetch((const void *)((uintptr_t)p + (uintptr_t)ahead), 0, 3);
}

/*
 * What the next region holds, a line of each of its pages: as far into these as p is into its own region. With `soon`,
 * for loops in which much waits for each element, also the chunk that comes soon. (gcc 12 takes a loop that only asks
 * for one without effect, and drops it.)
 */
static inline __attribute__((always_inline)) void rstd__ask_for_chunk(uintptr_t p, bool soon)
{
	const uintptr_t in_region = p % RSTD__REGION;
	const uintptr_t next = p - in_region + RSTD__REGION + in_region / RSTD__CHUNK * RSTD__LINE;

	for (size_t line = 0; line < RSTD__CHUNK / RSTD__LINE; line++) {
		__asm__ volatile("");
		__builtin_prefetch((const void *)(next + line * RSTD__PAGE), 0, 2);
		if (soon)
			rstd__ask_for_soon((const void *)p, (ptrdiff_t)(RSTD__AHEAD + line * RSTD__LINE));
	}
}

/* The same for bytes that follow each other, part of what a loop reads: one of several short rows, a group of columns. */
static inline void rstd__ask_for_bytes(const void *p, size_t bytes, bool soon)
{
	const uintptr_t from = (uintptr_t)p, to = from + bytes;

	for (uintptr_t at = from + (RSTD__CHUNK - 1 - (from - 1) % RSTD__CHUNK); at < to; at += RSTD__CHUNK)
		rstd__ask_for_chunk(at, soon);
}

/* For a loop that stores results one after the other: the line of a later one. It is read before it is written to. */
static inline void rstd__ask_to_write(const void *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + RSTD__AHEAD_OUT), 1, 2);
}

/*
 * How far ahead the row is that a row of a group asks for, if there are whole groups: whole groups, and far enough where
 * rows are short.
 */
static inline ptrdiff_t rstd__group_ahead(ptrdiff_t row_stride, size_t rows)
{
	ptrdiff_t ahead = rows < RSTD__COL_GROUP ? 0 : RSTD__COL_GROUP * row_stride;

	while (ahead > 0 && ahead < RSTD__AHEAD)
		ahead *= 2;
	return ahead;
}

/* The most elements that one call of a row kernel takes. */
#define RSTD__ROW_RUN 65536

/* The most rows that one call of a column kernel takes, so that its chain stays short. */
#define RSTD__PANEL_ROWS 256

/* The most binary32 additions, one after the other, on the way of a term of a rough sum of a row, and of a column. */
#define RSTD__ROUGH_ROW_CHAIN 20
#define RSTD__ROUGH_COL_CHAIN 9

/*
 * Of n elements of a short row it is n / rough_step and RSTD__ROUGH_SHORT_REST more: those for the vector that is left
 * over, or for a part of one, one to join two sums, and up to four for the lanes.
 */
#define RSTD__ROUGH_SHORT_TURNS 32
#define RSTD__ROUGH_SHORT_REST  6

/* The most elements of a short row. */
#define RSTD__SHORT_MAX 1024

/* The most elements of a row that is so short that rows which follow each other are dealt out to lanes. */
#define RSTD__DENSE_MAX 8

/* Columns that rows are dealt out to at a time (c_deal), and those of a block, which are 16 bytes of each row. */
#define C_COLUMNS     8
#define C_BLOCK(size) (16 / (size))

/* The most elements that are summed in words. */
#define RSTD__WORDS_MAX 4096

/*
 * Sums of short rows and results of finish are stored in whole vectors, as a vector that is stored in part must be
 * written to the cache before it can be read again: their arrays have room for a multiple of this many lanes.
 */
#define RSTD__LANES 8

/* The most outputs that one call of finish takes. */
#define RSTD__FINISH_MAX 64

/* What finish can give beside the mean. */
enum rstd__result {
	RSTD__NO_RESULT,
	RSTD__STD,       /* sqrt(S / divisor) */
	RSTD__INVSTD,    /* 1 / sqrt(S / n + epsilon) */
	RSTD__HALF_T,    /* |t| / 2, the standard deviation of two elements about one of them */
	RSTD__UNDEFINED, /* S / 0: Inf, or NaN where S = 0 */
};

/* What finish needs to know; see finish_tmpl.h. Factors are exact or rounded as docs/numerics.md, "Level 0", says. */
struct rstd__finish {
	double n;
	double inverse_n; /* 1 / n, rounded */
	double divisor;
	double inverse_divisor;    /* 1 / divisor of S, rounded; Inf for a divisor of 0 */
	double epsilon;            /* used only for RSTD__INVSTD; Inf and NaN leave the test open */
	double sum_sq_error;       /* |M2 - S| <= sum_sq_error * q */
	double mean_sq_error;      /*             + mean_sq_error * (q - M2), q - M2 being t^2 / n */
	double least_q;            /* the test has no answer where q is less */
	double root_ratio;         /* where q <= root_ratio * M2, a power of two or 0, */
	double root_error;         /* the relative error of sqrt(M2 / divisor) is at most this */
	double mean_error;         /* |mean error| <= mean_error * sqrt(q / n) + 4u |mean| */
	enum rstd__result result;  /* asked for, */
	bool want_mean;            /* and whether the mean is, */
	bool exact_mean;           /* and (t + n shift) / n rounds as it does */
	enum rstd__format y, mean; /* and their formats */
};

/* Results that are open: bit i of each is output i. */
struct rstd__open {
	uint64_t y, mean;
};

/* Magnitudes, as bits of floats, of the least element that is not 0, less one, and of the largest. */
struct rstd__range {
	int32_t least, largest;
};

/* Sums of integers v, and of products of the halves of |v| = high * 2^RSTD__HALF + low. */
struct rstd__halves {
	int64_t sum;
	uint64_t high, cross, low;
};

#define RSTD__HALF 25

/* Sums of integers v, |v| < 2^RSTD__SPLIT_WIDTH, and of v^2: high * 2^RSTD__SPLIT + low. */
struct rstd__split {
	int64_t sum, high, low;
};

#define RSTD__NO_GRAIN    300 /* more than any float has */

#define RSTD__SPLIT       46
#define RSTD__SPLIT_WIDTH 45

/*
 * The same of RSTD__SPLIT_ROWS rows at most of columns that lie side by side, times 2^unit, 2^(2 unit + RSTD__SPLIT) and
 * 2^(2 unit), and high from rstd__split_start(unit) on.
 */
#define RSTD__SPLIT_ROWS 256
#define RSTD__SPLIT_COLS 1024 /* a multiple of the lanes of all sets of sums */
struct rstd__split_cols {
	_Alignas(RSTD__LINE) double sum[RSTD__SPLIT_COLS], high[RSTD__SPLIT_COLS], low[RSTD__SPLIT_COLS];
};

/* The last place of doubles from here to twice this is RSTD__SPLIT bits above that of the squares. */
static inline double rstd__split_start(int unit)
{
	return rstd__pow2(2 * unit + RSTD__SPLIT + 52);
}

/*
 * The windows of level 1, for sums of squares and of elements. Each is RSTD__WINDOW_BITS wide, less the bits of the
 * number of elements less one.
 */
#define RSTD__SQUARE_WINDOWS 3
#define RSTD__SUM_WINDOWS    2
#define RSTD__WINDOW_BITS    50

/* The sums of a slice: of squares in each window, of what is left over, and of its magnitudes; the same of elements. */
enum {
	RSTD__SQUARE_LEFT = RSTD__SQUARE_WINDOWS + 1,
	RSTD__SUMS,
	RSTD__SUM_LEFT = RSTD__SUMS + RSTD__SUM_WINDOWS + 1,
	RSTD__WINDOW_SUMS
};

/* Sums of slices. A grid is 1.5 * 2^52 units of the first window, that of the next is finer. */
struct rstd__windows {
	double square_grid[RSTD__FINISH_MAX], sum_grid[RSTD__FINISH_MAX], finer;
	double sum[RSTD__WINDOW_SUMS][RSTD__FINISH_MAX];
};

/* What the sums of windows are about: nothing, for own means, the same mean for all elements, or one for each. */
enum rstd__about { RSTD__ABOUT_OWN, RSTD__ABOUT_ONE, RSTD__ABOUT_EACH };

/*
 * One kernel for each loop shape and format. About means that are given, *_moments take a mean that does not vary, as
 * the shift, and *_ssd one for each element.
 */
struct rstd__sums {
	/*
	 * *t = sum of d, *q = sum of d^2 with d = x[i] - shift, over n contiguous elements. t may be NULL: not wanted.
	 */
	void (*row_moments[RSTD__FORMATS])(const void *x, size_t n, double shift, double *t, double *q);
	/* *q = sum of (x[i] - mean[i])^2 over n contiguous elements. */
	void (*row_ssd[RSTD__FORMATS])(const void *x, const void *mean, size_t n, double *q);
	/*
	 * t[r] = sum of d, q[r] = sum of d^2, d = x[i] - shift[r], over `rows` rows of n <= RSTD__SHORT_MAX contiguous
	 * elements, row r of x starting row[r] bytes after x. With about_first the shifts are the first elements of the
	 * rows, and are stored; otherwise they are only read, and for fine sums NULL stands for shifts of 0. t and q have
	 * room as RSTD__LANES says. Chains are below row_chain.
	 */
	void (*short_moments[RSTD__FORMATS])(const void *x, const ptrdiff_t *row, size_t rows, size_t n,
	                                     bool about_first, double *shift, double *t, double *q);
	/* q[r] = sum of (x[i] - mean[i])^2 over such rows, row r of the means starting mean_row[r] bytes after mean. */
	void (*short_ssd[RSTD__FORMATS])(const void *x, const ptrdiff_t *row, const void *mean,
	                                 const ptrdiff_t *mean_row, size_t rows, size_t n, double *q);
	/* The same as short_moments for rows of 2 to RSTD__DENSE_MAX elements, each row just after the one before it. */
	void (*dense_moments[RSTD__FORMATS])(const void *x, size_t rows, size_t n, bool about_first, double *shift,
	                                     double *t, double *q);
	/*
	 * t[c] += sum of d, q[c] += sum of d^2, d = x[r][c] - shift[c], over rows <= RSTD__PANEL_ROWS of cols elements,
	 * row_stride bytes apart. NULL for shift stands for shifts of 0; with shifts, t may be NULL, and is not asked
	 * for then.
	 */
	void (*col_moments[RSTD__FORMATS])(const void *x, ptrdiff_t row_stride, size_t rows, size_t cols,
	                                   const double *shift, double *t, double *q);
	/* q[c] += sum of (x[r][c] - mean[r][c])^2 over such rows. */
	void (*col_ssd[RSTD__FORMATS])(const void *x, ptrdiff_t x_row_stride, const void *mean,
	                               ptrdiff_t mean_row_stride, size_t rows, size_t cols, double *q);
};

struct rstd__kernels {
	size_t row_chain;
	size_t col_chain;
	size_t rough_step; /* elements that rough sums of a short row take at a time, 0 if there are no rough sums */

	struct rstd__sums fine; /* in binary64 */
	/*
	 * In binary32, with chains of at most RSTD__ROUGH_*_CHAIN before binary64 takes over: rows and columns of
	 * 16-bit formats, about shifts that are such elements. NULL for very short rows, for short ones about means of
	 * each element, for binary32 elements, and everywhere in a set that would not be faster.
	 */
	struct rstd__sums rough;

	/*
	 * Standard deviations about own means of rows of n <= RSTD__SHORT_MAX contiguous elements, `stride` bytes apart, to
	 * contiguous elements of their format: of as many rows, in groups, as short loops settle. Returns how many. y has
	 * room for `rows` results, of which those from the returned number on may have been written to. f is of the sums
	 * that short_moments or, for rows without gaps, dense_moments make about first elements; of rough ones if there
	 * is `again`, which is the same of fine ones. The result is RSTD__STD, or of two elements RSTD__HALF_T.
	 */
	size_t (*std[RSTD__FORMATS])(const struct rstd__finish *f, const struct rstd__finish *again, const void *x,
	                             ptrdiff_t stride, size_t rows, size_t n, void *y);

	/* sum[i] + low[i] += part[i], low holding what sum rounds away; n elements. */
	void (*merge)(double *sum, double *low, const double *part, size_t n);
	/*
	 * From n <= RSTD__FINISH_MAX sums about shift to results rounded to their formats, kept as doubles, and which
	 * of these could not be settled from the sums and their bounds. y and mean have room as RSTD__LANES says.
	 */
	struct rstd__open (*finish)(const struct rstd__finish *f, size_t n, const double *shift, const double *t,
	                            const double *q, double *y, double *mean);
	/*
	 * The results of RSTD__STD and of own means that are open, of sums about shift, or about given means, of
	 * n <= RSTD__FINISH_MAX slices; which are not proved, and stay open. A result of RSTD__STD is asked for where the
	 * divisor, times n about an own mean, is at most 2^28, a mean of at most 2^26 elements. All elements, shifts and
	 * means of slice i are multiples of grain[i], a power of two. All arrays have room as RSTD__LANES says.
	 */
	struct rstd__open (*settle)(const struct rstd__finish *f, bool about_mean, struct rstd__open open, size_t n,
	                            const double *shift, const double *t, const double *q, const double *grain,
	                            double *y, double *mean);
	/*
	 * The same, and RSTD__INVSTD with an epsilon >= 0, by sums in windows, of up to RSTD__FINISH_MAX slices of
	 * n <= 2^24 finite elements. First the windows are placed, by sums of squares about shift. Then elements are
	 * added, some or all of each slice: of rows, contiguous ones at x[s] and their means, or mean, at mean[s]; of
	 * columns, x[i][s] about mean[i][s], or mean[0][s]. Arrays of slices have room as RSTD__LANES says, and finite
	 * numbers there.
	 */
	void (*place_windows)(struct rstd__windows *to, enum rstd__about about, size_t slices, size_t n,
	                      const double *shift, const double *q);
	void (*window_rows[RSTD__FORMATS])(struct rstd__windows *to, enum rstd__about about, size_t slices,
	                                   const unsigned char *const *x, const unsigned char *const *mean, size_t n);
	void (*window_columns)(struct rstd__windows *to, enum rstd__about about, size_t slices,
	                       const float (*x)[RSTD__FINISH_MAX], const float (*mean)[RSTD__FINISH_MAX], size_t n);
	struct rstd__open (*settle_windows)(const struct rstd__windows *from, const struct rstd__finish *f,
	                                    enum rstd__about about, size_t slices, double *y, double *mean);
	/* n results that their format holds, or that are Inf or NaN there, to contiguous elements: rstd__store() of each. */
	void (*narrow[RSTD__FORMATS])(const double *from, size_t n, void *to);
	/* n contiguous elements as floats, which is exact. */
	void (*widen[RSTD__FORMATS])(const void *x, size_t n, float *to);
	/* Widens a range to n more contiguous elements. */
	void (*range[RSTD__FORMATS])(const void *x, size_t n, struct rstd__range *range);
	/*
	 * The lesser of grain and the exponent, above that of the least binary32, of the largest power of two of which n
	 * more contiguous elements are multiples; RSTD__NO_GRAIN for elements that are 0.
	 */
	int (*grain[RSTD__FORMATS])(const void *x, size_t n, int grain);
	/*
	 * The sums of v = (x - mean) * scale, or of x * scale if mean is NULL, which are integers below 2^51, for
	 * n <= RSTD__WORDS_MAX floats. sum is theirs if it is below 2^63.
	 */
	void (*halves)(const float *x, const float *mean, size_t n, double scale, struct rstd__halves *sums);
	/*
	 * The sums of v = (x - mean) / 2^unit, or of x / 2^unit, if these are integers below 2^width, width <=
	 * RSTD__SPLIT_WIDTH, for n <= RSTD__WORDS_MAX elements of a format; only floats have means.
	 */
	void (*split[RSTD__FORMATS])(const void *x, const float *mean, size_t n, int unit, int width,
	                             struct rstd__split *sums);
	/*
	 * Adds rows of cols <= RSTD__SPLIT_COLS elements, row_stride bytes apart, to the sums of their columns, and asks
	 * the memory for as many rows after them. The elements are integers below 2^width in some unit.
	 */
	void (*split_cols[RSTD__FORMATS])(const void *x, ptrdiff_t row_stride, size_t rows, size_t cols, int width,
	                                  struct rstd__split_cols *sums);
};

/* One row for each instruction set that this build has, best first; the last row needs nothing and ends the table. */
struct rstd__isa {
	const char *name;
	unsigned needs; /* mask of RSTD__CPU_* */
	const struct rstd__kernels *kernels;
};

extern const struct rstd__isa rstd__isas[];
extern const size_t rstd__isa_count;

extern const struct rstd__kernels rstd__kernels_scalar;
#if defined(__x86_64__)
extern const struct rstd__kernels rstd__kernels_avx2;
extern const struct rstd__kernels rstd__kernels_avx512;
#elif defined(__aarch64__)
extern const struct rstd__kernels rstd__kernels_neon;
#endif

#endif
