#include "cli/reports/report.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

/// Names in files may hold what a terminal would obey.
std::string shown(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
  return text;
}

}  // namespace

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::cerr << "warning: " << shown(warning) << '\n';
}

void print_hints(const std::vector<std::string>& hints) {
  for (const std::string& hint : hints) std::cerr << "hint: " << shown(hint) << '\n';
}

void print_line(std::string_view label, const std::string& text) {
  std::string column = "  " + std::string(label);
  column.resize(std::max<std::size_t>(column.size() + 1, 18), ' ');
  std::cout << column << shown(text) << '\n';
}

void print_json(const nlohmann::json& report) {
  std::cout << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

nlohmann::json time_or_null(const std::optional<double>& time) {
  return time ? nlohmann::json(*time) : nlohmann::json();
}

std::string mesh_text(const VolumeMesh& mesh) {
  std::string text = counted(mesh.vertex_count(), "vertex", "vertices");
  for (const ElementBlock& block : mesh.blocks) {
    text += ", " + std::to_string(block.count()) + ' ' + std::string(element_type_name(block.type));
    if (block.type == ElementType::hex8 && block.hexahedron_rule == HexahedronRule::gauss_2x2x2)
      text += " of 2x2x2 points";
  }
  return text + ", " + counted(static_cast<std::int64_t>(mesh.regions.size()), "region", "regions");
}

nlohmann::json element_counts(const VolumeMesh& mesh) {
  nlohmann::json counts = nlohmann::json::object();
  for (const ElementBlock& block : mesh.blocks) counts[std::string(element_type_name(block.type))] = block.count();
  return counts;
}

std::vector<double> frequencies(const std::vector<double>& eigenvalues) {
  std::vector<double> result;
  result.reserve(eigenvalues.size());
  for (const double lambda : eigenvalues) result.push_back(std::sqrt(std::max(lambda, 0.0)) / (2 * std::numbers::pi));
  return result;
}

std::string frequencies_text(const std::vector<double>& eigenvalues) {
  constexpr std::size_t shown = 8;
  std::string text;
  const std::vector<double> hertz = frequencies(eigenvalues);
  for (std::size_t i = 0; i < hertz.size(); ++i) {
    if (i == shown && hertz.size() > shown + 1) text += "... ";
    if (i < shown || i + 1 == hertz.size()) text += significant(hertz[i]) + ' ';
  }
  return text + "Hz";
}

std::string_view status_text(BodyStatus status) {
  return status == BodyStatus::ok ? "ok" : status == BodyStatus::regularised ? "regularised" : "diverged";
}

}  // namespace quartic::cli
