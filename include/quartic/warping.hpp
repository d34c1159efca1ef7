// Linear bodies that look right when they bend: shapes that aren't linear in the coordinates.
//
// Linear modes swell when they turn far. Warping takes the rotation of each vertex or element out of the linear
// displacement and puts it back as a finite one. docs/warping.md says which warp for what.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/embedding.hpp"
#include "quartic/export.hpp"
#include "quartic/factorization.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/state.hpp"
#include "quartic/surface_embedding.hpp"
#include "quartic/trajectory.hpp"

namespace quartic {

/// Psi: half the curl of each field at the vertices [rad per unit of the field's coordinate], w = curl(u)/2 being the
/// infinitesimal rotation of a displacement u. At a vertex it is the mean over the vertex's elements, each with the
/// curl at that vertex, by volume: exact for rigid rotations. Zero at vertices without elements. O(elements x k)
/// @param fields displacement fields, shape (3n, k)
/// @return shape (3n, k)
/// @throws InputError for fields of another number of rows, elements of a type that isn't supported or that are
///         inverted, a vertex number out of range or a position that isn't finite
[[nodiscard]] QUARTIC_EXPORT Matrix modal_rotation(const VolumeMesh& mesh, MatrixRef fields);

/// What takes the linear displacement p = Phi q of a vertex that turns by w = Psi q to the one that is shown.
enum class WarpMap : std::uint8_t {
  /// V(w) p, V the mean of the rotations exp(s w^) over s = 0 .. 1 (Choi & Ko 2005, eq. 15): a linear rotation
  /// becomes the finite one exactly. Singular at |w| = 2 pi.
  integrated,
  /// exp(w^) p, as appendix A prints it (eq. A.5). It shrinks what turns, for comparison alone.
  rotation
};

/// How forces on vertices become forces on modes.
enum class ForceMap : std::uint8_t {
  exact,    ///< J^T f with J the derivative of what is shown: conserves energy
  rotation  ///< Phi^T exp(w^)^T f, as appendix A prints it (eq. A.6): isn't the derivative of anything shown
};

struct ModalWarpOptions {
  WarpMap map = WarpMap::integrated;
  ForceMap force_map = ForceMap::exact;
};

/// Modal warping (Choi & Ko 2005, "Modal warping: real-time simulation of large rotational deformation"; course notes
/// "FEM simulation of 3D deformable solids" 2012, part 2, appendix A): each vertex turns its linear displacement by
/// the rotation that the modes give it. As fast as modes; right for twists, within a few per cent of length for bends
/// of up to 45 degrees, and it shortens what bends farther. Immutable: calls may run concurrently.
class QUARTIC_EXPORT ModalWarp {
 public:
  /// Of the vertices of a mesh. @param modes Phi, shape (3n, k) @throws InputError as `modal_rotation`
  ModalWarp(const VolumeMesh& mesh, MatrixRef modes, const ModalWarpOptions& options = {});
  /// Of an embedded surface: W Phi and W Psi, which keep rigid rotations exact. @throws InputError as `surface_basis`
  ModalWarp(const VolumeMesh& mesh, MatrixRef modes, const SurfaceEmbedding& surface,
            const ModalWarpOptions& options = {});
  /// Of any points. @param modes, rotations Phi and Psi, shape (3n, k) both @throws InputError for other shapes
  ModalWarp(Matrix modes, Matrix rotations, const ModalWarpOptions& options = {});

  [[nodiscard]] std::int64_t rank() const { return modes_.cols; }              ///< k
  [[nodiscard]] std::int64_t vertex_count() const { return modes_.rows / 3; }  ///< n
  [[nodiscard]] const Matrix& modes() const { return modes_; }
  [[nodiscard]] const Matrix& rotations() const { return rotations_; }
  [[nodiscard]] const ModalWarpOptions& options() const { return options_; }

  /// Warped displacements [m] of chosen vertices of all bodies: x = X + V(Psi q) Phi q. Each number has the same bits
  /// whatever bodies and vertices it is computed beside. Some 12 k + 80 flops per vertex and body.
  /// @param vertices 0-based; empty means all
  /// @param displacement shape (B, vertices, 3), of any strides
  /// @throws InputError for a vertex out of range, another rank or an output of another shape
  template <class T>
  void displacements(StateView<const T> q, std::span<const std::int32_t> vertices, VertexView<T> displacement) const;
  /// The same, packed: shape (B, vertices, 3), C order.
  template <class T>
  void displacements(StateView<const T> q, std::span<const std::int32_t> vertices, std::span<T> displacement) const;

  /// J, the derivative of the warped displacements by q: V Phi + (d(V p)/dw) Psi.
  /// @param q shape (k) @param vertices 0-based; empty means all
  /// @return shape (3 vertices, k) @throws InputError for a vertex out of range or another rank
  [[nodiscard]] Matrix jacobian(std::span<const double> q, std::span<const std::int32_t> vertices) const;

  /// Adds the force on the modes of each listed force on a vertex, in list order: J^T f, or by `force_map`.
  /// @throws InputError for a body or vertex out of range or another rank; nothing is changed then
  template <class T>
  void add_forces(std::span<const VertexForce> forces, StateView<const T> q, StateView<T> modal_force) const;
  /// The same for forces on the same vertices of all bodies, summed in double.
  /// @param forces [N], shape (B, vertices, 3), of any strides
  template <class T>
  void add_forces(std::span<const std::int32_t> vertices, VertexView<const T> forces, StateView<const T> q,
                  StateView<T> modal_force) const;

  /// Of each body the largest angle |w| [rad] of a vertex, shape (B): beyond pi shapes are poor, at 2 pi V is singular.
  template <class T>
  [[nodiscard]] std::vector<double> largest_rotations(StateView<const T> q) const;

 private:
  Matrix modes_, rotations_;
  ModalWarpOptions options_;
};

/// Rotation-strain warping (course notes 2012, part 2, eqs 19-25; Huang et al. 2011): at each quadrature point the
/// linear displacement's gradient, symmetric part e and rotation w, becomes the deformation exp(w^) (I + e), and the
/// displacements are those whose gradients come closest to that by volume. Their normal equations have the scalar
/// Laplacian L_ab = sum of V g_a . g_b, n x n, with three right-hand sides, factorised once. Keeps volume within a per
/// cent in bends of 180 degrees, and turns through whole circles; a solve per shape.
/// Fixed vertices stay. A component without fixed vertices keeps the centre of its mass where the linear displacement
/// takes it. One call at a time per object.
class QUARTIC_EXPORT RotationStrainWarp {
 public:
  /// @param fixed_vertices 0-based, any order
  /// @throws InputError for a mesh that `mass_matrix` refuses, or a vertex out of range
  explicit RotationStrainWarp(const VolumeMesh& mesh, std::span<const std::int32_t> fixed_vertices = {},
                              const FactorizationOptions& options = {});
  RotationStrainWarp(RotationStrainWarp&&) noexcept;
  RotationStrainWarp& operator=(RotationStrainWarp&&) noexcept;
  ~RotationStrainWarp();

  [[nodiscard]] std::int64_t vertex_count() const;
  /// L of all vertices, the fixed ones included, shape (n, n) [m].
  [[nodiscard]] const SparseMatrix& laplacian() const;

  /// Warped displacements [m] of linear ones, all columns by one solve. Each column has the same bits whatever stands
  /// beside it. Columns that aren't finite become NaN.
  /// @param displacements shape (3n, m) @return shape (3n, m) @throws InputError for another number of rows
  [[nodiscard]] Matrix warp(MatrixRef displacements) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Where coordinates take a body's vertices: what everything that draws motions asks. One call at a time per object.
class QUARTIC_EXPORT BodyShape {
 public:
  virtual ~BodyShape();
  [[nodiscard]] virtual std::int64_t rank() const = 0;          ///< coordinates
  [[nodiscard]] virtual std::int64_t vertex_count() const = 0;  ///< n
  /// U, shape (3n, rank), where displacements are U q, so that fields and weights say it all; else null.
  [[nodiscard]] virtual const Matrix* basis() const { return nullptr; }
  [[nodiscard]] bool is_linear() const { return basis() != nullptr; }
  /// @param q shape (rank) @param displacements [m], shape (n, 3) @throws InputError for other sizes
  void displacements(std::span<const double> q, std::span<double> displacements) const;

 private:
  virtual void fill(std::span<const double> q, std::span<double> displacements) const = 0;
};

/// The shape of the vertices of a model's mesh; of warped motions the model is that of `modal_model`. The model must
/// outlive it.
/// @throws InputError for a model without basis; for a warp of a model that is held in single directions or has joints,
///         which warps don't keep
[[nodiscard]] QUARTIC_EXPORT std::unique_ptr<BodyShape> body_shape(const ReducedModel& model, Warp warp);
/// The same of a surface that is embedded in the model's mesh.
[[nodiscard]] QUARTIC_EXPORT std::unique_ptr<BodyShape> surface_shape(const ReducedModel& model,
                                                                      const SurfaceEmbedding& surface, Warp warp);

}  // namespace quartic
