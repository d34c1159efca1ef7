// A spoon: a shell of even thickness around a middle surface, cut to an outline. x runs from the end of the handle to
// the tip of the bowl, y across, z up.
#include <algorithm>
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
constexpr double length = 0.2;
constexpr double thickness = 0.004;
constexpr double bowl_length = 0.066;
constexpr double bowl_width = 0.044;
constexpr double bowl_depth = 0.011;
constexpr double neck_width = 0.008;
constexpr double handle_width = 0.017;  // before its end is rounded
constexpr double handle_rise = 0.018;   // of the handle's end above the rim
constexpr double handle_length = length - bowl_length;
constexpr double bowl_middle = length - bowl_length / 2;

constexpr Material hard_rubber = {.youngs_modulus = 1e8, .poissons_ratio = 0.4, .density = 1100};

double square(double x) {
  return x * x;
}

/// sqrt(1 - s^2), the height of a circular arc; 0 outside.
double arc(double s) {
  return std::sqrt(std::max(0.0, 1 - s * s));
}

/// Half the width at x: handle and bowl, joined by a fillet.
double half_width(double x) {
  const double along = std::min(x / handle_length, 1.0);
  double handle = neck_width / 2 + (handle_width - neck_width) / 2 * square(1 - along);
  if (x < handle_width / 2) handle *= arc(1 - x / (handle_width / 2));
  if (x > bowl_middle) handle *= arc((x - bowl_middle) / (bowl_length / 2));
  const double bowl = bowl_width / 2 * arc((x - bowl_middle) / (bowl_length / 2));
  return std::pow(std::pow(handle, 4) + std::pow(bowl, 4), 0.25);
}

/// No part of the bowl is higher than its rim, which is level but for the neck.
double rim(double x, double thick) {
  const double u = (x - bowl_middle) / (bowl_length / 2);
  return u < 0 ? thick / 2 * u * u * u * u : 0;
}

/// The middle surface's height and the length of the vector (1, its slope).
struct Height {
  double z, stretch;
};

Height middle_surface(double x, double y) {
  double z = 0, slope_x = 0, slope_y = 0;
  if (x < handle_length) {  // half a wave, level at either end
    const double phase = std::numbers::pi * (1 - x / handle_length);
    z = handle_rise / 2 * (1 - std::cos(phase));
    slope_x = -handle_rise / 2 * std::sin(phase) * std::numbers::pi / handle_length;
  }
  const double u = (x - bowl_middle) / (bowl_length / 2), v = y / (bowl_width / 2);
  if (u * u + v * v < 1) {
    z -= bowl_depth * (1 - u * u - v * v);
    slope_x += 2 * bowl_depth * u / (bowl_length / 2);
    slope_y = 2 * bowl_depth * v / (bowl_width / 2);
  }
  return {z, std::hypot(1, slope_x, slope_y)};
}

}  // namespace

ProceduralMesh make_spoon(int resolution, ElementType type) {
  check_element_type(type, "spoon");
  if (resolution < 20 || resolution > 1000)
    throw InputError("a spoon needs 20 to 1000 voxels along its length, not " + std::to_string(resolution));
  const double cell = length / resolution;
  // Where the surface rises by s per cell, neighbouring columns share a face if they are 1 + s cells high. They are
  // sqrt(1 + s^2) thicknesses high, so that sqrt(2) cells of thickness are enough. A row of centres may lie 1/2 cell
  // beside the middle, so that more than one cell of width always holds one.
  const double thick = std::max(thickness, std::numbers::sqrt2 * cell);
  const double least_half_width = 0.75 * cell;
  const auto depth = [=](const Point& p) {
    const Height middle = middle_surface(p[0], p[1]);
    const double shell = thick / 2 - std::abs(p[2] - middle.z) / middle.stretch;
    const double outline = std::max(half_width(p[0]), least_half_width) - std::abs(p[1]);
    return std::min({shell, outline, p[0] > handle_length ? rim(p[0], thick) - p[2] : length});
  };
  // Slopes are below 1.1, so that half the thickness measured along z is below 0.75 thicknesses.
  const Point lower = {0, -bowl_width / 2, -bowl_depth - 0.75 * thick};
  const Point upper = {length, bowl_width / 2, handle_rise + 0.75 * thick};
  ProceduralMesh result;
  result.mesh = voxelize({lower, upper, depth}, resolution, "spoon", hard_rubber);
  const double held = std::max(0.015, 1.5 * cell);  // from the handle's end
  for (std::int32_t v = 0; v < result.mesh.vertex_count(); ++v)
    if (result.mesh.vertices[3 * static_cast<std::size_t>(v)] < held) result.fixed_vertices.push_back(v);
  return elements_of_type(std::move(result), type);
}

}  // namespace quartic
