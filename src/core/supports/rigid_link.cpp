// Vertices that move as one rigid body, infinitesimally.
//
// With R (3m, 6) for the rigid motions of m vertices, their displacements are R z. Six displacements d lead, chosen by
// Gram-Schmidt with pivoting so that R_d has the largest volume step by step; the others are R R_d^-1 u_d.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/elements/quadrature.hpp"
#include "core/supports/vertex_set.hpp"
#include "quartic/error.hpp"
#include "quartic/supports.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;

// Below this share of the set's size, what vertices on a line can't do has no leader.
constexpr double rank_tolerance = 1e-9;

// About the vertices' mean, rotations by their size: shape (3m, 6).
MatrixXd rigid_rows(const VolumeMesh& mesh, std::span<const std::int32_t> vertices) {
  const auto position = [&](std::int32_t v) { return Vector3d::Map(mesh.vertices.data() + 3 * std::ptrdiff_t{v}); };
  Vector3d centre = Vector3d::Zero();
  for (const std::int32_t v : vertices) centre += position(v) / static_cast<double>(vertices.size());
  double radius = 0;
  for (const std::int32_t v : vertices) radius = std::max(radius, (position(v) - centre).norm());
  MatrixXd rows = MatrixXd::Zero(3 * std::ssize(vertices), 6);
  for (Index i = 0; i < std::ssize(vertices); ++i) {
    const Vector3d d = (position(vertices[static_cast<std::size_t>(i)]) - centre) / (radius > 0 ? radius : 1);
    for (Index c = 0; c < 3; ++c) {
      rows(3 * i + c, c) = 1;
      rows.block<3, 1>(3 * i, 3 + c) = Vector3d::Unit(c).cross(d);
    }
  }
  return rows;
}

// The rows that lead, in the order in which they are found.
std::vector<Index> leading_rows(MatrixXd rows) {
  std::vector<Index> leaders;
  for (int count = 0; count < 6; ++count) {
    Index largest = 0;
    const double norm = rows.rowwise().norm().maxCoeff(&largest);
    if (norm < rank_tolerance) break;
    leaders.push_back(largest);
    const Eigen::RowVectorXd direction = rows.row(largest) / norm;
    rows -= (rows * direction.transpose()).eval() * direction;
  }
  return leaders;
}

// Of independent rows. There are fewer than columns where vertices on a line have no leader for turns about it.
MatrixXd pseudo_inverse(const MatrixXd& rows) {
  const dense::Svd svd = dense::svd(rows);
  return svd.v_transposed.transpose() * svd.values.cwiseInverse().asDiagonal() * svd.u.transpose();
}

}  // namespace

std::vector<Constraint> link_rigidly(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                     const std::string& origin) {
  require_indices(mesh);
  std::vector<std::int32_t> members = distinct_vertices(vertices);
  for (const std::int32_t v : members)
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError(origin + ": vertex " + std::to_string(v) + " is outside 0 .. " +
                       std::to_string(mesh.vertex_count() - 1));
  if (members.size() < 2) throw InputError(origin + ": a rigid link needs two vertices or more");
  const MatrixXd rows = rigid_rows(mesh, members);
  const std::vector<Index> leaders = leading_rows(rows);
  const MatrixXd shares = rows * pseudo_inverse(rows(leaders, Eigen::all));
  std::vector<Constraint> constraints;
  for (Index row = 0; row < rows.rows(); ++row) {
    if (std::find(leaders.begin(), leaders.end(), row) != leaders.end()) continue;
    Constraint follow{{}, origin};
    const auto add = [&](Index of, double factor) {
      DisplacementTerm& term = follow.terms.emplace_back();
      term.vertex = members[static_cast<std::size_t>(of / 3)];
      term.factors[static_cast<std::size_t>(of % 3)] = factor;
    };
    add(row, 1);
    for (std::size_t k = 0; k < leaders.size(); ++k) add(leaders[k], -shares(row, static_cast<Index>(k)));
    constraints.push_back(std::move(follow));
  }
  return constraints;
}

}  // namespace quartic
