// Changes of frame and fields: congruences of the Gram matrix of [1, X, U].
#include "quartic/frame_moments.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "core/frame/inertia_forms.hpp"
#include "core/frame/moment_check.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d vector_of(const std::array<double, 3>& numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

std::array<double, 3> array_of(const Vector3d& vector) {
  return {vector[0], vector[1], vector[2]};
}

std::int64_t pair_count(std::int64_t rank) {
  return rank * (rank + 1) / 2;
}

Index pair_column(Index i, Index j, Index rank) {
  return static_cast<Index>(
      pair_index(static_cast<std::size_t>(i), static_cast<std::size_t>(j), static_cast<std::size_t>(rank)));
}

// Entry (a, b) of G2_ij for all i and j.
MatrixXd second_moment(const FrameMoments& moments, Index a, Index b) {
  const Index r = moments.rank();
  const auto stored = moments.moment2.map();
  MatrixXd matrix(r, r);
  for (Index i = 0; i < r; ++i)
    for (Index j = i; j < r; ++j) {
      const Index pair = pair_column(i, j, r);
      matrix(i, j) = stored(3 * a + b, pair);
      matrix(j, i) = stored(3 * b + a, pair);  // G2_ji is G2_ij transposed
    }
  return matrix;
}

// S m U_i . U_j.
MatrixXd reduced_mass(const FrameMoments& moments) {
  return second_moment(moments, 0, 0) + second_moment(moments, 1, 1) + second_moment(moments, 2, 2);
}

bool is_finite(const Matrix& matrix) {
  return std::ranges::all_of(matrix.values, [](double value) { return std::isfinite(value); });
}

bool has_shape(const Matrix& matrix, std::int64_t rows, std::int64_t cols) {
  return matrix.rows == rows && matrix.cols == cols && std::ssize(matrix.values) == rows * cols;
}

Matrix3d inertia_at_rest(const FrameMoments& moments) {
  const Matrix3d moment0 = moments.moment0.map();
  const Vector3d first = vector_of(moments.first_moment);
  const Matrix3d centred = moment0 - first * first.transpose() / moments.mass;
  return centred.trace() * Matrix3d::Identity() - centred;
}

// B at rest, shape (3, r): the angular momentum of each field.
MatrixXd axial_moments(const FrameMoments& moments) {
  const auto g = moments.moment1.map();
  MatrixXd b(3, g.cols());
  b.row(0) = g.row(5) - g.row(7);
  b.row(1) = g.row(6) - g.row(2);
  b.row(2) = g.row(1) - g.row(3);
  return b;
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("these moments give a body no frame of its own: " + what);
}

}  // namespace

bool are_moments(const FrameMoments& moments, int rank) {
  const std::int64_t r = rank;
  const auto finite = [](const std::array<double, 3>& numbers) {
    return std::ranges::all_of(numbers, [](double value) { return std::isfinite(value); });
  };
  return std::isfinite(moments.mass) && moments.mass >= 0 && finite(moments.origin) && finite(moments.first_moment) &&
         has_shape(moments.unit_acceleration, r, 3) && has_shape(moments.moment0, 3, 3) &&
         has_shape(moments.moment1, 9, r) && has_shape(moments.moment2, 9, pair_count(r)) &&
         is_finite(moments.unit_acceleration) && is_finite(moments.moment0) && is_finite(moments.moment1) &&
         is_finite(moments.moment2);
}

bool are_coupled(const FrameMoments& moments) {
  const auto any = [](const Matrix& matrix) {
    return std::ranges::any_of(matrix.values, [](double value) { return value != 0; });
  };
  return any(moments.moment1) || any(moments.moment2);
}

FrameMoments rest_moments(const FrameMoments& moments) {
  FrameMoments rest = moments;
  for (Matrix* matrix : {&rest.moment1, &rest.moment2}) std::ranges::fill(matrix->values, 0.0);
  return rest;
}

bool is_gram_matrix(const FrameMoments& moments) {
  const Index r = moments.rank();
  const Matrix3d moment0 = moments.moment0.map();
  if (!(moments.mass > 0) || !(moment0.trace() > 0)) return false;
  MatrixXd gram = MatrixXd::Zero(4 + 3 * r, 4 + 3 * r);  // 1, X, then x, y and z of all fields
  gram(0, 0) = moments.mass;
  gram.block(0, 1, 1, 3) = vector_of(moments.first_moment).transpose();
  gram.block(1, 1, 3, 3) = moment0;
  for (Index b = 0; b < 3; ++b) {
    const Index column = 4 + r * b;
    gram.block(0, column, 1, r) = moments.unit_acceleration.map().col(b).transpose();
    for (Index a = 0; a < 3; ++a) {
      gram.block(1 + a, column, 1, r) = moments.moment1.map().row(3 * a + b);
      gram.block(4 + r * a, column, r, r) = second_moment(moments, a, b);
    }
  }
  VectorXd scale = VectorXd::Ones(4 + 3 * r);  // to numbers without a unit; fields are about mass-orthonormal
  scale[0] = 1 / std::sqrt(moments.mass);
  scale.segment<3>(1).setConstant(1 / std::sqrt(moment0.trace()));
  gram = (scale.asDiagonal() * gram * scale.asDiagonal()).eval();
  gram = gram.selfadjointView<Eigen::Upper>().toDenseMatrix().eval();
  gram.diagonal().array() += 1e-8;  // far above round-off
  return dense::cholesky(gram).has_value();
}

void require_free_frame(const FrameMoments& moments, int rank) {
  if (!are_moments(moments, rank) || !(moments.mass > 0))
    refuse("they must be of rank " + std::to_string(rank) + " with finite numbers and a positive mass");
  // Round-off of reductions is far below, the smallest thing that anyone means far above.
  constexpr double tolerance = 1e-6;
  const Matrix3d inertia = inertia_at_rest(moments);
  const double length = std::sqrt(inertia.trace() / moments.mass);
  if (vector_of(moments.first_moment).norm() > tolerance * moments.mass * length)
    refuse("the origin isn't the mass centre; use change_frame with centring, and its transform for the energy");
  if (moments.unit_acceleration.map().norm() > tolerance * std::sqrt(moments.mass))
    refuse(
        "a field moves the mass centre, as those of held bodies do; for a free body use change_frame with centring, "
        "and its transform for the energy");
  if (are_coupled(moments) && (reduced_mass(moments) - MatrixXd::Identity(rank, rank)).norm() > tolerance)
    refuse("the basis isn't mass-orthonormal; use change_frame with centring, and its transform for the energy");
  const MatrixXd axial = axial_moments(moments);
  const Matrix3d rest = inertia - axial * axial.transpose();
  const double least = dense::symmetric_eigen(rest).values[0];
  if (!(least > tolerance * inertia.trace()))
    refuse("a field is a rotation, or the body has no extent; leave rigid motions out of the basis");
}

void require_base_frame(const FrameMoments& moments, int rank) {
  if (!are_moments(moments, rank) || !(moments.mass > 0))
    throw InputError("the moments of bodies on a base must be of rank " + std::to_string(rank) +
                     " with finite numbers and a positive mass; base_frame makes them");
  if (!are_coupled(moments)) throw InputError("rest_moments are for free bodies; those on a base take base_frame");
  if ((reduced_mass(moments) - MatrixXd::Identity(rank, rank)).norm() > 1e-6)
    throw InputError(
        "the moments of bodies on a base are of fields that aren't mass-orthonormal; make them of the model whose "
        "energy the bodies have (base_frame)");
}

FrameMoments change_frame(const FrameMoments& moments, const FrameChange& change) {
  const Index r = moments.rank(), s = change.transform.cols;
  if (!are_moments(moments, moments.rank()))
    throw InputError("the moments' arrays don't fit each other, or have numbers that aren't finite");
  if (!has_shape(change.translation, r, 3) || !has_shape(change.transform, r, s))
    throw InputError("a change of frame of rank " + std::to_string(r) + " must have a translation of shape (" +
                     std::to_string(r) + ", 3) and a transform of " + std::to_string(r) + " rows");
  const Vector3d d = vector_of(change.shift), first = vector_of(moments.first_moment);
  const auto t = change.translation.map();
  const auto transform = change.transform.map();
  const auto unit = moments.unit_acceleration.map();
  const Matrix3d moment0 = moments.moment0.map();

  FrameMoments result;
  result.mass = moments.mass;
  result.origin = array_of(vector_of(moments.origin) + d);
  result.first_moment = array_of(first - moments.mass * d);
  result.unit_acceleration = to_matrix(transform.transpose() * (unit - moments.mass * t));
  result.moment0 =
      to_matrix(moment0 - d * first.transpose() - first * d.transpose() + moments.mass * d * d.transpose());
  result.moment1 = Matrix(9, s);
  result.moment2 = Matrix(9, pair_count(s));
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 3; ++b) {
      const VectorXd row = moments.moment1.map().row(3 * a + b).transpose() - d[a] * unit.col(b) - first[a] * t.col(b) +
                           moments.mass * d[a] * t.col(b);
      result.moment1.map().row(3 * a + b) = (transform.transpose() * row).transpose();
      const MatrixXd fields = second_moment(moments, a, b) - unit.col(a) * t.col(b).transpose() -
                              t.col(a) * unit.col(b).transpose() + moments.mass * t.col(a) * t.col(b).transpose();
      const MatrixXd changed = transform.transpose() * fields * transform;
      for (Index i = 0; i < s; ++i)
        for (Index j = i; j < s; ++j) result.moment2(3 * a + b, pair_column(i, j, s)) = changed(i, j);
    }
  return result;
}

FrameChange centring(const FrameMoments& moments) {
  const Index r = moments.rank();
  if (!are_moments(moments, moments.rank()) || !(moments.mass > 0))
    throw InputError("moments to be centred need arrays that fit each other, finite numbers and a positive mass");
  FrameChange change;
  change.shift = array_of(vector_of(moments.first_moment) / moments.mass);
  change.translation = to_matrix(moments.unit_acceleration.map() / moments.mass);
  change.transform = to_matrix(MatrixXd::Identity(r, r));
  const std::optional<dense::Cholesky> factor = dense::cholesky(reduced_mass(change_frame(moments, change)));
  if (!factor) throw NumericalError("the reduced mass isn't positive definite: a field is a translation, or none");
  MatrixXd transform = MatrixXd::Identity(r, r);
  factor->orthonormalize(transform);
  change.transform = to_matrix(transform);
  return change;
}

std::array<double, 3> principal_inertia(const FrameMoments& moments) {
  return array_of(dense::symmetric_eigen(inertia_at_rest(moments)).values);
}

double mean_axis_error(const FrameMoments& moments) {
  const double size = moments.moment1.map().norm();
  return size > 0 ? axial_moments(moments).norm() / size : 0;
}

}  // namespace quartic
