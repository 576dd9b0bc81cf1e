/*
 * tools.h - the macro and the function by which the programs of this directory make their inputs; part of each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define ADD_INPUT(index, name, dims, type)                                                                             \
	std::vector<int64_t> name##_dims = dims;                                                                       \
	auto name = op::Data(("placeholder" + std::to_string(index)).c_str()).set_attr_index(0);                       \
	TensorDesc name##_desc = TensorDesc(ge::Shape(name##_dims), FORMAT_ND, type);                                  \
	name##_desc.SetPlacement(ge::kPlacementHost);                                                                  \
	name##_desc.SetFormat(FORMAT_ND);                                                                              \
	name##_desc.SetRealDimCnt(static_cast<int64_t>(name##_dims.size()));                                           \
	name.update_input_desc_x(name##_desc);                                                                         \
	name.update_output_desc_y(name##_desc);                                                                        \
	input.push_back(Zeros(name##_desc));                                                                           \
	graph.AddOp(name);                                                                                             \
	inputs.push_back(name);

static ge::Tensor Zeros(const TensorDesc &desc)
{
	const int64_t count = desc.GetShape().GetShapeSize();
	const size_t size = static_cast<size_t>(count) * static_cast<size_t>(GetSizeByDataType(desc.GetDataType()));
	uint8_t *bytes = new uint8_t[size]();
	ge::Tensor tensor(desc, bytes, size);
	delete[] bytes;
	return tensor;
}
