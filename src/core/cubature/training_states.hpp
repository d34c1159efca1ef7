// States that a body comes to, for training and for judging a cubature: without a single unreduced solve.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/cubature.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// What states are made from.
struct StateSource {
  const Cubature& all;  ///< all points
  MatrixRef basis;
  double size;  ///< of the largest states' linear displacement [m]
  std::uint64_t seed;
};

/// Equilibria under random loads, four steps of each: f = K0 Q diag(sqrt(l_1 / l_i) / sqrt(l_i)) z with eigenpairs l_i,
/// Q of K(0) and normal z, so that every mode gets energy like 1 / l_i; linear displacements are 0.15 to 1 of `size`.
/// Load steps without an equilibrium are left out (Rutzmoser 2018, NSKTS, with the solves in the subspace).
[[nodiscard]] std::vector<Eigen::VectorXd> static_states(const StateSource& source, int count,
                                                         const Progress& progress);

/// On the manifold of modes and their static derivatives: eta_i = z_i / l_i, q = sum eta_i Q_i + 1/2 sum eta_i eta_j
/// T_ij with K0 T_ij = -dK[Q_i] Q_j.
[[nodiscard]] std::vector<Eigen::VectorXd> lifted_states(const StateSource& source, int count,
                                                         const Progress& progress);

}  // namespace quartic
