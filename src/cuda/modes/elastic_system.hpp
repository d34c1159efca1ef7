// K, M, rigid motions and factor of one body on the device.
#pragma once

#include <memory>

#include "core/modes/elastic_system.hpp"
#include "core/modes/system_solver.hpp"
#include "cuda/algebra/sparse_matrix.hpp"
#include "cuda/base/cublas.hpp"
#include "cuda/base/device_matrix.hpp"
#include "cuda/factorization/device_factor.hpp"

namespace quartic::cuda {

class CudaElasticSystem final : public SystemSolver {
 public:
  /// Uses the matrices that were assembled on the device, or copies the caller's. @param host with a factor on the
  /// device; must outlive this object
  /// @throws BackendUnavailable if cuBLAS isn't there, DeviceError if there is too little memory
  explicit CudaElasticSystem(const ElasticSystem::Impl& host);
  ~CudaElasticSystem() override;

  [[nodiscard]] FoundModes solve_modes(const ModesOptions& options) override;
  void solve_static(Eigen::Ref<Eigen::MatrixXd> f) override;
  [[nodiscard]] Matrix static_derivatives(const PreparedMesh& mesh, const MatrixRef& modes,
                                          std::span<const std::array<int, 2>> pairs, const Progress& progress) override;
  [[nodiscard]] std::unique_ptr<DeviceFields> derivative_fields(const PreparedMesh& mesh, const MatrixRef& modes,
                                                                std::span<const std::array<int, 2>> pairs,
                                                                const Progress& progress) override;
  [[nodiscard]] MassQr mass_qr(Matrix fields) override;
  /// Overwrites forces on the free degrees of freedom, (free_dofs, m), by displacements, in the system's stream.
  void solve_static(DeviceMatrix& f);

  [[nodiscard]] const ElasticSystem::Impl& host() const { return host_; }
  [[nodiscard]] cudaStream_t stream() const { return factorization_.stream()->get(); }
  [[nodiscard]] int device() const { return factorization_.device(); }
  [[nodiscard]] DeviceFactor& factor() { return factorization_.factor(); }
  [[nodiscard]] SparseView stiffness() const { return stiffness_->view(); }
  [[nodiscard]] SparseView mass() const { return mass_->view(); }
  [[nodiscard]] const DeviceMatrix& rigid() const { return rigid_; }
  [[nodiscard]] const DeviceMatrix& mass_rigid() const { return mass_rigid_; }
  [[nodiscard]] Cublas& cublas() { return cublas_; }

 private:
  const ElasticSystem::Impl& host_;
  CudaFactorization& factorization_;
  std::unique_ptr<DeviceGuard> guard_;  // while the members are made and destroyed
  Cublas cublas_;
  DeviceArray<unsigned char> cublas_workspace_;
  std::unique_ptr<const DeviceSparseMatrix> own_stiffness_, own_mass_;  // the caller's, copied here
  const DeviceSparseMatrix *stiffness_ = nullptr, *mass_ = nullptr;
  DeviceMatrix rigid_, mass_rigid_;
};

}  // namespace quartic::cuda
