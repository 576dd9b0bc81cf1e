/*
 * tensor.h - Shape, TensorDesc and Tensor of CANN's graph interface
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Values of C++ alone: nothing here calls the library. Different objects may be used from different threads, except
 * that copies of a Shape share their lengths and copies of a Tensor share everything.
 */
#ifndef RSTD_CANN_GRAPH_TENSOR_H
#define RSTD_CANN_GRAPH_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "./ascend_string.h"
#include "./error_codes.h"
#include "./types.h"

namespace ge
{

/*
 * Lengths of the axes. A length of -1 is not known yet; a shape with a -2 is of unknown rank and keeps that alone. A
 * copy shares the lengths: SetDim() on one shows in the other.
 */
class Shape
{
      public:
	Shape() = default;
	explicit Shape(const std::vector<int64_t> &dims)
	{
		for (const int64_t dim : dims) {
			if (dim == UNKNOWN_DIM_NUM) {
				dims_ = std::make_shared<std::vector<int64_t>>(1, UNKNOWN_DIM_NUM);
				return;
			}
		}
		dims_ = std::make_shared<std::vector<int64_t>>(dims);
	}

	/* 0 for an unknown rank. */
	size_t GetDimNum() const
	{
		return IsUnknownRank() || dims_ == nullptr ? 0 : dims_->size();
	}

	/* 0 past the last. */
	int64_t GetDim(size_t idx) const
	{
		return dims_ == nullptr || idx >= dims_->size() ? 0 : (*dims_)[idx];
	}

	/* GRAPH_FAILED past the last. */
	graphStatus SetDim(size_t idx, int64_t value)
	{
		if (dims_ == nullptr || idx >= dims_->size())
			return GRAPH_FAILED;
		(*dims_)[idx] = value;
		return GRAPH_SUCCESS;
	}

	std::vector<int64_t> GetDims() const
	{
		return dims_ == nullptr ? std::vector<int64_t>() : *dims_;
	}

	/* The product of the lengths; 0 without axes and for a product that overflows, -1 while a length is not known. */
	int64_t GetShapeSize() const
	{
		if (dims_ == nullptr || dims_->empty())
			return 0;
		for (const int64_t dim : *dims_) {
			if (dim < 0)
				return UNKNOWN_DIM;
		}
		int64_t size = 1;
		for (const int64_t dim : *dims_) {
			if (dim != 0 && size > std::numeric_limits<int64_t>::max() / dim)
				return 0;
			size *= dim;
		}
		return size;
	}

      private:
	bool IsUnknownRank() const
	{
		return dims_ != nullptr && dims_->size() == 1 && dims_->front() == UNKNOWN_DIM_NUM;
	}

	std::shared_ptr<std::vector<int64_t>> dims_;
};

/* What is known of a tensor but its elements. Copies are independent, but for the lengths of their shapes. */
class TensorDesc
{
      public:
	TensorDesc() = default;
	explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType dt = DT_FLOAT)
	{
		Update(shape, format, dt);
	}
	TensorDesc(const TensorDesc &other) = default;
	TensorDesc &operator=(const TensorDesc &other) = default;
	TensorDesc(TensorDesc &&other)
	{
		*this = std::move(other);
	}
	TensorDesc &operator=(TensorDesc &&other)
	{
		if (this != &other) {
			fields_ = std::move(other.fields_);
			other.fields_ = Fields();
		}
		return *this;
	}
	~TensorDesc() = default;

	void Update(const Shape &shape, Format format = FORMAT_ND, DataType dt = DT_FLOAT)
	{
		fields_.shape = shape;
		fields_.format = format;
		fields_.data_type = dt;
		fields_.real_dim_cnt = static_cast<int64_t>(shape.GetDimNum());
	}

	Shape GetShape() const
	{
		return fields_.shape;
	}
	void SetShape(const Shape &shape)
	{
		fields_.shape = shape;
	}
	graphStatus SetUnknownDimNumShape()
	{
		fields_.shape = Shape(UNKNOWN_RANK);
		return GRAPH_SUCCESS;
	}

	/* The least and greatest length of each axis that is not known yet; -1 for no greatest one. */
	graphStatus SetShapeRange(const std::vector<std::pair<int64_t, int64_t>> &range)
	{
		fields_.shape_range = range;
		return GRAPH_SUCCESS;
	}
	graphStatus GetShapeRange(std::vector<std::pair<int64_t, int64_t>> &range) const
	{
		range = fields_.shape_range;
		return GRAPH_SUCCESS;
	}

	Shape GetOriginShape() const
	{
		return fields_.origin_shape;
	}
	void SetOriginShape(const Shape &origin_shape)
	{
		fields_.origin_shape = origin_shape;
	}
	Format GetFormat() const
	{
		return fields_.format;
	}
	void SetFormat(Format format)
	{
		fields_.format = format;
	}
	Format GetOriginFormat() const
	{
		return fields_.origin_format;
	}
	void SetOriginFormat(Format origin_format)
	{
		fields_.origin_format = origin_format;
	}
	DataType GetDataType() const
	{
		return fields_.data_type;
	}
	void SetDataType(DataType dt)
	{
		fields_.data_type = dt;
	}
	int64_t GetSize() const
	{
		return fields_.size;
	}
	void SetSize(int64_t size)
	{
		fields_.size = size;
	}
	int64_t GetRealDimCnt() const
	{
		return fields_.real_dim_cnt;
	}
	void SetRealDimCnt(const int64_t real_dim_cnt)
	{
		fields_.real_dim_cnt = real_dim_cnt;
	}
	Placement GetPlacement() const
	{
		return fields_.placement;
	}
	void SetPlacement(Placement placement)
	{
		fields_.placement = placement;
	}
	void SetReuseInputIndex(const uint32_t idx)
	{
		fields_.reuse_input_index = idx;
	}

	std::string GetName() const
	{
		return fields_.name.GetString();
	}
	graphStatus GetName(AscendString &name) const
	{
		name = fields_.name;
		return GRAPH_SUCCESS;
	}
	void SetName(const std::string &name)
	{
		fields_.name = AscendString(name.c_str());
	}
	void SetName(const char_t *name)
	{
		if (name != nullptr)
			fields_.name = AscendString(name);
	}

	graphStatus GetExpandDimsRule(AscendString &expand_dims_rule) const
	{
		expand_dims_rule = fields_.expand_dims_rule;
		return GRAPH_SUCCESS;
	}
	void SetExpandDimsRule(const AscendString &expand_dims_rule)
	{
		fields_.expand_dims_rule = expand_dims_rule;
	}

	/* Elements that are known beforehand. The descriptor owns the buffer; the pointer is valid until the next set. */
	void SetConstData(std::unique_ptr<uint8_t[]> const_data_buffer, const size_t &const_data_len)
	{
		fields_.const_data =
			std::shared_ptr<uint8_t>(const_data_buffer.release(), std::default_delete<uint8_t[]>());
		fields_.const_data_len = const_data_len;
	}
	bool GetConstData(uint8_t **const_data_buffer, size_t &const_data_len) const
	{
		if (const_data_buffer == nullptr || fields_.const_data == nullptr)
			return false;
		*const_data_buffer = fields_.const_data.get();
		const_data_len = fields_.const_data_len;
		return true;
	}

      private:
	struct Fields {
		Shape shape;
		Shape origin_shape;
		std::vector<std::pair<int64_t, int64_t>> shape_range;
		AscendString name;
		AscendString expand_dims_rule;
		std::shared_ptr<uint8_t> const_data;
		size_t const_data_len = 0;
		int64_t size = 0;
		int64_t real_dim_cnt = 0;
		Format format = FORMAT_ND;
		Format origin_format = FORMAT_ND;
		DataType data_type = DT_FLOAT;
		Placement placement = kPlacementHost;
		uint32_t reuse_input_index = 0;
	};

	Fields fields_;
};

/*
 * A descriptor and the bytes of the elements, on the host. Copies share both; Clone() copies them. Bytes that are passed
 * by pointer, vector or string are copied, unless a DeleteFunc comes with them: that is called once when they are no
 * longer needed. Whether the bytes suffice for the descriptor is not checked here, but when a graph runs.
 */
class Tensor
{
      public:
	using DeleteFunc = std::function<void(uint8_t *)>;

	Tensor() : body_(std::make_shared<Body>())
	{
	}
	explicit Tensor(const TensorDesc &tensor_desc) : Tensor()
	{
		body_->desc = tensor_desc;
	}
	Tensor(const TensorDesc &tensor_desc, const std::vector<uint8_t> &data) : Tensor(tensor_desc)
	{
		(void)SetData(data);
	}
	Tensor(const TensorDesc &tensor_desc, const uint8_t *data, size_t size) : Tensor(tensor_desc)
	{
		(void)SetData(data, size);
	}
	Tensor(TensorDesc &&tensor_desc, std::vector<uint8_t> &&data) : Tensor()
	{
		body_->desc = std::move(tensor_desc);
		(void)SetData(std::move(data));
	}
	/* A move is a copy: what was moved from may still be used. */
	Tensor(const Tensor &) = default;
	Tensor &operator=(const Tensor &) = default;
	~Tensor() = default;

	TensorDesc GetTensorDesc() const
	{
		return body_->desc;
	}
	graphStatus SetTensorDesc(const TensorDesc &tensor_desc)
	{
		body_->desc = tensor_desc;
		return GRAPH_SUCCESS;
	}

	/* Null when there are no bytes. Valid until the bytes are replaced. */
	const uint8_t *GetData() const
	{
		return body_->data.get();
	}
	uint8_t *GetData()
	{
		return body_->data.get();
	}
	size_t GetSize() const
	{
		return body_->size;
	}

	/* Size 0 clears. Null with a size leaves the bytes as they are and returns GRAPH_FAILED. */
	graphStatus SetData(const uint8_t *data, size_t size)
	{
		if (size == 0)
			return Adopt(nullptr, 0, DeleteFunc());
		if (data == nullptr)
			return GRAPH_FAILED;
		/* from malloc: aligned for every element type */
		uint8_t *const copy = static_cast<uint8_t *>(std::malloc(size));
		if (copy == nullptr)
			return GRAPH_MEM_OPERATE_FAILED;
		std::memcpy(copy, data, size);
		return Adopt(copy, size, [](uint8_t *bytes) { std::free(bytes); });
	}
	graphStatus SetData(std::vector<uint8_t> &&data)
	{
		return SetData(data.data(), data.size());
	}
	graphStatus SetData(const std::vector<uint8_t> &data)
	{
		return SetData(data.data(), data.size());
	}
	graphStatus SetData(uint8_t *data, size_t size, const DeleteFunc &deleter_func)
	{
		return Adopt(data, size, deleter_func);
	}

	/* Texts: for each two int64, where it begins and its length, then the texts, each ended by a zero byte. */
	graphStatus SetData(const std::string &data)
	{
		return SetTexts({ data });
	}
	graphStatus SetData(const char_t *data)
	{
		return data == nullptr ? GRAPH_FAILED : SetTexts({ std::string(data) });
	}
	graphStatus SetData(const std::vector<std::string> &data)
	{
		return SetTexts(data);
	}
	graphStatus SetData(const std::vector<AscendString> &data)
	{
		std::vector<std::string> texts;
		for (const AscendString &text : data)
			texts.emplace_back(text.GetString(), text.GetLength());
		return SetTexts(texts);
	}

	/* Hands the bytes to the caller; the tensor is then without. */
	std::unique_ptr<uint8_t[], DeleteFunc> ResetData()
	{
		body_->size = 0;
		std::unique_ptr<uint8_t[], DeleteFunc> data = std::move(body_->data);
		body_->data = Bytes(nullptr, Keep);
		return data;
	}
	graphStatus ResetData(uint8_t *data, size_t size, const DeleteFunc &deleter_func)
	{
		return Adopt(data, size, deleter_func);
	}

	/* GRAPH_SUCCESS when the bytes are as many as the descriptor says, or when it does not say. */
	graphStatus IsValid()
	{
		const Shape shape = body_->desc.GetShape();
		const int64_t count = shape.GetDimNum() == 0 ? 1 : shape.GetShapeSize();
		const int64_t bytes = GetSizeInBytes(count, body_->desc.GetDataType());
		return bytes < 0 || static_cast<uint64_t>(bytes) == body_->size ? GRAPH_SUCCESS : GRAPH_FAILED;
	}

	Tensor Clone() const
	{
		Tensor copy(body_->desc);
		(void)copy.SetData(static_cast<const uint8_t *>(body_->data.get()), body_->size);
		return copy;
	}

	/* The descriptor, field by field. */
	size_t GetOriginShapeDimNum() const
	{
		return body_->desc.GetOriginShape().GetDimNum();
	}
	graphStatus SetOriginShapeDimNum(const size_t dim_num)
	{
		body_->desc.SetOriginShape(Shape(std::vector<int64_t>(dim_num, 0)));
		return GRAPH_SUCCESS;
	}
	int64_t GetOriginShapeDim(const size_t idx) const
	{
		return body_->desc.GetOriginShape().GetDim(idx);
	}
	graphStatus SetOriginShapeDim(const size_t idx, const int64_t dim_value)
	{
		return body_->desc.GetOriginShape().SetDim(idx, dim_value);
	}
	Format GetOriginFormat() const
	{
		return body_->desc.GetOriginFormat();
	}
	graphStatus SetOriginFormat(const Format &format)
	{
		body_->desc.SetOriginFormat(format);
		return GRAPH_SUCCESS;
	}
	size_t GetShapeDimNum() const
	{
		return body_->desc.GetShape().GetDimNum();
	}
	graphStatus SetShapeDimNum(const size_t dim_num)
	{
		body_->desc.SetShape(Shape(std::vector<int64_t>(dim_num, 0)));
		return GRAPH_SUCCESS;
	}
	int64_t GetShapeDim(const size_t idx) const
	{
		return body_->desc.GetShape().GetDim(idx);
	}
	graphStatus SetShapeDim(const size_t idx, const int64_t dim_value)
	{
		return body_->desc.GetShape().SetDim(idx, dim_value);
	}
	Format GetFormat() const
	{
		return body_->desc.GetFormat();
	}
	graphStatus SetFormat(const Format &format)
	{
		body_->desc.SetFormat(format);
		return GRAPH_SUCCESS;
	}
	DataType GetDataType() const
	{
		return body_->desc.GetDataType();
	}
	graphStatus SetDataType(const DataType &dtype)
	{
		body_->desc.SetDataType(dtype);
		return GRAPH_SUCCESS;
	}
	Placement GetPlacement() const
	{
		return body_->desc.GetPlacement();
	}
	graphStatus SetPlacement(const Placement &placement)
	{
		body_->desc.SetPlacement(placement);
		return GRAPH_SUCCESS;
	}
	AscendString GetExpandDimsRule() const
	{
		AscendString rule;
		(void)body_->desc.GetExpandDimsRule(rule);
		return rule;
	}
	graphStatus SetExpandDimsRule(const AscendString &expand_dims_rule)
	{
		body_->desc.SetExpandDimsRule(expand_dims_rule);
		return GRAPH_SUCCESS;
	}

      private:
	using Bytes = std::unique_ptr<uint8_t[], DeleteFunc>;

	static void Keep(uint8_t *)
	{
	}

	struct Body {
		TensorDesc desc;
		Bytes data{ nullptr, Keep };
		size_t size = 0;
	};

	graphStatus Adopt(uint8_t *data, size_t size, const DeleteFunc &deleter_func)
	{
		body_->data = Bytes(data, deleter_func ? deleter_func : DeleteFunc(Keep));
		body_->size = size;
		return GRAPH_SUCCESS;
	}

	graphStatus SetTexts(const std::vector<std::string> &texts)
	{
		size_t offset = texts.size() * 2 * sizeof(int64_t);
		std::vector<uint8_t> bytes(offset);
		for (size_t i = 0; i < texts.size(); i++) {
			const int64_t head[2] = { static_cast<int64_t>(offset), static_cast<int64_t>(texts[i].size()) };
			std::memcpy(&bytes[i * sizeof(head)], head, sizeof(head));
			bytes.insert(bytes.end(), texts[i].begin(), texts[i].end());
			bytes.push_back(0);
			offset = bytes.size();
		}
		return SetData(bytes);
	}

	std::shared_ptr<Body> body_;
};

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_TENSOR_H */
