// Sums of element contributions into vertices and matrix rows, in parallel and in a fixed order.
//
// Contributions of a batch of elements are computed into a buffer, element by element, and then collected vertex by
// vertex, each vertex taking its elements in ascending order. So a sum's order depends neither on the threads nor on
// the batches, and the memory doesn't grow with the mesh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// The places where each vertex stands in a block: vertex v at `places[offsets[v]] .. places[offsets[v+1] - 1]`,
/// ascending indices of block.vertices.
struct Incidence {
  Incidence(const ElementBlock& block, std::int64_t vertex_count);
  std::vector<std::int64_t> offsets;  ///< shape (vertices + 1)
  std::vector<std::int64_t> places;   ///< shape (count x vertices per element)
};

/// One per block.
[[nodiscard]] std::vector<Incidence> incidences_of(const VolumeMesh& mesh);

/// Vertices that share an element, a vertex with itself included; the block pattern of K and M.
struct VertexGraph {
  /// @param incidences one per block of the mesh
  VertexGraph(const VolumeMesh& mesh, std::span<const Incidence> incidences);
  std::vector<std::int64_t> offsets;     ///< shape (vertices + 1)
  std::vector<std::int32_t> neighbours;  ///< ascending for each vertex

  [[nodiscard]] std::span<const std::int32_t> row(std::int64_t vertex) const {
    const auto begin = offsets[static_cast<std::size_t>(vertex)];
    return {neighbours.data() + begin, static_cast<std::size_t>(offsets[static_cast<std::size_t>(vertex) + 1] - begin)};
  }
  /// Place of `neighbour` in the row of `vertex`.
  [[nodiscard]] std::size_t find(std::int64_t vertex, std::int32_t neighbour) const {
    const auto list = row(vertex);
    return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), neighbour) - list.begin());
  }
};

/// A matrix of zeros with 3 x 3 blocks at the graph's edges: all nine entries of each (`full_blocks`), or the three on
/// the blocks' diagonals. @throws InputError if 32-bit indices can't count its entries
[[nodiscard]] SparseMatrix block_matrix(const VertexGraph& graph, bool full_blocks);

/// Tasks of at most `size` items that cover 0 .. count-1: body(begin, end), in parallel.
template <class Body>
void parallel_ranges(std::int64_t count, std::int64_t size, const Body& body) {
  parallel_for((count + size - 1) / size,
               [&](std::int64_t task) { body(task * size, std::min(count, (task + 1) * size)); });
}

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
