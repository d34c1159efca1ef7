// What reports say of bodies that left their model's range, or whose steps didn't converge.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/runs/range_findings.hpp"

namespace quartic::cli {

/// A sentence each, with the remedy; none if there is nothing to tell.
[[nodiscard]] std::vector<std::string> range_warnings(const RangeFindings& findings);

/// `inverted_elements`, `inverted_since`, `strained_since` and `flags`, the numbers of bodies with each.
[[nodiscard]] nlohmann::json range_json(const RangeFindings& findings);

/// A line of the summary, if a body was out of range.
void print_range(const RangeFindings& findings);

}  // namespace quartic::cli
