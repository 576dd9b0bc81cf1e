/*
 * load.c - load-only loops, one for each width of load, and the threads that run them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The empty asm statements take each loaded value as an operand: the load has to happen, and nothing else does. Bodies
 * are short: loops unrolled over kilobytes read DRAM slower.
 */
#include "load.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "clock.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PAGE  ((size_t)4096)
#define PAGES 8

static void load_128(const unsigned char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64) {
		for (size_t j = 0; j < 64; j += 16) {
			const __m128i v = _mm_load_si128((const __m128i *)(const void *)(data + i + j));

			__asm__ volatile("" : : "x"(v));
		}
	}
}

__attribute__((target("avx2"))) static void load_256(const unsigned char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 128) {
		for (size_t j = 0; j < 128; j += 32) {
			const __m256i v = _mm256_load_si256((const __m256i *)(const void *)(data + i + j));

			__asm__ volatile("" : : "x"(v));
		}
	}
}

__attribute__((target("avx512f"))) static void load_512(const unsigned char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 256) {
		for (size_t j = 0; j < 256; j += 64) {
			const __m512i v = _mm512_load_si512((const void *)(data + i + j));

			__asm__ volatile("" : : "v"(v));
		}
	}
}

/* One line in about four cycles: a chain of one multiplication (3) and one addition (1) runs beside the loads. */
__attribute__((target("avx2"))) static void load_paced(const unsigned char *data, size_t bytes)
{
	uint64_t chain = bytes;

	for (size_t i = 0; i < bytes; i += 64) {
		const __m256i lo = _mm256_load_si256((const __m256i *)(const void *)(data + i));
		const __m256i hi = _mm256_load_si256((const __m256i *)(const void *)(data + i + 32));

		__asm__ volatile("" : : "x"(lo), "x"(hi));
		__asm__ volatile("imul %0, %0\n\tadd $1, %0" : "+r"(chain));
	}
}

/* The hardware's own prefetch stops at the end of a page. This one goes on, two pages ahead, into the second cache. */
__attribute__((target("avx2"))) static void load_prefetch(const unsigned char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64) {
		const __m256i lo = _mm256_load_si256((const __m256i *)(const void *)(data + i));
		const __m256i hi = _mm256_load_si256((const __m256i *)(const void *)(data + i + 32));

		_mm_prefetch((const char *)data + i + 2 * PAGE, _MM_HINT_T1);
		__asm__ volatile("" : : "x"(lo), "x"(hi));
	}
}

/* Eight pages at a time, a line of each in turn: more streams than one for the hardware to follow. */
__attribute__((target("avx2"))) static void load_pages(const unsigned char *data, size_t bytes)
{
	const size_t whole = bytes / (PAGES * PAGE) * (PAGES * PAGE);

	for (size_t block = 0; block < whole; block += PAGES * PAGE)
		for (size_t i = 0; i < PAGE; i += 64)
			for (size_t page = 0; page < PAGES; page++) {
				const unsigned char *line = data + block + page * PAGE + i;
				const __m256i lo = _mm256_load_si256((const __m256i *)(const void *)line);
				const __m256i hi = _mm256_load_si256((const __m256i *)(const void *)(line + 32));

				__asm__ volatile("" : : "x"(lo), "x"(hi));
			}
	load_256(data + whole, bytes - whole);
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

const struct load_loop load_loops[] = {
	{ "128-bit", load_128, NULL },
	{ "256-bit", load_256, has_avx2 },
	{ "512-bit", load_512, has_avx512 },
	{ "paced", load_paced, has_avx2 },
	{ "prefetch", load_prefetch, has_avx2 },
	{ "8 pages", load_pages, has_avx2 },
	{ NULL, NULL, NULL },
};

#else /* AArch64 */
#include <arm_neon.h>

static void load_128(const unsigned char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64) {
		for (size_t j = 0; j < 64; j += 16) {
			const uint8x16_t v = vld1q_u8(data + i + j);

			__asm__ volatile("" : : "w"(v));
		}
	}
}

static void load_paced(const unsigned char *data, size_t bytes)
{
	uint64_t chain = bytes;

	for (size_t i = 0; i < bytes; i += 64) {
		for (size_t j = 0; j < 64; j += 16) {
			const uint8x16_t v = vld1q_u8(data + i + j);

			__asm__ volatile("" : : "w"(v));
		}
		__asm__ volatile("mul %0, %0, %0\n\tadd %0, %0, #1" : "+r"(chain));
	}
}

const struct load_loop load_loops[] = {
	{ "128-bit", load_128, NULL },
	{ "paced", load_paced, NULL },
	{ NULL, NULL, NULL },
};

#endif

/*
 * Below this every thread keeps to its own part, so that it stays in that thread's cache. Above, parts are claimed as
 * threads get there: a thread that another process has held up then costs its share of the time, not all of it.
 */
#define CLAIM_FROM  ((size_t)32 << 20)
#define CLAIM_BYTES ((size_t)1 << 20)

struct crew {
	load_fn *run;
	const unsigned char *data;
	size_t part;  /* bytes of a part, a multiple of LOAD_STEP */
	size_t parts; /* the last one may be shorter */
	size_t bytes, repeat;
	bool claim;
	int threads;
	atomic_size_t next;  /* part to claim, counted over all repeats */
	atomic_int joined;   /* threads that wait for go */
	atomic_int finished; /* threads that are done */
	atomic_bool go;
	atomic_int seat; /* gives each thread its own part when parts are not claimed */
};

static void load_part(const struct crew *crew, size_t part)
{
	const size_t from = part * crew->part;
	const size_t left = crew->bytes - from;

	crew->run(crew->data + from, left < crew->part ? left : crew->part);
}

static void work(struct crew *crew)
{
	const size_t all = crew->parts * crew->repeat;
	size_t part;

	if (!crew->claim) {
		part = (size_t)atomic_fetch_add(&crew->seat, 1);
		for (size_t i = 0; i < crew->repeat && part < crew->parts; i++)
			load_part(crew, part);
		return;
	}
	while ((part = atomic_fetch_add(&crew->next, 1)) < all)
		load_part(crew, part % crew->parts);
}

static void *member(void *context)
{
	struct crew *crew = context;

	atomic_fetch_add(&crew->joined, 1);
	while (!atomic_load(&crew->go))
		sched_yield();
	work(crew);
	atomic_fetch_add(&crew->finished, 1);
	return NULL;
}

static double time_crew(struct crew *crew, int members)
{
	double start;

	while (atomic_load(&crew->joined) < members)
		sched_yield();
	start = clock_seconds(crew->threads);
	atomic_store(&crew->go, true);
	work(crew);
	while (atomic_load(&crew->finished) < members)
		sched_yield();
	return clock_seconds(crew->threads) - start;
}

static size_t round_up(size_t value, size_t step)
{
	return (value + step - 1) / step * step;
}

/* Only now, when it is known how many threads could be started; they wait for go. */
static void cut(struct crew *crew, size_t threads)
{
	crew->claim = threads > 1 && crew->bytes >= CLAIM_FROM;
	crew->part = crew->claim ? CLAIM_BYTES : round_up((crew->bytes + threads - 1) / threads, LOAD_STEP);
	crew->parts = (crew->bytes + crew->part - 1) / crew->part;
}

double load_sample(const struct load_loop *loop, const void *data, size_t bytes, int threads, size_t repeat)
{
	struct crew crew = { .run = loop->run, .data = data, .bytes = bytes, .repeat = repeat, .threads = threads };
	pthread_t *ids = malloc((size_t)threads * sizeof(*ids));
	int members = 0;
	double seconds;

	while (ids && members < threads - 1 && pthread_create(&ids[members], NULL, member, &crew) == 0)
		members++;
	cut(&crew, (size_t)members + 1);
	seconds = time_crew(&crew, members);
	for (int i = 0; i < members; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	return seconds;
}
