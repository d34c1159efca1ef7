#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/algebra/dense.hpp"
#include "core/base/disjoint_sets.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/mesh/attachments.hpp"
#include "core/mesh/components.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using RigidMap = Eigen::Matrix<double, 3, 6>;

// A singular value below this share of the largest leaves its motion free. It stands between coordinates that were
// rounded to single precision in a file (1e-7 of the size: points meant to lie on a line) and real support: what moves
// so little at the fixed vertices has a stiffness of 1e-12 relative to the body's.
constexpr double rank_tolerance = 1e-6;

// A component's place and size, by which its rigid motions are made dimensionless.
struct Frame {
  Vector3d centre = Vector3d::Zero();
  double radius = 0;
};

Vector3d position(const VolumeMesh& mesh, std::int32_t v) {
  return Vector3d::Map(&mesh.vertices[3 * static_cast<std::size_t>(v)]);
}

Frame frame_of(const VolumeMesh& mesh, const std::vector<std::int32_t>& component) {
  Frame frame;
  for (const std::int32_t v : component) frame.centre += position(mesh, v) / static_cast<double>(component.size());
  for (const std::int32_t v : component)
    frame.radius = std::max(frame.radius, (position(mesh, v) - frame.centre).norm());
  return frame;
}

// u = t + omega x (x - centre) / radius as a matrix times (t, omega).
RigidMap rigid_map(const Frame& frame, const Vector3d& x) {
  const Vector3d d = (x - frame.centre) / frame.radius;
  RigidMap map;
  map << 1, 0, 0, 0, d.z(), -d.y(),  //
      0, 1, 0, -d.z(), 0, d.x(),     //
      0, 0, 1, d.y(), -d.x(), 0;
  return map;
}

[[noreturn]] void fail_outside(std::int32_t vertex) {
  throw InputError("a support or joint acts on vertex " + std::to_string(vertex) +
                   ", which belongs to no element; attach it to a vertex of the body");
}

// What stretches a spring: displacements of elements' vertices with their factors, the largest being 1.
using Stretch = std::vector<std::pair<std::int32_t, double>>;

// Of springs that aren't without stiffness; points that belong to no element are replaced by what they follow.
std::vector<Stretch> stretches_of(const VolumeMesh& mesh, const FreedomMap& map) {
  std::vector<Stretch> stretches;
  if (mesh.springs.empty()) return stretches;
  const std::vector<bool> used = vertices_of_elements(mesh);
  for (const Spring& spring : mesh.springs) {
    double largest = 0;
    for (const DisplacementTerm& term : spring.terms)
      for (const double factor : term.factors) largest = std::max(largest, std::abs(factor));
    if (spring.stiffness == 0 || largest == 0) continue;
    Stretch& stretch = stretches.emplace_back();
    for (const DisplacementTerm& term : spring.terms)
      for (std::int32_t c = 0; c < 3; ++c) {
        const std::int32_t dof = 3 * term.vertex + c;
        const double factor = term.factors[static_cast<std::size_t>(c)] / largest;
        if (used[static_cast<std::size_t>(term.vertex)]) {
          stretch.emplace_back(dof, factor);
          continue;
        }
        if (map.is_free(dof)) fail_outside(term.vertex);
        for (const FreeShare& share : map.row(dof))
          stretch.emplace_back(map.free_dofs()[static_cast<std::size_t>(share.free)], factor * share.factor);
      }
    if (stretch.empty()) stretches.pop_back();
  }
  return stretches;
}

// Components that joints or springs couple, as a list of their numbers each, in the order of their first ones. Points
// that follow components couple nothing.
std::vector<std::vector<std::size_t>> coupled_components(const std::vector<std::vector<std::int32_t>>& components,
                                                         const FreedomMap& map, std::span<const Stretch> springs) {
  DisjointSets sets(components.size());
  if (!map.is_selection() || !springs.empty()) {
    std::vector<std::int32_t> component_of(static_cast<std::size_t>(map.dof_count() / 3), -1);
    for (std::size_t i = 0; i < components.size(); ++i)
      for (const std::int32_t v : components[i])
        component_of[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(i);
    const auto component = [&](std::int32_t dof) {
      const std::int32_t found = component_of[static_cast<std::size_t>(dof / 3)];
      if (found < 0) fail_outside(dof / 3);
      return found;
    };
    for (const std::int32_t dof : map.followers())
      for (const FreeShare& share : map.row(dof)) {
        const std::int32_t leader = component(map.free_dofs()[static_cast<std::size_t>(share.free)]);
        if (component_of[static_cast<std::size_t>(dof / 3)] >= 0) sets.join(component(dof), leader);
      }
    for (const Stretch& spring : springs)
      for (const auto& [dof, factor] : spring) sets.join(component(spring.front().first), component(dof));
  }
  std::vector<std::vector<std::size_t>> groups(components.size());
  for (std::size_t i = 0; i < components.size(); ++i)
    groups[static_cast<std::size_t>(sets.root(static_cast<std::int32_t>(i)))].push_back(i);
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

// Components that move rigidly, each in its own way, as far as supports, joints and springs let them.
class RigidGroup {
 public:
  RigidGroup(const VolumeMesh& mesh, const FreedomMap& map, std::span<const Stretch> springs,
             std::vector<const std::vector<std::int32_t>*> components)
      : mesh_(mesh), map_(map), springs_(springs), components_(std::move(components)) {
    for (const auto* component : components_) frames_.push_back(frame_of(mesh, *component));
    if (components_.size() > 1 || !springs.empty())
      for (std::size_t i = 0; i < components_.size(); ++i)
        for (const std::int32_t v : *components_[i]) place_.emplace(v, i);
  }

  /// (t, omega) of all components, one motion per column.
  [[nodiscard]] MatrixXd motions() const {
    std::vector<std::int32_t> bound;  // displacements that aren't free
    for (const auto* component : components_)
      for (const std::int32_t v : *component)
        for (std::int32_t dof = 3 * v; dof < 3 * v + 3; ++dof)
          if (!map_.is_free(dof)) bound.push_back(dof);
    std::vector<const Stretch*> springs;
    for (const Stretch& spring : springs_)
      if (place_.contains(spring.front().first / 3)) springs.push_back(&spring);
    const Eigen::Index unknowns = 6 * std::ssize(components_), rows = std::ssize(bound) + std::ssize(springs);
    if (rows == 0) return MatrixXd::Identity(unknowns, unknowns);
    // As many rows as columns at least, so that the decomposition has all right singular vectors.
    MatrixXd constraints = MatrixXd::Zero(std::max(unknowns, rows), unknowns);
    for (std::size_t i = 0; i < springs.size(); ++i)
      for (const auto& [dof, factor] : *springs[i])
        add(constraints, std::ssize(bound) + static_cast<Eigen::Index>(i), dof, factor);
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      add(constraints, row, bound[i], 1);
      for (const FreeShare& share : map_.row(bound[i]))
        add(constraints, row, map_.free_dofs()[static_cast<std::size_t>(share.free)], -share.factor);
    }
    const dense::Svd svd = dense::svd(constraints);
    const double largest = std::max(svd.values[0], 1.0);  // what is held has rows of that size; others are round-off
    const auto rank = (svd.values.array() > rank_tolerance * largest).count();
    return svd.v_transposed.bottomRows(unknowns - rank).transpose();
  }

  /// Writes the displacements of such motions into columns of z, from `first` on.
  void displace(const MatrixXd& motions, Eigen::Index first, MatrixXd& z) const {
    for (std::size_t i = 0; i < components_.size(); ++i)
      for (const std::int32_t v : *components_[i])
        if (map_.is_free(3 * v) || map_.is_free(3 * v + 1) || map_.is_free(3 * v + 2))
          z.block(3 * Eigen::Index{v}, first, 3, motions.cols()) =
              rigid_map(frames_[i], position(mesh_, v)) * motions.middleRows<6>(6 * static_cast<Eigen::Index>(i));
  }

 private:
  // The displacement `dof` as a rigid motion moves it.
  void add(MatrixXd& constraints, Eigen::Index row, std::int32_t dof, double factor) const {
    const std::size_t i = components_.size() == 1 ? 0 : place_.at(dof / 3);
    constraints.block<1, 6>(row, 6 * static_cast<Eigen::Index>(i)) +=
        factor * rigid_map(frames_[i], position(mesh_, dof / 3)).row(dof % 3);
  }

  const VolumeMesh& mesh_;
  const FreedomMap& map_;
  std::span<const Stretch> springs_;
  std::vector<const std::vector<std::int32_t>*> components_;
  std::vector<Frame> frames_;
  std::unordered_map<std::int32_t, std::size_t> place_;  // of vertices; empty where nobody asks
};

}  // namespace

// Twice, so that what rounding leaves of the first pass goes too.
void orthonormalize_rigid(MatrixXd& z, const std::function<MatrixXd(const MatrixXd&)>& mass_times) {
  for (int pass = 0; pass < 2 && z.cols() > 0; ++pass) {
    const std::optional<dense::Cholesky> factor = dense::cholesky(z.transpose() * mass_times(z));
    if (!factor)
      throw NumericalError("the rigid motions have no mass: the mass matrix isn't positive definite on them");
    factor->orthonormalize(z);
  }
}

void orthonormalize_rigid(MatrixXd& z, const SparseMatrix& mass) {
  orthonormalize_rigid(z, [&](const MatrixXd& x) -> MatrixXd { return mass.map() * x; });
}

MatrixXd rigid_motions(const PreparedMesh& prepared, const FreedomMap& map) {
  const VolumeMesh& mesh = prepared.mesh();
  const auto components = connected_components(mesh);
  const std::vector<Stretch> springs = stretches_of(mesh, map);
  std::vector<RigidGroup> groups;
  std::vector<MatrixXd> motions;
  Eigen::Index count = 0;
  for (const auto& numbers : coupled_components(components, map, springs)) {
    std::vector<const std::vector<std::int32_t>*> members;
    for (const std::size_t i : numbers) members.push_back(&components[i]);
    groups.emplace_back(mesh, map, springs, std::move(members));
    motions.push_back(groups.back().motions());
    count += motions.back().cols();
  }
  MatrixXd z = MatrixXd::Zero(3 * mesh.vertex_count(), count);
  Eigen::Index first = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].displace(motions[i], first, z);
    first += motions[i].cols();
  }
  if (!map.holds_whole_vertices()) map.expand(map.restrict_displacements(z), z);  // to the bit
  return z;
}

Matrix rigid_modes(const VolumeMesh& mesh, const SparseMatrix& mass, const Supports& supports) {
  return rigid_modes(PreparedMesh(mesh), mass, supports);
}

Matrix rigid_modes(const PreparedMesh& mesh, const SparseMatrix& mass, const Supports& supports) {
  if (mass.rows != 3 * mesh.vertex_count() || mass.cols != mass.rows)
    throw InputError("the mass matrix has " + std::to_string(mass.rows) + " rows and " + std::to_string(mass.cols) +
                     " columns, but the mesh has " + std::to_string(mesh.vertex_count()) +
                     " vertices; three rows and columns per vertex are needed");
  MatrixXd z = rigid_motions(mesh, FreedomMap(mesh.mesh(), supports));
  orthonormalize_rigid(z, mass);
  return to_matrix(z);
}

}  // namespace quartic
