// `quartic export`: a saved trajectory as files that other programs show.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
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
  std::int64_t body = 0;
  bool json = false;
};

void check(const ExportArguments& arguments) {
  require_outputs(arguments.outputs, {".glb", ".usda", ".pc2", ".mdd", ".pvd", ".csv"});
  require_distinct(written_files(arguments.outputs), {arguments.model, arguments.motion});
}

Trajectory load_body(const ExportArguments& arguments, const ReducedModel& model, std::int64_t& bodies) {
  const Trajectory all = load_motion(arguments.motion, model, arguments.model);
  bodies = all.bodies;
  if (arguments.body >= bodies)
    throw InputError(arguments.motion + ": there is no body " + std::to_string(arguments.body) + ": it has " +
                     counted(bodies, "body", "bodies") + ", and the first is --body 0");
  return body_trajectory(all, arguments.body);
}

std::vector<std::string> warnings_of(const ExportArguments& arguments, const Trajectory& trajectory) {
  std::vector<std::string> warnings = output_warnings(arguments.outputs, trajectory.rank);
  if (trajectory.status.front() == BodyStatus::diverged)
    warnings.push_back("body " + std::to_string(arguments.body) +
                       " diverged: from some frame on it stays at its last finite state");
  return warnings;
}

void report(const ExportArguments& arguments, const Trajectory& trajectory, std::int64_t bodies,
            const RangeFindings& findings, const std::vector<std::string>& warnings, const OutputWriter& writer) {
  if (arguments.json) {
    nlohmann::json json = {{"body", arguments.body},
                           {"bodies", bodies},
                           {"rank", trajectory.rank},
                           {"frames", trajectory.frames()},
                           {"status", std::string(status_text(trajectory.status.front()))},
                           {"warnings", warnings},
                           {"files", writer.written()},
                           {"failures", writer.failures()}};
    json.update(range_json(findings));
    print_json(json);
    return;
  }
  std::cout << arguments.motion << ": body " << arguments.body << " of " << bodies << ", rank " << trajectory.rank
            << '\n';
  print_line("frames", std::to_string(trajectory.frames()));
  print_line("status", std::string(status_text(trajectory.status.front())));
  print_range(findings);
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

void run(const ExportArguments& arguments) {
  check(arguments);
  const ReducedModel model = load_reduced_model(arguments.model);
  print_warnings(model.notices);
  std::int64_t bodies = 0;
  const Trajectory trajectory = load_body(arguments, model, bodies);
  ProgressDisplay display;
  const RangeFindings findings = find_out(model, trajectory, display.callback());
  display.finish();
  std::vector<std::string> warnings = warnings_of(arguments, trajectory);
  for (std::string& warning : range_warnings(findings)) warnings.push_back(std::move(warning));
  print_warnings(warnings);
  OutputWriter writer;
  const std::vector<std::string> losses = write_outputs(arguments.outputs, model, trajectory, writer, display);
  display.finish();
  print_warnings(losses);
  warnings.insert(warnings.end(), losses.begin(), losses.end());
  report(arguments, trajectory, bodies, findings, warnings, writer);
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
  command->add_option("--body", arguments->body, "Which body, counted from 0")
      ->check(non_negative_number())
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer("Example:\n  quartic export bridge.qrt bridge.qtraj --body 2 -o bridge.usda -o bridge.mdd");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
