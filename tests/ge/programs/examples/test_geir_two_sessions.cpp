/*
 * test_geir_two_sessions.cpp - several graphs, options, RemoveGraph, SetTargets
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

int main()
{
	std::map<AscendString, AscendString> options = { { "ge.exec.deviceId", "0" },
		                                         { "ge.exec.precision_mode", "must_keep_origin_dtype" },
		                                         { ge::OPTION_GRAPH_RUN_MODE, "0" },
		                                         { ge::OO_CONSTANT_FOLDING, "false" },
		                                         { "ge.exec.exclude_engines", "AiCore" },
		                                         { "ge.jit_compile", "0" } };
	if (ge::GEInitialize(options) != SUCCESS)
		return FAILED;
	std::unique_ptr<ge::Session> sessions[2];
	for (uint32_t i = 0; i < 2; i++) {
		std::vector<Operator> inputs, outputs;
		std::vector<ge::Tensor> input, output;
		Graph graph(("graph" + std::to_string(i)).c_str());
		if (CreateOppInGraph(inputs, outputs, input, graph) != SUCCESS)
			return FAILED;
		graph.SetInputs(inputs).SetOutputs(outputs).SetTargets(outputs);
		sessions[i].reset(new ge::Session(options));
		if (sessions[i]->AddGraph(i, graph) != SUCCESS || sessions[i]->RunGraph(i, input, output) != SUCCESS ||
		    output.size() != 1)
			return FAILED;
		if (sessions[i]->RemoveGraph(i) != SUCCESS)
			return FAILED;
	}
	ge::GEFinalize();
	return SUCCESS;
}
