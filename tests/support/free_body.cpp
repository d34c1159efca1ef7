#include "support/free_body.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "quartic/matrix.hpp"
#include "quartic/procedural.hpp"
#include "support/dense.hpp"

namespace quartic::test {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

Matrix3d square(const Matrix& matrix, std::int64_t column) {
  Matrix3d result;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) result(a, b) = matrix(3 * a + b, column);
  return result;
}

Matrix3d inertia_of(const Matrix3d& moment) {
  return moment.trace() * Matrix3d::Identity() - 0.5 * (moment + moment.transpose());
}

Vector3d axial_of(const Matrix3d& moment) {
  return {moment(1, 2) - moment(2, 1), moment(2, 0) - moment(0, 2), moment(0, 1) - moment(1, 0)};
}

}  // namespace

Matrix3d hat(const Vector3d& x) {
  Matrix3d m;
  m << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return m;
}

Matrix3d rotation_of(const Eigen::Vector4d& quaternion) {
  const Vector3d u = quaternion.head<3>();
  const Matrix3d x = hat(u);
  return Matrix3d::Identity() + 2 * quaternion[3] * x + 2 * x * x;
}

FreeBody::FreeBody(FrameMoments moments, QuarticEnergy energy, VectorXd force)
    : moments_(std::move(moments)), energy_(std::move(energy)), force_(std::move(force)) {
  if (force_.size() == 0) force_ = VectorXd::Zero(rank());
}

Matrix3d FreeBody::second_moment(int i, int j) const {
  const std::int64_t r = rank(), a = std::min(i, j), b = std::max(i, j);
  const Matrix3d stored = square(moments_.moment2, a * (2 * r - a - 1) / 2 + b);
  return i <= j ? stored : Matrix3d(stored.transpose());
}

Matrix3d FreeBody::inertia(const VectorXd& q) const {
  Matrix3d j = inertia_of(moments_.moment0.map());
  for (int i = 0; i < rank(); ++i) {
    j += 2 * q[i] * inertia_of(square(moments_.moment1, i));
    for (int k = 0; k < rank(); ++k) j += q[i] * q[k] * inertia_of(second_moment(i, k));
  }
  return j;
}

Matrix3d FreeBody::inertia_derivative(const VectorXd& q, int i) const {
  Matrix3d d = 2 * inertia_of(square(moments_.moment1, i));
  for (int k = 0; k < rank(); ++k) d += 2 * q[k] * inertia_of(second_moment(i, k));
  return d;
}

MatrixXd FreeBody::axial(const VectorXd& q) const {
  MatrixXd b(3, rank());
  for (int i = 0; i < rank(); ++i) {
    b.col(i) = axial_of(square(moments_.moment1, i));
    for (int p = 0; p < rank(); ++p) b.col(i) += q[p] * axial_of(second_moment(p, i));
  }
  return b;
}

VectorXd FreeBody::centrifugal(const VectorXd& q, const Vector3d& w) const {
  VectorXd force(rank());
  for (int i = 0; i < rank(); ++i) force[i] = 0.5 * w.dot(inertia_derivative(q, i) * w);
  return force;
}

double FreeBody::energy(const FreeState& s) const {
  const double kinetic = 0.5 * moments_.mass * s.velocity.squaredNorm() + 0.5 * s.spin.dot(inertia(s.q) * s.spin) +
                         s.spin.dot(axial(s.q) * s.rate) + 0.5 * s.rate.squaredNorm();
  return kinetic + evaluate(energy_, {s.q.data(), static_cast<std::size_t>(s.q.size())}).energy;
}

Vector3d FreeBody::momentum(const FreeState& s) const {
  return s.rotation * (inertia(s.q) * s.spin + axial(s.q) * s.rate);
}

// [J B; B^T I] (w', q'') = (-w x pi - J' w, -R + 1/2 w^T D w + 2 A(w) q'), by elimination of q''.
FreeRates FreeBody::rates(const FreeState& s) const {
  const Matrix3d j = inertia(s.q);
  const MatrixXd b = axial(s.q), turned = axial(s.q + s.rate) - b;  // q'_p A_pi
  Matrix3d change = Matrix3d::Zero();
  for (int i = 0; i < rank(); ++i) change += s.rate[i] * inertia_derivative(s.q, i);
  const Vector3d torque = -s.spin.cross(j * s.spin + b * s.rate) - change * s.spin;
  const std::vector<double> internal = evaluate(energy_, {s.q.data(), static_cast<std::size_t>(s.q.size())}).force;
  const VectorXd force = force_ - Eigen::Map<const VectorXd>(internal.data(), rank()) + centrifugal(s.q, s.spin) -
                         2 * turned.transpose() * s.spin;
  const MatrixXd system = j - b * b.transpose();
  const Vector3d spin_rate = solve(system, VectorXd(torque - b * force));
  return {Vector3d::Zero(), spin_rate, force - b.transpose() * spin_rate};
}

FreeState FreeBody::moved(FreeState state, double time, int steps) const {
  const double h = time / steps;
  const auto ahead = [](const FreeState& from, const FreeState& slope, const FreeRates& rates, double t) {
    FreeState to = from;
    to.position += t * slope.velocity;
    to.rotation += t * slope.rotation * hat(slope.spin);
    to.q += t * slope.rate;
    to.velocity += t * rates.acceleration;
    to.spin += t * rates.spin_rate;
    to.rate += t * rates.second;
    return to;
  };
  for (int n = 0; n < steps; ++n) {
    const FreeRates a = rates(state);
    const FreeState second = ahead(state, state, a, h / 2);
    const FreeRates b = rates(second);
    const FreeState third = ahead(state, second, b, h / 2);
    const FreeRates c = rates(third);
    const FreeState fourth = ahead(state, third, c, h);
    const FreeRates d = rates(fourth);
    FreeState next = ahead(state, state, a, h / 6);
    next = ahead(next, second, b, h / 3);
    next = ahead(next, third, c, h / 3);
    state = ahead(next, fourth, d, h / 6);
  }
  return state;
}

ProceduralMesh sample_block(double youngs_modulus, bool two_regions) {
  ProceduralMesh block =
      make_box({.length = 1,
                .width = 0.6,
                .height = 0.3,
                .cells_x = 4,
                .cells_y = 3,
                .cells_z = 2,
                .material = {.youngs_modulus = youngs_modulus, .poissons_ratio = 0.3, .density = 1000}});
  VolumeMesh& mesh = block.mesh;
  if (two_regions) {
    mesh.regions.push_back({"right", mesh.regions[0].material});
    for (std::size_t e = 0; e < mesh.element_region.size(); ++e)
      mesh.element_region[e] = e % 4 >= 2 ? 1 : 0;  // bricks lie along x first
  }
  return block;
}

ReducedModel free_block(double youngs_modulus, int modes, int rank, bool region_parts) {
  const VolumeMesh mesh = sample_block(youngs_modulus, region_parts).mesh;
  return reduce(mesh, {}, {.modes = modes, .rank = rank, .region_parts = region_parts});
}

}  // namespace quartic::test
