/*
 * ge_api_error_codes.h - Status, SUCCESS, FAILED, and texts for codes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_GE_API_ERROR_CODES_H
#define RSTD_CANN_GE_GE_API_ERROR_CODES_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"

namespace ge
{

using Status = uint32_t;

const Status SUCCESS = 0;
const Status FAILED = 0xFFFFFFFF;

/* Texts of status codes, which programs may add to. May be used from any thread. */
class StatusFactory
{
      public:
	static StatusFactory *Instance()
	{
		static StatusFactory *const instance = new StatusFactory();
		return instance;
	}

	/* The first text of a code stays. */
	void RegisterErrorNo(uint32_t err, const std::string &desc)
	{
		const std::lock_guard<std::mutex> lock(mutex_);
		texts_.insert(std::make_pair(err, desc));
	}
	void RegisterErrorNo(uint32_t err, const char *desc)
	{
		RegisterErrorNo(err, std::string(desc == nullptr ? "" : desc));
	}

	/* "" for a code without a text. */
	std::string GetErrDesc(uint32_t err)
	{
		const std::lock_guard<std::mutex> lock(mutex_);
		const auto found = texts_.find(err);
		return found == texts_.end() ? std::string() : found->second;
	}
	AscendString GetErrDescV2(uint32_t err)
	{
		return AscendString(GetErrDesc(err).c_str());
	}

      private:
	StatusFactory() : texts_{ { 0U, "success" }, { 0xFFFFFFFFU, "failed" } }
	{
	}

	std::mutex mutex_;
	std::map<uint32_t, std::string> texts_;
};

} /* namespace ge */

#endif /* RSTD_CANN_GE_GE_API_ERROR_CODES_H */
