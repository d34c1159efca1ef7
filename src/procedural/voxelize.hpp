// Turns a solid given by an implicit function into cubes of one size.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "quartic/mesh.hpp"

namespace quartic {

using Point = std::array<double, 3>;

/// A solid inside a box.
struct Solid {
  Point lower, upper;                               ///< corners of a box that holds it [m]
  std::function<double(const Point& point)> depth;  ///< positive inside, negative outside, larger further inside
};

/// Edge length [m] of a cube: `resolution` of them fill the longest edge of the box.
[[nodiscard]] double voxel_size(const Point& lower, const Point& upper, int resolution);

/// The cubes whose centres are inside the solid, as one block of hex8 and one region. The lattice lies symmetrically in
/// the box, so that symmetric solids give symmetric meshes.
///
/// Cubes that touch along an edge or at a vertex only would turn about it like a hinge. Where the cubes around a
/// lattice point aren't connected through faces, the cubes that are missing by least are added until they are. Of what
/// results, the largest part connected through faces is kept.
/// @throws InputError if no cube's centre is inside
[[nodiscard]] VolumeMesh voxelize(const Solid& solid, int resolution, const std::string& region,
                                  const Material& material);

}  // namespace quartic
