// A surface of triangles that moves with a volume mesh: each of its vertices hangs on the vertices of one element.
//
// With W for the weights, shape (s, n), a displacement u of the volume moves the surface by W u, and forces f on the
// surface are W^T f on the volume, with the same total force, moment and work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/surface.hpp"

namespace quartic {

/// A surface, and what its vertices hang on. Vertices and triangles are in the order of the surface that was
/// embedded; vertices in no triangle keep their place.
struct SurfaceEmbedding {
  std::vector<double> vertices;               ///< rest positions [m], shape (s, 3)
  std::vector<std::int32_t> triangles;        ///< shape (t, 3), 0-based, wound as they were
  std::int32_t width = 0;                     ///< most vertices that one hangs on: 4 to 20, or 1 of a boundary
  std::vector<std::int32_t> volume_vertices;  ///< shape (s, width), 0-based; vertex 0 in places that aren't used
  std::vector<double> weights;                ///< shape (s, width); each row sums to 1; 0 in places that aren't used

  [[nodiscard]] std::int64_t vertex_count() const { return static_cast<std::int64_t>(vertices.size() / 3); }
  [[nodiscard]] std::int64_t triangle_count() const { return static_cast<std::int64_t>(triangles.size() / 3); }
};

/// The boundary of a volume mesh as such a surface: each vertex hangs on the one of the mesh that it is, those of the
/// boundary alone, in the mesh's order. Triangles as `boundary_triangles` has them.
/// @throws InputError for a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT SurfaceEmbedding boundary_surface(const VolumeMesh& mesh);

struct EmbedOptions {
  /// The farthest that a vertex of a triangle may lie outside the volume [m]. Unset: half the diagonal of the volume's
  /// box.
  std::optional<double> max_distance = {};
};

/// How well a surface and a volume fit.
struct EmbedReport {
  std::int64_t inside = 0;      ///< surface vertices in an element, or on its faces
  std::int64_t outside = 0;     ///< surface vertices outside all elements
  double largest_distance = 0;  ///< of outside vertices in triangles to the volume [m]; curved faces count as flat
  std::int64_t farthest_vertex = -1;  ///< the vertex at that distance; -1 if all vertices in triangles are inside
  std::vector<std::string> warnings;  ///< a sentence per finding
};

/// Finds for each vertex of the surface the element around it, and the weights of its vertices: barycentric coordinates
/// in a tet4, else the shape functions N_a at the reference coordinates that Newton's method finds. A vertex in several
/// elements takes the one of lowest number.
/// A vertex outside all elements (or where an element is too distorted for Newton's method) hangs on the nearest one:
/// on N_a at the nearest point x' of its faces, plus the least change of weights that makes up for the rest of the way,
///     w_a = N_a(x') + (X_a - X_m) . G^-1 (x - x'),   G = sum of (X_a - X_m)(X_a - X_m)^T,
/// X_m being the mean of the element's vertices X_a. So every affine displacement, rotations of the rest position
/// included, is reproduced everywhere to round-off, and rigidly moving bodies carry their surface rigidly; but not
/// where the element is flat, which has no gradient across. Farther away than an element is large, its strain is
/// magnified, with a warning. The result has the same bits on any number of threads. O((e + s) log e) on
/// all cores: a few seconds for 10^6 elements and 10^5 vertices.
/// @param mesh as `prepare_mesh` leaves it, since that may renumber vertices; needs no materials
/// @throws InputError for a surface without triangles or with unsound arrays (indices, positions that aren't finite), a
/// mesh without elements or of a type that this version doesn't support, or a vertex of a triangle beyond
/// `max_distance`
[[nodiscard]] QUARTIC_EXPORT SurfaceEmbedding embed_surface(const VolumeMesh& mesh, const TriangleMesh& surface,
                                                            const EmbedOptions& options = {},
                                                            EmbedReport* report = nullptr);

/// W times fields of the volume: with the basis U the basis W U of the surface, which `vertex_displacements`,
/// `add_vertex_forces` and `cuda::Embedding` take in place of U. O(s width columns) on all cores
/// @param fields shape (3n, k): x, y, z of vertex 0, of vertex 1, ...
/// @return shape (3s, k)
/// @throws InputError for fields that aren't three numbers per vertex, or have fewer vertices than the embedding names
[[nodiscard]] QUARTIC_EXPORT Matrix surface_basis(const SurfaceEmbedding& surface, MatrixRef fields);

/// W^T f: forces on the surface as forces on the volume's vertices, for the unreduced body and for recorded loads.
/// Their sum, their moment about any point (at rest) and their work are the same. O(s width)
/// @param forces on the surface's vertices [N], shape (s, 3)
/// @param vertex_count n, of the volume
/// @return [N], shape (n, 3)
/// @throws InputError for another number of forces, or fewer vertices than the embedding names
[[nodiscard]] QUARTIC_EXPORT std::vector<double> volume_forces(const SurfaceEmbedding& surface,
                                                               std::span<const double> forces,
                                                               std::int64_t vertex_count);

/// Normals of a surface that changes its shape: per vertex, the mean of its triangles' normals by area, of unit length;
/// zero where a vertex has no triangle, or they cancel. The same as `cuda::Embedding::normals`. The same bits on any
/// number of threads.
class QUARTIC_EXPORT VertexNormals {
 public:
  /// @param triangles shape (t, 3), counter-clockwise from outside
  /// @param vertex_count s
  /// @param joined empty, or rest positions of shape (s, 3): vertices at exactly one position, as at the seams of a
  ///        texture, share a normal then, so that no edge shows there
  /// @throws InputError for a vertex out of range, or positions of another number. O(t + s log s)
  VertexNormals(std::span<const std::int32_t> triangles, std::int64_t vertex_count,
                std::span<const double> joined = {});

  [[nodiscard]] std::int64_t vertex_count() const { return static_cast<std::int64_t>(starts_.size()) - 1; }

  /// @param positions shape (s, 3), in any unit
  /// @param normals shape (s, 3); may not overlap the positions
  /// @throws InputError for arrays of another size. O(t) on all cores, T = float or double
  template <class T>
  void compute(std::span<const T> positions, std::span<T> normals) const;

 private:
  std::vector<std::int32_t> lowest_;  // of those that share a normal with each vertex; empty: each has its own
  std::vector<std::int64_t>
      starts_;  // vertex v has the corners starts_[v] .. starts_[v + 1], also of those it stands for
  std::vector<std::int32_t> triangles_;  // of each corner: its triangle's vertices, three each
};

}  // namespace quartic
