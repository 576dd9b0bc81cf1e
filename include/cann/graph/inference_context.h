/*
 * inference_context.h - what shape inference of several operators may share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_INFERENCE_CONTEXT_H
#define RSTD_CANN_GRAPH_INFERENCE_CONTEXT_H

#include <memory>
#include <vector>

#include "./ascend_string.h"

namespace ge
{

class InferenceContext;
using InferenceContextPtr = std::shared_ptr<InferenceContext>;

/* Marks that operators leave for others. The engine keeps it with an operator and reads nothing of it. */
class InferenceContext
{
      public:
	static std::unique_ptr<InferenceContext> Create()
	{
		return std::unique_ptr<InferenceContext>(new InferenceContext());
	}

	void SetMarks(const std::vector<AscendString> &marks)
	{
		marks_ = marks;
	}
	void GetMarks(std::vector<AscendString> &marks) const
	{
		marks = marks_;
	}

      private:
	InferenceContext() = default;

	std::vector<AscendString> marks_;
};

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_INFERENCE_CONTEXT_H */
