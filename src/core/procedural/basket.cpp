// A basket: a wall of ribs and rings that widens upwards, on a solid floor. z up, its axis through the origin.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/procedural/elements_of_type.hpp"
#include "core/procedural/voxelize.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {

namespace {

// Dimensions [m].
constexpr double basket_height = 0.14, floor_radius = 0.09, rim_radius = 0.13;
constexpr double wall = 0.012, rib_width = 0.018, ring_width = 0.014;
constexpr int ribs = 12;
constexpr std::array<double, 3> ring_heights = {0.007, 0.07, 0.133};  // of their middles

constexpr Material soft_rubber = {.youngs_modulus = 2e6, .poissons_ratio = 0.4, .density = 1000};

/// Of the wall's middle surface at a height.
double radius_at(double z) {
  return floor_radius + (rim_radius - floor_radius) * z / basket_height;
}

/// How far a direction is from the next rib's middle [rad].
double from_rib(double angle) {
  constexpr double between = 2 * std::numbers::pi / ribs;
  return std::abs(std::remainder(angle - between / 2, between));
}

}  // namespace

ProceduralMesh make_basket(int resolution, ElementType type) {
  check_element_type(type, "basket");
  if (resolution < 16 || resolution > 400)
    throw InputError("a basket needs 16 to 400 voxels across its rim, not " + std::to_string(resolution));
  const double cell = 2 * (rim_radius + wall / 2) / resolution;
  // A wall that leans, and ribs between two directions, hold together by faces from 1.5 cells on.
  const double thick = std::max(wall, 1.6 * cell), half_rib = std::max(rib_width, 1.6 * cell) / 2,
               half_ring = std::max(ring_width, 1.1 * cell) / 2;
  const auto depth = [=](const Point& p) {
    const double r = std::hypot(p[0], p[1]), z = p[2], inside = std::min(z, basket_height - z);
    const double shell = thick / 2 - std::abs(r - radius_at(z));
    double woven = half_rib - radius_at(z) * from_rib(std::atan2(p[1], p[0]));
    for (const double height : ring_heights) woven = std::max(woven, half_ring - std::abs(z - height));
    const double base = std::min(thick - z, floor_radius + thick / 2 - r);
    return std::min(inside, std::max(std::min(shell, woven), base));
  };
  const double reach = rim_radius + thick / 2;
  ProceduralMesh result;
  result.mesh =
      voxelize({{-reach, -reach, 0}, {reach, reach, basket_height}, depth}, resolution, "basket", soft_rubber);
  for (std::int32_t v = 0; v < result.mesh.vertex_count(); ++v)
    if (result.mesh.vertices[3 * static_cast<std::size_t>(v) + 2] < 0.5 * cell) result.fixed_vertices.push_back(v);
  return elements_of_type(std::move(result), type);
}

}  // namespace quartic
