/*
 * case_gen.c - case files: the generators of their inputs, and their reader
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "case_gen.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p) {
		fprintf(stderr, "out of memory: %zu bytes\n", size);
		exit(EXIT_FAILURE);
	}
	return p;
}

/* ---- Elements ------------------------------------------------------------------------------------------------ */

size_t dtype_size(rstd_dtype dtype)
{
	return dtype == RSTD_F16 || dtype == RSTD_BF16 ? 2 : 4;
}

const char *dtype_name(rstd_dtype dtype)
{
	return dtype == RSTD_F32 ? "f32" : dtype == RSTD_F16 ? "f16" : dtype == RSTD_BF16 ? "bf16" : "?";
}

int dtype_precision(rstd_dtype dtype)
{
	return dtype == RSTD_F16 ? 11 : dtype == RSTD_BF16 ? 8 : 24;
}

int dtype_least(rstd_dtype dtype)
{
	return dtype == RSTD_F16 ? -24 : dtype == RSTD_BF16 ? -133 : -149;
}

uint32_t dtype_inf(rstd_dtype dtype)
{
	return dtype == RSTD_F16 ? 0x7C00 : dtype == RSTD_BF16 ? 0x7F80 : 0x7F800000;
}

uint32_t dtype_nan(rstd_dtype dtype)
{
	return dtype == RSTD_F16 ? 0x7E00 : dtype == RSTD_BF16 ? 0x7FC0 : 0x7FC00000;
}

uint32_t dtype_sign_bit(rstd_dtype dtype)
{
	return dtype_size(dtype) == 2 ? 0x8000 : 0x80000000;
}

static uint32_t magnitude(rstd_dtype dtype, uint32_t bits)
{
	return bits & (dtype_sign_bit(dtype) - 1);
}

bool bits_is_nan(rstd_dtype dtype, uint32_t bits)
{
	return magnitude(dtype, bits) > dtype_inf(dtype);
}

bool bits_is_finite(rstd_dtype dtype, uint32_t bits)
{
	return magnitude(dtype, bits) < dtype_inf(dtype);
}

bool bits_match(rstd_dtype dtype, uint32_t a, uint32_t b)
{
	if (bits_is_nan(dtype, a) || bits_is_nan(dtype, b))
		return bits_is_nan(dtype, a) && bits_is_nan(dtype, b);
	if (magnitude(dtype, a) == 0 && magnitude(dtype, b) == 0)
		return true;
	return a == b;
}

double bits_to_double(rstd_dtype dtype, uint32_t bits)
{
	const int p = dtype_precision(dtype);
	const uint32_t m = magnitude(dtype, bits), exponent = m >> (p - 1);
	double v;

	if (m >= dtype_inf(dtype))
		v = (double)(m == dtype_inf(dtype) ? INFINITY : NAN);
	else if (exponent == 0)
		v = ldexp(m, dtype_least(dtype));
	else
		v = ldexp(m - ((exponent - 1) << (p - 1)), dtype_least(dtype) + (int)exponent - 1);
	return bits & dtype_sign_bit(dtype) ? -v : v;
}

/* A float32's bits to a half's, for a finite value within the half's range: to nearest even, subnormals kept. */
static uint32_t f16_from_f32(uint32_t b)
{
	const uint32_t sign = b >> 16 & 0x8000, m = b & 0x7FFFFFFF;
	uint32_t shift, full, q, rest, half;

	if (m >= 0x38800000)
		return sign | (m - 0x38000000 + 0xFFF + (m >> 13 & 1)) >> 13;
	shift = 126 - (m >> 23);
	if (shift > 24)
		return sign;
	full = (m & 0x7FFFFF) | 0x800000;
	q = full >> shift;
	rest = full & ((1U << shift) - 1);
	half = 1U << (shift - 1);
	return sign | (q + (rest > half || (rest == half && (q & 1))));
}

uint32_t bits_from_double(rstd_dtype dtype, double value)
{
	const float f = (float)value;
	uint32_t b;

	memcpy(&b, &f, sizeof(b));
	if (dtype == RSTD_F16)
		return f16_from_f32(b);
	if (dtype == RSTD_BF16)
		return (b + 0x7FFF + (b >> 16 & 1)) >> 16;
	return b;
}

uint32_t bits_load(rstd_dtype dtype, const void *p)
{
	uint16_t half;
	uint32_t word;

	if (dtype_size(dtype) == 2) {
		memcpy(&half, p, sizeof(half));
		return half;
	}
	memcpy(&word, p, sizeof(word));
	return word;
}

void bits_store(rstd_dtype dtype, void *p, uint32_t bits)
{
	const uint16_t half = (uint16_t)bits;

	if (dtype_size(dtype) == 2)
		memcpy(p, &half, sizeof(half));
	else
		memcpy(p, &bits, sizeof(bits));
}

/* ---- Shapes -------------------------------------------------------------------------------------------------- */

size_t shape_count(const struct case_shape *shape)
{
	size_t count = 1, a;

	for (a = 0; a < shape->rank; a++)
		count *= (size_t)shape->len[a];
	return count;
}

unsigned dims_mask(size_t rank, const int64_t *dims, size_t dim_count)
{
	unsigned mask = 0;
	size_t i;

	if (dim_count == 0 || rank == 0)
		return (1U << rank) - 1;
	for (i = 0; i < dim_count; i++)
		mask |= 1U << (dims[i] < 0 ? dims[i] + (int64_t)rank : dims[i]);
	return mask;
}

size_t slice_count(const struct case_shape *shape, unsigned mask)
{
	size_t count = 1, a;

	for (a = 0; a < shape->rank; a++)
		if (!(mask >> a & 1))
			count *= (size_t)shape->len[a];
	return count;
}

void slice_map(const struct case_shape *shape, unsigned mask, size_t *of)
{
	const size_t count = shape_count(shape);
	size_t stride[CASE_MAX_RANK], index[CASE_MAX_RANK] = { 0 }, acc = 1, a, i, slice = 0;

	for (a = shape->rank; a-- > 0;) {
		stride[a] = mask >> a & 1 ? 0 : acc;
		if (stride[a])
			acc *= (size_t)shape->len[a];
	}
	for (i = 0; i < count; i++) {
		of[i] = slice;
		for (a = shape->rank; a-- > 0;) {
			slice += stride[a];
			if (++index[a] < (size_t)shape->len[a])
				break;
			slice -= stride[a] * index[a];
			index[a] = 0;
		}
	}
}

/* ---- Generators ---------------------------------------------------------------------------------------------- */

#define MAX_ARGS     4
#define MAX_PATTERNS 512

uint64_t splitmix64(uint64_t x)
{
	uint64_t z = x + 0x9E3779B97F4A7C15U;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
	return z ^ (z >> 31);
}

uint64_t gen_hash(const uint32_t *bits, size_t count)
{
	uint64_t h = 0xcbf29ce484222325U;
	size_t i;

	for (i = 0; i < count; i++)
		h = (h ^ bits[i]) * 0x100000001b3U;
	return h;
}

enum gen_kind {
	GEN_UNIFORM,
	GEN_OFFSET,
	GEN_WIDE,
	GEN_TINY,
	GEN_HUGE,
	GEN_RAMP,
	GEN_CONST,
	GEN_BITS,
	GEN_BLOCKS,
	GEN_SLICE,
	GEN_KINDS
};

static const struct {
	const char *name;
	size_t args; /* before the list of patterns, where there is one */
	bool patterns;
} gen_kinds[GEN_KINDS] = {
	[GEN_UNIFORM] = { "uniform", 3, false }, [GEN_OFFSET] = { "offset", 3, false },
	[GEN_WIDE] = { "wide", 3, false },       [GEN_TINY] = { "tiny", 2, false },
	[GEN_HUGE] = { "huge", 2, false },       [GEN_RAMP] = { "ramp", 3, false },
	[GEN_CONST] = { "const", 1, false },     [GEN_BITS] = { "bits", 0, true },
	[GEN_BLOCKS] = { "blocks", 1, true },    [GEN_SLICE] = { "slice", 0, true },
};

struct gen {
	enum gen_kind kind;
	uint64_t seed, count; /* a seed; a period, a length of blocks, or the bound of tiny */
	double a, b;
	int elo, ehi;
	size_t patterns;
	uint32_t pattern[MAX_PATTERNS];
};

static bool gen_parse_patterns(struct gen *g, const char *s)
{
	char *end;

	for (;;) {
		if (g->patterns == MAX_PATTERNS)
			return false;
		g->pattern[g->patterns++] = (uint32_t)strtoul(s, &end, 16);
		if (end == s)
			return false;
		if (*end == '\0')
			return true;
		if (*end != ',')
			return false;
		s = end + 1;
	}
}

static void gen_set_args(struct gen *g, char *const *arg)
{
	g->seed = strtoull(arg[0], NULL, 10);
	switch (g->kind) {
	case GEN_UNIFORM:
	case GEN_OFFSET:
		g->a = strtod(arg[1], NULL);
		g->b = strtod(arg[2], NULL);
		break;
	case GEN_WIDE:
		g->elo = atoi(arg[1]);
		g->ehi = atoi(arg[2]);
		break;
	case GEN_TINY:
	case GEN_HUGE:
		g->count = strtoull(arg[1], NULL, 10);
		break;
	case GEN_RAMP:
		g->a = strtod(arg[0], NULL);
		g->b = strtod(arg[1], NULL);
		g->count = strtoull(arg[2], NULL, 10);
		break;
	case GEN_CONST:
		g->a = strtod(arg[0], NULL);
		break;
	default:
		g->count = g->seed;
		break;
	}
}

/* Parses kind:arg:arg..., which it takes apart in place. */
static bool gen_parse(struct gen *g, char *s)
{
	char *arg[MAX_ARGS] = { "", "", "", "" }, *colon = strchr(s, ':');
	size_t n = 0, k;

	memset(g, 0, sizeof(*g));
	for (k = 0; k < GEN_KINDS && colon; k++)
		if (strlen(gen_kinds[k].name) == (size_t)(colon - s) &&
		    strncmp(gen_kinds[k].name, s, (size_t)(colon - s)) == 0)
			break;
	if (k == GEN_KINDS || !colon)
		return false;
	g->kind = (enum gen_kind)k;
	while (colon && n < MAX_ARGS) {
		*colon = '\0';
		arg[n++] = colon + 1;
		colon = strchr(colon + 1, ':');
	}
	if (colon || n != gen_kinds[k].args + gen_kinds[k].patterns)
		return false;
	gen_set_args(g, arg);
	return !gen_kinds[k].patterns || gen_parse_patterns(g, arg[n - 1]);
}

static double gen_value(const struct gen *g, rstd_dtype dtype, uint64_t i)
{
	const uint64_t r = splitmix64(g->seed + i), k = r >> 32, r2 = splitmix64(r);
	const double u = (double)k * 0x1p-32;
	double v;

	switch (g->kind) {
	case GEN_UNIFORM:
		return g->a + (g->b - g->a) * u;
	case GEN_OFFSET:
		return g->a + g->b * ((double)((int64_t)(2 * k) - ((int64_t)1 << 32)) * 0x1p-32);
	case GEN_WIDE:
		v = ldexp(1.0 + u, g->elo + (int)((r2 >> 33) % (uint64_t)(g->ehi - g->elo + 1)));
		return r2 & 1 ? -v : v;
	case GEN_TINY:
		return ldexp((double)((int64_t)((r >> 33) % (2 * g->count + 1)) - (int64_t)g->count),
		             dtype_least(dtype));
	case GEN_HUGE:
		v = ldexp(1.0 + 0.9921875 * u, dtype == RSTD_F16 ? 15 : 127);
		return g->count == 1 && (r & 1) ? -v : v;
	case GEN_RAMP:
		return g->a + g->b * (double)(g->count ? i % g->count : i);
	default:
		return g->a;
	}
}

/* index=special,index=special... */
static bool gen_specials(const char *s, rstd_dtype dtype, size_t count, uint32_t *bits)
{
	static const char *const names[] = { "nan", "inf", "-inf", "-0" };
	const uint32_t values[] = { dtype_nan(dtype), dtype_inf(dtype), dtype_sign_bit(dtype) | dtype_inf(dtype),
		                    dtype_sign_bit(dtype) };
	char *end;
	uint64_t index;
	size_t length, k;

	while (*s) {
		index = strtoull(s, &end, 10);
		if (end == s || *end != '=' || index >= count)
			return false;
		s = end + 1;
		length = strcspn(s, ",");
		if (*s == '#') {
			bits[index] = (uint32_t)strtoul(s + 1, NULL, 16);
		} else {
			for (k = 0; k < 4; k++)
				if (strlen(names[k]) == length && strncmp(names[k], s, length) == 0)
					break;
			if (k == 4)
				return false;
			bits[index] = values[k];
		}
		s += length + (s[length] == ',');
	}
	return true;
}

bool gen_fill(const char *spec, rstd_dtype dtype, size_t count, const size_t *slice_of, uint32_t *bits)
{
	const char *at = strchr(spec, '@');
	const size_t length = at ? (size_t)(at - spec) : strlen(spec);
	char *text = xmalloc(length + 1);
	struct gen *g = xmalloc(sizeof(*g));
	bool ok;
	size_t i;

	memcpy(text, spec, length);
	text[length] = '\0';
	ok = gen_parse(g, text) && (g->kind != GEN_SLICE || slice_of) && (g->kind != GEN_BLOCKS || g->count);
	for (i = 0; ok && i < count; i++) {
		if (g->kind == GEN_BITS)
			bits[i] = g->pattern[i % g->patterns];
		else if (g->kind == GEN_BLOCKS)
			bits[i] = g->pattern[i / g->count % g->patterns];
		else if (g->kind == GEN_SLICE)
			bits[i] = g->pattern[slice_of[i] % g->patterns];
		else
			bits[i] = bits_from_double(dtype, gen_value(g, dtype, i));
	}
	free(g);
	free(text);
	return ok && (!at || gen_specials(at + 1, dtype, count, bits));
}

/* ---- Case files ---------------------------------------------------------------------------------------------- */

enum column {
	COL_ID,
	COL_OP,
	COL_DTYPE,
	COL_MEAN_DTYPE,
	COL_OUT_DTYPES,
	COL_SHAPE,
	COL_MEAN_SHAPE,
	COL_DIMS,
	COL_UNBIASED,
	COL_KEEPDIM,
	COL_INVERT,
	COL_EPSILON,
	COL_CORRECTION,
	COL_X,
	COL_MEAN,
	COL_STATUS,
	COL_FAULT,
	COL_OUT_SHAPE,
	COL_OUT0,
	COL_OUT1,
	COL_X_HASH,
	COL_MEAN_HASH,
	COLUMNS
};

static rstd_dtype parse_dtype(const char *s, size_t length)
{
	static const rstd_dtype known[] = { RSTD_F32, RSTD_F16, RSTD_BF16 };
	size_t k;

	for (k = 0; k < 3; k++)
		if (strlen(dtype_name(known[k])) == length && strncmp(dtype_name(known[k]), s, length) == 0)
			return known[k];
	return DTYPE_UNKNOWN;
}

/* "[1,-2,3]"; "-" is the empty list. The number of entries, or -1. */
static int parse_list(const char *s, int64_t *list, int capacity)
{
	int n = 0;
	char *end;

	if (strcmp(s, "-") == 0 || strcmp(s, "[]") == 0)
		return 0;
	if (*s++ != '[')
		return -1;
	for (;;) {
		if (n == capacity)
			return -1;
		errno = 0;
		list[n++] = strtoll(s, &end, 10);
		if (end == s || errno)
			return -1;
		if (strcmp(end, "]") == 0)
			return n;
		if (*end != ',')
			return -1;
		s = end + 1;
	}
}

static bool parse_shape(const char *s, struct case_shape *shape)
{
	const int n = parse_list(s, shape->len, CASE_MAX_RANK);

	shape->rank = (size_t)n;
	return n >= 0;
}

static bool parse_op(const char *s, enum case_op *op)
{
	static const char *const names[] = { "ReduceStdWithMean", "Std", "StdMean", "BatchNormStats" };
	size_t k;

	for (k = 0; k < 4; k++) {
		if (strcmp(names[k], s) == 0) {
			*op = (enum case_op)k;
			return true;
		}
	}
	return false;
}

static bool case_parse(struct test_case *c, char *line)
{
	char *col[COLUMNS];
	size_t n = 0;
	const char *comma;
	int dims;

	memset(c, 0, sizeof(*c));
	c->line = line;
	while (n < COLUMNS && line) {
		col[n++] = line;
		line = strchr(line, '\t');
		if (line)
			*line++ = '\0';
	}
	if (n != COLUMNS || line)
		return false;
	c->id = col[COL_ID];
	c->dtype = parse_dtype(col[COL_DTYPE], strlen(col[COL_DTYPE]));
	c->mean_dtype = parse_dtype(col[COL_MEAN_DTYPE], strlen(col[COL_MEAN_DTYPE]));
	comma = strchr(col[COL_OUT_DTYPES], ',');
	c->out_count = comma ? 2 : 1;
	c->out_dtype[0] = parse_dtype(col[COL_OUT_DTYPES], strcspn(col[COL_OUT_DTYPES], ","));
	if (comma)
		c->out_dtype[1] = parse_dtype(comma + 1, strlen(comma + 1));
	dims = parse_list(col[COL_DIMS], c->dims, CASE_MAX_DIMS);
	c->dim_count = (size_t)dims;
	c->unbiased = strcmp(col[COL_UNBIASED], "0") != 0;
	c->keepdim = strcmp(col[COL_KEEPDIM], "1") == 0;
	c->invert = strcmp(col[COL_INVERT], "1") == 0;
	c->epsilon = strtod(col[COL_EPSILON], NULL);
	c->correction = strtoll(col[COL_CORRECTION], NULL, 10);
	c->x = col[COL_X];
	c->mean = col[COL_MEAN];
	c->valid = strcmp(col[COL_STATUS], "ok") == 0;
	c->fault = col[COL_FAULT];
	c->out[0] = col[COL_OUT0];
	c->out[1] = col[COL_OUT1];
	c->x_hash = strtoull(col[COL_X_HASH], NULL, 16);
	c->mean_hash = strtoull(col[COL_MEAN_HASH], NULL, 16);
	return dims >= 0 && parse_op(col[COL_OP], &c->op) && parse_shape(col[COL_SHAPE], &c->shape) &&
	       parse_shape(col[COL_MEAN_SHAPE], &c->mean_shape) && parse_shape(col[COL_OUT_SHAPE], &c->out_shape) &&
	       (c->valid || strcmp(col[COL_STATUS], "invalid") == 0);
}

/* One line without its end, however long; NULL at the end of the file. */
static char *read_line(FILE *f)
{
	size_t size = 256, length = 0;
	char *line = xmalloc(size), *larger;

	while (fgets(line + length, (int)(size - length), f)) {
		length += strlen(line + length);
		if (length && line[length - 1] == '\n') {
			line[length - 1] = '\0';
			return line;
		}
		larger = xmalloc(2 * size);
		memcpy(larger, line, length + 1);
		free(line);
		line = larger;
		size *= 2;
	}
	if (length)
		return line;
	free(line);
	return NULL;
}

static void case_list_append(struct case_list *list, const struct test_case *c)
{
	struct test_case *larger;

	/* Grows when the count is a power of two. */
	if ((list->count & (list->count - 1)) == 0) {
		larger = xmalloc((list->count ? 2 * list->count : 1) * sizeof(*larger));
		if (list->count)
			memcpy(larger, list->cases, list->count * sizeof(*larger));
		free(list->cases);
		list->cases = larger;
	}
	list->cases[list->count++] = *c;
}

bool case_list_read(struct case_list *list, const char *path)
{
	FILE *f = fopen(path, "r");
	struct test_case c;
	char *line;

	memset(list, 0, sizeof(*list));
	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	free(read_line(f)); /* the heading */
	while ((line = read_line(f)) != NULL) {
		if (!case_parse(&c, line)) {
			fprintf(stderr, "%s: case %zu (%s) is malformed\n", path, list->count, line);
			free(line);
			case_list_free(list);
			fclose(f);
			return false;
		}
		case_list_append(list, &c);
	}
	fclose(f);
	return true;
}

void case_list_free(struct case_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free(list->cases[i].line);
	free(list->cases);
	memset(list, 0, sizeof(*list));
}

bool case_expected(const struct test_case *c, size_t k, size_t count, uint32_t *bits)
{
	const char *s = c->out[k];
	size_t n = 0;
	char *end;

	if (strcmp(s, "empty") == 0)
		return count == 0;
	for (; n < count; n++) {
		if (strncmp(s, "nan", 3) == 0) {
			bits[n] = dtype_nan(c->out_dtype[k]);
			end = (char *)(uintptr_t)(s + 3);
		} else {
			bits[n] = (uint32_t)strtoul(s, &end, 16);
			if (end == s)
				return false;
		}
		if (*end != (n + 1 < count ? ',' : '\0'))
			return false;
		s = end + 1;
	}
	return count > 0;
}

unsigned case_mask(const struct test_case *c)
{
	if (c->op == OP_BATCH_NORM_STATS)
		return ((1U << c->shape.rank) - 1) & ~2U;
	return dims_mask(c->shape.rank, c->dims, c->dim_count);
}
