// `quartic export`: a saved trajectory as files that other programs show.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/range_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/reports/trajectory_output.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

struct ExportArguments {
  std::string model, motion;
  TrajectoryOutputs outputs;
  std::optional<std::int64_t> body;
  bool json = false;
};

void check(const ExportArguments& arguments) {
  require_outputs(arguments.outputs, {".glb", ".usda", ".pc2", ".mdd", ".pvd", ".csv"});
  require_distinct(written_files(arguments.outputs), {arguments.model, arguments.motion});
}

/// What is exported: one body, or all of them, where files can hold them.
struct Exported {
  Trajectory trajectory;
  std::int64_t bodies = 0;           ///< of the whole motion
  std::optional<std::int64_t> body;  ///< none: all in scenes, and the first in other files
};

Exported load_bodies(const ExportArguments& arguments, const ReducedModel& model) {
  Exported exported{load_motion(arguments.motion, model, arguments.model), 0, arguments.body};
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

void run(const ExportArguments& arguments) {
  check(arguments);
  const ReducedModel model = load_reduced_model(arguments.model);
  print_warnings(model.notices);
  const Exported exported = load_bodies(arguments, model);
  ProgressDisplay display;
  const RangeFindings findings = find_out(model, exported.trajectory, display.callback());
  display.finish();
  std::vector<std::string> warnings = warnings_of(arguments, exported);
  for (std::string& warning : range_warnings(findings)) warnings.push_back(std::move(warning));
  print_warnings(warnings);
  OutputWriter writer;
  const std::vector<std::string> losses = write_outputs(arguments.outputs, model, exported.trajectory, writer, display);
  display.finish();
  print_warnings(losses);
  warnings.insert(warnings.end(), losses.begin(), losses.end());
  report(arguments, exported, findings, warnings, writer);
  writer.require_all();
}

}  // namespace

void add_export(CLI::App& app) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "Export a saved motion for rendering programs and viewers");
  command->add_option("MODEL", arguments->model, "Reduced model (.qrt)")->required();
  command->add_option("MOTION", arguments->motion, "Trajectory of it (.qtraj)")->required();
  add_output_options(*command, arguments->outputs,
                     "Motion: .glb, .usda, .pc2 or .mdd (with the surface as .obj), .pvd (ParaView) or .csv; may be "
                     "repeated");
  command->get_option("--output")->required();
  command
      ->add_option("--body", arguments->body,
                   "Which body, counted from 0; else the first, and in .glb and .usda all of those that fly")
      ->check(non_negative_number())
      ->excludes(command->get_option("--all-bodies"));
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer("Example:\n  quartic export bridge.qrt bridge.qtraj --body 2 -o bridge.usda -o bridge.mdd");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
