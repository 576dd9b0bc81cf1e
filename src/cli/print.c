/*
 * print.c - arrays for a person to read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 75
#define WHOLE_MAX  1000 /* elements that are printed without leaving any out */
#define EDGE_ITEMS 3
#define DIGITS_MAX 9  /* tell every binary32 value from the next */
#define WORD_SIZE  64 /* for any element: plain notation has at most 9 + 1 + 13 positions */

/* ---- A number, and how many digits it needs ------------------------------------------------------------------ */

static const struct layout {
	size_t size; /* bytes */
	int exponent_bits, fraction_bits;
} layouts[] = {
	[RSTD_F32] = { 4, 8, 23 },
	[RSTD_F16] = { 2, 5, 10 },
	[RSTD_BF16] = { 2, 8, 7 },
};

enum kind { FINITE, INFINITE, NOT_A_NUMBER };

struct number {
	enum kind kind;
	bool negative;
	double magnitude;
	int exponent; /* of the leading decimal digit; 0 for zero */
	int digits;   /* how many tell it from its neighbours */
};

/* What the bits without their sign stand for; Infinity's bits as if the exponent range went on. */
static double magnitude_of(const struct layout *layout, uint32_t bits)
{
	const int bias = (1 << (layout->exponent_bits - 1)) - 1, exponent = (int)(bits >> layout->fraction_bits);
	const uint32_t one = (uint32_t)1 << layout->fraction_bits, fraction = bits & (one - 1);

	if (exponent == 0)
		return ldexp(fraction, 1 - bias - layout->fraction_bits);
	return ldexp(fraction | one, exponent - bias - layout->fraction_bits);
}

/*
 * The fewest digits that lie nearer to the value than to its neighbours. The limits, halfway between two, are exact
 * in binary64, and rounding to binary64 is monotonic, so that a text that converts to less than the upper limit is
 * less than it.
 */
static void count_digits(struct number *number, const struct layout *layout, uint32_t bits)
{
	const double value = magnitude_of(layout, bits), above = (value + magnitude_of(layout, bits + 1)) / 2;
	const double below = bits > 0 ? (value + magnitude_of(layout, bits - 1)) / 2 : -above;
	char text[32];

	number->magnitude = value;
	for (number->digits = 1;; number->digits++) {
		double back;

		snprintf(text, sizeof(text), "%.*e", number->digits - 1, value);
		back = strtod(text, NULL);
		if ((below < back && back < above) || number->digits == DIGITS_MAX)
			break;
	}
	number->exponent = atoi(strchr(text, 'e') + 1);
}

static struct number number_at(rstd_dtype dtype, const char *at)
{
	const struct layout *layout = &layouts[dtype];
	const int sign_at = layout->exponent_bits + layout->fraction_bits;
	const uint32_t infinity = (((uint32_t)1 << layout->exponent_bits) - 1) << layout->fraction_bits;
	struct number number = { .kind = FINITE };
	uint32_t bits;

	if (layout->size == 4) {
		memcpy(&bits, at, 4);
	} else {
		uint16_t half;

		memcpy(&half, at, 2);
		bits = half;
	}
	number.negative = bits >> sign_at != 0;
	bits &= ((uint32_t)1 << sign_at) - 1;
	if (bits < infinity)
		count_digits(&number, layout, bits);
	else
		number.kind = bits == infinity ? INFINITE : NOT_A_NUMBER;
	return number;
}

/* ---- How all elements of one array are laid out --------------------------------------------------------------- */

struct style {
	bool scientific;
	int fraction_min; /* positions after the point that are never blank */
	int left, right;  /* positions before and after the point, the sign included, the exponent not */
};

/* What the elements that will be seen ask for. */
struct extent {
	double least, greatest;  /* magnitudes other than 0 */
	int left, right;         /* positions in plain notation */
	int left_exp, right_exp; /* and in scientific notation */
	int special;             /* the length of the longest of nan, inf, -inf */
	bool any;                /* whether least and greatest are set */
};

static int max(int a, int b)
{
	return a > b ? a : b;
}

/* Digits after the point in plain notation. */
static int fraction_digits(const struct number *n)
{
	return max(n->digits - 1 - n->exponent, 0);
}

static void extend(struct extent *e, const struct number *n)
{
	if (n->kind != FINITE) {
		e->special = max(e->special, n->kind == INFINITE && n->negative ? 4 : 3);
		return;
	}
	e->left = max(e->left, n->negative + 1 + max(n->exponent, 0));
	e->right = max(e->right, fraction_digits(n));
	e->left_exp = max(e->left_exp, n->negative + 1);
	e->right_exp = max(e->right_exp, n->digits - 1);
	if (n->magnitude > 0) {
		e->least = e->any ? fmin(e->least, n->magnitude) : n->magnitude;
		e->greatest = e->any ? fmax(e->greatest, n->magnitude) : n->magnitude;
		e->any = true;
	}
}

static int style_width(const struct style *style)
{
	return style->left + 1 + style->right + (style->scientific ? 4 : 0);
}

/* A lone number is written 2.0, a column of numbers lines up without: 2. and 2.5. */
static struct style choose_style(const struct extent *e, size_t rank)
{
	const int fraction_min = rank == 0;
	struct style style = { .fraction_min = fraction_min, .left = e->left, .right = max(e->right, fraction_min) };

	if (e->any && (e->greatest >= 1e8 || e->least < 1e-4 || e->greatest / e->least > 1000)) {
		style.scientific = true;
		style.left = e->left_exp;
		style.right = e->right_exp;
	}
	style.left += max(0, e->special - style_width(&style));
	return style;
}

/* In plain notation, blanks stand for the zeros at the end of the shorter fractions. */
static void format_number(char word[WORD_SIZE], const struct style *style, const struct number *n)
{
	const int width = style_width(style), fraction = max(fraction_digits(n), style->fraction_min);
	const double value = n->negative ? -n->magnitude : n->magnitude;

	if (n->kind == NOT_A_NUMBER)
		snprintf(word, WORD_SIZE, "%*s", width, "nan");
	else if (n->kind == INFINITE)
		snprintf(word, WORD_SIZE, "%*s", width, n->negative ? "-inf" : "inf");
	else if (style->scientific)
		snprintf(word, WORD_SIZE, "%#*.*e", width, style->right, value);
	else
		snprintf(word, WORD_SIZE, "%#*.*f%*s", width - style->right + fraction, fraction, value,
		         style->right - fraction, "");
}

/* ---- The walk over the array ---------------------------------------------------------------------------------- */

struct printer {
	FILE *stream;
	const rstd_tensor *tensor;
	bool abbreviated;
	struct style style;
	int column;
	int blanks; /* put off until something follows on the line */
};

static const char *element_at(const struct printer *p, const char *at, size_t axis, int64_t i)
{
	return at + i * p->tensor->strides[axis] * (int64_t)layouts[p->tensor->dtype].size;
}

/* The index to show after i. */
static int64_t next_index(const struct printer *p, size_t axis, int64_t i)
{
	const int64_t length = p->tensor->shape[axis];

	if (p->abbreviated && length > 2 * EDGE_ITEMS && i == EDGE_ITEMS - 1)
		return length - EDGE_ITEMS;
	return i + 1;
}

static void measure(const struct printer *p, size_t axis, const char *at, struct extent *extent)
{
	if (axis == p->tensor->rank) {
		const struct number n = number_at(p->tensor->dtype, at);

		extend(extent, &n);
		return;
	}
	for (int64_t i = 0; i < p->tensor->shape[axis]; i = next_index(p, axis, i))
		measure(p, axis + 1, element_at(p, at, axis, i), extent);
}

static void put(struct printer *p, const char *text)
{
	for (; *text; text++) {
		p->column++;
		if (*text == ' ') {
			p->blanks++;
			continue;
		}
		if (*text == '\n')
			p->column = 0;
		else
			fprintf(p->stream, "%*s", p->blanks, "");
		p->blanks = 0;
		fputc(*text, p->stream);
	}
}

static void put_indent(struct printer *p, size_t width)
{
	while (width-- > 0)
		put(p, " ");
}

/* One element, on the next line if it does not fit on this one. */
static void put_word(struct printer *p, const char *word)
{
	const int rank = (int)p->tensor->rank;

	if (p->column > rank && p->column + (int)strlen(word) > LINE_WIDTH - rank) {
		put(p, "\n");
		put_indent(p, p->tensor->rank);
	}
	put(p, word);
}

/* Between two items of an axis: a blank between elements, as many newlines between blocks as these have axes. */
static void put_separator(struct printer *p, size_t axis)
{
	size_t inner = p->tensor->rank - 1 - axis;

	if (inner == 0) {
		put(p, " ");
		return;
	}
	while (inner-- > 0)
		put(p, "\n");
	put_indent(p, axis + 1);
}

static void print_axis(struct printer *p, size_t axis, const char *at)
{
	int64_t last = -1;

	if (axis == p->tensor->rank) {
		const struct number n = number_at(p->tensor->dtype, at);
		char word[WORD_SIZE];

		format_number(word, &p->style, &n);
		put_word(p, word);
		return;
	}
	put(p, "[");
	for (int64_t i = 0; i < p->tensor->shape[axis]; last = i, i = next_index(p, axis, i)) {
		if (i > 0)
			put_separator(p, axis);
		if (i > last + 1) {
			put_word(p, "...");
			put_separator(p, axis);
		}
		print_axis(p, axis + 1, element_at(p, at, axis, i));
	}
	put(p, "]");
}

void rstd__print_tensor(FILE *stream, const rstd_tensor *tensor)
{
	struct printer p = { .stream = stream, .tensor = tensor };
	struct extent extent = { .any = false };
	int64_t count = 1;

	for (size_t i = 0; i < tensor->rank; i++)
		count *= tensor->shape[i];
	if (count == 0) {
		fputs("[]\n", stream);
		return;
	}
	p.abbreviated = count > WHOLE_MAX;
	measure(&p, 0, tensor->data, &extent);
	p.style = choose_style(&extent, tensor->rank);
	print_axis(&p, 0, tensor->data);
	put(&p, "\n");
}
