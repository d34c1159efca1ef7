// Non-negative least squares with few columns, by Lawson and Hanson's active sets and an updated QR factorisation.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace quartic {

struct SparseFit {
  std::vector<Eigen::Index> columns;  ///< ascending
  Eigen::VectorXd weights;            ///< > 0, of each of these
  double residual = 0;                ///< |Y w - b| / whole
};

struct SparseFitOptions {
  Eigen::Index most_columns = 0;  ///< ends when there are so many
  double tolerance = 0;           ///< ends when the residual is at or below this
  double whole = 1;               ///< what residuals are relative to
  std::function<void(double residual, Eigen::Index columns)> progress = {};  ///< after each column
};

/// Minimises |Y w - b| over w >= 0 a column at a time, the one along which the residual falls fastest, until either end
/// is reached or no column lowers it (Lawson & Hanson 1974, chapter 23, ended early as in Farhat et al. 2014). Doesn't
/// depend on the number of threads. Cost per column O(rows x columns) for the gradient and O(rows x chosen) for Q.
/// @param y shape (rows, columns) @param b shape (rows), not zero
[[nodiscard]] SparseFit fit_sparsely(const Eigen::MatrixXd& y, const Eigen::VectorXd& b,
                                     const SparseFitOptions& options);

}  // namespace quartic
