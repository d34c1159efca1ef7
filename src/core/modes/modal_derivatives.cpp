// Modal derivatives: right-hand sides and solves in blocks, one factorisation for all.
#include <algorithm>
#include <string>

#include "core/elements/quadrature.hpp"
#include "core/modes/device_system.hpp"
#include "core/modes/elastic_system.hpp"
#include "cpu/modes/inertial_solve.hpp"
#include "quartic/error.hpp"
#include "quartic/modes.hpp"

namespace quartic {
namespace {

// Enough columns for the solver's dense kernels; the block of right-hand sides stays small beside the factor.
constexpr std::size_t block_size = 64;

// Forces are made where the factor is.
Backend backend_of(const ElasticSystem::Impl& system) {
  return system.device == nullptr ? Backend::cpu : Backend::cuda;
}

// Fills `derivatives.vectors` for the pairs by solving for blocks of -(H : Psi_i) Psi_j, given on the free degrees of
// freedom together with the pairs they are of.
template <class Solve>
void solve_blocks(ModalDerivatives& derivatives, const VolumeMesh& mesh, const ElasticSystem::Impl& system,
                  const MatrixRef& modes, const Progress& progress, const Solve& solve) {
  const auto& pairs = derivatives.pairs;
  derivatives.vectors = Matrix(modes.rows(), std::ssize(pairs));
  for (std::size_t first = 0; first < pairs.size(); first += block_size) {
    if (progress) progress("modal derivatives", static_cast<double>(first) / static_cast<double>(pairs.size()));
    const std::size_t count = std::min(block_size, pairs.size() - first);
    const auto part = std::span(pairs).subspan(first, count);
    const Matrix force = force_hessian(mesh, modes, part, backend_of(system));
    Eigen::MatrixXd block = system.restrict_to_free(force.map());
    block = -block;
    solve(block, part);
    system.scatter_from_free(block, derivatives.vectors.map().middleCols(static_cast<Eigen::Index>(first),
                                                                         static_cast<Eigen::Index>(count)));
  }
  if (progress) progress("modal derivatives", 1);
}

}  // namespace

ModalDerivatives modal_derivatives(const VolumeMesh& mesh, const ElasticSystem& system, MatrixRef modes,
                                   const ModalDerivativesOptions& options) {
  const ElasticSystem::Impl& s = system.impl();
  if (modes.rows() != system.dof_count() || modes.rows() != 3 * mesh.vertex_count())
    throw InputError("the modes have " + std::to_string(modes.rows()) + " rows, but the body has " +
                     std::to_string(system.dof_count()) + " degrees of freedom");
  ModalDerivatives result;
  const bool symmetric = options.kind == DerivativeKind::statics;
  const int k = static_cast<int>(modes.cols());
  for (int i = 0; i < k; ++i)
    for (int j = symmetric ? i : 0; j < k; ++j) result.pairs.push_back({i, j});
  if (symmetric && s.device != nullptr) {
    require_usable(mesh);
    result.vectors =
        s.device->static_derivatives(MeshImage(mesh), incidences_of(mesh), modes, result.pairs, options.progress);
  } else if (symmetric) {
    solve_blocks(result, mesh, s, modes, options.progress,
                 [&](Eigen::MatrixXd& block, auto) { s.solve_static(block); });
  } else {
    const InertialSolver solver(s, s.restrict_to_free(modes));
    solve_blocks(result, mesh, s, modes, options.progress, [&](Eigen::MatrixXd& block, auto pairs) {
      std::vector<int> shifts;  // lambda_i of each column
      for (const auto& [i, j] : pairs) shifts.push_back(i);
      solver.solve(block, shifts);
    });
  }
  return result;
}

}  // namespace quartic
