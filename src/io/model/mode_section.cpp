// Linear modes, and the body that they are of: which vertices are fixed, what is rigid, which mass matrix.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/elements/solid_mass.hpp"
#include "io/model/model_sections.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

// Psi^T M of unit fields, where there is no basis to have that of.
constexpr std::string_view mode_unit_acceleration = "mode_unit_acceleration";
constexpr std::string_view tensors[] = {"fixed_vertices", "eigenvalues", "linear_modes", mode_unit_acceleration};
constexpr std::string_view metadata[] = {"rigid_modes", "mass_matrix"};

bool is_sorted_index_list(const std::vector<std::int32_t>& list, std::int64_t count) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i] < (i == 0 ? 0 : list[i - 1] + 1) || list[i] >= count) return false;
  return true;
}

bool has_own_acceleration(const ReducedModel& model) {
  return model.basis.cols == 0 && !model.unit_acceleration.values.empty();
}

// Of a matrix that isn't negative, as far as an eigensolver's round-off goes.
bool are_eigenvalues(const std::vector<double>& values) {
  constexpr double round_off = 1e-6;
  if (values.empty()) return true;
  const double largest = std::abs(*std::ranges::max_element(values, {}, [](double x) { return std::abs(x); }));
  return std::ranges::all_of(values, [&](double x) { return std::isfinite(x) && x >= -round_off * largest; });
}

// By Bessel's inequality the effective masses of mass-orthonormal modes are no more than the body's mass.
bool have_effective_masses(const ReducedModel& model) {
  constexpr double rounding = 1e-3;
  const std::optional<double> own = solid_mass(model.mesh);
  if (!own) return true;
  double mass = *own;
  for (const PointMass& point : model.mesh.masses) mass += point.mass;
  return (model.unit_acceleration.map().colwise().squaredNorm().array() <= (1 + rounding) * mass).all();
}

void check(const ReducedModel& model) {
  const auto n = model.mesh.vertex_count();
  const auto k = std::ssize(model.eigenvalues);
  require_fit(is_sorted_index_list(model.fixed_vertices, n), "fixed vertices must be sorted, each once, and in range");
  require_fit(model.rigid_modes >= 0, "rigid_modes is negative");
  require_fit(model.linear_modes.cols == k && (k == 0 || model.linear_modes.rows == 3 * n),
              "linear_modes must hold one field per eigenvalue and three numbers per vertex");
  require_fit(are_eigenvalues(model.eigenvalues), "eigenvalues must be finite and not negative");
  if (!has_own_acceleration(model)) return;
  require_fit(model.unit_acceleration.rows == k && model.unit_acceleration.cols == 3,
              "unit_acceleration must have three numbers per mode where there is no basis");
  require_fit(have_effective_masses(model),
              "unit_acceleration of modes is larger than the body's mass lets it be: it is of another mass");
}

void write(const ReducedModel& model, FileDraft& draft) {
  const auto k = std::ssize(model.eigenvalues);
  draft.add("fixed_vertices", {std::ssize(model.fixed_vertices)}, model.fixed_vertices);
  draft.add("eigenvalues", {k}, model.eigenvalues);
  draft.add("linear_modes", {k, model.mesh.vertex_count(), 3}, model.linear_modes.values);
  if (has_own_acceleration(model))
    draft.add(std::string(mode_unit_acceleration), {3, k}, model.unit_acceleration.values);
  draft.metadata["rigid_modes"] = std::to_string(model.rigid_modes);
  draft.metadata["mass_matrix"] = model.mass_matrix == MassMatrix::consistent ? "consistent" : "lumped";
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  const std::string& rigid_modes = file.metadata_entry("rigid_modes");
  const auto count = parse_integer(rigid_modes);
  if (!count || *count < 0 || *count > INT32_MAX) file.fail("rigid_modes is " + quote(rigid_modes));
  model.rigid_modes = static_cast<int>(*count);
  const std::string& mass_matrix = file.metadata_entry("mass_matrix");
  if (mass_matrix != "consistent" && mass_matrix != "lumped") file.fail("mass_matrix is " + quote(mass_matrix));
  model.mass_matrix = mass_matrix == "consistent" ? MassMatrix::consistent : MassMatrix::lumped;
  model.fixed_vertices = file.values<std::int32_t>("fixed_vertices", 1);
  model.eigenvalues = file.values<double>("eigenvalues", 1);
  model.linear_modes = read_fields(file, "linear_modes", model);
  const std::string name(mode_unit_acceleration);
  if (file.find(name) == nullptr) return;
  const auto k = std::ssize(model.eigenvalues);
  Matrix& factors = model.unit_acceleration;
  factors.values = file.values<double>(name, 2);
  file.require_size(name, 0, 3);
  file.require_size(name, 1, k);
  factors.rows = k;
  factors.cols = 3;
}

}  // namespace

const ModelSection mode_section = {
    .name = "modes", .tensors = tensors, .metadata = metadata, .check = check, .write = write, .read = read};

}  // namespace quartic::io
