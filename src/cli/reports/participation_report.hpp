// What modes have to do with a base that moves along x, y or z, in reports.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "quartic/model.hpp"

namespace quartic::cli {

struct Participation {
  Matrix factors, masses;        ///< of each linear mode along each axis, shape (k, 3) [kg^(1/2)], [kg]
  std::array<double, 3> sums{};  ///< of the masses over the modes [kg]
  double body = 0;               ///< its mass [kg]
};

[[nodiscard]] Participation participation_of(const ReducedModel& model);

/// `participation_factors`, `effective_masses` and `mass`.
[[nodiscard]] nlohmann::json participation_json(const Participation& found);
/// "61.3 % in x, ..., of 2.5 kg, by these modes".
[[nodiscard]] std::string participation_text(const Participation& found);

}  // namespace quartic::cli
