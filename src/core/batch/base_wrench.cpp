// What bodies on a base of prescribed motion need of the base: d'Alembert's forces, less what pushes them otherwise.
#include <cmath>
#include <string>
#include <vector>

#include "core/batch/body_numbers.hpp"
#include "core/batch/load_curve.hpp"
#include "core/frame/base_inertia.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_motion.hpp"

namespace quartic {
namespace {

// The factor of a body's loads now. A jump counts as passed where sums of steps may miss it by round-off.
template <class T>
double load_scale(BatchImpl<T>& batch, std::int64_t body) {
  const BodyParameters<T>& parameters = batch.parameters();
  if (parameters.curve_of_body.empty()) return 1;
  const std::int32_t curve = parameters.curve_of_body[static_cast<std::size_t>(body)];
  if (curve < 0) return 1;
  return scale_at(parameters.curves[static_cast<std::size_t>(curve)], batch.time(), 1e-9 * std::abs(batch.time()));
}

template <class T>
bool has_bases(const BatchImpl<T>& batch) {
  for (const FrameMotion motion : batch.motions())
    if (motion == FrameMotion::prescribed) return true;
  return false;
}

template <class T>
BaseInertia::Wrench world_wrench(const Batch<T>& batch, const InertiaForms& forms, std::int64_t body) {
  std::vector<double> point = column(batch.q(), body, forms.rank);
  point.insert(point.begin(), 1.0);
  const std::vector<double> rate = column(batch.velocity(), body, forms.rank),
                            second = column(batch.acceleration(), body, forms.rank);
  const frame::Quaternion<double> rotation = rotation_in(batch.pose(), body);
  const StateView<const T> twist_rate = batch.twist_rate(), wrench = batch.wrench();
  const frame::Vector3<double> a = rotate(conjugate(rotation), vector_of(twist_rate, body, 0));
  const BaseInertia::Wrench own =
      BaseInertia(forms, point.data(), rate.data())
          .wrench(a, vector_of(batch.twist(), body, 3), vector_of(twist_rate, body, 3), second.data());
  const double scale = load_scale(batch.impl(), body);
  return {.force = rotate(rotation, own.force) - scale * vector_of(wrench, body, 0),
          .torque = rotate(rotation, own.torque) - scale * vector_of(wrench, body, 3)};
}

}  // namespace

template <class T>
void base_wrench(const Batch<T>& batch, StateView<T> wrench) {
  const BatchImpl<T>& impl = batch.impl();
  if (!has_bases(impl))
    throw InputError("no group of this batch has FrameMotion::prescribed, so that no body has a base");
  if (wrench.rank != twist_size || wrench.bodies != batch.bodies())
    throw InputError("the base's wrenches must have " + std::to_string(twist_size) +
                     " rows and a column for each of the " + std::to_string(batch.bodies()) + " bodies, not " +
                     std::to_string(wrench.rank) + " and " + std::to_string(wrench.bodies));
  for (std::size_t g = 0; g < impl.frames().size(); ++g) {
    if (impl.motions()[g] != FrameMotion::prescribed) continue;
    const InertiaForms forms(*impl.frames()[g]);
    const GroupRange& range = impl.ranges()[g];
    for (std::int64_t body = range.first_body; body < range.first_body + range.bodies; ++body) {
      const BaseInertia::Wrench sum = world_wrench(batch, forms, body);
      put_vector(sum.force, wrench, body, 0);
      put_vector(sum.torque, wrench, body, 3);
    }
  }
}

template QUARTIC_EXPORT void base_wrench(const Batch<float>&, StateView<float>);
template QUARTIC_EXPORT void base_wrench(const Batch<double>&, StateView<double>);

}  // namespace quartic
