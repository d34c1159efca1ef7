// Static solutions of held and free bodies with the factor that the modes use, on any machine.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "quartic/error.hpp"

namespace quartic {

/// Overwrites forces by K^-1 f (in the complement of the rigid motions, for which f is projected first).
///
/// A held body: one solve. A free one: conjugate gradients on K in the complement of the rigid motions, preconditioned
/// by (K + shift M)^-1, whose product with K is the identity but for eigenvalues near the shift: a few iterations.
template <class Space>
void solve_static(Space& space, typename Space::Block& f) {
  if (!space.has_rigid_motions()) {
    f = space.solve(std::move(f));
    return;
  }
  space.project_forces(f);
  auto x = space.zeros(f.cols());
  typename Space::Block direction;
  Eigen::ArrayXd energy;  // r^T P r of each column
  const Eigen::ArrayXd scale = space.column_norms(f);
  double best = std::numeric_limits<double>::infinity();
  int stalled = 0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    auto z = space.solve(space.copy(f));  // f holds the residual
    space.project(z);
    const Eigen::ArrayXd new_energy = space.column_products(f, z);
    if (iteration == 0) {
      direction = std::move(z);
    } else {
      const Eigen::ArrayXd beta = (energy > 0).select(new_energy / energy, 0);
      space.scale_and_add(direction, beta, z);
    }
    energy = new_energy;
    const auto image = space.stiffness_times(direction);
    const Eigen::ArrayXd curvature = space.column_products(direction, image);
    const Eigen::ArrayXd alpha = (curvature > 0).select(energy / curvature, 0);
    space.add_scaled(x, direction, alpha);
    space.subtract_scaled(f, image, alpha);
    space.project_forces(f);
    const double residual = (scale > 0).select(space.column_norms(f).array() / scale, 0).maxCoeff();
    stalled = residual > 0.5 * best ? stalled + 1 : 0;
    best = std::min(best, residual);
    if (residual < 1e-14 || stalled == 3) break;  // converged, or at round-off
  }
  if (best > 1e-8) throw NumericalError("the static solution of the free body didn't converge");
  space.project(x);
  f = std::move(x);
}

}  // namespace quartic
