// Plots of simulations as SVG files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "plot/svg_plot.hpp"
#include "quartic/mesh.hpp"
#include "quartic/snapshots.hpp"

namespace quartic::cli {

/// "vertex 12 at (1, 0.05, 0.04) m"
/// @param number what the vertex is called, if not by its place in the mesh
[[nodiscard]] std::string vertex_text(const VolumeMesh& mesh, std::int32_t vertex,
                                      std::optional<std::int32_t> number = {});

/// Displacements x, y, z of a vertex over the snapshots' times.
[[nodiscard]] io::Plot displacement_plot(const Snapshots& snapshots, std::int32_t vertex, std::string title);

/// @throws FileError
void write_plot(const io::Plot& plot, const std::filesystem::path& path);

}  // namespace quartic::cli
