#include "support/moving_base.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/procedural.hpp"

namespace quartic::test {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// An angle and its rates.
struct Swing {
  double angle, rate, second;
};

Swing swing(double time, double size, double frequency, double phase) {
  const double at = frequency * time + phase;
  return {size * std::sin(at), size * frequency * std::cos(at), -size * frequency * frequency * std::sin(at)};
}

Swing about_z(double time) {
  return swing(time, 0.8, 5, 0.3);
}
Swing about_x(double time) {
  return swing(time, 0.6, 7, 1.1);
}

}  // namespace

// With a about z of the world, b about the turned x: w = b' e_x + a' u, u = Rx(b)^T e_z, u' = -b' e_x x u.
BaseMotion shaken(double time) {
  const Swing a = about_z(time), b = about_x(time);
  const Matrix3d z = Eigen::AngleAxisd(a.angle, Vector3d::UnitZ()).toRotationMatrix();
  const Matrix3d x = Eigen::AngleAxisd(b.angle, Vector3d::UnitX()).toRotationMatrix();
  const Vector3d u = x.transpose() * Vector3d::UnitZ();
  BaseMotion m;
  m.rotation = z * x;
  m.spin = b.rate * Vector3d::UnitX() + a.rate * u;
  m.spin_rate = b.second * Vector3d::UnitX() + a.second * u - a.rate * b.rate * Vector3d::UnitX().cross(u);
  for (int c = 0; c < 3; ++c) {
    const Swing s = swing(time, 0.1 + 0.05 * c, 6 + c, 0.5 * c);
    m.position[c] = s.angle, m.velocity[c] = s.rate, m.acceleration[c] = s.second;
  }
  return m;
}

Eigen::Vector4d shaken_quaternion(double time) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(Eigen::AngleAxisd(about_z(time).angle, Vector3d::UnitZ())) *
                               Eigen::Quaterniond(Eigen::AngleAxisd(about_x(time).angle, Vector3d::UnitX()));
  return {q.x(), q.y(), q.z(), q.w()};
}

ReducedModel held_block(double youngs_modulus, int modes, int rank, bool region_parts) {
  const ProceduralMesh block = sample_block(youngs_modulus, region_parts);
  return reduce(block.mesh, block.fixed_vertices, {.modes = modes, .rank = rank, .region_parts = region_parts});
}

MeshOnBase::MeshOnBase(const ReducedModel& model, const Vector3d& origin)
    : basis_(model.basis.map()), mass_(mass_matrix(model.mesh)) {
  rest_ = Eigen::Map<const Matrix3Xd>(model.mesh.vertices.data(), 3, model.mesh.vertex_count());
  rest_.colwise() -= origin;
}

Matrix3Xd MeshOnBase::field(const VectorXd& q) const {
  const VectorXd u = basis_ * q;
  return Eigen::Map<const Matrix3Xd>(u.data(), 3, rest_.cols());
}

Matrix3Xd MeshOnBase::points(const VectorXd& q) const {
  return rest_ + field(q);
}

Matrix3Xd MeshOnBase::inertia_forces(const BaseMotion& base, const Vector3d& gravity, const VectorXd& q,
                                     const VectorXd& rate, const VectorXd& second) const {
  const Matrix3d w = hat(base.spin);
  Matrix3Xd accelerations = (hat(base.spin_rate) + w * w) * points(q) + 2 * w * field(rate) + field(second);
  accelerations.colwise() += base.rotation.transpose() * (base.acceleration - gravity);
  const VectorXd forces = mass_.map() * Eigen::Map<const VectorXd>(accelerations.data(), accelerations.size());
  return Eigen::Map<const Matrix3Xd>(forces.data(), 3, rest_.cols());
}

VectorXd MeshOnBase::project(const Matrix3Xd& forces) const {
  return basis_.transpose() * Eigen::Map<const VectorXd>(forces.data(), forces.size());
}

VectorXd acceleration_on(const FrameMoments& moments, const QuarticEnergy& energy, const BaseMotion& base,
                         const Vector3d& gravity, const VectorXd& q, const VectorXd& rate) {
  const FreeBody body(moments, energy);
  const Eigen::MatrixXd b = body.axial(q), turned = body.axial(q + rate) - b;  // q'_p A_pi
  const std::vector<double> internal = evaluate(energy, {q.data(), static_cast<std::size_t>(q.size())}).force;
  return body.centrifugal(q, base.spin) - Eigen::Map<const VectorXd>(internal.data(), q.size()) -
         b.transpose() * base.spin_rate - 2 * turned.transpose() * base.spin -
         moments.unit_acceleration.map() * (base.rotation.transpose() * (base.acceleration - gravity));
}

FreeState moved_on_base(const FrameMoments& moments, const QuarticEnergy& energy, const Vector3d& gravity,
                        FreeState state, double time, int steps) {
  const double h = time / steps;
  const auto slope = [&](double t, const VectorXd& q, const VectorXd& rate) {
    return acceleration_on(moments, energy, shaken(t), gravity, q, rate);
  };
  for (int n = 0; n < steps; ++n) {
    const double t = n * h;
    const VectorXd q = state.q, v = state.rate;
    const VectorXd a = slope(t, q, v), vb = v + h / 2 * a;
    const VectorXd b = slope(t + h / 2, q + h / 2 * v, vb), vc = v + h / 2 * b;
    const VectorXd c = slope(t + h / 2, q + h / 2 * vb, vc), vd = v + h * c;
    const VectorXd d = slope(t + h, q + h * vc, vd);
    state.q = q + h / 6 * (v + 2 * vb + 2 * vc + vd);
    state.rate = v + h / 6 * (a + 2 * b + 2 * c + d);
  }
  return state;
}

}  // namespace quartic::test
