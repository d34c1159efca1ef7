#include "core/elements/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/thread_pool.hpp"
#include "core/elements/element_geometry.hpp"
#include "quartic/error.hpp"

namespace quartic {

using Point = std::array<double, 3>;

TabulatedRule::TabulatedRule(const ElementTable& table, const QuadratureRule& rule)
    : vertex_count(table.vertex_count), weights(rule.weights) {
  const auto n = static_cast<std::size_t>(vertex_count);
  for (const auto& point : rule.points) {
    values.emplace_back(n);
    table.shape(point, values.back().data());
    gradients.emplace_back(n);
    table.shape_gradient(point, reinterpret_cast<double(*)[3]>(gradients.back().data()));
  }
}

void gather_positions(const VolumeMesh& mesh, std::span<const std::int32_t> element,
                      std::array<std::array<double, 3>, 20>& x) {
  for (std::size_t a = 0; a < element.size(); ++a)
    for (std::size_t c = 0; c < 3; ++c) x[a][c] = mesh.vertices[3 * static_cast<std::size_t>(element[a]) + c];
}

ElementMaterials::ElementMaterials(const VolumeMesh& mesh) : regions(&mesh.element_region) {
  const auto elements = mesh.element_count();
  if (std::ssize(mesh.element_region) != elements)
    throw InputError("the mesh has " + std::to_string(elements) + " elements, but element_region has " +
                     std::to_string(mesh.element_region.size()) + " entries");
  for (std::int64_t e = 0; e < elements; ++e) {
    const auto region = mesh.element_region[static_cast<std::size_t>(e)];
    if (region < 0 || region >= std::ssize(mesh.regions))
      throw InputError(
          "element " + std::to_string(e) +
          " belongs to no region, so it has no material; add it to a region or give Young's modulus, Poisson's "
          "ratio and density for the whole mesh");
  }
  for (const Region& region : mesh.regions) {
    if (!region.material)
      throw InputError("region '" + region.name +
                       "' has no material; give Young's modulus, Poisson's ratio and density for it");
    check_material(*region.material, "region '" + region.name + "'");
    lambda.push_back(lame_lambda(*region.material));
    mu.push_back(lame_mu(*region.material));
    density.push_back(region.material->density);
  }
}

void require_indices(const VolumeMesh& mesh) {
  const auto n = mesh.vertex_count();
  if (mesh.vertices.size() % 3 != 0) throw InputError("mesh.vertices must have three numbers per vertex");
  for (const double x : mesh.vertices)
    if (!std::isfinite(x)) throw InputError("the mesh has a vertex position that isn't a finite number");
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    if (block.vertices.size() % static_cast<std::size_t>(element_vertex_count(block.type)) != 0)
      throw InputError("the " + std::string(element_type_name(block.type)) + " block has " +
                       std::to_string(block.vertices.size()) + " vertex numbers, not a multiple of " +
                       std::to_string(element_vertex_count(block.type)));
    for (std::int64_t e = 0; e < block.count(); ++e)
      for (const auto v : block.element(e))
        if (v < 0 || v >= n)
          throw InputError("element " + std::to_string(first + e) + " has vertex " + std::to_string(v) +
                           ", but the mesh has " + std::to_string(n) + " vertices");
    first += block.count();
  }
  for (const auto& [name, set] : mesh.vertex_sets)
    for (const auto v : set)
      if (v < 0 || v >= n)
        throw InputError("vertex set '" + name + "' has vertex " + std::to_string(v) + ", but the mesh has " +
                         std::to_string(n) + " vertices");
}

namespace {

// True if the Jacobian is positive at the rule's points, beyond round-off of positions (`error` [m]) and of itself:
// relative to the product of its columns' lengths, as check_mesh measures it.
bool has_volume(const std::array<Point, 20>& x, const TabulatedRule& rule, double error) {
  for (const auto& reference : rule.gradients) {
    double j[3][3] = {};  // j[d] = dX / dxi_d
    for (std::size_t a = 0; a < reference.size(); ++a)
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t c = 0; c < 3; ++c) j[d][c] += x[a][c] * reference[a][d];
    const double determinant = j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) +
                               j[0][1] * (j[1][2] * j[2][0] - j[1][0] * j[2][2]) +
                               j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
    double product = 1, shortest = std::numeric_limits<double>::infinity();
    for (const auto& column : j) {
      const double length = std::hypot(column[0], column[1], column[2]);
      product *= length;
      shortest = std::min(shortest, length);
    }
    if (!(determinant > (1e-13 + 16 * error / shortest) * product)) return false;
  }
  return true;
}

// The points at which an element's Jacobian must be positive: those of both rules, or any one if it is the same
// everywhere.
TabulatedRule checked_points(const ElementBlock& block) {
  const ElementTable& table = element_table(block.type);
  const QuadratureRule& mass = mass_rule(block);
  QuadratureRule rule = stiffness_rule(block);
  if (table.affine) {
    rule.points.resize(1);
  } else if (mass.points != rule.points) {
    rule.points.insert(rule.points.end(), mass.points.begin(), mass.points.end());
  }
  rule.weights.resize(rule.points.size());
  return TabulatedRule(table, rule);
}

// The first element of a block without volume, or its count.
std::int64_t first_without_volume(const VolumeMesh& mesh, const ElementBlock& block) {
  constexpr std::int64_t elements_per_task = 4096;
  const TabulatedRule rule = checked_points(block);
  const double error = coordinate_error(mesh);
  const std::int64_t count = block.count();
  std::vector<std::int64_t> firsts(static_cast<std::size_t>((count + elements_per_task - 1) / elements_per_task),
                                   count);
  parallel_for(std::ssize(firsts), [&](std::int64_t task) {
    std::array<Point, 20> x;
    const std::int64_t end = std::min(count, (task + 1) * elements_per_task);
    for (std::int64_t e = task * elements_per_task; e < end; ++e) {
      gather_positions(mesh, block.element(e), x);
      if (has_volume(x, rule, error)) continue;
      firsts[static_cast<std::size_t>(task)] = e;
      break;
    }
  });
  return firsts.empty() ? count : *std::min_element(firsts.begin(), firsts.end());
}

}  // namespace

void require_usable(const VolumeMesh& mesh) {
  if (mesh.element_count() == 0) throw InputError("the mesh has no volume elements");
  require_indices(mesh);
  const ElementMaterials materials(mesh);
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const std::int64_t bad = first_without_volume(mesh, block);
    if (bad < block.count())
      throw InputError("element " + std::to_string(first + bad) + " (" + std::string(element_type_name(block.type)) +
                       ") is inverted or has no volume; repair_orientation corrects elements of the wrong winding, "
                       "others must be repaired in the mesh");
    first += block.count();
  }
}

}  // namespace quartic
