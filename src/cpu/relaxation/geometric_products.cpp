// y . g_ij without the strains of pairs: with sigma the linear stress of a field y, the work that y does on the
// quadratic stress of i and j is that which sigma does on their quadratic strain,
//   y . g_ij = (1 - [i = j] / 2) integral of sigma : sym(A_i^T A_j) = (1 - [i = j] / 2) sum over vertices a, b of
//              k_ab u_ia . u_jb,   k_ab = integral of grad N_a . sigma grad N_b:
// k is the geometric stiffness of the body under sigma. One pass over the quadrature points makes it, an element per
// lane and a few fields per task. The rest is a product of matrices over the pairs of vertices that share an element,
// of which there are far fewer than strains.
#include "cpu/relaxation/geometric_products.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/algebra/blas.hpp"
#include "core/base/instruction_set.hpp"
#include "core/base/thread_pool.hpp"
#include "cpu/fem/element_lanes.hpp"

namespace quartic::cpu {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// ---- pairs of vertices --------------------------------------------------------------------------------------------

/// All pairs a <= b of vertices that share an element, and where the elements' own are among them.
class VertexPairs {
 public:
  explicit VertexPairs(const PreparedMesh& mesh) {
    const VertexGraph& graph = mesh.graph();
    std::vector<std::int64_t> first;  // of each vertex, less the place of the vertex itself in its row
    for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
      const auto row = graph.row(v);
      const std::size_t self = graph.find(v, static_cast<std::int32_t>(v));
      first.push_back(count() - static_cast<std::int64_t>(self));
      for (std::size_t n = self; n < row.size(); ++n) pairs_.push_back({static_cast<std::int32_t>(v), row[n]});
    }
    for (const ElementBlock& block : mesh.mesh().blocks) {
      std::vector<std::int64_t>& places = places_.emplace_back();
      for (std::int64_t e = 0; e < block.count(); ++e) {
        const auto corners = block.element(e);
        for (std::size_t a = 0; a < corners.size(); ++a)
          for (std::size_t b = a; b < corners.size(); ++b) {
            const auto [low, high] = std::minmax(corners[a], corners[b]);
            places.push_back(first[static_cast<std::size_t>(low)] + static_cast<std::int64_t>(graph.find(low, high)));
          }
      }
    }
  }

  [[nodiscard]] std::int64_t count() const { return std::ssize(pairs_); }
  [[nodiscard]] const std::array<std::int32_t, 2>& operator[](std::int64_t n) const {
    return pairs_[static_cast<std::size_t>(n)];
  }
  /// Of a block's elements, one after another: corners (0, 0), (0, 1), ..., (1, 1), ...
  [[nodiscard]] const std::int64_t* places(std::size_t block) const { return places_[block].data(); }

 private:
  std::vector<std::array<std::int32_t, 2>> pairs_;
  std::vector<std::vector<std::int64_t>> places_;
};

// ---- geometric stiffness ------------------------------------------------------------------------------------------

// k_ab, a <= b, of a field x, shape (corners, 3), at all points of the lanes' elements.
[[gnu::always_inline]] inline void add_stiffness(const std::vector<LanePoint>& points, std::size_t corners,
                                                 const Lane* x, Lane* k) {
  for (const LanePoint& point : points) {
    LaneMatrix a = {}, s;
    for (std::size_t v = 0; v < corners; ++v)
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c)
#pragma omp simd
          for (std::size_t l = 0; l < lanes; ++l) a[3 * r + c][l] += x[3 * v + r][l] * point.gradient[v][c][l];
    Lane pressure, shear;
#pragma omp simd
    for (std::size_t l = 0; l < lanes; ++l) {
      pressure[l] = point.weight[l] * point.lambda[l] * (a[0][l] + a[4][l] + a[8][l]);
      shear[l] = point.weight[l] * point.mu[l];
    }
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
#pragma omp simd
        for (std::size_t l = 0; l < lanes; ++l)
          s[3 * r + c][l] = shear[l] * (a[3 * r + c][l] + a[3 * c + r][l]) + (r == c ? pressure[l] : 0.0);
    Lane* out = k;
    for (std::size_t v = 0; v < corners; ++v) {
      const auto& g = point.gradient[v];
      std::array<Lane, 3> sg;
      for (std::size_t r = 0; r < 3; ++r)
#pragma omp simd
        for (std::size_t l = 0; l < lanes; ++l)
          sg[r][l] = s[3 * r][l] * g[0][l] + s[3 * r + 1][l] * g[1][l] + s[3 * r + 2][l] * g[2][l];
      for (std::size_t w = v; w < corners; ++w, ++out) {
        const auto& h = point.gradient[w];
#pragma omp simd
        for (std::size_t l = 0; l < lanes; ++l)
          (*out)[l] += sg[0][l] * h[0][l] + sg[1][l] * h[1][l] + sg[2][l] * h[2][l];
      }
    }
  }
}

// The same text for newer processors, as in cpu/strains/strain_panel.cpp.
using AddStiffness = void (*)(const std::vector<LanePoint>&, std::size_t, const Lane*, Lane*);
void add_stiffness_portable(const std::vector<LanePoint>& points, std::size_t corners, const Lane* x, Lane* k) {
  add_stiffness(points, corners, x, k);
}
#ifdef __x86_64__
[[gnu::target(QUARTIC_TARGET_AVX2)]] void add_stiffness_avx2(const std::vector<LanePoint>& points, std::size_t corners,
                                                             const Lane* x, Lane* k) {
  add_stiffness(points, corners, x, k);
}
[[gnu::target(QUARTIC_TARGET_AVX512)]] void add_stiffness_avx512(const std::vector<LanePoint>& points,
                                                                 std::size_t corners, const Lane* x, Lane* k) {
  add_stiffness(points, corners, x, k);
}
#endif

AddStiffness fastest() {
#ifdef __x86_64__
  if (instruction_set() == InstructionSet::avx512) return add_stiffness_avx512;
  if (instruction_set() == InstructionSet::avx2) return add_stiffness_avx2;
#endif
  return add_stiffness_portable;
}

// Adds the elements of a block: each column of k, of the field there, is summed in the order of the elements.
// @param fields @param k a few columns each
void add_block(const BlockLoop& loop, const std::int64_t* places, const MatrixRef& fields, blas::Out k) {
  static const AddStiffness add = fastest();
  const auto corners = static_cast<std::size_t>(loop.rule.vertex_count);
  const std::size_t own = corners * (corners + 1) / 2;
  std::vector<LanePoint> points(loop.rule.weights.size());
  std::vector<std::int32_t> vertices;
  std::vector<Lane> x(3 * corners), element(own);
  for (std::int64_t begin = 0; begin < loop.block.count(); begin += lanes) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(lanes, loop.block.count() - begin));
    loop.gather_vertices(begin, count, vertices);
    for (std::size_t p = 0; p < points.size(); ++p) loop.gather_point(begin, count, p, points[p]);
    for (Index f = 0; f < fields.cols(); ++f) {
      const double* field = fields.col(f).data();
      for (std::size_t v = 0; v < corners; ++v)
        for (std::size_t r = 0; r < 3; ++r)
          for (std::size_t l = 0; l < lanes; ++l)
            x[3 * v + r][l] = field[3 * static_cast<std::size_t>(vertices[l * corners + v]) + r];
      std::fill(element.begin(), element.end(), Lane{});
      add(points, corners, x.data(), element.data());
      double* column = k.col(f).data();
      for (std::size_t l = 0; l < count; ++l) {
        const std::int64_t* place = places + (static_cast<std::size_t>(begin) + l) * own;
        for (std::size_t n = 0; n < own; ++n) column[place[n]] += element[n][l];
      }
    }
  }
}

// Of fields [first, last), a row per pair of vertices.
MatrixXd geometric_stiffness(const PreparedMesh& mesh, const VertexPairs& pairs, const MatrixRef& fields, Index first,
                             Index last) {
  constexpr Index fields_per_task = 8;
  MatrixXd k = MatrixXd::Zero(pairs.count(), last - first);
  std::int64_t first_element = 0;
  for (std::size_t n = 0; n < mesh.mesh().blocks.size(); ++n) {
    const ElementBlock& block = mesh.mesh().blocks[n];
    const BlockLoop loop{mesh.mesh(), block, mesh.materials(),
                         TabulatedRule(element_table(block.type), stiffness_rule(block)), first_element};
    parallel_for((last - first + fields_per_task - 1) / fields_per_task, [&](std::int64_t task) {
      const Index begin = task * fields_per_task, count = std::min(fields_per_task, last - first - begin);
      add_block(loop, pairs.places(n), fields.middleCols(first + begin, count), k.middleCols(begin, count));
    });
    first_element += block.count();
  }
  return k;
}

// ---- products -----------------------------------------------------------------------------------------------------

// u_ia . u_jb + u_ib . u_ja for pairs of vertices [begin, end) (rows) and of fields i <= j, with what the formula above
// counts once.
void fill_dot_products(const VertexPairs& pairs, const MatrixRef& basis, std::int64_t begin, std::int64_t end,
                       Eigen::Ref<MatrixXd, 0, Eigen::OuterStride<>> out) {
  const Index rows = end - begin, r = basis.cols();
  std::array<MatrixXd, 3> a, b;
  Eigen::ArrayXd scale(rows);
  for (std::size_t c = 0; c < 3; ++c) a[c].resize(rows, r), b[c].resize(rows, r);
  for (Index row = 0; row < rows; ++row) {
    const auto& [v, w] = pairs[begin + row];
    scale[row] = v == w ? 0.5 : 1;
    for (std::size_t c = 0; c < 3; ++c) {
      a[c].row(row) = basis.row(3 * Index{v} + static_cast<Index>(c));
      b[c].row(row) = basis.row(3 * Index{w} + static_cast<Index>(c));
    }
  }
  for (Index i = 0, pair = 0; i < r; ++i)
    for (Index j = i; j < r; ++j, ++pair) {
      auto sum = out.col(pair).head(rows).array();
      sum = a[0].col(i).array() * b[0].col(j).array() + b[0].col(i).array() * a[0].col(j).array() +
            a[1].col(i).array() * b[1].col(j).array() + b[1].col(i).array() * a[1].col(j).array() +
            a[2].col(i).array() * b[2].col(j).array() + b[2].col(i).array() * a[2].col(j).array();
      sum *= i == j ? 0.5 * scale : scale;
    }
}

// k^T times the dot products, tile by tile.
MatrixXd work_of(const VertexPairs& pairs, const MatrixRef& basis, const MatrixXd& k) {
  constexpr std::int64_t tile_rows = 8192, rows_per_task = 512;
  const Index r = basis.cols(), columns = r * (r + 1) / 2;
  MatrixXd tile(std::min(tile_rows, pairs.count()), columns);
  MatrixXd sum = MatrixXd::Zero(k.cols(), columns);
  for (std::int64_t begin = 0; begin < pairs.count(); begin += tile_rows) {
    const std::int64_t rows = std::min(tile_rows, pairs.count() - begin);
    parallel_for((rows + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
      const std::int64_t first = task * rows_per_task, last = std::min(rows, first + rows_per_task);
      fill_dot_products(pairs, basis, begin + first, begin + last, tile.middleRows(first, last - first));
    });
    sum += blas::multiply_transposed(k.middleRows(begin, rows), tile.topRows(rows));
  }
  return sum;
}

}  // namespace

Matrix geometric_products(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                          std::int64_t workspace_bytes, const Progress& progress) {
  const VertexPairs pairs(mesh);
  const Index n = fields.cols(), r = basis.cols();
  const Index at_once = std::max<Index>(1, workspace_bytes / (pairs.count() * static_cast<Index>(sizeof(double))));
  Matrix products(n, r * (r + 1) / 2);
  for (Index first = 0; first < n; first += at_once) {
    if (progress) progress("relaxed strains", static_cast<double>(first) / static_cast<double>(n));
    const Index last = std::min(n, first + at_once);
    products.map().middleRows(first, last - first) =
        work_of(pairs, basis, geometric_stiffness(mesh, pairs, fields, first, last));
  }
  return products;
}

}  // namespace quartic::cpu
