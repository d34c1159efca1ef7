// Products of sparse matrices with a few dense columns.
#pragma once

#include <Eigen/Core>

#include "quartic/matrix.hpp"

namespace quartic {

/// Y = A X for a sparse A in compressed rows and a few columns, on all threads, each row summed in order.
[[nodiscard]] Eigen::MatrixXd sparse_times(const SparseMatrix& a, MatrixRef x);

}  // namespace quartic
