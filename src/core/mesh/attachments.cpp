#include "core/mesh/attachments.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "quartic/error.hpp"

namespace quartic {
namespace {

using Direction = std::array<double, 3>;

std::int32_t new_number(std::int32_t vertex, std::span<const std::int32_t> numbers, const std::string& what) {
  if (vertex < 0 || vertex >= std::ssize(numbers))
    throw InputError(what + ": vertex " + std::to_string(vertex) + " is outside 0 .. " +
                     std::to_string(std::ssize(numbers) - 1));
  return numbers[static_cast<std::size_t>(vertex)];
}

[[noreturn]] void fail_dropped(const std::string& what, std::int32_t vertex) {
  throw InputError(what + " acts on vertex " + std::to_string(vertex) +
                   ", which belongs to no element and is dropped; attach it to a vertex of the body");
}

bool is_of_one_vertex(const Constraint& constraint) {
  return std::ranges::all_of(
      constraint.terms, [&](const DisplacementTerm& term) { return term.vertex == constraint.terms.front().vertex; });
}

Direction direction_of(const Constraint& constraint) {
  Direction sum = {};
  for (const DisplacementTerm& term : constraint.terms)
    for (std::size_t c = 0; c < 3; ++c) sum[c] += term.factors[c];
  return sum;
}

bool parallel(const Direction& a, const Direction& b) {
  constexpr double tolerance = 1e-6;  // the sine of the angle between them
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  return std::hypot(x, y, z) <= tolerance * std::hypot(a[0], a[1], a[2]) * std::hypot(b[0], b[1], b[2]);
}

}  // namespace

std::vector<bool> vertices_of_elements(const VolumeMesh& mesh) {
  std::vector<bool> used(static_cast<std::size_t>(mesh.vertex_count()));
  for (const ElementBlock& block : mesh.blocks)
    for (const std::int32_t v : block.vertices) used[static_cast<std::size_t>(v)] = true;
  return used;
}

std::vector<bool> following_points(const VolumeMesh& mesh) {
  std::vector<bool> follows(static_cast<std::size_t>(mesh.vertex_count()));
  if (mesh.joints.empty()) return follows;
  const std::vector<bool> used = vertices_of_elements(mesh);
  for (const Constraint& joint : mesh.joints) {
    if (joint.terms.empty()) continue;
    const std::int32_t first = joint.terms.front().vertex;
    if (first < 0 || first >= mesh.vertex_count())
      throw InputError(joint.origin + ": vertex " + std::to_string(first) + " is outside 0 .. " +
                       std::to_string(mesh.vertex_count() - 1));
    if (!used[static_cast<std::size_t>(first)]) follows[static_cast<std::size_t>(first)] = true;
  }
  return follows;
}

void renumber(std::vector<Constraint>& constraints, std::span<const std::int32_t> numbers) {
  std::erase_if(constraints, [&](Constraint& constraint) {
    const bool alone = is_of_one_vertex(constraint);
    for (DisplacementTerm& term : constraint.terms) {
      const std::int32_t number = new_number(term.vertex, numbers, constraint.origin);
      if (number < 0 && alone) return true;
      if (number < 0) fail_dropped(constraint.origin, term.vertex);
      term.vertex = number;
    }
    return false;
  });
}

void renumber_attachments(VolumeMesh& mesh, std::span<const std::int32_t> numbers) {
  for (auto& [name, constraints] : mesh.support_sets) renumber(constraints, numbers);
  std::erase_if(mesh.support_sets, [](const auto& set) { return set.second.empty(); });  // nothing holds nothing
  renumber(mesh.joints, numbers);
  const auto renumber_vertex = [&](std::int32_t& vertex, const std::string& what) {
    const std::int32_t number = new_number(vertex, numbers, what);
    if (number < 0) fail_dropped(what, vertex);
    vertex = number;
  };
  for (PointMass& mass : mesh.masses) renumber_vertex(mass.vertex, "a mass");
  for (Spring& spring : mesh.springs)
    for (DisplacementTerm& term : spring.terms) renumber_vertex(term.vertex, "a spring");
}

void extend_supports(VolumeMesh& mesh, std::span<const std::array<std::int32_t, 2>> ends, std::int32_t first) {
  if (!mesh.joints.empty())
    throw InputError("the mesh has joints (" + mesh.joints.front().origin +
                     "), which don't say how middles of edges move; give the program that made the mesh quadratic "
                     "elements, or leave the joints out");
  for (auto& [name, constraints] : mesh.support_sets) {
    std::map<std::int32_t, std::vector<std::size_t>> at;  // constraints, by vertex
    for (std::size_t i = 0; i < constraints.size(); ++i)
      if (is_of_one_vertex(constraints[i])) at[constraints[i].terms.front().vertex].push_back(i);
    std::int32_t middle = first;
    for (const auto& [a, b] : ends) {
      const auto here = at.find(a), there = at.find(b);
      if (here != at.end() && there != at.end())
        for (const std::size_t i : here->second) {
          const Direction direction = direction_of(constraints[i]);
          if (std::ranges::any_of(there->second,
                                  [&](std::size_t j) { return parallel(direction, direction_of(constraints[j])); })) {
            Constraint held{{{middle, direction}}, constraints[i].origin};
            constraints.push_back(std::move(held));
          }
        }
      ++middle;
    }
  }
}

}  // namespace quartic
