/*
 * test_geir_dynamic.cpp - dynamic inputs and outputs
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
#include "../op_graph/concat_like_proto.h"

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
	ADD_INPUT(1, a, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	ADD_INPUT(2, b, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	auto op1 = op::ConcatLike("concat").create_dynamic_input_x(2).create_dynamic_output_parts(2);
	op1.set_dynamic_input_x(0, a).set_dynamic_input_x(1, b).set_attr_N(2);
	op1.update_dynamic_input_desc_x(0, a_desc);
	op1.update_dynamic_output_desc_parts(1, b_desc);
	op1.UpdateDynamicInputDesc("x", 1, b_desc);
	std::cout << op1.GetDynamicInputNum("x") << std::endl;
	outputs.push_back(op1);
	return SUCCESS;
}

#include "main.h"
