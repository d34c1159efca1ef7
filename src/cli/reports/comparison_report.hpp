// A comparison as a table, as JSON and as a plot.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "cli/runs/comparison.hpp"
#include "plot/svg_plot.hpp"

namespace quartic::cli {

/// On standard output. @param statics equilibria are compared: no amplitude, frequency and time
void print_table(std::span<const ComparisonRow> rows, bool statics);

/// A list of objects; numbers of rows that aren't valid are null.
[[nodiscard]] nlohmann::json rows_json(std::span<const ComparisonRow> rows, bool statics);

/// The watched vertex of the unreduced body and of at most four candidates, evenly chosen.
[[nodiscard]] io::Plot comparison_plot(const VolumeMesh& mesh, const Yardstick& unreduced,
                                       std::span<const ComparisonRow> rows);

}  // namespace quartic::cli
