/*
 * operator_factory.h - operators made by the name of their type
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_OPERATOR_FACTORY_H
#define RSTD_CANN_GRAPH_OPERATOR_FACTORY_H

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "./ascend_string.h"
#include "./operator.h"

namespace ge
{

using OpCreatorV2 = std::function<Operator(const AscendString &)>;

/* The types that REG_OP registered in this program. May be used from any thread. */
class OperatorFactory
{
      public:
	/* An empty operator for a type that is not registered. */
	static Operator CreateOperator(const char_t *operator_name, const char_t *operator_type)
	{
		OpCreatorV2 create;
		{
			const std::lock_guard<std::mutex> lock(Types().mutex);
			const auto found = Types().creators.find(operator_type == nullptr ? "" : operator_type);
			if (found != Types().creators.end())
				create = found->second;
		}
		return create ? create(AscendString(operator_name)) : Operator();
	}
	static Operator CreateOperator(const std::string &operator_name, const std::string &operator_type)
	{
		return CreateOperator(operator_name.c_str(), operator_type.c_str());
	}

	static bool IsExistOp(const char_t *operator_type)
	{
		const std::lock_guard<std::mutex> lock(Types().mutex);
		return Types().creators.count(operator_type == nullptr ? "" : operator_type) != 0;
	}
	static bool IsExistOp(const std::string &operator_type)
	{
		return IsExistOp(operator_type.c_str());
	}

	static graphStatus GetOpsTypeList(std::vector<AscendString> &all_ops)
	{
		const std::lock_guard<std::mutex> lock(Types().mutex);
		all_ops.clear();
		for (const auto &type : Types().creators)
			all_ops.emplace_back(type.first.c_str());
		return GRAPH_SUCCESS;
	}
	static graphStatus GetOpsTypeList(std::vector<std::string> &all_ops)
	{
		const std::lock_guard<std::mutex> lock(Types().mutex);
		all_ops.clear();
		for (const auto &type : Types().creators)
			all_ops.push_back(type.first);
		return GRAPH_SUCCESS;
	}

      private:
	friend class OperatorCreatorRegister;

	struct Registry {
		std::mutex mutex;
		std::map<std::string, OpCreatorV2> creators;
	};

	/* Never destroyed: static objects of other files may use it until the process ends. */
	static Registry &Types()
	{
		static Registry *const types = new Registry();
		return *types;
	}
};

/* Registers a type; one that is registered already stays as it is. */
class OperatorCreatorRegister
{
      public:
	OperatorCreatorRegister(const char_t *operator_type, const OpCreatorV2 &creator)
	{
		const std::lock_guard<std::mutex> lock(OperatorFactory::Types().mutex);
		OperatorFactory::Types().creators.insert(std::make_pair(std::string(operator_type), creator));
	}
};

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_OPERATOR_FACTORY_H */
