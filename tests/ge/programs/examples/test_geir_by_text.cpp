/*
 * test_geir_by_text.cpp - Operator by type and names, SetInput, SetAttr, UpdateInputDesc of text
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
	Operator op1 = OperatorFactory::CreateOperator("reduce", "ReduceStdWithMean");
	op1.SetInput("x", x)
		.SetInput("mean", mean, "y")
		.SetAttr("dim", std::vector<int64_t>{ 0 })
		.SetAttr("epsilon", 0.5f);
	op1.UpdateInputDesc("x", x_desc);
	std::cout << op1.GetOutputDescByName("y").GetDataType() << op1.GetName() << std::endl;
	outputs.push_back(op1);
	return SUCCESS;
}

#include "main.h"
