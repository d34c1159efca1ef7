#include "core/frame/base_inertia.hpp"

namespace quartic {

using frame::Vector3;

BaseInertia::BaseInertia(const InertiaForms& forms, const double* point, const double* rate)
    : forms_(forms), inertia_(forms, point), rate_(rate) {
  const double* first = forms.first_moment;
  first_ = Vector3<double>{first[0], first[1], first[2]} + translation(point + 1);
}

Vector3<double> BaseInertia::translation(const double* x) const {
  double sum[3] = {};
  for (int i = 0; i < forms_.rank; ++i)
    for (int c = 0; c < 3; ++c) sum[c] += x[i] * forms_.unit_acceleration(i, c);
  return {sum[0], sum[1], sum[2]};
}

Vector3<double> BaseInertia::linear_momentum(const Vector3<double>& v, const Vector3<double>& w) const {
  return forms_.mass * v + cross(w, first_) + translation(rate_);
}

Vector3<double> BaseInertia::angular_momentum(const Vector3<double>& v, const Vector3<double>& w) const {
  return inertia_.inertia_times(w) + inertia_.axial_times(rate_) + cross(first_, v);
}

double BaseInertia::energy(const Vector3<double>& v, const Vector3<double>& w) const {
  return 0.5 * (dot(v, linear_momentum(v, w)) + dot(v, translation(rate_)) + dot(w, angular_momentum(v, w)) +
                dot(w, inertia_.axial_times(rate_)));
}

BaseInertia::Wrench BaseInertia::wrench(const Vector3<double>& a, const Vector3<double>& w,
                                        const Vector3<double>& spin_rate, const double* second) const {
  const Vector3<double> own = inertia_.inertia_times(w) + inertia_.axial_times(rate_);
  return {.force = forms_.mass * a + cross(spin_rate, first_) + cross(w, cross(w, first_)) +
                   2.0 * cross(w, translation(rate_)) + translation(second),
          .torque = cross(first_, a) + inertia_.inertia_times(spin_rate) + inertia_.inertia_rate_times(rate_, w) +
                    inertia_.axial_times(second) + cross(w, own)};
}

}  // namespace quartic
