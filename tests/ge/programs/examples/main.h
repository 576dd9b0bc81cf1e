/*
 * main.h - the end of the programs of this directory: part of each, behind CreateOppInGraph()
 *
 * SPDX-License-Identifier: Apache-2.0
 */
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
	if (ret != SUCCESS) {
		printf("%s - INFO - [XIR]: Initialize ge using ge global options failed\n", graph_name);
		return FAILED;
	}
	if (CreateOppInGraph(inputs, outputs, input, graph) != SUCCESS)
		return FAILED;
	graph.SetInputs(inputs).SetOutputs(outputs);

	std::map<AscendString, AscendString> build_options = {};
	ge::Session *session = new Session(build_options);
	std::map<AscendString, AscendString> graph_options = {};
	ret = session->AddGraph(0, graph, graph_options);
	std::string dump = "./dump";
	if (ret == SUCCESS)
		ret = aclgrphDumpGraph(graph, dump.c_str(), dump.length());
	std::vector<ge::Tensor> output;
	if (ret == SUCCESS)
		ret = session->RunGraph(0, input, output);
	if (ret != SUCCESS) {
		ge::AscendString error = ge::GEGetErrorMsgV2();
		std::cout << error.GetString() << ge::GEGetWarningMsgV2().GetString() << std::endl;
		ge::GEFinalize();
		delete session;
		return !MUST_RUN && strstr(error.GetString(), "is not one that runs here") != nullptr ? SUCCESS
		                                                                                      : FAILED;
	}
	for (auto &each : output) {
		std::cout << "dtype is " << each.GetTensorDesc().GetDataType() << ", size is "
			  << each.GetTensorDesc().GetShape().GetShapeSize() << std::endl;
		std::ofstream file("./output.bin", std::ios::binary);
		file.write(reinterpret_cast<char *>(each.GetData()), static_cast<std::streamsize>(each.GetSize()));
	}
	ge::GEFinalize();
	delete session;
	return MUST_RUN ? SUCCESS : FAILED;
}
