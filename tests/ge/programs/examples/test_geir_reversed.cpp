/*
 * test_geir_reversed.cpp - the headers in another order, with graph/ before some
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#include "ge_ir_build.h"
#include "array_ops.h"
#include "ge_api.h"
#include "ge_api_types.h"
#include "ge_error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"
#include "graph/graph.h"
#include "gnode.h"
#include "elewise_calculation_ops.h"
#include "all_ops.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include "../op_graph/guarded_proto.h"
#define FAILED -1
#define SUCCESS 0
/* clang-format on */

#define MUST_RUN true

using namespace ge;
#include "tools.h"

static int CreateOppInGraph(std::vector<Operator> &inputs, std::vector<Operator> &outputs,
                            std::vector<ge::Tensor> &input, Graph &graph)
{
	ADD_INPUT(1, x, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	ADD_INPUT(2, mean, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	auto op1 = op::ReduceStdWithMean("reduce");
	op1.set_input_x(x);
	op1.set_input_mean(mean);
	op1.set_attr_dim({ 1 });
	op1.set_attr_keepdim(false);
	op1.update_output_desc_y(x_desc);
	outputs.push_back(op1);
	return SUCCESS;
}

#include "main.h"
