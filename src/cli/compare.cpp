// `quartic compare`: how far a reduced model is from the unreduced body, and how much faster; over modes and ranks.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/arguments.hpp"
#include "cli/body_options.hpp"
#include "cli/commands.hpp"
#include "cli/comparison.hpp"
#include "cli/numbers.hpp"
#include "cli/outputs.hpp"
#include "cli/progress_display.hpp"
#include "cli/report.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

struct CompareArguments {
  std::vector<std::string> models;
  std::string plot;
  LoadArguments loads;
  MotionOptions motion;
  std::vector<int> modes, ranks;
  std::optional<std::int32_t> vertex;
  bool statics = false, json = false;
};

/// The unreduced body's part.
struct Reference {
  UnreducedMotion motion;    // of --static: one snapshot
  std::vector<double> load;  // of --static
  WatchedVertex watched;
  std::vector<std::string> warnings;
};

Scene check(const CompareArguments& arguments) {
  const Scene scene = parse_scene(arguments.loads);
  if (scene.empty()) throw UsageError("say what moves the body: --gravity x,y,z or --force VERTEX,fx,fy,fz");
  if (arguments.statics && !arguments.plot.empty())
    throw UsageError("--plot shows a motion: it can't be combined with --static");
  if (!arguments.plot.empty()) {
    require_output(arguments.plot, {".svg"});
    require_distinct({arguments.plot}, arguments.models);
  }
  if (arguments.models.size() > 1 && !arguments.modes.empty())
    throw UsageError("--modes makes bases of its own: give one model, for its mesh");
  for (const int number : arguments.modes)
    if (number < 1) throw UsageError("--modes takes numbers from 1 on");
  for (const int number : arguments.ranks)
    if (number < 1) throw UsageError("--ranks takes numbers from 1 on");
  static_cast<void>(batch_options(arguments.motion, true));
  return scene;
}

void require_comparable(const ReducedModel& model, const CompareArguments& arguments) {
  if (model.rigid_modes > 0)
    throw InputError(arguments.models.front() + ": the body can move rigidly (" +
                     counted(model.rigid_modes, "rigid mode", "rigid modes") +
                     "), which its model leaves out: only held bodies can be compared");
  if (arguments.vertex && (*arguments.vertex < 0 || *arguments.vertex >= model.mesh.vertex_count()))
    throw InputError("--vertex: there is no vertex " + std::to_string(*arguments.vertex) +
                     "; the model has vertices 0 to " + std::to_string(model.mesh.vertex_count() - 1));
}

Reference find_reference(const ReducedModel& model, const SparseMatrix& mass, const Scene& scene,
                         const CompareArguments& arguments, const Progress& progress) {
  Reference reference;
  if (arguments.statics) {
    reference.load = load_at_start(mass, scene);
    StaticSolver solver(model.mesh, model.fixed_vertices, {.progress = progress});
    const Equilibrium end = solver.solve(reference.load);
    if (!end.converged)
      throw NumericalError("the unreduced body holds only " + significant(100 * end.load_factor, 3) +
                           " % of the load: compare with a smaller one");
    reference.motion.snapshots = {.time = {0}, .displacements = Matrix(std::ssize(end.displacement), 1)};
    reference.motion.snapshots.displacements.values = end.displacement;
    reference.motion.inverted = inverted_elements(model.mesh, end.displacement);
  } else {
    reference.motion =
        move_unreduced(model.mesh, model.fixed_vertices, model.mass_matrix, scene, arguments.motion, progress);
    if (reference.motion.status == BodyStatus::diverged)
      throw NumericalError("the unreduced body diverged: use another --dt or --substeps, or a smaller load");
  }
  const Snapshots& snapshots = reference.motion.snapshots;
  reference.watched = arguments.vertex      ? watch(snapshots, *arguments.vertex)
                      : scene.loads.empty() ? most_displaced(snapshots)
                                            : watch(snapshots, scene.loads.front().vertex);
  if (reference.motion.inverted > 0)
    reference.warnings.push_back(counted(reference.motion.inverted, "element is", "elements are") +
                                 " turned inside out in the unreduced body: the load is beyond what the material "
                                 "resists");
  return reference;
}

std::vector<std::string> warnings_of(const ReducedModel& model, const CompareArguments& arguments) {
  if (arguments.statics || model.eigenvalues.empty()) return {};
  const double period = 2 * std::numbers::pi / std::sqrt(model.eigenvalues.front());
  if (arguments.motion.step() <= period / 10) return {};
  return {"a step of " + significant(arguments.motion.step()) + " s is long for the first mode's period of " +
          significant(period) + " s: what is compared depends on it; use a smaller --dt or more --substeps"};
}

/// Ranks to cut the candidates to: those asked for, or some below their own.
std::vector<int> ranks_of(const Candidate& candidate, const std::vector<int>& wanted, bool truncate) {
  if (wanted.empty() && !truncate) return {candidate.rank()};
  std::vector<int> ranks = wanted.empty() ? std::vector<int>{5, 10, 20, candidate.rank()} : wanted;
  std::erase_if(ranks, [&](int rank) { return rank > candidate.rank(); });
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.empty())
    throw InputError("--ranks: " + candidate.name + " gives a rank of " + std::to_string(candidate.rank()) +
                     " only; ask for less, or for more modes");
  return ranks;
}

Candidate candidate_of(const ReducedModel& model, const std::string& path) {
  return {.name = std::filesystem::path(path).stem().string(),
          .modes = {},
          .basis = model.basis,
          .unit_acceleration = model.unit_acceleration,
          .energy = model.energy};
}

bool same_body(const ReducedModel& a, const ReducedModel& b) {
  if (a.mesh.vertices != b.mesh.vertices || a.fixed_vertices != b.fixed_vertices || a.mass_matrix != b.mass_matrix ||
      a.mesh.element_region != b.mesh.element_region)
    return false;
  const auto equal_blocks = [](const ElementBlock& x, const ElementBlock& y) {
    return x.type == y.type && x.vertices == y.vertices;
  };
  const auto equal_materials = [](const Region& x, const Region& y) {
    return x.material->youngs_modulus == y.material->youngs_modulus &&
           x.material->poissons_ratio == y.material->poissons_ratio && x.material->density == y.material->density;
  };
  return std::ranges::equal(a.mesh.blocks, b.mesh.blocks, equal_blocks) &&
         std::ranges::equal(a.mesh.regions, b.mesh.regions, equal_materials);
}

std::vector<Candidate> find_candidates(const ReducedModel& model, const CompareArguments& arguments,
                                       const Progress& progress) {
  if (arguments.modes.empty()) {
    std::vector<Candidate> candidates = {candidate_of(model, arguments.models.front())};
    for (std::size_t i = 1; i < arguments.models.size(); ++i) {
      const ReducedModel other = load_reduced_model(arguments.models[i]);
      if (!same_body(model, other))
        throw InputError(arguments.models[i] + ": isn't of the same body as " + arguments.models.front() +
                         " (mesh, materials, fixed vertices and kind of mass matrix)");
      candidates.push_back(candidate_of(other, arguments.models[i]));
    }
    return candidates;
  }
  const int rank =
      arguments.ranks.empty() ? model.rank() : *std::max_element(arguments.ranks.begin(), arguments.ranks.end());
  return candidates_of_modes(model, arguments.modes, rank, progress);
}

std::string percent(std::optional<double> share) {
  return share ? significant(100 * *share, 3) + " %" : "-";
}

void print_row(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string cell = cells[i];
    const std::size_t width = i == 0 ? 18 : 11;
    if (cell.size() < width) cell.insert(i == 0 ? cell.size() : 0, width - cell.size(), ' ');
    std::cout << (i == 0 ? "  " : " ") << cell;
  }
  std::cout << '\n';
}

void print_table(const std::vector<ComparisonRow>& rows, bool statics) {
  if (statics)
    print_row({"basis", "rank", "error", "of basis", "at vertex"});
  else
    print_row({"basis", "rank", "error", "of basis", "at vertex", "amplitude", "frequency", "per step", "speed-up"});
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells = {row.name, std::to_string(row.rank), percent(row.field_error),
                                      percent(row.basis_error), percent(row.vertex_error)};
    if (!statics)
      for (const std::string& cell : {percent(row.amplitude_error), percent(row.frequency_error),
                                      seconds_text(row.step_seconds), significant(row.speedup, 3)})
        cells.push_back(cell);
    print_row(cells);
  }
}

nlohmann::json optional_json(std::optional<double> value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json row_json(const ComparisonRow& row, bool statics) {
  nlohmann::json json = {{"basis", row.name},
                         {"rank", row.rank},
                         {"error", row.field_error},
                         {"basis_error", row.basis_error},
                         {"vertex_error", row.vertex_error}};
  if (row.modes) json["modes"] = *row.modes;
  if (statics) return json;
  json["amplitude_error"] = optional_json(row.amplitude_error);
  json["frequency_error"] = optional_json(row.frequency_error);
  json["step_seconds"] = row.step_seconds;
  json["speedup"] = row.speedup;
  json["diverged"] = row.status == BodyStatus::diverged;
  return json;
}

// At most four curves beside the unreduced one: those of the largest ranks, or evenly chosen.
io::Plot make_plot(const ReducedModel& model, const Reference& reference, const std::vector<ComparisonRow>& rows) {
  const Snapshots& snapshots = reference.motion.snapshots;
  io::Plot plot{.title = vertex_title("Displacement of", model.mesh, reference.watched.vertex),
                .x_label = "time [s]",
                .y_label = "displacement [m]",
                .x = snapshots.time,
                .lines = {{"unreduced", watched_signal(snapshots.displacements, reference.watched)}}};
  constexpr std::size_t most = 4;
  const std::size_t count = std::min(most, rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ComparisonRow& row = rows[count == 1 ? 0 : i * (rows.size() - 1) / (count - 1)];
    plot.lines.push_back({row.name + ", r = " + std::to_string(row.rank), row.watched});
  }
  return plot;
}

void report(const CompareArguments& arguments, const ReducedModel& model, const Reference& reference,
            const std::vector<ComparisonRow>& rows) {
  const std::int64_t steps = arguments.motion.frames * arguments.motion.substeps;
  const double unreduced_step = reference.motion.step_seconds / static_cast<double>(steps);
  if (arguments.json) {
    nlohmann::json json = {{"vertices", model.mesh.vertex_count()}, {"watched_vertex", reference.watched.vertex},
                           {"rows", nlohmann::json::array()},       {"inverted_elements", reference.motion.inverted},
                           {"warnings", reference.warnings},        {"peak_memory_bytes", peak_memory_bytes()}};
    if (!arguments.statics) json["unreduced_step_seconds"] = unreduced_step;
    for (const ComparisonRow& row : rows) json["rows"].push_back(row_json(row, arguments.statics));
    print_json(json);
    return;
  }
  std::cout << arguments.models.front() << ": reduced and unreduced " << (arguments.statics ? "equilibrium" : "motion")
            << '\n';
  print_line("mesh", mesh_text(model.mesh));
  if (!arguments.statics)
    print_line("unreduced", seconds_text(unreduced_step) + " per step, factorised by " +
                                reference.motion.factorization + "; " + counted(steps, "step", "steps"));
  print_line("watched", vertex_title("", model.mesh, reference.watched.vertex).substr(1));
  print_table(rows, arguments.statics);
  if (!arguments.plot.empty()) print_line("written", arguments.plot + ", " + bytes_text(file_bytes(arguments.plot)));
}

void run(const CompareArguments& arguments) {
  const Scene scene = check(arguments);
  const ReducedModel model = load_reduced_model(arguments.models.front());
  require_comparable(model, arguments);
  require_vertices(scene, model.mesh.vertex_count());
  ProgressDisplay display;
  const SparseMatrix mass = mass_matrix(model.mesh, model.mass_matrix);
  const std::vector<Candidate> candidates = find_candidates(model, arguments, display.callback());
  Reference reference = find_reference(model, mass, scene, arguments, display.callback());
  for (const std::string& warning : warnings_of(model, arguments)) reference.warnings.push_back(warning);

  std::vector<ComparisonRow> rows;
  for (const Candidate& candidate : candidates) {
    display.report("reduced", 0);
    for (const int rank : ranks_of(candidate, arguments.ranks, arguments.modes.empty() && candidates.size() == 1)) {
      const Candidate part = truncated(candidate, rank);
      rows.push_back(arguments.statics
                         ? compare_equilibrium(part, reference.motion.snapshots.displacements.values, mass,
                                               reference.load, reference.watched)
                         : compare_motion(part, reference.motion, mass, scene, arguments.motion, reference.watched));
      if (rows.back().status == BodyStatus::diverged)
        reference.warnings.push_back("the reduced body of rank " + std::to_string(rank) + " (" + part.name +
                                     ") diverged");
    }
  }
  display.finish();
  print_warnings(reference.warnings);
  if (!arguments.plot.empty()) write_plot(make_plot(model, reference, rows), arguments.plot);
  report(arguments, model, reference, rows);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare", "Compare a model with the unreduced body, also for other ranks");
  command
      ->add_option("MODEL", arguments->models,
                   "Reduced model (.qrt) of a held body; several of the same body are compared with each other")
      ->required();
  command->add_option("--ranks", arguments->ranks, "Ranks to cut the basis to, with commas between (5, 10, 20, own)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--modes", arguments->modes,
                   "Bases made anew of so many modes and their derivatives, with commas between; not the model's own")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--static", arguments->statics, "Compare equilibria under the load as it is at time 0");
  command->add_option("--vertex", arguments->vertex,
                      "Vertex to watch (0-based); else the first loaded one, or the most displaced one");
  command->add_option("--plot", arguments->plot,
                      "Plot (.svg) of the watched vertex's displacement, all bases together");
  add_frame_options(*command, arguments->motion);
  add_load_options(*command, arguments->loads);
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  add_integration_options(*command, arguments->motion);
  command->footer(
      "Example:\n  quartic compare spoon.qrt --force 0,0,0,-1,0,0.05 --dt 0.002 --modes 6,12,20 --ranks 10,20,30 "
      "--plot spoon.svg");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
