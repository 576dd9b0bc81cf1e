/*
 * short_rows_tmpl.h - sums of VL short rows, each in vectors of its own
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One text for fine sums and for rough ones, which short_tmpl.h includes twice: with SHORT(name), which gives the names,
 * X and XL, the vectors V or F and their lanes, and X_(word), the words of these.
 */

/*
 * The last k of n elements less something, 0 < k < XL, and 0 in other lanes. Of a row that fills a vector they are the
 * last lanes of one that ends where the row does, which is faster than to load a part of a vector.
 */
static inline __attribute__((always_inline)) X SHORT(short_last)(enum rstd__format format, const unsigned char *x,
                                                                 size_t n, size_t k, X shift)
{
	const size_t size = rstd__format_info[format].size;

	if (n >= XL)
		return X_(keep_last)(X_(sub)(X_(widen)(format, x + (n - XL) * size), shift), k);
	return X_(keep)(X_(sub)(X_(widen_part)(format, x, k), shift), k);
}

/* Two vectors of a row, each to sums of its own. */
static inline __attribute__((always_inline)) void SHORT(short_two)(enum rstd__format format, const unsigned char *x,
                                                                   X k, X *t, X *q)
{
	X d[2];

	X_(widen_two)(format, x, d);
	d[0] = X_(sub)(d[0], k);
	d[1] = X_(sub)(d[1], k);
	t[0] = X_(add)(t[0], d[0]);
	t[1] = X_(add)(t[1], d[1]);
	q[0] = X_(fma)(d[0], d[0], q[0]);
	q[1] = X_(fma)(d[1], d[1], q[1]);
}

/* The whole chunks of a long row, four vectors at a time, so that no addition waits for another. Returns their elements. */
static inline __attribute__((always_inline)) size_t SHORT(short_chunks)(enum rstd__format format,
                                                                        const unsigned char *x, size_t n, X k, X *t,
                                                                        X *q)
{
	const size_t size = rstd__format_info[format].size, chunk = RSTD__CHUNK / size;
	X tb[2], qb[2];
	size_t i = 0;

	tb[0] = tb[1] = qb[0] = qb[1] = X_(set1)(0);
	while (n - i >= chunk) {
		rstd__ask_for_chunk((uintptr_t)(x + i * size), true);
		for (const size_t end = i + chunk; i < end; i += 4 * XL) {
			SHORT(short_two)(format, x + i * size, k, t, q);
			SHORT(short_two)(format, x + (i + 2 * XL) * size, k, tb, qb);
		}
	}
	t[0] = X_(add)(t[0], tb[0]);
	t[1] = X_(add)(t[1], tb[1]);
	q[0] = X_(add)(q[0], qb[0]);
	q[1] = X_(add)(q[1], qb[1]);
	return i;
}

/* The vectors of sums of one row. */
static inline __attribute__((always_inline)) void SHORT(short_row)(enum rstd__format format, const unsigned char *x,
                                                                   size_t n, bool is_long, X k, X *t, X *q)
{
	const size_t size = rstd__format_info[format].size, rest = n % XL;
	X ta[2], qa[2], d;
	size_t i = 0;

	ta[0] = ta[1] = qa[0] = qa[1] = X_(set1)(0);
	if (is_long)
		i = SHORT(short_chunks)(format, x, n, k, ta, qa);
	for (; n - i >= 2 * XL; i += 2 * XL)
		SHORT(short_two)(format, x + i * size, k, ta, qa);
	if (n - i >= XL) {
		d = X_(sub)(X_(widen)(format, x + i * size), k);
		ta[0] = X_(add)(ta[0], d);
		qa[0] = X_(fma)(d, d, qa[0]);
	}
	if (rest > 0) {
		d = SHORT(short_last)(format, x, n, rest, k);
		ta[1] = X_(add)(ta[1], d);
		qa[1] = X_(fma)(d, d, qa[1]);
	}
	*t = X_(add)(ta[0], ta[1]);
	*q = X_(add)(qa[0], qa[1]);
}

/* The sums of up to VL rows, about their first elements or about shifts that are given; 0 in other lanes. */
static inline __attribute__((always_inline)) void SHORT(short_group)(enum rstd__format format, const unsigned char *x,
                                                                     const ptrdiff_t *row, size_t rows, size_t n,
                                                                     bool is_long, bool about_first, double *shift,
                                                                     V *t, V *q)
{
	X tv[VL], qv[VL];

#pragma GCC unroll 8
	for (size_t r = 0; r < VL; r++) {
		X k;

		if (r >= rows) {
			tv[r] = qv[r] = X_(set1)(0);
			continue;
		}
		if (!is_long && n * rstd__format_info[format].size > RSTD__LINE)
			rstd__ask_for_bytes(x + row[r], n * rstd__format_info[format].size, true);
		if (about_first) {
			k = X_(widen_one)(format, x + row[r]);
			shift[r] = X_(first)(k);
		} else {
			k = X_(near_one)(shift[r]);
		}
		SHORT(short_row)(format, x + row[r], n, is_long, k, &tv[r], &qv[r]);
	}
	*t = X_(row_sums)(tv);
	*q = X_(row_sums)(qv);
}
