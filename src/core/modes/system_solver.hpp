// What is solved with K, M, rigid motions and factor of a body, where these are; each backend has one.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/algebra/mass_qr.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "core/modes/device_fields.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// Elastic pairs on the free degrees of freedom, before signs are fixed.
struct FoundModes {
  std::vector<double> values;  ///< ascending: the wanted ones, then guards
  Matrix vectors;              ///< mass-orthonormal, of the wanted ones
  std::vector<double> residuals;
  int iterations = 0;
  int solves = 0;
};

/// Arguments and results are in the host's memory.
class SystemSolver {
 public:
  SystemSolver() = default;
  SystemSolver(const SystemSolver&) = delete;
  SystemSolver& operator=(const SystemSolver&) = delete;
  virtual ~SystemSolver() = default;

  /// @throws as `linear_modes`
  [[nodiscard]] virtual FoundModes solve_modes(const ModesOptions& options) = 0;
  /// Overwrites forces by K^-1 f (in the complement of the rigid motions, for which f is projected first).
  virtual void solve_static(Eigen::Ref<Eigen::MatrixXd> f) = 0;
  /// Static modal derivatives, a column per pair of modes, shape (3n, pairs).
  [[nodiscard]] virtual Matrix static_derivatives(const PreparedMesh& mesh, const MatrixRef& modes,
                                                  std::span<const std::array<int, 2>> pairs,
                                                  const Progress& progress) = 0;
  /// The same, with the modes before them, where they stay on a device: shape (free dofs, k + pairs). Null where
  /// fields are the host's. The system must outlive them.
  [[nodiscard]] virtual std::unique_ptr<DeviceFields> derivative_fields(const PreparedMesh& mesh,
                                                                        const MatrixRef& modes,
                                                                        std::span<const std::array<int, 2>> pairs,
                                                                        const Progress& progress) = 0;
  /// Fields = Q R with M-orthonormal Q. @param fields of all vertices, zero on fixed ones
  [[nodiscard]] virtual MassQr mass_qr(Matrix fields) = 0;
};

}  // namespace quartic
