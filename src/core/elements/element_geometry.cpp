#include "core/elements/element_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace quartic {
namespace {

using Positions = std::array<std::array<double, 3>, 20>;

// Relative to the first vertex, so that a mesh far from the origin loses no digits.
void gather_relative(const VolumeMesh& mesh, std::span<const std::int32_t> element, Positions& x) {
  gather_positions(mesh, element, x);
  const auto origin = x[0];
  for (std::size_t a = 0; a < element.size(); ++a)
    for (std::size_t c = 0; c < 3; ++c) x[a][c] -= origin[c];
}

struct Jacobian {
  double determinant = 0;
  double product = 0;   // of the columns' lengths: |determinant| <= product
  double triangle = 0;  // mean square of the lengths along the three sides of a wedge's triangle [m^2]
  double upright = 0;   // length along the wedge [m]
};

Jacobian jacobian_at(const Positions& x, const std::vector<std::array<double, 3>>& gradients) {
  double column[3][3] = {};
  for (std::size_t a = 0; a < gradients.size(); ++a)
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t c = 0; c < 3; ++c) column[d][c] += x[a][c] * gradients[a][d];
  Jacobian jacobian;
  jacobian.product = 1;
  for (const auto& v : column) jacobian.product *= std::hypot(v[0], v[1], v[2]);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    jacobian.determinant += column[0][c] * (column[1][c1] * column[2][c2] - column[1][c2] * column[2][c1]);
    const double third = column[1][c] - column[0][c];
    jacobian.triangle += (column[0][c] * column[0][c] + column[1][c] * column[1][c] + third * third) / 3;
  }
  jacobian.upright = std::hypot(column[2][0], column[2][1], column[2][2]);
  return jacobian;
}

// The corner's volume over that of the regular element with the same lengths. For a hexahedron, the determinant over
// the product of its edges. For a wedge, a triangle's area over that of the regular one with the same sum of squared
// sides, which doesn't depend on the corner that coordinates start from.
double corner_quality(const Jacobian& corner, bool wedge) {
  const double regular = wedge ? std::sqrt(0.75) * corner.triangle * corner.upright : corner.product;
  return regular > 0 ? std::abs(corner.determinant) / regular : 0;
}

double longest_edge(const Positions& x, std::size_t count) {
  double longest = 0;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b)
      longest = std::max(longest, std::hypot(x[a][0] - x[b][0], x[a][1] - x[b][1], x[a][2] - x[b][2]));
  return longest;
}

QuadratureRule corner_points(const ElementTable& table) {
  return {table.corners, std::vector<double>(table.corners.size(), 1.0)};
}

}  // namespace

ElementRuler::ElementRuler(const ElementTable& table)
    : table_(&table), volume_(table, table.mass_rule), corners_(table, corner_points(table)), sign_(table) {}

ElementShape ElementRuler::shape(const VolumeMesh& mesh, std::span<const std::int32_t> element,
                                 double coordinate_error) const {
  Positions x;
  gather_positions(mesh, element, x);
  return sign_.shape({x.data(), element.size()}, coordinate_error);
}

double ElementRuler::signed_volume(const VolumeMesh& mesh, std::span<const std::int32_t> element) const {
  Positions x;
  gather_relative(mesh, element, x);
  double volume = 0;
  for (std::size_t p = 0; p < volume_.weights.size(); ++p)
    volume += volume_.weights[p] * jacobian_at(x, volume_.gradients[p]).determinant;
  return volume;
}

ElementMeasure ElementRuler::measure(const VolumeMesh& mesh, std::span<const std::int32_t> element,
                                     double coordinate_error) const {
  Positions x;
  gather_relative(mesh, element, x);
  ElementMeasure result;
  result.signed_volume = signed_volume(mesh, element);
  result.shape = shape(mesh, element, coordinate_error);
  if (result.shape == ElementShape::folded || result.shape == ElementShape::degenerate) return result;
  double worst = 1;
  for (const auto& gradients : corners_.gradients)
    worst = std::min(worst, corner_quality(jacobian_at(x, gradients), is_wedge(table_->type)));
  result.quality = worst;
  if (table_->type == ElementType::tet4 || table_->type == ElementType::tet10) {
    // 6V / longest edge^3 is 1/sqrt(2) for the regular tetrahedron, and the same at every corner of a straight one.
    const double edge = longest_edge(x, element.size());
    result.quality = std::sqrt(2.0) * 6 * std::abs(result.signed_volume) / (edge * edge * edge);
  }
  return result;
}

std::array<double, 6> element_box(const VolumeMesh& mesh) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 6> box{infinity, infinity, infinity, -infinity, -infinity, -infinity};
  for (const ElementBlock& block : mesh.blocks)
    for (const std::int32_t v : block.vertices)
      for (std::size_t c = 0; c < 3; ++c) {
        const double x = mesh.vertices[3 * static_cast<std::size_t>(v) + c];
        if (!std::isfinite(x)) continue;
        box[c] = std::min(box[c], x);
        box[c + 3] = std::max(box[c + 3], x);
      }
  for (std::size_t c = 0; c < 3; ++c)
    if (box[c] > box[c + 3]) box[c] = box[c + 3] = 0;
  return box;
}

double coordinate_error(const VolumeMesh& mesh) {
  double farthest = 0;
  for (const double x : element_box(mesh)) farthest = std::max(farthest, std::abs(x));
  return 0.5 * std::numeric_limits<double>::epsilon() * farthest;
}

}  // namespace quartic
