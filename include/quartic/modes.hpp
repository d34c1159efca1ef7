// Linear vibration modes and modal derivatives.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/export.hpp"
#include "quartic/factorization.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/supports.hpp"

namespace quartic {

/// K and M of a held or free body, restricted to its free degrees of freedom, with the factor of K + shift M that
/// modes and modal derivatives share. One such call at a time per object. The shift is 0 for a held body and a tiny
/// positive number for a free one. If the factor's backend is cuda, K, M and the factor are stored on the current
/// device, and modes and solves are computed there; K and M of a mesh are also assembled there. Systems with
/// supports in single directions, joints, masses or springs are the CPU's, whatever the backend.
class QUARTIC_EXPORT ElasticSystem {
 public:
  /// @param stiffness, mass symmetric, shape (3n, 3n): from a mesh, or the caller's own
  /// @param supports a list of fixed vertices, or others (supports.hpp)
  /// @param rigid_modes M-orthonormal null space of K on the free degrees of freedom, shape (3n, m): those of
  ///        `rigid_modes()`, or the caller's own; empty for a held body
  /// @throws InputError for shapes or indices that don't fit or if nothing is free; NumericalError if K has a null
  ///         space that `rigid_modes` doesn't contain; BackendUnavailable, DeviceError if the device has too little
  ///         memory
  ElasticSystem(const SparseMatrix& stiffness, const SparseMatrix& mass, const Supports& supports,
                const Matrix& rigid_modes = {}, const FactorizationOptions& options = {});
  /// The system of a mesh with its own materials, joints and rigid modes.
  ElasticSystem(const VolumeMesh& mesh, const Supports& supports, MassMatrix mass = MassMatrix::consistent,
                const FactorizationOptions& options = {});
  ElasticSystem(ElasticSystem&&) noexcept;
  ElasticSystem& operator=(ElasticSystem&&) noexcept;
  ~ElasticSystem();

  [[nodiscard]] std::int64_t dof_count() const;       ///< 3n
  [[nodiscard]] std::int64_t free_dof_count() const;  ///< 3n minus those that are held or follow others
  [[nodiscard]] int rigid_mode_count() const;
  /// The whole M, shape (3n, 3n). For a mesh on the backend cuda, the first call fetches it from the device.
  [[nodiscard]] const SparseMatrix& mass() const;
  [[nodiscard]] std::string_view factorization_name() const;

  struct Impl;
  explicit ElasticSystem(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

enum class ModesMethod : std::uint8_t {
  automatic,  ///< the faster one for the backend and its factor (docs/math.md)
  lobpcg,     ///< locally optimal block preconditioned conjugate gradients, preconditioned by the factor
  lanczos     ///< block shift-invert Lanczos with full reorthogonalisation
};

struct ModesOptions {
  int count = 20;  ///< k, number of elastic modes, >= 1
  ModesMethod method = ModesMethod::automatic;
  double tolerance = 1e-12;  ///< on the backward error |Kx - lambda Mx| / ((|K| + lambda |M|) |x|), > 0
  int iteration_limit = 200;
  std::uint64_t seed = 1;  ///< of the random start block; results agree for every seed to the tolerance
  Progress progress = {};
};

/// The lowest elastic modes, ascending. Rigid modes are counted, never stored.
struct LinearModes {
  std::vector<double> eigenvalues;  ///< omega^2 [rad^2/s^2], shape (k)
  Matrix vectors;                   ///< mass-orthonormal, shape (3n, k); the entry of largest magnitude is positive
  std::vector<double> residuals;    ///< backward error of each pair, shape (k)
  int rigid_modes = 0;
  int iterations = 0;
  int solves = 0;                     ///< columns solved with the factor
  std::vector<std::string> warnings;  ///< that the last mode splits a cluster, that the CPU works for cuda, or what
                                      ///< the system's supports contradict
};

/// Solves K x = lambda M x for the `count` lowest elastic pairs.
/// @throws InputError if count exceeds the free elastic degrees of freedom; NumericalError if too few pairs converge;
///         BackendUnavailable, DeviceError if the system's device lacks a library or memory
[[nodiscard]] QUARTIC_EXPORT LinearModes linear_modes(const ElasticSystem& system, const ModesOptions& options = {});

enum class DerivativeKind : std::uint8_t {
  statics,  ///< the inertia of the change of mode is neglected: Phi_ij = Phi_ji (2005 paper, eq. 14)
  inertial  ///< the true derivative of mode i along mode j (2005 paper, Appendix D, eq. 29); Phi_ij != Phi_ji
};

struct ModalDerivativesOptions {
  DerivativeKind kind = DerivativeKind::statics;
  Progress progress = {};
};

/// Modal derivatives Phi_ij. Where the body has rigid modes Z, Z^T M Phi_ij = 0, and forces on Z are left out.
/// Static:   K Phi_ij = -(H : Psi_i) Psi_j, or for bodies with rigid modes -(I - M Z Z^T)(H : Psi_i) Psi_j.
/// Inertial: (K - lambda_i M) Phi_ij = -(I - sum_c M Psi_c Psi_c^T)(H : Psi_j) Psi_i with Psi_c^T M Phi_ij = 0, where c
///           are the modes whose eigenvalue is within 1e-6 of lambda_i, i among them: within a multiple eigenvalue,
///           modes have no derivatives.
struct ModalDerivatives {
  std::vector<std::array<int, 2>> pairs;  ///< (0,0), (0,1), ..., (0,k-1), (1,1), ...; inertial: (1,0), (1,1), ...
  Matrix vectors;                         ///< not normalised, shape (3n, k(k+1)/2), inertial: (3n, k^2)
};

/// One factorisation (the system's), all right-hand sides in blocks. Static derivatives of a held body take one solve
/// each; inertial ones an iteration, the longer the closer lambda_i is to the first eigenvalue left out.
/// @param modes shape (3n, k), obeying the supports; for inertial derivatives the k lowest modes, M-orthonormal
/// @throws InputError for modes of another shape, or (inertial) that aren't modes of this body; NumericalError if
///         (inertial) an eigenvalue that isn't among theirs lies below or at one of them; DeviceError if the system's
///         device fails or has too little memory
[[nodiscard]] QUARTIC_EXPORT ModalDerivatives modal_derivatives(const VolumeMesh& mesh, const ElasticSystem& system,
                                                                MatrixRef modes,
                                                                const ModalDerivativesOptions& options = {});

/// Flips each column so that its entry of largest magnitude (ties within 1e-8: the lowest index) is positive.
QUARTIC_EXPORT void fix_signs(Matrix& columns);

}  // namespace quartic
