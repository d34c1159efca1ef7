// Vertices that move as one rigid body, infinitesimally; points and rigid bodies that move with them.
#include <Eigen/Core>
#include <cmath>
#include <string>
#include <utility>

#include "core/algebra/dense.hpp"
#include "core/base/number_text.hpp"
#include "core/elements/quadrature.hpp"
#include "core/supports/boundary_areas.hpp"
#include "core/supports/set_motion.hpp"
#include "core/supports/vertex_set.hpp"
#include "quartic/attachments.hpp"
#include "quartic/error.hpp"
#include "quartic/supports.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::vector<std::int32_t> checked_members(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                          const std::string& origin) {
  require_indices(mesh);
  std::vector<std::int32_t> members = distinct_vertices(vertices);
  for (const std::int32_t v : members)
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError(origin + ": vertex " + std::to_string(v) + " is outside 0 .. " +
                       std::to_string(mesh.vertex_count() - 1));
  if (members.empty()) throw InputError(origin + ": it needs vertices that move it");
  return members;
}

SetMotion motion_of(const VolumeMesh& mesh, const std::vector<std::int32_t>& members, Link link) {
  return link == Link::rigid ? SetMotion::of_rigid(mesh, displacements_of(members)) : mean_motion(mesh, members);
}

std::vector<Constraint> follow(std::int32_t vertex, const Vector3d& x, const SetMotion& motion,
                               const std::string& origin) {
  std::vector<Constraint> constraints;
  for (std::size_t c = 0; c < 3; ++c) {
    std::array<double, 3> axis = {};
    axis[c] = 1;
    auto leaders = motion.displacement({x[0], x[1], x[2]}, axis);
    if (!leaders)
      throw InputError(origin +
                       ": its vertices are on a line or at one place, and don't say how a point beside them "
                       "moves; take more vertices");
    Constraint& equation = constraints.emplace_back(Constraint{{{vertex, axis}}, origin});
    for (DisplacementTerm& term : *leaders) {
      for (double& factor : term.factors) factor = -factor;
      equation.terms.push_back(term);
    }
  }
  return constraints;
}

}  // namespace

std::vector<std::int32_t> displacements_of(std::span<const std::int32_t> vertices) {
  std::vector<std::int32_t> dofs;
  for (const std::int32_t v : vertices)
    for (std::int32_t c = 0; c < 3; ++c) dofs.push_back(3 * v + c);
  return dofs;
}

SetMotion mean_motion(const VolumeMesh& mesh, std::span<const std::int32_t> vertices) {
  const std::vector<double> shares = area_shares(mesh, vertices);
  std::vector<std::int32_t> dofs;
  std::vector<double> weights;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for (std::int32_t c = 0; c < 3 && shares[i] > 0; ++c) {
      dofs.push_back(3 * vertices[i] + c);
      weights.push_back(shares[i]);
    }
  return SetMotion::mean(mesh, dofs, weights);
}

// Second moments S = tr(I) / 2 - I of the mass about its centre. Four points at centre + sqrt(S / m) t with a quarter
// of the mass each have them, t being the corners (1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1) of a tetrahedron:
// their sum is 0, and that of t t^T is 4.
std::vector<std::pair<double, std::array<double, 3>>> equimomental_points(const RigidMass& body,
                                                                          const std::string& origin) {
  constexpr double rounding = 1e-9;  // of digits in files
  const Vector3d centre = Vector3d::Map(body.centre.data());
  Matrix3d inertia;
  inertia << body.inertia[0], body.inertia[3], body.inertia[4],  //
      body.inertia[3], body.inertia[1], body.inertia[5],         //
      body.inertia[4], body.inertia[5], body.inertia[2];
  if (!(body.mass >= 0) || !std::isfinite(body.mass) || !centre.allFinite() || !inertia.allFinite())
    throw InputError(origin + ": a rigid body needs a mass of 0 or more, and finite numbers");
  if (inertia.isZero(0)) return {{body.mass, body.centre}};
  if (body.mass == 0) throw InputError(origin + ": moments of inertia need a mass; give the body its own");
  const dense::Eigenpairs moments =
      dense::symmetric_eigen(Matrix3d::Identity() * (inertia.trace() / (2 * body.mass)) - inertia / body.mass);
  if (moments.values[0] < -rounding * moments.values[2])
    throw InputError(origin + ": no body has these moments of inertia, since the largest principal one, " +
                     number_text((inertia.trace() / 2 - body.mass * moments.values[0]), 4) +
                     " kg m^2, is more than the sum of both others");
  const Matrix3d root =
      moments.vectors * moments.values.cwiseMax(0).cwiseSqrt().asDiagonal() * moments.vectors.transpose();
  std::vector<std::pair<double, std::array<double, 3>>> points;
  for (const Vector3d& t : {Vector3d{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}) {
    const Vector3d x = centre + root * t;
    points.push_back({body.mass / 4, {x[0], x[1], x[2]}});
  }
  return points;
}

std::vector<Constraint> link_rigidly(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                     const std::string& origin) {
  const std::vector<std::int32_t> members = checked_members(mesh, vertices, origin);
  if (members.size() < 2) throw InputError(origin + ": a rigid link needs two vertices or more");
  return SetMotion::of_rigid(mesh, displacements_of(members)).equations(origin);
}

void attach_rigid_mass(VolumeMesh& mesh, std::span<const std::int32_t> vertices, const RigidMass& body, Link link,
                       const std::string& origin) {
  const std::vector<std::int32_t> members = checked_members(mesh, vertices, origin);
  const SetMotion motion = motion_of(mesh, members, link);
  std::vector<Constraint> joints;
  if (link == Link::rigid && members.size() > 1) joints = motion.equations(origin);
  const auto points = equimomental_points(body, origin);
  auto vertex = static_cast<std::int32_t>(mesh.vertex_count());
  for (const auto& [mass, x] : points) {
    std::vector<Constraint> follower = follow(vertex++, Vector3d::Map(x.data()), motion, origin);
    joints.insert(joints.end(), follower.begin(), follower.end());
  }
  vertex -= static_cast<std::int32_t>(points.size());
  for (const auto& [mass, x] : points) {
    mesh.vertices.insert(mesh.vertices.end(), x.begin(), x.end());
    mesh.masses.push_back({vertex++, mass});
  }
  mesh.joints.insert(mesh.joints.end(), joints.begin(), joints.end());
}

std::vector<DisplacementTerm> mean_rotation(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                            const std::array<double, 3>& axis, const std::string& origin) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 0) || !std::isfinite(length))
    throw InputError(origin + ": an axis needs three finite numbers that aren't all zero");
  auto terms = mean_motion(mesh, checked_members(mesh, vertices, origin))
                   .rotation({axis[0] / length, axis[1] / length, axis[2] / length});
  if (!terms) throw InputError(origin + ": its vertices are on a line along the axis or at one place, and don't turn");
  return std::move(*terms);
}

}  // namespace quartic
