/*
 * test_geir_legacy.cpp - collective headers alone
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
#include "ops_proto_legacy.h"
#include "ops_proto_nn.h"
#include "reduce_ops.h"
#include "nn_detect_ops.h"
#include "ge_ir_build.h"

#include "experiment_ops.h"
#include "nn_other.h"
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
