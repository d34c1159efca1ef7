// A plot of how one vertex moves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cli/options/loads.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

/// The vertex that body 0's deformation moves farthest from its rest position, judged by up to 50 of the frames.
[[nodiscard]] std::int32_t most_displaced_vertex(const ReducedModel& model, const Trajectory& trajectory);

/// Writes an SVG of body 0's displacement components over time at the first loaded vertex, or without loads at the most
/// displaced one. That of a flying body is in the world. @throws FileError
void write_displacement_plot(const ReducedModel& model, const Trajectory& trajectory, const std::vector<Load>& loads,
                             const std::filesystem::path& path);

}  // namespace quartic::cli
