/*
 * face_operator.cpp - operators of the C++ face: links, descs, attributes, and REG_OP with every clause
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <map>
#include <set>

#include "array_ops.h"
#include "face.h"
#include "ge_api.h"
#include "graph.h"
#include "reduce_std_with_mean_proto.h"
#include "types.h"

/* As many programs have it; prototypes behind it must still work. */
#define SUCCESS 0
#define FAILED  -1
#include "graph/operator_reg.h"

/* Prototypes, written as they are elsewhere. */
/* clang-format off */
#define SOME_TYPES DT_FLOAT, DT_INT8
namespace ge
{
REG_OP(EveryClause)
	.INPUT(x, "T1")
	.INPUT(undefined, TensorType({BasicType(), NoSuchType, DT_BOOL}))
	.OPTIONAL_INPUT(maybe, TensorType{(DT_FLOAT, DT_INT8)})
	.DYNAMIC_INPUT(several, TensorType({SOME_TYPES}))
	.OUTPUT(y, "T3")
	.DYNAMIC_OUTPUT(results, TensorType::ALL())
	.ATTR(number, Int, DT_INT8)
	.ATTR(real, Float, 1e-5f)
	.ATTR(real_of_double, Float, 0.001)
	.ATTR(flag, Bool, true)
	.ATTR(type, Type, DT_BF16)
	.ATTR(mode, String, "mean")
	.ATTR(mode_of_cann, AscendString, "sum")
	.ATTR(ints, ListInt, {1, 1, -1})
	.ATTR(no_ints, ListInt, {})
	.ATTR(reals, ListFloat, {0.0f, 2.5f})
	.ATTR(flags, ListBool, {true, false, false})
	.ATTR(modes, ListString, {"a", "b"})
	.ATTR(modes_of_cann, ListAscendString, {"c"})
	.ATTR(types, ListType, {DT_FLOAT, DT_INT8})
	.ATTR(int_lists, ListListInt, {{1, 2}, {3}})
	.ATTR(tensor, Tensor, Tensor())
	.ATTR(tensors, ListTensor, {})
	.ATTR(bytes, Bytes, {1, 2, 255})
	.ATTR(named, NamedAttrs, NamedAttrs())
	.ATTR(list_of_named, ListNamedAttrs, {})
	.REQUIRED_ATTR(needed, Int)
	.REQUIRED_ATTR(needed_ints, ListInt)
	.REQUIRED_ATTR(needed_text, String)
	.DATATYPE(T1, TensorType({DT_FLOAT, DT_INT8}))
	.DATATYPE(T2, ListTensorType(TensorType::ALL()))
	.DATATYPE(T3, Promote({"T1", "T2"}))
	.GRAPH(then_branch)
	.DYNAMIC_GRAPH(branches)
	.OP_END_FACTORY_REG(EveryClause)

REG_OP(Nothing)
	.OP_END_FACTORY_REG(Nothing)

REG_OP(TwoOutputs)
	.OUTPUT(a, TensorType::ALL())
	.OUTPUT(b, TensorType::ALL())
	.OP_END_FACTORY_REG(TwoOutputs)

/* inference of the program */
REG_OP(Doubled)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.ATTR(times, Int, 2)
	.OP_END_FACTORY_REG(Doubled)

IMPLEMT_INFERFUNC(Doubled, DoubledInfer)
{
	TensorDesc desc = op.get_input_desc_x();
	desc.SetShape(ge::Shape({desc.GetShape().GetDim(0) * op.get_attr_times()}));
	return op.update_output_desc_y(desc);
}
INFER_FUNC_REG(Doubled, DoubledInfer)

IMPLEMT_VERIFIER(Doubled, DoubledVerify)
{
	return op.get_attr_times() > 0 ? GRAPH_SUCCESS : GRAPH_FAILED;
}
VERIFY_FUNC_REG(Doubled, DoubledVerify)

REG_OP(Thrower)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(Thrower)

IMPLEMT_COMMON_INFERFUNC(ThrowerInfer)
{
	throw op.GetName();
}
COMMON_INFER_FUNC_REG(Thrower, ThrowerInfer)

REG_OP(Broadcaster)
	.INPUT(a, TensorType::ALL())
	.INPUT(b, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(Broadcaster)
COMMON_INFER_FUNC_REG(Broadcaster, BROADCAST_INFER("a", "b", "y"))
} /* namespace ge */
/* clang-format on */

using namespace ge;

static std::string errors()
{
	return GEGetErrorMsg();
}

/* ---- Identity ---------------------------------------------------------------------------------------------------- */

static void test_identity()
{
	const Operator empty, first("Sqrt"), second(std::string("Sqrt")), third(AscendString("Sqrt"));
	const Operator by_text("a", "Sqrt"), by_string(std::string("b"), std::string("Sqrt"));
	const Operator by_ascend(AscendString("c"), AscendString("Sqrt"));
	AscendString name("before"), type;

	CHECK(empty.IsEmpty() && empty.GetName().empty() && empty.GetName(name) != GRAPH_SUCCESS);
	CHECK(first.GetName() != second.GetName() && first.GetName().compare(0, 5, "Sqrt_") == 0);
	CHECK(third.GetOpType() == "Sqrt" && by_text.GetName() == "a" && by_string.GetName() == "b");
	CHECK(by_ascend.GetName(name) == GRAPH_SUCCESS && name == "c");
	CHECK(by_ascend.GetOpType(type) == GRAPH_SUCCESS && type == "Sqrt");

	op::Data named("d"), stringed(std::string("e")), ascended(AscendString("f")), unnamed;
	CHECK(named.GetName() == "d" && stringed.GetName() == "e" && ascended.GetName() == "f");
	CHECK(unnamed.GetName().compare(0, 5, "Data_") == 0 && unnamed.GetOpType() == "Data");
}

/* A copy, also one that is sliced, is the same operator. */
static void test_sharing()
{
	op::Data data("data");
	Operator sliced = data, copy = sliced, assigned;
	assigned = copy;
	CHECK(assigned.UpdateOutputDesc("y", TensorDesc(ge::Shape({ 3 }), FORMAT_ND, DT_BF16)) == GRAPH_SUCCESS);
	assigned.SetAttr("index", 4);
	CHECK(data.get_output_desc_y().GetDataType() == DT_BF16 && data.get_attr_index() == 4);
	CHECK(sizeof(op::Data) == sizeof(Operator));
}

/* What an empty operator is asked to do fails, and nothing happens. */
static void test_empty()
{
	Operator empty;
	op::Data data("data");
	int64_t number = 7;

	empty.SetInput("x", data).SetAttr("a", 1).AddControlInput(data);
	data.SetInput("x", empty);
	empty.BreakConnect();
	CHECK(empty.GetAttr("a", number) != GRAPH_SUCCESS && number == 7);
	CHECK(empty.UpdateInputDesc("x", TensorDesc()) != GRAPH_SUCCESS && empty.GetInputsSize() == 0);
	CHECK(empty.InferShapeAndType() != GRAPH_SUCCESS && empty.VerifyAllAttr() != GRAPH_SUCCESS);
	CHECK(empty.GetInputDesc("x").GetDataType() == DT_FLOAT && empty.GetDynamicInputNum("x") == -1);
	(void)errors();
}

/* ---- Links ------------------------------------------------------------------------------------------------------- */

static void test_links()
{
	op::Data x("x"), mean("mean");
	op::TwoOutputs two("two");
	op::ReduceStdWithMean reduce("reduce");
	const TensorDesc desc(ge::Shape({ 2, 4 }), FORMAT_NCHW, DT_FLOAT16);

	CHECK(reduce.UpdateInputDesc("x", TensorDesc(ge::Shape({ 1 }), FORMAT_NHWC, DT_FLOAT)) == GRAPH_SUCCESS);
	CHECK(x.update_output_desc_y(desc) == GRAPH_SUCCESS);
	CHECK(&reduce.set_input_x(x) == &reduce);
	/* the source's desc, but for the format */
	CHECK(reduce.get_input_desc_x().GetShape().GetDim(1) == 4 &&
	      reduce.get_input_desc_x().GetDataType() == DT_FLOAT16);
	CHECK(reduce.get_input_desc_x().GetFormat() == FORMAT_NHWC);
	/* and later, too */
	CHECK(x.update_output_desc_y(TensorDesc(ge::Shape({ 9 }), FORMAT_ND, DT_BF16)) == GRAPH_SUCCESS);
	CHECK(reduce.get_input_desc_x().GetShape().GetDim(0) == 9 &&
	      reduce.get_input_desc_x().GetDataType() == DT_BF16);
	CHECK(errors().empty());

	/* an output must be named where there is not one alone */
	CHECK(&reduce.set_input_mean(two) == &reduce);
	CHECK(contains(errors(), "two"));
	reduce.set_input_mean(two, std::string("b"));
	CHECK(errors().empty());

	op::ReduceStdWithMean other("other");
	other.set_input_x_by_name(two, "a").set_input_mean(two, 1U);
	CHECK(errors().empty());
	op::ReduceStdWithMean third("third");
	third.SetInput("x", two, "a").SetInput(1U, two, 0U).SetInput(std::string("nothing"), x);
	CHECK(contains(errors(), "nothing"));
	third.SetInput("x", two, "c");
	CHECK(contains(errors(), "c"));
	third.SetInput(7U, two, 0U);
	CHECK(!errors().empty());
	third.SetInput("x", two, 2U);
	CHECK(!errors().empty());
	third.SetInput(std::string("mean"), two, std::string("a"));
	CHECK(errors().empty());
}

static void test_break_connect()
{
	op::Data x("x");
	op::Identity identity("identity");
	identity.set_input_x(x);
	identity.BreakConnect();
	identity.set_input_x(x); /* once */
	Graph graph("g");
	graph.SetInputs({ x }).SetOutputs({ identity });
	CHECK(graph.IsValid() && errors().empty());
}

static void test_const_input()
{
	const uint8_t bytes[] = { 1, 0, 0, 0 };
	op::Const axes("axes");
	op::Data data("data");
	op::Reshape reshape("reshape");
	Tensor value;

	axes.set_attr_value(Tensor(TensorDesc(ge::Shape({ 1 }), FORMAT_ND, DT_INT32), bytes, sizeof(bytes)));
	reshape.set_input_x(data).set_input_shape(axes);
	CHECK(reshape.GetInputConstData("shape", value) == GRAPH_SUCCESS && value.GetSize() == 4 &&
	      value.GetData()[0] == 1);
	CHECK(reshape.GetInputConstData(std::string("x"), value) != GRAPH_SUCCESS);
	CHECK(reshape.GetInputConstData("nothing", value) != GRAPH_SUCCESS);
}

/* ---- Descs ------------------------------------------------------------------------------------------------------- */

static void test_descs()
{
	op::ReduceStdWithMean reduce("reduce");
	const TensorDesc desc(ge::Shape({ 2, 4 }), FORMAT_NCHW, DT_FLOAT16);
	TensorDesc read;

	CHECK(reduce.update_input_desc_mean(desc) == GRAPH_SUCCESS &&
	      reduce.update_output_desc_y(desc) == GRAPH_SUCCESS);
	CHECK(reduce.GetInputDesc("mean").GetFormat() == FORMAT_NCHW &&
	      reduce.GetInputDesc(1).GetDataType() == DT_FLOAT16);
	CHECK(reduce.GetInputDescByName("mean").GetRealDimCnt() == 2 &&
	      reduce.GetOutputDesc(0).GetDataType() == DT_FLOAT16);
	CHECK(reduce.GetOutputDesc("y").GetDataType() == DT_FLOAT16 &&
	      reduce.GetOutputDescByName("y").GetRealDimCnt() == 2);
	CHECK(reduce.TryGetInputDesc("mean", read) == GRAPH_SUCCESS && read.GetFormat() == FORMAT_NCHW);
	CHECK(reduce.TryGetInputDesc(std::string("nothing"), read) != GRAPH_SUCCESS);
	CHECK(reduce.GetInputsSize() == 2 && reduce.GetOutputsSize() == 1);
	CHECK(reduce.UpdateInputDesc(0U, desc) == GRAPH_SUCCESS && reduce.UpdateOutputDesc(0U, desc) == GRAPH_SUCCESS);
	CHECK(errors().empty());
	CHECK(reduce.UpdateInputDesc("nothing", desc) == GRAPH_FAILED &&
	      contains(errors(), "reduce(ReduceStdWithMean): has no input named nothing"));
	CHECK(reduce.UpdateOutputDesc(std::string("nothing"), desc) == GRAPH_FAILED &&
	      contains(errors(), "has no output named nothing"));
	CHECK(reduce.UpdateInputDesc(2U, desc) == GRAPH_FAILED && reduce.UpdateOutputDesc(1U, desc) == GRAPH_FAILED);
	(void)errors();

	reduce.SetInputAttr("x", "a", int64_t(3)).SetOutputAttr(0, "b", std::vector<float>{ 1.5F });
	int64_t number = 0;
	std::vector<float> reals;
	CHECK(reduce.GetInputAttr(0, "a", number) == GRAPH_SUCCESS && number == 3);
	CHECK(reduce.GetOutputAttr("y", "b", reals) == GRAPH_SUCCESS && reals == std::vector<float>{ 1.5F });
	CHECK(reduce.GetOutputAttr("y", "a", number) != GRAPH_SUCCESS);
}

/* ---- Attributes -------------------------------------------------------------------------------------------------- */

template <typename T> static bool returns(Operator &op, const T &value)
{
	T by_text = T(), by_string = T();
	op.SetAttr("a", value);
	const bool first = op.GetAttr("a", by_text) == GRAPH_SUCCESS && by_text == value;
	op.SetAttr(std::string("a"), value);
	return first && op.GetAttr(std::string("a"), by_string) == GRAPH_SUCCESS && by_string == value;
}

static void test_attributes()
{
	Operator op("op", "Type");
	CHECK(returns(op, int64_t(INT64_MIN)) && returns(op, int32_t(-7)) && returns(op, uint32_t(0xFFFFFFFF)));
	CHECK(returns(op, 2.5F) && returns(op, true) && returns(op, false) && returns(op, DT_BF16));
	CHECK(returns(op, std::string("a\0b", 3)) && returns(op, AscendString("text")));
	CHECK(returns(op, std::vector<int64_t>{ INT64_MAX, -1 }) && returns(op, std::vector<int32_t>{ -1 }));
	CHECK(returns(op, std::vector<uint32_t>{ 1, 0xFFFFFFFF }) && returns(op, std::vector<float>{ 1.5F, -0.0F }));
	CHECK(returns(op, std::vector<bool>{ true, false, true }) && returns(op, std::vector<std::string>{ "a", "" }));
	CHECK(returns(op, std::vector<AscendString>{ "a", "b" }) && returns(op, std::vector<uint8_t>{ 0, 255 }));
	CHECK(returns(op, std::vector<DataType>{ DT_INT4, DT_FLOAT }) && returns(op, std::vector<int64_t>()));
	CHECK(returns(op, std::vector<std::vector<int64_t>>{ { 1, 2 }, {}, { 3 } }));

	/* integers of all widths are one kind, all else is not */
	int64_t wide = 0;
	uint32_t narrow = 0;
	float real = 4;
	op.SetAttr("n", int32_t(-3));
	CHECK(op.GetAttr("n", wide) == GRAPH_SUCCESS && wide == -3 && op.GetAttr("n", narrow) == GRAPH_SUCCESS);
	CHECK(op.GetAttr("n", real) != GRAPH_SUCCESS && real == 4 && op.GetAttr("nothing", wide) != GRAPH_SUCCESS);
	op.SetAttr("n", { 1, 2 });
	std::vector<int32_t> list;
	CHECK(op.GetAttr("n", list) == GRAPH_SUCCESS && list.size() == 2 && list[1] == 2);
	std::string text;
	AscendString ascend;
	op.SetAttr("n", "literal");
	CHECK(op.GetAttr("n", text) == GRAPH_SUCCESS && text == "literal" && op.GetAttr("n", ascend) == GRAPH_SUCCESS);
}

static void test_structured_attributes()
{
	Operator op("op", "Type");
	const Tensor tensor(TensorDesc(ge::Shape({ 2 }), FORMAT_ND, DT_UINT8), std::vector<uint8_t>{ 8, 9 });
	Tensor read;
	std::vector<Tensor> reads;
	op.SetAttr("t", tensor).SetAttr("ts", std::vector<Tensor>{ tensor, Tensor() });
	CHECK(op.GetAttr("t", read) == GRAPH_SUCCESS && read.GetSize() == 2 && read.GetData()[1] == 9);
	CHECK(read.GetTensorDesc().GetDataType() == DT_UINT8 && read.GetTensorDesc().GetShape().GetDim(0) == 2);
	CHECK(op.GetAttr("ts", reads) == GRAPH_SUCCESS && reads.size() == 2 && reads[1].GetSize() == 0);

	AttrValue value, other;
	NamedAttrs named, read_named;
	std::vector<NamedAttrs> read_list;
	float real = 0;
	CHECK(value.SetAttrValue(1.5F) == GRAPH_SUCCESS && named.SetAttr("f", value) == GRAPH_SUCCESS);
	named.SetName("n");
	op.SetAttr("v", value).SetAttr("moved", AttrValue(value)).SetAttr("named", named);
	op.SetAttr("list", std::vector<NamedAttrs>{ named, NamedAttrs() });
	CHECK(op.GetAttr("v", other) == GRAPH_SUCCESS && other.GetAttrValue(real) == GRAPH_SUCCESS && real == 1.5F);
	CHECK(op.GetAttr("moved", real) == GRAPH_SUCCESS);
	CHECK(op.GetAttr("named", read_named) == GRAPH_SUCCESS && read_named.GetName() == "n");
	CHECK(read_named.GetAttr("f", other) == GRAPH_SUCCESS);
	CHECK(op.GetAttr("list", read_list) == GRAPH_SUCCESS && read_list.size() == 2 && read_list[0].GetName() == "n");

	std::map<AscendString, AscendString> kinds;
	CHECK(op.GetAllAttrNamesAndTypes(kinds) == GRAPH_SUCCESS && kinds["t"] == "VT_TENSOR" &&
	      kinds["v"] == "VT_FLOAT");
}

/* ---- REG_OP ------------------------------------------------------------------------------------------------------ */

static void test_defaults()
{
	const op::EveryClause op("op");
	AscendString text;
	std::vector<AscendString> texts;

	CHECK(op.get_attr_number() == DT_INT8 && op.get_attr_real() == 1e-5F && op.get_attr_real_of_double() == 0.001F);
	CHECK(op.get_attr_flag() && op.get_attr_type() == DT_BF16 && op.get_attr_mode() == "mean");
	CHECK(op.get_attr_mode(text) == GRAPH_SUCCESS && text == "mean");
	CHECK(op.get_attr_mode_of_cann(text) == GRAPH_SUCCESS && text == "sum" && op.get_attr_mode_of_cann() == "sum");
	CHECK(op.get_attr_ints() == (std::vector<int64_t>{ 1, 1, -1 }) && op.get_attr_no_ints().empty());
	CHECK(op.get_attr_reals() == (std::vector<float>{ 0, 2.5F }));
	CHECK(op.get_attr_flags() == (std::vector<bool>{ true, false, false }));
	CHECK(op.get_attr_modes() == (std::vector<std::string>{ "a", "b" }));
	CHECK(op.get_attr_modes(texts) == GRAPH_SUCCESS && texts[1] == "b");
	CHECK(op.get_attr_modes_of_cann(texts) == GRAPH_SUCCESS && texts.size() == 1);
	CHECK(op.get_attr_types() == (std::vector<DataType>{ DT_FLOAT, DT_INT8 }));
	CHECK(op.get_attr_int_lists() == (std::vector<std::vector<int64_t>>{ { 1, 2 }, { 3 } }));
	CHECK(op.get_attr_tensor().GetSize() == 0 && op.get_attr_tensors().empty());
	CHECK(op.get_attr_bytes() == (std::vector<uint8_t>{ 1, 2, 255 }) && op.get_attr_list_of_named().empty());
	CHECK(op.get_attr_needed() == 0 && op.get_attr_needed_ints().empty() && op.get_attr_needed_text().empty());
	CHECK(op::EveryClause::name_attr_flag() == "flag" && op::EveryClause::name_in_x() == "x");
	op::EveryClause::name_out_y(text);
	CHECK(text == "y" && op::EveryClause::name_graph_then_branch() == "then_branch");

	/* the default is the value */
	int64_t number = 0;
	CHECK(op.GetAttr("number", number) == GRAPH_SUCCESS && number == DT_INT8);
	CHECK(op.GetAttr("needed", number) != GRAPH_SUCCESS);
	std::map<AscendString, AscendString> names;
	CHECK(op.GetAllIrAttrNamesAndTypes(names) == GRAPH_SUCCESS && names.size() == 23 && names["ints"] == "ListInt");
}

static void test_setters()
{
	op::EveryClause op("op");
	op.set_attr_number(5).set_attr_real(2.0F).set_attr_flag(false).set_attr_type(DT_INT4);
	op.set_attr_mode("text").set_attr_mode(std::string("string")).set_attr_modes(std::vector<std::string>{ "x" });
	op.set_attr_modes(std::vector<AscendString>{ "y", "z" }).set_attr_ints({ 0 }).set_attr_no_ints({ 1, 2 });
	CHECK(op.get_attr_number() == 5 && op.get_attr_real() == 2 && !op.get_attr_flag() &&
	      op.get_attr_type() == DT_INT4);
	CHECK(op.get_attr_mode() == "string" && op.get_attr_modes().size() == 2);
	CHECK(op.get_attr_ints() == std::vector<int64_t>{ 0 } && op.get_attr_no_ints().size() == 2);
	op.set_attr_number([]() -> int64_t { return 9; }); /* functions are ignored */
	op.set_attr_ints(std::function<Operator::OpListInt()>());
	CHECK(op.get_attr_number() == 5 && op.get_attr_ints().size() == 1);
	op.set_attr_ints({});
	CHECK(op.get_attr_ints().empty());

	CHECK(op.VerifyAllAttr() != GRAPH_SUCCESS && contains(errors(), "needed"));
	op.set_attr_needed(1).set_attr_needed_ints({ 1 }).set_attr_needed_text("t");
	CHECK(op.VerifyAllAttr() == GRAPH_SUCCESS && errors().empty());
}

static void test_dynamic()
{
	op::EveryClause op("op");
	op::Data data("data");
	op::TwoOutputs two("two");
	const TensorDesc desc(ge::Shape({ 7 }), FORMAT_ND, DT_INT8);

	CHECK(op.GetDynamicInputNum("several") == 0 && op.GetInputsSize() == 3 && op.GetOutputsSize() == 1);
	CHECK(op.GetDynamicInputNum("x") == -1 && op.GetDynamicOutputNum("nothing") == -1);
	op.create_dynamic_input_several(2).create_dynamic_output_results(3);
	CHECK(op.GetDynamicInputNum("several") == 2 && op.GetInputsSize() == 5 && op.GetOutputsSize() == 4);
	CHECK(op.GetDynamicOutputNum(std::string("results")) == 3);
	CHECK(op.update_dynamic_input_desc_several(1, desc) == GRAPH_SUCCESS &&
	      op.get_dynamic_input_desc_several(1).GetDataType() == DT_INT8);
	CHECK(op.GetInputDesc("several1").GetDataType() == DT_INT8 &&
	      op.GetDynamicInputDesc("several", 1).GetDataType() == DT_INT8);
	CHECK(op.update_dynamic_output_desc_results(2, desc) == GRAPH_SUCCESS &&
	      op.get_dynamic_output_desc_results(2).GetDataType() == DT_INT8);
	CHECK(op.UpdateDynamicInputDesc("several", 2, desc) == GRAPH_FAILED &&
	      op.UpdateDynamicOutputDesc("results", 3, desc) == GRAPH_FAILED);
	(void)errors();
	op.set_dynamic_input_several(0, data).set_dynamic_input_several(1, two, "b");
	CHECK(errors().empty());
	op.set_dynamic_input_several(2, data);
	CHECK(contains(errors(), "several2"));

	op::EveryClause front("front"), middle("middle");
	front.create_dynamic_input_several(1, false);
	CHECK(front.UpdateInputDesc(0U, desc) == GRAPH_SUCCESS &&
	      front.GetInputDesc("several0").GetDataType() == DT_INT8);
	middle.create_dynamic_input_byindex_several(2, 1);
	CHECK(middle.UpdateInputDesc(2U, desc) == GRAPH_SUCCESS &&
	      middle.GetInputDesc("several1").GetDataType() == DT_INT8);
	CHECK(middle.GetInputDesc(3).GetDataType() == DT_FLOAT);
}

static Graph branch()
{
	op::Data x("x");
	Graph graph("branch");
	graph.SetInputs({ x }).SetOutputs({ x });
	return graph;
}

static void test_subgraphs()
{
	op::EveryClause op("op");
	CHECK(op.GetSubgraphNamesCount() == 2 && op.GetSubgraphNames()[0] == "then_branch" &&
	      !op.get_subgraph_builder_then_branch());
	op.set_subgraph_builder_then_branch(branch);
	CHECK(op.get_subgraph_then_branch().GetName() == "branch");
	CHECK(op.get_subgraph_builder_then_branch()().GetName() == "branch");
	op.create_dynamic_subgraph_branches(2).set_dynamic_subgraph_builder_branches(1, branch);
	CHECK(op.get_dynamic_subgraph_branches(1).IsValid() && !op.get_dynamic_subgraph_branches(0).IsValid());
	CHECK(op.get_dynamic_subgraph_builder_branches(1) && !op.get_dynamic_subgraph_builder_branches(0));
	CHECK(op.SetSubgraphInstanceName(0, "instance") == GRAPH_SUCCESS);
}

/* ---- The factory and functions of the program ------------------------------------------------------------------------ */

static void test_factory()
{
	const Operator made = OperatorFactory::CreateOperator("made", "EveryClause");
	std::vector<AscendString> types;

	CHECK(made.GetName() == "made" && made.GetInputsSize() == 3);
	CHECK(OperatorFactory::CreateOperator("made", "NoSuchType").IsEmpty());
	CHECK(OperatorFactory::IsExistOp("Nothing") && !OperatorFactory::IsExistOp(std::string("NoSuchType")));
	CHECK(OperatorFactory::GetOpsTypeList(types) == GRAPH_SUCCESS && types.size() > 10);
	/* a second registration changes nothing */
	const OperatorCreatorRegister again("EveryClause", [](const AscendString &) { return Operator(); });
	CHECK(OperatorFactory::CreateOperator("made", "EveryClause").GetInputsSize() == 3);
	const op::Nothing nothing;
	CHECK(nothing.GetInputsSize() == 0 && nothing.GetOutputsSize() == 0);
}

static void test_inference()
{
	op::Doubled doubled("doubled");
	op::Thrower thrower("thrower");
	op::Broadcaster broadcaster("broadcaster");
	op::ReduceStdWithMean reduce("reduce");
	const TensorDesc desc(ge::Shape({ 3, 4 }), FORMAT_ND, DT_FLOAT16);

	CHECK(doubled.update_input_desc_x(TensorDesc(ge::Shape({ 3 }), FORMAT_ND, DT_INT8)) == GRAPH_SUCCESS);
	CHECK(doubled.InferShapeAndType() == GRAPH_SUCCESS && doubled.get_output_desc_y().GetShape().GetDim(0) == 6);
	CHECK(doubled.VerifyAllAttr() == GRAPH_SUCCESS);
	doubled.set_attr_times(-1);
	CHECK(doubled.VerifyAllAttr() != GRAPH_SUCCESS);
	CHECK(thrower.InferShapeAndType() == GRAPH_FAILED); /* the exception ends in it */
	CHECK(broadcaster.update_input_desc_a(TensorDesc(ge::Shape({ 3, 1 }))) == GRAPH_SUCCESS);
	CHECK(broadcaster.update_input_desc_b(TensorDesc(ge::Shape({ 2, 1, 4 }))) == GRAPH_SUCCESS);
	CHECK(broadcaster.InferShapeAndType() == GRAPH_SUCCESS);
	CHECK(broadcaster.get_output_desc_y().GetShape().GetDims() == (std::vector<int64_t>{ 2, 3, 4 }));

	CHECK(reduce.update_input_desc_x(desc) == GRAPH_SUCCESS &&
	      reduce.update_input_desc_mean(desc) == GRAPH_SUCCESS);
	reduce.set_attr_dim({ 1 });
	CHECK(reduce.InferShapeAndType() == GRAPH_SUCCESS &&
	      reduce.get_output_desc_y().GetShape().GetDims() == std::vector<int64_t>{ 3 });
	CHECK(reduce.get_output_desc_y().GetDataType() == DT_FLOAT16);
	reduce.set_attr_dim({ 2 });
	CHECK(reduce.InferShapeAndType() != GRAPH_SUCCESS && contains(errors(), "dim[0]=2 out of range [-2, 2)"));

	std::shared_ptr<InferenceContext> context = InferenceContext::Create();
	context->SetMarks({ "mark" });
	reduce.SetInferenceContext(context);
	CHECK(reduce.GetInferenceContext() == context && doubled.GetInferenceContext() == nullptr);
}

int main()
{
	test_identity();
	test_sharing();
	test_empty();
	test_links();
	test_break_connect();
	test_const_input();
	test_descs();
	test_attributes();
	test_structured_attributes();
	test_defaults();
	test_setters();
	test_dynamic();
	test_subgraphs();
	test_factory();
	test_inference();
	return verdict();
}
