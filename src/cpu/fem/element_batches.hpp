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

namespace quartic::cpu {

/// The batches of a block's elements, and for each the vertices that have one of them: a pass over a large mesh doesn't
/// visit all vertices after every batch.
class ElementBatches {
 public:
  /// @param incidence must outlive this object
  /// @param size elements of a batch
  ElementBatches(const ElementBlock& block, const Incidence& incidence, std::int64_t size);

  /// The elements [first, last) of a batch.
  struct Batch {
    std::int64_t first, last;
  };

  /// Batch by batch, both steps in parallel:
  /// @param compute (batch, begin, end) for all elements of the batch in tasks of `elements_per_task`
  /// @param collect (batch, vertex, incidence) for each place of a vertex in the batch: calls for one vertex come in
  ///        ascending order, calls for different vertices at the same time
  template <class Compute, class Collect>
  void run(std::int64_t elements_per_task, const Compute& compute, const Collect& collect) const {
    constexpr std::int64_t vertices_per_task = 512;
    for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
      const auto first = static_cast<std::int64_t>(b) * size_;
      const Batch batch = {first, std::min(elements_, first + size_)};
      parallel_ranges(batch.last - first, elements_per_task,
                      [&](std::int64_t begin, std::int64_t end) { compute(batch, first + begin, first + end); });
      parallel_ranges(starts_[b + 1] - starts_[b], vertices_per_task, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = starts_[b] + begin; n < starts_[b] + end; ++n) {
          const Visit& visit = visits_[static_cast<std::size_t>(n)];
          for (auto i = visit.incidence; is_in(batch, visit.vertex, i); ++i) collect(batch, visit.vertex, i);
        }
      });
    }
  }

 private:
  struct Visit {
    std::int64_t incidence;  // the first of the vertex in the batch
    std::int32_t vertex;
  };
  [[nodiscard]] bool is_in(const Batch& batch, std::int64_t vertex, std::int64_t i) const {
    return i < incidence_->offsets[static_cast<std::size_t>(vertex) + 1] &&
           incidence_->places[static_cast<std::size_t>(i)] < batch.last * corners_;
  }

  const Incidence* incidence_;
  std::int64_t elements_, corners_, size_;
  std::vector<std::int64_t> starts_;  // of each batch's visits, shape (batches + 1)
  std::vector<Visit> visits_;
};

/// Computes `numbers` doubles per element and hands them to the element's vertices.
/// @param compute (begin, end, out) fills out[(e - begin) * numbers ...] for elements e of the block
/// @param collect (vertex, element, local, in) adds what element `in` has for its vertex number `local`; calls for one
///        vertex come in ascending order of elements, calls for different vertices at the same time
template <class Compute, class Collect>
void assemble(const ElementBlock& block, const Incidence& incidence, std::int64_t numbers, const Compute& compute,
              const Collect& collect) {
  constexpr std::int64_t buffer_bytes = std::int64_t{8} << 20;
  constexpr std::int64_t elements_per_task = 128;
  const std::int64_t corners = element_vertex_count(block.type);
  const std::int64_t size = std::min(
      block.count(), std::max(elements_per_task, buffer_bytes / (numbers * static_cast<std::int64_t>(sizeof(double)))));
  std::vector<double> buffer(static_cast<std::size_t>(size * numbers));
  ElementBatches(block, incidence, size)
      .run(
          elements_per_task,
          [&](const ElementBatches::Batch& batch, std::int64_t begin, std::int64_t end) {
            compute(begin, end, buffer.data() + (begin - batch.first) * numbers);
          },
          [&](const ElementBatches::Batch& batch, std::int64_t vertex, std::int64_t i) {
            const std::int64_t place = incidence.places[static_cast<std::size_t>(i)];
            const std::int64_t element = place / corners;
            collect(vertex, element, place - element * corners, buffer.data() + (element - batch.first) * numbers);
          });
}

}  // namespace quartic::cpu
