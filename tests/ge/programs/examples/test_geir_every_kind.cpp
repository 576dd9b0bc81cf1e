/*
 * test_geir_every_kind.cpp - attributes of every kind that prototypes have
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#include <iostream>
#include <fstream>
#include <string.h>
#include <stdint.h>
#include <vector>
#include <string>
#include <map>
#include "assert.h"

#include "graph.h"
#include "types.h"
#include "tensor.h"
#include "ge_error_codes.h"
#include "ge_api_types.h"
#include "ge_api.h"
#include "array_ops.h"
#include "ge_ir_build.h"

#include "experiment_ops.h"
#include "nn_other.h"
#include "../op_graph/macro_types_proto.h"

#define FAILED -1
#define SUCCESS 0
/* clang-format on */

/* rstd does not have the operator. */
#define MUST_RUN false

using namespace ge;
#include "tools.h"

static int CreateOppInGraph(std::vector<Operator> &inputs, std::vector<Operator> &outputs,
                            std::vector<ge::Tensor> &input, Graph &graph)
{
	ADD_INPUT(1, x, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	auto op1 = op::MacroTypes("kinds");
	op1.set_input_base(x);
	op1.set_attr_dst_type(DT_FLOAT16).set_attr_mode("sum").set_attr_empty(std::string("text"));
	op1.set_attr_scales({ 1.0f, 2.5f }).set_attr_flags({ true }).set_attr_axes({ 0, 1 }).set_attr_eps(1e-6);
	op1.set_attr_type(DT_FLOAT)
		.set_attr_groups({ { 1, 2 }, { 3 } })
		.set_attr_flag(true)
		.set_attr_types({ DT_FLOAT, DT_BF16 });
	op1.SetAttr("extra", static_cast<int64_t>(3));
	outputs.push_back(op1);
	return SUCCESS;
}

#include "main.h"
