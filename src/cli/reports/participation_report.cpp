#include "cli/reports/participation_report.hpp"

#include "cli/values/numbers.hpp"
#include "quartic/fem.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/participation.hpp"

namespace quartic::cli {

namespace {

nlohmann::json rows_json(const Matrix& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::int64_t i = 0; i < matrix.rows; ++i) rows.push_back({matrix(i, 0), matrix(i, 1), matrix(i, 2)});
  return rows;
}

}  // namespace

// Files of modes alone have the factors; those of reduced models have them of the basis.
Participation participation_of(const ReducedModel& model) {
  const bool has_factors = model.rank() == 0 && model.unit_acceleration.rows > 0;
  Participation found{has_factors
                          ? model.unit_acceleration
                          : participation_factors(mass_matrix(model.mesh, model.mass_matrix), model.linear_modes.map()),
                      {},
                      {},
                      frame_moments(model).mass};
  found.masses = effective_masses(found.factors);
  for (std::int64_t axis = 0; axis < 3; ++axis)
    for (const double share : found.masses.col(axis)) found.sums[static_cast<std::size_t>(axis)] += share;
  return found;
}

nlohmann::json participation_json(const Participation& found) {
  return {{"participation_factors", rows_json(found.factors)},
          {"effective_masses", rows_json(found.masses)},
          {"mass", found.body}};
}

std::string participation_text(const Participation& found) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += (axis == 0 ? "" : ", ") + significant(100 * found.sums[axis] / found.body, 3) + " % in " + "xyz"[axis];
  return text + ", of " + significant(found.body, 6) + " kg, by these modes";
}

}  // namespace quartic::cli
