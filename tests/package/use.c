/*
 * use.c - an outside C program: succeeds if the installed library computes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <rstd/rstd.h>

#include <stdio.h>

int main(void)
{
	float data[4] = { 1, 2, 3, 6 }, std, mean;
	const int64_t length = 4;
	rstd_tensor x, y, m;

	rstd_tensor_contiguous(&x, data, RSTD_F32, 1, &length);
	rstd_tensor_contiguous(&y, &std, RSTD_F32, 0, NULL);
	rstd_tensor_contiguous(&m, &mean, RSTD_F32, 0, NULL);
	if (rstd_std_mean(&x, NULL, 0, 0, false, &y, &m) != RSTD_OK) {
		fprintf(stderr, "%s\n", rstd_last_error());
		return 1;
	}
	printf("rstd %s: std %.9g, mean %.9g\n", rstd_version(), (double)std, (double)mean);
	return !(std == 1.87082869F && mean == 3);
}
