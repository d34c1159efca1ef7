// Modal derivatives of each kind, by the system's solver or by blocks.
#include <string>

#include "core/modes/derivative_blocks.hpp"
#include "core/modes/inertial_solve.hpp"
#include "core/modes/mesh_derivatives.hpp"
#include "quartic/error.hpp"

namespace quartic {

ModalDerivatives modal_derivatives(const VolumeMesh& mesh, const ElasticSystem& system, MatrixRef modes,
                                   const ModalDerivativesOptions& options) {
  return modal_derivatives(PreparedMesh(mesh), system, modes, options);
}

ModalDerivatives modal_derivatives(const PreparedMesh& mesh, const ElasticSystem& system, const MatrixRef& modes,
                                   const ModalDerivativesOptions& options) {
  const ElasticSystem::Impl& s = system.impl();
  if (modes.rows() != system.dof_count() || modes.rows() != 3 * mesh.vertex_count())
    throw InputError("the modes have " + std::to_string(modes.rows()) + " rows, but the body has " +
                     std::to_string(system.dof_count()) + " degrees of freedom");
  const int k = static_cast<int>(modes.cols());
  ModalDerivatives result;
  if (options.kind == DerivativeKind::statics) {
    result.pairs = static_pairs(k);
    result.vectors = s.solver->static_derivatives(mesh, modes, result.pairs, options.progress);
    return result;
  }
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) result.pairs.push_back({i, j});
  const InertialSolver solver(s, s.restrict_displacements(modes));
  result.vectors =
      derivatives_by_blocks(mesh, s, modes, result.pairs, options.progress, [&](Eigen::MatrixXd& block, Pairs pairs) {
        std::vector<int> shifts;  // lambda_i of each column
        for (const auto& [i, j] : pairs) shifts.push_back(i);
        solver.solve(block, shifts);
      });
  return result;
}

std::vector<std::array<int, 2>> static_pairs(int modes) {
  std::vector<std::array<int, 2>> pairs;
  for (int i = 0; i < modes; ++i)
    for (int j = i; j < modes; ++j) pairs.push_back({i, j});
  return pairs;
}

}  // namespace quartic
