// Block shift-invert Lanczos: the Krylov space of (K + shift M)^-1 M with full reorthogonalisation and thick restart.
//
// Golub & Underwood 1977; Grimes, Lewis & Simon 1994; restart as Wu & Simon 2000. In exact arithmetic the projection of
// the operator on the basis is banded; all its entries are taken from the orthogonalisation, so that a restart needs no
// special case.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/algebra/block_orthonormal.hpp"
#include "core/algebra/dense.hpp"
#include "core/algebra/lobpcg.hpp"

namespace quartic {

namespace lanczos_detail {

// Orthogonalises W against the basis, twice, and returns the coefficients Q^T M W.
template <class Space>
Eigen::MatrixXd project_out(const Space& space, const typename Space::Block& basis, typename Space::Block& w) {
  Eigen::MatrixXd coefficients = Eigen::MatrixXd::Zero(basis.cols(), w.cols());
  for (int pass = 0; pass < 2; ++pass) {
    space.project(w);
    const Eigen::MatrixXd c = space.inner(basis, space.mass_times(w));
    space.add_product(w, basis, -c);
    coefficients += c;
  }
  return coefficients;
}

}  // namespace lanczos_detail

/// The lowest `count` elastic pairs of K x = lambda M x.
template <class Space>
EigenResult<Space> block_lanczos(Space& space, const EigenOptions& options) {
  const Eigen::Index k = options.count;
  const Eigen::Index width = 8;
  const Eigen::Index wanted = k + 2;  // two more, to see whether the last one splits a cluster
  const Eigen::Index basis_limit = std::min<Eigen::Index>(space.rows(), 5 * k + 12 * width);
  const Eigen::Index kept_at_restart = wanted + 2 * width;

  EigenResult<Space> result;
  auto block = space.solve(space.mass_times(space.random(width)));
  orthonormalize(space, block, {});
  require_directions<Space>(block);
  auto basis = space.copy(block);
  Eigen::MatrixXd projected = Eigen::MatrixXd::Zero(0, 0);  // Q^T M op Q
  for (;; ++result.iterations) {
    auto next = space.solve(space.mass_times(block));
    const Eigen::MatrixXd coefficients = lanczos_detail::project_out(space, basis, next);
    const Eigen::Index old = projected.rows(), size = basis.cols();
    projected.conservativeResize(size, size);
    projected.rightCols(size - old) = coefficients;
    projected.bottomRows(size - old) = coefficients.transpose();

    const Eigen::MatrixXd remainder_gram = space.inner(next, space.mass_times(next));
    const dense::Eigenpairs eigen = dense::symmetric_eigen(0.5 * (projected + projected.transpose()));
    // Ritz pairs of the operator, largest first; the residual's mass norm is that of the remainder times the last rows.
    const Eigen::VectorXd theta = eigen.values.reverse();
    const Eigen::MatrixXd ritz = eigen.vectors.rowwise().reverse();
    const Eigen::Index shown = std::min(wanted, size);
    const Eigen::MatrixXd last = ritz.bottomRows(block.cols()).leftCols(shown);
    const Eigen::VectorXd residual =
        last.cwiseProduct(remainder_gram * last).colwise().sum().cwiseMax(0).cwiseSqrt().transpose();
    Eigen::Index good = 0;
    while (good < shown && residual[good] <= 1e-11 * theta[good]) ++good;
    if (options.progress) options.progress(static_cast<double>(std::min(good, k)) / static_cast<double>(k));

    const double scale = std::sqrt(std::max(0.0, remainder_gram.diagonal().maxCoeff()));
    const bool exhausted = size >= space.rows() - 1 || scale <= 1e-14 * theta[0];
    result.converged = static_cast<int>(exhausted ? std::min(shown, k) : std::min(good, k));
    if (good == wanted || exhausted || result.iterations == options.iteration_limit) {
      result.vectors = product(space, basis, Eigen::MatrixXd(ritz.leftCols(shown)));
      break;
    }
    orthonormalize<Space>(space, next, {});
    static_cast<void>(lanczos_detail::project_out(space, basis, next));  // normalising amplified what was left
    orthonormalize<Space>(space, next, {});
    if (next.cols() == 0) {  // the Krylov space is closed: its Ritz pairs are exact
      result.converged = static_cast<int>(std::min(shown, k));
      result.vectors = product(space, basis, Eigen::MatrixXd(ritz.leftCols(shown)));
      break;
    }
    if (size + next.cols() > basis_limit) {
      const Eigen::Index kept = std::min(kept_at_restart, size);
      basis = product(space, basis, Eigen::MatrixXd(ritz.leftCols(kept)));
      projected = theta.head(kept).asDiagonal();
    }
    space.append(basis, next);
    block = std::move(next);
  }
  return result;
}

}  // namespace quartic
