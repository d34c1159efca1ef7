// M-orthonormal blocks, robust against dependent columns.
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <limits>

#include "core/algebra/dense.hpp"
#include "quartic/error.hpp"

namespace quartic {

/// A new block X C.
template <class Space>
[[nodiscard]] typename Space::Block product(const Space& space, const typename Space::Block& x,
                                            const Eigen::MatrixXd& c) {
  auto y = space.zeros(c.cols());
  space.add_product(y, x, c);
  return y;
}

/// Replaces W by an M-orthonormal basis of its numerical span (SVQB; Stathopoulos & Wu 2002), perhaps of fewer columns.
template <class Space>
void svqb(const Space& space, typename Space::Block& w) {
  if (w.cols() == 0) return;
  const Eigen::MatrixXd gram = space.inner(w, space.mass_times(w));
  const Eigen::ArrayXd diagonal = gram.diagonal().array();
  const Eigen::ArrayXd scale = (diagonal > 0).select(diagonal.max(1e-300).sqrt().inverse(), 0);
  const Eigen::MatrixXd scaled = scale.matrix().asDiagonal() * gram * scale.matrix().asDiagonal();
  const auto [values, vectors] = dense::symmetric_eigen(0.5 * (scaled + scaled.transpose()));
  const double threshold =
      static_cast<double>(10 * w.cols()) * std::numeric_limits<double>::epsilon() * values[values.size() - 1];
  Eigen::Index dropped = 0;
  while (dropped < values.size() && !(values[dropped] > threshold)) ++dropped;
  const Eigen::Index kept = values.size() - dropped;
  const Eigen::MatrixXd transform =
      scale.matrix().asDiagonal() * vectors.rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  w = product(space, w, transform);
}

/// One block to stay away from: Q with M Q.
template <class Space>
struct OrthogonalTo {
  const typename Space::Block& q;
  const typename Space::Block& mass_q;
};

/// @throws NumericalError where orthonormalisation has left nothing of a first block
template <class Space>
void require_directions(const typename Space::Block& block) {
  if (block.cols() == 0)
    throw NumericalError(
        "the mass matrix has no positive part on the free degrees of freedom, or numbers beyond the "
        "range of double precision");
}

/// M-orthonormalises W against M-orthonormal blocks, the rigid motions and itself. Three passes: the first finds the
/// space, the second cleans it, the third mends what dropping directions amplified.
template <class Space>
void orthonormalize(const Space& space, typename Space::Block& w, std::initializer_list<OrthogonalTo<Space>> others) {
  for (int pass = 0; pass < 3 && w.cols() > 0; ++pass) {
    space.project(w);
    for (const auto& [q, mass_q] : others)
      if (q.cols() > 0) space.add_product(w, q, -space.inner(mass_q, w));
    svqb(space, w);
  }
}

}  // namespace quartic
