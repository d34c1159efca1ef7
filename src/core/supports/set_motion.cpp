// With R (m, 6) for the rigid motions of m displacements, u = R z. Six displacements d lead, chosen by Gram-Schmidt
// with pivoting so that R_d has the largest volume step by step: z = R_d^-1 u_d. The mean motion has the least
// w_i (u_i - (R z)_i)^2, z = (W^1/2 R)^+ W^1/2 u, as an RBE3 element has it.
#include "core/supports/set_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/algebra/dense.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::Vector3d;

// Below this share of the set's size, what vertices on a line can't do has no leader: above the rounding of coordinates
// in files, as for rigid modes.
constexpr double rank_tolerance = 1e-6;
// What part of a motion may be beyond those that a set can tell, of points that are meant to lie on a line.
constexpr double undetermined = 1e-6;
constexpr double share_rounding = 1e-15;  // of shares, relative to the largest

// The rows that lead, in the order in which they are found.
std::vector<Index> leading_rows(MatrixXd rows) {
  std::vector<Index> leaders;
  for (int count = 0; count < 6; ++count) {
    Index largest = 0;
    const double norm = rows.rowwise().norm().maxCoeff(&largest);
    if (norm < rank_tolerance) break;
    leaders.push_back(largest);
    const RowVectorXd direction = rows.row(largest) / norm;
    rows -= (rows * direction.transpose()).eval() * direction;
  }
  return leaders;
}

// a . (t + omega x d) of z = (t, radius omega), d = (x - centre) / radius.
RowVectorXd displacement_row(const Vector3d& d, const Vector3d& a) {
  RowVectorXd row(6);
  row << a.transpose(), d.cross(a).transpose();
  return row;
}

}  // namespace

// About the vertices' mean, rotations by their size.
SetMotion::SetMotion(const VolumeMesh& mesh, std::span<const std::int32_t> dofs)
    : centre_(Vector3d::Zero()), members_(dofs.begin(), dofs.end()), rows_(std::ssize(dofs), 6) {
  const auto position = [&](std::int32_t dof) { return Vector3d::Map(&mesh.vertices[std::size_t{3} * (dof / 3)]); };
  for (const std::int32_t dof : members_) centre_ += position(dof) / static_cast<double>(members_.size());
  double radius = 0;
  for (const std::int32_t dof : members_) radius = std::max(radius, (position(dof) - centre_).norm());
  if (radius > 0) radius_ = radius;
  for (std::size_t i = 0; i < members_.size(); ++i)
    rows_.row(static_cast<Index>(i)) =
        displacement_row((position(members_[i]) - centre_) / radius_, Vector3d::Unit(members_[i] % 3));
}

// Of independent rows or of more: there are fewer independent ones than columns where vertices on a line can't tell
// turns about it.
void SetMotion::solve(const MatrixXd& rows) {
  const dense::Svd svd = dense::svd(rows);
  const double least = rank_tolerance * svd.values[0];
  const auto rank = (svd.values.array() > least).count();
  const auto v = svd.v_transposed.topRows(rank).transpose();
  shares_ = v * svd.values.head(rank).cwiseInverse().asDiagonal() * svd.u.leftCols(rank).transpose();
  determined_ = v * v.transpose();
}

SetMotion SetMotion::of_rigid(const VolumeMesh& mesh, std::span<const std::int32_t> dofs) {
  SetMotion motion(mesh, dofs);
  const std::vector<Index> leaders = leading_rows(motion.rows_);
  for (const Index row : leaders) motion.leaders_.push_back(motion.members_[static_cast<std::size_t>(row)]);
  motion.solve(motion.rows_(leaders, Eigen::all));
  return motion;
}

SetMotion SetMotion::mean(const VolumeMesh& mesh, std::span<const std::int32_t> dofs, std::span<const double> weights) {
  SetMotion motion(mesh, dofs);
  motion.leaders_ = motion.members_;
  const Eigen::VectorXd roots =
      Eigen::VectorXd::Map(weights.data(), std::ssize(weights)).cwiseSqrt() / std::sqrt(std::ranges::max(weights));
  motion.solve(roots.asDiagonal() * motion.rows_);
  motion.shares_ = (motion.shares_ * roots.asDiagonal()).eval();
  return motion;
}

std::optional<std::vector<DisplacementTerm>> SetMotion::terms(const RowVectorXd& row) const {
  if (!((row - row * determined_).norm() <= undetermined * row.norm())) return std::nullopt;
  const RowVectorXd factors = row * shares_;
  const double least = share_rounding * factors.cwiseAbs().maxCoeff();
  std::vector<DisplacementTerm> sum;
  for (Index k = 0; k < factors.size(); ++k) {
    if (std::abs(factors[k]) <= least) continue;
    const std::int32_t dof = leaders_[static_cast<std::size_t>(k)];
    if (sum.empty() || sum.back().vertex != dof / 3) sum.push_back({dof / 3, {}});
    sum.back().factors[static_cast<std::size_t>(dof % 3)] = factors[k];
  }
  return sum;
}

std::optional<std::vector<DisplacementTerm>> SetMotion::displacement(const std::array<double, 3>& point,
                                                                     const std::array<double, 3>& direction) const {
  return terms(displacement_row((Vector3d::Map(point.data()) - centre_) / radius_, Vector3d::Map(direction.data())));
}

std::optional<std::vector<DisplacementTerm>> SetMotion::rotation(const std::array<double, 3>& direction) const {
  RowVectorXd row = RowVectorXd::Zero(6);
  row.tail(3) = Vector3d::Map(direction.data()).transpose() / radius_;
  return terms(row);
}

std::vector<Constraint> SetMotion::equations(const std::string& origin) const {
  const MatrixXd shares = rows_ * shares_;
  std::vector<Constraint> equations;
  for (std::size_t row = 0; row < members_.size(); ++row) {
    if (std::ranges::find(leaders_, members_[row]) != leaders_.end()) continue;
    Constraint follow{{}, origin};
    const auto add = [&](std::int32_t dof, double factor) {
      DisplacementTerm& term = follow.terms.emplace_back();
      term.vertex = dof / 3;
      term.factors[static_cast<std::size_t>(dof % 3)] = factor;
    };
    add(members_[row], 1);
    for (std::size_t k = 0; k < leaders_.size(); ++k)
      add(leaders_[k], -shares(static_cast<Index>(row), static_cast<Index>(k)));
    equations.push_back(std::move(follow));
  }
  return equations;
}

}  // namespace quartic
