/*
 * test_geir_subgraph.cpp - a prototype with subgraphs
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
#include "../op_graph/branch_proto.h"

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
	op::BranchLike op1("branch");
	op1.set_input_cond(x).create_dynamic_input_input(1).set_dynamic_input_input(0, x).create_dynamic_output_output(
		1);
	op1.set_subgraph_builder_then_branch([]() { return Graph("then"); });
	outputs.push_back(op1);
	return SUCCESS;
}

#include "main.h"
