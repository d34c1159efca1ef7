// Sums of element contributions into vertices and matrix rows, in parallel and in a fixed order.
//
// Contributions of a batch of elements are computed into a buffer, element by element, and then collected vertex by
// vertex, each vertex taking its elements in ascending order. So a sum's order depends neither on the threads nor on
// the batches, and the memory doesn't grow with the mesh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/fem/incidence.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// Computes `numbers` doubles per element and hands them to the element's vertices.
/// @param compute (begin, end, out) fills out[(e - begin) * numbers ...] for elements e of the block
/// @param collect (vertex, element, local, in) adds what element `in` has for its vertex number `local`; calls for one
///        vertex come in ascending order of elements, calls for different vertices at the same time
template <class Compute, class Collect>
void assemble(const ElementBlock& block, const Incidence& incidence, std::int64_t numbers, const Compute& compute,
              const Collect& collect) {
  constexpr std::int64_t buffer_bytes = std::int64_t{8} << 20;
  constexpr std::int64_t elements_per_task = 128, vertices_per_task = 512;
  const std::int64_t elements = block.count();
  const std::int64_t corners = element_vertex_count(block.type);
  const std::int64_t batch = std::min(
      elements, std::max(elements_per_task, buffer_bytes / (numbers * static_cast<std::int64_t>(sizeof(double)))));
  std::vector<double> buffer(static_cast<std::size_t>(batch * numbers));
  std::vector<std::int64_t> next(incidence.offsets.begin(), incidence.offsets.end() - 1);
  for (std::int64_t first = 0; first < elements; first += batch) {
    const std::int64_t last = std::min(elements, first + batch);
    parallel_ranges(last - first, elements_per_task, [&](std::int64_t begin, std::int64_t end) {
      compute(first + begin, first + end, buffer.data() + begin * numbers);
    });
    parallel_ranges(std::ssize(next), vertices_per_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) {
        const auto row = static_cast<std::size_t>(v);
        for (auto& i = next[row]; i < incidence.offsets[row + 1]; ++i) {
          const std::int64_t place = incidence.places[static_cast<std::size_t>(i)];
          if (place >= last * corners) break;
          const std::int64_t e = place / corners;
          collect(v, e, place - e * corners, buffer.data() + (e - first) * numbers);
        }
      }
    });
  }
}

}  // namespace quartic
