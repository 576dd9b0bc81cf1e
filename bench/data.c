/*
 * data.c - pages, and random values by SplitMix64 and the method of Box and Muller
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "data.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "widen.h"

const char *const data_kind_names[DATA_KINDS] = { "normal", "uniform", "offset", "relu" };

void *data_alloc(size_t bytes, bool huge)
{
	void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED)
		return NULL;
	if (huge)
		madvise(data, bytes, MADV_HUGEPAGE);
	memset(data, 1, bytes);
	return data;
}

void data_free(void *data, size_t bytes)
{
	if (data)
		munmap(data, bytes);
}

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014). */
static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Two uniform values in (0, 1), each a multiple of 2^-24 plus 2^-25. */
static void uniform_pair(uint64_t *state, float pair[2])
{
	const uint64_t random = splitmix64(state);

	pair[0] = ((float)(random >> 40) + 0.5f) * 0x1p-24f;
	pair[1] = ((float)(random & 0xffffff) + 0.5f) * 0x1p-24f;
}

static void normal_pair(uint64_t *state, float pair[2])
{
	float radius, angle;

	uniform_pair(state, pair);
	radius = sqrtf(-2 * logf(pair[0]));
	angle = 6.2831853f * pair[1];
	pair[0] = radius * cosf(angle);
	pair[1] = radius * sinf(angle);
}

static void random_pair(uint64_t *state, enum data_kind kind, float pair[2])
{
	if (kind == DATA_UNIFORM) {
		uniform_pair(state, pair);
		return;
	}
	normal_pair(state, pair);
	for (int i = 0; i < 2; i++) {
		if (kind == DATA_OFFSET)
			pair[i] += 1e4f;
		if (kind == DATA_RELU)
			pair[i] = pair[i] > 0 ? pair[i] : 0;
	}
}

void data_fill(void *data, size_t bytes, rstd_dtype dtype, enum data_kind kind)
{
	const size_t count = bytes / (dtype == RSTD_F32 ? sizeof(float) : sizeof(uint16_t));
	uint64_t state = 1;
	float *f32 = data;
	uint16_t *b16 = data;
	float pair[2];

	for (size_t i = 0; i < count; i++) {
		if (i % 2 == 0)
			random_pair(&state, kind, pair);
		if (dtype == RSTD_F32)
			f32[i] = pair[i % 2];
		else
			b16[i] = dtype == RSTD_F16 ? narrow_f16(pair[i % 2]) : narrow_bf16(pair[i % 2]);
	}
}
