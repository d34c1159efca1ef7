// Where each vertex stands in the elements of a block, in device memory.
#pragma once

#include <cstdint>

namespace quartic::cuda {

/// As Incidence in core/fem/incidence.hpp.
struct IncidenceView {
  const std::int64_t* offsets;  // [vertex + 1]
  const std::int64_t* places;   // places[offsets[v]] .. places[offsets[v + 1] - 1] are v's, ascending

#ifdef __CUDACC__
  /// The first of a vertex' incidences whose place isn't below `place`.
  [[nodiscard]] __device__ std::int64_t first_from(std::int64_t vertex, std::int64_t place) const {
    std::int64_t low = offsets[vertex], high = offsets[vertex + 1];
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (places[middle] < place)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
#endif
};

}  // namespace quartic::cuda
