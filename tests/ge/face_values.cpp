/*
 * face_values.cpp - the value classes of the C++ face: AscendString, Shape, TensorDesc, Tensor, types, attribute values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "face.h"
#include "ge_api.h"
#include "graph.h"
#include "tensor.h"
#include "types.h"

using namespace ge;

/* ---- AscendString ------------------------------------------------------------------------------------------------ */

static void test_ascend_string()
{
	const AscendString unset, null(nullptr), empty(""), a("a"), b("b"), part("abcdef", 3);

	CHECK(std::strcmp(unset.GetString(), "") == 0 && unset.GetLength() == 0);
	CHECK(unset == null && !(unset < null) && unset <= null && unset >= null);
	CHECK(unset < empty && unset != empty && empty > unset && !(unset == empty) && !(empty <= unset));
	CHECK(empty < a && a < b && b > a && a <= a && a >= a && a != b && b >= a && !(b <= a));
	CHECK(a == "a" && a != "b" && empty == "" && unset != "");
	CHECK(std::strcmp(part.GetString(), "abc") == 0 && part.GetLength() == 3);
	CHECK(part.Find("bc") == 1 && part.Find("x") == std::string::npos);
	CHECK(part.Find(unset) == std::string::npos && unset.Find(a) == std::string::npos);
	CHECK(a.Hash() == AscendString("a").Hash() && std::hash<AscendString>()(a) == a.Hash());

	std::unordered_map<AscendString, int> map;
	map[a] = 1;
	map["a"]++;
	CHECK(map.size() == 1 && map[a] == 2);
	const std::set<AscendString> ordered = { b, empty, a, unset };
	CHECK(ordered.size() == 4 && *ordered.begin() == unset && *ordered.rbegin() == b);

	CHECK(ConvertToAscendString(std::string("x")) == "x");
	CHECK(ConvertToListAscendString(std::vector<std::string>{ "x", "y" })[1] == "y");
}

/* ---- Shape ------------------------------------------------------------------------------------------------------- */

static void test_shape()
{
	const Shape scalar, plain({ 2, 3, 4 }), unknown({ 2, -1, 4 }), unranked({ 3, -2, 5 });
	const Shape large({ INT64_MAX, 2 }), none({ 2, 0, 3 });

	CHECK(scalar.GetDimNum() == 0 && scalar.GetShapeSize() == 0 && scalar.GetDims().empty());
	CHECK(Shape(std::vector<int64_t>()).GetShapeSize() == 0);
	CHECK(plain.GetDimNum() == 3 && plain.GetShapeSize() == 24 && plain.GetDim(2) == 4 && plain.GetDim(3) == 0);
	CHECK(unknown.GetDimNum() == 3 && unknown.GetShapeSize() == -1);
	CHECK(unranked.GetDimNum() == 0 && unranked.GetShapeSize() == -1 && unranked.GetDims() == UNKNOWN_RANK);
	CHECK(large.GetShapeSize() == 0 && none.GetShapeSize() == 0 && none.GetDimNum() == 3);

	Shape shape({ 2, 3 });
	const TensorDesc desc(shape);
	Shape copy = desc.GetShape();
	CHECK(copy.SetDim(1, 7) == GRAPH_SUCCESS);
	CHECK(shape.GetDim(1) == 7 && desc.GetShape().GetDim(1) == 7);
	CHECK(copy.SetDim(2, 7) != GRAPH_SUCCESS && Shape().SetDim(0, 1) != GRAPH_SUCCESS);
}

/* ---- TensorDesc -------------------------------------------------------------------------------------------------- */

static bool is_default(const TensorDesc &desc)
{
	return desc.GetShape().GetDimNum() == 0 && desc.GetFormat() == FORMAT_ND && desc.GetDataType() == DT_FLOAT &&
	       desc.GetOriginFormat() == FORMAT_ND && desc.GetPlacement() == kPlacementHost && desc.GetSize() == 0 &&
	       desc.GetRealDimCnt() == 0 && desc.GetName().empty();
}

static void test_desc_fields()
{
	TensorDesc desc;
	CHECK(is_default(desc));
	desc.SetShape(Shape({ 4 }));
	desc.SetOriginShape(Shape({ 2, 2 }));
	desc.SetFormat(FORMAT_NCHW);
	desc.SetOriginFormat(FORMAT_NHWC);
	desc.SetDataType(DT_BF16);
	desc.SetSize(8);
	desc.SetRealDimCnt(1);
	desc.SetPlacement(kPlacementDevice);
	desc.SetName(std::string("a"));
	desc.SetName("b");
	desc.SetReuseInputIndex(3);
	desc.SetExpandDimsRule("1000");

	AscendString name, rule;
	CHECK(desc.GetShape().GetDim(0) == 4 && desc.GetOriginShape().GetShapeSize() == 4);
	CHECK(desc.GetFormat() == FORMAT_NCHW && desc.GetOriginFormat() == FORMAT_NHWC &&
	      desc.GetDataType() == DT_BF16);
	CHECK(desc.GetSize() == 8 && desc.GetRealDimCnt() == 1 && desc.GetPlacement() == kPlacementDevice);
	CHECK(desc.GetName(name) == GRAPH_SUCCESS && name == "b" && desc.GetName() == "b");
	CHECK(desc.GetExpandDimsRule(rule) == GRAPH_SUCCESS && rule == "1000");

	std::vector<std::pair<int64_t, int64_t>> range;
	CHECK(desc.SetShapeRange({ { 1, 8 } }) == GRAPH_SUCCESS);
	CHECK(desc.GetShapeRange(range) == GRAPH_SUCCESS && range.size() == 1 && range[0].second == 8);
	CHECK(desc.SetUnknownDimNumShape() == GRAPH_SUCCESS && desc.GetShape().GetDims() == UNKNOWN_RANK);
	desc.Update(Shape({ 1, 2 }), FORMAT_ND, DT_INT8);
	CHECK(desc.GetShape().GetDimNum() == 2 && desc.GetDataType() == DT_INT8 && desc.GetFormat() == FORMAT_ND);
	CHECK(TensorDesc(Shape({ 1, 2, 3 }), FORMAT_ND, DT_FLOAT16).GetRealDimCnt() == 3);
}

static void test_desc_copies()
{
	TensorDesc desc(Shape({ 2 }), FORMAT_NCHW, DT_INT32);
	TensorDesc copy(desc);
	copy.SetDataType(DT_INT64);
	copy.SetShape(Shape({ 5 }));
	CHECK(desc.GetDataType() == DT_INT32 && desc.GetShape().GetDim(0) == 2);

	TensorDesc moved(std::move(desc));
	CHECK(moved.GetDataType() == DT_INT32 && is_default(desc));
	TensorDesc assigned;
	assigned = std::move(moved);
	CHECK(assigned.GetFormat() == FORMAT_NCHW && is_default(moved));
	assigned = copy;
	CHECK(assigned.GetDataType() == DT_INT64 && copy.GetDataType() == DT_INT64);
}

static void test_desc_const_data()
{
	TensorDesc desc;
	uint8_t *data = nullptr;
	size_t size = 0;
	CHECK(!desc.GetConstData(&data, size));
	std::unique_ptr<uint8_t[]> bytes(new uint8_t[3]{ 1, 2, 3 });
	desc.SetConstData(std::move(bytes), 3);
	CHECK(desc.GetConstData(&data, size) && size == 3 && data[2] == 3);
}

/* ---- Tensor ------------------------------------------------------------------------------------------------------ */

static void test_tensor_bytes()
{
	uint8_t bytes[] = { 1, 2, 3, 4 };
	const TensorDesc desc(Shape({ 4 }), FORMAT_ND, DT_INT8);
	Tensor tensor(desc, bytes, sizeof(bytes));
	bytes[0] = 9; /* was copied */
	CHECK(tensor.GetSize() == 4 && tensor.GetData()[0] == 1 && tensor.GetTensorDesc().GetDataType() == DT_INT8);

	Tensor same = tensor;
	const Tensor deep = tensor.Clone();
	same.GetData()[1] = 7;
	CHECK(tensor.GetData()[1] == 7 && deep.GetData()[1] == 2);
	CHECK(same.SetTensorDesc(TensorDesc(Shape({ 2 }), FORMAT_ND, DT_INT16)) == GRAPH_SUCCESS);
	CHECK(tensor.GetDataType() == DT_INT16 && deep.GetDataType() == DT_INT8);

	CHECK(tensor.SetData(static_cast<const uint8_t *>(nullptr), 3) != GRAPH_SUCCESS && tensor.GetSize() == 4);
	CHECK(tensor.SetData(bytes, 0) == GRAPH_SUCCESS && tensor.GetSize() == 0 && tensor.GetData() == nullptr);
	CHECK(tensor.SetData(std::vector<uint8_t>{ 5, 6 }) == GRAPH_SUCCESS && tensor.GetData()[1] == 6);

	const Tensor from_vector(desc, std::vector<uint8_t>{ 1, 2 }), bare(desc), nothing;
	CHECK(from_vector.GetSize() == 2 && bare.GetSize() == 0 && bare.GetData() == nullptr && nothing.GetSize() == 0);
	const Tensor moved_in(TensorDesc(Shape({ 1 }), FORMAT_ND, DT_UINT8), std::vector<uint8_t>{ 3 });
	CHECK(moved_in.GetData()[0] == 3 && moved_in.GetDataType() == DT_UINT8);

	Tensor taken(std::move(same));
	CHECK(same.GetSize() == 2 && taken.GetSize() == 2); /* what was moved from can still be used */
}

static void test_tensor_adopts()
{
	static int deleted;
	uint8_t bytes[] = { 1, 2, 3 };
	const Tensor::DeleteFunc count = [](uint8_t *) { deleted++; };
	{
		Tensor tensor;
		CHECK(tensor.SetData(bytes, 3, count) == GRAPH_SUCCESS && tensor.GetData() == bytes && deleted == 0);
		CHECK(tensor.SetData(bytes, 2, count) == GRAPH_SUCCESS && deleted == 1 && tensor.GetSize() == 2);
		{
			const std::unique_ptr<uint8_t[], Tensor::DeleteFunc> given = tensor.ResetData();
			CHECK(given.get() == bytes && tensor.GetSize() == 0 && tensor.GetData() == nullptr &&
			      deleted == 1);
		}
		CHECK(deleted == 2);
		CHECK(tensor.ResetData(bytes, 1, count) == GRAPH_SUCCESS && tensor.GetSize() == 1);
	}
	CHECK(deleted == 3);
}

static void test_tensor_texts()
{
	Tensor tensor;
	CHECK(tensor.SetData(std::vector<std::string>{ "ab", "", "c" }) == GRAPH_SUCCESS);
	CHECK(tensor.GetSize() == 6 * sizeof(int64_t) + 6);
	int64_t heads[6];
	std::memcpy(heads, tensor.GetData(), sizeof(heads));
	CHECK(heads[0] == 48 && heads[1] == 2 && heads[2] == 51 && heads[3] == 0 && heads[4] == 52 && heads[5] == 1);
	CHECK(std::memcmp(tensor.GetData() + 48, "ab\0\0c", 6) == 0);
	CHECK(tensor.SetData("one") == GRAPH_SUCCESS && tensor.GetSize() == 16 + 4);
	CHECK(tensor.SetData(std::string("one")) == GRAPH_SUCCESS && tensor.GetSize() == 16 + 4);
	CHECK(tensor.SetData(std::vector<AscendString>{ "one", "two" }) == GRAPH_SUCCESS && tensor.GetSize() == 32 + 8);
	CHECK(tensor.SetData(static_cast<const char_t *>(nullptr)) != GRAPH_SUCCESS);
}

static void test_tensor_fields()
{
	Tensor tensor(TensorDesc(Shape({ 2, 3 }), FORMAT_ND, DT_FLOAT));
	CHECK(tensor.IsValid() != GRAPH_SUCCESS);
	CHECK(tensor.SetData(std::vector<uint8_t>(24)) == GRAPH_SUCCESS && tensor.IsValid() == GRAPH_SUCCESS);
	CHECK(tensor.GetShapeDimNum() == 2 && tensor.GetShapeDim(1) == 3);
	CHECK(tensor.SetShapeDimNum(3) == GRAPH_SUCCESS && tensor.SetShapeDim(2, 5) == GRAPH_SUCCESS);
	CHECK(tensor.GetShapeDim(2) == 5 && tensor.SetShapeDim(3, 1) != GRAPH_SUCCESS);
	CHECK(tensor.SetOriginShapeDimNum(1) == GRAPH_SUCCESS && tensor.SetOriginShapeDim(0, 9) == GRAPH_SUCCESS);
	CHECK(tensor.GetOriginShapeDimNum() == 1 && tensor.GetOriginShapeDim(0) == 9);
	CHECK(tensor.SetFormat(FORMAT_NCHW) == GRAPH_SUCCESS && tensor.GetFormat() == FORMAT_NCHW);
	CHECK(tensor.SetOriginFormat(FORMAT_NHWC) == GRAPH_SUCCESS && tensor.GetOriginFormat() == FORMAT_NHWC);
	CHECK(tensor.SetDataType(DT_INT8) == GRAPH_SUCCESS && tensor.GetDataType() == DT_INT8);
	CHECK(tensor.SetPlacement(kPlacementDevice) == GRAPH_SUCCESS && tensor.GetPlacement() == kPlacementDevice);
	CHECK(tensor.SetExpandDimsRule("01") == GRAPH_SUCCESS && tensor.GetExpandDimsRule() == "01");
}

/* ---- Types ------------------------------------------------------------------------------------------------------- */

static void test_sizes()
{
	static const int sizes[] = { 4,    2,    1,    4, 1, -1, 2, 2, 4,    8,    8,    8,    1,   -1, 1,
		                     1,    8,    16,   1, 2, 4,  1, 2, 8,    -1,   5,    8,    2,   -1, 1004,
		                     1001, 1002, 1002, 4, 1, 1,  1, 1, 1006, 1006, 1004, 1004, 1004 };
	for (int i = 0; i < DT_MAX; i++)
		CHECK(GetSizeByDataType(static_cast<DataType>(i)) == sizes[i]);
	CHECK(GetSizeByDataType(DT_MAX) == -1 && GetSizeByDataType(static_cast<DataType>(-1)) == -1);
	CHECK(GetSizeInBytes(3, DT_FLOAT) == 12 && GetSizeInBytes(3, DT_INT4) == 2 && GetSizeInBytes(0, DT_FLOAT) == 0);
	CHECK(GetSizeInBytes(-1, DT_FLOAT) == -1 && GetSizeInBytes(1, DT_STRING) == -1);
	CHECK(GetSizeInBytes(INT64_MAX, DT_FLOAT) == -1 && GetSizeInBytes(INT64_MAX, DT_INT4) == -1);
}

static void test_formats()
{
	CHECK(std::strcmp(GetFormatName(FORMAT_ND), "ND") == 0 &&
	      std::strcmp(GetFormatName(FORMAT_RESERVED), "FORMAT_RESERVED") == 0);
	CHECK(std::strcmp(GetFormatName(FORMAT_HASHTABLE_LOOKUP_HITS), "LOOKUP_HITS") == 0);
	CHECK(std::strcmp(GetFormatName(FORMAT_FRACTAL_NZ_C0_8), "FRACTAL_NZ_C0_8") == 0);
	CHECK(FORMAT_FRACTAL_NZ == 29 && FORMAT_NCL == 47 && FORMAT_END == 55 && FORMAT_MAX == 255 &&
	      FORMAT_NULL == 42);
	const int32_t packed = GetFormatFromSubAndC0(FORMAT_FRACTAL_Z, 8, 5);
	CHECK(GetPrimaryFormat(packed) == FORMAT_FRACTAL_Z && GetSubFormat(packed) == 8 && GetC0Value(packed) == 16);
	CHECK(HasSubFormat(packed) && HasC0Format(packed) && !HasSubFormat(FORMAT_ND) && !HasC0Format(FORMAT_ND));
	CHECK(DT_BF16 == 27 && static_cast<int>(C_DT_BF16) == DT_BF16 && static_cast<int>(C_FORMAT_ND) == FORMAT_ND &&
	      NPU == 0 && CPU == 1);
	CHECK(kPlacementHost == 0 && kPlacementDevice == 1 && kPlacementEnd == 2 && PREDICTION == 0 && TRAIN == 1);
	CHECK(UNKNOWN_DIM == -1 && UNKNOWN_DIM_NUM == -2 && UNKNOWN_SHAPE[0] == -1 && DUMMY_SHAPE[0] == -3);
}

static bool same_types(const TensorType &type, std::vector<DataType> expected)
{
	std::vector<DataType> types = type.GetTypes();
	std::sort(types.begin(), types.end());
	std::sort(expected.begin(), expected.end());
	return types == expected;
}

static void test_type_sets()
{
	const std::vector<DataType> real = { DT_INT8,   DT_INT16,  DT_INT32,   DT_INT64, DT_UINT8,  DT_UINT16,
		                             DT_UINT32, DT_UINT64, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BF16 };
	const std::vector<DataType> complex = { DT_COMPLEX32, DT_COMPLEX64, DT_COMPLEX128 };
	const std::vector<DataType> quantified = { DT_QINT8, DT_QINT16, DT_QINT32, DT_QUINT8, DT_QUINT16 };
	const auto sum = [](std::vector<DataType> a, const std::vector<DataType> &b) {
		a.insert(a.end(), b.begin(), b.end());
		return a;
	};
	const std::vector<DataType> basic = sum(sum(real, complex), quantified);

	CHECK(same_types(TensorType::RealNumberType(), real) && same_types(TensorType::ComplexDataType(), complex));
	CHECK(same_types(TensorType::QuantifiedType(), quantified) && same_types(TensorType::BasicType(), basic));
	CHECK(same_types(TensorType::ALL(), sum(basic, { DT_BOOL, DT_RESOURCE, DT_STRING })));
	CHECK(same_types(TensorType::NumberType(), sum(sum(real, complex), { DT_QINT8, DT_QINT32, DT_QUINT8 })));
	CHECK(same_types(TensorType::OrdinaryType(), sum(sum(real, complex), { DT_BOOL })));
	CHECK(same_types(TensorType::IntegerDataType(),
	                 { DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64 }));
	CHECK(same_types(TensorType::SignedDataType(), { DT_INT8, DT_INT16, DT_INT32, DT_INT64 }));
	CHECK(same_types(TensorType::UnsignedDataType(), { DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64 }));
	CHECK(same_types(TensorType::FloatingDataType(), { DT_DOUBLE, DT_FLOAT, DT_FLOAT16 }));
	CHECK(same_types(TensorType::IndexNumberType(), { DT_INT32, DT_INT64 }));
	CHECK(same_types(TensorType::UnaryDataType(), sum(complex, { DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_BF16 })));
	CHECK(same_types(TensorType::FLOAT(), { DT_FLOAT, DT_FLOAT16, DT_BF16 }));
	CHECK(same_types(TensorType(DT_BOOL), { DT_BOOL }) &&
	      same_types(TensorType({ DT_BOOL, DT_INT8 }), { DT_BOOL, DT_INT8 }));
	CHECK(same_types(ListTensorType(TensorType(DT_BOOL)).GetType(), { DT_BOOL }));
	CHECK(std::strcmp(Promote({ "T1", "T2" }).Syms()[1], "T2") == 0);
	CHECK(!std::is_copy_constructible<Promote>::value && std::is_move_constructible<Promote>::value);
}

/* ---- Values of attributes ------------------------------------------------------------------------------------------ */

static void test_attr_value()
{
	AttrValue value;
	int64_t number = 3;
	float real = 0;
	std::string text;
	CHECK(value.GetAttrValue(number) != GRAPH_SUCCESS && number == 3);
	CHECK(value.SetAttrValue(int64_t(5)) == GRAPH_SUCCESS && value.GetAttrValue(number) == GRAPH_SUCCESS &&
	      number == 5);
	CHECK(value.GetAttrValue(real) != GRAPH_SUCCESS);
	CHECK(value.SetAttrValue(AscendString("t")) == GRAPH_SUCCESS && value.GetAttrValue(text) == GRAPH_SUCCESS &&
	      text == "t");

	NamedAttrs named, shared;
	named.SetName("n");
	CHECK(named.SetAttr("a", value) == GRAPH_SUCCESS && named.GetName() == "n");
	shared = named;
	AttrValue read;
	CHECK(shared.GetAttr("a", read) == GRAPH_SUCCESS && read.GetAttrValue(text) == GRAPH_SUCCESS);
	CHECK(shared.GetAttr("b", read) != GRAPH_SUCCESS);
	const NamedAttrs taken(std::move(shared));
	CHECK(shared.GetAttr("a", read) == GRAPH_SUCCESS && taken.GetAttr("a", read) == GRAPH_SUCCESS);
}

/* ---- Codes ------------------------------------------------------------------------------------------------------- */

static void test_codes()
{
	CHECK(GRAPH_SUCCESS == 0 && ge::SUCCESS == 0 && GRAPH_FAILED == 0xFFFFFFFF && ge::FAILED == GRAPH_FAILED);
	CHECK(GRAPH_PARAM_INVALID == 50331649 && GRAPH_NULL_PTR == 50331538 && GRAPH_RoundUp_Overflow == 50331426);
	CHECK(GRAPH_NOT_CHANGED == 1343242304 && GRAPH_PARAM_OUT_OF_RANGE == 50331644);
	CHECK(StatusFactory::Instance()->GetErrDesc(12345).empty());
	StatusFactory::Instance()->RegisterErrorNo(12345, "first");
	StatusFactory::Instance()->RegisterErrorNo(12345, std::string("second"));
	CHECK(StatusFactory::Instance()->GetErrDesc(12345) == "first");
	CHECK(StatusFactory::Instance()->GetErrDescV2(12345) == "first");
	CHECK(std::strcmp(OPTION_EXEC_DEVICE_ID, "ge.exec.deviceId") == 0 &&
	      std::strcmp(OO_CONSTANT_FOLDING, "ge.oo.constantFolding") == 0);
}

int main()
{
	test_ascend_string();
	test_shape();
	test_desc_fields();
	test_desc_copies();
	test_desc_const_data();
	test_tensor_bytes();
	test_tensor_adopts();
	test_tensor_texts();
	test_tensor_fields();
	test_sizes();
	test_formats();
	test_type_sets();
	test_attr_value();
	test_codes();
	return verdict();
}
