#include "cli/reports/trajectory_output.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/options/arguments.hpp"
#include "cli/reports/outputs.hpp"

namespace quartic::cli {

namespace {

/// The surface that a point cache's points belong to.
std::optional<std::string> file_beside(const std::string& output) {
  if (!output.ends_with(".pc2") && !output.ends_with(".mdd")) return std::nullopt;
  return std::filesystem::path(output).replace_extension(".surface.obj").string();
}

/// @return what the file has lost of the motion
std::vector<std::string> write_trajectory(const ReducedModel& model, const Trajectory& trajectory,
                                          const std::string& output, const TrajectoryOutputs& outputs) {
  const SceneBodies bodies = outputs.all_bodies ? SceneBodies::all : SceneBodies::automatic;
  const bool as_points = outputs.usd == "points" || (outputs.usd.empty() && trajectory.warp != Warp::none);
  const UsdMotion usd_motion = as_points ? UsdMotion::points : UsdMotion::blend_shapes;
  if (output.ends_with(".usda")) return write_usd(model, trajectory, output, usd_motion, bodies);
  if (output.ends_with(".glb")) return write_glb(model, trajectory, output, bodies);
  if (output.ends_with(".pc2")) return write_pc2(model, trajectory, output);
  if (output.ends_with(".mdd")) return write_mdd(model, trajectory, output);
  if (output.ends_with(".qtraj")) save_trajectory(trajectory, output);
  if (output.ends_with(".csv")) write_csv(trajectory, output);
  if (output.ends_with(".pvd")) write_pvd(model, trajectory, output);
  return {};
}

}  // namespace

void add_output_options(CLI::App& command, TrajectoryOutputs& outputs, const std::string& description) {
  command.add_option("-o,--output", outputs.files, description)->allow_extra_args(false);
  command
      .add_option("--usd", outputs.usd,
                  "How .usda files move: blend-shapes, the default, or points, that of warped motions")
      ->check(CLI::IsMember({"blend-shapes", "points"}));
  command.add_flag("--all-bodies", outputs.all_bodies,
                   "All bodies in .glb and .usda files, as of bodies that fly, also where they don't");
}

void require_outputs(const TrajectoryOutputs& outputs, std::initializer_list<std::string_view> extensions) {
  bool has_usd = false;
  for (const std::string& output : outputs.files) {
    require_output(output, extensions);
    if (const auto beside = file_beside(output)) require_output(*beside, {".obj"});
    has_usd = has_usd || output.ends_with(".usda");
  }
  if (!outputs.usd.empty() && !has_usd) throw UsageError("--usd is for .usda files; name one with -o");
  if (outputs.all_bodies && std::none_of(outputs.files.begin(), outputs.files.end(), is_scene))
    throw UsageError("--all-bodies is for .glb and .usda files, others hold one body; name one with -o");
}

bool is_scene(std::string_view output) {
  return output.ends_with(".glb") || output.ends_with(".usda");
}

std::vector<std::string> written_files(const TrajectoryOutputs& outputs) {
  std::vector<std::string> files = outputs.files;
  for (const std::string& output : outputs.files) {
    const auto beside = file_beside(output);
    // Caches of one name share their surface, which is the same.
    if (beside && std::find(files.begin(), files.end(), *beside) == files.end()) files.push_back(*beside);
  }
  return files;
}

std::vector<std::string> output_warnings(const TrajectoryOutputs& outputs, std::int64_t rank) {
  std::vector<std::string> warnings;
  for (const std::string& output : outputs.files)
    if (output.ends_with(".glb") && rank > glb_basis_limit)
      warnings.push_back(output + ": viewers blend no more than " + std::to_string(glb_basis_limit) +
                         " morph targets, and the rank is " + std::to_string(rank) +
                         ": it holds a shape per frame instead of the basis, and grows with the frames");
  return warnings;
}

std::vector<std::string> write_outputs(const TrajectoryOutputs& outputs, const ReducedModel& model,
                                       const Trajectory& trajectory, OutputWriter& writer, ProgressDisplay& display) {
  std::vector<std::string> warnings;
  for (const std::string& output : outputs.files) {
    display.report("write " + output, 0);
    const auto beside = file_beside(output);
    writer.write(
        output,
        [&] {
          for (const std::string& loss : write_trajectory(model, trajectory, output, outputs))
            warnings.emplace_back(output).append(": ").append(loss);
        },
        beside ? std::vector{*beside} : std::vector<std::string>{});
  }
  return warnings;
}

}  // namespace quartic::cli
