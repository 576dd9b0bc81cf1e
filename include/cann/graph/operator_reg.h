/*
 * operator_reg.h - REG_OP and its clauses: the prototype of an operator becomes a class ge::op::Type
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Used inside namespace ge:
 *
 *   REG_OP(Type)
 *       .INPUT(name, T) .OPTIONAL_INPUT(name, T) .DYNAMIC_INPUT(name, T)
 *       .OUTPUT(name, T) .DYNAMIC_OUTPUT(name, T)
 *       .ATTR(name, Kind, default...) .REQUIRED_ATTR(name, Kind)
 *       .DATATYPE(symbol, types)
 *       .GRAPH(name) .DYNAMIC_GRAPH(name)
 *       .OP_END_FACTORY_REG(Type)
 *
 * in any order and number. T is turned into text and never compiled. Each clause ends the member function that the one
 * before it began, declares its own members and begins the next function, so that the constructors, through a chain of
 * calls, register the clauses in their order. A prototype that is registered again under the same name changes nothing.
 */
#ifndef RSTD_CANN_GRAPH_OPERATOR_REG_H
#define RSTD_CANN_GRAPH_OPERATOR_REG_H

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "./graph.h"
#include "./operator.h"
#include "./operator_factory.h"
#include "./operator_functions.h"
#include "./tensor.h"
#include "./types.h"

namespace ge
{

/* What the dot before each clause is applied to. */
struct OpReg {
	const OpReg &N() const
	{
		return *this;
	}
};

} /* namespace ge */

#define REG_OP(x)                                                                                                      \
	namespace op                                                                                                   \
	{                                                                                                              \
	class x : public ::ge::Operator                                                                                \
	{                                                                                                              \
		typedef x _THIS_TYPE;                                                                                  \
                                                                                                                       \
	      public:                                                                                                  \
		explicit x(const char *name) : ::ge::Operator(name, #x)                                                \
		{                                                                                                      \
			RstdRegister();                                                                                \
		}                                                                                                      \
		explicit x(const std::string &name) : ::ge::Operator(name, std::string(#x))                            \
		{                                                                                                      \
			RstdRegister();                                                                                \
		}                                                                                                      \
		explicit x(const ::ge::AscendString &name) : ::ge::Operator(name, ::ge::AscendString(#x))              \
		{                                                                                                      \
			RstdRegister();                                                                                \
		}                                                                                                      \
		x() : ::ge::Operator(std::string(#x))                                                                  \
		{                                                                                                      \
			RstdRegister();                                                                                \
		}                                                                                                      \
                                                                                                                       \
	      private:                                                                                                 \
		void RstdRegister()                                                                                    \
		{                                                                                                      \
			::ge::OpReg()

/* Ends the function at hand with a call of the next one. */
#define RSTD_REG_NEXT(next)                                                                                            \
	N();                                                                                                           \
	next();                                                                                                        \
	}                                                                                                              \
                                                                                                                       \
      public:

/* Begins the next function, with one statement. */
#define RSTD_REG_BEGIN(next, ...)                                                                                      \
      private:                                                                                                         \
	void next()                                                                                                    \
	{                                                                                                              \
		__VA_ARGS__;                                                                                           \
		::ge::OpReg()

#define RSTD_REG_NAME(kind, x)                                                                                         \
	static const std::string name_##kind##_##x()                                                                   \
	{                                                                                                              \
		return #x;                                                                                             \
	}                                                                                                              \
	static void name_##kind##_##x(::ge::AscendString &name)                                                        \
	{                                                                                                              \
		name = ::ge::AscendString(#x);                                                                         \
	}

#define RSTD_REG_STATIC_INPUT(x)                                                                                       \
	RSTD_REG_NAME(in, x)                                                                                           \
	_THIS_TYPE &set_input_##x(::ge::Operator &v, const std::string &srcName)                                       \
	{                                                                                                              \
		::ge::Operator::SetInput(#x, v, srcName.c_str());                                                      \
		return *this;                                                                                          \
	}                                                                                                              \
	_THIS_TYPE &set_input_##x##_by_name(::ge::Operator &v, const char *srcName)                                    \
	{                                                                                                              \
		::ge::Operator::SetInput(#x, v, srcName);                                                              \
		return *this;                                                                                          \
	}                                                                                                              \
	_THIS_TYPE &set_input_##x(::ge::Operator &v, uint32_t index)                                                   \
	{                                                                                                              \
		::ge::Operator::SetInput(#x, v, index);                                                                \
		return *this;                                                                                          \
	}                                                                                                              \
	_THIS_TYPE &set_input_##x(::ge::Operator &v)                                                                   \
	{                                                                                                              \
		::ge::Operator::SetInput(#x, v);                                                                       \
		return *this;                                                                                          \
	}                                                                                                              \
	::ge::TensorDesc get_input_desc_##x() const                                                                    \
	{                                                                                                              \
		return ::ge::Operator::GetInputDescByName(#x);                                                         \
	}                                                                                                              \
	::ge::graphStatus update_input_desc_##x(const ::ge::TensorDesc &tensorDesc)                                    \
	{                                                                                                              \
		return ::ge::Operator::UpdateInputDesc(#x, tensorDesc);                                                \
	}

#define INPUT(x, t)                                                                                                    \
	RSTD_REG_NEXT(RstdInput_##x)                                                                                   \
	RSTD_REG_STATIC_INPUT(x)                                                                                       \
	RSTD_REG_BEGIN(RstdInput_##x, ::ge::Operator::InputRegister(#x, #t))

#define OPTIONAL_INPUT(x, t)                                                                                           \
	RSTD_REG_NEXT(RstdInput_##x)                                                                                   \
	RSTD_REG_STATIC_INPUT(x)                                                                                       \
	RSTD_REG_BEGIN(RstdInput_##x, ::ge::Operator::OptionalInputRegister(#x, #t))

#define OUTPUT(x, t)                                                                                                   \
	RSTD_REG_NEXT(RstdOutput_##x)                                                                                  \
	RSTD_REG_NAME(out, x)                                                                                          \
	::ge::TensorDesc get_output_desc_##x() const                                                                   \
	{                                                                                                              \
		return ::ge::Operator::GetOutputDescByName(#x);                                                        \
	}                                                                                                              \
	::ge::graphStatus update_output_desc_##x(const ::ge::TensorDesc &tensorDesc)                                   \
	{                                                                                                              \
		return ::ge::Operator::UpdateOutputDesc(#x, tensorDesc);                                               \
	}                                                                                                              \
	RSTD_REG_BEGIN(RstdOutput_##x, ::ge::Operator::OutputRegister(#x, #t))

#define DYNAMIC_INPUT(x, t)                                                                                            \
	RSTD_REG_NEXT(RstdInput_##x)                                                                                   \
	_THIS_TYPE &create_dynamic_input_##x(uint32_t num, bool isPushBack = true)                                     \
	{                                                                                                              \
		::ge::Operator::DynamicInputRegister(#x, num, #t, isPushBack);                                         \
		return *this;                                                                                          \
	}                                                                                                              \
	_THIS_TYPE &create_dynamic_input_byindex_##x(uint32_t num, size_t index)                                       \
	{                                                                                                              \
		::ge::Operator::DynamicInputRegisterByIndex(#x, num, index);                                           \
		return *this;                                                                                          \
	}                                                                                                              \
	::ge::TensorDesc get_dynamic_input_desc_##x(uint32_t index) const                                              \
	{                                                                                                              \
		return ::ge::Operator::GetDynamicInputDesc(#x, index);                                                 \
	}                                                                                                              \
	::ge::graphStatus update_dynamic_input_desc_##x(uint32_t index, const ::ge::TensorDesc &tensorDesc)            \
	{                                                                                                              \
		return ::ge::Operator::UpdateDynamicInputDesc(#x, index, tensorDesc);                                  \
	}                                                                                                              \
	_THIS_TYPE &set_dynamic_input_##x(uint32_t dstIndex, ::ge::Operator &v)                                        \
	{                                                                                                              \
		::ge::Operator::SetInput(#x, dstIndex, v);                                                             \
		return *this;                                                                                          \
	}                                                                                                              \
	_THIS_TYPE &set_dynamic_input_##x(uint32_t dstIndex, ::ge::Operator &v, const std::string &srcName)            \
	{                                                                                                              \
		::ge::Operator::SetInput(#x, dstIndex, v, srcName.c_str());                                            \
		return *this;                                                                                          \
	}                                                                                                              \
	_THIS_TYPE &set_dynamic_input_##x(uint32_t dstIndex, ::ge::Operator &v, const char *srcName)                   \
	{                                                                                                              \
		::ge::Operator::SetInput(#x, dstIndex, v, srcName);                                                    \
		return *this;                                                                                          \
	}                                                                                                              \
	RSTD_REG_BEGIN(RstdInput_##x, ::ge::Operator::DynamicInputRegister(#x, 0, #t, true))

#define DYNAMIC_OUTPUT(x, t)                                                                                           \
	RSTD_REG_NEXT(RstdOutput_##x)                                                                                  \
	_THIS_TYPE &create_dynamic_output_##x(uint32_t num, bool isPushBack = true)                                    \
	{                                                                                                              \
		::ge::Operator::DynamicOutputRegister(#x, num, #t, isPushBack);                                        \
		return *this;                                                                                          \
	}                                                                                                              \
	::ge::TensorDesc get_dynamic_output_desc_##x(uint32_t index) const                                             \
	{                                                                                                              \
		return ::ge::Operator::GetDynamicOutputDesc(#x, index);                                                \
	}                                                                                                              \
	::ge::graphStatus update_dynamic_output_desc_##x(uint32_t index, const ::ge::TensorDesc &tensorDesc)           \
	{                                                                                                              \
		return ::ge::Operator::UpdateDynamicOutputDesc(#x, index, tensorDesc);                                 \
	}                                                                                                              \
	RSTD_REG_BEGIN(RstdOutput_##x, ::ge::Operator::DynamicOutputRegister(#x, 0, #t, true))

/* Members of an attribute that depend on its kind; those that are listed and empty have none. */
#define RSTD_REG_ATTR_Int(x)
#define RSTD_REG_ATTR_Float(x)
#define RSTD_REG_ATTR_Bool(x)
#define RSTD_REG_ATTR_Type(x)
#define RSTD_REG_ATTR_Tensor(x)
#define RSTD_REG_ATTR_Bytes(x)
#define RSTD_REG_ATTR_NamedAttrs(x)
#define RSTD_REG_ATTR_ListInt(x)
#define RSTD_REG_ATTR_ListFloat(x)
#define RSTD_REG_ATTR_ListBool(x)
#define RSTD_REG_ATTR_ListType(x)
#define RSTD_REG_ATTR_ListTensor(x)
#define RSTD_REG_ATTR_ListNamedAttrs(x)
#define RSTD_REG_ATTR_ListListInt(x)
#define RSTD_REG_ATTR_AscendString(x)     RSTD_REG_ATTR_GET(x, ::ge::AscendString)
#define RSTD_REG_ATTR_ListAscendString(x) RSTD_REG_ATTR_GET(x, std::vector<::ge::AscendString>)
#define RSTD_REG_ATTR_String(x)                                                                                        \
	RSTD_REG_ATTR_GET(x, ::ge::AscendString)                                                                       \
	_THIS_TYPE &set_attr_##x(const char *v)                                                                        \
	{                                                                                                              \
		::ge::Operator::SetAttr(#x, v);                                                                        \
		return *this;                                                                                          \
	}                                                                                                              \
	RSTD_REG_ATTR_FUNCTION(x, ::ge::AscendString)
#define RSTD_REG_ATTR_ListString(x)                                                                                    \
	RSTD_REG_ATTR_GET(x, std::vector<::ge::AscendString>)                                                          \
	_THIS_TYPE &set_attr_##x(const std::vector<::ge::AscendString> &v)                                             \
	{                                                                                                              \
		::ge::Operator::SetAttr(#x, v);                                                                        \
		return *this;                                                                                          \
	}                                                                                                              \
	RSTD_REG_ATTR_FUNCTION(x, std::vector<::ge::AscendString>)

/*
 * A function in place of a value is taken and ignored. It is a template, so that a braced list cannot be meant for it:
 * set_attr_dim({0}) is then the list.
 */
#define RSTD_REG_ATTR_FUNCTION(x, result)                                                                              \
	template <typename Function>                                                                                   \
	typename std::enable_if<std::is_convertible<Function, std::function<result()>>::value, _THIS_TYPE &>::type     \
		set_attr_##x(const Function &)                                                                         \
	{                                                                                                              \
		return *this;                                                                                          \
	}

#define RSTD_REG_ATTR_GET(x, type)                                                                                     \
	::ge::graphStatus get_attr_##x(type &val) const                                                                \
	{                                                                                                              \
		return ::ge::Operator::GetAttr(#x, val);                                                               \
	}

#define RSTD_REG_ATTR(x, kind)                                                                                         \
	RSTD_REG_NAME(attr, x)                                                                                         \
	_THIS_TYPE &set_attr_##x(const Op##kind &v)                                                                    \
	{                                                                                                              \
		::ge::Operator::SetAttr(#x, v);                                                                        \
		return *this;                                                                                          \
	}                                                                                                              \
	RSTD_REG_ATTR_FUNCTION(x, Op##kind)                                                                            \
	RSTD_REG_ATTR_##kind(x)

#define ATTR(x, kind, ...)                                                                                             \
	RSTD_REG_NEXT(RstdAttr_##x)                                                                                    \
	RSTD_REG_ATTR(x, kind)                                                                                         \
	Op##kind get_attr_##x() const                                                                                  \
	{                                                                                                              \
		Op##kind val = Op##kind(__VA_ARGS__);                                                                  \
		(void)::ge::Operator::GetAttr(#x, val);                                                                \
		return val;                                                                                            \
	}                                                                                                              \
	RSTD_REG_BEGIN(RstdAttr_##x, ::ge::Operator::AttrWithTypeRegister(#x, #kind, Op##kind(__VA_ARGS__)))

#define REQUIRED_ATTR(x, kind)                                                                                         \
	RSTD_REG_NEXT(RstdAttr_##x)                                                                                    \
	RSTD_REG_ATTR(x, kind)                                                                                         \
	Op##kind get_attr_##x() const                                                                                  \
	{                                                                                                              \
		Op##kind val = Op##kind();                                                                             \
		(void)::ge::Operator::GetAttr(#x, val);                                                                \
		return val;                                                                                            \
	}                                                                                                              \
	RSTD_REG_BEGIN(RstdAttr_##x, ::ge::Operator::RequiredAttrWithTypeRegister(#x, #kind))

#define DATATYPE(symbol, ...)                                                                                          \
	RSTD_REG_NEXT(RstdDataType_##symbol)                                                                           \
	RSTD_REG_BEGIN(RstdDataType_##symbol, ::ge::Operator::DataTypeRegister(#symbol, __VA_ARGS__))

#define GRAPH(x)                                                                                                       \
	RSTD_REG_NEXT(RstdGraph_##x)                                                                                   \
	RSTD_REG_NAME(graph, x)                                                                                        \
	::ge::SubgraphBuilder get_subgraph_builder_##x() const                                                         \
	{                                                                                                              \
		return ::ge::Operator::GetSubgraphBuilder(#x);                                                         \
	}                                                                                                              \
	_THIS_TYPE &set_subgraph_builder_##x(const ::ge::SubgraphBuilder &v)                                           \
	{                                                                                                              \
		::ge::Operator::SetSubgraphBuilder(#x, 0, v);                                                          \
		return *this;                                                                                          \
	}                                                                                                              \
	::ge::Graph get_subgraph_##x() const                                                                           \
	{                                                                                                              \
		return ::ge::Operator::GetSubgraph(#x);                                                                \
	}                                                                                                              \
	RSTD_REG_BEGIN(RstdGraph_##x, ::ge::Operator::SubgraphRegister(#x, false);                                     \
	               ::ge::Operator::SubgraphCountRegister(#x, 1))

#define DYNAMIC_GRAPH(x)                                                                                               \
	RSTD_REG_NEXT(RstdGraph_##x)                                                                                   \
	RSTD_REG_NAME(graph, x)                                                                                        \
	_THIS_TYPE &create_dynamic_subgraph_##x(uint32_t num)                                                          \
	{                                                                                                              \
		::ge::Operator::SubgraphCountRegister(#x, num);                                                        \
		return *this;                                                                                          \
	}                                                                                                              \
	::ge::SubgraphBuilder get_dynamic_subgraph_builder_##x(uint32_t index) const                                   \
	{                                                                                                              \
		return ::ge::Operator::GetDynamicSubgraphBuilder(#x, index);                                           \
	}                                                                                                              \
	::ge::Graph get_dynamic_subgraph_##x(uint32_t index) const                                                     \
	{                                                                                                              \
		return ::ge::Operator::GetDynamicSubgraph(#x, index);                                                  \
	}                                                                                                              \
	_THIS_TYPE &set_dynamic_subgraph_builder_##x(uint32_t index, const ::ge::SubgraphBuilder &v)                   \
	{                                                                                                              \
		::ge::Operator::SetSubgraphBuilder(#x, index, v);                                                      \
		return *this;                                                                                          \
	}                                                                                                              \
	RSTD_REG_BEGIN(RstdGraph_##x, ::ge::Operator::SubgraphRegister(#x, true))

#define OP_END_FACTORY_REG(x)                                                                                          \
	N();                                                                                                           \
	}                                                                                                              \
	static_assert(std::is_same<x, _THIS_TYPE>::value, "OP_END_FACTORY_REG must name the type that REG_OP named");  \
	}                                                                                                              \
	;                                                                                                              \
	}                                                                                                              \
	RSTD_REG_CREATOR(x, __COUNTER__)

#define RSTD_REG_CREATOR(x, n) RSTD_REG_CREATOR_AS(x, n)
#define RSTD_REG_CREATOR_AS(x, n)                                                                                      \
	static const ::ge::OperatorCreatorRegister rstd_op_creator_##n##_##x(                                          \
		#x, [](const ::ge::AscendString &name) -> ::ge::Operator { return op::x(name); });

#endif /* RSTD_CANN_GRAPH_OPERATOR_REG_H */
