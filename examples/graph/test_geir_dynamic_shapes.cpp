/*
 * test_geir_dynamic_shapes.cpp - graphs whose shapes, or even ranks, are known only when they run
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cmath>
#include <map>

#include "array_ops.h"
#include "check.h"
#include "reduce_std_with_mean_proto.h"

using namespace ge;

/* The graph of dims: lengths of -1 are unknown, {-2} is a shape of unknown rank. */
static Graph build(const char *name, const std::vector<int64_t> &dims, const std::vector<int64_t> &axes)
{
	const TensorDesc desc = float_desc(dims);
	op::Data x("x"), mean("mean");
	op::ReduceStdWithMean reduce("reduce");

	x.set_attr_index(0);
	x.update_input_desc_x(desc);
	x.update_output_desc_y(desc);
	mean.set_attr_index(1);
	mean.update_input_desc_x(desc);
	mean.update_output_desc_y(desc);
	reduce.set_input_x(x).set_input_mean(mean).set_attr_dim(axes).set_attr_correction(0);

	Graph graph(name);
	graph.SetInputs({ x, mean }).SetOutputs({ reduce });
	return graph;
}

/*
 * Runs a graph on rows of 1, 2, ..., n about 0, so that each result is sqrt((n + 1) (2 n + 1) / 6). The square root of
 * an exact binary64 number, rounded again to float, is right here: no result lies that near to the middle of two floats.
 */
static int run(Session &session, uint32_t id, const std::vector<int64_t> &dims, const std::vector<int64_t> &result_dims,
               int64_t n)
{
	int64_t count = 1;
	for (const int64_t dim : dims)
		count *= dim;
	std::vector<float> values, zeros(static_cast<size_t>(count), 0.0F);
	for (int64_t i = 0; i < count; i++)
		values.push_back(static_cast<float>(i % n + 1));

	std::vector<Tensor> outputs;
	CHECK(session.RunGraph(id, { float_feed(dims, values), float_feed(dims, zeros) }, outputs));
	const double square = static_cast<double>((n + 1) * (2 * n + 1)) / 6.0;
	const std::vector<float> expected(static_cast<size_t>(count / n), static_cast<float>(std::sqrt(square)));
	return outputs.size() == 1 && same("std", outputs[0], result_dims, expected) ? 0 : 1;
}

static int run_all(Session &session)
{
	CHECK(session.AddGraph(10, build("lengths", { -1, -1 }, { 1 })));
	CHECK(session.AddGraph(20, build("rank", { -2 }, {})));

	int failed = 0;
	failed |= run(session, 10, { 2, 4 }, { 2 }, 4);
	failed |= run(session, 10, { 4, 8 }, { 4 }, 8);
	failed |= run(session, 10, { 8, 16 }, { 8 }, 16);
	failed |= run(session, 20, { 8 }, {}, 8);
	failed |= run(session, 20, { 2, 4 }, {}, 8);
	failed |= run(session, 20, { 2, 3, 4 }, {}, 24);
	return failed;
}

int main()
{
	const std::map<AscendString, AscendString> options = { { "ge.exec.deviceId", "0" },
		                                               { "ge.graphRunMode", "1" },
		                                               { "ge.jit_compile", "0" } };

	CHECK(GEInitialize(options));
	int failed;
	{
		Session session(options);
		failed = run_all(session);
	}
	CHECK(GEFinalize());
	std::printf(failed ? "FAILED\n" : "PASSED\n");
	return failed;
}
