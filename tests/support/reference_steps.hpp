// Time steps of one body in double, written down as plainly as possible.
#pragma once

#include <Eigen/Core>

#include "quartic/batch.hpp"
#include "support/sample_energies.hpp"

namespace quartic::test {

struct BodyState {
  Eigen::VectorXd q, v, a;
};

/// A step of `options.integrator` under the force f.
[[nodiscard]] BodyState reference_step(const SumOfSquares& body, const BodyState& start, const Eigen::VectorXd& f,
                                       double dt, const BatchOptions& options);

}  // namespace quartic::test
