// Turns a solid given by an implicit function into cubes of one size.
#pragma once

#include <functional>
#include <string>

#include "core/procedural/voxel_lattice.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// A solid inside a box.
struct Solid {
  Point lower, upper;                               ///< corners of a box that holds it [m]
  std::function<double(const Point& point)> depth;  ///< positive inside, negative outside, larger further inside
};

/// The cubes whose centres are inside the solid, as one block of hex8 and one region. Where cubes would hang together
/// by an edge or a vertex only, those that are missing by least are added. Of what results, the largest part connected
/// through faces is kept.
/// @throws InputError if no cube's centre is inside
[[nodiscard]] VolumeMesh voxelize(const Solid& solid, int resolution, const std::string& region,
                                  const Material& material);

}  // namespace quartic
