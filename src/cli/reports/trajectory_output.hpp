// Files of a trajectory: what `simulate` and `export` write by the extension that a name has.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reports/output_writer.hpp"
#include "cli/reports/progress_display.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

struct TrajectoryOutputs {
  std::vector<std::string> files;
  std::string usd;          ///< how .usda files move; empty: not said, blend-shapes, of warped motions points
  bool all_bodies = false;  ///< in .glb and .usda files also of bodies that don't fly
};

/// -o, --usd and --all-bodies
void add_output_options(CLI::App& command, TrajectoryOutputs& outputs, const std::string& description);

/// Before work begins. @throws UsageError, FileError as `require_output`, also for files beside the named ones
void require_outputs(const TrajectoryOutputs& outputs, std::initializer_list<std::string_view> extensions);

/// Whether an output can hold several bodies as something to look at: .glb and .usda.
[[nodiscard]] bool is_scene(std::string_view output);
/// The files, and those that are written beside them: the surface `NAME.surface.obj` of a point cache.
[[nodiscard]] std::vector<std::string> written_files(const TrajectoryOutputs& outputs);

/// What files can't hold of a motion of that rank, as is known before it is.
[[nodiscard]] std::vector<std::string> output_warnings(const TrajectoryOutputs& outputs, std::int64_t rank);

/// Writes body 0, or into .qtraj all bodies, and into .glb and .usda all of flying ones.
/// @return what files have lost of the motion, as sentences that begin with the file's name
[[nodiscard]] std::vector<std::string> write_outputs(const TrajectoryOutputs& outputs, const ReducedModel& model,
                                                     const Trajectory& trajectory, OutputWriter& writer,
                                                     ProgressDisplay& display);

}  // namespace quartic::cli
