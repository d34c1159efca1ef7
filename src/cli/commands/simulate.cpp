#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/refused_options.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/contact_options.hpp"
#include "cli/options/flight_options.hpp"
#include "cli/options/heat_options.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/options/moved_set_options.hpp"
#include "cli/reports/displacement_plot.hpp"
#include "cli/reports/motion_report.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/range_report.hpp"
#include "cli/reports/relaxation_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/reports/trajectory_output.hpp"
#include "cli/runs/exponential_simulation.hpp"
#include "cli/runs/memory.hpp"
#include "cli/runs/modal_simulation.hpp"
#include "cli/runs/simulation.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/driven.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"
#include "quartic/warping.hpp"

namespace quartic::cli {

namespace {

struct SimulateArguments {
  std::string model, plot, precision = "double", backend = "cpu", dynamics = "reduced", t60, warp = "none";
  TrajectoryOutputs outputs;
  LoadArguments loads;
  FlightArguments flight;
  StartArguments start;
  HeatArguments heat;
  ContactArguments contact;
  std::vector<std::string> pressures, moved_sets;
  GasArguments gas;
  std::vector<double> modal_damping;
  SimulationOptions simulation;
  bool estimate = false, json = false;

  [[nodiscard]] bool is_modal() const { return dynamics == "modal"; }
  [[nodiscard]] bool is_exponential() const { return simulation.integrator == exponential_integrator; }
};

std::vector<std::string> written_files(const SimulateArguments& arguments) {
  std::vector<std::string> files = written_files(arguments.outputs);
  if (!arguments.plot.empty()) files.push_back(arguments.plot);
  if (!arguments.simulation.checkpoint.empty()) files.push_back(arguments.simulation.checkpoint);
  if (!arguments.contact.records.empty()) files.push_back(arguments.contact.records);
  return files;
}

Scene check(const SimulateArguments& arguments) {
  require_outputs(arguments.outputs, {".glb", ".usda", ".pc2", ".mdd", ".pvd", ".qtraj", ".csv"});
  if (!arguments.plot.empty()) require_output(arguments.plot, {".svg"});
  if (!arguments.simulation.checkpoint.empty()) require_output(arguments.simulation.checkpoint, {".qstate"});
  if (!arguments.contact.records.empty()) require_output(arguments.contact.records, {".csv"});
  const std::vector<std::string> files = written_files(arguments);
  if (files.empty())
    throw UsageError(
        "say where to write: -o FILE.glb, FILE.usda, FILE.pc2, FILE.mdd, FILE.pvd, FILE.qtraj or FILE.csv, --plot "
        "FILE.svg or --checkpoint FILE.qstate");
  if (!arguments.moved_sets.empty() &&
      std::ranges::any_of(files, [](const std::string& file) { return file.ends_with(".qtraj"); }))
    throw UsageError(
        "--move-set: a .qtraj file has the model's own coordinates, which don't say where moved sets are; "
        "take .glb, .usda, .pc2, .mdd, .pvd or .csv");
  std::vector<std::string> inputs = input_files(arguments.loads);
  for (std::string& file : input_files(arguments.start)) inputs.push_back(std::move(file));
  for (std::string& file : pressure_files(arguments.pressures)) inputs.push_back(std::move(file));
  for (std::string& file : moved_set_files(arguments.moved_sets)) inputs.push_back(std::move(file));
  for (std::string& file : input_files(arguments.contact)) inputs.push_back(std::move(file));
  inputs.push_back(arguments.model);
  require_distinct(files, inputs);
  Scene scene = parse_scene(arguments.loads);
  check_start(arguments.start, scene);
  return scene;
}

/// @param flies whether bodies move as a whole, as gravity would have them
std::vector<std::string> warnings_of(const SimulateArguments& arguments, const ReducedModel& model, const Scene& scene,
                                     bool flies) {
  std::vector<std::string> warnings = output_warnings(arguments.outputs, model.rank());
  warnings.insert(warnings.end(), model.notices.begin(), model.notices.end());
  if (flies) return warnings;
  for (std::string& warning : warnings_of(scene, model)) warnings.push_back(std::move(warning));
  return warnings;
}

std::map<std::string, std::int64_t> status_counts(const Trajectory& trajectory) {
  std::map<std::string, std::int64_t> counts = {{"ok", 0}, {"regularised", 0}, {"diverged", 0}};
  for (const BodyStatus status : trajectory.status) ++counts[std::string(status_text(status))];
  return counts;
}

double body_steps_per_second(const SimulateArguments& arguments, const SimulationResult& result) {
  const double steps =
      static_cast<double>(arguments.simulation.frames) * static_cast<double>(arguments.simulation.substeps);
  return steps * static_cast<double>(result.trajectory.bodies) / std::max(result.step_seconds, 1e-9);
}

/// Modes that don't swing are worth a word: they make no sound.
std::vector<std::string> modal_warnings(const ModalSimulation& simulation, const ReducedModel& model) {
  std::vector<std::string> warnings;
  if (simulation.largest_rotation > std::numbers::pi)
    warnings.push_back("vertices turn by up to " +
                       significant(simulation.largest_rotation * 180 / std::numbers::pi, 3) +
                       " degrees; beyond 180 modal warping folds elements: take --warp rotation-strain");
  if (simulation.overdamped_modes == 0) return warnings;
  warnings.push_back(counted(simulation.overdamped_modes, "mode", "modes") + " of " + std::to_string(model.rank()) +
                     (simulation.overdamped_modes == 1 ? " is" : " are") + " overdamped: they creep and don't swing");
  return warnings;
}

std::string_view stepped_text(const SimulateArguments& arguments) {
  if (arguments.is_modal()) return " (linear modes, exact steps)";
  return arguments.is_exponential() ? " (exponential steps)" : "";
}

void report(const SimulateArguments& arguments, const SimulationResult& result, const RangeFindings& findings,
            const std::optional<MotionTrust>& trust, const std::vector<std::string>& warnings,
            const OutputWriter& writer) {
  const Trajectory& trajectory = result.trajectory;
  const auto counts = status_counts(trajectory);
  if (arguments.json) {
    nlohmann::json json = {{"bodies", trajectory.bodies},
                           {"rank", trajectory.rank},
                           {"frames", trajectory.frames()},
                           {"substeps", arguments.simulation.substeps},
                           {"integrator", arguments.is_modal() ? "exact" : arguments.simulation.integrator},
                           {"time", trajectory.time.back()},
                           {"body_steps_per_second", body_steps_per_second(arguments, result)},
                           {"step_seconds", result.step_seconds},
                           {"status", counts},
                           {"energy", {{"first", result.first.energy()}, {"last", result.last.energy()}}},
                           {"kinetic_energy", {{"first", result.first.kinetic}, {"last", result.last.kinetic}}},
                           {"flies", trajectory.flies()},
                           {"peak_memory_bytes", peak_memory_bytes()},
                           {"warnings", warnings},
                           {"files", writer.written()},
                           {"failures", writer.failures()}};
    if (arguments.is_modal())
      json.update({{"dynamics", "modal"}, {"warp", arguments.warp}});
    else
      json.update(range_json(findings));
    if (trust) json["estimate"] = motion_trust_json(*trust);
    if (trajectory.flies()) json["momentum"] = momentum_json(result);
    if (result.contacts) json["contacts"] = contacts_json(*result.contacts);
    print_json(json);
    return;
  }
  std::cout << arguments.model << ": simulated " << counted(trajectory.bodies, "body", "bodies") << " of rank "
            << trajectory.rank << stepped_text(arguments) << " for " << significant(trajectory.time.back()) << " s\n";
  print_line("frames", std::to_string(trajectory.frames()) + ", " +
                           counted(arguments.simulation.substeps, "step", "steps") + " between two");
  print_line("speed", significant(body_steps_per_second(arguments, result), 3) + " body steps per second, " +
                          seconds_text(result.step_seconds) + " in all");
  print_line("status", std::to_string(counts.at("ok")) + " ok, " + std::to_string(counts.at("regularised")) +
                           " regularised, " + std::to_string(counts.at("diverged")) + " diverged");
  if (!arguments.is_modal()) print_range(findings);
  if (trust) print_motion_trust(*trust);
  print_line("energy", significant(result.first.energy()) + " J at first, " + significant(result.last.energy()) +
                           " J at last (elastic and kinetic, all bodies)");
  if (trajectory.flies()) print_momenta(result);
  if (result.contacts) print_contacts(*result.contacts);
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

PressureRun pressure_run(const SimulateArguments& arguments, const ReducedModel& model) {
  PressureRun run{.volumes = {}, .programs = parse_pressures(arguments.pressures), .chambers = {}, .gas = {}};
  const std::vector<GasFilling> fillings = parse_gases(arguments.gas);
  if (!(run.programs.empty() && fillings.empty()) && model.chambers.empty())
    throw InputError(arguments.model +
                     ": the model has no chambers for --pressure or --gas; reduce its mesh with --chamber NAME");
  for (const PressureProgram& program : run.programs) run.chambers.push_back(find_chamber(model, program.chamber));
  // A model's chambers cost time where there is a pressure in one alone, or a checkpoint has some.
  const std::string& resume = arguments.simulation.resume;
  if (!run.programs.empty() || !fillings.empty() || (!resume.empty() && checkpoint_has_pressures(resume)))
    run.volumes = chamber_volumes(model);
  if (fillings.empty()) return run;
  run.atmosphere = arguments.gas.atmosphere;
  run.gas.resize(run.volumes.size());
  for (const GasFilling& filling : fillings) {
    const auto c = static_cast<std::size_t>(find_chamber(model, filling.chamber));
    const std::vector<double> rest(static_cast<std::size_t>(model.rank()));
    run.gas[c] = (filling.pressure + run.atmosphere) * evaluate(run.volumes[c], rest).volume;
  }
  return run;
}

/// Whose strains damp, where bodies are damped so.
StrainForm strain_form(const SimulationOptions& options, const ReducedModel& model) {
  const bool is_resumed = !options.resume.empty() && checkpoint_has_strain_damping(options.resume);
  if (options.strain_damping == 0 && !is_resumed) return {};
  if (model.cubature) throw InputError("damping by strain rates is of models with a quartic energy; take --rayleigh's");
  return damping_strains(model.mesh, model.basis.map(), model.relaxation);
}

/// Gives the model the coordinates of sets that are moved.
MovedRun move_sets(const SimulateArguments& arguments, ReducedModel& model) {
  MovedRun run{parse_moved_sets(arguments.moved_sets), {}};
  if (run.sets.empty()) return run;
  DrivenModel driven = drive_sets(model, driven_sets(model.mesh, run.sets));
  model = std::move(driven.model);
  run.coordinates = std::move(driven.coordinates);
  return run;
}

/// Nothing for rest, and for what a checkpoint goes on from.
std::optional<StartState> first_state(const SimulateArguments& arguments, const ReducedModel& model, LoadProgram& loads,
                                      const SimulationOptions& options) {
  if (!options.resume.empty()) return std::nullopt;
  std::optional<StartState> moving;
  std::span<const double> driven;
  if (options.moved.count() > 0) {
    moving = options.moved.first_state(loads.scene());
    driven = std::span(moving->q).last(options.moved.sets.size());
  }
  const PressureRun& pressure = options.pressure;
  const StartChambers chambers{pressure.volumes, pressure.at_start(), {pressure.gas, pressure.atmosphere}};
  std::optional<StartState> start =
      parse_start(arguments.start, model, loads, options.stiffness_scale, chambers, driven);
  if (!start || !moving) return start ? start : moving;
  std::ranges::copy(driven, start->q.end() - options.moved.count());
  std::copy(moving->velocity.end() - options.moved.count(), moving->velocity.end(),
            start->velocity.end() - options.moved.count());
  return start;
}

/// The bodies' files, and what became of them.
void finish(const SimulateArguments& arguments, const ReducedModel& model, const Scene& scene,
            const SimulationResult& result, OutputWriter& writer, ProgressDisplay& display,
            std::vector<std::string>& found) {
  const std::vector<std::string> losses = write_outputs(arguments.outputs, model, result.trajectory, writer, display);
  if (!arguments.plot.empty()) {
    display.report("write " + arguments.plot, 0);
    writer.write(arguments.plot,
                 [&] { write_displacement_plot(model, result.trajectory, scene.loads, arguments.plot); });
  }
  const std::string& records = arguments.contact.records;
  if (!records.empty()) writer.write(records, [&] { write_contact_records(result.records, records); });
  const std::string& checkpoint = arguments.simulation.checkpoint;
  if (!checkpoint.empty()) writer.note(checkpoint, result.checkpoint_failure);
  found.insert(found.end(), losses.begin(), losses.end());
}

/// @throws NumericalError if bodies diverged
void require_sound(const SimulateArguments& arguments, const SimulationResult& result, const OutputWriter& writer) {
  const std::int64_t diverged = status_counts(result.trajectory).at("diverged");
  if (diverged == 0) return writer.require_all();
  print_warnings(writer.failures());  // what became of the bodies comes last, and is the exit code
  throw NumericalError(counted(diverged, "body", "bodies") +
                       " diverged and stayed at the last finite state; files are written all the same. Use " +
                       (arguments.is_modal()
                            ? "a smaller load"
                            : "another --dt or --substeps, an implicit integrator, or a smaller load"));
}

/// What modal and exponential runs do alike before they step: loads of a held body, and what is to be told of them.
/// @param no_heat why a deck's temperatures aren't taken
LoadProgram loads_of_held(const SimulateArguments& arguments, const ReducedModel& model, Scene scene,
                          const std::string& no_heat, std::vector<std::string>& warnings) {
  if (!arguments.flight.hold_frame) require_held_or_free(model);
  place_loads(scene, model.mesh, warnings);
  if (!scene.heating.empty()) throw InputError("--loads-of: this deck has temperatures, which " + no_heat);
  require_held_base(scene, model);
  scene.step_share = 0.5;
  for (std::string& warning : warnings_of(arguments, model, scene, false)) warnings.push_back(std::move(warning));
  print_warnings(warnings);
  return {model.basis.map(), model.unit_acceleration, scene};
}

/// And after it: files, where the motion left the model's range, and the report.
/// @param found what the steps themselves told, convergence included
void conclude(const SimulateArguments& arguments, const ReducedModel& model, const LoadProgram& loads,
              const SimulationResult& result, std::vector<std::string> found, std::vector<std::string> warnings,
              ProgressDisplay& display) {
  OutputWriter writer;
  std::vector<std::string> losses;
  finish(arguments, model, loads.scene(), result, writer, display, losses);
  const RangeFindings findings = find_out(model, result.trajectory, display.callback());
  display.finish();
  RangeFindings of_range = findings;
  of_range.unconverged_bodies = 0;
  for (std::string& warning : range_warnings(of_range)) found.push_back(std::move(warning));
  found.insert(found.end(), losses.begin(), losses.end());
  print_warnings(found);
  warnings.insert(warnings.end(), found.begin(), found.end());
  report(arguments, result, findings, {}, warnings, writer);
  require_sound(arguments, result, writer);
}

std::vector<std::string> exponential_warnings(const ExponentialSimulation& simulation, const ReducedModel& model) {
  std::vector<std::string> warnings;
  if (simulation.oscillators == 0)
    warnings.emplace_back(
        "no coordinate swings slowly enough for these steps: all follow at rest; take a smaller --dt");
  std::int64_t wild = 0;
  for (const BodyFlags flags : simulation.result.trajectory.flags)
    wild += has_any(flags, BodyFlags::not_converged) ? 1 : 0;
  if (wild > 0)
    warnings.push_back(counted(wild, "body", "bodies") + ": coordinates that follow at rest (" +
                       std::to_string(model.rank() - simulation.oscillators) + " of " + std::to_string(model.rank()) +
                       ") didn't come to rest; take more --substeps");
  return warnings;
}

void run_exponential(const SimulateArguments& arguments) {
  const Scene scene = check(arguments);
  SimulationOptions options = arguments.simulation;
  options.batch = batch_options(options);
  if (parse_backend(arguments.backend) != Backend::cpu)
    throw InputError("--integrator exponential runs on the CPU; leave --backend out");
  if (arguments.precision == "float") options.precision = Precision::single_precision;
  const ReducedModel model = load_reduced_model(arguments.model);
  if (model.supports().empty() && !arguments.flight.hold_frame)
    throw InputError(arguments.model +
                     ": the body is free, but exponential steps are of held bodies; give --hold-frame for its "
                     "oscillations alone, or take another --integrator");
  std::vector<std::string> warnings;
  LoadProgram loads = loads_of_held(arguments, model, scene, "--integrator exponential doesn't take", warnings);

  ProgressDisplay display;
  const ExponentialSimulation simulation = simulate_exponentially(model.energy, loads, options, display.callback());
  conclude(arguments, model, loads, simulation.result, exponential_warnings(simulation, model), warnings, display);
}

void run_modal(const SimulateArguments& arguments) {
  const Scene scene = check(arguments);
  SimulationOptions options = arguments.simulation;
  options.batch = batch_options(options);
  options.batch.backend = parse_backend(arguments.backend);
  set_decay(arguments.t60, options.batch);
  require_backend(options.batch.backend);
  if (arguments.precision == "float") options.precision = Precision::single_precision;
  const ReducedModel model = load_modal_model(arguments.model);
  if (model.supports().empty() && !arguments.flight.hold_frame)
    throw InputError(arguments.model +
                     ": the body is free, but modal bodies don't fly; give --hold-frame for its oscillations alone, or "
                     "take --dynamics reduced");
  const Warp warp = parse_warp(arguments.warp);
  (void)body_shape(model, warp);  // refuses what can't be warped before it is simulated
  std::vector<std::string> warnings;
  LoadProgram loads =
      loads_of_held(arguments, model, scene, "linear modes don't know; take --dynamics reduced", warnings);

  ProgressDisplay display;
  const ModalSimulation simulation = simulate_modes(model, loads, warp, options, display.callback());
  std::vector<std::string> found = simulation.result.resume_warnings;
  for (std::string& warning : modal_warnings(simulation, model)) found.push_back(std::move(warning));
  conclude(arguments, model, loads, simulation.result, found, warnings, display);
}

/// @throws InputError for what bodies with contacts don't know, by its option, before anything is read
void refuse_beside_contacts(const SimulateArguments& arguments) {
  if (!arguments.contact.any()) return;
  const auto refuse = [](bool given, const std::string& what, const std::string& remedy) {
    if (given) throw InputError(what + "; " + remedy + ", or leave --ground and --collider out");
  };
  refuse(arguments.start.in_equilibrium(), "--start equilibrium doesn't know of contacts",
         "start at rest and let the body settle by --integrator backward-euler");
  refuse(!arguments.gas.gases.empty(), "--gas: contacts don't go with gases in chambers", "take --pressure");
  refuse(!arguments.moved_sets.empty(), "--move-set: bodies with sets that are moved have no contacts",
         "let a --collider move");
  refuse(!arguments.modal_damping.empty(), "--modal-damping: contacts don't go with it",
         "take --rayleigh-mass and --rayleigh-stiffness, or --damping-ratios");
  refuse(arguments.simulation.strain_damping > 0, "--strain-damping: contacts don't go with it",
         "take --rayleigh-mass and --rayleigh-stiffness, or --damping-ratios");
}

void run(const SimulateArguments& arguments) {
  if (arguments.is_modal()) return run_modal(arguments);
  if (arguments.is_exponential()) return run_exponential(arguments);
  Scene scene = check(arguments);
  SimulationOptions options = arguments.simulation;
  options.batch = batch_options(options);
  options.batch.backend = parse_backend(arguments.backend);
  check_contact(arguments.contact, options.batch);
  refuse_beside_contacts(arguments);
  if (!options.resume.empty()) require_reduced_checkpoint(options.resume);
  require_backend(options.batch.backend);
  if (arguments.precision == "float") options.precision = Precision::single_precision;
  ReducedModel model = load_reduced_model(arguments.model);
  if (arguments.estimate && !model.relaxation)
    throw InputError(arguments.model +
                     ": --estimate needs a model that knows what could be relaxed; reduce its mesh "
                     "with --relax, 0 to leave the energy as it is");
  std::vector<std::string> told;
  place_loads(scene, model.mesh, told);
  set_heat(scene, arguments.heat, model.mesh);
  options.moved = move_sets(arguments, model);
  if (model.cubature && !scene.heating.empty())
    throw InputError("--heat, and temperatures of decks: strains of heat are those of the law stvk alone");
  model.energy = heated(model.energy, model.mesh, model.basis.map(), model.relaxation.has_value(), scene.heating);
  require_held_base(scene, model);
  scene.step_share = step_share(options.batch.integrator);
  LoadProgram loads(model.basis.map(), model.unit_acceleration, scene);
  LoadProgram resting_loads(model.basis.map(), model.unit_acceleration, resting(scene));
  options.pressure = pressure_run(arguments, model);
  if (!arguments.modal_damping.empty())
    options.damping = modal_damping(model.cubature ? stiffness_energy(*model.cubature) : model.energy,
                                    arguments.modal_damping, options.moved.count());
  options.strain_form = strain_form(options, model);
  options.start = first_state(arguments, model, resting_loads, options);
  if (const auto flight = parse_flight(arguments.flight, model, options.batch, told))
    options.flying = FlyingRun{*flight, FlyingLoads(model, flight->frame, scene)};
  options.contact = parse_contact(arguments.contact, model, options.batch, told);
  std::vector<std::string> warnings = warnings_of(arguments, model, scene, options.flying.has_value());
  warnings.insert(warnings.end(), told.begin(), told.end());
  print_warnings(warnings);

  ProgressDisplay display;
  display.report("points of the range", 0);
  options.range = model_range(model);
  const SimulationResult result = simulate(force_model(model), loads, options, display.callback());
  OutputWriter writer;
  std::vector<std::string> found = result.resume_warnings, losses;
  finish(arguments, model, scene, result, writer, display, losses);
  RangeFindings findings =
      find_out(model, result.trajectory, result.watch, result.trajectory.flags, display.callback());
  findings.touching = result.contacts.has_value();
  std::optional<MotionTrust> trust;
  if (arguments.estimate) trust = motion_trust(model, result.trajectory);
  display.finish();
  for (std::string& warning : range_warnings(findings)) found.push_back(std::move(warning));
  if (trust)
    for (std::string& warning : trust_warnings(*trust)) found.push_back(std::move(warning));
  found.insert(found.end(), losses.begin(), losses.end());
  print_warnings(found);
  warnings.insert(warnings.end(), found.begin(), found.end());
  report(arguments, result, findings, trust, warnings, writer);
  require_sound(arguments, result, writer);
}

// What neither linear modes nor exponential steps know of.
constexpr const char* of_whole_bodies[] = {"--pressure",
                                           "--pose",
                                           "--velocity",
                                           "--spin",
                                           "--start",
                                           "--start-q",
                                           "--start-velocity",
                                           "--heat",
                                           "--expansion",
                                           "--move-set",
                                           "--modal-damping",
                                           "--strain-damping",
                                           "--gas",
                                           "--atmosphere",
                                           "--ground",
                                           "--collider",
                                           "--friction",
                                           "--contact-stiffness",
                                           "--contact-dissipation",
                                           "--contact-spacing",
                                           "--contacts",
                                           "--newton",
                                           "--stiffness-scale",
                                           "--estimate"};

/// @throws UsageError for options that the linear modes know nothing of
void check_modal(const CLI::App& command) {
  const std::string reason =
      " is for --dynamics reduced; linear modes are stepped exactly, from rest or a checkpoint, under forces alone";
  constexpr const char* others[] = {"--integrator"};
  refuse_options(command, of_whole_bodies, reason);
  refuse_options(command, others, reason);
}

/// @throws UsageError for options that exponential steps know nothing of
void check_exponential(const CLI::App& command) {
  const std::string reason = " isn't for --integrator exponential, which steps bodies from rest, under forces alone";
  constexpr const char* others[] = {"--resume", "--checkpoint"};
  refuse_options(command, of_whole_bodies, reason);
  refuse_options(command, others, reason);
}

/// @throws UsageError for options of modal bodies, and for those that a checkpoint of others brings itself
void check_reduced(const CLI::App& command) {
  if (command.count("--t60") > 0) throw UsageError("--t60 is for --dynamics modal; take --damping-ratios");
  if (command.count("--warp") > 0)
    throw UsageError("--warp is for --dynamics modal; the reduced model's motion is nonlinear and needs none");
  if (command.count("--resume") == 0) return;
  for (const char* name :
       {"--rayleigh-mass", "--rayleigh-stiffness", "--damping-ratios", "--strain-damping", "--stiffness-scale"})
    if (command.count(name) > 0)
      throw UsageError("--resume excludes " + std::string(name) + ": the checkpoint brings its own");
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto arguments = std::make_shared<SimulateArguments>();
  SimulationOptions& simulation = arguments->simulation;
  CLI::App* command = app.add_subcommand("simulate", "Simulate bodies of a reduced model under loads");
  command->add_option("MODEL", arguments->model, "Reduced model (.qrt)")->required();
  add_output_options(*command, arguments->outputs,
                     "Trajectory: .qtraj, .csv, .glb, .usda, .pc2 or .mdd (with the surface as .obj) or .pvd "
                     "(ParaView); may be repeated");
  command->add_option("--plot", arguments->plot,
                      "Plot (.svg) of the first loaded vertex's displacement, or the most displaced one's");
  command->add_option("--resume", simulation.resume,
                      "Resume from a checkpoint (.qstate) of the same model instead of rest");
  command->add_option("--checkpoint", simulation.checkpoint, "Write a checkpoint (.qstate) at the end, for --resume");
  command->add_option("--bodies", simulation.batch.bodies, "Bodies B; all carry the same load")
      ->check(positive_number())
      ->capture_default_str();
  add_frame_options(*command, simulation);
  add_load_options(*command, arguments->loads);
  add_changing_load_options(*command, arguments->loads);
  add_pressure_option(*command, arguments->pressures);
  add_moved_set_option(*command, arguments->moved_sets);
  add_gas_options(*command, arguments->gas);
  add_flight_options(*command, arguments->flight);
  add_reduced_start_options(*command, arguments->start);
  add_heat_options(*command, arguments->heat);
  add_contact_options(*command, arguments->contact);
  for (const char* name : {"--pose", "--velocity", "--spin", "--start", "--start-q", "--start-velocity"})
    command->get_option(name)->excludes(command->get_option("--resume"));
  command->add_flag("--estimate", arguments->estimate,
                    "Tell how much of the bodies' energy could be relaxed, and which left the model's reach");
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command
      ->add_option("--dynamics", arguments->dynamics,
                   "reduced: the model's nonlinear energy; modal: its linear modes, exact at any step")
      ->check(CLI::IsMember({"reduced", "modal"}))
      ->capture_default_str();
  add_warp_option(*command, arguments->warp,
                  "What linear modes are shown as where they turn far (docs/warping.md): none (they swell), modal "
                  "(fast, up to some 45 degrees; loads act on it) or rotation-strain (whole turns; a solve per frame)");
  add_integration_options(*command, simulation, true);
  command
      ->add_option("--t60", arguments->t60,
                   "F1,T1[,F2,T2,...]: damping by the times T [s] in which modes at F [Hz] lose 60 dB; of modal bodies")
      ->check(given())
      ->excludes("--rayleigh-mass")
      ->excludes("--rayleigh-stiffness")
      ->excludes("--damping-ratios")
      ->group("Integration");
  const auto integration = "Integration";
  command
      ->add_option("--stiffness-scale", simulation.stiffness_scale,
                   "What all Young's moduli, and springs, are multiplied with")
      ->check(positive_number())
      ->capture_default_str()
      ->group(integration);
  command
      ->add_option("--modal-damping", arguments->modal_damping,
                   "RATIO[,RATIO...]: damping ratios of the model's natural modes, beside Rayleigh's; the last one is "
                   "that of all further modes")
      ->check(non_negative_number())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes("--stiffness-scale")
      ->group(integration);
  add_strain_damping_option(*command, simulation);
  command->add_option("--precision", arguments->precision, "Numbers at run time")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str()
      ->group(integration);
  command->add_option("--backend", arguments->backend, "cpu or cuda")->capture_default_str()->group(integration);
  command->footer(
      "A model without fixed vertices flies: gravity accelerates it as a whole.\n"
      "Example:\n  quartic simulate bridge.qrt --gravity 0,0,-9.81 --steps 200 -o bridge.glb\n"
      "  quartic simulate spoon.qrt --velocity 1,0,4 --spin 0,3,0 --gravity 0,0,-9.81 -o thrown.glb\n"
      "  quartic simulate spoon.qrt --pose 0,0,1,0,0,0,1 --gravity 0,0,-9.81 --ground --integrator backward-euler -o "
      "dropped.glb");
  command->callback([arguments, command] {
    arguments->is_modal() ? check_modal(*command) : check_reduced(*command);
    if (arguments->is_exponential()) check_exponential(*command);
    run(*arguments);
  });
}

}  // namespace quartic::cli
