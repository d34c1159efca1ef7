// Reports of cubatures: how many points, and how wrong they are.
#pragma once

#include <nlohmann/json.hpp>

#include "quartic/model.hpp"

namespace quartic::cli {

/// Points, control variate and errors; null for a model without.
[[nodiscard]] nlohmann::json cubature_json(const ReducedModel& model);

/// Lines of the summary; none for a model without.
void print_cubature(const ReducedModel& model);

}  // namespace quartic::cli
