#include "cpu/modes/system_solver.hpp"

#include <utility>

#include "core/algebra/mass_orthogonalization.hpp"
#include "core/modes/derivative_blocks.hpp"
#include "core/modes/solve_modes.hpp"
#include "core/modes/static_solve.hpp"
#include "cpu/modes/block_space.hpp"

namespace quartic::cpu {

FoundModes CpuSystemSolver::solve_modes(const ModesOptions& options) {
  require_memory_for_modes(system_, options.count);
  CpuBlockSpace space(system_, options.seed);
  return quartic::solve_modes(space, system_, options);
}

void CpuSystemSolver::solve_static(Eigen::Ref<Eigen::MatrixXd> f) {
  if (system_.rigid.cols() == 0) {  // in place
    system_.factor->solve(f);
    return;
  }
  CpuBlockSpace space(system_);
  Eigen::MatrixXd block = f;
  quartic::solve_static(space, block);
  f = block;
}

Matrix CpuSystemSolver::static_derivatives(const PreparedMesh& mesh, const MatrixRef& modes,
                                           std::span<const std::array<int, 2>> pairs, const Progress& progress) {
  return derivatives_by_blocks(mesh, system_, modes, pairs, progress,
                               [&](Eigen::MatrixXd& block, Pairs) { solve_static(block); });
}

std::unique_ptr<DeviceFields> CpuSystemSolver::derivative_fields(const PreparedMesh& /*mesh*/,
                                                                 const MatrixRef& /*modes*/,
                                                                 std::span<const std::array<int, 2>> /*pairs*/,
                                                                 const Progress& /*progress*/) {
  return nullptr;
}

MassQr CpuSystemSolver::mass_qr(Matrix fields) {
  return quartic::mass_qr(std::move(fields), system_.mass());
}

}  // namespace quartic::cpu
