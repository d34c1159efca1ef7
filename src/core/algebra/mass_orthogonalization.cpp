#include "core/algebra/mass_orthogonalization.hpp"

#include <cmath>
#include <vector>

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_product.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Removes Q's part from the panel, `passes` times, and returns the coefficients.
MatrixXd remove_projection(const blas::In& q, const SparseMatrix& mass, Eigen::Ref<MatrixXd> panel, int passes) {
  MatrixXd coefficients = MatrixXd::Zero(q.cols(), panel.cols());
  if (q.cols() == 0) return coefficients;
  for (int pass = 0; pass < passes; ++pass) {
    const MatrixXd c = blas::multiply_transposed(q, sparse_times(mass, panel));
    blas::multiply(-1, q, c, 1, panel);
    coefficients += c;
  }
  return coefficients;
}

// A panel with M times it beside, so that one sparse product serves all columns.
struct PanelPart {
  Eigen::Ref<MatrixXd> x, mass_x;
  [[nodiscard]] PanelPart columns(Index first, Index count) {
    return {x.middleCols(first, count), mass_x.middleCols(first, count)};
  }
};

// Column after column. As orthonormalize_part.
// NOLINTNEXTLINE(performance-unnecessary-value-param): views, whose columns are changed
MatrixXd gram_schmidt(PanelPart part, const VectorXd& shortest) {
  auto& [x, mass_x] = part;
  MatrixXd t = MatrixXd::Zero(x.cols(), x.cols());
  Index kept = 0;
  for (Index j = 0; j < x.cols(); ++j) {
    VectorXd v = x.col(j), mass_v = mass_x.col(j);
    for (int pass = 0; pass < 2 && kept > 0; ++pass) {
      const VectorXd c = x.leftCols(kept).transpose() * mass_v;
      v -= x.leftCols(kept) * c;
      mass_v -= mass_x.leftCols(kept) * c;
      t.col(j).head(kept) += c;
    }
    const double length = std::sqrt(std::max(0.0, v.dot(mass_v)));
    if (!(length > shortest[j])) continue;
    t(kept, j) = length;
    x.col(kept) = v / length;
    mass_x.col(kept++) = mass_v / length;
  }
  return t.topRows(kept);
}

// Gram-Schmidt inside a panel, in place: the first `kept` columns become orthonormal. Returns T (kept x columns), panel
// = Q T. Columns that end up no longer than `shortest` are dropped. By halves, so that most of the work is products of
// blocks and each column travels through the memory seldom.
MatrixXd orthonormalize_part(PanelPart part, const VectorXd& shortest) {
  constexpr Index by_columns = 4;
  const Index columns = part.x.cols(), half = columns / 2, rest = columns - half;
  if (columns <= by_columns) return gram_schmidt(part, shortest);
  const MatrixXd t_left = orthonormalize_part(part.columns(0, half), shortest.head(half));
  const Index kept_left = t_left.rows();
  PanelPart left = part.columns(0, kept_left), right = part.columns(half, rest);
  MatrixXd above = MatrixXd::Zero(kept_left, rest);
  for (int pass = 0; pass < 2; ++pass) {
    const MatrixXd c = blas::multiply_transposed(left.x, right.mass_x);
    blas::multiply(-1, left.x, c, 1, right.x);
    blas::multiply(-1, left.mass_x, c, 1, right.mass_x);
    above += c;
  }
  const MatrixXd t_right = orthonormalize_part(right, shortest.tail(rest));
  const Index kept_right = t_right.rows();
  for (Index j = 0; j < kept_right && kept_left < half; ++j) {  // close the gap that dropped columns left
    part.x.col(kept_left + j) = right.x.col(j);
    part.mass_x.col(kept_left + j) = right.mass_x.col(j);
  }
  MatrixXd t = MatrixXd::Zero(kept_left + kept_right, columns);
  t.topLeftCorner(kept_left, half) = t_left;
  t.topRightCorner(kept_left, rest) = above;
  t.bottomRightCorner(kept_right, rest) = t_right;
  return t;
}

// What mass_qr_by_panels asks for. Q grows in the front of the fields' memory.
class Panels {
 public:
  Panels(Matrix& fields, const SparseMatrix& mass) : x_(fields.map()), mass_(mass) {}
  void load(Index first, Index width) { panel_ = x_.middleCols(first, width); }
  [[nodiscard]] VectorXd norms() const { return mass_norms(mass_, panel_); }
  [[nodiscard]] MatrixXd remove_projection(Index rank, int passes) {
    return quartic::remove_projection(x_.leftCols(rank), mass_, panel_, passes);
  }
  [[nodiscard]] MatrixXd orthonormalize(const VectorXd& shortest) {
    MatrixXd mass_panel = sparse_times(mass_, panel_);
    MatrixXd t = orthonormalize_part({panel_, mass_panel}, shortest);
    panel_.conservativeResize(Eigen::NoChange, t.rows());
    return t;
  }
  void store(Index first) { x_.middleCols(first, panel_.cols()) = panel_; }

 private:
  Eigen::Map<MatrixXd> x_;
  const SparseMatrix& mass_;
  MatrixXd panel_;
};

}  // namespace

VectorXd mass_norms(const SparseMatrix& mass, MatrixRef x) {
  VectorXd norms(x.cols());
  for (Index first = 0; first < x.cols(); first += qr_panel_size) {  // by panels, to bound the memory of the product
    const auto part = x.middleCols(first, std::min(qr_panel_size, x.cols() - first));
    norms.segment(first, part.cols()) =
        part.cwiseProduct(sparse_times(mass, part)).colwise().sum().cwiseMax(0).cwiseSqrt().transpose();
  }
  return norms;
}

MassQr mass_qr(Matrix fields, const SparseMatrix& mass) {
  Panels panels(fields, mass);
  MatrixXd r = mass_qr_by_panels(panels, fields.cols);
  fields.values.resize(static_cast<std::size_t>(fields.rows * r.rows()));
  fields.cols = r.rows();
  return {std::move(fields), std::move(r)};
}

}  // namespace quartic
