/*
 * graph.h - Graph: operators that are linked, with inputs and outputs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_GRAPH_H
#define RSTD_CANN_GRAPH_GRAPH_H

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "./ascend_string.h"
#include "./error_codes.h"
#include "./gnode.h"
#include "./graph_buffer.h"
#include "./operator.h"
#include "./tensor.h"
#include "./types.h"
#include "rstd/graph.h"

namespace ge
{

using GraphPtr = std::shared_ptr<Graph>;
using ConstGraphPtr = std::shared_ptr<const Graph>;

/*
 * Copies share one graph. Functions that return a graphStatus give GRAPH_SUCCESS or what the engine says; those that
 * return *this leave the graph as it was when they fail. The reason is in GEGetErrorMsgV2(). A graph must not be used
 * by two threads at once; running it in a Session is using it.
 */
class Graph
{
      public:
	enum class DumpFormat : uint32_t { kOnnx, kTxt, kReadable };

	Graph() : graph_(rstd_graph_new(""))
	{
	}
	explicit Graph(const std::string &name) : graph_(rstd_graph_new(name.c_str()))
	{
	}
	explicit Graph(const char_t *name) : graph_(rstd_graph_new(name))
	{
	}
	~Graph() = default;
	Graph(const Graph &) = default;
	Graph(Graph &&) = default;
	Graph &operator=(const Graph &) = default;
	Graph &operator=(Graph &&) = default;

	/* A graph built from these inputs; null where that fails. */
	static GraphPtr ConstructFromInputs(const std::vector<Operator> &inputs, const AscendString &name)
	{
		const GraphPtr graph = std::make_shared<Graph>(name.GetString());
		(void)graph->SetInputs(inputs);
		return graph->IsValid() ? graph : nullptr;
	}

	/*
	 * SetInputs() builds the graph: all that is linked to the inputs, in breadth-first order. Once a graph only. Then
	 * say which outputs of which operators it returns (all of an operator's, chosen indexes, or one name), and which
	 * operators must run although they return nothing.
	 */
	Graph &SetInputs(const std::vector<Operator> &inputs)
	{
		(void)rstd_graph_set_inputs(graph_.Get(), Ops(inputs).data(), inputs.size());
		return *this;
	}
	Graph &SetOutputs(const std::vector<Operator> &outputs)
	{
		std::vector<rstd_graph_output> row;
		for (const Operator &op : outputs)
			row.push_back(rstd_graph_output{ op.RstdOp(), nullptr, nullptr, 0 });
		(void)rstd_graph_set_outputs(graph_.Get(), row.data(), row.size());
		return *this;
	}
	Graph &SetOutputs(const std::vector<std::pair<Operator, std::vector<size_t>>> &output_indexs)
	{
		std::vector<rstd_graph_output> row;
		for (const auto &output : output_indexs)
			row.push_back(rstd_graph_output{ output.first.RstdOp(), nullptr, output.second.data(),
			                                 output.second.size() });
		(void)rstd_graph_set_outputs(graph_.Get(), row.data(), row.size());
		return *this;
	}
	Graph &SetOutputs(const std::vector<std::pair<Operator, std::string>> &outputs)
	{
		std::vector<rstd_graph_output> row;
		for (const auto &output : outputs)
			row.push_back(rstd_graph_output{ output.first.RstdOp(), output.second.c_str(), nullptr, 0 });
		(void)rstd_graph_set_outputs(graph_.Get(), row.data(), row.size());
		return *this;
	}
	Graph &SetOutputs(const std::vector<std::pair<Operator, AscendString>> &outputs)
	{
		std::vector<rstd_graph_output> row;
		for (const auto &output : outputs)
			row.push_back(
				rstd_graph_output{ output.first.RstdOp(), output.second.GetString(), nullptr, 0 });
		(void)rstd_graph_set_outputs(graph_.Get(), row.data(), row.size());
		return *this;
	}
	graphStatus SetOutputs(const std::vector<std::pair<GNode, int32_t>> &output_nodes)
	{
		std::vector<rstd_node *> nodes;
		std::vector<int32_t> indexes;
		for (const auto &output : output_nodes) {
			nodes.push_back(output.first.RstdNode());
			indexes.push_back(output.second);
		}
		return rstd_graph_set_output_nodes(graph_.Get(), nodes.data(), indexes.data(), nodes.size());
	}
	Graph &SetTargets(const std::vector<Operator> &targets)
	{
		(void)rstd_graph_set_targets(graph_.Get(), Ops(targets).data(), targets.size());
		return *this;
	}

	bool IsValid() const
	{
		return rstd_graph_is_valid(graph_.Get());
	}
	graphStatus SetValid()
	{
		return rstd_graph_set_valid(graph_.Get());
	}
	void SetNeedIteration(bool need_iteration)
	{
		(void)SetAttr(AscendString("_need_iteration"), need_iteration);
	}

	/* The reference is valid until the next call on the same object. */
	const std::string &GetName() const
	{
		const char *const name = rstd_graph_name(graph_.Get());
		name_ = name == nullptr ? "" : name;
		return name_;
	}
	graphStatus GetName(AscendString &name) const
	{
		name = AscendString(GetName().c_str());
		return GRAPH_SUCCESS;
	}

	/* A list of operators to find again by name or type. It has no part in the graph. */
	graphStatus AddOp(const Operator &op)
	{
		return rstd_graph_add_op(graph_.Get(), op.RstdOp());
	}
	graphStatus FindOpByName(const char_t *name, Operator &op) const
	{
		rstd_op *const found = rstd_graph_find_op(graph_.Get(), name);
		if (found == nullptr)
			return GRAPH_FAILED;
		op = Operator::RstdFrom(rstd_op_ref(found));
		return GRAPH_SUCCESS;
	}
	graphStatus FindOpByName(const std::string &name, Operator &op) const
	{
		return FindOpByName(name.c_str(), op);
	}
	graphStatus FindOpByType(const char_t *type, std::vector<Operator> &ops) const
	{
		for (const Operator &op : Added()) {
			if (op.GetOpType() == (type == nullptr ? "" : type))
				ops.push_back(op);
		}
		return GRAPH_SUCCESS;
	}
	graphStatus FindOpByType(const std::string &type, std::vector<Operator> &ops) const
	{
		return FindOpByType(type.c_str(), ops);
	}
	graphStatus GetAllOpName(std::vector<std::string> &op_name) const
	{
		for (const Operator &op : Added())
			op_name.push_back(op.GetName());
		return GRAPH_SUCCESS;
	}
	graphStatus GetAllOpName(std::vector<AscendString> &names) const
	{
		for (const Operator &op : Added())
			names.emplace_back(op.GetName().c_str());
		return GRAPH_SUCCESS;
	}

	/* Nodes, with those of subgraphs or without. */
	std::vector<GNode> GetAllNodes() const
	{
		std::vector<GNode> nodes = GetDirectNode();
		for (const GraphPtr &subgraph : GetAllSubgraphs()) {
			for (const GNode &node : subgraph->GetAllNodes())
				nodes.push_back(node);
		}
		return nodes;
	}
	std::vector<GNode> GetDirectNode() const
	{
		std::vector<GNode> nodes;
		for (size_t i = 0; i < rstd_graph_node_count(graph_.Get()); i++)
			nodes.push_back(GNode::RstdFrom(rstd_graph_node_at(graph_.Get(), i)));
		return nodes;
	}
	GNodePtr FindNodeByName(const AscendString &name) const
	{
		rstd_node *const node = rstd_graph_find_node(graph_.Get(), name.GetString());
		return node == nullptr ? nullptr : std::make_shared<GNode>(GNode::RstdFrom(node));
	}

	/* Editing. A node that is added comes without edges; an empty one where that fails. */
	GNode AddNodeByOp(const Operator &op)
	{
		rstd_node *const node = rstd_graph_add_node(graph_.Get(), op.RstdOp());
		return node == nullptr ? GNode() : GNode::RstdFrom(node);
	}
	graphStatus RemoveNode(GNode &node)
	{
		return rstd_graph_remove_node(graph_.Get(), node.RstdNode());
	}
	graphStatus RemoveNode(GNode &node, bool contain_subgraph)
	{
		(void)contain_subgraph;
		return RemoveNode(node);
	}
	graphStatus AddDataEdge(GNode &src_node, const int32_t src_port_index, GNode &dst_node,
	                        const int32_t dst_port_index)
	{
		return rstd_graph_add_data_edge(graph_.Get(), src_node.RstdNode(), src_port_index, dst_node.RstdNode(),
		                                dst_port_index);
	}
	graphStatus AddControlEdge(GNode &src_node, GNode &dst_node)
	{
		return rstd_graph_add_control_edge(graph_.Get(), src_node.RstdNode(), dst_node.RstdNode());
	}
	graphStatus RemoveEdge(GNode &src_node, const int32_t src_port_index, GNode &dst_node,
	                       const int32_t dst_port_index)
	{
		return rstd_graph_remove_edge(graph_.Get(), src_node.RstdNode(), src_port_index, dst_node.RstdNode(),
		                              dst_port_index);
	}
	graphStatus CopyFrom(const Graph &src_graph)
	{
		return rstd_graph_copy_from(graph_.Get(), src_graph.graph_.Get());
	}

	std::vector<GraphPtr> GetAllSubgraphs() const
	{
		std::vector<GraphPtr> subgraphs;
		for (size_t i = 0; i < rstd_graph_subgraph_count(graph_.Get()); i++)
			subgraphs.push_back(std::make_shared<Graph>(
				RstdFrom(rstd_graph_ref(rstd_graph_subgraph_at(graph_.Get(), i)))));
		return subgraphs;
	}
	GraphPtr GetSubGraph(const char_t *name) const
	{
		for (const GraphPtr &subgraph : GetAllSubgraphs()) {
			if (name != nullptr && subgraph->GetName() == name)
				return subgraph;
		}
		return nullptr;
	}
	graphStatus AddSubGraph(const Graph &subgraph)
	{
		return rstd_graph_add_subgraph(graph_.Get(), subgraph.graph_.Get());
	}
	graphStatus RemoveSubgraph(const char_t *name)
	{
		return rstd_graph_remove_subgraph(graph_.Get(), name);
	}

	template <typename T> graphStatus SetAttr(const AscendString &name, const T &attr_value)
	{
		return detail::SetAttr(rstd_graph_attrs(graph_.Get()), name.GetString(), attr_value);
	}
	template <typename T> graphStatus GetAttr(const AscendString &name, T &attr_value) const
	{
		return detail::GetAttr(rstd_graph_attrs(graph_.Get()), name.GetString(), attr_value);
	}

	/* The graph as an .air model. Loading replaces it; malformed bytes leave it as it was. */
	graphStatus SaveToFile(const char_t *file_name) const
	{
		return rstd_graph_save_file(graph_.Get(), file_name);
	}
	graphStatus SaveToFile(const std::string &file_name) const
	{
		return SaveToFile(file_name.c_str());
	}
	graphStatus LoadFromFile(const char_t *file_name)
	{
		return rstd_graph_load_file(graph_.Get(), file_name);
	}
	graphStatus LoadFromFile(const std::string &file_name)
	{
		return LoadFromFile(file_name.c_str());
	}
	graphStatus SaveToMem(GraphBuffer &graph_buffer) const
	{
		void *bytes = nullptr;
		size_t size = 0;
		const graphStatus status = rstd_graph_save_memory(graph_.Get(), &bytes, &size);
		if (status == GRAPH_SUCCESS) {
			graph_buffer.data_.reset(static_cast<uint8_t *>(bytes));
			graph_buffer.size_ = size;
		}
		return status;
	}
	graphStatus LoadFromMem(const GraphBuffer &graph_buffer)
	{
		return LoadFromMem(graph_buffer.GetData(), graph_buffer.GetSize());
	}
	graphStatus LoadFromMem(const uint8_t *data, const size_t size)
	{
		return rstd_graph_load_memory(graph_.Get(), data, size);
	}
	graphStatus LoadFromSerializedModelArray(const void *serialized_model, size_t size)
	{
		return rstd_graph_load_memory(graph_.Get(), serialized_model, size);
	}

	/* The graph as text, into a stream, or a file in $NPU_COLLECT_PATH or else the working directory. */
	graphStatus Dump(DumpFormat format, std::ostream &o_stream) const
	{
		char *text = nullptr;
		size_t size = 0;
		const graphStatus status =
			rstd_graph_dump_memory(graph_.Get(), static_cast<rstd_dump_format>(format), &text, &size);
		if (status != GRAPH_SUCCESS)
			return status;
		const std::unique_ptr<char, void (*)(char *)> owner(text, [](char *bytes) { rstd_graph_free(bytes); });
		o_stream.write(text, static_cast<std::streamsize>(size));
		return o_stream.good() ? GRAPH_SUCCESS : GRAPH_FAILED;
	}
	graphStatus DumpToFile(DumpFormat format, const AscendString &suffix) const
	{
		return rstd_graph_dump_file(graph_.Get(), static_cast<rstd_dump_format>(format), suffix.GetString());
	}

	/* For the headers beside this one: the object of the engine, and a Graph for one (takes over a reference). */
	rstd_graph *RstdGraph() const
	{
		return graph_.Get();
	}
	static Graph RstdFrom(rstd_graph *reference)
	{
		Graph made((detail::GraphHandle(reference)));
		return made;
	}

      private:
	explicit Graph(const detail::GraphHandle &graph) : graph_(graph)
	{
	}

	static std::vector<rstd_op *> Ops(const std::vector<Operator> &operators)
	{
		std::vector<rstd_op *> ops;
		for (const Operator &op : operators)
			ops.push_back(op.RstdOp());
		return ops;
	}
	std::vector<Operator> Added() const
	{
		std::vector<Operator> ops;
		for (size_t i = 0; i < rstd_graph_op_count(graph_.Get()); i++)
			ops.push_back(Operator::RstdFrom(rstd_op_ref(rstd_graph_op_at(graph_.Get(), i))));
		return ops;
	}

	detail::GraphHandle graph_;
	mutable std::string name_;
};

inline Graph Operator::GetDynamicSubgraph(const char_t *name, uint32_t index) const
{
	rstd_graph *const graph = rstd_op_subgraph(op_.Get(), name, index);
	return graph == nullptr ? Graph() : Graph::RstdFrom(rstd_graph_ref(graph));
}
inline Graph Operator::GetDynamicSubgraph(const std::string &name, uint32_t index) const
{
	return GetDynamicSubgraph(name.c_str(), index);
}
inline Graph Operator::GetSubgraph(const char_t *name) const
{
	return GetDynamicSubgraph(name, 0);
}
inline Graph Operator::GetSubgraph(const std::string &name) const
{
	return GetDynamicSubgraph(name.c_str(), 0);
}

/* The builder is kept, and called at once to have the graph. */
inline void Operator::SetSubgraphBuilder(const char_t *ir_name, uint32_t index, const SubgraphBuilder &builder)
{
	std::unique_ptr<SubgraphBuilder> kept(new SubgraphBuilder(builder));
	if (rstd_op_attach(op_.Get(), BuilderKey(ir_name, index).c_str(), kept.get(), Delete<SubgraphBuilder>) !=
	    GRAPH_SUCCESS)
		return;
	kept.release();
	if (builder)
		(void)rstd_op_set_subgraph(op_.Get(), ir_name, index, builder().RstdGraph());
}

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_GRAPH_H */
