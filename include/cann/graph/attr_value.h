/*
 * attr_value.h - AttrValue and NamedAttrs: the value of an attribute, and values under names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_ATTR_VALUE_H
#define RSTD_CANN_GRAPH_ATTR_VALUE_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "./ascend_string.h"
#include "./error_codes.h"
#include "./tensor.h"
#include "./types.h"
#include "rstd/graph.h"

namespace ge
{

class AttrValue;

namespace detail
{
struct NamedValues;
} /* namespace detail */

/* A name, and values under names. Copies share the values. */
class NamedAttrs
{
      public:
	inline NamedAttrs();
	/* A move is a copy: what was moved from may still be used. */
	NamedAttrs(const NamedAttrs &) = default;
	NamedAttrs &operator=(const NamedAttrs &) = default;
	~NamedAttrs() = default;

	void SetName(const AscendString &name)
	{
		name_ = name;
	}
	const AscendString &GetName() const
	{
		return name_;
	}
	inline graphStatus SetAttr(const AscendString &name, const AttrValue &value);

	/* GRAPH_FAILED where there is none; value is then as before. */
	inline graphStatus GetAttr(const AscendString &name, AttrValue &value) const;

	/* For the headers beside this one. */
	const detail::NamedValues &RstdValues() const
	{
		return *values_;
	}

      private:
	AscendString name_;
	std::shared_ptr<detail::NamedValues> values_;
};

namespace detail
{

/* One value of any kind; each kind has its member. Integers of all widths are one kind. */
struct Value {
	rstd_value_kind kind = RSTD_VALUE_NONE;
	int64_t i = 0;
	float f = 0.0F;
	bool b = false;
	DataType dtype = DT_FLOAT;
	std::string text; /* and bytes */
	std::vector<int64_t> ints;
	std::vector<float> floats;
	std::vector<bool> bools;
	std::vector<std::string> texts;
	std::vector<DataType> dtypes;
	std::vector<Tensor> tensors; /* one, or those of a list */
	std::vector<NamedAttrs> named;
	std::vector<std::vector<int64_t>> int_lists;
};

/* RSTD_DETAIL_KIND(type, kind, member): type is kept in member as it is. */
#define RSTD_DETAIL_KIND(type, value_kind, member)                                                                     \
	inline void Put(Value &value, const type &from)                                                                \
	{                                                                                                              \
		value.kind = value_kind;                                                                               \
		value.member = from;                                                                                   \
	}                                                                                                              \
	inline bool Take(const Value &value, type &to)                                                                 \
	{                                                                                                              \
		if (value.kind == value_kind)                                                                          \
			to = value.member;                                                                             \
		return value.kind == value_kind;                                                                       \
	}
RSTD_DETAIL_KIND(int64_t, RSTD_VALUE_INT, i)
RSTD_DETAIL_KIND(float, RSTD_VALUE_FLOAT, f)
RSTD_DETAIL_KIND(bool, RSTD_VALUE_BOOL, b)
RSTD_DETAIL_KIND(DataType, RSTD_VALUE_DTYPE, dtype)
RSTD_DETAIL_KIND(std::string, RSTD_VALUE_STRING, text)
RSTD_DETAIL_KIND(std::vector<int64_t>, RSTD_VALUE_LIST_INT, ints)
RSTD_DETAIL_KIND(std::vector<float>, RSTD_VALUE_LIST_FLOAT, floats)
RSTD_DETAIL_KIND(std::vector<bool>, RSTD_VALUE_LIST_BOOL, bools)
RSTD_DETAIL_KIND(std::vector<std::string>, RSTD_VALUE_LIST_STRING, texts)
RSTD_DETAIL_KIND(std::vector<DataType>, RSTD_VALUE_LIST_DTYPE, dtypes)
RSTD_DETAIL_KIND(std::vector<Tensor>, RSTD_VALUE_LIST_TENSOR, tensors)
RSTD_DETAIL_KIND(std::vector<NamedAttrs>, RSTD_VALUE_LIST_NAMED_ATTRS, named)
RSTD_DETAIL_KIND(std::vector<std::vector<int64_t>>, RSTD_VALUE_LIST_LIST_INT, int_lists)
#undef RSTD_DETAIL_KIND

/* Narrower integers pass as int64_t, also in lists. */
#define RSTD_DETAIL_NARROW(type)                                                                                       \
	inline void Put(Value &value, const type &from)                                                                \
	{                                                                                                              \
		Put(value, static_cast<int64_t>(from));                                                                \
	}                                                                                                              \
	inline bool Take(const Value &value, type &to)                                                                 \
	{                                                                                                              \
		if (value.kind == RSTD_VALUE_INT)                                                                      \
			to = static_cast<type>(value.i);                                                               \
		return value.kind == RSTD_VALUE_INT;                                                                   \
	}                                                                                                              \
	inline void Put(Value &value, const std::vector<type> &from)                                                   \
	{                                                                                                              \
		Put(value, std::vector<int64_t>(from.begin(), from.end()));                                            \
	}                                                                                                              \
	inline bool Take(const Value &value, std::vector<type> &to)                                                    \
	{                                                                                                              \
		if (value.kind != RSTD_VALUE_LIST_INT)                                                                 \
			return false;                                                                                  \
		to.clear();                                                                                            \
		for (const int64_t element : value.ints)                                                               \
			to.push_back(static_cast<type>(element));                                                      \
		return true;                                                                                           \
	}
RSTD_DETAIL_NARROW(int32_t)
RSTD_DETAIL_NARROW(uint32_t)
#undef RSTD_DETAIL_NARROW

inline void Put(Value &value, const std::initializer_list<int64_t> &from)
{
	Put(value, std::vector<int64_t>(from));
}
inline void Put(Value &value, const char_t *from)
{
	Put(value, std::string(from == nullptr ? "" : from));
}
inline void Put(Value &value, const AscendString &from)
{
	Put(value, std::string(from.GetString(), from.GetLength()));
}
inline bool Take(const Value &value, AscendString &to)
{
	if (value.kind == RSTD_VALUE_STRING)
		to = AscendString(value.text.c_str(), value.text.size());
	return value.kind == RSTD_VALUE_STRING;
}

inline void Put(Value &value, const std::vector<AscendString> &from)
{
	std::vector<std::string> texts;
	for (const AscendString &text : from)
		texts.emplace_back(text.GetString(), text.GetLength());
	Put(value, texts);
}
inline bool Take(const Value &value, std::vector<AscendString> &to)
{
	if (value.kind != RSTD_VALUE_LIST_STRING)
		return false;
	to.clear();
	for (const std::string &text : value.texts)
		to.emplace_back(text.c_str(), text.size());
	return true;
}

inline void Put(Value &value, const std::vector<uint8_t> &from)
{
	value.kind = RSTD_VALUE_BYTES;
	value.text.assign(from.begin(), from.end());
}
inline bool Take(const Value &value, std::vector<uint8_t> &to)
{
	if (value.kind == RSTD_VALUE_BYTES)
		to.assign(value.text.begin(), value.text.end());
	return value.kind == RSTD_VALUE_BYTES;
}

inline void Put(Value &value, const Tensor &from)
{
	value.kind = RSTD_VALUE_TENSOR;
	value.tensors.assign(1, from);
}
inline bool Take(const Value &value, Tensor &to)
{
	if (value.kind == RSTD_VALUE_TENSOR)
		to = value.tensors.front();
	return value.kind == RSTD_VALUE_TENSOR;
}

inline void Put(Value &value, const NamedAttrs &from)
{
	value.kind = RSTD_VALUE_NAMED_ATTRS;
	value.named.assign(1, from);
}
inline bool Take(const Value &value, NamedAttrs &to)
{
	if (value.kind == RSTD_VALUE_NAMED_ATTRS)
		to = value.named.front();
	return value.kind == RSTD_VALUE_NAMED_ATTRS;
}

} /* namespace detail */

/* A value of any kind that an attribute may have. A value: copies are independent, but for tensors. */
class AttrValue
{
      public:
	AttrValue() = default;

	template <typename T> graphStatus SetAttrValue(T &&attr_value)
	{
		detail::Value value;
		detail::Put(value, attr_value);
		value_ = std::move(value);
		return GRAPH_SUCCESS;
	}

	/* GRAPH_FAILED when the value is of another kind; attr_value is then as before. */
	template <typename T> graphStatus GetAttrValue(T &attr_value) const
	{
		return detail::Take(value_, attr_value) ? GRAPH_SUCCESS : GRAPH_FAILED;
	}

	/* For the headers beside this one. */
	const detail::Value &RstdValue() const
	{
		return value_;
	}
	detail::Value &RstdValue()
	{
		return value_;
	}

      private:
	detail::Value value_;
};

namespace detail
{

struct NamedValues {
	std::map<AscendString, AttrValue> map;
};

} /* namespace detail */

inline NamedAttrs::NamedAttrs() : values_(std::make_shared<detail::NamedValues>())
{
}

inline graphStatus NamedAttrs::SetAttr(const AscendString &name, const AttrValue &value)
{
	values_->map[name] = value;
	return GRAPH_SUCCESS;
}

inline graphStatus NamedAttrs::GetAttr(const AscendString &name, AttrValue &value) const
{
	const auto found = values_->map.find(name);
	if (found == values_->map.end())
		return GRAPH_FAILED;
	value = found->second;
	return GRAPH_SUCCESS;
}

namespace detail
{

inline void Put(Value &value, const AttrValue &from)
{
	value = from.RstdValue();
}
inline bool Take(const Value &value, AttrValue &to)
{
	to.RstdValue() = value;
	return true;
}

} /* namespace detail */

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_ATTR_VALUE_H */
