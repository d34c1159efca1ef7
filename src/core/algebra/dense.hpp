// Decompositions of small dense matrices, on LAPACK. Column-major.
//
// Eigen's own take up to a minute to compile in each file that uses them. LAPACK works on the thread that calls, so
// that results don't depend on the number of threads. Matrices of order zero have empty results; those of an order that
// LAPACK can't count to throw InputError.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/algebra/blas.hpp"
#include "quartic/export.hpp"

namespace quartic::dense {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Eigenpairs {
  VectorXd values;   // ascending, shape (n)
  MatrixXd vectors;  // shape (n, n), column per value, of either sign
};

/// A = U diag(values) V^T.
struct Svd {
  MatrixXd u;             // shape (m, min(m, n)), orthonormal columns
  VectorXd values;        // descending, shape (min(m, n))
  MatrixXd v_transposed;  // shape (min(m, n), n), orthonormal rows
};

/// Overwrites A, of which the lower triangle is read, by orthonormal eigenvectors. @throws as symmetric_eigen
QUARTIC_EXPORT void eigenvectors_in_place(blas::Out a, Eigen::Ref<VectorXd> values);

/// The same for A x = lambda B x with vectors that are B-orthonormal; B is overwritten too.
/// @return false if B isn't positive definite
/// @throws as symmetric_eigen
QUARTIC_EXPORT bool eigenvectors_in_place(blas::Out a, blas::Out b, Eigen::Ref<VectorXd> values);

/// Eigenpairs of a symmetric matrix, of which the lower triangle is read. Cost O(n^3).
/// @throws NumericalError if an entry isn't finite
[[nodiscard]] inline Eigenpairs symmetric_eigen(MatrixXd a) {
  Eigenpairs pairs{VectorXd(a.rows()), std::move(a)};
  eigenvectors_in_place(pairs.vectors, pairs.values);
  return pairs;
}

/// Pairs A x = lambda B x of symmetric matrices; nothing if B isn't positive definite.
/// @throws as symmetric_eigen
[[nodiscard]] inline std::optional<Eigenpairs> symmetric_eigen(MatrixXd a, MatrixXd b) {
  Eigenpairs pairs{VectorXd(a.rows()), std::move(a)};
  if (!eigenvectors_in_place(pairs.vectors, b, pairs.values)) return std::nullopt;
  return pairs;
}

/// Cost O(m n min(m, n)). @throws NumericalError if an entry isn't finite
[[nodiscard]] Svd svd(MatrixXd a);

/// Overwrites A, which has at least as many rows as columns, by the triangle of its QR factorisation, zeros below it in
/// the first A.cols() rows.
void triangularize(blas::Out a);

/// The factor of a symmetric positive definite matrix, A = L L^T.
class Cholesky {
 public:
  /// X <- A^-1 X.
  void solve(blas::Out x) const;
  /// X <- X L^-T: columns whose products with each other are A become orthonormal.
  void orthonormalize(blas::Out x) const;

 private:
  friend std::optional<Cholesky> cholesky(MatrixXd);
  explicit Cholesky(MatrixXd factor) : factor_(std::move(factor)) {}
  MatrixXd factor_;  // L, in the lower triangle
};

/// Reads the lower triangle; nothing if A isn't positive definite, or A or the factor isn't finite.
[[nodiscard]] std::optional<Cholesky> cholesky(MatrixXd a);

/// The factors of an invertible matrix, with row exchanges.
class Lu {
 public:
  /// X <- A^-1 X.
  void solve(blas::Out x) const;
  [[nodiscard]] MatrixXd inverse() const;

 private:
  friend std::optional<Lu> lu(MatrixXd, double);
  Lu(MatrixXd factors, std::vector<int> exchanges) : factors_(std::move(factors)), exchanges_(std::move(exchanges)) {}
  MatrixXd factors_;
  std::vector<int> exchanges_;  // of rows, as LAPACK counts them
};

/// Nothing if a pivot is at most `least_pivot` times the largest, or A isn't finite.
[[nodiscard]] std::optional<Lu> lu(MatrixXd a, double least_pivot);

}  // namespace quartic::dense
