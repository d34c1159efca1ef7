#include "cli/reports/comparison_report.hpp"

#include <algorithm>
#include <iostream>

#include "cli/reports/plots.hpp"
#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

std::string percent(std::optional<double> share) {
  return share ? significant(100 * *share, 3) + " %" : "-";
}

void print_cells(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string cell = cells[i];
    const std::size_t width = i == 0 ? 18 : 11;
    if (cell.size() < width) cell.insert(i == 0 ? cell.size() : 0, width - cell.size(), ' ');
    std::cout << (i == 0 ? "  " : " ") << cell;
  }
  std::cout << '\n';
}

bool any_relaxed(std::span<const ComparisonRow> rows) {
  return std::ranges::any_of(rows, [](const ComparisonRow& row) { return row.share.has_value(); });
}

// @param relaxed whether there are columns of relaxed strains
std::vector<std::string> cells_of(const ComparisonRow& row, bool statics, bool relaxed) {
  std::vector<std::string> cells = {row.name, std::to_string(row.rank)};
  if (relaxed) cells.push_back(row.share ? significant(*row.share) : "-");
  if (!row.valid) {
    cells.emplace_back(statics ? "no equilibrium" : "diverged");
    return cells;
  }
  cells.push_back(percent(row.field_error));
  if (relaxed) cells.push_back(percent(row.share ? row.unrelaxed_error : row.field_error));
  for (const double error : {row.basis_error, row.vertex_error}) cells.push_back(percent(error));
  if (statics) return cells;
  for (const std::string& cell : {percent(row.amplitude_error), percent(row.frequency_error),
                                  seconds_text(row.step_seconds), significant(row.speedup, 3)})
    cells.push_back(cell);
  return cells;
}

nlohmann::json optional_json(bool valid, std::optional<double> value) {
  return valid && value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

void print_table(std::span<const ComparisonRow> rows, bool statics) {
  const bool relaxed = any_relaxed(rows);
  std::vector<std::string> names = {"basis", "rank"};
  if (relaxed) names.emplace_back("relaxed");
  names.emplace_back("error");
  if (relaxed) names.emplace_back("unrelaxed");
  for (const char* name : {"of basis", "at vertex"}) names.emplace_back(name);
  if (!statics)
    for (const char* name : {"amplitude", "frequency", "per step", "speed-up"}) names.emplace_back(name);
  print_cells(names);
  for (const ComparisonRow& row : rows) print_cells(cells_of(row, statics, relaxed));
}

nlohmann::json rows_json(std::span<const ComparisonRow> rows, bool statics) {
  nlohmann::json list = nlohmann::json::array();
  for (const ComparisonRow& row : rows) {
    nlohmann::json& json = list.emplace_back();
    json = {{"basis", row.name},
            {"rank", row.rank},
            {"error", optional_json(row.valid, row.field_error)},
            {"basis_error", optional_json(row.valid, row.basis_error)},
            {"vertex_error", optional_json(row.valid, row.vertex_error)}};
    json["inverted_elements"] = row.range.inverted_elements;
    if (row.modes) json["modes"] = *row.modes;
    if (row.share) {
      json["relaxed_share"] = *row.share;
      json["unrelaxed_error"] = optional_json(row.unrelaxed_error.has_value(), row.unrelaxed_error);
    }
    if (statics) {
      json["converged"] = row.valid;
      json["stable"] = row.stable;
      continue;
    }
    json["amplitude_error"] = optional_json(row.valid, row.amplitude_error);
    json["frequency_error"] = optional_json(row.valid, row.frequency_error);
    json["step_seconds"] = optional_json(row.valid, row.step_seconds);
    json["speedup"] = optional_json(row.valid, row.speedup);
    json["status"] = status_text(row.status);
  }
  return list;
}

io::Plot comparison_plot(const VolumeMesh& mesh, const Yardstick& unreduced, std::span<const ComparisonRow> rows) {
  io::Plot plot{.title = "Displacement of " + vertex_text(mesh, unreduced.watched.vertex),
                .x_label = "time [s]",
                .y_label = "displacement [m]",
                .x = unreduced.snapshots.time,
                .lines = {{"unreduced", watched_signal(unreduced.snapshots.displacements, unreduced.watched)}}};
  constexpr std::size_t most = 4;
  const std::size_t count = std::min(most, rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ComparisonRow& row = rows[count == 1 ? 0 : i * (rows.size() - 1) / (count - 1)];
    plot.lines.push_back({row.name + ", r = " + std::to_string(row.rank), row.watched});
  }
  return plot;
}

}  // namespace quartic::cli
