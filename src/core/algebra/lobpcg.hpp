// LOBPCG with a robust basis: locally optimal block preconditioned conjugate gradients (Knyazev 2001).
//
// The trial space S = [X W P] is kept M-orthonormal, so the projected problem is an ordinary symmetric one and can't
// break down; P comes from the coefficients of the Ritz vectors, orthonormalised among themselves (Hetmaniuk & Lehoucq
// 2006; Duersch et al. 2018). Converged columns are locked softly: they stay in X but add no direction. Guard vectors
// speed up the last wanted ones.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/algebra/block_orthonormal.hpp"
#include "core/algebra/dense.hpp"

namespace quartic {

struct EigenOptions {
  int count = 0;         // wanted pairs
  double tolerance = 0;  // on the backward error
  int iteration_limit = 0;
  std::function<void(double)> progress;  // share done, [0, 1]
};

template <class Space>
struct EigenResult {
  Eigen::VectorXd values;         // ascending; the wanted ones, then guards
  typename Space::Block vectors;  // M-orthonormal
  Eigen::VectorXd residuals;      // backward errors of the wanted ones
  int converged = 0;              // of the wanted ones
  int iterations = 0;
};

namespace lobpcg_detail {

// A block with its products, updated together.
template <class Space>
struct Images {
  typename Space::Block x, stiffness_x, mass_x;

  void multiply(const Space& space) {
    stiffness_x = space.stiffness_times(x);
    mass_x = space.mass_times(x);
  }
};

template <class Space>
Images<Space> combine(const Space& space, std::initializer_list<const Images<Space>*> parts, const Eigen::MatrixXd& c) {
  Images<Space> result{space.zeros(c.cols()), space.zeros(c.cols()), space.zeros(c.cols())};
  Eigen::Index row = 0;
  for (const Images<Space>* part : parts) {
    const Eigen::Index n = part->x.cols();
    const Eigen::MatrixXd rows = c.middleRows(row, n);
    space.add_product(result.x, part->x, rows);
    space.add_product(result.stiffness_x, part->stiffness_x, rows);
    space.add_product(result.mass_x, part->mass_x, rows);
    row += n;
  }
  return result;
}

// S^T K S for M-orthonormal S = [X W P]; X^T K X is diagonal.
template <class Space>
Eigen::MatrixXd projected_stiffness(const Space& space, const Eigen::VectorXd& ritz, const Images<Space>& x,
                                    const Images<Space>& w, const Images<Space>& p) {
  const Eigen::Index m = x.x.cols(), a = w.x.cols(), b = p.x.cols();
  Eigen::MatrixXd g = Eigen::MatrixXd::Zero(m + a + b, m + a + b);
  g.topLeftCorner(m, m) = ritz.asDiagonal();
  g.block(m, 0, a, m) = space.inner(w.x, x.stiffness_x);
  g.block(m, m, a, a) = space.inner(w.x, w.stiffness_x);
  if (b > 0) {
    g.block(m + a, 0, b, m) = space.inner(p.x, x.stiffness_x);
    g.block(m + a, m, b, a) = space.inner(p.x, w.stiffness_x);
    g.block(m + a, m + a, b, b) = space.inner(p.x, p.stiffness_x);
  }
  return g;
}

// The part of the new Ritz coefficients that leaves the old X, for the active columns, orthonormal and orthogonal to
// them.
inline Eigen::MatrixXd conjugate_coefficients(const Eigen::MatrixXd& ritz, Eigen::Index m,
                                              const std::vector<Eigen::Index>& active) {
  Eigen::MatrixXd c(ritz.rows(), static_cast<Eigen::Index>(active.size()));
  for (std::size_t j = 0; j < active.size(); ++j) {
    c.col(static_cast<Eigen::Index>(j)) = ritz.col(active[j]);
    c.col(static_cast<Eigen::Index>(j)).head(m).setZero();
  }
  Eigen::Index kept = 0;
  for (Eigen::Index j = 0; j < c.cols(); ++j) {
    Eigen::VectorXd v = c.col(j);
    const double before = v.norm();
    for (int pass = 0; pass < 2; ++pass) {
      v -= ritz * (ritz.transpose() * v);
      if (kept > 0) v -= c.leftCols(kept) * (c.leftCols(kept).transpose() * v);
    }
    const double after = v.norm();
    if (!(after > 1e-10 * before) || after == 0) continue;  // nothing new in it
    c.col(kept++) = v / after;
  }
  return c.leftCols(kept);
}

}  // namespace lobpcg_detail

/// The lowest `count` elastic pairs of K x = lambda M x.
template <class Space>
EigenResult<Space> lobpcg(Space& space, const EigenOptions& options) {
  using lobpcg_detail::Images;
  const Eigen::Index k = options.count;
  const Eigen::Index m = k + std::max<Eigen::Index>(4, k / 5);
  Images<Space> x, w, p;
  x.x = space.solve(space.mass_times(space.random(m)));  // one inverse iteration: low modes from the start
  orthonormalize(space, x.x, {});
  require_directions<Space>(x.x);
  x.multiply(space);
  p = {space.zeros(0), space.zeros(0), space.zeros(0)};

  EigenResult<Space> result;
  Eigen::VectorXd ritz;
  {
    const dense::Eigenpairs eigen = dense::symmetric_eigen(space.inner(x.x, x.stiffness_x));
    ritz = eigen.values;
    x = lobpcg_detail::combine<Space>(space, {&x}, eigen.vectors);
  }
  Eigen::VectorXd best = Eigen::VectorXd::Constant(m, std::numeric_limits<double>::infinity());
  Eigen::VectorXi stalled = Eigen::VectorXi::Zero(m);
  for (;; ++result.iterations) {
    auto r = space.copy(x.stiffness_x);
    space.subtract_scaled(r, x.mass_x, ritz);
    const Eigen::VectorXd residual = space.column_norms(r);
    const Eigen::VectorXd length = space.column_norms(x.x);
    const Eigen::VectorXd backward =
        residual.array() / ((space.stiffness_norm() + ritz.array().abs() * space.mass_norm()) * length.array());
    // The relative size of the inverse iteration's correction, |x - lambda K^-1 M x|_K / sqrt(lambda), bounds the error
    // of a soft mode where the backward error, relative to the stiffest one, says little.
    const auto correction = space.solve(space.copy(r));
    const Eigen::VectorXd soft = (space.column_products(r, correction).array().abs() / ritz.array().abs()).sqrt();
    std::vector<Eigen::Index> active;
    Eigen::Index converged = 0;
    for (Eigen::Index j = 0; j < x.x.cols(); ++j) {
      stalled[j] = soft[j] > 0.5 * best[j] ? stalled[j] + 1 : 0;
      best[j] = std::min(best[j], soft[j]);
      const bool accurate = soft[j] <= 1e-10 || (stalled[j] >= 4 && soft[j] <= 1e-6);  // or as far as round-off lets it
      const bool done = backward[j] <= options.tolerance && accurate;
      if (!done) active.push_back(j);
      if (done && j < k && converged == j) ++converged;
    }
    if (options.progress) options.progress(static_cast<double>(converged) / static_cast<double>(k));
    if (converged == k || result.iterations == options.iteration_limit || active.empty()) {
      result.values = ritz;
      result.residuals = backward.head(k);
      result.converged = static_cast<int>(converged);
      break;
    }
    w.x = space.select(correction, active);
    orthonormalize<Space>(space, w.x, {{x.x, x.mass_x}, {p.x, p.mass_x}});
    w.multiply(space);
    const Eigen::MatrixXd g = lobpcg_detail::projected_stiffness(space, ritz, x, w, p);
    const dense::Eigenpairs eigen = dense::symmetric_eigen(g);  // reads the lower triangle
    const Eigen::MatrixXd c = eigen.vectors.leftCols(m);
    const Eigen::MatrixXd cp = lobpcg_detail::conjugate_coefficients(c, m, active);
    Images<Space> next_p = lobpcg_detail::combine<Space>(space, {&x, &w, &p}, cp);
    x = lobpcg_detail::combine<Space>(space, {&x, &w, &p}, c);
    p = std::move(next_p);
    ritz = eigen.values.head(m);
    if (result.iterations % 10 == 9) {  // products drift by round-off: make them afresh
      orthonormalize(space, x.x, {});
      x.multiply(space);
      orthonormalize<Space>(space, p.x, {{x.x, x.mass_x}});
      p.multiply(space);
      const dense::Eigenpairs again = dense::symmetric_eigen(space.inner(x.x, x.stiffness_x));
      x = lobpcg_detail::combine<Space>(space, {&x}, again.vectors);
      ritz = again.values;
    }
  }
  result.vectors = std::move(x.x);
  return result;
}

}  // namespace quartic
