/*
 * test_geir_smallest.cpp - the least that a graph program needs: one operator, one run
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array_ops.h"
#include "ge_api.h"
#include "graph.h"
#include "reduce_std_with_mean_proto.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

using namespace ge;

static Tensor tensor(const std::vector<float> &values)
{
	const TensorDesc desc(Shape({ static_cast<int64_t>(values.size()) }), FORMAT_ND, DT_FLOAT);
	return Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
}

/* The standard deviation of x about mean, over all axes. */
static Graph build()
{
	op::Data x("x"), mean("mean");
	mean.set_attr_index(1);
	op::ReduceStdWithMean reduce("reduce");
	reduce.set_input_x(x).set_input_mean(mean).set_attr_correction(0);

	Graph graph("smallest");
	graph.SetInputs({ x, mean }).SetOutputs({ reduce });
	return graph;
}

int main()
{
	const std::map<AscendString, AscendString> options;
	std::vector<Tensor> outputs;

	Status status = GEInitialize(options);
	Session session(options);
	if (status == SUCCESS)
		status = session.AddGraph(0, build());
	if (status == SUCCESS)
		status = session.RunGraph(0, { tensor({ 1, 2, 3, 4 }), tensor({ 3, 3, 3, 3 }) }, outputs);
	if (status == SUCCESS)
		std::printf("%.9g\n", static_cast<double>(*reinterpret_cast<const float *>(outputs[0].GetData())));
	else
		std::printf("%u: %s\n", status, GEGetErrorMsgV2().GetString());
	GEFinalize();
	return status == SUCCESS ? 0 : 1;
}
