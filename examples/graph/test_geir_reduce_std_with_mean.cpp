/*
 * test_geir_reduce_std_with_mean.cpp - ReduceStdWithMean as a graph: two rows of four about given means
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <map>

#include "array_ops.h"
#include "check.h"
#include "ge_ir_build.h"
#include "reduce_std_with_mean_proto.h"

using namespace ge;

/* x, mean -> ReduceStdWithMean over axis 1 -> y */
static Graph build()
{
	const TensorDesc desc = float_desc({ 2, 4 });
	op::Data x("x"), mean("mean");
	op::ReduceStdWithMean reduce("reduce");

	x.set_attr_index(0);
	x.update_input_desc_x(desc);
	x.update_output_desc_y(desc);
	mean.set_attr_index(1);
	mean.update_input_desc_x(desc);
	mean.update_output_desc_y(desc);
	reduce.set_input_x(x).set_input_mean(mean);
	reduce.set_attr_dim({ 1 });
	reduce.set_attr_keepdim(false);
	reduce.set_attr_correction(1);

	Graph graph("reduce_std_with_mean");
	graph.SetInputs({ x, mean }).SetOutputs({ reduce });
	return graph;
}

static int run(Session &session)
{
	const Graph graph = build();
	const std::string dump = "./reduce_std_with_mean";
	std::vector<Tensor> outputs;

	CHECK(session.AddGraph(0, graph));
	CHECK(aclgrphDumpGraph(graph, dump.c_str(), dump.size()));
	CHECK(session.RunGraph(0,
	                       { float_feed({ 2, 4 }, { 1, 2, 3, 4, 2, 4, 6, 8 }),
	                         float_feed({ 2, 4 }, { 2.5F, 2.5F, 2.5F, 2.5F, 5, 5, 5, 5 }) },
	                       outputs));
	return outputs.size() == 1 && same("std", outputs[0], { 2 }, { 1.29099445F, 2.58198890F }) ? 0 : 1;
}

int main()
{
	const std::map<AscendString, AscendString> options = { { "ge.exec.deviceId", "0" },
		                                               { "ge.graphRunMode", "1" } };

	CHECK(GEInitialize(options));
	int failed;
	{
		Session session(options);
		failed = run(session);
	}
	CHECK(GEFinalize());
	std::printf(failed ? "FAILED\n" : "PASSED\n");
	return failed;
}
