// Which elements a vertex is in, and which vertices share one with it: the order in which contributions of elements are
// summed, and the pattern of K and M.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/export.hpp"
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
  VertexGraph() = default;
  /// @param incidences one per block of the mesh
  VertexGraph(const VolumeMesh& mesh, std::span<const Incidence> incidences);
  /// The same without rows and columns of vertices that aren't kept: rows stay, but are empty.
  [[nodiscard]] VertexGraph restricted_to(const std::vector<bool>& kept) const;
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

/// The same with values: nine numbers for each block by rows, or one for the three on its diagonal.
[[nodiscard]] QUARTIC_EXPORT SparseMatrix block_matrix(const VertexGraph& graph, std::span<const double> values,
                                                       bool full_blocks);

/// A number per vertex on the diagonal, three times each. @throws as block_matrix
[[nodiscard]] QUARTIC_EXPORT SparseMatrix diagonal_matrix(std::span<const double> vertex_values);

}  // namespace quartic
