// Static modal derivatives: right-hand sides and solves in blocks, one factorisation for all.
#include <algorithm>
#include <string>

#include "core/elastic_system.hpp"
#include "quartic/error.hpp"
#include "quartic/modes.hpp"

namespace quartic {
namespace {

// Enough columns for the solver's dense kernels; the block of right-hand sides stays small beside the factor.
constexpr std::size_t block_size = 64;

}  // namespace

ModalDerivatives modal_derivatives(const VolumeMesh& mesh, const ElasticSystem& system, MatrixRef modes,
                                   const Progress& progress) {
  const ElasticSystem::Impl& s = system.impl();
  if (modes.rows() != system.dof_count() || modes.rows() != 3 * mesh.vertex_count())
    throw InputError("the modes have " + std::to_string(modes.rows()) + " rows, but the body has " +
                     std::to_string(system.dof_count()) + " degrees of freedom");
  ModalDerivatives result;
  const int k = static_cast<int>(modes.cols());
  for (int i = 0; i < k; ++i)
    for (int j = i; j < k; ++j) result.pairs.push_back({i, j});
  result.vectors = Matrix(modes.rows(), std::ssize(result.pairs));
  for (std::size_t first = 0; first < result.pairs.size(); first += block_size) {
    if (progress) progress("modal derivatives", static_cast<double>(first) / static_cast<double>(result.pairs.size()));
    const std::size_t count = std::min(block_size, result.pairs.size() - first);
    const Matrix force = force_hessian(mesh, modes, std::span(result.pairs).subspan(first, count));
    Eigen::MatrixXd block = s.restrict_to_free(force.map());
    block = -block;
    s.solve_static(block);
    s.scatter_from_free(
        block, result.vectors.map().middleCols(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count)));
  }
  if (progress) progress("modal derivatives", 1);
  return result;
}

}  // namespace quartic
