// Momenta and base forces of one body on a base that moves, in double: of moments about any point, the base's origin,
// of fields that may move the mass centre. Vectors are in the base's axes.
#pragma once

#include "core/frame/inertia_forms.hpp"
#include "core/frame/vector3.hpp"

namespace quartic {

/// At one q and q'.
class BaseInertia {
 public:
  /// @param point (1, q), shape (r + 1) @param rate q', shape (r); both must outlive this
  BaseInertia(const InertiaForms& forms, const double* point, const double* rate);

  /// The same, about the origin, for its velocity v and the angular velocity w of the base.
  [[nodiscard]] frame::Vector3<double> linear_momentum(const frame::Vector3<double>& v,
                                                       const frame::Vector3<double>& w) const;
  [[nodiscard]] frame::Vector3<double> angular_momentum(const frame::Vector3<double>& v,
                                                        const frame::Vector3<double>& w) const;
  /// Kinetic energy besides 1/2 |q'|^2.
  [[nodiscard]] double energy(const frame::Vector3<double>& v, const frame::Vector3<double>& w) const;

  struct Wrench {
    frame::Vector3<double> force, torque;
  };
  /// What gives the body's points their accelerations, about the origin.
  /// @param a acceleration of the origin, less that of gravity @param w, spin_rate angular velocity and its rate
  /// @param second q'', shape (r)
  [[nodiscard]] Wrench wrench(const frame::Vector3<double>& a, const frame::Vector3<double>& w,
                              const frame::Vector3<double>& spin_rate, const double* second) const;

 private:
  [[nodiscard]] frame::Vector3<double> translation(const double* x) const;  // s^T x

  const InertiaForms& forms_;
  InertiaAt inertia_;
  const double* rate_;
  frame::Vector3<double> first_;  // S m y
};

}  // namespace quartic
