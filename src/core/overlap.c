/*
 * overlap.c - whether strided views share memory, decided exactly
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both questions ask whether a bounded linear equation has a solution: c0 * i0 + c1 * i1 + ... = target with
 * 0 <= i < count. Terms are tried in order of falling coefficient; what the smaller ones can still reach leaves few
 * choices for each, often one. The equation is NP-hard in general, so the search gives up after MAX_STEPS and then says
 * "overlap", which refuses a call that might be right but never lets a wrong one through. numpy decides
 * shares_memory() in the same manner (numpy/core/src/common/mem_overlap.c).
 */
#include "core/overlap.h"

#define MAX_STEPS 1000000

struct term {
	int64_t coefficient; /* > 0 */
	int64_t count;       /* >= 2 */
};

struct equation {
	size_t terms;
	struct term term[2 * (RSTD_MAX_RANK + 1)];  /* by falling coefficient */
	int64_t reach[2 * (RSTD_MAX_RANK + 1) + 1]; /* the largest value of the terms from i on */
	int64_t steps;
};

static void start_equation(struct equation *e)
{
	e->terms = 0;
	e->steps = 0;
}

/* Terms of the same coefficient are one: their indices only matter as a sum, which takes every value in its range. */
static void add_term(struct equation *e, int64_t coefficient, int64_t count)
{
	size_t i = e->terms;

	if (coefficient == 0 || count < 2)
		return;
	for (size_t j = 0; j < e->terms; j++)
		if (e->term[j].coefficient == coefficient) {
			e->term[j].count += count - 1;
			return;
		}
	for (; i > 0 && e->term[i - 1].coefficient < coefficient; i--)
		e->term[i] = e->term[i - 1];
	e->term[i] = (struct term){ coefficient, count };
	e->terms++;
}

static void sum_reaches(struct equation *e)
{
	e->reach[e->terms] = 0;
	for (size_t i = e->terms; i-- > 0;)
		e->reach[i] = e->reach[i + 1] + e->term[i].coefficient * (e->term[i].count - 1);
}

/* Whether the terms from `from` on can make target. */
static bool solvable(struct equation *e, size_t from, int64_t target)
{
	const struct term *t = &e->term[from];
	int64_t first, last;

	if (target < 0 || target > e->reach[from])
		return false;
	if (from == e->terms)
		return true; /* the reach is 0, so target is */
	if (++e->steps > MAX_STEPS)
		return true;
	last = target / t->coefficient;
	if (last > t->count - 1)
		last = t->count - 1;
	first = target - e->reach[from + 1];
	first = first > 0 ? (first + t->coefficient - 1) / t->coefficient : 0;
	for (int64_t i = last; i >= first; i--)
		if (solvable(e, from + 1, target - i * t->coefficient))
			return true;
	return false;
}

static int64_t magnitude(int64_t a)
{
	return a < 0 ? -a : a;
}

/* The lowest address of the region. */
static uintptr_t lowest(const struct rstd__region *r)
{
	uintptr_t low = r->start;

	for (size_t i = 0; i < r->rank; i++)
		if (r->stride[i] < 0)
			low -= (uintptr_t)(magnitude(r->stride[i]) * (r->count[i] - 1));
	return low;
}

/* The distance from the lowest address to the one past the highest. */
static uintptr_t extent(const struct rstd__region *r)
{
	uintptr_t bytes = r->size;

	for (size_t i = 0; i < r->rank; i++)
		bytes += (uintptr_t)(magnitude(r->stride[i]) * (r->count[i] - 1));
	return bytes;
}

/*
 * Two different elements whose first differing index is k, by step > 0 there, share a byte when
 *	step * stride[k] + sum over i > k of (i1 - i2) * stride[i] + (byte1 - byte2) = 0.
 * The other differences take both signs, so only the strides' magnitudes matter. Adding count - 1 to each of these
 * differences makes it an index below 2 * count - 1, and step - 1 is one below count - 1.
 */
bool rstd__overlaps_itself(const struct rstd__region *r)
{
	for (size_t k = 0; k < r->rank; k++)
		if (r->count[k] > 1 && r->stride[k] == 0)
			return true;
	for (size_t k = 0; k < r->rank; k++) {
		struct equation e;
		int64_t target = (int64_t)r->size - 1 - magnitude(r->stride[k]);

		start_equation(&e);
		add_term(&e, magnitude(r->stride[k]), r->count[k] - 1);
		add_term(&e, 1, 2 * (int64_t)r->size - 1);
		for (size_t i = k + 1; i < r->rank; i++) {
			add_term(&e, magnitude(r->stride[i]), 2 * r->count[i] - 1);
			target += magnitude(r->stride[i]) * (r->count[i] - 1);
		}
		sum_reaches(&e);
		if (r->count[k] > 1 && solvable(&e, 0, target))
			return true;
	}
	return false;
}

/*
 * a_low + sum of a's terms + byte = b_low + sum of b's terms + byte. Moving b's terms to the left and counting their
 * indices from the other end makes all of them positive.
 */
bool rstd__overlap(const struct rstd__region *a, const struct rstd__region *b)
{
	const uintptr_t a_low = lowest(a), b_low = lowest(b), a_bytes = extent(a), b_bytes = extent(b);
	struct equation e;

	if (a_low >= b_low ? a_low - b_low >= b_bytes : b_low - a_low >= a_bytes)
		return false; /* the usual case: the address ranges are disjoint */
	start_equation(&e);
	for (size_t i = 0; i < a->rank; i++)
		add_term(&e, magnitude(a->stride[i]), a->count[i]);
	for (size_t i = 0; i < b->rank; i++)
		add_term(&e, magnitude(b->stride[i]), b->count[i]);
	add_term(&e, 1, (int64_t)a->size);
	add_term(&e, 1, (int64_t)b->size);
	sum_reaches(&e);
	return solvable(&e, 0, (int64_t)(b_low - a_low) + (int64_t)b_bytes - 1);
}
