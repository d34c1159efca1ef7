// What steppers of all threads share, and the vectors they compute with.
#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <optional>

#include "core/contact/body_frame.hpp"
#include "core/frame/inertia_forms.hpp"
#include "core/frame/symmetric3.hpp"
#include "cpu/energy/evaluator.hpp"
#include "cpu/energy/system.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cpu {

using Eigen::Index;
using Eigen::Map;
using Eigen::VectorXd;
using Matrix3 = Eigen::Matrix3d;
using Vector = Eigen::Vector3d;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

[[nodiscard]] inline Vector to_eigen(const ContactPoint& x) {
  return {x.x, x.y, x.z};
}
[[nodiscard]] inline ContactPoint from_eigen(const Vector& x) {
  return {x[0], x[1], x[2]};
}
[[nodiscard]] inline Matrix3 to_eigen(const frame::Matrix3<double>& a) {
  Matrix3 result;
  for (int i = 0; i < 3; ++i) result.row(i) = to_eigen(a.row[i]).transpose();
  return result;
}
[[nodiscard]] inline Matrix3 to_eigen(const frame::Symmetric3<double>& s) {
  Matrix3 result;
  result << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return result;
}
/// x^ y = x cross y.
[[nodiscard]] inline Matrix3 hat(const Vector& x) {
  Matrix3 result;
  result << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return result;
}

/// Coefficients of a group's bodies.
struct StepperModel {
  std::unique_ptr<Evaluator<BodySystem<double>>> evaluator;
  std::optional<InertiaForms> inertia;  ///< of free bodies
  std::shared_ptr<const BoundTree> tree;
  Vector origin = Vector::Zero();  ///< of the frame, in the mesh's coordinates

  [[nodiscard]] Index rank() const { return evaluator->rank(); }
};

/// Where and how fast a body is. Velocities are those of its frame, the spin in body axes.
struct Place {
  Vector position = Vector::Zero(), velocity = Vector::Zero(), spin = Vector::Zero();
  frame::Quaternion<double> rotation = {};

  [[nodiscard]] Matrix3 matrix() const { return to_eigen(frame::matrix(rotation)); }
};

}  // namespace quartic::cpu
