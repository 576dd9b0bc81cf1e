/*
 * make_own.c - writes own.tsv, the cases beside the public ones
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The expected bits come from tests/reference.c, never from the library. The output depends on nothing but this text:
 *
 *	cc -std=c11 -ffp-contract=off -I include -I tests tests/cases/make_own.c tests/case_gen.c tests/reference.c \
 *		-lmpfr -lgmp -lm -o make_own && ./make_own > tests/cases/own.tsv
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

#define MAX_SPEC 4096

static const rstd_dtype dtypes[3] = { RSTD_F32, RSTD_F16, RSTD_BF16 };

/* The case under construction; reset() gives the defaults, the family functions change what they mean. */
static struct test_case now;
static char x_spec[MAX_SPEC], mean_spec[MAX_SPEC];
static uint64_t next_seed = 20240501;
static const char *family = "";
static int number;

static void begin_family(const char *name)
{
	family = name;
	number = 0;
}

static void reset(enum case_op op, rstd_dtype dtype)
{
	memset(&now, 0, sizeof(now));
	now.op = op;
	now.dtype = now.mean_dtype = dtype;
	now.out_dtype[0] = now.out_dtype[1] = op == OP_BATCH_NORM_STATS ? RSTD_F32 : dtype;
	now.out_count = op == OP_STD_MEAN || op == OP_BATCH_NORM_STATS ? 2 : 1;
	now.unbiased = true;
	now.epsilon = op == OP_BATCH_NORM_STATS ? 1e-5 : (double)0.001F;
	now.correction = 1;
	x_spec[0] = mean_spec[0] = '\0';
}

static void set_shape(size_t rank, ...)
{
	va_list args;
	size_t a;

	va_start(args, rank);
	now.shape.rank = rank;
	for (a = 0; a < rank; a++)
		now.shape.len[a] = va_arg(args, int);
	va_end(args);
}

static void set_dims(size_t count, ...)
{
	va_list args;
	size_t i;

	va_start(args, count);
	now.dim_count = count;
	for (i = 0; i < count; i++)
		now.dims[i] = va_arg(args, int);
	va_end(args);
}

static void set_mask(unsigned mask)
{
	size_t a;

	now.dim_count = 0;
	for (a = 0; a < now.shape.rank; a++)
		if (mask >> a & 1)
			now.dims[now.dim_count++] = (int64_t)a;
}

static uint64_t seed(void)
{
	next_seed = splitmix64(next_seed) >> 20;
	return next_seed;
}

/* A spec of kind number k of a dtype: values of every kind that a float can be, most of them ordinary. */
static void any_spec(char *spec, rstd_dtype dtype, unsigned k)
{
	const int emax = dtype == RSTD_F16 ? 15 : 127, least = dtype_least(dtype);
	const uint64_t s = seed();

	switch (k % 12) {
	case 0:
		snprintf(spec, MAX_SPEC, "uniform:%" PRIu64 ":-0x1p+0:0x1p+0", s);
		break;
	case 1:
		snprintf(spec, MAX_SPEC, "offset:%" PRIu64 ":0x1.388p+13:0x1p+0", s);
		break;
	case 2:
		snprintf(spec, MAX_SPEC, "wide:%" PRIu64 ":%d:%d", s, least, emax - 1);
		break;
	case 3:
		snprintf(spec, MAX_SPEC, "tiny:%" PRIu64 ":%d", s, 1 << (k % 5));
		break;
	case 4:
		snprintf(spec, MAX_SPEC, "huge:%" PRIu64 ":1", s);
		break;
	case 5:
		snprintf(spec, MAX_SPEC, "ramp:-0x1p+2:0x1p-4:%d", 97);
		break;
	case 6:
		snprintf(spec, MAX_SPEC, "wide:%" PRIu64 ":-3:3", s);
		break;
	case 7:
		snprintf(spec, MAX_SPEC, "offset:%" PRIu64 ":-0x1p+10:0x1p-3", s);
		break;
	case 8:
		snprintf(spec, MAX_SPEC, "huge:%" PRIu64 ":0", s);
		break;
	case 9:
		snprintf(spec, MAX_SPEC, "uniform:%" PRIu64 ":0x0p+0:0x1p-12", s);
		break;
	case 10:
		snprintf(spec, MAX_SPEC, "ramp:0x1p+0:0x1p+0:%d", 8);
		break;
	default:
		snprintf(spec, MAX_SPEC, "wide:%" PRIu64 ":%d:%d", s, least / 2, 3);
		break;
	}
}

static void print_list(const int64_t *list, size_t count)
{
	size_t i;

	putchar('[');
	for (i = 0; i < count; i++)
		printf("%s%" PRId64, i ? "," : "", list[i]);
	putchar(']');
}

static void print_output(rstd_dtype dtype, const uint32_t *bits, size_t count)
{
	size_t i;

	if (count == 0)
		fputs("empty", stdout);
	for (i = 0; i < count; i++) {
		if (i)
			putchar(',');
		if (bits_is_nan(dtype, bits[i]))
			fputs("nan", stdout);
		else
			printf("%0*" PRIx32, (int)(2 * dtype_size(dtype)), bits[i]);
	}
}

static void set_out_shape(unsigned mask)
{
	size_t a;

	now.out_shape.rank = 0;
	for (a = 0; a < now.shape.rank; a++) {
		if (!(mask >> a & 1))
			now.out_shape.len[now.out_shape.rank++] = now.shape.len[a];
		else if (now.keepdim)
			now.out_shape.len[now.out_shape.rank++] = 1;
	}
}

/* The columns up to the inputs. */
static void print_question(void)
{
	static const char *const ops[] = { "ReduceStdWithMean", "Std", "StdMean", "BatchNormStats" };
	const bool given = now.op == OP_REDUCE_STD_WITH_MEAN, bn = now.op == OP_BATCH_NORM_STATS;

	printf("own-%s-%03d\t%s\t%s\t%s\t%s", family, ++number, ops[now.op], dtype_name(now.dtype),
	       given ? dtype_name(now.mean_dtype) : "-", dtype_name(now.out_dtype[0]));
	if (now.out_count == 2)
		printf(",%s", dtype_name(now.out_dtype[1]));
	putchar('\t');
	print_list(now.shape.len, now.shape.rank);
	putchar('\t');
	if (given)
		print_list(now.shape.len, now.shape.rank);
	else
		putchar('-');
	putchar('\t');
	if (bn)
		putchar('-');
	else
		print_list(now.dims, now.dim_count);
	if (bn)
		printf("\t-\t-\t-\t%a\t-", now.epsilon);
	else if (given)
		printf("\t%d\t%d\t%d\t%a\t%" PRId64, now.unbiased, now.keepdim, now.invert, now.epsilon,
		       now.correction);
	else
		printf("\t-\t%d\t-\t-\t%" PRId64, now.keepdim, now.correction);
	printf("\t%s\t%s\tok\t-\t", x_spec, given ? mean_spec : "-");
}

static uint32_t *elements(const char *spec, const size_t *slice_of, size_t count)
{
	uint32_t *bits = xmalloc(count * sizeof(*bits));

	if (!gen_fill(spec, now.dtype, count, slice_of, bits)) {
		fprintf(stderr, "bad spec %s\n", spec);
		exit(EXIT_FAILURE);
	}
	return bits;
}

/* Writes the case with the bits that it must give. */
static void emit(void)
{
	const unsigned mask = case_mask(&now);
	const size_t count = shape_count(&now.shape), slices = slice_count(&now.shape, mask);
	size_t *slice_of = xmalloc(count * sizeof(*slice_of)), k;
	uint32_t *out[2] = { xmalloc(slices * sizeof(**out)), xmalloc(slices * sizeof(**out)) }, *x, *mean = NULL;

	slice_map(&now.shape, mask, slice_of);
	set_out_shape(mask);
	x = elements(x_spec, slice_of, count);
	if (now.op == OP_REDUCE_STD_WITH_MEAN)
		mean = elements(mean_spec, slice_of, count);
	ref_case(&now, x, mean, out);
	print_question();
	print_list(now.out_shape.len, now.out_shape.rank);
	for (k = 0; k < 2; k++) {
		putchar('\t');
		if (k < now.out_count)
			print_output(now.out_dtype[k], out[k], slices);
		else
			putchar('-');
	}
	printf("\t%016" PRIx64 "\t", gen_hash(x, count));
	if (mean)
		printf("%016" PRIx64 "\n", gen_hash(mean, count));
	else
		puts("-");
	free(mean);
	free(x);
	free(out[0]);
	free(out[1]);
	free(slice_of);
}

/* mean_spec: the exact mean of each slice rounded once, moved by ulps (away from zero for positive ones). */
static void mean_of_slices(int ulps)
{
	const unsigned mask = case_mask(&now);
	const size_t count = shape_count(&now.shape), slices = slice_count(&now.shape, mask);
	struct test_case question = now;
	uint32_t *x = elements(x_spec, NULL, count);
	uint32_t *out[2] = { xmalloc(slices * sizeof(**out)), xmalloc(slices * sizeof(**out)) };
	size_t i, used;

	question.op = OP_STD_MEAN;
	question.out_dtype[1] = now.dtype;
	ref_case(&question, x, NULL, out);
	strcpy(mean_spec, "slice:");
	for (i = 0; i < slices; i++) {
		used = strlen(mean_spec);
		snprintf(mean_spec + used, MAX_SPEC - used, "%s%0*" PRIx32, i ? "," : "",
		         (int)(2 * dtype_size(now.dtype)), (uint32_t)((int64_t)out[1][i] + ulps));
	}
	free(x);
	free(out[0]);
	free(out[1]);
}

/* A given mean of one of the kinds that the format allows. */
static void any_mean(unsigned k)
{
	switch (k % 4) {
	case 0:
		mean_of_slices(0);
		break;
	case 1:
		mean_of_slices((int)(k / 4 % 7) - 3);
		break;
	case 2:
		strcpy(mean_spec, "const:0x0p+0");
		break;
	default:
		any_spec(mean_spec, now.dtype, k);
		break;
	}
}

/* x and, where the operator takes one, a mean, of kinds that follow from k. Needs shape and dims. */
static void any_data(unsigned k)
{
	any_spec(x_spec, now.dtype, k);
	if (now.op == OP_REDUCE_STD_WITH_MEAN)
		any_mean(k + k / 12);
}

/* ---- Families ------------------------------------------------------------------------------------------------ */

/* Around 2^16, where a 16-bit count or an unrolled loop ends, and a million. */
static void long_reductions(void)
{
	static const int lengths[] = { 65535, 65536, 65537 };
	unsigned k = 0;
	size_t l, d;

	begin_family("long");
	for (l = 0; l < 3; l++) {
		for (d = 0; d < 3; d++, k += 5) {
			reset((enum case_op)((l + d) % 3), dtypes[d]);
			set_shape(1, lengths[l]);
			any_data(k);
			emit();
			reset((enum case_op)((l + d + 1) % 3), dtypes[d]);
			set_shape(2, lengths[l], 3);
			set_dims(1, 0);
			any_data(k + 1);
			emit();
			reset((enum case_op)((l + d + 2) % 3), dtypes[d]);
			set_shape(2, 3, lengths[l]);
			set_dims(1, -1);
			any_data(k + 6);
			emit();
		}
	}
	for (d = 0; d < 3; d++) {
		reset((enum case_op)d, dtypes[d]);
		set_shape(1, 1000000 + (int)d);
		any_data((unsigned)d);
		emit();
		reset(OP_STD_MEAN, dtypes[d]);
		set_shape(2, 250001, 4);
		set_dims(1, 0);
		any_data((unsigned)d + 6);
		emit();
	}
}

/* Every subset of the axes of a few shapes. */
static void every_dims(void)
{
	static const struct case_shape shapes[] = { { 4, { 3, 4, 2, 5 } },
		                                    { 5, { 2, 3, 2, 3, 2 } },
		                                    { 4, { 1, 6, 1, 9 } },
		                                    { 3, { 17, 4, 33 } },
		                                    { 5, { 3, 1, 5, 2, 1 } } };
	unsigned k = 0, mask;
	size_t s;

	begin_family("dims");
	for (s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		for (mask = 1; mask < 1U << shapes[s].rank; mask++, k++) {
			reset((enum case_op)(k % 3), dtypes[k / 3 % 3]);
			now.shape = shapes[s];
			set_mask(mask);
			now.keepdim = k / 2 % 2;
			if (now.op == OP_REDUCE_STD_WITH_MEAN)
				now.invert = k / 4 % 2;
			any_data(k);
			emit();
		}
	}
}

/* Rows shorter than a vector and just longer, columns from one to several vectors. */
static void short_rows_and_columns(void)
{
	unsigned k = 0;
	int n;

	begin_family("rows");
	for (n = 1; n <= 70; n++, k++) {
		reset((enum case_op)(k % 3), dtypes[k / 3 % 3]);
		set_shape(2, 7 + n % 11, n);
		set_dims(1, 1);
		now.correction = n % 3;
		any_data(k);
		emit();
	}
	begin_family("cols");
	for (n = 1; n <= 70; n++, k++) {
		reset((enum case_op)(k % 3), dtypes[k / 3 % 3]);
		set_shape(2, 5 + n % 13, n);
		set_dims(1, 0);
		now.correction = n % 2;
		any_data(k + 1);
		emit();
	}
	begin_family("middle");
	for (n = 1; n <= 20; n++, k++) {
		reset((enum case_op)(k % 3), dtypes[k / 3 % 3]);
		set_shape(3, 2, 3 + 2 * n, n);
		set_dims(1, 1);
		any_data(k + 2);
		emit();
	}
}

static void mixed_outputs(void)
{
	unsigned k = 0, i;

	begin_family("mixed");
	for (i = 0; i < 81; i++, k++) {
		reset(i / 27 == 2 ? OP_STD : OP_STD_MEAN, dtypes[i % 3]);
		now.out_dtype[0] = dtypes[i / 3 % 3];
		now.out_dtype[1] = dtypes[i / 9 % 3];
		set_shape(2, 12, 5 + (int)i % 30);
		set_dims(1, (int)i % 2);
		any_data(k);
		emit();
	}
}

/* epsilon: any float, and for BatchNormStats any double. */
static void every_epsilon(void)
{
	static const double values[] = { 0,
		                         0x1p-149,
		                         -0x1p-149,
		                         0x1p-126,
		                         1e-12,
		                         1,
		                         3,
		                         15,
		                         -0.25,
		                         -1,
		                         0x1p+100,
		                         0x1.fffffep+127,
		                         -0x1.fffffep+127,
		                         (double)INFINITY,
		                         (double)-INFINITY,
		                         (double)NAN,
		                         -0.0,
		                         0x1.8p-10 };
	static const double doubles[] = { 1e-300,           -1e-300,  1e300,      -1e300,        0x1.000001p+0,
		                          0x1.fffffefp+127, 0x1p-150, 0x1.8p-149, 0x1.0000008p+3 };
	unsigned k = 0;
	size_t v, d;

	begin_family("epsilon");
	for (v = 0; v < sizeof(values) / sizeof(*values); v++) {
		for (d = 0; d < 3; d++, k++) {
			reset(OP_REDUCE_STD_WITH_MEAN, dtypes[d]);
			now.invert = true;
			now.epsilon = values[v];
			set_shape(2, 10, 8);
			set_dims(1, (int)(k % 2));
			any_data(k);
			emit();
			reset(OP_BATCH_NORM_STATS, dtypes[d]);
			now.epsilon = values[v];
			set_shape(3, 3, 4, 5);
			any_data(k + 1);
			emit();
		}
		/* a variance of exactly 1, 0.25 and 0 */
		reset(OP_BATCH_NORM_STATS, RSTD_F32);
		now.epsilon = values[v];
		set_shape(2, 2, 3);
		strcpy(x_spec, "bits:3f800000,3f000000,40000000,bf800000,bf000000,40000000");
		emit();
	}
	for (v = 0; v < sizeof(doubles) / sizeof(*doubles); v++) {
		reset(OP_BATCH_NORM_STATS, dtypes[v % 3]);
		now.epsilon = doubles[v];
		set_shape(2, 6, 5);
		any_data((unsigned)v);
		emit();
	}
}

static void every_correction(void)
{
	static const int64_t values[] = { 0, 1, 2, 4, 5, 6, 1000, INT64_C(1) << 32, INT64_MAX };
	static const char *const data[] = { "uniform:77:-0x1p+0:0x1p+0", "const:0x1.8p+0", "ramp:0x0p+0:0x1p+0:5" };
	size_t v, d, op;

	begin_family("correction");
	for (v = 0; v < sizeof(values) / sizeof(*values); v++) {
		for (d = 0; d < 3; d++) {
			for (op = 0; op < 3; op++) {
				reset((enum case_op)op, dtypes[(v + d + op) % 3]);
				set_shape(2, 3, 5);
				set_dims(1, 1);
				now.correction = values[v];
				now.unbiased = v % 4 != 3;
				strcpy(x_spec, data[d]);
				strcpy(mean_spec, d == 1 ? x_spec : "const:0x1p-1");
				emit();
			}
		}
	}
}

/* Every kind of values, for every dtype and operator. */
static void every_kind(void)
{
	unsigned k;
	size_t op, d;

	begin_family("kind");
	for (op = 0; op < 4; op++) {
		for (d = 0; d < 3; d++) {
			for (k = 0; k < 12; k++) {
				reset((enum case_op)op, dtypes[d]);
				set_shape(3, 4, 3, 50);
				if (now.op != OP_BATCH_NORM_STATS)
					set_dims(2, 2, -3);
				now.invert = now.op == OP_REDUCE_STD_WITH_MEAN && k % 3 == 2;
				any_data(k);
				emit();
			}
		}
	}
}

/* NaN and Inf at the first, a middle and the last place of a slice; other slices stay clean. */
static void specials(void)
{
	static const char *const what[] = { "nan", "inf", "-inf" };
	const int n = 203;
	size_t used;
	unsigned k = 0, op, w, place;

	begin_family("special");
	for (op = 0; op < 4; op++) {
		for (w = 0; w < 9; w++) {
			for (place = 0; place < 3; place++, k++) {
				reset((enum case_op)op, dtypes[k % 3]);
				set_shape(2, 4, n);
				if (op != OP_BATCH_NORM_STATS)
					set_dims(1, (int)(k / 9 % 2));
				any_spec(x_spec, now.dtype, k % 2 ? 0 : 6);
				used = strlen(x_spec);
				snprintf(x_spec + used, MAX_SPEC - used, "@%d=%s,%d=%s", n + (int)place * (n - 1) / 2,
				         what[w % 3], n + (int)(place + 1) % 3 * (n - 1) / 2, what[w / 3]);
				if (op == OP_REDUCE_STD_WITH_MEAN)
					snprintf(mean_spec, MAX_SPEC, "const:0x1p-2@%d=%s",
					         n + (int)place * (n - 1) / 2, what[(w + place) % 3]);
				emit();
			}
		}
	}
}

static void batch_norm(void)
{
	static const struct case_shape shapes[] = {
		{ 2, { 9, 40 } },
		{ 2, { 1, 5 } },
		{ 3, { 6, 7, 1 } },
		{ 4, { 4, 3, 5, 6 } },
		{ 4, { 1, 2, 31, 33 } },
		{ 5, { 2, 3, 4, 3, 2 } },
		{ 6, { 2, 3, 2, 2, 2, 2 } },
		{ 7, { 1, 3, 2, 2, 1, 3, 2 } },
		{ 8, { 2, 2, 2, 1, 2, 2, 2, 2 } },
		{ 3, { 0, 4, 5 } },
		{ 2, { 0, 3 } },
		{ 4, { 2, 3, 0, 7 } },
		{ 2, { 700, 70 } },
		{ 3, { 3, 1, 4001 } },
	};
	unsigned k = 0;
	size_t s, d;

	begin_family("bn");
	for (s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		for (d = 0; d < 3; d++, k++) {
			reset(OP_BATCH_NORM_STATS, dtypes[d]);
			now.shape = shapes[s];
			any_data(k);
			emit();
		}
	}
}

static void ranks_and_empty(void)
{
	static const struct case_shape shapes[] = {
		{ 8, { 2, 1, 3, 2, 1, 2, 2, 3 } },
		{ 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ 7, { 3, 2, 2, 2, 2, 2, 3 } },
		{ 8, { 2, 2, 2, 2, 2, 2, 2, 2 } },
		{ 3, { 3, 0, 4 } },
		{ 1, { 0 } },
		{ 4, { 0, 2, 0, 3 } },
		{ 6, { 2, 3, 1, 4, 1, 5 } },
	};
	static const unsigned masks[] = { 0xFF, 0x55, 0xAA, 0x81, 0x3C, 0x42, 0x01, 0x7E };
	unsigned k = 0, mask;
	size_t s, m;

	begin_family("rank");
	for (s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		for (m = 0; m < sizeof(masks) / sizeof(*masks); m++, k++) {
			mask = masks[m] & ((1U << shapes[s].rank) - 1);
			if (mask == 0)
				continue;
			reset((enum case_op)(k % 3), dtypes[k / 3 % 3]);
			now.shape = shapes[s];
			set_mask(mask);
			now.keepdim = k % 2;
			any_spec(x_spec, now.dtype, k);
			strcpy(mean_spec, "const:0x1p-1");
			emit();
		}
	}
	reset(OP_STD_MEAN, RSTD_F16); /* rank 0 */
	now.correction = 0;
	strcpy(x_spec, "const:-0x1.8p+3");
	emit();
	reset(OP_REDUCE_STD_WITH_MEAN, RSTD_BF16);
	set_dims(1, -1);
	strcpy(x_spec, "const:-0x1.8p+3");
	strcpy(mean_spec, "const:0x1p+0");
	now.correction = 0;
	emit();
}

/*
 * Ties: a^2 + b^2 = c^2 with c of one bit more than the format, so that sqrt(a^2 + b^2) is a midpoint; and the same
 * beside the tie, by least subnormals in other elements or in the mean.
 */
static void ties(void)
{
	static const struct {
		rstd_dtype dtype;
		uint32_t m, n; /* a = m^2 - n^2, b = 2 m n, c = m^2 + n^2 */
	} triples[] = {
		{ RSTD_F32, 4200, 2001 }, { RSTD_F32, 4099, 1020 }, { RSTD_F32, 4816, 2905 }, { RSTD_F32, 4501, 3200 },
		{ RSTD_F16, 46, 27 },     { RSTD_F16, 45, 32 },     { RSTD_F16, 44, 27 },     { RSTD_F16, 48, 23 },
		{ RSTD_BF16, 16, 7 },     { RSTD_BF16, 17, 6 },     { RSTD_BF16, 17, 8 },     { RSTD_BF16, 16, 9 },
	};
	size_t i, used;
	unsigned kind;

	begin_family("tie");
	for (i = 0; i < sizeof(triples) / sizeof(*triples); i++) {
		const rstd_dtype t = triples[i].dtype;
		const uint32_t m = triples[i].m, n = triples[i].n, sign = dtype_sign_bit(t);
		const uint32_t a = bits_from_double(t, m * m - n * n), b = bits_from_double(t, 2 * m * n);
		const int length = (int)i % 3 == 0 ? 4 : 4 + 31 * (int)i;

		for (kind = 0; kind < 5; kind++) {
			/* own mean: a, -a, b, -b and zeros, over 2: S = 2 c^2; kind 1 and 2 add +-least */
			reset(OP_STD_MEAN, t);
			set_shape(1, length);
			now.correction = length - 2;
			snprintf(x_spec, MAX_SPEC, "const:0x0p+0@0=#%x,1=#%x,%d=#%x,%d=#%x", a, sign | a, length - 2, b,
			         length - 1, sign | b);
			if (kind && length > 8) {
				used = strlen(x_spec);
				snprintf(x_spec + used, MAX_SPEC - used, ",%d=#%x,%d=#%x", 2 + (int)kind, 1U, 9,
				         sign | 1U);
			}
			if (kind < 2)
				emit();
			/* given mean, over 1: a, b and zeros; a mean of +-least moves the root to either side */
			reset(OP_REDUCE_STD_WITH_MEAN, t);
			set_shape(1, length);
			now.correction = length - 1;
			snprintf(x_spec, MAX_SPEC, "const:0x0p+0@%d=#%x,%d=#%x", (int)kind % length, a, length - 1, b);
			snprintf(mean_spec, MAX_SPEC, "const:0x0p+0@%d=#%x", kind < 3 ? (int)kind % length : length - 1,
			         kind == 0  ? 0
			         : kind % 2 ? 1U
			                    : sign | 1U);
			emit();
		}
	}
}

/*
 * Reciprocal ties of bfloat16: one element 1 and the rest 0 about a mean of 0 give 1 / sqrt(1 / n), and the root of n
 * is an odd integer of 9 bits. A least subnormal elsewhere takes the result below the tie, and nothing takes it above
 * but an epsilon.
 */
static void reciprocal_ties(void)
{
	static const int roots[] = { 257, 259, 261, 263 };
	static const double epsilons[] = { 0, 0x1p-149, -0x1p-149 };
	size_t r, e;

	begin_family("invtie");
	for (r = 0; r < 4; r++) {
		for (e = 0; e < 3; e++) {
			reset(OP_REDUCE_STD_WITH_MEAN, RSTD_BF16);
			set_shape(1, roots[r] * roots[r]);
			now.invert = true;
			now.epsilon = epsilons[e];
			snprintf(x_spec, MAX_SPEC, "const:0x0p+0@%d=#3f80%s", 1000 * (int)r,
			         r == 3 ? ",65000=#0001" : "");
			strcpy(mean_spec, "const:0x0p+0");
			emit();
		}
	}
}

/* Reports about other libraries, as inputs (see tests/test_properties.c for those that are behaviour). */
static void reports(void)
{
	begin_family("report");
	reset(OP_STD_MEAN, RSTD_F32); /* constant columns, reduced over the outer axis: no drift */
	set_shape(2, 65537, 2);
	set_dims(1, 0);
	now.correction = 0;
	strcpy(x_spec, "bits:42c80000,c2c80000");
	emit();
	reset(OP_STD_MEAN, RSTD_F32); /* equal elements have no spread, whatever their mean rounds to */
	set_shape(1, 6);
	strcpy(x_spec, "bits:3f066666");
	emit();
	reset(OP_STD_MEAN, RSTD_F32); /* squares overflow, the std does not */
	set_shape(1, 16);
	now.correction = 0;
	strcpy(x_spec, "const:0x1p+0@0=#ff7fffff,1=#ff7fffff,2=#7f7fffff,10=#7f7fffff");
	emit();
	now.correction = 1;
	emit();
	reset(OP_STD_MEAN, RSTD_F16); /* more elements than a half can count */
	set_shape(1, 65520);
	strcpy(x_spec, "blocks:32760:0000,3c00");
	emit();
	set_shape(1, 65519);
	emit();
	reset(OP_STD_MEAN, RSTD_F32); /* squares underflow, the std does not */
	set_shape(1, 4);
	strcpy(x_spec, "bits:0da24260,0e224260,0e73638f,0ea24260");
	emit();
	strcpy(x_spec, "bits:1,2,3,4");
	emit();
}

int main(void)
{
	puts("id\top\tdtype\tmean_dtype\tout_dtypes\tshape\tmean_"
	     "shape\tdims\tunbiased\tkeepdim\tinvert\tepsilon\tcorrection\tx"
	     "\tmean\tstatus\tfault\tout_shape\tout0\tout1\tx_hash\tmean_hash");
	long_reductions();
	every_dims();
	short_rows_and_columns();
	mixed_outputs();
	every_epsilon();
	every_correction();
	every_kind();
	specials();
	batch_norm();
	ranks_and_empty();
	ties();
	reciprocal_ties();
	reports();
	return ferror(stdout) || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
