// Reduction bases: mass-PCA of linear modes and modal derivatives, or of the caller's own fields.
#pragma once

#include <vector>

#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// A mass-orthonormal basis and the singular values of the fields that it was made from.
struct Basis {
  Matrix vectors;                       ///< U, shape (3n, r): |U^T M U - I|max <= 1e-12
  std::vector<double> singular_values;  ///< of all fields in the mass norm, descending
  int numerical_rank = 0;               ///< number of singular values above 1e-10 times the largest
};

/// Mass-PCA: the r-dimensional M-orthonormal basis that captures the most of `fields` in the mass norm (2005 paper,
/// Appendix A). Computed by mass-orthogonalisation and an SVD of the triangular factor, so that small
/// singular values aren't lost in a Gram matrix.
/// @param fields shape (3n, N), one displacement field per column, scaled by importance
/// @param rank r, 1 .. numerical rank
/// @throws InputError if rank < 1 or above the numerical rank, or shapes differ
[[nodiscard]] QUARTIC_EXPORT Basis mass_pca(Matrix fields, const SparseMatrix& mass, int rank);

/// As mass_pca, but a rank above the numerical rank is lowered to it instead of being an error.
[[nodiscard]] QUARTIC_EXPORT Basis mass_pca_up_to(Matrix fields, const SparseMatrix& mass, int rank);

/// The fields of the standard basis: lambda_1/lambda_j Psi_j and lambda_1^2/(lambda_i lambda_j) Phi_ij/|Phi_ij|_M, i <=
/// j, or all i, j where the derivatives are inertial (2005 paper, eq. 16); derivatives at round-off level are left out.
/// @throws InputError if modes, derivatives and mass don't fit together
[[nodiscard]] QUARTIC_EXPORT Matrix scaled_fields(const LinearModes& modes, const ModalDerivatives& derivatives,
                                                  const SparseMatrix& mass);

/// Makes the caller's own fields M-orthonormal without dropping any (block Gram-Schmidt, repeated).
/// @throws InputError if they are linearly dependent
[[nodiscard]] QUARTIC_EXPORT Matrix mass_orthonormalize(MatrixRef fields, const SparseMatrix& mass);

/// |U^T M U - I|max; 0 for no columns. @throws InputError if the rows differ
[[nodiscard]] QUARTIC_EXPORT double orthonormality_error(MatrixRef basis, const SparseMatrix& mass);

}  // namespace quartic
