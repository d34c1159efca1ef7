// Closed chambers of a mesh under pressure: fingers, muscles and cushions filled with air or liquid.
//
// A pressure p that follows the surface has the energy -p V with the enclosed volume V = 1/3 int x . n dA, an integral
// over the deformed faces. Faces are what their elements make of them, so that V is a cubic polynomial of vertex
// positions, and this is exact for every type of face, at every displacement.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/enclosed_volume.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// Numbers per face of a chamber.
inline constexpr int chamber_face_size = 8;

/// The faces around a chamber. Together they are closed: each edge is an edge of two of them.
struct Chamber {
  std::string name = {};
  /// Vertices of each face, shape (f, 8): its 3 or 4 corners, wound so that the right-hand normal points out of the
  /// chamber, into the body, and -1 for a fourth that isn't there; then the middles of the edges from corner to corner,
  /// -1 where the face has none.
  std::vector<std::int32_t> faces = {};

  [[nodiscard]] std::int64_t face_count() const { return std::ssize(faces) / chamber_face_size; }
};

/// The chamber between the mesh's boundary faces whose vertices are all among these. O(elements)
/// @throws InputError if there is no such face, if the faces aren't closed (which tells how many edges are open and
/// where), if they are around the body instead of a cavity, or for a vertex out of range
[[nodiscard]] QUARTIC_EXPORT Chamber find_chamber(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                                  std::string name);
/// The same of a vertex set, by its name. @throws InputError as above, or if there is no such set
[[nodiscard]] QUARTIC_EXPORT Chamber find_chamber(const VolumeMesh& mesh, std::string_view vertex_set);

/// All cavities inside the body: the closed parts of its boundary that enclose no element, "cavity-1", "cavity-2", ...
/// by their first element. O(elements) @throws InputError for a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<Chamber> find_cavities(const VolumeMesh& mesh);

/// The volume that a chamber encloses [m^3].
/// @param u displacement [m], shape (3n), or empty: at rest
/// @throws InputError for a wrong size, or a chamber that isn't closed or isn't of this mesh
[[nodiscard]] QUARTIC_EXPORT double enclosed_volume(const VolumeMesh& mesh, const Chamber& chamber,
                                                    std::span<const double> u = {});

/// dV/du [m^2], shape (3n): the forces of a pressure of 1 Pa on the vertices. Their sum and their moment about any
/// point are zero but for round-off. @throws InputError as enclosed_volume
[[nodiscard]] QUARTIC_EXPORT std::vector<double> enclosed_volume_gradient(const VolumeMesh& mesh,
                                                                          const Chamber& chamber,
                                                                          std::span<const double> u = {});

/// d2V/du2 [m], shape (3n, 3n), symmetric, of vertices with faces in common. @throws InputError as enclosed_volume
[[nodiscard]] QUARTIC_EXPORT SparseMatrix enclosed_volume_hessian(const VolumeMesh& mesh, const Chamber& chamber,
                                                                  std::span<const double> u = {});

/// Projects a volume on a basis: the V(q) that is the chamber's volume at u = U q, exactly. Cost 130 r^2 flops per
/// triangle, four times that per quadrilateral, 20 and 56 times per quadratic face; and chamber vertices r^3.
/// @param basis U, shape (3n, r), any fields
/// @throws InputError for a wrong shape, or as enclosed_volume
[[nodiscard]] QUARTIC_EXPORT EnclosedVolume reduce_volume(const VolumeMesh& mesh, const Chamber& chamber,
                                                          MatrixRef basis);

/// The volume in other coordinates: V'(q') = V(T q'). O(r^4)
/// @param transform T, shape (r, s)
/// @throws InputError for a wrong shape or an entry that isn't finite
[[nodiscard]] QUARTIC_EXPORT EnclosedVolume transform_volume(const EnclosedVolume& volume, MatrixRef transform);

/// The volume of some of the coordinates, the others being zero.
/// @param kept 0-based, in any order, each once, at least one: coordinate i of the result is kept[i]
/// @throws InputError for indices that don't fit
[[nodiscard]] QUARTIC_EXPORT EnclosedVolume keep_coordinates(const EnclosedVolume& volume, std::span<const int> kept);

/// A chamber of a reduced model.
struct ModelChamber {
  Chamber chamber;        ///< of the model's mesh
  EnclosedVolume volume;  ///< on the model's basis
};

}  // namespace quartic
