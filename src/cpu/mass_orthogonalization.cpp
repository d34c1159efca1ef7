#include "core/mass_orthogonalization.hpp"

#include <cmath>
#include <vector>

#include "core/elastic_system.hpp"
#include "cpu/blas.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index panel_size = 24;
// What is left of a column after projection, relative to the column, below which it is round-off.
constexpr double dependence = 1e-12;
// A remainder that was normalised and loses more than this in a second orthogonalisation was round-off: it lies in what
// the earlier columns span.
constexpr double second_loss = 0.5;

// Removes Q's part from the panel and returns the coefficients.
MatrixXd remove_projection(const blas::In& q, const SparseMatrix& mass, Eigen::Ref<MatrixXd> panel) {
  MatrixXd coefficients = MatrixXd::Zero(q.cols(), panel.cols());
  if (q.cols() == 0) return coefficients;
  for (int pass = 0; pass < 2; ++pass) {
    const MatrixXd c = blas::multiply_transposed(q, sparse_times(mass, panel));
    blas::multiply(-1, q, c, 1, panel);
    coefficients += c;
  }
  return coefficients;
}

// Gram-Schmidt inside a panel, in place: the first `kept` columns become orthonormal. Returns T (kept x columns), panel
// = Q T. Columns that end up no longer than `shortest` are dropped. M times the panel goes along, so that
// one sparse product serves all columns.
MatrixXd orthonormalize_panel(const SparseMatrix& mass, Eigen::Ref<MatrixXd> panel, const VectorXd& shortest) {
  MatrixXd mass_panel = sparse_times(mass, panel);
  MatrixXd t = MatrixXd::Zero(panel.cols(), panel.cols());
  Index kept = 0;
  for (Index j = 0; j < panel.cols(); ++j) {
    VectorXd v = panel.col(j), mass_v = mass_panel.col(j);
    for (int pass = 0; pass < 2 && kept > 0; ++pass) {
      const VectorXd c = panel.leftCols(kept).transpose() * mass_v;
      v -= panel.leftCols(kept) * c;
      mass_v -= mass_panel.leftCols(kept) * c;
      t.col(j).head(kept) += c;
    }
    const double length = std::sqrt(std::max(0.0, v.dot(mass_v)));
    if (!(length > shortest[j])) continue;
    t(kept, j) = length;
    panel.col(kept) = v / length;
    mass_panel.col(kept++) = mass_v / length;
  }
  return t.topRows(kept);
}

}  // namespace

VectorXd mass_norms(const SparseMatrix& mass, MatrixRef x) {
  VectorXd norms(x.cols());
  for (Index first = 0; first < x.cols(); first += panel_size) {  // by panels, to bound the memory of the product
    const auto part = x.middleCols(first, std::min(panel_size, x.cols() - first));
    norms.segment(first, part.cols()) =
        part.cwiseProduct(sparse_times(mass, part)).colwise().sum().cwiseMax(0).cwiseSqrt().transpose();
  }
  return norms;
}

MassQr mass_qr(Matrix fields, const SparseMatrix& mass) {
  const Index columns = fields.cols;
  auto x = fields.map();  // Q grows in the front of the same memory
  MatrixXd r = MatrixXd::Zero(columns, columns);
  Index rank = 0;
  for (Index first = 0; first < columns; first += panel_size) {
    const Index width = std::min(panel_size, columns - first);
    MatrixXd panel = x.middleCols(first, width);
    const VectorXd scale = mass_norms(mass, panel);
    MatrixXd above = remove_projection(x.leftCols(rank), mass, panel);
    MatrixXd t = orthonormalize_panel(mass, panel, dependence * scale);
    // Once more: normalising small remainders amplified what was left of Q in them.
    auto q = panel.leftCols(t.rows());
    const MatrixXd above_again = remove_projection(x.leftCols(rank), mass, q);
    const MatrixXd t_again = orthonormalize_panel(mass, q, VectorXd::Constant(t.rows(), second_loss));
    above += above_again * t;
    t = t_again * t;
    const Index kept = t.rows();
    x.middleCols(rank, kept) = q.leftCols(kept);
    r.block(0, first, rank, width) = above;
    r.block(rank, first, kept, width) = t;
    rank += kept;
  }
  fields.values.resize(static_cast<std::size_t>(fields.rows * rank));
  fields.cols = rank;
  return {std::move(fields), r.topRows(rank)};
}

}  // namespace quartic
