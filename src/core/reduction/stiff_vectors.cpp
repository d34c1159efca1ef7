#include "core/reduction/stiff_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"
#include "core/modes/elastic_system.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double natural_amplitude = 0.3;  // of the first mode, in terms of the largest extent
// Of the largest energy: less is round-off.
constexpr double least_energy = 1e-12;

double largest_extent(const VolumeMesh& mesh) {
  const auto vertices = Eigen::Map<const Eigen::Matrix3Xd>(mesh.vertices.data(), 3, mesh.vertex_count());
  return (vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff()).maxCoeff();
}

// x <- x - U U^T M x.
void project_out(const MatrixXd& basis, const MatrixXd& mass_basis, MatrixXd& x) {
  blas::multiply(-1, basis, blas::multiply_transposed(mass_basis, x), 1, x);
}

// Combinations of the fields, by descending energy of what is K-orthogonal to the basis.
MatrixXd stiffest_combinations(const MatrixXd& basis, const MatrixXd& stiff_basis, const MatrixXd& fields,
                               const MatrixXd& stiff_fields, Index count) {
  const auto factor = dense::cholesky(blas::multiply_transposed(basis, stiff_basis));
  if (!factor) throw NumericalError("the basis has a motion without stiffness");
  const MatrixXd mixed = blas::multiply_transposed(basis, stiff_fields);
  MatrixXd along = mixed;
  factor->solve(along);
  MatrixXd energy = blas::multiply_transposed(fields, stiff_fields);
  energy -= mixed.transpose() * along;
  const dense::Eigenpairs pairs = dense::symmetric_eigen(std::move(energy));
  const double largest = pairs.values.size() > 0 ? pairs.values.tail(1)[0] : 0;
  const Index found = (pairs.values.array() > least_energy * largest).count();
  if (found < count)
    throw InputError(std::to_string(count) + " vectors of the basis were to be chosen by energy, but the fields have " +
                     std::to_string(found) + " beside the others; ask for a smaller share, or for more modes");
  return pairs.vectors.rightCols(count).rowwise().reverse() *
         pairs.values.tail(count).reverse().cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

int stiff_count(double share, int rank) {
  if (!(share >= 0 && share < 1))
    throw InputError("the share of the basis that is chosen by energy must lie in [0, 1), not " +
                     std::to_string(share));
  const int count = static_cast<int>(std::lround(share * rank));
  if (count >= rank)
    throw InputError("a share of " + std::to_string(share) + " of " + std::to_string(rank) +
                     " vectors leaves none to mass-PCA; ask for a smaller one");
  return count;
}

Matrix natural_fields(const VolumeMesh& mesh, const LinearModes& modes, const ModalDerivatives& derivatives,
                      DerivativeKind kind) {
  const Index k = modes.vectors.cols;
  Eigen::Map<const VectorXd> lambda(modes.eigenvalues.data(), k);
  const double first = natural_amplitude * largest_extent(mesh) / modes.vectors.map().col(0).cwiseAbs().maxCoeff();
  const VectorXd p = first * lambda[0] * lambda.cwiseInverse();
  Matrix fields(modes.vectors.rows, k + derivatives.vectors.cols);
  fields.map().leftCols(k) = modes.vectors.map() * p.asDiagonal();
  for (std::size_t n = 0; n < derivatives.pairs.size(); ++n) {
    const auto& [i, j] = derivatives.pairs[n];
    // u = 1/2 sum over all i, j of Phi_ij p_i p_j: pairs i < j count twice where they are there once.
    const double times = kind == DerivativeKind::statics && i != j ? 1 : 0.5;
    const auto column = static_cast<Index>(n);
    fields.map().col(k + column) = times * p[i] * p[j] * derivatives.vectors.map().col(column);
  }
  return fields;
}

void append_stiff_vectors(const ElasticSystem& system, const Matrix& fields, int count, Matrix& basis) {
  const ElasticSystem::Impl& s = system.impl();
  const MatrixXd u = s.restrict_displacements(basis.map());
  const MatrixXd mass_u = s.matrices->mass_times(u);
  MatrixXd beside = s.restrict_displacements(fields.map());
  project_out(u, mass_u, beside);
  const MatrixXd stiff = s.matrices->stiffness_times(beside);
  MatrixXd added = beside * stiffest_combinations(u, s.matrices->stiffness_times(u), beside, stiff, count);
  s.project_displacements(added);
  project_out(u, mass_u, added);
  Matrix whole(basis.rows, count);
  s.scatter_from_free(added, whole.map());
  whole = mass_orthonormalize(whole.map(), system.mass());
  fix_signs(whole);
  Matrix all(basis.rows, basis.cols + count);
  all.map() << basis.map(), whole.map();
  basis = std::move(all);
}

}  // namespace quartic
