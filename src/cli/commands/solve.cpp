// `quartic solve`: the unreduced body, every vertex of which moves.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/heat_options.hpp"
#include "cli/options/moved_set_options.hpp"
#include "cli/options/pressure_options.hpp"
#include "cli/options/start_options.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/plots.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/report.hpp"
#include "cli/runs/memory.hpp"
#include "cli/runs/unreduced_motion.hpp"
#include "cli/runs/watched_vertex.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

struct SolveArguments {
  BodyOptions body;
  LoadArguments loads;
  HeatArguments heat;
  MotionOptions motion;
  StartArguments start;
  std::string output, plot, mass = "consistent";
  std::vector<std::string> pressures, moved_sets;
  int load_steps = 1;
  bool statics = false, json = false;
};

std::vector<std::string> written_files(const SolveArguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& file : {arguments.output, arguments.plot})
    if (!file.empty()) files.push_back(file);
  return files;
}

Scene check(const SolveArguments& arguments) {
  if (!arguments.output.empty()) require_output(arguments.output, {".qsnap", ".pvd"});
  if (!arguments.plot.empty()) require_output(arguments.plot, {".svg"});
  if (arguments.statics && !arguments.plot.empty())
    throw UsageError("--plot shows a motion: it can't be combined with --static");
  if (written_files(arguments).empty())
    throw UsageError("say where to write: -o FILE.qsnap, FILE.pvd or --plot FILE.svg");
  std::vector<std::string> inputs = input_files(arguments.body);
  for (std::string& file : input_files(arguments.loads)) inputs.push_back(std::move(file));
  for (std::string& file : pressure_files(arguments.pressures)) inputs.push_back(std::move(file));
  for (std::string& file : moved_set_files(arguments.moved_sets)) inputs.push_back(std::move(file));
  require_distinct(written_files(arguments), inputs);
  Scene scene = parse_scene(arguments.loads);
  check_start(arguments.start, scene);
  return scene;
}

/// What was found, for both kinds of solve.
struct Solution {  // NOLINT(bugprone-exception-escape): of moving JSON, which doesn't throw
  Snapshots snapshots;
  nlohmann::json report;
  std::vector<std::pair<std::string, std::string>> lines;  // for people
  std::vector<std::string> warnings;
  std::string failure;  // empty: none
};

/// The chambers that --pressure names, and what is in them.
struct Inflation {
  std::vector<Chamber> chambers;
  std::vector<PressureProgram> programs;

  /// [Pa], of each chamber.
  [[nodiscard]] std::vector<double> at_start() const { return pressures_at_start(programs); }
  [[nodiscard]] bool acts() const {
    return std::ranges::any_of(at_start(), [](double p) { return p != 0; });
  }
};

Inflation read_inflation(const SolveArguments& arguments, const VolumeMesh& mesh) {
  Inflation inflation{.chambers = {}, .programs = parse_pressures(arguments.pressures)};
  for (const PressureProgram& program : inflation.programs) {
    if (arguments.statics && !program.constant())
      throw UsageError("--pressure " + program.chamber +
                       ": an equilibrium is that of one pressure, which --static can't take from a file where it "
                       "changes; give " +
                       program.chamber + "=Pa");
    Chamber chamber = named_chamber(mesh, program.chamber);
    for (const Chamber& other : inflation.chambers)
      if (other.faces == chamber.faces)
        throw InputError("--pressure: '" + other.name + "' and '" + chamber.name + "' are one chamber; name it once");
    inflation.chambers.push_back(std::move(chamber));
  }
  return inflation;
}

/// Sets that --move-set moves, and the fields that do so.
struct Movement {
  std::vector<MovedSet> sets;
  std::vector<DrivenSet> driven;

  /// Where the body is in small displacements of the sets, as they are at time 0; empty: at rest.
  [[nodiscard]] std::vector<double> first_place(const Body& body, const Scene& scene) const {
    const std::vector<double> places = places_at(sets, scene, 0);
    if (std::ranges::all_of(places, [](double x) { return x == 0; })) return {};
    const Eigen::VectorXd u = lifting_fields(body.mesh, body.supports(), driven).map() *
                              Eigen::VectorXd::Map(places.data(), std::ssize(places));
    return {u.begin(), u.end()};
  }
};

/// The supports hold what is moved.
Movement read_movement(const SolveArguments& arguments, Body& body) {
  Movement movement{parse_moved_sets(arguments.moved_sets), {}};
  movement.driven = driven_sets(body.mesh, movement.sets);
  for (std::size_t i = 0; i < movement.sets.size(); ++i) {
    if (arguments.statics && !movement.sets[i].constant())
      throw UsageError(movement.sets[i].name +
                       ": an equilibrium is that of one displacement, which --static can't take from a file where it "
                       "changes");
    const DrivenSet& set = movement.driven[i];
    std::vector<std::int32_t> loose = set.vertices;
    std::erase_if(loose, [&](std::int32_t v) { return std::ranges::binary_search(body.fixed_vertices, v); });
    std::vector<Constraint> holds = hold_along(loose, set.direction, set.name);
    body.constraints.insert(body.constraints.end(), holds.begin(), holds.end());
  }
  return movement;
}

Solution find_equilibrium(const Body& body, const Scene& scene, const Inflation& inflation, const Movement& movement,
                          const SolveArguments& arguments, MassMatrix mass, ProgressDisplay& display) {
  StaticSolver solver(body.mesh, body.supports(),
                      {.load_steps = arguments.load_steps, .heating = scene.heating, .progress = display.callback()},
                      inflation.chambers);
  const bool others = inflation.acts() || !scene.heating.empty() || !movement.sets.empty();
  const std::vector<double> force = load_at_start(mass_matrix(body.mesh, mass), scene, others);
  const Equilibrium end = solver.solve(force, movement.first_place(body, scene), inflation.at_start());
  const std::int64_t inverted = inverted_elements(body.mesh, end.solution);
  Solution solution;
  solution.snapshots.time = {0};
  solution.snapshots.displacements.rows = std::ssize(end.solution);
  solution.snapshots.displacements.cols = 1;
  solution.snapshots.displacements.values = end.solution;
  solution.report = {{"converged", end.converged},
                     {"stable", end.stable},
                     {"load_factor", end.load_factor},
                     {"residual", end.residual},
                     {"load_steps", end.load_steps},
                     {"iterations", end.iterations},
                     {"regularised", end.regularised},
                     {"inverted_elements", inverted},
                     {"factorization", solver.factorization_name()}};
  solution.report["volumes"] = nlohmann::json::object();
  for (const Chamber& chamber : inflation.chambers)
    solution.report["volumes"][chamber.name] = {{"rest", enclosed_volume(body.mesh, chamber)},
                                                {"inflated", enclosed_volume(body.mesh, chamber, end.solution)}};
  solution.lines = {{"equilibrium", std::string(end.converged ? "found" : "not found") + " after " +
                                        counted(end.iterations, "iteration", "iterations") + " and " +
                                        counted(end.load_steps, "load step", "load steps") + ", " +
                                        (end.stable ? "stable" : "not stable") + ", residual " +
                                        significant(end.residual, 2)}};
  for (const Chamber& chamber : inflation.chambers)
    solution.lines.emplace_back(
        "chamber", chamber.name + ", " + significant(enclosed_volume(body.mesh, chamber)) + " m^3 at rest, " +
                       significant(enclosed_volume(body.mesh, chamber, end.solution)) + " m^3 now");
  if (inverted > 0) solution.warnings.push_back("there are " + std::to_string(inverted) + " " + turned_inside_out);
  if (inflation.acts() && end.regularised > 0)
    solution.warnings.push_back("the body gave way on the way, in " +
                                counted(end.regularised, "iteration", "iterations") +
                                ": beyond a limit point of the pressure it may have snapped to this place; use more "
                                "--load-steps to see where");
  if (!end.stable)
    solution.warnings.emplace_back("the equilibrium isn't stable: a small disturbance makes the body leave it");
  if (!end.converged)
    solution.failure = "only " + significant(100 * end.load_factor, 3) +
                       " % of the load could be reached; the file holds the equilibrium under that share. Use more "
                       "--load-steps or a smaller load";
  return solution;
}

/// Displacements at the start; empty: at rest.
std::vector<double> first_displacements(const Body& body, const Scene& scene, const Inflation& inflation,
                                        const Movement& movement, const SolveArguments& arguments, MassMatrix mass,
                                        ProgressDisplay& display) {
  if (!arguments.start.in_equilibrium()) return movement.first_place(body, scene);
  StaticSolver solver(body.mesh, body.supports(), {.heating = scene.heating, .progress = display.callback()},
                      inflation.chambers);
  const bool others = inflation.acts() || !scene.heating.empty() || !scene.base.empty() || !movement.sets.empty();
  const std::vector<double> force = load_at_start(mass_matrix(body.mesh, mass), resting(scene), others);
  Equilibrium rest = solver.solve(force, movement.first_place(body, scene), inflation.at_start());
  if (!rest.converged || !rest.stable)
    throw InputError("--start equilibrium: " +
                     (rest.converged
                          ? std::string("that under these loads isn't stable")
                          : "only " + significant(100 * rest.load_factor, 3) + " % of the load could be reached") +
                     "; use smaller loads");
  return std::move(rest.solution);
}

Solution move(const Body& body, const Scene& scene, const Inflation& inflation, const Movement& movement,
              const SolveArguments& arguments, MassMatrix mass, ProgressDisplay& display) {
  const std::vector<double> start = first_displacements(body, scene, inflation, movement, arguments, mass, display);
  UnreducedMotion motion =
      move_unreduced(body.mesh, body.supports(), mass, scene, arguments.motion, 1, display.callback(),
                     {.displacements = start,
                      .heating = scene.heating,
                      .chambers = inflation.chambers,
                      .pressures = inflation.programs,
                      .moved = movement.sets,
                      .driven = movement.driven});
  const std::string status(status_text(motion.status));
  Solution solution;
  solution.report = {{"frames", motion.snapshots.count()},
                     {"substeps", arguments.motion.substeps},
                     {"step_seconds", motion.step_seconds},
                     {"status", status},
                     {"energy", {{"first", motion.first_energy}, {"last", motion.last_energy}}},
                     {"inverted_elements", motion.inverted},
                     {"factorization", motion.factorization}};
  solution.lines = {
      {"frames", std::to_string(motion.snapshots.count()) + ", " + counted(arguments.motion.substeps, "step", "steps") +
                     " between two"},
      {"speed", seconds_text(motion.step_seconds) + " per step, factorised by " + motion.factorization},
      {"status", status},
      {"energy", significant(motion.first_energy) + " J at first, " + significant(motion.last_energy) + " J at last"}};
  if (motion.inverted > 0)
    solution.warnings.push_back("from " + significant(motion.inverted_since) + " s on there are up to " +
                                std::to_string(motion.inverted) + " " + turned_inside_out);
  if (motion.status == BodyStatus::diverged)
    solution.failure =
        "the body diverged and stayed at the last finite state; the files are written all the same. Use another --dt "
        "or --substeps, or a smaller load";
  solution.snapshots = std::move(motion.snapshots);
  return solution;
}

io::Plot plot_of(const Solution& solution, const PreparedBody& body, const Scene& scene) {
  const bool loaded = !scene.loads.empty();
  const std::int32_t vertex = loaded ? scene.loads.front().vertex() : most_displaced(solution.snapshots).vertex;
  return displacement_plot(solution.snapshots, vertex,
                           (loaded ? "Unreduced body, loaded " : "Unreduced body, most displaced ") +
                               vertex_text(body.mesh, vertex, body.kept_vertices[static_cast<std::size_t>(vertex)]));
}

OutputWriter write(const Solution& solution, const PreparedBody& body, const Scene& scene,
                   const SolveArguments& arguments) {
  OutputWriter writer;
  if (!arguments.output.empty())
    writer.write(arguments.output, [&] {
      if (arguments.output.ends_with(".pvd")) write_pvd(body.mesh, solution.snapshots, arguments.output);
      if (arguments.output.ends_with(".qsnap")) save_snapshots(solution.snapshots, arguments.output);
    });
  if (!arguments.plot.empty())
    writer.write(arguments.plot, [&] { write_plot(plot_of(solution, body, scene), arguments.plot); });
  return writer;
}

void report(const Solution& solution, const Body& body, const SolveArguments& arguments, const OutputWriter& writer) {
  if (arguments.json) {
    nlohmann::json json = solution.report;
    json["voxels"] = voxels_json(body.voxels);
    json["vertices"] = body.mesh.vertex_count();
    json["peak_memory_bytes"] = peak_memory_bytes();
    json["hints"] = body.hints;
    json["warnings"] = body.warnings;
    for (const std::string& warning : solution.warnings) json["warnings"].push_back(warning);
    json["files"] = writer.written();
    json["failures"] = writer.failures();
    print_json(json);
    return;
  }
  std::cout << arguments.body.mesh << ": unreduced body of " << mesh_text(body.mesh) << '\n';
  for (const auto& [label, text] : solution.lines) print_line(label, text);
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

/// From the file's vertices to the body's, and from sets to theirs.
void place(Scene& scene, PreparedBody& body) {
  if (!scene.base.empty() && body.supports().empty() && body.mesh.springs.empty())
    throw InputError("--base: nothing holds this body, so that no base moves it; give supports, or --gravity");
  for (Load& load : scene.loads)
    for (PointForce& at : load.forces) at.vertex = body.vertex(at.vertex, load.name);
  place_loads(scene, body.mesh, body.warnings);
}

void run(const SolveArguments& arguments) {
  Scene scene = check(arguments);
  static_cast<void>(batch_options(arguments.motion, true));
  PreparedBody body = read_prepared_body(arguments.body);
  require_not_read(written_files(arguments), body.mesh);
  place(scene, body);
  set_heat(scene, arguments.heat, body.mesh);
  for (std::string& warning : warnings_of(scene, body.fixed_vertices, body.kept_vertices))
    body.warnings.push_back(std::move(warning));
  print_warnings(body.warnings);
  print_hints(body.hints);
  ProgressDisplay display;
  const MassMatrix mass = parse_mass(arguments.mass);
  const Inflation inflation = read_inflation(arguments, body.mesh);
  const Movement movement = read_movement(arguments, body);
  const Solution solution = arguments.statics
                                ? find_equilibrium(body, scene, inflation, movement, arguments, mass, display)
                                : move(body, scene, inflation, movement, arguments, mass, display);
  const OutputWriter writer = write(solution, body, scene, arguments);
  display.finish();
  print_warnings(solution.warnings);
  report(solution, body, arguments, writer);
  writer.require_all();
  if (!solution.failure.empty()) throw NumericalError(solution.failure);
}

}  // namespace

void add_solve(CLI::App& app) {
  auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command = app.add_subcommand("solve", "Simulate an unreduced body under loads, or find its equilibrium");
  add_body_options(*command, arguments->body);
  command->add_option("-o,--output", arguments->output,
                      "Displacements of all vertices: .qsnap (snapshots) or .pvd (ParaView)");
  command->add_option("--plot", arguments->plot,
                      "Plot (.svg) of the first loaded vertex's displacement, or the most displaced one's");
  CLI::Option* statics =
      command->add_flag("--static", arguments->statics, "Find the equilibrium under the load as it is at time 0");
  command->add_option("--load-steps", arguments->load_steps, "Steps in which the load grows, with --static")
      ->check(positive_number())
      ->capture_default_str()
      ->needs(statics);
  add_frame_options(*command, arguments->motion);
  for (const char* name : {"--steps", "--dt", "--substeps"}) statics->excludes(command->get_option(name));
  add_load_options(*command, arguments->loads);
  add_changing_load_options(*command, arguments->loads);
  add_start_option(*command, arguments->start);
  add_heat_options(*command, arguments->heat);
  for (const char* name : {"--ramp", "--base", "--start"}) statics->excludes(command->get_option(name));
  add_pressure_option(*command, arguments->pressures);
  add_moved_set_option(*command, arguments->moved_sets);
  add_mass_option(*command, arguments->mass);
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  add_integration_options(*command, arguments->motion);
  add_strain_damping_option(*command, arguments->motion);
  for (const char* name :
       {"--integrator", "--newton", "--rayleigh-mass", "--rayleigh-stiffness", "--damping-ratios", "--strain-damping"})
    statics->excludes(command->get_option(name));
  command->footer(
      "Example:\n  quartic solve beam.veg --fix beam.bou --force 368,0,0,-2 --steps 50 --dt 0.02 -o beam.qsnap");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
