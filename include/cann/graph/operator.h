/*
 * operator.h - Operator: a node as a program describes it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_OPERATOR_H
#define RSTD_CANN_GRAPH_OPERATOR_H

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "./ascend_string.h"
#include "./attr_value.h"
#include "./error_codes.h"
#include "./inference_context.h"
#include "./rstd_engine.h"
#include "./tensor.h"
#include "./types.h"
#include "rstd/graph.h"

namespace ge
{

class Graph;
using SubgraphBuilder = std::function<Graph()>;

/*
 * A type, a name, inputs and outputs with descriptors, attributes, and links to other operators. Copies share all of
 * it. A default-constructed one is empty: what it is asked to do fails, and nothing happens.
 *
 * Functions that return a graphStatus give GRAPH_SUCCESS or what the engine says (GRAPH_FAILED, GRAPH_PARAM_INVALID,
 * GRAPH_NULL_PTR for an empty operator); the reason is in GEGetErrorMsgV2(). Those that return *this report in the same
 * way and change nothing. Operators that are linked must not be used by two threads at once.
 */
class Operator
{
      public:
	using OpInt = int64_t;
	using OpFloat = float;
	using OpString = std::string;
	using OpAscendString = AscendString;
	using OpBool = bool;
	using OpTensor = Tensor;
	using OpType = ge::DataType;
	using OpNamedAttrs = ge::NamedAttrs;
	using OpListInt = std::vector<int64_t>;
	using OpListFloat = std::vector<float>;
	using OpListString = std::vector<std::string>;
	using OpListAscendString = std::vector<AscendString>;
	using OpListAcendString = OpListAscendString;
	using OpListBool = std::vector<bool>;
	using OpListTensor = std::vector<Tensor>;
	using OpBytes = std::vector<uint8_t>;
	using OpListNamedAttrs = std::vector<ge::NamedAttrs>;
	using OpListListInt = std::vector<std::vector<int64_t>>;
	using OpListType = std::vector<ge::DataType>;

	Operator() = default;
	explicit Operator(const std::string &type) : op_(rstd_op_new(nullptr, type.c_str()))
	{
	}
	explicit Operator(const char_t *type) : op_(rstd_op_new(nullptr, type))
	{
	}
	explicit Operator(const AscendString &type) : op_(rstd_op_new(nullptr, type.GetString()))
	{
	}
	Operator(const std::string &name, const std::string &type) : op_(rstd_op_new(name.c_str(), type.c_str()))
	{
	}
	Operator(const AscendString &name, const AscendString &type)
	    : op_(rstd_op_new(name.GetString(), type.GetString()))
	{
	}
	Operator(const char_t *name, const char_t *type)
	    : op_(rstd_op_new(name == nullptr ? "" : name, type == nullptr ? "" : type))
	{
	}
	Operator(const Operator &) = default;
	Operator(Operator &&) = default;
	Operator &operator=(const Operator &) = default;
	Operator &operator=(Operator &&) = default;
	virtual ~Operator() = default;

	bool IsEmpty() const
	{
		return op_.Get() == nullptr;
	}
	std::string GetName() const
	{
		return Text(rstd_op_name(op_.Get()));
	}
	std::string GetOpType() const
	{
		return Text(rstd_op_type(op_.Get()));
	}
	graphStatus GetName(AscendString &name) const
	{
		name = AscendString(Text(rstd_op_name(op_.Get())));
		return IsEmpty() ? GRAPH_FAILED : GRAPH_SUCCESS;
	}
	graphStatus GetOpType(AscendString &type) const
	{
		type = AscendString(Text(rstd_op_type(op_.Get())));
		return IsEmpty() ? GRAPH_FAILED : GRAPH_SUCCESS;
	}

	/*
	 * Links: an input of this operator, by name or index, takes an output of src: the named one, the one of an index,
	 * or the only one that src has. The input's descriptor becomes that of the output, but for its format.
	 */
	Operator &SetInput(const char_t *dst_name, const Operator &src_oprt)
	{
		return Link(dst_name, src_oprt, nullptr);
	}
	Operator &SetInput(const char_t *dst_name, const Operator &src_oprt, const char_t *name)
	{
		return Link(dst_name, src_oprt, name);
	}
	Operator &SetInput(const char_t *dst_name, const Operator &src_oprt, uint32_t index)
	{
		const int32_t dst_index = rstd_op_find_input(op_.Get(), dst_name);
		if (dst_index >= 0)
			return SetInput(static_cast<uint32_t>(dst_index), src_oprt, index);
		return Link(dst_name, src_oprt, nullptr); /* says that there is no such input */
	}
	Operator &SetInput(uint32_t dst_index, const Operator &src_oprt, uint32_t src_index)
	{
		(void)rstd_op_set_input_at(op_.Get(), dst_index, src_oprt.op_.Get(), src_index);
		return *this;
	}
	Operator &SetInput(const std::string &dst_name, const Operator &src_oprt)
	{
		return SetInput(dst_name.c_str(), src_oprt);
	}
	Operator &SetInput(const std::string &dst_name, const Operator &src_oprt, const std::string &name)
	{
		return SetInput(dst_name.c_str(), src_oprt, name.c_str());
	}
	Operator &SetInput(const std::string &dst_name, const Operator &src_oprt, uint32_t index)
	{
		return SetInput(dst_name.c_str(), src_oprt, index);
	}

	/* The dst_index-th of the inputs of a dynamic name. */
	Operator &SetInput(const char_t *dst_name, uint32_t dst_index, const Operator &src_oprt)
	{
		return Link(Element(dst_name, dst_index).c_str(), src_oprt, nullptr);
	}
	Operator &SetInput(const char_t *dst_name, uint32_t dst_index, const Operator &src_oprt, const char_t *name)
	{
		return Link(Element(dst_name, dst_index).c_str(), src_oprt, name);
	}
	Operator &SetInput(const std::string &dst_name, uint32_t dst_index, const Operator &src_oprt)
	{
		return SetInput(dst_name.c_str(), dst_index, src_oprt);
	}
	Operator &SetInput(const std::string &dst_name, uint32_t dst_index, const Operator &src_oprt,
	                   const std::string &name)
	{
		return SetInput(dst_name.c_str(), dst_index, src_oprt, name.c_str());
	}

	/* This operator runs after src_oprt. */
	Operator &AddControlInput(const Operator &src_oprt)
	{
		(void)rstd_op_add_control_input(op_.Get(), src_oprt.op_.Get());
		return *this;
	}

	/* Cuts all links, to and from this operator. */
	void BreakConnect() const
	{
		rstd_op_break_connect(op_.Get());
	}

	/* GRAPH_SUCCESS when the input is linked to a Const or Constant, whose value data becomes. */
	graphStatus GetInputConstData(const char_t *dst_name, Tensor &data) const
	{
		const int32_t index = rstd_op_find_input(op_.Get(), dst_name);
		rstd_ge_tensor value;
		if (index < 0)
			return GRAPH_FAILED;
		const graphStatus status = rstd_op_input_const(op_.Get(), static_cast<size_t>(index), &value);
		if (status == GRAPH_SUCCESS)
			data = detail::ToTensor(value);
		return status;
	}
	graphStatus GetInputConstData(const std::string &dst_name, Tensor &data) const
	{
		return GetInputConstData(dst_name.c_str(), data);
	}

	/* Descriptors. What there is not reads as a default one, and is not written: GRAPH_FAILED. */
	TensorDesc GetInputDesc(const std::string &name) const
	{
		return GetInputDescByName(name.c_str());
	}
	TensorDesc GetInputDescByName(const char_t *name) const
	{
		return InputDesc(FindInput(name));
	}
	TensorDesc GetInputDesc(uint32_t index) const
	{
		return InputDesc(index);
	}
	TensorDesc GetOutputDesc(const std::string &name) const
	{
		return GetOutputDescByName(name.c_str());
	}
	TensorDesc GetOutputDescByName(const char_t *name) const
	{
		return OutputDesc(FindOutput(name));
	}
	TensorDesc GetOutputDesc(uint32_t index) const
	{
		return OutputDesc(index);
	}
	graphStatus TryGetInputDesc(const char_t *name, TensorDesc &tensor_desc) const
	{
		const size_t index = FindInput(name);
		if (index >= rstd_op_input_count(op_.Get()))
			return GRAPH_FAILED;
		tensor_desc = InputDesc(index);
		return GRAPH_SUCCESS;
	}
	graphStatus TryGetInputDesc(const std::string &name, TensorDesc &tensor_desc) const
	{
		return TryGetInputDesc(name.c_str(), tensor_desc);
	}
	graphStatus UpdateInputDesc(const char_t *name, const TensorDesc &tensor_desc)
	{
		return SetInputDesc(FindInput(name), name, tensor_desc);
	}
	graphStatus UpdateInputDesc(const std::string &name, const TensorDesc &tensor_desc)
	{
		return UpdateInputDesc(name.c_str(), tensor_desc);
	}
	graphStatus UpdateInputDesc(uint32_t index, const TensorDesc &tensor_desc)
	{
		return rstd_op_set_input_desc(op_.Get(), index, detail::DescView(tensor_desc).Get());
	}
	graphStatus UpdateOutputDesc(const char_t *name, const TensorDesc &tensor_desc)
	{
		return SetOutputDesc(FindOutput(name), name, tensor_desc);
	}
	graphStatus UpdateOutputDesc(const std::string &name, const TensorDesc &tensor_desc)
	{
		return UpdateOutputDesc(name.c_str(), tensor_desc);
	}
	graphStatus UpdateOutputDesc(uint32_t index, const TensorDesc &tensor_desc)
	{
		return rstd_op_set_output_desc(op_.Get(), index, detail::DescView(tensor_desc).Get());
	}

	TensorDesc GetDynamicInputDesc(const char_t *name, uint32_t index) const
	{
		return GetInputDescByName(Element(name, index).c_str());
	}
	TensorDesc GetDynamicInputDesc(const std::string &name, uint32_t index) const
	{
		return GetDynamicInputDesc(name.c_str(), index);
	}
	graphStatus UpdateDynamicInputDesc(const char_t *name, uint32_t index, const TensorDesc &tensor_desc)
	{
		return UpdateInputDesc(Element(name, index).c_str(), tensor_desc);
	}
	graphStatus UpdateDynamicInputDesc(const std::string &name, uint32_t index, const TensorDesc &tensor_desc)
	{
		return UpdateDynamicInputDesc(name.c_str(), index, tensor_desc);
	}
	TensorDesc GetDynamicOutputDesc(const char_t *name, uint32_t index) const
	{
		return GetOutputDescByName(Element(name, index).c_str());
	}
	TensorDesc GetDynamicOutputDesc(const std::string &name, uint32_t index) const
	{
		return GetDynamicOutputDesc(name.c_str(), index);
	}
	graphStatus UpdateDynamicOutputDesc(const char_t *name, uint32_t index, const TensorDesc &tensor_desc)
	{
		return UpdateOutputDesc(Element(name, index).c_str(), tensor_desc);
	}
	graphStatus UpdateDynamicOutputDesc(const std::string &name, uint32_t index, const TensorDesc &tensor_desc)
	{
		return UpdateDynamicOutputDesc(name.c_str(), index, tensor_desc);
	}
	int32_t GetDynamicInputNum(const char_t *name) const
	{
		return rstd_op_dynamic_input_count(op_.Get(), name);
	}
	int32_t GetDynamicInputNum(const std::string &name) const
	{
		return GetDynamicInputNum(name.c_str());
	}
	int32_t GetDynamicOutputNum(const char_t *name) const
	{
		return rstd_op_dynamic_output_count(op_.Get(), name);
	}
	int32_t GetDynamicOutputNum(const std::string &name) const
	{
		return GetDynamicOutputNum(name.c_str());
	}
	size_t GetInputsSize() const
	{
		return rstd_op_input_count(op_.Get());
	}
	size_t GetOutputsSize() const
	{
		return rstd_op_output_count(op_.Get());
	}

	/* Inference on this operator alone, from its input descriptors and attributes. */
	graphStatus InferShapeAndType()
	{
		return rstd_op_infer(op_.Get());
	}
	graphStatus VerifyAllAttr(bool disable_common_verifier = false)
	{
		(void)disable_common_verifier;
		return rstd_op_verify(op_.Get());
	}
	void SetInferenceContext(const InferenceContextPtr &inference_context)
	{
		std::unique_ptr<InferenceContextPtr> kept(new InferenceContextPtr(inference_context));
		if (rstd_op_attach(op_.Get(), "InferenceContext", kept.get(), Delete<InferenceContextPtr>) ==
		    GRAPH_SUCCESS)
			kept.release();
	}
	InferenceContextPtr GetInferenceContext() const
	{
		const auto *const kept =
			static_cast<const InferenceContextPtr *>(rstd_op_attached(op_.Get(), "InferenceContext"));
		return kept == nullptr ? nullptr : *kept;
	}

	/*
	 * Attributes. Setting one replaces what was there, of whatever kind. Getting one gives GRAPH_FAILED, and leaves the
	 * variable as it was, where there is none or it is of another kind; integers of all widths are one kind.
	 */
#define RSTD_OPERATOR_SET(type)                                                                                        \
	Operator &SetAttr(const char_t *name, type attr_value)                                                         \
	{                                                                                                              \
		return Set(name, attr_value);                                                                          \
	}                                                                                                              \
	Operator &SetAttr(const std::string &name, type attr_value)                                                    \
	{                                                                                                              \
		return Set(name.c_str(), attr_value);                                                                  \
	}
#define RSTD_OPERATOR_GET(type)                                                                                        \
	graphStatus GetAttr(const char_t *name, type &attr_value) const                                                \
	{                                                                                                              \
		return Get(name, attr_value);                                                                          \
	}                                                                                                              \
	graphStatus GetAttr(const std::string &name, type &attr_value) const                                           \
	{                                                                                                              \
		return Get(name.c_str(), attr_value);                                                                  \
	}
#define RSTD_OPERATOR_SET_GET(type)                                                                                    \
	RSTD_OPERATOR_SET(const type &)                                                                                \
	RSTD_OPERATOR_GET(type)
	RSTD_OPERATOR_SET(int64_t)
	RSTD_OPERATOR_GET(int64_t)
	RSTD_OPERATOR_SET(int32_t)
	RSTD_OPERATOR_GET(int32_t)
	RSTD_OPERATOR_SET(uint32_t)
	RSTD_OPERATOR_GET(uint32_t)
	RSTD_OPERATOR_SET(float)
	RSTD_OPERATOR_GET(float)
	RSTD_OPERATOR_SET(bool)
	RSTD_OPERATOR_GET(bool)
	RSTD_OPERATOR_SET(const char_t *)
	RSTD_OPERATOR_SET_GET(std::string)
	RSTD_OPERATOR_SET_GET(AscendString)
	RSTD_OPERATOR_SET_GET(Tensor)
	RSTD_OPERATOR_SET_GET(ge::DataType)
	RSTD_OPERATOR_SET_GET(ge::NamedAttrs)
	RSTD_OPERATOR_SET(AttrValue &&)
	RSTD_OPERATOR_SET_GET(AttrValue)
	RSTD_OPERATOR_SET(std::initializer_list<int64_t> &&)
	RSTD_OPERATOR_SET_GET(std::vector<int64_t>)
	RSTD_OPERATOR_SET_GET(std::vector<int32_t>)
	RSTD_OPERATOR_SET_GET(std::vector<uint32_t>)
	RSTD_OPERATOR_SET_GET(std::vector<float>)
	RSTD_OPERATOR_SET_GET(std::vector<bool>)
	RSTD_OPERATOR_SET_GET(std::vector<std::string>)
	RSTD_OPERATOR_SET_GET(std::vector<AscendString>)
	RSTD_OPERATOR_SET_GET(std::vector<Tensor>)
	RSTD_OPERATOR_SET_GET(std::vector<uint8_t>)
	RSTD_OPERATOR_SET_GET(std::vector<ge::DataType>)
	RSTD_OPERATOR_SET_GET(std::vector<ge::NamedAttrs>)
	RSTD_OPERATOR_SET_GET(std::vector<std::vector<int64_t>>)
#undef RSTD_OPERATOR_SET_GET
#undef RSTD_OPERATOR_GET
#undef RSTD_OPERATOR_SET

	/* Names of all attributes with their kinds ("VT_INT"); of those of the prototype with what it calls these ("Int"). */
	graphStatus GetAllAttrNamesAndTypes(std::map<AscendString, AscendString> &attr_name_types) const
	{
		const rstd_attrs *const attrs = rstd_op_attrs(op_.Get());
		for (size_t i = 0; i < rstd_attrs_count(attrs); i++) {
			const rstd_attr *const attr = rstd_attrs_at(attrs, i);
			attr_name_types[AscendString(attr->name)] =
				AscendString(rstd_value_kind_name(attr->value.kind));
		}
		return IsEmpty() ? GRAPH_FAILED : GRAPH_SUCCESS;
	}
	graphStatus GetAllIrAttrNamesAndTypes(std::map<AscendString, AscendString> &attr_name_types) const
	{
		rstd_ir_attr attr;
		for (size_t i = 0; rstd_op_ir_attr(op_.Get(), i, &attr); i++)
			attr_name_types[AscendString(attr.name)] = AscendString(attr.type);
		return IsEmpty() ? GRAPH_FAILED : GRAPH_SUCCESS;
	}

	/* Attributes of a descriptor: of the input or output with a name, or an index. */
#define RSTD_OPERATOR_DESC_ATTR(which)                                                                                 \
	template <typename T>                                                                                          \
	Operator &Set##which##Attr(const char_t *dst_name, const char_t *name, const T &attr_value)                    \
	{                                                                                                              \
		return SetDescAttr(which##Attrs(Find##which(dst_name)), name, attr_value);                             \
	}                                                                                                              \
	template <typename T> Operator &Set##which##Attr(const int32_t index, const char_t *name, const T &attr_value) \
	{                                                                                                              \
		return SetDescAttr(which##Attrs(static_cast<size_t>(index)), name, attr_value);                        \
	}                                                                                                              \
	template <typename T>                                                                                          \
	graphStatus Get##which##Attr(const char_t *dst_name, const char_t *name, T &attr_value) const                  \
	{                                                                                                              \
		return detail::GetAttr(which##Attrs(Find##which(dst_name)), name, attr_value);                         \
	}                                                                                                              \
	template <typename T>                                                                                          \
	graphStatus Get##which##Attr(const int32_t index, const char_t *name, T &attr_value) const                     \
	{                                                                                                              \
		return detail::GetAttr(which##Attrs(static_cast<size_t>(index)), name, attr_value);                    \
	}
	RSTD_OPERATOR_DESC_ATTR(Input)
	RSTD_OPERATOR_DESC_ATTR(Output)
#undef RSTD_OPERATOR_DESC_ATTR

	/* Subgraphs are stored, saved and shown; no operator that rstd knows runs one. */
	size_t GetSubgraphNamesCount() const
	{
		return rstd_op_subgraph_name_count(op_.Get());
	}
	std::vector<std::string> GetSubgraphNames() const
	{
		std::vector<std::string> names;
		for (size_t i = 0; i < GetSubgraphNamesCount(); i++)
			names.emplace_back(rstd_op_subgraph_name(op_.Get(), i, nullptr, nullptr));
		return names;
	}
	graphStatus GetSubgraphNames(std::vector<AscendString> &names) const
	{
		names.clear();
		for (const std::string &name : GetSubgraphNames())
			names.emplace_back(name.c_str());
		return GRAPH_SUCCESS;
	}
	SubgraphBuilder GetSubgraphBuilder(const char_t *name) const
	{
		return GetDynamicSubgraphBuilder(name, 0);
	}
	SubgraphBuilder GetSubgraphBuilder(const std::string &name) const
	{
		return GetSubgraphBuilder(name.c_str());
	}
	SubgraphBuilder GetDynamicSubgraphBuilder(const char_t *name, uint32_t index) const
	{
		const auto *const kept = static_cast<const SubgraphBuilder *>(
			rstd_op_attached(op_.Get(), BuilderKey(name, index).c_str()));
		return kept == nullptr ? SubgraphBuilder() : *kept;
	}
	SubgraphBuilder GetDynamicSubgraphBuilder(const std::string &name, uint32_t index) const
	{
		return GetDynamicSubgraphBuilder(name.c_str(), index);
	}

	/* Without nodes where no graph was set. Declared in full by graph.h. */
	inline Graph GetSubgraph(const char_t *name) const;
	inline Graph GetSubgraph(const std::string &name) const;
	inline Graph GetDynamicSubgraph(const char_t *name, uint32_t index) const;
	inline Graph GetDynamicSubgraph(const std::string &name, uint32_t index) const;

	/* What the clauses of REG_OP call, and what gives a dynamic input or output its elements. */
	void DynamicInputRegister(const char_t *name, const uint32_t num, bool is_push_back = true)
	{
		DynamicInputRegister(name, num, "", is_push_back);
	}
	void DynamicInputRegister(const char_t *name, const uint32_t num, const char_t *datatype_symbol,
	                          bool is_push_back = true)
	{
		(void)rstd_op_register_input(op_.Get(), name, RSTD_IR_DYNAMIC, datatype_symbol);
		(void)rstd_op_add_dynamic_inputs(op_.Get(), name, num, is_push_back ? RSTD_AT_END : 0);
	}
	void DynamicInputRegisterByIndex(const char_t *name, const uint32_t num, size_t index)
	{
		(void)rstd_op_register_input(op_.Get(), name, RSTD_IR_DYNAMIC, "");
		(void)rstd_op_add_dynamic_inputs(op_.Get(), name, num, index);
	}
	void DynamicOutputRegister(const char_t *name, const uint32_t num, bool is_push_back = true)
	{
		DynamicOutputRegister(name, num, "", is_push_back);
	}
	void DynamicOutputRegister(const char_t *name, const uint32_t num, const char_t *datatype_symbol,
	                           bool is_push_back = true)
	{
		(void)rstd_op_register_output(op_.Get(), name, RSTD_IR_DYNAMIC, datatype_symbol);
		(void)rstd_op_add_dynamic_outputs(op_.Get(), name, num, is_push_back ? RSTD_AT_END : 0);
	}
	void SubgraphCountRegister(const char_t *ir_name, uint32_t count)
	{
		(void)rstd_op_set_subgraph_count(op_.Get(), ir_name, count);
	}
	inline void SetSubgraphBuilder(const char_t *ir_name, uint32_t index, const SubgraphBuilder &builder);
	graphStatus SetSubgraphInstanceName(const uint32_t index, const char_t *name)
	{
		return detail::SetAttr(rstd_op_attrs(op_.Get()),
		                       ("_subgraph_instance_" + std::to_string(index)).c_str(), name);
	}

	/* For the headers beside this one: the object of the engine, and an Operator for one (takes over a reference). */
	rstd_op *RstdOp() const
	{
		return op_.Get();
	}
	static Operator RstdFrom(rstd_op *reference)
	{
		Operator made;
		made.op_ = detail::OpHandle(reference);
		return made;
	}

      protected:
	void InputRegister(const char_t *name)
	{
		InputRegister(name, "");
	}
	void InputRegister(const char_t *name, const char_t *datatype_symbol)
	{
		(void)rstd_op_register_input(op_.Get(), name, RSTD_IR_REQUIRED, datatype_symbol);
	}
	void OptionalInputRegister(const char_t *name)
	{
		OptionalInputRegister(name, "");
	}
	void OptionalInputRegister(const char_t *name, const char_t *datatype_symbol)
	{
		(void)rstd_op_register_input(op_.Get(), name, RSTD_IR_OPTIONAL, datatype_symbol);
	}
	void OutputRegister(const char_t *name)
	{
		OutputRegister(name, "");
	}
	void OutputRegister(const char_t *name, const char_t *datatype_symbol)
	{
		(void)rstd_op_register_output(op_.Get(), name, RSTD_IR_REQUIRED, datatype_symbol);
	}
	template <typename T> void AttrRegister(const char_t *name, const T &attr_value)
	{
		AttrWithTypeRegister(name, "", attr_value);
	}
	template <typename T> void AttrWithTypeRegister(const char_t *name, const char_t *type, const T &attr_value)
	{
		detail::Value value;
		detail::Put(value, attr_value);
		(void)rstd_op_register_attr(op_.Get(), name, type, false, detail::ValueView(value).Get());
	}
	void RequiredAttrRegister(const char_t *name)
	{
		RequiredAttrWithTypeRegister(name, "");
	}
	void RequiredAttrWithTypeRegister(const char_t *name, const char_t *type)
	{
		(void)rstd_op_register_attr(op_.Get(), name, type, true, nullptr);
	}
	/* What a symbol stands for is nothing that the engine asks for: it knows the dtypes of the operators that it runs. */
	void DataTypeRegister(const char_t *, const TensorType &)
	{
	}
	void DataTypeRegister(const char_t *, const ListTensorType &)
	{
	}
	void DataTypeRegister(const char_t *, const Promote &)
	{
	}
	void SubgraphRegister(const char_t *ir_name, bool dynamic)
	{
		(void)rstd_op_register_subgraph(op_.Get(), ir_name, dynamic);
	}

      private:
	static const char_t *Text(const char_t *text)
	{
		return text == nullptr ? "" : text;
	}
	static std::string Element(const char_t *name, uint32_t index)
	{
		return Text(name) + std::to_string(index);
	}
	static std::string BuilderKey(const char_t *name, uint32_t index)
	{
		return "SubgraphBuilder " + Element(name, index);
	}
	template <typename T> static void Delete(void *object)
	{
		delete static_cast<T *>(object);
	}

	Operator &Link(const char_t *dst_name, const Operator &src, const char_t *src_name)
	{
		(void)rstd_op_set_input(op_.Get(), dst_name, src.op_.Get(), src_name);
		return *this;
	}

	/* An index that no input has, where there is none of the name. */
	size_t FindInput(const char_t *name) const
	{
		return static_cast<size_t>(static_cast<int64_t>(rstd_op_find_input(op_.Get(), name)));
	}
	size_t FindOutput(const char_t *name) const
	{
		return static_cast<size_t>(static_cast<int64_t>(rstd_op_find_output(op_.Get(), name)));
	}
	TensorDesc InputDesc(size_t index) const
	{
		rstd_desc desc = RSTD_DESC_DEFAULT;
		if (index >= rstd_op_input_count(op_.Get()) ||
		    rstd_op_get_input_desc(op_.Get(), index, &desc) != GRAPH_SUCCESS)
			return TensorDesc();
		return detail::ToTensorDesc(desc);
	}
	TensorDesc OutputDesc(size_t index) const
	{
		rstd_desc desc = RSTD_DESC_DEFAULT;
		if (index >= rstd_op_output_count(op_.Get()) ||
		    rstd_op_get_output_desc(op_.Get(), index, &desc) != GRAPH_SUCCESS)
			return TensorDesc();
		return detail::ToTensorDesc(desc);
	}
	graphStatus SetInputDesc(size_t index, const char_t *name, const TensorDesc &tensor_desc)
	{
		if (index < rstd_op_input_count(op_.Get()))
			return rstd_op_set_input_desc(op_.Get(), index, detail::DescView(tensor_desc).Get());
		return Missing("input", name);
	}
	graphStatus SetOutputDesc(size_t index, const char_t *name, const TensorDesc &tensor_desc)
	{
		if (index < rstd_op_output_count(op_.Get()))
			return rstd_op_set_output_desc(op_.Get(), index, detail::DescView(tensor_desc).Get());
		return Missing("output", name);
	}
	graphStatus Missing(const char *what, const char_t *name) const
	{
		detail::AddError(GetName() + "(" + GetOpType() + "): has no " + what + " named " + Text(name));
		return GRAPH_FAILED;
	}

	template <typename T> Operator &Set(const char_t *name, const T &attr_value)
	{
		(void)detail::SetAttr(rstd_op_attrs(op_.Get()), name, attr_value);
		return *this;
	}
	template <typename T> graphStatus Get(const char_t *name, T &attr_value) const
	{
		return detail::GetAttr(rstd_op_attrs(op_.Get()), name, attr_value);
	}
	rstd_attrs *InputAttrs(size_t index) const
	{
		return rstd_op_input_attrs(op_.Get(), index);
	}
	rstd_attrs *OutputAttrs(size_t index) const
	{
		return rstd_op_output_attrs(op_.Get(), index);
	}
	template <typename T> Operator &SetDescAttr(rstd_attrs *attrs, const char_t *name, const T &attr_value)
	{
		(void)detail::SetAttr(attrs, name, attr_value);
		return *this;
	}

	detail::OpHandle op_;
};

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_OPERATOR_H */
