/*
 * ge_ir_build.h - graphs to files: dumps for the eye, and models
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model is CANN's compiled form of a graph for one chip. There is none for a CPU: what rstd keeps in its place is the
 * graph itself, checked and inferred, as an .air model.
 */
#ifndef RSTD_CANN_GE_GE_IR_BUILD_H
#define RSTD_CANN_GE_GE_IR_BUILD_H

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/graph.h"
#include "graph/operator_factory.h"
#include "graph/rstd_engine.h"
#include "graph/tensor.h"
#include "rstd/graph.h"

namespace ge
{

const int32_t IR_MAJOR_VERSION = 1;
const int32_t IR_MINOR_VERSION = 0;
const int32_t IR_PATCH_VERSION = 0;

struct ModelBufferData {
	std::shared_ptr<uint8_t> data = nullptr;
	uint64_t length = 0;
};

struct GraphWithOptions {
	ge::Graph graph;
	std::map<AscendString, AscendString> build_options;
};

struct WeightRefreshableGraphs {
	ge::Graph infer_graph;
	ge::Graph var_init_graph;
	ge::Graph var_update_graph;
};

typedef void *aclmdlModel;

enum aclgrphAttrType {
	ATTR_TYPE_KEEP_DTYPE = 0,
	ATTR_TYPE_WEIGHT_COMPRESS,
};

/* Once a process, before models are built. */
inline graphStatus aclgrphBuildInitialize(std::map<AscendString, AscendString> &global_options)
{
	const detail::OptionsView view(global_options);
	return rstd_ge_initialize(view.Get(), view.Count());
}
inline graphStatus aclgrphBuildInitialize(std::map<std::string, std::string> global_options)
{
	const detail::OptionsView view(global_options);
	return rstd_ge_initialize(view.Get(), view.Count());
}
inline void aclgrphBuildFinalize()
{
	(void)rstd_ge_finalize();
}

/* The graph, checked and inferred, as bytes that the model owns. */
inline graphStatus aclgrphBuildModel(const ge::Graph &graph, const std::map<AscendString, AscendString> &build_options,
                                     ModelBufferData &model)
{
	(void)build_options;
	graphStatus status = rstd_graph_infer(graph.RstdGraph());
	if (status != GRAPH_SUCCESS)
		return status;
	void *bytes = nullptr;
	size_t size = 0;
	status = rstd_graph_save_memory(graph.RstdGraph(), &bytes, &size);
	if (status != GRAPH_SUCCESS)
		return status;
	model.data =
		std::shared_ptr<uint8_t>(static_cast<uint8_t *>(bytes), [](uint8_t *data) { rstd_graph_free(data); });
	model.length = size;
	return GRAPH_SUCCESS;
}
inline graphStatus aclgrphBuildModel(const ge::Graph &graph, const std::map<std::string, std::string> &build_options,
                                     ModelBufferData &model)
{
	(void)build_options;
	return aclgrphBuildModel(graph, std::map<AscendString, AscendString>(), model);
}

/* Writes <output_file>.om. GRAPH_PARAM_INVALID for a null name or an empty model. */
inline graphStatus aclgrphSaveModel(const char_t *output_file, const ModelBufferData &model)
{
	if (output_file == nullptr || *output_file == '\0' || model.data == nullptr || model.length == 0) {
		detail::AddError("aclgrphSaveModel: the name of the file or the model is empty");
		return GRAPH_PARAM_INVALID;
	}
	std::ofstream file(std::string(output_file) + ".om", std::ios::binary | std::ios::trunc);
	file.write(reinterpret_cast<const char *>(model.data.get()), static_cast<std::streamsize>(model.length));
	file.close();
	if (file.good())
		return GRAPH_SUCCESS;
	detail::AddError("aclgrphSaveModel: '" + std::string(output_file) + ".om' cannot be written");
	return GRAPH_FAILED;
}
inline graphStatus aclgrphSaveModel(const std::string &output_file, const ModelBufferData &model)
{
	return aclgrphSaveModel(output_file.c_str(), model);
}

/* 1, 0, 0. GRAPH_FAILED for a null pointer. */
inline graphStatus aclgrphGetIRVersion(int32_t *major_version, int32_t *minor_version, int32_t *patch_version)
{
	if (major_version == nullptr || minor_version == nullptr || patch_version == nullptr)
		return GRAPH_FAILED;
	*major_version = IR_MAJOR_VERSION;
	*minor_version = IR_MINOR_VERSION;
	*patch_version = IR_PATCH_VERSION;
	return GRAPH_SUCCESS;
}

/* The graph as two texts, ge_proto_*.txt and ge_onnx_*.pbtxt, in the directory and with the suffix that file names. */
inline graphStatus aclgrphDumpGraph(const ge::Graph &graph, const char_t *file, const size_t len)
{
	return rstd_graph_dump(graph.RstdGraph(), file, len);
}

/* A graph of one operator of a registered type: a Data for each input, all outputs returned. */
inline graphStatus aclgrphGenerateForOp(const AscendString &op_type, const std::vector<TensorDesc> &inputs,
                                        const std::vector<TensorDesc> &outputs, Graph &graph)
{
	Operator op = OperatorFactory::CreateOperator(op_type.GetString(), op_type.GetString());
	if (op.IsEmpty())
		op = Operator::RstdFrom(rstd_op_create(op_type.GetString(), op_type.GetString()));
	if (op.IsEmpty())
		return GRAPH_FAILED;
	if (inputs.size() > op.GetInputsSize() || outputs.size() > op.GetOutputsSize()) {
		detail::AddError("aclgrphGenerateForOp: " + op.GetOpType() + " has " +
		                 std::to_string(op.GetInputsSize()) + " inputs and " +
		                 std::to_string(op.GetOutputsSize()) + " outputs; " + std::to_string(inputs.size()) +
		                 " and " + std::to_string(outputs.size()) + " were given");
		return GRAPH_PARAM_INVALID;
	}
	std::vector<Operator> feeds;
	for (size_t i = 0; i < inputs.size(); i++) {
		Operator data = Operator::RstdFrom(rstd_op_create(("data_" + std::to_string(i)).c_str(), "Data"));
		data.SetAttr("index", static_cast<int64_t>(i));
		(void)data.UpdateInputDesc(0U, inputs[i]);
		(void)data.UpdateOutputDesc(0U, inputs[i]);
		op.SetInput(static_cast<uint32_t>(i), data, 0U);
		feeds.push_back(data);
	}
	for (size_t i = 0; i < outputs.size(); i++)
		(void)op.UpdateOutputDesc(static_cast<uint32_t>(i), outputs[i]);
	Graph built(op_type.GetString());
	built.SetInputs(feeds.empty() ? std::vector<Operator>(1, op) : feeds).SetOutputs({ op });
	if (!built.IsValid())
		return GRAPH_FAILED;
	graph = built;
	return GRAPH_SUCCESS;
}

namespace detail
{

inline graphStatus NotSupported(const char *function)
{
	AddError(std::string(function) + " is not supported: it needs CANN's compiler, which rstd does not have");
	return GRAPH_FAILED;
}

} /* namespace detail */

/* Need CANN's compiler: GRAPH_FAILED, with a message that says so; nothing is written. */
inline graphStatus aclgrphBundleBuildModel(const std::vector<ge::GraphWithOptions> &, ModelBufferData &)
{
	return detail::NotSupported("aclgrphBundleBuildModel");
}
inline graphStatus aclgrphBundleSaveModel(const char_t *, const ModelBufferData &)
{
	return detail::NotSupported("aclgrphBundleSaveModel");
}
inline graphStatus aclgrphConvertToWeightRefreshableGraphs(const ge::Graph &, const std::vector<AscendString> &,
                                                           WeightRefreshableGraphs &)
{
	return detail::NotSupported("aclgrphConvertToWeightRefreshableGraphs");
}
inline graphStatus aclgrphGenerateForOp(const AscendString &, std::vector<Graph> &)
{
	return detail::NotSupported("aclgrphGenerateForOp from JSON");
}
inline graphStatus aclgrphSetOpAttr(Graph &, aclgrphAttrType, const char_t *)
{
	return detail::NotSupported("aclgrphSetOpAttr");
}
inline graphStatus aclgrphBuildModelFromFile(const char_t *, const std::map<AscendString, AscendString> &,
                                             aclmdlModel **)
{
	return detail::NotSupported("aclgrphBuildModelFromFile");
}
inline graphStatus aclgrphBuildModelFromData(const void *, size_t, const std::map<AscendString, AscendString> &,
                                             aclmdlModel **)
{
	return detail::NotSupported("aclgrphBuildModelFromData");
}
inline graphStatus aclgrphSaveModel(const char_t *, const aclmdlModel *)
{
	return detail::NotSupported("aclgrphSaveModel of an aclmdlModel");
}
inline graphStatus aclgrphSaveModelToBuffer(ModelBufferData &, const aclmdlModel *)
{
	return detail::NotSupported("aclgrphSaveModelToBuffer");
}
inline graphStatus aclgrphDestroyModel(const aclmdlModel *)
{
	return detail::NotSupported("aclgrphDestroyModel");
}

} /* namespace ge */

#endif /* RSTD_CANN_GE_GE_IR_BUILD_H */
