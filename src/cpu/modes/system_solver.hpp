// Modes, static solutions and derivatives on the CPU.
#pragma once

#include "core/modes/elastic_system.hpp"
#include "core/modes/system_solver.hpp"

namespace quartic::cpu {

class CpuSystemSolver final : public SystemSolver {
 public:
  /// @param system must outlive this object
  explicit CpuSystemSolver(const ElasticSystem::Impl& system) : system_(system) {}

  [[nodiscard]] FoundModes solve_modes(const ModesOptions& options) override;
  void solve_static(Eigen::Ref<Eigen::MatrixXd> f) override;
  [[nodiscard]] Matrix static_derivatives(const PreparedMesh& mesh, const MatrixRef& modes,
                                          std::span<const std::array<int, 2>> pairs, const Progress& progress) override;
  [[nodiscard]] std::unique_ptr<DeviceFields> derivative_fields(const PreparedMesh& mesh, const MatrixRef& modes,
                                                                std::span<const std::array<int, 2>> pairs,
                                                                const Progress& progress) override;
  [[nodiscard]] MassQr mass_qr(Matrix fields) override;

 private:
  const ElasticSystem::Impl& system_;
};

}  // namespace quartic::cpu
