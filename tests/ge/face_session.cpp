/*
 * face_session.cpp - graphs and sessions of the C++ face: building, running, misuse, messages, files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include "array_ops.h"
#include "face.h"
#include "ge_api.h"
#include "ge_api_types.h"
#include "ge_error_codes.h"
#include "ge_ir_build.h"
#include "graph.h"
#include "reduce_std_with_mean_proto.h"

/* An operator of another house. */
/* clang-format off */
namespace ge {
REG_OP(OfAnotherHouse)
	.INPUT(x, TensorType::ALL())
	.OUTPUT(y, TensorType::ALL())
	.OP_END_FACTORY_REG(OfAnotherHouse)
} /* namespace ge */
/* clang-format on */

using namespace ge;

typedef std::map<AscendString, AscendString> Options;

static const Status kNotExist = 1343242242;

static std::string errors()
{
	return GEGetErrorMsgV2().GetString();
}

static std::string warnings()
{
	return GEGetWarningMsgV2().GetString();
}

static TensorDesc floats(const std::vector<int64_t> &dims)
{
	return TensorDesc(Shape(dims), FORMAT_ND, DT_FLOAT);
}

static Tensor feed(const std::vector<int64_t> &dims, const std::vector<float> &values)
{
	return Tensor(floats(dims), reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
}

static bool holds(const Tensor &tensor, const std::vector<int64_t> &dims, const std::vector<float> &values)
{
	return tensor.GetTensorDesc().GetShape().GetDims() == dims && tensor.GetDataType() == DT_FLOAT &&
	       tensor.GetSize() == values.size() * sizeof(float) &&
	       std::memcmp(tensor.GetData(), values.data(), tensor.GetSize()) == 0;
}

static const std::vector<float> kEight = { 1, 2, 3, 4, 2, 4, 6, 8 }, kMeans = { 2.5F, 2.5F, 2.5F, 2.5F, 5, 5, 5, 5 };
/* sqrt(5/3) and sqrt(20/3), rounded once */
static const std::vector<float> kStd = { 1.29099445F, 2.58198890F };

/* Rows of x about mean; both have the same index, as many programs have it. */
static Graph std_graph(const char *name, const std::vector<int64_t> &declared)
{
	op::Data x("x"), mean("mean");
	op::ReduceStdWithMean reduce("reduce");

	x.update_output_desc_y(floats(declared));
	mean.update_output_desc_y(floats(declared));
	x.set_attr_index(0);
	mean.set_attr_index(0);
	reduce.set_input_x(x).set_input_mean(mean).set_attr_dim({ 1 });
	Graph graph(name);
	graph.SetInputs({ x, mean }).SetOutputs({ reduce });
	return graph;
}

static std::vector<Tensor> std_feeds()
{
	return { feed({ 2, 4 }, kEight), feed({ 2, 4 }, kMeans) };
}

/* ---- Before GEInitialize -------------------------------------------------------------------------------------------- */

static void test_before_initialize()
{
	Session dead((Options()));
	const Graph graph = std_graph("g", { 2, 4 });
	std::vector<Tensor> outputs;

	CHECK(contains(errors(), "GEInitialize"));
	CHECK(dead.AddGraph(0, graph) == ge::FAILED && dead.RunGraph(0, std_feeds(), outputs) == ge::FAILED);
	CHECK(dead.RemoveGraph(0) == ge::FAILED && contains(errors(), "is dead"));
	CHECK(GEFinalize() == ge::SUCCESS);
}

/* ---- Process ----------------------------------------------------------------------------------------------------- */

static void test_initialize()
{
	CHECK(GEInitialize(Options{ { "", "0" } }) == ge::FAILED && contains(errors(), "the key is empty"));
	CHECK(GEInitialize(std::map<std::string, std::string>{ { "ge.exec.deviceId", "0" }, { "no.such", "1" } }) ==
	      ge::SUCCESS);
	CHECK(errors().empty() && contains(warnings(), "no.such"));
	CHECK(GEInitialize({ { "ge.exec.deviceId", "0" } }) == ge::SUCCESS && GEInitialize({}) == ge::SUCCESS);
}

static void test_messages()
{
	Operator("a", "A").SetInput("nothing", Operator("b", "B"));
	const std::string first = GEGetErrorMsg();
	CHECK(contains(first, "[PID: ") && contains(first, "nothing") && GEGetErrorMsg().empty() && errors().empty());
	Operator("a", "A").SetInput("first", Operator("b", "B"));
	Operator("a", "A").SetInput("second", Operator("b", "B"));
	const std::string both = errors();
	CHECK(contains(both, "TraceBack (most recent call last):") && contains(both, "first") &&
	      contains(both, "second"));
	CHECK(GEGetErrorMsgV2().GetLength() == 0 && GEGetWarningMsg().empty());
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

static void test_set_inputs()
{
	op::Data x("x"), y("x");
	op::Identity one("one"), two("two");
	Session session((Options()));

	one.set_input_x(x);
	two.set_input_x(y);
	Graph skips("skips");
	skips.SetInputs({ one, x }).SetOutputs({ one });
	CHECK(skips.IsValid() && errors().empty() && contains(warnings(), "one(Identity) is skipped"));
	skips.SetInputs({ x });
	CHECK(contains(errors(), "SetInputs is for once"));

	Graph none("none"), nothing("nothing"), twins("twins"), late("late");
	none.SetInputs({ one });
	CHECK(!none.IsValid() && contains(errors(), "has no input left"));
	nothing.SetInputs({}).SetOutputs(std::vector<Operator>{ one });
	CHECK(!nothing.IsValid() && contains(errors(), "the list of inputs is empty"));
	CHECK(session.AddGraph(1, nothing) == ge::FAILED && contains(errors(), "has not been built"));
	twins.SetInputs({ x, y });
	CHECK(!twins.IsValid() && contains(errors(), "two nodes are named x"));
	late.SetOutputs(std::vector<Operator>{ one });
	CHECK(contains(errors(), "outputs come after SetInputs"));

	op::Data z("z");
	op::Identity three("three");
	three.set_input_x(z).set_input_x(z);
	Graph twice("twice");
	twice.SetInputs({ z });
	CHECK(!twice.IsValid() && contains(errors(), "three(Identity): input x was linked more than once"));
	Graph forced("forced");
	CHECK(forced.SetValid() == GRAPH_SUCCESS && forced.IsValid());
}

static void test_set_outputs()
{
	op::Data x("x"), other("other");
	op::Identity y("y");
	y.set_input_x(x);
	Graph graph("g");
	graph.SetInputs({ x });

	graph.SetOutputs({ y, other });
	CHECK(errors().empty() && contains(warnings(), "output other is skipped"));
	graph.SetOutputs(std::vector<std::pair<Operator, std::vector<size_t>>>{ { y, { 0, 3 } }, { x, {} } });
	CHECK(errors().empty() && contains(warnings(), "output 3 of y(Identity) is skipped"));
	graph.SetOutputs(std::vector<std::pair<Operator, std::string>>{ { y, "y" }, { x, "" } });
	CHECK(errors().empty());
	graph.SetOutputs(std::vector<std::pair<Operator, AscendString>>{ { y, "z" } });
	CHECK(contains(errors(), "y(Identity) has no output named z"));
	graph.SetOutputs(std::vector<std::pair<Operator, std::string>>{ { other, "" } });
	CHECK(contains(errors(), "output other is not of this graph"));
	CHECK(graph.SetOutputs(std::vector<std::pair<GNode, int32_t>>{ { graph.GetDirectNode()[1], 0 } }) ==
	      GRAPH_SUCCESS);
	CHECK(graph.SetOutputs(std::vector<std::pair<GNode, int32_t>>{ { graph.GetDirectNode()[1], 1 } }) !=
	      GRAPH_SUCCESS);
	CHECK(graph.SetOutputs(std::vector<std::pair<GNode, int32_t>>{ { GNode(), 0 } }) != GRAPH_SUCCESS);
	(void)errors();
}

static void test_op_list()
{
	op::Data x("x");
	op::Identity y("y");
	Graph graph("g");
	Operator found;
	std::vector<Operator> list;
	std::vector<AscendString> names;
	std::vector<std::string> strings;
	AscendString name;

	CHECK(graph.AddOp(x) == GRAPH_SUCCESS && graph.AddOp(y) == GRAPH_SUCCESS && graph.AddOp(x) == GRAPH_SUCCESS);
	CHECK(graph.FindOpByName("y", found) == GRAPH_SUCCESS && found.GetOpType() == "Identity");
	CHECK(graph.FindOpByName(std::string("z"), found) != GRAPH_SUCCESS);
	CHECK(graph.FindOpByType("Data", list) == GRAPH_SUCCESS && list.size() == 1 && list[0].GetName() == "x");
	CHECK(graph.GetAllOpName(names) == GRAPH_SUCCESS && names.size() == 2 && names[1] == "y");
	CHECK(graph.GetAllOpName(strings) == GRAPH_SUCCESS && strings[0] == "x");
	CHECK(graph.GetAllNodes().empty() && !graph.IsValid() && graph.GetName() == "g");
	CHECK(graph.GetName(name) == GRAPH_SUCCESS && name == "g");
}

static void test_nodes()
{
	const Graph graph = std_graph("g", { 2, 4 });
	const std::vector<GNode> nodes = graph.GetAllNodes();
	AscendString name, type;
	TensorDesc desc;
	std::vector<int64_t> dim;
	int64_t number = 0;

	CHECK(nodes.size() == 3 && nodes[2].GetName(name) == GRAPH_SUCCESS && name == "reduce");
	const GNodePtr reduce = graph.FindNodeByName("reduce");
	CHECK(reduce != nullptr && graph.FindNodeByName("nothing") == nullptr);
	CHECK(reduce->GetType(type) == GRAPH_SUCCESS && type == "ReduceStdWithMean");
	CHECK(reduce->GetInputsSize() == 2 && reduce->GetOutputsSize() == 1);
	CHECK(reduce->GetAttr("dim", dim) == GRAPH_SUCCESS && dim == std::vector<int64_t>{ 1 });
	CHECK(reduce->GetAttr("dim", number) != GRAPH_SUCCESS && reduce->HasAttr("dim") && !reduce->HasAttr("nothing"));
	CHECK(reduce->GetInputDesc(1, desc) == GRAPH_SUCCESS && desc.GetShape().GetDim(1) == 4);
	CHECK(reduce->GetInputDesc(2, desc) != GRAPH_SUCCESS && reduce->GetOutputDesc(-1, desc) != GRAPH_SUCCESS);
	const std::pair<GNodePtr, int32_t> source = reduce->GetInDataNodesAndPortIndexs(1);
	CHECK(source.first->GetName(name) == GRAPH_SUCCESS && name == "mean" && source.second == 0);
	CHECK(reduce->GetInDataNodesAndPortIndexs(5).first == nullptr);
	const auto readers = source.first->GetOutDataNodesAndPortIndexs(0);
	CHECK(readers.size() == 1 && readers[0].second == 1);
	const GNode empty;
	CHECK(empty.GetName(name) != GRAPH_SUCCESS && empty.GetType(type) != GRAPH_SUCCESS &&
	      empty.GetInputsSize() == 0);
	CHECK(!empty.HasAttr("a") && empty.GetInDataNodesAndPortIndexs(0).first == nullptr);
	(void)errors();
}

static void test_editing()
{
	Graph graph("g"), copy;
	GNode x = graph.AddNodeByOp(op::Data("x")), y = graph.AddNodeByOp(op::Identity("y")),
	      z = graph.AddNodeByOp(op::Data("x"));
	AscendString name;

	CHECK(x.GetName(name) == GRAPH_SUCCESS && z.GetName(name) != GRAPH_SUCCESS &&
	      contains(errors(), "has a node already"));
	CHECK(graph.AddDataEdge(x, 0, y, 0) == GRAPH_SUCCESS && graph.AddDataEdge(x, 0, y, 0) != GRAPH_SUCCESS);
	CHECK(graph.AddControlEdge(x, y) == GRAPH_SUCCESS && y.GetInControlNodes().size() == 1 &&
	      x.GetOutControlNodes().size() == 1);
	CHECK(graph.RemoveEdge(x, 0, y, 0) == GRAPH_SUCCESS && graph.RemoveEdge(x, 0, y, 0) != GRAPH_SUCCESS);
	CHECK(graph.RemoveEdge(x, -1, y, -1) == GRAPH_SUCCESS && y.GetInControlNodes().empty());
	CHECK(copy.CopyFrom(graph) == GRAPH_SUCCESS && copy.GetAllNodes().size() == 2 && copy.GetName() == "g");
	CHECK(graph.RemoveNode(y) == GRAPH_SUCCESS && graph.GetAllNodes().size() == 1 &&
	      copy.GetAllNodes().size() == 2);
	CHECK(graph.RemoveNode(y, true) != GRAPH_SUCCESS);
	(void)errors();

	const Graph part("part");
	int64_t number = 0;
	CHECK(graph.AddSubGraph(part) == GRAPH_SUCCESS && graph.AddSubGraph(part) != GRAPH_SUCCESS);
	CHECK(graph.GetSubGraph("part") != nullptr && graph.GetAllSubgraphs().size() == 1 &&
	      graph.GetSubGraph("other") == nullptr);
	CHECK(graph.RemoveSubgraph("part") == GRAPH_SUCCESS && graph.RemoveSubgraph("part") != GRAPH_SUCCESS);
	CHECK(graph.SetAttr("a", int64_t(4)) == GRAPH_SUCCESS && graph.GetAttr("a", number) == GRAPH_SUCCESS &&
	      number == 4);
	graph.SetNeedIteration(true);
	CHECK(Graph::ConstructFromInputs({ op::Data("d") }, "made")->GetName() == "made");
	CHECK(Graph::ConstructFromInputs({}, "made") == nullptr);
	(void)errors();
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void test_run()
{
	Session session(Options{ { "ge.exec.deviceId", "0" } });
	const Graph graph = std_graph("g", { 2, 4 });
	std::vector<Tensor> outputs(3);
	int64_t index = -1;

	CHECK(session.AddGraph(7, graph) == ge::SUCCESS);
	/* both Data had the index 0 */
	CHECK(graph.FindNodeByName("mean")->GetAttr("index", index) == GRAPH_SUCCESS && index == 1);
	CHECK(session.RunGraph(7, std_feeds(), outputs) == ge::SUCCESS && errors().empty());
	CHECK(outputs.size() == 1 && holds(outputs[0], { 2 }, kStd));
	CHECK(outputs[0].GetPlacement() == kPlacementHost);

	/* results may go where the feeds were */
	std::vector<Tensor> both = std_feeds();
	CHECK(session.RunGraph(7, both, both) == ge::SUCCESS && both.size() == 1 && holds(both[0], { 2 }, kStd));

	CHECK(session.RunGraph(8, std_feeds(), outputs) == kNotExist &&
	      contains(errors(), "(graph_id=8) does not exist"));
	CHECK(session.RunGraph(7, { feed({ 2, 4 }, kEight) }, outputs) != ge::SUCCESS && !errors().empty());
	CHECK(outputs.empty());
	CHECK(session.RunGraph(7, std_feeds(), outputs) == ge::SUCCESS && outputs.size() == 1);
	std::vector<ge::Tensor> variables;
	CHECK(session.CompileGraph(7) == ge::SUCCESS && session.CompileGraph(8) != ge::SUCCESS);
	CHECK(session.LoadGraph(7, {}, nullptr) == ge::SUCCESS && session.LoadGraph(8, {}, nullptr) != ge::SUCCESS);
	(void)errors();
	CHECK(session.GetVariables({}, variables) == ge::FAILED && contains(errors(), "no variables"));
	CHECK(session.RemoveGraph(8) == ge::FAILED && session.RemoveGraph(7) == ge::SUCCESS);
	CHECK(session.RunGraph(7, std_feeds(), outputs) == kNotExist);
	(void)errors();
}

static void test_add_graph()
{
	Session session((Options())), second((std::map<std::string, std::string>()));
	const Graph graph = std_graph("g", { 2, 4 }), other = std_graph("other", { 2, 4 });
	std::vector<Tensor> outputs;

	CHECK(session.AddGraph(0, graph, Options{ { "", "1" } }) == ge::FAILED &&
	      contains(errors(), "the key is empty"));
	CHECK(session.AddGraph(0, graph, std::map<std::string, std::string>{ { "ge.exec.precision_mode", "x" } }) ==
	      ge::SUCCESS);
	CHECK(session.AddGraph(0, other) == ge::SUCCESS && contains(warnings(), "is ignored"));
	CHECK(session.AddGraph(1, graph) == ge::FAILED && second.AddGraph(0, graph) == ge::FAILED &&
	      contains(errors(), "has been added"));
	CHECK(session.AddGraph(1, other) == ge::SUCCESS); /* it was not added before */
	CHECK(session.RemoveGraph(0) == ge::SUCCESS && session.AddGraph(0, graph) == ge::FAILED);
	CHECK(second.AddGraphWithCopy(0, graph) == ge::SUCCESS && second.AddGraphWithCopy(0, graph) == ge::FAILED);
	CHECK(second.RunGraph(0, std_feeds(), outputs) == ge::SUCCESS && holds(outputs[0], { 2 }, kStd));
	CHECK(session.GetSessionId() != second.GetSessionId());
	(void)errors();

	/* the graph lives on in its session, when nobody else has it */
	{
		const Graph short_lived = std_graph("short", { 2, 4 });
		CHECK(session.AddGraph(5, short_lived) == ge::SUCCESS);
	}
	CHECK(session.RunGraph(5, std_feeds(), outputs) == ge::SUCCESS);
}

/* -1 and -2, a Data without a desc, several shapes, a scalar. */
static void test_shapes()
{
	Session session(Options{ { "ge.jit_compile", "0" } });
	std::vector<Tensor> outputs;

	CHECK(session.AddGraph(1, std_graph("rows", { -1, -1 })) == ge::SUCCESS);
	CHECK(session.AddGraph(2, std_graph("any", { -2 })) == ge::SUCCESS);
	for (uint32_t id = 1; id <= 2; id++) {
		CHECK(session.RunGraph(id, std_feeds(), outputs) == ge::SUCCESS && holds(outputs[0], { 2 }, kStd));
		CHECK(session.RunGraph(id,
		                       { feed({ 1, 4 }, { 1, 2, 3, 4 }), feed({ 1, 4 }, { 2.5F, 2.5F, 2.5F, 2.5F }) },
		                       outputs) == ge::SUCCESS);
		CHECK(holds(outputs[0], { 1 }, { kStd[0] }));
	}

	op::Data x("x"), mean("mean");
	op::ReduceStdWithMean reduce("reduce");
	reduce.set_input_x(x).set_input_mean(mean);
	Graph graph("bare");
	graph.SetInputs({ x, mean }).SetOutputs({ reduce });
	CHECK(session.AddGraph(3, graph) == ge::SUCCESS);
	CHECK(session.RunGraph(3, { feed({ 2 }, { 1, 3 }), feed({ 2 }, { 2, 2 }) }, outputs) == ge::SUCCESS);
	CHECK(holds(outputs[0], {}, { 1.41421354F }) && outputs[0].GetSize() == 4);
	CHECK(outputs[0].GetTensorDesc().GetShape().GetDimNum() == 0);
	CHECK(errors().empty());
}

static void test_run_fails()
{
	Session session((Options()));
	std::vector<Tensor> outputs;
	op::Data x("x"), mean("mean");
	op::OfAnotherHouse strange("strange");
	op::ReduceStdWithMean reduce("reduce");
	op::Reshape reshape("reshape");

	strange.set_input_x(x);
	Graph unknown("unknown"), wrong("wrong"), missing("missing");
	unknown.SetInputs({ x }).SetOutputs({ strange });
	CHECK(session.AddGraph(0, unknown) == ge::SUCCESS &&
	      session.RunGraph(0, { feed({ 2 }, { 1, 2 }) }, outputs) == ge::FAILED);
	const std::string message = errors();
	CHECK(contains(message, "strange") && contains(message, "OfAnotherHouse"));

	op::Data a("a"), b("b");
	reduce.set_input_x(a).set_input_mean(b).set_attr_dim({ 1 });
	wrong.SetInputs({ a, b }).SetOutputs({ reduce });
	CHECK(session.AddGraph(1, wrong) == ge::SUCCESS);
	CHECK(session.RunGraph(1, { feed({ 2 }, { 1, 2 }), feed({ 2 }, { 1, 2 }) }, outputs) == ge::FAILED);
	const std::string range = errors();
	CHECK(contains(range, "Call InferShapeAndType for node:reduce(ReduceStdWithMean) failed") &&
	      contains(range, "dim[0]=1 out of range [-1, 1)"));
	CHECK(session.RunGraph(1, { feed({ 2, 1 }, { 1, 2 }), feed({ 2 }, { 1, 2 }) }, outputs) == ge::FAILED);
	CHECK(contains(errors(), "mean rank=1 != x rank=2"));
	const Tensor half(TensorDesc(Shape({ 2, 1 }), FORMAT_ND, DT_FLOAT16), std::vector<uint8_t>(4));
	CHECK(session.RunGraph(1, { feed({ 2, 1 }, { 1, 2 }), half }, outputs) == ge::FAILED);
	CHECK(contains(errors(), "mean dtype 1 != x dtype 0"));
	CHECK(session.RunGraph(1, { feed({ 2, 1 }, { 1 }), feed({ 2, 1 }, { 1, 2 }) }, outputs) == ge::FAILED &&
	      !errors().empty());
	CHECK(session.RunGraph(1, { feed({ 1, 2 }, { 1, 3 }), feed({ 1, 2 }, { 2, 2 }) }, outputs) == ge::SUCCESS);

	op::Data c("c");
	reshape.set_input_x(c);
	missing.SetInputs({ c }).SetOutputs({ reshape });
	CHECK(session.AddGraph(2, missing) == ge::SUCCESS &&
	      session.RunGraph(2, { feed({ 2 }, { 1, 2 }) }, outputs) == ge::FAILED);
	CHECK(contains(errors(), "reshape"));
}

static void test_async_and_build()
{
	Session session((Options()));
	Status given = 1;
	size_t count = 0;
	std::vector<Tensor> outputs;

	CHECK(session.AddGraph(0, std_graph("g", { 2, 4 })) == ge::SUCCESS && session.IsGraphNeedRebuild(0));
	CHECK(session.BuildGraph(0, std_feeds()) == ge::SUCCESS && !session.IsGraphNeedRebuild(0));
	CHECK(session.BuildGraph(0, { InputTensorInfo{ DT_FLOAT, { 3, 4 }, nullptr, 0 },
	                              InputTensorInfo{ DT_FLOAT, { 3, 4 }, nullptr, 0 } }) == ge::SUCCESS);
	CHECK(session.RunGraphAsync(0, std_feeds(), [&](Status status, std::vector<Tensor> &results) {
		given = status;
		count = results.size();
	}) == ge::SUCCESS);
	CHECK(given == ge::SUCCESS && count == 1);
	CHECK(session.RunGraphWithStreamAsync(0, nullptr, std_feeds(), outputs) == ge::SUCCESS && outputs.size() == 1);
	CHECK(session.RegisterCallBackFunc("k", nullptr) != ge::SUCCESS && errors().empty());
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static bool exists(const char *name)
{
	struct stat about;
	return stat(name, &about) == 0;
}

static void test_files()
{
	const Graph graph = std_graph("saved", { 2, 4 });
	Graph from_file("a"), from_memory("b"), from_bytes("c"), from_array("d");
	GraphBuffer buffer;
	Session session((Options()));
	std::vector<Tensor> outputs;

	CHECK(graph.SaveToFile("models/g.air") == GRAPH_SUCCESS &&
	      from_file.LoadFromFile(std::string("models/g.air")) == GRAPH_SUCCESS);
	CHECK(from_file.GetName() == "saved" && from_file.IsValid());
	CHECK(graph.SaveToMem(buffer) == GRAPH_SUCCESS && buffer.GetSize() > 0 &&
	      from_memory.LoadFromMem(buffer) == GRAPH_SUCCESS);
	CHECK(from_bytes.LoadFromMem(buffer.GetData(), buffer.GetSize()) == GRAPH_SUCCESS);
	CHECK(from_array.LoadFromSerializedModelArray(buffer.GetData(), buffer.GetSize()) == GRAPH_SUCCESS);
	CHECK(from_array.LoadFromMem(buffer.GetData(), buffer.GetSize() / 2) != GRAPH_SUCCESS && from_array.IsValid());
	CHECK(from_array.LoadFromFile("models/none.air") != GRAPH_SUCCESS &&
	      Graph("bare").SaveToFile(std::string("h.air")) != GRAPH_SUCCESS);
	(void)errors();
	CHECK(session.AddGraph(0, from_file) == ge::SUCCESS && session.AddGraph(1, from_bytes) == ge::SUCCESS);
	for (uint32_t id = 0; id < 2; id++)
		CHECK(session.RunGraph(id, std_feeds(), outputs) == ge::SUCCESS && holds(outputs[0], { 2 }, kStd));
}

static void test_dumps()
{
	const Graph graph = std_graph("dumped", { 2, 4 });
	std::ostringstream readable, onnx, txt, broken;

	CHECK(graph.Dump(Graph::DumpFormat::kReadable, readable) == GRAPH_SUCCESS &&
	      contains(readable.str(), "graph(\"dumped\"):"));
	CHECK(graph.Dump(Graph::DumpFormat::kOnnx, onnx) == GRAPH_SUCCESS &&
	      contains(onnx.str(), "ge:ReduceStdWithMean"));
	CHECK(graph.Dump(Graph::DumpFormat::kTxt, txt) == GRAPH_SUCCESS &&
	      contains(txt.str(), "type: \"ReduceStdWithMean\""));
	broken.setstate(std::ios::badbit);
	CHECK(graph.Dump(Graph::DumpFormat::kTxt, broken) != GRAPH_SUCCESS);
	CHECK(graph.DumpToFile(Graph::DumpFormat::kReadable, "s") == GRAPH_SUCCESS &&
	      exists("ge_readable_00000000_graph_0_s.txt"));
	CHECK(aclgrphDumpGraph(graph, "./dump", 6) == GRAPH_SUCCESS);
	CHECK(exists("ge_proto_00000_graph_0_dump.txt") && exists("ge_onnx_00000_graph_0_dump.pbtxt"));
	CHECK(aclgrphDumpGraph(graph, "./dump", 5) == GRAPH_PARAM_INVALID &&
	      aclgrphDumpGraph(graph, nullptr, 0) == GRAPH_PARAM_INVALID);
	(void)errors();
}

static void test_models()
{
	Options options;
	const Graph graph = std_graph("model", { 2, 4 });
	ModelBufferData model;
	Graph loaded, generated;
	int32_t major = 0, minor = 1, patch = 1;

	CHECK(aclgrphBuildInitialize(options) == GRAPH_SUCCESS &&
	      aclgrphBuildInitialize(std::map<std::string, std::string>()) == GRAPH_SUCCESS);
	CHECK(aclgrphSaveModel("model", model) == GRAPH_PARAM_INVALID);
	CHECK(aclgrphBuildModel(graph, options, model) == GRAPH_SUCCESS && model.length > 0);
	CHECK(aclgrphSaveModel("model", model) == GRAPH_SUCCESS && exists("model.om"));
	CHECK(aclgrphSaveModel(static_cast<const char_t *>(nullptr), model) == GRAPH_PARAM_INVALID);
	CHECK(aclgrphSaveModel(std::string("nowhere/model"), model) != GRAPH_SUCCESS);
	CHECK(loaded.LoadFromFile("model.om") == GRAPH_SUCCESS);
	TensorDesc desc;
	CHECK(loaded.FindNodeByName("reduce")->GetOutputDesc(0, desc) == GRAPH_SUCCESS &&
	      desc.GetShape().GetDim(0) == 2);
	CHECK(aclgrphGetIRVersion(&major, &minor, &patch) == GRAPH_SUCCESS && major == 1 && minor == 0 && patch == 0);
	CHECK(aclgrphGetIRVersion(nullptr, &minor, &patch) != GRAPH_SUCCESS);
	CHECK(aclgrphGenerateForOp("ReduceStdWithMean", { floats({ 2, 4 }), floats({ 2, 4 }) }, { floats({}) },
	                           generated) == GRAPH_SUCCESS);
	CHECK(generated.GetAllNodes().size() == 3);
	CHECK(aclgrphGenerateForOp("NoSuchType", {}, {}, generated) != GRAPH_SUCCESS);
	std::vector<Graph> graphs;
	CHECK(aclgrphGenerateForOp("json", graphs) != GRAPH_SUCCESS && contains(errors(), "CANN's compiler"));
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static void test_after_finalize()
{
	std::unique_ptr<Session> late(new Session((Options()))), early(new Session((Options())));
	std::vector<Tensor> outputs;

	CHECK(late->AddGraph(0, std_graph("g", { 2, 4 })) == ge::SUCCESS);
	early.reset();
	CHECK(GEFinalize() == ge::SUCCESS && GEFinalize() == ge::SUCCESS);
	CHECK(late->RunGraph(0, std_feeds(), outputs) == ge::FAILED &&
	      late->AddGraph(1, std_graph("h", { 2, 4 })) == ge::FAILED);
	CHECK(contains(errors(), "GEFinalize"));
	late.reset();
	CHECK(GEInitialize(Options()) == ge::SUCCESS);
	Session again((Options()));
	CHECK(again.AddGraph(0, std_graph("g", { 2, 4 })) == ge::SUCCESS &&
	      again.RunGraph(0, std_feeds(), outputs) == ge::SUCCESS);
	aclgrphBuildFinalize();
	CHECK(again.RunGraph(0, std_feeds(), outputs) == ge::FAILED);
}

int main()
{
	char directory[] = "/tmp/rstd-face-session-XXXXXX";
	if (mkdtemp(directory) == nullptr || chdir(directory) != 0)
		return 1;
	test_before_initialize();
	test_initialize();
	test_messages();
	test_set_inputs();
	test_set_outputs();
	test_op_list();
	test_nodes();
	test_editing();
	test_run();
	test_add_graph();
	test_shapes();
	test_run_fails();
	test_async_and_build();
	test_files();
	test_dumps();
	test_models();
	test_after_finalize();
	const std::string remove = std::string("rm -rf ") + directory;
	return chdir("/") != 0 || std::system(remove.c_str()) != 0 ? 1 : verdict();
}
