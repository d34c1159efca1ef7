// Fields = Q R with M-orthonormal Q: the decomposition behind bases.
#pragma once

#include <Eigen/Core>

#include "quartic/matrix.hpp"

namespace quartic {

/// Q of `rank` columns and R (rank x N) with fields = Q R to round-off of each column.
struct MassQr {
  Matrix q;
  Eigen::MatrixXd r;
};

/// Gram-Schmidt in the mass inner product, in panels of columns, each twice; columns that earlier ones span to
/// round-off add nothing to Q. Columns are taken in their order.
[[nodiscard]] MassQr mass_qr(Matrix fields, const SparseMatrix& mass);

/// |x|_M of each column.
[[nodiscard]] Eigen::VectorXd mass_norms(const SparseMatrix& mass, MatrixRef x);

}  // namespace quartic
