#include "core/streaming/acceleration_state.hpp"

namespace quartic {

void AccelerationState::advance(const AccelerationRule& rule, double h, std::span<const double> next) {
  const double q_before = h * h * rule.before, q_after = h * h * rule.after;
  const double v_before = h * (1 - rule.gamma), v_after = h * rule.gamma;
  double* const x = q.data();
  double* const v = velocity.data();
  double* const a = acceleration.data();
  const double* const b = next.data();
  const auto count = static_cast<std::ptrdiff_t>(next.size());
#pragma GCC ivdep
  for (std::ptrdiff_t n = 0; n < count; ++n) {
    x[n] += h * v[n] + (q_before * a[n] + q_after * b[n]);
    v[n] += v_before * a[n] + v_after * b[n];
    a[n] = b[n];
  }
}

void AccelerationState::advance_one(const AccelerationRule& rule, double h, std::size_t n, double next) {
  q[n] += h * velocity[n] + (h * h * rule.before * acceleration[n] + h * h * rule.after * next);
  velocity[n] += h * (1 - rule.gamma) * acceleration[n] + h * rule.gamma * next;
  acceleration[n] = next;
}

}  // namespace quartic
