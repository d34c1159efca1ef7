#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/modes/elastic_system.hpp"
#include "core/supports/freedom_map.hpp"
#include "quartic/driven.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double rounding = 1e-9;  // of sums of a few products with factors of about 1

[[noreturn]] void fail(const DrivenSet& set, const std::string& what) {
  throw InputError(set.name + ": " + what);
}

// Unit vectors of the sets' directions. @throws InputError
std::vector<Vector3d> checked_directions(std::span<const DrivenSet> sets, std::int64_t vertex_count) {
  std::vector<Vector3d> directions;
  std::map<std::int32_t, std::vector<std::size_t>> sets_of;  // by vertex
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const DrivenSet& set = sets[s];
    const Vector3d direction = Vector3d::Map(set.direction.data());
    if (!(direction.norm() > 0) || !direction.allFinite()) fail(set, "its direction must be finite and not zero");
    if (set.vertices.empty()) fail(set, "it has no vertices");
    directions.push_back(direction.normalized());
    for (const std::int32_t v : std::set<std::int32_t>(set.vertices.begin(), set.vertices.end())) {
      if (v < 0 || v >= vertex_count) fail(set, "there is no vertex " + std::to_string(v));
      for (const std::size_t other : sets_of[v])
        if (std::abs(directions[s].dot(directions[other])) > rounding)
          fail(set, "vertex " + std::to_string(v) + " is moved along two directions that aren't perpendicular");
      sets_of[v].push_back(s);
    }
  }
  return directions;
}

// What is held may move with a set.
void require_held(const FreedomMap& map, const DrivenSet& set, const Vector3d& direction) {
  for (const std::int32_t v : set.vertices) {
    std::map<std::int32_t, double> sum;  // of free displacements
    for (Eigen::Index c = 0; c < 3; ++c)
      for (const FreeShare& share : map.row(3 * std::int64_t{v} + c)) sum[share.free] += direction[c] * share.factor;
    for (const auto& [free, factor] : sum)
      if (std::abs(factor) > rounding)
        fail(set, "vertex " + std::to_string(v) +
                      " isn't held along the direction of its motion; the body's supports must hold it there "
                      "(hold_along, --fix-set)");
  }
}

// Without what holds vertices of the sets alone.
Supports without_holds(const Supports& supports, std::span<const DrivenSet> sets) {
  std::set<std::int32_t> moved;
  for (const DrivenSet& set : sets) moved.insert(set.vertices.begin(), set.vertices.end());
  const auto is_of_moved = [&](const Constraint& constraint) {
    return std::ranges::all_of(constraint.terms, [&](const DisplacementTerm& term) {
      return term.vertex == constraint.terms.front().vertex && moved.contains(term.vertex);
    });
  };
  Supports rest = supports;
  std::erase_if(rest.fixed_vertices, [&](std::int32_t v) { return moved.contains(v); });
  std::erase_if(rest.constraints, is_of_moved);
  return rest;
}

// The set's unit displacement with what follows it.
Eigen::VectorXd unit_field(const FreedomMap& loose, const DrivenSet& set, const Vector3d& direction) {
  MatrixXd field = MatrixXd::Zero(loose.dof_count(), 1);
  for (const std::int32_t v : set.vertices) field.col(0).segment<3>(3 * Eigen::Index{v}) = direction;
  MatrixXd obedient(loose.dof_count(), 1);
  loose.expand(loose.restrict_displacements(field), obedient);
  for (const std::int32_t v : set.vertices)
    if ((obedient.col(0).segment<3>(3 * Eigen::Index{v}) - direction).norm() > rounding)
      fail(set, "vertex " + std::to_string(v) + " can't move so: another support or a joint says where it goes");
  return obedient.col(0);
}

}  // namespace

Matrix driven_fields(const VolumeMesh& mesh, const Supports& supports, std::span<const DrivenSet> sets) {
  const std::vector<Vector3d> directions = checked_directions(sets, mesh.vertex_count());
  const FreedomMap held(mesh, supports);
  for (std::size_t s = 0; s < sets.size(); ++s) require_held(held, sets[s], directions[s]);
  const FreedomMap loose(mesh, without_holds(supports, sets));
  Matrix fields(3 * mesh.vertex_count(), std::ssize(sets));
  for (std::size_t s = 0; s < sets.size(); ++s)
    fields.map().col(static_cast<Eigen::Index>(s)) = unit_field(loose, sets[s], directions[s]);
  // A direction that isn't an axis moves free displacements, too: T x takes that part over.
  MatrixXd free(fields.rows, fields.cols);
  held.expand(held.restrict_displacements(fields.map()), free);
  fields.map() -= free;
  return fields;
}

Matrix lifting_fields(const VolumeMesh& mesh, const Supports& supports, std::span<const DrivenSet> sets) {
  Matrix fields = driven_fields(mesh, supports, sets);
  const ElasticSystem system(mesh, supports);
  if (system.rigid_mode_count() > 0)
    throw InputError("moved sets and supports leave " + std::to_string(system.rigid_mode_count()) +
                     " rigid motions: what moves the body must hold it against all of them");
  const ElasticSystem::Impl& impl = system.impl();
  MatrixXd x = impl.restrict_forces(MatrixXd(stiffness_matrix(mesh).map() * fields.map()));
  impl.solver->solve_static(x);
  MatrixXd answer(impl.dofs, x.cols());
  impl.scatter_from_free(x, answer);
  fields.map() -= answer;
  return fields;
}

}  // namespace quartic
