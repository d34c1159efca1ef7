// Fields = Q R with M-orthonormal Q on any machine: Gram-Schmidt in panels of columns, each twice.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "quartic/matrix.hpp"

namespace quartic {

/// Q of `rank` columns and R (rank x N) with fields = Q R to round-off of each column.
struct MassQr {
  Matrix q;
  Eigen::MatrixXd r;
};

inline constexpr Eigen::Index qr_panel_size = 24;

/// `panels` holds the fields and one panel of them. What it does:
///   load(first, width)          the panel becomes a copy of these columns of the fields
///   norms()                     |x|_M of the panel's columns
///   remove_projection(r, n)     takes what lies in the first r columns of the fields out of the panel, n times;
///                               returns the coefficients (r x width)
///   orthonormalize(shortest)    inside the panel, dropping columns that end up no longer; returns T (kept x columns),
///                               old panel = new panel times T
///   store(first)                the panel replaces the fields' columns from `first` on
/// @return R, (rank x columns). Q is then the first `rank` columns of the fields
template <class Panels>
[[nodiscard]] Eigen::MatrixXd mass_qr_by_panels(Panels& panels, Eigen::Index columns) {
  using Eigen::MatrixXd;
  // What is left of a column after projection, relative to the column, below which it is round-off.
  constexpr double dependence = 1e-12;
  // A remainder that was normalised and loses more than this in a second orthogonalisation was round-off: it lies in
  // what the earlier columns span.
  constexpr double second_loss = 0.5;
  MatrixXd r = MatrixXd::Zero(columns, columns);
  Eigen::Index rank = 0;
  for (Eigen::Index first = 0; first < columns; first += qr_panel_size) {
    const Eigen::Index width = std::min(qr_panel_size, columns - first);
    panels.load(first, width);
    const Eigen::VectorXd scale = panels.norms();
    MatrixXd above = panels.remove_projection(rank, 1);
    MatrixXd t = panels.orthonormalize(dependence * scale);
    // Once more, and twice: normalising small remainders amplified what was left of Q in them.
    const MatrixXd above_again = panels.remove_projection(rank, 2);
    const MatrixXd t_again = panels.orthonormalize(Eigen::VectorXd::Constant(t.rows(), second_loss));
    above += above_again * t;
    t = t_again * t;
    panels.store(rank);
    r.block(0, first, rank, width) = above;
    r.block(rank, first, t.rows(), width) = t;
    rank += t.rows();
  }
  return r.topRows(rank);
}

}  // namespace quartic
