// Inside of ElasticSystem: the matrices on the free degrees of freedom and the factor.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/fem/device_matrices.hpp"
#include "core/modes/device_system.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// Given, or made when first asked for, also by several threads.
class HostMatrix {
 public:
  void give(SparseMatrix matrix) {
    std::call_once(made_, [&] { matrix_ = std::move(matrix); });
  }
  template <class Make>
  [[nodiscard]] const SparseMatrix& get(const Make& make) const {
    std::call_once(made_, [&] { matrix_ = make(); });
    return matrix_;
  }

 private:
  mutable std::once_flag made_;
  mutable SparseMatrix matrix_;
};

struct ElasticSystem::Impl {
  /// On the host. Of matrices that were assembled on a device these are copies, fetched at the first call.
  [[nodiscard]] const SparseMatrix& mass() const;  // whole, (3n, 3n)
  [[nodiscard]] const SparseMatrix& stiffness_free() const;
  [[nodiscard]] const SparseMatrix& mass_free() const;
  HostMatrix host_mass, host_stiffness_free, host_mass_free;

  std::int64_t dofs = 0;                     // 3n
  std::vector<std::int32_t> free_dofs;       // ascending
  MeshPattern pattern;                       // of the device's matrices
  MassMatrix kind = MassMatrix::consistent;  // of them
  std::unique_ptr<DeviceMatrices> matrices;  // if they were assembled on a device; the factor is of these
  Eigen::MatrixXd rigid;                     // Z on the free degrees of freedom, M-orthonormal
  Eigen::MatrixXd mass_rigid;                // M Z
  double shift = 0;                          // of the factor of K + shift M
  double stiffness_norm = 0;                 // |K|, largest absolute row sum
  double mass_norm = 0;
  std::optional<Factorization> factor;
  std::unique_ptr<DeviceSystem> device;  // on the backend cuda; uses the factor

  [[nodiscard]] std::int64_t free_count() const { return static_cast<std::int64_t>(free_dofs.size()); }
  /// x <- (I - Z Z^T M) x: takes the rigid motions out of displacements.
  void project_displacements(Eigen::Ref<Eigen::MatrixXd> x) const;
  /// f <- (I - M Z Z^T) f: takes out of forces what would move the body rigidly.
  void project_forces(Eigen::Ref<Eigen::MatrixXd> f) const;
  /// Overwrites forces by K^-1 f (in the complement of the rigid motions, for which f is projected first).
  void solve_static(Eigen::Ref<Eigen::MatrixXd> f) const;
  /// Rows of a (3n, m) matrix on the free degrees of freedom, and back (zeros on fixed ones).
  [[nodiscard]] Eigen::MatrixXd restrict_to_free(MatrixRef whole) const;
  void scatter_from_free(MatrixRef free, Eigen::Ref<Eigen::MatrixXd> whole) const;
};

/// K and M of a mesh on the current device, with pattern and free degrees of freedom, without a factor.
/// @param reduction what they are for, whose memory is then asked for first; or null
[[nodiscard]] std::unique_ptr<ElasticSystem::Impl> assemble_on_device(const VolumeMesh& mesh,
                                                                      std::span<const std::int32_t> fixed_vertices,
                                                                      MassMatrix kind, const ReductionSizes* reduction);
/// Adds rigid motions, factor and solvers to it. @throws as ElasticSystem's constructor
void factorize_on_device(ElasticSystem::Impl& system, const VolumeMesh& mesh,
                         std::span<const std::int32_t> fixed_vertices, const FactorizationOptions& options);

}  // namespace quartic
