#include "quartic/embedding.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/thread_pool.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// Displacements are computed in tiles of rows of U, which stay in cache while all bodies go by; within a tile, this
// many rows of this many bodies at a time fill the registers.
constexpr std::size_t rows_per_strip = 8;
constexpr std::size_t strips_per_tile = 24;
constexpr std::size_t bodies_per_group = 4;
constexpr std::size_t rows_per_tile = rows_per_strip * strips_per_tile;

void require_rank(const MatrixRef& basis, std::int64_t rank) {
  if (basis.rows() % 3 != 0)
    throw InputError("a basis has three rows per vertex, but this one has " + std::to_string(basis.rows()));
  if (rank != basis.cols())
    throw InputError("the reduced coordinates have rank " + std::to_string(rank) + ", but the basis has " +
                     std::to_string(basis.cols()) + " columns");
}

void require_vertex(std::int32_t vertex, std::int64_t vertices, const std::string& what) {
  if (vertex < 0 || vertex >= vertices)
    throw InputError(what + " is vertex " + std::to_string(vertex) + ", but the basis has vertices 0 .. " +
                     std::to_string(vertices - 1));
}

// The chosen rows [begin, begin + count) of U, strip by strip: [strip][mode][row], padded with zeros.
template <class T>
void pack_rows(const MatrixRef& basis, std::span<const std::int32_t> vertices, std::size_t begin, std::size_t count,
               std::vector<T>& packed) {
  const auto rank = static_cast<std::size_t>(basis.cols());
  const std::size_t strips = (count + rows_per_strip - 1) / rows_per_strip;
  packed.assign(strips * rank * rows_per_strip, T(0));
  for (std::size_t i = 0; i < rank; ++i)
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t row = begin + k;
      const std::size_t vertex = vertices.empty() ? row / 3 : static_cast<std::size_t>(vertices[row / 3]);
      packed[(k / rows_per_strip * rank + i) * rows_per_strip + k % rows_per_strip] =
          static_cast<T>(basis(static_cast<Eigen::Index>(3 * vertex + row % 3), static_cast<Eigen::Index>(i)));
    }
}

// q of up to bodies_per_group bodies from `first` on: [mode][body], padded with zeros.
template <class T>
void pack_bodies(StateView<const T> q, std::int64_t first, std::int64_t count, std::vector<T>& packed) {
  packed.assign(static_cast<std::size_t>(q.rank) * bodies_per_group, T(0));
  for (std::int64_t i = 0; i < q.rank; ++i)
    for (std::int64_t b = 0; b < count; ++b)
      packed[static_cast<std::size_t>(i) * bodies_per_group + static_cast<std::size_t>(b)] = q(i, first + b);
}

// One strip of rows times one group of bodies, summed over the modes in order.
template <class T>
void multiply_strip(const T* __restrict rows, const T* __restrict bodies, std::size_t rank,
                    T (&__restrict sums)[bodies_per_group][rows_per_strip]) {
  T sum[bodies_per_group][rows_per_strip] = {};
  for (std::size_t i = 0; i < rank; ++i)
    for (std::size_t b = 0; b < bodies_per_group; ++b)
      for (std::size_t k = 0; k < rows_per_strip; ++k)
        sum[b][k] += rows[i * rows_per_strip + k] * bodies[i * bodies_per_group + b];
  std::copy(&sum[0][0], &sum[0][0] + bodies_per_group * rows_per_strip, &sums[0][0]);
}

template <class T>
void displace_tile(const MatrixRef& basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                   std::size_t begin, std::size_t row_count, std::span<T> displacement) {
  const auto rank = static_cast<std::size_t>(q.rank);
  const std::size_t count = std::min(rows_per_tile, row_count - begin);
  std::vector<T> rows, bodies;
  pack_rows(basis, vertices, begin, count, rows);
  for (std::int64_t first = 0; first < q.bodies; first += bodies_per_group) {
    const auto group = std::min<std::int64_t>(bodies_per_group, q.bodies - first);
    pack_bodies(q, first, group, bodies);
    for (std::size_t k = 0; k < count; k += rows_per_strip) {
      T sums[bodies_per_group][rows_per_strip];
      multiply_strip(rows.data() + k * rank, bodies.data(), rank, sums);
      for (std::size_t b = 0; b < static_cast<std::size_t>(group); ++b) {
        T* out = displacement.data() + (static_cast<std::size_t>(first) + b) * row_count + begin + k;
        std::copy_n(sums[b], std::min(rows_per_strip, count - k), out);
      }
    }
  }
}

}  // namespace

template <class T>
void add_vertex_forces(MatrixRef basis, std::span<const VertexForce> forces, StateView<T> reduced_force) {
  require_rank(basis, reduced_force.rank);
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const std::string what = "force " + std::to_string(k);
    require_vertex(forces[k].vertex, basis.rows() / 3, what);
    if (forces[k].body < 0 || forces[k].body >= reduced_force.bodies)
      throw InputError(what + " is on body " + std::to_string(forces[k].body) + ", but there are bodies 0 .. " +
                       std::to_string(reduced_force.bodies - 1));
  }
  for (const VertexForce& f : forces) {
    const Eigen::Index row = 3 * static_cast<Eigen::Index>(f.vertex);
    for (std::int64_t i = 0; i < reduced_force.rank; ++i)
      reduced_force(i, f.body) +=
          static_cast<T>(basis(row, i) * f.force[0] + basis(row + 1, i) * f.force[1] + basis(row + 2, i) * f.force[2]);
  }
}

template <class T>
void vertex_displacements(MatrixRef basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                          std::span<T> displacement) {
  require_rank(basis, q.rank);
  for (std::size_t k = 0; k < vertices.size(); ++k)
    require_vertex(vertices[k], basis.rows() / 3, "entry " + std::to_string(k) + " of vertices");
  const std::size_t row_count = vertices.empty() ? static_cast<std::size_t>(basis.rows()) : 3 * vertices.size();
  if (displacement.size() != row_count * static_cast<std::size_t>(q.bodies))
    throw InputError("displacement must hold " + std::to_string(q.bodies) + " bodies x " +
                     std::to_string(row_count / 3) + " vertices x 3 numbers, not " +
                     std::to_string(displacement.size()));
  const std::size_t tiles = (row_count + rows_per_tile - 1) / rows_per_tile;
  parallel_for(static_cast<std::int64_t>(tiles), [&](std::int64_t tile) {
    displace_tile(basis, q, vertices, static_cast<std::size_t>(tile) * rows_per_tile, row_count, displacement);
  });
}

template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const VertexForce>, StateView<float>);
template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const VertexForce>, StateView<double>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const float>, std::span<const std::int32_t>,
                                                  std::span<float>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const double>, std::span<const std::int32_t>,
                                                  std::span<double>);

}  // namespace quartic
