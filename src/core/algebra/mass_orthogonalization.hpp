// Fields = Q R with M-orthonormal Q on the CPU, and norms in the mass inner product.
#pragma once

#include <Eigen/Core>

#include "core/algebra/mass_qr.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// Gram-Schmidt in the mass inner product, in panels of columns, each twice; columns that earlier ones span to
/// round-off add nothing to Q. Columns are taken in their order.
[[nodiscard]] MassQr mass_qr(Matrix fields, const SparseMatrix& mass);

/// |x|_M of each column.
[[nodiscard]] Eigen::VectorXd mass_norms(const SparseMatrix& mass, MatrixRef x);

}  // namespace quartic
