#include "core/fem/host_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/algebra/sparse_product.hpp"
#include "core/fem/free_matrix.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/fem/scalar_mass.hpp"
#include "core/fem/unit_acceleration.hpp"

namespace quartic {
namespace {

// The norm is an upper bound of the 2-norm of a symmetric matrix.
MatrixSizes sizes_of(const SparseMatrix& matrix) {
  MatrixSizes sizes;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double sum = 0;
    for (auto entry = matrix.row_offsets[static_cast<std::size_t>(row)];
         entry < matrix.row_offsets[static_cast<std::size_t>(row) + 1]; ++entry) {
      const double value = matrix.values[static_cast<std::size_t>(entry)];
      sum += std::abs(value);
      if (matrix.columns[static_cast<std::size_t>(entry)] == row) sizes.trace += value;
    }
    sizes.norm = std::max(sizes.norm, sum);
  }
  return sizes;
}

// K + shift M; the pattern of M must lie within that of K, as it does in finite elements, else entries are added.
SparseMatrix shifted(const SparseMatrix& stiffness, const SparseMatrix& mass, double shift) {
  return to_sparse_matrix(
      Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>(stiffness.map() + shift * mass.map()));
}

}  // namespace

HostMatrices::HostMatrices(const SparseMatrix& stiffness, SparseMatrix mass, const FreedomMap& map)
    : mass_(std::move(mass)),
      stiffness_free_(FreeMatrix(stiffness, map).matrix),
      mass_free_(FreeMatrix(mass_, map).matrix),
      map_(map) {}

SparseMatrix HostMatrices::scalar_mass() const {
  return quartic::scalar_mass(mass_);
}

MatrixSizes HostMatrices::stiffness_sizes() const {
  return sizes_of(stiffness_free_);
}

MatrixSizes HostMatrices::mass_sizes() const {
  return sizes_of(mass_free_);
}

Eigen::MatrixXd HostMatrices::stiffness_times(const Eigen::MatrixXd& x) const {
  return sparse_times(stiffness_free_, x);
}

Eigen::MatrixXd HostMatrices::mass_times(const Eigen::MatrixXd& x) const {
  return sparse_times(mass_free_, x);
}

Eigen::MatrixXd HostMatrices::orthonormal_motions(Eigen::MatrixXd motions) const {
  orthonormalize_rigid(motions, mass_);
  return map_.restrict_displacements(motions);
}

Matrix HostMatrices::unit_acceleration(const Matrix& basis) const {
  return quartic::unit_acceleration(basis, mass_);
}

Factorization HostMatrices::factorize(double shift, const FactorizationOptions& options) const {
  return shift == 0 ? Factorization(stiffness_free_, options)
                    : Factorization(shifted(stiffness_free_, mass_free_, shift), options);
}

}  // namespace quartic
