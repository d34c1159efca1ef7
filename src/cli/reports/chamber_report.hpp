// Reports of a model's chambers.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/runs/chamber_findings.hpp"

namespace quartic::cli {

/// A list, one entry per chamber.
[[nodiscard]] nlohmann::json chambers_json(const std::vector<ChamberFinding>& findings);

/// A line of the summary for each.
void print_chambers(const std::vector<ChamberFinding>& findings);

}  // namespace quartic::cli
