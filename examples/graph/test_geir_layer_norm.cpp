/*
 * test_geir_layer_norm.cpp - layer normalisation written as a graph around ReduceStdWithMean
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * y = (x - mean(x)) * invstd(x) * gamma + beta over the last axis. Each operator rounds its result once to float; the
 * check does the same arithmetic, so that every bit must be equal.
 */
#include <cmath>
#include <map>

#include "add_proto.h"
#include "array_ops.h"
#include "broadcast_to_proto.h"
#include "check.h"
#include "mul_proto.h"
#include "reduce_mean_proto.h"
#include "reduce_std_with_mean_proto.h"
#include "sub_proto.h"

using namespace ge;

static const int64_t rows = 3, columns = 8;
static const float epsilon = 1e-5F;

static op::Data feed(const char *name, int64_t index, const std::vector<int64_t> &dims)
{
	op::Data data(name);
	data.set_attr_index(index);
	data.update_input_desc_x(float_desc(dims));
	data.update_output_desc_y(float_desc(dims));
	return data;
}

static op::Const constant(const char *name, const std::vector<int64_t> &values)
{
	const TensorDesc desc(Shape({ static_cast<int64_t>(values.size()) }), FORMAT_ND, DT_INT64);
	op::Const constant(name);
	constant.set_attr_value(
		Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(int64_t)));
	constant.update_output_desc_y(desc);
	return constant;
}

static Graph build()
{
	op::Data x = feed("x", 0, { rows, columns }), gamma = feed("gamma", 1, { columns });
	op::Data beta = feed("beta", 2, { columns });
	op::Const axes = constant("axes", { -1 }), shape = constant("shape", { rows, columns });

	op::ReduceMean mean("mean");
	mean.set_input_x(x).set_input_axes(axes).set_attr_keep_dims(true);
	op::BroadcastTo mean_of_all("mean_of_all");
	mean_of_all.set_input_x(mean).set_input_shape(shape);
	op::ReduceStdWithMean invstd("invstd");
	invstd.set_input_x(x).set_input_mean(mean_of_all).set_attr_dim({ -1 }).set_attr_keepdim(true);
	invstd.set_attr_invert(true).set_attr_epsilon(epsilon);
	op::Sub centred("centred");
	centred.set_input_x1(x).set_input_x2(mean);
	op::Mul scaled("scaled");
	scaled.set_input_x1(centred).set_input_x2(invstd);
	op::Mul weighted("weighted");
	weighted.set_input_x1(scaled).set_input_x2(gamma);
	op::Add y("y");
	y.set_input_x1(weighted).set_input_x2(beta);

	Graph graph("layer_norm");
	graph.SetInputs({ x, gamma, beta, axes, shape }).SetOutputs({ y, mean, invstd });
	return graph;
}

/* Small numbers: their sums are exact in double, and a result rounded to double and then to float is the right float. */
static std::vector<float> input()
{
	std::vector<float> x;
	for (int64_t i = 0; i < rows * columns; i++)
		x.push_back(static_cast<float>((i * 37) % 29 - 11) / 4.0F);
	return x;
}

static int run(Session &session)
{
	const std::vector<float> x = input();
	std::vector<float> gamma, beta, y, means, invstds;
	for (int64_t i = 0; i < columns; i++) {
		gamma.push_back(1.0F + static_cast<float>(i) / 8.0F);
		beta.push_back(static_cast<float>(i) / 16.0F);
	}
	for (int64_t row = 0; row < rows; row++) {
		const float *const first = &x[static_cast<size_t>(row * columns)];
		double sum = 0.0, squares = 0.0;
		for (int64_t i = 0; i < columns; i++)
			sum += static_cast<double>(first[i]);
		const float mean = static_cast<float>(sum / static_cast<double>(columns));
		for (int64_t i = 0; i < columns; i++)
			squares += (static_cast<double>(first[i]) - static_cast<double>(mean)) *
			           (static_cast<double>(first[i]) - static_cast<double>(mean));
		const double variance = squares / static_cast<double>(columns);
		const float invstd = static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(epsilon)));
		means.push_back(mean);
		invstds.push_back(invstd);
		for (int64_t i = 0; i < columns; i++) {
			/* volatile: one rounding an operator, never a fused multiply-add */
			const volatile float centred = first[i] - mean;
			const volatile float scaled = centred * invstd;
			const volatile float weighted = scaled * gamma[static_cast<size_t>(i)];
			y.push_back(weighted + beta[static_cast<size_t>(i)]);
		}
	}

	std::vector<Tensor> outputs;
	CHECK(session.AddGraph(0, build()));
	CHECK(session.RunGraph(
		0, { float_feed({ rows, columns }, x), float_feed({ columns }, gamma), float_feed({ columns }, beta) },
		outputs));
	if (outputs.size() != 3)
		return 1;
	bool ok = same("y", outputs[0], { rows, columns }, y);
	ok = same("mean", outputs[1], { rows, 1 }, means) && ok;
	ok = same("invstd", outputs[2], { rows, 1 }, invstds) && ok;
	return ok ? 0 : 1;
}

int main()
{
	const std::map<AscendString, AscendString> options;

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
