/*
 * ge_api.h - GEInitialize, GEFinalize and Session: graphs are run here
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_GE_API_H
#define RSTD_CANN_GE_GE_API_H

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ge/ge_api_error_codes.h"
#include "ge/ge_api_types.h"
#include "graph/graph.h"
#include "graph/rstd_engine.h"
#include "graph/tensor.h"
#include "rstd/graph.h"

namespace ge
{

namespace session
{
typedef uint32_t (*pCallBackFunc)(uint32_t graph_id, const std::map<AscendString, ge::Tensor> &params_list);
} /* namespace session */

namespace detail
{

/* Enables an overload for maps of std::string alone, so that a braced list always means a map of AscendString. */
template <typename T, typename Result = void>
using ForString = typename std::enable_if<std::is_same<T, std::string>::value, Result>::type;

} /* namespace detail */

/*
 * Before the first session; a second call changes nothing. An empty key is refused: FAILED. May be called from any
 * thread. After GEFinalize() sessions refuse everything; they may be deleted before it or after.
 */
inline Status GEInitialize(const std::map<AscendString, AscendString> &options)
{
	const detail::OptionsView view(options);
	return rstd_ge_initialize(view.Get(), view.Count());
}
template <typename T> detail::ForString<T, Status> GEInitialize(const std::map<T, T> &options)
{
	const detail::OptionsView view(options);
	return rstd_ge_initialize(view.Get(), view.Count());
}

inline Status GEFinalize()
{
	return rstd_ge_finalize();
}

/* What went wrong on this thread since the last call, and is then forgotten; "" when nothing did. */
inline AscendString GEGetErrorMsgV2()
{
	return AscendString(rstd_ge_take_errors());
}
inline AscendString GEGetWarningMsgV2()
{
	return AscendString(rstd_ge_take_warnings());
}
inline std::string GEGetErrorMsg()
{
	return rstd_ge_take_errors();
}
inline std::string GEGetWarningMsg()
{
	return rstd_ge_take_warnings();
}

/*
 * Runs graphs. The functions give SUCCESS, FAILED or another status of the engine, and say why in GEGetErrorMsgV2().
 * They may be called from any thread; of two runs at once the second fails.
 */
class Session
{
      public:
	/* Never fails: one that is made before GEInitialize(), or without memory, refuses everything. */
	explicit Session(const std::map<AscendString, AscendString> &options) : session_(New(options))
	{
	}
	template <typename T, typename = detail::ForString<T>>
	explicit Session(const std::map<T, T> &options) : session_(New(options))
	{
	}
	Session(const Session &) = delete;
	Session &operator=(const Session &) = delete;
	~Session()
	{
		rstd_session_destroy(session_);
	}

	/* The graph is kept by reference. An id that is taken keeps its graph: SUCCESS. */
	Status AddGraph(uint32_t graph_id, const Graph &graph)
	{
		return AddGraph(graph_id, graph, std::map<AscendString, AscendString>());
	}
	Status AddGraph(uint32_t graph_id, const Graph &graph, const std::map<AscendString, AscendString> &options)
	{
		const detail::OptionsView view(options);
		return rstd_session_add_graph(session_, graph_id, graph.RstdGraph(), view.Get(), view.Count());
	}
	template <typename T>
	detail::ForString<T, Status> AddGraph(uint32_t graph_id, const Graph &graph, const std::map<T, T> &options)
	{
		const detail::OptionsView view(options);
		return rstd_session_add_graph(session_, graph_id, graph.RstdGraph(), view.Get(), view.Count());
	}

	/* A copy is kept. An id that is taken: FAILED. */
	Status AddGraphWithCopy(uint32_t graph_id, const Graph &graph)
	{
		return AddGraphWithCopy(graph_id, graph, std::map<AscendString, AscendString>());
	}
	Status AddGraphWithCopy(uint32_t graph_id, const Graph &graph,
	                        const std::map<AscendString, AscendString> &options)
	{
		const detail::OptionsView view(options);
		return rstd_session_add_graph_with_copy(session_, graph_id, graph.RstdGraph(), view.Get(),
		                                        view.Count());
	}

	/* The id is then free. */
	Status RemoveGraph(uint32_t graph_id)
	{
		return rstd_session_remove_graph(session_, graph_id);
	}

	/*
	 * The input of the index of each Data node is its feed. Outputs come in the order of SetOutputs(), on the host, and
	 * own their bytes. An id without a graph: 1343242242.
	 */
	Status RunGraph(uint32_t graph_id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs)
	{
		const detail::TensorViews feeds(inputs);
		outputs.clear(); /* which may be the inputs */
		rstd_results *results = nullptr;
		const Status status = rstd_session_run(session_, graph_id, feeds.Get(), feeds.Count(), &results);
		const std::unique_ptr<rstd_results, void (*)(rstd_results *)> owner(results, rstd_results_free);
		for (size_t i = 0; i < rstd_results_count(results); i++)
			outputs.push_back(TakeResult(results, i));
		return status;
	}

	/* RunGraph(), which is complete when the callback is called, before this returns. */
	Status RunGraphAsync(uint32_t graph_id, const std::vector<ge::Tensor> &inputs, RunAsyncCallback callback)
	{
		std::vector<Tensor> outputs;
		const Status status = RunGraph(graph_id, inputs, outputs);
		if (callback)
			callback(status, outputs);
		return status;
	}
	/* RunGraph(). The stream has no part in it: results are there when this returns. */
	Status RunGraphWithStreamAsync(uint32_t graph_id, void *stream, const std::vector<Tensor> &inputs,
	                               std::vector<Tensor> &outputs)
	{
		(void)stream;
		return RunGraph(graph_id, inputs, outputs);
	}

	/* All that a run with such feeds does but for the arithmetic. */
	Status BuildGraph(uint32_t graph_id, const std::vector<ge::Tensor> &inputs)
	{
		const detail::TensorViews feeds(inputs);
		return rstd_session_build(session_, graph_id, feeds.Get(), feeds.Count());
	}
	Status BuildGraph(uint32_t graph_id, const std::vector<InputTensorInfo> &inputs)
	{
		std::vector<Tensor> feeds;
		for (const InputTensorInfo &input : inputs)
			feeds.emplace_back(
				TensorDesc(Shape(input.dims), FORMAT_ND, static_cast<DataType>(input.data_type)));
		return BuildGraph(graph_id, feeds);
	}
	/*
	 * A graph is compiled for the shapes of its feeds, when it runs or is built: these only say whether there is one
	 * of that id. RunGraph() may follow.
	 */
	Status CompileGraph(uint32_t graph_id)
	{
		rstd_graph_stats stats;
		return rstd_session_stats(session_, graph_id, &stats);
	}
	Status LoadGraph(const uint32_t graph_id, const std::map<AscendString, AscendString> &options, void *stream)
	{
		(void)options;
		(void)stream;
		return CompileGraph(graph_id);
	}
	/* No operator that rstd knows has a state: FAILED, and a message. */
	Status GetVariables(const std::vector<std::string> &var_names, std::vector<Tensor> &var_values)
	{
		(void)var_names;
		(void)var_values;
		detail::AddError("GetVariables: there are no variables here");
		return GRAPH_FAILED;
	}
	bool IsGraphNeedRebuild(uint32_t graph_id)
	{
		return rstd_session_needs_rebuild(session_, graph_id);
	}
	uint64_t GetSessionId() const
	{
		return rstd_session_id(session_);
	}

	/* There are no checkpoints here: the callback is taken and not called. */
	Status RegisterCallBackFunc(const char_t *key, const session::pCallBackFunc &callback)
	{
		return key == nullptr || callback == nullptr ? GRAPH_FAILED : GRAPH_SUCCESS;
	}

	/* For programs that want what rstd adds: statistics and what was fused (rstd/graph.h). */
	rstd_session *RstdSession() const
	{
		return session_;
	}

      private:
	template <typename Map> static rstd_session *New(const Map &options)
	{
		const detail::OptionsView view(options);
		return rstd_session_new(view.Get(), view.Count());
	}
	static Tensor TakeResult(rstd_results *results, size_t index)
	{
		rstd_ge_tensor result = { RSTD_DESC_DEFAULT, nullptr, 0 };
		(void)rstd_results_get(results, index, &result);
		Tensor tensor(detail::ToTensorDesc(result.desc));
		(void)tensor.SetData(static_cast<uint8_t *>(rstd_results_take(results, index)), result.size,
		                     [](uint8_t *bytes) { rstd_graph_free(bytes); });
		return tensor;
	}

	rstd_session *const session_;
};

} /* namespace ge */

#endif /* RSTD_CANN_GE_GE_API_H */
