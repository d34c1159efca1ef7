// Static solutions of held and free bodies with the factor that the modes use.
#include <limits>

#include "core/elastic_system.hpp"
#include "quartic/error.hpp"

namespace quartic {

// A held body: one solve. A free one: conjugate gradients on K in the complement of the rigid motions, preconditioned
// by (K + shift M)^-1, whose product with K is the identity but for eigenvalues near the shift: a few iterations.
void ElasticSystem::Impl::solve_static(Eigen::Ref<Eigen::MatrixXd> f) const {
  if (shift == 0) {
    factor->solve(f);
    return;
  }
  project_forces(f);
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(f.rows(), f.cols());
  Eigen::MatrixXd direction;
  Eigen::ArrayXd energy;  // r^T P r of each column
  const Eigen::ArrayXd scale = f.colwise().norm();
  double best = std::numeric_limits<double>::infinity();
  int stalled = 0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    Eigen::MatrixXd z = f;  // f holds the residual
    factor->solve(z);
    project_displacements(z);
    const Eigen::ArrayXd new_energy = f.cwiseProduct(z).colwise().sum();
    if (iteration == 0) {
      direction = z;
    } else {
      const Eigen::ArrayXd beta = (energy > 0).select(new_energy / energy, 0);
      direction = z + direction * beta.matrix().asDiagonal();
    }
    energy = new_energy;
    const Eigen::MatrixXd image = sparse_times(stiffness_free, direction);
    const Eigen::ArrayXd curvature = direction.cwiseProduct(image).colwise().sum();
    const Eigen::ArrayXd alpha = (curvature > 0).select(energy / curvature, 0);
    x += direction * alpha.matrix().asDiagonal();
    f -= image * alpha.matrix().asDiagonal();
    project_forces(f);
    const double residual = (scale > 0).select(f.colwise().norm().transpose().array() / scale, 0).maxCoeff();
    stalled = residual > 0.5 * best ? stalled + 1 : 0;
    best = std::min(best, residual);
    if (residual < 1e-14 || stalled == 3) break;  // converged, or at round-off
  }
  if (best > 1e-8) throw NumericalError("the static solution of the free body didn't converge");
  project_displacements(x);
  f = x;
}

}  // namespace quartic
