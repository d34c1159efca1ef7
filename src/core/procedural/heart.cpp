// The solid inside an algebraic surface of degree six that is shaped like a heart:
//   (x^2 + 9/4 y^2 + z^2 - 1)^3 = (x^2 + 9/80 y^2) z^3
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/procedural/elements_of_type.hpp"
#include "core/procedural/voxelize.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {

namespace {

constexpr double scale = 0.05;  // m per unit of the formula: a heart of about 11 cm
// What the surface reaches, in units of the formula, rounded up.
constexpr Point extent = {1.1395, 0.6670, 1.2370};
constexpr double tip = -1.0010;

constexpr Material soft_rubber = {.youngs_modulus = 5e5, .poissons_ratio = 0.4, .density = 1000};

double depth(const Point& p) {
  const double x = p[0] / scale, y = p[1] / scale, z = p[2] / scale;
  const double ball = x * x + 9.0 / 4 * y * y + z * z - 1;
  return (x * x + 9.0 / 80 * y * y) * z * z * z - ball * ball * ball;
}

}  // namespace

ProceduralMesh make_heart(int resolution, ElementType type) {
  check_element_type(type, "heart");
  if (resolution < 4 || resolution > 300)
    throw InputError("a heart needs 4 to 300 voxels along its longest axis, not " + std::to_string(resolution));
  const Point lower = {-scale * extent[0], -scale * extent[1], scale * tip};
  const Point upper = {scale * extent[0], scale * extent[1], scale * extent[2]};
  ProceduralMesh result;
  result.mesh = voxelize({lower, upper, depth}, resolution, "heart", soft_rubber);
  // The cleft between the lobes, where vessels would leave it: all within a ball about the surface's point (0, 0, 1).
  const double radius = std::max(0.3 * scale, 1.3 * voxel_size(lower, upper, resolution));
  for (std::int32_t v = 0; v < result.mesh.vertex_count(); ++v) {
    const double* p = &result.mesh.vertices[3 * static_cast<std::size_t>(v)];
    if (std::hypot(p[0], p[1], p[2] - scale) < radius) result.fixed_vertices.push_back(v);
  }
  return elements_of_type(std::move(result), type);
}

}  // namespace quartic
