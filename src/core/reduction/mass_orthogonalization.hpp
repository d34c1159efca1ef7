// Fields = Q R with M-orthonormal Q: the decomposition behind bases.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "quartic/basis.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic {

class DeviceFields;

/// Q of `rank` columns and R (rank x N) with fields = Q R to round-off of each column.
struct MassQr {
  Matrix q;
  Eigen::MatrixXd r;
};

/// Gram-Schmidt in the mass inner product, in panels of columns, each twice; columns that earlier ones span to
/// round-off add nothing to Q. Columns are taken in their order.
[[nodiscard]] MassQr mass_qr(Matrix fields, const SparseMatrix& mass);

/// The same in the mass of an elastic system, on its backend; fields are zero on fixed vertices.
[[nodiscard]] MassQr mass_qr(Matrix fields, const ElasticSystem& system);

/// mass_pca, or mass_pca_up_to if `lower_rank`, of fields that are zero on fixed vertices, on the system's backend.
[[nodiscard]] Basis mass_pca(Matrix fields, const ElasticSystem& system, int rank, bool lower_rank);

/// The same of scaled_fields of modes and static derivatives (k + pairs) that are on the system's device, without
/// rigid motions; only the basis comes to the host.
[[nodiscard]] Basis mass_pca(DeviceFields& fields, const ElasticSystem& system, const LinearModes& modes,
                             const std::vector<std::array<int, 2>>& pairs, int rank, bool lower_rank);

/// |x|_M of each column.
[[nodiscard]] Eigen::VectorXd mass_norms(const SparseMatrix& mass, MatrixRef x);

}  // namespace quartic
