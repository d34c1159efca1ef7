// `quartic world`: bodies of a scene file that meet each other and shapes.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/report.hpp"
#include "cli/reports/trajectory_output.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "cli/worlds/world_run.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

struct WorldCommand {
  std::string scene, precision = "double";
  std::optional<double> dt;
  std::optional<int> steps, substeps;
  TrajectoryOutputs outputs;
  WorldRunOptions run;
  bool json = false;
};

/// NAME.glb, or NAME.MODEL.glb where there are several models.
TrajectoryOutputs outputs_of(const WorldCommand& command, const WorldScene& scene, std::size_t model) {
  TrajectoryOutputs outputs = command.outputs;
  if (scene.models.size() > 1)
    for (std::string& file : outputs.files) {
      const std::filesystem::path path(file);
      file = std::filesystem::path(path)
                 .replace_extension("." + scene.models[model].name + path.extension().string())
                 .string();
    }
  return outputs;
}

void require_files(const WorldCommand& command, const WorldScene& scene) {
  std::vector<std::string> outputs, inputs = {command.scene};
  for (const SceneModel& model : scene.models) inputs.push_back(model.file.string());
  for (const std::filesystem::path& file : scene.shape_files) inputs.push_back(file.string());
  for (std::size_t m = 0; m < scene.models.size(); ++m) {
    const TrajectoryOutputs own = outputs_of(command, scene, m);
    require_outputs(own, {".qtraj", ".glb", ".usda"});
    outputs.insert(outputs.end(), own.files.begin(), own.files.end());
  }
  if (!command.run.checkpoint.empty()) require_output(command.run.checkpoint, {".qstate"});
  if (!command.run.contacts.empty()) require_output(command.run.contacts, {".csv"});
  for (const std::string& file : {command.run.checkpoint, command.run.contacts})
    if (!file.empty()) outputs.push_back(file);
  require_distinct(outputs, inputs);
}

nlohmann::json sums_json(const WorldSums& sums) {
  return {{"momentum", sums.momentum},
          {"angular_momentum", sums.angular_momentum},
          {"elastic_energy", sums.elastic_energy},
          {"kinetic_energy", sums.kinetic_energy}};
}

struct Counts {
  std::int64_t diverged = 0, not_converged = 0, too_fast = 0;
};
Counts counts_of(const WorldRun& run) {
  Counts counts;
  const auto has = [](BodyFlags flags, BodyFlags one) { return (flags & one) != BodyFlags::none; };
  for (const Trajectory& motion : run.motions) {
    counts.diverged += std::ranges::count(motion.status, BodyStatus::diverged);
    for (const BodyFlags flags : motion.flags) {
      counts.not_converged += has(flags, BodyFlags::not_converged) ? 1 : 0;
      counts.too_fast += has(flags, BodyFlags::too_fast) ? 1 : 0;
    }
  }
  return counts;
}

nlohmann::json report_json(const WorldScene& scene, const WorldRun& run, const OutputWriter& writer) {
  const Counts counts = counts_of(run);
  return {{"bodies", scene.bodies.size()},
          {"steps", scene.steps},
          {"dt", scene.dt},
          {"substeps", scene.substeps},
          {"start", sums_json(run.start)},
          {"end", sums_json(run.end)},
          {"contacts",
           {{"between_bodies", run.collisions.contacts},
            {"with_shapes", run.shape_contacts},
            {"most", run.most_contacts},
            {"deepest", run.deepest},
            {"overlap_at_start", run.overlap}}},
          {"islands",
           {{"count", run.collisions.islands},
            {"bodies", run.collisions.bodies},
            {"largest", run.collisions.largest_island},
            {"unsettled_frames", run.unsettled_steps}}},
          {"flags",
           {{"diverged", counts.diverged}, {"not_converged", counts.not_converged}, {"too_fast", counts.too_fast}}},
          {"seconds_per_step", run.seconds_per_step},
          {"outputs", writer.written()},
          {"warnings", run.warnings}};
}

void print_report(const WorldScene& scene, const WorldRun& run, const OutputWriter& writer) {
  const Counts counts = counts_of(run);
  std::cout << counted(std::ssize(scene.bodies), "body", "bodies") << " of "
            << counted(std::ssize(scene.models), "model", "models") << '\n';
  print_line("time", significant(static_cast<double>(scene.steps) * scene.dt) + " s in " +
                         counted(scene.steps, "frame", "frames") + ", " + seconds_text(run.seconds_per_step) +
                         " per step");
  print_line("contacts", std::to_string(run.collisions.contacts) + " between bodies and " +
                             std::to_string(run.shape_contacts) + " with shapes at the end; the deepest was " +
                             significant(run.deepest) + " m");
  print_line("islands", std::to_string(run.collisions.islands) + ", the largest of " +
                            counted(run.collisions.largest_island, "body", "bodies"));
  print_line("energy", significant(run.end.kinetic_energy) + " J kinetic, " + significant(run.end.elastic_energy) +
                           " J elastic; " + significant(run.start.kinetic_energy) + " and " +
                           significant(run.start.elastic_energy) + " J at the start");
  if (counts.diverged + counts.not_converged + counts.too_fast > 0)
    print_line("flags", std::to_string(counts.diverged) + " diverged, " + std::to_string(counts.not_converged) +
                            " not converged, " + std::to_string(counts.too_fast) + " too fast");
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

/// @throws NumericalError if bodies diverged
void require_sound(const WorldRun& run, const OutputWriter& writer) {
  const std::int64_t diverged = counts_of(run).diverged;
  if (diverged == 0) return writer.require_all();
  print_warnings(writer.failures());  // what became of the bodies comes last, and is the exit code
  throw NumericalError(
      counted(diverged, "body", "bodies") +
      " diverged and stayed at the last finite state; files are written all the same. Use another --dt or "
      "--substeps, softer contacts, or smaller loads");
}

void run(const WorldCommand& command) {
  WorldScene scene = read_world_scene(command.scene);
  scene.dt = command.dt.value_or(scene.dt);
  scene.substeps = command.substeps.value_or(scene.substeps);
  scene.steps = command.steps.value_or(static_cast<int>(scene.steps));
  require_files(command, scene);
  const std::vector<ReducedModel> models = read_scene_models(scene);
  ProgressDisplay display;
  WorldRun result = command.precision == "float" ? run_world<float>(scene, models, command.run, display.callback())
                                                 : run_world<double>(scene, models, command.run, display.callback());
  OutputWriter writer;
  for (std::size_t m = 0; m < models.size(); ++m) {
    if (result.motions[m].bodies == 0) continue;
    for (std::string& sentence :
         write_outputs(outputs_of(command, scene, m), models[m], result.motions[m], writer, display))
      result.warnings.push_back(std::move(sentence));
  }
  for (const std::string& file : {command.run.contacts, command.run.checkpoint})
    if (!file.empty()) writer.note(file, "");
  display.finish();
  print_warnings(result.warnings);
  if (command.json)
    print_json(report_json(scene, result, writer));
  else
    print_report(scene, result, writer);
  require_sound(result, writer);
}

}  // namespace

void add_world(CLI::App& app) {
  auto options = std::make_shared<WorldCommand>();
  CLI::App* command = app.add_subcommand("world", "Let bodies of a scene file meet each other and shapes");
  command->add_option("SCENE", options->scene, "Scene file (.json): models, bodies, shapes, gravity")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--steps", options->steps, "Frames, instead of the scene's")->check(positive_number());
  command->add_option("--dt", options->dt, "Time of a frame [s], instead of the scene's")->check(positive_number());
  command->add_option("--substeps", options->substeps, "Steps per frame, instead of the scene's")
      ->check(positive_number());
  command->add_option("--precision", options->precision, "Of the state")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  command->add_option("--threads", options->run.threads, "0: all of the processor's")->check(unsigned_number());
  command->add_option("--contacts", options->run.contacts, "Contacts at the ends of frames (.csv)");
  command->add_option("--checkpoint", options->run.checkpoint, "State at the end, to go on from (.qstate)");
  command->add_option("--resume", options->run.resume, "Go on from a checkpoint of the same scene")
      ->check(CLI::ExistingFile);
  command->add_flag("--json", options->json, "Report as JSON: momentum, energy, contacts, flags, speed");
  add_output_options(*command, options->outputs,
                     "Motion of all bodies (.qtraj, .glb, .usda), of several models a file each: NAME.MODEL.glb");
  command->footer("Example:\n  quartic world drop.json --steps 300 -o drop.glb -o drop.qtraj");
  command->callback([options] { run(*options); });
}

}  // namespace quartic::cli
