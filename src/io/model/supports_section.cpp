// What holds a body in single directions, joints, masses at vertices and springs: without them a program would compute
// the unreduced body, or its masses, of another one, so that a file that has any requires them.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/model/model_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"constraint_offsets", "constraint_vertices", "constraint_factors",
                                        "joint_offsets",      "joint_vertices",      "joint_factors",
                                        "spring_offsets",     "spring_vertices",     "spring_factors",
                                        "spring_stiffness",   "point_mass_vertices", "point_mass"};

using Terms = std::vector<DisplacementTerm>;

bool is_present(const ReducedModel& model) {
  return !model.constraints.empty() || !model.mesh.joints.empty() || !model.mesh.springs.empty() ||
         !model.mesh.masses.empty();
}

void require_terms(const ReducedModel& model, const Terms& terms, const std::string& what) {
  require_fit(!terms.empty(), what + " must have terms");
  for (const DisplacementTerm& term : terms) {
    require_fit(term.vertex >= 0 && term.vertex < model.mesh.vertex_count(), what + " must be of the mesh's vertices");
    require_fit(std::ranges::all_of(term.factors, [](double factor) { return std::isfinite(factor); }),
                what + " must have finite factors");
  }
}

bool is_amount(double number) {
  return number >= 0 && std::isfinite(number);
}

void check(const ReducedModel& model) {
  for (const Constraint& constraint : model.constraints) require_terms(model, constraint.terms, "constraints");
  for (const Constraint& joint : model.mesh.joints) require_terms(model, joint.terms, "joints");
  for (const Spring& spring : model.mesh.springs) {
    require_terms(model, spring.terms, "springs");
    require_fit(is_amount(spring.stiffness), "springs must have a finite stiffness of 0 or more");
  }
  for (const PointMass& mass : model.mesh.masses)
    require_fit(mass.vertex >= 0 && mass.vertex < model.mesh.vertex_count() && is_amount(mass.mass),
                "masses must be finite and 0 or more, at the mesh's vertices");
}

// Equations of any lengths in three tensors: where each begins, then vertices and factors of all terms.
template <class Equation>
void write_equations(const std::vector<Equation>& equations, const std::string& name, FileDraft& draft) {
  std::vector<std::int32_t> offsets = {0}, vertices;
  std::vector<double> factors;
  for (const Equation& equation : equations) {
    for (const DisplacementTerm& term : equation.terms) {
      vertices.push_back(term.vertex);
      factors.insert(factors.end(), term.factors.begin(), term.factors.end());
    }
    offsets.push_back(static_cast<std::int32_t>(vertices.size()));
  }
  const auto terms = std::ssize(vertices), count = std::ssize(offsets);
  draft.add_computed(name + "_offsets", {count}, std::move(offsets));
  draft.add_computed(name + "_vertices", {terms}, std::move(vertices));
  draft.add_computed(name + "_factors", {terms, 3}, std::move(factors));
}

std::vector<Terms> read_equations(const SafetensorsFile& file, const std::string& name) {
  const auto offsets = file.values<std::int32_t>(name + "_offsets", 1);
  const auto vertices = file.values<std::int32_t>(name + "_vertices", 1);
  const auto factors = file.values<double>(name + "_factors", 2);
  if (factors.size() != 3 * vertices.size()) file.fail(name + "_factors must have three numbers per term");
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != std::ssize(vertices) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    file.fail(name + "_offsets must ascend from 0 to the number of terms");
  std::vector<Terms> equations;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    Terms& terms = equations.emplace_back();
    for (auto t = static_cast<std::size_t>(offsets[i]); t < static_cast<std::size_t>(offsets[i + 1]); ++t)
      terms.push_back({vertices[t], {factors[3 * t], factors[3 * t + 1], factors[3 * t + 2]}});
  }
  return equations;
}

void write(const ReducedModel& model, FileDraft& draft) {
  write_equations(model.constraints, "constraint", draft);
  write_equations(model.mesh.joints, "joint", draft);
  write_equations(model.mesh.springs, "spring", draft);
  std::vector<double> stiffness, masses;
  for (const Spring& spring : model.mesh.springs) stiffness.push_back(spring.stiffness);
  std::vector<std::int32_t> vertices;
  for (const PointMass& mass : model.mesh.masses) {
    vertices.push_back(mass.vertex);
    masses.push_back(mass.mass);
  }
  const auto springs = std::ssize(stiffness), points = std::ssize(masses);
  draft.add_computed("spring_stiffness", {springs}, std::move(stiffness));
  draft.add_computed("point_mass_vertices", {points}, std::move(vertices));
  draft.add_computed("point_mass", {points}, std::move(masses));
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  for (Terms& terms : read_equations(file, "constraint")) model.constraints.push_back({std::move(terms), "a support"});
  for (Terms& terms : read_equations(file, "joint")) model.mesh.joints.push_back({std::move(terms), "a joint"});
  const auto stiffness = file.values<double>("spring_stiffness", 1);
  std::vector<Terms> springs = read_equations(file, "spring");
  if (stiffness.size() != springs.size()) file.fail("spring_stiffness must have a number per spring");
  for (std::size_t i = 0; i < springs.size(); ++i) model.mesh.springs.push_back({std::move(springs[i]), stiffness[i]});
  const auto vertices = file.values<std::int32_t>("point_mass_vertices", 1);
  const auto masses = file.values<double>("point_mass", 1);
  if (masses.size() != vertices.size()) file.fail("point_mass must have a number per vertex");
  for (std::size_t i = 0; i < masses.size(); ++i) model.mesh.masses.push_back({vertices[i], masses[i]});
}

}  // namespace

const ModelSection supports_section = {.name = "supports",
                                       .is_required = true,
                                       .tensors = tensors,
                                       .key_tensor = "constraint_offsets",
                                       .is_present = is_present,
                                       .check = check,
                                       .write = write,
                                       .read = read};

}  // namespace quartic::io
