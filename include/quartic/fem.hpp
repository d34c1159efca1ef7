// Unreduced finite elements of any material law: mass, energy, internal force, tangent stiffness.
//
// Displacements u are vectors of 3n numbers [m], vertex-major (x0 y0 z0 x1 ...). With A = grad u, the Green strain is
// E = (A + A^T + A^T A) / 2 and the energy density lambda/2 tr(E)^2 + mu E:E, integrated by the element's own
// quadrature rule (exact on tet4, straight tet10, parallelepiped hex8 and prismatic wedge6; docs/math.md).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"

namespace quartic {

enum class MassMatrix : std::uint8_t {
  consistent,  ///< M_ab = integral of rho phi_a phi_b (2005 paper, eq. 27)
  lumped       ///< diagonal: row sums for linear elements, HRZ scaling for quadratic ones
};

/// Every function below throws InputError if the mesh has no elements, a wrong index, an element without region, a
/// region without material, a bad material (check_material), an element whose Jacobian isn't positive at a quadrature
/// point, or numbers that double precision can't carry through a reduction (docs/math.md, section 1). They run on all
/// threads; results do not depend on the number of threads.

/// Mass matrix [kg], shape (3n, 3n), symmetric: (mass of vertices a, b) times the 3 x 3 identity. Cost O(elements).
[[nodiscard]] QUARTIC_EXPORT SparseMatrix mass_matrix(const VolumeMesh& mesh, MassMatrix kind = MassMatrix::consistent);

/// Tangent stiffness dR/du [N/m] at displacement `u` (3n), shape (3n, 3n), symmetric. Cost O(elements).
[[nodiscard]] QUARTIC_EXPORT SparseMatrix tangent_stiffness(const VolumeMesh& mesh, std::span<const double> u);

/// Tangent stiffness at rest, K0: the linear elasticity matrix (2005 paper, eq. 27).
[[nodiscard]] QUARTIC_EXPORT SparseMatrix stiffness_matrix(const VolumeMesh& mesh);

/// The same matrices, assembled on a backend (cuda: the current device); equal to the CPU's up to round-off.
/// @throws also BackendUnavailable, DeviceError if the device fails or has too little memory
[[nodiscard]] QUARTIC_EXPORT SparseMatrix mass_matrix(const VolumeMesh& mesh, MassMatrix kind, Backend backend);
[[nodiscard]] QUARTIC_EXPORT SparseMatrix stiffness_matrix(const VolumeMesh& mesh, Backend backend);

/// Internal (elastic) force R(u) [N], 3n numbers, the gradient of the energy: M u'' + R(u) = f.
[[nodiscard]] QUARTIC_EXPORT std::vector<double> internal_force(const VolumeMesh& mesh, std::span<const double> u);

/// Elastic energy [J] at displacement `u`.
[[nodiscard]] QUARTIC_EXPORT double strain_energy(const VolumeMesh& mesh, std::span<const double> u);

/// Energy, internal force and tangent stiffness of one mesh for repeated evaluation, as in Newton's method on the
/// unreduced body: incidences and the pattern of K are computed once, and nothing is allocated afterwards. Results are
/// bitwise those of the functions above. Cost O(elements).
class QUARTIC_EXPORT InternalForces {
 public:
  /// Copies what it needs of the mesh: some 0.3 kB per tet4, 2 kB per hex8, 3 kB per tet10, 10 kB per hex20.
  /// @throws as the functions above
  explicit InternalForces(const VolumeMesh& mesh);
  InternalForces(InternalForces&&) noexcept;
  InternalForces& operator=(InternalForces&&) noexcept;
  ~InternalForces();

  [[nodiscard]] std::int64_t dof_count() const;  ///< 3n
  /// A matrix of zeros with the pattern of K, shape (3n, 3n), for `stiffness` to fill.
  [[nodiscard]] SparseMatrix zero_stiffness() const;

  // Each of the following throws InputError if a size isn't 3n, K has another pattern, or a result
  // overlaps u. One call at a time per object. u is a displacement [m], shape (3n).
  [[nodiscard]] double energy(std::span<const double> u);      ///< [J]
  void force(std::span<const double> u, std::span<double> r);  ///< R(u) [N], shape (3n)
  void stiffness(std::span<const double> u, SparseMatrix& k);  ///< K(u) [N/m], symmetric
  /// D(u) [N/m], the integral of dE/du : C : dE/du, with the pattern of K: what is left of K without its geometric
  /// part. tau D(u) u' is the force of the viscous stress tau C : E' (2005 paper, section 8). InputError unless all
  /// materials are StVK.
  void viscous_stiffness(std::span<const double> u, SparseMatrix& d);
  void evaluate(std::span<const double> u, std::span<double> r,
                SparseMatrix& k);  ///< both, in little more time than K alone

  class Impl;
  /// For quartic's own libraries.
  explicit InternalForces(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

/// The second derivative of the internal force at rest applied to pairs of fields: column p is (H : x_i) x_j
/// for pairs[p] = {i, j} with x_i column i of `fields` (2005 paper, eq. 14).
/// @param fields displacement fields [m], shape (3n, k)
/// @return shape (3n, pairs) [N]; symmetric in i, j
[[nodiscard]] QUARTIC_EXPORT Matrix force_hessian(const VolumeMesh& mesh, MatrixRef fields,
                                                  std::span<const std::array<int, 2>> pairs);
/// On a backend. @throws also BackendUnavailable, DeviceError if the device fails or has too little memory
[[nodiscard]] QUARTIC_EXPORT Matrix force_hessian(const VolumeMesh& mesh, MatrixRef fields,
                                                  std::span<const std::array<int, 2>> pairs, Backend backend);

/// Infinitesimal rigid motions that obey the supports and the mesh's joints, per connected component (0 to 6 each), or
/// per group of components that joints couple: an M-orthonormal basis, shape (3n, m). Rank by SVD relative to the
/// components' size.
[[nodiscard]] QUARTIC_EXPORT Matrix rigid_modes(const VolumeMesh& mesh, const SparseMatrix& mass,
                                                const Supports& supports);

}  // namespace quartic
