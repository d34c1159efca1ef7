// Meshes made by formula, so that nobody needs a file to start.
#pragma once

#include <cstdint>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// A mesh together with the vertices that hold it.
struct ProceduralMesh {
  VolumeMesh mesh;                           ///< one region with a material
  std::vector<std::int32_t> fixed_vertices;  ///< 0-based, sorted
};

/// A box cut into elements along the axes.
struct BoxOptions {
  double length = 1, width = 0.1, height = 0.1;  ///< extents along x, y, z [m], > 0
  int cells_x = 20, cells_y = 2, cells_z = 2;    ///< cells along the axes, >= 1
  ElementType type = ElementType::hex8;          ///< hex8, or tet4 or tet10 (six tetrahedra per cell, conforming)
  Material material = {.youngs_modulus = 1e7, .poissons_ratio = 0.3, .density = 1000};
};

/// A box with one corner at the origin; the face x = 0 is fixed.
/// @throws InputError for non-positive extents or counts, or another element type
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_box(const BoxOptions& options = {});

/// A cantilever of 1 m x 0.1 m x 0.08 m made of `resolution` x 2 x 2 bricks or more, fixed at x = 0.
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_beam(int resolution = 40);

/// A foot bridge (deck with railings on two arches) of hexahedra, `resolution` cells long, fixed at both ends.
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_bridge(int resolution = 80);

}  // namespace quartic
