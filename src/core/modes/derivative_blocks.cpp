#include "core/modes/derivative_blocks.hpp"

#include <algorithm>

#include "core/fem/fem_operations.hpp"

namespace quartic {

Matrix derivatives_by_blocks(const PreparedMesh& mesh, const ElasticSystem::Impl& system, const MatrixRef& modes,
                             Pairs pairs, const Progress& progress,
                             const std::function<void(Eigen::MatrixXd& block, Pairs pairs)>& solve) {
  // Enough columns for the solver's dense kernels; the block of right-hand sides stays small beside the factor.
  constexpr std::size_t block_size = 64;
  Matrix derivatives(modes.rows(), std::ssize(pairs));
  for (std::size_t first = 0; first < pairs.size(); first += block_size) {
    if (progress) progress("modal derivatives", static_cast<double>(first) / static_cast<double>(pairs.size()));
    const Pairs part = pairs.subspan(first, std::min(block_size, pairs.size() - first));
    const Matrix force = fem_operations(system.backend).force_hessian(mesh, modes, part);
    Eigen::MatrixXd block = system.restrict_forces(force.map());
    block = -block;
    solve(block, part);
    system.scatter_from_free(
        block, derivatives.map().middleCols(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(part.size())));
  }
  if (progress) progress("modal derivatives", 1);
  return derivatives;
}

}  // namespace quartic
