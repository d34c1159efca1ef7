#include "quartic/basis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"
#include "core/algebra/mass_orthogonalization.hpp"
#include "core/algebra/sparse_check.hpp"
#include "core/algebra/sparse_product.hpp"
#include "core/modes/elastic_system.hpp"
#include "core/reduction/system_basis.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Singular values below this share of the largest are round-off of the fields.
constexpr double rank_tolerance = 1e-10;
// Derivatives shorter than this share of the longest are round-off of the solve (they vanish by symmetry).
constexpr double derivative_tolerance = 1e-10;

void require_fields(std::int64_t rows, std::int64_t cols, const SparseMatrix& mass) {
  require_well_formed(mass, "the mass matrix");
  if (rows != mass.rows)
    throw InputError("the fields have " + std::to_string(rows) + " rows, but the mass matrix has " +
                     std::to_string(mass.rows));
  if (cols < 1) throw InputError("there are no fields to make a basis of");
}

// Stable, from the largest down.
std::vector<Index> descending(const VectorXd& norms) {
  std::vector<Index> order(static_cast<std::size_t>(norms.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return norms[a] > norms[b]; });
  return order;
}

// Large columns first: round-off of Gram-Schmidt then stays relative to the fields that matter.
void sort_columns(Matrix& fields, const VectorXd& norms) {
  const std::vector<Index> order = descending(norms);
  std::vector<bool> done(order.size());
  for (std::size_t start = 0; start < order.size(); ++start) {  // along the permutation's cycles, in place
    if (done[start]) continue;
    const VectorXd saved = fields.map().col(static_cast<Index>(start));
    std::size_t at = start;
    while (!done[at]) {
      done[at] = true;
      const auto from = static_cast<std::size_t>(order[at]);
      if (from == start)
        fields.map().col(static_cast<Index>(at)) = saved;
      else
        fields.map().col(static_cast<Index>(at)) = fields.map().col(order[at]);
      at = from;
    }
  }
}

// Directions in Q of the largest singular values of R, which are noted in the basis.
MatrixXd leading_directions(const MatrixXd& r, int rank, bool lower_rank, Basis& basis) {
  if (rank < 1) throw InputError("the rank of a basis must be at least 1");
  if (r.rows() == 0) throw InputError("all fields are zero: they span no basis");
  const dense::Svd svd = dense::svd(r);
  const VectorXd& sigma = svd.values;
  basis.singular_values.assign(sigma.begin(), sigma.end());
  basis.numerical_rank = static_cast<int>(sigma.size() > 0 ? (sigma.array() > rank_tolerance * sigma[0]).count() : 0);
  if (basis.numerical_rank == 0) throw InputError("all fields are zero: they span no basis");
  if (rank > basis.numerical_rank && !lower_rank)
    throw InputError("a basis of rank " + std::to_string(rank) +
                     " was requested, but the fields have the numerical rank " + std::to_string(basis.numerical_rank) +
                     "; ask for less, or give more modes");
  return svd.u.leftCols(std::min(rank, basis.numerical_rank));
}

double identity_error(const MatrixXd& gram) {
  return (gram - MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff();
}

void require_orthonormal(double error) {
  if (!(error <= 1e-11))
    throw NumericalError("the basis is mass-orthonormal to " + std::to_string(error) +
                         " only: the fields are too ill-conditioned; ask for a smaller rank");
}

template <class Orthogonalize>
Basis cut(Matrix fields, const SparseMatrix& mass, int rank, bool lower_rank, const Orthogonalize& orthogonalize) {
  require_fields(fields.rows, fields.cols, mass);
  if (rank < 1) throw InputError("the rank of a basis must be at least 1");
  sort_columns(fields, mass_norms(mass, fields.map()));
  const MassQr qr = orthogonalize(std::move(fields));
  Basis basis;
  const MatrixXd directions = leading_directions(qr.r, rank, lower_rank, basis);
  basis.vectors = Matrix(qr.q.rows, directions.cols());
  blas::multiply(1, qr.q.map(), directions, 0, basis.vectors.map());
  fix_signs(basis.vectors);
  require_orthonormal(orthonormality_error(basis.vectors.map(), mass));
  return basis;
}

Basis cut(Matrix fields, const SparseMatrix& mass, int rank, bool lower_rank) {
  return cut(std::move(fields), mass, rank, lower_rank,
             [&](Matrix columns) { return mass_qr(std::move(columns), mass); });
}

void require_matching(const LinearModes& modes, const ModalDerivatives& derivatives, const SparseMatrix& mass) {
  const auto k = modes.vectors.cols;
  require_fields(modes.vectors.rows, k, mass);
  if (std::ssize(modes.eigenvalues) != k)
    throw InputError("there are " + std::to_string(k) + " modes, but " + std::to_string(modes.eigenvalues.size()) +
                     " eigenvalues");
  if (derivatives.vectors.cols != std::ssize(derivatives.pairs) ||
      (derivatives.vectors.cols > 0 && derivatives.vectors.rows != mass.rows))
    throw InputError("the modal derivatives don't have one column per pair and one row per degree of freedom");
  for (const auto& [i, j] : derivatives.pairs)
    if (std::min(i, j) < 0 || std::max(i, j) >= k)
      throw InputError("a modal derivative is of the modes " + std::to_string(i) + " and " + std::to_string(j) +
                       ", but there are " + std::to_string(k));
}

// What scaled_fields gives modes and derivatives of norm |Phi|_M.
double mode_scale(const LinearModes& modes, Index j) {
  return modes.eigenvalues[0] / modes.eigenvalues[static_cast<std::size_t>(j)];
}
double derivative_scale(const LinearModes& modes, const std::array<int, 2>& pair, double norm) {
  const auto at = [&](int i) { return modes.eigenvalues[static_cast<std::size_t>(i)]; };
  return at(0) * at(0) / (at(pair[0]) * at(pair[1]) * norm);
}

// Derivatives that aren't zero but for the solve's errors.
std::vector<Index> above_round_off(const VectorXd& norms) {
  const double threshold = norms.size() > 0 ? derivative_tolerance * norms.maxCoeff() : 0;
  std::vector<Index> kept;
  for (Index p = 0; p < norms.size(); ++p)
    if (norms[p] > threshold) kept.push_back(p);
  return kept;
}

}  // namespace

Basis mass_pca(DeviceFields& fields, const ElasticSystem& system, const LinearModes& modes,
               const std::vector<std::array<int, 2>>& pairs, int rank, bool lower_rank) {
  const VectorXd norms = fields.mass_norms();
  const Index k = modes.vectors.cols;
  std::vector<Index> kept(static_cast<std::size_t>(k));
  std::iota(kept.begin(), kept.end(), 0);
  for (const Index p : above_round_off(norms.tail(std::ssize(pairs)))) kept.push_back(k + p);
  VectorXd scales(std::ssize(kept)), scaled_norms(std::ssize(kept));
  for (Index n = 0; n < scales.size(); ++n) {
    const Index field = kept[static_cast<std::size_t>(n)];
    scales[n] = field < k ? mode_scale(modes, field)
                          : derivative_scale(modes, pairs[static_cast<std::size_t>(field - k)], norms[field]);
    scaled_norms[n] = scales[n] * norms[field];
  }
  std::vector<Index> order;
  VectorXd ordered_scales(scales.size());
  for (const Index n : descending(scaled_norms)) {
    ordered_scales[std::ssize(order)] = scales[n];
    order.push_back(kept[static_cast<std::size_t>(n)]);
  }
  fields.arrange(order, ordered_scales);
  Basis basis;
  fields.combine(leading_directions(fields.orthonormalize(), rank, lower_rank, basis));
  if (system.rigid_mode_count() > 0) {  // weak fields bring round-off of rigid motions along
    const Index columns = fields.mass_products().cols();
    fields.remove_rigid_motions();
    if (fields.orthonormalize().rows() < columns)
      throw NumericalError("the basis is rigid motions in part; ask for a smaller rank");
  }
  require_orthonormal(identity_error(fields.mass_products()));
  const Matrix free = fields.to_host();
  basis.vectors = Matrix(system.dof_count(), free.cols);
  system.impl().scatter_from_free(free.map(), basis.vectors.map());
  fix_signs(basis.vectors);
  return basis;
}

Basis mass_pca(Matrix fields, const SparseMatrix& mass, int rank) {
  return cut(std::move(fields), mass, rank, false);
}

Basis mass_pca(Matrix fields, const ElasticSystem& system, int rank, bool lower_rank) {
  return cut(std::move(fields), system.mass(), rank, lower_rank,
             [&](Matrix columns) { return system.impl().solver->mass_qr(std::move(columns)); });
}

Basis mass_pca_up_to(Matrix fields, const SparseMatrix& mass, int rank) {
  return cut(std::move(fields), mass, rank, true);
}

Matrix scaled_fields(const LinearModes& modes, const ModalDerivatives& derivatives, const SparseMatrix& mass) {
  require_matching(modes, derivatives, mass);
  const VectorXd norms = mass_norms(mass, derivatives.vectors.map());
  const std::vector<Index> kept = above_round_off(norms);
  const Index k = modes.vectors.cols;
  Matrix fields(modes.vectors.rows, k + std::ssize(kept));
  for (Index j = 0; j < k; ++j) fields.map().col(j) = mode_scale(modes, j) * modes.vectors.map().col(j);
  for (std::size_t n = 0; n < kept.size(); ++n) {
    const double scale = derivative_scale(modes, derivatives.pairs[static_cast<std::size_t>(kept[n])], norms[kept[n]]);
    fields.map().col(k + static_cast<Index>(n)) = scale * derivatives.vectors.map().col(kept[n]);
  }
  return fields;
}

Matrix mass_orthonormalize(MatrixRef fields, const SparseMatrix& mass) {
  require_fields(fields.rows(), fields.cols(), mass);
  MassQr qr = mass_qr(to_matrix(fields), mass);
  if (qr.q.cols < fields.cols())
    throw InputError("the fields are linearly dependent: " + std::to_string(fields.cols()) + " of them span only " +
                     std::to_string(qr.q.cols) + " dimensions");
  return std::move(qr.q);
}

double orthonormality_error(MatrixRef basis, const SparseMatrix& mass) {
  if (basis.rows() != mass.rows)
    throw InputError("the basis has " + std::to_string(basis.rows()) + " rows, but the mass matrix has " +
                     std::to_string(mass.rows));
  if (basis.cols() == 0) return 0;
  const MatrixXd gram = blas::multiply_transposed(basis, sparse_times(mass, basis));
  return identity_error(gram);
}

}  // namespace quartic
