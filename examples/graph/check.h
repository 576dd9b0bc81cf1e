/*
 * check.h - what the graph examples share: calls that must succeed, feeds, and results beside what is right
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CHECK_H
#define CHECK_H

#include <cstdint>
#include <cstdio>
#include <vector>

#include "ge_api.h"
#include "graph.h"
#include "tensor.h"
#include "types.h"

/* Ends the function with 1 when a call fails, and says why. */
#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		const ge::Status check_status = (call);                                                                \
		if (check_status != ge::SUCCESS) {                                                                     \
			std::fprintf(stderr, "%s: %u\n%s\n", #call, check_status, ge::GEGetErrorMsgV2().GetString());  \
			return 1;                                                                                      \
		}                                                                                                      \
	} while (0)

inline ge::TensorDesc float_desc(const std::vector<int64_t> &dims)
{
	ge::TensorDesc desc(ge::Shape(dims), ge::FORMAT_ND, ge::DT_FLOAT);
	desc.SetPlacement(ge::kPlacementHost);
	return desc;
}

inline ge::Tensor float_feed(const std::vector<int64_t> &dims, const std::vector<float> &values)
{
	return ge::Tensor(float_desc(dims), reinterpret_cast<const uint8_t *>(values.data()),
	                  values.size() * sizeof(float));
}

/* Prints a float result and returns whether its shape and each bit of it are as expected. */
inline bool same(const char *name, const ge::Tensor &result, const std::vector<int64_t> &dims,
                 const std::vector<float> &expected)
{
	const float *const values = reinterpret_cast<const float *>(result.GetData());
	const size_t count = result.GetSize() / sizeof(float);
	bool same = result.GetTensorDesc().GetShape().GetDims() == dims && count == expected.size();

	std::printf("%s:", name);
	for (size_t i = 0; i < count; i++)
		std::printf(" %.9g", static_cast<double>(values[i]));
	std::printf("\n");
	for (size_t i = 0; same && i < count; i++)
		same = values[i] == expected[i];
	if (!same)
		std::fprintf(stderr, "%s: not the expected result\n", name);
	return same;
}

#endif /* CHECK_H */
