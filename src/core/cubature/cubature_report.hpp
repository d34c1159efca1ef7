// How wrong a cubature is on given states.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/cubature.hpp"

namespace quartic {

/// @param all all points of the same body and basis
/// @param states away from rest, at least one
[[nodiscard]] CubatureReport report_on(const Cubature& cubature, const Cubature& all,
                                       const std::vector<Eigen::VectorXd>& states, const Progress& progress);

}  // namespace quartic
