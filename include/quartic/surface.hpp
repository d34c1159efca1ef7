// Triangle meshes, as renderers use them, and volume meshes of voxels made from them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/material.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// A surface of triangles. It may be open, a soup of triangles, or not be a manifold.
struct TriangleMesh {
  std::vector<double> vertices;         ///< positions [m], shape (n, 3)
  std::vector<std::int32_t> triangles;  ///< shape (t, 3), 0-based
  std::vector<std::string> warnings;    ///< what the reader skipped, as sentences

  [[nodiscard]] std::int64_t vertex_count() const { return static_cast<std::int64_t>(vertices.size() / 3); }
  [[nodiscard]] std::int64_t triangle_count() const { return static_cast<std::int64_t>(triangles.size() / 3); }
};

/// Whether the file's content is of a format that `read_triangle_mesh` reads. False also if it can't be read at all.
[[nodiscard]] QUARTIC_EXPORT bool looks_like_triangle_mesh(const std::filesystem::path& path);

/// Reads Wavefront OBJ, PLY, STL or glTF 2.0 (.gltf or .glb), recognised by content. Polygons are cut into triangles,
/// nodes of a scene placed by their transforms. Vertices of OBJ and PLY files stand in the file's order, those of glTF
/// in the order of nodes and primitives; those of an STL file, which has none, are its corners in the order of their
/// first use, equal positions once. Numbers are taken as metres.
/// @throws FileError, ParseError, also if there are no triangles
[[nodiscard]] QUARTIC_EXPORT TriangleMesh read_triangle_mesh(const std::filesystem::path& path);

/// What `curve_boundary` did with the edges of a mesh's boundary.
struct BoundaryCurving {
  std::int64_t curved = 0;       ///< edges whose middle moved onto the surface
  std::int64_t on_surface = 0;   ///< whose middle lay on it already, within 1e-5 of the edge
  std::int64_t off_surface = 0;  ///< left straight: no face beside it lies on the surface, or the middle is too far
  std::int64_t at_crease = 0;    ///< left straight: no point near it lies on the surface's patches on both sides
  std::int64_t would_fold = 0;   ///< left straight: an element would be folded
  double largest_distance = 0;   ///< that a middle was moved by [m]
  double volume_before = 0;      ///< of the mesh [m^3]
  double volume_after = 0;       ///< [m^3]
  std::optional<double> enclosed_volume = {};  ///< by the surface [m^3]; unset as that of SurfaceReport

  /// Whether the mesh's volume is farther from the surface's than before, by more than a thousandth of it.
  [[nodiscard]] QUARTIC_EXPORT bool away_from_surface() const;
};

/// Moves the middle vertices of quadratic elements onto the surface that the mesh was made for. A boundary face lies on
/// a smooth patch of the surface (bounded by creases of more than 25 degrees) if all its corners do, within a hundredth
/// of the edge's length, where the patch faces outwards within 60 degrees of the face's normal: so no middle goes to
/// the other side of a thin wall. Between faces of one patch a middle goes to the nearest point of it; on a crease, to
/// a point of the patches on both sides, found by alternating projections; at a cut, beside a face that lies on no
/// patch, to a point that is also in the face's plane. Where there is none nearer than a quarter of the edge (more than
/// on an arc of 90 degrees), the edge stays straight, and so do edges of elements that would be folded; a surface that
/// the mesh only resembles, such as that which voxels fill, leaves it alone. Closed surfaces may be wound inwards, open
/// ones must be wound so that the body is inside. Vertices at exactly one position count as one; a gap bounds patches.
/// O(n log n)
/// @throws InputError for a mesh without quadratic elements, a surface without triangles, a vertex number out of range
/// or a position that isn't finite
QUARTIC_EXPORT BoundaryCurving curve_boundary(VolumeMesh& mesh, const TriangleMesh& surface);

/// Properties and defects of a surface. Vertices at exactly one position count as one here, as STL files and render
/// meshes with seams need. Edges are named by their vertices, counted from 0.
struct SurfaceReport {
  std::int64_t components = 0;            ///< parts that share no vertex
  std::int64_t boundary_edges = 0;        ///< edges of one triangle: the surface is open there
  std::int64_t nonmanifold_edges = 0;     ///< edges of more than two triangles
  std::int64_t misoriented_edges = 0;     ///< edges of two triangles that run the same way: one is reversed
  std::int64_t degenerate_triangles = 0;  ///< two corners at one position, or all three on a line
  std::int64_t repeated_triangles = 0;    ///< with the same corners as an earlier one
  std::int64_t unreferenced_vertices = 0;
  std::int64_t coincident_vertices = 0;  ///< used vertices at the position of a lower one
  std::optional<std::array<std::int32_t, 2>> first_boundary_edge, first_nonmanifold_edge;
  double area = 0;                        ///< [m^2]
  std::optional<double> enclosed_volume;  ///< [m^3]; absent unless every edge has as many triangles on either side;
                                          ///< negative: wound inwards
  std::array<double, 6> bounding_box{};   ///< of the triangles: x0, y0, z0, x1, y1, z1 [m]
  std::vector<std::string> warnings;      ///< one sentence per finding, the reader's own warnings first

  [[nodiscard]] bool closed() const { return boundary_edges == 0; }
};

/// Checks a surface without changing or rejecting it. O(n log n)
/// @throws InputError for a vertex number out of range or a position that isn't finite
[[nodiscard]] QUARTIC_EXPORT SurfaceReport check_surface(const TriangleMesh& surface);

struct VoxelOptions {
  int resolution = 64;               ///< voxels along the longest edge of the bounding box, 1 to 1024
  std::string region = "voxels";     ///< name of the only region
  std::optional<Material> material;  ///< its material
  bool only_largest_part = false;    ///< keep only the largest part that is connected through faces
};

/// A surface as cubes of one size.
struct Voxelization {
  VolumeMesh mesh;                   ///< hex8, one region
  double edge = 0;                   ///< of a cube [m]
  std::int64_t surface_voxels = 0;   ///< that the surface meets
  std::int64_t interior_voxels = 0;  ///< that it encloses
  std::int64_t added_voxels = 0;     ///< so that no voxels hinge on a shared edge or vertex
  std::int64_t cavity_voxels = 0;    ///< left empty in cavities
  std::vector<std::int64_t> parts;   ///< voxels of each part connected through faces, descending; also those left out
  double volume = 0;                 ///< of all parts [m^3]
  /// Volume [m^3] of the solid that the surface bounds, cavities taken off, parts that overlap counted twice. Unset
  /// unless every edge has as many triangles on either side.
  std::optional<double> enclosed_volume = {};
  /// Thickness [m] that nine tenths of the surface's area have at least, as the lattice's lines sample it: of a plate
  /// its thickness. Unset where `enclosed_volume` is.
  std::optional<double> thickness = {};

  /// The voxels' volume over the surface's. Unset where that is, or is 0.
  [[nodiscard]] std::optional<double> volume_ratio() const {
    return enclosed_volume && *enclosed_volume > 0 ? std::optional(volume / *enclosed_volume) : std::nullopt;
  }
};

/// All cubes of a lattice that the surface meets, if only in a point (so that a face between two layers of cubes fills
/// both), and all that these enclose (Barbic & James 2005, section 3). Open, non-manifold and intersecting surfaces are
/// taken as they are: what can't be reached from outside through faces of cubes is inside, so that holes narrower than
/// a cube don't matter; a surface with wider ones becomes a shell. Cavities stay empty: what a closed shell encloses
/// (connected through edges, with as many triangles on either side of each) that is wound the other way than most of
/// the volume, and whose box lies in that of one that isn't; cubes that the surface only touches count as what their
/// middles are. The lattice lies symmetrically in the bounding box, and the cubes at its ends touch the box from
/// within. O(resolution^3) and, for each triangle, the rows of cells in its bounding box; some 15 bytes of memory per
/// cell of the lattice and 100 per voxel.
/// @throws InputError for a resolution out of range, a surface without triangles, of no extent, or so far away that
/// voxels can't be told apart, shells that leave nothing of each other, a vertex number out of range or a position that
/// isn't finite
[[nodiscard]] QUARTIC_EXPORT Voxelization voxelize(const TriangleMesh& surface, const VoxelOptions& options = {});

}  // namespace quartic
