// The points and weights of a cubature, in place of the quartic energy: a program that doesn't know them would find no
// forces, so that the file requires it. Constants of a point are its region's.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/quartic_polynomial.hpp"
#include "io/model/model_sections.hpp"
#include "quartic/cubature.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"cubature_points",    "cubature_weights",     "cubature_volumes",
                                        "cubature_gradients", "cubature_stiffness",   "cubature_base_energy",
                                        "cubature_errors",    "cubature_measurements"};
constexpr const char *base_key = "cubature_base", *tangent_key = "cubature_tangent", *basis_key = "cubature_basis",
                     *seed_key = "cubature_seed";
constexpr std::string_view metadata[] = {base_key, tangent_key, basis_key, seed_key};

bool is_present(const ReducedModel& model) {
  return model.cubature.has_value();
}

// What a region's material gives to its points.
PointMaterial material_of(const ReducedModel& model, const CubaturePoint& point) {
  const auto region = model.mesh.element_region[static_cast<std::size_t>(point.element)];
  const Material& material = *model.mesh.regions[static_cast<std::size_t>(region)].material;
  return {.law = material.law,
          .lambda = lame_lambda(material),
          .mu = lame_mu(material),
          .mooney_share = material.mooney_share};
}

void require_element(const ReducedModel& model, const CubaturePoint& point) {
  require_fit(point.element >= 0 && point.element < model.mesh.element_count(),
              "a point of the cubature is in element " + std::to_string(point.element) + ", but the mesh has " +
                  std::to_string(model.mesh.element_count()));
}

void check(const ReducedModel& model) {
  if (!model.cubature) return;
  check_cubature(*model.cubature);
  require_fit(model.cubature->rank == model.basis.cols, "the cubature is of rank " +
                                                            std::to_string(model.cubature->rank) + ", but basis of " +
                                                            std::to_string(model.basis.cols));
  for (std::size_t p = 0; p < model.cubature->points.size(); ++p) {
    require_element(model, model.cubature->points[p]);
    require_fit(model.cubature->materials[p] == material_of(model, model.cubature->points[p]),
                "point " + std::to_string(p) + " of the cubature has another material than its region");
  }
}

std::vector<double> numbers(const CubatureReport& report) {
  std::vector<double> values;
  for (const CubatureError* error : {&report.force, &report.energy, &report.tangent, &report.equilibrium})
    values.insert(values.end(), {error->median, error->ninetieth, error->largest});
  return values;
}

void write_report(const CubatureReport& report, FileDraft& draft) {
  draft.add_computed("cubature_errors", {4, 3}, numbers(report));
  draft.add_computed("cubature_measurements", {3},
                     std::vector<double>{static_cast<double>(report.states), report.residual, report.tolerance});
  draft.metadata[seed_key] = std::to_string(report.seed);
}

void write(const ReducedModel& model, FileDraft& draft) {
  const Cubature& c = *model.cubature;
  std::vector<std::int32_t> points;
  for (const CubaturePoint& point : c.points) points.insert(points.end(), {point.element, point.point});
  draft.add_computed("cubature_points", {c.count(), 2}, std::move(points));
  draft.add("cubature_weights", {c.count()}, c.weights);
  draft.add("cubature_volumes", {c.count()}, c.volumes);
  draft.add("cubature_gradients", {c.count(), 3, 3, c.rank}, c.gradients);
  draft.add("cubature_stiffness", {c.rank, c.rank}, c.stiffness.values);
  if (c.base == ControlVariate::stvk)
    draft.add("cubature_base_energy", {std::ssize(c.base_energy.coefficients)}, c.base_energy.coefficients);
  if (c.report) write_report(*c.report, draft);
  draft.metadata[base_key] = std::string(control_variate_name(c.base));
  draft.metadata[tangent_key] = c.tangent == LawTangent::exact ? "exact" : "projected";
  set_basis_fingerprint(draft, basis_key, model);
}

void read_report(const SafetensorsFile& file, Cubature& c) {
  if (file.find("cubature_errors") == nullptr) return;
  const auto errors = file.values<double>("cubature_errors", 2);
  const auto measurements = file.values<double>("cubature_measurements", 1);
  file.require_size("cubature_errors", 0, 4);
  file.require_size("cubature_errors", 1, 3);
  file.require_size("cubature_measurements", 0, 3);
  CubatureReport report;
  if (!(measurements[0] >= 0 && measurements[0] < 1e9)) file.fail("cubature_measurements has no number of states");
  report.states = static_cast<int>(measurements[0]);
  report.residual = measurements[1];
  report.tolerance = measurements[2];
  auto next = errors.begin();
  for (CubatureError* error : {&report.force, &report.energy, &report.tangent, &report.equilibrium})
    for (double* number : {&error->median, &error->ninetieth, &error->largest}) *number = *next++;
  const std::string& seed = file.metadata_entry(seed_key);
  const auto [end, failure] = std::from_chars(seed.data(), seed.data() + seed.size(), report.seed);
  if (failure != std::errc() || end != seed.data() + seed.size()) file.fail("cubature_seed is no number");
  c.report = report;
}

void read_points(const SafetensorsFile& file, const ReducedModel& model, Cubature& c) {
  const auto points = file.values<std::int32_t>("cubature_points", 2);
  file.require_size("cubature_points", 1, 2);
  for (std::size_t p = 0; p + 1 < points.size(); p += 2) {
    const CubaturePoint& point = c.points.emplace_back(CubaturePoint{points[p], points[p + 1]});
    if (point.element < 0 || point.element >= model.mesh.element_count() ||
        std::cmp_greater_equal(point.element, model.mesh.element_region.size()))
      file.fail("a point of the cubature is in element " + std::to_string(point.element) + ", which the mesh hasn't");
    const auto region = model.mesh.element_region[static_cast<std::size_t>(point.element)];
    if (region < 0 || region >= std::ssize(model.mesh.regions))
      file.fail("element " + std::to_string(point.element) + " of the cubature is in no region");
    c.materials.push_back(material_of(model, point));
  }
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  Cubature c;
  const auto r = model.basis.cols;
  c.rank = static_cast<int>(r);
  try {
    c.base = find_control_variate(file.metadata_entry(base_key));
  } catch (const ParseError&) {
    throw;
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  const std::string& tangent = file.metadata_entry(tangent_key);
  if (tangent != "exact" && tangent != "projected") file.fail("cubature_tangent is '" + tangent + "'");
  c.tangent = tangent == "exact" ? LawTangent::exact : LawTangent::projected;
  read_points(file, model, c);
  const std::int64_t count = std::ssize(c.points);
  c.weights = file.values<double>("cubature_weights", 1);
  c.volumes = file.values<double>("cubature_volumes", 1);
  c.gradients = file.values<double>("cubature_gradients", 4);
  file.require_size("cubature_weights", 0, count);
  file.require_size("cubature_volumes", 0, count);
  const std::array<std::int64_t, 4> shape = {count, 3, 3, r};
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension)
    file.require_size("cubature_gradients", dimension, shape[dimension]);
  const auto stiffness = file.values<double>("cubature_stiffness", 2);
  file.require_size("cubature_stiffness", 0, r);
  file.require_size("cubature_stiffness", 1, r);
  c.stiffness.rows = c.stiffness.cols = r;
  c.stiffness.values = stiffness;
  if (c.base == ControlVariate::stvk) {
    c.base_energy = {c.rank, file.values<double>("cubature_base_energy", 1)};
    file.require_size("cubature_base_energy", 0, quartic_coefficient_count(r));
  }
  read_report(file, c);
  require_basis_fingerprint(file, basis_key, model);
  model.cubature = std::move(c);
}

}  // namespace

const ModelSection cubature_section = {.name = "cubature",
                                       .is_required = true,
                                       .tensors = tensors,
                                       .metadata = metadata,
                                       .key_tensor = "cubature_weights",
                                       .is_present = is_present,
                                       .check = check,
                                       .write = write,
                                       .read = read};

}  // namespace quartic::io
