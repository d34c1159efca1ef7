// `quartic sketch`: a reduced model whose basis comes from forces that somebody recorded (2005 paper, section 5.2).
#include "quartic/sketch.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/relax_options.hpp"
#include "cli/options/surface_options.hpp"
#include "cli/reports/model_report.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/relaxation_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/runs/memory.hpp"
#include "cli/runs/snapshot_basis.hpp"
#include "cli/runs/unreduced_motion.hpp"
#include "cli/runs/worker_processes.hpp"
#include "core/base/memory.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

struct SketchArguments {
  BodyOptions body;
  SurfaceOptions surface;
  RelaxArguments relax;
  std::string forces, output, snapshots, mass = "consistent";
  double load_separation = 0.05, separation = 0.02;
  std::optional<int> rank;
  int jobs = 0;
  bool json = false;
};

/// The equilibria of the selected loads.
struct HeldLoads {
  Snapshots snapshots;          // of loads that could be held, in order
  std::int64_t selected = 0;    // loads
  std::int64_t iterations = 0;  // Newton's, of all
  std::int64_t unstable = 0;    // equilibria
  std::int64_t inverted = 0;    // equilibria with elements turned inside out
  double seconds = 0;
  int jobs = 1;
};

std::vector<std::string> written_files(const SketchArguments& arguments) {
  std::vector<std::string> files = {arguments.output};
  if (!arguments.snapshots.empty()) files.push_back(arguments.snapshots);
  return files;
}

void check(const SketchArguments& arguments) {
  require_output(arguments.output, {".qrt"});
  if (!arguments.snapshots.empty()) require_output(arguments.snapshots, {".qsnap"});
  std::vector<std::string> inputs = input_files(arguments.body);
  inputs.push_back(arguments.forces);
  if (!arguments.relax.loads.empty()) inputs.push_back(arguments.relax.loads);
  for (std::string& file : input_files(arguments.surface)) inputs.push_back(std::move(file));
  require_distinct(written_files(arguments), inputs);
}

/// What processes note of each load beside the solution.
enum Note : std::int64_t { converged, stable, iterations, note_count };

/// Processes keep whole meshes and factors, and the results lie in memory several times over.
void require_memory(const Body& body, std::int64_t loads) {
  constexpr double copies = 5;  // shared, collected, selected, and in mass-PCA
  const double need = copies * 8 * static_cast<double>(body.mesh.vertices.size()) * static_cast<double>(loads);
  quartic::require_memory(need,
                          counted(loads, "selected load", "selected loads") + " of " +
                              counted(body.mesh.vertex_count(), "vertex", "vertices"),
                          "use a larger --load-separation");
}

/// Neighbours stay together: each process follows its part of the recording.
void solve(const Body& body, std::span<const RecordedLoad> loads, int jobs, const SharedNumbers& solutions,
           const SharedNumbers& notes, ProgressDisplay& display) {
  const std::int64_t dofs = 3 * body.mesh.vertex_count(), count = std::ssize(loads);
  const auto work = [&](int worker, TaskCounter& done) {
    const std::int64_t first = worker * count / jobs, last = (worker + 1) * count / jobs;
    StaticSolver solver(body.mesh, body.supports());
    const auto note = [&](std::int64_t number, const Equilibrium& end) {
      const std::int64_t load = first + number;
      std::copy(end.solution.begin(), end.solution.end(), solutions.data() + load * dofs);
      double* notes_of_load = notes.data() + load * note_count;
      notes_of_load[converged] = end.converged ? 1 : 0;
      notes_of_load[stable] = end.stable ? 1 : 0;
      notes_of_load[iterations] = end.iterations;
      ++done;
    };
    follow_loads(solver, loads.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
                 body.mesh.vertex_count(), note);
  };
  run_in_processes(jobs, work, [&](std::int64_t done) {
    display.report("static solves", static_cast<double>(done) / static_cast<double>(count));
  });
}

HeldLoads hold(const PreparedBody& body, std::span<const RecordedLoad> loads, int jobs, ProgressDisplay& display) {
  const auto begun = std::chrono::steady_clock::now();
  const std::int64_t dofs = 3 * body.mesh.vertex_count(), count = std::ssize(loads);
  require_memory(body, count);
  const auto wanted = static_cast<std::int64_t>(jobs > 0 ? jobs : default_thread_count());
  HeldLoads result{.snapshots = {}, .selected = count, .jobs = static_cast<int>(std::min(wanted, count))};
  const SharedNumbers solutions(static_cast<std::size_t>(count * dofs));
  const SharedNumbers notes(static_cast<std::size_t>(count * note_count));
  solve(body, loads, result.jobs, solutions, notes, display);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  Matrix& fields = result.snapshots.displacements;
  fields.rows = dofs;
  fields.values.reserve(static_cast<std::size_t>(count * dofs));
  for (std::int64_t load = 0; load < count; ++load) {
    const double* notes_of_load = notes.data() + load * note_count;
    result.iterations += static_cast<std::int64_t>(notes_of_load[iterations]);
    if (notes_of_load[converged] == 0) continue;
    const std::span solution(solutions.data() + load * dofs, static_cast<std::size_t>(dofs));
    if (notes_of_load[stable] == 0) ++result.unstable;
    if (inverted_elements(body.mesh, solution) > 0) ++result.inverted;
    result.snapshots.time.push_back(loads[static_cast<std::size_t>(load)].time);
    fields.values.insert(fields.values.end(), solution.begin(), solution.end());
    ++fields.cols;
  }
  return result;
}

std::vector<std::string> warnings_of(const HeldLoads& held) {
  std::vector<std::string> warnings;
  if (const std::int64_t lost = held.selected - held.snapshots.count(); lost > 0)
    warnings.push_back(counted(lost, "load", "loads") + " could not be held by the body and gave no snapshot");
  if (held.unstable > 0)
    warnings.push_back(counted(held.unstable, "equilibrium isn't", "equilibria aren't") +
                       " stable: a small disturbance makes the body leave");
  if (held.inverted > 0)
    warnings.push_back(counted(held.inverted, "equilibrium has", "equilibria have") + " " + turned_inside_out);
  return warnings;
}

void report(const SketchArguments& arguments, const ReducedModel& model, const Body& body, std::size_t recorded,
            const HeldLoads& held, const SnapshotBasis& basis, const EmbedReport& surface,
            const std::vector<std::string>& warnings, const OutputWriter& writer) {
  if (arguments.json) {
    nlohmann::json json = model_json(model, body, surface, warnings, writer.written());
    json["failures"] = writer.failures();
    json.update(snapshot_basis_json(basis));
    json.update({{"hints", body.hints},
                 {"relaxation", relaxation_json(model)},
                 {"recorded_loads", recorded},
                 {"selected_loads", held.selected},
                 {"held_loads", held.snapshots.count()},
                 {"newton_iterations", held.iterations},
                 {"static_solve_seconds", held.seconds},
                 {"jobs", held.jobs}});
    print_json(json);
    return;
  }
  std::cout << arguments.output << ": reduced model of rank " << model.rank() << " from a sketch\n";
  print_model_body(model, surface);
  print_line("loads", std::to_string(recorded) + " recorded, " + std::to_string(held.selected) + " selected, " +
                          std::to_string(held.snapshots.count()) + " held");
  print_line("static solves", seconds_text(held.seconds) + " in " + counted(held.jobs, "process", "processes") + ", " +
                                  counted(held.iterations, "Newton iteration", "Newton iterations"));
  print_line("snapshots", std::to_string(basis.selected) + " of these selected");
  print_line("captured", captured_text(basis, model.rank()));
  print_relaxation(model);
  print_written(writer.written());
}

/// From the mesh file's numbers to the body's; what pulls at fixed vertices is left out.
void use_body_vertices(std::vector<RecordedLoad>& recorded, const PreparedBody& body, const std::string& file,
                       std::vector<std::string>& warnings) {
  std::int64_t without_effect = 0;
  for (RecordedLoad& load : recorded) {
    for (VertexForce& force : load.forces) force.vertex = body.vertex(force.vertex, file);
    without_effect += static_cast<std::int64_t>(std::erase_if(load.forces, [&](const VertexForce& force) {
      return std::binary_search(body.fixed_vertices.begin(), body.fixed_vertices.end(), force.vertex);
    }));
  }
  if (without_effect > 0)
    warnings.push_back(counted(without_effect, "recorded force acts", "recorded forces act") +
                       " on fixed vertices, where they have no effect");
}

void run(const SketchArguments& arguments) {
  check(arguments);
  const PreparedBody body = read_prepared_body(arguments.body);
  require_not_read(written_files(arguments), body.mesh);
  std::vector<RecordedLoad> recorded = read_recorded_loads(arguments.forces, body.file_vertices);
  std::vector<std::string> warnings = body.warnings;
  use_body_vertices(recorded, body, arguments.forces, warnings);
  std::vector<RecordedLoad> loads;
  for (const std::int64_t i : select_loads(recorded, arguments.load_separation))
    loads.push_back(recorded[static_cast<std::size_t>(i)]);
  if (loads.empty()) throw InputError(arguments.forces + ": there is no load in this recording");
  if (arguments.rank.value_or(1) > std::ssize(loads))
    throw InputError("--rank " + std::to_string(*arguments.rank) + ": the recording has only " +
                     std::to_string(loads.size()) + " loads after --load-separation");
  RelaxOptions relax = parse_relax(arguments.relax, body.file_vertices);
  EmbeddedSurface surface = embed_surface(arguments.surface, body);
  const EmbedReport surface_report = surface.report;
  warnings.insert(warnings.end(), surface_report.warnings.begin(), surface_report.warnings.end());
  print_warnings(warnings);
  print_hints(body.hints);

  ProgressDisplay display;
  const HeldLoads held = hold(body, loads, arguments.jobs, display);
  display.finish();
  const std::vector<std::string> held_warnings = warnings_of(held);
  print_warnings(held_warnings);
  if (held.snapshots.count() == 0) throw NumericalError("the body can hold none of the loads; record smaller forces");
  OutputWriter writer;
  if (!arguments.snapshots.empty())
    writer.write(arguments.snapshots, [&] { save_snapshots(held.snapshots, arguments.snapshots); });
  print_warnings(writer.failures());
  const SnapshotBasisOptions options{.separation = arguments.separation,
                                     .rank = arguments.rank,
                                     .mass_matrix = parse_mass(arguments.mass),
                                     .relax = std::move(relax),
                                     .progress = display.callback()};
  SnapshotBasis basis;
  ReducedModel model = reduce_with_snapshots(body, held.snapshots, options, basis);
  model.created_by = command_line();
  give_surface(std::move(surface), model);
  display.report("write", 0);
  writer.write(arguments.output, [&] { save_model(model, arguments.output); });
  display.finish();
  print_warnings(basis.warnings);
  warnings.insert(warnings.end(), held_warnings.begin(), held_warnings.end());
  warnings.insert(warnings.end(), basis.warnings.begin(), basis.warnings.end());
  report(arguments, model, body, recorded.size(), held, basis, surface_report, warnings, writer);
  writer.require_all();
}

}  // namespace

void add_sketch(CLI::App& app) {
  auto arguments = std::make_shared<SketchArguments>();
  CLI::App* command = app.add_subcommand("sketch", "Make a reduced model from recorded forces");
  add_body_options(*command, arguments->body);
  add_surface_options(*command, arguments->surface);
  command->add_option("--forces", arguments->forces, "Recording: lines time,vertex,fx,fy,fz (0-based, N)")->required();
  command->add_option("-o,--output", arguments->output, "Model file (.qrt)")->required();
  command->add_option("--rank", arguments->rank, "Rank R of the model (30, or as much as the snapshots have)")
      ->check(positive_number());
  command
      ->add_option("--load-separation", arguments->load_separation,
                   "Least distance of consecutive loads, as a share of the largest load")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      ->add_option("--separation", arguments->separation,
                   "Least mass distance of the snapshots, as a share of the largest one")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "Processes that solve at once (as many as there are threads)")
      ->check(positive_number());
  command->add_option("--snapshots", arguments->snapshots, "Also write the equilibria of all loads (.qsnap)");
  add_mass_option(*command, arguments->mass);
  add_relax_options(*command, arguments->relax);
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer("Example:\n  quartic sketch spoon.veg --fix spoon.bou --forces pulls.csv --rank 12 -o spoon.qrt");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
