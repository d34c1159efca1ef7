#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/pressure_options.hpp"
#include "cli/options/reduce_options.hpp"
#include "cli/reports/chamber_report.hpp"
#include "cli/reports/cubature_report.hpp"
#include "cli/reports/model_report.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/participation_report.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/relaxation_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/runs/chamber_findings.hpp"
#include "cli/runs/memory.hpp"
#include "cli/runs/snapshot_basis.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "core/base/memory.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

void check(const ReduceArguments& arguments) {
  require_output(arguments.output, {".qrt"});
  std::vector<std::string> inputs = input_files(arguments.body);
  if (!arguments.snapshots.empty()) inputs.push_back(arguments.snapshots);
  if (!arguments.relax.loads.empty()) inputs.push_back(arguments.relax.loads);
  for (std::string& file : input_files(arguments.surface)) inputs.push_back(std::move(file));
  require_distinct({arguments.output}, inputs);
  const int modes = arguments.modes.value_or(default_modes);
  if (arguments.no_derivatives && arguments.rank.value_or(1) > modes)
    throw InputError("--no-derivatives leaves only the " + std::to_string(modes) + " linear modes: --rank " +
                     std::to_string(*arguments.rank) + " is too large; raise --modes");
}

// Before the work, of which a name that means nothing, or a cubature, would be the end.
void require_chambers(const ReduceArguments& arguments, const VolumeMesh& mesh) {
  const bool other_law = std::ranges::any_of(
      mesh.regions, [](const Region& region) { return region.material && region.material->law != MaterialLaw::stvk; });
  if (!arguments.chambers.empty() && !arguments.modes_only && (arguments.takes_cubature || other_law))
    throw InputError(
        "chambers don't go with a cubature yet; leave --chamber out, or give all regions the law stvk and no option of "
        "the cubature");
  for (const std::string& name : arguments.chambers) static_cast<void>(named_chamber(mesh, name));
}

std::vector<ChamberFinding> add_chambers(const ReduceArguments& arguments, ReducedModel& model) {
  for (const std::string& name : arguments.chambers) add_chamber(model, named_chamber(model.mesh, name));
  return look_at_chambers(model);
}

nlohmann::json json_report(const ReducedModel& model, const Body& body, const ReduceReport& report,
                           const EmbedReport& surface, const std::vector<ChamberFinding>& chambers,
                           const ReduceArguments& arguments) {
  nlohmann::json stages = nlohmann::json::object();
  for (const auto& [name, seconds] : report.stages) stages[name] = stages.value(name, 0.0) + seconds;
  nlohmann::json json = model_json(model, body, surface, report.warnings, {arguments.output});
  json.update({{"eigenvalues", model.eigenvalues},
               {"frequencies", frequencies(model.eigenvalues)},
               {"residuals", report.residuals},
               {"modes", model.eigenvalues.size()},
               {"factorization", report.factorization},
               {"cubature", cubature_json(model)},
               {"relaxation", relaxation_json(model)},
               {"chambers", chambers_json(chambers)},
               {"hints", body.hints},
               {"stages", stages}});
  if (arguments.modes_only) json.update(participation_json(participation_of(model)));
  return json;
}

std::string stages_text(const ReduceReport& report) {
  std::string text;
  double total = 0;
  for (const auto& [name, seconds] : report.stages) {
    text += name + ' ' + seconds_text(seconds) + ", ";
    total += seconds;
  }
  return text + "total " + seconds_text(total);
}

void print_summary(const ReducedModel& model, const ReduceReport& report, const EmbedReport& surface,
                   const std::vector<ChamberFinding>& chambers, const ReduceArguments& arguments) {
  std::cout << arguments.output << ": "
            << (arguments.modes_only ? "linear modes" : "reduced model of rank " + std::to_string(model.rank()))
            << '\n';
  print_model_body(model, surface);
  print_line(
      "linear modes",
      std::to_string(model.eigenvalues.size()) + ", factorised by " + report.factorization + ", largest residual " +
          significant(
              report.residuals.empty() ? 0 : *std::max_element(report.residuals.begin(), report.residuals.end()), 2));
  if (model.rigid_modes > 0)
    print_line("rigid modes", std::to_string(model.rigid_modes) + ", found and left out of the model");
  print_line("frequencies", frequencies_text(model.eigenvalues));
  if (arguments.modes_only) print_line("effective mass", participation_text(participation_of(model)));
  if (!model.energy.coefficients.empty())
    print_line("energy", std::to_string(model.energy.coefficients.size()) + " coefficients, " +
                             bytes_text(8.0 * static_cast<double>(model.energy.coefficients.size())));
  print_cubature(model);
  print_relaxation(model);
  print_chambers(chambers);
  print_line("time", stages_text(report));
  print_line("memory", bytes_text(static_cast<double>(peak_memory_bytes())) + " at most");
  print_written({arguments.output});
}

}  // namespace

void add_reduce_arguments(CLI::App& command, ReduceArguments& arguments) {
  add_body_options(command, arguments.body);
  command.add_option("-o,--output", arguments.output, "Model file (.qrt)")->required();
  command.add_option("--modes", arguments.modes, "Linear modes K (20, or as many as the body has)")
      ->check(positive_number());
  add_mass_option(command, arguments.mass);
  command.add_option("--backend", arguments.backend, "cpu or cuda")->capture_default_str();
  command.add_flag("--json", arguments.json, "Print one machine-readable report");
}

namespace {

// Any of them makes a cubature, also of StVK; other laws make one by themselves.
void add_cubature_options(CLI::App& command, ReduceArguments& arguments) {
  const auto group = "Cubature (of other laws than stvk)";
  CubatureOptions& options = arguments.cubature;
  const auto given = [&arguments](auto&&...) { arguments.takes_cubature = true; };
  CLI::Option* tolerance =
      command.add_option("--cubature-tolerance", options.tolerance, "Relative error of forces in training")
          ->check(CLI::Range(1e-12, 0.99))
          ->capture_default_str()
          ->each(given)
          ->group(group);
  command.add_option("--cubature-points", options.points, "Number of points, whatever the error is")
      ->check(positive_number())
      ->excludes(tolerance)
      ->each(given)
      ->group(group);
  const auto add_name = [&](const char* name, const char* text, const auto& set) {
    command
        .add_option_function<std::string>(
            name,
            [set, given](const std::string& value) {
              set(value);
              given();
            },
            text)
        ->group(group);
  };
  add_name("--cubature-base", "Part of the energy that is exact: none, stiffness (default) or stvk",
           [&options](const std::string& name) { options.base = find_control_variate(name); });
  add_name("--training", "States to train on: mixed (default), static or lift",
           [&options](const std::string& name) { options.states = find_training_states(name); });
  command.add_option("--amplitude", options.amplitude, "Largest training displacement, of the body's diagonal")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->each(given)
      ->group(group);
  command.add_option("--seed", options.seed, "Of the random training loads")
      ->capture_default_str()
      ->each(given)
      ->group(group);
}

// The basis comes from displacements that somebody has simulated or measured.
void run_snapshots(const ReduceArguments& arguments) {
  const Backend backend = parse_backend(arguments.backend);
  require_backend(backend);
  const PreparedBody body = read_prepared_body(arguments.body);
  require_not_read({arguments.output}, body.mesh);
  require_chambers(arguments, body.mesh);
  print_warnings(body.warnings);
  print_hints(body.hints);
  EmbeddedSurface surface = embed_surface(arguments.surface, body);
  print_warnings(surface.report.warnings);
  const EmbedReport surface_report = surface.report;
  ProgressDisplay display;
  SnapshotBasis basis;
  const auto begun = std::chrono::steady_clock::now();
  ReducedModel model = reduce_with_snapshots(body, load_snapshots(arguments.snapshots),
                                             {.separation = arguments.separation,
                                              .rank = arguments.rank,
                                              .mass_matrix = parse_mass(arguments.mass),
                                              .region_parts = arguments.region_parts,
                                              .relax = parse_relax(arguments.relax, body.file_vertices),
                                              .backend = backend,
                                              .progress = display.callback()},
                                             basis);
  const std::vector<ChamberFinding> chambers = add_chambers(arguments, model);
  for (std::string& warning : chamber_warnings(chambers)) basis.warnings.push_back(std::move(warning));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  model.created_by = command_line();
  give_surface(std::move(surface), model);
  display.report("write", 0);
  save_model(model, arguments.output);
  display.finish();
  print_warnings(basis.warnings);
  if (arguments.json) {
    std::vector<std::string> warnings = body.warnings;
    warnings.insert(warnings.end(), surface_report.warnings.begin(), surface_report.warnings.end());
    warnings.insert(warnings.end(), basis.warnings.begin(), basis.warnings.end());
    nlohmann::json json = model_json(model, body, surface_report, warnings, {arguments.output});
    json.update(snapshot_basis_json(basis));
    json.update({{"eigenvalues", model.eigenvalues},
                 {"relaxation", relaxation_json(model)},
                 {"chambers", chambers_json(chambers)},
                 {"hints", body.hints},
                 {"residuals", std::vector<double>{}},
                 {"stages", {{"basis and energy", seconds}}}});
    print_json(json);
    return;
  }
  std::cout << arguments.output << ": reduced model of rank " << model.rank() << " from snapshots\n";
  print_model_body(model, surface_report);
  print_line("snapshots", std::to_string(basis.selected) + " selected from " + arguments.snapshots);
  print_line("captured", captured_text(basis, model.rank()));
  print_cubature(model);
  print_relaxation(model);
  print_chambers(chambers);
  print_written({arguments.output});
}

}  // namespace

void run_reduce(const ReduceArguments& arguments) {
  check(arguments);
  if (!arguments.snapshots.empty()) {
    run_snapshots(arguments);
    return;
  }
  Body body = read_body(arguments.body);
  require_not_read({arguments.output}, body.mesh);
  require_chambers(arguments, body.mesh);
  print_warnings(body.warnings);
  print_hints(body.hints);
  EmbeddedSurface surface;
  if (!arguments.modes_only) surface = embed_surface(arguments.surface, body);
  print_warnings(surface.report.warnings);
  const EmbedReport surface_report = surface.report;

  RelaxOptions relax = parse_relax(arguments.relax, body.mesh.vertex_count());
  ProgressDisplay display;
  ReduceReport report;
  ReducedModel model = reduce(
      std::move(body.mesh), body.supports(),
      {.modes = arguments.modes,
       .rank = arguments.rank,
       .derivatives = !arguments.no_derivatives,
       .energy = !arguments.modes_only,
       .derivative_kind = arguments.derivatives == "inertial" ? DerivativeKind::inertial : DerivativeKind::statics,
       .stiff_share = arguments.stiff_share,
       .mirror_planes = !arguments.no_mirror_planes,
       .region_parts = arguments.region_parts,
       .cubature = arguments.takes_cubature ? std::optional(arguments.cubature) : std::nullopt,
       .relax = std::move(relax),
       .mass_matrix = parse_mass(arguments.mass),
       .backend = parse_backend(arguments.backend),
       .progress = display.callback()},
      &report);
  const std::vector<ChamberFinding> chambers = add_chambers(arguments, model);
  for (std::string& warning : chamber_warnings(chambers)) report.warnings.push_back(std::move(warning));
  display.report("write", 0);
  model.created_by = command_line();
  give_surface(std::move(surface), model);
  save_model(model, arguments.output);
  display.finish();
  print_warnings(report.warnings);

  body.warnings.insert(body.warnings.end(), surface_report.warnings.begin(), surface_report.warnings.end());
  report.warnings.insert(report.warnings.begin(), body.warnings.begin(), body.warnings.end());
  if (arguments.json) print_json(json_report(model, body, report, surface_report, chambers, arguments));
  if (!arguments.json) print_summary(model, report, surface_report, chambers, arguments);
}

void add_reduce(CLI::App& app) {
  auto arguments = std::make_shared<ReduceArguments>();
  CLI::App* command = app.add_subcommand("reduce", "Make a reduced model of a mesh");
  add_reduce_arguments(*command, *arguments);
  add_surface_options(*command, arguments->surface);
  command->add_option("--rank", arguments->rank, "Rank R of the model (30, or as much as the data has)")
      ->check(positive_number());
  auto* derivatives =
      command->add_option("--derivatives", arguments->derivatives, "Modal derivatives: static or inertial (slower)")
          ->check(CLI::IsMember({"static", "inertial"}))
          ->capture_default_str();
  command
      ->add_flag("--no-derivatives", arguments->no_derivatives,
                 "Basis of linear modes only, without modal derivatives (R <= K)")
      ->excludes(derivatives);
  command
      ->add_option("--stiff-share", arguments->stiff_share,
                   "Share of the basis, its last vectors, that is chosen by energy; 0.17 for thin bodies")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  command->add_flag("--no-mirror-planes", arguments->no_mirror_planes,
                    "Don't make the basis even or odd in the body's mirror planes");
  command->add_flag("--region-parts", arguments->region_parts,
                    "Keep energy and mass per region too, so that materials can be edited later");
  add_relax_options(*command, arguments->relax);
  add_cubature_options(*command, *arguments);
  command
      ->add_option(
          "--chamber", arguments->chambers,
          "Closed chamber for simulate --pressure: a vertex set, or `cavity` or `cavity-1` ... for one inside; "
          "may be repeated")
      ->allow_extra_args(false);
  CLI::Option* snapshots = command->add_option(
      "--snapshots", arguments->snapshots, "Basis from these displacements (.qsnap) instead of modes: POD by mass-PCA");
  for (const char* name : {"--modes", "--derivatives", "--no-derivatives", "--stiff-share", "--no-mirror-planes"})
    snapshots->excludes(command->get_option(name));
  command
      ->add_option("--separation", arguments->separation,
                   "Least mass distance of the snapshots, as a share of the largest one")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->needs(snapshots);
  command->footer("Example:\n  quartic reduce bridge.veg --fix bridge.bou --modes 20 --rank 30 -o bridge.qrt");
  command->callback([arguments] { run_reduce(*arguments); });
}

}  // namespace quartic::cli
