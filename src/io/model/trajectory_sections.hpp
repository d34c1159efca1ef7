// The sections of trajectory files. trajectory_file.cpp lists them.
#pragma once

#include <cstdint>
#include <filesystem>

#include "io/tensors/file_section.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::io {

using TrajectorySection = FileSection<Trajectory>;
using TrajectorySections = FileSections<Trajectory>;

extern const TrajectorySection motion_section;  ///< times, reduced coordinates, status at the end
extern const TrajectorySection modal_section;   ///< modal coordinates in place of reduced ones
extern const TrajectorySection warp_section;    ///< what modal coordinates are shown as, where they are warped
extern const TrajectorySection flags_section;   ///< flags at the end, where one is set
extern const TrajectorySection pose_section;    ///< poses and twists of bodies that fly

/// The list that `save_trajectory`, `load_trajectory` and `body_trajectory` go by.
[[nodiscard]] TrajectorySections trajectory_sections();

/// The same three with sections of the caller's choice.
void write_trajectory(const Trajectory& trajectory, const std::filesystem::path& path, TrajectorySections sections);
[[nodiscard]] Trajectory read_trajectory(const std::filesystem::path& path, TrajectorySections sections);
[[nodiscard]] Trajectory cut_to_body(const Trajectory& trajectory, std::int64_t body, TrajectorySections sections);

}  // namespace quartic::io
