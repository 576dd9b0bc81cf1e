/*
 * gnode.h - GNode: a node as the graph has it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_GNODE_H
#define RSTD_CANN_GRAPH_GNODE_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "./ascend_string.h"
#include "./error_codes.h"
#include "./operator.h"
#include "./rstd_engine.h"
#include "./tensor.h"
#include "rstd/graph.h"

namespace ge
{

class GNode;
using GNodePtr = std::shared_ptr<GNode>;

/*
 * Copies are the same node. An empty one, and an index or a name that the node has not, give GRAPH_FAILED or another
 * status of the engine, or what is empty. Descriptors and attributes are those of the operator that the node is.
 */
class GNode
{
      public:
	GNode() = default;

	graphStatus GetType(AscendString &type) const
	{
		return AsOperator().GetOpType(type);
	}
	graphStatus GetName(AscendString &name) const
	{
		return AsOperator().GetName(name);
	}
	size_t GetInputsSize() const
	{
		return rstd_op_input_count(Op());
	}
	size_t GetOutputsSize() const
	{
		return rstd_op_output_count(Op());
	}

	graphStatus GetInputDesc(const int32_t index, TensorDesc &tensor_desc) const
	{
		rstd_desc desc = RSTD_DESC_DEFAULT;
		const graphStatus status = rstd_op_get_input_desc(Op(), Index(index), &desc);
		if (status == GRAPH_SUCCESS)
			tensor_desc = detail::ToTensorDesc(desc);
		return status;
	}
	graphStatus UpdateInputDesc(const int32_t index, const TensorDesc &tensor_desc)
	{
		return rstd_op_set_input_desc(Op(), Index(index), detail::DescView(tensor_desc).Get());
	}
	graphStatus GetOutputDesc(const int32_t index, TensorDesc &tensor_desc) const
	{
		rstd_desc desc = RSTD_DESC_DEFAULT;
		const graphStatus status = rstd_op_get_output_desc(Op(), Index(index), &desc);
		if (status == GRAPH_SUCCESS)
			tensor_desc = detail::ToTensorDesc(desc);
		return status;
	}
	graphStatus UpdateOutputDesc(const int32_t index, const TensorDesc &tensor_desc)
	{
		return rstd_op_set_output_desc(Op(), Index(index), detail::DescView(tensor_desc).Get());
	}
	graphStatus GetInputIndexByName(const AscendString &name, int32_t &index)
	{
		index = rstd_op_find_input(Op(), name.GetString());
		return index < 0 ? GRAPH_FAILED : GRAPH_SUCCESS;
	}
	graphStatus GetOutputIndexByName(const AscendString &name, int32_t &index)
	{
		index = rstd_op_find_output(Op(), name.GetString());
		return index < 0 ? GRAPH_FAILED : GRAPH_SUCCESS;
	}

	/* The node that an input comes from, and which of its outputs; a null pointer and -1 where there is none. */
	std::pair<GNodePtr, int32_t> GetInDataNodesAndPortIndexs(const int32_t index) const
	{
		size_t src_index = 0;
		rstd_node *const src = rstd_node_input(node_.Get(), Index(index), &src_index);
		return Port(src, src_index);
	}
	/* The nodes that take an output, and as which of their inputs. */
	std::vector<std::pair<GNodePtr, int32_t>> GetOutDataNodesAndPortIndexs(const int32_t index) const
	{
		std::vector<std::pair<GNodePtr, int32_t>> ports;
		const size_t count = rstd_node_consumer_count(node_.Get(), Index(index));
		for (size_t i = 0; i < count; i++) {
			size_t dst_index = 0;
			rstd_node *const dst = rstd_node_consumer(node_.Get(), Index(index), i, &dst_index);
			ports.push_back(Port(dst, dst_index));
		}
		return ports;
	}
	std::vector<GNodePtr> GetInControlNodes() const
	{
		std::vector<GNodePtr> nodes;
		for (size_t i = 0; i < rstd_node_control_input_count(node_.Get()); i++)
			nodes.push_back(Port(rstd_node_control_input(node_.Get(), i), 0).first);
		return nodes;
	}
	std::vector<GNodePtr> GetOutControlNodes() const
	{
		std::vector<GNodePtr> nodes;
		for (size_t i = 0; i < rstd_node_control_output_count(node_.Get()); i++)
			nodes.push_back(Port(rstd_node_control_output(node_.Get(), i), 0).first);
		return nodes;
	}
	graphStatus GetInputConstData(const int32_t index, Tensor &data) const
	{
		rstd_ge_tensor value;
		const graphStatus status = rstd_op_input_const(Op(), Index(index), &value);
		if (status == GRAPH_SUCCESS)
			data = detail::ToTensor(value);
		return status;
	}

	/* As those of Operator: T is any type that Operator::GetAttr() takes. */
	template <typename T> graphStatus GetAttr(const AscendString &name, T &attr_value) const
	{
		return detail::GetAttr(rstd_op_attrs(Op()), name.GetString(), attr_value);
	}
	template <typename T> graphStatus SetAttr(const AscendString &name, T &attr_value) const
	{
		return detail::SetAttr(rstd_op_attrs(Op()), name.GetString(), attr_value);
	}
	bool HasAttr(const AscendString &name) const
	{
		return rstd_attrs_get(rstd_op_attrs(Op()), name.GetString()) != nullptr;
	}

	/* For the headers beside this one. */
	rstd_node *RstdNode() const
	{
		return node_.Get();
	}
	static GNode RstdFrom(rstd_node *borrowed)
	{
		GNode made;
		made.node_ = detail::NodeHandle(rstd_node_ref(borrowed));
		return made;
	}

      private:
	static size_t Index(int32_t index)
	{
		return static_cast<size_t>(static_cast<int64_t>(index));
	}
	static std::pair<GNodePtr, int32_t> Port(rstd_node *node, size_t index)
	{
		if (node == nullptr)
			return std::make_pair(GNodePtr(), -1);
		return std::make_pair(std::make_shared<GNode>(RstdFrom(node)), static_cast<int32_t>(index));
	}
	rstd_op *Op() const
	{
		return rstd_node_op(node_.Get());
	}
	Operator AsOperator() const
	{
		return Operator::RstdFrom(rstd_op_ref(Op()));
	}

	detail::NodeHandle node_;
};

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_GNODE_H */
