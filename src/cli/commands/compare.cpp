// `quartic compare`: how far a reduced model is from the unreduced body, and how much faster; over modes and ranks.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/heat_options.hpp"
#include "cli/reports/comparison_report.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/plots.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/report.hpp"
#include "cli/runs/comparison.hpp"
#include "cli/runs/comparison_reference.hpp"
#include "cli/runs/memory.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

struct CompareArguments {
  std::vector<std::string> models;
  std::string plot;
  LoadArguments loads;
  HeatArguments heat;
  ReferenceOptions reference;
  std::vector<int> modes, ranks;
  std::vector<std::string> relax;
  std::vector<double> shares;  // that `relax` has
  bool statics = false, json = false;
};

std::vector<double> parse_shares(const std::vector<std::string>& lists) {
  std::vector<double> shares;
  for (const std::string& list : lists) {
    std::vector<double> some = {-1};
    try {
      some = parse_numbers("--relax", list);
    } catch (const UsageError&) {
    }
    if (!std::ranges::all_of(some, [](double share) { return share >= 0 && share <= 1; }))
      throw UsageError("--relax takes shares from 0 to 1 with commas between, not '" + list +
                       "'; without it, the model's own share is compared");
    shares.insert(shares.end(), some.begin(), some.end());
  }
  return shares;
}

Scene check(const CompareArguments& arguments) {
  Scene scene = parse_scene(arguments.loads);
  if (scene.empty() && !arguments.heat.given())
    throw UsageError("say what moves the body: --gravity x,y,z or --force VERTEX,fx,fy,fz");
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
  static_cast<void>(batch_options(arguments.reference.motion, true));
  return scene;
}

void require_comparable(const ReducedModel& model, const CompareArguments& arguments) {
  if (model.rigid_modes > 0)
    throw InputError(arguments.models.front() + ": the body can move rigidly (" +
                     counted(model.rigid_modes, "rigid mode", "rigid modes") + "): only held bodies can be compared");
  if (arguments.reference.vertex &&
      (*arguments.reference.vertex < 0 || *arguments.reference.vertex >= model.mesh.vertex_count()))
    throw InputError("--vertex: there is no vertex " + std::to_string(*arguments.reference.vertex) +
                     "; the model has vertices 0 to " + std::to_string(model.mesh.vertex_count() - 1));
}

std::vector<std::string> warnings_of(const ReducedModel& model, const CompareArguments& arguments) {
  if (arguments.statics || model.eigenvalues.empty()) return {};
  const double period = 2 * std::numbers::pi / std::sqrt(model.eigenvalues.front());
  if (arguments.reference.motion.step() <= period / 10) return {};
  return {"a step of " + significant(arguments.reference.motion.step()) + " s is long for the first mode's period of " +
          significant(period) + " s: what is compared depends on it; use a smaller --dt or more --substeps"};
}

/// The candidates cut to the ranks that were asked for, or to some below their own, with the shares asked for.
std::vector<Candidate> cut(const std::vector<Candidate>& candidates, const CompareArguments& arguments,
                           BodyRelaxer relaxer, std::vector<std::string>& warnings) {
  std::vector<Candidate> parts;
  for (const Candidate& candidate : candidates) {
    std::vector<int> ranks = arguments.ranks;
    const bool can_be_cut = !candidate.cubature && candidates.size() == 1 && arguments.modes.empty();
    if (ranks.empty() && can_be_cut) ranks = {5, 10, 20};
    if (arguments.ranks.empty()) ranks.push_back(candidate.rank());
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    for (const int rank : ranks) {
      if (rank <= candidate.rank()) {
        for (Candidate& part : with_shares(truncated(candidate, rank, relaxer), arguments.shares))
          parts.push_back(std::move(part));
      } else if (!arguments.ranks.empty()) {
        warnings.push_back(candidate.name + " has a rank of " + std::to_string(candidate.rank()) + ": left out at " +
                           std::to_string(rank));
      }
    }
  }
  if (parts.empty()) throw InputError("--ranks: no basis has as high a rank; ask for less, or for more modes");
  return parts;
}

std::string inverted_text(const ComparisonRow& row, bool statics) {
  const RangeFindings& range = row.range;
  if (range.inverted_elements == 0 && !range.inverted_since) return "";
  std::string elements = range.inverted_elements > 0 ? std::to_string(range.inverted_elements) + " " : "";
  elements += turned_inside_out;
  if (statics) return " has " + elements;
  std::string text = ": from " + significant(range.inverted_since.value_or(0)) + " s on ";
  text += (range.inverted_elements > 0 ? "up to " : "there are ") + elements;
  if (range.counts < range.wanted_counts)
    text += " (counted in " + std::to_string(range.counts) + " of " + std::to_string(range.wanted_counts) +
            " frames out of range)";
  return text;
}

std::optional<double> valid_error(const ComparisonRow& row) {
  return row.valid ? std::optional(row.field_error) : std::nullopt;
}

Candidate candidate_of(const ReducedModel& model, const std::string& path) {
  return {.name = std::filesystem::path(path).stem().string(),
          .modes = {},
          .basis = model.basis,
          .unit_acceleration = model.unit_acceleration,
          .energy = model.energy,
          .relaxation = model.relaxation,
          .cubature = model.cubature};
}

template <class Equation>
bool same_equations(const std::vector<Equation>& a, const std::vector<Equation>& b) {
  const auto equal_terms = [](const DisplacementTerm& x, const DisplacementTerm& y) {
    return x.vertex == y.vertex && x.factors == y.factors;
  };
  return std::ranges::equal(
      a, b, [&](const Equation& x, const Equation& y) { return std::ranges::equal(x.terms, y.terms, equal_terms); });
}

// What holds them, joins them and hangs on them.
bool same_attachments(const ReducedModel& a, const ReducedModel& b) {
  const auto equal_masses = [](const PointMass& x, const PointMass& y) {
    return x.vertex == y.vertex && x.mass == y.mass;
  };
  const auto equal_stiffness = [](const Spring& x, const Spring& y) { return x.stiffness == y.stiffness; };
  return a.fixed_vertices == b.fixed_vertices && same_equations(a.constraints, b.constraints) &&
         same_equations(a.mesh.joints, b.mesh.joints) && same_equations(a.mesh.springs, b.mesh.springs) &&
         std::ranges::equal(a.mesh.springs, b.mesh.springs, equal_stiffness) &&
         std::ranges::equal(a.mesh.masses, b.mesh.masses, equal_masses);
}

bool same_body(const ReducedModel& a, const ReducedModel& b) {
  if (a.mesh.vertices != b.mesh.vertices || !same_attachments(a, b) || a.mass_matrix != b.mass_matrix ||
      a.mesh.element_region != b.mesh.element_region)
    return false;
  const auto equal_blocks = [](const ElementBlock& x, const ElementBlock& y) {
    return x.type == y.type && x.vertices == y.vertices && x.hexahedron_rule == y.hexahedron_rule;
  };
  const auto equal_materials = [](const Region& x, const Region& y) { return *x.material == *y.material; };
  return std::ranges::equal(a.mesh.blocks, b.mesh.blocks, equal_blocks) &&
         std::ranges::equal(a.mesh.regions, b.mesh.regions, equal_materials);
}

std::vector<Candidate> find_candidates(const ReducedModel& model, const CompareArguments& arguments,
                                       const Progress& progress) {
  if (arguments.modes.empty()) {
    std::vector<Candidate> candidates = {candidate_of(model, arguments.models.front())};
    for (std::size_t i = 1; i < arguments.models.size(); ++i) {
      const ReducedModel other = load_reduced_model(arguments.models[i]);
      print_warnings(other.notices);
      if (!same_body(model, other))
        throw InputError(arguments.models[i] + ": isn't of the same body as " + arguments.models.front() +
                         " (mesh, materials, fixed vertices, kind of mass matrix and rule of hex8)");
      candidates.push_back(candidate_of(other, arguments.models[i]));
    }
    return candidates;
  }
  const int rank =
      arguments.ranks.empty() ? model.rank() : *std::max_element(arguments.ranks.begin(), arguments.ranks.end());
  return candidates_of_modes(model, arguments.modes, rank, !arguments.shares.empty(), progress);
}

void report(const CompareArguments& arguments, const ReducedModel& model, const Reference& reference,
            const std::vector<ComparisonRow>& rows, const std::vector<std::string>& warnings,
            const OutputWriter& writer) {
  const Yardstick& unreduced = reference.yardstick;
  if (arguments.json) {
    nlohmann::json json = {{"vertices", model.mesh.vertex_count()},
                           {"watched_vertex", unreduced.watched.vertex},
                           {"rows", rows_json(rows, arguments.statics)},
                           {"factorization", reference.factorization},
                           {"warnings", warnings},
                           {"files", writer.written()},
                           {"failures", writer.failures()},
                           {"peak_memory_bytes", peak_memory_bytes()}};
    if (!arguments.statics) json["unreduced_step_seconds"] = unreduced.step_seconds;
    print_json(json);
    return;
  }
  std::cout << arguments.models.front() << ": reduced and unreduced " << (arguments.statics ? "equilibrium" : "motion")
            << '\n';
  print_line("mesh", mesh_text(model.mesh));
  if (!arguments.statics)
    print_line("unreduced", seconds_text(unreduced.step_seconds) + " per step on " +
                                counted(default_thread_count(), "thread", "threads") + ", factorised by " +
                                reference.factorization + "; reduced on 1 thread");
  print_line("watched", vertex_text(model.mesh, unreduced.watched.vertex));
  print_table(rows, arguments.statics);
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

void run(const CompareArguments& arguments) {
  Scene scene = check(arguments);
  const ReducedModel model = load_reduced_model(arguments.models.front());
  print_warnings(model.notices);
  require_comparable(model, arguments);
  std::vector<std::string> warnings;
  place_loads(scene, model.mesh, warnings);
  set_heat(scene, arguments.heat, model.mesh);
  require_vertices(scene, model.mesh.vertex_count());
  for (std::string& warning : warnings_of(scene, model.fixed_vertices)) warnings.push_back(std::move(warning));
  for (std::string& warning : warnings_of(model, arguments)) warnings.push_back(std::move(warning));
  ProgressDisplay display;
  std::vector<Candidate> candidates = cut(find_candidates(model, arguments, display.callback()), arguments,
                                          BodyRelaxer(model, display.callback()), warnings);
  for (Candidate& candidate : candidates) {
    if (candidate.cubature && !scene.heating.empty())
      throw InputError("temperatures don't go with a cubature: strains of heat are those of the law stvk alone");
    candidate.energy =
        heated(candidate.energy, model.mesh, candidate.basis.map(), candidate.relaxation.has_value(), scene.heating);
  }
  const SparseMatrix mass = mass_matrix(model.mesh, model.mass_matrix);
  const Reference reference = arguments.statics
                                  ? find_equilibrium(model, mass, scene, arguments.reference, display.callback())
                                  : find_motion(model, mass, scene, arguments.reference, display.callback());
  if (reference.yardstick.size == 0)
    throw InputError(
        "nothing moves under this load, so that there is nothing to compare: does it act on fixed vertices, "
        "or at other times?");
  warnings.insert(warnings.end(), reference.warnings.begin(), reference.warnings.end());
  std::vector<ComparisonRow> rows;
  display.report("reduced", 0);
  const auto compare = [&](const Candidate& candidate) {
    return arguments.statics
               ? compare_equilibrium(model.mesh, candidate, reference.yardstick, reference.load)
               : compare_motion(model.mesh, candidate, reference.yardstick, scene, arguments.reference.motion);
  };
  std::map<std::pair<std::string, int>, std::optional<double>> unrelaxed_errors;  // by basis and rank
  for (const Candidate& candidate : candidates) {
    rows.push_back(compare(candidate));
    if (candidate.relaxation) {
      const auto [entry, is_new] = unrelaxed_errors.try_emplace({candidate.name, candidate.rank()});
      if (is_new) entry->second = valid_error(compare(unrelaxed(candidate)));
      rows.back().unrelaxed_error = entry->second;
    }
    const std::string name = candidate.name + " at rank " + std::to_string(candidate.rank());
    if (!rows.back().valid) warnings.push_back(name + (arguments.statics ? " finds no equilibrium" : " diverged"));
    if (!rows.back().stable && rows.back().valid) warnings.push_back(name + ": the equilibrium isn't stable");
    if (rows.back().status == BodyStatus::regularised) warnings.push_back(name + ": its system matrix was shifted");
    if (const std::string inverted = inverted_text(rows.back(), arguments.statics); !inverted.empty())
      warnings.push_back(name + inverted);
  }
  display.finish();
  print_warnings(warnings);
  OutputWriter writer;
  if (!arguments.plot.empty())
    writer.write(arguments.plot,
                 [&] { write_plot(comparison_plot(model.mesh, reference.yardstick, rows), arguments.plot); });
  report(arguments, model, reference, rows, warnings, writer);
  writer.require_all();
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
      ->add_option(
          "--modes", arguments->modes,
          "Compare new bases of these numbers of modes, with derivatives, comma-separated, instead of the model's own")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--relax", arguments->relax,
                   "Compare with these shares of the strains relaxed, comma-separated (the model's own)")
      ->allow_extra_args(false);
  CLI::Option* statics =
      command->add_flag("--static", arguments->statics, "Compare equilibria under the load as it is at time 0");
  command->add_option("--vertex", arguments->reference.vertex,
                      "Vertex to watch (0-based); else the first loaded one, or the most displaced one");
  command->add_option("--plot", arguments->plot,
                      "Plot (.svg) of the watched vertex's displacement, all bases together");
  add_frame_options(*command, arguments->reference.motion);
  add_load_options(*command, arguments->loads);
  add_changing_load_options(*command, arguments->loads);
  add_heat_options(*command, arguments->heat);
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  add_integration_options(*command, arguments->reference.motion);
  add_strain_damping_option(*command, arguments->reference.motion);
  for (const char* name : {"--ramp", "--base", "--steps", "--dt", "--substeps", "--integrator", "--newton",
                           "--rayleigh-mass", "--rayleigh-stiffness", "--damping-ratios", "--strain-damping"})
    statics->excludes(command->get_option(name));
  command->footer(
      "Example:\n  quartic compare spoon.qrt --force 0,0,0,-1,0,0.05 --dt 0.002 --modes 6,12,20 --ranks 10,20,30 "
      "--plot spoon.svg");
  command->callback([arguments] {
    arguments->shares = parse_shares(arguments->relax);
    run(*arguments);
  });
}

}  // namespace quartic::cli
