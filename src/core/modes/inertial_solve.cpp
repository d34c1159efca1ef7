#include "core/modes/inertial_solve.hpp"

#include <cmath>
#include <string>

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_product.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

// Eigenvalues that differ by less, relative to the larger one, count as one.
constexpr double cluster_tolerance = 1e-6;
// On the residual in the norm of the inverse, which sees soft and stiff directions alike.
constexpr double tolerance = 1e-13;
// Plenty: with a gap of 1e-5 behind the last mode, some hundred are enough.
constexpr int iteration_limit = 600;
// What counts as a mode: far above what linear_modes leaves, far below any field that isn't one.
constexpr double mode_tolerance = 1e-6;

[[noreturn]] void refuse_spectrum() {
  throw NumericalError(
      "inertial modal derivatives need the lowest modes, but an eigenvalue that isn't among theirs lies below or at "
      "one of them; take one mode more or less where the last one splits a cluster");
}

}  // namespace

InertialSolver::InertialSolver(const ElasticSystem::Impl& system, MatrixXd modes)
    : system_(system), modes_(std::move(modes)), mass_modes_(sparse_times(system.mass_free(), modes_)) {
  const MatrixXd force = sparse_times(system.stiffness_free(), modes_);
  eigenvalues_ = modes_.cwiseProduct(force).colwise().sum();
  const MatrixXd gram = blas::multiply_transposed(modes_, mass_modes_);
  if (!((gram - MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff() < mode_tolerance))
    throw InputError("inertial modal derivatives need modes that are orthonormal with respect to the mass matrix");
  const MatrixXd residual = force - mass_modes_ * eigenvalues_.matrix().asDiagonal();
  for (Index j = 0; j < residual.cols(); ++j)
    if (!(residual.col(j).norm() < mode_tolerance * force.col(j).norm()))
      throw InputError("inertial modal derivatives need modes of the body itself, but column " + std::to_string(j) +
                       " isn't one: K x and lambda M x differ");
}

void InertialSolver::project_displacements(Eigen::Ref<MatrixXd> x) const {
  system_.project_displacements(x);
  blas::multiply(-1, modes_, blas::multiply_transposed(mass_modes_, x), 1, x);
}

void InertialSolver::project_forces(Eigen::Ref<MatrixXd> f) const {
  system_.project_forces(f);
  blas::multiply(-1, mass_modes_, blas::multiply_transposed(modes_, f), 1, f);
}

// products(l, column) = Psi_l . b.
MatrixXd InertialSolver::solve_in_span(const MatrixXd& products, const ArrayXd& lambda) const {
  MatrixXd coefficients = MatrixXd::Zero(products.rows(), products.cols());
  for (Index column = 0; column < products.cols(); ++column)
    for (Index l = 0; l < products.rows(); ++l) {
      const double gap = eigenvalues_[l] - lambda[column];
      if (std::abs(gap) > cluster_tolerance * std::max(eigenvalues_[l], lambda[column]))
        coefficients(l, column) = products(l, column) / gap;
    }
  MatrixXd x(modes_.rows(), products.cols());
  blas::multiply(1, modes_, coefficients, 0, x);
  return x;
}

MatrixXd InertialSolver::solve_in_complement(MatrixXd f, const ArrayXd& reference, const ArrayXd& lambda) const {
  MatrixXd x = MatrixXd::Zero(f.rows(), f.cols()), direction = x;
  ArrayXd energy = ArrayXd::Zero(f.cols());
  for (int iteration = 0; iteration < iteration_limit; ++iteration) {
    MatrixXd z = f;  // f holds the residual
    system_.factor->solve(z);
    project_displacements(z);
    const ArrayXd new_energy = f.cwiseProduct(z).colwise().sum();
    const auto active = (new_energy > tolerance * tolerance * reference).eval();
    if (!active.any()) return x;
    const ArrayXd beta = (energy > 0).select(new_energy / energy, 0);
    direction = z + direction * beta.matrix().asDiagonal();
    energy = new_energy;
    const MatrixXd image = sparse_times(system_.stiffness_free(), direction) -
                           sparse_times(system_.mass_free(), direction) * lambda.matrix().asDiagonal();
    const ArrayXd curvature = direction.cwiseProduct(image).colwise().sum();
    if ((active && !(curvature > 0)).any()) refuse_spectrum();
    const ArrayXd alpha = active.select(energy / curvature, 0);
    x += direction * alpha.matrix().asDiagonal();
    f -= image * alpha.matrix().asDiagonal();
    project_forces(f);
  }
  throw NumericalError("inertial modal derivatives didn't converge in " + std::to_string(iteration_limit) +
                       " iterations: an eigenvalue lies just above the last mode; take one mode more or less");
}

// Where an eigenvalue that was left out coincides with lambda_i, the solution lies along its mode and is arbitrary.
void InertialSolver::require_gap(const MatrixXd& x, const MatrixXd& f, const ArrayXd& lambda) const {
  const ArrayXd elastic = x.cwiseProduct(f).colwise().sum();
  const ArrayXd inertial =
      x.cwiseProduct(sparse_times(system_.mass_free(), x)).colwise().sum().transpose().array() * lambda;
  if ((inertial > 0 && elastic < cluster_tolerance * inertial).any()) refuse_spectrum();
}

void InertialSolver::solve(Eigen::Ref<MatrixXd> b, std::span<const int> shifts) const {
  ArrayXd lambda(b.cols());
  for (Index column = 0; column < b.cols(); ++column)
    lambda[column] = eigenvalues_[shifts[static_cast<std::size_t>(column)]];
  system_.project_forces(b);
  const MatrixXd products = blas::multiply_transposed(modes_, b);
  MatrixXd f = b;
  project_forces(f);
  project_forces(f);  // b may lie almost in the span
  MatrixXd z = f;
  system_.factor->solve(z);
  // b^T K^-1 b by parts: the size that what remains is measured against.
  const ArrayXd reference = f.cwiseProduct(z).colwise().sum().transpose().array() +
                            (products.array().square().colwise() / eigenvalues_).colwise().sum().transpose();
  MatrixXd x = solve_in_complement(f, reference, lambda);
  require_gap(x, f, lambda);
  project_displacements(x);
  b = solve_in_span(products, lambda) + x;
}

}  // namespace quartic
