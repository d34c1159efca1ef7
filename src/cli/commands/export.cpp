// `quartic export`: a saved trajectory, or a linear mode, as files that other programs show.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/range_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/reports/trajectory_output.hpp"
#include "cli/runs/moving_mode.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

struct ExportArguments {
  std::string model, motion, warp;
  TrajectoryOutputs outputs;
  std::optional<std::int64_t> body;
  std::optional<std::int64_t> mode;
  std::optional<double> amplitude;
  double period = 2;
  bool json = false;
};

void check(const ExportArguments& arguments) {
  require_outputs(arguments.outputs, {".glb", ".usda", ".pc2", ".mdd", ".pvd", ".csv"});
  if (arguments.mode && !arguments.motion.empty()) throw UsageError("give a MOTION or --mode, not both");
  if (!arguments.mode && arguments.motion.empty())
    throw UsageError("give a MOTION (.qtraj), or --mode K for linear mode K, counted from 1");
  std::vector<std::string> inputs = {arguments.model};
  if (!arguments.motion.empty()) inputs.push_back(arguments.motion);
  require_distinct(written_files(arguments.outputs), inputs);
}

/// What is exported: one body, or all of them, where files can hold them.
struct Exported {
  Trajectory trajectory;
  std::int64_t bodies = 0;           ///< of the whole motion
  std::optional<std::int64_t> body;  ///< none: all in scenes, and the first in other files
};

Exported load_bodies(const ExportArguments& arguments, Trajectory motion) {
  Exported exported{std::move(motion), 0, arguments.body};
  exported.bodies = exported.trajectory.bodies;
  const std::vector<std::string>& files = arguments.outputs.files;
  const bool has_scene = std::any_of(files.begin(), files.end(), is_scene);
  const bool all = arguments.outputs.all_bodies || (exported.trajectory.flies() && exported.bodies > 1 && has_scene);
  if (!exported.body && !all) exported.body = 0;
  if (!exported.body) return exported;
  if (*exported.body >= exported.bodies)
    throw InputError(arguments.motion + ": there is no body " + std::to_string(*exported.body) + ": it has " +
                     counted(exported.bodies, "body", "bodies") + ", and the first is --body 0");
  exported.trajectory = body_trajectory(exported.trajectory, *exported.body);
  return exported;
}

std::vector<std::string> warnings_of(const ExportArguments& arguments, const Exported& exported) {
  std::vector<std::string> warnings = output_warnings(arguments.outputs, exported.trajectory.rank);
  const auto& status = exported.trajectory.status;
  const auto diverged = std::count(status.begin(), status.end(), BodyStatus::diverged);
  if (diverged > 0 && exported.body)
    warnings.push_back("body " + std::to_string(*exported.body) +
                       " diverged: from some frame on it stays at its last finite state");
  else if (diverged > 0)
    warnings.push_back(counted(diverged, "body", "bodies") +
                       " diverged: from some frame on they stay at their last finite state");
  return warnings;
}

void report(const ExportArguments& arguments, const Exported& exported, const RangeFindings& findings,
            const std::vector<std::string>& warnings, const OutputWriter& writer) {
  const Trajectory& trajectory = exported.trajectory;
  const std::string status(status_text(*std::max_element(trajectory.status.begin(), trajectory.status.end())));
  if (arguments.json) {
    nlohmann::json json = {{"body", exported.body ? nlohmann::json(*exported.body) : nlohmann::json()},
                           {"bodies", exported.bodies},
                           {"rank", trajectory.rank},
                           {"frames", trajectory.frames()},
                           {"flies", trajectory.flies()},
                           {"status", status},
                           {"warnings", warnings},
                           {"files", writer.written()},
                           {"failures", writer.failures()}};
    json.update(range_json(findings));
    print_json(json);
    return;
  }
  std::cout << arguments.motion << ": "
            << (exported.body ? "body " + std::to_string(*exported.body) + " of " + std::to_string(exported.bodies)
                              : "all " + counted(exported.bodies, "body", "bodies"))
            << ", rank " << trajectory.rank << '\n';
  if (!exported.body)
    for (const std::string& file : arguments.outputs.files)
      if (!is_scene(file)) print_line("body 0 alone", "in " + file);
  print_line("frames", std::to_string(trajectory.frames()));
  print_line("status", status);
  print_range(findings);
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

void write(const ExportArguments& arguments, const ReducedModel& model, const Trajectory& trajectory,
           OutputWriter& writer, ProgressDisplay& display, std::vector<std::string>& warnings) {
  const std::vector<std::string> losses = write_outputs(arguments.outputs, model, trajectory, writer, display);
  display.finish();
  print_warnings(losses);
  warnings.insert(warnings.end(), losses.begin(), losses.end());
}

// A mode swings harmonically, once over the period that was asked for, and ends as it begins.
void run_mode(const ExportArguments& arguments) {
  const ReducedModel model = load_model(arguments.model);
  print_warnings(model.notices);
  const double amplitude = arguments.amplitude.value_or(default_amplitude(model.mesh));
  const MovingMode moving = moving_mode(model, *arguments.mode, amplitude, arguments.period);
  std::vector<std::string> warnings = output_warnings(arguments.outputs, moving.model.rank());
  print_warnings(warnings);
  ProgressDisplay display;
  OutputWriter writer;
  write(arguments, moving.model, moving.trajectory, writer, display, warnings);
  if (arguments.json) {
    print_json({{"mode", *arguments.mode},
                {"frequency", moving.frequency},
                {"amplitude", amplitude},
                {"period", arguments.period},
                {"frames", moving.trajectory.frames()},
                {"warnings", warnings},
                {"files", writer.written()},
                {"failures", writer.failures()}});
  } else {
    std::cout << arguments.model << ": mode " << *arguments.mode << " of " << model.eigenvalues.size() << '\n';
    print_line("frequency",
               significant(moving.frequency, 6) + " Hz, shown once in " + significant(arguments.period) + " s");
    print_line("amplitude", significant(amplitude, 3) + " m at the vertex that moves most");
    print_line("frames", std::to_string(moving.trajectory.frames()));
    for (const std::string& file : writer.written()) print_line("written", written_text(file));
  }
  writer.require_all();
}

void run(const ExportArguments& arguments) {
  check(arguments);
  if (arguments.mode) return run_mode(arguments);
  DrawnMotion drawn = load_drawn_motion(arguments.motion, arguments.model);
  const ReducedModel& model = drawn.model;
  print_warnings(model.notices);
  if (!arguments.warp.empty()) {
    if (drawn.motion.coordinates != Coordinates::linear_modes)
      throw InputError(arguments.motion + ": --warp is for motions in linear modes (simulate --dynamics modal)");
    drawn.motion.warp = parse_warp(arguments.warp);
  }
  const Exported exported = load_bodies(arguments, std::move(drawn.motion));
  ProgressDisplay display;
  const RangeFindings findings = find_out(model, exported.trajectory, display.callback());
  display.finish();
  std::vector<std::string> warnings = warnings_of(arguments, exported);
  for (std::string& warning : range_warnings(findings)) warnings.push_back(std::move(warning));
  print_warnings(warnings);
  OutputWriter writer;
  write(arguments, model, exported.trajectory, writer, display, warnings);
  report(arguments, exported, findings, warnings, writer);
  writer.require_all();
}

}  // namespace

void add_export(CLI::App& app) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      app.add_subcommand("export", "Export a saved motion or a mode for rendering programs and viewers");
  command->add_option("MODEL", arguments->model, "Reduced model (.qrt)")->required();
  CLI::Option* motion = command->add_option("MOTION", arguments->motion, "Trajectory of it (.qtraj)");
  add_output_options(*command, arguments->outputs,
                     "Motion: .glb, .usda, .pc2 or .mdd (with the surface as .obj), .pvd (ParaView) or .csv; may be "
                     "repeated");
  command->get_option("--output")->required();
  command
      ->add_option("--body", arguments->body,
                   "Which body, counted from 0; else the first, and in .glb and .usda all of those that fly")
      ->check(non_negative_number())
      ->excludes(command->get_option("--all-bodies"));
  CLI::Option* mode =
      command->add_option("--mode", arguments->mode, "Linear mode K of the model in place of a motion, counted from 1")
          ->check(positive_number())
          ->excludes(motion)
          ->excludes(command->get_option("--body"))
          ->excludes(command->get_option("--all-bodies"));
  command
      ->add_option("--amplitude", arguments->amplitude,
                   "How far the mode moves the vertex that it moves most [m] (a tenth of the body's size)")
      ->check(positive_number())
      ->needs(mode);
  command->add_option("--period", arguments->period, "How long one swing of the mode takes in the files [s]")
      ->check(positive_number())
      ->capture_default_str()
      ->needs(mode);
  add_warp_option(*command, arguments->warp, "Show a motion in linear modes so, in place of what the file says");
  command->get_option("--warp")->needs(motion);
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer(
      "Example:\n  quartic export bridge.qrt bridge.qtraj --body 2 -o bridge.usda -o bridge.mdd\n"
      "  quartic export bridge.qrt --mode 3 -o mode3.glb -o mode3.pvd");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
