#include "core/relaxation/following_products.hpp"

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of the square of a field's K-norm: less is left outside of U and the other fields by round-off alone.
constexpr double least_part = 1e-10;
// Of the largest stiffness of U: less is a rigid motion.
constexpr double least_stiffness_of_basis = 1e-13;

// K_UU^+ B.
MatrixXd solve_stiffness(const MatrixXd& stiffness, const MatrixXd& b) {
  if (stiffness.rows() == 0) return b;
  const dense::Eigenpairs pairs = dense::symmetric_eigen(stiffness);
  const double least = least_stiffness_of_basis * pairs.values.cwiseAbs().maxCoeff();
  MatrixXd along = blas::multiply_transposed(pairs.vectors, b);
  for (Index k = 0; k < along.rows(); ++k) along.row(k) *= pairs.values[k] > least ? 1 / pairs.values[k] : 0;
  return pairs.vectors * along;
}

}  // namespace

FollowingCombination orthonormal_combination(const MatrixXd& basis_stiffness, const MatrixXd& mixed,
                                             const MatrixXd& stiffness) {
  const Index n = stiffness.rows();
  const MatrixXd within = solve_stiffness(basis_stiffness, mixed);
  // In units of each field's own norm, in which round-off is.
  VectorXd scale = VectorXd::Zero(n);
  for (Index k = 0; k < n; ++k)
    if (stiffness(k, k) > 0) scale[k] = 1 / std::sqrt(stiffness(k, k));
  const MatrixXd outside = stiffness - mixed.transpose() * within;
  const dense::Eigenpairs pairs = dense::symmetric_eigen(scale.asDiagonal() * outside * scale.asDiagonal());
  const Index left_out = (pairs.values.array() <= least_part).count();
  FollowingCombination result;
  result.fields = scale.asDiagonal() * pairs.vectors.rightCols(n - left_out) *
                  pairs.values.tail(n - left_out).cwiseSqrt().cwiseInverse().asDiagonal();
  result.basis = -within * result.fields;
  return result;
}

FollowingCombination orthonormal_combination(const StrainProducts& products, std::int64_t kept) {
  const auto k = products.stiffness.map();
  const Index n = k.rows() - kept;
  return orthonormal_combination(k.topLeftCorner(kept, kept), k.topRightCorner(kept, n), k.bottomRightCorner(n, n));
}

Matrix following_products(const StrainProducts& products, std::int64_t kept) {
  return following_products(products.forces, orthonormal_combination(products, kept));
}

Matrix following_products(const Matrix& forces, const FollowingCombination& combination) {
  const auto g = forces.map();
  return to_matrix(combination.fields.transpose() * g.bottomRows(combination.fields.rows()) +
                   combination.basis.transpose() * g.topRows(combination.basis.rows()));
}

StrainProducts combine_fields(const StrainProducts& products, const FollowingCombination& combination) {
  const Index kept = combination.basis.rows(), fields = combination.fields.cols();
  MatrixXd change = MatrixXd::Zero(products.stiffness.rows, kept + fields);
  change.topLeftCorner(kept, kept).setIdentity();
  change.topRightCorner(kept, fields) = combination.basis;
  change.bottomRightCorner(combination.fields.rows(), fields) = combination.fields;
  return {.stiffness = to_matrix(change.transpose() * products.stiffness.map() * change),
          .forces = to_matrix(change.transpose() * products.forces.map())};
}

}  // namespace quartic
