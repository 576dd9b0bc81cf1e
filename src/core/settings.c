/*
 * settings.c - the instruction set in force, and the counters of the ladder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/settings.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu.h"
#include "runtime/error.h"

#define STRING(token)    #token
#define VERSION(a, b, c) STRING(a) "." STRING(b) "." STRING(c)

const char *rstd_version(void)
{
	return VERSION(RSTD_VERSION_MAJOR, RSTD_VERSION_MINOR, RSTD_VERSION_PATCH);
}

/* ---- Instruction set ----------------------------------------------------------------------------------------- */

/* The row in force; NULL until somebody asks. Every thread that finds NULL works out the same row. */
static _Atomic(const struct rstd__isa *) current_isa;

static bool is_available(const struct rstd__isa *isa)
{
	return (isa->needs & ~rstd__cpu_features()) == 0;
}

/* The row of that name if this machine has it, else NULL. */
static const struct rstd__isa *find_isa(const char *name)
{
	for (size_t i = 0; i < rstd__isa_count; i++)
		if (strcmp(rstd__isas[i].name, name) == 0 && is_available(&rstd__isas[i]))
			return &rstd__isas[i];
	return NULL;
}

static const struct rstd__isa *default_isa(void)
{
	const char *name = getenv("RSTD_ISA");
	const struct rstd__isa *isa = name ? find_isa(name) : NULL;

	for (size_t i = 0; !isa; i++) /* the last row needs nothing */
		if (is_available(&rstd__isas[i]))
			isa = &rstd__isas[i];
	return isa;
}

static const struct rstd__isa *isa_in_force(void)
{
	const struct rstd__isa *isa = atomic_load_explicit(&current_isa, memory_order_acquire);

	if (!isa) {
		isa = default_isa();
		atomic_store_explicit(&current_isa, isa, memory_order_release);
	}
	return isa;
}

const struct rstd__kernels *rstd__current_kernels(void)
{
	return isa_in_force()->kernels;
}

rstd_status rstd_set_isa(const char *name)
{
	const struct rstd__isa *isa = name ? find_isa(name) : default_isa();

	if (!isa) {
		char names[64] = "";

		for (size_t i = 0; rstd_isa_name(i); i++) {
			strncat(names, i ? ", " : "", sizeof(names) - strlen(names) - 1);
			strncat(names, rstd_isa_name(i), sizeof(names) - strlen(names) - 1);
		}
		return rstd__fail(RSTD_ERROR_ARGUMENT, "name: is \"%.64s\", allowed on this machine are %s, or NULL",
		                  name, names);
	}
	atomic_store_explicit(&current_isa, isa, memory_order_release);
	return RSTD_OK;
}

const char *rstd_get_isa(void)
{
	return isa_in_force()->name;
}

const char *rstd_isa_name(size_t index)
{
	for (size_t i = 0; i < rstd__isa_count; i++)
		if (is_available(&rstd__isas[i]) && index-- == 0)
			return rstd__isas[i].name;
	return NULL;
}

/* ---- Counters ------------------------------------------------------------------------------------------------ */

/*
 * The first threads that compute have counters of their own: nobody else writes them, so that counting takes no locked
 * instruction, which would wait until all that the thread has begun is done. Later threads share the last ones.
 */
#define OWN_COUNTERS 63

static struct {
	_Alignas(64) _Atomic uint64_t fast;
	_Atomic uint64_t precise, exact;
} counters[OWN_COUNTERS + 1];

static atomic_uint counter_owners;
static _Thread_local unsigned own_counters; /* their index plus 1 */

static void add(_Atomic uint64_t *counter, uint64_t more, bool own)
{
	if (more == 0)
		return;
	if (own)
		atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
		                      memory_order_relaxed);
	else
		atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* Only so many owners are ever counted, however many threads a long life has. */
static unsigned take_counters(void)
{
	unsigned taken = atomic_load_explicit(&counter_owners, memory_order_relaxed);

	while (taken < OWN_COUNTERS &&
	       !atomic_compare_exchange_weak_explicit(&counter_owners, &taken, taken + 1, memory_order_relaxed,
	                                              memory_order_relaxed))
		;
	return taken + 1;
}

void rstd__count_levels(const rstd_level_counts *more)
{
	unsigned i;

	if (own_counters == 0)
		own_counters = take_counters();
	i = own_counters - 1;
	add(&counters[i].fast, more->fast, i < OWN_COUNTERS);
	add(&counters[i].precise, more->precise, i < OWN_COUNTERS);
	add(&counters[i].exact, more->exact, i < OWN_COUNTERS);
}

/* What all counters show since the process began. */
static rstd_level_counts sum_counters(void)
{
	rstd_level_counts sum = { 0 };

	for (size_t i = 0; i <= OWN_COUNTERS; i++) {
		sum.fast += atomic_load_explicit(&counters[i].fast, memory_order_relaxed);
		sum.precise += atomic_load_explicit(&counters[i].precise, memory_order_relaxed);
		sum.exact += atomic_load_explicit(&counters[i].exact, memory_order_relaxed);
	}
	return sum;
}

/* What they showed at the last reset. */
static _Atomic uint64_t fast_before, precise_before, exact_before;

rstd_status rstd_get_level_counts(rstd_level_counts *counts)
{
	if (!counts)
		return rstd__fail(RSTD_ERROR_NULL_POINTER, "counts: is NULL, a place for the counts is required");
	*counts = sum_counters();
	counts->fast -= atomic_load_explicit(&fast_before, memory_order_relaxed);
	counts->precise -= atomic_load_explicit(&precise_before, memory_order_relaxed);
	counts->exact -= atomic_load_explicit(&exact_before, memory_order_relaxed);
	return RSTD_OK;
}

void rstd_reset_level_counts(void)
{
	const rstd_level_counts now = sum_counters();

	atomic_store_explicit(&fast_before, now.fast, memory_order_relaxed);
	atomic_store_explicit(&precise_before, now.precise, memory_order_relaxed);
	atomic_store_explicit(&exact_before, now.exact, memory_order_relaxed);
}
