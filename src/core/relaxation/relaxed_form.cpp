// The relaxed energy as a sum of squares.
//
// With L = (L_11, L_12; 0, L_22) of V, the strains that U doesn't have are L_22 m, and their part along Y is t m. So t
// = C L_22 with |C| <= 1, and the relaxed form needs F L_22 with F^T F = I - beta C^T C. With the singular values s and
// right vectors z of C, F = I - sum z (1 - sqrt(1 - beta s^2)) z^T. Where L_22 is singular, its pseudo-inverse serves.
#include <algorithm>
#include <cmath>

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"
#include "core/energy/strain_form.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "quartic/relaxation.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The quadratic strains' block of the factor, and back.
MatrixXd quadratic_block(const StrainForm& form) {
  const Index strains = strain_count(form.rank), pairs = strains - form.rank;
  MatrixXd block = MatrixXd::Zero(pairs, pairs);
  for (Index row = 0; row < pairs; ++row)
    for (Index column = row; column < pairs; ++column)
      block(row, column) = form.factor[strain_entry(form.rank + row, form.rank + column, strains)];
  return block;
}
void set_quadratic_block(const MatrixXd& block, StrainForm& form) {
  const Index strains = strain_count(form.rank);
  for (Index row = 0; row < block.rows(); ++row)
    for (Index column = row; column < block.cols(); ++column)
      form.factor[strain_entry(form.rank + row, form.rank + column, strains)] = block(row, column);
}

// C = t L^+.
MatrixXd shares_of_strains(const MatrixXd& block, const Relaxation& relaxation) {
  const dense::Svd svd = dense::svd(block);
  const double least = 1e-14 * static_cast<double>(block.rows()) * svd.values[0];
  MatrixXd along = relaxation.products.map() * svd.v_transposed.transpose();
  for (Index k = 0; k < svd.values.size(); ++k) along.col(k) *= svd.values[k] > least ? 1 / svd.values[k] : 0;
  return along * svd.u.transpose();
}

}  // namespace

StrainForm relaxed(const StrainForm& form, const Relaxation& relaxation) {
  check(form);
  check(relaxation, form.rank);
  if (relaxation.share == 0 || relaxation.field_count() == 0) return form;
  MatrixXd block = quadratic_block(form);
  const dense::Svd directions = dense::svd(shares_of_strains(block, relaxation));
  const VectorXd left = (1 - relaxation.share * directions.values.array().min(1).square()).sqrt();
  const MatrixXd parts = blas::multiply_transposed(directions.v_transposed.transpose(), block);
  blas::multiply(-1, directions.v_transposed.transpose(), (1 - left.array()).matrix().asDiagonal() * parts, 1, block);
  dense::triangularize(block);
  StrainForm result = form;
  set_quadratic_block(block, result);
  return result;
}

}  // namespace quartic
