/*
 * std.c - the spread of each column of a small matrix
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <rstd/rstd.h>

#include <stdio.h>

int main(void)
{
	float data[3][3] = {
		{ 10000001, 1e30F, 1e-30F },
		{ 10000002, 2e30F, 2e-30F },
		{ 10000003, 3e30F, 3e-30F },
	};
	const int64_t shape[2] = { 3, 3 }, columns = 3, dim = 0, correction = 1;
	float std[3], mean[3];
	rstd_tensor x, s, m;

	rstd_tensor_contiguous(&x, data, RSTD_F32, 2, shape);
	rstd_tensor_contiguous(&s, std, RSTD_F32, 1, &columns);
	rstd_tensor_contiguous(&m, mean, RSTD_F32, 1, &columns);
	if (rstd_std_mean(&x, &dim, 1, correction, false, &s, &m) != RSTD_OK) {
		fprintf(stderr, "%s\n", rstd_last_error());
		return 1;
	}
	for (int i = 0; i < 3; i++)
		printf("std %g, mean %.8g\n", (double)std[i], (double)mean[i]);
	return 0;
}
