/*
 * moments.h - the public state of a slice and the kernels' one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CORE_MOMENTS_H
#define RSTD_CORE_MOMENTS_H

#include <string.h>

#include "kernels/exact.h"
#include "rstd/rstd.h"

/* To a place of its own: a structure that is returned would be read in vectors just after it was written in words. */
static inline void rstd__get_exact(struct rstd__exact *e, const rstd_moments *m)
{
	_Static_assert(sizeof(e->sum) == sizeof(m->sum) && sizeof(e->sum_sq) == sizeof(m->sum_sq), "the same sums");
	e->nan_count = m->nan_count;
	e->pos_inf_count = m->pos_inf_count;
	e->neg_inf_count = m->neg_inf_count;
	memcpy(e->sum, m->sum, sizeof(e->sum));
	memcpy(e->sum_sq, m->sum_sq, sizeof(e->sum_sq));
}

static inline void rstd__set_exact(rstd_moments *m, const struct rstd__exact *e)
{
	m->nan_count = e->nan_count;
	m->pos_inf_count = e->pos_inf_count;
	m->neg_inf_count = e->neg_inf_count;
	memcpy(m->sum, e->sum, sizeof(m->sum));
	memcpy(m->sum_sq, e->sum_sq, sizeof(m->sum_sq));
}

/* Whether `more` elements can be counted, too; both counts may be anything. Names argument and state in its message. */
rstd_status rstd__check_count(const char *name, size_t index, uint64_t count, uint64_t more);

/* NULL is allowed for no states. */
rstd_status rstd__check_states(const char *name, const rstd_moments *moments, size_t count);

#endif
