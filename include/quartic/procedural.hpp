// Meshes made by formula, to start without a file.
#pragma once

#include <cstdint>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// A mesh and its fixed vertices.
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
/// @param type here and below: hex8, or tet4 or tet10 (six tetrahedra per hexahedron, conforming)
/// @throws InputError here and below: for another element type, or a resolution outside the range that is given
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_beam(int resolution = 40, ElementType type = ElementType::hex8);

/// A foot bridge (deck with railings on two arches) of hexahedra, `resolution` cells long (32 to 1000), fixed at both
/// ends.
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_bridge(int resolution = 100, ElementType type = ElementType::hex8);

// The shapes below are voxelised: cubes of one size, those whose centres lie inside a closed-form implicit function;
// `resolution` of them along the longest axis. Cubes connected through faces only are kept, and none hangs on an edge
// or a vertex. Parts thinner than a cube or two are made as thick as that. By default they have about as many elements
// as the models of Barbic & James 2005, fig. 3.

/// A spoon, 0.2 m long (20 to 1000 voxels): a bowl of even thickness and a slender handle, which is fixed at its end.
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_spoon(int resolution = 100, ElementType type = ElementType::hex8);

/// A lattice tower after Eiffel's, 3.3 m high (40 to 600 voxels): four leaning legs with arches between them,
/// platforms, braces and a spire; fixed at the feet.
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_tower(int resolution = 140, ElementType type = ElementType::hex8);

/// A solid heart, 0.11 m wide (4 to 300 voxels): (x^2 + 9/4 y^2 + z^2 - 1)^3 = (x^2 + 9/80 y^2) z^3, 0.05 m per unit.
/// Fixed around the cleft between its lobes.
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_heart(int resolution = 37, ElementType type = ElementType::hex8);

/// A basket of ribs and rings on a solid floor, 0.27 m wide and 0.14 m high (16 to 400 voxels across): for heaps, as in
/// Figure 13 of the 2005 paper. Fixed at the lower side of its floor.
[[nodiscard]] QUARTIC_EXPORT ProceduralMesh make_basket(int resolution = 40, ElementType type = ElementType::hex8);

/// Splits each hexahedron into six tetrahedra around its diagonal from corner 0 to corner 6 (Kuhn's triangulation).
/// Corners, regions and vertex sets stay; element e becomes elements 6 e to 6 e + 5. Volumes are the same where faces
/// are flat.
/// @param mesh of hex8 only
/// @throws InputError for other elements, or where neighbours would cut the face between them along different
/// diagonals; they never do if all elements number their corners along the axes of one lattice
[[nodiscard]] QUARTIC_EXPORT VolumeMesh split_into_tetrahedra(const VolumeMesh& mesh);

}  // namespace quartic
