// `quartic sketch`: a reduced model whose basis comes from forces that somebody recorded (2005 paper, section 5.2).
#include "quartic/sketch.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "cli/arguments.hpp"
#include "cli/body_options.hpp"
#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include "cli/option_checks.hpp"
#include "cli/outputs.hpp"
#include "cli/progress_display.hpp"
#include "cli/report.hpp"
#include "cli/snapshot_basis.hpp"
#include "cli/worker_processes.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

struct SketchArguments {
  BodyOptions body;
  std::string forces, output, snapshots, mass = "consistent";
  double load_separation = 0.05, shape_separation = 0.02;
  std::optional<int> rank;
  int jobs = 0;
  bool json = false;
};

/// The equilibria of the selected loads.
struct Shapes {
  Snapshots reached;            // those of loads that could be held, in order
  std::int64_t loads = 0;       // selected
  std::int64_t iterations = 0;  // Newton's, of all
  std::int64_t inverted = 0;    // shapes with elements turned inside out
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
  require_distinct(written_files(arguments), inputs);
}

/// Neighbours stay together: each process follows its part of the recording.
Shapes hold(const Body& body, std::span<const RecordedLoad> loads, int jobs, ProgressDisplay& display) {
  const auto begun = std::chrono::steady_clock::now();
  const std::int64_t dofs = 3 * body.mesh.vertex_count(), count = std::ssize(loads);
  jobs = static_cast<int>(
      std::clamp<std::int64_t>(jobs > 0 ? jobs : default_thread_count(), 1, std::max<std::int64_t>(count, 1)));
  const SharedNumbers shapes(static_cast<std::size_t>(count * dofs));
  const SharedNumbers notes(static_cast<std::size_t>(2 * count));  // converged, iterations
  run_in_processes(
      jobs,
      [&](int worker, TaskCounter& done) {
        const std::int64_t first = worker * count / jobs, last = (worker + 1) * count / jobs;
        StaticSolver solver(body.mesh, body.fixed_vertices);
        follow_loads(solver, loads.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
                     body.mesh.vertex_count(), [&](std::int64_t number, const Equilibrium& end) {
                       const std::int64_t load = first + number;
                       std::copy(end.displacement.begin(), end.displacement.end(), shapes.data() + load * dofs);
                       notes.data()[2 * load] = end.converged ? 1 : 0;
                       notes.data()[2 * load + 1] = end.iterations;
                       ++done;
                     });
      },
      [&](std::int64_t done) {
        display.report("static solves", static_cast<double>(done) / static_cast<double>(count));
      });
  Shapes result{.reached = {}, .loads = count, .jobs = jobs};
  for (std::int64_t load = 0; load < count; ++load) {
    result.iterations += static_cast<std::int64_t>(notes.data()[2 * load + 1]);
    if (notes.data()[2 * load] == 0) continue;
    const std::span shape(shapes.data() + load * dofs, static_cast<std::size_t>(dofs));
    result.inverted += inverted_elements(body.mesh, shape) > 0 ? 1 : 0;
    result.reached.time.push_back(loads[static_cast<std::size_t>(load)].time);
    Matrix& fields = result.reached.displacements;
    fields.values.insert(fields.values.end(), shape.begin(), shape.end());
    ++fields.cols;
  }
  result.reached.displacements.rows = dofs;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return result;
}

std::vector<std::string> warnings_of(const Shapes& shapes) {
  std::vector<std::string> warnings;
  if (const std::int64_t lost = shapes.loads - shapes.reached.count(); lost > 0)
    warnings.push_back(counted(lost, "load", "loads") + " could not be held by the body and left no shape");
  if (shapes.inverted > 0)
    warnings.push_back(counted(shapes.inverted, "shape has", "shapes have") +
                       " elements that are turned inside out: these loads are beyond what the material resists");
  return warnings;
}

void report(const SketchArguments& arguments, const ReducedModel& model, std::size_t recorded, const Shapes& shapes,
            const SnapshotBasis& basis, const std::vector<std::string>& warnings) {
  if (arguments.json) {
    print_json({{"rank", model.rank()},
                {"recorded_loads", recorded},
                {"selected_loads", shapes.loads},
                {"held_loads", shapes.reached.count()},
                {"selected_shapes", basis.selected},
                {"newton_iterations", shapes.iterations},
                {"static_solve_seconds", shapes.seconds},
                {"jobs", shapes.jobs},
                {"singular_values", basis.singular_values},
                {"captured_energy", captured_energy(basis.singular_values)},
                {"vertices", model.mesh.vertex_count()},
                {"elements", element_counts(model.mesh)},
                {"peak_memory_bytes", peak_memory_bytes()},
                {"warnings", warnings},
                {"files", written_files(arguments)}});
    return;
  }
  std::cout << arguments.output << ": reduced model of rank " << model.rank() << " from a sketch\n";
  print_line("mesh", mesh_text(model.mesh) + ", " + std::to_string(model.fixed_vertices.size()) + " vertices fixed");
  print_line("loads", std::to_string(recorded) + " recorded, " + std::to_string(shapes.loads) + " selected, " +
                          std::to_string(shapes.reached.count()) + " held");
  print_line("static solves", seconds_text(shapes.seconds) + " in " + counted(shapes.jobs, "process", "processes") +
                                  ", " + counted(shapes.iterations, "Newton iteration", "Newton iterations"));
  print_line("shapes", std::to_string(basis.selected) + " selected");
  print_line("captured", captured_text(basis, model.rank()));
  for (const std::string& file : written_files(arguments))
    print_line("written", file + ", " + bytes_text(file_bytes(file)));
}

void run(const SketchArguments& arguments) {
  check(arguments);
  Body body = read_prepared_body(arguments.body);
  const std::vector<RecordedLoad> recorded = read_recorded_loads(arguments.forces, body.mesh.vertex_count());
  std::vector<RecordedLoad> loads;
  for (const std::int64_t i : select_loads(recorded, arguments.load_separation))
    loads.push_back(recorded[static_cast<std::size_t>(i)]);
  if (loads.empty()) throw InputError(arguments.forces + ": there is no load in this recording");
  print_warnings(body.warnings);

  ProgressDisplay display;
  const Shapes shapes = hold(body, loads, arguments.jobs, display);
  display.finish();
  std::vector<std::string> warnings = warnings_of(shapes);
  print_warnings(warnings);
  if (shapes.reached.count() == 0) throw NumericalError("the body can hold none of the loads; record smaller forces");
  if (!arguments.snapshots.empty()) save_snapshots(shapes.reached, arguments.snapshots);
  const SnapshotBasisOptions options{.separation = arguments.shape_separation,
                                     .rank = arguments.rank,
                                     .mass_matrix = parse_mass(arguments.mass),
                                     .progress = display.callback()};
  SnapshotBasis basis;
  ReducedModel model = reduce_with_snapshots(body, shapes.reached, options, basis);
  model.created_by = command_line();
  display.report("write", 0);
  save_model(model, arguments.output);
  display.finish();
  print_warnings(basis.warnings);
  warnings.insert(warnings.begin(), body.warnings.begin(), body.warnings.end());
  warnings.insert(warnings.end(), basis.warnings.begin(), basis.warnings.end());
  report(arguments, model, recorded.size(), shapes, basis, warnings);
}

}  // namespace

void add_sketch(CLI::App& app) {
  auto arguments = std::make_shared<SketchArguments>();
  CLI::App* command = app.add_subcommand("sketch", "Make a reduced model from recorded forces");
  add_body_options(*command, arguments->body);
  command->add_option("--forces", arguments->forces, "Recording: lines time,vertex,fx,fy,fz (0-based, N)")->required();
  command->add_option("-o,--output", arguments->output, "Model file (.qrt)")->required();
  command->add_option("--rank", arguments->rank, "Rank R of the model (30, or as much as the shapes have)")
      ->check(positive_number());
  command
      ->add_option("--load-separation", arguments->load_separation,
                   "Least distance of consecutive loads, as a share of the largest load")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      ->add_option("--shape-separation", arguments->shape_separation,
                   "Least mass distance of all shapes, as a share of the largest one")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "Processes that solve at once (as many as there are threads)")
      ->check(positive_number());
  command->add_option("--snapshots", arguments->snapshots, "Leave the shapes of all loads here, too (.qsnap)");
  command->add_option("--mass", arguments->mass, "Mass matrix: consistent or lumped")
      ->check(CLI::IsMember({"consistent", "lumped"}))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer("Example:\n  quartic sketch spoon.veg --fix spoon.bou --forces pulls.csv --rank 12 -o spoon.qrt");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
