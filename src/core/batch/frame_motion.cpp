#include "core/batch/frame_motion.hpp"

#include <cstddef>
#include <vector>

#include "core/batch/body_numbers.hpp"
#include "core/frame/base_inertia.hpp"
#include "core/frame/inertia_forms.hpp"
#include "core/frame/rotation.hpp"

namespace quartic {
namespace {

using frame::Vector3;

// A body's numbers beside its inertia.
struct Motion {
  std::vector<double> point, rate, twist;  // (1, q), q', twist as the batch has it
  frame::Quaternion<double> rotation;
  bool prescribed;

  [[nodiscard]] Vector3<double> velocity() const { return {twist[0], twist[1], twist[2]}; }
  [[nodiscard]] Vector3<double> spin() const { return {twist[3], twist[4], twist[5]}; }
  [[nodiscard]] Vector3<double> own_velocity() const { return rotate(conjugate(rotation), velocity()); }
};

// Calls visit(body, forms, motion) for all bodies of groups with frames.
template <class T, class Visit>
void for_each_moving_body(BatchImpl<T>& batch, const Visit& visit) {
  if (!batch.has_frames()) return;
  const StateView<const T> q = batch.read_state(StateArray::q), velocity = batch.read_state(StateArray::velocity);
  const StateView<const T> twists = batch.read_state(StateArray::twist), poses = batch.read_state(StateArray::pose);
  std::size_t last = batch.frames().size();
  InertiaForms forms;
  for_each_framed_body(batch, [&](std::int64_t body, std::size_t g) {
    if (g != last) forms = InertiaForms(*batch.frames()[g]);
    last = g;
    const std::int64_t rank = batch.ranges()[g].rank;
    Motion motion{column(q, body, rank), column(velocity, body, rank), column(twists, body, twist_size),
                  rotation_in(poses, body), batch.motions()[g] == FrameMotion::prescribed};
    motion.point.insert(motion.point.begin(), 1.0);
    visit(body, forms, motion);
  });
}

void put(const Vector3<double>& world, std::int64_t body, std::span<double> result) {
  const auto at = static_cast<std::size_t>(3 * body);
  result[at] = world.x, result[at + 1] = world.y, result[at + 2] = world.z;
}

}  // namespace

template <class T>
void add_rigid_energy(BatchImpl<T>& batch, std::span<double> energy) {
  for_each_moving_body(batch, [&](std::int64_t body, const InertiaForms& forms, const Motion& m) {
    const double added = m.prescribed
                             ? BaseInertia(forms, m.point.data(), m.rate.data()).energy(m.own_velocity(), m.spin())
                             : InertiaAt(forms, m.point.data()).energy(&m.twist[0], &m.twist[3], m.rate.data());
    energy[static_cast<std::size_t>(body)] += added;
  });
}

template <class T>
void linear_momenta(BatchImpl<T>& batch, std::span<double> result) {
  for_each_moving_body(batch, [&](std::int64_t body, const InertiaForms& forms, const Motion& m) {
    if (!m.prescribed) return put(forms.mass * m.velocity(), body, result);
    const BaseInertia inertia(forms, m.point.data(), m.rate.data());
    put(rotate(m.rotation, inertia.linear_momentum(m.own_velocity(), m.spin())), body, result);
  });
}

template <class T>
void angular_momenta(BatchImpl<T>& batch, std::span<double> result) {
  for_each_moving_body(batch, [&](std::int64_t body, const InertiaForms& forms, const Motion& m) {
    double own[3];
    InertiaAt(forms, m.point.data()).angular_momentum(&m.twist[3], m.rate.data(), own);
    Vector3<double> momentum = {own[0], own[1], own[2]};
    if (m.prescribed)
      momentum = BaseInertia(forms, m.point.data(), m.rate.data()).angular_momentum(m.own_velocity(), m.spin());
    put(rotate(m.rotation, momentum), body, result);
  });
}

template void add_rigid_energy(BatchImpl<float>&, std::span<double>);
template void add_rigid_energy(BatchImpl<double>&, std::span<double>);
template void linear_momenta(BatchImpl<float>&, std::span<double>);
template void linear_momenta(BatchImpl<double>&, std::span<double>);
template void angular_momenta(BatchImpl<float>&, std::span<double>);
template void angular_momenta(BatchImpl<double>&, std::span<double>);

}  // namespace quartic
