/*
 * rstd_engine.h - what the classes of this folder are to the graph engine (rstd/graph.h), and back
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For the headers beside this one; no part of CANN's interface.
 */
#ifndef RSTD_CANN_GRAPH_RSTD_ENGINE_H
#define RSTD_CANN_GRAPH_RSTD_ENGINE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "./attr_value.h"
#include "./tensor.h"
#include "rstd/graph.h"

namespace ge
{
namespace detail
{

/* One reference to an object of the engine. */
template <typename T, T *(*Ref)(T *), void (*Unref)(T *)> class Handle
{
      public:
	Handle() = default;
	explicit Handle(T *object) : object_(object)
	{
	} /* takes over the reference */
	Handle(const Handle &other) : object_(Ref(other.object_))
	{
	}
	Handle(Handle &&other) noexcept : object_(other.object_)
	{
		other.object_ = nullptr;
	}
	Handle &operator=(Handle other) noexcept
	{
		std::swap(object_, other.object_);
		return *this;
	}
	~Handle()
	{
		Unref(object_);
	}

	T *Get() const
	{
		return object_;
	}

      private:
	T *object_ = nullptr;
};

using OpHandle = Handle<rstd_op, rstd_op_ref, rstd_op_unref>;
using GraphHandle = Handle<rstd_graph, rstd_graph_ref, rstd_graph_unref>;
using NodeHandle = Handle<rstd_node, rstd_node_ref, rstd_node_unref>;

inline void AddError(const std::string &message)
{
	rstd_ge_add_error("E19999", "Inner_Error", message.c_str());
}

/* A TensorDesc as the engine reads it; valid as long as this object lives. */
class DescView
{
      public:
	explicit DescView(const TensorDesc &from)
	    : dims_(from.GetShape().GetDims()), origin_dims_(from.GetOriginShape().GetDims()), name_(from.GetName())
	{
		desc_.dtype = from.GetDataType();
		desc_.format = from.GetFormat();
		desc_.origin_format = from.GetOriginFormat();
		desc_.placement = from.GetPlacement();
		desc_.rank = dims_.size();
		desc_.dims = dims_.data();
		desc_.has_shape = true;
		desc_.origin_rank = origin_dims_.size();
		desc_.origin_dims = origin_dims_.data();
		desc_.has_origin = !origin_dims_.empty();
		desc_.real_dim_count = from.GetRealDimCnt();
		desc_.size = from.GetSize();
		std::vector<std::pair<int64_t, int64_t>> ranges;
		(void)from.GetShapeRange(ranges);
		for (const auto &range : ranges) {
			ranges_.push_back(range.first);
			ranges_.push_back(range.second);
		}
		desc_.range_count = ranges.size();
		desc_.ranges = ranges_.data();
		desc_.name = name_.c_str();
		(void)from.GetExpandDimsRule(rule_);
		desc_.expand_dims_rule = rule_.GetString();
		uint8_t *const_data = nullptr;
		if (from.GetConstData(&const_data, desc_.const_size))
			desc_.const_data = const_data;
	}
	DescView(const DescView &) = delete;
	DescView &operator=(const DescView &) = delete;

	const rstd_desc *Get() const
	{
		return &desc_;
	}

      private:
	rstd_desc desc_ = RSTD_DESC_DEFAULT;
	std::vector<int64_t> dims_, origin_dims_, ranges_;
	std::string name_;
	AscendString rule_;
};

inline Shape ToShape(const int64_t *dims, size_t rank)
{
	return rank == 0 ? Shape() : Shape(std::vector<int64_t>(dims, dims + rank));
}

inline TensorDesc ToTensorDesc(const rstd_desc &from)
{
	TensorDesc desc(ToShape(from.dims, from.rank), static_cast<Format>(from.format),
	                static_cast<DataType>(from.dtype));
	desc.SetOriginFormat(static_cast<Format>(from.origin_format));
	desc.SetPlacement(static_cast<Placement>(from.placement));
	if (from.has_origin)
		desc.SetOriginShape(ToShape(from.origin_dims, from.origin_rank));
	desc.SetRealDimCnt(from.real_dim_count);
	desc.SetSize(from.size);
	std::vector<std::pair<int64_t, int64_t>> ranges;
	for (size_t i = 0; i < from.range_count; i++)
		ranges.emplace_back(from.ranges[2 * i], from.ranges[2 * i + 1]);
	(void)desc.SetShapeRange(ranges);
	desc.SetName(from.name);
	desc.SetExpandDimsRule(AscendString(from.expand_dims_rule));
	if (from.const_data != nullptr) {
		std::unique_ptr<uint8_t[]> copy(new uint8_t[from.const_size]);
		std::memcpy(copy.get(), from.const_data, from.const_size);
		desc.SetConstData(std::move(copy), from.const_size);
	}
	return desc;
}

/* A Tensor as the engine reads it: its bytes are those of the Tensor. */
class TensorView
{
      public:
	explicit TensorView(const Tensor &from) : tensor_(from), desc_(tensor_.GetTensorDesc())
	{
		view_.desc = *desc_.Get();
		view_.data = from.GetData();
		view_.size = from.GetSize();
	}
	TensorView(const TensorView &) = delete;
	TensorView &operator=(const TensorView &) = delete;

	const rstd_ge_tensor &Get() const
	{
		return view_;
	}

      private:
	Tensor tensor_; /* shares the bytes, and so keeps them */
	DescView desc_;
	rstd_ge_tensor view_ = { RSTD_DESC_DEFAULT, nullptr, 0 };
};

/* Several Tensors in a row. */
class TensorViews
{
      public:
	explicit TensorViews(const std::vector<Tensor> &from)
	{
		for (const Tensor &tensor : from) {
			views_.emplace_back(new TensorView(tensor));
			row_.push_back(views_.back()->Get());
		}
	}

	const rstd_ge_tensor *Get() const
	{
		return row_.data();
	}
	size_t Count() const
	{
		return row_.size();
	}

      private:
	std::vector<std::unique_ptr<TensorView>> views_;
	std::vector<rstd_ge_tensor> row_;
};

inline Tensor ToTensor(const rstd_ge_tensor &from)
{
	return Tensor(ToTensorDesc(from.desc), static_cast<const uint8_t *>(from.data), from.size);
}

/* A Value as the engine reads it; valid as long as this object and the Value live. */
class ValueView
{
      public:
	explicit ValueView(const Value &from) : tensors_(from.tensors)
	{
		view_.kind = from.kind;
		switch (from.kind) {
		case RSTD_VALUE_INT:
			view_.as.i = from.i;
			break;
		case RSTD_VALUE_FLOAT:
			view_.as.f = from.f;
			break;
		case RSTD_VALUE_BOOL:
			view_.as.b = from.b;
			break;
		case RSTD_VALUE_DTYPE:
			view_.as.dtype = from.dtype;
			break;
		case RSTD_VALUE_STRING:
		case RSTD_VALUE_BYTES:
			view_.as.text = rstd_text{ from.text.data(), from.text.size() };
			break;
		case RSTD_VALUE_TENSOR:
		case RSTD_VALUE_LIST_TENSOR:
			view_.count = from.kind == RSTD_VALUE_TENSOR ? 0 : tensors_.Count();
			view_.as.tensor = tensors_.Get();
			break;
		case RSTD_VALUE_NAMED_ATTRS:
		case RSTD_VALUE_LIST_NAMED_ATTRS:
			ViewNamed(from);
			break;
		case RSTD_VALUE_LIST_INT:
			view_.count = from.ints.size();
			view_.as.ints = from.ints.data();
			break;
		case RSTD_VALUE_LIST_FLOAT:
			view_.count = from.floats.size();
			view_.as.floats = from.floats.data();
			break;
		case RSTD_VALUE_LIST_BOOL:
			bools_.reset(new bool[from.bools.size() + 1]);
			std::copy(from.bools.begin(), from.bools.end(), bools_.get());
			view_.count = from.bools.size();
			view_.as.bools = bools_.get();
			break;
		case RSTD_VALUE_LIST_STRING:
			for (const std::string &text : from.texts)
				texts_.push_back(rstd_text{ text.data(), text.size() });
			view_.count = texts_.size();
			view_.as.texts = texts_.data();
			break;
		case RSTD_VALUE_LIST_DTYPE:
			dtypes_.assign(from.dtypes.begin(), from.dtypes.end());
			view_.count = dtypes_.size();
			view_.as.dtypes = dtypes_.data();
			break;
		case RSTD_VALUE_LIST_LIST_INT:
			for (const std::vector<int64_t> &ints : from.int_lists)
				int_lists_.push_back(rstd_int_list{ ints.size(), ints.data() });
			view_.count = int_lists_.size();
			view_.as.int_lists = int_lists_.data();
			break;
		default:
			break;
		}
	}
	ValueView(const ValueView &) = delete;
	ValueView &operator=(const ValueView &) = delete;

	const rstd_value *Get() const
	{
		return &view_;
	}

      private:
	void ViewNamed(const Value &from)
	{
		for (const NamedAttrs &named : from.named) {
			attrs_.emplace_back();
			for (const auto &attr : named.RstdValues().map) {
				nested_.emplace_back(new ValueView(attr.second.RstdValue()));
				attrs_.back().push_back(rstd_attr{ attr.first.GetString(), *nested_.back()->Get() });
			}
			named_.push_back(rstd_named_attrs{ named.GetName().GetString(), attrs_.back().size(),
			                                   attrs_.back().data() });
		}
		view_.count = from.kind == RSTD_VALUE_NAMED_ATTRS ? 0 : named_.size();
		view_.as.named = named_.data();
	}

	rstd_value view_ = rstd_value();
	TensorViews tensors_;
	std::unique_ptr<bool[]> bools_;
	std::vector<rstd_text> texts_;
	std::vector<int32_t> dtypes_;
	std::vector<rstd_int_list> int_lists_;
	std::vector<rstd_named_attrs> named_;
	std::deque<std::vector<rstd_attr>> attrs_;
	std::vector<std::unique_ptr<ValueView>> nested_;
};

inline std::string ToString(const rstd_text &from)
{
	return from.size == 0 ? std::string() : std::string(from.data, from.size);
}

inline Value ToValue(const rstd_value &from);

inline NamedAttrs ToNamedAttrs(const rstd_named_attrs &from)
{
	NamedAttrs named;
	named.SetName(AscendString(from.name));
	for (size_t i = 0; i < from.count; i++) {
		AttrValue value;
		value.RstdValue() = ToValue(from.attrs[i].value);
		(void)named.SetAttr(AscendString(from.attrs[i].name), value);
	}
	return named;
}

/* Kinds that no class of CANN's interface can hold (graphs, descs, lists of bytes or float lists) become NONE. */
inline Value ToValue(const rstd_value &from)
{
	Value to;
	to.kind = from.kind;
	switch (from.kind) {
	case RSTD_VALUE_INT:
		to.i = from.as.i;
		break;
	case RSTD_VALUE_FLOAT:
		to.f = from.as.f;
		break;
	case RSTD_VALUE_BOOL:
		to.b = from.as.b;
		break;
	case RSTD_VALUE_DTYPE:
		to.dtype = static_cast<DataType>(from.as.dtype);
		break;
	case RSTD_VALUE_STRING:
	case RSTD_VALUE_BYTES:
		to.text = ToString(from.as.text);
		break;
	case RSTD_VALUE_TENSOR:
		to.tensors.push_back(ToTensor(*from.as.tensor));
		break;
	case RSTD_VALUE_LIST_TENSOR:
		for (size_t i = 0; i < from.count; i++)
			to.tensors.push_back(ToTensor(from.as.tensor[i]));
		break;
	case RSTD_VALUE_NAMED_ATTRS:
		to.named.push_back(ToNamedAttrs(*from.as.named));
		break;
	case RSTD_VALUE_LIST_NAMED_ATTRS:
		for (size_t i = 0; i < from.count; i++)
			to.named.push_back(ToNamedAttrs(from.as.named[i]));
		break;
	case RSTD_VALUE_LIST_INT:
		to.ints.assign(from.as.ints, from.as.ints + from.count);
		break;
	case RSTD_VALUE_LIST_FLOAT:
		to.floats.assign(from.as.floats, from.as.floats + from.count);
		break;
	case RSTD_VALUE_LIST_BOOL:
		to.bools.assign(from.as.bools, from.as.bools + from.count);
		break;
	case RSTD_VALUE_LIST_STRING:
		for (size_t i = 0; i < from.count; i++)
			to.texts.push_back(ToString(from.as.texts[i]));
		break;
	case RSTD_VALUE_LIST_DTYPE:
		for (size_t i = 0; i < from.count; i++)
			to.dtypes.push_back(static_cast<DataType>(from.as.dtypes[i]));
		break;
	case RSTD_VALUE_LIST_LIST_INT:
		for (size_t i = 0; i < from.count; i++) {
			const rstd_int_list &list = from.as.int_lists[i];
			to.int_lists.emplace_back(list.ints, list.ints + list.count);
		}
		break;
	default:
		to.kind = RSTD_VALUE_NONE;
		break;
	}
	return to;
}

/* Attributes of an operator, an input, an output, a graph; attrs may be null. */
template <typename T> graphStatus SetAttr(rstd_attrs *attrs, const char_t *name, const T &attr)
{
	Value value;
	Put(value, attr);
	return rstd_attrs_set(attrs, name, ValueView(value).Get());
}

template <typename T> graphStatus GetAttr(const rstd_attrs *attrs, const char_t *name, T &attr)
{
	const rstd_value *const value = rstd_attrs_get(attrs, name);
	return value != nullptr && Take(ToValue(*value), attr) ? GRAPH_SUCCESS : GRAPH_FAILED;
}

/* The pairs of a map of options, of AscendString or std::string. */
class OptionsView
{
      public:
	explicit OptionsView(const std::map<AscendString, AscendString> &options)
	{
		for (const auto &option : options)
			view_.push_back(rstd_option{ option.first.GetString(), option.second.GetString() });
	}
	explicit OptionsView(const std::map<std::string, std::string> &options)
	{
		for (const auto &option : options)
			view_.push_back(rstd_option{ option.first.c_str(), option.second.c_str() });
	}

	const rstd_option *Get() const
	{
		return view_.data();
	}
	size_t Count() const
	{
		return view_.size();
	}

      private:
	std::vector<rstd_option> view_;
};

} /* namespace detail */
} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_RSTD_ENGINE_H */
