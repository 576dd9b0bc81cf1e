/*
 * ascend_string.h - AscendString, the text that crosses CANN's graph interface
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_ASCEND_STRING_H
#define RSTD_CANN_GRAPH_ASCEND_STRING_H

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ge
{

using char_t = char;

/*
 * A text that does not change, or none. One without text (the default, or made from a null pointer) reads as "", sorts
 * before every other and differs from every other, also from one made from "". Copies share their text; different
 * objects may be used from different threads.
 */
class AscendString
{
      public:
	AscendString() = default;
	AscendString(const char_t *name)
	{
		if (name != nullptr)
			text_ = std::make_shared<const std::string>(name);
	}
	AscendString(const char_t *name, size_t length)
	{
		if (name != nullptr)
			text_ = std::make_shared<const std::string>(name, length);
	}

	/* Never null. Valid as long as this object, or a copy of it, lives. */
	const char_t *GetString() const
	{
		return text_ == nullptr ? "" : text_->c_str();
	}
	size_t GetLength() const
	{
		return text_ == nullptr ? 0 : text_->length();
	}
	size_t Hash() const
	{
		return std::hash<std::string>()(text_ == nullptr ? std::string() : *text_);
	}

	/* Where ascend_string begins in this text; std::string::npos if nowhere, or if either has no text. */
	size_t Find(const AscendString &ascend_string) const
	{
		if (text_ == nullptr || ascend_string.text_ == nullptr)
			return std::string::npos;
		return text_->find(*ascend_string.text_);
	}

	bool operator<(const AscendString &other) const
	{
		return Compare(other) < 0;
	}
	bool operator>(const AscendString &other) const
	{
		return Compare(other) > 0;
	}
	bool operator<=(const AscendString &other) const
	{
		return Compare(other) <= 0;
	}
	bool operator>=(const AscendString &other) const
	{
		return Compare(other) >= 0;
	}
	bool operator==(const AscendString &other) const
	{
		return Compare(other) == 0;
	}
	bool operator!=(const AscendString &other) const
	{
		return Compare(other) != 0;
	}
	bool operator==(const char_t *other) const
	{
		return Compare(AscendString(other)) == 0;
	}
	bool operator!=(const char_t *other) const
	{
		return Compare(AscendString(other)) != 0;
	}

      private:
	int Compare(const AscendString &other) const
	{
		if (text_ == nullptr || other.text_ == nullptr)
			return static_cast<int>(text_ != nullptr) - static_cast<int>(other.text_ != nullptr);
		return text_->compare(*other.text_);
	}

	std::shared_ptr<const std::string> text_;
};

} /* namespace ge */

namespace std
{
template <> struct hash<ge::AscendString> {
	size_t operator()(const ge::AscendString &name) const
	{
		return name.Hash();
	}
};
} /* namespace std */

/* An AscendString, or a vector of them, from the strings of the standard library. */
template <typename T> ge::AscendString ConvertToAscendString(T text)
{
	return ge::AscendString(text.c_str());
}

template <typename T> std::vector<ge::AscendString> ConvertToListAscendString(T texts)
{
	std::vector<ge::AscendString> list;
	for (const auto &text : texts)
		list.emplace_back(text.c_str());
	return list;
}

#endif /* RSTD_CANN_GRAPH_ASCEND_STRING_H */
