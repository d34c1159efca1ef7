// Results of commands on standard output, as text or as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cli {

/// One `warning: ...` line on standard error each.
void print_warnings(const std::vector<std::string>& warnings);

/// One `hint: ...` line on standard error each.
void print_hints(const std::vector<std::string>& hints);

/// A line of a summary: the label in a column of its own.
void print_line(std::string_view label, const std::string& text);

/// The report as JSON text.
void print_json(const nlohmann::json& report);

/// A time [s] that may not have come.
[[nodiscard]] nlohmann::json time_or_null(const std::optional<double>& time);

/// "7506 vertices, 3836 hex8, 1 region".
[[nodiscard]] std::string mesh_text(const VolumeMesh& mesh);

/// Element counts by type name.
[[nodiscard]] nlohmann::json element_counts(const VolumeMesh& mesh);

/// Frequencies sqrt(eigenvalue) / 2 pi [Hz].
[[nodiscard]] std::vector<double> frequencies(const std::vector<double>& eigenvalues);

/// "0.52 0.61 ... 4.1 Hz": the first ones and the last.
[[nodiscard]] std::string frequencies_text(const std::vector<double>& eigenvalues);

/// "ok", "regularised", "diverged".
[[nodiscard]] std::string_view status_text(BodyStatus status);

}  // namespace quartic::cli
