// What the commands that make a model report about it. Each adds what it alone knows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options/body_options.hpp"
#include "cli/runs/snapshot_basis.hpp"
#include "quartic/model.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic::cli {

/// Sizes, surface, memory, warnings and the files written.
[[nodiscard]] nlohmann::json model_json(const ReducedModel& model, const Body& body, const EmbedReport& surface,
                                        const std::vector<std::string>& warnings,
                                        const std::vector<std::string>& files);

/// How many snapshots the basis was made from, and what it captures of them.
[[nodiscard]] nlohmann::json snapshot_basis_json(const SnapshotBasis& basis);

/// "2: forces and stiffness take 0.27 of the multiply-adds".
[[nodiscard]] std::string symmetry_text(const TensorSymmetry& symmetry);

/// Lines of the summary: mesh, mirror planes and surface.
void print_model_body(const ReducedModel& model, const EmbedReport& surface);

/// Lines of the summary: each file with its size.
void print_written(const std::vector<std::string>& files);

}  // namespace quartic::cli
