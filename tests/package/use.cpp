/*
 * use.cpp - an outside C++17 program: succeeds if the installed library computes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <rstd/rstd.h>

#include <array>
#include <cstdio>

int main()
{
	std::array<float, 4> data{ 1, 2, 3, 6 };
	float result = 0;
	const std::array<int64_t, 2> shape{ 1, 4 };
	rstd_reduce_attrs attrs = RSTD_REDUCE_ATTRS_DEFAULT;
	float zero = 0;
	rstd_tensor x, mean, y;

	rstd_tensor_contiguous(&x, data.data(), RSTD_F32, shape.size(), shape.data());
	mean = x;
	mean.data = &zero;
	mean.strides[0] = mean.strides[1] = 0;
	rstd_tensor_contiguous(&y, &result, RSTD_F32, 0, nullptr);
	attrs.unbiased = false;
	if (rstd_reduce_std_with_mean(&x, &mean, &attrs, &y) != RSTD_OK) {
		std::fprintf(stderr, "%s\n", rstd_last_error());
		return 1;
	}
	std::printf("rstd %s: root mean square %.9g\n", rstd_version(), static_cast<double>(result));
	return result == 3.5355339F ? 0 : 1;
}
