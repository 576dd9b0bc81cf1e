/*
 * moments.c - exact states of slices whose data come in pieces
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>

#include "core/moments.h"
#include "core/plan.h"
#include "core/tensor.h"
#include "runtime/error.h"
#include "runtime/fpmode.h"

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

rstd_status rstd__check_count(const char *name, size_t index, uint64_t count, uint64_t more)
{
	if (count <= INT64_MAX && more <= INT64_MAX - count)
		return RSTD_OK;
	return rstd__fail(RSTD_ERROR_OVERFLOW,
	                  "%s: state %zu has counted %" PRIu64 " elements and would count %" PRIu64
	                  " more, allowed are %" PRId64 " in all",
	                  name, index, count, more, INT64_MAX);
}

rstd_status rstd__check_states(const char *name, const rstd_moments *moments, size_t count)
{
	if (moments || count == 0)
		return RSTD_OK;
	return rstd__fail(RSTD_ERROR_NULL_POINTER, "%s: is NULL, %zu states are required", name, count);
}

/* ---- Merge ------------------------------------------------------------------------------------------------------- */

rstd_status rstd_moments_merge(rstd_moments *into, const rstd_moments *from, size_t count)
{
	rstd_status status;

	if ((status = rstd__check_states("into", into, count)) != RSTD_OK ||
	    (status = rstd__check_states("from", from, count)) != RSTD_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		status = rstd__check_count("into", i, into[i].count, from[i].count);
		if (status != RSTD_OK)
			return status;
	}
	for (size_t i = 0; i < count; i++) {
		struct rstd__exact e, more;

		rstd__get_exact(&e, &into[i]);
		rstd__get_exact(&more, &from[i]);
		rstd__exact_merge(&e, &more);
		into[i].count += from[i].count;
		rstd__set_exact(&into[i], &e);
	}
	return RSTD_OK;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* A result that is asked of some states. */
struct request {
	enum { STD, MEAN, INVSTD } what;
	const char *name; /* of the output array, in messages */
	int64_t correction;
	double epsilon;
};

static bool all_finite(const rstd_moments *m)
{
	return (m->nan_count | m->pos_inf_count | m->neg_inf_count) == 0;
}

static double std_of(const rstd_moments *m, int64_t correction, enum rstd__format to)
{
	struct rstd__exact e;
	const uint64_t divisor = rstd__divisor(m->count, correction);

	rstd__get_exact(&e, m);
	if (m->count == 0 || !all_finite(m))
		return (double)NAN;
	if (divisor > 0)
		return rstd__exact_std(&e, m->count, false, divisor, to);
	return rstd__exact_is_constant(&e, m->count, false) ? (double)NAN : HUGE_VAL;
}

static double mean_of(const rstd_moments *m, enum rstd__format to)
{
	struct rstd__exact e;

	rstd__get_exact(&e, m);
	if (m->count == 0 || m->nan_count > 0 || (m->pos_inf_count > 0 && m->neg_inf_count > 0))
		return (double)NAN;
	if (!all_finite(m))
		return m->pos_inf_count > 0 ? HUGE_VAL : -HUGE_VAL;
	return rstd__exact_mean(&e, m->count, to);
}

static double invstd_of(const rstd_moments *m, float epsilon, enum rstd__format to)
{
	struct rstd__exact e;

	rstd__get_exact(&e, m);
	if (m->count == 0 || !all_finite(m))
		return (double)NAN;
	if (!isfinite(epsilon)) /* 1 / sqrt(+Inf) is 0 */
		return epsilon > 0 ? 0 : (double)NAN;
	return rstd__exact_invstd(&e, m->count, false, epsilon, to);
}

static double result_of(const rstd_moments *m, const struct request *r, enum rstd__format to)
{
	if (r->what == STD)
		return std_of(m, r->correction, to);
	if (r->what == MEAN)
		return mean_of(m, to);
	return invstd_of(m, (float)r->epsilon, to);
}

static RSTD__FP_BODY void store_results(const rstd_moments *moments, size_t count, const struct request *r,
                                        enum rstd__format to, unsigned char *out)
{
	for (size_t i = 0; i < count; i++)
		rstd__store(to, out + i * rstd__format_info[to].size, result_of(&moments[i], r, to));
}

static rstd_status give_results(const rstd_moments *moments, size_t count, const struct request *r, rstd_dtype dtype,
                                void *out)
{
	rstd__fpmode mode;
	rstd_status status;

	if ((status = rstd__check_states("moments", moments, count)) != RSTD_OK ||
	    (status = rstd__check_dtype("dtype", dtype)) != RSTD_OK)
		return status;
	if (!out && count > 0)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "%s: is NULL, room for %zu elements is required", r->name,
		                  count);

	mode = rstd__fpmode_enter();
	store_results(moments, count, r, rstd__format_of(dtype), out);
	rstd__fpmode_leave(mode);
	return RSTD_OK;
}

rstd_status rstd_moments_std(const rstd_moments *moments, size_t count, int64_t correction, rstd_dtype dtype, void *std)
{
	const struct request r = { .what = STD, .name = "std", .correction = correction };
	const rstd_status status = rstd__check_correction(correction);

	return status == RSTD_OK ? give_results(moments, count, &r, dtype, std) : status;
}

rstd_status rstd_moments_mean(const rstd_moments *moments, size_t count, rstd_dtype dtype, void *mean)
{
	const struct request r = { .what = MEAN, .name = "mean" };

	return give_results(moments, count, &r, dtype, mean);
}

rstd_status rstd_moments_invstd(const rstd_moments *moments, size_t count, double epsilon, rstd_dtype dtype,
                                void *invstd)
{
	const struct request r = { .what = INVSTD, .name = "invstd", .epsilon = epsilon };

	return give_results(moments, count, &r, dtype, invstd);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static const unsigned char magic[] = { 'r', 's', 't', 'd', 'm', 'o', 'm' };

#define VERSION 1
#define HEADER  (sizeof(magic) + 1) /* bytes */

_Static_assert(HEADER + 8 * (4 + RSTD__SUM_LIMBS + RSTD__SQ_LIMBS) == RSTD_MOMENTS_BYTES, "the layout in rstd.h");

/* Both return the place after the integers. */
static unsigned char *put_integers(unsigned char *p, const uint64_t *value, size_t count)
{
	for (size_t i = 0; i < 8 * count; i++)
		*p++ = (unsigned char)(value[i / 8] >> (i % 8 * 8));
	return p;
}

static const unsigned char *get_integers(const unsigned char *p, uint64_t *value, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		value[i] = 0;
		for (unsigned shift = 0; shift < 64; shift += 8)
			value[i] |= (uint64_t)*p++ << shift;
	}
	return p;
}

rstd_status rstd_moments_store(const rstd_moments *moments, unsigned char bytes[RSTD_MOMENTS_BYTES])
{
	unsigned char *p;
	const rstd_status status = rstd__check_states("moments", moments, 1);

	if (status != RSTD_OK)
		return status;
	if (!bytes)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "bytes: is NULL, room for %d bytes is required",
		                  RSTD_MOMENTS_BYTES);
	memcpy(bytes, magic, sizeof(magic));
	bytes[sizeof(magic)] = VERSION;
	p = put_integers(bytes + HEADER, &moments->count, 1);
	p = put_integers(p, &moments->nan_count, 1);
	p = put_integers(p, &moments->pos_inf_count, 1);
	p = put_integers(p, &moments->neg_inf_count, 1);
	p = put_integers(p, moments->sum, RSTD__SUM_LIMBS);
	put_integers(p, moments->sum_sq, RSTD__SQ_LIMBS);
	return RSTD_OK;
}

static rstd_status check_header(const unsigned char *bytes, size_t size)
{
	if (size != RSTD_MOMENTS_BYTES)
		return rstd__fail(RSTD_ERROR_FORMAT, "size: is %zu, allowed is %d", size, RSTD_MOMENTS_BYTES);
	if (memcmp(bytes, magic, sizeof(magic)) != 0)
		return rstd__fail(RSTD_ERROR_FORMAT, "bytes: do not start with \"rstdmom\", as those of a state do");
	if (bytes[sizeof(magic)] != VERSION)
		return rstd__fail(RSTD_ERROR_FORMAT, "bytes: version is %d, allowed is %d", bytes[sizeof(magic)],
		                  VERSION);
	return RSTD_OK;
}

static rstd_status check_loaded_counts(const rstd_moments *m)
{
	uint64_t others;

	if (m->count > INT64_MAX)
		return rstd__fail(RSTD_ERROR_FORMAT, "bytes: count is %" PRIu64 ", allowed are 0 to %" PRId64, m->count,
		                  INT64_MAX);
	if (__builtin_add_overflow(m->nan_count, m->pos_inf_count, &others) ||
	    __builtin_add_overflow(others, m->neg_inf_count, &others) || others > m->count)
		return rstd__fail(RSTD_ERROR_FORMAT,
		                  "bytes: %" PRIu64 " NaNs, %" PRIu64 " +Inf and %" PRIu64
		                  " -Inf are counted, allowed are %" PRIu64 " elements in all",
		                  m->nan_count, m->pos_inf_count, m->neg_inf_count, m->count);
	return RSTD_OK;
}

rstd_status rstd_moments_load(rstd_moments *moments, const unsigned char *bytes, size_t size)
{
	rstd_moments m;
	const unsigned char *p;
	rstd_status status = rstd__check_states("moments", moments, 1);

	if (status != RSTD_OK)
		return status;
	if (!bytes)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "bytes: is NULL, %d bytes are required", RSTD_MOMENTS_BYTES);
	status = check_header(bytes, size);
	if (status != RSTD_OK)
		return status;
	p = get_integers(bytes + HEADER, &m.count, 1);
	p = get_integers(p, &m.nan_count, 1);
	p = get_integers(p, &m.pos_inf_count, 1);
	p = get_integers(p, &m.neg_inf_count, 1);
	p = get_integers(p, m.sum, RSTD__SUM_LIMBS);
	get_integers(p, m.sum_sq, RSTD__SQ_LIMBS);
	status = check_loaded_counts(&m);
	if (status == RSTD_OK)
		*moments = m;
	return status;
}
