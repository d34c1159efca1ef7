// The surface that commands which make models embed in them.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/body_options.hpp"
#include "quartic/model.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic::cli {

struct SurfaceOptions {
  std::string file;
  bool none = false;
  std::string basis;  ///< half or single; empty: not in the file
};

/// --surface FILE, --no-surface, --surface-basis PRECISION
void add_surface_options(CLI::App& command, SurfaceOptions& options);

/// The files that the options name.
[[nodiscard]] std::vector<std::string> input_files(const SurfaceOptions& options);

/// A surface in the mesh that `reduce` will make of a body's.
struct EmbeddedSurface {
  std::optional<SurfaceEmbedding> surface;
  SurfaceBasis basis = SurfaceBasis::none;
  EmbedReport report;
};

/// Embeds the surface that the options name, or else the one that the body's voxels fill; nothing if there is none.
/// Before the long work, so that what doesn't fit is told at once. The report has the warnings of the reader, too.
/// @throws UsageError, InputError
[[nodiscard]] EmbeddedSurface embed_surface(const SurfaceOptions& options, const Body& body);

/// Hands the surface to the model.
void give_surface(EmbeddedSurface embedded, ReducedModel& model);

/// "503 vertices, 1002 triangles, 3 vertices outside by up to 0.01 m"
[[nodiscard]] std::string surface_text(const SurfaceEmbedding& surface, const EmbedReport& report);

/// The same as numbers; null if there is no surface.
[[nodiscard]] nlohmann::json surface_json(const std::optional<SurfaceEmbedding>& surface, const EmbedReport& report);

}  // namespace quartic::cli
