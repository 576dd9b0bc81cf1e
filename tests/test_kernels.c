/*
 * test_kernels.c - the sums of every instruction set: their bounds, and that nothing beside their data is touched
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bound of a sum about a shift or a mean is (L + 1) u sum |d|, that of a sum of squares (L + 2) u sum d^2, where L
 * is the smaller of the kernel's chain and the number of terms; rough sums may be off by as much in binary32, too
 * (docs/numerics.md, "Level 0"). Errors are measured against GMP integers, in units of 2^-149 for sums and 2^-298 for
 * sums of squares, so that nothing here rounds.
 *
 * RSTD_TEST_SCALE below 100 (sanitizers, emulators) leaves out some alignments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include "case_gen.h"
#include "guard.h"
#include "kernels/kernels.h"
#include "operator.h"
#include "runtime/cpu.h"

#define U          0x1p-53 /* the unit roundoff of binary64 */
#define U_ROUGH    0x1p-24 /* and of binary32 */
#define UNIT       149 /* elements, means and sums of their differences are integers times 2^-UNIT, squares 2^-2UNIT */
#define LENGTHS    258 /* 0 to 4 turns of the widest loop, of 64 elements, and one more */
#define COLS       41  /* a line of 16-bit elements, a vector of 8 lanes, and one more */
#define ROWS       33  /* 2 groups of 16 rows, and one more */
#define ROOM(n)    (((n) + RSTD__LANES - 1) / RSTD__LANES * RSTD__LANES)
#define SHORTS     18 /* short rows: 2 vectors of 8 lanes, and one more */
#define ALIGNMENTS 8

/* Bounds that no test gets near test nothing: what data made for it have to use of one at least. */
#define BITE 0.5

static const rstd_dtype dtype_of[RSTD__FORMATS] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

static uint64_t random_state;

static uint64_t next_random(void)
{
	return splitmix64(random_state++);
}

static int between(int low, int high)
{
	return low + (int)(next_random() % (uint64_t)(high - low + 1));
}

/* A random significand of 53 bits and sign, with an exponent in a range. */
static double random_double(int low, int high)
{
	const double m = 1 + (double)(next_random() >> 12) * 0x1p-52;

	return ldexp(next_random() & 1 ? m : -m, between(low, high));
}

/* The instruction sets that this machine has. */
static const struct rstd__isa *next_isa(const struct rstd__isa *isa)
{
	for (isa = isa ? isa + 1 : rstd__isas; isa < rstd__isas + rstd__isa_count; isa++)
		if ((isa->needs & ~rstd__cpu_features()) == 0)
			return isa;
	return NULL;
}

/* The sums that a test is about: those of one format on one instruction set, fine or rough. */
struct subject {
	const struct rstd__isa *isa;
	const struct rstd__sums *sums;
	enum rstd__format format;
	bool rough;
};

typedef void subject_test(const struct subject *on);

static void for_each_subject(subject_test *test)
{
	for (const struct rstd__isa *isa = next_isa(NULL); isa; isa = next_isa(isa))
		for (enum rstd__format format = RSTD__F32; format < RSTD__FORMATS; format++) {
			const struct subject fine = { isa, &isa->kernels->fine, format, false };
			const struct subject rough = { isa, &isa->kernels->rough, format, true };

			test(&fine);
			if (rough.sums->row_moments[format])
				test(&rough);
		}
}

/* "avx2 f16 rough": for messages; valid until the next call. */
static const char *name_of(const struct subject *on)
{
	static char name[32];

	snprintf(name, sizeof(name), "%s %s%s", on->isa->name, dtype_name(dtype_of[on->format]),
	         on->rough ? " rough" : "");
	return name;
}

static size_t alignment_step(void)
{
	return test_scale() < 100 ? 3 : 1;
}

/* ---- Elements ------------------------------------------------------------------------------------------------ */

enum kind {
	NEAR, /* within a few binades */
	FAR,  /* tiny, about a shift near 1: the differences round */
	WIDE, /* of all exponents; the squares of bfloat16 numbers are binary32 numbers still */
	KINDS
};

static double element(enum rstd__format format, enum kind kind)
{
	const bool half = format == RSTD__F16;
	double v;

	switch (kind) {
	case FAR:
		v = half ? random_double(-24, -14) : random_double(-60, -30);
		break;
	case WIDE:
		v = half ? random_double(-24, 14) : random_double(-120, format == RSTD__F32 ? 120 : 60);
		break;
	default:
		v = random_double(-4, 3);
	}
	return bits_to_double(dtype_of[format], bits_from_double(dtype_of[format], v));
}

static void put(enum rstd__format format, unsigned char *p, size_t i, double v)
{
	bits_store(dtype_of[format], p + i * dtype_size(dtype_of[format]), bits_from_double(dtype_of[format], v));
}

static double get(enum rstd__format format, const unsigned char *p, size_t i)
{
	return bits_to_double(dtype_of[format], bits_load(dtype_of[format], p + i * dtype_size(dtype_of[format])));
}

/* count elements and as many means, and a shift. */
struct sample {
	enum rstd__format format;
	size_t size, count;
	unsigned char *x, *mean;
	double shift;
};

static struct sample sample_make(enum rstd__format format, enum kind kind, size_t count)
{
	struct sample s = { .format = format, .size = rstd__format_info[format].size, .count = count };

	s.x = xmalloc(count * s.size);
	s.mean = xmalloc(count * s.size);
	for (size_t i = 0; i < count; i++) {
		put(format, s.x, i, element(format, kind));
		put(format, s.mean, i, element(format, kind == FAR ? NEAR : kind));
	}
	s.shift = element(format, kind == FAR ? NEAR : kind);
	return s;
}

static void sample_free(struct sample *s)
{
	free(s->x);
	free(s->mean);
}

/* ---- Exact sums, and how much of its bound an error uses ------------------------------------------------------- */

struct exact {
	size_t terms;
	mpz_t t, t_abs, q; /* sum of d, |d|, d^2 */
};

static void exact_init(struct exact *e)
{
	e->terms = 0;
	mpz_inits(e->t, e->t_abs, e->q, NULL);
}

static void exact_clear(struct exact *e)
{
	mpz_clears(e->t, e->t_abs, e->q, NULL);
}

/* Adds d = x - from, `times` times. */
static void exact_add(struct exact *e, double x, double from, size_t times)
{
	mpz_t d, d2;

	mpz_inits(d, d2, NULL);
	mpz_set_d(d, ldexp(x, UNIT));
	mpz_set_d(d2, ldexp(from, UNIT));
	mpz_sub(d, d, d2);
	mpz_mul(d2, d, d);
	mpz_addmul_ui(e->q, d2, times);
	if (mpz_sgn(d) < 0)
		mpz_submul_ui(e->t_abs, d, times);
	else
		mpz_addmul_ui(e->t_abs, d, times);
	mpz_mul_ui(d, d, times);
	mpz_add(e->t, e->t, d);
	e->terms += times;
	mpz_clears(d, d2, NULL);
}

/* |high + low - exact|, where exact is in units of 2^-unit, in these units. */
static double error_of(double high, double low, const mpz_t exact, int unit)
{
	mpz_t e, part;
	double error;

	mpz_init_set_d(e, ldexp(high, unit));
	mpz_init_set_d(part, ldexp(low, unit));
	mpz_add(e, e, part);
	mpz_sub(e, e, exact);
	error = fabs(mpz_get_d(e));
	mpz_clears(e, part, NULL);
	return error;
}

static double ratio(double error, double bound)
{
	return error == 0 ? 0 : error / bound;
}

/* The largest fractions of their bounds that sums have used. */
struct used {
	double t, q;
};

static void note(double *most, double fraction, const char *what, const struct subject *on, size_t n)
{
	if (!(fraction <= 1))
		fail_msg("%s %s, %zu terms: error is %g of its bound", name_of(on), what, n, fraction);
	if (fraction > *most)
		*most = fraction;
}

enum shape { ROW, SHORT_ROW, COLUMN };

/* The most binary32 additions on the way of a term of n. */
static double rough_chain(const struct subject *on, enum shape shape, size_t n)
{
	switch (shape) {
	case ROW:
		return RSTD__ROUGH_ROW_CHAIN;
	case SHORT_ROW:
		return on->rough ? (double)(n / on->isa->kernels->rough_step + RSTD__ROUGH_SHORT_REST) : 0;
	case COLUMN:
		break;
	}
	return RSTD__ROUGH_COL_CHAIN;
}

/*
 * t is NULL where the kernel has no such sum. Rough squares that are no normal binary32 numbers are off by up to 2^-150
 * each.
 */
static void note_sums(struct used *used, const struct exact *e, const double *t, double q, enum shape shape,
                      const char *what, const struct subject *on)
{
	const size_t chain = shape == COLUMN ? on->isa->kernels->col_chain : on->isa->kernels->row_chain;
	const double l = (double)(chain < e->terms ? chain : e->terms);
	const double m = rough_chain(on, shape, e->terms);
	const double t_factor = (l + 1) * U + (on->rough ? m * U_ROUGH : 0);
	const double q_factor = (l + 2) * U + (on->rough ? (m + 2) * U_ROUGH : 0);
	const double q_more = on->rough ? ldexp((double)e->terms, 2 * UNIT - 150) : 0;

	if (on->rough && !isfinite(q)) { /* binary32 ends at 2^128, and leaves the test open */
		assert_true(mpz_get_d(e->q) >= ldexp(1, 2 * UNIT + 127));
		return;
	}
	if (t)
		note(&used->t, ratio(error_of(*t, 0, e->t, UNIT), t_factor * mpz_get_d(e->t_abs)), what, on, e->terms);
	note(&used->q, ratio(error_of(q, 0, e->q, 2 * UNIT), q_factor * mpz_get_d(e->q) + q_more), what, on, e->terms);
}

static void print_used(const struct used *used, const char *what, const struct subject *on)
{
	print_message("%-17s %-24s t %.3f q %.3f of the bounds\n", name_of(on), what, used->t, used->q);
}

static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void check_same(double got, double expected, const char *what, const struct subject *on, size_t rows, size_t n,
                       size_t gap)
{
	if (!same(got, expected))
		fail_msg("%s %s, %zu x %zu, alignment %zu: %a, elsewhere in memory it was %a", name_of(on), what, rows,
		         n, gap, got, expected);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------- */

static void row_bounds(const struct subject *on, struct used *used)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;

	for (enum kind kind = NEAR; kind < KINDS; kind++) {
		struct sample s = sample_make(format, kind, LENGTHS);
		struct exact about_shift, about_mean;

		exact_init(&about_shift);
		exact_init(&about_mean);
		for (size_t n = 0; n < LENGTHS; n++) {
			double t, q;

			k->row_moments[format](s.x, n, s.shift, &t, &q);
			note_sums(used, &about_shift, &t, q, ROW, "row_moments", on);
			k->row_ssd[format](s.x, s.mean, n, &q);
			note_sums(used, &about_mean, NULL, q, ROW, "row_ssd", on);
			exact_add(&about_shift, get(format, s.x, n), s.shift, 1);
			exact_add(&about_mean, get(format, s.x, n), get(format, s.mean, n), 1);
		}
		exact_clear(&about_mean);
		exact_clear(&about_shift);
		sample_free(&s);
	}
}

/* The same bits wherever the row lies, also where its first or last byte is the last that may be read. */
static void row_places(const struct subject *on)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	struct sample s = sample_make(format, NEAR, LENGTHS);
	struct guarded gx, gm;

	guard_make(&gx, LENGTHS * s.size + ALIGNMENTS);
	guard_make(&gm, LENGTHS * s.size + ALIGNMENTS);
	for (size_t n = 0; n < LENGTHS; n++) {
		double t0, q0, ssd0;

		k->row_moments[format](s.x, n, s.shift, &t0, &q0);
		k->row_ssd[format](s.x, s.mean, n, &ssd0);
		for (size_t gap = 0; gap < ALIGNMENTS; gap += alignment_step())
			for (enum guard_end end = GUARD_FIRST; end <= GUARD_LAST; end++) {
				const unsigned char *x = guard_copy(&gx, end, s.x, n * s.size, gap);
				const unsigned char *mean =
					guard_copy(&gm, end, s.mean, n * s.size, (ALIGNMENTS - gap) % ALIGNMENTS);
				double t, q;

				k->row_moments[format](x, n, s.shift, &t, &q);
				check_same(t, t0, "row_moments t", on, 1, n, gap);
				check_same(q, q0, "row_moments q", on, 1, n, gap);
				k->row_ssd[format](x, mean, n, &q);
				check_same(q, ssd0, "row_ssd q", on, 1, n, gap);
			}
	}
	guard_free(&gm);
	guard_free(&gx);
	sample_free(&s);
}

static void check_rows(const struct subject *on)
{
	struct used used = { 0 };

	row_bounds(on, &used);
	print_used(&used, "rows, random", on);
	row_places(on);
}

static void test_rows(void **state)
{
	(void)state;
	for_each_subject(check_rows);
}

/* ---- Outputs side by side ------------------------------------------------------------------------------------ */

/* The arrays of sums that a kernel reads and writes, each next to a page that nobody may touch. */
struct sums {
	struct guarded memory[3];
	double *shift, *t, *q;
};

static void sums_make(struct sums *s)
{
	for (size_t i = 0; i < 3; i++)
		guard_make(&s->memory[i], COLS * sizeof(double) + GUARD_MARGIN);
}

static void sums_free(struct sums *s)
{
	for (size_t i = 0; i < 3; i++)
		guard_free(&s->memory[i]);
}

/* n sums at one end of their memory, from arrays of initial values. */
static void sums_place(struct sums *s, enum guard_end end, size_t n, const double *shift, const double *t,
                       const double *q)
{
	const double *const from[3] = { shift, t, q };
	double **const to[3] = { &s->shift, &s->t, &s->q };

	for (size_t i = 0; i < 3; i++)
		*to[i] = (double *)(void *)guard_copy(&s->memory[i], end, from[i], n * sizeof(double), 0);
}

static void sums_check_intact(const struct sums *s, size_t n, const char *what, const struct subject *on)
{
	const double *const p[3] = { s->shift, s->t, s->q };

	for (size_t i = 0; i < 3; i++)
		if (!guard_intact(&s->memory[i], p[i], n * sizeof(double)))
			fail_msg("%s %s, %zu outputs: wrote beside an array", name_of(on), what, n);
}

/* How rows lie in memory: bytes of nothing between them, and whether they go up or down. */
struct pitch {
	size_t pad;
	bool down;
};

static const struct pitch pitches[] = { { 0, false }, { 7, false }, { 0, true }, { 12, true } };

#define PITCHES (sizeof(pitches) / sizeof(pitches[0]))

/* Rows of row_bytes, from_pitch bytes apart, as a pitch says; the address of the first and the way to the next. */
static const unsigned char *place_rows(const struct guarded *g, enum guard_end end, size_t gap,
                                       const struct pitch *pitch, const unsigned char *from, size_t from_pitch,
                                       size_t row_bytes, size_t rows, ptrdiff_t *stride)
{
	const size_t step = row_bytes + pitch->pad, last = rows ? (rows - 1) * step : 0;
	unsigned char *const memory = guard_place(g, end, rows ? last + row_bytes : 0, gap);

	for (size_t r = 0; r < rows; r++)
		memcpy(memory + (pitch->down ? last - r * step : r * step), from + r * from_pitch, row_bytes);
	*stride = pitch->down ? -(ptrdiff_t)step : (ptrdiff_t)step;
	return pitch->down ? memory + last : memory;
}

/* ---- Short rows ---------------------------------------------------------------------------------------------- */

static size_t longest_short(const struct subject *on)
{
	const size_t rough = on->isa->kernels->rough_step * RSTD__ROUGH_SHORT_TURNS;

	return on->rough && rough < RSTD__SHORT_MAX ? rough : RSTD__SHORT_MAX;
}

/* Lengths 0 to 4 vectors of 8 and one more, some longer ones, then the longest ones. */
static size_t next_short(const struct subject *on, size_t n)
{
	const size_t more = n + n / 2, last = longest_short(on) - 1;

	return n < COLS || n >= last ? n + 1 : more < last ? more : last;
}

/* Row r of the test is elements r to r + n - 1 of the sample. */
static void short_bounds(const struct subject *on, struct used *used)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;

	for (enum kind kind = NEAR; kind < KINDS; kind++) {
		struct sample s = sample_make(format, kind, RSTD__SHORT_MAX + SHORTS);
		double shift[SHORTS], t[ROOM(SHORTS)], q[ROOM(SHORTS)], ssd[ROOM(SHORTS)];
		ptrdiff_t row[SHORTS];

		for (size_t r = 0; r < SHORTS; r++) {
			shift[r] = get(format, kind == FAR ? s.mean : s.x, r);
			row[r] = (ptrdiff_t)(r * s.size);
		}
		for (size_t n = 0; n <= longest_short(on); n = next_short(on, n)) {
			k->short_moments[format](s.x, row, SHORTS, n, false, shift, t, q);
			if (k->short_ssd[format])
				k->short_ssd[format](s.x, row, s.mean, row, SHORTS, n, ssd);
			for (size_t r = 0; r < SHORTS; r++) {
				struct exact about_shift, about_mean;

				exact_init(&about_shift);
				exact_init(&about_mean);
				for (size_t i = r; i < r + n; i++) {
					exact_add(&about_shift, get(format, s.x, i), shift[r], 1);
					exact_add(&about_mean, get(format, s.x, i), get(format, s.mean, i), 1);
				}
				note_sums(used, &about_shift, &t[r], q[r], SHORT_ROW, "short_moments", on);
				if (k->short_ssd[format])
					note_sums(used, &about_mean, NULL, ssd[r], SHORT_ROW, "short_ssd", on);
				exact_clear(&about_mean);
				exact_clear(&about_shift);
			}
		}
		sample_free(&s);
	}
}

/* The same bits for rows in any order and distance, at the ends of memory, and as the first of fewer rows. */
static void short_places(const struct subject *on)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	struct sample s = sample_make(format, NEAR, RSTD__SHORT_MAX + SHORTS);
	struct guarded gx, gm;
	struct sums sums;
	double shift[ROOM(SHORTS)], nothing[ROOM(SHORTS)];

	guard_make(&gx, SHORTS * (RSTD__SHORT_MAX * s.size + 16) + ALIGNMENTS);
	guard_make(&gm, SHORTS * (RSTD__SHORT_MAX * s.size + 16) + ALIGNMENTS);
	sums_make(&sums);
	for (size_t r = 0; r < SHORTS; r++) {
		shift[r] = get(format, s.x, r);
		nothing[r] = (double)NAN;
	}
	for (size_t n = 1; n <= longest_short(on); n = next_short(on, n)) {
		double t0[ROOM(SHORTS)], q0[ROOM(SHORTS)], ssd0[ROOM(SHORTS)];
		ptrdiff_t row[SHORTS], mean_row[SHORTS];

		for (size_t r = 0; r < SHORTS; r++)
			row[r] = (ptrdiff_t)(r * s.size);
		k->short_moments[format](s.x, row, SHORTS, n, false, shift, t0, q0);
		if (k->short_ssd[format])
			k->short_ssd[format](s.x, row, s.mean, row, SHORTS, n, ssd0);
		for (size_t rows = 0; rows <= SHORTS; rows++)
			for (size_t gap = 0; gap < ALIGNMENTS; gap += alignment_step()) {
				const enum guard_end end = (rows + gap / 2) % 2 == 0 ? GUARD_FIRST : GUARD_LAST;
				const struct pitch *pitch = &pitches[(rows + gap) % PITCHES];
				const struct pitch *mean_pitch = &pitches[(rows + gap + 1) % PITCHES];
				ptrdiff_t stride, mean_stride;
				const unsigned char *x =
					place_rows(&gx, end, gap, pitch, s.x, s.size, n * s.size, rows, &stride);
				const unsigned char *mean = place_rows(&gm, end, gap, mean_pitch, s.mean, s.size,
				                                       n * s.size, rows, &mean_stride);

				for (size_t r = 0; r < rows; r++) {
					row[r] = (ptrdiff_t)r * stride;
					mean_row[r] = (ptrdiff_t)r * mean_stride;
				}
				sums_place(&sums, end, ROOM(rows), shift, nothing, nothing);
				/* the shifts are the first elements: half of the time the kernel has to find that out */
				if (gap % 4 < 2)
					for (size_t r = 0; r < rows; r++)
						sums.shift[r] = (double)NAN;
				k->short_moments[format](x, row, rows, n, gap % 4 < 2, sums.shift, sums.t, sums.q);
				for (size_t r = 0; r < rows; r++)
					assert_true(sums.shift[r] == shift[r]);
				sums_check_intact(&sums, ROOM(rows), "short_moments", on);
				for (size_t r = 0; r < rows; r++) {
					check_same(sums.t[r], t0[r], "short_moments t", on, rows, n, gap);
					check_same(sums.q[r], q0[r], "short_moments q", on, rows, n, gap);
				}
				if (!k->short_ssd[format])
					continue;
				sums_place(&sums, end, ROOM(rows), shift, nothing, nothing);
				k->short_ssd[format](x, row, mean, mean_row, rows, n, sums.q);
				sums_check_intact(&sums, ROOM(rows), "short_ssd", on);
				for (size_t r = 0; r < rows; r++)
					check_same(sums.q[r], ssd0[r], "short_ssd q", on, rows, n, gap);
			}
	}
	sums_free(&sums);
	guard_free(&gm);
	guard_free(&gx);
	sample_free(&s);
}

/* The same bits without shifts as about shifts of 0. */
static void short_about_zero(const struct subject *on)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	struct sample s = sample_make(format, FAR, RSTD__SHORT_MAX + SHORTS);
	double zero[ROOM(SHORTS)] = { 0 }, t0[ROOM(SHORTS)], q0[ROOM(SHORTS)], t[ROOM(SHORTS)], q[ROOM(SHORTS)];
	ptrdiff_t row[SHORTS];

	for (size_t r = 0; r < SHORTS; r++)
		row[r] = (ptrdiff_t)(r * s.size);
	for (size_t n = 1; n <= longest_short(on); n = next_short(on, n)) {
		k->short_moments[format](s.x, row, SHORTS, n, false, zero, t0, q0);
		for (size_t rows = 1; rows <= SHORTS; rows++) {
			k->short_moments[format](s.x, row, rows, n, false, NULL, t, q);
			for (size_t r = 0; r < rows; r++) {
				check_same(t[r], t0[r], "short_moments t about 0", on, rows, n, r);
				check_same(q[r], q0[r], "short_moments q about 0", on, rows, n, r);
			}
		}
	}
	sample_free(&s);
}

static void check_short_rows(const struct subject *on)
{
	struct used used = { 0 };

	short_bounds(on, &used);
	print_used(&used, "short rows, random", on);
	short_places(on);
	if (!on->rough)
		short_about_zero(on);
}

static void test_short_rows(void **state)
{
	(void)state;
	for_each_subject(check_short_rows);
}

/* ---- Rows dealt out to lanes --------------------------------------------------------------------------------- */

#define DENSE (SHORTS * RSTD__DENSE_MAX)

/* The sums of rows of n elements that follow each other, about their first elements, and about shifts that are given. */
static void dense_bounds(const struct subject *on, struct used *used)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;

	for (enum kind kind = NEAR; kind < KINDS; kind++)
		for (size_t n = 2; n <= RSTD__DENSE_MAX; n++)
			for (int about_first = 0; about_first < 2; about_first++) {
				struct sample s = sample_make(format, kind, DENSE);
				double shift[SHORTS], t[ROOM(SHORTS)], q[ROOM(SHORTS)];

				for (size_t r = 0; r < SHORTS; r++)
					shift[r] = get(format, kind == FAR ? s.mean : s.x, r);
				k->dense_moments[format](s.x, SHORTS, n, about_first, shift, t, q);
				for (size_t r = 0; r < SHORTS; r++) {
					struct exact e;

					if (about_first)
						assert_true(shift[r] == get(format, s.x, r * n));
					exact_init(&e);
					for (size_t i = r * n; i < (r + 1) * n; i++)
						exact_add(&e, get(format, s.x, i), shift[r], 1);
					note_sums(used, &e, &t[r], q[r], ROW, "dense_moments", on);
					exact_clear(&e);
				}
				sample_free(&s);
			}
}

/* The same bits at the ends of memory, and as the first of fewer rows; nothing read or written beyond. */
static void dense_places(const struct subject *on)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	struct sample s = sample_make(format, NEAR, DENSE);
	struct guarded gx;
	struct sums sums;
	double shift[ROOM(SHORTS)], nothing[ROOM(SHORTS)];

	guard_make(&gx, DENSE * s.size + ALIGNMENTS);
	sums_make(&sums);
	for (size_t r = 0; r < ROOM(SHORTS); r++)
		shift[r] = nothing[r] = (double)NAN;
	for (size_t n = 2; n <= RSTD__DENSE_MAX; n++) {
		double t0[ROOM(SHORTS)], q0[ROOM(SHORTS)];

		k->dense_moments[format](s.x, SHORTS, n, true, shift, t0, q0);
		for (size_t rows = 0; rows <= SHORTS; rows++)
			for (size_t gap = 0; gap < ALIGNMENTS; gap += alignment_step()) {
				const enum guard_end end = (rows + gap / 2) % 2 == 0 ? GUARD_FIRST : GUARD_LAST;
				const bool about_first = gap % 4 < 2;
				const unsigned char *x = guard_copy(&gx, end, s.x, rows * n * s.size, gap);

				sums_place(&sums, end, ROOM(rows), about_first ? nothing : shift, nothing, nothing);
				k->dense_moments[format](x, rows, n, about_first, sums.shift, sums.t, sums.q);
				sums_check_intact(&sums, ROOM(rows), "dense_moments", on);
				for (size_t r = 0; r < rows; r++) {
					assert_true(sums.shift[r] == shift[r]);
					check_same(sums.t[r], t0[r], "dense_moments t", on, rows, n, gap);
					check_same(sums.q[r], q0[r], "dense_moments q", on, rows, n, gap);
				}
			}
	}
	sums_free(&sums);
	guard_free(&gx);
	sample_free(&s);
}

static void check_dense_rows(const struct subject *on)
{
	struct used used = { 0 };

	if (!on->sums->dense_moments[on->format])
		return;
	dense_bounds(on, &used);
	print_used(&used, "dense rows, random", on);
	dense_places(on);
}

static void test_dense_rows(void **state)
{
	(void)state;
	for_each_subject(check_dense_rows);
}

/* ---- Results to elements ------------------------------------------------------------------------------------- */

#define RESULTS 37

/* Every kind of result, at any place of a vector, stored as rstd__store() does, and nothing beside it. */
static void check_narrow(const struct subject *on)
{
	const enum rstd__format format = on->format;
	const struct rstd__format_info *info = &rstd__format_info[format];
	const double specials[] = { 0,
		                    -0.0,
		                    (double)NAN,
		                    -(double)NAN,
		                    HUGE_VAL,
		                    -HUGE_VAL,
		                    ldexp(1, info->least),
		                    -ldexp(3, info->least),
		                    ldexp(1, info->overflow),
		                    ldexp(1, info->overflow + 2),
		                    ldexp(1, info->overflow) - ldexp(1, info->overflow - info->precision) };
	struct sample s = sample_make(format, WIDE, RESULTS);
	unsigned char expected[RESULTS * sizeof(float)];
	struct guarded gy;

	guard_make(&gy, RESULTS * s.size + ALIGNMENTS);
	for (size_t n = 0; n <= RESULTS; n++)
		for (size_t gap = 0; gap < ALIGNMENTS; gap += alignment_step()) {
			const enum guard_end end = gap % 2 ? GUARD_FIRST : GUARD_LAST;
			unsigned char *const y = guard_place(&gy, end, n * s.size, gap);
			double from[RESULTS];

			for (size_t i = 0; i < n; i++) {
				from[i] = get(format, s.x, i);
				if ((i + gap + n) % 3 == 0)
					from[i] = specials[(i + gap + n) % (sizeof(specials) / sizeof(specials[0]))];
				rstd__store(format, expected + i * s.size, from[i]);
			}
			on->isa->kernels->narrow[format](from, n, y);
			assert_true(guard_intact(&gy, y, n * s.size));
			if (memcmp(y, expected, n * s.size) != 0)
				fail_msg("%s narrow: %zu results differ from rstd__store()", name_of(on), n);
		}
	guard_free(&gy);
	sample_free(&s);
}

static void test_narrow(void **state)
{
	(void)state;
	for_each_subject(check_narrow);
}

/* ---- Columns ------------------------------------------------------------------------------------------------- */

/* What is in the sums before: a column kernel adds to it. */
static const double t_before = -3, q_before = 5;

/* A matrix of rows x COLS elements; column c is about shift[c]. */
struct matrix {
	struct sample s;
	double shift[COLS], t[COLS], q[COLS]; /* t and q are those before */
};

static struct matrix matrix_make(enum rstd__format format, enum kind kind, size_t rows)
{
	/* a row more, for the shifts where there are no rows */
	struct matrix m = { .s = sample_make(format, kind, (rows + 1) * COLS) };

	for (size_t c = 0; c < COLS; c++) {
		m.shift[c] = get(format, kind == FAR ? m.s.mean : m.s.x, c);
		m.t[c] = t_before;
		m.q[c] = q_before;
	}
	return m;
}

static size_t next_rows(size_t rows)
{
	return rows < ROWS ? rows + 1 : rows == ROWS ? RSTD__PANEL_ROWS : rows + 1;
}

static void column_bounds(const struct subject *on, struct used *used)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;

	for (enum kind kind = NEAR; kind < KINDS; kind++) {
		struct matrix m = matrix_make(format, kind, RSTD__PANEL_ROWS);
		const ptrdiff_t stride = (ptrdiff_t)(COLS * m.s.size);
		struct exact about_shift[COLS], about_mean[COLS];
		size_t done = 0;

		for (size_t c = 0; c < COLS; c++) {
			exact_init(&about_shift[c]);
			exact_init(&about_mean[c]);
			/* as if they were terms: sums of 0 and what was before */
			mpz_set_d(about_shift[c].t, ldexp(t_before, UNIT));
			mpz_abs(about_shift[c].t_abs, about_shift[c].t);
			mpz_set_d(about_shift[c].q, ldexp(q_before, 2 * UNIT));
			mpz_set(about_mean[c].q, about_shift[c].q);
			about_shift[c].terms = about_mean[c].terms = 1;
		}
		for (size_t rows = 0; rows <= RSTD__PANEL_ROWS; rows = next_rows(rows)) {
			double t[COLS], q[COLS], ssd[COLS];

			memcpy(t, m.t, sizeof(t));
			memcpy(q, m.q, sizeof(q));
			memcpy(ssd, m.q, sizeof(q));
			k->col_moments[format](m.s.x, stride, rows, COLS, m.shift, t, q);
			k->col_ssd[format](m.s.x, stride, m.s.mean, stride, rows, COLS, ssd);
			for (; done < rows; done++)
				for (size_t c = 0; c < COLS; c++) {
					const double x = get(format, m.s.x, done * COLS + c);

					exact_add(&about_shift[c], x, m.shift[c], 1);
					exact_add(&about_mean[c], x, get(format, m.s.mean, done * COLS + c), 1);
				}
			for (size_t c = 0; c < COLS; c++) {
				note_sums(used, &about_shift[c], &t[c], q[c], COLUMN, "col_moments", on);
				note_sums(used, &about_mean[c], NULL, ssd[c], COLUMN, "col_ssd", on);
			}
		}
		for (size_t c = 0; c < COLS; c++) {
			exact_clear(&about_shift[c]);
			exact_clear(&about_mean[c]);
		}
		sample_free(&m.s);
	}
}

/* The sums of a matrix of `rows` rows, each with the bits that whole rows at another place gave. */
static void column_place(const struct subject *on, const struct matrix *m, size_t rows, size_t cols, size_t gap,
                         size_t variant, const struct guarded g[2], struct sums *sums, const double expected[3][COLS])
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	const enum guard_end end = variant & 1 ? GUARD_FIRST : GUARD_LAST;
	const size_t from_pitch = COLS * m->s.size, bytes = cols * m->s.size;
	ptrdiff_t stride, mean_stride;
	const unsigned char *x =
		place_rows(&g[0], end, gap, &pitches[variant % PITCHES], m->s.x, from_pitch, bytes, rows, &stride);
	const unsigned char *mean =
		place_rows(&g[1], end, (ALIGNMENTS - gap) % ALIGNMENTS, &pitches[(variant + gap + 1) % PITCHES],
	                   m->s.mean, from_pitch, bytes, rows, &mean_stride);

	sums_place(sums, end, cols, m->shift, m->t, m->q);
	k->col_moments[format](x, stride, rows, cols, sums->shift, sums->t, sums->q);
	sums_check_intact(sums, cols, "col_moments", on);
	for (size_t c = 0; c < cols; c++) {
		check_same(sums->t[c], expected[0][c], "col_moments t", on, rows, cols, gap);
		check_same(sums->q[c], expected[1][c], "col_moments q", on, rows, cols, gap);
	}
	sums_place(sums, end, cols, m->shift, m->t, m->q);
	k->col_moments[format](x, stride, rows, cols, sums->shift, NULL, sums->q);
	sums_check_intact(sums, cols, "col_moments without t", on);
	for (size_t c = 0; c < cols; c++) {
		check_same(sums->t[c], t_before, "col_moments without t, t", on, rows, cols, gap);
		check_same(sums->q[c], expected[1][c], "col_moments without t, q", on, rows, cols, gap);
	}
	sums_place(sums, end, cols, m->shift, m->t, m->q);
	k->col_ssd[format](x, stride, mean, mean_stride, rows, cols, sums->q);
	sums_check_intact(sums, cols, "col_ssd", on);
	for (size_t c = 0; c < cols; c++)
		check_same(sums->q[c], expected[2][c], "col_ssd q", on, rows, cols, gap);
}

static void column_places(const struct subject *on, size_t rows, size_t gap_step, size_t col_step)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	struct matrix m = matrix_make(format, NEAR, rows);
	const ptrdiff_t stride = (ptrdiff_t)(COLS * m.s.size);
	double expected[3][COLS];
	struct guarded g[2];
	struct sums sums;

	for (size_t i = 0; i < 2; i++)
		guard_make(&g[i], rows * (COLS * m.s.size + 12) + ALIGNMENTS);
	sums_make(&sums);
	memcpy(expected[0], m.t, sizeof(m.t));
	memcpy(expected[1], m.q, sizeof(m.q));
	memcpy(expected[2], m.q, sizeof(m.q));
	k->col_moments[format](m.s.x, stride, rows, COLS, m.shift, expected[0], expected[1]);
	k->col_ssd[format](m.s.x, stride, m.s.mean, stride, rows, COLS, expected[2]);
	for (size_t cols = 1; cols <= COLS; cols += col_step)
		for (size_t gap = 0; gap < ALIGNMENTS; gap += gap_step)
			for (size_t variant = 0; variant < PITCHES; variant++)
				column_place(on, &m, rows, cols, gap, variant, g, &sums, expected);
	sums_free(&sums);
	for (size_t i = 0; i < 2; i++)
		guard_free(&g[i]);
	sample_free(&m.s);
}

/* No shifts are shifts of 0. */
static void column_zeros(const struct subject *on, size_t rows)
{
	struct matrix m = matrix_make(on->format, NEAR, rows), zero = m;
	const ptrdiff_t stride = (ptrdiff_t)(COLS * m.s.size);

	memset(zero.shift, 0, sizeof(zero.shift));
	on->sums->col_moments[on->format](m.s.x, stride, rows, COLS, zero.shift, zero.t, zero.q);
	on->sums->col_moments[on->format](m.s.x, stride, rows, COLS, NULL, m.t, m.q);
	for (size_t c = 0; c < COLS; c++) {
		check_same(m.t[c], zero.t[c], "col_moments about 0, t", on, rows, c, 0);
		check_same(m.q[c], zero.q[c], "col_moments about 0, q", on, rows, c, 0);
	}
	sample_free(&m.s);
}

static void check_columns(const struct subject *on)
{
	struct used used = { 0 };

	column_bounds(on, &used);
	print_used(&used, "columns, random", on);
	for (size_t rows = 0; rows <= ROWS; rows++)
		column_places(on, rows, alignment_step(), 1);
	column_places(on, RSTD__PANEL_ROWS, 5, 1);
	for (size_t rows = 0; rows <= RSTD__PANEL_ROWS; rows = next_rows(rows))
		column_zeros(on, rows);
}

static void test_columns(void **state)
{
	(void)state;
	for_each_subject(check_columns);
}

/* ---- NaN and Inf --------------------------------------------------------------------------------------------- */

/*
 * A sum of squares is Inf or NaN just as the exact one is: the callers tell special slices by it. Rough sums are only
 * not finite, and done again.
 */
static void check_special(double q, double special, const char *what, const struct subject *on, size_t n, size_t at)
{
	const bool right = on->rough ? !isfinite(q) : isnan(special) ? isnan(q) : isinf(q) && q > 0;

	if (!right)
		fail_msg("%s %s, %zu elements, number %zu is %g: sum of squares is %g", name_of(on), what, n, at,
		         special, q);
}

static void specials_at(const struct subject *on, struct sample *s, size_t at)
{
	static const double specials[] = { (double)INFINITY, -(double)INFINITY, (double)NAN };
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	const size_t n = s->count;
	const double before = get(format, s->x, at);

	for (size_t i = 0; i < 3; i++) {
		const uint32_t inf = dtype_inf(dtype_of[format]);
		const uint32_t bits = isnan(specials[i]) ? dtype_nan(dtype_of[format])
		                      : specials[i] < 0  ? inf | dtype_sign_bit(dtype_of[format])
		                                         : inf;
		const ptrdiff_t here = 0;
		double t, q, few_t[RSTD__LANES], few_q[RSTD__LANES];

		bits_store(dtype_of[format], s->x + at * s->size, bits);
		k->row_moments[format](s->x, n, s->shift, &t, &q);
		check_special(q, specials[i], "row_moments", on, n, at);
		k->row_ssd[format](s->x, s->mean, n, &q);
		check_special(q, specials[i], "row_ssd", on, n, at);
		k->row_ssd[format](s->mean, s->x, n, &q);
		check_special(q, specials[i], "row_ssd, mean", on, n, at);
		k->row_ssd[format](s->x, s->x, n, &q);
		check_special(q, (double)NAN, "row_ssd, x and mean", on, n, at);
		if (n <= longest_short(on)) {
			k->short_moments[format](s->x, &here, 1, n, false, &s->shift, few_t, few_q);
			check_special(few_q[0], specials[i], "short_moments", on, n, at);
		}
		if (n <= longest_short(on) && k->short_ssd[format]) {
			k->short_ssd[format](s->x, &here, s->mean, &here, 1, n, few_q);
			check_special(few_q[0], specials[i], "short_ssd", on, n, at);
		}
		if (n <= RSTD__PANEL_ROWS) {
			const ptrdiff_t stride = (ptrdiff_t)s->size;

			t = q = 0;
			k->col_moments[format](s->x, stride, n, 1, &s->shift, &t, &q);
			check_special(q, specials[i], "col_moments", on, n, at);
			q = 0;
			k->col_ssd[format](s->x, stride, s->mean, stride, n, 1, &q);
			check_special(q, specials[i], "col_ssd", on, n, at);
		}
	}
	put(format, s->x, at, before);
}

static void check_specials(const struct subject *on)
{
	static const size_t lengths[] = { 1, 7, LENGTHS - 1, 3 * 4096 + 77 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct sample s = sample_make(on->format, NEAR, lengths[i]);
		const size_t step = lengths[i] < 4096 ? 1 : 911;

		for (size_t at = 0; at < lengths[i]; at += step)
			specials_at(on, &s, at);
		specials_at(on, &s, lengths[i] - 1);
		sample_free(&s);
	}
}

static void test_specials(void **state)
{
	(void)state;
	for_each_subject(check_specials);
}

/* A special value in one column leaves the others alone. */
static void check_special_columns(const struct subject *on)
{
	const enum rstd__format format = on->format;
	struct matrix m = matrix_make(format, NEAR, ROWS);
	const ptrdiff_t stride = (ptrdiff_t)(COLS * m.s.size);

	for (size_t at = 0; at < COLS; at++) {
		const size_t index = at % ROWS * COLS + at;
		const double before = get(format, m.s.x, index);
		double t[COLS], q[COLS];

		memcpy(t, m.t, sizeof(t));
		memcpy(q, m.q, sizeof(q));
		bits_store(dtype_of[format], m.s.x + index * m.s.size, dtype_nan(dtype_of[format]));
		on->sums->col_moments[format](m.s.x, stride, ROWS, COLS, m.shift, t, q);
		for (size_t c = 0; c < COLS; c++)
			assert_int_equal(isnan(q[c]) != 0, c == at);
		put(format, m.s.x, index, before);
	}
	sample_free(&m.s);
}

static void test_special_columns(void **state)
{
	(void)state;
	for_each_subject(check_special_columns);
}

/* ---- Data made to break the bounds ----------------------------------------------------------------------------- */

/*
 * A sum that starts with `mass` loses every later term that is just below half a unit in its last place: each rounds
 * away, and each the same way. So does a sum of squares for terms that are just below the root of that.
 */
struct weights {
	double mass, tiny;
};

static double largest_below(enum rstd__format format, double v)
{
	const uint32_t bits = bits_from_double(dtype_of[format], v);
	const double rounded = bits_to_double(dtype_of[format], bits);

	return rounded < v ? rounded : bits_to_double(dtype_of[format], bits - 1);
}

/* binary16 has no number that is lost beside another in binary64: those sums of differences are exact, see below. */
static struct weights weights_of(const struct subject *on, bool squares)
{
	const double mass = on->format == RSTD__F16 ? 0x1p14 : 1, u = on->rough ? U_ROUGH : U;

	return (struct weights){ mass, largest_below(on->format, mass * (squares ? sqrt(u) : u)) };
}

/*
 * A row that starts with the mass; every period-th element is tiny, up to the end of the first block and one in each
 * later block; the others are 0. When the period is the width of the kernel's loop, the tiny ones meet the mass in its
 * lane. Rough sums start again after ROUGH_TURNS turns of the loop, where rows are not short: there each block is like
 * the first.
 */
struct hostile_row {
	struct sample s;
	struct exact exact;
};

#define HOSTILE_BLOCK 4096
#define ROUGH_TURNS   16

static double hostile_element(const struct subject *on, const struct weights *w, size_t period, size_t block, size_t i)
{
	if (i == 0 || (on->rough && i % block == 0))
		return w->mass;
	if (i < block || on->rough)
		return i == 1 || i % period == 0 ? w->tiny : 0;
	return i % block == 0 ? w->tiny : 0;
}

static struct hostile_row hostile_row_make(const struct subject *on, bool squares, size_t period, size_t block,
                                           size_t n)
{
	const struct weights w = weights_of(on, squares);
	struct hostile_row h = { .s = sample_make(on->format, NEAR, n) };
	size_t tiny = 0, mass = 0;

	memset(h.s.mean, 0, n * h.s.size);
	for (size_t i = 0; i < n; i++) {
		const double v = hostile_element(on, &w, period, block, i);

		put(on->format, h.s.x, i, v);
		mass += v == w.mass;
		tiny += v == w.tiny;
	}
	/* with this shift the difference of the first element rounds, too; the others hardly differ from it */
	h.s.shift = squares && !on->rough && on->format != RSTD__F16 ? -0x1.fffffep-54 : 0;
	exact_init(&h.exact);
	exact_add(&h.exact, w.mass, h.s.shift, mass);
	exact_add(&h.exact, w.tiny, h.s.shift, tiny);
	exact_add(&h.exact, 0, h.s.shift, n - mass - tiny);
	return h;
}

static void hostile_row_free(struct hostile_row *h)
{
	exact_clear(&h->exact);
	sample_free(&h->s);
}

static void use_hostile_row(const struct subject *on, size_t period, size_t n, struct used *rows, struct used *shorts)
{
	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	const size_t block = on->rough ? ROUGH_TURNS * period : HOSTILE_BLOCK;
	const ptrdiff_t here = 0;

	for (int squares = 0; squares < 2; squares++) {
		struct hostile_row h = hostile_row_make(on, squares, period, block, n);
		double t, q, few_t[RSTD__LANES], few_q[RSTD__LANES];

		k->row_moments[format](h.s.x, n, h.s.shift, &t, &q);
		note_sums(rows, &h.exact, &t, q, ROW, "row_moments, hostile", on);
		if (n <= RSTD__SHORT_MAX && !on->rough) {
			k->short_moments[format](h.s.x, &here, 1, n, false, &h.s.shift, few_t, few_q);
			note_sums(shorts, &h.exact, few_t, few_q[0], ROW, "short_moments, hostile", on);
		}
		if (h.s.shift == 0) {
			k->row_ssd[format](h.s.x, h.s.mean, n, &q);
			note_sums(rows, &h.exact, NULL, q, ROW, "row_ssd, hostile", on);
			if (n <= RSTD__SHORT_MAX && !on->rough) {
				k->short_ssd[format](h.s.x, &here, h.s.mean, &here, 1, n, few_q);
				note_sums(shorts, &h.exact, NULL, few_q[0], ROW, "short_ssd, hostile", on);
			}
		}
		hostile_row_free(&h);
	}
}

/* Rough sums of the longest short rows, which never start again. */
static void use_hostile_rough_short(const struct subject *on, bool squares, struct used *used)
{
	const size_t n = longest_short(on);
	const ptrdiff_t here = 0;

	for (size_t period = 1; period <= on->isa->kernels->rough_step; period *= 2) {
		struct hostile_row h = hostile_row_make(on, squares, period, SIZE_MAX, n);
		double t[RSTD__LANES], q[RSTD__LANES];

		on->sums->short_moments[on->format](h.s.x, &here, 1, n, false, &h.s.shift, t, q);
		note_sums(used, &h.exact, t, q[0], SHORT_ROW, "short_moments, hostile", on);
		hostile_row_free(&h);
	}
}

static void check_bite(const struct used *used, double least, const struct subject *on, const char *what)
{
	const bool exact = on->format == RSTD__F16 && !on->rough;

	print_used(used, what, on);
	if (used->q < least || (!exact && used->t < least))
		fail_msg("%s %s: the data use too little of the bounds to test them", name_of(on), what);
	if (exact && used->t > 0) /* integers of fewer than 53 bits, in units of 2^-24 */
		fail_msg("%s %s: sums of differences of binary16 numbers are exact", name_of(on), what);
}

static void check_hostile_rows(const struct subject *on)
{
	static const size_t lengths[] = { RSTD__SHORT_MAX, HOSTILE_BLOCK, RSTD__ROW_RUN };

	struct used shorts = { 0 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct used rows = { 0 };
		char what[40];

		if (lengths[i] > HOSTILE_BLOCK && test_scale() < 100)
			continue;
		/* one of them is the width of a loop: 1 to 16 lanes, 1 or 4 sums */
		for (size_t period = 1; period <= 64; period *= 2)
			use_hostile_row(on, period, lengths[i], &rows, &shorts);
		snprintf(what, sizeof(what), "rows of %zu, hostile", lengths[i]);
		check_bite(&rows, lengths[i] < HOSTILE_BLOCK ? 0.05 : BITE, on, what);
	}
	for (int squares = 0; squares < 2 && on->rough; squares++)
		use_hostile_rough_short(on, squares, &shorts);
	check_bite(&shorts, on->rough ? BITE : 0.1, on, "short rows, hostile");
}

static void test_hostile_rows(void **state)
{
	(void)state;
	for_each_subject(check_hostile_rows);
}

/*
 * The element of a column in row i. Fine sums have the longest chain where rows come a part of a group at a time, as
 * packed ones may: the first part goes to the sum of the mass, of later ones each is one term. Rough sums start again
 * with each group, whose second part is one term.
 */
static double hostile_row_of_columns(const struct subject *on, const struct weights *w, size_t i)
{
	if (on->rough) {
		const size_t at = i % RSTD__COL_GROUP;

		return at == 0 ? w->mass : at <= RSTD__COL_PART ? w->tiny : 0;
	}
	if (i < RSTD__COL_PART)
		return i == 0 ? w->mass : w->tiny;
	return i % RSTD__COL_PART == 0 ? w->tiny : 0;
}

static void check_hostile_columns(const struct subject *on)
{
	enum { N = RSTD__PANEL_ROWS };

	const struct rstd__sums *k = on->sums;
	const enum rstd__format format = on->format;
	const size_t rows = on->rough ? RSTD__COL_GROUP : RSTD__COL_PART;
	struct used used = { 0 };

	for (int squares = 0; squares < 2; squares++) {
		const struct weights w = weights_of(on, squares);
		struct sample s = sample_make(format, NEAR, N);
		struct exact exact;
		double t = 0, q = 0, ssd = 0;
		const double shift = 0;
		const ptrdiff_t stride = (ptrdiff_t)s.size;

		memset(s.x, 0, N * s.size);
		memset(s.mean, 0, N * s.size);
		exact_init(&exact);
		for (size_t i = 0; i < N; i++) {
			put(format, s.x, i, hostile_row_of_columns(on, &w, i));
			exact_add(&exact, get(format, s.x, i), 0, 1);
		}
		for (size_t i = 0; i < N; i += rows) {
			k->col_moments[format](s.x + i * s.size, stride, rows, 1, &shift, &t, &q);
			k->col_ssd[format](s.x + i * s.size, stride, s.mean + i * s.size, stride, rows, 1, &ssd);
		}
		note_sums(&used, &exact, &t, q, COLUMN, "col_moments, hostile", on);
		note_sums(&used, &exact, NULL, ssd, COLUMN, "col_ssd, hostile", on);
		exact_clear(&exact);
		sample_free(&s);
	}
	check_bite(&used, BITE, on, "columns, hostile");
}

static void test_hostile_columns(void **state)
{
	(void)state;
	for_each_subject(check_hostile_columns);
}

/* ---- Compensated sums ---------------------------------------------------------------------------------------- */

#define MERGES     100
#define MERGE_UNIT 90 /* the parts are integers times 2^-MERGE_UNIT */

static void merge_some(const struct subject *on, size_t n, enum guard_end end)
{
	struct sums m;
	double plain[COLS] = { 0 }, zero[COLS] = { 0 };
	mpz_t exact[COLS], sizes[COLS], part;

	mpz_init(part);
	for (size_t i = 0; i < n; i++)
		mpz_inits(exact[i], sizes[i], NULL);
	sums_make(&m);
	sums_place(&m, end, n, zero, zero, zero); /* the part, sum, low */
	for (size_t k = 0; k < MERGES; k++) {
		for (size_t i = 0; i < n; i++) {
			m.shift[i] = random_double(-30, 30);
			plain[i] += m.shift[i];
			mpz_set_d(part, ldexp(m.shift[i], MERGE_UNIT));
			mpz_add(exact[i], exact[i], part);
			mpz_abs(part, part);
			mpz_add(sizes[i], sizes[i], part);
		}
		on->isa->kernels->merge(m.t, m.q, m.shift, n);
	}
	sums_check_intact(&m, n, "merge", on);
	for (size_t i = 0; i < n; i++) {
		/* each of up to MERGES errors, u of the sum at most, has gone through up to MERGES roundings */
		const double bound = (double)MERGES * U * MERGES * U * mpz_get_d(sizes[i]);

		assert_true(same(m.t[i], plain[i]));
		assert_true(error_of(m.t[i], m.q[i], exact[i], MERGE_UNIT) <= bound);
		assert_true(m.q[i] != 0);
		mpz_clears(exact[i], sizes[i], NULL);
	}
	sums_free(&m);
	mpz_clear(part);
}

static void check_merge(const struct subject *on)
{
	if (on->rough || on->format != RSTD__F32) /* once for each instruction set is enough */
		return;
	for (size_t n = 0; n <= COLS; n++)
		for (enum guard_end end = GUARD_FIRST; end <= GUARD_LAST; end++)
			merge_some(on, n, end);
}

static void test_merge(void **state)
{
	(void)state;
	for_each_subject(check_merge);
}

/* ---- Integers ------------------------------------------------------------------------------------------------ */

__extension__ typedef unsigned __int128 uint128;

/* What the halves stand for. */
static uint128 squares_of(const struct rstd__halves *h)
{
	return ((uint128)h->high << 2 * RSTD__HALF) + ((uint128)h->cross << (RSTD__HALF + 1)) + h->low;
}

/* n integers below 2^width, times 2^unit, about given means or not, at one end of their memory. */
static void check_halves_of(const struct rstd__kernels *k, size_t n, int width, int unit, bool given,
                            struct guarded g[2])
{
	const enum guard_end end = n & 1 ? GUARD_FIRST : GUARD_LAST;
	float x[LENGTHS], mean[LENGTHS];
	struct rstd__halves h;
	uint128 squares = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t v[2];

		for (size_t j = 0; j < 2; j++) { /* 24 bits, some of them at the very top */
			v[j] = (int64_t)((next_random() >> 40) | (i % 3 == 0 ? 0xFFFFFF : 0)) << (width - 24);
			v[j] = next_random() & 1 ? v[j] : -v[j];
		}
		x[i] = (float)ldexp((double)v[0], unit);
		mean[i] = (float)ldexp((double)v[1], unit);
		v[0] -= given ? v[1] : 0;
		sum += v[0];
		squares += (uint128)((uint64_t)(v[0] < 0 ? -v[0] : v[0])) * (uint64_t)(v[0] < 0 ? -v[0] : v[0]);
	}
	k->halves((const float *)(const void *)guard_copy(&g[0], end, x, n * sizeof(float), 0),
	          given ? (const float *)(const void *)guard_copy(&g[1], end, mean, n * sizeof(float), 0) : NULL, n,
	          rstd__pow2(-unit), &h);
	assert_true(h.sum == sum);
	assert_true(squares_of(&h) == squares);
}

/* As many of the largest as there may be: the sums of the halves come near to 2^64, and do not reach it. */
static void check_full_halves(const struct rstd__kernels *k)
{
	static float x[RSTD__WORDS_MAX], mean[RSTD__WORDS_MAX];
	const double largest = 0x1p50 - 0x1p26; /* below 2^50, with 24 bits */
	const uint64_t d = (uint64_t)(2 * largest);
	struct rstd__halves h;

	for (size_t i = 0; i < RSTD__WORDS_MAX; i++) {
		x[i] = (float)-largest;
		mean[i] = (float)largest;
	}
	k->halves(x, mean, RSTD__WORDS_MAX, 1, &h);
	assert_true(h.sum == -(int64_t)(d * RSTD__WORDS_MAX));
	assert_true(squares_of(&h) == (uint128)d * d * RSTD__WORDS_MAX);
	assert_true(h.high > UINT64_MAX / 2);
}

static void check_halves(const struct subject *on)
{
	struct guarded g[2];

	if (on->rough || on->format != RSTD__F32) /* once for each instruction set is enough */
		return;
	for (size_t i = 0; i < 2; i++)
		guard_make(&g[i], LENGTHS * sizeof(float));
	for (size_t n = 0; n < LENGTHS; n++)
		for (int width = 24; width <= 50; width += 13)
			for (int given = 0; given < 2; given++)
				check_halves_of(on->isa->kernels, n, width, between(-149, 77), given, g);
	for (size_t i = 0; i < 2; i++)
		guard_free(&g[i]);
	check_full_halves(on->isa->kernels);
}

static void test_halves(void **state)
{
	(void)state;
	for_each_subject(check_halves);
}

/* What a split stands for. */
static uint128 squares_of_split(const struct rstd__split *s)
{
	__extension__ typedef __int128 int128;

	return (uint128)((int128)s->high * (INT64_C(1) << RSTD__SPLIT) + s->low);
}

static void check_split_sums(const struct rstd__kernels *k, enum rstd__format format, const void *x, const float *mean,
                             size_t n, int unit, int width, const double *v)
{
	struct rstd__split s;
	uint128 squares = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += (int64_t)v[i];
		squares += (uint128)(uint64_t)fabs(v[i]) * (uint64_t)fabs(v[i]);
	}
	k->split[format](x, mean, n, unit, width, &s);
	assert_true(s.sum == sum);
	assert_true(squares_of_split(&s) == squares);
}

/* n integers below 2^width, times 2^unit, at one end of their memory; floats also about means. */
static void check_split_of(const struct subject *on, size_t n, int width, int unit, struct guarded g[2])
{
	const enum rstd__format format = on->format;
	const int precision = rstd__format_info[format].precision;
	const size_t size = rstd__format_info[format].size;
	const enum guard_end end = n & 1 ? GUARD_FIRST : GUARD_LAST;
	unsigned char x[LENGTHS * sizeof(float)];
	float mean[LENGTHS];
	double v[LENGTHS], d[LENGTHS];
	const void *placed;

	for (size_t i = 0; i < n; i++) {
		double integer[2];

		for (size_t j = 0; j < 2; j++) { /* some of them at the very top */
			const uint64_t most = (UINT64_C(1) << precision) - 1;
			const int up = i % 3 == 0 ? width - precision : between(0, width - precision);

			integer[j] = ldexp((double)(i % 3 == 0 ? most : next_random() & most), up);
			integer[j] = next_random() & 1 ? integer[j] : -integer[j];
		}
		rstd__store(format, x + i * size, ldexp(integer[0], unit));
		mean[i] = (float)ldexp(integer[1], unit);
		v[i] = integer[0];
		d[i] = integer[0] - integer[1];
	}
	placed = guard_copy(&g[0], end, x, n * size, 0);
	check_split_sums(on->isa->kernels, format, placed, NULL, n, unit, width, v);
	if (format == RSTD__F32 && width < RSTD__SPLIT_WIDTH)
		check_split_sums(on->isa->kernels, format, placed,
		                 (const float *)(const void *)guard_copy(&g[1], end, mean, n * sizeof(float), 0), n,
		                 unit, width + 1, d);
}

/* As many of the largest as there may be, of one sign: sums reach 2^53 where they would first be wrong. */
static void check_full_split(const struct rstd__kernels *k)
{
	static float x[RSTD__WORDS_MAX];
	static double v[RSTD__WORDS_MAX];
	/* below 2^45 and with 24 bits: those next to it, and those that split into the largest halves of both signs */
	static const double largest[] = { 0x1p45 - 0x1p21, 0x1.000001p44 - 0x1p20, 0x1p45 - 0x1p22 - 0x1p21 };

	for (size_t j = 0; j < sizeof(largest) / sizeof(largest[0]); j++)
		for (int odd = 0; odd < 2; odd++) {
			for (size_t i = 0; i < RSTD__WORDS_MAX; i++)
				v[i] = (double)(x[i] = (float)(odd && i % 5 == 0 ? 4194303 : largest[j]));
			for (size_t n = 200; n <= RSTD__WORDS_MAX; n += n < 300 ? 1 : 158)
				check_split_sums(k, RSTD__F32, x, NULL, n, 0, RSTD__SPLIT_WIDTH, v);
		}
}

/*
 * The same of 16 bits, whose squares are added before they are split: an odd one, and then as many of the largest as
 * binary64 takes in a lane. One more would round.
 */
static void check_full_few(const struct rstd__kernels *k, enum rstd__format format)
{
	static uint16_t x[RSTD__WORDS_MAX];
	static double v[RSTD__WORDS_MAX];
	const int precision = rstd__format_info[format].precision;
	const double most = ldexp(1, precision) - 1;

	for (int width = precision + 1; width < 30; width++)
		for (size_t n = 16; n <= RSTD__WORDS_MAX; n *= 2) {
			for (size_t i = 0; i < n; i++) {
				v[i] = i == 0 ? most : ldexp(most, width - precision);
				rstd__store(format, (unsigned char *)&x[i], ldexp(v[i], -20));
			}
			check_split_sums(k, format, x, NULL, n, -20, width, v);
		}
}

static void check_split(const struct subject *on)
{
	const int precision = rstd__format_info[on->format].precision, least = rstd__format_info[on->format].least,
		  overflow = rstd__format_info[on->format].overflow;
	struct guarded g[2];

	if (on->rough)
		return;
	for (size_t i = 0; i < 2; i++)
		guard_make(&g[i], LENGTHS * sizeof(float));
	for (size_t n = 1; n < LENGTHS; n++)
		for (int width = precision; width <= RSTD__SPLIT_WIDTH && width <= overflow - least; width++)
			check_split_of(on, n, width, between(least, overflow - width), g);
	for (size_t i = 0; i < 2; i++)
		guard_free(&g[i]);
	if (on->format == RSTD__F32)
		check_full_split(on->isa->kernels);
	else
		check_full_few(on->isa->kernels, on->format);
}

static void test_split(void **state)
{
	(void)state;
	for_each_subject(check_split);
}

/* Every length at the ends of memory, with zeros and subnormals among the elements. */
static void check_range(const struct subject *on)
{
	const enum rstd__format format = on->format;
	const size_t size = rstd__format_info[format].size;
	unsigned char x[LENGTHS * sizeof(float)];
	struct guarded g;

	if (on->rough)
		return;
	guard_make(&g, sizeof(x));
	for (size_t n = 0; n < LENGTHS; n++) {
		struct rstd__range range = { INT32_MAX, 0 }, expected = range;

		for (size_t i = 0; i < n; i++) {
			float element = rstd__float_from_bits((uint32_t)next_random());
			int32_t magnitude;

			if (n % 2)
				element = rstd__float_from_bits((uint32_t)next_random() % 3);
			if (format != RSTD__F32) { /* any of 16 bits, or the least */
				const uint16_t bits = (uint16_t)(n % 2 ? next_random() % 3 : next_random());

				memcpy(x + i * size, &bits, size);
				element = rstd__load(format, x + i * size);
			} else {
				memcpy(x + i * size, &element, size);
			}
			magnitude = (int32_t)(rstd__float_to_bits(element) & INT32_MAX);
			if (magnitude != 0 && magnitude - 1 < expected.least)
				expected.least = magnitude - 1;
			if (magnitude > expected.largest)
				expected.largest = magnitude;
		}
		on->isa->kernels->range[format](guard_copy(&g, n & 2 ? GUARD_FIRST : GUARD_LAST, x, n * size, 0), n,
		                                &range);
		assert_int_equal(range.least, expected.least);
		assert_int_equal(range.largest, expected.largest);
	}
	guard_free(&g);
}

static void test_range(void **state)
{
	(void)state;
	for_each_subject(check_range);
}

/* Every bit pattern of 16 bits, and every length. */
static void check_widen(const struct subject *on)
{
	const size_t size = rstd__format_info[on->format].size;
	static unsigned char x[65536 * 4];
	static float to[65536];
	struct guarded g;

	if (on->rough)
		return;
	for (uint32_t i = 0; i < 65536; i++)
		bits_store(dtype_of[on->format], x + i * size, size == 2 ? i : i * 65537);
	on->isa->kernels->widen[on->format](x, 65536, to);
	for (size_t i = 0; i < 65536; i++)
		assert_true(same((double)to[i], get(on->format, x, i)) || isnan(to[i]));
	guard_make(&g, LENGTHS * size);
	for (size_t n = 0; n < LENGTHS; n++) {
		to[n] = 77;
		on->isa->kernels->widen[on->format](
			guard_copy(&g, n & 1 ? GUARD_FIRST : GUARD_LAST, x + 4096, n * size, 0), n, to);
		for (size_t i = 0; i < n; i++)
			assert_true(same((double)to[i], get(on->format, x + 4096, i)));
		assert_true(to[n] == 77);
	}
	guard_free(&g);
}

static void test_widen(void **state)
{
	(void)state;
	for_each_subject(check_widen);
}

/* ---- One element, one operation ------------------------------------------------------------------------------ */

static void test_formats(void **state)
{
	(void)state;
	for (enum rstd__format format = RSTD__F32; format < RSTD__FORMATS; format++) {
		const rstd_dtype dtype = dtype_of[format];
		const uint32_t step = format == RSTD__F32 ? 65521 : 1; /* a prime, so that all exponents have many */
		const uint64_t end = format == RSTD__F32 ? UINT64_C(1) << 32 : 65536;
		unsigned char bytes[5], back[5];

		for (uint64_t pattern = 0; pattern < end; pattern += step) {
			const uint32_t bits = (uint32_t)pattern;
			float f;

			bits_store(dtype, bytes + 1, bits); /* an odd address */
			f = rstd__load(format, bytes + 1);
			rstd__store(format, back + 1, (double)f);
			if (bits_is_nan(dtype, bits)) {
				assert_true(isnan(f));
				assert_true(bits_is_nan(dtype, bits_load(dtype, back + 1)));
				continue;
			}
			assert_true(same((double)f, bits_to_double(dtype, bits)));
			assert_int_equal(bits_load(dtype, back + 1), f == 0 ? 0 : bits); /* zero has no sign */
		}
		for (int e = rstd__format_info[format].overflow; e < 1024; e++) {
			rstd__store(format, back, ldexp(1, e));
			assert_int_equal(bits_load(dtype, back), dtype_inf(dtype));
			rstd__store(format, back, -ldexp(1, e));
			assert_int_equal(bits_load(dtype, back), dtype_inf(dtype) | dtype_sign_bit(dtype));
		}
	}
}

static void test_format_info(void **state)
{
	(void)state;
	for (enum rstd__format format = RSTD__F32; format < RSTD__FORMATS; format++) {
		const struct rstd__format_info *info = &rstd__format_info[format];
		const uint32_t inf = dtype_inf(dtype_of[format]);
		const double largest = bits_to_double(dtype_of[format], inf - 1);

		assert_int_equal(info->size, dtype_size(dtype_of[format]));
		assert_true(bits_to_double(dtype_of[format], 1) == ldexp(1, info->least));
		assert_true(largest == ldexp(1, info->overflow) - ldexp(1, info->overflow - info->precision));
	}
	for (int e = -1022; e <= 1023; e++)
		assert_true(same(rstd__pow2(e), ldexp(1, e)));
}

static void test_error_free(void **state)
{
	enum { FINE = 200 }; /* bits after the point: numbers down to 2^-100 with 53 bits */
	mpz_t a_exact, b_exact, exact;

	(void)state;
	mpz_inits(a_exact, b_exact, exact, NULL);
	for (int i = 0; i < 100000; i++) {
		const double a = random_double(-100, 100), b = random_double(-100, 100), s = a + b;

		mpz_set_d(a_exact, ldexp(a, FINE));
		mpz_set_d(b_exact, ldexp(b, FINE));
		mpz_add(exact, a_exact, b_exact);
		assert_true(error_of(s, rstd__sum_error(a, b, s), exact, FINE) == 0);
	}
	mpz_clears(a_exact, b_exact, exact, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),      cmocka_unit_test(test_format_info),
		cmocka_unit_test(test_error_free),   cmocka_unit_test(test_rows),
		cmocka_unit_test(test_short_rows),   cmocka_unit_test(test_dense_rows),
		cmocka_unit_test(test_narrow),       cmocka_unit_test(test_columns),
		cmocka_unit_test(test_specials),     cmocka_unit_test(test_special_columns),
		cmocka_unit_test(test_hostile_rows), cmocka_unit_test(test_hostile_columns),
		cmocka_unit_test(test_merge),        cmocka_unit_test(test_halves),
		cmocka_unit_test(test_range),        cmocka_unit_test(test_split),
		cmocka_unit_test(test_widen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
