// Pure bending has the stress sigma = E z s (x) s in a beam, where z is the distance from the middle plane and s a
// direction in it, and twice the energy integral E z^2. In a plate, which can't contract sideways, along t, it is
// E' z (s (x) s + nu t (x) t) and integral E' z^2 with E' = E / (1 - nu^2). The forces that hold it, f_i = integral of
// sigma grad phi_i, are in equilibrium on any patch. Under them the elements move by K u_h = f, the best approximation
// of the exact displacement u in the energy norm (Galerkin), and so a(u_h, u_h) = f . u_h <= a(u, u). Of one rectangle,
// the ratio is what textbooks derive by hand: 1/(1+nu) [1/(1-nu) + (a/b)^2 / 2] (Cook, Malkus & Plesha 1989).
#include "core/locking/bending_patch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "core/elements/quadrature.hpp"
#include "core/elements/vectors.hpp"
#include "core/fem/fem_operations.hpp"
#include "quartic/factorization.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

Vector point_of(const VolumeMesh& mesh, std::span<const std::int32_t> vertices, const std::vector<double>& values) {
  Vector x{};
  for (std::size_t a = 0; a < vertices.size(); ++a)
    for (std::size_t c = 0; c < 3; ++c)
      x[c] += values[a] * mesh.vertices[3 * static_cast<std::size_t>(vertices[a]) + c];
  return x;
}

// Calls `body(vertices, geometry, values of the shape functions, position)` at a rule's points in all elements.
template <class Rule, class Body>
void for_each_position(const VolumeMesh& mesh, const Rule& rule_of, const Body& body) {
  for (const ElementBlock& block : mesh.blocks) {
    const TabulatedRule rule(element_table(block.type), rule_of(block));
    for_each_point(mesh, block, rule, 0, block.count(),
                   [&](std::int64_t, auto vertices, const PointGeometry& geometry, std::size_t p) {
                     body(vertices, geometry, point_of(mesh, vertices, rule.values[p]));
                   });
  }
}

// The vertex with the largest value of `size(position)`.
template <class Size>
std::int32_t farthest_vertex(const VolumeMesh& patch, const Size& size) {
  std::int32_t farthest = 0;
  double largest = -1;
  for (std::int32_t v = 0; v < patch.vertex_count(); ++v)
    if (const double value = size(position(patch, v)); value > largest) {
      largest = value;
      farthest = v;
    }
  return farthest;
}

std::size_t largest_component(const Vector& a) {
  std::size_t largest = 0;
  for (std::size_t c = 1; c < 3; ++c)
    if (std::abs(a[c]) > std::abs(a[largest])) largest = c;
  return largest;
}

// Springs on six degrees of freedom, which hold the patch as a tripod does: a vertex in all directions, a second one
// across the line between them, a third one across the plane of the three. Forces in equilibrium leave them unloaded.
void hold(const VolumeMesh& patch, SparseMatrix& stiffness) {
  const Vector origin = position(patch, 0);
  const std::int32_t second = farthest_vertex(patch, [&](const Vector& x) { return length(difference(x, origin)); });
  const Vector line = difference(position(patch, second), origin);
  const auto across = [&](const Vector& x) { return cross(line, difference(x, origin)); };
  const std::int32_t third = farthest_vertex(patch, [&](const Vector& x) { return length(across(x)); });
  std::set<std::int64_t> held = {0, 1, 2};
  for (std::size_t c = 0; c < 3; ++c)
    if (c != largest_component(line)) held.insert(3 * std::int64_t{second} + static_cast<std::int64_t>(c));
  held.insert(3 * std::int64_t{third} + static_cast<std::int64_t>(largest_component(across(position(patch, third)))));
  const double strength = *std::max_element(stiffness.values.begin(), stiffness.values.end());
  for (const std::int64_t row : held)
    for (auto i = stiffness.row_offsets[static_cast<std::size_t>(row)];
         i < stiffness.row_offsets[static_cast<std::size_t>(row) + 1]; ++i)
      if (stiffness.columns[static_cast<std::size_t>(i)] == row)
        stiffness.values[static_cast<std::size_t>(i)] += strength;
}

SparseMatrix held_stiffness(const VolumeMesh& patch) {
  SparseMatrix stiffness = fem_operations(Backend::cpu).stiffness(PreparedMesh(patch));
  hold(patch, stiffness);
  return stiffness;
}

}  // namespace

VolumeMesh make_patch(const VolumeMesh& mesh, std::span<const std::int64_t> elements, const Material& material) {
  VolumeMesh patch;
  std::map<std::int32_t, std::int32_t> numbers;
  std::vector<std::int64_t> sorted(elements.begin(), elements.end());
  std::sort(sorted.begin(), sorted.end());
  auto next = sorted.begin();
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    ElementBlock part{block.type, {}, block.hexahedron_rule};
    for (; next != sorted.end() && *next < first + block.count(); ++next)
      for (const std::int32_t v : block.element(*next - first)) {
        const auto [entry, is_new] = numbers.try_emplace(v, static_cast<std::int32_t>(numbers.size()));
        part.vertices.push_back(entry->second);
        if (!is_new) continue;
        for (std::size_t c = 0; c < 3; ++c)
          patch.vertices.push_back(mesh.vertices[3 * static_cast<std::size_t>(v) + c]);
      }
    if (!part.vertices.empty()) patch.blocks.push_back(std::move(part));
    first += block.count();
  }
  patch.element_region.assign(sorted.size(), 0);
  patch.regions = {{"patch", material}};
  static_cast<void>(repair_orientation(patch));
  return patch;
}

BendingPatch::BendingPatch(const VolumeMesh& patch, const Vector& normal)
    : patch_(patch), normal_(normal), factor_(held_stiffness(patch), {.method = FactorizationMethod::eigen}) {
  double volume = 0;
  for_each_position(patch, mass_rule, [&](auto, const PointGeometry& geometry, const Vector& x) {
    volume += geometry.weight;
    middle_ += geometry.weight * dot(x, normal);
  });
  middle_ /= volume;
  for_each_position(patch, mass_rule, [&](auto, const PointGeometry& geometry, const Vector& x) {
    const double z = dot(x, normal) - middle_;
    square_ += geometry.weight * z * z;
  });
}

BendingRatios BendingPatch::ratios(const Vector& along) const {
  const Material material = *patch_.regions.front().material;
  const double nu = material.poissons_ratio, plate_modulus = material.youngs_modulus / (1 - nu * nu);
  const Vector sideways = cross(normal_, along);
  Eigen::MatrixXd force = Eigen::MatrixXd::Zero(3 * patch_.vertex_count(), 2);  // of the beam, of the plate
  for_each_position(patch_, stiffness_rule, [&](auto vertices, const PointGeometry& geometry, const Vector& x) {
    const double moment = geometry.weight * (dot(x, normal_) - middle_);
    for (std::size_t a = 0; a < vertices.size(); ++a) {
      const double forwards = moment * dot(along, geometry.gradient[a]),
                   aside = moment * dot(sideways, geometry.gradient[a]);
      for (std::size_t c = 0; c < 3; ++c) {
        const Eigen::Index row = 3 * Eigen::Index{vertices[a]} + static_cast<Eigen::Index>(c);
        force(row, 0) += material.youngs_modulus * forwards * along[c];
        force(row, 1) += plate_modulus * (forwards * along[c] + nu * aside * sideways[c]);
      }
    }
  });
  Eigen::MatrixXd displacement = force;
  factor_.solve(displacement);
  return {.beam = material.youngs_modulus * square_ / force.col(0).dot(displacement.col(0)),
          .plate = plate_modulus * square_ / force.col(1).dot(displacement.col(1))};
}

}  // namespace quartic
