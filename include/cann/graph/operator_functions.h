/*
 * operator_functions.h - inference and verification of operators by functions of the program
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine calls them for types that it does not know itself. An exception that leaves one is a failure, and does not
 * reach the engine.
 */
#ifndef RSTD_CANN_GRAPH_OPERATOR_FUNCTIONS_H
#define RSTD_CANN_GRAPH_OPERATOR_FUNCTIONS_H

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "./error_codes.h"
#include "./operator.h"
#include "rstd/graph.h"

namespace ge
{

using InferShapeFunc = std::function<graphStatus(Operator &)>;
using VerifyFunc = std::function<graphStatus(Operator &)>;

namespace detail
{

/* The functions of one type. They stay until the process ends. */
class OperatorFunctions
{
      public:
	static void SetInfer(const char *type, const InferShapeFunc &infer)
	{
		Set(type, &OperatorFunctions::infer_, infer);
	}
	static void SetVerify(const char *type, const VerifyFunc &verify)
	{
		Set(type, &OperatorFunctions::verify_, verify);
	}

      private:
	using Function = std::function<graphStatus(Operator &)>;

	static void Set(const char *type, Function OperatorFunctions::*which, const Function &function)
	{
		static std::mutex *const mutex = new std::mutex();
		static std::map<std::string, OperatorFunctions> *const all =
			new std::map<std::string, OperatorFunctions>();
		const std::lock_guard<std::mutex> lock(*mutex);
		OperatorFunctions &functions = (*all)[type];
		functions.*which = function;
		(void)rstd_ge_register_functions(type, functions.infer_ ? Infer : nullptr,
		                                 functions.verify_ ? Verify : nullptr, &functions);
	}

	static rstd_ge_status Infer(rstd_op *op, void *context)
	{
		return Call(static_cast<OperatorFunctions *>(context)->infer_, op);
	}
	static rstd_ge_status Verify(rstd_op *op, void *context)
	{
		return Call(static_cast<OperatorFunctions *>(context)->verify_, op);
	}
	static rstd_ge_status Call(const Function &function, rstd_op *op)
	{
		try {
			Operator argument = Operator::RstdFrom(rstd_op_ref(op));
			return function(argument);
		} catch (...) {
			return GRAPH_FAILED;
		}
	}

	Function infer_;
	Function verify_;
};

} /* namespace detail */

class InferShapeFuncRegister
{
      public:
	InferShapeFuncRegister(const char_t *operator_type, const InferShapeFunc &infer_shape_func)
	{
		detail::OperatorFunctions::SetInfer(operator_type, infer_shape_func);
	}
};

class VerifyFuncRegister
{
      public:
	VerifyFuncRegister(const char_t *operator_type, const VerifyFunc &verify_func)
	{
		detail::OperatorFunctions::SetVerify(operator_type, verify_func);
	}
};

/* Formats are labels here, and need no inference: the function is taken and not called. */
class InferFormatFuncRegister
{
      public:
	InferFormatFuncRegister(const char_t *, const InferShapeFunc &)
	{
	}
};

namespace detail
{

/* y as x, in shape and type. */
inline graphStatus InferElementwise(Operator &op, const char_t *in_name, const char_t *out_name)
{
	TensorDesc desc = op.GetOutputDescByName(out_name);
	const TensorDesc input = op.GetInputDescByName(in_name);
	desc.SetShape(input.GetShape());
	desc.SetDataType(input.GetDataType());
	return op.UpdateOutputDesc(out_name, desc);
}

/* y with the type of in1, in the shape that both have when axes of length 1 are repeated, counted from the last. */
inline graphStatus InferBroadcast(Operator &op, const char_t *in1_name, const char_t *in2_name, const char_t *out_name)
{
	const TensorDesc in1 = op.GetInputDescByName(in1_name);
	std::vector<int64_t> dims = in1.GetShape().GetDims();
	std::vector<int64_t> other = op.GetInputDescByName(in2_name).GetShape().GetDims();
	if (dims.size() < other.size())
		dims.swap(other);
	for (size_t i = 1; i <= other.size(); i++) {
		int64_t &dim = dims[dims.size() - i];
		const int64_t with = other[other.size() - i];
		if (dim != with && dim != 1 && with != 1 && dim >= 0 && with >= 0)
			return GRAPH_FAILED;
		if (dim == 1 || (dim < 0 && with > 1))
			dim = with;
	}
	TensorDesc desc = op.GetOutputDescByName(out_name);
	desc.SetShape(Shape(dims));
	desc.SetDataType(in1.GetDataType());
	return op.UpdateOutputDesc(out_name, desc);
}

} /* namespace detail */

} /* namespace ge */

/*
 * IMPLEMT_* begin a function, *_REG register one. To be used inside namespace ge, behind the prototype. The function is
 * given an object of the operator's class that is the same operator.
 */
#define IMPLEMT_COMMON_INFERFUNC(func_name)          static ::ge::graphStatus func_name(::ge::Operator &op)
#define IMPLEMT_INFERFUNC(op_name, func_name)        static ::ge::graphStatus func_name(op::op_name &op)
#define IMPLEMT_VERIFIER(op_name, func_name)         static ::ge::graphStatus func_name(op::op_name &op)
#define IMPLEMT_INFERFORMAT_FUNC(op_name, func_name) static ::ge::graphStatus func_name(op::op_name &op)

#define RSTD_FUNCTION_AS(op_name, func_name)                                                                           \
	[](::ge::Operator &op) -> ::ge::graphStatus {                                                                  \
		op::op_name typed(op.GetName());                                                                       \
		static_cast<::ge::Operator &>(typed) = op;                                                             \
		return func_name(typed);                                                                               \
	}

#define INFER_FUNC_REG(op_name, func_name)                                                                             \
	static const ::ge::InferShapeFuncRegister rstd_infer_of_##op_name(#op_name,                                    \
	                                                                  RSTD_FUNCTION_AS(op_name, func_name));
#define COMMON_INFER_FUNC_REG(op_name, func_name)                                                                      \
	static const ::ge::InferShapeFuncRegister rstd_infer_of_##op_name(#op_name, func_name);
#define VERIFY_FUNC_REG(op_name, func_name)                                                                            \
	static const ::ge::VerifyFuncRegister rstd_verify_of_##op_name(#op_name, RSTD_FUNCTION_AS(op_name, func_name));
#define INFER_FORMAT_FUNC_REG(op_name, func_name)                                                                      \
	static const ::ge::InferFormatFuncRegister rstd_format_of_##op_name(#op_name,                                  \
	                                                                    RSTD_FUNCTION_AS(op_name, func_name));

/* Functions for what is most often wanted. */
#define ELMTWISE_INFER_SHAPEANDTYPE(in_name, out_name)                                                                 \
	[](::ge::Operator &op) -> ::ge::graphStatus { return ::ge::detail::InferElementwise(op, in_name, out_name); }
#define BROADCAST_INFER(in1_name, in2_name, out_name)                                                                  \
	[](::ge::Operator &op) -> ::ge::graphStatus {                                                                  \
		return ::ge::detail::InferBroadcast(op, in1_name, in2_name, out_name);                                 \
	}

#endif /* RSTD_CANN_GRAPH_OPERATOR_FUNCTIONS_H */
