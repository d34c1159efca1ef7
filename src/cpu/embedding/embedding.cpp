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

// Forces are added up for so many bodies at a time, for which a tile of rows of U is packed once.
constexpr std::int64_t bodies_per_tile = 64;

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
  VertexView<T> result;
  std::size_t rank, bodies, row_count;
  std::size_t rows_per_tile;
  AlignedArray<T> coordinates;  // shape (groups, rank, group), zeros behind the last body
  cpu::StripProduct<T> product;

  Displacement(const MatrixRef& u, StateView<const T> q, std::span<const std::int32_t> chosen, VertexView<T> out,
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
    const bool packed = result.stride_axis == 1 && result.stride_vertex == 3;
    const bool streams = packed && bodies * row_count * sizeof(T) >= streamed_bytes;
    for (std::size_t first = 0; first < bodies; first += group) {
      const std::size_t some = std::min(group, bodies - first);
      product(rows.data(), coordinates.data() + first * rank, rank, strips, some, sums.data(), strips * strip);
      for (std::size_t b = 0; b < some; ++b) {
        const T* from = sums.data() + b * strips * strip;
        T* body = result.data + static_cast<std::int64_t>(first + b) * result.stride_body;
        if (streams)
          cpu::stream(from, count, body + begin);
        else if (packed)
          std::copy_n(from, count, body + begin);
        else
          scatter(from, begin, count, body);
      }
    }
    if (streams) cpu::finish_streams();
  }

  void scatter(const T* from, std::size_t begin, std::size_t count, T* body) const {
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = static_cast<std::int64_t>(begin + k);
      body[row / 3 * result.stride_vertex + row % 3 * result.stride_axis] = from[k];
    }
  }
};

template <class T>
VertexView<T> packed_view(std::span<T> values, std::int64_t bodies, std::int64_t vertices) {
  return {values.data(), bodies, vertices, 3 * vertices};
}

void require_vertices(const MatrixRef& basis, std::span<const std::int32_t> vertices) {
  for (std::size_t k = 0; k < vertices.size(); ++k)
    require_vertex(vertices[k], basis.rows() / 3, "entry " + std::to_string(k) + " of vertices");
}

// Of those that are chosen, or all.
std::int64_t chosen_count(const MatrixRef& basis, std::span<const std::int32_t> vertices) {
  return vertices.empty() ? basis.rows() / 3 : std::ssize(vertices);
}

/// U^T f of some bodies, in tiles of vertices.
template <class T>
class ForceSums {
 public:
  ForceSums(const MatrixRef& basis, std::span<const std::int32_t> vertices, const VertexView<const T>& forces)
      : basis_(basis),
        vertices_(vertices),
        forces_(forces),
        tile_(std::max<std::int64_t>(
            static_cast<std::int64_t>(tile_bytes / sizeof(double)) / (3 * std::max<std::int64_t>(basis.cols(), 1)),
            1)) {}

  /// Of the bodies [first, last): shape (bodies, r).
  [[nodiscard]] std::vector<double> of(std::int64_t first, std::int64_t last) const {
    const std::int64_t rank = basis_.cols();
    std::vector<double> sums(static_cast<std::size_t>((last - first) * rank));
    std::vector<double> rows(static_cast<std::size_t>(3 * std::min(tile_, forces_.vertices) * rank));
    for (std::int64_t begin = 0; begin < forces_.vertices; begin += tile_) {
      const std::int64_t end = std::min(begin + tile_, forces_.vertices);
      pack(begin, end, rows.data());
      for (std::int64_t body = first; body < last; ++body)
        add(body, begin, end, rows.data(), sums.data() + (body - first) * rank);
    }
    return sums;
  }

 private:
  // Shape (vertices, 3, r).
  void pack(std::int64_t begin, std::int64_t end, double* rows) const {
    for (std::int64_t k = begin; k < end; ++k) {
      const Eigen::Index row =
          3 * (vertices_.empty() ? static_cast<Eigen::Index>(k) : Eigen::Index{vertices_[static_cast<std::size_t>(k)]});
      for (Eigen::Index axis = 0; axis < 3; ++axis)
        for (Eigen::Index i = 0; i < basis_.cols(); ++i) *rows++ = basis_(row + axis, i);
    }
  }

  void add(std::int64_t body, std::int64_t begin, std::int64_t end, const double* row, double* sum) const {
    for (std::int64_t k = begin; k < end; ++k)
      for (std::int64_t axis = 0; axis < 3; ++axis, row += basis_.cols()) {
        const double force{forces_(body, k, axis)};
        for (std::int64_t i = 0; i < basis_.cols(); ++i) sum[i] += row[i] * force;
      }
  }

  const MatrixRef& basis_;
  std::span<const std::int32_t> vertices_;
  const VertexView<const T>& forces_;
  std::int64_t tile_;  // vertices
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
void add_vertex_forces(MatrixRef basis, std::span<const std::int32_t> vertices, VertexView<const T> forces,
                       StateView<T> reduced_force) {
  require_rank(basis, reduced_force.rank);
  require_vertices(basis, vertices);
  if (forces.bodies != reduced_force.bodies || forces.vertices != chosen_count(basis, vertices))
    throw InputError("there are forces on " + std::to_string(forces.vertices) + " vertices of " +
                     std::to_string(forces.bodies) + " bodies, but " + std::to_string(chosen_count(basis, vertices)) +
                     " vertices of " + std::to_string(reduced_force.bodies) + " bodies take them");
  const ForceSums<T> sums(basis, vertices, forces);
  parallel_for((forces.bodies + bodies_per_tile - 1) / bodies_per_tile, [&](std::int64_t part) {
    const std::int64_t first = part * bodies_per_tile, last = std::min(first + bodies_per_tile, forces.bodies);
    const std::vector<double> added = sums.of(first, last);
    const double* sum = added.data();
    for (std::int64_t body = first; body < last; ++body)
      for (std::int64_t i = 0; i < reduced_force.rank; ++i) {
        T& total = reduced_force(i, body);
        total = static_cast<T>(double{total} + *sum++);
      }
  });
}

template <class T>
void vertex_displacements(MatrixRef basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                          std::span<T> displacement) {
  const std::int64_t count = chosen_count(basis, vertices);
  if (std::ssize(displacement) != 3 * count * q.bodies)
    throw InputError("displacement must hold " + std::to_string(q.bodies) + " bodies x " + std::to_string(count) +
                     " vertices x 3 numbers, not " + std::to_string(displacement.size()));
  vertex_displacements(basis, q, vertices, packed_view(displacement, q.bodies, count));
}

template <class T>
void vertex_displacements(MatrixRef basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                          VertexView<T> displacement) {
  require_rank(basis, q.rank);
  require_vertices(basis, vertices);
  const std::int64_t count = chosen_count(basis, vertices);
  if (displacement.bodies != q.bodies || displacement.vertices != count)
    throw InputError("displacement has the shape (" + std::to_string(displacement.bodies) + ", " +
                     std::to_string(displacement.vertices) + ", 3), but (" + std::to_string(q.bodies) + ", " +
                     std::to_string(count) + ", 3) is needed");
  if (count == 0 || q.bodies == 0) return;
  const Displacement<T> work(basis, q, vertices, displacement, static_cast<std::size_t>(3 * count));
  const std::size_t tiles = (work.row_count + work.rows_per_tile - 1) / work.rows_per_tile;
  parallel_for(static_cast<std::int64_t>(tiles),
               [&](std::int64_t tile) { work.compute_tile(static_cast<std::size_t>(tile) * work.rows_per_tile); });
}

template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const std::int32_t>, VertexView<const float>,
                                               StateView<float>);
template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const std::int32_t>, VertexView<const double>,
                                               StateView<double>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const float>, std::span<const std::int32_t>,
                                                  VertexView<float>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const double>, std::span<const std::int32_t>,
                                                  VertexView<double>);
template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const VertexForce>, StateView<float>);
template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const VertexForce>, StateView<double>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const float>, std::span<const std::int32_t>,
                                                  std::span<float>);
template QUARTIC_EXPORT void vertex_displacements(MatrixRef, StateView<const double>, std::span<const std::int32_t>,
                                                  std::span<double>);

}  // namespace quartic
