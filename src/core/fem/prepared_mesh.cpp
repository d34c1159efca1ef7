#include "core/fem/prepared_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/thread_pool.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/fem/masses_and_springs.hpp"
#include "core/fem/number_range.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

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

// The materials of a mesh that can be used.
ElementMaterials checked_materials(const VolumeMesh& mesh) {
  if (mesh.element_count() == 0) throw InputError("the mesh has no volume elements");
  require_indices(mesh);
  ElementMaterials materials(mesh);
  require_number_range(mesh, materials);
  require_sound_attachments(mesh);
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const std::int64_t bad = first_without_volume(mesh, block);
    if (bad < block.count())
      throw InputError("element " + std::to_string(first + bad) + " (" + std::string(element_type_name(block.type)) +
                       ") is inverted or has no volume; repair_orientation corrects elements of the wrong winding, "
                       "others must be repaired in the mesh");
    first += block.count();
  }
  return materials;
}

}  // namespace

PreparedMesh::PreparedMesh(const VolumeMesh& mesh) : mesh_(mesh), materials_(checked_materials(mesh)) {}
PreparedMesh::~PreparedMesh() = default;

const std::shared_ptr<const std::vector<Incidence>>& PreparedMesh::shared_incidences() const {
  std::call_once(incidences_made_,
                 [&] { incidences_ = std::make_shared<const std::vector<Incidence>>(incidences_of(mesh_)); });
  return incidences_;
}

const VertexGraph& PreparedMesh::graph() const {
  std::call_once(graph_made_, [&] { graph_.emplace(with_attachments(VertexGraph(mesh_, incidences()), mesh_)); });
  return *graph_;
}

const MeshImage& PreparedMesh::image() const {
  std::call_once(image_made_, [&] { image_.emplace(mesh_, materials_); });
  return *image_;
}

}  // namespace quartic
