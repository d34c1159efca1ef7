#include "quartic/snapshots.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/algebra/mass_orthogonalization.hpp"
#include "core/algebra/sparse_check.hpp"
#include "core/algebra/sparse_product.hpp"
#include "quartic/error.hpp"

namespace quartic {

std::vector<std::int64_t> select_separated(MatrixRef fields, const SparseMatrix& mass, double separation) {
  require_well_formed(mass, "the mass matrix");
  if (fields.rows() != mass.rows)
    throw InputError("the fields have " + std::to_string(fields.rows()) + " rows, but the mass matrix has " +
                     std::to_string(mass.rows));
  if (!(separation >= 0 && separation <= 1)) throw InputError("the separation of snapshots must lie in [0, 1]");
  if (!fields.allFinite()) throw InputError("a snapshot has an entry that isn't a finite number");
  if (fields.cols() == 0) return {};
  const Eigen::VectorXd norms = mass_norms(mass, fields);
  const double least = separation * norms.maxCoeff();
  if (!std::isfinite(least)) throw InputError("the snapshots' numbers are too large to be squared");
  std::vector<std::int64_t> kept;
  for (Eigen::Index j = 0; j < fields.cols(); ++j) {
    if (norms[j] == 0 || norms[j] < least) continue;
    if (separation > 0) {
      const Eigen::VectorXd mass_field = sparse_times(mass, fields.col(j));
      const bool apart = std::all_of(kept.begin(), kept.end(), [&](std::int64_t i) {
        const double product = fields.col(i).dot(mass_field);
        return norms[i] * norms[i] + norms[j] * norms[j] - 2 * product >= least * least;
      });
      if (!apart) continue;
    }
    kept.push_back(j);
  }
  return kept;
}

Matrix select_columns(const Matrix& matrix, std::span<const std::int64_t> columns) {
  Matrix result(matrix.rows, std::ssize(columns));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j] < 0 || columns[j] >= matrix.cols)
      throw InputError("there is no column " + std::to_string(columns[j]) + " among " + std::to_string(matrix.cols));
    const auto from = matrix.col(columns[j]);
    std::copy(from.begin(), from.end(), result.col(static_cast<std::int64_t>(j)).begin());
  }
  return result;
}

std::vector<double> captured_energy(std::span<const double> singular_values) {
  std::vector<double> captured;
  double sum = 0;
  for (const double sigma : singular_values) captured.push_back(sum += sigma * sigma);
  for (double& share : captured) share /= sum > 0 ? sum : 1;
  return captured;
}

}  // namespace quartic
