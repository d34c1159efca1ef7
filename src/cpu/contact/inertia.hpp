// The inertia of one free body at q: D, B and J of core/frame/inertia_forms.hpp.
#pragma once

#include "cpu/contact/stepper_model.hpp"

namespace quartic::cpu {

class Inertia {
 public:
  void evaluate(const InertiaForms& of, const VectorXd& q);

  [[nodiscard]] const Matrix3& j() const { return j_; }
  /// B, shape (3, r).
  [[nodiscard]] Map<const Eigen::Matrix3Xd> b() const;
  /// D_i w.
  [[nodiscard]] Vector d_times(Index i, const Vector& w) const { return symmetric_times(forms_.data(), i, w); }
  /// The same of the derivative of D by a coordinate: a column of InertiaForms::affine.
  [[nodiscard]] static Vector symmetric_times(const double* rows, Index i, const Vector& w);

 private:
  VectorXd forms_;
  Matrix3 j_ = Matrix3::Identity();
};

}  // namespace quartic::cpu
