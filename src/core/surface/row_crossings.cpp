#include "core/surface/row_crossings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace quartic {
namespace {

/// A corner in numbers of the lattice's planes, the axis of the rows first.
struct Corner {
  std::int32_t vertex;
  Point x;
};

class TriangleRows {
 public:
  TriangleRows(const std::array<Corner, 3>& corners, std::int32_t triangle)
      : corners_(corners), triangle_(triangle), slope_(slope()) {}

  void append(const VoxelLattice& lattice, std::size_t axis, std::vector<RowCrossing>& crossings) const {
    const auto [first_j, last_j] = rows(1, lattice.cells()[(axis + 1) % 3]);
    const auto [first_k, last_k] = rows(2, lattice.cells()[(axis + 2) % 3]);
    for (std::int64_t k = first_k; k <= last_k; ++k)
      for (std::int64_t j = first_j; j <= last_j; ++j) append(j, k, crossings);
  }

 private:
  /// Of either sign, which rows tell exactly.
  [[nodiscard]] double slope() const {
    std::array<double, 3> a{}, b{};
    for (std::size_t c = 0; c < 3; ++c) {
      a[c] = corners_[1].x[c] - corners_[0].x[c];
      b[c] = corners_[2].x[c] - corners_[0].x[c];
    }
    const double along = a[1] * b[2] - a[2] * b[1];
    const double length = std::hypot(along, a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
    return length > 0 ? std::abs(along) / length : 0;
  }

  /// Rows whose lines lie within the triangle's box.
  [[nodiscard]] std::array<std::int64_t, 2> rows(std::size_t c, std::int64_t cells) const {
    const auto [low, high] = std::minmax({corners_[0].x[c], corners_[1].x[c], corners_[2].x[c]});
    return {std::max(static_cast<std::int64_t>(std::ceil(low - 0.5)), std::int64_t{0}),
            std::min(static_cast<std::int64_t>(std::floor(high - 0.5)), cells - 1)};
  }

  /// Twice the area between an edge and a point, positive on its left; where that is 0, of the point moved by (e^2, e).
  /// Computed from the lower vertex to the higher, so that it is the same for both triangles.
  static double area_beside(const Corner& from, const Corner& to, double y, double z) {
    if (from.vertex > to.vertex) return -area_beside(to, from, y, z);
    const double along_y = to.x[1] - from.x[1], along_z = to.x[2] - from.x[2];
    const double area = along_y * (z - from.x[2]) - along_z * (y - from.x[1]);
    constexpr double least = std::numeric_limits<double>::denorm_min();
    if (area != 0) return area;
    if (along_y != 0) return std::copysign(least, along_y);
    return along_z != 0 ? -std::copysign(least, along_z) : 0;
  }

  void append(std::int64_t j, std::int64_t k, std::vector<RowCrossing>& crossings) const {
    const double y = static_cast<double>(j) + 0.5, z = static_cast<double>(k) + 0.5;
    std::array<double, 3> weights{};  // of the corners; not yet divided by their sum
    for (std::size_t c = 0; c < 3; ++c) weights[c] = area_beside(corners_[(c + 1) % 3], corners_[(c + 2) % 3], y, z);
    const bool left = weights[0] > 0 && weights[1] > 0 && weights[2] > 0;
    const bool right = weights[0] < 0 && weights[1] < 0 && weights[2] < 0;
    if (!left && !right) return;
    const double sum = weights[0] + weights[1] + weights[2];
    double at = corners_[0].x[0];  // exact where all three corners have it
    for (std::size_t c = 1; c < 3; ++c) at += weights[c] / sum * (corners_[c].x[0] - corners_[0].x[0]);
    crossings.push_back({j, k, at, left ? slope_ : -slope_, triangle_});
  }

  std::array<Corner, 3> corners_;
  std::int32_t triangle_;
  double slope_;
};

}  // namespace

std::vector<RowCrossing> row_crossings(const TriangleMesh& surface, const SurfaceShells& shells,
                                       const VoxelLattice& lattice, std::size_t axis) {
  std::vector<RowCrossing> crossings;
  for (std::size_t t = 0; t < shells.shell_of.size(); ++t) {
    if (!shells.shell(t).volume) continue;
    std::array<Corner, 3> corners;
    for (std::size_t c = 0; c < 3; ++c) {
      corners[c].vertex = shells.triangles[3 * t + c];
      const double* x = surface.vertices.data() + 3 * static_cast<std::size_t>(corners[c].vertex);
      for (std::size_t n = 0; n < 3; ++n) {
        const std::size_t of = (axis + n) % 3;
        corners[c].x[n] = lattice.coordinate(of, x[of]);
      }
    }
    TriangleRows(corners, static_cast<std::int32_t>(t)).append(lattice, axis, crossings);
  }
  std::sort(crossings.begin(), crossings.end(), [](const RowCrossing& a, const RowCrossing& b) {
    return std::tie(a.k, a.j, a.at, a.slope) < std::tie(b.k, b.j, b.at, b.slope);
  });
  return crossings;
}

}  // namespace quartic
