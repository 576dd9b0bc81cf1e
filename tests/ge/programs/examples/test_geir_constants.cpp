/*
 * test_geir_constants.cpp - ge::SUCCESS and no macros, Const, Reshape, Cast, GNode, vectors of namespace ge
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
#include "elewise_calculation_ops.h"
#include "state_ops.h"
#include "transformation_ops.h"
/* clang-format on */

using namespace ge;
#include "tools.h"

static int CreateOppInGraph(std::vector<Operator> &inputs, std::vector<Operator> &outputs,
                            std::vector<ge::Tensor> &input, Graph &graph)
{
	ADD_INPUT(1, x, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	ge::vector<int64_t> shape_value = { 4, 2 };
	TensorDesc shape_desc(ge::Shape({ 2 }), FORMAT_ND, DT_INT64);
	Tensor shape_tensor(shape_desc, reinterpret_cast<uint8_t *>(shape_value.data()),
	                    shape_value.size() * sizeof(int64_t));
	auto shape = op::Const("shape").set_attr_value(shape_tensor);
	shape.update_output_desc_y(shape_desc);
	auto reshaped = op::Reshape("reshaped").set_input_x(x).set_input_shape(shape);
	auto cast = op::Cast("cast").set_input_x(reshaped).set_attr_dst_type(DT_BF16);
	cast.AddControlInput(shape);
	inputs.push_back(shape);
	outputs.push_back(cast);
	return ge::SUCCESS;
}

int main(int argc, char *argv[])
{
	const char *graph_name = "tc_ge_irrun_test";
	Graph graph(graph_name);
	std::vector<ge::Tensor> input;
	std::vector<Operator> inputs, outputs;
	std::map<AscendString, AscendString> global_options = { { "ge.exec.deviceId", "0" },
		                                                { "ge.graphRunMode", "1" } };
	(void)argc;
	(void)argv;

	Status ret = ge::GEInitialize(global_options);
	if (ret != ge::SUCCESS) {
		printf("%s - INFO - [XIR]: Initialize ge using ge global options failed\n", graph_name);
		return 1;
	}
	if (CreateOppInGraph(inputs, outputs, input, graph) != ge::SUCCESS)
		return 1;
	graph.SetInputs(inputs).SetOutputs(outputs);
	for (const GNode &node : graph.GetAllNodes()) {
		AscendString type, name;
		if (node.GetType(type) == GRAPH_SUCCESS && node.GetName(name) == GRAPH_SUCCESS)
			std::cout << name.GetString() << " " << type.GetString() << std::endl;
	}

	std::map<AscendString, AscendString> build_options = {};
	ge::Session *session = new Session(build_options);
	std::map<AscendString, AscendString> graph_options = {};
	ret = session->AddGraph(0, graph, graph_options);
	std::string dump = "./dump";
	if (ret == ge::SUCCESS)
		ret = aclgrphDumpGraph(graph, dump.c_str(), dump.length());
	std::vector<ge::Tensor> output;
	if (ret == ge::SUCCESS)
		ret = session->RunGraph(0, input, output);
	if (ret != ge::SUCCESS) {
		ge::AscendString error = ge::GEGetErrorMsgV2();
		std::cout << error.GetString() << ge::GEGetWarningMsgV2().GetString() << std::endl;
		ge::GEFinalize();
		delete session;
		return FAILED;
	}
	for (auto &each : output) {
		std::cout << "dtype is " << each.GetTensorDesc().GetDataType() << ", size is "
			  << each.GetTensorDesc().GetShape().GetShapeSize() << std::endl;
		std::ofstream file("./output.bin", std::ios::binary);
		file.write(reinterpret_cast<char *>(each.GetData()), static_cast<std::streamsize>(each.GetSize()));
	}
	ge::GEFinalize();
	delete session;
	return 0;
}
