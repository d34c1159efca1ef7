// Which vertices share an element, by sorting pairs of them.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

struct VertexRange {
  std::int64_t first, end;
};

/// Where vertices of a range stand in the elements of a block, in any order.
struct IncidentPlaces {
  const std::int32_t* vertices;  // of the elements, [element][corner]
  int corners;
  const std::int64_t* places;  // of corners
  std::int64_t count;
};

struct GraphRows {
  DeviceArray<std::int64_t> offsets;     // shape (vertices of the range + 1)
  DeviceArray<std::int32_t> neighbours;  // ascending for each vertex; behind the last offset undefined
};

/// Vertices of a range with all that share an element with each, itself included. Doesn't synchronise.
[[nodiscard]] GraphRows graph_rows(const VertexRange& range, std::int64_t vertex_count,
                                   std::span<const IncidentPlaces> blocks, cudaStream_t stream);

}  // namespace quartic::cuda
