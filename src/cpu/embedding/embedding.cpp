#include "quartic/embedding.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/base/thread_pool.hpp"
#include "cpu/embedding/displacement_kernels.hpp"
#include "cpu/embedding/streaming.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// Displacements are computed in tiles of rows of U, which stay in the core's caches while all bodies go by.
constexpr std::size_t tile_bytes = 96 << 10;
constexpr std::size_t most_strips_per_tile = 128;

// Results beyond this size can't stay in a cache until somebody reads them: writing past the caches saves reading what
// is overwritten.
constexpr std::size_t streamed_bytes = 32 << 20;

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

/// What all tiles share.
template <class T>
struct Displacement {
  static constexpr std::size_t strip = cpu::strip_rows<T>, group = cpu::group_bodies;

  const MatrixRef& basis;
  std::span<const std::int32_t> vertices;
  std::span<T> result;
  std::size_t rank, bodies, row_count;
  std::size_t rows_per_tile;
  AlignedArray<T> coordinates;  // shape (groups, rank, group), zeros behind the last body
  cpu::StripProduct<T> product;

  Displacement(const MatrixRef& u, StateView<const T> q, std::span<const std::int32_t> chosen, std::span<T> out,
               std::size_t rows)
      : basis(u),
        vertices(chosen),
        result(out),
        rank(static_cast<std::size_t>(q.rank)),
        bodies(static_cast<std::size_t>(q.bodies)),
        row_count(rows),
        rows_per_tile(strip * std::clamp<std::size_t>(tile_bytes / (64 * std::max<std::size_t>(rank, 1)), 1,
                                                      most_strips_per_tile)),
        coordinates(static_cast<std::int64_t>((bodies + group - 1) / group * group * rank)),
        product(cpu::strip_product<T>()) {
    std::fill_n(coordinates.data(), (bodies + group - 1) / group * group * rank, T(0));
    for (std::size_t b = 0; b < bodies; ++b)
      for (std::size_t i = 0; i < rank; ++i)
        coordinates.data()[(b / group * rank + i) * group + b % group] =
            q(static_cast<std::int64_t>(i), static_cast<std::int64_t>(b));
  }

  // The rows [begin, begin + count) of those that are chosen: [strip][mode][row], padded with zeros.
  void pack_rows(std::size_t begin, std::size_t count, T* packed) const {
    for (std::size_t i = 0; i < rank; ++i) {
      const double* field = basis.data() + static_cast<std::ptrdiff_t>(i) * basis.outerStride();
      for (std::size_t k = 0; k < count; k += strip) {
        T* to = packed + (k / strip * rank + i) * strip;
        const std::size_t rows = std::min(strip, count - k);
        if (vertices.empty()) {
          for (std::size_t row = 0; row < rows; ++row) to[row] = static_cast<T>(field[begin + k + row]);
        } else {
          for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t at = begin + k + row;
            to[row] = static_cast<T>(field[3 * static_cast<std::size_t>(vertices[at / 3]) + at % 3]);
          }
        }
        std::fill(to + rows, to + strip, T(0));
      }
    }
  }

  void compute_tile(std::size_t begin) const {
    const std::size_t count = std::min(rows_per_tile, row_count - begin), strips = (count + strip - 1) / strip;
    AlignedArray<T> rows(static_cast<std::int64_t>(strips * strip * rank));
    AlignedArray<T> sums(static_cast<std::int64_t>(group * strips * strip));
    pack_rows(begin, count, rows.data());
    const bool streams = result.size_bytes() >= streamed_bytes;
    for (std::size_t first = 0; first < bodies; first += group) {
      const std::size_t some = std::min(group, bodies - first);
      product(rows.data(), coordinates.data() + first * rank, rank, strips, some, sums.data(), strips * strip);
      for (std::size_t b = 0; b < some; ++b) {
        const T* from = sums.data() + b * strips * strip;
        T* to = result.data() + (first + b) * row_count + begin;
        if (streams)
          cpu::stream(from, count, to);
        else
          std::copy_n(from, count, to);
      }
    }
    if (streams) cpu::finish_streams();
  }
};

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
  if (displacement.empty()) return;
  const Displacement<T> work(basis, q, vertices, displacement, row_count);
  const std::size_t tiles = (row_count + work.rows_per_tile - 1) / work.rows_per_tile;
  parallel_for(static_cast<std::int64_t>(tiles),
               [&](std::int64_t tile) { work.compute_tile(static_cast<std::size_t>(tile) * work.rows_per_tile); });
}

template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const VertexForce>, StateView<float>);
template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const VertexForce>, StateView<double>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const float>, std::span<const std::int32_t>,
                                                  std::span<float>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const double>, std::span<const std::int32_t>,
                                                  std::span<double>);

}  // namespace quartic
