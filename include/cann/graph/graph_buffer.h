/*
 * graph_buffer.h - GraphBuffer: a graph as bytes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GRAPH_GRAPH_BUFFER_H
#define RSTD_CANN_GRAPH_GRAPH_BUFFER_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rstd/graph.h"

namespace ge
{

/* The bytes of an .air model, from Graph::SaveToMem(). It owns them; it moves and does not copy. */
class GraphBuffer
{
      public:
	GraphBuffer() = default;
	GraphBuffer(const GraphBuffer &) = delete;
	GraphBuffer &operator=(const GraphBuffer &) = delete;

	const std::uint8_t *GetData() const
	{
		return data_.get();
	}
	std::size_t GetSize() const
	{
		return size_;
	}

      private:
	friend class Graph;

	struct Free {
		void operator()(std::uint8_t *bytes) const
		{
			rstd_graph_free(bytes);
		}
	};

	std::unique_ptr<std::uint8_t, Free> data_;
	std::size_t size_ = 0;
};

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_GRAPH_BUFFER_H */
