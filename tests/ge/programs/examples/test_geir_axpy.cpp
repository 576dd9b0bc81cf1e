/*
 * test_geir_axpy.cpp - an operator that rstd does not have, macros before its prototype
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
#define SUCCESS 0
#define FAILED -1
#include "../op_graph/axpy_proto.h"
/* clang-format on */

/* rstd does not have the operator. */
#define MUST_RUN false

using namespace ge;
#include "tools.h"

static int CreateOppInGraph(std::vector<Operator> &inputs, std::vector<Operator> &outputs,
                            std::vector<ge::Tensor> &input, Graph &graph)
{
	ADD_INPUT(1, x, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT16)
	ADD_INPUT(2, y, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT16)
	auto op1 = op::Axpy("axpy");
	op1.set_input_x1(x).set_input_x2(y).set_attr_alpha(2.0);
	op1.update_input_desc_x1(x_desc);
	op1.update_output_desc_y(x_desc);
	outputs.push_back(op1);
	return SUCCESS;
}

#include "main.h"
