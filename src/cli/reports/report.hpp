// What commands tell at their end: on standard output, for people or as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cli {

/// One `warning: ...` line on standard error each.
void print_warnings(const std::vector<std::string>& warnings);

/// A line of a summary: the label in a column of its own.
void print_line(std::string_view label, const std::string& text);

/// The report as JSON text.
void print_json(const nlohmann::json& report);

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

/// Ends the sentence "3 elements ..." or "A snapshot has ...".
inline constexpr const char* turned_inside_out =
    "elements that are turned inside out: the load is beyond what the material resists";

/// Most memory that this process, or the largest of those that it started, has had so far, in bytes.
[[nodiscard]] std::int64_t peak_memory_bytes();

/// What the system says is available without swapping; all of the machine's memory where it doesn't say.
[[nodiscard]] double available_memory_bytes();

}  // namespace quartic::cli
