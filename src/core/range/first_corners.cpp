#include "core/range/first_corners.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/algebra/blas.hpp"
#include "core/base/thread_pool.hpp"
#include "core/elements/quadrature.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_gradient = 64;
constexpr double surely_strained = 3;  // an entry of du/dX beyond 1 + sqrt(3): a column of F is longer than sqrt(3)
constexpr int panel = 16;              // ways that are looked at together

using Gradient = std::array<double, 9>;                      // du/dX, row by row
using Gradients = std::array<std::array<double, panel>, 9>;  // of a panel's ways

// The shape functions' gradients at an element's corners that aren't degenerate.
class CornerGeometry {
 public:
  explicit CornerGeometry(const ElementTable& table)
      : rule_(table, {table.corners, std::vector<double>(table.corners.size(), 1.0)}),
        points_(table.affine ? 1 : table.corners.size()) {}

  /// Calls body(corner, geometry).
  template <class Body>
  void for_each(const VolumeMesh& mesh, std::span<const std::int32_t> element, const Body& body) {
    std::array<std::array<double, 3>, 20> x;
    gather_positions(mesh, element, x);
    double largest = 0;
    for (std::size_t p = 0; p < points_; ++p) {
      point_geometry(x, rule_, p, geometry_[p]);
      largest = std::max(largest, geometry_[p].weight);
    }
    constexpr double degenerate = 1e-6;  // of a corner beside the element's largest
    for (std::size_t p = 0; p < points_; ++p)
      if (geometry_[p].weight > degenerate * largest) body(static_cast<std::int32_t>(p), geometry_[p]);
  }

 private:
  TabulatedRule rule_;
  std::size_t points_;  // all are alike in an affine element
  std::array<PointGeometry, 20> geometry_;
};

// The first s in (begin, end] where a polynomial with these Bernstein coefficients isn't positive, to a millionth.
template <std::size_t n>
double first_root(std::array<double, n> b, double begin, double end, int depth = 20) {
  if (b[0] <= 0 || std::ranges::any_of(b, [](double x) { return std::isnan(x); })) return begin;  // or beyond numbers
  if (std::ranges::all_of(b, [](double x) { return x > 0; })) return infinity;
  if (depth == 0) return b[n - 1] <= 0 ? end : infinity;
  std::array<double, n> first;
  for (std::size_t level = 0; level < n; ++level) {
    first[level] = b[0];
    for (std::size_t i = 0; i + 1 < n - level; ++i) b[i] = (b[i] + b[i + 1]) / 2;
  }
  // Each level left its last coefficient in place: b is the second half's.
  const double half = (begin + end) / 2;
  const double left = first_root(first, begin, half, depth - 1);
  return left < infinity ? left : first_root(b, half, end, depth - 1);
}

// The first s up to `limit` with det(I + s A) <= 0.
double inversion(const Gradient& a, double limit) {
  const double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[0] * a[8] - a[2] * a[6], c2 = a[0] * a[4] - a[1] * a[3];
  const double trace = limit * (a[0] + a[4] + a[8]), minors = limit * limit * (c0 + c1 + c2);
  const double determinant =
      limit * limit * limit * (a[0] * c0 - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]));
  return first_root<4>({1, 1 + trace / 3, 1 + (2 * trace + minors) / 3, 1 + trace + minors + determinant}, 0, limit);
}

// A polynomial on [0, 1] of degree n - 1: its Bernstein coefficients times the binomials, so that a product's are a
// convolution.
template <std::size_t n>
using Polynomial = std::array<double, n>;

template <std::size_t n, std::size_t m>
Polynomial<n + m - 1> operator*(const Polynomial<n>& a, const Polynomial<m>& b) {
  Polynomial<n + m - 1> product{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) product[i + j] += a[i] * b[j];
  return product;
}

template <std::size_t n>
Polynomial<n> operator-(Polynomial<n> a, const Polynomial<n>& b) {
  for (std::size_t i = 0; i < n; ++i) a[i] -= b[i];
  return a;
}

template <std::size_t n>
Polynomial<n> operator+(Polynomial<n> a, const Polynomial<n>& b) {
  for (std::size_t i = 0; i < n; ++i) a[i] += b[i];
  return a;
}

// The first s up to `limit` where it isn't positive.
template <std::size_t n>
double first_root_of(Polynomial<n> a, double limit) {
  double binomial = 1;
  for (std::size_t i = 0; i < n; ++i) {
    a[i] /= binomial;
    binomial *= static_cast<double>(n - 1 - i) / static_cast<double>(i + 1);
  }
  return first_root(a, 0, limit);
}

// The first s up to `limit` where sign (C - bound I) isn't positive definite, C = (I + s A)^T (I + s A). All leading
// minors are asked: where two eigenvalues change signs together, the determinant doesn't, but the minor of order 2
// does.
double leaves_bound(const Gradient& a, double limit, double sign, double bound) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    const double one = i == j ? sign * (1 - bound) : 0;
    const double linear = sign * limit * (a[3 * i + j] + a[3 * j + i]);
    const double square = sign * limit * limit * (a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j]);
    return Polynomial<3>{one, 2 * one + linear, one + linear + square};
  };
  const Polynomial<3> xx = entry(0, 0), yy = entry(1, 1), zz = entry(2, 2), xy = entry(0, 1), xz = entry(0, 2),
                      yz = entry(1, 2);
  const Polynomial<5> minor = xx * yy - xy * xy;
  const Polynomial<7> determinant = minor * zz - xx * (yz * yz) - yy * (xz * xz) + xy * xz * yz + xy * xz * yz;
  return std::min({first_root_of(xx, limit), first_root_of(minor, limit), first_root_of(determinant, limit)});
}

// The first s up to `limit` that is strained too much. What comes later doesn't matter: a point that is compressed is
// strained, comes back mirrored, and is strained again.
double overstrain(const Gradient& a, double limit) {
  constexpr double surely_within = 0.42;  // |s A| below 1 - 1/sqrt(3) changes no stretch by more
  double square = 0;
  for (const double x : a) square += x * x;
  if (limit * limit * square < surely_within * surely_within) return infinity;
  return std::min(leaves_bound(a, limit, 1, 1.0 / 3), leaves_bound(a, limit, -1, 3));
}

// Takes what comes before the exits so far.
void look_at(const Gradient& a, const ElementCorner& corner, WayExits& exits) {
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  if (!(largest > 0)) return;
  const double far = largest_gradient / largest;
  const double far_strained = surely_strained / largest;
  const auto take = [&](RangeExit& exit, double scale) { exit = std::min(exit, RangeExit{scale, corner}); };
  if (const double s = inversion(a, std::min(far, exits.inverted.scale)); s < infinity) take(exits.inverted, s);
  if (const double s = overstrain(a, std::min(far_strained, exits.strained.scale)); s < infinity)
    take(exits.strained, s);
}

// du/dX of the panel's ways. @param displacements shape (panel, 3n)
void add_up(const MatrixXd& displacements, std::span<const std::int32_t> element, const PointGeometry& geometry,
            Gradients& sums) {
  for (auto& row : sums) row.fill(0);
  for (std::size_t v = 0; v < element.size(); ++v)
    for (std::size_t a = 0; a < 3; ++a) {
      const double* u = displacements.data() + (3 * std::int64_t{element[v]} + static_cast<std::int64_t>(a)) * panel;
      for (std::size_t b = 0; b < 3; ++b) {
        const double gradient = geometry.gradient[v][b];
        for (std::size_t way = 0; way < panel; ++way) sums[3 * a + b][way] += gradient * u[way];
      }
    }
}

using PanelExits = std::array<WayExits, panel>;

PanelExits exits_of_elements(const VolumeMesh& mesh, const ElementBlock& block, std::int64_t first_of_block,
                             std::int64_t begin, std::int64_t end, const MatrixXd& displacements) {
  PanelExits exits;
  CornerGeometry corners(element_table(block.type));
  Gradients sums;
  for (std::int64_t e = begin; e < end; ++e)
    corners.for_each(mesh, block.element(e), [&](std::int32_t corner, const PointGeometry& geometry) {
      add_up(displacements, block.element(e), geometry, sums);
      for (std::size_t way = 0; way < panel; ++way) {
        Gradient a;
        for (std::size_t entry = 0; entry < 9; ++entry) a[entry] = sums[entry][way];
        look_at(a, {first_of_block + e, corner}, exits[way]);
      }
    });
  return exits;
}

// Pieces of a fixed number of elements, so that results don't depend on the number of threads.
PanelExits exits_of_panel(const VolumeMesh& mesh, const MatrixXd& displacements) {
  constexpr std::int64_t piece = 512;
  PanelExits all;
  std::mutex mutex;
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    parallel_ranges(block.count(), piece, [&](std::int64_t begin, std::int64_t end) {
      const PanelExits exits = exits_of_elements(mesh, block, first, begin, end, displacements);
      const std::lock_guard lock(mutex);
      for (std::size_t way = 0; way < panel; ++way) {
        all[way].inverted = std::min(all[way].inverted, exits[way].inverted);
        all[way].strained = std::min(all[way].strained, exits[way].strained);
      }
    });
    first += block.count();
  }
  return all;
}

}  // namespace

std::vector<WayExits> first_corners(const VolumeMesh& mesh, MatrixRef basis, MatrixRef directions) {
  std::vector<WayExits> result;
  MatrixXd product(basis.rows(), panel);
  for (Eigen::Index first = 0; first < directions.cols(); first += panel) {
    const Eigen::Index count = std::min<Eigen::Index>(panel, directions.cols() - first);
    product.setZero();
    blas::multiply(1, basis, directions.middleCols(first, count), 0, product.leftCols(count));
    const MatrixXd displacements = product.transpose();
    const PanelExits exits = exits_of_panel(mesh, displacements);
    result.insert(result.end(), exits.begin(), exits.begin() + count);
  }
  return result;
}

MatrixXd corner_gradients(const VolumeMesh& mesh, MatrixRef basis, const ElementCorner& corner) {
  MatrixXd gradients = MatrixXd::Zero(9, basis.cols());
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const std::int64_t e = corner.element - first;
    first += block.count();
    if (e < 0 || e >= block.count()) continue;
    const auto element = block.element(e);
    CornerGeometry(element_table(block.type))
        .for_each(mesh, element, [&](std::int32_t number, const PointGeometry& geometry) {
          if (number != corner.corner) return;
          for (std::size_t v = 0; v < element.size(); ++v)
            for (Eigen::Index a = 0; a < 3; ++a)
              for (Eigen::Index b = 0; b < 3; ++b)
                gradients.row(3 * a + b) +=
                    geometry.gradient[v][static_cast<std::size_t>(b)] * basis.row(3 * Eigen::Index{element[v]} + a);
        });
  }
  return gradients;
}

}  // namespace quartic
